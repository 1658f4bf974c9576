// SPDX-License-Identifier: MIT
// How far flesh may get from where skinning puts it. Forces alone know of no end: what a bone throws farther than its
// flesh is thick comes to rest turned around the bone, or drawn out as a thread, and stays so. What contacts and
// attachments have taken farther is not taken back: it gets no farther by itself.
#include "core/tasks.h"
#include "method/points/flesh.h"

#include <math.h>

#define GRAIN 512

// There and back through all tets: bodies of a mesher need a few. A file may hold anything; where more would be needed
// reaches are too long.
#define MOST_ROUNDS 64

// Shortens the ways of a tet's corners by those of the others. Returns whether one became shorter.
static bool ShortenWays( const supPointsFlesh* flesh, const int32_t* corners, float* ways )
{
	bool changed = false;
	for ( int32_t i = 0; i < 4; ++i )
	{
		for ( int32_t k = 0; k < 4; ++k )
		{
			int32_t to = corners[i], from = corners[k];
			float way = ways[from] + supDistance( flesh->points[to], flesh->points[from] );
			if ( way < ways[to] )
			{
				ways[to] = way;
				changed = true;
			}
		}
	}
	return changed;
}

bool supPointsFlesh_MeasureReaches( supPointsFlesh* flesh )
{
	float* ways = supArena_AllocArray( &flesh->arena, (size_t)flesh->pointCount, sizeof( float ) );
	if ( ways == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		ways[i] = flesh->fixed[i] ? 0.0f : INFINITY;
	}
	bool changed = true;
	for ( int32_t round = 0; round < MOST_ROUNDS && changed; ++round )
	{
		changed = false;
		for ( int64_t t = 0; t < flesh->tetCount; ++t )
		{
			changed = ShortenWays( flesh, flesh->tets + 4 * t, ways ) || changed;
		}
		for ( int64_t t = flesh->tetCount - 1; t >= 0; --t )
		{
			changed = ShortenWays( flesh, flesh->tets + 4 * t, ways ) || changed;
		}
	}
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		ways[i] = supMaxFloat( ways[i], flesh->edge );
	}
	flesh->reaches = ways;
	return true;
}

typedef struct KeepRun
{
	const supPointsFlesh* flesh;
	const supPointsView* view;
	float reach, dt;
} KeepRun;

static void KeepRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const KeepRun* run = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		float *x = run->view->state.x + 4 * (int64_t)i, *v = run->view->state.v + 4 * (int64_t)i;
		const float *before = run->view->state.oldX + 4 * (int64_t)i, *target = &run->view->skinned[i].x;
		const float* targetBefore = &run->view->oldSkinned[i].x;
		float lag[3], size = 0.0f, sizeBefore = 0.0f, most = run->reach * run->flesh->reaches[i];
		for ( int32_t k = 0; k < 3; ++k )
		{
			float lagBefore = before[k] - targetBefore[k];
			lag[k] = x[k] - target[k];
			size += lag[k] * lag[k];
			sizeBefore += lagBefore * lagBefore;
		}
		float limit = supMaxFloat( most * most, sizeBefore );
		for ( int32_t k = 0; k < 3 && x[3] > 0.0f && size > limit; ++k )
		{
			x[k] = target[k] + sqrtf( limit / size ) * lag[k];
			v[k] = ( x[k] - before[k] ) / run->dt;
		}
	}
}

void supPoints_KeepWithinReach( const supPointsFlesh* flesh, const supPointsView* view, const supSubstep* step )
{
	KeepRun run = { flesh, view, step->parameters[sup_pointsReach], step->dt };
	supParallelFor( step->tasks, flesh->pointCount, GRAIN, KeepRange, &run );
}
