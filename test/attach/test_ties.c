// SPDX-License-Identifier: MIT
// labels: threads
// Ties of mass points: exact to the bit after every step, whatever integrator, and they keep momentum.
#include "support.h"

#include "attach/ties.h"
#include "core/thread_pool.h"
#include "method/points/props.h"
#include "method/points/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// The closed form

#define POINTS 4000
#define GROUPS 1000

typedef struct Cloud
{
	float x[4 * POINTS];
	float v[4 * POINTS];
	supTieGroup groups[GROUPS];
	supTieMember members[POINTS];
	supTies ties;
} Cloud;

// Groups of one to seven points, every third nailed.
static void FillCloud( Cloud* cloud )
{
	testRandom random = testMakeRandom( 23 );
	int32_t used = 0;
	for ( int32_t i = 0; i < POINTS; ++i )
	{
		supVec3 p = testRandomVec3( &random, 2.0f ), v = testRandomVec3( &random, 3.0f );
		memcpy( cloud->x + 4 * i, &p, sizeof( p ) );
		memcpy( cloud->v + 4 * i, &v, sizeof( v ) );
		cloud->x[4 * i + 3] = testRandomFloat( &random, 0.1f, 10.0f );
		cloud->v[4 * i + 3] = 0.0f;
	}
	cloud->ties = ( supTies ){ .groups = cloud->groups, .members = cloud->members };
	while ( cloud->ties.groupCount < GROUPS && used + 7 <= POINTS )
	{
		int32_t g = cloud->ties.groupCount++, count = 1 + (int32_t)testRandomInt( &random, 7 );
		cloud->groups[g] = ( supTieGroup ){
			.first = used, .count = count, .isNailed = g % 3 == 0, .goal = testRandomVec3( &random, 1.0f )
		};
		for ( int32_t k = 0; k < count; ++k, ++used )
		{
			// 7 and 4000 have no common divisor: each particle once
			cloud->members[used] = ( supTieMember ){ .particle = used * 7 % POINTS, .group = g };
		}
	}
	cloud->ties.memberCount = used;
}

// Equation 22 with c = h²/m, and equation 14 for nails.
static void ClosedForm( void** state )
{
	(void)state;
	static Cloud cloud, before;
	FillCloud( &cloud );
	before = cloud;
	supTiedPoints points = { cloud.x, cloud.v, 1.0f };
	double h = 0.01;
	supSolveTies( &cloud.ties, &points, (float)h, false, NULL );
	for ( int32_t g = 0; g < cloud.ties.groupCount; ++g )
	{
		const supTieGroup* group = cloud.groups + g;
		double goal[3] = { (double)group->goal.x, (double)group->goal.y, (double)group->goal.z }, mass = 0.0;
		double momentum[3] = { 0 }, sum[3] = { 0 };
		for ( int32_t k = group->first; k < group->first + group->count; ++k )
		{
			const float* x = before.x + 4 * cloud.members[k].particle;
			mass += 1.0 / (double)x[3];
			for ( int c = 0; c < 3; ++c )
			{
				sum[c] += (double)x[c] / (double)x[3];
			}
		}
		for ( int32_t k = 3 * group->first; k < 3 * ( group->first + group->count ); ++k )
		{
			int32_t at = 4 * cloud.members[k / 3].particle, c = k % 3;
			double force = (double)( &cloud.members[k / 3].force.x )[c], m = 1.0 / (double)before.x[at + 3];
			double expected = group->isNailed ? goal[c] : sum[c] / mass;
			testLess( fabs( (double)cloud.x[at + c] - expected ), 2e-6 );
			// in the same place to the last bit
			assert_true( cloud.x[at + c] == cloud.x[4 * cloud.members[group->first].particle + c] );
			// positions of 2 m are rounded by 2e-7
			double way = (double)cloud.x[at + c] - (double)before.x[at + c];
			testLess( fabs( force - m * way / ( h * h ) ), 1e-6 * m / ( h * h ) );
			testLess( fabs( (double)cloud.v[at + c] - (double)before.v[at + c] - way / h ), 1e-6 / h );
			momentum[c] += m * ( (double)cloud.v[at + c] - (double)before.v[at + c] );
		}
		for ( int c = 0; c < 3 && group->isNailed == false; ++c )
		{
			testLess( fabs( momentum[c] ), 1e-6 / h * mass );
		}
	}
}

