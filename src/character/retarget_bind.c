// SPDX-License-Identifier: MIT
// The pose in which the mesh was bound to its joints.
//
// Many exporters write whatever pose was on the screen as the nodes' rest transforms, often the first frame of a clip.
// The inverse bind matrices still tell the pose in which the artist modelled, which is what can be compared with
// another skeleton's.
#include "character/retarget.h"

// Cosine of half of 2 degrees: joints turned less than that are as at rest.
#define COS_HALF_2 0.99985f

#define COS_45 0.70711f

// Bones of another length than at rest: the matrices are not a pose of this skeleton.
#define LENGTH_TOLERANCE 0.2f

typedef struct Bound
{
	supTransform local;
	bool known;
} Bound;

// The joint's transform against its parent joint at bind time: B_parent^-1 B with B the inverse of the bind matrix.
static bool ReadLocal( const supSkin* skin, int32_t joint, int32_t parentJoint, supTransform* local )
{
	supMat34 bound;
	return supInvertMat34( skin->inverseBinds[joint], &bound ) &&
		   ( supDecompose( supMulMat34( skin->inverseBinds[parentJoint], bound ), local ), true ) &&
		   supIsFiniteVec3( local->translation );
}

// A joint without a joint above it: its space at bind time is turned against its parent's by whole quarter turns (axes
// of another program) or not at all; what is left over is pose.
static bool ReadRoot( const supSkin* skin, int32_t joint, const supNode* node, supTransform* local )
{
	supMat34 bound;
	supTransform bind;
	if ( node->hasMatrix || !supInvertMat34( skin->inverseBinds[joint], &bound ) )
	{
		return false;
	}
	supDecompose( bound, &bind );
	*local = node->rest;
	supMat3 turn = supMakeMat3Quat( supMulQuat( node->rest.rotation, supConjugate( bind.rotation ) ) );
	supVec3 x = supNearestAxis( turn.cx );
	supVec3 y = supNearestAxis( turn.cy );
	if ( supDot( x, y ) != 0.0f || supDot( x, turn.cx ) < COS_45 || supDot( y, turn.cy ) < COS_45 )
	{
		return false;
	}
	local->rotation = supMulQuat( supMakeQuatMat3( ( supMat3 ){ x, y, supCross( x, y ) } ), bind.rotation );
	return true;
}

static void ReadSkin( const supCharacter* character, const supSkin* skin, int32_t* jointOfNode, Bound* bounds )
{
	for ( int32_t i = 0; i < skin->jointCount; ++i )
	{
		jointOfNode[skin->joints[i]] = i;
	}
	for ( int32_t i = 0; i < skin->jointCount; ++i )
	{
		int32_t node = skin->joints[i];
		const supNode* n = supCharacter_Node( character, node );
		if ( bounds[node].known )
		{
			continue;
		}
		int32_t parent = n->parent >= 0 ? jointOfNode[n->parent] : -1;
		bounds[node].known = parent >= 0 ? ReadLocal( skin, i, parent, &bounds[node].local )
										 : n->parent < 0 && ReadRoot( skin, i, n, &bounds[node].local );
	}
	for ( int32_t i = 0; i < skin->jointCount; ++i )
	{
		jointOfNode[skin->joints[i]] = -1;
	}
}

// Whether the bind pose differs from rest, and differs as a pose does: by turning joints, not by stretching bones.
static bool IsOtherPose( const supCharacter* character, const Bound* bounds )
{
	int32_t count = supCharacter_NodeCount( character );
	int32_t known = 0;
	int32_t stretched = 0;
	bool turned = false;
	for ( int32_t i = 0; i < count; ++i )
	{
		const supNode* node = supCharacter_Node( character, i );
		if ( !bounds[i].known || node->hasMatrix )
		{
			continue;
		}
		float length = supLength( node->rest.translation );
		float bound = supLength( bounds[i].local.translation );
		known += 1;
		stretched += fabsf( bound - length ) > LENGTH_TOLERANCE * length;
		turned = turned || fabsf( supDotQuat( bounds[i].local.rotation, node->rest.rotation ) ) < COS_HALF_2;
	}
	return turned && 10 * stretched <= known;
}

bool supPoseBound( const supCharacter* character, supPose* pose, supArena* arena )
{
	supPose_SetRest( pose );
	size_t count = (size_t)supCharacter_NodeCount( character );
	if ( supCharacter_SkinCount( character ) == 0 )
	{
		return true;
	}
	int32_t* jointOfNode = supArena_AllocArray( arena, count, sizeof( int32_t ) );
	Bound* bounds = supArena_AllocArray( arena, count, sizeof( Bound ) );
	if ( jointOfNode == NULL || bounds == NULL )
	{
		return false;
	}
	memset( jointOfNode, 0xff, count * sizeof( int32_t ) );
	memset( bounds, 0, count * sizeof( Bound ) );
	for ( int32_t i = 0; i < supCharacter_SkinCount( character ); ++i )
	{
		ReadSkin( character, supCharacter_Skin( character, i ), jointOfNode, bounds );
	}
	bool isOther = IsOtherPose( character, bounds );
	for ( int32_t i = 0; isOther && i < (int32_t)count; ++i )
	{
		supTransform local = supPose_GetLocal( pose, i );
		if ( bounds[i].known )
		{
			local.rotation = bounds[i].local.rotation;
			supPose_SetLocal( pose, i, local );
		}
	}
	return true;
}
