// SPDX-License-Identifier: MIT
// The multi-layer lattice: what its files share. README.md tells how it works.
//
// Lengths are in voxels, and places are relative to the actor's origin (where the first bone has carried the middle of
// the voxels), so that neither the size of a character nor where in the world it stands matters to any number here.
#pragma once

#include "character/pose.h"
#include "core/kernel.h"
#include "core/tasks.h"
#include "core/wide.h"
#include "method/method.h"
#include "volume/binding/surface_binding.h"
#include "volume/body/body.h"
#include "volume/weights/bridges.h"

// ---------------------------------------------------------------------------------------------------------------------
// Parameters

typedef enum supLatticeParameter
{
	sup_latticeSoftness,
	sup_latticeResolution,
	sup_latticeWidth,
	sup_latticeMode,
	sup_latticeIterations,
	sup_latticeMuscleFrequency,
	sup_latticeMuscleDamping,
	sup_latticeMuscleMatching,
	sup_latticeFatFrequency,
	sup_latticeFatDamping,
	sup_latticeFatMatching,
	sup_latticeSkinFrequency,
	sup_latticeSkinDamping,
	sup_latticeSkinMatching,
	sup_latticeStretch,
	sup_latticeVolume,
	sup_latticeWholeVolume,
	sup_latticeReach,
	sup_latticeGravity,
	sup_latticeExaggeration,
	sup_latticeCarry,
	sup_latticeBlend,
	sup_latticeWeights,
	sup_latticePaper,
	sup_latticePaperMuscleStiffness,
	sup_latticePaperMuscleDamping,
	sup_latticePaperFatStiffness,
	sup_latticePaperFatDamping,
	sup_latticePaperSkinStiffness,
	sup_latticePaperSkinDamping,
	sup_latticeParameterCount
} supLatticeParameter;

// Figures 13 to 15.
typedef enum supLatticeMode
{
	// the mesh follows skinned voxels
	sup_latticeNone,
	// everything that is not bone is muscle
	sup_latticeSingle,
	// the skin is made of what lies beneath it
	sup_latticeWithoutSkin,
	sup_latticeAll,
} supLatticeMode;

// Algorithm 1 as it is printed, and with the correction taken before the prediction as in FastLSM (Rivers & James
// 2007). Neither is for use: see docs/lattice.md.
typedef enum supLatticePaper
{
	sup_latticeOurs,
	sup_latticeLiteral,
	sup_latticeFastLsm,
} supLatticePaper;

// What the mesh is bound to.
typedef enum supLatticeCarry
{
	// the voxels alone, as in the paper
	sup_latticeCarryVoxels,
	// its own skin weights; the voxels add how they differ from being skinned
	sup_latticeCarrySkin,
} supLatticeCarry;

// Which bones carry a voxel.
typedef enum supLatticeWeights
{
	// by the distance through the body, as in the paper
	sup_latticeWeightsGeodesic,
	// those of the skin that is nearest, as the artist painted them
	sup_latticeWeightsPainted,
} supLatticeWeights;

// How bones carry the voxels between them.
typedef enum supLatticeBlend
{
	// matrices, as in the paper: a twist makes a limb thin
	sup_latticeBlendLinear,
	// dual quaternions, which keep its girth
	sup_latticeBlendDual,
} supLatticeBlend;

extern const supParameter supLatticeParameters[sup_latticeParameterCount];

// ---------------------------------------------------------------------------------------------------------------------
// Flesh

// The bone's own layer is 0; what else a voxel is made of is given by the numbers of layers.
#define SUP_LATTICE_NO_REGION 255

// Voxels that behave alike.
typedef struct supLatticeClass
{
	// whose stiffness of matching it has
	uint8_t layer;
	// whose frequency and damping; for skin that of what lies beneath it
	uint8_t tether;
	// soft region, or SUP_LATTICE_NO_REGION
	uint8_t region;
	uint8_t isBone;
	// 0 .. 1 within the region
	float softness;
} supLatticeClass;

