// SPDX-License-Identifier: MIT
#include "anatomy.h"

static const supVec3 s_lips = { 0.42f, 0.18f, 0.14f };
static const supVec3 s_shoe = { 0.16f, 0.05f, 0.04f };
static const supVec3 s_sole = { 0.55f, 0.53f, 0.50f };

static sculptBlob* Ball( creature* c, int32_t joint, supVec3 at, supVec3 radii, float blend, supVec3 color,
						 float fineness )
{
	sculptBlob* blob = creatureEllipsoid( c, joint, at, radii, blend, color );
	blob->fineness = fineness;
	return blob;
}

static void Turn( sculptBlob* blob, float x, float y, float z, float degrees )
{
	blob->rotation = supMakeQuatAxisAngle( vec( x, y, z ), degrees * ( SUP_PI / 180.0f ) );
}

anatomyTrunk anatomyAddTrunk( creature* c, const anatomy* a )
{
	anatomyTrunk t;
	t.hips = creatureJoint( c, "Hips", -1, vec( 0.0f, 0.96f, 0.0f ) );
	t.spine = creatureJoint( c, "Spine", t.hips, vec( 0.0f, 1.06f, -0.01f ) );
	t.chest = creatureJoint( c, "Chest", t.spine, vec( 0.0f, 1.19f, -0.015f ) );
	t.upperChest = creatureJoint( c, "UpperChest", t.chest, vec( 0.0f, 1.33f, -0.02f ) );
	t.neck = creatureJoint( c, "Neck", t.upperChest, vec( 0.0f, 1.48f, -0.02f ) );
	float m = a->muscle, f = a->fat;
	creatureEllipsoid( c, t.hips, vec( 0.0f, 0.955f, -0.005f ), vec( 0.162f + 0.02f * f, 0.115f, 0.112f + 0.02f * f ),
					   0.05f, a->skin );
	creatureEllipsoid( c, t.spine, vec( 0.0f, 1.09f, 0.0f + 0.02f * f ),
					   vec( 0.142f + 0.04f * f, 0.125f, 0.098f + 0.055f * f ), 0.07f, a->skin );
	creatureEllipsoid( c, t.chest, vec( 0.0f, 1.25f, -0.005f ), vec( 0.156f + 0.02f * m, 0.16f, 0.112f + 0.02f * f ),
					   0.08f, a->skin );
	creatureEllipsoid( c, t.upperChest, vec( 0.0f, 1.375f, -0.015f ),
					   vec( 0.165f + 0.015f * m, 0.095f, 0.098f + 0.015f * m ), 0.06f, a->skin );
	for ( int i = 0; i < 2; ++i )
	{
		float x = gaitSides[i].sign;
		creatureEllipsoid( c, t.hips, vec( 0.078f * x, 0.905f, -0.06f ), vec( 0.092f, 0.095f, 0.085f + 0.015f * f ),
						   0.03f, a->skin );
		// breast, flank, back
		sculptBlob* pectoral =
			creatureEllipsoid( c, t.upperChest, vec( 0.078f * x, 1.335f - 0.02f * f, 0.046f + 0.012f * m ),
							   vec( 0.088f, 0.058f + 0.012f * f, 0.048f + 0.018f * m ), 0.045f - 0.025f * m, a->skin );
		Turn( pectoral, 0.0f, 0.0f, 1.0f, 14.0f * x );
		sculptBlob* lat = creatureEllipsoid( c, t.chest, vec( 0.118f * x, 1.265f, -0.045f ),
											 vec( 0.052f + 0.025f * m, 0.14f, 0.07f ), 0.05f, a->skin );
		Turn( lat, 0.0f, 0.0f, 1.0f, -14.0f * x );
		creatureEllipsoid( c, t.upperChest, vec( 0.085f * x, 1.375f, -0.075f ), vec( 0.075f, 0.085f, 0.045f ), 0.04f,
						   a->skin );
		if ( f > 0.3f )
		{
			creatureEllipsoid( c, t.spine, vec( 0.11f * x, 1.04f, -0.005f ), vec( 0.075f, 0.065f, 0.085f ), 0.04f,
							   a->skin );
		}
		if ( m > 0.6f )
		{
			// the straight muscle of the belly
			for ( int k = 0; k < 3; ++k )
			{
				float y = 1.215f - 0.068f * (float)k;
				creatureEllipsoid( c, k == 0 ? t.chest : t.spine, vec( 0.037f * x, y, 0.088f + 0.012f * f ),
								   vec( 0.036f, 0.034f, 0.026f ), 0.015f, a->skin );
			}
		}
	}
	if ( f > 0.3f )
	{
		creatureEllipsoid( c, t.spine, vec( 0.0f, 1.06f, 0.055f ), vec( 0.115f, 0.095f, 0.09f * f + 0.025f ), 0.04f,
						   a->skin );
	}
	creatureCone( c, t.neck, vec( 0.0f, 1.455f, -0.025f ), 0.060f + 0.012f * m, vec( 0.0f, 1.57f, -0.005f ),
				  0.055f + 0.012f * m, 0.03f, a->skin );
	return t;
}

