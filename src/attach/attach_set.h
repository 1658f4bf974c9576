// SPDX-License-Identifier: MIT
// A set of attachments, as its own files see it.
#pragma once

#include "attach/attach.h"
#include "core/array.h"
#include "geometry/tree.h"

typedef struct supAttachItem
{
	char* name;
	supAttachKind kind;
	int32_t first; // in points and offsets
	int32_t count;
	float weights[4];
	supVec3 goal;
	int32_t surface;
	int32_t assemblySteps;
	int32_t step; // of the assembly
	int32_t pack; // of nails and velocities: where in the pack, -1 while there is none
	bool slides;
	bool active;
	bool serial; // overlaps with another one: solved in turn
} supAttachItem;

typedef struct supAttachSurface
{
	char* name;
	int32_t triangleCount;
	int32_t* triangles; // three points each
	int32_t vertexCount;
	int32_t* vertices;  // points
	supVec3* positions; // of the vertices
	supTree* tree;
	bool used; // by an active constraint in this step
} supAttachSurface;

struct supAttach
{
	int32_t pointCount;
	int32_t sweeps;
	SUP_ARRAY( supAttachItem ) items;
	SUP_ARRAY( int32_t ) points;
	SUP_ARRAY( supVec3 ) offsets; // what is left of the gap at the start of an assembly, per entry of points
	SUP_ARRAY( supAttachSurface ) surfaces;

	// per point
	int32_t* owner;  // an active constraint, -1 without
	int32_t* parent; // union-find of joints, -1 outside
	int32_t* group;  // in the packs, -1 without
	int32_t* uses;   // by active constraints other than joints
	int32_t* stamps; // Solve in which a sliding point moved it last
	int32_t stamp;
	bool ownersDirty;
	bool packsDirty;

	// packs; each array has room for all entries of points
	int32_t packCapacity;
	int32_t nailCount;
	int32_t* nails;
	float* nailGoals;
	int32_t velocityCount;
	int32_t* velocityPoints;
	float* velocityGoals;
	int32_t pairCount; // groups of two come first
	int32_t groupCount;
	int32_t* groupStarts;
	int32_t* groupPoints;
	float* groupShares;
	int32_t* groupSizes; // scratch
	int32_t cornerCounts[5];
	int32_t* corners[5];
	float* cornerWeights[5];
	float* cornerMoves[5];
	int32_t slowCount;
	int32_t* slow; // constraints that slide, assemble or overlap

	int64_t sharedCount;
};

// attach_pack.c
bool supAttach_Reserve( supAttach* attach );
void supAttach_FreePacks( supAttach* attach );
void supAttach_RefreshOwners( supAttach* attach );
void supAttach_Repack( supAttach* attach, const float* x );

static inline bool supAttachItem_IsAssembling( const supAttachItem* item )
{
	return item->step < item->assemblySteps;
}

// In the wide packs.
static inline bool supAttachItem_IsPlain( const supAttachItem* item )
{
	return item->active && item->serial == false && item->slides == false && item->kind != sup_attachSurface &&
		   supAttachItem_IsAssembling( item ) == false;
}

static inline supVec3 supReadPoint( const float* x, int32_t i )
{
	const float* p = x + 4 * (int64_t)i;
	return ( supVec3 ){ p[0], p[1], p[2] };
}

static inline float supReadInverseMass( const float* x, int32_t i )
{
	return x[4 * (int64_t)i + 3];
}

// The mass-weighted middle of points, seen from the first. A point that cannot be moved is the middle.
supVec3 supFindCommonPoint( const float* x, const int32_t* points, int32_t count );
