// SPDX-License-Identifier: MIT
// The stance: the pose in which the two skeletons are compared.
//
// It is the rest pose; where skins tell another pose in which they were bound, that one. Many BVH files have a rest
// pose that nobody ever stood in (CMU: legs spread by 20 degrees) and put a T-pose in front of the motion instead; then
// it is that frame.
#include "character/retarget.h"

// cosines of angles
#define COS_1_5 0.99966f
#define COS_5 0.99619f
#define COS_8 0.99027f
#define COS_10 0.98481f
#define COS_15 0.96593f
#define COS_35 0.81915f

// Of a node's local transform in a pose.
static supQuat GetLocalRotation( const supCharacter* character, const supPose* pose, int32_t node )
{
	const supNode* n = supCharacter_Node( character, node );
	if ( n->hasMatrix )
	{
		supTransform fit;
		supDecompose( n->matrix, &fit );
		return fit.rotation;
	}
	return supPose_GetLocal( pose, node ).rotation;
}

void supReadStance( const supCharacter* character, supPose* pose, supStance* stance )
{
	int32_t count = supCharacter_NodeCount( character );
	const int32_t* order = supCharacter_NodeOrder( character );
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t node = order[i];
		int32_t parent = supCharacter_Node( character, node )->parent;
		supQuat local = GetLocalRotation( character, pose, node );
		stance->rotations[node] = parent >= 0 ? supMulQuat( stance->rotations[parent], local ) : local;
	}
	memcpy( stance->worlds, supPose_Worlds( pose ), (size_t)count * sizeof( supMat34 ) );
}

