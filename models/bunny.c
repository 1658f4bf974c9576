// SPDX-License-Identifier: MIT
// A plump biped with long ears and a belly: 29 bones, 8111 vertices (BIGBUNNY of paper 004).
#include "creature.h"
#include "creatures.h"
#include "gait.h"

static const supVec3 s_fur = { 0.37f, 0.29f, 0.235f };
static const supVec3 s_cream = { 0.82f, 0.74f, 0.63f };
static const supVec3 s_pink = { 0.76f, 0.38f, 0.36f };

static void BuildEar( creature* c, int32_t head, const gaitSide* side )
{
	float x = side->sign;
	int32_t base = creatureJoint( c, side->ears[0], head, vec( 0.095f * x, 1.44f, -0.02f ) );
	int32_t middle = creatureJoint( c, side->ears[1], base, vec( 0.135f * x, 1.62f, -0.04f ) );
	int32_t tip = creatureJoint( c, side->ears[2], middle, vec( 0.175f * x, 1.80f, -0.06f ) );
	supQuat lean = supMakeQuatAxisAngle( vec( 0.1f, 0.0f, 1.0f ), -0.22f * x );
	creatureCone( c, base, vec( 0.085f * x, 1.40f, 0.0f ), 0.06f, vec( 0.11f * x, 1.50f, -0.03f ), 0.05f, 0.06f,
				  s_fur );
	const struct
	{
		int32_t joint;
		supVec3 at, radii;
	} parts[3] = { { base, vec( 0.115f * x, 1.535f, -0.03f ), vec( 0.075f, 0.15f, 0.048f ) },
				   { middle, vec( 0.153f * x, 1.695f, -0.05f ), vec( 0.086f, 0.16f, 0.046f ) },
				   { tip, vec( 0.185f * x, 1.83f, -0.063f ), vec( 0.070f, 0.135f, 0.042f ) } };
	for ( int i = 0; i < 3; ++i )
	{
		sculptBlob* part = creatureEllipsoid( c, parts[i].joint, parts[i].at, parts[i].radii, 0.05f, s_fur );
		part->rotation = lean;
		part->fineness = 1.15f;
	}
	sculptBlob* hollow =
		creatureEllipsoid( c, middle, vec( 0.152f * x, 1.69f, 0.005f ), vec( 0.047f, 0.215f, 0.036f ), 0.03f, s_pink );
	hollow->use = sculpt_carve;
	hollow->rotation = lean;
}

static void BuildArm( creature* c, int32_t chest, const gaitSide* side )
{
	float x = side->sign;
	int32_t shoulder = creatureJoint( c, side->shoulder, chest, vec( 0.06f * x, 0.965f, -0.01f ) );
	int32_t upper = creatureJoint( c, side->upperArm, shoulder, vec( 0.19f * x, 0.945f, -0.01f ) );
	int32_t lower = creatureJoint( c, side->lowerArm, upper, vec( 0.395f * x, 0.875f, -0.01f ) );
	int32_t hand = creatureJoint( c, side->hand, lower, vec( 0.58f * x, 0.81f, 0.0f ) );
	creatureBone( c, shoulder, upper, 0.10f, 0.095f, 0.09f, s_fur );
	creatureBone( c, upper, lower, 0.094f, 0.076f, 0.06f, s_fur );
	creatureBone( c, lower, hand, 0.078f, 0.062f, 0.03f, s_fur );
	supVec3 palm = vec( 0.655f * x, 0.785f, 0.005f );
	sculptBlob* mitten = creatureEllipsoid( c, hand, palm, vec( 0.085f, 0.053f, 0.074f ), 0.03f, s_cream );
	mitten->rotation = supMakeQuatAxisAngle( vec( 0.0f, 0.0f, 1.0f ), -0.33f * x );
	sculptBlob* thumb = creatureCone( c, hand, supAdd( palm, vec( -0.015f * x, 0.005f, 0.04f ) ), 0.034f,
									  supAdd( palm, vec( 0.03f * x, 0.0f, 0.115f ) ), 0.029f, 0.02f, s_cream );
	thumb->fineness = 1.25f;
	for ( int finger = -1; finger <= 1; ++finger )
	{
		float z = (float)finger;
		float length = finger == 0 ? 0.135f : 0.122f;
		creatureCone( c, hand, supAdd( palm, vec( 0.05f * x, -0.015f, 0.044f * z ) ), 0.034f,
					  supAdd( palm, vec( length * x, -0.05f, 0.058f * z ) ), 0.029f, 0.012f, s_cream )
			->fineness = 1.25f;
	}
}

static void BuildLeg( creature* c, int32_t hips, const gaitSide* side )
{
	float x = side->sign;
	int32_t upper = creatureJoint( c, side->upperLeg, hips, vec( 0.15f * x, 0.42f, -0.01f ) );
	int32_t lower = creatureJoint( c, side->lowerLeg, upper, vec( 0.18f * x, 0.245f, 0.015f ) );
	int32_t foot = creatureJoint( c, side->foot, lower, vec( 0.185f * x, 0.09f, -0.03f ) );
	int32_t toes = creatureJoint( c, side->toes, foot, vec( 0.20f * x, 0.05f, 0.165f ) );
	creatureBone( c, upper, lower, 0.155f, 0.115f, 0.08f, s_fur );
	creatureBone( c, lower, foot, 0.112f, 0.082f, 0.05f, s_fur );
	creatureEllipsoid( c, foot, vec( 0.19f * x, 0.072f, 0.06f ), vec( 0.092f, 0.072f, 0.165f ), 0.05f, s_fur );
	creatureEllipsoid( c, toes, vec( 0.202f * x, 0.064f, 0.21f ), vec( 0.092f, 0.06f, 0.085f ), 0.04f, s_cream );
	for ( int toe = -1; toe <= 1; ++toe )
	{
		float z = toe == 0 ? 0.275f : 0.255f;
		creatureEllipsoid( c, toes, vec( 0.206f * x + 0.058f * (float)toe, 0.05f, z ), vec( 0.036f, 0.042f, 0.05f ),
						   0.018f, s_cream )
			->fineness = 1.2f;
	}
}

