// SPDX-License-Identifier: MIT
#include "shapes.h"

#include "core/core.h"
#include "volume/voxels/voxel_graph.h"

#include <float.h>

// Voxels of any set of cells, by way of a small box in each.
static supVoxels FromCells( const char* const* slices, int32_t n )
{
	Shape shape = { 0 };
	for ( int32_t z = 0; z < n; ++z )
	{
		for ( int32_t i = 0; slices[z][i] != 0; ++i )
		{
			if ( slices[z][i] == '#' )
			{
				supVec3 p = { (float)( i % n ), (float)( i / n ), (float)z };
				supVec3 d = { 0.3f, 0.3f, 0.3f };
				AddBox( &shape, supSub( p, d ), supAdd( p, d ) );
			}
		}
	}
	// the grid spans all cells whatever is set
	const float r = 0.45f, e = (float)n - 1.0f + 0.45f;
	AddBox( &shape, supMakeVec3( -r, -r, -r ), supMakeVec3( 0.0f, 0.0f, 0.0f ) );
	AddBox( &shape, supMakeVec3( e - r, e - r, e - r ), supMakeVec3( e, e, e ) );
	supVoxels v = { 0 };
	supError error = { 0 };
	supVoxelsDef def = { n, shape.vertexCount, shape.positions, shape.triangleCount, shape.indices, NULL };
	testRequire( supVoxels_Init( &v, &def, &error ), &error );
	FreeShape( &shape );
	return v;
}

static supVoxels RandomCells( testRandom* random, int32_t n, uint32_t percent )
{
	char text[16][16 * 16 + 1];
	const char* slices[16];
	for ( int32_t z = 0; z < n; ++z )
	{
		for ( int32_t i = 0; i < n * n; ++i )
		{
			text[z][i] = testRandomInt( random, 100 ) < percent ? '#' : '.';
		}
		text[z][n * n] = 0;
		slices[z] = text[z];
	}
	return FromCells( slices, n );
}

static bool Present( const supVoxels* v, supVoxelCell c, int32_t x, int32_t y, int32_t z )
{
	return supVoxels_Find( v, c.x + x, c.y + y, c.z + z ) >= 0;
}

// The rule in words: a chain across faces leads there within the cells that the step spans. Every order of the axes is
// tried.
static bool CanStep( const supVoxels* v, supVoxelCell c, supVoxelCell o )
{
	static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	int32_t step[3] = { o.x, o.y, o.z };
	for ( int i = 0; i < 6; ++i )
	{
		int32_t at[3] = { 0, 0, 0 };
		bool open = true;
		for ( int k = 0; k < 3; ++k )
		{
			at[orders[i][k]] = step[orders[i][k]];
			open = open && Present( v, c, at[0], at[1], at[2] );
		}
		if ( open )
		{
			return true;
		}
	}
	return false;
}

// Bellman and Ford: every step again and again until nothing changes.
static void BruteForce( const supVoxels* v, supVoxelMetric metric, const supVoxelSource* sources, int32_t count,
						float* distances )
{
	for ( int32_t i = 0; i < v->count; ++i )
	{
		distances[i] = FLT_MAX;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		distances[sources[i].voxel] = supMinFloat( distances[sources[i].voxel], sources[i].start );
	}
	for ( bool changed = true; changed; )
	{
		changed = false;
		for ( int32_t i = 0; i < v->count; ++i )
		{
			for ( int32_t k = 0; distances[i] < FLT_MAX && k < ( metric == sup_voxelManhattan ? 6 : 26 ); ++k )
			{
				supVoxelCell c = v->cells[i], o = supVoxelOffsets[k];
				int32_t j = supVoxels_Find( v, c.x + o.x, c.y + o.y, c.z + o.z );
				float length = k < 6 ? 1.0f : ( k < 18 ? sqrtf( 2.0f ) : sqrtf( 3.0f ) );
				if ( j >= 0 && CanStep( v, c, o ) && distances[i] + length < distances[j] )
				{
					distances[j] = distances[i] + length;
					changed = true;
				}
			}
		}
	}
}

