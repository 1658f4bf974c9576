// SPDX-License-Identifier: MIT
#include "volume/tets/tet_lattice.h"

#include "core/tasks.h"
#include "volume/voxels/voxels_build.h"

#include <stdatomic.h>

const supTetSite supTetSiteSteps[SUP_TET_LATTICE_EDGES] = {
	{ -2, 0, 0 },  { 2, 0, 0 },   { 0, -2, 0 }, { 0, 2, 0 },   { 0, 0, -2 }, { 0, 0, 2 },  { -1, -1, -1 },
	{ 1, -1, -1 }, { -1, 1, -1 }, { 1, 1, -1 }, { -1, -1, 1 }, { 1, -1, 1 }, { -1, 1, 1 }, { 1, 1, 1 },
};

const int8_t supTetCubeFaces[3][4] = { { 1, 3, 7, 5 }, { 2, 6, 7, 3 }, { 4, 5, 7, 6 } };

// ---------------------------------------------------------------------------------------------------------------------
// Bits

static size_t CountWords( const supVoxels* g )
{
	return (size_t)g->wordsPerRow * (size_t)( g->ny + 2 ) * (size_t)( g->nz + 2 );
}

// Every bit also to its neighbours along x. Rows end in a border that stays empty, so nothing wraps around.
static void DilateRows( uint64_t* bits, size_t words )
{
	uint64_t last = 0;
	for ( size_t i = 0; i < words; ++i )
	{
		uint64_t here = bits[i], next = i + 1 < words ? bits[i + 1] : 0;
		bits[i] = here | here << 1 | here >> 1 | last >> 63 | next << 63;
		last = here;
	}
}

// Every bit also to the words one stride before and after.
static void DilateAcross( const uint64_t* from, uint64_t* to, size_t words, size_t stride )
{
	for ( size_t i = 0; i < words; ++i )
	{
		to[i] = from[i] | ( i >= stride ? from[i - stride] : 0 ) | ( i + stride < words ? from[i + stride] : 0 );
	}
}

// The 26 cells around each one. The outermost ring of cells is empty before, or falls into the border.
static void Dilate( const supVoxels* g, const uint64_t* from, uint64_t* to, uint64_t* scratch )
{
	size_t words = CountWords( g );
	DilateAcross( from, scratch, words, (size_t)g->wordsPerRow );
	DilateAcross( scratch, to, words, (size_t)g->wordsPerRow * (size_t)( g->ny + 2 ) );
	DilateRows( to, words );
}

// Where the body ends without a surface, at holes: cells inside beside cells outside.
static void AddOpenBorders( const supVoxels* g, const uint64_t* surface, uint64_t* bits )
{
	size_t words = CountWords( g ), row = (size_t)g->wordsPerRow, layer = row * (size_t)( g->ny + 2 );
	const uint64_t* body = g->bits;
	// cells of the body are two away from the border of the grid
	for ( size_t i = layer; i + layer < words; ++i )
	{
		uint64_t left = body[i] << 1 | body[i - 1] >> 63, right = body[i] >> 1 | body[i + 1] << 63;
		uint64_t deep = left & right & body[i - row] & body[i + row] & body[i - layer] & body[i + layer];
		bits[i] = surface[i] | ( body[i] & ~deep );
	}
}

