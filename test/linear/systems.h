// SPDX-License-Identifier: MIT
// Systems like those of the methods, for tests and the benchmark: a layer of tetrahedra around a body with linear
// elasticity, and grids.
#pragma once

#include "linear/block_matrix.h"
#include "supple/math.h"

#include <math.h>
#include <stdlib.h>

typedef struct System
{
	int32_t nodeCount;
	supVec3* points;
	int32_t tetCount;
	int32_t* tets;
	supBlockMatrix matrix;
} System;

static inline void systemDestroy( System* system )
{
	free( system->points );
	free( system->tets );
	supBlockMatrix_Destroy( &system->matrix );
}

// ---------------------------------------------------------------------------------------------------------------------
// Bodies

static inline void systemAddTet( System* s, int32_t a, int32_t b, int32_t c, int32_t d )
{
	int32_t* tet = s->tets + 4 * s->tetCount++;
	tet[0] = a;
	tet[1] = b;
	tet[2] = c;
	tet[3] = d;
}

// The prism under a triangle of the outer side, cut along the diagonals that start at the smallest number.
static inline void systemAddPrism( System* s, int32_t a, int32_t b, int32_t c, int32_t inner )
{
	while ( a > b || a > c )
	{
		int32_t first = a;
		a = b;
		b = c;
		c = first;
	}
	systemAddTet( s, a, a + inner, b + inner, c + inner );
	if ( b < c )
	{
		systemAddTet( s, a, b, b + inner, c + inner );
		systemAddTet( s, a, b, c, c + inner );
	}
	else
	{
		systemAddTet( s, a, c, b + inner, c + inner );
		systemAddTet( s, a, c, b, b + inner );
	}
}

// A bent, waisted body of `rings` times `around` quads, closed by a pole at each end, with an outer and an inner side.
static inline void systemMakeSkin( System* s, int32_t rings, int32_t around )
{
	int32_t side = rings * around + 2;
	*s = ( System ){ .nodeCount = 2 * side };
	s->points = malloc( (size_t)s->nodeCount * sizeof( supVec3 ) );
	s->tets = malloc( (size_t)( 4 * 3 * 2 * rings * around ) * sizeof( int32_t ) );
	if ( s->points == NULL || s->tets == NULL )
	{
		abort();
	}
	double length = 2.0, radius = length * around / ( 6.2831853 * rings );
	for ( int32_t i = 0; i < side; ++i )
	{
		int32_t ring = i / around, spoke = i % around;
		bool pole = i >= rings * around;
		double t = pole ? ( i == side - 1 ? 1.0 : 0.0 ) : ( ring + 0.5 ) / rings;
		double angle = 6.2831853 * ( spoke + 0.37 * ring ) / around;
		double bulge = sqrt( fmax( 1.0 - pow( fabs( 2.0 * t - 1.0 ), 6.0 ), 0.0 ) ) * ( 1.0 + 0.25 * cos( 9.0 * t ) );
		for ( int layer = 0; layer < 2; ++layer )
		{
			double r = pole ? 0.0 : radius * bulge * ( layer == 0 ? 1.0 : 0.9 );
			double x = ( t - 0.5 ) * length * ( layer == 1 && pole ? 0.98 : 1.0 );
			s->points[i + layer * side] =
				supMakeVec3( (float)x, (float)( r * cos( angle ) + 0.3 * x * x ), (float)( r * sin( angle ) ) );
		}
	}
	for ( int32_t ring = 0; ring + 1 < rings; ++ring )
	{
		for ( int32_t k = 0; k < around; ++k )
		{
			int32_t a = ring * around + k, b = ring * around + ( k + 1 ) % around;
			systemAddPrism( s, a, b, b + around, side );
			systemAddPrism( s, a, b + around, a + around, side );
		}
	}
	for ( int32_t k = 0; k < around; ++k )
	{
		systemAddPrism( s, side - 2, ( k + 1 ) % around, k, side );
		int32_t last = ( rings - 1 ) * around;
		systemAddPrism( s, side - 1, last + k, last + ( k + 1 ) % around, side );
	}
}

