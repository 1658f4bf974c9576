// SPDX-License-Identifier: MIT
#include "linear/ordering.h"

#include "core/arena.h"
#include "core/sort.h"
#include "linear/minimum_degree.h"

// Sets up to this size are left to minimum degree.
#define LEAF_NODES 48

// Where along the best direction a cut is tried, in percent of the nodes.
static const int32_t s_places[] = { 50, 46, 54, 42, 58 };

// Side of a node in the set that is being cut; outside the set it is NONE.
enum
{
	NONE = -1,
	LOW,
	HIGH,
	SEPARATOR,
};

typedef struct Dissection
{
	const supGraph* graph;
	const supVec3* points;
	int8_t* sides;
	// of the set being cut: sorted by each direction in turn, and by the best so far
	int32_t* sorted;
	int32_t* best;
	int32_t* queue;
	uint64_t* keys;
	uint64_t* scratch;
	// matching across the cut: the partner of each node on the border, and how a search came to it
	int32_t* partners;
	int32_t* cameFrom;
	int32_t* visits;
	int32_t visit;
	int32_t* local;
} Dissection;

// ---------------------------------------------------------------------------------------------------------------------
// Directions

// Keys that sort like the floats.
static uint32_t SortableFloat( float value )
{
	uint32_t bits;
	memcpy( &bits, &value, sizeof( bits ) );
	return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static void SortAlongAxis( Dissection* d, const int32_t* nodes, int32_t count, int axis )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		float value = ( &d->points[nodes[i]].x )[axis];
		d->keys[i] = (uint64_t)SortableFloat( value ) << 32 | (uint32_t)nodes[i];
	}
	supSortKeys( d->keys, d->scratch, (size_t)count, 64 );
	for ( int32_t i = 0; i < count; ++i )
	{
		d->sorted[i] = (int32_t)( d->keys[i] & 0xffffffffu );
	}
}

// Breadth first from `start` through the set, into `queue` from `at` on. Returns the end.
static int32_t Flood( Dissection* d, int32_t start, int32_t at )
{
	const supGraph* graph = d->graph;
	int32_t end = at;
	d->queue[end++] = start;
	d->visits[start] = d->visit;
	for ( ; at < end; ++at )
	{
		int32_t node = d->queue[at];
		for ( int32_t k = graph->rowStarts[node]; k < graph->rowStarts[node + 1]; ++k )
		{
			int32_t other = graph->columns[k];
			if ( d->sides[other] != NONE && d->visits[other] != d->visit )
			{
				d->visits[other] = d->visit;
				d->queue[end++] = other;
			}
		}
	}
	return end;
}

// By distance through the graph from a far end of each part that hangs together, one part after the other.
static void SortByDistance( Dissection* d, const int32_t* nodes, int32_t count )
{
	int32_t end = 0;
	d->visit += 1;
	int32_t finalVisit = d->visit;
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( d->visits[nodes[i]] == finalVisit )
		{
			continue;
		}
		// two floods find a far end; the marks of earlier parts must not be overwritten, so a part is flooded three
		// times with marks of its own and marked as final by the last
		int32_t far = nodes[i];
		for ( int round = 0; round < 2; ++round )
		{
			d->visit += 1;
			int32_t last = Flood( d, far, end );
			far = d->queue[last - 1];
		}
		int32_t keep = d->visit;
		d->visit = finalVisit;
		end = Flood( d, far, end );
		d->visit = keep;
	}
	memcpy( d->sorted, d->queue, (size_t)count * sizeof( int32_t ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Cuts

static void SetSides( Dissection* d, const int32_t* sorted, int32_t count, int32_t cut )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		d->sides[sorted[i]] = i < cut ? LOW : HIGH;
	}
}

static bool TouchesSide( const Dissection* d, int32_t node, int8_t side )
{
	const supGraph* graph = d->graph;
	for ( int32_t k = graph->rowStarts[node]; k < graph->rowStarts[node + 1]; ++k )
	{
		if ( d->sides[graph->columns[k]] == side )
		{
			return true;
		}
	}
	return false;
}

