// SPDX-License-Identifier: MIT
#include "method/points/body.h"

#include "core/sort.h"
#include "method/points/pack_elements.h"

// Relative: below it an element's measure is noise.
#define LEAST_MEASURE 1e-6

supPointBodyDef supDefaultPointBodyDef( void )
{
	return ( supPointBodyDef ){ .density = 1000.0f, .section = 1e-4f };
}

void supPointBody_Destroy( supPointBody* body )
{
	supArena_Destroy( &body->arena );
	*body = ( supPointBody ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------
// What is given

static bool CheckElements( const char* name, const int32_t* indices, int32_t count, int32_t arity, int32_t pointCount,
						   supError* error )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		const int32_t* p = indices + (int64_t)arity * i;
		for ( int32_t k = 0; k < arity; ++k )
		{
			if ( p[k] < 0 || p[k] >= pointCount )
			{
				return supSetError( error, sup_errorArgument, name, "%s %d uses point %d of %d", name, i, p[k],
									pointCount );
			}
			for ( int32_t j = 0; j < k; ++j )
			{
				if ( p[j] == p[k] )
				{
					return supSetError( error, sup_errorArgument, name, "%s %d uses point %d twice", name, i, p[k] );
				}
			}
		}
	}
	return true;
}

static bool CheckDef( const supPointBodyDef* def, supError* error )
{
	if ( def->pointCount < 1 || def->pointCount > SUP_MAX_POINTS )
	{
		return supSetError( error, sup_errorArgument, "points", "must have 1 to %d points (got %d)", SUP_MAX_POINTS,
							def->pointCount );
	}
	// so that six edges a tet can be counted
	if ( def->tetCount < 0 || def->tetCount > INT32_MAX / 16 || def->edgeCount < 0 || def->edgeCount > INT32_MAX / 16 ||
		 def->triangleCount < 0 || def->triangleCount > INT32_MAX / 16 )
	{
		return supSetError( error, sup_errorTooLarge, "elements", "more than %d elements", INT32_MAX / 16 );
	}
	for ( int32_t i = 0; i < def->pointCount; ++i )
	{
		supVec3 p = def->points[i];
		if ( ( fabsf( p.x ) <= 1e6f && fabsf( p.y ) <= 1e6f && fabsf( p.z ) <= 1e6f ) == false )
		{
			return supSetError( error, sup_errorArgument, "points", "point %d is not finite or beyond 1000 km", i );
		}
		if ( def->masses != NULL && ( def->masses[i] > 0.0f && supIsFinite( def->masses[i] ) ) == false )
		{
			return supSetError( error, sup_errorArgument, "masses", "point %d has no mass", i );
		}
	}
	if ( ( def->density > 0.0f && def->density <= 1e6f && def->section > 0.0f && def->section <= 1e6f ) == false )
	{
		return supSetError( error, sup_errorArgument, "density", "density and section must be above 0, at most 1e6" );
	}
	return CheckElements( "tet", def->tets, def->tetCount, 4, def->pointCount, error ) &&
		   CheckElements( "edge", def->edges, def->edgeCount, 2, def->pointCount, error ) &&
		   CheckElements( "triangle", def->triangles, def->triangleCount, 3, def->pointCount, error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Elements with what they measure at rest

static void Difference( const supVec3* points, int32_t a, int32_t b, double d[3] )
{
	d[0] = (double)points[b].x - (double)points[a].x;
	d[1] = (double)points[b].y - (double)points[a].y;
	d[2] = (double)points[b].z - (double)points[a].z;
}

static void Cross( const double a[3], const double b[3], double c[3] )
{
	c[0] = a[1] * b[2] - a[2] * b[1];
	c[1] = a[2] * b[0] - a[0] * b[2];
	c[2] = a[0] * b[1] - a[1] * b[0];
}

static double Dot( const double a[3], const double b[3] )
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double Length( const double a[3] )
{
	return sqrt( Dot( a, a ) );
}

typedef struct Build
{
	const supPointBodyDef* def;
	supPointBody* body;
	double* masses;
	double* rows[3]; // edges, triangles, tets
	supElements edges, triangles, tets;
	uint64_t* keys; // of edges, and as much again to sort with
	double* keyWeights;
} Build;

// Row sums of one element: gradients of these lengths.
static void AddRows( double* rows, const int32_t* points, const double* gradients, int32_t arity, double weight )
{
	double sum = 0.0;
	for ( int32_t i = 0; i < arity; ++i )
	{
		sum += gradients[i];
	}
	for ( int32_t i = 0; i < arity; ++i )
	{
		rows[points[i]] += weight * gradients[i] * sum;
	}
}

static bool AddTets( Build* build, supError* error )
{
	const supPointBodyDef* def = build->def;
	supElements* tets = &build->tets;
	for ( int32_t i = 0; i < def->tetCount; ++i )
	{
		const int32_t* p = def->tets + 4 * (int64_t)i;
		double e1[3], e2[3], e3[3], g[4][3];
		Difference( def->points, p[0], p[1], e1 );
		Difference( def->points, p[0], p[2], e2 );
		Difference( def->points, p[0], p[3], e3 );
		Cross( e2, e3, g[1] );
		Cross( e3, e1, g[2] );
		Cross( e1, e2, g[3] );
		double six = Dot( e1, g[1] );
		double size = Length( e1 ) * Length( e2 ) * Length( e3 );
		if ( ( six > LEAST_MEASURE * size ) == false )
		{
			return supSetError( error, sup_errorArgument, "tet", "tet %d is flat or inverted", i );
		}
		double stiffness = def->tetStiffness != NULL ? (double)def->tetStiffness[i] : 1.0;
		if ( ( stiffness >= 0.0 && stiffness <= 1e12 ) == false )
		{
			return supSetError( error, sup_errorArgument, "tet", "tet %d has no usable stiffness", i );
		}
		double weight = stiffness * six / 6.0;
		double lengths[4];
		for ( int32_t k = 0; k < 3; ++k )
		{
			g[0][k] = -( g[1][k] + g[2][k] + g[3][k] );
		}
		for ( int32_t k = 0; k < 4; ++k )
		{
			lengths[k] = Length( g[k] ) / six;
			build->masses[p[k]] += (double)def->density * six / 24.0;
		}
		AddRows( build->rows[2], p, lengths, 4, weight );
		memcpy( tets->points + 4 * (int64_t)i, p, 4 * sizeof( int32_t ) );
		tets->inverseRests[i] = (float)( 1.0 / six );
		tets->weights[i] = (float)weight;
	}
	return true;
}

static bool AddTriangles( Build* build, supError* error )
{
	const supPointBodyDef* def = build->def;
	supElements* triangles = &build->triangles;
	for ( int32_t i = 0; i < def->triangleCount; ++i )
	{
		const int32_t* p = def->triangles + 3 * (int64_t)i;
		double e1[3], e2[3], e3[3], normal[3];
		Difference( def->points, p[0], p[1], e1 );
		Difference( def->points, p[0], p[2], e2 );
		Difference( def->points, p[1], p[2], e3 );
		Cross( e1, e2, normal );
		double two = Length( normal );
		if ( ( two > LEAST_MEASURE * Length( e1 ) * Length( e2 ) ) == false )
		{
			return supSetError( error, sup_errorArgument, "triangle", "triangle %d has no area", i );
		}
		double lengths[3] = { Length( e3 ) / two, Length( e2 ) / two, Length( e1 ) / two };
		AddRows( build->rows[1], p, lengths, 3, 0.5 * two );
		memcpy( triangles->points + 3 * (int64_t)i, p, 3 * sizeof( int32_t ) );
		triangles->inverseRests[i] = (float)( 1.0 / two );
		triangles->weights[i] = (float)( 0.5 * two );
	}
	return true;
}

static uint64_t MakeKey( int32_t a, int32_t b )
{
	return a < b ? (uint64_t)a << 26 | (uint64_t)b : (uint64_t)b << 26 | (uint64_t)a;
}

// Every edge once, in the order of its points; equal ones joined.
static int32_t ListEdges( Build* build )
{
	static const int32_t corners[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
	const supPointBodyDef* def = build->def;
	int32_t count = 0;
	for ( int32_t i = 0; i < def->tetCount; ++i )
	{
		const int32_t* p = def->tets + 4 * (int64_t)i;
		for ( int32_t k = 0; k < 6; ++k )
		{
			build->keys[count++] = MakeKey( p[corners[k][0]], p[corners[k][1]] );
		}
	}
	for ( int32_t i = 0; i < def->edgeCount; ++i )
	{
		build->keys[count++] = MakeKey( def->edges[2 * (int64_t)i], def->edges[2 * (int64_t)i + 1] );
	}
	supSortKeys( build->keys, build->keys + count, (size_t)count, 52 );
	int32_t unique = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( i == 0 || build->keys[i] != build->keys[i - 1] )
		{
			build->keys[unique++] = build->keys[i];
		}
	}
	return unique;
}

static int32_t FindKey( const uint64_t* keys, int32_t count, uint64_t key )
{
	int32_t low = 0, high = count;
	while ( high - low > 1 )
	{
		int32_t middle = low + ( high - low ) / 2;
		*( keys[middle] <= key ? &low : &high ) = middle;
	}
	return low;
}

static void WeighEdges( Build* build, int32_t edgeCount )
{
	static const int32_t corners[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
	const supPointBodyDef* def = build->def;
	for ( int32_t i = 0; i < def->tetCount; ++i )
	{
		const int32_t* p = def->tets + 4 * (int64_t)i;
		for ( int32_t k = 0; k < 6; ++k )
		{
			int32_t edge = FindKey( build->keys, edgeCount, MakeKey( p[corners[k][0]], p[corners[k][1]] ) );
			build->keyWeights[edge] += (double)build->tets.weights[i] / 6.0;
		}
	}
	for ( int32_t i = 0; i < def->edgeCount; ++i )
	{
		const int32_t* p = def->edges + 2 * (int64_t)i;
		int32_t edge = FindKey( build->keys, edgeCount, MakeKey( p[0], p[1] ) );
		double d[3];
		Difference( def->points, p[0], p[1], d );
		double volume = (double)def->section * Length( d );
		build->keyWeights[edge] += volume;
		build->masses[p[0]] += 0.5 * (double)def->density * volume;
		build->masses[p[1]] += 0.5 * (double)def->density * volume;
	}
}

static bool AddEdges( Build* build, supError* error )
{
	const supPointBodyDef* def = build->def;
	supElements* edges = &build->edges;
	edges->count = ListEdges( build );
	WeighEdges( build, edges->count );
	for ( int32_t i = 0; i < edges->count; ++i )
	{
		int32_t p[2] = { (int32_t)( build->keys[i] >> 26 ), (int32_t)( build->keys[i] & ( ( 1u << 26 ) - 1 ) ) };
		double d[3];
		Difference( def->points, p[0], p[1], d );
		double length = Length( d );
		if ( ( length > 1e-9 ) == false )
		{
			return supSetError( error, sup_errorArgument, "edge",
								"points %d and %d are in the same place, so the edge "
								"between them has no length",
								p[0], p[1] );
		}
		double lengths[2] = { 1.0 / length, 1.0 / length };
		AddRows( build->rows[0], p, lengths, 2, build->keyWeights[i] );
		memcpy( edges->points + 2 * (int64_t)i, p, sizeof( p ) );
		edges->inverseRests[i] = (float)( 1.0 / length );
		edges->weights[i] = (float)build->keyWeights[i];
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool AllocElements( supArena* arena, supElements* elements, int32_t arity, int32_t count )
{
	*elements = ( supElements ){ .arity = arity, .count = count };
	elements->points = supArena_AllocArray( arena, (size_t)count * (size_t)arity, sizeof( int32_t ) );
	elements->inverseRests = supArena_AllocArray( arena, (size_t)count, sizeof( float ) );
	elements->weights = supArena_AllocArray( arena, (size_t)count, sizeof( float ) );
	return arena->failed == false;
}

static bool AllocBuild( Build* build, supArena* scratch )
{
	const supPointBodyDef* def = build->def;
	size_t points = (size_t)def->pointCount;
	int32_t edgesAtMost = 6 * def->tetCount + def->edgeCount;
	build->masses = supArena_AllocArray( scratch, points, sizeof( double ) );
	build->keys = supArena_AllocArray( scratch, 2 * (size_t)edgesAtMost, sizeof( uint64_t ) );
	build->keyWeights = supArena_AllocArray( scratch, (size_t)edgesAtMost, sizeof( double ) );
	for ( int32_t i = 0; i < 3; ++i )
	{
		build->rows[i] = supArena_AllocArray( scratch, points, sizeof( double ) );
	}
	bool ok = AllocElements( scratch, &build->edges, 2, edgesAtMost ) &&
			  AllocElements( scratch, &build->triangles, 3, def->triangleCount ) &&
			  AllocElements( scratch, &build->tets, 4, def->tetCount );
	if ( ok )
	{
		memset( build->masses, 0, points * sizeof( double ) );
		memset( build->keyWeights, 0, (size_t)edgesAtMost * sizeof( double ) );
		for ( int32_t i = 0; i < 3; ++i )
		{
			memset( build->rows[i], 0, points * sizeof( double ) );
		}
	}
	return ok;
}

static bool FinishPoints( Build* build, supError* error )
{
	const supPointBodyDef* def = build->def;
	supPointBody* body = build->body;
	size_t count = (size_t)def->pointCount;
	body->pointCount = def->pointCount;
	body->rest = supArena_CopyArray( &body->arena, def->points, count, sizeof( supVec3 ) );
	body->inverseMasses = supArena_AllocArray( &body->arena, count, sizeof( float ) );
	body->rows = supArena_AllocArray( &body->arena, count, sizeof( supPointRow ) );
	for ( int32_t i = 0; def->fixed != NULL && i < def->pointCount; ++i )
	{
		body->fixedCount += def->fixed[i] != 0;
	}
	body->fixedPoints = supArena_AllocArray( &body->arena, (size_t)body->fixedCount, sizeof( int32_t ) );
	if ( body->arena.failed )
	{
		return supSetMemoryError( error );
	}
	int32_t fixed = 0;
	for ( int32_t i = 0; i < def->pointCount; ++i )
	{
		double mass = def->masses != NULL ? (double)def->masses[i] : build->masses[i];
		bool isFixed = def->fixed != NULL && def->fixed[i] != 0;
		if ( isFixed == false && ( mass > 1e-30 && mass < 1e30 ) == false )
		{
			return supSetError( error, sup_errorArgument, "points",
								"point %d belongs to no element and has no mass; remove it or set masses", i );
		}
		body->inverseMasses[i] = isFixed ? 0.0f : (float)( 1.0 / mass );
		body->rows[i] = ( supPointRow ){ (float)build->rows[0][i], (float)build->rows[1][i], (float)build->rows[2][i] };
		if ( isFixed )
		{
			body->fixedPoints[fixed++] = i;
		}
	}
	return true;
}

bool supPointBody_Init( supPointBody* body, const supPointBodyDef* def, supError* error )
{
	supClearError( error );
	*body = ( supPointBody ){ 0 };
	supArena scratch = { 0 };
	Build build = { .def = def, .body = body };
	bool ok = CheckDef( def, error );
	if ( ok )
	{
		ok = AllocBuild( &build, &scratch ) || supSetMemoryError( error );
	}
	ok = ok && AddTets( &build, error ) && AddTriangles( &build, error ) && AddEdges( &build, error ) &&
		 FinishPoints( &build, error );
	if ( ok )
	{
		ok = supPackElements( body, &build.edges, &build.triangles, &build.tets ) || supSetMemoryError( error );
	}
	supArena_Destroy( &scratch );
	if ( ok == false )
	{
		supPointBody_Destroy( body );
	}
	return ok;
}

int32_t supPointBody_Original( const supPointBody* body, int32_t slot )
{
	if ( slot < body->pointCount )
	{
		return slot;
	}
	int32_t low = 0, high = body->sharedCount;
	while ( high - low > 1 )
	{
		int32_t middle = low + ( high - low ) / 2;
		*( body->sharedStarts[middle] <= slot ? &low : &high ) = middle;
	}
	return body->sharedPoints[low];
}
