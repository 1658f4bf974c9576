// SPDX-License-Identifier: MIT
// Real glTF files: what is in them, and that reading and writing changes nothing.
#include "support.h"

#include "io/gltf/document.h"

#include <stdlib.h>
#include <string.h>

typedef struct Asset
{
	const char* path;
	int32_t vertices;
	int32_t triangles;
	int32_t joints;
	int32_t clips;
	// something that must be among the notes, NULL for nothing in particular
	const char* note;
} Asset;

// Counted by another program: the README of the assets.
static const Asset s_assets[] = {
	{ "CesiumMan.glb", 3273, 4672, 19, 1, "has a transform, which skinning ignores" },
	{ "Fox.glb", 1728, 576, 24, 3, "not indexed" },
	{ "RiggedFigure.glb", 370, 256, 19, 1, "has a transform, which skinning ignores" },
	{ "RiggedSimple.glb", 160, 188, 2, 1, "has a transform, which skinning ignores" },
	{ "SimpleSkin.gltf", 10, 8, 2, 1, NULL },
	{ "RecursiveSkeletons.glb", 40, 76, 840, 1, "84 skins" },
	{ "RobotExpressive.glb", 7214, 3237, 43, 14, "the rest pose differs" },
	{ "Alien/Alien.gltf", 13429, 25222, 6, 1, "cannot read image" },
	{ "Elf/Elf.gltf", 6936, 2312, 22, 0, "no clips" },
	{ "Elf/Elf_allAnimations.gltf", 0, 0, 0, 4, "no meshes" },
	{ "Yeti/Yeti.gltf", 19476, 35146, 67, 1, "weights of" },
	{ "hand-left.glb", 1070, 1808, 26, 0, "no clips" },
	{ "horse-animations.glb", 2146, 3414, 56, 14, NULL },
	{ "snake-animations.glb", 995, 1130, 28, 8, NULL },
	{ "kaiju-animations.glb", 1561, 2318, 58, 10, NULL },
	{ "spider-animations.glb", 924, 1600, 56, 10, NULL },
	{ "dragon-animations.glb", 2905, 3498, 100, 5, NULL },
	{ "m2m-human.glb", 8722, 13713, 66, 1, NULL },
	{ "human-bunny.glb", 3241, 5262, 66, 0, "no clips" },
	{ "human-zombie.glb", 1029, 1604, 42, 0, "no clips" },
	{ "kaiju-t-rex.glb", 4542, 7010, 57, 0, "no clips" },
	{ "skin-cases/Animation_Skin_01.gltf", 6, 4, 2, 1, "the rest pose differs" },
	{ "skin-cases/Animation_Skin_02.gltf", 6, 4, 2, 0, "has a transform, which skinning ignores" },
	{ "skin-cases/Animation_Skin_04.gltf", 6, 4, 2, 0, "no inverse bind matrices" },
	{ "skin-cases/Animation_Skin_06.gltf", 12, 8, 2, 0, "the rest pose differs" },
	{ "skin-cases/Animation_Skin_08.gltf", 12, 12, 2, 1, "2 skins" },
	{ "skin-cases/Animation_Skin_09.gltf", 10, 8, 5, 0, "the rest pose differs" },
};

static const char* AssetPath( const char* name )
{
	char path[256];
	snprintf( path, sizeof( path ), "characters/%s", name );
	return testAsset( path );
}

static bool HasNote( const supCharacter* character, const char* text )
{
	for ( int32_t i = 0; i < supCharacter_NoteCount( character ); ++i )
	{
		if ( strstr( supCharacter_Note( character, i )->text, text ) != NULL )
		{
			return true;
		}
	}
	return false;
}

static int32_t CountJoints( const supCharacter* character )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		count += supCharacter_IsJoint( character, i ) ? 1 : 0;
	}
	return count;
}

static void CheckCounts( const Asset* asset, const supCharacter* character )
{
	int32_t vertices = 0;
	int32_t triangles = 0;
	for ( int32_t i = 0; i < supCharacter_MeshCount( character ); ++i )
	{
		vertices += supCharacter_Mesh( character, i )->vertexCount;
		triangles += supCharacter_Mesh( character, i )->indexCount / 3;
	}
	bool right = vertices == asset->vertices && triangles == asset->triangles &&
				 CountJoints( character ) == asset->joints && supCharacter_ClipCount( character ) == asset->clips;
	if ( right == false )
	{
		fail_msg( "%s: %d vertices, %d triangles, %d joints, %d clips", asset->path, vertices, triangles,
				  CountJoints( character ), supCharacter_ClipCount( character ) );
	}
	if ( asset->note != NULL && HasNote( character, asset->note ) == false )
	{
		fail_msg( "%s: no note says \"%s\"", asset->path, asset->note );
	}
}

