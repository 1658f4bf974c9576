// SPDX-License-Identifier: MIT
// labels: release
// Crowds on a device: the same bits as on the CPU, whatever happens meanwhile. Needs an OpenCL driver (Debian:
// pocl-opencl-icd); all cases skip without one.
#include "support.h"

#include "device/device.h"
#include "method/position/position.h"
#include "models/models.h"
#include "scene/device_crowd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DT ( 1.0f / 60.0f )
#define MOST_ACTORS 12

// The first device that there is.
static supDevice* OpenDevice( void )
{
	supDeviceInfo info;
	supError error = { 0 };
	if ( supListDevices( &info, 1, &error ) == 0 )
	{
		print_message( "skipped: %s\n", error.message );
		skip();
	}
	supDevice* device = supOpenDevice( info.name, &error );
	testRequire( device != NULL, &error );
	return device;
}

typedef struct Body
{
	supCharacter* character;
	supFlesh* flesh;
} Body;

static Body MakeBody( const char* name, float tets, const supSetting* setting )
{
	supError error = { 0 };
	Body body = { .character = supFindModel( name )->create( &error ) };
	testRequire( body.character != NULL, &error );
	supSetting settings[2] = { { "tets", tets } };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodPosition;
	def.settings = settings;
	def.settingCount = 1;
	if ( setting != NULL )
	{
		settings[def.settingCount++] = *setting;
	}
	body.flesh = supBuildFlesh( body.character, &def, NULL, &error );
	testRequire( body.flesh != NULL, &error );
	return body;
}

static void DestroyBody( Body* body )
{
	supDestroyFlesh( body->flesh );
	supDestroyCharacter( body->character );
}

// Two scenes that should be alike: without a device, and with one.
typedef struct Pair
{
	supScene* scenes[2];
	int32_t count;
	supActor* actors[2][MOST_ACTORS];
} Pair;

static void AddActor( Pair* pair, const Body* body, int32_t clip, float time )
{
	for ( int32_t i = 0; i < 2; ++i )
	{
		supError error = { 0 };
		supActor* actor = supScene_AddActor( pair->scenes[i], body->flesh, &error );
		testRequire( actor != NULL, &error );
		supPlayDef play =
			supDefaultPlayDef( supCharacter_Clip( body->character, clip % supCharacter_ClipCount( body->character ) ) );
		play.time = time;
		supActor_Play( actor, &play );
		pair->actors[i][pair->count] = actor;
	}
	pair->count += 1;
}

static Pair MakePair( supDevice* device, int32_t substeps, bool guard )
{
	Pair pair = { 0 };
	for ( int32_t i = 0; i < 2; ++i )
	{
		supError error = { 0 };
		supSceneDef def = supDefaultSceneDef();
		def.guard = guard;
		def.substeps = substeps;
		def.device = i == 1 ? device : NULL;
		pair.scenes[i] = supCreateScene( &def, &error );
		testRequire( pair.scenes[i] != NULL, &error );
	}
	return pair;
}

static void StepPair( Pair* pair, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		supScene_Step( pair->scenes[0], DT );
		supScene_Step( pair->scenes[1], DT );
	}
}

static void DestroyPair( Pair* pair )
{
	supDestroyScene( pair->scenes[0] );
	supDestroyScene( pair->scenes[1] );
}

static void AssertSameSurface( const supActor* a, const supActor* b )
{
	for ( int32_t i = 0; i < a->surfaceCount; ++i )
	{
		size_t size = (size_t)a->surfaces[i].vertexCount * sizeof( supVec3 );
		assert_memory_equal( supActor_Positions( a, i ), supActor_Positions( b, i ), size );
		assert_memory_equal( supActor_Normals( a, i ), supActor_Normals( b, i ), size );
	}
}

// All that a later step depends on; scratch is left out.
static void AssertSameState( supActor* a, supActor* b )
{
	supActor_Recall( b );
	const supPositionFlesh* flesh = a->flesh->own;
	supPositionView x = supPositionFlesh_View( flesh, a->state ), y = supPositionFlesh_View( flesh, b->state );
	size_t particles = 16 * (size_t)flesh->particleCount;
	assert_memory_equal( x.positions, y.positions, particles );
	assert_memory_equal( x.velocities, y.velocities, particles );
	assert_memory_equal( x.skinned, y.skinned, particles );
	assert_memory_equal( x.bones, y.bones, (size_t)flesh->boneCount * sizeof( supMat34 ) );
	assert_memory_equal( x.tethers, y.tethers, particles );
	assert_memory_equal( x.header, y.header, sizeof( supPositionHeader ) );
	assert_memory_equal( x.frames, y.frames, (size_t)flesh->particleCount * sizeof( supBindFrame ) );
}

static void AssertSamePair( Pair* pair )
{
	assert_null( supScene_GetDeviceError( pair->scenes[1] ) );
	for ( int32_t i = 0; i < pair->count; ++i )
	{
		AssertSameSurface( pair->actors[0][i], pair->actors[1][i] );
		AssertSameState( pair->actors[0][i], pair->actors[1][i] );
	}
	supTrouble a = supScene_GetStats( pair->scenes[0] ).trouble, b = supScene_GetStats( pair->scenes[1] ).trouble;
	assert_int_equal( a.inverted, b.inverted );
	assert_int_equal( a.notFinite, b.notFinite );
}

// ---------------------------------------------------------------------------------------------------------------------

// Every built-in character, alone, with the guard.
static void TestModelsHaveTheSameBits( void** state )
{
	(void)state;
	supDevice* device = OpenDevice();
	const char* names[] = { "tube", "bunny", "human", "octopus", "horse", "snake" };
	for ( int32_t i = 0; i < SUP_COUNT( names ); ++i )
	{
		Body body = MakeBody( names[i], 600.0f, NULL );
		Pair pair = MakePair( device, 1, true );
		AddActor( &pair, &body, 0, 0.2f );
		StepPair( &pair, 8 );
		assert_int_equal( supScene_GetDeviceStats( pair.scenes[1] ).actors, 1 );
		AssertSamePair( &pair );
		DestroyPair( &pair );
		DestroyBody( &body );
	}
	supCloseDevice( device );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestModelsHaveTheSameBits ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