#define SUP_LATTICE_MAX_CLASSES 255
#define SUP_LATTICE_MAX_WIDTH 9
// windows this wide along y and z are put together from blocks, to regions and on the way back (windows.h): narrower
// ones are faster cell by cell
#define SUP_LATTICE_BLOCKS_FROM 8
#define SUP_LATTICE_BLOCKS_BACK_FROM 6
#define SUP_LATTICE_MAX_RESOLUTION 256
// parts of the body whose sums are taken apart from each other (sheets.c)
#define SUP_LATTICE_MAX_SHEETS 8

// The cells that a region covers along one axis, as seen from its own cell: [lower, upper]. Odd widths have their
// middle there; even ones half a cell below it, on a corner.
typedef struct supLatticeWindow
{
	int32_t width;
	int32_t lower, upper;
	float half;
} supLatticeWindow;

// Lines of bricks along one axis; entries are bricks, -1 if there is none for a while.
typedef struct supLatticeLines
{
	int32_t count;
	// count + 1
	int32_t* starts;
	int32_t* bricks;
} supLatticeLines;

// What is done with a brick of sums, on the way to regions; the other way round on the way back.
enum
{
	// voxels' share of mass and place goes in
	sup_latticeSumsVoxels = 1,
	// sums along x, along x and y, and all sums are of use here
	sup_latticeSumsRow = 2,
	sup_latticeSumsColumn = 4,
	sup_latticeSumsRegion = 8,
};

// Sums of one brick into another of the same cells, as far as lanes go.
typedef struct supLatticeJoins
{
	// first term of each brick
	int32_t count;
	int32_t* starts;
	int32_t* bricks;
	uint8_t* lanes;
} supLatticeJoins;

// Some voxels of a brick, and where its first lane is as seen from a region, in halves of a voxel.
typedef struct supLatticeOffset
{
	int8_t x, y, z;
	uint8_t lanes;
} supLatticeOffset;

// What sums over blocks have too much or too little, a term being some voxels of a brick; see regions.c.
typedef struct supLatticeLists
{
	// lists of each brick: brickCount + 1
	int32_t* brickStarts;
	int32_t count;
	// slot of the region that a list is for; of lists for voxels the first of their brick
	int32_t* slots;
	// first term of each list; count + 1
	int32_t* starts;
	// brick of voxels for regions, slot of a region for voxels; its complement where that is to be taken off
	int32_t* terms;
	supLatticeOffset* offsets;
} supLatticeLists;

// The border of the body as quads between the middles of voxels, eight at a time, each eight of one part.
typedef struct supLatticeShell
{
	int32_t partCount;
	// first group of eight of each part, partCount + 1; first voxel of each part, partCount + 1
	int32_t* partGroups;
	int32_t* partVoxels;
	// 4 x 8 slots a group; groups are filled up with quads of a single corner, which enclose nothing
	int32_t groupCount;
	int32_t* corners;
	int32_t voxelCount;
	int32_t* slots;
	// corners that a voxel is at: first of each, voxelCount + 1; group * 32 + corner * 8 + lane
	int32_t* starts;
	int32_t* uses;
	// of each part at rest
	float* volumes;
} supLatticeShell;

