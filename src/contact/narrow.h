// SPDX-License-Identifier: MIT
// What the narrow phases share: the vertices of one cluster against all clusters that they can reach.
//
//   list of clusters within reach ──▶ for each body in it and each vertex: local minima of the distance
//   (narrow_exact.c, or narrow_maps.c), and the first crossing of its path ──▶ one penetration or several fronts
//   ──▶ the deepest of all bodies
//
// Whoever runs a cluster writes only what belongs to its vertices, and the order in which things are looked at does not
// depend on anything else, so that nothing depends on threads.
#pragma once

#include "contact/narrow_kernel.h"

// Clusters that are held at once. With more, parts of a body are taken as bodies of their own: a vertex then may get
// more hits than one.
#define SUP_NARROW_ITEMS 1024

#define SUP_NARROW_FRONTS 8

// Fronts that point the same way within this cosine are one.
#define SUP_SAME_WAY 0.5f

// A character is near itself, and behind itself, only where the distance is below these parts of the distance at rest.
// For a vertex that is on the surface anyway nothing else tells the far side of its own limb from the front of another
// that it is behind of.
#define SUP_REST_SHARE_FRONT 0.5f
#define SUP_REST_SHARE_BEHIND 0.25f

// Up to this part it may be behind itself in a fold: rays tell.
#define SUP_REST_SHARE_FOLD 0.75f

typedef struct supNarrowItem
{
	int32_t body;
	int32_t cluster;
	bool fast;
	bool kept;      // as near as at rest, of the same body: nothing of it is touched
	float distance; // between the boxes, squared
} supNarrowItem;

typedef struct supNarrowTest
{
	int32_t cluster;
	uint32_t among; // eights of its triangles without a bit need not be looked at
} supNarrowTest;

typedef struct supCandidate
{
	int32_t triangle;
	supPairContact contact;
} supCandidate;

typedef struct supCrossing
{
	float time; // INFINITY: none
	bool entering;
	int32_t triangle;
	float bary[3];
} supCrossing;

typedef struct supNarrowWork
{
	const supDetector* detector;
	const supBodyState* body;
	int32_t cluster;
	int32_t itemCount;
	supNarrowItem items[SUP_NARROW_ITEMS];
	// of the body at work: those items that a vertex may touch, boxes around them, and cones where it is its own body
	int32_t testCount;
	supNarrowTest tests[SUP_NARROW_ITEMS];
	supBoxBlock boxes[SUP_NARROW_ITEMS / 8];
	supConeBlock cones[SUP_NARROW_ITEMS / 8];
	// and those that it may have gone through
	int32_t pathCount;
	int32_t paths[SUP_NARROW_ITEMS];
	supBoxBlock pathBoxes[SUP_NARROW_ITEMS / 8];

	// the vertex at work
	int32_t vertex;
	supVec3 p;
	supVec3 normal; // that decides which triangles it faces: supNormalOfVertex
	bool hasNormal;
	// what was found in the body at work
	int32_t frontCount;
	supCandidate fronts[SUP_NARROW_FRONTS];
	bool isBehind;
	supCandidate behind; // the nearest
	bool mayBeFolded;
	supCandidate fold; // behind which it is if it is in a fold: the nearest
	supCrossing crossing;
	// and in all
	int32_t foundCount;
	supFound found[SUP_VERTEX_CONTACTS];
	int32_t dropped;
} supNarrowWork;

static inline supVec3 supNormalInBlock( const supTriangleBlock* blocks, int32_t i )
{
	const supTriangleBlock* block = blocks + i / 8;
	return supMakeVec3( block->normal[0][i % 8], block->normal[1][i % 8], block->normal[2][i % 8] );
}

static inline float supBoxDistanceSquared( const supBox* a, const supBox* b )
{
	float x = supMaxFloat( supMaxFloat( a->lower.x - b->upper.x, b->lower.x - a->upper.x ), 0.0f );
	float y = supMaxFloat( supMaxFloat( a->lower.y - b->upper.y, b->lower.y - a->upper.y ), 0.0f );
	float z = supMaxFloat( supMaxFloat( a->lower.z - b->upper.z, b->lower.z - a->upper.z ), 0.0f );
	return x * x + y * y + z * z;
}

// Of the clusters of a body among 32 from `base`, a multiple of 8, that `bits` tells: those that are not farther from
// the one than their distance at rest allows and that face it, whose cones are known; or facing anywhere.
static inline uint32_t supMaskNearOwn( const supDetector* detector, const supBodyState* b, int32_t index, int32_t base,
									   uint32_t bits, bool facing, float squared[32] )
{
	const supSkinCluster* cluster = b->skin->clusters + index;
	const supConeBlock* cone = b->cones + index / 8;
	int32_t lane = index % 8;
	// at rest whatever is in reach is near
	supMeetQuery query = { .box = b->clusters[index].box,
						   .axis = { cone->axis[0][lane], cone->axis[1][lane], cone->axis[2][lane] },
						   .cosine = facing ? cone->cosine[lane] : -1.0f,
						   .sine = cone->sine[lane],
						   .center = cluster->center,
						   .radius = cluster->radius,
						   .margin = detector->settings.margin,
						   .depth = detector->settings.depth,
						   .rounding = detector->atRest ? INFINITY : detector->rounding,
						   .restFront = SUP_REST_SHARE_FRONT,
						   .restBehind = SUP_REST_SHARE_FOLD };
	return SUP_CALL_KERNEL( supMaskMeeting )( b->boxBlocks + base / 8, b->cones + base / 8, bits, &query, squared );
}

static inline bool supIsFast( const supDetector* detector, const supBodyState* a, int32_t index, const supBodyState* b,
							  int32_t other )
{
	float drift = a == b ? 0.0f : supDistance( a->shift, b->shift );
	float motion = a->clusters[index].motion + b->clusters[other].motion + drift;
	return motion > SUP_SLOW * detector->settings.margin && ( a->moves || b->moves );
}

// narrow.c

// Of the vertex at work, made when it is first asked for: most vertices turn out to be near nothing.
supVec3 supNormalOfVertex( supNarrowWork* w );

// narrow_exact.c

// What a triangle is to the vertex: front, behind or nothing.
void supTestTriangle( supNarrowWork* w, const supBodyState* other, int32_t triangle, supVec3 normal );

// The vertex against all that it may touch of a body.
void supTestItems( supNarrowWork* w, const supBodyState* other );

// Its path, through those that it may have gone through.
void supFollowPaths( supNarrowWork* w, const supBodyState* other );

// narrow_maps.c

// Cells along each side.
#define SUP_MAP_SIDE 24
#define SUP_MAP_ENTRIES 2048

// The triangles of a body as seen along one direction from the vertices of a cluster: for each cell of a small grid
// those that it sees, in a list.
typedef struct supDepthMap
{
	const supBodyState* other;
	supVec3 right, up, direction; // from the other towards the vertices
	supVec2 lower;
	float cells; // a metre
	int32_t count;
	int16_t firsts[SUP_MAP_SIDE * SUP_MAP_SIDE]; // -1: none
	int16_t nexts[SUP_MAP_ENTRIES];
	int32_t triangles[SUP_MAP_ENTRIES];
} supDepthMap;

// Of the items [first, end), all of one body. False where it has not enough room.
bool supDrawMap( const supNarrowWork* w, int32_t first, int32_t end, supDepthMap* map );

// The vertex against all that it sees. False where that is nothing, or does not tell on which side it is.
bool supLookIntoMap( supNarrowWork* w, const supDepthMap* map );
