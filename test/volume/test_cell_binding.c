// SPDX-License-Identifier: MIT
// A skin hung on the cells of a control lattice.
#include "cell_shapes.h"

#include "models/models.h"
#include "supple/supple.h"
#include "volume/lattice/cell_basis.h"

#include <math.h>

typedef struct Stage
{
	supCharacter* character;
	supRestSurface surface;
	supControlLattice lattice;
	supCellBasis basis;
	supCellRule rule;
	supSurfaceBinding binding;
	supPose* pose;
	supBindFrame* frames;
	supVec4* nodes;
	supVec3* positions;
	supVec3* normals;
} Stage;

static void SetUp( Stage* stage, const char* model, int32_t vertexCount, int32_t level )
{
	*stage = ( Stage ){ 0 };
	supError error = { 0 };
	stage->character = supFindModel( model )->create( &error );
	testRequire( stage->character != NULL, &error );
	testRequire( supRestSurface_Init( &stage->surface, stage->character, NULL, &error ), &error );
	supControlLatticeDef def = supDefaultControlLatticeDef();
	def.character = stage->character;
	def.surface = &stage->surface;
	def.vertexCount = vertexCount;
	testRequire( supBuildControlLattice( &stage->lattice, &def, &error ), &error );
	supCellBasisDef basisDef = { .lattice = &stage->lattice, .surface = &stage->surface, .level = level };
	testRequire( supBuildCellBasis( &stage->basis, &stage->rule, &basisDef, &error ), &error );
	testRequire( supSurfaceBinding_InitCells( &stage->binding, stage->character, &stage->basis, NULL, &error ),
				 &error );
	size_t nodes = (size_t)stage->basis.nodeCount, vertices = (size_t)stage->surface.vertexCount;
	stage->pose = supCreatePose( stage->character );
	stage->frames = supAllocArray( nodes, sizeof( supBindFrame ) );
	stage->nodes = supAllocArray( nodes, sizeof( supVec4 ) );
	stage->positions = supAllocArray( vertices, sizeof( supVec3 ) );
	stage->normals = supAllocArray( vertices, sizeof( supVec3 ) );
}

static void TearDown( Stage* stage )
{
	supFree( stage->frames );
	supFree( stage->nodes );
	supFree( stage->positions );
	supFree( stage->normals );
	supDestroyPose( stage->pose );
	supSurfaceBinding_Destroy( &stage->binding );
	supCellRule_Destroy( &stage->rule );
	supCellBasis_Destroy( &stage->basis );
	supControlLattice_Destroy( &stage->lattice );
	supRestSurface_Destroy( &stage->surface );
	supDestroyCharacter( stage->character );
}

static void Write( Stage* stage )
{
	supSurfaceBinding_FrameTets( &stage->binding, stage->nodes, NULL, NULL, stage->frames );
	supSkinOutput output = { stage->positions, stage->normals, NULL };
	supSurfaceBinding_Write( &stage->binding, stage->frames, sup_bindToRest, stage->pose, 0, NULL, &output );
}

// Every vertex hangs on the nodes of one cell with weights that give its place back, at rest and under any affine map.
// The rest surface is as the author made it, the drawn one is skinned: they differ by rounding.
static void CheckRest( const Stage* stage )
{
	for ( int32_t i = 0; i < stage->surface.vertexCount; ++i )
	{
		testLess( supDistance( stage->positions[i], stage->surface.positions[i] ), 1e-6f );
	}
}

static void CheckStage( Stage* stage )
{
	assert_int_equal( stage->binding.pointCount, stage->basis.nodeCount );
	assert_int_equal( stage->binding.width, stage->basis.level == 0 ? 4 : 8 );
	assert_int_equal( stage->binding.report.inside, stage->surface.vertexCount );
	assert_int_equal( stage->binding.report.outside, 0 );
	for ( int32_t i = 0; i < stage->surface.vertexCount; ++i )
	{
		double sum = 0.0, p[3] = { 0 };
		for ( int32_t k = 0; k < stage->binding.width; ++k )
		{
			double w = stage->binding.weights[stage->binding.width * i + k];
			supVec3 node = stage->basis.nodes[stage->binding.points[stage->binding.width * i + k]];
			testGreaterEqual( w, 0.0 );
			sum += w;
			p[0] += w * node.x;
			p[1] += w * node.y;
			p[2] += w * node.z;
		}
		supVec3 at = { (float)p[0], (float)p[1], (float)p[2] };
		testLess( fabs( sum - 1.0 ), 1e-6 );
		testLess( supDistance( at, stage->surface.positions[i] ), 1e-6f );
	}
	memcpy( stage->nodes, stage->binding.restPoints, (size_t)stage->basis.nodeCount * sizeof( supVec4 ) );
	Write( stage );
	CheckRest( stage );

	supMat34 map = { { 0.9f, 0.2f, -0.1f }, { -0.3f, 1.1f, 0.2f }, { 0.1f, 0.0f, 0.8f }, { 0.5f, -1.0f, 2.0f } };
	for ( int32_t i = 0; i < stage->basis.nodeCount; ++i )
	{
		supVec3 p = supTransformPoint( map, stage->basis.nodes[i] );
		stage->nodes[i] = ( supVec4 ){ p.x, p.y, p.z, 0.0f };
	}
	Write( stage );
	const supMesh* mesh = supCharacter_Mesh( stage->character, 0 );
	supMat3 cofactor = supCofactor( supLinearPart( map ) );
	for ( int32_t i = 0; i < stage->surface.vertexCount; ++i )
	{
		supVec3 expected = supTransformPoint( map, stage->surface.positions[i] );
		testLess( supDistance( expected, stage->positions[i] ), 3e-6f );
		supVec3 normal = supNormalize( supMulMV( cofactor, mesh->normals[i] ) );
		testLess( supDistance( normal, stage->normals[i] ), 1e-4f );
	}
}