// The eight corners of each cell.
static void MarkCorners( const supVoxels* g, const uint64_t* cells, uint64_t* corners )
{
	size_t words = CountWords( g ), row = (size_t)g->wordsPerRow, layer = row * (size_t)( g->ny + 2 );
	for ( size_t i = 0; i < words; ++i )
	{
		uint64_t sum = 0;
		for ( size_t k = 0; k < 4; ++k )
		{
			size_t back = ( k & 1 ) * row + ( k >> 1 ) * layer;
			uint64_t here = i >= back ? cells[i - back] : 0;
			uint64_t before = i >= back + 1 ? cells[i - back - 1] : 0;
			sum |= here | here << 1 | before >> 63;
		}
		corners[i] = sum;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Place

// A million tets take a tenth; more is a mistake in the size.
#define MOST_SITES 10000000

static int32_t CountCubes( double extent, double size )
{
	double n = ceil( extent / size );
	return n < 1.0 ? 1 : ( n < 30000.0 ? (int32_t)n : 30000 );
}

static int32_t MakeParity( int32_t n, int32_t odd )
{
	return n + ( ( n & 1 ) != odd ? 1 : 0 ) + 2 * SUP_TET_LATTICE_MARGIN;
}

static bool PlaceGrid( supTetLattice* l, double size, const supTetPlacement* placement, supError* error )
{
	supVoxels* g = &l->grid;
	supBox b = l->source->bounds;
	g->size = size;
	// in the middle, which is the origin but for what centring has rounded
	const double* center = l->source->center;
	const double extent[3] = { (double)b.upper.x - (double)b.lower.x, (double)b.upper.y - (double)b.lower.y,
							   (double)b.upper.z - (double)b.lower.z };
	int32_t* const n[3] = { &g->nx, &g->ny, &g->nz };
	for ( int32_t k = 0; k < 3; ++k )
	{
		double shift = placement->shift[k] * size;
		// a hair more, so that the outermost vertices lie within the grid whatever way borders are rounded
		*n[k] = MakeParity( CountCubes( ( 1.0 + 1e-6 ) * extent[k] + 2.0 * shift, size ), placement->odd >> k & 1 );
		g->center[k] = shift * l->source->heavy[k];
	}
	g->wordsPerRow = ( g->nx + 2 + 63 ) / 64;
	// shapes are good to a thousandth of a degree only where floats resolve the lattice this well
	double farthest = fmax( fmax( fabs( center[0] ), fabs( center[1] ) ), fabs( center[2] ) );
	farthest += 0.5 * size * fmax( fmax( g->nx, g->ny ), g->nz );
	if ( size < 1e-30 || farthest * 1.2e-7 > 1e-4 * size )
	{
		return supSetError( error, sup_errorArgument, "tets",
							"cubes of %g m at (%g, %g, %g) exceed float precision; move the mesh to the origin or "
							"request fewer tets",
							size, center[0], center[1], center[2] );
	}
	return true;
}

static bool MarkCells( supTetLattice* l, supError* error )
{
	supVoxels* g = &l->grid;
	size_t words = CountWords( g );
	supArena scratch = { 0 };
	g->bits = supArena_AllocArray( &l->arena, words, sizeof( uint64_t ) );
	l->nearBits = supArena_AllocArray( &l->arena, words, sizeof( uint64_t ) );
	l->bits[0] = supArena_AllocArray( &l->arena, words, sizeof( uint64_t ) );
	l->bits[1] = supArena_AllocArray( &l->arena, words, sizeof( uint64_t ) );
	uint64_t* surface = supArena_AllocArray( &scratch, words, sizeof( uint64_t ) );
	uint64_t* other = supArena_AllocArray( &scratch, words, sizeof( uint64_t ) );
	if ( l->arena.failed || scratch.failed )
	{
		supArena_Destroy( &scratch );
		return supSetMemoryError( error );
	}
	const supTetsDef* def = l->source->def;
	supVoxelsDef voxels = {
		1, def->vertexCount, l->source->positions, def->triangleCount, l->source->indices, l->tasks
	};
	memset( surface, 0, words * sizeof( uint64_t ) );
	supMarkSurface( g, &voxels, surface );
	memcpy( g->bits, surface, words * sizeof( uint64_t ) );
	supMarkInside( g, l->source->winding, l->tasks, surface );
	memset( l->bits[0], 0, words * sizeof( uint64_t ) );
	AddOpenBorders( g, surface, l->bits[0] );
	Dilate( g, l->bits[0], l->nearBits, other );
	for ( size_t i = 0; i < words; ++i )
	{
		surface[i] = l->nearBits[i] | g->bits[i];
	}
	Dilate( g, surface, l->bits[0], other );
	MarkCorners( g, l->bits[0], l->bits[1] );
	supArena_Destroy( &scratch );
	return true;
}

static int32_t CountBits( const uint64_t* bits, int32_t* starts, size_t words, int32_t first )
{
	for ( size_t i = 0; i < words; ++i )
	{
		starts[i] = first;
		first += supCountBits( bits[i] );
	}
	return first;
}

static void ListRows( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supTetLattice* l = context;
	const supVoxels* g = &l->grid;
	for ( int32_t row = begin; row < end; ++row )
	{
		int32_t y = row % ( g->ny + 2 ) - 1, z = row / ( g->ny + 2 ) - 1;
		for ( int32_t k = 0; k < 2 * g->wordsPerRow; ++k )
		{
			int32_t kind = k & 1, word = row * g->wordsPerRow + ( k >> 1 );
			int32_t index = l->starts[kind][word];
			for ( uint64_t bits = l->bits[kind][word]; bits != 0; bits &= bits - 1 )
			{
				int32_t x = 64 * ( k >> 1 ) + __builtin_ctzll( bits ) - 1;
				l->points[index++] = ( supTetSite ){ (int16_t)( 2 * x + 1 - kind ), (int16_t)( 2 * y + 1 - kind ),
													 (int16_t)( 2 * z + 1 - kind ) };
			}
		}
	}
}

static bool ListPoints( supTetLattice* l, supError* error )
{
	size_t words = CountWords( &l->grid );
	l->starts[0] = supArena_AllocArray( &l->arena, words, sizeof( int32_t ) );
	l->starts[1] = supArena_AllocArray( &l->arena, words, sizeof( int32_t ) );
	if ( l->arena.failed )
	{
		return supSetMemoryError( error );
	}
	l->centerCount = CountBits( l->bits[0], l->starts[0], words, 0 );
	l->count = CountBits( l->bits[1], l->starts[1], words, l->centerCount );
	if ( l->count > MOST_SITES )
	{
		return supSetError( error, sup_errorTooLarge, "tets",
							"cubes of %g m need %d lattice points (at most %d); use larger ones", l->grid.size,
							l->count, MOST_SITES );
	}
	size_t n = (size_t)l->count;
	l->points = supArena_AllocArray( &l->arena, n, sizeof( *l->points ) );
	l->values = supArena_AllocArray( &l->arena, n, sizeof( *l->values ) );
	l->pinned = supArena_AllocZeroed( &l->arena, n );
	l->marks = supArena_AllocZeroed( &l->arena, (size_t)l->centerCount * sizeof( *l->marks ) );
	l->states = supArena_AllocArray( &l->arena, n, sizeof( *l->states ) );
	l->cutMasks = supArena_AllocArray( &l->arena, n, sizeof( *l->cutMasks ) );
	l->cutStarts = supArena_AllocArray( &l->arena, n + 1, sizeof( *l->cutStarts ) );
	l->warps = supArena_AllocArray( &l->arena, n, sizeof( *l->warps ) );
	if ( l->arena.failed )
	{
		return supSetMemoryError( error );
	}
	supParallelFor( l->tasks, ( l->grid.ny + 2 ) * ( l->grid.nz + 2 ), 16, ListRows, l );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Value

// Further than this from 0 and 1 the winding number says: a hole is near, or parts overlap.
#define ODD 0.05f

static bool TestBit( const supVoxels* g, const uint64_t* bits, int32_t x, int32_t y, int32_t z )
{
	size_t row = (size_t)( ( z + 1 ) * ( g->ny + 2 ) + y + 1 ) * (size_t)g->wordsPerRow;
	return ( bits[row + (size_t)( ( x + 1 ) >> 6 )] >> ( ( x + 1 ) & 63 ) & 1 ) != 0;
}

// Is a point's value to be exact? And if not, which side is it on?
static bool IsNear( const supTetLattice* l, supTetSite p, bool* inside )
{
	int32_t x = p.x >> 1, y = p.y >> 1, z = p.z >> 1;
	*inside = TestBit( &l->grid, l->grid.bits, x, y, z );
	if ( ( p.x & 1 ) != 0 )
	{
		return TestBit( &l->grid, l->nearBits, x, y, z );
	}
	for ( int32_t k = 0; k < 8; ++k )
	{
		if ( TestBit( &l->grid, l->nearBits, x - ( k & 1 ), y - ( k >> 1 & 1 ), z - ( k >> 2 ) ) )
		{
			return true;
		}
	}
	return false;
}

typedef struct ValueLoop
{
	supTetLattice* lattice;
	_Atomic( int32_t ) nearCount, oddCount;
} ValueLoop;

static void EvaluateRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	ValueLoop* loop = context;
	supTetLattice* l = loop->lattice;
	int32_t nearCount = 0, oddCount = 0;
	float most = (float)( 2.0 * l->grid.size );
	for ( int32_t i = begin; i < end; ++i )
	{
		bool inside = false;
		float distance = most;
		if ( IsNear( l, l->points[i], &inside ) )
		{
			supVec3 p = supTetPlace_ToVec3( supTetLattice_Place( l, l->points[i] ) );
			supTreeHit hit;
			float w = supWinding_Evaluate( l->source->winding, p );
			inside = w > 0.5f;
			distance = supTree_FindClosest( l->source->tree, p, most, &hit ) ? hit.distance : most;
			// on the surface it is a half
			nearCount += 1;
			oddCount += fabsf( w - ( inside ? 1.0f : 0.0f ) ) > ODD && distance > 1e-3f * most ? 1 : 0;
		}
		l->values[i] = inside ? distance : -distance;
	}
	atomic_fetch_add_explicit( &loop->nearCount, nearCount, memory_order_relaxed );
	atomic_fetch_add_explicit( &loop->oddCount, oddCount, memory_order_relaxed );
}

// ---------------------------------------------------------------------------------------------------------------------
// Places between lattice points

// Barycentric coordinates of the tet that holds u, u from the centre of the cube in cubes: with |u_k| >= |u_i| >= |u_j|
// it has the next centre along k, and the edge of the face between, towards i, that runs along j.
bool supTetLattice_Locate( const supTetLattice* lattice, supTetPlace place, supTetCell* tet )
{
	const supVoxels* g = &lattice->grid;
	const int32_t n[3] = { g->nx, g->ny, g->nz };
	const double from[3] = { place.x, place.y, place.z };
	int32_t cell[3];
	double u[3], size[3];
	for ( int32_t a = 0; a < 3; ++a )
	{
		double at = ( from[a] - g->center[a] ) / g->size + 0.5 * n[a];
		if ( !( at >= 1.0 && at <= n[a] - 1.0 ) )
		{
			return false;
		}
		cell[a] = (int32_t)at;
		u[a] = at - cell[a] - 0.5;
		size[a] = fabs( u[a] );
	}
	int32_t k = size[0] >= size[1] ? ( size[0] >= size[2] ? 0 : 2 ) : ( size[1] >= size[2] ? 1 : 2 );
	int32_t i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
	if ( size[i] < size[j] )
	{
		int32_t swap = i;
		i = j;
		j = swap;
	}
	int32_t corners[4][3];
	for ( int32_t a = 0; a < 3; ++a )
	{
		int32_t center = 2 * cell[a] + 1, sign = u[a] < 0.0 ? -1 : 1;
		corners[0][a] = center;
		corners[1][a] = a == k ? center + 2 * sign : center;
		corners[2][a] = a == j ? center + 1 : center + sign;
		corners[3][a] = a == j ? center - 1 : center + sign;
	}
	for ( int32_t c = 0; c < 4; ++c )
	{
		tet->corners[c] = ( supTetSite ){ (int16_t)corners[c][0], (int16_t)corners[c][1], (int16_t)corners[c][2] };
	}
	tet->weights[1] = (float)( size[k] - size[i] );
	tet->weights[2] = (float)( size[i] + u[j] );
	tet->weights[3] = (float)( size[i] - u[j] );
	tet->weights[0] = (float)( 1.0 - size[k] - size[i] );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// All phases

static void StateRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supTetLattice* l = context;
	// what rounding leaves open is on the surface
	float zero = 1e-4f * (float)l->grid.size;
	for ( int32_t i = begin; i < end; ++i )
	{
		float value = l->values[i] + l->level;
		int32_t least = l->pinned[i] == sup_tetPinned ? 1 : ( l->pinned[i] == sup_tetHeld ? 0 : -1 );
		int32_t side = value > zero ? 1 : ( value < -zero ? -1 : 0 );
		l->states[i] = (int8_t)( side > least ? side : least );
		l->warps[i] = SUP_TET_LATTICE_EDGES;
	}
}

bool supTetLattice_SetLevel( supTetLattice* lattice, float level, bool exact, supError* error )
{
	lattice->level = level;
	lattice->exact = exact;
	supParallelFor( lattice->tasks, lattice->count, 4096, StateRange, lattice );
	if ( supTetLattice_FindCuts( lattice, error ) == false )
	{
		return false;
	}
	supTetLattice_Warp( lattice );
	return supTetLattice_CountTets( lattice, error );
}

bool supTetLattice_Init( supTetLattice* lattice, const supTetSource* source, double size,
						 const supTetPlacement* placement, supError* error )
{
	lattice->source = source;
	lattice->tasks = source->def->tasks;
	bool ok =
		PlaceGrid( lattice, size, placement, error ) && MarkCells( lattice, error ) && ListPoints( lattice, error );
	if ( ok )
	{
		ValueLoop loop = { .lattice = lattice };
		supParallelFor( lattice->tasks, lattice->count, 64, EvaluateRange, &loop );
		lattice->nearCount = atomic_load( &loop.nearCount );
		lattice->oddCount = atomic_load( &loop.oddCount );
		supTetLattice_Pin( lattice );
		ok = supTetLattice_SetLevel( lattice, 0.0f, false, error );
	}
	if ( ok == false )
	{
		supTetLattice_Destroy( lattice );
	}
	return ok;
}

void supTetLattice_Destroy( supTetLattice* lattice )
{
	supArena_Destroy( &lattice->arena );
	*lattice = ( supTetLattice ){ 0 };
}
