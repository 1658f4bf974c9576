// SPDX-License-Identifier: MIT
// The inner loops of dense.c.
#pragma once

#include "core/kernel.h"

// What eliminating row k, or rows k and k + 1, of a symmetric matrix takes from what is left below, lower triangle; the
// columns become those of L.
SUP_DECLARE_KERNEL( void, supEliminateOne, ( double* a, int32_t n, int32_t k, double inverse ) );
SUP_DECLARE_KERNEL( void, supEliminateTwo, ( double* a, int32_t n, int32_t k, const double inverse[3] ) );

// The largest size among numbers; 0 for none.
SUP_DECLARE_KERNEL( double, supLargestSize, ( const double* values, int64_t count ) );
