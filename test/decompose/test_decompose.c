// SPDX-License-Identifier: MIT
// Bones out of moving vertices: what bones have moved is found again, weights are convex, motions rigid, bits the same
// for any number of threads.
// labels: threads
// threads: TestThreads
#include "support.h"

#include "supple/decompose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Few vertices, which are solved as they are, and so many that some of them stand for all at first.
#define SMALL_SIDE 24
#define LARGE_SIDE 48
#define MOST_VERTICES ( LARGE_SIDE * LARGE_SIDE )
#define MOST_INDICES ( 6 * ( LARGE_SIDE - 1 ) * ( LARGE_SIDE - 1 ) )
#define FRAMES 21
#define HIDDEN 3

// A sheet of one metre. One fixed bone turns all of it; three hidden bones each move a disc of it besides.
typedef struct Sheet
{
	int32_t vertexCount, indexCount;
	supVec3 rest[MOST_VERTICES];
	uint32_t indices[MOST_INDICES];
	supMat34 fixed[FRAMES];
	uint16_t joints[MOST_VERTICES];
	float weights[MOST_VERTICES];
	supVec3 frames[FRAMES][MOST_VERTICES];
	int32_t failAt; // this frame cannot be read; -1: none
} Sheet;

static supMat34 Turn( supVec3 axis, float radians, supVec3 center, supVec3 shift )
{
	supMat34 m = supMakeMat34Transform( ( supTransform ){ .rotation = supMakeQuatAxisAngle( axis, radians ),
														  .scale = supMakeVec3( 1.0f, 1.0f, 1.0f ) } );
	m.t = supAdd( supSub( center, supMulMV( supLinearPart( m ), center ) ), shift );
	return m;
}

static const supVec3 s_centers[HIDDEN] = { { 0.25f, 0.0f, 0.25f }, { 0.75f, 0.0f, 0.3f }, { 0.5f, 0.0f, 0.8f } };

static void MoveSheet( Sheet* sheet, int32_t frame )
{
	float t = (float)frame / (float)( FRAMES - 1 );
	// it also walks five metres away
	supMat34 fixed = Turn( supMakeVec3( 0.0f, 1.0f, 0.2f ), 1.5f * t, supMakeVec3( 0.5f, 0.0f, 0.5f ),
						   supMakeVec3( 5.0f * t, 0.3f * t, 0.0f ) );
	sheet->fixed[frame] = fixed;
	for ( int32_t i = 0; i < sheet->vertexCount; ++i )
	{
		supVec3 p = sheet->rest[i];
		for ( int32_t h = 0; h < HIDDEN; ++h )
		{
			// soft rims: the blend of two motions, as skinning has it
			float distance = supDistance( sheet->rest[i], s_centers[h] );
			float w = supClampFloat( ( 0.24f - distance ) / 0.08f, 0.0f, 1.0f );
			float phase = 7.0f * t + (float)h;
			supMat34 own = Turn( supMakeVec3( 1.0f, (float)h, 0.5f ), 0.3f * ( phase - floorf( phase ) - 0.5f ),
								 s_centers[h], supMakeVec3( 0.0f, 0.05f * t * ( 1.0f - t ) * (float)( h + 1 ), 0.0f ) );
			p = w > 0.0f ? supLerp( p, supTransformPoint( own, sheet->rest[i] ), w ) : p;
		}
		sheet->frames[frame][i] = supTransformPoint( fixed, p );
	}
}

static Sheet* MakeSheetOf( int32_t side )
{
	Sheet* sheet = calloc( 1, sizeof( Sheet ) );
	sheet->vertexCount = side * side;
	sheet->indexCount = 6 * ( side - 1 ) * ( side - 1 );
	int32_t n = 0;
	for ( int32_t i = 0; i < sheet->vertexCount; ++i )
	{
		int32_t x = i % side, z = i / side;
		sheet->rest[i] = supMakeVec3( (float)x / (float)( side - 1 ), 0.0f, (float)z / (float)( side - 1 ) );
		sheet->weights[i] = 1.0f;
		if ( x < side - 1 && z < side - 1 )
		{
			uint32_t a = (uint32_t)i, b = a + 1, c = a + (uint32_t)side, d = c + 1;
			uint32_t corners[6] = { a, c, b, b, c, d };
			memcpy( sheet->indices + n, corners, sizeof( corners ) );
			n += 6;
		}
	}
	for ( int32_t f = 0; f < FRAMES; ++f )
	{
		MoveSheet( sheet, f );
	}
	sheet->failAt = -1;
	return sheet;
}

