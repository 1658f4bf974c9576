// SPDX-License-Identifier: MIT
// The work that peers are given, as a file: numbers of four bytes, in the order of these fields. C and C++.
//
//     int32   points, edges, tets, frames
//     float   rest positions        3 * points
//     int32   1 where led along     points
//     int32   edges                 2 * edges
//     int32   tets                  4 * tets, positive volumes
//     float   skinned positions     3 * points * frames
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define WORK_STEP ( 1.0f / 60.0f )
#define WORK_ITERATIONS 12
// steps before anything is measured
#define WORK_WARM_UP 20

typedef struct Work
{
	int32_t pointCount, edgeCount, tetCount, frameCount;
	float* rest;
	int32_t* led;
	int32_t* edges;
	int32_t* tets;
	float* skinned;
} Work;

// What a step left: over all steps that were measured.
typedef struct WorkSums
{
	double seconds;
	double volumeError;
	double edgeError;
	int steps;
} WorkSums;

static inline double workVolume( const Work* work, const float* p )
{
	double sum = 0.0;
	for ( int32_t i = 0; i < work->tetCount; ++i )
	{
		const int32_t* t = work->tets + 4 * (size_t)i;
		double e[3][3];
		for ( int k = 0; k < 3; ++k )
		{
			for ( int c = 0; c < 3; ++c )
			{
				e[k][c] = (double)p[3 * (size_t)t[k + 1] + c] - (double)p[3 * (size_t)t[0] + c];
			}
		}
		sum += e[0][0] * ( e[1][1] * e[2][2] - e[1][2] * e[2][1] ) +
			   e[0][1] * ( e[1][2] * e[2][0] - e[1][0] * e[2][2] ) +
			   e[0][2] * ( e[1][0] * e[2][1] - e[1][1] * e[2][0] );
	}
	return sum / 6.0;
}

static inline double workLength( const float* p, const int32_t* edge )
{
	double sum = 0.0;
	for ( int c = 0; c < 3; ++c )
	{
		double d = (double)p[3 * (size_t)edge[0] + c] - (double)p[3 * (size_t)edge[1] + c];
		sum += d * d;
	}
	return sqrt( sum );
}

static inline void workMeasure( const Work* work, const float* p, double seconds, WorkSums* sums )
{
	double square = 0.0;
	int count = 0;
	for ( int32_t i = 0; i < work->edgeCount; ++i )
	{
		const int32_t* edge = work->edges + 2 * (size_t)i;
		if ( work->led[edge[0]] == 0 && work->led[edge[1]] == 0 )
		{
			double e = workLength( p, edge ) / workLength( work->rest, edge ) - 1.0;
			square += e * e;
			++count;
		}
	}
	sums->seconds += seconds;
	sums->volumeError += fabs( workVolume( work, p ) / workVolume( work, work->rest ) - 1.0 );
	sums->edgeError += sqrt( square / ( count > 0 ? count : 1 ) );
	++sums->steps;
}

static inline void workPrint( const char* peer, const WorkSums* sums )
{
	double n = sums->steps;
	printf( "%-28s %9.3f ms %9.3f %% %9.2f %%\n", peer, 1e3 * sums->seconds / n, 100.0 * sums->volumeError / n,
			100.0 * sums->edgeError / n );
}
