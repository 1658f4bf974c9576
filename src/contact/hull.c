// SPDX-License-Identifier: MIT
// Quickhull (Barber, Dobkin & Huhdanpaa 1996), without conflict lists: bodies of collision have few vertices, and the
// farthest point of all is found again each time.
#include "contact/hull.h"

#include <float.h>
#include <math.h>

// A hull of v vertices has at most 2 v - 4 faces; while one is being replaced there are a few more.
#define MOST_FACES ( 4 * SUP_MAX_HULL_VERTICES )

typedef struct Face
{
	int32_t v[3];
	double n[3];
	double offset;
} Face;

typedef struct Builder
{
	const supVec3* points;
	int32_t count;
	double tolerance;
	int32_t faceCount;
	Face faces[MOST_FACES];
	int32_t vertexCount;
	// edges around the faces that are taken away
	int32_t edgeCount;
	int32_t edges[3 * MOST_FACES][2];
} Builder;

static void Load( const Builder* b, int32_t i, double p[3] )
{
	p[0] = (double)b->points[i].x;
	p[1] = (double)b->points[i].y;
	p[2] = (double)b->points[i].z;
}

static double Height( const Builder* b, const Face* face, int32_t point )
{
	double p[3];
	Load( b, point, p );
	return face->n[0] * p[0] + face->n[1] * p[1] + face->n[2] * p[2] - face->offset;
}

static Face MakeFace( const Builder* b, int32_t i, int32_t j, int32_t k )
{
	Face face = { .v = { i, j, k } };
	double p[3], q[3], r[3];
	Load( b, i, p );
	Load( b, j, q );
	Load( b, k, r );
	double e[3] = { q[0] - p[0], q[1] - p[1], q[2] - p[2] };
	double f[3] = { r[0] - p[0], r[1] - p[1], r[2] - p[2] };
	double n[3] = { e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0] };
	double length = sqrt( n[0] * n[0] + n[1] * n[1] + n[2] * n[2] );
	for ( int32_t axis = 0; axis < 3; ++axis )
	{
		face.n[axis] = length > 0.0 ? n[axis] / length : 0.0;
		face.offset += face.n[axis] * p[axis];
	}
	return face;
}

// ---------------------------------------------------------------------------------------------------------------------
// The first four

static int32_t FindFarthestFromPoint( const Builder* b, int32_t from )
{
	int32_t best = from;
	float largest = 0.0f;
	for ( int32_t i = 0; i < b->count; ++i )
	{
		float distance = supDistance( b->points[i], b->points[from] );
		if ( distance > largest )
		{
			largest = distance;
			best = i;
		}
	}
	return best;
}

static int32_t FindFarthestFromLine( const Builder* b, int32_t i, int32_t j )
{
	double p[3], q[3], least = 0.0;
	int32_t best = -1;
	Load( b, i, p );
	Load( b, j, q );
	double d[3] = { q[0] - p[0], q[1] - p[1], q[2] - p[2] };
	double length = sqrt( d[0] * d[0] + d[1] * d[1] + d[2] * d[2] );
	for ( int32_t k = 0; k < b->count; ++k )
	{
		double r[3];
		Load( b, k, r );
		double e[3] = { r[0] - p[0], r[1] - p[1], r[2] - p[2] };
		double c[3] = { e[1] * d[2] - e[2] * d[1], e[2] * d[0] - e[0] * d[2], e[0] * d[1] - e[1] * d[0] };
		double distance = sqrt( c[0] * c[0] + c[1] * c[1] + c[2] * c[2] ) / length;
		if ( distance > least )
		{
			least = distance;
			best = k;
		}
	}
	return least > b->tolerance ? best : -1;
}

