// SPDX-License-Identifier: MIT
// Bodies that are pulled to several times their size: whatever integrator, nothing blows up.
#include "support.h"

#include "method/points/props.h"
#include "method/points/solver.h"
#include "supple/supple.h"

#include <math.h>
#include <string.h>

#define CORNERS 8

typedef struct Cube
{
	supProp prop;
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
	supAttachment* nails[CORNERS];
	supVec3 starts[CORNERS];
} Cube;

static int32_t s_warnings;
static char s_warning[512];

static void KeepWarning( supLogLevel level, const char* message, void* context )
{
	(void)context;
	s_warnings += level == sup_logWarning;
	snprintf( s_warning, sizeof( s_warning ), "%s", message );
}

// 0.3 m, held by its eight corners.
static void StartCube( Cube* cube, supIntegrator integrator )
{
	supError error = { 0 };
	supLattice lattice = { .nx = 3, .ny = 3, .nz = 3, .x = { 0.1f, 0, 0 }, .y = { 0, 0.1f, 0 }, .z = { 0, 0, 0.1f } };
	*cube = ( Cube ){ 0 };
	assert_true( supProp_AddLattice( &cube->prop, &lattice ) && supProp_Finish( &cube->prop ) );
	cube->character = supProp_CreateCharacter( &cube->prop, "cube", &error );
	testRequire( cube->character != NULL, &error );
	supTetMesh tets = supProp_Tets( &cube->prop );
	const supSetting settings[2] = { { "integrator", (float)integrator },
									 { "damping", integrator == sup_integratorEuler ? 0.02f : 0.002f } };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodPoints;
	def.tets = &tets;
	def.settings = settings;
	def.settingCount = 2;
	cube->flesh = supBuildFlesh( cube->character, &def, NULL, &error );
	testRequire( cube->flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.gravity = supVec3_zero;
	// what Euler bears at rest
	sceneDef.substeps = integrator == sup_integratorEuler ? 64 : 32;
	cube->scene = supCreateScene( &sceneDef, &error );
	cube->actor = supScene_AddActor( cube->scene, cube->flesh, &error );
	testRequire( cube->actor != NULL, &error );
	for ( int32_t k = 0; k < CORNERS; ++k )
	{
		supVec3 corner = supMakeVec3( (float)( k & 1 ) * 0.3f, (float)( k >> 1 & 1 ) * 0.3f, (float)( k >> 2 ) * 0.3f );
		supAttachmentDef nail = supDefaultAttachmentDef();
		nail.placeCount = 2;
		nail.places[0] = ( supPlace ){ .kind = sup_placeSurface, .actor = cube->actor };
		assert_true( supActor_FindNearest( cube->actor, corner, &nail.places[0].point ) );
		nail.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = corner };
		cube->starts[k] = corner;
		cube->nails[k] = supScene_Attach( cube->scene, &nail, &error );
		testRequire( cube->nails[k] != NULL, &error );
	}
}

static void EndCube( Cube* cube )
{
	supDestroyScene( cube->scene );
	supDestroyFlesh( cube->flesh );
	supDestroyCharacter( cube->character );
	supProp_Destroy( &cube->prop );
}

static float MeasureSize( const Cube* cube )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < supCharacter_Mesh( cube->character, 0 )->vertexCount; ++i )
	{
		supVec3 p = supActor_Positions( cube->actor, 0 )[i];
		assert_true( supIsFinite( p.x ) && supIsFinite( p.y ) && supIsFinite( p.z ) );
		box = supBox_Include( box, p );
	}
	return supLength( supBox_Size( box ) );
}

// To 4 times its size within a third of a second, and let go: it never is larger than it was pulled to, and is on its
// way back.
static void PulledAndLetGo( void** state )
{
	(void)state;
	supSetLog( KeepWarning, NULL );
	for ( int32_t integrator = 0; integrator < sup_integratorCount; ++integrator )
	{
		Cube cube;
		StartCube( &cube, (supIntegrator)integrator );
		float whole = MeasureSize( &cube ), size = whole;
		supVec3 middle = supMakeVec3( 0.15f, 0.15f, 0.15f );
		int32_t frames = testRounds( 60, 24 );
		for ( int32_t frame = 1; frame <= frames; ++frame )
		{
			float pull = 1.0f + 3.0f * supMinFloat( (float)frame / 20.0f, 1.0f );
			for ( int32_t k = 0; k < CORNERS; ++k )
			{
				supVec3 goal = supMulAdd( middle, pull, supSub( cube.starts[k], middle ) );
				supAttachment_SetPlace( cube.nails[k], 1, goal, NULL );
				supAttachment_SetActive( cube.nails[k], frame <= 22 );
			}
			supScene_Step( cube.scene, 1.0f / 60.0f );
			size = MeasureSize( &cube );
			testLess( size, 4.1f * whole );
			assert_true( frame > 22 || supAttachment_Gap( cube.nails[0] ) < 1e-6f );
		}
		// a long way behind, as far as schemes go that bear short steps only
		assert_true( frames < 60 || size < 0.9995f * 4.0f * whole );
		assert_int_equal( supScene_GetStats( cube.scene ).trouble.notFinite, 0 );
		EndCube( &cube );
	}
	supSetLog( NULL, NULL );
}

// Farther than integrators can follow in the time they are given: explicit ones fall behind, and the message says what
// they bear.
static void PulledTooFar( void** state )
{
	(void)state;
	supSetLog( KeepWarning, NULL );
	for ( int32_t integrator = 0; integrator < sup_integratorCount; ++integrator )
	{
		Cube cube;
		StartCube( &cube, (supIntegrator)integrator );
		s_warnings = 0;
		for ( int32_t frame = 1; frame <= 4; ++frame )
		{
			for ( int32_t k = 0; k < CORNERS; ++k )
			{
				supAttachment_SetPlace( cube.nails[k], 1, supScale( 8.0f, cube.starts[k] ), NULL );
			}
			supScene_Step( cube.scene, 1.0f / 60.0f );
			MeasureSize( &cube );
			testLess( supAttachment_Gap( cube.nails[0] ), 1e-5f );
		}
		bool isExplicit = integrator != sup_integratorImplicit;
		assert_int_equal( s_warnings, isExplicit );
		assert_true( isExplicit == ( supScene_GetStats( cube.scene ).trouble.unstable > 0 ) );
		if ( isExplicit )
		{
			char stable[64];
			snprintf( stable, sizeof( stable ), "%s (largest stable step", supIntegratorNames[integrator] );
			assert_non_null( strstr( s_warning, stable ) );
			assert_non_null( strstr( s_warning, "falls behind" ) );
		}
		assert_int_equal( supScene_GetStats( cube.scene ).trouble.notFinite, 0 );
		EndCube( &cube );
	}
	supSetLog( NULL, NULL );
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( PulledAndLetGo ), cmocka_unit_test( PulledTooFar ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
