// SPDX-License-Identifier: MIT
// What may be drawn over a scene.
#pragma once

#include "args.h"
#include "heat.h"
#include "show.h"

typedef struct SceneOverlays
{
	bool contacts;
	bool loads;
	bool proxies;
	bool pairs;
	Heat heat;
} SceneOverlays;

// From words such as "contacts,pressure"; NULL is none.
int ReadSceneOverlays( const Command* command, const char* list, SceneOverlays* overlays );

// Over a finished picture. Returns false only when out of memory.
// - bounds: of everything that is drawn
bool DrawSceneOverlays( const SceneOverlays* overlays, const Show* show, supBox bounds, const supView* view,
						supPicture* picture );
