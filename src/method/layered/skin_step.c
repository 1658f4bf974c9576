// SPDX-License-Identifier: MIT
// Factors of the skin, one for each step length in use, and solves with them.
#include "core/core.h"
#include "core/tasks.h"
#include "method/layered/skin.h"

#include <math.h>

#define GRADIENTS_TOLERANCE 1e-7
#define GRADIENTS_ROUNDS 100

static const supFactorDef s_factorDef = { .precision = sup_precisionFloat, .workerCount = 1 };

static size_t RoundUp( size_t bytes )
{
	return ( bytes + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
}

// A factor without memory of its own, for its sizes.
static size_t SolveSize( const supSkinBody* skin )
{
	supFactor factor;
	supFactor_InitAt( &factor, &skin->symbolic, &s_factorDef, NULL );
	return RoundUp( supFactor_ScratchSize( &factor, 1, SUP_MAX_THREADS ) );
}

size_t supSkinBody_ScratchSize( const supSkinBody* skin )
{
	int32_t unknowns = 3 * skin->nodeCount;
	return SolveSize( skin ) + ( supGradientsScratchCount( unknowns ) + (size_t)unknowns ) * sizeof( double );
}

// ---------------------------------------------------------------------------------------------------------------------
// Steps

void supSkinStep_Start( supSkinStep* step, const supSkinBody* skin, const supSkinFactor* factor, double dt,
						void* scratch )
{
	const supSkinSettings* s = &skin->settings;
	*step = ( supSkinStep ){ .skin = skin,
							 .scratch = scratch,
							 .massScale = 1.0 + (double)s->drag * dt,
							 .stiffnessScale = ( (double)s->damping + dt ) * dt,
							 .isFactored = factor->dt == dt,
							 .factor = supFactor_Place( &skin->symbolic, &s_factorDef, factor->numbers, NULL ) };
}

void supSkinStep_FillSystem( const supSkinStep* step, double* values )
{
	const supSkinBody* skin = step->skin;
	supBlockMatrix system = skin->stiffness;
	system.values = values;
	for ( int64_t i = 0; i < system.blockStarts[system.blockCount]; ++i )
	{
		values[i] = step->stiffnessScale * skin->stiffness.values[i];
	}
	for ( int32_t i = 0; i < skin->nodeCount; ++i )
	{
		double* block = supBlockMatrix_Block( &system, supBlockMatrix_Find( &system, i, i ) );
		for ( int k = 0; k < 3; ++k )
		{
			block[4 * k] += step->massScale * skin->masses[i];
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Solving

static void ApplySystem( const double* x, double* y, const supTasks* tasks, void* context )
{
	const supSkinStep* step = context;
	supSkinBody_MultiplyStiffness( step->skin, x, y, tasks );
	for ( int32_t i = 0; i < step->skin->nodeCount; ++i )
	{
		for ( int k = 0; k < 3; ++k )
		{
			int32_t at = 3 * i + k;
			y[at] = step->stiffnessScale * y[at] + step->massScale * step->skin->masses[i] * x[at];
		}
	}
}

static void ApplyFactor( const double* x, double* y, const supTasks* tasks, void* context )
{
	const supSkinStep* step = context;
	memcpy( y, x, 3 * (size_t)step->skin->nodeCount * sizeof( double ) );
	supFactor_Solve( &step->factor, y, 1, step->scratch, tasks );
}

bool supSkinStep_Solve( const supSkinStep* step, double* x, const supTasks* tasks )
{
	const supSkinBody* skin = step->skin;
	if ( step->isFactored )
	{
		supFactor_Solve( &step->factor, x, 1, step->scratch, tasks );
		return true;
	}
	union
	{
		const supSkinStep* read;
		void* context;
	} pointer = { .read = step };
	int32_t unknowns = 3 * skin->nodeCount;
	double* b = (double*)( (char*)step->scratch + SolveSize( skin ) );
	supGradientsDef def = { .unknownCount = unknowns,
							.apply = ApplySystem,
							.applyContext = pointer.context,
							.precondition = ApplyFactor,
							.preconditionContext = pointer.context,
							.tolerance = GRADIENTS_TOLERANCE,
							.maxIterations = GRADIENTS_ROUNDS,
							.tasks = tasks };
	memcpy( b, x, (size_t)unknowns * sizeof( double ) );
	supFactor_Solve( &step->factor, x, 1, step->scratch, tasks );
	return supSolveGradients( &def, b, x, b + unknowns ).converged;
}

// The inverse of the diagonal block of M̃_s at a node: M̂_s^-1.
static supMat3d NodeCompliance( const supSkinStep* step, int32_t node )
{
	const supBlockMatrix* stiffness = &step->skin->stiffness;
	const double* k = supBlockMatrix_Block( stiffness, supBlockMatrix_Find( stiffness, node, node ) );
	double mass = step->massScale * step->skin->masses[node];
	supMat3d block, inverse = supDiagonal3d( 1.0 / mass );
	for ( int c = 0; c < 3; ++c )
	{
		for ( int r = 0; r < 3; ++r )
		{
			block.m[c][r] = ( r == c ? mass : 0.0 ) + step->stiffnessScale * k[3 * c + r];
		}
	}
	supInvertMat3d( &block, &inverse );
	return inverse;
}

// By pivots.
static bool IsDefinite( const supMat3d* a )
{
	double first = a->m[0][0], second = first * a->m[1][1] - a->m[0][1] * a->m[0][1];
	supMat3d inverse;
	return first > 0.0 && second > 0.0 && supInvertMat3d( a, &inverse ) && inverse.m[2][2] > 0.0;
}

// Rows of the inverse are not definite everywhere: as near to them as may be.
static supMat3d FindSafe( const supMat3d* sum, const supMat3d* sure, double most )
{
	supMat3d limit = supDiagonal3d( most );
	for ( double part = 1.0; part > 0.1; part *= 0.5 )
	{
		supMat3d way = supMulAddMat3d( sum, -1.0, sure ), block = supMulAddMat3d( sure, part, &way );
		supMat3d rest = supMulAddMat3d( &limit, -1.0, &block );
		if ( IsDefinite( &block ) && IsDefinite( &rest ) )
		{
			return block;
		}
	}
	return *sure;
}

// What stands for the skin's inverse where motion is smooth.
// - columns: three vectors of the skin
static void FindSmooth( const supSkinStep* step, supMat3d* blocks, double* columns, const supTasks* tasks )
{
	const supSkinBody* skin = step->skin;
	double* const scratch[3] = { columns, columns + 3 * (int64_t)skin->nodeCount,
								 columns + 6 * (int64_t)skin->nodeCount };
	for ( int c = 0; c < 3; ++c )
	{
		memset( scratch[c], 0, 3 * (size_t)skin->nodeCount * sizeof( double ) );
		for ( int32_t i = 0; i < skin->nodeCount; ++i )
		{
			scratch[c][3 * (int64_t)i + c] = skin->masses[i];
		}
		supSkinStep_Solve( step, scratch[c], tasks );
	}
	for ( int32_t i = 0; i < skin->nodeCount; ++i )
	{
		double half = 0.5 / skin->masses[i];
		supMat3d sum, sure = NodeCompliance( step, i );
		for ( int c = 0; c < 3; ++c )
		{
			for ( int r = 0; r < 3; ++r )
			{
				sum.m[c][r] = half * ( scratch[c][3 * (int64_t)i + r] + scratch[r][3 * (int64_t)i + c] );
			}
		}
		blocks[i] = FindSafe( &sum, &sure, 1.0 / ( step->massScale * skin->masses[i] ) );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Factors

struct supSkinFactors
{
	const supSkinBody* skin;
	int32_t count;
	supSkinFactor factors[SUP_MOST_SKIN_FACTORS];
	// of whichever is being made
	double* values;
	void* work;
	void* scratch;
};

static bool Allocate( const supSkinBody* skin, supSkinFactor* factor )
{
	size_t nodes = (size_t)skin->nodeCount;
	factor->numbers = supAllocZeroed( supFactor_NumbersSize( &skin->symbolic, &s_factorDef ) );
	factor->smooth = supAllocArray( nodes, sizeof( supMat3d ) );
	factor->softest = supAllocArray( nodes, sizeof( supMat3d ) );
	return factor->numbers != NULL && factor->smooth != NULL && factor->softest != NULL;
}

static void Free( supSkinFactor* factor )
{
	supFree( factor->numbers );
	supFree( factor->smooth );
	supFree( factor->softest );
	*factor = ( supSkinFactor ){ 0 };
}

supSkinFactors* supCreateSkinFactors( const supSkinBody* skin, supError* error )
{
	supSkinFactors* factors = supAllocZeroed( sizeof( supSkinFactors ) );
	if ( factors == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	factors->skin = skin;
	factors->count = 1;
	factors->values =
		supAllocArray( (size_t)skin->stiffness.blockStarts[skin->stiffness.blockCount], sizeof( double ) );
	factors->work = supAllocZeroed( supFactor_WorkSize( &skin->symbolic, &s_factorDef ) );
	factors->scratch = supAllocZeroed( supSkinBody_ScratchSize( skin ) );
	if ( Allocate( skin, factors->factors ) == false || factors->values == NULL || factors->work == NULL ||
		 factors->scratch == NULL )
	{
		supDestroySkinFactors( factors );
		supSetMemoryError( error );
		return NULL;
	}
	return factors;
}

void supDestroySkinFactors( supSkinFactors* factors )
{
	for ( int32_t i = 0; factors != NULL && i < factors->count; ++i )
	{
		Free( factors->factors + i );
	}
	if ( factors != NULL )
	{
		supFree( factors->values );
		supFree( factors->work );
		supFree( factors->scratch );
		supFree( factors );
	}
}

static supSkinFactor* FindLength( supSkinFactors* factors, double dt )
{
	for ( int32_t i = 0; i < factors->count; ++i )
	{
		if ( factors->factors[i].dt == dt )
		{
			return factors->factors + i;
		}
	}
	return NULL;
}

// One that this substep does without, the one that was used the longest time ago; or a new one. NULL: there is none.
static supSkinFactor* FindUnused( supSkinFactors* factors, int64_t turn )
{
	supSkinFactor* oldest = NULL;
	for ( int32_t i = 0; i < factors->count; ++i )
	{
		supSkinFactor* factor = factors->factors + i;
		if ( ( factor->dt == 0.0 || factor->turn != turn ) && ( oldest == NULL || factor->turn < oldest->turn ) )
		{
			oldest = factor;
		}
	}
	if ( oldest == NULL && factors->count < SUP_MOST_SKIN_FACTORS )
	{
		oldest = factors->factors + factors->count;
		factors->count += 1;
		if ( Allocate( factors->skin, oldest ) == false )
		{
			Free( oldest );
			factors->count -= 1;
			oldest = NULL;
		}
	}
	return oldest;
}

static bool Make( supSkinFactors* factors, supSkinFactor* factor, double dt, const supTasks* tasks )
{
	const supSkinBody* skin = factors->skin;
	supSkinStep step;
	factor->dt = dt;
	supSkinStep_Start( &step, skin, factor, dt, factors->scratch );
	step.factor = supFactor_Place( &skin->symbolic, &s_factorDef, factor->numbers, factors->work );
	supSkinStep_FillSystem( &step, factors->values );
	supBlockMatrix system = skin->stiffness;
	system.values = factors->values;
	bool ok = supFactor_Refactor( &step.factor, &system, NULL ).ok;
	for ( int32_t a = 0; a < skin->nodeCount; ++a )
	{
		factor->softest[a] = NodeCompliance( &step, a );
	}
	// the system has been factored; its values alone are as many as three vectors
	FindSmooth( &step, factor->smooth, factors->values, tasks );
	return ok;
}

bool supSkinFactors_Prepare( supSkinFactors* factors, supSkinLengths* lengths, double dt, int64_t turn,
							 const supTasks* tasks )
{
	double wanted = lengths->factored == 0.0 || lengths->last == dt ? dt : lengths->factored;
	supSkinFactor* factor = FindLength( factors, wanted );
	bool ok = true;
	if ( factor == NULL )
	{
		factor = FindUnused( factors, turn );
		// more lengths at once than there are factors: another one does as a preconditioner
		ok = factor != NULL && Make( factors, factor, wanted, tasks );
		factor = factor != NULL ? factor : factors->factors;
	}
	factor->turn = turn;
	lengths->factored = factor->dt;
	lengths->last = dt;
	return ok;
}

const supSkinFactor* supSkinFactors_Find( supSkinFactors* factors, const supSkinLengths* lengths )
{
	const supSkinFactor* factor = FindLength( factors, lengths->factored );
	SUP_ASSERT( factor != NULL );
	return factor;
}
