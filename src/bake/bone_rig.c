// SPDX-License-Identifier: MIT
// Meshes with different skins may have different mesh spaces: metres here, centimetres there. Helpers move vertices of
// all, so that rest positions of all go into one space: mesh space, moved by W(rest) B of one joint of the skin (world
// matrix at rest times inverse bind matrix). Where rest pose and bind pose agree that is the same for all joints, and
// the space is the world at rest.
#include "bake/bone_rig.h"

#include "character/character.h"
#include "supple/scene.h"

#include <math.h>

static const supMesh* MeshOf( const supBoneRig* rig, int32_t index )
{
	return supCharacter_Mesh( rig->character, supCharacter_Instance( rig->character, rig->instances[index] )->mesh );
}

static int32_t SkinOf( const supBoneRig* rig, int32_t index )
{
	return supCharacter_Instance( rig->character, rig->instances[index] )->skin;
}

// ---------------------------------------------------------------------------------------------------------------------
// Instances and clips

static bool IsMovedByBones( const supBoneRig* rig, int32_t index )
{
	const supInstance* instance = supCharacter_Instance( rig->character, index );
	const supMesh* mesh = supCharacter_Mesh( rig->character, instance->mesh );
	return rig->isSkinless ? mesh->vertexCount > 0 : instance->skin >= 0 && mesh->influences > 0;
}

static bool HasSkins( const supBoneRig* rig )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( rig->character ); ++i )
	{
		if ( IsMovedByBones( rig, i ) )
		{
			return true;
		}
	}
	return false;
}

static bool ListInstances( supBoneRig* rig, supError* error )
{
	rig->isSkinless = HasSkins( rig ) == false;
	size_t most = (size_t)supCharacter_InstanceCount( rig->character );
	rig->instances = supArena_AllocArray( &rig->arena, most + 1, sizeof( int32_t ) );
	rig->firstVertices = supArena_AllocZeroed( &rig->arena, ( most + 1 ) * sizeof( int64_t ) );
	int64_t indexCount = 0;
	for ( int32_t i = 0; i < (int32_t)most && rig->arena.failed == false; ++i )
	{
		const supInstance* instance = supCharacter_Instance( rig->character, i );
		const supMesh* mesh = supCharacter_Mesh( rig->character, instance->mesh );
		if ( IsMovedByBones( rig, i ) )
		{
			int32_t at = rig->instanceCount++;
			rig->instances[at] = i;
			rig->firstVertices[at + 1] = rig->firstVertices[at] + mesh->vertexCount;
			indexCount += mesh->indexCount;
			// of a character without skins, helpers take over what morph targets do
			rig->hasMorphs = rig->hasMorphs || ( mesh->targetCount > 0 && rig->isSkinless == false );
		}
	}
	if ( rig->arena.failed )
	{
		return supSetMemoryError( error );
	}
	if ( rig->instanceCount == 0 )
	{
		return supSetError( error, sup_errorArgument, supCharacter_Name( rig->character ),
							"the character has no mesh for the bones to move" );
	}
	int64_t vertexCount = rig->firstVertices[rig->instanceCount];
	if ( vertexCount > INT32_MAX / 64 || indexCount > INT32_MAX / 2 )
	{
		return supSetError( error, sup_errorTooLarge, supCharacter_Name( rig->character ),
							"%lld vertices are too many for helper bones", (long long)vertexCount );
	}
	rig->vertexCount = (int32_t)vertexCount;
	rig->indexCount = (int32_t)indexCount;
	return true;
}

