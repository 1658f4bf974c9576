// SPDX-License-Identifier: MIT
#include "character/pose.h"

#include "math/matrix.h"

supPose* supCreatePose( const supCharacter* character )
{
	supPose* pose = supAllocZeroed( sizeof( supPose ) );
	if ( pose == NULL )
	{
		return NULL;
	}
	supArena* arena = &pose->arena;
	size_t nodeCount = (size_t)character->nodeCount;
	size_t jointCount = (size_t)character->jointStarts[character->skinCount];
	size_t morphCount = (size_t)character->morphStarts[character->instanceCount];
	pose->character = character;
	pose->locals = supArena_AllocArray( arena, nodeCount, sizeof( supTransform ) );
	pose->morphWeights = supArena_AllocArray( arena, morphCount, sizeof( float ) );
	pose->worlds = supArena_AllocArray( arena, nodeCount, sizeof( supMat34 ) );
	pose->palettes = supArena_AllocArray( arena, jointCount, sizeof( supMat34 ) );
	pose->widePalettes = supArena_AllocArray( arena, jointCount, sizeof( supWideMatrix ) );
	pose->duals = supArena_AllocArray( arena, jointCount, sizeof( supDualJoint ) );
	pose->states = supArena_AllocArray( arena, (size_t)character->skinCount, sizeof( supPaletteState ) );
	if ( arena->failed )
	{
		supDestroyPose( pose );
		return NULL;
	}
	supPose_SetRest( pose );
	return pose;
}

void supDestroyPose( supPose* pose )
{
	if ( pose != NULL )
	{
		supArena_Destroy( &pose->arena );
		supFree( pose );
	}
}

const supCharacter* supPose_Character( const supPose* pose )
{
	return pose->character;
}

void supPose_SetRest( supPose* pose )
{
	const supCharacter* character = pose->character;
	for ( int32_t i = 0; i < character->nodeCount; ++i )
	{
		pose->locals[i] = character->nodes[i].rest;
	}
	for ( int32_t i = 0; i < character->instanceCount; ++i )
	{
		const supInstance* instance = character->instances + i;
		size_t count = (size_t)character->meshes[instance->mesh].targetCount;
		memcpy( pose->morphWeights + character->morphStarts[i], instance->morphWeights, count * sizeof( float ) );
	}
	pose->worldsDirty = true;
}

static size_t LocalsSize( const supPose* pose )
{
	return (size_t)pose->character->nodeCount * sizeof( supTransform );
}

static size_t MorphsSize( const supPose* pose )
{
	return (size_t)pose->character->morphStarts[pose->character->instanceCount] * sizeof( float );
}

void supPose_Copy( supPose* pose, const supPose* other )
{
	SUP_ASSERT( pose->character == other->character );
	if ( pose != other )
	{
		memcpy( pose->locals, other->locals, LocalsSize( pose ) );
		memcpy( pose->morphWeights, other->morphWeights, MorphsSize( pose ) );
		pose->worldsDirty = true;
	}
}

bool supPose_Equals( const supPose* pose, const supPose* other )
{
	SUP_ASSERT( pose->character == other->character );
	return memcmp( pose->locals, other->locals, LocalsSize( pose ) ) == 0 &&
		   memcmp( pose->morphWeights, other->morphWeights, MorphsSize( pose ) ) == 0;
}

size_t supPose_ByteCount( const supPose* pose )
{
	return LocalsSize( pose ) + MorphsSize( pose );
}

void supPose_Save( const supPose* pose, void* bytes )
{
	memcpy( bytes, pose->locals, LocalsSize( pose ) );
	memcpy( (uint8_t*)bytes + LocalsSize( pose ), pose->morphWeights, MorphsSize( pose ) );
}

void supPose_Load( supPose* pose, const void* bytes )
{
	memcpy( pose->locals, bytes, LocalsSize( pose ) );
	memcpy( pose->morphWeights, (const uint8_t*)bytes + LocalsSize( pose ), MorphsSize( pose ) );
	pose->worldsDirty = true;
}

supTransform supPose_GetLocal( const supPose* pose, int32_t node )
{
	SUP_ASSERT( 0 <= node && node < pose->character->nodeCount );
	return pose->locals[node];
}

// What may come in from trackers and game code. Beyond these the products along a skeleton would leave the floats.
#define MAX_TRANSLATION 1e9f
#define MAX_SCALE 1e6f
#define MIN_QUAT_SQUARED 1e-12f
#define MAX_QUAT_SQUARED 1e12f

static bool IsWithin( supVec3 v, float most )
{
	// written so that what is not a number fails too
	return fabsf( v.x ) <= most && fabsf( v.y ) <= most && fabsf( v.z ) <= most;
}

