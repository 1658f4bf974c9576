// SPDX-License-Identifier: MIT
#include "decompose/basis.h"

#include "core/tasks.h"
#include "linear/symmetric_eigen.h"

#include <math.h>

// Vertices that are worked on together: all frames of them fit into a cache.
#define VERTICES_PER_PIECE 64
#define ROWS_PER_TASK 4
// A component with less than this share of the largest is rounding.
#define LEAST_SHARE 1e-13

typedef struct Solver
{
	const supBasisDef* def;
	supBasis* basis;
	float* rows;  // rowCount * 3 * vertexCount: offsets, in the end what is left of them
	double* gram; // rowCount * rowCount; then vector k in row k
	double* values;
	int32_t shapeCount; // components that can be told from rounding, at most mostShapes - 1
	float* shapes;      // shape * 3 * vertexCount
	int32_t pieceCount;
	float* peaks; // piece * ( shapeCount + 1 ) + shapes: largest squared distance with that many
	double* lows;
	double* ranges;
} Solver;

static float* RowOf( const Solver* solver, int32_t row )
{
	return solver->rows + (size_t)row * 3 * (size_t)solver->def->vertexCount;
}

static double Dot( const float* a, const float* b, size_t count )
{
	// eight sums side by side, added in a fixed order
	double sums[8] = { 0 };
	size_t whole = count / 8 * 8;
	for ( size_t i = 0; i < whole; i += 8 )
	{
		for ( size_t k = 0; k < 8; ++k )
		{
			sums[k] += (double)a[i + k] * (double)b[i + k];
		}
	}
	for ( size_t i = whole; i < count; ++i )
	{
		sums[i - whole] += (double)a[i] * (double)b[i];
	}
	return ( ( sums[0] + sums[1] ) + ( sums[2] + sums[3] ) ) + ( ( sums[4] + sums[5] ) + ( sums[6] + sums[7] ) );
}

static void MultiplyRows( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Solver* solver = context;
	size_t n = (size_t)solver->def->rowCount;
	size_t size = 3 * (size_t)solver->def->vertexCount;
	for ( int32_t i = begin; i < end; ++i )
	{
		for ( int32_t k = 0; k <= i; ++k )
		{
			double dot = Dot( RowOf( solver, i ), RowOf( solver, k ), size );
			solver->gram[(size_t)i * n + (size_t)k] = dot;
			solver->gram[(size_t)k * n + (size_t)i] = dot;
		}
	}
}

// How much of component k is in a frame.
static double WeightOf( const Solver* solver, int32_t k, int32_t row )
{
	size_t n = (size_t)solver->def->rowCount;
	return sqrt( solver->values[k] ) * solver->gram[(size_t)k * n + (size_t)row];
}

// Adds `count` numbers of all frames, each times what eigenvector k has of it, and divides by sqrt(l_k).
static void AddFrames( const Solver* solver, int32_t k, const float* first, size_t stride, int32_t count, double* sums )
{
	size_t n = (size_t)solver->def->rowCount;
	const double* u = solver->gram + (size_t)k * n;
	for ( int32_t i = 0; i < count; ++i )
	{
		sums[i] = 0.0;
	}
	for ( size_t f = 0; f < n; ++f )
	{
		for ( int32_t i = 0; i < count; ++i )
		{
			sums[i] += u[f] * (double)first[f * stride + (size_t)i];
		}
	}
	double scale = 1.0 / sqrt( solver->values[k] );
	for ( int32_t i = 0; i < count; ++i )
	{
		sums[i] *= scale;
	}
}

static float FindPeak( const Solver* solver, const float* first, size_t stride, int32_t count )
{
	float peak = 0.0f;
	for ( int32_t f = 0; f < solver->def->rowCount; ++f )
	{
		const float* p = first + (size_t)f * stride;
		for ( int32_t i = 0; i < count; i += 3 )
		{
			peak = supMaxFloat( peak, p[i] * p[i] + p[i + 1] * p[i + 1] + p[i + 2] * p[i + 2] );
		}
	}
	return peak;
}

