// SPDX-License-Identifier: MIT
// How slowly a soft region swings by itself: the lowest frequency of K u = w^2 M u over the functions that have most of
// their mass in it, with bones and all other flesh held still. By inverse iteration.
//
// Loose flesh, whose bones swing with it, is left out unless there is nothing else: springs hold it to its bones at the
// frequency found here. As a part of the system a long tail would decide how stiff the belly is.
#include "method/fem/model.h"

#include <math.h>

#define ROUNDS 60

// How often holds, which depend on the frequency, are fitted to it.
#define HOLD_ROUNDS 5

// Metres: a body of this size begins with holds for SUP_SOFT_FREQUENCY, smaller ones with higher frequencies in
// proportion, so that the fit takes as many rounds at every size.
#define USUAL_SIZE 2.0

typedef struct Finder
{
	supArena scratch;
	const supFemModelDef* def;
	supError* error;
	int32_t nodeCount;
	int32_t* nodeOf; // of each function, -1 where it is held
	int32_t* nodes;  // of each entry of the rule
	int32_t* owners; // soft region of each function, -1 where it has no mass
	uint8_t* isLoose;
	supBlockMatrix stiffness, mass, hold;
	supSymbolic symbolic;
	supFactor factor;
} Finder;

// Functions that have most of their volume in loose places.
static bool FindLoose( Finder* finder )
{
	const supFemModelDef* def = finder->def;
	const supFemRule* rule = &def->rule;
	size_t count = (size_t)def->functionCount;
	finder->isLoose = supArena_AllocZeroed( &finder->scratch, count );
	double* excess = supArena_AllocZeroed( &finder->scratch, count * sizeof( double ) );
	if ( finder->scratch.failed )
	{
		return false;
	}
	for ( int32_t i = 0; i < rule->count && rule->loosenesses != NULL; ++i )
	{
		for ( int32_t k = rule->starts[i]; k < rule->starts[i + 1]; ++k )
		{
			excess[rule->functions[k]] +=
				(double)( rule->volumes[i] * rule->values[k] * ( rule->loosenesses[i] - 0.5f ) );
		}
	}
	for ( size_t i = 0; i < count && rule->loosenesses != NULL; ++i )
	{
		finder->isLoose[i] = excess[i] > 0.0;
	}
	return true;
}

// The soft region that most of a function's mass is in.
static bool FindOwners( Finder* finder )
{
	const supFemModelDef* def = finder->def;
	const supFemRule* rule = &def->rule;
	size_t count = (size_t)def->functionCount, regions = (size_t)def->softRegionCount;
	finder->owners = supArena_AllocArray( &finder->scratch, count, sizeof( int32_t ) );
	finder->nodeOf = supArena_AllocArray( &finder->scratch, count, sizeof( int32_t ) );
	double* masses = supArena_AllocArray( &finder->scratch, count * regions, sizeof( double ) );
	if ( finder->scratch.failed )
	{
		return false;
	}
	memset( masses, 0, count * regions * sizeof( double ) );
	for ( int32_t i = 0; i < rule->count; ++i )
	{
		for ( int32_t k = rule->starts[i]; k < rule->starts[i + 1]; ++k )
		{
			masses[(size_t)rule->functions[k] * regions + (size_t)rule->softRegions[i]] +=
				(double)rule->volumes[i] * (double)rule->values[k];
		}
	}
	for ( size_t i = 0; i < count; ++i )
	{
		double most = 0.0;
		finder->owners[i] = -1;
		for ( size_t k = 0; def->isKnown[i] == 0 && k < regions; ++k )
		{
			finder->owners[i] = masses[i * regions + k] > most ? (int32_t)k : finder->owners[i];
			most = masses[i * regions + k] > most ? masses[i * regions + k] : most;
		}
	}
	return FindLoose( finder );
}

