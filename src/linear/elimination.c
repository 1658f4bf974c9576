// SPDX-License-Identifier: MIT
#include "linear/elimination.h"

// ---------------------------------------------------------------------------------------------------------------------
// Tree

static void Invert( const int32_t* order, int32_t* positions, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		positions[order[i]] = i;
	}
}

// Liu's algorithm: each row's entries are followed to their roots, with shortcuts; the roots become children.
static void FindParents( const supGraph* graph, const supElimination* e, int32_t* ancestors )
{
	for ( int32_t i = 0; i < graph->nodeCount; ++i )
	{
		e->parents[i] = -1;
		ancestors[i] = -1;
		int32_t node = e->order[i];
		for ( int32_t k = graph->rowStarts[node]; k < graph->rowStarts[node + 1]; ++k )
		{
			int32_t at = e->positions[graph->columns[k]];
			while ( at < i && at >= 0 )
			{
				int32_t next = ancestors[at];
				ancestors[at] = i;
				if ( next < 0 )
				{
					e->parents[at] = i;
				}
				at = next;
			}
		}
	}
}

// Replaces the order by a postorder of the tree. `heads`, `siblings` and `stack` are scratch.
static void Postorder( supElimination* e, int32_t count, int32_t* heads, int32_t* siblings, int32_t* stack,
					   int32_t* result )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		heads[i] = -1;
	}
	int32_t roots = -1;
	for ( int32_t i = count - 1; i >= 0; --i )
	{
		int32_t* list = e->parents[i] >= 0 ? &heads[e->parents[i]] : &roots;
		siblings[i] = *list;
		*list = i;
	}
	int32_t depth = 0, placed = 0;
	for ( int32_t root = roots; root >= 0; root = siblings[root] )
	{
		stack[depth++] = root;
		while ( depth > 0 )
		{
			int32_t top = stack[depth - 1], child = heads[top];
			if ( child >= 0 )
			{
				heads[top] = siblings[child];
				stack[depth++] = child;
			}
			else
			{
				depth -= 1;
				result[placed++] = e->order[top];
			}
		}
	}
	memcpy( e->order, result, (size_t)count * sizeof( int32_t ) );
}

// Every entry of row i of L lies on a path of the tree from an entry of row i of A towards i.
static void CountColumns( const supGraph* graph, const supElimination* e, const int32_t* offsets, int32_t* marks )
{
	for ( int32_t i = 0; i < graph->nodeCount; ++i )
	{
		int32_t node = e->order[i], size = offsets[node + 1] - offsets[node];
		e->counts[i] = 1;
		e->weights[i] = size;
		marks[i] = i;
		for ( int32_t k = graph->rowStarts[node]; k < graph->rowStarts[node + 1]; ++k )
		{
			for ( int32_t at = e->positions[graph->columns[k]]; at < i && marks[at] != i; at = e->parents[at] )
			{
				marks[at] = i;
				e->counts[at] += 1;
				e->weights[at] += size;
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Supernodes

typedef struct Group
{
	int32_t first; // position
	int32_t width; // unknowns
	int32_t rows;  // unknowns, the diagonal block included
	double zeros;
} Group;

static int32_t FindGroups( const supElimination* e, int32_t nodeCount, const int32_t* offsets, Group* groups,
						   int32_t* groupOf )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		int32_t node = e->order[i];
		bool joins = i > 0 && e->parents[i - 1] == i && e->counts[i - 1] == e->counts[i] + 1;
		if ( joins == false )
		{
			groups[count++] = ( Group ){ i, 0, e->weights[i], 0.0 };
		}
		groups[count - 1].width += offsets[node + 1] - offsets[node];
		groupOf[i] = count - 1;
	}
	return count;
}

// Is a group with this many columns, this part of them zeros, still better than two? Narrow panels waste registers.
static bool IsWorthMerging( int32_t width, double zeroShare )
{
	return width <= 8 || ( width <= 24 && zeroShare < 0.5 ) || ( width <= 48 && zeroShare < 0.12 ) || zeroShare < 0.05;
}

// Merges a group into that of its parent where they lie side by side, from the last to the first, so that chains grow
// downwards. merged[g] is the group that g was merged into, or g.
static void MergeGroups( const supElimination* e, Group* groups, int32_t count, const int32_t* groupOf,
						 int32_t* merged )
{
	for ( int32_t g = count - 1; g >= 0; --g )
	{
		merged[g] = g;
		int32_t last = ( g + 1 < count ? groups[g + 1].first : 0 ) - 1;
		if ( g + 1 == count || e->parents[last] < 0 || merged[g + 1] != merged[groupOf[e->parents[last]]] )
		{
			continue;
		}
		// the parent's group starts right behind: it is made of all groups from g + 1 on that have the same name
		Group* parent = groups + merged[g + 1];
		int32_t width = groups[g].width + parent->width;
		int32_t rows = groups[g].width + parent->rows;
		double zeros = groups[g].zeros + parent->zeros + (double)groups[g].width * ( rows - groups[g].rows );
		double all = 0.5 * width * ( width + 1.0 ) + (double)width * ( rows - width );
		if ( IsWorthMerging( width, zeros / all ) )
		{
			merged[g] = merged[g + 1];
			parent->width = width;
			parent->rows = rows;
			parent->zeros = zeros;
		}
	}
}

static bool FindSupernodes( supElimination* e, supArena* arena, int32_t nodeCount, const int32_t* offsets,
							int32_t* groupOf, int32_t* merged )
{
	Group* groups = supArena_AllocArray( arena, (size_t)nodeCount, sizeof( Group ) );
	e->groupStarts = supArena_AllocArray( arena, (size_t)nodeCount + 1, sizeof( int32_t ) );
	if ( groups == NULL || e->groupStarts == NULL )
	{
		return false;
	}
	int32_t count = FindGroups( e, nodeCount, offsets, groups, groupOf );
	MergeGroups( e, groups, count, groupOf, merged );
	e->groupCount = 0;
	for ( int32_t g = 0; g < count; ++g )
	{
		if ( g == 0 || merged[g] != merged[g - 1] )
		{
			e->groupStarts[e->groupCount++] = groups[g].first;
		}
	}
	e->groupStarts[e->groupCount] = nodeCount;
	return true;
}

bool supElimination_Create( supElimination* elimination, supArena* arena, const supGraph* graph, const int32_t* offsets,
							int32_t* order )
{
	supElimination* e = elimination;
	size_t n = (size_t)graph->nodeCount;
	int32_t* scratch[4] = { 0 };
	int32_t** arrays[] = { &e->positions, &e->parents, &e->counts,  &e->weights,
						   &scratch[0],   &scratch[1], &scratch[2], &scratch[3] };
	for ( int i = 0; i < SUP_COUNT( arrays ); ++i )
	{
		*arrays[i] = supArena_AllocArray( arena, n, sizeof( int32_t ) );
	}
	if ( arena->failed )
	{
		return false;
	}
	e->order = order;
	Invert( order, e->positions, graph->nodeCount );
	FindParents( graph, e, scratch[0] );
	Postorder( e, graph->nodeCount, scratch[0], scratch[1], scratch[2], scratch[3] );
	Invert( order, e->positions, graph->nodeCount );
	FindParents( graph, e, scratch[0] );
	CountColumns( graph, e, offsets, scratch[0] );
	return FindSupernodes( e, arena, graph->nodeCount, offsets, scratch[0], scratch[1] );
}
