// SPDX-License-Identifier: MIT
// Kernels: hot loops that are compiled once per instruction set and chosen at run time.
//
// A file named *_kernel.c is compiled twice on x86: for the baseline (SSE2) and with -mavx2. It defines its functions
// as
//     void SUP_KERNEL( supSkinLinear )( const supSkinJob* job, ... ) { ... }
// its header declares them once,
//     SUP_DECLARE_KERNEL( void, supSkinLinear, ( const supSkinJob* job, ... ) );
// and the rest of the library calls
//     SUP_CALL_KERNEL( supSkinLinear )( &job, ... );
// Wide arithmetic is element by element without contraction and FMA is never enabled, so that both give the same bits.
// Everything else in a kernel file must be static.
#pragma once

#include "core/core.h"

#define SUP_KERNEL_JOIN2( name, set ) name##_##set
#define SUP_KERNEL_JOIN( name, set ) SUP_KERNEL_JOIN2( name, set )

#ifdef SUP_KERNEL_SET
#define SUP_KERNEL( name ) SUP_KERNEL_JOIN( name, SUP_KERNEL_SET )
#endif

#define SUP_DECLARE_KERNEL( type, name, arguments )                                                                    \
	type name##_base arguments;                                                                                        \
	type name##_avx2 arguments

#if defined( SUP_HAVE_AVX2 )
#define SUP_CALL_KERNEL( name ) ( supGetInstructionSet() == sup_instructionsAvx2 ? name##_avx2 : name##_base )
#else
#define SUP_CALL_KERNEL( name ) name##_base
#endif
