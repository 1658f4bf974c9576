// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "core/clock.h"

#include <time.h>

double supGetMilliseconds( void )
{
	struct timespec now;
	clock_gettime( CLOCK_MONOTONIC, &now );
	return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}
