// SPDX-License-Identifier: MIT
// Functions on cells against their definition: sums, slopes, continuity, what vanishes where, and integrals.
#include "cell_shapes.h"

#include "models/models.h"
#include "supple/supple.h"
#include "volume/lattice/cell_basis.h"
#include "volume/lattice/cell_map.h"

#include <math.h>

typedef struct Stage
{
	MixedArrays mixed;
	supControlLattice lattice;
	supRestSurface surface;
	supCellBasis basis;
	supCellRule rule;
} Stage;

static void SetUp( Stage* stage, int32_t level, int32_t ruleLevel )
{
	*stage = ( Stage ){ 0 };
	supError error = { 0 };
	MakeMixed( &stage->mixed );
	testRequire( supControlLattice_Init( &stage->lattice, &stage->mixed.arrays, &error ), &error );
	MakeBox( &stage->surface, supMakeVec3( -1, -1, -1 ), supMakeVec3( 3, 3, 3 ) );
	supCellBasisDef def = supDefaultCellBasisDef();
	def.lattice = &stage->lattice;
	def.surface = &stage->surface;
	def.level = level;
	def.ruleLevel = ruleLevel;
	testRequire( supBuildCellBasis( &stage->basis, &stage->rule, &def, &error ), &error );
}

static void TearDown( Stage* stage )
{
	supCellBasis_Destroy( &stage->basis );
	supCellRule_Destroy( &stage->rule );
	supControlLattice_Destroy( &stage->lattice );
	supRestSurface_Destroy( &stage->surface );
}

static void RandomPlace( testRandom* random, supCellKind kind, double at[3] )
{
	do
	{
		for ( int32_t k = 0; k < 3; ++k )
		{
			at[k] = testRandomFloat( random, 0.0f, 1.0f );
		}
	} while ( supCellMap_Outside( kind, at ) > -1e-3 );
}

static double Sum( const supCellSample* s, int32_t from, int32_t to )
{
	double sum = 0.0;
	for ( int32_t i = 0; i < s->count; ++i )
	{
		if ( from <= s->functions[i] && s->functions[i] < to )
		{
			sum += s->values[i];
		}
	}
	return sum;
}

// The shapes are tables: corners around are right-handed, faces look outwards, every edge has two faces.
static void TestShapes( void** state )
{
	(void)state;
	for ( int32_t kind = 0; kind < sup_cellKindCount; ++kind )
	{
		const supCellShape* shape = supCellShapes + kind;
		supVec3 p[8], middle = supVec3_zero;
		for ( int32_t i = 0; i < shape->cornerCount; ++i )
		{
			p[i] = supMakeVec3( shape->places[i][0], shape->places[i][1], shape->places[i][2] );
			middle = supMulAdd( middle, 1.0f / (float)shape->cornerCount, p[i] );
		}
		for ( int32_t i = 0; i < shape->cornerCount; ++i )
		{
			const int8_t* a = shape->around[i];
			supMat3 m = { supSub( p[a[0]], p[i] ), supSub( p[a[1]], p[i] ), supSub( p[a[2]], p[i] ) };
			testGreater( supDeterminant( m ), 0.5f );
		}
		for ( int32_t f = 0; f < shape->faceCount; ++f )
		{
			const int8_t* c = shape->faces[f];
			supVec3 n = supCross( supSub( p[c[1]], p[c[0]] ), supSub( p[c[2]], p[c[0]] ) );
			testGreater( supDot( n, supSub( p[c[0]], middle ) ), 0.0f );
		}
		for ( int32_t e = 0; e < shape->edgeCount; ++e )
		{
			int32_t faces = 0;
			for ( int32_t f = 0; f < shape->faceCount; ++f )
			{
				int32_t size = shape->faces[f][3] < 0 ? 3 : 4;
				for ( int32_t k = 0; k < size; ++k )
				{
					int32_t a = shape->faces[f][k], b = shape->faces[f][( k + 1 ) % size];
					faces += ( a == shape->edges[e][0] && b == shape->edges[e][1] ) ||
							 ( b == shape->edges[e][0] && a == shape->edges[e][1] );
				}
			}
			assert_int_equal( faces, 2 );
		}
	}
}

