// SPDX-License-Identifier: MIT
// Bodies of mass points in motion: forces, eight integrators, and what attachments need of them.
//
// A step (local-constraint methods, Gissler, Becker & Teschner 2006, with one rule for every integrator):
//
//     predict        x̂, v̂ by the real scheme, as if nothing were attached            supPointSolver_Predict
//     attach         Δx = c F̃ with c = h² / m, and Δv = Δx / h                        src/attach/ties.h
//     finish         the part of a scheme that wants forces at the new positions,      supPointSolver_Finish
//                    numeric repair
//     attach again   velocities of attached points, where the scheme's new velocity    supPointSolver_NeedsVelocities
//                    is not ( x⁺ - x ) / h
//
// The paper's own c and d of each scheme are not used: with them a nailed point rings or blows up for midpoint and RK2,
// explicit Euler has no position constraint at all, and points of different schemes joined together lose momentum.
//
// scheme          x̂                                  v̂                            forces a step
// euler           x + h v                            v + h a                      1
// cromer          x + h v̂                            v + h a                      1
// midpoint        x + h (v + h/2 a)                  v + h a(midpoint)            2
// rk2             x + h/2 (v + v1)                   (v + v1 + h a1) / 2          2, v1 = v + h a
// verlet          x + h u⁺, u⁺ = u + h a             u⁺, later 3/2 u⁺ - 1/2 u     1, u = (x - x⁻) / h
// velocity-verlet x + h v + h²/2 a                   v + h/2 (a + a⁺)             1, a⁺ = a until finish
// beeman          x + h v + h²/6 (4 a - a⁻)          v + h/6 (2 a⁺ + 5 a - a⁻)    1, likewise
// implicit        x + h v̂                            v + h a(x̂, v̂), by Newton     CG
//
// Verlet keeps the difference of positions as a velocity u: 2 x - x⁻ in single precision would lose what x - x⁻ is.
#pragma once

#include "attach/ties.h"
#include "method/points/body.h"
#include "supple/flesh.h"

#define SUP_INTEGRATOR_LIST( X )                                                                                       \
	X( Euler, "euler" )                                                                                                \
	X( Cromer, "cromer" )                                                                                              \
	X( Midpoint, "midpoint" )                                                                                          \
	X( Rk2, "rk2" )                                                                                                    \
	X( Verlet, "verlet" )                                                                                              \
	X( VelocityVerlet, "velocity-verlet" )                                                                             \
	X( Beeman, "beeman" )                                                                                              \
	X( Implicit, "implicit" )

typedef enum supIntegrator
{
#define SUP_X( name, text ) sup_integrator##name,
	SUP_INTEGRATOR_LIST( SUP_X )
#undef SUP_X
	sup_integratorCount
} supIntegrator;

// In the order of supIntegrator, and NULL at the end.
extern const char* const supIntegratorNames[sup_integratorCount + 1];

// Stiffness times the weight of an element is its k; damping times k its k_d.
typedef struct supMaterialLaw
{
	float stiffness; // Pa; N/m for triangles
	float damping;   // s
} supMaterialLaw;

typedef struct supPointSettings
{
	supIntegrator integrator;
	supMaterialLaw edges, triangles, tets;
	supVec3 gravity;
	// air: acceleration drag x ( wind - v )
	float drag; // 1/s
	supVec3 wind;
	// implicit only
	int32_t newtonIterations;
	int32_t cgIterations;
	float cgTolerance; // of the residual, relative
	// make steps that are too long for the scheme all the same: for studies of order
	bool allowUnstable;
} supPointSettings;

// Soft rubber, gravity down, Verlet.
supPointSettings supDefaultPointSettings( void );

// Part of the state: what is not per point.
typedef struct supPointHeader
{
	float dt;       // of the last step, 0 before the first
	float piece;    // of the last prediction
	bool hasForces; // f is the force at the present positions
	// largest stable step for these laws, kept until they change; and as it was last asked for a body that has grown
	float stableStep;
	float growth;
	float grownStep;
	supMaterialLaw laws[3];
	int32_t integrator;
} supPointHeader;

// Where things are in a block of state. All arrays have slotCount points of 16 bytes.
typedef struct supPointState
{
	supPointHeader* header;
	float* x; // x, y, z, inverse mass
	float* v; // fourth number 0, as in all below
	float* f;
	float* oldX;    // before the step
	float* history; // oldV (midpoint, rk2), u (verlet), a (velocity-verlet), a⁻ (beeman), v before (implicit); NULL
					// elsewhere
	float* cg[5]; // implicit: residual, direction, product, inverse diagonal, solution
} supPointState;

// A force on one point, in newtons.
typedef struct supPush
{
	int32_t point;
	supVec3 force;
} supPush;

