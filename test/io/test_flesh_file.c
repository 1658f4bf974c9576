// SPDX-License-Identifier: MIT
// Flesh files: what is loaded behaves bit for bit as what was built, and fits the character or is refused.
#include "lag.h"
#include "repack.h"
#include "support.h"

#include "character/character.h"
#include "supple/supple.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---------------------------------------------------------------------------------------------------------------------
// A method with flesh of its own: every vertex is pushed along a vector, chosen through an index.

typedef struct Push
{
	int32_t vertexCount;
	int32_t vectorCount;
	const supVec3* vectors;
	const int32_t* choice; // one a vertex
	void* memory;          // NULL where it was loaded
} Push;

static void* CreatePush( const supFleshInput* input, supError* error )
{
	const supMesh* mesh = supCharacter_Mesh( input->character, 0 );
	Push* push = supAllocZeroed( sizeof( Push ) );
	supVec3* vectors = supAllocArray( 3, sizeof( supVec3 ) + 64 );
	int32_t* choice = push != NULL ? supAllocArray( (size_t)mesh->vertexCount, sizeof( int32_t ) ) : NULL;
	if ( push == NULL || vectors == NULL || choice == NULL )
	{
		supFree( push );
		supFree( vectors );
		supFree( choice );
		supSetMemoryError( error );
		return NULL;
	}
	for ( int32_t i = 0; i < 3; ++i )
	{
		vectors[i] = supMakeVec3( input->parameters[0] * (float)i, 0.5f, -(float)i );
	}
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		choice[i] = i % 3;
	}
	*push = ( Push ){ mesh->vertexCount, 3, vectors, choice, vectors };
	return push;
}

static void DestroyPush( void* flesh )
{
	Push* push = flesh;
	if ( push->memory != NULL )
	{
		union
		{
			const int32_t* constant;
			void* plain;
		} choice = { push->choice };
		supFree( choice.plain );
		supFree( push->memory );
	}
	supFree( push );
}

static void SavePush( const void* flesh, supPackWriter* writer )
{
	const Push* push = flesh;
	supPackWriter_Add( writer, "vectors", sup_packF32, 3 * push->vectorCount, push->vectors );
	supPackWriter_Add( writer, "choice", sup_packI32, push->vertexCount, push->choice );
}

static void* LoadPush( supPackReader* reader, const supCharacter* character )
{
	Push push = { .vertexCount = supCharacter_Mesh( character, 0 )->vertexCount };
	push.vectorCount = (int32_t)( supPackReader_Count( reader, "vectors" ) / 3 );
	push.vectors = (const supVec3*)supPackReader_GetFloats( reader, "vectors", 3 * push.vectorCount );
	push.choice = supPackReader_GetInts( reader, "choice", push.vertexCount, 0, push.vectorCount - 1 );
	Push* result = reader->failed == false ? supAlloc( sizeof( Push ) ) : NULL;
	if ( result == NULL )
	{
		supSetMemoryError( reader->error );
		return NULL;
	}
	*result = push;
	return result;
}

static void WritePushed( const void* flesh, const void* state, supPose* pose, int32_t instance, const supTasks* tasks,
						 const supSkinOutput* output )
{
	(void)state;
	const Push* push = flesh;
	supSkinInstance( pose, instance, sup_skinningLinear, tasks, output );
	for ( int32_t i = 0; i < push->vertexCount; ++i )
	{
		output->positions[i] = supAdd( output->positions[i], push->vectors[push->choice[i]] );
	}
}

static const supParameter s_parameters[2] = {
	{ .name = "reach", .unit = "m", .summary = "how far", .maximum = 10.0f, .standard = 1.0f },
	{ .name = "tone", .unit = "", .summary = "how firm", .maximum = 1.0f, .standard = 0.5f, .live = true },
};

