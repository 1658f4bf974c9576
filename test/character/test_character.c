// SPDX-License-Identifier: MIT
// Definitions in, characters out: copies, repairs. What is refused: test_character_refusals.c.
#include "strip.h"

#include <math.h>

static void TestCopiesEverything( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	supCharacter* c = Create( s );
	Strip copy = *s;
	memset( s, 0x55, sizeof( *s ) );
	free( s );
	assert_int_equal( supCharacter_NoteCount( c ), 0 );
	assert_string_equal( supCharacter_Name( c ), "strip" );
	assert_int_equal( supCharacter_NodeCount( c ), 4 );
	assert_string_equal( supCharacter_Node( c, 2 )->name, "lower" );
	assert_memory_equal( supCharacter_Skin( c, 0 )->joints, copy.joints, sizeof( copy.joints ) );
	assert_memory_equal( supCharacter_Skin( c, 0 )->inverseBinds, copy.inverseBinds, sizeof( copy.inverseBinds ) );
	const supMesh* mesh = supCharacter_Mesh( c, 0 );
	assert_memory_equal( mesh->positions, copy.positions, sizeof( copy.positions ) );
	assert_memory_equal( mesh->normals, copy.normals, sizeof( copy.normals ) );
	assert_memory_equal( mesh->tangents, copy.tangents, sizeof( copy.tangents ) );
	assert_memory_equal( mesh->texcoords, copy.texcoords, sizeof( copy.texcoords ) );
	assert_memory_equal( mesh->indices, copy.indices, sizeof( copy.indices ) );
	assert_memory_equal( mesh->primitives, copy.primitives, sizeof( copy.primitives ) );
	assert_memory_equal( mesh->targets[0].positions, copy.offsets, sizeof( copy.offsets ) );
	assert_null( mesh->targets[0].normals );
	assert_null( mesh->colors );
	assert_memory_equal( supCharacter_Image( c, 0 )->bytes, "png!", 4 );
	assert_float_equal( supCharacter_Instance( c, 0 )->morphWeights[0], 0.25f, 0.0f );
	assert_float_equal( supCharacter_Instance( c, 1 )->morphWeights[0], 0.0f, 0.0f );
	const supClip* clip = supCharacter_Clip( c, 0 );
	assert_float_equal( clip->start, 0.5f, 0.0f );
	assert_float_equal( clip->end, 2.5f, 0.0f );
	assert_memory_equal( clip->channels[1].values, copy.morphs, sizeof( copy.morphs ) );
	assert_true( supCharacter_IsJoint( c, 1 ) && supCharacter_IsJoint( c, 2 ) );
	assert_false( supCharacter_IsJoint( c, 0 ) || supCharacter_IsJoint( c, 3 ) );
	supDestroyCharacter( c );
}

static void TestWeightsAreSortedHeaviestFirst( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	supCharacter* c = Create( s );
	const supMesh* mesh = supCharacter_Mesh( c, 0 );
	assert_int_equal( mesh->influences, 2 );
	for ( int32_t i = 0; i < 6; ++i )
	{
		testGreaterEqual( mesh->weights[2 * i], mesh->weights[2 * i + 1] );
		assert_float_equal( mesh->weights[2 * i] + mesh->weights[2 * i + 1], 1.0f, 1e-6f );
	}
	// equal weights keep their order, and the slot without weight names joint 0
	assert_int_equal( mesh->joints[2 * 4], 0 );
	assert_int_equal( mesh->joints[2 * 4 + 1], 1 );
	assert_int_equal( mesh->joints[1], 0 );
	supDestroyCharacter( c );
	free( s );
}

static void TestParentsComeFirst( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	supCharacter* c = Create( s );
	const int32_t* order = supCharacter_NodeOrder( c );
	int32_t place[4] = { -1, -1, -1, -1 };
	for ( int32_t i = 0; i < 4; ++i )
	{
		place[order[i]] = i;
	}
	for ( int32_t i = 0; i < 4; ++i )
	{
		testGreaterEqual( place[i], 0 );
		assert_true( s->nodes[i].parent < 0 || place[s->nodes[i].parent] < place[i] );
	}
	supDestroyCharacter( c );
	free( s );
}

