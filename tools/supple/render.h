// SPDX-License-Identifier: MIT
// supple render, in parts: panels side by side, or a scene.
#pragma once

#include "stage.h"

typedef struct RenderSettings
{
	CommonSettings common;
	StageSettings stage;
	const char* output;
	double time; // not a number: the middle
	const char* sheet;
} RenderSettings;

// What was drawn.
typedef struct RenderSummary
{
	int32_t width, height;
	int32_t panels;
	int32_t frames;
	double seconds;
} RenderSummary;

// The scene of a file. Returns exit_ok or what to exit with.
int RenderScene( const Command* command, const RenderSettings* settings, const char* path, int32_t columns,
				 int32_t rows, const supTasks* tasks, RenderSummary* summary );
