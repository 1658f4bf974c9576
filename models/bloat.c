// SPDX-License-Identifier: MIT
// A ball of a creature with short limbs: nearly all of it is soft. 24 bones, 4008 vertices.
#include "creature.h"
#include "creatures.h"
#include "gait.h"

static const supVec3 s_hide = { 0.10f, 0.34f, 0.33f };
static const supVec3 s_belly = { 0.62f, 0.72f, 0.52f };
static const supVec3 s_horn = { 0.72f, 0.58f, 0.34f };

static void BuildFace( creature* c, int32_t head )
{
	for ( int i = 0; i < 2; ++i )
	{
		float x = gaitSides[i].sign;
		creatureEye( c, head, vec( 0.105f * x, 0.795f, 0.215f ), 0.070f, vec( 0.10f * x, 0.0f, 1.0f ),
					 vec( 0.45f, 0.20f, 0.02f ) );
		sculptBlob* lid = creatureEllipsoid( c, head, vec( 0.112f * x, 0.838f, 0.195f ), vec( 0.082f, 0.058f, 0.072f ),
											 0.03f, s_hide );
		lid->rotation = supMakeQuatAxisAngle( vec( 0.0f, 0.0f, 1.0f ), -0.15f * x );
		int32_t horn = creatureJoint( c, x > 0.0f ? "LeftHorn" : "RightHorn", head, vec( 0.135f * x, 0.90f, 0.0f ) );
		creatureCone( c, horn, vec( 0.130f * x, 0.885f, 0.0f ), 0.048f, vec( 0.185f * x, 0.995f, -0.01f ), 0.024f,
					  0.03f, s_horn );
		creatureCone( c, horn, vec( 0.185f * x, 0.995f, -0.01f ), 0.024f, vec( 0.190f * x, 1.045f, 0.01f ), 0.016f,
					  0.02f, s_horn );
		// dimples at the ends of the smile
		creatureEllipsoid( c, head, vec( 0.165f * x, 0.690f, 0.245f ), vec( 0.055f, 0.048f, 0.045f ), 0.03f, s_hide );
	}
	creatureEllipsoid( c, head, vec( 0.0f, 0.735f, 0.295f ), vec( 0.040f, 0.026f, 0.026f ), 0.02f,
					   supScale( 0.6f, s_hide ) );
	// a smile: hollows in a bow
	for ( int i = -3; i <= 3; ++i )
	{
		float u = (float)i / 3.0f;
		sculptBlob* mouth =
			creatureEllipsoid( c, head, vec( 0.115f * u, 0.640f + 0.040f * u * u, 0.345f - 0.045f * u * u ),
							   vec( 0.048f, 0.024f - 0.006f * u * u, 0.050f ), 0.012f, vec( 0.16f, 0.03f, 0.04f ) );
		mouth->use = sculpt_carve;
		mouth->fineness = 2.2f;
	}
}

static void BuildArm( creature* c, int32_t chest, const gaitSide* side )
{
	float x = side->sign;
	int32_t shoulder = creatureJoint( c, side->shoulder, chest, vec( 0.18f * x, 0.575f, 0.0f ) );
	int32_t upper = creatureJoint( c, side->upperArm, shoulder, vec( 0.345f * x, 0.560f, 0.01f ) );
	int32_t lower = creatureJoint( c, side->lowerArm, upper, vec( 0.455f * x, 0.525f, 0.015f ) );
	int32_t hand = creatureJoint( c, side->hand, lower, vec( 0.555f * x, 0.495f, 0.02f ) );
	creatureBone( c, shoulder, upper, 0.10f, 0.080f, 0.08f, s_hide );
	creatureBone( c, upper, lower, 0.074f, 0.062f, 0.05f, s_hide );
	creatureBone( c, lower, hand, 0.062f, 0.056f, 0.03f, s_hide );
	creatureEllipsoid( c, hand, vec( 0.600f * x, 0.480f, 0.02f ), vec( 0.068f, 0.048f, 0.062f ), 0.03f, s_hide );
	for ( int finger = -1; finger <= 1; ++finger )
	{
		float z = (float)finger;
		creatureCone( c, hand, vec( 0.632f * x, 0.470f, 0.02f + 0.038f * z ), 0.030f,
					  vec( 0.685f * x, 0.455f, 0.02f + 0.052f * z ), 0.024f, 0.012f, s_belly );
	}
}