static void AddFace( creature* c, const anatomy* a, int32_t head, int32_t jaw )
{
	const float fine = 1.7f;
	for ( int i = 0; i < 2; ++i )
	{
		float x = gaitSides[i].sign;
		Ball( c, head, vec( 0.043f * x, 1.632f, 0.052f ), vec( 0.028f, 0.030f, 0.032f ), 0.045f, a->skin, fine );
		// the socket, then the lids that close around the eye, then the brow
		sculptBlob* socket =
			Ball( c, head, vec( 0.032f * x, 1.662f, 0.100f ), vec( 0.021f, 0.013f, 0.015f ), 0.020f, a->skin, fine );
		socket->use = sculpt_carve;
		sculptBlob* brow =
			Ball( c, head, vec( 0.034f * x, 1.6850f, 0.0765f ), vec( 0.022f, 0.0060f, 0.010f ), 0.006f, a->hair, 2.2f );
		Turn( brow, 0.0f, 0.35f, 1.0f * x, -7.0f );
		Ball( c, head, vec( 0.032f * x, 1.668f, 0.077f ), vec( 0.0185f, 0.0115f, 0.0140f ), 0.004f,
			  supScale( 0.85f, a->skin ), 2.2f );
		Ball( c, head, vec( 0.032f * x, 1.6495f, 0.077f ), vec( 0.0175f, 0.0085f, 0.0125f ), 0.006f, a->skin, 2.2f );
		// ear
		sculptBlob* ear =
			Ball( c, head, vec( 0.082f * x, 1.650f, -0.008f ), vec( 0.013f, 0.033f, 0.021f ), 0.016f, a->skin, 1.9f );
		Turn( ear, 0.0f, 1.0f, 0.0f, 14.0f * x );
		sculptBlob* hollow = Ball( c, head, vec( 0.0965f * x, 1.653f, -0.002f ), vec( 0.007f, 0.018f, 0.011f ), 0.006f,
								   supScale( 0.7f, a->skin ), 2.0f );
		hollow->use = sculpt_carve;
		// wing of the nose
		Ball( c, head, vec( 0.0135f * x, 1.6255f, 0.103f ), vec( 0.010f, 0.009f, 0.012f ), 0.007f, a->skin, 2.0f );
	}
	creatureCone( c, head, vec( 0.0f, 1.672f, 0.088f ), 0.0105f, vec( 0.0f, 1.630f, 0.114f ), 0.0125f, 0.012f, a->skin )
		->fineness = 2.0f;
	Ball( c, head, vec( 0.0f, 1.598f, 0.082f ), vec( 0.030f, 0.024f, 0.020f ), 0.020f, a->skin, 2.0f );
	Ball( c, head, vec( 0.0f, 1.6030f, 0.0985f ), vec( 0.0225f, 0.0080f, 0.0105f ), 0.005f, s_lips, 3.2f );
	Ball( c, jaw, vec( 0.0f, 1.5880f, 0.0960f ), vec( 0.0190f, 0.0090f, 0.0105f ), 0.005f, s_lips, 3.2f );
	Ball( c, jaw, vec( 0.0f, 1.560f, 0.084f ), vec( 0.024f, 0.018f, 0.019f ), 0.02f, a->skin, fine );
}