static bool AllocStance( supRetarget* retarget, const supCharacter* character, supStance* stance )
{
	size_t count = (size_t)supCharacter_NodeCount( character );
	stance->rotations = supArena_AllocArray( &retarget->arena, count, sizeof( supQuat ) );
	stance->worlds = supArena_AllocArray( &retarget->arena, count, sizeof( supMat34 ) );
	return ( stance->rotations != NULL && stance->worlds != NULL ) || supSetMemoryError( retarget->error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Bodies: up, left

typedef struct Body
{
	supVec3 up;
	supVec3 left;
} Body;

static supVec3 Place( const supStance* stance, int32_t node )
{
	return stance->worlds[node].t;
}

supVec3 supNearestAxis( supVec3 v )
{
	float x = fabsf( v.x );
	float y = fabsf( v.y );
	float z = fabsf( v.z );
	if ( y >= x && y >= z )
	{
		return supMakeVec3( 0.0f, v.y < 0.0f ? -1.0f : 1.0f, 0.0f );
	}
	return x > z ? supMakeVec3( v.x < 0.0f ? -1.0f : 1.0f, 0.0f, 0.0f )
				 : supMakeVec3( 0.0f, 0.0f, v.z < 0.0f ? -1.0f : 1.0f );
}

static bool HasSides( const supHumanoid* humanoid, supBodyPart part )
{
	return humanoid->limb[0][part] >= 0 && humanoid->limb[1][part] >= 0;
}

// Left minus right.
static supVec3 AcrossBody( const supHumanoid* humanoid, supBodyPart part, const supStance* stance )
{
	return supSub( Place( stance, humanoid->limb[0][part] ), Place( stance, humanoid->limb[1][part] ) );
}

static int32_t FindTop( const supHumanoid* humanoid )
{
	return humanoid->head >= 0        ? humanoid->head
		   : humanoid->neckCount > 0  ? humanoid->neck[humanoid->neckCount - 1]
		   : humanoid->spineCount > 0 ? humanoid->spine[humanoid->spineCount - 1]
									  : -1;
}

// Small deviations are how the artist placed the joints, not where the body faces: up is an axis, and so is left
// within 5 degrees.
static Body MeasureBody( bool isHumanoid, const supHumanoid* humanoid, const supStance* stance )
{
	Body body = { { 0.0f, 1.0f, 0.0f }, { 1.0f, 0.0f, 0.0f } };
	int32_t top = isHumanoid ? FindTop( humanoid ) : -1;
	if ( !isHumanoid )
	{
		return body;
	}
	supVec3 spine = top >= 0 ? supSub( Place( stance, top ), Place( stance, humanoid->hips ) ) : supVec3_zero;
	if ( supLength( spine ) > 0.0f )
	{
		body.up = supNearestAxis( spine );
	}
	supVec3 across =
		AcrossBody( humanoid, HasSides( humanoid, sup_partUpperLeg ) ? sup_partUpperLeg : sup_partUpperArm, stance );
	supVec3 flat = supNormalize( supMulAdd( across, -supDot( across, body.up ), body.up ) );
	if ( supLength( flat ) < 0.5f )
	{
		// nothing across: any direction square to up
		flat = fabsf( body.up.x ) > 0.5f ? supMakeVec3( 0.0f, 0.0f, 1.0f ) : supMakeVec3( 1.0f, 0.0f, 0.0f );
	}
	supVec3 axis = supNearestAxis( flat );
	body.left = supDot( axis, flat ) > COS_5 ? axis : flat;
	return body;
}

// The rotation of the frame (left, up, left x up); `up` is made square to `left`.
static supQuat MakeFrame( supVec3 left, supVec3 up )
{
	supVec3 x = supNormalize( left );
	supVec3 z = supNormalize( supCross( x, up ) );
	return supMakeQuatMat3( ( supMat3 ){ x, supCross( z, x ), z } );
}

// ---------------------------------------------------------------------------------------------------------------------
// Bones

static supBodyPart NextPart( supBodyPart part )
{
	switch ( part )
	{
		case sup_partUpperArm:
			return sup_partLowerArm;
		case sup_partLowerArm:
			return sup_partHand;
		case sup_partUpperLeg:
			return sup_partLowerLeg;
		case sup_partLowerLeg:
			return sup_partFoot;
		case sup_partFoot:
			return sup_partToe;
		default:
			return sup_partNone;
	}
}

static bool IsLimb( supBodyPart part )
{
	return part == sup_partUpperArm || part == sup_partLowerArm || part == sup_partUpperLeg || part == sup_partLowerLeg;
}

// From a joint to the next one of its limb; to the child farthest away where the body does not say which that is.
static supVec3 MeasureBone( const supCharacter* character, const supStance* stance, int32_t node, int32_t next )
{
	supVec3 start = Place( stance, node );
	if ( next >= 0 )
	{
		return supSub( Place( stance, next ), start );
	}
	supVec3 longest = supVec3_zero;
	int32_t count = supCharacter_NodeCount( character );
	for ( int32_t i = 0; i < count; ++i )
	{
		supVec3 bone = supSub( Place( stance, i ), start );
		if ( supCharacter_Node( character, i )->parent == node && supLength( bone ) > supLength( longest ) )
		{
			longest = bone;
		}
	}
	return longest;
}

static int32_t FindLink( const supRetarget* retarget, supBodyPart part, int32_t side )
{
	for ( int32_t i = 0; part != sup_partNone && i < retarget->links.count; ++i )
	{
		if ( retarget->links.data[i].part == part && retarget->links.data[i].side == side )
		{
			return i;
		}
	}
	return -1;
}

// Directions of a link's bone in both skeletons, as they stand. False where one of them has no length.
static bool MeasureBones( const supRetarget* retarget, const supLink* link, const supStance* source,
						  supVec3* sourceBone, supVec3* targetBone )
{
	supBodyPart part = NextPart( link->part );
	int32_t next = FindLink( retarget, part, link->side );
	int32_t nextTarget = next >= 0 ? retarget->links.data[next].target : -1;
	int32_t nextSource = next >= 0 ? retarget->links.data[next].sources[0] : -1;
	if ( next < 0 && part != sup_partNone )
	{
		nextTarget = retarget->targetIsHumanoid ? retarget->targetBody.limb[link->side][part] : -1;
		nextSource = retarget->sourceIsHumanoid ? retarget->sourceBody.limb[link->side][part] : -1;
	}
	*targetBone = supNormalize( MeasureBone( retarget->target, &retarget->targetRest, link->target, nextTarget ) );
	*sourceBone = supNormalize( MeasureBone( retarget->source, source, link->sources[0], nextSource ) );
	return supLength( *targetBone ) > 0.5f && supLength( *sourceBone ) > 0.5f;
}

// Cosine of the largest angle between a segment of the legs and straight down; 1 without legs.
static float MeasureLegs( const supCharacter* character, const supHumanoid* humanoid, const supStance* stance,
						  supVec3 up )
{
	static const supBodyPart parts[] = { sup_partUpperLeg, sup_partLowerLeg };
	float least = 1.0f;
	for ( int32_t side = 0; side < 2; ++side )
	{
		for ( int32_t i = 0; i < SUP_COUNT( parts ); ++i )
		{
			const int32_t* limb = humanoid->limb[side];
			if ( limb[parts[i]] >= 0 )
			{
				supVec3 bone = MeasureBone( character, stance, limb[parts[i]], limb[NextPart( parts[i] )] );
				least = supMinFloat( least, -supDot( supNormalize( bone ), up ) );
			}
		}
	}
	return least;
}

// Elbows straight and the arms mirror images of each other.
static bool AreArmsPosed( const supCharacter* character, const supHumanoid* humanoid, const supStance* stance,
						  supVec3 left )
{
	supVec3 upper[2];
	for ( int32_t side = 0; side < 2; ++side )
	{
		const int32_t* limb = humanoid->limb[side];
		if ( limb[sup_partUpperArm] < 0 )
		{
			return false;
		}
		upper[side] = supNormalize( MeasureBone( character, stance, limb[sup_partUpperArm], limb[sup_partLowerArm] ) );
		supVec3 lower = supNormalize( MeasureBone( character, stance, limb[sup_partLowerArm], limb[sup_partHand] ) );
		if ( supDot( upper[side], lower ) < COS_15 )
		{
			return false;
		}
	}
	supVec3 mirrored = supMulAdd( upper[1], -2.0f * supDot( upper[1], left ), left );
	return supDot( upper[0], mirrored ) > COS_8;
}

// ---------------------------------------------------------------------------------------------------------------------
// Choosing the source's stance

static bool LimbsAgree( const supRetarget* retarget, const supStance* source, supQuat alignment )
{
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		supVec3 sourceBone, targetBone;
		const supLink* link = &retarget->links.data[i];
		if ( IsLimb( link->part ) && MeasureBones( retarget, link, source, &sourceBone, &targetBone ) &&
			 supDot( supRotate( alignment, sourceBone ), targetBone ) < COS_1_5 )
		{
			return false;
		}
	}
	return true;
}

static supQuat Align( Body source, Body target )
{
	return supNormalizeQuat(
		supMulQuat( MakeFrame( target.left, target.up ), supConjugate( MakeFrame( source.left, source.up ) ) ) );
}

// The 24 rotations that turn axes into axes: the nearest one where it is within 10 degrees, else q itself.
static supQuat SnapRotation( supQuat q )
{
	supMat3 m = supMakeMat3Quat( q );
	supVec3 x = supNearestAxis( m.cx );
	supVec3 y = supNearestAxis( m.cy );
	bool isNear = supDot( x, m.cx ) > COS_10 && supDot( y, m.cy ) > COS_10 && supDot( x, y ) == 0.0f;
	return isNear ? supMakeQuatMat3( ( supMat3 ){ x, y, supCross( x, y ) } ) : q;
}

// For creatures: the rotation that brings the source's linked joints at rest nearest to the target's. The identity
// where they lie on a line, which can be turned about itself.
static supQuat AlignByPlaces( const supRetarget* retarget )
{
	supVec3 sourceMean = supVec3_zero;
	supVec3 targetMean = supVec3_zero;
	float share = 1.0f / (float)retarget->links.count;
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		const supLink* link = &retarget->links.data[i];
		sourceMean = supMulAdd( sourceMean, share, Place( &retarget->sourceRest, link->sources[0] ) );
		targetMean = supMulAdd( targetMean, share, Place( &retarget->targetRest, link->target ) );
	}
	// sum of t s^T; the rotation nearest to it is the best one (Kabsch 1976)
	supMat3 sum = { supVec3_zero, supVec3_zero, supVec3_zero };
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		const supLink* link = &retarget->links.data[i];
		supVec3 s = supSub( Place( &retarget->sourceRest, link->sources[0] ), sourceMean );
		supVec3 t = supSub( Place( &retarget->targetRest, link->target ), targetMean );
		sum.cx = supMulAdd( sum.cx, s.x, t );
		sum.cy = supMulAdd( sum.cy, s.y, t );
		sum.cz = supMulAdd( sum.cz, s.z, t );
	}
	// squares of extents: a thirtieth as wide as long is enough
	supVec3 spread = supComputeSvd( sum ).s;
	if ( !( spread.y > 1e-3f * spread.x ) )
	{
		return supQuat_identity;
	}
	return SnapRotation( supPolarRotation( sum ) );
}

