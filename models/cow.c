// SPDX-License-Identifier: MIT
// A plump dairy cow with udder, horns and soft ears: 37 bones, 3012 vertices.
#include "creature.h"
#include "creatures.h"
#include "quadruped.h"

static const supVec3 s_white = { 0.76f, 0.73f, 0.67f };
static const supVec3 s_black = { 0.020f, 0.018f, 0.018f };
static const supVec3 s_pink = { 0.72f, 0.40f, 0.35f };
static const supVec3 s_horn = { 0.60f, 0.52f, 0.38f };
static const supVec3 s_hoof = { 0.090f, 0.070f, 0.055f };

#define TAIL_JOINTS 4

static int32_t BuildTrunk( creature* c )
{
	int32_t hips = creatureJoint( c, "Hips", -1, vec( 0.0f, 1.235f, -0.600f ) );
	int32_t spine1 = creatureJoint( c, "Spine1", hips, vec( 0.0f, 1.230f, -0.320f ) );
	int32_t spine2 = creatureJoint( c, "Spine2", spine1, vec( 0.0f, 1.220f, -0.020f ) );
	int32_t chest = creatureJoint( c, "Chest", spine2, vec( 0.0f, 1.220f, 0.280f ) );
	creatureEllipsoid( c, hips, vec( 0.0f, 1.095f, -0.610f ), vec( 0.245f, 0.225f, 0.260f ), 0.12f, s_white );
	creatureEllipsoid( c, spine1, vec( 0.0f, 1.010f, -0.330f ), vec( 0.290f, 0.305f, 0.320f ), 0.14f, s_white );
	creatureEllipsoid( c, spine2, vec( 0.0f, 0.975f, -0.020f ), vec( 0.315f, 0.335f, 0.340f ), 0.14f, s_white );
	creatureEllipsoid( c, chest, vec( 0.0f, 0.990f, 0.290f ), vec( 0.255f, 0.310f, 0.280f ), 0.14f, s_white );
	// the flat back with its hip bones, withers, dewlap
	creatureCone( c, spine1, vec( 0.0f, 1.255f, -0.620f ), 0.065f, vec( 0.0f, 1.255f, 0.050f ), 0.065f, 0.10f,
				  s_white );
	creatureEllipsoid( c, chest, vec( 0.0f, 1.245f, 0.280f ), vec( 0.090f, 0.070f, 0.240f ), 0.12f, s_white );
	creatureEllipsoid( c, chest, vec( 0.0f, 0.835f, 0.500f ), vec( 0.090f, 0.190f, 0.130f ), 0.10f, s_white );
	for ( float x = 1.0f; x >= -1.0f; x -= 2.0f )
	{
		creatureEllipsoid( c, hips, vec( 0.175f * x, 1.215f, -0.500f ), vec( 0.070f, 0.050f, 0.085f ), 0.08f, s_white );
	}
	return chest;
}

static void BuildUdder( creature* c )
{
	int32_t udder = creatureJoint( c, "Udder", 0, vec( 0.0f, 0.790f, -0.460f ) );
	creatureEllipsoid( c, udder, vec( 0.0f, 0.695f, -0.440f ), vec( 0.135f, 0.140f, 0.175f ), 0.05f, s_pink );
	for ( int i = 0; i < 4; ++i )
	{
		float x = i % 2 == 0 ? 0.062f : -0.062f, z = i < 2 ? -0.375f : -0.510f;
		creatureCone( c, udder, vec( x, 0.590f, z ), 0.031f, vec( 1.15f * x, 0.500f, z ), 0.020f, 0.02f, s_pink )
			->fineness = 1.3f;
	}
}

static void BuildEar( creature* c, int32_t head, float x )
{
	int32_t ear = creatureJoint( c, x > 0.0f ? "LeftEar" : "RightEar", head, vec( 0.100f * x, 1.375f, 0.920f ) );
	supQuat droop = supMakeQuatAxisAngle( vec( 0.0f, 0.0f, 1.0f ), -0.28f * x );
	creatureCone( c, ear, vec( 0.095f * x, 1.372f, 0.920f ), 0.042f, vec( 0.165f * x, 1.362f, 0.905f ), 0.034f, 0.03f,
				  s_black );
	sculptBlob* leaf =
		creatureEllipsoid( c, ear, vec( 0.235f * x, 1.338f, 0.895f ), vec( 0.115f, 0.060f, 0.030f ), 0.04f, s_black );
	leaf->rotation = droop;
	leaf->fineness = 1.15f;
	sculptBlob* hollow =
		creatureEllipsoid( c, ear, vec( 0.245f * x, 1.336f, 0.926f ), vec( 0.076f, 0.036f, 0.024f ), 0.015f, s_pink );
	hollow->use = sculpt_carve;
	hollow->rotation = droop;
}

