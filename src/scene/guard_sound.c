// SPDX-License-Identifier: MIT
// Linear blend skinning is no measure where it collapses. The mean of two rotations is no rotation: halfway between
// joints that are turned against each other by an angle a it keeps cos²( a / 2 ) of the volume, and at half a turn the
// skin is wrapped around a point. There, skin is held against dual quaternion skinning and blended toward it:
//
//     volume lost   l = 3 / 2 ( 1 - |Σ w M|² / Σ w |M|² )   of skinning matrices M, |.| Frobenius
//     sound skin    s = ( 1 - c ) linear + c dual,          c from 0 at half of the volume to 1 at a quarter
//
// l is exact where two joints share a vertex and none scales. It depends on weights and matrices alone, which are
// smooth along the skin and over time, and so is s.
//
// Dual quaternions q and -q are the same motion, and their blend takes the shorter way from one joint to the next. At
// half a turn both ways are as long, and rounding, or the vertex at hand, would decide between them. Here each joint is
// on the side of the one above it, so that the whole skin agrees, and near half a turn on the side where the flesh is,
// which knows where it has come from.
#include "character/skinning_kernel.h"
#include "scene/guard_work.h"

#include <math.h>

// 1 - cosine of the angle that joints have to be turned by, if half of the volume is to go anywhere: 65 degrees.
#define LEAST_TURN 0.57f

// Of the volume: what has to be lost before linear blend skinning is trusted less, and when it is not trusted at all.
#define DOUBTED_LOSS 0.5f
#define COLLAPSED_LOSS 0.75f

// Cosine of half the angle between two joints: within 30 degrees of half a turn, flesh decides about the way.
#define HALF_TURN_COSINE 0.2588f

// Vertices that are skinned by dual quaternions at once, where any of them is asked for.
#define BLOCK SUP_GUARD_DUAL_BLOCK

// ---------------------------------------------------------------------------------------------------------------------
// Sides

// Which way around flesh is from one joint to the next: along the rotation from quaternion a to b, or the other way.
// Halfway on the way, skin is at a right angle to where both joints would have it, seen along the axis.
static float FindWay( const supGuardWork* work, const supGuardPair* pair, supQuat a, supQuat b )
{
	const supMat34* palette = supPose_Palette( work->actor->pose, pair->instance );
	const supMat34 *upper = palette + pair->upper, *lower = palette + pair->lower;
	const supMesh* mesh = supInstanceMesh( work->actor->flesh->character, pair->instance );
	int32_t first = work->mesh->vertexStarts[pair->instance];
	supQuat turn = supMulQuat( b, supConjugate( a ) );
	supVec3 axis = { turn.x, turn.y, turn.z };
	float sum = 0.0f;
	for ( int32_t k = pair->begin; k < pair->end; ++k )
	{
		int32_t vertex = work->mesh->pairVertices[k];
		supVec3 p = mesh->positions[vertex - first];
		supVec3 across = supSub( supTransformPoint( *upper, p ), supTransformPoint( *lower, p ) );
		sum += supDot( supSub( work->made[vertex], work->linear[vertex] ), supCross( axis, across ) );
	}
	return sum;
}

// The joints of an instance, each on the side of the one above.
static supDualJoint* ChooseSides( const supGuardWork* work, int32_t instance )
{
	const supGuardMesh* mesh = work->mesh;
	int32_t start = mesh->jointStarts[instance];
	supDualJoint* joints = work->joints + start;
	int32_t count = mesh->jointStarts[instance + 1] - start;
	if ( work->jointsThere[instance] || count == 0 )
	{
		return joints;
	}
	work->jointsThere[instance] = 1;
	bool hasStretch;
	memcpy( joints, supPose_DualPalette( work->actor->pose, instance, &hasStretch ),
			(size_t)count * sizeof( supDualJoint ) );
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t joint = mesh->jointOrder[start + i], above = mesh->jointAbove[start + joint];
		int32_t pair = mesh->jointPairs[start + joint];
		// trunks of their own are on the side of the first
		supQuat a = joints[above >= 0 ? above : mesh->jointOrder[start]].motion.real, b = joints[joint].motion.real;
		float side = supDotQuat( a, b );
		if ( fabsf( side ) < HALF_TURN_COSINE && pair >= 0 )
		{
			float way = FindWay( work, mesh->pairs + pair, a, b );
			side = way != 0.0f ? way : side;
		}
		if ( side < 0.0f )
		{
			supDualQuat* motion = &joints[joint].motion;
			motion->real = ( supQuat ){ -b.x, -b.y, -b.z, -b.w };
			supQuat d = motion->dual;
			motion->dual = ( supQuat ){ -d.x, -d.y, -d.z, -d.w };
		}
	}
	return joints;
}

