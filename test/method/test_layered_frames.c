// SPDX-License-Identifier: MIT
// Frames between links that the skin of `layered` rides on: their velocities against differences, and the volume that
// they keep as it is drawn.
#include "layered_stage.h"

// Links anywhere, turned by up to a radian against each other, in motion.
static void Scatter( Stage* stage, uint32_t seed )
{
	testRandom random = testMakeRandom( seed );
	supLayeredView view = supLayered_View( stage->own, stage->actor->state );
	for ( int32_t i = 0; i < stage->own->links.count; ++i )
	{
		double numbers[12];
		for ( int32_t k = 0; k < 12; ++k )
		{
			numbers[k] = (double)testRandomFloat( &random, -1.0f, 1.0f );
		}
		view.links[i].rotation = supExpVec3d( supScaleVec3d( 0.6, supLoadVec3d( numbers ) ) );
		view.links[i].center = supAddVec3d( view.links[i].center, supScaleVec3d( 0.1, supLoadVec3d( numbers + 3 ) ) );
		view.links[i].velocity = supLoadVec3d( numbers + 6 );
		view.links[i].spin = supScaleVec3d( 3.0, supLoadVec3d( numbers + 9 ) );
	}
}

static double Apart( supVec3d a, supVec3d b )
{
	return supLengthVec3d( supSubVec3d( a, b ) );
}

static void MapsAreDerivatives( void** state )
{
	(void)state;
	Enter( &s_tube, supVec3_zero, NULL );
	testGreater( s_tube.own->frameCount, s_tube.own->links.count );
	supLayeredView view = supLayered_View( s_tube.own, s_tube.actor->state );
	double worst = 0.0;
	for ( uint32_t seed = 1; seed <= 5; ++seed )
	{
		Scatter( &s_tube, seed );
		for ( int32_t f = 0; f < s_tube.own->frameCount; ++f )
		{
			supFrameMap map = supLayered_MapFrame( s_tube.own, f, view.links, view.ways );
			supFrameSpeed speed = supLayered_FrameSpeed( s_tube.own->frames + f, &map, view.links );
			supFrameSpeed other = DifferFrame( s_tube.own, f, view.links, view.ways );
			worst = fmax( worst, fmax( Apart( speed.velocity, other.velocity ), Apart( speed.spin, other.spin ) ) );
		}
	}
	print_message( "velocities of frames: off by %g at most\n", worst );
	testLess( worst, 1e-7 );
	Leave( &s_tube );
}

// Velocities of a frame a moment later, while those of its links stay the same in their own frames.
static supFrameSpeed Later( const supLayeredView* view, int32_t frame, double h )
{
	const supLayeredFlesh* flesh = s_tube.own;
	supLinkState links[16];
	testLessEqual( flesh->links.count, 16 );
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		links[i] = view->links[i];
		links[i].center = supMulAddVec3d( links[i].center, h, links[i].velocity );
		links[i].rotation = supMulQuatd( links[i].rotation, supExpVec3d( supScaleVec3d( h, links[i].spin ) ) );
	}
	supFrameMap map = supLayered_MapFrame( flesh, frame, links, view->ways );
	return supLayered_FrameSpeed( flesh->frames + frame, &map, links );
}

static void GainsAreDerivatives( void** state )
{
	(void)state;
	Enter( &s_tube, supVec3_zero, NULL );
	supTrouble trouble = { 0 };
	const supSubstep step = {
		.dt = 1e-3f, .parameters = s_tube.actor->parameters, .shared = s_tube.actor->shared->own, .trouble = &trouble
	};
	supLayeredRun run = supLayered_Start( s_tube.own, s_tube.actor->state, &step );
	double worst = 0.0, largest = 0.0;
	Scatter( &s_tube, 9 );
	supLayered_StartFrames( &run );
	for ( int32_t f = s_tube.own->links.count; f < s_tube.own->frameCount; ++f )
	{
		supFrameSpeed before = Later( &run.view, f, -MOMENT ), after = Later( &run.view, f, MOMENT );
		supVec3d moved = supScaleVec3d( 0.5 / MOMENT, supSubVec3d( after.velocity, before.velocity ) );
		supVec3d turned = supScaleVec3d( 0.5 / MOMENT, supSubVec3d( after.spin, before.spin ) );
		worst = fmax( worst, Apart( moved, run.view.gains[f].velocity ) );
		worst = fmax( worst, Apart( turned, run.view.gains[f].spin ) );
		largest = fmax( largest, supLengthVec3d( moved ) );
	}
	print_message( "what they gain: off by %g of %g\n", worst, largest );
	testLess( worst, 1e-6 * largest );
	Leave( &s_tube );
}

static double MeasureVolume( const Stage* stage )
{
	const supVec3* positions = supActor_Positions( stage->actor, 0 );
	const supMesh* mesh = supCharacter_Mesh( stage->character, 0 );
	double sum = 0.0;
	for ( int32_t i = 0; i < mesh->indexCount; i += 3 )
	{
		supVec3d a = supWidenVec3( positions[mesh->indices[i]] ), b = supWidenVec3( positions[mesh->indices[i + 1]] );
		sum += supDotVec3d( a, supCrossVec3d( b, supWidenVec3( positions[mesh->indices[i + 2]] ) ) ) / 6.0;
	}
	return sum;
}

// The farthest that the volume of the drawn tube is off, over a clip, with flesh that swings.
static double PlayClip( Stage* stage, const char* name )
{
	Enter( stage, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	const supClip* clip = supCharacter_FindClip( stage->character, name );
	assert_non_null( clip );
	double rest = MeasureVolume( stage ), worst = 0.0;
	for ( int32_t i = 0; i < (int32_t)( ( clip->end - clip->start ) / DT ); ++i )
	{
		supPose_ApplyClip( supActor_Pose( stage->actor ), clip, clip->start + (float)i * DT );
		supScene_Step( stage->scene, DT );
		worst = fmax( worst, fabs( MeasureVolume( stage ) / rest - 1.0 ) );
	}
	Leave( stage );
	return worst;
}

static void KeepsItsVolume( void** state )
{
	(void)state;
	Stage stage = { 0 }, linear = { 0 };
	const supSetting paper[] = { { "between", 0.0f }, { "volume", 0.0f } };
	BuildStage( &stage, "tube", NULL, 0 );
	BuildStage( &linear, "tube", paper, 2 );
	double twisted = PlayClip( &stage, "twist" ), bent = PlayClip( &stage, "bend" );
	double before = PlayClip( &linear, "twist" );
	print_message( "off by %.2f %% twisted, %.2f %% bent; on linear blend skinning %.2f %% twisted\n", 100.0 * twisted,
				   100.0 * bent, 100.0 * before );
	testLessEqual( twisted, 0.02 );
	testLessEqual( bent, 0.01 );
	testGreater( before, 0.1 );
	FreeStage( &linear );
	FreeStage( &stage );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( MapsAreDerivatives ),
		cmocka_unit_test( GainsAreDerivatives ),
		cmocka_unit_test( KeepsItsVolume ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
