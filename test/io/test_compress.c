// SPDX-License-Identifier: MIT
// EXT_meshopt_compression of whole documents: what is read back is what was written, within the tolerance, and smaller.
#include "support.h"

#include "io/gltf/gltf_write.h"
#include "sample_character.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static supDocument* MakeSample( void )
{
	static sampleCharacter sample;
	supError error = { 0 };
	sampleMake( &sample );
	supCharacter* character = supCreateCharacter( &sample.def, &error );
	testRequire( character != NULL, &error );
	supDocument* document = supCreateDocument( character, &error );
	testRequire( document != NULL, &error );
	supDestroyCharacter( character );
	return document;
}

static supCharacter* ReadCharacter( const supDocument* document )
{
	supError error = { 0 };
	supCharacter* character = supDocument_CreateCharacter( document, &error );
	testRequire( character != NULL, &error );
	return character;
}

// Through bytes, as any other program would read it.
static supDocument* Reload( const supDocument* document, size_t* byteCount )
{
	supError error = { 0 };
	uint8_t* bytes = supWriteDocument( document, byteCount, &error );
	testRequire( bytes != NULL, &error );
	supDocument* again = supParseDocument( bytes, *byteCount, "again.glb", NULL, NULL, &error );
	testRequire( again != NULL, &error );
	supFree( bytes );
	return again;
}

static void CompareMeshes( const supMesh* a, const supMesh* b, float tolerance )
{
	assert_int_equal( a->vertexCount, b->vertexCount );
	assert_int_equal( a->indexCount, b->indexCount );
	assert_memory_equal( a->indices, b->indices, (size_t)a->indexCount * sizeof( uint32_t ) );
	for ( int32_t i = 0; i < a->vertexCount; ++i )
	{
		testLessEqual( supLength( supSub( a->positions[i], b->positions[i] ) ), 1.8f * tolerance );
		// ten bits of a unit vector
		assert_true( a->normals == NULL || supDistance( a->normals[i], b->normals[i] ) < 4e-3f );
	}
	size_t slots = (size_t)a->vertexCount * (size_t)a->influences;
	assert_true( slots == 0 || memcmp( a->weights, b->weights, slots * sizeof( float ) ) == 0 );
	assert_true( slots == 0 || memcmp( a->joints, b->joints, slots * sizeof( uint16_t ) ) == 0 );
	for ( int32_t t = 0; t < a->targetCount; ++t )
	{
		for ( int32_t i = 0; i < a->vertexCount && a->targets[t].normals != NULL; ++i )
		{
			// half of a step of 1/127 in each of three numbers
			testLessEqual( supDistance( a->targets[t].normals[i], b->targets[t].normals[i] ), 0.87f / 127.0f );
		}
		for ( int32_t i = 0; i < a->vertexCount && a->targets[t].positions != NULL; ++i )
		{
			// each of three numbers is within the tolerance
			testLessEqual( supDistance( a->targets[t].positions[i], b->targets[t].positions[i] ), 1.8f * tolerance );
		}
	}
}

static void CompareCharacters( const supCharacter* a, const supCharacter* b, float tolerance )
{
	assert_int_equal( supCharacter_MeshCount( a ), supCharacter_MeshCount( b ) );
	for ( int32_t i = 0; i < supCharacter_MeshCount( a ); ++i )
	{
		CompareMeshes( supCharacter_Mesh( a, i ), supCharacter_Mesh( b, i ), tolerance );
	}
	assert_int_equal( supCharacter_ClipCount( a ), supCharacter_ClipCount( b ) );
	for ( int32_t i = 0; i < supCharacter_ClipCount( a ); ++i )
	{
		const supClip *p = supCharacter_Clip( a, i ), *q = supCharacter_Clip( b, i );
		assert_int_equal( p->channelCount, q->channelCount );
		for ( int32_t k = 0; k < p->channelCount; ++k )
		{
			const supChannel *c = p->channels + k, *d = q->channels + k;
			size_t values = (size_t)c->keyCount * (size_t)c->width;
			assert_memory_equal( c->times, d->times, (size_t)c->keyCount * sizeof( float ) );
			assert_memory_equal( c->values, d->values, values * sizeof( float ) );
		}
	}
}

static void TestRoundTrip( void** state )
{
	(void)state;
	const float tolerances[] = { 1e-2f, 1e-4f, 0.0f };
	for ( int32_t i = 0; i < 3; ++i )
	{
		supDocument* document = MakeSample();
		supCharacter* before = ReadCharacter( document );
		supError error = { 0 };
		testRequire( supDocument_Compress( document, tolerances[i], &error ), &error );
		size_t byteCount;
		supDocument* again = Reload( document, &byteCount );
		supCharacter *now = ReadCharacter( document ), *after = ReadCharacter( again );
		// with 0, the last bits of numbers up to some metres
		CompareCharacters( before, after, supMaxFloat( tolerances[i], 1e-5f ) );
		// the document in memory is what its file is
		CompareCharacters( now, after, 0.0f );
		supDestroyCharacter( before );
		supDestroyCharacter( now );
		supDestroyCharacter( after );
		supDestroyDocument( again );
		supDestroyDocument( document );
	}
}

