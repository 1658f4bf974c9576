// SPDX-License-Identifier: MIT
// Meshes as shapes, and solids of triangles.
#pragma once

#include "contact/shape.h"

bool supShape_InitMesh( supShape* shape, const supShapeDef* def, supError* error );
bool supShape_FindClosestOnMesh( const supShape* shape, supVec3 point, float maxDistance, supShapeHit* hit );

// Volume (negative where wound inside out), centre and inertia about it, of what closed triangles enclose, at
// density 1.
void supMeasureSolid( const supVec3* vertices, const uint32_t* indices, int32_t triangleCount, float* volume,
					  supVec3* center, supMat3* inertia );
