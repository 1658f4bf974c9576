// SPDX-License-Identifier: MIT
// Complementary dynamics in a space of skinning modes.
//
// The body is tetrahedra whose corners ordinary skinning moves. The flesh adds a displacement of the rest shape, which
// skinning then carries along:
//
//     x_i = skin_i( X_i + u_i ),      u_i = Σ_m φ_m(i) A_m ( X_i - c, 1 )
//
// φ_m are scalar weight functions, one a mode: how flesh follows its bones, and the lowest eigenvectors of a Laplacian
// whose stiffness follows the softness, both at right angles to the rig's own weights (basis.c). A_m are affine maps,
// 12 numbers each. Elasticity is linear in the frame of the rig, so that mass and stiffness of these numbers are
// constant. Their eigenvectors are the coordinates q (reduce.c), each a damped oscillator by itself:
//
//     A = E q,      q'' + 2 ζ ω q' + ω² q = f,      f = P g
//
// g holds 12 numbers a bone: what its motion does to flesh in its frame (inertia, gravity that turns, air). A step is
// one product with P and a closed form for each coordinate. It never looks at a corner or a vertex.
//
//     predict   bones -> g -> f -> q
//     place     q -> A -> u -> corners, where somebody asks for them: contacts, attachments, the surface
//     finish    what others moved: its share in q by momentum, the rest as a local dent that relaxes
#pragma once

#include "character/pose.h"
#include "core/tasks.h"
#include "linear/block_matrix.h"
#include "method/body_parts.h"
#include "method/method.h"
#include "volume/binding/surface_binding.h"

#define SUP_MODES_LANES 8
#define SUP_MAX_MODES 48

// Coordinates kept for each mode, of its 12.
#define SUP_MODES_KEPT 9

// Hz of a soft region that flesh is built with: between these ω² and what follows from it are floats.
#define SUP_MODES_LEAST_FREQUENCY 1e-3f
#define SUP_MODES_MOST_FREQUENCY 1e6f

// In the order of the table in modes.c.
typedef enum supModesParameter
{
	sup_modesSoftness,
	sup_modesFrequency,
	sup_modesDamping,
	sup_modesExaggeration,
	sup_modesSag,
	sup_modesAir,
	sup_modesReach,
	sup_modesModes,
	sup_modesPoisson,
	sup_modesSpread,
	sup_modesDensity,
	sup_modesTets,
	sup_modesParameterCount
} supModesParameter;

typedef struct supModesFlesh
{
	supArena arena;
	int32_t pointCount;
	const supVec3* points;
	int32_t tetCount;
	const int32_t* tets;
	supBodySkin skin;
	const float* inverseMasses; // 0: nothing moves it but the bones
	const float* softnesses;
	const float* limits; // of each point: how far it goes with reach 1, m
	supVec3 center;      // c
	float size;          // largest extent at rest, m

	int32_t modeCount;
	const float* shapes; // φ: eight points side by side, mode after mode; see supModes_Shape
	const float* rests;  // X - c, eight points side by side: x, y, z

	// q, padded with coordinates that nothing moves to a multiple of eight
	int32_t coordinateCount;
	const float* blends;  // E: column after column, of supModes_NumberCount rows
	const float* loads;   // P: 12 columns a bone, of coordinateCount rows
	const float* squares; // ω² with the frequencies that the flesh was built with
	const float* ranges;  // |q| that takes flesh to its limits

	// of each region the frequency that it was built with, and of each coordinate the shares of its stiffness
	int32_t regionCount;
	const float* frequencies;
	const float* shares;

	supSurfaceBinding binding;
} supModesFlesh;

typedef struct supModesHeader
{
	uint64_t key;       // what the factors of the integrator depend on
	float moved;        // in the last substep, as a part of the ranges
	float reach;        // the parameter, as of the last step
	int32_t isPlaced;   // points are where q has them
	int32_t hasDents;   // some dent is not zero
	int32_t hasStretch; // of the palette
} supModesHeader;

// Where things are in an actor's block of state.
typedef struct supModesView
{
	supModesHeader* header;
	float* q;
	float* v;
	float* factors; // of the integrator: four a coordinate, row after row, and 1 / ω²
	float* forces;
	float* numbers;      // A
	float* sums;         // scratch: eight for each of these
	float* drives;       // g
	supDualJoint* duals; // of each bone
	supMat34* maps;      // from the rest pose, centred, to the world
	supMat34* speeds;    // their velocities
	supMat34* throws;
	supVec4* x;       // points, w is the inverse mass
	supVec4* placed;  // as they were placed
	supVec4* skinned; // without flesh
	supVec3* shifts;  // u, limited
	supVec3* dents;   // what was pushed beyond q, in the rest pose
	supVec3* fresh;   // scratch
	supVec4* tangents;
	supBindFrame* frames;
	size_t size;
} supModesView;

