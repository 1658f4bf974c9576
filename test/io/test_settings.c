// SPDX-License-Identifier: MIT
// Settings of flesh as JSON.
#include "support.h"

#include "models/models.h"
#include "supple/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static supCharacter* s_tube;

static int CreateTube( void** state )
{
	(void)state;
	supError error = { 0 };
	s_tube = supFindModel( "tube" )->create( &error );
	testRequire( s_tube != NULL, &error );
	return 0;
}

static int DestroyTube( void** state )
{
	(void)state;
	supDestroyCharacter( s_tube );
	return 0;
}

// Name of the tube's second joint, put into texts for %s.
static const char* JointName( void )
{
	int32_t found = 0;
	for ( int32_t i = 0; i < supCharacter_NodeCount( s_tube ); ++i )
	{
		found = supCharacter_IsJoint( s_tube, i ) ? i : found;
	}
	return supCharacter_Node( s_tube, found )->name;
}

static supSettings* Parse( const char* text, supError* error )
{
	char full[4096];
	// %s stands for the name of a joint
	snprintf( full, sizeof( full ), text, JointName(), JointName(), JointName(), JointName() );
	return supParseSettings( full, strlen( full ), "soft.json", s_tube, error );
}

static const char s_everything[] =
	"{ \"method\": \"lbs\", \"parameters\": {},\n"
	"  \"softness\": [\n"
	"    { \"name\": \"belly\", \"shape\": \"sphere\", \"center\": [0.1, 1, -2.5], \"radius\": 0.3, \"border\": 0.05,\n"
	"      \"softness\": 0.75, \"frequency\": 2.5, \"damping\": 0.1 },\n"
	"    { \"shape\": \"joint\", \"joint\": \"%s\" },\n"
	"    { \"shape\": \"vertices\", \"instance\": 0, \"vertices\": [3, 1, 4] },\n"
	"    { \"shape\": \"painted\" }, { \"shape\": \"all\", \"softness\": 0.1, \"even\": 0.5 } ],\n"
	"  \"layers\": { \"order\": [\"bone\", \"muscle\", \"jelly\", \"skin\"], \"boneWidth\": 0.01,\n"
	"    \"shares\": { \"muscle\": 2, \"jelly\": 3 },\n"
	"    \"parts\": [ { \"joint\": \"%s\", \"boneWidth\": 0.02, \"shares\": { \"jelly\": 7 } } ] },\n"
	"  \"materials\": { \"jelly\": { \"density\": 1010, \"stiffness\": 900, \"poisson\": 0.45, \"damping\": 0.02 },\n"
	"    \"skin\": { \"stiffness\": 2e5 } },\n"
	"  \"joints\": [ { \"node\": \"%s\", \"kind\": \"universal\", \"axis\": [0, 2, 0], \"secondAxis\": [1, 0, 0],\n"
	"    \"limits\": [-45, 90], \"secondLimits\": [0, 30], \"strength\": 0.25, \"stiffness\": 4, \"damping\": 0 },\n"
	"    { \"node\": \"%s\", \"kind\": \"ball\", \"swing\": 60, \"middle\": [0, 0, 1] } ] }\n";

