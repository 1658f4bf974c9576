// SPDX-License-Identifier: MIT
// What the winding number keeps per node, for the loop that evaluates it.
#pragma once

#include "geometry/tree_nodes.h"
#include "geometry/winding.h"

// Of the eight children of a node. Lengths are in units of the child's radius, so that nothing over- or underflows; the
// series' factors 1, -3, 15 and 1 / 4 pi are in the moments.
typedef struct supWindingNode
{
	float center[3][SUP_TREE_WIDTH];
	float radius[SUP_TREE_WIDTH];
	// |r| at least this: beta times the radius. Negative for what adds nothing anywhere: no child, or no area.
	float near[SUP_TREE_WIDTH];
	float first[3][SUP_TREE_WIDTH];
	// xx, yy, zz, xy, xz, yz, the last three doubled
	float second[6][SUP_TREE_WIDTH];
	// xxx, yyy, zzz, then thrice xxy, xxz, xyy, yyz, xzz, yzz, then six times xyz
	float third[10][SUP_TREE_WIDTH];
	// area / (4 pi radius^2)
	float area[SUP_TREE_WIDTH];
} supWindingNode;

struct supWinding
{
	const supTree* tree;
	float beta;
	// one per node of the tree
	supWindingNode* nodes;
};

// A product of complex numbers that knows how often it has gone around: the sum of their angles with one arc tangent at
// the end. Solid angles come as angles of complex numbers (van Oosterom & Strackee 1983).
typedef struct supAngleSum
{
	double x, y;
	int32_t turns;
} supAngleSum;

// An angle of exactly zero or pi adds nothing: the point is in the triangle's plane, and between both sides.
static inline void supAngleSum_Add( supAngleSum* sum, double x, double y )
{
	if ( y == 0.0 )
	{
		return;
	}
	double px = sum->x * x - sum->y * y;
	double py = sum->x * y + sum->y * x;
	// Both angles above zero and the product's below: the sum has passed pi. Whatever rounding does to the sign near
	// there, it does the same to the angle that is taken at the end.
	if ( sum->y >= 0.0 && y > 0.0 && py < 0.0 )
	{
		sum->turns += 1;
	}
	else if ( sum->y < 0.0 && y < 0.0 && ( py > 0.0 || ( py == 0.0 && px < 0.0 ) ) )
	{
		sum->turns -= 1;
	}
	double size = __builtin_fabs( px ) > __builtin_fabs( py ) ? __builtin_fabs( px ) : __builtin_fabs( py );
	double scale = size > 1.0e100 || size < 1.0e-100 ? 1.0 / size : 1.0;
	sum->x = px * scale;
	// no negative zero
	sum->y = py * scale + 0.0;
}

// The complex number whose angle is half the solid angle of the triangle seen from p, of size at most 4.
void supHalfSolidAngle( const supTriangle* triangle, supVec3 p, double* x, double* y );

// In radians; turns are included.
double supAngleSum_Angle( const supAngleSum* sum );

SUP_DECLARE_KERNEL( float, supEvaluateWinding, ( const supWinding* winding, supVec3 point, float* bound ) );
