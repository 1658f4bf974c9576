// SPDX-License-Identifier: MIT
// supple render --worst: close-ups of where flesh stretches or squeezes the skin most, compared with linear blend
// skinning of the same pose.
#pragma once

#include "json.h"
#include "stage.h"

#define DEFAULT_WORST_PLACES 4
#define MOST_WORST_PLACES 16

// An edge of the drawn surface that is longer than both at rest and under linear blend skinning, or shorter than both.
typedef struct WorstPlace
{
	float excess; // difference of length over the size of the character: positive stretched, negative squeezed
	float time;
	int32_t frame;
	int32_t panel;
	int32_t instance;
	int32_t vertex; // one end of the edge
	float reach;    // metres at rest: what is nearer is the same place
	char joint[64]; // that carries most of the vertex
	char method[64];
} WorstPlace;

typedef struct WorstDef
{
	int32_t count; // places, 1 .. MOST_WORST_PLACES
	const char* output;
} WorstDef;

// One file, and a method that is not linear blend skinning itself. Returns exit_ok, or exit_usage after explaining.
int CheckWorst( const Command* command, const Stage* stage, const Arguments* arguments );

// Plays the clip, finds the places (different parts of the body, then different times), plays it again and draws one
// column per place: a row per method and one of linear blend skinning below. Returns exit_ok or what to exit with.
// - places has room for MOST_WORST_PLACES
int DrawWorst( Stage* stage, const WorstDef* def, WorstPlace* places, int32_t* placeCount );

void WriteWorstPlaces( JsonWriter* json, const WorstPlace* places, int32_t count );
void PrintWorstPlaces( const WorstPlace* places, int32_t count );
