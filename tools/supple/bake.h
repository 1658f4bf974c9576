// SPDX-License-Identifier: MIT
// supple bake, in parts: settings from a file, the report.
#pragma once

#include "args.h"
#include "choose.h"
#include "core/array.h"
#include "flesh_choice.h"
#include "json.h"
#include "looks.h"
#include "supple/bake.h"
#include "terminal.h"
#include "touch.h"

// How frames go into a glTF file.
typedef enum BakeForm
{
	form_targets, // one morph target per key frame
	form_basis,   // morph targets that are principal components
	form_bones,   // helper bones
	form_vat,     // no glTF but textures
} BakeForm;

typedef struct BakeSettings
{
	CommonSettings common;
	ClipSettings clip;
	const char* output;
	const char* method;
	const char* fleshFile;
	const char* unit;
	FleshChoice flesh;
	TouchSettings touch;
	const char* settings;
	const char* report;
	double fps;
	double from, to; // not a number: all of the clip
	double preroll;
	double tolerance; // of the character's size
	int32_t substeps; // 0: what a scene file says
	bool loop;
	bool resume;
	const char* device;
	bool audit;
	const char* as;     // what a glTF holds; see BakeForm
	int32_t influences; // of --as bones; 0: the default
	bool scale;
	bool keepClips;
	bool compress;
	BakeForm form;
	int32_t helperCount; // of --as bones
	char* texts[3];      // what a settings file gave, to be freed
} BakeSettings;

// A name made safe for file names: letters, digits, '-', '_' and everything beyond ASCII.
typedef struct FileWord
{
	char text[80];
} FileWord;

// One baked clip.
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
	int32_t unresolved; // most vertices in a frame
	supLooks looks;     // largest values of any clip
	GuardTally guard;
} BakeTotals;

// False when out of memory.
bool SumBakes( const BakedClip* clips, int32_t clipCount, BakeTotals* totals );

// Notes where contact left vertices inside of the character.
void NoteUnresolved( const BakedClip* clips, int32_t clipCount );

// What --loop came to: a line per clip on stdout; what is wrong with it as notes.
void PrintLoops( const BakedClip* clips, int32_t clipCount );
void NoteLoops( const BakedClip* clips, int32_t clipCount, const BakeSettings* settings );

// What --as bones came to; clips has one entry per clip. Zero where it was not asked for.
typedef struct BonesResult
{
	supBonesReport total;
	supBonesClipReport* clips;
} BonesResult;

// Understands --as and what goes with it. Returns exit_ok or what to exit with.
int ParseBakeForm( const Command* command, BakeSettings* settings );

// The table of errors on stdout, and what to do where they are large.
void PrintBones( const BonesResult* bones, const BakedClip* clips, int32_t clipCount );
void NoteBones( const BonesResult* bones, const BakeSettings* settings );
// As a member "bones" of an open JSON object.
void WriteBones( JsonWriter* json, const BonesResult* bones, const BakedClip* clips, int32_t clipCount );

typedef struct BakeReport
{
	const BakeSettings* settings;
	const Source* source;
	const supFlesh* flesh;
	const BakedClip* clips;
	int32_t clipCount;
	const BakeTotals* totals;
	const BonesResult* bones;
} BakeReport;

// The report as JSON. Returns exit_ok or what to exit with.
int WriteBakeReport( const char* path, const BakeReport* report );

// What was measured at a frame, as members of an open object.
void WriteMeasures( JsonWriter* json, const supBakeFrame* frame );

// Whatever is written, as a file that is there whole or not at all. Returns exit_ok or what to exit with.
int WriteJsonFile( const char* path, void ( *write )( JsonWriter* json, const void* context ), const void* context );

// ---------------------------------------------------------------------------------------------------------------------
// A bake step by step, for those that keep flesh for several. All return exit_ok or what to exit with.

typedef struct BakeJob
{
	BakeSettings* settings;
	Source source;
	ClipChoice choice;
	SUP_ARRAY( BakedClip ) clips;
	supThreadPool* pool;
	supDevice* device; // NULL: the CPU
	supFlesh* flesh;
	Touch touch;
	char extension[17];
	char defaultOutput[300];
	Progress progress;
	BakeTotals totals;
	BonesResult bones;
	supBasisReport basis;
	int32_t filesWritten;
	uint64_t bytesWritten;
} BakeJob;

// What is said where nothing is said.
BakeSettings DefaultBakeSettings( void );

// Reads the settings file, fills in defaults and refuses what does not go together; opens no character yet.
int CheckBakeJob( const Command* command, BakeJob* job, const Arguments* arguments, const char* path );

int LoadBakeJob( BakeJob* job, const char* path );
// - `pool` runs
int BuildBakeFlesh( BakeJob* job );
int ChooseBakeClips( const Command* command, BakeJob* job );
// Bakes, writes and reports. IsStopped tells whether all frames are there.
// - loaded, clips chosen, flesh built, `pool` runs
int RunBakeJob( BakeJob* job );

// With `keep` frames stay where they can be resumed. True where some are left.
bool FreeBakeJob( BakeJob* job, bool keep );