// Level 0 sums up to 1 and is exact for linear fields, with their gradients.
static void TestLinearPrecision( void** state )
{
	(void)state;
	Stage stage;
	SetUp( &stage, 0, 0 );
	testRandom random = testMakeRandom( 11 );
	for ( int32_t i = 0; i < 300; ++i )
	{
		int32_t cell = i % 3;
		double at[3], place[3], jacobian[3][3];
		RandomPlace( &random, stage.lattice.kinds[cell], at );
		supCellMap_Differentiate( &stage.lattice, cell, at, place, jacobian );
		supCellSample s;
		supCellBasis_Evaluate( &stage.basis, cell, at, 0, &s );
		double sum = 0.0, x[3] = { 0 }, slope[3][3] = { { 0 } };
		for ( int32_t k = 0; k < s.count; ++k )
		{
			assert_true( k == 0 || s.functions[k] > s.functions[k - 1] );
			supVec3 v = stage.lattice.vertices[s.functions[k]];
			const double p[3] = { v.x, v.y, v.z };
			sum += s.values[k];
			for ( int32_t a = 0; a < 3; ++a )
			{
				x[a] += s.values[k] * p[a];
				for ( int32_t b = 0; b < 3; ++b )
				{
					slope[a][b] += p[a] * s.gradients[k][b];
				}
			}
		}
		testLess( fabs( sum - 1.0 ), 1e-14 );
		for ( int32_t a = 0; a < 3; ++a )
		{
			testLess( fabs( x[a] - place[a] ), 1e-13 );
			for ( int32_t b = 0; b < 3; ++b )
			{
				testLess( fabs( slope[a][b] - ( a == b ) ), 1e-12 );
			}
		}
	}
	TearDown( &stage );
}

// Values around a place tell the gradient, at all levels and in all kinds of cells.
static void TestGradients( void** state )
{
	(void)state;
	Stage stage;
	SetUp( &stage, 3, 0 );
	testRandom random = testMakeRandom( 5 );
	const double h = 1e-5;
	int32_t compared = 0;
	for ( int32_t i = 0; i < 120; ++i )
	{
		int32_t cell = i % 3;
		double at[3], place[3], jacobian[3][3];
		RandomPlace( &random, stage.lattice.kinds[cell], at );
		supCellMap_Differentiate( &stage.lattice, cell, at, place, jacobian );
		supCellSample s, near[2];
		supCellBasis_Evaluate( &stage.basis, cell, at, 3, &s );
		testLessEqual( s.count, SUP_MAX_BASIS_VALUES );
		for ( int32_t axis = 0; axis < 3; ++axis )
		{
			bool same = true;
			for ( int32_t side = 0; side < 2; ++side )
			{
				// a small step in space as a step of the reference cell, by Newton's method
				double target[3] = { place[0], place[1], place[2] }, q[3] = { at[0], at[1], at[2] };
				target[axis] += side == 0 ? -h : h;
				for ( int32_t k = 0; k < 6; ++k )
				{
					double here[3], step[3], j[3][3];
					supCellMap_Differentiate( &stage.lattice, cell, q, here, j );
					const double miss[3] = { target[0] - here[0], target[1] - here[1], target[2] - here[2] };
					assert_true( supSolve3d( (const double( * )[3])j, miss, step ) );
					q[0] += step[0];
					q[1] += step[1];
					q[2] += step[2];
				}
				supCellBasis_Evaluate( &stage.basis, cell, q, 3, near + side );
				same = same && near[side].count == s.count &&
					   memcmp( near[side].functions, s.functions, (size_t)s.count * sizeof( int32_t ) ) == 0;
			}
			// a step over the border of a hexahedron says nothing
			for ( int32_t k = 0; k < s.count && same; ++k )
			{
				double slope = ( near[1].values[k] - near[0].values[k] ) / ( 2.0 * h );
				double bend = ( near[1].values[k] - 2.0 * s.values[k] + near[0].values[k] ) / h;
				testLessEqual( fabs( slope - s.gradients[k][axis] ), 1e-5 + 0.6 * fabs( bend ) );
				compared += fabs( bend ) < 1e-3;
			}
		}
	}
	testGreater( compared, 2000 );
	TearDown( &stage );
}

