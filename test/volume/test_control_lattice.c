// SPDX-License-Identifier: MIT
// Control lattices: what is wrong with those made by hand, and what holds for those made of any character.
#include "cell_shapes.h"
#include "skinned.h"

#include "models/models.h"
#include "supple/io.h"
#include "supple/supple.h"
#include "volume/lattice/cell_basis.h"

#include <math.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------------------------
// By hand

static void TestMixedCells( void** state )
{
	(void)state;
	MixedArrays m;
	MakeMixed( &m );
	supControlLattice lattice = { 0 };
	supError error = { 0 };
	testRequire( supControlLattice_Init( &lattice, &m.arrays, &error ), &error );
	// the hex's face 3 is the prism's 4, the prism's top the tet's bottom
	assert_int_equal( lattice.neighbours[3], 1 );
	assert_int_equal( lattice.neighbours[SUP_MAX_CELL_FACES + 4], 0 );
	assert_int_equal( lattice.neighbours[SUP_MAX_CELL_FACES + 1], 2 );
	assert_int_equal( lattice.neighbours[2 * SUP_MAX_CELL_FACES + 3], 1 );
	int32_t joined = 0;
	for ( int32_t i = 0; i < 3 * SUP_MAX_CELL_FACES; ++i )
	{
		joined += lattice.neighbours[i] >= 0;
	}
	assert_int_equal( joined, 4 );
	assert_int_equal( lattice.edgeCount, 2 );
	assert_int_equal( lattice.pins[1].a, 1 );
	assert_int_equal( lattice.pins[1].b, 1 );
	assert_int_equal( lattice.pins[2].a, -1 );
	assert_int_equal( lattice.aroundStarts[6] - lattice.aroundStarts[5], 3 );
	supControlLattice_Destroy( &lattice );

	// a vertex in the middle of a bone needs no joint: a box of two hexes along x
	MixedArrays b = { 0 };
	for ( int32_t i = 0; i < 12; ++i )
	{
		static const supVec3 corners[4] = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 1, 1 }, { 0, 0, 1 } };
		b.vertices[i] = supAdd( corners[i % 4], supMakeVec3( 0.6f * (float)( i / 4 ), 0, 0 ) );
	}
	static const int32_t hexes[16] = { 0, 4, 5, 1, 3, 7, 6, 2, 4, 8, 9, 5, 7, 11, 10, 6 };
	memcpy( b.corners, hexes, sizeof( hexes ) );
	b.kinds[0] = b.kinds[1] = sup_cellHex;
	b.joints[0] = ( supLatticeJoint ){ -1, supVec3_zero, b.vertices[0] };
	b.joints[1] = ( supLatticeJoint ){ -1, supVec3_zero, b.vertices[8] };
	b.bones[0] = ( supLatticeBone ){ 0, 1, -1 };
	b.arrays = ( supControlLatticeArrays ){ .name = "box",
											.vertexCount = 12,
											.vertices = b.vertices,
											.cellCount = 2,
											.kinds = b.kinds,
											.corners = b.corners,
											.jointCount = 2,
											.joints = b.joints,
											.boneCount = 1,
											.bones = b.bones };
	testRequire( supControlLattice_Init( &lattice, &b.arrays, &error ), &error );
	assert_int_equal( lattice.edgeCount, 2 );
	assert_int_equal( lattice.edges[0].vertices[1], 4 );
	testLess( fabsf( lattice.pins[4].t - 0.5f ), 1e-6f );
	testLess( fabs( supControlLattice_CellVolume( &lattice, 1 ) - 0.6 ), 1e-6 );
	supControlLattice_Destroy( &lattice );
}

typedef void Spoil( MixedArrays* m );

static void ExpectError( Spoil* spoil, const char* const* words )
{
	MixedArrays m;
	MakeMixed( &m );
	spoil( &m );
	supControlLattice lattice = { 0 };
	supError error = { 0 };
	assert_false( supControlLattice_Init( &lattice, &m.arrays, &error ) );
	assert_null( lattice.vertices );
	assert_string_equal( error.where, "mixed.json" );
	for ( int32_t i = 0; words[i] != NULL; ++i )
	{
		if ( strstr( error.message, words[i] ) == NULL )
		{
			fail_msg( "\"%s\" is not in: %s", words[i], error.message );
		}
	}
}

