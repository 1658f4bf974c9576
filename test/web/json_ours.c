// SPDX-License-Identifier: MIT
// Compiled with json_renamed.h before it, and with web/jansson in place of the system's header.
#include <jansson.h>

#define NAME g_ours
#include "json_actions.h"
