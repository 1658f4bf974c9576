// SPDX-License-Identifier: MIT
// Position-based skinning (Abu Rumman & Fratarcangeli 2015); README.md tells how it works.
#pragma once

#include "character/pose.h"
#include "core/arena.h"
#include "method/method.h"
#include "method/position/position_kernel.h"
#include "method/position/schedule.h"
#include "volume/binding/surface_binding.h"
#include "volume/body/bones.h"
#include "volume/tets/tets.h"

// In the order of the table in position.c.
typedef enum supPositionParameter
{
	sup_positionSoftness,
	sup_positionIterations,
	sup_positionStretch,
	sup_positionVolume,
	sup_positionBind,
	sup_positionFrequency,
	sup_positionDamping,
	sup_positionCarry,
	sup_positionExaggeration,
	sup_positionSag,
	sup_positionAir,
	sup_positionReach,
	sup_positionKeep,
	sup_positionStiffness,
	sup_positionMode,
	sup_positionStart,
	sup_positionTets,
	sup_positionRate,
	sup_positionParameterCount
} supPositionParameter;

typedef enum supPositionMode
{
	sup_positionPlain,
	sup_positionCompliant,
} supPositionMode;

// ---------------------------------------------------------------------------------------------------------------------
// Flesh

typedef struct supPositionFlesh
{
	supArena arena;
	supPositionMode mode;
	supSkinning start;

	// Particles, in the order of supOrderPoints; arrays have room for a multiple of eight
	int32_t particleCount;
	int32_t paddedCount;
	supVec3* rest;
	// of the mean mass, so that 1 is the usual value; 0 is fixed to the skin
	float* inverseMasses;
	// kg, the mean mass
	float meanMass;
	// 0 follows the skin .. 1 swings freely
	float* softness;
	int32_t* regions;
	int32_t regionCount;
	// how far a particle may get away from its skinned place: metres at `reach` 1
	float* reaches;
	int32_t influences;
	uint16_t* joints; // bones
	float* weights;
	// the particle that was point i of the tets that the flesh was built from
	int32_t* particleOfPoint;

	// Bones: the node that moves each, and from the rest pose into its space
	int32_t nodeCount; // of the character; 0 if there is none
	int32_t boneCount;
	int32_t* boneNodes;
	supMat34* boneInverses;

	// Constraints
	supLevels levels;
	supSchedule stretch;
	supStretchPack* stretchPacks;
	supStretchSpring* stretchSprings;
	supSchedule bind;
	supBindPack* bindPacks;
	supBindSpring* bindSprings;
	int32_t* bindBones;   // of each lane
	supVec3* bindAnchors; // of each lane, in the rest pose
	supSchedule volume;
	supVolumePack* volumePacks;
	supVolumeSpring* volumeSprings;

	// Closed parts: connected flesh, and the triangles around it, outwards
	int32_t partCount;
	int32_t* partTriangles; // first triangle of each; partCount + 1
	int32_t* triangles;     // three particles each
	int32_t* partStarts;    // first entry in partParticles of each; partCount + 1
	int32_t* partParticles; // on the surface
	double* partVolumes;    // six times
	int32_t* particleParts; // of each particle

	// The tets; the first solidCount of them are flesh, the others lie between parts that do not belong together
	int32_t tetCount;
	int32_t solidCount;
	int32_t* tets;
	int32_t edgeCount;
	int32_t bindCount;
	// metres: a typical edge, what counts as small
	float edge;

	// What the flesh was built with, for a reset: all parameters, and tunings of the regions
	float* parameters;
	supRegionTuning* tunings;

	// the render mesh; empty where the flesh was built without a character
	supSurfaceBinding binding;
	// six times its volume at rest; 0 where that says nothing
	double surfaceVolume;
	// by how much of a part it grows where the tets grow by this part
	float surfaceResponse;
	// vertices of the largest instance
	int32_t surfaceSize;
} supPositionFlesh;

