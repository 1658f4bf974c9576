// SPDX-License-Identifier: MIT
// Voxels and the steps between them, to be looked at.
#include "method/lattice/lattice.h"

// Steps of a brick are 27, x fastest: those to the next cell along x, y and z.
static const int32_t s_forward[3] = { 14, 16, 22 };

// The slot behind an open step from `slot`, -1 if there is none.
static int32_t NextSlot( const supLatticeFlesh* flesh, int32_t slot, int32_t axis )
{
	int32_t brick = slot / 8, lane = slot % 8;
	ptrdiff_t step = 27 * (ptrdiff_t)brick + s_forward[axis];
	if ( ( flesh->steps[step] >> lane & 1 ) == 0 )
	{
		return -1;
	}
	if ( axis == 0 )
	{
		return lane < 7 ? slot + 1 : 8 * flesh->neighbours[step];
	}
	return 8 * flesh->neighbours[step] + lane;
}

void supLattice_ListElements( const void* fleshPointer, supFleshElements* elements )
{
	const supLatticeFlesh* flesh = fleshPointer;
	size_t slotCount = 8 * ( (size_t)flesh->brickCount + 1 );
	int32_t* voxels = supArena_AllocArray( &elements->arena, slotCount, sizeof( int32_t ) );
	int32_t* lines = supArena_AllocArray( &elements->arena, 6 * (size_t)flesh->voxelCount, sizeof( int32_t ) );
	int32_t* corners = supArena_AllocArray( &elements->arena, (size_t)flesh->voxelCount, sizeof( int32_t ) );
	if ( voxels == NULL || lines == NULL || corners == NULL )
	{
		return;
	}
	for ( size_t i = 0; i < slotCount; ++i )
	{
		voxels[i] = -1;
	}
	for ( int32_t i = 0; i < flesh->voxelCount; ++i )
	{
		voxels[flesh->voxelSlots[i]] = i;
		corners[i] = i;
	}
	for ( int32_t i = 0; i < flesh->voxelCount; ++i )
	{
		for ( int32_t axis = 0; axis < 3; ++axis )
		{
			int32_t next = NextSlot( flesh, flesh->voxelSlots[i], axis );
			// a file may have steps to where nothing is
			if ( next >= 0 && voxels[next] >= 0 )
			{
				lines[2 * elements->lineCount] = i;
				lines[2 * elements->lineCount + 1] = voxels[next];
				elements->lineCount += 1;
			}
		}
	}
	elements->kind = sup_elementsVoxels;
	elements->pointCount = flesh->voxelCount;
	elements->count = flesh->voxelCount;
	elements->cornerCount = 1;
	elements->corners = corners;
	elements->layers = flesh->layers;
	elements->size = flesh->voxelSize;
	elements->lines = lines;
}
