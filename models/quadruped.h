// SPDX-License-Identifier: MIT
// What deer, horse and cow have in common: the names of their joints, legs that reach for the ground, and clips.
//
// Joints: Hips (the root), Spine1..., Chest, Neck1..., Head, Jaw, Left/RightEar, Tail1..., and the legs below. Spines,
// necks and tails may have fewer joints than the clips know.
#pragma once

#include "creature.h"

#define QUADRUPED_LIMB_JOINTS 6

// From the trunk to the hoof. Front: shoulder blade, upper arm, forearm, cannon bone, pastern, hoof. Hind: the same
// without a shoulder blade.
typedef struct quadrupedLimb
{
	int32_t jointCount;
	bool isFront;
	float sign; // +1 left, -1 right
	const char* names[QUADRUPED_LIMB_JOINTS];
	const char* trunk; // the joint it hangs from
} quadrupedLimb;

// Left hind, left front, right hind, right front: the order in which they step.
extern const quadrupedLimb quadrupedLimbs[4];

// The left side: joints, then the tip of the hoof, with the radius there.
typedef struct quadrupedLimbShape
{
	supVec3 points[QUADRUPED_LIMB_JOINTS + 1];
	float radii[QUADRUPED_LIMB_JOINTS + 1];
	supVec3 upper, lower, hoof; // colours
} quadrupedLimbShape;

// Adds the joints of a limb and a cone along each. Returns the first joint; the others follow.
int32_t quadrupedAddLimb( creature* c, const quadrupedLimb* limb, int32_t trunk, const quadrupedLimbShape* shape );

// Cuts the hooves level at this height and colours the soles; after everything that touches the ground.
void quadrupedLevelSoles( creature* c, float height, supVec3 color );

// Where a foot goes. All zero: where it stands at rest.
typedef struct quadrupedFoot
{
	float x, y, z; // away from its place at rest, metres
	float pitch;   // degrees: tips onto the toe, then folds back
	float wrist;   // degrees that the knee of a front leg folds, beyond what reaching needs
} quadrupedFoot;

// Bends the leg so that the foot comes there, whatever the trunk does. To be called when the trunk is posed.
void quadrupedPlaceFoot( creaturePose* pose, const quadrupedLimb* limb, quadrupedFoot foot );

// Walk, Run, Jump, Shake, HeadTurn, Graze, Fall.
void addQuadrupedClips( creature* c );
