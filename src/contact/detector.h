// SPDX-License-Identifier: MIT
// Which vertices of which skins touch which triangles: several characters, and each with itself.
//
//   Update   boxes of clusters and patches around where the skin is and where it was (in parallel over clusters)
//   Run      broad phase over the boxes of patches ──▶ pairs of proxies by GJK ──▶ clusters that face each other
//            ──▶ narrow phase, in parallel over clusters of vertices ──▶ hits, sorted by body, vertex and gap
//
// What is a contact, exactly (narrow phase `exact`): a place where the distance from a vertex p to the other surface
// has a local minimum, in front of the surface (sign of the normal of the face, edge or vertex that is nearest) by no
// more than `margin`, or behind it by no more than `depth`, with the vertex facing the surface. Behind a thin part the
// side that the vertex faces counts, and nothing counts as behind that has another, nearer front. Open borders have no
// behind. Where things move farther in a step than a fraction of the margin, the path of the vertex is followed: who
// went through the front of a triangle first is behind that triangle, wherever else it is by now.
//
// A character with itself: the two sides must face each other, neighbours on the surface at rest do not touch, nor do
// clusters that penetrate each other at rest (lids, teeth, clothes), what is near at rest touches at half of that, and
// only a vertex inside something, by rays, is behind something (inside_test.c).
//
// Narrow phase `maps` looks along one direction for each pair of patches: see narrow_maps.c.
//
// Guarantees: hits are the same bits for every number of threads and instruction set. Nothing is allocated after
// creation. Positions that are not finite take no part, nor do triangles at them; they are counted.
#pragma once

#include "contact/gjk.h"
#include "contact/skin.h"

// Contacts of one vertex: the deepest.
#define SUP_VERTEX_CONTACTS 4

typedef struct supContactBody
{
	// where the vertices of the skin will be: vertexCount. NULL: takes no part.
	const supVec3* positions;
	// where they were when the substep began; NULL: where they will be
	const supVec3* previous;
	// look for contacts with itself
	bool self;
} supContactBody;

typedef struct supContactHit
{
	int32_t body;
	int32_t vertex;
	int32_t otherBody;
	int32_t triangle;
	// of the triangle, and the mix of them that is touched
	int32_t corners[3];
	float bary[3];
	// unit length, from the other towards the vertex: the way out
	supVec3 normal;
	// normal . (vertex - touched point): negative where penetrating
	float gap;
	// 1: in a fold of its own body, between parts that are about as near at rest; 0 otherwise. Not bool: hits are
	// compared as bytes.
	int32_t fold;
} supContactHit;

typedef enum supNarrowPhase
{
	sup_narrowExact,
	sup_narrowMaps,
} supNarrowPhase;

typedef struct supDetectorSettings
{
	// hits up to this gap, metres, >= 0
	float margin;
	// deeper than this behind a surface is not behind it, metres, >= 0
	float depth;
	supNarrowPhase narrow;
} supDetectorSettings;

// Of the last run.
typedef struct supDetectorStats
{
	int32_t clusters;    // whose vertices were looked at
	int32_t droppedHits; // beyond SUP_VERTEX_CONTACTS or the capacity: the deepest are kept
	int32_t notFinite;   // vertices
} supDetectorStats;

typedef struct supDetector supDetector;

// NULL only when out of memory. The skins must outlive the detector; several bodies may have the same.
// - maxHits 0: as many as there are vertices
supDetector* supCreateDetector( const supContactSkin* const* skins, int32_t bodyCount, int32_t maxHits,
								supError* error );

// NULL is fine.
void supDestroyDetector( supDetector* detector );

// Where everything is. Arrays are used until the next update.
// - as many bodies as the detector was created with; tasks may be NULL
void supDetector_Update( supDetector* detector, const supContactBody* bodies, const supTasks* tasks );

// Hits of the bodies as last updated; returns how many. The array lives until the next run.
// - tasks may be NULL
int32_t supDetector_Run( supDetector* detector, const supDetectorSettings* settings, const supTasks* tasks,
						 const supContactHit** hits );

supDetectorStats supDetector_Stats( const supDetector* detector );

// What the last run looked at: patches of all bodies, numbered through, and the pairs whose proxies were near.
typedef struct supDetectorPatch
{
	int32_t body;
	int32_t patch; // of its skin
} supDetectorPatch;

int32_t supDetector_PatchCount( const supDetector* detector );
supDetectorPatch supDetector_Patch( const supDetector* detector, int32_t index );
int32_t supDetector_PairCount( const supDetector* detector );
void supDetector_Pair( const supDetector* detector, int32_t index, int32_t patches[2] );
