// SPDX-License-Identifier: MIT
// A method is a table of functions. All methods fill the same one; adding another touches one new folder and one line
// in src/method/list.c (and its name in supple/flesh.h).
//
// Two halves, as everywhere in Supple:
//   flesh   what is built once from a character: immutable, shared by actors, owned by the method
//   state   what changes: one block of plain bytes per actor, laid out by the method, without a single pointer in it,
//   so
//           that copying the block is saving and copying it back is rolling back
//
// A step of the scene, for every actor (several substeps per step):
//   predict   from the pose at the substep's beginning and end to where things would go
//   solve     the method's own constraints
//   finish    velocities, numeric repair
// and once after the last substep
//   surface   positions and normals of the render meshes
#pragma once

#include "supple/flesh.h"

typedef struct supSubstep
{
	// The pose at the end of this substep, up to date.
	supPose* pose;
	// Seconds, > 0.
	float dt;
	const supTasks* tasks;
	// Count what had to be repaired.
	supTrouble* trouble;
} supSubstep;

typedef struct supMethod
{
	const char* name;
	const char* summary;

	// NULL with an error on failure. Methods that need nothing but the character leave these three NULL.
	void* ( *createFlesh )( const supCharacter* character, const supFleshDef* def, const supTasks* tasks,
							supError* error );
	void ( *destroyFlesh )( void* flesh );

	// Bytes of state per actor; the block is 64-byte aligned. NULL: no state.
	size_t ( *stateSize )( const void* flesh );

	// State at rest in this pose. NULL: nothing to do.
	void ( *reset )( const void* flesh, void* state, supPose* pose, const supTasks* tasks );

	// Each may be NULL.
	void ( *predict )( const void* flesh, void* state, const supSubstep* step );
	void ( *solve )( const void* flesh, void* state, const supSubstep* step );
	void ( *finish )( const void* flesh, void* state, const supSubstep* step );

	// Positions and normals of one instance. Never NULL.
	void ( *writeSurface )( const void* flesh, const void* state, supPose* pose, int32_t instance,
							const supTasks* tasks, const supSkinOutput* output );

	// Adds energy and penetration. NULL: both 0.
	void ( *measure )( const void* flesh, const void* state, supSurfaceMeasure* measure );
} supMethod;

// The list of methods, in the order of supMethodId.
const supMethod* supGetMethod( supMethodId id );

// As supBuildFlesh, for a method that need not be in the list.
supFlesh* supBuildFleshWith( const supCharacter* character, const supMethod* method, const supFleshDef* def,
							 const supTasks* tasks, supError* error );

struct supFlesh
{
	const supCharacter* character;
	const supMethod* method;
	void* own; // the method's
};

// src/method/skinned
extern const supMethod supMethod_lbs;
extern const supMethod supMethod_dqs;
