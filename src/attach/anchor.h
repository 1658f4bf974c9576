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
// The place is one of the drawn surface, and b its row of weights over the particles that carry it (supMethod.findRow).
// What hangs on bones as well is moved by them alone: their part is in o, weights of the free particles sum to less
// than 1, and bones take the rest of a force. Places in the world, on bones and on surfaces that are only skinned have
// compliance 0.
#pragma once

#include "supple/math.h"

typedef struct supAnchor
{
	int32_t count;
	int32_t* particles;
	float* weights;
	supVec3 offset;
} supAnchor;

// What an anchor is on. x and v are arrays of 16-byte points, the fourth number of x the inverse mass in units of
// 1 / massUnit; v may be NULL.
typedef struct supAnchorBody
{
	float* x;
	float* v;
	float massUnit;
} supAnchorBody;

supVec3 supAnchor_Predict( const supAnchor* anchor, const supAnchorBody* body );

// Of a body with a system of its own: how far a force of 1 N on the place of which `columns` are the response moves
// this place (see supMethod.computeResponse).
supMat3 supAnchor_Gather( const supAnchor* anchor, const supMat3* columns );

// All particles of the body, by their columns.
void supRespondAll( const supAnchorBody* body, int32_t particleCount, const supMat3* columns, supVec3 force, float dt );
