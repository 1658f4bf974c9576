// SPDX-License-Identifier: MIT
#include "contact/rigid.h"

// Turned about the origin of the world by a small vector; exact enough for a substep, and always of unit length.
static supQuat TurnBy( supQuat q, supVec3 turn )
{
	supQuat spin = { 0.5f * turn.x, 0.5f * turn.y, 0.5f * turn.z, 0.0f };
	supQuat change = supMulQuat( spin, q );
	return supNormalizeQuat( ( supQuat ){ q.x + change.x, q.y + change.y, q.z + change.z, q.w + change.w } );
}

// R m Rᵀ
static supMat3 ToWorld( supQuat rotation, supMat3 m )
{
	supMat3 r = supMakeMat3Quat( rotation );
	return supMulMM( supMulMM( r, m ), supTranspose( r ) );
}

supVec3 supRigid_Center( const supRigid* rigid )
{
	return supPlacement_ToWorld( &rigid->end, rigid->center );
}

// The centre of mass goes to `center`; the origin follows.
static void PlaceCenter( supRigid* rigid, supVec3 center )
{
	rigid->end.position = supSub( center, supRotate( rigid->end.rotation, rigid->center ) );
}

void supRigid_Predict( supRigid* rigid, supVec3 kick, float dt )
{
	rigid->end = rigid->start;
	supVec3 center = supRigid_Center( rigid );
	supVec3 momentum = supMulMV( ToWorld( rigid->start.rotation, rigid->inertia ), rigid->spin );
	rigid->velocity = supAdd( rigid->velocity, kick );
	// in two halves, so that a fast spin does not lose its way
	supQuat half = TurnBy( rigid->start.rotation, supScale( 0.5f * dt, rigid->spin ) );
	supVec3 spin = supMulMV( ToWorld( half, rigid->inverseInertia ), momentum );
	rigid->end.rotation = supMulQuat( supMakeQuatAxisAngle( spin, dt * supLength( spin ) ), rigid->start.rotation );
	rigid->end.rotation = supNormalizeQuat( rigid->end.rotation );
	rigid->wasPushed = false;
	rigid->worldInverseInertia = ToWorld( rigid->end.rotation, rigid->inverseInertia );
	rigid->spin = supMulMV( rigid->worldInverseInertia, momentum );
	PlaceCenter( rigid, supMulAdd( center, dt, rigid->velocity ) );
}

void supRigid_Follow( supRigid* rigid, float dt )
{
	supVec3 before = supPlacement_ToWorld( &rigid->start, rigid->center );
	supVec3 after = supPlacement_ToWorld( &rigid->end, rigid->center );
	rigid->velocity = supScale( 1.0f / dt, supSub( after, before ) );
	supQuat turn = supMulQuat( rigid->end.rotation, supConjugate( rigid->start.rotation ) );
	float sign = turn.w < 0.0f ? -1.0f : 1.0f;
	supVec3 axis = supMakeVec3( sign * turn.x, sign * turn.y, sign * turn.z );
	float sine = supLength( axis );
	float angle = 2.0f * supAtan2( sine, sign * turn.w );
	rigid->spin = sine > 0.0f ? supScale( angle / ( sine * dt ), axis ) : supVec3_zero;
}

supVec3 supRigid_Lever( const supRigid* rigid, supVec3 start, supVec3 end )
{
	supVec3 before = supSub( start, supPlacement_ToWorld( &rigid->start, rigid->center ) );
	supVec3 now = supSub( end, supRigid_Center( rigid ) );
	return supLengthSquared( supSub( before, now ) ) < 0.25f * supLengthSquared( now ) ? before : now;
}

float supRigid_Compliance( const supRigid* rigid, supVec3 lever, supVec3 direction )
{
	if ( rigid->inverseMass == 0.0f )
	{
		return 0.0f;
	}
	supVec3 arm = supCross( lever, direction );
	return rigid->inverseMass + supDot( arm, supMulMV( rigid->worldInverseInertia, arm ) );
}

void supRigid_Kick( supRigid* rigid, supVec3 place, supVec3 impulse )
{
	if ( rigid->inverseMass > 0.0f )
	{
		supVec3 arm = supSub( place, supRigid_Center( rigid ) );
		rigid->velocity = supMulAdd( rigid->velocity, rigid->inverseMass, impulse );
		rigid->spin = supAdd( rigid->spin, supMulMV( rigid->worldInverseInertia, supCross( arm, impulse ) ) );
	}
}

void supRigid_Push( supRigid* rigid, supVec3 lever, supVec3 push, float dt )
{
	if ( rigid->inverseMass > 0.0f )
	{
		supVec3 center = supRigid_Center( rigid );
		supVec3 turn = supMulMV( rigid->worldInverseInertia, supCross( lever, push ) );
		rigid->velocity = supMulAdd( rigid->velocity, rigid->inverseMass / dt, push );
		rigid->spin = supMulAdd( rigid->spin, 1.0f / dt, turn );
		rigid->end.rotation = TurnBy( rigid->end.rotation, turn );
		rigid->wasPushed = true;
		PlaceCenter( rigid, supMulAdd( center, rigid->inverseMass, push ) );
	}
}

void supRigid_Finish( supRigid* rigid )
{
	supMat3 inertia;
	if ( rigid->inverseMass > 0.0f && rigid->wasPushed && supInvertMat3( rigid->worldInverseInertia, &inertia ) )
	{
		supVec3 momentum = supMulMV( inertia, rigid->spin );
		rigid->spin = supMulMV( ToWorld( rigid->end.rotation, rigid->inverseInertia ), momentum );
	}
}

supVec3 supRigid_VelocityAt( const supRigid* rigid, supVec3 place )
{
	return supAdd( rigid->velocity, supCross( rigid->spin, supSub( place, supRigid_Center( rigid ) ) ) );
}
