// SPDX-License-Identifier: MIT
// Blocks of voxels, what is connected inside them, and a walk over all regions.
#include "method/lattice/lattice.h"

// Of the voxels, or of something laid out as their bits are.
static uint32_t RowBits( const supVoxels* v, const uint64_t* bitmap, int32_t x, int32_t y, int32_t z, int32_t width )
{
	if ( y < 0 || y >= v->ny || z < 0 || z >= v->nz )
	{
		return 0;
	}
	const uint64_t* row = bitmap + (size_t)( ( z + 1 ) * ( v->ny + 2 ) + y + 1 ) * (size_t)v->wordsPerRow;
	// the row starts with a border cell
	int32_t start = x + 1;
	int32_t skip = start < 0 ? -start : 0;
	int32_t word = ( start + skip ) >> 6, shift = ( start + skip ) & 63;
	if ( skip >= width || word >= v->wordsPerRow )
	{
		return 0;
	}
	uint64_t bits = row[word] >> shift;
	if ( shift + width > 64 && word + 1 < v->wordsPerRow )
	{
		bits |= row[word + 1] << ( 64 - shift );
	}
	return (uint32_t)( bits << skip ) & ( ( 1u << width ) - 1 );
}

void supLattice_LoadBlock( const supLatticeBuilder* b, const uint64_t* bitmap, supVoxelCell lower,
						   supLatticeBlock* block )
{
	int32_t width = b->flesh->window.width;
	for ( int32_t j = 0; j < width * width; ++j )
	{
		block->rows[j] = RowBits( &b->body.voxels, bitmap, lower.x, lower.y + j % width, lower.z + j / width, width );
	}
}

int32_t supLattice_CountBlock( const supLatticeBuilder* b, const supLatticeBlock* block )
{
	int32_t count = 0, width = b->flesh->window.width;
	for ( int32_t j = 0; j < width * width; ++j )
	{
		count += __builtin_popcount( block->rows[j] );
	}
	return count;
}

// What is in a block, and what of it does not belong together with the next cell along each axis.
typedef struct Content
{
	supLatticeBlock present;
	supLatticeBlock closed[3];
} Content;

static void LoadContent( const supLatticeBuilder* b, supVoxelCell lower, Content* content )
{
	supLattice_LoadBlock( b, b->body.voxels.bits, lower, &content->present );
	for ( int axis = 0; axis < 3; ++axis )
	{
		supLattice_LoadBlock( b, b->closed[axis], lower, &content->closed[axis] );
	}
}