static void BuildFace( creature* c, int32_t head, int32_t jaw )
{
	for ( int i = 0; i < 2; ++i )
	{
		float x = gaitSides[i].sign;
		// cheeks
		creatureEllipsoid( c, head, vec( 0.150f * x, 1.205f, 0.075f ), vec( 0.125f, 0.105f, 0.115f ), 0.06f, s_fur );
		// muzzle
		creatureEllipsoid( c, head, vec( 0.062f * x, 1.195f, 0.205f ), vec( 0.082f, 0.066f, 0.072f ), 0.03f, s_cream );
		// lids and brows, lifted towards the middle: a mild look
		sculptBlob* lid = creatureEllipsoid( c, head, vec( 0.101f * x, 1.358f, 0.170f ), vec( 0.078f, 0.050f, 0.058f ),
											 0.025f, s_fur );
		lid->rotation = supMakeQuatAxisAngle( vec( 0.0f, 0.0f, 1.0f ), -0.27f * x );
		lid->fineness = 1.15f;
		creatureEye( c, head, vec( 0.098f * x, 1.310f, 0.172f ), 0.066f, vec( 0.10f * x, -0.01f, 1.0f ),
					 vec( 0.16f, 0.065f, 0.02f ) );
		// front teeth
		creatureEllipsoid( c, head, vec( 0.0185f * x, 1.135f, 0.242f ), vec( 0.020f, 0.036f, 0.014f ), 0.004f,
						   vec( 0.92f, 0.90f, 0.84f ) )
			->fineness = 1.6f;
	}
	creatureEllipsoid( c, head, vec( 0.0f, 1.245f, 0.222f ), vec( 0.05f, 0.04f, 0.05f ), 0.03f, s_cream );
	creatureEllipsoid( c, head, vec( 0.0f, 1.250f, 0.272f ), vec( 0.036f, 0.027f, 0.024f ), 0.008f,
					   vec( 0.50f, 0.13f, 0.13f ) )
		->fineness = 1.4f;
	creatureEllipsoid( c, jaw, vec( 0.0f, 1.125f, 0.165f ), vec( 0.085f, 0.052f, 0.08f ), 0.03f, s_cream );
}

supCharacter* createBunny( supError* error )
{
	creature c;
	creatureInit( &c, "bunny" );
	c.armsDown = 0.62f;
	c.lyingTilt = 100.0f;
	int32_t hips = creatureJoint( &c, "Hips", -1, vec( 0.0f, 0.48f, -0.01f ) );
	int32_t spine = creatureJoint( &c, "Spine", hips, vec( 0.0f, 0.64f, -0.01f ) );
	int32_t chest = creatureJoint( &c, "Chest", spine, vec( 0.0f, 0.85f, -0.01f ) );
	int32_t neck = creatureJoint( &c, "Neck", chest, vec( 0.0f, 1.02f, 0.0f ) );
	int32_t head = creatureJoint( &c, "Head", neck, vec( 0.0f, 1.10f, 0.01f ) );
	int32_t jaw = creatureJoint( &c, "Jaw", head, vec( 0.0f, 1.15f, 0.08f ) );
	creatureEllipsoid( &c, hips, vec( 0.0f, 0.47f, -0.03f ), vec( 0.295f, 0.215f, 0.265f ), 0.1f, s_fur );
	creatureEllipsoid( &c, spine, vec( 0.0f, 0.62f, 0.055f ), vec( 0.325f, 0.285f, 0.325f ), 0.1f, s_fur );
	creatureEllipsoid( &c, chest, vec( 0.0f, 0.88f, -0.005f ), vec( 0.215f, 0.19f, 0.185f ), 0.14f, s_fur );
	creatureCone( &c, neck, vec( 0.0f, 1.0f, 0.0f ), 0.13f, vec( 0.0f, 1.10f, 0.01f ), 0.12f, 0.06f, s_fur );
	creatureEllipsoid( &c, head, vec( 0.0f, 1.29f, 0.01f ), vec( 0.225f, 0.205f, 0.205f ), 0.05f, s_fur );
	BuildFace( &c, head, jaw );
	for ( int i = 0; i < 2; ++i )
	{
		BuildEar( &c, head, gaitSides + i );
	}
	for ( int i = 0; i < 2; ++i )
	{
		BuildArm( &c, chest, gaitSides + i );
		BuildLeg( &c, hips, gaitSides + i );
	}
	int32_t tail = creatureJoint( &c, "Tail", hips, vec( 0.0f, 0.44f, -0.26f ) );
	creatureEllipsoid( &c, tail, vec( 0.0f, 0.45f, -0.345f ), vec( 0.105f, 0.105f, 0.105f ), 0.02f, s_cream );
	creatureEllipsoid( &c, spine, vec( 0.0f, 0.635f, 0.37f ), vec( 0.215f, 0.28f, 0.20f ), 0.06f, s_cream )->use =
		sculpt_paint;
	addBipedClips( &c );
	return creatureFinish( &c, 8111, 0.6f, error );
}
