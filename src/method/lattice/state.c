// SPDX-License-Identifier: MIT
// One actor's block of bytes, cut into arrays.
#include "method/lattice/lattice.h"

typedef struct Cutter
{
	char* bytes; // NULL while only the size is wanted
	size_t used;
} Cutter;

static void* Cut( Cutter* cutter, size_t count, size_t itemSize )
{
	void* result = cutter->bytes != NULL ? cutter->bytes + cutter->used : NULL;
	cutter->used += ( count * itemSize + SUP_CACHE_LINE - 1 ) & ~(size_t)( SUP_CACHE_LINE - 1 );
	return result;
}

static size_t CutArrays( const supLatticeFlesh* flesh, void* state, supLatticeArrays* a )
{
	Cutter cutter = { .bytes = state };
	size_t lane = 8 * sizeof( float );
	size_t bricks = (size_t)flesh->brickCount + 1, all = bricks + (size_t)flesh->extraBrickCount;
	size_t groups = (size_t)flesh->shell.groupCount, voxels = (size_t)flesh->voxelCount;
	a->head = Cut( &cutter, 1, sizeof( supLatticeState ) );
	a->positions = Cut( &cutter, 3 * bricks, lane );
	a->velocities = Cut( &cutter, 3 * bricks, lane );
	a->skinned = Cut( &cutter, 3 * bricks, lane );
	a->turns = Cut( &cutter, 9 * bricks, lane );
	a->rotations = Cut( &cutter, 4 * all, lane );
	a->palette = Cut( &cutter, (size_t)flesh->boneCount, 16 * sizeof( float ) );
	a->duals = Cut( &cutter, (size_t)flesh->boneCount, sizeof( supDualJoint ) );
	a->bends = Cut( &cutter, (size_t)flesh->boneCount, sizeof( supQuat ) );
	a->predicted = Cut( &cutter, 3 * bricks, lane );
	a->others = Cut( &cutter, 3 * bricks, lane );
	a->throws = Cut( &cutter, (size_t)flesh->boneCount, 16 * sizeof( float ) );
	a->sums = Cut( &cutter, 12 * ( all + (size_t)flesh->passBrickCount ), lane );
	a->corrections = Cut( &cutter, 3 * (size_t)flesh->voxelLists.count, lane );
	a->shellGradients = Cut( &cutter, 12 * groups, lane );
	a->shellVolumes = Cut( &cutter, groups, sizeof( double ) );
	a->shellSlopes = Cut( &cutter, (size_t)flesh->shell.voxelCount, 4 * sizeof( float ) );
	a->points = Cut( &cutter, voxels, sizeof( supVec4 ) );
	a->turnsOfPoints = Cut( &cutter, voxels, sizeof( supQuat ) );
	a->references = Cut( &cutter, voxels, sizeof( supVec4 ) );
	a->frames = Cut( &cutter, voxels, sizeof( supBindFrame ) );
	return cutter.used;
}

size_t supLattice_StateSize( const void* flesh )
{
	supLatticeArrays arrays;
	return CutArrays( flesh, NULL, &arrays );
}

supLatticeArrays supLattice_Arrays( const supLatticeFlesh* flesh, void* state )
{
	supLatticeArrays arrays;
	CutArrays( flesh, state, &arrays );
	return arrays;
}
