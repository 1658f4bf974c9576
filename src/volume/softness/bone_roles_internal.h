// SPDX-License-Identifier: MIT
// What the parts of finding roles share.
#pragma once

#include "volume/softness/bone_roles.h"

typedef struct supRoleFinder
{
	const supBoneRolesDef* def;
	supBoneRoles* roles;
	supArena scratch;
	// parents before children
	int32_t* order;
	// of each bone with all below it: joints, ends of chains, skin, the longest way to an end from the parent's joint
	int32_t* jointCounts;
	int32_t* endCounts;
	float* areas;
	float* lengths;
	// lowest y of an end
	float* lowest;
	// has two equal branches somewhere below
	bool* hasPairs;
	// first child of each bone in `children`, count + 1 are used
	int32_t* childStarts;
	int32_t* children;
	// the first bone of the same role above each, the way from there, and the longest way on within the role
	int32_t* firsts;
	float* ways;
	float* rests;
	// of the first bone of a limb: the way to its knee or elbow
	float* knees;
	// of sup_boneFat
	float* fat;
	float area;
	float size;
} supRoleFinder;

// bone_words.c: roles that names tell. Others stay sup_boneUnknown.
void supTakeNamedRoles( supRoleFinder* finder );
