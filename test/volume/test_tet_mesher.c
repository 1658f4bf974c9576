// SPDX-License-Identifier: MIT
#include "shapes.h"

#include "core/core.h"
#include "volume/tets/tet_mesher.h"
#include "volume/tets/tet_quality.h"
#include "volume/tets/tet_topology.h"

typedef struct Result
{
	supTets tets;
	supTetsReport report;
	supTetQuality quality;
} Result;

static supTetsDef MakeDef( const Shape* shape, int32_t count, supTetsMode mode )
{
	supTetsDef def = supDefaultTetsDef();
	def.vertexCount = shape->vertexCount;
	def.positions = shape->positions;
	def.triangleCount = shape->triangleCount;
	def.indices = shape->indices;
	def.tetCount = count;
	def.mode = mode;
	return def;
}

// What holds for every result: stated angles, no inverted tet, every point used, count as asked, closed boundary.
static void CheckResult( const Result* r, int32_t count )
{
	testGreaterEqual( r->quality.minDihedral, SUP_TETS_MIN_DIHEDRAL );
	testLessEqual( r->quality.maxDihedral, SUP_TETS_MAX_DIHEDRAL );
	assert_int_equal( r->quality.inverted, 0 );
	assert_int_equal( r->quality.parts, r->report.parts );
	if ( count > 0 )
	{
		testLessEqual( abs( r->tets.tetCount - count ) * 10, count );
	}
	supArena arena = { 0 };
	supError error = { 0 };
	int32_t parts = 0, *list = NULL;
	testRequire( supTets_Parts( &r->tets, &arena, &parts, &list, &error ), &error );
	assert_int_equal( parts, r->report.parts );
	int32_t* neighbours = NULL;
	testRequire( supTets_Neighbours( &r->tets, &arena, &neighbours, &error ), &error );
	supVec3 area = supVec3_zero;
	double sum = 0.0;
	for ( int32_t i = 0; i < 4 * r->tets.tetCount; ++i )
	{
		// no face with three tets, and both tets at a face on their own sides of it
		assert_int_not_equal( neighbours[i], -2 );
		if ( neighbours[i] == -1 )
		{
			const int32_t* c = r->tets.indices + 4 * ( i / 4 );
			const int8_t* face = supTetFaces[i % 4];
			supVec3 p = r->tets.points[c[face[0]]];
			supVec3 n = supCross( supSub( r->tets.points[c[face[1]]], p ), supSub( r->tets.points[c[face[2]]], p ) );
			area = supAdd( area, n );
			sum += (double)supLength( n );
		}
	}
	testLess( (double)supLength( area ), 1e-4 * sum );
	supArena_Destroy( &arena );
}

static Result Build( const supTetsDef* in )
{
	Result r = { 0 };
	supError error = { 0 };
	supTetsDef def = *in;
	def.report = &r.report;
	testRequire( supBuildTets( &r.tets, &def, &error ), &error );
	testRequire( supMeasureTets( &r.tets, NULL, &r.quality, &error ), &error );
	CheckResult( &r, def.tetCount );
	return r;
}

static Result BuildShape( const Shape* shape, int32_t count, supTetsMode mode )
{
	supTetsDef def = MakeDef( shape, count, mode );
	return Build( &def );
}

static void Free( Result* r )
{
	supTets_Destroy( &r->tets );
}

// ---------------------------------------------------------------------------------------------------------------------
// Quality

static void TurnShape( Shape* shape, supQuat q )
{
	for ( int32_t i = 0; i < shape->vertexCount; ++i )
	{
		shape->positions[i] = supRotate( q, shape->positions[i] );
	}
}

