// SPDX-License-Identifier: MIT
// The inside of a bake, for the writers of files.
#pragma once

#include "bake/loop.h"
#include "bake/work_file.h"
#include "io/common/frames.h"

struct supBake
{
	const supFlesh* flesh;
	supBakeDef def;
	supWorkFile* work;
	int32_t instanceCount;
	int64_t* firstVertex; // of each instance within a frame; instanceCount + 1
	supBakeFrame* frames;
	supBakeReport report;
	supLoop loop;
	bool isBlended;   // a second cycle lies behind the frames, and both are drawn as one
	supVec3* scratch; // of a recording: positions, then normals, of one frame
};

// Vectors of a frame as they are drawn: positions of all instances, then normals.
bool supBake_ReadVectors( const supBake* bake, int32_t frame, int64_t first, int64_t count, supVec3* data,
						  supError* error );

// The drawn surface of an instance at a frame, in metres; of a loop also at the frame after the last. Either may be
// NULL.
bool supBake_ReadSurface( const supBake* bake, int32_t frame, int32_t instance, supVec3* positions, supVec3* normals,
						  supError* error );

// The frames as the writers see them. Valid as long as the bake.
supFrames supBake_Frames( supBake* bake );

// Of a whole loop one more: the first frame again, where the next cycle begins. For files with keys in time, which go
// from the last frame of a cycle to there.
supFrames supBake_ClosedFrames( supBake* bake );
bool supBake_IsLoop( const supBake* bake );