static void NoSuchVertex( MixedArrays* m )
{
	m->corners[9] = 11;
}

static void SameVertexTwice( MixedArrays* m )
{
	m->corners[16] = 5;
}

static void NotANumber( MixedArrays* m )
{
	m->vertices[3].y = NAN;
}

static void InsideOut( MixedArrays* m )
{
	m->corners[14] = 9;
	m->corners[15] = 5;
}

// only one corner of the hex is pushed through the others
static void Folded( MixedArrays* m )
{
	m->vertices[7] = supMakeVec3( 1.2f, 0.2f, 0.4f );
}

static void Flat( MixedArrays* m )
{
	m->vertices[10] = supScale( 1.0f / 3.0f, supAdd( supAdd( m->vertices[5], m->vertices[9] ), m->vertices[6] ) );
}

static void AddTet( MixedArrays* m, int32_t a, int32_t b, int32_t c, int32_t d )
{
	m->kinds[m->arrays.cellCount] = sup_cellTet;
	const int32_t corners[4] = { a, b, c, d };
	memcpy( m->corners + 18 + 4 * ( m->arrays.cellCount - 3 ), corners, sizeof( corners ) );
	m->arrays.cellCount += 1;
}

static void ThreeCellsAtAFace( MixedArrays* m )
{
	m->vertices[11] = supMakeVec3( 1.5f, 0.6f, 2.2f );
	m->arrays.vertexCount = 12;
	AddTet( m, 5, 9, 6, 11 );
}

static void QuadMeetsTriangles( MixedArrays* m )
{
	// behind the hex's bottom, whose diagonal this has as an edge
	m->vertices[11] = supMakeVec3( 0.5f, 0.5f, -1.0f );
	m->arrays.vertexCount = 12;
	AddTet( m, 0, 2, 1, 11 );
}

static void HangingVertex( MixedArrays* m )
{
	// a tet whose corner lies in the middle of the hex's left face
	m->vertices[11] =
		supScale( 0.25f, supAdd( supAdd( m->vertices[0], m->vertices[3] ), supAdd( m->vertices[4], m->vertices[7] ) ) );
	m->vertices[12] = supMakeVec3( -1, 0, 0 );
	m->vertices[13] = supMakeVec3( -1, 1, 0.5f );
	m->vertices[14] = supMakeVec3( -1, 0, 1 );
	m->arrays.vertexCount = 15;
	AddTet( m, 12, 13, 14, 11 );
}

static void CellInACell( MixedArrays* m )
{
	for ( int32_t i = 0; i < 4; ++i )
	{
		m->vertices[11 + i] = supMulAdd( supMakeVec3( 0.4f, 0.4f, 0.4f ), 0.05f,
										 supMakeVec3( (float)( i == 1 ), (float)( i == 2 ), (float)( i == 3 ) ) );
	}
	m->arrays.vertexCount = 15;
	AddTet( m, 11, 12, 13, 14 );
}

static void BoneIsNoEdge( MixedArrays* m )
{
	m->joints[1].rest = m->vertices[2];
	m->bones[1] = ( supLatticeBone ){ 1, 2, -1 };
}

static void NoVertexAtAJoint( MixedArrays* m )
{
	m->joints[2].rest = supMakeVec3( 1.5f, 0.5f, 0.5f );
}

static void NoSuchJoint( MixedArrays* m )
{
	m->bones[1].b = 3;
}

static void NoCells( MixedArrays* m )
{
	m->arrays.cellCount = 0;
}

static void UnknownKind( MixedArrays* m )
{
	m->kinds[1] = 9;
}