// The value of one function at a place in a cell.
static double ValueOf( const supCellSample* s, int32_t function )
{
	for ( int32_t i = 0; i < s->count; ++i )
	{
		if ( s->functions[i] == function )
		{
			return s->values[i];
		}
	}
	return 0.0;
}

// From both sides of a face every function has the same value.
static void TestContinuity( void** state )
{
	(void)state;
	Stage stage;
	SetUp( &stage, 3, 0 );
	testRandom random = testMakeRandom( 8 );
	const supControlLattice* lattice = &stage.lattice;
	int32_t faces = 0;
	for ( int32_t i = 0; i < 3 * SUP_MAX_CELL_FACES; ++i )
	{
		int32_t cell = i / SUP_MAX_CELL_FACES, face = i % SUP_MAX_CELL_FACES, other = lattice->neighbours[i];
		if ( other < 0 )
		{
			continue;
		}
		faces += 1;
		const supCellShape* shape = supCellShapes + lattice->kinds[cell];
		for ( int32_t n = 0; n < 100; ++n )
		{
			// a place in the face by bilinear or barycentric weights of its corners
			double u = testRandomFloat( &random, 0.0f, 1.0f ), v = testRandomFloat( &random, 0.0f, 1.0f );
			bool quad = shape->faces[face][3] >= 0;
			double w[4] = { ( 1 - u ) * ( 1 - v ), u * ( 1 - v ), u * v, ( 1 - u ) * v };
			if ( quad == false )
			{
				w[1] = u < 1 - v ? u : 1 - v;
				w[2] = u < 1 - v ? v : 1 - u;
				w[0] = 1 - w[1] - w[2];
			}
			double at[2][3] = { { 0 } };
			for ( int32_t k = 0; k < ( quad ? 4 : 3 ); ++k )
			{
				int32_t corner = shape->faces[face][k];
				int32_t vertex = lattice->corners[lattice->cornerStarts[cell] + corner], twin = 0;
				while ( lattice->corners[lattice->cornerStarts[other] + twin] != vertex )
				{
					twin += 1;
				}
				for ( int32_t a = 0; a < 3; ++a )
				{
					at[0][a] += w[k] * shape->places[corner][a];
					at[1][a] += w[k] * supCellShapes[lattice->kinds[other]].places[twin][a];
				}
			}
			supCellSample s[2];
			supCellBasis_Evaluate( &stage.basis, cell, at[0], 3, s );
			supCellBasis_Evaluate( &stage.basis, other, at[1], 3, s + 1 );
			for ( int32_t side = 0; side < 2; ++side )
			{
				for ( int32_t k = 0; k < s[side].count; ++k )
				{
					double twin = ValueOf( s + 1 - side, s[side].functions[k] );
					testLess( fabs( s[side].values[k] - twin ), 1e-9 );
				}
			}
		}
	}
	assert_int_equal( faces, 4 );
	TearDown( &stage );
}

