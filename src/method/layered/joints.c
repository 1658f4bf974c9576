// SPDX-License-Identifier: MIT
// What kind of joint each is and how far it turns, from how the clips turn it, or as it is told.
#include "method/layered/layered.h"

// Radians. Below the first nothing counts as turning; above the second a turn about a further axis is meant.
#define MIN_TURN_RAD 0.0087
#define MIN_SECOND_TURN_RAD 0.03

// Radians: limits are this much beyond what clips do, and a part of their range.
#define MARGIN 0.26
#define MARGIN_PART 0.15

// Radians: how far a bone swings and twists where no clip tells.
#define WIDE_SWING 2.1
#define WIDE_TWIST 1.6

// A range that leaves less of a circle than this is none: there would be no telling from which side it was left.
#define LEAST_REST 1.0
#define NO_LIMIT 4.0

// Poses so far beyond limits are excluded by them, and so far beyond worth a warning, radians.
#define MIN_EXCESS_RAD 0.002
#define MIN_WARNED_EXCESS_RAD 0.02

static const supQuatd s_still = { .w = 1.0 };

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
	// sum of the directions of each bone in its parent
	supVec3d* directions;
	// of each link: how far poses of clips are beyond its limits at least and at most, radians, and the clip at hand
	double ( *beyond )[2];
	int32_t* worstClip;
	int32_t clip;
} Watch;

// What is done with each joint of each pose.
typedef void WatchFcn( Watch* watch, int32_t link );

static supQuatd TurnOf( const Watch* watch, int32_t link )
{
	const supLinkPlace* parent = watch->places + watch->links->links[link].parent;
	return supMulQuatd( supConjugateQuatd( parent->rotation ), watch->places[link].rotation );
}

