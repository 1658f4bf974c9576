// SPDX-License-Identifier: MIT
// Blocks of frames become blocks of links: of the skeleton's mass, and of what the skin takes from it.
//
//     M̂_cond(i,j) = M̃_b(i,j) - Σ_fg A_fiᵀ ( Σ_a M_fs(f,a) B_a M_fs(g,a)ᵀ ) A_gj
//
// Sums over nodes are taken of p alone, once for each pair of frames: M_fs(f,a) = m_a w_af T_f [ I; [p]x ] with
//
//     T_f = [ R_f, 0; -[c0_f]x, I ],   Ã_fi = T_fᵀ A_fi = [ part R_fᵀ, R_fᵀ lever + [c0_f]x spin; 0, spin ]
//
// so that what is left for each pair is a product with Ã_gj. Frames g between the same two links are summed up before
// the product with Ã_fi.
#include "core/tasks.h"
#include "method/layered/condense_kernel.h"
#include "method/layered/nodes_kernel.h"

#define GRAIN 256

static int32_t CountEnds( const supFrame* frame )
{
	return frame->links[1] < 0 ? 1 : 2;
}

static int32_t SizeOf( const supLayeredFlesh* flesh, int32_t link )
{
	return flesh->bones.offsets[link + 1] - flesh->bones.offsets[link];
}

static void AddRows( double* block, int32_t size, const double* rows )
{
	for ( int c = 0; c < 6; ++c )
	{
		for ( int r = 0; r < 6; ++r )
		{
			block[c * size + r] += rows[8 * r + c];
		}
	}
}

static void AddColumns( double* block, int32_t size, const double* rows )
{
	for ( int r = 0; r < 6; ++r )
	{
		for ( int c = 0; c < 6; ++c )
		{
			block[r * size + c] += rows[8 * r + c];
		}
	}
}

// - isBoth: the transpose too, where it belongs
static void AddBlocks( const supLayeredFlesh* flesh, const supFramePair* pair, const supLinkBlocks* blocks, bool isBoth,
					   double* values )
{
	const supFrame *left = flesh->frames + pair->i, *right = flesh->frames + pair->j;
	for ( int e = 0; e < CountEnds( left ); ++e )
	{
		for ( int d = 0; d < CountEnds( right ); ++d )
		{
			const double* rows = blocks->rows[e][d];
			AddRows( values + flesh->bones.blockStarts[pair->blocks[e][d]], SizeOf( flesh, left->links[e] ), rows );
			if ( isBoth )
			{
				AddColumns( values + flesh->bones.blockStarts[pair->transposed[e][d]], SizeOf( flesh, right->links[d] ),
							rows );
			}
		}
	}
}

void supLayered_AddFrameMass( const supLayeredRun* run, const supFramePair* own, double mass, const supMat3d* coupling,
							  const supMat3d* inertia, double* values )
{
	const supFrame* frame = run->flesh->frames + own->i;
	const supFrameMap* map = run->view.maps + own->i;
	double columns[SUP_WIDE_BLOCK] = { 0 };
	supEndMap maps[2];
	for ( int c = 0; c < 3; ++c )
	{
		columns[8 * c + c] = mass;
		for ( int r = 0; r < 3; ++r )
		{
			columns[8 * r + 3 + c] = columns[8 * ( 3 + c ) + r] = coupling->m[c][r];
			columns[8 * ( 3 + c ) + 3 + r] = inertia->m[c][r];
		}
	}
	for ( int e = 0; e < 2; ++e )
	{
		maps[e] = ( supEndMap ){ supDiagonal3d( frame->parts[e] ), map->levers[e], map->spins[e] };
	}
	supLinkBlocks blocks;
	SUP_CALL_KERNEL( supProjectFrame )( columns, maps, CountEnds( frame ), &blocks );
	AddBlocks( run->flesh, own, &blocks, false, values );
}

