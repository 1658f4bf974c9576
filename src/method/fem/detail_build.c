// SPDX-License-Identifier: MIT
// Finer functions out of a rule: integrals, weights, the skin that they move.
#include "core/array.h"
#include "core/tasks.h"
#include "method/fem/detail.h"

#include <math.h>

// Part of a function that is body, at the least: others hardly move flesh, and can cancel those of the lattice.
#define LEAST_BODY 0.05

// Part of a function's own stiffness that pulls it to 0.
#define PULL 0.05f

typedef struct Entries
{
	int32_t base; // of its targets in entryOf
	SUP_ARRAY( int32_t ) starts;
	SUP_ARRAY( int32_t ) targets;
	SUP_ARRAY( int32_t ) regions;
	SUP_ARRAY( float ) numbers;
} Entries;

typedef struct Builder
{
	const supDetailDef* def;
	supFemDetail* detail;
	supArena* arena;
	supArena scratch;
	supError* error;
	int32_t finerCount; // of the basis
	// of each finer function of the basis: as it is numbered here, -1 where it is left out
	int32_t* numberOf;
	int32_t* finerOf; // and back
	// points of the rule by finer function of the basis
	int32_t* pointStarts;
	int32_t* points;
	// of each point: how far it is held, times its purity
	float* holds;
	// of the function at hand: entry of each target and region, -1
	int32_t* entryOf;
	Entries bonds, pairs, rows;
	float* sums; // of bones
} Builder;

// ---------------------------------------------------------------------------------------------------------------------
// Skin

typedef struct Skin
{
	const supDetailDef* def;
	const supCellFinder* finder;
	supCellSample* samples;
} Skin;

static void SampleRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Skin* skin = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supCellPlace place;
		skin->samples[i].count = 0;
		if ( skin->def->skinShares[i] > 0.0f && supCellFinder_FindNearest( skin->finder, skin->def->skin[i], &place ) )
		{
			supCellBasis_Evaluate( skin->def->basis, place.cell, place.at, skin->def->basis->level, skin->samples + i );
		}
	}
}

bool supFemDetail_IndexSkin( supFemDetail* detail, supArena* arena )
{
	size_t total = detail->count > 0 ? (size_t)detail->skinStarts[detail->count] : 0;
	int32_t* starts = supArena_AllocZeroed( arena, ( (size_t)detail->skinCount + 2 ) * sizeof( int32_t ) );
	int32_t* entries = supArena_AllocArray( arena, total, sizeof( int32_t ) );
	int32_t* functions = supArena_AllocArray( arena, total, sizeof( int32_t ) );
	if ( arena->failed )
	{
		return false;
	}
	for ( size_t k = 0; k < total; ++k )
	{
		starts[detail->skinVertices[k] + 2] += 1;
	}
	for ( int32_t i = 0; i < detail->skinCount; ++i )
	{
		starts[i + 2] += starts[i + 1];
	}
	for ( int32_t i = 0; i < detail->count; ++i )
	{
		for ( int32_t k = detail->skinStarts[i]; k < detail->skinStarts[i + 1]; ++k )
		{
			int32_t at = starts[detail->skinVertices[k] + 1]++;
			entries[at] = k;
			functions[at] = i;
		}
	}
	detail->seenStarts = starts;
	detail->seenEntries = entries;
	detail->seenFunctions = functions;
	return true;
}

