// SPDX-License-Identifier: MIT
// Clips added to documents play like the clips they came from, and disturb nothing.
#include "support.h"

#include "io/gltf/gltf_write.h"

#include <stdlib.h>
#include <string.h>

static supDocument* Parse( const char* json )
{
	supError error = { 0 };
	supDocument* document = supParseDocument( json, strlen( json ), "test.gltf", NULL, NULL, &error );
	testRequire( document != NULL, &error );
	return document;
}

static supCharacter* CreateCharacter( const supDocument* document )
{
	supError error = { 0 };
	supCharacter* character = supDocument_CreateCharacter( document, &error );
	testRequire( character != NULL, &error );
	return character;
}

static void RequireSameMotion( const supCharacter* character, const supClip* a, const supClip* b )
{
	supPose* poseA = supCreatePose( character );
	supPose* poseB = supCreatePose( character );
	for ( int i = -1; i < 12; ++i )
	{
		float time = supLerpFloat( a->start, a->end, (float)i / 10.0f );
		supPose_ApplyClip( poseA, a, time );
		supPose_ApplyClip( poseB, b, time );
		for ( int32_t k = 0; k < supCharacter_NodeCount( character ); ++k )
		{
			supTransform x = supPose_GetLocal( poseA, k );
			supTransform y = supPose_GetLocal( poseB, k );
			assert_memory_equal( &x, &y, sizeof( x ) );
		}
	}
	supDestroyPose( poseB );
	supDestroyPose( poseA );
}

// Everything that was there is there, in the same place.
static void RequireKept( const supDocument* document, const json_t* before, const uint8_t* bytes, size_t byteCount )
{
	assert_memory_equal( document->buffers.data[0].bytes, bytes, byteCount );
	static const char* const lists[] = { "accessors", "bufferViews", "nodes", "meshes", "animations", "skins" };
	for ( int i = 0; i < SUP_COUNT( lists ); ++i )
	{
		const json_t* old = supJson_Get( before, lists[i] );
		for ( size_t k = 0; k < json_array_size( old ); ++k )
		{
			assert_true( json_equal( supJson_At( old, k ), supJson_At( supJson_Get( document->root, lists[i] ), k ) ) );
		}
	}
}

static void TestAddedClipPlaysTheSame( void** state )
{
	(void)state;
	static const char* const names[] = { "characters/Fox.glb", "characters/RobotExpressive.glb",
										 "characters/Alien/Alien.gltf" };
	for ( int i = 0; i < SUP_COUNT( names ); ++i )
	{
		supError error = { 0 };
		supDocument* document = supLoadDocument( testAsset( names[i] ), &error );
		testRequire( document != NULL, &error );
		json_t* before = json_deep_copy( document->root );
		size_t byteCount = document->buffers.data[0].byteCount;
		uint8_t* bytes = malloc( byteCount );
		memcpy( bytes, document->buffers.data[0].bytes, byteCount );
		supCharacter* character = CreateCharacter( document );
		int32_t clipCount = supCharacter_ClipCount( character );
		for ( int32_t k = 0; k < 2 * clipCount; ++k )
		{
			const supClip* clip = supCharacter_Clip( character, k % clipCount );
			testRequire( supDocument_AddClip( document, clip, &error ), &error );
		}
		RequireKept( document, before, bytes, byteCount );

		supCharacter* again = CreateCharacter( document );
		assert_int_equal( supCharacter_ClipCount( again ), 3 * clipCount );
		for ( int32_t k = 0; k < clipCount; ++k )
		{
			const supClip* clip = supCharacter_Clip( character, k );
			for ( int copy = 1; copy <= 2; ++copy )
			{
				char name[256];
				const supClip* added = supCharacter_Clip( again, copy * clipCount + k );
				snprintf( name, sizeof( name ), "%s %d", clip->name, copy + 1 );
				assert_string_equal( added->name, name );
				RequireSameMotion( character, clip, added );
			}
		}
		supDestroyCharacter( again );
		supDestroyCharacter( character );
		free( bytes );
		json_decref( before );
		supDestroyDocument( document );
	}
}

