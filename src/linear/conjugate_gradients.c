// SPDX-License-Identifier: MIT
// Hestenes & Stiefel 1952, in the form of Saad 2003, algorithm 9.1; with the projections of Gould, Hribar & Nocedal
// 2001: residuals and directions stay in the space that the constraints leave.
#include "linear/conjugate_gradients.h"

#include "core/reduce.h"
#include "core/tasks.h"
#include "linear/dense.h"

#include <math.h>

#define UNKNOWNS_PER_PIECE 4096
#define NODES_PER_PIECE 512

// ---------------------------------------------------------------------------------------------------------------------
// Vectors

typedef struct DotJob
{
	const double* a;
	const double* b;
} DotJob;

static void DotBlock( int32_t begin, int32_t end, void* partial, void* context )
{
	const DotJob* job = context;
	double sums[4] = { 0 };
	int32_t i = begin;
	for ( ; i + 4 <= end; i += 4 )
	{
		for ( int k = 0; k < 4; ++k )
		{
			sums[k] += job->a[i + k] * job->b[i + k];
		}
	}
	for ( ; i < end; ++i )
	{
		sums[0] += job->a[i] * job->b[i];
	}
	*(double*)partial = ( sums[0] + sums[2] ) + ( sums[1] + sums[3] );
}

static void AddPartial( void* total, const void* partial, void* context )
{
	(void)context;
	*(double*)total += *(const double*)partial;
}

static double Dot( const double* a, const double* b, int32_t count, const supTasks* tasks )
{
	double total = 0.0;
	DotJob job = { a, b };
	supReduce( tasks, count, sizeof( double ), DotBlock, AddPartial, &total, &job );
	return total;
}

typedef struct AddJob
{
	double* to;
	const double* a;
	const double* b;
	double s;
} AddJob;

static void AddPiece( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const AddJob* job = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		job->to[i] = job->a[i] + job->s * job->b[i];
	}
}

// to := a + s b
static void AddScaled( double* to, const double* a, double s, const double* b, int32_t count, const supTasks* tasks )
{
	AddJob job = { to, a, b, s };
	supParallelFor( tasks, count, UNKNOWNS_PER_PIECE, AddPiece, &job );
}

// ---------------------------------------------------------------------------------------------------------------------
// The iteration

typedef struct Iteration
{
	const supGradientsDef* def;
	double* r; // residual
	double* z; // preconditioned
	double* p; // direction
	double* q; // A p
} Iteration;

static void Project( const supGradientsDef* def, double* x )
{
	if ( def->project != NULL )
	{
		def->project( x, def->projectContext );
	}
}

// z := P D^-1 r, with r projected already
static void Precondition( const Iteration* it )
{
	const supGradientsDef* def = it->def;
	if ( def->precondition == NULL )
	{
		memcpy( it->z, it->r, (size_t)def->unknownCount * sizeof( double ) );
		return;
	}
	def->precondition( it->r, it->z, def->tasks, def->preconditionContext );
	Project( def, it->z );
}

// r := P ( b - A x )
static void FindResidual( const Iteration* it, const double* b, const double* x )
{
	const supGradientsDef* def = it->def;
	def->apply( x, it->q, def->tasks, def->applyContext );
	AddScaled( it->r, b, -1.0, it->q, def->unknownCount, def->tasks );
	Project( def, it->r );
}

supGradientsReport supSolveGradients( const supGradientsDef* def, const double* b, double* x, double* scratch )
{
	int32_t n = def->unknownCount;
	size_t stride = (size_t)n;
	Iteration it = { def, scratch, scratch + stride, scratch + 2 * stride, scratch + 3 * stride };
	supGradientsReport report = { 0 };
	double size = sqrt( Dot( b, b, n, def->tasks ) );
	if ( !( size > 0.0 ) && def->project == NULL )
	{
		memset( x, 0, stride * sizeof( double ) );
		report.converged = size == 0.0;
		return report;
	}
	FindResidual( &it, b, x );
	Precondition( &it );
	memcpy( it.p, it.z, stride * sizeof( double ) );
	double gamma = Dot( it.r, it.z, n, def->tasks );
	size = size > 0.0 ? size : 1.0;
	for ( ;; )
	{
		report.residual = sqrt( Dot( it.r, it.r, n, def->tasks ) ) / size;
		report.converged = report.residual <= def->tolerance;
		if ( report.converged || report.iterations >= def->maxIterations || !( gamma > 0.0 ) )
		{
			return report;
		}
		def->apply( it.p, it.q, def->tasks, def->applyContext );
		Project( def, it.q );
		double curvature = Dot( it.p, it.q, n, def->tasks );
		if ( !( curvature > 0.0 ) )
		{
			report.indefinite = true;
			return report;
		}
		double step = gamma / curvature;
		AddScaled( x, x, step, it.p, n, def->tasks );
		AddScaled( it.r, it.r, -step, it.q, n, def->tasks );
		Precondition( &it );
		double next = Dot( it.r, it.z, n, def->tasks );
		AddScaled( it.p, it.z, next / gamma, it.p, n, def->tasks );
		gamma = next;
		report.iterations += 1;
	}
}