// True where the first frame of the clip is a T-pose or A-pose and the rest pose is none. `first` gets that frame.
static bool IsFirstFrameStance( supRetarget* retarget, supStance* first )
{
	if ( !retarget->sourceIsHumanoid || supCharacter_SkinCount( retarget->source ) > 0 )
	{
		return false;
	}
	const supHumanoid* humanoid = &retarget->sourceBody;
	Body rest = MeasureBody( true, humanoid, &retarget->sourceRest );
	supPose_SetRest( retarget->sourcePose );
	supPose_ApplyClip( retarget->sourcePose, retarget->clip, retarget->clip->start );
	supReadStance( retarget->source, retarget->sourcePose, first );
	Body body = MeasureBody( true, humanoid, first );
	bool sameFacing = supDot( rest.up, body.up ) > COS_5 && supDot( rest.left, body.left ) > COS_5;
	return sameFacing && MeasureLegs( retarget->source, humanoid, &retarget->sourceRest, rest.up ) < COS_8 &&
		   MeasureLegs( retarget->source, humanoid, first, body.up ) > COS_8 &&
		   AreArmsPosed( retarget->source, humanoid, first, body.left );
}

// ---------------------------------------------------------------------------------------------------------------------
// Corrections

// How the trunk of a skeleton is turned at one end: across the legs or arms, and up along the spine.
static bool MeasureTrunk( const supHumanoid* humanoid, const supStance* stance, bool chest, supQuat* frame )
{
	supBodyPart part = chest ? sup_partUpperArm : sup_partUpperLeg;
	int32_t last = humanoid->spineCount - 1;
	if ( !HasSides( humanoid, part ) || last < 0 )
	{
		return false;
	}
	int32_t neck = humanoid->neckCount > 0 ? humanoid->neck[0] : humanoid->head;
	int32_t from = chest ? humanoid->spine[last] : humanoid->hips;
	supVec3 across = AcrossBody( humanoid, part, stance );
	supVec3 up = supVec3_zero;
	for ( int32_t i = 0; !chest && i <= last && supLength( up ) < 0.1f * supLength( across ); ++i )
	{
		up = supSub( Place( stance, humanoid->spine[i] ), Place( stance, from ) );
	}
	if ( chest && neck >= 0 )
	{
		up = supSub( Place( stance, neck ), Place( stance, from ) );
	}
	if ( supLength( supCross( across, up ) ) < 0.1f * supLength( across ) * supLength( up ) || supLength( up ) == 0.0f )
	{
		return false;
	}
	*frame = MakeFrame( across, up );
	return true;
}

