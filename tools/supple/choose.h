// SPDX-License-Identifier: MIT
// Which clip: one of the character's own, a motion from another file, or the rest pose. Shared by every command that
// plays one.
#pragma once

#include "load.h"

typedef struct ClipSettings
{
	const char* clip;
	bool rest;
	const char* motion;
	const char* motionClip;
	const char* map;
	bool inPlace;
	bool keepFirstFrame;
} ClipSettings;

// Rows for the table of options of a command whose settings have a ClipSettings called `member`.
#define CLIP_OPTIONS( Settings, member )                                                                                                                                       \
	{ "clip",   0,                                                                                                                                                             \
	  arg_text, offsetof( Settings, member.clip ),                                                                                                                             \
	  "NAME",   "Clip, by name or index ('#0'). Default: the first.",                                                                                                          \
	  0,        0,                                                                                                                                                             \
	  false },                                                                                                                                                                 \
		{ "rest", 0, arg_flag, offsetof( Settings, member.rest ), NULL, "Use the rest pose instead of a clip.",                                                                \
		  0,      0, false },                                                                                                                                                  \
		{ "motion",                                                                                                                                                            \
		  0,                                                                                                                                                                   \
		  arg_text,                                                                                                                                                            \
		  offsetof( Settings, member.motion ),                                                                                                                                 \
		  "FILE",                                                                                                                                                              \
		  "Retarget the motion of another file (.bvh, .glb, .fbx, ...) to this character, or play a built-in one: builtin:walk, run, jump, dance, shake, swing, turn or hop.", \
		  0,                                                                                                                                                                   \
		  0,                                                                                                                                                                   \
		  false },                                                                                                                                                             \
		{ "motion-clip",                                                                                                                                                       \
		  0,                                                                                                                                                                   \
		  arg_text,                                                                                                                                                            \
		  offsetof( Settings, member.motionClip ),                                                                                                                             \
		  "NAME",                                                                                                                                                              \
		  "Clip of the motion file. Default: the first.",                                                                                                                      \
		  0,                                                                                                                                                                   \
		  0,                                                                                                                                                                   \
		  false },                                                                                                                                                             \
		{ "map",                                                                                                                                                               \
		  0,                                                                                                                                                                   \
		  arg_text,                                                                                                                                                            \
		  offsetof( Settings, member.map ),                                                                                                                                    \
		  "MAP",                                                                                                                                                               \
		  "JSON file { \"joint of the motion\": \"joint of the character\", ... }, for skeletons that are not recognised.",                                                    \
		  0,                                                                                                                                                                   \
		  0,                                                                                                                                                                   \
		  false },                                                                                                                                                             \
		{ "keep-first-frame",                                                                                                                                                  \
		  0,                                                                                                                                                                   \
		  arg_flag,                                                                                                                                                            \
		  offsetof( Settings, member.keepFirstFrame ),                                                                                                                         \
		  NULL,                                                                                                                                                                \
		  "Keep the T-pose frame at the start of captured motions.",                                                                                                           \
		  0,                                                                                                                                                                   \
		  0,                                                                                                                                                                   \
		  false },                                                                                                                                                             \
	{                                                                                                                                                                          \
		"in-place", 0, arg_flag, offsetof( Settings, member.inPlace ), NULL,                                                                                                   \
			"Remove the root's travel over the ground.", 0, 0, false                                                                                                           \
	}

// Returns exit_ok, or exit_usage after explaining what does not go together.
int CheckClipSettings( const Command* command, const ClipSettings* settings );

// Likewise of --from and --to; not a number where not given.
int CheckSpan( const Command* command, double from, double to );

typedef struct ClipChoice
{
	MotionRequest request;
	Motion motion;
	supClip* retargeted; // NULL: the clip is the character's own
	const supClip* clip; // NULL: rest pose
	const char* label;   // NULL likewise
} ClipChoice;

// Returns exit_ok or what to exit with; `choice` is safe to free in either case.
int ChooseClip( const ClipSettings* settings, const Source* source, ClipChoice* choice );
void FreeClipChoice( ClipChoice* choice );

// `asked`, or where the clip starts where that is not a number. A clip holds still before its first and after its last
// key; what lies outside gets a note.
float ChooseTime( const ClipChoice* choice, double asked );

// Lists the methods there are; returns exit_usage.
int ReportUnknownMethod( const Command* command, const char* name );
