// SPDX-License-Identifier: MIT
// Building and refitting; the queries' walks are in tree_kernel.c.
#include "geometry/tree.h"

#include "core/array.h"
#include "core/tasks.h"
#include "geometry/tree_nodes.h"

#include <stdatomic.h>

#define BINS 16

// Triangles and nodes that a worker takes at once.
#define TRIANGLE_GRAIN 1024
#define NODE_GRAIN 32

static bool IsUsablePosition( supVec3 p )
{
	// false for NaN
	return fabsf( p.x ) <= SUP_MAX_COORDINATE && fabsf( p.y ) <= SUP_MAX_COORDINATE &&
		   fabsf( p.z ) <= SUP_MAX_COORDINATE;
}

static supBox Unite( supBox a, supBox b )
{
	return ( supBox ){ { supMinFloat( a.lower.x, b.lower.x ), supMinFloat( a.lower.y, b.lower.y ),
						 supMinFloat( a.lower.z, b.lower.z ) },
					   { supMaxFloat( a.upper.x, b.upper.x ), supMaxFloat( a.upper.y, b.upper.y ),
						 supMaxFloat( a.upper.z, b.upper.z ) } };
}

// Half of it, which is as good for comparing.
static double SurfaceOf( supBox box )
{
	supVec3 size = supBox_Size( box );
	return (double)size.x * size.y + (double)size.y * size.z + (double)size.z * size.x;
}

// ---------------------------------------------------------------------------------------------------------------------
// Boxes

static void SetChildBox( supTreeNode* node, int32_t i, supBox box )
{
	node->lower[0][i] = box.lower.x;
	node->lower[1][i] = box.lower.y;
	node->lower[2][i] = box.lower.z;
	node->upper[0][i] = box.upper.x;
	node->upper[1][i] = box.upper.y;
	node->upper[2][i] = box.upper.z;
}

static supBox LeafBounds( const supTree* tree, int32_t first, int32_t count )
{
	supBox bounds = supBox_empty;
	for ( int32_t i = first; i < first + count; ++i )
	{
		if ( supTree_IsUsable( tree, i ) )
		{
			supTriangle triangle = supTree_Triangle( tree, i );
			bounds = Unite( bounds, supTriangle_Bounds( &triangle ) );
		}
	}
	return bounds;
}

static supBox NodeBounds( const supTreeNode* node )
{
	supBox bounds = supBox_empty;
	for ( int32_t i = 0; i < SUP_TREE_WIDTH; ++i )
	{
		supBox child = { { node->lower[0][i], node->lower[1][i], node->lower[2][i] },
						 { node->upper[0][i], node->upper[1][i], node->upper[2][i] } };
		bounds = Unite( bounds, child );
	}
	return bounds;
}

// The nodes of one level.
typedef struct Fit
{
	supTree* tree;
	int32_t firstNode;
} Fit;

static void FitRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Fit* fit = context;
	supTree* tree = fit->tree;
	for ( int32_t i = begin; i < end; ++i )
	{
		supTreeNode* node = tree->nodes + fit->firstNode + i;
		for ( int32_t k = 0; k < SUP_TREE_WIDTH && node->counts[k] > 0; ++k )
		{
			bool leaf = node->nodes[k] < 0;
			SetChildBox( node, k,
						 leaf ? LeafBounds( tree, node->firsts[k], node->counts[k] )
							  : NodeBounds( tree->nodes + node->nodes[k] ) );
		}
	}
}

