// SPDX-License-Identifier: MIT
// Regions: which places and functions belong to each, and their matrices.
#include "method/fem/model.h"
#include "supple/character.h"

typedef struct Maker
{
	supArena scratch;
	supFemModel* model;
	supError* error;
	int32_t wholeBone;
	// of each function: its heaviest bone
	int32_t* heaviest;
	// of each function: near a joint. NULL but for the region of these.
	const uint8_t* isJoint;
	// what holds is a matrix of its own
	bool holdsApart;
	// of the region at hand
	supFemRegion* region;
	int32_t placeCount;
	int32_t* placesIn;
	int32_t* nodeOf; // of each function, -1 where it is not in the region
	const int32_t* cellCorners;
	int32_t* elementAt; // starts of lists of nodes, as supElements wants them
	int32_t* elementNodes;
} Maker;

// Less than this is no part in a region: it would make the region larger and change nothing.
#define LEAST_WEIGHT 0.02f

// What no bone has more of than this is near a joint.
#define JOINT_WEIGHT 0.75f

// The most that a frame ever has of a function.
static float WeightOf( const supFemModel* model, int32_t function, int32_t frame )
{
	float straight = 0.0f, turned = 0.0f;
	for ( int32_t k = model->claimStarts[function]; k < model->claimStarts[function + 1]; ++k )
	{
		bool isIts = model->claims[k].frame == frame;
		straight += isIts ? model->claims[k].straight : 0.0f;
		turned += isIts ? model->claims[k].turned : 0.0f;
	}
	float weight = supMaxFloat( straight, turned );
	return weight < LEAST_WEIGHT ? 0.0f : weight;
}

static int32_t FindHeaviest( const supFemModel* model, int32_t function )
{
	size_t first = SUP_MAX_INFLUENCES * (size_t)function, best = first;
	for ( size_t k = first + 1; k < first + SUP_MAX_INFLUENCES; ++k )
	{
		best = model->weights[k] > model->weights[best] ? k : best;
	}
	return model->joints[best];
}

// ---------------------------------------------------------------------------------------------------------------------
// Who is in it

static bool IsNearJoint( const Maker* maker, int32_t place )
{
	const supFemRule* rule = &maker->model->rule;
	bool any = false;
	for ( int32_t k = rule->starts[place]; k < rule->starts[place + 1]; ++k )
	{
		any = any || maker->isJoint[rule->functions[k]];
	}
	return any;
}

// A frame between bones has few functions: it takes all that is around them, so that it is not cut off too near.
static bool IsInside( const Maker* maker, int32_t place, int32_t frame )
{
	const supFemModel* model = maker->model;
	const supFemRule* rule = &model->rule;
	bool all = true, any = false, heaviest = false, one = false;
	for ( int32_t k = rule->starts[place]; k < rule->starts[place + 1]; ++k )
	{
		int32_t function = rule->functions[k];
		if ( model->isKnown[function] == 0 )
		{
			bool isIts = WeightOf( model, function, frame ) > 0.0f;
			any = true;
			one = one || isIts;
			all = all && isIts;
			heaviest = heaviest || maker->heaviest[function] == frame;
		}
	}
	return any && ( all || heaviest || maker->wholeBone >= 0 || ( frame >= model->boneCount && one ) );
}

static void CollectPlaces( Maker* maker )
{
	maker->placeCount = 0;
	for ( int32_t i = 0; i < maker->model->rule.count; ++i )
	{
		if ( maker->isJoint != NULL ? IsNearJoint( maker, i ) : IsInside( maker, i, maker->region->frame ) )
		{
			maker->placesIn[maker->placeCount++] = i;
		}
	}
}

static bool IsUnknown( const Maker* maker, int32_t function )
{
	return maker->isJoint != NULL ? maker->isJoint[function] : maker->model->isKnown[function] == 0;
}

