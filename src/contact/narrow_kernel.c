// SPDX-License-Identifier: MIT
#include "contact/narrow_kernel.h"

#include "core/wide.h"

SUP_WIDE supFloat8 AxisDistance( const supTriangleBlock* block, int axis, float p )
{
	supFloat8 below = supLoad8( block->lower[axis] ) - p;
	supFloat8 above = p - supLoad8( block->upper[axis] );
	return supMax8( supMax8( below, above ), supSplat8( 0.0f ) );
}

SUP_WIDE supFloat8 DotNormal( const supTriangleBlock* block, supVec3 v )
{
	return supLoad8( block->normal[0] ) * v.x + supLoad8( block->normal[1] ) * v.y + supLoad8( block->normal[2] ) * v.z;
}

uint32_t SUP_KERNEL( supMaskNear )( const supTriangleBlock* blocks, int32_t triangleCount, const supNearQuery* query )
{
	float margin = ( query->margin + query->rounding ) * ( query->margin + query->rounding );
	float depth = ( query->depth + query->rounding ) * ( query->depth + query->rounding );
	uint32_t bits = 0;
	for ( int32_t i = 0; 8 * i < triangleCount; ++i )
	{
		const supTriangleBlock* block = blocks + i;
		supFloat8 x = AxisDistance( block, 0, query->p.x );
		supFloat8 y = AxisDistance( block, 1, query->p.y );
		supFloat8 z = AxisDistance( block, 2, query->p.z );
		supFloat8 squared = x * x + y * y + z * z;
		supFloat8 height = DotNormal( block, query->p ) - supLoad8( block->offset );
		supFloat8 facing = DotNormal( block, query->normal );
		supInt8 front = ( height >= supSplat8( -query->rounding ) ) & ( squared <= supSplat8( margin ) ) &
						( facing < supSplat8( query->facingFront ) );
		supInt8 behind = ( height <= supSplat8( query->rounding ) ) & ( squared <= supSplat8( depth ) ) &
						 ( facing < supSplat8( query->facingBehind ) );
		bits |= supMaskBits8( front | behind ) << ( 8 * i );
	}
	return bits;
}

SUP_WIDE supInt8 TouchesSlab( const supTriangleBlock* block, int axis, float lower, float upper )
{
	return ( supLoad8( block->lower[axis] ) <= upper ) & ( supLoad8( block->upper[axis] ) >= lower );
}

uint32_t SUP_KERNEL( supMaskInBox )( const supTriangleBlock* blocks, int32_t triangleCount, const supBox* box )
{
	uint32_t bits = 0;
	for ( int32_t i = 0; 8 * i < triangleCount; ++i )
	{
		const supTriangleBlock* block = blocks + i;
		supInt8 touches = TouchesSlab( block, 0, box->lower.x, box->upper.x ) &
						  TouchesSlab( block, 1, box->lower.y, box->upper.y ) &
						  TouchesSlab( block, 2, box->lower.z, box->upper.z );
		bits |= supMaskBits8( touches ) << ( 8 * i );
	}
	return bits;
}