// The boxes of all nodes, from the last level to the first.
static void FitNodes( supTree* tree, const supTasks* tasks )
{
	for ( int32_t level = tree->levelCount - 1; level >= 0; --level )
	{
		Fit fit = { tree, tree->levelStarts[level] };
		supParallelFor( tasks, tree->levelStarts[level + 1] - fit.firstNode, NODE_GRAIN, FitRange, &fit );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Building

// A run of triangles in the tree's order.
typedef struct Range
{
	int32_t first;
	int32_t count;
	supBox bounds;
} Range;

// A node before it has boxes: its triangles, the first of its children that are nodes, and the triangles of each child.
// Ranges of children follow each other, and so do the numbers of those that are nodes.
typedef struct Draft
{
	int32_t first;
	int32_t count;
	int32_t firstNode;
	int32_t counts[SUP_TREE_WIDTH];
} Draft;

typedef struct Builder
{
	const supVec3* positions;
	const uint32_t* indices;
	int32_t triangleCount;
	// by the caller's number
	supBox* boxes;
	// the caller's number of each triangle in the tree's order
	int32_t* order;
	// up to how many triangles parts are not cut any more, and up to how many they need no node
	int32_t leaf, leafMost;
	SUP_ARRAY( Draft ) drafts;
	int32_t levelCount;
	int32_t levelStarts[SUP_TREE_LEVELS + 1];
} Builder;

typedef struct Bin
{
	supBox bounds;
	int32_t count;
} Bin;

// A way of cutting a range: bins [0, bin) of an axis go to the left.
typedef struct Cut
{
	int axis; // -1: none
	int bin;
	float origin;
	float scale;
	double cost;
} Cut;

// Twice the middle of a box on an axis.
static inline float MiddleOf( const supBox* box, int axis )
{
	return ( &box->lower.x )[axis] + ( &box->upper.x )[axis];
}

static inline int BinOf( const supBox* box, int axis, float origin, float scale )
{
	int bin = (int)( ( MiddleOf( box, axis ) - origin ) * scale );
	return bin < BINS - 1 ? bin : BINS - 1;
}

// The cheapest place between two bins: the sum of count times surface on both sides.
static void ChooseBorder( const Bin* bins, int axis, float origin, float scale, Cut* best )
{
	double rightCost[BINS];
	supBox box = supBox_empty;
	int32_t count = 0;
	for ( int i = BINS - 1; i > 0; --i )
	{
		box = Unite( box, bins[i].bounds );
		count += bins[i].count;
		rightCost[i] = count > 0 ? count * SurfaceOf( box ) : -1.0;
	}
	box = supBox_empty;
	count = 0;
	for ( int i = 1; i < BINS; ++i )
	{
		box = Unite( box, bins[i - 1].bounds );
		count += bins[i - 1].count;
		double cost = count * SurfaceOf( box ) + rightCost[i];
		if ( count > 0 && rightCost[i] >= 0.0 && ( best->axis < 0 || cost < best->cost ) )
		{
			*best = ( Cut ){ axis, i, origin, scale, cost };
		}
	}
}

static Cut ChooseCut( const Builder* builder, const Range* range )
{
	const int32_t* order = builder->order + range->first;
	supBox middles = supBox_empty;
	for ( int32_t i = 0; i < range->count; ++i )
	{
		const supBox* box = builder->boxes + order[i];
		middles = supBox_Include( middles, supAdd( box->lower, box->upper ) );
	}
	Cut best = { .axis = -1 };
	for ( int axis = 0; axis < 3; ++axis )
	{
		float origin = ( &middles.lower.x )[axis];
		float extent = ( &middles.upper.x )[axis] - origin;
		// all at one place, or so near that the scale would be infinite
		if ( !( extent > 1.0e-35f ) )
		{
			continue;
		}
		float scale = (float)BINS / extent;
		Bin bins[BINS];
		for ( int i = 0; i < BINS; ++i )
		{
			bins[i] = ( Bin ){ supBox_empty, 0 };
		}
		for ( int32_t i = 0; i < range->count; ++i )
		{
			const supBox* box = builder->boxes + order[i];
			Bin* bin = bins + BinOf( box, axis, origin, scale );
			bin->bounds = Unite( bin->bounds, *box );
			bin->count += 1;
		}
		ChooseBorder( bins, axis, origin, scale, &best );
	}
	return best;
}

// Brings what belongs to the left of the cut to the front; returns how many these are.
static int32_t Partition( Builder* builder, const Range* range, const Cut* cut )
{
	int32_t* order = builder->order + range->first;
	int32_t left = 0;
	int32_t right = range->count;
	while ( left < right )
	{
		if ( BinOf( builder->boxes + order[left], cut->axis, cut->origin, cut->scale ) < cut->bin )
		{
			++left;
		}
		else
		{
			--right;
			int32_t swap = order[left];
			order[left] = order[right];
			order[right] = swap;
		}
	}
	return left;
}

static supBox BoundsOf( const Builder* builder, int32_t first, int32_t count )
{
	supBox bounds = supBox_empty;
	for ( int32_t i = first; i < first + count; ++i )
	{
		bounds = Unite( bounds, builder->boxes[builder->order[i]] );
	}
	return bounds;
}

// `range` keeps the left part, the right one is returned.
static Range SplitRange( Builder* builder, Range* range, bool halve )
{
	Cut cut = halve ? ( Cut ){ .axis = -1 } : ChooseCut( builder, range );
	int32_t leftCount = cut.axis >= 0 ? Partition( builder, range, &cut ) : range->count / 2;
	Range right = { range->first + leftCount, range->count - leftCount, supBox_empty };
	right.bounds = BoundsOf( builder, right.first, right.count );
	range->count = leftCount;
	range->bounds = BoundsOf( builder, range->first, range->count );
	return right;
}

// Cuts a node's range into up to eight, kept in order. Returns how many.
static int32_t CutIntoChildren( Builder* builder, Range range, bool halve, Range children[SUP_TREE_WIDTH] )
{
	int32_t count = 1;
	children[0] = range;
	while ( count < SUP_TREE_WIDTH )
	{
		int32_t chosen = -1;
		double most = -1.0;
		for ( int32_t i = 0; i < count; ++i )
		{
			double size = halve ? (double)children[i].count : SurfaceOf( children[i].bounds );
			if ( children[i].count > builder->leaf && size > most )
			{
				chosen = i;
				most = size;
			}
		}
		if ( chosen < 0 )
		{
			break;
		}
		Range right = SplitRange( builder, children + chosen, halve );
		memmove( children + chosen + 2, children + chosen + 1, (size_t)( count - chosen - 1 ) * sizeof( Range ) );
		children[chosen + 1] = right;
		count += 1;
	}
	return count;
}

static bool AddDraft( Builder* builder, int32_t first, int32_t count )
{
	Draft draft = { .first = first, .count = count };
	return SUP_PUSH( &builder->drafts, draft );
}

// Cuts the triangles of a draft and adds drafts for the children that become nodes.
static bool CutDraft( Builder* builder, int32_t index, bool halve )
{
	Range children[SUP_TREE_WIDTH];
	Draft* draft = builder->drafts.data + index;
	Range range = { draft->first, draft->count, supBox_empty };
	int32_t count = CutIntoChildren( builder, range, halve, children );
	draft->firstNode = builder->drafts.count;
	for ( int32_t k = 0; k < count; ++k )
	{
		draft->counts[k] = children[k].count;
	}
	for ( int32_t k = 0; k < count; ++k )
	{
		if ( children[k].count > builder->leafMost &&
			 AddDraft( builder, children[k].first, children[k].count ) == false )
		{
			return false;
		}
	}
	return true;
}

static bool BuildDrafts( Builder* builder )
{
	if ( builder->triangleCount == 0 )
	{
		return true;
	}
	if ( AddDraft( builder, 0, builder->triangleCount ) == false )
	{
		return false;
	}
	for ( int32_t begin = 0; begin < builder->drafts.count; )
	{
		bool halve = builder->levelCount >= SUP_TREE_SAFE_LEVEL;
		int32_t end = builder->drafts.count;
		SUP_ASSERT( builder->levelCount < SUP_TREE_LEVELS );
		builder->levelStarts[builder->levelCount++] = begin;
		for ( int32_t i = begin; i < end; ++i )
		{
			if ( CutDraft( builder, i, halve ) == false )
			{
				return false;
			}
		}
		begin = end;
	}
	builder->levelStarts[builder->levelCount] = builder->drafts.count;
	return true;
}

static void FillNode( const Draft* draft, int32_t leafMost, supTreeNode* node )
{
	int32_t first = draft->first, next = draft->firstNode;
	for ( int32_t k = 0; k < SUP_TREE_WIDTH; ++k )
	{
		SetChildBox( node, k, supBox_empty );
		node->firsts[k] = draft->counts[k] > 0 ? first : 0;
		node->counts[k] = draft->counts[k];
		node->nodes[k] = draft->counts[k] > leafMost ? next++ : -1;
		first += draft->counts[k];
	}
}

// The tree's own copy of the triangles.
static bool CopyTriangles( supTree* tree, const supVec3* positions, const uint32_t* indices )
{
	size_t count = (size_t)tree->triangleCount;
	tree->triangles = supAllocArray( count, sizeof( supTriangle ) );
	tree->corners = supAllocArray( count, 3 * sizeof( uint32_t ) );
	if ( tree->triangles == NULL || tree->corners == NULL )
	{
		return false;
	}
	for ( size_t i = 0; i < count; ++i )
	{
		memcpy( tree->corners + 3 * i, indices + 3 * (size_t)tree->numbers[i], 3 * sizeof( uint32_t ) );
		tree->triangles[i] = supGatherTriangle( positions, tree->corners + 3 * i );
	}
	return true;
}

static supTree* MakeTree( Builder* builder, int32_t vertexCount, bool lean )
{
	supTree* tree = supAllocZeroed( sizeof( supTree ) );
	if ( tree == NULL )
	{
		return NULL;
	}
	*tree = ( supTree ){ .vertexCount = vertexCount,
						 .triangleCount = builder->triangleCount,
						 .nodeCount = builder->drafts.count,
						 .levelCount = builder->levelCount,
						 .positions = lean ? builder->positions : NULL,
						 .indices = lean ? builder->indices : NULL,
						 .numbers = builder->order };
	builder->order = NULL;
	// of all that building needs the boxes are the most: they go before the rest comes
	supFree( builder->boxes );
	builder->boxes = NULL;
	memcpy( tree->levelStarts, builder->levelStarts, sizeof( tree->levelStarts ) );
	tree->nodes = supAllocArray( (size_t)tree->nodeCount, sizeof( supTreeNode ) );
	if ( tree->nodes == NULL ||
		 ( lean == false && CopyTriangles( tree, builder->positions, builder->indices ) == false ) )
	{
		supDestroyTree( tree );
		return NULL;
	}
	for ( int32_t i = 0; i < tree->nodeCount; ++i )
	{
		FillNode( builder->drafts.data + i, builder->leafMost, tree->nodes + i );
	}
	FitNodes( tree, NULL );
	return tree;
}

static bool CheckPosition( supVec3 p, int32_t vertex, supError* error )
{
	return IsUsablePosition( p ) ||
		   supSetError( error, sup_errorArgument, "", "vertex %d is at (%g, %g, %g); the largest coordinate is %g",
						vertex, (double)p.x, (double)p.y, (double)p.z, (double)SUP_MAX_COORDINATE );
}

// - lean: only vertices that triangles use
static bool CheckMesh( const supVec3* positions, int32_t vertexCount, const uint32_t* indices, int32_t triangleCount,
					   bool lean, supError* error )
{
	if ( vertexCount < 0 || triangleCount < 0 || triangleCount > INT32_MAX / 3 )
	{
		return supSetError( error, sup_errorArgument, "", "invalid counts: %d vertices, %d triangles", vertexCount,
							triangleCount );
	}
	for ( int32_t i = 0; lean == false && i < vertexCount; ++i )
	{
		if ( CheckPosition( positions[i], i, error ) == false )
		{
			return false;
		}
	}
	for ( size_t i = 0; i < 3 * (size_t)triangleCount; ++i )
	{
		if ( indices[i] >= (uint32_t)vertexCount )
		{
			return supSetError( error, sup_errorArgument, "", "triangle %d uses vertex %u of %d", (int32_t)( i / 3 ),
								indices[i], vertexCount );
		}
		if ( lean && CheckPosition( positions[indices[i]], (int32_t)indices[i], error ) == false )
		{
			return false;
		}
	}
	return true;
}

static supTree* CreateTree( Builder* builder, int32_t vertexCount, bool lean, supError* error )
{
	size_t count = (size_t)builder->triangleCount;
	if ( CheckMesh( builder->positions, vertexCount, builder->indices, builder->triangleCount, lean, error ) == false )
	{
		return NULL;
	}
	builder->boxes = supAllocArray( count, sizeof( supBox ) );
	builder->order = supAllocArray( count, sizeof( int32_t ) );
	supTree* tree = NULL;
	if ( builder->boxes != NULL && builder->order != NULL )
	{
		for ( size_t i = 0; i < count; ++i )
		{
			supTriangle triangle = supGatherTriangle( builder->positions, builder->indices + 3 * i );
			builder->boxes[i] = supTriangle_Bounds( &triangle );
			builder->order[i] = (int32_t)i;
		}
		tree = BuildDrafts( builder ) ? MakeTree( builder, vertexCount, lean ) : NULL;
	}
	if ( tree == NULL )
	{
		supSetMemoryError( error );
	}
	SUP_FREE_ARRAY( &builder->drafts );
	supFree( builder->boxes );
	supFree( builder->order );
	return tree;
}

supTree* supCreateTree( const supVec3* positions, int32_t vertexCount, const uint32_t* indices, int32_t triangleCount,
						supError* error )
{
	Builder builder = { .positions = positions,
						.indices = indices,
						.triangleCount = triangleCount,
						.leaf = SUP_TREE_LEAF,
						.leafMost = SUP_TREE_LEAF_MOST };
	return CreateTree( &builder, vertexCount, false, error );
}

supTree* supCreateLeanTree( const supVec3* positions, int32_t vertexCount, const uint32_t* indices,
							int32_t triangleCount, int32_t leaf, supError* error )
{
	SUP_ASSERT( leaf >= SUP_TREE_LEAF );
	Builder builder = { .positions = positions,
						.indices = indices,
						.triangleCount = triangleCount,
						.leaf = SUP_TREE_LEAF,
						.leafMost = leaf };
	return CreateTree( &builder, vertexCount, true, error );
}

void supDestroyTree( supTree* tree )
{
	if ( tree == NULL )
	{
		return;
	}
	supFree( tree->nodes );
	supFree( tree->triangles );
	supFree( tree->corners );
	supFree( tree->numbers );
	supFree( tree );
}

// ---------------------------------------------------------------------------------------------------------------------
// Refitting

typedef struct Refit
{
	supTree* tree;
	const supVec3* positions;
	_Atomic int32_t unusable;
} Refit;

static void MoveTriangles( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Refit* refit = context;
	supTree* tree = refit->tree;
	int32_t unusable = 0;
	for ( int32_t i = begin; i < end; ++i )
	{
		supTriangle t = supGatherTriangle( refit->positions, tree->corners + 3 * (size_t)i );
		if ( !( IsUsablePosition( t.a ) && IsUsablePosition( t.b ) && IsUsablePosition( t.c ) ) )
		{
			t = ( supTriangle ){ { NAN, NAN, NAN }, { NAN, NAN, NAN }, { NAN, NAN, NAN } };
			++unusable;
		}
		tree->triangles[i] = t;
	}
	if ( unusable > 0 )
	{
		atomic_fetch_add( &refit->unusable, unusable );
	}
}

int32_t supTree_Refit( supTree* tree, const supVec3* positions, const supTasks* tasks )
{
	SUP_ASSERT( tree->positions == NULL );
	Refit refit = { .tree = tree, .positions = positions };
	supParallelFor( tasks, tree->triangleCount, TRIANGLE_GRAIN, MoveTriangles, &refit );
	FitNodes( tree, tasks );
	return atomic_load( &refit.unusable );
}

// ---------------------------------------------------------------------------------------------------------------------
// Looking

supBox supTree_Bounds( const supTree* tree )
{
	return tree->nodeCount > 0 ? NodeBounds( tree->nodes ) : supBox_empty;
}

bool supTree_FindClosest( const supTree* tree, supVec3 point, float maxDistance, supTreeHit* hit )
{
	*hit = ( supTreeHit ){ .triangle = -1 };
	if ( tree->nodeCount == 0 || supIsFiniteVec3( point ) == false || !( maxDistance >= 0.0f ) )
	{
		return false;
	}
	return SUP_CALL_KERNEL( supFindClosestInTree )( tree, point, maxDistance, hit );
}

bool supTree_CastRay( const supTree* tree, supVec3 origin, supVec3 direction, float maxDistance, supTreeHit* hit )
{
	*hit = ( supTreeHit ){ .triangle = -1 };
	supRay ray = supMakeRay( origin, direction );
	if ( tree->nodeCount == 0 || ray.valid == false || !( maxDistance >= 0.0f ) )
	{
		return false;
	}
	return SUP_CALL_KERNEL( supCastRayIntoTree )( tree, &ray, maxDistance, hit );
}

bool supTree_Query( const supTree* tree, supBox box, supTreeQueryFcn* function, void* context )
{
	return tree->nodeCount == 0 || supBox_IsEmpty( box ) ||
		   SUP_CALL_KERNEL( supQueryTree )( tree, box, function, context );
}
