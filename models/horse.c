// SPDX-License-Identifier: MIT
// A bay horse with a mane and a long tail: 43 bones, 3833 vertices (HORSE of paper 004).
#include "creature.h"
#include "creatures.h"
#include "quadruped.h"

static const supVec3 s_coat = { 0.180f, 0.072f, 0.034f };
static const supVec3 s_black = { 0.022f, 0.018f, 0.017f };
static const supVec3 s_hoof = { 0.075f, 0.060f, 0.050f };
static const supVec3 s_white = { 0.74f, 0.71f, 0.66f };

#define NECK_JOINTS 3
#define TAIL_JOINTS 6

static int32_t BuildTrunk( creature* c )
{
	int32_t hips = creatureJoint( c, "Hips", -1, vec( 0.0f, 1.400f, -0.520f ) );
	int32_t spine1 = creatureJoint( c, "Spine1", hips, vec( 0.0f, 1.410f, -0.300f ) );
	int32_t spine2 = creatureJoint( c, "Spine2", spine1, vec( 0.0f, 1.390f, -0.080f ) );
	int32_t spine3 = creatureJoint( c, "Spine3", spine2, vec( 0.0f, 1.380f, 0.120f ) );
	int32_t chest = creatureJoint( c, "Chest", spine3, vec( 0.0f, 1.380f, 0.300f ) );
	creatureEllipsoid( c, hips, vec( 0.0f, 1.285f, -0.550f ), vec( 0.205f, 0.225f, 0.270f ), 0.10f, s_coat );
	creatureEllipsoid( c, spine1, vec( 0.0f, 1.235f, -0.290f ), vec( 0.215f, 0.235f, 0.260f ), 0.12f, s_coat );
	creatureEllipsoid( c, spine2, vec( 0.0f, 1.195f, -0.060f ), vec( 0.235f, 0.260f, 0.260f ), 0.12f, s_coat );
	creatureEllipsoid( c, spine3, vec( 0.0f, 1.185f, 0.140f ), vec( 0.230f, 0.275f, 0.250f ), 0.12f, s_coat );
	creatureEllipsoid( c, chest, vec( 0.0f, 1.190f, 0.330f ), vec( 0.205f, 0.275f, 0.230f ), 0.12f, s_coat );
	// withers, croup and breast
	creatureEllipsoid( c, chest, vec( 0.0f, 1.440f, 0.270f ), vec( 0.070f, 0.080f, 0.220f ), 0.12f, s_coat );
	creatureEllipsoid( c, hips, vec( 0.0f, 1.430f, -0.560f ), vec( 0.120f, 0.075f, 0.200f ), 0.10f, s_coat );
	creatureEllipsoid( c, chest, vec( 0.0f, 1.120f, 0.480f ), vec( 0.155f, 0.175f, 0.130f ), 0.12f, s_coat );
	return chest;
}

// Deeper than wide: three rows of cones, along the crest, the middle and the throat.
static int32_t BuildNeck( creature* c, int32_t chest )
{
	static const supVec3 crest[] = {
		{ 0.0f, 1.430f, 0.330f }, { 0.0f, 1.625f, 0.570f }, { 0.0f, 1.800f, 0.730f }, { 0.0f, 1.920f, 0.865f }
	};
	static const supVec3 middle[] = {
		{ 0.0f, 1.320f, 0.420f }, { 0.0f, 1.520f, 0.635f }, { 0.0f, 1.710f, 0.790f }, { 0.0f, 1.860f, 0.910f }
	};
	static const supVec3 throat[] = {
		{ 0.0f, 1.180f, 0.470f }, { 0.0f, 1.420f, 0.690f }, { 0.0f, 1.615f, 0.835f }, { 0.0f, 1.775f, 0.945f }
	};
	static const float crestRadii[] = { 0.090f, 0.078f, 0.066f, 0.060f };
	static const float middleRadii[] = { 0.175f, 0.112f, 0.092f, 0.085f };
	static const float throatRadii[] = { 0.140f, 0.095f, 0.078f, 0.072f };
	static const char* const names[] = { "Neck1", "Neck2", "Neck3" };
	int32_t parent = chest;
	for ( int i = 0; i < NECK_JOINTS; ++i )
	{
		parent = creatureJoint( c, names[i], parent, middle[i] );
		float blend = i == 0 ? 0.12f : 0.08f;
		creatureCone( c, parent, middle[i], middleRadii[i], middle[i + 1], middleRadii[i + 1], blend, s_coat );
		creatureCone( c, parent, crest[i], crestRadii[i], crest[i + 1], crestRadii[i + 1], 0.08f, s_coat );
		creatureCone( c, parent, throat[i], throatRadii[i], throat[i + 1], throatRadii[i + 1], 0.08f, s_coat );
	}
	return parent;
}

