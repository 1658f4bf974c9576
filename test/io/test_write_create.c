// SPDX-License-Identifier: MIT
// Whole documents from characters: what comes back is what went in.
#include "support.h"

#include "io/gltf/gltf_write.h"
#include "sample_character.h"
#include "skinned.h"

#include <stdlib.h>
#include <string.h>

static sampleCharacter s_sample;

// Through bytes, as any other program would read it.
static supCharacter* WriteAndRead( const supCharacter* character )
{
	supError error = { 0 };
	supDocument* document = supCreateDocument( character, &error );
	testRequire( document != NULL, &error );
	size_t byteCount;
	uint8_t* bytes = supWriteDocument( document, &byteCount, &error );
	testRequire( bytes != NULL, &error );
	char name[256];
	snprintf( name, sizeof( name ), "%s.glb", supCharacter_Name( character ) );
	supDocument* again = supParseDocument( bytes, byteCount, name, NULL, NULL, &error );
	testRequire( again != NULL, &error );
	supCharacter* result = supDocument_CreateCharacter( again, &error );
	testRequire( result != NULL, &error );
	supDestroyDocument( again );
	supFree( bytes );
	supDestroyDocument( document );
	return result;
}

static supCharacter* CreateSample( void )
{
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &s_sample.def, &error );
	testRequire( character != NULL, &error );
	return character;
}

static void TestSampleComesBackTheSame( void** state )
{
	(void)state;
	sampleMake( &s_sample );
	supCharacter* character = CreateSample();
	supCharacter* again = WriteAndRead( character );
	assert_int_equal( supCharacter_NodeCount( again ), supCharacter_NodeCount( character ) );
	assert_int_equal( supCharacter_Mesh( again, 0 )->influences, 8 );
	assert_true( supCharacter_Hash( again ) == supCharacter_Hash( character ) );
	supDestroyCharacter( again );
	supDestroyCharacter( character );
}

// Real files: what a character holds of them survives being written from nothing.
static void TestAssetsComeBackTheSame( void** state )
{
	(void)state;
	static const char* const names[] = {
		"Fox.glb",
		"CesiumMan.glb",
		"RiggedSimple.glb",
		"SimpleSkin.gltf",
		"hand-left.glb",
		"RobotExpressive.glb",
		"Alien/Alien.gltf",
		"RecursiveSkeletons.glb",
		"m2m-human.glb",
		"dragon-animations.glb",
		"Elf/Elf.gltf",
		"Yeti/Yeti.gltf",
		"Elf/Elf_allAnimations.gltf",
	};
	for ( int i = 0; i < SUP_COUNT( names ); ++i )
	{
		char path[256];
		snprintf( path, sizeof( path ), "characters/%s", names[i] );
		supError error = { 0 };
		supCharacter* character = supLoadCharacter( testAsset( path ), &error );
		testRequire( character != NULL, &error );
		supCharacter* again = WriteAndRead( character );
		if ( supCharacter_Hash( again ) != supCharacter_Hash( character ) )
		{
			fail_msg( "%s is not the same after writing and reading", names[i] );
		}
		supDestroyCharacter( again );
		supDestroyCharacter( character );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// What glTF cannot say directly is said otherwise: the vertices end up in the same places

static void RequireSamePositions( const supCharacter* a, const supCharacter* b, float tolerance )
{
	assert_int_equal( supCharacter_InstanceCount( a ), supCharacter_InstanceCount( b ) );
	supPose* poseA = supCreatePose( a );
	supPose* poseB = supCreatePose( b );
	for ( int frame = 0; frame < 3; ++frame )
	{
		for ( int32_t i = 0; i < supCharacter_ClipCount( a ) && frame > 0; ++i )
		{
			supPose_ApplyClip( poseA, supCharacter_Clip( a, i ), 0.6f * (float)frame );
			supPose_ApplyClip( poseB, supCharacter_Clip( b, i ), 0.6f * (float)frame );
		}
		for ( int32_t i = 0; i < supCharacter_InstanceCount( a ); ++i )
		{
			const supMesh* mesh = supCharacter_Mesh( a, supCharacter_Instance( a, i )->mesh );
			size_t count = (size_t)mesh->vertexCount;
			supVec3* p = malloc( count * sizeof( supVec3 ) );
			supVec3* q = malloc( count * sizeof( supVec3 ) );
			supSkinInstance( poseA, i, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = p } );
			supSkinInstance( poseB, i, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = q } );
			for ( size_t k = 0; k < count; ++k )
			{
				testLessEqual( supDistance( p[k], q[k] ), tolerance );
			}
			free( q );
			free( p );
		}
	}
	supDestroyPose( poseB );
	supDestroyPose( poseA );
}

