// SPDX-License-Identifier: MIT
#pragma once

#include "core/core.h"

// Eigenvalues of a symmetric matrix, largest first, and its orthonormal eigenvectors, in double precision: Householder
// reduction to tridiagonal form, then QL with implicit shifts (Bowdler, Martin, Reinsch & Wilkinson 1968). About 9 n^3
// operations.
// - a: n * n, all of it filled; vector k comes back in a[k * n] .. a[k * n + n - 1]
// - values, scratch: n each
// Returns false where the iteration does not converge, as with entries that are not finite.
bool supFindEigenvectors( double* a, int32_t n, double* values, double* scratch );
