// SPDX-License-Identifier: MIT
#include "volume/tets/tet_mesher.h"

#include "core/sort.h"
#include "volume/tets/tet_cover.h"
#include "volume/tets/tet_lattice.h"
#include "volume/tets/tet_topology.h"
#include "volume/voxels/voxels_build.h"

// Cubes along the longest axis.
#define MOST_CUBES 512

// Sizes to either side of one that nearly does, and from each to the next.
#define SCANS 48
#define SCAN_STEP 0.03

// Near enough to stop, and what is promised.
#define WISH 0.05
#define PROMISE 0.10

// Sizes come in these ratios, so that few tets more or less at one size do not lead to others from there on.
#define SIZE_RATIO 1.004

// Coordinates are rounded to the size divided by two to this.
#define ROUNDING_BITS 19

// A rounded coordinate is within half of the size from the middle, which is less than two to the ROUNDING_BITS steps.
#define COORDINATE_BITS ( ROUNDING_BITS + 2 )
#define COORDINATE_MASK ( ( 1ull << COORDINATE_BITS ) - 1 )

// Triangles of a leaf of the tree.
#define TREE_LEAF 16

supTetsDef supDefaultTetsDef( void )
{
	return ( supTetsDef ){ .tetCount = 10000 };
}

// ---------------------------------------------------------------------------------------------------------------------
// Source

typedef struct Sums
{
	// six times the volume around the middle of the bounds, and twice the area
	double volume, area;
	// six times the area's moment: positive where there is more of it above the middle
	double moment[3];
} Sums;

static Sums SumTriangles( const supTetSource* source )
{
	Sums sums = { 0 };
	for ( int32_t i = 0; i < source->def->triangleCount; ++i )
	{
		double p[3][3], n[3];
		for ( int32_t k = 0; k < 3; ++k )
		{
			supVec3 v = source->positions[source->indices[3 * (size_t)i + (size_t)k]];
			p[k][0] = (double)v.x;
			p[k][1] = (double)v.y;
			p[k][2] = (double)v.z;
		}
		for ( int32_t k = 0; k < 3; ++k )
		{
			int32_t x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
			n[k] = ( p[1][x] - p[0][x] ) * ( p[2][y] - p[0][y] ) - ( p[1][y] - p[0][y] ) * ( p[2][x] - p[0][x] );
		}
		sums.volume += p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2];
		double area = sqrt( n[0] * n[0] + n[1] * n[1] + n[2] * n[2] );
		sums.area += area;
		for ( int32_t k = 0; k < 3; ++k )
		{
			sums.moment[k] += area * ( p[0][k] + p[1][k] + p[2][k] );
		}
	}
	return sums;
}

static const uint32_t* TurnTriangles( const supTetsDef* def, supArena* arena )
{
	uint32_t* indices = supArena_AllocArray( arena, 3 * (size_t)def->triangleCount, sizeof( uint32_t ) );
	for ( size_t i = 0; indices != NULL && i < (size_t)def->triangleCount; ++i )
	{
		indices[3 * i] = def->indices[3 * i];
		indices[3 * i + 1] = def->indices[3 * i + 2];
		indices[3 * i + 2] = def->indices[3 * i + 1];
	}
	return indices;
}

static bool CheckDef( const supTetsDef* def, supTetSource* source, supError* error )
{
	if ( def->tetCount != 0 && ( def->tetCount < SUP_LEAST_TETS || def->tetCount > SUP_MOST_TETS ) )
	{
		return supSetError( error, sup_errorArgument, "tets", "requested %d tets; must be %d to %d", def->tetCount,
							SUP_LEAST_TETS, SUP_MOST_TETS );
	}
	if ( supCheckSoup( "tets", def->positions, def->vertexCount, def->indices, def->triangleCount, &source->bounds,
					   error ) == false )
	{
		return false;
	}
	supBox b = source->bounds;
	source->longest = fmax( fmax( (double)b.upper.x - (double)b.lower.x, (double)b.upper.y - (double)b.lower.y ),
							(double)b.upper.z - (double)b.lower.z );
	if ( source->longest < 1e-30 )
	{
		return supSetError( error, sup_errorArgument, "tets", "the mesh has no size: all vertices are at one point" );
	}
	if ( def->tetCount == 0 && !( (double)def->size * MOST_CUBES >= source->longest && supIsFinite( def->size ) ) )
	{
		return supSetError( error, sup_errorArgument, "tets",
							"a size of %g m gives more than %d cubes along %g m; the minimum is %g m",
							(double)def->size, MOST_CUBES, source->longest, source->longest / MOST_CUBES );
	}
	return true;
}

