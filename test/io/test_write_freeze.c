// SPDX-License-Identifier: MIT
// One skinned frame: what is read back stands where skinning put it, and everything else is as it was.
#include "support.h"

#include "io/gltf/gltf_write.h"
#include "sample_character.h"

#include <stdlib.h>
#include <string.h>

static supCharacter* CreateCharacter( const supDocument* document )
{
	supError error = { 0 };
	supCharacter* character = supDocument_CreateCharacter( document, &error );
	testRequire( character != NULL, &error );
	return character;
}

static void PoseMidway( supPose* pose )
{
	const supCharacter* character = supPose_Character( pose );
	if ( supCharacter_ClipCount( character ) > 0 )
	{
		const supClip* clip = supCharacter_Clip( character, 0 );
		supPose_ApplyClip( pose, clip, 0.4f * clip->start + 0.6f * clip->end );
	}
}

// Through bytes, as any other program would read it.
static supCharacter* Reload( const supDocument* document )
{
	supError error = { 0 };
	size_t byteCount;
	uint8_t* bytes = supWriteDocument( document, &byteCount, &error );
	testRequire( bytes != NULL, &error );
	supDocument* again = supParseDocument( bytes, byteCount, "again.glb", NULL, NULL, &error );
	testRequire( again != NULL, &error );
	supCharacter* character = CreateCharacter( again );
	supDestroyDocument( again );
	supFree( bytes );
	return character;
}

// The instance of the frozen character that came from each of the original: on the same node, or else on one of the
// nodes behind, in order.
static void MatchInstances( const supCharacter* original, const supCharacter* frozen, int32_t* matches )
{
	int32_t count = supCharacter_InstanceCount( original );
	assert_int_equal( supCharacter_InstanceCount( frozen ), count );
	int32_t next = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		matches[i] = -1;
		for ( int32_t k = 0; k < count; ++k )
		{
			if ( supCharacter_Instance( frozen, k )->node == supCharacter_Instance( original, i )->node )
			{
				matches[i] = k;
			}
		}
		while ( matches[i] < 0 )
		{
			bool isAdded = supCharacter_Instance( frozen, next )->node >= supCharacter_NodeCount( original );
			matches[i] = isAdded ? next : -1;
			next += 1;
		}
	}
}

static void RequirePosed( supPose* pose, int32_t instance, const supCharacter* frozen, int32_t match )
{
	const supCharacter* original = supPose_Character( pose );
	const supInstance* a = supCharacter_Instance( original, instance );
	const supInstance* b = supCharacter_Instance( frozen, match );
	const supMesh* from = supCharacter_Mesh( original, a->mesh );
	const supMesh* to = supCharacter_Mesh( frozen, b->mesh );
	assert_string_equal( supCharacter_Node( original, a->node )->name, supCharacter_Node( frozen, b->node )->name );
	assert_int_equal( b->skin, -1 );
	assert_int_equal( supCharacter_Node( frozen, b->node )->parent, -1 );
	supTransform rest = supCharacter_Node( frozen, b->node )->rest;
	assert_memory_equal( &rest, &supTransform_identity, sizeof( rest ) );
	assert_int_equal( to->vertexCount, from->vertexCount );
	assert_int_equal( to->indexCount, from->indexCount );
	assert_int_equal( to->targetCount, 0 );
	assert_int_equal( to->influences, 0 );
	size_t count = (size_t)from->vertexCount;
	supSkinOutput output = { malloc( count * sizeof( supVec3 ) ), malloc( count * sizeof( supVec3 ) ), NULL };
	supSkinInstance( pose, instance, sup_skinningLinear, NULL, &output );
	assert_memory_equal( to->positions, output.positions, count * sizeof( supVec3 ) );
	for ( size_t k = 0; k < count && from->normals != NULL; ++k )
	{
		bool isZero = supLengthSquared( output.normals[k] ) == 0.0f;
		assert_true( isZero || supDistance( to->normals[k], output.normals[k] ) < 1e-5f );
	}
	assert_true( ( from->texcoords != NULL ) == ( to->texcoords != NULL ) );
	assert_true( from->texcoords == NULL || memcmp( from->texcoords, to->texcoords, count * sizeof( supVec2 ) ) == 0 );
	free( output.normals );
	free( output.positions );
}

// Nodes that did not carry a mesh stand where the pose put them.
static void RequirePosedNodes( supPose* pose, const supCharacter* frozen )
{
	const supCharacter* original = supPose_Character( pose );
	supPose* rest = supCreatePose( frozen );
	const supMat34* worlds = supPose_Worlds( pose );
	const supMat34* stands = supPose_Worlds( rest );
	for ( int32_t i = 0; i < supCharacter_NodeCount( original ); ++i )
	{
		if ( supCharacter_IsJoint( original, i ) )
		{
			assert_memory_equal( worlds + i, stands + i, sizeof( supMat34 ) );
		}
	}
	supDestroyPose( rest );
}

