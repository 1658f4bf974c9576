// SPDX-License-Identifier: MIT
#include "method/body_parts.h"

// Of the lengths of all ways to the joints that follow: where these go farther apart there is no axis.
#define LEAST_AXIS 0.3f

static supVec3 JointOf( const supBodySkin* skin, int32_t bone )
{
	supMat34 rest;
	return supInvertMat34( skin->boneInverses[bone], &rest ) ? rest.t : supVec3_zero;
}

// The parent of a bone, -1 for none.
static int32_t FindParent( const supBodySkin* skin, const supCharacter* character, const int32_t* bones, int32_t bone )
{
	int32_t node = supCharacter_Node( character, skin->boneNodes[bone] )->parent;
	while ( node >= 0 && bones[node] < 0 )
	{
		node = supCharacter_Node( character, node )->parent;
	}
	return node >= 0 ? bones[node] : -1;
}

static supVec3 MiddleOf( const supBodySkin* skin, int32_t pointCount, const supVec3* points, int32_t bone )
{
	supVec3 sum = supVec3_zero;
	float weight = 0.0f;
	for ( int64_t k = 0; k < (int64_t)SUP_MAX_INFLUENCES * pointCount; ++k )
	{
		if ( skin->joints[k] == bone )
		{
			sum = supMulAdd( sum, skin->weights[k], points[k / SUP_MAX_INFLUENCES] );
			weight += skin->weights[k];
		}
	}
	return weight > 0.0f ? supScale( 1.0f / weight, sum ) : JointOf( skin, bone );
}

supVec3* supFindBoneAxes( const supBodySkin* skin, int32_t pointCount, const supVec3* points,
						  const supCharacter* character, supArena* arena )
{
	int32_t nodeCount = supCharacter_NodeCount( character );
	int32_t* bones = supAllocArray( (size_t)nodeCount, sizeof( int32_t ) );
	float* lengths = supAllocZeroed( ( (size_t)skin->boneCount + 1 ) * sizeof( float ) );
	supVec3* axes = supArena_AllocZeroed( arena, ( (size_t)skin->boneCount + 1 ) * sizeof( supVec3 ) );
	bool ok = bones != NULL && lengths != NULL && axes != NULL;
	for ( int32_t i = 0; ok && i < nodeCount; ++i )
	{
		bones[i] = -1;
	}
	for ( int32_t i = 0; ok && i < skin->boneCount; ++i )
	{
		bones[skin->boneNodes[i]] = i;
	}
	for ( int32_t i = 0; ok && i < skin->boneCount; ++i )
	{
		int32_t parent = FindParent( skin, character, bones, i );
		supVec3 way = parent >= 0 ? supSub( JointOf( skin, i ), JointOf( skin, parent ) ) : supVec3_zero;
		if ( parent >= 0 )
		{
			// a line, so that a chain may go on to both sides of its root
			axes[parent] = supMulAdd( axes[parent], supDot( axes[parent], way ) < 0.0f ? -1.0f : 1.0f, way );
			lengths[parent] += supLength( way );
		}
	}
	for ( int32_t i = 0; ok && i < skin->boneCount; ++i )
	{
		axes[i] = lengths[i] > 0.0f ? axes[i] : supSub( MiddleOf( skin, pointCount, points, i ), JointOf( skin, i ) );
		float length = supLength( axes[i] );
		bool isOne = length > LEAST_AXIS * lengths[i] && length > 0.0f;
		axes[i] = isOne ? supScale( 1.0f / length, axes[i] ) : supVec3_zero;
	}
	supFree( bones );
	supFree( lengths );
	return ok ? axes : NULL;
}