static const supMethod s_push = {
	.name = "push",
	.summary = "pushes vertices",
	.parameterCount = 2,
	.parameters = s_parameters,
	.createFlesh = CreatePush,
	.destroyFlesh = DestroyPush,
	.fleshVersion = 3,
	.saveFlesh = SavePush,
	.loadFlesh = LoadPush,
	.writeSurface = WritePushed,
};

static supFlesh* BuildPush( const supCharacter* character, supError* error )
{
	static const supSetting setting = { "reach", 2.5f };
	static const supSoftRegion regions[2] = { { .name = "belly", .frequency = 3.0f, .damping = 0.25f },
											  { .name = NULL } };
	supFleshDef def = supDefaultFleshDef();
	def.settings = &setting;
	def.settingCount = 1;
	def.softRegions = regions;
	def.softRegionCount = 2;
	return supBuildFleshWith( character, &s_push, &def, NULL, error );
}

// ---------------------------------------------------------------------------------------------------------------------

static void Animate( const supFlesh* flesh, supVec3 positions[8] )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	supScene* scene = supCreateScene( &def, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	testRequire( actor != NULL, &error );
	testMoveTop( actor, 4 );
	supScene_Step( scene, 0.1f );
	memcpy( positions, supActor_Positions( actor, 0 ), 8 * sizeof( supVec3 ) );
	supDestroyScene( scene );
}

static void TestBlockRoundTrip( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = testMakeBox();
	supFlesh* built = BuildPush( character, &error );
	testRequire( built != NULL, &error );
	size_t size = 0;
	uint8_t* block = supWriteFlesh( built, &size, &error );
	testRequire( block != NULL, &error );
	supFlesh* read = supReadFleshWith( block, size, "box.flesh", character, &s_push, &error );
	testRequire( read != NULL, &error );
	supVec3 expected[8];
	supVec3 found[8];
	Animate( built, expected );
	Animate( read, found );
	assert_memory_equal( found, expected, sizeof( expected ) );
	assert_true( supFlesh_Parameter( read, 0 ) == 2.5f && supFlesh_Parameter( read, 1 ) == 0.5f );
	assert_int_equal( supFlesh_RegionCount( read ), 2 );
	assert_string_equal( supFlesh_RegionName( read, 0 ), "belly" );
	assert_string_equal( supFlesh_RegionName( read, 1 ), "region 2" );
	assert_true( read->regions[0].frequency == 3.0f && read->regions[0].damping == 0.25f );
	// the method's arrays lie in the block
	const uint8_t* vectors = (const uint8_t*)( (const Push*)read->own )->vectors;
	assert_true( block < vectors && vectors < block + size );
	size_t again = 0;
	uint8_t* twin = supWriteFlesh( read, &again, &error );
	assert_int_equal( again, size );
	assert_memory_equal( twin, block, size );
	supFree( twin );
	supDestroyFlesh( read );
	supFree( block );
	supDestroyFlesh( built );
	supDestroyCharacter( character );
}

static void TestFileRoundTrip( void** state )
{
	(void)state;
	char folder[256];
	char path[300];
	snprintf( path, sizeof( path ), "%s/box.flesh", testMakeFolder( folder ) );
	supCharacter* character = testMakeBox();
	for ( int method = 0; method < 2; ++method )
	{
		supError error = { 0 };
		supFleshDef def = supDefaultFleshDef();
		def.method = method == 0 ? sup_methodLbs : sup_methodDqs;
		supFlesh* built = supBuildFlesh( character, &def, NULL, &error );
		testRequire( supSaveFlesh( built, path, &error ), &error );
		supFlesh* loaded = supLoadFlesh( path, character, &error );
		testRequire( loaded != NULL, &error );
		assert_string_equal( supFlesh_MethodName( loaded ), supFlesh_MethodName( built ) );
		assert_ptr_equal( supFlesh_Character( loaded ), character );
		supVec3 expected[8];
		supVec3 found[8];
		Animate( built, expected );
		// replacing the file leaves what was loaded alone
		testRequire( supSaveFlesh( built, path, &error ), &error );
		Animate( loaded, found );
		assert_memory_equal( found, expected, sizeof( expected ) );
		supDestroyFlesh( loaded );
		supDestroyFlesh( built );
	}
	supDestroyCharacter( character );
	testRemoveFolder( folder );
}

