// SPDX-License-Identifier: MIT
// Finer functions: local detail on top of the vertices of the lattice, paid for only where it takes part.
//
// The functions of finer levels (volume/lattice/cell_basis.h) have coefficients z, in the frame R of the bones around
// each (the blended rotation of its weights), and measure how far flesh is from where skinning puts it, as the skin
// does. With u = x - T, how far the vertices are from where their bones put them, each is a step of backward Euler of
// its own:
//
//     ( M + h D + h^2 K ) z' = M ( z + h w ) + h D z + h^2 ( Q - R^T K_fv u - R^T M_fv a )
//
// over active functions alone, by conjugate gradients from where they were. Vertices get the reaction. A step is one
// symmetric sweep of block Gauss-Seidel: detail, vertices, detail again. Each part lowers the same energy, so that the
// sweep is stable for every step length, and no factor ever changes with the active set. Forces from outside are
// answered by the same sweep, so that what is held comes to rest where all levels are in balance. In the mode
// `nonlinear` detail only follows.
//
// K_fv u takes six numbers a function and cell: the gradient H of u is constant in a tet (in other cells its mean is
// used), and the stress of it times the gradient of f, integrated, is 2 sym( R^T H ) a + 2 tr( R^T H ) b with
// a = int G grad f, b = int G l grad f.
//
// A function joins where the correction that it would make by itself, K_ff^-1 ( -R^T K_fv u ), is above a part of its
// width, a threshold of its level. It joins with 0. It fades out where the correction has fallen far below, and leaves
// when it is too small to be seen. So neither moves anything. Joins are spread over steps.
#pragma once

#include "core/pack.h"
#include "method/fem/solver.h"
#include "supple/flesh.h"
#include "volume/lattice/cell_basis.h"

// The most functions that take part at once.
#define SUP_MAX_DETAIL 2048

// Numbers of each kind of entry.
#define SUP_DETAIL_BOND 6 // a and b
#define SUP_DETAIL_PAIR 2 // mass and hold
#define SUP_DETAIL_ROW 10 // 3 x 3 stiffness, column by column, and mass
#define SUP_DETAIL_SKIN 4 // value and gradient

typedef struct supFemDetail
{
	// finer levels, 0: none. Functions of level l + 1 start at levelStarts[l].
	int32_t levelCount;
	const int32_t* levelStarts; // levelCount + 1
	int32_t count;
	const supVec3* places;
	const float* widths; // m
	const float* loads;  // integral of density times function
	const uint16_t* joints;
	const float* weights; // SUP_MAX_INFLUENCES a function, sum 1

	// of each cell 8 corners, -1 for none, and the mean gradients of their functions; the finer functions in it
	int32_t cellCount;
	const int32_t* cellCorners;
	const supVec3* cellGradients;
	const int32_t* cellStarts;
	const int32_t* cellFunctions;

	// of each function: with the gradient of u in cells, with corners of cells, with each other; each by soft region
	const int32_t* bondStarts;
	const int32_t* bondCells;
	const int32_t* bondRegions;
	const float* bonds;
	const int32_t* pairStarts;
	const int32_t* pairCorners; // of cellCorners
	const int32_t* pairRegions;
	const float* pairs;
	const int32_t* rowStarts;
	const int32_t* rowColumns;
	const int32_t* rowRegions;
	const float* rows;

	// vertices of the skin that each moves, rising, among those of all instances
	int32_t skinCount;
	const int32_t* skinStarts;
	const int32_t* skinVertices;
	const float* skins;
	// and the other way around: of each vertex the entries of `skins`, and whose they are
	const int32_t* seenStarts;
	const int32_t* seenEntries;
	const int32_t* seenFunctions;
} supFemDetail;

typedef struct supDetailHeader
{
	int32_t activeCount;
	int32_t cursor;      // cell at which the search for functions goes on
	int32_t heldCount;   // of `held`
	int32_t toldCount;   // slots that were handed out as particles
	float moved;         // the farthest that a coefficient went in the last step
	uint64_t iterations; // of conjugate gradients, all so far
} supDetailHeader;

// Functions at places that are held: they join sooner.
#define SUP_MAX_HELD 256

// Where things are in a state. A slot is an active function; vectors are three doubles.
typedef struct supDetailState
{
	supDetailHeader* header;
	int32_t* held;
	int32_t* slots;     // of each function, -1: does not take part
	int32_t* functions; // of each slot
	uint8_t* isLeaving;
	double* z;
	double* w;       // its velocity
	double* turns;   // rows of R, nine
	double* strains; // of each cell: H, rows, nine
	double* pushes;  // on each corner of each cell: N
	double* speeds;  // of each vertex at the beginning of the step, then how far it went beyond where these lead
	double* away;    // of each vertex from where bones put it
	double* vectors; // scratch: VECTORS of all slots
	size_t size;
} supDetailState;