static void TestAssetsStandInThePose( void** state )
{
	(void)state;
	static const char* const names[] = {
		"Fox.glb",         "CesiumMan.glb",          "RiggedFigure.glb",     "RiggedSimple.glb",
		"SimpleSkin.gltf", "RobotExpressive.glb",    "Alien/Alien.gltf",     "Elf/Elf.gltf",
		"Yeti/Yeti.gltf",  "hand-left.glb",          "horse-animations.glb", "dragon-animations.glb",
		"m2m-human.glb",   "RecursiveSkeletons.glb", "kaiju-t-rex.glb",      "skin-cases/Animation_Skin_08.gltf",
	};
	for ( int i = 0; i < SUP_COUNT( names ); ++i )
	{
		char path[256];
		snprintf( path, sizeof( path ), "characters/%s", names[i] );
		supError error = { 0 };
		supDocument* document = supLoadDocument( testAsset( path ), &error );
		testRequire( document != NULL, &error );
		supCharacter* character = CreateCharacter( document );
		supPose* pose = supCreatePose( character );
		PoseMidway( pose );
		testRequire( supDocument_Freeze( document, pose, sup_skinningLinear, NULL, &error ), &error );
		supCharacter* frozen = Reload( document );
		assert_int_equal( supCharacter_ClipCount( frozen ), 0 );
		assert_int_equal( supCharacter_SkinCount( frozen ), 0 );
		assert_int_equal( supCharacter_MaterialCount( frozen ), supCharacter_MaterialCount( character ) );
		int32_t matches[256];
		MatchInstances( character, frozen, matches );
		for ( int32_t k = 0; k < supCharacter_InstanceCount( character ); ++k )
		{
			RequirePosed( pose, k, frozen, matches[k] );
		}
		RequirePosedNodes( pose, frozen );
		supDestroyCharacter( frozen );
		supDestroyPose( pose );
		supDestroyCharacter( character );
		supDestroyDocument( document );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// A document with everything that must be kept or taken care of. Positions of the only triangle: (0,0,0) (1,0,0)
// (0,1,0).

static const char s_document[] =
	"{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"X_thing\"],\"scene\":0,"
	"\"scenes\":[{\"nodes\":[0,5]},{\"nodes\":[4]},{\"nodes\":[0]}],"
	"\"nodes\":["
	"{\"name\":\"root\",\"children\":[1,2,3,6],\"translation\":[10,0,0]},"
	"{\"name\":\"alone\",\"mesh\":0,\"translation\":[0,1,0],\"extras\":{\"keep\":1}},"
	"{\"name\":\"parent\",\"mesh\":0,\"children\":[7],\"scale\":[2,2,2]},"
	"{\"name\":\"mixed\",\"mesh\":1},"
	"{\"name\":\"elsewhere\",\"mesh\":0},"
	"{\"name\":\"camera\",\"camera\":0,\"mesh\":2},"
	"{\"name\":\"lines\",\"mesh\":3},"
	"{\"name\":\"child\",\"extensions\":{\"X_thing\":{\"accessor\":0}}}],"
	"\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":0.1}}],"
	"\"meshes\":["
	"{\"name\":\"shared\",\"primitives\":[{\"attributes\":{\"POSITION\":0,\"_HEAT\":1},\"extras\":7}],"
	"\"extensions\":{\"X_thing\":{\"a\":[1,2]}}},"
	"{\"name\":\"both\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":1},{\"attributes\":{\"POSITION\":0}}]},"
	"{\"name\":\"morph\",\"weights\":[0.5],\"extras\":{\"targetNames\":[\"up\"],\"author\":\"me\"},"
	"\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":0}]}]},"
	"{\"name\":\"wire\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":3}]}],"
	"\"animations\":[{\"channels\":[],\"samplers\":[]}],"
	"\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]},"
	"{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"}],"
	"\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
	"\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
	"AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}";

static const json_t* Item( const supDocument* document, const char* key, size_t index )
{
	return supJson_At( supJson_Get( document->root, key ), index );
}

static void RequireSceneNodes( const supDocument* document, size_t scene, int count, const int* nodes )
{
	const json_t* list = supJson_Get( Item( document, "scenes", scene ), "nodes" );
	assert_int_equal( json_array_size( list ), count );
	for ( int i = 0; i < count; ++i )
	{
		assert_int_equal( supJson_IndexAt( list, (size_t)i ), nodes[i] );
	}
}

