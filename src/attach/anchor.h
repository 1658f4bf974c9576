// SPDX-License-Identifier: MIT
// A place on a body that something is fastened to, whatever method moves the body: three questions (Gissler, Becker &
// Teschner 2006, made independent of the solver).
//
//     predict      where will it be at the end of the substep, if nothing is done?          x = o + sum b_i x_i
//     compliance   how far does a force of 1 N over the substep move it?                    c = h^2 sum b_i^2 / m_i
//     respond      apply a force                                                            dx_i = h^2 b_i / m_i F
//
// That is for particles that move each for itself. A body with a system of its own answers with columns R = h^2 A^-1
// J^T instead, one 3x3 matrix a particle: c = sum b_i R_i, dx_i = R_i F for all particles of the body.
//
// The place is a weighted mean of particles; weights b sum to 1, so that a force on the place is that force on the body
// and momentum is kept to rounding. They are also chosen so that the place is their mean not only now but after any
// affine motion of the particles (moving least squares: b_i = w_i ( l0 + l . o_i ) with sum b = 1 and sum b o = 0): it
// turns with the body. Places in the world, on bones and on bodies that are only skinned have compliance 0.
#pragma once

#include "supple/math.h"

#define SUP_MAX_ANCHOR 64

typedef struct supAnchor
{
	int32_t count;
	int32_t particles[SUP_MAX_ANCHOR];
	float weights[SUP_MAX_ANCHOR]; // sum 1
	// what is left where the place is beyond what the particles span: one particle, or a sheet of them
	supVec3 offset;
} supAnchor;

// From particles around the place: how much each counts (not negative, not all 0), and where it is as seen from there.
// - 1 .. SUP_MAX_ANCHOR particles
supAnchor supMakeAnchor( int32_t count, const int32_t* particles, const float* weights, const supVec3* offsets );

// What an anchor is on. x and v are arrays of 16-byte points, the fourth number of x the inverse mass in units of
// 1 / massUnit; v may be NULL.
typedef struct supAnchorBody
{
	float* x;
	float* v;
	float massUnit;
} supAnchorBody;

supVec3 supAnchor_Predict( const supAnchor* anchor, const supAnchorBody* body );

// m/N
float supAnchor_Compliance( const supAnchor* anchor, const supAnchorBody* body, float dt );

// Of a body with a system of its own: how far a force of 1 N on the place of which `columns` are the response moves
// this place (see supMethod.computeResponse).
supMat3 supAnchor_Gather( const supAnchor* anchor, const supMat3* columns );

// All particles of the body, by their columns.
void supRespondAll( const supAnchorBody* body, int32_t particleCount, const supMat3* columns, supVec3 force, float dt );

// force in N over the substep
void supAnchor_Respond( const supAnchor* anchor, const supAnchorBody* body, supVec3 force, float dt );
