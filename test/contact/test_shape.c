// SPDX-License-Identifier: MIT
// Shapes of colliders: distances against each other and against their own slopes, sweeps, masses.
#include "support.h"

#include "contact/shape.h"

#include <math.h>
#include <string.h>

static const uint32_t s_boxIndices[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
										   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };

static void MakeCorners( supVec3 half, supVec3 corners[8] )
{
	for ( int32_t i = 0; i < 8; ++i )
	{
		corners[i] = supMul( half, supMakeVec3( i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f ) );
	}
}

static supShape Make( const supShapeDef* def )
{
	supShape shape = { 0 };
	supError error = { 0 };
	testRequire( supShape_Init( &shape, def, &error ), &error );
	return shape;
}

static supVec3 s_half = { 0.5f, 1.0f, 0.25f };

static supShape MakeOfKind( supShapeKind kind )
{
	supVec3 corners[8];
	MakeCorners( s_half, corners );
	supShapeDef def = { .kind = kind,
						.radius = 0.45f,
						.halfHeight = 0.5f,
						.halfExtents = s_half,
						.vertexCount = 8,
						.vertices = corners,
						.triangleCount = 12,
						.indices = s_boxIndices };
	return Make( &def );
}

// The normal is the slope of the distance, which has length 1, and the point is that far away.
static void TestDistancesHaveTheirSlopes( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	for ( int kind = 0; kind <= sup_shapeMesh; ++kind )
	{
		supShape shape = MakeOfKind( (supShapeKind)kind );
		int32_t inside = 0, checked = 0;
		for ( int32_t i = 0; i < 2000; ++i )
		{
			supVec3 p = testRandomVec3( &random, 1.2f );
			supShapeHit hit, moved;
			assert_true( supShape_FindClosest( &shape, p, INFINITY, &hit ) );
			inside += hit.distance < 0.0f;
			assert_float_equal( supLength( hit.normal ), 1.0f, 1e-5f );
			supVec3 back = supMulAdd( hit.point, hit.distance, hit.normal );
			testLess( supDistance( back, p ), 2e-6f );
			// away from the places where two faces are equally near
			supVec3 step = testRandomVec3( &random, 1e-3f );
			supShape_FindClosest( &shape, supAdd( p, step ), INFINITY, &moved );
			if ( supDot( hit.normal, moved.normal ) > 0.9999f )
			{
				checked += 1;
				supVec3 mean = supScale( 0.5f, supAdd( hit.normal, moved.normal ) );
				assert_float_equal( moved.distance - hit.distance, supDot( mean, step ), 2e-6f );
			}
			assert_int_equal( supShape_FindClosest( &shape, p, 0.1f, &moved ), hit.distance <= 0.1f );
		}
		assert_in_range( inside, 50, 1900 );
		assert_in_range( checked, 1500, 2000 );
		supShape_Destroy( &shape );
	}
}

// A box, the hull of its corners and a mesh of its faces are the same body.
static void TestBoxHullAndMeshAgree( void** state )
{
	(void)state;
	supShape shapes[3] = { MakeOfKind( sup_shapeBox ), MakeOfKind( sup_shapeHull ), MakeOfKind( sup_shapeMesh ) };
	testRandom random = testMakeRandom( 2 );
	for ( int32_t i = 0; i < 3000; ++i )
	{
		supVec3 p = testRandomVec3( &random, 1.5f );
		supShapeHit hits[3];
		for ( int k = 0; k < 3; ++k )
		{
			supShape_FindClosest( shapes + k, p, INFINITY, hits + k );
			assert_float_equal( hits[k].distance, hits[0].distance, 2e-6f );
		}
	}
	for ( int k = 0; k < 3; ++k )
	{
		assert_float_equal( shapes[k].volume, 1.0f, 1e-6f );
		testLess( supLength( shapes[k].center ), 1e-6f );
		assert_float_equal( shapes[k].inertia.cx.x, shapes[0].inertia.cx.x, 1e-6f );
		assert_float_equal( shapes[k].inertia.cy.y, shapes[0].inertia.cy.y, 1e-6f );
		assert_float_equal( shapes[k].inertia.cz.z, shapes[0].inertia.cz.z, 1e-6f );
		assert_float_equal( shapes[k].inertia.cx.y, 0.0f, 1e-6f );
	}
	for ( int k = 0; k < 3; ++k )
	{
		supShape_Destroy( shapes + k );
	}
}