// Unknown ones first, each kind in the order of functions.
static bool CollectNodes( Maker* maker )
{
	supFemModel* model = maker->model;
	supFemRegion* region = maker->region;
	const supFemRule* rule = &model->rule;
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		maker->nodeOf[i] = -1;
	}
	for ( int32_t i = 0; i < maker->placeCount; ++i )
	{
		int32_t place = maker->placesIn[i];
		for ( int32_t k = rule->starts[place]; k < rule->starts[place + 1]; ++k )
		{
			region->nodeCount += maker->nodeOf[rule->functions[k]] < 0;
			maker->nodeOf[rule->functions[k]] = 0;
		}
	}
	region->functions = supArena_AllocArray( &model->arena, (size_t)region->nodeCount, sizeof( int32_t ) );
	region->loads = supArena_AllocArray( &model->arena, (size_t)region->nodeCount, sizeof( double ) );
	if ( model->arena.failed )
	{
		return false;
	}
	memset( region->loads, 0, (size_t)region->nodeCount * sizeof( double ) );
	int32_t count = 0;
	for ( int32_t known = 0; known < 2; ++known )
	{
		for ( int32_t i = 0; i < model->functionCount; ++i )
		{
			if ( maker->nodeOf[i] >= 0 && IsUnknown( maker, i ) == ( known == 0 ) )
			{
				region->functions[count++] = i;
			}
		}
		region->unknownCount = known == 0 ? count : region->unknownCount;
	}
	for ( int32_t i = 0; i < region->nodeCount; ++i )
	{
		maker->nodeOf[region->functions[i]] = i;
	}
	return true;
}