static void TestShapes( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	for ( int32_t round = 0; round < 4; ++round )
	{
		Shape shape = { 0 };
		AddSphere( &shape, testRandomVec3( &random, 1.0f ), 0.8f, 12 );
		AddBox( &shape, supMakeVec3( -0.7f, -1, 0 ), supMakeVec3( 0.5f, 1, 1.2f ) );
		AddTube( &shape, supMakeVec3( 1, 0, 0 ), 0.3f, 1.5f, 16 );
		TurnShape( &shape, testRandomQuat( &random ) );
		for ( int32_t mode = 0; mode < 2; ++mode )
		{
			Result r = BuildShape( &shape, 300 + (int32_t)testRandomInt( &random, 5000 ), (supTetsMode)mode );
			Free( &r );
		}
		FreeShape( &shape );
	}
}

static void MakeSoup( Shape* shape, testRandom* random, int32_t triangles, float extent )
{
	uint32_t first = GrowShape( shape, 3 * triangles, triangles );
	supVec3* positions = shape->positions + first;
	uint32_t* indices = shape->indices + 3 * ( shape->triangleCount - triangles );
	for ( int32_t i = 0; i < 3 * triangles; ++i )
	{
		positions[i] = testRandomVec3( random, 1.0f );
		if ( i % 3 != 0 && extent > 0.0f )
		{
			positions[i] = supAdd( positions[i - i % 3], testRandomVec3( random, extent ) );
		}
		indices[i] = first + (uint32_t)i;
	}
}

static void TestRandomSoups( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 2 );
	for ( int32_t round = 0; round < 18; ++round )
	{
		Shape shape = { 0 };
		MakeSoup( &shape, &random, 1 + (int32_t)testRandomInt( &random, 60 ), round % 2 == 0 ? 0.0f : 0.3f );
		supTetsDef def = MakeDef( &shape, 0, round % 3 == 0 ? sup_tetsContain : sup_tetsFollow );
		def.size = testRandomFloat( &random, 0.05f, 0.6f );
		Result r = Build( &def );
		testGreater( r.tets.tetCount, 0 );
		Free( &r );
		FreeShape( &shape );
	}
}

// Lattice planes and faces coincide: values of exactly zero, cuts equally near.
static void TestAlignedBox( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( -1, -1, -1 ), supMakeVec3( 1, 1, 1 ) );
	for ( int32_t i = 2; i <= 16; i += 2 )
	{
		supTetsDef def = MakeDef( &shape, 0, sup_tetsFollow );
		def.size = 2.0f / (float)i;
		Result r = Build( &def );
		testGreater( r.quality.volume, 0.9 * 8.0 );
		testLess( r.quality.volume, 1.001 * 8.0 );
		Free( &r );
	}
	FreeShape( &shape );
}

static void TestSweep( void** state )
{
	(void)state;
	static const int32_t counts[] = { 100, 137, 200, 500, 1000, 3000, 10000 };
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 24 );
	for ( int32_t i = 0; i < testRounds( SUP_COUNT( counts ), 4 ); ++i )
	{
		for ( int32_t mode = 0; mode < 2; ++mode )
		{
			Result r = BuildShape( &shape, counts[i], (supTetsMode)mode );
			assert_int_equal( r.report.parts, 1 );
			Free( &r );
		}
	}
	FreeShape( &shape );
}