static Sheet* MakeSheet( void )
{
	return MakeSheetOf( SMALL_SIDE );
}

static bool ReadSheet( int32_t frame, supVec3* positions, void* context, supError* error )
{
	const Sheet* sheet = context;
	if ( frame == sheet->failAt )
	{
		error->code = sup_errorRead;
		snprintf( error->message, sizeof( error->message ), "the disk is gone" );
		return false;
	}
	memcpy( positions, sheet->frames[frame], (size_t)sheet->vertexCount * sizeof( supVec3 ) );
	return true;
}

static supBonesDef MakeDef( Sheet* sheet )
{
	supBonesDef def = supDefaultBonesDef();
	def.vertexCount = sheet->vertexCount;
	def.positions = sheet->rest;
	def.indexCount = sheet->indexCount;
	def.indices = sheet->indices;
	def.frameCount = FRAMES;
	def.read = ReadSheet;
	def.readContext = sheet;
	def.fixedCount = 1;
	def.fixedMatrices = sheet->fixed;
	def.startInfluences = 1;
	def.startJoints = sheet->joints;
	def.startWeights = sheet->weights;
	def.helperCount = HIDDEN;
	return def;
}

static supBakedBones* Bake( const supBonesDef* def )
{
	supError error = { 0 };
	supBakedBones* bones = supBakeBones( def, &error );
	testRequire( bones != NULL, &error );
	return bones;
}

// From the result alone, in double precision.
static double MeasureRms( const Sheet* sheet, const supBonesDef* def, const supBakedBones* bones, double* worst )
{
	double sum = 0.0;
	*worst = 0.0;
	for ( int32_t f = 0; f < FRAMES; ++f )
	{
		for ( int32_t i = 0; i < sheet->vertexCount; ++i )
		{
			double d[3] = { -(double)sheet->frames[f][i].x, -(double)sheet->frames[f][i].y,
							-(double)sheet->frames[f][i].z };
			for ( int32_t k = 0; k < bones->influences; ++k )
			{
				int32_t bone = bones->joints[i * bones->influences + k];
				supMat34 m = bone < def->fixedCount ? def->fixedMatrices[f * def->fixedCount + bone]
													: bones->matrices[f * bones->helperCount + bone - def->fixedCount];
				supVec3 p = supTransformPoint( m, sheet->rest[i] );
				double w = (double)bones->weights[i * bones->influences + k];
				d[0] += w * (double)p.x;
				d[1] += w * (double)p.y;
				d[2] += w * (double)p.z;
			}
			double squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
			sum += squared;
			*worst = fmax( *worst, sqrt( squared ) );
		}
	}
	return sqrt( sum / ( sheet->vertexCount * FRAMES ) );
}

static void CheckResult( const supBakedBones* bones )
{
	for ( int32_t i = 0; i < bones->vertexCount; ++i )
	{
		float sum = 0.0f;
		for ( int32_t k = 0; k < bones->influences; ++k )
		{
			float w = bones->weights[i * bones->influences + k];
			assert_true( w >= 0.0f && ( k == 0 || w <= bones->weights[i * bones->influences + k - 1] ) );
			testLess( bones->joints[i * bones->influences + k], bones->fixedCount + bones->helperCount );
			sum += w;
		}
		// eight roundings of a float at most
		assert_float_equal( sum, 1.0f, 1e-6f );
	}
	for ( int32_t i = 0; i < bones->frameCount * bones->helperCount; ++i )
	{
		supMat34 m = bones->matrices[i];
		assert_float_equal( supDeterminant( supLinearPart( m ) ), 1.0f, 1e-5f );
		assert_float_equal( supLength( m.cx ), 1.0f, 1e-5f );
		assert_float_equal( supDot( m.cx, m.cy ), 0.0f, 1e-5f );
	}
}

