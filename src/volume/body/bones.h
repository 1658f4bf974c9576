// SPDX-License-Identifier: MIT
// A skeleton as line segments, and the voxels that they pass through.
//
// The bone of a joint is the segments from it to each of its child joints. A leaf has a stub: half as long as the bone
// before it, in the same direction.
//
// Handles move the whole and are not bones: they touch nothing. A joint without a parent whose own place is in no voxel
// (between the feet, at the origin) is one, unless half of its bone or more is inside all the same. So are, inside of
// the body too, joints with "root" in their names that lead from the top of the hierarchy, each the only child of the
// one before, to a joint with several children, as hips are.
#pragma once

#include "supple/character.h"
#include "volume/voxels/voxels.h"

typedef struct supSegment
{
	supVec3 a, b;
} supSegment;

typedef struct supBones
{
	supArena arena;
	int32_t count;
	// bone of the parent joint, -1 for a root
	int32_t* parents;
	supVec3* joints;
	// node of the character, NULL for bones of plain arrays
	int32_t* nodes;
	// found by name: see above
	bool* isHandle;
	// first segment of each bone; count + 1
	int32_t* segmentStarts;
	supSegment* segments;
} supBones;

// Parents may come in any order and are copied; -1 for a root.
// False and an error where a joint is not a number, a parent does not exist or the parents run in a circle.
// - bones is zero-initialised
bool supBones_Init( supBones* bones, int32_t count, const supVec3* joints, const int32_t* parents, supError* error );

// The joints of all skins in the rest pose, in the order of their nodes; nodes between joints are passed over. All
// nodes where there is no skin.
bool supBones_InitCharacter( supBones* bones, const supCharacter* character, supError* error );
void supBones_Destroy( supBones* bones );

// Do they share a point? Both are closed: touching counts, and where rounding leaves it open the answer is yes.
bool supSegmentOverlapsBox( const supSegment* segment, supBox box );

float supDistanceToSegment( const supSegment* segment, supVec3 p );

typedef struct supBonePoint
{
	supVec3 point;
	float distance;
	// the segment of the bones that it lies on, and where, 0..1
	int32_t segment;
	float t;
} supBonePoint;

// The place of a bone that is nearest to p.
supBonePoint supFindOnBone( const supBones* bones, int32_t bone, supVec3 p );

typedef struct supBoneVoxels
{
	supArena arena;
	int32_t boneCount;
	// first entry of each bone; boneCount + 1
	int32_t* starts;
	// voxels that the bone touches, rising
	int32_t* voxels;
	// of each voxel: a bone passes through it. One along a border touches voxels on both sides and passes through one.
	bool* isPassed;
	// parts of the body that no bone touched. Nothing would move them: the voxel of each that is nearest to a bone in a
	// straight line counts as touched by it.
	int32_t anchoredParts;
	// no bone passes through the body: all of its parts are anchored
	bool isOutside;
	// bones that touch no voxel at all; handles found by name are not among them
	int32_t lostCount;
	int32_t* lost;
} supBoneVoxels;

// False and an error where out of memory, or where there is no bone that the body could hang on.
// - boneVoxels is zero-initialised
bool supBoneVoxels_Init( supBoneVoxels* boneVoxels, const supVoxels* voxels, const supBones* bones, supError* error );
void supBoneVoxels_Destroy( supBoneVoxels* boneVoxels );