static void SameBitsOnAnyThreads( void** state )
{
	(void)state;
	static Cloud first, cloud;
	for ( int threads = 1; threads <= 3; ++threads )
	{
		supThreadPool* pool = supCreateThreadPool( threads );
		FillCloud( &cloud );
		supTiedPoints points = { cloud.x, cloud.v, 1.0f };
		supSolveTies( &cloud.ties, &points, 0.01f, false, supThreadPool_Tasks( pool ) );
		if ( threads == 1 )
		{
			first = cloud;
		}
		assert_memory_equal( first.x, cloud.x, sizeof( cloud.x ) );
		assert_memory_equal( first.v, cloud.v, sizeof( cloud.v ) );
		supDestroyThreadPool( pool );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// A wall of cubes hung up by its top row, with each integrator

#define STEP 2e-4f

typedef struct Wall
{
	supProp prop;
	supPointBody body;
	supPointSettings settings;
	supPointState state;
	void* block;
	supTies ties;
} Wall;

static void AddGroup( Wall* wall, const int32_t* points, int32_t count )
{
	int32_t g = wall->ties.groupCount++;
	wall->ties.groups[g] = ( supTieGroup ){ .first = wall->ties.memberCount,
											.count = count,
											.isNailed = count == 1,
											.goal = wall->prop.points.data[points[0]] };
	for ( int32_t k = 0; k < count; ++k )
	{
		wall->ties.members[wall->ties.memberCount++] = ( supTieMember ){ .particle = points[k], .group = g };
	}
}

static void CreateWall( Wall* wall, supIntegrator integrator )
{
	supError error = { 0 };
	*wall = ( Wall ){ 0 };
	assert_true( supProp_AddCubeWall( &wall->prop, 4, 3, 0.1f ) );
	supPointBodyDef def = supDefaultPointBodyDef();
	def.pointCount = wall->prop.points.count;
	def.points = wall->prop.points.data;
	def.tetCount = wall->prop.tets.count / 4;
	def.tets = wall->prop.tets.data;
	testRequire( supPointBody_Init( &wall->body, &def, &error ), &error );
	wall->settings = supDefaultPointSettings();
	wall->settings.integrator = integrator;
	wall->settings.edges.damping = wall->settings.tets.damping = 2e-3f;
	wall->block = aligned_alloc( 64, supPointState_Size( &wall->body, integrator ) );
	supPointState_Reset( &wall->body, integrator, wall->block );
	wall->state = supPointState_View( &wall->body, integrator, wall->block );
	size_t most = (size_t)( wall->prop.nails.count + wall->prop.joints.count );
	wall->ties.groups = calloc( most, sizeof( supTieGroup ) );
	wall->ties.members = calloc( most, sizeof( supTieMember ) );
	for ( int32_t i = 0; i < wall->prop.nails.count; ++i )
	{
		AddGroup( wall, wall->prop.nails.data + i, 1 );
	}
	for ( int32_t i = 0; i < wall->prop.joints.count; i += 2 )
	{
		AddGroup( wall, wall->prop.joints.data + i, 2 );
	}
}

static void DestroyWall( Wall* wall )
{
	free( wall->ties.groups );
	free( wall->ties.members );
	free( wall->block );
	supPointBody_Destroy( &wall->body );
	supProp_Destroy( &wall->prop );
}

// Returns what nails bear, in newtons.
static float StepWall( Wall* wall, supTrouble* trouble )
{
	supIntegrator integrator = wall->settings.integrator;
	supPointStep step = { .dt = STEP, .ties = &wall->ties, .trouble = trouble };
	supTiedPoints points = { wall->state.x, wall->state.v, 1.0f };
	assert_true( supPointSolver_Predict( &wall->body, &wall->settings, &wall->state, &step ) );
	supSolveTies( &wall->ties, &points, STEP, integrator == sup_integratorImplicit, NULL );
	supPointSolver_Finish( &wall->body, &wall->settings, &wall->state, &step );
	if ( supPointSolver_NeedsVelocities( integrator ) )
	{
		supSolveTiedVelocities( &wall->ties, &points, wall->state.oldX, STEP );
	}
	float weight = 0.0f;
	for ( int32_t g = 0; g < wall->ties.groupCount; ++g )
	{
		const supTieGroup* group = wall->ties.groups + g;
		const supTieMember* members = wall->ties.members + group->first;
		const float* x = wall->state.x + 4 * members[0].particle;
		assert_memory_equal( x, wall->state.x + 4 * members[group->count - 1].particle, sizeof( supVec3 ) );
		assert_true( group->isNailed == false || memcmp( x, &group->goal, sizeof( supVec3 ) ) == 0 );
		weight += group->isNailed ? members[0].force.y : 0.0f;
	}
	return weight;
}

static void ExactAfterEveryStep( void** state )
{
	(void)state;
	for ( int32_t integrator = 0; integrator < sup_integratorCount; ++integrator )
	{
		Wall wall;
		CreateWall( &wall, (supIntegrator)integrator );
		supTrouble trouble = { 0 };
		int32_t steps = testRounds( 4000, 100 );
		double sum = 0.0;
		for ( int32_t i = 0; i < steps; ++i )
		{
			sum += (double)StepWall( &wall, &trouble );
		}
		assert_int_equal( trouble.notFinite + trouble.notConverged, 0 );
		// twelve cubes of a kilogramme weigh 118 N; over a few swings nails bear that on average
		print_message( "%s: nails bear %.1f N on average\n", supIntegratorNames[integrator], sum / steps );
		assert_true( steps < 4000 || fabs( sum / steps - 117.7 ) < 3.0 );
		DestroyWall( &wall );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( ClosedForm ), cmocka_unit_test( SameBitsOnAnyThreads ),
										cmocka_unit_test( ExactAfterEveryStep ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
