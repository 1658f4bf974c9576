// SPDX-License-Identifier: MIT
// A hopper with a heavy tail: 32 bones, 3206 vertices.
#include "creature.h"
#include "creatures.h"
#include "gait.h"

static const supVec3 s_fur = { 0.36f, 0.19f, 0.10f };
static const supVec3 s_pale = { 0.66f, 0.50f, 0.36f };
static const supVec3 s_dark = { 0.07f, 0.045f, 0.035f };

#define TAIL_JOINTS 6
static const char* const s_tail[TAIL_JOINTS] = { "Tail1", "Tail2", "Tail3", "Tail4", "Tail5", "Tail6" };

static void BuildTail( creature* c, int32_t hips )
{
	static const supVec3 at[TAIL_JOINTS + 1] = {
		{ 0.0f, 0.660f, -0.230f }, { 0.0f, 0.470f, -0.400f }, { 0.0f, 0.290f, -0.560f }, { 0.0f, 0.155f, -0.740f },
		{ 0.0f, 0.080f, -0.930f }, { 0.0f, 0.048f, -1.110f }, { 0.0f, 0.036f, -1.290f },
	};
	static const float radii[TAIL_JOINTS + 1] = { 0.125f, 0.100f, 0.080f, 0.064f, 0.050f, 0.038f, 0.026f };
	int32_t parent = hips;
	for ( int i = 0; i < TAIL_JOINTS; ++i )
	{
		parent = creatureJoint( c, s_tail[i], parent, at[i] );
		creatureCone( c, parent, at[i], radii[i], at[i + 1], radii[i + 1], i == 0 ? 0.10f : 0.012f,
					  i == TAIL_JOINTS - 1 ? supScale( 0.5f, s_fur ) : s_fur );
	}
}

static void BuildHead( creature* c, int32_t neck )
{
	int32_t head = creatureJoint( c, "Head", neck, vec( 0.0f, 1.365f, 0.165f ) );
	int32_t jaw = creatureJoint( c, "Jaw", head, vec( 0.0f, 1.375f, 0.215f ) );
	creatureEllipsoid( c, head, vec( 0.0f, 1.425f, 0.190f ), vec( 0.072f, 0.078f, 0.092f ), 0.03f, s_fur )->fineness =
		1.2f;
	creatureCone( c, head, vec( 0.0f, 1.412f, 0.215f ), 0.062f, vec( 0.0f, 1.372f, 0.365f ), 0.036f, 0.03f, s_fur )
		->fineness = 1.3f;
	creatureEllipsoid( c, head, vec( 0.0f, 1.364f, 0.372f ), vec( 0.042f, 0.032f, 0.040f ), 0.02f, s_pale )->fineness =
		1.3f;
	creatureEllipsoid( c, head, vec( 0.0f, 1.388f, 0.402f ), vec( 0.026f, 0.018f, 0.016f ), 0.006f, s_dark )->fineness =
		1.5f;
	creatureCone( c, jaw, vec( 0.0f, 1.378f, 0.230f ), 0.042f, vec( 0.0f, 1.347f, 0.345f ), 0.028f, 0.03f, s_pale )
		->fineness = 1.3f;
	for ( int i = 0; i < 2; ++i )
	{
		float x = gaitSides[i].sign;
		creatureEye( c, head, vec( 0.052f * x, 1.438f, 0.238f ), 0.024f, vec( 0.75f * x, 0.08f, 0.75f ),
					 vec( 0.12f, 0.05f, 0.015f ) );
		creatureEllipsoid( c, head, vec( 0.050f * x, 1.457f, 0.232f ), vec( 0.026f, 0.014f, 0.032f ), 0.012f, s_fur )
			->fineness = 1.4f;
		int32_t base = creatureJoint( c, gaitSides[i].ears[0], head, vec( 0.048f * x, 1.485f, 0.155f ) );
		int32_t tip = creatureJoint( c, gaitSides[i].ears[1], base, vec( 0.082f * x, 1.575f, 0.145f ) );
		supQuat lean = supMakeQuatAxisAngle( vec( 0.0f, 0.0f, 1.0f ), -0.36f * x );
		const supVec3 centers[2] = { vec( 0.066f * x, 1.535f, 0.148f ), vec( 0.088f * x, 1.595f, 0.142f ) };
		for ( int k = 0; k < 2; ++k )
		{
			sculptBlob* part = creatureEllipsoid( c, k == 0 ? base : tip, centers[k],
												  vec( 0.043f - 0.006f * (float)k, 0.080f, 0.026f ), 0.03f, s_fur );
			part->rotation = lean;
			part->fineness = 1.3f;
		}
		sculptBlob* hollow = creatureEllipsoid( c, tip, vec( 0.079f * x, 1.570f, 0.176f ),
												vec( 0.022f, 0.078f, 0.022f ), 0.015f, s_pale );
		hollow->use = sculpt_carve;
		hollow->rotation = lean;
	}
}

