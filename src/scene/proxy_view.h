// SPDX-License-Identifier: MIT
// The convex proxies by which contacts between actors are found, to be looked at: which there are, and which pairs of
// them the last search passed on to triangles.
#pragma once

#include "contact/skin.h"
#include "supple/scene.h"

typedef struct supProxyView
{
	const supActor* actor;
	int32_t joint; // node
	int32_t pointCount;
	supVec3 points[SUP_PROXY_POINTS];
	bool isKept; // one of its pairs was passed on; all others were pruned
} supProxyView;

typedef struct supProxyViews
{
	supArena arena;
	int32_t count;
	supProxyView* proxies;
	int32_t pairCount;
	int32_t ( *pairs )[2];
} supProxyViews;

// Of all actors that touch others or themselves; none where no actor does. False only when out of memory.
// - views is zero-initialised, to be freed with supArena_Destroy
bool supScene_ViewProxies( const supScene* scene, supProxyViews* views );