// A spring and a damper between a point and a place that moves, per unit of the point's mass.
typedef struct supPointTether
{
	supVec3 target; // at the end of the step
	float spring;   // 1/s²
	supVec3 velocity;
	float damping; // 1/s
} supPointTether;

// The matrix of a step, factored: unknowns (nodes) are points that are not fixed or several that are tied, three
// numbers each.
typedef struct supPointDirect
{
	const struct supFactor* factor;
	int32_t nodeCount;
	const int32_t* nodes; // of each point; -1: none
	double* x;            // room for three solutions
	void* scratch;        // for one thread
} supPointDirect;

typedef struct supPointStep
{
	float dt;
	const supTasks* tasks;
	// where the fixed points are to be at the end of the step, in the order of fixedPoints. NULL: they stay.
	const supVec3* targets;
	int32_t pushCount;
	const supPush* pushes;
	// one for each point; NULL: none
	const supPointTether* tethers;
	// Implicit: the shape that forces are linear about, four numbers for each of slotCount points, copies included. x
	// and v are then displacements from it and their velocities, in a frame of each point that is turned by `turns`
	// against the world; fixed points stay. NULL: x are places in the world, and forces are what they are.
	const float* shape;
	const supMat3* turns;
	// its matrix, factored; NULL: by conjugate gradients
	const supPointDirect* direct;
	// Places in the world: factors the matrix of the step, with ties as they are in it. NULL: conjugate gradients.
	struct supPropSystem* system;
	// Implicit, places in the world: points that are to be in one place at the end of the step. They are one unknown,
	// or none. NULL: there are none.
	supTies* ties;
	supTrouble* trouble;
} supPointStep;

size_t supPointState_Size( const supPointBody* body, supIntegrator integrator );

// - the block is 64-byte aligned and of that size
supPointState supPointState_View( const supPointBody* body, supIntegrator integrator, void* block );

// At rest in the body's rest shape.
void supPointState_Reset( const supPointBody* body, supIntegrator integrator, void* block );

// Positions and velocities were changed from outside: what schemes remember is forgotten.
void supPointState_Restart( supPointState* state );

// The largest step that the scheme bears, in seconds; INFINITY for implicit, 0 if there is none (explicit Euler
// without damping). By the bound of Gershgorin on the frequencies at rest, about twice the true ω²: on the safe side.
// - growth: how many times as much as at rest tets resist a change of their volume; 1 at rest
float supPointSolver_StableStep( const supPointBody* body, const supPointSettings* settings, float growth );

// Of the body as it is now: what the largest stable step is to be asked with.
float supPointSolver_FindGrowth( const supPointBody* body, supPointState* state, const supTasks* tasks );

// The largest stable step of such a body, a little on the safe side; cheaper where it is asked for again and again.
float supPointSolver_GrownStep( const supPointBody* body, const supPointSettings* settings, supPointState* state,
								float growth );

// x̂ and v̂ into x and v. False where dt is longer than the largest stable step: nothing has changed then, and the
// trouble is counted.
bool supPointSolver_Predict( const supPointBody* body, const supPointSettings* settings, supPointState* state,
							 const supPointStep* step );

void supPointSolver_Finish( const supPointBody* body, const supPointSettings* settings, supPointState* state,
							const supPointStep* step );

// Implicit only, between Predict and Finish: how far a force of 1 N on Σ weights[k] x[points[k]] moves each point over
// the step, h² A⁻¹ Jᵀ with the matrix of the step (its first, with several Newton iterations). Momentum is kept to
// rounding where no point is fixed. False where it did not converge.
// - columns: pointCount
bool supPointSolver_ComputeResponse( const supPointBody* body, const supPointSettings* settings, supPointState* state,
									 const supPointStep* step, int32_t count, const int32_t* points,
									 const float* weights, supMat3* columns );

// Whether velocities of attached points are to be projected after supPointSolver_Finish.
bool supPointSolver_NeedsVelocities( supIntegrator integrator );

// Forces of all elements at x and v into f; pushes and gravity are not in it.
void supPointSolver_Evaluate( const supPointBody* body, const supPointSettings* settings, supPointState* state,
							  const supTasks* tasks );

// The slowest swing of the body in its rest shape, as what each law adds to ω² for a stiffness of 1: edges, triangles,
// tets. With these laws it is the slowest, with others not much slower than it says. Zeros where nothing is fixed or
// nothing can move. False where out of memory.
bool supPointSolver_FindSlowest( const supPointBody* body, const supPointSettings* settings, const supTasks* tasks,
								 float shares[3] );

// Elastic energy in joules, in double precision; and of motion.
double supPointSolver_ElasticEnergy( const supPointBody* body, const supPointSettings* settings,
									 const supPointState* state );
double supPointSolver_KineticEnergy( const supPointBody* body, const supPointState* state );
