// SPDX-License-Identifier: MIT
// How soft the flesh is at any place inside a character, and which region says so.
//
// Worked out on voxels, once, and then looked up at the points of any flesh (corners of tets, middles of voxels).
//
// 1. Bone distance b of each voxel: through the body. Paths from voxel to voxel are up to a tenth too long, so it is
//    the straight distance to the nearest bone where that is within a tenth of the path, and the path less a tenth
//    where there is no straight way. The last bone of a chain goes on to near the skin: skulls, fingertips.
// 2. Which skin a voxel lies under: that in which the ray from its place on the bone through it leaves the body; where
//    the ray comes into the reach of another bone, the nearest skin. All flesh between a part of the skin and its bone
//    is so under this part (the soft selection of Abu Rumman & Fratarcangeli 2015, section 4).
// 3. A region selects a part of the skin, or flesh itself, to a degree between 0 and 1, smoothed over a few voxels.
// 4. In each connected piece of a region the mean bone distance d of what is selected divides: nearer is firm, farther
//    is soft, with a smooth ramp from d / 2 to 3 d / 2. A region that is `even` has no such ramp.
//
// Where nothing is painted and no region is given, softness is guessed from anatomy (soft_guess.c):
//
// - Each bone has a role (bone_roles.h), and with it the largest softness of the flesh along it: waist 1, hips and
//   thighs 0.9 to 0.8, chest 0.65, upper arms 0.6, knees, elbows and calves 0.25 to 0.1, neck 0.5 to 0.2, head, hands
//   and feet 0. Skin weights blend bones; the result is smoothed over about 5 % of the body's size.
// - Thickness scales it: 0 up to 3 % of the cube root of the body's volume between bone and skin, all from 16 % on.
// Flesh
//   counts as no thicker than 1.5 times the radius of the largest ball in the body around it, so that fins far from any
//   bone are firm. From bone to skin it ramps up as above, with the middle of the flesh at that place for d.
// - Loose chains (tails, ears, hair, tentacles) get softer towards their tips, thick or thin, and their flesh is as
// soft
//   at the bone as at the skin.
// - Rigid shells (eyes, teeth, buttons, plates: rigid_parts.h) have softness 0.
#pragma once

#include "supple/flesh.h"
#include "volume/body/bones.h"
#include "volume/body/rest_surface.h"
#include "volume/voxels/voxels.h"

typedef struct supSoftness
{
	supArena arena;
	supVoxels voxels;
	// of each voxel
	float* softness;
	int32_t* regions;
	// 0: the bone holds the flesh around it; 1: flesh at the bone swings as the skin does (tails, ears)
	float* looseness;
	// to the nearest bone, in metres, and which bone that is (-1 where the skeleton is nowhere near)
	float* boneDistances;
	int32_t* bones;
	// from the nearest bone to the skin, through the voxel, in metres
	float* thickness;
	// of each vertex of the surface: is part of a rigid shell. NULL unless automatic.
	bool* isRigid;
	// guessed from anatomy, since nothing was painted
	bool isAutomatic;
} supSoftness;

typedef struct supSoftnessDef
{
	const supCharacter* character;
	// the character's
	const supRestSurface* surface;
	const supBones* bones;
	// as in supFleshDef; may be NULL with a count of 0
	const supSoftRegion* regions;
	int32_t regionCount;
	// voxels along the longest axis; SUP_SOFTNESS_RESOLUTION is a good choice
	int32_t resolution;
	// may be NULL
	const supTasks* tasks;
} supSoftnessDef;

#define SUP_SOFTNESS_RESOLUTION 64

// False and an error that names the region where a region cannot be used, where the character has no triangles, or out
// of memory. Nothing is left behind. The same bits for every number of threads.
// - softness is zero-initialised
bool supSoftness_Init( supSoftness* softness, const supSoftnessDef* def, supError* error );
void supSoftness_Destroy( supSoftness* softness );

// Can these be used? False and an error that names the region where not.
bool supCheckSoftRegions( const supCharacter* character, const supBones* bones, const supSoftRegion* regions,
						  int32_t count, supError* error );

// Has any vertex a softness above 0?
bool supIsPainted( const supCharacter* character );

// What the flesh is like at a place.
typedef struct supSoftPoint
{
	// 0 firm .. 1 soft
	float softness;
	// of the softest region there; 0 where none is
	int32_t region;
	float boneDistance;
	float thickness;
	// 0 .. 1; see supSoftness
	float looseness;
} supSoftPoint;

// Between the voxels around it; outside of the body that of the nearest voxel.
supSoftPoint supSoftness_Sample( const supSoftness* softness, supVec3 p );

// The same for many; each array may be NULL. tasks may be NULL.
void supSoftness_SampleMany( const supSoftness* softness, const supVec3* points, int32_t count, float* values,
							 int32_t* regions, const supTasks* tasks );