// The second corner of the triangle that a node carries.
static supVec3 Corner( const supDocument* document, size_t node )
{
	supError error = { 0 };
	int64_t mesh = supJson_Index( Item( document, "nodes", node ), "mesh", -1 );
	testGreaterEqual( mesh, 0 );
	const json_t* primitive = supJson_At( supJson_Get( Item( document, "meshes", (size_t)mesh ), "primitives" ), 0 );
	int64_t accessor = supJson_Index( supJson_Get( primitive, "attributes" ), "POSITION", -1 );
	supArena arena = { 0 };
	supAccessor shape;
	float* p = supDocument_ReadFloats( document, accessor, "test", &arena, &shape, &error );
	testRequire( p != NULL, &error );
	supVec3 corner = { p[3], p[4], p[5] };
	supArena_Destroy( &arena );
	return corner;
}

static void TestEverythingElseStays( void** state )
{
	(void)state;
	supError error = { 0 };
	supDocument* document = supParseDocument( s_document, strlen( s_document ), "all.gltf", NULL, NULL, &error );
	testRequire( document != NULL, &error );
	json_t* before = json_deep_copy( document->root );
	supCharacter* character = CreateCharacter( document );
	assert_int_equal( supCharacter_InstanceCount( character ), 4 );
	supPose* pose = supCreatePose( character );
	supTransform moved = supTransform_identity;
	moved.translation.x = 20.0f;
	supPose_SetLocal( pose, 0, moved );
	testRequire( supDocument_Freeze( document, pose, sup_skinningLinear, NULL, &error ), &error );

	// "alone" went to the root; "parent", "mixed" and "camera" handed their meshes over to new nodes
	const int first[] = { 0, 5, 1, 8, 9, 10 };
	const int second[] = { 4 };
	const int third[] = { 0, 1, 8, 9 };
	RequireSceneNodes( document, 0, 6, first );
	RequireSceneNodes( document, 1, 1, second );
	RequireSceneNodes( document, 2, 4, third );
	const json_t* children = supJson_Get( Item( document, "nodes", 0 ), "children" );
	assert_int_equal( json_array_size( children ), 3 );
	assert_int_equal( supJson_IndexAt( children, 0 ), 2 );
	assert_true( json_number_value( supJson_At( supJson_Get( Item( document, "nodes", 0 ), "translation" ), 0 ) ) ==
				 20.0 );

	assert_float_equal( Corner( document, 1 ).x, 21.0f, 1e-6f );
	assert_float_equal( Corner( document, 1 ).y, 1.0f, 1e-6f );
	assert_float_equal( Corner( document, 8 ).x, 22.0f, 1e-6f );
	assert_float_equal( Corner( document, 9 ).x, 21.0f, 1e-6f );
	assert_float_equal( Corner( document, 10 ).x, 1.5f, 1e-6f ); // halfway to the morph target
	assert_float_equal( Corner( document, 4 ).x, 1.0f, 1e-6f );  // not in the scene: not an instance
	assert_float_equal( Corner( document, 3 ).x, 1.0f, 1e-6f );  // lines stay with the node

	assert_string_equal( supJson_String( Item( document, "nodes", 8 ), "name", "" ), "parent" );
	assert_null( supJson_Get( Item( document, "nodes", 1 ), "translation" ) );
	assert_int_equal( supJson_Index( supJson_Get( Item( document, "nodes", 1 ), "extras" ), "keep", -1 ), 1 );
	assert_null( supJson_Get( Item( document, "nodes", 2 ), "mesh" ) );
	assert_non_null( supJson_Get( Item( document, "nodes", 5 ), "camera" ) );
	assert_null( supJson_Get( document->root, "animations" ) );

	const json_t* alone = Item( document, "meshes", (size_t)supJson_Index( Item( document, "nodes", 1 ), "mesh", 0 ) );
	const json_t* primitive = supJson_At( supJson_Get( alone, "primitives" ), 0 );
	assert_int_equal( supJson_Index( supJson_Get( primitive, "attributes" ), "_HEAT", -1 ), 1 );
	assert_int_equal( supJson_Index( primitive, "extras", -1 ), 7 );
	assert_true( json_equal( supJson_Get( alone, "extensions" ),
							 supJson_Get( supJson_At( supJson_Get( before, "meshes" ), 0 ), "extensions" ) ) );
	const json_t* morph = Item( document, "meshes", 2 );
	assert_null( supJson_Get( morph, "weights" ) );
	assert_null( supJson_Get( supJson_Get( morph, "extras" ), "targetNames" ) );
	assert_string_equal( supJson_String( supJson_Get( morph, "extras" ), "author", "" ), "me" );
	static const int kept[] = { 4, 6, 7 };
	for ( int i = 0; i < SUP_COUNT( kept ); ++i )
	{
		size_t node = (size_t)kept[i];
		assert_true(
			json_equal( Item( document, "nodes", node ), supJson_At( supJson_Get( before, "nodes" ), node ) ) );
	}
	// the mesh that "elsewhere" still uses and the one with only lines
	assert_true( json_equal( Item( document, "meshes", 0 ), supJson_At( supJson_Get( before, "meshes" ), 0 ) ) );
	assert_true( json_equal( Item( document, "meshes", 3 ), supJson_At( supJson_Get( before, "meshes" ), 3 ) ) );
	supDestroyPose( pose );
	supDestroyCharacter( character );
	json_decref( before );
	supDestroyDocument( document );
}