// One at its own node, nothing at all others of its level; no function of a finer level on bones.
static void TestNodesAndBones( void** state )
{
	(void)state;
	Stage stage;
	SetUp( &stage, 2, 0 );
	const supCellBasis* basis = &stage.basis;
	supError error = { 0 };
	supCellFinder* finder = supCreateCellFinder( &stage.lattice, &error );
	assert_non_null( finder );
	for ( int32_t i = 0; i < basis->nodeCount; ++i )
	{
		int32_t level = 0;
		while ( i >= basis->nodeStarts[level + 1] )
		{
			level += 1;
		}
		supCellPlace place;
		assert_true( supCellFinder_FindNearest( finder, basis->nodes[i], &place ) );
		supCellSample s;
		supCellBasis_Evaluate( basis, place.cell, place.at, level, &s );
		for ( int32_t k = 0; k < s.count; ++k )
		{
			if ( s.functions[k] >= basis->levelStarts[level] )
			{
				double expected = s.functions[k] == basis->nodeFunctions[i] ? 1.0 : 0.0;
				testLess( fabs( s.values[k] - expected ), 1e-5 );
			}
		}
		if ( basis->isOnBone[i] != 0 && level > 0 )
		{
			assert_int_equal( basis->nodeFunctions[i], -1 );
		}
	}
	assert_int_equal( stage.lattice.edgeCount, 2 );
	int32_t onBones = 0;
	for ( int32_t i = basis->nodeStarts[1]; i < basis->nodeCount; ++i )
	{
		onBones += basis->isOnBone[i];
	}
	// each bone edge is halved twice: three middles
	assert_int_equal( onBones, 6 );
	for ( int32_t i = 0; i < 200; ++i )
	{
		const supBoneEdge* edge = stage.lattice.edges + i / 100;
		supVec3 p = supLerp( stage.lattice.vertices[edge->vertices[0]], stage.lattice.vertices[edge->vertices[1]],
							 (float)( i % 100 ) / 99.0f );
		supCellPlace place;
		assert_true( supCellFinder_FindNearest( finder, p, &place ) );
		supCellSample s;
		supCellBasis_Evaluate( basis, place.cell, place.at, 2, &s );
		for ( int32_t k = 0; k < s.count; ++k )
		{
			bool finer = s.functions[k] >= basis->levelStarts[1];
			assert_true( finer == false || fabs( s.values[k] ) < 1e-5 );
		}
	}
	supDestroyCellFinder( finder );
	TearDown( &stage );
}

// A field by its coefficients and the same field by its values at nodes; supports hold every cell with a value.
static void TestFieldAtNodes( void** state )
{
	(void)state;
	Stage stage;
	SetUp( &stage, 2, 0 );
	const supCellBasis* basis = &stage.basis;
	testRandom random = testMakeRandom( 21 );
	supVec4* field = supAllocArray( (size_t)basis->functionCount, sizeof( supVec4 ) );
	supVec4* nodes = supAllocArray( (size_t)basis->nodeCount, sizeof( supVec4 ) );
	for ( int32_t i = 0; i < basis->functionCount; ++i )
	{
		supVec3 v = testRandomVec3( &random, 1.0f );
		field[i] = ( supVec4 ){ v.x, v.y, v.z, 7.0f };
	}
	supCellBasis_ToNodes( basis, field, nodes );
	supError error = { 0 };
	supCellFinder* finder = supCreateCellFinder( &stage.lattice, &error );
	for ( int32_t i = 0; i < basis->nodeCount; ++i )
	{
		supCellPlace place;
		assert_true( supCellFinder_FindNearest( finder, basis->nodes[i], &place ) );
		supCellSample s;
		supCellBasis_Evaluate( basis, place.cell, place.at, 2, &s );
		double x = 0.0;
		for ( int32_t k = 0; k < s.count; ++k )
		{
			x += s.values[k] * field[s.functions[k]].x;
			bool held = s.values[k] < 1e-6;
			for ( int32_t j = basis->supportStarts[s.functions[k]]; j < basis->supportStarts[s.functions[k] + 1]; ++j )
			{
				held = held || basis->supports[j] == place.cell;
			}
			assert_true( held );
		}
		testLess( fabs( x - nodes[i].x ), 2e-5 );
		assert_true( nodes[i].w == 0.0f );
	}
	supDestroyCellFinder( finder );
	supFree( field );
	supFree( nodes );
	TearDown( &stage );
}

