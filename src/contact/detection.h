// SPDX-License-Identifier: MIT
// The inside of a detector, for its phases.
//
// Motion in a step is seen from each body's own moving frame: positions before the step are shifted by `shift`, about
// the body's mean motion, so that a character that jumps does not sweep through itself. In the frame of body B a body A
// that is shifted by a was, before the step, shifted by (b - a) beyond where its own boxes say.
#pragma once

#include "contact/detector.h"
#include "core/kernel.h"

#define SUP_CLUSTER_BLOCKS ( SUP_CLUSTER_TRIANGLES / 8 )

// Cosines between the normals of vertex and face below which they face each other: behind another body, and with itself
#define SUP_FACING_OTHER 0.5f
#define SUP_FACING_SELF 0.0f

// And at rest, where they are in a fold: less than this.
#define SUP_FACING_FOLD 0.5f

// The rigid motion that takes a cluster from rest to where it is, but for its bend (rest_culling.c).
typedef struct supClusterMotion
{
	float bend;      // INFINITY: there is none
	supVec3 origin;  // where the mean goes
	supVec3 turn[3]; // columns
} supClusterMotion;

// Of its clusters, on both ends of the step in the body's frame.
typedef struct supClusterState
{
	supBox box;
	float motion; // farthest that a vertex moves in the body's frame
	supVec3 axis; // the mean of the normals of a prepared cluster
} supClusterState;

// The boxes of eight clusters side by side; empty if there is none.
typedef struct supBoxBlock
{
	float lower[3][8];
	float upper[3][8];
} supBoxBlock;

// Of eight clusters of a body that touches itself: cones around the normals of all triangles and vertices of those that
// are prepared, and spheres around them at rest.
typedef struct supConeBlock
{
	float axis[3][8];
	// of the angle to the side of the cone; cosine -1: any direction
	float cosine[8];
	float sine[8];
	float center[3][8];
	float radius[8];
} supConeBlock;

// Of eight clusters: supSkinFrame.mean and radius, and supClusterState.motion.
typedef struct supFrameBlock
{
	float mean[3][8];
	float radius[8];
	float motion[8];
} supFrameBlock;

// Of eight clusters: supClusterMotion.
typedef struct supMotionBlock
{
	float bend[8];
	float origin[3][8];
	float turn[3][3][8]; // columns
} supMotionBlock;

typedef struct supPatchState
{
	supBox box;
	float motion;
	// how far vertices stick out of the hull of the proxy's points, motion included
	float radius;
	supVec3 points[SUP_PROXY_POINTS];
	int32_t pointCount;
	// among supDetector.partners
	int32_t firstPartner;
	int32_t partnerCount;
	bool needed; // the proxy
} supPatchState;

// Eight triangles side by side.
typedef struct supTriangleBlock
{
	// where it will be; empty where a triangle cannot be used
	float lower[3][8];
	float upper[3][8];
	float normal[3][8];
	float offset[8]; // normal . x
} supTriangleBlock;

// What was found for one vertex.
typedef struct supFound
{
	int32_t otherBody;
	int32_t triangle;
	float bary[3];
	supVec3 normal;
	float gap;
	int32_t fold;
} supFound;

typedef struct supBodyState
{
	const supContactSkin* skin;
	supContactBody body; // positions NULL: takes no part
	supVec3 shift;
	bool moves;                                    // previous positions matter
	supBox box;                                    // in its frame
	float scale;                                   // of its coordinates
	int32_t firstPatch, firstCluster, firstVertex; // among those of all
	supClusterState* clusters;
	supBoxBlock* boxBlocks; // of the clusters
	// a body that touches itself: the motions from rest to now, and to before the step where it moves fast
	supConeBlock* cones;
	supFrameBlock* frames;
	supMotionBlock* nows;
	supMotionBlock* befores;
	supPatchState* patches;
	supTriangleBlock* blocks; // SUP_CLUSTER_BLOCKS a cluster
	supVec3* normals;         // of vertices, from the triangles of their own prepared clusters; where it touches itself
	uint8_t* needed;          // clusters that are prepared
	_Atomic uint8_t* looked;  // those that a cluster of the same body looks at
	uint8_t* counts;          // of found, a vertex; for needed clusters
	supFound* found;          // SUP_VERTEX_CONTACTS a vertex
} supBodyState;

// Two patches, by number among all.
typedef struct supPatchPair
{
	int32_t first;
	int32_t second;
	// between the proxies from second to first; zero where unknown
	supVec3 direction;
	bool near; // so are their proxies
} supPatchPair;

// A patch that another may touch.
typedef struct supPartner
{
	int32_t patch; // among all
	supVec3 direction;
} supPartner;

typedef struct supPlace
{
	int32_t body;
	int32_t index;
} supPlace;

struct supDetector
{
	supArena arena;
	int32_t bodyCount;
	supBodyState* bodies;
	supDetectorSettings settings;
	supDetectorStats stats;
	float reach;    // the larger of margin and depth, and what is lost by rounding
	float rounding; // of coordinates
	bool atRest;    // looking for what a skin is behind of at rest: nothing there is forgiven

	int32_t patchTotal;
	supPlace* patchPlaces; // body and patch of each among all
	int32_t clusterTotal;
	supPlace* clusterPlaces;
	int32_t vertexTotal;

