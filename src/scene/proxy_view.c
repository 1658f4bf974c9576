// SPDX-License-Identifier: MIT
#include "scene/proxy_view.h"

#include "scene/actor.h"
#include "scene/contact_world.h"

static supProxyView ViewPatch( const Toucher* toucher, const supSkinPatch* patch )
{
	const supContactSkin* skin = &toucher->binding->skin;
	supProxyView view = { .actor = toucher->actor, .joint = patch->joint };
	for ( int32_t i = 0; i < patch->pointCount && toucher->actor != NULL; ++i )
	{
		int32_t vertex = patch->points[i];
		const supVec3* positions = supActor_Positions( toucher->actor, skin->instances[vertex] );
		view.points[view.pointCount++] = positions[skin->sources[vertex]];
	}
	return view;
}

bool supScene_ViewProxies( const supScene* scene, supProxyViews* views )
{
	const supContactWorld* world = supScene_ContactWorld( scene );
	const supDetector* detector = world != NULL ? world->detector : NULL;
	if ( detector == NULL )
	{
		return true;
	}
	views->count = supDetector_PatchCount( detector );
	views->pairCount = supDetector_PairCount( detector );
	views->proxies = supArena_AllocArray( &views->arena, (size_t)views->count, sizeof( supProxyView ) );
	views->pairs = supArena_AllocArray( &views->arena, (size_t)views->pairCount, sizeof( int32_t[2] ) );
	if ( views->arena.failed )
	{
		views->count = views->pairCount = 0;
		return false;
	}
	for ( int32_t i = 0; i < views->count; ++i )
	{
		supDetectorPatch place = supDetector_Patch( detector, i );
		const Toucher* toucher = world->touchers + place.body;
		views->proxies[i] = ViewPatch( toucher, toucher->binding->skin.patches + place.patch );
	}
	for ( int32_t i = 0; i < views->pairCount; ++i )
	{
		supDetector_Pair( detector, i, views->pairs[i] );
		views->proxies[views->pairs[i][0]].isKept = views->proxies[views->pairs[i][1]].isKept = true;
	}
	return true;
}
