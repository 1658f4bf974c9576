// SPDX-License-Identifier: MIT
// What the parts of building a contact skin share.
#pragma once

#include "contact/skin.h"

// Neighbours of triangles and vertices. False when out of memory.
bool supContactSkin_BuildTopology( supContactSkin* skin );

// Proxies of the patches, whose clusters are known. False when out of memory.
bool supContactSkin_BuildProxies( supContactSkin* skin );

// How clusters lie at rest, after the topology. False when out of memory.
bool supContactSkin_BuildKin( supContactSkin* skin, const supTasks* tasks );

// rest_culling.c: of one cluster.
void supMakeSkinFrame( const supContactSkin* skin, int32_t index );

// Clusters that are in contact at rest. False when out of memory.
bool supContactSkin_BuildTouches( supContactSkin* skin, const supTasks* tasks, supError* error );