static void CheckEverything( const supFleshDef* def )
{
	assert_int_equal( def->method, sup_methodLbs );
	assert_int_equal( def->softRegionCount, 5 );
	const supSoftRegion* r = def->softRegions;
	assert_string_equal( r[0].name, "belly" );
	assert_int_equal( r[0].shape, sup_softSphere );
	assert_true( r[0].center.x == 0.1f && r[0].center.y == 1.0f && r[0].center.z == -2.5f );
	assert_true( r[0].radius == 0.3f && r[0].border == 0.05f && r[0].softness == 0.75f );
	assert_true( r[0].frequency == 2.5f && r[0].damping == 0.1f );
	assert_int_equal( r[1].shape, sup_softNode );
	assert_string_equal( supCharacter_Node( s_tube, r[1].node )->name, JointName() );
	assert_int_equal( r[2].vertexCount, 3 );
	assert_int_equal( r[2].vertices[2], 4 );
	assert_int_equal( r[3].shape, sup_softPainted );
	assert_int_equal( r[4].shape, sup_softAll );
	assert_true( r[4].even == 0.5f && r[0].even == 0.0f );
	assert_true( r[3].softness == 1.0f && r[4].softness == 0.1f );
	assert_int_equal( def->layerCount, 4 );
	assert_string_equal( def->layers[2].name, "jelly" );
	assert_true( def->layers[1].share == 2.0f && def->layers[2].share == 3.0f );
	assert_true( def->layers[2].tissue.density == 1010.0f && def->layers[2].tissue.poisson == 0.45f );
	int32_t count;
	const supLayer* standard = supStandardLayers( &count );
	assert_true( def->layers[3].tissue.stiffness == 2e5f );
	assert_true( def->layers[3].tissue.density == standard[3].tissue.density );
	assert_true( def->layers[1].tissue.stiffness == standard[1].tissue.stiffness );
	assert_true( def->boneWidth == 0.01f );
	assert_int_equal( def->layerOverrideCount, 1 );
	assert_true( def->layerOverrides[0].boneWidth == 0.02f );
	assert_true( def->layerOverrides[0].shares[1] == 2.0f && def->layerOverrides[0].shares[2] == 7.0f );
	assert_int_equal( def->jointCount, 2 );
	const supJointSetting* j = def->joints;
	assert_string_equal( supCharacter_Node( s_tube, j[0].node )->name, JointName() );
	assert_true( j[0].kind == sup_jointUniversal && j[0].axis.y == 2.0f && j[0].secondAxis.x == 1.0f );
	assert_true( j[0].hasLimits[0] && j[0].hasLimits[1] && j[0].strength == 0.25f && j[1].strength == 1.0f );
	assert_true( j[0].stiffness == 4.0f && j[0].damping == 0.0f && j[1].stiffness == -1.0f && j[1].damping == -1.0f );
	testLess( fabsf( j[0].lower[0] + 0.25f * SUP_PI ), 1e-6f );
	testLess( fabsf( j[0].upper[0] - 0.5f * SUP_PI ), 1e-6f );
	assert_true( j[0].lower[1] == 0.0f && fabsf( j[0].upper[1] - SUP_PI / 6.0f ) < 1e-6f );
	assert_true( j[1].kind == sup_jointBall && fabsf( j[1].swing - SUP_PI / 3.0f ) < 1e-6f && j[1].middle.z == 1.0f );
	assert_true( j[1].hasLimits[0] == false );
}

static void TestReads( void** state )
{
	(void)state;
	supError error = { 0 };
	supSettings* settings = Parse( s_everything, &error );
	testRequire( settings != NULL, &error );
	assert_true( settings->hasMethod );
	CheckEverything( &settings->def );
	supDestroySettings( settings );

	settings = Parse( "{}", &error );
	testRequire( settings != NULL, &error );
	assert_false( settings->hasMethod );
	assert_int_equal( settings->def.method, supDefaultFleshDef().method );
	assert_int_equal( settings->def.softRegionCount, 0 );
	assert_null( settings->def.layers );
	// what was read is fit for building
	supFlesh* flesh = supBuildFlesh( s_tube, &settings->def, NULL, &error );
	testRequire( flesh != NULL, &error );
	supDestroyFlesh( flesh );
	supDestroySettings( settings );
	supDestroySettings( NULL );

	// materials alone change the standard layers
	settings = Parse( "{ \"materials\": { \"fat\": { \"stiffness\": 5000 } } }", &error );
	testRequire( settings != NULL, &error );
	assert_int_equal( settings->def.layerCount, 4 );
	assert_true( settings->def.layers[2].tissue.stiffness == 5000.0f );
	supDestroySettings( settings );
}

