// SPDX-License-Identifier: MIT
// Attachments: constraints between mass points that hold exactly after every step, each in closed form (Gissler, Becker
// & Teschner 2006). No iteration, no drift, no set-up: they are switched on and off while a simulation runs.
//
//     predict x̂, v̂ ──▶ supAttach_Solve ──▶ finish ──▶ supAttach_SolveVelocities (some integrators) ──▶ next step
//
// A constraint looks at predictions x̂ only, and at how far a unit force over the step moves a point: c = h² / m,
// whatever the integrator. Then Δx = c F̃ and Δv = Δx / h.
//
//     nail       F̃ = ( goal - x̂ ) / c                                              Eq. 14
//     joint      goal = Σ x̂_i / c_i / Σ 1 / c_i,  F̃_i = ( goal - x̂_i ) / c_i        Eq. 22 in closed form
//     line, triangle, tet
//                F̃_0 = ( Σ α_i x̂_i - x̂_0 ) / ( c_0 + Σ c_i α_i² ), the others -α_i F̃_0   Eq. 28
//     surface    the nearest point of a triangulated surface, both as predicted, then as above: the point slides
//     velocity   x = x_before + h v
//
// All that depends on masses alone is worked out when the set of active constraints changes; what is left for a step is
// a weighted sum of differences. Differences, not positions: a sum of positions with weights that add up to 1 only to
// rounding would push everything towards the origin, step after step.
//
// Non-conflicting: a point is in one constraint at a time. Joints that overlap are merged. Anything else that overlaps
// is refused with both names, unless the set sweeps: then what overlaps is solved in turn, `sweeps` times
// (Gauss-Seidel), and no longer exactly. Points of a surface may be held by other constraints: a nail does not give,
// anything else gives as a whole.
//
// A constraint that assembles closes its gap evenly over so many steps, instead of at once.
//
// This is the paper's solver as it stands, for points in arrays: what its figures are repeated with and what its claims
// are tested on. Scenes hold places on bodies of any method, by the same equations (attach/anchor.h, attach/tie.h).
#pragma once

#include "core/core.h"
#include "supple/math.h"

typedef enum supAttachKind
{
	sup_attachNail,
	sup_attachJoint,
	sup_attachLine,
	sup_attachTriangle,
	sup_attachTet,
	sup_attachSurface,
	sup_attachVelocity,
	sup_attachKindCount
} supAttachKind;

typedef struct supAttachDef
{
	// For messages; may be NULL.
	const char* name;
	supAttachKind kind;
	// Nail, velocity, surface: one. Joint: two or more. Line, triangle, tet: the attached point, then the corners.
	int32_t pointCount;
	const int32_t* points;
	// Line, triangle, tet: of the corners. All 0: where the point is nearest to when the constraint is added.
	float weights[4];
	// Line and triangle: the weights follow the point, which slides.
	bool slides;
	// Nail: place. Velocity: m/s.
	supVec3 goal;
	// Surface: which.
	int32_t surface;
	// Steps over which the gap is closed. 0: at once.
	int32_t assemblySteps;
} supAttachDef;

typedef struct supAttach supAttach;

// For so many points. sweeps >= 1; above 1 conflicts are allowed. NULL only when out of memory.
supAttach* supCreateAttach( int32_t pointCount, int32_t sweeps, supError* error );

// NULL is fine.
void supDestroyAttach( supAttach* attach );

// A surface to slide on: three points a triangle. Its number, or -1 with an error.
int32_t supAttach_AddSurface( supAttach* attach, const char* name, const int32_t* triangles, int32_t triangleCount,
							  const float* x, supError* error );

// A constraint, not yet active. Its number, or -1 with an error: a point that does not exist, a point attached to
// itself, a line without length, a triangle without area.
// - x: points of 16 bytes, the fourth number the inverse mass (0: cannot be moved)
int32_t supAttach_Add( supAttach* attach, const supAttachDef* def, const float* x, supError* error );

int32_t supAttach_Count( const supAttach* attach );
const char* supAttach_Name( const supAttach* attach, int32_t index );

// False with an error that names both where another active constraint has one of its points; it stays inactive then.
// Active ones may be activated again. Allocates nothing.
bool supAttach_Activate( supAttach* attach, int32_t index, const float* x, supError* error );
void supAttach_Deactivate( supAttach* attach, int32_t index );
bool supAttach_IsActive( const supAttach* attach, int32_t index );

typedef struct supAttachPoints
{
	float* x;          // x̂, changed; the fourth number is the inverse mass
	float* v;          // v̂, changed
	const float* oldX; // before the step
	float dt;
	const supTasks* tasks;
} supAttachPoints;

// Meets all active constraints. The same bits for any number of threads. Allocates nothing.
void supAttach_Solve( supAttach* attach, const supAttachPoints* points );

// After supAttach_Solve, where the integrator has changed velocities since or its velocities are not those of its
// positions: velocities meet the constraints too. What slides or assembles is left alone.
void supAttach_SolveVelocities( supAttach* attach, const supAttachPoints* points );

// How far a constraint is from being met, in metres; for a joint the largest distance from the first point.
float supAttach_Gap( const supAttach* attach, int32_t index, const float* x );

// How often a sliding point shared the triangle under it with another one so far: its reaction on the shared corners
// was left out.
int64_t supAttach_SharedCount( const supAttach* attach );
