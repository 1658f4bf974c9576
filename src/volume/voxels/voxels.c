// SPDX-License-Identifier: MIT
#include "volume/voxels/voxels.h"

#include "core/array.h"
#include "core/tasks.h"
#include "volume/voxels/voxels_build.h"

const supVoxelCell supVoxelOffsets[26] = {
	{ -1, 0, 0 },  { 1, 0, 0 },   { 0, -1, 0 }, { 0, 1, 0 },   { 0, 0, -1 },   { 0, 0, 1 },   { -1, -1, 0 },
	{ 1, -1, 0 },  { -1, 1, 0 },  { 1, 1, 0 },  { -1, 0, -1 }, { 1, 0, -1 },   { -1, 0, 1 },  { 1, 0, 1 },
	{ 0, -1, -1 }, { 0, 1, -1 },  { 0, -1, 1 }, { 0, 1, 1 },   { -1, -1, -1 }, { 1, -1, -1 }, { -1, 1, -1 },
	{ 1, 1, -1 },  { -1, -1, 1 }, { 1, -1, 1 }, { -1, 1, 1 },  { 1, 1, 1 },
};

// ---------------------------------------------------------------------------------------------------------------------
// Places

supBox supVoxels_Box( const supVoxels* voxels, supVoxelCell lower, supVoxelCell upper )
{
	supBox box;
	box.lower = supMakeVec3( supVoxels_Border( voxels, 0, lower.x ), supVoxels_Border( voxels, 1, lower.y ),
							 supVoxels_Border( voxels, 2, lower.z ) );
	box.upper = supMakeVec3( supVoxels_Border( voxels, 0, upper.x + 1 ), supVoxels_Border( voxels, 1, upper.y + 1 ),
							 supVoxels_Border( voxels, 2, upper.z + 1 ) );
	return box;
}

supVec3 supVoxels_CellCenter( const supVoxels* voxels, supVoxelCell cell )
{
	double h = voxels->size;
	return supMakeVec3( (float)( voxels->center[0] + ( cell.x + 0.5 - 0.5 * voxels->nx ) * h ),
						(float)( voxels->center[1] + ( cell.y + 0.5 - 0.5 * voxels->ny ) * h ),
						(float)( voxels->center[2] + ( cell.z + 0.5 - 0.5 * voxels->nz ) * h ) );
}

// A cell along one axis, with its borders.
typedef struct Extent
{
	int16_t cell;
	float lower, upper;
} Extent;

// The guess is off by rounding at most, which the borders themselves put right.
static Extent CellAlong( const supVoxels* voxels, int axis, float value, int32_t n )
{
	double guess = ( (double)value - voxels->center[axis] ) / voxels->size + 0.5 * n;
	int32_t i = guess > 0.0 ? ( guess < n - 1 ? (int32_t)guess : n - 1 ) : 0;
	float lower = supVoxels_Border( voxels, axis, i ), upper = supVoxels_Border( voxels, axis, i + 1 );
	while ( i > 0 && value < lower )
	{
		i -= 1;
		upper = lower;
		lower = supVoxels_Border( voxels, axis, i );
	}
	while ( i < n - 1 && value >= upper )
	{
		i += 1;
		lower = upper;
		upper = supVoxels_Border( voxels, axis, i + 1 );
	}
	return ( Extent ){ (int16_t)i, lower, upper };
}

supVoxelCell supVoxels_CellAt( const supVoxels* voxels, supVec3 p )
{
	return ( supVoxelCell ){ CellAlong( voxels, 0, p.x, voxels->nx ).cell, CellAlong( voxels, 1, p.y, voxels->ny ).cell,
							 CellAlong( voxels, 2, p.z, voxels->nz ).cell };
}