	// broad phase
	supBox* boxes; // of all patches, in the world
	uint64_t* keys;
	uint64_t* sorting;
	supBox* nodes;
	int32_t leafCount; // patches that take part
	int32_t* leaves;
	int32_t pairCapacity;
	int32_t pairCount;
	supPatchPair* pairs;
	bool crowded; // more pairs than there is room for: everything is looked at
	supPartner* partners;

	// clusters to prepare, and those of them whose vertices are looked at, among all
	int32_t preparedCount;
	int32_t* prepared;
	int32_t activeCount;
	int32_t* active;
	_Atomic int32_t dropped;
	_Atomic int32_t notFinite;

	int32_t maxHits;
	int32_t hitCount;
	supContactHit* hits;
	uint64_t* hitKeys;
};

// ---------------------------------------------------------------------------------------------------------------------
// Boxes

static inline supBox supBox_Unite( supBox a, supBox b )
{
	return ( supBox ){ { supMinFloat( a.lower.x, b.lower.x ), supMinFloat( a.lower.y, b.lower.y ),
						 supMinFloat( a.lower.z, b.lower.z ) },
					   { supMaxFloat( a.upper.x, b.upper.x ), supMaxFloat( a.upper.y, b.upper.y ),
						 supMaxFloat( a.upper.z, b.upper.z ) } };
}

static inline supBox supBox_Grow( supBox box, float by )
{
	supVec3 d = { by, by, by };
	return ( supBox ){ supSub( box.lower, d ), supAdd( box.upper, d ) };
}

static inline supBox supBox_Move( supBox box, supVec3 by )
{
	return ( supBox ){ supAdd( box.lower, by ), supAdd( box.upper, by ) };
}

static inline bool supBox_Touch( const supBox* a, const supBox* b )
{
	return a->lower.x <= b->upper.x && a->lower.y <= b->upper.y && a->lower.z <= b->upper.z &&
		   a->upper.x >= b->lower.x && a->upper.y >= b->lower.y && a->upper.z >= b->lower.z;
}

static inline void supSetInBlock( supBoxBlock* block, int32_t lane, supBox box )
{
	block->lower[0][lane] = box.lower.x;
	block->lower[1][lane] = box.lower.y;
	block->lower[2][lane] = box.lower.z;
	block->upper[0][lane] = box.upper.x;
	block->upper[1][lane] = box.upper.y;
	block->upper[2][lane] = box.upper.z;
}

// A box of body a as body b sees it, on both ends of the step.
static inline supBox supSeeFrom( supBox box, const supBodyState* a, const supBodyState* b )
{
	return a == b || ( a->moves == false && b->moves == false )
			   ? box
			   : supBox_Unite( box, supBox_Move( box, supSub( b->shift, a->shift ) ) );
}

static inline bool supIsUsable( supVec3 p )
{
	// false for NaN
	return fabsf( p.x ) <= 1.0e18f && fabsf( p.y ) <= 1.0e18f && fabsf( p.z ) <= 1.0e18f;
}

// Before the step, in the frame of a body that is shifted so.
static inline supVec3 supGetBefore( const supBodyState* body, int32_t vertex, supVec3 shift )
{
	supVec3 now = body->body.positions[vertex];
	supVec3 before = body->body.previous != NULL ? body->body.previous[vertex] : now;
	return supIsUsable( before ) ? supAdd( before, shift ) : now;
}

// ---------------------------------------------------------------------------------------------------------------------
// Phases, each in the file of its name

// proxies.c
void supUpdateBounds( supDetector* detector, const supTasks* tasks );
void supMeasureProxies( supDetector* detector, const supTasks* tasks );
void supFilterPairs( supDetector* detector, const supTasks* tasks );
// Then proxies do not count: most of them overlap anyway, and boxes of clusters tell more for less.
bool supAreOfOneBody( const supDetector* detector, const supPatchPair* pair );

// rest_culling.c
void supMeasureBends( supDetector* detector, const supTasks* tasks );

// A cluster and the rest-culling query against others.
typedef struct supKinView
{
	int32_t cluster;
	int32_t at; // among supContactSkin.kinBlocks
	supClusterMotion now, before;
} supKinView;

supKinView supLookAtKin( const supBodyState* b, int32_t cluster );

// Of those clusters among 32 of the body from `base` on, a multiple of 8, that `bits` tells: whose triangles no vertex
// of the cluster touches, nor has gone through where they move fast.
// - others are asked for in ascending order
uint32_t supMaskAsAtRest( const supDetector* detector, const supBodyState* b, int32_t base, uint32_t bits,
						  supKinView* view );

// inside_test.c
// Is the vertex inside of another part of its own body?
// - boxes of the body's clusters and patches are those of its positions; normal of the vertex
bool supIsWithinOwn( const supBodyState* b, int32_t vertex, supVec3 normal );

// Paths are followed where things move farther in a step than this part of the margin.
#define SUP_SLOW 0.5f

// broad.c
void supFindPatchPairs( supDetector* detector );

// narrow_prepare.c
void supListPartners( supDetector* detector );
void supChooseClusters( supDetector* detector, const supTasks* tasks );
void supPrepareClusters( supDetector* detector, const supTasks* tasks );

// narrow.c: all that a cluster's vertices touch. Returns how many contacts were dropped.
int32_t supRunNarrow( const supDetector* detector, int32_t body, int32_t cluster );
