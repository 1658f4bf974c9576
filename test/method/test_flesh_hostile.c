// SPDX-License-Identifier: MIT
// Flesh files of every method, made by an enemy: they are refused, or do no harm in a step.
#include "../../models/models.h"
#include "method/method.h"
#include "repack.h"
#include "supple/flesh.h"
#include "supple/scene.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const supMethodId s_methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints,
										 sup_methodFem,      sup_methodLayered, sup_methodModes };

// As small as it goes: the same code, hundreds of times.
static supFlesh* BuildSmall( const supCharacter* character, supMethodId method, int32_t regionCount )
{
	supSoftRegion regions[2] = { supDefaultSoftRegion(), supDefaultSoftRegion() };
	for ( int32_t i = 0; i < 2; ++i )
	{
		regions[i].shape = sup_softNode;
		regions[i].node = i + 1;
		regions[i].frequency = 3.0f;
	}
	supSetting setting = { method == sup_methodLattice ? "resolution"
													   : ( method == sup_methodFem ? "vertices" : "tets" ),
						   method == sup_methodLattice ? 8.0f : 150.0f };
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	def.settings = &setting;
	def.settingCount = method != sup_methodLayered;
	def.softRegions = regions;
	def.softRegionCount = regionCount;
	supError error = { 0 };
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	return flesh;
}

static void StepOnce( const supFlesh* flesh )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	supScene* scene = supCreateScene( &def, &error );
	testRequire( supScene_AddActor( scene, flesh, &error ) != NULL, &error );
	supScene_Step( scene, 1.0f / 60.0f );
	supDestroyScene( scene );
}

static supCharacter* CreateTube( void )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube" )->create( &error );
	testRequire( character != NULL, &error );
	return character;
}

// Loads a file and steps what comes of it. Returns the most bytes that were in use while it was loaded.
static size_t TryFile( const supCharacter* character, const uint8_t* bytes, size_t size, bool* wasRefused )
{
	testHeap heap;
	testInstallHeap( &heap );
	supError error = { 0 };
	supFlesh* flesh = supReadFlesh( bytes, size, "tube", character, &error );
	size_t peak = heap.peakBytes;
	assert_true( flesh != NULL || ( error.code == sup_errorFormat && error.message[0] != 0 ) );
	*wasRefused = flesh == NULL;
	if ( flesh != NULL )
	{
		StepOnce( flesh );
	}
	supDestroyFlesh( flesh );
	testUninstallHeap( &heap );
	return peak;
}

static void test_damaged_sections( void** state )
{
	(void)state;
	supCharacter* character = CreateTube();
	for ( int32_t m = 0; m < SUP_COUNT( s_methods ); ++m )
	{
		supError error = { 0 };
		supFlesh* built = BuildSmall( character, s_methods[m], 1 );
		size_t size = 0;
		uint8_t* block = supWriteFlesh( built, &size, &error );
		supPackReader reader;
		assert_true( supPackReader_Open( &reader, block, size, "tube", NULL ) );
		// sections that are missing or of another type are the reader's to refuse: see io/flesh_file
		static const testDamage damages[] = { test_damageShort, test_damageOnes, test_damageLarge };
		int32_t refused = 0;
		bool wasRefused;
		size_t honest = TryFile( character, block, size, &wasRefused );
		assert_false( wasRefused );
		for ( int32_t i = 0; i < reader.sectionCount * SUP_COUNT( damages ); ++i )
		{
			size_t damagedSize = 0;
			uint8_t* damaged = testRepack( &reader, sup_packLittle, i / SUP_COUNT( damages ),
										   damages[i % SUP_COUNT( damages )], &damagedSize );
			size_t peak = TryFile( character, damaged, damagedSize, &wasRefused );
			// numbers that lie ask for no more memory than true ones
			testLess( peak, 2 * honest + ( 1 << 20 ) );
			refused += wasRefused;
			supFree( damaged );
		}
		testGreater( refused, reader.sectionCount );
		supPackReader_Close( &reader );
		supFree( block );
		supDestroyFlesh( built );
	}
	supDestroyCharacter( character );
}

