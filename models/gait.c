// SPDX-License-Identifier: MIT
#include "gait.h"

// Axes of the world at rest: the character faces +Z, its left is +X. Turning about +X by a positive angle leans a spine
// forward, swings a hanging leg back and bends a knee; about +Y turns to the left; about +Z lifts the left arm.

const gaitSide gaitSides[2] = {
	{ 1.0f,
	  0.0f,
	  "LeftShoulder",
	  "LeftUpperArm",
	  "LeftLowerArm",
	  "LeftHand",
	  "LeftUpperLeg",
	  "LeftLowerLeg",
	  "LeftFoot",
	  "LeftToes",
	  { "LeftEar1", "LeftEar2", "LeftEar3" } },
	{ -1.0f,
	  0.5f,
	  "RightShoulder",
	  "RightUpperArm",
	  "RightLowerArm",
	  "RightHand",
	  "RightUpperLeg",
	  "RightLowerLeg",
	  "RightFoot",
	  "RightToes",
	  { "RightEar1", "RightEar2", "RightEar3" } },
};

// Arms from the sides down to the body, elbows slightly bent.
static void LowerArms( creaturePose* pose, float degrees, float elbow )
{
	degrees *= creatureArmsDown( pose );
	for ( int i = 0; i < 2; ++i )
	{
		const gaitSide* s = gaitSides + i;
		creatureTurn( pose, s->shoulder, 0, 0, 1, -0.12f * degrees * s->sign );
		creatureTurn( pose, s->upperArm, 0, 0, 1, -0.88f * degrees * s->sign );
		creatureTurn( pose, s->lowerArm, 0, 1, 0, -elbow * s->sign );
	}
}

typedef struct Stride
{
	float leg;   // swing of the thighs, degrees either way
	float knee;  // bend of the knee while the leg swings forward
	float stand; // bend of the knee in the middle of the stance
	float arm;   // swing of the arms
	float elbow;
	float lean;    // of the trunk
	float flap;    // of ears and the like, degrees
	float bounce;  // height between steps, in hip heights
	float sway;    // sideways, in hip heights
	float twist;   // of hips against chest
	float lowered; // arms from the horizontal
} Stride;

static void Step( creaturePose* pose, float phase, const Stride* stride )
{
	float height = creatureHipHeight( pose );
	LowerArms( pose, stride->lowered, stride->elbow );
	for ( int i = 0; i < 2; ++i )
	{
		const gaitSide* s = gaitSides + i;
		float t = phase + s->offset;
		float swing = creatureCos( t );
		// the leg comes forward while the sine is negative: that is when the knee bends
		float lift = supMaxFloat( -creatureSin( t - 0.04f ), 0.0f );
		float bearing = supMaxFloat( creatureSin( t ), 0.0f );
		float knee = stride->knee * lift * lift + stride->stand * bearing;
		creatureTurn( pose, s->upperLeg, 1, 0, 0, -stride->leg * swing - 0.3f * knee );
		creatureTurn( pose, s->lowerLeg, 1, 0, 0, knee );
		// the foot stays level, then rolls over the toes
		float push = supMaxFloat( -swing, 0.0f ) * supMaxFloat( -swing, 0.0f );
		creatureTurn( pose, s->foot, 1, 0, 0, stride->leg * swing - 0.7f * knee + 0.7f * stride->leg * push );
		creatureTurn( pose, s->toes, 1, 0, 0, -0.6f * stride->leg * push );
		creatureTurn( pose, s->upperArm, 1, 0, 0, stride->arm * swing );
		for ( int k = 0; k < 3; ++k )
		{
			float lag = creatureSin( 2.0f * phase - 0.1f - 0.08f * (float)k );
			creatureTurn( pose, s->ears[k], 1, 0, 0, ( 1.0f + 0.7f * (float)k ) * stride->flap * lag );
		}
	}
	float turn = creatureCos( phase );
	creatureTurn( pose, "Hips", 0, 1, 0, stride->twist * turn );
	creatureTurn( pose, "Hips", 0, 0, 1, -0.35f * stride->twist * creatureSin( phase ) );
	creatureTurn( pose, "Spine", 0, 1, 0, -0.8f * stride->twist * turn );
	creatureTurn( pose, "Chest", 0, 1, 0, -0.8f * stride->twist * turn );
	creatureTurn( pose, "Spine", 1, 0, 0, 0.5f * stride->lean );
	creatureTurn( pose, "Chest", 1, 0, 0, 0.5f * stride->lean );
	creatureTurn( pose, "Neck", 1, 0, 0, -0.4f * stride->lean );
	creatureTurn( pose, "Head", 1, 0, 0, -0.4f * stride->lean );
	creatureTurn( pose, "Head", 0, 1, 0, 0.6f * stride->twist * turn );
	// in the air while the legs are spread
	float flight = supMaxFloat( creatureCos( 2.0f * phase ), 0.0f );
	creatureShift( pose, height * stride->sway * creatureSin( phase ), 0.0f, 0.0f );
	creatureFloor( pose, height * stride->bounce * flight * flight );
}

