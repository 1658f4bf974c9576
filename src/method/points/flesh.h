// SPDX-License-Identifier: MIT
// The method: a character, or a prop, as a body of mass points.
//
// character   tets from its skin. Points around bones and where the flesh is firm (supSoftness) are nailed to the
// skinned
//             skeleton: they have no mass and go where skinning puts them. The rest is free. The skin is carried by the
//             tets, as a difference from ordinary skinning, so that what is finer than tets follows as authored.
// prop        a character without a skin: nothing is nailed. Where the vertices of its only mesh are the points of the
//             tets it was built with (supFleshDef.tets), one by one, vertex i is point i; else it is carried by the
//             tets.
#pragma once

#include "method/method.h"
#include "method/points/solver.h"
#include "volume/binding/surface_binding.h"
#include "volume/body/bones.h"

// In the order of the table in points.c.
typedef enum supPointsParameter
{
	sup_pointsSoftness,
	sup_pointsFrequency,
	sup_pointsRatio,
	sup_pointsIntegrator,
	sup_pointsStretch,
	sup_pointsArea,
	sup_pointsVolume,
	sup_pointsDamping,
	sup_pointsAir,
	sup_pointsExaggeration,
	sup_pointsSag,
	sup_pointsReach,
	sup_pointsIterations,
	sup_pointsDensity,
	sup_pointsFirm,
	sup_pointsSlowest,
	sup_pointsTets,
	sup_pointsRate,
	sup_pointsParameterCount
} supPointsParameter;

typedef struct supPointsFlesh
{
	supArena arena;
	supIntegrator integrator;
	float density;

	// what the body is built from; also after loading
	int32_t pointCount;
	const supVec3* points;
	int32_t tetCount;
	const int32_t* tets;
	int32_t triangleCount;
	const int32_t* triangles; // the boundary
	const uint8_t* fixed;
	const float* tetStiffness;
	float edge; // mean length of the edges of tets, m
	// characters that are integrated implicitly are simulated about their skinned pose: what moves is how far points
	// are from where skinning puts them, in frames that turn with it, and forces are linear in that
	bool isPosed;
	struct supPointsFactors* factors; // posed: shared by all actors, see flesh_factor.c
	float* shape;                     // posed: the points at rest, four numbers for each slot of the body
	const float* softnesses;          // characters: of each point
	float* reaches; // characters: of each point the way through the flesh to the nearest nail, an edge at least, m
	supPointBody body;

	// characters: the soft region of each point, and of each region what the laws add to ω² of its slowest swing, three
	// numbers each (see supPointSolver_FindSlowest)
	int32_t regionCount;
	const int32_t* regions;
	const float* swings;

	// skinning of the points: SUP_MAX_INFLUENCES each
	const uint16_t* joints;
	const float* weights;
	int32_t boneCount;
	const int32_t* boneNodes;
	const supMat34* boneInverses; // from the rest pose into the bone's space
	const supVec3* axes;          // characters: of the bones at rest, of unit length; zero: none

	// a prop; and vertices are points, so that there is no binding but the triangles around each vertex
	bool isProp;
	bool isDirect;
	const int32_t* aroundStarts; // of each point; pointCount + 1
	const int32_t* around;       // triangles
	supSurfaceBinding binding;
} supPointsFlesh;

// The flesh of one bone against skinning, see flesh_roll.c.
typedef struct supBoneRoll
{
	supVec3 joint, axis, middle; // world; the middle is an arm
	float angle;
	double mass, turn, size;
	double sums[6]; // of arms and lags
} supBoneRoll;

// Where things are in an actor's block of state.
typedef struct supPointsView
{
	supPointState state;
	int32_t* flags;      // see below
	supVec4* skinned;    // where skinning puts the points
	supVec4* oldSkinned; // at the beginning of the substep
	supVec4* oldPlaces;  // posed: and where they were
	supMat3* turns;      // posed: rotations of the points' frames
	supVec3* targets;    // of the fixed points
	supVec3* fresh;      // scratch
	supVec3* downs;      // scratch: a vector turned along with each point
	supVec4* tangents;   // scratch: another
	supPush* pushes;     // of the free points
	supPointTether* tethers;
	supVec3* faceNormals; // of the triangles, direct only
	supBindFrame* frames; // bound only
	void* palette;        // a cache line a bone
	supMat34* throws;     // of the bones (method/inertia.h)
	supBoneRoll* rolls;   // scratch: of the bones
	uint64_t* system;     // posed: what the matrix of the last step depended on
	double* directX;      // posed: three solutions
	void* directScratch;  // posed
	size_t size;
} supPointsView;

// The last step was not made; it has been told.
#define SUP_POINTS_REFUSED 1
#define SUP_POINTS_TOLD 2
// The matrix of this step is that of the one before, and factored.
#define SUP_POINTS_DIRECT 4

// - block NULL: only the size
supPointsView supPointsFlesh_View( const supPointsFlesh* flesh, const void* block );

// Of parameters as they are now.
supPointSettings supPoints_Settings( const supPointsFlesh* flesh, const float* parameters );

