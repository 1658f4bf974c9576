// SPDX-License-Identifier: MIT
// Factoring and solving the systems of a skin layer, raced against CHOLMOD where that is installed. CHOLMOD's own
// threads ignore OMP_NUM_THREADS and slow it down: scripts/bench.sh sets OMP_THREAD_LIMIT=1.
#include "bench.h"

#include "../test/linear/systems.h"
#include "core/tasks.h"
#include "linear/conjugate_gradients.h"
#include "linear/factor.h"

#ifdef HAVE_CHOLMOD
#include "../test/linear/oracle.h"
#endif

#define ROUNDS 9
#define SECONDS 0.02

typedef struct Case
{
	char name[64];
	System system;
	supSymbolic symbolic;
	supFactor factor;
	int32_t columns;
	size_t count;
	double* b;
	double* x;
	double* expected;
	void* scratch;
	const supTasks* tasks;
	int32_t refinements;
	supBlockJacobi jacobi;
	supGradientsDef gradients;
} Case;

static FILE* s_csv;

static void Require( bool ok, const supError* error )
{
	if ( ok == false )
	{
		fprintf( stderr, "%s\n", error->message );
		exit( 1 );
	}
}

static void* Allocate( size_t size )
{
	void* memory = malloc( size );
	if ( memory == NULL )
	{
		fprintf( stderr, "out of memory\n" );
		exit( 1 );
	}
	return memory;
}

static void Report( const Case* c, const char* what, int threads, double seconds )
{
	char name[160];
	snprintf( name, sizeof( name ), "%s, %s", c->name, what );
	benchWriteCsv( s_csv, "linear", name, threads, 1e3 * seconds, "ms" );
}

// ---------------------------------------------------------------------------------------------------------------------
// What is measured

static void Analyse( void* context )
{
	Case* c = context;
	supSymbolic symbolic;
	supError error = { 0 };
	Require( supSymbolic_Create( &symbolic, &c->system.matrix, c->system.points, NULL, &error ), &error );
	supSymbolic_Destroy( &symbolic );
}

static void Refactor( void* context )
{
	Case* c = context;
	supFactor_Refactor( &c->factor, &c->system.matrix, c->tasks );
}

static void Solve( void* context )
{
	Case* c = context;
	memcpy( c->x, c->b, c->count * sizeof( double ) );
	supFactor_Solve( &c->factor, c->x, c->columns, c->scratch, c->tasks );
}

static void SolveRefined( void* context )
{
	Case* c = context;
	supFactor_SolveRefined( &c->factor, &c->system.matrix, c->b, c->x, c->columns, c->refinements, c->scratch,
							c->tasks );
}

static void Multiply( void* context )
{
	Case* c = context;
	supBlockMatrix_Multiply( &c->system.matrix, c->b, c->x, c->columns, c->tasks );
}

static void Iterate( void* context )
{
	Case* c = context;
	memset( c->x, 0, c->count * sizeof( double ) );
	supSolveGradients( &c->gradients, c->b, c->x, c->scratch );
}

// The limit of a solve: the factor read twice, each time from front to back.
typedef struct ReadJob
{
	const float* numbers;
	int32_t count;
	const supTasks* tasks;
	double sums[64];
} ReadJob;

static void ReadPiece( int32_t begin, int32_t end, int32_t worker, void* context )
{
	ReadJob* job = context;
	// integers, so that the compiler may add them in any order
	uint32_t sums[16] = { 0 };
	const uint32_t* words = (const void*)job->numbers;
	for ( int32_t i = begin; i + 16 <= end; i += 16 )
	{
		for ( int k = 0; k < 16; ++k )
		{
			sums[k] += words[i + k];
		}
	}
	for ( int k = 0; k < 16; ++k )
	{
		job->sums[worker] += sums[k];
	}
}

static void ReadTwice( void* context )
{
	ReadJob* job = context;
	for ( int pass = 0; pass < 2; ++pass )
	{
		supParallelFor( job->tasks, job->count, 16384, ReadPiece, job );
	}
}

static double Error( const Case* c )
{
	double error = 0.0;
	for ( size_t i = 0; i < c->count; ++i )
	{
		error = fmax( error, fabs( c->x[i] - c->expected[i] ) );
	}
	return error;
}

// ---------------------------------------------------------------------------------------------------------------------