static void FillBlock( const supGuardWork* work, int32_t instance, int32_t begin, int32_t end,
					   const supSkinOutput* output )
{
	const supGuardMesh* mesh = work->mesh;
	if ( mesh->jointStarts[instance + 1] > mesh->jointStarts[instance] )
	{
		supSkinVerticesBySides( work->actor->pose, instance, ChooseSides( work, instance ), begin, end, output );
	}
	else
	{
		supSkinVertices( work->actor->pose, instance, sup_skinningDualQuaternion, begin, end, output );
	}
}

static void FillPositions( const supGuardWork* work, int32_t instance, int32_t begin, int32_t end )
{
	int32_t first = work->mesh->vertexStarts[instance] + begin;
	supVec3* dual = work->dual + first;
	FillBlock( work, instance, begin, end, &( supSkinOutput ){ .positions = dual } );
	// joints that are turned by a whole turn against each other, and those that are nowhere, have nothing between
	const supVec3* linear = work->linear + first;
	for ( int32_t k = 0; k < end - begin; ++k )
	{
		dual[k] = supIsFiniteVec3( dual[k] ) ? dual[k] : linear[k];
	}
}

supVec3 supGuard_Dual( const supGuardWork* work, int32_t vertex )
{
	int32_t instance = supGuard_Instance( work, vertex ), first = work->mesh->vertexStarts[instance];
	int32_t block = ( vertex - first ) / BLOCK, begin = block * BLOCK;
	uint8_t* isThere = work->dualBlocks + first / BLOCK + instance + block;
	if ( *isThere == 0 )
	{
		int32_t count = work->mesh->vertexStarts[instance + 1] - first;
		FillPositions( work, instance, begin, begin + BLOCK < count ? begin + BLOCK : count );
		*isThere = 1;
	}
	return work->dual[vertex];
}

// ---------------------------------------------------------------------------------------------------------------------
// Where

static float Product( const supMat34* a, const supMat34* b )
{
	return supDot( a->cx, b->cx ) + supDot( a->cy, b->cy ) + supDot( a->cz, b->cz );
}

// 1 - cosine of the angle between two joints.
static float FindTurn( const supMat34* a, const supMat34* b )
{
	float square = Product( a, a ) * Product( b, b );
	return square > 0.0f ? 1.5f * ( 1.0f - Product( a, b ) / sqrtf( square ) ) : 0.0f;
}

// How much of its volume the skin around a vertex loses.
static float FindLoss( const supMat34* palette, const supMesh* mesh, int32_t vertex )
{
	size_t width = (size_t)mesh->influences;
	const uint16_t* joints = mesh->joints + width * (size_t)vertex;
	const float* weights = mesh->weights + width * (size_t)vertex;
	supMat34 mean = { 0 };
	float square = 0.0f;
	for ( size_t k = 0; k < width && weights[k] > 0.0f; ++k )
	{
		const supMat34* m = palette + joints[k];
		mean.cx = supMulAdd( mean.cx, weights[k], m->cx );
		mean.cy = supMulAdd( mean.cy, weights[k], m->cy );
		mean.cz = supMulAdd( mean.cz, weights[k], m->cz );
		square += weights[k] * Product( m, m );
	}
	return square > 0.0f ? 1.5f * ( 1.0f - Product( &mean, &mean ) / square ) : 0.0f;
}

