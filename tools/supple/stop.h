// SPDX-License-Identifier: MIT
// Ctrl-C: long work ends after the frame that it is at, so that no partial output remains.
#pragma once

#include <stdbool.h>

// From here on Ctrl-C and SIGTERM no longer end the program but are reported by IsStopped. Forgets an earlier one.
void WatchForStop( void );

bool IsStopped( void );

// How urgently: 1 after one Ctrl-C, 2 or more after another, or where the system wants the process to end.
int GetStopUrgency( void );
