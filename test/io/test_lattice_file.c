// SPDX-License-Identifier: MIT
// Control lattices as files: there and back to the bit, and whatever people write into them.
#include "support.h"

#include "core/core.h"
#include "io/tets/lattice_file.h"
#include "models/models.h"
#include "supple/supple.h"

#include <stdlib.h>
#include <string.h>

static supCharacter* CreateTube( void )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube" )->create( &error );
	testRequire( character != NULL, &error );
	return character;
}

static void TestThereAndBack( void** state )
{
	(void)state;
	supCharacter* character = CreateTube();
	supControlLattice a = { 0 }, b = { 0 };
	supControlLatticeDef def = supDefaultControlLatticeDef();
	def.character = character;
	def.vertexCount = 60;
	supError error = { 0 };
	testRequire( supBuildControlLattice( &a, &def, &error ), &error );
	char folder[256], path[300];
	testMakeFolder( folder );
	snprintf( path, sizeof( path ), "%s/a.json", folder );
	testRequire( supSaveControlLattice( &a, path, &error ), &error );
	testRequire( supLoadControlLattice( &b, path, character, &error ), &error );
	assert_int_equal( a.vertexCount, b.vertexCount );
	assert_int_equal( a.cellCount, b.cellCount );
	assert_int_equal( a.edgeCount, b.edgeCount );
	assert_memory_equal( a.vertices, b.vertices, (size_t)a.vertexCount * sizeof( supVec3 ) );
	assert_memory_equal( a.pins, b.pins, (size_t)a.vertexCount * sizeof( supLatticePin ) );
	assert_memory_equal( a.corners, b.corners, 4 * (size_t)a.cellCount * sizeof( int32_t ) );
	assert_memory_equal( a.neighbours, b.neighbours, SUP_MAX_CELL_FACES * (size_t)a.cellCount * sizeof( int32_t ) );
	assert_memory_equal( a.bones, b.bones, (size_t)a.boneCount * sizeof( supLatticeBone ) );
	assert_memory_equal( a.edges, b.edges, (size_t)a.edgeCount * sizeof( supBoneEdge ) );
	for ( int32_t i = 0; i < a.jointCount; ++i )
	{
		assert_int_equal( a.joints[i].node, b.joints[i].node );
		testLess( supDistance( a.joints[i].rest, b.joints[i].rest ), 1e-6f );
	}
	supControlLattice_Destroy( &b );
	strcat( path, ".missing" );
	assert_false( supLoadControlLattice( &b, path, character, &error ) );
	assert_false( supSaveControlLattice( &a, folder, &error ) );
	testRemoveFolder( folder );
	supControlLattice_Destroy( &a );
	supDestroyCharacter( character );
}

static const char s_mixed[] =
	"{ \"vertices\": [ [0,0,0],[1,0,0],[1,1,0],[0,1,0],[0,0,1],[1,0,1],[1,1,1],[0,1,1],[2,0.5,0],[2,0.5,1],[1.5,0.5,2] ],"
	"  \"cells\": [ [0,1,2,3,4,5,6,7], [1,8,2,5,9,6], [5,9,6,10] ],"
	"  \"joints\": [ { \"at\": [0,0,0] }, { \"at\": [1,0,0] }, { \"at\": [2,0.5,0] } ],"
	"  \"bones\": [ [0,1], [1,2,0] ] }";

static void TestMixedCells( void** state )
{
	(void)state;
	supCharacter* character = CreateTube();
	supControlLattice lattice = { 0 };
	supError error = { 0 };
	testRequire( supParseControlLattice( &lattice, s_mixed, strlen( s_mixed ), "mixed", character, &error ), &error );
	assert_int_equal( lattice.kinds[0], sup_cellHex );
	assert_int_equal( lattice.kinds[1], sup_cellPrism );
	assert_int_equal( lattice.kinds[2], sup_cellTet );
	assert_int_equal( lattice.edgeCount, 2 );
	assert_int_equal( lattice.bones[0].node, -1 );
	assert_int_equal( lattice.bones[1].node, 0 );
	// pins and edges are worked out, written, and come back
	char folder[256], path[300];
	testMakeFolder( folder );
	snprintf( path, sizeof( path ), "%s/b.json", folder );
	supControlLattice back = { 0 };
	testRequire( supSaveControlLattice( &lattice, path, &error ), &error );
	testRequire( supLoadControlLattice( &back, path, character, &error ), &error );
	assert_memory_equal( lattice.corners, back.corners, 18 * sizeof( int32_t ) );
	assert_memory_equal( lattice.pins, back.pins, 11 * sizeof( supLatticePin ) );
	supControlLattice_Destroy( &back );
	testRemoveFolder( folder );
	supControlLattice_Destroy( &lattice );
	supDestroyCharacter( character );
}

