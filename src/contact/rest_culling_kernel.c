// SPDX-License-Identifier: MIT
#include "contact/rest_culling_kernel.h"

#include "core/wide.h"

// The norm of a difference of rotations is that of two of its three singular values, which are equal: a half of the sum
// of squares, and a hair more for what is rounded.
#define HALF 0.5001f

typedef struct Lanes
{
	supFloat8 x, y, z;
} Lanes;

SUP_WIDE Lanes Load( const float* p )
{
	return ( Lanes ){ supLoad8( p ), supLoad8( p + 8 ), supLoad8( p + 16 ) };
}

SUP_WIDE Lanes Sub( Lanes a, Lanes b )
{
	return ( Lanes ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

SUP_WIDE Lanes SubOne( Lanes a, supVec3 b )
{
	return ( Lanes ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

SUP_WIDE supFloat8 DotOne( Lanes a, supVec3 b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

SUP_WIDE supFloat8 LengthSquared( Lanes a )
{
	return a.x * a.x + a.y * a.y + a.z * a.z;
}

SUP_WIDE Lanes MulAdd( Lanes a, supFloat8 s, Lanes b )
{
	return ( Lanes ){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

SUP_WIDE supVec3 Sum( Lanes a )
{
	return ( supVec3 ){ supSum8( a.x ), supSum8( a.y ), supSum8( a.z ) };
}

// The lanes of a block that starts at `first` and has corners.
SUP_WIDE supInt8 AreThere( int32_t first, int32_t count )
{
	return ( supInt8 ){ 0, 1, 2, 3, 4, 5, 6, 7 } < ( supInt8 ){ 0 } + ( count - first );
}

// ---------------------------------------------------------------------------------------------------------------------
// Corners

void SUP_KERNEL( supGatherCorners )( const supClusterVertices* vertices, const float* levers, supVec3 along,
									 supVec3 across, supCornerLanes* lanes )
{
	int32_t count = vertices->count + vertices->borderCount;
	supFloat8 zero = supSplat8( 0.0f );
	Lanes sum = { zero, zero, zero };
	for ( int32_t first = 0; first < count; first += 8 )
	{
		float( *at )[8] = lanes->at[first / 8];
		for ( int32_t k = 0; k < 8; ++k )
		{
			int32_t i = first + k < count ? first + k : count - 1;
			int32_t v = i < vertices->count ? vertices->first + i : vertices->borders[i - vertices->count];
			supVec3 p = vertices->positions[v];
			at[0][k] = p.x;
			at[1][k] = p.y;
			at[2][k] = p.z;
		}
		supInt8 there = AreThere( first, count );
		Lanes p = Load( at[0] );
		sum.x = sum.x + supSelect8( there, p.x, zero );
		sum.y = sum.y + supSelect8( there, p.y, zero );
		sum.z = sum.z + supSelect8( there, p.z, zero );
	}
	float scale = 1.0f / (float)count;
	supVec3 total = Sum( sum );
	lanes->origin = ( supVec3 ){ scale * total.x, scale * total.y, scale * total.z };
	Lanes lengthwise = { zero, zero, zero }, sideways = { zero, zero, zero };
	for ( int32_t first = 0; first < count; first += 8 )
	{
		float( *at )[8] = lanes->at[first / 8];
		Lanes p = SubOne( Load( at[0] ), lanes->origin ), lever = Load( levers + 3 * first );
		lengthwise = MulAdd( lengthwise, DotOne( lever, along ), p );
		sideways = MulAdd( sideways, DotOne( lever, across ), p );
		supStore8( at[0], p.x );
		supStore8( at[1], p.y );
		supStore8( at[2], p.z );
	}
	lanes->along = Sum( lengthwise );
	lanes->across = Sum( sideways );
}

float SUP_KERNEL( supFindFarthestOff )( const supCornerLanes* lanes, int32_t count, const float* levers,
										const supVec3 turn[3] )
{
	supFloat8 zero = supSplat8( 0.0f ), most = zero;
	supInt8 isNumber = zero == zero;
	for ( int32_t first = 0; first < count; first += 8 )
	{
		Lanes at = Load( lanes->at[first / 8][0] ), lever = Load( levers + 3 * first );
		Lanes off = { at.x - ( lever.x * turn[0].x + lever.y * turn[1].x + lever.z * turn[2].x ),
					  at.y - ( lever.x * turn[0].y + lever.y * turn[1].y + lever.z * turn[2].y ),
					  at.z - ( lever.x * turn[0].z + lever.y * turn[1].z + lever.z * turn[2].z ) };
		supFloat8 squared = supSelect8( AreThere( first, count ), LengthSquared( off ), zero );
		isNumber &= squared < supSplat8( INFINITY );
		most = supMax8( most, squared );
	}
	float largest = 0.0f;
	for ( int32_t i = 0; i < 8; ++i )
	{
		largest = most[i] > largest ? most[i] : largest;
	}
	return supMaskBits8( isNumber ) == 0xFFu ? largest : INFINITY;
}

// ---------------------------------------------------------------------------------------------------------------------
// Clusters

// No vertex of the one and no triangle of the others that are not neighbours are nearer at rest.
SUP_WIDE supFloat8 RestDistance( const supApartQuery* query )
{
	const supConeBlock* cones = query->cones;
	supFloat8 between = supSqrt8( LengthSquared( SubOne( Load( cones->center[0] ), query->cluster->center ) ) );
	supFloat8 spheres = between - query->cluster->radius - supLoad8( cones->radius );
	if ( query->known == NULL )
	{
		return spheres;
	}
	supFloat8 known = supLoad8( query->known );
	return supSelect8( known >= 0.0f, known, spheres );
}

SUP_WIDE supInt8 AreApart( const supApartQuery* query, const supClusterMotion* motion, const supMotionBlock* motions,
						   supFloat8 rest )
{
	supFloat8 bend = supLoad8( motions->bend ) + motion->bend + query->rounding;
	const supVec3* own = motion->turn;
	Lanes turn[3] = { Load( motions->turn[0][0] ), Load( motions->turn[1][0] ), Load( motions->turn[2][0] ) };
	supFloat8 turned = LengthSquared( SubOne( turn[0], own[0] ) ) + LengthSquared( SubOne( turn[1], own[1] ) ) +
					   LengthSquared( SubOne( turn[2], own[2] ) );
	turned = supSqrt8( HALF * turned );
	Lanes apart = SubOne( Load( motions->origin[0] ), motion->origin );
	Lanes lever = SubOne( Load( query->frames->mean[0] ), query->frame->mean );
	// how far points of the others may be from where the one takes them, and the other way around
	Lanes there = { lever.x * own[0].x + lever.y * own[1].x + lever.z * own[2].x,
					lever.x * own[0].y + lever.y * own[1].y + lever.z * own[2].y,
					lever.x * own[0].z + lever.y * own[1].z + lever.z * own[2].z };
	supFloat8 off = supSqrt8( LengthSquared( Sub( apart, there ) ) ) + supLoad8( query->frames->radius ) * turned;
	there = ( Lanes ){ lever.x * turn[0].x + lever.y * turn[1].x + lever.z * turn[2].x,
					   lever.x * turn[0].y + lever.y * turn[1].y + lever.z * turn[2].y,
					   lever.x * turn[0].z + lever.y * turn[1].z + lever.z * turn[2].z };
	supFloat8 back = supSqrt8( LengthSquared( Sub( apart, there ) ) ) + query->frame->radius * turned;
	// false for what is not a number
	return ( rest > 2.0f * ( bend + off ) ) | ( rest > 2.0f * ( bend + back ) );
}

uint32_t SUP_KERNEL( supMaskApart )( const supApartQuery* query )
{
	supFloat8 rest = RestDistance( query );
	supInt8 isStiff = rest > 2.0f * ( supLoad8( query->nows->bend ) + query->view->now.bend + query->rounding );
	if ( supMaskBits8( isStiff ) == 0 )
	{
		return 0;
	}
	supInt8 apart = AreApart( query, &query->view->now, query->nows, rest );
	supInt8 fast = supLoad8( query->frames->motion ) + query->motion > supSplat8( query->slow );
	if ( supMaskBits8( apart & fast ) != 0 )
	{
		apart &= ~fast | AreApart( query, &query->view->before, query->befores, rest );
	}
	return supMaskBits8( apart );
}
