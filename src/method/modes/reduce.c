// SPDX-License-Identifier: MIT
// From the weights of modes to coordinates that swing by themselves.
//
// Four scalar functions a mode, φ ( x, y, z, 1 ), become orthonormal by mass: S = Ψ T. The displacement has three
// numbers for each of them. With K the stiffness of tets and tethers, one dense eigenproblem of Sᵀ K S gives the
// coordinates, of which the slowest are kept.
//
// Flesh does not roll about its bone: a turn of a bone's core about its axis is made so stiff that it is none of the
// slowest.
#include "linear/symmetric_eigen.h"
#include "method/modes/modes.h"

#include <math.h>

// Of the largest: functions below are others added up.
#define LEAST_FUNCTION 1e-9

typedef struct Reducer
{
	supArena arena;
	supModesFlesh* flesh;
	const supModesBody* body;
	const double* shapes;
	supError* error;
	supBlockMatrix stiffness;
	int32_t functionCount; // t, of 4 a mode
	double* functions;     // S: points * t
	double* transform;     // T: t rows of 4 a mode
	int32_t unknownCount;  // 3 t
	double* matrix;        // of these; then eigenvectors, one a row
	double* values;        // largest first
	double* scratch;
	int32_t keptCount;
	double* places; // Φ: points * 3 * kept
} Reducer;

static double Coordinate( const Reducer* reducer, int32_t point, int32_t axis )
{
	const supVec3 *p = reducer->body->points + point, *c = &reducer->body->center;
	double size = (double)reducer->flesh->size;
	const double r[4] = { ( (double)p->x - (double)c->x ) / size, ( (double)p->y - (double)c->y ) / size,
						  ( (double)p->z - (double)c->z ) / size, 1.0 };
	return r[axis];
}

// ---------------------------------------------------------------------------------------------------------------------
// Functions

// The mass of φ ( x, y, z, 1 ): 4 modes rows and columns.
static void FillMass( const Reducer* reducer, double* mass, double* row )
{
	const supModesBody* body = reducer->body;
	int32_t modes = reducer->flesh->modeCount, n = 4 * modes;
	memset( mass, 0, (size_t)n * (size_t)n * sizeof( double ) );
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		for ( int32_t k = 0; k < n; ++k )
		{
			row[k] = reducer->shapes[(int64_t)i * modes + k / 4] * Coordinate( reducer, i, k % 4 );
		}
		for ( int32_t j = 0; j < n; ++j )
		{
			double own = body->masses[i] * row[j];
			for ( int32_t k = 0; k < n && own != 0.0; ++k )
			{
				mass[(int64_t)j * n + k] += own * row[k];
			}
		}
	}
}

static void FillFunctions( Reducer* reducer, double* row )
{
	int32_t modes = reducer->flesh->modeCount, n = 4 * modes, t = reducer->functionCount;
	for ( int32_t i = 0; i < reducer->body->pointCount; ++i )
	{
		for ( int32_t k = 0; k < n; ++k )
		{
			row[k] = reducer->shapes[(int64_t)i * modes + k / 4] * Coordinate( reducer, i, k % 4 );
		}
		for ( int32_t j = 0; j < t; ++j )
		{
			const double* from = reducer->transform + (int64_t)j * n;
			double sum = 0.0;
			for ( int32_t k = 0; k < n; ++k )
			{
				sum += from[k] * row[k];
			}
			reducer->functions[(int64_t)i * t + j] = sum;
		}
	}
}

static bool MakeFunctions( Reducer* reducer )
{
	int32_t n = 4 * reducer->flesh->modeCount;
	size_t square = (size_t)n * (size_t)n;
	reducer->transform = supArena_AllocArray( &reducer->arena, square, sizeof( double ) );
	double* values = supArena_AllocArray( &reducer->arena, 3 * (size_t)n, sizeof( double ) );
	if ( reducer->arena.failed )
	{
		return supSetMemoryError( reducer->error );
	}
	FillMass( reducer, reducer->transform, values + 2 * n );
	if ( supFindEigenvectors( reducer->transform, n, values, values + n ) == false )
	{
		return supSetError( reducer->error, sup_errorArgument, "modes", "the mass of the body is not finite" );
	}
	// none where nothing is soft
	while ( reducer->functionCount < n && values[0] > 0.0 &&
			values[reducer->functionCount] > LEAST_FUNCTION * values[0] )
	{
		double scale = 1.0 / sqrt( values[reducer->functionCount] );
		double* row = reducer->transform + (int64_t)reducer->functionCount * n;
		for ( int32_t k = 0; k < n; ++k )
		{
			row[k] *= scale;
		}
		reducer->functionCount += 1;
	}
	reducer->functions = supArena_AllocArray(
		&reducer->arena, (size_t)reducer->body->pointCount * (size_t)reducer->functionCount, sizeof( double ) );
	if ( reducer->arena.failed )
	{
		return supSetMemoryError( reducer->error );
	}
	FillFunctions( reducer, values );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Stiffness

static bool Assemble( Reducer* reducer )
{
	const supModesBody* body = reducer->body;
	supElements elements = { body->tetCount, 4, NULL, body->tets };
	if ( supBlockMatrix_Create( &reducer->stiffness, body->pointCount, 3, NULL, &elements, reducer->error ) == false )
	{
		return false;
	}
	for ( int32_t t = 0; t < body->tetCount; ++t )
	{
		supModesBody_AddTet( body, t, &reducer->stiffness );
	}
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		double tether = body->masses[i] * body->tethers[i];
		const double block[9] = { tether, 0.0, 0.0, 0.0, tether, 0.0, 0.0, 0.0, tether };
		supBlockMatrix_AddBlock( &reducer->stiffness, i, i, block );
	}
	return true;
}