static void TestRoundTrip( void** state )
{
	(void)state;
	char folder[256], path[512];
	testMakeFolder( folder );
	snprintf( path, sizeof( path ), "%s/soft.json", folder );
	supError error = { 0 };
	supSettings* settings = Parse( s_everything, &error );
	testRequire( settings != NULL, &error );
	size_t sizes[2];
	unsigned char* texts[2];
	for ( int32_t i = 0; i < 2; ++i )
	{
		testRequire( supSaveSettings( path, &settings->def, s_tube, &error ), &error );
		supDestroySettings( settings );
		settings = supLoadSettings( path, s_tube, &error );
		testRequire( settings != NULL, &error );
		CheckEverything( &settings->def );
		texts[i] = testReadFile( path, &sizes[i] );
	}
	assert_int_equal( sizes[0], sizes[1] );
	assert_memory_equal( texts[0], texts[1], sizes[0] );
	// short numbers stay short
	assert_non_null( strstr( (const char*)texts[0], "0.75" ) );
	assert_null( strstr( (const char*)texts[0], "0.1000000" ) );
	free( texts[0] );
	free( texts[1] );
	supDestroySettings( settings );
	assert_null( supLoadSettings( "/nowhere/soft.json", s_tube, &error ) );
	assert_int_equal( error.code, sup_errorNotFound );
	testRemoveFolder( folder );
}

// A brush stroke goes through the file to the bit; one value out of range is refused by its place.
static void TestValues( void** state )
{
	(void)state;
	char folder[256], path[512];
	testMakeFolder( folder );
	snprintf( path, sizeof( path ), "%s/soft.json", folder );
	float values[292];
	for ( int32_t i = 0; i < 292; ++i )
	{
		values[i] = i % 3 == 0 ? 0.0f : i % 3 == 1 ? 1.0f : (float)i / 293.0f;
	}
	supSoftRegion region = supDefaultSoftRegion();
	region.shape = sup_softValues;
	region.values = values;
	region.vertexCount = 292;
	supFleshDef def = supDefaultFleshDef();
	def.softRegions = &region;
	def.softRegionCount = 1;
	supError error = { 0 };
	for ( int32_t i = 0; i < 2; ++i )
	{
		testRequire( supSaveSettings( path, &def, s_tube, &error ), &error );
		supSettings* settings = supLoadSettings( path, s_tube, &error );
		assert_true( ( settings != NULL ) == ( i == 0 ) );
		if ( settings != NULL )
		{
			const supSoftRegion* read = settings->def.softRegions;
			assert_int_equal( read->shape, sup_softValues );
			assert_int_equal( read->vertexCount, 292 );
			assert_memory_equal( read->values, values, sizeof( values ) );
		}
		supDestroySettings( settings );
		values[200] = 1.5f;
	}
	assert_non_null( strstr( error.where, "softness[0].values[200]" ) );
	testRemoveFolder( folder );
}

