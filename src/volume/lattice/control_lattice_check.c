// SPDX-License-Identifier: MIT
// What can be wrong with a lattice that someone made by hand, told with the cell and the face.
#include "core/sort.h"
#include "volume/lattice/cell_map.h"
#include "volume/lattice/control_lattice_internal.h"

#include <stdio.h>

// How often a hex is halved before it counts as folded.
#define MOST_DEPTH 5

// A vertex so near to a face, in sizes of the face, lies in it.
#define TOUCHES 1e-5

// Flat: less volume than this part of its size cubed.
#define FLAT 1e-6

const char* supDescribeCell( const supControlLattice* lattice, int32_t cell, char text[128] )
{
	const supCellShape* shape = supCellShapes + lattice->kinds[cell];
	int length = snprintf( text, 128, "cell %d (%s of vertices", cell, shape->name );
	for ( int32_t i = 0; i < shape->cornerCount; ++i )
	{
		length += snprintf( text + length, (size_t)( 128 - length ), " %d",
							lattice->corners[lattice->cornerStarts[cell] + i] );
	}
	snprintf( text + length, (size_t)( 128 - length ), ")" );
	return text;
}

const char* supDescribeFace( const supControlLattice* lattice, int32_t cell, int32_t face, char text[128] )
{
	const int8_t* local = supCellShapes[lattice->kinds[cell]].faces[face];
	int length = snprintf( text, 128, "face %d (vertices", face );
	for ( int32_t i = 0; i < 4 && local[i] >= 0; ++i )
	{
		length += snprintf( text + length, (size_t)( 128 - length ), " %d",
							lattice->corners[lattice->cornerStarts[cell] + local[i]] );
	}
	snprintf( text + length, (size_t)( 128 - length ), ")" );
	return text;
}

// ---------------------------------------------------------------------------------------------------------------------
// One cell

// The determinant of a tet is constant.
static bool IsTetRight( const supControlLattice* lattice, int32_t cell, double least, double worst[3] )
{
	double jacobian[3][3];
	worst[0] = worst[1] = worst[2] = 0.25;
	return supCellMap_Differentiate( lattice, cell, worst, NULL, jacobian ) > least;
}

