// SPDX-License-Identifier: MIT
// How far the condensed matrix of the method `layered`, with blocks of nodes in place of the skin, is from the exact
// one, and how far answers to contacts are from those of the whole skin.
#pragma once

#include "linear/dense.h"
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
// - blocks: view.smooth as in free motion, view.compliances as in answers, or view.softest, the paper's
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

// ---------------------------------------------------------------------------------------------------------------------
// Answers to contacts: those touches of the last substep that pushed, along their normals, without friction

// [ M_cond -Jᵀ; -J -M_λ ] of the whole skin, or of blocks in its place.
typedef struct testAnswer
{
	int32_t bones, touches;
	double* matrix;  // M_cond with joints
	double* factor;  // the same, factored
	double* rows;    // J_cond, one touch after the other
	double* answers; // M_cond^-1 J_condᵀ
	double* contact; // J_cond M_cond^-1 J_condᵀ + M_λ
	double* impulses;
	double* speeds;
	int32_t* exchanges;
} testAnswer;

typedef struct testTouches
{
	const supLayeredRun* run;
	int32_t count;
	const supNodeTouch** touches;
	double* wanted; // what is missing of the velocity along the normal
	double* skin;
	supMat3d* own; // what stands for the skin in answers, ends of the skin apart: it is linear here
} testTouches;

static inline bool testAllocAnswer( testAnswer* answer, int32_t bones, int32_t touches )
{
	size_t n = (size_t)bones, k = (size_t)touches;
	*answer = ( testAnswer ){ .bones = bones, .touches = touches };
	answer->matrix = calloc( 2 * n * n + 2 * n * k + k * k + k + n, sizeof( double ) );
	answer->exchanges = calloc( n, sizeof( int32_t ) );
	if ( answer->matrix == NULL || answer->exchanges == NULL )
	{
		return false;
	}
	answer->factor = answer->matrix + n * n;
	answer->rows = answer->factor + n * n;
	answer->answers = answer->rows + n * k;
	answer->contact = answer->answers + n * k;
	answer->impulses = answer->contact + k * k;
	answer->speeds = answer->impulses + k;
	return true;
}

static inline void testFreeAnswer( testAnswer* answer )
{
	free( answer->matrix );
	free( answer->exchanges );
}

static inline void testApplySkin( const testTouches* touches, const supMat3d* blocks )
{
	for ( int32_t a = 0; a < touches->run->flesh->skin.nodeCount && blocks != NULL; ++a )
	{
		double* x = touches->skin + 3 * (int64_t)a;
		supStoreVec3d( x, supMulMat3dVec( blocks + a, supLoadVec3d( x ) ) );
	}
	if ( blocks == NULL )
	{
		supSkinStep_Solve( &touches->run->skinStep, touches->skin, NULL );
	}
}

// J_sᵀ normal, and J_bᵀ normal where there is room for it.
static inline supVec3d testTurnBack( const supLayeredRun* run, const supNodeTouch* touch, double* row )
{
	const supLayeredFlesh* flesh = run->flesh;
	supVec3d sum = { 0.0, 0.0, 0.0 };
	for ( int32_t k = flesh->nodeStarts[touch->node]; k < flesh->nodeStarts[touch->node + 1]; ++k )
	{
		int32_t i = flesh->nodeFrames[k];
		double w = flesh->nodeWeights[k];
		supVec3d back = supMulTransposed3d( run->view.rotations + i, touch->normal );
		sum = supMulAddVec3d( sum, w, back );
		if ( row != NULL )
		{
			supVec3d arm = supLayered_Arm( flesh, run->view.oldQ, touch->node, i );
			supLayered_PushFrame( run, i, supScaleVec3d( w, touch->normal ),
								  supScaleVec3d( w, supCrossVec3d( arm, back ) ), row );
		}
	}
	return sum;
}

static inline void testFillMatrix( testAnswer* answer, const testTouches* touches, const supMat3d* blocks )
{
	const supLayeredRun* run = touches->run;
	supBlockMatrix plain = run->flesh->bones;
	plain.values = run->view.boneValues;
	for ( int32_t i = 0; i < answer->bones; ++i )
	{
		double* column = answer->matrix + (size_t)i * (size_t)answer->bones;
		memset( answer->speeds, 0, (size_t)answer->bones * sizeof( double ) );
		answer->speeds[i] = 1.0;
		supBlockMatrix_Multiply( &plain, answer->speeds, column, 1, NULL );
		supLayered_CarryToSkin( run, answer->speeds, touches->skin );
		testApplySkin( touches, blocks );
		supLayered_CarryToBones( run, -1.0, touches->skin, column );
	}
	memcpy( answer->factor, answer->matrix, (size_t)answer->bones * (size_t)answer->bones * sizeof( double ) );
}