// All faces of a cube cross the lattice at once: the count of a lattice in its middle comes in jumps.
static void TestCountsOfBoxes( void** state )
{
	(void)state;
	static const int32_t counts[] = { 200, 250, 500, 700, 1200, 1500 };
	for ( int32_t i = 0; i < testRounds( SUP_COUNT( counts ), 2 ); ++i )
	{
		Shape shape = { 0 };
		float height = i % 3 == 1 ? 2.0f : 1.0f;
		AddBox( &shape, supMakeVec3( -1, -height, -1 ), supMakeVec3( 1, height, 1 ) );
		for ( int32_t mode = 0; mode < 2; ++mode )
		{
			Result r = BuildShape( &shape, counts[i], (supTetsMode)mode );
			assert_int_equal( r.report.parts, 1 );
			Free( &r );
		}
		FreeShape( &shape );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Thin parts

static bool HoldsPoint( const supTets* tets, int32_t tet, supVec3 p, double tolerance )
{
	const int32_t* c = tets->indices + 4 * tet;
	double whole = supTets_Volume( tets, tet );
	for ( int32_t k = 0; k < 4; ++k )
	{
		supVec3 points[4];
		int32_t indices[4] = { 0, 1, 2, 3 };
		for ( int32_t i = 0; i < 4; ++i )
		{
			points[i] = i == k ? p : tets->points[c[i]];
		}
		supTets one = { .pointCount = 4, .points = points, .tetCount = 1, .indices = indices };
		if ( supTets_Volume( &one, 0 ) < -tolerance * whole )
		{
			return false;
		}
	}
	return true;
}

// - reach: the longest edge at least
static bool HoldsAnywhere( const supTets* tets, supVec3 p, float reach )
{
	for ( int32_t i = 0; i < tets->tetCount; ++i )
	{
		if ( supDistance( tets->points[tets->indices[4 * i]], p ) < reach && HoldsPoint( tets, i, p, 1e-4 ) )
		{
			return true;
		}
	}
	return false;
}

static float DistanceToTets( const supTets* tets, supVec3 p )
{
	float least = INFINITY;
	for ( int32_t i = 0; i < tets->pointCount; ++i )
	{
		least = supMinFloat( least, supDistance( tets->points[i], p ) );
	}
	return least;
}

static void CheckContains( const Shape* shape, const Result* r, testRandom* random, int32_t checks )
{
	for ( int32_t i = 0; i < checks; ++i )
	{
		const uint32_t* c = shape->indices + 3 * testRandomInt( random, (uint32_t)shape->triangleCount );
		assert_true( HoldsAnywhere( &r->tets, shape->positions[c[i % 3]], 1.01f * r->report.size ) );
	}
}

static void TestContain( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	for ( int32_t round = 0; round < 4; ++round )
	{
		Shape shape = { 0 };
		AddSphere( &shape, supVec3_zero, 0.8f, 8 + 8 * round );
		AddBox( &shape, supMakeVec3( -0.01f, -1, 0 ), supMakeVec3( 0.01f, 1.7f, 1.2f ) );
		MakeSoup( &shape, &random, 5, 0.0f );
		TurnShape( &shape, testRandomQuat( &random ) );
		Result r = BuildShape( &shape, 1500, sup_tetsContain );
		CheckContains( &shape, &r, &random, 300 );
		Free( &r );
		FreeShape( &shape );
	}
}

// Sheets, needles and shells of no thickness at all: connected, and near to every place of the surface.
static void TestThin( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 4 );
	for ( int32_t kind = 0; kind < 8; ++kind )
	{
		Shape shape = { 0 };
		switch ( kind % 4 )
		{
			case 0: // a closed sheet
				AddBox( &shape, supMakeVec3( -1, -1, 0 ), supMakeVec3( 1, 1, 0.001f ) );
				break;
			case 1: // a needle on a ball
				AddSphere( &shape, supVec3_zero, 0.5f, 12 );
				AddBox( &shape, supMakeVec3( 0.3f, -0.01f, -0.01f ), supMakeVec3( 2, 0.01f, 0.01f ) );
				break;
			case 2: // open and one-sided
				GrowShape( &shape, 4, 2 );
				memcpy( shape.indices, ( uint32_t[] ){ 0, 1, 2, 2, 1, 3 }, 6 * sizeof( uint32_t ) );
				for ( int32_t i = 0; i < 4; ++i )
				{
					shape.positions[i] = supMakeVec3( (float)( i & 1 ), (float)( i >> 1 ), 0 );
				}
				break;
			default: // a thin ear that widens
				AddTurned( &shape, supVec3_zero,
						   ( supVec2[] ){ { 0, -1 }, { 0.8f, -0.5f }, { 0.06f, 0.2f }, { 0.02f, 1.0f }, { 0, 1.8f } },
						   5, 20 );
		}
		TurnShape( &shape, testRandomQuat( &random ) );
		Result r = BuildShape( &shape, 400 + 300 * kind, sup_tetsFollow );
		assert_int_equal( r.report.parts, 1 );
		testGreater( r.report.embedded, 0 );
		for ( int32_t i = 0; i < shape.vertexCount; ++i )
		{
			testLess( DistanceToTets( &r.tets, shape.positions[i] ), 1.2f * r.report.size );
		}
		Free( &r );
		FreeShape( &shape );
	}
}

// A sheet thinner than a cube becomes a layer of tets as thick as it is, down to a fifth of a cube.
static void TestSheets( void** state )
{
	(void)state;
	testMeasuresOnly();
	testRandom random = testMakeRandom( 7 );
	const float size = 0.2f;
	for ( int32_t round = 0; round < 6; ++round )
	{
		float thickness = size * ( round < 2 ? 0.0001f : ( round < 4 ? 0.3f : 0.7f ) );
		Shape shape = { 0 };
		AddBox( &shape, supMakeVec3( -1, -1, 0 ), supMakeVec3( 1, 1, thickness ) );
		TurnShape( &shape, testRandomQuat( &random ) );
		supTetsDef def = MakeDef( &shape, 0, sup_tetsFollow );
		def.size = size;
		Result r = Build( &def );
		double layer = r.quality.volume / ( 4.0 * (double)size );
		assert_int_equal( r.report.parts, 1 );
		assert_true( round < 2 ? layer < 0.2 : fabs( layer * (double)( size / thickness ) - 1.0 ) < 0.06 );
		Free( &r );
		FreeShape( &shape );
	}
}

static void TestOneTriangle( void** state )
{
	(void)state;
	supVec3 positions[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
	uint32_t indices[3] = { 0, 1, 2 };
	Shape shape = { 3, 1, positions, indices };
	for ( int32_t mode = 0; mode < 2; ++mode )
	{
		Result r = BuildShape( &shape, 1000, (supTetsMode)mode );
		assert_int_equal( r.report.parts, 1 );
		Free( &r );
	}
	// all on one line
	positions[2] = supMakeVec3( 0.5f, 0, 0 );
	Result r = BuildShape( &shape, 200, sup_tetsContain );
	assert_int_equal( r.report.parts, 1 );
	Free( &r );
}

// ---------------------------------------------------------------------------------------------------------------------
// Volume and place

static double VolumeOf( const Shape* shape )
{
	double sum = 0.0;
	for ( int32_t i = 0; i < shape->triangleCount; ++i )
	{
		const uint32_t* c = shape->indices + 3 * i;
		supVec3 normal = supCross( shape->positions[c[1]], shape->positions[c[2]] );
		sum += (double)supDot( shape->positions[c[0]], normal ) / 6.0;
	}
	return sum;
}

// Closed and simple: the volume is that of the triangles. Points of the boundary stay close to them.
static void TestVolume( void** state )
{
	(void)state;
	testMeasuresOnly();
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 32 );
	for ( int32_t count = 3000; count <= 12000; count *= 2 )
	{
		Result r = BuildShape( &shape, count, sup_tetsFollow );
		assert_float_equal( r.quality.volume / VolumeOf( &shape ), 1.0, 0.0015 );
		supArena arena = { 0 };
		supError error = { 0 };
		int32_t triangles = 0, *corners = NULL;
		testRequire( supTets_Boundary( &r.tets, &arena, &triangles, &corners, &error ), &error );
		for ( int32_t i = 0; i < 3 * triangles; ++i )
		{
			float radius = supLength( r.tets.points[corners[i]] ) - r.report.level;
			testLess( fabsf( radius - 1.0f ), 0.01f + 0.01f * r.report.size );
		}
		supArena_Destroy( &arena );
		Free( &r );
	}
	// a hole and a part inside another: no volume to go by, and none is enforced
	shape.triangleCount -= 40;
	AddSphere( &shape, supVec3_zero, 0.5f, 8 );
	Result r = BuildShape( &shape, 2000, sup_tetsFollow );
	assert_true( r.report.level == 0.0f );
	Free( &r );
	FreeShape( &shape );
}

static void TestInsideOut( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 12 );
	Result a = BuildShape( &shape, 1000, sup_tetsFollow );
	for ( int32_t i = 0; i < shape.triangleCount; ++i )
	{
		uint32_t k = shape.indices[3 * i + 1];
		shape.indices[3 * i + 1] = shape.indices[3 * i + 2];
		shape.indices[3 * i + 2] = k;
	}
	Result b = BuildShape( &shape, 1000, sup_tetsFollow );
	assert_false( a.report.turned );
	assert_true( b.report.turned );
	assert_int_equal( a.tets.tetCount, b.tets.tetCount );
	Free( &a );
	Free( &b );
	FreeShape( &shape );
}