static void TestErrors( void** state )
{
	(void)state;
	static const struct
	{
		Spoil* spoil;
		const char* words[4];
	} cases[] = {
		{ NoSuchVertex, { "cell 1", "vertex 11", "0 to 10" } },
		{ SameVertexTwice, { "cell 2", "vertex 5 twice" } },
		{ NotANumber, { "vertex 3", "not finite" } },
		{ InsideOut, { "cell 2 (tet of vertices 9 5 6 10)", "inside out", "face" } },
		{ Folded, { "cell 0 (hex of vertices 0 1 2 3 4 5 6 7)", "inside out", "face" } },
		{ Flat, { "cell 2", "flat", "face" } },
		{ ThreeCellsAtAFace, { "face 1 (vertices 5 9 6)", "cell 1", "at most two cells" } },
		{ QuadMeetsTriangles, { "face 0 (vertices 0 3 2 1)", "cell 0", "vertex 0 to 2" } },
		{ HangingVertex, { "vertex 11", "face 5 (vertices 3 0 4 7)", "cell 0" } },
		{ CellInACell, { "vertex 11", "cell 0", "overlap" } },
		{ BoneIsNoEdge, { "bone 0", "vertex 0", "vertex 2" } },
		{ NoVertexAtAJoint, { "bone 1", "1.5 0.5 0.5" } },
		{ NoSuchJoint, { "bone 1", "joints 1 and 3" } },
		{ NoCells, { "no cells" } },
		{ UnknownKind, { "cell 1", "kind" } },
	};
	for ( int32_t i = 0; i < SUP_COUNT( cases ); ++i )
	{
		ExpectError( cases[i].spoil, cases[i].words );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Out of characters

static bool HasCellEdge( const supControlLattice* lattice, int32_t a, int32_t b )
{
	for ( int32_t i = 0; i < lattice->cellCount; ++i )
	{
		bool hasA = false, hasB = false;
		for ( int32_t k = lattice->cornerStarts[i]; k < lattice->cornerStarts[i + 1]; ++k )
		{
			hasA = hasA || lattice->corners[k] == a;
			hasB = hasB || lattice->corners[k] == b;
		}
		if ( hasA && hasB )
		{
			return true;
		}
	}
	return false;
}

static void CheckSurface( const supControlLattice* lattice, const supCharacter* character )
{
	supError error = { 0 };
	supRestSurface surface = { 0 };
	testRequire( supRestSurface_Init( &surface, character, NULL, &error ), &error );
	supCellFinder* finder = supCreateCellFinder( lattice, &error );
	assert_non_null( finder );
	for ( int32_t i = 0; i < surface.vertexCount; ++i )
	{
		supCellPlace place;
		assert_true( supCellFinder_Find( finder, surface.positions[i], &place ) );
	}
	supDestroyCellFinder( finder );
	supRestSurface_Destroy( &surface );
}

// Every bone vertex lies on its bone, at rest and in any pose; pieces of bones are edges and follow each other, but for
// those left open.
static void CheckBones( const supControlLattice* lattice, const supCharacter* character, float size,
						int32_t openPieces )
{
	supPose* pose = supCreatePose( character );
	supVec4* places = supAllocArray( (size_t)lattice->vertexCount, sizeof( supVec4 ) );
	for ( int32_t round = 0; round < 2; ++round )
	{
		if ( round == 1 )
		{
			testRandom random = testMakeRandom( 4 );
			for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
			{
				supTransform local = supPose_GetLocal( pose, i );
				local.rotation = supSlerp( local.rotation, testRandomQuat( &random ), 0.1f );
				supPose_SetLocal( pose, i, local );
			}
		}
		const supMat34* worlds = supPose_Worlds( pose );
		supControlLattice_PlaceBones( lattice, worlds, places );
		for ( int32_t i = 0; i < lattice->vertexCount; ++i )
		{
			const supLatticePin* pin = lattice->pins + i;
			if ( pin->a < 0 )
			{
				continue;
			}
			supVec3 a = supLatticeJoint_Place( lattice->joints + pin->a, worlds );
			supVec3 b = supLatticeJoint_Place( lattice->joints + pin->b, worlds );
			supVec3 p = { places[i].x, places[i].y, places[i].z };
			if ( pin->a == pin->b )
			{
				assert_memory_equal( &p, &a, sizeof( p ) );
			}
			float along = supDistance( a, p ) + supDistance( p, b );
			testLessEqual( along, supDistance( a, b ) * 1.00001f + 1e-6f * size );
			assert_true( round == 1 || supDistance( p, lattice->vertices[i] ) < 1e-5f * size );
		}
	}
	int32_t breaks = 0;
	for ( int32_t i = 0; i < lattice->edgeCount; ++i )
	{
		const supBoneEdge* edge = lattice->edges + i;
		assert_true( HasCellEdge( lattice, edge->vertices[0], edge->vertices[1] ) );
		bool goesOn = i == 0 || edge->bone > edge[-1].bone || edge->vertices[0] == edge[-1].vertices[1];
		breaks += goesOn == false;
	}
	testLessEqual( breaks, openPieces );
	supFree( places );
	supDestroyPose( pose );
}

static float SizeOf( const supControlLattice* lattice )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < lattice->vertexCount; ++i )
	{
		box = supBox_Include( box, lattice->vertices[i] );
	}
	supVec3 size = supBox_Size( box );
	return supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
}