// Bricks are eight cells in a row along x; all arrays over bricks have one more, empty brick at brickCount, which
// stands for all that are not there. A slot is a cell of a brick: 8 * brick + lane.
typedef struct supLatticeFlesh
{
	supArena arena;
	int32_t voxelCount;
	int32_t boneCount;
	// those with a voxel come first, then those with a region
	int32_t voxelBrickCount;
	int32_t brickCount;
	// bricks behind the empty one that hold further regions of the same cells as others; and behind these, those that
	// only sums pass through, of all sheets
	int32_t extraBrickCount;
	int32_t passBrickCount;
	int32_t classCount;
	int32_t layerCount;
	supLatticeWindow window;
	// metres
	float voxelSize;
	float longest;
	// cell 0 of the lattice among the voxels' cells, and the world at its middle
	supVoxelCell middle;
	double center[3];
	// as many as the method has, as the flesh was built with
	float* parameters;

	// of each bone: node; inverse of its rest matrix without translation, 9; middle of cell 0 as seen from it, 3
	int32_t* boneNodes;
	double* boneRests;
	// bone above it, -1 for a root; and all bones, those above first
	int32_t* boneParents;
	int32_t* boneOrder;

	// of each voxel
	int32_t* voxelSlots;
	uint16_t* joints;
	float* weights;
	// one region (odd widths) or up to eight (even) that its rotation is taken from; -1 where there are fewer
	int32_t* voxelRegions;
	uint8_t* layers;
	uint8_t* voxelClasses;

	supLatticeClass* classes;
	// which parameters stand for a layer, between muscle (0), fat (1) and skin (2)
	float* layerKinds;

	// of each brick
	supVoxelCell* brickCells;
	uint8_t* masks;
	int32_t* firstVoxels;
	// 27: x fastest, then y, then z, from -1 to 1
	int32_t* neighbours;
	// 27, likewise: lanes with an open step in this direction (voxel_graph.h), none in the middle
	uint8_t* steps;
	// 1 for flesh, 0 for bones and where there is nothing; 8 a brick
	float* freedoms;
	// of each slot
	uint8_t* slotClasses;
	// 1 / number of regions that it is in, 0 if there is none; the mass that it brings to each of them too
	float* shares;

	// of each slot that may be a region, extra bricks included: 1 / mass, middle of the mass (3), weight of the skinned
	// rotation; 5 x 8 a brick
	float* regions;
	// of each such slot: a voxel near its middle; the slot itself for odd widths
	int32_t* regionVoxels;

	// of each brick of sums: what it is for; brick of its voxels, and their shares as far as they are of this sheet
	uint8_t* roles;
	int32_t* sources;
	float* rowShares;
	supLatticeLines rows, columns, stacks;
	// first row, column and brick of voxels of each plane across z; planeCount + 1 each
	int32_t planeCount;
	int32_t* planeRows;
	int32_t* planeColumns;
	int32_t* planeBricks;
	// of each brick: lanes that the sums of its own sheet are for
	uint8_t* homeLanes;
	// to each brick, then each extra one: from other sheets, and for extra ones from all
	supLatticeJoins regionJoins;
	// back to each brick from extra ones, then to each that sums pass through from all with regions
	supLatticeJoins sheetJoins;
	// to each brick of voxels from those of other sheets
	supLatticeJoins voxelJoins;
	// numbers in regionJoins and in sheetJoins of those whose sums and motions are not just there; those behind the
	// bricks of the grid are last
	int32_t partedCount, partedExtraCount;
	int32_t* parted;
	int32_t sharedCount, sharedPassCount;
	int32_t* shared;
	supLatticeLists regionLists;
	supLatticeLists voxelLists;
	supLatticeShell shell;
	supSurfaceBinding surface;
} supLatticeFlesh;

// build.c. NULL and an error on failure.
void* supLattice_CreateFlesh( const supFleshInput* input, supError* error );
void supLattice_DestroyFlesh( void* flesh );
supLatticeWindow supLattice_MakeWindow( int32_t width );

// pack.c
void supLattice_SaveFlesh( const void* flesh, supPackWriter* writer );
void* supLattice_LoadFlesh( supPackReader* reader, const supCharacter* character );
int32_t supLattice_CountRegions( const void* own );

// What is at hand while flesh is built.
typedef struct supLatticeBuilder
{
	const supFleshInput* input;
	supError* error;
	supLatticeFlesh* flesh;
	supArena* arena;
	supBody body;
	// grid of bricks: index of each, -1 if there is none
	int32_t* map;
	int32_t mapX, mapY, mapZ;
	// added to a cell to get into the grid
	int32_t shiftX, shift;
	// for each axis, laid out as the voxels' bits: voxels that do not belong together with the next one
	// (unrelated_voxels.c, gaps.c)
	uint64_t* closed[3];
	int32_t closedCount;
	// what skin each voxel lies at
	supBridges bridges;
	supSkinPlace* places;
	// of each voxel: whether it is of a mesh that hangs on a joint without a skin
	bool* rigid;
	// of each vertex: part of a rigid shell; NULL where softness is said
	const bool* shells;
	// of each voxel, and the voxels of each sheet laid out as all voxels' bits; NULL with a single one
	int32_t sheetCount;
	uint8_t* sheets;
	uint64_t* sheetBits[SUP_LATTICE_MAX_SHEETS];
	// of each brick with regions, extra ones included: lanes whose regions want the sums of each sheet
	uint8_t ( *wants )[SUP_LATTICE_MAX_SHEETS];
	// the brick of the same cells that is not extra
	int32_t* extraBases;
} supLatticeBuilder;

