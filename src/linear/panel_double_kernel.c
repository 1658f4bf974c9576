// SPDX-License-Identifier: MIT
#include "linear/panel.h"
#include "linear/wide_double.h"

#define REAL double
#define WIDE supDouble4
#define TILE 4
#define PRECISION sup_precisionDouble
#define EPSILON 2.220446049250313e-16
#define LOAD( p ) supLoad4d( p )
#define STORE( p, a ) supStore4d( p, a )
#define SPLAT( a ) supSplat4d( a )
#define SUM( a ) supSum4d( a )
#define SUMS( p ) supSums4d( p )
#define NAME( name ) SUP_KERNEL( name##Double )
#include "linear/panel_factor_template.h"
#include "linear/panel_solve_template.h"
