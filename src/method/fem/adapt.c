// SPDX-License-Identifier: MIT
// Finer functions join in where flesh is strained, and leave where it is not.
//
// A function joins with a coefficient of 0, which moves nothing. It leaves when the strain around it has fallen below
// half of what it joined at, and its coefficient is too small to be seen. What does not take part has rows of the
// identity in the systems: the pattern stays, the regions that have it are factored anew.
#include "method/fem/solver.h"

#include <math.h>

// Part of the strain to join at below which a function may leave.
#define LEAVE 0.5

// Part of the body's extent that a coefficient may have to be dropped.
#define UNSEEN 1e-4

// The largest of Green's strain at an element.
static double StrainOf( const supFemModel* model, const supFemState* state, const supFemElement* element )
{
	double f[3][3] = { 0 }, largest = 0.0;
	for ( int32_t k = element->start; k < element->start + element->count; ++k )
	{
		const double* x = state->x + 3 * (size_t)model->elementFunctions[k];
		const double* g = model->elementGradients + 3 * (size_t)k;
		for ( int i = 0; i < 9; ++i )
		{
			f[i / 3][i % 3] += x[i / 3] * g[i % 3];
		}
	}
	for ( int i = 0; i < 9; ++i )
	{
		int r = i / 3, c = i % 3;
		double dot = f[0][r] * f[0][c] + f[1][r] * f[1][c] + f[2][r] * f[2][c];
		largest = fmax( largest, 0.5 * fabs( dot - ( r == c ? 1.0 : 0.0 ) ) );
	}
	return largest;
}

bool supFemSolver_Adapt( const supFemModel* model, const supFemState* state, double refine )
{
	if ( model->functionCount == model->vertexCount )
	{
		return false;
	}
	bool isChanged = false;
	memset( state->strains, 0, (size_t)model->functionCount * sizeof( float ) );
	for ( int32_t e = 0; e < model->elementCount; ++e )
	{
		const supFemElement* element = model->elements + e;
		float strain = (float)StrainOf( model, state, element );
		for ( int32_t k = element->start; k < element->start + element->count; ++k )
		{
			float* at = state->strains + model->elementFunctions[k];
			*at = supMaxFloat( *at, strain );
		}
	}
	for ( int32_t i = model->vertexCount; i < model->functionCount; ++i )
	{
		double* x = state->x + 3 * (size_t)i;
		double size = fmax( fabs( x[0] ), fmax( fabs( x[1] ), fabs( x[2] ) ) );
		double strain = (double)state->strains[i];
		bool joins = state->isActive[i] == 0 && strain > refine;
		bool leaves = state->isActive[i] != 0 && strain < LEAVE * refine && size < UNSEEN * (double)model->extent;
		if ( joins || leaves )
		{
			isChanged = true;
			state->isActive[i] = joins;
			state->header->activeCount += joins ? 1 : -1;
			memset( x, 0, 3 * sizeof( double ) );
			memset( state->v + 3 * (size_t)i, 0, 3 * sizeof( double ) );
		}
	}
	return isChanged;
}