static const char s_nodes[] =
	"{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0,1,2]}],\"nodes\":[{\"name\":\"plain\"},"
	"{\"matrix\":[0,2,0,0, -2,0,0,0, 0,0,2,0, 1,2,3,1]},"
	"{\"matrix\":[1,0,0,0, 1,1,0,0, 0,0,1,0, 0,0,0,1]}]}";

static const json_t* Animation( const supDocument* document, size_t index )
{
	return supJson_At( supJson_Get( document->root, "animations" ), index );
}

static void TestUnnamedClipsStayUnnamed( void** state )
{
	(void)state;
	supError error = { 0 };
	supDocument* document = Parse( s_nodes );
	const float times[] = { 0.0f };
	const float values[] = { 1.0f, 2.0f, 3.0f };
	supChannel channel = { 0, sup_channelTranslation, sup_interpolationLinear, 1, 3, times, values };
	supClip clip = { .name = "", .channelCount = 1, .channels = &channel };
	testRequire( supDocument_AddClip( document, &clip, &error ), &error );
	testRequire( supDocument_AddClip( document, &clip, &error ), &error );
	assert_null( supJson_Get( Animation( document, 1 ), "name" ) );
	supDestroyDocument( document );
}

static void TestTimesBelowZeroAreMoved( void** state )
{
	(void)state;
	supError error = { 0 };
	supDocument* document = Parse( s_nodes );
	// the last two are neighbours that would become one at the new place
	const float times[] = { -8.0f, -4.0f, 1e-8f, 2e-8f };
	const float values[12] = { 1.0f, 2.0f, 3.0f };
	supChannel channel = { 0, sup_channelTranslation, sup_interpolationStep, 4, 3, times, values };
	supClip clip = { .name = "early", .start = -8.0f, .end = 2e-8f, .channelCount = 1, .channels = &channel };
	testRequire( supDocument_AddClip( document, &clip, &error ), &error );
	supCharacter* character = CreateCharacter( document );
	const supClip* added = supCharacter_Clip( character, 0 );
	assert_true( added->start == 0.0f );
	assert_int_equal( added->channels[0].keyCount, 4 );
	assert_true( added->channels[0].times[1] == 4.0f );
	assert_true( added->channels[0].times[2] == 8.0f );
	testGreater( added->channels[0].times[3], 8.0f );
	testLess( added->channels[0].times[3], 8.000002f );
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		assert_false( supCharacter_Note( character, i )->repaired );
	}
	supDestroyCharacter( character );
	supDestroyDocument( document );
}

