// SPDX-License-Identifier: MIT
// supple bake, in parts: settings from a file, the report.
#pragma once

#include "args.h"
#include "choose.h"
#include "flesh_choice.h"
#include "looks.h"
#include "supple/bake.h"

typedef struct BakeSettings
{
	CommonSettings common;
	ClipSettings clip;
	const char* output;
	const char* method;
	const char* fleshFile;
	const char* unit;
	FleshChoice flesh;
	const char* settings;
	const char* report;
	double fps;
	double from, to; // not a number: all of the clip
	double preroll;
	double tolerance; // of the character's size
	int32_t substeps; // 0: what a scene file says
	bool loop;
	bool resume;
	bool audit;
	char* texts[1]; // what a settings file gave, to be freed
} BakeSettings;

// One baked clip.
// A name made safe for file names: letters, digits, '-', '_' and everything beyond ASCII.
typedef struct FileWord
{
	char text[80];
} FileWord;

typedef struct BakedClip
{
	const char* name; // "" for the rest pose or a clip without a name
	FileWord word;    // in the names of files; "" where there is one clip only
	const supClip* clip;
	char* work; // path of the work file
	supBake* bake;
} BakedClip;

// Fills in what the JSON file says where the command line says nothing. Returns exit_ok or what to exit with.
int ReadBakeSettings( const char* path, BakeSettings* settings );
void FreeBakeSettings( BakeSettings* settings );

// Everybody in a scene file. Returns exit_ok or what to exit with.
int BakeScene( const Command* command, BakeSettings* settings, const char* path );

// Largest values over all frames of all clips.
typedef struct BakeTotals
{
	int32_t frames;
	int32_t wantedFrames;
	int32_t resumedFrames;
	float volumeError; // largest magnitude
	float stretch;
	float penetration;
	float stepMsMedian; // of everything but sampling the clip
	supTrouble trouble;
	supLooks looks; // largest values of any clip
	GuardTally guard;
} BakeTotals;

// False when out of memory.
bool SumBakes( const BakedClip* clips, int32_t clipCount, BakeTotals* totals );

// The report as JSON. Returns exit_ok or what to exit with.
int WriteBakeReport( const char* path, const BakeSettings* settings, const Source* source, const supFlesh* flesh,
					 const BakedClip* clips, int32_t clipCount, const BakeTotals* totals );
