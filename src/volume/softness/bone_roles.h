// SPDX-License-Identifier: MIT
// What each bone is in the anatomy of a body, and how soft the flesh around it may be.
//
// Sources, the first that knows wins: the humanoid recognizer, words in the joint's name, the parent's role, and the
// shape of the skeleton with the skin that it carries:
//
// - paired: a branch with a sibling of the same number of joints and about the same length and skin. Paired branches of
//   the trunk are limbs if they reach the ground, fork (hands) or are long.
// - loose: slender branches that carry no weight: tails, ears, hair, tentacles, wings.
// - an unpaired branch that holds pairs continues the trunk; one that does not is a tail if it tapers, else neck and
//   head.
//
// A body with no limbs (snake, fish, slime) is equally soft all along, but for its head.
//
// Values are given at the joints and, for the last bone of a chain, at its end; along a bone they are interpolated, so
// that softness has no step from bone to bone.
#pragma once

#include "supple/character.h"
#include "volume/body/bones.h"

typedef enum supBoneRole
{
	sup_boneUnknown,
	sup_boneTrunk, // pelvis to chest
	sup_boneNeck,
	sup_boneHead,      // and whatever is firm: jaws, horns, props
	sup_boneShoulder,  // clavicles, scapulae
	sup_boneLimb,      // from shoulder or hip to wrist or ankle
	sup_boneExtremity, // hands, feet, hooves
	sup_boneLoose,     // swings as a whole
	sup_boneFat,       // bones for flesh alone: breasts, bellies
} supBoneRole;

// The skin that follows a bone, each vertex by its weight.
typedef struct supCarriedSkin
{
	float area;     // m2
	float distance; // mean distance from the bone, m
} supCarriedSkin;

typedef struct supBoneRoles
{
	supArena arena;
	// of each bone
	uint8_t* roles;
	// largest softness of flesh at the joint and at the end of a bone without children, 0..1
	float* softness;
	float* endSoftness;
	// 1: flesh right at the bone is as soft as at the skin; 0: the bone holds it
	float* looseness;
	float* endLooseness;
	// mean distance of the skin from the bones of trunk, neck, tail and the like, m; 0 where they carry none
	float girth;
	// without limbs: a snake, a fish, a slime
	bool isEven;
	// of each segment of the bones: the child that it leads to, -1 for a stub
	int32_t* ends;
} supBoneRoles;

typedef struct supBoneRolesDef
{
	const supCharacter* character;
	// with nodes
	const supBones* bones;
	// of each bone
	const supCarriedSkin* skin;
	// bounds of the body at rest; y is up
	supBox bounds;
} supBoneRolesDef;

// False only when out of memory. Nothing is left behind.
// - roles is zero-initialised
bool supBoneRoles_Init( supBoneRoles* roles, const supBoneRolesDef* def );
void supBoneRoles_Destroy( supBoneRoles* roles );

// The values at a place of a segment of a bone: t is 0 at its joint and 1 at its end.
void supBoneRoles_At( const supBoneRoles* roles, int32_t bone, int32_t segment, float t, float* softness,
					  float* looseness );
