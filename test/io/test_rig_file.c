// SPDX-License-Identifier: MIT
// A skeleton by pointing at a mesh: rays, clicks through a camera, bones, and everything that people get wrong.
#include "support.h"

#include "core/core.h"
#include "io/settings/rig_file.h"
#include "models/models.h"
#include "supple/supple.h"

#include <stdlib.h>
#include <string.h>

// A tube along x from -1 to 1, of radius 0.15.
static supCharacter* CreateTube( void )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube" )->create( &error );
	testRequire( character != NULL, &error );
	return character;
}

static supBox BoundsOf( const supCharacter* character )
{
	const supMesh* mesh = supCharacter_Mesh( character, 0 );
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		box = supBox_Include( box, mesh->positions[i] );
	}
	return box;
}

static void TestRays( void** state )
{
	(void)state;
	supCharacter* tube = CreateTube();
	supBox box = BoundsOf( tube );
	supVec3 middle = supLerp( box.lower, box.upper, 0.5f );
	supError error = { 0 };
	supRig* rig = supCreateRig( tube, NULL, &error );
	testRequire( rig != NULL, &error );
	// across the tube, from all around: the joint is in its middle, whatever the angle and the distance
	for ( int32_t i = 0; i < 12; ++i )
	{
		supCosSin cs = supComputeCosSin( 0.55f * (float)i + 0.1f );
		supVec3 d = supMakeVec3( 0, cs.cosine, cs.sine );
		supVec3 origin = supMulAdd( middle, -2.0f - (float)i, d );
		int32_t joint = supRig_AddJoint( rig, NULL, origin, supScale( 0.1f + (float)i, d ), &error );
		assert_int_equal( joint, i );
		testLess( supDistance( supRig_JointPlace( rig, joint ), middle ), 0.02f );
		char name[32];
		snprintf( name, sizeof( name ), "joint%d", i );
		assert_string_equal( supRig_JointName( rig, joint ), name );
	}
	assert_int_equal( supRig_AddJoint( rig, "off", supMakeVec3( 50, 50, 50 ), supMakeVec3( 0, 0, 1 ), &error ), -1 );
	assert_non_null( strstr( error.message, "misses" ) );
	assert_string_equal( error.where, "off" );
	assert_int_equal( supRig_AddJoint( rig, "in", middle, supMakeVec3( 0, 0, 1 ), &error ), -1 );
	assert_non_null( strstr( error.message, "only once" ) );
	assert_int_equal( supRig_AddJoint( rig, "none", middle, supVec3_zero, &error ), -1 );
	assert_int_equal( supRig_AddJointAt( rig, "nan", supMakeVec3( 0, NAN, 0 ), &error ), -1 );
	assert_int_equal( supRig_AddJointAt( rig, "joint3", middle, &error ), -1 );
	assert_non_null( strstr( error.message, "another joint has this name" ) );
	assert_int_equal( supRig_JointCount( rig ), 12 );
	supDestroyRig( rig );
	supDestroyCharacter( tube );
	supDestroyRig( NULL );
}

