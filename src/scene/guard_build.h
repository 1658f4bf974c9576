// SPDX-License-Identifier: MIT
// What the files that build a guard mesh share.
#pragma once

#include "scene/guard.h"
#include "volume/body/rest_surface.h"

typedef struct supGuardLink
{
	int32_t a, b;
	float distance;
} supGuardLink;

typedef struct supGuardBuilder
{
	supArena scratch;
	const supCharacter* character;
	supGuardMesh* mesh;
	const float* limits; // of each vertex, from soft regions: 0 where there is none; NULL without
	supRestSurface surface;
	supBox box;
	int32_t* places;
	int32_t* roots; // of each vertex: the place that stands for it
	int32_t* edges;
	float* lengths;
	int32_t edgeCount;
	int32_t linkCount;
	int32_t edgeLinkCount; // those along edges come first
	supGuardLink* links;
	// places in the order of their cells
	supVec3* placePositions;
	int32_t* shells; // of each place: the place that stands for its shell
	uint64_t* keys;
	// of each vertex, SUP_MAX_INFLUENCES; none where there are no bones
	int32_t boneCount;
	uint16_t* joints;
	float* weights;
	float* thickness; // of each place: how far from its bones
} supGuardBuilder;

// guard_lists.c: false where out of memory. What has a corner at each place, after places were found; neighbours, after
// links between places; layers after those.
bool supGuardBuilder_ListCorners( supGuardBuilder* b );
bool supGuardBuilder_ListAround( supGuardBuilder* b );
bool supGuardBuilder_ListLayers( supGuardBuilder* b );

// guard_joints.c: false where out of memory. After the surface was found.
bool supGuardBuilder_PairJoints( supGuardBuilder* b );

// guard_layers.c: false where out of memory. After places, what has corners there, and weights were found. Adds links:
// what lies on each other is blended alike, or it would gape where one of the two is.
bool supGuardBuilder_LinkLayers( supGuardBuilder* b );

// guard_shells.c: false where out of memory. After places and shells were found.
bool supGuardBuilder_FindRiders( supGuardBuilder* b );
