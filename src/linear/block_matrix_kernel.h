// SPDX-License-Identifier: MIT
#pragma once

#include "core/kernel.h"
#include "linear/block_matrix.h"

// Rows [begin, end) of nodes.
SUP_DECLARE_KERNEL( void, supMultiplyRows,
					( const supBlockMatrix* matrix, const double* x, double* y, int32_t columns, int32_t begin,
					  int32_t end ) );
