// SPDX-License-Identifier: MIT
// The matrix of an implicit step as numbers, for factoring:
//
//     A = m f + h ( h + T ) K + h² K'
//
// K is the Gauss-Newton part of the second derivatives of all elements, K' the stiffness of stretched edges across
// their direction (supMultiplyStiffness computes the same products without forming A). An unknown (node) is a point, or
// several points that are tied together; fixed points have none.
#pragma once

#include "linear/factor.h"
#include "method/points/solver.h"

typedef struct supStiffness
{
	int32_t nodeCount;
	int32_t pointCount;
	const int32_t* nodes;  // of each point, -1: none; the caller's
	supBlockMatrix matrix; // only the triangle that factors read is filled
	supSymbolic symbolic;
	int32_t* slots;     // where each pair of points of each element goes
	int32_t* diagonals; // block of each node
} supStiffness;

// Pattern and elimination order. False with an error where out of memory; what is there is then to be destroyed.
// - nodes: of each point, below nodeCount; must outlive it
bool supStiffness_Create( supStiffness* stiffness, const supPointBody* body, const int32_t* nodes, int32_t nodeCount,
						  supError* error );
void supStiffness_Destroy( supStiffness* stiffness );

// Fills in the stiffness at the points x (slotCount of them, copies up to date) for a step of dt seconds. Masses are
// added by the caller.
void supStiffness_Assemble( supStiffness* stiffness, const supPointBody* body, const supMaterialLaw laws[3],
							const float* x, float dt );
void supStiffness_AddMass( supStiffness* stiffness, int32_t node, double mass );