static void TestFindsHiddenBones( void** state )
{
	(void)state;
	Sheet* sheet = MakeSheet();
	supBonesDef def = MakeDef( sheet );
	supBakedBones* bones = Bake( &def );
	CheckResult( bones );
	assert_int_equal( bones->helperCount, HIDDEN );
	double worst;
	double rms = MeasureRms( sheet, &def, bones, &worst );
	print_message( "plain %.3g, with helpers %.3g, worst %.3g\n", (double)bones->startError.rms, rms, worst );
	// the error that is reported is that of the result
	assert_float_equal( bones->error.rms, rms, 1e-3 * rms + 1e-7 );
	assert_float_equal( bones->error.worst, worst, 1e-3 * worst + 1e-6 );
	// an exact solution exists; alternation comes within a twentieth of what there was to explain
	testLess( rms, 0.05 * (double)bones->startError.rms );
	for ( int32_t h = 0; h < bones->helperCount; ++h )
	{
		assert_int_equal( bones->owners[h], 0 );
		float nearest = INFINITY;
		for ( int32_t k = 0; k < HIDDEN; ++k )
		{
			nearest = fminf( nearest, supDistance( bones->centers[h], s_centers[k] ) );
		}
		// in the disc that a hidden bone moves
		testLess( nearest, 0.16f );
	}
	supDestroyBakedBones( bones );
	free( sheet );
}

static void TestMoreBonesAreNoWorse( void** state )
{
	(void)state;
	Sheet* sheet = MakeSheet();
	supBonesDef def = MakeDef( sheet );
	float last = INFINITY;
	for ( int32_t helpers = 0; helpers <= 6; helpers += 2 )
	{
		def.helperCount = helpers;
		supBakedBones* bones = Bake( &def );
		testLessEqual( bones->helperCount, helpers );
		testLessEqual( bones->error.rms, last );
		last = bones->error.rms;
		if ( helpers == 0 )
		{
			assert_float_equal( bones->error.rms, bones->startError.rms, 0.0f );
		}
		supDestroyBakedBones( bones );
	}
	def.helperCount = HIDDEN;
	def.influences = 1;
	supBakedBones* one = Bake( &def );
	assert_int_equal( one->influences, 1 );
	CheckResult( one );
	testLess( one->error.rms, one->startError.rms );
	supDestroyBakedBones( one );
	free( sheet );
}

// Helpers alone are the skeleton of what has none. A sheet that only turns is one bone, to rounding.
static void TestHelpersAlone( void** state )
{
	(void)state;
	Sheet* sheet = MakeSheet();
	supBonesDef def = MakeDef( sheet );
	def.helperCount = 0;
	supBakedBones* bones = Bake( &def );
	double plain = (double)bones->error.rms;
	supDestroyBakedBones( bones );
	def.fixedCount = 0;
	def.startJoints = NULL;
	def.startWeights = NULL;
	def.helperCount = 6;
	bones = Bake( &def );
	CheckResult( bones );
	assert_int_equal( bones->owners[0], -1 );
	double worst;
	double rms = MeasureRms( sheet, &def, bones, &worst );
	print_message( "helpers alone: %.3g\n", rms );
	// six bones have room for the four motions that there are
	testLess( rms, 0.05 * plain );
	supDestroyBakedBones( bones );
	for ( int32_t f = 0; f < FRAMES; ++f )
	{
		for ( int32_t i = 0; i < sheet->vertexCount; ++i )
		{
			sheet->frames[f][i] = supTransformPoint( sheet->fixed[f], sheet->rest[i] );
		}
	}
	supBonesDef still = MakeDef( sheet );
	bones = Bake( &still );
	// what the skeleton does already needs no helper
	assert_int_equal( bones->helperCount, 0 );
	supDestroyBakedBones( bones );
	def.helperCount = 1;
	bones = Bake( &def );
	// positions reach five metres, where a float has 5e-7
	testLess( bones->error.worst, 4e-6f );
	supDestroyBakedBones( bones );
	free( sheet );
}

static bool SameResult( const supBakedBones* a, const supBakedBones* b )
{
	size_t slots = (size_t)a->vertexCount * (size_t)a->influences;
	size_t matrices = (size_t)a->frameCount * (size_t)a->helperCount;
	return a->helperCount == b->helperCount && memcmp( a->joints, b->joints, slots * sizeof( uint16_t ) ) == 0 &&
		   memcmp( a->weights, b->weights, slots * sizeof( float ) ) == 0 &&
		   memcmp( a->matrices, b->matrices, matrices * sizeof( supMat34 ) ) == 0;
}

