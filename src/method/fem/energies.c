// SPDX-License-Identifier: MIT
// Energies of a state, for measuring only.
#include "method/fem/solver.h"

double supFemSolver_ElasticEnergy( const supFemModel* model, const supFemState* state, const supFemTuning* tunings )
{
	double sum = 0.0;
	for ( int32_t e = 0; e < model->elementCount; ++e )
	{
		const supFemElement* element = model->elements + e;
		supGradientF f = { 0 };
		for ( int32_t k = element->start; k < element->start + element->count; ++k )
		{
			const double* x = state->x + 3 * (size_t)model->elementFunctions[k];
			const double* g = model->elementGradients + 3 * (size_t)k;
			for ( int i = 0; i < 9; ++i )
			{
				f.f[i / 3][i % 3] += x[i / 3] * g[i % 3];
			}
		}
		sum += tunings[element->softRegion].stiffness * supElastic_Energy( element->law, &f, false );
	}
	return sum;
}

double supFemSolver_KineticEnergy( const supFemModel* model, const supFemState* state )
{
	const supFemRule* rule = &model->rule;
	double sum = 0.0;
	for ( int32_t i = 0; i < rule->count; ++i )
	{
		double velocity[3] = { 0 };
		for ( int32_t k = rule->starts[i]; k < rule->starts[i + 1]; ++k )
		{
			const double* v = state->v + 3 * (size_t)rule->functions[k];
			for ( int c = 0; c < 3; ++c )
			{
				velocity[c] += (double)rule->values[k] * v[c];
			}
		}
		double square = velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2];
		sum += 0.5 * (double)( rule->volumes[i] * rule->densities[i] ) * square;
	}
	return sum;
}