// On steps of a millionth of the size, a power of two: what is symmetric up to rounding becomes symmetric, and what
// lies on a plane of the lattice lies on it exactly, whatever the last bits of the input say.
static float RoundTo( double x, double step )
{
	return (float)( floor( x / step + 0.5 ) * step );
}

static double RoundingStep( const supTetSource* source )
{
	return ldexp( 1.0, ilogb( source->longest ) - ROUNDING_BITS );
}

// Everything happens around the origin: a mesh that is moved by what floats can hold gives the same bits.
static bool CenterPositions( supTetSource* source, supArena* arena )
{
	const supTetsDef* def = source->def;
	supBox* b = &source->bounds;
	double* c = source->center;
	c[0] = 0.5 * ( (double)b->lower.x + (double)b->upper.x );
	c[1] = 0.5 * ( (double)b->lower.y + (double)b->upper.y );
	c[2] = 0.5 * ( (double)b->lower.z + (double)b->upper.z );
	supVec3* positions = supArena_AllocArray( arena, (size_t)def->vertexCount, sizeof( supVec3 ) );
	if ( positions == NULL )
	{
		return false;
	}
	double step = RoundingStep( source );
	*b = supBox_empty;
	memset( positions, 0, (size_t)def->vertexCount * sizeof( supVec3 ) );
	for ( size_t i = 0; i < 3 * (size_t)def->triangleCount; ++i )
	{
		uint32_t k = def->indices[i];
		supVec3 p = def->positions[k];
		positions[k] = supMakeVec3( RoundTo( (double)p.x - c[0], step ), RoundTo( (double)p.y - c[1], step ),
									RoundTo( (double)p.z - c[2], step ) );
		*b = supBox_Include( *b, positions[k] );
	}
	source->positions = positions;
	return true;
}

