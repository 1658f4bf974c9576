// SPDX-License-Identifier: MIT
// A step of a model in time. Everything that changes is in one block of bytes.
//
// With the frame T (rotation R) of a region's bone at the end of the step, T' at its beginning, and bones where they
// will be, a region finds how far its flesh is from where the bone puts it, in the frame of the bone:
//
//     A = M + h D + h^2 K,   A d_i = R^-1 ( M ( x + h v - T(r) ) + h D ( x - T'(r) ) + h^2 Q )      of unknowns
//                                  + R^-1 ( M ( h v - s ) - h D ( s - T(r) + T'(r) ) ) - h^2 K u    of known ones
//     x = sum of W_i ( T_i(r) + R_i d_i ),   v = what x moved over h
//
// with s how far a known function goes in the step and u = R^-1 ( x - T(r) ) at its end. This is the paper's step for
// velocities ( M + h D + h^2 K ) dv = -h K u - h D w + h Q with d = u + h ( v + dv ), in which the products with K of
// what is unknown have gone into A. M is a number a pair of functions: it commutes with R, so that what it multiplies
// is the same for all regions but for the frame, whose part is M times the rest pose and constant.
//
// (Capell et al. 2002, Eq. 16 to 20; the rotation back is missing in print.) The bracket is constant: it is factored
// when step, damping or stiffness change, and each step is two triangular solves a region. Damping is relative to the
// motion of the bone, so that it slows swinging down and not the character.
//
// That is backward Euler, which damps a swing of w radians a second by a ratio of w h / 2. With `conservation` c and
// a = 1 - c the same system is solved for a weighted mean s of three successive positions instead (Newmark's method
// with beta = (1 + a)^2 / 4, in displacements only, velocities half a step behind):
//
//     H = h (1 + a) / 2,   p = x + a h v
//     ( M + H D + H^2 K ) s = M p + H D ( p - H v ) + H^2 Q,   x' = x + h v + ( s - p ) / beta,   v' = ( x' - x ) / h
//
// which is a step of backward Euler of length H from p - H v. Its damping ratio is a w h / 2; what is too fast for the
// step dies away by (1 - a) / (1 + a) each step. A force that acts by h^2 A^-1 after each step holds places exactly
// where they would be at rest, whatever a.
#pragma once

#include "method/fem/model.h"
#include "supple/flesh.h"

supFemFrame supMakeFemFrame( supMat34 m );

// How a soft region is tuned.
typedef struct supFemTuning
{
	double stiffness; // what its moduli are multiplied with
	double damping;   // mu of D = mu M, in 1/s
} supFemTuning;

typedef struct supFemStep
{
	double dt;
	const supTasks* tasks;
	supTrouble* trouble;
	// at the end of the step: of each bone, and of each function (16 bytes) that is known
	const supFemFrame* frames;
	const supVec4* known;
	const supFemTuning* tunings; // of each soft region
	// what finer functions push corners of cells with, N: three of each of 8 a cell; NULL: nothing
	const double* pushes;
	supVec3 gravity;
	supVec3 wind;
	double sag; // 0: the rest pose is in balance with gravity
	double air; // 1/s
	// nonlinear: most Newton iterations a step
	int32_t iterations;
	double hold;  // Hz: of flesh on loose bones
	double bones; // Hz: of loose bones on the clip
	// how far unknown vertices may get from where their bones put them, in their reaches
	double reach;
	// 0: backward Euler; 1: keeps energy
	double conservation;
} supFemStep;

// A frame as columns of four doubles, ready to be multiplied with.
typedef struct supFemMap
{
	double place[16]; // linear part and shift, at the end of the step
	double past[16];  // the same at its beginning
	double clip[16];  // at the end of the step, as the clip has it
	double lag[16];   // how far that is from it, in the frame
	double turn[12];  // rotation
	double back[12];  // its transpose
} supFemMap;

// What a function brings to the right-hand sides, h times its velocity: now + h mu rate, of the part's damping mu.
typedef struct supFemPush
{
	double now[4];
	double rate[4];
} supFemPush;

// A function's share of the volume of the body, at rest and now, and the gradient of the whole volume.
typedef struct supFemVolume
{
	double rest, now;
	double slope[3];
} supFemVolume;

// The same of the flesh that a bone moves, its compliance, and how hard it is pushed.
typedef struct supFemBoneVolume
{
	double rest, now;
	double give, push;
} supFemBoneVolume;

