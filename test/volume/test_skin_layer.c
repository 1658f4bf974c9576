// SPDX-License-Identifier: MIT
// Tets grown inwards from a skin.
// labels: threads
// threads: TestThreadsAndMemory
#include "shapes.h"
#include "support.h"

#include "models/models.h"
#include "supple/io.h"
#include "volume/binding/skin_layer.h"
#include "volume/body/rest_surface.h"

#include <stdlib.h>

static supSkinLayerDef MakeDef( const Shape* shape, float thickness )
{
	supSkinLayerDef def = supDefaultSkinLayerDef();
	def.vertexCount = shape->vertexCount;
	def.positions = shape->positions;
	def.triangleCount = shape->triangleCount;
	def.indices = shape->indices;
	def.thickness = thickness;
	return def;
}

// What holds for every layer.
static void CheckLayer( const supSkinLayer* layer, const supSkinLayerDef* def )
{
	const supTets* tets = &layer->tets;
	assert_int_equal( tets->pointCount, 2 * layer->outerCount );
	assert_int_equal( tets->tetCount % 3, 0 );
	const supSkinLayerReport* r = &layer->report;
	assert_int_equal( tets->tetCount / 3 + r->leftOut + r->degenerateTriangles + r->duplicateTriangles,
					  def->triangleCount );
	double volume = 0.0;
	for ( int32_t i = 0; i < tets->tetCount; ++i )
	{
		double own = supTets_Volume( tets, i );
		testGreater( own, 0.0 );
		volume += own;
	}
	testLessEqual( fabs( volume - r->volume ), 1e-9 * volume );
	float size = 0.0f;
	for ( int32_t i = 0; i < def->vertexCount; ++i )
	{
		size = supMaxFloat( size, supDistance( def->positions[i], def->positions[0] ) );
	}
	for ( int32_t i = 0; i < def->vertexCount; ++i )
	{
		int32_t point = layer->vertexPoints[i];
		assert_in_range( point + 1, 0, layer->outerCount );
		// welded vertices lie within 1e-6 of each other; almost all at the same place to the bit
		assert_true( point < 0 || supDistance( tets->points[point], def->positions[i] ) <= 4e-6f * size );
	}
	for ( int32_t i = 0; i < layer->outerCount; ++i )
	{
		float thickness = supDistance( tets->points[i], tets->points[layer->outerCount + i] );
		testLessEqual( layer->thickness[i], def->thickness );
		assert_true( layer->thickness[i] == 0.0f || fabsf( thickness - layer->thickness[i] ) < 1e-6f * size );
		assert_true( layer->thickness[i] == 0.0f || layer->thickness[i] >= r->smallestThickness );
	}
}

static void Grow( supSkinLayer* layer, const supSkinLayerDef* def )
{
	supError error = { 0 };
	*layer = ( supSkinLayer ){ 0 };
	testRequire( supSkinLayer_Init( layer, def, &error ), &error );
	CheckLayer( layer, def );
}

static double VolumeOf( const Shape* shape )
{
	double volume = 0.0;
	for ( int32_t i = 0; i < shape->triangleCount; ++i )
	{
		const uint32_t* c = shape->indices + 3 * i;
		supVec3 a = shape->positions[c[0]], n = supCross( shape->positions[c[1]], shape->positions[c[2]] );
		volume += (double)supDot( a, n ) / 6.0;
	}
	return volume;
}

// Faces of tets: inner ones belong to two tets that see them from opposite sides, the others are the outer and the
// inner skin, so that the layer has no cracks.
static int CompareFaces( const void* a, const void* b )
{
	return memcmp( a, b, 3 * sizeof( int32_t ) );
}