static inline bool testFillAnswer( testAnswer* answer, const testTouches* touches, const supMat3d* blocks )
{
	const supLayeredRun* run = touches->run;
	int32_t n = answer->bones, k = answer->touches;
	testFillMatrix( answer, touches, blocks );
	if ( supDense_FactorLu( answer->factor, n, answer->exchanges ) >= 0 )
	{
		return false;
	}
	for ( int32_t t = 0; t < k; ++t )
	{
		double *row = answer->rows + (int64_t)t * n, *x = answer->answers + (int64_t)t * n;
		supVec3d push = testTurnBack( run, touches->touches[t], row );
		memset( touches->skin, 0, 3 * (size_t)run->flesh->skin.nodeCount * sizeof( double ) );
		supStoreVec3d( touches->skin + 3 * (int64_t)touches->touches[t]->node, push );
		testApplySkin( touches, blocks );
		supLayered_CarryToBones( run, -1.0, touches->skin, row );
		memcpy( x, row, (size_t)n * sizeof( double ) );
		supDense_SolveLu( answer->factor, n, answer->exchanges, x );
		if ( blocks == touches->own )
		{
			// the node itself; the rest goes to neighbours that are not touched
			int32_t a = touches->touches[t]->node;
			supMat3d give = supLayered_Give( run, a );
			supVec3d moved = supScaleVec3d( 1.0 / run->view.slacks[a], supMulMat3dVec( &give, push ) );
			supStoreVec3d( touches->skin + 3 * (int64_t)a, moved );
		}
		for ( int32_t s = 0; s < k; ++s )
		{
			supVec3d moved = supLoadVec3d( touches->skin + 3 * (int64_t)touches->touches[s]->node );
			answer->contact[(int64_t)t * k + s] = supDotVec3d( moved, testTurnBack( run, touches->touches[s], NULL ) );
		}
	}
	for ( int32_t i = 0; i < k * k; ++i )
	{
		for ( int32_t m = 0; m < n; ++m )
		{
			answer->contact[i] +=
				answer->rows[(int64_t)( i % k ) * n + m] * answer->answers[(int64_t)( i / k ) * n + m];
		}
	}
	return true;
}

// Impulses that push and do not pull, by projected Gauss-Seidel, and what they do to the skeleton.
static inline void testSolveAnswer( testAnswer* answer, const testTouches* touches )
{
	int32_t n = answer->bones, k = answer->touches;
	for ( int32_t round = 0; round < 400; ++round )
	{
		for ( int32_t t = 0; t < k; ++t )
		{
			double rest = touches->wanted[t];
			for ( int32_t s = 0; s < k; ++s )
			{
				rest -= answer->contact[(int64_t)t * k + s] * answer->impulses[s];
			}
			answer->impulses[t] = fmax( answer->impulses[t] + rest / answer->contact[(int64_t)t * k + t], 0.0 );
		}
	}
	memset( answer->speeds, 0, (size_t)n * sizeof( double ) );
	for ( int32_t i = 0; i < n * k; ++i )
	{
		answer->speeds[i % n] += answer->impulses[i / n] * answer->answers[i];
	}
}

// Of what the skeleton does: the part of its energy, exact, that is left in the difference.
static inline double testCompareAnswers( const testAnswer* exact, const testAnswer* near, const supLayeredFlesh* flesh )
{
	double sums[2] = { 0.0, 0.0 };
	int32_t n = exact->bones;
	for ( int32_t i = 0; i < flesh->links.count * flesh->links.count * 36; ++i )
	{
		int32_t link = i / 36 / flesh->links.count, other = i / 36 % flesh->links.count;
		int32_t row = flesh->bones.offsets[link] + i % 6, column = flesh->bones.offsets[other] + i / 6 % 6;
		double entry = exact->matrix[(int64_t)column * n + row];
		sums[0] +=
			( near->speeds[row] - exact->speeds[row] ) * entry * ( near->speeds[column] - exact->speeds[column] );
		sums[1] += exact->speeds[row] * entry * exact->speeds[column];
	}
	return sqrt( sums[0] / sums[1] );
}