// ---------------------------------------------------------------------------------------------------------------------
// What is refused

static void TestOtherCharacters( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = testMakeBox();
	supCharacter* swaying = testMakeSwayingBox();
	supFlesh* built = BuildPush( character, &error );
	size_t size = 0;
	uint8_t* block = supWriteFlesh( built, &size, &error );
	// clips do not matter
	assert_true( supCharacter_Hash( character ) != supCharacter_Hash( swaying ) );
	supFlesh* read = supReadFleshWith( block, size, "box.flesh", swaying, &s_push, &error );
	testRequire( read != NULL, &error );
	supDestroyFlesh( read );
	// weights do
	float* weights = supAlloc( 8 * sizeof( float ) );
	memcpy( weights, swaying->meshes[0].weights, 8 * sizeof( float ) );
	weights[3] = 0.75f;
	const float* before = swaying->meshes[0].weights;
	swaying->meshes[0].weights = weights;
	assert_null( supReadFleshWith( block, size, "box.flesh", swaying, &s_push, &error ) );
	assert_int_equal( error.code, sup_errorFormat );
	assert_string_equal( error.where, "box.flesh: flesh/character" );
	assert_non_null( strstr( error.message, "built for the character 'box' (body " ) );
	assert_non_null( strstr( error.message, "and this is 'box' (body " ) );
	swaying->meshes[0].weights = before;
	supFree( weights );
	supFree( block );
	supDestroyFlesh( built );
	supDestroyCharacter( swaying );
	supDestroyCharacter( character );
}

// Each part of a body changes its hash.
static void TestBodyHash( void** state )
{
	(void)state;
	supCharacter* c = testMakeBox();
	uint64_t hash = supCharacter_BodyHash( c );
	float weights[8] = { 1, 1, 1, 1, 1, 1, 1, 0.5f };
	uint16_t joints[8] = { 0, 0, 1, 1, 0, 0, 1, 0 };
	float softness[8] = { 0 };
	supVec3 positions[8];
	memcpy( positions, c->meshes[0].positions, sizeof( positions ) );
	positions[7].z += 1e-6f;
	supMesh mesh = c->meshes[0];
#define CHECK_CHANGE( change )                                                                                         \
	do                                                                                                                 \
	{                                                                                                                  \
		change;                                                                                                        \
		assert_true( supCharacter_BodyHash( c ) != hash );                                                             \
		c->meshes[0] = mesh;                                                                                           \
		assert_true( supCharacter_BodyHash( c ) == hash );                                                             \
	} while ( 0 )
	CHECK_CHANGE( c->meshes[0].weights = weights );
	CHECK_CHANGE( c->meshes[0].joints = joints );
	CHECK_CHANGE( c->meshes[0].softness = softness );
	CHECK_CHANGE( c->meshes[0].positions = positions );
	CHECK_CHANGE( c->meshes[0].indexCount = 33 );
	c->nodes[1].rest.translation.y += 1e-6f;
	assert_true( supCharacter_BodyHash( c ) != hash );
	supDestroyCharacter( c );
}

static supFlesh* TryRead( const uint8_t* block, size_t size, const supCharacter* character, const supMethod* method,
						  supError* error )
{
	*error = ( supError ){ 0 };
	return supReadFleshWith( block, size, "box.flesh", character, method, error );
}

