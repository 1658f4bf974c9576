// SPDX-License-Identifier: MIT
// Contact of all that is in a scene.
//
// In a substep, between the phases of the methods:
//
//     start     where surfaces are                        before predict
//     detect    surfaces as predicted -> rows             after predict
//     sweep     rows, as the flesh is now                 after each pass of solve
//     finish    surfaces as solved -> rows anew, sweep,   after attachments
//               until nothing is deep; then velocities
//
// Rows hold what a vertex hangs on by weights alone (bindVertex), which is not all that moves it: where the surface
// really is comes from the method (frame, writeSurface), and finish goes back and forth between the two.
#pragma once

#include "contact/detector.h"
#include "contact/rows.h"
#include "scene/collider.h"

// What the vertices of a flesh hang on; shared by its actors.
typedef struct supContactBinding
{
	const supFlesh* flesh;
	int32_t users;
	int32_t vertexCount;     // of all instances, one after the other
	int32_t* instanceStarts; // instanceCount + 1
	int32_t* starts;         // vertexCount + 1
	int32_t* particles;
	float* weights;
	supTouchFaces faces;
	float longestEdge; // at rest
	// what is pushed to move them, where that is more
	bool isSpread;
	int32_t* spreadStarts;
	int32_t* spreadParticles;
	float* spreadWeights;
	// the surface as others touch it; without vertices until an actor wants that, and then the vertex that each of its
	// vertices is
	supContactSkin skin;
	int32_t* skinVertices;
} supContactBinding;

// A vertex near a collider.
typedef struct supContactFound
{
	supTouch touch;
	int32_t collider;
} supContactFound;

// Of an actor; all of it for one substep but for the first three.
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
	// of each vertex of the skin; NULL where nobody is touched but colliders
	supVec3* skinStart;
	supVec3* skinNow;
	// where they were when contacts were last looked for
	supVec3* skinSeen;
	// of each vertex of the skin: the actor that it is led out of (contact_deep.c), or NULL
	const supActor** within;
	// of each vertex: the last of its rows with other surfaces, or -1
	int32_t* heads;
	// `now` is where the surface is at the substep's end
	bool isFresh;
	// something is within reach
	bool isNear;
	// other surfaces, or its own, are
	bool isTouching;
	supBox box; // of start and now
	float deepest;
	const supSubstep* step; // of the substep at hand

	// contact_settle.c: 16 bytes a particle, where it was when the substep began, and whether it is near others; NULL
	// where no bones press on it
	float* places;
	uint8_t* crammed;
	// of these: INFINITY where they may be as fast as they are
	float mostSpeed;
	// of the step
	float boneSpeed;
	// others press on it, and something else than that moves it
	bool isPressed;
	bool isStirred;
};

// contact_binding.c
// NULL when out of memory.
supContactBinding* supCreateContactBinding( const supActor* actor );
void supContactBinding_Release( supContactBinding* binding );
// Which instance a vertex is of, among all of all instances.
static inline int32_t supContactBinding_InstanceOf( const supContactBinding* binding, int32_t vertex )
{
	int32_t instance = 0;
	while ( binding->instanceStarts[instance + 1] <= vertex )
	{
		instance += 1;
	}
	return instance;
}

// The particles of a vertex, among all of all instances.
void supContactBinding_Bind( const supContactBinding* binding, int32_t vertex, supContactSide* side );

typedef struct supContactWorld supContactWorld;

// What a step is made with.
typedef struct supContactStep
{
	int32_t actorCount;
	supActor** actors;
	const supSubstep* steps; // of the actors
	const supTasks* tasks;
	// each actor on one thread
	bool across;
	float dt;           // of the substep
	float weightBefore; // how far along the step the substep begins
	float weight;       // and ends
	supVec3 gravity;
	int32_t sweeps;
	float recoverySpeed;
	supDetection detection;
	bool isLastPass;
} supContactStep;

// NULL when out of memory.
supContactWorld* supCreateContactWorld( void );
void supDestroyContactWorld( supContactWorld* world );

// Is there anything that could touch?
bool supContactWorld_IsActive( const supContactWorld* world );

// False with an error where out of memory; nothing has changed then. `binding` is that of another actor of the same
// flesh, or NULL.
bool supContactWorld_AddActor( supContactWorld* world, supActor* actor, supContactBinding* binding, supError* error );
// Fine where it was never added.
void supContactWorld_RemoveActor( supContactWorld* world, supActor* actor );

bool supContactWorld_AddCollider( supContactWorld* world, supCollider* collider, supError* error );
void supContactWorld_RemoveCollider( supContactWorld* world, supCollider* collider );
int32_t supContactWorld_ColliderCount( const supContactWorld* world );
supCollider* supContactWorld_Collider( const supContactWorld* world, int32_t index );
const supContact* supContactWorld_List( const supContactWorld* world, int32_t* count );
const supContactStats* supContactWorld_Stats( const supContactWorld* world );
void supContactWorld_WakeUp( supContactWorld* world );

// Before the actors' awake ones are found: wakes whoever is about to be touched.
void supContactWorld_Begin( supContactWorld* world, supActor** actors, int32_t actorCount, float dt );

// The phases above; actors of the step are those awake.
void supContactWorld_Start( supContactWorld* world, const supContactStep* step );
void supContactWorld_Detect( supContactWorld* world, const supContactStep* step );
void supContactWorld_Sweep( supContactWorld* world, const supContactStep* step );
void supContactWorld_Finish( supContactWorld* world, const supContactStep* step );

// After the substeps.
void supContactWorld_End( supContactWorld* world, float dt, bool maySleep );
