// SPDX-License-Identifier: MIT
// Scene files: what is read, and what is refused with the place where it stands.
#include "support.h"

#include "io/settings/scene_file.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char s_text[] =
	"{ \"supple_scene\": 1, \"name\": \"bag\", \"duration\": 3, \"fps\": 60, \"substeps\": 2, \"wind\": [1, 0, 0],"
	"  \"actors\": ["
	"    { \"name\": \"bunny\", \"file\": \"builtin:bunny\", \"method\": \"position:stretch=0.5\", \"clip\": \"Walk\","
	"      \"position\": [1, 2, 3], \"turn\": 90, \"loop\": false, \"speed\": 0.5,"
	"      \"parameters\": [ { \"time\": 1, \"stretch\": 0.5, \"drag\": 2 }, { \"time\": 1.5, \"drag\": 0 } ],"
	"      \"settings\": { \"joints\": [ { \"node\": \"Arm\", \"limits\": [-5, 90] } ] },"
	"      \"contact\": { \"self\": true, \"friction\": 0.8 }, \"path\": [ { \"time\": 0, \"at\": [0, 4, 0] } ],"
	"      \"strengths\": [ { \"node\": \"Arm\", \"path\": [ { \"time\": 0, \"strength\": 1 },"
	"        { \"time\": 2, \"strength\": 0.25 } ] }, { \"node\": \"Leg\", \"below\": false,"
	"        \"path\": [ { \"time\": 1, \"strength\": 2 } ] } ],"
	"      \"turns\": [ { \"node\": \"Head\", \"path\": [ { \"time\": 0, \"turn\": [0, 30, 0] } ] } ] },"
	"    { \"name\": \"bag\", \"prop\": { \"kind\": \"bag\", \"extents\": [0.2, 0.3, 0.1], \"segments\": 4 } } ],"
	"  \"attachments\": ["
	"    { \"name\": \"strap\", \"from\": 1, \"to\": 2, \"assembly\": 0.5, \"places\": ["
	"      { \"actor\": \"bunny\", \"node\": \"Hand_L\", \"offset\": [0, 0.1, 0] },"
	"      { \"actor\": \"bag\", \"nail\": 1 } ] },"
	"    { \"kind\": \"slide\", \"places\": [ { \"actor\": \"bag\", \"near\": [0, 1, 0], \"radius\": 0.1 },"
	"      { \"actor\": \"bunny\", \"near\": [0, 0, 0] } ] },"
	"    { \"kind\": \"join\", \"slack\": 0.2, \"places\": [ { \"at\": [0, 1, 0] }, { \"actor\": \"bag\", \"nail\": 0 } ] },"
	"    { \"places\": [ { \"path\": [ { \"time\": 0, \"at\": [0, 5, 0] }, { \"time\": 2, \"at\": [1, 5, 0] } ] },"
	"      { \"actor\": \"bag\", \"nail\": 1 } ] },"
	"    { \"kind\": \"nails\", \"actor\": \"bag\", \"to\": 1.5, \"breaking_force\": 12,"
	"      \"within\": { \"upper\": [1, 2, 3] } } ],"
	"  \"recovery_speed\": 0.5, \"detection\": \"images\", \"colliders\": [ { \"shape\": \"plane\" },"
	"    { \"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.2, \"motion\": \"dynamic\", \"velocity\": [0, 0, -4] },"
	"    { \"shape\": \"hull\", \"file\": \"rock.glb\", \"motion\": \"kinematic\", \"pitch\": 20, \"path\": ["
	"      { \"time\": 3, \"at\": [0, 1, 0] }, { \"time\": 4, \"turn\": 45 } ] } ],"
	"  \"drags\": [ { \"actor\": \"bunny\", \"near\": [0, 0.4, 0.2], \"radius\": 0.05,"
	"    \"path\": [ { \"time\": 0.5, \"at\": [0, 0.4, 0.4] }, { \"time\": 1, \"at\": [0, 0.5, 0.4] } ] } ] }";

