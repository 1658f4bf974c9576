// SPDX-License-Identifier: MIT
// A gnome with thin arms, a beard and a soft cap that hangs over: 25 bones, 4012 vertices.
#include "creature.h"
#include "creatures.h"
#include "gait.h"

static const supVec3 s_skin = { 0.62f, 0.36f, 0.25f };
static const supVec3 s_cap = { 0.11f, 0.20f, 0.06f };
static const supVec3 s_tunic = { 0.50f, 0.19f, 0.05f };
static const supVec3 s_trousers = { 0.10f, 0.075f, 0.06f };
static const supVec3 s_boots = { 0.14f, 0.07f, 0.035f };
static const supVec3 s_beard = { 0.70f, 0.67f, 0.62f };

static void BuildHead( creature* c, int32_t neck )
{
	int32_t head = creatureJoint( c, "Head", neck, vec( 0.0f, 0.52f, 0.0f ) );
	int32_t beard = creatureJoint( c, "Jaw", head, vec( 0.0f, 0.555f, 0.09f ) );
	creatureEllipsoid( c, head, vec( 0.0f, 0.635f, 0.01f ), vec( 0.180f, 0.160f, 0.165f ), 0.04f, s_skin );
	for ( int i = 0; i < 2; ++i )
	{
		float x = gaitSides[i].sign;
		creatureEllipsoid( c, head, vec( 0.105f * x, 0.605f, 0.105f ), vec( 0.075f, 0.062f, 0.068f ), 0.04f,
						   vec( 0.66f, 0.31f, 0.22f ) );
		sculptBlob* ear = creatureEllipsoid( c, head, vec( 0.195f * x, 0.645f, -0.005f ), vec( 0.062f, 0.045f, 0.026f ),
											 0.025f, s_skin );
		ear->rotation = supMakeQuatAxisAngle( vec( 0.0f, 0.6f, 0.8f ), 0.55f * x );
		creatureEye( c, head, vec( 0.068f * x, 0.690f, 0.142f ), 0.044f, vec( 0.06f * x, -0.03f, 1.0f ),
					 vec( 0.05f, 0.13f, 0.04f ) );
		sculptBlob* brow = creatureEllipsoid( c, head, vec( 0.075f * x, 0.733f, 0.160f ), vec( 0.050f, 0.018f, 0.028f ),
											  0.01f, s_beard );
		brow->rotation = supMakeQuatAxisAngle( vec( 0.0f, 0.0f, 1.0f ), -0.25f * x );
		sculptBlob* moustache = creatureEllipsoid( c, head, vec( 0.058f * x, 0.572f, 0.182f ),
												   vec( 0.068f, 0.030f, 0.034f ), 0.015f, s_beard );
		moustache->rotation = supMakeQuatAxisAngle( vec( 0.0f, 0.0f, 1.0f ), -0.35f * x );
		creatureEllipsoid( c, head, vec( 0.145f * x, 0.560f, 0.055f ), vec( 0.060f, 0.085f, 0.075f ), 0.03f, s_beard );
	}
	creatureEllipsoid( c, head, vec( 0.0f, 0.632f, 0.195f ), vec( 0.056f, 0.050f, 0.055f ), 0.015f,
					   vec( 0.68f, 0.27f, 0.20f ) );
	creatureEllipsoid( c, head, vec( 0.0f, 0.625f, -0.065f ), vec( 0.165f, 0.125f, 0.115f ), 0.01f, s_beard );
	creatureEllipsoid( c, beard, vec( 0.0f, 0.515f, 0.125f ), vec( 0.125f, 0.080f, 0.075f ), 0.03f, s_beard );
	creatureCone( c, beard, vec( 0.0f, 0.490f, 0.150f ), 0.075f, vec( 0.0f, 0.385f, 0.190f ), 0.030f, 0.03f, s_beard );

	int32_t cap1 = creatureJoint( c, "Cap1", head, vec( 0.0f, 0.79f, -0.02f ) );
	int32_t cap2 = creatureJoint( c, "Cap2", cap1, vec( 0.0f, 0.955f, -0.06f ) );
	int32_t cap3 = creatureJoint( c, "Cap3", cap2, vec( 0.02f, 1.025f, -0.17f ) );
	sculptBlob* brim = creatureEllipsoid( c, head, vec( 0.0f, 0.762f, -0.01f ), vec( 0.193f, 0.045f, 0.186f ), 0.01f,
										  supScale( 0.75f, s_cap ) );
	brim->rotation = supMakeQuatAxisAngle( vec( 1.0f, 0.0f, 0.0f ), -0.12f );
	creatureCone( c, cap1, vec( 0.0f, 0.79f, -0.015f ), 0.160f, vec( 0.0f, 0.935f, -0.05f ), 0.108f, 0.02f, s_cap );
	creatureBone( c, cap2, cap3, 0.100f, 0.066f, 0.04f, s_cap );
	creatureCone( c, cap3, vec( 0.02f, 1.025f, -0.17f ), 0.066f, vec( 0.04f, 0.960f, -0.29f ), 0.036f, 0.04f, s_cap );
	creatureEllipsoid( c, cap3, vec( 0.044f, 0.935f, -0.325f ), vec( 0.052f, 0.052f, 0.052f ), 0.01f, s_beard );
}