static bool HasPointNear( const supTets* tets, supVec3 p, float tolerance )
{
	return DistanceToTets( tets, p ) < tolerance;
}

static void MakeCreature( Shape* shape )
{
	AddSphere( shape, supMakeVec3( 0.1f, 0.2f, 0 ), 0.8f, 14 );
	AddSphere( shape, supMakeVec3( 0.9f, 0.3f, 0.2f ), 0.5f, 11 );
	AddBox( shape, supMakeVec3( -0.3f, -1.5f, 0 ), supMakeVec3( -0.2f, 0.1f, 0.05f ) );
}

static void MirrorShape( Shape* shape )
{
	for ( int32_t i = 0; i < shape->vertexCount; ++i )
	{
		shape->positions[i].x = -shape->positions[i].x;
	}
	for ( int32_t i = 0; i < shape->triangleCount; ++i )
	{
		uint32_t k = shape->indices[3 * i + 1];
		shape->indices[3 * i + 1] = shape->indices[3 * i + 2];
		shape->indices[3 * i + 2] = k;
	}
}

// A cube for which no lattice in its middle gives the count, with more surface on one side: the lattice is shifted
// towards that, and so mirrored with the mesh.
static void TestMirrorShifted( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( -1, -1, -1 ), supMakeVec3( 1, 1, 1 ) );
	AddBox( &shape, supMakeVec3( 0.4f, -0.1f, -0.1f ), supMakeVec3( 0.6f, 0.1f, 0.1f ) );
	Result a = BuildShape( &shape, 700, sup_tetsFollow );
	MirrorShape( &shape );
	Result b = BuildShape( &shape, 700, sup_tetsFollow );
	assert_int_equal( a.tets.pointCount, b.tets.pointCount );
	assert_int_equal( a.tets.tetCount, b.tets.tetCount );
	supVec3 sum = supVec3_zero;
	for ( int32_t i = 0; i < a.tets.pointCount; ++i )
	{
		supVec3 p = a.tets.points[i];
		sum = supAdd( sum, p );
		assert_true( HasPointNear( &b.tets, supMakeVec3( -p.x, p.y, p.z ), 1e-3f * a.report.size ) );
	}
	// and not symmetric by itself
	testGreater( fabsf( sum.x ), 0.1f * a.report.size );
	Free( &a );
	Free( &b );
	FreeShape( &shape );
}