// Rows of E: 12 a mode, padded to a multiple of eight.
static inline int32_t supModes_NumberCount( int32_t modeCount )
{
	return ( 12 * modeCount + SUP_MODES_LANES - 1 ) / SUP_MODES_LANES * SUP_MODES_LANES;
}

static inline int32_t supModes_BlockCount( int32_t pointCount )
{
	return ( pointCount + SUP_MODES_LANES - 1 ) / SUP_MODES_LANES;
}

static inline size_t supModes_ShapeIndex( int32_t modeCount, int32_t point, int32_t mode )
{
	size_t block = (size_t)( point / SUP_MODES_LANES ), lane = (size_t)( point % SUP_MODES_LANES );
	return ( block * (size_t)modeCount + (size_t)mode ) * SUP_MODES_LANES + lane;
}

// What the modes are made from: a body and its material.
typedef struct supModesBody
{
	const supFleshInput* input;
	const supTasks* tasks;
	int32_t pointCount;
	const supVec3* points;
	int32_t tetCount;
	const int32_t* tets;
	const supBodySkin* skin;
	const double* masses;
	const int32_t* regions; // of each point
	const float* cores;     // of each point, 0 .. 1: how far it belongs to the core around its bone
	const double* moduli;   // Young's, of each tet
	const double* tethers;  // ω² of the spring that holds each point to its skinned place
	double poisson;
	supVec3 center;
	const supVec3* axes; // of the bones
	const bool* cored;   // of the bones: modes do not move their cores
} supModesBody;

// create.c
void* supModes_CreateFlesh( const supFleshInput* input, supError* error );
void supModes_DestroyFlesh( void* flesh );

// What follows from what is set already, also after loading: points side by side. False where out of memory.
bool supModesFlesh_Finish( supModesFlesh* flesh );

// Adds the stiffness of a tet, one number a pair of corners (the Laplacian) or 3 x 3 (elasticity). Returns its volume.
// - the matrix has a node for each point
double supModesBody_AddTet( const supModesBody* body, int32_t tet, supBlockMatrix* matrix );

// basis.c: the weights of `count` modes, point after point. `found`: how many there are.
bool supFindModeShapes( const supModesBody* body, int32_t count, double* shapes, int32_t* found, supError* error );

// reduce.c: coordinates from shapes: blends, loads, squares, shares.
bool supModesFlesh_Reduce( supModesFlesh* flesh, const supModesBody* body, const double* shapes, supError* error );

// step.c
// - block NULL: only the size
supModesView supModesFlesh_View( const supModesFlesh* flesh, const void* block );
size_t supModes_StateSize( const void* flesh );
void supModes_Reset( const void* flesh, void* state, supPose* pose, const supTasks* tasks );
void supModes_Predict( const void* flesh, void* state, const supSubstep* step );
void supModes_Solve( const void* flesh, void* state, const supSubstep* step );
void supModes_Finish( const void* flesh, void* state, const supSubstep* step );
bool supModes_IsSettled( const void* flesh, const void* state );
void supModes_Measure( const void* flesh, const void* state, supSurfaceMeasure* measure );

// place.c: points from coordinates, and back.
// Nothing where points are placed already.
void supModes_Place( const supModesFlesh* flesh, const supModesView* view, const supTasks* tasks );

// What others moved since becomes q and dents, and with `rate`, 1/s, velocities.
// - shifts: 16 bytes a point, what of it is no velocity; may be NULL
void supModes_TakeBack( const supModesFlesh* flesh, const supModesView* view, const float* shifts, float rate );
void supModes_RelaxDents( const supModesFlesh* flesh, const supModesView* view, const supSubstep* step );

// surface.c
void supModes_WriteSurface( const void* flesh, const void* state, supPose* pose, int32_t instance,
							const supTasks* tasks, const supSkinOutput* output );
bool supModes_Grab( const void* flesh, const void* state, const supSurfacePoint* point, float radius, supGrab* grab );
int32_t supModes_BindVertex( const void* flesh, int32_t instance, int32_t vertex, int32_t* particles, float* weights );
void supModes_FindRow( const void* flesh, void* state, supPose* pose, const supSurfacePoint* point,
					   struct supPlaceRow* row );
void supModes_Frame( const void* flesh, void* state, const supTasks* tasks );
supParticles supModes_GetParticles( const void* flesh, void* state );
void supModes_ListElements( const void* flesh, supFleshElements* elements );

// pack.c
void supModes_SaveFlesh( const void* flesh, supPackWriter* writer );
void* supModes_LoadFlesh( supPackReader* reader, const supCharacter* character );