// Everything inside: the rule is exact for the volume of flat cells and for what is linear in tets; a half-filled
// object counts by half.
static void TestRule( void** state )
{
	(void)state;
	Stage stage;
	for ( int32_t ruleLevel = 1; ruleLevel <= 2; ++ruleLevel )
	{
		SetUp( &stage, 0, ruleLevel );
		double whole = 0.0, sum = 0.0;
		for ( int32_t i = 0; i < 3; ++i )
		{
			whole += supControlLattice_CellVolume( &stage.lattice, i );
		}
		for ( int32_t i = 0; i < stage.rule.pointCount; ++i )
		{
			sum += stage.rule.weights[i];
			assert_int_equal( stage.rule.starts[i + 1] - stage.rule.starts[i],
							  supCellShapes[stage.lattice.kinds[stage.rule.cells[i]]].cornerCount );
		}
		assert_int_equal( stage.rule.pointCount, 6 * 18 * ( ruleLevel == 1 ? 1 : 8 ) );
		testLess( fabs( sum - stage.rule.volume ), 1e-12 );
		// faces that are not flat are cut by tets
		testLess( fabs( sum - whole ), 2e-3 / ruleLevel * whole );
		TearDown( &stage );
	}
	// a small box in the hex and the prism: all that is counted is inside, but for the least share of the tet
	SetUp( &stage, 1, 3 );
	supCellBasis_Destroy( &stage.basis );
	supCellRule_Destroy( &stage.rule );
	supRestSurface_Destroy( &stage.surface );
	MakeBox( &stage.surface, supMakeVec3( 0.3f, 0.3f, 0.2f ), supMakeVec3( 1.4f, 0.8f, 0.7f ) );
	supCellBasisDef def = { .lattice = &stage.lattice, .surface = &stage.surface, .level = 1, .ruleLevel = 3 };
	supError error = { 0 };
	testRequire( supBuildCellBasis( &stage.basis, &stage.rule, &def, &error ), &error );
	double least = 1e-3 * supControlLattice_CellVolume( &stage.lattice, 2 );
	testLess( fabs( stage.rule.volume - least - 1.1 * 0.5 * 0.5 ), 0.01 * 1.1 * 0.5 * 0.5 );
	double mean = 0.0;
	for ( int32_t i = 0; i < stage.rule.pointCount; ++i )
	{
		mean += stage.rule.weights[i] * ( stage.rule.cells[i] < 2 ? (double)stage.rule.points[i].x : 0.85 );
	}
	testLess( fabs( mean / stage.rule.volume - 0.85 ), 0.005 );
	// nothing of the object is in the tet: there is no function at its middle, but there is in those that it is in
	const supCellBasis* basis = &stage.basis;
	for ( int32_t cell = 0; cell < 3; ++cell )
	{
		int32_t middle = basis->hexes[1][8 * stage.lattice.cornerStarts[cell] + 7];
		assert_int_equal( basis->nodeFunctions[middle] >= 0, cell < 2 );
	}
	TearDown( &stage );
}

