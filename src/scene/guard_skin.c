// SPDX-License-Identifier: MIT
// Scratch space of the guard, and what is held against skinning in it.
#include "core/tasks.h"
#include "scene/guard_kernel.h"
#include "scene/guard_work.h"

#define BLOCK SUP_GUARD_DUAL_BLOCK

// ---------------------------------------------------------------------------------------------------------------------
// Scratch space

typedef struct Shares
{
	uint8_t* base; // NULL: only counts
	size_t used;
} Shares;

static void* Take( Shares* shares, size_t count, size_t itemSize )
{
	void* taken = shares->base != NULL ? shares->base + shares->used : NULL;
	// kernels read and write eight items at a time, and points of 12 bytes as 16
	shares->used += ( ( count + 8 ) * itemSize + 8 + 63 ) / 64 * 64;
	return taken;
}

static size_t MaxSize( size_t a, size_t b )
{
	return a > b ? a : b;
}

static size_t ShareOut( supGuardWork* work, uint8_t* scratch )
{
	const supActor* actor = work->actor;
	const supGuardMesh* mesh = work->mesh;
	size_t vertices = (size_t)mesh->vertexCount, places = (size_t)mesh->placeCount;
	size_t instances = (size_t)actor->surfaceCount;
	size_t triangles = (size_t)mesh->triangleStarts[instances], edges = (size_t)mesh->edgeStarts[instances];
	Shares shares = { scratch, 0 };
	work->skin = Take( &shares, vertices, sizeof( supVec3 ) );
	work->dual = Take( &shares, vertices, sizeof( supVec3 ) );
	work->made = Take( &shares, vertices, sizeof( supVec3 ) );
	work->moved = Take( &shares, vertices, sizeof( supVec3 ) );
	work->drawn = Take( &shares, vertices, sizeof( supVec3 ) );
	work->linear = Take( &shares, vertices, sizeof( supVec3 ) );
	work->joints = Take( &shares, (size_t)mesh->jointStarts[instances], sizeof( supDualJoint ) );
	work->jointsThere = Take( &shares, instances, 1 );
	work->collapses = Take( &shares, vertices, sizeof( float ) );
	work->shifts = Take( &shares, places, sizeof( supVec4 ) );
	work->areas = Take( &shares, triangles, sizeof( supVec4 ) );
	work->areaSums = Take( &shares, places, sizeof( supVec4 ) );
	work->needs = Take( &shares, places, sizeof( float ) );
	work->widths = Take( &shares, places, sizeof( float ) );
	work->allowed = Take( &shares, places, sizeof( float ) );
	work->squares = Take( &shares, vertices, sizeof( float ) );
	work->dualBlocks = Take( &shares, vertices / BLOCK + instances + 1, 1 );
	work->marks = Take( &shares, MaxSize( vertices, MaxSize( edges, triangles ) ) / 8 + 1, 1 );
	work->linkMarks = Take( &shares, (size_t)mesh->linkCount / 8 + 1, 1 );
	work->layerMarks = Take( &shares, (size_t)mesh->layerCount, 1 );
	work->placeMarks = Take( &shares, places, 1 );
	work->crumpled = Take( &shares, places, 1 );
	return shares.used;
}

size_t supGuard_ScratchSize( const supActor* actor )
{
	supGuardWork work = { .mesh = actor->guard.mesh, .actor = (supActor*)(uintptr_t)actor };
	return ShareOut( &work, NULL );
}

supGuardWork supGuard_ShareOut( supActor* actor, void* scratch )
{
	supGuardWork work = {
		.mesh = actor->guard.mesh, .actor = actor, .widening = 1.0f, .leastNeed = SUP_LEAST_GUARD_WEIGHT
	};
	ShareOut( &work, scratch );
	memset( work.jointsThere, 0, (size_t)actor->surfaceCount );
	memset( work.dualBlocks, 0, (size_t)work.mesh->vertexCount / BLOCK + (size_t)actor->surfaceCount + 1 );
	return work;
}

// ---------------------------------------------------------------------------------------------------------------------
// Instances

int32_t supGuard_Instance( const supGuardWork* work, int32_t vertex )
{
	const int32_t* starts = work->mesh->vertexStarts;
	int32_t low = 0, high = work->actor->surfaceCount;
	while ( high - low > 1 )
	{
		int32_t middle = low + ( high - low ) / 2;
		low = starts[middle] <= vertex ? middle : low;
		high = starts[middle] <= vertex ? high : middle;
	}
	return low;
}

// ---------------------------------------------------------------------------------------------------------------------
// Ways

static void FillRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supFillShifts )( context, begin, end );
}

void supGuard_FillShifts( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	supShiftJob job = { .starts = mesh->vertexListStarts,
						.vertices = mesh->vertexLists,
						.shares = mesh->shares,
						.from = work->skin,
						.to = work->drawn,
						.shifts = work->shifts };
	supParallelFor( work->tasks, mesh->placeCount, 8 * SUP_GUARD_GRAIN, FillRange, &job );
}

supVec3 supGuard_Shift( const supGuardWork* work, const supVec3* from, const supVec3* to, int32_t place )
{
	const supGuardMesh* mesh = work->mesh;
	supVec3 shift = supVec3_zero;
	for ( int32_t k = mesh->vertexListStarts[place]; k < mesh->vertexListStarts[place + 1]; ++k )
	{
		int32_t vertex = mesh->vertexLists[k];
		supVec3 start = from != NULL ? from[vertex] : supGuard_Dual( work, vertex );
		supVec3 end = to != NULL ? to[vertex] : supGuard_Dual( work, vertex );
		shift = supMulAdd( shift, mesh->shares[place], supSub( end, start ) );
	}
	return shift;
}
