// SPDX-License-Identifier: MIT
// Looks: the running sums equal the definitions, computed directly from all frames at once.
#include "lag.h"
#include "support.h"

#include "supple/looks.h"

#include <math.h>
#include <stdlib.h>

#define FRAMES 40
#define VERTICES 8

typedef struct Recording
{
	supVec3 rest[VERTICES];
	supVec3 skin[FRAMES][VERTICES];
	supVec3 drawn[FRAMES][VERTICES];
} Recording;

static double LengthOf( const supVec3* x, int32_t a, int32_t b )
{
	double d[3] = { (double)x[a].x - (double)x[b].x, (double)x[a].y - (double)x[b].y, (double)x[a].z - (double)x[b].z };
	return sqrt( d[0] * d[0] + d[1] * d[1] + d[2] * d[2] );
}

static int CompareDoubles( const void* a, const void* b )
{
	double x = *(const double*)a, y = *(const double*)b;
	return ( x > y ) - ( x < y );
}

static double SizeOf( const Recording* r )
{
	supBox box = supBox_empty;
	for ( int32_t v = 0; v < VERTICES; ++v )
	{
		box = supBox_Include( box, r->rest[v] );
	}
	return (double)supLength( supBox_Size( box ) );
}

// Edges of the triangles, each once, by a table of all pairs.
static void MarkEdges( const supMesh* mesh, bool isEdge[VERTICES][VERTICES] )
{
	memset( isEdge, 0, sizeof( bool ) * VERTICES * VERTICES );
	for ( int32_t k = 0; k < mesh->indexCount; ++k )
	{
		uint32_t a = mesh->indices[k], b = mesh->indices[k % 3 == 2 ? k - 2 : k + 1];
		isEdge[a < b ? a : b][a < b ? b : a] = true;
	}
}

static void MeasureEdgesDirectly( const Recording* r, const supMesh* mesh, supLooks* looks )
{
	bool isEdge[VERTICES][VERTICES];
	MarkEdges( mesh, isEdge );
	double size = SizeOf( r ), worst = 0.0, torn = 0.0, mostCrushed = 0.0;
	for ( int32_t f = 0; f < FRAMES; ++f )
	{
		double crushed = 0.0, edges = 0.0;
		for ( int32_t a = 0; a < VERTICES; ++a )
		{
			for ( int32_t b = a; b < VERTICES; ++b )
			{
				if ( isEdge[a][b] )
				{
					double rest = LengthOf( r->rest, a, b ), skin = LengthOf( r->skin[f], a, b );
					double now = LengthOf( r->drawn[f], a, b ), excess = ( now - fmax( rest, skin ) ) / size;
					bool isLong = now > 1.3 * fmax( rest, skin );
					torn += isLong && excess > 0.03;
					worst = isLong ? fmax( worst, excess ) : worst;
					crushed += now < 0.35 * fmin( rest, skin ) && fmin( rest, skin ) > 0.01 * size;
					edges += 1.0;
				}
			}
		}
		mostCrushed = fmax( mostCrushed, crushed / edges );
	}
	looks->torn = (float)( torn / FRAMES );
	looks->worst = (float)( 100.0 * worst );
	looks->crushed = (float)( 1000.0 * mostCrushed );
}

static double Axis( supVec3 v, int32_t axis )
{
	return axis == 0 ? (double)v.x : axis == 1 ? (double)v.y : (double)v.z;
}

