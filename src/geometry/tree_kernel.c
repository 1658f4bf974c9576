// SPDX-License-Identifier: MIT
#include "core/wide.h"
#include "geometry/tree_nodes.h"

#include <float.h>

// What is computed of a box in floats is off by less than four roundings: 2.4e-7.
#define SLACK 1.000001f

// A child waiting to be looked at.
typedef struct Entry
{
	float distance;
	int32_t node;
	int32_t first;
	int32_t count;
} Entry;

typedef struct Stack
{
	int32_t count;
	Entry entries[SUP_TREE_STACK];
} Stack;

// Pushes the children in `bits`, the nearest on top.
SUP_WIDE void PushSorted( Stack* stack, const supTreeNode* node, uint32_t bits, supFloat8 distances )
{
	float all[SUP_TREE_WIDTH];
	supStore8( all, distances );
	int32_t base = stack->count;
	while ( bits != 0 )
	{
		int32_t i = __builtin_ctz( bits );
		bits &= bits - 1;
		int32_t at = stack->count++;
		while ( at > base && stack->entries[at - 1].distance < all[i] )
		{
			stack->entries[at] = stack->entries[at - 1];
			--at;
		}
		stack->entries[at] = ( Entry ){ all[i], node->nodes[i], node->firsts[i], node->counts[i] };
	}
}

// An upper bound of `value` among floats, with room for the rounding of what it is compared with.
SUP_WIDE float LimitOf( double value )
{
	double limit = value * (double)SLACK + (double)FLT_MIN;
	return limit < (double)FLT_MAX ? (float)limit : FLT_MAX;
}

// ---------------------------------------------------------------------------------------------------------------------
// Nearest point

SUP_WIDE supFloat8 AxisDistance( const supTreeNode* node, int axis, float p )
{
	supFloat8 below = supLoad8( node->lower[axis] ) - p;
	supFloat8 above = p - supLoad8( node->upper[axis] );
	return supMax8( supMax8( below, above ), supSplat8( 0.0f ) );
}

typedef struct Nearest
{
	int32_t triangle;
	supTrianglePoint point;
} Nearest;

static void TestNearest( const supTree* tree, supVec3 p, Entry leaf, Nearest* nearest )
{
	for ( int32_t i = leaf.first; i < leaf.first + leaf.count; ++i )
	{
		supTriangle triangle = supTree_Triangle( tree, i );
		supTrianglePoint candidate = supClosestPointOnTriangle( &triangle, p );
		int32_t number = tree->numbers[i];
		double best = nearest->point.distanceSquared;
		bool first = nearest->triangle < 0 || number < nearest->triangle;
		if ( candidate.distanceSquared < best || ( candidate.distanceSquared == best && first ) )
		{
			*nearest = ( Nearest ){ number, candidate };
		}
	}
}