static void TestOtherMethods( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = testMakeBox();
	supFlesh* built = BuildPush( character, &error );
	size_t size = 0;
	uint8_t* block = supWriteFlesh( built, &size, &error );
	assert_null( TryRead( block, size, character, NULL, &error ) );
	assert_non_null( strstr( error.message, "unknown method 'push'" ) );
	supMethod other = s_push;
	other.fleshVersion = 4;
	assert_null( TryRead( block, size, character, &other, &error ) );
	assert_non_null( strstr( error.message, "another version of the method push (3, this is 4)" ) );
	supParameter parameters[3] = { s_parameters[0], s_parameters[1], s_parameters[1] };
	other = s_push;
	other.parameters = parameters;
	parameters[0].maximum = 2.0f;
	assert_null( TryRead( block, size, character, &other, &error ) );
	assert_non_null( strstr( error.message, "reach is 2.5, not 0 to 2" ) );
	parameters[0] = s_parameters[0];
	parameters[1].name = "tony";
	assert_null( TryRead( block, size, character, &other, &error ) );
	assert_non_null( strstr( error.message, "other parameters" ) );
	parameters[1] = s_parameters[1];
	other.parameterCount = 3;
	assert_null( TryRead( block, size, character, &other, &error ) );
	assert_non_null( strstr( error.message, "other parameters" ) );
	other.parameterCount = 1;
	assert_null( TryRead( block, size, character, &other, &error ) );
	assert_non_null( strstr( error.message, "fewer parameters" ) );
	supFree( block );
	supDestroyFlesh( built );
	supDestroyCharacter( character );
}

static void TestHostileSections( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = testMakeBox();
	supFlesh* built = BuildPush( character, &error );
	size_t size = 0;
	uint8_t* block = supWriteFlesh( built, &size, &error );
	supPackReader reader;
	assert_true( supPackReader_Open( &reader, block, size, "box", NULL ) );
	int32_t refused = 0;
	for ( int32_t i = 0; i < reader.sectionCount * test_damageCount; ++i )
	{
		size_t damagedSize = 0;
		uint8_t* damaged = testRepack( &reader, sup_packLittle, i / test_damageCount,
									   (testDamage)( i % test_damageCount ), &damagedSize );
		testHeap heap;
		testInstallHeap( &heap );
		supFlesh* flesh = TryRead( damaged, damagedSize, character, &s_push, &error );
		supVec3 positions[8];
		if ( flesh != NULL )
		{
			Animate( flesh, positions );
		}
		assert_true( flesh != NULL || ( error.code == sup_errorFormat && error.message[0] != 0 ) );
		assert_true( flesh != NULL || i % test_damageCount != test_damageNone );
		refused += flesh == NULL;
		supDestroyFlesh( flesh );
		testUninstallHeap( &heap );
		supFree( damaged );
	}
	// all but names that may be any
	testGreater( refused, 5 * reader.sectionCount );
	supPackReader_Close( &reader );
	supFree( block );
	supDestroyFlesh( built );
	supDestroyCharacter( character );
}

static void TestOtherByteOrder( void** state )
{
	(void)state;
	char folder[256];
	char path[300];
	snprintf( path, sizeof( path ), "%s/box.flesh", testMakeFolder( folder ) );
	supError error = { 0 };
	supCharacter* character = testMakeBox();
	supFlesh* built[2] = { BuildPush( character, &error ), NULL };
	supFleshDef def = supDefaultFleshDef();
	built[1] = supBuildFlesh( character, &def, NULL, &error );
	for ( int i = 0; i < 2; ++i )
	{
		size_t size = 0;
		size_t swappedSize = 0;
		uint8_t* block = supWriteFlesh( built[i], &size, &error );
		supPackReader reader;
		assert_true( supPackReader_Open( &reader, block, size, "box", NULL ) );
		uint8_t* swapped = testRepack( &reader, sup_packBig, -1, test_damageNone, &swappedSize );
		supPackReader_Close( &reader );
		testWriteFile( path, swapped, swappedSize );
		supFlesh* loaded = i == 0 ? TryRead( swapped, swappedSize, character, &s_push, &error )
								  : supLoadFlesh( path, character, &error );
		// a copy is in use by now
		memset( swapped, 0, swappedSize );
		testRequire( loaded != NULL, &error );
		assert_non_null( loaded->backing );
		supVec3 expected[8];
		supVec3 found[8];
		Animate( built[i], expected );
		Animate( loaded, found );
		assert_memory_equal( found, expected, sizeof( expected ) );
		supDestroyFlesh( loaded );
		supFree( swapped );
		supFree( block );
		supDestroyFlesh( built[i] );
	}
	supDestroyCharacter( character );
	testRemoveFolder( folder );
}

