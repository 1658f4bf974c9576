// SPDX-License-Identifier: MIT
// A plump biped with long ears and a belly: 29 bones, 8111 vertices (BIGBUNNY of paper 004).
#include "creature.h"
#include "creatures.h"
#include "gait.h"

static const supVec3 s_fur = { 0.36f, 0.29f, 0.24f };
static const supVec3 s_cream = { 0.80f, 0.72f, 0.62f };
static const supVec3 s_pink = { 0.75f, 0.36f, 0.34f };

static void BuildEar( creature* c, int32_t head, float side, const char* const names[3] )
{
	int32_t base = creatureJoint( c, names[0], head, supMakeVec3( 0.085f * side, 1.38f, -0.01f ) );
	int32_t middle = creatureJoint( c, names[1], base, supMakeVec3( 0.125f * side, 1.56f, -0.03f ) );
	int32_t tip = creatureJoint( c, names[2], middle, supMakeVec3( 0.165f * side, 1.72f, -0.06f ) );
	supQuat lean = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), -0.22f * side );
	creatureCone( c, base, supMakeVec3( 0.075f * side, 1.34f, 0.0f ), 0.045f,
				  supMakeVec3( 0.10f * side, 1.46f, -0.02f ), 0.035f, 0.05f, s_fur );
	creatureEllipsoid( c, base, supMakeVec3( 0.105f * side, 1.49f, -0.02f ), supMakeVec3( 0.062f, 0.15f, 0.026f ),
					   0.03f, s_fur )
		->rotation = lean;
	creatureEllipsoid( c, middle, supMakeVec3( 0.145f * side, 1.64f, -0.045f ), supMakeVec3( 0.066f, 0.15f, 0.024f ),
					   0.03f, s_fur )
		->rotation = lean;
	creatureEllipsoid( c, tip, supMakeVec3( 0.175f * side, 1.765f, -0.065f ), supMakeVec3( 0.052f, 0.12f, 0.02f ),
					   0.03f, s_fur )
		->rotation = lean;
	sculptBlob* inner = creatureEllipsoid( c, middle, supMakeVec3( 0.14f * side, 1.62f, 0.0f ),
										   supMakeVec3( 0.04f, 0.22f, 0.035f ), 0.03f, s_pink );
	inner->use = sculpt_paint;
	inner->rotation = lean;
}

static void BuildArm( creature* c, int32_t chest, float side, const char* const names[4] )
{
	int32_t shoulder = creatureJoint( c, names[0], chest, supMakeVec3( 0.07f * side, 0.97f, -0.01f ) );
	int32_t upper = creatureJoint( c, names[1], shoulder, supMakeVec3( 0.19f * side, 0.955f, -0.01f ) );
	int32_t lower = creatureJoint( c, names[2], upper, supMakeVec3( 0.39f * side, 0.90f, -0.01f ) );
	int32_t hand = creatureJoint( c, names[3], lower, supMakeVec3( 0.58f * side, 0.85f, 0.0f ) );
	creatureBone( c, shoulder, upper, 0.09f, 0.085f, 0.08f, s_fur );
	creatureBone( c, upper, lower, 0.082f, 0.062f, 0.05f, s_fur );
	creatureBone( c, lower, hand, 0.064f, 0.052f, 0.03f, s_fur );
	supVec3 palm = supMakeVec3( 0.635f * side, 0.835f, 0.0f );
	creatureEllipsoid( c, hand, palm, supMakeVec3( 0.07f, 0.045f, 0.058f ), 0.03f, s_cream );
	creatureCone( c, hand, palm, 0.03f, supAdd( palm, supMakeVec3( 0.0f, 0.0f, 0.085f ) ), 0.022f, 0.025f, s_cream );
	for ( int finger = -1; finger <= 1; ++finger )
	{
		supVec3 root = supAdd( palm, supMakeVec3( 0.035f * side, 0.0f, 0.034f * (float)finger ) );
		supVec3 end = supAdd( palm, supMakeVec3( 0.105f * side, -0.012f, 0.042f * (float)finger ) );
		creatureCone( c, hand, root, 0.026f, end, 0.02f, 0.015f, s_cream );
	}
}

static void BuildLeg( creature* c, int32_t hips, float side, const char* const names[4] )
{
	int32_t upper = creatureJoint( c, names[0], hips, supMakeVec3( 0.14f * side, 0.43f, -0.01f ) );
	int32_t lower = creatureJoint( c, names[1], upper, supMakeVec3( 0.165f * side, 0.245f, 0.02f ) );
	int32_t foot = creatureJoint( c, names[2], lower, supMakeVec3( 0.17f * side, 0.085f, -0.02f ) );
	int32_t toes = creatureJoint( c, names[3], foot, supMakeVec3( 0.18f * side, 0.045f, 0.15f ) );
	creatureBone( c, upper, lower, 0.135f, 0.10f, 0.08f, s_fur );
	creatureBone( c, lower, foot, 0.098f, 0.07f, 0.05f, s_fur );
	creatureEllipsoid( c, foot, supMakeVec3( 0.174f * side, 0.066f, 0.06f ), supMakeVec3( 0.082f, 0.064f, 0.15f ),
					   0.05f, s_fur );
	creatureEllipsoid( c, toes, supMakeVec3( 0.182f * side, 0.052f, 0.2f ), supMakeVec3( 0.084f, 0.05f, 0.085f ), 0.04f,
					   s_cream );
}

