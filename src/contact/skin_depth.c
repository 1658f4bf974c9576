// SPDX-License-Identifier: MIT
#include "contact/skin.h"

#include "geometry/overlap.h"

#include <math.h>

// Triangles around a place that are looked at, and times that a nearer one is found among them.
#define MOST_VISITED 64
#define MOST_STEPS 256

// Places nearer than this part of the nearest one count as the same, which an edge or a corner is to all its triangles.
#define SAME_PLACE 1.0001

typedef struct Visit
{
	int32_t triangle;
	supTrianglePoint nearest;
} Visit;

typedef struct Walk
{
	const supContactSkin* skin;
	const supVec3* positions;
	supVec3 point;
	int32_t count;
	Visit visits[MOST_VISITED];
} Walk;

static supTriangle TriangleAt( const Walk* walk, int32_t triangle )
{
	const int32_t* corners = walk->skin->corners + 3 * (size_t)triangle;
	return ( supTriangle ){ walk->positions[corners[0]], walk->positions[corners[1]], walk->positions[corners[2]] };
}

static void LookAt( Walk* walk, int32_t triangle )
{
	bool isKnown = triangle < 0 || walk->count == MOST_VISITED;
	for ( int32_t i = 0; i < walk->count && isKnown == false; ++i )
	{
		isKnown = walk->visits[i].triangle == triangle;
	}
	if ( isKnown == false )
	{
		supTriangle t = TriangleAt( walk, triangle );
		walk->visits[walk->count++] = ( Visit ){ triangle, supClosestPointOnTriangle( &t, walk->point ) };
	}
}

// Looks around whatever is as near as the triangle. Returns the first that is nearer, or the same one.
static int32_t LookAround( Walk* walk, int32_t triangle )
{
	walk->count = 0;
	LookAt( walk, triangle );
	double nearest = walk->visits[0].nearest.distanceSquared;
	for ( int32_t i = 0; i < walk->count; ++i )
	{
		double distance = walk->visits[i].nearest.distanceSquared;
		if ( SAME_PLACE * distance < nearest )
		{
			return walk->visits[i].triangle;
		}
		for ( int32_t k = 0; k < 3 && distance <= SAME_PLACE * nearest; ++k )
		{
			LookAt( walk, walk->skin->neighbours[3 * (size_t)walk->visits[i].triangle + k] );
		}
	}
	return triangle;
}

float supContactSkin_FindDepth( const supContactSkin* skin, const supVec3* positions, int32_t triangle, supVec3 point )
{
	Walk walk = { .skin = skin, .positions = positions, .point = point };
	int32_t from = -1;
	for ( int32_t step = 0; step < MOST_STEPS && triangle != from; ++step )
	{
		from = triangle;
		triangle = LookAround( &walk, from );
	}
	double nearest = walk.visits[0].nearest.distanceSquared;
	supVec3 normal = supVec3_zero, place = supVec3_zero;
	for ( int32_t i = 0; i < walk.count; ++i )
	{
		if ( walk.visits[i].nearest.distanceSquared <= SAME_PLACE * nearest )
		{
			supTriangle t = TriangleAt( &walk, walk.visits[i].triangle );
			supVec3 area = supCross( supSub( t.b, t.a ), supSub( t.c, t.a ) );
			normal = supLengthSquared( area ) > 0.0f ? supAdd( normal, supNormalize( area ) ) : normal;
			place = walk.visits[i].nearest.point;
		}
	}
	return supDot( normal, supSub( point, place ) ) < 0.0f ? (float)sqrt( nearest ) : 0.0f;
}
