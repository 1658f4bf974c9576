// SPDX-License-Identifier: MIT
// Definitions in, characters out: copies, repairs, refusals.
#include "support.h"

#include "supple/character.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A strip of four triangles on two joints, with a morph target, a material, a picture and two clips.
typedef struct Strip
{
	supNode nodes[4];
	int32_t joints[2];
	supMat34 inverseBinds[2];
	supSkin skin;
	supVec3 positions[6];
	supVec3 normals[6];
	supVec4 tangents[6];
	supVec2 texcoords[6];
	uint32_t indices[12];
	uint16_t vertexJoints[6 * 12];
	float weights[6 * 12];
	supVec3 offsets[6];
	supMorphTarget target;
	supPrimitive primitives[2];
	supMesh mesh;
	supInstance instances[2];
	float morphWeights[1];
	supMaterial material;
	supImage image;
	float times[3];
	float rotations[12];
	float morphs[3];
	supChannel channels[2];
	supClip clips[2];
	supCharacterDef def;
} Strip;

static supNode MakeNode( const char* name, int32_t parent, supVec3 translation )
{
	return ( supNode ){ .name = name,
						.parent = parent,
						.rest = { translation, supQuat_identity, supVec3_one },
						.matrix = supMat34_identity };
}

static void FillStripGeometry( Strip* s )
{
	for ( int32_t i = 0; i < 6; ++i )
	{
		s->positions[i] = supMakeVec3( (float)( i % 2 ), (float)( i / 2 ), 0.0f );
		s->normals[i] = supMakeVec3( 0.0f, 0.0f, 1.0f );
		s->tangents[i] = ( supVec4 ){ 1.0f, 0.0f, 0.0f, 1.0f };
		s->texcoords[i] = ( supVec2 ){ s->positions[i].x, s->positions[i].y };
		s->offsets[i] = supMakeVec3( 0.0f, 0.0f, 0.1f );
		s->vertexJoints[2 * i + 1] = 1;
		s->weights[2 * i] = 1.0f - 0.25f * (float)( i / 2 );
		s->weights[2 * i + 1] = 0.25f * (float)( i / 2 );
	}
	const uint32_t indices[12] = { 0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5 };
	memcpy( s->indices, indices, sizeof( indices ) );
	s->target = ( supMorphTarget ){ "puff", s->offsets, NULL, NULL };
	s->primitives[0] = ( supPrimitive ){ 0, 4, 0, 6, 0 };
	s->primitives[1] = ( supPrimitive ){ 2, 4, 6, 6, -1 };
	s->mesh = ( supMesh ){ .name = "strip",
						   .vertexCount = 6,
						   .indexCount = 12,
						   .indices = s->indices,
						   .positions = s->positions,
						   .normals = s->normals,
						   .tangents = s->tangents,
						   .texcoords = s->texcoords,
						   .influences = 2,
						   .joints = s->vertexJoints,
						   .weights = s->weights,
						   .primitiveCount = 2,
						   .primitives = s->primitives,
						   .targetCount = 1,
						   .targets = &s->target };
}

static void FillStripClips( Strip* s )
{
	for ( int32_t i = 0; i < 3; ++i )
	{
		s->times[i] = 0.5f + (float)i;
		supQuat q = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.0f, 0.0f ), 0.5f * (float)i );
		memcpy( s->rotations + 4 * i, &q, sizeof( q ) );
		s->morphs[i] = 0.5f * (float)i;
	}
	s->channels[0] = ( supChannel ){ 1, sup_channelRotation, sup_interpolationLinear, 3, 4, s->times, s->rotations };
	s->channels[1] = ( supChannel ){ 3, sup_channelMorphWeights, sup_interpolationStep, 3, 1, s->times, s->morphs };
	s->clips[0] = ( supClip ){ .name = "Bend", .channelCount = 2, .channels = s->channels };
	s->clips[1] = ( supClip ){ .name = "bend", .channelCount = 1, .channels = s->channels };
}