// Ã of every frame.
static void MapEnds( const supLayeredRun* run )
{
	const supLayeredFlesh* flesh = run->flesh;
	for ( int32_t f = 0; f < flesh->frameCount; ++f )
	{
		const supFrame* frame = flesh->frames + f;
		const supFrameMap* map = run->view.maps + f;
		supMat3d turn = supTransposeMat3d( run->view.rotations + f ), skew = supSkew3d( frame->center );
		supMat3d zero = supDiagonal3d( 0.0 );
		for ( int e = 0; e < CountEnds( frame ); ++e )
		{
			supMat3d lever = supMulMat3d( &turn, map->levers + e ), about = supMulMat3d( &skew, map->spins + e );
			run->view.endMaps[2 * (int64_t)f + e] =
				( supEndMap ){ supMulAddMat3d( &zero, frame->parts[e], &turn ), supMulAddMat3d( &lever, 1.0, &about ),
							   map->spins[e] };
		}
	}
}

typedef struct Condensing
{
	const supLayeredRun* run;
	const supMat3d* blocks;
} Condensing;

static void SumNodeRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Condensing* condensing = context;
	const supLayeredRun* run = condensing->run;
	for ( int32_t a = begin; a < end; ++a )
	{
		double mass = run->flesh->skin.masses[a];
		const supMat3d* b = condensing->blocks + a;
		supVec3d p = supLayered_Point( run->flesh, run->view.oldQ, a );
		supMat3d skew = supSkew3d( p );
		supMat3d turned = supMulMat3d( b, &skew );
		double* sums = run->view.nodeSums + SUP_NODE_SUMS * (int64_t)a;
		double s = mass * mass;
		const double symmetric[6] = { b->m[0][0], b->m[1][1], b->m[2][2], b->m[1][0], b->m[2][1], b->m[2][0] };
		for ( int k = 0; k < 6; ++k )
		{
			sums[k] = s * symmetric[k];
		}
		for ( int k = 0; k < 9; ++k )
		{
			sums[6 + k] = s * turned.m[k / 3][k % 3];
		}
		// [p]xᵀ B [p]x: column c is cross( column c of B [p]x, p )
		static const int rows[6] = { 0, 1, 2, 0, 1, 0 }, columns[6] = { 0, 1, 2, 1, 2, 2 };
		for ( int k = 0; k < 6; ++k )
		{
			sums[15 + k] = s * supDot3d( skew.m[rows[k]], turned.m[columns[k]] );
		}
		memset( sums + 21, 0, ( SUP_NODE_SUMS - 21 ) * sizeof( double ) );
	}
}

static void PairRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Condensing* condensing = context;
	const supLayeredRun* run = condensing->run;
	for ( int32_t n = begin; n < end; ++n )
	{
		SUP_CALL_KERNEL( supSumPair )
		( run->flesh, run->flesh->pairs + n, run->view.nodeSums, run->view.pairSums + SUP_NODE_SUMS * (int64_t)n );
	}
}

// Pairs of one frame with frames of the same links, which stand side by side. Returns where they end.
static int32_t FindGroupEnd( const supLayeredFlesh* flesh, int32_t first )
{
	const supFramePair* pairs = flesh->pairs;
	const supFrame* frame = flesh->frames + pairs[first].j;
	int32_t end = first + 1;
	while ( end < flesh->pairCount && pairs[end].i == pairs[first].i &&
			flesh->frames[pairs[end].j].links[0] == frame->links[0] &&
			flesh->frames[pairs[end].j].links[1] == frame->links[1] )
	{
		end += 1;
	}
	return end;
}

void supLayered_Condense( supLayeredRun* run, const supMat3d* blocks, double* values )
{
	const supLayeredFlesh* flesh = run->flesh;
	Condensing condensing = { run, blocks };
	memcpy( values, run->view.boneValues,
			(size_t)flesh->bones.blockStarts[flesh->bones.blockCount] * sizeof( double ) );
	supParallelFor( run->tasks, flesh->skin.nodeCount, GRAIN, SumNodeRange, &condensing );
	supParallelFor( run->tasks, flesh->pairCount, 1, PairRange, &condensing );
	MapEnds( run );
	for ( int32_t n = 0; n < flesh->pairCount; )
	{
		const supFramePair* pair = flesh->pairs + n;
		int32_t end = FindGroupEnd( flesh, n );
		supLinkBlocks sum;
		SUP_CALL_KERNEL( supProjectPairs )
		( pair, end - n, run->view.pairSums + SUP_NODE_SUMS * (int64_t)n, run->view.endMaps,
		  CountEnds( flesh->frames + pair->i ), CountEnds( flesh->frames + pair->j ), &sum );
		AddBlocks( flesh, pair, &sum, true, values );
		n = end;
	}
}