static void TestEverything( void** state )
{
	(void)state;
	supSceneFile file = { 0 };
	supError error = { 0 };
	testRequire( supSceneFile_Parse( &file, s_text, strlen( s_text ), "bag.json", &error ), &error );
	assert_string_equal( file.name, "bag" );
	assert_true( file.duration == 3.0f && file.framesPerSecond == 60.0f && file.substeps == 2 );
	assert_true( file.wind.x == 1.0f && file.gravity.y == -9.81f );
	assert_int_equal( file.actorCount, 2 );
	const supSceneActor* bunny = file.actors;
	assert_string_equal( bunny->file, "builtin:bunny" );
	assert_string_equal( bunny->method, "position:stretch=0.5" );
	assert_string_equal( bunny->clip, "Walk" );
	assert_null( bunny->settings );
	assert_string_equal( bunny->settingsText, "{\"joints\":[{\"node\":\"Arm\",\"limits\":[-5,90]}]}" );
	assert_true( bunny->position.z == 3.0f && bunny->turn == 90.0f && bunny->loop == false && bunny->speed == 0.5f );
	assert_int_equal( bunny->prop.kind, sup_propNone );
	assert_null( file.actors[1].file );
	assert_int_equal( file.actors[1].prop.kind, sup_propBag );
	assert_true( file.actors[1].prop.extents.y == 0.3f && file.actors[1].prop.segments == 4 );
	assert_int_equal( file.attachmentCount, 5 );
	const supSceneAttachment* strap = file.attachments;
	assert_true( strap->from == 1.0f && strap->to == 2.0f && strap->assembly == 0.5f );
	assert_int_equal( strap->spots[0].kind, sup_placeNode );
	assert_string_equal( strap->spots[0].node, "Hand_L" );
	assert_int_equal( strap->spots[1].actor, 1 );
	assert_int_equal( strap->spots[1].nail, 1 );
	assert_int_equal( file.attachments[1].kind, sup_sceneSlide );
	assert_true( file.attachments[1].to == FLT_MAX && file.attachments[1].spots[0].radius == 0.1f );
	assert_int_equal( file.attachments[2].spots[0].kind, sup_placeWorld );
	assert_int_equal( file.attachments[2].spots[0].actor, -1 );
	const supSceneSpot* moving = file.attachments[3].spots;
	assert_int_equal( moving->kind, sup_placeWorld );
	assert_int_equal( moving->pathCount, 2 );
	assert_true( moving->position.y == 5.0f && moving->path[1].position.x == 1.0f && moving->path[1].time == 2.0f );
	assert_int_equal( file.attachments[4].kind, sup_sceneNails );
	assert_int_equal( file.attachments[4].actor, 1 );
	assert_true( file.attachments[4].breakingForce == 12.0f && isinf( strap->breakingForce ) );
	assert_true( file.attachments[4].within.upper.y == 2.0f && file.attachments[4].within.lower.y == -FLT_MAX );
	assert_int_equal( bunny->valueCount, 3 );
	assert_string_equal( bunny->values[0].parameter, "stretch" );
	assert_true( bunny->values[0].value == 0.5f && bunny->values[1].value == 2.0f && bunny->values[1].time == 1.0f );
	assert_string_equal( bunny->values[2].parameter, "drag" );
	assert_true( bunny->values[2].time == 1.5f && bunny->values[2].value == 0.0f );
	assert_int_equal( bunny->strengthCount, 2 );
	assert_string_equal( bunny->strengths[0].node, "Arm" );
	assert_true( bunny->strengths[0].below && bunny->strengths[1].below == false );
	assert_true( bunny->strengths[0].keyCount == 2 && bunny->strengths[0].keys[1].position.x == 0.25f );
	assert_true( bunny->contact.withItself && bunny->contact.withActors == false && bunny->contact.withColliders );
	assert_true( bunny->contact.friction == 0.8f && file.actors[1].contact.friction == 0.5f );
	assert_int_equal( bunny->pathCount, 1 );
	assert_true( bunny->path[0].position.y == 4.0f );
	assert_string_equal( bunny->turns[0].node, "Head" );
	assert_true( bunny->turns[0].keys[0].position.y == 30.0f );
	assert_true( file.recoverySpeed == 0.5f && file.contactPasses == 4 && file.detection == sup_detectImages );
	assert_int_equal( file.colliderCount, 3 );
	assert_int_equal( file.colliders[0].shape, sup_scenePlane );
	assert_int_equal( file.colliders[1].motion, sup_colliderDynamic );
	assert_true( file.colliders[1].velocity.z == -4.0f && file.colliders[1].radius == 0.2f );
	// what a key does not say stays as it was
	assert_int_equal( file.colliders[2].keyCount, 2 );
	assert_true( file.colliders[2].keys[1].position.y == 1.0f && file.colliders[2].keys[1].turn == 45.0f );
	assert_true( file.colliders[2].keys[1].pitch == 20.0f );
	assert_int_equal( file.dragCount, 1 );
	assert_int_equal( file.drags[0].keyCount, 2 );
	assert_true( file.drags[0].keys[1].position.y == 0.5f );
	supSceneFile_Destroy( &file );
}