// Rows of a block of voxels, bit k of a row is its cell k along x.
typedef struct supLatticeBlock
{
	uint32_t rows[SUP_LATTICE_MAX_WIDTH * SUP_LATTICE_MAX_WIDTH];
} supLatticeBlock;

typedef struct supLatticeRegion
{
	// what is in the block, and what of it belongs to the region
	const supLatticeBlock* present;
	const supLatticeBlock* members;
	// lowest cell of the block, and the cell that the region stands in
	supVoxelCell lower;
	supVoxelCell cell;
	// a voxel near its middle, and which of those around the corner are members; for odd widths that one
	int32_t voxel;
	uint8_t inner;
} supLatticeRegion;

typedef void supLatticeRegionFcn( const supLatticeRegion* region, void* context );

// blocks.c. Regions in order of their cells.
void supLattice_WalkRegions( const supLatticeBuilder* builder, supLatticeRegionFcn* function, void* context );
// Of something laid out as the voxels' bits.
void supLattice_LoadBlock( const supLatticeBuilder* builder, const uint64_t* bitmap, supVoxelCell lower,
						   supLatticeBlock* block );
int32_t supLattice_CountBlock( const supLatticeBuilder* builder, const supLatticeBlock* block );

// The slot of a cell, whose brick must exist.
int32_t supLattice_Slot( const supLatticeBuilder* builder, int32_t x, int32_t y, int32_t z );

// Each returns false with the error set.
bool supLattice_FindApart( supLatticeBuilder* builder );
bool supLattice_FindGaps( supLatticeBuilder* builder );
bool supLattice_BuildClasses( supLatticeBuilder* builder );
bool supLattice_FindSheets( supLatticeBuilder* builder );
bool supLattice_BuildBricks( supLatticeBuilder* builder );
bool supLattice_BuildRegions( supLatticeBuilder* builder );
// Bricks and lines of sums, for all sheets.
bool supLattice_BuildSums( supLatticeBuilder* builder );
// After everything that a state consists of is known.
bool supLattice_MeasureRegions( supLatticeBuilder* builder );
bool supLattice_BuildShell( supLatticeBuilder* builder );
// Takes vertices off voxels that they do not belong to (unrelated_voxels.c).
bool supLattice_PartSurface( supLatticeBuilder* builder );

// The voxel does not belong together with the next one along an axis.
void supLattice_CloseFace( supLatticeBuilder* builder, int axis, supVoxelCell cell );
bool supLattice_IsFaceClosed( const supLatticeBuilder* builder, int axis, supVoxelCell cell );

// How much of their weights two places have in common, 0 .. 1; SUP_MAX_INFLUENCES each.
float supLattice_Likeness( const uint16_t* jointsA, const float* weightsA, const uint16_t* jointsB,
						   const float* weightsB );

// Is there a way across open faces to the voxel a step of -1 .. 1 along each axis away?
bool supLattice_IsStepOpen( const supLatticeBuilder* builder, supVoxelCell from, supVoxelCell step );

// ---------------------------------------------------------------------------------------------------------------------
// State

typedef struct supLatticeState
{
	// world, metres
	double origin[3];
	// of the skeleton in the last pose against rest
	float scale;
	// the largest speed against the skinned motion in the last substep, voxels per second
	float unrest;
	supLatticeCarry carry;
	supLatticeMode mode;
	// whether some bone is not rigid
	int32_t isStretched;
	// whether places and frames of voxels are those of the positions now, and whether somebody may have moved places
	int32_t hasFrames;
	int32_t isShown;
} supLatticeState;

