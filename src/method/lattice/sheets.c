// SPDX-License-Identifier: MIT
// Sheets: parts of the body whose sums are taken apart from each other, so that limbs side by side do not get into each
// other's regions.
//
// A block that has two legs in it is not connected, and its sum is not a region's. Voxel by voxel there would be more
// to take off the wider regions are. With each leg on a sheet of its own a region picks whole sums: those of the sheets
// that it is connected with. What a sheet costs is a seam: where it ends in the middle of flesh, sums of both sheets
// are needed as far as a region reaches.
//
// Voxels that touch within a small cube are an atom. Two atoms are in conflict as often as a voxel of the one is in the
// block of a region of the other without being in the region. Atoms grow together while their seam costs more than what
// they are in conflict; then the pieces are dealt out to few sheets.
#include "core/array.h"
#include "core/sort.h"
#include "method/lattice/lattice.h"

#include <stdlib.h>

#define CUBE 4
// voxels taken off regions that a face of a seam is worth, for each cell that regions reach beyond it
#define FACE_COST 40
// narrower regions hardly ever have something in their blocks that is not theirs
#define MIN_SHEET_WIDTH 4

// Two clusters, the smaller number first: faces between them, and how often they are in conflict.
typedef struct Edge
{
	int32_t a, b;
	int64_t faces, conflicts;
} Edge;

typedef struct Finder
{
	supLatticeBuilder* builder;
	int32_t count;
	// cluster of each voxel
	int32_t* clusters;
	// a, b and how many: 24, 24 and 16 bits
	SUP_ARRAY( uint64_t ) faces;
	SUP_ARRAY( uint64_t ) conflicts;
	SUP_ARRAY( Edge ) edges;
	// of each cluster: voxels; and while clusters grow, the one that it would best go with
	int32_t* sizes;
	int32_t* partners;
	int64_t* gains;
	bool ok;
} Finder;

// ---------------------------------------------------------------------------------------------------------------------
// Atoms

static int32_t RootOf( int32_t* parents, int32_t i )
{
	for ( ; parents[i] != i; i = parents[i] )
	{
		parents[i] = parents[parents[i]];
	}
	return i;
}

// The voxel across an open face of the next cell along an axis, or -1.
static int32_t NextVoxel( const supLatticeBuilder* b, int32_t voxel, int axis )
{
	supVoxelCell c = b->body.voxels.cells[voxel];
	return supLattice_IsFaceClosed( b, axis, c )
			   ? -1
			   : supVoxels_Find( &b->body.voxels, c.x + ( axis == 0 ), c.y + ( axis == 1 ), c.z + ( axis == 2 ) );
}

static bool AreInOneCube( supVoxelCell a, supVoxelCell b )
{
	return a.x / CUBE == b.x / CUBE && a.y / CUBE == b.y / CUBE && a.z / CUBE == b.z / CUBE;
}

// Numbers roots in order of their first voxels.
static void NumberRoots( Finder* f, int32_t* parents, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		parents[i] = RootOf( parents, i );
	}
	f->count = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		// roots are the first of theirs, and known already
		f->partners[i] = parents[i] == i ? f->count++ : f->partners[parents[i]];
	}
}

static void Unite( int32_t* parents, int32_t a, int32_t b )
{
	a = RootOf( parents, a );
	b = RootOf( parents, b );
	parents[a > b ? a : b] = a < b ? a : b;
}

