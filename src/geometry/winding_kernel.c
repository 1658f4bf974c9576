// SPDX-License-Identifier: MIT
#include "core/wide.h"
#include "geometry/winding_moments.h"

typedef struct Sums
{
	supFloat8 series;
	supFloat8 bound;
	supAngleSum angles;
} Sums;

// The series of all eight children about the unit vector u from the point to the centre, x = radius / distance.
SUP_WIDE supFloat8 EvaluateSeries( const supWindingNode* node, supFloat8 ux, supFloat8 uy, supFloat8 uz, supFloat8 x )
{
	supFloat8 xx = ux * ux, yy = uy * uy, zz = uz * uz, xy = ux * uy, xz = ux * uz, yz = uy * uz;
	supFloat8 first =
		supLoad8( node->first[0] ) * ux + supLoad8( node->first[1] ) * uy + supLoad8( node->first[2] ) * uz;
	supFloat8 second = supLoad8( node->second[0] ) * xx + supLoad8( node->second[1] ) * yy +
					   supLoad8( node->second[2] ) * zz + supLoad8( node->second[3] ) * xy +
					   supLoad8( node->second[4] ) * xz + supLoad8( node->second[5] ) * yz;
	supFloat8 third =
		( supLoad8( node->third[0] ) * xx + supLoad8( node->third[3] ) * xy + supLoad8( node->third[4] ) * xz +
		  supLoad8( node->third[5] ) * yy + supLoad8( node->third[7] ) * zz + supLoad8( node->third[9] ) * yz ) *
			ux +
		( supLoad8( node->third[1] ) * yy + supLoad8( node->third[6] ) * yz + supLoad8( node->third[8] ) * zz ) * uy +
		supLoad8( node->third[2] ) * zz * uz;
	return x * x * ( first + x * ( second + x * third ) );
}

// What the series leaves out, winding.h; and 3e-5 of the terms themselves for the rounding of a few hundred sums.
SUP_WIDE supFloat8 BoundSeries( const supWindingNode* node, supFloat8 x )
{
	supFloat8 rest = 1.0f - x;
	return supLoad8( node->area ) * x * x * ( x * x * x * ( 4.0f - 3.0f * x ) + 3.0e-5f ) / ( rest * rest );
}

// Adds the children that are far enough; returns the others.
SUP_WIDE uint32_t AddFarChildren( const supWindingNode* node, supVec3 p, Sums* sums )
{
	supFloat8 rx = supLoad8( node->center[0] ) - p.x;
	supFloat8 ry = supLoad8( node->center[1] ) - p.y;
	supFloat8 rz = supLoad8( node->center[2] ) - p.z;
	supFloat8 distance = supSqrt8( rx * rx + ry * ry + rz * rz );
	supInt8 far = distance >= supLoad8( node->near );
	// nothing to divide by: such a child adds nothing, or is not far
	supInt8 used = far & ( distance > supSplat8( 0.0f ) );
	supFloat8 inverse = 1.0f / distance;
	supFloat8 x = supLoad8( node->radius ) * inverse;
	supFloat8 zero = supSplat8( 0.0f );
	supFloat8 series = EvaluateSeries( node, rx * inverse, ry * inverse, rz * inverse, x );
	sums->series += supSelect8( used, series, zero );
	sums->bound += supSelect8( used, BoundSeries( node, x ), zero );
	return supMaskBits8( ~far );
}

static void AddTriangles( const supTree* tree, int32_t first, int32_t count, supVec3 p, supAngleSum* angles )
{
	for ( int32_t i = first; i < first + count; ++i )
	{
		if ( supTree_IsUsable( tree, i ) )
		{
			double x, y;
			supTriangle triangle = supTree_Triangle( tree, i );
			supHalfSolidAngle( &triangle, p, &x, &y );
			supAngleSum_Add( angles, x, y );
		}
	}
}

float SUP_KERNEL( supEvaluateWinding )( const supWinding* winding, supVec3 p, float* bound )
{
	const supTree* tree = winding->tree;
	Sums sums = { supSplat8( 0.0f ), supSplat8( 0.0f ), { 1.0, 0.0, 0 } };
	int32_t stack[SUP_TREE_STACK];
	int32_t count = 1;
	stack[0] = 0;
	while ( count > 0 )
	{
		int32_t index = stack[--count];
		const supTreeNode* node = tree->nodes + index;
		uint32_t bits = AddFarChildren( winding->nodes + index, p, &sums );
		while ( bits != 0 )
		{
			int32_t i = __builtin_ctz( bits );
			bits &= bits - 1;
			if ( node->nodes[i] < 0 )
			{
				AddTriangles( tree, node->firsts[i], node->counts[i], p, &sums.angles );
			}
			else
			{
				stack[count++] = node->nodes[i];
			}
		}
	}
	// half the solid angle over 2 pi; floats near 1 have steps of 1e-7
	double exact = supAngleSum_Angle( &sums.angles ) * ( 1.0 / 6.2831853071795864769 );
	*bound = supSum8( sums.bound ) + 1.0e-6f;
	return (float)( exact + (double)supSum8( sums.series ) );
}
