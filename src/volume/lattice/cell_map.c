// SPDX-License-Identifier: MIT
#include "volume/lattice/cell_map.h"

#include "math/matrix.h"

// Inside of a cell that is not folded Newton's method needs at most five steps; the rest is for places outside.
#define STEPS 20

static void EvaluateTet( const double at[3], double values[8], double slopes[8][3] )
{
	static const double constant[4][3] = { { -1, -1, -1 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	values[0] = 1.0 - at[0] - at[1] - at[2];
	values[1] = at[0];
	values[2] = at[1];
	values[3] = at[2];
	memcpy( slopes, constant, sizeof( constant ) );
}

static void EvaluatePrism( const double at[3], double values[8], double slopes[8][3] )
{
	static const double flat[3][2] = { { -1, -1 }, { 1, 0 }, { 0, 1 } };
	const double triangle[3] = { 1.0 - at[0] - at[1], at[0], at[1] };
	for ( int32_t i = 0; i < 6; ++i )
	{
		double along = i < 3 ? 1.0 - at[2] : at[2];
		values[i] = triangle[i % 3] * along;
		slopes[i][0] = flat[i % 3][0] * along;
		slopes[i][1] = flat[i % 3][1] * along;
		slopes[i][2] = i < 3 ? -triangle[i % 3] : triangle[i % 3];
	}
}

static void EvaluateHex( const double at[3], double values[8], double slopes[8][3] )
{
	for ( int32_t i = 0; i < 8; ++i )
	{
		double part[3];
		const int8_t* place = supCellShapes[sup_cellHex].places[i];
		for ( int32_t k = 0; k < 3; ++k )
		{
			part[k] = place[k] == 1 ? at[k] : 1.0 - at[k];
		}
		values[i] = part[0] * part[1] * part[2];
		slopes[i][0] = ( place[0] == 1 ? 1.0 : -1.0 ) * part[1] * part[2];
		slopes[i][1] = ( place[1] == 1 ? 1.0 : -1.0 ) * part[0] * part[2];
		slopes[i][2] = ( place[2] == 1 ? 1.0 : -1.0 ) * part[0] * part[1];
	}
}

void supCellMap_Evaluate( supCellKind kind, const double at[3], double values[8], double slopes[8][3] )
{
	switch ( kind )
	{
		case sup_cellTet:
			EvaluateTet( at, values, slopes );
			break;
		case sup_cellPrism:
			EvaluatePrism( at, values, slopes );
			break;
		default:
			EvaluateHex( at, values, slopes );
			break;
	}
}

double supCellMap_Differentiate( const supControlLattice* lattice, int32_t cell, const double at[3], double place[3],
								 double jacobian[3][3] )
{
	double values[8], slopes[8][3], sum[3] = { 0 };
	supCellMap_Evaluate( lattice->kinds[cell], at, values, slopes );
	memset( jacobian, 0, 9 * sizeof( double ) );
	const int32_t* corners = lattice->corners + lattice->cornerStarts[cell];
	for ( int32_t i = 0; i < supCellShapes[lattice->kinds[cell]].cornerCount; ++i )
	{
		supVec3 v = lattice->vertices[corners[i]];
		const double p[3] = { v.x, v.y, v.z };
		for ( int32_t k = 0; k < 3; ++k )
		{
			sum[k] += values[i] * p[k];
			for ( int32_t axis = 0; axis < 3; ++axis )
			{
				jacobian[axis][k] += slopes[i][axis] * p[k];
			}
		}
	}
	if ( place != NULL )
	{
		memcpy( place, sum, sizeof( sum ) );
	}
	double cross[3];
	supCross3d( jacobian[1], jacobian[2], cross );
	return supDot3d( jacobian[0], cross );
}

bool supSolve3d( const double a[3][3], const double b[3], double x[3] )
{
	double c[3][3];
	supCross3d( a[1], a[2], c[0] );
	supCross3d( a[2], a[0], c[1] );
	supCross3d( a[0], a[1], c[2] );
	double det = supDot3d( a[0], c[0] );
	for ( int32_t i = 0; i < 3; ++i )
	{
		x[i] = supDot3d( c[i], b ) / det;
	}
	return det != 0.0 && x[0] - x[0] == 0.0 && x[1] - x[1] == 0.0 && x[2] - x[2] == 0.0;
}

bool supCellMap_Invert( const supControlLattice* lattice, int32_t cell, supVec3 p, double at[3] )
{
	supCellKind kind = lattice->kinds[cell];
	at[0] = at[1] = kind == sup_cellHex ? 0.5 : ( kind == sup_cellPrism ? 1.0 / 3.0 : 0.25 );
	at[2] = kind == sup_cellTet ? 0.25 : 0.5;
	for ( int32_t i = 0; i < STEPS; ++i )
	{
		double place[3], jacobian[3][3], step[3];
		supCellMap_Differentiate( lattice, cell, at, place, jacobian );
		const double miss[3] = { p.x - place[0], p.y - place[1], p.z - place[2] };
		if ( supSolve3d( (const double( * )[3])jacobian, miss, step ) == false )
		{
			return false;
		}
		double size = 0.0;
		for ( int32_t k = 0; k < 3; ++k )
		{
			at[k] += step[k];
			size = fabs( step[k] ) > size ? fabs( step[k] ) : size;
		}
		if ( kind == sup_cellTet || size < 1e-13 )
		{
			return true;
		}
		if ( size > 1e3 )
		{
			return false;
		}
	}
	return false;
}

double supCellMap_Outside( supCellKind kind, const double at[3] )
{
	double most = -at[0];
	for ( int32_t k = 0; k < 3; ++k )
	{
		most = -at[k] > most ? -at[k] : most;
	}
	double sum = kind == sup_cellTet ? at[0] + at[1] + at[2] : ( kind == sup_cellPrism ? at[0] + at[1] : at[0] );
	most = sum - 1.0 > most ? sum - 1.0 : most;
	if ( kind != sup_cellTet )
	{
		most = at[2] - 1.0 > most ? at[2] - 1.0 : most;
	}
	if ( kind == sup_cellHex )
	{
		most = at[1] - 1.0 > most ? at[1] - 1.0 : most;
	}
	return most;
}

// Onto { x >= 0, sum x <= 1 } of n coordinates: what is negative goes to 0, what is over is taken off all that is left.
static void ClampToSimplex( double* x, int32_t n )
{
	double over = -1.0;
	int32_t left = 0;
	for ( int32_t i = 0; i < n; ++i )
	{
		x[i] = x[i] > 0.0 ? x[i] : 0.0;
		over += x[i];
	}
	for ( int32_t round = 0; round < n && over > 0.0; ++round )
	{
		left = 0;
		for ( int32_t i = 0; i < n; ++i )
		{
			left += x[i] > 0.0;
		}
		double share = over / left;
		over = -1.0;
		for ( int32_t i = 0; i < n; ++i )
		{
			x[i] = x[i] > share ? x[i] - share : 0.0;
			over += x[i];
		}
	}
}

void supCellMap_Clamp( supCellKind kind, double at[3] )
{
	int32_t simplex = kind == sup_cellTet ? 3 : ( kind == sup_cellPrism ? 2 : 0 );
	ClampToSimplex( at, simplex );
	for ( int32_t k = simplex; k < 3; ++k )
	{
		at[k] = at[k] > 0.0 ? ( at[k] < 1.0 ? at[k] : 1.0 ) : 0.0;
	}
}