static void RunFactor( Case* c, supPrecision precision, int threads, const supTasks* tasks )
{
	supError error = { 0 };
	supFactorDef def = { precision, false, threads };
	Require( supFactor_Create( &c->factor, &c->symbolic, &def, &error ), &error );
	c->tasks = threads == 1 ? NULL : tasks;
	c->scratch = supAlloc( supFactor_ScratchSize( &c->factor, c->columns, threads ) );
	Require( c->scratch != NULL, &( supError ){ .message = "out of memory" } );
	const char* name = precision == sup_precisionFloat ? "float" : "double";
	double factor = benchTime( Refactor, c, ROUNDS, SECONDS );
	double solve = benchTime( Solve, c, ROUNDS, SECONDS );
	double solveError = Error( c );
	c->refinements = 1;
	double refined = benchTime( SolveRefined, c, ROUNDS, SECONDS );
	double refinedError = Error( c );
	size_t size = precision == sup_precisionFloat ? sizeof( float ) : sizeof( double );
	ReadJob read = {
		c->factor.job.values, (int32_t)( (size_t)c->symbolic.panelCounts[precision] * size / 4 ), c->tasks, { 0 }
	};
	double limit = benchBestTime( ReadTwice, &read, ROUNDS, SECONDS );
	double bytes = 2.0 * (double)c->symbolic.factorCount * (double)size;
	printf( "  %-6s %d thread%s  factor %8.2f ms (%5.1f GFLOP/s)   solve %7.3f ms (%5.1f GB/s, %3.0f %% of reading L, "
			"error %.0e)   refined once %7.3f ms (error %.0e)\n",
			name, threads, threads == 1 ? " " : "s", 1e3 * factor, 1e-9 * c->symbolic.flops / factor, 1e3 * solve,
			1e-9 * bytes / solve, 100.0 * limit / solve, solveError, 1e3 * refined, refinedError );
	char what[64];
	snprintf( what, sizeof( what ), "factor in %s", name );
	Report( c, what, threads, factor );
	snprintf( what, sizeof( what ), "solve in %s", name );
	Report( c, what, threads, solve );
	snprintf( what, sizeof( what ), "solve in %s refined once", name );
	Report( c, what, threads, refined );
	supFree( c->scratch );
	supFactor_Destroy( &c->factor );
}

static void RunGradients( Case* c )
{
	supError error = { 0 };
	Require( supBlockJacobi_Create( &c->jacobi, &c->system.matrix, &error ), &error );
	c->scratch = Allocate( supGradientsScratchCount( c->system.matrix.unknownCount ) * sizeof( double ) );
	c->gradients = ( supGradientsDef ){ c->system.matrix.unknownCount,
										supApplyMatrix,
										&c->system.matrix,
										supApplyBlockJacobi,
										&c->jacobi,
										NULL,
										NULL,
										1e-6,
										10000,
										NULL };
	double time = benchTime( Iterate, c, 3, SECONDS );
	memset( c->x, 0, c->count * sizeof( double ) );
	supGradientsReport report = supSolveGradients( &c->gradients, c->b, c->x, c->scratch );
	printf( "  conjugate gradients, block Jacobi, to 1e-6: %d iterations, %.2f ms, 1 thread\n", report.iterations,
			1e3 * time );
	Report( c, "conjugate gradients to 1e-6", 1, time );
	free( c->scratch );
	supBlockJacobi_Destroy( &c->jacobi );
}

#ifdef HAVE_CHOLMOD
typedef struct Rival
{
	cholmod_common common;
	cholmod_sparse* a;
	cholmod_factor* l;
	cholmod_dense *b, *x, *y, *e;
} Rival;

static void RivalAnalyse( void* context )
{
	Rival* r = context;
	cholmod_factor* l = cholmod_analyze( r->a, &r->common );
	cholmod_free_factor( &l, &r->common );
}

static void RivalFactor( void* context )
{
	Rival* r = context;
	cholmod_factorize( r->a, r->l, &r->common );
}

static void RivalSolve( void* context )
{
	Rival* r = context;
	cholmod_solve2( CHOLMOD_A, r->l, r->b, NULL, &r->x, NULL, &r->y, &r->e, &r->common );
}

static void RunRival( Case* c, int ordering, int kind )
{
	Rival r = { 0 };
	cholmod_start( &r.common );
	r.common.nmethods = 1;
	r.common.method[0].ordering = ordering;
	r.common.supernodal = kind;
	r.a = oracleMakeSparse( &c->system.matrix, &r.common );
	r.b = oracleMakeDense( c->b, c->system.matrix.unknownCount, c->columns, &r.common );
	double analyse = benchTime( RivalAnalyse, &r, 3, SECONDS );
	r.l = cholmod_analyze( r.a, &r.common );
	double factor = benchTime( RivalFactor, &r, 3, SECONDS );
	double solve = benchTime( RivalSolve, &r, ROUNDS, SECONDS );
	char name[64];
	snprintf( name, sizeof( name ), "CHOLMOD %s %s", kind == CHOLMOD_SUPERNODAL ? "supernodal" : "simplicial",
			  ordering == CHOLMOD_AMD ? "AMD" : "METIS" );
	printf( "  %-26s analyse %6.1f ms, %5.2f M numbers, factor %8.2f ms, solve %7.3f ms, 1 thread\n", name,
			1e3 * analyse, 1e-6 * r.common.lnz, 1e3 * factor, 1e3 * solve );
	char what[96];
	snprintf( what, sizeof( what ), "%s factor", name );
	Report( c, what, 1, factor );
	snprintf( what, sizeof( what ), "%s solve", name );
	Report( c, what, 1, solve );
	cholmod_free_dense( &r.b, &r.common );
	cholmod_free_dense( &r.x, &r.common );
	cholmod_free_dense( &r.y, &r.common );
	cholmod_free_dense( &r.e, &r.common );
	cholmod_free_factor( &r.l, &r.common );
	cholmod_free_sparse( &r.a, &r.common );
	cholmod_finish( &r.common );
}
#endif

