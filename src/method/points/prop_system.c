// SPDX-License-Identifier: MIT
#include "method/points/prop_system.h"

#include "core/tasks.h"

// What one solve by conjugate gradients costs, as multiplications and additions for each point. A step takes one, and
// three more for each place that is held and is not a tie.
#define SOLVE_FLOPS_PER_POINT 40e3

// Smaller factorisations are over before another thread has woken up.
#define LEAST_SHARED_FLOPS 1e6

static int32_t NumberNodes( int32_t* nodes, const supPointBody* body, const supTies* ties )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		nodes[i] = body->inverseMasses[i] > 0.0f ? 0 : -1;
	}
	// the first member of a group has its number, the others are marked until it has one
	for ( int32_t k = 0; ties != NULL && k < ties->memberCount; ++k )
	{
		const supTieGroup* group = ties->groups + ties->members[k].group;
		nodes[ties->members[k].particle] = k == group->first && group->isNailed == false ? 0 : -1;
	}
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		nodes[i] = nodes[i] >= 0 ? count++ : -1;
	}
	for ( int32_t k = 0; ties != NULL && k < ties->memberCount; ++k )
	{
		const supTieGroup* group = ties->groups + ties->members[k].group;
		nodes[ties->members[k].particle] = nodes[ties->members[group->first].particle];
	}
	return count;
}

static bool InitFactor( supPropSystem* system, int32_t nodeCount, int32_t workerCount, supError* error )
{
	const supFactorDef def = { .precision = sup_precisionDouble, .workerCount = workerCount };
	supPointDirect* direct = &system->direct;
	if ( supFactor_Create( &system->factor, &system->stiffness.symbolic, &def, error ) == false )
	{
		return false;
	}
	*direct = ( supPointDirect ){ .factor = &system->factor, .nodeCount = nodeCount, .nodes = system->nodes };
	direct->x = supAllocArray( 9 * (size_t)nodeCount, sizeof( double ) );
	direct->scratch = supAlloc( supFactor_ScratchSize( &system->factor, 3, 1 ) );
	return direct->x != NULL && direct->scratch != NULL;
}

static double SolveCost( const supPointBody* body, int32_t placeCount )
{
	return SOLVE_FLOPS_PER_POINT * ( 1.0 + 3.0 * (double)placeCount ) * (double)body->pointCount;
}

bool supCreatePropSystem( const supPointBody* body, const supTies* ties, int32_t placeCount, int32_t workerCount,
						  supPropSystem** result )
{
	supError error = { 0 };
	supPropSystem* system = supAllocZeroed( sizeof( supPropSystem ) );
	int32_t* nodes = system != NULL ? supAllocArray( (size_t)body->pointCount, sizeof( int32_t ) ) : NULL;
	bool ok = nodes != NULL, isWorthIt = false;
	if ( ok )
	{
		system->nodes = nodes;
		int32_t count = NumberNodes( nodes, body, ties );
		ok = count == 0 || supStiffness_Create( &system->stiffness, body, nodes, count, &error );
		isWorthIt = ok && count > 0 && system->stiffness.symbolic.flops <= SolveCost( body, placeCount );
		ok = ok && ( isWorthIt == false || InitFactor( system, count, workerCount, &error ) );
	}
	*result = ok && isWorthIt ? system : NULL;
	if ( *result == NULL )
	{
		supDestroyPropSystem( system );
	}
	return ok;
}

void supDestroyPropSystem( supPropSystem* system )
{
	if ( system != NULL )
	{
		supFactor_Destroy( &system->factor );
		supStiffness_Destroy( &system->stiffness );
		supFree( system->nodes );
		supFree( system->direct.x );
		supFree( system->direct.scratch );
		supFree( system );
	}
}

void supPropSystem_Refactor( supPropSystem* system, const supPointBody* body, const supPointSettings* settings,
							 const float* x, const supPointStep* step )
{
	const supMaterialLaw laws[3] = { settings->edges, settings->triangles, settings->tets };
	double factor = 1.0 + (double)step->dt * (double)settings->drag;
	supStiffness_Assemble( &system->stiffness, body, laws, x, step->dt );
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		if ( system->nodes[i] >= 0 )
		{
			supStiffness_AddMass( &system->stiffness, system->nodes[i], factor / (double)body->inverseMasses[i] );
		}
	}
	bool isShared = system->stiffness.symbolic.flops >= LEAST_SHARED_FLOPS;
	system->isReady =
		supFactor_Refactor( &system->factor, &system->stiffness.matrix, isShared ? step->tasks : NULL ).ok;
}

const supPointDirect* supPropSystem_Direct( const supPropSystem* system )
{
	return system->isReady ? &system->direct : NULL;
}