static void BuildHead( creature* c, int32_t neck )
{
	int32_t head = creatureJoint( c, "Head", neck, vec( 0.0f, 1.890f, 0.920f ) );
	int32_t jaw = creatureJoint( c, "Jaw", head, vec( 0.0f, 1.800f, 0.950f ) );
	creatureEllipsoid( c, head, vec( 0.0f, 1.885f, 0.955f ), vec( 0.092f, 0.092f, 0.110f ), 0.05f, s_coat );
	creatureCone( c, head, vec( 0.0f, 1.865f, 0.985f ), 0.084f, vec( 0.0f, 1.610f, 1.220f ), 0.054f, 0.05f, s_coat );
	creatureEllipsoid( c, head, vec( 0.0f, 1.580f, 1.245f ), vec( 0.062f, 0.060f, 0.062f ), 0.04f,
					   supLerp( s_coat, s_black, 0.75f ) );
	creatureCone( c, jaw, vec( 0.0f, 1.770f, 1.000f ), 0.062f, vec( 0.0f, 1.555f, 1.185f ), 0.038f, 0.04f, s_coat );
	creatureEllipsoid( c, jaw, vec( 0.0f, 1.540f, 1.200f ), vec( 0.044f, 0.036f, 0.046f ), 0.02f,
					   supLerp( s_coat, s_black, 0.75f ) );
	for ( float x = 1.0f; x >= -1.0f; x -= 2.0f )
	{
		// jowl, brow, nostril
		creatureEllipsoid( c, head, vec( 0.040f * x, 1.800f, 0.965f ), vec( 0.046f, 0.095f, 0.090f ), 0.05f, s_coat );
		creatureEllipsoid( c, head, vec( 0.070f * x, 1.898f, 1.015f ), vec( 0.028f, 0.020f, 0.048f ), 0.02f, s_coat )
			->fineness = 1.3f;
		sculptBlob* nostril = creatureEllipsoid( c, head, vec( 0.040f * x, 1.595f, 1.298f ),
												 vec( 0.015f, 0.022f, 0.020f ), 0.010f, s_black );
		nostril->use = sculpt_carve;
		nostril->fineness = 1.3f;
		creatureEye( c, head, vec( 0.066f * x, 1.866f, 1.025f ), 0.031f, vec( 0.88f * x, 0.08f, 0.46f ),
					 vec( 0.06f, 0.022f, 0.008f ) );
		int32_t ear = creatureJoint( c, x > 0.0f ? "LeftEar" : "RightEar", head, vec( 0.050f * x, 1.960f, 0.915f ) );
		supQuat lean = supMakeQuatAxisAngle( vec( -0.4f * x, 0.0f, 1.0f ), -0.22f * x );
		sculptBlob* leaf = creatureEllipsoid( c, ear, vec( 0.062f * x, 2.015f, 0.920f ), vec( 0.034f, 0.088f, 0.028f ),
											  0.03f, s_coat );
		leaf->rotation = lean;
		leaf->fineness = 1.2f;
		sculptBlob* hollow = creatureEllipsoid( c, ear, vec( 0.066f * x, 2.030f, 0.948f ),
												vec( 0.018f, 0.056f, 0.018f ), 0.015f, s_black );
		hollow->use = sculpt_carve;
		hollow->rotation = lean;
	}
	// forelock
	sculptBlob* lock =
		creatureEllipsoid( c, head, vec( 0.012f, 1.930f, 1.010f ), vec( 0.034f, 0.085f, 0.028f ), 0.02f, s_black );
	lock->rotation = supMakeQuatAxisAngle( vec( 1.0f, 0.0f, 0.0f ), -0.55f );
}