void supPose_SetLocal( supPose* pose, int32_t node, supTransform local )
{
	SUP_ASSERT( 0 <= node && node < pose->character->nodeCount );
	supTransform* own = pose->locals + node;
	supQuat q = local.rotation;
	float squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
	own->translation = IsWithin( local.translation, MAX_TRANSLATION ) ? local.translation : own->translation;
	own->rotation = squared >= MIN_QUAT_SQUARED && squared <= MAX_QUAT_SQUARED ? q : own->rotation;
	own->scale = IsWithin( local.scale, MAX_SCALE ) ? local.scale : own->scale;
	pose->worldsDirty = true;
}

// Relative to the longest axis: above the rounding of a decomposition, below what can be seen.
#define WORLD_TOLERANCE 1e-4f

// Written so that what is not a number differs.
static bool IsNearMat34( supMat34 got, supMat34 wanted )
{
	float longest =
		supMaxFloat( supLength( wanted.cx ), supMaxFloat( supLength( wanted.cy ), supLength( wanted.cz ) ) );
	float most = WORLD_TOLERANCE * longest;
	float mostTravel = WORLD_TOLERANCE * ( longest + supLength( wanted.t ) );
	return supDistance( got.t, wanted.t ) <= mostTravel && supDistance( got.cx, wanted.cx ) <= most &&
		   supDistance( got.cy, wanted.cy ) <= most && supDistance( got.cz, wanted.cz ) <= most;
}

int32_t supPose_SetWorlds( supPose* pose, const supMat34* worlds )
{
	const supCharacter* character = pose->character;
	int32_t offCount = 0;
	for ( int32_t i = 0; i < character->nodeCount; ++i )
	{
		int32_t index = character->nodeOrder[i];
		const supNode* node = character->nodes + index;
		supMat34 parent = node->parent >= 0 ? pose->worlds[node->parent] : supMat34_identity;
		supMat34 inverse;
		supTransform local;
		bool canInvert = supIsFiniteMat34( worlds[index] ) && supInvertMat34( parent, &inverse );
		if ( canInvert && node->hasMatrix == false )
		{
			supDecompose( supMulMat34( inverse, worlds[index] ), &local );
			supPose_SetLocal( pose, index, local );
		}
		supMat34 own = node->hasMatrix ? node->matrix : supMakeMat34Transform( pose->locals[index] );
		supMat34 world = supMulMat34( parent, own );
		pose->worlds[index] = supIsFiniteMat34( world ) ? world : parent;
		offCount += IsNearMat34( pose->worlds[index], worlds[index] ) ? 0 : 1;
	}
	pose->worldsDirty = true;
	return offCount;
}

void supPose_RepairMorphs( supPose* pose )
{
	int32_t count = pose->character->morphStarts[pose->character->instanceCount];
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( !( fabsf( pose->morphWeights[i] ) <= MAX_SCALE ) )
		{
			pose->morphWeights[i] = 0.0f;
		}
	}
}

float* supPose_MorphWeights( supPose* pose, int32_t instance )
{
	SUP_ASSERT( 0 <= instance && instance < pose->character->instanceCount );
	return pose->morphWeights + pose->character->morphStarts[instance];
}

// ---------------------------------------------------------------------------------------------------------------------
// Blending

void supPose_Blend( supPose* pose, const supPose* other, float weight, const float* nodeWeights )
{
	SUP_ASSERT( pose->character == other->character );
	SUP_ASSERT( 0.0f <= weight && weight <= 1.0f );
	const supCharacter* character = pose->character;
	for ( int32_t i = 0; i < character->nodeCount; ++i )
	{
		float t = nodeWeights != NULL ? weight * nodeWeights[i] : weight;
		t = t > 0.0f ? supMinFloat( t, 1.0f ) : 0.0f;
		supTransform* local = pose->locals + i;
		const supTransform* goal = other->locals + i;
		local->translation = supLerp( local->translation, goal->translation, t );
		local->rotation = supSlerp( local->rotation, goal->rotation, t );
		local->scale = supLerp( local->scale, goal->scale, t );
	}
	int32_t morphCount = character->morphStarts[character->instanceCount];
	for ( int32_t i = 0; i < morphCount; ++i )
	{
		pose->morphWeights[i] = supLerpFloat( pose->morphWeights[i], other->morphWeights[i], weight );
	}
	pose->worldsDirty = true;
}