static void AddPlace( Finder* finder, int32_t place, const int32_t* nodes )
{
	const supFemRule* rule = &finder->def->rule;
	int32_t start = rule->starts[place], count = rule->starts[place + 1] - start;
	// what is loose across a gap says nothing about the flesh
	supElasticLaw law = supFemRule_Law( rule, place, 1.0 );
	double volume = (double)rule->volumes[place];
	for ( int32_t a = 0; a < count; ++a )
	{
		for ( int32_t b = 0; b < count; ++b )
		{
			if ( nodes[a] < 0 || nodes[b] < 0 )
			{
				continue;
			}
			supVec3 ga = rule->gradients[start + a], gb = rule->gradients[start + b];
			double block[9], product = (double)rule->values[start + a] * (double)rule->values[start + b] * volume;
			supElastic_LinearBlock( law, ( double[3] ){ (double)ga.x, (double)ga.y, (double)ga.z },
									( double[3] ){ (double)gb.x, (double)gb.y, (double)gb.z }, block );
			int32_t at = supBlockMatrix_Find( &finder->stiffness, nodes[a], nodes[b] );
			double* to = supBlockMatrix_Block( &finder->stiffness, at );
			for ( int i = 0; i < 9; ++i )
			{
				to[i] += block[i];
			}
			*supBlockMatrix_Block( &finder->mass, at ) += (double)rule->densities[place] * product;
		}
	}
}

static bool Assemble( Finder* finder, int32_t softRegion )
{
	const supFemModelDef* def = finder->def;
	const supFemRule* rule = &def->rule;
	size_t entries = (size_t)rule->starts[rule->count];
	int32_t* nodes = supArena_AllocArray( &finder->scratch, entries, sizeof( int32_t ) );
	supVec3* points = supArena_AllocArray( &finder->scratch, (size_t)def->functionCount, sizeof( supVec3 ) );
	if ( finder->scratch.failed )
	{
		return supSetMemoryError( finder->error );
	}
	finder->nodes = nodes;
	finder->nodeCount = 0;
	for ( uint8_t loose = 0; loose <= 1 && finder->nodeCount == 0; ++loose )
	{
		for ( int32_t i = 0; i < def->functionCount; ++i )
		{
			bool isIn = finder->owners[i] == softRegion && finder->isLoose[i] == loose;
			points[finder->nodeCount] = def->places[i];
			finder->nodeOf[i] = isIn ? finder->nodeCount++ : -1;
		}
	}
	for ( size_t i = 0; i < entries; ++i )
	{
		nodes[i] = finder->nodeOf[rule->functions[i]];
	}
	supElements elements = { rule->count, 0, rule->starts, nodes };
	if ( finder->nodeCount == 0 )
	{
		return true;
	}
	if ( supBlockMatrix_Create( &finder->stiffness, finder->nodeCount, 3, NULL, &elements, finder->error ) == false ||
		 supBlockMatrix_Create( &finder->mass, finder->nodeCount, 1, NULL, &elements, finder->error ) == false ||
		 supBlockMatrix_Create( &finder->hold, finder->nodeCount, 1, NULL, &elements, finder->error ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < rule->count; ++i )
	{
		AddPlace( finder, i, nodes + rule->starts[i] );
	}
	const supFactorDef factorDef = { .precision = sup_precisionDouble, .workerCount = 1 };
	return supSymbolic_Create( &finder->symbolic, &finder->stiffness, points, NULL, finder->error ) &&
		   supFactor_Create( &finder->factor, &finder->symbolic, &factorDef, finder->error );
}

// Adds a multiple of a matrix with one number for each pair of nodes to the stiffness.
static void AddToStiffness( Finder* finder, const supBlockMatrix* matrix, double scale )
{
	for ( int32_t i = 0; i < finder->stiffness.blockCount; ++i )
	{
		double* to = supBlockMatrix_Block( &finder->stiffness, i );
		double more = scale * *supBlockMatrix_Block( matrix, i );
		to[0] += more;
		to[4] += more;
		to[8] += more;
	}
}

// What holds are more at one frequency than at another; at `from` 0: all of them.
static void AddHolds( Finder* finder, double from, double to )
{
	const supFemRule* rule = &finder->def->rule;
	supBlockMatrix_SetZero( &finder->hold );
	for ( int32_t place = 0; place < rule->count; ++place )
	{
		double more =
			supFemRule_HoldScale( rule, place, to ) - ( from > 0.0 ? supFemRule_HoldScale( rule, place, from ) : 0.0 );
		more *= (double)rule->holds[place] * (double)rule->volumes[place];
		for ( int32_t a = rule->starts[place]; more != 0.0 && a < rule->starts[place + 1]; ++a )
		{
			for ( int32_t b = rule->starts[place]; b < rule->starts[place + 1]; ++b )
			{
				if ( finder->nodes[a] >= 0 && finder->nodes[b] >= 0 )
				{
					int32_t at = supBlockMatrix_Find( &finder->hold, finder->nodes[a], finder->nodes[b] );
					*supBlockMatrix_Block( &finder->hold, at ) +=
						more * (double)rule->values[a] * (double)rule->values[b];
				}
			}
		}
	}
	AddToStiffness( finder, &finder->hold, 1.0 );
}

// A body that nothing holds swings not at all: a little of its mass as stiffness keeps the system definite.
static void Shift( Finder* finder )
{
	double stiffness = 0.0, mass = 0.0;
	for ( int32_t i = 0; i < finder->nodeCount; ++i )
	{
		int32_t at = supBlockMatrix_Find( &finder->stiffness, i, i );
		stiffness += supBlockMatrix_Block( &finder->stiffness, at )[0];
		mass += *supBlockMatrix_Block( &finder->mass, at );
	}
	AddToStiffness( finder, &finder->mass, mass > 0.0 ? 1e-9 * stiffness / mass : 0.0 );
}

static double Dot( const double* a, const double* b, size_t count )
{
	double sum = 0.0;
	for ( size_t i = 0; i < count; ++i )
	{
		sum += a[i] * b[i];
	}
	return sum;
}

// With the stiffness as it is now.
// - x, mx: 3 doubles a node; x is a guess, and the mode in the end
static double FindLowest( Finder* finder, double* x, double* mx, void* work )
{
	size_t n = 3 * (size_t)finder->nodeCount;
	double square = 0.0;
	supFactor_Refactor( &finder->factor, &finder->stiffness, NULL );
	for ( int round = 0; round < ROUNDS; ++round )
	{
		supBlockMatrix_Multiply( &finder->mass, x, mx, 3, NULL );
		double scale = 1.0 / sqrt( Dot( x, mx, n ) );
		for ( size_t i = 0; i < n; ++i )
		{
			x[i] = mx[i] * scale;
			mx[i] = x[i];
		}
		supFactor_Solve( &finder->factor, x, 1, work, NULL );
		// x = K^-1 M y with y^T M y = 1: the quotient of y is at most this
		square = 1.0 / Dot( x, mx, n );
	}
	return square > 0.0 ? sqrt( square ) : 0.0;
}

static double SizeOf( const supFemModelDef* def )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < def->functionCount; ++i )
	{
		box = supBox_Include( box, def->rests[i] );
	}
	supVec3 size = supBox_Size( box );
	return fmax( (double)supMaxFloat( size.x, supMaxFloat( size.y, size.z ) ), 1e-20 );
}

