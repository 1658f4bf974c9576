// SPDX-License-Identifier: MIT
// One instance in one pose, ready to be written to a file.
#pragma once

#include "core/arena.h"
#include "supple/character.h"

typedef struct supPosedMesh
{
	// World space. Normals and tangents are NULL where the mesh has none; zero where a primitive has none.
	supVec3* positions;
	supVec3* normals;
	supVec4* tangents;
	// A rigid instance under a mirror: front faces turn round, so that triangles must be written the other way. The
	// sign in the tangents has been turned already.
	bool isMirrored;
} supPosedMesh;

// Arrays come from `arena`. False when out of memory.
bool supPoseMesh( supPose* pose, int32_t instance, supSkinning skinning, const supTasks* tasks, supArena* arena,
				  supPosedMesh* posed, supError* error );

// For each instance whether it is a rigid one under a mirror in the rest pose; see supPosedMesh. Free with supFree.
bool* supFindMirrored( const supCharacter* character );