// C for one end of the trunk.
static supQuat CorrectTrunk( const supRetarget* retarget, const supStance* source, bool chest )
{
	supQuat from, to;
	if ( !MeasureTrunk( &retarget->targetBody, &retarget->targetRest, chest, &from ) ||
		 !MeasureTrunk( &retarget->sourceBody, source, chest, &to ) )
	{
		return supQuat_identity;
	}
	return supNormalizeQuat( supMulQuat( supMulQuat( retarget->alignment, to ), supConjugate( from ) ) );
}

typedef enum FootRule
{
	footFlat,        // both stand: soles lie on the ground as they are
	footWithLeg,     // the source's legs are spread stiffly, feet along with them
	footByDirection, // one of the two does not stand at all
} FootRule;

static supQuat CorrectLimb( const supRetarget* retarget, const supLink* link, const supStance* source, supQuat base )
{
	supVec3 sourceBone, targetBone;
	if ( !MeasureBones( retarget, link, source, &sourceBone, &targetBone ) )
	{
		return base;
	}
	supVec3 to = supRotate( retarget->alignment, sourceBone );
	return supNormalizeQuat( supMulQuat( supMakeQuatBetween( supRotate( base, targetBone ), to ), base ) );
}

// C of every link. Limbs take over their parent's and add the smallest turn that is still missing.
static void CorrectLinks( supRetarget* retarget, const supStance* source, bool bothStand, FootRule footRule )
{
	supQuat hips = bothStand ? supQuat_identity : CorrectTrunk( retarget, source, false );
	supQuat chest = bothStand ? supQuat_identity : CorrectTrunk( retarget, source, true );
	int32_t spineIndex = 0;
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		supLink* link = &retarget->links.data[i];
		supQuat base = link->parent >= 0 ? retarget->links.data[link->parent].correction : supQuat_identity;
		bool isFoot = link->part == sup_partFoot;
		if ( link->part == sup_partHips )
		{
			link->correction = hips;
		}
		else if ( link->part == sup_partSpine )
		{
			int32_t count = retarget->targetBody.spineCount;
			float part = count > 0 ? (float)( ++spineIndex ) / (float)count : 1.0f;
			link->correction = supSlerp( hips, chest, supMinFloat( part, 1.0f ) );
		}
		else if ( link->part == sup_partNeck || link->part == sup_partHead || ( isFoot && footRule == footFlat ) )
		{
			link->correction = supQuat_identity;
		}
		else if ( IsLimb( link->part ) || ( isFoot && footRule == footByDirection ) )
		{
			link->correction = CorrectLimb( retarget, link, source, base );
		}
		else
		{
			link->correction = base;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Root

static float MeasureLegLength( const supCharacter* character, const supHumanoid* humanoid, const supStance* stance )
{
	float sum = 0.0f;
	for ( int32_t side = 0; side < 2; ++side )
	{
		const int32_t* limb = humanoid->limb[side];
		if ( limb[sup_partUpperLeg] >= 0 )
		{
			sum += supLength( MeasureBone( character, stance, limb[sup_partUpperLeg], limb[sup_partLowerLeg] ) );
			sum += supLength( MeasureBone( character, stance, limb[sup_partLowerLeg], limb[sup_partFoot] ) );
		}
	}
	return 0.5f * sum;
}

// Diagonal of the box around the linked joints.
static float MeasureSize( const supRetarget* retarget, bool ofTarget )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		const supLink* link = &retarget->links.data[i];
		box = supBox_Include( box, ofTarget ? Place( &retarget->targetRest, link->target )
											: Place( &retarget->sourceRest, link->sources[0] ) );
	}
	return supLength( supBox_Size( box ) );
}