// A block of nx * ny * nz cubes, six tetrahedra each.
static inline void systemMakeBlock( System* s, int32_t nx, int32_t ny, int32_t nz )
{
	*s = ( System ){ .nodeCount = ( nx + 1 ) * ( ny + 1 ) * ( nz + 1 ) };
	s->points = malloc( (size_t)s->nodeCount * sizeof( supVec3 ) );
	s->tets = malloc( (size_t)( 24 * nx * ny * nz ) * sizeof( int32_t ) );
	if ( s->points == NULL || s->tets == NULL )
	{
		abort();
	}
	int32_t strides[3] = { 1, nx + 1, ( nx + 1 ) * ( ny + 1 ) };
	for ( int32_t i = 0; i < s->nodeCount; ++i )
	{
		s->points[i] = supMakeVec3( 0.1f * (float)( i % strides[1] ), 0.1f * (float)( i / strides[1] % ( ny + 1 ) ),
									0.1f * (float)( i / strides[2] ) );
	}
	static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	for ( int32_t z = 0; z < nz; ++z )
	{
		for ( int32_t y = 0; y < ny; ++y )
		{
			for ( int32_t x = 0; x < nx; ++x )
			{
				for ( int k = 0; k < 6; ++k )
				{
					int32_t a = x + y * strides[1] + z * strides[2];
					int32_t b = a + strides[orders[k][0]];
					int32_t c = b + strides[orders[k][1]];
					systemAddTet( s, a, b, c, c + strides[orders[k][2]] );
				}
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Matrices

// Gradients of the four linear functions of a tet, and its volume.
static inline double systemGradients( const System* s, int32_t tet, double g[4][3] )
{
	double e[3][3];
	const int32_t* t = s->tets + 4 * tet;
	for ( int k = 0; k < 3; ++k )
	{
		supVec3 d = supSub( s->points[t[k + 1]], s->points[t[0]] );
		e[k][0] = d.x;
		e[k][1] = d.y;
		e[k][2] = d.z;
	}
	double det = 0.0;
	for ( int k = 0; k < 3; ++k )
	{
		const double *a = e[( k + 1 ) % 3], *b = e[( k + 2 ) % 3];
		for ( int i = 0; i < 3; ++i )
		{
			g[k + 1][i] = a[( i + 1 ) % 3] * b[( i + 2 ) % 3] - a[( i + 2 ) % 3] * b[( i + 1 ) % 3];
		}
		det = e[k][0] * g[k + 1][0] + e[k][1] * g[k + 1][1] + e[k][2] * g[k + 1][2];
	}
	for ( int i = 0; i < 3; ++i )
	{
		for ( int k = 1; k < 4; ++k )
		{
			g[k][i] /= det;
		}
		g[0][i] = -g[1][i] - g[2][i] - g[3][i];
	}
	return fabs( det ) / 6.0;
}

// Element matrices of M + h^2 K: lumped mass, linear elasticity with shear modulus `shear` and Lame's `lambda`.
// `nodeSize` 3, or 1 for the scalar matrix that leaves lambda and the coupling of x, y and z out. Free with free().
static inline double* systemElementMatrices( const System* s, int32_t nodeSize, double shear, double lambda, double h )
{
	int32_t size = nodeSize * nodeSize;
	double* matrices = calloc( (size_t)s->tetCount * 16 * (size_t)size, sizeof( double ) );
	if ( matrices == NULL )
	{
		abort();
	}
	for ( int32_t tet = 0; tet < s->tetCount; ++tet )
	{
		double g[4][3];
		double volume = systemGradients( s, tet, g ), k = h * h * volume;
		for ( int ab = 0; ab < 16; ++ab )
		{
			const double *ga = g[ab / 4], *gb = g[ab % 4];
			double* block = matrices + ( (size_t)tet * 16 + (size_t)ab ) * (size_t)size;
			double dot = ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2];
			for ( int i = 0; i < nodeSize; ++i )
			{
				for ( int j = 0; j < nodeSize && nodeSize == 3; ++j )
				{
					block[j * 3 + i] = k * ( lambda * ga[i] * gb[j] + shear * ga[j] * gb[i] );
				}
				block[i * nodeSize + i] += k * shear * dot + ( ab / 4 == ab % 4 ? 1000.0 * volume / 4.0 : 0.0 );
			}
		}
	}
	return matrices;
}

static inline bool systemMakeMatrix( System* s, int32_t nodeSize, double shear, double lambda, double h )
{
	supElements elements = { s->tetCount, 4, NULL, s->tets };
	supAssembly assembly = { 0 };
	bool ok = supBlockMatrix_Create( &s->matrix, s->nodeCount, nodeSize, NULL, &elements, NULL ) &&
			  supAssembly_Create( &assembly, &s->matrix, &elements, NULL );
	if ( ok )
	{
		double* matrices = systemElementMatrices( s, nodeSize, shear, lambda, h );
		supBlockMatrix_AddElements( &s->matrix, &assembly, matrices, NULL );
		free( matrices );
	}
	supAssembly_Destroy( &assembly );
	return ok;
}
