// SPDX-License-Identifier: MIT
// Delaunay triangulations held to their definition: no sphere of a tet holds another point.
#include "support.h"

#include "core/core.h"
#include "geometry/delaunay.h"

#define MOST 400

typedef struct Cloud
{
	int32_t count;
	supVec3 points[MOST];
} Cloud;

static void Triangulate( supDelaunay* delaunay, const Cloud* cloud )
{
	supBox bounds = supBox_empty;
	for ( int32_t i = 0; i < cloud->count; ++i )
	{
		bounds = supBox_Include( bounds, cloud->points[i] );
	}
	assert_true( supDelaunay_Init( delaunay, bounds ) );
	for ( int32_t i = 0; i < cloud->count; ++i )
	{
		assert_int_equal( supDelaunay_Insert( delaunay, cloud->points[i] ), SUP_DELAUNAY_FIRST + i );
	}
}

typedef struct Row
{
	long double x, y, z, w;
} Row;

static Row MakeRow( const supDelaunaySite* a, const supDelaunaySite* b )
{
	Row r = { a->x - b->x, a->y - b->y, a->z - b->z, 0 };
	r.w = r.x * r.x + r.y * r.y + r.z * r.z;
	return r;
}

static long double Det( Row a, Row b, Row c )
{
	return a.x * ( b.y * c.z - b.z * c.y ) - a.y * ( b.x * c.z - b.z * c.x ) + a.z * ( b.x * c.y - b.y * c.x );
}

// Long doubles have 64 digits: enough to see every violation that is not one of the last few steps of the grid.
static void CheckTets( const supDelaunay* d )
{
	const supDelaunaySite* sites = d->sites.data;
	long double volume = 0;
	for ( int32_t i = 0; i < d->tets.count; ++i )
	{
		const supDelaunayTet* t = d->tets.data + i;
		if ( t->corners[0] < 0 )
		{
			continue;
		}
		const supDelaunaySite* p0 = sites + t->corners[0];
		long double own = Det( MakeRow( sites + t->corners[1], p0 ), MakeRow( sites + t->corners[2], p0 ),
							   MakeRow( sites + t->corners[3], p0 ) );
		testGreater( own, 0 );
		volume += own;
		for ( int32_t k = 0; k < 4; ++k )
		{
			int32_t next = t->neighbours[k];
			if ( next >= 0 )
			{
				const int32_t* back = d->tets.data[next].neighbours;
				assert_true( back[0] == i || back[1] == i || back[2] == i || back[3] == i );
			}
		}
		for ( int32_t k = SUP_DELAUNAY_FIRST; k < d->sites.count; ++k )
		{
			Row r[4];
			long double scale = 0;
			for ( int32_t j = 0; j < 4; ++j )
			{
				r[j] = MakeRow( sites + t->corners[j], sites + k );
				scale = r[j].w > scale ? r[j].w : scale;
			}
			long double inside = r[0].w * Det( r[1], r[2], r[3] ) - r[1].w * Det( r[0], r[2], r[3] ) +
								 r[2].w * Det( r[0], r[1], r[3] ) - r[3].w * Det( r[0], r[1], r[2] );
			testLessEqual( inside, 1e-16L * scale * scale * sqrtl( scale ) );
		}
	}
	// the tets fill the large one: a third of a cube, of which six make one
	long double whole = (long double)( 1 << 24 ) * ( 1 << 24 ) * ( 1 << 24 ) * 2;
	testLessEqual( fabsl( volume - whole ), 1e-12L * whole );
}

static void TestRandomPoints( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 7 );
	Cloud cloud = { .count = 150 };
	for ( int32_t i = 0; i < cloud.count; ++i )
	{
		cloud.points[i] = testRandomVec3( &random, 1.0f );
	}
	supDelaunay d = { 0 };
	Triangulate( &d, &cloud );
	CheckTets( &d );
	bool known = true;
	// an edge is one from either side, and only where a tet has both ends
	for ( int32_t a = SUP_DELAUNAY_FIRST; a < d.sites.count; a += 7 )
	{
		for ( int32_t b = SUP_DELAUNAY_FIRST; b < d.sites.count; b += 3 )
		{
			bool joined = false;
			for ( int32_t i = 0; i < d.tets.count && a != b; ++i )
			{
				const int32_t* c = d.tets.data[i].corners;
				bool hasA = c[0] == a || c[1] == a || c[2] == a || c[3] == a;
				joined = joined || ( c[0] >= 0 && hasA && ( c[0] == b || c[1] == b || c[2] == b || c[3] == b ) );
			}
			if ( a != b )
			{
				assert_int_equal( supDelaunay_HasEdge( &d, a, b, &known ), joined );
			}
		}
	}
	assert_true( known );
	supDelaunay_Destroy( &d );
}

// Everything that is a tie: a grid, points on a line, in a plane, on a sphere, and several at one place.
static void TestTies( void** state )
{
	(void)state;
	Cloud cloud = { 0 };
	for ( int32_t i = 0; i < 125; ++i )
	{
		cloud.points[cloud.count++] = supMakeVec3( (float)( i % 5 ), (float)( i / 5 % 5 ), (float)( i / 25 ) );
	}
	for ( int32_t i = 0; i < 20; ++i )
	{
		cloud.points[cloud.count++] = supMakeVec3( 0.1f * (float)i, 0.1f * (float)i, 0.1f * (float)i );
	}
	for ( int32_t i = 0; i < 8; ++i )
	{
		cloud.points[cloud.count++] = supMakeVec3( 2.0f, 2.0f, 2.0f );
	}
	supDelaunay d = { 0 };
	Triangulate( &d, &cloud );
	CheckTets( &d );
	supDelaunay_Destroy( &d );

	Cloud flat = { .count = 60 };
	for ( int32_t i = 0; i < flat.count; ++i )
	{
		supCosSin cs = supComputeCosSin( 0.3f * (float)( i / 3 ) );
		flat.points[i] = supMakeVec3( cs.cosine * (float)( 1 + i % 3 ), cs.sine * (float)( 1 + i % 3 ), 0.0f );
	}
	Triangulate( &d, &flat );
	CheckTets( &d );
	supDelaunay_Destroy( &d );
}

static bool Attempt( void* context )
{
	(void)context;
	supDelaunay d = { 0 };
	testRandom random = testMakeRandom( 3 );
	bool ok = supDelaunay_Init( &d, ( supBox ){ { -1, -1, -1 }, { 1, 1, 1 } } );
	for ( int32_t i = 0; i < 40 && ok; ++i )
	{
		ok = supDelaunay_Insert( &d, testRandomVec3( &random, 1.0f ) ) >= 0;
	}
	bool known = true;
	if ( ok )
	{
		supDelaunay_HasEdge( &d, SUP_DELAUNAY_FIRST, SUP_DELAUNAY_FIRST + 1, &known );
	}
	supDelaunay_Destroy( &d );
	return ok && known;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	testEachAllocationFailure( Attempt, NULL, 100 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestRandomPoints ),
		cmocka_unit_test( TestTies ),
		cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
