// SPDX-License-Identifier: MIT
#include "contact/narrow_kernel.h"

#include "core/wide.h"

SUP_WIDE supFloat8 AxisDistance( const float* lowers, const float* uppers, float p )
{
	supFloat8 below = supLoad8( lowers ) - p;
	supFloat8 above = p - supLoad8( uppers );
	return supMax8( supMax8( below, above ), supSplat8( 0.0f ) );
}

// Squares, of eight boxes.
SUP_WIDE supFloat8 BoxDistance( const float lowers[3][8], const float uppers[3][8], supVec3 p )
{
	supFloat8 x = AxisDistance( lowers[0], uppers[0], p.x );
	supFloat8 y = AxisDistance( lowers[1], uppers[1], p.y );
	supFloat8 z = AxisDistance( lowers[2], uppers[2], p.z );
	return x * x + y * y + z * z;
}

SUP_WIDE supFloat8 DotNormal( const supTriangleBlock* block, supVec3 v )
{
	return supLoad8( block->normal[0] ) * v.x + supLoad8( block->normal[1] ) * v.y + supLoad8( block->normal[2] ) * v.z;
}

SUP_WIDE supFloat8 RestDistance( const float* centers, supVec3 rest )
{
	supFloat8 x = supLoad8( centers ) - rest.x, y = supLoad8( centers + 8 ) - rest.y;
	supFloat8 z = supLoad8( centers + 16 ) - rest.z;
	return x * x + y * y + z * z;
}

uint32_t SUP_KERNEL( supMaskNear )( const supTriangleBlock* blocks, int32_t triangleCount, const supNearQuery* query,
									float squared[SUP_CLUSTER_TRIANGLES] )
{
	float margin = ( query->margin + query->rounding ) * ( query->margin + query->rounding );
	float depth = ( query->depth + query->rounding ) * ( query->depth + query->rounding );
	supFloat8 rounding = supSplat8( query->rounding );
	uint32_t bits = 0;
	for ( int32_t i = 0; 8 * i < triangleCount; ++i )
	{
		const supTriangleBlock* block = blocks + i;
		supFloat8 height = DotNormal( block, query->p ) - supLoad8( block->offset );
		supFloat8 facing = DotNormal( block, query->normal );
		// neither box nor plane is farther than the triangle
		supFloat8 above = supMax8( supMax8( height, -height ) - rounding, supSplat8( 0.0f ) );
		supFloat8 apart = BoxDistance( block->lower, block->upper, query->p );
		supFloat8 least = supMax8( apart, above * above );
		supStore8( squared + 8 * i, least );
		supInt8 front =
			( height >= -rounding ) & ( least <= supSplat8( margin ) ) & ( facing < supSplat8( query->facingFront ) );
		supInt8 behind =
			( height <= rounding ) & ( least <= supSplat8( depth ) ) & ( facing < supSplat8( query->facingBehind ) );
		if ( query->restCenters != NULL )
		{
			supFloat8 rest = RestDistance( query->restCenters + 24 * i, query->rest );
			front &= least <= rest * query->restFront;
			behind &= least <= rest * query->restBehind;
		}
		bits |= supMaskBits8( front | behind ) << ( 8 * i );
	}
	return bits;
}

SUP_WIDE supInt8 TouchesSlab( const float* lowers, const float* uppers, float lower, float upper )
{
	return ( supLoad8( lowers ) <= upper ) & ( supLoad8( uppers ) >= lower );
}

SUP_WIDE uint32_t TouchesBox( const float lowers[3][8], const float uppers[3][8], const supBox* box )
{
	return supMaskBits8( TouchesSlab( lowers[0], uppers[0], box->lower.x, box->upper.x ) &
						 TouchesSlab( lowers[1], uppers[1], box->lower.y, box->upper.y ) &
						 TouchesSlab( lowers[2], uppers[2], box->lower.z, box->upper.z ) );
}

uint32_t SUP_KERNEL( supMaskInBox )( const supTriangleBlock* blocks, int32_t triangleCount, const supBox* box )
{
	uint32_t bits = 0;
	for ( int32_t i = 0; 8 * i < triangleCount; ++i )
	{
		bits |= TouchesBox( blocks[i].lower, blocks[i].upper, box ) << ( 8 * i );
	}
	return bits;
}

uint32_t SUP_KERNEL( supMaskBoxes )( const supBoxBlock* blocks, int32_t count, const supBox* box )
{
	uint32_t bits = 0;
	for ( int32_t i = 0; 8 * i < count; ++i )
	{
		bits |= TouchesBox( blocks[i].lower, blocks[i].upper, box ) << ( 8 * i );
	}
	return bits;
}

uint32_t SUP_KERNEL( supMaskWithin )( const supBoxBlock* blocks, int32_t count, supVec3 p, float squared )
{
	uint32_t bits = 0;
	for ( int32_t i = 0; 8 * i < count; ++i )
	{
		supFloat8 apart = BoxDistance( blocks[i].lower, blocks[i].upper, p );
		bits |= supMaskBits8( apart <= supSplat8( squared ) ) << ( 8 * i );
	}
	return bits;
}
