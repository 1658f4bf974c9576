// SPDX-License-Identifier: MIT
// Conjugate gradients against the factor, with and without constraints.
#include "qr.h"
#include "support.h"

#include "core/hash.h"
#include "linear/conjugate_gradients.h"
#include "linear/factor.h"
#include "systems.h"

typedef struct Case
{
	System system;
	supBlockJacobi jacobi;
	int32_t n;
	double* b;
	double* x;
	double* expected;
	double* scratch;
} Case;

static void MakeCase( Case* c )
{
	memset( c, 0, sizeof( *c ) );
	systemMakeBlock( &c->system, 4, 4, 8 );
	assert_true( systemMakeMatrix( &c->system, 3, 3.0e4, 1.0e5, 1.0 / 60.0 ) );
	assert_true( supBlockJacobi_Create( &c->jacobi, &c->system.matrix, NULL ) );
	c->n = c->system.matrix.unknownCount;
	size_t size = (size_t)c->n * sizeof( double );
	c->b = malloc( size );
	c->x = malloc( size );
	c->expected = malloc( size );
	c->scratch = malloc( supGradientsScratchCount( c->n ) * sizeof( double ) );
	assert_true( c->b != NULL && c->x != NULL && c->expected != NULL && c->scratch != NULL );
	for ( int32_t i = 0; i < c->n; ++i )
	{
		c->expected[i] = sin( 1.0 + i );
		c->x[i] = 0.0;
	}
	supBlockMatrix_Multiply( &c->system.matrix, c->expected, c->b, 1, NULL );
}

static void DestroyCase( Case* c )
{
	free( c->b );
	free( c->x );
	free( c->expected );
	free( c->scratch );
	supBlockJacobi_Destroy( &c->jacobi );
	systemDestroy( &c->system );
}

static supGradientsDef MakeDef( Case* c )
{
	return ( supGradientsDef ){ .unknownCount = c->n,
								.apply = supApplyMatrix,
								.applyContext = &c->system.matrix,
								.precondition = supApplyBlockJacobi,
								.preconditionContext = &c->jacobi,
								.tolerance = 1.0e-12,
								.maxIterations = 2000 };
}

static void TestSolves( void** state )
{
	(void)state;
	Case c;
	MakeCase( &c );
	int32_t iterations[2];
	for ( int run = 0; run < 2; ++run )
	{
		supGradientsDef def = MakeDef( &c );
		def.precondition = run == 0 ? NULL : def.precondition;
		memset( c.x, 0, (size_t)c.n * sizeof( double ) );
		supGradientsReport report = supSolveGradients( &def, c.b, c.x, c.scratch );
		assert_true( report.converged && report.indefinite == false && report.residual <= 1.0e-12 );
		for ( int32_t i = 0; i < c.n; ++i )
		{
			testLess( fabs( c.x[i] - c.expected[i] ), 1.0e-8 );
		}
		iterations[run] = report.iterations;
		// from the solution there is nothing to do
		report = supSolveGradients( &def, c.b, c.expected, c.scratch );
		assert_int_equal( report.iterations, 0 );
	}
	testLess( iterations[1], iterations[0] );

	// too few iterations are reported
	supGradientsDef def = MakeDef( &c );
	def.maxIterations = 3;
	memset( c.x, 0, (size_t)c.n * sizeof( double ) );
	supGradientsReport report = supSolveGradients( &def, c.b, c.x, c.scratch );
	assert_true( report.converged == false && report.iterations == 3 && report.residual > 1.0e-12 );
	DestroyCase( &c );
}

// Nothing on the right: nothing.
static void TestZero( void** state )
{
	(void)state;
	Case c;
	MakeCase( &c );
	memset( c.b, 0, (size_t)c.n * sizeof( double ) );
	c.x[5] = 3.0;
	supGradientsDef def = MakeDef( &c );
	supGradientsReport report = supSolveGradients( &def, c.b, c.x, c.scratch );
	assert_true( report.converged && c.x[5] == 0.0 );
	DestroyCase( &c );
}

static void TestNotDefinite( void** state )
{
	(void)state;
	Case c;
	MakeCase( &c );
	for ( int32_t i = 0; i < 9; ++i )
	{
		supBlockMatrix_Block( &c.system.matrix, supBlockMatrix_Find( &c.system.matrix, 11, 11 ) )[i] *= -50.0;
	}
	assert_int_equal( supBlockJacobi_Update( &c.jacobi ), 1 );
	supGradientsDef def = MakeDef( &c );
	supGradientsReport report = supSolveGradients( &def, c.b, c.x, c.scratch );
	assert_true( report.indefinite && report.converged == false );
	for ( int32_t i = 0; i < c.n; ++i )
	{
		assert_true( isfinite( c.x[i] ) );
	}
	// no number ends it at once
	c.b[3] = NAN;
	report = supSolveGradients( &def, c.b, c.x, c.scratch );
	assert_true( report.converged == false && report.iterations <= 1 );
	DestroyCase( &c );
}

