// SPDX-License-Identifier: MIT
// One pose of the source put onto the target, for a clip's keys and for motion that comes live.
#include "character/retarget.h"

static bool HasChannel( const supClip* clip, int32_t node, supChannelPath path )
{
	for ( int32_t i = 0; i < clip->channelCount; ++i )
	{
		if ( clip->channels[i].node == node && clip->channels[i].path == path )
		{
			return true;
		}
	}
	return false;
}

void supChooseTracks( supRetarget* retarget )
{
	bool exact = retarget->mode != sup_matchHumanoid;
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		supLink* link = &retarget->links.data[i];
		link->moves = i == retarget->rootLink || link->part == sup_partLooseFoot ||
					  ( exact && HasChannel( retarget->clip, link->sources[0], sup_channelTranslation ) );
		link->grows = exact && HasChannel( retarget->clip, link->sources[0], sup_channelScale );
	}
}

static float MeasureScale( const supMat34* worlds, int32_t node )
{
	if ( node < 0 )
	{
		return 1.0f;
	}
	float scale = ( supLength( worlds[node].cx ) + supLength( worlds[node].cy ) + supLength( worlds[node].cz ) ) / 3.0f;
	return scale > 0.0f ? scale : 1.0f;
}

// The source's own displacement of a node against its rest, in the axes of the target's parent. With D the turn of the
// parents since rest, the source moves by D S0 d and the target by A D A^-1 C T0 x: equal for x = T0^-1 C^-1 A S0 d.
static supVec3 CarryTranslation( const supRetarget* retarget, const supLink* link )
{
	const supNode* source = supCharacter_Node( retarget->source, link->sources[0] );
	const supNode* target = supCharacter_Node( retarget->target, link->target );
	supVec3 now = supPose_GetLocal( retarget->sourcePose, link->sources[0] ).translation;
	supVec3 moved = supSub( now, source->rest.translation );
	if ( source->parent >= 0 )
	{
		moved = supRotate( retarget->sourceRest.rotations[source->parent], moved );
	}
	moved = supRotate( retarget->alignment, moved );
	if ( target->parent >= 0 )
	{
		supQuat correction = link->parent >= 0 ? retarget->links.data[link->parent].correction : supQuat_identity;
		supQuat above = supMulQuat( correction, retarget->targetRest.rotations[target->parent] );
		moved = supRotate( supConjugate( above ), moved );
	}
	float scale = retarget->sizeRatio * MeasureScale( retarget->sourceRest.worlds, source->parent ) /
				  MeasureScale( retarget->targetRest.worlds, target->parent );
	return supMulAdd( target->rest.translation, scale, moved );
}

// Scale against rest. Along the axes where both have the same, evenly where not.
static supVec3 CarryScale( const supRetarget* retarget, const supLink* link )
{
	const supNode* source = supCharacter_Node( retarget->source, link->sources[0] );
	const supNode* target = supCharacter_Node( retarget->target, link->target );
	supVec3 now = supPose_GetLocal( retarget->sourcePose, link->sources[0] ).scale;
	supVec3 rest = source->rest.scale;
	supVec3 factor = supMakeVec3( rest.x != 0.0f ? now.x / rest.x : 1.0f, rest.y != 0.0f ? now.y / rest.y : 1.0f,
								  rest.z != 0.0f ? now.z / rest.z : 1.0f );
	supQuat a = supMulQuat( retarget->alignment, retarget->sourceRest.rotations[link->sources[0]] );
	supQuat b = supMulQuat( link->correction, retarget->targetRest.rotations[link->target] );
	if ( fabsf( supDotQuat( a, b ) ) < 0.999f )
	{
		float mean = ( factor.x + factor.y + factor.z ) / 3.0f;
		factor = supMakeVec3( mean, mean, mean );
	}
	return supMul( target->rest.scale, factor );
}

// Where the root stands in the world, brought into the space of its parent.
static supVec3 PlaceRoot( const supRetarget* retarget, const supMat34* sourceWorlds )
{
	const supLink* root = &retarget->links.data[retarget->rootLink];
	supVec3 path = supSub( sourceWorlds[root->sources[0]].t, retarget->sourceRootPlace );
	path = supScale( retarget->travel, supRotate( retarget->alignment, path ) );
	if ( retarget->def->inPlace )
	{
		path = supScale( supDot( path, retarget->targetUp ), retarget->targetUp );
	}
	supVec3 place = supAdd( retarget->targetRootPlace, path );
	int32_t parent = supCharacter_Node( retarget->target, root->target )->parent;
	supMat34 inverse = supMat34_identity;
	if ( parent >= 0 && !supInvertMat34( supPose_Worlds( retarget->targetPose )[parent], &inverse ) )
	{
		return supCharacter_Node( retarget->target, root->target )->rest.translation;
	}
	return supTransformPoint( inverse, place );
}

// A foot that hangs elsewhere is carried along by the lower leg.
static supVec3 PlaceLooseFoot( const supRetarget* retarget, const supLink* link )
{
	int32_t leg = retarget->targetBody.limb[link->side][sup_partLowerLeg];
	int32_t parent = supCharacter_Node( retarget->target, link->target )->parent;
	const supMat34* worlds = supPose_Worlds( retarget->targetPose );
	supMat34 toParent = supMat34_identity;
	if ( parent >= 0 && !supInvertMat34( worlds[parent], &toParent ) )
	{
		return supCharacter_Node( retarget->target, link->target )->rest.translation;
	}
	return supTransformPoint( toParent, supTransformPoint( worlds[leg], link->inLeg ) );
}