static void TestFinds( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	supCharacter* c = Create( s );
	assert_int_equal( supCharacter_FindNode( c, "upper" ), 1 );
	assert_int_equal( supCharacter_FindNode( c, "Upper" ), -1 );
	assert_ptr_equal( supCharacter_FindClip( c, "bend" ), supCharacter_Clip( c, 1 ) );
	assert_ptr_equal( supCharacter_FindClip( c, "Bend" ), supCharacter_Clip( c, 0 ) );
	assert_null( supCharacter_FindClip( c, "BEND" ) );
	assert_null( supCharacter_FindClip( c, "" ) );
	supDestroyCharacter( c );
	s->clips[1].name = "other";
	c = Create( s );
	assert_ptr_equal( supCharacter_FindClip( c, "BEND" ), supCharacter_Clip( c, 0 ) );
	supDestroyCharacter( c );
	free( s );
}

static uint64_t HashOf( const Strip* s )
{
	supCharacter* c = Create( s );
	uint64_t hash = supCharacter_Hash( c );
	supDestroyCharacter( c );
	return hash;
}

static void TestHashSeesContentOnly( void** state )
{
	(void)state;
	Strip* a = MakeStrip();
	Strip* b = MakeStrip();
	uint64_t hash = HashOf( a );
	// padding of the structures must not matter
	memset( b->nodes, 0xAB, sizeof( b->nodes ) );
	memset( &b->material, 0xAB, sizeof( b->material ) );
	for ( int i = 0; i < 4; ++i )
	{
		b->nodes[i].name = a->nodes[i].name;
		b->nodes[i].parent = a->nodes[i].parent;
		b->nodes[i].rest = a->nodes[i].rest;
		b->nodes[i].hasMatrix = false;
	}
	b->material.name = a->material.name;
	b->material.baseColor = a->material.baseColor;
	b->material.metallic = a->material.metallic;
	b->material.roughness = a->material.roughness;
	b->material.emissive = a->material.emissive;
	b->material.baseColorImage = a->material.baseColorImage;
	b->material.alphaMode = a->material.alphaMode;
	b->material.alphaCutoff = a->material.alphaCutoff;
	b->material.doubleSided = a->material.doubleSided;
	assert_true( HashOf( b ) == hash );
	free( b );

	// and each change of content must
	float* numbers[] = { &a->nodes[1].rest.translation.x,
						 &a->inverseBinds[1].t.y,
						 &a->positions[5].z,
						 &a->texcoords[2].x,
						 &a->offsets[3].x,
						 &a->morphWeights[0],
						 &a->material.roughness,
						 &a->times[1],
						 &a->morphs[2] };
	for ( size_t i = 0; i < sizeof( numbers ) / sizeof( numbers[0] ); ++i )
	{
		float before = *numbers[i];
		*numbers[i] = before == 0.0f ? 1e-6f : before * 0.99f;
		assert_true( HashOf( a ) != hash );
		*numbers[i] = before;
	}
	a->nodes[0].name = "Root";
	assert_true( HashOf( a ) != hash );
	a->nodes[0].name = "root";
	a->clips[0].channelCount = 1;
	assert_true( HashOf( a ) != hash );
	free( a );
}

// ---------------------------------------------------------------------------------------------------------------------
// Repairs

static bool HasNote( const supCharacter* c, const char* text )
{
	for ( int32_t i = 0; i < supCharacter_NoteCount( c ); ++i )
	{
		const supNote* note = supCharacter_Note( c, i );
		if ( strstr( note->text, text ) != NULL )
		{
			return note->repaired;
		}
	}
	return false;
}

static void RequireNote( const supCharacter* c, const char* text )
{
	if ( HasNote( c, text ) == false )
	{
		for ( int32_t i = 0; i < supCharacter_NoteCount( c ); ++i )
		{
			printf( "note: %s\n", supCharacter_Note( c, i )->text );
		}
		fail_msg( "no repair says \"%s\"", text );
	}
}

