// SPDX-License-Identifier: MIT
#include "hanging_arm.h"

#include "skinned.h"

#include <string.h>

enum
{
	planesX = 7,
	planesY = 11,
	planesZ = 4,
	vertexCount = planesX * planesY * planesZ,
	mostIndices = 36 * vertexCount,
	// the cells between body and arm, and the lowest of them that is flesh
	gapX = 3,
	shoulderY = 9,
	lowestArmY = 2,
};

typedef struct Mesh
{
	supVec3 positions[vertexCount];
	uint16_t joints[2 * vertexCount];
	float weights[2 * vertexCount];
	uint32_t indices[mostIndices];
	int32_t indexCount;
} Mesh;

static bool IsFlesh( const int c[3] )
{
	bool isInside =
		c[0] >= 0 && c[0] < planesX - 1 && c[1] >= 0 && c[1] < planesY - 1 && c[2] >= 0 && c[2] < planesZ - 1;
	return isInside && ( c[0] < gapX || ( c[0] == gapX ? c[1] >= shoulderY : c[1] >= lowestArmY ) );
}

static uint32_t VertexOf( const int at[3] )
{
	return (uint32_t)( ( at[2] * planesY + at[1] ) * planesX + at[0] );
}

static void AddFace( Mesh* mesh, const int cell[3], int axis, bool isUpper )
{
	static const int around[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
	static const int order[6] = { 0, 1, 2, 0, 2, 3 };
	uint32_t corners[4];
	for ( int i = 0; i < 4; ++i )
	{
		int at[3] = { cell[0], cell[1], cell[2] };
		at[axis] += isUpper;
		at[( axis + 1 ) % 3] += around[i][0];
		at[( axis + 2 ) % 3] += around[i][1];
		corners[isUpper ? i : 3 - i] = VertexOf( at );
	}
	for ( int i = 0; i < 6; ++i )
	{
		mesh->indices[mesh->indexCount++] = corners[order[i]];
	}
}

static void AddFaces( Mesh* mesh )
{
	for ( int i = 0; i < vertexCount; ++i )
	{
		const int cell[3] = { i % planesX, i / planesX % planesY, i / planesX / planesY };
		for ( int side = 0; side < 6 && IsFlesh( cell ); ++side )
		{
			int next[3] = { cell[0], cell[1], cell[2] };
			next[side / 2] += side % 2 == 1 ? 1 : -1;
			if ( IsFlesh( next ) == false )
			{
				AddFace( mesh, cell, side / 2, side % 2 == 1 );
			}
		}
	}
}

// Half and half where bones meet.
static void Paint( Mesh* mesh, uint32_t vertex, int x, int y )
{
	int lower, upper;
	if ( x <= gapX )
	{
		lower = y > 6 ? armChest : armHips;
		upper = y == 6 || y > 6 ? armChest : armHips;
		upper = x == gapX && y >= shoulderY ? armShoulder : upper;
	}
	else
	{
		lower = y >= shoulderY ? armShoulder : ( y > 6 ? armUpper : ( y > 4 ? armFore : armHand ) );
		upper = y >= shoulderY ? armUpper : ( y >= 6 ? armUpper : ( y >= 4 ? armFore : armHand ) );
	}
	mesh->joints[2 * vertex] = (uint16_t)lower;
	mesh->joints[2 * vertex + 1] = (uint16_t)( upper != lower ? upper : 0 );
	mesh->weights[2 * vertex] = upper != lower ? 0.5f : 1.0f;
	mesh->weights[2 * vertex + 1] = upper != lower ? 0.5f : 0.0f;
}

// All on one bone.
static void PaintWith( Mesh* mesh, uint32_t vertex, int joint )
{
	mesh->joints[2 * vertex] = (uint16_t)joint;
	mesh->joints[2 * vertex + 1] = 0;
	mesh->weights[2 * vertex] = 1.0f;
	mesh->weights[2 * vertex + 1] = 0.0f;
}

static void FillVertices( Mesh* mesh, float gap, ArmPaint paint )
{
	const float xs[planesX] = { -0.15f, -0.05f, 0.05f, 0.15f, 0.15f + gap, 0.19f + gap, 0.23f + gap };
	for ( int i = 0; i < vertexCount; ++i )
	{
		const int at[3] = { i % planesX, i / planesX % planesY, i / planesX / planesY };
		uint32_t vertex = VertexOf( at );
		mesh->positions[vertex] = supMakeVec3( xs[at[0]], 0.1f * (float)at[1], -0.06f + 0.04f * (float)at[2] );
		Paint( mesh, vertex, at[0], at[1] );
		if ( paint == armPaintAlike )
		{
			PaintWith( mesh, vertex, armHips );
		}
		else if ( paint != armPaintLimbs )
		{
			PaintWith( mesh, vertex, at[0] > gapX ? armUpper : armShoulder );
		}
	}
}

void testRaiseArm( supPose* pose, float degrees )
{
	supTransform local = supPose_GetLocal( pose, armUpper );
	local.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), degrees * ( SUP_PI / 180.0f ) );
	supPose_SetLocal( pose, armUpper, local );
}