// The smaller of the two borders: what a cut costs, nearly.
static int32_t BorderSize( const Dissection* d, const int32_t* sorted, int32_t count, int32_t cut )
{
	int32_t low = 0, high = 0;
	for ( int32_t i = 0; i < cut; ++i )
	{
		low += TouchesSide( d, sorted[i], HIGH );
	}
	for ( int32_t i = cut; i < count; ++i )
	{
		high += TouchesSide( d, sorted[i], LOW );
	}
	return low < high ? low : high;
}

// One search for a longer matching from an unmatched node of the low border (breadth first, alternating). Nodes seen
// by searches in vain can never be part of an augmenting path again and stay marked; they are also just what Koenig's
// theorem asks for.
static bool Augment( Dissection* d, int32_t start, int32_t deadVisit )
{
	const supGraph* graph = d->graph;
	int32_t end = 0;
	d->queue[end++] = start;
	for ( int32_t at = 0; at < end; ++at )
	{
		int32_t node = d->queue[at];
		for ( int32_t k = graph->rowStarts[node]; k < graph->rowStarts[node + 1]; ++k )
		{
			int32_t other = graph->columns[k];
			if ( d->sides[other] != HIGH || d->visits[other] == d->visit || d->visits[other] == deadVisit )
			{
				continue;
			}
			d->visits[other] = d->visit;
			d->cameFrom[other] = node;
			if ( d->partners[other] >= 0 )
			{
				d->queue[end++] = d->partners[other];
				continue;
			}
			while ( other >= 0 )
			{
				int32_t from = d->cameFrom[other], next = d->partners[from];
				d->partners[from] = other;
				d->partners[other] = from;
				other = from == start ? -1 : next;
			}
			return true;
		}
	}
	// in vain: all that was seen is dead
	for ( int32_t at = 0; at < end; ++at )
	{
		int32_t node = d->queue[at];
		d->visits[node] = deadVisit;
		if ( d->partners[node] >= 0 )
		{
			d->visits[d->partners[node]] = deadVisit;
		}
	}
	return false;
}

// Marks the smallest separator of the cut that `sides` holds. Returns its size.
static int32_t MarkSeparator( Dissection* d, const int32_t* sorted, int32_t count, int32_t cut )
{
	const supGraph* graph = d->graph;
	int32_t deadVisit = ++d->visit;
	for ( int32_t i = 0; i < count; ++i )
	{
		d->partners[sorted[i]] = -1;
	}
	// most partners are found without a search
	for ( int32_t i = cut - 1; i >= 0; --i )
	{
		int32_t node = sorted[i];
		for ( int32_t k = graph->rowStarts[node]; k < graph->rowStarts[node + 1]; ++k )
		{
			int32_t other = graph->columns[k];
			if ( d->sides[other] == HIGH && d->partners[other] < 0 )
			{
				d->partners[node] = other;
				d->partners[other] = node;
				break;
			}
		}
	}
	for ( int32_t i = cut - 1; i >= 0; --i )
	{
		if ( d->partners[sorted[i]] < 0 && d->visits[sorted[i]] != deadVisit && TouchesSide( d, sorted[i], HIGH ) )
		{
			d->visit += 1;
			Augment( d, sorted[i], deadVisit );
		}
	}
	// the cover: matched nodes of the low side that no search in vain saw, and those of the high side that one saw
	int32_t size = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t node = sorted[i];
		bool dead = d->visits[node] == deadVisit;
		if ( d->partners[node] >= 0 && ( i < cut ? dead == false : dead ) )
		{
			d->sides[node] = SEPARATOR;
			size += 1;
		}
	}
	return size;
}

// ---------------------------------------------------------------------------------------------------------------------
// The recursion

