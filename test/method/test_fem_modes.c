// SPDX-License-Identifier: MIT
// Modes of the method `fem` beside each other, and its finer functions.
#include "fem_stage.h"

// Finer functions join where the tube is bent and leave when it is straight, without fluttering; joining moves nothing,
// and with them the same bend costs less energy.
static void JoinAndLeave( supFemMode mode )
{
	// what is thrown when the bend stops would keep functions active
	const supSetting settings[5] = { { "vertices", 24.0f },
									 { "levels", 1.0f },
									 { "mode", (float)mode },
									 { "iterations", 2.0f },
									 { "exaggeration", 1.0f } };
	supFlesh* flesh = Build( settings, SUP_COUNT( settings ), NULL );
	const supFemFlesh* fem = flesh->own;
	assert_true( fem->model.functionCount > fem->model.vertexCount );
	Sample s = Start( flesh, NULL );
	supFemView view = supFemFlesh_View( fem, s.actor->state );
	supActor_SetParameter( s.actor, sup_femRefine, 1.0f );
	for ( int32_t i = 0; i < 20; ++i )
	{
		Bend( &s, 0.02f * (float)i );
		supScene_Step( s.scene, 1.0f / 60.0f );
	}
	assert_int_equal( view.solver.header->activeCount, fem->model.vertexCount );
	for ( int32_t i = 0; i < 20; ++i )
	{
		supScene_Step( s.scene, 1.0f / 60.0f );
	}
	double coarse = supFemSolver_ElasticEnergy( &fem->model, &view.solver, view.tunings );
	// joining
	size_t bytes = (size_t)fem->basis.nodeCount * sizeof( supVec4 );
	supVec4* before = malloc( bytes );
	memcpy( before, view.nodes, bytes );
	supFemSolver_Adapt( &fem->model, &view.solver, 0.08 );
	supFem_Frame( fem, s.actor->state, NULL );
	assert_memory_equal( before, view.nodes, bytes );
	free( before );
	int32_t joined = view.solver.header->activeCount;
	assert_true( joined > fem->model.vertexCount && joined < fem->model.functionCount );
	supActor_SetParameter( s.actor, sup_femRefine, 0.08f );
	for ( int32_t i = 0; i < 30; ++i )
	{
		supScene_Step( s.scene, 1.0f / 60.0f );
	}
	int32_t settled = view.solver.header->activeCount;
	double fine = supFemSolver_ElasticEnergy( &fem->model, &view.solver, view.tunings );
	print_message( "energy %.2f J, with %d of %d finer functions %.2f J\n", coarse, settled - fem->model.vertexCount,
				   fem->model.functionCount - fem->model.vertexCount, fine );
	assert_true( fine < coarse );
	for ( int32_t i = 0; i < 5; ++i )
	{
		supScene_Step( s.scene, 1.0f / 60.0f );
		assert_int_equal( view.solver.header->activeCount, settled );
	}
	// leaving
	for ( int32_t i = 0; i < 100; ++i )
	{
		Bend( &s, supMaxFloat( 0.38f - 0.02f * (float)i, 0.0f ) );
		supScene_Step( s.scene, 1.0f / 60.0f );
	}
	assert_int_equal( view.solver.header->activeCount, fem->model.vertexCount );
	supDestroyScene( s.scene );
	supDestroyFlesh( flesh );
}

static void FinerFunctionsOfTheNonlinear( void** state )
{
	(void)state;
	JoinAndLeave( sup_femNonlinear );
}

static void FinerFunctionsOfTheBlended( void** state )
{
	(void)state;
	JoinAndLeave( sup_femBlended );
}

// The cow turns its head (Figure 5 of the paper as a number): how far the skin is from that of the nonlinear body, root
// mean square over the head's way there.
static void CowTurnsItsHead( void** state )
{
	(void)state;
	testMeasuresOnly();
	supError error = { 0 };
	supCharacter* cow = supFindModel( "cow" )->create( &error );
	testRequire( cow != NULL, &error );
	int32_t turn = 0;
	for ( int32_t i = 0; i < supCharacter_ClipCount( cow ); ++i )
	{
		turn = strcmp( supCharacter_Clip( cow, i )->name, "HeadTurn" ) == 0 ? i : turn;
	}
	supFlesh* fleshes[3];
	Sample samples[3];
	for ( int mode = 0; mode < 3; ++mode )
	{
		const supSetting settings[3] = { { "vertices", 200.0f }, { "mode", (float)mode }, { "iterations", 3.0f } };
		supFleshDef def = supDefaultFleshDef();
		def.method = sup_methodFem;
		def.settings = settings;
		def.settingCount = 3;
		fleshes[mode] = supBuildFlesh( cow, &def, NULL, &error );
		testRequire( fleshes[mode] != NULL, &error );
		samples[mode] = Start( fleshes[mode], NULL );
	}
	int32_t count = supCharacter_Mesh( cow, supCharacter_Instance( cow, 0 )->mesh )->vertexCount;
	double sums[2] = { 0 };
	for ( int32_t frame = 1; frame <= 9; ++frame )
	{
		for ( int mode = 0; mode < 3; ++mode )
		{
			supPose_ApplyClip( supActor_Pose( samples[mode].actor ), supCharacter_Clip( cow, turn ),
							   (float)frame / 30.0f );
			supScene_Step( samples[mode].scene, 1.0f / 30.0f );
		}
		for ( int32_t k = 0; k < 2 * count; ++k )
		{
			supVec3 p = supActor_Positions( samples[k % 2].actor, 0 )[k / 2];
			double distance = (double)supDistance( p, supActor_Positions( samples[2].actor, 0 )[k / 2] );
			sums[k % 2] += distance * distance;
		}
	}
	double blended = sqrt( sums[0] / ( 9.0 * count ) ), linear = sqrt( sums[1] / ( 9.0 * count ) );
	print_message( "cow: blended %.4f m, linear %.4f m from nonlinear\n", blended, linear );
	assert_true( blended < 0.5 * linear );
	assert_true( blended < 0.02 );
	for ( int mode = 0; mode < 3; ++mode )
	{
		supDestroyScene( samples[mode].scene );
		supDestroyFlesh( fleshes[mode] );
	}
	supDestroyCharacter( cow );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( FinerFunctionsOfTheNonlinear ),
		cmocka_unit_test( FinerFunctionsOfTheBlended ),
		cmocka_unit_test( CowTurnsItsHead ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