static void BuildArm( creature* c, int32_t chest, const gaitSide* side )
{
	float x = side->sign;
	int32_t shoulder = creatureJoint( c, side->shoulder, chest, vec( 0.045f * x, 1.135f, 0.10f ) );
	int32_t upper = creatureJoint( c, side->upperArm, shoulder, vec( 0.105f * x, 1.105f, 0.115f ) );
	int32_t lower = creatureJoint( c, side->lowerArm, upper, vec( 0.150f * x, 0.960f, 0.135f ) );
	int32_t hand = creatureJoint( c, side->hand, lower, vec( 0.155f * x, 0.895f, 0.275f ) );
	creatureBone( c, shoulder, upper, 0.060f, 0.056f, 0.05f, s_fur );
	creatureBone( c, upper, lower, 0.052f, 0.040f, 0.03f, s_fur );
	creatureBone( c, lower, hand, 0.040f, 0.028f, 0.015f, s_fur );
	creatureEllipsoid( c, hand, vec( 0.155f * x, 0.878f, 0.312f ), vec( 0.032f, 0.026f, 0.042f ), 0.012f, s_dark );
	for ( int finger = -1; finger <= 1; ++finger )
	{
		float u = (float)finger;
		creatureCone( c, hand, vec( ( 0.155f + 0.022f * u ) * x, 0.872f, 0.330f ), 0.015f,
					  vec( ( 0.155f + 0.040f * u ) * x, 0.848f, 0.372f ), 0.0125f, 0.006f, s_dark )
			->fineness = 1.5f;
	}
}

static void BuildLeg( creature* c, int32_t hips, const gaitSide* side )
{
	float x = side->sign;
	int32_t upper = creatureJoint( c, side->upperLeg, hips, vec( 0.125f * x, 0.700f, -0.045f ) );
	int32_t lower = creatureJoint( c, side->lowerLeg, upper, vec( 0.175f * x, 0.470f, 0.165f ) );
	int32_t foot = creatureJoint( c, side->foot, lower, vec( 0.160f * x, 0.115f, -0.130f ) );
	int32_t toes = creatureJoint( c, side->toes, foot, vec( 0.165f * x, 0.045f, 0.150f ) );
	creatureBone( c, upper, lower, 0.150f, 0.078f, 0.06f, s_fur );
	sculptBlob* thigh =
		creatureEllipsoid( c, upper, vec( 0.150f * x, 0.620f, 0.020f ), vec( 0.100f, 0.175f, 0.150f ), 0.05f, s_fur );
	thigh->rotation = supMakeQuatAxisAngle( vec( 1.0f, 0.0f, 0.0f ), -0.7f );
	creatureBone( c, lower, foot, 0.074f, 0.040f, 0.04f, s_fur );
	creatureCone( c, lower, vec( 0.172f * x, 0.400f, 0.090f ), 0.064f, vec( 0.165f * x, 0.250f, -0.030f ), 0.044f,
				  0.03f, s_fur );
	// the long foot
	creatureCone( c, foot, vec( 0.160f * x, 0.085f, -0.130f ), 0.046f, vec( 0.165f * x, 0.045f, 0.130f ), 0.040f, 0.03f,
				  supScale( 0.7f, s_fur ) );
	creatureCone( c, toes, vec( 0.165f * x, 0.042f, 0.150f ), 0.040f, vec( 0.170f * x, 0.028f, 0.330f ), 0.024f, 0.02f,
				  s_dark );
	creatureCone( c, toes, vec( 0.195f * x, 0.034f, 0.150f ), 0.030f, vec( 0.232f * x, 0.024f, 0.250f ), 0.018f, 0.01f,
				  s_dark );
}

