// SPDX-License-Identifier: MIT
// Which voxels do bones pass through? As for triangles, a segment cuts a range of cells in halves.
#include "core/array.h"
#include "core/sort.h"
#include "volume/body/bones.h"

#include <float.h>

// Bone above, voxel below.
typedef SUP_ARRAY( uint64_t ) Keys;

typedef struct Marker
{
	const supVoxels* voxels;
	const supBones* bones;
	Keys keys;
	bool* isPassed;
} Marker;

static bool Push( Marker* marker, int32_t bone, int32_t voxel )
{
	return SUP_PUSH( &marker->keys, (uint64_t)bone << 32 | (uint64_t)voxel );
}

static bool MarkRange( Marker* marker, int32_t bone, const supSegment* segment, supVoxelCell lower, supVoxelCell upper )
{
	const supVoxels* v = marker->voxels;
	if ( supSegmentOverlapsBox( segment, supVoxels_Box( v, lower, upper ) ) == false )
	{
		return true;
	}
	supVoxelCell middle, next;
	if ( supSplitCells( lower, upper, &middle, &next ) == false )
	{
		int32_t voxel = supVoxels_Find( v, lower.x, lower.y, lower.z );
		return voxel < 0 || Push( marker, bone, voxel );
	}
	return MarkRange( marker, bone, segment, lower, middle ) && MarkRange( marker, bone, segment, next, upper );
}

// A segment that runs along the border of voxels touches those on both sides, or on either by the noise in its joints.
// Rigs are symmetric, so that this is common. Moved by this part of a voxel it is on one side.
#define OFF_BORDER ( 1.0f / 256.0f )

// Marks what the segment touches once it is moved off the borders: what it passes through. Where that is outside of the
// body everything is passed that it touches.
static bool MarkPassed( Marker* marker, int32_t bone, const supSegment* segment, int32_t first, supVoxelCell last )
{
	float off = OFF_BORDER * (float)marker->voxels->size;
	supVec3 shift = supMakeVec3( off, off, off );
	supSegment moved = { .a = supAdd( segment->a, shift ), .b = supAdd( segment->b, shift ) };
	int32_t touched = marker->keys.count;
	if ( MarkRange( marker, bone, &moved, ( supVoxelCell ){ 0 }, last ) == false )
	{
		return false;
	}
	for ( int32_t i = marker->keys.count > touched ? touched : first; i < marker->keys.count; ++i )
	{
		marker->isPassed[(uint32_t)marker->keys.data[i]] = true;
	}
	marker->keys.count = touched;
	return true;
}

// A stub is as good a guess as a skeleton alone allows. The body knows better: a head goes on to its top, a foot to its
// toes. So the stub grows, in its own direction, over this part of the way from its joint to where it leaves the body:
// not all of it, since what it passes through is bone, up to the skin.
#define STUB_LENGTH_RATIO 0.6667f

static supSegment GrowStub( const supVoxels* v, supSegment stub )
{
	supVec3 along = supSub( stub.b, stub.a );
	float length = supLength( along ), step = 0.5f * (float)v->size;
	if ( !( length > 0.0f ) || supVoxels_FindAt( v, stub.a ) < 0 )
	{
		return stub;
	}
	along = supScale( 1.0f / length, along );
	int32_t steps = 0, most = 4 * ( v->nx + v->ny + v->nz );
	while ( steps < most && supVoxels_FindAt( v, supMulAdd( stub.a, step * (float)( steps + 1 ), along ) ) >= 0 )
	{
		steps += 1;
	}
	stub.b = supMulAdd( stub.a, supMaxFloat( length, STUB_LENGTH_RATIO * step * (float)steps ), along );
	return stub;
}

