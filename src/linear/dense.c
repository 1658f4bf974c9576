// SPDX-License-Identifier: MIT
#include "linear/dense.h"

#include "linear/dense_kernel.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------------------------------
// Cholesky

int32_t supDense_FactorCholesky( double* a, int32_t n )
{
	for ( int32_t j = 0; j < n; ++j )
	{
		double* column = a + (size_t)j * (size_t)n;
		double pivot = column[j];
		if ( !( pivot > 0.0 ) || !( pivot < INFINITY ) )
		{
			return j;
		}
		double inverse = 1.0 / sqrt( pivot );
		for ( int32_t i = j; i < n; ++i )
		{
			column[i] *= inverse;
		}
		for ( int32_t k = j + 1; k < n; ++k )
		{
			double* target = a + (size_t)k * (size_t)n;
			double factor = column[k];
			for ( int32_t i = k; i < n; ++i )
			{
				target[i] -= column[i] * factor;
			}
		}
	}
	return -1;
}

void supDense_SolveCholesky( const double* factor, int32_t n, double* x )
{
	for ( int32_t j = 0; j < n; ++j )
	{
		const double* column = factor + (size_t)j * (size_t)n;
		x[j] /= column[j];
		for ( int32_t i = j + 1; i < n; ++i )
		{
			x[i] -= column[i] * x[j];
		}
	}
	for ( int32_t j = n - 1; j >= 0; --j )
	{
		const double* column = factor + (size_t)j * (size_t)n;
		double sum = x[j];
		for ( int32_t i = j + 1; i < n; ++i )
		{
			sum -= column[i] * x[i];
		}
		x[j] = sum / column[j];
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// LU

int32_t supDense_FactorLu( double* a, int32_t n, int32_t* exchanges )
{
	int32_t bad = -1;
	for ( int32_t j = 0; j < n; ++j )
	{
		double* column = a + (size_t)j * (size_t)n;
		int32_t best = j;
		for ( int32_t i = j + 1; i < n; ++i )
		{
			best = fabs( column[i] ) > fabs( column[best] ) ? i : best;
		}
		exchanges[j] = best;
		if ( !( fabs( column[best] ) > 0.0 ) || !( fabs( column[best] ) < INFINITY ) )
		{
			bad = bad < 0 ? j : bad;
			continue;
		}
		for ( int32_t k = 0; k < n; ++k )
		{
			double* other = a + (size_t)k * (size_t)n;
			double swap = other[j];
			other[j] = other[best];
			other[best] = swap;
		}
		double inverse = 1.0 / column[j];
		for ( int32_t i = j + 1; i < n; ++i )
		{
			column[i] *= inverse;
		}
		for ( int32_t k = j + 1; k < n; ++k )
		{
			double* target = a + (size_t)k * (size_t)n;
			for ( int32_t i = j + 1; i < n; ++i )
			{
				target[i] -= column[i] * target[j];
			}
		}
	}
	return bad;
}

void supDense_SolveLu( const double* factor, int32_t n, const int32_t* exchanges, double* x )
{
	for ( int32_t j = 0; j < n; ++j )
	{
		double swap = x[j];
		x[j] = x[exchanges[j]];
		x[exchanges[j]] = swap;
	}
	for ( int32_t j = 0; j < n; ++j )
	{
		const double* column = factor + (size_t)j * (size_t)n;
		for ( int32_t i = j + 1; i < n; ++i )
		{
			x[i] -= column[i] * x[j];
		}
	}
	for ( int32_t j = n - 1; j >= 0; --j )
	{
		const double* column = factor + (size_t)j * (size_t)n;
		x[j] /= column[j];
		for ( int32_t i = 0; i < j; ++i )
		{
			x[i] -= column[i] * x[j];
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Symmetric indefinite

// Balances the growth of one and two step pivots (Bunch & Kaufman 1977).
#define ALPHA 0.6403882032022076

typedef struct Symmetric
{
	double* a;
	int32_t n;
	int32_t* order;
} Symmetric;

static double Entry( const Symmetric* s, int32_t i, int32_t j )
{
	return i >= j ? s->a[(size_t)j * (size_t)s->n + (size_t)i] : s->a[(size_t)i * (size_t)s->n + (size_t)j];
}

// The largest entry of row `row` of what is left from `k` on, off the diagonal.
static double LargestInRow( const Symmetric* s, int32_t k, int32_t row, int32_t* where )
{
	double largest = 0.0;
	*where = row;
	for ( int32_t j = k; j < s->n; ++j )
	{
		double size = j != row ? fabs( Entry( s, row, j ) ) : 0.0;
		if ( size > largest )
		{
			largest = size;
			*where = j;
		}
	}
	return largest;
}

static void SwapDoubles( double* a, double* b )
{
	double swap = *a;
	*a = *b;
	*b = swap;
}

// Exchanges rows and columns p < q of what is left and of L.
static void Exchange( const Symmetric* s, int32_t p, int32_t q )
{
	if ( p == q )
	{
		return;
	}
	double* a = s->a;
	size_t n = (size_t)s->n;
	int32_t swap = s->order[p];
	s->order[p] = s->order[q];
	s->order[q] = swap;
	for ( int32_t j = 0; j < p; ++j )
	{
		SwapDoubles( a + (size_t)j * n + p, a + (size_t)j * n + q );
	}
	SwapDoubles( a + (size_t)p * n + p, a + (size_t)q * n + q );
	for ( int32_t i = p + 1; i < q; ++i )
	{
		SwapDoubles( a + (size_t)p * n + i, a + (size_t)i * n + q );
	}
	for ( int32_t i = q + 1; i < s->n; ++i )
	{
		SwapDoubles( a + (size_t)p * n + i, a + (size_t)q * n + i );
	}
}

// Brings a pivot to row k, or to rows k and k + 1. Returns its size, 0 where all that is left of column k is tiny.
static int32_t ChoosePivot( const Symmetric* s, int32_t k, double tiny )
{
	int32_t row;
	double columnMost = LargestInRow( s, k, k, &row );
	double own = fabs( Entry( s, k, k ) );
	if ( !( own > tiny || columnMost > tiny ) )
	{
		return 0;
	}
	if ( own >= ALPHA * columnMost )
	{
		return 1;
	}
	for ( int32_t previous = k;; )
	{
		int32_t where;
		double rowMost = LargestInRow( s, k, row, &where );
		if ( fabs( Entry( s, row, row ) ) >= ALPHA * rowMost )
		{
			Exchange( s, k, row );
			return 1;
		}
		if ( where == previous || !( rowMost > columnMost ) )
		{
			int32_t low = previous < row ? previous : row, high = previous < row ? row : previous;
			Exchange( s, k, low );
			Exchange( s, k + 1, high );
			return 2;
		}
		previous = row;
		columnMost = rowMost;
		row = where;
	}
}

void supInvertPivot( double a, double b, double c, double inverse[3] )
{
	// divided by b first: the product of the diagonal may overflow or vanish where the pivot is harmless
	double p = a / b, q = c / b;
	double scale = 1.0 / ( b * ( p * q - 1.0 ) );
	inverse[0] = q * scale;
	inverse[1] = -scale;
	inverse[2] = p * scale;
}

supPivots supDense_FactorIndefinite( double* a, int32_t n, int32_t* order, double* diagonal, double* offDiagonal,
									 double scale, double tiny, double repair )
{
	supPivots pivots = { .firstBad = -1, .smallest = 1.0 };
	Symmetric s = { a, n, order };
	for ( int32_t i = 0; i < n; ++i )
	{
		order[i] = i;
		offDiagonal[i] = 0.0;
	}
	for ( int32_t k = 0; k < n; )
	{
		int32_t size = ChoosePivot( &s, k, tiny );
		double* pivot = a + (size_t)k * (size_t)n + k;
		if ( size == 2 )
		{
			double inverse[3];
			diagonal[k] = pivot[0];
			offDiagonal[k] = pivot[1];
			diagonal[k + 1] = pivot[n + 1];
			supInvertPivot( pivot[0], pivot[1], pivot[n + 1], inverse );
			SUP_CALL_KERNEL( supEliminateTwo )( a, n, k, inverse );
			// not part of L
			pivot[1] = 0.0;
			pivots.negative += 1;
			k += 2;
			continue;
		}
		if ( size == 0 )
		{
			pivots.repaired += 1;
			pivots.firstBad = pivots.firstBad < 0 ? order[k] : pivots.firstBad;
			pivot[0] = pivot[0] < 0.0 ? -repair : repair;
		}
		double share = scale > 0.0 ? fabs( pivot[0] ) / scale : 0.0;
		pivots.smallest = share < pivots.smallest ? share : pivots.smallest;
		pivots.negative += pivot[0] < 0.0;
		diagonal[k] = pivot[0];
		SUP_CALL_KERNEL( supEliminateOne )( a, n, k, 1.0 / pivot[0] );
		k += 1;
	}
	return pivots;
}
