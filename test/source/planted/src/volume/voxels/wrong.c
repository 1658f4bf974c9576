// SPDX-License-Identifier: MIT
#include "volume/tets/tets.h"