static void CheckCharacter( const supCharacter* character, int32_t vertexCount )
{
	supError error = { 0 };
	supControlLattice lattice = { 0 };
	supControlLatticeReport report = { 0 };
	supControlLatticeDef def = supDefaultControlLatticeDef();
	def.character = character;
	def.vertexCount = vertexCount;
	def.report = &report;
	testRequire( supBuildControlLattice( &lattice, &def, &error ), &error );
	print_message( "%s: %d vertices (%d bone, %d outer, %d inner), %d cells, %d bones, %d rounds, roundness %.3f to "
				   "%.2f on average\n",
				   supCharacter_Name( character ), lattice.vertexCount, report.boneVertices, report.outerVertices,
				   report.innerVertices, lattice.cellCount, lattice.boneCount, report.rounds, report.worstQuality,
				   report.meanQuality );
	// two pieces of bones may cross, in a hand whose joints all hang on the wrist
	testLessEqual( report.openPieces, lattice.edgeCount / 15 );
	testLessEqual( abs( lattice.vertexCount - vertexCount ), vertexCount / 10 );
	assert_int_equal( report.boneVertices + report.outerVertices + report.innerVertices, lattice.vertexCount );
	// the checks of lattices made by hand, overlaps included
	supControlLattice copy = { 0 };
	supControlLatticeArrays arrays = { .name = "copy",
									   .vertexCount = lattice.vertexCount,
									   .vertices = lattice.vertices,
									   .cellCount = lattice.cellCount,
									   .kinds = lattice.kinds,
									   .corners = lattice.corners,
									   .jointCount = lattice.jointCount,
									   .joints = lattice.joints,
									   .boneCount = lattice.boneCount,
									   .bones = lattice.bones,
									   .pins = lattice.pins,
									   .edgeCount = lattice.edgeCount,
									   .edges = lattice.edges };
	testRequire( supControlLattice_Init( &copy, &arrays, &error ), &error );
	supControlLattice_Destroy( &copy );
	float longest = 0.0f;
	for ( int32_t i = 0; i < lattice.cellCount; ++i )
	{
		const int32_t* corners = lattice.corners + 4 * i;
		int32_t known = 0;
		for ( int32_t k = 0; k < 4; ++k )
		{
			known += supControlLattice_IsKnown( &lattice, corners[k] );
			for ( int32_t m = 0; m < k; ++m )
			{
				float length = supDistance( lattice.vertices[corners[k]], lattice.vertices[corners[m]] );
				longest = supMaxFloat( longest, length );
			}
		}
		testLess( known, 4 );
	}
	// no cell ties a hand to a foot
	print_message( "longest edge: %.1f spacings\n", (double)( longest / report.spacing ) );
	testLess( longest, 3.5f * report.spacing );
	CheckSurface( &lattice, character );
	CheckBones( &lattice, character, SizeOf( &lattice ), report.openPieces );
	supControlLattice_Destroy( &lattice );
}

static void TestModels( void** state )
{
	(void)state;
	static const struct
	{
		const char* name;
		int32_t vertexCount;
	} cases[] = { { "kangaroo", 177 }, { "cow", 214 }, { "tube5", 60 } };
	for ( int32_t i = 0; i < SUP_COUNT( cases ); ++i )
	{
		supError error = { 0 };
		supCharacter* character = supFindModel( cases[i].name )->create( &error );
		testRequire( character != NULL, &error );
		CheckCharacter( character, cases[i].vertexCount );
		supDestroyCharacter( character );
	}
}