// What the bones' part of the contact matrix is worth, with M_λ of the whole skin; and with blocks in its place too.
typedef struct testAnswerErrors
{
	int32_t touches;
	double skeleton;
	double all;
} testAnswerErrors;

static inline testAnswerErrors testCompareBlocks( const testAnswer* exact, const testTouches* touches,
												  const supMat3d* blocks )
{
	testAnswerErrors errors = { touches->count, -1.0, -1.0 };
	testAnswer near = { 0 };
	int32_t n = exact->bones, k = exact->touches;
	if ( testAllocAnswer( &near, n, k ) && testFillAnswer( &near, touches, blocks ) )
	{
		testSolveAnswer( &near, touches );
		errors.all = testCompareAnswers( exact, &near, touches->run->flesh );
		for ( int32_t i = 0; i < k * k; ++i )
		{
			near.contact[i] = exact->contact[i];
			for ( int32_t m = 0; m < n; ++m )
			{
				near.contact[i] += near.rows[(int64_t)( i % k ) * n + m] * near.answers[(int64_t)( i / k ) * n + m] -
								   exact->rows[(int64_t)( i % k ) * n + m] * exact->answers[(int64_t)( i / k ) * n + m];
			}
		}
		memset( near.impulses, 0, (size_t)k * sizeof( double ) );
		testSolveAnswer( &near, touches );
		errors.skeleton = testCompareAnswers( exact, &near, touches->run->flesh );
	}
	testFreeAnswer( &near );
	return errors;
}

// The touches of the last substep that pushed, and what they lacked before they were answered.
static inline void testListTouches( testTouches* touches )
{
	supLayeredRun before = *touches->run;
	before.view.links = before.view.freeLinks;
	before.view.v = before.view.freeV;
	for ( int32_t i = 0; i < before.view.header->touchCount; ++i )
	{
		const supNodeTouch* touch = before.view.touches + i;
		supVec3d slip = supSubVec3d( supLayered_NodeVelocity( &before, touch->node ), touch->velocity );
		if ( touch->node < before.flesh->skin.nodeCount && supDotVec3d( touch->impulse, touch->normal ) > 0.0 )
		{
			touches->wanted[touches->count] = fmax( -supDotVec3d( slip, touch->normal ), 0.0 );
			touches->touches[touches->count++] = touch;
		}
	}
}

// How far off the skeleton's answer to the contacts of the last substep is, as a part of the answer of the whole skin
// (Eq. 9), by energy. Negative where there are none, or out of memory.
// - paper: the same with the paper's blocks
static inline testAnswerErrors testMeasureAnswer( const supLayeredRun* run, testAnswerErrors* paper )
{
	size_t most = (size_t)run->view.header->touchCount + 1;
	testTouches touches = { .run = run };
	touches.touches = calloc( most, sizeof( *touches.touches ) );
	touches.wanted = calloc( most, sizeof( double ) );
	touches.skin = calloc( 3 * (size_t)run->flesh->skin.nodeCount, sizeof( double ) );
	touches.own = calloc( (size_t)run->flesh->skin.nodeCount, sizeof( supMat3d ) );
	testAnswer exact = { 0 };
	testAnswerErrors errors = { 0, -1.0, -1.0 };
	*paper = errors;
	if ( touches.touches != NULL && touches.wanted != NULL && touches.skin != NULL && touches.own != NULL )
	{
		testListTouches( &touches );
		for ( int32_t a = 0; a < run->flesh->skin.nodeCount; ++a )
		{
			touches.own[a] = supMulAddMat3d( touches.own + a, 1.0 / run->view.slacks[a], run->view.compliances + a );
		}
		if ( touches.count > 0 && testAllocAnswer( &exact, run->flesh->bones.unknownCount, touches.count ) &&
			 testFillAnswer( &exact, &touches, NULL ) )
		{
			testSolveAnswer( &exact, &touches );
			errors = testCompareBlocks( &exact, &touches, touches.own );
			*paper = testCompareBlocks( &exact, &touches, run->view.softest );
		}
	}
	testFreeAnswer( &exact );
	free( touches.touches );
	free( touches.wanted );
	free( touches.skin );
	free( touches.own );
	return errors;
}