// Takes one component after another out of some vertices of all frames, and notes what is left after each.
static void SubtractShapes( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Solver* solver = context;
	size_t stride = 3 * (size_t)solver->def->vertexCount;
	for ( int32_t piece = begin; piece < end; ++piece )
	{
		int32_t vertex = piece * VERTICES_PER_PIECE;
		int32_t left = solver->def->vertexCount - vertex;
		int32_t count = 3 * ( left < VERTICES_PER_PIECE ? left : VERTICES_PER_PIECE );
		float* first = solver->rows + 3 * (size_t)vertex;
		float* peaks = solver->peaks + (size_t)piece * (size_t)( solver->shapeCount + 1 );
		peaks[0] = FindPeak( solver, first, stride, count );
		for ( int32_t k = 0; k < solver->shapeCount; ++k )
		{
			double sums[3 * VERTICES_PER_PIECE];
			float* shape = solver->shapes + (size_t)k * stride + 3 * (size_t)vertex;
			AddFrames( solver, k, first, stride, count, sums );
			for ( int32_t i = 0; i < count; ++i )
			{
				shape[i] = (float)sums[i];
			}
			for ( int32_t f = 0; f < solver->def->rowCount; ++f )
			{
				float w = (float)WeightOf( solver, k, f );
				float* row = first + (size_t)f * stride;
				for ( int32_t i = 0; i < count; ++i )
				{
					row[i] -= w * shape[i];
				}
			}
			peaks[k + 1] = FindPeak( solver, first, stride, count );
		}
	}
}

// The fewest components with which every vertex is within the tolerance; -1 where all are not enough.
static int32_t CountShapes( const Solver* solver )
{
	float bound = solver->def->tolerance * solver->def->tolerance;
	for ( int32_t k = 0; k <= solver->shapeCount; ++k )
	{
		bool ok = true;
		for ( int32_t piece = 0; piece < solver->pieceCount && ok; ++piece )
		{
			ok = solver->peaks[(size_t)piece * (size_t)( solver->shapeCount + 1 ) + (size_t)k] <= bound;
		}
		if ( ok )
		{
			return k;
		}
	}
	return -1;
}

// ---------------------------------------------------------------------------------------------------------------------
// The result

static void FindRanges( Solver* solver, int32_t count )
{
	for ( int32_t k = 0; k < count; ++k )
	{
		double low = INFINITY, high = -INFINITY;
		for ( int32_t f = 0; f < solver->def->rowCount; ++f )
		{
			double w = WeightOf( solver, k, f );
			low = w < low ? w : low;
			high = w > high ? w : high;
		}
		solver->lows[k] = low;
		solver->ranges[k] = high > low ? high - low : 1.0;
	}
}

// Components, one after another, as shapes: the constant one before them. `from` may lie where `to` does, one shape on.
static void WriteShapes( const Solver* solver, int32_t count, const float* from, supVec3* to )
{
	size_t size = 3 * (size_t)solver->def->vertexCount;
	float* out = &to->x;
	for ( size_t i = 0; i < size; ++i )
	{
		double sum = 0.0;
		for ( int32_t k = 0; k < count; ++k )
		{
			double value = (double)from[(size_t)k * size + i];
			sum += solver->lows[k] * value;
			out[(size_t)( k + 1 ) * size + i] = (float)( solver->ranges[k] * value );
		}
		out[i] = (float)sum;
	}
}

static void WriteWeights( const Solver* solver, int32_t count )
{
	for ( int32_t f = 0; f < solver->def->rowCount; ++f )
	{
		float* weights = solver->basis->weights + (size_t)f * (size_t)( count + 1 );
		weights[0] = 1.0f;
		for ( int32_t k = 0; k < count; ++k )
		{
			double w = ( WeightOf( solver, k, f ) - solver->lows[k] ) / solver->ranges[k];
			weights[k + 1] = supClampFloat( (float)w, 0.0f, 1.0f );
		}
	}
}

typedef struct NormalsJob
{
	const Solver* solver;
	int32_t count;
	float* shapes;
} NormalsJob;

static void ProjectNormals( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const NormalsJob* job = context;
	const Solver* solver = job->solver;
	size_t stride = 3 * (size_t)solver->def->vertexCount;
	for ( int32_t piece = begin; piece < end; ++piece )
	{
		size_t at = 3 * (size_t)piece * VERTICES_PER_PIECE;
		size_t left = stride - at;
		int32_t count = (int32_t)( left < 3 * VERTICES_PER_PIECE ? left : 3 * VERTICES_PER_PIECE );
		for ( int32_t k = 0; k < job->count; ++k )
		{
			double sums[3 * VERTICES_PER_PIECE];
			AddFrames( solver, k, solver->rows + at, stride, count, sums );
			for ( int32_t i = 0; i < count; ++i )
			{
				job->shapes[(size_t)k * stride + at + (size_t)i] = (float)sums[i];
			}
		}
	}
}

static bool ReadRows( Solver* solver, bool normals, supVec3* scratch, supError* error )
{
	const supBasisDef* def = solver->def;
	for ( int32_t f = 0; f < def->rowCount; ++f )
	{
		supVec3* row = (supVec3*)(void*)RowOf( solver, f );
		if ( def->read( f, normals ? scratch : row, normals ? row : NULL, def->context, error ) == false )
		{
			return false;
		}
	}
	return true;
}

