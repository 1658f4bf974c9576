// SPDX-License-Identifier: MIT
#include "sculpt.h"

// ---------------------------------------------------------------------------------------------------------------------
// One blob

// The exact distance to a cone with round ends: in the plane of the point and the axis the surface is two arcs and the
// line that touches both.
static float ConeDistance( const sculptBlob* blob, supVec3 p )
{
	supVec3 axis = supSub( blob->b, blob->a );
	supVec3 pa = supSub( p, blob->a );
	float length2 = supDot( axis, axis );
	float dr = blob->ra - blob->rb;
	float a2 = length2 - dr * dr;
	// one end swallows the other
	if ( a2 <= 0.0f )
	{
		return supMinFloat( supLength( pa ) - blob->ra, supDistance( p, blob->b ) - blob->rb );
	}
	float y = supDot( pa, axis );
	float z = y - length2;
	supVec3 side = supSub( supScale( length2, pa ), supScale( y, axis ) );
	float x2 = supDot( side, side );
	float y2 = y * y * length2;
	float z2 = z * z * length2;
	float k = ( dr > 0.0f ? 1.0f : ( dr < 0.0f ? -1.0f : 0.0f ) ) * dr * dr * x2;
	float invLength2 = 1.0f / length2;
	if ( ( z > 0.0f ? 1.0f : -1.0f ) * a2 * z2 > k )
	{
		return sqrtf( x2 + z2 ) * invLength2 - blob->rb;
	}
	if ( ( y > 0.0f ? 1.0f : -1.0f ) * a2 * y2 < k )
	{
		return sqrtf( x2 + y2 ) * invLength2 - blob->ra;
	}
	return ( sqrtf( x2 * a2 * invLength2 ) + y * dr ) * invLength2 - blob->ra;
}

// First-order distance: exact in the limit towards the surface.
static float EllipsoidDistance( const sculptBlob* blob, supVec3 p )
{
	supVec3 q = supRotate( supConjugate( blob->rotation ), supSub( p, blob->a ) );
	supVec3 r = blob->radii;
	supVec3 u = { q.x / r.x, q.y / r.y, q.z / r.z };
	supVec3 g = { u.x / r.x, u.y / r.y, u.z / r.z };
	float k0 = supLength( u );
	float k1 = supLength( g );
	float smallest = supMinFloat( r.x, supMinFloat( r.y, r.z ) );
	return k1 > 1e-9f ? k0 * ( k0 - 1.0f ) / k1 : -smallest;
}

float sculptBlob_Distance( const sculptBlob* blob, supVec3 p )
{
	return blob->kind == sculpt_cone ? ConeDistance( blob, p ) : EllipsoidDistance( blob, p );
}

static float BlobRadius( const sculptBlob* blob )
{
	return blob->kind == sculpt_cone ? supMaxFloat( blob->ra, blob->rb )
									 : supMaxFloat( blob->radii.x, supMaxFloat( blob->radii.y, blob->radii.z ) );
}

// Never more than the distance, and cheap.
static float BlobLowerBound( const sculptBlob* blob, supVec3 p )
{
	supVec3 middle = blob->kind == sculpt_cone ? supLerp( blob->a, blob->b, 0.5f ) : blob->a;
	float reach = blob->kind == sculpt_cone ? 0.5f * supDistance( blob->a, blob->b ) : 0.0f;
	return supDistance( middle, p ) - reach - BlobRadius( blob );
}

// ---------------------------------------------------------------------------------------------------------------------
// The whole

// Smooth minimum: differs from the minimum only where |a - b| < k.
static float SmoothMin( float a, float b, float k )
{
	float d = a > b ? a - b : b - a;
	float h = supMaxFloat( k - d, 0.0f );
	return supMinFloat( a, b ) - ( k > 0.0f ? 0.25f * h * h / k : 0.0f );
}

float sculptShape_Distance( const sculptShape* shape, supVec3 p )
{
	float d = 1e9f;
	for ( int32_t i = 0; i < shape->blobCount; ++i )
	{
		const sculptBlob* blob = shape->blobs + i;
		if ( blob->use == sculpt_add )
		{
			// a blob farther off than this changes nothing
			if ( BlobLowerBound( blob, p ) < d + blob->blend )
			{
				d = SmoothMin( d, sculptBlob_Distance( blob, p ), blob->blend );
			}
		}
		else if ( blob->use == sculpt_carve )
		{
			d = -SmoothMin( -d, sculptBlob_Distance( blob, p ), blob->blend );
		}
	}
	return d;
}

static supVec3 Gradient( const sculptShape* shape, supVec3 p, float step )
{
	// the four corners of a tetrahedron: two evaluations fewer than central differences
	static const supVec3 corners[4] = { { 1, -1, -1 }, { -1, -1, 1 }, { -1, 1, -1 }, { 1, 1, 1 } };
	supVec3 g = supVec3_zero;
	for ( int i = 0; i < 4; ++i )
	{
		g = supMulAdd( g, sculptShape_Distance( shape, supMulAdd( p, step, corners[i] ) ), corners[i] );
	}
	return supScale( 0.25f / step, g );
}