static void Walk( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	const Stride stride = { .leg = 24.0f,
							.knee = 52.0f,
							.stand = 8.0f,
							.arm = 26.0f,
							.elbow = 18.0f,
							.lean = 3.0f,
							.flap = 2.0f,
							.sway = 0.035f,
							.twist = 7.0f,
							.lowered = 62.0f };
	Step( pose, phase, &stride );
}

static void Run( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	const Stride stride = { .leg = 42.0f,
							.knee = 95.0f,
							.stand = 18.0f,
							.arm = 48.0f,
							.elbow = 80.0f,
							.lean = 14.0f,
							.flap = 4.0f,
							.bounce = 0.12f,
							.sway = 0.015f,
							.twist = 10.0f,
							.lowered = 64.0f };
	Step( pose, phase, &stride );
}

// How deep the knees are bent (0 to 1): both legs at once, feet staying on the ground.
static void Crouch( creaturePose* pose, float depth )
{
	float height = creatureHipHeight( pose );
	for ( int i = 0; i < 2; ++i )
	{
		const gaitSide* s = gaitSides + i;
		creatureTurn( pose, s->upperLeg, 1, 0, 0, -58.0f * depth );
		creatureTurn( pose, s->lowerLeg, 1, 0, 0, 92.0f * depth );
		creatureTurn( pose, s->foot, 1, 0, 0, -34.0f * depth );
	}
	creatureTurn( pose, "Spine", 1, 0, 0, 18.0f * depth );
	creatureTurn( pose, "Chest", 1, 0, 0, 10.0f * depth );
	creatureTurn( pose, "Head", 1, 0, 0, -18.0f * depth );
	creatureShift( pose, 0.0f, 0.0f, -0.06f * height * depth );
}

static void Jump( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float height = creatureHipHeight( pose );
	// gather, leave the ground at 0.35, land at 0.65, give, stand
	float gather = creatureRamp( 0.05f, 0.25f, phase ) - creatureRamp( 0.27f, 0.35f, phase );
	float land = creatureRamp( 0.63f, 0.72f, phase ) - creatureRamp( 0.76f, 0.96f, phase );
	float air = supClampFloat( ( phase - 0.35f ) / 0.30f, 0.0f, 1.0f );
	float flight = 4.0f * air * ( 1.0f - air );
	LowerArms( pose, 62.0f, 15.0f );
	Crouch( pose, gather + 0.8f * land + 0.25f * flight );
	float reach = creatureRamp( 0.26f, 0.38f, phase ) - creatureRamp( 0.55f, 0.75f, phase );
	for ( int i = 0; i < 2; ++i )
	{
		const gaitSide* s = gaitSides + i;
		creatureTurn( pose, s->upperArm, 1, 0, 0, 45.0f * gather - 110.0f * reach );
		creatureTurn( pose, s->toes, 1, 0, 0, 25.0f * flight );
	}
	creatureFloor( pose, 0.6f * height * flight );
}

static void Shake( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float height = creatureHipHeight( pose );
	float beat = creatureSin( 4.0f * phase );
	float slow = creatureSin( phase );
	float bounce = creatureSin( 8.0f * phase );
	LowerArms( pose, 20.0f + 25.0f * slow, 70.0f );
	Crouch( pose, 0.22f + 0.10f * bounce );
	creatureTurn( pose, "Hips", 0, 1, 0, 22.0f * beat );
	creatureTurn( pose, "Hips", 0, 0, 1, 7.0f * creatureCos( 4.0f * phase ) );
	creatureTurn( pose, "Spine", 0, 1, 0, -14.0f * beat );
	creatureTurn( pose, "Chest", 0, 1, 0, -18.0f * beat );
	creatureTurn( pose, "Chest", 0, 0, 1, -8.0f * creatureCos( 4.0f * phase ) );
	creatureTurn( pose, "Head", 0, 0, 1, 10.0f * creatureSin( 4.0f * phase + 0.1f ) );
	for ( int i = 0; i < 2; ++i )
	{
		const gaitSide* s = gaitSides + i;
		creatureTurn( pose, s->upperArm, 1, 0, 0, -20.0f + 25.0f * creatureSin( 4.0f * phase + s->offset ) );
		creatureTurn( pose, s->hand, 0, 0, 1, 25.0f * bounce * s->sign );
	}
	creatureShift( pose, 0.05f * height * creatureCos( 4.0f * phase ), 0.0f, 0.0f );
	creatureFloor( pose, 0.0f );
}