static void BuildHead( creature* c, int32_t chest )
{
	int32_t neck1 = creatureJoint( c, "Neck1", chest, vec( 0.0f, 1.130f, 0.480f ) );
	int32_t neck2 = creatureJoint( c, "Neck2", neck1, vec( 0.0f, 1.230f, 0.720f ) );
	int32_t head = creatureJoint( c, "Head", neck2, vec( 0.0f, 1.310f, 0.890f ) );
	int32_t jaw = creatureJoint( c, "Jaw", head, vec( 0.0f, 1.235f, 0.940f ) );
	creatureCone( c, neck1, vec( 0.0f, 1.080f, 0.420f ), 0.205f, vec( 0.0f, 1.220f, 0.720f ), 0.145f, 0.12f, s_white );
	creatureCone( c, neck1, vec( 0.0f, 0.900f, 0.560f ), 0.080f, vec( 0.0f, 1.090f, 0.800f ), 0.065f, 0.10f, s_white );
	creatureCone( c, neck2, vec( 0.0f, 1.220f, 0.720f ), 0.145f, vec( 0.0f, 1.305f, 0.890f ), 0.112f, 0.08f, s_white );
	creatureEllipsoid( c, head, vec( 0.0f, 1.330f, 0.955f ), vec( 0.118f, 0.108f, 0.125f ), 0.05f, s_black );
	creatureCone( c, head, vec( 0.0f, 1.310f, 1.000f ), 0.104f, vec( 0.0f, 1.115f, 1.225f ), 0.080f, 0.05f, s_black );
	creatureEllipsoid( c, head, vec( 0.0f, 1.095f, 1.262f ), vec( 0.098f, 0.072f, 0.066f ), 0.04f, s_pink );
	creatureCone( c, jaw, vec( 0.0f, 1.215f, 0.980f ), 0.080f, vec( 0.0f, 1.055f, 1.180f ), 0.056f, 0.04f, s_black );
	creatureEllipsoid( c, jaw, vec( 0.0f, 1.035f, 1.215f ), vec( 0.070f, 0.040f, 0.055f ), 0.02f, s_pink );
	for ( float x = 1.0f; x >= -1.0f; x -= 2.0f )
	{
		creatureEllipsoid( c, head, vec( 0.094f * x, 1.372f, 1.025f ), vec( 0.034f, 0.024f, 0.056f ), 0.025f, s_black )
			->fineness = 1.3f;
		creatureEye( c, head, vec( 0.084f * x, 1.335f, 1.032f ), 0.035f, vec( 0.86f * x, 0.06f, 0.48f ),
					 vec( 0.05f, 0.02f, 0.008f ) );
		sculptBlob* nostril = creatureEllipsoid( c, head, vec( 0.055f * x, 1.122f, 1.322f ),
												 vec( 0.022f, 0.020f, 0.022f ), 0.010f, supScale( 0.25f, s_pink ) );
		nostril->use = sculpt_carve;
		nostril->fineness = 1.3f;
		BuildEar( c, head, x );
		creatureCone( c, head, vec( 0.070f * x, 1.415f, 0.940f ), 0.040f, vec( 0.185f * x, 1.480f, 0.955f ), 0.030f,
					  0.015f, s_horn );
		creatureCone( c, head, vec( 0.185f * x, 1.480f, 0.955f ), 0.030f, vec( 0.225f * x, 1.575f, 1.000f ), 0.014f,
					  0.015f, supLerp( s_horn, s_black, 0.4f ) );
	}
	// the tuft between the horns
	creatureEllipsoid( c, head, vec( 0.0f, 1.425f, 0.960f ), vec( 0.070f, 0.045f, 0.060f ), 0.03f, s_white );
}

static void BuildTail( creature* c )
{
	static const char* const names[] = { "Tail1", "Tail2", "Tail3", "Tail4" };
	static const supVec3 at[] = { { 0.0f, 1.235f, -0.840f },
								  { 0.0f, 1.070f, -0.925f },
								  { 0.0f, 0.860f, -0.945f },
								  { 0.0f, 0.660f, -0.940f },
								  { 0.0f, 0.500f, -0.935f } };
	static const float radii[] = { 0.050f, 0.036f, 0.029f, 0.028f, 0.026f };
	int32_t parent = 0;
	for ( int i = 0; i < TAIL_JOINTS; ++i )
	{
		parent = creatureJoint( c, names[i], parent, at[i] );
		creatureCone( c, parent, at[i], radii[i], at[i + 1], radii[i + 1], 0.03f, s_white );
	}
	creatureEllipsoid( c, parent, vec( 0.0f, 0.510f, -0.938f ), vec( 0.052f, 0.125f, 0.052f ), 0.02f, s_black );
}

