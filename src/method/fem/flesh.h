// SPDX-License-Identifier: MIT
// The method: a character as flesh on a control lattice.
//
//     character ──▶ control lattice ──▶ basis and rule ──▶ model (regions, matrices)
//                                            └──▶ binding of the skin to the basis' nodes
//
// Particles, for contacts and attachments, are the vertices of the lattice, and after them one for each
// finer function that may take part at once: those that do are in the first of these.
#pragma once

#include "method/fem/detail.h"
#include "method/method.h"
#include "volume/body/bones.h"
#include "volume/lattice/cell_basis.h"

// In the order of the table in fem.c.
typedef enum supFemParameter
{
	sup_femSoftness,
	sup_femMode,
	sup_femStiffness,
	sup_femFrequency,
	sup_femSlowest,
	sup_femDamping,
	sup_femExaggeration,
	sup_femSag,
	sup_femAir,
	sup_femReach,
	sup_femRefine,
	sup_femRefine2,
	sup_femIterations,
	sup_femPoisson,
	sup_femHold,
	sup_femVertices,
	sup_femLevels,
	sup_femBetween,
	sup_femJoints,
	sup_femSkin,
	sup_femDissipation,
	sup_femRate,
	sup_femBones,
	sup_femVolume,
	sup_femParameterCount
} supFemParameter;

typedef enum supFemMode
{
	// linear elasticity around each bone, blended
	sup_femBlended,
	// linear elasticity of the whole body around its root: for comparison
	sup_femLinear,
	// Newton's method: the reference
	sup_femNonlinear,
} supFemMode;

typedef enum supFemSkin
{
	// what the flesh adds to ordinary skinning
	sup_femSkinned,
	// the lattice alone carries the skin
	sup_femCarried,
} supFemSkin;

typedef struct supFemFlesh
{
	supArena arena;
	supFemMode mode;
	supFemSkin skin;
	int32_t wholeBone;

	// Built: all of both. Loaded: what places bones and turns coefficients into nodes.
	supControlLattice lattice;
	supCellBasis basis;
	supCellRule cells; // built only

	// what the model is made from; also after loading
	supFemModelDef def;
	supFemModel model;
	supFemDetail detail;
	const float* tissueDampings; // of each soft region, parts of critical
	const float* softest;        // of each soft region: the largest softness where it was guessed, else 1

	// skinning of the nodes: SUP_MAX_INFLUENCES each
	const uint16_t* nodeJoints;
	const float* nodeWeights;
	int32_t boneCount;
	const int32_t* boneNodes;
	const supMat34* boneInverses; // from the rest pose into the bone's space
	supSurfaceBinding binding;
} supFemFlesh;

// Where things are in an actor's block of state.
typedef struct supFemView
{
	supFemState solver;
	supDetailState detail;
	int32_t particleCount;
	supVec4* particles; // x y z and inverse mass: vertices, then slots of detail
	supVec4* velocities;
	supVec4* particlesTold; // as they were handed out
	supVec4* velocitiesTold;
	supVec4* known;        // where bones put functions
	supFemFrame* frames;   // of each bone
	supFemTuning* tunings; // of each soft region
	double* columns;       // of a response, nine each
	double* loads;         // of a response, nine a vertex
	int32_t* slots;        // scratch: particles of a response that are slots of detail, and their weights
	float* slotWeights;
	supVec4* nodes;     // of the basis, as they are
	supVec4* reference; // and as skinning puts them
	supVec3* skinned;   // scratch
	supBindFrame* bindFrames;
	void* palette;    // a cache line a bone
	supMat34* throws; // of the bones (method/inertia.h)
	size_t size;
} supFemView;

// - block NULL: only the size
supFemView supFemFlesh_View( const supFemFlesh* flesh, const void* block );

// create.c
void* supFem_CreateFlesh( const supFleshInput* input, supError* error );
void supFem_DestroyFlesh( void* flesh );

// step.c
size_t supFem_StateSize( const void* flesh );
void supFem_Reset( const void* flesh, void* state, supPose* pose, const supTasks* tasks );
void supFem_Predict( const void* flesh, void* state, const supSubstep* step );
void supFem_Solve( const void* flesh, void* state, const supSubstep* step );
void supFem_Finish( const void* flesh, void* state, const supSubstep* step );
bool supFem_IsSettled( const void* flesh, const void* state );
supParticles supFem_GetParticles( const void* flesh, void* state );
bool supFem_ComputeResponse( const void* flesh, void* state, const supSubstep* step, int32_t count,
							 const int32_t* particles, const float* weights, supMat3* columns );

// surface.c
void supFem_Frame( const void* flesh, void* state, const supTasks* tasks );
void supFem_WriteSurface( const void* flesh, const void* state, supPose* pose, int32_t instance, const supTasks* tasks,
						  const supSkinOutput* output );
bool supFem_Grab( const void* flesh, const void* state, const supSurfacePoint* point, float radius, supGrab* grab );
int32_t supFem_BindVertex( const void* flesh, int32_t instance, int32_t vertex, int32_t* particles, float* weights );
void supFem_FindRow( const void* flesh, void* state, supPose* pose, const supSurfacePoint* point, supPlaceRow* row );
void supFem_FillLevels( const void* flesh, const void* state, int32_t instance, float* levels );
void supFem_Measure( const void* flesh, const void* state, supSurfaceMeasure* measure );

// pack.c
void supFem_SaveFlesh( const void* flesh, supPackWriter* writer );
void* supFem_LoadFlesh( supPackReader* reader, const supCharacter* character );

// elements.c
void supFem_ListElements( const void* flesh, supFleshElements* elements );
