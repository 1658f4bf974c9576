// SPDX-License-Identifier: MIT
// Tets found by their places: against loops over all of them.
#include "support.h"

#include "geometry/overlap.h"
#include "models/models.h"
#include "volume/body/rest_surface.h"
#include "volume/tets/tet_finder.h"
#include "voxel_tets.h"

#include <math.h>
#include <string.h>

static bool KeepInside( const supVoxels* voxels, int32_t voxel, void* context )
{
	(void)context;
	return voxels->isSurface[voxel] == 0;
}

// The cubes of a tube's voxels, or of those inside alone. Returns how long it is.
static float MakeTube( supTets* tets, int32_t resolution, bool onlyInside )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube" )->create( &error );
	testRequire( character != NULL, &error );
	supRestSurface surface = { 0 };
	testRequire( supRestSurface_Init( &surface, character, NULL, &error ), &error );
	supVoxels voxels = { 0 };
	supVoxelsDef def = { .resolution = resolution,
						 .vertexCount = surface.vertexCount,
						 .positions = surface.positions,
						 .triangleCount = surface.triangleCount,
						 .indices = surface.indices };
	testRequire( supVoxels_Init( &voxels, &def, &error ), &error );
	*tets = ( supTets ){ 0 };
	MakeVoxelTets( tets, &voxels, onlyInside ? KeepInside : NULL, NULL );
	float size = (float)( voxels.size * resolution );
	supVoxels_Destroy( &voxels );
	supRestSurface_Destroy( &surface );
	supDestroyCharacter( character );
	return size;
}

static void TestFinderAgainstLoop( void** state )
{
	(void)state;
	supTets tets;
	MakeTube( &tets, 10, false );
	supError error = { 0 };
	supTetFinder* finder = supCreateTetFinder( &tets, &error );
	testRequire( finder != NULL, &error );
	testRandom random = testMakeRandom( 1 );
	int32_t heldCount = 0;
	for ( int32_t i = 0; i < 500; ++i )
	{
		supVec3 p = supMul( testRandomVec3( &random, 1.3f ), supMakeVec3( 1.0f, 0.3f, 0.3f ) );
		supTetPlace place, nearest;
		bool held = supTetFinder_Find( finder, p, &place );
		assert_true( supTetFinder_FindNearest( finder, p, &nearest ) );
		heldCount += held;
		// the distance to the box of cells is the distance to the tets: here the body is a box
		int32_t expected = -1;
		for ( int32_t t = tets.tetCount - 1; t >= 0; --t )
		{
			supTets one = tets;
			int32_t corners[4];
			memcpy( corners, tets.indices + 4 * t, sizeof( corners ) );
			double whole = supTets_Volume( &tets, t );
			bool inside = true;
			for ( int32_t k = 0; k < 4; ++k )
			{
				// the tet with one corner replaced by p
				supVec3 points[4];
				int32_t indices[4] = { 0, 1, 2, 3 };
				for ( int32_t m = 0; m < 4; ++m )
				{
					points[m] = m == k ? p : tets.points[corners[m]];
				}
				one.points = points;
				one.indices = indices;
				inside = inside && supTets_Volume( &one, 0 ) / whole >= 0.0;
			}
			expected = inside ? t : expected;
		}
		assert_int_equal( held ? place.tet : -1, expected );
		supVec3 sum = supVec3_zero;
		for ( int32_t k = 0; k < 4; ++k )
		{
			testGreaterEqual( nearest.coordinates[k], 0.0f );
			sum = supMulAdd( sum, nearest.coordinates[k], tets.points[tets.indices[4 * nearest.tet + k]] );
		}
		testLess( supDistance( sum, nearest.point ), 1e-6f );
		assert_true( held == false || supDistance( nearest.point, p ) == 0.0f );
	}
	testGreater( heldCount, 50 );
	testLess( heldCount, 450 );
	supDestroyTetFinder( finder );
	supTets_Destroy( &tets );
}

// Nearest places against all faces of all tets.
static void TestNearestAgainstLoop( void** state )
{
	(void)state;
	supTets tets;
	float size = MakeTube( &tets, 24, true );
	supError error = { 0 };
	supTetFinder* finder = supCreateTetFinder( &tets, &error );
	testRequire( finder != NULL, &error );
	testRandom random = testMakeRandom( 2 );
	for ( int32_t i = 0; i < 300; ++i )
	{
		supVec3 p = testRandomVec3( &random, 0.7f * size );
		supTetPlace nearest;
		assert_true( supTetFinder_FindNearest( finder, p, &nearest ) );
		float best = INFINITY;
		for ( int32_t t = 0; t < 4 * tets.tetCount; ++t )
		{
			const int32_t* corners = tets.indices + t / 4 * 4;
			supTriangle face = { tets.points[corners[( t + 1 ) % 4]], tets.points[corners[( t + 2 ) % 4]],
								 tets.points[corners[( t + 3 ) % 4]] };
			best = supMinFloat( best, supDistanceToTriangle( &face, p ) );
		}
		float distance = supDistance( nearest.point, p );
		assert_true( distance == 0.0f || fabsf( distance - best ) < 1e-6f * size );
	}
	supDestroyTetFinder( finder );
	supTets_Destroy( &tets );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestFinderAgainstLoop ),
		cmocka_unit_test( TestNearestAgainstLoop ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