static bool FindFrequency( Finder* finder, double* pulse )
{
	const supFemRule* rule = &finder->def->rule;
	size_t n = 3 * (size_t)finder->nodeCount;
	double* x = supArena_AllocArray( &finder->scratch, n, sizeof( double ) );
	double* mx = supArena_AllocArray( &finder->scratch, n, sizeof( double ) );
	void* work = supArena_AllocArray( &finder->scratch, supFactor_ScratchSize( &finder->factor, 1, 1 ), 1 );
	if ( finder->scratch.failed )
	{
		return supSetMemoryError( finder->error );
	}
	// anything that is at right angles to no mode
	uint32_t random = 1;
	for ( size_t i = 0; i < n; ++i )
	{
		random = random * 1664525u + 1013904223u;
		x[i] = (double)( random >> 8 ) / (double)( 1 << 24 ) - 0.5;
	}
	Shift( finder );
	double from = 0.0, to = 2.0 * (double)SUP_PI * (double)SUP_SOFT_FREQUENCY * USUAL_SIZE / SizeOf( finder->def );
	for ( int round = 0; round < ( rule->grips != NULL ? HOLD_ROUNDS : 1 ); ++round )
	{
		AddHolds( finder, from, to );
		*pulse = FindLowest( finder, x, mx, work );
		from = to;
		to = *pulse;
	}
	return true;
}

bool supFindFemPulses( const supFemModelDef* def, double* pulses, supError* error )
{
	Finder finder = { .def = def, .error = error };
	bool ok = FindOwners( &finder ) || supSetMemoryError( error );
	for ( int32_t i = 0; ok && i < def->softRegionCount; ++i )
	{
		pulses[i] = 0.0;
		ok = Assemble( &finder, i ) && ( finder.nodeCount == 0 || FindFrequency( &finder, pulses + i ) );
		supFactor_Destroy( &finder.factor );
		supSymbolic_Destroy( &finder.symbolic );
		supBlockMatrix_Destroy( &finder.stiffness );
		supBlockMatrix_Destroy( &finder.mass );
		supBlockMatrix_Destroy( &finder.hold );
	}
	supArena_Destroy( &finder.scratch );
	return ok;
}