// A tree of any shape, told in any order, comes out with the places that went in.
static void TestHierarchy( void** state )
{
	(void)state;
	supCharacter* tube = CreateTube();
	testRandom random = testMakeRandom( 31 );
	supError error = { 0 };
	supRig* rig = supCreateRig( tube, NULL, &error );
	enum
	{
		count = 40
	};
	int32_t links[count];
	for ( int32_t i = 0; i < count; ++i )
	{
		assert_int_equal( supRig_AddJointAt( rig, "", testRandomVec3( &random, 3.0f ), &error ), i );
		links[i] = i > 0 ? (int32_t)testRandomInt( &random, (uint32_t)i ) : -1;
	}
	for ( int32_t i = count - 1; i > 0; --i )
	{
		bool turn = testRandomInt( &random, 2 ) == 1;
		testRequire( supRig_AddBone( rig, turn ? i : links[i], turn ? links[i] : i, &error ), &error );
	}
	assert_false( supRig_AddBone( rig, 0, 39, &error ) );
	assert_true( strstr( error.message, "cycle" ) != NULL || strstr( error.message, "already" ) != NULL );
	assert_false( supRig_AddBone( rig, 0, 40, &error ) );
	assert_false( supRig_AddBone( rig, 3, 3, &error ) );
	assert_null( supRig_CreateSkeleton( rig, &error ) );
	assert_non_null( strstr( error.message, "no root" ) );
	testRequire( supRig_SetRoot( rig, 17, &error ), &error );
	testRequire( supRig_SetRoot( rig, 17, &error ), &error );
	assert_false( supRig_SetRoot( rig, 18, &error ) );
	assert_non_null( strstr( error.message, "already the root" ) );
	supCharacter* skeleton = supRig_CreateSkeleton( rig, &error );
	testRequire( skeleton != NULL, &error );
	assert_int_equal( supCharacter_NodeCount( skeleton ), count );
	assert_int_equal( supCharacter_Node( skeleton, 17 )->parent, -1 );
	supPose* pose = supCreatePose( skeleton );
	const supMat34* worlds = supPose_Worlds( pose );
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t parent = supCharacter_Node( skeleton, i )->parent;
		assert_true( i == 17 || parent == links[i] || links[parent] == i );
		testLess( supDistance( worlds[i].t, supRig_JointPlace( rig, i ) ), 1e-4f );
		assert_int_equal( supRig_FindJoint( rig, supCharacter_Node( skeleton, i )->name ), i );
	}
	supDestroyPose( pose );
	supDestroyCharacter( skeleton );
	supRig_AddJointAt( rig, "alone", supVec3_zero, &error );
	assert_null( supRig_CreateSkeleton( rig, &error ) );
	assert_string_equal( error.where, "alone" );
	assert_non_null( strstr( error.message, "one root" ) );
	supDestroyRig( rig );
	supDestroyCharacter( tube );
}

// The middle of the picture is the target, the upper border half the field of view above it.
static void TestCamera( void** state )
{
	(void)state;
	supRigCamera camera = { { 1, 2, 5 }, { 1, 2, 0 }, { 0, 1, 0 }, 90.0f, 400.0f, 200.0f };
	supVec3 origin, d;
	supError error = { 0 };
	assert_true( supRigCamera_GetRay( &camera, 200, 100, &origin, &d, &error ) );
	assert_true( supDistance( origin, camera.eye ) == 0.0f && supDistance( d, supMakeVec3( 0, 0, -1 ) ) < 1e-6f );
	assert_true( supRigCamera_GetRay( &camera, 200, 0, &origin, &d, &error ) );
	testLess( fabsf( d.y + d.z ), 1e-6f );
	testGreater( d.y, 0.7f );
	// pixels are squares: the right border of a picture twice as wide is twice as far out
	assert_true( supRigCamera_GetRay( &camera, 400, 100, &origin, &d, &error ) );
	testLess( fabsf( d.x + 2.0f * d.z ), 1e-6f );
	testGreater( d.x, 0.0f );
	camera.up = supMakeVec3( 0, 0, 1 );
	assert_false( supRigCamera_GetRay( &camera, 200, 0, &origin, &d, &error ) );
	camera.up = supMakeVec3( 0, 1, 0 );
	camera.fieldOfView = 180.0f;
	assert_false( supRigCamera_GetRay( &camera, 200, 0, &origin, &d, &error ) );
	assert_non_null( strstr( error.message, "invalid camera" ) );
}

static const char s_good[] =
	"{ \"camera\": { \"eye\": [0.5,0,5], \"target\": [0.5,0,0], \"fov\": 40, \"size\": [800,600] },"
	"  \"joints\": [ { \"name\": \"low\", \"at\": [0.1,0,0] }, { \"name\": \"mid\", \"click\": [400,300] },"
	"    { \"name\": \"top\", \"ray\": { \"origin\": [0.8,0,5], \"direction\": [0,0,-1] } } ],"
	"  \"bones\": [ [\"low\",\"mid\"], [\"mid\",2] ], \"root\": \"low\" }";

