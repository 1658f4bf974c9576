// SPDX-License-Identifier: MIT
// A mesh and a skeleton become a character, with automatic weights.
#pragma once

#include "supple/character.h"

typedef enum supBindWeights
{
	// By the distance through the body: volume/weights/geodesic_weights.h.
	sup_bindGeodesic,
	// By the nearest bone: volume/weights/heuristic_weights.h.
	sup_bindHeuristic,
} supBindWeights;

typedef struct supBindDef
{
	// Default geodesic.
	supBindWeights weights;
	// Voxels along the longest axis of the mesh, 1..512. Default 96: fingers of a whole body are a few voxels thick.
	int32_t resolution;
	// Bones that move one vertex, 1..8. Default 8: fewer give harder creases, but some players take no more than four.
	int32_t influences;
	// Brings the skeleton to the height of the mesh, on its ground and in its middle. Default false: both stand in the
	// same place already.
	bool fit;
	// may be NULL
	const supTasks* tasks;
} supBindDef;

supBindDef supDefaultBindDef( void );

// The meshes of `mesh` in its rest pose, with its materials and pictures, on the skeleton of `rig` in its rest pose,
// with the clips of that. The result has the rig's nodes first, in their order. Morph targets and weights that the mesh
// had are left out. Notes say which bones touch nothing and which are too small for the resolution. NULL and an error
// where there is no mesh, no skeleton, or where the skeleton lies outside of the mesh.
supCharacter* supBindCharacter( const supCharacter* mesh, const supCharacter* rig, const supBindDef* def,
								supError* error );
