// SPDX-License-Identifier: MIT
// Wide floats lane by lane against scalar arithmetic, bit for bit; the choice of the instruction set.
#include "support.h"

#include "core/wide.h"

#include <float.h>
#include <string.h>

// What arithmetic trips over, and ordinary numbers. An odd count, so that neighbours meet in every combination.
static const float s_values[] = {
	0.0f,      -0.0f,   1.0f,     -1.0f,   0.1f,     3.14159f,  -2.5e-7f, 1.0e30f,     -1.0e30f,     1.0e-38f, 1.0e-42f,
	-1.0e-45f, FLT_MAX, -FLT_MAX, FLT_MIN, INFINITY, -INFINITY, NAN,      16777217.0f, 0.333333343f, 7.0f,
};

static void CheckLane( float wide, float scalar )
{
	bool bothNan = wide != wide && scalar != scalar;
	if ( bothNan == false )
	{
		assert_memory_equal( &wide, &scalar, sizeof( float ) );
	}
}

static void Gather( int offset, int step, float lanes[8] )
{
	for ( int i = 0; i < 8; ++i )
	{
		lanes[i] = s_values[( offset + i * step ) % SUP_COUNT( s_values )];
	}
}

static void CheckPair( const float* x, const float* y )
{
	supFloat8 a = supLoad8( x );
	supFloat8 b = supLoad8( y );
	supFloat8 sum = a + b, difference = a - b, product = a * b, quotient = a / b, scaled = a * 2.0f;
	supFloat8 mixed = a * b + a;
	supFloat8 least = supMin8( a, b ), most = supMax8( a, b ), chosen = supSelect8( a <= b, a, b );
	supInt8 less = a < b;
	for ( int i = 0; i < 8; ++i )
	{
		CheckLane( sum[i], x[i] + y[i] );
		CheckLane( difference[i], x[i] - y[i] );
		CheckLane( product[i], x[i] * y[i] );
		CheckLane( quotient[i], x[i] / y[i] );
		CheckLane( scaled[i], x[i] * 2.0f );
		// two roundings: no contraction
		volatile float rounded = x[i] * y[i];
		CheckLane( mixed[i], rounded + x[i] );
		CheckLane( least[i], supMinFloat( x[i], y[i] ) );
		CheckLane( most[i], supMaxFloat( x[i], y[i] ) );
		CheckLane( chosen[i], x[i] <= y[i] ? x[i] : y[i] );
		assert_int_equal( less[i], x[i] < y[i] ? -1 : 0 );
		assert_int_equal( supMaskBits8( less ) >> i & 1, x[i] < y[i] );
		assert_int_equal( supMaskBits8( less ) >> 8, 0 );
	}
}

static void TestArithmeticLaneByLane( void** state )
{
	(void)state;
	for ( int i = 0; i < SUP_COUNT( s_values ); ++i )
	{
		for ( int step = 1; step < SUP_COUNT( s_values ); ++step )
		{
			float x[8], y[8];
			Gather( i, 1, x );
			Gather( i + 3, step, y );
			CheckPair( x, y );
		}
	}
}

static void TestLoadStoreAnywhere( void** state )
{
	(void)state;
	float source[32], target[32];
	for ( int offset = 0; offset < 16; ++offset )
	{
		for ( int i = 0; i < 32; ++i )
		{
			source[i] = (float)( i * i + offset );
			target[i] = -1.0f;
		}
		supStore8( target + offset + 1, supLoad8( source + offset ) );
		supStore4( target + offset + 9, supLoad4( source + offset + 2 ) );
		for ( int i = 0; i < 32; ++i )
		{
			int lane = i - offset - 1;
			float expected = lane >= 0 && lane < 8 ? source[offset + lane] : -1.0f;
			expected = lane >= 8 && lane < 12 ? source[offset + 2 + lane - 8] : expected;
			CheckLane( target[i], expected );
		}
	}
}

static void TestSplatHalvesAndSum( void** state )
{
	(void)state;
	for ( int offset = 0; offset < SUP_COUNT( s_values ); ++offset )
	{
		float x[8];
		Gather( offset, 2, x );
		supFloat8 a = supLoad8( x );
		supFloat8 splat8 = supSplat8( x[3] );
		supFloat4 splat4 = supSplat4( x[3] ), low = supLow4( a ), high = supHigh4( a );
		for ( int i = 0; i < 8; ++i )
		{
			CheckLane( splat8[i], x[3] );
			CheckLane( splat4[i % 4], x[3] );
			CheckLane( i < 4 ? low[i] : high[i - 4], x[i] );
		}
		float expected = ( ( x[0] + x[4] ) + ( x[2] + x[6] ) ) + ( ( x[1] + x[5] ) + ( x[3] + x[7] ) );
		CheckLane( supSum8( a ), expected );
	}
}

static void TestSquareRoots( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	for ( int round = 0; round < 10000; ++round )
	{
		float x[8];
		for ( int i = 0; i < 8; ++i )
		{
			// every bit pattern that is not negative, NaN included
			uint32_t bits = testRandomInt( &random, 0x7FFFFFFFu );
			memcpy( x + i, &bits, 4 );
		}
		supFloat8 eight = supSqrt8( supLoad8( x ) );
		supFloat4 four = supSqrt4( supLoad4( x + 2 ) );
		for ( int i = 0; i < 8; ++i )
		{
			CheckLane( eight[i], sqrtf( x[i] ) );
			CheckLane( four[i % 4], sqrtf( x[2 + i % 4] ) );
		}
	}
}

static void TestChoiceOfInstructionSet( void** state )
{
	(void)state;
	supInstructionSet best = supGetInstructionSet();
	assert_false( supSetInstructionSet( (supInstructionSet)77 ) );
	assert_int_equal( supGetInstructionSet(), best );
	for ( int set = sup_instructionsBaseline; set <= (int)best; ++set )
	{
		assert_true( supSetInstructionSet( (supInstructionSet)set ) );
		assert_int_equal( supGetInstructionSet(), set );
	}
	supSetInstructionSet( best );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestArithmeticLaneByLane ),   cmocka_unit_test( TestLoadStoreAnywhere ),
		cmocka_unit_test( TestSplatHalvesAndSum ),      cmocka_unit_test( TestSquareRoots ),
		cmocka_unit_test( TestChoiceOfInstructionSet ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