static void TestClicks( void** state )
{
	(void)state;
	supCharacter* tube = CreateTube();
	supError error = { 0 };
	supRig* rig = supCreateRig( tube, NULL, &error );
	testRequire( supParseClicks( rig, s_good, strlen( s_good ), "clicks", &error ), &error );
	supCharacter* skeleton = supRig_CreateSkeleton( rig, &error );
	testRequire( skeleton != NULL, &error );
	assert_int_equal( supCharacter_Node( skeleton, 2 )->parent, 1 );
	testLess( supDistance( supRig_JointPlace( rig, 1 ), supMakeVec3( 0.5f, 0, 0 ) ), 0.02f );
	testLess( supDistance( supRig_JointPlace( rig, 2 ), supMakeVec3( 0.8f, 0, 0 ) ), 0.02f );
	supDestroyCharacter( skeleton );
	supDestroyRig( rig );
	supDestroyCharacter( tube );
}

#define JOINTS "\"joints\": [ { \"name\": \"a\", \"at\": [0,0,0] }, { \"name\": \"b\", \"at\": [0,1,0] } ]"
#define CAMERA "\"camera\": { \"eye\": [0.5,0,5], \"target\": [0.5,0,0], \"size\": [800,600] }"

static void TestErrors( void** state )
{
	(void)state;
	static const struct
	{
		const char* text;
		const char* where;
		const char* message;
	} cases[] = {
		{ "[ 7 ]", "c.json", "must be an object" },
		{ "{ \"bones\": [] }", "c.json: joints", "list" },
		{ "{ \"joints\": [] }", "c.json: bones", "list" },
		{ "{ \"joints\": [ 1 ], \"bones\": [] }", "c.json: joints[0]", "must be an object" },
		{ "{ \"joints\": [ { \"name\": 3, \"at\": [0,0,0] } ], \"bones\": [] }", "c.json: joints[0]", "name" },
		{ "{ \"joints\": [ { \"name\": \"a\" } ], \"bones\": [] }", "c.json: joints[0]", "one of" },
		{ "{ \"joints\": [ { \"at\": [0,0,0], \"click\": [0,0] } ], \"bones\": [] }", "c.json: joints[0]", "(got 2)" },
		{ "{ \"joints\": [ { \"at\": [0,0] } ], \"bones\": [] }", "c.json: joints[0].at", "three numbers" },
		{ "{ \"joints\": [ { \"click\": [1,2] } ], \"bones\": [] }", "c.json: joints[0]", "\"camera\" is missing" },
		{ "{ " CAMERA ", \"joints\": [ { \"click\": [1] } ], \"bones\": [] }", "c.json: joints[0].click",
		  "pixel coordinates" },
		{ "{ " CAMERA
		  ", \"joints\": [ { \"name\": \"a\", \"at\": [0,0,0] }, { \"name\": \"eye\", \"click\": [1,2] } ], "
		  "\"bones\": [] }",
		  "c.json: joints[1]", "eye: the ray misses" },
		{ "{ \"joints\": [ { \"ray\": { \"origin\": [0.5,0,0], \"direction\": [0,0,1] } } ], \"bones\": [] }",
		  "c.json: joints[0]", "only once" },
		{ "{ \"joints\": [ { \"ray\": { \"origin\": [0.5,0,3] } } ], \"bones\": [] }", "c.json: joints[0]", "zero" },
		{ "{ \"joints\": [ { \"ray\": [0,0,0] } ], \"bones\": [] }", "c.json: joints[0].ray", "must be an object" },
		{ "{ \"joints\": [ { \"name\": \"a\", \"at\": [0,0,0] }, { \"name\": \"a\", \"at\": [0,1,0] } ], \"bones\": [] }",
		  "c.json: joints[1]", "another joint has this name" },
		{ "{ \"camera\": { \"eye\": [0,0,0] }, " JOINTS ", \"bones\": [] }", "c.json: camera", "target" },
		{ "{ \"camera\": { \"eye\": [0,0,0], \"target\": [0,0,0], \"size\": [4,4] }, " JOINTS ", \"bones\": [] }",
		  "c.json: camera", "invalid camera" },
		{ "{ " JOINTS ", \"bones\": [ [\"a\"] ] }", "c.json: bones[0]", "two joints" },
		{ "{ " JOINTS ", \"bones\": [ [\"a\",\"c\"] ] }", "c.json: bones[0][1]", "no joint \"c\"" },
		{ "{ " JOINTS ", \"bones\": [ [0,2] ] }", "c.json: bones[0][1]", "below 2" },
		{ "{ " JOINTS ", \"bones\": [ [0,-1] ] }", "c.json: bones[0][1]", "below 2" },
		{ "{ " JOINTS ", \"bones\": [ [\"a\",\"a\"] ] }", "c.json: bones[0]", "two different joints" },
		{ "{ " JOINTS ", \"bones\": [ [\"a\",\"b\"], [\"b\",\"a\"] ] }", "c.json: bones[1]", "already" },
		{ "{ \"joints\": [ { \"at\": [0,0,0] }, { \"at\": [0,1,0] }, { \"at\": [1,1,0] } ], "
		  "\"bones\": [ [0,1], [1,2], [2,0] ] }",
		  "c.json: bones[2]", "cycle" },
		{ "{ " JOINTS ", \"bones\": [ [\"a\",\"b\"] ] }", "c.json: root", "joint" },
		{ "{ " JOINTS ", \"bones\": [ [\"a\",\"b\"] ], \"root\": [\"a\",\"b\"] }", "c.json: root", "2 roots" },
		{ "{ " JOINTS ", \"bones\": [], \"root\": \"c\" }", "c.json: root", "\"c\"" },
		{ "{ " JOINTS ", \"bones\": [], \"root\": \"a\", \"colour\": 1 }", "c.json", "colour" },
	};
	supCharacter* tube = CreateTube();
	for ( int32_t i = 0; i < SUP_COUNT( cases ); ++i )
	{
		supError error = { 0 };
		supRig* rig = supCreateRig( tube, NULL, &error );
		assert_false( supParseClicks( rig, cases[i].text, strlen( cases[i].text ), "c.json", &error ) );
		if ( strncmp( error.where, cases[i].where, strlen( cases[i].where ) ) != 0 ||
			 strstr( error.message, cases[i].message ) == NULL )
		{
			fail_msg( "%s: %s: %s", cases[i].text, error.where, error.message );
		}
		supDestroyRig( rig );
	}
	supDestroyCharacter( tube );
}

