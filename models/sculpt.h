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
	// Takes away from what was there before it in the list.
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
	// Metres over which it melts into what was there before (for paint: the width of the soft edge).
	float blend;
	// Index of the joint that carries it.
	int32_t joint;
	// Linear RGB.
	supVec3 color;
} sculptBlob;

typedef struct sculptShape
{
	int32_t blobCount;
	const sculptBlob* blobs;
} sculptShape;

// Distance to one blob: exact for cones, close to the surface for ellipsoids.
float sculptBlob_Distance( const sculptBlob* blob, supVec3 p );

// Signed distance to the whole, negative inside. Close to true near the surface only.
float sculptShape_Distance( const sculptShape* shape, supVec3 p );

// Unit vector that points out.
supVec3 sculptShape_Normal( const sculptShape* shape, supVec3 p, float step );

// Moves p along the gradient onto the surface; by no more than `reach` in all.
supVec3 sculptShape_Project( const sculptShape* shape, supVec3 p, float reach );

supVec3 sculptShape_Color( const sculptShape* shape, supVec3 p );

// The added blob that p belongs to.
int32_t sculptShape_Owner( const sculptShape* shape, supVec3 p );

// Half the thickness of the part that p belongs to: how fine the skin has to be there.
float sculptShape_Thickness( const sculptShape* shape, supVec3 p );

supBox sculptShape_Bounds( const sculptShape* shape );
