// SPDX-License-Identifier: MIT
// Which voxels move together: blocks of voxels, of each block what is connected inside it.
//
// Odd widths: a region for each voxel, the block around it. Even widths: blocks around the corners of cells that have a
// voxel at them; a region for each connected piece that touches the corner. Pieces of one voxel know no rotation and
// are left out there. Further pieces at a corner stand in an extra brick, in the lane of the first.
//
// Sums over blocks are cheap for all cells at once (sums_kernel.c) but take everything in the block. Limbs side by side
// are on different sheets (sheets.c), and a region says which sheets it wants the sums of. Where a part of what a sheet
// has in the block is not connected, a list says which terms to take off again, or where that would be more, the sheet
// is left out and the list says which to add. A term is what is meant of eight voxels in a row, and costs as much as
// one of them.
#include "core/array.h"
#include "core/sort.h"
#include "method/lattice/lattice.h"

// Voxels of one brick in one list.
typedef struct Term
{
	int32_t list;
	int32_t brick;
	supLatticeOffset offset;
	bool isLess;
} Term;

// An extra brick.
typedef struct Extra
{
	// the brick of the same cells in the grid, and the next extra one for it or -1
	int32_t base, next;
	int32_t voxels[8];
	uint8_t wants[SUP_LATTICE_MAX_SHEETS];
} Extra;

typedef struct Maker
{
	supLatticeBuilder* builder;
	int32_t width;
	SUP_ARRAY( Term ) terms;
	// slot of each list
	SUP_ARRAY( int32_t ) lists;
	SUP_ARRAY( Extra ) extras;
	// of each voxel: regions that it is in
	int32_t* counts;
	// of each slot: voxel near the middle of its region, -1 where there is no region
	int32_t* slotVoxels;
	// of each brick: first extra one, -1 without; lanes whose regions want each sheet
	int32_t* firstExtras;
	uint8_t ( *wants )[SUP_LATTICE_MAX_SHEETS];
	bool ok;
} Maker;

// ---------------------------------------------------------------------------------------------------------------------
// Terms

// Cell x of row j in a block, in halves of a voxel from its middle.
static supLatticeOffset OffsetOf( const Maker* m, int32_t x, int32_t j, int32_t lane )
{
	int32_t middle = m->width - 1;
	return ( supLatticeOffset ){ (int8_t)( 2 * ( x - lane ) - middle ), (int8_t)( 2 * ( j % m->width ) - middle ),
								 (int8_t)( 2 * ( j / m->width ) - middle ), (uint8_t)( 1u << lane ) };
}

// Voxels come row by row, so that those of a brick follow each other.
static void AddTerm( Maker* m, Term term )
{
	Term* last = m->terms.count > 0 ? m->terms.data + m->terms.count - 1 : NULL;
	if ( last != NULL && last->list == term.list && last->brick == term.brick && last->isLess == term.isLess )
	{
		last->offset.lanes |= term.offset.lanes;
		return;
	}
	m->ok = m->ok && SUP_PUSH( &m->terms, term );
}

static void AddTerms( Maker* m, supVoxelCell lower, const supLatticeBlock* block, bool isLess )
{
	for ( int32_t j = 0; j < m->width * m->width; ++j )
	{
		for ( uint32_t bits = block->rows[j]; bits != 0; bits &= bits - 1 )
		{
			int32_t x = __builtin_ctz( bits );
			int32_t slot = supLattice_Slot( m->builder, lower.x + x, lower.y + j % m->width, lower.z + j / m->width );
			AddTerm( m, ( Term ){ m->lists.count, slot / 8, OffsetOf( m, x, j, slot % 8 ), isLess } );
		}
	}
}

