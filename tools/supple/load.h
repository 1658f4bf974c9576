// SPDX-License-Identifier: MIT
// From the words of the command line to characters, clips and places to write to. Functions that can fail in ways the
// user must hear of print the message themselves and return what to exit with.
#pragma once

#include "args.h"
#include "supple/supple.h"

// A character with where it came from.
typedef struct Source
{
	const char* path;   // as given: FILE or builtin:NAME
	char format[17];    // "glb", "fbx", ..., "builtin"
	uint64_t byteCount; // of the file alone; 0 for a built-in
	// Never NULL for glTF; for the rest made by EnsureDocument.
	supDocument* document;
	supCharacter* character;
	float unit; // metres, as the user says; 0 where nothing is said
} Source;

// Both return exit_ok or what to exit with. `source` is safe to free in either case.
int LoadSource( const char* path, Source* source );
// The same with what the user says of the file's unit: "cm", or metres; NULL: as the file means it.
int LoadSourceIn( const char* path, const char* unit, Source* source );
int EnsureDocument( Source* source );
void FreeSource( Source* source );

// The row for "--unit U".
#define UNIT_OPTION( Settings, member )                                                                                                                                 \
	{                                                                                                                                                                   \
		"unit", 0, arg_text, offsetof( Settings, member ), "U",                                                                                                         \
			"Unit of the file if it differs from the format's: m, cm, mm, in, ft, or metres per unit. Affects gravity and stiffness; results stay in the file's unit.", \
			0, 0, false                                                                                                                                                 \
	}

// ---------------------------------------------------------------------------------------------------------------------
// Clips

// The clip called `text`, or number N where that is "#N". Prints the clips there are and returns NULL where there is
// none such.
const supClip* SelectClip( const Source* source, const char* text );

// For messages: its name, or "#3" where it has none. Lives until the fourth call after.
const char* GetClipLabel( const supCharacter* character, const supClip* clip );

// ---------------------------------------------------------------------------------------------------------------------
// Motions: clips of another file, or motions that come with Supple ("builtin:walk"), put onto a character

typedef struct MotionRequest
{
	const char* path;
	const char* clip; // NULL: the first, or all
	const char* map;  // NULL: names are matched automatically
	const char* name; // of the new clip; NULL: as in the file
	bool inPlace;
	bool keepFirstFrame;
} MotionRequest;

typedef struct Motion
{
	const MotionRequest* request;
	Source source;
	supNameMap* map;
	int32_t firstClip; // those asked for
	int32_t clipCount;
	const char* builtin; // "walk" of "builtin:walk"; NULL: clips of `source`
} Motion;

// Returns exit_ok or what to exit with; `motion` is safe to close in either case.
int OpenMotion( const MotionRequest* request, Motion* motion );
void CloseMotion( Motion* motion );

// Of the motion itself, "" where it has none.
const char* GetMotionName( const Motion* motion, int32_t clip );

// Destroy the clip with supDestroyClip. NULL after printing why, with `status` set.
supClip* RetargetMotion( const Motion* motion, int32_t clip, const supCharacter* target, int* status );

// ---------------------------------------------------------------------------------------------------------------------
// Outputs and threads

// Refuses what would fail after long work, or destroy something: an extension that is not in `extensions`
// (".glb .gltf"), a folder that is not there, and a file that is one of the inputs (NULL ones are skipped).
// Returns exit_ok or what to exit with.
int CheckOutput( const Command* command, const char* path, const char* extensions, const char* const* inputs,
				 int32_t inputCount );

// A .gltf comes with a .bin, which may be one that the source needs: refuses that. Returns likewise.
int CheckSideFile( const Command* command, const char* path, const Source* source );

// NULL after printing why.
supThreadPool* StartThreads( const CommonSettings* common );

uint64_t GetFileSize( const char* path );

// ---------------------------------------------------------------------------------------------------------------------
// Measuring

// Everything in the scene as it stands in this pose.
typedef struct SceneMeasure
{
	int64_t vertices; // over instances: a mesh that is there twice counts twice
	int64_t triangles;
	supBox bounds; // world space
} SceneMeasure;

// Returns false only when out of memory.
bool MeasureScene( const supCharacter* character, supPose* pose, supSkinning skinning, const supTasks* tasks,
				   SceneMeasure* measure );