static void TestBadFiles( void** state )
{
	(void)state;
	char folder[256];
	char path[300];
	snprintf( path, sizeof( path ), "%s/box.flesh", testMakeFolder( folder ) );
	supCharacter* character = testMakeBox();
	supError error = { 0 };
	assert_null( supLoadFlesh( path, character, &error ) );
	assert_int_equal( error.code, sup_errorNotFound );
	testWriteFile( path, "", 0 );
	assert_null( supLoadFlesh( path, character, &error ) );
	assert_non_null( strstr( error.message, "empty" ) );
	testWriteFile( path, "glTF is something else", 22 );
	assert_null( supLoadFlesh( path, character, &error ) );
	assert_non_null( strstr( error.message, "not a flesh file" ) );
	assert_string_equal( error.where, path );
	assert_null( supLoadFlesh( folder, character, &error ) );
	assert_non_null( strstr( error.message, "folder" ) );
	supFleshDef def = supDefaultFleshDef();
	supFlesh* built = supBuildFlesh( character, &def, NULL, &error );
	char missing[400];
	snprintf( missing, sizeof( missing ), "%s/no/such/box.flesh", folder );
	assert_false( supSaveFlesh( built, missing, &error ) );
	assert_int_equal( error.code, sup_errorWrite );
	supDestroyFlesh( built );
	supDestroyCharacter( character );
	testRemoveFolder( folder );
}

typedef struct Attempt
{
	supCharacter* character;
	const char* path;
} Attempt;

static bool AttemptBlock( void* context )
{
	const Attempt* attempt = context;
	supError error = { 0 };
	supFlesh* built = BuildPush( attempt->character, &error );
	size_t size = 0;
	uint8_t* block = built != NULL ? supWriteFlesh( built, &size, &error ) : NULL;
	supFlesh* read = block != NULL ? supReadFleshWith( block, size, "box", attempt->character, &s_push, &error ) : NULL;
	bool ok = read != NULL;
	supDestroyFlesh( read );
	supFree( block );
	supDestroyFlesh( built );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static bool AttemptFile( void* context )
{
	const Attempt* attempt = context;
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	supFlesh* built = supBuildFlesh( attempt->character, &def, NULL, &error );
	bool ok = built != NULL && supSaveFlesh( built, attempt->path, &error );
	supFlesh* loaded = ok ? supLoadFlesh( attempt->path, attempt->character, &error ) : NULL;
	ok = loaded != NULL;
	supDestroyFlesh( loaded );
	supDestroyFlesh( built );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	char folder[256];
	char path[300];
	snprintf( path, sizeof( path ), "%s/box.flesh", testMakeFolder( folder ) );
	Attempt attempt = { testMakeBox(), path };
	testEachAllocationFailure( AttemptBlock, &attempt, 200 );
	testEachAllocationFailure( AttemptFile, &attempt, 200 );
	supDestroyCharacter( attempt.character );
	testRemoveFolder( folder );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestBlockRoundTrip ),  cmocka_unit_test( TestFileRoundTrip ),
		cmocka_unit_test( TestOtherCharacters ), cmocka_unit_test( TestBodyHash ),
		cmocka_unit_test( TestOtherMethods ),    cmocka_unit_test( TestHostileSections ),
		cmocka_unit_test( TestOtherByteOrder ),  cmocka_unit_test( TestBadFiles ),
		cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