// Volume and inertia against a sum over small cubes.
static void TestMasses( void** state )
{
	(void)state;
	for ( int kind = sup_shapeSphere; kind <= sup_shapeBox; ++kind )
	{
		supShape shape = MakeOfKind( (supShapeKind)kind );
		double volume = 0.0, inertia[3] = { 0 };
		const int32_t n = 80;
		const double cell = 2.0 / n;
		for ( int32_t i = 0; i < n * n * n; ++i )
		{
			supVec3 p =
				supMakeVec3( (float)( ( i % n + 0.5 ) * cell - 1.0 ), (float)( ( i / n % n + 0.5 ) * cell - 1.0 ),
							 (float)( ( i / n / n + 0.5 ) * cell - 1.0 ) );
			supShapeHit hit;
			if ( supShape_FindClosest( &shape, p, 0.0f, &hit ) )
			{
				double dv = cell * cell * cell;
				volume += dv;
				inertia[0] += dv * (double)( p.y * p.y + p.z * p.z );
				inertia[1] += dv * (double)( p.x * p.x + p.z * p.z );
				inertia[2] += dv * (double)( p.x * p.x + p.y * p.y );
			}
		}
		assert_float_equal( volume / (double)shape.volume, 1.0, 0.02 );
		assert_float_equal( inertia[0] / (double)shape.inertia.cx.x, 1.0, 0.03 );
		assert_float_equal( inertia[1] / (double)shape.inertia.cy.y, 1.0, 0.05 );
		assert_float_equal( inertia[2] / (double)shape.inertia.cz.z, 1.0, 0.03 );
		supShape_Destroy( &shape );
	}
}

// A sheet of 0.1 mm, and a point that goes through it at any speed.
static void TestNothingTunnels( void** state )
{
	(void)state;
	supShapeDef def = { .kind = sup_shapeBox, .halfExtents = { 10.0f, 10.0f, 5e-5f } };
	supShape box = Make( &def );
	supVec3 corners[8];
	MakeCorners( def.halfExtents, corners );
	supShapeDef meshDef = {
		.kind = sup_shapeMesh, .vertexCount = 8, .vertices = corners, .triangleCount = 12, .indices = s_boxIndices
	};
	supShape mesh = Make( &meshDef );
	testRandom random = testMakeRandom( 3 );
	for ( int32_t i = 0; i < 2000; ++i )
	{
		supVec3 from = testRandomVec3( &random, 3.0f ), to = testRandomVec3( &random, 3.0f );
		from.z = testRandomFloat( &random, 0.01f, 30.0f );
		to.z = -testRandomFloat( &random, 0.01f, 30.0f );
		const supShape* shapes[2] = { &box, &mesh };
		for ( int k = 0; k < 2; ++k )
		{
			float time;
			supShapeHit hit;
			assert_true( supShape_Sweep( shapes[k], from, to, 1e-3f, &time, &hit ) );
			// it comes within a thousandth of its way of the margin
			float height = from.z - to.z;
			float expected = ( from.z - 1e-3f - 5e-5f ) / height;
			assert_float_equal( time, expected, 1.1e-3f * supDistance( from, to ) / height );
			testGreater( hit.normal.z, 0.99f );
			// the other way there is nothing to meet
			supVec3 away = supMakeVec3( to.x, to.y, from.z + 1.0f );
			assert_false( supShape_Sweep( shapes[k], from, away, 1e-3f, &time, &hit ) );
		}
	}
	supShape_Destroy( &box );
	supShape_Destroy( &mesh );
}

