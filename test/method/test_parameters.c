// SPDX-License-Identifier: MIT
// Tables of parameters, which command line, settings files and sliders are made of: whole, and to be trusted. Every
// value that a table allows can be set while an actor runs.
#include "support.h"

#include "models/models.h"
#include "supple/supple.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static void CheckWords( const supParameter* p )
{
	for ( const char* c = p->name; *c != 0; ++c )
	{
		assert_true( islower( *c ) || isdigit( *c ) || *c == '.' || *c == '-' || *c == '_' );
	}
	assert_true( p->name[0] != 0 && strlen( p->summary ) > 3 );
	assert_non_null( p->unit );
}

static void TestTables( void** state )
{
	(void)state;
	for ( int m = 0; m < sup_methodCount; ++m )
	{
		supMethodId method = (supMethodId)m;
		int32_t count = supMethod_ParameterCount( method );
		assert_true( m <= sup_methodDqs ? count == 0 : count > 0 );
		for ( int32_t i = 0; i < count; ++i )
		{
			const supParameter* p = supMethod_Parameter( method, i );
			CheckWords( p );
			// the first of this name: none comes twice
			assert_int_equal( supMethod_FindParameter( method, p->name ), i );
			testLess( p->minimum, p->maximum );
			testLessEqual( p->minimum, p->standard );
			testLessEqual( p->standard, p->maximum );
			bool whole = strcmp( p->unit, "count" ) == 0 || p->choices != NULL;
			assert_true( whole == false ||
						 ( p->minimum == floorf( p->minimum ) && p->maximum == floorf( p->maximum ) ) );
			for ( int32_t k = 0; p->choices != NULL && k <= (int32_t)p->maximum; ++k )
			{
				assert_true( p->choices[k] != NULL && p->choices[k][0] != 0 );
			}
		}
		assert_int_equal( supMethod_FindParameter( method, "jelly" ), -1 );
		assert_int_equal( supMethod_FindParameter( method, "" ), -1 );
	}
}

static void CheckFinite( const supActor* actor, const supCharacter* character, const char* parameter, float value )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
		const supVec3* positions = supActor_Positions( actor, i );
		for ( int32_t k = 0; k < count; ++k )
		{
			// a tube of a metre or two does not go farther in half a second, whatever it is made of
			if ( supIsFiniteVec3( positions[k] ) == false || supLength( positions[k] ) > 20.0f )
			{
				fail_msg( "%s %g: vertex %d is at %g %g %g", parameter, (double)value, k, (double)positions[k].x,
						  (double)positions[k].y, (double)positions[k].z );
			}
		}
	}
}

// Each at its ends while everything else is as it should be, in a motion, one after the other on the same actor.
static void TestEndsOfLiveParameters( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube" )->create( &error );
	testRequire( character != NULL, &error );
	for ( int m = 0; m < sup_methodCount; ++m )
	{
		supFleshDef fleshDef = supDefaultFleshDef();
		fleshDef.method = (supMethodId)m;
		// small bodies do
		supSetting size = { m == sup_methodFem ? "vertices" : "tets", m == sup_methodFem ? 60.0f : 500.0f };
		int32_t sized = supMethod_FindParameter( fleshDef.method, size.parameter );
		fleshDef.settings = &size;
		fleshDef.settingCount = sized >= 0;
		supFlesh* flesh = supBuildFlesh( character, &fleshDef, NULL, &error );
		testRequire( flesh != NULL, &error );
		supSceneDef sceneDef = supDefaultSceneDef();
		supScene* scene = supCreateScene( &sceneDef, &error );
		supActor* actor = supScene_AddActor( scene, flesh, &error );
		testRequire( actor != NULL, &error );
		supPlayDef play = supDefaultPlayDef( supCharacter_Clip( character, 0 ) );
		supActor_Play( actor, &play );
		for ( int32_t i = 0; i < supMethod_ParameterCount( fleshDef.method ); ++i )
		{
			const supParameter* p = supMethod_Parameter( fleshDef.method, i );
			assert_true( supFlesh_Parameter( flesh, i ) == ( i == sized ? size.value : p->standard ) );
			const float values[] = { p->minimum, p->maximum, p->standard };
			for ( int32_t k = 0; k < 3 && p->live; ++k )
			{
				supActor_SetParameter( actor, i, values[k] );
				assert_true( supActor_GetParameter( actor, i ) == values[k] );
				for ( int32_t step = 0; step < testRounds( 3, 1 ); ++step )
				{
					supScene_Step( scene, 1.0f / 60.0f );
				}
				CheckFinite( actor, character, p->name, values[k] );
			}
		}
		supDestroyScene( scene );
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestTables ),
		cmocka_unit_test( TestEndsOfLiveParameters ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