static void AddTurn( Watch* watch, int32_t i )
{
	Turns* turns = watch->turns + i;
	supVec3d v = supLogQuatd( TurnOf( watch, i ) );
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

static void AddDirection( Watch* watch, int32_t i )
{
	supMat3d r = supMakeMat3dQuat( TurnOf( watch, i ) );
	watch->directions[i] = supAddVec3d( watch->directions[i], supMulMat3dVec( &r, watch->links->links[i].axis ) );
}

static void Widen( supTurnLimits* limits, double angle )
{
	limits->lower = angle < limits->lower ? angle : limits->lower;
	limits->upper = angle > limits->upper ? angle : limits->upper;
}

static void WidenLimits( Watch* watch, int32_t i )
{
	supLink* link = watch->links->links + i;
	supQuatd turn = TurnOf( watch, i );
	supMat3d r = supMakeMat3dQuat( turn );
	Widen( link->turns, supFindTurn( turn, link->axis ) );
	Widen( link->turns + 1, supFindTurn( turn, link->secondAxis ) );
	double swing = supAngleBetween( link->middle, supMulMat3dVec( &r, link->axis ) );
	link->swing = swing > link->swing ? swing : link->swing;
}

static void WatchClips( Watch* watch, const supCharacter* character, WatchFcn* function )
{
	for ( int32_t c = 0; c < supCharacter_ClipCount( character ); ++c )
	{
		const supClip* clip = supCharacter_Clip( character, c );
		watch->clip = c;
		for ( int32_t s = 0; s < SUP_JOINT_POSES; ++s )
		{
			supPose_SetRest( watch->pose );
			supPose_ApplyClip( watch->pose, clip, supJointPoseTime( clip->start, clip->end, s, SUP_JOINT_POSES ) );
			const supMat34* worlds = supPose_Worlds( watch->pose );
			for ( int32_t i = 0; i < watch->links->count; ++i )
			{
				const supLink* link = watch->links->links + i;
				watch->places[i] = supPlaceLink( link, worlds[link->node], watch->inverses[i] );
				if ( link->parent >= 0 )
				{
					function( watch, i );
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
	link->secondAxis = supMakeAcross( MainAxis( supMulMat3d( &half, &p ) ), link->axis );
}

static void Decide( supLink* link, const Turns* turns, const double errors[3] )
{
	link->kind = sup_jointBall;
	if ( turns->count == 0 )
	{
		return;
	}
	if ( turns->longest < MIN_TURN_RAD )
	{
		link->kind = sup_jointFixed;
	}
	else if ( errors[0] < MIN_SECOND_TURN_RAD )
	{
		link->kind = sup_jointHinge;
	}
	else if ( errors[1] < MIN_SECOND_TURN_RAD || errors[2] < MIN_SECOND_TURN_RAD )
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

// ---------------------------------------------------------------------------------------------------------------------
// What was said

static supVec3d UnitOr( supVec3 direction, supVec3d otherwise )
{
	supVec3d wide = supWidenVec3( direction );
	double length = supLengthVec3d( wide );
	return length > 0.0 ? supScaleVec3d( 1.0 / length, wide ) : otherwise;
}

// From the joint to the middle of what it carries.
static supVec3d BoneDirection( const supLink* link )
{
	supVec3d way = supSubVec3d( link->center, link->anchor );
	double length = supLengthVec3d( way );
	return length > 0.0 ? supScaleVec3d( 1.0 / length, way ) : link->axis;
}

static void TakeAxes( supLink* link, const supJointSetting* said )
{
	static const supJointSetting nothing = { .kind = sup_jointGuessed };
	said = said != NULL ? said : &nothing;
	link->kind = said->kind != sup_jointGuessed ? (int32_t)said->kind : link->kind;
	supVec3d guessed = link->kind == sup_jointBall ? BoneDirection( link ) : link->axis;
	link->axis = UnitOr( said->axis, guessed );
	link->secondAxis = supMakeAcross( UnitOr( said->secondAxis, link->secondAxis ), link->axis );
}

static void TakeLimits( supLink* link, const supJointSetting* said )
{
	for ( int k = 0; said != NULL && k < 2; ++k )
	{
		if ( said->hasLimits[k] )
		{
			link->turns[k] = ( supTurnLimits ){ fmax( (double)said->lower[k], -NO_LIMIT ),
												fmin( (double)said->upper[k], NO_LIMIT ) };
		}
	}
	if ( said != NULL && said->swing > 0.0f )
	{
		link->swing = fmin( (double)said->swing, NO_LIMIT );
		link->middle = UnitOr( said->middle, link->axis );
	}
	for ( int k = 0; k < 2; ++k )
	{
		bool isNone = link->turns[k].upper - link->turns[k].lower > 2.0 * (double)SUP_PI - LEAST_REST;
		link->turns[k] = isNone ? ( supTurnLimits ){ -NO_LIMIT, NO_LIMIT } : link->turns[k];
	}
	link->isTold = said != NULL && ( said->hasLimits[0] || said->hasLimits[1] || said->swing > 0.0f );
	link->strength = said != NULL ? (double)said->strength : 1.0;
	link->stiffness = said != NULL ? (double)said->stiffness : -1.0;
	link->damping = said != NULL ? (double)said->damping : -1.0;
}

static const supJointSetting* FindSaid( const supLinksDef* def, int32_t node )
{
	const supJointSetting* said = NULL;
	for ( int32_t i = 0; i < def->jointCount; ++i )
	{
		said = def->joints[i].node == node ? def->joints + i : said;
	}
	return said;
}

// Every joint that something is said about must be one.
static bool CheckSaid( const supLinks* links, const supLinksDef* def, supError* error )
{
	for ( int32_t n = 0; n < def->jointCount; ++n )
	{
		int32_t found = -1;
		for ( int32_t i = 0; i < links->count; ++i )
		{
			found = links->links[i].node == def->joints[n].node ? i : found;
		}
		const char* name = supCharacter_Node( def->character, def->joints[n].node )->name;
		if ( found < 0 )
		{
			return supSetError(
				error, sup_errorArgument, "joints",
				"\"%.60s\" has no flesh of its own and follows another bone; remove it from the settings", name );
		}
		if ( links->links[found].parent < 0 && def->joints[n].kind != sup_jointGuessed )
		{
			return supSetError( error, sup_errorArgument, "joints",
								"\"%.60s\" is a root, which has no joint; remove its kind", name );
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static void StartLimits( supLink* link, const supVec3d* direction, bool isSeen )
{
	double length = supLengthVec3d( *direction );
	link->middle = length > 0.0 ? supScaleVec3d( 1.0 / length, *direction ) : link->axis;
	// rest counts as seen
	link->turns[0] = link->turns[1] = ( supTurnLimits ){ 0.0, 0.0 };
	link->swing = supAngleBetween( link->middle, link->axis );
	if ( isSeen == false )
	{
		link->turns[0] = ( supTurnLimits ){ -WIDE_TWIST, WIDE_TWIST };
		link->swing = WIDE_SWING;
	}
}

static void AddMargins( supLink* link )
{
	for ( int k = 0; k < 2; ++k )
	{
		double margin = MARGIN + MARGIN_PART * ( link->turns[k].upper - link->turns[k].lower );
		link->turns[k].lower -= margin;
		link->turns[k].upper += margin;
	}
	link->swing += MARGIN + MARGIN_PART * link->swing;
}

static void FindKinds( Watch* watch, const supLinksDef* def )
{
	supLinks* links = watch->links;
	WatchClips( watch, def->character, AddTurn );
	for ( int32_t i = 0; i < links->count; ++i )
	{
		FindAxes( links->links + i, watch->turns + i );
	}
	WatchClips( watch, def->character, Measure );
	for ( int32_t i = 0; i < links->count; ++i )
	{
		supLink* link = links->links + i;
		if ( link->parent >= 0 )
		{
			Decide( link, watch->turns + i, watch->errors[i] );
			link->kind = def->onlyBalls ? sup_jointBall : link->kind;
		}
		TakeAxes( link, FindSaid( def, link->node ) );
	}
}

static void FindLimits( Watch* watch, const supLinksDef* def )
{
	supLinks* links = watch->links;
	WatchClips( watch, def->character, AddDirection );
	for ( int32_t i = 0; i < links->count; ++i )
	{
		StartLimits( links->links + i, watch->directions + i, watch->turns[i].count > 0 );
	}
	WatchClips( watch, def->character, WidenLimits );
	for ( int32_t i = 0; i < links->count; ++i )
	{
		supLink* link = links->links + i;
		if ( watch->turns[i].count > 0 )
		{
			AddMargins( link );
		}
		if ( def->onlyBalls )
		{
			link->turns[0] = link->turns[1] = ( supTurnLimits ){ -NO_LIMIT, NO_LIMIT };
			link->swing = NO_LIMIT;
		}
		TakeLimits( link, FindSaid( def, link->node ) );
	}
}

// How far a turn is beyond the limits of its joint, radians.
static double BeyondLimits( const supLink* link, supQuatd turn )
{
	supLinkState parent = { .rotation = s_still }, child = { .rotation = turn };
	supJointRow rows[SUP_MOST_LIMITS];
	int32_t count = supMakeLimitRows( link, &parent, &child, rows );
	double most = 0.0;
	for ( int32_t k = 0; k < count; ++k )
	{
		most = fmax( most, -rows[k].error );
	}
	return most;
}

static void MeasureBeyond( Watch* watch, int32_t i )
{
	double angle = BeyondLimits( watch->links->links + i, TurnOf( watch, i ) );
	watch->worstClip[i] = angle > watch->beyond[i][1] ? watch->clip : watch->worstClip[i];
	watch->beyond[i][0] = fmin( watch->beyond[i][0], angle );
	watch->beyond[i][1] = fmax( watch->beyond[i][1], angle );
}

// Limits that were given hold clips back. They must leave the rest pose and something of the clips.
static bool CheckLimits( Watch* watch, const supLinksDef* def, supError* error )
{
	const double degrees = 180.0 / (double)SUP_PI;
	for ( int32_t i = 0; i < watch->links->count; ++i )
	{
		watch->beyond[i][0] = watch->turns[i].count > 0 ? INFINITY : 0.0;
	}
	WatchClips( watch, def->character, MeasureBeyond );
	for ( int32_t i = 0; i < watch->links->count; ++i )
	{
		const supLink* link = watch->links->links + i;
		const char* name = supCharacter_Node( def->character, link->node )->name;
		if ( link->isTold == false || link->parent < 0 )
		{
			continue;
		}
		double atRest = BeyondLimits( link, s_still );
		if ( atRest > MIN_EXCESS_RAD )
		{
			return supSetError(
				error, sup_errorArgument, "joints",
				"\"%.60s\": the limits exclude the rest pose by %.1f degrees; they are relative to rest and "
				"must include 0",
				name, degrees * atRest );
		}
		if ( watch->beyond[i][0] > MIN_EXCESS_RAD )
		{
			return supSetError(
				error, sup_errorArgument, "joints",
				"\"%.60s\": the limits exclude every pose of every clip, by %.1f degrees or more; widen "
				"them",
				name, degrees * watch->beyond[i][0] );
		}
		if ( watch->beyond[i][1] > MIN_WARNED_EXCESS_RAD )
		{
			supLog( sup_logWarning, "joints: \"%.60s\": the clip \"%.60s\" goes up to %.1f degrees beyond the limits",
					name, supCharacter_Clip( def->character, watch->worstClip[i] )->name,
					degrees * watch->beyond[i][1] );
		}
	}
	return true;
}

bool supGuessJoints( supLinks* links, const supLinksDef* def, supError* error )
{
	if ( CheckSaid( links, def, error ) == false )
	{
		return false;
	}
	supArena scratch = { 0 };
	size_t count = (size_t)links->count;
	Watch watch = { .links = links, .pose = supCreatePose( def->character ) };
	watch.inverses = supArena_AllocArray( &scratch, count, sizeof( supMat34 ) );
	watch.places = supArena_AllocArray( &scratch, count, sizeof( supLinkPlace ) );
	watch.turns = supArena_AllocZeroed( &scratch, count * sizeof( Turns ) );
	watch.errors = supArena_AllocZeroed( &scratch, count * sizeof( double[3] ) );
	watch.directions = supArena_AllocZeroed( &scratch, count * sizeof( supVec3d ) );
	watch.beyond = supArena_AllocZeroed( &scratch, count * sizeof( double[2] ) );
	watch.worstClip = supArena_AllocZeroed( &scratch, count * sizeof( int32_t ) );
	bool ok = watch.pose != NULL && scratch.failed == false;
	for ( int32_t i = 0; ok && i < links->count; ++i )
	{
		watch.inverses[i] = supMat34_identity;
		supInvertMat34( supPose_Worlds( watch.pose )[links->links[i].node], watch.inverses + i );
	}
	bool isRight = ok || supSetMemoryError( error );
	if ( ok )
	{
		FindKinds( &watch, def );
		FindLimits( &watch, def );
		isRight = CheckLimits( &watch, def, error );
	}
	supDestroyPose( watch.pose );
	supArena_Destroy( &scratch );
	return isRight;
}
