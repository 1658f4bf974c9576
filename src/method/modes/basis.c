// SPDX-License-Identifier: MIT
// The weights of skinning modes (Benchekroun et al. 2023): the lowest eigenvectors of
//
//     L φ = λ M φ,      Cᵀ φ = 0,      C = M D W
//
// L is the Laplacian of the tets with their moduli, and the tethers that hold points to the skinned pose; W the weights
// of the rig. D is 1 along bones and 0 a little way from them: the core of no bone is moved by a mode as
// the rig would move it, while flesh around it may lag behind as a whole (the leaking momentum of Zhang et al. 2020).
//
// Eigenvectors alone show the softest spots, each by itself. Two thirds of the modes are therefore what L makes of the
// motion of bones: the principal components of L^-1 M W, with Cᵀ φ = 0 as well.
//
// By subspace iteration with L factored once. Each round multiplies by L^-1 M, takes out what is not at right angles to
// C, and rotates the columns to Ritz vectors.
#include "linear/dense.h"
#include "linear/factor.h"
#include "linear/symmetric_eigen.h"
#include "method/modes/modes.h"

#include <math.h>

#define ROUNDS 24

// Columns beyond those wanted: they decide how fast the last ones converge.
#define EXTRA 8

// Relative: what a bone weighs in C to count, and what a Ritz vector has left of its length to be one.
#define LEAST_COLUMN 1e-9
#define LEAST_LENGTH 1e-12

// Of the largest, squared: what bones do less is not worth a mode.
#define LEAST_RESPONSE 1e-8

typedef struct Finder
{
	supArena arena;
	const supModesBody* body;
	supError* error;
	supBlockMatrix matrix;
	supSymbolic symbolic;
	supFactor factor;
	int32_t columnCount;
	double *x, *y; // points * columns
	void* work;
	int32_t boneCount; // rows of C that are not zero
	double* c;         // points * bones
	double* z;         // L^-1 C
	double* gram;      // Cᵀ L^-1 C, factored
	double* reduced;   // columns²
	double* rotated;
	double *values, *spare;
} Finder;

// Gradients of the four linear functions of a tet, and its volume.
static double TetGradients( const supModesBody* body, const int32_t* c, double g[4][3] )
{
	double e[3][3];
	for ( int32_t k = 0; k < 3; ++k )
	{
		e[k][0] = (double)body->points[c[k + 1]].x - (double)body->points[c[0]].x;
		e[k][1] = (double)body->points[c[k + 1]].y - (double)body->points[c[0]].y;
		e[k][2] = (double)body->points[c[k + 1]].z - (double)body->points[c[0]].z;
	}
	for ( int32_t k = 0; k < 3; ++k )
	{
		const double *a = e[( k + 1 ) % 3], *b = e[( k + 2 ) % 3];
		g[k + 1][0] = a[1] * b[2] - a[2] * b[1];
		g[k + 1][1] = a[2] * b[0] - a[0] * b[2];
		g[k + 1][2] = a[0] * b[1] - a[1] * b[0];
	}
	double six = e[0][0] * g[1][0] + e[0][1] * g[1][1] + e[0][2] * g[1][2];
	double inverse = six > 0.0 ? 1.0 / six : 0.0;
	for ( int32_t i = 0; i < 3; ++i )
	{
		for ( int32_t k = 1; k < 4; ++k )
		{
			g[k][i] *= inverse;
		}
		g[0][i] = -( g[1][i] + g[2][i] + g[3][i] );
	}
	return six > 0.0 ? six / 6.0 : 0.0;
}

// λ and μ of Hooke's law.
static void MakeLaw( double modulus, double poisson, double* lambda, double* mu )
{
	*mu = 0.5 * modulus / ( 1.0 + poisson );
	*lambda = modulus * poisson / ( ( 1.0 + poisson ) * ( 1.0 - 2.0 * poisson ) );
}