// Height of the lowest joint of the legs.
static float MeasureSoles( const supCharacter* character, const supHumanoid* humanoid, const supMat34* worlds,
						   supVec3 up )
{
	float lowest = 3.4e38f;
	int32_t count = supCharacter_NodeCount( character );
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t node = i;
		while ( node >= 0 && node != humanoid->limb[0][sup_partLowerLeg] &&
				node != humanoid->limb[1][sup_partLowerLeg] )
		{
			node = supCharacter_Node( character, node )->parent;
		}
		lowest = node >= 0 ? supMinFloat( lowest, supDot( worlds[i].t, up ) ) : lowest;
	}
	return lowest;
}

// How high the hips are above the ground in a stance. The ground is the plane through the origin where the feet stand
// near it; a skeleton that hangs elsewhere (BVH: hips at the origin) is thought to stand on its feet.
static float MeasureHipHeight( const supCharacter* character, const supHumanoid* humanoid, const supStance* stance,
							   supVec3 up, float legLength )
{
	float hips = supDot( Place( stance, humanoid->hips ), up );
	float soles = MeasureSoles( character, humanoid, stance->worlds, up );
	return fabsf( soles ) < 0.15f * legLength ? hips : hips - soles;
}

static supVec3 WithHeight( supVec3 place, supVec3 up, float height )
{
	return supMulAdd( place, height - supDot( place, up ), up );
}

