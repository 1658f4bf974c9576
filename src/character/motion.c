// SPDX-License-Identifier: MIT
#include "character/motion.h"

#include "character/humanoid.h"

#include <string.h>

// Between trunk and legs, 45 degrees.
#define MIN_UPRIGHT_COSINE 0.707f

// A motion that suits every body has one in its second column; -1 where only a humanoid can play it.
static const struct
{
	const char* name;
	int32_t body;
	const char* summary;
} s_motions[] = {
	{ "walk", -1, "walks on the spot" },
	{ "run", -1, "runs on the spot" },
	{ "jump", -1, "crouches, jumps and lands" },
	{ "dance", -1, "steps from side to side and swings hips and arms" },
	{ "shake", sup_bodyShake, "shakes the whole body" },
	{ "swing", sup_bodySwing, "swings tails, ears, tentacles and other chains of joints" },
	{ "turn", sup_bodyTurn, "turns around in two half turns with a stop between" },
	{ "hop", sup_bodyHop, "hops on the spot" },
};

int32_t supMotionCount( void )
{
	return SUP_COUNT( s_motions );
}

const char* supMotionName( int32_t index )
{
	return index >= 0 && index < SUP_COUNT( s_motions ) ? s_motions[index].name : NULL;
}

const char* supMotionSummary( int32_t index )
{
	return index >= 0 && index < SUP_COUNT( s_motions ) ? s_motions[index].summary : NULL;
}

int32_t supFindMotion( const char* name )
{
	for ( int32_t i = 0; i < SUP_COUNT( s_motions ); ++i )
	{
		if ( strcmp( s_motions[i].name, name ) == 0 )
		{
			return i;
		}
	}
	return -1;
}

// A person stands upright: from the feet to the hips goes much the same way as from the hips to the head. A dinosaur
// with joints of the same names does not, and would be bent into one.
static bool StandsUpright( const supCharacter* character, const supHumanoid* person )
{
	supPose* pose = supCreatePose( character );
	if ( pose == NULL )
	{
		return false;
	}
	const supMat34* worlds = supPose_Worlds( pose );
	supVec3 hips = worlds[person->hips].t;
	int32_t top = person->head >= 0        ? person->head
				  : person->neckCount > 0  ? person->neck[person->neckCount - 1]
				  : person->spineCount > 0 ? person->spine[person->spineCount - 1]
										   : person->hips;
	supVec3 trunk = supSub( worlds[top].t, hips );
	supVec3 legs = supVec3_zero;
	for ( int32_t side = 0; side < 2; ++side )
	{
		const int32_t* limb = person->limb[side];
		int32_t end = limb[sup_partFoot] >= 0 ? limb[sup_partFoot] : limb[sup_partLowerLeg];
		legs = end >= 0 ? supAdd( legs, supSub( hips, worlds[end].t ) ) : legs;
	}
	supDestroyPose( pose );
	return supDot( trunk, legs ) > MIN_UPRIGHT_COSINE * supLength( trunk ) * supLength( legs );
}

static bool IsHumanoid( const supCharacter* character )
{
	supHumanoid person;
	return supRecognizeHumanoid( character, &person ) && StandsUpright( character, &person );
}

bool supMotionFits( int32_t index, const supCharacter* character )
{
	if ( index < 0 || index >= SUP_COUNT( s_motions ) || supCharacter_InstanceCount( character ) == 0 )
	{
		return false;
	}
	int32_t body = s_motions[index].body;
	return body < 0 ? IsHumanoid( character ) : body != sup_bodySwing || supHasChains( character );
}

supClip* supCreateMotion( const supCharacter* character, const char* name, supError* error )
{
	supClearError( error );
	int32_t index = supFindMotion( name );
	if ( index < 0 )
	{
		supSetError( error, sup_errorArgument, name,
					 "unknown motion; use walk, run, jump, dance, shake, swing, turn or hop" );
		return NULL;
	}
	if ( supMotionFits( index, character ) == false )
	{
		supSetError( error, sup_errorArgument, supCharacter_Name( character ),
					 s_motions[index].body < 0
						 ? "its skeleton is not recognised as humanoid, which '%s' requires; use shake, turn or hop"
						 : "it has no tail, ear or other chain of joints for '%s'; use shake, turn or hop",
					 name );
		return NULL;
	}
	const supPersonMotion* motion = supFindPersonMotion( name );
	if ( motion != NULL && IsHumanoid( character ) )
	{
		return supCreatePersonClip( character, motion, error );
	}
	return supCreateBodyClip( character, (supBodyMotion)s_motions[index].body, s_motions[index].name, error );
}
