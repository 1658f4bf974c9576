// SPDX-License-Identifier: MIT
// Modes of the method `fem` beside each other.
#include "fem_stage.h"

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
	testLess( blended, 0.5 * linear );
	testLess( blended, 0.02 );
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
		cmocka_unit_test( CowTurnsItsHead ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
