// SPDX-License-Identifier: MIT
// The border of the body, for its volume: cubes whose corners are the middles of eight voxels, all there, fill it up to
// half a voxel below its surface; the faces that only one cube has are the shell. Its volume and the gradient of that
// need nothing from inside. What is one voxel thin has no volume here and none to lose, nor has a cube that a closed
// face cuts through: a mouth may open.
#include "core/array.h"
#include "core/sort.h"
#include "method/lattice/lattice.h"

typedef struct Quad
{
	// voxels, counter-clockwise from outside
	int32_t corners[4];
	int32_t part;
} Quad;

typedef struct Maker
{
	supLatticeBuilder* builder;
	int32_t* parts; // of voxels
	SUP_ARRAY( Quad ) quads;
	bool ok;
} Maker;

// Are all eight voxels around the lower corner of a cell there, in one piece?
static bool IsSolid( const supLatticeBuilder* b, int32_t x, int32_t y, int32_t z )
{
	const supVoxels* v = &b->body.voxels;
	if ( x < 1 || y < 1 || z < 1 || x > v->nx - 1 || y > v->ny - 1 || z > v->nz - 1 )
	{
		return false;
	}
	for ( int32_t k = 0; k < 8; ++k )
	{
		int32_t upper[3] = { 1 - ( k & 1 ), 1 - ( k >> 1 & 1 ), 1 - ( k >> 2 ) };
		supVoxelCell c = { (int16_t)( x - 1 + upper[0] ), (int16_t)( y - 1 + upper[1] ),
						   (int16_t)( z - 1 + upper[2] ) };
		bool isThere = supVoxels_Find( v, c.x, c.y, c.z ) >= 0;
		for ( int axis = 0; axis < 3 && b->closedCount > 0; ++axis )
		{
			isThere = isThere && ( upper[axis] == 1 || supLattice_IsFaceClosed( b, axis, c ) == false );
		}
		if ( isThere == false )
		{
			return false;
		}
	}
	return true;
}

// The face between the cube at a corner and the next one along an axis.
static void AddFace( Maker* m, const int32_t at[3], int axis, bool isUpper )
{
	const supVoxels* v = &m->builder->body.voxels;
	static const int32_t around[4][2] = { { -1, -1 }, { 0, -1 }, { 0, 0 }, { -1, 0 } };
	Quad quad;
	for ( int32_t i = 0; i < 4; ++i )
	{
		int32_t cell[3] = { at[0], at[1], at[2] };
		cell[( axis + 1 ) % 3] += around[i][0];
		cell[( axis + 2 ) % 3] += around[i][1];
		quad.corners[isUpper ? i : 3 - i] = supVoxels_Find( v, cell[0], cell[1], cell[2] );
	}
	quad.part = m->parts[quad.corners[0]];
	m->ok = m->ok && SUP_PUSH( &m->quads, quad );
}

static void FindFaces( Maker* m )
{
	const supLatticeBuilder* b = m->builder;
	const supVoxels* v = &b->body.voxels;
	int32_t at[3];
	for ( at[2] = 0; at[2] <= v->nz; ++at[2] )
	{
		for ( at[1] = 0; at[1] <= v->ny; ++at[1] )
		{
			for ( at[0] = 0; at[0] <= v->nx && m->ok; ++at[0] )
			{
				bool here = IsSolid( b, at[0], at[1], at[2] );
				for ( int axis = 0; axis < 3; ++axis )
				{
					bool next = IsSolid( b, at[0] + ( axis == 0 ), at[1] + ( axis == 1 ), at[2] + ( axis == 2 ) );
					if ( here != next )
					{
						AddFace( m, at, axis, here );
					}
				}
			}
		}
	}
}