static void BuildHead( creature* c, int32_t neck, int32_t* head )
{
	*head = creatureJoint( c, "Head", neck, supMakeVec3( 0.0f, 1.10f, 0.02f ) );
	int32_t jaw = creatureJoint( c, "Jaw", *head, supMakeVec3( 0.0f, 1.14f, 0.09f ) );
	creatureEllipsoid( c, *head, supMakeVec3( 0.0f, 1.25f, 0.03f ), supMakeVec3( 0.20f, 0.19f, 0.185f ), 0.06f, s_fur );
	for ( float side = -1.0f; side <= 1.0f; side += 2.0f )
	{
		creatureEllipsoid( c, *head, supMakeVec3( 0.095f * side, 1.175f, 0.13f ), supMakeVec3( 0.10f, 0.085f, 0.09f ),
						   0.05f, s_cream );
		creatureEye( c, *head, supMakeVec3( 0.082f * side, 1.305f, 0.165f ), 0.05f,
					 supMakeVec3( 0.12f * side, 0.02f, 1.0f ), supMakeVec3( 0.12f, 0.05f, 0.02f ) );
		// brows that hold the eyes
		creatureEllipsoid( c, *head, supMakeVec3( 0.08f * side, 1.345f, 0.155f ), supMakeVec3( 0.07f, 0.035f, 0.05f ),
						   0.03f, s_fur );
	}
	creatureEllipsoid( c, *head, supMakeVec3( 0.0f, 1.215f, 0.2f ), supMakeVec3( 0.06f, 0.045f, 0.055f ), 0.04f,
					   s_cream );
	creatureEllipsoid( c, *head, supMakeVec3( 0.0f, 1.238f, 0.25f ), supMakeVec3( 0.03f, 0.022f, 0.02f ), 0.012f,
					   supMakeVec3( 0.30f, 0.07f, 0.07f ) );
	creatureEllipsoid( c, jaw, supMakeVec3( 0.0f, 1.115f, 0.15f ), supMakeVec3( 0.075f, 0.04f, 0.07f ), 0.03f,
					   s_cream );
	sculptBlob* teeth =
		creatureEllipsoid( c, *head, supMakeVec3( 0.0f, 1.148f, 0.222f ), supMakeVec3( 0.026f, 0.034f, 0.012f ), 0.004f,
						   supMakeVec3( 0.9f, 0.88f, 0.8f ) );
	(void)teeth;
}

supCharacter* createBunny( supError* error )
{
	creature c;
	creatureInit( &c, "bunny" );
	int32_t hips = creatureJoint( &c, "Hips", -1, supMakeVec3( 0.0f, 0.49f, -0.01f ) );
	int32_t spine = creatureJoint( &c, "Spine", hips, supMakeVec3( 0.0f, 0.64f, -0.01f ) );
	int32_t chest = creatureJoint( &c, "Chest", spine, supMakeVec3( 0.0f, 0.84f, -0.01f ) );
	int32_t neck = creatureJoint( &c, "Neck", chest, supMakeVec3( 0.0f, 1.03f, 0.0f ) );
	creatureEllipsoid( &c, hips, supMakeVec3( 0.0f, 0.47f, -0.03f ), supMakeVec3( 0.265f, 0.20f, 0.235f ), 0.1f,
					   s_fur );
	creatureEllipsoid( &c, spine, supMakeVec3( 0.0f, 0.645f, 0.035f ), supMakeVec3( 0.285f, 0.25f, 0.275f ), 0.12f,
					   s_fur );
	creatureEllipsoid( &c, chest, supMakeVec3( 0.0f, 0.88f, 0.0f ), supMakeVec3( 0.20f, 0.17f, 0.17f ), 0.12f, s_fur );
	creatureCone( &c, neck, supMakeVec3( 0.0f, 1.02f, 0.0f ), 0.11f, supMakeVec3( 0.0f, 1.12f, 0.02f ), 0.11f, 0.06f,
				  s_fur );
	int32_t head;
	BuildHead( &c, neck, &head );
	BuildEar( &c, head, 1.0f, ( const char*[] ){ "LeftEar1", "LeftEar2", "LeftEar3" } );
	BuildEar( &c, head, -1.0f, ( const char*[] ){ "RightEar1", "RightEar2", "RightEar3" } );
	BuildArm( &c, chest, 1.0f, ( const char*[] ){ "LeftShoulder", "LeftUpperArm", "LeftLowerArm", "LeftHand" } );
	BuildArm( &c, chest, -1.0f, ( const char*[] ){ "RightShoulder", "RightUpperArm", "RightLowerArm", "RightHand" } );
	BuildLeg( &c, hips, 1.0f, ( const char*[] ){ "LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftToes" } );
	BuildLeg( &c, hips, -1.0f, ( const char*[] ){ "RightUpperLeg", "RightLowerLeg", "RightFoot", "RightToes" } );
	int32_t tail = creatureJoint( &c, "Tail", hips, supMakeVec3( 0.0f, 0.47f, -0.23f ) );
	creatureEllipsoid( &c, tail, supMakeVec3( 0.0f, 0.47f, -0.30f ), supMakeVec3( 0.085f, 0.085f, 0.085f ), 0.03f,
					   s_cream );
	creatureEllipsoid( &c, spine, supMakeVec3( 0.0f, 0.65f, 0.31f ), supMakeVec3( 0.21f, 0.28f, 0.18f ), 0.08f,
					   s_cream )
		->use = sculpt_paint;
	addBipedClips( &c );
	return creatureFinish( &c, 8111, 0.6f, error );
}