// ---------------------------------------------------------------------------------------------------------------------
// Clips

static void SwingTail( creaturePose* pose, float degrees, float phase, float lag )
{
	for ( int i = 0; i < TAIL_JOINTS; ++i )
	{
		creatureTurn( pose, s_tail[i], 1, 0, 0, degrees * creatureSin( phase - lag * (float)i ) );
	}
}

// Both legs at once. `crouch` folds them, `reach` swings them forward (positive) or stretches them back; the foot stays
// level but for `roll` onto the toes.
static void PoseLegs( creaturePose* pose, float crouch, float reach, float roll )
{
	for ( int i = 0; i < 2; ++i )
	{
		const gaitSide* s = gaitSides + i;
		float thigh = -14.0f * crouch - 30.0f * reach;
		float shin = 26.0f * crouch + ( reach < 0.0f ? 34.0f * reach : 8.0f * reach );
		creatureTurn( pose, s->upperLeg, 1, 0, 0, thigh );
		creatureTurn( pose, s->lowerLeg, 1, 0, 0, shin );
		creatureTurn( pose, s->foot, 1, 0, 0, -thigh - shin + roll );
		creatureTurn( pose, s->toes, 1, 0, 0, -0.6f * roll );
	}
}

// phase 0: deepest in the crouch; 0.25: taking off; 0.5: highest; 0.75: about to land.
static void Bound( creaturePose* pose, float phase, float height, float lean )
{
	float up = -creatureCos( phase );
	float push = creatureSin( phase );
	float back = supMaxFloat( push, 0.0f );
	float flight = supMaxFloat( up + 0.15f, 0.0f ) / 1.15f;
	PoseLegs( pose, 0.9f * supMaxFloat( -up, 0.0f ) + 0.5f * flight, -0.95f * push, 48.0f * back * back );
	creatureTurn( pose, "Hips", 1, 0, 0, lean + 5.0f * push );
	for ( int i = 0; i < 2; ++i )
	{
		// the legs hang from hips that lean
		creatureTurn( pose, gaitSides[i].upperLeg, 1, 0, 0, -lean - 5.0f * push );
		creatureTurn( pose, gaitSides[i].upperArm, 1, 0, 0, -6.0f - 10.0f * creatureSin( phase - 0.1f ) );
		creatureTurn( pose, gaitSides[i].lowerArm, 1, 0, 0, -14.0f * creatureSin( phase - 0.2f ) );
		creatureTurn( pose, gaitSides[i].ears[0], 1, 0, 0, -10.0f * creatureSin( phase - 0.3f ) - 8.0f );
		creatureTurn( pose, gaitSides[i].ears[1], 1, 0, 0, -12.0f * creatureSin( phase - 0.4f ) );
	}
	creatureTurn( pose, "Spine", 1, 0, 0, 5.0f * creatureCos( phase ) );
	creatureTurn( pose, "Neck", 1, 0, 0, -0.5f * lean - 4.0f * push );
	creatureTurn( pose, "Head", 1, 0, 0, -0.4f * lean - 4.0f * creatureCos( phase ) );
	// off the ground, and swinging against the body
	creatureTurn( pose, "Tail1", 1, 0, 0, 0.5f * lean );
	for ( int i = 1; i < TAIL_JOINTS - 1; ++i )
	{
		creatureTurn( pose, s_tail[i], 1, 0, 0, 4.5f );
	}
	SwingTail( pose, 5.0f, phase - 0.05f, 0.06f );
	creatureFloor( pose, height * flight * ( 2.0f - flight ) );
}

static void Hop( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	Bound( pose, phase, 0.16f, 14.0f );
}

static void Run( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	Bound( pose, phase, 0.34f, 30.0f );
}

