// SPDX-License-Identifier: MIT
#include "quadruped.h"

// Turning about +X by a positive angle lowers the front of the trunk and the head; about +Y turns to the left; about +Z
// rolls to the right.

static const char* const s_spine[] = { "Spine1", "Spine2", "Spine3", "Chest" };
static const char* const s_neck[] = { "Neck1", "Neck2", "Neck3" };
static const char* const s_mane[] = { "Mane1", "Mane2", "Mane3" };
static const char* const s_tail[] = { "Tail1", "Tail2", "Tail3", "Tail4", "Tail5", "Tail6" };

static int32_t CountOf( const creaturePose* pose, const char* const* names, int32_t most )
{
	int32_t count = 0;
	while ( count < most && creatureRest( pose, names[count] ).y != 0.0f )
	{
		count += 1;
	}
	return count;
}

static void TurnSpine( creaturePose* pose, float x, float y, float z, float degrees )
{
	int32_t joints = 1 + CountOf( pose, s_spine, 3 );
	for ( int32_t i = 0; i < SUP_COUNT( s_spine ); ++i )
	{
		creatureTurn( pose, s_spine[i], x, y, z, degrees / (float)joints );
	}
}

static void TurnNeck( creaturePose* pose, float x, float y, float z, float degrees )
{
	int32_t joints = CountOf( pose, s_neck, SUP_COUNT( s_neck ) );
	for ( int32_t i = 0; i < joints; ++i )
	{
		creatureTurn( pose, s_neck[i], x, y, z, degrees / (float)joints );
	}
}

// A wave that runs down the tail.
static void WaveTail( creaturePose* pose, float aside, float up, float phase )
{
	int32_t joints = CountOf( pose, s_tail, SUP_COUNT( s_tail ) );
	for ( int32_t i = 0; i < joints; ++i )
	{
		float wave = creatureSin( phase - 0.12f * (float)i );
		creatureTurn( pose, s_tail[i], 0, 0, 1, aside * wave / (float)joints );
		// long tails give way from joint to joint, stumps rise as a whole
		creatureTurn( pose, s_tail[i], 1, 0, 0, up / ( i == 0 ? 1.0f : 2.0f * (float)i + 2.0f ) );
	}
}

static void WaveMane( creaturePose* pose, float degrees, float phase )
{
	for ( int32_t i = 0; i < SUP_COUNT( s_mane ); ++i )
	{
		creatureTurn( pose, s_mane[i], 0, 0, 1, degrees * creatureSin( phase - 0.1f * (float)i ) );
	}
}

// Backwards for positive angles, alike on both sides.
static void TurnEars( creaturePose* pose, float degrees, float droop )
{
	creatureTurn( pose, "LeftEar", 0, 1, 0, degrees );
	creatureTurn( pose, "RightEar", 0, 1, 0, -degrees );
	creatureTurn( pose, "LeftEar", 0, 0, 1, -droop );
	creatureTurn( pose, "RightEar", 0, 0, 1, droop );
}