typedef struct supFemHeader
{
	float moved; // the farthest that a function went in the last step
} supFemHeader;

// Where things are in a state. Vectors are three doubles.
typedef struct supFemState
{
	supFemHeader* header;
	double* x; // of each function
	double* v;
	double* before;      // x at the beginning of the step
	double* speeds;      // v at the beginning of the step
	double* starts;      // x at the beginning of the step, where `before` is that of a stage
	double* targets;     // where the bones put it
	supFemFrame* frames; // at the end of the last step, then of this
	supFemFrame* framesBefore;
	double* turns;        // of each loose bone in its frame: x y z w
	supFemSwing* swings;  // scratch: the same in the world
	supFemFrame* carried; // at the end of this step, with loose bones where flesh has carried them; or `frames`
	// where there are loose bones, scratch: frames of the bones, and gates and ways of the clip's frames
	supFemFrame* looseBones;
	double* clipGates;
	double* clipWays;
	supFemFrame* ends;        // of bones, at the end of the last step
	supFemFrame* stageFrames; // scratch: of bones, and of known functions, at the time of a stage
	supVec4* stageKnown;
	double* gates;      // of each pair: 0 straight to 1 turned
	double* ways;       // of each pair: around which way, 1 or -1
	supFemMap* maps;    // scratch: of each frame
	supFemPush* pushes; // scratch: of each function
	double* solutions;  // of all regions' unknowns
	uint64_t* keys;     // of dt and tunings that each region's factor is for; 0: none
	char* factors;
	char* works;
	double* values; // of the matrix that is being factored
	char* factorWork;
	double* newton;        // nonlinear, or with joints
	supFemVolume* volumes; // scratch: of each function, and of each bone
	supFemBoneVolume* boneVolumes;
	double* shifted; // scratch: x and shifts
	double* shifts;  // of each function: from x to where it is drawn (body_volume.c)
	size_t size;
} supFemState;

// - block NULL: only the size
supFemState supFemModel_View( const supFemModel* model, const void* block );

// Where bones put it, at rest.
void supFemSolver_Reset( const supFemModel* model, const supFemState* state, const supFemFrame* frames,
						 const supVec4* known );

// x, v and targets at the end of the step. Allocates nothing.
void supFemSolver_Advance( const supFemModel* model, const supFemState* state, const supFemStep* step );

// What is not a number goes where its bones put it, what is beyond its reach back to it. v becomes what x moved over
// the step where anything was changed. Returns how many were not numbers.
int32_t supFemSolver_Repair( const supFemModel* model, const supFemState* state, const supFemStep* step );

// A force that acts on each function by loads[i] times it moves function i by columns[i] times it over the step: nine
// doubles each, column by column. With the systems of the last step.
void supFemSolver_Respond( const supFemModel* model, const supFemState* state, double dt, const double* loads,
						   double* columns );

// In joules: elastic by the energy that is not linearised, and kinetic.
double supFemSolver_ElasticEnergy( const supFemModel* model, const supFemState* state, const supFemTuning* tunings );
double supFemSolver_KineticEnergy( const supFemModel* model, const supFemState* state );

// Where a function's bones and the frames between them put it together.
void supFemModel_Skin( const supFemModel* model, const supFemFrame* frames, const double* gates, int32_t function,
					   double out[3] );

// Where it is held to: by bones alone, with the fourth powers of the weights, as regions have it (regions.c).
void supFemModel_HoldPlace( const supFemModel* model, const supFemFrame* frames, int32_t function, double out[3] );

// How all factors of states are made.
extern const supFactorDef supFemFactorDef;

// loose_bones.c: flesh turns its loose bones at the end of a step, and is held to them.
void supFemSolver_HoldLooseBones( const supFemModel* model, const supFemState* state, const supFemStep* step );

// body_volume.c: shifts for x as it is.
// - part: 1 restores all of the volume, 0 nothing
void supFemSolver_KeepVolume( const supFemModel* model, const supFemState* state, double part );

// newton.c
size_t supFemNewton_Size( const supFemModel* model );
void supFemNewton_Advance( const supFemModel* model, const supFemState* state, const supFemStep* step );
// From where the regions put them, with all else where that put it.
void supFemNewton_AdvanceJoints( const supFemModel* model, const supFemState* state, const supFemStep* step );
