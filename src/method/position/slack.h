// SPDX-License-Identifier: MIT
#pragma once

// Soft flesh gives way until its edges are this many times as long as at rest, and then holds, as skin and fat do:
// edges between particles that volumes drive apart in a fold would otherwise get several times as long. Plain kind.
#define SUP_SLACK 1.3f
