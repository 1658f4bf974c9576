// SPDX-License-Identifier: MIT
/// @file flesh.h
/// A character made ready for one method: what is computed once and shared by any number of actors. Immutable.
#pragma once

#include "supple/base.h"
#include "supple/character.h"

/// How the surface follows the skeleton.
typedef enum supMethodId
{
	/// Linear blend skinning, as every engine does it: no flesh.
	sup_methodLbs,
	/// Dual quaternion skinning: no flesh, but twists keep their volume.
	sup_methodDqs,
	sup_methodCount
} supMethodId;

/// The name used in files and on the command line ("lbs"), never NULL.
/// - the method is in range
SUP_API const char* supMethodName( supMethodId method );

/// One line about it.
/// - the method is in range
SUP_API const char* supMethodSummary( supMethodId method );

/// Returns false where there is no method of this name.
SUP_API bool supFindMethod( const char* name, supMethodId* method );

typedef struct supFleshDef
{
	/// Default sup_methodDqs.
	supMethodId method;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supFleshDef;

SUP_API supFleshDef supDefaultFleshDef( void );

typedef struct supFlesh supFlesh;

/// Keeps a pointer to the character, which must outlive the flesh.
/// - def comes from supDefaultFleshDef; tasks and error may be NULL
SUP_API supFlesh* supBuildFlesh( const supCharacter* character, const supFleshDef* def, const supTasks* tasks,
								 supError* error );

/// After all actors that use it are gone. NULL is fine.
SUP_API void supDestroyFlesh( supFlesh* flesh );

SUP_API const supCharacter* supFlesh_Character( const supFlesh* flesh );
SUP_API const char* supFlesh_MethodName( const supFlesh* flesh );

// ---------------------------------------------------------------------------------------------------------------------
// What methods report

/// What went wrong numerically and was repaired, counted.
typedef struct supTrouble
{
	/// Positions or velocities that were not numbers and were put back.
	int64_t notFinite;
	/// Elements that were turned inside out and were righted.
	int64_t inverted;
	/// Solves that did not converge in the iterations they had.
	int64_t notConverged;
} supTrouble;

/// How far the surface is from its shape at rest.
typedef struct supSurfaceMeasure
{
	/// Volume against the rest pose, relative and signed: -0.02 has lost 2 %. Over all instances together, each taken
	/// about its own middle, so that small holes matter little; means nothing for flat or wide open meshes.
	float volumeError;
	/// Largest relative change of the length of an edge against the rest pose.
	float stretch;
	/// Mechanical energy in joules; 0 for methods without mass.
	float energy;
	/// Deepest penetration in metres; 0 without contact.
	float penetration;
} supSurfaceMeasure;
