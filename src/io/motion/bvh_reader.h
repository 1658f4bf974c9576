// SPDX-License-Identifier: MIT
// What the text of a BVH file says, before it becomes a character.
#pragma once

#include "core/arena.h"
#include "core/array.h"
#include "supple/character.h"

#define SUP_BVH_MAX_CHANNELS 6

typedef enum supBvhChannelKind
{
	channelXPosition,
	channelYPosition,
	channelZPosition,
	channelXRotation,
	channelYRotation,
	channelZRotation,
} supBvhChannelKind;

typedef struct supBvhJoint
{
	int32_t firstValue; // column of its first channel in a frame
	int32_t channelCount;
	uint8_t channels[SUP_BVH_MAX_CHANNELS];
	bool hasOffset;
	bool hasChannels;
	bool isEnd;
} supBvhJoint;

typedef struct supBvhReader
{
	const char* text;
	const char* cursor;
	const char* end;
	const char* fileName;
	supError* error;
	supArena arena;
	SUP_ARRAY( supNode ) nodes;
	SUP_ARRAY( supBvhJoint ) joints;
	SUP_ARRAY( supNote ) notes;
	// numbers per frame
	int32_t width;
	int32_t frameCount;
	double frameTime;
	const float* values;
} supBvhReader;

// From the first word to the last number: nodes, joints and values. False with an error.
bool supBvh_Read( supBvhReader* reader );

// `text` lives as long as the reader; NULL means out of memory. False then.
bool supBvh_AddNote( supBvhReader* reader, bool repaired, const char* text );