static void BuildLeg( creature* c, int32_t hips, const gaitSide* side )
{
	float x = side->sign;
	int32_t upper = creatureJoint( c, side->upperLeg, hips, vec( 0.155f * x, 0.250f, 0.0f ) );
	int32_t lower = creatureJoint( c, side->lowerLeg, upper, vec( 0.175f * x, 0.155f, 0.01f ) );
	int32_t foot = creatureJoint( c, side->foot, lower, vec( 0.180f * x, 0.075f, -0.01f ) );
	int32_t toes = creatureJoint( c, side->toes, foot, vec( 0.190f * x, 0.040f, 0.095f ) );
	creatureBone( c, upper, lower, 0.120f, 0.095f, 0.06f, s_hide );
	creatureBone( c, lower, foot, 0.094f, 0.078f, 0.04f, s_hide );
	creatureEllipsoid( c, foot, vec( 0.184f * x, 0.066f, 0.030f ), vec( 0.090f, 0.066f, 0.105f ), 0.04f, s_hide );
	for ( int toe = -1; toe <= 1; ++toe )
	{
		float u = (float)toe;
		creatureEllipsoid( c, toes, vec( 0.192f * x + 0.060f * u, 0.048f, 0.130f - 0.012f * u * u ),
						   vec( 0.042f, 0.048f, 0.052f ), 0.02f, s_belly );
	}
}

supCharacter* createBloat( supError* error )
{
	creature c;
	creatureInit( &c, "bloat" );
	c.armsDown = 0.45f;
	c.weightReach = 0.45f;
	int32_t hips = creatureJoint( &c, "Hips", -1, vec( 0.0f, 0.33f, 0.0f ) );
	int32_t spine = creatureJoint( &c, "Spine", hips, vec( 0.0f, 0.45f, 0.0f ) );
	int32_t chest = creatureJoint( &c, "Chest", spine, vec( 0.0f, 0.56f, 0.0f ) );
	int32_t neck = creatureJoint( &c, "Neck", chest, vec( 0.0f, 0.65f, 0.0f ) );
	int32_t head = creatureJoint( &c, "Head", neck, vec( 0.0f, 0.70f, 0.01f ) );
	creatureEllipsoid( &c, hips, vec( 0.0f, 0.355f, -0.01f ), vec( 0.345f, 0.235f, 0.325f ), 0.1f, s_hide );
	creatureEllipsoid( &c, spine, vec( 0.0f, 0.465f, 0.015f ), vec( 0.385f, 0.255f, 0.375f ), 0.1f, s_hide );
	creatureEllipsoid( &c, chest, vec( 0.0f, 0.580f, 0.005f ), vec( 0.355f, 0.210f, 0.340f ), 0.1f, s_hide );
	creatureEllipsoid( &c, neck, vec( 0.0f, 0.665f, 0.005f ), vec( 0.305f, 0.170f, 0.300f ), 0.08f, s_hide );
	creatureEllipsoid( &c, head, vec( 0.0f, 0.740f, 0.01f ), vec( 0.265f, 0.180f, 0.260f ), 0.08f, s_hide );
	BuildFace( &c, head );
	for ( int i = 0; i < 2; ++i )
	{
		BuildArm( &c, chest, gaitSides + i );
		BuildLeg( &c, hips, gaitSides + i );
	}
	int32_t tail = creatureJoint( &c, "Tail", hips, vec( 0.0f, 0.28f, -0.30f ) );
	creatureCone( &c, tail, vec( 0.0f, 0.27f, -0.28f ), 0.085f, vec( 0.0f, 0.24f, -0.42f ), 0.040f, 0.05f, s_hide );
	creatureCone( &c, tail, vec( 0.0f, 0.24f, -0.42f ), 0.040f, vec( 0.0f, 0.30f, -0.50f ), 0.022f, 0.03f, s_hide );
	creatureEllipsoid( &c, spine, vec( 0.0f, 0.40f, 0.40f ), vec( 0.235f, 0.205f, 0.24f ), 0.06f, s_belly )->use =
		sculpt_paint;
	addBipedClips( &c );
	return creatureFinish( &c, 4008, 0.5f, error );
}