static Strip* MakeStrip( void )
{
	Strip* s = calloc( 1, sizeof( Strip ) );
	assert_non_null( s );
	// the child comes before its parent
	s->nodes[0] = MakeNode( "root", -1, supVec3_zero );
	s->nodes[1] = MakeNode( "upper", 2, supMakeVec3( 0.0f, 1.0f, 0.0f ) );
	s->nodes[2] = MakeNode( "lower", 0, supVec3_zero );
	s->nodes[3] = MakeNode( "body", -1, supMakeVec3( 5.0f, 5.0f, 5.0f ) );
	s->joints[0] = 2;
	s->joints[1] = 1;
	s->inverseBinds[0] = supMat34_identity;
	s->inverseBinds[1] = supMat34_identity;
	s->inverseBinds[1].t = supMakeVec3( 0.0f, -1.0f, 0.0f );
	s->skin = ( supSkin ){ "bones", 2, s->joints, s->inverseBinds };
	FillStripGeometry( s );
	s->morphWeights[0] = 0.25f;
	s->instances[0] = ( supInstance ){ 3, 0, 0, s->morphWeights };
	s->instances[1] = ( supInstance ){ 1, 0, -1, NULL };
	s->material = ( supMaterial ){ .name = "skin", .baseColor = { 1, 1, 1, 1 }, .roughness = 1.0f };
	s->image = ( supImage ){ .name = "dot", .mimeType = "image/png", .bytes = (const uint8_t*)"png!", .byteCount = 4 };
	FillStripClips( s );
	s->def = supDefaultCharacterDef();
	s->def.name = "strip";
	s->def.nodeCount = 4;
	s->def.nodes = s->nodes;
	s->def.skinCount = 1;
	s->def.skins = &s->skin;
	s->def.meshCount = 1;
	s->def.meshes = &s->mesh;
	s->def.instanceCount = 2;
	s->def.instances = s->instances;
	s->def.materialCount = 1;
	s->def.materials = &s->material;
	s->def.imageCount = 1;
	s->def.images = &s->image;
	s->def.clipCount = 2;
	s->def.clips = s->clips;
	return s;
}

static supCharacter* Create( const Strip* s )
{
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &s->def, &error );
	testRequire( character != NULL, &error );
	return character;
}

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
		assert_true( mesh->weights[2 * i] >= mesh->weights[2 * i + 1] );
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
		assert_true( place[i] >= 0 );
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
	RequireNote( c, "3 vertices have weights that are negative or not numbers, the first is vertex 1" );
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
	RequireNote( c, "6 vertices hang on more than 8 joints" );
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
	RequireNote( c, "2 rotations are zero or not numbers, the first in nodes[0] \"root\"" );
	RequireNote( c, "1 rotations are not of length 1, the first in nodes[2]" );
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
	RequireNote( c, "1 normals are not numbers, the first at vertex 3" );
	RequireNote( c, "1 normals are not of length 1, the first at vertex 4" );
	RequireNote( c, "1 tangents are not numbers, the first at vertex 0" );
	RequireNote( c, "1 tangents are not of length 1, the first at vertex 1" );
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
	assert_true( channel->times[2] > 2.0f && channel->times[2] < 2.000001f );
	assert_float_equal( channel->times[3], 3.0f, 0.0f );
	const float angles[4] = { 0.1f, 0.2f, 0.4f, 0.0f };
	for ( int32_t i = 0; i < 4; ++i )
	{
		assert_float_equal( channel->values[4 * i + 2], sinf( 0.5f * angles[i] ), 1e-6f );
	}
	RequireNote( c, "lose keys that are not numbers, the first is channels[0]" );
	RequireNote( c, "key times that do not rise" );
	RequireNote( c, "rotations not of length 1" );
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
	RequireNote( c, "1 channels move nodes that have a sheared matrix" );
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

// ---------------------------------------------------------------------------------------------------------------------
// Refusals

static void RequireRefusal( Strip* s, supErrorCode code, const char* where, const char* message )
{
	supError error = { 0 };
	testHeap heap;
	testInstallHeap( &heap );
	assert_null( supCreateCharacter( &s->def, &error ) );
	testUninstallHeap( &heap );
	assert_int_equal( error.code, code );
	assert_string_equal( error.where, where );
	if ( strstr( error.message, message ) == NULL )
	{
		fail_msg( "\"%s\" does not say \"%s\"", error.message, message );
	}
	// nobody listening is fine too
	assert_null( supCreateCharacter( &s->def, NULL ) );
	free( s );
}

static void TestRefusesCycles( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	s->nodes[0].parent = 1;
	RequireRefusal( s, sup_errorFormat, "nodes[1].parent", "its own ancestor" );
	// nodes 0 and 3 only hang below the cycle
	s = MakeStrip();
	s->nodes[0].parent = 1;
	s->nodes[2].parent = 1;
	s->nodes[3].parent = 0;
	RequireRefusal( s, sup_errorFormat, "nodes[2].parent", "its own ancestor" );
	s = MakeStrip();
	s->nodes[3].parent = 3;
	RequireRefusal( s, sup_errorFormat, "nodes[3].parent", "its own ancestor" );
}

