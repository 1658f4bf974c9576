// SPDX-License-Identifier: MIT
// Bodies for tests of contact: characters with their skins, where they are and where they were.
#pragma once

#include "support.h"

#include "contact/detector.h"
#include "supple/character.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Player
{
	supCharacter* character;
	bool borrowed; // the character
	supPose* pose;
	supContactSkin skin;
	supVec3* positions;
	supVec3* previous;
} Player;

static inline void* StageAlloc( size_t count, size_t size )
{
	void* memory = calloc( count > 0 ? count : 1, size );
	assert_non_null( memory );
	return memory;
}

// Takes the character.
static inline Player MakePlayer( supCharacter* character )
{
	supError error = { 0 };
	Player player = { .character = character };
	assert_non_null( character );
	testRequire( supContactSkin_Init( &player.skin, character, NULL, &error ), &error );
	player.pose = supCreatePose( character );
	assert_non_null( player.pose );
	player.positions = StageAlloc( (size_t)player.skin.vertexCount, sizeof( supVec3 ) );
	player.previous = StageAlloc( (size_t)player.skin.vertexCount, sizeof( supVec3 ) );
	if ( player.skin.vertexCount > 0 )
	{
		memcpy( player.positions, player.skin.rest, (size_t)player.skin.vertexCount * sizeof( supVec3 ) );
		memcpy( player.previous, player.skin.rest, (size_t)player.skin.vertexCount * sizeof( supVec3 ) );
	}
	return player;
}

static inline void FreePlayer( Player* player )
{
	supContactSkin_Destroy( &player->skin );
	supDestroyPose( player->pose );
	if ( player->borrowed == false )
	{
		supDestroyCharacter( player->character );
	}
	free( player->positions );
	free( player->previous );
}

// One node, one mesh.
static inline supCharacter* MakeSolid( const supVec3* positions, int32_t vertexCount, const uint32_t* indices,
									   int32_t triangleCount )
{
	supNode node = { .name = "solid", .parent = -1, .rest = supTransform_identity };
	supMesh mesh = { .name = "solid",
					 .vertexCount = vertexCount,
					 .indexCount = 3 * triangleCount,
					 .indices = indices,
					 .positions = positions };
	supInstance instance = { .node = 0, .mesh = 0, .skin = -1 };
	supCharacterDef def = supDefaultCharacterDef();
	def.name = "solid";
	def.nodeCount = 1;
	def.nodes = &node;
	def.meshCount = 1;
	def.meshes = &mesh;
	def.instanceCount = 1;
	def.instances = &instance;
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}

// A sphere of about equal triangles: an octahedron whose faces are cut in n x n.
static inline supCharacter* MakeSphere( float radius, int32_t n )
{
	int32_t count = 8 * n * n;
	supVec3* positions = StageAlloc( 3 * (size_t)count, sizeof( supVec3 ) );
	int32_t at = 0;
	for ( int32_t face = 0; face < 8; ++face )
	{
		supVec3 x = { face & 1 ? 1.0f : -1.0f, 0, 0 }, y = { 0, face & 2 ? 1.0f : -1.0f, 0 };
		supVec3 z = { 0, 0, face & 4 ? 1.0f : -1.0f };
		bool turned = ( ( face & 1 ) + ( face >> 1 & 1 ) + ( face >> 2 & 1 ) ) % 2 == 0;
		for ( int32_t i = 0; i < n; ++i )
		{
			for ( int32_t k = 0; k < 2 * i + 1; ++k )
			{
				int32_t up = k % 2, j = k / 2;
				int32_t rows[3] = { i + up, i + 1 - up, i + 1 - up }, cols[3] = { j + up, j, j + 1 };
				if ( up == 1 )
				{
					// the triangle that stands on its tip: two corners in the upper row
					rows[0] = i + 1, cols[0] = j + 1;
					rows[1] = i, cols[1] = j + 1;
					rows[2] = i, cols[2] = j;
				}
				for ( int32_t c = 0; c < 3; ++c )
				{
					int32_t r = rows[turned ? 2 - c : c], q = cols[turned ? 2 - c : c];
					supVec3 p = supAdd( supAdd( supScale( (float)( n - r ), x ), supScale( (float)( r - q ), y ) ),
										supScale( (float)q, z ) );
					positions[at++] = supScale( radius, supNormalize( p ) );
				}
			}
		}
	}
	uint32_t* indices = StageAlloc( 3 * (size_t)count, sizeof( uint32_t ) );
	for ( int32_t i = 0; i < 3 * count; ++i )
	{
		indices[i] = (uint32_t)i;
	}
	supCharacter* character = MakeSolid( positions, 3 * count, indices, count );
	free( positions );
	free( indices );
	return character;
}

static inline void MoveTo( const Player* player, supVec3* array, supVec3 by )
{
	for ( int32_t i = 0; i < player->skin.vertexCount; ++i )
	{
		array[i] = supAdd( player->skin.rest[i], by );
	}
}

// The skin in its player's pose, moved rigidly after.
static inline void WritePositions( Player* player, supVec3* array, supQuat turn, supVec3 by )
{
	const supCharacter* character = player->character;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
		supVec3* all = StageAlloc( (size_t)count, sizeof( supVec3 ) );
		supSkinOutput output = { .positions = all };
		supSkinInstance( player->pose, i, sup_skinningLinear, NULL, &output );
		for ( int32_t v = 0; v < player->skin.vertexCount; ++v )
		{
			if ( player->skin.instances[v] == i )
			{
				array[v] = supAdd( supRotate( turn, all[player->skin.sources[v]] ), by );
			}
		}
		free( all );
	}
}

// Every joint turned by up to `angle`.
static inline void PoseRandomly( Player* player, testRandom* random, float angle )
{
	supPose_SetRest( player->pose );
	for ( int32_t i = 0; i < supCharacter_NodeCount( player->character ); ++i )
	{
		supTransform local = supPose_GetLocal( player->pose, i );
		supQuat turn = supMakeQuatAxisAngle( testRandomVec3( random, 1.0f ), testRandomFloat( random, 0.0f, angle ) );
		local.rotation = supMulQuat( local.rotation, turn );
		supPose_SetLocal( player->pose, i, local );
	}
}

static inline void TurnJoint( Player* player, const char* name, supVec3 axis, float radians )
{
	int32_t node = supCharacter_FindNode( player->character, name );
	assert_true( node >= 0 );
	supTransform local = supPose_GetLocal( player->pose, node );
	local.rotation = supMulQuat( local.rotation, supMakeQuatAxisAngle( axis, radians ) );
	supPose_SetLocal( player->pose, node, local );
}

static inline supDetector* MakeDetector( const Player* players, int32_t count, int32_t maxHits )
{
	const supContactSkin* skins[64];
	assert_in_range( count, 0, 64 );
	for ( int32_t i = 0; i < count; ++i )
	{
		skins[i] = &players[i].skin;
	}
	supError error = { 0 };
	supDetector* detector = supCreateDetector( skins, count, maxHits, &error );
	testRequire( detector != NULL, &error );
	return detector;
}