static void BuildLegs( creature* c, int32_t chest )
{
	const quadrupedLimbShape front = { { { 0.140f, 1.190f, 0.280f },
										 { 0.180f, 0.900f, 0.430f },
										 { 0.190f, 0.755f, 0.300f },
										 { 0.180f, 0.420f, 0.325f },
										 { 0.180f, 0.155f, 0.315f },
										 { 0.180f, 0.085f, 0.350f },
										 { 0.180f, 0.058f, 0.378f } },
									   { 0.115f, 0.115f, 0.098f, 0.062f, 0.050f, 0.057f, 0.060f },
									   s_white,
									   s_white,
									   s_hoof };
	const quadrupedLimbShape hind = { { { 0.165f, 1.080f, -0.640f },
										{ 0.215f, 0.810f, -0.450f },
										{ 0.190f, 0.500f, -0.790f },
										{ 0.185f, 0.170f, -0.740f },
										{ 0.185f, 0.088f, -0.700f },
										{ 0.185f, 0.058f, -0.672f } },
									  { 0.180f, 0.125f, 0.066f, 0.052f, 0.057f, 0.060f },
									  s_white,
									  s_white,
									  s_hoof };
	for ( int i = 0; i < 4; ++i )
	{
		const quadrupedLimb* limb = quadrupedLimbs + i;
		float x = limb->sign;
		int32_t first = quadrupedAddLimb( c, limb, limb->isFront ? chest : 0, limb->isFront ? &front : &hind );
		if ( limb->isFront )
		{
			creatureEllipsoid( c, first, vec( 0.165f * x, 1.00f, 0.340f ), vec( 0.110f, 0.210f, 0.150f ), 0.10f,
							   s_white );
			creatureCone( c, first + 2, vec( 0.190f * x, 0.720f, 0.300f ), 0.098f, vec( 0.184f * x, 0.540f, 0.315f ),
						  0.070f, 0.05f, s_white );
			creatureEllipsoid( c, first + 3, vec( 0.180f * x, 0.415f, 0.332f ), vec( 0.062f, 0.075f, 0.064f ), 0.03f,
							   s_white );
		}
		else
		{
			sculptBlob* thigh = creatureEllipsoid( c, first, vec( 0.185f * x, 0.920f, -0.620f ),
												   vec( 0.115f, 0.230f, 0.190f ), 0.09f, s_white );
			thigh->rotation = supMakeQuatAxisAngle( vec( 1.0f, 0.0f, 0.0f ), -0.25f );
			creatureCone( c, first + 1, vec( 0.208f * x, 0.770f, -0.530f ), 0.110f, vec( 0.195f * x, 0.620f, -0.680f ),
						  0.074f, 0.05f, s_white );
			creatureCone( c, first + 2, vec( 0.190f * x, 0.560f, -0.832f ), 0.038f, vec( 0.190f * x, 0.490f, -0.795f ),
						  0.064f, 0.03f, s_white );
		}
	}
}

static void Paint( creature* c )
{
	static const struct
	{
		supVec3 at, radii;
		const supVec3* color;
	} paint[] = {
		// patches, different on either side
		{ { 0.30f, 1.06f, 0.24f }, { 0.22f, 0.24f, 0.20f }, &s_black },
		{ { 0.30f, 1.20f, 0.02f }, { 0.22f, 0.16f, 0.16f }, &s_black },
		{ { 0.28f, 1.02f, -0.42f }, { 0.14f, 0.20f, 0.15f }, &s_black },
		{ { 0.20f, 1.22f, -0.62f }, { 0.17f, 0.14f, 0.17f }, &s_black },
		{ { 0.28f, 0.78f, -0.10f }, { 0.12f, 0.09f, 0.13f }, &s_black },
		{ { 0.24f, 0.86f, -0.74f }, { 0.12f, 0.13f, 0.10f }, &s_black },
		{ { -0.28f, 1.14f, 0.30f }, { 0.20f, 0.22f, 0.17f }, &s_black },
		{ { -0.32f, 1.00f, -0.08f }, { 0.16f, 0.20f, 0.22f }, &s_black },
		{ { -0.26f, 1.20f, -0.50f }, { 0.24f, 0.20f, 0.20f }, &s_black },
		{ { -0.26f, 0.80f, -0.56f }, { 0.13f, 0.12f, 0.12f }, &s_black },
		{ { 0.0f, 1.26f, 0.68f }, { 0.24f, 0.16f, 0.15f }, &s_black },
		{ { 0.0f, 1.20f, 1.20f }, { 0.050f, 0.22f, 0.12f }, &s_white },
	};
	for ( int i = 0; i < (int)SUP_COUNT( paint ); ++i )
	{
		creatureEllipsoid( c, 0, paint[i].at, paint[i].radii, 0.012f, *paint[i].color )->use = sculpt_paint;
	}
	sculptBlob* nose =
		creatureEllipsoid( c, 0, vec( 0.0f, 1.085f, 1.285f ), vec( 0.12f, 0.070f, 0.075f ), 0.03f, s_pink );
	nose->use = sculpt_paint;
}

supCharacter* createCow( supError* error )
{
	creature c;
	creatureInit( &c, "cow" );
	int32_t chest = BuildTrunk( &c );
	BuildHead( &c, chest );
	BuildTail( &c );
	BuildLegs( &c, chest );
	BuildUdder( &c );
	quadrupedLevelSoles( &c, 0.024f, s_hoof );
	Paint( &c );
	addQuadrupedClips( &c );
	return creatureFinish( &c, 3012, 0.6f, error );
}