static void MeasureOffsetsDirectly( const Recording* r, supLooks* looks )
{
	double deviations[VERTICES], far = 0.0, size = SizeOf( r );
	for ( int32_t v = 0; v < VERTICES; ++v )
	{
		double variance = 0.0;
		for ( int32_t a = 0; a < 3; ++a )
		{
			double mean = 0.0;
			for ( int32_t f = 0; f < FRAMES; ++f )
			{
				mean += ( Axis( r->drawn[f][v], a ) - Axis( r->skin[f][v], a ) ) / FRAMES;
			}
			for ( int32_t f = 0; f < FRAMES; ++f )
			{
				double d = Axis( r->drawn[f][v], a ) - Axis( r->skin[f][v], a ) - mean;
				variance += d * d / FRAMES;
			}
		}
		deviations[v] = sqrt( variance );
		for ( int32_t f = 0; f < FRAMES; ++f )
		{
			far = fmax( far, (double)supDistance( r->drawn[f][v], r->skin[f][v] ) );
		}
	}
	qsort( deviations, VERTICES, sizeof( double ), CompareDoubles );
	// 0.9 of the way along seven gaps: 0.3 of the way from the seventh to the eighth
	looks->alive = (float)( 100.0 * ( deviations[6] + 0.3 * ( deviations[7] - deviations[6] ) ) / size );
	looks->far = (float)( 100.0 * far / size );
}

// The top sways; vertices jump about, some of them far, and some onto others.
static void RecordFrames( supLooksMeter* meter, supPose* pose, Recording* r )
{
	testRandom random = testMakeRandom( 22 );
	supSkinInstance( pose, 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = r->rest } );
	const supClip* clip = supCharacter_Clip( supPose_Character( pose ), 0 );
	for ( int32_t f = 0; f < FRAMES; ++f )
	{
		supPose_ApplyClip( pose, clip, 0.05f * (float)f );
		supSkinInstance( pose, 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = r->skin[f] } );
		for ( int32_t v = 0; v < VERTICES; ++v )
		{
			float extent = testRandomInt( &random, 8 ) == 0 ? 1.0f : 0.05f;
			r->drawn[f][v] = supAdd( r->skin[f][v], testRandomVec3( &random, extent ) );
		}
		if ( f % 9 == 4 )
		{
			r->drawn[f][1] = supLerp( r->drawn[f][1], r->drawn[f][0], 0.8f );
		}
		const supVec3* positions = r->drawn[f];
		supLooksMeter_AddFrame( meter, pose, &positions, NULL );
	}
}

static void TestEqualsDefinition( void** state )
{
	(void)state;
	supCharacter* character = testMakeSwayingBox();
	supLooksMeter* meter = supCreateLooksMeter( character );
	supPose* pose = supCreatePose( character );
	static Recording recording;
	RecordFrames( meter, pose, &recording );
	supLooks looks, expected = { 0 };
	assert_true( supLooksMeter_Get( meter, &looks ) );
	MeasureEdgesDirectly( &recording, supCharacter_Mesh( character, 0 ), &expected );
	MeasureOffsetsDirectly( &recording, &expected );
	testGreater( expected.torn, 0.1f );
	testGreater( expected.crushed, 1.0f );
	assert_int_equal( looks.frameCount, FRAMES );
	// counts are exact; the others differ by the rounding of a float at most, once in each of both
	assert_float_equal( looks.torn, expected.torn, 1e-6f );
	assert_float_equal( looks.crushed, expected.crushed, 1e-4f );
	assert_float_equal( looks.worst, expected.worst, 1e-5f * expected.worst );
	assert_float_equal( looks.alive, expected.alive, 1e-5f * expected.alive );
	assert_float_equal( looks.far, expected.far, 1e-5f * expected.far );
	assert_int_equal( supLooks_Verdict( &looks ), sup_verdictTorn );
	supDestroyPose( pose );
	supDestroyLooksMeter( meter );
	supDestroyCharacter( character );
}