void supPose_Add( supPose* pose, const supPose* other, const supPose* reference, float weight )
{
	SUP_ASSERT( pose->character == other->character && pose->character == reference->character );
	SUP_ASSERT( supIsFinite( weight ) );
	const supCharacter* character = pose->character;
	for ( int32_t i = 0; i < character->nodeCount; ++i )
	{
		supTransform* local = pose->locals + i;
		const supTransform* to = other->locals + i;
		const supTransform* from = reference->locals + i;
		supQuat turn = supMulQuat( supConjugate( from->rotation ), to->rotation );
		local->translation = supMulAdd( local->translation, weight, supSub( to->translation, from->translation ) );
		local->rotation = supNormalizeQuat( supMulQuat( local->rotation, supSlerp( supQuat_identity, turn, weight ) ) );
		local->scale = supMulAdd( local->scale, weight, supSub( to->scale, from->scale ) );
	}
	int32_t morphCount = character->morphStarts[character->instanceCount];
	for ( int32_t i = 0; i < morphCount; ++i )
	{
		pose->morphWeights[i] += weight * ( other->morphWeights[i] - reference->morphWeights[i] );
	}
	pose->worldsDirty = true;
}

// ---------------------------------------------------------------------------------------------------------------------
// What follows from the locals

void supPose_SetOrigin( supPose* pose, supVec3 origin )
{
	pose->origin = origin;
	pose->worldsDirty = true;
}

const supMat34* supPose_Worlds( supPose* pose )
{
	if ( pose->worldsDirty == false )
	{
		return pose->worlds;
	}
	const supCharacter* character = pose->character;
	for ( int32_t i = 0; i < character->nodeCount; ++i )
	{
		int32_t index = character->nodeOrder[i];
		const supNode* node = character->nodes + index;
		supMat34 local = node->hasMatrix ? node->matrix : supMakeMat34Transform( pose->locals[index] );
		if ( node->parent < 0 )
		{
			local.t = supSub( local.t, pose->origin );
		}
		supMat34 world = node->parent >= 0 ? supMulMat34( pose->worlds[node->parent], local ) : local;
		// scales of a long chain may multiply to more than floats hold
		pose->worlds[index] = supIsFiniteMat34( world ) ? world
							  : node->parent >= 0       ? pose->worlds[node->parent]
														: supMat34_identity;
	}
	for ( int32_t i = 0; i < character->skinCount; ++i )
	{
		pose->states[i] = ( supPaletteState ){ .matricesDirty = true, .wideDirty = true, .dualsDirty = true };
	}
	pose->worldsDirty = false;
	return pose->worlds;
}

const supMat34* supPose_Palette( supPose* pose, int32_t instance )
{
	const supCharacter* character = pose->character;
	SUP_ASSERT( 0 <= instance && instance < character->instanceCount );
	const supMat34* worlds = supPose_Worlds( pose );
	int32_t skinIndex = character->instances[instance].skin;
	if ( skinIndex < 0 )
	{
		return worlds + character->instances[instance].node;
	}
	supMat34* palette = pose->palettes + character->jointStarts[skinIndex];
	if ( pose->states[skinIndex].matricesDirty )
	{
		const supSkin* skin = character->skins + skinIndex;
		for ( int32_t i = 0; i < skin->jointCount; ++i )
		{
			palette[i] = supMulMat34( worlds[skin->joints[i]], skin->inverseBinds[i] );
		}
		pose->states[skinIndex].matricesDirty = false;
	}
	return palette;
}

const supWideMatrix* supPose_WidePalette( supPose* pose, int32_t instance )
{
	const supCharacter* character = pose->character;
	const supMat34* palette = supPose_Palette( pose, instance );
	int32_t skinIndex = character->instances[instance].skin;
	supWideMatrix* wide = pose->widePalettes + character->jointStarts[skinIndex];
	if ( pose->states[skinIndex].wideDirty )
	{
		for ( int32_t i = 0; i < character->skins[skinIndex].jointCount; ++i )
		{
			wide[i].matrix = palette[i];
		}
		pose->states[skinIndex].wideDirty = false;
	}
	return wide;
}

const supDualJoint* supPose_DualPalette( supPose* pose, int32_t instance, bool* hasStretch )
{
	const supCharacter* character = pose->character;
	const supMat34* palette = supPose_Palette( pose, instance );
	int32_t skinIndex = character->instances[instance].skin;
	supPaletteState* state = pose->states + skinIndex;
	supDualJoint* duals = pose->duals + character->jointStarts[skinIndex];
	if ( state->dualsDirty )
	{
		state->hasStretch = false;
		for ( int32_t i = 0; i < character->skins[skinIndex].jointCount; ++i )
		{
			bool stretched = supMakeDualJoint( palette[i], duals + i );
			state->hasStretch = state->hasStretch || stretched;
		}
		state->dualsDirty = false;
	}
	*hasStretch = state->hasStretch;
	return duals;
}