static void CheckClosed( const supSkinLayer* layer )
{
	const supTets* tets = &layer->tets;
	int32_t faceCount = 4 * tets->tetCount;
	int32_t( *faces )[3] = malloc( (size_t)faceCount * sizeof( *faces ) );
	assert_non_null( faces );
	for ( int32_t i = 0; i < faceCount; ++i )
	{
		int32_t n = 0;
		for ( int32_t k = 0; k < 4; ++k )
		{
			if ( k != i % 4 )
			{
				faces[i][n++] = tets->indices[i / 4 * 4 + k];
			}
		}
		for ( int32_t pass = 0; pass < 3; ++pass )
		{
			int32_t k = pass % 2, t = faces[i][k];
			if ( t > faces[i][k + 1] )
			{
				faces[i][k] = faces[i][k + 1];
				faces[i][k + 1] = t;
			}
		}
	}
	qsort( faces, (size_t)faceCount, sizeof( *faces ), CompareFaces );
	int32_t outer = 0, inner = 0;
	for ( int32_t i = 0, end; i < faceCount; i = end )
	{
		for ( end = i + 1; end < faceCount && CompareFaces( faces[i], faces[end] ) == 0; ++end )
		{
		}
		testLessEqual( end - i, 2 );
		if ( end - i == 1 )
		{
			int32_t outerCorners = 0;
			for ( int32_t k = 0; k < 3; ++k )
			{
				outerCorners += faces[i][k] < layer->outerCount;
			}
			assert_true( outerCorners == 0 || outerCorners == 3 );
			outer += outerCorners == 3;
			inner += outerCorners == 0;
		}
	}
	assert_int_equal( outer, tets->tetCount / 3 );
	assert_int_equal( inner, outer );
	free( faces );
}

// ---------------------------------------------------------------------------------------------------------------------

static void TestSphere( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 32 );
	for ( int32_t k = 0; k < 2; ++k )
	{
		// asked for, and limited by the size of the body
		float thickness = k == 0 ? 0.1f : 5.0f;
		double kept = 1.0 - ( k == 0 ? 0.1 : 0.4 );
		supSkinLayerDef def = MakeDef( &shape, thickness );
		def.share = 0.2f;
		supSkinLayer layer;
		Grow( &layer, &def );
		CheckClosed( &layer );
		assert_int_equal( layer.report.leftOut, 0 );
		// the poles are many vertices at one place
		testGreater( layer.report.degenerateTriangles, 0 );
		double expected = VolumeOf( &shape ) * ( 1.0 - kept * kept * kept );
		testLess( fabs( layer.report.volume - expected ), 0.01 * expected );
		for ( int32_t i = 0; i < def.vertexCount; ++i )
		{
			assert_memory_equal( &layer.tets.points[layer.vertexPoints[i]], def.positions + i, sizeof( supVec3 ) );
		}
		supSkinLayer_Destroy( &layer );
	}
	FreeShape( &shape );
}

// A thin plate, and one that is inside out: the layers from both sides do not meet.
static void TestPlate( void** state )
{
	(void)state;
	for ( int32_t turned = 0; turned < 2; ++turned )
	{
		Shape shape = { 0 };
		AddBox( &shape, supVec3_zero, supMakeVec3( 1.0f, 0.02f, 1.0f ) );
		for ( int32_t i = 0; i < 12 && turned == 1; ++i )
		{
			uint32_t t = shape.indices[3 * i + 1];
			shape.indices[3 * i + 1] = shape.indices[3 * i + 2];
			shape.indices[3 * i + 2] = t;
		}
		supSkinLayerDef def = MakeDef( &shape, 0.1f );
		supSkinLayer layer;
		Grow( &layer, &def );
		CheckClosed( &layer );
		assert_int_equal( layer.report.turnedTriangles, turned == 1 ? 12 : 0 );
		assert_int_equal( layer.report.leftOut, 0 );
		for ( int32_t i = 0; i < layer.outerCount; ++i )
		{
			supVec3 outer = layer.tets.points[i], inner = layer.tets.points[layer.outerCount + i];
			assert_true( outer.y < 0.01f ? inner.y < 0.01f && inner.y > 0.0f : inner.y > 0.01f && inner.y < 0.02f );
		}
		supSkinLayer_Destroy( &layer );
		FreeShape( &shape );
	}
}