static void TestAgainstBruteForce( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	for ( int32_t round = 0; round < 60; ++round )
	{
		supVoxels v = RandomCells( &random, 4 + round % 9, 20 + 10 * ( (uint32_t)round % 8 ) );
		supVoxelSource sources[5];
		int32_t count = 1 + round % 5;
		float start = 0.0f;
		for ( int32_t i = 0; i < count; ++i )
		{
			sources[i] = ( supVoxelSource ){ (int32_t)testRandomInt( &random, (uint32_t)v.count ), count - i, start };
			start += round % 2 == 0 ? 0.0f : testRandomFloat( &random, 0.0f, 4.0f );
		}
		float* found = malloc( (size_t)v.count * sizeof( float ) );
		float* expected = malloc( (size_t)v.count * sizeof( float ) );
		int32_t* owners = malloc( (size_t)v.count * sizeof( int32_t ) );
		for ( supVoxelMetric metric = sup_voxelManhattan; metric <= sup_voxelEuclidean; ++metric )
		{
			assert_true( supComputeVoxelDistances( &v, metric, sources, count, found, owners ) );
			BruteForce( &v, metric, sources, count, expected );
			for ( int32_t i = 0; i < v.count; ++i )
			{
				assert_true( found[i] == expected[i] );
				assert_int_equal( owners[i] < 0, found[i] == FLT_MAX );
			}
			// an owner is one of the sources at that distance, and the smallest number of them
			for ( int32_t k = 0; k < count; ++k )
			{
				BruteForce( &v, metric, sources + k, 1, expected );
				for ( int32_t i = 0; i < v.count; ++i )
				{
					if ( owners[i] == sources[k].owner )
					{
						testLessEqual( expected[i], found[i] * 1.00001f );
					}
					else if ( metric == sup_voxelManhattan && round % 2 == 0 && expected[i] == found[i] &&
							  owners[i] >= 0 )
					{
						testLess( owners[i], sources[k].owner );
					}
				}
			}
		}
		free( found );
		free( expected );
		free( owners );
		supVoxels_Destroy( &v );
	}
}

// In a full block Euclidean steps are as long as chess kings' in space: a closed form.
static void TestClosedForm( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( 0, 0, 0 ), supMakeVec3( 1, 1, 1 ) );
	supVoxels v = { 0 };
	supError error = { 0 };
	supVoxelsDef def = { 66, shape.vertexCount, shape.positions, shape.triangleCount, shape.indices, NULL };
	testRequire( supVoxels_Init( &v, &def, &error ), &error );
	assert_int_equal( v.count, 66 * 66 * 66 );
	float* distances = malloc( (size_t)v.count * sizeof( float ) );
	supVoxelSource source = { supVoxels_Find( &v, 3, 60, 64 ), 7, 0.0f };
	assert_true( supComputeVoxelDistances( &v, sup_voxelEuclidean, &source, 1, distances, NULL ) );
	for ( int32_t i = 0; i < v.count; ++i )
	{
		int32_t d[3] = { abs( v.cells[i].x - 3 ), abs( v.cells[i].y - 60 ), abs( v.cells[i].z - 64 ) };
		int32_t most = d[0] > d[1] ? d[0] : d[1], least = d[0] < d[1] ? d[0] : d[1];
		most = most > d[2] ? most : d[2];
		least = least < d[2] ? least : d[2];
		int32_t middle = d[0] + d[1] + d[2] - most - least;
		double expected = ( most - middle ) + ( middle - least ) * sqrt( 2.0 ) + least * sqrt( 3.0 );
		testLess( fabs( (double)distances[i] - expected ), 1e-4 );
	}
	assert_true( supComputeVoxelDistances( &v, sup_voxelManhattan, &source, 1, distances, NULL ) );
	for ( int32_t i = 0; i < v.count; ++i )
	{
		assert_true( distances[i] ==
					 (float)( abs( v.cells[i].x - 3 ) + abs( v.cells[i].y - 60 ) + abs( v.cells[i].z - 64 ) ) );
	}
	free( distances );
	supVoxels_Destroy( &v );
	FreeShape( &shape );
}

