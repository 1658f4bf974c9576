// SPDX-License-Identifier: MIT
// Import in a child process: the same character arrives, and whatever a damaged file does to the importer, the parent
// gets a character or a clean error.
#include "io/assimp/assimp_import.h"
#include "isolate.h"
#include "support.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static bool HasNote( const supCharacter* character, const char* text )
{
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		if ( strcmp( supCharacter_Note( character, i )->text, text ) == 0 )
		{
			return true;
		}
	}
	return false;
}

static void TheSameCharacterArrives( void** state )
{
	(void)state;
	static const struct
	{
		const char* path;
		// to the bit: not where the file has normals of no length, which glTF cannot hold, nor where weights are near
		// one but not quite and come out nearer
		bool exact;
	} files[] = {
		{ "characters/fbx/maya_kenney_character_7700_binary.fbx", true },
		{ "characters/fbx/maya_game_sausage_7500_ascii_combined.fbx", true },
		{ "characters/fbx/maya_slime_7500_binary.fbx", false },
		{ "characters/fbx/huesitos.fbx", true },
		{ "characters/dae/walk.dae", true },
		{ "meshes/Spider_binary.stl", false },
	};
	for ( size_t i = 0; i < sizeof( files ) / sizeof( files[0] ); ++i )
	{
		supError error = { 0 };
		supCharacter* here = supLoadCharacter( testAsset( files[i].path ), &error );
		testRequire( here != NULL, &error );
		supCharacter* there = IsolatedLoadCharacter( testAsset( files[i].path ), NULL, &error );
		testRequire( there != NULL, &error );
		printf( "%s\n", files[i].path );
		assert_true( files[i].exact == false || supCharacter_Hash( here ) == supCharacter_Hash( there ) );
		assert_int_equal( supCharacter_NodeCount( here ), supCharacter_NodeCount( there ) );
		assert_int_equal( supCharacter_ImageCount( here ), supCharacter_ImageCount( there ) );
		assert_string_equal( supCharacter_Name( here ), supCharacter_Name( there ) );
		assert_float_equal( supCharacter_UnitScale( here ), supCharacter_UnitScale( there ), 0.0 );
		assert_int_equal( supCharacter_NoteCount( here ), supCharacter_NoteCount( there ) );
		for ( int32_t k = 0; k < supCharacter_NoteCount( here ); ++k )
		{
			assert_true( HasNote( there, supCharacter_Note( here, k )->text ) );
		}
		supDestroyCharacter( here );
		supDestroyCharacter( there );
	}
}

static void ErrorsComeThrough( void** state )
{
	(void)state;
	char folder[256];
	char path[512];
	supError error = { 0 };
	testMakeFolder( folder );
	snprintf( path, sizeof( path ), "%s/missing.fbx", folder );
	assert_null( IsolatedLoadCharacter( path, NULL, &error ) );
	assert_int_equal( error.code, sup_errorNotFound );
	assert_non_null( strstr( error.where, "missing.fbx" ) );

	snprintf( path, sizeof( path ), "%s/a.xyzzy", folder );
	testWriteFile( path, "what is this", 12 );
	assert_null( IsolatedLoadCharacter( path, NULL, &error ) );
	assert_int_equal( error.code, sup_errorUnsupported );
	assert_non_null( strstr( error.message, ".fbx" ) );

	snprintf( path, sizeof( path ), "%s/empty.fbx", folder );
	testWriteFile( path, "", 0 );
	assert_null( IsolatedLoadCharacter( path, NULL, &error ) );
	assert_int_equal( error.code, sup_errorFormat );

	snprintf( path, sizeof( path ), "%s/noise.dae", folder );
	testWriteFile( path, "this is no XML", 14 );
	assert_null( IsolatedLoadCharacter( path, NULL, NULL ) );
	assert_null( IsolatedLoadCharacter( path, NULL, &error ) );
	assert_int_equal( error.code, sup_errorFormat );
	testRemoveFolder( folder );
}

// The child of this test dies when it is told to read a file of this name.
#define CRASH_NAME "crash.fbx"

static void CrashesBecomeErrors( void** state )
{
	(void)state;
	supError error = { 0 };
	assert_null( IsolatedLoadCharacter( CRASH_NAME, NULL, &error ) );
	assert_int_equal( error.code, sup_errorFormat );
	assert_non_null( strstr( error.message, "the importer crashed (signal 9)" ) );
	assert_string_equal( error.where, CRASH_NAME );
}

// ---------------------------------------------------------------------------------------------------------------------
// Damage

typedef struct Damage
{
	char folder[256];
	char path[512];
	int tried;
	int loaded;
	int refused;
	int crashed;
} Damage;

static void Try( Damage* damage, const unsigned char* bytes, size_t size )
{
	supError error = { 0 };
	testWriteFile( damage->path, bytes, size );
	supCharacter* character = IsolatedLoadCharacter( damage->path, NULL, &error );
	damage->tried += 1;
	damage->loaded += character != NULL;
	damage->refused += character == NULL;
	damage->crashed += character == NULL && strstr( error.message, "the importer" ) != NULL;
	if ( character == NULL )
	{
		assert_true( error.code != sup_errorNone );
		assert_true( error.message[0] != 0 && ( error.where[0] != 0 || error.code == sup_errorMemory ) );
	}
	supDestroyCharacter( character );
}

static void DamageFile( const char* asset, int truncations, int edits )
{
	Damage damage = { 0 };
	size_t size;
	unsigned char* bytes = testReadFile( testAsset( asset ), &size );
	unsigned char* copy = malloc( size );
	assert_non_null( copy );
	testMakeFolder( damage.folder );
	snprintf( damage.path, sizeof( damage.path ), "%s/damaged%s", damage.folder, strrchr( asset, '.' ) );
	for ( int i = 0; i < truncations; ++i )
	{
		Try( &damage, bytes, size * (size_t)i / (size_t)truncations );
	}
	testRandom random = testMakeRandom( 7 );
	for ( int i = 0; i < edits; ++i )
	{
		memcpy( copy, bytes, size );
		for ( uint32_t k = 1 + testRandomInt( &random, 8 ); k > 0; --k )
		{
			copy[testRandomInt( &random, (uint32_t)size )] = (unsigned char)testRandomInt( &random, 256 );
		}
		Try( &damage, copy, size );
	}
	printf( "%s: %d damaged copies, %d loaded, %d refused, of these %d by a crash of the importer\n", asset,
			damage.tried, damage.loaded, damage.refused, damage.crashed );
	testGreater( damage.loaded, 0 );
	testGreater( damage.refused, 0 );
	testRemoveFolder( damage.folder );
	free( copy );
	free( bytes );
}

static void DamagedFilesAreSurvived( void** state )
{
	(void)state;
	DamageFile( "characters/fbx/huesitos.fbx", 30, 60 );
	DamageFile( "characters/fbx/maya_game_sausage_7500_ascii_combined.fbx", 20, 40 );
	DamageFile( "characters/dae/box_multiple_inst_controllers.dae", 30, 60 );
}

int main( int argc, char** argv )
{
	if ( argc > 1 && strcmp( argv[1], IMPORT_COMMAND ) == 0 )
	{
		if ( strcmp( argv[2], CRASH_NAME ) == 0 )
		{
			raise( SIGKILL );
		}
		return RunImportChild( argc, argv );
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TheSameCharacterArrives ),
		cmocka_unit_test( ErrorsComeThrough ),
		cmocka_unit_test( CrashesBecomeErrors ),
		cmocka_unit_test( DamagedFilesAreSurvived ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