static void Jump( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float gather = creatureRamp( 0.05f, 0.25f, phase ) - creatureRamp( 0.28f, 0.36f, phase );
	float land = creatureRamp( 0.66f, 0.74f, phase ) - creatureRamp( 0.78f, 0.97f, phase );
	float air = supClampFloat( ( phase - 0.34f ) / 0.34f, 0.0f, 1.0f );
	float flight = 4.0f * air * ( 1.0f - air );
	float stretch = creatureRamp( 0.27f, 0.36f, phase ) - creatureRamp( 0.40f, 0.52f, phase );
	PoseLegs( pose, gather + 0.8f * land + 0.6f * flight, -stretch, 45.0f * stretch );
	creatureTurn( pose, "Spine", 1, 0, 0, 14.0f * gather + 10.0f * land );
	creatureTurn( pose, "Neck", 1, 0, 0, -8.0f * gather - 6.0f * land );
	creatureTurn( pose, "Tail1", 1, 0, 0, 10.0f * ( gather + land ) - 14.0f * flight );
	creatureTurn( pose, "Tail2", 1, 0, 0, -10.0f * flight );
	for ( int i = 0; i < 2; ++i )
	{
		creatureTurn( pose, gaitSides[i].upperArm, 1, 0, 0, 25.0f * gather - 60.0f * stretch - 15.0f * flight );
	}
	creatureFloor( pose, 0.75f * flight );
}

static void Shake( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float beat = creatureSin( 4.0f * phase );
	PoseLegs( pose, 0.35f + 0.2f * creatureSin( 8.0f * phase ), 0.0f, 0.0f );
	creatureTurn( pose, "Spine", 0, 1, 0, 14.0f * beat );
	creatureTurn( pose, "Chest", 0, 1, 0, 16.0f * creatureSin( 4.0f * phase - 0.1f ) );
	creatureTurn( pose, "Chest", 0, 0, 1, 8.0f * creatureCos( 4.0f * phase ) );
	creatureTurn( pose, "Head", 0, 0, 1, 16.0f * creatureSin( 4.0f * phase - 0.2f ) );
	for ( int i = 0; i < TAIL_JOINTS; ++i )
	{
		creatureTurn( pose, s_tail[i], 0, 1, 0, 9.0f * creatureSin( 4.0f * phase - 0.08f * (float)i + 0.5f ) );
	}
	for ( int i = 0; i < 2; ++i )
	{
		const gaitSide* s = gaitSides + i;
		creatureTurn( pose, s->upperArm, 1, 0, 0, -35.0f + 25.0f * creatureSin( 4.0f * phase + s->offset ) );
		creatureTurn( pose, s->ears[0], 0, 0, 1, 14.0f * creatureSin( 4.0f * phase - 0.3f ) );
	}
	creatureFloor( pose, 0.0f );
}

// Jabs with left and right in turn.
static void Box( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	PoseLegs( pose, 0.25f + 0.1f * creatureSin( 4.0f * phase ), 0.0f, 0.0f );
	float turn = creatureSin( 2.0f * phase );
	creatureTurn( pose, "Spine", 0, 1, 0, -10.0f * turn );
	creatureTurn( pose, "Chest", 0, 1, 0, -16.0f * turn );
	creatureTurn( pose, "Head", 0, 1, 0, 22.0f * turn );
	for ( int i = 0; i < 2; ++i )
	{
		const gaitSide* s = gaitSides + i;
		float jab = supMaxFloat( turn * s->sign, 0.0f );
		creatureTurn( pose, s->upperArm, 1, 0, 0, -35.0f - 45.0f * jab );
		creatureTurn( pose, s->lowerArm, 1, 0, 0, -45.0f + 75.0f * jab * jab );
	}
	creatureFloor( pose, 0.0f );
}

static void ElbowBend( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float hold = creatureRamp( 0.05f, 0.4f, phase ) - creatureRamp( 0.6f, 0.95f, phase );
	for ( int i = 0; i < 2; ++i )
	{
		creatureTurn( pose, gaitSides[i].upperArm, 1, 0, 0, 30.0f * hold );
		creatureTurn( pose, gaitSides[i].lowerArm, 1, 0, 0, -70.0f * hold );
	}
}

static void HeadTurn( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float turn = 75.0f * creatureSin( phase );
	creatureTurn( pose, "Chest", 0, 1, 0, 0.1f * turn );
	creatureTurn( pose, "Neck", 0, 1, 0, 0.45f * turn );
	creatureTurn( pose, "Head", 0, 1, 0, 0.45f * turn );
	for ( int i = 0; i < 2; ++i )
	{
		creatureTurn( pose, gaitSides[i].ears[0], 0, 1, 0, 25.0f * creatureSin( 2.0f * phase ) * gaitSides[i].sign );
	}
}