// Places of a cell stand side by side.
static bool ListCells( Maker* maker )
{
	supFemRegion* region = maker->region;
	const int32_t* cells = maker->model->rule.cells;
	supArena* arena = &maker->model->arena;
	int32_t before = -1;
	for ( int32_t i = 0; cells != NULL && i < maker->placeCount; ++i )
	{
		region->cellCount += cells[maker->placesIn[i]] != before;
		before = cells[maker->placesIn[i]];
	}
	region->cells = supArena_AllocArray( arena, (size_t)region->cellCount, sizeof( int32_t ) );
	region->cellNodes = supArena_AllocArray( arena, 8 * (size_t)region->cellCount, sizeof( int32_t ) );
	if ( arena->failed )
	{
		return supSetMemoryError( maker->error );
	}
	region->cellCount = 0;
	before = -1;
	for ( int32_t i = 0; cells != NULL && i < maker->placeCount; ++i )
	{
		int32_t cell = cells[maker->placesIn[i]];
		for ( int32_t k = 0; cell != before && k < 8; ++k )
		{
			int32_t vertex = maker->cellCorners[8 * cell + k], node = vertex >= 0 ? maker->nodeOf[vertex] : -1;
			region->cellNodes[8 * region->cellCount + k] = node < region->unknownCount ? node : -1;
		}
		if ( cell != before )
		{
			region->cells[region->cellCount++] = cell;
		}
		before = cell;
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Patterns

static bool HasSameFunctions( const supFemRule* rule, int32_t a, int32_t b )
{
	size_t count = (size_t)( rule->starts[a + 1] - rule->starts[a] );
	return count == (size_t)( rule->starts[b + 1] - rule->starts[b] ) &&
		   memcmp( rule->functions + rule->starts[a], rule->functions + rule->starts[b], count * sizeof( int32_t ) ) ==
			   0;
}

// The places' lists of nodes, each once where it repeats.
// - softRegion -1: of all places, with known nodes as -1
static supElements ListElements( const Maker* maker, int32_t softRegion )
{
	const supFemRule* rule = &maker->model->rule;
	int32_t count = 0, used = 0, before = -1;
	for ( int32_t i = 0; i < maker->placeCount; ++i )
	{
		int32_t place = maker->placesIn[i];
		if ( ( softRegion >= 0 && rule->softRegions[place] != softRegion ) ||
			 ( before >= 0 && HasSameFunctions( rule, before, place ) ) )
		{
			continue;
		}
		before = place;
		maker->elementAt[count++] = used;
		for ( int32_t k = rule->starts[place]; k < rule->starts[place + 1]; ++k )
		{
			int32_t node = maker->nodeOf[rule->functions[k]];
			bool isKnown = node >= maker->region->unknownCount;
			maker->elementNodes[used++] = softRegion < 0 && isKnown ? -1 : node;
		}
	}
	maker->elementAt[count] = used;
	return ( supElements ){ count, 0, maker->elementAt, maker->elementNodes };
}

static bool MakePattern( Maker* maker )
{
	supFemRegion* region = maker->region;
	supFemModel* model = maker->model;
	supVec3* points = supArena_AllocArray( &maker->scratch, (size_t)region->unknownCount, sizeof( supVec3 ) );
	if ( points == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	for ( int32_t i = 0; i < region->unknownCount; ++i )
	{
		points[i] = model->places[region->functions[i]];
	}
	supElements elements = ListElements( maker, -1 );
	return supBlockMatrix_Create( &region->matrix, region->unknownCount, 3, NULL, &elements, maker->error ) &&
		   supSymbolic_Create( &region->symbolic, &region->matrix, points, NULL, maker->error );
}

static bool MapBlocks( Maker* maker, supFemPart* part )
{
	const supFemRegion* region = maker->region;
	const supBlockMatrix* matrix = &part->stiffness;
	part->blocks = supArena_AllocArray( &maker->model->arena, (size_t)matrix->blockCount, sizeof( int32_t ) );
	if ( part->blocks == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	for ( int32_t row = 0; row < matrix->nodeCount; ++row )
	{
		for ( int32_t k = matrix->rowStarts[row]; k < matrix->rowStarts[row + 1]; ++k )
		{
			bool isUnknown = row < region->unknownCount && matrix->columns[k] < region->unknownCount;
			part->blocks[k] = isUnknown ? supBlockMatrix_Find( &region->matrix, row, matrix->columns[k] ) : -1;
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers

// How much of a place follows one bone, to the fourth power: where bones share, what is between them is left to
// elasticity.
static double PurityFor( const supFemModel* model, int32_t place, int32_t frame )
{
	const supFemRule* rule = &model->rule;
	double sum = 0.0, whole = 0.0;
	for ( int32_t k = rule->starts[place]; k < rule->starts[place + 1]; ++k )
	{
		sum += (double)( rule->values[k] * WeightOf( model, rule->functions[k], frame ) );
		whole += (double)rule->values[k];
	}
	double share = whole > 0.0 ? sum / whole : 0.0;
	return share * share * share * share;
}

static double PurityOf( const Maker* maker, int32_t place )
{
	if ( maker->holdsApart == false )
	{
		return PurityFor( maker->model, place, maker->region->frame );
	}
	double sum = 0.0;
	for ( int32_t i = 0; i < maker->model->boneCount; ++i )
	{
		sum += PurityFor( maker->model, place, i );
	}
	return sum;
}

// In N/m.
static double HoldOf( const Maker* maker, int32_t place )
{
	const supFemRule* rule = &maker->model->rule;
	double purity = rule->holds[place] > 0.0f ? PurityOf( maker, place ) : 0.0;
	return supFemRule_Share( rule, place ) * (double)rule->volumes[place] *
		   supFemRule_Hold( rule, place, purity, maker->model->pulses[rule->softRegions[place]] );
}

static void AddHoldMoment( const Maker* maker, supFemPart* part, int32_t function, int32_t other, double hold )
{
	int32_t node = maker->nodeOf[function];
	supVec3 rest = maker->model->rests[other];
	if ( node < maker->region->unknownCount )
	{
		double* to = part->holdMoments + 4 * (size_t)node;
		to[0] += hold * (double)rest.x;
		to[1] += hold * (double)rest.y;
		to[2] += hold * (double)rest.z;
		to[3] += hold;
	}
}

static void AddPlace( const Maker* maker, supFemPart* part, int32_t place, const int32_t* slots )
{
	const supFemRule* rule = &maker->model->rule;
	int32_t start = rule->starts[place], count = rule->starts[place + 1] - start;
	double share = supFemRule_Share( rule, place );
	supElasticLaw law = supFemRule_Law( rule, place, share );
	double mass = (double)rule->volumes[place] * (double)rule->densities[place];
	double hold = HoldOf( maker, place );
	double g[SUP_MOST_FEM_FUNCTIONS][3];
	for ( int32_t a = 0; a < count; ++a )
	{
		supVec3 gradient = rule->gradients[start + a];
		g[a][0] = (double)gradient.x;
		g[a][1] = (double)gradient.y;
		g[a][2] = (double)gradient.z;
		maker->region->loads[maker->nodeOf[rule->functions[start + a]]] += mass * (double)rule->values[start + a];
	}
	for ( int32_t a = 0; a < count; ++a )
	{
		for ( int32_t b = 0; b < count; ++b )
		{
			double block[9], product = (double)rule->values[start + a] * (double)rule->values[start + b];
			supElastic_LinearBlock( law, g[a], g[b], block );
			double* to = supBlockMatrix_Block( &part->stiffness, slots[a * count + b] );
			double inside = maker->holdsApart ? 0.0 : hold * product;
			for ( int i = 0; i < 9; ++i )
			{
				to[i] += block[i] + ( i % 4 == 0 ? inside : 0.0 );
			}
			if ( maker->holdsApart )
			{
				*supBlockMatrix_Block( &part->hold, slots[a * count + b] ) += hold * product;
			}
			else
			{
				AddHoldMoment( maker, part, rule->functions[start + a], rule->functions[start + b], hold * product );
			}
			*supBlockMatrix_Block( &part->mass, slots[a * count + b] ) += mass * product;
		}
	}
}

// What is left of the stiffness in a step, side by side.
static bool CopyBonds( const Maker* maker, supFemPart* part )
{
	const supBlockMatrix* matrix = &part->stiffness;
	supArena* arena = &maker->model->arena;
	int32_t unknownCount = maker->region->unknownCount, count = 0;
	for ( int32_t k = 0; k < matrix->rowStarts[unknownCount]; ++k )
	{
		count += matrix->columns[k] >= unknownCount;
	}
	part->bondStarts = supArena_AllocArray( arena, (size_t)unknownCount + 1, sizeof( int32_t ) );
	part->bondNodes = supArena_AllocArray( arena, (size_t)count, sizeof( int32_t ) );
	part->bonds = supArena_AllocZeroed( arena, ( 9 * (size_t)count + SUP_BLOCK_PADDING ) * sizeof( double ) );
	if ( arena->failed )
	{
		return supSetMemoryError( maker->error );
	}
	count = 0;
	for ( int32_t row = 0; row < unknownCount; ++row )
	{
		part->bondStarts[row] = count;
		for ( int32_t k = matrix->rowStarts[row]; k < matrix->rowStarts[row + 1]; ++k )
		{
			if ( matrix->columns[k] >= unknownCount )
			{
				part->bondNodes[count] = matrix->columns[k] - unknownCount;
				memcpy( part->bonds + 9 * (size_t)count++, matrix->values + 9 * (size_t)k, 9 * sizeof( double ) );
			}
		}
	}
	part->bondStarts[unknownCount] = count;
	return true;
}

// M times the rest pose.
static bool SumMoments( const Maker* maker, supFemPart* part )
{
	const supFemRegion* region = maker->region;
	const supFemModel* model = maker->model;
	part->moments = supArena_AllocZeroed( &maker->model->arena, 8 * (size_t)region->unknownCount * sizeof( double ) );
	if ( part->moments == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	for ( int32_t row = 0; row < region->unknownCount; ++row )
	{
		for ( int32_t k = part->mass.rowStarts[row]; k < part->mass.rowStarts[row + 1]; ++k )
		{
			int32_t column = part->mass.columns[k], function = region->functions[column];
			double mass = part->mass.values[k];
			double* to = part->moments + 8 * (size_t)row + ( column < region->unknownCount ? 0 : 4 );
			to[0] += mass * (double)model->rests[function].x;
			to[1] += mass * (double)model->rests[function].y;
			to[2] += mass * (double)model->rests[function].z;
			to[3] += mass;
		}
	}
	return true;
}

static bool MakePart( Maker* maker, supFemPart* part, int32_t softRegion )
{
	const supFemRule* rule = &maker->model->rule;
	part->softRegion = softRegion;
	supElements elements = ListElements( maker, softRegion );
	int32_t nodeCount = maker->region->nodeCount;
	if ( supBlockMatrix_Create( &part->stiffness, nodeCount, 3, NULL, &elements, maker->error ) == false ||
		 supBlockMatrix_Create( &part->mass, nodeCount, 1, NULL, &elements, maker->error ) == false ||
		 ( maker->holdsApart &&
		   supBlockMatrix_Create( &part->hold, nodeCount, 1, NULL, &elements, maker->error ) == false ) )
	{
		return false;
	}
	part->holdMoments =
		supArena_AllocZeroed( &maker->model->arena, 4 * (size_t)maker->region->unknownCount * sizeof( double ) );
	if ( part->holdMoments == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	int32_t slots[SUP_MOST_FEM_FUNCTIONS * SUP_MOST_FEM_FUNCTIONS], before = -1;
	for ( int32_t i = 0; i < maker->placeCount; ++i )
	{
		int32_t place = maker->placesIn[i];
		if ( rule->softRegions[place] != softRegion )
		{
			continue;
		}
		int32_t start = rule->starts[place], count = rule->starts[place + 1] - start;
		for ( int32_t k = 0; ( before < 0 || HasSameFunctions( rule, before, place ) == false ) && k < count * count;
			  ++k )
		{
			int32_t a = maker->nodeOf[rule->functions[start + k / count]];
			int32_t b = maker->nodeOf[rule->functions[start + k % count]];
			slots[k] = supBlockMatrix_Find( &part->stiffness, a, b );
		}
		before = place;
		AddPlace( maker, part, place, slots );
	}
	return MapBlocks( maker, part ) && CopyBonds( maker, part ) && SumMoments( maker, part );
}

static bool MakeParts( Maker* maker )
{
	supFemModel* model = maker->model;
	supFemRegion* region = maker->region;
	uint8_t* isThere = supArena_AllocZeroed( &maker->scratch, (size_t)model->softRegionCount );
	if ( isThere == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	int32_t count = 0;
	for ( int32_t i = 0; i < maker->placeCount; ++i )
	{
		uint8_t* mark = isThere + model->rule.softRegions[maker->placesIn[i]];
		count += *mark == 0;
		*mark = 1;
	}
	region->parts = supArena_AllocZeroed( &model->arena, (size_t)count * sizeof( supFemPart ) );
	if ( region->parts == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	bool ok = true;
	for ( int32_t i = 0; ok && i < model->softRegionCount; ++i )
	{
		if ( isThere[i] )
		{
			region->partCount += 1;
			ok = MakePart( maker, region->parts + region->partCount - 1, i );
		}
	}
	return ok;
}

void supFemRegion_Destroy( supFemRegion* region )
{
	for ( int32_t i = 0; i < region->partCount; ++i )
	{
		supBlockMatrix_Destroy( &region->parts[i].stiffness );
		supBlockMatrix_Destroy( &region->parts[i].mass );
		supBlockMatrix_Destroy( &region->parts[i].hold );
	}
	supSymbolic_Destroy( &region->symbolic );
	supBlockMatrix_Destroy( &region->matrix );
}

// ---------------------------------------------------------------------------------------------------------------------

// Takes what the frames of regions claim of their functions.
// - to NULL: only counts
static int32_t TakeShares( const Maker* maker, int32_t regionIndex, int32_t node, supFemShare* to )
{
	const supFemModel* model = maker->model;
	const supFemRegion* region = model->regions + regionIndex;
	int32_t function = region->functions[node], count = 0;
	bool isWhole = maker->wholeBone >= 0;
	if ( isWhole == false && WeightOf( model, function, region->frame ) <= 0.0f )
	{
		return 0;
	}
	for ( int32_t k = model->claimStarts[function]; k < model->claimStarts[function + 1]; ++k )
	{
		const supFrameShare* claim = model->claims + k;
		if ( isWhole == false && claim->frame == region->frame )
		{
			count += 1;
			if ( to != NULL )
			{
				*to++ =
					( supFemShare ){ regionIndex, node, claim->pair, (double)claim->straight, (double)claim->turned };
			}
		}
	}
	if ( isWhole && to != NULL )
	{
		*to = ( supFemShare ){ regionIndex, node, -1, 1.0, 1.0 };
	}
	return isWhole ? 1 : count;
}

static bool MakeShares( Maker* maker )
{
	supFemModel* model = maker->model;
	int32_t total = 0;
	model->shareStarts =
		supArena_AllocZeroed( &model->arena, ( (size_t)model->functionCount + 2 ) * sizeof( int32_t ) );
	for ( int32_t pass = 0; pass < 2; ++pass )
	{
		if ( pass == 1 )
		{
			model->shares = supArena_AllocArray( &model->arena, (size_t)total, sizeof( supFemShare ) );
		}
		if ( model->arena.failed )
		{
			return supSetMemoryError( maker->error );
		}
		for ( int32_t i = 0; i < model->regionCount; ++i )
		{
			for ( int32_t k = 0; k < model->regions[i].unknownCount; ++k )
			{
				int32_t* start = model->shareStarts + model->regions[i].functions[k] + 1 + ( pass == 0 );
				int32_t count = TakeShares( maker, i, k, pass == 0 ? NULL : model->shares + *start );
				*start += count;
				total += count;
			}
		}
		for ( int32_t i = 0; pass == 0 && i < model->functionCount; ++i )
		{
			model->shareStarts[i + 2] += model->shareStarts[i + 1];
		}
	}
	return true;
}

static bool MakeRegion( Maker* maker, int32_t frame )
{
	supFemModel* model = maker->model;
	supFemRegion* region = model->regions + model->regionCount;
	*region = ( supFemRegion ){ .frame = frame };
	maker->region = region;
	CollectPlaces( maker );
	if ( maker->placeCount == 0 )
	{
		return true;
	}
	model->regionCount += 1;
	if ( CollectNodes( maker ) == false )
	{
		return supSetMemoryError( maker->error );
	}
	return ListCells( maker ) && MakePattern( maker ) && MakeParts( maker );
}

static bool Reserve( Maker* maker )
{
	supFemModel* model = maker->model;
	const supFemRule* rule = &model->rule;
	size_t functions = (size_t)model->functionCount, entries = (size_t)rule->starts[rule->count];
	maker->heaviest = supArena_AllocArray( &maker->scratch, functions, sizeof( int32_t ) );
	maker->nodeOf = supArena_AllocArray( &maker->scratch, functions, sizeof( int32_t ) );
	maker->placesIn = supArena_AllocArray( &maker->scratch, (size_t)rule->count, sizeof( int32_t ) );
	maker->elementAt = supArena_AllocArray( &maker->scratch, (size_t)rule->count + 1, sizeof( int32_t ) );
	maker->elementNodes = supArena_AllocArray( &maker->scratch, entries, sizeof( int32_t ) );
	model->regions = supArena_AllocArray( &model->arena, (size_t)model->frameCount + 1, sizeof( supFemRegion ) );
	return ( model->arena.failed || maker->scratch.failed ) == false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Without linearising

static bool HasUnknown( const Maker* maker, const supFemElement* element )
{
	bool any = false;
	for ( int32_t k = element->start; k < element->start + element->count; ++k )
	{
		int32_t node = maker->nodeOf[maker->model->elementFunctions[k]];
		any = any || ( node >= 0 && node < maker->region->unknownCount );
	}
	return any;
}

// The elements of the region at hand and the blocks that they add to.
static bool MapElements( Maker* maker )
{
	supFemModel* model = maker->model;
	supFemRegion* region = maker->region;
	int32_t total = 0;
	region->elements = supArena_AllocArray( &model->arena, (size_t)model->elementCount, sizeof( int32_t ) );
	region->slotStarts = supArena_AllocArray( &model->arena, (size_t)model->elementCount, sizeof( int32_t ) );
	for ( int32_t i = 0; model->arena.failed == false && i < model->elementCount; ++i )
	{
		if ( HasUnknown( maker, model->elements + i ) )
		{
			region->elements[region->elementCount] = i;
			region->slotStarts[region->elementCount++] = total;
			total += model->elements[i].count * model->elements[i].count;
		}
	}
	region->slots = supArena_AllocArray( &model->arena, (size_t)total, sizeof( int32_t ) );
	if ( model->arena.failed )
	{
		return supSetMemoryError( maker->error );
	}
	for ( int32_t i = 0; i < region->elementCount; ++i )
	{
		const supFemElement* element = model->elements + region->elements[i];
		for ( int32_t k = 0; k < element->count * element->count; ++k )
		{
			int32_t a = maker->nodeOf[model->elementFunctions[element->start + k / element->count]];
			int32_t b = maker->nodeOf[model->elementFunctions[element->start + k % element->count]];
			bool isUnknown = a >= 0 && b >= 0 && a < region->unknownCount && b < region->unknownCount;
			region->slots[region->slotStarts[i] + k] = isUnknown ? supBlockMatrix_Find( &region->matrix, a, b ) : -1;
		}
	}
	return true;
}

static bool IsBlended( const supFemModel* model, int32_t function )
{
	float most = 0.0f;
	for ( size_t k = SUP_MAX_INFLUENCES * (size_t)function, end = k + SUP_MAX_INFLUENCES; k < end; ++k )
	{
		most = supMaxFloat( most, model->weights[k] );
	}
	return model->isKnown[function] == 0 && most < JOINT_WEIGHT;
}

// Functions that bones share, and all in one element with these, in a region that comes after the others. Without those
// around them it would have to fit flesh between ends that are as bent as regions bend them.
static bool MakeJoints( Maker* maker )
{
	supFemModel* model = maker->model;
	uint8_t* isJoint = supArena_AllocZeroed( &maker->scratch, (size_t)model->functionCount );
	if ( isJoint == NULL )
	{
		return supSetMemoryError( maker->error );
	}
	for ( int32_t e = 0; e < model->elementCount; ++e )
	{
		const supFemElement* element = model->elements + e;
		const int32_t* functions = model->elementFunctions + element->start;
		bool any = false;
		for ( int32_t k = 0; k < element->count; ++k )
		{
			any = any || IsBlended( model, functions[k] );
		}
		for ( int32_t k = 0; any && k < element->count; ++k )
		{
			int32_t i = functions[k];
			isJoint[i] = model->isKnown[i] == 0 && model->shareStarts[i] < model->shareStarts[i + 1];
		}
	}
	maker->isJoint = isJoint;
	maker->holdsApart = true;
	int32_t before = model->regionCount;
	bool ok = MakeRegion( maker, 0 );
	model->nearJoints = model->regionCount > before ? model->regions + before : NULL;
	model->regionCount = before;
	return ok && ( model->nearJoints == NULL || MapElements( maker ) );
}

bool supFemModel_MakeRegions( supFemModel* model, const supFemModelDef* def, supError* error )
{
	int32_t wholeBone = def->wholeBone;
	Maker maker = { .model = model,
					.error = error,
					.wholeBone = wholeBone,
					.holdsApart = wholeBone >= 0,
					.cellCorners = def->cellCorners };
	bool ok = Reserve( &maker ) || supSetMemoryError( error );
	for ( int32_t i = 0; ok && i < model->rule.count; ++i )
	{
		SUP_ASSERT( model->rule.starts[i + 1] - model->rule.starts[i] <= SUP_MOST_FEM_FUNCTIONS );
	}
	for ( int32_t i = 0; ok && i < model->functionCount; ++i )
	{
		maker.heaviest[i] = FindHeaviest( model, i );
	}
	for ( int32_t i = 0; ok && i < model->frameCount; ++i )
	{
		ok = wholeBone >= 0 && wholeBone != i ? true : MakeRegion( &maker, i );
	}
	ok = ok && MakeShares( &maker ) &&
		 ( model->isNonlinear == false || model->regionCount == 0 || MapElements( &maker ) ) &&
		 ( def->hasJoints == false || wholeBone >= 0 || MakeJoints( &maker ) );
	supArena_Destroy( &maker.scratch );
	return ok;
}
