// SPDX-License-Identifier: MIT
// What kind of joint each is, from how the clips turn it.
#include "method/layered/links.h"

#define SAMPLES_PER_CLIP 48

// Radians. Below the first nothing counts as turning; above the second a turn about a further axis is meant.
#define STILL 0.0087
#define SLIGHT 0.03

// Turns of a link against its parent: sum of v vᵀ, and the longest.
typedef struct Turns
{
	supMat3d scatter;
	double longest;
	int32_t count;
} Turns;

typedef struct Watch
{
	supLinks* links;
	supPose* pose;
	supMat34* inverses;
	supLinkPlace* places;
	Turns* turns;
	// how far each link's joint is from being a hinge, or a universal joint one way or the other
	double ( *errors )[3];
} Watch;

static supQuatd TurnOf( const Watch* watch, int32_t link )
{
	const supLinkPlace* parent = watch->places + watch->links->links[link].parent;
	return supMulQuatd( supConjugateQuatd( parent->rotation ), watch->places[link].rotation );
}

static void AddTurn( Turns* turns, supVec3d v )
{
	const double a[3] = { v.x, v.y, v.z };
	for ( int c = 0; c < 3; ++c )
	{
		for ( int r = 0; r < 3; ++r )
		{
			turns->scatter.m[c][r] += a[c] * a[r];
		}
	}
	double length = supLengthVec3d( v );
	turns->longest = length > turns->longest ? length : turns->longest;
	turns->count += 1;
}

// Angles that a joint with these axes could not make: first axis in the parent, second in the link.
static double HingeError( supVec3d axis, supQuatd turn )
{
	supMat3d r = supMakeMat3dQuat( turn );
	return supLengthVec3d( supCrossVec3d( axis, supMulMat3dVec( &r, axis ) ) );
}

static double UniversalError( supVec3d first, supVec3d second, supQuatd turn )
{
	supMat3d r = supMakeMat3dQuat( turn );
	return fabs( supDotVec3d( first, supMulMat3dVec( &r, second ) ) );
}

static void Measure( Watch* watch, int32_t i )
{
	const supLink* link = watch->links->links + i;
	supQuatd turn = TurnOf( watch, i );
	const double errors[3] = { HingeError( link->axis, turn ), UniversalError( link->axis, link->secondAxis, turn ),
							   UniversalError( link->secondAxis, link->axis, turn ) };
	for ( int k = 0; k < 3; ++k )
	{
		watch->errors[i][k] = errors[k] > watch->errors[i][k] ? errors[k] : watch->errors[i][k];
	}
}

// Once to find the axes, once more to see how well they do.
static void WatchClips( Watch* watch, const supCharacter* character, bool measure )
{
	for ( int32_t c = 0; c < supCharacter_ClipCount( character ); ++c )
	{
		const supClip* clip = supCharacter_Clip( character, c );
		for ( int32_t s = 0; s < SAMPLES_PER_CLIP; ++s )
		{
			float part = (float)s / ( SAMPLES_PER_CLIP - 1 );
			supPose_SetRest( watch->pose );
			supPose_ApplyClip( watch->pose, clip, clip->start + part * ( clip->end - clip->start ) );
			const supMat34* worlds = supPose_Worlds( watch->pose );
			for ( int32_t i = 0; i < watch->links->count; ++i )
			{
				const supLink* link = watch->links->links + i;
				watch->places[i] = supPlaceLink( link, worlds[link->node], watch->inverses[i] );
				if ( link->parent >= 0 && measure )
				{
					Measure( watch, i );
				}
				else if ( link->parent >= 0 )
				{
					AddTurn( watch->turns + i, supLogQuatd( TurnOf( watch, i ) ) );
				}
			}
		}
	}
}

