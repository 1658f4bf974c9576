// SPDX-License-Identifier: MIT
// Businger & Golub 1965; Golub & Van Loan, algorithm 5.4.1.
#include "qr.h"

#include <math.h>

bool testQr_Create( testQr* qr, int32_t unknownCount, int32_t maxConstraints, int32_t maxTouched, supError* error )
{
	SUP_ASSERT( unknownCount >= 0 && maxConstraints >= 0 && maxTouched >= 0 );
	memset( qr, 0, sizeof( *qr ) );
	qr->unknownCount = unknownCount;
	qr->maxConstraints = maxConstraints;
	qr->maxTouched = maxTouched;
	supArena* arena = &qr->arena;
	size_t columns = (size_t)maxConstraints, rows = (size_t)maxTouched;
	qr->touched = supArena_AllocArray( arena, rows, sizeof( int32_t ) );
	qr->local = supArena_AllocArray( arena, (size_t)unknownCount, sizeof( int32_t ) );
	qr->matrix = supArena_AllocArray( arena, columns * rows, sizeof( double ) );
	double** arrays[] = { &qr->heads, &qr->factors, &qr->lengths, &qr->remaining };
	for ( int i = 0; i < SUP_COUNT( arrays ); ++i )
	{
		*arrays[i] = supArena_AllocArray( arena, columns, sizeof( double ) );
	}
	qr->order = supArena_AllocArray( arena, columns, sizeof( int32_t ) );
	qr->states = supArena_AllocArray( arena, columns, sizeof( testConstraintState ) );
	qr->work = supArena_AllocArray( arena, rows + columns, sizeof( double ) );
	if ( arena->failed )
	{
		testQr_Destroy( qr );
		return supSetMemoryError( error );
	}
	memset( qr->local, 0xff, (size_t)unknownCount * sizeof( int32_t ) );
	return true;
}

void testQr_Destroy( testQr* qr )
{
	supArena_Destroy( &qr->arena );
	memset( qr, 0, sizeof( *qr ) );
}

static double* Column( const testQr* qr, int32_t column )
{
	return qr->matrix + (size_t)column * (size_t)qr->touchedCount;
}

// ---------------------------------------------------------------------------------------------------------------------
// Factoring

static void Forget( testQr* qr )
{
	for ( int32_t i = 0; i < qr->touchedCount; ++i )
	{
		qr->local[qr->touched[i]] = -1;
	}
	qr->touchedCount = 0;
	qr->constraintCount = 0;
	qr->rank = 0;
}

static bool CollectTouched( testQr* qr, int32_t entryCount, const int32_t* unknowns )
{
	for ( int32_t k = 0; k < entryCount; ++k )
	{
		SUP_ASSERT( unknowns[k] >= 0 && unknowns[k] < qr->unknownCount );
		if ( qr->local[unknowns[k]] >= 0 )
		{
			continue;
		}
		if ( qr->touchedCount == qr->maxTouched )
		{
			return false;
		}
		qr->local[unknowns[k]] = qr->touchedCount;
		qr->touched[qr->touchedCount++] = unknowns[k];
	}
	return true;
}

static double Length( const double* values, int32_t begin, int32_t end )
{
	double largest = 0.0, sum = 0.0;
	for ( int32_t i = begin; i < end; ++i )
	{
		double size = fabs( values[i] );
		largest = size > largest ? size : largest;
	}
	if ( !( largest > 0.0 && largest < INFINITY ) )
	{
		return 0.0;
	}
	for ( int32_t i = begin; i < end; ++i )
	{
		sum += ( values[i] / largest ) * ( values[i] / largest );
	}
	return largest * sqrt( sum );
}

// The constraints as columns of length 1; those without length stay zero.
static void FillColumns( testQr* qr, const int32_t* starts, const int32_t* unknowns, const double* values )
{
	for ( int32_t i = 0; i < qr->constraintCount; ++i )
	{
		double* column = Column( qr, i );
		memset( column, 0, (size_t)qr->touchedCount * sizeof( double ) );
		for ( int32_t k = starts[i]; k < starts[i + 1]; ++k )
		{
			column[qr->local[unknowns[k]]] += values[k];
		}
		qr->lengths[i] = Length( column, 0, qr->touchedCount );
		for ( int32_t k = 0; k < qr->touchedCount; ++k )
		{
			column[k] = qr->lengths[i] > 0.0 ? column[k] / qr->lengths[i] : 0.0;
		}
		qr->remaining[i] = qr->lengths[i] > 0.0 ? 1.0 : 0.0;
		qr->order[i] = i;
		qr->states[i] = test_constraintDependent;
	}
}

static void ExchangeColumns( testQr* qr, int32_t a, int32_t b )
{
	double *x = Column( qr, a ), *y = Column( qr, b );
	for ( int32_t i = 0; a != b && i < qr->touchedCount; ++i )
	{
		double swap = x[i];
		x[i] = y[i];
		y[i] = swap;
	}
	int32_t order = qr->order[a];
	qr->order[a] = qr->order[b];
	qr->order[b] = order;
	double remaining = qr->remaining[a];
	qr->remaining[a] = qr->remaining[b];
	qr->remaining[b] = remaining;
}

