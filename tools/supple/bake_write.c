// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "bake_write.h"

#include "bake/bake.h"
#include "bake_vat.h"
#include "character/character.h"
#include "core/core.h"
#include "io/common/file.h"
#include "io/gltf/document.h"
#include "report.h"
#include "stop.h"
#include "terminal.h"
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

// Bytes from which on a file is announced.
#define LARGE_FILE ( (uint64_t)16 << 20 )

// ---------------------------------------------------------------------------------------------------------------------
// Names

// What does not fit is left off, by whole characters of UTF-8.
static FileWord CleanWord( const char* name )
{
	FileWord word = { "" };
	size_t length = strlen( name );
	size_t most = sizeof( word.text ) - 16; // room for a number
	if ( length > most )
	{
		length = most;
		while ( length > 0 && ( (unsigned char)name[length] & 0xC0 ) == 0x80 )
		{
			length -= 1;
		}
	}
	for ( size_t i = 0; i < length; ++i )
	{
		unsigned char u = (unsigned char)name[i];
		word.text[i] = u >= 128 || isalnum( u ) || u == '-' ? name[i] : '_';
	}
	return word;
}

static bool IsTaken( const FileWord* words, int32_t count, size_t stride, const char* text )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		const FileWord* other = (const FileWord*)( (const char*)words + (size_t)i * stride );
		if ( strcasecmp( other->text, text ) == 0 )
		{
			return true;
		}
	}
	return false;
}

void MakeFileWord( const char* name, FileWord* words, int32_t index, size_t stride )
{
	FileWord clean = CleanWord( name );
	FileWord word = clean;
	for ( int32_t number = index; word.text[0] == 0 || IsTaken( words, index, stride, word.text ); ++number )
	{
		snprintf( word.text, sizeof( word.text ), clean.text[0] != 0 ? "%s_%d" : "%s%d", clean.text, number );
	}
	*(FileWord*)( (char*)words + (size_t)index * stride ) = word;
}

