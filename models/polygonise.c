// SPDX-License-Identifier: MIT
#include "polygonise.h"

#include "core/array.h"

#define BLOCK 4

typedef struct Grid
{
	const sculptShape* shape;
	supVec3 origin;
	float spacing;
	int32_t size[3];   // corners
	float* values;     // at corners
	uint8_t* known;    // values[i] has been computed
	int32_t* crossing; // 7 per corner: vertex on the edge in direction d (bits x, y, z) at d - 1, -1 where none yet
	SUP_ARRAY( supVec3 ) positions;
	SUP_ARRAY( int32_t ) triangles;
	bool failed;
} Grid;

static int32_t CornerIndex( const Grid* grid, int32_t x, int32_t y, int32_t z )
{
	return ( z * grid->size[1] + y ) * grid->size[0] + x;
}

static supVec3 CornerPosition( const Grid* grid, int32_t x, int32_t y, int32_t z )
{
	return supMulAdd( grid->origin, grid->spacing, supMakeVec3( (float)x, (float)y, (float)z ) );
}

static float CornerValue( Grid* grid, int32_t x, int32_t y, int32_t z )
{
	int32_t i = CornerIndex( grid, x, y, z );
	if ( grid->known[i] == 0 )
	{
		float d = sculptShape_Distance( grid->shape, CornerPosition( grid, x, y, z ) );
		// never exactly on a corner: two crossings would fall together
		float least = 1e-3f * grid->spacing;
		grid->values[i] = d >= 0.0f ? supMaxFloat( d, least ) : supMinFloat( d, -least );
		grid->known[i] = 1;
	}
	return grid->values[i];
}

// The vertex where the surface crosses the edge between two corners of a cube, given as offsets in bits.
static int32_t CrossingVertex( Grid* grid, const int32_t cell[3], int a, int b )
{
	// in this subdivision one corner's bits contain the other's
	int low = ( a & b ) == a ? a : b;
	int high = low == a ? b : a;
	int32_t x = cell[0] + ( low & 1 ), y = cell[1] + ( low >> 1 & 1 ), z = cell[2] + ( low >> 2 & 1 );
	int direction = high & ~low;
	int32_t* slot = grid->crossing + (size_t)7 * (size_t)CornerIndex( grid, x, y, z ) + ( direction - 1 );
	if ( *slot < 0 )
	{
		int32_t hx = x + ( direction & 1 ), hy = y + ( direction >> 1 & 1 ), hz = z + ( direction >> 2 & 1 );
		float v0 = CornerValue( grid, x, y, z );
		float v1 = CornerValue( grid, hx, hy, hz );
		float t = v0 / ( v0 - v1 );
		supVec3 p = supLerp( CornerPosition( grid, x, y, z ), CornerPosition( grid, hx, hy, hz ), t );
		*slot = grid->positions.count;
		grid->failed = SUP_PUSH( &grid->positions, p ) == false || grid->failed;
	}
	return *slot;
}

static void PushTriangle( Grid* grid, int32_t a, int32_t b, int32_t c )
{
	bool ok = SUP_PUSH( &grid->triangles, a ) && SUP_PUSH( &grid->triangles, b ) && SUP_PUSH( &grid->triangles, c );
	grid->failed = ok == false || grid->failed;
}

// `tet` holds four corners (bits), positively oriented.
static void PolygoniseTet( Grid* grid, const int32_t cell[3], const int tet[4] )
{
	bool inside[4];
	int count = 0;
	for ( int i = 0; i < 4; ++i )
	{
		inside[i] = CornerValue( grid, cell[0] + ( tet[i] & 1 ), cell[1] + ( tet[i] >> 1 & 1 ),
								 cell[2] + ( tet[i] >> 2 & 1 ) ) < 0.0f;
		count += inside[i];
	}
	// even permutations that bring corner i, or corners i and j, to the front
	static const int one[4][4] = { { 0, 1, 2, 3 }, { 1, 0, 3, 2 }, { 2, 0, 1, 3 }, { 3, 0, 2, 1 } };
	static const int two[6][4] = { { 0, 1, 2, 3 }, { 0, 2, 3, 1 }, { 0, 3, 1, 2 },
								   { 1, 2, 0, 3 }, { 1, 3, 2, 0 }, { 2, 3, 0, 1 } };
	if ( count == 1 || count == 3 )
	{
		for ( int i = 0; i < 4; ++i )
		{
			if ( inside[i] == ( count == 1 ) )
			{
				const int* o = one[i];
				int32_t e1 = CrossingVertex( grid, cell, tet[o[0]], tet[o[1]] );
				int32_t e2 = CrossingVertex( grid, cell, tet[o[0]], tet[o[2]] );
				int32_t e3 = CrossingVertex( grid, cell, tet[o[0]], tet[o[3]] );
				PushTriangle( grid, e1, count == 1 ? e2 : e3, count == 1 ? e3 : e2 );
			}
		}
	}
	else if ( count == 2 )
	{
		for ( int i = 0; i < 6; ++i )
		{
			const int* o = two[i];
			if ( inside[o[0]] && inside[o[1]] )
			{
				int32_t ik = CrossingVertex( grid, cell, tet[o[0]], tet[o[2]] );
				int32_t il = CrossingVertex( grid, cell, tet[o[0]], tet[o[3]] );
				int32_t jl = CrossingVertex( grid, cell, tet[o[1]], tet[o[3]] );
				int32_t jk = CrossingVertex( grid, cell, tet[o[1]], tet[o[2]] );
				PushTriangle( grid, ik, il, jl );
				PushTriangle( grid, ik, jl, jk );
			}
		}
	}
}