bool SUP_KERNEL( supFindClosestInTree )( const supTree* tree, supVec3 p, float maxDistance, supTreeHit* hit )
{
	Nearest nearest = { -1, { .distanceSquared = (double)maxDistance * (double)maxDistance } };
	float limit = LimitOf( nearest.point.distanceSquared );
	Stack stack;
	stack.count = 1;
	stack.entries[0] = ( Entry ){ 0.0f, 0, 0, 0 };
	while ( stack.count > 0 )
	{
		Entry entry = stack.entries[--stack.count];
		if ( entry.distance > limit )
		{
			continue;
		}
		if ( entry.node < 0 )
		{
			TestNearest( tree, p, entry, &nearest );
			limit = LimitOf( nearest.point.distanceSquared );
			continue;
		}
		const supTreeNode* node = tree->nodes + entry.node;
		supFloat8 x = AxisDistance( node, 0, p.x );
		supFloat8 y = AxisDistance( node, 1, p.y );
		supFloat8 z = AxisDistance( node, 2, p.z );
		supFloat8 squares = x * x + y * y + z * z;
		PushSorted( &stack, node, supMaskBits8( squares <= supSplat8( limit ) ), squares );
	}
	if ( nearest.triangle < 0 )
	{
		return false;
	}
	float distance = (float)__builtin_sqrt( nearest.point.distanceSquared );
	*hit = ( supTreeHit ){ nearest.triangle, nearest.point.u, nearest.point.v, distance, nearest.point.point, false };
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Ray

// Cuts [near, far] to where the ray is between two planes of each child. Where the ray runs inside a plane the product
// is 0 times infinity; such a NaN leaves the bounds as they are, since comparing with it is false.
SUP_WIDE void CutSlab( const supTreeNode* node, int axis, float origin, float direction, supFloat8* near,
					   supFloat8* far )
{
	float inverse = 1.0f / direction;
	bool forward = direction >= 0.0f;
	supFloat8 entry = ( supLoad8( forward ? node->lower[axis] : node->upper[axis] ) - origin ) * inverse;
	supFloat8 exit = ( supLoad8( forward ? node->upper[axis] : node->lower[axis] ) - origin ) * inverse;
	*near = supMax8( entry, *near );
	*far = supMin8( exit, *far );
}

typedef struct First
{
	int32_t triangle;
	int32_t index;
	supRayHit hit;
} First;

static void TestFirst( const supTree* tree, const supRay* ray, Entry leaf, First* first )
{
	for ( int32_t i = leaf.first; i < leaf.first + leaf.count; ++i )
	{
		supRayHit candidate;
		supTriangle triangle = supTree_Triangle( tree, i );
		if ( supRayHitsTriangle( ray, &triangle, first->hit.t, &candidate ) )
		{
			int32_t number = tree->numbers[i];
			if ( candidate.t < first->hit.t || first->triangle < 0 || number < first->triangle )
			{
				*first = ( First ){ number, i, candidate };
			}
		}
	}
}

bool SUP_KERNEL( supCastRayIntoTree )( const supTree* tree, const supRay* ray, float maxDistance, supTreeHit* hit )
{
	First first = { -1, -1, { .t = maxDistance } };
	float limit = LimitOf( maxDistance );
	Stack stack;
	stack.count = 1;
	stack.entries[0] = ( Entry ){ 0.0f, 0, 0, 0 };
	while ( stack.count > 0 )
	{
		Entry entry = stack.entries[--stack.count];
		if ( entry.distance > limit )
		{
			continue;
		}
		if ( entry.node < 0 )
		{
			TestFirst( tree, ray, entry, &first );
			limit = LimitOf( first.hit.t );
			continue;
		}
		const supTreeNode* node = tree->nodes + entry.node;
		supFloat8 near = supSplat8( 0.0f );
		supFloat8 far = supSplat8( limit );
		CutSlab( node, 0, ray->origin.x, ray->direction.x, &near, &far );
		CutSlab( node, 1, ray->origin.y, ray->direction.y, &near, &far );
		CutSlab( node, 2, ray->origin.z, ray->direction.z, &near, &far );
		PushSorted( &stack, node, supMaskBits8( near <= far * SLACK ), near );
	}
	if ( first.triangle < 0 )
	{
		return false;
	}
	supTriangle t = supTree_Triangle( tree, first.index );
	float u = first.hit.u, v = first.hit.v;
	supVec3 point = supMulAdd( supMulAdd( supScale( 1.0f - u - v, t.a ), u, t.b ), v, t.c );
	*hit = ( supTreeHit ){ first.triangle, u, v, (float)first.hit.t, point, first.hit.front };
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Box

SUP_WIDE supInt8 TouchesSlab( const supTreeNode* node, int axis, float lower, float upper )
{
	return ( supLoad8( node->lower[axis] ) <= upper ) & ( supLoad8( node->upper[axis] ) >= lower );
}

static bool BoxesTouch( supBox a, supBox b )
{
	return a.lower.x <= b.upper.x && a.lower.y <= b.upper.y && a.lower.z <= b.upper.z && a.upper.x >= b.lower.x &&
		   a.upper.y >= b.lower.y && a.upper.z >= b.lower.z;
}

static bool VisitLeaf( const supTree* tree, Entry leaf, supBox box, supTreeQueryFcn* function, void* context )
{
	for ( int32_t i = leaf.first; i < leaf.first + leaf.count; ++i )
	{
		supTriangle triangle = supTree_Triangle( tree, i );
		if ( supTree_IsUsable( tree, i ) && BoxesTouch( supTriangle_Bounds( &triangle ), box ) &&
			 function( tree->numbers[i], context ) == false )
		{
			return false;
		}
	}
	return true;
}

bool SUP_KERNEL( supQueryTree )( const supTree* tree, supBox box, supTreeQueryFcn* function, void* context )
{
	Stack stack;
	stack.count = 1;
	stack.entries[0] = ( Entry ){ 0.0f, 0, 0, 0 };
	while ( stack.count > 0 )
	{
		Entry entry = stack.entries[--stack.count];
		if ( entry.node < 0 )
		{
			if ( VisitLeaf( tree, entry, box, function, context ) == false )
			{
				return false;
			}
			continue;
		}
		const supTreeNode* node = tree->nodes + entry.node;
		supInt8 touches = TouchesSlab( node, 0, box.lower.x, box.upper.x ) &
						  TouchesSlab( node, 1, box.lower.y, box.upper.y ) &
						  TouchesSlab( node, 2, box.lower.z, box.upper.z );
		uint32_t bits = supMaskBits8( touches );
		while ( bits != 0 )
		{
			int32_t i = __builtin_ctz( bits );
			bits &= bits - 1;
			stack.entries[stack.count++] = ( Entry ){ 0.0f, node->nodes[i], node->firsts[i], node->counts[i] };
		}
	}
	return true;
}