static bool ComputeRoot( supRetarget* retarget, const supStance* source, supVec3 sourceUp, bool sourceIsRest )
{
	int32_t hipsLink = FindLink( retarget, sup_partHips, -1 );
	retarget->rootLink = hipsLink >= 0 ? hipsLink : 0;
	float targetSize = MeasureSize( retarget, true );
	float sourceSize = MeasureSize( retarget, false );
	bool haveLegs = retarget->targetIsHumanoid && retarget->sourceIsHumanoid &&
					HasSides( &retarget->targetBody, sup_partUpperLeg ) &&
					HasSides( &retarget->sourceBody, sup_partUpperLeg );
	float targetLeg = 0.0f;
	float sourceLeg = 0.0f;
	if ( haveLegs )
	{
		targetLeg = MeasureLegLength( retarget->target, &retarget->targetBody, &retarget->targetRest );
		sourceLeg = MeasureLegLength( retarget->source, &retarget->sourceBody, source );
	}
	bool useLegs = targetLeg > 0.0f && sourceLeg > 0.0f;
	float ratio = useLegs ? targetLeg / sourceLeg : ( sourceSize > 0.0f ? targetSize / sourceSize : 1.0f );
	retarget->sizeRatio = ratio > 0.0f && supIsFinite( ratio ) ? ratio : 1.0f;
	retarget->travel = retarget->def->travelScale > 0.0f ? retarget->def->travelScale : retarget->sizeRatio;
	const supLink* root = &retarget->links.data[retarget->rootLink];
	retarget->sourceRootPlace = Place( &retarget->sourceRest, root->sources[0] );
	retarget->targetRootPlace = Place( &retarget->targetRest, root->target );
	bool isHips = useLegs && root->target == retarget->targetBody.hips && root->sources[0] == retarget->sourceBody.hips;
	if ( !isHips )
	{
		return true;
	}
	float sourceHeight = sourceIsRest
							 ? MeasureHipHeight( retarget->source, &retarget->sourceBody, source, sourceUp, sourceLeg )
							 : supDot( Place( source, root->sources[0] ), sourceUp ) -
								   MeasureSoles( retarget->source, &retarget->sourceBody, source->worlds, sourceUp );
	retarget->sourceRootPlace = WithHeight( retarget->sourceRootPlace, sourceUp, sourceHeight );

	// legs that stand wider or straighter than at rest lift or lower the hips
	supVec3 up = retarget->targetUp;
	size_t linkCount = (size_t)retarget->links.count;
	size_t nodeCount = (size_t)supCharacter_NodeCount( retarget->target );
	supQuat* turns = supArena_AllocArray( &retarget->arena, linkCount, sizeof( supQuat ) );
	supQuat* rotations = supArena_AllocArray( &retarget->arena, nodeCount, sizeof( supQuat ) );
	if ( turns == NULL || rotations == NULL )
	{
		return supSetMemoryError( retarget->error );
	}
	for ( size_t i = 0; i < linkCount; ++i )
	{
		turns[i] = supQuat_identity;
	}
	supPoseTarget( retarget, turns, rotations );
	const supMat34* corrected = supPose_Worlds( retarget->targetPose );
	float rise = MeasureSoles( retarget->target, &retarget->targetBody, retarget->targetRest.worlds, up ) -
				 MeasureSoles( retarget->target, &retarget->targetBody, corrected, up );
	float height =
		MeasureHipHeight( retarget->target, &retarget->targetBody, &retarget->targetRest, up, targetLeg ) + rise;
	retarget->targetRootPlace = WithHeight( retarget->targetRootPlace, up, height );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

void supPoseTarget( supRetarget* retarget, const supQuat* turns, supQuat* rotations )
{
	int32_t count = supCharacter_NodeCount( retarget->target );
	const int32_t* order = supCharacter_NodeOrder( retarget->target );
	supPose_SetRest( retarget->targetPose );
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t node = order[i];
		int32_t parent = supCharacter_Node( retarget->target, node )->parent;
		supQuat above = parent >= 0 ? rotations[parent] : supQuat_identity;
		int32_t index = retarget->linkOfTarget[node];
		if ( index < 0 )
		{
			rotations[node] = supMulQuat( above, GetLocalRotation( retarget->target, retarget->targetPose, node ) );
			continue;
		}
		supQuat rest = supMulQuat( retarget->links.data[index].correction, retarget->targetRest.rotations[node] );
		rotations[node] = supNormalizeQuat( supMulQuat( turns[index], rest ) );
		supTransform local = supPose_GetLocal( retarget->targetPose, node );
		local.rotation = supNormalizeQuat( supMulQuat( supConjugate( above ), rotations[node] ) );
		supPose_SetLocal( retarget->targetPose, node, local );
	}
}