// flesh_create.c
void* supPoints_CreateFlesh( const supFleshInput* input, supError* error );
void supPoints_DestroyFlesh( void* flesh );

// region_frequencies.c: regions that have a frequency get the stiffness for it, and all are measured. Before,
// tetStiffness is that of the softness alone.
bool supPointsFlesh_TuneRegions( supPointsFlesh* flesh, const supFleshInput* input, float* tetStiffness,
								 supError* error );

// Has any region a frequency or a damping now? Then, in each step, tethers are filled after skinning.
bool supPoints_HasTethers( const supPointsFlesh* flesh, const supSubstep* step );
void supPoints_FillTethers( const supPointsFlesh* flesh, const supPointsView* view, const supSubstep* step );

// Of what is set already; a view of the flesh.
supPointBodyDef supPointsFlesh_BodyDef( const supPointsFlesh* flesh );

// Body, and triangles around points, from what is set already.
bool supPointsFlesh_Finish( supPointsFlesh* flesh, const supCharacter* character, supError* error );

// flesh_factor.c: pattern and order of the matrix of posed flesh. What is there after a failure is destroyed with the
// flesh.
typedef struct supPointsFactors supPointsFactors;
bool supPointsFlesh_CreateFactors( supPointsFlesh* flesh, supError* error );
void supPointsFlesh_DestroyFactors( supPointsFlesh* flesh );

// A factor of the matrix of this step, made where it is not there yet: the only thing of flesh that changes. To be
// released after use. False where the matrix has none: conjugate gradients then do.
// - x and scratch of the sizes below, of the caller
// Worth it where the matrix stays: HashSystem says what it depends on.
uint64_t supPoints_HashSystem( const supPointsFlesh* flesh, const supPointSettings* settings,
							   const supPointStep* step );
bool supPoints_AskFactor( const supPointsFlesh* flesh, const supPointSettings* settings, const supPointStep* step,
						  double* x, void* scratch, supPointDirect* direct );
void supPoints_ReleaseFactor( const supPointsFlesh* flesh, const supPointDirect* direct );
size_t supPoints_DirectSize( const supPointsFlesh* flesh );
size_t supPoints_DirectScratchSize( const supPointsFlesh* flesh );

// flesh_roll.c: axes of the bones. False where out of memory.
bool supPointsFlesh_FindAxes( supPointsFlesh* flesh, const supCharacter* character );

// Free points of a character, after the step is predicted.
void supPoints_TakeBackRoll( const supPointsFlesh* flesh, const supPointsView* view, const supSubstep* step );

// flesh_step.c
size_t supPoints_StateSize( const void* flesh );
void supPoints_Reset( const void* flesh, void* state, supPose* pose, const supTasks* tasks );
void supPoints_Predict( const void* flesh, void* state, const supSubstep* step );
void supPoints_Solve( const void* flesh, void* state, const supSubstep* step );
void supPoints_Finish( const void* flesh, void* state, const supSubstep* step );
bool supPoints_IsSettled( const void* flesh, const void* state );
bool supPoints_TakesTies( const void* flesh );
bool supPoints_CreateSystem( const void* flesh, const supTies* ties, int32_t placeCount, int32_t workerCount,
							 void** system );
void supPoints_DestroySystem( void* system );
supParticles supPoints_GetParticles( const void* flesh, void* state );
bool supPoints_ComputeResponse( const void* flesh, void* state, const supSubstep* step, int32_t count,
								const int32_t* particles, const float* weights, supMat3* columns );

// flesh_reach.c: what is set already but the body says how far points are from their nails; and points that would be
// farther from where skinning puts them than the parameter allows, between the solver's predict and the solve.
bool supPointsFlesh_MeasureReaches( supPointsFlesh* flesh );
void supPoints_KeepWithinReach( const supPointsFlesh* flesh, const supPointsView* view, const supSubstep* step );

// flesh_surface.c
void supPoints_FrameSurface( const supPointsFlesh* flesh, const supPointsView* view, const supTasks* tasks );
void supPoints_WriteSurface( const void* flesh, const void* state, supPose* pose, int32_t instance,
							 const supTasks* tasks, const supSkinOutput* output );
bool supPoints_Grab( const void* flesh, const void* state, const supSurfacePoint* point, float radius, supGrab* grab );
int32_t supPoints_BindVertex( const void* flesh, int32_t instance, int32_t vertex, int32_t* particles, float* weights );
void supPoints_FindRow( const void* flesh, void* state, supPose* pose, const supSurfacePoint* point, supPlaceRow* row );
void supPoints_Frame( const void* flesh, void* state, const supTasks* tasks );
void supPoints_Measure( const void* flesh, const void* state, supSurfaceMeasure* measure );

// flesh_pack.c
void supPoints_SaveFlesh( const void* flesh, supPackWriter* writer );
void* supPoints_LoadFlesh( supPackReader* reader, const supCharacter* character );

// elements.c
void supPoints_ListElements( const void* flesh, supFleshElements* elements );
