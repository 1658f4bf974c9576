// SPDX-License-Identifier: MIT
// Constraints by QR against LAPACK's least squares.
#include "qr.h"
#include "support.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWNS 300
#define MOST 80
#define ENTRIES 8

typedef struct Constraints
{
	int32_t count;
	int32_t starts[MOST + 1];
	int32_t unknowns[MOST * ENTRIES];
	double values[MOST * ENTRIES];
	double targets[MOST];
} Constraints;

// Random rows of different lengths and units.
static void MakeConstraints( Constraints* c, int32_t count, uint64_t seed )
{
	testRandom random = testMakeRandom( seed );
	c->count = count;
	c->starts[0] = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t entries = 1 + (int32_t)testRandomInt( &random, ENTRIES );
		double unit = i % 3 == 0 ? 1.0e6 : ( i % 3 == 1 ? 1.0 : 1.0e-7 );
		for ( int32_t k = c->starts[i]; k < c->starts[i] + entries; ++k )
		{
			c->unknowns[k] = (int32_t)testRandomInt( &random, UNKNOWNS );
			c->values[k] = unit * testRandomFloat( &random, -1.0f, 1.0f );
		}
		c->starts[i + 1] = c->starts[i] + entries;
		c->targets[i] = unit * testRandomFloat( &random, -1.0f, 1.0f );
	}
}

static double Error( const Constraints* c, int32_t i, const double* x )
{
	double sum = -c->targets[i], size = fabs( c->targets[i] );
	for ( int32_t k = c->starts[i]; k < c->starts[i + 1]; ++k )
	{
		sum += c->values[k] * x[c->unknowns[k]];
		size += fabs( c->values[k] * x[c->unknowns[k]] );
	}
	return size > 0.0 ? fabs( sum ) / size : 0.0;
}

// The shortest x that fulfils them, from LAPACK.
static void SolveByLapack( const Constraints* c, double* x )
{
	double* dense = calloc( MOST * UNKNOWNS, sizeof( double ) );
	assert_non_null( dense );
	double b[UNKNOWNS] = { 0 };
	for ( int32_t i = 0; i < c->count; ++i )
	{
		double length = 0.0;
		for ( int32_t k = c->starts[i]; k < c->starts[i + 1]; ++k )
		{
			length = fmax( length, fabs( c->values[k] ) );
		}
		for ( int32_t k = c->starts[i]; k < c->starts[i + 1]; ++k )
		{
			dense[c->unknowns[k] * c->count + i] += c->values[k] / length;
		}
		b[i] = c->targets[i] / length;
	}
	lapack_int rank, pivots[UNKNOWNS] = { 0 };
	assert_int_equal(
		LAPACKE_dgelsy( LAPACK_COL_MAJOR, c->count, UNKNOWNS, 1, dense, c->count, b, UNKNOWNS, pivots, 1.0e-9, &rank ),
		0 );
	memcpy( x, b, sizeof( b ) );
	free( dense );
}

static void TestShortest( void** state )
{
	(void)state;
	testQr qr;
	assert_true( testQr_Create( &qr, UNKNOWNS, MOST, UNKNOWNS, NULL ) );
	for ( int32_t count = 0; count <= MOST; count += 16 )
	{
		Constraints c;
		MakeConstraints( &c, count, 5 + (uint64_t)count );
		assert_true( testQr_Factor( &qr, c.count, c.starts, c.unknowns, c.values, 1.0e-9 ) );
		assert_int_equal( qr.rank, count );
		double x[UNKNOWNS] = { 0 }, expected[UNKNOWNS] = { 0 };
		assert_int_equal( testQr_Fulfil( &qr, c.targets, 1.0e-9, x ), 0 );
		if ( count > 0 )
		{
			SolveByLapack( &c, expected );
		}
		for ( int32_t i = 0; i < UNKNOWNS; ++i )
		{
			testLess( fabs( x[i] - expected[i] ), 1.0e-11 );
		}
		for ( int32_t i = 0; i < count; ++i )
		{
			assert_int_equal( qr.states[i], test_constraintIndependent );
			testLess( Error( &c, i, x ), 1.0e-12 );
		}
	}
	testQr_Destroy( &qr );
}

// From anywhere: constraints hold, and the way there is made of constraints alone. Projecting takes just these out.
static void TestNearest( void** state )
{
	(void)state;
	Constraints c;
	MakeConstraints( &c, 40, 9 );
	testQr qr;
	assert_true( testQr_Create( &qr, UNKNOWNS, 40, UNKNOWNS, NULL ) );
	assert_true( testQr_Factor( &qr, c.count, c.starts, c.unknowns, c.values, 1.0e-9 ) );
	double x[UNKNOWNS], way[UNKNOWNS], before[UNKNOWNS];
	testRandom random = testMakeRandom( 2 );
	for ( int32_t i = 0; i < UNKNOWNS; ++i )
	{
		x[i] = way[i] = before[i] = testRandomFloat( &random, -1.0f, 1.0f );
	}
	testQr_Fulfil( &qr, c.targets, 1.0e-9, x );
	for ( int32_t i = 0; i < UNKNOWNS; ++i )
	{
		way[i] = x[i] - way[i];
	}
	testQr_Project( way, &qr );
	testQr_Project( before, &qr );
	double twice[UNKNOWNS];
	memcpy( twice, before, sizeof( twice ) );
	testQr_Project( twice, &qr );
	for ( int32_t i = 0; i < UNKNOWNS; ++i )
	{
		testLess( fabs( way[i] ), 1.0e-13 );
		testLess( fabs( twice[i] - before[i] ), 1.0e-14 );
	}
	for ( int32_t i = 0; i < c.count; ++i )
	{
		// nothing is left along a constraint, whose unknowns were of size 1 before
		double sum = 0.0, size = 0.0;
		for ( int32_t k = c.starts[i]; k < c.starts[i + 1]; ++k )
		{
			sum += c.values[k] * before[c.unknowns[k]];
			size += fabs( c.values[k] );
		}
		testLess( fabs( sum ), 1.0e-14 * size );
	}
	testQr_Destroy( &qr );
}

