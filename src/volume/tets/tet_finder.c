// SPDX-License-Identifier: MIT
#include "volume/tets/tet_finder.h"

#include "geometry/overlap.h"

#include <float.h>

#define LEAF_SIZE 4
// a median halves: 2^31 tets are 31 levels deep
#define MAX_DEPTH 40

typedef struct Node
{
	supBox box;
	// tets of a leaf: order[first] .. order[first + count - 1]; otherwise count is 0 and `first` the first of two nodes
	int32_t first;
	int32_t count;
} Node;

struct supTetFinder
{
	supArena arena;
	const supTets* tets;
	int32_t* order;
	Node* nodes;
	int32_t nodeCount;
};

// ---------------------------------------------------------------------------------------------------------------------
// Building

typedef struct Builder
{
	const supTets* tets;
	int32_t* order;
	supVec3* middles;
} Builder;

static supBox BoxOfTet( const supTets* tets, int32_t tet )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < 4; ++i )
	{
		box = supBox_Include( box, tets->points[tets->indices[4 * tet + i]] );
	}
	return box;
}

static float Along( supVec3 v, int axis )
{
	return axis == 0 ? v.x : ( axis == 1 ? v.y : v.z );
}

static bool IsBefore( const Builder* builder, int32_t a, int32_t b, int axis )
{
	float x = Along( builder->middles[a], axis ), y = Along( builder->middles[b], axis );
	return x < y || ( x == y && a < b );
}

// Brings the item that belongs at `middle` there, smaller ones before it (Hoare's selection).
static void Select( const Builder* builder, int32_t begin, int32_t end, int32_t middle, int axis )
{
	int32_t* order = builder->order;
	while ( end - begin > 1 )
	{
		int32_t pivot = order[begin + ( end - begin ) / 2];
		int32_t i = begin, k = end - 1;
		while ( i <= k )
		{
			while ( IsBefore( builder, order[i], pivot, axis ) )
			{
				++i;
			}
			while ( IsBefore( builder, pivot, order[k], axis ) )
			{
				--k;
			}
			if ( i <= k )
			{
				int32_t t = order[i];
				order[i++] = order[k];
				order[k--] = t;
			}
		}
		if ( middle <= k )
		{
			end = k + 1;
		}
		else if ( middle >= i )
		{
			begin = i;
		}
		else
		{
			return;
		}
	}
}

static int LongestAxis( const Builder* builder, int32_t begin, int32_t end )
{
	supBox box = supBox_empty;
	for ( int32_t i = begin; i < end; ++i )
	{
		box = supBox_Include( box, builder->middles[builder->order[i]] );
	}
	supVec3 size = supBox_Size( box );
	return size.x >= size.y && size.x >= size.z ? 0 : ( size.y >= size.z ? 1 : 2 );
}

// Nodes are cut in the order in which they are made, so that children come after their parents.
static void BuildNodes( supTetFinder* finder, Builder* builder )
{
	Node* nodes = finder->nodes;
	nodes[0] = ( Node ){ .first = 0, .count = finder->tets->tetCount };
	finder->nodeCount = 1;
	for ( int32_t i = 0; i < finder->nodeCount; ++i )
	{
		int32_t begin = nodes[i].first, count = nodes[i].count;
		if ( count > LEAF_SIZE )
		{
			int32_t half = count / 2;
			Select( builder, begin, begin + count, begin + half, LongestAxis( builder, begin, begin + count ) );
			nodes[finder->nodeCount] = ( Node ){ .first = begin, .count = half };
			nodes[finder->nodeCount + 1] = ( Node ){ .first = begin + half, .count = count - half };
			nodes[i] = ( Node ){ .first = finder->nodeCount, .count = 0 };
			finder->nodeCount += 2;
		}
	}
	for ( int32_t i = finder->nodeCount - 1; i >= 0; --i )
	{
		Node* node = nodes + i;
		node->box = supBox_empty;
		for ( int32_t k = 0; k < ( node->count > 0 ? node->count : 2 ); ++k )
		{
			supBox box =
				node->count > 0 ? BoxOfTet( finder->tets, finder->order[node->first + k] ) : nodes[node->first + k].box;
			node->box = supBox_Include( supBox_Include( node->box, box.lower ), box.upper );
		}
	}
}

supTetFinder* supCreateTetFinder( const supTets* tets, supError* error )
{
	supClearError( error );
	supTetFinder* finder = supAllocZeroed( sizeof( *finder ) );
	size_t count = (size_t)tets->tetCount;
	supVec3* middles = supAllocArray( count, sizeof( *middles ) );
	if ( finder != NULL )
	{
		finder->tets = tets;
		finder->order = supArena_AllocArray( &finder->arena, count, sizeof( *finder->order ) );
		finder->nodes = supArena_AllocArray( &finder->arena, count + 1, sizeof( *finder->nodes ) );
	}
	if ( finder == NULL || middles == NULL || finder->arena.failed )
	{
		supDestroyTetFinder( finder );
		supFree( middles );
		supSetMemoryError( error );
		return NULL;
	}
	for ( int32_t i = 0; i < tets->tetCount; ++i )
	{
		supBox box = BoxOfTet( tets, i );
		finder->order[i] = i;
		middles[i] = supMulAdd( box.lower, 0.5f, supSub( box.upper, box.lower ) );
	}
	Builder builder = { tets, finder->order, middles };
	if ( tets->tetCount > 0 )
	{
		BuildNodes( finder, &builder );
	}
	supFree( middles );
	return finder;
}

