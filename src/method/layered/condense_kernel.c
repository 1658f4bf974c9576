// SPDX-License-Identifier: MIT
#include "method/layered/condense_kernel.h"

#include "linear/wide_double.h"

typedef struct Block
{
	supDouble4 columns[6][2];
} Block;

SUP_WIDE Block Load( const double* from )
{
	Block block;
	for ( int c = 0; c < 6; ++c )
	{
		block.columns[c][0] = supLoad4d( from + 8 * c );
		block.columns[c][1] = supLoad4d( from + 8 * c + 4 );
	}
	return block;
}

SUP_WIDE void Store( const Block* block, double* to )
{
	for ( int c = 0; c < 6; ++c )
	{
		supStore4d( to + 8 * c, block->columns[c][0] );
		supStore4d( to + 8 * c + 4, block->columns[c][1] );
	}
}

// sum += block Ã, where Ã = [ linear, lever; 0, spin ]
SUP_WIDE void AddProduct( const Block* block, const supEndMap* map, Block* sum )
{
	for ( int c = 0; c < 3; ++c )
	{
		for ( int half = 0; half < 2; ++half )
		{
			supDouble4 moved = sum->columns[c][half], turned = sum->columns[3 + c][half];
			for ( int r = 0; r < 3; ++r )
			{
				moved += supSplat4d( map->linear.m[c][r] ) * block->columns[r][half];
				turned += supSplat4d( map->lever.m[c][r] ) * block->columns[r][half];
				turned += supSplat4d( map->spin.m[c][r] ) * block->columns[3 + r][half];
			}
			sum->columns[c][half] = moved;
			sum->columns[3 + c][half] = turned;
		}
	}
}

// - [ I; [p]x ] B [ I; [p]x ]ᵀ, summed: columns of [ -s0, s1; s1ᵀ, -s2 ].
SUP_WIDE Block Unpack( const double* s, double scale )
{
	static const int8_t symmetric[3][3] = { { 0, 3, 5 }, { 3, 1, 4 }, { 5, 4, 2 } };
	double columns[SUP_WIDE_BLOCK];
	for ( int c = 0; c < 3; ++c )
	{
		for ( int r = 0; r < 3; ++r )
		{
			columns[8 * c + r] = -scale * s[symmetric[c][r]];
			columns[8 * c + 3 + r] = scale * s[6 + 3 * r + c];
			columns[8 * ( 3 + c ) + r] = scale * s[6 + 3 * c + r];
			columns[8 * ( 3 + c ) + 3 + r] = -scale * s[15 + symmetric[c][r]];
		}
		columns[8 * c + 6] = columns[8 * c + 7] = columns[8 * ( 3 + c ) + 6] = columns[8 * ( 3 + c ) + 7] = 0.0;
	}
	return Load( columns );
}

SUP_WIDE Block Transpose( const Block* block )
{
	double from[SUP_WIDE_BLOCK], to[SUP_WIDE_BLOCK] = { 0 };
	Store( block, from );
	for ( int c = 0; c < 6; ++c )
	{
		for ( int r = 0; r < 6; ++r )
		{
			to[8 * r + c] = from[8 * c + r];
		}
	}
	return Load( to );
}

// ( Ã_fᵀ right )ᵀ = rightᵀ Ã_f: its columns are rows of the product.
SUP_WIDE void ProjectLeft( const Block* right, const supEndMap* map, double* rows )
{
	Block turned = Transpose( right ), sum = { { { { 0 } } } };
	AddProduct( &turned, map, &sum );
	Store( &sum, rows );
}

void SUP_KERNEL( supProjectPairs )( const supFramePair* pairs, int32_t count, const double* sums, const supEndMap* maps,
									int32_t leftEnds, int32_t rightEnds, supLinkBlocks* blocks )
{
	Block right[2] = { { { { { 0 } } } }, { { { { 0 } } } } };
	for ( int32_t n = 0; n < count; ++n )
	{
		Block block = Unpack( sums + SUP_NODE_SUMS * (int64_t)n, pairs[n].i == pairs[n].j ? 0.5 : 1.0 );
		for ( int32_t d = 0; d < rightEnds; ++d )
		{
			AddProduct( &block, maps + 2 * (int64_t)pairs[n].j + d, right + d );
		}
	}
	for ( int32_t e = 0; e < leftEnds; ++e )
	{
		for ( int32_t d = 0; d < rightEnds; ++d )
		{
			ProjectLeft( right + d, maps + 2 * (int64_t)pairs[0].i + e, blocks->rows[e][d] );
		}
	}
}

void SUP_KERNEL( supProjectFrame )( const double* columns, const supEndMap* maps, int32_t ends, supLinkBlocks* blocks )
{
	Block block = Load( columns );
	for ( int32_t d = 0; d < ends; ++d )
	{
		Block right = { { { { 0 } } } };
		AddProduct( &block, maps + d, &right );
		for ( int32_t e = 0; e < ends; ++e )
		{
			ProjectLeft( &right, maps + e, blocks->rows[e][d] );
		}
	}
}
