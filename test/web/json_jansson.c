// SPDX-License-Identifier: MIT
#include <jansson.h>

#define NAME g_jansson
#include "json_actions.h"
