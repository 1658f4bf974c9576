// SPDX-License-Identifier: MIT
// Bodies whose nodes touch each other, and rigid bodies that are touched, as one system: conjugate gradients, with each
// one's own matrix as preconditioner. See response.c.
#include "method/layered/group.h"

#define MOST_GRADIENTS 80

// Of the energy of the answer: how much of it conjugate gradients leave.
#define GRADIENTS_LEFT 1e-18

void supLayered_SolveOwn( const supLayeredRun* run, const double* from, double* to )
{
	memcpy( to, from, (size_t)run->flesh->bones.unknownCount * sizeof( double ) );
	supFactor_Solve( &run->factor, to, 1, run->view.scratch, NULL );
}

// The same for a node and a rigid body.
static void AddRigidCross( const supLayeredRun* run, const supNodeTouch* touch, const supTouchWork* work,
						   supContactRigid* rigid, bool isWay )
{
	const double* there = isWay ? rigid->way : rigid->speeds;
	const double* here = isWay ? run->view.boneWay : run->view.boneSpeeds;
	double sign = isWay ? -1.0 : 1.0;
	supVec3d toHere = supMulMat3dVec( &work->firm, supContactRigid_SpeedAt( there, touch->lever ) );
	supVec3d toThere = supMulMat3dVec( &work->firm, supLayered_Anticipate( run, work, here ) );
	supLayered_AddPush( run, work, supScaleVec3d( sign, toHere ), isWay ? run->view.boneProduct : run->view.boneRest );
	supContactRigid_AddPush( isWay ? rigid->product : rigid->rest, touch->lever, supScaleVec3d( sign, toThere ) );
}

// What nodes that touch each other do beyond each body's own part: to += sign J_condᵀ Dᵀ M_λ^-1 D J'_cond from', both
// ways. `isWay` takes boneWay to boneProduct, else boneSpeeds to boneRest.
static void AddCross( const Group* group, bool isWay )
{
	for ( int32_t p = 0; p < group->count; ++p )
	{
		const supLayeredRun* run = RunAt( group, p );
		for ( int32_t i = 0; i < TouchCount( run ); ++i )
		{
			const supNodeTouch* touch = run->view.touches + i;
			if ( IsPushing( touch ) && RigidOf( group, touch ) != NULL )
			{
				AddRigidCross( run, touch, run->view.work + i, RigidOf( group, touch ), isWay );
			}
			if ( IsPushing( touch ) == false || touch->isPair == false )
			{
				continue;
			}
			supTouchWork *otherWork, *work = run->view.work + i;
			const supLayeredRun* other = OtherRun( group, touch, &otherWork );
			const double* here = isWay ? run->view.boneWay : run->view.boneSpeeds;
			const double* there = isWay ? other->view.boneWay : other->view.boneSpeeds;
			supVec3d toHere = supMulMat3dVec( &work->firm, supLayered_Anticipate( other, otherWork, there ) );
			supVec3d toThere = supMulMat3dVec( &work->firm, supLayered_Anticipate( run, work, here ) );
			double sign = isWay ? -1.0 : 1.0;
			supLayered_AddPush( run, work, supScaleVec3d( sign, toHere ),
								isWay ? run->view.boneProduct : run->view.boneRest );
			supLayered_AddPush( other, otherWork, supScaleVec3d( sign, toThere ),
								isWay ? other->view.boneProduct : other->view.boneRest );
		}
	}
}