static bool ListClips( supBoneRig* rig, supError* error )
{
	rig->clips = supArena_AllocZeroed( &rig->arena, (size_t)rig->bakeCount * sizeof( supBoneClip ) );
	if ( rig->clips == NULL )
	{
		return supSetMemoryError( error );
	}
	int64_t total = 0;
	for ( int32_t i = 0; i < rig->bakeCount; ++i )
	{
		supBake* bake = rig->bakes[i];
		SUP_ASSERT( supFlesh_Character( bake->flesh ) == rig->character );
		int32_t count = supBake_ClosedFrames( bake ).frameCount;
		if ( bake->scratch != NULL )
		{
			return supSetError( error, sup_errorArgument, supCharacter_Name( rig->character ),
								"a recording has no skeleton poses; write morph targets" );
		}
		if ( count < 1 )
		{
			return supSetError( error, sup_errorArgument, supCharacter_Name( rig->character ),
								"a bake without frames cannot be written" );
		}
		rig->clips[i] = ( supBoneClip ){ .clip = bake->def.clip,
										 .firstFrame = (int32_t)total,
										 .frameCount = count,
										 .start = bake->def.from,
										 .framesPerSecond = bake->def.framesPerSecond };
		total += count;
	}
	if ( total > 1000000 )
	{
		return supSetError( error, sup_errorTooLarge, supCharacter_Name( rig->character ),
							"%lld frames are too many for helper bones; bake fewer clips or a lower --fps",
							(long long)total );
	}
	rig->frameCount = (int32_t)total;
	return true;
}

const supBoneClip* supBoneRig_SetPose( supBoneRig* rig, supPose* pose, int32_t frame )
{
	const supBoneClip* clip = rig->clips;
	while ( frame >= clip->firstFrame + clip->frameCount )
	{
		clip += 1;
	}
	supPose_SetRest( pose );
	if ( clip->clip != NULL )
	{
		float time = clip->start + (float)( frame - clip->firstFrame ) / clip->framesPerSecond;
		supPose_ApplyClip( pose, clip->clip, time );
	}
	return clip;
}

// ---------------------------------------------------------------------------------------------------------------------
// Joints

// How much of the surface follows each joint of each skin.
static float* SumWeights( supBoneRig* rig )
{
	const supCharacter* character = rig->character;
	int32_t count = character->jointStarts[supCharacter_SkinCount( character )];
	float* sums = supArena_AllocZeroed( &rig->arena, ( (size_t)count + 1 ) * sizeof( float ) );
	for ( int32_t i = 0; i < rig->instanceCount && sums != NULL; ++i )
	{
		const supMesh* mesh = MeshOf( rig, i );
		float* own = sums + character->jointStarts[SkinOf( rig, i )];
		for ( int64_t k = 0; k < (int64_t)mesh->vertexCount * mesh->influences; ++k )
		{
			own[mesh->joints[k]] += mesh->weights[k];
		}
	}
	return sums;
}

// The joint that most skins have in common, and of those the one that moves most.
static int32_t FindCommonNode( const supBoneRig* rig, const float* sums, int32_t* skinCounts, float* totals )
{
	const supCharacter* character = rig->character;
	for ( int32_t s = 0; s < supCharacter_SkinCount( character ); ++s )
	{
		const supSkin* skin = supCharacter_Skin( character, s );
		for ( int32_t k = 0; k < skin->jointCount; ++k )
		{
			skinCounts[skin->joints[k]] += 1;
			totals[skin->joints[k]] += sums[character->jointStarts[s] + k];
		}
	}
	int32_t best = 0;
	for ( int32_t n = 1; n < supCharacter_NodeCount( character ); ++n )
	{
		bool better =
			skinCounts[n] > skinCounts[best] || ( skinCounts[n] == skinCounts[best] && totals[n] > totals[best] );
		best = better ? n : best;
	}
	return best;
}

static void FindSkinSpaces( supBoneRig* rig, const float* sums, int32_t common )
{
	const supCharacter* character = rig->character;
	for ( int32_t s = 0; s < supCharacter_SkinCount( character ); ++s )
	{
		const supSkin* skin = supCharacter_Skin( character, s );
		const float* own = sums + character->jointStarts[s];
		int32_t chosen = 0;
		for ( int32_t k = 1; k < skin->jointCount; ++k )
		{
			bool isCommon = skin->joints[k] == common;
			bool hasCommon = skin->joints[chosen] == common;
			chosen = isCommon || ( hasCommon == false && own[k] > own[chosen] ) ? k : chosen;
		}
		supMat34 space = supMulMat34( rig->restWorlds[skin->joints[chosen]], skin->inverseBinds[chosen] );
		supMat34 inverse;
		rig->skinSpaces[s] = supInvertMat34( space, &inverse ) ? space : supMat34_identity;
	}
}