static void RequireSampleKeepsItsShape( int32_t addedNodes )
{
	supCharacter* character = CreateSample();
	supCharacter* again = WriteAndRead( character );
	assert_int_equal( supCharacter_NodeCount( again ), supCharacter_NodeCount( character ) + addedNodes );
	RequireSamePositions( character, again, 2e-6f );
	supDestroyCharacter( again );
	supDestroyCharacter( character );
}

static void TestShearBecomesTwoNodes( void** state )
{
	(void)state;
	sampleMake( &s_sample );
	s_sample.nodes[SampleHat].hasMatrix = true;
	s_sample.nodes[SampleHat].matrix =
		( supMat34 ){ { 1.0f, 0.5f, 0.0f }, { 0.0f, 1.0f, 0.3f }, { 0.2f, 0.0f, -0.7f }, { 0.1f, 0.2f, 0.3f } };
	RequireSampleKeepsItsShape( 1 );
}

static void TestSecondMeshOnANodeGetsAChild( void** state )
{
	(void)state;
	sampleMake( &s_sample );
	s_sample.instances[1].node = SampleBody;
	s_sample.nodes[SampleBody].rest.translation.x = 2.0f;
	RequireSampleKeepsItsShape( 1 );
}

static void TestSeparateTreesGetACommonRoot( void** state )
{
	(void)state;
	sampleMake( &s_sample );
	s_sample.nodes[SampleFirstJoint + 3].parent = -1;
	s_sample.nodes[SampleFirstJoint + 5].parent = -1;
	RequireSampleKeepsItsShape( 1 );
}

static void TestJointListedTwiceGetsAStandIn( void** state )
{
	(void)state;
	sampleMake( &s_sample );
	s_sample.joints[4] = s_sample.joints[1];
	RequireSampleKeepsItsShape( 1 );
}

static void TestMeshWithoutTrianglesIsLeftOut( void** state )
{
	(void)state;
	sampleMake( &s_sample );
	supMesh empty = { .name = "empty" };
	supMesh meshes[3] = { empty, s_sample.meshes[0], s_sample.meshes[1] };
	s_sample.def.meshes = meshes;
	s_sample.def.meshCount = 3;
	s_sample.instances[0].mesh = 1;
	s_sample.instances[1].mesh = 2;
	RequireSampleKeepsItsShape( 0 );
}

// One weight set lists the same joint twice: glTF wants it once, with both weights.
static void TestJointTwiceInAVertexIsMerged( void** state )
{
	(void)state;
	sampleMake( &s_sample );
	for ( int i = 0; i < SAMPLE_VERTICES; ++i )
	{
		s_sample.vertexJoints[5 * i + 3] = s_sample.vertexJoints[5 * i];
	}
	RequireSampleKeepsItsShape( 0 );
	supCharacter* character = CreateSample();
	supCharacter* again = WriteAndRead( character );
	const supMesh* mesh = supCharacter_Mesh( again, 0 );
	assert_int_equal( mesh->influences, 4 );
	for ( int i = 0; i < SAMPLE_VERTICES; ++i )
	{
		for ( int k = 1; k < 4; ++k )
		{
			assert_int_not_equal( mesh->joints[4 * i], mesh->joints[4 * i + k] );
		}
	}
	supDestroyCharacter( again );
	supDestroyCharacter( character );
}

