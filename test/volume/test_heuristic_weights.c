// SPDX-License-Identifier: MIT
// labels: threads
// The weights of equation 2 against cases worked out by hand.
#include "support.h"

#include "core/core.h"
#include "volume/weights/heuristic_weights.h"

#define POINTS 600

static void Compute( const supBones* bones, const bool* isUsed, int32_t count, const supVec3* points,
					 const supTasks* tasks, uint16_t* joints, float* weights )
{
	supHeuristicDef def = { bones, isUsed, count, points, tasks };
	supError error = { 0 };
	testRequire( supComputeHeuristicWeights( &def, joints, weights, &error ), &error );
}

// The bones that share a point equally, as bits; fails where shares differ or slots that are not used are not clean.
static uint32_t BonesAt( const supBones* bones, const bool* isUsed, supVec3 p )
{
	uint16_t joints[SUP_MAX_INFLUENCES];
	float weights[SUP_MAX_INFLUENCES];
	Compute( bones, isUsed, 1, &p, NULL, joints, weights );
	uint32_t bits = 0;
	int32_t count = 0;
	for ( ; count < SUP_MAX_INFLUENCES && weights[count] > 0.0f; ++count )
	{
		bits |= 1u << joints[count];
	}
	for ( int32_t i = 0; i < SUP_MAX_INFLUENCES; ++i )
	{
		assert_true( weights[i] == ( i < count ? 1.0f / (float)count : 0.0f ) );
		assert_true( i < count || joints[i] == 0 );
	}
	assert_int_equal( __builtin_popcount( bits ), count );
	return bits;
}

// Three joints in a row, six apart: bones 0 (from 0 to 6), 1 (6 to 12) and the stub 2 (12 to 15).
static void TestChain( void** state )
{
	(void)state;
	const supVec3 places[] = { { 0, 0, 0 }, { 6, 0, 0 }, { 12, 0, 0 } };
	const int32_t parents[] = { -1, 0, 1 };
	static const struct
	{
		float x;
		uint32_t bones;
	} cases[] = { { -3.0f, 1 }, { 0.5f, 1 },   { 1.0f, 1 },  { 3.0f, 1 },  { 5.0f, 1 },  { 5.1f, 3 },
				  { 6.0f, 3 },  { 6.9f, 3 },   { 7.01f, 2 }, { 9.0f, 2 },  { 11.0f, 2 }, { 11.1f, 6 },
				  { 12.1f, 6 }, { 12.49f, 6 }, { 12.6f, 4 }, { 14.0f, 4 }, { 14.9f, 4 }, { 20.0f, 4 } };
	supBones bones = { 0 };
	supError error = { 0 };
	testRequire( supBones_Init( &bones, 3, places, parents, &error ), &error );
	for ( int32_t i = 0; i < SUP_COUNT( cases ); ++i )
	{
		// as far to the side as may be
		for ( int32_t side = -2; side < 3; ++side )
		{
			supVec3 p = { cases[i].x, 10.0f * (float)side, (float)side };
			assert_int_equal( BonesAt( &bones, NULL, p ), cases[i].bones );
		}
	}
	// without the root what was its own goes to the next bone, and nobody shares with it
	const bool isUsed[] = { false, true, true };
	assert_int_equal( BonesAt( &bones, isUsed, supMakeVec3( 3, 1, 0 ) ), 2 );
	assert_int_equal( BonesAt( &bones, isUsed, supMakeVec3( 6.1f, 1, 0 ) ), 2 );
	supBones_Destroy( &bones );
}

// Hips with a spine and two legs; the legs start at joints of their own, at the place of the hips: bones of no length.
static void TestMeetingOfSeveral( void** state )
{
	(void)state;
	const supVec3 places[] = { { 0, 6, 0 }, { 0, 12, 0 }, { 0, 6, 0 }, { -4, 0, 0 },
							   { 0, 6, 0 }, { 4, 0, 0 },  { 0, 18, 0 } };
	// the legs come first in the list, their parents later: any order will do
	const int32_t parents[] = { -1, 0, 0, 2, 0, 4, 1 };
	supBones bones = { 0 };
	supError error = { 0 };
	testRequire( supBones_Init( &bones, 7, places, parents, &error ), &error );
	// hips 0, both thighs 2 and 4 meet at the hips
	uint32_t atHips = 1u << 0 | 1u << 2 | 1u << 4;
	assert_int_equal( BonesAt( &bones, NULL, supMakeVec3( 0.1f, 6.2f, 1 ) ), atHips );
	assert_int_equal( BonesAt( &bones, NULL, supMakeVec3( -0.3f, 5.6f, 0 ) ), atHips );
	assert_int_equal( BonesAt( &bones, NULL, supMakeVec3( -2, 3, 0.5f ) ), 1u << 2 );
	assert_int_equal( BonesAt( &bones, NULL, supMakeVec3( 0, 9, 0.5f ) ), 1u << 0 );
	assert_int_equal( BonesAt( &bones, NULL, supMakeVec3( 0, 11.9f, 0.5f ) ), 1u << 0 | 1u << 1 );
	assert_int_equal( BonesAt( &bones, NULL, supMakeVec3( 3.9f, 0.1f, 0 ) ), 1u << 4 | 1u << 5 );
	supBones_Destroy( &bones );

	// ten in one place: eight are kept
	supVec3 same[10];
	int32_t chain[10];
	for ( int32_t i = 0; i < 10; ++i )
	{
		same[i] = supMakeVec3( 1, 2, 3 );
		chain[i] = i - 1;
	}
	testRequire( supBones_Init( &bones, 10, same, chain, &error ), &error );
	assert_int_equal( BonesAt( &bones, NULL, supVec3_zero ), 0xFF );
	supBones_Destroy( &bones );
}