static bool IsSameBind( supMat34 a, supMat34 b )
{
	const float *p = &a.cx.x, *q = &b.cx.x;
	float most = 0.0f, difference = 0.0f;
	for ( int k = 0; k < 12; ++k )
	{
		most = supMaxFloat( most, fabsf( p[k] ) );
		difference = supMaxFloat( difference, fabsf( p[k] - q[k] ) );
	}
	return difference <= 1e-5f * most;
}

static int32_t FindColumn( supBoneRig* rig, int32_t node, supMat34 bind )
{
	for ( int32_t c = 0; c < rig->columnCount; ++c )
	{
		if ( rig->columns[c].node == node && IsSameBind( rig->columns[c].bind, bind ) )
		{
			return c;
		}
	}
	rig->columns[rig->columnCount] = ( supBoneColumn ){ .node = node, .bind = bind };
	return rig->columnCount++;
}

static bool ListNoColumns( supBoneRig* rig, supError* error )
{
	supArena* arena = &rig->arena;
	size_t nodes = (size_t)supCharacter_NodeCount( rig->character );
	rig->skinSpaces = supArena_AllocArray( arena, 1, sizeof( supMat34 ) );
	rig->columnOf = supArena_AllocArray( arena, 1, sizeof( int32_t ) );
	rig->columns = supArena_AllocArray( arena, 1, sizeof( supBoneColumn ) );
	rig->restWorlds = supArena_AllocArray( arena, nodes + 1, sizeof( supMat34 ) );
	rig->pose = supCreatePose( rig->character );
	if ( arena->failed || rig->pose == NULL )
	{
		return supSetMemoryError( error );
	}
	rig->skinSpaces[0] = supMat34_identity;
	memcpy( rig->restWorlds, supPose_Worlds( rig->pose ), nodes * sizeof( supMat34 ) );
	return true;
}

