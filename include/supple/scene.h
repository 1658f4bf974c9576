// SPDX-License-Identifier: MIT
/// @file scene.h
/// The only mutable thing: actors in a scene, moved forward in time.
///
///     poses in -> supScene_Step( scene, dt ) -> positions and normals out
///
/// After warm-up a step allocates nothing, and its result does not depend on the number of threads.
#pragma once

#include "supple/base.h"
#include "supple/flesh.h"

typedef struct supScene supScene;
typedef struct supActor supActor;

typedef struct supSceneDef
{
	/// Steps that each call of supScene_Step is cut into, at least 1; poses are interpolated between. Default 1.
	int32_t substeps;
	/// NULL (default): everything on the calling thread. Must outlive the scene.
	const supTasks* tasks;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supSceneDef;

SUP_API supSceneDef supDefaultSceneDef( void );

/// - def comes from supDefaultSceneDef; error may be NULL
SUP_API supScene* supCreateScene( const supSceneDef* def, supError* error );

/// Destroys the actors too. NULL is fine.
SUP_API void supDestroyScene( supScene* scene );

/// Moves everything forward by `dt` seconds: every actor goes from the pose that it was in to the pose that it was
/// given.
/// - dt is finite and not negative; 0 moves nothing but brings surfaces up to date
SUP_API void supScene_Step( supScene* scene, float dt );

/// Milliseconds since the scene was created, over all actors.
typedef struct supPhaseTimes
{
	double predict;
	double solve;
	double finish;
	double surface;
} supPhaseTimes;

typedef struct supSceneStats
{
	int64_t steps;
	supPhaseTimes milliseconds;
	/// Since the scene was created.
	supTrouble trouble;
} supSceneStats;

SUP_API supSceneStats supScene_GetStats( const supScene* scene );

// ---------------------------------------------------------------------------------------------------------------------
// Actors

/// At rest, in the character's rest pose. The flesh must outlive the actor. NULL only when out of memory.
SUP_API supActor* supScene_AddActor( supScene* scene, const supFlesh* flesh, supError* error );
SUP_API void supScene_RemoveActor( supScene* scene, supActor* actor );

SUP_API const supFlesh* supActor_Flesh( const supActor* actor );

/// The pose to be reached by the end of the next step: write into it.
SUP_API supPose* supActor_Pose( supActor* actor );

/// Puts the actor into its pose at rest, as if it had been there for ever: the start of a shot, or a teleport.
SUP_API void supActor_Reset( supActor* actor );

/// World positions and unit normals of one instance of the character, as of the last step or reset; vertexCount of its
/// mesh. Valid until the actor is removed; the values change with each step.
SUP_API const supVec3* supActor_Positions( const supActor* actor, int32_t instance );
SUP_API const supVec3* supActor_Normals( const supActor* actor, int32_t instance );

/// Everything that a later step depends on, as plain bytes: save, restore, and go on bit for bit the same.
/// The bytes belong to this flesh and this version of the library.
SUP_API size_t supActor_StateSize( const supActor* actor );
SUP_API void supActor_SaveState( const supActor* actor, void* bytes );
SUP_API void supActor_RestoreState( supActor* actor, const void* bytes );

/// How far the surface is from its shape at rest.
SUP_API supSurfaceMeasure supActor_Measure( supActor* actor );
