// SPDX-License-Identifier: MIT
// Contacts as rows: a place of one body, a place of another, a normal, and a gap that is not to become negative.
//
// Two kinds of body. Flesh is particles, and a place on its surface is
//
//     p = o + sum b_i x_i        o constant until the surface is evaluated anew
//
// so that a push of λ n (kg m) moves particle i by b_i w_i λ n. Flesh with bones may be pushed more broadly, particle i
// by c_i w_i λ n, which moves the place by sum b_i c_i w_i λ n. A rigid body is moved and turned (rigid.h). Sides get
// equal and opposite pushes at the same place, which keeps momentum.
//
// A row is met by Gauss-Seidel on positions, while its gap is negative; what it took is summed up in λ, never negative.
// Friction holds the places together as they were at the substep's beginning, by at most μ λ: Coulomb. At the end the
// velocities of the pressed places are set apart from the positions: along the normal they separate by the restitution
// of the speed that they met with, or not at all, so that coming out of a deep start is a motion without a speed.
#pragma once

#include "contact/rigid.h"
#include "core/core.h"

typedef struct supContactFlesh
{
	// 16 bytes each: place, and inverse mass in units of 1 / massUnit; NULL: nothing can be moved
	float* x;
	// moved along where not NULL
	float* v;
	float massUnit;
	// 16 bytes each: what is moved without getting faster by it
	float* shifts;
	// rows with it are not swept: whoever moves it meets them
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
	// flesh: b of the place, and c of what is pushed
	supContactTerms place;
	supContactTerms pushed;
	// flesh: o of the place; rigid: the place in its own space
	supVec3 offset;
	// where the place was at the substep's beginning
	supVec3 start;
	// rigid: see supRigid_Lever
	supVec3 lever;
	// flesh: 1/kg, 0 where it follows the bones
	float inverseMass;
	// flesh: no particle counts as lighter than this, in 1 / massUnit; INFINITY where they are as light as they are
	float mostInverse;
} supContactSide;

typedef struct supContactRow
{
	supContactSide a, b;
	// whoever made it knows: a vertex of a, and which pair of bodies
	int32_t vertex;
	int32_t pair;
	// of unit length, from b to a
	supVec3 normal;
	// gap = base + normal . ( place of a - place of b ); INFINITY: no longer near, and nothing is done about it
	float base;
	// how much of a gap is met at once: halved whenever others have made it worse than it was before, since pushes that
	// are at odds with each other would grow without end
	float ease;
	float before; // gap, at the sweep before
	// metres from surface to surface that gap 0 stands for
	float target;
	// m/s along the normal, as predicted: negative where they meet
	float approach;
	float friction;
	float restitution;
	// kg m so far
	float push;
	supVec3 drag;
	// rows that are answered: all that a has got, whatever the normal was then
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
	// m/s: slower hits give nothing back
	float restSpeed;
} supContactSet;

// Less of a vertex's weight than this on particles that can be moved: it follows the bones.
#define SUP_CONTACT_LEAST_SHARE 0.25f

// The inverse mass of a side of flesh: sum b_i c_i w_i, or 0.
void supContactFlesh_Weigh( const supContactFlesh* flesh, supContactSide* side );

// Both sides hang on the same flesh: what one is pushed moves the other along, and their inverse masses become those of
// moving apart. 0, held, where next to nothing of a push would move them apart, or the wrong way.
void supContactFlesh_JoinSides( const supContactFlesh* flesh, supContactSide* a, supContactSide* b );

// sum b_i x_i
supVec3 supContactFlesh_Mean( const supContactFlesh* flesh, const supContactTerms* terms );

supVec3 supContactSet_Place( const supContactSet* set, const supContactSide* side );
float supContactSet_Gap( const supContactSet* set, const supContactRow* row );

// After a row has been aimed: the levers of its sides, which are those of one and the same place.
void supContactSet_SetLevers( const supContactSet* set, supContactRow* row );

// Neither side can be moved.
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