// What a body is built from, already without a character.
typedef struct supPositionDef
{
	const supTets* tets;
	const supBones* bones;
	// Of each point: bones and weights (sum 1), `influences` each: 1, 2, 4 or 8
	int32_t influences;
	const uint16_t* joints;
	const float* weights;
	// Of each point; NULL: all 0, all region 0
	const float* softness;
	const int32_t* regions;
	int32_t regionCount;
	// Of each tet; NULL: standard muscle
	const supTissue* tissues;
	// one a tet, 1 where it joins parts that only lie near each other (volume/weights/bridges.h); NULL: none does
	const uint8_t* bridges;
	// sup_positionParameterCount of them, and tunings of the regions (NULL: none)
	const float* parameters;
	const supRegionTuning* tunings;
} supPositionDef;

// False and an error where there is no tet or bone, or out of memory; nothing is left behind.
// - flesh is zero-initialised; the nodes of bones[i] are set by the caller where bones->nodes is NULL
bool supPositionFlesh_Init( supPositionFlesh* flesh, const supPositionDef* def, supError* error );
void supPositionFlesh_Destroy( supPositionFlesh* flesh );

// ---------------------------------------------------------------------------------------------------------------------
// State: a block of bytes; a view is where its arrays lie

typedef struct supPositionHeader
{
	// what the tethers were computed for
	float dt;
	uint64_t tuning;
	// the largest distance that a particle moved in the last substep, in edges
	float moved;
	// some tet was inside out in the last iteration
	int32_t inverted;
	// the pose scales bones, and by how much the whole flesh is to be larger; see scale.c
	int32_t scaled;
	float growth;
} supPositionHeader;

typedef struct supPositionView
{
	supPositionHeader* header;
	// 16 bytes a particle
	float* positions;
	float* velocities;
	float* predicted;
	float* predictedVelocities;
	supVec4* skinned;
	// how the tether of a particle moves it in one step; see step.c
	supVec4* tethers;
	float* tetherForces;
	// from the rest pose to the last one, of each bone
	supMat34* bones;
	// of the compliant kind: stretch, bind, volume
	float* multipliers;
	// how much larger each part is to be
	float* partGrowths;
	// gravity turned along with each particle, then where each was before the step
	supVec3* downs;
	// places of the binds in this step
	float* anchors;
	// For writing the surface; in the same place as the scratch of the beginning. Scratch of the end: gradients of the
	// volume, and the surface itself
	supBindFrame* frames;
	supVec3* gradients;
	supVec3* surface;
	// Scratch of the beginning
	supVec3* freshSkinned;
	float* before; // scratch of the solve, in the same place
	void* palette; // a cache line a bone
	supMat34* bonesBefore;
	supMat34* throws; // of the bones (method/inertia.h)
	// of a pose that scales bones: nodes and bones at rest but for scales and places, particles moved by them, and what
	// comes of it for each lane, see supStiffness
	supMat34* scaledNodes;
	supMat34* scaledBones;
	supVec3* scaledRest;
	float* scales;
	size_t size;
} supPositionView;

// Particles of a crowd that each of its actors has room for, as a power of two.
int32_t supPositionFlesh_CrowdShift( const supPositionFlesh* flesh );

// - state NULL: only the size
supPositionView supPositionFlesh_View( const supPositionFlesh* flesh, void* state );

// create.c
void* supPosition_CreateFlesh( const supFleshInput* input, supError* error );
void supPosition_DestroyFlesh( void* flesh );

// store.c
void supPosition_SaveFlesh( const void* flesh, supPackWriter* writer );
void* supPosition_LoadFlesh( supPackReader* reader, const supCharacter* character );
// supPositionFlesh.surfaceSize
int32_t supPosition_LargestMesh( const supCharacter* character );

