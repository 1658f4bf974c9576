// SPDX-License-Identifier: MIT
// Which joint moves which: by a map, by equal names, or by what the joints are.
#include "character/retarget.h"

#include <stdio.h>

// At least this part of the motion's joints must be in the character for names to be trusted.
#define MIN_NAME_MATCH_RATIO 0.8f

static const supNode* SourceNode( const supRetarget* retarget, int32_t node )
{
	return supCharacter_Node( retarget->source, node );
}

static const supNode* TargetNode( const supRetarget* retarget, int32_t node )
{
	return supCharacter_Node( retarget->target, node );
}

// ---------------------------------------------------------------------------------------------------------------------
// Messages

// "Hips, LeftUpLeg, LeftLeg, ..." cut to fit.
static void ListJoints( const supCharacter* character, char* text, size_t size )
{
	size_t used = 0;
	text[0] = 0;
	int32_t count = supCharacter_NodeCount( character );
	bool jointsOnly = supCharacter_SkinCount( character ) > 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		const char* name = supCharacter_Node( character, i )->name;
		if ( name[0] == 0 || ( jointsOnly && !supCharacter_IsJoint( character, i ) ) )
		{
			continue;
		}
		int length = snprintf( text + used, size - used, "%s%s", used > 0 ? ", " : "", name );
		if ( length < 0 || used + (size_t)length + 6 > size )
		{
			snprintf( text + used, size - used, "%s", size - used > 6 ? ", ..." : "" );
			return;
		}
		used += (size_t)length;
	}
}

static bool FailMatch( supRetarget* retarget, int32_t matched, int32_t animated )
{
	char source[130];
	char target[130];
	ListJoints( retarget->source, source, sizeof( source ) );
	ListJoints( retarget->target, target, sizeof( target ) );
	return supSetError( retarget->error, sup_errorNotFound, supCharacter_Name( retarget->target ),
						"cannot match the motion's joints (%s) to the character's (%s): %d of %d have equal names, "
						"and not both skeletons are humanoid. Map them in a file: --map map.json with lines like { "
						"\"LeftUpLeg\": \"thigh_l\" }",
						source, target, matched, animated );
}

// ---------------------------------------------------------------------------------------------------------------------

static bool AddLink( supRetarget* retarget, int32_t target, int32_t source, int32_t source2, float blend )
{
	if ( retarget->linkOfTarget[target] >= 0 )
	{
		return true;
	}
	supLink link = {
		.target = target,
		.sources = { source, source2 },
		.blend = blend,
		.part = sup_partNone,
		.side = -1,
		.parent = -1,
		.correction = supQuat_identity,
	};
	retarget->linkOfTarget[target] = retarget->links.count;
	return SUP_PUSH( &retarget->links, link ) || supSetMemoryError( retarget->error );
}

static bool MatchPairs( supRetarget* retarget )
{
	for ( int32_t i = 0; i < retarget->def->pairCount; ++i )
	{
		const supNamePair* pair = &retarget->def->pairs[i];
		int32_t source = supCharacter_FindNode( retarget->source, pair->source );
		int32_t target = supCharacter_FindNode( retarget->target, pair->target );
		if ( source < 0 || target < 0 )
		{
			char names[260];
			ListJoints( source < 0 ? retarget->source : retarget->target, names, sizeof( names ) );
			return supSetError( retarget->error, sup_errorNotFound, "map",
								"'%.80s' is no joint of the %s, which has %s", source < 0 ? pair->source : pair->target,
								source < 0 ? "motion" : "character", names );
		}
		if ( retarget->linkOfTarget[target] >= 0 )
		{
			return supSetError( retarget->error, sup_errorArgument, "map",
								"the character's joint '%.80s' is mapped to two joints of the motion", pair->target );
		}
		if ( !AddLink( retarget, target, source, source, 0.0f ) )
		{
			return false;
		}
	}
	return true;
}

// The target's node of the same name, joints first.
static int32_t FindTargetByName( const supRetarget* retarget, const char* name )
{
	int32_t found = -1;
	int32_t count = supCharacter_NodeCount( retarget->target );
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( supJointNamesMatch( TargetNode( retarget, i )->name, name ) )
		{
			if ( supCharacter_IsJoint( retarget->target, i ) )
			{
				return i;
			}
			found = found >= 0 ? found : i;
		}
	}
	return found;
}

