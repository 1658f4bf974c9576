// SPDX-License-Identifier: MIT
// Bakes as principal components: fewer targets within the same tolerance, weights that no reader clamps.
#include "bake_morphs.h"

#include "io/gltf/gltf_write.h"
#include "models/models.h"

#include <string.h>

static char* AddBasis( const Fixture* f, float tolerance, supBasisReport* report )
{
	supError error = { 0 };
	testRequire( supDocument_AddBasis( f->document, f->bakes, f->bakeCount, tolerance, false, report, &error ),
				 &error );
	return json_dumps( f->document->root, 0 );
}

static void UseTubeBakes( Fixture* f, int32_t clipCount )
{
	supError error = { 0 };
	UseCharacter( f, supFindModel( "tube" )->create( &error ) );
	BuildFlesh( f, sup_methodDqs );
	for ( int32_t i = 0; i < clipCount; ++i )
	{
		Bake( f, supCharacter_Clip( f->character, i ), 30.0f );
	}
}

// Fewer targets, the same tolerance, weights that no reader clamps, and without an animation the first frame.
static void TestBasis( void** state )
{
	Fixture* f = *state;
	UseTubeBakes( f, 2 );
	const float tolerance = 1e-3f;
	supError error = { 0 };
	supDocument* keyFrames = supCreateDocument( f->character, &error );
	testRequire( supDocument_AddBakes( keyFrames, f->bakes, f->bakeCount, tolerance, false, &error ), &error );
	supCharacter* plain = Reload( keyFrames );
	supBasisReport report;
	free( AddBasis( f, tolerance, &report ) );
	assert_true( report.isBasis );
	supCharacter* result = Reload( f->document );
	const supMesh* mesh = supCharacter_Mesh( result, 0 );
	assert_int_equal( mesh->targetCount, report.targetCount );
	testLess( mesh->targetCount, supCharacter_Mesh( plain, 0 )->targetCount );
	for ( int32_t i = 0; i < f->bakeCount; ++i )
	{
		const supClip* clip = supCharacter_Clip( result, i );
		Distances distances = CompareBake( f, f->bakes[i], result, clip );
		testLessEqual( distances.position, tolerance );
		// of unit length: a few degrees, as surfaces off by the tolerance have them
		testLess( distances.normal, 0.1f );
		for ( int32_t c = 0; c < clip->channelCount; ++c )
		{
			const supChannel* channel = clip->channels + c;
			for ( int32_t k = 0; channel->path == sup_channelMorphWeights && k < channel->keyCount * channel->width;
				  ++k )
			{
				testGreaterEqual( channel->values[k], 0.0f );
				testLessEqual( channel->values[k], 1.0f );
				assert_true( k % channel->width != 0 || channel->values[k] == 1.0f );
			}
		}
	}
	supFrames frames = supBake_Frames( f->bakes[0] );
	size_t count = VertexCount( f->character, 0 );
	supVec3* first = calloc( count, sizeof( supVec3 ) );
	testRequire( frames.read( 0, 0, first, NULL, frames.context, &error ), &error );
	assert_memory_equal( first, mesh->positions, count * sizeof( supVec3 ) );
	assert_float_equal( supCharacter_Instance( result, 0 )->morphWeights[0], 0.0f, 0.0f );
	free( first );
	supDestroyCharacter( plain );
	supDestroyCharacter( result );
	supDestroyDocument( keyFrames );
}

// What cannot be fewer is written as key frames, byte for byte.
static void TestBasisThatIsNotSmaller( void** state )
{
	Fixture* f = *state;
	UseTubeBakes( f, 1 );
	supError error = { 0 };
	supDocument* keyFrames = supCreateDocument( f->character, &error );
	testRequire( supDocument_AddBakes( keyFrames, f->bakes, 1, 0.0f, false, &error ), &error );
	supBasisReport report;
	char* written = AddBasis( f, 0.0f, &report );
	char* expected = json_dumps( keyFrames->root, 0 );
	assert_false( report.isBasis );
	assert_string_equal( written, expected );
	free( written );
	free( expected );
	supDestroyDocument( keyFrames );
}

static void TestBasisThreads( void** state )
{
	Fixture* f = *state;
	UseTubeBakes( f, 1 );
	uint8_t* bytes[2];
	size_t counts[2];
	supThreadPool* pool = supCreateThreadPool( 3 );
	for ( int k = 0; k < 2; ++k )
	{
		supError error = { 0 };
		supDocument* document = supCreateDocument( f->character, &error );
		f->bakes[0]->def.tasks = k == 1 ? supThreadPool_Tasks( pool ) : NULL;
		testRequire( supDocument_AddBasis( document, f->bakes, 1, 1e-3f, false, NULL, &error ), &error );
		bytes[k] = supWriteDocument( document, &counts[k], &error );
		supDestroyDocument( document );
	}
	assert_true( counts[0] == counts[1] );
	assert_memory_equal( bytes[0], bytes[1], counts[0] );
	supFree( bytes[0] );
	supFree( bytes[1] );
	f->bakes[0]->def.tasks = NULL;
	supDestroyThreadPool( pool );
}

static bool AttemptBasis( void* context )
{
	Fixture* f = context;
	supError error = { 0 };
	supDocument* document = supCreateDocument( f->character, &error );
	bool ok = document != NULL && supDocument_AddBasis( document, f->bakes, 1, 1e-3f, true, NULL, &error );
	supDestroyDocument( document );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static void TestBasisAllocationFailures( void** state )
{
	Fixture* f = *state;
	UseTubeBakes( f, 1 );
	testEachAllocationFailure( AttemptBasis, f, testRounds( 200, 40 ) );
}

#define CASE( name ) cmocka_unit_test_setup_teardown( name, SetUp, TearDown )

int main( void )
{
	const struct CMUnitTest tests[] = {
		CASE( TestBasis ),
		CASE( TestBasisThatIsNotSmaller ),
		CASE( TestBasisThreads ),
		CASE( TestBasisAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
