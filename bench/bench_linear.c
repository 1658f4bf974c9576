// SPDX-License-Identifier: MIT
// Factoring and solving the systems of a skin layer, raced against CHOLMOD where that is installed. CHOLMOD's own
// threads ignore OMP_NUM_THREADS and slow it down: scripts/bench.sh sets OMP_THREAD_LIMIT=1. Times are the best of
// several rounds, for the rivals too; on one thread they are processor time, so that other programs disturb them less.
#include "bench.h"

#include "../test/linear/systems.h"
#include "core/tasks.h"
#include "linear/conjugate_gradients.h"
#include "linear/factor.h"

#ifdef HAVE_CHOLMOD
#include "../test/linear/oracle.h"
#endif

#define ROUNDS 40
#define FACTOR_ROUNDS 6
#define LEAST_SECONDS 0.0002

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

static double Now( int threads )
{
	struct timespec t;
	clock_gettime( threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t );
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Seconds of one call in the best of several rounds.
static double Best( benchFcn* function, void* context, int rounds, int threads )
{
	int calls = 1;
	double best = 1e9;
	for ( int i = 0; i <= rounds; ++i )
	{
		double start = Now( threads );
		for ( int k = 0; k < calls; ++k )
		{
			function( context );
		}
		double time = ( Now( threads ) - start ) / calls;
		if ( i == 0 )
		{
			calls = time < LEAST_SECONDS ? (int)( LEAST_SECONDS / ( time + 1e-9 ) ) + 1 : 1;
			continue;
		}
		best = time < best ? time : best;
	}
	return best;
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
	benchRequire( supSymbolic_Create( &symbolic, &c->system.matrix, c->system.points, NULL, &error ), &error );
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
	benchRequire( supFactor_Create( &c->factor, &c->symbolic, &def, &error ), &error );
	c->tasks = threads == 1 ? NULL : tasks;
	c->scratch = supAlloc( supFactor_ScratchSize( &c->factor, c->columns, threads ) );
	benchRequire( c->scratch != NULL, &( supError ){ .message = "out of memory" } );
	const char* name = precision == sup_precisionFloat ? "float" : "double";
	double factor = Best( Refactor, c, FACTOR_ROUNDS, threads );
	double solve = Best( Solve, c, ROUNDS, threads );
	double solveError = Error( c );
	c->refinements = 1;
	double refined = Best( SolveRefined, c, ROUNDS, threads );
	double refinedError = Error( c );
	size_t size = precision == sup_precisionFloat ? sizeof( float ) : sizeof( double );
	ReadJob read = {
		c->factor.job.values, (int32_t)( (size_t)c->symbolic.panelCounts[precision] * size / 4 ), c->tasks, { 0 }
	};
	double limit = Best( ReadTwice, &read, ROUNDS, threads );
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
	benchRequire( supBlockJacobi_Create( &c->jacobi, &c->system.matrix, &error ), &error );
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
	double time = Best( Iterate, c, FACTOR_ROUNDS, 1 );
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
	double analyse = Best( RivalAnalyse, &r, FACTOR_ROUNDS, 1 );
	r.l = cholmod_analyze( r.a, &r.common );
	double factor = Best( RivalFactor, &r, FACTOR_ROUNDS, 1 );
	double solve = Best( RivalSolve, &r, ROUNDS, 1 );
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
	benchRequire( systemMakeMatrix( &c->system, nodeSize, 3.4e4, 1.4e5, 1.0 / 60.0 ), &error );
	benchRequire( supSymbolic_Create( &c->symbolic, &c->system.matrix, c->system.points, NULL, &error ), &error );
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
	double analyse = Best( Analyse, c, FACTOR_ROUNDS, 1 );
	c->tasks = NULL;
	double multiply = Best( Multiply, c, ROUNDS, 1 );
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

// ---------------------------------------------------------------------------------------------------------------------
// How much of a solution is right, by the contrast between stiff and soft: half of the body is stiffer.

static void RunPrecision( double contrast )
{
	Case c = { .columns = 1 };
	supError error = { 0 };
	systemMakeSkin( &c.system, 55, 25 );
	benchRequire( systemMakeMatrix( &c.system, 3, 3.4e4, 1.4e5, 1.0 / 60.0 ), &error );
	supBlockMatrix* m = &c.system.matrix;
	supElements elements = { c.system.tetCount, 4, NULL, c.system.tets };
	supAssembly assembly;
	benchRequire( supAssembly_Create( &assembly, m, &elements, &error ), &error );
	double* soft = systemElementMatrices( &c.system, 3, 3.4e4, 1.4e5, 1.0 / 60.0 );
	double* stiff = systemElementMatrices( &c.system, 3, 3.4e4 * contrast, 1.4e5 * contrast, 1.0 / 60.0 );
	for ( int32_t i = 0; i < c.system.tetCount / 2; ++i )
	{
		memcpy( soft + 144 * (size_t)i, stiff + 144 * (size_t)i, 144 * sizeof( double ) );
	}
	supBlockMatrix_SetZero( m );
	supBlockMatrix_AddElements( m, &assembly, soft, NULL );
	benchRequire( supSymbolic_Create( &c.symbolic, m, c.system.points, NULL, &error ), &error );
	c.count = (size_t)m->unknownCount;
	c.b = Allocate( c.count * sizeof( double ) );
	c.x = Allocate( c.count * sizeof( double ) );
	c.expected = Allocate( c.count * sizeof( double ) );
	for ( size_t i = 0; i < c.count; ++i )
	{
		c.expected[i] = sin( 1.0 + (double)i );
	}
	supBlockMatrix_Multiply( m, c.expected, c.b, 1, NULL );
	printf( "  stiffness times %-7.0g", contrast );
	for ( int precision = 0; precision < 2; ++precision )
	{
		supFactorDef def = { (supPrecision)precision, false, 1 };
		benchRequire( supFactor_Create( &c.factor, &c.symbolic, &def, &error ), &error );
		supFactorReport report = supFactor_Refactor( &c.factor, m, NULL );
		c.scratch = supAlloc( supFactor_ScratchSize( &c.factor, 1, 1 ) );
		benchRequire( c.scratch != NULL, &( supError ){ .message = "out of memory" } );
		printf( " | %s%s:", precision == 0 ? "float" : "double", report.ok ? "" : " (pivots replaced)" );
		for ( c.refinements = 0; c.refinements <= ( precision == 0 ? 3 : 1 ); ++c.refinements )
		{
			SolveRefined( &c );
			printf( " %.0e", Error( &c ) );
		}
		supFree( c.scratch );
		supFactor_Destroy( &c.factor );
	}
	printf( "\n" );
	free( soft );
	free( stiff );
	free( c.b );
	free( c.x );
	free( c.expected );
	supAssembly_Destroy( &assembly );
	supSymbolic_Destroy( &c.symbolic );
	systemDestroy( &c.system );
}

// ---------------------------------------------------------------------------------------------------------------------
// Bones with the multipliers of ball joints, refactored each step

static void RunSkeleton( int32_t boneCount )
{
	Case c = { .columns = 1 };
	supError error = { 0 };
	int32_t* sizes = Allocate( (size_t)boneCount * sizeof( int32_t ) );
	int32_t* pairs = Allocate( 2 * (size_t)boneCount * sizeof( int32_t ) );
	for ( int32_t i = 0; i < boneCount; ++i )
	{
		sizes[i] = i == 0 ? 6 : 9;
		pairs[2 * i] = i;
		pairs[2 * i + 1] = i == 0 ? -1 : ( i % 7 == 0 ? i / 2 : i - 1 );
	}
	supElements elements = { boneCount, 2, NULL, pairs };
	supBlockMatrix* m = &c.system.matrix;
	benchRequire( supBlockMatrix_Create( m, boneCount, 0, sizes, &elements, &error ), &error );
	for ( int32_t i = 0; i < boneCount; ++i )
	{
		int32_t n = sizes[i];
		double own[81] = { 0 }, other[81] = { 0 };
		for ( int32_t k = 0; k < 6; ++k )
		{
			own[k * n + k] = k < 3 ? 2.0 : 0.02;
			for ( int32_t row = 6; row < n; ++row )
			{
				own[k * n + row] = own[row * n + k] = k == row - 6 ? 1.0 : ( k < 3 ? 0.0 : 0.1 * sin( i + k + row ) );
				other[k * n + row] = k == row - 6 ? -1.0 : ( k < 3 ? 0.0 : 0.1 * cos( i + k + row ) );
			}
		}
		supBlockMatrix_AddBlock( m, i, i, own );
		if ( i > 0 )
		{
			supBlockMatrix_AddBlock( m, i, pairs[2 * i + 1], other );
		}
	}
	benchRequire( supSymbolic_Create( &c.symbolic, m, NULL, NULL, &error ), &error );
	supFactorDef def = { sup_precisionDouble, true, 1 };
	benchRequire( supFactor_Create( &c.factor, &c.symbolic, &def, &error ), &error );
	supFactorReport report = supFactor_Refactor( &c.factor, m, NULL );
	c.count = (size_t)m->unknownCount;
	c.b = Allocate( c.count * sizeof( double ) );
	c.x = Allocate( c.count * sizeof( double ) );
	memset( c.b, 0, c.count * sizeof( double ) );
	c.scratch = supAlloc( supFactor_ScratchSize( &c.factor, 1, 1 ) );
	benchRequire( c.scratch != NULL && report.ok, &( supError ){ .message = "the skeleton is singular" } );
	double factor = Best( Refactor, &c, ROUNDS, 1 );
	double solve = Best( Solve, &c, ROUNDS, 1 );
	snprintf( c.name, sizeof( c.name ), "%d bones with ball joints", boneCount );
	printf( "%s: %d unknowns, indefinite, double: factor %.1f us, solve %.1f us, 1 thread\n", c.name, m->unknownCount,
			1e6 * factor, 1e6 * solve );
	Report( &c, "factor in double", 1, factor );
	Report( &c, "solve in double", 1, solve );
	supFree( c.scratch );
	free( c.b );
	free( c.x );
	free( sizes );
	free( pairs );
	supFactor_Destroy( &c.factor );
	supSymbolic_Destroy( &c.symbolic );
	systemDestroy( &c.system );
}

int main( int argumentCount, char** arguments )
{
	s_csv = benchOpenCsv( argumentCount, arguments );
	supThreadPool* pool = supCreateThreadPool( 2 );
	benchRequire( pool != NULL, &( supError ){ .message = "no threads" } );
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
	RunSkeleton( 34 );
	RunSkeleton( 100 );
	printf(
		"largest error of a solution of size 1, after 0, 1, ... rounds of refinement; skin layer, half of it stiffer\n" );
	for ( double contrast = 1.0; contrast < 2e8; contrast *= 100.0 )
	{
		RunPrecision( contrast );
	}
	supDestroyThreadPool( pool );
	if ( s_csv != NULL )
	{
		fclose( s_csv );
	}
	return 0;
}