// Is less than half of a bone inside, by samples half a voxel apart?
static bool IsMostlyOutside( const supVoxels* v, const supBones* bones, int32_t bone )
{
	int64_t inside = 0, all = 0;
	for ( int32_t k = bones->segmentStarts[bone]; k < bones->segmentStarts[bone + 1]; ++k )
	{
		supSegment segment = bones->segments[k];
		double length = (double)supDistance( segment.a, segment.b ) / ( 0.5 * v->size );
		int32_t steps = length < 4096.0 ? (int32_t)length + 1 : 4096;
		for ( int32_t i = 0; i < steps; ++i )
		{
			float t = ( (float)i + 0.5f ) / (float)steps;
			inside += supVoxels_FindAt( v, supLerp( segment.a, segment.b, t ) ) >= 0 ? 1 : 0;
		}
		all += steps;
	}
	return 2 * inside < all;
}

static bool MarkBones( Marker* marker, const bool* hasChild )
{
	const supVoxels* v = marker->voxels;
	const supBones* bones = marker->bones;
	supVoxelCell last = { (int16_t)( v->nx - 1 ), (int16_t)( v->ny - 1 ), (int16_t)( v->nz - 1 ) };
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		bool isOutside = bones->parents[i] < 0 && bones->count > 1 && supVoxels_FindAt( v, bones->joints[i] ) < 0 &&
						 IsMostlyOutside( v, bones, i );
		if ( isOutside || bones->isHandle[i] )
		{
			continue;
		}
		for ( int32_t k = bones->segmentStarts[i]; k < bones->segmentStarts[i + 1]; ++k )
		{
			supSegment segment = hasChild[i] ? bones->segments[k] : GrowStub( v, bones->segments[k] );
			int32_t first = marker->keys.count;
			if ( MarkRange( marker, i, &segment, ( supVoxelCell ){ 0 }, last ) == false ||
				 MarkPassed( marker, i, &segment, first, last ) == false )
			{
				return false;
			}
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Parts that no bone touches

typedef struct Anchor
{
	bool touched;
	float distance;
	int32_t bone;
	int32_t voxel;
} Anchor;

static void FindAnchor( const Marker* marker, const bool* isUsed, int32_t voxel, Anchor* anchor )
{
	const supBones* bones = marker->bones;
	supVec3 p = supVoxels_CellCenter( marker->voxels, marker->voxels->cells[voxel] );
	for ( int32_t i = 0; i < bones->count; ++i )
	{
		for ( int32_t k = bones->segmentStarts[i]; isUsed[i] && k < bones->segmentStarts[i + 1]; ++k )
		{
			float distance = supDistanceToSegment( bones->segments + k, p );
			if ( distance < anchor->distance )
			{
				*anchor = ( Anchor ){ false, distance, i, voxel };
			}
		}
	}
}

// Returns -1 when out of memory.
static int32_t AnchorParts( Marker* marker, supArena* scratch )
{
	const supVoxels* v = marker->voxels;
	int32_t* parts = supArena_AllocArray( scratch, (size_t)v->count, sizeof( int32_t ) );
	bool* isUsed = supArena_AllocZeroed( scratch, (size_t)marker->bones->count * sizeof( bool ) );
	int32_t partCount = parts != NULL ? supVoxels_FindParts( v, parts ) : 0;
	Anchor* anchors = supArena_AllocArray( scratch, (size_t)partCount, sizeof( Anchor ) );
	if ( scratch->failed )
	{
		return -1;
	}
	for ( int32_t i = 0; i < partCount; ++i )
	{
		anchors[i] = ( Anchor ){ .distance = FLT_MAX };
	}
	for ( int32_t i = 0; i < marker->keys.count; ++i )
	{
		anchors[parts[(uint32_t)marker->keys.data[i]]].touched = true;
		isUsed[marker->keys.data[i] >> 32] = true;
	}
	// where no bone is in the body at all it hangs on the nearest, however far that is
	for ( int32_t i = 0; marker->keys.count == 0 && i < marker->bones->count; ++i )
	{
		isUsed[i] = marker->bones->isHandle[i] == false;
	}
	for ( int32_t i = 0; i < v->count; ++i )
	{
		if ( anchors[parts[i]].touched == false )
		{
			FindAnchor( marker, isUsed, i, anchors + parts[i] );
		}
	}
	int32_t count = 0;
	for ( int32_t i = 0; i < partCount; ++i )
	{
		if ( anchors[i].touched == false && anchors[i].distance < FLT_MAX )
		{
			count += 1;
			marker->isPassed[anchors[i].voxel] = true;
			if ( Push( marker, anchors[i].bone, anchors[i].voxel ) == false )
			{
				return -1;
			}
		}
	}
	return count;
}

// ---------------------------------------------------------------------------------------------------------------------
// Sorted lists

static bool MakeLists( supBoneVoxels* out, Marker* marker, supArena* scratch )
{
	int32_t boneCount = marker->bones->count;
	size_t keyCount = (size_t)marker->keys.count;
	uint64_t* sorting = supArena_AllocArray( scratch, keyCount, sizeof( uint64_t ) );
	out->boneCount = boneCount;
	out->starts = supArena_AllocArray( &out->arena, (size_t)boneCount + 1, sizeof( int32_t ) );
	out->lost = supArena_AllocArray( &out->arena, (size_t)boneCount, sizeof( int32_t ) );
	out->voxels = supArena_AllocArray( &out->arena, keyCount, sizeof( int32_t ) );
	if ( sorting == NULL || out->arena.failed )
	{
		return false;
	}
	uint64_t* keys = marker->keys.data;
	supSortKeys( keys, sorting, keyCount, 64 );
	int32_t total = 0;
	size_t next = 0;
	for ( int32_t bone = 0; bone < boneCount; ++bone )
	{
		out->starts[bone] = total;
		for ( ; next < keyCount && (int32_t)( keys[next] >> 32 ) == bone; ++next )
		{
			// two segments of a bone may touch the same voxel
			if ( next == 0 || keys[next] != keys[next - 1] )
			{
				out->voxels[total++] = (int32_t)(uint32_t)keys[next];
			}
		}
		if ( total == out->starts[bone] && marker->bones->isHandle[bone] == false )
		{
			out->lost[out->lostCount++] = bone;
		}
	}
	out->starts[boneCount] = total;
	return true;
}

bool supBoneVoxels_Init( supBoneVoxels* boneVoxels, const supVoxels* voxels, const supBones* bones, supError* error )
{
	supClearError( error );
	Marker marker = { .voxels = voxels, .bones = bones };
	supArena scratch = { 0 };
	bool* hasChild = supArena_AllocZeroed( &scratch, (size_t)bones->count * sizeof( bool ) );
	for ( int32_t i = 0; hasChild != NULL && i < bones->count; ++i )
	{
		if ( bones->parents[i] >= 0 )
		{
			hasChild[bones->parents[i]] = true;
		}
	}
	marker.isPassed = supArena_AllocZeroed( &boneVoxels->arena, (size_t)voxels->count * sizeof( bool ) );
	boneVoxels->isPassed = marker.isPassed;
	bool ok = hasChild != NULL && marker.isPassed != NULL && MarkBones( &marker, hasChild );
	boneVoxels->isOutside = marker.keys.count == 0;
	boneVoxels->anchoredParts = ok ? AnchorParts( &marker, &scratch ) : -1;
	if ( ok && boneVoxels->anchoredParts >= 0 && marker.keys.count == 0 )
	{
		ok = supSetError( error, sup_errorArgument, "skeleton",
						  "no bone is in or near the body; do skeleton and mesh have the same size?" );
	}
	else
	{
		ok = boneVoxels->anchoredParts >= 0 && MakeLists( boneVoxels, &marker, &scratch );
		if ( ok == false )
		{
			supSetMemoryError( error );
		}
	}
	SUP_FREE_ARRAY( &marker.keys );
	supArena_Destroy( &scratch );
	if ( ok == false )
	{
		supBoneVoxels_Destroy( boneVoxels );
	}
	return ok;
}

void supBoneVoxels_Destroy( supBoneVoxels* boneVoxels )
{
	supArena_Destroy( &boneVoxels->arena );
	*boneVoxels = ( supBoneVoxels ){ 0 };
}
