// SPDX-License-Identifier: MIT
#include "method/points/props.h"

#include "core/sort.h"

// Three fit into a key of 63 bits.
#define POINT_BITS 21
#define MOST_POINTS 1000000

void supProp_Destroy( supProp* prop )
{
	SUP_FREE_ARRAY( &prop->points );
	SUP_FREE_ARRAY( &prop->tets );
	SUP_FREE_ARRAY( &prop->triangles );
	SUP_FREE_ARRAY( &prop->joints );
	SUP_FREE_ARRAY( &prop->nails );
}

// ---------------------------------------------------------------------------------------------------------------------
// Lattices

// Corner c of a cell lies at ( c & 1, c >> 1 & 1, c >> 2 ). Neighbouring cells take turns, so that diagonals of common
// faces are the same.
static const uint8_t s_cellTets[2][5][4] = {
	{ { 0, 3, 6, 5 }, { 0, 1, 3, 5 }, { 0, 3, 2, 6 }, { 0, 5, 6, 4 }, { 3, 6, 5, 7 } },
	{ { 1, 2, 4, 7 }, { 0, 1, 2, 4 }, { 1, 3, 2, 7 }, { 1, 4, 5, 7 }, { 2, 4, 7, 6 } },
};

static bool IsKept( const supLattice* lattice, int32_t x, int32_t y, int32_t z )
{
	bool inside = x >= 0 && y >= 0 && z >= 0 && x < lattice->nx && y < lattice->ny && z < lattice->nz;
	return inside && ( lattice->keep == NULL || lattice->keep[x + lattice->nx * ( y + lattice->ny * z )] != 0 );
}

static bool IsCorner( const supLattice* lattice, int32_t x, int32_t y, int32_t z )
{
	for ( int c = 0; c < 8; ++c )
	{
		if ( IsKept( lattice, x - ( c & 1 ), y - ( c >> 1 & 1 ), z - ( c >> 2 ) ) )
		{
			return true;
		}
	}
	return false;
}

static supVec3 PlaceCorner( const supLattice* lattice, int32_t x, int32_t y, int32_t z )
{
	float taper = lattice->taper > 0.0f ? lattice->taper : 1.0f;
	float scale = supLerpFloat( 1.0f, taper, (float)x / (float)lattice->nx );
	float my = 0.5f * (float)lattice->ny, mz = 0.5f * (float)lattice->nz;
	supVec3 p = supMulAdd( lattice->origin, (float)x, lattice->x );
	p = supMulAdd( p, my + scale * ( (float)y - my ), lattice->y );
	return supMulAdd( p, mz + scale * ( (float)z - mz ), lattice->z );
}

static bool AddCorners( supProp* prop, const supLattice* lattice, int32_t* numbers )
{
	for ( int32_t x = 0; x <= lattice->nx; ++x )
	{
		for ( int32_t z = 0; z <= lattice->nz; ++z )
		{
			for ( int32_t y = 0; y <= lattice->ny; ++y )
			{
				int32_t at = x + ( lattice->nx + 1 ) * ( y + ( lattice->ny + 1 ) * z );
				if ( IsCorner( lattice, x, y, z ) == false )
				{
					continue;
				}
				numbers[at] = prop->points.count;
				if ( prop->points.count >= MOST_POINTS ||
					 SUP_PUSH( &prop->points, PlaceCorner( lattice, x, y, z ) ) == false )
				{
					return false;
				}
			}
		}
	}
	return true;
}

static bool AddCell( supProp* prop, const supLattice* lattice, const int32_t* numbers, int32_t x, int32_t y, int32_t z )
{
	const uint8_t( *tets )[4] = s_cellTets[( x + y + z ) & 1];
	for ( int t = 0; t < 5; ++t )
	{
		for ( int k = 0; k < 4; ++k )
		{
			int c = tets[t][k];
			int32_t at =
				x + ( c & 1 ) + ( lattice->nx + 1 ) * ( y + ( c >> 1 & 1 ) + ( lattice->ny + 1 ) * ( z + ( c >> 2 ) ) );
			if ( SUP_PUSH( &prop->tets, numbers[at] ) == false )
			{
				return false;
			}
		}
	}
	return true;
}