// That of a prism is linear over the triangle and a parabola along the third axis, with the values v0 and v1 at its
// ends and the middle Bernstein coefficient b: above 0 where both ends are and b > -sqrt( v0 v1 ).
static bool IsPrismRight( const supControlLattice* lattice, int32_t cell, double least, double worst[3] )
{
	static const double corners[3][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
	for ( int32_t i = 0; i < 3; ++i )
	{
		double v[3], jacobian[3][3];
		for ( int32_t k = 0; k < 3; ++k )
		{
			worst[0] = corners[i][0];
			worst[1] = corners[i][1];
			worst[2] = 0.5 * k;
			v[k] = supCellMap_Differentiate( lattice, cell, worst, NULL, jacobian ) - least;
			if ( k != 1 && !( v[k] > 0.0 ) )
			{
				return false;
			}
		}
		double b = 2.0 * v[1] - 0.5 * ( v[0] + v[2] );
		if ( !( b > -sqrt( v[0] * v[2] ) ) )
		{
			worst[2] = 0.5;
			return false;
		}
	}
	return true;
}

// That of a hex has degree two along each axis. Where all 27 Bernstein coefficients over a box are above 0 so is the
// determinant in it; where one of its values is not, it is found; elsewhere the box is cut into eight.
static bool IsHexRight( const supControlLattice* lattice, int32_t cell, double least, const double lower[3],
						double size, int32_t depth, double worst[3] )
{
	double v[27], jacobian[3][3];
	for ( int32_t i = 0; i < 27; ++i )
	{
		const int32_t digits[3] = { i % 3, i / 3 % 3, i / 9 };
		double at[3];
		for ( int32_t k = 0; k < 3; ++k )
		{
			at[k] = lower[k] + 0.5 * size * digits[k];
		}
		v[i] = supCellMap_Differentiate( lattice, cell, at, NULL, jacobian ) - least;
		if ( !( v[i] > 0.0 ) )
		{
			memcpy( worst, at, sizeof( at ) );
			return false;
		}
	}
	bool positive = true;
	for ( int32_t stride = 1; stride <= 9; stride *= 3 )
	{
		for ( int32_t i = 0; i < 27; ++i )
		{
			if ( i / stride % 3 == 1 )
			{
				v[i] = 2.0 * v[i] - 0.5 * ( v[i - stride] + v[i + stride] );
			}
		}
	}
	for ( int32_t i = 0; i < 27; ++i )
	{
		positive = positive && v[i] > 0.0;
	}
	for ( int32_t i = 0; i < 8 && positive == false; ++i )
	{
		const double from[3] = { lower[0] + ( i & 1 ) * 0.5 * size, lower[1] + ( i >> 1 & 1 ) * 0.5 * size,
								 lower[2] + ( i >> 2 ) * 0.5 * size };
		memcpy( worst, from, sizeof( from ) );
		if ( depth == MOST_DEPTH || IsHexRight( lattice, cell, least, from, 0.5 * size, depth + 1, worst ) == false )
		{
			return false;
		}
	}
	return true;
}

// The face of the reference cell that is nearest to a place in it.
static int32_t NearestFace( supCellKind kind, const double at[3] )
{
	const supCellShape* shape = supCellShapes + kind;
	int32_t best = 0;
	double nearest = 1e9;
	for ( int32_t f = 0; f < shape->faceCount; ++f )
	{
		double middle[3] = { 0 }, distance = 0.0;
		int32_t count = shape->faces[f][3] < 0 ? 3 : 4;
		for ( int32_t i = 0; i < count; ++i )
		{
			for ( int32_t k = 0; k < 3; ++k )
			{
				middle[k] += (double)shape->places[shape->faces[f][i]][k] / count;
			}
		}
		for ( int32_t k = 0; k < 3; ++k )
		{
			distance += ( middle[k] - at[k] ) * ( middle[k] - at[k] );
		}
		if ( distance < nearest )
		{
			nearest = distance;
			best = f;
		}
	}
	return best;
}

static double CellSize( const supControlLattice* lattice, int32_t cell )
{
	double longest = 0.0;
	for ( int32_t i = lattice->cornerStarts[cell]; i < lattice->cornerStarts[cell + 1]; ++i )
	{
		for ( int32_t k = lattice->cornerStarts[cell]; k < i; ++k )
		{
			double d = supDistance( lattice->vertices[lattice->corners[i]], lattice->vertices[lattice->corners[k]] );
			longest = d > longest ? d : longest;
		}
	}
	return longest;
}

bool supControlLattice_CheckCells( const supControlLattice* lattice, const char* name, supError* error )
{
	for ( int32_t cell = 0; cell < lattice->cellCount; ++cell )
	{
		double size = CellSize( lattice, cell ), least = FLAT * size * size * size, worst[3] = { 0 };
		supCellKind kind = lattice->kinds[cell];
		bool right = kind == sup_cellTet     ? IsTetRight( lattice, cell, least, worst )
					 : kind == sup_cellPrism ? IsPrismRight( lattice, cell, least, worst )
											 : IsHexRight( lattice, cell, least, ( double[3] ){ 0 }, 1.0, 0, worst );
		if ( right == false )
		{
			char a[128], b[128];
			double jacobian[3][3];
			double det = supCellMap_Differentiate( lattice, cell, worst, NULL, jacobian );
			return supSetError(
				error, sup_errorArgument, name,
				"%s is %s near %s; corners must go counter-clockwise around the bottom seen from above, then "
				"likewise around the top",
				supDescribeCell( lattice, cell, a ), det < -least ? "inside out" : "flat",
				supDescribeFace( lattice, cell, NearestFace( kind, worst ), b ) );
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// All cells

static bool IsCorner( const supControlLattice* lattice, int32_t cell, int32_t vertex )
{
	for ( int32_t k = lattice->cornerStarts[cell]; k < lattice->cornerStarts[cell + 1]; ++k )
	{
		if ( lattice->corners[k] == vertex )
		{
			return true;
		}
	}
	return false;
}

static supBox CellBox( const supControlLattice* lattice, int32_t cell )
{
	supBox box = supBox_empty;
	for ( int32_t k = lattice->cornerStarts[cell]; k < lattice->cornerStarts[cell + 1]; ++k )
	{
		box = supBox_Include( box, lattice->vertices[lattice->corners[k]] );
	}
	return box;
}

// In the cell or on its border; `face` is the one that it lies in, -1 where it is deeper inside.
static bool Holds( const supControlLattice* lattice, int32_t cell, supVec3 p, int32_t* face )
{
	double at[3];
	supCellKind kind = lattice->kinds[cell];
	if ( supCellMap_Invert( lattice, cell, p, at ) == false )
	{
		return false;
	}
	double outside = supCellMap_Outside( kind, at );
	*face = outside > -TOUCHES ? NearestFace( kind, at ) : -1;
	return outside <= TOUCHES;
}

static bool Complain( const supControlLattice* lattice, int32_t cell, int32_t face, const char* what, const char* name,
					  supError* error )
{
	char a[128], b[128];
	supDescribeCell( lattice, cell, a );
	if ( face < 0 )
	{
		return supSetError( error, sup_errorArgument, name, "%s is inside %s; cells must not overlap", what, a );
	}
	return supSetError( error, sup_errorArgument, name,
						"%s is in %s of %s without being a corner of it; cells must share whole faces", what,
						supDescribeFace( lattice, cell, face, b ), a );
}

// Vertices, and behind them the middles of cells, which find cells that lie in each other without a vertex in common;
// with keys that sort them by x.
typedef struct Places
{
	int32_t vertexCount;
	int32_t count;
	uint64_t* keys;
	supVec3* points;
} Places;

static supVec3 MiddleOf( const supControlLattice* lattice, int32_t cell )
{
	const double third = 1.0 / 3.0, at[3][3] = { { 0.25, 0.25, 0.25 }, { third, third, 0.5 }, { 0.5, 0.5, 0.5 } };
	double place[3], jacobian[3][3];
	supCellMap_Differentiate( lattice, cell, at[lattice->kinds[cell]], place, jacobian );
	return supMakeVec3( (float)place[0], (float)place[1], (float)place[2] );
}

static void SortPlaces( const supControlLattice* lattice, Places* places )
{
	for ( int32_t i = 0; i < places->count; ++i )
	{
		int32_t cell = i - places->vertexCount;
		supVec3 p = cell < 0 ? lattice->vertices[i] : MiddleOf( lattice, cell );
		places->points[i] = p;
		// floats sort like whole numbers once negative ones are turned around
		uint32_t bits;
		memcpy( &bits, &p.x, 4 );
		bits = bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
		places->keys[i] = (uint64_t)bits << 32 | (uint32_t)i;
	}
	supSortKeys( places->keys, places->keys + places->count, (size_t)places->count, 64 );
}

// The first whose x is not below.
static int32_t FindFirst( const Places* places, float x )
{
	int32_t low = 0, high = places->count;
	while ( low < high )
	{
		int32_t middle = ( low + high ) / 2;
		bool before = places->points[(uint32_t)places->keys[middle]].x < x;
		low = before ? middle + 1 : low;
		high = before ? high : middle;
	}
	return low;
}

// Nothing that is not the cell's own lies in it.
static bool CheckCell( const supControlLattice* lattice, int32_t cell, const Places* places, const char* name,
					   supError* error )
{
	supBox box = CellBox( lattice, cell );
	for ( int32_t k = FindFirst( places, box.lower.x ); k < places->count; ++k )
	{
		int32_t i = (int32_t)(uint32_t)places->keys[k], face = -1, other = i - places->vertexCount;
		supVec3 p = places->points[i];
		if ( p.x > box.upper.x )
		{
			return true;
		}
		bool own = other < 0 ? IsCorner( lattice, cell, i ) : other == cell;
		if ( own || p.y < box.lower.y || p.y > box.upper.y || p.z < box.lower.z || p.z > box.upper.z ||
			 Holds( lattice, cell, p, &face ) == false )
		{
			continue;
		}
		char what[160], text[128];
		if ( other < 0 )
		{
			snprintf( what, sizeof( what ), "vertex %d", i );
		}
		else
		{
			snprintf( what, sizeof( what ), "the middle of %s", supDescribeCell( lattice, other, text ) );
		}
		return Complain( lattice, cell, face, what, name, error );
	}
	return true;
}

bool supControlLattice_CheckOverlaps( const supControlLattice* lattice, const char* name, supError* error )
{
	int32_t count = lattice->vertexCount + lattice->cellCount;
	Places places = { .vertexCount = lattice->vertexCount,
					  .count = count,
					  .keys = supAllocArray( 2 * (size_t)count, sizeof( uint64_t ) ),
					  .points = supAllocArray( (size_t)count, sizeof( supVec3 ) ) };
	bool ok = places.keys != NULL && places.points != NULL ? true : supSetMemoryError( error );
	if ( ok )
	{
		SortPlaces( lattice, &places );
	}
	for ( int32_t cell = 0; cell < lattice->cellCount && ok; ++cell )
	{
		ok = CheckCell( lattice, cell, &places, name, error );
	}
	supFree( places.keys );
	supFree( places.points );
	return ok;
}
