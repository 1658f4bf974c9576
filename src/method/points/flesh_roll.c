// SPDX-License-Identifier: MIT
// Skin does not roll about its bone. Flesh around a bone is held near its axis, where little holds a turn about it, and
// a limb or a head that turns would leave its skin behind by an angle that no skin has. So of how far the flesh of each
// bone lags behind skinning, the turn about the axis that fits it best is taken back; what is left is flesh that
// swings, sags and is sheared.
//
//     θ = Σ m ( a × r ) · d / Σ m ( a × r )²        r from the middle of the flesh, d how far it lags, beside its mean
//
// The flesh of a bone counts by its skin weights.
#include "character/pose.h"
#include "math/matrix.h"
#include "method/body_parts.h"
#include "method/points/flesh.h"

#include <math.h>

bool supPointsFlesh_FindAxes( supPointsFlesh* flesh, const supCharacter* character )
{
	supBodySkin skin = { flesh->boneCount, flesh->boneNodes, flesh->boneInverses, flesh->joints, flesh->weights };
	flesh->axes = supFindBoneAxes( &skin, flesh->pointCount, flesh->points, character, &flesh->arena );
	return flesh->axes != NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Taking it back

static supVec3 Load( const void* from )
{
	supVec3 v;
	memcpy( &v, from, sizeof( v ) );
	return v;
}

// What is across the axis of a bone, from its joint.
static supVec3 ArmOf( const supBoneRoll* roll, supVec3 place )
{
	supVec3 arm = supSub( place, roll->joint );
	return supMulAdd( arm, -supDot( arm, roll->axis ), roll->axis );
}

static void StartRolls( const supPointsFlesh* flesh, const supPointsView* view, const supSubstep* step )
{
	const supMat34* worlds = supPose_Worlds( step->pose );
	for ( int32_t i = 0; i < flesh->boneCount; ++i )
	{
		supMat34 world = worlds[flesh->boneNodes[i]], m = supMulMat34( world, flesh->boneInverses[i] );
		supVec3 axis = supMulMV( ( supMat3 ){ m.cx, m.cy, m.cz }, flesh->axes[i] );
		float length = supLength( axis );
		view->rolls[i] =
			( supBoneRoll ){ .joint = world.t, .axis = length > 0.0f ? supScale( 1.0f / length, axis ) : supVec3_zero };
	}
}

static void AddPoint( supBoneRoll* roll, double mass, supVec3 place, supVec3 lag )
{
	supVec3 arm = ArmOf( roll, place );
	roll->mass += mass;
	roll->turn += mass * (double)supDot( supCross( arm, lag ), roll->axis );
	roll->size += mass * (double)supLengthSquared( arm );
	const float values[6] = { arm.x, arm.y, arm.z, lag.x, lag.y, lag.z };
	for ( int32_t k = 0; k < 6; ++k )
	{
		roll->sums[k] += mass * (double)values[k];
	}
}

static void AddPoints( const supPointsFlesh* flesh, const supPointsView* view )
{
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		const float* x = view->state.x + 4 * (int64_t)i;
		supVec3 place = Load( view->skinned + i ), lag = supSub( Load( x ), place );
		for ( int64_t k = SUP_MAX_INFLUENCES * (int64_t)i; k < SUP_MAX_INFLUENCES * (int64_t)( i + 1 ); ++k )
		{
			if ( x[3] > 0.0f && flesh->weights[k] > 0.0f )
			{
				AddPoint( view->rolls + flesh->joints[k], (double)flesh->weights[k] / (double)x[3], place, lag );
			}
		}
	}
}

// About the middle of the flesh, of which the mean lag is left out.
static void FindAngle( supBoneRoll* roll )
{
	if ( roll->mass > 0.0 )
	{
		float share = (float)( 1.0 / roll->mass );
		supVec3 arm = supMakeVec3( (float)roll->sums[0], (float)roll->sums[1], (float)roll->sums[2] );
		supVec3 lag = supMakeVec3( (float)roll->sums[3], (float)roll->sums[4], (float)roll->sums[5] );
		roll->middle = supScale( share, arm );
		double turn = roll->turn - (double)supDot( supCross( roll->middle, lag ), roll->axis );
		double size = roll->size - (double)supDot( roll->middle, arm );
		roll->angle = size > 0.0 ? (float)( turn / size ) : 0.0f;
	}
}

static void TurnBack( const supPointsFlesh* flesh, const supPointsView* view, float dt )
{
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		float *x = view->state.x + 4 * (int64_t)i, *v = view->state.v + 4 * (int64_t)i;
		supVec3 place = Load( view->skinned + i ), move = supVec3_zero;
		for ( int64_t k = SUP_MAX_INFLUENCES * (int64_t)i; k < SUP_MAX_INFLUENCES * (int64_t)( i + 1 ); ++k )
		{
			if ( x[3] > 0.0f && flesh->weights[k] > 0.0f )
			{
				const supBoneRoll* roll = view->rolls + flesh->joints[k];
				supVec3 turned = supCross( roll->axis, supSub( ArmOf( roll, place ), roll->middle ) );
				move = supMulAdd( move, -flesh->weights[k] * roll->angle, turned );
			}
		}
		const float moves[3] = { move.x, move.y, move.z };
		for ( int32_t k = 0; k < 3; ++k )
		{
			x[k] += moves[k];
			v[k] += moves[k] / dt;
		}
	}
}

void supPoints_TakeBackRoll( const supPointsFlesh* flesh, const supPointsView* view, const supSubstep* step )
{
	StartRolls( flesh, view, step );
	AddPoints( flesh, view );
	for ( int32_t i = 0; i < flesh->boneCount; ++i )
	{
		FindAngle( view->rolls + i );
	}
	TurnBack( flesh, view, step->dt );
}
