// SPDX-License-Identifier: MIT
#include "method/layered/skin_volume_kernel.h"

#include "linear/wide_double.h"

void SUP_KERNEL( supBlendNodes )( const supLayeredFlesh* flesh, const double* frames, supVolumeNode* nodes,
								  int32_t begin, int32_t end )
{
	for ( int32_t a = begin; a < end; ++a )
	{
		supDouble4 sums[5] = { { 0 } };
		for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1]; ++k )
		{
			const double* frame = frames + SUP_FRAME_BLEND * (int64_t)flesh->nodeFrames[k];
			supDouble4 w = supSplat4d( flesh->nodeWeights[k] );
			for ( int n = 0; n < 5; ++n )
			{
				sums[n] += w * supLoad4d( frame + 4 * n );
			}
		}
		supVec3 p = flesh->skin.points[a];
		supDouble4 x =
			sums[0] * supSplat4d( p.x ) + sums[1] * supSplat4d( p.y ) + sums[2] * supSplat4d( p.z ) + sums[3];
		supVolumeNode* node = nodes + a;
		for ( int c = 0; c < 3; ++c )
		{
			supStoreVec3d( node->blend.m[c], ( supVec3d ){ sums[c][0], sums[c][1], sums[c][2] } );
		}
		node->rest = ( supVec3d ){ x[0], x[1], x[2] };
		node->place = ( supVec3d ){ sums[4][0], sums[4][1], sums[4][2] };
		node->volume = 0.0;
	}
}

// The fourth lane is whatever lies behind, and is not used.
SUP_WIDE supDouble4 Load( const supVec3d* v )
{
	return supLoad4d( &v->x );
}

SUP_WIDE supDouble4 FindPlace( const supVolumeNode* const corners[3] )
{
	return supSplat4d( 1.0 / 3.0 ) *
		   ( Load( &corners[0]->place ) + Load( &corners[1]->place ) + Load( &corners[2]->place ) );
}

SUP_WIDE supDouble4 Cross( supDouble4 a, supDouble4 b )
{
	supDouble4 c = a * __builtin_shufflevector( b, b, 1, 2, 0, 3 ) - __builtin_shufflevector( a, a, 1, 2, 0, 3 ) * b;
	return __builtin_shufflevector( c, c, 1, 2, 0, 3 );
}

SUP_WIDE double Dot( supDouble4 a, supDouble4 b )
{
	supDouble4 c = a * b;
	return c[0] + c[1] + c[2];
}

void SUP_KERNEL( supMeasureRest )( const supLayeredFlesh* flesh, supVolumeNode* nodes )
{
	for ( int32_t t = 0; t < flesh->triangleCount; ++t )
	{
		const int32_t* n = flesh->triangles[t].nodes;
		supVolumeNode* const corners[3] = { nodes + n[0], nodes + n[1], nodes + n[2] };
		supDouble4 from = FindPlace( (const supVolumeNode*const*)corners ), y[3];
		for ( int k = 0; k < 3; ++k )
		{
			y[k] = Load( &corners[k]->rest ) - from;
		}
		double share = Dot( y[0], Cross( y[1], y[2] ) ) / 18.0;
		for ( int k = 0; k < 3; ++k )
		{
			corners[k]->volume += share;
		}
	}
}

void SUP_KERNEL( supMeasureSlopes )( const supLayeredFlesh* flesh, supVolumeNode* nodes )
{
	for ( int32_t t = 0; t < flesh->triangleCount; ++t )
	{
		const int32_t* n = flesh->triangles[t].nodes;
		supVolumeNode* const corners[3] = { nodes + n[0], nodes + n[1], nodes + n[2] };
		supDouble4 from = FindPlace( (const supVolumeNode*const*)corners ), x[3], slopes[3];
		for ( int k = 0; k < 3; ++k )
		{
			x[k] = Load( &corners[k]->now ) - from;
		}
		for ( int k = 0; k < 3; ++k )
		{
			slopes[k] = supSplat4d( 1.0 / 6.0 ) * Cross( x[( k + 1 ) % 3], x[( k + 2 ) % 3] );
		}
		double share = Dot( x[0], slopes[0] ) / 3.0;
		for ( int k = 0; k < 3; ++k )
		{
			slopes[k][3] = share;
			supStore4d( corners[k]->slope, supLoad4d( corners[k]->slope ) + slopes[k] );
		}
	}
}