static void FindAtoms( Finder* f )
{
	const supLatticeBuilder* b = f->builder;
	const supVoxels* v = &b->body.voxels;
	for ( int32_t i = 0; i < v->count; ++i )
	{
		f->clusters[i] = i;
	}
	for ( int32_t i = 0; i < 3 * v->count; ++i )
	{
		int32_t next = NextVoxel( b, i / 3, i % 3 );
		if ( next >= 0 && AreInOneCube( v->cells[i / 3], v->cells[next] ) )
		{
			Unite( f->clusters, i / 3, next );
		}
	}
	NumberRoots( f, f->clusters, v->count );
	for ( int32_t i = 0; i < v->count; ++i )
	{
		f->clusters[i] = f->partners[i];
		f->sizes[f->clusters[i]] += 1;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Edges

#define MOST_ATOMS ( 1 << 24 )

static uint64_t KeyOf( int32_t a, int32_t b, int64_t count )
{
	uint64_t lower = (uint64_t)( a < b ? a : b ), upper = (uint64_t)( a < b ? b : a );
	return lower << 40 | upper << 16 | (uint64_t)( count < 65535 ? count : 65535 );
}

static void FindFaces( Finder* f )
{
	for ( int32_t i = 0; i < 3 * f->builder->body.voxels.count; ++i )
	{
		int32_t next = NextVoxel( f->builder, i / 3, i % 3 );
		if ( next >= 0 && f->clusters[next] != f->clusters[i / 3] )
		{
			f->ok = f->ok && SUP_PUSH( &f->faces, KeyOf( f->clusters[next], f->clusters[i / 3], 1 ) );
		}
	}
}

// How many voxels of which atoms are in a block.
typedef struct Census
{
	int32_t count, total;
	int32_t atoms[SUP_LATTICE_MAX_WIDTH * SUP_LATTICE_MAX_WIDTH * SUP_LATTICE_MAX_WIDTH];
	int32_t sizes[SUP_LATTICE_MAX_WIDTH * SUP_LATTICE_MAX_WIDTH * SUP_LATTICE_MAX_WIDTH];
} Census;

static void TakeCensus( const Finder* f, const supLatticeRegion* region, bool ofMembers, Census* census )
{
	const supLatticeBuilder* b = f->builder;
	int32_t width = b->flesh->window.width;
	census->count = census->total = 0;
	for ( int32_t j = 0; j < width * width; ++j )
	{
		uint32_t members = region->members->rows[j];
		uint32_t bits = ofMembers ? members : region->present->rows[j] & ~members;
		for ( ; bits != 0; bits &= bits - 1 )
		{
			int32_t voxel = supVoxels_Find( &b->body.voxels, region->lower.x + __builtin_ctz( bits ),
											region->lower.y + j % width, region->lower.z + j / width );
			int32_t atom = f->clusters[voxel], at = 0;
			while ( at < census->count && census->atoms[at] != atom )
			{
				at += 1;
			}
			if ( at == census->count )
			{
				census->atoms[at] = atom;
				census->sizes[at] = 0;
				census->count += 1;
			}
			census->sizes[at] += 1;
			census->total += 1;
		}
	}
}

static void FindConflicts( const supLatticeRegion* region, void* context )
{
	Finder* f = context;
	bool isWhole = true;
	int32_t width = f->builder->flesh->window.width;
	for ( int32_t j = 0; j < width * width && isWhole; ++j )
	{
		isWhole = region->present->rows[j] == region->members->rows[j];
	}
	if ( isWhole || f->ok == false )
	{
		return;
	}
	Census members, others;
	TakeCensus( f, region, true, &members );
	TakeCensus( f, region, false, &others );
	for ( int32_t i = 0; i < members.count; ++i )
	{
		for ( int32_t k = 0; k < others.count; ++k )
		{
			int64_t weight = ( (int64_t)others.sizes[k] * members.sizes[i] + members.total - 1 ) / members.total;
			if ( members.atoms[i] != others.atoms[k] )
			{
				f->ok = f->ok && SUP_PUSH( &f->conflicts, KeyOf( members.atoms[i], others.atoms[k], weight ) );
			}
		}
	}
}

// Keys in order, so that those of the same two follow each other.
static void SortKeys( Finder* f, uint64_t* keys, int32_t count )
{
	uint64_t* scratch = supAllocArray( (size_t)count + 1, sizeof( uint64_t ) );
	f->ok = f->ok && scratch != NULL;
	if ( f->ok )
	{
		supSortKeys( keys, scratch, (size_t)count, 64 );
	}
	supFree( scratch );
}

static void MakeEdges( Finder* f )
{
	SortKeys( f, f->faces.data, f->faces.count );
	SortKeys( f, f->conflicts.data, f->conflicts.count );
	for ( int32_t i = 0, k = 0; f->ok && ( i < f->faces.count || k < f->conflicts.count ); )
	{
		uint64_t face = i < f->faces.count ? f->faces.data[i] >> 16 : UINT64_MAX;
		uint64_t conflict = k < f->conflicts.count ? f->conflicts.data[k] >> 16 : UINT64_MAX;
		uint64_t pair = face < conflict ? face : conflict;
		Edge edge = { (int32_t)( pair >> 24 ), (int32_t)( pair & 0xFFFFFF ), 0, 0 };
		for ( ; i < f->faces.count && f->faces.data[i] >> 16 == pair; ++i )
		{
			edge.faces += (int64_t)( f->faces.data[i] & 0xFFFF );
		}
		for ( ; k < f->conflicts.count && f->conflicts.data[k] >> 16 == pair; ++k )
		{
			edge.conflicts += (int64_t)( f->conflicts.data[k] & 0xFFFF );
		}
		f->ok = SUP_PUSH( &f->edges, edge );
	}
}

// What it is worth to have both on one sheet.
static int64_t GainOf( const Finder* f, const Edge* edge )
{
	return FACE_COST * ( f->builder->flesh->window.width / 2 ) * edge->faces - edge->conflicts;
}

// ---------------------------------------------------------------------------------------------------------------------
// Clusters

static void OfferPartner( Finder* f, int32_t cluster, int32_t other, int64_t gain )
{
	if ( gain > f->gains[cluster] || ( gain == f->gains[cluster] && gain > 0 && other < f->partners[cluster] ) )
	{
		f->gains[cluster] = gain;
		f->partners[cluster] = other;
	}
}

static int CompareEdges( const void* a, const void* b )
{
	const Edge *one = a, *other = b;
	return one->a != other->a ? ( one->a < other->a ? -1 : 1 )
							  : ( one->b != other->b ? ( one->b < other->b ? -1 : 1 ) : 0 );
}

// Edges between what clusters have become; those of the same two in one.
static void RenameEdges( Finder* f, const int32_t* names )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < f->edges.count; ++i )
	{
		Edge edge = f->edges.data[i];
		int32_t a = names[edge.a], b = names[edge.b];
		edge.a = a < b ? a : b;
		edge.b = a < b ? b : a;
		f->edges.data[count] = edge;
		count += a != b;
	}
	qsort( f->edges.data, (size_t)count, sizeof( Edge ), CompareEdges );
	f->edges.count = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		Edge* last = f->edges.data + f->edges.count - 1;
		if ( f->edges.count > 0 && CompareEdges( last, f->edges.data + i ) == 0 )
		{
			last->faces += f->edges.data[i].faces;
			last->conflicts += f->edges.data[i].conflicts;
		}
		else
		{
			f->edges.data[f->edges.count++] = f->edges.data[i];
		}
	}
}