supVec3 sculptShape_Normal( const sculptShape* shape, supVec3 p, float step )
{
	return supNormalize( Gradient( shape, p, step ) );
}

supVec3 sculptShape_Project( const sculptShape* shape, supVec3 p, float reach )
{
	supVec3 start = p;
	for ( int i = 0; i < 4; ++i )
	{
		float d = sculptShape_Distance( shape, p );
		supVec3 g = Gradient( shape, p, 0.05f * reach );
		float g2 = supDot( g, g );
		if ( g2 < 1e-3f )
		{
			break;
		}
		p = supMulAdd( p, -d / g2, g );
		if ( supDistance( p, start ) > reach )
		{
			return start;
		}
	}
	return p;
}

int32_t sculptShape_Owner( const sculptShape* shape, supVec3 p )
{
	int32_t owner = 0;
	float nearest = 1e9f;
	for ( int32_t i = 0; i < shape->blobCount; ++i )
	{
		const sculptBlob* blob = shape->blobs + i;
		if ( blob->use == sculpt_add && BlobLowerBound( blob, p ) < nearest )
		{
			float d = sculptBlob_Distance( blob, p );
			owner = d < nearest ? i : owner;
			nearest = supMinFloat( d, nearest );
		}
	}
	return owner;
}

// The weight of each added blob at p, 1 for the nearest and falling to 0 at its own blending width beyond.
static float OwnerWeight( const sculptBlob* blob, float distance, float nearest )
{
	float width = supMaxFloat( blob->blend, 1e-4f );
	float w = 1.0f - ( distance - nearest ) / width;
	return w > 0.0f ? w * w : 0.0f;
}

static float NearestDistance( const sculptShape* shape, supVec3 p )
{
	return sculptBlob_Distance( shape->blobs + sculptShape_Owner( shape, p ), p );
}

supVec3 sculptShape_Color( const sculptShape* shape, supVec3 p )
{
	float nearest = NearestDistance( shape, p );
	supVec3 sum = supVec3_zero;
	float total = 0.0f;
	for ( int32_t i = 0; i < shape->blobCount; ++i )
	{
		const sculptBlob* blob = shape->blobs + i;
		if ( blob->use == sculpt_add && BlobLowerBound( blob, p ) < nearest + blob->blend )
		{
			float w = OwnerWeight( blob, sculptBlob_Distance( blob, p ), nearest );
			sum = supMulAdd( sum, w, blob->color );
			total += w;
		}
	}
	supVec3 color = total > 0.0f ? supScale( 1.0f / total, sum ) : supVec3_one;
	for ( int32_t i = 0; i < shape->blobCount; ++i )
	{
		const sculptBlob* blob = shape->blobs + i;
		if ( blob->use != sculpt_add )
		{
			float edge = supMaxFloat( blob->blend, 1e-4f );
			float t = supClampFloat( 0.5f - sculptBlob_Distance( blob, p ) / edge, 0.0f, 1.0f );
			color = supLerp( color, blob->color, t * t * ( 3.0f - 2.0f * t ) );
		}
	}
	return color;
}

float sculptShape_Thickness( const sculptShape* shape, supVec3 p )
{
	float nearest = NearestDistance( shape, p );
	float sum = 0.0f;
	float total = 0.0f;
	for ( int32_t i = 0; i < shape->blobCount; ++i )
	{
		const sculptBlob* blob = shape->blobs + i;
		if ( blob->use != sculpt_add || BlobLowerBound( blob, p ) >= nearest + blob->blend )
		{
			continue;
		}
		float w = OwnerWeight( blob, sculptBlob_Distance( blob, p ), nearest );
		float thickness;
		if ( blob->kind == sculpt_cone )
		{
			supVec3 axis = supSub( blob->b, blob->a );
			float t = supDot( supSub( p, blob->a ), axis ) / supMaxFloat( supDot( axis, axis ), 1e-12f );
			thickness = supLerpFloat( blob->ra, blob->rb, supClampFloat( t, 0.0f, 1.0f ) );
		}
		else
		{
			supVec3 r = blob->radii;
			float least = supMinFloat( r.x, supMinFloat( r.y, r.z ) );
			float most = BlobRadius( blob );
			// the rim of a flat ellipsoid is as sharp as its curvature there
			thickness = sqrtf( least * sqrtf( least * most ) );
		}
		sum += w * thickness;
		total += w;
	}
	return total > 0.0f ? sum / total : 1.0f;
}

supBox sculptShape_Bounds( const sculptShape* shape )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < shape->blobCount; ++i )
	{
		const sculptBlob* blob = shape->blobs + i;
		if ( blob->use != sculpt_add )
		{
			continue;
		}
		// melting swells the surface by up to a quarter of the blending width
		float r = BlobRadius( blob ) + 0.25f * blob->blend;
		supVec3 ends[2] = { blob->a, blob->kind == sculpt_cone ? blob->b : blob->a };
		for ( int k = 0; k < 2; ++k )
		{
			box = supBox_Include( box, supAdd( ends[k], supMakeVec3( r, r, r ) ) );
			box = supBox_Include( box, supSub( ends[k], supMakeVec3( r, r, r ) ) );
		}
	}
	return box;
}