// Part by part, each filled up to whole groups.
static bool FillGroups( Maker* m )
{
	supLatticeBuilder* b = m->builder;
	supLatticeShell* shell = &b->flesh->shell;
	int32_t* counts = supAllocZeroed( ( (size_t)shell->partCount + 1 ) * sizeof( int32_t ) );
	shell->partGroups = supArena_AllocZeroed( b->arena, ( (size_t)shell->partCount + 1 ) * sizeof( int32_t ) );
	if ( counts == NULL || b->arena->failed )
	{
		supFree( counts );
		return supSetMemoryError( b->error );
	}
	for ( int32_t i = 0; i < m->quads.count; ++i )
	{
		counts[m->quads.data[i].part] += 1;
	}
	for ( int32_t i = 0; i < shell->partCount; ++i )
	{
		shell->partGroups[i + 1] = shell->partGroups[i] + ( counts[i] + 7 ) / 8;
		counts[i] = 8 * shell->partGroups[i];
	}
	shell->groupCount = shell->partGroups[shell->partCount];
	shell->corners = supArena_AllocArray( b->arena, (size_t)shell->groupCount * 32, sizeof( int32_t ) );
	if ( shell->corners != NULL )
	{
		for ( int32_t i = 0; i < 32 * shell->groupCount; ++i )
		{
			// the empty brick, which is at the origin
			shell->corners[i] = 8 * b->flesh->brickCount;
		}
		for ( int32_t i = 0; i < m->quads.count; ++i )
		{
			const Quad* quad = m->quads.data + i;
			int32_t at = counts[quad->part]++;
			for ( int32_t k = 0; k < 4; ++k )
			{
				shell->corners[( at / 8 ) * 32 + 8 * k + at % 8] = b->flesh->voxelSlots[quad->corners[k]];
			}
		}
	}
	supFree( counts );
	return shell->corners != NULL || supSetMemoryError( b->error );
}

// Every voxel of the shell with the corners that it is at: sorted keys part | slot | corner.
static bool FillUses( Maker* m )
{
	supLatticeBuilder* b = m->builder;
	supLatticeShell* shell = &b->flesh->shell;
	size_t count = (size_t)m->quads.count * 4;
	uint64_t* keys = supAllocArray( count, sizeof( uint64_t ) );
	uint64_t* scratch = supAllocArray( count, sizeof( uint64_t ) );
	int32_t* slots = supAllocArray( count, sizeof( int32_t ) );
	shell->uses = supArena_AllocArray( b->arena, count, sizeof( int32_t ) );
	shell->partVoxels = supArena_AllocZeroed( b->arena, ( (size_t)shell->partCount + 1 ) * sizeof( int32_t ) );
	bool ok = keys != NULL && scratch != NULL && slots != NULL && b->arena->failed == false;
	size_t used = 0;
	for ( int32_t part = 0; ok && part < shell->partCount; ++part )
	{
		size_t first = used;
		for ( int32_t i = 32 * shell->partGroups[part]; i < 32 * shell->partGroups[part + 1]; ++i )
		{
			if ( shell->corners[i] != 8 * b->flesh->brickCount )
			{
				keys[used++] = (uint64_t)shell->corners[i] << 32 | (uint64_t)i;
			}
		}
		supSortKeys( keys + first, scratch, used - first, 64 );
		for ( size_t i = first; i < used; ++i )
		{
			int32_t slot = (int32_t)( keys[i] >> 32 );
			bool isNew = i == first || slots[i - 1] != slot;
			shell->voxelCount += isNew;
			shell->uses[i] = (int32_t)( keys[i] & 0xFFFFFFFFu );
			slots[i] = slot;
		}
		shell->partVoxels[part + 1] = shell->voxelCount;
	}
	shell->slots = supArena_AllocArray( b->arena, (size_t)shell->voxelCount, sizeof( int32_t ) );
	shell->starts = supArena_AllocZeroed( b->arena, ( (size_t)shell->voxelCount + 1 ) * sizeof( int32_t ) );
	ok = ok && b->arena->failed == false;
	// a voxel is in one part, so that equal slots stand together
	for ( size_t i = 0, voxel = 0; ok && i < used; ++i )
	{
		if ( i > 0 && slots[i - 1] != slots[i] )
		{
			voxel += 1;
		}
		shell->slots[voxel] = slots[i];
		shell->starts[voxel + 1] = (int32_t)i + 1;
	}
	supFree( keys );
	supFree( scratch );
	supFree( slots );
	return ok || supSetMemoryError( b->error );
}

bool supLattice_BuildShell( supLatticeBuilder* b )
{
	supLatticeShell* shell = &b->flesh->shell;
	Maker m = { .builder = b, .ok = true };
	m.parts = supAllocArray( (size_t)b->body.voxels.count, sizeof( int32_t ) );
	if ( m.parts == NULL )
	{
		return supSetMemoryError( b->error );
	}
	shell->partCount = supVoxels_FindParts( &b->body.voxels, m.parts );
	shell->volumes = supArena_AllocZeroed( b->arena, (size_t)shell->partCount * sizeof( float ) );
	FindFaces( &m );
	bool ok = ( m.ok && shell->volumes != NULL ) || supSetMemoryError( b->error );
	ok = ok && FillGroups( &m ) && FillUses( &m );
	SUP_FREE_ARRAY( &m.quads );
	supFree( m.parts );
	return ok;
}