static void RunCase( Case* c, int32_t nodeSize, const supTasks* tasks )
{
	supError error = { 0 };
	Require( systemMakeMatrix( &c->system, nodeSize, 3.4e4, 1.4e5, 1.0 / 60.0 ), &error );
	Require( supSymbolic_Create( &c->symbolic, &c->system.matrix, c->system.points, NULL, &error ), &error );
	c->columns = nodeSize == 1 ? 3 : 1;
	c->count = (size_t)c->system.matrix.unknownCount * (size_t)c->columns;
	c->b = Allocate( c->count * sizeof( double ) );
	c->x = Allocate( c->count * sizeof( double ) );
	c->expected = Allocate( c->count * sizeof( double ) );
	for ( size_t i = 0; i < c->count; ++i )
	{
		c->expected[i] = sin( 1.0 + (double)i );
	}
	supBlockMatrix_Multiply( &c->system.matrix, c->expected, c->b, c->columns, NULL );
	double analyse = benchTime( Analyse, c, 3, SECONDS );
	c->tasks = NULL;
	double multiply = benchTime( Multiply, c, ROUNDS, SECONDS );
	printf( "%s: %d unknowns, %d right-hand side%s, %d tets\n", c->name, c->system.matrix.unknownCount, c->columns,
			c->columns == 1 ? "" : "s", c->system.tetCount );
	printf( "  analyse %.1f ms, %.2f M numbers in L, %.0f MFLOP to factor; product with A %.3f ms\n", 1e3 * analyse,
			1e-6 * (double)c->symbolic.factorCount, 1e-6 * c->symbolic.flops, 1e3 * multiply );
	Report( c, "analyse", 1, analyse );
	Report( c, "product", 1, multiply );
	for ( int threads = 1; threads <= 2; ++threads )
	{
		RunFactor( c, sup_precisionFloat, threads, tasks );
		RunFactor( c, sup_precisionDouble, threads, tasks );
	}
	if ( c->columns == 1 )
	{
		RunGradients( c );
	}
#ifdef HAVE_CHOLMOD
	RunRival( c, CHOLMOD_AMD, CHOLMOD_SUPERNODAL );
	RunRival( c, CHOLMOD_METIS, CHOLMOD_SUPERNODAL );
	RunRival( c, CHOLMOD_AMD, CHOLMOD_SIMPLICIAL );
#endif
	free( c->b );
	free( c->x );
	free( c->expected );
	supSymbolic_Destroy( &c->symbolic );
	systemDestroy( &c->system );
}

int main( int argumentCount, char** arguments )
{
	s_csv = benchOpenCsv( argumentCount, arguments );
	supThreadPool* pool = supCreateThreadPool( 2 );
	Require( pool != NULL, &( supError ){ .message = "no threads" } );
	const struct
	{
		int32_t rings, around;
	} sizes[] = { { 55, 25 }, { 100, 42 } };
	for ( int i = 0; i < 4; ++i )
	{
		int32_t nodeSize = i % 2 == 0 ? 3 : 1;
		Case c = { 0 };
		systemMakeSkin( &c.system, sizes[i / 2].rings, sizes[i / 2].around );
		snprintf( c.name, sizeof( c.name ), "skin layer of %d nodes, %s", c.system.nodeCount,
				  nodeSize == 3 ? "3x3 blocks" : "scalar" );
		RunCase( &c, nodeSize, supThreadPool_Tasks( pool ) );
	}
	Case solid = { .name = "solid block of 4225 nodes, 3x3 blocks" };
	systemMakeBlock( &solid.system, 12, 12, 24 );
	RunCase( &solid, 3, supThreadPool_Tasks( pool ) );
	supDestroyThreadPool( pool );
	if ( s_csv != NULL )
	{
		fclose( s_csv );
	}
	return 0;
}