// Stands along the crest and falls to the left.
static void BuildMane( creature* c )
{
	static const char* const names[] = { "Mane1", "Mane2", "Mane3" };
	static const char* const carriers[] = { "Neck1", "Neck2", "Neck3" };
	static const supVec3 crest[] = {
		{ 0.0f, 1.500f, 0.365f }, { 0.0f, 1.690f, 0.545f }, { 0.0f, 1.855f, 0.690f }, { 0.0f, 1.965f, 0.850f }
	};
	static const supVec3 locks[][2] = { { { 0.105f, 1.470f, 0.430f }, { 0.095f, 1.520f, 0.520f } },
										{ { 0.092f, 1.610f, 0.585f }, { 0.085f, 1.690f, 0.660f } },
										{ { 0.080f, 1.775f, 0.725f }, { 0.074f, 1.860f, 0.815f } } };
	for ( int i = 0; i < 3; ++i )
	{
		int32_t carrier = 0;
		while ( carrier + 1 < c->joints.count && strcmp( c->joints.data[carrier].name, carriers[i] ) != 0 )
		{
			carrier += 1;
		}
		int32_t joint = creatureJoint( c, names[i], carrier, supLerp( crest[i], crest[i + 1], 0.3f ) );
		creatureCone( c, joint, crest[i], 0.040f, crest[i + 1], 0.040f, 0.02f, s_black );
		for ( int k = 0; k < 2; ++k )
		{
			sculptBlob* lock =
				creatureEllipsoid( c, joint, locks[i][k], vec( 0.036f, 0.130f, 0.062f ), 0.02f, s_black );
			lock->rotation = supMakeQuatAxisAngle( vec( -0.55f, 0.0f, 1.0f ), 0.25f );
		}
	}
}

static void BuildTail( creature* c )
{
	static const char* const names[] = { "Tail1", "Tail2", "Tail3", "Tail4", "Tail5", "Tail6" };
	static const supVec3 at[] = { { 0.0f, 1.400f, -0.770f }, { 0.0f, 1.370f, -0.870f }, { 0.0f, 1.210f, -0.930f },
								  { 0.0f, 1.030f, -0.945f }, { 0.0f, 0.850f, -0.940f }, { 0.0f, 0.680f, -0.930f },
								  { 0.0f, 0.500f, -0.915f } };
	static const float radii[] = { 0.055f, 0.052f, 0.062f, 0.074f, 0.072f, 0.058f, 0.022f };
	int32_t parent = 0;
	for ( int i = 0; i < TAIL_JOINTS; ++i )
	{
		parent = creatureJoint( c, names[i], parent, at[i] );
		creatureCone( c, parent, at[i], radii[i], at[i + 1], radii[i + 1], 0.03f, s_black );
	}
}

