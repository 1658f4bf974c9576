// SPDX-License-Identifier: MIT
// Shapes to fill, each a list of triangles.
#pragma once

#include "support.h"

#include "supple/math.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Shape
{
	int32_t vertexCount;
	int32_t triangleCount;
	supVec3* positions;
	uint32_t* indices;
} Shape;

static inline void FreeShape( Shape* shape )
{
	free( shape->positions );
	free( shape->indices );
	*shape = ( Shape ){ 0 };
}

// Room for more; returns the number of the first new vertex.
static inline uint32_t GrowShape( Shape* shape, int32_t vertices, int32_t triangles )
{
	uint32_t first = (uint32_t)shape->vertexCount;
	shape->vertexCount += vertices;
	shape->triangleCount += triangles;
	shape->positions = realloc( shape->positions, (size_t)shape->vertexCount * sizeof( supVec3 ) );
	shape->indices = realloc( shape->indices, 3 * (size_t)shape->triangleCount * sizeof( uint32_t ) );
	assert_non_null( shape->positions );
	assert_non_null( shape->indices );
	return first;
}

static inline void AddBox( Shape* shape, supVec3 lower, supVec3 upper )
{
	static const uint32_t corners[36] = { 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
										  2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6 };
	uint32_t first = GrowShape( shape, 8, 12 );
	for ( uint32_t i = 0; i < 8; ++i )
	{
		shape->positions[first + i] =
			supMakeVec3( ( i & 1 ) != 0 ? upper.x : lower.x, ( i & 2 ) != 0 ? upper.y : lower.y,
						 ( i & 4 ) != 0 ? upper.z : lower.z );
	}
	uint32_t* indices = shape->indices + 3 * ( shape->triangleCount - 12 );
	for ( int32_t i = 0; i < 36; ++i )
	{
		indices[i] = first + corners[i];
	}
}

// A surface of revolution about y: profile points (radius, y) from low to high. Closed where both ends have radius 0.
static inline void AddTurned( Shape* shape, supVec3 place, const supVec2* profile, int32_t rings, int32_t sides )
{
	uint32_t first = GrowShape( shape, rings * sides, 2 * ( rings - 1 ) * sides );
	uint32_t* indices = shape->indices + 3 * ( shape->triangleCount - 2 * ( rings - 1 ) * sides );
	for ( int32_t r = 0; r < rings; ++r )
	{
		for ( int32_t s = 0; s < sides; ++s )
		{
			double angle = 2.0 * 3.14159265358979 * s / sides;
			supVec3 p = { profile[r].x * (float)cos( angle ), profile[r].y, profile[r].x * (float)sin( angle ) };
			shape->positions[first + (uint32_t)( r * sides + s )] = supAdd( place, p );
		}
	}
	for ( int32_t r = 0; r + 1 < rings; ++r )
	{
		for ( int32_t s = 0; s < sides; ++s )
		{
			uint32_t a = first + (uint32_t)( r * sides + s ), b = first + (uint32_t)( r * sides + ( s + 1 ) % sides );
			uint32_t c = a + (uint32_t)sides, d = b + (uint32_t)sides;
			uint32_t quad[6] = { a, c, b, b, c, d };
			memcpy( indices, quad, sizeof( quad ) );
			indices += 6;
		}
	}
}

static inline void AddSphere( Shape* shape, supVec3 center, float radius, int32_t rings )
{
	supVec2* profile = calloc( (size_t)rings + 1, sizeof( supVec2 ) );
	assert_non_null( profile );
	for ( int32_t i = 0; i <= rings; ++i )
	{
		double angle = 3.14159265358979 * i / rings;
		profile[i] =
			( supVec2 ){ i == 0 || i == rings ? 0.0f : radius * (float)sin( angle ), -radius * (float)cos( angle ) };
	}
	AddTurned( shape, center, profile, rings + 1, 2 * rings );
	free( profile );
}

static inline void AddTube( Shape* shape, supVec3 place, float radius, float height, int32_t sides )
{
	supVec2 profile[5];
	for ( int32_t i = 0; i < 5; ++i )
	{
		profile[i] = ( supVec2 ){ radius, height * (float)i / 4.0f };
	}
	AddTurned( shape, place, profile, 5, sides );
}

// Winding number by the sum over all triangles (van Oosterom & Strackee 1983), in double.
static inline double ExactWinding( const Shape* shape, supVec3 p )
{
	double sum = 0.0;
	for ( int32_t i = 0; i < shape->triangleCount; ++i )
	{
		double v[3][3], length[3];
		for ( int k = 0; k < 3; ++k )
		{
			supVec3 q = shape->positions[shape->indices[3 * i + k]];
			v[k][0] = (double)q.x - (double)p.x;
			v[k][1] = (double)q.y - (double)p.y;
			v[k][2] = (double)q.z - (double)p.z;
			length[k] = sqrt( v[k][0] * v[k][0] + v[k][1] * v[k][1] + v[k][2] * v[k][2] );
		}
		double det = v[0][0] * ( v[1][1] * v[2][2] - v[1][2] * v[2][1] ) -
					 v[0][1] * ( v[1][0] * v[2][2] - v[1][2] * v[2][0] ) +
					 v[0][2] * ( v[1][0] * v[2][1] - v[1][1] * v[2][0] );
		double dots[3];
		for ( int k = 0; k < 3; ++k )
		{
			const double *a = v[k], *b = v[( k + 1 ) % 3];
			dots[k] = ( a[0] * b[0] + a[1] * b[1] + a[2] * b[2] ) * length[( k + 2 ) % 3];
		}
		sum += 2.0 * atan2( det, length[0] * length[1] * length[2] + dots[0] + dots[1] + dots[2] );
	}
	return sum / ( 4.0 * 3.14159265358979323846 );
}
