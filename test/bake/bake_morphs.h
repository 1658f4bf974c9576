// SPDX-License-Identifier: MIT
// Bakes as morph targets, and what is read back beside the frames that were baked.
#pragma once

#include "bake_fixture.h"

#include "io/gltf/key_frames.h"

#include <math.h>
#include <stdlib.h>

static inline supBake* Bake( Fixture* f, const supClip* clip, float framesPerSecond )
{
	supBakeDef def = supDefaultBakeDef();
	def.clip = clip;
	def.framesPerSecond = framesPerSecond;
	return BakeAs( f, &def );
}

// The instance that shows what `instance` of the original showed: same node, or the next new one.
static inline int32_t FindResult( const supCharacter* original, const supCharacter* result, int32_t instance )
{
	int32_t added = supCharacter_NodeCount( original );
	for ( int32_t i = 0; i <= instance; ++i )
	{
		int32_t node = supCharacter_Instance( original, i )->node;
		int32_t found = -1;
		for ( int32_t k = 0; k < supCharacter_InstanceCount( result ) && found < 0; ++k )
		{
			found = supCharacter_Instance( result, k )->node == node ? k : -1;
		}
		for ( int32_t k = 0; k < supCharacter_InstanceCount( result ) && found < 0; ++k )
		{
			found = supCharacter_Instance( result, k )->node == added ? k : -1;
		}
		assert_true( found >= 0 );
		added += supCharacter_Instance( result, found )->node == added ? 1 : 0;
		if ( i == instance )
		{
			return found;
		}
	}
	return -1;
}

typedef struct Distances
{
	float position; // the largest
	float normal;
	float reach; // the largest coordinate
} Distances;

// Compares one instance of the result at one time with baked vertices.
static inline void Compare( supPose* pose, int32_t instance, const supVec3* positions, const supVec3* normals,
							Distances* distances )
{
	const supCharacter* result = supPose_Character( pose );
	const supMesh* mesh = supCharacter_Mesh( result, supCharacter_Instance( result, instance )->mesh );
	size_t count = (size_t)mesh->vertexCount;
	supSkinOutput out = { .positions = calloc( count, sizeof( supVec3 ) ),
						  .normals = calloc( count, sizeof( supVec3 ) ) };
	supSkinInstance( pose, instance, sup_skinningLinear, NULL, &out );
	for ( size_t i = 0; i < count; ++i )
	{
		distances->position = fmaxf( distances->position, supDistance( out.positions[i], positions[i] ) );
		float reach = fmaxf( fabsf( positions[i].x ), fmaxf( fabsf( positions[i].y ), fabsf( positions[i].z ) ) );
		distances->reach = fmaxf( distances->reach, reach );
		if ( mesh->normals != NULL && supLengthSquared( normals[i] ) > 0.0f )
		{
			distances->normal = fmaxf( distances->normal, supDistance( out.normals[i], normals[i] ) );
		}
	}
	free( out.positions );
	free( out.normals );
}

static inline size_t VertexCount( const supCharacter* character, int32_t instance )
{
	return (size_t)supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh )->vertexCount;
}

// Plays `clip` of the result beside the frames of the bake, and halfway between them.
static inline Distances CompareBake( const Fixture* f, supBake* bake, const supCharacter* result, const supClip* clip )
{
	Distances distances = { 0 };
	supFrames frames = supBake_Frames( bake );
	supPose* pose = supCreatePose( result );
	supError error = { 0 };
	for ( int32_t i = 0; i < supCharacter_InstanceCount( f->character ); ++i )
	{
		if ( supCharacter_Instance( f->character, i )->skin < 0 )
		{
			continue;
		}
		int32_t match = FindResult( f->character, result, i );
		assert_int_equal( supCharacter_Instance( result, match )->skin, -1 );
		size_t count = VertexCount( f->character, i );
		supVec3* data = calloc( 4 * count, sizeof( supVec3 ) );
		for ( int32_t frame = 0; frame < frames.frameCount; ++frame )
		{
			supVec3* now = data + ( frame % 2 ) * 2 * (int64_t)count;
			testRequire( frames.read( frame, i, now, now + count, frames.context, &error ), &error );
			if ( clip != NULL )
			{
				supPose_ApplyClip( pose, clip, supFrameTime( &frames, frame ) );
			}
			Compare( pose, match, now, now + count, &distances );
			supVec3* before = data + ( ( frame + 1 ) % 2 ) * 2 * (int64_t)count;
			for ( size_t k = 0; k < count && frame > 0; ++k )
			{
				before[k] = supScale( 0.5f, supAdd( before[k], now[k] ) );
			}
			if ( frame > 0 && clip != NULL )
			{
				float time = 0.5f * ( supFrameTime( &frames, frame - 1 ) + supFrameTime( &frames, frame ) );
				Distances between = { 0 };
				supPose_ApplyClip( pose, clip, time );
				Compare( pose, match, before, now + count, &between );
				distances.position = fmaxf( distances.position, between.position );
			}
		}
		free( data );
	}
	supDestroyPose( pose );
	return distances;
}