void supDestroyTetFinder( supTetFinder* finder )
{
	if ( finder != NULL )
	{
		supArena_Destroy( &finder->arena );
		supFree( finder );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// One tet

static double TripleProduct( supVec3 o, supVec3 a, supVec3 b, supVec3 c )
{
	double u[3] = { (double)a.x - (double)o.x, (double)a.y - (double)o.y, (double)a.z - (double)o.z };
	double v[3] = { (double)b.x - (double)o.x, (double)b.y - (double)o.y, (double)b.z - (double)o.z };
	double w[3] = { (double)c.x - (double)o.x, (double)c.y - (double)o.y, (double)c.z - (double)o.z };
	return u[0] * ( v[1] * w[2] - v[2] * w[1] ) + u[1] * ( v[2] * w[0] - v[0] * w[2] ) +
		   u[2] * ( v[0] * w[1] - v[1] * w[0] );
}

// Six times the volumes of the four tets that p makes with the faces; all of one sign where p is inside.
static bool PlaceInTet( const supTets* tets, int32_t tet, supVec3 p, supTetPlace* place )
{
	const int32_t* corners = tets->indices + 4 * tet;
	supVec3 a = tets->points[corners[0]], b = tets->points[corners[1]];
	supVec3 c = tets->points[corners[2]], d = tets->points[corners[3]];
	double whole = TripleProduct( a, b, c, d );
	if ( whole == 0.0 )
	{
		return false;
	}
	double parts[4] = { TripleProduct( p, b, c, d ), TripleProduct( a, p, c, d ), TripleProduct( a, b, p, d ),
						TripleProduct( a, b, c, p ) };
	for ( int32_t i = 0; i < 4; ++i )
	{
		if ( !( parts[i] / whole >= 0.0 ) )
		{
			return false;
		}
		place->coordinates[i] = (float)( parts[i] / whole );
	}
	place->tet = tet;
	place->point = p;
	return true;
}

typedef struct Nearest
{
	supTetPlace place;
	double distanceSquared;
} Nearest;

static void OfferFaces( const supTets* tets, int32_t tet, supVec3 p, Nearest* nearest )
{
	static const int32_t faces[4][3] = { { 1, 2, 3 }, { 0, 2, 3 }, { 0, 1, 3 }, { 0, 1, 2 } };
	const int32_t* corners = tets->indices + 4 * tet;
	for ( int32_t i = 0; i < 4; ++i )
	{
		const int32_t* face = faces[i];
		supTriangle triangle = { tets->points[corners[face[0]]], tets->points[corners[face[1]]],
								 tets->points[corners[face[2]]] };
		supTrianglePoint found = supClosestPointOnTriangle( &triangle, p );
		if ( found.distanceSquared < nearest->distanceSquared ||
			 ( found.distanceSquared == nearest->distanceSquared && tet < nearest->place.tet ) )
		{
			nearest->distanceSquared = found.distanceSquared;
			nearest->place = ( supTetPlace ){ .tet = tet, .point = found.point };
			nearest->place.coordinates[face[0]] = supMaxFloat( 1.0f - found.u - found.v, 0.0f );
			nearest->place.coordinates[face[1]] = found.u;
			nearest->place.coordinates[face[2]] = found.v;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Queries

static bool Holds( const supBox* box, supVec3 p )
{
	return box->lower.x <= p.x && p.x <= box->upper.x && box->lower.y <= p.y && p.y <= box->upper.y &&
		   box->lower.z <= p.z && p.z <= box->upper.z;
}

bool supTetFinder_Find( const supTetFinder* finder, supVec3 p, supTetPlace* place )
{
	*place = ( supTetPlace ){ .tet = -1 };
	int32_t stack[2 * MAX_DEPTH];
	int32_t depth = 0;
	if ( finder->nodeCount > 0 )
	{
		stack[depth++] = 0;
	}
	while ( depth > 0 )
	{
		const Node* node = finder->nodes + stack[--depth];
		if ( Holds( &node->box, p ) == false )
		{
			continue;
		}
		if ( node->count == 0 )
		{
			stack[depth++] = node->first;
			stack[depth++] = node->first + 1;
		}
		for ( int32_t i = 0; i < node->count; ++i )
		{
			int32_t tet = finder->order[node->first + i];
			supTetPlace found;
			if ( ( place->tet < 0 || tet < place->tet ) && PlaceInTet( finder->tets, tet, p, &found ) )
			{
				*place = found;
			}
		}
	}
	return place->tet >= 0;
}

// Never larger than the true square: the distance is rounded by less than 1e-6 of itself.
static double BoxDistanceSquared( const supBox* box, supVec3 p )
{
	double distance = (double)supDistanceToBox( *box, p ) * 0.999999;
	return distance * distance;
}

bool supTetFinder_FindNearest( const supTetFinder* finder, supVec3 p, supTetPlace* place )
{
	if ( supTetFinder_Find( finder, p, place ) || finder->nodeCount == 0 )
	{
		return place->tet >= 0;
	}
	Nearest nearest = { .place.tet = INT32_MAX, .distanceSquared = DBL_MAX };
	int32_t stack[2 * MAX_DEPTH];
	int32_t depth = 0;
	stack[depth++] = 0;
	while ( depth > 0 )
	{
		const Node* node = finder->nodes + stack[--depth];
		if ( BoxDistanceSquared( &node->box, p ) > nearest.distanceSquared )
		{
			continue;
		}
		if ( node->count == 0 )
		{
			const Node* children = finder->nodes + node->first;
			bool secondFirst = BoxDistanceSquared( &children[1].box, p ) < BoxDistanceSquared( &children[0].box, p );
			stack[depth++] = node->first + ( secondFirst ? 0 : 1 );
			stack[depth++] = node->first + ( secondFirst ? 1 : 0 );
		}
		for ( int32_t i = 0; i < node->count; ++i )
		{
			OfferFaces( finder->tets, finder->order[node->first + i], p, &nearest );
		}
	}
	*place = nearest.place;
	return true;
}