static supDocument* Load( const char* path )
{
	supError error = { 0 };
	supDocument* document = supLoadDocument( path, &error );
	testRequire( document != NULL, &error );
	return document;
}

static supCharacter* Create( const supDocument* document )
{
	supError error = { 0 };
	supCharacter* character = supDocument_CreateCharacter( document, &error );
	testRequire( character != NULL, &error );
	return character;
}

static void TestCounts( void** state )
{
	(void)state;
	for ( int32_t i = 0; i < SUP_COUNT( s_assets ); ++i )
	{
		supDocument* document = Load( AssetPath( s_assets[i].path ) );
		supCharacter* character = Create( document );
		CheckCounts( s_assets + i, character );
		supDestroyCharacter( character );
		supDestroyDocument( document );
	}
}

// Clips that the README names, with their last key.
static void TestClips( void** state )
{
	(void)state;
	supDocument* document = Load( AssetPath( "Fox.glb" ) );
	supCharacter* character = Create( document );
	static const struct
	{
		const char* name;
		float end;
	} clips[] = { { "Survey", 3.42f }, { "Walk", 0.71f }, { "Run", 1.16f } };
	for ( int32_t i = 0; i < 3; ++i )
	{
		const supClip* clip = supCharacter_Clip( character, i );
		assert_string_equal( clip->name, clips[i].name );
		assert_true( clip->start == 0.0f );
		assert_float_equal( clip->end, clips[i].end, 0.005f );
	}
	supDestroyCharacter( character );
	supDestroyDocument( document );
}

// Sizes of the meshes as another program measured them, in mesh space.
static void TestSizes( void** state )
{
	(void)state;
	static const struct
	{
		const char* path;
		float x, y, z;
	} sizes[] = { { "CesiumMan.glb", 0.312f, 1.14f, 1.51f },
				  { "Fox.glb", 25.2f, 79.0f, 155.0f },
				  { "Yeti/Yeti.gltf", 1.94f, 2.41f, 1.05f },
				  { "snake-animations.glb", 0.225f, 0.217f, 4.01f },
				  { "human-bunny.glb", 4.77f, 4.21f, 2.11f } };
	for ( int32_t k = 0; k < SUP_COUNT( sizes ); ++k )
	{
		supDocument* document = Load( AssetPath( sizes[k].path ) );
		supCharacter* character = Create( document );
		supBox box = supBox_empty;
		for ( int32_t i = 0; i < supCharacter_MeshCount( character ); ++i )
		{
			const supMesh* mesh = supCharacter_Mesh( character, i );
			for ( int32_t v = 0; v < mesh->vertexCount; ++v )
			{
				box = supBox_Include( box, mesh->positions[v] );
			}
		}
		// the table has three digits
		supVec3 size = supBox_Size( box );
		assert_float_equal( size.x, sizes[k].x, 0.005f * sizes[k].x );
		assert_float_equal( size.y, sizes[k].y, 0.005f * sizes[k].y );
		assert_float_equal( size.z, sizes[k].z, 0.005f * sizes[k].z );
		supDestroyCharacter( character );
		supDestroyDocument( document );
	}
}