static void TestRefusesIndicesOutOfRange( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	s->nodes[1].parent = 4;
	RequireRefusal( s, sup_errorFormat, "nodes[1].parent", "node 4 does not exist; there are 4" );
	s = MakeStrip();
	s->nodes[1].parent = -2;
	RequireRefusal( s, sup_errorFormat, "nodes[1].parent", "node -2 does not exist" );
	s = MakeStrip();
	s->joints[1] = 9;
	RequireRefusal( s, sup_errorFormat, "skins[0].joints[1]", "node 9" );
	s = MakeStrip();
	s->instances[1].node = -1;
	RequireRefusal( s, sup_errorFormat, "instances[1].node", "node -1" );
	s = MakeStrip();
	s->instances[1].mesh = 1;
	RequireRefusal( s, sup_errorFormat, "instances[1].mesh", "mesh 1" );
	s = MakeStrip();
	s->instances[0].skin = 1;
	RequireRefusal( s, sup_errorFormat, "instances[0].skin", "skin 1" );
	s = MakeStrip();
	s->material.baseColorImage = 1;
	RequireRefusal( s, sup_errorFormat, "materials[0].baseColorImage", "image 1" );
	s = MakeStrip();
	s->primitives[0].material = 1;
	RequireRefusal( s, sup_errorFormat, "meshes[0].primitives[0].material", "material 1" );
	s = MakeStrip();
	s->indices[7] = 6;
	RequireRefusal( s, sup_errorFormat, "meshes[0].indices[7]", "vertex 6 does not exist; there are 6" );
	s = MakeStrip();
	s->primitives[0].vertexCount = 3;
	RequireRefusal( s, sup_errorFormat, "meshes[0].primitives[0]", "a triangle uses vertex 3" );
	s = MakeStrip();
	s->primitives[1].vertexStart = INT32_MAX;
	RequireRefusal( s, sup_errorFormat, "meshes[0].primitives[1]", "outside the mesh" );
	s = MakeStrip();
	s->vertexJoints[11] = 2;
	RequireRefusal( s, sup_errorFormat, "meshes[0].joints", "joint 2, but skins[0] has only 2 joints" );
	s = MakeStrip();
	s->channels[1].node = 4;
	RequireRefusal( s, sup_errorFormat, "clips[0].channels[1]", "node 4" );
	s = MakeStrip();
	s->channels[0].width = 3;
	RequireRefusal( s, sup_errorFormat, "clips[0].channels[0]", "3 numbers per key where 4 are needed" );
	s = MakeStrip();
	s->channels[0].path = (supChannelPath)17;
	RequireRefusal( s, sup_errorArgument, "clips[0].channels[0]", "unknown path 17" );
}

// A joint out of range without any weight does no harm.
static void TestJointWithoutWeightMayBeAnything( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	s->vertexJoints[1] = 65535;
	supCharacter* c = Create( s );
	assert_int_equal( supCharacter_Mesh( c, 0 )->joints[1], 0 );
	supDestroyCharacter( c );
	free( s );
}

static void TestRefusesWhatIsNotANumber( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	s->positions[4].y = NAN;
	RequireRefusal( s, sup_errorFormat, "meshes[0].positions", "vertex 4 is not a number" );
	s = MakeStrip();
	s->offsets[2].x = -INFINITY;
	RequireRefusal( s, sup_errorFormat, "meshes[0].targets[0]", "vertex 2 is not a number" );
	s = MakeStrip();
	s->nodes[2].rest.translation.z = NAN;
	RequireRefusal( s, sup_errorFormat, "nodes[2]", "not a number" );
	s = MakeStrip();
	s->nodes[2].hasMatrix = true;
	s->nodes[2].matrix.cz.z = NAN;
	RequireRefusal( s, sup_errorFormat, "nodes[2].matrix", "not numbers" );
	s = MakeStrip();
	s->inverseBinds[1].cx.x = INFINITY;
	RequireRefusal( s, sup_errorFormat, "skins[0].inverseBinds[1]", "not numbers" );
	s = MakeStrip();
	s->def.unitScale = 0.0f;
	RequireRefusal( s, sup_errorArgument, "unitScale", "not possible" );
}

