// SPDX-License-Identifier: MIT
// Tetrahedra cut open: which are shown, and in which colours.
#include "support.h"

#include "draw/color.h"
#include "draw/tet_view.h"
#include "volume/tets/tets.h"

// A row of cubes along x, five tetrahedra each.
#define CUBES 6

typedef struct Row
{
	supVec3 points[4 * ( CUBES + 1 )];
	int32_t indices[20 * CUBES];
	supVec4 colors[5 * CUBES];
	float heat[5 * CUBES];
	supTetMesh mesh;
} Row;

static void MakeRow( Row* row )
{
	// corner k of a cube: x in bit 0, y in bit 1, z in bit 2; cubes alternate so that diagonals meet
	static const int32_t corners[2][20] = {
		{ 0, 1, 2, 4, 3, 2, 1, 7, 5, 1, 4, 7, 6, 4, 2, 7, 1, 2, 4, 7 },
		{ 1, 0, 5, 3, 2, 0, 3, 6, 4, 5, 0, 6, 7, 3, 5, 6, 0, 3, 5, 6 },
	};
	for ( int32_t i = 0; i < 4 * ( CUBES + 1 ); ++i )
	{
		row->points[i] = supMakeVec3( (float)( i / 4 ), (float)( i & 1 ), (float)( i >> 1 & 1 ) );
	}
	for ( int32_t i = 0; i < 20 * CUBES; ++i )
	{
		int32_t corner = corners[i / 20 % 2][i % 20];
		row->indices[i] = 4 * ( i / 20 + ( corner & 1 ) ) + ( corner >> 1 );
	}
	row->mesh = ( supTetMesh ){
		.pointCount = 4 * ( CUBES + 1 ), .points = row->points, .tetCount = 5 * CUBES, .indices = row->indices
	};
	supTets tets = { .pointCount = row->mesh.pointCount, .points = row->points, .tetCount = 1 };
	for ( int32_t i = 0; i < row->mesh.tetCount; ++i )
	{
		int32_t* t = row->indices + 4 * i;
		tets.indices = t;
		if ( supTets_Volume( &tets, 0 ) < 0.0 )
		{
			int32_t swap = t[2];
			t[2] = t[3];
			t[3] = swap;
		}
		// green outside, red inside
		bool isEnd = i / 5 == 0 || i / 5 == CUBES - 1;
		row->colors[i] = isEnd ? ( supVec4 ){ 0.0f, 1.0f, 0.0f, 1.0f } : ( supVec4 ){ 1.0f, 0.0f, 0.0f, 1.0f };
		row->heat[i] = isEnd ? 0.0f : 1.0f;
	}
}

// Looks along -x at the row from its far end.
static supPicture DrawRow( const Row* row, supTetPaint paint, float cut, int32_t* count )
{
	supError error = { 0 };
	supTetView* view = supCreateTetView( &row->mesh, paint, supMakeVec3( 1.0f, 0.0f, 0.0f ), cut, &error );
	testRequire( view != NULL, &error );
	*count = supTetView_Count( view );
	supBox box = { { 0.0f, 0.0f, 0.0f }, { (float)CUBES, 1.0f, 1.0f } };
	supRenderDef def = { .width = 64, .height = 64, .view = supFrameView( box, 90.0f, 0.0f, 1.0f ) };
	supPicture picture;
	testRequire( supTetView_Draw( view, &def, NULL, &picture, &error ), &error );
	supDestroyTetView( view );
	return picture;
}

static const uint8_t* Middle( const supPicture* picture )
{
	return picture->pixels + 4 * ( 32 * 64 + 32 );
}

static void TestCut( void** state )
{
	(void)state;
	Row row;
	MakeRow( &row );
	int32_t count;
	supPicture whole = DrawRow( &row, ( supTetPaint ){ .colors = row.colors }, 100.0f, &count );
	assert_int_equal( count, 5 * CUBES );
	testGreater( Middle( &whole )[1], 2 * Middle( &whole )[0] );
	supPicture_Destroy( &whole );
	// three cubes are left: the middle of the row is seen
	supPicture half = DrawRow( &row, ( supTetPaint ){ .colors = row.colors }, 3.0f, &count );
	assert_int_equal( count, 15 );
	testGreater( Middle( &half )[0], 2 * Middle( &half )[1] );
	supPicture_Destroy( &half );
	supPicture nothing = DrawRow( &row, ( supTetPaint ){ .colors = row.colors }, -1.0f, &count );
	assert_int_equal( count, 0 );
	supPicture_Destroy( &nothing );
}

static void TestHeat( void** state )
{
	(void)state;
	Row row;
	MakeRow( &row );
	int32_t count;
	// yellow where the value is 1, dark blue where it is 0
	supPicture high = DrawRow( &row, ( supTetPaint ){ .heat = row.heat }, 3.0f, &count );
	supPicture low = DrawRow( &row, ( supTetPaint ){ .heat = row.heat }, 100.0f, &count );
	testGreater( Middle( &high )[0], 2 * Middle( &high )[2] );
	testGreater( Middle( &low )[2], Middle( &low )[0] );
	supPicture_Destroy( &high );
	supPicture_Destroy( &low );
}

static void TestAxis( void** state )
{
	(void)state;
	assert_true( supFacingAxis( supMakeVec3( 3.0f, 2.0f, -2.0f ) ).x == 1.0f );
	assert_true( supFacingAxis( supMakeVec3( 1.0f, 2.0f, -2.0f ) ).z == -1.0f );
	assert_true( supFacingAxis( supMakeVec3( 0.1f, 2.0f, 0.0f ) ).y == 1.0f );
}

static void TestLayerColors( void** state )
{
	(void)state;
	for ( int32_t count = 2; count <= 16; ++count )
	{
		for ( int32_t i = 1; i < count; ++i )
		{
			supVec4 a = supLayerColor( i - 1, count ), b = supLayerColor( i, count );
			assert_true( a.x != b.x || a.y != b.y || a.z != b.z );
		}
	}
}

static bool AttemptView( void* context )
{
	const Row* row = context;
	supError error = { 0 };
	supTetView* view = supCreateTetView( &row->mesh, ( supTetPaint ){ .colors = row->colors },
										 supMakeVec3( 1.0f, 0.0f, 0.0f ), 3.0f, &error );
	supDestroyTetView( view );
	assert_true( view != NULL || error.code == sup_errorMemory );
	return view != NULL;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	Row row;
	MakeRow( &row );
	testEachAllocationFailure( AttemptView, &row, 30 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestCut ),         cmocka_unit_test( TestHeat ),        cmocka_unit_test( TestAxis ),
		cmocka_unit_test( TestLayerColors ), cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
