// SPDX-License-Identifier: MIT
// supple bake --as vat: positions and normals of all frames as textures, the mesh that reads them, and what a shader
// needs to know as JSON. All four files or none.
#include "bake_vat.h"

#include "bake/bake.h"
#include "character/character.h"
#include "draw/deep_picture.h"
#include "io/common/file.h"
#include "io/gltf/document.h"
#include "io/gltf/gltf_vat.h"
#include "io/gltf/gltf_write.h"
#include "load.h"
#include "report.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct VatJob
{
	BakeOutput* output;
	supVatLayout layout;
	supBox bounds;
	supDeepPicture positions, normals;
	supVec3* frame; // positions, then normals, of one frame
	char* paths[4]; // positions, normals, mesh, JSON
	uint8_t* bytes[4];
	size_t byteCounts[4];
	supError* error;
} VatJob;

static bool ReadFrame( VatJob* job, supFrames* frames, int32_t index )
{
	int32_t at = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( frames->character ); ++i )
	{
		const supMesh* mesh =
			supCharacter_Mesh( frames->character, supCharacter_Instance( frames->character, i )->mesh );
		if ( frames->read( index, i, job->frame + at, job->frame + job->layout.vertexCount + at, frames->context,
						   job->error ) == false )
		{
			return false;
		}
		at += mesh->vertexCount;
	}
	return true;
}

static void GrowBounds( VatJob* job, int32_t frame )
{
	(void)frame;
	for ( int32_t i = 0; i < job->layout.vertexCount; ++i )
	{
		job->bounds = supBox_Include( job->bounds, job->frame[i] );
	}
}

static uint16_t Quantize( float value, float low, float high )
{
	float share = high > low ? ( value - low ) / ( high - low ) : 0.0f;
	return (uint16_t)lrintf( 65535.0f * supClampFloat( share, 0.0f, 1.0f ) );
}

static void WriteTexel( uint16_t* texel, supVec3 v, supVec3 low, supVec3 high )
{
	texel[0] = Quantize( v.x, low.x, high.x );
	texel[1] = Quantize( v.y, low.y, high.y );
	texel[2] = Quantize( v.z, low.z, high.z );
}

static void FillTexels( VatJob* job, int32_t frame )
{
	const supVatLayout* layout = &job->layout;
	size_t first = (size_t)frame * (size_t)layout->rowsPerFrame * (size_t)layout->width;
	supVec3 one = { 1.0f, 1.0f, 1.0f };
	for ( int32_t i = 0; i < layout->vertexCount; ++i )
	{
		size_t at = 3 * ( first + (size_t)i );
		WriteTexel( job->positions.pixels + at, job->frame[i], job->bounds.lower, job->bounds.upper );
		WriteTexel( job->normals.pixels + at, supNormalize( job->frame[layout->vertexCount + i] ),
					supScale( -1.0f, one ), one );
	}
}

