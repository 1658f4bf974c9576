// SPDX-License-Identifier: MIT
// supple live, in parts: packets and steps (live.c), what becomes of them (live_output.c), what is said
// (live_report.c),
// and the same in the page (live_studio.c).
#pragma once

#include "bake_write.h"
#include "draw/film.h"
#include "io/motion/vmc.h"
#include "stage.h"
#include "studio.h"

typedef struct LiveSettings
{
	CommonSettings common;
	StageSettings stage;
	int32_t port; // -1: not given
	const char* address;
	const char* record;
	const char* replay;
	const char* map;
	const char* output;
	double seconds; // not a number: until it is stopped, or the stream ends
	double delay, prediction, smoothing;
	bool inPlace;
	bool opensStudio;
	StudioSettings studio;
} LiveSettings;

typedef enum LiveOutputKind
{
	live_none,
	live_picture,
	live_film,
	live_cache,
} LiveOutputKind;

typedef struct LiveOutput
{
	LiveOutputKind kind;
	supFilm* film;
	BakedClip clip; // of a cache
	BakeOutput written;
	// the camera goes along with the character on the ground
	bool placed;
	supVec3 start;
	supVec3 shift;
	supBox bounds;
} LiveOutput;

// Of one way through the stream.
typedef struct LiveCounts
{
	supVmcStats vmc;
	supStreamStats stream; // of the first panel
	int64_t steps;
	int64_t skippedSteps; // left out because the machine was too slow
	double seconds;
	double stepMs; // sum, and largest
	double stepMsMax;
} LiveCounts;

typedef struct LiveJob
{
	LiveSettings* settings;
	Stage stage;
	supNameMap* map;
	supVmc* vmc;
	supVmcSocket socket;
	bool isOpen;   // the socket
	supVmcLog log; // what is replayed, or what has come so far
	bool keepsLog; // what comes is wanted later
	supVmcRecorder recorder;
	uint8_t* packet; // room for one
	bool started;    // the tracker has been heard
	LiveOutput output;
	LiveCounts counts;
	double told; // seconds of the run when the status line was last drawn
	int64_t toldPackets;
} LiveJob;

// All return exit_ok or what to exit with, after explaining it.

LiveOutputKind FindLiveOutput( const char* path );
int BeginLiveOutput( LiveJob* job, double seconds );

// The stage as it stands now is the next frame. Full is no error: see IsLiveOutputFull.
int AddLiveFrame( LiveJob* job );
bool IsLiveOutputFull( const LiveJob* job );

// Writes what was asked for, or with `keep` false leaves nothing behind.
int EndLiveOutput( LiveJob* job, bool keep );

// Serves the studio with the tracker's motion in it until Ctrl-C. Returns likewise.
int RunLiveStudio( const LiveSettings* settings, const char* file );

// At most once a second, on a terminal.
void ShowLiveStatus( LiveJob* job );
void HideLiveStatus( LiveJob* job );
void PrintLiveSummary( const LiveJob* job );