// Values of finer functions at the vertices of the skin. Functions that none sees are left out.
static bool BindSkin( Builder* b, supCellSample* samples )
{
	const supDetailDef* def = b->def;
	supFemDetail* detail = b->detail;
	int32_t vertexCount = def->vertexCount, total = 0;
	int32_t* starts = supArena_AllocZeroed( b->arena, ( (size_t)detail->count + 2 ) * sizeof( int32_t ) );
	for ( int32_t pass = 0; pass < 2; ++pass )
	{
		int32_t* vertices = supArena_AllocArray( b->arena, (size_t)total, sizeof( int32_t ) );
		float* numbers = supArena_AllocArray( b->arena, (size_t)total, SUP_DETAIL_SKIN * sizeof( float ) );
		if ( b->arena->failed )
		{
			return supSetMemoryError( b->error );
		}
		for ( int32_t i = 0; i < def->skinCount; ++i )
		{
			for ( int32_t k = 0; k < samples[i].count; ++k )
			{
				int32_t finer = samples[i].functions[k] - vertexCount;
				int32_t function = finer >= 0 && fabs( samples[i].values[k] ) > 1e-5 ? b->numberOf[finer] : -1;
				if ( function >= 0 && pass == 0 )
				{
					starts[function + 2] += 1;
					total += 1;
				}
				else if ( function >= 0 )
				{
					int32_t at = starts[function + 1]++;
					vertices[at] = i;
					numbers[SUP_DETAIL_SKIN * at] = def->skinShares[i] * (float)samples[i].values[k];
					for ( int c = 0; c < 3; ++c )
					{
						numbers[SUP_DETAIL_SKIN * at + 1 + c] = def->skinShares[i] * (float)samples[i].gradients[k][c];
					}
				}
			}
		}
		for ( int32_t i = 0; pass == 0 && i < detail->count; ++i )
		{
			starts[i + 2] += starts[i + 1];
		}
		detail->skinVertices = vertices;
		detail->skins = numbers;
	}
	detail->skinStarts = starts;
	detail->skinCount = def->skinCount;
	return supFemDetail_IndexSkin( detail, b->arena ) || supSetMemoryError( b->error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Which functions

static int32_t SlotOf( const supFemRule* rule, int32_t point, int32_t function )
{
	int32_t k = rule->starts[point];
	while ( rule->functions[k] != function )
	{
		k += 1;
	}
	return k;
}

static bool ListPoints( Builder* b )
{
	const supCellRule* cells = b->def->cells;
	b->pointStarts = supArena_AllocZeroed( &b->scratch, ( (size_t)b->finerCount + 2 ) * sizeof( int32_t ) );
	b->points = supArena_AllocArray( &b->scratch, (size_t)cells->starts[cells->pointCount], sizeof( int32_t ) );
	if ( b->scratch.failed )
	{
		return supSetMemoryError( b->error );
	}
	for ( int32_t pass = 0; pass < 2; ++pass )
	{
		for ( int32_t i = 0; i < cells->pointCount; ++i )
		{
			for ( int32_t k = cells->starts[i]; k < cells->starts[i + 1]; ++k )
			{
				int32_t finer = cells->functions[k] - b->def->vertexCount;
				if ( finer >= 0 && pass == 0 )
				{
					b->pointStarts[finer + 2] += 1;
				}
				else if ( finer >= 0 )
				{
					b->points[b->pointStarts[finer + 1]++] = i;
				}
			}
		}
		for ( int32_t i = 0; pass == 0 && i < b->finerCount; ++i )
		{
			b->pointStarts[i + 2] += b->pointStarts[i + 1];
		}
	}
	return true;
}

// How much of a function is body: its integral over the body, as a part of that of a whole one of its width.
static double BodyOf( const Builder* b, int32_t finer )
{
	const supFemRule* rule = &b->def->rule;
	double inside = 0.0, slope = 0.0, whole = 0.0;
	for ( int32_t k = b->pointStarts[finer]; k < b->pointStarts[finer + 1]; ++k )
	{
		int32_t point = b->points[k], slot = SlotOf( rule, point, finer + b->def->vertexCount );
		double volume = (double)rule->volumes[point];
		inside += volume * (double)rule->values[slot];
		slope += volume * (double)supLength( rule->gradients[slot] );
		whole += volume;
	}
	// a hat that falls to 0 over a width of w has a slope of about 1 / ( 2 w ) in the mean, and an integral of w^3
	double width = slope > 0.0 ? whole / slope : 0.0;
	return width > 0.0 ? 8.0 * inside / ( width * width * width ) : 0.0;
}

static bool ChooseFunctions( Builder* b, const supCellSample* samples )
{
	const supCellBasis* basis = b->def->basis;
	supFemDetail* detail = b->detail;
	b->numberOf = supArena_AllocZeroed( &b->scratch, (size_t)b->finerCount * sizeof( int32_t ) );
	b->finerOf = supArena_AllocArray( &b->scratch, (size_t)b->finerCount, sizeof( int32_t ) );
	int32_t* levelStarts = supArena_AllocZeroed( b->arena, ( (size_t)basis->level + 1 ) * sizeof( int32_t ) );
	if ( b->scratch.failed || b->arena->failed )
	{
		return supSetMemoryError( b->error );
	}
	for ( int32_t i = 0; i < b->def->skinCount; ++i )
	{
		for ( int32_t k = 0; k < samples[i].count; ++k )
		{
			int32_t finer = samples[i].functions[k] - b->def->vertexCount;
			if ( finer >= 0 && fabs( samples[i].values[k] ) > 1e-5 )
			{
				b->numberOf[finer] = 1;
			}
		}
	}
	for ( int32_t level = 1; level <= basis->level; ++level )
	{
		levelStarts[level - 1] = detail->count;
		for ( int32_t f = basis->levelStarts[level]; f < basis->levelStarts[level + 1]; ++f )
		{
			int32_t finer = f - b->def->vertexCount;
			bool isIn = b->numberOf[finer] && BodyOf( b, finer ) > LEAST_BODY;
			b->numberOf[finer] = isIn ? detail->count : -1;
			if ( isIn )
			{
				b->finerOf[detail->count++] = finer;
			}
		}
	}
	levelStarts[basis->level] = detail->count;
	detail->levelStarts = levelStarts;
	detail->levelCount = basis->level;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Cells

static bool FillCells( Builder* b )
{
	const supControlLattice* lattice = b->def->basis->lattice;
	const supCellRule* cells = b->def->cells;
	supFemDetail* detail = b->detail;
	size_t slots = 8 * (size_t)lattice->cellCount;
	int32_t* corners = supArena_AllocArray( b->arena, slots, sizeof( int32_t ) );
	supVec3* gradients = supArena_AllocZeroed( b->arena, slots * sizeof( supVec3 ) );
	float* volumes = supArena_AllocZeroed( &b->scratch, (size_t)lattice->cellCount * sizeof( float ) );
	if ( b->arena->failed || b->scratch.failed )
	{
		return supSetMemoryError( b->error );
	}
	memset( corners, 0xff, slots * sizeof( int32_t ) );
	for ( int32_t cell = 0; cell < lattice->cellCount; ++cell )
	{
		int32_t first = lattice->cornerStarts[cell], count = lattice->cornerStarts[cell + 1] - first;
		memcpy( corners + 8 * (size_t)cell, lattice->corners + first, (size_t)count * sizeof( int32_t ) );
	}
	for ( int32_t i = 0; i < cells->pointCount; ++i )
	{
		volumes[cells->cells[i]] += cells->weights[i];
	}
	for ( int32_t i = 0; i < cells->pointCount; ++i )
	{
		int32_t cell = cells->cells[i];
		for ( int32_t k = cells->starts[i]; k < cells->starts[i + 1]; ++k )
		{
			for ( int32_t c = 8 * cell; c < 8 * cell + 8; ++c )
			{
				if ( corners[c] == cells->functions[k] && volumes[cell] > 0.0f )
				{
					gradients[c] = supMulAdd( gradients[c], cells->weights[i] / volumes[cell], cells->gradients[k] );
				}
			}
		}
	}
	detail->cellCount = lattice->cellCount;
	detail->cellCorners = corners;
	detail->cellGradients = gradients;
	return true;
}

// The functions with a bond in each cell.
static bool ListCellFunctions( Builder* b )
{
	supFemDetail* detail = b->detail;
	int32_t bondCount = detail->bondStarts[detail->count];
	int32_t* starts = supArena_AllocZeroed( b->arena, ( (size_t)detail->cellCount + 2 ) * sizeof( int32_t ) );
	int32_t* functions = supArena_AllocArray( b->arena, (size_t)bondCount, sizeof( int32_t ) );
	if ( b->arena->failed )
	{
		return supSetMemoryError( b->error );
	}
	for ( int32_t pass = 0; pass < 2; ++pass )
	{
		for ( int32_t i = 0; i < detail->count; ++i )
		{
			for ( int32_t k = detail->bondStarts[i]; k < detail->bondStarts[i + 1]; ++k )
			{
				// once a cell, whatever its soft regions
				bool isFirst = k == detail->bondStarts[i] || detail->bondCells[k] != detail->bondCells[k - 1];
				if ( isFirst && pass == 0 )
				{
					starts[detail->bondCells[k] + 2] += 1;
				}
				else if ( isFirst )
				{
					functions[starts[detail->bondCells[k] + 1]++] = i;
				}
			}
		}
		for ( int32_t i = 0; pass == 0 && i < detail->cellCount; ++i )
		{
			starts[i + 2] += starts[i + 1];
		}
	}
	detail->cellStarts = starts;
	detail->cellFunctions = functions;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Integrals

// What holds a place, where one bone has all of it (regions.c).
static bool FindHolds( Builder* b )
{
	const supDetailDef* def = b->def;
	const supFemRule* rule = &def->rule;
	b->holds = supArena_AllocArray( &b->scratch, (size_t)rule->count, sizeof( float ) );
	b->sums = supArena_AllocArray( &b->scratch, (size_t)def->boneCount, sizeof( float ) );
	if ( b->scratch.failed )
	{
		return supSetMemoryError( b->error );
	}
	for ( int32_t i = 0; i < rule->count; ++i )
	{
		memset( b->sums, 0, (size_t)def->boneCount * sizeof( float ) );
		for ( int32_t k = rule->starts[i]; k < rule->starts[i + 1]; ++k )
		{
			int32_t vertex = rule->functions[k];
			for ( int m = 0; vertex < def->vertexCount && m < SUP_MAX_INFLUENCES; ++m )
			{
				size_t slot = SUP_MAX_INFLUENCES * (size_t)vertex + (size_t)m;
				b->sums[def->joints[slot]] += rule->values[k] * def->weights[slot];
			}
		}
		float purity = 0.0f;
		for ( int32_t k = 0; k < def->boneCount; ++k )
		{
			purity += b->sums[k] * b->sums[k] * b->sums[k] * b->sums[k];
		}
		double hold = supFemRule_Hold( rule, i, (double)purity, def->pulses[rule->softRegions[i]] );
		b->holds[i] = (float)( supFemRule_Share( rule, i ) * hold );
	}
	return true;
}

// The entry of a target and soft region, made if there is none; -1 where out of memory.
static int32_t FindEntry( Builder* b, Entries* entries, int32_t target, int32_t region, int32_t width )
{
	int32_t* at = b->entryOf + (size_t)( entries->base + target ) * (size_t)b->def->softRegionCount + (size_t)region;
	if ( *at < 0 )
	{
		int32_t entry = entries->targets.count;
		bool ok = SUP_PUSH( &entries->targets, target ) && SUP_PUSH( &entries->regions, region );
		for ( int32_t i = 0; ok && i < width; ++i )
		{
			ok = SUP_PUSH( &entries->numbers, 0.0f );
		}
		*at = ok ? entry : -1;
	}
	return *at;
}

// Entries of the function are forgotten, and the next begins.
static bool EndFunction( Builder* b, Entries* entries )
{
	int32_t first = entries->starts.data[entries->starts.count - 1];
	for ( int32_t k = first; k < entries->targets.count; ++k )
	{
		b->entryOf[(size_t)( entries->base + entries->targets.data[k] ) * (size_t)b->def->softRegionCount +
				   (size_t)entries->regions.data[k]] = -1;
	}
	return SUP_PUSH( &entries->starts, entries->targets.count );
}

static bool AddBond( Builder* b, int32_t point, int32_t slot )
{
	const supFemRule* rule = &b->def->rule;
	supElasticLaw law = supFemRule_Law( rule, point, supFemRule_Share( rule, point ) );
	int32_t at = FindEntry( b, &b->bonds, b->def->cells->cells[point], rule->softRegions[point], SUP_DETAIL_BOND );
	if ( at < 0 )
	{
		return false;
	}
	float* to = b->bonds.numbers.data + SUP_DETAIL_BOND * (size_t)at;
	supVec3 g = rule->gradients[slot];
	const float gradient[3] = { g.x, g.y, g.z };
	for ( int i = 0; i < 3; ++i )
	{
		to[i] += (float)law.shear * gradient[i];
		to[3 + i] += (float)law.lambda * gradient[i];
	}
	return true;
}

static bool AddPairs( Builder* b, int32_t point, int32_t slot )
{
	const supFemRule* rule = &b->def->rule;
	for ( int32_t k = rule->starts[point]; k < rule->starts[point + 1]; ++k )
	{
		if ( rule->functions[k] >= b->def->vertexCount )
		{
			continue;
		}
		int32_t corner = 8 * b->def->cells->cells[point];
		while ( b->detail->cellCorners[corner] != rule->functions[k] )
		{
			corner += 1;
		}
		int32_t at = FindEntry( b, &b->pairs, corner, rule->softRegions[point], SUP_DETAIL_PAIR );
		if ( at < 0 )
		{
			return false;
		}
		float volume = rule->volumes[point] * rule->values[slot] * rule->values[k];
		b->pairs.numbers.data[SUP_DETAIL_PAIR * at] += volume * rule->densities[point];
		b->pairs.numbers.data[SUP_DETAIL_PAIR * at + 1] += volume * b->holds[point];
	}
	return true;
}

static bool AddRow( Builder* b, int32_t point, int32_t slot )
{
	const supFemRule* rule = &b->def->rule;
	supElasticLaw law = supFemRule_Law( rule, point, supFemRule_Share( rule, point ) );
	supVec3 g = rule->gradients[slot];
	const double own[3] = { (double)g.x, (double)g.y, (double)g.z };
	for ( int32_t k = rule->starts[point]; k < rule->starts[point + 1]; ++k )
	{
		int32_t finer = rule->functions[k] - b->def->vertexCount;
		if ( finer < 0 || b->numberOf[finer] < 0 )
		{
			continue;
		}
		int32_t at = FindEntry( b, &b->rows, b->numberOf[finer], rule->softRegions[point], SUP_DETAIL_ROW );
		if ( at < 0 )
		{
			return false;
		}
		supVec3 o = rule->gradients[k];
		const double other[3] = { (double)o.x, (double)o.y, (double)o.z };
		double block[9];
		supElastic_LinearBlock( law, own, other, block );
		float* to = b->rows.numbers.data + SUP_DETAIL_ROW * (size_t)at;
		float volume = rule->volumes[point] * rule->values[slot] * rule->values[k];
		for ( int i = 0; i < 9; ++i )
		{
			to[i] += (float)block[i] + ( i % 4 == 0 ? volume * b->holds[point] : 0.0f );
		}
		to[9] += volume * rule->densities[point];
	}
	return true;
}

// The heaviest bones over the flesh of a function.
static void WeighFunction( const Builder* b, uint16_t* joints, float* weights )
{
	float whole = 0.0f;
	for ( int k = 0; k < SUP_MAX_INFLUENCES; ++k )
	{
		int32_t best = 0;
		for ( int32_t i = 1; i < b->def->boneCount; ++i )
		{
			best = b->sums[i] > b->sums[best] ? i : best;
		}
		joints[k] = (uint16_t)best;
		weights[k] = b->sums[best];
		whole += b->sums[best];
		b->sums[best] = 0.0f;
	}
	for ( int k = 0; k < SUP_MAX_INFLUENCES; ++k )
	{
		weights[k] = whole > 0.0f ? weights[k] / whole : ( k == 0 ? 1.0f : 0.0f );
	}
}

// Where the body fills only a part of its cells, functions can cancel each other all over that part: such a motion has
// neither mass nor stiffness. So each is pulled to 0 by a little of its own stiffness.
static void Stiffen( const Builder* b, int32_t function )
{
	for ( int32_t k = b->rows.starts.data[b->rows.starts.count - 1]; k < b->rows.targets.count; ++k )
	{
		float* block = b->rows.numbers.data + SUP_DETAIL_ROW * (size_t)k;
		float pull = PULL * ( block[0] + block[4] + block[8] ) / 3.0f;
		for ( int i = 0; b->rows.targets.data[k] == function && i < 9; i += 4 )
		{
			block[i] += pull;
		}
	}
}

typedef struct Own
{
	supVec3* places;
	float* widths;
	float* loads;
	uint16_t* joints;
	float* weights;
} Own;

static bool Integrate( Builder* b, const Own* own, int32_t function )
{
	const supDetailDef* def = b->def;
	const supFemRule* rule = &def->rule;
	int32_t finer = b->finerOf[function];
	double slope = 0.0, whole = 0.0;
	memset( b->sums, 0, (size_t)def->boneCount * sizeof( float ) );
	for ( int32_t p = b->pointStarts[finer]; p < b->pointStarts[finer + 1]; ++p )
	{
		int32_t point = b->points[p], slot = SlotOf( rule, point, finer + def->vertexCount );
		if ( AddBond( b, point, slot ) == false || AddPairs( b, point, slot ) == false ||
			 AddRow( b, point, slot ) == false )
		{
			return false;
		}
		float share = rule->volumes[point] * rule->values[slot];
		own->loads[function] += share * rule->densities[point];
		slope += (double)( rule->volumes[point] * supLength( rule->gradients[slot] ) );
		whole += (double)rule->volumes[point];
		for ( int32_t k = rule->starts[point]; k < rule->starts[point + 1]; ++k )
		{
			int32_t vertex = rule->functions[k];
			for ( int m = 0; vertex < def->vertexCount && m < SUP_MAX_INFLUENCES; ++m )
			{
				size_t at = SUP_MAX_INFLUENCES * (size_t)vertex + (size_t)m;
				b->sums[def->joints[at]] += share * rule->values[k] * def->weights[at];
			}
		}
	}
	// from where it is 1 to where it is 0
	own->widths[function] = slope > 0.0 ? (float)( whole / slope ) : 0.0f;
	own->places[function] = def->basis->nodes[def->basis->functionNodes[finer + def->vertexCount]];
	WeighFunction( b, own->joints + SUP_MAX_INFLUENCES * (size_t)function,
				   own->weights + SUP_MAX_INFLUENCES * (size_t)function );
	Stiffen( b, function );
	return EndFunction( b, &b->bonds ) && EndFunction( b, &b->pairs ) && EndFunction( b, &b->rows );
}

typedef struct Kept
{
	const int32_t* starts;
	const int32_t* targets;
	const int32_t* regions;
	const float* numbers;
} Kept;

static Kept Keep( supArena* arena, const Entries* from )
{
	return ( Kept ){ supArena_CopyArray( arena, from->starts.data, (size_t)from->starts.count, sizeof( int32_t ) ),
					 supArena_CopyArray( arena, from->targets.data, (size_t)from->targets.count, sizeof( int32_t ) ),
					 supArena_CopyArray( arena, from->regions.data, (size_t)from->regions.count, sizeof( int32_t ) ),
					 supArena_CopyArray( arena, from->numbers.data, (size_t)from->numbers.count, sizeof( float ) ) };
}

static void FreeEntries( Entries* entries )
{
	SUP_FREE_ARRAY( &entries->starts );
	SUP_FREE_ARRAY( &entries->targets );
	SUP_FREE_ARRAY( &entries->regions );
	SUP_FREE_ARRAY( &entries->numbers );
}

static bool IntegrateAll( Builder* b )
{
	const supDetailDef* def = b->def;
	supFemDetail* detail = b->detail;
	size_t count = (size_t)detail->count;
	size_t targets = count + 9 * (size_t)detail->cellCount;
	b->pairs.base = detail->cellCount;
	b->rows.base = 9 * detail->cellCount;
	b->entryOf = supArena_AllocArray( &b->scratch, targets * (size_t)def->softRegionCount, sizeof( int32_t ) );
	Own own = { .places = supArena_AllocArray( b->arena, count, sizeof( supVec3 ) ),
				.widths = supArena_AllocArray( b->arena, count, sizeof( float ) ),
				.loads = supArena_AllocZeroed( b->arena, count * sizeof( float ) ),
				.joints = supArena_AllocArray( b->arena, SUP_MAX_INFLUENCES * count, sizeof( uint16_t ) ),
				.weights = supArena_AllocArray( b->arena, SUP_MAX_INFLUENCES * count, sizeof( float ) ) };
	bool ok = b->arena->failed == false && b->scratch.failed == false && SUP_PUSH( &b->bonds.starts, 0 ) &&
			  SUP_PUSH( &b->pairs.starts, 0 ) && SUP_PUSH( &b->rows.starts, 0 );
	if ( ok )
	{
		memset( b->entryOf, 0xff, targets * (size_t)def->softRegionCount * sizeof( int32_t ) );
	}
	for ( int32_t i = 0; ok && i < detail->count; ++i )
	{
		ok = Integrate( b, &own, i );
	}
	if ( ok == false )
	{
		return supSetMemoryError( b->error );
	}
	Kept bonds = Keep( b->arena, &b->bonds ), pairs = Keep( b->arena, &b->pairs ), rows = Keep( b->arena, &b->rows );
	detail->places = own.places;
	detail->widths = own.widths;
	detail->loads = own.loads;
	detail->joints = own.joints;
	detail->weights = own.weights;
	detail->bondStarts = bonds.starts;
	detail->bondCells = bonds.targets;
	detail->bondRegions = bonds.regions;
	detail->bonds = bonds.numbers;
	detail->pairStarts = pairs.starts;
	detail->pairCorners = pairs.targets;
	detail->pairRegions = pairs.regions;
	detail->pairs = pairs.numbers;
	detail->rowStarts = rows.starts;
	detail->rowColumns = rows.targets;
	detail->rowRegions = rows.regions;
	detail->rows = rows.numbers;
	return b->arena->failed == false || supSetMemoryError( b->error );
}

// ---------------------------------------------------------------------------------------------------------------------

bool supBuildFemDetail( supFemDetail* detail, supArena* arena, const supDetailDef* def, supError* error )
{
	*detail = ( supFemDetail ){ 0 };
	Builder b = { .def = def, .detail = detail, .arena = arena, .error = error };
	b.finerCount = def->basis->functionCount - def->vertexCount;
	supCellFinder* finder = supCreateCellFinder( def->basis->lattice, error );
	supCellSample* samples = supArena_AllocArray( &b.scratch, (size_t)def->skinCount, sizeof( supCellSample ) );
	bool ok = finder != NULL && ( samples != NULL || supSetMemoryError( error ) );
	if ( ok )
	{
		Skin skin = { def, finder, samples };
		supParallelFor( def->tasks, def->skinCount, 256, SampleRange, &skin );
		ok = ListPoints( &b ) && ChooseFunctions( &b, samples ) && FillCells( &b ) && FindHolds( &b ) &&
			 IntegrateAll( &b ) && ListCellFunctions( &b ) && BindSkin( &b, samples );
	}
	supDestroyCellFinder( finder );
	FreeEntries( &b.bonds );
	FreeEntries( &b.pairs );
	FreeEntries( &b.rows );
	supArena_Destroy( &b.scratch );
	return ok;
}
