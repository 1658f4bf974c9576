// SPDX-License-Identifier: MIT
// Contact in a scene.
//
// In a substep, between the phases of the methods:
//
//     start     evaluate surfaces                         before predict
//     detect    predicted surfaces -> rows                after predict
//     sweep     solve rows                                after each pass of solve
//     finish    solved surfaces -> rows, sweep,           after attachments
//               until nothing is deep; then velocities
//
// Rows approximate a vertex by weights on particles (bindVertex). The method computes the exact surface (frame,
// writeSurface), and finish alternates between the two.
#pragma once

#include "contact/detector.h"
#include "contact/rows.h"
#include "scene/collider.h"

// Particles and weights of the vertices of a flesh; shared by its actors.
typedef struct supContactBinding
{
	const supFlesh* flesh;
	int32_t users;
	int32_t vertexCount;     // of all instances
	int32_t* instanceStarts; // instanceCount + 1
	int32_t* starts;         // vertexCount + 1
	int32_t* particles;
	float* weights;
	supTouchFaces faces;
	float longestEdge; // at rest
	// particles to push, if more than those of the vertex
	bool isSpread;
	int32_t* spreadStarts;
	int32_t* spreadParticles;
	float* spreadWeights;
	// the surface for contact with other skin, empty until an actor needs it; and the vertex of each of its vertices
	supContactSkin skin;
	int32_t* skinVertices;
} supContactBinding;

// A vertex near a collider.
typedef struct supContactFound
{
	supTouch touch;
	int32_t collider;
} supContactFound;

// Contact state of an actor; valid for one substep except for the first three.
struct supActorContact
{
	supContactSettings settings;
	float thickness;
	supContactBinding* binding;
	int32_t particleCount;
	float* shifts;
	// of each vertex
	supVec3* start;
	supVec3* now;
	int32_t* marks;
	int32_t mark;
	supTouch* touches;
	int32_t foundCount;
	int32_t foundDropped;
	supContactFound* found;
	// per skin vertex; NULL if only colliders are touched
	supVec3* skinStart;
	supVec3* skinNow;
	// positions at the last detection
	supVec3* skinSeen;
	// per skin vertex: the actor it is pushed out of (contact_deep.c), or NULL
	const supActor** within;
	// of each vertex: the last of its rows with other surfaces, or -1
	int32_t* heads;
	// `now` is the surface at the end of the substep
	bool isFresh;
	// a collider or a surface is within reach
	bool isNear;
	// another surface, or its own, is
	bool isTouching;
	supBox box; // of start and now
	float deepest;
	const supSubstep* step; // current

	// contact_settle.c: per particle 16 bytes, its position at the beginning of the substep, and whether it is near
	// other skin; NULL if no bones press on it
	float* places;
	uint8_t* crammed;
	// speed limit of these; INFINITY: none
	float mostSpeed;
	// of the step
	float boneSpeed;
	// skin presses on it; something else moves it
	bool isPressed;
	bool isStirred;
};

// contact_binding.c
// NULL when out of memory.
supContactBinding* supCreateContactBinding( const supActor* actor );
void supContactBinding_Release( supContactBinding* binding );
// The instance of a vertex; vertices are numbered across instances.
static inline int32_t supContactBinding_InstanceOf( const supContactBinding* binding, int32_t vertex )
{
	int32_t instance = 0;
	while ( binding->instanceStarts[instance + 1] <= vertex )
	{
		instance += 1;
	}
	return instance;
}

// The particles of a vertex; vertices are numbered across instances.
void supContactBinding_Bind( const supContactBinding* binding, int32_t vertex, supContactSide* side );

typedef struct supContactWorld supContactWorld;

// Parameters of a step.
typedef struct supContactStep
{
	int32_t actorCount;
	supActor** actors;
	const supSubstep* steps; // of the actors
	const supTasks* tasks;
	// actors in parallel, each on one thread
	bool across;
	float dt;           // of the substep
	float weightBefore; // fraction of the step at the beginning of the substep
	float weight;       // and at its end
	supVec3 gravity;
	int32_t sweeps;
	float recoverySpeed;
	supDetection detection;
	bool isLastPass;
} supContactStep;

// NULL when out of memory.
supContactWorld* supCreateContactWorld( void );
void supDestroyContactWorld( supContactWorld* world );

// True if the scene has contact at all.
bool supContactWorld_IsActive( const supContactWorld* world );

// Returns false with an error if out of memory, without changes. `binding` is that of another actor of the same flesh,
// or NULL.
bool supContactWorld_AddActor( supContactWorld* world, supActor* actor, supContactBinding* binding, supError* error );
// The actor need not have been added.
void supContactWorld_RemoveActor( supContactWorld* world, supActor* actor );

bool supContactWorld_AddCollider( supContactWorld* world, supCollider* collider, supError* error );
void supContactWorld_RemoveCollider( supContactWorld* world, supCollider* collider );
int32_t supContactWorld_ColliderCount( const supContactWorld* world );
supCollider* supContactWorld_Collider( const supContactWorld* world, int32_t index );
const supContact* supContactWorld_List( const supContactWorld* world, int32_t* count );
const supContactStats* supContactWorld_Stats( const supContactWorld* world );
void supContactWorld_WakeUp( supContactWorld* world );

// Called before the awake actors are collected: moving objects wake anything they may touch.
void supContactWorld_Begin( supContactWorld* world, supActor** actors, int32_t actorCount, float dt );

// The phases above; actors of the step are those awake.
void supContactWorld_Start( supContactWorld* world, const supContactStep* step );
void supContactWorld_Detect( supContactWorld* world, const supContactStep* step );
void supContactWorld_Sweep( supContactWorld* world, const supContactStep* step );
void supContactWorld_Finish( supContactWorld* world, const supContactStep* step );

// After the substeps.
void supContactWorld_End( supContactWorld* world, float dt, bool maySleep );
