// SPDX-License-Identifier: MIT
// Frames of an animation, wherever they are kept, and the cache formats that they are written to.
#pragma once

#include "core/core.h"
#include "supple/character.h"

typedef struct supFrames
{
	const supCharacter* character;
	int32_t frameCount;
	// Seconds of frame 0 in its clip.
	float start;
	float framesPerSecond;
	// Positions and normals of one instance at one frame; either may be NULL. In order of frames is fastest.
	bool ( *read )( int32_t frame, int32_t instance, supVec3* positions, supVec3* normals, void* context,
					supError* error );
	void* context;
} supFrames;

// Point caches of one instance.
bool supSavePc2( const supFrames* frames, int32_t instance, const char* path, supError* error );
bool supSaveMdd( const supFrames* frames, int32_t instance, const char* path, supError* error );

// "out.obj" becomes "out.0001.obj" and so on, all instances in each.
bool supSaveObjFrames( const supFrames* frames, const char* path, supError* error );

// USD as text, or a package of it where the path ends in .usdz.
bool supSaveUsd( const supFrames* frames, const char* path, supError* error );