// Unites clusters that are each other's best partners. False if there are none.
static bool GrowClusters( Finder* f, int32_t* parents )
{
	for ( int32_t i = 0; i < f->count; ++i )
	{
		f->partners[i] = parents[i] = i;
		f->gains[i] = 0;
	}
	for ( int32_t i = 0; i < f->edges.count; ++i )
	{
		const Edge* edge = f->edges.data + i;
		int64_t gain = edge->faces > 0 ? GainOf( f, edge ) : 0;
		OfferPartner( f, edge->a, edge->b, gain );
		OfferPartner( f, edge->b, edge->a, gain );
	}
	int32_t before = f->count;
	for ( int32_t i = 0; i < f->count; ++i )
	{
		if ( f->partners[f->partners[i]] == i )
		{
			Unite( parents, i, f->partners[i] );
		}
	}
	NumberRoots( f, parents, before );
	RenameEdges( f, f->partners );
	int32_t voxels = f->builder->body.voxels.count;
	memset( f->sizes, 0, (size_t)voxels * sizeof( int32_t ) );
	for ( int32_t i = 0; i < voxels; ++i )
	{
		f->clusters[i] = f->partners[f->clusters[i]];
		f->sizes[f->clusters[i]] += 1;
	}
	return f->count < before;
}

// ---------------------------------------------------------------------------------------------------------------------
// Sheets

// The sheet on which a cluster has most in common with those that are there already, and least conflict.
static int32_t ChooseSheet( const Finder* f, const int32_t* edges, int32_t count, int32_t cluster,
							const int32_t* sheets )
{
	int64_t gains[SUP_LATTICE_MAX_SHEETS] = { 0 };
	for ( int32_t i = 0; i < count; ++i )
	{
		const Edge* edge = f->edges.data + edges[i];
		int32_t other = edge->a == cluster ? edge->b : edge->a;
		if ( sheets[other] >= 0 )
		{
			gains[sheets[other]] += GainOf( f, edge );
		}
	}
	int32_t best = 0;
	for ( int32_t i = 1; i < SUP_LATTICE_MAX_SHEETS; ++i )
	{
		best = gains[i] > gains[best] ? i : best;
	}
	return best;
}

// Edges of each cluster: first of each, count + 1, then all.
static void ListEdges( const Finder* f, int32_t* starts, int32_t* edges )
{
	memset( starts, 0, ( (size_t)f->count + 2 ) * sizeof( int32_t ) );
	for ( int32_t i = 0; i < f->edges.count; ++i )
	{
		starts[f->edges.data[i].a + 2] += 1;
		starts[f->edges.data[i].b + 2] += 1;
	}
	for ( int32_t i = 0; i < f->count; ++i )
	{
		starts[i + 2] += starts[i + 1];
	}
	for ( int32_t i = 0; i < f->edges.count; ++i )
	{
		edges[starts[f->edges.data[i].a + 1]++] = i;
		edges[starts[f->edges.data[i].b + 1]++] = i;
	}
}

