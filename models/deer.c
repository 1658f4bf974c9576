// SPDX-License-Identifier: MIT
// A slender stag: 34 bones, 1748, 2755 or 8408 vertices (the three DEER of paper 004).
#include "creature.h"
#include "creatures.h"
#include "quadruped.h"

static const supVec3 s_coat = { 0.300f, 0.150f, 0.070f };
static const supVec3 s_back = { 0.135f, 0.065f, 0.034f };
static const supVec3 s_pale = { 0.68f, 0.58f, 0.45f };
static const supVec3 s_shin = { 0.210f, 0.105f, 0.055f };
static const supVec3 s_dark = { 0.035f, 0.028f, 0.025f };
static const supVec3 s_horn = { 0.40f, 0.29f, 0.18f };

static void BuildTrunk( creature* c )
{
	int32_t hips = creatureJoint( c, "Hips", -1, vec( 0.0f, 0.93f, -0.36f ) );
	int32_t spine1 = creatureJoint( c, "Spine1", hips, vec( 0.0f, 0.94f, -0.18f ) );
	int32_t spine2 = creatureJoint( c, "Spine2", spine1, vec( 0.0f, 0.935f, 0.02f ) );
	int32_t chest = creatureJoint( c, "Chest", spine2, vec( 0.0f, 0.92f, 0.20f ) );
	creatureEllipsoid( c, hips, vec( 0.0f, 0.860f, -0.375f ), vec( 0.128f, 0.155f, 0.190f ), 0.08f, s_coat );
	creatureEllipsoid( c, spine1, vec( 0.0f, 0.850f, -0.170f ), vec( 0.128f, 0.145f, 0.190f ), 0.09f, s_coat );
	creatureEllipsoid( c, spine2, vec( 0.0f, 0.820f, 0.020f ), vec( 0.140f, 0.178f, 0.200f ), 0.09f, s_coat );
	creatureEllipsoid( c, chest, vec( 0.0f, 0.800f, 0.205f ), vec( 0.138f, 0.200f, 0.200f ), 0.09f, s_coat );
	// withers and breast
	creatureEllipsoid( c, chest, vec( 0.0f, 0.945f, 0.200f ), vec( 0.060f, 0.065f, 0.160f ), 0.08f, s_coat );
	creatureEllipsoid( c, chest, vec( 0.0f, 0.770f, 0.330f ), vec( 0.105f, 0.130f, 0.095f ), 0.10f, s_coat );
	// the tail: dark above, white below
	int32_t tail1 = creatureJoint( c, "Tail1", hips, vec( 0.0f, 0.955f, -0.540f ) );
	int32_t tail2 = creatureJoint( c, "Tail2", tail1, vec( 0.0f, 0.875f, -0.595f ) );
	creatureCone( c, tail1, vec( 0.0f, 0.935f, -0.525f ), 0.040f, vec( 0.0f, 0.870f, -0.590f ), 0.036f, 0.04f, s_back );
	creatureCone( c, tail2, vec( 0.0f, 0.870f, -0.590f ), 0.036f, vec( 0.0f, 0.800f, -0.612f ), 0.018f, 0.02f, s_back );
}

static void BuildEar( creature* c, int32_t head, float x )
{
	int32_t ear = creatureJoint( c, x > 0.0f ? "LeftEar" : "RightEar", head, vec( 0.048f * x, 1.412f, 0.585f ) );
	supQuat lean = supMakeQuatAxisAngle( vec( 0.25f, 0.0f, 1.0f ), -1.22f * x );
	creatureCone( c, ear, vec( 0.044f * x, 1.408f, 0.588f ), 0.026f, vec( 0.084f * x, 1.424f, 0.578f ), 0.022f, 0.02f,
				  s_coat );
	sculptBlob* leaf =
		creatureEllipsoid( c, ear, vec( 0.134f * x, 1.441f, 0.569f ), vec( 0.044f, 0.090f, 0.025f ), 0.03f, s_coat );
	leaf->rotation = lean;
	leaf->fineness = 1.2f;
	sculptBlob* hollow =
		creatureEllipsoid( c, ear, vec( 0.140f * x, 1.444f, 0.590f ), vec( 0.026f, 0.058f, 0.017f ), 0.012f, s_pale );
	hollow->use = sculpt_carve;
	hollow->rotation = lean;
}

