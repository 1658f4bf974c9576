// SPDX-License-Identifier: MIT
// Ties: mass points of one body that are to be in the same place at the end of a step, where a nail holds them or
// wherever they move together (Gissler, Becker & Teschner 2006: point to nail, points to point). Whatever scheme
// predicts the points, the force that brings them there is known in closed form, with c = h²/m for all of them:
//
//     goal = ( Σ x̂ m ) / ( Σ m ), or the nail,    F = m ( goal - x̂ ) / h²
//
// Afterwards they are in the same place to the last bit. The c of each scheme that the paper derives is not used: with
// it a nailed point rings or blows up for midpoint and RK2, explicit Euler has no position constraint at all, and
// points of different schemes joined together lose momentum.
#pragma once

#include "core/core.h"
#include "core/tasks.h"
#include "supple/math.h"

typedef struct supTieGroup
{
	int32_t first; // among the members
	int32_t count;
	bool isNailed;
	supVec3 goal;      // nailed
	supVec3 finalGoal; // of the step, while it is made in pieces
} supTieGroup;

// A particle is a member once at most.
typedef struct supTieMember
{
	int32_t particle;
	int32_t group;
	supVec3 force; // out: newtons over the substep
} supTieMember;

typedef struct supTies
{
	int32_t groupCount;
	supTieGroup* groups;
	int32_t memberCount;
	supTieMember* members;
} supTies;

// Particles that move each for itself: 16 bytes each, the fourth number of x the inverse mass in units of 1 / massUnit;
// v may be NULL.
typedef struct supTiedPoints
{
	float* x;
	float* v;
	float massUnit;
} supTiedPoints;

// Solves all of them. The same bits for any number of threads.
// - ties may be NULL; adds: forces are added to what members have
void supSolveTies( supTies* ties, const supTiedPoints* points, float dt, bool adds, const supTasks* tasks );

// After the step of a scheme whose velocity is not ( x - x before ) / dt: tied points have one velocity too, that of
// their nail or that of all of them together. The forces that this takes are added. oldX: before the step.
void supSolveTiedVelocities( supTies* ties, const supTiedPoints* points, const float* oldX, float dt );