// ---------------------------------------------------------------------------------------------------------------------

static float Volume( const supVec3* positions, const uint32_t* indices, int32_t indexCount )
{
	float volume = 0.0f;
	for ( int32_t i = 0; i < indexCount; i += 3 )
	{
		supVec3 a = positions[indices[i]], b = positions[indices[i + 1]], c = positions[indices[i + 2]];
		volume += supDot( a, supCross( b, c ) ) / 6.0f;
	}
	return volume;
}

// The hat is mirrored by its node: without care it would come out inside out.
static void TestMirroredMeshIsNotInsideOut( void** state )
{
	(void)state;
	static sampleCharacter sample;
	sampleMake( &sample );
	supError error = { 0 };
	supCharacter* made = supCreateCharacter( &sample.def, &error );
	testRequire( made != NULL, &error );
	supDocument* document = supCreateDocument( made, &error );
	testRequire( document != NULL, &error );
	supCharacter* character = CreateCharacter( document );
	supPose* pose = supCreatePose( character );
	PoseMidway( pose );
	testRequire( supDocument_Freeze( document, pose, sup_skinningLinear, NULL, &error ), &error );
	supCharacter* frozen = CreateCharacter( document );
	const supMesh* before = supCharacter_Mesh( character, 1 );
	const supMesh* after = supCharacter_Mesh( frozen, 1 );
	float whole = Volume( before->positions, before->indices, before->indexCount );
	float result = Volume( after->positions, after->indices, after->indexCount );
	testGreater( whole, 0.0f );
	testGreater( result, 0.0f );
	supDestroyCharacter( frozen );
	supDestroyPose( pose );
	supDestroyCharacter( character );
	supDestroyDocument( document );
	supDestroyCharacter( made );
}

static void TestPoseOfAnotherDocumentIsRefused( void** state )
{
	(void)state;
	static sampleCharacter sample;
	sampleMake( &sample );
	supError error = { 0 };
	supCharacter* other = supCreateCharacter( &sample.def, &error );
	testRequire( other != NULL, &error );
	supPose* pose = supCreatePose( other );
	supDocument* document = supParseDocument( s_document, strlen( s_document ), "all.gltf", NULL, NULL, &error );
	json_t* before = json_deep_copy( document->root );
	assert_false( supDocument_Freeze( document, pose, sup_skinningLinear, NULL, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_true( json_equal( before, document->root ) );
	json_decref( before );
	supDestroyDocument( document );
	supDestroyPose( pose );
	supDestroyCharacter( other );
}

static bool FreezeOnce( void* context )
{
	(void)context;
	supError error = { 0 };
	supDocument* document = supParseDocument( s_document, strlen( s_document ), "all.gltf", NULL, NULL, &error );
	supCharacter* character = document != NULL ? supDocument_CreateCharacter( document, &error ) : NULL;
	supPose* pose = character != NULL ? supCreatePose( character ) : NULL;
	json_t* before = pose != NULL ? json_deep_copy( document->root ) : NULL;
	bool ok = before != NULL;
	if ( ok )
	{
		size_t byteCount = document->buffers.data[0].byteCount;
		ok = supDocument_Freeze( document, pose, sup_skinningLinear, NULL, &error );
		// all or nothing
		assert_true( ok || error.code == sup_errorMemory );
		assert_true( ok || json_equal( before, document->root ) );
		assert_true( ok || document->buffers.data[0].byteCount == byteCount );
	}
	json_decref( before );
	supDestroyPose( pose );
	supDestroyCharacter( character );
	supDestroyDocument( document );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	supInitJson();
	testEachAllocationFailure( FreezeOnce, NULL, 4000 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestAssetsStandInThePose ),
		cmocka_unit_test( TestEverythingElseStays ),
		cmocka_unit_test( TestMirroredMeshIsNotInsideOut ),
		cmocka_unit_test( TestPoseOfAnotherDocumentIsRefused ),
		cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