void supFollowSource( supRetarget* retarget, const supStance* source, supQuat* turns, supQuat* rotations )
{
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		const supLink* link = &retarget->links.data[i];
		supQuat turn[2];
		for ( int k = 0; k < 2; ++k )
		{
			int32_t node = link->sources[k];
			turn[k] = supMulQuat( source->rotations[node], supConjugate( retarget->sourceRest.rotations[node] ) );
		}
		supQuat mixed = link->blend > 0.0f ? supSlerp( turn[0], turn[1], link->blend ) : turn[0];
		turns[i] = supMulQuat( supMulQuat( retarget->alignment, mixed ), supConjugate( retarget->alignment ) );
	}
	supPoseTarget( retarget, turns, rotations );
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		const supLink* link = &retarget->links.data[i];
		supTransform local = supPose_GetLocal( retarget->targetPose, link->target );
		if ( link->grows )
		{
			local.scale = CarryScale( retarget, link );
			supPose_SetLocal( retarget->targetPose, link->target, local );
		}
		if ( link->moves && link->part != sup_partLooseFoot )
		{
			local.translation =
				i == retarget->rootLink ? PlaceRoot( retarget, source->worlds ) : CarryTranslation( retarget, link );
			supPose_SetLocal( retarget->targetPose, link->target, local );
		}
	}
	// where the legs are is known only now
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		const supLink* link = &retarget->links.data[i];
		if ( link->part == sup_partLooseFoot )
		{
			supTransform local = supPose_GetLocal( retarget->targetPose, link->target );
			local.translation = PlaceLooseFoot( retarget, link );
			supPose_SetLocal( retarget->targetPose, link->target, local );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Live

struct supFollower
{
	supRetarget retarget;
	supRetargetDef def;
	supStance source;
	supQuat* turns;
	supQuat* rotations;
};

static bool StartFollower( supFollower* follower, supError* error )
{
	supRetarget* retarget = &follower->retarget;
	retarget->sourcePose = supCreatePose( retarget->source );
	retarget->targetPose = supCreatePose( retarget->target );
	if ( retarget->sourcePose == NULL || retarget->targetPose == NULL )
	{
		return supSetMemoryError( error );
	}
	if ( !supMatchSkeletons( retarget ) || !supComputeStance( retarget ) )
	{
		return false;
	}
	supChooseTracks( retarget );
	size_t sourceNodes = (size_t)supCharacter_NodeCount( retarget->source );
	size_t targetNodes = (size_t)supCharacter_NodeCount( retarget->target );
	follower->source.rotations = supArena_AllocArray( &retarget->arena, sourceNodes, sizeof( supQuat ) );
	follower->source.worlds = supArena_AllocArray( &retarget->arena, sourceNodes, sizeof( supMat34 ) );
	follower->turns = supArena_AllocArray( &retarget->arena, (size_t)retarget->links.count, sizeof( supQuat ) );
	follower->rotations = supArena_AllocArray( &retarget->arena, targetNodes, sizeof( supQuat ) );
	if ( retarget->arena.failed )
	{
		return supSetMemoryError( error );
	}
	supPose_SetRest( retarget->sourcePose );
	return true;
}

supFollower* supCreateFollower( const supCharacter* target, const supCharacter* source, const supClip* clip,
								const supRetargetDef* def, supError* error )
{
	supClearError( error );
	supFollower* follower = supAllocZeroed( sizeof( supFollower ) );
	if ( follower == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	follower->def = *def;
	follower->retarget =
		( supRetarget ){ .target = target, .source = source, .clip = clip, .def = &follower->def, .error = error };
	bool ok = StartFollower( follower, error );
	// neither outlives this call
	follower->retarget.clip = NULL;
	follower->retarget.error = NULL;
	follower->def.pairs = NULL;
	if ( !ok )
	{
		supDestroyFollower( follower );
		return NULL;
	}
	return follower;
}

void supDestroyFollower( supFollower* follower )
{
	if ( follower != NULL )
	{
		supDestroyPose( follower->retarget.sourcePose );
		supDestroyPose( follower->retarget.targetPose );
		SUP_FREE_ARRAY( &follower->retarget.links );
		supArena_Destroy( &follower->retarget.arena );
		supFree( follower );
	}
}

supPose* supFollower_Source( supFollower* follower )
{
	return follower->retarget.sourcePose;
}

supPose* supFollower_Update( supFollower* follower )
{
	supRetarget* retarget = &follower->retarget;
	supReadStance( retarget->source, retarget->sourcePose, &follower->source );
	supFollowSource( retarget, &follower->source, follower->turns, follower->rotations );
	return retarget->targetPose;
}

int32_t supFollower_LinkCount( const supFollower* follower )
{
	return follower->retarget.links.count;
}

int32_t supFollower_Root( const supFollower* follower )
{
	return follower->retarget.links.data[follower->retarget.rootLink].target;
}
