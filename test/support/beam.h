// SPDX-License-Identifier: MIT
// A silicone beam that was measured (shared assets, measured/beam), and the same beam as a character: clamped at one
// end, held level, let go at a given moment, with or without a weight at the upper edge of the free end.
//
// Coordinates: x from the clamp (0) to the free end (0.1 m), y up (0 to 0.03), z across (-0.03 to 0). The character
// goes on behind the clamp, to x = -0.03, where its bone is.
#pragma once

#include "supple/supple.h"

#define BEAM_LENGTH 0.1f
#define BEAM_WIDTH 0.03f
#define BEAM_DENSITY 1070.0f
#define BEAM_GRAVITY 9.81f
// Hz of recordings
#define BEAM_FPS 100

#define BEAM_MARKERS 3
#define BEAM_MOST_FRAMES 1024

// A take: the markers of the free end, in the coordinates above.
typedef struct beamTake
{
	int count;
	int released; // last frame before it moves
	supVec3 tips[BEAM_MOST_FRAMES][BEAM_MARKERS];
} beamTake;

// False, with a message, where the file cannot be read or is no such table.
bool beamLoadTake( beamTake* take, const char* path, supError* error );

// How the beam is simulated.
typedef struct beamModel
{
	const char* name;
	supMethodId method;
	const supSetting* settings;
	int32_t settingCount;
	// fem: cells along, and across in both directions; whether each is cut into six tetrahedra
	int32_t cells[2];
	bool isCut;
	// points: volume stiffness, in parts of that of edges; 0: the modulus is the parameter "stiffness"
	float volumeRatio;
} beamModel;

extern const beamModel beamModels[];
extern const int beamModelCount;

typedef struct beamFlesh
{
	const beamModel* model;
	supCharacter* character;
	supControlLattice* lattice;
	supFlesh* flesh;
} beamFlesh;

// - folder: where a lattice may be written on the way
bool beamBuild( beamFlesh* beam, const beamModel* model, const char* folder, supError* error );
void beamDestroy( beamFlesh* beam );

// What is fitted.
typedef struct beamMaterial
{
	double modulus; // Pa
	double drag;    // 1/s, of the beam and of the weight
} beamMaterial;

typedef struct beamRun
{
	double load; // newtons
	double fps;  // steps a second that the scene is asked for
	// of the take that it is held against: how its markers begin, and frames in all
	const beamTake* take;
	// result: markers in each frame of the take, and processor seconds of the steps for a second of motion
	supVec3 tips[BEAM_MOST_FRAMES][BEAM_MARKERS];
	double cost;
	int64_t unstable;
} beamRun;

// From the moment of release on; before it the markers stay where they are. fps is BEAM_FPS or a multiple of it, or
// anything else: markers are interpolated then.
bool beamSimulate( const beamFlesh* beam, const beamMaterial* material, beamRun* run, supError* error );

// Root mean square of the distances of all markers in all frames, metres.
double beamError( const beamTake* take, const beamRun* run );
// How far the markers of the take, or of a run of it, sink in the end: their mean over the last half second, metres.
double beamDrop( const beamTake* take, const supVec3* tips );
// Largest distance between where a marker is over the last half second, metres.
double beamRestError( const beamTake* take, const beamRun* run );
// Largest difference between the moments at which the first three swings are at their lowest, seconds.
double beamPhaseError( const beamTake* take, const beamRun* run );
// Largest distance between markers of two runs, metres, every 1/20 s after the release: where steps of 1/60, 1/100 and
// 1/240 s all end.
double beamDifference( const beamRun* a, const beamRun* b );

// Modulus and drag that are nearest to a take without load: least squares over all markers and frames.
bool beamFit( const beamFlesh* beam, const beamTake* take, beamMaterial* material, beamRun* run, supError* error );
