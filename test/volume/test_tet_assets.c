// SPDX-License-Identifier: MIT
// Real meshes and the built-in characters as tets. SUPPLE_SOAK=1 goes through more counts, up to a million.
#include "support.h"

#include "core/core.h"
#include "models/models.h"
#include "supple/supple.h"
#include "volume/body/rest_surface.h"
#include "volume/tets/tet_finder.h"
#include "volume/tets/tet_mesher.h"
#include "volume/tets/tet_quality.h"
#include "volume/tets/tet_topology.h"

#include <stdlib.h>
#include <string.h>

typedef struct Case
{
	supCharacter* character;
	supRestSurface surface;
	supThreadPool* pool;
} Case;

static Case Open( supCharacter* character, const supError* error )
{
	Case c = { .character = character, .pool = supCreateThreadPool( 2 ) };
	supError other = { 0 };
	testRequire( character != NULL, error );
	testRequire( supRestSurface_Init( &c.surface, character, NULL, &other ), &other );
	return c;
}

static Case OpenAsset( const char* path )
{
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( testAsset( path ), &error );
	return Open( character, &error );
}

static void Close( Case* c )
{
	supRestSurface_Destroy( &c->surface );
	supDestroyCharacter( c->character );
	supDestroyThreadPool( c->pool );
}

// By the divergence theorem.
static double VolumeOf( const supRestSurface* s )
{
	double sum = 0.0;
	for ( int32_t i = 0; i < s->triangleCount; ++i )
	{
		const uint32_t* k = s->indices + 3 * (size_t)i;
		supVec3 o = s->positions[0];
		supVec3 a = supSub( s->positions[k[0]], o ), b = supSub( s->positions[k[1]], o );
		sum += (double)supDot( a, supCross( b, supSub( s->positions[k[2]], o ) ) ) / 6.0;
	}
	return sum;
}

// Pieces that hang together by faces, not by a corner or an edge alone.
static int32_t CountFaceParts( const supTets* tets )
{
	supArena arena = { 0 };
	supError error = { 0 };
	int32_t* neighbours = NULL;
	testRequire( supTets_Neighbours( tets, &arena, &neighbours, &error ), &error );
	int32_t* stack = supArena_AllocArray( &arena, (size_t)tets->tetCount, sizeof( int32_t ) );
	bool* seen = supArena_AllocZeroed( &arena, (size_t)tets->tetCount );
	int32_t parts = 0;
	for ( int32_t i = 0; i < tets->tetCount; ++i )
	{
		int32_t top = 0;
		if ( seen[i] == false )
		{
			parts += 1;
			seen[i] = true;
			stack[top++] = i;
		}
		while ( top > 0 )
		{
			int32_t t = stack[--top];
			for ( int32_t k = 0; k < 4; ++k )
			{
				int32_t other = neighbours[4 * t + k];
				if ( other >= 0 && seen[other] == false )
				{
					seen[other] = true;
					stack[top++] = other;
				}
			}
		}
	}
	supArena_Destroy( &arena );
	return parts;
}

static supTets BuildAs( const Case* c, int32_t count, supTetsMode mode, float cover, supTetsReport* report,
						supTetQuality* quality )
{
	supTets tets = { 0 };
	supError error = { 0 };
	supTetsDef def = supDefaultTetsDef();
	def.vertexCount = c->surface.vertexCount;
	def.positions = c->surface.positions;
	def.triangleCount = c->surface.triangleCount;
	def.indices = c->surface.indices;
	def.tetCount = count;
	def.mode = mode;
	def.cover = cover;
	def.tasks = supThreadPool_Tasks( c->pool );
	def.report = report;
	testRequire( supBuildTets( &tets, &def, &error ), &error );
	testRequire( supMeasureTets( &tets, NULL, quality, &error ), &error );
	testLessEqual( abs( tets.tetCount - count ) * 10, count );
	testGreaterEqual( quality->minDihedral, SUP_TETS_MIN_DIHEDRAL );
	testLessEqual( quality->maxDihedral, SUP_TETS_MAX_DIHEDRAL );
	assert_int_equal( quality->inverted, 0 );
	return tets;
}

