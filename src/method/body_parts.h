// SPDX-License-Identifier: MIT
// What flesh on tetrahedra is made from, while it is being made.
#pragma once

#include "method/method.h"
#include "volume/binding/surface_binding.h"
#include "volume/body/bones.h"
#include "volume/body/rest_surface.h"
#include "volume/softness/softness.h"
#include "volume/tets/tet_mesher.h"

typedef struct supBodyParts
{
	supRestSurface surface;
	supBones bones;
	supTets tets;
	supSoftness softness;
	// one a tet: see volume/weights/bridge_count.h
	uint8_t* bridges;
} supBodyParts;

// How a skeleton moves the corners of tets: by ordinary skinning.
typedef struct supBodySkin
{
	int32_t boneCount;
	const int32_t* boneNodes;
	const supMat34* boneInverses; // from the rest pose into the bone's space
	// SUP_MAX_INFLUENCES a corner
	const uint16_t* joints;
	const float* weights;
} supBodySkin;

// Surface and tets: those of the definition, or about `tetCount` of the mesher.
bool supBodyParts_Mesh( supBodyParts* parts, const supFleshInput* input, int32_t tetCount, supError* error );

// Bones, and the skin weights of the tets' corners, in the arena.
// - rigid: of each corner: it belongs to a mesh that hangs on a joint and is not skinned
bool supBodyParts_FindSkin( supBodyParts* parts, const supFleshInput* input, supArena* arena, bool* rigid,
							supBodySkin* skin, supError* error );

// How far the corners of a tet belong together: 0 where it reaches from one limb to another. Bridges are known.
float supBodyParts_TetBond( const supBodyParts* parts, const supBodySkin* skin, int32_t tet );

// A vertex is bound to those corners of its tet that its own bones move.
bool supBodyParts_KeepOwnPoints( const supBodyParts* parts, const supBodySkin* skin, const supFleshInput* input,
								 supSurfaceBinding* binding, supError* error );

// bone_axes.c: of the bones at rest, of unit length; zero where a bone has none. NULL where out of memory.
// - points: those that the skin weighs
supVec3* supFindBoneAxes( const supBodySkin* skin, int32_t pointCount, const supVec3* points,
						  const supCharacter* character, supArena* arena );

// A mesher's settings for the surface that is there.
supTetsDef supBodyParts_TetsDef( const supBodyParts* parts, const supFleshInput* input );

// Softness inside, from surface and bones that are there and what was painted or asked for.
bool supBodyParts_FindSoftness( supBodyParts* parts, const supFleshInput* input, supError* error );

// Tets that join parts which only lie near each other, from surface, bones and tets that are there.
bool supBodyParts_FindBridges( supBodyParts* parts, const supFleshInput* input, supError* error );

// Of zeroed parts is fine.
void supBodyParts_Destroy( supBodyParts* parts );