static void TestRefuses( void** state )
{
	(void)state;
	static const struct
	{
		const char *text, *where, *message;
	} cases[] = {
		{ "[]", "soft.json", "must be an object" },
		{ "{ \"metod\": \"lbs\" }", "soft.json", "unknown key \"metod\"; keys: method, parameters, softness" },
		{ "{ \"method\": \"magic\" }", "soft.json: method", "is none of: lbs, dqs" },
		{ "{ \"method\": 3 }", "soft.json: method", "is none of" },
		{ "{ \"method\": \"lbs\", \"parameters\": { \"stretch\": 1 } }", "parameters.stretch", "has no parameter" },
		{ "{ \"parameters\": [] }", "parameters", "must be an object" },
		{ "{ \"softness\": {} }", "softness", "must be a list" },
		{ "{ \"softness\": [ 3 ] }", "softness[0]", "must be an object" },
		{ "{ \"softness\": [ {}, {}, { \"radius\": \"big\" } ] }", "softness[2].radius", "must be a number" },
		{ "{ \"softness\": [ { \"radius\": -1 } ] }", "softness[0].radius", "(got -1)" },
		{ "{ \"softness\": [ { \"softness\": 1.5 } ] }", "softness[0].softness", "must be 0 to 1" },
		{ "{ \"softness\": [ { \"frequency\": 1e300 } ] }", "softness[0].frequency", "(got 1e+300)" },
		{ "{ \"softness\": [ { \"centre\": [1, 2, 3] } ] }", "softness[0]", "keys: name, shape, bone, center" },
		{ "{ \"softness\": [ { \"shape\": \"cube\" } ] }", "softness[0].shape", "painted, sphere, joint" },
		{ "{ \"softness\": [ { \"shape\": \"sphere\" } ] }", "softness[0]", "needs center and radius" },
		{ "{ \"softness\": [ { \"shape\": \"sphere\", \"center\": [1, 2] } ] }", "softness[0].center",
		  "three numbers" },
		{ "{ \"softness\": [ { \"shape\": \"sphere\", \"center\": [1, 2, true] } ] }", "[0].center", "three numbers" },
		{ "{ \"softness\": [ { \"shape\": \"joint\" } ] }", "softness[0].joint", "missing" },
		{ "{ \"softness\": [ { \"shape\": \"joint\", \"joint\": \"Tail\" } ] }", "softness[0].joint", "\"Tail\"" },
		{ "{ \"softness\": [ { \"shape\": \"vertices\" } ] }", "softness[0].vertices", "must be a list" },
		{ "{ \"softness\": [ { \"shape\": \"vertices\", \"instance\": 9, \"vertices\": [1] } ] }", "[0].instance",
		  "has 1" },
		{ "{ \"softness\": [ { \"shape\": \"vertices\", \"vertices\": [1, 292] } ] }", "vertices[1]", "has 292" },
		{ "{ \"softness\": [ { \"shape\": \"vertices\", \"vertices\": [1, 2.5] } ] }", "vertices[1]",
		  "must be the index of a vertex" },
		{ "{ \"softness\": [ { \"shape\": \"values\" } ] }", "softness[0].values", "list of 292 numbers" },
		{ "{ \"softness\": [ { \"shape\": \"values\", \"values\": [0, 1] } ] }", "softness[0].values",
		  "one per vertex of instance 0" },
		{ "{ \"softness\": [ { \"shape\": \"values\", \"instance\": 1 } ] }", "softness[0].instance", "has 1" },
		{ "{ \"softness\": [ { \"name\": \"\" } ] }", "softness[0].name", "must be a name" },
		{ "{ \"layers\": { \"order\": [\"bone\"] } }", "layers.order", "2 to 16" },
		{ "{ \"layers\": { \"order\": [\"bone\", \"bone\"] } }", "layers.order[1]", "occurs once" },
		{ "{ \"layers\": { \"order\": [\"bone\", \"goo\", \"skin\"] } }", "materials.goo", "no defaults" },
		{ "{ \"layers\": { \"shares\": { \"blubber\": 1 } } }", "layers.shares", "keys: bone, muscle, fat, skin" },
		{ "{ \"layers\": { \"shares\": { \"muscle\": 0, \"fat\": 0 } } }", "layers.shares", "all shares are 0" },
		{ "{ \"layers\": { \"boneWidth\": null } }", "layers.boneWidth", "must be a number" },
		{ "{ \"layers\": { \"parts\": [ { \"joint\": \"Tail\" } ] } }", "layers.parts[0].joint", "no joint" },
		{ "{ \"layers\": { \"parts\": 4 } }", "layers.parts", "must be a list" },
		{ "{ \"materials\": { \"fat\": { \"poisson\": 0.5 } } }", "materials.fat.poisson", "0.4999" },
		{ "{ \"materials\": { \"fat\": { \"colour\": 1 } } }", "materials.fat",
		  "density, stiffness, poisson, damping" },
		{ "{ \"joints\": {} }", "joints", "must be a list" },
		{ "{ \"joints\": [ { \"kind\": \"ball\" } ] }", "joints[0].node", "missing" },
		{ "{ \"joints\": [ { \"node\": \"Tail\" } ] }", "joints[0].node", "no joint" },
		{ "{ \"joints\": [ { \"node\": \"%s\", \"kind\": \"slider\" } ] }", "joints[0].kind", "ball, hinge" },
		{ "{ \"joints\": [ { \"node\": \"%s\", \"limits\": [30, -30] } ] }", "joints[0].limits", "degrees" },
		{ "{ \"joints\": [ { \"node\": \"%s\", \"limits\": [30] } ] }", "joints[0].limits", "degrees" },
		{ "{ \"joints\": [ { \"node\": \"%s\", \"strength\": -1 } ] }", "joints[0].strength", "must be 0 to" },
		{ "{ \"joints\": [ { \"node\": \"%s\", \"stiffness\": -1 } ] }", "joints[0].stiffness", "must be 0 to" },
		{ "{ \"joints\": [ { \"node\": \"%s\", \"damping\": 2000 } ] }", "joints[0].damping", "must be 0 to" },
		{ "{ \"softness\": [", "line 1", "invalid JSON" },
	};
	for ( size_t i = 0; i < sizeof( cases ) / sizeof( cases[0] ); ++i )
	{
		supError error = { 0 };
		supSettings* settings = Parse( cases[i].text, &error );
		if ( settings != NULL || error.code != sup_errorFormat || strstr( error.where, cases[i].where ) == NULL ||
			 strstr( error.message, cases[i].message ) == NULL )
		{
			fail_msg( "%s: %d, %s, %s", cases[i].text, error.code, error.where, error.message );
		}
	}
}

