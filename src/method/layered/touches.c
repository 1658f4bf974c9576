// SPDX-License-Identifier: MIT
// Touches as rows of the condensed system (Eq. 12). Of a node a with mobility W = R_W W_a R_Wᵀ, with the two blocks of
// contact_compliance.c that stand for M̃_s^-1, W_a of the node itself and C_a with skin around it:
//
//     J_cond = J_b - C M_bsᵀ / m_a,   C = m_a R_W C_a
//
// and of two nodes that touch each other J_cond δv - J'_cond δv', W + W'.
#include "method/layered/layered.h"

// M_λ is not let below this part of the node's own mobility: it vanishes where the links of a node are opposite.
#define LEAST_MOBILITY 1e-6

static void FillJacobian( const supPointLink* link, const supMat3d* carried, supTouchJacobian* out )
{
	out->link = link->link;
	for ( int n = 0; n < 6; ++n )
	{
		supVec3d lag = { link->lags[0][n], link->lags[1][n], link->lags[2][n] };
		supVec3d taken = supMulMat3dVec( carried, lag );
		out->rows[0][n] = link->moves[0][n] - taken.x;
		out->rows[1][n] = link->moves[1][n] - taken.y;
		out->rows[2][n] = link->moves[2][n] - taken.z;
	}
}

bool supLayered_PrepareTouch( const supLayeredRun* run, const supNodeTouch* touch, supTouchWork* work,
							  int32_t* jacobianCount )
{
	int32_t a = touch->node;
	supPointLink links[SUP_MAX_INFLUENCES];
	*work = ( supTouchWork ){ .first = *jacobianCount };
	int32_t count = supLayered_FindPointLinks( run, a, links, &work->blend );
	if ( *jacobianCount + count > SUP_MAX_TOUCHED_LINKS )
	{
		return false;
	}
	work->count = count;
	*jacobianCount += count;
	const supMat3d* compliance = run->view.compliances + a;
	supMat3d moved = supMulMat3d( &work->blend, compliance ), turned = supTransposeMat3d( &work->blend );
	supMat3d zero = supDiagonal3d( 0.0 ), carried = supMulAddMat3d( &zero, run->flesh->skin.masses[a], &moved );
	supMat3d give = supLayered_Give( run, a ), given = supMulMat3d( &work->blend, &give );
	work->mobility = supMulMat3d( &given, &turned );
	double own = ( give.m[0][0] + give.m[1][1] + give.m[2][2] ) / 3.0;
	for ( int k = 0; k < 3; ++k )
	{
		work->mobility.m[k][k] += LEAST_MOBILITY * own;
	}
	for ( int32_t k = 0; k < count; ++k )
	{
		FillJacobian( links + k, &carried, run->view.jacobians + work->first + k );
	}
	work->velocity = supLayered_NodeVelocity( run, a );
	return true;
}

void supLayered_PrepareRows( const supNodeTouch* touch, supTouchWork* work, const supTouchWork* otherWork )
{
	work->reach = work->mobility;
	work->slip = supSubVec3d( work->velocity, touch->velocity );
	if ( otherWork != NULL )
	{
		work->reach = supMulAddMat3d( &work->reach, 1.0, &otherWork->mobility );
		work->slip = supSubVec3d( work->slip, otherWork->velocity );
	}
	for ( int k = 0; k < 3; ++k )
	{
		work->reach.m[k][k] += touch->give;
	}
	supVec3d n = touch->isHeld ? ( supVec3d ){ 1.0, 0.0, 0.0 } : touch->normal;
	work->directions[0] = n;
	work->directions[1] = supMakeAcross( ( supVec3d ){ 0.0, 0.0, 0.0 }, n );
	work->directions[2] = supCrossVec3d( n, work->directions[1] );
}

supVec3d supLayered_GivenImpulse( const supNodeTouch* touch )
{
	supVec3d none = { 0.0, 0.0, 0.0 };
	if ( touch->isGiven )
	{
		return touch->impulse;
	}
	if ( touch->state != sup_touchSlide || touch->isHeld )
	{
		return none;
	}
	return supMulAddVec3d( touch->impulse, -supDotVec3d( touch->impulse, touch->normal ), touch->normal );
}

// One row where it slides or has no friction, three where it is held or sticks, none where its impulse is given.
static void ChooseRows( const supNodeTouch* touch, supTouchWork* work )
{
	bool sticks = touch->isHeld || ( touch->state == sup_touchStick && touch->friction > 0.0 );
	work->rows = touch->isGiven ? 0 : ( sticks ? 3 : 1 );
	supMat3d block = supDiagonal3d( 1.0 ), out = supDiagonal3d( 0.0 );
	for ( int32_t c = 0; c < work->rows; ++c )
	{
		supVec3d moved = supMulMat3dVec( &work->reach, work->directions[c] );
		for ( int32_t r = 0; r < work->rows; ++r )
		{
			block.m[c][r] = supDotVec3d( work->directions[r], moved );
		}
	}
	supInvertMat3d( &block, &out );
	work->firm = supDiagonal3d( 0.0 );
	for ( int32_t c = 0; c < work->rows; ++c )
	{
		supVec3d push = { 0.0, 0.0, 0.0 };
		for ( int32_t r = 0; r < work->rows; ++r )
		{
			push = supMulAddVec3d( push, out.m[c][r], work->directions[r] );
		}
		// push times the transpose of the direction
		const double along[3] = { work->directions[c].x, work->directions[c].y, work->directions[c].z };
		for ( int k = 0; k < 3; ++k )
		{
			supVec3d column = supMulAddVec3d( supLoadVec3d( work->firm.m[k] ), along[k], push );
			supStoreVec3d( work->firm.m[k], column );
		}
	}
}

void supLayered_ChooseRows( const supNodeTouch* touch, supTouchWork* work )
{
	if ( work->chosen != 1 + touch->state )
	{
		ChooseRows( touch, work );
		work->chosen = 1 + touch->state;
	}
	supVec3d pushed = supAddVec3d( work->slip, supMulMat3dVec( &work->reach, supLayered_GivenImpulse( touch ) ) );
	for ( int32_t r = 0; r < work->rows; ++r )
	{
		work->target[r] = supDotVec3d( work->directions[r], pushed );
	}
}

supVec3d supLayered_Anticipate( const supLayeredRun* run, const supTouchWork* work, const double* v )
{
	double sum[3] = { 0.0, 0.0, 0.0 };
	for ( int32_t k = work->first; k < work->first + work->count; ++k )
	{
		const supTouchJacobian* jacobian = run->view.jacobians + k;
		const double* dv = v + run->flesh->bones.offsets[jacobian->link];
		for ( int r = 0; r < 3; ++r )
		{
			for ( int n = 0; n < 6; ++n )
			{
				sum[r] += jacobian->rows[r][n] * dv[n];
			}
		}
	}
	return supLoadVec3d( sum );
}

void supLayered_AddPush( const supLayeredRun* run, const supTouchWork* work, supVec3d push, double* f )
{
	const double p[3] = { push.x, push.y, push.z };
	for ( int32_t k = work->first; k < work->first + work->count; ++k )
	{
		const supTouchJacobian* jacobian = run->view.jacobians + k;
		double* at = f + run->flesh->bones.offsets[jacobian->link];
		for ( int n = 0; n < 6; ++n )
		{
			at[n] += jacobian->rows[0][n] * p[0] + jacobian->rows[1][n] * p[1] + jacobian->rows[2][n] * p[2];
		}
	}
}