void supApplyMatrix( const double* x, double* y, const supTasks* tasks, void* context )
{
	const supBlockMatrix* matrix = context;
	supBlockMatrix_Multiply( matrix, x, y, 1, tasks );
}

// ---------------------------------------------------------------------------------------------------------------------
// Block Jacobi

bool supBlockJacobi_Create( supBlockJacobi* jacobi, const supBlockMatrix* matrix, supError* error )
{
	memset( jacobi, 0, sizeof( *jacobi ) );
	jacobi->matrix = matrix;
	size_t count = 0;
	for ( int32_t i = 0; i < matrix->nodeCount; ++i )
	{
		size_t size = (size_t)( matrix->offsets[i + 1] - matrix->offsets[i] );
		count += size * size;
	}
	jacobi->starts = supArena_AllocArray( &jacobi->arena, (size_t)matrix->nodeCount, sizeof( int32_t ) );
	jacobi->inverses = supArena_AllocArray( &jacobi->arena, count, sizeof( double ) );
	if ( jacobi->arena.failed )
	{
		supBlockJacobi_Destroy( jacobi );
		return supSetMemoryError( error );
	}
	int32_t start = 0;
	for ( int32_t i = 0; i < matrix->nodeCount; ++i )
	{
		int32_t size = matrix->offsets[i + 1] - matrix->offsets[i];
		jacobi->starts[i] = start;
		start += size * size;
	}
	supBlockJacobi_Update( jacobi );
	return true;
}

void supBlockJacobi_Destroy( supBlockJacobi* jacobi )
{
	supArena_Destroy( &jacobi->arena );
	memset( jacobi, 0, sizeof( *jacobi ) );
}

static bool InvertBlock( const double* block, int32_t n, double* inverse )
{
	double factor[SUP_MAX_NODE_SIZE * SUP_MAX_NODE_SIZE];
	size_t size = (size_t)( n * n ) * sizeof( double );
	memcpy( factor, block, size );
	memset( inverse, 0, size );
	bool ok = supDense_FactorCholesky( factor, n ) < 0;
	for ( int32_t j = 0; j < n; ++j )
	{
		double* column = inverse + j * n;
		if ( ok )
		{
			column[j] = 1.0;
			supDense_SolveCholesky( factor, n, column );
		}
		else
		{
			double own = block[j * n + j];
			column[j] = own > 0.0 && own < INFINITY ? 1.0 / own : 1.0;
		}
	}
	return ok;
}

int32_t supBlockJacobi_Update( supBlockJacobi* jacobi )
{
	const supBlockMatrix* m = jacobi->matrix;
	int32_t replaced = 0;
	for ( int32_t i = 0; i < m->nodeCount; ++i )
	{
		const double* block = supBlockMatrix_Block( m, supBlockMatrix_Find( m, i, i ) );
		int32_t n = m->offsets[i + 1] - m->offsets[i];
		replaced += InvertBlock( block, n, jacobi->inverses + jacobi->starts[i] ) == false;
	}
	return replaced;
}

typedef struct JacobiJob
{
	const supBlockJacobi* jacobi;
	const double* x;
	double* y;
} JacobiJob;

static void ApplyBlocks( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const JacobiJob* job = context;
	const int32_t* offsets = job->jacobi->matrix->offsets;
	for ( int32_t node = begin; node < end; ++node )
	{
		int32_t n = offsets[node + 1] - offsets[node];
		const double* inverse = job->jacobi->inverses + job->jacobi->starts[node];
		for ( int32_t i = 0; i < n; ++i )
		{
			double sum = 0.0;
			for ( int32_t j = 0; j < n; ++j )
			{
				sum += inverse[j * n + i] * job->x[offsets[node] + j];
			}
			job->y[offsets[node] + i] = sum;
		}
	}
}

void supApplyBlockJacobi( const double* x, double* y, const supTasks* tasks, void* context )
{
	const supBlockJacobi* jacobi = context;
	JacobiJob job = { jacobi, x, y };
	supParallelFor( tasks, jacobi->matrix->nodeCount, NODES_PER_PIECE, ApplyBlocks, &job );
}