int32_t supVoxels_FindAt( const supVoxels* voxels, supVec3 p )
{
	Extent x = CellAlong( voxels, 0, p.x, voxels->nx ), y = CellAlong( voxels, 1, p.y, voxels->ny ),
		   z = CellAlong( voxels, 2, p.z, voxels->nz );
	if ( p.x < x.lower || p.y < y.lower || p.z < z.lower || p.x > x.upper || p.y > y.upper || p.z > z.upper )
	{
		return -1;
	}
	// the cell at a border is the upper one
	int32_t sides = ( p.x == x.lower ? 1 : 0 ) | ( p.y == y.lower ? 2 : 0 ) | ( p.z == z.lower ? 4 : 0 );
	for ( int32_t i = 0; i < 8; ++i )
	{
		if ( ( i & sides ) != i )
		{
			continue;
		}
		int32_t found = supVoxels_Find( voxels, x.cell - ( i & 1 ), y.cell - ( i >> 1 & 1 ), z.cell - ( i >> 2 ) );
		if ( found >= 0 )
		{
			return found;
		}
	}
	return -1;
}

// ---------------------------------------------------------------------------------------------------------------------
// Neighbours and parts

typedef struct NeighbourLoop
{
	const supVoxels* voxels;
	int32_t width;
	int32_t* table;
} NeighbourLoop;

static void FillNeighbourRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	NeighbourLoop* loop = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		supVoxelCell c = loop->voxels->cells[i];
		int32_t* row = loop->table + (size_t)i * (size_t)loop->width;
		for ( int32_t k = 0; k < loop->width; ++k )
		{
			supVoxelCell o = supVoxelOffsets[k];
			row[k] = supVoxels_Find( loop->voxels, c.x + o.x, c.y + o.y, c.z + o.z );
		}
	}
}

void supVoxels_FillNeighbours( const supVoxels* voxels, int32_t width, const supTasks* tasks, int32_t* table )
{
	SUP_ASSERT( width == 6 || width == 26 );
	NeighbourLoop loop = { voxels, width, table };
	supParallelFor( tasks, voxels->count, 256, FillNeighbourRange, &loop );
}

static int32_t FindRoot( int32_t* parents, int32_t i )
{
	while ( parents[i] != i )
	{
		parents[i] = parents[parents[i]];
		i = parents[i];
	}
	return i;
}

int32_t supVoxels_FindParts( const supVoxels* voxels, int32_t* parts )
{
	// the root of a set is its first voxel
	for ( int32_t i = 0; i < voxels->count; ++i )
	{
		supVoxelCell c = voxels->cells[i];
		parts[i] = i;
		// the neighbours that come before
		for ( int32_t k = 0; k < 6; k += 2 )
		{
			supVoxelCell o = supVoxelOffsets[k];
			int32_t j = supVoxels_Find( voxels, c.x + o.x, c.y + o.y, c.z + o.z );
			if ( j >= 0 )
			{
				int32_t a = FindRoot( parts, i ), b = FindRoot( parts, j );
				parts[a > b ? a : b] = a < b ? a : b;
			}
		}
	}
	// parents come before their children, so that roots have their numbers already; they are told from voxels by sign
	int32_t count = 0;
	for ( int32_t i = 0; i < voxels->count; ++i )
	{
		parts[i] = parts[i] == i ? ~count++ : parts[parts[i]];
	}
	for ( int32_t i = 0; i < voxels->count; ++i )
	{
		parts[i] = ~parts[i];
	}
	return count;
}

// ---------------------------------------------------------------------------------------------------------------------
// From bits to a list

typedef struct ListLoop
{
	supVoxels* voxels;
	const uint64_t* surfaceBits;
} ListLoop;

static void ListRows( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	ListLoop* loop = context;
	supVoxels* v = loop->voxels;
	for ( int32_t row = begin; row < end; ++row )
	{
		int32_t y = row % ( v->ny + 2 ) - 1, z = row / ( v->ny + 2 ) - 1;
		for ( int32_t k = 0; k < v->wordsPerRow; ++k )
		{
			int32_t word = row * v->wordsPerRow + k;
			int32_t index = v->wordStarts[word];
			for ( uint64_t bits = v->bits[word]; bits != 0; bits &= bits - 1 )
			{
				int32_t bit = __builtin_ctzll( bits );
				v->cells[index] = ( supVoxelCell ){ (int16_t)( 64 * k + bit - 1 ), (int16_t)y, (int16_t)z };
				v->isSurface[index] = ( loop->surfaceBits[word] >> bit ) & 1;
				index += 1;
			}
		}
	}
}