void anatomyAddHead( creature* c, const anatomy* a, int32_t neck )
{
	int32_t head = creatureJoint( c, "Head", neck, vec( 0.0f, 1.575f, 0.0f ) );
	int32_t jaw = creatureJoint( c, "Jaw", head, vec( 0.0f, 1.610f, 0.015f ) );
	int32_t eyes[2];
	for ( int i = 0; i < 2; ++i )
	{
		supVec3 center = vec( 0.032f * gaitSides[i].sign, 1.6590f, 0.0775f );
		eyes[i] = creatureJoint( c, i == 0 ? "LeftEye" : "RightEye", head, center );
		creatureEye( c, eyes[i], center, 0.0138f, vec( 0.03f * gaitSides[i].sign, 0.0f, 1.0f ),
					 vec( 0.05f, 0.11f, 0.16f ) );
	}
	Ball( c, head, vec( 0.0f, 1.690f, -0.012f ), vec( 0.074f, 0.088f, 0.093f ), 0.03f, a->skin, 1.3f );
	Ball( c, head, vec( 0.0f, 1.640f, 0.030f ), vec( 0.062f, 0.078f, 0.064f ), 0.03f, a->skin, 1.5f );
	Ball( c, jaw, vec( 0.0f, 1.578f, 0.042f ), vec( 0.050f, 0.034f, 0.052f ), 0.025f, a->skin, 1.5f );
	for ( int i = 0; i < 2; ++i )
	{
		// the line of the jaw
		float x = gaitSides[i].sign;
		creatureCone( c, jaw, vec( 0.053f * x, 1.605f, 0.005f ), 0.014f, vec( 0.020f * x, 1.558f, 0.072f ), 0.014f,
					  0.02f, a->skin )
			->fineness = 1.4f;
	}
	AddFace( c, a, head, jaw );
	Ball( c, head, vec( 0.0f, 1.713f, -0.022f ), vec( 0.080f, 0.083f, 0.097f ), 0.006f, a->hair, 1.3f );
	Ball( c, head, vec( 0.0f, 1.650f, -0.055f ), vec( 0.070f, 0.068f, 0.056f ), 0.012f, a->hair, 1.2f );
	Ball( c, head, vec( 0.018f, 1.768f, 0.040f ), vec( 0.058f, 0.022f, 0.036f ), 0.02f, a->hair, 1.4f );
}

static void AddHand( creature* c, const anatomy* a, int32_t hand, const gaitSide* side )
{
	float x = side->sign;
	bool isLeft = x > 0.0f;
	int32_t thumb = hand, fingers = hand, tips = hand;
	if ( a->fingerJoints )
	{
		thumb = creatureJoint( c, isLeft ? "LeftThumb" : "RightThumb", hand, vec( 0.762f * x, 1.340f, 0.035f ) );
		fingers = creatureJoint( c, isLeft ? "LeftFingers" : "RightFingers", hand, vec( 0.822f * x, 1.338f, 0.0f ) );
		tips =
			creatureJoint( c, isLeft ? "LeftFingerTips" : "RightFingerTips", fingers, vec( 0.866f * x, 1.331f, 0.0f ) );
	}
	float girth = 1.0f + 0.2f * a->muscle + 0.15f * a->fat;
	const float fine = a->fingerJoints ? 1.5f : 2.1f;
	Ball( c, hand, vec( 0.782f * x, 1.342f, 0.0f ), vec( 0.054f, 0.0175f * girth, 0.044f * girth ), 0.02f, a->skin,
		  1.6f );
	creatureCone( c, thumb, vec( 0.758f * x, 1.337f, 0.028f * girth ), 0.0165f * girth,
				  vec( 0.806f * x, 1.330f, 0.070f * girth ), 0.0125f * girth, 0.012f, a->skin )
		->fineness = fine;
	creatureCone( c, thumb, vec( 0.806f * x, 1.330f, 0.070f * girth ), 0.0122f * girth,
				  vec( 0.832f * x, 1.326f, 0.084f * girth ), 0.0108f * girth, 0.004f, a->skin )
		->fineness = fine;
	static const float lengths[4] = { 0.076f, 0.086f, 0.079f, 0.060f };
	for ( int i = 0; i < 4; ++i )
	{
		float z = ( 0.036f - 0.024f * (float)i ) * girth;
		float reach = lengths[i];
		float start = 0.818f - 0.004f * (float)( i * ( i - 1 ) );
		supVec3 knuckle = vec( start * x, 1.341f, z );
		supVec3 bend = vec( ( start + 0.52f * reach ) * x, 1.335f, z * 1.16f );
		supVec3 tip = vec( ( start + reach ) * x, 1.322f, z * 1.22f );
		creatureCone( c, fingers, knuckle, 0.0118f * girth, bend, 0.0102f * girth, 0.006f, a->skin )->fineness = fine;
		creatureCone( c, tips, bend, 0.0102f * girth, tip, 0.0088f * girth, 0.003f, a->skin )->fineness = fine;
	}
}

