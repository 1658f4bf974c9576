// SPDX-License-Identifier: MIT
// Flesh that keeps its volume.
//
// Linear elasticity keeps volume to first order only: flesh that swings far swells, and Poisson's ratio is limited,
// since cells of this size lock near 0.5. So after each step every function gets a shift that restores the rest volume
// of the flesh of each bone. With V_a the share of function a in the volumes of its elements, s_ab the weight of bone
// b, and g_a the gradient of the whole volume,
//
//     phi_b = sum of s_ab V_a - V_b at rest,   l_b = phi_b / sum of s_ab g_a C_a g_a,
//     shift_a -= C_a g_a sum of s_ab l_b
//
// by Jacobi iterations with row sums on the diagonal, which do not overshoot where bones share functions. C is the
// compliance of a function: firm flesh does not change shape to make room for soft flesh. Shifts are part of what is
// drawn, touched and attached. They are not part of the motion: a shift that depends on positions alone neither changes
// a frequency nor adds energy.
#include "method/fem/solver.h"

#include <math.h>

#define MAX_ITERATIONS 2

// Relative volume error that is not worth correcting, and not worth another iteration.
#define FIRST_TOLERANCE 1e-4
#define TOLERANCE 2e-3

// Largest change of a shift per iteration, as a multiple of the reach of a function.
#define MAX_CHANGE 0.1

static void FillGives( supFemModel* model, double* volumes, double* firmnesses )
{
	const supFemRule* rule = &model->rule;
	for ( int32_t i = 0; i < rule->count; ++i )
	{
		double firmness = rule->grips != NULL ? (double)rule->grips[i] : 0.0;
		for ( int32_t k = rule->starts[i]; k < rule->starts[i + 1]; ++k )
		{
			double share = (double)rule->volumes[i] * (double)rule->values[k];
			volumes[rule->functions[k]] += share;
			firmnesses[rule->functions[k]] += share * firmness;
		}
	}
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		bool gives = model->isKnown[i] == 0 && volumes[i] > 0.0 && model->loads[i] > 0.0;
		double soft = gives ? 1.0 - firmnesses[i] / volumes[i] : 0.0;
		model->gives[i] = gives ? fmax( soft, 0.0 ) * fmax( soft, 0.0 ) / model->loads[i] : 0.0;
	}
}

bool supFemModel_MeasureVolumes( supFemModel* model )
{
	size_t count = (size_t)model->functionCount;
	supArena scratch = { 0 };
	double* volumes = supArena_AllocZeroed( &scratch, count * sizeof( double ) );
	double* firmnesses = supArena_AllocZeroed( &scratch, count * sizeof( double ) );
	model->gives = supArena_AllocArray( &model->arena, count, sizeof( double ) );
	bool ok = scratch.failed == false && model->arena.failed == false;
	if ( ok )
	{
		FillGives( model, volumes, firmnesses );
	}
	supArena_Destroy( &scratch );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// A round

// Cofactors of F, and its determinant.
static double FindCofactors( const supFemModel* model, const supFemElement* element, const double* x, double c[3][3] )
{
	double f[3][3] = { 0 };
	for ( int32_t k = element->start; k < element->start + element->count; ++k )
	{
		const double* at = x + 3 * (size_t)model->elementFunctions[k];
		const double* g = model->elementGradients + 3 * (size_t)k;
		for ( int i = 0; i < 9; ++i )
		{
			f[i / 3][i % 3] += at[i / 3] * g[i % 3];
		}
	}
	for ( int i = 0; i < 9; ++i )
	{
		int row = i / 3, column = i % 3, r1 = ( row + 1 ) % 3, r2 = ( row + 2 ) % 3;
		int c1 = ( column + 1 ) % 3, c2 = ( column + 2 ) % 3;
		c[row][column] = f[r1][c1] * f[r2][c2] - f[r1][c2] * f[r2][c1];
	}
	return f[0][0] * c[0][0] + f[0][1] * c[0][1] + f[0][2] * c[0][2];
}

// Each element adds its share to the volume of its functions, and to the gradient.
static void AddVolumes( const supFemModel* model, const double* x, supFemVolume* functions )
{
	for ( int32_t e = 0; e < model->elementCount; ++e )
	{
		const supFemElement* element = model->elements + e;
		double c[3][3], share = element->volume / (double)element->count;
		double volume = share * FindCofactors( model, element, x, c );
		for ( int32_t k = element->start; k < element->start + element->count; ++k )
		{
			const double* g = model->elementGradients + 3 * (size_t)k;
			supFemVolume* to = functions + model->elementFunctions[k];
			to->rest += share;
			to->now += volume;
			for ( int i = 0; i < 3; ++i )
			{
				to->slope[i] += element->volume * ( c[i][0] * g[0] + c[i][1] * g[1] + c[i][2] * g[2] );
			}
		}
	}
}

static void SumBones( const supFemModel* model, const supFemState* state )
{
	memset( state->boneVolumes, 0, (size_t)model->boneCount * sizeof( supFemBoneVolume ) );
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		const supFemVolume* own = state->volumes + i;
		const double* g = own->slope;
		double give = model->gives[i] * ( g[0] * g[0] + g[1] * g[1] + g[2] * g[2] );
		size_t slot = SUP_MAX_INFLUENCES * (size_t)i;
		for ( size_t k = slot; k < slot + SUP_MAX_INFLUENCES; ++k )
		{
			supFemBoneVolume* to = state->boneVolumes + model->joints[k];
			double weight = (double)model->weights[k];
			to->rest += weight * own->rest;
			to->now += weight * own->now;
			to->give += weight * give;
		}
	}
}

