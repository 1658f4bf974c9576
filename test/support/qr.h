// SPDX-License-Identifier: MIT
// Linear constraints C x = a by QR: which of them say the same, which contradict each other, the nearest x that fulfils
// them, and the projection that keeps a direction inside them.
//
// Each constraint is a short list of unknowns. Ct, over the unknowns that any constraint touches, is factored as Q R Pt
// by Householder reflections with column exchanges; constraints are brought to length 1 before, so that what counts as
// dependent does not depend on their units. For hundreds of constraints. What bodies are held by is measured against
// it, together with projected conjugate gradients.
#pragma once

#include "core/arena.h"

typedef enum testConstraintState
{
	// takes part
	test_constraintIndependent,
	// follows from the others
	test_constraintDependent,
	// follows from the others but for its right-hand side: left out, and reported
	test_constraintConflict,
} testConstraintState;

typedef struct testQr
{
	supArena arena;
	int32_t unknownCount;
	int32_t maxConstraints, maxTouched;
	int32_t constraintCount, touchedCount;
	int32_t rank;
	int32_t* touched; // unknowns
	int32_t* local;   // their place in `touched`, -1 for all others
	double* matrix;   // [constraint * touchedCount + touched]: reflections below, R above
	double* heads;    // the first number of each reflection, and what it is multiplied with
	double* factors;
	double* lengths; // of the constraints as given
	double* remaining;
	int32_t* order; // constraint of each column
	testConstraintState* states;
	double* work;
} testQr;

// - at most `maxConstraints` constraints on `maxTouched` different unknowns
bool testQr_Create( testQr* qr, int32_t unknownCount, int32_t maxConstraints, int32_t maxTouched, supError* error );
void testQr_Destroy( testQr* qr );

// Constraint i is the sum of values[k] * x[unknowns[k]] over k from starts[i] to starts[i + 1]; an unknown may come
// several times. Allocates nothing. Returns false, with nothing constrained, where there are more than there is room
// for.
// - dependent: what is left of a constraint of length 1 after the others is no more than `tolerance` (1e-9, say)
bool testQr_Factor( testQr* qr, int32_t constraintCount, const int32_t* starts, const int32_t* unknowns,
					const double* values, double tolerance );

// Moves x by the least that makes the independent constraints hold: C x = targets. Sets the states, and returns how
// many constraints contradict the others by more than `tolerance` times the largest target (all as lengths along
// constraints of length 1).
int32_t testQr_Fulfil( testQr* qr, const double* targets, double tolerance, double* x );

// x := ( I - Q Qt ) x: what the constraints leave of a direction. Also fits supGradientsDef; the context is the testQr.
void testQr_Project( double* x, void* context );