// One number of thousands is another one, and the checksum fits all the same.
static void test_single_numbers( void** state )
{
	(void)state;
	supCharacter* character = CreateTube();
	const char* rounds = getenv( "SUPPLE_ROUNDS" );
	int32_t count = rounds != NULL ? atoi( rounds ) : testRounds( 400, 40 );
	testRandom random = testMakeRandom( rounds != NULL ? (uint64_t)time( NULL ) : 28 );
	for ( int32_t m = 0; m < SUP_COUNT( s_methods ); ++m )
	{
		supError error = { 0 };
		supFlesh* built = BuildSmall( character, s_methods[m], 2 );
		size_t size = 0;
		uint8_t* block = supWriteFlesh( built, &size, &error );
		supPackReader reader;
		assert_true( supPackReader_Open( &reader, block, size, "tube", NULL ) );
		int32_t refused = 0;
		for ( int32_t i = 0; i < count; ++i )
		{
			size_t damagedSize = 0;
			int32_t section = (int32_t)testRandomInt( &random, (uint32_t)reader.sectionCount );
			int64_t item = (int64_t)testRandomInt( &random, 1u << 30 );
			uint8_t* damaged = testReplaceItem( &reader, section, item, testRandomInt( &random, 36 ), &damagedSize );
			bool wasRefused;
			TryFile( character, damaged, damagedSize, &wasRefused );
			refused += wasRefused;
			supFree( damaged );
		}
		printf( "%s: %d of %d refused\n", supMethodName( s_methods[m] ), refused, count );
		testGreater( 4 * refused, count );
		supPackReader_Close( &reader );
		supFree( block );
		supDestroyFlesh( built );
	}
	supDestroyCharacter( character );
}

// Flesh that was built with two soft regions, in a file with the tuning of one.
static void test_fewer_regions( void** state )
{
	(void)state;
	supCharacter* character = CreateTube();
	for ( int32_t m = 0; m < SUP_COUNT( s_methods ); ++m )
	{
		supError error = { 0 };
		supFlesh* built = BuildSmall( character, s_methods[m], 2 );
		size_t size = 0, hostileSize = 0;
		uint8_t* block = supWriteFlesh( built, &size, &error );
		supPackReader reader;
		assert_true( supPackReader_Open( &reader, block, size, "tube", NULL ) );
		static const float tuning[2] = { 3.0f, 0.1f };
		uint8_t* hostile = testReplaceSection( &reader, "flesh/tuning", 2, tuning, &hostileSize );
		supFlesh* flesh = supReadFlesh( hostile, hostileSize, "tube", character, &error );
		if ( supGetMethod( s_methods[m] )->countRegions != NULL )
		{
			assert_null( flesh );
			assert_non_null( strstr( error.message, "1 soft regions where 2 are used" ) );
		}
		else
		{
			testRequire( flesh != NULL, &error );
			StepOnce( flesh );
		}
		supDestroyFlesh( flesh );
		supFree( hostile );
		supPackReader_Close( &reader );
		supFree( block );
		supDestroyFlesh( built );
	}
	supDestroyCharacter( character );
}

// Parameters that a method keeps for itself are as much in their ranges as those that the file is asked for.
static void test_own_parameters( void** state )
{
	(void)state;
	supCharacter* character = CreateTube();
	for ( int32_t m = 0; m < 2; ++m )
	{
		const supMethod* method = supGetMethod( s_methods[m] );
		supError error = { 0 };
		supFlesh* built = BuildSmall( character, s_methods[m], 1 );
		size_t size = 0, hostileSize = 0;
		uint8_t* block = supWriteFlesh( built, &size, &error );
		supPackReader reader;
		assert_true( supPackReader_Open( &reader, block, size, "tube", NULL ) );
		for ( int32_t i = 0; i < method->parameterCount; ++i )
		{
			float values[64];
			testLessEqual( method->parameterCount, SUP_COUNT( values ) );
			memcpy( values, built->parameters, (size_t)method->parameterCount * sizeof( float ) );
			values[i] = 1e30f;
			uint8_t* hostile =
				testReplaceSection( &reader, "own/parameters", method->parameterCount, values, &hostileSize );
			assert_null( supReadFlesh( hostile, hostileSize, "tube", character, &error ) );
			assert_non_null( strstr( error.message, method->parameters[i].name ) );
			supFree( hostile );
		}
		supPackReader_Close( &reader );
		supFree( block );
		supDestroyFlesh( built );
	}
	supDestroyCharacter( character );
}

int main( void )
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test( test_damaged_sections ),
		cmocka_unit_test( test_single_numbers ),
		cmocka_unit_test( test_fewer_regions ),
		cmocka_unit_test( test_own_parameters ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
