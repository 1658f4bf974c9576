// SPDX-License-Identifier: MIT
#include "contact/narrow_kernel.h"

#include "core/wide.h"

// Beyond this no coordinate is used, nor NaN: supIsUsable.
#define LARGEST 1.0e18f

typedef struct Lanes
{
	supFloat8 x, y, z;
} Lanes;

SUP_WIDE supFloat8 Abs8( supFloat8 a )
{
	return supMax8( a, -a );
}

SUP_WIDE supInt8 AreUsable( Lanes a )
{
	return ( Abs8( a.x ) <= LARGEST ) & ( Abs8( a.y ) <= LARGEST ) & ( Abs8( a.z ) <= LARGEST );
}

SUP_WIDE Lanes Gather( const supVec3* items, const int32_t indices[8] )
{
	float x[8], y[8], z[8];
	for ( int32_t i = 0; i < 8; ++i )
	{
		supVec3 p = items[indices[i]];
		x[i] = p.x;
		y[i] = p.y;
		z[i] = p.z;
	}
	return ( Lanes ){ supLoad8( x ), supLoad8( y ), supLoad8( z ) };
}

SUP_WIDE Lanes Sub( Lanes a, Lanes b )
{
	return ( Lanes ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

SUP_WIDE Lanes Min( Lanes a, Lanes b )
{
	return ( Lanes ){ supMin8( a.x, b.x ), supMin8( a.y, b.y ), supMin8( a.z, b.z ) };
}

SUP_WIDE Lanes Max( Lanes a, Lanes b )
{
	return ( Lanes ){ supMax8( a.x, b.x ), supMax8( a.y, b.y ), supMax8( a.z, b.z ) };
}

SUP_WIDE float Least( supFloat8 a )
{
	float least = a[0];
	for ( int32_t i = 1; i < 8; ++i )
	{
		least = a[i] < least ? a[i] : least;
	}
	return least;
}

SUP_WIDE float Largest( supFloat8 a )
{
	return -Least( -a );
}

// ---------------------------------------------------------------------------------------------------------------------
// Bounds

bool SUP_KERNEL( supBoundVertices )( const supClusterVertices* vertices, supClusterBounds* bounds )
{
	int32_t total = vertices->count + vertices->borderCount;
	supFloat8 most = supSplat8( 3.402823466e38f ), zero = supSplat8( 0.0f );
	Lanes lower = { most, most, most }, upper = { -most, -most, -most };
	supFloat8 motion = zero;
	supInt8 usable = zero == zero;
	for ( int32_t i = 0; i < total; i += 8 )
	{
		int32_t indices[8];
		for ( int32_t k = 0; k < 8; ++k )
		{
			// the last one again where there are no more
			int32_t at = i + k < total ? i + k : total - 1;
			indices[k] = at < vertices->count ? vertices->first + at : vertices->borders[at - vertices->count];
		}
		Lanes now = Gather( vertices->positions, indices );
		usable &= AreUsable( now );
		lower = Min( lower, now );
		upper = Max( upper, now );
		if ( vertices->previous != NULL )
		{
			Lanes before = Gather( vertices->previous, indices );
			usable &= AreUsable( before );
			before.x = before.x + vertices->shift.x;
			before.y = before.y + vertices->shift.y;
			before.z = before.z + vertices->shift.z;
			lower = Min( lower, before );
			upper = Max( upper, before );
			Lanes way = Sub( now, before );
			motion = supMax8( motion, way.x * way.x + way.y * way.y + way.z * way.z );
		}
	}
	bounds->box.lower = ( supVec3 ){ Least( lower.x ), Least( lower.y ), Least( lower.z ) };
	bounds->box.upper = ( supVec3 ){ Largest( upper.x ), Largest( upper.y ), Largest( upper.z ) };
	bounds->motionSquared = Largest( motion );
	return supMaskBits8( usable ) == 0xFFu;
}

// ---------------------------------------------------------------------------------------------------------------------
// Triangles

void SUP_KERNEL( supFillBlocks )( const supVec3* positions, const int32_t* corners, int32_t triangleCount,
								  supTriangleBlock* blocks, supVec3 areas[SUP_CLUSTER_TRIANGLES] )
{
	supFloat8 most = supSplat8( 3.402823466e38f ), zero = supSplat8( 0.0f );
	for ( int32_t first = 0; first < triangleCount; first += 8 )
	{
		supTriangleBlock* block = blocks + first / 8;
		int32_t count = triangleCount - first < 8 ? triangleCount - first : 8;
		Lanes p[3];
		for ( int32_t c = 0; c < 3; ++c )
		{
			int32_t indices[8];
			for ( int32_t k = 0; k < 8; ++k )
			{
				indices[k] = corners[3 * ( first + ( k < count ? k : 0 ) ) + c];
			}
			p[c] = Gather( positions, indices );
		}
		Lanes u = Sub( p[1], p[0] ), v = Sub( p[2], p[0] );
		Lanes area = { u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x };
		supFloat8 length = supSqrt8( area.x * area.x + area.y * area.y + area.z * area.z );
		supInt8 usable = AreUsable( p[0] ) & AreUsable( p[1] ) & AreUsable( p[2] ) & ( length > supSplat8( 1e-30f ) ) &
						 ( length < supSplat8( 1e30f ) ) &
						 ( ( supInt8 ){ 0, 1, 2, 3, 4, 5, 6, 7 } < ( supInt8 ){ 0 } + count );
		Lanes lower = Min( Min( p[0], p[1] ), p[2] ), upper = Max( Max( p[0], p[1] ), p[2] );
		supFloat8 scale = supSplat8( 1.0f ) / length;
		Lanes normal = { scale * area.x, scale * area.y, scale * area.z };
		supFloat8 offset = normal.x * p[0].x + normal.y * p[0].y + normal.z * p[0].z;
		supStore8( block->lower[0], supSelect8( usable, lower.x, most ) );
		supStore8( block->lower[1], supSelect8( usable, lower.y, most ) );
		supStore8( block->lower[2], supSelect8( usable, lower.z, most ) );
		supStore8( block->upper[0], supSelect8( usable, upper.x, -most ) );
		supStore8( block->upper[1], supSelect8( usable, upper.y, -most ) );
		supStore8( block->upper[2], supSelect8( usable, upper.z, -most ) );
		supStore8( block->normal[0], supSelect8( usable, normal.x, zero ) );
		supStore8( block->normal[1], supSelect8( usable, normal.y, zero ) );
		supStore8( block->normal[2], supSelect8( usable, normal.z, zero ) );
		supStore8( block->offset, supSelect8( usable, offset, zero ) );
		area = ( Lanes ){ supSelect8( usable, area.x, zero ), supSelect8( usable, area.y, zero ),
						  supSelect8( usable, area.z, zero ) };
		for ( int32_t k = 0; k < count; ++k )
		{
			areas[first + k] = ( supVec3 ){ area.x[k], area.y[k], area.z[k] };
		}
	}
}

float SUP_KERNEL( supFinishNormals )( const supAreaSums* sums, int32_t vertexCount, const supTriangleBlock* blocks,
									  int32_t triangleCount, supVec3 axis, supVec3* normals )
{
	supFloat8 one = supSplat8( 1.0f ), zero = supSplat8( 0.0f ), least = one;
	for ( int32_t i = 0; 8 * i < triangleCount; ++i )
	{
		Lanes n = { supLoad8( blocks[i].normal[0] ), supLoad8( blocks[i].normal[1] ), supLoad8( blocks[i].normal[2] ) };
		supInt8 is = n.x * n.x + n.y * n.y + n.z * n.z > zero;
		least = supMin8( least, supSelect8( is, n.x * axis.x + n.y * axis.y + n.z * axis.z, one ) );
	}
	for ( int32_t first = 0; first < vertexCount; first += 8 )
	{
		int32_t count = vertexCount - first < 8 ? vertexCount - first : 8;
		Lanes sum = { supLoad8( sums->x + first ), supLoad8( sums->y + first ), supLoad8( sums->z + first ) };
		supFloat8 length = supSqrt8( sum.x * sum.x + sum.y * sum.y + sum.z * sum.z );
		supInt8 is = length > zero, isThere = ( supInt8 ){ 0, 1, 2, 3, 4, 5, 6, 7 } < ( supInt8 ){ 0 } + count;
		supFloat8 scale = one / length;
		Lanes n = { supSelect8( is, scale * sum.x, zero ), supSelect8( is, scale * sum.y, zero ),
					supSelect8( is, scale * sum.z, zero ) };
		is = n.x * n.x + n.y * n.y + n.z * n.z > zero;
		supFloat8 product = supSelect8( is, n.x * axis.x + n.y * axis.y + n.z * axis.z, -one );
		least = supMin8( least, supSelect8( isThere, product, one ) );
		for ( int32_t k = 0; k < count; ++k )
		{
			normals[first + k] = ( supVec3 ){ n.x[k], n.y[k], n.z[k] };
		}
	}
	bool hasAxis = axis.x * axis.x + axis.y * axis.y + axis.z * axis.z > 0.0f;
	return hasAxis ? Least( least ) : -1.0f;
}

// ---------------------------------------------------------------------------------------------------------------------
// Masks

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

uint32_t SUP_KERNEL( supMaskNear )( const supTriangleBlock* blocks, int32_t triangleCount, uint32_t among,
									const supNearQuery* query, float squared[SUP_CLUSTER_TRIANGLES] )
{
	float margin = ( query->margin + query->rounding ) * ( query->margin + query->rounding );
	float depth = ( query->depth + query->rounding ) * ( query->depth + query->rounding );
	supFloat8 rounding = supSplat8( query->rounding );
	uint32_t bits = 0;
	for ( int32_t i = 0; 8 * i < triangleCount; ++i )
	{
		const supTriangleBlock* block = blocks + i;
		if ( ( among >> ( 8 * i ) & 0xFFu ) == 0 )
		{
			continue;
		}
		supFloat8 facing = DotNormal( block, query->normal );
		supInt8 facesFront = facing < supSplat8( query->facingFront );
		supInt8 facesBehind = facing < supSplat8( query->facingBehind );
		if ( supMaskBits8( facesFront | facesBehind ) == 0 )
		{
			continue;
		}
		supFloat8 height = DotNormal( block, query->p ) - supLoad8( block->offset );
		// neither box nor plane is farther than the triangle
		supFloat8 above = supMax8( supMax8( height, -height ) - rounding, supSplat8( 0.0f ) );
		supFloat8 apart = BoxDistance( block->lower, block->upper, query->p );
		supFloat8 least = supMax8( apart, above * above );
		supStore8( squared + 8 * i, least );
		supInt8 front = ( height >= -rounding ) & ( least <= supSplat8( margin ) ) & facesFront;
		supInt8 behind = ( height <= rounding ) & ( least <= supSplat8( depth ) ) & facesBehind;
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

uint32_t SUP_KERNEL( supMaskAbove )( const supBoxBlock* blocks, int32_t count, supVec3 p )
{
	uint32_t bits = 0;
	for ( int32_t i = 0; 8 * i < count; ++i )
	{
		supInt8 meets = TouchesSlab( blocks[i].lower[0], blocks[i].upper[0], p.x, p.x ) &
						TouchesSlab( blocks[i].lower[1], blocks[i].upper[1], p.y, p.y ) &
						( supLoad8( blocks[i].upper[2] ) >= supSplat8( p.z ) );
		bits |= supMaskBits8( meets ) << ( 8 * i );
	}
	return count < 32 ? bits & ( ( 1u << count ) - 1u ) : bits;
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

// As far as clusters of a body, in the parts of their distance at rest, may be within.
SUP_WIDE supFloat8 OwnReach( supFloat8 rest, float margin, float restFront, float depth, float restBehind )
{
	return supMax8( supMin8( supSplat8( margin ), rest * restFront ),
					supMin8( supSplat8( depth ), rest * restBehind ) );
}

SUP_WIDE supFloat8 DotAxis( const supConeBlock* cone, supVec3 v )
{
	return supLoad8( cone->axis[0] ) * v.x + supLoad8( cone->axis[1] ) * v.y + supLoad8( cone->axis[2] ) * v.z;
}

uint32_t SUP_KERNEL( supMaskOwn )( const supBoxBlock* boxes, const supConeBlock* cones, int32_t count,
								   const supOwnQuery* query )
{
	uint32_t bits = 0;
	for ( int32_t i = 0; 8 * i < count; ++i )
	{
		const supConeBlock* cone = cones + i;
		// no normal of a cone points away from what is as far from its axis as the cone is less than a half space
		supInt8 isAlong = DotAxis( cone, query->normal ) >= supLoad8( cone->sine );
		supInt8 faces = ~( isAlong & ( supLoad8( cone->cosine ) > supSplat8( 0.0f ) ) );
		if ( supMaskBits8( faces ) == 0 )
		{
			continue;
		}
		supFloat8 apart = BoxDistance( boxes[i].lower, boxes[i].upper, query->p );
		supFloat8 rest = supSqrt8( RestDistance( cone->center[0], query->rest ) ) + supLoad8( cone->radius );
		supFloat8 reach = OwnReach( rest, query->margin, query->restFront, query->depth, query->restBehind );
		reach = reach + query->rounding;
		bits |= supMaskBits8( faces & ( apart <= reach * reach ) ) << ( 8 * i );
	}
	return bits;
}

SUP_WIDE supFloat8 AxisGap( const float* lowers, const float* uppers, float lower, float upper )
{
	return supMax8( supMax8( supLoad8( lowers ) - upper, lower - supLoad8( uppers ) ), supSplat8( 0.0f ) );
}

// Does the angle between the axes and those of the cones add up to a right angle?
SUP_WIDE supInt8 CanFace( const supConeBlock* cone, const supMeetQuery* query )
{
	supFloat8 zero = supSplat8( 0.0f ), cosine = supLoad8( cone->cosine ), sine = supLoad8( cone->sine );
	supInt8 isWide = ( cosine <= zero ) | ( query->cosine * cosine <= query->sine * sine );
	return isWide | ( DotAxis( cone, query->axis ) <= query->sine * cosine + query->cosine * sine );
}

// Squares, of eight boxes from one.
SUP_WIDE supFloat8 BoxesApart( const float lowers[3][8], const float uppers[3][8], const supBox* box )
{
	supFloat8 x = AxisGap( lowers[0], uppers[0], box->lower.x, box->upper.x );
	supFloat8 y = AxisGap( lowers[1], uppers[1], box->lower.y, box->upper.y );
	supFloat8 z = AxisGap( lowers[2], uppers[2], box->lower.z, box->upper.z );
	return x * x + y * y + z * z;
}

uint32_t SUP_KERNEL( supMaskMeeting )( const supBoxBlock* boxes, const supConeBlock* cones, uint32_t among,
									   const supMeetQuery* query, float squared[32] )
{
	uint32_t bits = 0;
	for ( int32_t i = 0; 8 * i < 32; ++i )
	{
		const supConeBlock* cone = cones + i;
		if ( ( among >> ( 8 * i ) & 0xFFu ) == 0 )
		{
			continue;
		}
		supFloat8 apart = BoxesApart( boxes[i].lower, boxes[i].upper, &query->box );
		supFloat8 rest =
			supSqrt8( RestDistance( cone->center[0], query->center ) ) + query->radius + supLoad8( cone->radius );
		supFloat8 reach = OwnReach( rest, query->margin, query->restFront, query->depth, query->restBehind );
		reach = reach + query->rounding;
		supInt8 meets = apart <= reach * reach;
		if ( query->cosine > 0.0f )
		{
			meets &= CanFace( cone, query );
		}
		supStore8( squared + 8 * i, apart );
		bits |= supMaskBits8( meets ) << ( 8 * i );
	}
	return bits & among;
}

uint32_t SUP_KERNEL( supMaskNearGroup )( const supTriangleBlock* blocks, int32_t triangleCount,
										 const supGroupQuery* query, supBox* around )
{
	const supBox* box = &query->box;
	supVec3 middle = { 0.5f * ( box->lower.x + box->upper.x ), 0.5f * ( box->lower.y + box->upper.y ),
					   0.5f * ( box->lower.z + box->upper.z ) };
	supVec3 half = { 0.5f * ( box->upper.x - box->lower.x ), 0.5f * ( box->upper.y - box->lower.y ),
					 0.5f * ( box->upper.z - box->lower.z ) };
	float margin = query->margin + query->rounding, depth = query->depth + query->rounding;
	// planes are off by as much for the vertices, and the middle of the box is
	float rounding = 4.0f * query->rounding;
	float wide = query->cosine > 0.0f ? query->sine : 2.0f, reach = margin > depth ? margin : depth;
	uint32_t bits = 0;
	for ( int32_t i = 0; 8 * i < triangleCount; ++i )
	{
		const supTriangleBlock* block = blocks + i;
		supInt8 faces = DotNormal( block, query->axis ) < supSplat8( wide );
		if ( supMaskBits8( faces ) == 0 )
		{
			continue;
		}
		supFloat8 apart = BoxesApart( block->lower, block->upper, box );
		supInt8 meets = faces & ( apart <= supSplat8( reach * reach ) );
		if ( supMaskBits8( meets ) == 0 )
		{
			continue;
		}
		supFloat8 height = DotNormal( block, middle ) - supLoad8( block->offset );
		supFloat8 spread = Abs8( supLoad8( block->normal[0] ) ) * half.x +
						   Abs8( supLoad8( block->normal[1] ) ) * half.y +
						   Abs8( supLoad8( block->normal[2] ) ) * half.z + rounding;
		supInt8 front = ( height + spread >= 0.0f ) & ( height - spread <= margin ) & ( apart <= margin * margin );
		supInt8 behind = ( height - spread <= 0.0f ) & ( height + spread >= -depth ) & ( apart <= depth * depth );
		bits |= supMaskBits8( meets & ( front | behind ) ) << ( 8 * i );
	}
	*around = supBox_empty;
	for ( uint32_t left = bits; left != 0; left &= left - 1 )
	{
		const supTriangleBlock* block = blocks + __builtin_ctz( left ) / 8;
		int32_t k = __builtin_ctz( left ) % 8;
		supBox own = { { block->lower[0][k], block->lower[1][k], block->lower[2][k] },
					   { block->upper[0][k], block->upper[1][k], block->upper[2][k] } };
		*around = supBox_Unite( *around, own );
	}
	return bits;
}
