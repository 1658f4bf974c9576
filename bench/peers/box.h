// SPDX-License-Identifier: MIT
// The soft box that peers are given which know no tetrahedra: points on the surface of a box around a bone, which turns
// to and fro about z. C and C++.
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// points along an edge, and its metres
#define BOX_POINTS 10
#define BOX_SIZE 0.4
#define BOX_STEP ( 1.0 / 240.0 )
#define BOX_STEPS 960
// steps before anything is measured
#define BOX_WARM_UP 240
// of a point alone: swings a second, and damping ratio
#define BOX_FREQUENCY 4.0
#define BOX_DAMPING 0.25
// kg
#define BOX_MASS 10.0
#define BOX_PI 3.14159265358979323846

#define BOX_MOST_POINTS ( BOX_POINTS * BOX_POINTS * BOX_POINTS )
#define BOX_MOST_TRIANGLES ( 12 * ( BOX_POINTS - 1 ) * ( BOX_POINTS - 1 ) )

typedef struct Box
{
	int pointCount, triangleCount, edgeCount;
	int grid[BOX_MOST_POINTS][3];
	double rest[BOX_MOST_POINTS][3];
	int triangles[BOX_MOST_TRIANGLES][3];
	int edges[BOX_MOST_TRIANGLES * 3 / 2][2];
} Box;

// What a step left: over all steps that were measured.
typedef struct BoxSums
{
	double seconds;
	double volumeError;
	double edgeError;
	double moved;
	int steps;
} BoxSums;

// Of a point of the grid, -1 inside.
static inline int boxFind( const Box* box, const int at[3] )
{
	for ( int i = 0; i < box->pointCount; ++i )
	{
		if ( memcmp( box->grid[i], at, 3 * sizeof( int ) ) == 0 )
		{
			return i;
		}
	}
	return -1;
}

static inline void boxAddTriangle( Box* box, int a, int b, int c )
{
	const int corners[3] = { a, b, c };
	memcpy( box->triangles[box->triangleCount++], corners, sizeof( corners ) );
	for ( int k = 0; k < 3; ++k )
	{
		// closed: each edge comes once in each direction
		int from = corners[k], to = corners[( k + 1 ) % 3];
		if ( from < to )
		{
			box->edges[box->edgeCount][0] = from;
			box->edges[box->edgeCount++][1] = to;
		}
	}
}

// A side of the box: at 0 or at the end of an axis.
static inline void boxAddSide( Box* box, int axis, int end )
{
	int u = ( axis + 1 ) % 3, v = ( axis + 2 ) % 3;
	for ( int i = 0; i + 1 < BOX_POINTS; ++i )
	{
		for ( int k = 0; k + 1 < BOX_POINTS; ++k )
		{
			int corners[4];
			for ( int c = 0; c < 4; ++c )
			{
				int at[3];
				at[axis] = end ? BOX_POINTS - 1 : 0;
				at[u] = i + ( c == 1 || c == 2 );
				at[v] = k + ( c >= 2 );
				corners[c] = boxFind( box, at );
			}
			boxAddTriangle( box, corners[0], corners[end ? 1 : 2], corners[end ? 2 : 1] );
			boxAddTriangle( box, corners[0], corners[end ? 2 : 3], corners[end ? 3 : 2] );
		}
	}
}

static inline Box* boxMake( void )
{
	Box* box = (Box*)calloc( 1, sizeof( Box ) );
	for ( int i = 0; i < BOX_MOST_POINTS; ++i )
	{
		int at[3] = { i / ( BOX_POINTS * BOX_POINTS ), i / BOX_POINTS % BOX_POINTS, i % BOX_POINTS };
		int outside = 0;
		for ( int c = 0; c < 3; ++c )
		{
			outside = outside || at[c] == 0 || at[c] == BOX_POINTS - 1;
		}
		for ( int c = 0; outside && c < 3; ++c )
		{
			box->grid[box->pointCount][c] = at[c];
			box->rest[box->pointCount][c] = BOX_SIZE * ( at[c] / ( BOX_POINTS - 1.0 ) - 0.5 );
		}
		box->pointCount += outside;
	}
	for ( int side = 0; side < 6; ++side )
	{
		boxAddSide( box, side / 2, side % 2 );
	}
	return box;
}

// radians by which the bone is turned after so many steps, and the first two derivatives
#define BOX_SWING ( 2.0 * BOX_PI * 2.0 )
#define BOX_ANGLE 0.3

static inline double boxAngle( int step )
{
	return BOX_ANGLE * sin( BOX_SWING * step * BOX_STEP );
}

static inline double boxSpin( int step )
{
	return BOX_ANGLE * BOX_SWING * cos( BOX_SWING * step * BOX_STEP );
}

static inline double boxSpinChange( int step )
{
	return -BOX_SWING * BOX_SWING * boxAngle( step );
}

// m/s2, along y
#define BOX_GRAVITY ( -9.81 )

static inline double boxVolume( const Box* box, double p[][3] )
{
	double sum = 0.0;
	for ( int i = 0; i < box->triangleCount; ++i )
	{
		const double *a = p[box->triangles[i][0]], *b = p[box->triangles[i][1]], *c = p[box->triangles[i][2]];
		sum += a[0] * ( b[1] * c[2] - b[2] * c[1] ) + a[1] * ( b[2] * c[0] - b[0] * c[2] ) +
			   a[2] * ( b[0] * c[1] - b[1] * c[0] );
	}
	return sum / 6.0;
}

static inline double boxDistance( const double* a, const double* b )
{
	double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
	return sqrt( x * x + y * y + z * z );
}

// - angle: by which the bone is turned
static inline void boxMeasure( Box* box, double p[][3], double angle, double seconds, BoxSums* sums )
{
	double edges = 0.0, moved = 0.0, c = cos( angle ), s = sin( angle );
	for ( int i = 0; i < box->edgeCount; ++i )
	{
		const int* edge = box->edges[i];
		double rest = boxDistance( box->rest[edge[0]], box->rest[edge[1]] );
		double error = boxDistance( p[edge[0]], p[edge[1]] ) / rest - 1.0;
		edges += error * error;
	}
	for ( int i = 0; i < box->pointCount; ++i )
	{
		double turned[3] = { c * box->rest[i][0] - s * box->rest[i][1], s * box->rest[i][0] + c * box->rest[i][1],
							 box->rest[i][2] };
		double way = boxDistance( p[i], turned );
		moved += way * way;
	}
	sums->seconds += seconds;
	sums->volumeError += fabs( boxVolume( box, p ) / boxVolume( box, box->rest ) - 1.0 );
	sums->edgeError += sqrt( edges / box->edgeCount );
	sums->moved += sqrt( moved / box->pointCount );
	++sums->steps;
}

static inline void boxPrint( const char* peer, const BoxSums* sums )
{
	double n = sums->steps;
	printf( "%-28s %9.3f ms %9.3f %% %9.2f %% %9.1f mm\n", peer, 1e3 * sums->seconds / n, 100.0 * sums->volumeError / n,
			100.0 * sums->edgeError / n, 1e3 * sums->moved / n );
}