static double Determinant( const supFemFrame* frame )
{
	const double( *a )[3] = frame->a;
	return a[0][0] * ( a[1][1] * a[2][2] - a[1][2] * a[2][1] ) + a[0][1] * ( a[1][2] * a[2][0] - a[1][0] * a[2][2] ) +
		   a[0][2] * ( a[1][0] * a[2][1] - a[1][1] * a[2][0] );
}

// False where all flesh has its volume. A bone that the clip scales scales that too.
static bool FindPushes( const supFemModel* model, const supFemState* state, double part, double tolerance )
{
	bool any = false;
	for ( int32_t i = 0; i < model->boneCount; ++i )
	{
		supFemBoneVolume* bone = state->boneVolumes + i;
		double excess = bone->now - bone->rest * Determinant( state->frames + i );
		// written so that what is not a number moves nothing
		bool counts = bone->give > 0.0 && excess - excess == 0.0;
		bone->push = counts ? part * excess / bone->give : 0.0;
		any = any || ( counts && fabs( excess ) > tolerance * bone->rest );
	}
	return any;
}

static void ShiftFunctions( const supFemModel* model, const supFemState* state )
{
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		const double* g = state->volumes[i].slope;
		size_t slot = SUP_MAX_INFLUENCES * (size_t)i;
		double push = 0.0, size = sqrt( g[0] * g[0] + g[1] * g[1] + g[2] * g[2] );
		for ( size_t k = slot; k < slot + SUP_MAX_INFLUENCES; ++k )
		{
			push += (double)model->weights[k] * state->boneVolumes[model->joints[k]].push;
		}
		push *= model->gives[i];
		double most = MAX_CHANGE * (double)model->reaches[i], way = fabs( push ) * size;
		push *= way > most ? most / way : 1.0;
		for ( size_t c = 0; c < 3; ++c )
		{
			state->shifts[3 * (size_t)i + c] -= push * g[c];
		}
	}
}

void supFemSolver_KeepVolume( const supFemModel* model, const supFemState* state, double part )
{
	size_t count = 3 * (size_t)model->functionCount;
	memset( state->shifts, 0, count * sizeof( double ) );
	for ( int iteration = 0; part > 0.0 && model->isWhole == false && iteration < MAX_ITERATIONS; ++iteration )
	{
		for ( size_t i = 0; i < count; ++i )
		{
			state->shifted[i] = state->x[i] + state->shifts[i];
		}
		memset( state->volumes, 0, (size_t)model->functionCount * sizeof( supFemVolume ) );
		AddVolumes( model, state->shifted, state->volumes );
		SumBones( model, state );
		if ( FindPushes( model, state, part, iteration == 0 ? FIRST_TOLERANCE : TOLERANCE ) == false )
		{
			break;
		}
		ShiftFunctions( model, state );
	}
}