// Row `point` of K S: for each function a block, column by column.
static void MultiplyRow( const Reducer* reducer, int32_t point, double* blocks )
{
	const supBlockMatrix* k = &reducer->stiffness;
	int32_t t = reducer->functionCount;
	memset( blocks, 0, 9 * (size_t)t * sizeof( double ) );
	for ( int32_t at = k->rowStarts[point]; at < k->rowStarts[point + 1]; ++at )
	{
		const double* block = supBlockMatrix_Block( k, at );
		const double* values = reducer->functions + (int64_t)k->columns[at] * t;
		for ( int32_t j = 0; j < t; ++j )
		{
			for ( int32_t c = 0; c < 9; ++c )
			{
				blocks[9 * j + c] += values[j] * block[c];
			}
		}
	}
}

// Rows from `begin` on of Sᵀ K S, of which each worker does its own.
typedef struct ProductRun
{
	Reducer* reducer;
	const double* products; // points * 9 t
	int32_t pointBegin, pointEnd;
} ProductRun;

static void ProductRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const ProductRun* run = context;
	Reducer* reducer = run->reducer;
	int32_t t = reducer->functionCount, n = 3 * t;
	for ( int32_t i = run->pointBegin; i < run->pointEnd; ++i )
	{
		const double* values = reducer->functions + (int64_t)i * t;
		const double* blocks = run->products + (int64_t)( i - run->pointBegin ) * 9 * t;
		for ( int32_t j = begin; j < end; ++j )
		{
			double* to = reducer->matrix + 3 * (int64_t)j * n;
			for ( int32_t l = 0; l < t && values[j] != 0.0; ++l )
			{
				for ( int32_t c = 0; c < 9; ++c )
				{
					to[(int64_t)( c % 3 ) * n + 3 * l + c / 3] += values[j] * blocks[9 * l + c];
				}
			}
		}
	}
}

#define POINTS_AT_ONCE 64

