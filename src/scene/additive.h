// SPDX-License-Identifier: MIT
// Flesh that only adds motion: a pose that is held is drawn as skinned. What flesh differs by from skinning has a
// steady part, which depends on the pose (volume that is kept, creases that bulge), and a part that motion causes. The
// steady part is what a slow low-pass leaves of the difference, taken in the frame of each vertex' bone so that it
// turns along; it is subtracted.
#pragma once

#include "scene/actor.h"

void supActor_DestroyAdditive( supActor* actor );

// After the surface was written, and before it is guarded: dt seconds after the last time. Does nothing for actors that
// are not additive.
void supActor_DrawAdditive( supActor* actor, float dt, const supTasks* tasks );

// Whatever flesh differs by at the next drawing is steady.
void supActor_ResetAdditive( supActor* actor );

// Held poses are drawn as skinned by now.
bool supActor_IsAdditiveSettled( const supActor* actor );

// Part of the state. Nothing for actors that are not additive.
size_t supActor_AdditiveSize( const supActor* actor );
void supActor_SaveAdditive( const supActor* actor, uint8_t* bytes );
void supActor_RestoreAdditive( supActor* actor, const uint8_t* bytes );
