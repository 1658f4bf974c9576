// SPDX-License-Identifier: MIT
// How flesh looks, and what the guard had to do, in reports and on the console. Shared by bake, render and compare.
#pragma once

#include "json.h"
#include "supple/looks.h"

// What the guard did over a span of frames.
typedef struct GuardTally
{
	int32_t frameCount;
	int32_t guardedFrames; // with a vertex that was blended more than halfway
	// the frame with most such vertices, and the vertex of it that was blended most
	int32_t vertices;
	float time;
	int32_t instance;
	int32_t vertex;
} GuardTally;

void CountGuard( GuardTally* tally, float time, supGuardReport report );

// The object "guard".
void WriteGuard( JsonWriter* json, const GuardTally* tally, const supCharacter* character );

// One note with the place, where anything was blended. `name` says whose flesh it is.
void NoteGuard( const GuardTally* tally, const supFlesh* flesh, const char* name );

// Does the method have flesh, so that its looks mean anything?
bool HasFlesh( const supFlesh* flesh );

// The object "looks". `verdict` in it is null for methods without flesh.
void WriteLooks( JsonWriter* json, const supLooks* looks, const supFlesh* flesh );

// One note with the figures, where the skin is torn.
void NoteLooks( const supLooks* looks, const supFlesh* flesh, const char* name );
