// SPDX-License-Identifier: MIT
// Tetrahedra cut open: those before a plane are left out whole, the others show their faces.
#pragma once

#include "draw/renderer.h"
#include "supple/flesh.h"

// One of these two, per tetrahedron; the other is NULL.
typedef struct supTetPaint
{
	const supVec4* colors; // linear
	const float* heat;     // 0 .. 1
} supTetPaint;

typedef struct supTetView supTetView;

// Keeps what has its middle at dot( p, normal ) <= cut. False sides of the plane show up as whole faces, not as a cut
// through elements. Nothing is kept of the arrays.
// - normal is not zero
supTetView* supCreateTetView( const supTetMesh* mesh, supTetPaint paint, supVec3 normal, float cut, supError* error );

// NULL is fine.
void supDestroyTetView( supTetView* view );

// Tetrahedra that are shown.
int32_t supTetView_Count( const supTetView* view );

bool supTetView_Draw( supTetView* view, const supRenderDef* def, const supTasks* tasks, supPicture* picture,
					  supError* error );

// The axis, with its sign, that points to the eye most: upright planes are preferred to level ones.
supVec3 supFacingAxis( supVec3 toEye );

// Ivory for bone, pale pink for skin, and between them from red to yellow.
supVec4 supLayerColor( int32_t layer, int32_t layerCount );