// Two boxes that share an edge and two tetrahedra that share a tip: each has its own layer.
static void TestNotManifold( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supVec3_zero, supMakeVec3( 1.0f, 1.0f, 1.0f ) );
	AddBox( &shape, supMakeVec3( 1.0f, 1.0f, 0.0f ), supMakeVec3( 2.0f, 2.0f, 1.0f ) );
	AddBox( &shape, supMakeVec3( 2.0f, 2.0f, 1.0f ), supMakeVec3( 3.0f, 3.0f, 2.0f ) );
	supSkinLayerDef def = MakeDef( &shape, 0.1f );
	supSkinLayer layer;
	Grow( &layer, &def );
	assert_int_equal( layer.outerCount, 24 );
	assert_int_equal( layer.report.addedPoints, 3 );
	assert_int_equal( layer.report.splitPlaces, 3 );
	assert_int_equal( layer.report.leftOut, 0 );
	// bevelled by the mean normals of corners
	testGreater( layer.report.volume, 3.0 * 0.2 );
	testLess( layer.report.volume, 3.0 * 0.5 );
	supSkinLayer_Destroy( &layer );

	// the same triangles twice, and back to back
	int32_t before = shape.triangleCount;
	uint32_t* twice = malloc( 6 * (size_t)before * sizeof( uint32_t ) );
	assert_non_null( twice );
	memcpy( twice, shape.indices, 3 * (size_t)before * sizeof( uint32_t ) );
	for ( int32_t i = 0; i < before; ++i )
	{
		bool back = i % 2 == 1;
		twice[3 * ( before + i )] = shape.indices[3 * i + 1];
		twice[3 * ( before + i ) + 1] = shape.indices[3 * i + ( back ? 0 : 2 )];
		twice[3 * ( before + i ) + 2] = shape.indices[3 * i + ( back ? 2 : 0 )];
	}
	def.indices = twice;
	def.triangleCount = 2 * before;
	Grow( &layer, &def );
	assert_int_equal( layer.report.duplicateTriangles, before );
	assert_int_equal( layer.report.leftOut, 0 );
	supSkinLayer_Destroy( &layer );
	free( twice );
	FreeShape( &shape );
}

// Random triangles, which are no skin at all, and spikes: nothing turns inside out.
static void TestSoup( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	for ( int32_t round = 0; round < 20; ++round )
	{
		Shape shape = { 0 };
		GrowShape( &shape, 60, 120 );
		for ( int32_t i = 0; i < 60; ++i )
		{
			shape.positions[i] = testRandomVec3( &random, 1.0f );
			// some in one plane, some on others
			shape.positions[i].y = round % 3 == 0 ? 0.0f : shape.positions[i].y;
			shape.positions[i] = i % 7 == 6 ? shape.positions[i - 1] : shape.positions[i];
		}
		for ( int32_t i = 0; i < 360; ++i )
		{
			shape.indices[i] = testRandomInt( &random, 60 );
		}
		supSkinLayerDef def = MakeDef( &shape, 0.3f );
		supSkinLayer layer;
		Grow( &layer, &def );
		supSkinLayer_Destroy( &layer );
		FreeShape( &shape );
	}
}

static void GrowCharacter( supCharacter* character, double mostLeftOut )
{
	supError error = { 0 };
	supRestSurface surface = { 0 };
	testRequire( supRestSurface_Init( &surface, character, NULL, &error ), &error );
	Shape shape = { surface.vertexCount, surface.triangleCount, surface.positions, surface.indices };
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < shape.vertexCount; ++i )
	{
		box = supBox_Include( box, shape.positions[i] );
	}
	supVec3 size = supBox_Size( box );
	supSkinLayerDef def = MakeDef( &shape, 0.02f * supMaxFloat( size.x, supMaxFloat( size.y, size.z ) ) );
	supSkinLayer layer;
	Grow( &layer, &def );
	const supSkinLayerReport* r = &layer.report;
	print_message(
		"%-24s %6d triangles, %5d points, split %d, left out %d, turned %d, thickness %.2g to %.2g of %.2g\n",
		supCharacter_Name( character ), shape.triangleCount, layer.outerCount, r->splitPlaces, r->leftOut,
		r->turnedTriangles, (double)r->smallestThickness, (double)r->meanThickness, (double)def.thickness );
	testLessEqual( r->leftOut, mostLeftOut * shape.triangleCount );
	supSkinLayer_Destroy( &layer );
	supRestSurface_Destroy( &surface );
	supDestroyCharacter( character );
}

