// SPDX-License-Identifier: MIT
#pragma once

#include "core/core.h"

// Milliseconds from some fixed moment on; for measuring only, never for deciding.
SUP_SHARED_API double supGetMilliseconds( void );
