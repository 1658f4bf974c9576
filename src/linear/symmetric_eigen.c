// SPDX-License-Identifier: MIT
#include "linear/symmetric_eigen.h"

#include <float.h>
#include <math.h>

#define MOST_ITERATIONS 60

// Row i of the matrix; the products of reflections and rotations are kept row by row, so that row k ends as vector k.
static double* RowOf( double* a, int32_t n, int32_t row )
{
	return a + (size_t)row * (size_t)n;
}

// The part of one Householder step that changes rows 0 .. i - 1: A -= u p^T + p u^T with u in row i and p in e.
static void ApplyReflection( double* a, int32_t n, int32_t i, double h, double* e )
{
	const double* u = RowOf( a, n, i );
	double f = 0.0;
	for ( int32_t j = 0; j < i; ++j )
	{
		double g = 0.0;
		const double* row = RowOf( a, n, j );
		for ( int32_t k = 0; k <= j; ++k )
		{
			g += row[k] * u[k];
		}
		for ( int32_t k = j + 1; k < i; ++k )
		{
			g += RowOf( a, n, k )[j] * u[k];
		}
		e[j] = g / h;
		f += e[j] * u[j];
	}
	double half = f / ( h + h );
	for ( int32_t j = 0; j < i; ++j )
	{
		double own = u[j];
		e[j] -= half * own;
		double* row = RowOf( a, n, j );
		for ( int32_t k = 0; k <= j; ++k )
		{
			row[k] -= own * e[k] + e[j] * u[k];
		}
	}
}

// Tridiagonal form: `d` gets the scales of the reflections for now, `e` the entries beside the diagonal. Vectors u stay
// in the rows of the lower half.
static void Reduce( double* a, int32_t n, double* d, double* e )
{
	for ( int32_t i = n - 1; i > 0; --i )
	{
		double* u = RowOf( a, n, i );
		double scale = 0.0, h = 0.0;
		for ( int32_t k = 0; k < i; ++k )
		{
			scale += fabs( u[k] );
		}
		if ( i == 1 || scale == 0.0 )
		{
			e[i] = u[i - 1];
			d[i] = 0.0;
			continue;
		}
		for ( int32_t k = 0; k < i; ++k )
		{
			u[k] /= scale;
			h += u[k] * u[k];
		}
		double g = u[i - 1] > 0.0 ? -sqrt( h ) : sqrt( h );
		h -= u[i - 1] * g;
		u[i - 1] -= g;
		// the last entry of e is free until its own step
		ApplyReflection( a, n, i, h, e );
		e[i] = scale * g;
		d[i] = h;
	}
	e[0] = 0.0;
	d[0] = 0.0;
}

// The product of all reflections, in place; `d` gets the diagonal. Columns are stored as columns here.
static void Accumulate( double* a, int32_t n, double* d )
{
	for ( int32_t i = 0; i < n; ++i )
	{
		double* u = RowOf( a, n, i );
		for ( int32_t j = 0; j < i && d[i] != 0.0; ++j )
		{
			double g = 0.0;
			for ( int32_t k = 0; k < i; ++k )
			{
				g += u[k] * RowOf( a, n, k )[j];
			}
			g /= d[i];
			for ( int32_t k = 0; k < i; ++k )
			{
				RowOf( a, n, k )[j] -= g * u[k];
			}
		}
		d[i] = u[i];
		u[i] = 1.0;
		for ( int32_t j = 0; j < i; ++j )
		{
			RowOf( a, n, j )[i] = u[j] = 0.0;
		}
	}
}

static void Transpose( double* a, int32_t n )
{
	for ( int32_t i = 0; i < n; ++i )
	{
		for ( int32_t k = 0; k < i; ++k )
		{
			double other = RowOf( a, n, i )[k];
			RowOf( a, n, i )[k] = RowOf( a, n, k )[i];
			RowOf( a, n, k )[i] = other;
		}
	}
}

// One sweep of rotations from m up to l, also of the vectors in rows.
static void Sweep( double* a, int32_t n, double* d, double* e, int32_t l, int32_t m )
{
	double g = ( d[l + 1] - d[l] ) / ( 2.0 * e[l] );
	double r = sqrt( g * g + 1.0 );
	g = d[m] - d[l] + e[l] / ( g + ( g >= 0.0 ? r : -r ) );
	double s = 1.0, c = 1.0, p = 0.0;
	for ( int32_t i = m - 1; i >= l; --i )
	{
		double f = s * e[i], b = c * e[i];
		r = sqrt( f * f + g * g );
		e[i + 1] = r;
		if ( r == 0.0 )
		{
			d[i + 1] -= p;
			e[m] = 0.0;
			return;
		}
		s = f / r;
		c = g / r;
		g = d[i + 1] - p;
		r = ( d[i] - g ) * s + 2.0 * c * b;
		p = s * r;
		d[i + 1] = g + p;
		g = c * r - b;
		double* low = RowOf( a, n, i );
		double* high = RowOf( a, n, i + 1 );
		for ( int32_t k = 0; k < n; ++k )
		{
			double x = high[k];
			high[k] = s * low[k] + c * x;
			low[k] = c * low[k] - s * x;
		}
	}
	d[l] -= p;
	e[l] = g;
	e[m] = 0.0;
}

static bool Diagonalise( double* a, int32_t n, double* d, double* e )
{
	for ( int32_t i = 1; i < n; ++i )
	{
		e[i - 1] = e[i];
	}
	e[n - 1] = 0.0;
	for ( int32_t l = 0; l < n; ++l )
	{
		for ( int32_t iteration = 0;; ++iteration )
		{
			int32_t m = l;
			while ( m < n - 1 && fabs( e[m] ) > DBL_EPSILON * ( fabs( d[m] ) + fabs( d[m + 1] ) ) )
			{
				m += 1;
			}
			if ( m == l )
			{
				break;
			}
			if ( iteration == MOST_ITERATIONS )
			{
				return false;
			}
			Sweep( a, n, d, e, l, m );
		}
	}
	return true;
}

static void SortLargestFirst( double* a, int32_t n, double* values )
{
	for ( int32_t i = 0; i < n; ++i )
	{
		int32_t best = i;
		for ( int32_t k = i + 1; k < n; ++k )
		{
			best = values[k] > values[best] ? k : best;
		}
		double value = values[i];
		values[i] = values[best];
		values[best] = value;
		for ( int32_t k = 0; k < n && best != i; ++k )
		{
			double x = RowOf( a, n, i )[k];
			RowOf( a, n, i )[k] = RowOf( a, n, best )[k];
			RowOf( a, n, best )[k] = x;
		}
	}
}

bool supFindEigenvectors( double* a, int32_t n, double* values, double* scratch )
{
	for ( int64_t i = 0; i < (int64_t)n * n; ++i )
	{
		if ( !( fabs( a[i] ) <= DBL_MAX ) )
		{
			return false;
		}
	}
	Reduce( a, n, values, scratch );
	Accumulate( a, n, values );
	Transpose( a, n );
	if ( Diagonalise( a, n, values, scratch ) == false )
	{
		return false;
	}
	SortLargestFirst( a, n, values );
	return true;
}