// What one actor's arrays are called, 8 floats per brick and channel. All down to `bends` is what the next step needs,
// the rest is scratch.
typedef struct supLatticeArrays
{
	supLatticeState* head;
	// 3: place, and velocity in voxels per second
	float* positions;
	float* velocities;
	// 3: where skinning puts it, and (9) how it turns there, columns
	float* skinned;
	float* turns;
	// 4: rotation of the region, x y z w
	float* rotations;
	// of each bone: its matrix, 12 of 16 floats; the same as a dual quaternion; how its parent sees it
	float* palette;
	supDualJoint* duals;
	supQuat* bends;
	// 3: after the prediction; between two constraints
	float* predicted;
	float* others;
	// of each bone: from a cell to its exaggerated inertia (method/inertia.h), 12 of 16 floats; voxels/s²
	float* throws;
	// 12: sums of regions, then their motion, then sums of motions
	float* sums;
	// 3 x 8 floats for each list of voxels
	float* corrections;
	// 12 x 8 floats a group of the shell: gradients at its corners; then volumes of groups
	float* shellGradients;
	double* shellVolumes;
	// 4 floats a shell voxel: gradient, and its square weighed
	float* shellSlopes;
	// of each voxel: place and rotation in the world, and where and how skinning has it
	supVec4* points;
	supQuat* turnsOfPoints;
	supVec4* references;
	supBindFrame* frames;
} supLatticeArrays;

size_t supLattice_StateSize( const void* flesh );
supLatticeArrays supLattice_Arrays( const supLatticeFlesh* flesh, void* state );

// ---------------------------------------------------------------------------------------------------------------------
// Kernels. Each works on a range of bricks, lines or groups.

// What a class does in one substep.
typedef struct supLatticeMotion
{
	// y' = a00 y + a01 u, u' = a10 y + a11 u
	float a00, a01, a10, a11;
	// towards the goal of matching
	float matching;
	// 1 for flesh, 0 for what follows the bone
	float free;
	// of velocity that is kept, against the world (paper) only
	float keep;
	float unused;
} supLatticeMotion;

typedef struct supLatticeJob
{
	const supLatticeFlesh* flesh;
	supLatticeArrays arrays;
	const supLatticeMotion* motions;
	supLatticePaper paper;
	supLatticeBlend blend;
	float dt;
	// how far the origin moved, voxels
	float shift[3];
	// voxels per second squared
	float gravity[3];
	// inertia is exaggerated
	bool isThrown;
	// how far flesh may be from where it is skinned, voxels
	float reach;
	// how far it can be whatever happened, voxels: the length of the body
	float leash;
	// strengths 0 .. 1, and the size of the skeleton against rest
	float stretch;
	float volume;
	float scale;
	// in and out of the constraint at hand
	const float* from;
	float* to;
	// regions found inside out, and velocities or places that were not numbers: counted per worker, a cache line each
	int64_t* counts;
} supLatticeJob;

// predict_kernel.c
// Returns voxels whose motion was not a number.
SUP_DECLARE_KERNEL( int64_t, supLatticePredict, ( const supLatticeJob* job, int32_t begin, int32_t end ) );
// Returns what was not a number; the largest squared speed against the skinned motion goes to `unrest`.
SUP_DECLARE_KERNEL( int64_t, supLatticeFinish,
					( const supLatticeJob* job, int32_t begin, int32_t end, float* unrest ) );