static int32_t CountAccessors( const supDocument* document, int type )
{
	int32_t count = 0;
	size_t index;
	json_t* accessor;
	json_array_foreach( supJson_Get( document->root, "accessors" ), index, accessor )
	{
		count += supJson_Index( accessor, "componentType", 0 ) == type &&
				 json_is_true( supJson_Get( accessor, "normalized" ) );
	}
	return count;
}

// Normals become integers, and the file says so; what integers cannot hold (offsets beyond 1) stays floats.
static void TestQuantization( void** state )
{
	(void)state;
	supDocument* document = MakeSample();
	supError error = { 0 };
	int32_t shorts = CountAccessors( document, 5122 ), bytes = CountAccessors( document, 5120 );
	// a target that turns normals around
	static supVec3 offsets[4096];
	json_t* primitive = json_array_get(
		json_object_get( json_array_get( json_object_get( document->root, "meshes" ), 0 ), "primitives" ), 0 );
	json_t* target = json_array_get( json_object_get( primitive, "targets" ), 0 );
	assert_non_null( target );
	int64_t position = supJson_Index( json_object_get( primitive, "attributes" ), "POSITION", -1 );
	int32_t count = (int32_t)supJson_Index( supJson_At( supJson_Get( document->root, "accessors" ), (size_t)position ),
											"count", 0 );
	testGreater( count, 0 );
	testLessEqual( count, 4096 );
	for ( int32_t i = 0; i < count; ++i )
	{
		offsets[i] = supMakeVec3( 0.0f, i % 2 == 0 ? -2.0f : 2.0f, 0.5f );
	}
	int64_t large = supDocument_AppendOffsets( document, offsets, count, false, &error );
	testGreaterEqual( large, 0 );
	json_object_set_new( target, "NORMAL", json_integer( large ) );
	testRequire( supDocument_Compress( document, 1e-4f, &error ), &error );
	testGreater( CountAccessors( document, 5122 ), shorts );
	testGreaterEqual( CountAccessors( document, 5120 ), bytes );
	const json_t* accessor = supJson_At( supJson_Get( document->root, "accessors" ), (size_t)large );
	assert_int_equal( supJson_Index( accessor, "componentType", 0 ), 5126 );
	char* required = json_dumps( supJson_Get( document->root, "extensionsRequired" ), 0 );
	assert_non_null( strstr( required, "KHR_mesh_quantization" ) );
	free( required );
	size_t byteCount;
	supDocument* again = Reload( document, &byteCount );
	supCharacter* after = ReadCharacter( again );
	testLess( supDistance( supCharacter_Mesh( after, 0 )->targets[0].normals[0], offsets[0] ), 1e-2f );
	supDestroyCharacter( after );
	supDestroyDocument( again );
	supDestroyDocument( document );
}

// What is compressed already is compressed anew; real files become smaller.
static void TestAssets( void** state )
{
	(void)state;
	static const char* const names[] = { "characters/Fox.glb", "characters/HVGirl.glb", "characters/CesiumMan.glb" };
	for ( int32_t i = 0; i < 3; ++i )
	{
		supError error = { 0 };
		supDocument* document = supLoadDocument( testAsset( names[i] ), &error );
		testRequire( document != NULL, &error );
		size_t plain, once, twice;
		supDestroyDocument( Reload( document, &plain ) );
		supCharacter* before = ReadCharacter( document );
		float tolerance = 1e-4f * ( i == 0 ? 150.0f : 1.0f );
		testRequire( supDocument_Compress( document, tolerance, &error ), &error );
		supDocument* again = Reload( document, &once );
		testRequire( supDocument_Compress( again, tolerance, &error ), &error );
		supDocument* third = Reload( again, &twice );
		supCharacter* after = ReadCharacter( third );
		print_message( "%s: %zu bytes, %zu compressed\n", names[i], plain, once );
		testLess( once, plain );
		testLessEqual( twice, once + once / 20 );
		CompareCharacters( before, after, 2.0f * tolerance );
		supDestroyCharacter( before );
		supDestroyCharacter( after );
		supDestroyDocument( third );
		supDestroyDocument( again );
		supDestroyDocument( document );
	}
}

static bool Attempt( void* context )
{
	supDocument* document = context;
	supError error = { 0 };
	bool ok = supDocument_Compress( document, 1e-3f, &error );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static bool AttemptAnew( void* context )
{
	(void)context;
	supError error = { 0 };
	static sampleCharacter sample;
	sampleMake( &sample );
	supCharacter* character = supCreateCharacter( &sample.def, &error );
	supDocument* document = character != NULL ? supCreateDocument( character, &error ) : NULL;
	bool ok = document != NULL && Attempt( document );
	supDestroyDocument( document );
	supDestroyCharacter( character );
	return ok;
}

static void TestRefusals( void** state )
{
	(void)state;
	supDocument* document = MakeSample();
	supError error = { 0 };
	assert_false( supDocument_Compress( document, NAN, &error ) );
	assert_non_null( strstr( error.message, "tolerance" ) );
	supDestroyDocument( document );
	testEachAllocationFailure( AttemptAnew, NULL, testRounds( 120, 40 ) );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestRoundTrip ),
		cmocka_unit_test( TestQuantization ),
		cmocka_unit_test( TestAssets ),
		cmocka_unit_test( TestRefusals ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