static void TestErrors( void** state )
{
	(void)state;
	static const struct
	{
		const char* text;
		const char* where;
		const char* message;
	} cases[] = {
		{ "[]", "x.json", "must be an object" },
		{ "{", "x.json", "" },
		{ "{ \"cells\": [] }", "x.json: vertices", "missing, or not a list" },
		{ "{ \"vertices\": 3, \"cells\": [] }", "x.json: vertices", "list" },
		{ "{ \"vertices\": [ [0,0] ], \"cells\": [] }", "x.json: vertices[0]", "3 numbers" },
		{ "{ \"vertices\": [ [0,0,1e300] ], \"cells\": [] }", "x.json: vertices[0]", "3 numbers" },
		{ "{ \"vertices\": [], \"cells\": [] }", "x.json", "no cells" },
		{ "{ \"vertices\": [], \"cells\": [ [0,1,2,3,4] ] }", "x.json: cells[0]", "6 for a prism" },
		{ "{ \"vertices\": [], \"cells\": [ [0,1,2,-3] ] }", "x.json: cells[0][3]", "vertex" },
		{ "{ \"vertices\": [], \"cells\": [ [0,1,2,3] ] }", "x.json", "no cells" },
		{ "{ \"vertices\": [], \"cells\": [], \"joints\": [ { \"node\": \"nobody\" } ] }", "x.json: joints[0].node",
		  "nobody" },
		{ "{ \"vertices\": [], \"cells\": [], \"joints\": [ { \"node\": 99 } ] }", "x.json: joints[0].node", "number" },
		{ "{ \"vertices\": [], \"cells\": [], \"joints\": [ {} ] }", "x.json: joints[0]", "needs \"node\" or" },
		{ "{ \"vertices\": [], \"cells\": [], \"bones\": [ [0,1] ] }", "x.json: bones[0][0]", "joint" },
		{ "{ \"vertices\": [], \"cells\": [], \"bones\": [ 4 ] }", "x.json: bones[0]", "two joints" },
		{ "{ \"vertices\": [], \"cells\": [], \"pins\": [ [0,0,0,0] ] }", "x.json: pins[0][0]", "vertex" },
		{ "{ \"vertices\": [], \"cells\": [], \"edges\": [ [0,0] ] }", "x.json: edges[0]", "3 numbers" },
		{ "{ \"vertices\": [], \"cells\": [], \"colour\": 1 }", "x.json", "colour" },
		{ "{ \"vertices\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], \"cells\": [[0,2,1,3]] }", "x.json", "cell 0" },
	};
	supCharacter* character = CreateTube();
	for ( int32_t i = 0; i < SUP_COUNT( cases ); ++i )
	{
		supControlLattice lattice = { 0 };
		supError error = { 0 };
		assert_false(
			supParseControlLattice( &lattice, cases[i].text, strlen( cases[i].text ), "x.json", character, &error ) );
		if ( strncmp( error.where, cases[i].where, strlen( cases[i].where ) ) != 0 ||
			 strstr( error.message, cases[i].message ) == NULL )
		{
			fail_msg( "%s: %s: %s", cases[i].text, error.where, error.message );
		}
		assert_null( lattice.vertices );
	}
	supDestroyCharacter( character );
}

// Cut off anywhere, and with bytes changed: an error or a lattice, nothing else.
static void TestDamage( void** state )
{
	(void)state;
	supCharacter* character = CreateTube();
	testRandom random = testMakeRandom( 77 );
	size_t length = strlen( s_mixed );
	for ( size_t i = 0; i < 400; ++i )
	{
		char* text = malloc( length );
		memcpy( text, s_mixed, length );
		size_t size = i < 100 ? i * length / 100 : length;
		for ( int32_t k = 0; k < 3 && i >= 100; ++k )
		{
			text[testRandomInt( &random, (uint32_t)length )] = "0123456789-,[]{}\"e."[testRandomInt( &random, 19 )];
		}
		supControlLattice lattice = { 0 };
		supError error = { 0 };
		bool ok = supParseControlLattice( &lattice, text, size, "damaged", character, &error );
		assert_true( ok == ( error.code == sup_errorNone ) );
		supControlLattice_Destroy( &lattice );
		free( text );
	}
	supDestroyCharacter( character );
}

// As a program takes one: the method that has lattices uses it, others refuse it.
static void TestInFlesh( void** state )
{
	(void)state;
	supCharacter* character = CreateTube();
	supControlLattice made = { 0 };
	supControlLatticeDef def = supDefaultControlLatticeDef();
	def.character = character;
	def.vertexCount = 60;
	supError error = { 0 };
	testRequire( supBuildControlLattice( &made, &def, &error ), &error );
	char folder[256], path[300];
	testMakeFolder( folder );
	snprintf( path, sizeof( path ), "%s/a.json", folder );
	testRequire( supSaveControlLattice( &made, path, &error ), &error );
	supControlLattice_Destroy( &made );
	supControlLattice* lattice = supLoadLattice( path, character, &error );
	testRequire( lattice != NULL, &error );
	supFleshDef fleshDef = supDefaultFleshDef();
	fleshDef.lattice = lattice;
	fleshDef.method = sup_methodFem;
	supFlesh* flesh = supBuildFlesh( character, &fleshDef, NULL, &error );
	testRequire( flesh != NULL, &error );
	fleshDef.method = sup_methodPosition;
	assert_null( supBuildFlesh( character, &fleshDef, NULL, &error ) );
	assert_non_null( strstr( error.message, "lattice" ) );
	// flesh keeps nothing of it
	supDestroyLattice( lattice );
	supDestroyLattice( NULL );
	supDestroyFlesh( flesh );
	strcat( path, ".missing" );
	error = ( supError ){ 0 };
	assert_null( supLoadLattice( path, character, &error ) );
	assert_int_equal( error.code, sup_errorNotFound );
	assert_null( supLoadLattice( path, character, NULL ) );
	testRemoveFolder( folder );
	supDestroyCharacter( character );
}

static bool Attempt( void* context )
{
	supControlLattice lattice = { 0 };
	supError error = { 0 };
	bool ok = supParseControlLattice( &lattice, s_mixed, strlen( s_mixed ), "mixed", context, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supControlLattice_Destroy( &lattice );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	supCharacter* character = CreateTube();
	testEachAllocationFailure( Attempt, character, 60 );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestThereAndBack ), cmocka_unit_test( TestMixedCells ),  cmocka_unit_test( TestErrors ),
		cmocka_unit_test( TestDamage ),       cmocka_unit_test( TestOutOfMemory ), cmocka_unit_test( TestInFlesh ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
