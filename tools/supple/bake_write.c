// SPDX-License-Identifier: MIT
#include "bake_write.h"

#include "core/core.h"
#include "io/file.h"
#include "report.h"
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

// ---------------------------------------------------------------------------------------------------------------------
// Names

// A name that is safe inside a file name: letters, digits, '-', '_' and everything beyond ASCII.
static void MakeFileWord( const char* name, char word[80] )
{
	size_t n = 0;
	for ( const char* c = name; *c != 0 && n + 1 < 80; ++c )
	{
		unsigned char u = (unsigned char)*c;
		word[n++] = u >= 128 || isalnum( u ) || u == '-' ? *c : '_';
	}
	word[n] = 0;
}

char* MakeBakePath( const char* path, const char* first, const char* second, const char* tail )
{
	char extension[17];
	char words[2][80] = { "", "" };
	supGetExtension( path, extension );
	MakeFileWord( first != NULL ? first : "", words[0] );
	MakeFileWord( second != NULL ? second : "", words[1] );
	size_t stem = strlen( path ) - strlen( extension );
	size_t size = strlen( path ) + strlen( tail ) + sizeof( words ) + 4;
	char* result = supAllocSmall( size );
	if ( result != NULL )
	{
		snprintf( result, size, "%.*s%s%s%s%s%s%s", (int)stem, path, words[0][0] != 0 ? "." : "", words[0],
				  words[1][0] != 0 ? "." : "", words[1], path + stem, tail );
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
	int status = exit_ok;
	for ( int32_t i = 0; i < count && status == exit_ok; ++i )
	{
		const char* node = supCharacter_Node( character, supCharacter_Instance( character, i )->node )->name;
		char name[80];
		MakeFileWord( node, name );
		// two nodes of the same name must not share a file
		for ( int32_t k = 0; k < i; ++k )
		{
			const char* other = supCharacter_Node( character, supCharacter_Instance( character, k )->node )->name;
			if ( strcmp( node, other ) == 0 || node[0] == 0 )
			{
				snprintf( name, sizeof( name ), "%.60s_%d", node, i );
			}
		}
		char* path =
			MakeBakePath( output->path, output->clipCount > 1 ? clip->name : NULL, count > 1 ? name : NULL, "" );
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
	return status;
}

static int WriteScenes( BakeOutput* output, const BakedClip* clip )
{
	char* path = MakeBakePath( output->path, output->clipCount > 1 ? clip->name : NULL, NULL, "" );
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
		Report( output->source->path, "it is too large to be measured; 'supple info' prints its size, --unit says what "
									  "it is in" );
		return exit_data;
	}
	for ( size_t i = 0; i < count; ++i )
	{
		bakes[i] = output->clips[i].bake;
	}
	supError error = { 0 };
	int status = exit_ok;
	if ( supDocument_AddBakes( output->source->document, bakes, output->clipCount, tolerance, &error ) == false )
	{
		status = ReportError( output->source->path, &error );
	}
	else if ( supSaveDocument( output->source->document, output->path, &error ) == false )
	{
		status = ReportError( output->path, &error );
	}
	else
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
	if ( strcmp( extension, ".glb" ) == 0 || strcmp( extension, ".gltf" ) == 0 )
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