// ---------------------------------------------------------------------------------------------------------------------

typedef struct Input
{
	supBones bones;
	supVec3 points[POINTS];
	uint16_t joints[POINTS * SUP_MAX_INFLUENCES];
	float weights[POINTS * SUP_MAX_INFLUENCES];
} Input;

static void MakeInput( Input* input )
{
	testRandom random = testMakeRandom( 11 );
	supVec3 places[20];
	int32_t parents[20];
	for ( int32_t i = 0; i < 20; ++i )
	{
		places[i] = testRandomVec3( &random, 1.0f );
		parents[i] = i > 0 ? (int32_t)testRandomInt( &random, (uint32_t)i ) : -1;
	}
	for ( int32_t i = 0; i < POINTS; ++i )
	{
		input->points[i] = testRandomVec3( &random, 1.5f );
	}
	supError error = { 0 };
	input->bones = ( supBones ){ 0 };
	testRequire( supBones_Init( &input->bones, 20, places, parents, &error ), &error );
}

static bool Attempt( void* context )
{
	Input* input = context;
	supHeuristicDef def = { &input->bones, NULL, POINTS, input->points, NULL };
	supError error = { 0 };
	bool ok = supComputeHeuristicWeights( &def, input->joints, input->weights, &error );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static void TestOutOfMemoryAndNoBones( void** state )
{
	(void)state;
	static Input input;
	MakeInput( &input );
	testEachAllocationFailure( Attempt, &input, 20 );
	const bool none[20] = { false };
	supHeuristicDef def = { &input.bones, none, POINTS, input.points, NULL };
	supError error = { 0 };
	assert_false( supComputeHeuristicWeights( &def, input.joints, input.weights, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	supBones_Destroy( &input.bones );
}

// 0 nothing, 1 mirrored, 2 turned, 3 turned and mirrored: exact in floats.
static supVec3 Turn( supVec3 p, int32_t motion )
{
	switch ( motion )
	{
		case 1:
			return supMakeVec3( -p.x, p.y, p.z );
		case 2:
			return supMakeVec3( p.y, p.z, p.x );
		case 3:
			return supMakeVec3( p.y, p.z, -p.x );
		default:
			return p;
	}
}

// Turned by right angles and mirrored, everything stays on the same bones; and so it does with three threads.
static void TestMotionsAndThreads( void** state )
{
	(void)state;
	static Input one, other;
	MakeInput( &one );
	Compute( &one.bones, NULL, POINTS, one.points, NULL, one.joints, one.weights );
	supThreadPool* pool = supCreateThreadPool( 3 );
	assert_non_null( pool );
	for ( int32_t k = 0; k < 4; ++k )
	{
		MakeInput( &other );
		supVec3 joints[20];
		int32_t parents[20];
		for ( int32_t i = 0; i < POINTS; ++i )
		{
			other.points[i] = Turn( other.points[i], k );
		}
		for ( int32_t i = 0; i < 20; ++i )
		{
			joints[i] = Turn( other.bones.joints[i], k );
			parents[i] = other.bones.parents[i];
		}
		supBones_Destroy( &other.bones );
		supError error = { 0 };
		testRequire( supBones_Init( &other.bones, 20, joints, parents, &error ), &error );
		Compute( &other.bones, NULL, POINTS, other.points, supThreadPool_Tasks( pool ), other.joints, other.weights );
		assert_memory_equal( one.joints, other.joints, sizeof( one.joints ) );
		assert_memory_equal( one.weights, other.weights, sizeof( one.weights ) );
		supBones_Destroy( &other.bones );
	}
	supDestroyThreadPool( pool );
	supBones_Destroy( &one.bones );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestChain ),
		cmocka_unit_test( TestMeetingOfSeveral ),
		cmocka_unit_test( TestOutOfMemoryAndNoBones ),
		cmocka_unit_test( TestMotionsAndThreads ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