static void TestGroundAndTurnedMeshes( void** state )
{
	(void)state;
	// ground: two triangles that look up
	supVec3 vertices[4] = { { -5, 0, -5 }, { 5, 0, -5 }, { 5, 0, 5 }, { -5, 0, 5 } };
	uint32_t indices[6] = { 0, 2, 1, 0, 3, 2 };
	supShapeDef def = {
		.kind = sup_shapeMesh, .vertexCount = 4, .vertices = vertices, .triangleCount = 2, .indices = indices
	};
	supShape ground = Make( &def );
	assert_true( ground.isOpen );
	supShapeHit hit;
	assert_true( supShape_FindClosest( &ground, supMakeVec3( 1.0f, 0.5f, 2.0f ), 1.0f, &hit ) );
	assert_float_equal( hit.distance, 0.5f, 1e-6f );
	assert_true( supShape_FindClosest( &ground, supMakeVec3( 1.0f, -0.5f, 2.0f ), 1.0f, &hit ) );
	assert_float_equal( hit.distance, -0.5f, 1e-6f );
	assert_float_equal( hit.normal.y, 1.0f, 1e-6f );
	assert_false( supShape_FindClosest( &ground, supMakeVec3( 1.0f, -1.5f, 2.0f ), 1.0f, &hit ) );
	supShape_Destroy( &ground );

	supVec3 corners[8];
	MakeCorners( s_half, corners );
	uint32_t turned[36];
	for ( int i = 0; i < 36; ++i )
	{
		turned[i] = s_boxIndices[i % 3 == 0 ? i : i % 3 == 1 ? i + 1 : i - 1];
	}
	supShapeDef turnedDef = {
		.kind = sup_shapeMesh, .vertexCount = 8, .vertices = corners, .triangleCount = 12, .indices = turned
	};
	supShape shape = Make( &turnedDef );
	assert_true( shape.wasTurned && shape.isOpen == false );
	assert_float_equal( shape.volume, 1.0f, 1e-6f );
	assert_true( supShape_FindClosest( &shape, supVec3_zero, 0.0f, &hit ) );
	assert_float_equal( hit.distance, -0.25f, 1e-6f );
	supShape_Destroy( &shape );
}

static void Refuse( supShapeDef def, const char* words )
{
	supShape shape = { 0 };
	supError error = { 0 };
	assert_false( supShape_Init( &shape, &def, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_non_null( strstr( error.message, words ) );
}

static void TestBadShapes( void** state )
{
	(void)state;
	Refuse( ( supShapeDef ){ .kind = sup_shapeSphere }, "above 0" );
	Refuse( ( supShapeDef ){ .kind = sup_shapeSphere, .radius = NAN }, "above 0" );
	Refuse( ( supShapeDef ){ .kind = sup_shapeCapsule, .radius = 1.0f, .halfHeight = -1.0f }, "0 or more" );
	Refuse( ( supShapeDef ){ .kind = sup_shapeBox, .halfExtents = { 1.0f, INFINITY, 1.0f } }, "above 0" );
	Refuse( ( supShapeDef ){ .kind = sup_shapeMesh }, "no triangle" );
	supVec3 flat[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { NAN, 0, 0 } };
	uint32_t sheet[6] = { 0, 1, 2, 0, 2, 1 };
	supShapeDef def = {
		.kind = sup_shapeMesh, .vertexCount = 3, .vertices = flat, .triangleCount = 2, .indices = sheet
	};
	Refuse( def, "encloses nothing" );
	uint32_t beyond[3] = { 0, 1, 7 };
	def.triangleCount = 1;
	def.indices = beyond;
	Refuse( def, "vertex 7 of 3" );
	uint32_t bad[3] = { 0, 1, 3 };
	def.vertexCount = 4;
	def.indices = bad;
	Refuse( def, "vertex 3 is not finite" );
	uint32_t point[3] = { 1, 1, 1 };
	def.vertexCount = 3;
	def.indices = point;
	Refuse( def, "at one point" );
}

static bool AttemptMesh( void* context )
{
	supShape shape = { 0 };
	bool ok = supShape_Init( &shape, context, NULL );
	supShape_Destroy( &shape );
	return ok;
}

static void TestAllocations( void** state )
{
	(void)state;
	supVec3 corners[8];
	MakeCorners( s_half, corners );
	supShapeDef def = {
		.kind = sup_shapeMesh, .vertexCount = 8, .vertices = corners, .triangleCount = 12, .indices = s_boxIndices
	};
	testEachAllocationFailure( AttemptMesh, &def, 100 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestDistancesHaveTheirSlopes ),
		cmocka_unit_test( TestBoxHullAndMeshAgree ),
		cmocka_unit_test( TestMasses ),
		cmocka_unit_test( TestNothingTunnels ),
		cmocka_unit_test( TestGroundAndTurnedMeshes ),
		cmocka_unit_test( TestBadShapes ),
		cmocka_unit_test( TestAllocations ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