// Sorts the set along the direction in which halving it costs least, into d->best.
static void ChooseDirection( Dissection* d, const int32_t* nodes, int32_t count )
{
	int32_t bestSize = INT32_MAX;
	for ( int axis = d->points != NULL ? 0 : 3; axis < 4; ++axis )
	{
		if ( axis < 3 )
		{
			SortAlongAxis( d, nodes, count, axis );
		}
		else
		{
			SortByDistance( d, nodes, count );
		}
		SetSides( d, d->sorted, count, count / 2 );
		int32_t size = BorderSize( d, d->sorted, count, count / 2 );
		if ( size < bestSize )
		{
			bestSize = size;
			int32_t* swap = d->best;
			d->best = d->sorted;
			d->sorted = swap;
		}
	}
}

// Leaves the sides of the best cut in `sides`.
static void ChooseCut( Dissection* d, int32_t count )
{
	int32_t bestCut = 0, bestSize = INT32_MAX;
	for ( int i = 0; i < SUP_COUNT( s_places ); ++i )
	{
		int32_t cut = (int32_t)( (int64_t)count * s_places[i] / 100 );
		SetSides( d, d->best, count, cut );
		int32_t size = MarkSeparator( d, d->best, count, cut );
		if ( size < bestSize )
		{
			bestSize = size;
			bestCut = cut;
		}
	}
	SetSides( d, d->best, count, bestCut );
	MarkSeparator( d, d->best, count, bestCut );
}

// Moves the low side to the front, the separator to the end. The order within each is that of the direction.
static void Partition( Dissection* d, int32_t* nodes, int32_t count, int32_t sizes[3] )
{
	memset( sizes, 0, 3 * sizeof( int32_t ) );
	for ( int32_t i = 0; i < count; ++i )
	{
		sizes[d->sides[d->best[i]]] += 1;
	}
	int32_t at[3] = { 0, sizes[LOW], sizes[LOW] + sizes[HIGH] };
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t node = d->best[i];
		nodes[at[d->sides[node]]++] = node;
	}
}

static void Dissect( Dissection* d, int32_t* nodes, int32_t count )
{
	if ( count <= LEAF_NODES )
	{
		supOrderLeaf( d->graph, nodes, count, d->local );
		return;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		d->sides[nodes[i]] = LOW;
	}
	int32_t sizes[3];
	ChooseDirection( d, nodes, count );
	ChooseCut( d, count );
	Partition( d, nodes, count, sizes );
	for ( int32_t i = 0; i < count; ++i )
	{
		d->sides[nodes[i]] = NONE;
	}
	// each side holds at most 58 percent, so that the depth stays logarithmic
	Dissect( d, nodes, sizes[LOW] );
	Dissect( d, nodes + sizes[LOW], sizes[HIGH] );
}

bool supOrderNodes( const supGraph* graph, const supVec3* points, int32_t* order )
{
	supArena arena = { 0 };
	size_t n = (size_t)graph->nodeCount;
	Dissection d = { .graph = graph, .points = points };
	d.sides = supArena_AllocArray( &arena, n, sizeof( int8_t ) );
	int32_t** arrays[] = { &d.sorted, &d.best, &d.queue, &d.partners, &d.cameFrom, &d.visits, &d.local };
	for ( int i = 0; i < SUP_COUNT( arrays ); ++i )
	{
		*arrays[i] = supArena_AllocArray( &arena, n, sizeof( int32_t ) );
	}
	d.keys = supArena_AllocArray( &arena, n, sizeof( uint64_t ) );
	d.scratch = supArena_AllocArray( &arena, n, sizeof( uint64_t ) );
	bool ok = arena.failed == false;
	if ( ok )
	{
		memset( d.sides, 0xff, n );
		memset( d.visits, 0, n * sizeof( int32_t ) );
		memset( d.local, 0xff, n * sizeof( int32_t ) );
		for ( int32_t i = 0; i < graph->nodeCount; ++i )
		{
			order[i] = i;
		}
		Dissect( &d, order, graph->nodeCount );
	}
	supArena_Destroy( &arena );
	return ok;
}
