// SPDX-License-Identifier: MIT
#pragma once

// e^x for x <= 0 out of additions, multiplications and divisions only, so that the same input gives the same bits on
// every machine; relative error below 1e-12.
double supExpNegative( double x );