// A beam that rises back and out, with a brow tine, a middle tine and a fork.
static void BuildAntler( creature* c, int32_t head, float x )
{
	static const supVec3 beam[5] = { { 0.030f, 1.440f, 0.620f },
									 { 0.062f, 1.530f, 0.585f },
									 { 0.140f, 1.650f, 0.530f },
									 { 0.185f, 1.780f, 0.545f },
									 { 0.165f, 1.885f, 0.610f } };
	static const float radii[5] = { 0.024f, 0.0215f, 0.0200f, 0.0185f, 0.012f };
	static const struct
	{
		int from;
		supVec3 to;
	} tines[3] = { { 1, { 0.070f, 1.590f, 0.710f } },
				   { 2, { 0.175f, 1.720f, 0.650f } },
				   { 3, { 0.215f, 1.890f, 0.480f } } };
	for ( int i = 0; i < 4; ++i )
	{
		creatureCone( c, head, vec( x * beam[i].x, beam[i].y, beam[i].z ), radii[i],
					  vec( x * beam[i + 1].x, beam[i + 1].y, beam[i + 1].z ), radii[i + 1], 0.010f, s_horn );
	}
	for ( int i = 0; i < 3; ++i )
	{
		supVec3 a = beam[tines[i].from], b = tines[i].to;
		creatureCone( c, head, vec( x * a.x, a.y, a.z ), 0.019f, vec( x * b.x, b.y, b.z ), 0.012f, 0.012f,
					  supLerp( s_horn, s_pale, 0.4f ) );
	}
	// the rose at its foot
	creatureEllipsoid( c, head, vec( 0.034f * x, 1.452f, 0.616f ), vec( 0.031f, 0.014f, 0.031f ), 0.01f,
					   supScale( 0.6f, s_horn ) );
}

static void BuildHead( creature* c, int32_t neck )
{
	int32_t head = creatureJoint( c, "Head", neck, vec( 0.0f, 1.345f, 0.590f ) );
	int32_t jaw = creatureJoint( c, "Jaw", head, vec( 0.0f, 1.335f, 0.645f ) );
	creatureEllipsoid( c, head, vec( 0.0f, 1.378f, 0.625f ), vec( 0.062f, 0.068f, 0.085f ), 0.03f, s_coat );
	creatureCone( c, head, vec( 0.0f, 1.380f, 0.655f ), 0.052f, vec( 0.0f, 1.302f, 0.820f ), 0.030f, 0.03f, s_coat );
	// the nose
	creatureEllipsoid( c, head, vec( 0.0f, 1.294f, 0.834f ), vec( 0.032f, 0.028f, 0.030f ), 0.015f, s_back );
	sculptBlob* nose =
		creatureEllipsoid( c, head, vec( 0.0f, 1.299f, 0.856f ), vec( 0.026f, 0.018f, 0.015f ), 0.008f, s_dark );
	nose->fineness = 1.3f;
	creatureCone( c, jaw, vec( 0.0f, 1.340f, 0.655f ), 0.040f, vec( 0.0f, 1.272f, 0.805f ), 0.021f, 0.02f, s_pale );
	for ( float x = 1.0f; x >= -1.0f; x -= 2.0f )
	{
		creatureEllipsoid( c, head, vec( 0.047f * x, 1.414f, 0.664f ), vec( 0.020f, 0.014f, 0.034f ), 0.012f, s_coat )
			->fineness = 1.4f;
		creatureEye( c, head, vec( 0.046f * x, 1.393f, 0.676f ), 0.0205f, vec( 0.86f * x, 0.10f, 0.50f ),
					 vec( 0.05f, 0.02f, 0.008f ) );
		BuildEar( c, head, x );
		BuildAntler( c, head, x );
	}
}