// Two fingers on a palm: from tip to tip is down one and up the other.
static void TestFingersDoNotLeak( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( 0.0f, 0, 0 ), supMakeVec3( 1.0f, 0.3f, 0.4f ) );
	AddBox( &shape, supMakeVec3( 0.03f, 0.2f, 0.03f ), supMakeVec3( 0.42f, 2.0f, 0.37f ) );
	AddBox( &shape, supMakeVec3( 0.58f, 0.2f, 0.03f ), supMakeVec3( 0.97f, 2.0f, 0.37f ) );
	supVoxels v = { 0 };
	supError error = { 0 };
	supVoxelsDef def = { 40, shape.vertexCount, shape.positions, shape.triangleCount, shape.indices, NULL };
	testRequire( supVoxels_Init( &v, &def, &error ), &error );
	float* distances = malloc( (size_t)v.count * sizeof( float ) );
	int32_t left = supVoxels_FindAt( &v, supMakeVec3( 0.40f, 1.97f, 0.2f ) );
	int32_t right = supVoxels_FindAt( &v, supMakeVec3( 0.60f, 1.97f, 0.2f ) );
	testGreaterEqual( left, 0 );
	testGreaterEqual( right, 0 );
	testLessEqual( v.cells[right].x - v.cells[left].x, 5 );
	supVoxelSource source = { left, 0, 0.0f };
	for ( supVoxelMetric metric = sup_voxelManhattan; metric <= sup_voxelEuclidean; ++metric )
	{
		assert_true( supComputeVoxelDistances( &v, metric, &source, 1, distances, NULL ) );
		testGreater( (double)distances[right] * v.size, 2.0 * 1.6 );
	}
	// points on the two sides of the gap take nothing from across
	int32_t around[8];
	float weights[8];
	int32_t count = supVoxels_Around( &v, supMakeVec3( 0.41f, 1.5f, 0.2f ), around, weights );
	float sum = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		testLess( supVoxels_CellCenter( &v, v.cells[around[i]] ).x, 0.5f );
		sum += weights[i];
	}
	testGreater( count, 0 );
	testLess( fabsf( sum - 1.0f ), 1e-6f );
	free( distances );
	supVoxels_Destroy( &v );
	FreeShape( &shape );
}

// Cells that meet along an edge or a corner alone are not connected.
static void TestCornersAreClosed( void** state )
{
	(void)state;
	const char* slices[] = { "#..."
							 ".#.."
							 "...."
							 "....",
							 "...."
							 "...."
							 "..#."
							 "....",
							 "...."
							 "...."
							 "...."
							 "....",
							 "...."
							 "...."
							 "...."
							 "...#" };
	supVoxels v = FromCells( slices, 4 );
	assert_int_equal( v.count, 4 );
	float distances[4];
	supVoxelSource source = { 0, 0, 0.0f };
	assert_true( supComputeVoxelDistances( &v, sup_voxelEuclidean, &source, 1, distances, NULL ) );
	assert_true( distances[1] == FLT_MAX && distances[2] == FLT_MAX && distances[3] == FLT_MAX );
	for ( int32_t i = 0; i < 4; ++i )
	{
		assert_int_equal( supVoxels_OpenSteps( &v, v.cells[i] ), 0 );
	}
	supVoxels_Destroy( &v );
}

// Inside a body where all eight voxels are there, weights reproduce the point.
static void TestAroundIsLinear( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( 0, 0, 0 ), supMakeVec3( 1, 0.8f, 0.6f ) );
	supVoxels v = { 0 };
	supError error = { 0 };
	supVoxelsDef def = { 20, shape.vertexCount, shape.positions, shape.triangleCount, shape.indices, NULL };
	testRequire( supVoxels_Init( &v, &def, &error ), &error );
	testRandom random = testMakeRandom( 2 );
	for ( int32_t i = 0; i < 1000; ++i )
	{
		supVec3 p = { testRandomFloat( &random, 0.03f, 0.97f ), testRandomFloat( &random, 0.03f, 0.77f ),
					  testRandomFloat( &random, 0.03f, 0.57f ) };
		int32_t around[8];
		float weights[8];
		assert_int_equal( supVoxels_Around( &v, p, around, weights ), 8 );
		supVec3 sum = { 0 };
		for ( int32_t k = 0; k < 8; ++k )
		{
			sum = supMulAdd( sum, weights[k], supVoxels_CellCenter( &v, v.cells[around[k]] ) );
		}
		testLess( supDistance( sum, p ), 1e-6f );
	}
	int32_t around[8];
	float weights[8];
	assert_int_equal( supVoxels_Around( &v, supMakeVec3( 9, 9, 9 ), around, weights ), 0 );
	supVoxels_Destroy( &v );
	FreeShape( &shape );
}

static bool Attempt( void* context )
{
	const supVoxels* v = context;
	float* distances = malloc( (size_t)v->count * sizeof( float ) );
	supVoxelSource source = { 0, 0, 0.0f };
	bool ok = supComputeVoxelDistances( v, sup_voxelEuclidean, &source, 1, distances, NULL );
	free( distances );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 2 );
	supVoxels v = RandomCells( &random, 12, 90 );
	testEachAllocationFailure( Attempt, &v, 100 );
	supVoxels_Destroy( &v );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestAgainstBruteForce ), cmocka_unit_test( TestClosedForm ),
		cmocka_unit_test( TestFingersDoNotLeak ),  cmocka_unit_test( TestCornersAreClosed ),
		cmocka_unit_test( TestAroundIsLinear ),    cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
