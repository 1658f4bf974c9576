// SPDX-License-Identifier: MIT
// Attachments, as the scene sees them.
#pragma once

#include "scene/actor.h"

// Of each attachment in turn, `sweeps` times over, between solve and finish of the substep that ends at `weight` of the
// step.
void supMeetAttachments( supAttachment* first, int32_t sweeps, float weight, float dt, const supTasks* tasks );

// After the last substep: gaps for whoever asks.
void supMeasureAttachments( supAttachment* first );

supAttachment* supAttachment_Next( const supAttachment* attachment );
// Whoever is held does not sleep.
void supWakeAttached( const supAttachment* first );

bool supAttachment_Involves( const supAttachment* attachment, const supActor* actor );
void supDestroyAttachment( supAttachment* attachment );

// NULL with an error. Not yet in any list.
supAttachment* supCreateAttachment( const supAttachmentDef* def, supError* error );
void supAttachment_SetNext( supAttachment* attachment, supAttachment* next );
