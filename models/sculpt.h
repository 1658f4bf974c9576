// SPDX-License-Identifier: MIT
// Shapes as implicit surfaces: round cones and ellipsoids around the bones of a skeleton that melt into one another.
#pragma once

#include "core/arena.h"
#include "supple/math.h"

typedef enum sculptKind
{
	// A cone with round ends: from `a` (radius `ra`) to `b` (radius `rb`).
	sculpt_cone,
	// Centred on `a` with half axes `radii`, turned by `rotation`.
	sculpt_ellipsoid,
} sculptKind;

typedef enum sculptUse
{
	sculpt_add,
	// Takes away from what was there before it in the list, and colours the hollow.
	sculpt_carve,
	// Leaves the shape alone and colours the skin that lies inside.
	sculpt_paint,
} sculptUse;

typedef struct sculptBlob
{
	sculptKind kind;
	sculptUse use;
	supVec3 a, b;
	float ra, rb;
	supVec3 radii;
	supQuat rotation;
	// Metres over which it melts into what was there before (for paint: the width of the soft edge, outwards).
	float blend;
	// How much finer than its thickness asks the skin is here: 2 halves the edges.
	float fineness;
	// Index of the joint that carries it.
	int32_t joint;
	// Linear RGB.
	supVec3 color;
} sculptBlob;

// A blob made ready for many questions.
typedef struct sculptSolid
{
	sculptKind kind;
	sculptUse use;
	float blend;
	supVec3 a;
	// cones: unit vector and length of the axis, sine and cosine of the slope, radii
	supVec3 axis;
	float length, sine, cosine;
	float ra, rb;
	// ellipsoids: rows take to the axes of the ellipsoid, scaled to the unit ball
	supVec3 rows[3];
	supVec3 inverse; // 1 / radii
	float least;     // smallest half axis
	float thickness;
	float fineness;
	int32_t joint;
	supVec3 color;
} sculptSolid;

// The solids that matter in each of its cells.
typedef struct sculptGrid
{
	supVec3 origin;
	float cellSize;
	int32_t size[3];
	int32_t* start;    // cells + 1
	uint16_t* members; // of solids, in the order they were added
} sculptGrid;

typedef struct sculptShape
{
	int32_t solidCount;
	sculptSolid* solids;
	supBox bounds;
	sculptGrid grid;
	// Distances below this are those of the whole list; a larger one may come out larger still.
	float margin;
} sculptShape;

// - there are no more than 65535 blobs
// False where out of memory. Destroy with sculptShape_Destroy, also then.
bool sculptShape_Create( sculptShape* shape, const sculptBlob* blobs, int32_t blobCount );
void sculptShape_Destroy( sculptShape* shape );

// Signed distance to the whole, negative inside. Close to true near the surface only.
float sculptShape_Distance( const sculptShape* shape, supVec3 p );

// Unit vector that points out.
supVec3 sculptShape_Normal( const sculptShape* shape, supVec3 p );

// Moves p along the gradient onto the surface; by no more than `reach` in all.
supVec3 sculptShape_Project( const sculptShape* shape, supVec3 p, float reach );

// Moves p, no farther than `reach`, along the surface onto the nearest edge of paint, unless that is soft.
supVec3 sculptShape_Snap( const sculptShape* shape, supVec3 p, float reach );

supVec3 sculptShape_Color( const sculptShape* shape, supVec3 p );

// The joint of the added blob that p belongs to.
int32_t sculptShape_Joint( const sculptShape* shape, supVec3 p );

// Half the thickness of the part that p belongs to.
float sculptShape_Thickness( const sculptShape* shape, supVec3 p );

// How long edges should be around p, up to a common factor: shorter where thin, shorter still where asked for.
float sculptShape_EdgeLength( const sculptShape* shape, supVec3 p, float detail );
