// SPDX-License-Identifier: MIT
// labels: release
// The integrator without dissipation against mathematics, and finite elements against a beam that was measured.
#include "beam.h"
#include "fem_bar.h"

#define TWO_PI 6.283185307179586

// ---------------------------------------------------------------------------------------------------------------------
// The integrator

// A bar is bent in its slowest mode and let go: what is left of the swing after `swings` of them.
static double Decay( double conservation, double stepsASwing, int swings )
{
	Bar bar;
	BarDef def = {
		.cells = { 6, 2, 2 }, .size = { 1.0f, 0.25f, 0.25f }, .modulus = 1e5f, .density = 1000.0f, .whole = true
	};
	BarInit( &bar, &def );
	double pulse = bar.model.pulses[0];
	int32_t tip = BarVertex( &bar, 6, 1, 1 );
	// softest along the diagonals of the tets
	bar.step.gravity = supMakeVec3( 0.0f, -0.1f, 0.1f );
	bar.step.dt = 100.0;
	for ( int i = 0; i < 12; ++i )
	{
		BarStep( &bar );
	}
	double start = fabs( bar.state.x[3 * tip + 1] - (double)bar.vertices[tip].y ), last = 0.0;
	memset( bar.state.v, 0, 3 * (size_t)bar.vertexCount * sizeof( double ) );
	bar.step.gravity = supVec3_zero;
	bar.step.dt = TWO_PI / pulse / stepsASwing;
	bar.step.conservation = conservation;
	int count = (int)( stepsASwing * swings );
	for ( int i = 0; i < count; ++i )
	{
		BarStep( &bar );
		double away = fabs( bar.state.x[3 * tip + 1] - (double)bar.vertices[tip].y );
		last = i >= count - (int)stepsASwing ? fmax( last, away ) : last;
	}
	BarFree( &bar );
	return last / start;
}

// A damping ratio of a w h / 2, as solver.h says: over n swings of 40 steps, exp( -a pi w h n ) with w h = 2 pi / 40.
static void DissipatesAsStated( void** state )
{
	(void)state;
	static const double conservations[] = { 1.0, 0.9, 0.5, 0.0 };
	for ( int i = 0; i < 4; ++i )
	{
		double found = Decay( conservations[i], 40.0, 5 ), a = 1.0 - conservations[i];
		// the largest value of the last swing is up to one swing older than its end
		double expected = exp( -a * 0.5 * TWO_PI * ( TWO_PI / 40.0 ) * 4.0 );
		print_message( "dissipation %.1f: %.3f of the swing is left, expected about %.3f\n", a, found, expected );
		// faster modes, a tenth of what bending under gravity is, come on top; ratios are right to first order in w h
		testLess( fabs( found - expected ), 0.12 );
	}
	// nothing is lost in a hundred swings either
	testGreater( Decay( 1.0, 20.0, 100 ), 0.9 );
}

// ---------------------------------------------------------------------------------------------------------------------
// Measured

static void FollowsTheMeasuredBeam( void** state )
{
	(void)state;
	supError error = { 0 };
	char folder[256];
	beamTake* takes = calloc( 2, sizeof( beamTake ) );
	beamRun* runs = calloc( 3, sizeof( beamRun ) );
	testRequire( beamLoadTake( takes, testAsset( "measured/beam/gravity.csv" ), &error ), &error );
	testRequire( beamLoadTake( takes + 1, testAsset( "measured/beam/load52.csv" ), &error ), &error );
	const beamModel* model = beamModels;
	while ( strcmp( model->name, "fem blended" ) != 0 )
	{
		model += 1;
	}
	beamFlesh beam;
	beamMaterial material = { 2.5e5, 4.0 };
	testMakeFolder( folder );
	testRequire( beamBuild( &beam, model, folder, &error ), &error );
	runs[0].fps = BEAM_FPS;
	testRequire( beamFit( &beam, takes, &material, runs, &error ), &error );
	print_message( "E %.0f Pa, RMS %.3f mm, phase %.1f ms\n", material.modulus, 1e3 * beamError( takes, runs ),
				   1e3 * beamPhaseError( takes, runs ) );
	// those who measured found 263,824 Pa, by another method
	testLess( fabs( material.modulus / 263824.0 - 1.0 ), 0.1 );
	// 1 % of the beam's length, and a frame of the recording
	testLess( beamError( takes, runs ), 1e-3 );
	testLess( beamPhaseError( takes, runs ), 0.01 );

	for ( int i = 0; i < 3; ++i )
	{
		runs[i].take = takes + 1;
		runs[i].load = 0.51012;
		runs[i].fps = i == 0 ? BEAM_FPS : ( i == 1 ? 60.0 : 240.0 );
		testRequire( beamSimulate( &beam, &material, runs + i, &error ), &error );
	}
	print_message( "with 52 g: RMS %.3f mm, 1/60 and 1/240 s differ by %.4f mm\n", 1e3 * beamError( takes + 1, runs ),
				   1e3 * beamDifference( runs + 1, runs + 2 ) );
	// linear elements do not shorten as the beam bends, which alone is 3/5 of the square of what it sinks over its
	// length: 1.7 mm; and rubber creeps (docs/fem.md)
	testLess( beamError( takes + 1, runs ), 2.5e-3 );
	testLess( beamDifference( runs + 1, runs + 2 ), 0.3e-3 );
	beamDestroy( &beam );
	testRemoveFolder( folder );
	free( runs );
	free( takes );
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( DissipatesAsStated ),
										cmocka_unit_test( FollowsTheMeasuredBeam ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