// The next way, conjugate to those before. Returns residual . preconditioned residual.
static double TurnWay( const Group* group, double before )
{
	double now = 0.0;
	for ( int32_t p = 0; p < group->count; ++p )
	{
		const supLayeredRun* run = RunAt( group, p );
		supLayered_SolveOwn( run, run->view.boneRest, run->view.boneFresh );
		now += supLayered_DotSpeeds( run->flesh, run->view.boneRest, run->view.boneFresh );
	}
	for ( int32_t i = 0; i < group->rigidCount; ++i )
	{
		supContactRigid* rigid = group->rigids + i;
		supContactRigid_Solve( rigid, rigid->rest, rigid->fresh );
		now += supContactRigid_Dot( rigid->rest, rigid->fresh );
	}
	double keep = before > 0.0 ? now / before : 0.0;
	for ( int32_t i = 0; i < 6 * group->rigidCount; ++i )
	{
		supContactRigid* rigid = group->rigids + i / 6;
		rigid->way[i % 6] = rigid->fresh[i % 6] + keep * rigid->way[i % 6];
	}
	for ( int32_t p = 0; p < group->count; ++p )
	{
		const supLayeredView* view = &RunAt( group, p )->view;
		for ( int32_t i = 0; i < RunAt( group, p )->flesh->bones.unknownCount; ++i )
		{
			view->boneWay[i] = view->boneFresh[i] + keep * view->boneWay[i];
		}
	}
	return now;
}

// The product of the way with the whole matrix. Returns way . product.
static double MultiplyWay( const Group* group )
{
	double slope = 0.0;
	for ( int32_t p = 0; p < group->count; ++p )
	{
		const supLayeredRun* run = RunAt( group, p );
		supBlockMatrix matrix = run->flesh->bones;
		matrix.values = run->view.contactValues;
		supBlockMatrix_Multiply( &matrix, run->view.boneWay, run->view.boneProduct, 1, NULL );
	}
	for ( int32_t i = 0; i < group->rigidCount; ++i )
	{
		supContactRigid_Multiply( group->rigids + i, group->rigids[i].way, group->rigids[i].product );
	}
	AddCross( group, true );
	for ( int32_t i = 0; i < group->rigidCount; ++i )
	{
		slope += supContactRigid_Dot( group->rigids[i].way, group->rigids[i].product );
	}
	for ( int32_t p = 0; p < group->count; ++p )
	{
		const supLayeredRun* run = RunAt( group, p );
		slope += supLayered_DotSpeeds( run->flesh, run->view.boneWay, run->view.boneProduct );
	}
	return slope;
}

static void GoAlong( const Group* group, double along )
{
	for ( int32_t p = 0; p < group->count; ++p )
	{
		const supLayeredView* view = &RunAt( group, p )->view;
		for ( int32_t i = 0; i < RunAt( group, p )->flesh->bones.unknownCount; ++i )
		{
			view->boneSpeeds[i] += along * view->boneWay[i];
			view->boneRest[i] -= along * view->boneProduct[i];
		}
	}
	for ( int32_t i = 0; i < 6 * group->rigidCount; ++i )
	{
		supContactRigid* rigid = group->rigids + i / 6;
		rigid->speeds[i % 6] += along * rigid->way[i % 6];
		rigid->rest[i % 6] -= along * rigid->product[i % 6];
	}
}

void supLayered_SolveTogether( const Group* group )
{
	double energy = 0.0, before = 0.0;
	for ( int32_t p = 0; p < group->count; ++p )
	{
		const supLayeredRun* run = RunAt( group, p );
		size_t bytes = (size_t)run->flesh->bones.unknownCount * sizeof( double );
		memset( run->view.boneRest, 0, bytes );
		memset( run->view.boneWay, 0, bytes );
		energy += supLayered_DotSpeeds( run->flesh, run->view.boneForces, run->view.boneSpeeds );
	}
	for ( int32_t i = 0; i < group->rigidCount; ++i )
	{
		supContactRigid* rigid = group->rigids + i;
		memset( rigid->rest, 0, sizeof( rigid->rest ) );
		memset( rigid->way, 0, sizeof( rigid->way ) );
		energy += supContactRigid_Dot( rigid->forces, rigid->speeds );
	}
	AddCross( group, false );
	for ( int32_t round = 0; round < MOST_GRADIENTS; ++round )
	{
		double now = TurnWay( group, before );
		if ( !( now > GRADIENTS_LEFT * energy ) )
		{
			return;
		}
		double slope = MultiplyWay( group );
		if ( !( slope > 0.0 ) )
		{
			return;
		}
		GoAlong( group, now / slope );
		before = now;
	}
	RunAt( group, 0 )->trouble->notConverged += 1;
}