static bool MakeList( supVoxels* v, const uint64_t* surfaceBits, const supTasks* tasks, supError* error )
{
	int32_t rows = ( v->ny + 2 ) * ( v->nz + 2 );
	size_t words = (size_t)rows * (size_t)v->wordsPerRow;
	v->wordStarts = supArena_AllocArray( &v->arena, words, sizeof( *v->wordStarts ) );
	if ( v->wordStarts == NULL )
	{
		return supSetMemoryError( error );
	}
	for ( size_t i = 0; i < words; ++i )
	{
		v->wordStarts[i] = v->count;
		v->count += supCountBits( v->bits[i] );
		v->surfaceCount += supCountBits( surfaceBits[i] );
	}
	v->cells = supArena_AllocArray( &v->arena, (size_t)v->count, sizeof( *v->cells ) );
	v->isSurface = supArena_AllocArray( &v->arena, (size_t)v->count, sizeof( *v->isSurface ) );
	if ( v->arena.failed )
	{
		return supSetMemoryError( error );
	}
	ListLoop loop = { v, surfaceBits };
	supParallelFor( tasks, rows, 16, ListRows, &loop );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Creating

bool supCheckSoup( const char* where, const supVec3* positions, int32_t vertexCount, const uint32_t* indices,
				   int32_t triangleCount, supBox* bounds, supError* error )
{
	if ( triangleCount <= 0 )
	{
		return supSetError( error, sup_errorArgument, where, "the mesh has no triangles" );
	}
	*bounds = supBox_empty;
	for ( int64_t i = 0; i < 3 * (int64_t)triangleCount; ++i )
	{
		uint32_t k = indices[i];
		if ( k >= (uint32_t)vertexCount )
		{
			return supSetError( error, sup_errorArgument, where, "triangle %d uses vertex %u of %d", (int)( i / 3 ), k,
								vertexCount );
		}
		supVec3 p = positions[k];
		if ( !( fabsf( p.x ) <= SUP_MAX_COORDINATE && fabsf( p.y ) <= SUP_MAX_COORDINATE &&
				fabsf( p.z ) <= SUP_MAX_COORDINATE ) )
		{
			return supSetError( error, sup_errorArgument, where, "vertex %u is not finite: (%g, %g, %g)", k,
								(double)p.x, (double)p.y, (double)p.z );
		}
		*bounds = supBox_Include( *bounds, p );
	}
	return true;
}

static bool CheckTriangles( const supVoxelsDef* def, supBox* bounds, supError* error )
{
	if ( def->resolution < 1 || def->resolution > SUP_MAX_VOXEL_RESOLUTION )
	{
		return supSetError( error, sup_errorArgument, "voxels", "the resolution is %d; must be 1 to %d",
							def->resolution, SUP_MAX_VOXEL_RESOLUTION );
	}
	return supCheckSoup( "voxels", def->positions, def->vertexCount, def->indices, def->triangleCount, bounds, error );
}

// A hair more than fits, so that the outermost vertices lie within the grid whatever way borders are rounded.
#define SLACK 1e-6

static int32_t CountCells( double extent, double size )
{
	int32_t n = (int32_t)ceil( extent / size );
	return n < 1 ? 1 : n;
}

// Neighbouring borders must differ, and the grid must hold the bounds.
static bool CheckBorders( const supVoxels* v, supBox bounds )
{
	const float lower[3] = { bounds.lower.x, bounds.lower.y, bounds.lower.z };
	const float upper[3] = { bounds.upper.x, bounds.upper.y, bounds.upper.z };
	const int32_t n[3] = { v->nx, v->ny, v->nz };
	for ( int axis = 0; axis < 3; ++axis )
	{
		for ( int32_t i = 0; i < n[axis]; ++i )
		{
			if ( supVoxels_Border( v, axis, i ) >= supVoxels_Border( v, axis, i + 1 ) )
			{
				return false;
			}
		}
		if ( lower[axis] < supVoxels_Border( v, axis, 0 ) || upper[axis] > supVoxels_Border( v, axis, n[axis] ) )
		{
			return false;
		}
	}
	return true;
}

static bool PlaceGrid( supVoxels* v, const supVoxelsDef* def, supError* error )
{
	supBox b = supBox_empty;
	if ( CheckTriangles( def, &b, error ) == false )
	{
		return false;
	}
	double extent[3] = { (double)b.upper.x - (double)b.lower.x, (double)b.upper.y - (double)b.lower.y,
						 (double)b.upper.z - (double)b.lower.z };
	double longest = fmax( fmax( extent[0], extent[1] ), extent[2] );
	if ( longest < 1e-30 )
	{
		return supSetError( error, sup_errorArgument, "voxels", "the mesh has no size: all vertices are at one point" );
	}
	v->size = longest / def->resolution * ( 1.0 + SLACK );
	v->center[0] = 0.5 * ( (double)b.lower.x + (double)b.upper.x );
	v->center[1] = 0.5 * ( (double)b.lower.y + (double)b.upper.y );
	v->center[2] = 0.5 * ( (double)b.lower.z + (double)b.upper.z );
	v->nx = CountCells( extent[0], v->size );
	v->ny = CountCells( extent[1], v->size );
	v->nz = CountCells( extent[2], v->size );
	v->wordsPerRow = ( v->nx + 2 + 63 ) / 64;
	if ( CheckBorders( v, b ) == false )
	{
		return supSetError(
			error, sup_errorArgument, "voxels",
			"voxels of %g m at (%g, %g, %g) exceed float precision; move the mesh to the origin or lower "
			"the resolution",
			v->size, v->center[0], v->center[1], v->center[2] );
	}
	return true;
}

// Triangles of a leaf. Few cells are asked about: the tree is built and gone, and its size counts for more than speed.
#define TREE_LEAF 20

// Of the triangles, how many a cell is near on average, and from where on they are cut; how long pieces may be, in
// cells, and how many there may be.
#define HEAP 500.0
#define LONGEST_PIECE 6.0f
#define MOST_PIECES ( 1 << 21 )

typedef SUP_ARRAY( supVec3 ) Corners;

// Real meshes have large triangles only where there are few. In a heap of long ones every cell is near to all.
static bool IsHeap( const supVoxels* v, const supVoxelsDef* def )
{
	double near = 0.0, extent = v->size * def->resolution;
	for ( int32_t i = 0; i < def->triangleCount; ++i )
	{
		const uint32_t* k = def->indices + 3 * (size_t)i;
		supVec3 a = def->positions[k[0]], b = def->positions[k[1]], c = def->positions[k[2]];
		double longest =
			(double)supMaxFloat( supDistance( a, b ), supMaxFloat( supDistance( b, c ), supDistance( c, a ) ) );
		double reach = fmin( 1.0, 2.0 * longest / extent );
		near += reach * reach * reach;
	}
	return near > HEAP;
}

// In halves across the longest edge until no edge is longer than this.
static bool CutTriangle( Corners* corners, supVec3 a, supVec3 b, supVec3 c, float longest )
{
	float ab = supDistance( a, b ), bc = supDistance( b, c ), ca = supDistance( c, a );
	if ( bc > ab && bc >= ca )
	{
		return CutTriangle( corners, b, c, a, longest );
	}
	if ( ca > ab )
	{
		return CutTriangle( corners, c, a, b, longest );
	}
	if ( ab > longest && corners->count < 3 * MOST_PIECES )
	{
		supVec3 middle = supLerp( a, b, 0.5f );
		return CutTriangle( corners, a, middle, c, longest ) && CutTriangle( corners, middle, b, c, longest );
	}
	return SUP_PUSH( corners, a ) && SUP_PUSH( corners, b ) && SUP_PUSH( corners, c );
}

// The same surface in pieces, each with corners of its own.
static bool CutHeap( const supVoxels* v, const supVoxelsDef* def, Corners* corners, uint32_t** indices )
{
	bool ok = true;
	for ( int32_t i = 0; ok && i < def->triangleCount; ++i )
	{
		const uint32_t* k = def->indices + 3 * (size_t)i;
		ok = CutTriangle( corners, def->positions[k[0]], def->positions[k[1]], def->positions[k[2]],
						  LONGEST_PIECE * (float)v->size );
	}
	*indices = ok ? supAllocArray( (size_t)corners->count, sizeof( uint32_t ) ) : NULL;
	for ( int32_t i = 0; *indices != NULL && i < corners->count; ++i )
	{
		( *indices )[i] = (uint32_t)i;
	}
	return *indices != NULL;
}

static bool FillInside( supVoxels* voxels, const supVoxelsDef* def, const uint64_t* surfaceBits, supError* error )
{
	Corners corners = { 0 };
	uint32_t* indices = NULL;
	supVoxelsDef soup = *def;
	bool ok = true;
	if ( IsHeap( voxels, def ) )
	{
		ok = CutHeap( voxels, def, &corners, &indices ) || supSetMemoryError( error );
		soup.positions = corners.data;
		soup.vertexCount = corners.count;
		soup.indices = indices;
		soup.triangleCount = corners.count / 3;
	}
	supTree* tree =
		ok ? supCreateLeanTree( soup.positions, soup.vertexCount, soup.indices, soup.triangleCount, TREE_LEAF, error )
		   : NULL;
	supWinding* winding = tree != NULL ? supCreateWinding( tree, SUP_WINDING_BETA, def->tasks, error ) : NULL;
	if ( winding != NULL )
	{
		supMarkInside( voxels, winding, def->tasks, surfaceBits );
	}
	ok = winding != NULL;
	supDestroyWinding( winding );
	supDestroyTree( tree );
	supFree( indices );
	SUP_FREE_ARRAY( &corners );
	return ok;
}

static bool Build( supVoxels* voxels, const supVoxelsDef* def, supArena* scratch, supError* error )
{
	if ( PlaceGrid( voxels, def, error ) == false )
	{
		return false;
	}
	size_t words = (size_t)voxels->wordsPerRow * (size_t)( voxels->ny + 2 ) * (size_t)( voxels->nz + 2 );
	voxels->bits = supArena_AllocArray( &voxels->arena, words, sizeof( uint64_t ) );
	uint64_t* surfaceBits = supArena_AllocArray( scratch, words, sizeof( uint64_t ) );
	if ( voxels->bits == NULL || surfaceBits == NULL )
	{
		return supSetMemoryError( error );
	}
	memset( surfaceBits, 0, words * sizeof( uint64_t ) );
	supMarkSurface( voxels, def, surfaceBits );
	memcpy( voxels->bits, surfaceBits, words * sizeof( uint64_t ) );
	return FillInside( voxels, def, surfaceBits, error ) && MakeList( voxels, surfaceBits, def->tasks, error );
}

bool supVoxels_Init( supVoxels* voxels, const supVoxelsDef* def, supError* error )
{
	supClearError( error );
	supArena scratch = { 0 };
	bool ok = Build( voxels, def, &scratch, error );
	supArena_Destroy( &scratch );
	if ( ok == false )
	{
		supVoxels_Destroy( voxels );
	}
	return ok;
}

void supVoxels_Destroy( supVoxels* voxels )
{
	supArena_Destroy( &voxels->arena );
	*voxels = ( supVoxels ){ 0 };
}