static bool PrepareSource( supTetSource* source, supArena* arena, supTetsReport* report, Sums* sums, supError* error )
{
	const supTetsDef* def = source->def;
	source->indices = def->indices;
	if ( CenterPositions( source, arena ) == false )
	{
		return supSetMemoryError( error );
	}
	*sums = SumTriangles( source );
	for ( int32_t k = 0; k < 3; ++k )
	{
		source->heavy[k] = sums->moment[k] < 0.0 ? -1.0 : 1.0;
	}
	// an open sheet has a volume of either sign, but hardly any
	supBox b = source->bounds;
	double box = ( (double)b.upper.x - (double)b.lower.x ) * ( (double)b.upper.y - (double)b.lower.y ) *
				 ( (double)b.upper.z - (double)b.lower.z );
	report->turned = sums->volume / 6.0 < -0.01 * box;
	source->thickness = supArena_AllocArray( arena, (size_t)def->triangleCount, sizeof( float ) );
	source->indices = report->turned ? TurnTriangles( def, arena ) : def->indices;
	if ( arena->failed )
	{
		return supSetMemoryError( error );
	}
	source->tree =
		supCreateLeanTree( source->positions, def->vertexCount, source->indices, def->triangleCount, TREE_LEAF, error );
	source->winding =
		source->tree != NULL ? supCreateWinding( source->tree, SUP_WINDING_BETA, def->tasks, error ) : NULL;
	if ( source->winding == NULL )
	{
		return false;
	}
	supTetSource_MeasureThickness( source );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Which size gives the count?

// The count at size h is about surface / h^2 + volume / h^3.
typedef struct Model
{
	double surface, volume;
} Model;

static double EvaluateModel( Model model, double size )
{
	return ( model.surface + model.volume / size ) / ( size * size );
}

// By bisection: it falls as the size grows.
static double SolveModel( Model model, double count, double lower, double upper )
{
	for ( int32_t i = 0; i < 60; ++i )
	{
		double middle = sqrt( lower * upper );
		if ( EvaluateModel( model, middle ) > count )
		{
			lower = middle;
		}
		else
		{
			upper = middle;
		}
	}
	return upper;
}

typedef struct Search
{
	const supTetSource* source;
	double target;
	// sizes that gave too many and too few, 0 for none
	double low, high;
	Model model;
	double lastSize, lastCount;
	// the best so far, and how far off
	supTetLattice best;
	int32_t bestPlacement;
	double bestError;
	int32_t tries;
	// points that stand out around thin parts
	int32_t outside;
} Search;

// In the middle; then with a centre, not a corner, in the middle along some of the axes. These keep what is symmetric
// symmetric. The last ones do not: no two faces of a body that is symmetric itself, and aligned with the lattice, lie
// the same way in it, and the count grows in small steps.
static const supTetPlacement s_placements[] = {
	{ 0, { 0.0, 0.0, 0.0 } },     { 7, { 0.0, 0.0, 0.0 } },    { 1, { 0.0, 0.0, 0.0 } },
	{ 2, { 0.0, 0.0, 0.0 } },     { 4, { 0.0, 0.0, 0.0 } },    { 3, { 0.0, 0.0, 0.0 } },
	{ 5, { 0.0, 0.0, 0.0 } },     { 6, { 0.0, 0.0, 0.0 } },    { 0, { 0.04, 0.125, 0.21 } },
	{ 7, { 0.21, 0.04, 0.125 } }, { 0, { 0.1, 0.18, 0.26 } },  { 7, { 0.07, 0.15, 0.23 } },
	{ 1, { 0.05, 0.12, 0.2 } },   { 6, { 0.2, 0.05, 0.12 } },  { 0, { 0.3, 0.4, 0.15 } },
	{ 7, { 0.15, 0.3, 0.4 } },    { 2, { 0.33, 0.08, 0.42 } }, { 5, { 0.42, 0.33, 0.08 } },
	{ 4, { 0.25, 0.02, 0.36 } },  { 3, { 0.02, 0.36, 0.25 } }, { 0, { 0.11, 0.11, 0.4 } },
	{ 7, { 0.3, 0.11, 0.11 } },
};
#define SYMMETRIC 8
#define PLACEMENTS ( (int32_t)( sizeof( s_placements ) / sizeof( s_placements[0] ) ) )

static bool Try( Search* s, double size, int32_t placement, supError* error )
{
	supTetLattice trial = { 0 };
	if ( supTetLattice_Init( &trial, s->source, size, s_placements + placement, error ) == false )
	{
		return false;
	}
	double count = trial.tetCount, off = fabs( count / s->target - 1.0 );
	s->tries += 1;
	// two sizes tell surface and volume apart
	if ( s->lastCount > 0.0 && fabs( size / s->lastSize - 1.0 ) > 0.1 )
	{
		double a = size, b = s->lastSize;
		double volume = ( count * a * a - s->lastCount * b * b ) / ( 1.0 / a - 1.0 / b );
		double surface = count * a * a - volume / a;
		if ( volume >= 0.0 && surface >= 0.0 )
		{
			s->model = ( Model ){ surface, volume };
		}
	}
	// the model goes through what was seen last
	double scale = fmax( count, 1.0 ) / EvaluateModel( s->model, size );
	s->model = ( Model ){ scale * s->model.surface, scale * s->model.volume };
	s->lastSize = size;
	s->lastCount = count;
	s->low = count > s->target && size > s->low ? size : s->low;
	s->high = count <= s->target && ( s->high == 0.0 || size < s->high ) ? size : s->high;
	if ( off < s->bestError )
	{
		s->bestError = off;
		supTetLattice_Destroy( &s->best );
		s->best = trial;
		s->bestPlacement = placement;
		return true;
	}
	supTetLattice_Destroy( &trial );
	return true;
}

static double NextSize( const Search* s, double smallest, double largest )
{
	double size = SolveModel( s->model, s->target, smallest, largest );
	double stepped = largest;
	while ( stepped > ( 0.5 + 0.5 * SIZE_RATIO ) * size )
	{
		stepped /= SIZE_RATIO;
	}
	size = stepped;
	bool bracketed = s->low > 0.0 && s->high > 0.0;
	if ( bracketed )
	{
		// the count jumps: brackets may be crossed, and a guess may fall on what is known
		double lower = fmin( s->low, s->high ), upper = fmax( s->low, s->high );
		size = size > lower * 1.0005 && size < upper * 0.9995 ? size : sqrt( lower * upper );
	}
	return size;
}

// One placement: by halving, as long as it may lead to the target.
static bool SearchPlacement( Search* s, Model model, int32_t placement, supError* error )
{
	double longest = s->source->longest, smallest = longest / MOST_CUBES, largest = 4.0 * longest;
	int32_t most = s->target < 5000.0 ? 12 : 6;
	s->low = s->high = 0.0;
	s->model = placement == 0 ? model : s->model;
	// coarse and cheap first: it tells how the count grows
	double first = SolveModel( model, fmax( s->target / 8.0, 60.0 ), longest / 64.0, largest );
	bool ok = placement > 0 || Try( s, first, placement, error );
	for ( int32_t i = 0; ok && i < most && s->bestError > ( i < 4 ? WISH : PROMISE ); ++i )
	{
		ok = Try( s, NextSize( s, smallest, largest ), placement, error );
	}
	return ok;
}

// One placement: sizes around the best one, farther and farther. Halving misses some: the count of a coarse lattice
// need not fall as the size grows, it jumps up where a body becomes thin for the size.
static bool ScanPlacement( Search* s, int32_t placement, supError* error )
{
	double middle = s->best.grid.size, step = 1.0;
	bool ok = true;
	for ( int32_t i = 0; ok && i < SCANS && s->bestError > PROMISE; ++i )
	{
		step += ( i & 1 ) == 0 ? SCAN_STEP : 0.0;
		ok = Try( s, ( i & 1 ) == 0 ? middle / step : middle * step, placement, error );
	}
	return ok;
}

// Symmetric bodies and coarse lattices give counts in jumps. Between them lie those of other placements.
// - symmetric: only those that keep what is symmetric so
static bool SearchSize( Search* s, bool symmetric, supError* error )
{
	Model model = s->model;
	bool ok = true;
	for ( int32_t k = 0; ok && k < ( symmetric ? SYMMETRIC : PLACEMENTS ) && s->bestError > PROMISE; ++k )
	{
		ok = SearchPlacement( s, model, k, error );
	}
	for ( int32_t k = SYMMETRIC; ok && symmetric == false && k < PLACEMENTS && s->bestError > PROMISE; ++k )
	{
		ok = ScanPlacement( s, k, error );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Volume

// The boundary is moved by no more than this, in cubes.
#define MOST_LEVEL 0.2

static double SumVolumes( const supTets* tets )
{
	double sum = 0.0;
	for ( int32_t i = 0; i < tets->tetCount; ++i )
	{
		sum += supTets_Volume( tets, i );
	}
	return sum;
}

// How many of the tets that were asked for, 1 where none were.
static double ShareOfCount( const Search* s )
{
	return s->source->def->tetCount == 0 ? 1.0 : (double)s->best.tetCount / s->source->def->tetCount;
}

static bool KeepsCount( const Search* s )
{
	return fabs( ShareOfCount( s ) - 1.0 ) <= PROMISE;
}

static bool FillAtLevel( Search* s, double level, bool exact, supTets* tets, double* volume, supError* error )
{
	supTets_Destroy( tets );
	bool ok = supTetLattice_SetLevel( &s->best, (float)level, exact, error ) &&
			  supTetLattice_Fill( &s->best, tets, error ) && supTetLattice_Slim( &s->best, tets, &s->outside, error );
	*volume = ok ? SumVolumes( tets ) : 0.0;
	return ok;
}

typedef struct Level
{
	// the one whose volume is nearest to the target, within a hundredth and with the count kept; 0 for none
	double best, off;
	// the share of the count at a level that would do but for that, 1 for none
	double lost;
} Level;

// The level at which the volume is `target`, by secants from level 0 and `volume` on. Leaves the tets of the last level
// that was tried.
static bool FindLevel( Search* s, Sums sums, double target, double volume, Level* found, supTets* tets,
					   supError* error )
{
	double most = MOST_LEVEL * s->best.grid.size, level = 0.0, slope = 0.5 * sums.area;
	*found = ( Level ){ 0.0, fmin( fabs( volume - target ), 0.01 * target ), 1.0 };
	for ( int32_t i = 0; i < 4 && fabs( volume - target ) >= 1e-3 * target; ++i )
	{
		double next = fmin( fmax( level + ( target - volume ) / slope, -most ), most ), last = volume;
		if ( next == level )
		{
			break;
		}
		if ( FillAtLevel( s, next, true, tets, &volume, error ) == false )
		{
			return false;
		}
		if ( fabs( volume - target ) < found->off && KeepsCount( s ) )
		{
			found->off = fabs( volume - target );
			found->best = next;
		}
		else if ( fabs( volume - target ) < found->off )
		{
			found->lost = ShareOfCount( s );
		}
		// never flatter than half of what the area says
		slope = fmax( ( volume - last ) / ( next - level ), 0.25 * sums.area );
		level = next;
	}
	return true;
}

// Flat pieces between points on a curved surface lose volume, and embedded thin parts gain some. Where the triangles
// have a volume at all (closed, nothing overlaps: the winding number is 0 or 1) the boundary is moved out or in, as a
// whole and by a small part of a cube, until the volume is theirs. What has more thin parts than body stays as it is.
static bool FillAtBestLevel( Search* s, Sums sums, Level* found, supTets* tets, supError* error )
{
	bool follow = s->source->def->mode == sup_tetsFollow;
	bool simple = (int64_t)s->best.oddCount * 200 < s->best.nearCount;
	double target = fabs( sums.volume ) / 6.0, volume = 0.0;
	*found = ( Level ){ 0.0, 0.0, 1.0 };
	bool ok = FillAtLevel( s, 0.0, follow, tets, &volume, error );
	if ( ok && follow && simple )
	{
		ok = FindLevel( s, sums, target, volume, found, tets, error );
		if ( ok && (float)found->best != s->best.level )
		{
			ok = FillAtLevel( s, found->best, true, tets, &volume, error );
		}
	}
	// the count was met with cuts that are not exact
	return ok && KeepsCount( s ) == false ? FillAtLevel( s, 0.0, false, tets, &volume, error ) : ok;
}

// Where the volume is there but the count is lost, a size for so many more or fewer tets is tried too.
static bool FillWithVolume( Search* s, Sums sums, supTets* tets, supError* error )
{
	Level found;
	if ( FillAtBestLevel( s, sums, &found, tets, error ) == false )
	{
		return false;
	}
	if ( found.best != 0.0 || found.lost == 1.0 )
	{
		return true;
	}
	double size = s->best.grid.size;
	int32_t placement = s->bestPlacement;
	s->target /= found.lost;
	s->bestError = INFINITY;
	if ( SearchSize( s, true, error ) == false || FillAtBestLevel( s, sums, &found, tets, error ) == false )
	{
		return false;
	}
	if ( KeepsCount( s ) )
	{
		return true;
	}
	s->bestError = INFINITY;
	return Try( s, size, placement, error ) && FillAtBestLevel( s, sums, &found, tets, error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Order

// Ten bits with two empty ones after each.
static uint64_t Spread( uint32_t v )
{
	uint64_t x = v;
	x = ( x | x << 16 ) & 0xff0000ffu;
	x = ( x | x << 8 ) & 0x0f00f00fu;
	x = ( x | x << 4 ) & 0xc30c30c3u;
	return ( x | x << 2 ) & 0x49249249u;
}

static uint64_t Morton( supVec3 p, supVec3 lower, float scale )
{
	return Spread( (uint32_t)( ( p.x - lower.x ) * scale ) ) | Spread( (uint32_t)( ( p.y - lower.y ) * scale ) ) << 1 |
		   Spread( (uint32_t)( ( p.z - lower.z ) * scale ) ) << 2;
}

// Points that tets use, along the curve. Returns the number of each old point in `places`.
static bool OrderPoints( const supTets* from, const double center[3], supTets* to, int32_t* places, uint64_t* keys,
						 uint64_t* scratch )
{
	supBox box = supBox_empty;
	memset( places, 0, (size_t)from->pointCount * sizeof( int32_t ) );
	for ( size_t i = 0; i < 4 * (size_t)from->tetCount; ++i )
	{
		places[from->indices[i]] = 1;
		box = supBox_Include( box, from->points[from->indices[i]] );
	}
	float longest =
		supMaxFloat( supMaxFloat( box.upper.x - box.lower.x, box.upper.y - box.lower.y ), box.upper.z - box.lower.z );
	float scale = 1023.0f / longest;
	int32_t count = 0;
	for ( int32_t i = 0; i < from->pointCount; ++i )
	{
		if ( places[i] != 0 )
		{
			keys[count++] = Morton( from->points[i], box.lower, scale ) << 32 | (uint64_t)i;
		}
	}
	supSortKeys( keys, scratch, (size_t)count, 62 );
	to->pointCount = count;
	to->points = supArena_AllocArray( &to->arena, (size_t)count, sizeof( supVec3 ) );
	for ( int32_t i = 0; to->points != NULL && i < count; ++i )
	{
		uint32_t old = (uint32_t)keys[i];
		supVec3 p = from->points[old];
		to->points[i] = supMakeVec3( (float)( center[0] + (double)p.x ), (float)( center[1] + (double)p.y ),
									 (float)( center[2] + (double)p.z ) );
		places[old] = i;
	}
	return to->points != NULL;
}

static bool OrderTets( const supTets* from, supTets* to, const int32_t* places, uint64_t* keys, uint64_t* scratch )
{
	for ( int32_t i = 0; i < from->tetCount; ++i )
	{
		int32_t first = INT32_MAX;
		for ( size_t k = 0; k < 4; ++k )
		{
			int32_t place = places[from->indices[4 * (size_t)i + k]];
			first = place < first ? place : first;
		}
		keys[i] = (uint64_t)first << 32 | (uint64_t)i;
	}
	supSortKeys( keys, scratch, (size_t)from->tetCount, 63 );
	to->tetCount = from->tetCount;
	to->indices = supArena_AllocArray( &to->arena, 4 * (size_t)to->tetCount, sizeof( int32_t ) );
	for ( size_t i = 0; to->indices != NULL && i < (size_t)to->tetCount; ++i )
	{
		const int32_t* old = from->indices + 4 * ( keys[i] & 0xffffffffu );
		for ( size_t k = 0; k < 4; ++k )
		{
			to->indices[4 * i + k] = places[old[k]];
		}
	}
	return to->indices != NULL;
}

static bool Order( const supTets* from, const double center[3], supTets* to, supError* error )
{
	supArena scratch = { 0 };
	size_t most = (size_t)( from->tetCount > from->pointCount ? from->tetCount : from->pointCount );
	uint64_t* keys = supArena_AllocArray( &scratch, most, sizeof( uint64_t ) );
	uint64_t* other = supArena_AllocArray( &scratch, most, sizeof( uint64_t ) );
	int32_t* places = supArena_AllocArray( &scratch, (size_t)from->pointCount, sizeof( int32_t ) );
	bool ok = scratch.failed == false && OrderPoints( from, center, to, places, keys, other ) &&
			  OrderTets( from, to, places, keys, other );
	supArena_Destroy( &scratch );
	return ok ? true : supSetMemoryError( error );
}

// ---------------------------------------------------------------------------------------------------------------------
// All together

static bool FindLattice( Search* s, Sums sums, supError* error )
{
	const supTetsDef* def = s->source->def;
	if ( def->tetCount == 0 )
	{
		s->target = 1.0;
		s->bestError = INFINITY;
		return Try( s, (double)def->size, 0, error );
	}
	// twelve tets a cube; thin parts and the boundary take some for each square
	s->target = def->tetCount;
	s->bestError = INFINITY;
	double longest = s->source->longest;
	s->model = ( Model ){ 5.0 * sums.area + 1e-3 * longest * longest, 2.0 * fabs( sums.volume ) };
	if ( SearchSize( s, false, error ) == false )
	{
		return false;
	}
	return s->bestError <= PROMISE ||
		   supSetError( error, sup_errorArgument, "tets",
						"no size gives %d tets within 10 %%: the nearest is %d with cubes of %g m", def->tetCount,
						s->best.tetCount, s->best.grid.size );
}

static bool FillReport( supTetsReport* report, const supTets* tets, supError* error )
{
	supArena scratch = { 0 };
	int32_t* parts = NULL;
	bool ok = supTets_Parts( tets, &scratch, &report->parts, &parts, error );
	supArena_Destroy( &scratch );
	return ok;
}

// A rounded coordinate as a count of steps, above zero.
static uint64_t CountSteps( float x, double step )
{
	return (uint64_t)( (double)x / step + ( 1 << ROUNDING_BITS ) );
}

static float PlaceOfSteps( uint64_t key, int shift, double step )
{
	return (float)( ( (double)( key >> shift & COORDINATE_MASK ) - ( 1 << ROUNDING_BITS ) ) * step );
}

// The places of vertices that triangles use, each once and sorted: neither copies of vertices along seams nor the order
// of vertices in a file has a say in the tets.
static supVec3* ListPlaces( const supTetSource* source, supArena* arena, int32_t* count )
{
	const supTetsDef* def = source->def;
	size_t most = (size_t)def->vertexCount, found = 0, distinct = 0;
	double step = RoundingStep( source );
	bool* isUsed = supArena_AllocZeroed( arena, most * sizeof( bool ) );
	uint64_t* keys = supArena_AllocArray( arena, most, sizeof( uint64_t ) );
	uint64_t* scratch = supArena_AllocArray( arena, most, sizeof( uint64_t ) );
	supVec3* places = supArena_AllocArray( arena, most, sizeof( supVec3 ) );
	if ( arena->failed )
	{
		return NULL;
	}
	for ( size_t i = 0; i < 3 * (size_t)def->triangleCount; ++i )
	{
		isUsed[source->indices[i]] = true;
	}
	for ( size_t i = 0; i < most; ++i )
	{
		if ( isUsed[i] )
		{
			supVec3 p = source->positions[i];
			keys[found++] = CountSteps( p.x, step ) << 2 * COORDINATE_BITS |
							CountSteps( p.y, step ) << COORDINATE_BITS | CountSteps( p.z, step );
		}
	}
	supSortKeys( keys, scratch, found, 3 * COORDINATE_BITS );
	for ( size_t i = 0; i < found; ++i )
	{
		if ( i == 0 || keys[i] != keys[i - 1] )
		{
			places[distinct++] =
				supMakeVec3( PlaceOfSteps( keys[i], 2 * COORDINATE_BITS, step ),
							 PlaceOfSteps( keys[i], COORDINATE_BITS, step ), PlaceOfSteps( keys[i], 0, step ) );
		}
	}
	*count = (int32_t)distinct;
	return places;
}

static bool CoverSurface( const Search* s, supTets* tets, supTetsReport* report, supError* error )
{
	const supTetsDef* def = s->source->def;
	if ( def->mode != sup_tetsFollow || def->cover <= 0.0f )
	{
		return true;
	}
	supArena scratch = { 0 };
	supTetCoverDef coverDef = { .winding = s->source->winding,
								.size = (float)s->best.grid.size,
								.tolerance = def->cover * (float)s->source->longest,
								.tasks = def->tasks };
	coverDef.positions = ListPlaces( s->source, &scratch, &coverDef.vertexCount );
	bool ok = coverDef.positions != NULL ? supCoverSurface( tets, &coverDef, &report->uncovered, error )
										 : supSetMemoryError( error );
	supArena_Destroy( &scratch );
	return ok;
}

// Tets in the order of the lattice, around the origin. What they were made of is gone when they are put in order.
static bool BuildUnordered( supTets* tets, supTetSource* source, supTetsReport* report, supError* error )
{
	supArena scratch = { 0 };
	Search search = { .source = source };
	Sums sums = { 0 };
	bool ok = PrepareSource( source, &scratch, report, &sums, error ) && FindLattice( &search, sums, error ) &&
			  FillWithVolume( &search, sums, tets, error ) && CoverSurface( &search, tets, report, error );
	report->size = (float)search.best.grid.size;
	report->embedded = search.outside;
	report->level = search.best.level;
	report->tries = search.tries;
	supTetLattice_Destroy( &search.best );
	supDestroyWinding( source->winding );
	supDestroyTree( source->tree );
	supArena_Destroy( &scratch );
	return ok;
}

static bool Build( supTets* tets, const supTetsDef* def, supError* error )
{
	supTetSource source = { .def = def };
	supTetsReport report = { 0 };
	supTets unordered = { 0 };
	bool ok = CheckDef( def, &source, error ) && BuildUnordered( &unordered, &source, &report, error ) &&
			  Order( &unordered, source.center, tets, error );
	supTets_Destroy( &unordered );
	if ( ok && def->report != NULL )
	{
		ok = FillReport( &report, tets, error );
		*def->report = report;
	}
	return ok;
}

bool supBuildTets( supTets* tets, const supTetsDef* def, supError* error )
{
	supClearError( error );
	bool ok = Build( tets, def, error );
	if ( ok == false )
	{
		supTets_Destroy( tets );
	}
	return ok;
}