static supTets Build( const Case* c, int32_t count, supTetsMode mode, supTetsReport* report, supTetQuality* quality )
{
	return BuildAs( c, count, mode, 0.0f, report, quality );
}

static void PrintRow( const char* name, const supTets* tets, const supTetsReport* r, const supTetQuality* q,
					  double volume )
{
	print_message( "%-32s %6d tets, angles %.1f to %.1f, %d embedded, level %.3f, %d parts, volume %+.2f %%\n", name,
				   tets->tetCount, (double)q->minDihedral, (double)q->maxDihedral, r->embedded,
				   (double)( r->level / r->size ), r->parts, 100.0 * ( q->volume / volume - 1.0 ) );
}

// Watertight ones: 10 000 tets have the volume to 1 %.
static void CheckWatertight( Case* c, const char* name )
{
	supTetsReport report;
	supTetQuality quality;
	supTets tets = Build( c, 10000, sup_tetsFollow, &report, &quality );
	double volume = VolumeOf( &c->surface );
	PrintRow( name, &tets, &report, &quality, volume );
	testLess( fabs( quality.volume / volume - 1.0 ), 0.01 );
	assert_int_equal( CountFaceParts( &tets ), 1 );
	supTets_Destroy( &tets );
}

static void TestVolumeOfMeshes( void** state )
{
	(void)state;
	static const char* paths[] = {
		"meshes/bunny.obj",
		"meshes/armadillo.obj",
		"meshes/spot_low_resolution.obj",
		"meshes/penguin.obj",
		// fins and ears of a tenth of a cube
		"meshes/tet/fish_cd/fish.obj",
		"meshes/spot_control_mesh.obj",
		"characters/fbx/maya_kenney_character_7700_binary.fbx",
	};
	for ( int32_t i = 0; i < SUP_COUNT( paths ); ++i )
	{
		Case c = OpenAsset( paths[i] );
		CheckWatertight( &c, paths[i] );
		Close( &c );
	}
}

static void TestVolumeOfModels( void** state )
{
	(void)state;
	testMeasuresOnly();
	static const char* names[] = { "human", "deer", "octopus", "snake" };
	for ( int32_t i = 0; i < supGetModelCount(); ++i )
	{
		for ( int32_t k = 0; k < SUP_COUNT( names ); ++k )
		{
			if ( strcmp( names[k], supGetModel( i )->name ) == 0 )
			{
				supError error = { 0 };
				supCharacter* character = supGetModel( i )->create( &error );
				Case c = Open( character, &error );
				CheckWatertight( &c, names[k] );
				Close( &c );
			}
		}
	}
}

// Legs, wings, fingers and clothes hang together, and no vertex is far from a point of the tets.
static void TestThinParts( void** state )
{
	(void)state;
	static const char* paths[] = { "characters/spider-animations.glb", "characters/dragon-animations.glb",
								   "characters/m2m-human.glb", "characters/Fox.glb", "meshes/Spider_binary.stl" };
	for ( int32_t i = 0; i < SUP_COUNT( paths ); ++i )
	{
		Case c = OpenAsset( paths[i] );
		supTetsReport report;
		supTetQuality quality;
		supTets tets = Build( &c, 10000, sup_tetsFollow, &report, &quality );
		PrintRow( paths[i], &tets, &report, &quality, VolumeOf( &c.surface ) );
		assert_int_equal( CountFaceParts( &tets ), 1 );
		testRandom random = testMakeRandom( 1 );
		for ( int32_t k = 0; k < 500; ++k )
		{
			supVec3 p = c.surface.positions[testRandomInt( &random, (uint32_t)c.surface.vertexCount )];
			float least = INFINITY;
			for ( int32_t n = 0; n < tets.pointCount; ++n )
			{
				least = supMinFloat( least, supDistance( tets.points[n], p ) );
			}
			testLess( least, 0.9f * report.size );
		}
		supTets_Destroy( &tets );
		Close( &c );
	}
}