static void PolygoniseCell( Grid* grid, const int32_t cell[3] )
{
	int inside = 0;
	for ( int i = 0; i < 8; ++i )
	{
		inside += CornerValue( grid, cell[0] + ( i & 1 ), cell[1] + ( i >> 1 & 1 ), cell[2] + ( i >> 2 & 1 ) ) < 0.0f;
	}
	if ( inside == 0 || inside == 8 )
	{
		return;
	}
	// each walks from corner 0 to corner 7 along x, y, z in one of six orders; odd orders have their middle swapped so
	// that all are positively oriented
	static const int tets[6][4] = { { 0, 1, 3, 7 }, { 0, 5, 1, 7 }, { 0, 3, 2, 7 },
									{ 0, 2, 6, 7 }, { 0, 4, 5, 7 }, { 0, 6, 4, 7 } };
	for ( int i = 0; i < 6; ++i )
	{
		PolygoniseTet( grid, cell, tets[i] );
	}
}

// Blocks whose middle is far from the surface are skipped.
static void PolygoniseBlock( Grid* grid, const int32_t block[3] )
{
	float half = 0.5f * BLOCK * grid->spacing;
	supVec3 corner = CornerPosition( grid, block[0], block[1], block[2] );
	float d = sculptShape_Distance( grid->shape, supAdd( corner, supMakeVec3( half, half, half ) ) );
	// distances to flattened ellipsoids are only first order, hence the generous factor
	if ( ( d > 0.0f ? d : -d ) > 4.0f * half )
	{
		return;
	}
	int32_t cell[3];
	for ( cell[2] = block[2]; cell[2] < block[2] + BLOCK && cell[2] + 1 < grid->size[2]; ++cell[2] )
	{
		for ( cell[1] = block[1]; cell[1] < block[1] + BLOCK && cell[1] + 1 < grid->size[1]; ++cell[1] )
		{
			for ( cell[0] = block[0]; cell[0] < block[0] + BLOCK && cell[0] + 1 < grid->size[0]; ++cell[0] )
			{
				PolygoniseCell( grid, cell );
			}
		}
	}
}

bool polygonise( const sculptShape* shape, float spacing, polyMesh* mesh )
{
	*mesh = ( polyMesh ){ 0 };
	supBox bounds = shape->bounds;
	Grid grid = { .shape = shape, .spacing = spacing };
	grid.origin = supSub( bounds.lower, supMakeVec3( 2.0f * spacing, 2.0f * spacing, 2.0f * spacing ) );
	supVec3 size = supBox_Size( bounds );
	grid.size[0] = (int32_t)( size.x / spacing ) + 6;
	grid.size[1] = (int32_t)( size.y / spacing ) + 6;
	grid.size[2] = (int32_t)( size.z / spacing ) + 6;
	size_t corners = (size_t)grid.size[0] * (size_t)grid.size[1] * (size_t)grid.size[2];
	grid.values = supAllocArray( corners, sizeof( float ) );
	grid.known = supAllocZeroed( corners );
	grid.crossing = supAllocArray( corners, 7 * sizeof( int32_t ) );
	grid.failed = grid.values == NULL || grid.known == NULL || grid.crossing == NULL;
	if ( grid.failed == false )
	{
		memset( grid.crossing, 0xFF, corners * 7 * sizeof( int32_t ) );
		int32_t block[3];
		for ( block[2] = 0; block[2] < grid.size[2]; block[2] += BLOCK )
		{
			for ( block[1] = 0; block[1] < grid.size[1]; block[1] += BLOCK )
			{
				for ( block[0] = 0; block[0] < grid.size[0]; block[0] += BLOCK )
				{
					PolygoniseBlock( &grid, block );
				}
			}
		}
	}
	supFree( grid.values );
	supFree( grid.known );
	supFree( grid.crossing );
	mesh->vertexCount = grid.positions.count;
	mesh->positions = grid.positions.data;
	mesh->triangleCount = grid.triangles.count / 3;
	mesh->triangles = grid.triangles.data;
	if ( grid.failed )
	{
		polyMesh_Destroy( mesh );
	}
	return grid.failed == false;
}

void polyMesh_Destroy( polyMesh* mesh )
{
	supFree( mesh->positions );
	supFree( mesh->triangles );
	*mesh = ( polyMesh ){ 0 };
}
