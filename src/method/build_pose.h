// SPDX-License-Identifier: MIT
// The pose in which flesh is built.
//
// Exporters write whatever pose was on the screen as the rest pose, often the first frame of a clip, with arms that
// hang at the thighs; the bind matrices still hold the pose in which the skin was modelled and painted. Where that one
// is more open, or the rest pose crumples the skin, flesh is built there. Methods need not know: they get a character
// whose rest pose is the build pose, and everything they derive from it (surface, bones, inverse rest transforms,
// bindings) is relative to it.
#pragma once

#include "method/method.h"

typedef struct supBuildPose
{
	// what flesh is to be built from: the character given, or one that differs from it in the rest pose and shares
	// everything else with it
	const supCharacter* character;
	supCharacter* posed;
	// voxel faces between parts that only lie near each other, in the rest pose and in the bind pose; both 0 where
	// there is no choice
	int32_t restBridges;
	int32_t bindBridges;
	// part of the skin that is crumpled in the rest pose, as seen from the bind pose, and the other way around
	float restCrumpling;
	float bindCrumpling;
} supBuildPose;

// Chooses. The rest pose is kept where something in the definition is given in its space (tetrahedra, a control
// lattice, spheres, joints). False and an error only when out of memory.
// - pose is zero-initialised; the character outlives it
bool supBuildPose_Init( supBuildPose* pose, const supCharacter* character, const supFleshDef* def,
						const supTasks* tasks, supError* error );

// Moves what is built so that `center` comes to lie at the origin, where floats are finest: a character may stand
// anywhere in a world. Nothing happens where something in the definition is given in the space of the rest pose.
bool supBuildPose_Recenter( supBuildPose* pose, supVec3 center, const supFleshDef* def, supError* error );
void supBuildPose_Destroy( supBuildPose* pose );
