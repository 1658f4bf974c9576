// SPDX-License-Identifier: MIT
// Ties: the same constraints between bodies of any kind. A body is three calls for each point that it lets others
// hold:
//
//     predict      x̂, where the point will be at the end of the step
//     compliance   C, a 3x3 matrix: how far a unit force over the step moves it. h²/m for a mass point; h² J A⁻¹ Jᵀ
//     with
//                  A = M + h² K for an implicit body; 0 for something that does not give.
//     respond      a force acts on the point over the step: x̂ moves by C F, and the rest of the body with it
//
//     nail         F = C⁻¹ ( goal - x̂ )
//     joint        goal = ( Σ C_i⁻¹ )⁻¹ Σ C_i⁻¹ x̂_i,  F_i = C_i⁻¹ ( goal - x̂_i )
//     corners      F_0 = ( C_0 + Σ α_i² C_i )⁻¹ ( Σ α_i x̂_i - x̂_0 ), the others -α_i F_0
//
// Two points of one body that are tied move each other: then C_0 + C_1 is C_0 + C_1 - C_01 - C_10.
//
// Forces of a tie add up to nothing, so that it keeps the momentum of all bodies together. A tie of two places is
// exact; where several ties meet at one body each moves what the others have met, and they are swept.
#pragma once

#include "core/core.h"
#include "supple/math.h"

typedef struct supTieCalls
{
	supVec3 ( *predict )( void* body, int32_t point );
	supMat3 ( *compliance )( void* body, int32_t point );
	void ( *respond )( void* body, int32_t point, supVec3 force );
	// how far a unit force on `other` moves `point`, both of this body. NULL: not at all.
	supMat3 ( *cross )( void* body, int32_t point, int32_t other );
} supTieCalls;

// A point of a body.
typedef struct supTiePoint
{
	const supTieCalls* calls;
	void* body;
	int32_t point;
} supTiePoint;

#define SUP_MAX_TIE_POINTS 8

typedef enum supTieKind
{
	sup_tieNail,
	sup_tieJoint,
	// the first point stands at the weighted mean of the others
	sup_tieCorners,
} supTieKind;

typedef struct supTie
{
	supTieKind kind;
	int32_t pointCount;
	supTiePoint points[SUP_MAX_TIE_POINTS];
	float weights[SUP_MAX_TIE_POINTS]; // corners: of the points after the first, sum 1
	supVec3 goal;                      // nail
	// What the gap is to be at the end of the step: 0, or what is left of it while it is being closed. Joints: of two
	// points, the second seen from the first; corners and nails: the first point seen from where it belongs.
	supVec3 gap;
	// of the last solve: on the first point, newtons
	supVec3 force;
} supTie;

// Meets the ties in turn, `sweeps` times over. Returns how many could not be met because nothing gives.
// - compliances are symmetric and positive semidefinite
int32_t supSolveTies( supTie* ties, int32_t count, int32_t sweeps );

// How far a tie is from being met, in metres.
float supTie_Gap( const supTie* tie );
