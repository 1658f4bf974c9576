// SPDX-License-Identifier: MIT
// The frames of a bake on disk while it runs: "NAME" holds a header and one record of fixed size per frame,
// "NAME.state" the state from which the next frame follows, renewed now and then. A bake that was stopped, or killed,
// goes on from the last state; records behind it are written again, with the same bits.
//
// One bake at a time: the file is locked while it is open. Whatever of that name is not such a file (a file of the
// user's, a link) is neither filled nor removed. Frames are finite numbers, written and read.
#pragma once

#include "supple/bake.h"

typedef struct supWorkHeader
{
	char magic[8];
	uint64_t key;        // fingerprint of everything that the frames depend on
	int64_t vertexCount; // of all instances together
	int32_t wantedFrameCount;
	int32_t warmupCycles;
	int64_t process; // that writes it, for messages
} supWorkHeader;

typedef struct supWorkState
{
	char magic[8];
	uint64_t key;
	int32_t frameCount; // frames before this state
	int32_t warmupCycles;
	supTrouble trouble;
	uint64_t stateSize;
	uint64_t check; // of what follows
} supWorkState;

typedef struct supWorkFile supWorkFile;

// Begins a new one over an older one. NULL with an error, also where another bake holds it.
supWorkFile* supCreateWorkFile( const char* path, uint64_t key, int64_t vertexCount, int32_t wantedFrameCount,
								supError* error );

// Opens one that was left behind. Sets `state` and fills `bytes` (stateSize, for the actor). Returns NULL without an
// error if there is none or nothing in it can be used; with an error where it belongs to another bake.
supWorkFile* supOpenWorkFile( const char* path, uint64_t key, int64_t vertexCount, int32_t wantedFrameCount,
							  supWorkState* state, void* bytes, size_t stateSize, supError* error );

// Closes; removes both files unless `keep`.
void supCloseWorkFile( supWorkFile* file, bool keep );

// Appends frame number `frame`. `data` is vertexCount positions, then vertexCount normals.
bool supWorkFile_WriteFrame( supWorkFile* file, int32_t frame, const supBakeFrame* info, const supVec3* data,
							 supError* error );

bool supWorkFile_ReadInfo( supWorkFile* file, int32_t frame, supBakeFrame* info, supError* error );

// `count` vectors from the frame's data on, `first` counted over positions and normals.
bool supWorkFile_ReadData( supWorkFile* file, int32_t frame, int64_t first, int64_t count, supVec3* data,
						   supError* error );

bool supWorkFile_WriteState( supWorkFile* file, const supWorkState* state, const void* bytes, supError* error );
