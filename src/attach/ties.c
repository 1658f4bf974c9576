// SPDX-License-Identifier: MIT
#include "attach/ties.h"

#include "core/wide_points.h"

#define GRAIN 2048

typedef struct Run
{
	supTies* ties;
	supTiedPoints points;
	float dt;
	bool adds;
} Run;

static float* PointOf( const Run* run, int32_t member )
{
	return run->points.x + 4 * (size_t)run->ties->members[member].particle;
}

// As seen from the first, so that little is lost to rounding. The fourth number is of no use.
static supFloat4 FindGoal( const Run* run, const supTieGroup* group )
{
	if ( group->isNailed )
	{
		return ( supFloat4 ){ group->goal.x, group->goal.y, group->goal.z, 0.0f };
	}
	supFloat4 base = supLoad4( PointOf( run, group->first ) ), sum = supSplat4( 0.0f );
	float mass = 0.0f;
	for ( int32_t k = group->first; k < group->first + group->count; ++k )
	{
		supFloat4 x = supLoad4( PointOf( run, k ) );
		float m = 1.0f / x[3];
		mass += m;
		sum += ( x - base ) * supSplat4( m );
	}
	return base + sum * supSplat4( 1.0f / mass );
}

static void SolveRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Run* run = context;
	supFloat4 rate = supSplat4( 1.0f / run->dt );
	float stiffness = run->points.massUnit / ( run->dt * run->dt );
	for ( int32_t g = begin; g < end; ++g )
	{
		const supTieGroup* group = run->ties->groups + g;
		supFloat4 goal = FindGoal( run, group );
		for ( int32_t k = group->first; k < group->first + group->count; ++k )
		{
			supTieMember* member = run->ties->members + k;
			supFloat4 x = supLoad4( PointOf( run, k ) );
			goal[3] = x[3];
			supFloat4 move = goal - x, force = move * supSplat4( stiffness / x[3] );
			supStore4( PointOf( run, k ), goal );
			if ( run->points.v != NULL )
			{
				float* v = run->points.v + 4 * (size_t)member->particle;
				supStore4( v, supLoad4( v ) + move * rate );
			}
			supVec3 before = run->adds ? member->force : supVec3_zero;
			member->force = supAdd( before, supMakeVec3( force[0], force[1], force[2] ) );
		}
	}
}

void supSolveTies( supTies* ties, const supTiedPoints* points, float dt, bool adds, const supTasks* tasks )
{
	Run run = { ties, *points, dt, adds };
	supParallelFor( tasks, ties != NULL ? ties->groupCount : 0, GRAIN, SolveRange, &run );
}

void supSolveTiedVelocities( supTies* ties, const supTiedPoints* points, const float* oldX, float dt )
{
	for ( int32_t g = 0; ties != NULL && g < ties->groupCount; ++g )
	{
		const supTieGroup* group = ties->groups + g;
		supVec3 momentum = supVec3_zero;
		float mass = 0.0f;
		for ( int32_t k = group->first; k < group->first + group->count; ++k )
		{
			size_t at = 4 * (size_t)ties->members[k].particle;
			const float *x = points->x + at, *old = oldX + at, *v = points->v + at;
			supVec3 way = supMakeVec3( x[0] - old[0], x[1] - old[1], x[2] - old[2] );
			supVec3 speed = group->isNailed ? supScale( 1.0f / dt, way ) : supMakeVec3( v[0], v[1], v[2] );
			momentum = supMulAdd( momentum, 1.0f / x[3], speed );
			mass += 1.0f / x[3];
		}
		supVec3 speed = supScale( 1.0f / mass, momentum );
		for ( int32_t k = group->first; k < group->first + group->count; ++k )
		{
			supTieMember* member = ties->members + k;
			size_t at = 4 * (size_t)member->particle;
			supVec3 before = supMakeVec3( points->v[at], points->v[at + 1], points->v[at + 2] );
			float scale = points->massUnit / ( dt * points->x[at + 3] );
			member->force = supMulAdd( member->force, scale, supSub( speed, before ) );
			memcpy( points->v + at, &speed, sizeof( speed ) );
		}
	}
}