// Tips over onto its left side.
static void Fall( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float u = supClampFloat( ( phase - 0.08f ) / 0.45f, 0.0f, 1.0f );
	float tip = u * u;
	float after = supClampFloat( ( phase - 0.53f ) / 0.35f, 0.0f, 1.0f );
	float wave = creatureSin( after );
	float bounce = ( 1.0f - after ) * ( 1.0f - after ) * ( wave < 0.0f ? -wave : wave );
	creatureTurn( pose, "Hips", 0, 0, 1, -86.0f * tip + 5.0f * bounce );
	creatureTurn( pose, "Chest", 0, 0, 1, 10.0f * tip );
	creatureTurn( pose, "Neck", 0, 0, 1, 22.0f * ( tip - creatureRamp( 0.5f, 0.64f, phase ) ) );
	float kick = creatureRamp( 0.15f, 0.45f, phase ) - 0.5f * creatureRamp( 0.55f, 0.8f, phase );
	creatureTurn( pose, "RightUpperLeg", 1, 0, 0, -30.0f * kick );
	creatureTurn( pose, "RightLowerLeg", 1, 0, 0, 25.0f * kick );
	for ( int i = 1; i < TAIL_JOINTS; ++i )
	{
		creatureTurn( pose, s_tail[i], 0, 1, 0, 6.0f * kick );
	}
	creatureShift( pose, 0.25f * tip, 0.0f, 0.0f );
	creatureFloor( pose, 0.08f * bounce );
}

supCharacter* createKangaroo( supError* error )
{
	creature c;
	creatureInit( &c, "kangaroo" );
	int32_t hips = creatureJoint( &c, "Hips", -1, vec( 0.0f, 0.70f, -0.07f ) );
	int32_t spine = creatureJoint( &c, "Spine", hips, vec( 0.0f, 0.83f, -0.01f ) );
	int32_t chest = creatureJoint( &c, "Chest", spine, vec( 0.0f, 0.99f, 0.05f ) );
	int32_t neck = creatureJoint( &c, "Neck", chest, vec( 0.0f, 1.18f, 0.10f ) );
	creatureEllipsoid( &c, hips, vec( 0.0f, 0.700f, -0.085f ), vec( 0.200f, 0.205f, 0.215f ), 0.08f, s_fur );
	creatureEllipsoid( &c, spine, vec( 0.0f, 0.830f, 0.010f ), vec( 0.165f, 0.175f, 0.180f ), 0.08f, s_fur );
	creatureEllipsoid( &c, chest, vec( 0.0f, 1.030f, 0.070f ), vec( 0.118f, 0.170f, 0.128f ), 0.10f, s_fur );
	creatureCone( &c, neck, vec( 0.0f, 1.150f, 0.090f ), 0.085f, vec( 0.0f, 1.365f, 0.165f ), 0.056f, 0.05f, s_fur );
	BuildHead( &c, neck );
	for ( int i = 0; i < 2; ++i )
	{
		BuildArm( &c, chest, gaitSides + i );
		BuildLeg( &c, hips, gaitSides + i );
	}
	BuildTail( &c, hips );
	sculptBlob* belly =
		creatureEllipsoid( &c, spine, vec( 0.0f, 0.93f, 0.24f ), vec( 0.105f, 0.33f, 0.15f ), 0.06f, s_pale );
	belly->use = sculpt_paint;
	belly->rotation = supMakeQuatAxisAngle( vec( 1.0f, 0.0f, 0.0f ), 0.12f );
	creatureClip( &c, "Hop", 0.9f, Hop );
	creatureClip( &c, "Run", 0.6f, Run );
	creatureClip( &c, "Jump", 1.6f, Jump );
	creatureClip( &c, "Shake", 2.0f, Shake );
	creatureClip( &c, "Box", 1.2f, Box );
	creatureClip( &c, "ElbowBend", 2.0f, ElbowBend );
	creatureClip( &c, "HeadTurn", 2.4f, HeadTurn );
	creatureClip( &c, "Fall", 1.8f, Fall );
	return creatureFinish( &c, 3206, 0.6f, error );
}