static void TestRefusesAbsurdCounts( void** state )
{
	(void)state;
	// all of these would read far past the arrays if they were believed
	Strip* s = MakeStrip();
	s->def.nodeCount = INT32_MAX;
	RequireRefusal( s, sup_errorTooLarge, "nodes", "more than" );
	s = MakeStrip();
	s->def.meshCount = -1;
	RequireRefusal( s, sup_errorFormat, "meshes", "not possible" );
	s = MakeStrip();
	s->mesh.vertexCount = INT32_MAX;
	RequireRefusal( s, sup_errorTooLarge, "meshes[0]", "more than" );
	s = MakeStrip();
	s->mesh.indexCount = -3;
	RequireRefusal( s, sup_errorFormat, "meshes[0]", "not possible" );
	s = MakeStrip();
	s->mesh.indexCount = 11;
	RequireRefusal( s, sup_errorFormat, "meshes[0].indices", "whole triangles" );
	s = MakeStrip();
	s->mesh.targetCount = 1 << 26;
	RequireRefusal( s, sup_errorTooLarge, "meshes (morph targets of all together)", "more than" );
	s = MakeStrip();
	s->mesh.influences = INT32_MAX;
	RequireRefusal( s, sup_errorTooLarge, "meshes[0].influences", "not possible" );
	s = MakeStrip();
	s->skin.jointCount = INT32_MAX;
	RequireRefusal( s, sup_errorTooLarge, "skins[0].joints", "more than" );
	s = MakeStrip();
	s->channels[1].width = 1 << 26;
	s->channels[1].keyCount = 1 << 26;
	RequireRefusal( s, sup_errorTooLarge, "clips[0].channels[1]", "more than" );
	s = MakeStrip();
	s->mesh.positions = NULL;
	RequireRefusal( s, sup_errorArgument, "meshes[0]", "no array" );
}

// Many primitives over the same triangles would make a small file slow.
static void TestRefusesOverlappingPrimitives( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	s->primitives[1] = s->primitives[0];
	s->primitives[1].indexCount = 12;
	s->primitives[1].vertexCount = 6;
	RequireRefusal( s, sup_errorFormat, "meshes[0].primitives[1]", "more triangles than the mesh" );
}

static bool AttemptCreate( void* context )
{
	supError error = { 0 };
	supCharacter* c = supCreateCharacter( &( (Strip*)context )->def, &error );
	if ( c == NULL )
	{
		assert_int_equal( error.code, sup_errorMemory );
	}
	supDestroyCharacter( c );
	return c != NULL;
}

static void TestSurvivesAllocationFailures( void** state )
{
	(void)state;
	Strip* s = MakeStrip();
	// repairs allocate too
	s->normals[3].x = NAN;
	s->weights[0] = 3.0f;
	s->nodes[0].rest.rotation.w = 0.0f;
	s->def.noteCount = 1;
	s->def.notes = &( supNote ){ false, "from the reader" };
	testEachAllocationFailure( AttemptCreate, s, 100 );
	supCharacter* c = Create( s );
	assert_string_equal( supCharacter_Note( c, 0 )->text, "from the reader" );
	assert_int_equal( supCharacter_NoteCount( c ), 4 );
	supDestroyCharacter( c );
	free( s );
}

static void TestEmptyCharacter( void** state )
{
	(void)state;
	supCharacterDef def = supDefaultCharacterDef();
	supError error;
	supCharacter* c = supCreateCharacter( &def, &error );
	assert_non_null( c );
	assert_int_equal( error.code, sup_errorNone );
	assert_int_equal( supCharacter_FindNode( c, "x" ), -1 );
	assert_true( supCharacter_Hash( c ) != 0 );
	supDestroyCharacter( c );
	supDestroyCharacter( NULL );
}

static bool CountAssert( const char* condition, const char* file, int line, void* context )
{
	(void)condition, (void)file, (void)line;
	*(int*)context += 1;
	return false;
}

static void TestUninitialisedDefinitionIsABug( void** state )
{
	(void)state;
	int count = 0;
	supSetAssertHandler( CountAssert, &count );
	supCharacterDef def = { .unitScale = 1.0f };
	supDestroyCharacter( supCreateCharacter( &def, NULL ) );
	supSetAssertHandler( NULL, NULL );
	assert_int_equal( count, 1 );
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
		cmocka_unit_test( TestRefusesCycles ),
		cmocka_unit_test( TestRefusesIndicesOutOfRange ),
		cmocka_unit_test( TestJointWithoutWeightMayBeAnything ),
		cmocka_unit_test( TestRefusesWhatIsNotANumber ),
		cmocka_unit_test( TestRefusesAbsurdCounts ),
		cmocka_unit_test( TestRefusesOverlappingPrimitives ),
		cmocka_unit_test( TestSurvivesAllocationFailures ),
		cmocka_unit_test( TestEmptyCharacter ),
		cmocka_unit_test( TestUninitialisedDefinitionIsABug ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
