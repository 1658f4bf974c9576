// SPDX-License-Identifier: MIT
// What the paper prints, seen to fail as the notes on it say, and what stands in its place.
#include "lattice_stage.h"

#include "supple/supple.h"

#include <math.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------------------------
// Frequencies

// The mean height of the flesh of one layer, in voxels, against where skinning has it.
static float MeanLift( const Stage* stage, int32_t layer )
{
	supLatticeArrays arrays = supLattice_Arrays( stage->own, stage->actor->state );
	double sum = 0.0;
	int32_t count = 0;
	for ( int32_t i = 0; i < stage->own->voxelCount; ++i )
	{
		int32_t slot = stage->own->voxelSlots[i];
		if ( stage->own->layers[i] == layer && stage->own->freedoms[slot] > 0.0f )
		{
			int32_t at = ( slot / 8 ) * 24 + 8 + slot % 8;
			sum += (double)( arrays.positions[at] - arrays.skinned[at] );
			count += 1;
		}
	}
	return count > 0 ? (float)( sum / count ) : 0.0f;
}

// Lets go after a jerk upwards and counts swings.
static float MeasureFrequency( float resolution, float dt )
{
	supSetting settings[] = { { "resolution", resolution }, { "fat.damping", 0.02f }, { "muscle.damping", 0.02f } };
	Stage stage = MakeStage( settings, 3, NULL );
	PlaceRoot( supActor_Pose( stage.actor ), supQuat_identity, supMakeVec3( 0.0f, 0.05f, 0.0f ) );
	supScene_Step( stage.scene, dt );
	float before = 0.0f, first = 0.0f, last = 0.0f;
	int crossings = 0;
	for ( float time = 0.0f; time < 2.5f; time += dt )
	{
		supScene_Step( stage.scene, dt );
		float lift = MeanLift( &stage, 2 );
		if ( before < 0.0f && lift >= 0.0f )
		{
			float moment = time + dt * before / ( before - lift );
			first = crossings == 0 ? moment : first;
			last = moment;
			crossings += 1;
		}
		before = lift;
	}
	testGreaterEqual( crossings, 3 );
	DestroyStage( &stage );
	return (float)( crossings - 1 ) / ( last - first );
}

static void FrequencyIsThatOfTheParameter( void** state )
{
	(void)state;
	testMeasuresOnly();
	float at60 = MeasureFrequency( 20.0f, 1.0f / 60.0f );
	float at120 = MeasureFrequency( 20.0f, 1.0f / 120.0f );
	float fine = MeasureFrequency( 32.0f, 1.0f / 60.0f );
	float given = supLatticeParameters[sup_latticeFatFrequency].standard;
	printf( "fat of %.1f Hz swings at %.2f Hz (60 steps/s), %.2f Hz (120 steps/s), %.2f Hz (finer voxels)\n",
			(double)given, (double)at60, (double)at120, (double)fine );
	assert_float_equal( at120, at60, 0.1f * at60 );
	assert_float_equal( fine, at60, 0.25f * at60 );
	// firmer flesh around it makes it faster
	testGreater( at60, 0.85f * given );
	testLess( at60, 1.7f * given );
}

// ---------------------------------------------------------------------------------------------------------------------
// What the paper prints

// Runs a clip in the paper's own step and returns how far flesh gets from the skinned pose, in voxels.
static float PlayPaper( supLatticePaper paper, const float stiffness[3], const float damping[3], float constraints )
{
	supSetting settings[] = { { "resolution", 16.0f },
							  { "reach", 10.0f },
							  { "paper", (float)paper },
							  { "wholevolume", 0.0f },
							  { "stretch", constraints },
							  { "volume", constraints },
							  { "paper.muscle.stiffness", stiffness[0] },
							  { "paper.fat.stiffness", stiffness[1] },
							  { "paper.skin.stiffness", stiffness[2] },
							  { "paper.muscle.damping", damping[0] },
							  { "paper.fat.damping", damping[1] },
							  { "paper.skin.damping", damping[2] } };
	// measured on voxels; guarding a surface that explodes would take nearly all of the time
	supSceneDef sceneDef = AwakeSceneDef( NULL );
	sceneDef.guard = false;
	supFleshDef fleshDef = LatticeDef( settings, SUP_COUNT( settings ) );
	Stage stage = MakeStageIn( &sceneDef, s_bunny, &fleshDef );
	supPlayDef play = supDefaultPlayDef( supCharacter_Clip( s_bunny, 0 ) );
	supActor_Play( stage.actor, &play );
	float farthest = 0.0f;
	for ( int i = 0; i < 90; ++i )
	{
		supScene_Step( stage.scene, 1.0f / 60.0f );
	}
	supLatticeArrays arrays = supLattice_Arrays( stage.own, stage.actor->state );
	for ( int32_t i = 0; i < stage.own->voxelCount; ++i )
	{
		int32_t slot = stage.own->voxelSlots[i];
		for ( int k = 0; k < 3; ++k )
		{
			int32_t at = ( slot / 8 ) * 24 + 8 * k + slot % 8;
			farthest = supMaxFloat( farthest, fabsf( arrays.positions[at] - arrays.skinned[at] ) );
		}
	}
	DestroyStage( &stage );
	return farthest;
}