static bool ListColumns( supBoneRig* rig, supError* error )
{
	const supCharacter* character = rig->character;
	size_t joints = (size_t)character->jointStarts[supCharacter_SkinCount( character )];
	size_t nodes = (size_t)supCharacter_NodeCount( character );
	supArena* arena = &rig->arena;
	float* sums = SumWeights( rig );
	rig->skinSpaces = supArena_AllocArray( arena, (size_t)supCharacter_SkinCount( character ) + 1, sizeof( supMat34 ) );
	rig->columnOf = supArena_AllocArray( arena, joints + 1, sizeof( int32_t ) );
	rig->columns = supArena_AllocArray( arena, joints + 1, sizeof( supBoneColumn ) );
	rig->restWorlds = supArena_AllocArray( arena, nodes + 1, sizeof( supMat34 ) );
	int32_t* skinCounts = supArena_AllocZeroed( arena, ( nodes + 1 ) * sizeof( int32_t ) );
	float* totals = supArena_AllocZeroed( arena, ( nodes + 1 ) * sizeof( float ) );
	rig->pose = supCreatePose( character );
	if ( arena->failed || rig->pose == NULL )
	{
		return supSetMemoryError( error );
	}
	memcpy( rig->restWorlds, supPose_Worlds( rig->pose ), nodes * sizeof( supMat34 ) );
	FindSkinSpaces( rig, sums, FindCommonNode( rig, sums, skinCounts, totals ) );
	for ( int32_t s = 0; s < supCharacter_SkinCount( character ); ++s )
	{
		const supSkin* skin = supCharacter_Skin( character, s );
		supMat34 inverse = supMat34_identity;
		supInvertMat34( rig->skinSpaces[s], &inverse );
		for ( int32_t k = 0; k < skin->jointCount; ++k )
		{
			int32_t at = character->jointStarts[s] + k;
			supMat34 bind = supMulMat34( skin->inverseBinds[k], inverse );
			rig->columnOf[at] = sums[at] > 0.0f ? FindColumn( rig, skin->joints[k], bind ) : -1;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Vertices and frames

// Those of the first frame, each instance a part.
static bool ReadFirstFrame( supBoneRig* rig, supError* error )
{
	supFrames frames = supBake_Frames( rig->bakes[0] );
	bool ok = true;
	for ( int32_t i = 0; i < rig->instanceCount && ok; ++i )
	{
		int64_t first = rig->firstVertices[i];
		ok = frames.read( 0, rig->instances[i], rig->positions + first, NULL, frames.context, error );
		for ( int64_t v = first; v < rig->firstVertices[i + 1]; ++v )
		{
			rig->parts[v] = i;
		}
	}
	return ok;
}

static void CopyIndices( supBoneRig* rig )
{
	int64_t nextIndex = 0;
	for ( int32_t i = 0; i < rig->instanceCount; ++i )
	{
		const supMesh* mesh = MeshOf( rig, i );
		for ( int32_t k = 0; k < mesh->indexCount; ++k )
		{
			rig->indices[nextIndex++] = mesh->indices[k] + (uint32_t)rig->firstVertices[i];
		}
	}
}

static void CopyVertices( supBoneRig* rig )
{
	for ( int32_t i = 0; i < rig->instanceCount; ++i )
	{
		const supMesh* mesh = MeshOf( rig, i );
		int32_t skin = SkinOf( rig, i );
		int64_t first = rig->firstVertices[i];
		for ( int32_t v = 0; v < mesh->vertexCount; ++v )
		{
			rig->positions[first + v] = supTransformPoint( rig->skinSpaces[skin], mesh->positions[v] );
			rig->parts[first + v] = skin;
			for ( int32_t k = 0; k < mesh->influences; ++k )
			{
				size_t from = (size_t)v * (size_t)mesh->influences + (size_t)k;
				size_t to = (size_t)( first + v ) * SUP_MAX_INFLUENCES + (size_t)k;
				int32_t column = rig->columnOf[rig->character->jointStarts[skin] + mesh->joints[from]];
				rig->weights[to] = column >= 0 ? mesh->weights[from] : 0.0f;
				rig->joints[to] = column >= 0 ? (uint16_t)column : 0;
			}
		}
	}
}

// Joints of one skin must have a common root.
static void FindGroups( supBoneRig* rig )
{
	for ( int32_t c = 0; c < rig->columnCount; ++c )
	{
		int32_t node = rig->columns[c].node;
		while ( supCharacter_Node( rig->character, node )->parent >= 0 )
		{
			node = supCharacter_Node( rig->character, node )->parent;
		}
		rig->groups[c] = node;
	}
}

static void SampleFrames( supBoneRig* rig )
{
	size_t nodes = (size_t)supCharacter_NodeCount( rig->character );
	size_t columns = (size_t)rig->columnCount;
	for ( int32_t f = 0; f < rig->frameCount; ++f )
	{
		supBoneRig_SetPose( rig, rig->pose, f );
		const supMat34* worlds = supPose_Worlds( rig->pose );
		memcpy( rig->worlds + (size_t)f * nodes, worlds, nodes * sizeof( supMat34 ) );
		for ( size_t c = 0; c < columns; ++c )
		{
			rig->matrices[(size_t)f * columns + c] = supMulMat34( worlds[rig->columns[c].node], rig->columns[c].bind );
		}
	}
}

static bool AllocateArrays( supBoneRig* rig )
{
	supArena* arena = &rig->arena;
	size_t vertices = (size_t)rig->vertexCount;
	size_t frames = (size_t)rig->frameCount;
	rig->positions = supArena_AllocArray( arena, vertices, sizeof( supVec3 ) );
	rig->parts = supArena_AllocArray( arena, vertices, sizeof( int32_t ) );
	rig->indices = supArena_AllocArray( arena, (size_t)rig->indexCount + 1, sizeof( uint32_t ) );
	rig->joints = supArena_AllocZeroed( arena, vertices * SUP_MAX_INFLUENCES * sizeof( uint16_t ) );
	rig->weights = supArena_AllocZeroed( arena, vertices * SUP_MAX_INFLUENCES * sizeof( float ) );
	rig->groups = supArena_AllocArray( arena, (size_t)rig->columnCount + 1, sizeof( int32_t ) );
	rig->matrices = supArena_AllocArray( arena, frames * (size_t)rig->columnCount + 1, sizeof( supMat34 ) );
	rig->worlds =
		supArena_AllocArray( arena, frames * (size_t)supCharacter_NodeCount( rig->character ) + 1, sizeof( supMat34 ) );
	int32_t largest = 0;
	for ( int32_t i = 0; i < rig->instanceCount; ++i )
	{
		int32_t count = MeshOf( rig, i )->vertexCount;
		largest = count > largest ? count : largest;
	}
	rig->scratch[0] = supArena_AllocArray( arena, (size_t)largest, sizeof( supVec3 ) );
	rig->scratch[1] = supArena_AllocArray( arena, (size_t)largest, sizeof( supVec3 ) );
	return arena->failed == false;
}

bool supBoneRig_Create( supBoneRig* rig, supBake* const* bakes, int32_t bakeCount, supError* error )
{
	*rig = ( supBoneRig ){ .bakes = bakes, .bakeCount = bakeCount };
	rig->character = supFlesh_Character( bakes[0]->flesh );
	if ( ListInstances( rig, error ) == false || ListClips( rig, error ) == false ||
		 ( rig->isSkinless ? ListNoColumns( rig, error ) : ListColumns( rig, error ) ) == false )
	{
		return false;
	}
	if ( AllocateArrays( rig ) == false )
	{
		return supSetMemoryError( error );
	}
	CopyIndices( rig );
	FindGroups( rig );
	SampleFrames( rig );
	if ( rig->isSkinless )
	{
		return ReadFirstFrame( rig, error );
	}
	CopyVertices( rig );
	return true;
}

void supBoneRig_Destroy( supBoneRig* rig )
{
	supDestroyPose( rig->pose );
	supArena_Destroy( &rig->arena );
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

static bool HasMorph( supBoneRig* rig, int32_t index )
{
	const float* weights = supPose_MorphWeights( rig->pose, rig->instances[index] );
	bool any = false;
	for ( int32_t k = 0; k < MeshOf( rig, index )->targetCount; ++k )
	{
		any = any || weights[k] != 0.0f;
	}
	return any;
}

// What morph targets add to the skinned vertices of the pose, which loses its morph weights.
static void SubtractMorphs( supBoneRig* rig, int32_t index, supVec3* positions )
{
	const supMesh* mesh = MeshOf( rig, index );
	int32_t instance = rig->instances[index];
	supSkinInstance( rig->pose, instance, sup_skinningLinear, NULL,
					 &( supSkinOutput ){ .positions = rig->scratch[0] } );
	memset( supPose_MorphWeights( rig->pose, instance ), 0, (size_t)mesh->targetCount * sizeof( float ) );
	supSkinInstance( rig->pose, instance, sup_skinningLinear, NULL,
					 &( supSkinOutput ){ .positions = rig->scratch[1] } );
	for ( int32_t v = 0; v < mesh->vertexCount; ++v )
	{
		positions[v] = supSub( positions[v], supSub( rig->scratch[0][v], rig->scratch[1][v] ) );
	}
}

bool supBoneRig_Read( int32_t frame, supVec3* positions, void* context, supError* error )
{
	supBoneRig* rig = context;
	int32_t clip = (int32_t)( supBoneRig_SetPose( rig, rig->pose, frame ) - rig->clips );
	supBake* bake = rig->bakes[clip];
	for ( int32_t i = 0; i < rig->instanceCount; ++i )
	{
		supVec3* own = positions + rig->firstVertices[i];
		if ( supBake_ReadSurface( bake, frame - rig->clips[clip].firstFrame, rig->instances[i], own, NULL, error ) ==
			 false )
		{
			return false;
		}
		if ( rig->hasMorphs && HasMorph( rig, i ) )
		{
			SubtractMorphs( rig, i, own );
		}
	}
	return true;
}

void supBoneRig_Describe( supBoneRig* rig, supBonesDef* def )
{
	def->vertexCount = rig->vertexCount;
	def->positions = rig->positions;
	def->indexCount = rig->indexCount;
	def->indices = rig->indices;
	def->parts = rig->parts;
	def->frameCount = rig->frameCount;
	def->read = supBoneRig_Read;
	def->readContext = rig;
	def->fixedCount = rig->columnCount;
	def->fixedMatrices = rig->matrices;
	def->fixedGroups = rig->groups;
	def->startInfluences = SUP_MAX_INFLUENCES;
	def->startJoints = rig->joints;
	def->startWeights = rig->weights;
}