// x := ( I - factor v vt ) x, where v is reflection k.
static void Reflect( const testQr* qr, int32_t k, double* x )
{
	const double* v = Column( qr, k );
	double sum = qr->heads[k] * x[k];
	for ( int32_t i = k + 1; i < qr->touchedCount; ++i )
	{
		sum += v[i] * x[i];
	}
	sum *= qr->factors[k];
	x[k] -= sum * qr->heads[k];
	for ( int32_t i = k + 1; i < qr->touchedCount; ++i )
	{
		x[i] -= sum * v[i];
	}
}

// Turns column k into ( ..., -+ length, 0 ... ); the reflection stays where the zeros would be.
static void MakeReflection( testQr* qr, int32_t k, double length )
{
	double* column = Column( qr, k );
	double own = column[k];
	double result = own > 0.0 ? -length : length;
	qr->heads[k] = own - result;
	qr->factors[k] = 1.0 / ( length * ( length + fabs( own ) ) );
	column[k] = result;
}

bool testQr_Factor( testQr* qr, int32_t constraintCount, const int32_t* starts, const int32_t* unknowns,
					const double* values, double tolerance )
{
	Forget( qr );
	if ( constraintCount > qr->maxConstraints )
	{
		return false;
	}
	if ( constraintCount > 0 && CollectTouched( qr, starts[constraintCount], unknowns ) == false )
	{
		Forget( qr );
		return false;
	}
	qr->constraintCount = constraintCount;
	FillColumns( qr, starts, unknowns, values );
	int32_t most = constraintCount < qr->touchedCount ? constraintCount : qr->touchedCount;
	for ( int32_t k = 0; k < most; ++k )
	{
		int32_t best = k;
		for ( int32_t j = k; j < constraintCount; ++j )
		{
			// measured again each time: updating the lengths instead loses the digits that tell the rank
			qr->remaining[j] = Length( Column( qr, j ), k, qr->touchedCount );
			best = qr->remaining[j] > qr->remaining[best] ? j : best;
		}
		if ( !( qr->remaining[best] > tolerance ) )
		{
			break;
		}
		ExchangeColumns( qr, k, best );
		MakeReflection( qr, k, qr->remaining[k] );
		for ( int32_t j = k + 1; j < constraintCount; ++j )
		{
			Reflect( qr, k, Column( qr, j ) );
		}
		qr->states[qr->order[k]] = test_constraintIndependent;
		qr->rank = k + 1;
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Using it

// work := the touched unknowns, turned by Qt
static void TurnIn( const testQr* qr, const double* x )
{
	for ( int32_t i = 0; i < qr->touchedCount; ++i )
	{
		qr->work[i] = x[qr->touched[i]];
	}
	for ( int32_t k = 0; k < qr->rank; ++k )
	{
		Reflect( qr, k, qr->work );
	}
}

static void TurnOut( const testQr* qr, double* x )
{
	for ( int32_t k = qr->rank - 1; k >= 0; --k )
	{
		Reflect( qr, k, qr->work );
	}
	for ( int32_t i = 0; i < qr->touchedCount; ++i )
	{
		x[qr->touched[i]] = qr->work[i];
	}
}

static double ScaledTarget( const testQr* qr, const double* targets, int32_t constraint )
{
	double length = qr->lengths[constraint];
	return length > 0.0 ? targets[constraint] / length : targets[constraint];
}

// Rt y = targets, from the top: y goes into the first numbers of what Qt x would be.
static void SolveTargets( const testQr* qr, const double* targets, double* y )
{
	for ( int32_t k = 0; k < qr->rank; ++k )
	{
		const double* column = Column( qr, k );
		double sum = ScaledTarget( qr, targets, qr->order[k] );
		for ( int32_t i = 0; i < k; ++i )
		{
			sum -= column[i] * y[i];
		}
		y[k] = sum / column[k];
	}
}

static int32_t FindConflicts( testQr* qr, const double* targets, double tolerance, const double* y )
{
	double largest = 0.0;
	for ( int32_t i = 0; i < qr->constraintCount; ++i )
	{
		double size = fabs( ScaledTarget( qr, targets, i ) );
		largest = size > largest ? size : largest;
	}
	int32_t conflicts = 0;
	for ( int32_t k = qr->rank; k < qr->constraintCount; ++k )
	{
		const double* column = Column( qr, k );
		double sum = -ScaledTarget( qr, targets, qr->order[k] );
		for ( int32_t i = 0; i < qr->rank; ++i )
		{
			sum += column[i] * y[i];
		}
		bool conflict = !( fabs( sum ) <= tolerance * largest );
		qr->states[qr->order[k]] = conflict ? test_constraintConflict : test_constraintDependent;
		conflicts += conflict;
	}
	return conflicts;
}

int32_t testQr_Fulfil( testQr* qr, const double* targets, double tolerance, double* x )
{
	double* y = qr->work + qr->touchedCount;
	SolveTargets( qr, targets, y );
	int32_t conflicts = FindConflicts( qr, targets, tolerance, y );
	TurnIn( qr, x );
	memcpy( qr->work, y, (size_t)qr->rank * sizeof( double ) );
	TurnOut( qr, x );
	return conflicts;
}

void testQr_Project( double* x, void* context )
{
	const testQr* qr = context;
	TurnIn( qr, x );
	memset( qr->work, 0, (size_t)qr->rank * sizeof( double ) );
	TurnOut( qr, x );
}