char* MakeBakePath( const char* path, const FileWord* first, const FileWord* second, const char* tail )
{
	char extension[17];
	supGetExtension( path, extension );
	const char* a = first != NULL ? first->text : "";
	const char* b = second != NULL ? second->text : "";
	size_t stem = strlen( path ) - strlen( extension );
	size_t size = strlen( path ) + strlen( tail ) + 2 * sizeof( FileWord ) + 4;
	char* result = supAllocSmall( size );
	if ( result != NULL )
	{
		snprintf( result, size, "%.*s%s%s%s%s%s%s", (int)stem, path, a[0] != 0 ? "." : "", a, b[0] != 0 ? "." : "", b,
				  path + stem, tail );
	}
	return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

static void CountFile( BakeOutput* output, const char* path )
{
	output->fileCount += 1;
	output->byteCount += GetFileSize( path );
}

static int WriteCaches( BakeOutput* output, const BakedClip* clip )
{
	const supCharacter* character = output->source->character;
	int32_t count = supCharacter_InstanceCount( character );
	FileWord* words = supAllocArray( (size_t)count, sizeof( FileWord ) );
	int status = words != NULL ? exit_ok : ReportMemory();
	for ( int32_t i = 0; i < count && status == exit_ok; ++i )
	{
		const char* node = supCharacter_Node( character, supCharacter_Instance( character, i )->node )->name;
		MakeFileWord( node, words, i, sizeof( FileWord ) );
		char* path = MakeBakePath( output->path, &clip->word, count > 1 ? words + i : NULL, "" );
		supError error = { 0 };
		if ( path == NULL )
		{
			status = ReportMemory();
		}
		else if ( supBake_SaveCache( clip->bake, i, path, &error ) == false )
		{
			status = ReportError( path, &error );
		}
		else
		{
			CountFile( output, path );
		}
		supFree( path );
	}
	supFree( words );
	return status;
}

static int WriteScenes( BakeOutput* output, const BakedClip* clip )
{
	char* path = MakeBakePath( output->path, &clip->word, NULL, "" );
	if ( path == NULL )
	{
		return ReportMemory();
	}
	supError error = { 0 };
	char extension[17];
	supGetExtension( output->path, extension );
	bool isObj = strcmp( extension, ".obj" ) == 0;
	bool ok = isObj ? supBake_SaveObj( clip->bake, path, &error ) : supBake_SaveUsd( clip->bake, path, &error );
	int status = ok ? exit_ok : ReportError( path, &error );
	if ( ok && isObj )
	{
		output->fileCount += supBake_Report( clip->bake )->frameCount;
	}
	else if ( ok )
	{
		CountFile( output, path );
	}
	supFree( path );
	return status;
}

// A share of the character's size at rest, in metres.
static float GetTolerance( const BakeOutput* output )
{
	supPose* pose = supCreatePose( output->source->character );
	SceneMeasure measure = { .bounds = supBox_empty };
	bool ok =
		pose != NULL && MeasureScene( output->source->character, pose, sup_skinningLinear, output->tasks, &measure );
	supDestroyPose( pose );
	return ok ? (float)output->tolerance * supLength( supBox_Size( measure.bounds ) ) : -1.0f;
}

static bool ShowBonesProgress( float share, void* context )
{
	UpdateProgress( context, (int64_t)( 100.0f * share ), 100, NULL );
	return IsStopped() == false;
}

// The rest of a clip of which only a part was baked has no flesh.
static void NotePartialClips( const BakeOutput* output )
{
	for ( int32_t i = 0; i < output->clipCount; ++i )
	{
		const BakedClip* clip = output->clips + i;
		supFrames frames = supBake_Frames( clip->bake );
		float step = 1.0f / frames.framesPerSecond;
		float last = frames.start + step * (float)( frames.frameCount - 1 );
		if ( clip->clip != NULL && ( clip->clip->end > last + step || frames.start > clip->clip->start + step ) )
		{
			Note( "clip '%s' was baked from %g to %g s of its %g s; outside this range helpers only follow "
				  "their joints, which looks rougher than plain skinning",
				  clip->name, (double)frames.start, (double)last, (double)clip->clip->end );
		}
	}
}

static bool AddBones( BakeOutput* output, supBake** bakes, float tolerance, supError* error )
{
	const BakeSettings* settings = output->settings;
	supBonesDef def = supDefaultBonesDef();
	Progress progress;
	def.helperCount = settings->helperCount;
	def.influences = settings->influences > 0 ? settings->influences : def.influences;
	def.withScale = settings->scale;
	def.tasks = output->tasks;
	def.progress = ShowBonesProgress;
	def.progressContext = &progress;
	output->bones->clips = supAllocZeroed( (size_t)output->clipCount * sizeof( supBonesClipReport ) );
	if ( output->bones->clips == NULL )
	{
		return supSetMemoryError( error );
	}
	BeginProgress( &progress, stderr, "Bones" );
	bool ok = supDocument_AddBones( output->source->document, bakes, output->clipCount, &def, tolerance,
									output->keepClips, &output->bones->total, output->bones->clips, error );
	EndProgress( &progress );
	if ( ok )
	{
		NotePartialClips( output );
	}
	return ok;
}

static BakeForm FormOf( const BakeOutput* output )
{
	return output->settings != NULL ? output->settings->form : form_targets;
}

static bool AddFrames( BakeOutput* output, supBake** bakes, float tolerance, supError* error )
{
	supDocument* document = output->source->document;
	BakeForm form = FormOf( output );
	return form == form_bones ? AddBones( output, bakes, tolerance, error )
		   : form == form_basis
			   ? supDocument_AddBasis( document, bakes, output->clipCount, tolerance, output->keepClips, output->basis,
									   error )
			   : supDocument_AddBakes( document, bakes, output->clipCount, tolerance, output->keepClips, error );
}

// Before anything large is written: how large, and what makes it smaller.
static void AnnounceSize( const BakeOutput* output )
{
	uint64_t bytes = 0;
	const supDocument* document = output->source->document;
	for ( int32_t i = 0; i < document->buffers.count; ++i )
	{
		bytes += document->buffers.data[i].byteCount;
	}
	if ( bytes < LARGE_FILE || FormOf( output ) == form_bones || output->compress )
	{
		return;
	}
	char path[1024];
	Note( "%s will have %s, mostly morph targets; --as bones makes a far smaller file, --compress "
		  "halves this one, --tolerance %g drops more frames",
		  CleanText( output->path, 0, path, sizeof( path ) ), FormatBytes( bytes ),
		  output->tolerance < 1e-3 ? 1e-3 : 10.0 * output->tolerance );
}

static int WriteDocument( BakeOutput* output )
{
	size_t count = (size_t)output->clipCount;
	supBake** bakes = supAllocArray( count, sizeof( supBake* ) );
	float tolerance = GetTolerance( output );
	if ( bakes == NULL || tolerance < 0.0f )
	{
		supFree( bakes );
		return ReportMemory();
	}
	if ( isfinite( tolerance ) == false )
	{
		supFree( bakes );
		Report( output->source->path,
				"the character is too large to measure; 'supple info' prints its size, --unit sets its unit" );
		return exit_data;
	}
	for ( size_t i = 0; i < count; ++i )
	{
		bakes[i] = output->clips[i].bake;
	}
	supError error = { 0 };
	int status = exit_ok;
	bool added = AddFrames( output, bakes, tolerance, &error );
	// rounding adds no more than half of what leaving out frames may; targets of a basis add up
	bool isBasis = output->basis != NULL && output->basis->isBasis;
	float rounding = 0.5f * tolerance / output->source->character->givenUnit;
	rounding /= isBasis ? (float)output->basis->targetCount : 1.0f;
	added =
		added && ( output->compress == false || supDocument_Compress( output->source->document, rounding, &error ) );
	if ( added == false )
	{
		status = ReportError( output->source->path, &error );
	}
	else
	{
		AnnounceSize( output );
		bool saved = supSaveDocument( output->source->document, output->path, &error );
		status = saved ? exit_ok : ReportError( output->path, &error );
	}
	if ( status == exit_ok )
	{
		CountFile( output, output->path );
	}
	supFree( bakes );
	return status;
}

int WriteBakes( BakeOutput* output )
{
	char extension[17];
	supGetExtension( output->path, extension );
	if ( FormOf( output ) == form_vat )
	{
		return WriteVat( output );
	}
	bool isBones = FormOf( output ) == form_bones;
	if ( strcmp( extension, ".glb" ) == 0 || strcmp( extension, ".gltf" ) == 0 || isBones )
	{
		return WriteDocument( output );
	}
	int status = exit_ok;
	for ( int32_t i = 0; i < output->clipCount && status == exit_ok; ++i )
	{
		bool isCache = strcmp( extension, ".pc2" ) == 0 || strcmp( extension, ".mdd" ) == 0;
		status = isCache ? WriteCaches( output, output->clips + i ) : WriteScenes( output, output->clips + i );
	}
	return status;
}
