// SPDX-License-Identifier: MIT
// Skin weights of points inside a character: those of the skin at the nearest place, which are what the artist painted.
#pragma once

#include "geometry/tree.h"
#include "supple/character.h"
#include "volume/body/bones.h"
#include "volume/body/rest_surface.h"

// The skin that a point of flesh lies beneath: the nearest, or where that is seen from outside, because a part of the
// body reaches into another, the skin behind it that the point is inside of, as far again at most. False where there is
// no skin. Of the hit, `distance` may be that from the nearest skin.
// - the tree is that of the surface
bool supFindOwnSkin( const supTree* tree, const supRestSurface* surface, supVec3 point, supTreeHit* hit );

// SUP_MAX_INFLUENCES bones and weights of sum 1 for each point, the heaviest first. What hangs on a node that is no
// joint follows the joint above it, or the first bone. False and an error where out of memory.
// - surface and bones are the character's; there is at least one bone; tasks may be NULL
bool supWeighPoints( const supCharacter* character, const supRestSurface* surface, const supBones* bones,
					 const supVec3* points, int32_t count, uint16_t* joints, float* weights, const supTasks* tasks,
					 supError* error );

// The same, and says which points are nearest to a mesh that is not skinned but fixed to a joint: a rigid part.
// - rigid: of each point
bool supWeighFlesh( const supCharacter* character, const supRestSurface* surface, const supBones* bones,
					const supVec3* points, int32_t count, uint16_t* joints, float* weights, bool* rigid,
					const supTasks* tasks, supError* error );

// The weights of the surface's own vertices, each by its own mesh whatever lies at the same place.
// - rigid: as above; may be NULL
bool supWeighVertices( const supCharacter* character, const supRestSurface* surface, const supBones* bones,
					   uint16_t* joints, float* weights, bool* rigid, supError* error );

// The weights of a place on a triangle, from those of its corners.
// - joints, weights: SUP_MAX_INFLUENCES a vertex, the heaviest first
void supMixWeights( const uint16_t* joints, const float* weights, const uint32_t corners[3], const float shares[3],
					uint16_t* mixedJoints, float* mixedWeights );

// Flesh with less than this of its bones in common is not one: elements are coarser than a mouth that is nearly closed,
// and an edge from lip to lip would keep it open.
#define SUP_LEAST_BOND 0.25f

// The part of their bones that two sets of weights have in common, 0 .. 1.
float supWeightBond( const uint16_t* jointsA, const float* weightsA, const uint16_t* jointsB, const float* weightsB,
					 int32_t count );

// How far such flesh holds together: 0 below the least bond, 1 from 0.6 on.
float supBondShare( float bond );