double supModesBody_AddTet( const supModesBody* body, int32_t tet, supBlockMatrix* matrix )
{
	const int32_t* c = body->tets + 4 * (int64_t)tet;
	double g[4][3], lambda, mu, volume = TetGradients( body, c, g );
	MakeLaw( body->moduli[tet] * volume, body->poisson, &lambda, &mu );
	for ( int32_t a = 0; a < 4; ++a )
	{
		for ( int32_t b = a; b < 4; ++b )
		{
			double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
			double block[9] = { mu * dot };
			// rows are components of a, columns of b
			for ( int32_t i = 0; i < 9 && matrix->nodeSize == 3; ++i )
			{
				int32_t row = i % 3, column = i / 3;
				block[i] = lambda * g[a][row] * g[b][column] + mu * g[a][column] * g[b][row] +
						   ( row == column ? mu * dot : 0.0 );
			}
			supBlockMatrix_AddBlock( matrix, c[a], c[b], block );
		}
	}
	return volume;
}

static bool Assemble( Finder* finder )
{
	const supModesBody* body = finder->body;
	supElements elements = { body->tetCount, 4, NULL, body->tets };
	if ( supBlockMatrix_Create( &finder->matrix, body->pointCount, 1, NULL, &elements, finder->error ) == false )
	{
		return false;
	}
	for ( int32_t t = 0; t < body->tetCount; ++t )
	{
		supModesBody_AddTet( body, t, &finder->matrix );
	}
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		// a point that no tet has weighs nothing
		double tether = body->masses[i] > 0.0 ? body->masses[i] * body->tethers[i] : 1.0;
		supBlockMatrix_AddBlock( &finder->matrix, i, i, &tether );
	}
	const supFactorDef def = { .precision = sup_precisionDouble, .workerCount = supGetWorkerCount( body->tasks ) };
	return supSymbolic_Create( &finder->symbolic, &finder->matrix, body->points, NULL, finder->error ) &&
		   supFactor_Create( &finder->factor, &finder->symbolic, &def, finder->error ) &&
		   ( supFactor_Refactor( &finder->factor, &finder->matrix, body->tasks ).ok ||
			 supSetError( finder->error, sup_errorArgument, "modes",
						  "the tetrahedra are too flat to find modes for" ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Right angles to the rig

// C column by column of unit length; bones without a core are left out.
static void FillRig( Finder* finder, double* lengths )
{
	const supModesBody* body = finder->body;
	const supBodySkin* skin = body->skin;
	size_t bones = (size_t)skin->boneCount;
	double most = 0.0;
	for ( int64_t i = 0; i < (int64_t)SUP_MAX_INFLUENCES * body->pointCount; ++i )
	{
		int64_t point = i / SUP_MAX_INFLUENCES;
		double core = body->cored[skin->joints[i]] ? body->masses[point] * (double)body->cores[point] : 0.0;
		finder->c[(size_t)point * bones + skin->joints[i]] += core * (double)skin->weights[i];
	}
	for ( size_t i = 0; i < bones * (size_t)body->pointCount; ++i )
	{
		lengths[i % bones] += finder->c[i] * finder->c[i];
		most = fmax( most, lengths[i % bones] );
	}
	for ( size_t b = 0; b < bones; ++b )
	{
		lengths[b] = lengths[b] > LEAST_COLUMN * most ? 1.0 / sqrt( lengths[b] ) : 0.0;
		finder->boneCount += lengths[b] > 0.0;
	}
	// in place: columns only ever move to the front
	size_t to = 0;
	for ( size_t i = 0; i < bones * (size_t)body->pointCount; ++i )
	{
		if ( lengths[i % bones] > 0.0 )
		{
			finder->c[to++] = finder->c[i] * lengths[i % bones];
		}
	}
}

static void FactorGram( Finder* finder )
{
	size_t bones = (size_t)finder->boneCount, points = (size_t)finder->body->pointCount;
	double trace = 0.0;
	for ( size_t i = 0; i < points; ++i )
	{
		for ( size_t a = 0; a < bones; ++a )
		{
			for ( size_t b = a; b < bones && finder->c[i * bones + a] != 0.0; ++b )
			{
				finder->gram[a * bones + b] += finder->c[i * bones + a] * finder->z[i * bones + b];
			}
		}
	}
	for ( size_t a = 0; a < bones; ++a )
	{
		trace += finder->gram[a * bones + a];
	}
	// two bones with the same flesh are one constraint
	for ( size_t a = 0; a < bones; ++a )
	{
		finder->gram[a * bones + a] += 1e-9 * trace / (double)bones;
	}
	if ( supDense_FactorCholesky( finder->gram, finder->boneCount ) >= 0 )
	{
		finder->boneCount = 0;
	}
}

static bool FindRig( Finder* finder )
{
	const supModesBody* body = finder->body;
	size_t bones = (size_t)body->skin->boneCount, points = (size_t)body->pointCount;
	finder->c = supArena_AllocZeroed( &finder->arena, points * bones * sizeof( double ) );
	double* lengths = supArena_AllocZeroed( &finder->arena, bones * sizeof( double ) );
	finder->gram = supArena_AllocZeroed( &finder->arena, bones * bones * sizeof( double ) );
	if ( finder->arena.failed )
	{
		return supSetMemoryError( finder->error );
	}
	FillRig( finder, lengths );
	if ( finder->boneCount == 0 )
	{
		return true;
	}
	int32_t workers = supGetWorkerCount( body->tasks );
	finder->z = supArena_CopyArray( &finder->arena, finder->c, points * (size_t)finder->boneCount, sizeof( double ) );
	void* work = supAlloc( supFactor_ScratchSize( &finder->factor, finder->boneCount, workers ) );
	bool ok = finder->z != NULL && work != NULL;
	if ( ok )
	{
		supFactor_Solve( &finder->factor, finder->z, finder->boneCount, work, body->tasks );
		FactorGram( finder );
	}
	supFree( work );
	return ok || supSetMemoryError( finder->error );
}

// y -= L^-1 C ( Cᵀ L^-1 C )^-1 Cᵀ y, so that Cᵀ y = 0.
static void TakeOutRig( Finder* finder, double* y )
{
	size_t bones = (size_t)finder->boneCount, columns = (size_t)finder->columnCount;
	size_t points = (size_t)finder->body->pointCount;
	double* sums = finder->spare;
	for ( size_t k = 0; k < columns && bones > 0; ++k )
	{
		memset( sums, 0, bones * sizeof( double ) );
		for ( size_t i = 0; i < points; ++i )
		{
			for ( size_t b = 0; b < bones; ++b )
			{
				sums[b] += finder->c[i * bones + b] * y[i * columns + k];
			}
		}
		supDense_SolveCholesky( finder->gram, finder->boneCount, sums );
		for ( size_t i = 0; i < points; ++i )
		{
			double sum = 0.0;
			for ( size_t b = 0; b < bones; ++b )
			{
				sum += finder->z[i * bones + b] * sums[b];
			}
			y[i * columns + k] -= sum;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Iteration

// x := y V for the first `count` columns of V, rows of `vectors`, each times its factor.
static void Rotate( const double* y, size_t points, size_t columns, const double* vectors, const double* factors,
					double* x )
{
	for ( size_t i = 0; i < points; ++i )
	{
		for ( size_t k = 0; k < columns; ++k )
		{
			double sum = 0.0;
			for ( size_t j = 0; j < columns; ++j )
			{
				sum += y[i * columns + j] * vectors[k * columns + j];
			}
			x[i * columns + k] = sum * factors[k];
		}
	}
}

// Of a = xᵀ diag( m ) y; all of it.
static void FillProducts( const double* x, const double* y, const double* masses, size_t points, size_t columns,
						  double* a )
{
	memset( a, 0, columns * columns * sizeof( double ) );
	for ( size_t i = 0; i < points; ++i )
	{
		for ( size_t j = 0; j < columns; ++j )
		{
			double own = x[i * columns + j] * ( masses != NULL ? masses[i] : 1.0 );
			for ( size_t k = 0; k < columns; ++k )
			{
				a[j * columns + k] += own * y[i * columns + k];
			}
		}
	}
}

// Columns of x become orthonormal by mass and Ritz vectors of L, the stiffest first. Returns how many there are; those
// that depend on others become zero.
static bool FindRitz( Finder* finder )
{
	size_t points = (size_t)finder->body->pointCount, columns = (size_t)finder->columnCount;
	int32_t n = finder->columnCount;
	FillProducts( finder->y, finder->y, finder->body->masses, points, columns, finder->reduced );
	bool ok = supFindEigenvectors( finder->reduced, n, finder->values, finder->spare );
	for ( size_t k = 0; k < columns && ok; ++k )
	{
		double value = finder->values[k];
		finder->spare[k] = value > LEAST_LENGTH * finder->values[0] ? 1.0 / sqrt( value ) : 0.0;
	}
	Rotate( finder->y, points, columns, finder->reduced, finder->spare, finder->x );
	supBlockMatrix_Multiply( &finder->matrix, finder->x, finder->y, n, finder->body->tasks );
	FillProducts( finder->x, finder->y, NULL, points, columns, finder->reduced );
	ok = ok && supFindEigenvectors( finder->reduced, n, finder->values, finder->spare );
	for ( size_t k = 0; k < columns; ++k )
	{
		finder->spare[k] = 1.0;
	}
	memcpy( finder->y, finder->x, points * columns * sizeof( double ) );
	Rotate( finder->y, points, columns, finder->reduced, finder->spare, finder->x );
	return ok;
}

static bool Iterate( Finder* finder )
{
	const supModesBody* body = finder->body;
	size_t points = (size_t)body->pointCount, columns = (size_t)finder->columnCount;
	// anything that is at right angles to no mode
	uint32_t random = 1;
	for ( size_t i = 0; i < points * columns; ++i )
	{
		random = random * 1664525u + 1013904223u;
		finder->x[i] = (double)( random >> 8 ) / (double)( 1 << 24 ) - 0.5;
	}
	bool ok = true;
	for ( int32_t round = 0; round < ROUNDS && ok; ++round )
	{
		for ( size_t i = 0; i < points * columns; ++i )
		{
			finder->y[i] = finder->x[i] * body->masses[i / columns];
		}
		supFactor_Solve( &finder->factor, finder->y, finder->columnCount, finder->work, body->tasks );
		TakeOutRig( finder, finder->y );
		ok = FindRitz( finder );
	}
	return ok || supSetError( finder->error, sup_errorArgument, "modes", "the stiffness of the body is not finite" );
}

static bool Prepare( Finder* finder, int32_t count )
{
	const supModesBody* body = finder->body;
	int32_t columns = count + EXTRA < body->pointCount ? count + EXTRA : body->pointCount;
	finder->columnCount = columns;
	size_t n = (size_t)body->pointCount * (size_t)columns, square = (size_t)columns * (size_t)columns;
	size_t spare = (size_t)( columns > body->skin->boneCount ? columns : body->skin->boneCount );
	finder->x = supArena_AllocArray( &finder->arena, n, sizeof( double ) );
	finder->y = supArena_AllocArray( &finder->arena, n, sizeof( double ) );
	finder->reduced = supArena_AllocArray( &finder->arena, square, sizeof( double ) );
	finder->values = supArena_AllocArray( &finder->arena, (size_t)columns, sizeof( double ) );
	finder->spare = supArena_AllocArray( &finder->arena, spare, sizeof( double ) );
	finder->work = supArena_Alloc(
		&finder->arena, supFactor_ScratchSize( &finder->factor, columns, supGetWorkerCount( body->tasks ) ) );
	return finder->arena.failed == false || supSetMemoryError( finder->error );
}

// ---------------------------------------------------------------------------------------------------------------------
// What the motion of bones does

// Of all modes, the part that is there for the bones.
#define BONE_SHARE 2 / 3

// Beyond so many bones those next to each other in the skin respond together: the cost grows with the square.
#define MAX_RESPONSES 256

static int32_t ResponseCount( const supModesBody* body )
{
	return body->skin->boneCount < MAX_RESPONSES ? body->skin->boneCount : MAX_RESPONSES;
}

// L^-1 M W is how flesh follows when bones accelerate one by one. Of these as many combinations as `count`, those with
// the most motion first, at right angles to C as well. Returns how many there are.
static int32_t FindResponses( Finder* finder, int32_t count, double* responses, double* products )
{
	const supModesBody* body = finder->body;
	size_t points = (size_t)body->pointCount, bones = (size_t)ResponseCount( body );
	for ( size_t i = 0; i < SUP_MAX_INFLUENCES * points; ++i )
	{
		size_t point = i / SUP_MAX_INFLUENCES;
		size_t bone = body->skin->joints[i] * bones / (size_t)body->skin->boneCount;
		responses[point * bones + bone] += body->masses[point] * (double)body->skin->weights[i];
	}
	supFactor_Solve( &finder->factor, responses, (int32_t)bones, finder->work, body->tasks );
	int32_t columns = finder->columnCount;
	finder->columnCount = (int32_t)bones;
	TakeOutRig( finder, responses );
	finder->columnCount = columns;
	FillProducts( responses, responses, body->masses, points, bones, products );
	double* values = products + bones * bones;
	if ( supFindEigenvectors( products, (int32_t)bones, values, values + bones ) == false )
	{
		return 0;
	}
	int32_t found = 0;
	while ( found < count && found < (int32_t)bones && values[found] > LEAST_RESPONSE * values[0] )
	{
		found += 1;
	}
	return found;
}

static double LargestOf( const double* x, int64_t points, int64_t columns, int64_t column )
{
	double largest = 0.0;
	for ( int64_t i = 0; i < points; ++i )
	{
		largest = fabs( x[i * columns + column] ) > fabs( largest ) ? x[i * columns + column] : largest;
	}
	return largest;
}

// A column as the weights of mode `mode` of `count`, the largest 1 and positive.
static void CopyShape( const double* x, int64_t points, int64_t columns, int64_t column, double* shapes, int32_t mode,
					   int32_t count )
{
	double largest = LargestOf( x, points, columns, column );
	for ( int64_t i = 0; i < points; ++i )
	{
		shapes[i * count + mode] = largest != 0.0 ? x[i * columns + column] / largest : 0.0;
	}
}

// What bones do first, then the slowest eigenvectors. Functions that depend on others are found out by reduce.c.
static bool CopyShapes( Finder* finder, int32_t count, double* shapes, int32_t* found )
{
	const supModesBody* body = finder->body;
	size_t points = (size_t)body->pointCount, bones = (size_t)ResponseCount( body );
	double* responses = supArena_AllocZeroed( &finder->arena, points * bones * sizeof( double ) );
	double* products = supArena_AllocArray( &finder->arena, ( bones + 2 ) * bones, sizeof( double ) );
	double* column = supArena_AllocArray( &finder->arena, points, sizeof( double ) );
	finder->work = supArena_Alloc( &finder->arena, supFactor_ScratchSize( &finder->factor, ResponseCount( body ),
																		  supGetWorkerCount( body->tasks ) ) );
	if ( finder->arena.failed )
	{
		return supSetMemoryError( finder->error );
	}
	int32_t most = count * BONE_SHARE, responding = FindResponses( finder, most, responses, products );
	int32_t left = count - responding, slowest = left < finder->columnCount ? left : finder->columnCount;
	*found = responding + slowest;
	for ( int32_t m = 0; m < responding; ++m )
	{
		for ( size_t i = 0; i < points; ++i )
		{
			column[i] = 0.0;
			for ( size_t b = 0; b < bones; ++b )
			{
				column[i] += responses[i * bones + b] * products[(size_t)m * bones + b];
			}
		}
		CopyShape( column, body->pointCount, 1, 0, shapes, m, *found );
	}
	for ( int32_t m = 0; m < slowest; ++m )
	{
		CopyShape( finder->x, body->pointCount, finder->columnCount, finder->columnCount - 1 - m, shapes,
				   responding + m, *found );
	}
	return true;
}

bool supFindModeShapes( const supModesBody* body, int32_t count, double* shapes, int32_t* found, supError* error )
{
	Finder finder = { .body = body, .error = error };
	bool ok = Assemble( &finder ) && FindRig( &finder ) && Prepare( &finder, count ) && Iterate( &finder );
	ok = ok && CopyShapes( &finder, count, shapes, found );
	supFactor_Destroy( &finder.factor );
	supSymbolic_Destroy( &finder.symbolic );
	supBlockMatrix_Destroy( &finder.matrix );
	supArena_Destroy( &finder.arena );
	return ok;
}
