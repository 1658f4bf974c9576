// SPDX-License-Identifier: MIT
// Motion of one skeleton put onto another.
//
//   match     which node of the source moves which node of the target          retarget_match.c
//   stance    the pose in which both are compared, how the target is turned
//             into the source's, and how far and high the root travels         retarget_stance.c, retarget_bind.c
//   pose      source pose -> world rotations -> target's local                 retarget_pose.c
//   sample    that, at every key of a clip                                     retarget.c
//
// With S(t), T(t) the world rotations of a pair of nodes, S0 and T0 those at rest, A the rotation that turns the
// source's body (up, left) into the target's, and C the rotation that brings the target's bone at rest into the
// direction of the source's,
//
//   T(t) = A ( S(t) S0^-1 ) A^-1 C T0.
//
// The bracket is how far the source's bone has turned since rest, in world axes, so that the two skeletons' local axes
// do not matter. C is the identity for the trunk and the head, which look alike at rest; for arms and legs it makes up
// for T-pose against A-pose.
#pragma once

#include "character/humanoid.h"
#include "core/arena.h"
#include "core/array.h"

// A node of the target and what moves it.
typedef struct supLink
{
	int32_t target;
	// Between two nodes of the source: `blend` 0 is the first, 1 the second. Equal nodes where one moves it alone.
	int32_t sources[2];
	float blend;
	// What it is, as far as known; left 0, right 1, -1 neither.
	supBodyPart part;
	int32_t side;
	// The link of the nearest linked ancestor, -1 without.
	int32_t parent;
	// C
	supQuat correction;
	// of a loose foot: its place in the space of the lower leg
	supVec3 inLeg;
	// it takes over translations, scales
	bool moves;
	bool grows;
} supLink;

typedef enum supMatchMode
{
	sup_matchPairs,
	sup_matchNames,
	sup_matchHumanoid,
} supMatchMode;

// World transforms of all nodes in one pose.
typedef struct supStance
{
	supQuat* rotations;
	supMat34* worlds;
} supStance;

typedef struct supRetarget
{
	const supCharacter* target;
	const supCharacter* source;
	const supClip* clip;
	const supRetargetDef* def;
	supError* error;
	// scratch, gone when the clip is made
	supArena arena;

	supMatchMode mode;
	bool targetIsHumanoid;
	bool sourceIsHumanoid;
	supHumanoid targetBody;
	supHumanoid sourceBody;
	// parents before children
	SUP_ARRAY( supLink ) links;
	// by node of the target: its link, -1 without
	int32_t* linkOfTarget;

	supPose* sourcePose;
	supPose* targetPose;
	supStance sourceRest;
	supStance targetRest;
	// A
	supQuat alignment;
	supVec3 targetUp;
	// ratio of the skeletons' sizes, and the factor of root travel
	float sizeRatio;
	float travel;
	// the link whose place in the world follows the source's: the hips, or the first
	int32_t rootLink;
	// where the source's root stands in the stance, and the place of the target's that belongs to it
	supVec3 sourceRootPlace;
	supVec3 targetRootPlace;
} supRetarget;

// Fills links, in the order of the target's hierarchy. False with an error where too little matches.
bool supMatchSkeletons( supRetarget* retarget );

// Fills everything below the links.
bool supComputeStance( supRetarget* retarget );

// The pose in which the skins were bound, or the rest pose where that is the same or the skins do not tell. False only
// when out of memory.
bool supPoseBound( const supCharacter* character, supPose* pose, supArena* arena );

// The unit vector along the axis that is nearest to v.
supVec3 supNearestAxis( supVec3 v );

// World rotations (scale left out) and matrices of a pose.
void supReadStance( const supCharacter* character, supPose* pose, supStance* stance );

// Sets the target's pose to `turns` (one per link: A S(t) S0^-1 A^-1) and reads its world rotations.
void supPoseTarget( supRetarget* retarget, const supQuat* turns, supQuat* rotations );

// Which links move and grow.
void supChooseTracks( supRetarget* retarget );

// Sets the target's pose to what the source does: its pose, read into the stance `source`. `turns` (one per link) and
// `rotations` (one per node of the target) are scratch.
void supFollowSource( supRetarget* retarget, const supStance* source, supQuat* turns, supQuat* rotations );

// ---------------------------------------------------------------------------------------------------------------------
// The same for motion that is not known beforehand: pose by pose, without allocating.

typedef struct supFollower supFollower;

// NULL with an error as supRetargetClip. The clip says which nodes of the source move; its keys are of no importance.
// - target and source outlive the follower
SUP_SHARED_API supFollower* supCreateFollower( const supCharacter* target, const supCharacter* source,
											   const supClip* clip, const supRetargetDef* def, supError* error );

// NULL is fine.
SUP_SHARED_API void supDestroyFollower( supFollower* follower );

// Write into it, then update; the target's pose is the follower's and stays until the next update.
SUP_SHARED_API supPose* supFollower_Source( supFollower* follower );
SUP_SHARED_API supPose* supFollower_Update( supFollower* follower );

// How many nodes of the target follow, and the one whose place in the world does.
SUP_SHARED_API int32_t supFollower_LinkCount( const supFollower* follower );
SUP_SHARED_API int32_t supFollower_Root( const supFollower* follower );