// Each member is in one more region.
static void CountMembers( const Maker* m, const supLatticeRegion* region )
{
	for ( int32_t j = 0; j < m->width * m->width; ++j )
	{
		for ( uint32_t bits = region->members->rows[j]; bits != 0; bits &= bits - 1 )
		{
			int32_t voxel = supVoxels_Find( &m->builder->body.voxels, region->lower.x + __builtin_ctz( bits ),
											region->lower.y + j % m->width, region->lower.z + j / m->width );
			m->counts[voxel] += 1;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Regions

static bool SetVoxel( int32_t* voxels, int32_t voxel )
{
	bool isFree = *voxels < 0;
	*voxels = isFree ? voxel : *voxels;
	return isFree;
}

// An extra brick of the same cells in which this lane is free, or -1 where there is no memory.
static int32_t FindExtra( Maker* m, int32_t slot, int32_t voxel )
{
	int32_t brick = slot / 8;
	for ( int32_t i = m->firstExtras[brick]; i >= 0; i = m->extras.data[i].next )
	{
		if ( SetVoxel( m->extras.data[i].voxels + slot % 8, voxel ) )
		{
			return i;
		}
	}
	Extra extra = { .base = brick, .next = m->firstExtras[brick], .voxels = { -1, -1, -1, -1, -1, -1, -1, -1 } };
	extra.voxels[slot % 8] = voxel;
	m->ok = m->ok && SUP_PUSH( &m->extras, extra );
	m->firstExtras[brick] = m->ok ? m->extras.count - 1 : -1;
	return m->firstExtras[brick];
}

// What a region takes of one sheet: all that the block has of it, less some; or nothing, and some.
static bool TakeSheet( Maker* m, const supLatticeRegion* region, const supLatticeBlock* own )
{
	supLatticeBlock members, others;
	for ( int32_t j = 0; j < m->width * m->width; ++j )
	{
		members.rows[j] = own->rows[j] & region->members->rows[j];
		others.rows[j] = own->rows[j] & ~region->members->rows[j];
	}
	int32_t memberCount = supLattice_CountBlock( m->builder, &members ),
			otherCount = supLattice_CountBlock( m->builder, &others );
	bool isWanted = otherCount < memberCount;
	AddTerms( m, region->lower, isWanted ? &others : &members, isWanted );
	return isWanted;
}

static void AddRegion( const supLatticeRegion* region, void* context )
{
	Maker* m = context;
	supLatticeBuilder* b = m->builder;
	int32_t slot = supLattice_Slot( b, region->cell.x, region->cell.y, region->cell.z ), lane = slot % 8;
	bool isExtra = SetVoxel( m->slotVoxels + slot, region->voxel ) == false;
	int32_t extra = isExtra ? FindExtra( m, slot, region->voxel ) : -1;
	if ( m->ok == false )
	{
		return;
	}
	slot = isExtra ? 8 * ( b->flesh->brickCount + 1 + extra ) + lane : slot;
	CountMembers( m, region );
	int32_t before = m->terms.count;
	for ( int32_t i = 0; i < b->sheetCount; ++i )
	{
		supLatticeBlock block = *region->present;
		if ( b->sheetCount > 1 )
		{
			supLattice_LoadBlock( b, b->sheetBits[i], region->lower, &block );
		}
		if ( TakeSheet( m, region, &block ) )
		{
			uint8_t* wants = isExtra ? m->extras.data[extra].wants : m->wants[slot / 8];
			wants[i] |= (uint8_t)( 1u << lane );
		}
	}
	if ( m->terms.count > before )
	{
		m->ok = m->ok && SUP_PUSH( &m->lists, slot );
	}
	for ( int32_t k = 0; k < 8; ++k )
	{
		int32_t inner = b->flesh->window.width % 2 == 1
							? region->voxel
							: supVoxels_Find( &b->body.voxels, region->cell.x - 1 + ( k & 1 ),
											  region->cell.y - 1 + ( k >> 1 & 1 ), region->cell.z - 1 + ( k >> 2 ) );
		if ( ( region->inner >> k & 1 ) != 0 )
		{
			b->flesh->voxelRegions[8 * inner + k] = slot;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Lists

static bool AllocateLists( supLatticeBuilder* b, supLatticeLists* lists, int32_t bricks, int32_t terms )
{
	lists->brickStarts = supArena_AllocArray( b->arena, (size_t)bricks + 1, sizeof( int32_t ) );
	lists->slots = supArena_AllocArray( b->arena, (size_t)lists->count, sizeof( int32_t ) );
	lists->starts = supArena_AllocZeroed( b->arena, ( (size_t)lists->count + 1 ) * sizeof( int32_t ) );
	lists->terms = supArena_AllocArray( b->arena, (size_t)terms, sizeof( int32_t ) );
	lists->offsets = supArena_AllocArray( b->arena, (size_t)terms, sizeof( supLatticeOffset ) );
	return b->arena->failed == false;
}

// In the order of slots, so that a brick has all of its own.
static bool SortLists( const Maker* m, uint64_t* keys )
{
	uint64_t* scratch = supAllocArray( (size_t)m->lists.count + 1, sizeof( uint64_t ) );
	for ( int32_t i = 0; scratch != NULL && i < m->lists.count; ++i )
	{
		keys[i] = (uint64_t)m->lists.data[i] << 32 | (uint64_t)i;
	}
	if ( scratch != NULL )
	{
		supSortKeys( keys, scratch, (size_t)m->lists.count, 64 );
	}
	supFree( scratch );
	return scratch != NULL;
}

static void CopyTerms( const Maker* m, const uint64_t* keys, const int32_t* firsts, supLatticeLists* lists )
{
	for ( int32_t i = 0, count = 0; i < lists->count; ++i )
	{
		int32_t list = (int32_t)( keys[i] & 0xFFFFFFFFu );
		lists->slots[i] = (int32_t)( keys[i] >> 32 );
		for ( int32_t k = firsts[list]; k < m->terms.count && m->terms.data[k].list == list; ++k, ++count )
		{
			const Term* term = m->terms.data + k;
			lists->terms[count] = term->isLess ? ~term->brick : term->brick;
			lists->offsets[count] = term->offset;
		}
		lists->starts[i + 1] = count;
	}
}

static bool FillRegionLists( Maker* m )
{
	supLatticeBuilder* b = m->builder;
	supLatticeLists* lists = &b->flesh->regionLists;
	int32_t bricks = b->flesh->brickCount + 1 + b->flesh->extraBrickCount;
	lists->count = m->lists.count;
	uint64_t* keys = supAllocArray( (size_t)lists->count + 1, sizeof( uint64_t ) );
	int32_t* firsts = supAllocArray( (size_t)lists->count + 1, sizeof( int32_t ) );
	bool ok =
		keys != NULL && firsts != NULL && AllocateLists( b, lists, bricks, m->terms.count ) && SortLists( m, keys );
	if ( ok )
	{
		for ( int32_t i = m->terms.count - 1; i >= 0; --i )
		{
			firsts[m->terms.data[i].list] = i;
		}
		CopyTerms( m, keys, firsts, lists );
		int32_t list = 0;
		for ( int32_t brick = 0; brick <= bricks; ++brick )
		{
			while ( list < lists->count && lists->slots[list] / 8 < brick )
			{
				list += 1;
			}
			lists->brickStarts[brick] = list;
		}
	}
	supFree( keys );
	supFree( firsts );
	return ok || supSetMemoryError( b->error );
}

// The same terms, brick by brick of voxels.
static int32_t BrickOf( int32_t term )
{
	return term < 0 ? ~term : term;
}

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
		ends[BrickOf( regions->terms[i] )] += 1;
	}
	for ( int32_t i = 0; i < bricks; ++i )
	{
		lists->count += ends[i] > 0;
	}
	bool ok = AllocateLists( b, lists, bricks, terms );
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
				int32_t at = ends[BrickOf( regions->terms[i] )]++;
				lists->terms[at] = regions->terms[i] < 0 ? ~regions->slots[region] : regions->slots[region];
				lists->offsets[at] = regions->offsets[i];
			}
		}
	}
	supFree( ends );
	return ok || supSetMemoryError( b->error );
}

// ---------------------------------------------------------------------------------------------------------------------

// For the bricks of sheets.
static bool KeepWants( Maker* m )
{
	supLatticeBuilder* b = m->builder;
	size_t bricks = (size_t)b->flesh->brickCount + 1, extras = (size_t)m->extras.count;
	b->wants = supAllocArray( bricks + extras, sizeof( *b->wants ) );
	b->extraBases = supAllocArray( extras + 1, sizeof( int32_t ) );
	if ( b->wants == NULL || b->extraBases == NULL )
	{
		return supSetMemoryError( b->error );
	}
	memcpy( b->wants, m->wants, bricks * sizeof( *b->wants ) );
	for ( size_t i = 0; i < extras; ++i )
	{
		memcpy( b->wants[bricks + i], m->extras.data[i].wants, sizeof( *b->wants ) );
		b->extraBases[i] = m->extras.data[i].base;
	}
	return true;
}

static bool FillFlesh( Maker* m )
{
	supLatticeBuilder* b = m->builder;
	supLatticeFlesh* f = b->flesh;
	f->extraBrickCount = m->extras.count;
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
		int32_t voxel = i < slots ? m->slotVoxels[i] : m->extras.data[( i - slots ) / 8].voxels[i % 8];
		f->regionVoxels[i] = voxel >= 0 ? f->voxelSlots[voxel] : 8 * f->brickCount;
		// to be told from slots without a region until they are measured
		f->regions[(size_t)( i / 8 ) * 40 + (size_t)( i % 8 )] = voxel >= 0 ? 1.0f : 0.0f;
	}
	return KeepWants( m ) && FillRegionLists( m ) && FillVoxelLists( m );
}

