// SPDX-License-Identifier: MIT
#include "method/fem/model.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------------------------------
// Checks

static bool CheckMaterial( const supFemRule* rule, supError* error )
{
	for ( int32_t i = 0; i < rule->count; ++i )
	{
		// written so that what is not a number fails too
		if ( !( rule->moduli[i] > 0.0f && rule->moduli[i] <= 1e12f ) )
		{
			return supSetError( error, sup_errorArgument, "stiffness", "the modulus must be above 0 (got %g Pa)",
								(double)rule->moduli[i] );
		}
		if ( !( rule->poissons[i] >= 0.0f && rule->poissons[i] < 0.4999f ) )
		{
			return supSetError( error, sup_errorArgument, "poisson", "Poisson's ratio must be 0 to below 0.5 (got %g)",
								(double)rule->poissons[i] );
		}
		if ( !( rule->densities[i] > 0.0f && rule->densities[i] <= 1e6f ) )
		{
			return supSetError( error, sup_errorArgument, "density", "the density must be above 0 (got %g kg/m3)",
								(double)rule->densities[i] );
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Elements

// Do two places have the same functions with the same gradients?
static bool IsSameElement( const supFemRule* rule, int32_t a, int32_t b )
{
	int32_t count = rule->starts[a + 1] - rule->starts[a];
	if ( count != rule->starts[b + 1] - rule->starts[b] || rule->softRegions[a] != rule->softRegions[b] )
	{
		return false;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t from = rule->starts[a] + i, to = rule->starts[b] + i;
		supVec3 g = rule->gradients[from];
		if ( rule->functions[from] != rule->functions[to] ||
			 supDistance( g, rule->gradients[to] ) > 1e-5f * supLength( g ) )
		{
			return false;
		}
	}
	return true;
}

static bool MakeElements( supFemModel* model )
{
	const supFemRule* rule = &model->rule;
	size_t count = (size_t)rule->count, entries = (size_t)rule->starts[rule->count];
	model->elements = supArena_AllocArray( &model->arena, count, sizeof( supFemElement ) );
	model->elementFunctions = supArena_AllocArray( &model->arena, entries, sizeof( int32_t ) );
	model->elementGradients = supArena_AllocArray( &model->arena, entries, 3 * sizeof( double ) );
	if ( model->arena.failed )
	{
		return false;
	}
	int32_t first = -1, used = 0;
	for ( int32_t i = 0; i < rule->count; ++i )
	{
		supElasticLaw law = supFemRule_Law( rule, i, supFemRule_Share( rule, i ) );
		double volume = supFemRule_Share( rule, i ) * (double)rule->volumes[i];
		if ( first >= 0 && IsSameElement( rule, first, i ) )
		{
			supFemElement* element = model->elements + model->elementCount - 1;
			element->law.shear += law.shear;
			element->law.lambda += law.lambda;
			element->volume += volume;
			continue;
		}
		first = i;
		int32_t size = rule->starts[i + 1] - rule->starts[i];
		model->elements[model->elementCount++] = ( supFemElement ){ used, size, rule->softRegions[i], law, volume };
		for ( int32_t k = rule->starts[i]; k < rule->starts[i + 1]; ++k )
		{
			model->elementFunctions[used] = rule->functions[k];
			double* g = model->elementGradients + 3 * (size_t)used;
			g[0] = (double)rule->gradients[k].x;
			g[1] = (double)rule->gradients[k].y;
			g[2] = (double)rule->gradients[k].z;
			used += 1;
		}
	}
	return true;
}

static bool SumMasses( supFemModel* model )
{
	const supFemRule* rule = &model->rule;
	model->loads = supArena_AllocArray( &model->arena, (size_t)model->functionCount, sizeof( double ) );
	if ( model->loads == NULL )
	{
		return false;
	}
	memset( model->loads, 0, (size_t)model->functionCount * sizeof( double ) );
	for ( int32_t i = 0; i < rule->count; ++i )
	{
		double mass = (double)rule->volumes[i] * (double)rule->densities[i];
		model->mass += mass;
		for ( int32_t k = rule->starts[i]; k < rule->starts[i + 1]; ++k )
		{
			model->loads[rule->functions[k]] += mass * (double)rule->values[k];
		}
	}
	return true;
}

// Of a place of the rule to the nearest vertex on a bone.
static float DistanceToSkeleton( const supFemModel* model, int32_t place )
{
	const supFemRule* rule = &model->rule;
	supVec3 p = supVec3_zero;
	for ( int32_t k = rule->starts[place]; k < rule->starts[place + 1]; ++k )
	{
		p = supMulAdd( p, rule->values[k], model->rests[rule->functions[k]] );
	}
	float least = model->extent;
	for ( int32_t k = 0; k < model->functionCount; ++k )
	{
		least = model->isKnown[k] ? supMinFloat( least, supDistance( p, model->rests[k] ) ) : least;
	}
	return least;
}

// How far the flesh that a vertex carries is from the skeleton, in the mean: the vertex itself may be far outside of
// the body. At least how far the nearest of its cells reaches.
static bool MeasureReaches( supFemModel* model )
{
	const supFemRule* rule = &model->rule;
	model->reaches = supArena_AllocZeroed( &model->arena, (size_t)model->functionCount * sizeof( float ) );
	supArena scratch = { 0 };
	float* shares = supArena_AllocZeroed( &scratch, (size_t)model->functionCount * sizeof( float ) );
	float* leasts = supArena_AllocZeroed( &scratch, (size_t)model->functionCount * sizeof( float ) );
	bool ok = model->reaches != NULL && scratch.failed == false;
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		box = supBox_Include( box, model->rests[i] );
	}
	model->extent = supLength( supBox_Size( box ) );
	for ( int32_t i = 0; ok && i < rule->count; ++i )
	{
		float distance = DistanceToSkeleton( model, i );
		for ( int32_t k = rule->starts[i]; k < rule->starts[i + 1]; ++k )
		{
			int32_t function = rule->functions[k];
			// a gradient is at most one over the distance to the opposite side
			float size = 1.0f / supMaxFloat( supLength( rule->gradients[k] ), 1e-20f );
			float share = rule->volumes[i] * fabsf( rule->values[k] );
			bool isFirst = shares[function] == 0.0f;
			model->reaches[function] += share * distance;
			shares[function] += share;
			leasts[function] = isFirst ? size : supMinFloat( leasts[function], size );
		}
	}
	for ( int32_t i = 0; ok && i < model->functionCount; ++i )
	{
		float mean = shares[i] > 0.0f ? model->reaches[i] / shares[i] : 0.0f;
		model->reaches[i] = supMaxFloat( mean, leasts[i] );
	}
	supArena_Destroy( &scratch );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool AllocatePulses( supFemModel* model )
{
	model->pulses = supArena_AllocArray( &model->arena, (size_t)model->softRegionCount, sizeof( double ) );
	return model->pulses != NULL;
}

bool supFemModel_Init( supFemModel* model, const supFemModelDef* def, supError* error )
{
	*model = ( supFemModel ){ .functionCount = def->functionCount,
							  .rests = def->rests,
							  .places = def->places,
							  .isKnown = def->isKnown,
							  .boneCount = def->boneCount,
							  .joints = def->joints,
							  .weights = def->weights,
							  .softRegionCount = def->softRegionCount,
							  .rule = def->rule,
							  .isWhole = def->wholeBone >= 0,
							  .isNonlinear = def->isNonlinear };
	SUP_ASSERT( def->isNonlinear == false || def->wholeBone >= 0 );
	bool ok = CheckMaterial( &def->rule, error );
	if ( ok && ( MakeElements( model ) == false || SumMasses( model ) == false || MeasureReaches( model ) == false ||
				 supFemModel_MakeBetweens( model, def ) == false || supFemModel_MakeLooseBones( model, def ) == false ||
				 supFemModel_MeasureVolumes( model ) == false || AllocatePulses( model ) == false ) )
	{
		ok = supSetMemoryError( error );
	}
	// what holds places depends on the frequencies
	ok = ok && supFindFemPulses( def, model->pulses, error ) && supFemModel_MakeRegions( model, def, error );
	if ( ok )
	{
		supFemModel_LayOut( model );
	}
	else
	{
		supFemModel_Destroy( model );
	}
	return ok;
}

void supFemModel_Destroy( supFemModel* model )
{
	for ( int32_t i = 0; i < model->regionCount + ( model->nearJoints != NULL ); ++i )
	{
		supFemRegion_Destroy( model->regions + i );
	}
	supArena_Destroy( &model->arena );
	*model = ( supFemModel ){ 0 };
}