// Constraint 10 is 3 times constraint 4 minus constraint 7; 11 the same with another target; 12 has no length.
static void TestConflicts( void** state )
{
	(void)state;
	Constraints c;
	MakeConstraints( &c, 10, 11 );
	for ( int32_t i = 10; i < 12; ++i )
	{
		int32_t at = c.starts[i];
		for ( int part = 0; part < 2; ++part )
		{
			int32_t other = part == 0 ? 4 : 7;
			for ( int32_t k = c.starts[other]; k < c.starts[other + 1]; ++k )
			{
				c.unknowns[at] = c.unknowns[k];
				c.values[at++] = ( part == 0 ? 3.0 : -1.0 ) * c.values[k];
			}
		}
		c.starts[i + 1] = at;
		c.targets[i] = 3.0 * c.targets[4] - c.targets[7] + ( i == 11 ? 0.5 : 0.0 );
	}
	c.starts[13] = c.starts[12];
	c.targets[12] = 0.0;
	c.count = 13;
	testQr qr;
	assert_true( testQr_Create( &qr, UNKNOWNS, MOST, UNKNOWNS, NULL ) );
	assert_true( testQr_Factor( &qr, c.count, c.starts, c.unknowns, c.values, 1.0e-9 ) );
	assert_int_equal( qr.rank, 10 );
	double x[UNKNOWNS] = { 0 };
	assert_int_equal( testQr_Fulfil( &qr, c.targets, 1.0e-9, x ), 1 );
	int32_t conflicts = 0;
	for ( int32_t i = 0; i < c.count; ++i )
	{
		// of 4, 7, 10 and 11 two take part, whichever
		bool related = i == 4 || i == 7 || i == 10 || i == 11;
		conflicts += qr.states[i] == test_constraintConflict;
		assert_true( related || qr.states[i] == ( i == 12 ? test_constraintDependent : test_constraintIndependent ) );
		assert_true( qr.states[i] == test_constraintConflict || Error( &c, i, x ) < 1.0e-12 );
	}
	assert_int_equal( conflicts, 1 );
	// without length but with a target
	c.targets[11] -= 0.5;
	c.targets[12] = 1.0;
	assert_int_equal( testQr_Fulfil( &qr, c.targets, 1.0e-9, x ), 1 );
	assert_int_equal( qr.states[12], test_constraintConflict );
	testQr_Destroy( &qr );
}

// More than there is room for: refused, nothing constrained.
static void TestTooMany( void** state )
{
	(void)state;
	Constraints c;
	MakeConstraints( &c, 20, 12 );
	testQr qr;
	assert_true( testQr_Create( &qr, UNKNOWNS, 20, 30, NULL ) );
	assert_false( testQr_Factor( &qr, c.count, c.starts, c.unknowns, c.values, 1.0e-9 ) );
	double x[UNKNOWNS] = { 1.0 };
	testQr_Project( x, &qr );
	assert_true( x[0] == 1.0 && qr.rank == 0 );
	assert_true( testQr_Factor( &qr, 3, c.starts, c.unknowns, c.values, 1.0e-9 ) );
	assert_int_equal( qr.rank, 3 );
	testQr_Destroy( &qr );
	// more constraints than unknowns
	int32_t starts[4] = { 0, 1, 2, 3 }, unknowns[3] = { 0, 0, 0 };
	double values[3] = { 1.0, 2.0, 3.0 }, targets[3] = { 1.0, 2.0, 4.0 };
	assert_true( testQr_Create( &qr, 1, 3, 1, NULL ) );
	assert_true( testQr_Factor( &qr, 3, starts, unknowns, values, 1.0e-9 ) );
	assert_int_equal( qr.rank, 1 );
	assert_int_equal( testQr_Fulfil( &qr, targets, 1.0e-9, x ), 1 );
	testQr_Destroy( &qr );
}

static bool AttemptCreate( void* context )
{
	(void)context;
	testQr qr;
	supError error = { 0 };
	bool ok = testQr_Create( &qr, UNKNOWNS, MOST, UNKNOWNS, &error );
	assert_int_equal( error.code, ok ? sup_errorNone : sup_errorMemory );
	testQr_Destroy( &qr );
	return ok;
}

static void TestAllocations( void** state )
{
	(void)state;
	testEachAllocationFailure( AttemptCreate, NULL, 50 );
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	Constraints c;
	MakeConstraints( &c, 20, 12 );
	testQr qr;
	assert_true( testQr_Create( &qr, UNKNOWNS, 20, UNKNOWNS, NULL ) );
	heap.allocations = 0;
	double x[UNKNOWNS] = { 0 };
	testQr_Factor( &qr, c.count, c.starts, c.unknowns, c.values, 1.0e-9 );
	testQr_Fulfil( &qr, c.targets, 1.0e-9, x );
	testQr_Project( x, &qr );
	assert_int_equal( heap.allocations, 0 );
	testQr_Destroy( &qr );
	testUninstallHeap( &heap );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestShortest ), cmocka_unit_test( TestNearest ),     cmocka_unit_test( TestConflicts ),
		cmocka_unit_test( TestTooMany ),  cmocka_unit_test( TestAllocations ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
