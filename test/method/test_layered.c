// SPDX-License-Identifier: MIT
// The method `layered` in motion: masses, conservation, following a clip, joints that hold, any step and any strength.
#include "layered_stage.h"

#include "core/hash.h"

#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------------------------
// Motion

// The whole has the mass of its volume; the tube's is that of a cylinder with round ends.
static void MassIsThatOfTheVolume( void** state )
{
	(void)state;
	Enter( &s_tube, supVec3_zero, NULL );
	Momentum m = MeasureMomentum( &s_tube );
	double r = 0.15, volume = 3.14159265 * r * r * ( 2.0 - 2.0 * r ) + 4.0 / 3.0 * 3.14159265 * r * r * r;
	testLess( fabs( m.mass / ( 1000.0 * volume ) - 1.0 ), 0.08 );
	Leave( &s_tube );
}

// Nothing holds it: it falls as a stone does, whatever the skin does meanwhile.
static void FallsFreely( void** state )
{
	(void)state;
	Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &s_tube );
	supVec3d start = MeasureMomentum( &s_tube ).center;
	for ( int32_t i = 0; i < 30; ++i )
	{
		supScene_Step( s_tube.scene, DT );
	}
	Momentum end = MeasureMomentum( &s_tube );
	// sum of h² i for backward Euler
	double fallen = 9.81 * (double)DT * (double)DT * 30.0 * 31.0 / 2.0;
	print_message( "fallen %g, momentum %g of what it should be\n", ( start.y - end.center.y ) / fallen,
				   -end.linear.y / ( end.mass * 9.81 * 30.0 * (double)DT ) );
	testLess( fabs( ( start.y - end.center.y ) / fallen - 1.0 ), 1e-5 );
	testLess( fabs( -end.linear.y / ( end.mass * 9.81 * 30.0 * (double)DT ) - 1.0 ), 1e-5 );
	Leave( &s_tube );
}

// Drift of momentum over a second of wild motion, as parts of what there is.
static void MeasureDrift( int32_t steps, double* linear, double* angular )
{
	float dt = 1.0f / (float)steps;
	Enter( &s_tube, supVec3_zero, NULL );
	LetGo( &s_tube );
	supScene_Step( s_tube.scene, 1e-6f );
	Kick( &s_tube, 0.5 );
	// kicks do not respect joints: one short step puts that right
	supScene_Step( s_tube.scene, 1e-6f );
	supScene_Step( s_tube.scene, 1e-6f );
	Momentum start = MeasureMomentum( &s_tube );
	for ( int32_t i = 0; i < steps; ++i )
	{
		supScene_Step( s_tube.scene, dt );
	}
	Momentum end = MeasureMomentum( &s_tube );
	*linear = supLengthVec3d( supSubVec3d( end.linear, start.linear ) ) / supLengthVec3d( start.linear );
	*angular = supLengthVec3d( supSubVec3d( end.angular, start.angular ) ) / supLengthVec3d( start.angular );
	Leave( &s_tube );
}

// What is in motion keeps its momentum whatever the step, as far as the skin's factor in floats goes.
static void KeepsMomentum( void** state )
{
	(void)state;
	double linear[2], angular[2];
	MeasureDrift( 60, linear, angular );
	MeasureDrift( 120, linear + 1, angular + 1 );
	print_message( "drift of linear momentum %g, %g; of angular %g, %g\n", linear[0], linear[1], angular[0],
				   angular[1] );
	testLess( linear[0], 1e-4 );
	testLess( linear[1], 1e-4 );
	testLess( angular[0], 1e-4 );
	testLess( angular[1], 1e-4 );
}