void anatomyAddArm( creature* c, const anatomy* a, int32_t chest, const gaitSide* side )
{
	float x = side->sign;
	float m = a->muscle, f = a->fat;
	int32_t shoulder = creatureJoint( c, side->shoulder, chest, vec( 0.035f * x, 1.425f, 0.0f ) );
	int32_t upper = creatureJoint( c, side->upperArm, shoulder, vec( 0.185f * x, 1.418f, -0.015f ) );
	int32_t lower = creatureJoint( c, side->lowerArm, upper, vec( 0.460f * x, 1.385f, -0.02f ) );
	int32_t hand = creatureJoint( c, side->hand, lower, vec( 0.715f * x, 1.350f, 0.0f ) );
	creatureCone( c, shoulder, vec( 0.03f * x, 1.480f + 0.01f * m, -0.03f ), 0.045f + 0.012f * m,
				  vec( 0.150f * x, 1.430f, -0.02f ), 0.052f + 0.008f * m, 0.04f, a->skin );
	creatureBone( c, upper, lower, 0.050f + 0.008f * m + 0.010f * f, 0.041f + 0.004f * f, 0.04f, a->skin );
	sculptBlob* deltoid = creatureEllipsoid( c, upper, vec( 0.208f * x, 1.420f, -0.015f ),
											 vec( 0.078f, 0.060f + 0.016f * m, 0.060f + 0.014f * m ), 0.03f, a->skin );
	Turn( deltoid, 0.0f, 0.0f, 1.0f, -8.0f * x );
	creatureEllipsoid( c, upper, vec( 0.330f * x, 1.409f, 0.010f ),
					   vec( 0.095f, 0.036f + 0.014f * m, 0.034f + 0.014f * m ), 0.025f, a->skin );
	creatureEllipsoid( c, upper, vec( 0.320f * x, 1.395f, -0.040f ),
					   vec( 0.105f, 0.036f + 0.014f * m, 0.032f + 0.012f * m ), 0.025f, a->skin );
	creatureBone( c, lower, hand, 0.041f + 0.004f * f, 0.0275f + 0.005f * m, 0.02f, a->skin );
	creatureEllipsoid( c, lower, vec( 0.532f * x, 1.378f, -0.005f ),
					   vec( 0.092f, 0.040f + 0.009f * m, 0.042f + 0.008f * m ), 0.025f, a->skin );
	if ( a->hasShirt )
	{
		creatureCone( c, upper, vec( 0.20f * x, 1.416f, -0.015f ), 0.066f, vec( 0.285f * x, 1.406f, -0.016f ), 0.062f,
					  0.012f, a->skin );
	}
	AddHand( c, a, hand, side );
}

