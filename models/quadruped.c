// SPDX-License-Identifier: MIT
#include "quadruped.h"

const quadrupedLimb quadrupedLimbs[4] = {
	{ 5,
	  false,
	  1.0f,
	  { "LeftHindUpper", "LeftHindLower", "LeftHindCannon", "LeftHindPastern", "LeftHindHoof" },
	  "Hips" },
	{ 6,
	  true,
	  1.0f,
	  { "LeftShoulder", "LeftFrontUpper", "LeftFrontLower", "LeftFrontCannon", "LeftFrontPastern", "LeftFrontHoof" },
	  "Chest" },
	{ 5,
	  false,
	  -1.0f,
	  { "RightHindUpper", "RightHindLower", "RightHindCannon", "RightHindPastern", "RightHindHoof" },
	  "Hips" },
	{ 6,
	  true,
	  -1.0f,
	  { "RightShoulder", "RightFrontUpper", "RightFrontLower", "RightFrontCannon", "RightFrontPastern",
		"RightFrontHoof" },
	  "Chest" },
};

int32_t quadrupedAddLimb( creature* c, const quadrupedLimb* limb, int32_t trunk, const quadrupedLimbShape* shape )
{
	int32_t first = c->joints.count;
	supVec3 points[QUADRUPED_LIMB_JOINTS + 1];
	for ( int32_t i = 0; i <= limb->jointCount; ++i )
	{
		points[i] = shape->points[i];
		points[i].x *= limb->sign;
	}
	for ( int32_t i = 0; i < limb->jointCount; ++i )
	{
		creatureJoint( c, limb->names[i], i == 0 ? trunk : first + i - 1, points[i] );
	}
	for ( int32_t i = 0; i < limb->jointCount; ++i )
	{
		// three from below: cannon bone, pastern, hoof
		int32_t above = limb->jointCount - i;
		supVec3 color = above == 1 ? shape->hoof : above <= 3 ? shape->lower : shape->upper;
		float thin = supMinFloat( shape->radii[i], shape->radii[i + 1] );
		creatureCone( c, first + i, points[i], shape->radii[i], points[i + 1], shape->radii[i + 1],
					  above == 1 ? 0.3f * thin : 0.9f * thin, color );
	}
	return first;
}

void quadrupedLevelSoles( creature* c, float height, supVec3 color )
{
	// as good as flat as far as the feet go
	sculptBlob* ground =
		creatureEllipsoid( c, 0, vec( 0.0f, height - 2.0f, 0.0f ), vec( 20.0f, 2.0f, 20.0f ), 0.012f, color );
	ground->use = sculpt_carve;
}

// ---------------------------------------------------------------------------------------------------------------------
// Reaching

// Degrees that each joint above the pastern turns when the leg is folded by one unit.
static const float s_hindFold[3] = { -25.0f, 55.0f, -50.0f };
static const float s_frontFold[4] = { -8.0f, 32.0f, -46.0f, 36.0f };

#define LEAST_FOLD -0.7f
#define MOST_FOLD 2.0f

static supVec3 TurnX( supVec3 v, float degrees )
{
	supCosSin t = supComputeCosSin( degrees * ( SUP_PI / 180.0f ) );
	return vec( v.x, t.cosine * v.y - t.sine * v.z, t.sine * v.y + t.cosine * v.z );
}

// How far a hanging vector has swung back, degrees.
static float SwingOf( supVec3 v )
{
	return supAtan2( -v.z, -v.y ) * ( 180.0f / SUP_PI );
}

// The bones of a leg from the trunk to the fetlock.
typedef struct Reach
{
	int32_t count;
	supVec3 bones[4];
	float turns[4]; // degrees, each joint against the one above
} Reach;

static supVec3 Fold( Reach* reach, const quadrupedLimb* limb, float fold, float wrist )
{
	const float* share = limb->isFront ? s_frontFold : s_hindFold;
	supVec3 end = supVec3_zero;
	float total = 0.0f;
	for ( int32_t i = 0; i < reach->count; ++i )
	{
		reach->turns[i] = fold * share[i] + ( i == 3 ? wrist : 0.0f );
		total += reach->turns[i];
		end = supAdd( end, TurnX( reach->bones[i], total ) );
	}
	return end;
}

// Folds until the fetlock is as far from the trunk as `target`, then swings it there.
static void Solve( Reach* reach, const quadrupedLimb* limb, supVec3 target, float wrist )
{
	float wanted = target.y * target.y + target.z * target.z;
	float low = LEAST_FOLD, high = MOST_FOLD;
	for ( int i = 0; i < 24; ++i )
	{
		float middle = 0.5f * ( low + high );
		supVec3 end = Fold( reach, limb, middle, wrist );
		bool isLonger = end.y * end.y + end.z * end.z > wanted;
		low = isLonger ? middle : low;
		high = isLonger ? high : middle;
	}
	supVec3 end = Fold( reach, limb, low, wrist );
	reach->turns[0] += SwingOf( target ) - SwingOf( end );
}

void quadrupedPlaceFoot( creaturePose* pose, const quadrupedLimb* limb, quadrupedFoot foot )
{
	Reach reach = { .count = limb->jointCount - 2 };
	supVec3 rest[QUADRUPED_LIMB_JOINTS];
	for ( int32_t i = 0; i < limb->jointCount; ++i )
	{
		rest[i] = creatureRest( pose, limb->names[i] );
	}
	for ( int32_t i = 0; i < reach.count; ++i )
	{
		reach.bones[i] = supSub( rest[i + 1], rest[i] );
	}
	supVec3 fetlock = rest[limb->jointCount - 2], hoof = rest[limb->jointCount - 1];
	// it tips over the toe
	supVec3 toe = vec( hoof.x, 0.0f, hoof.z + 0.6f * hoof.y );
	supVec3 goal = supAdd( supAdd( toe, vec( foot.x, foot.y, foot.z ) ), TurnX( supSub( fetlock, toe ), foot.pitch ) );

	// as the trunk sees it
	supMat34 trunk = creaturePlace( pose, limb->trunk );
	supVec3 top = creaturePlace( pose, limb->names[0] ).t;
	supVec3 d = supSub( goal, top );
	supVec3 target = { supDot( trunk.cx, d ), supDot( trunk.cy, d ), supDot( trunk.cz, d ) };
	supVec3 hanging = supSub( fetlock, rest[0] );
	float direction = supAtan2( target.x, -target.y );
	// turned back into the plane of the leg
	target.y = -sqrtf( supMaxFloat( target.x * target.x + target.y * target.y - hanging.x * hanging.x, 1e-4f ) );
	float aside = direction - supAtan2( hanging.x, -target.y );
	Solve( &reach, limb, target, foot.wrist );

	// the leaning of the trunk, so that the hoof can undo it
	float total = supAtan2( trunk.cy.z, trunk.cy.y ) * ( 180.0f / SUP_PI );
	for ( int32_t i = 0; i < reach.count; ++i )
	{
		creatureTurn( pose, limb->names[i], 1, 0, 0, reach.turns[i] );
		total += reach.turns[i];
	}
	creatureTurn( pose, limb->names[0], 0, 0, 1, aside * ( 180.0f / SUP_PI ) );
	creatureTurn( pose, limb->names[limb->jointCount - 2], 1, 0, 0, foot.pitch - total );
	creatureTurn( pose, limb->names[limb->jointCount - 1], 1, 0, 0, 0.25f * supMaxFloat( foot.pitch - 20.0f, 0.0f ) );
}