// glTF forbids channels of nodes with a matrix: one that is a plain transform becomes one, a sheared one is left alone.
static void TestMatrixNodes( void** state )
{
	(void)state;
	supError error = { 0 };
	supDocument* document = Parse( s_nodes );
	const float times[] = { 0.0f, 1.0f };
	const float values[] = { 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f };
	supChannel channels[] = { { 1, sup_channelTranslation, sup_interpolationLinear, 2, 3, times, values },
							  { 2, sup_channelTranslation, sup_interpolationLinear, 2, 3, times, values } };
	supClip clip = { .name = "c", .end = 1.0f, .channelCount = 2, .channels = channels };
	supCharacter* before = CreateCharacter( document );
	testRequire( supDocument_AddClip( document, &clip, &error ), &error );
	const json_t* nodes = supJson_Get( document->root, "nodes" );
	assert_null( supJson_Get( supJson_At( nodes, 1 ), "matrix" ) );
	assert_non_null( supJson_Get( supJson_At( nodes, 2 ), "matrix" ) );
	assert_int_equal( json_array_size( supJson_Get( Animation( document, 0 ), "channels" ) ), 1 );
	supCharacter* after = CreateCharacter( document );
	for ( int32_t i = 0; i < 3; ++i )
	{
		supTransform a = supCharacter_Node( before, i )->rest;
		supTransform b = supCharacter_Node( after, i )->rest;
		assert_memory_equal( &a, &b, sizeof( a ) );
	}
	supDestroyCharacter( after );
	supDestroyCharacter( before );

	clip.channelCount = 1;
	clip.channels = channels + 1;
	assert_false( supDocument_AddClip( document, &clip, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	supDestroyDocument( document );
}

static void TestLastOfTwoChannelsStays( void** state )
{
	(void)state;
	supError error = { 0 };
	supDocument* document = Parse( s_nodes );
	const float times[] = { 0.0f };
	const float first[] = { 1.0f, 2.0f, 3.0f };
	const float last[] = { 7.0f, 8.0f, 9.0f };
	supChannel channels[] = { { 0, sup_channelScale, sup_interpolationLinear, 1, 3, times, first },
							  { 0, sup_channelScale, sup_interpolationLinear, 1, 3, times, last } };
	supClip clip = { .name = "c", .channelCount = 2, .channels = channels };
	testRequire( supDocument_AddClip( document, &clip, &error ), &error );
	supCharacter* character = CreateCharacter( document );
	const supClip* added = supCharacter_Clip( character, 0 );
	assert_int_equal( added->channelCount, 1 );
	assert_true( added->channels[0].values[0] == 7.0f );
	supDestroyCharacter( character );
	supDestroyDocument( document );
}

// A spline needs two keys, and rotations unit length.
static void TestSplineWithOneKey( void** state )
{
	(void)state;
	supError error = { 0 };
	supDocument* document = Parse( s_nodes );
	const float times[] = { 0.5f };
	const float values[] = { 9.0f, 9.0f, 9.0f, 9.0f, 0.0f, 3.0f, 0.0f, 4.0f, 9.0f, 9.0f, 9.0f, 9.0f };
	supChannel channel = { 0, sup_channelRotation, sup_interpolationCubicSpline, 1, 4, times, values };
	supClip clip = { .name = "c", .start = 0.5f, .end = 0.5f, .channelCount = 1, .channels = &channel };
	testRequire( supDocument_AddClip( document, &clip, &error ), &error );
	supCharacter* character = CreateCharacter( document );
	const supChannel* added = supCharacter_Clip( character, 0 )->channels;
	assert_int_equal( added->interpolation, sup_interpolationStep );
	assert_float_equal( added->values[1], 0.6f, 1e-6f );
	assert_float_equal( added->values[3], 0.8f, 1e-6f );
	supDestroyCharacter( character );
	supDestroyDocument( document );
}

static void TestUnknownNodeIsRefused( void** state )
{
	(void)state;
	supError error = { 0 };
	supDocument* document = Parse( s_nodes );
	json_t* before = json_deep_copy( document->root );
	const float times[] = { 0.0f };
	const float values[] = { 1.0f, 2.0f, 3.0f };
	supChannel channels[] = { { 0, sup_channelScale, sup_interpolationLinear, 1, 3, times, values },
							  { 3, sup_channelScale, sup_interpolationLinear, 1, 3, times, values } };
	supClip clip = { .name = "c", .channelCount = 2, .channels = channels };
	assert_false( supDocument_AddClip( document, &clip, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_true( json_equal( before, document->root ) );
	json_decref( before );
	supDestroyDocument( document );
}

static bool AddOnce( void* context )
{
	const supClip* clip = context;
	supError error = { 0 };
	supDocument* document = supParseDocument( s_nodes, strlen( s_nodes ), "test.gltf", NULL, NULL, &error );
	bool ok = document != NULL && supDocument_AddClip( document, clip, &error );
	ok = ok && supDocument_AddClip( document, clip, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supDestroyDocument( document );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	const float times[] = { 0.0f, 1.0f };
	const float values[] = { 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f };
	supChannel channels[] = { { 0, sup_channelTranslation, sup_interpolationLinear, 2, 3, times, values },
							  { 1, sup_channelScale, sup_interpolationStep, 2, 3, times, values } };
	supClip clip = { .name = "c", .end = 1.0f, .channelCount = 2, .channels = channels };
	supInitJson();
	testEachAllocationFailure( AddOnce, &clip, 2000 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestAddedClipPlaysTheSame ),  cmocka_unit_test( TestUnnamedClipsStayUnnamed ),
		cmocka_unit_test( TestTimesBelowZeroAreMoved ), cmocka_unit_test( TestMatrixNodes ),
		cmocka_unit_test( TestLastOfTwoChannelsStays ), cmocka_unit_test( TestSplineWithOneKey ),
		cmocka_unit_test( TestUnknownNodeIsRefused ),   cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
