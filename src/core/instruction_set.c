// SPDX-License-Identifier: MIT
#include "core/kernel.h"

#include <stdatomic.h>

static bool IsSupported( supInstructionSet set )
{
	switch ( set )
	{
		case sup_instructionsBaseline:
			return true;
		case sup_instructionsAvx2:
#if defined( SUP_HAVE_AVX2 )
			return __builtin_cpu_supports( "avx2" ) != 0;
#else
			return false;
#endif
		default:
			return false;
	}
}

// -1: not chosen yet. Two threads that choose at once choose the same.
static _Atomic int s_set = -1;

supInstructionSet supGetInstructionSet( void )
{
	int set = atomic_load_explicit( &s_set, memory_order_relaxed );
	if ( SUP_UNLIKELY( set < 0 ) )
	{
		set = IsSupported( sup_instructionsAvx2 ) ? sup_instructionsAvx2 : sup_instructionsBaseline;
		atomic_store_explicit( &s_set, set, memory_order_relaxed );
	}
	return (supInstructionSet)set;
}

bool supSetInstructionSet( supInstructionSet set )
{
	if ( IsSupported( set ) == false )
	{
		return false;
	}
	atomic_store_explicit( &s_set, (int)set, memory_order_relaxed );
	return true;
}