// A program that splits vertices along seams, and writes them in another order, has not changed the surface: the same
// bits.
static void TestSplitVertices( void** state )
{
	(void)state;
	supError error = { 0 };
	Case c = Open( supFindModel( "human" )->create( &error ), &error );
	supTetsReport report;
	supTetQuality quality;
	supTets whole = BuildAs( &c, 3000, sup_tetsFollow, SUP_SKIN_COVER, &report, &quality );

	size_t count = 3 * (size_t)c.surface.triangleCount;
	supVec3* positions = malloc( count * sizeof( supVec3 ) );
	uint32_t *indices = malloc( count * sizeof( uint32_t ) ), *order = malloc( count * sizeof( uint32_t ) );
	testRandom random = testMakeRandom( 1 );
	for ( uint32_t i = 0; i < count; ++i )
	{
		uint32_t other = testRandomInt( &random, i + 1 );
		order[i] = order[other];
		order[other] = i;
	}
	for ( size_t i = 0; i < count; ++i )
	{
		indices[i] = order[i];
		positions[order[i]] = c.surface.positions[c.surface.indices[i]];
	}
	supTetsDef def = supDefaultTetsDef();
	def.vertexCount = (int32_t)count;
	def.positions = positions;
	def.triangleCount = c.surface.triangleCount;
	def.indices = indices;
	def.tetCount = 3000;
	def.cover = SUP_SKIN_COVER;
	supTets split = { 0 };
	testRequire( supBuildTets( &split, &def, &error ), &error );
	assert_int_equal( split.pointCount, whole.pointCount );
	assert_int_equal( split.tetCount, whole.tetCount );
	assert_memory_equal( split.points, whole.points, (size_t)whole.pointCount * sizeof( supVec3 ) );
	assert_memory_equal( split.indices, whole.indices, 4 * (size_t)whole.tetCount * sizeof( int32_t ) );
	free( positions );
	free( indices );
	free( order );
	supTets_Destroy( &split );
	supTets_Destroy( &whole );
	Close( &c );
}

// With `cover` no vertex of the drawn surface is farther out than that part of the size: tips of ears, fingers, arms.
// The default number of tets of `position`.
static void TestCoversSkin( void** state )
{
	(void)state;
	testMeasuresOnly();
	static const char* names[] = { "bunny", "human", "octopus" };
	for ( int32_t i = 0; i < SUP_COUNT( names ); ++i )
	{
		supError error = { 0 };
		Case c = Open( supFindModel( names[i] )->create( &error ), &error );
		supTetsReport report;
		supTetQuality quality;
		supTets tets = BuildAs( &c, 8000, sup_tetsFollow, SUP_SKIN_COVER, &report, &quality );
		supTetFinder* finder = supCreateTetFinder( &tets, &error );
		testRequire( finder != NULL, &error );
		supBox box = supBox_empty;
		float farthest = 0.0f;
		int32_t outside = 0;
		for ( int32_t k = 0; k < c.surface.vertexCount; ++k )
		{
			supTetPlace place;
			assert_true( supTetFinder_FindNearest( finder, c.surface.positions[k], &place ) );
			float distance = supDistance( place.point, c.surface.positions[k] );
			farthest = supMaxFloat( farthest, distance );
			outside += distance > 0.0f ? 1 : 0;
			box = supBox_Include( box, c.surface.positions[k] );
		}
		supVec3 size = supBox_Size( box );
		float longest = supMaxFloat( size.x, supMaxFloat( size.y, size.z ) );
		print_message( "%-10s %d of %d vertices outside, %.2f mm at most\n", names[i], outside, c.surface.vertexCount,
					   1e3 * (double)farthest );
		testLessEqual( farthest, SUP_SKIN_COVER * longest );
		assert_float_equal( report.uncovered, farthest, 1e-5 );
		assert_int_equal( CountFaceParts( &tets ), 1 );
		supDestroyTetFinder( finder );
		supTets_Destroy( &tets );
		Close( &c );
	}
}

