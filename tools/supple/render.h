// SPDX-License-Identifier: MIT
// supple render, in parts: panels side by side, or a scene.
#pragma once

#include "stage.h"
#include "worst.h"

typedef struct RenderSettings
{
	CommonSettings common;
	StageSettings stage;
	const char* output;
	double time; // not a number: the middle
	const char* sheet;
	int32_t worst; // places; 0: not asked for, -1: as many as is usual
} RenderSettings;

// What was drawn.
typedef struct RenderSummary
{
	int32_t width, height;
	int32_t panels;
	int32_t rows; // of panels
	int32_t frames;
	double seconds;
	int32_t placeCount; // of --worst
	WorstPlace places[MOST_WORST_PLACES];
} RenderSummary;

// The scene of a file. Returns exit_ok or what to exit with.
int RenderScene( const Command* command, const RenderSettings* settings, const char* path, int32_t columns,
				 int32_t rows, const supTasks* tasks, RenderSummary* summary );