static bool MakeFirstFour( Builder* b )
{
	int32_t i = FindFarthestFromPoint( b, 0 );
	int32_t j = FindFarthestFromPoint( b, i );
	int32_t k = i != j ? FindFarthestFromLine( b, i, j ) : -1;
	if ( k < 0 )
	{
		return false;
	}
	Face base = MakeFace( b, i, j, k );
	int32_t top = -1;
	double largest = b->tolerance;
	for ( int32_t p = 0; p < b->count; ++p )
	{
		double height = fabs( Height( b, &base, p ) );
		if ( height > largest )
		{
			largest = height;
			top = p;
		}
	}
	if ( top < 0 )
	{
		return false;
	}
	if ( Height( b, &base, top ) > 0.0 )
	{
		int32_t swapped = j;
		j = k;
		k = swapped;
	}
	b->faces[0] = MakeFace( b, i, j, k );
	b->faces[1] = MakeFace( b, i, top, j );
	b->faces[2] = MakeFace( b, j, top, k );
	b->faces[3] = MakeFace( b, k, top, i );
	b->faceCount = 4;
	b->vertexCount = 4;
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// One more

// An edge that comes twice, once in each direction, lies between two faces that go.
static void AddEdge( Builder* b, int32_t from, int32_t to )
{
	for ( int32_t i = 0; i < b->edgeCount; ++i )
	{
		if ( b->edges[i][0] == to && b->edges[i][1] == from )
		{
			b->edgeCount -= 1;
			b->edges[i][0] = b->edges[b->edgeCount][0];
			b->edges[i][1] = b->edges[b->edgeCount][1];
			return;
		}
	}
	b->edges[b->edgeCount][0] = from;
	b->edges[b->edgeCount][1] = to;
	b->edgeCount += 1;
}

static void AddPoint( Builder* b, int32_t point )
{
	b->edgeCount = 0;
	int32_t kept = 0;
	for ( int32_t i = 0; i < b->faceCount; ++i )
	{
		const Face face = b->faces[i];
		// faces that the point is level with go too: coplanar faces would leave slivers
		if ( Height( b, &face, point ) > 0.0 )
		{
			for ( int32_t e = 0; e < 3; ++e )
			{
				AddEdge( b, face.v[e], face.v[( e + 1 ) % 3] );
			}
		}
		else
		{
			b->faces[kept++] = face;
		}
	}
	b->faceCount = kept;
	for ( int32_t i = 0; i < b->edgeCount && b->faceCount < MOST_FACES; ++i )
	{
		b->faces[b->faceCount++] = MakeFace( b, b->edges[i][0], b->edges[i][1], point );
	}
	b->vertexCount += 1;
}

static int32_t FindOutermost( const Builder* b )
{
	int32_t best = -1;
	double largest = b->tolerance;
	for ( int32_t i = 0; i < b->count; ++i )
	{
		for ( int32_t f = 0; f < b->faceCount; ++f )
		{
			double height = Height( b, b->faces + f, i );
			if ( height > largest )
			{
				largest = height;
				best = i;
			}
		}
	}
	return best;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool Store( supHull* hull, const Builder* b, supError* error )
{
	int32_t* places = supAlloc( (size_t)b->count * sizeof( int32_t ) );
	hull->vertices = supArena_AllocArray( &hull->arena, (size_t)( 3 * b->faceCount ), sizeof( supVec3 ) );
	hull->indices = supArena_AllocArray( &hull->arena, (size_t)( 3 * b->faceCount ), sizeof( int32_t ) );
	hull->normals = supArena_AllocArray( &hull->arena, (size_t)b->faceCount, sizeof( supVec3 ) );
	hull->offsets = supArena_AllocArray( &hull->arena, (size_t)b->faceCount, sizeof( float ) );
	if ( places == NULL || hull->arena.failed )
	{
		supFree( places );
		supHull_Destroy( hull );
		return supSetMemoryError( error );
	}
	for ( int32_t i = 0; i < b->count; ++i )
	{
		places[i] = -1;
	}
	hull->faceCount = b->faceCount;
	for ( int32_t f = 0; f < b->faceCount; ++f )
	{
		const Face* face = b->faces + f;
		for ( int32_t e = 0; e < 3; ++e )
		{
			int32_t* place = places + face->v[e];
			if ( *place < 0 )
			{
				*place = hull->vertexCount;
				hull->vertices[hull->vertexCount++] = b->points[face->v[e]];
			}
			hull->indices[3 * f + e] = *place;
		}
		hull->normals[f] = supMakeVec3( (float)face->n[0], (float)face->n[1], (float)face->n[2] );
		hull->offsets[f] = (float)face->offset;
	}
	supFree( places );
	return true;
}

static bool CheckPoints( const supVec3* points, int32_t count, double* extent, supError* error )
{
	if ( count < 4 )
	{
		return supSetError( error, sup_errorArgument, "hull", "%d points; a body needs at least four", count );
	}
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( supIsFiniteVec3( points[i] ) == false )
		{
			return supSetError( error, sup_errorArgument, "hull", "point %d is not finite", i );
		}
		box = supBox_Include( box, points[i] );
	}
	supVec3 size = supBox_Size( box );
	*extent = (double)supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
	return true;
}

bool supHull_Init( supHull* hull, const supVec3* points, int32_t count, supError* error )
{
	supClearError( error );
	double extent = 0.0;
	if ( CheckPoints( points, count, &extent, error ) == false )
	{
		return false;
	}
	Builder* b = supAllocZeroed( sizeof( Builder ) );
	if ( b == NULL )
	{
		return supSetMemoryError( error );
	}
	b->points = points;
	b->count = count;
	b->tolerance = 1e-5 * extent;
	bool ok = MakeFirstFour( b );
	if ( ok == false )
	{
		supSetError( error, sup_errorArgument, "hull", "all points lie in one plane; give the body a thickness" );
	}
	int32_t next = ok ? FindOutermost( b ) : -1;
	while ( next >= 0 && b->vertexCount < SUP_MAX_HULL_VERTICES )
	{
		AddPoint( b, next );
		next = FindOutermost( b );
	}
	ok = ok && Store( hull, b, error );
	supFree( b );
	return ok;
}

void supHull_Destroy( supHull* hull )
{
	supArena_Destroy( &hull->arena );
	*hull = ( supHull ){ 0 };
}
