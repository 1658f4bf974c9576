// SPDX-License-Identifier: MIT
// Animations as morph targets of a document.
#pragma once

#include "io/common/frames.h"
#include "supple/io.h"

typedef struct supMorphClip
{
	supFrames frames;
	// The clip of the character or one made for it; NULL: the rest pose.
	const supClip* clip;
	// Seconds up to which the last frame is held, so that the clip keeps its length.
	float end;
	// The last frame is the first one again.
	bool repeats;
	// also meshes without a skin, where nothing has one: soft things that are no characters
	bool withRigid;
} supMorphClip;

typedef struct supMorphOptions
{
	float tolerance;
	bool keepOthers;
	// Targets are principal components of the key frames where that makes fewer of them.
	bool asBasis;
	const supTasks* tasks;
	// what was written
	int32_t keyCount;
	int32_t targetCount;
	bool isBasis;
} supMorphOptions;

// See supDocument_AddBakes and supDocument_AddBasis. The frames of all clips are of one character.
bool supAddMorphClips( supDocument* document, const supMorphClip* clips, int32_t clipCount, supMorphOptions* options,
					   supError* error );