static void TestDracoIsRefused( void** state )
{
	(void)state;
	supError error = { 0 };
	assert_null( supLoadDocument( AssetPath( "CesiumMan-Draco/CesiumMan.gltf" ), &error ) );
	assert_int_equal( error.code, sup_errorUnsupported );
	assert_non_null( strstr( error.message, "Draco" ) );
	assert_non_null( strstr( error.message, "Draco compression" ) );
	assert_non_null( strstr( error.where, "CesiumMan.gltf" ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Round trip

// Everything but what the container dictates: the list of buffers and the numbers that point into it.
static json_t* WithoutBuffers( const supDocument* document )
{
	json_t* root = json_deep_copy( document->root );
	json_object_del( root, "buffers" );
	json_t* view;
	size_t index;
	json_array_foreach( json_object_get( root, "bufferViews" ), index, view )
	{
		json_object_del( view, "buffer" );
		json_object_del( view, "byteOffset" );
	}
	return root;
}

static void CheckSameBuffers( const supDocument* before, const supDocument* after )
{
	size_t viewCount = json_array_size( json_object_get( before->root, "bufferViews" ) );
	for ( size_t i = 0; i < viewCount; ++i )
	{
		supError error = { 0 };
		const uint8_t* a = NULL;
		const uint8_t* b = NULL;
		size_t aCount = 0;
		size_t bCount = 0;
		testRequire( supDocument_View( before, (int64_t)i, "test", &a, &aCount, &error ), &error );
		testRequire( supDocument_View( after, (int64_t)i, "test", &b, &bCount, &error ), &error );
		assert_int_equal( aCount, bCount );
		assert_memory_equal( a, b, aCount );
	}
}

static void CheckSameGlb( const supDocument* before, const supDocument* after )
{
	assert_int_equal( before->buffers.count, 1 );
	assert_int_equal( after->buffers.count, 1 );
	assert_int_equal( before->buffers.data[0].byteCount, after->buffers.data[0].byteCount );
	assert_memory_equal( before->buffers.data[0].bytes, after->buffers.data[0].bytes,
						 before->buffers.data[0].byteCount );
	assert_true( json_equal( before->root, after->root ) );
}

static void CheckRoundTrip( const char* path, const char* copyPath )
{
	supError error = { 0 };
	supDocument* before = Load( path );
	testRequire( supSaveDocument( before, copyPath, &error ), &error );
	supDocument* after = Load( copyPath );
	json_t* a = WithoutBuffers( before );
	json_t* b = WithoutBuffers( after );
	if ( json_equal( a, b ) == 0 )
	{
		fail_msg( "%s: the JSON changed on the way", path );
	}
	json_decref( a );
	json_decref( b );
	CheckSameBuffers( before, after );
	if ( strstr( path, ".glb" ) != NULL && strstr( copyPath, ".glb" ) != NULL )
	{
		CheckSameGlb( before, after );
	}
	supCharacter* characterBefore = Create( before );
	supCharacter* characterAfter = Create( after );
	assert_true( supCharacter_Hash( characterBefore ) == supCharacter_Hash( characterAfter ) );
	supDestroyCharacter( characterBefore );
	supDestroyCharacter( characterAfter );
	supDestroyDocument( before );
	supDestroyDocument( after );
}

// Under the same name, since that is the name of the character.
static void RoundTripAll( const char* extension )
{
	char folder[256];
	testMakeFolder( folder );
	for ( int32_t i = 0; i < SUP_COUNT( s_assets ); ++i )
	{
		const char* path = AssetPath( s_assets[i].path );
		const char* slash = strrchr( path, '/' );
		char stem[128];
		snprintf( stem, sizeof( stem ), "%s", slash + 1 );
		*strrchr( stem, '.' ) = 0;
		char copy[512];
		snprintf( copy, sizeof( copy ), "%s/%s%s", folder, stem, extension );
		CheckRoundTrip( path, copy );
	}
	testRemoveFolder( folder );
}

static void TestRoundTripGlb( void** state )
{
	(void)state;
	RoundTripAll( ".glb" );
}

static void TestRoundTripGltf( void** state )
{
	(void)state;
	RoundTripAll( ".gltf" );
}

// A GLB comes out byte by byte where its JSON is written the way we write it: what we wrote once stays as it is.
static void TestWrittenFileIsStable( void** state )
{
	(void)state;
	supError error = { 0 };
	supDocument* document = Load( AssetPath( "Yeti/Yeti.gltf" ) );
	size_t firstCount = 0;
	uint8_t* first = supWriteDocument( document, &firstCount, &error );
	testRequire( first != NULL, &error );
	supDestroyDocument( document );
	document = supParseDocument( first, firstCount, "Yeti.glb", NULL, NULL, &error );
	testRequire( document != NULL, &error );
	size_t secondCount = 0;
	uint8_t* second = supWriteDocument( document, &secondCount, &error );
	testRequire( second != NULL, &error );
	assert_int_equal( firstCount, secondCount );
	assert_memory_equal( first, second, firstCount );
	supDestroyDocument( document );
	supFree( first );
	supFree( second );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestCounts ),
		cmocka_unit_test( TestClips ),
		cmocka_unit_test( TestSizes ),
		cmocka_unit_test( TestDracoIsRefused ),
		cmocka_unit_test( TestRoundTripGlb ),
		cmocka_unit_test( TestRoundTripGltf ),
		cmocka_unit_test( TestWrittenFileIsStable ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