// Everything present that is connected across open faces with what is in `reached` already.
static void Flood( const Content* content, int32_t width, supLatticeBlock* reached )
{
	const uint32_t *closedX = content->closed[0].rows, *closedY = content->closed[1].rows,
				   *closedZ = content->closed[2].rows;
	for ( bool changed = true; changed; )
	{
		changed = false;
		for ( int32_t j = 0; j < width * width; ++j )
		{
			const uint32_t* r = reached->rows;
			uint32_t bits = r[j];
			bits |= ( bits & ~closedX[j] ) << 1 | ( bits >> 1 & ~closedX[j] );
			bits |= j % width > 0 ? r[j - 1] & ~closedY[j - 1] : 0;
			bits |= j % width < width - 1 ? r[j + 1] & ~closedY[j] : 0;
			bits |= j >= width ? r[j - width] & ~closedZ[j - width] : 0;
			bits |= j < width * ( width - 1 ) ? r[j + width] & ~closedZ[j] : 0;
			bits &= content->present.rows[j];
			changed = changed || bits != r[j];
			reached->rows[j] = bits;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Regions

static void WalkCentred( const supLatticeBuilder* b, supLatticeRegionFcn* function, void* context )
{
	int32_t width = b->flesh->window.width, reach = width / 2, middle = reach * width + reach;
	for ( int32_t i = 0; i < b->body.voxels.count; ++i )
	{
		supVoxelCell c = b->body.voxels.cells[i];
		supVoxelCell lower = { (int16_t)( c.x - reach ), (int16_t)( c.y - reach ), (int16_t)( c.z - reach ) };
		Content content;
		supLatticeBlock members = { { 0 } };
		LoadContent( b, lower, &content );
		members.rows[middle] = 1u << reach;
		Flood( &content, width, &members );
		supLatticeRegion region = { &content.present, &members, lower, c, i, 1 };
		function( &region, context );
	}
}

// A block around a corner, and its pieces.
typedef struct Corner
{
	const supLatticeBuilder* builder;
	supVoxelCell lower;
	Content content;
	int32_t count;
	supLatticeBlock pieces[8];
	int32_t sizes[8];
} Corner;

// The eight cells around the corner, bit by bit x, y, z: row of a block, and cell in the row.
static int32_t InnerRow( const Corner* corner, int32_t k )
{
	int32_t width = corner->builder->flesh->window.width, half = width / 2;
	return ( half - 1 + ( k >> 2 ) ) * width + half - 1 + ( k >> 1 & 1 );
}

static int32_t InnerBit( const Corner* corner, int32_t k )
{
	return corner->builder->flesh->window.width / 2 - 1 + ( k & 1 );
}

static bool HasInner( const Corner* corner, const supLatticeBlock* block, int32_t k )
{
	return ( block->rows[InnerRow( corner, k )] >> InnerBit( corner, k ) & 1 ) != 0;
}

static int32_t InnerVoxel( const Corner* corner, int32_t k )
{
	int32_t width = corner->builder->flesh->window.width, row = InnerRow( corner, k );
	return supVoxels_Find( &corner->builder->body.voxels, corner->lower.x + InnerBit( corner, k ),
						   corner->lower.y + row % width, corner->lower.z + row / width );
}

static void FindPieces( Corner* corner )
{
	uint32_t done = 0;
	corner->count = 0;
	for ( int32_t k = 0; k < 8; ++k )
	{
		if ( ( done >> k & 1 ) != 0 || HasInner( corner, &corner->content.present, k ) == false )
		{
			continue;
		}
		supLatticeBlock* piece = corner->pieces + corner->count;
		*piece = ( supLatticeBlock ){ { 0 } };
		piece->rows[InnerRow( corner, k )] |= 1u << InnerBit( corner, k );
		Flood( &corner->content, corner->builder->flesh->window.width, piece );
		for ( int32_t i = k; i < 8; ++i )
		{
			done |= HasInner( corner, piece, i ) ? 1u << i : 0u;
		}
		corner->sizes[corner->count++] = supLattice_CountBlock( corner->builder, piece );
	}
}

// The pieces around one corner, the largest first. Those of one voxel know no rotation.
static void WalkCorner( Corner* corner, supVoxelCell cell, supLatticeRegionFcn* function, void* context )
{
	LoadContent( corner->builder, corner->lower, &corner->content );
	FindPieces( corner );
	for ( int32_t i = 0; i < corner->count; ++i )
	{
		int32_t largest = 0;
		for ( int32_t k = 1; k < corner->count; ++k )
		{
			largest = corner->sizes[k] > corner->sizes[largest] ? k : largest;
		}
		if ( corner->sizes[largest] < 2 )
		{
			break;
		}
		supLatticeRegion region = { &corner->content.present, corner->pieces + largest, corner->lower, cell, -1, 0 };
		for ( int32_t k = 7; k >= 0; --k )
		{
			if ( HasInner( corner, region.members, k ) )
			{
				region.voxel = InnerVoxel( corner, k );
				region.inner |= (uint8_t)( 1u << k );
			}
		}
		function( &region, context );
		corner->sizes[largest] = 0;
	}
}

static void WalkCorners( const supLatticeBuilder* b, supLatticeRegionFcn* function, void* context )
{
	const supVoxels* v = &b->body.voxels;
	int32_t half = b->flesh->window.width / 2;
	Corner corner = { .builder = b };
	for ( int32_t z = 0; z <= v->nz; ++z )
	{
		for ( int32_t y = 0; y <= v->ny; ++y )
		{
			for ( int32_t x = 0; x <= v->nx; ++x )
			{
				bool isNear = false;
				for ( int32_t k = 0; k < 4; ++k )
				{
					isNear = isNear || RowBits( v, v->bits, x - 1, y - ( k & 1 ), z - ( k >> 1 ), 2 ) != 0;
				}
				if ( isNear )
				{
					corner.lower =
						( supVoxelCell ){ (int16_t)( x - half ), (int16_t)( y - half ), (int16_t)( z - half ) };
					WalkCorner( &corner, ( supVoxelCell ){ (int16_t)x, (int16_t)y, (int16_t)z }, function, context );
				}
			}
		}
	}
}

void supLattice_WalkRegions( const supLatticeBuilder* b, supLatticeRegionFcn* function, void* context )
{
	( b->flesh->window.width % 2 == 1 ? WalkCentred : WalkCorners )( b, function, context );
}