static void TestRepairsWeights( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	s->weights[0] = 3.0f;     // vertex 0: sum 3
	s->weights[2] = NAN;      // vertex 1: nothing left
	s->weights[4] = -1.0f;    // vertex 2: only the second
	s->weights[6] = INFINITY; // vertex 3: only the second
	supCharacter* c = Create( s );
	const supMesh* mesh = supCharacter_Mesh( c, 0 );
	for ( int32_t i = 0; i < 6; ++i )
	{
		assert_float_equal( mesh->weights[2 * i] + mesh->weights[2 * i + 1], 1.0f, 1e-6f );
	}
	assert_int_equal( mesh->joints[2 * 1], 0 );
	assert_int_equal( mesh->joints[2 * 2], 1 );
	assert_int_equal( mesh->joints[2 * 2 + 1], 0 );
	RequireNote( c, "3 vertices have negative or non-finite weights, the first is vertex 1" );
	RequireNote( c, "weights of 3 vertices do not sum to one (0.25 to 3)" );
	RequireNote( c, "1 vertices have no weights, the first is vertex 1" );
	assert_int_equal( supCharacter_NoteCount( c ), 3 );
	supDestroyCharacter( c );
	free( s );
}

static void TestKeepsTheEightHeaviest( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	s->mesh.influences = 12;
	for ( int32_t i = 0; i < 6; ++i )
	{
		for ( int32_t k = 0; k < 12; ++k )
		{
			// 11 of 12 in use, rising
			s->weights[12 * i + k] = (float)k / 66.0f;
			s->vertexJoints[12 * i + k] = (uint16_t)( k % 2 );
		}
	}
	supCharacter* c = Create( s );
	const supMesh* mesh = supCharacter_Mesh( c, 0 );
	assert_int_equal( mesh->influences, 8 );
	for ( int32_t k = 0; k < 8; ++k )
	{
		// 11 + 10 + ... + 4 = 60
		assert_float_equal( mesh->weights[k], (float)( 11 - k ) / 60.0f, 1e-6f );
		assert_int_equal( mesh->joints[k], ( 11 - k ) % 2 );
	}
	RequireNote( c, "6 vertices have more than 8 influences" );
	assert_int_equal( supCharacter_NoteCount( c ), 1 );
	supDestroyCharacter( c );
	free( s );
}

static void TestChoosesTheSmallestStride( void** state )
{
	(void)state;
	const int32_t used[] = { 1, 2, 3, 4, 5, 8 };
	const int32_t strides[] = { 1, 2, 4, 4, 8, 8 };
	for ( int32_t i = 0; i < 6; ++i )
	{
		Strip* s = MakeStrip();
		s->mesh.influences = 12;
		memset( s->weights, 0, sizeof( s->weights ) );
		memset( s->vertexJoints, 0, sizeof( s->vertexJoints ) );
		for ( int32_t v = 0; v < 6; ++v )
		{
			s->weights[12 * v + 3] = 1.0f;
		}
		s->weights[12 * 4 + 3] = 0.0f;
		for ( int32_t k = 0; k < used[i]; ++k )
		{
			s->weights[12 * 4 + 11 - k] = 1.0f / (float)used[i];
		}
		supCharacter* c = Create( s );
		assert_int_equal( supCharacter_Mesh( c, 0 )->influences, strides[i] );
		supDestroyCharacter( c );
		free( s );
	}
}

static void TestRepairsNodes( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	s->nodes[0].rest.rotation = ( supQuat ){ 0 };
	s->nodes[1].rest.rotation = ( supQuat ){ NAN, 0.0f, 0.0f, 1.0f };
	s->nodes[2].rest.rotation = ( supQuat ){ 0.0f, 3.0f, 0.0f, 4.0f };
	supCharacter* c = Create( s );
	assert_memory_equal( &supCharacter_Node( c, 0 )->rest.rotation, &supQuat_identity, sizeof( supQuat ) );
	assert_memory_equal( &supCharacter_Node( c, 1 )->rest.rotation, &supQuat_identity, sizeof( supQuat ) );
	assert_float_equal( supCharacter_Node( c, 2 )->rest.rotation.y, 0.6f, 1e-6f );
	RequireNote( c, "2 rotations are zero or not finite, the first in nodes[0] \"root\"" );
	RequireNote( c, "1 rotations are not of unit length, the first in nodes[2]" );
	supDestroyCharacter( c );
	free( s );
}