static void TestThreads( void** state )
{
	(void)state;
	Sheet* sheet = MakeSheet();
	supBonesDef def = MakeDef( sheet );
	def.helperCount = 5;
	def.rounds = 4;
	supBakedBones* one = Bake( &def );
	supThreadPool* pool = supCreateThreadPool( 3 );
	def.tasks = supThreadPool_Tasks( pool );
	supBakedBones* three = Bake( &def );
	assert_true( SameResult( one, three ) );
	supInstructionSet set = supGetInstructionSet();
	supSetInstructionSet( sup_instructionsBaseline );
	supBakedBones* baseline = Bake( &def );
	supSetInstructionSet( set );
	assert_true( SameResult( one, baseline ) );
	supDestroyBakedBones( baseline );
	supDestroyBakedBones( three );
	supDestroyBakedBones( one );
	supDestroyThreadPool( pool );
	free( sheet );
}

typedef struct Stop
{
	int32_t calls;
	int32_t most;
	float last;
} Stop;

static bool StopAfter( float share, void* context )
{
	Stop* stop = context;
	testGreaterEqual( share, stop->last );
	testLessEqual( share, 1.0f );
	stop->last = share;
	stop->calls += 1;
	return stop->calls < stop->most;
}

static void TestStopKeepsTheBest( void** state )
{
	(void)state;
	Sheet* sheet = MakeSheet();
	supBonesDef def = MakeDef( sheet );
	for ( int32_t most = 1; most <= 4; ++most )
	{
		Stop stop = { .most = most };
		def.progress = StopAfter;
		def.progressContext = &stop;
		supBakedBones* bones = Bake( &def );
		assert_int_equal( stop.calls, most );
		CheckResult( bones );
		testLess( bones->error.rms, bones->startError.rms );
		supDestroyBakedBones( bones );
	}
	free( sheet );
}

static void ExpectRefusal( const supBonesDef* def, const char* where, const char* text )
{
	supError error = { 0 };
	assert_null( supBakeBones( def, &error ) );
	if ( strstr( error.where, where ) == NULL || strstr( error.message, text ) == NULL )
	{
		fail_msg( "%s: %s", error.where, error.message );
	}
}

static void TestRefusals( void** state )
{
	(void)state;
	Sheet* sheet = MakeSheet();
	supBonesDef def = MakeDef( sheet );
	def.influences = 0;
	ExpectRefusal( &def, "influences", "1 to 8 (got 0)" );
	def = MakeDef( sheet );
	def.helperCount = 5000;
	ExpectRefusal( &def, "helperCount", "(got 5000)" );
	def = MakeDef( sheet );
	def.frameCount = 0;
	ExpectRefusal( &def, "frameCount", "(got 0)" );
	def = MakeDef( sheet );
	def.smoothness = NAN;
	ExpectRefusal( &def, "smoothness", "0 to 1" );
	def = MakeDef( sheet );
	def.fixedCount = 0;
	def.helperCount = 0;
	ExpectRefusal( &def, "helperCount", "at least 1" );
	def = MakeDef( sheet );
	sheet->joints[7] = 1;
	ExpectRefusal( &def, "startJoints", "vertex 7" );
	sheet->joints[7] = 0;
	sheet->indices[4] = sheet->vertexCount;
	ExpectRefusal( &def, "indices", "got 576" );
	sheet->indices[4] = 0;
	sheet->frames[3][11].y = NAN;
	ExpectRefusal( &def, "frames", "vertex 11 is not finite in frame 3" );
	sheet->frames[3][11].y = 0.0f;
	sheet->failAt = 5;
	ExpectRefusal( &def, "", "the disk is gone" );
	free( sheet );
}

