// SPDX-License-Identifier: MIT
// CHOLMOD as an oracle.
#pragma once

#include "linear/block_matrix.h"

#include <stdlib.h>
#include <suitesparse/cholmod.h>

// The lower triangle.
static inline cholmod_sparse* oracleMakeSparse( const supBlockMatrix* m, cholmod_common* common )
{
	size_t n = (size_t)m->unknownCount, most = (size_t)m->blockStarts[m->blockCount];
	cholmod_triplet* triplet = cholmod_allocate_triplet( n, n, most, -1, CHOLMOD_REAL, common );
	if ( triplet == NULL )
	{
		abort();
	}
	int *rows = triplet->i, *columns = triplet->j;
	double* values = triplet->x;
	for ( int32_t row = 0; row < m->nodeCount; ++row )
	{
		int32_t rowCount = m->offsets[row + 1] - m->offsets[row];
		for ( int32_t k = m->rowStarts[row]; k < m->rowStarts[row + 1]; ++k )
		{
			for ( int32_t i = 0; i < m->blockStarts[k + 1] - m->blockStarts[k]; ++i )
			{
				int32_t r = m->offsets[row] + i % rowCount, c = m->offsets[m->columns[k]] + i / rowCount;
				if ( r >= c )
				{
					rows[triplet->nnz] = r;
					columns[triplet->nnz] = c;
					values[triplet->nnz++] = supBlockMatrix_Block( m, k )[i];
				}
			}
		}
	}
	cholmod_sparse* sparse = cholmod_triplet_to_sparse( triplet, triplet->nnz, common );
	cholmod_free_triplet( &triplet, common );
	return sparse;
}

// b[unknown * columns + c] as a CHOLMOD matrix.
static inline cholmod_dense* oracleMakeDense( const double* b, int32_t n, int32_t columns, cholmod_common* common )
{
	cholmod_dense* dense = cholmod_allocate_dense( (size_t)n, (size_t)columns, (size_t)n, CHOLMOD_REAL, common );
	if ( dense == NULL )
	{
		abort();
	}
	for ( int32_t i = 0; i < n; ++i )
	{
		for ( int32_t c = 0; c < columns; ++c )
		{
			( (double*)dense->x )[c * n + i] = b[i * columns + c];
		}
	}
	return dense;
}
