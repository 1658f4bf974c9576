// SPDX-License-Identifier: MIT
#include "method/points/points.h"
