// SPDX-License-Identifier: MIT
// How the nodes of an actor accelerate, for flesh whose inertia is exaggerated (method/inertia.h).
//
// A point p of a node's space moves at V p, with V the rate at which the node's world matrix changes. V is smoothed:
// poses within a step are interpolated, so that all of the acceleration lies where two steps meet, and what flesh feels
// would depend on the frame rate. The rate at which the smoothed V changes is smoothed once more, since captured motion
// trembles and the tremble of an idle would be exaggerated most. Its peaks at the skin of each node fade slowly.
#pragma once

#include "scene/actor.h"

// Does nothing for an actor without flesh. False where out of memory.
bool supActor_CreateInertia( supActor* actor );
void supActor_DestroyInertia( supActor* actor );

// The pose is where it is, and nobody knows how it moves.
void supActor_ResetInertia( supActor* actor );

// The pose of a substep is reached: what the substep is told.
void supActor_AdvanceInertia( supActor* actor, supSubstep* step );

// Part of the state.
size_t supActor_InertiaSize( const supActor* actor );
void supActor_SaveInertia( const supActor* actor, uint8_t* bytes );
void supActor_RestoreInertia( supActor* actor, const uint8_t* bytes );
