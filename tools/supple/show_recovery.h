// SPDX-License-Identifier: MIT
// Actors of a scene file that give way when they are hit.
#pragma once

#include "show.h"

// Returns exit_ok or what to exit with.
int CheckRecovery( const Show* show, const supSceneActor* def, const ShowBody* body );
// Nobody has been hit yet.
void ResetRecovery( Show* show );
// After contacts of the last step: how strong actors are in the next one.
void AdvanceRecovery( Show* show );