static void TestMirror( void** state )
{
	(void)state;
	Shape shape = { 0 };
	MakeCreature( &shape );
	Result a = BuildShape( &shape, 3000, sup_tetsFollow );
	MirrorShape( &shape );
	Result b = BuildShape( &shape, 3000, sup_tetsFollow );
	assert_int_equal( a.tets.pointCount, b.tets.pointCount );
	assert_int_equal( a.tets.tetCount, b.tets.tetCount );
	for ( int32_t i = 0; i < a.tets.pointCount; ++i )
	{
		supVec3 p = a.tets.points[i];
		assert_true( HasPointNear( &b.tets, supMakeVec3( -p.x, p.y, p.z ), 1e-3f * a.report.size ) );
	}
	assert_float_equal( a.quality.volume, b.quality.volume, 1e-6 );
	// diagonals too: the same angles
	assert_memory_equal( a.quality.dihedrals, b.quality.dihedrals, sizeof( a.quality.dihedrals ) );
	Free( &a );
	Free( &b );
	FreeShape( &shape );
}

static void TestMoved( void** state )
{
	(void)state;
	Shape shape = { 0 };
	testRandom random = testMakeRandom( 6 );
	MakeCreature( &shape );
	TurnShape( &shape, testRandomQuat( &random ) );
	// a binary fraction, so that coordinates keep most of their digits
	for ( int32_t i = 0; i < shape.vertexCount; ++i )
	{
		supVec3 p = shape.positions[i];
		shape.positions[i] =
			supMakeVec3( roundf( p.x * 4096 ) / 4096, roundf( p.y * 4096 ) / 4096, roundf( p.z * 4096 ) / 4096 );
	}
	Result a = BuildShape( &shape, 2000, sup_tetsFollow );
	for ( int32_t i = 0; i < shape.vertexCount; ++i )
	{
		shape.positions[i] = supAdd( shape.positions[i], supMakeVec3( 16, -32, 8 ) );
	}
	Result b = BuildShape( &shape, 2000, sup_tetsFollow );
	assert_int_equal( a.tets.pointCount, b.tets.pointCount );
	assert_int_equal( a.tets.tetCount, b.tets.tetCount );
	for ( int32_t i = 0; i < a.tets.pointCount; ++i )
	{
		supVec3 p = supAdd( a.tets.points[i], supMakeVec3( 16, -32, 8 ) );
		assert_true( HasPointNear( &b.tets, p, 1e-3f * a.report.size ) );
	}
	Free( &a );
	Free( &b );
	FreeShape( &shape );
}