// Puts `with` in place of `what` and expects an error at this place with these words.
static void Refuse( const char* what, const char* with, const char* place, const char* words )
{
	const char* found = strstr( s_text, what );
	assert_non_null( found );
	char text[sizeof( s_text ) + 256];
	snprintf( text, sizeof( text ), "%.*s%s%s", (int)( found - s_text ), s_text, with, found + strlen( what ) );
	supSceneFile file = { 0 };
	supError error = { 0 };
	assert_false( supSceneFile_Parse( &file, text, strlen( text ), "bag.json", &error ) );
	if ( strstr( error.where, place ) == NULL || strstr( error.message, words ) == NULL )
	{
		fail_msg( "%s for %s: '%s: %s'", with, what, error.where, error.message );
	}
	assert_null( file.actors );
}

static void TestErrorsNameThePlace( void** state )
{
	(void)state;
	Refuse( "\"supple_scene\": 1", "\"supple_scene\": 7", "supple_scene", "version 7" );
	Refuse( "\"supple_scene\": 1, ", "", "bag.json", "supple_scene" );
	Refuse( "\"fps\": 60", "\"fps\": 0", "fps", "" );
	Refuse( "\"images\"", "\"photos\"", "detection", "exact" );
	Refuse( "\"fps\"", "\"frames\"", "", "frames" );
	Refuse( "\"substeps\": 2", "\"substeps\": 1.5", "substeps", "whole number" );
	Refuse( "\"wind\": [1, 0, 0]", "\"wind\": [1, 0]", "wind", "" );
	Refuse( "\"file\": \"builtin:bunny\", ", "", "actors[0]", "either" );
	Refuse( "\"name\": \"bag\", \"prop\"", "\"name\": \"bunny\", \"prop\"", "actors[1]", "another actor has the name" );
	Refuse( "\"loop\": false", "\"loop\": 3", "actors[0].loop", "true or false" );
	Refuse( "\"strength\": 2 }", "\"strength\": -1 }", "actors[0].strengths[1].path[0].strength", "" );
	Refuse( "\"below\": false", "\"below\": 0", "actors[0].strengths[1].below", "true or false" );
	Refuse( "\"stretch\": 0.5, ", "\"stretch\": \"much\", ", "actors[0].parameters[0].stretch", "" );
	Refuse( "\"time\": 1.5, \"drag\"", "\"time\": 1, \"drag\"", "actors[0].parameters[1]", "after the previous" );
	Refuse( "\"time\": 1.5, \"drag\": 0", "\"time\": 1.5", "actors[0].parameters[1]", "PARAMETER" );
	Refuse( "\"time\": 1.5, \"drag\": 0", "\"drag\": 0, \"stretch\": 1", "actors[0].parameters[1]", "time" );
	Refuse( "[ { \"path\"", "[ { \"at\": [0, 5, 0], \"path\"", "attachments[3].places[0]", "instead of" );
	Refuse( "\"kind\": \"bag\"", "\"kind\": \"box\"", "actors[1].prop.kind", "" );
	Refuse( "\"extents\": [0.2", "\"extents\": [0", "actors[1].prop", "above 0" );
	Refuse( "\"to\": 2", "\"to\": 1", "attachments[0]", "after" );
	Refuse( "\"breaking_force\": 12", "\"breaking_force\": 0", "attachments[4].breaking_force", "" );
	Refuse( "\"upper\": [1", "\"above\": [1", "attachments[4].within", "above" );
	Refuse( "\"kind\": \"slide\"", "\"kind\": \"triangle\"", "attachments[1].places", "at least 4" );
	Refuse( "\"actor\": \"bunny\", \"node\"", "\"actor\": \"hare\", \"node\"", "attachments[0].places[0].actor",
			"no actor 'hare'" );
	Refuse( "\"nail\": 1", "\"nail\": 1, \"near\": [0, 0, 0]", "attachments[0].places[1]", "one of" );
	Refuse( "\"near\": [0, 0, 0]", "\"nail\": 0", "attachments[1].places[1]", "only props" );
	Refuse( "{ \"at\": [0, 1, 0] }, ", "", "attachments[2].places", "at least 2" );
	Refuse( "\"nails\", \"actor\": \"bag\"", "\"nails\", \"actor\": \"bunny\"", "attachments[4]", "only props" );
	Refuse( "\"time\": 1, \"at\"", "\"time\": 0.5, \"at\"", "drags[0].path[1]", "after" );
	Refuse( "{ \"time\": 0.5, \"at\": [0, 0.4, 0.4] }, ", "", "drags[0].path", "at least 2" );
	Refuse( "\"shape\": \"plane\"", "\"radius\": 1", "colliders[0]", "shape" );
	Refuse( "\"shape\": \"plane\"", "\"shape\": \"cone\"", "colliders[0].shape", "" );
	Refuse( "\"radius\": 0.2", "\"radius\": 0", "colliders[1].radius", "" );
	Refuse( ", \"file\": \"rock.glb\"", "", "colliders[2]", "required for hulls" );
	Refuse( "\"motion\": \"kinematic\"", "\"motion\": \"still\"", "colliders[2].path", "kinematic" );
	Refuse( "{ \"time\": 4, \"turn\": 45 }", "{ \"time\": 3, \"turn\": 45 }", "colliders[2].path[1]", "after" );
	Refuse( "\"friction\": 0.8", "\"friction\": -1", "actors[0].contact.friction", "" );
	Refuse( "\"self\": true", "\"itself\": true", "actors[0].contact", "itself" );
	Refuse( "\"turn\": [0, 30, 0]", "\"turn\": 30", "actors[0].turns[0].path[0].turn", "" );
	Refuse( "} ] }", "} ]", "bag.json", "" );
}