// The largest cluster first.
static void DealOut( Finder* f, int32_t* sheets )
{
	size_t count = (size_t)f->count;
	int32_t* starts = supAllocArray( count + 2, sizeof( int32_t ) );
	int32_t* edges = supAllocArray( 2 * (size_t)f->edges.count + 1, sizeof( int32_t ) );
	uint64_t* keys = supAllocArray( count, sizeof( uint64_t ) );
	f->ok = f->ok && starts != NULL && edges != NULL && keys != NULL;
	for ( int32_t i = 0; f->ok && i < f->count; ++i )
	{
		keys[i] = (uint64_t)( INT32_MAX - f->sizes[i] ) << 32 | (uint64_t)i;
		sheets[i] = -1;
	}
	if ( f->ok )
	{
		SortKeys( f, keys, f->count );
	}
	if ( f->ok )
	{
		ListEdges( f, starts, edges );
	}
	for ( int32_t i = 0; f->ok && i < f->count; ++i )
	{
		int32_t cluster = (int32_t)( keys[i] & 0xFFFFFFFFu );
		int32_t sheet =
			ChooseSheet( f, edges + starts[cluster], starts[cluster + 1] - starts[cluster], cluster, sheets );
		sheets[cluster] = sheet;
		f->builder->sheetCount = sheet >= f->builder->sheetCount ? sheet + 1 : f->builder->sheetCount;
	}
	supFree( starts );
	supFree( edges );
	supFree( keys );
}

static bool KeepSheets( const Finder* f, const int32_t* sheets )
{
	supLatticeBuilder* b = f->builder;
	const supVoxels* v = &b->body.voxels;
	if ( b->sheetCount == 1 )
	{
		return true;
	}
	b->sheets = supAlloc( (size_t)v->count );
	size_t words = (size_t)v->wordsPerRow * (size_t)( v->ny + 2 ) * (size_t)( v->nz + 2 );
	bool ok = b->sheets != NULL;
	for ( int32_t i = 0; i < b->sheetCount; ++i )
	{
		b->sheetBits[i] = supAllocZeroed( words * sizeof( uint64_t ) );
		ok = ok && b->sheetBits[i] != NULL;
	}
	for ( int32_t i = 0; ok && i < v->count; ++i )
	{
		supVoxelCell c = v->cells[i];
		size_t word = (size_t)( ( c.z + 1 ) * ( v->ny + 2 ) + c.y + 1 ) * (size_t)v->wordsPerRow + ( ( c.x + 1 ) >> 6 );
		b->sheets[i] = (uint8_t)sheets[f->clusters[i]];
		b->sheetBits[b->sheets[i]][word] |= (uint64_t)1 << ( ( c.x + 1 ) & 63 );
	}
	return ok;
}

bool supLattice_FindSheets( supLatticeBuilder* b )
{
	size_t count = (size_t)b->body.voxels.count;
	b->sheetCount = 1;
	if ( b->flesh->window.width < MIN_SHEET_WIDTH || count >= MOST_ATOMS )
	{
		return true;
	}
	Finder f = { .builder = b };
	f.clusters = supAllocArray( count, sizeof( int32_t ) );
	f.sizes = supAllocZeroed( count * sizeof( int32_t ) );
	f.partners = supAllocArray( count, sizeof( int32_t ) );
	f.gains = supAllocArray( count, sizeof( int64_t ) );
	int32_t* scratch = supAllocArray( count, sizeof( int32_t ) );
	f.ok = f.clusters != NULL && f.sizes != NULL && f.partners != NULL && f.gains != NULL && scratch != NULL;
	if ( f.ok )
	{
		FindAtoms( &f );
		supLattice_WalkRegions( b, FindConflicts, &f );
	}
	if ( f.ok && f.conflicts.count > 0 )
	{
		FindFaces( &f );
		MakeEdges( &f );
		while ( f.ok && GrowClusters( &f, scratch ) )
		{
		}
		DealOut( &f, scratch );
		f.ok = f.ok && KeepSheets( &f, scratch );
	}
	SUP_FREE_ARRAY( &f.faces );
	SUP_FREE_ARRAY( &f.conflicts );
	SUP_FREE_ARRAY( &f.edges );
	supFree( f.clusters );
	supFree( f.sizes );
	supFree( f.partners );
	supFree( f.gains );
	supFree( scratch );
	return f.ok || supSetMemoryError( b->error );
}
