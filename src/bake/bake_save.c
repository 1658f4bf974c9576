// SPDX-License-Identifier: MIT
// The frames of a bake, as writers of files see them, and what they write.
#include "bake/bake.h"
#include "character/character.h"
#include "io/gltf/gltf_morph.h"
#include "method/method.h"

bool supBake_ReadSurface( const supBake* bake, int32_t frame, int32_t instance, supVec3* positions, supVec3* normals,
						  supError* error )
{
	bool closing = frame == bake->report.wantedFrameCount;
	frame = closing ? 0 : frame;
	int64_t first = bake->firstVertex[instance];
	int64_t count = bake->firstVertex[instance + 1] - first;
	int64_t vertexCount = bake->firstVertex[bake->instanceCount];
	bool ok = ( positions == NULL || supBake_ReadVectors( bake, frame, first, count, positions, error ) ) &&
			  ( normals == NULL || supBake_ReadVectors( bake, frame, vertexCount + first, count, normals, error ) );
	for ( int64_t i = 0; ok && bake->isBlended && normals != NULL && i < count; ++i )
	{
		normals[i] = supNormalize( normals[i] );
	}
	if ( ok && closing && bake->loop.travels )
	{
		supMovePlace( bake->loop.travel, positions, normals, count );
	}
	return ok;
}

static bool ReadFrame( int32_t frame, int32_t instance, supVec3* positions, supVec3* normals, void* context,
					   supError* error )
{
	supBake* bake = context;
	bool ok = supBake_ReadSurface( bake, frame, instance, positions, normals, error );
	int64_t count = bake->firstVertex[instance + 1] - bake->firstVertex[instance];
	// as the file has them, to the bit where that is metres
	float unit = supFlesh_Character( bake->flesh )->givenUnit;
	for ( int64_t i = 0; ok && positions != NULL && unit != 1.0f && i < count; ++i )
	{
		positions[i] = supScale( 1.0f / unit, positions[i] );
	}
	return ok;
}

supFrames supBake_Frames( supBake* bake )
{
	return ( supFrames ){ .character = supFlesh_Character( bake->flesh ),
						  .frameCount = bake->report.frameCount,
						  .start = bake->def.from,
						  .framesPerSecond = bake->def.framesPerSecond,
						  .read = ReadFrame,
						  .context = bake };
}

bool supBake_IsLoop( const supBake* bake )
{
	return bake->loop.closes && supBake_IsComplete( bake ) && bake->report.frameCount > 1;
}

supFrames supBake_ClosedFrames( supBake* bake )
{
	supFrames frames = supBake_Frames( bake );
	frames.frameCount += supBake_IsLoop( bake ) ? 1 : 0;
	return frames;
}

bool supBake_SaveCache( supBake* bake, int32_t instance, const char* path, supError* error )
{
	supClearError( error );
	supFrames frames = supBake_Frames( bake );
	size_t length = strlen( path );
	bool isMdd = length >= 4 && strcmp( path + length - 4, ".mdd" ) == 0;
	return isMdd ? supSaveMdd( &frames, instance, path, error ) : supSavePc2( &frames, instance, path, error );
}

bool supBake_SaveObj( supBake* bake, const char* path, supError* error )
{
	supClearError( error );
	supFrames frames = supBake_Frames( bake );
	return supSaveObjFrames( &frames, path, error );
}

bool supBake_SaveUsd( supBake* bake, const char* path, supError* error )
{
	supClearError( error );
	supFrames frames = supBake_Frames( bake );
	return supSaveUsd( &frames, path, error );
}

static bool AddMorphs( supDocument* document, supBake* const* bakes, int32_t bakeCount, supMorphOptions* options,
					   supError* error )
{
	supClearError( error );
	SUP_ASSERT( bakeCount > 0 );
	supMorphClip* clips = supAllocArray( (size_t)bakeCount, sizeof( supMorphClip ) );
	if ( clips == NULL )
	{
		return supSetMemoryError( error );
	}
	for ( int32_t i = 0; i < bakeCount; ++i )
	{
		clips[i] = ( supMorphClip ){ .frames = supBake_ClosedFrames( bakes[i] ), .clip = bakes[i]->def.clip };
		clips[i].end = supBake_IsComplete( bakes[i] ) ? bakes[i]->def.to : 0.0f;
		clips[i].repeats = supBake_IsLoop( bakes[i] ) && bakes[i]->loop.travels == false;
		// methods without state do nothing to what has no skin
		clips[i].withRigid = bakes[i]->flesh->method->stateSize != NULL;
	}
	options->tolerance /= supFlesh_Character( bakes[0]->flesh )->givenUnit;
	bool ok = supAddMorphClips( document, clips, bakeCount, options, error );
	supFree( clips );
	return ok;
}

bool supDocument_AddBakes( supDocument* document, supBake* const* bakes, int32_t bakeCount, float tolerance,
						   bool keepClips, supError* error )
{
	supMorphOptions options = { .tolerance = tolerance, .keepOthers = keepClips };
	return AddMorphs( document, bakes, bakeCount, &options, error );
}

bool supDocument_AddBasis( supDocument* document, supBake* const* bakes, int32_t bakeCount, float tolerance,
						   bool keepClips, supBasisReport* report, supError* error )
{
	supMorphOptions options = {
		.tolerance = tolerance, .keepOthers = keepClips, .asBasis = true, .tasks = bakes[0]->def.tasks
	};
	bool ok = AddMorphs( document, bakes, bakeCount, &options, error );
	if ( report != NULL )
	{
		*report = ( supBasisReport ){ .isBasis = options.isBasis,
									  .targetCount = options.targetCount,
									  .keyCount = options.keyCount };
	}
	return ok;
}
