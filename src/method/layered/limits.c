// SPDX-License-Identifier: MIT
// Limits of joints as rows that push and never pull. R_rel = R_iᵀ R_j = (s, v) as a quaternion, s >= 0:
//
//     turn about a     θ = 2 atan2( v . a, s )                     D = s² + ( v . a )²
//                      dθ/dω_j = ( s² a + s a x v + ( v . a ) v ) / D,   dθ/dω_i = - ( s² a - s a x v + ( v . a ) v ) /
//                      D
//     swing            φ = angle of R_i m and R_j a                φ̇ = n . ( R_j ω_j - R_i ω_i ),  n = R_i m x R_j a /
//     sin φ
//
// Turns about the two axes of a universal joint, which are at right angles, come out of the first exactly, and so does
// the angle of a hinge; of a ball joint it is the twist about the bone, with the swing about all else.
//
// A row is the derivative of the way that is left to the nearer limit, and `error` that way: it is to be, by the end of
// the step, no less than 0, or than what is left of it where the limit was passed already.
#include "method/layered/layered.h"

// Below this the twist of a bone that is turned back on itself is not told any more.
#define LEAST_TWIST 1e-2

// sin φ below this: all directions are alike.
#define LEAST_SWING 1e-3

static double Fold( supQuatd turn, supVec3d axis, double* s, supVec3d* v )
{
	double sign = turn.w < 0.0 ? -1.0 : 1.0;
	*s = sign * turn.w;
	*v = ( supVec3d ){ sign * turn.x, sign * turn.y, sign * turn.z };
	return supDotVec3d( *v, axis );
}

double supFindTurn( supQuatd turn, supVec3d axis )
{
	double s;
	supVec3d v;
	double along = Fold( turn, axis, &s, &v );
	return 2.0 * supAtan2Double( along, s );
}

double supAngleBetween( supVec3d a, supVec3d b )
{
	return supAtan2Double( supLengthVec3d( supCrossVec3d( a, b ) ), supDotVec3d( a, b ) );
}

static bool MakeTurnRow( supVec3d a, supTurnLimits limits, supQuatd turn, supJointRow* row )
{
	double s;
	supVec3d v;
	double along = Fold( turn, a, &s, &v ), d = s * s + along * along, angle = 2.0 * supAtan2Double( along, s );
	bool isUpper = limits.upper - angle < angle - limits.lower;
	double sign = isUpper ? -1.0 : 1.0;
	if ( d < LEAST_TWIST || limits.upper - limits.lower > 2.0 * (double)SUP_PI )
	{
		return false;
	}
	supVec3d straight = supMulAddVec3d( supScaleVec3d( s * s, a ), along, v );
	supVec3d aside = supScaleVec3d( s, supCrossVec3d( a, v ) );
	*row = ( supJointRow ){ .error = isUpper ? limits.upper - angle : angle - limits.lower };
	supStoreVec3d( row->child + 3, supScaleVec3d( sign / d, supAddVec3d( straight, aside ) ) );
	supStoreVec3d( row->parent + 3, supScaleVec3d( -sign / d, supSubVec3d( straight, aside ) ) );
	return true;
}

static bool MakeSwingRow( const supLink* link, supQuatd turn, supJointRow* row )
{
	supMat3d r = supMakeMat3dQuat( turn );
	supVec3d bone = supMulMat3dVec( &r, link->axis ), across = supCrossVec3d( link->middle, bone );
	double sine = supLengthVec3d( across );
	if ( link->swing >= (double)SUP_PI || sine < LEAST_SWING )
	{
		return false;
	}
	*row = ( supJointRow ){ .error = link->swing - supAtan2Double( sine, supDotVec3d( link->middle, bone ) ) };
	supVec3d n = supScaleVec3d( 1.0 / sine, across );
	supStoreVec3d( row->parent + 3, n );
	supStoreVec3d( row->child + 3, supScaleVec3d( -1.0, supMulTransposed3d( &r, n ) ) );
	return true;
}

int32_t supMakeLimitRows( const supLink* link, const supLinkState* parent, const supLinkState* child,
						  supJointRow rows[SUP_MOST_LIMITS] )
{
	supQuatd turn = supMulQuatd( supConjugateQuatd( parent->rotation ), child->rotation );
	int32_t count = 0;
	if ( link->kind == sup_jointBall || link->kind == sup_jointHinge || link->kind == sup_jointUniversal )
	{
		count += MakeTurnRow( link->axis, link->turns[0], turn, rows + count );
	}
	if ( link->kind == sup_jointUniversal )
	{
		count += MakeTurnRow( link->secondAxis, link->turns[1], turn, rows + count );
	}
	if ( link->kind == sup_jointBall )
	{
		count += MakeSwingRow( link, turn, rows + count );
	}
	return count;
}

// A limit that was guessed says how far clips turn a joint. Where the pose that is followed turns it farther (a motion
// from elsewhere, or a turn between the moments that were looked at) it knows less than that; and a joint that follows
// firmly and was thrown past it by a clip that spins would be held away from the clip. A limp joint has no clip.
static bool IsOverruled( const supLayeredRun* run, int32_t i )
{
	const supLink* link = run->flesh->links.links + i;
	const supLinkPlace* targets = run->view.targets;
	double strength = supLayered_Strength( run, link );
	if ( link->isTold || strength <= 0.0 || strength >= 1.0 )
	{
		return link->isTold == false && strength >= 1.0;
	}
	supLinkState parent = { .rotation = targets[link->parent].rotation }, child = { .rotation = targets[i].rotation };
	supJointRow rows[SUP_MOST_LIMITS];
	int32_t count = supMakeLimitRows( link, &parent, &child, rows );
	bool isBeyond = false;
	for ( int32_t k = 0; k < count; ++k )
	{
		isBeyond = isBeyond || rows[k].error < 0.0;
	}
	return isBeyond;
}

void supLayered_FindLimits( supLayeredRun* run )
{
	const supLayeredFlesh* flesh = run->flesh;
	int32_t count = 0;
	for ( int32_t i = 0; i < flesh->links.count && run->parameters[sup_layeredLimits] > 0.0f; ++i )
	{
		const supLink* link = flesh->links.links + i;
		supJointRow rows[SUP_MOST_LIMITS];
		int32_t found = link->parent < 0 || IsOverruled( run, i )
							? 0
							: supMakeLimitRows( link, run->view.links + link->parent, run->view.links + i, rows );
		for ( int32_t k = 0; k < found; ++k )
		{
			run->view.limits[count++] = ( supLimit ){ .link = i, .row = rows[k] };
		}
	}
	run->view.header->limitCount = count;
}
