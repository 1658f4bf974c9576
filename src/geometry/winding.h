// SPDX-License-Identifier: MIT
// How often a mesh goes around a point: the generalised winding number (Jacobson, Kavan & Sorkine-Hornung 2013).
//
// Each triangle fills a part of the sphere of sight around a point; the signed sum over all triangles, divided by 4 pi,
// is 1 inside a closed surface whose triangles face outwards and 0 outside. Unlike counting crossings of a ray it does
// not fall over where real characters are not closed: across a hole it passes smoothly from 1 to 0, in the overlap of
// two parts it is 2, and inside something wound inside out -1. "Inside" is w > 0.5.
//
// The sum costs time for every triangle. From afar a group of triangles acts as one (Barill, Dickson, Schmidt, Levin &
// Jacobson 2018): with r from the point to the group's centre and R = |r|, its share is a Taylor series in moments
//
//     4 pi w = N r / R^3  -  3 (r M r) / R^5  +  15 (T r r r) / R^7  +  ...
//     N = sum of n dA,   M = sum of d n dA,   T = 1/2 sum of d d n dA      (d from the centre, n the unit normal)
//
// Since the field is harmonic only the symmetric parts of M and T without their traces count: 3 + 6 + 10 numbers a
// group. A group is one child of a node of the tree; eight are evaluated at once. The series is used where R >= beta
// times the group's radius; nearer groups are opened, and what is left at the leaves is summed exactly.
//
// Error bound. With x = radius / R <= 1 / beta and A the group's area, the term of order l is at most
// A / (4 pi R^2) (l + 1) x^l in size: it is the derivative of |d|^L P_L(cos), L = l + 1, and the square of that
// gradient over |d|^(2 L - 2) is L^2 P_L^2 + P_L'^2 <= L^2 by the inequality of Bernstein and Szego for trigonometric
// polynomials. So what the series leaves out is at most
//
//     A / (4 pi R^2) (4 x^3 - 3 x^4) / (1 - x)^2
//
// for each group. supWinding_EvaluateBounded gives the sum of these, plus an estimate of what float arithmetic adds, at
// this very point. It cannot know that the errors of groups cancel. At 9 600 points in and around 17 characters of all
// kinds (open, in parts, soups) the worst true error was 0.009 at the default beta (0.001 on average; 0.0004 at worst
// with beta 4): w > 0.5 is decided wrongly only where w itself is that near to one half.
//
// Deterministic: the same bits for every number of threads and instruction set. Queries allocate nothing.
#pragma once

#include "geometry/tree.h"

#define SUP_WINDING_BETA 2.0f

typedef struct supWinding supWinding;

// NULL and an error for a beta that is not above 1, or out of memory.
// - the tree must live longer; after a refit of the tree call supWinding_Refit
// - beta: larger is more exact and slower; SUP_WINDING_BETA is a good choice
supWinding* supCreateWinding( const supTree* tree, float beta, const supTasks* tasks, supError* error );

// NULL is fine.
void supDestroyWinding( supWinding* winding );

// Computes the moments again. tasks may be NULL.
void supWinding_Refit( supWinding* winding, const supTasks* tasks );

// On a triangle it is the mean of both sides; on an edge or vertex something between. NaN where the point is not
// finite.
float supWinding_Evaluate( const supWinding* winding, supVec3 point );

// The same number, and how far at most it is from the exact one.
float supWinding_EvaluateBounded( const supWinding* winding, supVec3 point, float* bound );

// values[i] = supWinding_Evaluate( winding, points[i] ). tasks may be NULL.
void supWinding_EvaluateMany( const supWinding* winding, const supVec3* points, int32_t count, float* values,
							  const supTasks* tasks );

// The sum over all triangles in double precision: what the others are measured against.
double supWinding_EvaluateExact( const supWinding* winding, supVec3 point );
