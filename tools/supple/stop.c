// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "stop.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t s_stopped;

static void StopOnSignal( int number )
{
	int urgency = s_stopped + ( number == SIGINT ? 1 : 2 );
	s_stopped = urgency < 100 ? urgency : 100;
}

void WatchForStop( void )
{
	s_stopped = 0;
	// for good: timeout(1) and shells send the same signal more than once
	struct sigaction action = { .sa_handler = StopOnSignal, .sa_flags = SA_RESTART };
	sigaction( SIGINT, &action, NULL );
	sigaction( SIGTERM, &action, NULL );
}

bool IsStopped( void )
{
	return s_stopped != 0;
}

int GetStopUrgency( void )
{
	return s_stopped;
}