static void TestModels( void** state )
{
	(void)state;
	static const char* const names[] = { "snake", "tube", "bloat" };
	for ( int32_t i = 0; i < 3; ++i )
	{
		supError error = { 0 };
		supCharacter* character = supFindModel( names[i] )->create( &error );
		testRequire( character != NULL, &error );
		GrowCharacter( character, 0.0 );
	}
}

static void TestAssets( void** state )
{
	(void)state;
	// file, and the part of its triangles that may have no layer
	static const struct
	{
		const char* path;
		double most;
	} files[] = {
		{ "characters/Fox.glb", 0.0 },
		{ "characters/CesiumMan.glb", 0.0 },
		{ "characters/human-bunny.glb", 0.01 },
		{ "characters/m2m-human.glb", 0.01 },
		{ "characters/RobotExpressive.glb", 0.01 },
		{ "characters/dragon-animations.glb", 0.01 },
		{ "characters/spider-animations.glb", 0.01 },
		{ "characters/kaiju-t-rex.glb", 0.01 },
		{ "characters/Elf/Elf.gltf", 0.01 },
		{ "characters/Alien/Alien.gltf", 0.01 },
		{ "characters/Yeti/Yeti.gltf", 0.01 },
		{ "characters/dae/walk.dae", 0.01 },
	};
	for ( size_t i = 0; i < sizeof( files ) / sizeof( files[0] ); ++i )
	{
		supError error = { 0 };
		supCharacter* character = supLoadCharacter( testAsset( files[i].path ), &error );
		testRequire( character != NULL, &error );
		GrowCharacter( character, files[i].most );
	}
}

static void TestRefused( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 6 );
	supSkinLayerDef good = MakeDef( &shape, 0.1f );
	for ( int32_t i = 0; i < 6; ++i )
	{
		supSkinLayerDef def = good;
		supVec3 before = shape.positions[3];
		uint32_t index = shape.indices[5];
		def.triangleCount = i == 0 ? 0 : def.triangleCount;
		def.thickness = i == 1 ? 0.0f : ( i == 2 ? NAN : def.thickness );
		def.share = i == 3 ? 0.5f : def.share;
		shape.positions[3].y = i == 4 ? INFINITY : before.y;
		shape.indices[5] = i == 5 ? 1000000u : index;
		supSkinLayer layer = { 0 };
		supError error = { 0 };
		assert_false( supSkinLayer_Init( &layer, &def, &error ) );
		assert_int_equal( error.code, sup_errorArgument );
		assert_string_equal( error.where, "skin layer" );
		shape.positions[3] = before;
		shape.indices[5] = index;
	}
	FreeShape( &shape );
}

static bool TryLayer( void* context )
{
	supSkinLayer layer = { 0 };
	supError error = { 0 };
	bool ok = supSkinLayer_Init( &layer, context, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supSkinLayer_Destroy( &layer );
	return ok;
}

static void TestThreadsAndMemory( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 24 );
	AddBox( &shape, supMakeVec3( 0.9f, -0.02f, -0.3f ), supMakeVec3( 2.0f, 0.02f, 0.3f ) );
	supSkinLayerDef def = MakeDef( &shape, 0.2f );
	supSkinLayer a, b;
	Grow( &a, &def );
	supThreadPool* pool = supCreateThreadPool( 3 );
	def.tasks = supThreadPool_Tasks( pool );
	Grow( &b, &def );
	assert_int_equal( a.tets.tetCount, b.tets.tetCount );
	assert_memory_equal( a.tets.points, b.tets.points, (size_t)a.tets.pointCount * sizeof( supVec3 ) );
	assert_memory_equal( a.tets.indices, b.tets.indices, 4 * (size_t)a.tets.tetCount * sizeof( int32_t ) );
	supSkinLayer_Destroy( &a );
	supSkinLayer_Destroy( &b );
	supDestroyThreadPool( pool );
	def.tasks = NULL;
	testEachAllocationFailure( TryLayer, &def, 100 );
	FreeShape( &shape );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSphere ),      cmocka_unit_test( TestPlate ),
		cmocka_unit_test( TestNotManifold ), cmocka_unit_test( TestSoup ),
		cmocka_unit_test( TestModels ),      cmocka_unit_test( TestAssets ),
		cmocka_unit_test( TestRefused ),     cmocka_unit_test( TestThreadsAndMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