bool supLattice_BuildRegions( supLatticeBuilder* b )
{
	supLatticeFlesh* f = b->flesh;
	int32_t slots = 8 * ( f->brickCount + 1 );
	Maker m = { .builder = b, .width = f->window.width, .ok = true };
	m.counts = supAllocZeroed( (size_t)b->body.voxels.count * sizeof( int32_t ) );
	m.slotVoxels = supAllocArray( (size_t)slots, sizeof( int32_t ) );
	m.firstExtras = supAllocArray( (size_t)slots / 8, sizeof( int32_t ) );
	m.wants = supAllocZeroed( (size_t)slots / 8 * sizeof( *m.wants ) );
	f->voxelRegions = supArena_AllocArray( b->arena, (size_t)b->body.voxels.count * 8, sizeof( int32_t ) );
	bool ok = m.counts != NULL && m.slotVoxels != NULL && m.firstExtras != NULL && m.wants != NULL &&
			  b->arena->failed == false;
	if ( ok )
	{
		memset( m.slotVoxels, 0xFF, (size_t)slots * sizeof( int32_t ) );
		memset( m.firstExtras, 0xFF, (size_t)slots / 8 * sizeof( int32_t ) );
		memset( f->voxelRegions, 0xFF, (size_t)b->body.voxels.count * 8 * sizeof( int32_t ) );
		supLattice_WalkRegions( b, AddRegion, &m );
	}
	ok = ok && m.ok ? FillFlesh( &m ) : supSetMemoryError( b->error );
	SUP_FREE_ARRAY( &m.terms );
	SUP_FREE_ARRAY( &m.lists );
	SUP_FREE_ARRAY( &m.extras );
	supFree( m.counts );
	supFree( m.slotVoxels );
	supFree( m.firstExtras );
	supFree( m.wants );
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
