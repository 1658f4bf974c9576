// SPDX-License-Identifier: MIT
// Which voxels move together: blocks of voxels, of each block what is connected inside it.
//
// Odd widths: a region for each voxel, the block around it. Even widths: blocks around the corners of cells that have a
// voxel at them; a region for each connected piece that touches the corner. Pieces of one voxel know no rotation and
// are left out there.
//
// Sums over blocks are cheap for all cells at once (sums_kernel.c) but take everything in the block. Where some of it
// is not connected, a list says which terms to take off again; where more would be taken off than is left, and for
// further pieces at a corner, the region is summed from a list alone and stands in an extra brick. A term is what is
// meant of eight voxels in a row, and costs as much as one of them.
#include "core/array.h"
#include "method/lattice/lattice.h"

// Rows of a block, bit k of a row is its cell k along x.
typedef struct Block
{
	uint32_t rows[SUP_LATTICE_MAX_WIDTH * SUP_LATTICE_MAX_WIDTH];
} Block;

// What is in a block, and what of it does not belong together with the next cell along each axis.
typedef struct Content
{
	Block present;
	Block closed[3];
} Content;

// Voxels of one brick in one list.
typedef struct Term
{
	int32_t list;
	int32_t brick;
	supLatticeOffset offset;
} Term;

typedef SUP_ARRAY( Term ) Terms;

typedef struct Maker
{
	supLatticeBuilder* builder;
	int32_t width;
	Terms slotTerms;
	SUP_ARRAY( int32_t ) slotLists; // slot of each
	Terms extraTerms;
	SUP_ARRAY( int32_t ) extraVoxels; // of each extra region: a voxel near its middle
	// of each voxel: regions that it is in
	int32_t* counts;
	// of each slot: voxel near the middle of its region, -1 where there is no region
	int32_t* slotVoxels;
	// cell of the block at hand
	int32_t x, y, z;
	bool ok;
} Maker;

// ---------------------------------------------------------------------------------------------------------------------
// Blocks

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

static void LoadContent( const Maker* m, Content* content )
{
	const supVoxels* v = &m->builder->body.voxels;
	for ( int32_t j = 0; j < m->width * m->width; ++j )
	{
		int32_t y = m->y + j % m->width, z = m->z + j / m->width;
		content->present.rows[j] = RowBits( v, v->bits, m->x, y, z, m->width );
		for ( int axis = 0; axis < 3; ++axis )
		{
			content->closed[axis].rows[j] = RowBits( v, m->builder->closed[axis], m->x, y, z, m->width );
		}
	}
}

// Everything present that is connected across open faces with what is in `reached` already.
static void Flood( const Content* content, int32_t width, Block* reached )
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

static int32_t CountBits( const Block* block, int32_t width )
{
	int32_t count = 0;
	for ( int32_t j = 0; j < width * width; ++j )
	{
		count += __builtin_popcount( block->rows[j] );
	}
	return count;
}

// Cell x of row j in the block at hand, in halves of a voxel from its middle.
static supLatticeOffset OffsetOf( const Maker* m, int32_t x, int32_t j, int32_t lane )
{
	int32_t middle = m->width - 1;
	return ( supLatticeOffset ){ (int8_t)( 2 * ( x - lane ) - middle ), (int8_t)( 2 * ( j % m->width ) - middle ),
								 (int8_t)( 2 * ( j / m->width ) - middle ), (uint8_t)( 1u << lane ) };
}

// Voxels come row by row, so that those of a brick follow each other.
static bool AddTerm( Terms* terms, Term term )
{
	Term* last = terms->count > 0 ? terms->data + terms->count - 1 : NULL;
	if ( last != NULL && last->list == term.list && last->brick == term.brick )
	{
		last->offset.lanes |= term.offset.lanes;
		return true;
	}
	return SUP_PUSH( terms, term );
}

static void AddTerms( Maker* m, const Block* block, int32_t list, Terms* terms )
{
	for ( int32_t j = 0; j < m->width * m->width; ++j )
	{
		for ( uint32_t bits = block->rows[j]; bits != 0; bits &= bits - 1 )
		{
			int32_t x = __builtin_ctz( bits );
			int32_t slot = supLattice_Slot( m->builder, m->x + x, m->y + j % m->width, m->z + j / m->width );
			m->ok = m->ok && AddTerm( terms, ( Term ){ list, slot / 8, OffsetOf( m, x, j, slot % 8 ) } );
		}
	}
}

