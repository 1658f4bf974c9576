// SPDX-License-Identifier: MIT
// Constraints packed by kind: what a step costs. Points are 16 bytes, so that one load brings a point and one store
// puts it back; the arithmetic is four wide. Each point is in one constraint at most.
#pragma once

#include "core/kernel.h"

typedef struct supAttachJob
{
	float* x;
	float* v;
	const float* oldX;
	float dt;
	float inverseDt;
	// velocities only, positions are met
	bool velocities;

	const int32_t* nails;   // point
	const float* nailGoals; // four each

	const int32_t* velocityPoints;
	const float* velocityGoals; // four each

	// joints; those of two points come first, so that pair i has points 2 i and 2 i + 1
	const int32_t* groupStarts; // into groupPoints
	const int32_t* groupPoints;
	const float* groupShares; // part of each point in the common one

	// of n corners: n + 1 points each, the attached one first
	const int32_t* corners[5];
	const float* cornerWeights[5]; // n each
	const float* cornerMoves[5];   // n + 1 each: how far a gap of 1 moves the point
} supAttachJob;

SUP_DECLARE_KERNEL( void, supMeetNails, ( const supAttachJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supMeetVelocities, ( const supAttachJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supMeetPairs, ( const supAttachJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supMeetGroups, ( const supAttachJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supMeetLines, ( const supAttachJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supMeetTriangles, ( const supAttachJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supMeetTets, ( const supAttachJob* job, int32_t begin, int32_t end ) );
