// SPDX-License-Identifier: MIT
#include "attach/ties.h"

#define GRAIN 1024

typedef struct Run
{
	supTies* ties;
	supTiedPoints points;
	float dt;
	bool adds;
} Run;

static supVec3 FindGoal( const Run* run, const supTieGroup* group )
{
	if ( group->isNailed )
	{
		return group->goal;
	}
	// as seen from the first, so that little is lost to rounding
	const float* first = run->points.x + 4 * (size_t)run->ties->members[group->first].particle;
	supVec3 base = supMakeVec3( first[0], first[1], first[2] ), sum = supVec3_zero;
	float mass = 0.0f;
	for ( int32_t k = group->first; k < group->first + group->count; ++k )
	{
		const float* x = run->points.x + 4 * (size_t)run->ties->members[k].particle;
		mass += 1.0f / x[3];
		sum = supMulAdd( sum, 1.0f / x[3], supSub( supMakeVec3( x[0], x[1], x[2] ), base ) );
	}
	return supMulAdd( base, 1.0f / mass, sum );
}

static void SolveRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Run* run = context;
	for ( int32_t g = begin; g < end; ++g )
	{
		const supTieGroup* group = run->ties->groups + g;
		supVec3 goal = FindGoal( run, group );
		for ( int32_t k = group->first; k < group->first + group->count; ++k )
		{
			supTieMember* member = run->ties->members + k;
			size_t at = 4 * (size_t)member->particle;
			float* x = run->points.x + at;
			supVec3 move = supSub( goal, supMakeVec3( x[0], x[1], x[2] ) );
			memcpy( x, &goal, sizeof( goal ) );
			if ( run->points.v != NULL )
			{
				float* v = run->points.v + at;
				v[0] += move.x / run->dt;
				v[1] += move.y / run->dt;
				v[2] += move.z / run->dt;
			}
			supVec3 force = supScale( run->points.massUnit / ( run->dt * run->dt * x[3] ), move );
			member->force = run->adds ? supAdd( member->force, force ) : force;
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