// Each member is in one more region.
static void CountMembers( const Maker* m, const Block* block )
{
	for ( int32_t j = 0; j < m->width * m->width; ++j )
	{
		for ( uint32_t bits = block->rows[j]; bits != 0; bits &= bits - 1 )
		{
			int32_t x = __builtin_ctz( bits );
			int32_t voxel =
				supVoxels_Find( &m->builder->body.voxels, m->x + x, m->y + j % m->width, m->z + j / m->width );
			m->counts[voxel] += 1;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Regions

// Slots of extra regions are counted from here.
static int32_t FirstExtraSlot( const Maker* m )
{
	return 8 * ( m->builder->flesh->brickCount + 1 );
}

// Adds a region of the block at hand, in `slot` if that is free. Returns where it stands.
static int32_t AddRegion( Maker* m, const Block* present, const Block* members, int32_t slot, int32_t voxel )
{
	Block others;
	for ( int32_t j = 0; j < m->width * m->width; ++j )
	{
		others.rows[j] = present->rows[j] & ~members->rows[j];
	}
	int32_t memberCount = CountBits( members, m->width ), otherCount = CountBits( &others, m->width );
	CountMembers( m, members );
	if ( m->slotVoxels[slot] < 0 && otherCount < memberCount )
	{
		m->slotVoxels[slot] = voxel;
		if ( otherCount > 0 )
		{
			AddTerms( m, &others, m->slotLists.count, &m->slotTerms );
			m->ok = m->ok && SUP_PUSH( &m->slotLists, slot );
		}
		return slot;
	}
	AddTerms( m, members, m->extraVoxels.count, &m->extraTerms );
	m->ok = m->ok && SUP_PUSH( &m->extraVoxels, voxel );
	return FirstExtraSlot( m ) + m->extraVoxels.count - 1;
}

static void MakeCentred( Maker* m )
{
	supLatticeBuilder* b = m->builder;
	int32_t reach = m->width / 2, middle = reach * m->width + reach;
	for ( int32_t i = 0; i < b->body.voxels.count && m->ok; ++i )
	{
		supVoxelCell c = b->body.voxels.cells[i];
		m->x = c.x - reach;
		m->y = c.y - reach;
		m->z = c.z - reach;
		Content content;
		Block members = { { 0 } };
		LoadContent( m, &content );
		members.rows[middle] = 1u << reach;
		Flood( &content, m->width, &members );
		b->flesh->voxelRegions[8 * i] = AddRegion( m, &content.present, &members, b->flesh->voxelSlots[i], i );
	}
}

// The voxel of the eight cells around the corner, -1 where there is none. Cell k is bit by bit x, y, z.
static int32_t InnerVoxel( const Maker* m, const Block* block, int32_t k )
{
	int32_t half = m->width / 2;
	int32_t x = half - 1 + ( k & 1 ), y = half - 1 + ( k >> 1 & 1 ), z = half - 1 + ( k >> 2 );
	return ( block->rows[z * m->width + y] >> x & 1 ) != 0
			   ? supVoxels_Find( &m->builder->body.voxels, m->x + x, m->y + y, m->z + z )
			   : -1;
}

static void SetInner( const Maker* m, Block* block, int32_t k )
{
	int32_t half = m->width / 2;
	block->rows[( half - 1 + ( k >> 2 ) ) * m->width + half - 1 + ( k >> 1 & 1 )] |= 1u << ( half - 1 + ( k & 1 ) );
}

// The pieces around one corner, the largest first in the slot.
static void MakeCorner( Maker* m, const Content* content, int32_t slot )
{
	const Block* present = &content->present;
	Block pieces[8];
	int32_t sizes[8], count = 0;
	uint32_t done = 0;
	for ( int32_t k = 0; k < 8; ++k )
	{
		if ( ( done >> k & 1 ) != 0 || InnerVoxel( m, present, k ) < 0 )
		{
			continue;
		}
		pieces[count] = ( Block ){ { 0 } };
		SetInner( m, &pieces[count], k );
		Flood( content, m->width, &pieces[count] );
		for ( int32_t i = k; i < 8; ++i )
		{
			done |= InnerVoxel( m, &pieces[count], i ) >= 0 ? 1u << i : 0u;
		}
		sizes[count] = CountBits( &pieces[count], m->width );
		count += 1;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t largest = 0;
		for ( int32_t k = 1; k < count; ++k )
		{
			largest = sizes[k] > sizes[largest] ? k : largest;
		}
		if ( sizes[largest] < 2 )
		{
			break;
		}
		int32_t voxel = -1;
		for ( int32_t k = 0; k < 8 && voxel < 0; ++k )
		{
			voxel = InnerVoxel( m, &pieces[largest], k );
		}
		int32_t region = AddRegion( m, present, &pieces[largest], slot, voxel );
		for ( int32_t k = 0; k < 8; ++k )
		{
			int32_t inner = InnerVoxel( m, &pieces[largest], k );
			if ( inner >= 0 )
			{
				m->builder->flesh->voxelRegions[8 * inner + k] = region;
			}
		}
		sizes[largest] = 0;
	}
}

static void MakeCorners( Maker* m )
{
	supLatticeBuilder* b = m->builder;
	const supVoxels* v = &b->body.voxels;
	int32_t half = m->width / 2;
	for ( int32_t z = 0; z <= v->nz; ++z )
	{
		for ( int32_t y = 0; y <= v->ny; ++y )
		{
			for ( int32_t x = 0; x <= v->nx && m->ok; ++x )
			{
				bool isNear = false;
				for ( int32_t k = 0; k < 4; ++k )
				{
					isNear = isNear || RowBits( v, v->bits, x - 1, y - ( k & 1 ), z - ( k >> 1 ), 2 ) != 0;
				}
				if ( isNear )
				{
					Content content;
					m->x = x - half;
					m->y = y - half;
					m->z = z - half;
					LoadContent( m, &content );
					MakeCorner( m, &content, supLattice_Slot( b, x, y, z ) );
				}
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Lists

static bool FillRegionLists( Maker* m )
{
	supLatticeBuilder* b = m->builder;
	supLatticeLists* lists = &b->flesh->regionLists;
	int32_t bricks = b->flesh->brickCount + 1 + b->flesh->extraBrickCount;
	int32_t terms = m->slotTerms.count + m->extraTerms.count;
	lists->count = m->slotLists.count + m->extraVoxels.count;
	lists->brickStarts = supArena_AllocArray( b->arena, (size_t)bricks + 1, sizeof( int32_t ) );
	lists->slots = supArena_AllocArray( b->arena, (size_t)lists->count, sizeof( int32_t ) );
	lists->starts = supArena_AllocZeroed( b->arena, ( (size_t)lists->count + 1 ) * sizeof( int32_t ) );
	lists->terms = supArena_AllocArray( b->arena, (size_t)terms, sizeof( int32_t ) );
	lists->offsets = supArena_AllocArray( b->arena, (size_t)terms, sizeof( supLatticeOffset ) );
	if ( b->arena->failed )
	{
		return supSetMemoryError( b->error );
	}
	for ( int32_t i = 0; i < lists->count; ++i )
	{
		bool isSlot = i < m->slotLists.count;
		lists->slots[i] = isSlot ? m->slotLists.data[i] : FirstExtraSlot( m ) + i - m->slotLists.count;
	}
	for ( int32_t i = 0; i < terms; ++i )
	{
		bool isSlot = i < m->slotTerms.count;
		const Term* term = isSlot ? m->slotTerms.data + i : m->extraTerms.data + ( i - m->slotTerms.count );
		int32_t list = isSlot ? term->list : m->slotLists.count + term->list;
		// terms come list by list
		lists->starts[list + 1] = i + 1;
		lists->terms[i] = term->brick;
		lists->offsets[i] = term->offset;
	}
	int32_t list = 0;
	for ( int32_t brick = 0; brick <= bricks; ++brick )
	{
		while ( list < lists->count && lists->slots[list] / 8 < brick )
		{
			list += 1;
		}
		lists->brickStarts[brick] = list;
	}
	return true;
}

// The same terms, brick by brick of voxels.
static bool FillVoxelLists( Maker* m )
{
	supLatticeBuilder* b = m->builder;
	const supLatticeLists* regions = &b->flesh->regionLists;
	supLatticeLists* lists = &b->flesh->voxelLists;
	int32_t bricks = b->flesh->brickCount + 1;
	int32_t terms = regions->starts[regions->count];
	int32_t* ends = supAllocZeroed( (size_t)bricks * sizeof( int32_t ) );
	if ( ends == NULL )
	{
		return supSetMemoryError( b->error );
	}
	for ( int32_t i = 0; i < terms; ++i )
	{
		ends[regions->terms[i]] += 1;
	}
	for ( int32_t i = 0; i < bricks; ++i )
	{
		lists->count += ends[i] > 0;
	}
	lists->brickStarts = supArena_AllocArray( b->arena, (size_t)bricks + 1, sizeof( int32_t ) );
	lists->slots = supArena_AllocArray( b->arena, (size_t)lists->count, sizeof( int32_t ) );
	lists->starts = supArena_AllocZeroed( b->arena, ( (size_t)lists->count + 1 ) * sizeof( int32_t ) );
	lists->terms = supArena_AllocArray( b->arena, (size_t)terms, sizeof( int32_t ) );
	lists->offsets = supArena_AllocArray( b->arena, (size_t)terms, sizeof( supLatticeOffset ) );
	bool ok = b->arena->failed == false;
	if ( ok )
	{
		int32_t list = 0, sum = 0;
		for ( int32_t i = 0; i < bricks; ++i )
		{
			lists->brickStarts[i] = list;
			int32_t count = ends[i];
			ends[i] = sum;
			if ( count > 0 )
			{
				lists->slots[list] = 8 * i;
				sum += count;
				lists->starts[++list] = sum;
			}
		}
		lists->brickStarts[bricks] = list;
		for ( int32_t region = 0; region < regions->count; ++region )
		{
			for ( int32_t i = regions->starts[region]; i < regions->starts[region + 1]; ++i )
			{
				int32_t at = ends[regions->terms[i]]++;
				lists->terms[at] = regions->slots[region];
				lists->offsets[at] = regions->offsets[i];
			}
		}
	}
	supFree( ends );
	return ok || supSetMemoryError( b->error );
}

// ---------------------------------------------------------------------------------------------------------------------

static bool FillFlesh( Maker* m )
{
	supLatticeBuilder* b = m->builder;
	supLatticeFlesh* f = b->flesh;
	f->extraBrickCount = ( m->extraVoxels.count + 7 ) / 8;
	int32_t slots = 8 * ( f->brickCount + 1 ), extraSlots = 8 * f->extraBrickCount;
	f->shares = supArena_AllocZeroed( b->arena, (size_t)slots * sizeof( float ) );
	f->regionVoxels = supArena_AllocZeroed( b->arena, (size_t)( slots + extraSlots ) * sizeof( int32_t ) );
	f->regions = supArena_AllocZeroed( b->arena, (size_t)( slots + extraSlots ) * 5 * sizeof( float ) );
	if ( b->arena->failed )
	{
		return supSetMemoryError( b->error );
	}
	for ( int32_t i = 0; i < b->body.voxels.count; ++i )
	{
		f->shares[f->voxelSlots[i]] = m->counts[i] > 0 ? 1.0f / (float)m->counts[i] : 0.0f;
	}
	for ( int32_t i = 0; i < slots + extraSlots; ++i )
	{
		int32_t extra = i - slots;
		int32_t voxel =
			i < slots ? m->slotVoxels[i] : ( extra < m->extraVoxels.count ? m->extraVoxels.data[extra] : -1 );
		f->regionVoxels[i] = voxel >= 0 ? f->voxelSlots[voxel] : 8 * f->brickCount;
		// to be told from slots without a region until they are measured
		f->regions[(size_t)( i / 8 ) * 40 + (size_t)( i % 8 )] = voxel >= 0 ? 1.0f : 0.0f;
	}
	return FillRegionLists( m ) && FillVoxelLists( m );
}

bool supLattice_BuildRegions( supLatticeBuilder* b )
{
	supLatticeFlesh* f = b->flesh;
	int32_t slots = 8 * ( f->brickCount + 1 );
	Maker m = { .builder = b, .width = f->window.width, .ok = true };
	m.counts = supAllocZeroed( (size_t)b->body.voxels.count * sizeof( int32_t ) );
	m.slotVoxels = supAllocArray( (size_t)slots, sizeof( int32_t ) );
	f->voxelRegions = supArena_AllocArray( b->arena, (size_t)b->body.voxels.count * 8, sizeof( int32_t ) );
	bool ok = m.counts != NULL && m.slotVoxels != NULL && b->arena->failed == false;
	if ( ok )
	{
		memset( m.slotVoxels, 0xFF, (size_t)slots * sizeof( int32_t ) );
		memset( f->voxelRegions, 0xFF, (size_t)b->body.voxels.count * 8 * sizeof( int32_t ) );
		if ( m.width % 2 == 1 )
		{
			MakeCentred( &m );
		}
		else
		{
			MakeCorners( &m );
		}
	}
	ok = ok && m.ok ? FillFlesh( &m ) : supSetMemoryError( b->error );
	SUP_FREE_ARRAY( &m.slotTerms );
	SUP_FREE_ARRAY( &m.slotLists );
	SUP_FREE_ARRAY( &m.extraTerms );
	SUP_FREE_ARRAY( &m.extraVoxels );
	supFree( m.counts );
	supFree( m.slotVoxels );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Mass, middle and how firmly the skeleton's rotation is added, by the very sums that a step takes

// The part of the skinned rotation in a region's, against the region's own moments, and for single voxels.
#define SKIN_PART 0.03f
#define SKIN_LEAST 1.0e-3f

static void FillMasses( supLatticeFlesh* f, const float* sums )
{
	for ( int32_t i = 0; i < 8 * ( f->brickCount + 1 + f->extraBrickCount ); ++i )
	{
		float* region = f->regions + (size_t)( i / 8 ) * 40 + i % 8;
		const float* sum = sums + (size_t)( i / 8 ) * 96 + i % 8;
		if ( region[0] > 0.0f && sum[0] > 0.0f )
		{
			region[0] = 1.0f / sum[0];
			region[8] = sum[24] / sum[0];
			region[16] = sum[48] / sum[0];
			region[24] = sum[72] / sum[0];
		}
	}
}

static void FillSkinParts( supLatticeFlesh* f, const float* sums )
{
	for ( int32_t i = 0; i < 8 * ( f->brickCount + 1 + f->extraBrickCount ); ++i )
	{
		float* region = f->regions + (size_t)( i / 8 ) * 40 + i % 8;
		const float* sum = sums + (size_t)( i / 8 ) * 96 + i % 8;
		if ( region[0] > 0.0f )
		{
			float trace = sum[24] - sum[0] * region[8] + sum[56] - sum[8] * region[16] + sum[88] - sum[16] * region[24];
			region[32] = SKIN_PART / 3.0f * supMaxFloat( trace, 0.0f ) + SKIN_LEAST / region[0];
		}
	}
}

static void FillVolumes( const supLatticeJob* job )
{
	const supLatticeShell* shell = &job->flesh->shell;
	SUP_CALL_KERNEL( supLatticeShellGroups )( job, 0, shell->groupCount );
	for ( int32_t part = 0; part < shell->partCount; ++part )
	{
		double volume = 0.0;
		for ( int32_t i = shell->partGroups[part]; i < shell->partGroups[part + 1]; ++i )
		{
			volume += job->arrays.shellVolumes[i];
		}
		shell->volumes[part] = (float)volume;
	}
}

bool supLattice_MeasureRegions( supLatticeBuilder* b )
{
	supLatticeFlesh* f = b->flesh;
	void* state = supAllocZeroed( supLattice_StateSize( f ) );
	if ( state == NULL )
	{
		return supSetMemoryError( b->error );
	}
	supLatticeJob job = { .flesh = f, .arrays = supLattice_Arrays( f, state ) };
	float* p = job.arrays.positions;
	job.from = p;
	for ( int32_t i = 0; i < b->body.voxels.count; ++i )
	{
		int32_t slot = f->voxelSlots[i];
		p[( slot >> 3 ) * 24 + ( slot & 7 )] = 1.0f;
	}
	supLattice_SumRegions( &job, NULL );
	FillMasses( f, job.arrays.sums );
	for ( int32_t i = 0; i < b->body.voxels.count; ++i )
	{
		int32_t slot = f->voxelSlots[i];
		supVoxelCell c = b->body.voxels.cells[i];
		float place[3] = { (float)c.x, (float)c.y, (float)c.z };
		for ( int k = 0; k < 3; ++k )
		{
			p[( slot >> 3 ) * 24 + 8 * k + ( slot & 7 )] = place[k];
		}
	}
	supLattice_SumRegions( &job, NULL );
	FillSkinParts( f, job.arrays.sums );
	FillVolumes( &job );
	supFree( state );
	return true;
}