static bool WriteBasis( Solver* solver, int32_t count, supError* error )
{
	const supBasisDef* def = solver->def;
	supBasis* basis = solver->basis;
	size_t vertices = (size_t)def->vertexCount;
	size_t shapes = (size_t)count + 1;
	basis->vertexCount = def->vertexCount;
	basis->shapeCount = count + 1;
	basis->positions = supArena_AllocArray( &basis->arena, shapes * vertices, sizeof( supVec3 ) );
	basis->weights = supArena_AllocArray( &basis->arena, shapes * (size_t)def->rowCount, sizeof( float ) );
	basis->normals =
		def->withNormals ? supArena_AllocArray( &basis->arena, shapes * vertices, sizeof( supVec3 ) ) : NULL;
	if ( basis->arena.failed )
	{
		return supSetMemoryError( error );
	}
	FindRanges( solver, count );
	WriteWeights( solver, count );
	WriteShapes( solver, count, solver->shapes, basis->positions );
	if ( def->withNormals )
	{
		// the first shape's positions are final; its place for normals is free as scratch until they are
		if ( ReadRows( solver, true, basis->normals, error ) == false )
		{
			return false;
		}
		NormalsJob job = { .solver = solver, .count = count, .shapes = solver->shapes };
		supParallelFor( def->tasks, solver->pieceCount, 1, ProjectNormals, &job );
		WriteShapes( solver, count, solver->shapes, basis->normals );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool Allocate( Solver* solver, supError* error )
{
	const supBasisDef* def = solver->def;
	size_t rows = (size_t)def->rowCount;
	solver->rows = supAllocArray( rows * (size_t)def->vertexCount, sizeof( supVec3 ) );
	solver->gram = supAllocArray( rows * rows, sizeof( double ) );
	solver->values = supAllocArray( 2 * rows, sizeof( double ) );
	return ( solver->rows != NULL && solver->gram != NULL && solver->values != NULL ) || supSetMemoryError( error );
}

static bool AllocateShapes( Solver* solver, supError* error )
{
	const supBasisDef* def = solver->def;
	while ( solver->shapeCount < def->rowCount && solver->shapeCount < def->mostShapes - 1 &&
			solver->values[solver->shapeCount] > LEAST_SHARE * solver->values[0] )
	{
		solver->shapeCount += 1;
	}
	size_t shapes = (size_t)solver->shapeCount;
	solver->pieceCount = ( def->vertexCount + VERTICES_PER_PIECE - 1 ) / VERTICES_PER_PIECE;
	solver->shapes = supAllocArray( shapes * (size_t)def->vertexCount + 1, sizeof( supVec3 ) );
	solver->peaks = supAllocArray( (size_t)solver->pieceCount * ( shapes + 1 ), sizeof( float ) );
	solver->lows = supAllocArray( shapes + 1, sizeof( double ) );
	solver->ranges = supAllocArray( shapes + 1, sizeof( double ) );
	return ( solver->shapes != NULL && solver->peaks != NULL && solver->lows != NULL && solver->ranges != NULL ) ||
		   supSetMemoryError( error );
}

static bool Solve( Solver* solver, supError* error )
{
	const supBasisDef* def = solver->def;
	if ( Allocate( solver, error ) == false || ReadRows( solver, false, NULL, error ) == false )
	{
		return false;
	}
	supParallelFor( def->tasks, def->rowCount, ROWS_PER_TASK, MultiplyRows, solver );
	if ( supFindEigenvectors( solver->gram, def->rowCount, solver->values, solver->values + def->rowCount ) == false )
	{
		return supSetError( error, sup_errorArgument, "frames",
							"the frames have non-finite values, so they have no principal components" );
	}
	if ( AllocateShapes( solver, error ) == false )
	{
		return false;
	}
	supParallelFor( def->tasks, solver->pieceCount, 1, SubtractShapes, solver );
	int32_t count = CountShapes( solver );
	return count < 0 || WriteBasis( solver, count, error );
}

bool supFindBasis( supBasis* basis, const supBasisDef* def, supError* error )
{
	SUP_ASSERT( def->rowCount > 0 && def->vertexCount > 0 );
	*basis = ( supBasis ){ 0 };
	Solver solver = { .def = def, .basis = basis };
	bool ok = Solve( &solver, error );
	supFree( solver.rows );
	supFree( solver.gram );
	supFree( solver.values );
	supFree( solver.shapes );
	supFree( solver.peaks );
	supFree( solver.lows );
	supFree( solver.ranges );
	return ok;
}
