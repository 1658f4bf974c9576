// SPDX-License-Identifier: MIT
// Values and gradients of the functions.
#include "volume/lattice/cell_basis.h"

#include "math/matrix.h"
#include "volume/lattice/cell_basis_internal.h"
#include "volume/lattice/cell_map.h"

#define NEWTON_STEPS 8

supCellBasisDef supDefaultCellBasisDef( void )
{
	return ( supCellBasisDef ){ 0 };
}

void supCellBasis_Destroy( supCellBasis* basis )
{
	supArena_Destroy( &basis->arena );
	*basis = ( supCellBasis ){ 0 };
}

// The hexahedron of level 1 that a place of the reference cell lies in: the corner it stands at.
static int32_t FindCorner( supCellKind kind, const double at[3] )
{
	double values[8], slopes[8][3];
	supCellMap_Evaluate( kind, at, values, slopes );
	int32_t best = 0;
	if ( kind == sup_cellTet )
	{
		for ( int32_t i = 1; i < 4; ++i )
		{
			best = values[i] > values[best] ? i : best;
		}
		return best;
	}
	if ( kind == sup_cellPrism )
	{
		const double triangle[3] = { 1.0 - at[0] - at[1], at[0], at[1] };
		for ( int32_t i = 1; i < 3; ++i )
		{
			best = triangle[i] > triangle[best] ? i : best;
		}
		return at[2] > 0.5 ? best + 3 : best;
	}
	for ( int32_t i = 0; i < 8; ++i )
	{
		const int8_t* place = supCellShapes[sup_cellHex].places[i];
		bool here = true;
		for ( int32_t k = 0; k < 3; ++k )
		{
			here = here && ( at[k] > 0.5 ) == ( place[k] == 1 );
		}
		best = here ? i : best;
	}
	return best;
}

void supEvaluateHexahedron( const double at[3], double values[8], double slopes[8][3] )
{
	for ( int32_t i = 0; i < 8; ++i )
	{
		double part[3], sign[3];
		for ( int32_t k = 0; k < 3; ++k )
		{
			bool far = ( i >> k & 1 ) != 0;
			part[k] = far ? at[k] : 1.0 - at[k];
			sign[k] = far ? 1.0 : -1.0;
		}
		values[i] = part[0] * part[1] * part[2];
		slopes[i][0] = sign[0] * part[1] * part[2];
		slopes[i][1] = sign[1] * part[0] * part[2];
		slopes[i][2] = sign[2] * part[0] * part[1];
	}
}

// Where the trilinear map of eight points is, and its columns.
static void MapHexahedron( const double points[8][3], const double at[3], double place[3], double columns[3][3] )
{
	double values[8], slopes[8][3];
	supEvaluateHexahedron( at, values, slopes );
	memset( place, 0, 3 * sizeof( double ) );
	memset( columns, 0, 9 * sizeof( double ) );
	for ( int32_t i = 0; i < 8; ++i )
	{
		for ( int32_t k = 0; k < 3; ++k )
		{
			place[k] += values[i] * points[i][k];
			for ( int32_t axis = 0; axis < 3; ++axis )
			{
				columns[axis][k] += slopes[i][axis] * points[i][k];
			}
		}
	}
}

// The coordinates of a place in a hexahedron that holds it, and the map's columns there. Newton's method from the
// middle: the hexahedra of the reference cells are convex and not far from boxes, so it needs no more than five steps.
static void InvertHexahedron( const double points[8][3], const double place[3], double at[3], double columns[3][3] )
{
	at[0] = at[1] = at[2] = 0.5;
	for ( int32_t i = 0; i < NEWTON_STEPS; ++i )
	{
		double here[3], step[3];
		MapHexahedron( points, at, here, columns );
		const double miss[3] = { place[0] - here[0], place[1] - here[1], place[2] - here[2] };
		if ( supSolve3d( (const double( * )[3])columns, miss, step ) == false )
		{
			return;
		}
		double size = 0.0;
		for ( int32_t k = 0; k < 3; ++k )
		{
			at[k] += step[k];
			size = fabs( step[k] ) > size ? fabs( step[k] ) : size;
		}
		if ( size < 1e-14 )
		{
			return;
		}
	}
}

// Slopes by reference coordinates become gradients: the inverse transpose of the columns.
typedef struct Turn
{
	double rows[3][3];
} Turn;

static Turn InvertColumns( const double c[3][3] )
{
	Turn turn;
	supCross3d( c[1], c[2], turn.rows[0] );
	supCross3d( c[2], c[0], turn.rows[1] );
	supCross3d( c[0], c[1], turn.rows[2] );
	double det = supDot3d( c[0], turn.rows[0] );
	for ( int32_t i = 0; i < 9; ++i )
	{
		turn.rows[i / 3][i % 3] /= det;
	}
	return turn;
}