// The volume of real shapes.
static void TestRuleOfModels( void** state )
{
	(void)state;
	static const char* const names[] = { "cow", "tube5" };
	for ( int32_t i = 0; i < SUP_COUNT( names ); ++i )
	{
		supError error = { 0 };
		supCharacter* character = supFindModel( names[i] )->create( &error );
		testRequire( character != NULL, &error );
		supControlLattice lattice = { 0 };
		supControlLatticeDef def = supDefaultControlLatticeDef();
		def.character = character;
		def.vertexCount = 120;
		testRequire( supBuildControlLattice( &lattice, &def, &error ), &error );
		supRestSurface surface = { 0 };
		testRequire( supRestSurface_Init( &surface, character, NULL, &error ), &error );
		double exact = 0.0;
		for ( int32_t k = 0; k < surface.triangleCount; ++k )
		{
			const uint32_t* c = surface.indices + 3 * k;
			const supVec3* p = surface.positions;
			exact += supDot( p[c[0]], supCross( p[c[1]], p[c[2]] ) ) / 6.0;
		}
		supCellBasis basis = { 0 };
		supCellRule rule = { 0 };
		supCellBasisDef basisDef = { .lattice = &lattice, .surface = &surface, .level = 1 };
		testRequire( supBuildCellBasis( &basis, &rule, &basisDef, &error ), &error );
		print_message( "%s: %d cells, %d + %d functions, %d points, volume %.5f of %.5f\n", names[i], lattice.cellCount,
					   lattice.vertexCount, basis.functionCount - lattice.vertexCount, rule.pointCount, rule.volume,
					   exact );
		testLess( fabs( rule.volume - exact ), 0.01 * exact );
		supCellBasis_Destroy( &basis );
		supCellRule_Destroy( &rule );
		supRestSurface_Destroy( &surface );
		supControlLattice_Destroy( &lattice );
		supDestroyCharacter( character );
	}
}

static bool Attempt( void* context )
{
	const supCellBasisDef* def = context;
	supCellBasis basis = { 0 };
	supCellRule rule = { 0 };
	supError error = { 0 };
	bool ok = supBuildCellBasis( &basis, &rule, def, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supCellBasis_Destroy( &basis );
	supCellRule_Destroy( &rule );
	return ok;
}

static void TestErrors( void** state )
{
	(void)state;
	Stage stage;
	SetUp( &stage, 0, 0 );
	supCellBasisDef def = { .lattice = &stage.lattice, .surface = &stage.surface, .level = 2 };
	testEachAllocationFailure( Attempt, &def, 30 );
	supCellBasis basis = { 0 };
	supCellRule rule = { 0 };
	supError error = { 0 };
	def.level = 4;
	assert_false( supBuildCellBasis( &basis, &rule, &def, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	supRestSurface far;
	MakeBox( &far, supMakeVec3( 10, 10, 10 ), supMakeVec3( 11, 11, 11 ) );
	def = ( supCellBasisDef ){ .lattice = &stage.lattice, .surface = &far };
	assert_false( supBuildCellBasis( &basis, &rule, &def, &error ) );
	assert_non_null( strstr( error.message, "inside" ) );
	assert_null( basis.nodes );
	assert_null( rule.points );
	supRestSurface_Destroy( &far );
	TearDown( &stage );
}

// A finer rule and functions of a higher level change nothing about the sum of level 0.
static void TestLevelsAddUp( void** state )
{
	(void)state;
	Stage stage;
	SetUp( &stage, 3, 0 );
	testRandom random = testMakeRandom( 2 );
	for ( int32_t i = 0; i < 60; ++i )
	{
		double at[3];
		RandomPlace( &random, stage.lattice.kinds[i % 3], at );
		supCellSample all, coarse;
		supCellBasis_Evaluate( &stage.basis, i % 3, at, 3, &all );
		for ( int32_t level = 0; level < 3; ++level )
		{
			supCellBasis_Evaluate( &stage.basis, i % 3, at, level, &coarse );
			assert_memory_equal( all.functions, coarse.functions, (size_t)coarse.count * sizeof( int32_t ) );
			assert_memory_equal( all.values, coarse.values, (size_t)coarse.count * sizeof( double ) );
		}
		testLess( fabs( Sum( &all, 0, stage.basis.levelStarts[1] ) - 1.0 ), 1e-14 );
	}
	TearDown( &stage );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestShapes ),        cmocka_unit_test( TestLinearPrecision ),
		cmocka_unit_test( TestGradients ),     cmocka_unit_test( TestContinuity ),
		cmocka_unit_test( TestNodesAndBones ), cmocka_unit_test( TestFieldAtNodes ),
		cmocka_unit_test( TestRule ),          cmocka_unit_test( TestRuleOfModels ),
		cmocka_unit_test( TestErrors ),        cmocka_unit_test( TestLevelsAddUp ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
