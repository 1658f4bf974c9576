// SPDX-License-Identifier: MIT
// Elements chunk by chunk, on any number of threads.
#include "method/points/solver_internal.h"

#include <stdatomic.h>

typedef struct ForceRun
{
	const supPointBody* body;
	float* refreshed[2]; // arrays whose copies are brought up to date, or NULL
	float* f;            // zeroed, added to, copies summed
	bool product;
	bool used[3];              // kinds whose stiffness is not 0: edges, triangles, tets
	supElementForce forces[3]; // edges, triangles, tets
	supElementProduct products[3];
} ForceRun;

static void CopyPoint( float* array, int32_t to, int32_t from )
{
	memcpy( array + 4 * (int64_t)to, array + 4 * (int64_t)from, 4 * sizeof( float ) );
}

static void RefreshRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const ForceRun* run = context;
	const supPointBody* body = run->body;
	for ( int32_t i = begin; i < end; ++i )
	{
		for ( int32_t slot = body->sharedStarts[i]; slot < body->sharedStarts[i + 1]; ++slot )
		{
			for ( int k = 0; k < 2; ++k )
			{
				if ( run->refreshed[k] != NULL )
				{
					CopyPoint( run->refreshed[k], slot, body->sharedPoints[i] );
				}
			}
		}
	}
}

void supRefreshCopies( const supPointBody* body, float* array )
{
	ForceRun run = { .body = body, .refreshed = { array, NULL } };
	RefreshRange( 0, body->sharedCount, 0, &run );
}

static void ClearRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const ForceRun* run = context;
	memset( run->f + 4 * (int64_t)begin, 0, 4 * (size_t)( end - begin ) * sizeof( float ) );
}

static void AddChunks( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const ForceRun* run = context;
	const supPointBody* body = run->body;
	const supPointChunk* first = body->chunks + begin;
	const supPointChunk* last = body->chunks + end;
	const supEdgeBlock* edges = body->edgeBlocks + first->edgeStart;
	const supTriangleBlock* triangles = body->triangleBlocks + first->triangleStart;
	const supTetBlock* tets = body->tetBlocks + first->tetStart;
	int32_t edgeCount = run->used[0] ? last->edgeStart - first->edgeStart : 0;
	int32_t triangleCount = run->used[1] ? last->triangleStart - first->triangleStart : 0;
	int32_t tetCount = run->used[2] ? last->tetStart - first->tetStart : 0;
	if ( run->product )
	{
		SUP_CALL_KERNEL( supAddEdgeProducts )( edges, edgeCount, run->products + 0 );
		SUP_CALL_KERNEL( supAddTriangleProducts )( triangles, triangleCount, run->products + 1 );
		SUP_CALL_KERNEL( supAddTetProducts )( tets, tetCount, run->products + 2 );
		return;
	}
	SUP_CALL_KERNEL( supAddEdgeForces )( edges, edgeCount, run->forces + 0 );
	SUP_CALL_KERNEL( supAddTriangleForces )( triangles, triangleCount, run->forces + 1 );
	SUP_CALL_KERNEL( supAddTetForces )( tets, tetCount, run->forces + 2 );
}

typedef struct GrowthRun
{
	ForceRun refresh;
	_Atomic uint32_t growth; // bits of a float that is not negative: they are ordered as the numbers are
} GrowthRun;

static void RefreshGrowthRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	GrowthRun* run = context;
	RefreshRange( begin, end, worker, &run->refresh );
}

static void FindGrowthRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	GrowthRun* run = context;
	const supPointBody* body = run->refresh.body;
	int32_t first = body->chunks[begin].tetStart, last = body->chunks[end].tetStart;
	float growth = SUP_CALL_KERNEL( supFindGrowth )( body->tetBlocks + first, last - first, run->refresh.refreshed[0] );
	uint32_t bits, before = atomic_load_explicit( &run->growth, memory_order_relaxed );
	memcpy( &bits, &growth, sizeof( bits ) );
	while ( bits > before && atomic_compare_exchange_weak( &run->growth, &before, bits ) == false )
	{
	}
}

float supPointSolver_FindGrowth( const supPointBody* body, supPointState* state, const supTasks* tasks )
{
	GrowthRun run = { .refresh = { .body = body, .refreshed = { state->x, NULL } } };
	const supStage stages[2] = { { RefreshGrowthRange, body->sharedCount, SUP_POINT_GRAIN },
								 { FindGrowthRange, body->chunkCount, 4 } };
	supRunStages( supShareElements( body, tasks ), stages, 2, 1, &run );
	uint32_t bits = atomic_load( &run.growth );
	float growth;
	memcpy( &growth, &bits, sizeof( growth ) );
	return growth;
}