// One frame, vertices all at one place, a sheet without triangles: something valid comes out.
static void TestDegenerateInput( void** state )
{
	(void)state;
	Sheet* sheet = MakeSheet();
	supBonesDef def = MakeDef( sheet );
	def.frameCount = 1;
	supBakedBones* bones = Bake( &def );
	CheckResult( bones );
	supDestroyBakedBones( bones );
	def = MakeDef( sheet );
	def.indexCount = 0;
	def.indices = NULL;
	bones = Bake( &def );
	CheckResult( bones );
	testLessEqual( bones->error.rms, bones->startError.rms );
	supDestroyBakedBones( bones );
	for ( int32_t i = 0; i < sheet->vertexCount; ++i )
	{
		sheet->rest[i] = supMakeVec3( 1.0f, 2.0f, 3.0f );
	}
	def = MakeDef( sheet );
	bones = Bake( &def );
	CheckResult( bones );
	supDestroyBakedBones( bones );
	free( sheet );
}

static bool Attempt( void* context )
{
	Sheet* sheet = context;
	supBonesDef def = MakeDef( sheet );
	def.rounds = 1;
	supError error = { 0 };
	supBakedBones* bones = supBakeBones( &def, &error );
	assert_true( bones != NULL || error.code == sup_errorMemory );
	supDestroyBakedBones( bones );
	return bones != NULL;
}

static void TestAllocationFailures( void** state )
{
	(void)state;
	Sheet* sheet = MakeSheet();
	testEachAllocationFailure( Attempt, sheet, 60 );
	free( sheet );
}

static void TestEstimate( void** state )
{
	(void)state;
	const int32_t helpers[] = { 8, 16, 32 };
	const float errors[] = { 0.04f, 0.02f, 0.01f };
	supBakedBones bones = {
		.helperCount = 32, .error.rms = 0.01f, .stepCount = 3, .stepHelpers = helpers, .stepErrors = errors
	};
	assert_int_equal( supBakedBones_EstimateHelpers( &bones, 0.02f ), 32 );
	// twice the helpers, half the error; rounded up to eight, and the steps of the search are below a fifth
	int32_t enough = supBakedBones_EstimateHelpers( &bones, 0.005f );
	assert_in_range( enough, 64, 80 );
	const float flat[] = { 0.0101f, 0.01f, 0.01f };
	bones.stepErrors = flat;
	assert_int_equal( supBakedBones_EstimateHelpers( &bones, 0.005f ), 0 );
}

// Some vertices stand for all in most rounds: the result is as good, of any number of threads, and stops early.
static void TestManyVertices( void** state )
{
	(void)state;
	Sheet* sheet = MakeSheetOf( LARGE_SIDE );
	supBonesDef def = MakeDef( sheet );
	supBakedBones* alone = Bake( &def );
	CheckResult( alone );
	double worst;
	double rms = MeasureRms( sheet, &def, alone, &worst );
	print_message( "%d vertices: plain %.3g, with helpers %.3g\n", sheet->vertexCount, (double)alone->startError.rms,
				   rms );
	assert_float_equal( alone->error.rms, rms, 1e-3 * rms + 1e-7 );
	testLess( rms, 0.05 * (double)alone->startError.rms );
	supThreadPool* pool = supCreateThreadPool( 3 );
	def.tasks = supThreadPool_Tasks( pool );
	supBakedBones* together = Bake( &def );
	assert_true( SameResult( alone, together ) );
	supDestroyBakedBones( together );
	supDestroyThreadPool( pool );
	def.tasks = NULL;
	Stop stop = { .most = 2 };
	def.progress = StopAfter;
	def.progressContext = &stop;
	supBakedBones* stopped = Bake( &def );
	assert_int_equal( stop.calls, 2 );
	CheckResult( stopped );
	testLess( stopped->error.rms, stopped->startError.rms );
	supDestroyBakedBones( stopped );
	supDestroyBakedBones( alone );
	free( sheet );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestFindsHiddenBones ), cmocka_unit_test( TestMoreBonesAreNoWorse ),
		cmocka_unit_test( TestHelpersAlone ),     cmocka_unit_test( TestThreads ),
		cmocka_unit_test( TestStopKeepsTheBest ), cmocka_unit_test( TestRefusals ),
		cmocka_unit_test( TestDegenerateInput ),  cmocka_unit_test( TestAllocationFailures ),
		cmocka_unit_test( TestEstimate ),         cmocka_unit_test( TestManyVertices ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
