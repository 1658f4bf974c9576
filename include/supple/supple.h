// SPDX-License-Identifier: MIT
/// @file supple.h
/// Everything.
#pragma once

#include "supple/bake.h"
#include "supple/base.h"
#include "supple/character.h"
#include "supple/contact.h"
#include "supple/decompose.h"
#include "supple/device.h"
#include "supple/flesh.h"
#include "supple/io.h"
#include "supple/looks.h"
#include "supple/math.h"
#include "supple/rig.h"
#include "supple/scene.h"