// At strength 1 the surface is where the clip has it, give or take what flesh does.
static void FollowsTheClip( void** state )
{
	(void)state;
	Stage stage = { 0 };
	BuildStage( &stage, "tube5", NULL, 0 );
	Enter( &stage, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	const supClip* clip = supCharacter_Clip( stage.character, 0 );
	double worst = 0.0;
	for ( int32_t i = 0; i < 90; ++i )
	{
		supPose_ApplyClip( supActor_Pose( stage.actor ), clip, clip->start + (float)i * DT );
		supScene_Step( stage.scene, DT );
		supLayeredView view = supLayered_View( stage.own, stage.actor->state );
		for ( int32_t k = 0; k < stage.own->links.count; ++k )
		{
			double gap = supLengthVec3d( supSubVec3d( view.links[k].center, view.targets[k].center ) );
			worst = gap > worst ? gap : worst;
		}
	}
	print_message( "worst gap to the clip %g m\n", worst );
	testLess( worst, 0.02 );
	Leave( &stage );
	FreeStage( &stage );
}

// A stiffness that is set counts, unless a frequency is set as well: stiffer skin has more energy for the same shape.
static void StiffnessCounts( void** state )
{
	(void)state;
	const supSetting soft[] = { { "stiffness", 1000.0f } }, firm[] = { { "stiffness", 1e6f } };
	const supSetting both[] = { { "stiffness", 1e6f }, { "frequency", SUP_SOFT_FREQUENCY } };
	const struct
	{
		const supSetting* settings;
		int32_t count;
		bool byFrequency;
	} cases[] = { { NULL, 0, true }, { soft, 1, false }, { firm, 1, false }, { both, 2, true } };
	double energies[4];
	for ( int32_t c = 0; c < 4; ++c )
	{
		Stage stage = { 0 };
		BuildStage( &stage, "tube5", cases[c].settings, cases[c].count );
		assert_true( ( stage.flesh->parameters[sup_layeredFrequency] > 0.0f ) == cases[c].byFrequency );
		int32_t unknowns = 3 * stage.own->skin.nodeCount;
		double* q = test_malloc( (size_t)unknowns * sizeof( double ) );
		for ( int32_t i = 0; i < unknowns; ++i )
		{
			q[i] = 0.01;
		}
		energies[c] = supSkinBody_Energy( &stage.own->skin, q );
		test_free( q );
		FreeStage( &stage );
	}
	testGreater( energies[2], 10.0 * energies[1] );
	testLess( fabs( energies[3] - energies[0] ), 1e-3 * energies[0] );
}

// Fast, there and back, and one step a frame of 30 a second: each joint stays where the clip has it, to a tenth of how
// much its turn a frame changes where it reverses.
static void FollowsFastClips( void** state )
{
	(void)state;
	Stage stage = { 0 };
	// what the clip takes is fed forward as if skin went along with its bones. Soft skin, three quarters of the mass of
	// this tube, lags behind and pulls them off by more
	const supSetting firm = FIRM_SKIN;
	BuildStage( &stage, "tube5", &firm, 1 );
	const supLinks* links = &stage.own->links;
	for ( int32_t c = 0; c < supCharacter_ClipCount( stage.character ); ++c )
	{
		const supClip* clip = supCharacter_Clip( stage.character, c );
		Enter( &stage, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
		supLayeredView view = supLayered_View( stage.own, stage.actor->state );
		double worst = 0.0, fastest = 0.0;
		for ( int32_t i = 1; i <= 20; ++i )
		{
			// there and back, slower than what counts as a jump (scene/jump.c)
			float part = 0.11f * (float)( i % 10 < 5 ? i % 10 : 10 - i % 10 );
			supPose_ApplyClip( supActor_Pose( stage.actor ), clip, clip->start + part * ( clip->end - clip->start ) );
			supScene_Step( stage.scene, 1.0f / 30.0f );
			for ( int32_t k = 1; k < links->count; ++k )
			{
				int32_t p = links->links[k].parent;
				supQuatd now = supMulQuatd( supConjugateQuatd( view.links[p].rotation ), view.links[k].rotation );
				supQuatd goal = supMulQuatd( supConjugateQuatd( view.targets[p].rotation ), view.targets[k].rotation );
				supQuatd old =
					supMulQuatd( supConjugateQuatd( view.oldTargets[p].rotation ), view.oldTargets[k].rotation );
				worst = fmax( worst, supLengthVec3d( supLogQuatd( supMulQuatd( supConjugateQuatd( now ), goal ) ) ) );
				fastest =
					fmax( fastest, supLengthVec3d( supLogQuatd( supMulQuatd( supConjugateQuatd( old ), goal ) ) ) );
			}
		}
		print_message( "%s: joints turn by up to %g rad a frame and are off by %g rad at most\n", clip->name, fastest,
					   worst );
		testGreater( fastest, 0.1 );
		testLess( worst, 0.1 * 2.0 * fastest );
		Leave( &stage );
	}
	FreeStage( &stage );
}

// In balance: the pose of the clip is where it rests under gravity, however weak its joints are. Weak ones give way to
// a push all the same.
static void StandsAtAnyStrength( void** state )
{
	(void)state;
	const float strengths[] = { 0.05f, 0.12f, 1.0f, 1e6f };
	const supSetting settings = { "stiffness", 1000.0f };
	Stage stage = { 0 };
	BuildStage( &stage, "deer1748", &settings, 1 );
	float sways[4] = { 0 };
	for ( int32_t n = 0; n < 4; ++n )
	{
		Enter( &stage, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
		Set( &stage, "strength", strengths[n] );
		Set( &stage, "root", strengths[n] );
		int32_t count = stage.actor->surfaces[0].vertexCount;
		supVec3* rest = test_malloc( (size_t)count * sizeof( supVec3 ) );
		memcpy( rest, supActor_Positions( stage.actor, 0 ), (size_t)count * sizeof( supVec3 ) );
		sways[n] = 0.0f;
		for ( int32_t i = 0; i < 60; ++i )
		{
			supScene_Step( stage.scene, DT );
			for ( int32_t k = 0; k < count; ++k )
			{
				sways[n] = supMaxFloat( sways[n], supDistance( rest[k], supActor_Positions( stage.actor, 0 )[k] ) );
			}
		}
		print_message( "strength %g: moves by %g mm at most\n", (double)strengths[n], 1e3 * (double)sways[n] );
		testLess( sways[n], 0.002f );
		test_free( rest );
		Leave( &stage );
	}
	FreeStage( &stage );
}

// ---------------------------------------------------------------------------------------------------------------------
// In a scene

static void JointsHold( void** state )
{
	(void)state;
	Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &s_tube );
	Set( &s_tube, "root", 1.0f );
	// ten minutes where soaking is asked for
	int32_t steps = getenv( "SUPPLE_SOAK" ) != NULL ? 36000 : 600;
	double worst = 0.0;
	supLayeredView view = supLayered_View( s_tube.own, s_tube.actor->state );
	const supLinks* links = &s_tube.own->links;
	for ( int32_t i = 0; i < steps; ++i )
	{
		supScene_Step( s_tube.scene, DT );
		for ( int32_t k = 1; k < links->count; ++k )
		{
			supJointRow rows[6];
			int32_t parent = links->links[k].parent;
			supMakeJointRows( view.arms[k], links->links + k, view.links + parent, view.links + k, rows );
			for ( int32_t r = 0; r < 3; ++r )
			{
				worst = fmax( worst, fabs( rows[r].error ) );
			}
		}
	}
	print_message( "joints open by %g m at most, links are 0.4 m long\n", worst );
	testLess( worst, 1e-4 * 0.4 );
	Leave( &s_tube );
}

// Whatever the step and the strength: no number is lost, and it comes back to the clip.
static void BearsAnything( void** state )
{
	(void)state;
	const float strengths[4] = { 0.0f, 0.1f, 1.0f, 1e6f };
	const float steps[4] = { 1e-3f, 1.0f / 60.0f, 1.0f / 30.0f, 0.17f };
	for ( int32_t n = 0; n < 16; ++n )
	{
		Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
		Set( &s_tube, "strength", strengths[n / 4] );
		Set( &s_tube, "root", strengths[n / 4] );
		supScene_Step( s_tube.scene, steps[n % 4] );
		Kick( &s_tube, 20.0 );
		for ( int32_t i = 0; i < 40; ++i )
		{
			supScene_Step( s_tube.scene, steps[( n + ( i % 7 == 0 ) ) % 4] );
		}
		Set( &s_tube, "strength", 1.0f );
		Set( &s_tube, "root", 1.0f );
		for ( int32_t i = 0; i < 120; ++i )
		{
			supScene_Step( s_tube.scene, DT );
		}
		supLayeredView view = supLayered_View( s_tube.own, s_tube.actor->state );
		for ( int32_t i = 0; i < s_tube.own->links.count; ++i )
		{
			double gap = supLengthVec3d( supSubVec3d( view.links[i].center, view.targets[i].center ) );
			testLess( gap, 0.02 );
		}
		assert_int_equal( supScene_GetStats( s_tube.scene ).trouble.notFinite, 0 );
		Leave( &s_tube );
	}
}

// Same bits for any number of threads, and from a flesh that was saved and loaded.
static void SameBits( void** state )
{
	(void)state;
	supError error = { 0 };
	size_t byteCount;
	uint8_t* bytes = supWriteFlesh( s_tube.flesh, &byteCount, &error );
	testRequire( bytes != NULL, &error );
	supFlesh* loaded = supReadFlesh( bytes, byteCount, "tube", s_tube.character, &error );
	testRequire( loaded != NULL, &error );
	uint64_t first = 0;
	for ( int32_t run = 0; run < 4; ++run )
	{
		supThreadPool* pool = run == 0 ? NULL : supCreateThreadPool( run == 3 ? 8 : 1 + run );
		Stage stage = s_tube;
		stage.flesh = run == 2 ? loaded : s_tube.flesh;
		stage.own = stage.flesh->own;
		Enter( &stage, supMakeVec3( 0.0f, -9.81f, 0.0f ), pool != NULL ? supThreadPool_Tasks( pool ) : NULL );
		Set( &stage, "strength", 0.05f );
		for ( int32_t i = 0; i < 10; ++i )
		{
			supScene_Step( stage.scene, DT );
		}
		uint64_t hash = supHashBytes( 0, supActor_Positions( stage.actor, 0 ),
									  (size_t)stage.actor->surfaces[0].vertexCount * sizeof( supVec3 ) );
		first = run == 0 ? hash : first;
		assert_true( hash == first );
		Leave( &stage );
		supDestroyThreadPool( pool );
	}
	supDestroyFlesh( loaded );
	supFree( bytes );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( MassIsThatOfTheVolume ), cmocka_unit_test( FallsFreely ),
		cmocka_unit_test( KeepsMomentum ),         cmocka_unit_test( FollowsTheClip ),
		cmocka_unit_test( FollowsFastClips ),      cmocka_unit_test( StandsAtAnyStrength ),
		cmocka_unit_test( StiffnessCounts ),       cmocka_unit_test( JointsHold ),
		cmocka_unit_test( BearsAnything ),         cmocka_unit_test( SameBits ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