static void BuildLegs( creature* c )
{
	const quadrupedLimbShape front = { { { 0.070f, 0.930f, 0.235f },
										 { 0.098f, 0.735f, 0.350f },
										 { 0.108f, 0.610f, 0.255f },
										 { 0.098f, 0.345f, 0.285f },
										 { 0.098f, 0.115f, 0.270f },
										 { 0.098f, 0.058f, 0.303f },
										 { 0.098f, 0.030f, 0.326f } },
									   { 0.060f, 0.062f, 0.052f, 0.031f, 0.0250f, 0.028f, 0.030f },
									   s_coat,
									   s_shin,
									   s_dark };
	const quadrupedLimbShape hind = { { { 0.090f, 0.880f, -0.415f },
										{ 0.122f, 0.680f, -0.260f },
										{ 0.102f, 0.425f, -0.520f },
										{ 0.098f, 0.125f, -0.480f },
										{ 0.098f, 0.060f, -0.445f },
										{ 0.098f, 0.030f, -0.420f } },
									  { 0.110f, 0.074f, 0.033f, 0.0260f, 0.028f, 0.030f },
									  s_coat,
									  s_shin,
									  s_dark };
	int32_t hips = 0, chest = 3;
	for ( int i = 0; i < 4; ++i )
	{
		const quadrupedLimb* limb = quadrupedLimbs + i;
		float x = limb->sign;
		int32_t first = quadrupedAddLimb( c, limb, limb->isFront ? chest : hips, limb->isFront ? &front : &hind );
		if ( limb->isFront )
		{
			creatureEllipsoid( c, first, vec( 0.088f * x, 0.79f, 0.285f ), vec( 0.058f, 0.160f, 0.100f ), 0.07f,
							   s_coat );
			creatureCone( c, first + 2, vec( 0.108f * x, 0.575f, 0.255f ), 0.052f, vec( 0.102f * x, 0.450f, 0.275f ),
						  0.034f, 0.03f, s_coat );
			creatureEllipsoid( c, first + 3, vec( 0.098f * x, 0.345f, 0.290f ), vec( 0.032f, 0.042f, 0.033f ), 0.015f,
							   s_shin );
		}
		else
		{
			sculptBlob* thigh = creatureEllipsoid( c, first, vec( 0.105f * x, 0.755f, -0.375f ),
												   vec( 0.075f, 0.165f, 0.125f ), 0.06f, s_coat );
			thigh->rotation = supMakeQuatAxisAngle( vec( 1.0f, 0.0f, 0.0f ), -0.35f );
			creatureCone( c, first + 1, vec( 0.118f * x, 0.640f, -0.320f ), 0.066f, vec( 0.106f * x, 0.510f, -0.440f ),
						  0.040f, 0.04f, s_coat );
			// the heel bone
			creatureCone( c, first + 2, vec( 0.102f * x, 0.470f, -0.545f ), 0.022f, vec( 0.102f * x, 0.415f, -0.520f ),
						  0.033f, 0.02f, s_shin );
		}
	}
}

static void Paint( creature* c )
{
	static const struct
	{
		supVec3 at, radii;
		float edge;
		const supVec3* color;
	} paint[] = {
		{ { 0.0f, 0.565f, -0.03f }, { 0.115f, 0.180f, 0.260f }, 0.10f, &s_pale },  // belly
		{ { 0.0f, 1.010f, -0.12f }, { 0.070f, 0.085f, 0.520f }, 0.09f, &s_back },  // back
		{ { 0.0f, 0.835f, -0.580f }, { 0.110f, 0.140f, 0.085f }, 0.03f, &s_pale }, // rump
		{ { 0.0f, 1.180f, 0.620f }, { 0.045f, 0.110f, 0.055f }, 0.05f, &s_pale },  // throat
		{ { 0.0f, 1.262f, 0.845f }, { 0.045f, 0.026f, 0.045f }, 0.02f, &s_pale },  // lips
		{ { 0.0f, 1.435f, 0.740f }, { 0.024f, 0.060f, 0.070f }, 0.04f, &s_back },  // forehead
	};
	for ( int i = 0; i < (int)SUP_COUNT( paint ); ++i )
	{
		creatureEllipsoid( c, 0, paint[i].at, paint[i].radii, paint[i].edge, *paint[i].color )->use = sculpt_paint;
	}
}

static supCharacter* CreateDeer( const char* name, int32_t vertexCount, supError* error )
{
	creature c;
	creatureInit( &c, name );
	BuildTrunk( &c );
	int32_t neck1 = creatureJoint( &c, "Neck1", 3, vec( 0.0f, 0.930f, 0.350f ) );
	int32_t neck2 = creatureJoint( &c, "Neck2", neck1, vec( 0.0f, 1.145f, 0.490f ) );
	creatureCone( &c, neck1, vec( 0.0f, 0.880f, 0.320f ), 0.125f, vec( 0.0f, 1.145f, 0.490f ), 0.078f, 0.09f, s_coat );
	creatureCone( &c, neck2, vec( 0.0f, 1.145f, 0.490f ), 0.079f, vec( 0.0f, 1.345f, 0.590f ), 0.060f, 0.07f, s_coat );
	BuildHead( &c, neck2 );
	BuildLegs( &c );
	quadrupedLevelSoles( &c, 0.012f, s_dark );
	Paint( &c );
	addQuadrupedClips( &c );
	return creatureFinish( &c, vertexCount, 0.7f, error );
}

supCharacter* createDeer( supError* error )
{
	return CreateDeer( "deer", 2755, error );
}

supCharacter* createDeer1748( supError* error )
{
	return CreateDeer( "deer1748", 1748, error );
}

supCharacter* createDeer8408( supError* error )
{
	return CreateDeer( "deer8408", 8408, error );
}