static void TestRealCharacters( void** state )
{
	(void)state;
	static const char* const paths[] = { "characters/Fox.glb", "characters/CesiumMan.glb",
										 "characters/RobotExpressive.glb", "characters/hand-left.glb" };
	for ( int32_t i = 0; i < SUP_COUNT( paths ); ++i )
	{
		supError error = { 0 };
		supCharacter* character = supLoadCharacter( testAsset( paths[i] ), &error );
		testRequire( character != NULL, &error );
		// with 500 a hand of CesiumMan was in a cell with its foot
		CheckCharacter( character, i == 1 ? 500 : 250 );
		supDestroyCharacter( character );
	}
}

// The same lattice every time, with threads and without.
static void TestDeterminism( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube5" )->create( &error );
	supThreadPool* pool = supCreateThreadPool( 2 );
	supControlLattice lattices[2];
	memset( lattices, 0, sizeof( lattices ) );
	for ( int32_t i = 0; i < 2; ++i )
	{
		supControlLatticeDef def = supDefaultControlLatticeDef();
		def.character = character;
		def.vertexCount = 80;
		def.tasks = i == 0 ? NULL : supThreadPool_Tasks( pool );
		testRequire( supBuildControlLattice( lattices + i, &def, &error ), &error );
	}
	assert_int_equal( lattices[0].vertexCount, lattices[1].vertexCount );
	assert_int_equal( lattices[0].cellCount, lattices[1].cellCount );
	assert_memory_equal( lattices[0].vertices, lattices[1].vertices,
						 (size_t)lattices[0].vertexCount * sizeof( supVec3 ) );
	assert_memory_equal( lattices[0].corners, lattices[1].corners,
						 4 * (size_t)lattices[0].cellCount * sizeof( int32_t ) );
	supControlLattice_Destroy( lattices );
	supControlLattice_Destroy( lattices + 1 );
	supDestroyThreadPool( pool );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Characters that cannot have one

// A box on a chain of joints.
static supCharacter* CreateBox( const supVec3* joints, int32_t jointCount, bool isFlat )
{
	supRestSurface box;
	MakeBox( &box, supVec3_zero, supMakeVec3( 1, 2, isFlat ? 0.0f : 1.0f ) );
	supNode nodes[8] = { { 0 } };
	int32_t numbers[8];
	supMat34 binds[8];
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		nodes[i] = ( supNode ){ .name = "bone", .parent = i - 1, .rest = supTransform_identity };
		nodes[i].rest.translation = i == 0 ? joints[0] : supSub( joints[i], joints[i - 1] );
		numbers[i] = i;
		binds[i] = supMat34_identity;
		binds[i].t = supNeg( joints[i] );
	}
	uint16_t bones[8] = { 0 };
	float weights[8];
	for ( int32_t i = 0; i < 8; ++i )
	{
		weights[i] = 1.0f;
	}
	nodes[jointCount] = ( supNode ){ .name = "box", .parent = -1, .rest = supTransform_identity };
	supSkin skin = { "skin", jointCount, numbers, binds };
	supMesh mesh = { .name = "box",
					 .vertexCount = 8,
					 .indexCount = 36,
					 .indices = box.indices,
					 .positions = box.positions,
					 .influences = 1,
					 .joints = bones,
					 .weights = weights };
	supCharacter* character = testMakeSkinned( nodes, jointCount + 1, &skin, &mesh );
	supRestSurface_Destroy( &box );
	return character;
}