static supCharacter* MakeCharacter( const Mesh* m, const supVec3* places, const supMat34* binds, bool hasClip )
{
	static const char* names[] = { "hips", "chest", "shoulder", "upper arm", "forearm", "hand", "body" };
	supNode nodes[armNodeCount] = { 0 };
	int32_t joints[armJointCount];
	for ( int32_t i = 0; i < armNodeCount; ++i )
	{
		bool isJoint = i < armJointCount;
		nodes[i] = ( supNode ){ .name = names[i], .parent = isJoint ? i - 1 : -1, .rest = supTransform_identity };
		nodes[i].rest.translation = isJoint ? ( i > 0 ? supSub( places[i], places[i - 1] ) : places[i] ) : supVec3_zero;
		if ( isJoint )
		{
			joints[i] = i;
		}
	}
	const supSkin skin = { "skin", armJointCount, joints, binds };
	const supMesh mesh = { .name = "arm",
						   .vertexCount = vertexCount,
						   .indexCount = m->indexCount,
						   .indices = m->indices,
						   .positions = m->positions,
						   .influences = 2,
						   .joints = m->joints,
						   .weights = m->weights };
	// opens by 60 degrees and shuts again
	static const float times[] = { 0.0f, 1.0f, 2.0f };
	static const float values[] = { 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.5f, 0.866025404f, 0.0f, 0.0f, 0.0f, 1.0f };
	const supChannel channel = { armUpper, sup_channelRotation, sup_interpolationLinear, 3, 4, times, values };
	const supClip clip = { "open", 0.0f, 2.0f, 1, &channel };
	return testMakeAnimated( nodes, armNodeCount, &skin, &mesh, &clip, hasClip ? 1 : 0 );
}

supCharacter* testMakeHangingArm( float gap, bool isBoundRaised, ArmPaint paint )
{
	Mesh mesh = { 0 };
	FillVertices( &mesh, gap, paint );
	AddFaces( &mesh );
	float x = 0.19f + gap;
	const supVec3 places[armJointCount] = { { 0.0f, 0.3f, 0.0f }, { 0.0f, 0.8f, 0.0f }, { 0.1f, 0.95f, 0.0f },
											{ x, 0.92f, 0.0f },   { x, 0.6f, 0.0f },    { x, 0.35f, 0.0f } };
	supMat34 binds[armJointCount];
	for ( int32_t i = 0; i < armJointCount; ++i )
	{
		binds[i] = supMat34_identity;
		binds[i].t = supNeg( places[i] );
	}
	supCharacter* character = MakeCharacter( &mesh, places, binds, paint == armPaintJawWithClip );
	if ( isBoundRaised )
	{
		// the same skeleton, with the mesh and the bind matrices of the raised arm
		supPose* pose = supCreatePose( character );
		testRaiseArm( pose, 90.0f );
		supSkinInstance( pose, 0, sup_skinningDualQuaternion, NULL, &( supSkinOutput ){ .positions = mesh.positions } );
		for ( int32_t i = 0; i < armJointCount; ++i )
		{
			supInvertMat34( supPose_Worlds( pose )[i], binds + i );
		}
		supDestroyPose( pose );
		supDestroyCharacter( character );
		character = MakeCharacter( &mesh, places, binds, paint == armPaintJawWithClip );
	}
	return character;
}