// Cut off anywhere, and with any byte replaced: an error, or settings that are whole.
static void TestDamage( void** state )
{
	(void)state;
	char text[4096];
	snprintf( text, sizeof( text ), s_everything, JointName(), JointName(), JointName(), JointName() );
	size_t length = strlen( text );
	testRandom random = testMakeRandom( 1 );
	for ( size_t i = 0; i < 2 * length; ++i )
	{
		char damaged[4096];
		memcpy( damaged, text, length );
		if ( i >= length )
		{
			damaged[i - length] = (char)testRandomInt( &random, 256 );
		}
		supError error = { 0 };
		supSettings* settings = supParseSettings( damaged, i < length ? i : length, "soft.json", s_tube, &error );
		assert_true( ( settings == NULL ) == ( error.code != sup_errorNone ) );
		for ( int32_t k = 0; settings != NULL && k < settings->def.softRegionCount; ++k )
		{
			const supSoftRegion* r = settings->def.softRegions + k;
			testGreaterEqual( r->softness, 0.0f );
			testLessEqual( r->softness, 1.0f );
			testGreaterEqual( r->radius, 0.0f );
			assert_true( r->shape != sup_softVertices || r->vertices[r->vertexCount - 1] < 292 );
		}
		supDestroySettings( settings );
	}
}

static bool TryParse( void* context )
{
	(void)context;
	supError error = { 0 };
	supSettings* settings = Parse( s_everything, &error );
	assert_true( settings != NULL || error.code == sup_errorMemory );
	supDestroySettings( settings );
	return settings != NULL;
}

typedef struct SaveAttempt
{
	const char* path;
	const supFleshDef* def;
} SaveAttempt;