// Main axis of the scatter, and the one at right angles that has most of the rest: powers of a symmetric matrix.
static supVec3d MainAxis( supMat3d scatter )
{
	double largest = scatter.m[0][0] + scatter.m[1][1] + scatter.m[2][2];
	if ( !( largest > 0.0 ) )
	{
		return ( supVec3d ){ 1.0, 0.0, 0.0 };
	}
	for ( int i = 0; i < 24; ++i )
	{
		supMat3d scaled = supDiagonal3d( 0.0 );
		double trace = scatter.m[0][0] + scatter.m[1][1] + scatter.m[2][2];
		scaled = supMulAddMat3d( &scaled, 1.0 / trace, &scatter );
		scatter = supMulMat3d( &scaled, &scaled );
	}
	supVec3d axis = { 0.0, 0.0, 0.0 };
	for ( int c = 0; c < 3; ++c )
	{
		supVec3d column = supLoadVec3d( scatter.m[c] );
		axis = supDotVec3d( column, column ) > supDotVec3d( axis, axis ) ? column : axis;
	}
	return supScaleVec3d( 1.0 / supLengthVec3d( axis ), axis );
}

static void FindAxes( supLink* link, const Turns* turns )
{
	link->axis = MainAxis( turns->scatter );
	// the scatter without its part along the main axis
	supMat3d p = supDiagonal3d( 1.0 );
	const double a[3] = { link->axis.x, link->axis.y, link->axis.z };
	for ( int c = 0; c < 3; ++c )
	{
		for ( int r = 0; r < 3; ++r )
		{
			p.m[c][r] -= a[c] * a[r];
		}
	}
	supMat3d half = supMulMat3d( &p, &turns->scatter );
	supVec3d second = MainAxis( supMulMat3d( &half, &p ) );
	second = supMulAddVec3d( second, -supDotVec3d( second, link->axis ), link->axis );
	if ( supLengthVec3d( second ) < 0.5 )
	{
		supVec3d other = fabs( link->axis.x ) < 0.7 ? ( supVec3d ){ 1.0, 0.0, 0.0 } : ( supVec3d ){ 0.0, 1.0, 0.0 };
		second = supCrossVec3d( link->axis, other );
	}
	link->secondAxis = supScaleVec3d( 1.0 / supLengthVec3d( second ), second );
}

static void Decide( supLink* link, const Turns* turns, const double errors[3] )
{
	link->kind = sup_jointBall;
	if ( turns->count == 0 )
	{
		return;
	}
	if ( turns->longest < STILL )
	{
		link->kind = sup_jointFixed;
	}
	else if ( errors[0] < SLIGHT )
	{
		link->kind = sup_jointHinge;
	}
	else if ( errors[1] < SLIGHT || errors[2] < SLIGHT )
	{
		link->kind = sup_jointUniversal;
		if ( errors[2] < errors[1] )
		{
			supVec3d first = link->axis;
			link->axis = link->secondAxis;
			link->secondAxis = first;
		}
	}
}

bool supGuessJoints( supLinks* links, const supCharacter* character, supError* error )
{
	supArena scratch = { 0 };
	size_t count = (size_t)links->count;
	Watch watch = { .links = links, .pose = supCreatePose( character ) };
	watch.inverses = supArena_AllocArray( &scratch, count, sizeof( supMat34 ) );
	watch.places = supArena_AllocArray( &scratch, count, sizeof( supLinkPlace ) );
	watch.turns = supArena_AllocZeroed( &scratch, count * sizeof( Turns ) );
	watch.errors = supArena_AllocZeroed( &scratch, count * sizeof( double[3] ) );
	bool ok = watch.pose != NULL && scratch.failed == false;
	for ( int32_t i = 0; ok && i < links->count; ++i )
	{
		watch.inverses[i] = supMat34_identity;
		supInvertMat34( supPose_Worlds( watch.pose )[links->links[i].node], watch.inverses + i );
	}
	if ( ok )
	{
		WatchClips( &watch, character, false );
		for ( int32_t i = 0; i < links->count; ++i )
		{
			FindAxes( links->links + i, watch.turns + i );
		}
		WatchClips( &watch, character, true );
	}
	for ( int32_t i = 0; ok && i < links->count; ++i )
	{
		if ( links->links[i].parent >= 0 )
		{
			Decide( links->links + i, watch.turns + i, watch.errors[i] );
		}
	}
	supDestroyPose( watch.pose );
	supArena_Destroy( &scratch );
	return ok || supSetMemoryError( error );
}
