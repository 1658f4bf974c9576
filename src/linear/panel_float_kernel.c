// SPDX-License-Identifier: MIT
#include "linear/panel.h"
#include "linear/wide_double.h"

#define REAL float
#define WIDE supFloat8
#define TILE 8
#define PRECISION sup_precisionFloat
#define EPSILON 1.1920928955078125e-7
#define LOAD( p ) supLoad8( p )
#define STORE( p, a ) supStore8( p, a )
#define SPLAT( a ) supSplat8( a )
#define SUM( a ) supSum8( a )
#define SUMS( p ) supSums8( p )
#define NAME( name ) SUP_KERNEL( name##Float )
#include "linear/panel_factor_template.h"
#include "linear/panel_solve_template.h"