// Rigs with inverse kinematics move such feet by their translation, so that only the rest pose, not the rotations of
// the bind pose, tells where they belong.
static void MeasureLooseFeet( supRetarget* retarget )
{
	supPose_SetRest( retarget->targetPose );
	const supMat34* worlds = supPose_Worlds( retarget->targetPose );
	for ( int32_t i = 0; i < retarget->links.count; ++i )
	{
		supLink* link = &retarget->links.data[i];
		supMat34 toLeg;
		if ( link->part == sup_partLooseFoot &&
			 supInvertMat34( worlds[retarget->targetBody.limb[link->side][sup_partLowerLeg]], &toLeg ) )
		{
			link->inLeg = supTransformPoint( toLeg, worlds[link->target].t );
		}
	}
}

bool supComputeStance( supRetarget* retarget )
{
	supStance first;
	if ( !AllocStance( retarget, retarget->source, &retarget->sourceRest ) ||
		 !AllocStance( retarget, retarget->target, &retarget->targetRest ) ||
		 !AllocStance( retarget, retarget->source, &first ) )
	{
		return false;
	}
	if ( !supPoseBound( retarget->source, retarget->sourcePose, &retarget->arena ) ||
		 !supPoseBound( retarget->target, retarget->targetPose, &retarget->arena ) )
	{
		return supSetMemoryError( retarget->error );
	}
	supReadStance( retarget->source, retarget->sourcePose, &retarget->sourceRest );
	supReadStance( retarget->target, retarget->targetPose, &retarget->targetRest );

	Body targetBody = MeasureBody( retarget->targetIsHumanoid, &retarget->targetBody, &retarget->targetRest );
	Body sourceBody = MeasureBody( retarget->sourceIsHumanoid, &retarget->sourceBody, &retarget->sourceRest );
	bool canAlign = retarget->targetIsHumanoid && retarget->sourceIsHumanoid;
	retarget->targetUp = targetBody.up;
	retarget->alignment = canAlign ? Align( sourceBody, targetBody ) : AlignByPlaces( retarget );

	// equal rest poses are the best stance there is
	bool sourceIsRest =
		LimbsAgree( retarget, &retarget->sourceRest, retarget->alignment ) || !IsFirstFrameStance( retarget, &first );
	const supStance* source = sourceIsRest ? &retarget->sourceRest : &first;

	float targetLegs = MeasureLegs( retarget->target, &retarget->targetBody, &retarget->targetRest, targetBody.up );
	float sourceLegs = MeasureLegs( retarget->source, &retarget->sourceBody, source, sourceBody.up );
	bool bothStand = !canAlign || ( targetLegs > COS_35 && sourceLegs > COS_35 );
	bool isStiff = sourceLegs < COS_15 && supCharacter_SkinCount( retarget->source ) == 0;
	CorrectLinks( retarget, source, bothStand, !bothStand ? footByDirection : ( isStiff ? footWithLeg : footFlat ) );
	MeasureLooseFeet( retarget );
	if ( !ComputeRoot( retarget, source, sourceBody.up, sourceIsRest ) )
	{
		return false;
	}
	if ( !sourceIsRest )
	{
		memcpy( retarget->sourceRest.rotations, first.rotations,
				(size_t)supCharacter_NodeCount( retarget->source ) * sizeof( supQuat ) );
	}
	return true;
}
