// SPDX-License-Identifier: MIT
// Definitions of characters that are refused, and memory that is not there.
#include "strip.h"

#include <math.h>

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
	RequireRefusal( s, sup_errorFormat, "meshes[0].positions", "vertex 4 is not finite" );
	s = MakeStrip();
	s->offsets[2].x = -INFINITY;
	RequireRefusal( s, sup_errorFormat, "meshes[0].targets[0]", "vertex 2 is not finite" );
	s = MakeStrip();
	s->nodes[2].rest.translation.z = NAN;
	RequireRefusal( s, sup_errorFormat, "nodes[2]", "not finite" );
	s = MakeStrip();
	s->nodes[2].hasMatrix = true;
	s->nodes[2].matrix.cz.z = NAN;
	RequireRefusal( s, sup_errorFormat, "nodes[2].matrix", "non-finite" );
	s = MakeStrip();
	s->inverseBinds[1].cx.x = INFINITY;
	RequireRefusal( s, sup_errorFormat, "skins[0].inverseBinds[1]", "non-finite" );
	s = MakeStrip();
	s->def.unitScale = 0.0f;
	RequireRefusal( s, sup_errorArgument, "unitScale", "positive number of metres" );
}

static void TestRefusesAbsurdCounts( void** state )
{
	(void)state;
	// all of these would read far past the arrays if they were believed
	Strip* s = MakeStrip();
	s->def.nodeCount = INT32_MAX;
	RequireRefusal( s, sup_errorTooLarge, "nodes", "exceeds the limit" );
	s = MakeStrip();
	s->def.meshCount = -1;
	RequireRefusal( s, sup_errorFormat, "meshes", "must not be negative" );
	s = MakeStrip();
	s->mesh.vertexCount = INT32_MAX;
	RequireRefusal( s, sup_errorTooLarge, "meshes[0]", "exceeds the limit" );
	s = MakeStrip();
	s->mesh.indexCount = -3;
	RequireRefusal( s, sup_errorFormat, "meshes[0]", "must not be negative" );
	s = MakeStrip();
	s->mesh.indexCount = 11;
	RequireRefusal( s, sup_errorFormat, "meshes[0].indices", "not a multiple of 3" );
	s = MakeStrip();
	s->mesh.targetCount = 1 << 26;
	RequireRefusal( s, sup_errorTooLarge, "meshes (morph targets in total)", "exceeds the limit" );
	s = MakeStrip();
	s->mesh.influences = INT32_MAX;
	RequireRefusal( s, sup_errorTooLarge, "meshes[0].influences", "not supported" );
	s = MakeStrip();
	s->skin.jointCount = INT32_MAX;
	RequireRefusal( s, sup_errorTooLarge, "skins[0].joints", "exceeds the limit" );
	s = MakeStrip();
	s->channels[1].width = 1 << 26;
	s->channels[1].keyCount = 1 << 26;
	RequireRefusal( s, sup_errorTooLarge, "clips[0].channels[1]", "exceeds the limit" );
	s = MakeStrip();
	s->mesh.positions = NULL;
	RequireRefusal( s, sup_errorArgument, "meshes[0]", "array is NULL" );
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