static bool TrySave( void* context )
{
	const SaveAttempt* attempt = context;
	supError error = { 0 };
	bool ok = supSaveSettings( attempt->path, attempt->def, s_tube, &error );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static void TestMemory( void** state )
{
	(void)state;
	testEachAllocationFailure( TryParse, NULL, 400 );
	char folder[256], path[512];
	testMakeFolder( folder );
	snprintf( path, sizeof( path ), "%s/soft.json", folder );
	// made on the stack, so that nothing of the library is alive
	const int32_t vertices[2] = { 1, 2 };
	supSoftRegion regions[2] = { supDefaultSoftRegion(), supDefaultSoftRegion() };
	regions[0].shape = sup_softVertices;
	regions[0].vertices = vertices;
	regions[0].vertexCount = 2;
	regions[1].name = "all";
	regions[1].shape = sup_softSphere;
	supFleshDef def = supDefaultFleshDef();
	def.softRegions = regions;
	def.softRegionCount = 2;
	def.layers = supStandardLayers( &def.layerCount );
	SaveAttempt attempt = { path, &def };
	testEachAllocationFailure( TrySave, &attempt, 400 );
	testRemoveFolder( folder );
}

// Regions relative to bones, by role; limits with units. Written and read again they are the same.
static void TestBoneSpace( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* human = supFindModel( "human" )->create( &error );
	testRequire( human != NULL, &error );
	const char* text =
		"{ \"softness\": [ { \"shape\": \"sphere\", \"bone\": \"hips\", \"center\": [0, 0.25, 0.5],\n"
		"  \"radius\": 0.5, \"reach\": \"3 cm\" },\n"
		"{ \"shape\": \"capsule\", \"bone\": \"leftUpperLeg\", \"center\": [0, 0, 0], \"end\": [0, 1, 0],\n"
		"  \"radius\": 0.25, \"reach\": \"10 %\" },\n"
		"{ \"shape\": \"joint\", \"joint\": \"head\", \"reach\": 0.5 } ] }";
	supSettings* read = supParseSettings( text, strlen( text ), "soft.json", human, &error );
	testRequire( read != NULL, &error );
	char folder[256], path[512];
	testMakeFolder( folder );
	snprintf( path, sizeof( path ), "%s/bones.json", folder );
	testRequire( supSaveSettings( path, &read->def, human, &error ), &error );
	supSettings* again = supLoadSettings( path, human, &error );
	testRequire( again != NULL, &error );
	testRemoveFolder( folder );
	const supFleshDef* defs[] = { &read->def, &again->def };
	for ( int32_t i = 0; i < 2; ++i )
	{
		const supSoftRegion* r = defs[i]->softRegions;
		assert_int_equal( defs[i]->softRegionCount, 3 );
		assert_true( r[0].isInBoneSpace && r[0].node == supFindBone( human, "hips" ) && r[0].reach == 0.03f );
		assert_true( r[1].isInBoneSpace && r[1].shape == sup_softCapsule && r[1].end.y == 1.0f );
		testLess( fabsf( r[1].reach - 0.1f * supGetBoneLength( human, r[1].node ) ), 1e-6f );
		assert_true( r[2].isInBoneSpace == false && r[2].reach == 0.5f );
	}
	supDestroySettings( again );
	supDestroySettings( read );
	const char* const wrong[] = {
		"{ \"softness\": [ { \"shape\": \"capsule\", \"center\": [0, 0, 0], \"radius\": 1 } ] }",
		"{ \"softness\": [ { \"shape\": \"all\", \"reach\": \"10 %\" } ] }",
		"{ \"softness\": [ { \"shape\": \"all\", \"reach\": \"far\" } ] }",
		"{ \"softness\": [ { \"shape\": \"all\", \"reach\": \"-3 cm\" } ] }",
		"{ \"softness\": [ { \"shape\": \"sphere\", \"bone\": \"leftWing\", \"center\": [0, 0, 0], \"radius\": 1 } ] }",
	};
	for ( int32_t i = 0; i < (int32_t)( sizeof( wrong ) / sizeof( wrong[0] ) ); ++i )
	{
		assert_null( supParseSettings( wrong[i], strlen( wrong[i] ), "soft.json", human, &error ) );
		assert_non_null( strstr( error.where, "softness[0]" ) );
	}
	supDestroyCharacter( human );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestReads ),     cmocka_unit_test( TestRoundTrip ), cmocka_unit_test( TestRefuses ),
		cmocka_unit_test( TestDamage ),    cmocka_unit_test( TestMemory ),    cmocka_unit_test( TestValues ),
		cmocka_unit_test( TestBoneSpace ),
	};
	return cmocka_run_group_tests( tests, CreateTube, DestroyTube );
}
