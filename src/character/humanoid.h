// SPDX-License-Identifier: MIT
// Which joint is the left elbow? Skeletons of people recognised by the names of their joints and by how they hang
// together.
#pragma once

#include "supple/character.h"

typedef enum supBodyPart
{
	sup_partNone = -1,
	// one of each
	sup_partHips,
	sup_partSpine,
	sup_partNeck,
	sup_partHead,
	// one on each side
	sup_partShoulder, // clavicle
	sup_partUpperArm,
	sup_partLowerArm,
	sup_partHand,
	sup_partUpperLeg,
	sup_partLowerLeg,
	sup_partFoot,
	sup_partToe,
	sup_partLooseFoot, // of a rig with inverse kinematics: not below the leg, only held to it
	sup_partThumb1,
	sup_partThumb2,
	sup_partThumb3,
	sup_partIndex1,
	sup_partIndex2,
	sup_partIndex3,
	sup_partMiddle1,
	sup_partMiddle2,
	sup_partMiddle3,
	sup_partRing1,
	sup_partRing2,
	sup_partRing3,
	sup_partLittle1,
	sup_partLittle2,
	sup_partLittle3,
	sup_partCount,
} supBodyPart;

#define SUP_MAX_SPINE 16
#define SUP_MAX_NECK 8

// Nodes of a character by what they are; -1 where it has none.
typedef struct supHumanoid
{
	int32_t hips;
	int32_t head;
	// from the hips upwards, without hips and neck
	int32_t spineCount;
	int32_t spine[SUP_MAX_SPINE];
	int32_t neckCount;
	int32_t neck[SUP_MAX_NECK];
	// left 0, right 1; only parts from sup_partShoulder on are used
	int32_t limb[2][sup_partCount];
} supHumanoid;

// False where the skeleton is not that of a person as far as names tell: hips and both legs (or both arms) are the
// least, and legs and spine point away from each other. `humanoid` is filled as far as it goes.
bool supRecognizeHumanoid( const supCharacter* character, supHumanoid* humanoid );

// What a name alone says about a joint. Words like "Leg" or "Shoulder" mean different bones in different skeletons;
// which one is decided by the joints around it.
typedef enum supNameKind
{
	sup_nameUnknown,
	sup_nameIgnored, // a helper: twist bone, end of a chain, control, hair, ...
	sup_nameHips,
	sup_nameSpine,
	sup_nameNeck,
	sup_nameHead,
	sup_nameClavicle,
	sup_nameShoulder, // clavicle or upper arm
	sup_nameArm,      // upper or lower
	sup_nameUpperArm,
	sup_nameLowerArm,
	sup_nameHand,
	sup_namePalm,
	sup_nameSideHip, // a stub above the leg, or the upper leg
	sup_nameLeg,     // upper or lower
	sup_nameUpperLeg,
	sup_nameLowerLeg,
	sup_nameFoot,
	sup_nameToe,
	sup_nameThumb,
	sup_nameIndex,
	sup_nameMiddle,
	sup_nameRing,
	sup_nameLittle,
} supNameKind;

// `side`: 0 left, 1 right, -1 neither.
supNameKind supClassifyJointName( const char* name, int32_t* side );

// Does the name contain the word? Names are cut into words as for supClassifyJointName. Words of up to three letters
// must match a whole word ("ear" is not in "forearm"); longer ones may be part of one ("tail" is in "ponytail").
// - word is in lower case
bool supJointNameHas( const char* name, const char* word );

// Equal apart from prefixes ("mixamorig:", "Armature|"), case, and blanks, points, underscores and dashes.
bool supJointNamesMatch( const char* a, const char* b );