#define MANY_JOINTS 300

// Joint numbers beyond 255 need 16 bits.
static void TestManyJoints( void** state )
{
	(void)state;
	static supNode nodes[MANY_JOINTS + 1];
	static int32_t joints[MANY_JOINTS];
	for ( int i = 0; i < MANY_JOINTS; ++i )
	{
		nodes[i] = ( supNode ){ .name = "j", .parent = i - 1, .rest = supTransform_identity };
		nodes[i].rest.translation.y = 0.01f;
		joints[i] = i;
	}
	nodes[MANY_JOINTS] = ( supNode ){ .name = "mesh", .parent = -1, .rest = supTransform_identity };
	static const supVec3 positions[] = { { 0.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f } };
	static const uint16_t vertexJoints[] = { 299, 3, 256, 255, 0, 298 };
	static const float weights[] = { 0.75f, 0.25f, 0.5f, 0.5f, 1.0f, 0.0f };
	supSkin skin = { "many", MANY_JOINTS, joints, NULL };
	supMesh mesh = { .name = "t",
					 .vertexCount = 3,
					 .indexCount = 3,
					 .positions = positions,
					 .influences = 2,
					 .joints = vertexJoints,
					 .weights = weights };
	supCharacter* character = testMakeSkinned( nodes, MANY_JOINTS + 1, &skin, &mesh );
	supCharacter* again = WriteAndRead( character );
	assert_int_equal( supCharacter_Mesh( again, 0 )->joints[0], 299 );
	assert_true( supCharacter_Hash( again ) == supCharacter_Hash( character ) );
	supDestroyCharacter( again );
	supDestroyCharacter( character );
}

static void TestPicturesThatAreFilesKeepTheirName( void** state )
{
	(void)state;
	sampleMake( &s_sample );
	s_sample.images[0].bytes = NULL;
	s_sample.images[0].byteCount = 0;
	s_sample.images[0].uri = "my skins\\fox \xC3\xA9%20.png";
	supError error = { 0 };
	supCharacter* character = CreateSample();
	supDocument* document = supCreateDocument( character, &error );
	testRequire( document != NULL, &error );
	const json_t* image = supJson_At( supJson_Get( document->root, "images" ), 0 );
	assert_string_equal( supJson_String( image, "uri", "" ), "my%20skins/fox%20%C3%A9%20.png" );
	supDestroyDocument( document );
	supDestroyCharacter( character );
}

static bool CreateOnce( void* context )
{
	supError error = { 0 };
	supDocument* document = supCreateDocument( context, &error );
	assert_true( document != NULL || error.code == sup_errorMemory );
	supDestroyDocument( document );
	return document != NULL;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	supInitJson();
	sampleMake( &s_sample );
	s_sample.nodes[SampleHat].hasMatrix = true;
	s_sample.nodes[SampleHat].matrix = supMat34_identity;
	s_sample.nodes[SampleHat].matrix.cx.y = 1.0f;
	s_sample.nodes[SampleFirstJoint + 3].parent = -1;
	supCharacter* character = CreateSample();
	testEachAllocationFailure( CreateOnce, character, 3000 );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSampleComesBackTheSame ),
		cmocka_unit_test( TestAssetsComeBackTheSame ),
		cmocka_unit_test( TestShearBecomesTwoNodes ),
		cmocka_unit_test( TestSecondMeshOnANodeGetsAChild ),
		cmocka_unit_test( TestSeparateTreesGetACommonRoot ),
		cmocka_unit_test( TestJointListedTwiceGetsAStandIn ),
		cmocka_unit_test( TestMeshWithoutTrianglesIsLeftOut ),
		cmocka_unit_test( TestJointTwiceInAVertexIsMerged ),
		cmocka_unit_test( TestManyJoints ),
		cmocka_unit_test( TestPicturesThatAreFilesKeepTheirName ),
		cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