// Minimising 1/2 xt A x - bt x under C x = a: constraints hold, and at the minimum the gradient is a combination of
// constraints (Lagrange).
static void TestConstrained( void** state )
{
	(void)state;
	Case c;
	MakeCase( &c );
	// three points are held in space, and the mean of three others
	int32_t starts[13] = { 0 }, unknowns[100];
	double values[100], targets[12];
	int32_t at = 0;
	for ( int32_t k = 0; k < 12; ++k )
	{
		int32_t axis = k % 3, group = k / 3;
		for ( int32_t i = 0; i < ( group == 3 ? 3 : 1 ); ++i )
		{
			unknowns[at] = 3 * ( 40 * group + 7 * i ) + axis;
			values[at++] = group == 3 ? 0.4 : 2.0;
		}
		starts[k + 1] = at;
		targets[k] = 0.1 * k - 0.3;
	}
	testQr qr;
	assert_true( testQr_Create( &qr, c.n, 12, 40, NULL ) );
	assert_true( testQr_Factor( &qr, 12, starts, unknowns, values, 1.0e-9 ) );
	assert_int_equal( qr.rank, 12 );
	memset( c.x, 0, (size_t)c.n * sizeof( double ) );
	assert_int_equal( testQr_Fulfil( &qr, targets, 1.0e-9, c.x ), 0 );
	supGradientsDef def = MakeDef( &c );
	def.project = testQr_Project;
	def.projectContext = &qr;
	supGradientsReport report = supSolveGradients( &def, c.b, c.x, c.scratch );
	assert_true( report.converged );
	// constraints hold, and the residual is a combination of constraints: nothing is left when they are projected out
	double* residual = c.expected;
	supBlockMatrix_Multiply( &c.system.matrix, c.x, residual, 1, NULL );
	double size = 0.0;
	for ( int32_t i = 0; i < c.n; ++i )
	{
		residual[i] -= c.b[i];
		size = fmax( size, fabs( residual[i] ) );
	}
	testQr_Project( residual, &qr );
	for ( int32_t i = 0; i < c.n; ++i )
	{
		testLess( fabs( residual[i] ), 1.0e-9 * size );
	}
	for ( int32_t k = 0; k < 12; ++k )
	{
		double sum = -targets[k];
		for ( int32_t i = starts[k]; i < starts[k + 1]; ++i )
		{
			sum += values[i] * c.x[unknowns[i]];
		}
		testLess( fabs( sum ), 1.0e-12 );
	}
	testQr_Destroy( &qr );
	DestroyCase( &c );
}

static void TestThreads( void** state )
{
	(void)state;
	Case c;
	MakeCase( &c );
	uint64_t expected = 0;
	for ( int32_t threads = 1; threads <= 3; ++threads )
	{
		supThreadPool* pool = supCreateThreadPool( threads );
		supGradientsDef def = MakeDef( &c );
		def.tasks = threads == 1 ? NULL : supThreadPool_Tasks( pool );
		memset( c.x, 0, (size_t)c.n * sizeof( double ) );
		supSolveGradients( &def, c.b, c.x, c.scratch );
		uint64_t hash = supHashBytes( SUP_HASH_SEED, c.x, (size_t)c.n * sizeof( double ) );
		assert_true( threads == 1 || hash == expected );
		expected = hash;
		supDestroyThreadPool( pool );
	}
	DestroyCase( &c );
}

static bool AttemptCreate( void* context )
{
	const supBlockMatrix* matrix = context;
	supBlockJacobi jacobi;
	supError error = { 0 };
	bool ok = supBlockJacobi_Create( &jacobi, matrix, &error );
	assert_int_equal( error.code, ok ? sup_errorNone : sup_errorMemory );
	supBlockJacobi_Destroy( &jacobi );
	return ok;
}

static void TestAllocationFailures( void** state )
{
	(void)state;
	Case c;
	MakeCase( &c );
	testEachAllocationFailure( AttemptCreate, &c.system.matrix, 20 );
	DestroyCase( &c );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSolves ),      cmocka_unit_test( TestZero ),
		cmocka_unit_test( TestNotDefinite ), cmocka_unit_test( TestConstrained ),
		cmocka_unit_test( TestThreads ),     cmocka_unit_test( TestAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