static void AddFunction( supCellSample* sample, int32_t function, double value, const double slopes[3], double factor,
						 const Turn* turn )
{
	int32_t k = sample->count++;
	for ( ; k > 0 && sample->functions[k - 1] > function; --k )
	{
		sample->functions[k] = sample->functions[k - 1];
		sample->values[k] = sample->values[k - 1];
		memcpy( sample->gradients[k], sample->gradients[k - 1], sizeof( sample->gradients[k] ) );
	}
	sample->functions[k] = function;
	sample->values[k] = value;
	for ( int32_t i = 0; i < 3; ++i )
	{
		sample->gradients[k][i] =
			factor * ( turn->rows[0][i] * slopes[0] + turn->rows[1][i] * slopes[1] + turn->rows[2][i] * slopes[2] );
	}
}

// Columns of the map of a hexahedron of level 1 into the cell.
static void Chain( const double outer[3][3], const double inner[3][3], double columns[3][3] )
{
	for ( int32_t axis = 0; axis < 3; ++axis )
	{
		for ( int32_t k = 0; k < 3; ++k )
		{
			columns[axis][k] =
				outer[0][k] * inner[axis][0] + outer[1][k] * inner[axis][1] + outer[2][k] * inner[axis][2];
		}
	}
}

// The hexahedron of the next level that a place lies in, whose coordinates become those in it.
static int64_t Descend( int64_t hex, double u[3] )
{
	hex *= 8;
	for ( int32_t k = 0; k < 3; ++k )
	{
		int32_t far = u[k] >= 0.5;
		hex += far << k;
		u[k] = 2.0 * u[k] - far;
	}
	return hex;
}

void supCellBasis_Evaluate( const supCellBasis* basis, int32_t cell, const double at[3], int32_t level,
							supCellSample* sample )
{
	const supControlLattice* lattice = basis->lattice;
	SUP_ASSERT( 0 <= cell && cell < lattice->cellCount && 0 <= level && level <= basis->level );
	supCellKind kind = lattice->kinds[cell];
	double values[8], slopes[8][3], outer[3][3];
	supCellMap_Evaluate( kind, at, values, slopes );
	supCellMap_Differentiate( lattice, cell, at, NULL, outer );
	Turn turn = InvertColumns( (const double( * )[3])outer );
	sample->count = 0;
	for ( int32_t i = 0; i < supCellShapes[kind].cornerCount; ++i )
	{
		AddFunction( sample, lattice->corners[lattice->cornerStarts[cell] + i], values[i], slopes[i], 1.0, &turn );
	}
	if ( level == 0 )
	{
		return;
	}
	int32_t corner = FindCorner( kind, at );
	double inner[3][3], columns[3][3], u[3], factor = 1.0;
	InvertHexahedron( basis->references[kind][corner], at, u, inner );
	Chain( (const double( * )[3])outer, (const double( * )[3])inner, columns );
	turn = InvertColumns( (const double( * )[3])columns );
	int64_t hex = lattice->cornerStarts[cell] + corner;
	for ( int32_t l = 1; l <= level; ++l )
	{
		supEvaluateHexahedron( u, values, slopes );
		for ( int32_t i = 0; i < 8; ++i )
		{
			int32_t f = basis->nodeFunctions[basis->hexes[l][8 * hex + i]];
			if ( f >= basis->levelStarts[l] )
			{
				AddFunction( sample, f, values[i], slopes[i], factor, &turn );
			}
		}
		hex = Descend( hex, u );
		factor *= 2.0;
	}
}

int64_t supCellBasis_FindHex( const supCellBasis* basis, int32_t cell, const double at[3], double u[3] )
{
	supCellKind kind = basis->lattice->kinds[cell];
	int32_t corner = FindCorner( kind, at );
	double columns[3][3];
	InvertHexahedron( basis->references[kind][corner], at, u, columns );
	int64_t hex = basis->lattice->cornerStarts[cell] + corner;
	for ( int32_t l = 1; l < basis->level; ++l )
	{
		hex = Descend( hex, u );
	}
	return hex;
}

// ---------------------------------------------------------------------------------------------------------------------
// Nodes

void supCellBasis_ToNodes( const supCellBasis* basis, const supVec4* coefficients, supVec4* nodes )
{
	for ( int32_t i = 0; i < basis->nodeCount; ++i )
	{
		int32_t f = basis->nodeFunctions[i], begin = basis->parentStarts[i], end = basis->parentStarts[i + 1];
		supVec3 sum = supVec3_zero;
		for ( int32_t k = begin; k < end; ++k )
		{
			supVec4 parent = nodes[basis->parents[k]];
			sum = supAdd( sum, supMakeVec3( parent.x, parent.y, parent.z ) );
		}
		sum = end > begin ? supScale( 1.0f / (float)( end - begin ), sum ) : sum;
		if ( f >= 0 )
		{
			sum = supAdd( sum, supMakeVec3( coefficients[f].x, coefficients[f].y, coefficients[f].z ) );
		}
		nodes[i] = ( supVec4 ){ sum.x, sum.y, sum.z, 0.0f };
	}
}