// By node of the source: whether the clip moves it.
static bool* FindAnimated( supRetarget* retarget, int32_t* animatedCount )
{
	bool* animated = supArena_AllocZeroed( &retarget->arena, (size_t)supCharacter_NodeCount( retarget->source ) );
	*animatedCount = 0;
	for ( int32_t i = 0; animated != NULL && i < retarget->clip->channelCount; ++i )
	{
		const supChannel* channel = &retarget->clip->channels[i];
		if ( channel->path != sup_channelMorphWeights && !animated[channel->node] )
		{
			animated[channel->node] = true;
			++*animatedCount;
		}
	}
	return animated;
}

// Returns how many of the animated nodes have found a partner, -1 when out of memory.
static int32_t MatchNames( supRetarget* retarget, const bool* animated )
{
	int32_t matched = 0;
	int32_t count = supCharacter_NodeCount( retarget->source );
	for ( int32_t i = 0; i < count; ++i )
	{
		const char* name = SourceNode( retarget, i )->name;
		int32_t target = animated[i] && name[0] != 0 ? FindTargetByName( retarget, name ) : -1;
		if ( target >= 0 )
		{
			if ( !AddLink( retarget, target, i, i, 0.0f ) )
			{
				return -1;
			}
			++matched;
		}
	}
	return matched;
}

