// SPDX-License-Identifier: MIT
// The guard: keeps the drawn skin within what skin can do, whatever a method makes of it.
//
// Where flesh stretches or squeezes an edge of the drawn surface far more than skinning of the same pose does (linear
// blend skinning, or dual quaternions where that collapses, guard_sound.c), or carries a vertex farther away from it
// than the flesh there is thick, the surface is blended toward that skinning: x += w ( skin - x ). Distances are
// limited smoothly, each vertex by itself. For an edge the weight is the least that brings it back within its limits;
// it fades over the surface around the place, also onto other shells that lie on it (eyes, clothes), and over time
// after the cause has gone.
//
// Before that, shells that lie on others are moved along with the flesh beneath (guard_shells.c).
//
// Only the drawn surface changes; the method's own state does not. The guard is for what a clip does to flesh: an actor
// that is dragged, attached or touched, and a body that has no skin weights, is drawn as the method has it.
#pragma once

#include "scene/actor.h"

// A vertex of a shell that lies on another one.
typedef struct supRider
{
	int32_t vertex; // among all
	int32_t group;  // shells that keep their shape have one, -1 otherwise
	// the place beneath: vertices of the other shell
	int32_t anchors[3];
	float weights[3];
} supRider;

// A place and what lies right under or over it: the body beneath a shirt, the lining, the back of an ear. Both follow
// the same bones.
typedef struct supLayerLink
{
	int32_t place;
	int32_t others[3]; // places
	float weights[3];
	float distance; // at rest, metres
} supLayerLink;

// Two joints of the skin of an instance that move skin together; the first is the one above, where one is.
typedef struct supGuardPair
{
	int32_t instance;
	int32_t upper, lower;
	int32_t begin, end; // in pairVertices
} supGuardPair;

// The drawn surface as a graph, shared by actors of one flesh.
typedef struct supGuardMesh
{
	int32_t users;
	supArena arena;
	// diagonal of the bounds at rest, metres
	float size;
	int32_t vertexCount;
	// first vertex of each instance among all; instanceCount + 1
	const int32_t* vertexStarts;
	// edges of each instance start here; instanceCount + 1. Two vertices of the instance each, and the length at rest.
	const int32_t* edgeStarts;
	const int32_t* edges;
	const float* lengths;
	// vertices at the same place are one
	int32_t placeCount;
	const int32_t* places; // of each vertex
	const float* shares;   // of each place: 1 / how many are there
	const int32_t* vertexListStarts;
	const int32_t* vertexLists; // of each place, those that are there
	// first triangle of each instance among all; instanceCount + 1
	const int32_t* triangleStarts;
	const float* areas; // of each triangle at rest, m2
	const int32_t* triangleListStarts;
	const int32_t* triangleLists; // of each place, those that have a corner there; twice where two corners are
	// neighbours of each place, along edges, to the nearest place of another shell and to the layers above and below,
	// and how far they are at rest
	const int32_t* starts;
	const int32_t* edgeEnds; // of each place: where its neighbours along edges end
	const int32_t* neighbours;
	const float* distances;
	const float* aroundLengths; // of each place: sum of the distances along edges
	// the same along edges, each pair once, in the order of the smaller place; distances have room for a multiple of 8
	int32_t linkCount;
	const int32_t* linkStarts; // of each place
	const int32_t* linkFrom;
	const int32_t* linkTo;
	const float* linkDistances;
	// joints of the skin of each instance start here; instanceCount + 1
	const int32_t* jointStarts;
	const int32_t* jointOrder; // those above come first
	const int32_t* jointAbove; // of each joint, -1 for none
	const int32_t* jointPairs; // of each joint, with the one above; -1 where no skin is between
	int32_t pairCount;
	const supGuardPair* pairs;
	const int32_t* pairVertices; // among all
	// how far each place may get from skinning, metres
	const float* reaches;
	int32_t layerCount;
	const supLayerLink* layers;
	const int32_t* layerListStarts;
	const int32_t* layerLists; // of each place, those that it is part of
	// one shell after the other
	int32_t riderCount;
	const supRider* riders;
} supGuardMesh;

static inline const supMesh* supInstanceMesh( const supCharacter* character, int32_t instance )
{
	return supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
}

// A vertex at a place.
static inline int32_t supGuardMesh_Vertex( const supGuardMesh* mesh, int32_t place )
{
	return mesh->vertexLists[mesh->vertexListStarts[place]];
}

// guard_mesh.c: of the character in its rest pose. NULL when out of memory.
// - limits as supFlesh.reaches, may be NULL
supGuardMesh* supCreateGuardMesh( const supCharacter* character, const float* limits, const supTasks* tasks );
void supGuardMesh_Release( supGuardMesh* mesh );

// Does the guard watch this actor at all?
bool supActor_CreateGuard( supActor* actor, const supActor* sibling );
void supActor_DestroyGuard( supActor* actor );

// Nothing was guarded before.
void supActor_ResetGuard( supActor* actor );

// After the surface is drawn, `dt` seconds after it was drawn last.
void supActor_GuardSurface( supActor* actor, float dt, const supTasks* tasks, int32_t worker );

// The surface is drawn anew as it was: with the weights that it had.
void supActor_RedrawGuarded( supActor* actor, const supTasks* tasks );

// Part of the state.
size_t supActor_GuardSize( const supActor* actor );
void supActor_SaveGuard( const supActor* actor, uint8_t* bytes );
void supActor_RestoreGuard( supActor* actor, const uint8_t* bytes );
