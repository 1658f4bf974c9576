// SPDX-License-Identifier: MIT
// How far the condensed matrix of the method `layered`, with blocks of nodes in place of the skin, is from the exact
// one.
#pragma once

#include "method/layered/layered.h"

#include <math.h>
#include <stdlib.h>

#define TEST_NORM_ROUNDS 60

typedef struct testNorm
{
	supLayeredRun* run;
	double* skin;
	double* exact;
	double* near;
} testNorm;

// Multipliers of joints are no part of it.
static inline void testClearMultipliers( const supLayeredFlesh* flesh, double* x )
{
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		for ( int32_t k = flesh->bones.offsets[i] + 6; k < flesh->bones.offsets[i + 1]; ++k )
		{
			x[k] = 0.0;
		}
	}
}

// exact := ( M̃_b - M_bs M̃_s^-1 M_bsᵀ ) x, near := M̂_cond x
static inline void testMultiplyCondensed( const testNorm* norm, const double* x )
{
	supLayeredRun* run = norm->run;
	supBlockMatrix bones = run->flesh->bones;
	bones.values = run->view.boneValues;
	supBlockMatrix_Multiply( &bones, x, norm->exact, 1, NULL );
	supLayered_CarryToSkin( run, x, norm->skin );
	supSkinStep_Solve( &run->skinStep, norm->skin, NULL );
	supLayered_CarryToBones( run, -1.0, norm->skin, norm->exact );
	bones.values = run->view.contactValues;
	supBlockMatrix_Multiply( &bones, x, norm->near, 1, NULL );
	testClearMultipliers( run->flesh, norm->exact );
	testClearMultipliers( run->flesh, norm->near );
}

// The spectral norm of the difference as a part of that of the exact matrix, by powers. Negative where out of memory.
// - a run whose matrices are those of a substep
// - blocks: view.smooth as in free motion, or view.softest, the paper's
static inline double testCondensedError( supLayeredRun* run, const supMat3d* blocks )
{
	supLayered_Condense( run, blocks, run->view.contactValues );
	size_t count = (size_t)run->flesh->bones.unknownCount, skinCount = 3 * (size_t)run->flesh->skin.nodeCount;
	double* memory = calloc( 3 * count + skinCount, sizeof( double ) );
	if ( memory == NULL )
	{
		return -1.0;
	}
	testNorm norm = { run, memory + 3 * count, memory, memory + count };
	double *x = memory + 2 * count, sizes[2] = { 0.0, 0.0 };
	for ( int32_t which = 0; which < 2; ++which )
	{
		for ( size_t i = 0; i < count; ++i )
		{
			x[i] = 1.0 + 0.37 * (double)( ( i * 7919 ) % 11 );
		}
		testClearMultipliers( run->flesh, x );
		for ( int32_t round = 0; round < TEST_NORM_ROUNDS; ++round )
		{
			double square = 0.0, start = 0.0;
			for ( size_t i = 0; i < count; ++i )
			{
				start += x[i] * x[i];
			}
			for ( size_t i = 0; i < count; ++i )
			{
				x[i] /= sqrt( start );
			}
			testMultiplyCondensed( &norm, x );
			for ( size_t i = 0; i < count; ++i )
			{
				x[i] = which == 0 ? norm.exact[i] : norm.near[i] - norm.exact[i];
				square += x[i] * x[i];
			}
			sizes[which] = sqrt( square );
		}
	}
	free( memory );
	return sizes[1] / sizes[0];
}