// Table 2. In the step as printed all four leave the body by lengths; none does in ours.
static void PaperStepsExplode( void** state )
{
	(void)state;
	testMeasuresOnly();
	static const float stiffness[4][3] = {
		{ 1.8f, 0.5f, 1.7f }, { 3.2f, 1.2f, 2.8f }, { 3.3f, 0.7f, 3.0f }, { 1.9f, 0.9f, 1.3f }
	};
	static const float damping[4][3] = {
		{ 0.6f, 0.5f, 0.4f }, { 0.4f, 0.5f, 0.7f }, { 0.7f, 0.5f, 0.6f }, { 0.6f, 0.4f, 0.3f }
	};
	static const char* names[4] = { "bunny", "smurf", "bloat", "bloat low" };
	for ( int i = 0; i < 4; ++i )
	{
		float bare = PlayPaper( sup_latticeLiteral, stiffness[i], damping[i], 0.0f );
		float printed = PlayPaper( sup_latticeLiteral, stiffness[i], damping[i], 1.0f );
		float fast = PlayPaper( sup_latticeFastLsm, stiffness[i], damping[i], 0.0f );
		float ours = PlayPaper( sup_latticeOurs, stiffness[i], damping[i], 1.0f );
		printf(
			"%-10s farthest from skinning, voxels: matching as printed %g, with constraints %g, FastLSM %g, ours %g\n",
			names[i], (double)bare, (double)printed, (double)fast, (double)ours );
		testGreater( bare, 50.0f );
		// of which one reading of the table saves three
		assert_true( i == 1 ? fast > 50.0f : fast < 4.0f );
		testLess( ours, 4.0f );
	}
	// below the limit of ( 2 + 2 k_d ) / ( 1 + 2 k_d ) it holds
	static const float gentle[3] = { 1.2f, 0.5f, 1.2f }, kept[3] = { 0.5f, 0.5f, 0.5f };
	testLess( PlayPaper( sup_latticeLiteral, gentle, kept, 0.0f ), 10.0f );
}

// How far behind flesh is after half a second at 2 m/s, in metres.
static float MeasureLag( float paper )
{
	supSetting settings[] = { { "resolution", (float)testRounds( 32, 14 ) },
							  { "reach", 10.0f },
							  { "paper", paper },
							  { "paper.muscle.stiffness", 1.2f },
							  { "paper.skin.stiffness", 1.2f } };
	Stage stage = MakeStage( settings, SUP_COUNT( settings ), NULL );
	for ( int i = 1; i <= testRounds( 120, 6 ); ++i )
	{
		PlaceRoot( supActor_Pose( stage.actor ), supQuat_identity, supMakeVec3( 0.0f, 2.0f / 60.0f * (float)i, 0.0f ) );
		supScene_Step( stage.scene, 1.0f / 60.0f );
	}
	float lag = -stage.own->voxelSize * MeanLift( &stage, 3 );
	DestroyStage( &stage );
	return lag;
}

static void WorldDampingLags( void** state )
{
	(void)state;
	float paper = MeasureLag( (float)sup_latticeLiteral ), ours = MeasureLag( (float)sup_latticeOurs );
	printf( "skin at a steady 2 m/s lags %.1f cm with the paper's damping, %.2f cm with ours\n", 100.0 * (double)paper,
			100.0 * (double)ours );
	// sanitizers see some steps of both modes
	assert_true( testIsSanitized() || paper > 0.02f );
	assert_true( testIsSanitized() || fabsf( ours ) < 0.002f );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( FrequencyIsThatOfTheParameter ),
		cmocka_unit_test( PaperStepsExplode ),
		cmocka_unit_test( WorldDampingLags ),
	};
	return cmocka_run_group_tests( tests, Setup, Teardown );
}