// There and back: 0 at both ends, 1 held in the middle.
static float Hold( float phase )
{
	return creatureRamp( 0.05f, 0.4f, phase ) - creatureRamp( 0.6f, 0.95f, phase );
}

static void ForearmTwist( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	for ( int i = 0; i < 2; ++i )
	{
		const gaitSide* s = gaitSides + i;
		supVec3 axis = creatureBoneAxis( pose, s->lowerArm, s->hand );
		creatureTurn( pose, s->lowerArm, axis.x, axis.y, axis.z, 180.0f * Hold( phase ) * s->sign );
	}
}

static void ElbowBend( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	for ( int i = 0; i < 2; ++i )
	{
		const gaitSide* s = gaitSides + i;
		creatureTurn( pose, s->lowerArm, 0, 1, 0, -120.0f * Hold( phase ) * s->sign );
	}
}

static void HeadTurn( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float turn = 70.0f * creatureSin( phase );
	LowerArms( pose, 60.0f, 15.0f );
	creatureTurn( pose, "Neck", 0, 1, 0, 0.4f * turn );
	creatureTurn( pose, "Head", 0, 1, 0, 0.6f * turn );
	creatureTurn( pose, "Head", 1, 0, 0, 10.0f * creatureSin( 2.0f * phase ) );
}

// Topples over backwards and comes to lie.
static void Fall( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float height = creatureHipHeight( pose );
	float u = supClampFloat( ( phase - 0.1f ) / 0.45f, 0.0f, 1.0f );
	float tip = u * u;
	// two small bounces after the blow
	float after = supClampFloat( ( phase - 0.55f ) / 0.35f, 0.0f, 1.0f );
	float bounce = ( 1.0f - after ) * ( 1.0f - after ) * supMaxFloat( creatureSin( after ), -creatureSin( after ) );
	LowerArms( pose, 55.0f - 45.0f * tip, 20.0f );
	creatureTurn( pose, "Hips", 1, 0, 0, -creatureLyingTilt( pose ) * tip + 6.0f * bounce );
	creatureTurn( pose, "Tail", 1, 0, 0, -95.0f * tip );
	creatureTurn( pose, "Cap1", 1, 0, 0, 18.0f * tip );
	creatureTurn( pose, "Cap2", 1, 0, 0, 45.0f * tip );
	creatureTurn( pose, "Cap3", 1, 0, 0, 35.0f * tip );
	creatureTurn( pose, "Neck", 1, 0, 0, 18.0f * ( tip - creatureRamp( 0.5f, 0.62f, phase ) ) );
	for ( int i = 0; i < 2; ++i )
	{
		const gaitSide* s = gaitSides + i;
		creatureTurn( pose, s->ears[0], 1, 0, 0, 14.0f * tip );
		float kick = creatureRamp( 0.2f, 0.5f, phase ) - 0.7f * creatureRamp( 0.55f, 0.75f, phase );
		creatureTurn( pose, s->upperLeg, 1, 0, 0, -40.0f * kick );
		creatureTurn( pose, s->lowerLeg, 1, 0, 0, 45.0f * kick );
	}
	creatureShift( pose, 0.0f, 0.0f, -0.35f * height * tip );
	creatureFloor( pose, 0.10f * height * bounce );
}

void addBipedClips( creature* c )
{
	creatureClip( c, "Walk", 1.1f, Walk );
	creatureClip( c, "Run", 0.7f, Run );
	creatureClip( c, "Jump", 1.6f, Jump );
	creatureClip( c, "Shake", 2.0f, Shake );
	creatureClip( c, "ForearmTwist", 2.0f, ForearmTwist );
	creatureClip( c, "ElbowBend", 2.0f, ElbowBend );
	creatureClip( c, "HeadTurn", 2.4f, HeadTurn );
	creatureClip( c, "Fall", 1.8f, Fall );
}