static void AddFoot( creature* c, const anatomy* a, int32_t foot, int32_t toes, float x )
{
	(void)a;
	// a low shoe
	creatureEllipsoid( c, foot, vec( 0.112f * x, 0.050f, -0.040f ), vec( 0.040f, 0.050f, 0.052f ), 0.03f, s_shoe );
	creatureEllipsoid( c, foot, vec( 0.118f * x, 0.048f, 0.040f ), vec( 0.044f, 0.044f, 0.095f ), 0.03f, s_shoe );
	creatureEllipsoid( c, toes, vec( 0.122f * x, 0.036f, 0.125f ), vec( 0.048f, 0.036f, 0.062f ), 0.03f, s_shoe );
	creatureEllipsoid( c, foot, vec( 0.118f * x, 0.0f, 0.045f ), vec( 0.12f, 0.018f, 0.24f ), 0.008f, s_sole )->use =
		sculpt_paint;
}

void anatomyAddLeg( creature* c, const anatomy* a, int32_t hips, const gaitSide* side, bool whole )
{
	float x = side->sign;
	float m = a->muscle, f = a->fat;
	supVec3 hip = vec( 0.090f * x, 0.905f, 0.0f );
	supVec3 knee = vec( 0.104f * x, 0.500f, 0.005f );
	int32_t upper = creatureJoint( c, side->upperLeg, hips, hip );
	if ( whole == false )
	{
		creatureCone( c, upper, hip, 0.088f + 0.010f * f, supLerp( hip, knee, 0.42f ), 0.080f + 0.010f * f, 0.04f,
					  a->skin );
		return;
	}
	int32_t lower = creatureJoint( c, side->lowerLeg, upper, knee );
	int32_t foot = creatureJoint( c, side->foot, lower, vec( 0.110f * x, 0.090f, -0.03f ) );
	int32_t toes = creatureJoint( c, side->toes, foot, vec( 0.120f * x, 0.030f, 0.085f ) );
	creatureCone( c, upper, hip, 0.086f + 0.008f * m, knee, 0.052f, 0.04f, a->skin );
	creatureEllipsoid( c, upper, vec( 0.102f * x, 0.72f, 0.030f ), vec( 0.062f + 0.01f * m, 0.16f, 0.058f + 0.01f * m ),
					   0.04f, a->skin );
	// knee cap, shin, calf
	creatureEllipsoid( c, lower, vec( 0.104f * x, 0.500f, 0.030f ), vec( 0.036f, 0.045f, 0.032f ), 0.03f, a->skin );
	creatureCone( c, lower, knee, 0.052f, vec( 0.110f * x, 0.090f, -0.025f ), 0.034f, 0.03f, a->skin );
	creatureEllipsoid( c, lower, vec( 0.108f * x, 0.365f, -0.030f ),
					   vec( 0.050f + 0.006f * m, 0.115f, 0.048f + 0.008f * m ), 0.03f, a->skin );
	// leg of the shorts
	creatureCone( c, upper, vec( 0.094f * x, 0.870f, 0.0f ), 0.097f, vec( 0.106f * x, 0.650f, 0.008f ), 0.081f, 0.012f,
				  a->skin );
	AddFoot( c, a, foot, toes, x );
}

void anatomyDress( creature* c, const anatomy* a )
{
	int32_t hips = 0;
	if ( a->hasShirt )
	{
		creatureEllipsoid( c, hips, vec( 0.0f, 1.195f, -0.03f ), vec( 0.34f, 0.300f, 0.30f ), 0.004f, a->shirt )->use =
			sculpt_paint;
	}
	creatureEllipsoid( c, hips, vec( 0.0f, 0.86f, 0.0f ), vec( 0.34f, 0.175f, 0.30f ), 0.004f, a->shorts )->use =
		sculpt_paint;
	for ( int i = 0; i < 2; ++i )
	{
		float x = gaitSides[i].sign;
		creatureCone( c, hips, vec( 0.09f * x, 0.90f, 0.0f ), 0.13f, vec( 0.11f * x, 0.72f, 0.0f ), 0.15f, 0.004f,
					  a->shorts )
			->use = sculpt_paint;
		if ( a->hasShirt )
		{
			creatureCone( c, hips, vec( 0.15f * x, 1.40f, -0.015f ), 0.085f, vec( 0.25f * x, 1.405f, -0.016f ), 0.095f,
						  0.004f, a->shirt )
				->use = sculpt_paint;
		}
	}
}