// True where it does so.
static bool FindCollapses( const supGuardWork* work, const supGuardPair* pair )
{
	const supMat34* palette = supPose_Palette( work->actor->pose, pair->instance );
	const supMesh* mesh = supInstanceMesh( work->actor->flesh->character, pair->instance );
	int32_t first = work->mesh->vertexStarts[pair->instance];
	bool isCollapsed = false;
	for ( int32_t k = pair->begin; k < pair->end; ++k )
	{
		int32_t vertex = work->mesh->pairVertices[k];
		float share = ( FindLoss( palette, mesh, vertex - first ) - DOUBTED_LOSS ) / ( COLLAPSED_LOSS - DOUBTED_LOSS );
		if ( share > 0.0f )
		{
			share = supMinFloat( share, 1.0f );
			// another pair may have been here, and says the same
			work->collapses[vertex] = share * share * ( 3.0f - 2.0f * share );
			isCollapsed = true;
		}
	}
	return isCollapsed;
}

static bool IsTurned( const supGuardWork* work, const supGuardPair* pair )
{
	const supMat34* palette = supPose_Palette( work->actor->pose, pair->instance );
	// written so that what is not a number is not
	return FindTurn( palette + pair->upper, palette + pair->lower ) > LEAST_TURN;
}

static void BlendDual( const supGuardWork* work )
{
	for ( int32_t i = 0; i < work->mesh->vertexCount; ++i )
	{
		float share = work->collapses[i];
		work->skin[i] = share > 0.0f ? supLerp( work->linear[i], supGuard_Dual( work, i ), share ) : work->linear[i];
	}
}

// Inside of a bend dual quaternions may squeeze skin more than linear blend skinning, which is left there then. True
// where that is anywhere.
static bool GiveWay( const supGuardWork* work )
{
	bool isAny = false;
	for ( int32_t i = 0; i < work->mesh->vertexCount; ++i )
	{
		if ( work->collapses[i] > 0.0f )
		{
			float gain = supGuard_FindGain( work, work->linear, work->skin, work->mesh->places[i] );
			work->collapses[i] *= gain;
			isAny = isAny || gain < 1.0f;
		}
	}
	return isAny;
}

void supGuard_FindSoundSkin( supGuardWork* work, bool hasBase )
{
	const supGuardMesh* mesh = work->mesh;
	bool isCleared = false;
	for ( int32_t i = 0; i < mesh->pairCount; ++i )
	{
		if ( IsTurned( work, mesh->pairs + i ) )
		{
			if ( isCleared == false )
			{
				memset( work->collapses, 0, (size_t)mesh->vertexCount * sizeof( float ) );
				isCleared = true;
			}
			work->isCollapsed = FindCollapses( work, mesh->pairs + i ) || work->isCollapsed;
		}
	}
	// before threads ask for them
	for ( int32_t i = 0; i < work->actor->surfaceCount && work->isCollapsed; ++i )
	{
		ChooseSides( work, i );
	}
	if ( hasBase == false && work->isCollapsed )
	{
		memcpy( work->linear, work->skin, (size_t)mesh->vertexCount * sizeof( supVec3 ) );
		BlendDual( work );
		for ( int32_t pass = 0; pass < SUP_GUARD_GAIN_PASSES && GiveWay( work ); ++pass )
		{
			BlendDual( work );
		}
	}
	work->linear = hasBase || work->isCollapsed ? work->linear : work->skin;
}

void supGuard_SkinNormals( const supGuardWork* work, int32_t instance, int32_t begin, int32_t end, supVec3* normals )
{
	supSkinVertices( work->actor->pose, instance, sup_skinningLinear, begin, end,
					 &( supSkinOutput ){ .normals = normals } );
	const float* collapses = work->collapses + work->mesh->vertexStarts[instance] + begin;
	bool isCollapsed = false;
	for ( int32_t k = 0; k < end - begin && work->isCollapsed; ++k )
	{
		isCollapsed = isCollapsed || collapses[k] > 0.0f;
	}
	if ( isCollapsed )
	{
		supVec3 dual[BLOCK];
		SUP_ASSERT( end - begin <= BLOCK );
		FillBlock( work, instance, begin, end, &( supSkinOutput ){ .normals = dual } );
		for ( int32_t k = 0; k < end - begin; ++k )
		{
			bool isKnown = collapses[k] > 0.0f && supIsFiniteVec3( dual[k] );
			normals[k] = isKnown ? supNormalize( supLerp( normals[k], dual[k], collapses[k] ) ) : normals[k];
		}
	}
}