// A steady difference from skinning is far, and not alive.
static void TestSteadyOffset( void** state )
{
	(void)state;
	supCharacter* character = testMakeBox();
	supLooksMeter* meter = supCreateLooksMeter( character );
	supPose* pose = supCreatePose( character );
	supVec3 moved[VERTICES];
	supSkinInstance( pose, 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = moved } );
	for ( int32_t v = 0; v < VERTICES; ++v )
	{
		moved[v].x += 0.125f;
	}
	const supVec3* positions = moved;
	for ( int32_t f = 0; f < 3; ++f )
	{
		supLooksMeter_AddFrame( meter, pose, &positions, NULL );
	}
	supLooks looks;
	assert_true( supLooksMeter_Get( meter, &looks ) );
	assert_true( looks.far > 1.0f && looks.torn == 0.0f && looks.crushed == 0.0f );
	// the mean of equal numbers is that number
	assert_float_equal( looks.alive, 0.0f, 0.0f );
	assert_int_equal( supLooks_Verdict( &looks ), sup_verdictStill );
	moved[3].y = NAN;
	supLooksMeter_AddFrame( meter, pose, &positions, NULL );
	assert_true( supLooksMeter_Get( meter, &looks ) );
	assert_true( looks.isFinite == false && supLooks_Verdict( &looks ) == sup_verdictTorn );
	supDestroyPose( pose );
	supDestroyLooksMeter( meter );
	supDestroyCharacter( character );
}

static void TestSkinningIsStill( void** state )
{
	(void)state;
	supCharacter* character = testMakeBox();
	supError error = { 0 };
	supFleshDef fleshDef = supDefaultFleshDef();
	fleshDef.method = sup_methodLbs;
	supFlesh* flesh = supBuildFlesh( character, &fleshDef, NULL, &error );
	testRequire( flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	supScene* scene = supCreateScene( &sceneDef, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	testRequire( actor != NULL, &error );
	supLooksMeter* meter = supCreateLooksMeter( character );
	for ( int32_t f = 0; f < 5; ++f )
	{
		testMoveTop( actor, f );
		supScene_Step( scene, 0.1f );
		supLooksMeter_AddActor( meter, actor, NULL );
	}
	supLooks looks;
	assert_true( supLooksMeter_Get( meter, &looks ) );
	// it is held against itself
	assert_true( looks.torn == 0.0f && looks.worst == 0.0f && looks.crushed == 0.0f );
	assert_true( looks.alive == 0.0f && looks.far == 0.0f );
	supDestroyLooksMeter( meter );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

static void TestVerdicts( void** state )
{
	(void)state;
	supLooks good = { .frameCount = 1, .alive = 0.5f, .far = 3.0f, .isFinite = true };
	assert_int_equal( supLooks_Verdict( &good ), sup_verdictGood );
	supLooks bad[] = { good, good, good, good };
	bad[0].torn = 0.11f;
	bad[1].worst = 5.1f;
	bad[2].crushed = 2.1f;
	bad[3].far = 30.1f;
	for ( int i = 0; i < 4; ++i )
	{
		assert_int_equal( supLooks_Verdict( bad + i ), sup_verdictTorn );
	}
	good.alive = 0.34f;
	assert_int_equal( supLooks_Verdict( &good ), sup_verdictStill );
	assert_string_equal( supVerdictName( sup_verdictGood ), "good" );
	assert_string_equal( supVerdictName( sup_verdictTorn ), "torn" );
}

static bool MeasureOnce( void* context )
{
	supCharacter* character = context;
	supLooksMeter* meter = supCreateLooksMeter( character );
	supPose* pose = meter != NULL ? supCreatePose( character ) : NULL;
	supLooks looks;
	bool ok = pose != NULL;
	if ( ok )
	{
		supVec3 skin[VERTICES];
		const supVec3* positions = skin;
		supSkinInstance( pose, 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = skin } );
		supLooksMeter_AddFrame( meter, pose, &positions, NULL );
		ok = supLooksMeter_Get( meter, &looks );
	}
	supDestroyPose( pose );
	supDestroyLooksMeter( meter );
	return ok;
}

static void TestAllocationFailures( void** state )
{
	(void)state;
	supCharacter* character = testMakeBox();
	testEachAllocationFailure( MeasureOnce, character, 100 );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestEqualsDefinition ),   cmocka_unit_test( TestSteadyOffset ),
		cmocka_unit_test( TestSkinningIsStill ),    cmocka_unit_test( TestVerdicts ),
		cmocka_unit_test( TestAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