static void StandStill( creaturePose* pose )
{
	for ( int i = 0; i < 4; ++i )
	{
		quadrupedPlaceFoot( pose, quadrupedLimbs + i, ( quadrupedFoot ){ 0 } );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Gaits

typedef struct Gait
{
	float offset[4];  // of each foot's cycle, in turns
	float duty;       // share of the cycle on the ground
	float sweep;      // along the ground, in hip heights
	float lift[2];    // of the hind feet and of the front feet in the air, in hip heights
	float push, curl; // pitch of the hoof before it leaves and in the air, degrees
	float wrist;      // folding of the front knees in the air, degrees
	float lowered;    // of the trunk, in hip heights
	float forward[2]; // of the middle of the sweep, hind and front, in hip heights
} Gait;

// t from touching the ground to touching it again.
static quadrupedFoot Cycle( const Gait* gait, bool isFront, float t, float height )
{
	quadrupedFoot foot = { 0 };
	float half = 0.5f * gait->sweep * height;
	if ( t < gait->duty )
	{
		float u = t / gait->duty;
		float leaving = creatureRamp( 0.7f, 1.0f, u );
		foot.z = half * ( 1.0f - 2.0f * u );
		foot.pitch = gait->push * leaving;
	}
	else
	{
		float u = ( t - gait->duty ) / ( 1.0f - gait->duty );
		// Hermite: leaves and comes down with something of the speed of the ground
		float slope = -0.5f * half * ( 1.0f - gait->duty ) / gait->duty;
		float ramp = u * u * ( 3.0f - 2.0f * u );
		foot.z = half * ( 2.0f * ramp - 1.0f ) + slope * ( u * ( 1.0f - u ) * ( 1.0f - 2.0f * u ) );
		float air = 4.0f * u * ( 1.0f - u );
		foot.y = gait->lift[isFront ? 1 : 0] * height * air * ( 0.5f + 0.5f * air );
		float gone = creatureRamp( 0.0f, 0.35f, u );
		foot.pitch = gait->push * ( 1.0f - gone ) + gait->curl * ( gone - creatureRamp( 0.45f, 0.95f, u ) );
		foot.wrist = isFront ? gait->wrist * ( creatureRamp( 0.0f, 0.4f, u ) - creatureRamp( 0.45f, 0.9f, u ) ) : 0.0f;
	}
	foot.z += gait->forward[isFront ? 1 : 0] * height;
	return foot;
}

static void StepAll( creaturePose* pose, const Gait* gait, float phase )
{
	float height = creatureHipHeight( pose );
	for ( int i = 0; i < 4; ++i )
	{
		const quadrupedLimb* limb = quadrupedLimbs + i;
		float t = phase - gait->offset[i] + 1.0f;
		t -= (float)(int32_t)t;
		quadrupedPlaceFoot( pose, limb, Cycle( gait, limb->isFront, t, height ) );
	}
}

// Four beats: each hind foot is followed by the front foot of its side.
static void Walk( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	const Gait gait = { .offset = { 0.0f, 0.25f, 0.5f, 0.75f },
						.duty = 0.63f,
						.sweep = 0.42f,
						.lift = { 0.075f, 0.085f },
						.push = 28.0f,
						.curl = 42.0f,
						.wrist = 40.0f,
						.lowered = 0.025f };
	float height = creatureHipHeight( pose );
	// the hips sink on the side of the hind leg that swings, and turn with it
	creatureShift( pose, 0.012f * height * creatureSin( phase ),
				   height * ( 0.008f * creatureCos( 2.0f * phase ) - gait.lowered ), 0.0f );
	creatureTurn( pose, "Hips", 0, 0, 1, 2.0f * creatureSin( phase - 0.05f ) );
	creatureTurn( pose, "Hips", 0, 1, 0, -3.0f * creatureCos( phase ) );
	TurnSpine( pose, 0, 1, 0, 5.0f * creatureCos( phase - 0.1f ) );
	TurnSpine( pose, 0, 0, 1, -3.5f * creatureSin( phase - 0.12f ) );
	float nod = creatureSin( 2.0f * phase + 0.1f );
	TurnNeck( pose, 1, 0, 0, 6.0f + 5.0f * nod );
	TurnNeck( pose, 0, 1, 0, -2.0f * creatureCos( phase - 0.1f ) );
	creatureTurn( pose, "Head", 1, 0, 0, -4.0f - 4.0f * nod );
	TurnEars( pose, 6.0f * creatureSin( 2.0f * phase ), 4.0f * creatureSin( 2.0f * phase - 0.1f ) );
	WaveTail( pose, 22.0f, 4.0f, phase );
	WaveMane( pose, 5.0f, phase );
	creatureTurn( pose, "Udder", 0, 0, 1, 10.0f * creatureSin( phase - 0.15f ) );
	StepAll( pose, &gait, phase );
	creatureFloor( pose, 0.0f );
}

// Gallop: hind feet, then front feet, then all gathered in the air.
static void Run( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	const Gait gait = { .offset = { 0.0f, 0.34f, 0.10f, 0.45f },
						.duty = 0.27f,
						.sweep = 0.80f,
						.lift = { 0.20f, 0.20f },
						.push = 45.0f,
						.curl = 80.0f,
						.wrist = 80.0f,
						.lowered = 0.07f,
						.forward = { 0.10f, -0.02f } };
	float height = creatureHipHeight( pose );
	// gathered at 0.85, stretched at 0.32
	float gathered = creatureCos( phase - 0.85f );
	float rocking = creatureSin( phase - 0.12f );
	creatureShift( pose, 0.0f, -gait.lowered * height, 0.04f * height * creatureSin( phase ) );
	creatureTurn( pose, "Hips", 1, 0, 0, 4.0f * rocking - 7.0f * gathered );
	TurnSpine( pose, 1, 0, 0, 12.0f * gathered );
	TurnNeck( pose, 1, 0, 0, 18.0f - 6.0f * rocking - 6.0f * gathered );
	creatureTurn( pose, "Head", 1, 0, 0, -12.0f + 4.0f * creatureSin( phase - 0.3f ) );
	TurnEars( pose, 25.0f + 6.0f * creatureSin( phase ), 8.0f * creatureSin( phase - 0.1f ) );
	WaveTail( pose, 10.0f, 40.0f + 10.0f * creatureSin( phase - 0.2f ), 2.0f * phase );
	WaveMane( pose, 14.0f, phase );
	creatureTurn( pose, "Udder", 1, 0, 0, 14.0f * creatureSin( phase - 0.25f ) );
	StepAll( pose, &gait, phase );
	float flight = supMaxFloat( creatureCos( phase - 0.86f ) - 0.55f, 0.0f ) / 0.45f;
	creatureFloor( pose, 0.09f * height * flight );
}

// ---------------------------------------------------------------------------------------------------------------------
// On the spot

static void Jump( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float height = creatureHipHeight( pose );
	// gather, rise in front, push off behind, tuck, come down in front first
	float gather = creatureRamp( 0.04f, 0.22f, phase ) - creatureRamp( 0.24f, 0.34f, phase );
	float rear = creatureRamp( 0.22f, 0.34f, phase ) - creatureRamp( 0.36f, 0.64f, phase );
	float dive = creatureRamp( 0.45f, 0.62f, phase ) - creatureRamp( 0.66f, 0.78f, phase );
	float land = creatureRamp( 0.66f, 0.76f, phase ) - creatureRamp( 0.80f, 0.98f, phase );
	float air = supClampFloat( ( phase - 0.34f ) / 0.34f, 0.0f, 1.0f );
	float flight = 4.0f * air * ( 1.0f - air );
	float frontTuck = creatureRamp( 0.24f, 0.38f, phase ) - creatureRamp( 0.48f, 0.64f, phase );
	float hindTuck = creatureRamp( 0.38f, 0.48f, phase ) - creatureRamp( 0.58f, 0.72f, phase );
	creatureShift( pose, 0.0f, -0.16f * height * ( gather + 0.8f * land ), -0.08f * height * gather );
	creatureTurn( pose, "Hips", 1, 0, 0, -20.0f * rear + 14.0f * dive + 4.0f * gather );
	TurnSpine( pose, 1, 0, 0, 10.0f * gather - 8.0f * rear + 6.0f * flight );
	TurnNeck( pose, 1, 0, 0, 14.0f * gather + 10.0f * flight - 8.0f * dive );
	creatureTurn( pose, "Head", 1, 0, 0, -8.0f * gather + 8.0f * rear - 10.0f * dive );
	TurnEars( pose, 20.0f * gather + 15.0f * flight, 10.0f * land );
	WaveTail( pose, 6.0f, 45.0f * flight + 10.0f * gather, 2.0f * phase );
	WaveMane( pose, 12.0f * flight, 3.0f * phase );
	creatureTurn( pose, "Udder", 1, 0, 0, 20.0f * ( flight - land ) );
	for ( int i = 0; i < 4; ++i )
	{
		const quadrupedLimb* limb = quadrupedLimbs + i;
		float tuck = limb->isFront ? frontTuck : hindTuck;
		quadrupedFoot foot = { .y = 0.33f * height * tuck,
							   .z = ( limb->isFront ? 0.02f : 0.05f ) * height * tuck,
							   .pitch = 75.0f * tuck,
							   .wrist = 70.0f * tuck };
		// the hind feet stay behind while the trunk leaves
		foot.z -= limb->isFront ? 0.0f : 0.22f * height * rear * ( 1.0f - hindTuck );
		foot.y -= limb->isFront ? 0.0f : 0.10f * height * rear * ( 1.0f - hindTuck );
		foot.z += limb->isFront ? 0.10f * height * dive : 0.0f;
		quadrupedPlaceFoot( pose, limb, foot );
	}
	creatureFloor( pose, 0.45f * height * flight );
}

// As if wet: a roll that runs from the head to the tail.
static void Shake( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float height = creatureHipHeight( pose );
	float strength = creatureRamp( 0.0f, 0.2f, phase ) - creatureRamp( 0.8f, 1.0f, phase );
	float beats = 7.0f * phase;
	creatureShift( pose, 0.0f, -0.04f * height * strength, 0.0f );
	creatureTurn( pose, "Hips", 0, 0, 1, 6.0f * strength * creatureSin( beats - 0.45f ) );
	TurnSpine( pose, 0, 0, 1, 16.0f * strength * creatureSin( beats - 0.15f ) );
	TurnNeck( pose, 1, 0, 0, 24.0f * strength );
	TurnNeck( pose, 0, 0, 1, 24.0f * strength * creatureSin( beats ) );
	creatureTurn( pose, "Head", 0, 0, 1, 24.0f * strength * creatureSin( beats + 0.05f ) );
	creatureTurn( pose, "LeftEar", 0, 0, 1, 40.0f * strength * creatureSin( beats - 0.2f ) );
	creatureTurn( pose, "RightEar", 0, 0, 1, 40.0f * strength * creatureSin( beats - 0.2f ) );
	creatureTurn( pose, "Udder", 0, 0, 1, 20.0f * strength * creatureSin( beats - 0.5f ) );
	WaveTail( pose, 70.0f * strength, 10.0f * strength, beats - 0.6f );
	WaveMane( pose, 30.0f * strength, beats - 0.2f );
	StandStill( pose );
	creatureFloor( pose, 0.0f );
}

static void HeadTurn( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float turn = creatureSin( phase );
	float dip = creatureSin( 2.0f * phase );
	TurnSpine( pose, 0, 1, 0, 5.0f * turn );
	TurnNeck( pose, 0, 1, 0, 55.0f * turn );
	creatureTurn( pose, "Head", 0, 1, 0, 22.0f * turn );
	creatureTurn( pose, "Head", 1, 0, 0, 8.0f * dip );
	creatureTurn( pose, "LeftEar", 0, 1, 0, 25.0f * creatureSin( 3.0f * phase ) );
	creatureTurn( pose, "RightEar", 0, 1, 0, 25.0f * creatureSin( 2.0f * phase ) );
	WaveTail( pose, 30.0f * turn * turn, 0.0f, 3.0f * phase );
	StandStill( pose );
	creatureFloor( pose, 0.0f );
}

// The muzzle goes down to the grass and chews.
static void Graze( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float height = creatureHipHeight( pose );
	float down = creatureRamp( 0.02f, 0.35f, phase ) - creatureRamp( 0.65f, 0.98f, phase );
	float chew = down * down * ( 0.5f - 0.5f * creatureCos( 10.0f * phase ) );
	supVec3 neck = creatureRest( pose, "Neck1" ), head = creatureRest( pose, "Head" );
	// how far the neck must swing for the head to come to the height of the knees
	float length = supDistance( neck, head );
	float sine = supClampFloat( ( neck.y - 0.40f * height ) / length, -0.95f, 0.95f );
	float rise = supAtan2( head.y - neck.y, head.z - neck.z );
	float swing = ( rise + supAtan2( sine, sqrtf( 1.0f - sine * sine ) ) ) * ( 180.0f / SUP_PI );
	creatureShift( pose, 0.0f, -0.03f * height * down, -0.03f * height * down );
	creatureTurn( pose, "Hips", 1, 0, 0, 4.0f * down );
	// most of it at the withers, and the face ends up a little ahead of upright
	creatureTurn( pose, "Neck1", 1, 0, 0, 0.7f * ( swing - 4.0f ) * down );
	TurnNeck( pose, 1, 0, 0, 0.3f * ( swing - 4.0f ) * down );
	creatureTurn( pose, "Head", 1, 0, 0, ( 32.0f - swing ) * down );
	creatureTurn( pose, "Jaw", 1, 0, 0, 9.0f * chew );
	TurnEars( pose, 12.0f * creatureSin( 4.0f * phase ) * down, 0.0f );
	WaveTail( pose, 45.0f * down, 4.0f * down, 4.0f * phase );
	WaveMane( pose, 10.0f * down, 0.25f );
	for ( int i = 0; i < 4; ++i )
	{
		// one front foot steps ahead to let the head down
		float ahead = i == 1 ? 0.16f * height * down : i == 3 ? -0.10f * height * down : 0.0f;
		quadrupedPlaceFoot( pose, quadrupedLimbs + i, ( quadrupedFoot ){ .z = ahead } );
	}
	creatureFloor( pose, 0.0f );
}

// The legs give way and it tips over onto its left side.
static void Fall( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float height = creatureHipHeight( pose );
	float u = supClampFloat( ( phase - 0.08f ) / 0.45f, 0.0f, 1.0f );
	float tip = u * u;
	float after = supClampFloat( ( phase - 0.53f ) / 0.35f, 0.0f, 1.0f );
	float wave = creatureSin( after );
	float bounce = ( 1.0f - after ) * ( 1.0f - after ) * ( wave < 0.0f ? -wave : wave );
	float limp = creatureRamp( 0.50f, 0.75f, phase );
	creatureTurn( pose, "Hips", 0, 0, 1, -88.0f * tip + 4.0f * bounce );
	// the neck stays upright as long as it can, then follows
	TurnNeck( pose, 0, 0, 1, 34.0f * ( tip - creatureRamp( 0.48f, 0.66f, phase ) ) - 6.0f * limp );
	TurnNeck( pose, 1, 0, 0, 26.0f * limp );
	creatureTurn( pose, "Head", 0, 0, 1, -4.0f * limp );
	creatureTurn( pose, "Udder", 0, 0, 1, -12.0f * limp + 20.0f * bounce );
	float kick = creatureRamp( 0.15f, 0.45f, phase ) - 0.55f * limp;
	for ( int i = 0; i < 4; ++i )
	{
		const quadrupedLimb* limb = quadrupedLimbs + i;
		float far = limb->sign > 0.0f ? 0.35f : 1.0f;
		int32_t root = limb->isFront ? 1 : 0;
		creatureTurn( pose, limb->names[root], 1, 0, 0, ( limb->isFront ? 22.0f : -16.0f ) * kick * far );
		creatureTurn( pose, limb->names[root + 1], 1, 0, 0, ( limb->isFront ? -34.0f : 26.0f ) * kick * far );
		creatureTurn( pose, limb->names[root + 2], 1, 0, 0, ( limb->isFront ? 40.0f : -24.0f ) * kick * far );
		creatureTurn( pose, limb->names[root + 3], 1, 0, 0, 18.0f * kick );
		// the legs that end up above come down to the ground
		creatureTurn( pose, limb->names[0], 0, 0, 1, limb->sign > 0.0f ? 6.0f * limp : -9.0f * limp );
	}
	WaveTail( pose, 10.0f * bounce, 14.0f * kick, 3.0f * phase );
	WaveMane( pose, -20.0f * tip, 0.25f );
	creatureShift( pose, 0.35f * height * tip, 0.0f, 0.0f );
	creatureFloor( pose, 0.05f * height * bounce );
}

void addQuadrupedClips( creature* c )
{
	creatureClip( c, "Walk", 1.2f, Walk );
	creatureClip( c, "Run", 0.6f, Run );
	creatureClip( c, "Jump", 1.6f, Jump );
	creatureClip( c, "Shake", 1.8f, Shake );
	creatureClip( c, "HeadTurn", 2.4f, HeadTurn );
	creatureClip( c, "Graze", 4.0f, Graze );
	creatureClip( c, "Fall", 1.8f, Fall );
}