static void TestRepairsDirections( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	s->normals[3] = supMakeVec3( NAN, 0.0f, 0.0f );
	s->normals[4] = supMakeVec3( 0.0f, 7.0f, 0.0f );
	s->normals[5] = supVec3_zero;
	s->tangents[0] = ( supVec4 ){ INFINITY, 0.0f, 0.0f, 1.0f };
	s->tangents[1] = ( supVec4 ){ 0.0f, 1.0f, 0.0f, -7.0f };
	s->texcoords[1].y = NAN;
	supCharacter* c = Create( s );
	const supMesh* mesh = supCharacter_Mesh( c, 0 );
	assert_float_equal( mesh->normals[3].z, 1.0f, 1e-6f );
	assert_float_equal( mesh->normals[4].y, 1.0f, 1e-6f );
	assert_memory_equal( mesh->normals + 5, &supVec3_zero, sizeof( supVec3 ) );
	assert_float_equal( mesh->tangents[0].x, 0.0f, 0.0f );
	assert_float_equal( mesh->tangents[1].w, -1.0f, 0.0f );
	assert_float_equal( mesh->texcoords[1].y, 0.0f, 0.0f );
	RequireNote( c, "1 normals are not finite, the first at vertex 3" );
	RequireNote( c, "1 normals are not of unit length, the first at vertex 4" );
	RequireNote( c, "1 tangents are not finite, the first at vertex 0" );
	RequireNote( c, "1 tangents are not of unit length, the first at vertex 1" );
	RequireNote( c, "1 texture coordinates, colours or softnesses" );
	supDestroyCharacter( c );
	free( s );
}

static void TestRepairsKeys( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	const float times[6] = { 3.0f, 1.0f, 2.0f, 2.0f, 2.0f, NAN };
	float values[6 * 4];
	for ( int32_t i = 0; i < 6; ++i )
	{
		supQuat q = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), 0.1f * (float)i );
		memcpy( values + 4 * i, &q, sizeof( q ) );
	}
	for ( int k = 0; k < 4; ++k )
	{
		values[4 + k] *= 2.0f;
	}
	s->channels[0].keyCount = 6;
	s->channels[0].times = times;
	s->channels[0].values = values;
	supCharacter* c = Create( s );
	const supChannel* channel = supCharacter_Clip( c, 0 )->channels;
	// 1, 2 (first), just after 2 (last), 3
	assert_int_equal( channel->keyCount, 4 );
	assert_float_equal( channel->times[0], 1.0f, 0.0f );
	assert_float_equal( channel->times[1], 2.0f, 0.0f );
	testGreater( channel->times[2], 2.0f );
	testLess( channel->times[2], 2.000001f );
	assert_float_equal( channel->times[3], 3.0f, 0.0f );
	const float angles[4] = { 0.1f, 0.2f, 0.4f, 0.0f };
	for ( int32_t i = 0; i < 4; ++i )
	{
		assert_float_equal( channel->values[4 * i + 2], sinf( 0.5f * angles[i] ), 1e-6f );
	}
	RequireNote( c, "have non-finite keys, which are dropped, the first is channels[0]" );
	RequireNote( c, "unsorted key times" );
	RequireNote( c, "rotations not of unit length" );
	supDestroyCharacter( c );
	free( s );
}

static void TestLeavesOutChannelsWithoutEffect( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	s->nodes[1].hasMatrix = true;
	s->nodes[1].matrix.cy.x = 0.5f;
	s->channels[1].node = 0;
	supCharacter* c = Create( s );
	const supClip* clip = supCharacter_Clip( c, 0 );
	assert_int_equal( clip->channelCount, 0 );
	assert_float_equal( clip->end - clip->start, 0.0f, 0.0f );
	RequireNote( c, "1 channels move nodes with a sheared matrix" );
	RequireNote( c, "1 channels move morph targets that their node does not have" );
	supDestroyCharacter( c );
	free( s );
}

static void TestSkinWithoutWeightsMovesRigidly( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	s->mesh.influences = 0;
	supCharacter* c = Create( s );
	assert_int_equal( supCharacter_Instance( c, 0 )->skin, -1 );
	RequireNote( c, "they move rigidly with their nodes" );
	supDestroyCharacter( c );
	free( s );
}

