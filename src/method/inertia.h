// SPDX-License-Identifier: MIT
// Exaggerated inertia. Flesh with a natural frequency of 2 Hz barely responds to a slow walk: its lag is a / ω². To
// keep such motion visible, flesh on bones that accelerate by a gets an extra acceleration on top of its own inertia:
//
//     e( a ) = -( exaggeration - 1 ) a / ( 1 + |a| / gentle )²
//
// With the defaults this is about 6 times the inertia in a large creature's slow walk, 1.8 times in a human walk, and
// 0.1 times in a jump. It never exceeds ( exaggeration - 1 ) gentle / 4, and the total grows with a up to an
// exaggeration of 28. It does not change frequencies, contact or dragging.
//
// The scene computes node accelerations (scene/inertia.c). Each method turns them into one matrix per bone and blends
// these with its skin weights.
#pragma once

#include "method/method.h"

// A parameter of every method with flesh.
#define SUP_EXAGGERATION_PARAMETER                                                                                     \
	{                                                                                                                  \
		"exaggeration", "", "amplifies the inertia of gentle motion, up to this many times; 1 is physical", 1.0f,      \
			25.0f, 8.0f, true, NULL                                                                                    \
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