static void BuildArm( creature* c, int32_t chest, const gaitSide* side )
{
	float x = side->sign;
	int32_t shoulder = creatureJoint( c, side->shoulder, chest, vec( 0.03f * x, 0.455f, -0.005f ) );
	int32_t upper = creatureJoint( c, side->upperArm, shoulder, vec( 0.095f * x, 0.450f, -0.005f ) );
	int32_t lower = creatureJoint( c, side->lowerArm, upper, vec( 0.215f * x, 0.420f, -0.005f ) );
	int32_t hand = creatureJoint( c, side->hand, lower, vec( 0.335f * x, 0.390f, 0.0f ) );
	creatureBone( c, shoulder, upper, 0.045f, 0.042f, 0.04f, s_tunic );
	creatureBone( c, upper, lower, 0.040f, 0.029f, 0.03f, s_tunic );
	creatureBone( c, lower, hand, 0.029f, 0.028f, 0.015f, s_tunic );
	// a cuff, and the hand
	creatureCone( c, lower, vec( 0.318f * x, 0.394f, 0.0f ), 0.038f, vec( 0.328f * x, 0.391f, 0.0f ), 0.038f, 0.008f,
				  supScale( 0.7f, s_tunic ) );
	creatureEllipsoid( c, hand, vec( 0.380f * x, 0.378f, 0.003f ), vec( 0.048f, 0.028f, 0.042f ), 0.015f, s_skin );
	creatureCone( c, hand, vec( 0.372f * x, 0.378f, 0.025f ), 0.019f, vec( 0.388f * x, 0.374f, 0.080f ), 0.017f, 0.012f,
				  s_skin );
	for ( int finger = -1; finger <= 1; ++finger )
	{
		float z = (float)finger;
		creatureCone( c, hand, vec( 0.405f * x, 0.370f, 0.003f + 0.027f * z ), 0.019f,
					  vec( 0.452f * x, 0.356f, 0.003f + 0.037f * z ), 0.016f, 0.008f, s_skin )
			->fineness = 1.2f;
	}
}

static void BuildLeg( creature* c, int32_t hips, const gaitSide* side )
{
	float x = side->sign;
	int32_t upper = creatureJoint( c, side->upperLeg, hips, vec( 0.066f * x, 0.235f, 0.0f ) );
	int32_t lower = creatureJoint( c, side->lowerLeg, upper, vec( 0.074f * x, 0.145f, 0.008f ) );
	int32_t foot = creatureJoint( c, side->foot, lower, vec( 0.076f * x, 0.060f, -0.012f ) );
	int32_t toes = creatureJoint( c, side->toes, foot, vec( 0.084f * x, 0.030f, 0.080f ) );
	creatureBone( c, upper, lower, 0.064f, 0.048f, 0.03f, s_trousers );
	creatureBone( c, lower, foot, 0.046f, 0.040f, 0.02f, s_trousers );
	creatureCone( c, lower, vec( 0.075f * x, 0.105f, -0.005f ), 0.055f, vec( 0.076f * x, 0.070f, -0.010f ), 0.050f,
				  0.01f, s_boots );
	creatureEllipsoid( c, foot, vec( 0.078f * x, 0.048f, 0.030f ), vec( 0.055f, 0.048f, 0.085f ), 0.03f, s_boots );
	creatureEllipsoid( c, toes, vec( 0.085f * x, 0.044f, 0.105f ), vec( 0.058f, 0.044f, 0.060f ), 0.025f, s_boots );
	creatureEllipsoid( c, toes, vec( 0.088f * x, 0.070f, 0.160f ), vec( 0.022f, 0.030f, 0.024f ), 0.025f, s_boots );
}

supCharacter* createSmurf( supError* error )
{
	creature c;
	creatureInit( &c, "smurf" );
	c.lyingTilt = 84.0f;
	int32_t hips = creatureJoint( &c, "Hips", -1, vec( 0.0f, 0.265f, 0.0f ) );
	int32_t spine = creatureJoint( &c, "Spine", hips, vec( 0.0f, 0.330f, 0.0f ) );
	int32_t chest = creatureJoint( &c, "Chest", spine, vec( 0.0f, 0.405f, 0.0f ) );
	int32_t neck = creatureJoint( &c, "Neck", chest, vec( 0.0f, 0.480f, 0.0f ) );
	creatureEllipsoid( &c, hips, vec( 0.0f, 0.262f, -0.005f ), vec( 0.122f, 0.085f, 0.112f ), 0.03f, s_tunic );
	creatureEllipsoid( &c, spine, vec( 0.0f, 0.335f, 0.025f ), vec( 0.132f, 0.095f, 0.130f ), 0.05f, s_tunic );
	creatureEllipsoid( &c, chest, vec( 0.0f, 0.425f, 0.0f ), vec( 0.098f, 0.080f, 0.088f ), 0.06f, s_tunic );
	creatureCone( &c, neck, vec( 0.0f, 0.475f, -0.01f ), 0.068f, vec( 0.0f, 0.540f, -0.01f ), 0.068f, 0.02f, s_skin );
	creatureEllipsoid( &c, neck, vec( 0.0f, 0.492f, -0.005f ), vec( 0.108f, 0.032f, 0.100f ), 0.01f, s_cap );
	BuildHead( &c, neck );
	for ( int i = 0; i < 2; ++i )
	{
		BuildArm( &c, chest, gaitSides + i );
		BuildLeg( &c, hips, gaitSides + i );
	}
	sculptBlob* belt =
		creatureEllipsoid( &c, hips, vec( 0.0f, 0.298f, 0.0f ), vec( 0.30f, 0.019f, 0.30f ), 0.006f, s_boots );
	belt->use = sculpt_paint;
	creatureEllipsoid( &c, hips, vec( 0.0f, 0.295f, 0.150f ), vec( 0.030f, 0.026f, 0.016f ), 0.003f,
					   vec( 0.65f, 0.45f, 0.10f ) )
		->fineness = 1.3f;
	addBipedClips( &c );
	return creatureFinish( &c, 4012, 0.6f, error );
}