static void BuildLegs( creature* c, int32_t chest )
{
	const quadrupedLimbShape front = { { { 0.110f, 1.390f, 0.300f },
										 { 0.148f, 1.100f, 0.460f },
										 { 0.160f, 0.930f, 0.320f },
										 { 0.150f, 0.515f, 0.355f },
										 { 0.150f, 0.185f, 0.340f },
										 { 0.150f, 0.095f, 0.393f },
										 { 0.150f, 0.056f, 0.420f } },
									   { 0.085f, 0.090f, 0.082f, 0.049f, 0.038f, 0.046f, 0.058f },
									   s_coat,
									   s_black,
									   s_hoof };
	const quadrupedLimbShape hind = { { { 0.135f, 1.300f, -0.600f },
										{ 0.180f, 1.010f, -0.400f },
										{ 0.155f, 0.610f, -0.790f },
										{ 0.150f, 0.195f, -0.735f },
										{ 0.150f, 0.098f, -0.680f },
										{ 0.150f, 0.056f, -0.652f } },
									  { 0.160f, 0.110f, 0.055f, 0.041f, 0.046f, 0.058f },
									  s_coat,
									  s_black,
									  s_hoof };
	for ( int i = 0; i < 4; ++i )
	{
		const quadrupedLimb* limb = quadrupedLimbs + i;
		float x = limb->sign;
		int32_t first = quadrupedAddLimb( c, limb, limb->isFront ? chest : 0, limb->isFront ? &front : &hind );
		if ( limb->isFront )
		{
			creatureEllipsoid( c, first, vec( 0.135f * x, 1.19f, 0.370f ), vec( 0.085f, 0.230f, 0.140f ), 0.09f,
							   s_coat );
			creatureCone( c, first + 2, vec( 0.162f * x, 0.890f, 0.315f ), 0.080f, vec( 0.155f * x, 0.690f, 0.340f ),
						  0.056f, 0.04f, s_coat );
			creatureEllipsoid( c, first + 3, vec( 0.150f * x, 0.510f, 0.362f ), vec( 0.050f, 0.065f, 0.052f ), 0.03f,
							   s_black );
		}
		else
		{
			sculptBlob* thigh = creatureEllipsoid( c, first, vec( 0.155f * x, 1.110f, -0.570f ),
												   vec( 0.110f, 0.250f, 0.190f ), 0.09f, s_coat );
			thigh->rotation = supMakeQuatAxisAngle( vec( 1.0f, 0.0f, 0.0f ), -0.30f );
			creatureCone( c, first + 1, vec( 0.175f * x, 0.960f, -0.490f ), 0.105f, vec( 0.160f * x, 0.750f, -0.670f ),
						  0.064f, 0.05f, s_coat );
			creatureCone( c, first + 2, vec( 0.155f * x, 0.675f, -0.835f ), 0.032f, vec( 0.155f * x, 0.600f, -0.795f ),
						  0.054f, 0.03f, s_black );
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
		{ { 0.0f, 1.800f, 1.110f }, { 0.026f, 0.150f, 0.080f }, 0.020f, &s_white },   // blaze
		{ { 0.0f, 1.900f, 1.060f }, { 0.034f, 0.036f, 0.060f }, 0.020f, &s_white },   // star
		{ { 0.150f, 0.190f, -0.725f }, { 0.085f, 0.105f, 0.10f }, 0.020f, &s_white }, // socks
		{ { -0.150f, 0.175f, 0.345f }, { 0.085f, 0.085f, 0.085f }, 0.020f, &s_white },
		{ { 0.150f, 0.040f, -0.655f }, { 0.090f, 0.048f, 0.10f }, 0.015f, &s_hoof },
		{ { -0.150f, 0.045f, 0.420f }, { 0.090f, 0.050f, 0.085f }, 0.015f, &s_hoof },
	};
	for ( int i = 0; i < (int)SUP_COUNT( paint ); ++i )
	{
		creatureEllipsoid( c, 0, paint[i].at, paint[i].radii, paint[i].edge, *paint[i].color )->use = sculpt_paint;
	}
}

supCharacter* createHorse( supError* error )
{
	creature c;
	creatureInit( &c, "horse" );
	int32_t chest = BuildTrunk( &c );
	BuildHead( &c, BuildNeck( &c, chest ) );
	BuildTail( &c );
	BuildLegs( &c, chest );
	BuildMane( &c );
	quadrupedLevelSoles( &c, 0.022f, s_hoof );
	Paint( &c );
	addQuadrupedClips( &c );
	return creatureFinish( &c, 3833, 0.65f, error );
}
