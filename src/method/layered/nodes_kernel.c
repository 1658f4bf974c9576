// SPDX-License-Identifier: MIT
#include "method/layered/nodes_kernel.h"

#include "linear/wide_double.h"

void SUP_KERNEL( supSumFrame )( const supLayeredFlesh* flesh, int32_t frame, const double* q, const double* v,
								double* sums )
{
	// m w times ( 1, u ), ( 1, u ) squared, ( ux uy, uy uz, uz ux ), and ( 1, u ) times each part of q̇
	supDouble4 first = { 0 }, squares = { 0 }, products = { 0 }, flows[3] = { { 0 }, { 0 }, { 0 } };
	for ( int32_t k = flesh->frameStarts[frame]; k < flesh->frameStarts[frame + 1]; ++k )
	{
		int32_t a = flesh->frameNodes[k];
		const double* flow = v + 3 * (int64_t)a;
		supVec3d u = supLayered_Arm( flesh, q, a, frame );
		supDouble4 arm = { 1.0, u.x, u.y, u.z }, turned = { u.y, u.z, u.x, 0.0 }, own = { u.x, u.y, u.z, 0.0 };
		supDouble4 mass = supSplat4d( flesh->frameWeights[k] * flesh->skin.masses[a] ), weighed = mass * arm;
		first += weighed;
		squares += weighed * arm;
		products += mass * ( own * turned );
		flows[0] += weighed * supSplat4d( flow[0] );
		flows[1] += weighed * supSplat4d( flow[1] );
		flows[2] += weighed * supSplat4d( flow[2] );
	}
	const double all[SUP_FRAME_SUMS] = { first[0],    first[1],    first[2],    first[3],    squares[1],  squares[2],
										 squares[3],  products[0], products[1], products[2], flows[0][0], flows[1][0],
										 flows[2][0], flows[0][1], flows[0][2], flows[0][3], flows[1][1], flows[1][2],
										 flows[1][3], flows[2][1], flows[2][2], flows[2][3] };
	memcpy( sums, all, sizeof( all ) );
}

// As many vectors as it takes; what is beyond is zero.
#define VECTORS ( SUP_NODE_SUMS / 4 )

void SUP_KERNEL( supSumPair )( const supLayeredFlesh* flesh, const supFramePair* pair, const double* nodeSums,
							   double* sums )
{
	_Static_assert( SUP_NODE_SUMS == 4 * VECTORS, "whole vectors" );
	supDouble4 wide[VECTORS] = { { 0 } };
	for ( int32_t k = pair->start; k < pair->end; ++k )
	{
		const double* node = nodeSums + SUP_NODE_SUMS * (int64_t)flesh->pairNodes[k];
		supDouble4 w = supSplat4d( flesh->pairWeights[k] );
		for ( int n = 0; n < VECTORS; ++n )
		{
			wide[n] += w * supLoad4d( node + 4 * n );
		}
	}
	for ( int n = 0; n < VECTORS; ++n )
	{
		supStore4d( sums + 4 * n, wide[n] );
	}
}

static inline supVec3d Lanes( supDouble4 a )
{
	return ( supVec3d ){ a[0], a[1], a[2] };
}

void SUP_KERNEL( supCarryToNodes )( const supLayeredFlesh* flesh, const double* q, const double* motions, double* y,
									int32_t begin, int32_t end )
{
	for ( int32_t a = begin; a < end; ++a )
	{
		supDouble4 moved = { 0 }, spin = { 0 };
		for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1]; ++k )
		{
			const double* frame = motions + SUP_FRAME_MOTION * (int64_t)flesh->nodeFrames[k];
			supDouble4 w = supSplat4d( flesh->nodeWeights[k] );
			moved += w * supLoad4d( frame );
			spin += w * supLoad4d( frame + 4 );
		}
		supVec3d turned = supCrossVec3d( Lanes( spin ), supLayered_Point( flesh, q, a ) );
		supVec3d speed = supAddVec3d( Lanes( moved ), turned );
		supStoreVec3d( y + 3 * (int64_t)a, supScaleVec3d( flesh->skin.masses[a], speed ) );
	}
}

void SUP_KERNEL( supCarryToFrame )( const supLayeredFlesh* flesh, int32_t frame, const double* q, const double* y,
									double* sums )
{
	// ( 1, p ) times each part of m w y
	supDouble4 parts[3] = { { 0 } };
	for ( int32_t k = flesh->frameStarts[frame]; k < flesh->frameStarts[frame + 1]; ++k )
	{
		int32_t a = flesh->frameNodes[k];
		const double* own = y + 3 * (int64_t)a;
		supVec3d p = supLayered_Point( flesh, q, a );
		supDouble4 arm = supSplat4d( flesh->frameWeights[k] * flesh->skin.masses[a] );
		arm *= ( supDouble4 ){ 1.0, p.x, p.y, p.z };
		for ( int c = 0; c < 3; ++c )
		{
			parts[c] += arm * supSplat4d( own[c] );
		}
	}
	supStoreVec3d( sums, ( supVec3d ){ parts[0][0], parts[1][0], parts[2][0] } );
	supStoreVec3d( sums + 3,
				   ( supVec3d ){ parts[2][2] - parts[1][3], parts[0][3] - parts[2][1], parts[1][1] - parts[0][2] } );
}

void SUP_KERNEL( supPushNodes )( const supNodePushes* pushes, int32_t begin, int32_t end )
{
	const supLayeredFlesh* flesh = pushes->flesh;
	for ( int32_t a = begin; a < end; ++a )
	{
		supDouble4 pulled = { 0 }, spin = { 0 }, straight = { 0 }, across = { 0 }, gained = { 0 };
		for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1]; ++k )
		{
			const double* frame = pushes->motions + SUP_FRAME_MOTION * (int64_t)flesh->nodeFrames[k];
			supDouble4 w = supSplat4d( flesh->nodeWeights[k] );
			pulled += w * supLoad4d( frame );
			spin += w * supLoad4d( frame + 4 );
			straight += w * supLoad4d( frame + 8 );
			across += w * supLoad4d( frame + 12 );
			gained += w * supLoad4d( frame + 16 );
		}
		supVec3d p = supLayered_Point( flesh, pushes->q, a ), v = supLoadVec3d( pushes->v + 3 * (int64_t)a );
		supVec3d turned = { straight[0] * p.x + across[0] * p.y + across[2] * p.z,
							across[0] * p.x + straight[1] * p.y + across[1] * p.z,
							across[2] * p.x + across[1] * p.y + straight[2] * p.z };
		turned = supAddVec3d( turned, supCrossVec3d( Lanes( gained ), p ) );
		supVec3d push = supAddVec3d( pushes->rest, supSubVec3d( Lanes( pulled ), turned ) );
		push = supMulAddVec3d( push, -2.0, supCrossVec3d( Lanes( spin ), v ) );
		push = supMulAddVec3d( push, -pushes->drag, v );
		double* f = pushes->f + 3 * (int64_t)a;
		supStoreVec3d( f, supMulAddVec3d( supScaleVec3d( -1.0, supLoadVec3d( f ) ), flesh->skin.masses[a], push ) );
	}
}