static void TestDamage( void** state )
{
	(void)state;
	size_t length = strlen( s_text );
	for ( size_t cut = 0; cut < length; ++cut )
	{
		supSceneFile file = { 0 };
		assert_false( supSceneFile_Parse( &file, s_text, cut, "cut.json", NULL ) );
	}
	testRandom random = testMakeRandom( 11 );
	char* text = test_malloc( length + 1 );
	for ( int round = 0; round < 1000; ++round )
	{
		memcpy( text, s_text, length + 1 );
		for ( int i = 0; i < 2; ++i )
		{
			text[testRandomInt( &random, (uint32_t)length )] = (char)( 32 + testRandomInt( &random, 95 ) );
		}
		supSceneFile file = { 0 };
		if ( supSceneFile_Parse( &file, text, length, "edited.json", NULL ) )
		{
			supSceneFile_Destroy( &file );
		}
	}
	test_free( text );
}

static bool AttemptParse( void* context )
{
	(void)context;
	supSceneFile file = { 0 };
	bool ok = supSceneFile_Parse( &file, s_text, strlen( s_text ), "bag.json", NULL );
	supSceneFile_Destroy( &file );
	return ok;
}

static void TestAllocations( void** state )
{
	(void)state;
	testEachAllocationFailure( AttemptParse, NULL, 2000 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestEverything ),
		cmocka_unit_test( TestErrorsNameThePlace ),
		cmocka_unit_test( TestDamage ),
		cmocka_unit_test( TestAllocations ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
