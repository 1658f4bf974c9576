// SPDX-License-Identifier: MIT
// Exaggerated inertia. Flesh with a natural frequency of 2 Hz barely responds to a slow walk: its lag is a / ω². To
// keep such motion visible, flesh on a bone that accelerates by a gets an extra acceleration on top of its own inertia:
//
//     e = -( exaggeration - 1 ) ā / ( ( 1 + p / gentle ) ( 1 + p / strong ) )
//
// ā is a low-passed, p the recent peak of |ā| at the skin that the bone carries (scene/inertia.c). The gain depends on
// the peak, not on the moment: a sway keeps its shape, with no harmonics that would make flesh tremble. Where p is far
// above gentle, |e| is at most ( exaggeration - 1 ) gentle, 2.4 sizes/s² by default or 1.5 % of the size at 2 Hz. The
// total grows with a. Frequencies, contact and dragging stay as they are.
//
// The scene computes ā and p for each node. Each method turns them into one matrix per bone and blends these with its
// skin weights.
#pragma once

#include "method/method.h"

// A parameter of every method with flesh.
#define SUP_EXAGGERATION_PARAMETER                                                                                     \
	{                                                                                                                  \
		"exaggeration", "", "amplifies the inertia of gentle motion, up to this many times; 1 is physical", 1.0f,      \
			1000.0f, 150.0f, true, NULL                                                                                \
	}

// From a point in the node's space to e, m/s².
supMat34 supThrowNode( const supSubstep* step, float exaggeration, int32_t node );

// For each bone the matrix that takes a point of the rest pose to e, m/s². False, and nothing is written, where nothing
// is exaggerated.
// - nodes: of each bone
// - inverses: of each bone, from the rest pose into its node's space
bool supFillThrows( const supSubstep* step, float exaggeration, int32_t count, const int32_t* nodes,
					const supMat34* inverses, supMat34* throws );

// e at a point of the rest pose, from matrices of supFillThrows.
// - bones, weights: `count` each; the first weight that is not positive ends them
supVec3 supThrowPoint( const supMat34* throws, int32_t count, const uint16_t* bones, const float* weights,
					   supVec3 rest );
