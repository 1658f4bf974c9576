// SPDX-License-Identifier: MIT
// Rigid bodies in a substep, as contacts push them (Müller, Macklin, Chentanez, Jeschke & Kim 2020).
//
// A push is an impulse times the step, kg m: it moves and turns the body at once and makes it faster by as much over
// the step. The inertia is that of the predicted orientation throughout a substep. Between substeps angular momentum,
// not the spin, is what stays.
//
// What is pushed has moved by h v, v included what the push gave it, so that x' cross v' = x cross v': the lever of a
// push is where things were at the substep's beginning, not where they are. With that lever on both sides angular
// momentum is kept to rounding.
#pragma once

#include "supple/math.h"

typedef struct supPlacement
{
	supVec3 position;
	supQuat rotation;
} supPlacement;

static inline supVec3 supPlacement_ToWorld( const supPlacement* placement, supVec3 local )
{
	return supAdd( placement->position, supRotate( placement->rotation, local ) );
}

static inline supVec3 supPlacement_ToLocal( const supPlacement* placement, supVec3 world )
{
	return supRotate( supConjugate( placement->rotation ), supSub( world, placement->position ) );
}

typedef struct supRigid
{
	// 0: not to be moved
	float inverseMass;
	// in its own space: centre of mass, inertia about it and the inverse of that
	supVec3 center;
	supMat3 inertia;
	supMat3 inverseInertia;

	// m/s of the centre of mass, rad/s
	supVec3 velocity;
	supVec3 spin;
	// at the substep's beginning, and at its end as it is now
	supPlacement start;
	supPlacement end;

	// of the substep, in the world
	supMat3 worldInverseInertia;
	bool wasPushed;
} supRigid;

// Moves on by dt as if nothing were in the way; the velocity changes by `kick` first. `start` is where it was.
void supRigid_Predict( supRigid* rigid, supVec3 kick, float dt );

// For bodies that cannot be moved: from start to end over dt.
void supRigid_Follow( supRigid* rigid, float dt );

supVec3 supRigid_Center( const supRigid* rigid );

// The lever of a place that was at `start` and is at `end` now, both in the world. Where they are far apart, as seen
// from the body, it is where things are now: no lever is longer than the body for a throw.
supVec3 supRigid_Lever( const supRigid* rigid, supVec3 start, supVec3 end );

// How far a push of 1 kg m along a direction of unit length moves what is at the end of the lever: 1/kg.
float supRigid_Compliance( const supRigid* rigid, supVec3 lever, supVec3 direction );

// - push in kg m
void supRigid_Push( supRigid* rigid, supVec3 lever, supVec3 push, float dt );

// Velocities alone: kg m/s at a place of the world. Positions stay, so that the lever is where things are.
void supRigid_Kick( supRigid* rigid, supVec3 place, supVec3 impulse );

// After the pushes of a substep: the spin that goes with the angular momentum in the orientation that was reached.
void supRigid_Finish( supRigid* rigid );

supVec3 supRigid_VelocityAt( const supRigid* rigid, supVec3 place );