static bool FillStiffness( Reducer* reducer )
{
	int32_t t = reducer->functionCount, n = 3 * t, count = reducer->body->pointCount;
	reducer->unknownCount = n;
	reducer->matrix = supArena_AllocZeroed( &reducer->arena, (size_t)n * (size_t)n * sizeof( double ) );
	reducer->values = supArena_AllocArray( &reducer->arena, (size_t)n, sizeof( double ) );
	reducer->scratch = supArena_AllocArray( &reducer->arena, (size_t)n, sizeof( double ) );
	double* products = supArena_AllocArray( &reducer->arena, POINTS_AT_ONCE * 9 * (size_t)t, sizeof( double ) );
	if ( reducer->arena.failed )
	{
		return supSetMemoryError( reducer->error );
	}
	for ( int32_t begin = 0; begin < count; begin += POINTS_AT_ONCE )
	{
		ProductRun run = { reducer, products, begin, begin + POINTS_AT_ONCE < count ? begin + POINTS_AT_ONCE : count };
		for ( int32_t i = run.pointBegin; i < run.pointEnd; ++i )
		{
			MultiplyRow( reducer, i, products + (int64_t)( i - begin ) * 9 * t );
		}
		supParallelFor( reducer->body->tasks, t, 4, ProductRange, &run );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Roll

typedef struct Roll
{
	double mass;
	double middle[3];
} Roll;

// What slot i of the skin weights has of its point's core.
static double CoreMass( const supModesBody* body, int64_t i )
{
	int64_t point = i / SUP_MAX_INFLUENCES;
	return body->cored[body->skin->joints[i]]
			   ? body->masses[point] * (double)body->cores[point] * (double)body->skin->weights[i]
			   : 0.0;
}

static void FindMiddles( const supModesBody* body, Roll* rolls )
{
	for ( int64_t i = 0; i < (int64_t)SUP_MAX_INFLUENCES * body->pointCount; ++i )
	{
		Roll* roll = rolls + body->skin->joints[i];
		supVec3 p = body->points[i / SUP_MAX_INFLUENCES];
		double mass = CoreMass( body, i );
		roll->mass += mass;
		roll->middle[0] += mass * (double)p.x;
		roll->middle[1] += mass * (double)p.y;
		roll->middle[2] += mass * (double)p.z;
	}
	for ( int32_t b = 0; b < body->skin->boneCount; ++b )
	{
		for ( int32_t k = 0; k < 3 && rolls[b].mass > 0.0; ++k )
		{
			rolls[b].middle[k] /= rolls[b].mass;
		}
	}
}

// The turn about each axis as a row of 3 t numbers: Σ m w ( a × r ) · u.
static void FillRolls( const Reducer* reducer, const Roll* rolls, double* rows )
{
	const supModesBody* body = reducer->body;
	int32_t t = reducer->functionCount, n = 3 * t;
	for ( int64_t i = 0; i < (int64_t)SUP_MAX_INFLUENCES * body->pointCount; ++i )
	{
		int32_t bone = body->skin->joints[i];
		int64_t point = i / SUP_MAX_INFLUENCES;
		double mass = CoreMass( body, i );
		const supVec3 a = body->axes[bone], p = body->points[point];
		const double* middle = rolls[bone].middle;
		const double arm[3] = { (double)p.x - middle[0], (double)p.y - middle[1], (double)p.z - middle[2] };
		const double turn[3] = { mass * ( (double)a.y * arm[2] - (double)a.z * arm[1] ),
								 mass * ( (double)a.z * arm[0] - (double)a.x * arm[2] ),
								 mass * ( (double)a.x * arm[1] - (double)a.y * arm[0] ) };
		const double* values = reducer->functions + point * t;
		for ( int32_t l = 0; l < t && mass > 0.0; ++l )
		{
			for ( int32_t c = 0; c < 3; ++c )
			{
				rows[(int64_t)bone * n + 3 * l + c] += turn[c] * values[l];
			}
		}
	}
}

static bool StiffenRolls( Reducer* reducer )
{
	int32_t bones = reducer->body->skin->boneCount, n = reducer->unknownCount;
	Roll* rolls = supArena_AllocZeroed( &reducer->arena, ( (size_t)bones + 1 ) * sizeof( Roll ) );
	double* rows = supArena_AllocZeroed( &reducer->arena, ( (size_t)bones + 1 ) * (size_t)n * sizeof( double ) );
	if ( reducer->arena.failed )
	{
		return supSetMemoryError( reducer->error );
	}
	double trace = 0.0;
	for ( int32_t i = 0; i < n; ++i )
	{
		trace += reducer->matrix[(int64_t)i * n + i];
	}
	FindMiddles( reducer->body, rolls );
	FillRolls( reducer, rolls, rows );
	for ( int32_t b = 0; b < bones; ++b )
	{
		const double* row = rows + (int64_t)b * n;
		double length = 0.0;
		for ( int32_t i = 0; i < n; ++i )
		{
			length += row[i] * row[i];
		}
		double scale = length > 0.0 ? trace / length : 0.0;
		for ( int32_t i = 0; i < n && scale > 0.0; ++i )
		{
			for ( int32_t k = 0; k < n; ++k )
			{
				reducer->matrix[(int64_t)i * n + k] += scale * row[i] * row[k];
			}
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Coordinates

// The eigenvector of a coordinate; the slowest is the first.
static const double* VectorOf( const Reducer* reducer, int32_t coordinate )
{
	return reducer->matrix + (int64_t)( reducer->unknownCount - 1 - coordinate ) * reducer->unknownCount;
}

static bool FindCoordinates( Reducer* reducer )
{
	supModesFlesh* flesh = reducer->flesh;
	int32_t n = reducer->unknownCount, most = SUP_MODES_KEPT * flesh->modeCount;
	if ( supFindEigenvectors( reducer->matrix, n, reducer->values, reducer->scratch ) == false )
	{
		return supSetError( reducer->error, sup_errorArgument, "modes", "the stiffness of the body is not finite" );
	}
	reducer->keptCount = n < most ? n : most;
	flesh->coordinateCount = ( reducer->keptCount + SUP_MODES_LANES - 1 ) / SUP_MODES_LANES * SUP_MODES_LANES;
	size_t count = (size_t)flesh->coordinateCount;
	float* squares = supArena_AllocArray( &flesh->arena, count, sizeof( float ) );
	for ( size_t j = 0; squares != NULL && j < count; ++j )
	{
		double value = (int32_t)j < reducer->keptCount ? reducer->values[(size_t)n - 1 - j] : 0.0;
		squares[j] = value > 1e-6 ? (float)value : 1.0f;
	}
	flesh->squares = squares;
	return squares != NULL || supSetMemoryError( reducer->error );
}

static bool FillBlends( Reducer* reducer )
{
	supModesFlesh* flesh = reducer->flesh;
	int32_t rows = supModes_NumberCount( flesh->modeCount ), n = 4 * flesh->modeCount, t = reducer->functionCount;
	float* blends =
		supArena_AllocZeroed( &flesh->arena, (size_t)rows * (size_t)flesh->coordinateCount * sizeof( float ) );
	for ( int32_t j = 0; blends != NULL && j < reducer->keptCount; ++j )
	{
		const double* vector = VectorOf( reducer, j );
		for ( int32_t k = 0; k < 3 * n; ++k )
		{
			double sum = 0.0;
			for ( int32_t l = 0; l < t; ++l )
			{
				sum += reducer->transform[(int64_t)l * n + k / 3] * vector[3 * l + k % 3];
			}
			sum /= k / 3 % 4 < 3 ? (double)flesh->size : 1.0;
			blends[(int64_t)j * rows + k] = (float)sum;
		}
	}
	flesh->blends = blends;
	return blends != NULL || supSetMemoryError( reducer->error );
}

// How far each coordinate moves each point.
static bool FillPlaces( Reducer* reducer )
{
	int32_t points = reducer->body->pointCount, kept = reducer->keptCount, t = reducer->functionCount;
	reducer->places = supArena_AllocZeroed( &reducer->arena, 3 * (size_t)points * (size_t)kept * sizeof( double ) );
	for ( int32_t i = 0; reducer->places != NULL && i < points; ++i )
	{
		const double* values = reducer->functions + (int64_t)i * t;
		for ( int32_t j = 0; j < kept; ++j )
		{
			const double* vector = VectorOf( reducer, j );
			double sum[3] = { 0.0, 0.0, 0.0 };
			for ( int32_t l = 0; l < t; ++l )
			{
				sum[0] += values[l] * vector[3 * l];
				sum[1] += values[l] * vector[3 * l + 1];
				sum[2] += values[l] * vector[3 * l + 2];
			}
			for ( int32_t c = 0; c < 3; ++c )
			{
				reducer->places[( 3 * (int64_t)i + c ) * kept + j] = sum[c];
			}
		}
	}
	return reducer->places != NULL || supSetMemoryError( reducer->error );
}

static bool FillLoads( Reducer* reducer )
{
	supModesFlesh* flesh = reducer->flesh;
	const supModesBody* body = reducer->body;
	int32_t kept = reducer->keptCount, count = flesh->coordinateCount;
	size_t size = 12 * (size_t)flesh->skin.boneCount * (size_t)count;
	double* sums = supArena_AllocZeroed( &reducer->arena, size * sizeof( double ) );
	float* loads = supArena_AllocArray( &flesh->arena, size, sizeof( float ) );
	if ( sums == NULL || loads == NULL )
	{
		return supSetMemoryError( reducer->error );
	}
	for ( int64_t i = 0; i < (int64_t)SUP_MAX_INFLUENCES * body->pointCount; ++i )
	{
		int32_t point = (int32_t)( i / SUP_MAX_INFLUENCES );
		double mass = body->masses[point] * (double)body->skin->weights[i];
		for ( int32_t k = 0; k < 12 && mass > 0.0; ++k )
		{
			// coordinates of the rest pose in metres
			double r = mass * Coordinate( reducer, point, k / 3 ) * ( k < 9 ? (double)flesh->size : 1.0 );
			const double* from = reducer->places + ( 3 * (int64_t)point + k % 3 ) * kept;
			double* to = sums + ( 12 * (int64_t)body->skin->joints[i] + k ) * count;
			for ( int32_t j = 0; j < kept; ++j )
			{
				to[j] += r * from[j];
			}
		}
	}
	for ( size_t i = 0; i < size; ++i )
	{
		loads[i] = (float)sums[i];
	}
	flesh->loads = loads;
	return true;
}

// Where | q Φ | is the limit, in the mean over what the coordinate moves.
static bool FillRanges( Reducer* reducer )
{
	supModesFlesh* flesh = reducer->flesh;
	int32_t kept = reducer->keptCount;
	float* ranges = supArena_AllocZeroed( &flesh->arena, (size_t)flesh->coordinateCount * sizeof( float ) );
	for ( int32_t j = 0; ranges != NULL && j < kept; ++j )
	{
		double held = 0.0, fourth = 0.0;
		for ( int32_t i = 0; i < reducer->body->pointCount; ++i )
		{
			const double* from = reducer->places + 3 * (int64_t)i * kept + j;
			double square =
				from[0] * from[0] + from[kept] * from[kept] + from[2 * (size_t)kept] * from[2 * (size_t)kept];
			double limit = (double)flesh->limits[i], mass = reducer->body->masses[i];
			held += mass * limit * limit * square;
			fourth += mass * square * square;
		}
		ranges[j] = fourth > 0.0 ? (float)sqrt( held / fourth ) : 0.0f;
	}
	flesh->ranges = ranges;
	return ranges != NULL || supSetMemoryError( reducer->error );
}

// Of what holds a coordinate, how much each region has: Σ_i Φ_i · ( K Φ )_i over its points.
static bool FillShares( Reducer* reducer )
{
	supModesFlesh* flesh = reducer->flesh;
	int32_t kept = reducer->keptCount, regions = flesh->regionCount;
	size_t size = 3 * (size_t)reducer->body->pointCount * (size_t)kept;
	float* shares =
		supArena_AllocZeroed( &flesh->arena, (size_t)flesh->coordinateCount * (size_t)regions * sizeof( float ) );
	double* sums = supArena_AllocZeroed( &reducer->arena, (size_t)kept * (size_t)regions * sizeof( double ) );
	double* forces = regions > 1 ? supArena_AllocArray( &reducer->arena, size, sizeof( double ) ) : reducer->places;
	if ( flesh->arena.failed || reducer->arena.failed )
	{
		return supSetMemoryError( reducer->error );
	}
	if ( regions > 1 )
	{
		supBlockMatrix_Multiply( &reducer->stiffness, reducer->places, forces, kept, reducer->body->tasks );
	}
	for ( size_t i = 0; i < size; ++i )
	{
		int32_t region = reducer->body->regions[i / ( 3 * (size_t)kept )];
		sums[i % (size_t)kept * (size_t)regions + (size_t)region] += reducer->places[i] * forces[i];
	}
	for ( int32_t j = 0; j < flesh->coordinateCount; ++j )
	{
		double whole = 0.0;
		for ( int32_t r = 0; r < regions && j < kept; ++r )
		{
			whole += fmax( sums[(int64_t)j * regions + r], 0.0 );
		}
		for ( int32_t r = 0; r < regions; ++r )
		{
			double own = whole > 0.0 ? fmax( sums[(int64_t)j * regions + r], 0.0 ) / whole : 1.0 / regions;
			shares[(int64_t)j * regions + r] = (float)own;
		}
	}
	flesh->shares = shares;
	return true;
}

static bool KeepShapes( Reducer* reducer )
{
	supModesFlesh* flesh = reducer->flesh;
	size_t size = (size_t)supModes_BlockCount( flesh->pointCount ) * (size_t)flesh->modeCount * SUP_MODES_LANES;
	float* shapes = supArena_AllocZeroed( &flesh->arena, size * sizeof( float ) );
	for ( int32_t i = 0; shapes != NULL && i < flesh->pointCount; ++i )
	{
		for ( int32_t m = 0; m < flesh->modeCount; ++m )
		{
			shapes[supModes_ShapeIndex( flesh->modeCount, i, m )] =
				(float)reducer->shapes[(int64_t)i * flesh->modeCount + m];
		}
	}
	flesh->shapes = shapes;
	return shapes != NULL || supSetMemoryError( reducer->error );
}

bool supModesFlesh_Reduce( supModesFlesh* flesh, const supModesBody* body, const double* shapes, supError* error )
{
	Reducer reducer = { .flesh = flesh, .body = body, .shapes = shapes, .error = error };
	bool ok = MakeFunctions( &reducer ) && Assemble( &reducer ) && FillStiffness( &reducer ) &&
			  StiffenRolls( &reducer ) && FindCoordinates( &reducer ) && FillBlends( &reducer ) &&
			  FillPlaces( &reducer ) && FillLoads( &reducer ) && FillRanges( &reducer ) && FillShares( &reducer ) &&
			  KeepShapes( &reducer );
	supBlockMatrix_Destroy( &reducer.stiffness );
	supArena_Destroy( &reducer.arena );
	return ok;
}