static void ExpectRefusal( supCharacter* character, int32_t vertexCount, const char* word )
{
	supControlLattice lattice = { 0 };
	supControlLatticeDef def = supDefaultControlLatticeDef();
	def.character = character;
	def.vertexCount = vertexCount;
	supError error = { 0 };
	assert_false( supBuildControlLattice( &lattice, &def, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	if ( strstr( error.message, word ) == NULL )
	{
		fail_msg( "\"%s\" is not in: %s", word, error.message );
	}
	assert_null( lattice.vertices );
	supDestroyCharacter( character );
}

// The lattice of a body that its skeleton is not in: one bone in its core, carried by the nearest joint.
static void ExpectCore( supCharacter* character, int32_t node )
{
	supControlLattice lattice = { 0 };
	supControlLatticeDef def = supDefaultControlLatticeDef();
	def.character = character;
	def.vertexCount = 60;
	supError error = { 0 };
	testRequire( supBuildControlLattice( &lattice, &def, &error ), &error );
	assert_int_equal( lattice.boneCount, 1 );
	assert_int_equal( lattice.bones[0].node, node );
	for ( int32_t i = 0; i < lattice.jointCount; ++i )
	{
		supVec3 p = lattice.joints[i].rest;
		testGreater( p.x, 0.0f );
		testLess( p.x, 1.0f );
		testGreater( p.y, 0.0f );
		testLess( p.y, 2.0f );
		testGreater( p.z, 0.0f );
		testLess( p.z, 1.0f );
	}
	CheckSurface( &lattice, character );
	supControlLattice_Destroy( &lattice );
	supDestroyCharacter( character );
}

static void TestBodiesWithoutBones( void** state )
{
	(void)state;
	const supVec3 joints[] = { { 5, 0, 0 }, { 5, 1, 0 }, { 5, 2, 0 } };
	ExpectCore( CreateBox( joints, 3, false ), 1 );
	const supVec3 single[] = { { 0.5f, 0.3f, 0.5f } };
	ExpectCore( CreateBox( single, 1, false ), 0 );
	const supVec3 far[] = { { 1000, 0, 0 }, { 2000, 0, 0 } };
	ExpectCore( CreateBox( far, 2, false ), 0 );
}

static void TestUnusableCharacters( void** state )
{
	(void)state;
	const supVec3 inside[] = { { 0.5f, 0.3f, 0.5f }, { 0.5f, 1.0f, 0.5f }, { 0.5f, 1.6f, 0.5f } };
	ExpectRefusal( CreateBox( inside, 3, true ), 100, "no bone of the skeleton is inside the body" );
	ExpectRefusal( CreateBox( inside, 3, false ), 5, "20 to" );

	// a bone of no length is no bone: its joints are one vertex
	const supVec3 twice[] = { { 0.5f, 0.3f, 0.5f }, { 0.5f, 1.0f, 0.5f }, { 0.5f, 1.0f, 0.5f }, { 0.5f, 1.6f, 0.5f } };
	supCharacter* character = CreateBox( twice, 4, false );
	supControlLattice lattice = { 0 };
	supControlLatticeReport report = { 0 };
	supControlLatticeDef def = supDefaultControlLatticeDef();
	def.character = character;
	def.vertexCount = 60;
	def.report = &report;
	supError error = { 0 };
	testRequire( supBuildControlLattice( &lattice, &def, &error ), &error );
	assert_int_equal( report.joinedJoints, 1 );
	assert_int_equal( report.outsideBones, 0 );
	assert_int_equal( lattice.boneCount, 3 );
	CheckSurface( &lattice, character );
	supControlLattice_Destroy( &lattice );
	supDestroyCharacter( character );
}

static bool Attempt( void* context )
{
	supControlLattice lattice = { 0 };
	supControlLatticeDef def = supDefaultControlLatticeDef();
	def.character = context;
	def.vertexCount = 20;
	supError error = { 0 };
	bool ok = supBuildControlLattice( &lattice, &def, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supControlLattice_Destroy( &lattice );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	const supVec3 inside[] = { { 0.5f, 0.3f, 0.5f }, { 0.5f, 1.0f, 0.5f }, { 0.5f, 1.6f, 0.5f } };
	supCharacter* character = CreateBox( inside, 3, false );
	testEachAllocationFailure( Attempt, character, 40 );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestMixedCells ),
		cmocka_unit_test( TestErrors ),
		cmocka_unit_test( TestModels ),
		cmocka_unit_test( TestRealCharacters ),
		cmocka_unit_test( TestDeterminism ),
		cmocka_unit_test( TestBodiesWithoutBones ),
		cmocka_unit_test( TestUnusableCharacters ),
		cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