static void TestDamage( void** state )
{
	(void)state;
	supCharacter* tube = CreateTube();
	testRandom random = testMakeRandom( 5 );
	size_t length = strlen( s_good );
	for ( size_t i = 0; i < 400; ++i )
	{
		char* text = malloc( length );
		memcpy( text, s_good, length );
		size_t size = i < 100 ? i * length / 100 : length;
		for ( int32_t k = 0; k < 3 && i >= 100; ++k )
		{
			text[testRandomInt( &random, (uint32_t)length )] = "0123456789-,[]{}\"e."[testRandomInt( &random, 19 )];
		}
		supError error = { 0 };
		supRig* rig = supCreateRig( tube, NULL, &error );
		bool ok = supParseClicks( rig, text, size, "damaged", &error );
		assert_true( ok == ( error.code == sup_errorNone ) );
		supCharacter* skeleton = supRig_CreateSkeleton( rig, &error );
		assert_true( ( skeleton != NULL ) == ( error.code == sup_errorNone ) );
		supDestroyCharacter( skeleton );
		supDestroyRig( rig );
		free( text );
	}
	supDestroyCharacter( tube );
}

static bool Attempt( void* context )
{
	supError error = { 0 };
	supRig* rig = supCreateRig( context, NULL, &error );
	bool ok = rig != NULL && supParseClicks( rig, s_good, strlen( s_good ), "clicks", &error );
	supCharacter* skeleton = ok ? supRig_CreateSkeleton( rig, &error ) : NULL;
	assert_true( skeleton != NULL || error.code == sup_errorMemory );
	supDestroyCharacter( skeleton );
	supDestroyRig( rig );
	return skeleton != NULL;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	supCharacter* tube = CreateTube();
	testEachAllocationFailure( Attempt, tube, 60 );
	supDestroyCharacter( tube );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestRays ),        cmocka_unit_test( TestHierarchy ), cmocka_unit_test( TestCamera ),
		cmocka_unit_test( TestClicks ),      cmocka_unit_test( TestErrors ),    cmocka_unit_test( TestDamage ),
		cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