static bool Holds( const supTets* tets, int32_t tet, supVec3 p )
{
	for ( int32_t k = 0; k < 4; ++k )
	{
		supVec3 corners[3];
		for ( int32_t i = 0; i < 3; ++i )
		{
			corners[i] = supSub( tets->points[tets->indices[4 * tet + supTetFaces[k][i]]], p );
		}
		supVec3 inner = supSub( tets->points[tets->indices[4 * tet + k]], p );
		float part = supDot( corners[0], supCross( corners[1], corners[2] ) );
		float whole =
			supDot( supSub( corners[0], inner ), supCross( supSub( corners[1], inner ), supSub( corners[2], inner ) ) );
		if ( part < -1e-4f * whole )
		{
			return false;
		}
	}
	return true;
}

static void TestContainsVertices( void** state )
{
	(void)state;
	static const char* paths[] = { "characters/human-bunny.glb", "characters/spider-animations.glb",
								   "characters/Fox.glb" };
	for ( int32_t i = 0; i < SUP_COUNT( paths ); ++i )
	{
		Case c = OpenAsset( paths[i] );
		supTetsReport report;
		supTetQuality quality;
		supTets tets = Build( &c, 3000, sup_tetsContain, &report, &quality );
		PrintRow( paths[i], &tets, &report, &quality, VolumeOf( &c.surface ) );
		assert_float_equal( quality.minDihedral, 60.0, 0.01 );
		assert_float_equal( quality.maxDihedral, 90.0, 0.01 );
		for ( int32_t k = 0; k < c.surface.vertexCount; k += 3 )
		{
			supVec3 p = c.surface.positions[k];
			bool held = false;
			for ( int32_t t = 0; t < tets.tetCount && held == false; ++t )
			{
				held = supDistance( tets.points[tets.indices[4 * t]], p ) < 1.01f * report.size && Holds( &tets, t, p );
			}
			assert_true( held );
		}
		supTets_Destroy( &tets );
		Close( &c );
	}
}

static void TestSweep( void** state )
{
	(void)state;
	testMeasuresOnly();
	static const char* paths[] = { "characters/Fox.glb", "meshes/bunny.obj", "characters/spider-animations.glb",
								   "meshes/armadillo.obj", "characters/m2m-human.glb" };
	static const int32_t counts[] = { 1000, 3000, 300, 30000, 100000, 300000, 1000000, 150, 450, 7000 };
	bool soak = getenv( "SUPPLE_SOAK" ) != NULL;
	for ( int32_t i = 0; i < ( soak ? SUP_COUNT( paths ) : 3 ); ++i )
	{
		Case c = OpenAsset( paths[i] );
		for ( int32_t k = 0; k < ( soak ? SUP_COUNT( counts ) : 2 ); ++k )
		{
			for ( int32_t mode = 0; mode < 2; ++mode )
			{
				supTetsReport report;
				supTetQuality quality;
				// thin legs take more than a few tets whatever the size
				int32_t least = i == 2 ? 1000 : 100;
				supTets tets = Build( &c, counts[k] > least ? counts[k] : least, (supTetsMode)mode, &report, &quality );
				print_message( "%s: %d of %d in %d tries\n", paths[i], tets.tetCount, counts[k], report.tries );
				supTets_Destroy( &tets );
			}
		}
		Close( &c );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestVolumeOfMeshes ),   cmocka_unit_test( TestVolumeOfModels ),
		cmocka_unit_test( TestThinParts ),        cmocka_unit_test( TestCoversSkin ),
		cmocka_unit_test( TestContainsVertices ), cmocka_unit_test( TestSweep ),
		cmocka_unit_test( TestSplitVertices ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
