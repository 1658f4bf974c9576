// SPDX-License-Identifier: MIT
#include "volume/weights/lost_joints.h"

#include "volume/body/layers.h"

#define NAMED 4

bool supBoneVoxels_CountOwn( const supBoneVoxels* boneVoxels, const supVoxels* voxels, int32_t* counts )
{
	uint8_t* touches = supAllocZeroed( (size_t)voxels->count );
	if ( touches == NULL )
	{
		return false;
	}
	int32_t total = boneVoxels->starts[boneVoxels->boneCount];
	for ( int32_t i = 0; i < total; ++i )
	{
		uint8_t* t = touches + boneVoxels->voxels[i];
		*t = *t < 2 ? (uint8_t)( *t + 1 ) : *t;
	}
	for ( int32_t bone = 0; bone < boneVoxels->boneCount; ++bone )
	{
		counts[bone] = 0;
		for ( int32_t i = boneVoxels->starts[bone]; i < boneVoxels->starts[bone + 1]; ++i )
		{
			counts[bone] += touches[boneVoxels->voxels[i]] == 1 ? 1 : 0;
		}
	}
	supFree( touches );
	return true;
}

static bool HasLength( const supBones* bones, int32_t bone )
{
	for ( int32_t i = bones->segmentStarts[bone]; i < bones->segmentStarts[bone + 1]; ++i )
	{
		supVec3 d = supSub( bones->segments[i].b, bones->segments[i].a );
		if ( d.x != 0.0f || d.y != 0.0f || d.z != 0.0f )
		{
			return true;
		}
	}
	return false;
}

static int32_t ResolutionOf( const supVoxels* voxels )
{
	int32_t n = voxels->nx > voxels->ny ? voxels->nx : voxels->ny;
	return n > voxels->nz ? n : voxels->nz;
}

int32_t supFindLostJoints( const supVoxels* voxels, const supBones* bones, const supBoneVoxels* boneVoxels,
						   const int32_t* counts, supLostJoint* joints )
{
	int32_t count = 0, resolution = ResolutionOf( voxels );
	for ( int32_t bone = 0; bone < bones->count; ++bone )
	{
		bool outside = boneVoxels->starts[bone + 1] == boneVoxels->starts[bone];
		int32_t needed = outside ? 0 : supSuggestResolution( voxels, bones, bone );
		bool isSmall = counts[bone] == 0 && HasLength( bones, bone ) && needed > resolution;
		if ( bones->isHandle[bone] == false && ( outside || isSmall ) )
		{
			joints[count++] = ( supLostJoint ){ bone, needed };
		}
	}
	return count;
}

static const char* NameOf( const supCharacter* character, const supBones* bones, int32_t bone )
{
	return supCharacter_Node( character, bones->nodes[bone] )->name;
}

const char* supDescribeLostJoints( supArena* arena, const supCharacter* character, const supVoxels* voxels,
								   const supBones* bones, const supLostJoint* joints, int32_t count, bool outside )
{
	int32_t total = 0, most = 0;
	const char* names = "";
	for ( int32_t i = 0; i < count && names != NULL; ++i )
	{
		if ( ( joints[i].resolution == 0 ) != outside )
		{
			continue;
		}
		const char* comma = total > 0 ? ", " : "";
		const char* name = NameOf( character, bones, joints[i].bone );
		if ( total < NAMED )
		{
			names = outside ? supArena_Format( arena, "%s%s'%.60s'", names, comma, name )
							: supArena_Format( arena, "%s%s'%.60s' (%d)", names, comma, name, joints[i].resolution );
		}
		total += 1;
		most = joints[i].resolution > most ? joints[i].resolution : most;
	}
	if ( total == 0 || names == NULL )
	{
		return NULL;
	}
	const char* more = total > NAMED ? ", ..." : "";
	if ( outside )
	{
		return supArena_Format( arena, "%d of %d bones are outside the mesh and move nothing: %s%s", total,
								bones->count, names, more );
	}
	return supArena_Format( arena,
							"%d of %d bones are too small for resolution %d and share all their voxels with others; "
							"resolution %d separates them, by bone: %s%s",
							total, bones->count, ResolutionOf( voxels ), most, names, more );
}