static void SumRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const ForceRun* run = context;
	const supPointBody* body = run->body;
	for ( int32_t i = begin; i < end; ++i )
	{
		float* sum = run->f + 4 * (int64_t)body->sharedPoints[i];
		for ( int32_t slot = body->sharedStarts[i]; slot < body->sharedStarts[i + 1]; ++slot )
		{
			const float* copy = run->f + 4 * (int64_t)slot;
			for ( int k = 0; k < 3; ++k )
			{
				sum[k] += copy[k];
			}
		}
	}
}

static void Run( ForceRun* run, const supTasks* tasks )
{
	const supPointBody* body = run->body;
	const supStage stages[4] = {
		{ RefreshRange, body->sharedCount, SUP_POINT_GRAIN },
		{ ClearRange, body->slotCount, 16 * SUP_POINT_GRAIN },
		{ AddChunks, body->chunkCount, 1 },
		{ SumRange, body->sharedCount, SUP_POINT_GRAIN },
	};
	supRunStages( supShareElements( body, tasks ), stages, 4, 1, run );
}

void supPointSolver_Evaluate( const supPointBody* body, const supPointSettings* settings, supPointState* state,
							  const supTasks* tasks )
{
	ForceRun run = { .body = body, .refreshed = { state->x, state->v }, .f = state->f };
	const supMaterialLaw laws[3] = { settings->edges, settings->triangles, settings->tets };
	for ( int k = 0; k < 3; ++k )
	{
		run.used[k] = laws[k].stiffness > 0.0f;
		run.forces[k] = ( supElementForce ){ state->x, state->v, state->f, laws[k].stiffness, laws[k].damping };
	}
	Run( &run, tasks );
}

// f = - K ( x + T v ) about a shape, which is linear; T is the damping time, one for all laws.
static void EvaluateAbout( const supPointBody* body, const supPointSettings* settings, const supPointState* state,
						   const supPointStep* step )
{
	float time = settings->edges.damping, *way = state->cg[1];
	for ( int64_t i = 0; i < 4 * (int64_t)body->pointCount; ++i )
	{
		way[i] = i % 4 == 3 ? 0.0f : state->x[i] + time * state->v[i];
	}
	supMultiplyStiffness( body, settings, step->shape, way, state->f, step->dt, step->tasks );
	float scale = -1.0f / ( step->dt * ( step->dt + time ) );
	for ( int64_t i = 0; i < 4 * (int64_t)body->pointCount; ++i )
	{
		state->f[i] *= scale;
	}
}

void supEvaluateWithPushes( const supPointBody* body, const supPointSettings* settings, supPointState* state,
							const supPointStep* step )
{
	if ( step->shape != NULL )
	{
		EvaluateAbout( body, settings, state, step );
	}
	else
	{
		supPointSolver_Evaluate( body, settings, state, step->tasks );
	}
	for ( int32_t i = 0; i < step->pushCount; ++i )
	{
		const supPush* push = step->pushes + i;
		SUP_ASSERT( 0 <= push->point && push->point < body->pointCount );
		float* f = state->f + 4 * (int64_t)push->point;
		f[0] += push->force.x;
		f[1] += push->force.y;
		f[2] += push->force.z;
	}
	for ( int32_t i = 0; step->tethers != NULL && i < body->pointCount; ++i )
	{
		const supPointTether* t = step->tethers + i;
		const float* x = state->x + 4 * (int64_t)i;
		const float* v = state->v + 4 * (int64_t)i;
		float* f = state->f + 4 * (int64_t)i;
		float mass = x[3] > 0.0f ? 1.0f / x[3] : 0.0f;
		f[0] += mass * ( t->spring * ( t->target.x - x[0] ) + t->damping * ( t->velocity.x - v[0] ) );
		f[1] += mass * ( t->spring * ( t->target.y - x[1] ) + t->damping * ( t->velocity.y - v[1] ) );
		f[2] += mass * ( t->spring * ( t->target.z - x[2] ) + t->damping * ( t->velocity.z - v[2] ) );
	}
}

void supMultiplyStiffness( const supPointBody* body, const supPointSettings* settings, const float* x, float* p,
						   float* y, float dt, const supTasks* tasks )
{
	ForceRun run = { .body = body, .refreshed = { p, NULL }, .f = y, .product = true };
	const supMaterialLaw laws[3] = { settings->edges, settings->triangles, settings->tets };
	for ( int k = 0; k < 3; ++k )
	{
		run.used[k] = laws[k].stiffness > 0.0f;
		// h² K + h D: stiffness along the gradient is damped too, across it is not
		run.products[k] = ( supElementProduct ){ x, p, y, laws[k].stiffness * dt * ( dt + laws[k].damping ),
												 laws[k].stiffness * dt * dt };
	}
	Run( &run, tasks );
}
