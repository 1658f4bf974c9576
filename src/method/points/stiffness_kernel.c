// SPDX-License-Identifier: MIT
#include "method/points/stiffness_kernel.h"

#include "linear/wide_double.h"

#include <math.h>

// Three numbers and a zero.
typedef supDouble4 Vector;

// Adds a bᵀ and, with its columns, a diagonal. The fourth number of each column is the first of the next, which is read
// before and written after: what is added to it here is zero.
SUP_WIDE void AddProduct( double* block, Vector a, Vector b, double t )
{
	Vector x = supLoad4d( block ), y = supLoad4d( block + 3 ), z = supLoad4d( block + 6 );
	x += a * supSplat4d( b[0] ) + ( Vector ){ t, 0.0, 0.0, 0.0 };
	y += a * supSplat4d( b[1] ) + ( Vector ){ 0.0, t, 0.0, 0.0 };
	z += a * supSplat4d( b[2] ) + ( Vector ){ 0.0, 0.0, t, 0.0 };
	supStore4d( block, x );
	supStore4d( block + 3, y );
	supStore4d( block + 6, z );
}

// Adds s a bᵀ, and t on the diagonal. a is scaled by s already.
SUP_WIDE void AddPair( const supStiffnessJob* job, int32_t slot, Vector a, Vector b, double t )
{
	double* block = job->values + 9 * (int64_t)( slot >> 2 );
	switch ( slot & 3 )
	{
		case sup_slotStraight:
			AddProduct( block, a, b, t );
			break;
		case sup_slotTransposed:
			AddProduct( block, b, a, t );
			break;
		case sup_slotBoth:
			AddProduct( block, a, b, t );
			AddProduct( block, b, a, t );
			break;
		default:
			break;
	}
}

SUP_WIDE void AddElement( const supStiffnessJob* job, const int32_t* slots, const int count, const Vector* gradients,
						  double s )
{
	for ( int i = 0; i < count; ++i )
	{
		Vector scaled = gradients[i] * supSplat4d( s );
		for ( int j = 0; j <= i; ++j )
		{
			AddPair( job, *slots++, scaled, gradients[j], 0.0 );
		}
	}
}

SUP_WIDE Vector Difference( const float* x, int32_t from, int32_t to )
{
	Vector a = __builtin_convertvector( supLoad4( x + 4 * (int64_t)from ), Vector );
	Vector b = __builtin_convertvector( supLoad4( x + 4 * (int64_t)to ), Vector );
	return __builtin_shufflevector( b - a, supSplat4d( 0.0 ), 0, 1, 2, 4 );
}

SUP_WIDE Vector Turn( Vector a )
{
	return __builtin_shufflevector( a, a, 1, 2, 0, 3 );
}

SUP_WIDE Vector Cross( Vector a, Vector b )
{
	return Turn( a * Turn( b ) - Turn( a ) * b );
}

SUP_WIDE double Dot( Vector a, Vector b )
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Lanes that stand for nothing have no weight.
void SUP_KERNEL( supAddEdgeStiffness )( const supStiffnessJob* job, const supEdgeBlock* blocks, int32_t count,
										double along, double across )
{
	const int32_t* slots = job->slots;
	for ( int32_t i = 0; i < SUP_POINT_LANES * count; ++i, slots += SUP_EDGE_PAIRS )
	{
		const supEdgeBlock* block = blocks + i / SUP_POINT_LANES;
		int32_t lane = i % SUP_POINT_LANES;
		double inverse = (double)block->inverseRest[lane], k = (double)block->weight[lane] * inverse * inverse;
		if ( k == 0.0 )
		{
			continue;
		}
		Vector d = Difference( job->x, block->points[0][lane], block->points[1][lane] );
		double square = fmax( Dot( d, d ), 1e-30 ), stretch = sqrt( square ) * inverse;
		double t = across * k * fmax( 1.0 - 1.0 / stretch, 0.0 );
		Vector scaled = d * supSplat4d( ( along * k - t ) / square );
		AddPair( job, slots[0], scaled, d, t );
		AddPair( job, slots[1], -scaled, d, -t );
		AddPair( job, slots[2], scaled, d, t );
	}
}

void SUP_KERNEL( supAddTriangleStiffness )( const supStiffnessJob* job, const supTriangleBlock* blocks, int32_t count,
											double along )
{
	const int32_t* slots = job->slots;
	for ( int32_t i = 0; i < SUP_POINT_LANES * count; ++i, slots += SUP_TRIANGLE_PAIRS )
	{
		const supTriangleBlock* block = blocks + i / SUP_POINT_LANES;
		int32_t lane = i % SUP_POINT_LANES;
		if ( block->weight[lane] == 0.0f )
		{
			continue;
		}
		Vector e1 = Difference( job->x, block->points[0][lane], block->points[1][lane] );
		Vector e2 = Difference( job->x, block->points[0][lane], block->points[2][lane] );
		Vector n = Cross( e1, e2 );
		n *= supSplat4d( (double)block->inverseRest[lane] / sqrt( fmax( Dot( n, n ), 1e-30 ) ) );
		Vector g1 = Cross( e2, n ), g2 = Cross( n, e1 );
		const Vector gradients[3] = { -g1 - g2, g1, g2 };
		AddElement( job, slots, 3, gradients, along * (double)block->weight[lane] );
	}
}

void SUP_KERNEL( supAddTetStiffness )( const supStiffnessJob* job, const supTetBlock* blocks, int32_t count,
									   double along )
{
	const int32_t* slots = job->slots;
	for ( int32_t i = 0; i < SUP_POINT_LANES * count; ++i, slots += SUP_TET_PAIRS )
	{
		const supTetBlock* block = blocks + i / SUP_POINT_LANES;
		int32_t lane = i % SUP_POINT_LANES;
		if ( block->weight[lane] == 0.0f )
		{
			continue;
		}
		Vector inverse = supSplat4d( (double)block->inverseRest[lane] );
		Vector e1 = Difference( job->x, block->points[0][lane], block->points[1][lane] );
		Vector e2 = Difference( job->x, block->points[0][lane], block->points[2][lane] );
		Vector e3 = Difference( job->x, block->points[0][lane], block->points[3][lane] ) * inverse;
		Vector g1 = Cross( e2, e3 ), g2 = Cross( e3, e1 ), g3 = Cross( e1, e2 ) * inverse;
		const Vector gradients[4] = { -g1 - g2 - g3, g1, g2, g3 };
		AddElement( job, slots, 4, gradients, along * (double)block->weight[lane] );
	}
}
