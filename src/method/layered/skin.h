// SPDX-License-Identifier: MIT
// The skin: a layer of tetrahedra whose outer points move and whose inner points are fixed to the bones, linear and
// elastic in the space of the rest pose. Its matrices are constant.
//
//     M_s   lumped masses                                K_s   stiffness
//     D_s = alpha M_s + beta K_s                         M̃_s = M_s + h D_s + h² K_s = a M_s + b K_s
//
// M̃_s depends on the step h. It is factored for one h, in floats, once for all actors of the same flesh in a scene; a
// step of another length is solved by conjugate gradients with that factor as preconditioner, a few rounds where the
// lengths are alike. When the same new length comes twice in a row it is factored again: a frame rate that jitters
// never waits for that, a change is paid for once. Results depend on the two lengths that an actor's state has, not on
// what others have factored.
#pragma once

#include "linear/conjugate_gradients.h"
#include "linear/factor.h"
#include "method/layered/algebra.h"
#include "supple/flesh.h"
#include "volume/binding/skin_layer.h"

typedef struct supSkinSettings
{
	float density;   // kg/m^3
	float stiffness; // Young's modulus, Pa
	float poisson;
	float damping; // beta, s
	float drag;    // alpha, 1/s
} supSkinSettings;

typedef struct supSkinBody
{
	supArena arena;
	supSkinSettings settings;
	int32_t nodeCount;
	const supVec3* points; // of the nodes, at rest
	double* masses;        // of all outer points of the layer; those that are no nodes have none here
	supBlockMatrix stiffness;
	supSymbolic symbolic;
} supSkinBody;

// Step lengths of an actor, part of its state.
typedef struct supSkinLengths
{
	double factored; // that it is solved with; 0: none yet
	double last;     // of the last step
} supSkinLengths;

// M̃_s factored for one step length, and blocks that follow from it.
typedef struct supSkinFactor
{
	double dt;    // 0: none yet
	int64_t turn; // substep that used it last
	void* numbers;
	// Of each node the sum of its row of M̃_s^-1, by mass, which stands for the inverse where motion is smooth: bones
	// move nodes that are near each other alike, so that this is far nearer to what the whole skin does than the
	// inverse of the diagonal block, which holds all neighbours still. Between nothing and what the node's mass alone
	// would do.
	supMat3d* smooth;
	// The inverse of its diagonal block: M̂_s^-1.
	supMat3d* softest;
} supSkinFactor;

// Factors for the step lengths that actors of one flesh take.
typedef struct supSkinFactors supSkinFactors;

// The most lengths at a time.
#define SUP_MOST_SKIN_FACTORS 16

// False and an error where out of memory, or where the layer has no tets at all.
// - softness: stiffness of each tet is multiplied with it; NULL is 1
// - nodeCount: the first of the layer's outer points are nodes, the others go with the bones
// - points of the layer must outlive the body; it is zero-initialised
bool supSkinBody_Init( supSkinBody* skin, const supSkinLayer* layer, int32_t nodeCount, const supSkinSettings* settings,
					   const float* tetStiffness, const supTasks* tasks, supError* error );

void supSkinBody_Destroy( supSkinBody* skin );

// Of each outer point of a layer with the same stiffness everywhere: the square of the frequency (rad/s) at which it
// swings together with those around it; 0 where it has no tets.
// - masses: of each outer point, scratch
void supSkinBody_MeasureNodes( const supSkinLayer* layer, const supSkinSettings* settings, double* squares,
							   double* masses );

// A step: a and b of M̃_s, and the factor.
typedef struct supSkinStep
{
	const supSkinBody* skin;
	void* scratch;
	double massScale;
	double stiffnessScale;
	bool isFactored; // for this step, not another
	supFactor factor;
} supSkinStep;

// Bytes of scratch that solves need, for any number of workers.
size_t supSkinBody_ScratchSize( const supSkinBody* skin );

// NULL and an error where out of memory. The skin outlives them.
supSkinFactors* supCreateSkinFactors( const supSkinBody* skin, supError* error );
// - factors may be NULL
void supDestroySkinFactors( supSkinFactors* factors );

// Chooses the length that an actor's step of length dt is solved with, and factors where that is due. False where the
// matrix has no factor.
// - turn: counts substeps. Factors of this one are not made again for other lengths: where all are in use there is one
//   more, up to SUP_MOST_SKIN_FACTORS.
bool supSkinFactors_Prepare( supSkinFactors* factors, supSkinLengths* lengths, double dt, int64_t turn,
							 const supTasks* tasks );
// The one that was chosen.
const supSkinFactor* supSkinFactors_Find( supSkinFactors* factors, const supSkinLengths* lengths );

void supSkinStep_Start( supSkinStep* step, const supSkinBody* skin, const supSkinFactor* factor, double dt,
						void* scratch );

// Values of a M_s + b K_s, in the pattern of the stiffness.
void supSkinStep_FillSystem( const supSkinStep* step, double* values );

// x := M̃_s^-1 x. Returns false where it did not converge.
bool supSkinStep_Solve( const supSkinStep* step, double* x, const supTasks* tasks );

// y := K_s x
void supSkinBody_MultiplyStiffness( const supSkinBody* skin, const double* x, double* y, const supTasks* tasks );

// ω² of the slowest swing while the bones stand still: the lowest eigenvalue of K_s x = λ M_s x. 0: not to be had.
bool supSkinBody_FindSlowest( const supSkinBody* skin, double* square, supError* error );

// ½ qᵀ K_s q
double supSkinBody_Energy( const supSkinBody* skin, const double* q );
