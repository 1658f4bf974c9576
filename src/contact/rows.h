// SPDX-License-Identifier: MIT
// Contact constraints (rows): a place on each of two bodies, a normal, and a gap that must not become negative.
//
// Two kinds of body. Flesh consists of particles, and a place on its surface is
//
//     p = o + sum b_i x_i        o constant until the surface is evaluated again
//
// so that a push of λ n (kg m) moves particle i by b_i w_i λ n. Flesh with bones may be pushed more broadly, particle i
// by c_i w_i λ n, which moves the place by sum b_i c_i w_i λ n. A rigid body is moved and rotated (rigid.h). Both sides
// get equal and opposite pushes at the same place, which conserves momentum.
//
// Rows are solved by Gauss-Seidel on positions while their gap is negative; the sum of pushes is λ, never negative.
// Coulomb friction holds the places together as at the beginning of the substep, by at most μ λ. Finally the velocities
// of pressed places are set separately from positions: along the normal they separate with the restitution of their
// approach speed, or not at all, so that resolving a deep start adds no velocity.
#pragma once

#include "contact/rigid.h"
#include "core/core.h"

typedef struct supContactFlesh
{
	// 16 bytes each: position, and inverse mass in units of 1 / massUnit; NULL: immovable
	float* x;
	// velocities, changed by pushes; may be NULL
	float* v;
	float massUnit;
	// 16 bytes each: displacements that add no velocity
	float* shifts;
	// its method solves its rows; they are not swept here
	bool answers;
} supContactFlesh;

// Particles and weights, which sum to 1.
typedef struct supContactTerms
{
	int32_t count;
	const int32_t* particles;
	const float* weights;
} supContactTerms;

typedef struct supContactSide
{
	// one of them is -1
	int32_t flesh;
	int32_t rigid;
	// flesh: b of the place, and c of the pushed particles
	supContactTerms place;
	supContactTerms pushed;
	// flesh: o of the place; rigid: the place in local space
	supVec3 offset;
	// the place at the beginning of the substep
	supVec3 start;
	// rigid: see supRigid_Lever
	supVec3 lever;
	// flesh: 1/kg, 0 where it follows the bones
	float inverseMass;
	// flesh: upper bound on the inverse mass of a particle, in 1 / massUnit; INFINITY: none
	float mostInverse;
} supContactSide;

typedef struct supContactRow
{
	supContactSide a, b;
	// for the creator of the row: a vertex of a, and a pair of bodies
	int32_t vertex;
	int32_t pair;
	// of unit length, from b to a
	supVec3 normal;
	// gap = base + normal . ( place of a - place of b ); INFINITY: inactive
	float base;
	// relaxation: fraction of a gap that is solved at once. Halved whenever other rows have increased the gap, because
	// contradicting pushes would grow without bound
	float ease;
	float before; // gap in the previous sweep
	// distance between the surfaces at gap 0, in metres
	float target;
	// predicted speed along the normal in m/s: negative if approaching
	float approach;
	float friction;
	float restitution;
	// accumulated, kg m
	float push;
	supVec3 drag;
	// rows solved by a method: total push on a, for any normal
	supVec3 given;
} supContactRow;

typedef struct supContactSet
{
	int32_t rowCount;
	int32_t rowCapacity;
	supContactRow* rows;
	int32_t fleshCount;
	supContactFlesh* flesh;
	int32_t rigidCount;
	supRigid* rigids;
	// m/s: slower impacts have no restitution
	float restSpeed;
} supContactSet;

// A vertex with less weight on movable particles follows the bones.
#define SUP_CONTACT_LEAST_SHARE 0.25f

// The inverse mass of a side of flesh: sum b_i c_i w_i, or 0.
void supContactFlesh_Weigh( const supContactFlesh* flesh, supContactSide* side );

// Both sides depend on the same flesh, so pushing one moves the other; their inverse masses become those of separation.
// 0 (held) if a push would hardly separate them, or in the wrong direction.
void supContactFlesh_JoinSides( const supContactFlesh* flesh, supContactSide* a, supContactSide* b );

// sum b_i x_i
supVec3 supContactFlesh_Mean( const supContactFlesh* flesh, const supContactTerms* terms );

supVec3 supContactSet_Place( const supContactSet* set, const supContactSide* side );
float supContactSet_Gap( const supContactSet* set, const supContactRow* row );

// Sets the lever arms of both sides, about the same place, after the normal of a row has been set.
void supContactSet_SetLevers( const supContactSet* set, supContactRow* row );

// True if neither side can be moved.
bool supContactSet_IsHeld( const supContactSet* set, const supContactRow* row );

// Of a side along a direction of unit length, 1/kg.
float supContactSet_Compliance( const supContactSet* set, const supContactSide* side, supVec3 direction );

// kg m on one side.
void supContactSet_Push( supContactSet* set, const supContactSide* side, supVec3 push, float dt );

// One of the sides meets its rows by itself.
bool supContactSet_IsAnswered( const supContactSet* set, const supContactRow* row );

// Sweeps after this one are compared with each other alone.
void supContactSet_BeginSweeps( supContactSet* set );

// Once over all rows, in their order. Returns the most negative gap that was met, or 0.
float supContactSet_Sweep( supContactSet* set, float dt );

// Once over all rows that have pushed: velocities only.
void supContactSet_SweepVelocities( supContactSet* set, float dt );