static bool VisitFrames( VatJob* job, void ( *visit )( VatJob* job, int32_t frame ) )
{
	int32_t first = 0;
	for ( int32_t c = 0; c < job->output->clipCount; ++c )
	{
		supFrames frames = supBake_Frames( job->output->clips[c].bake );
		for ( int32_t f = 0; f < frames.frameCount; ++f )
		{
			if ( ReadFrame( job, &frames, f ) == false )
			{
				return false;
			}
			visit( job, first + f );
		}
		first += frames.frameCount;
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static const char* FileName( const char* path )
{
	const char* slash = strrchr( path, '/' );
	return slash != NULL ? slash + 1 : path;
}

static json_t* DescribeClips( const VatJob* job )
{
	json_t* clips = json_array();
	int32_t first = 0;
	for ( int32_t c = 0; c < job->output->clipCount && clips != NULL; ++c )
	{
		const BakedClip* clip = job->output->clips + c;
		int32_t count = supBake_Report( clip->bake )->frameCount;
		json_t* name = supJson_MakeString( clip->name );
		json_t* item = json_pack( "{s:o, s:i, s:i, s:i, s:f, s:b}", "name", name, "first_frame", first, "frames", count,
								  "first_row", first * job->layout.rowsPerFrame, "fps",
								  (double)clip->bake->def.framesPerSecond, "loop", (int)supBake_IsLoop( clip->bake ) );
		if ( item == NULL || json_array_append_new( clips, item ) != 0 )
		{
			json_decref( clips );
			return NULL;
		}
		first += count;
	}
	return clips;
}

static bool WriteDescription( VatJob* job )
{
	const supVatLayout* l = &job->layout;
	double fps = (double)job->output->clips[0].bake->def.framesPerSecond;
	json_t* root = json_pack( "{s:i, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:o, s:o, s:o}", "version", 1,
							  "mesh", FileName( job->paths[2] ), "positions", FileName( job->paths[0] ), "normals",
							  FileName( job->paths[1] ), "uv", 1, "width", l->width, "height", l->height,
							  "rows_per_frame", l->rowsPerFrame, "vertices", l->vertexCount, "frames", l->frameCount,
							  "fps", fps, "min", supJson_MakeFloats( &job->bounds.lower.x, 3 ), "max",
							  supJson_MakeFloats( &job->bounds.upper.x, 3 ), "clips", DescribeClips( job ) );
	char* text =
		root != NULL ? json_dumps( root, JSON_INDENT( 2 ) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION( 9 ) ) : NULL;
	json_decref( root );
	job->bytes[3] = text != NULL ? (uint8_t*)supCopyString( text ) : NULL;
	job->byteCounts[3] = text != NULL ? strlen( text ) : 0;
	free( text );
	return job->bytes[3] != NULL || supSetMemoryError( job->error );
}

static bool WriteMesh( VatJob* job )
{
	supFrames frames = supBake_Frames( job->output->clips[0].bake );
	supDocument* document = job->output->source->document;
	if ( supAddVatMesh( document, &frames, &job->layout, job->error ) == false )
	{
		return false;
	}
	job->bytes[2] = supWriteDocument( document, job->byteCounts + 2, job->error );
	return job->bytes[2] != NULL;
}

static bool WritePictures( VatJob* job )
{
	char extension[17];
	supGetExtension( job->output->path, extension );
	bool isExr = strcmp( extension, ".exr" ) == 0;
	const supDeepPicture* pictures[2] = { &job->positions, &job->normals };
	for ( int k = 0; k < 2; ++k )
	{
		job->bytes[k] = isExr ? supEncodeDeepExr( pictures[k], job->byteCounts + k, job->error )
							  : supEncodeDeepPng( pictures[k], job->byteCounts + k, job->error );
		if ( job->bytes[k] == NULL )
		{
			return false;
		}
	}
	return true;
}

static bool Allocate( VatJob* job )
{
	const supVatLayout* l = &job->layout;
	size_t texels = 3 * (size_t)l->width * (size_t)l->height;
	job->positions = ( supDeepPicture ){ l->width, l->height, supAllocZeroed( texels * sizeof( uint16_t ) ) };
	job->normals = ( supDeepPicture ){ l->width, l->height, supAllocZeroed( texels * sizeof( uint16_t ) ) };
	job->frame = supAllocZeroed( 2 * (size_t)l->vertexCount * sizeof( supVec3 ) );
	return ( job->positions.pixels != NULL && job->normals.pixels != NULL && job->frame != NULL ) ||
		   supSetMemoryError( job->error );
}

static bool MakePaths( const char* path, char** paths )
{
	static const FileWord normals = { "normals" };
	char extension[17];
	supGetExtension( path, extension );
	size_t stem = strlen( path ) - strlen( extension );
	size_t size = stem + 16;
	paths[0] = supCopyString( path );
	paths[1] = MakeBakePath( path, &normals, NULL, "" );
	static const char* const others[2] = { ".vat.glb", ".vat.json" };
	for ( int k = 0; k < 2; ++k )
	{
		paths[2 + k] = supAllocSmall( size );
		if ( paths[2 + k] != NULL )
		{
			snprintf( paths[2 + k], size, "%.*s%s", (int)stem, path, others[k] );
		}
	}
	return paths[0] != NULL && paths[1] != NULL && paths[2] != NULL && paths[3] != NULL;
}

int CheckVatOutput( const Command* command, const char* path, const char* const* inputs, int32_t inputCount )
{
	char* paths[4] = { 0 };
	int status = MakePaths( path, paths ) ? exit_ok : ReportMemory();
	for ( int k = 0; k < 4 && status == exit_ok; ++k )
	{
		status = CheckOutput( command, paths[k], k < 2 ? ".png .exr" : ".glb .json", inputs, inputCount );
	}
	for ( int k = 0; k < 4; ++k )
	{
		supFree( paths[k] );
	}
	return status;
}

static bool Run( VatJob* job )
{
	BakeOutput* output = job->output;
	int32_t frameCount = 0;
	for ( int32_t c = 0; c < output->clipCount; ++c )
	{
		frameCount += supBake_Report( output->clips[c].bake )->frameCount;
	}
	job->bounds = supBox_empty;
	bool ok = MakePaths( output->path, job->paths ) || supSetMemoryError( job->error );
	ok = ok && supMakeVatLayout( output->source->character, frameCount, &job->layout, job->error ) && Allocate( job ) &&
		 VisitFrames( job, GrowBounds ) && VisitFrames( job, FillTexels ) && WriteMesh( job ) && WritePictures( job ) &&
		 WriteDescription( job );
	supFileContent contents[4];
	for ( int k = 0; k < 4 && ok; ++k )
	{
		contents[k] = ( supFileContent ){ job->paths[k], job->bytes[k], job->byteCounts[k] };
		output->byteCount += job->byteCounts[k];
	}
	ok = ok && supWriteFiles( contents, 4, job->error );
	output->fileCount += ok ? 4 : 0;
	return ok;
}

int WriteVat( BakeOutput* output )
{
	supError error = { 0 };
	VatJob job = { .output = output, .error = &error };
	bool ok = Run( &job );
	for ( int k = 0; k < 4; ++k )
	{
		supFree( job.paths[k] );
		supFree( job.bytes[k] );
	}
	supFree( job.positions.pixels );
	supFree( job.normals.pixels );
	supFree( job.frame );
	return ok ? exit_ok : ReportError( output->path, &error );
}