static void TestNotesFlatMeshes( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	s->indices[1] = 0;
	supCharacter* c = Create( s );
	assert_int_equal( supCharacter_Mesh( c, 0 )->indexCount, 12 );
	assert_non_null( strstr( supCharacter_Note( c, 0 )->text, "1 triangles without area, the first is triangle 0" ) );
	assert_false( supCharacter_Note( c, 0 )->repaired );
	supDestroyCharacter( c );
	for ( int i = 0; i < 6; ++i )
	{
		s->positions[i].y = 0.0f;
	}
	c = Create( s );
	assert_non_null( strstr( supCharacter_Note( c, 0 )->text, "has no area" ) );
	supDestroyCharacter( c );
	s->mesh.indexCount = 0;
	s->mesh.primitiveCount = 0;
	c = Create( s );
	assert_non_null( strstr( supCharacter_Note( c, 0 )->text, "has no triangles" ) );
	assert_int_equal( supCharacter_Mesh( c, 0 )->primitiveCount, 1 );
	supDestroyCharacter( c );
	free( s );
}

static supCharacter* CreateAgain( const supCharacter* c )
{
	supCharacterDef def = supDefaultCharacterDef();
	def.name = supCharacter_Name( c );
	def.nodeCount = supCharacter_NodeCount( c );
	def.nodes = supCharacter_Node( c, 0 );
	def.skinCount = supCharacter_SkinCount( c );
	def.skins = supCharacter_Skin( c, 0 );
	def.meshCount = supCharacter_MeshCount( c );
	def.meshes = supCharacter_Mesh( c, 0 );
	def.instanceCount = supCharacter_InstanceCount( c );
	def.instances = supCharacter_Instance( c, 0 );
	def.materialCount = supCharacter_MaterialCount( c );
	def.materials = supCharacter_Material( c, 0 );
	def.imageCount = supCharacter_ImageCount( c );
	def.images = supCharacter_Image( c, 0 );
	def.clipCount = supCharacter_ClipCount( c );
	def.clips = supCharacter_Clip( c, 0 );
	supError error = { 0 };
	supCharacter* again = supCreateCharacter( &def, &error );
	testRequire( again != NULL, &error );
	return again;
}

// What was repaired once needs no repair: the way through a file and back changes nothing.
static void TestRepairingTwiceChangesNothing( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	for ( int round = 0; round < 200; ++round )
	{
		Strip* s = MakeStrip();
		s->mesh.influences = 12;
		for ( int i = 0; i < 72; ++i )
		{
			s->weights[i] = testRandomFloat( &random, -0.2f, 1.0f );
			s->vertexJoints[i] = (uint16_t)testRandomInt( &random, 2 );
		}
		for ( int i = 0; i < 6; ++i )
		{
			s->normals[i] = testRandomVec3( &random, 3.0f );
			supVec3 t = testRandomVec3( &random, 1.0f );
			s->tangents[i] = ( supVec4 ){ t.x, t.y, t.z, testRandomFloat( &random, -2.0f, 2.0f ) };
		}
		for ( int i = 0; i < 12; ++i )
		{
			s->rotations[i] = testRandomFloat( &random, -1.0f, 1.0f );
		}
		s->nodes[1].rest.rotation = ( supQuat ){ testRandomFloat( &random, 0.0f, 2.0f ), 1.0f, 2.0f, 3.0f };
		s->times[1] = testRandomFloat( &random, 0.0f, 3.0f );
		supCharacter* once = Create( s );
		supCharacter* twice = CreateAgain( once );
		assert_true( supCharacter_Hash( once ) == supCharacter_Hash( twice ) );
		assert_int_equal( supCharacter_NoteCount( twice ), 0 );
		supDestroyCharacter( twice );
		supDestroyCharacter( once );
		free( s );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestCopiesEverything ),
		cmocka_unit_test( TestWeightsAreSortedHeaviestFirst ),
		cmocka_unit_test( TestParentsComeFirst ),
		cmocka_unit_test( TestFinds ),
		cmocka_unit_test( TestHashSeesContentOnly ),
		cmocka_unit_test( TestRepairsWeights ),
		cmocka_unit_test( TestKeepsTheEightHeaviest ),
		cmocka_unit_test( TestChoosesTheSmallestStride ),
		cmocka_unit_test( TestRepairsNodes ),
		cmocka_unit_test( TestRepairsDirections ),
		cmocka_unit_test( TestRepairsKeys ),
		cmocka_unit_test( TestLeavesOutChannelsWithoutEffect ),
		cmocka_unit_test( TestSkinWithoutWeightsMovesRigidly ),
		cmocka_unit_test( TestNotesFlatMeshes ),
		cmocka_unit_test( TestRepairingTwiceChangesNothing ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