// detail_build.c: out of the rule of a basis with finer levels.
typedef struct supDetailDef
{
	const supCellBasis* basis;
	const supCellRule* cells;
	supFemRule rule; // the same with material
	// of vertices of the lattice
	int32_t vertexCount;
	int32_t boneCount;
	const uint16_t* joints;
	const float* weights;
	int32_t softRegionCount;
	const double* pulses; // of each soft region
	// the skin: every vertex at rest, and how much of it flesh moves, 0 .. 1
	int32_t skinCount;
	const supVec3* skin;
	const float* skinShares;
	const supTasks* tasks;
} supDetailDef;

// Arrays in the arena. False and an error where out of memory.
bool supBuildFemDetail( supFemDetail* detail, supArena* arena, const supDetailDef* def, supError* error );

// What follows from the rest. False where out of memory.
bool supFemDetail_IndexSkin( supFemDetail* detail, supArena* arena );

// - block NULL: only the size
supDetailState supFemDetail_View( const supFemDetail* detail, int32_t vertexCount, const void* block );
void supFemDetail_Reset( const supFemDetail* detail, const supDetailState* state );

// detail.c

// Before vertices move: where detail goes with them as they are, and what they get from that. NULL: none takes part.
const double* supFemDetail_Push( const supFemDetail* detail, const supDetailState* state, const supFemModel* model,
								 const supFemState* body, const supFemStep* step );

// After: detail at the end of the step.
void supFemDetail_Advance( const supFemDetail* detail, const supDetailState* state, const supFemModel* model,
						   const supFemState* body, const supFemStep* step );

// How a force on slots, sum of weights[k] z[slots[k]], moves the body over the step, by the same sweep. At first what
// vertices get from it, added to `loads`; then, with columns of vertices as these loads move them, those of slots
// behind them. Nine doubles each, column by column, in the world.
void supFemDetail_BeginResponse( const supFemDetail* detail, const supDetailState* state, const supFemModel* model,
								 const supFemStep* step, int32_t count, const int32_t* slots, const float* weights,
								 double* loads );
void supFemDetail_EndResponse( const supFemDetail* detail, const supDetailState* state, const supFemModel* model,
							   const supFemStep* step, int32_t count, const int32_t* slots, const float* weights,
							   double* columns );

// detail_pack.c: into the group of a pack that the caller has entered, and out again. False with the reader's error
// set.
typedef struct supDetailBounds
{
	int32_t vertexCount;
	int32_t boneCount;
	int32_t softRegionCount;
	int32_t skinCount;
} supDetailBounds;

void supFemDetail_Save( const supFemDetail* detail, supPackWriter* writer );
bool supFemDetail_Load( supFemDetail* detail, supArena* arena, supPackReader* reader, const supDetailBounds* bounds );

// detail_surface.c

// Active functions at a place of the skin, as slots with their values. Functions that are not count as held: they join
// sooner. Returns how many, at most `most`.
// - firstVertex: of the place's instance, among all
int32_t supFemDetail_FindAt( const supFemDetail* detail, const supDetailState* state, const supSurfacePoint* point,
							 int32_t firstVertex, int32_t most, int32_t* slots, float* values );

// Adds detail to an instance that was written without: its vertices are firstVertex to endVertex among all.
void supFemDetail_AddToSurface( const supFemDetail* detail, const supDetailState* state, int32_t firstVertex,
								int32_t endVertex, const supSkinOutput* output );

// How fine active functions are at each vertex: their level over the finest. The largest stays.
void supFemDetail_FillLevels( const supFemDetail* detail, const supDetailState* state, int32_t firstVertex,
							  int32_t endVertex, float* levels );

// How far detail went in the step, by its velocities at the end.
void supDetailState_Measure( const supDetailState* state, double dt );

// R z or R w of a slot, and back.
void supDetailState_Turn( const supDetailState* state, int32_t slot, const double in[3], double out[3] );
void supDetailState_TurnBack( const supDetailState* state, int32_t slot, const double in[3], double out[3] );

// detail_adapt.c: functions join and leave. True where the set has changed.
// - refine: of each finer level
bool supFemDetail_Adapt( const supFemDetail* detail, const supDetailState* state, const supFemModel* model,
						 const supFemState* body, const supFemTuning* tunings, const float* refine );

// How far vertices are from where bones put them, and the strain of that, for what follows.
void supFemDetail_Look( const supFemDetail* detail, const supDetailState* state, const supFemModel* model,
						const supFemState* body );

// Forces on a function by the vertices as they are looked at, without inertia, in the frame whose rotation has these
// rows.
void supFemDetail_Drive( const supFemDetail* detail, const supDetailState* state, const supFemTuning* tunings,
						 int32_t function, const double turn[9], double force[3] );
void supFemDetail_FindTurn( const supFemDetail* detail, const supFemFrame* frames, int32_t function, double turn[9] );
