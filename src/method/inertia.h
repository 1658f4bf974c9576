// SPDX-License-Identifier: MIT
// Exaggerated inertia. Flesh that swings at 2 Hz hardly answers a slow walk: it lags by a / ω². Soft tissue gives more
// easily at small strains than at large ones, and animators exaggerate what is small; so gentle motion throws flesh
// farther than its inertia alone would. Beside its own inertia, flesh whose bones accelerate by a feels
//
//     e( a ) = -( exaggeration - 1 ) a / ( 1 + |a| / gentle )²
//
// which is ( exaggeration - 1 ) times its inertia in the slow walk of a monster, as much as its inertia in that of a
// man, and next to nothing in a jump. It is never more than ( exaggeration - 1 ) gentle / 4, and for an exaggeration of
// up to 28 the sum of both still grows with a. Frequencies, and flesh that is touched or dragged, are not affected.
//
// The scene supplies how nodes accelerate (scene/inertia.c); a method turns that into a matrix for each of its bones
// and blends those as it skins.
#pragma once

#include "method/method.h"

// A parameter of every method with flesh.
#define SUP_EXAGGERATION_PARAMETER                                                                                     \
	{                                                                                                                  \
		"exaggeration", "",                                                                                            \
			"how many times as far the gentlest motion throws flesh as inertia alone does; 1: physical", 1.0f, 25.0f,  \
			8.0f, true, NULL                                                                                           \
	}

// For each bone the matrix that takes a point of the rest pose to its acceleration, m/s². False, and nothing is
// written, where nothing is exaggerated.
// - nodes: of each bone
// - inverses: of each bone, from the rest pose into its node's space
bool supFillAccelerations( const supSubstep* step, float exaggeration, int32_t count, const int32_t* nodes,
						   const supMat34* inverses, supMat34* accelerations );

// What e( a ) multiplies a with.
static inline float supExaggerationFactor( const supSubstep* step, float exaggeration, float squaredAcceleration )
{
	float strong = 1.0f + sqrtf( squaredAcceleration ) / step->gentle;
	return ( 1.0f - exaggeration ) / ( strong * strong );
}

// e( a ) at a point of the rest pose, from matrices of supFillAccelerations.
// - bones, weights: `count` each; the first weight that is not positive ends them
supVec3 supExaggerate( const supSubstep* step, float exaggeration, const supMat34* accelerations, int32_t count,
					   const uint16_t* bones, const float* weights, supVec3 rest );