static void TestAffineMaps( void** state )
{
	(void)state;
	for ( int32_t level = 0; level <= 1; ++level )
	{
		Stage stage;
		SetUp( &stage, "tube5", 60, level );
		CheckStage( &stage );
		TearDown( &stage );
	}
}

// A field of coefficients moves a vertex by what its functions are there: through the nodes, and by the hook's weights.
static void TestFields( void** state )
{
	(void)state;
	Stage stage;
	SetUp( &stage, "tube5", 40, 2 );
	const supCellBasis* basis = &stage.basis;
	testRandom random = testMakeRandom( 9 );
	supVec4* field = supAllocArray( (size_t)basis->functionCount, sizeof( supVec4 ) );
	for ( int32_t i = 0; i < basis->functionCount; ++i )
	{
		supVec3 v = testRandomVec3( &random, 0.1f );
		field[i] = ( supVec4 ){ v.x, v.y, v.z, 0.0f };
	}
	supCellBasis_ToNodes( basis, field, stage.nodes );
	for ( int32_t i = 0; i < basis->nodeCount; ++i )
	{
		stage.nodes[i].x += stage.binding.restPoints[i].x;
		stage.nodes[i].y += stage.binding.restPoints[i].y;
		stage.nodes[i].z += stage.binding.restPoints[i].z;
	}
	Write( &stage );
	supError error = { 0 };
	supCellFinder* finder = supCreateCellFinder( &stage.lattice, &error );
	for ( int32_t i = 0; i < stage.surface.vertexCount; ++i )
	{
		supVec3 p = stage.surface.positions[i];
		supCellPlace place;
		assert_true( supCellFinder_Find( finder, p, &place ) );
		supCellSample s;
		supCellBasis_Evaluate( basis, place.cell, place.at, 2, &s );
		supVec3 exact = p;
		for ( int32_t k = 0; k < s.count; ++k )
		{
			supVec4 f = field[s.functions[k]];
			exact = supMulAdd( exact, (float)s.values[k], supMakeVec3( f.x, f.y, f.z ) );
		}
		testLess( supDistance( exact, stage.positions[i] ), 1e-5f );
	}
	supDestroyCellFinder( finder );
	supFree( field );
	TearDown( &stage );
}

// A skin larger than its lattice: what sticks out hangs on the nearest place and is never carried farther than half
// again as far.
static void TestOutside( void** state )
{
	(void)state;
	Stage stage;
	SetUp( &stage, "tube5", 60, 0 );
	supSurfaceBinding_Destroy( &stage.binding );
	for ( int32_t i = 0; i < stage.lattice.vertexCount; ++i )
	{
		supVec3* p = stage.lattice.vertices + i;
		p->y *= 0.6f;
		p->z *= 0.6f;
		stage.basis.nodes[i] = *p;
	}
	supError error = { 0 };
	testRequire( supSurfaceBinding_InitCells( &stage.binding, stage.character, &stage.basis, NULL, &error ), &error );
	const supBindReport* report = &stage.binding.report;
	testGreater( report->outside, 20 );
	assert_int_equal( report->inside + report->outside, stage.surface.vertexCount );
	testGreater( report->farthest, 0.01f );
	testLess( report->farthest, 0.15f );
	memcpy( stage.nodes, stage.binding.restPoints, (size_t)stage.basis.nodeCount * sizeof( supVec4 ) );
	Write( &stage );
	CheckRest( &stage );
	for ( int32_t i = 0; i < stage.basis.nodeCount; ++i )
	{
		stage.nodes[i].y *= 30.0f;
	}
	Write( &stage );
	for ( int32_t i = 0; i < stage.surface.vertexCount; ++i )
	{
		float held = supLength( stage.binding.offsets[i] );
		supVec3 place = supSub( stage.surface.positions[i], stage.binding.offsets[i] );
		place.y *= 30.0f;
		testLessEqual( supDistance( place, stage.positions[i] ), 1.5f * held + 1e-4f );
	}
	TearDown( &stage );
}

static bool Attempt( void* context )
{
	Stage* stage = context;
	supSurfaceBinding binding = { 0 };
	supError error = { 0 };
	bool ok = supSurfaceBinding_InitCells( &binding, stage->character, &stage->basis, NULL, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supSurfaceBinding_Destroy( &binding );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	Stage stage;
	SetUp( &stage, "tube5", 40, 1 );
	testEachAllocationFailure( Attempt, &stage, 30 );
	TearDown( &stage );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestAffineMaps ),
		cmocka_unit_test( TestFields ),
		cmocka_unit_test( TestOutside ),
		cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