bool supProp_AddLattice( supProp* prop, const supLattice* lattice )
{
	int64_t corners = (int64_t)( lattice->nx + 1 ) * ( lattice->ny + 1 ) * ( lattice->nz + 1 );
	int32_t* numbers = lattice->nx > 0 && lattice->ny > 0 && lattice->nz > 0 && corners <= 16 * (int64_t)MOST_POINTS
						   ? supAllocArray( (size_t)corners, sizeof( int32_t ) )
						   : NULL;
	bool ok = numbers != NULL && AddCorners( prop, lattice, numbers );
	for ( int32_t x = 0; x < lattice->nx; ++x )
	{
		for ( int32_t z = 0; z < lattice->nz; ++z )
		{
			for ( int32_t y = 0; ok && y < lattice->ny; ++y )
			{
				ok = IsKept( lattice, x, y, z ) == false || AddCell( prop, lattice, numbers, x, y, z );
			}
		}
	}
	supFree( numbers );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Ropes

static supVec3 AnyAcross( supVec3 d )
{
	float x = fabsf( d.x ), y = fabsf( d.y ), z = fabsf( d.z );
	supVec3 axis = x <= y && x <= z ? supMakeVec3( 1.0f, 0.0f, 0.0f )
									: ( y <= z ? supMakeVec3( 0.0f, 1.0f, 0.0f ) : supMakeVec3( 0.0f, 0.0f, 1.0f ) );
	return supCross( axis, d );
}

bool supProp_AddTail( supProp* prop, supVec3 from, supVec3 to, float thickness, float endThickness, int32_t segments )
{
	supVec3 along = supSub( to, from );
	supVec3 y = supScale( thickness, supNormalize( AnyAcross( along ) ) );
	supVec3 z = supScale( thickness, supNormalize( supCross( along, y ) ) );
	supLattice lattice = { segments, 1, 1, .x = supScale( 1.0f / (float)segments, along ), .y = y, .z = z };
	lattice.origin = supSub( from, supScale( 0.5f, supAdd( y, z ) ) );
	lattice.taper = endThickness / thickness;
	return supProp_AddLattice( prop, &lattice );
}

bool supProp_AddRope( supProp* prop, supVec3 from, supVec3 to, float thickness, int32_t segments )
{
	return supProp_AddTail( prop, from, to, thickness, thickness, segments );
}

// A strand of n meshes is a row of cells: 2 n + 1 of them, those at a crossing as long as the strand is thick.
static bool AddStrand( supProp* prop, supVec3 start, supVec3 along, supVec3 up, supVec3 side, int32_t meshes,
					   float mesh, float thickness )
{
	int32_t first = prop->points.count;
	int32_t cells = 2 * meshes + 1;
	supLattice lattice = { cells, 1, 1, .origin = start, .x = along, .y = up, .z = side };
	bool ok = supProp_AddLattice( prop, &lattice );
	for ( int32_t i = 0; ok && i <= cells; ++i )
	{
		// cells at crossings have even numbers
		float at = (float)( i / 2 ) * mesh + ( i % 2 == 0 ? 0.0f : thickness );
		for ( int32_t k = 0; k < 4; ++k )
		{
			supVec3* p = prop->points.data + first + 4 * i + k;
			supVec3 across = supSub( *p, supMulAdd( start, (float)i, along ) );
			*p = supAdd( supMulAdd( start, at / supLength( along ), along ), across );
		}
	}
	return ok;
}

bool supProp_AddNet( supProp* prop, supVec3 origin, int32_t columns, int32_t rows, float mesh, float thickness )
{
	const float t = thickness;
	const supVec3 x = { t, 0.0f, 0.0f }, y = { 0.0f, t, 0.0f }, z = { 0.0f, 0.0f, t };
	int32_t firstAcross = prop->points.count;
	bool ok = true;
	for ( int32_t r = 0; ok && r <= rows; ++r )
	{
		supVec3 start = supAdd( origin, supMakeVec3( 0.0f, (float)r * mesh, 0.0f ) );
		ok = AddStrand( prop, start, x, y, z, columns, mesh, t );
	}
	// the other strands lie on these: their lower faces on the upper ones
	int32_t firstUp = prop->points.count;
	for ( int32_t c = 0; ok && c <= columns; ++c )
	{
		supVec3 start = supAdd( origin, supMakeVec3( (float)c * mesh, 0.0f, t ) );
		ok = AddStrand( prop, start, y, z, x, rows, mesh, t );
	}
	int32_t perAcross = 4 * ( 2 * columns + 2 ), perUp = 4 * ( 2 * rows + 2 );
	for ( int32_t r = 0; ok && r <= rows; ++r )
	{
		for ( int32_t c = 0; ok && c <= columns; ++c )
		{
			// points of a strand: for each place along it, side 0 up 0, side 0 up 1, side 1 up 0, side 1 up 1
			int32_t a = firstAcross + perAcross * r + 8 * c, b = firstUp + perUp * c + 8 * r;
			const int32_t pairs[4][2] = { { a + 2, b }, { a + 3, b + 4 }, { a + 6, b + 2 }, { a + 7, b + 6 } };
			for ( int k = 0; ok && k < 4; ++k )
			{
				ok = SUP_PUSH( &prop->joints, pairs[k][0] ) && SUP_PUSH( &prop->joints, pairs[k][1] );
			}
		}
	}
	const int32_t ends[4] = { firstAcross, firstAcross + perAcross - 4, firstAcross + perAcross * rows,
							  firstAcross + perAcross * rows + perAcross - 4 };
	for ( int k = 0; ok && k < 8; ++k )
	{
		// the side of the end that no joint holds
		ok = SUP_PUSH( &prop->nails, ends[k / 2] + k % 2 );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bags and walls

bool supProp_AddBag( supProp* prop, supVec3 origin, supVec3 size, int32_t cells )
{
	uint8_t* keep = cells >= 3 && cells <= 100 ? supAllocZeroed( (size_t)cells * (size_t)cells * (size_t)cells ) : NULL;
	if ( keep == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < cells * cells * cells; ++i )
	{
		int32_t x = i % cells, y = i / cells % cells, z = i / ( cells * cells );
		keep[i] = x == 0 || x == cells - 1 || z == 0 || z == cells - 1 || y == 0;
	}
	float n = 1.0f / (float)cells;
	int32_t first = prop->points.count;
	supLattice lattice = { cells,
						   cells,
						   cells,
						   .origin = origin,
						   .x = { n * size.x, 0.0f, 0.0f },
						   .y = { 0.0f, n * size.y, 0.0f },
						   .z = { 0.0f, 0.0f, n * size.z },
						   .keep = keep };
	bool ok = supProp_AddLattice( prop, &lattice );
	supFree( keep );
	const float half = 0.5f * n;
	for ( int32_t i = first; ok && i < prop->points.count; ++i )
	{
		supVec3 p = supSub( prop->points.data[i], origin );
		bool corner = p.y > size.y * ( 1.0f - half ) && ( p.x < size.x * half || p.x > size.x * ( 1.0f - half ) ) &&
					  ( p.z < size.z * half || p.z > size.z * ( 1.0f - half ) );
		ok = corner == false || SUP_PUSH( &prop->nails, i );
	}
	return ok;
}

// Corner ( x, y, z ) of the cube in a column and a row: lattices go by x, then z, then y.
static int32_t CubeCorner( int32_t first, int32_t columns, int32_t column, int32_t row, int x, int y, int z )
{
	return first + 8 * ( row * columns + column ) + 4 * x + 2 * z + y;
}

static bool JoinCubes( supProp* prop, int32_t first, int32_t columns, int32_t column, int32_t row, int z, bool below )
{
	// cubes left and right of, and below and above, the corner they have in common
	int32_t lower = CubeCorner( first, columns, column, row, 1, below ? 0 : 1, z );
	int32_t right = CubeCorner( first, columns, column + 1, row, 0, below ? 0 : 1, z );
	if ( below )
	{
		return SUP_PUSH( &prop->joints, lower ) && SUP_PUSH( &prop->joints, right );
	}
	int32_t upper = CubeCorner( first, columns, column, row + 1, 1, 0, z );
	int32_t upperRight = CubeCorner( first, columns, column + 1, row + 1, 0, 0, z );
	bool sideways = ( column + row + z ) % 2 == 0;
	return SUP_PUSH( &prop->joints, lower ) && SUP_PUSH( &prop->joints, sideways ? right : upper ) &&
		   SUP_PUSH( &prop->joints, sideways ? upper : right ) && SUP_PUSH( &prop->joints, upperRight );
}

bool supProp_AddCubeWall( supProp* prop, int32_t columns, int32_t rows, float size )
{
	int32_t first = prop->points.count;
	bool ok = columns > 0 && rows > 0;
	for ( int32_t i = 0; ok && i < columns * rows; ++i )
	{
		supLattice cube = { 1,
							1,
							1,
							.origin = { size * (float)( i % columns ), size * (float)( i / columns ), 0.0f },
							.x = { size, 0.0f, 0.0f },
							.y = { 0.0f, size, 0.0f },
							.z = { 0.0f, 0.0f, size } };
		ok = supProp_AddLattice( prop, &cube );
	}
	for ( int32_t row = -1; row + 1 < rows; ++row )
	{
		for ( int32_t column = 0; column + 1 < columns; ++column )
		{
			for ( int z = 0; ok && z < 2; ++z )
			{
				ok = JoinCubes( prop, first, columns, column, row < 0 ? 0 : row, z, row < 0 );
			}
		}
	}
	for ( int32_t column = 0; column < columns; ++column )
	{
		for ( int k = column == 0 ? 0 : 2; ok && k < 4; ++k )
		{
			ok = SUP_PUSH( &prop->nails, CubeCorner( first, columns, column, rows - 1, k / 2, 1, k % 2 ) );
		}
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Boundary: faces that one tet alone has

static const uint8_t s_faces[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };

static uint64_t FaceKey( const int32_t* tet, int face )
{
	uint64_t a = (uint64_t)tet[s_faces[face][0]], b = (uint64_t)tet[s_faces[face][1]],
			 c = (uint64_t)tet[s_faces[face][2]];
	uint64_t low = a < b ? ( a < c ? a : c ) : ( b < c ? b : c );
	uint64_t high = a > b ? ( a > c ? a : c ) : ( b > c ? b : c );
	return low << ( 2 * POINT_BITS ) | ( a + b + c - low - high ) << POINT_BITS | high;
}

static bool IsSingle( const uint64_t* keys, int32_t count, uint64_t key )
{
	int32_t low = 0, high = count;
	while ( high - low > 1 )
	{
		int32_t middle = low + ( high - low ) / 2;
		*( keys[middle] <= key ? &low : &high ) = middle;
	}
	return low == 0 || keys[low - 1] != key;
}

bool supProp_Finish( supProp* prop )
{
	int32_t tetCount = prop->tets.count / 4;
	uint64_t* keys = supAllocArray( 8 * (size_t)tetCount, sizeof( uint64_t ) );
	bool ok = keys != NULL;
	for ( int32_t i = 0; ok && i < 4 * tetCount; ++i )
	{
		keys[i] = FaceKey( prop->tets.data + 4 * ( i / 4 ), i % 4 );
	}
	if ( ok )
	{
		supSortKeys( keys, keys + 4 * tetCount, 4 * (size_t)tetCount, 3 * POINT_BITS );
	}
	prop->triangles.count = 0;
	for ( int32_t i = 0; ok && i < 4 * tetCount; ++i )
	{
		const int32_t* tet = prop->tets.data + 4 * ( i / 4 );
		if ( IsSingle( keys, 4 * tetCount, FaceKey( tet, i % 4 ) ) )
		{
			for ( int k = 0; ok && k < 3; ++k )
			{
				ok = SUP_PUSH( &prop->triangles, tet[s_faces[i % 4][k]] );
			}
		}
	}
	supFree( keys );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// As a character

supTetMesh supProp_Tets( const supProp* prop )
{
	return ( supTetMesh ){ .pointCount = prop->points.count,
						   .points = prop->points.data,
						   .tetCount = prop->tets.count / 4,
						   .indices = prop->tets.data };
}

static void ComputeNormals( const supProp* prop, supVec3* normals )
{
	memset( normals, 0, (size_t)prop->points.count * sizeof( supVec3 ) );
	for ( int32_t i = 0; i < prop->triangles.count; i += 3 )
	{
		const int32_t* t = prop->triangles.data + i;
		supVec3 a = prop->points.data[t[0]];
		supVec3 n = supCross( supSub( prop->points.data[t[1]], a ), supSub( prop->points.data[t[2]], a ) );
		for ( int k = 0; k < 3; ++k )
		{
			normals[t[k]] = supAdd( normals[t[k]], n );
		}
	}
	for ( int32_t i = 0; i < prop->points.count; ++i )
	{
		// a point inside has none
		normals[i] =
			supLengthSquared( normals[i] ) > 0.0f ? supNormalize( normals[i] ) : supMakeVec3( 0.0f, 1.0f, 0.0f );
	}
}

supCharacter* supProp_CreateCharacter( const supProp* prop, const char* name, supError* error )
{
	supVec3* normals = supAllocArray( (size_t)prop->points.count, sizeof( supVec3 ) );
	uint32_t* indices = supAllocArray( (size_t)prop->triangles.count, sizeof( uint32_t ) );
	supCharacter* character = NULL;
	if ( normals == NULL || indices == NULL )
	{
		supSetMemoryError( error );
	}
	else
	{
		ComputeNormals( prop, normals );
		memcpy( indices, prop->triangles.data, (size_t)prop->triangles.count * sizeof( uint32_t ) );
		const supPrimitive primitive = { .vertexCount = prop->points.count,
										 .indexCount = prop->triangles.count,
										 .material = -1 };
		const supMesh mesh = { .name = name,
							   .vertexCount = prop->points.count,
							   .indexCount = prop->triangles.count,
							   .indices = indices,
							   .positions = prop->points.data,
							   .normals = normals,
							   .primitiveCount = 1,
							   .primitives = &primitive };
		const supNode node = { .name = name, .parent = -1, .rest = supTransform_identity };
		const supInstance instance = { .node = 0, .mesh = 0, .skin = -1 };
		supCharacterDef def = supDefaultCharacterDef();
		def.name = name;
		def.nodeCount = 1;
		def.nodes = &node;
		def.meshCount = 1;
		def.meshes = &mesh;
		def.instanceCount = 1;
		def.instances = &instance;
		character = supCreateCharacter( &def, error );
	}
	supFree( normals );
	supFree( indices );
	return character;
}
