// SPDX-License-Identifier: MIT
// Hours of a clip in a loop, on a floor, in fast motion: after the first loops nothing grows. A step allocates nothing,
// the state keeps its size, and energy, volume and distance from skinning come back to what they were at the same
// moment of an earlier loop.
//
// SUPPLE_HOURS=H runs so many hours of every method (make soak); else some seconds.
#include "models/models.h"
#include "supple/supple.h"
#include "support.h"

#include <stdlib.h>

#define STEPS_PER_SECOND 60
#define SETTLE_LOOPS 4

static const supMethodId s_methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints,
										 sup_methodFem,      sup_methodLayered, sup_methodModes };

typedef struct Sample
{
	float energy, volume, away;
} Sample;

typedef struct Range
{
	Sample least, most;
} Range;

typedef struct LongRun
{
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
	supVec3* skinned;
	const supClip* clip;
	int64_t steps;
} LongRun;

static void Start( LongRun* run, supMethodId method )
{
	supError error = { 0 };
	run->character = supFindModel( "tube" )->create( &error );
	testRequire( run->character != NULL, &error );
	run->clip = supCharacter_Clip( run->character, 0 );
	supSetting setting = { "tets", 300.0f };
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	def.settings = &setting;
	def.settingCount = method == sup_methodPosition || method == sup_methodPoints;
	run->flesh = supBuildFlesh( run->character, &def, NULL, &error );
	testRequire( run->flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.sleeping = false;
	run->scene = supCreateScene( &sceneDef, &error );
	run->actor = run->scene != NULL ? supScene_AddActor( run->scene, run->flesh, &error ) : NULL;
	testRequire( run->actor != NULL, &error );
	supColliderDef floor = supDefaultColliderDef();
	floor.shape.kind = sup_shapePlane;
	// the tube lies on it, pressed in a little
	floor.position.y = -0.14f;
	testRequire( supScene_AddCollider( run->scene, &floor, &error ) != NULL, &error );
	run->skinned = calloc( (size_t)supCharacter_Mesh( run->character, 0 )->vertexCount, sizeof( supVec3 ) );
}

static void End( LongRun* run )
{
	supDestroyScene( run->scene );
	supDestroyFlesh( run->flesh );
	supDestroyCharacter( run->character );
	free( run->skinned );
}

static Sample TakeSample( LongRun* run )
{
	supSurfaceMeasure measure = supActor_Measure( run->actor );
	supSkinInstance( supActor_Pose( run->actor ), 0, sup_skinningLinear, NULL,
					 &( supSkinOutput ){ .positions = run->skinned } );
	const supVec3* positions = supActor_Positions( run->actor, 0 );
	Sample sample = { measure.energy, measure.volumeError, 0.0f };
	for ( int32_t i = 0; i < supCharacter_Mesh( run->character, 0 )->vertexCount; ++i )
	{
		assert_true( supIsFiniteVec3( positions[i] ) );
		sample.away = supMaxFloat( sample.away, supDistance( positions[i], run->skinned[i] ) );
	}
	return sample;
}

// One loop of the clip; all that was measured at its end.
static Sample PlayLoop( LongRun* run )
{
	float duration = supMaxFloat( run->clip->end - run->clip->start, 0.5f );
	int32_t count = (int32_t)( duration * STEPS_PER_SECOND );
	for ( int32_t i = 1; i <= count; ++i )
	{
		supPose_ApplyClip( supActor_Pose( run->actor ), run->clip,
						   run->clip->start + duration * (float)i / (float)count );
		supScene_Step( run->scene, 1.0f / STEPS_PER_SECOND );
	}
	run->steps += count;
	return TakeSample( run );
}

static void Widen( Range* range, Sample s, bool first )
{
	range->least.energy = first ? s.energy : supMinFloat( range->least.energy, s.energy );
	range->least.volume = first ? s.volume : supMinFloat( range->least.volume, s.volume );
	range->least.away = first ? s.away : supMinFloat( range->least.away, s.away );
	range->most.energy = first ? s.energy : supMaxFloat( range->most.energy, s.energy );
	range->most.volume = first ? s.volume : supMaxFloat( range->most.volume, s.volume );
	range->most.away = first ? s.away : supMaxFloat( range->most.away, s.away );
}

// Loops are not all alike where something chatters: the last are within the range of the first, and half of its middle.
static void RequireWithin( const char* what, float value, float least, float most, float floor )
{
	float room = 0.5f * ( most - least ) + 0.05f * supMaxFloat( most, -least ) + floor;
	if ( !( value >= least - room && value <= most + room ) )
	{
		fail_msg( "%s has drifted: %g, and %g .. %g at the beginning", what, (double)value, (double)least,
				  (double)most );
	}
}

static void RunLong( supMethodId method, double seconds )
{
	testHeap heap;
	testInstallHeap( &heap );
	LongRun run = { 0 };
	Start( &run, method );
	for ( int32_t i = 0; i < SETTLE_LOOPS; ++i )
	{
		PlayLoop( &run );
	}
	size_t stateSize = supActor_StateSize( run.actor );
	size_t liveBytes = heap.liveBytes;
	Range early = { 0 };
	for ( int32_t i = 0; i < SETTLE_LOOPS; ++i )
	{
		Widen( &early, PlayLoop( &run ), i == 0 );
	}
	int64_t allocations = heap.allocations;
	Sample last = { 0 };
	while ( (double)run.steps < seconds * STEPS_PER_SECOND )
	{
		last = PlayLoop( &run );
		RequireWithin( "energy", last.energy, early.least.energy, early.most.energy, 1e-6f );
		RequireWithin( "volume", last.volume, early.least.volume, early.most.volume, 1e-4f );
		RequireWithin( "distance from skinning", last.away, early.least.away, early.most.away, 1e-4f );
	}
	assert_int_equal( heap.allocations, allocations );
	assert_int_equal( heap.liveBytes, liveBytes );
	assert_int_equal( supActor_StateSize( run.actor ), stateSize );
	assert_int_equal( supScene_GetStats( run.scene ).trouble.notFinite, 0 );
	printf( "%-9s %lld steps, %.2f hours: energy %.4g J (%.4g .. %.4g), volume %.3f %%, %zu bytes of state\n",
			supMethodName( method ), (long long)run.steps, (double)run.steps / STEPS_PER_SECOND / 3600.0,
			(double)last.energy, (double)early.least.energy, (double)early.most.energy, 100.0 * (double)last.volume,
			stateSize );
	End( &run );
	testUninstallHeap( &heap );
}

static void NothingDrifts( void** state )
{
	(void)state;
	const char* hours = getenv( "SUPPLE_HOURS" );
	if ( hours == NULL )
	{
		testMeasuresOnly();
	}
	for ( size_t i = 0; i < sizeof( s_methods ) / sizeof( s_methods[0] ); ++i )
	{
		RunLong( s_methods[i], hours != NULL ? 3600.0 * atof( hours ) : 30.0 );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( NothingDrifts ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