// surface.c
void supPosition_FrameSurface( const supPositionFlesh* flesh, const supPositionView* view, const supTasks* tasks );
void supPosition_WriteSurface( const void* flesh, const void* state, supPose* pose, int32_t instance,
							   const supTasks* tasks, const supSkinOutput* output );
bool supPosition_Grab( const void* flesh, const void* state, const supSurfacePoint* point, float radius,
					   supGrab* grab );

// Six times the volume of the render mesh over all instances, each about its own middle, as the flesh carries it now.
double supPosition_SurfaceVolume( const supPositionFlesh* flesh, const supPositionView* view, supPose* pose,
								  const supTasks* tasks );
void supPosition_Measure( const void* flesh, const void* state, supSurfaceMeasure* measure );
supParticles supPosition_GetParticles( const void* flesh, void* state );
int32_t supPosition_BindVertex( const void* flesh, int32_t instance, int32_t vertex, int32_t* particles,
								float* weights );
void supPosition_FindRow( const void* flesh, void* state, supPose* pose, const supSurfacePoint* point,
						  supPlaceRow* row );
void supPosition_Frame( const void* flesh, void* state, const supTasks* tasks );

// Phases of a substep; step.c
void supPosition_Reset( const void* flesh, void* state, supPose* pose, const supTasks* tasks );
void supPosition_Predict( const void* flesh, void* state, const supSubstep* step );
void supPosition_Finish( const void* flesh, void* state, const supSubstep* step );

// Inverted tets and volumes, once the iterations are done.
static inline bool supPosition_MendsInSolve( const supSubstep* step )
{
	return step->passCount > 1 || step->isHeld;
}
void supPosition_MendShape( const supPositionFlesh* flesh, void* state, const supSubstep* step );

// solve.c
void supPosition_Solve( const void* flesh, void* state, const supSubstep* step );
void supPosition_SolveMany( const void* flesh, void* const* states, const supSubstep* const* steps );

// step.c and solve.c, for crowds on a device as well.
// How tethers move particles in a step of this length, and what that depends on beside the length.
void supPosition_FillTethers( const supPositionFlesh* flesh, const supSubstep* step, supVec4* tethers, float* forces );
uint64_t supPosition_HashTuning( const supPositionFlesh* flesh, const supSubstep* step );

// Direction of gravity, what of it the flesh at rest is in balance with, and the air per unit of relative velocity.
typedef struct supPositionForces
{
	supVec3 down;
	float balance;
	float drag;
} supPositionForces;

supPositionForces supPosition_MakeForces( const supSubstep* step );
supStiffness supPosition_MakeStiffness( const supPositionFlesh* flesh, const supSubstep* step, int32_t parameter );
float supPosition_ShortStepShare( const supPositionFlesh* flesh, const supSubstep* step );

// crowd_device.c
extern const supDeviceMethod supPosition_device;

// scale.c: does a pose scale bones by as much as matters, or nearly?
bool supPosition_MayScale( const supPositionFlesh* flesh, const supPose* pose );

// scale.c: rest lengths and volumes for a pose that scales bones. Returns whether it does; else nothing is written.
bool supPosition_ScaleRest( const supPositionFlesh* flesh, const supPositionView* view, const supPose* pose,
							const supTasks* tasks );

// volume.c: brings each closed part back to its volume, moving its surface as little as can be.
// - growths: of each part; NULL: all 1
// - gradients: scratch, one of each particle
void supPosition_KeepVolume( const supPositionFlesh* flesh, const float* growths, float* positions,
							 supVec3* gradients );

// Makes all parts together larger by this part of their volume.
void supPosition_Inflate( const supPositionFlesh* flesh, float* positions, supVec3* gradients, double part );

// Part of supPositionFlesh_Init. False where out of memory.
// - tets: points in the order of particles
bool supPosition_FindParts( supPositionFlesh* flesh, const supTets* tets );

// elements.c
void supPosition_ListElements( const void* flesh, supFleshElements* elements );