static void ForgetLinks( supRetarget* retarget )
{
	retarget->links.count = 0;
	memset( retarget->linkOfTarget, 0xff, (size_t)supCharacter_NodeCount( retarget->target ) * sizeof( int32_t ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// People

// Two chains of different length between the same two ends: joint k of n lies at (k + 1) / (n + past) of the way, and
// each joint of the target turns like the place at the same part of the source's way.
static bool LinkChain( supRetarget* retarget, const int32_t* targets, int32_t targetCount, const int32_t* sources,
					   int32_t sourceCount, int32_t past )
{
	// sources[-1] is where the chain starts, and with `past` sources[sourceCount] where it ends
	for ( int32_t k = 0; k < targetCount; ++k )
	{
		float place = (float)( ( k + 1 ) * ( sourceCount + past ) ) / (float)( targetCount + past );
		int32_t lower = (int32_t)place;
		float blend = place - (float)lower;
		int32_t upper = blend > 1e-4f ? lower + 1 : lower;
		if ( !AddLink( retarget, targets[k], sources[lower - 1], sources[upper - 1], blend ) )
		{
			return false;
		}
	}
	return true;
}

static bool LinkTrunk( supRetarget* retarget )
{
	const supHumanoid* target = &retarget->targetBody;
	const supHumanoid* source = &retarget->sourceBody;
	int32_t chain[1 + SUP_MAX_SPINE];
	chain[0] = source->hips;
	memcpy( chain + 1, source->spine, sizeof( source->spine ) );
	if ( !AddLink( retarget, target->hips, source->hips, source->hips, 0.0f ) ||
		 ( source->spineCount > 0 &&
		   !LinkChain( retarget, target->spine, target->spineCount, chain + 1, source->spineCount, 0 ) ) )
	{
		return false;
	}
	int32_t neck[2 + SUP_MAX_NECK];
	neck[0] = chain[source->spineCount];
	memcpy( neck + 1, source->neck, sizeof( source->neck ) );
	neck[1 + source->neckCount] = source->head;
	bool bothHeads = source->head >= 0 && target->head >= 0;
	if ( source->head < 0 && source->neckCount == 0 )
	{
		return true;
	}
	int32_t past = source->head >= 0 ? 1 : 0;
	return LinkChain( retarget, target->neck, target->neckCount, neck + 1, source->neckCount, past ) &&
		   ( !bothHeads || AddLink( retarget, target->head, source->head, source->head, 0.0f ) );
}

// A mitten's one finger moves all four.
static int32_t FindSourceFinger( const int32_t* limb, int32_t part )
{
	if ( limb[part] >= 0 || part < sup_partIndex1 )
	{
		return limb[part];
	}
	int32_t only = -1;
	for ( int32_t finger = sup_partIndex1; finger < sup_partCount; finger += 3 )
	{
		if ( limb[finger] >= 0 )
		{
			if ( only >= 0 )
			{
				return -1;
			}
			only = finger;
		}
	}
	return only >= 0 ? limb[only + ( part - sup_partIndex1 ) % 3] : -1;
}

static bool MatchHumanoids( supRetarget* retarget )
{
	if ( !LinkTrunk( retarget ) )
	{
		return false;
	}
	for ( int32_t side = 0; side < 2; ++side )
	{
		const int32_t* targets = retarget->targetBody.limb[side];
		const int32_t* sources = retarget->sourceBody.limb[side];
		for ( int32_t part = sup_partShoulder; part < sup_partCount; ++part )
		{
			int32_t source = part >= sup_partThumb1      ? FindSourceFinger( sources, part )
							 : part == sup_partLooseFoot ? sources[sup_partFoot]
														 : sources[part];
			if ( targets[part] >= 0 && source >= 0 && !AddLink( retarget, targets[part], source, source, 0.0f ) )
			{
				return false;
			}
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

// What a node is in a recognised body.
static supBodyPart FindPart( const supHumanoid* body, int32_t node, int32_t* side )
{
	*side = -1;
	if ( node == body->hips || node == body->head )
	{
		return node == body->hips ? sup_partHips : sup_partHead;
	}
	for ( int32_t i = 0; i < body->spineCount; ++i )
	{
		if ( body->spine[i] == node )
		{
			return sup_partSpine;
		}
	}
	for ( int32_t i = 0; i < body->neckCount; ++i )
	{
		if ( body->neck[i] == node )
		{
			return sup_partNeck;
		}
	}
	for ( int32_t s = 0; s < 2; ++s )
	{
		for ( int32_t part = sup_partShoulder; part < sup_partCount; ++part )
		{
			if ( body->limb[s][part] == node )
			{
				*side = s;
				return (supBodyPart)part;
			}
		}
	}
	return sup_partNone;
}

// Links in the order of the target's hierarchy, each with its part and its nearest linked ancestor.
static bool OrderLinks( supRetarget* retarget )
{
	int32_t count = supCharacter_NodeCount( retarget->target );
	const int32_t* order = supCharacter_NodeOrder( retarget->target );
	int32_t* nearest = supArena_AllocArray( &retarget->arena, (size_t)count, sizeof( int32_t ) );
	supLink* sorted = supArena_AllocArray( &retarget->arena, (size_t)retarget->links.count, sizeof( supLink ) );
	if ( nearest == NULL || sorted == NULL )
	{
		return supSetMemoryError( retarget->error );
	}
	int32_t sortedCount = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t node = order[i];
		int32_t parent = TargetNode( retarget, node )->parent;
		int32_t above = parent >= 0 ? nearest[parent] : -1;
		nearest[node] = above;
		if ( retarget->linkOfTarget[node] >= 0 )
		{
			supLink link = retarget->links.data[retarget->linkOfTarget[node]];
			link.parent = above;
			if ( retarget->targetIsHumanoid )
			{
				link.part = FindPart( &retarget->targetBody, node, &link.side );
			}
			if ( link.part == sup_partNone && retarget->sourceIsHumanoid )
			{
				link.part = FindPart( &retarget->sourceBody, link.sources[0], &link.side );
			}
			// by name or map it follows its own namesake, not the leg
			bool follows = retarget->mode == sup_matchHumanoid;
			link.part = link.part == sup_partLooseFoot && !follows ? sup_partNone : link.part;
			retarget->linkOfTarget[node] = sortedCount;
			nearest[node] = sortedCount;
			sorted[sortedCount++] = link;
		}
	}
	memcpy( retarget->links.data, sorted, (size_t)sortedCount * sizeof( supLink ) );
	return true;
}

bool supMatchSkeletons( supRetarget* retarget )
{
	int32_t animatedCount;
	bool* animated = FindAnimated( retarget, &animatedCount );
	retarget->linkOfTarget =
		supArena_AllocArray( &retarget->arena, (size_t)supCharacter_NodeCount( retarget->target ), sizeof( int32_t ) );
	if ( animated == NULL || retarget->linkOfTarget == NULL )
	{
		return supSetMemoryError( retarget->error );
	}
	ForgetLinks( retarget );
	retarget->targetIsHumanoid = supRecognizeHumanoid( retarget->target, &retarget->targetBody );
	retarget->sourceIsHumanoid = supRecognizeHumanoid( retarget->source, &retarget->sourceBody );
	if ( retarget->def->pairCount > 0 )
	{
		retarget->mode = sup_matchPairs;
		return MatchPairs( retarget ) && OrderLinks( retarget );
	}
	retarget->mode = sup_matchNames;
	int32_t matched = MatchNames( retarget, animated );
	if ( matched < 0 )
	{
		return false;
	}
	bool bothPeople = retarget->targetIsHumanoid && retarget->sourceIsHumanoid;
	if ( bothPeople && (float)matched < MIN_NAME_MATCH_RATIO * (float)animatedCount )
	{
		ForgetLinks( retarget );
		retarget->mode = sup_matchHumanoid;
		return MatchHumanoids( retarget ) && OrderLinks( retarget );
	}
	if ( matched == 0 || 2 * matched < animatedCount )
	{
		return FailMatch( retarget, matched, animatedCount );
	}
	return OrderLinks( retarget );
}