// Neighbours in space are neighbours in memory: most edges span a small part of the list.
static void TestOrder( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 24 );
	Result r = BuildShape( &shape, 30000, sup_tetsFollow );
	int64_t sum = 0;
	for ( int32_t i = 0; i < r.tets.tetCount; ++i )
	{
		const int32_t* c = r.tets.indices + 4 * i;
		sum += abs( c[1] - c[0] ) + abs( c[2] - c[0] ) + abs( c[3] - c[0] );
	}
	// a third of the list where the order is random
	testLess( sum / ( 3.0 * r.tets.tetCount ), 0.12 * r.tets.pointCount );
	Free( &r );
	FreeShape( &shape );
}

// ---------------------------------------------------------------------------------------------------------------------
// Bad input

static void Refuse( const supTetsDef* def, const char* says )
{
	supTets tets = { 0 };
	supError error = { 0 };
	assert_false( supBuildTets( &tets, def, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	if ( strstr( error.message, says ) == NULL )
	{
		fail_msg( "\"%s\" does not say \"%s\"", error.message, says );
	}
	assert_null( tets.points );
}

static void TestBadInput( void** state )
{
	(void)state;
	supVec3 positions[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { NAN, 0, 0 } };
	uint32_t indices[3] = { 0, 1, 2 };
	Shape shape = { 4, 1, positions, indices };
	supTetsDef def = MakeDef( &shape, 1000, sup_tetsFollow );
	// a vertex that is not a number but not used either
	Result r = Build( &def );
	Free( &r );
	def.tetCount = 99;
	Refuse( &def, "must be 100" );
	def.tetCount = 1000001;
	Refuse( &def, "to 1000000" );
	def.tetCount = -5;
	Refuse( &def, "must be 100" );
	def.tetCount = 0;
	Refuse( &def, "the minimum is" );
	def.size = NAN;
	Refuse( &def, "the minimum is" );
	def.size = -1.0f;
	Refuse( &def, "the minimum is" );
	def.size = INFINITY;
	Refuse( &def, "the minimum is" );
	def.size = 1.0f / 600.0f;
	Refuse( &def, "the minimum is" );
	// sixty million tets
	Shape box = { 0 };
	AddBox( &box, supMakeVec3( 0, 0, 0 ), supMakeVec3( 1, 1, 1 ) );
	supTetsDef large = MakeDef( &box, 0, sup_tetsFollow );
	large.size = 1.0f / 180.0f;
	supTets none = { 0 };
	supError error = { 0 };
	assert_false( supBuildTets( &none, &large, &error ) );
	assert_int_equal( error.code, sup_errorTooLarge );
	FreeShape( &box );
	def.tetCount = 1000;
	def.triangleCount = 0;
	Refuse( &def, "no triangles" );
	def.triangleCount = 1;
	indices[2] = 3;
	Refuse( &def, "vertex 3" );
	indices[2] = 4;
	Refuse( &def, "uses vertex 4" );
	indices[1] = indices[2] = 0;
	Refuse( &def, "one point" );
	// floats are too coarse there
	indices[1] = 1;
	indices[2] = 2;
	for ( int32_t i = 0; i < 3; ++i )
	{
		positions[i] = supMakeVec3( 1e6f + (float)( i & 1 ), (float)( i >> 1 ), 0.0f );
	}
	Refuse( &def, "origin" );
}

// At most ten times what comes out, from 10 000 tets of a character of 10 000 vertices on; with fewer tets ten times
// what goes in and comes out.
static void TestMemory( void** state )
{
	(void)state;
	testMeasuresOnly();
	static const int32_t counts[] = { 3000, 10000, 30000 };
	for ( int32_t i = 0; i < SUP_COUNT( counts ); ++i )
	{
		Shape shape = { 0 };
		AddSphere( &shape, supVec3_zero, 1.0f, 71 );
		AddBox( &shape, supMakeVec3( -0.01f, 0, 0 ), supMakeVec3( 0.01f, 2, 1 ) );
		testGreater( shape.vertexCount, 10000 );
		testHeap heap;
		testInstallHeap( &heap );
		supTets tets = { 0 };
		supError error = { 0 };
		supTetsDef def = MakeDef( &shape, counts[i], sup_tetsFollow );
		testRequire( supBuildTets( &tets, &def, &error ), &error );
		size_t in = (size_t)shape.vertexCount * sizeof( supVec3 ) + 12 * (size_t)shape.triangleCount;
		size_t out = (size_t)tets.pointCount * sizeof( supVec3 ) + 16 * (size_t)tets.tetCount;
		print_message( "%d tets of %d triangles: peak %zu, in %zu, out %zu\n", tets.tetCount, shape.triangleCount,
					   heap.peakBytes, in, out );
		testLessEqual( heap.peakBytes, 10 * ( counts[i] < 10000 ? in + out : out ) );
		supTets_Destroy( &tets );
		testUninstallHeap( &heap );
		FreeShape( &shape );
	}
}

static bool Attempt( void* context )
{
	const Shape* shape = context;
	supTets tets = { 0 };
	supError error = { 0 };
	supTetsReport report;
	supTetsDef def = MakeDef( shape, 0, sup_tetsFollow );
	def.size = 0.5f;
	def.report = &report;
	bool ok = supBuildTets( &tets, &def, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supTets_Destroy( &tets );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 6 );
	testEachAllocationFailure( Attempt, &shape, 100 );
	FreeShape( &shape );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestShapes ),        cmocka_unit_test( TestRandomSoups ),
		cmocka_unit_test( TestAlignedBox ),    cmocka_unit_test( TestSweep ),
		cmocka_unit_test( TestContain ),       cmocka_unit_test( TestThin ),
		cmocka_unit_test( TestOneTriangle ),   cmocka_unit_test( TestSheets ),
		cmocka_unit_test( TestVolume ),        cmocka_unit_test( TestInsideOut ),
		cmocka_unit_test( TestMirror ),        cmocka_unit_test( TestMoved ),
		cmocka_unit_test( TestOrder ),         cmocka_unit_test( TestBadInput ),
		cmocka_unit_test( TestOutOfMemory ),   cmocka_unit_test( TestMemory ),
		cmocka_unit_test( TestCountsOfBoxes ), cmocka_unit_test( TestMirrorShifted ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