// constraint_kernel.c
SUP_DECLARE_KERNEL( void, supLatticeStretch, ( const supLatticeJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supLatticeVolumeSlopes, ( const supLatticeJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supLatticeVolumeApply, ( const supLatticeJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supLatticeShellGroups, ( const supLatticeJob* job, int32_t begin, int32_t end ) );

// sums_kernel.c
SUP_DECLARE_KERNEL( void, supLatticeSumRows, ( const supLatticeJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supLatticeSumColumns, ( const supLatticeJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supLatticeSumStacks, ( const supLatticeJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supLatticeSpreadStacks, ( const supLatticeJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supLatticeSpreadColumns, ( const supLatticeJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supLatticeSpreadRows, ( const supLatticeJob* job, int32_t begin, int32_t end ) );

// match_kernel.c
SUP_DECLARE_KERNEL( void, supLatticeListSums, ( const supLatticeJob* job, int32_t begin, int32_t end ) );
// Returns how many regions were inside out.
SUP_DECLARE_KERNEL( int64_t, supLatticeMatch, ( const supLatticeJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supLatticeListGoals, ( const supLatticeJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supLatticeJoinGoals, ( const supLatticeJob* job, int32_t begin, int32_t end ) );
SUP_DECLARE_KERNEL( void, supLatticeCorrect, ( const supLatticeJob* job, int32_t begin, int32_t end ) );

// Places and rotations of voxels in the world, brick by brick.
SUP_DECLARE_KERNEL( void, supLatticePlaces, ( const supLatticeJob* job, int32_t begin, int32_t end ) );

// For tests: rotations nearest to `count` matrices (a multiple of 8), from where `rotations` are. Matrices are nine
// rows of `count` floats (columns of the matrices), rotations four rows.
SUP_DECLARE_KERNEL( void, supLatticePolar, ( const float* matrices, float* rotations, int32_t count ) );

// ---------------------------------------------------------------------------------------------------------------------
// Step and surface

void supLattice_Reset( const void* flesh, void* state, supPose* pose, const supTasks* tasks );
void supLattice_Predict( const void* flesh, void* state, const supSubstep* step );
void supLattice_Solve( const void* flesh, void* state, const supSubstep* step );
void supLattice_Finish( const void* flesh, void* state, const supSubstep* step );
void supLattice_WriteSurface( const void* flesh, const void* state, supPose* pose, int32_t instance,
							  const supTasks* tasks, const supSkinOutput* output );
bool supLattice_Grab( const void* flesh, const void* state, const supSurfacePoint* point, float radius, supGrab* grab );
supParticles supLattice_GetParticles( const void* flesh, void* state );
int32_t supLattice_BindVertex( const void* flesh, int32_t instance, int32_t vertex, int32_t* particles,
							   float* weights );
void supLattice_FindRow( const void* flesh, void* state, supPose* pose, const supSurfacePoint* point,
						 supPlaceRow* row );
void supLattice_Frame( const void* flesh, void* state, const supTasks* tasks );
bool supLattice_IsSettled( const void* flesh, const void* state );
void supLattice_Measure( const void* flesh, const void* state, supSurfaceMeasure* measure );

// Where the time of a substep goes: the parts of the paper's Figure 8, shape matching in three.
typedef enum supLatticePhase
{
	// matrices of bones
	sup_latticePhaseSkeleton,
	// skinned voxels and their swing
	sup_latticePhasePredict,
	sup_latticePhaseStretch,
	sup_latticePhaseVolume,
	// of matching: sums over regions, their rotations, the way back to voxels
	sup_latticePhaseSums,
	sup_latticePhaseRotations,
	sup_latticePhaseGoals,
	// the volume of the whole
	sup_latticePhaseWhole,
	sup_latticePhaseFinish,
	sup_latticePhaseCount
} supLatticePhase;

typedef struct supLatticeTimes
{
	// when the phase at hand began
	double since;
	// added to with each substep
	double milliseconds[sup_latticePhaseCount];
} supLatticeTimes;

// Predict, solve and finish in one, with a look at the clock after each phase. For benchmarks.
void supLattice_StepTimed( const void* flesh, void* state, const supSubstep* step, supLatticeTimes* times );

// Sums over regions of `from`, term lists included: the first half of matching. Also used to build regions.
void supLattice_SumRegions( supLatticeJob* job, const supTasks* tasks );

// After voxels were moved between solve and finish.
void supLattice_TakeParticles( supLatticeJob* job, const supTasks* tasks );

// skeleton.c. Matrices of all bones, and the actor's origin and size. Returns bones whose matrices were not numbers.
int64_t supLattice_FillPalette( const supLatticeFlesh* flesh, const supLatticeArrays* arrays, supPose* pose );
// False, and nothing is filled in, where nothing is exaggerated.
bool supLattice_FillThrows( const supLatticeFlesh* flesh, const supLatticeArrays* arrays, const supSubstep* step );
// Bones as they are at rest, in a state full of zeros.
void supLattice_ResetPalette( const supLatticeFlesh* flesh, const supLatticeArrays* arrays );

// tether.c: y and u after h seconds of y'' = -w^2 y - 2 z w y', exactly; row by row.
void supSolveTether( float frequency, float damping, float dt, float matrix[4] );

// elements.c
void supLattice_ListElements( const void* flesh, supFleshElements* elements );
