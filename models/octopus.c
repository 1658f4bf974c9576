// SPDX-License-Identifier: MIT
// An octopus: eight arms of seven bones each, a head and a soft mantle; 63 bones, 4000 vertices.
#include "creature.h"
#include "creatures.h"

static const supVec3 s_skin = { 0.40f, 0.088f, 0.062f };
static const supVec3 s_deep = { 0.26f, 0.050f, 0.048f };
static const supVec3 s_pale = { 0.80f, 0.52f, 0.42f };

#define ARMS 8
#define ARM_JOINTS 7
// Cones per bone, so that arms are round where they bend.
#define PIECES 3

static const char* const s_arms[ARMS][ARM_JOINTS] = {
	{ "ArmA1", "ArmA2", "ArmA3", "ArmA4", "ArmA5", "ArmA6", "ArmA7" },
	{ "ArmB1", "ArmB2", "ArmB3", "ArmB4", "ArmB5", "ArmB6", "ArmB7" },
	{ "ArmC1", "ArmC2", "ArmC3", "ArmC4", "ArmC5", "ArmC6", "ArmC7" },
	{ "ArmD1", "ArmD2", "ArmD3", "ArmD4", "ArmD5", "ArmD6", "ArmD7" },
	{ "ArmE1", "ArmE2", "ArmE3", "ArmE4", "ArmE5", "ArmE6", "ArmE7" },
	{ "ArmF1", "ArmF2", "ArmF3", "ArmF4", "ArmF5", "ArmF6", "ArmF7" },
	{ "ArmG1", "ArmG2", "ArmG3", "ArmG4", "ArmG5", "ArmG6", "ArmG7" },
	{ "ArmH1", "ArmH2", "ArmH3", "ArmH4", "ArmH5", "ArmH6", "ArmH7" },
};

// Arm A points ahead to the left, the others follow towards the left, back and right.
static float TurnsOf( int arm )
{
	return ( (float)arm + 0.5f ) / ARMS;
}

// ---------------------------------------------------------------------------------------------------------------------
// Shape

// Along an arm, from its root to its tip: distance from the middle, height, radius, and how far it curls aside in
// turns.
static const float s_out[ARM_JOINTS + 1] = { 0.085f, 0.190f, 0.310f, 0.430f, 0.545f, 0.655f, 0.755f, 0.835f };
static const float s_up[ARM_JOINTS + 1] = { 0.190f, 0.118f, 0.066f, 0.046f, 0.037f, 0.030f, 0.024f, 0.018f };
static const float s_thick[ARM_JOINTS + 1] = { 0.076f, 0.064f, 0.053f, 0.044f, 0.036f, 0.029f, 0.023f, 0.014f };
static const float s_curl[ARM_JOINTS + 1] = { 0.0f, -0.006f, -0.008f, 0.0f, 0.016f, 0.042f, 0.080f, 0.130f };
// The front ones curl most; those at the back, where left and right meet, the other way.
static const float s_curliness[ARMS / 2] = { 1.0f, 0.75f, 0.40f, -0.25f };

// Catmull and Rom's spline through a table; whole numbers are joints.
static float Along( const float table[ARM_JOINTS + 1], float s )
{
	int i = s >= (float)ARM_JOINTS ? ARM_JOINTS - 1 : (int)s;
	float t = s - (float)i;
	float b = table[i], c = table[i + 1];
	float a = i > 0 ? table[i - 1] : 2.0f * b - c;
	float d = i + 2 <= ARM_JOINTS ? table[i + 2] : 2.0f * c - b;
	return b + 0.5f * t * ( c - a + t * ( 2.0f * a - 5.0f * b + 4.0f * c - d + t * ( 3.0f * ( b - c ) + d - a ) ) );
}

static supVec3 ArmPoint( int arm, float s )
{
	bool isLeft = arm < ARMS / 2;
	float curl = s_curliness[isLeft ? arm : ARMS - 1 - arm] * Along( s_curl, s );
	float turns = TurnsOf( arm ) + ( isLeft ? curl : -curl );
	float r = Along( s_out, s );
	return vec( r * creatureSin( turns ), Along( s_up, s ), r * creatureCos( turns ) );
}

static void BuildArms( creature* c, int32_t head )
{
	for ( int arm = 0; arm < ARMS; ++arm )
	{
		int32_t parent = head;
		for ( int i = 0; i < PIECES * ARM_JOINTS; ++i )
		{
			float s = (float)i / PIECES, next = (float)( i + 1 ) / PIECES;
			if ( i % PIECES == 0 )
			{
				parent = creatureJoint( c, s_arms[arm][i / PIECES], parent, ArmPoint( arm, s ) );
			}
			creatureCone( c, parent, ArmPoint( arm, s ), Along( s_thick, s ), ArmPoint( arm, next ),
						  Along( s_thick, next ), i < PIECES ? 0.05f : 0.008f, s_skin );
		}
	}
}

// The undersides, where the suckers are.
static void PaintArms( creature* c )
{
	for ( int arm = 0; arm < ARMS; ++arm )
	{
		for ( int i = 1; i < ARM_JOINTS; ++i )
		{
			float s = (float)i, next = s + 1.0f;
			float ra = Along( s_thick, s ), rb = Along( s_thick, next );
			supVec3 a = ArmPoint( arm, s ), b = ArmPoint( arm, next );
			a.y -= 0.80f * ra;
			b.y -= 0.80f * rb;
			creatureCone( c, 0, a, 0.85f * ra, b, 0.85f * rb, 0.02f, s_pale )->use = sculpt_paint;
			// darker along the top, in bands
			a = supAdd( ArmPoint( arm, s + 0.2f ), vec( 0.0f, 0.9f * ra, 0.0f ) );
			b = supAdd( ArmPoint( arm, s + 0.6f ), vec( 0.0f, 0.9f * rb, 0.0f ) );
			creatureCone( c, 0, a, 0.55f * ra, b, 0.55f * rb, 0.02f, s_deep )->use = sculpt_paint;
		}
	}
}

static void BuildHead( creature* c )
{
	int32_t head = creatureJoint( c, "Head", -1, vec( 0.0f, 0.230f, 0.0f ) );
	int32_t mantle1 = creatureJoint( c, "Mantle1", head, vec( 0.0f, 0.330f, -0.030f ) );
	int32_t mantle2 = creatureJoint( c, "Mantle2", mantle1, vec( 0.0f, 0.450f, -0.090f ) );
	int32_t mantle3 = creatureJoint( c, "Mantle3", mantle2, vec( 0.0f, 0.560f, -0.165f ) );
	creatureEllipsoid( c, head, vec( 0.0f, 0.215f, 0.0f ), vec( 0.120f, 0.085f, 0.120f ), 0.05f, s_skin );
	creatureEllipsoid( c, head, vec( 0.0f, 0.275f, 0.020f ), vec( 0.108f, 0.095f, 0.105f ), 0.05f, s_skin );
	creatureEllipsoid( c, mantle1, vec( 0.0f, 0.370f, -0.055f ), vec( 0.122f, 0.110f, 0.120f ), 0.04f, s_skin );
	sculptBlob* sac =
		creatureEllipsoid( c, mantle2, vec( 0.0f, 0.465f, -0.110f ), vec( 0.165f, 0.155f, 0.150f ), 0.08f, s_skin );
	sac->rotation = supMakeQuatAxisAngle( vec( 1.0f, 0.0f, 0.0f ), -0.55f );
	sac = creatureEllipsoid( c, mantle3, vec( 0.0f, 0.565f, -0.175f ), vec( 0.130f, 0.140f, 0.118f ), 0.09f, s_skin );
	sac->rotation = supMakeQuatAxisAngle( vec( 1.0f, 0.0f, 0.0f ), -0.55f );
	// the siphon, on its left
	int32_t siphon = creatureJoint( c, "Siphon", head, vec( 0.070f, 0.315f, -0.070f ) );
	creatureCone( c, siphon, vec( 0.075f, 0.315f, -0.070f ), 0.050f, vec( 0.160f, 0.270f, -0.125f ), 0.030f, 0.03f,
				  s_deep );
	sculptBlob* mouth =
		creatureEllipsoid( c, siphon, vec( 0.190f, 0.254f, -0.145f ), vec( 0.019f, 0.019f, 0.019f ), 0.012f, s_deep );
	mouth->use = sculpt_carve;
	for ( float x = 1.0f; x >= -1.0f; x -= 2.0f )
	{
		// eyes on bulges, with a horizontal lid
		supVec3 at = vec( 0.080f * x, 0.345f, 0.070f );
		int32_t eye = creatureJoint( c, x > 0.0f ? "LeftEye" : "RightEye", head, at );
		creatureEllipsoid( c, eye, at, vec( 0.054f, 0.056f, 0.056f ), 0.03f, s_skin )->fineness = 1.2f;
		supVec3 out = supNormalize( vec( 0.72f * x, 0.18f, 0.66f ) );
		creatureEye( c, eye, supMulAdd( at, 0.017f, out ), 0.043f, out, vec( 0.62f, 0.40f, 0.05f ) );
		sculptBlob* lid = creatureEllipsoid( c, eye, supAdd( supMulAdd( at, 0.022f, out ), vec( 0.0f, 0.038f, 0.0f ) ),
											 vec( 0.040f, 0.016f, 0.040f ), 0.015f, s_skin );
		lid->fineness = 1.3f;
	}
	BuildArms( c, head );
}

static void Paint( creature* c )
{
	PaintArms( c );
	// darker above, then pale freckles
	sculptBlob* cap =
		creatureEllipsoid( c, 0, vec( 0.0f, 0.660f, -0.230f ), vec( 0.150f, 0.170f, 0.150f ), 0.12f, s_deep );
	cap->use = sculpt_paint;
	static const float freckles[][3] = {
		// turns around, height, size
		{ 0.06f, 0.44f, 0.024f }, { 0.15f, 0.52f, 0.020f }, { 0.20f, 0.43f, 0.027f }, { 0.29f, 0.50f, 0.018f },
		{ 0.36f, 0.40f, 0.022f }, { 0.44f, 0.53f, 0.026f }, { 0.53f, 0.45f, 0.020f }, { 0.62f, 0.52f, 0.022f },
		{ 0.70f, 0.42f, 0.025f }, { 0.78f, 0.49f, 0.019f }, { 0.86f, 0.55f, 0.023f }, { 0.95f, 0.50f, 0.020f },
		{ 0.10f, 0.59f, 0.018f }, { 0.90f, 0.41f, 0.020f }, { 0.33f, 0.60f, 0.021f }, { 0.66f, 0.61f, 0.019f }
	};
	for ( int i = 0; i < (int)SUP_COUNT( freckles ); ++i )
	{
		float y = freckles[i][1], size = freckles[i][2];
		// on the axis of the mantle that leans back
		supVec3 axis = vec( 0.0f, y, -0.110f - 0.70f * ( y - 0.465f ) );
		float r = y > 0.56f ? 0.125f : 0.150f;
		supVec3 at = supAdd( axis, vec( r * creatureSin( freckles[i][0] ), 0.0f, r * creatureCos( freckles[i][0] ) ) );
		creatureEllipsoid( c, 0, at, vec( size, size, size ), 0.035f, s_pale )->use = sculpt_paint;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Clips

// Bends one joint of an arm: `down` in the upright plane of its bone at rest, `left` along the ground, degrees.
static void BendArm( creaturePose* pose, int arm, int joint, float down, float left )
{
	int bone = joint + 1 < ARM_JOINTS ? joint : ARM_JOINTS - 2;
	supVec3 along = creatureBoneAxis( pose, s_arms[arm][bone], s_arms[arm][bone + 1] );
	supVec3 across = supNormalize( vec( along.z, 0.0f, -along.x ) );
	creatureTurn( pose, s_arms[arm][joint], across.x, 0, across.z, down );
	creatureTurn( pose, s_arms[arm][joint], 0, 1, 0, left );
}

static void BreatheMantle( creaturePose* pose, float degrees, float phase )
{
	static const char* const names[] = { "Mantle1", "Mantle2", "Mantle3" };
	for ( int i = 0; i < 3; ++i )
	{
		creatureTurn( pose, names[i], 1, 0, 0, degrees * creatureSin( phase - 0.12f * (float)i ) );
		creatureTurn( pose, names[i], 0, 0, 1, 0.6f * degrees * creatureSin( phase - 0.12f * (float)i + 0.25f ) );
	}
	creatureTurn( pose, "Siphon", 0, 1, 0, 2.0f * degrees * creatureSin( phase ) );
}

// The arms reach out in turn, opposite ones together, and waves run down to the tips.
static void Crawl( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	for ( int arm = 0; arm < ARMS; ++arm )
	{
		float t = phase - 0.375f * (float)arm;
		float lift = supMaxFloat( creatureSin( t ), 0.0f );
		BendArm( pose, arm, 0, -16.0f * lift, 10.0f * creatureCos( t ) );
		BendArm( pose, arm, 1, 4.0f * lift, 6.0f * creatureCos( t - 0.06f ) );
		BendArm( pose, arm, 2, 8.0f * lift, 0.0f );
		for ( int i = 2; i < ARM_JOINTS; ++i )
		{
			float wave = creatureSin( t - 0.13f * (float)i );
			BendArm( pose, arm, i, 4.0f * lift * creatureCos( t - 0.2f * (float)i ),
					 ( 7.0f + 2.5f * (float)i ) * wave );
		}
	}
	BreatheMantle( pose, 5.0f, phase );
	creatureShift( pose, 0.012f * creatureSin( phase ), 0.0f, 0.0f );
	creatureFloor( pose, 0.0f );
}

// Above the ground: the arms close behind the head and open again.
static void Swim( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	// a quick stroke, a slow glide
	float closed = creatureRamp( 0.0f, 0.28f, phase ) - creatureRamp( 0.45f, 1.0f, phase );
	creatureTurn( pose, "Head", 1, 0, 0, 62.0f + 8.0f * creatureSin( phase ) );
	for ( int arm = 0; arm < ARMS; ++arm )
	{
		for ( int i = 0; i < ARM_JOINTS; ++i )
		{
			static const float bend[ARM_JOINTS] = { 34.0f, 12.0f, -22.0f, -8.0f, -4.0f, -2.0f, 0.0f };
			float late = creatureSin( phase - 0.1f * (float)i );
			BendArm( pose, arm, i, bend[i] * closed + 5.0f * late + ( i == 0 ? 8.0f : 3.0f ),
					 5.0f * creatureSin( phase - 0.12f * (float)i + TurnsOf( arm ) ) );
		}
	}
	BreatheMantle( pose, 6.0f, phase + 0.1f );
	creatureShift( pose, 0.0f, 0.0f, 0.10f * creatureSin( phase - 0.25f ) );
	creatureFloor( pose, 0.35f + 0.05f * creatureSin( phase - 0.2f ) );
}

static void Shake( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float strength = creatureRamp( 0.0f, 0.2f, phase ) - creatureRamp( 0.8f, 1.0f, phase );
	float beats = 6.0f * phase;
	creatureTurn( pose, "Mantle1", 0, 0, 1, 16.0f * strength * creatureSin( beats ) );
	creatureTurn( pose, "Mantle2", 0, 0, 1, 18.0f * strength * creatureSin( beats - 0.12f ) );
	creatureTurn( pose, "Mantle3", 0, 0, 1, 18.0f * strength * creatureSin( beats - 0.24f ) );
	creatureTurn( pose, "Siphon", 0, 1, 0, 25.0f * strength * creatureSin( beats ) );
	for ( int arm = 0; arm < ARMS; ++arm )
	{
		for ( int i = 0; i < ARM_JOINTS; ++i )
		{
			float wave = creatureSin( beats - 0.14f * (float)i + ( arm % 2 == 0 ? 0.0f : 0.5f ) );
			BendArm( pose, arm, i, i == 0 ? -4.0f * strength : 0.0f, ( 4.0f + 2.5f * (float)i ) * strength * wave );
		}
	}
	creatureFloor( pose, 0.0f );
}

// The foremost arm rises, stretches, and curls in with what it has found.
static void Reach( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float rise = creatureRamp( 0.04f, 0.35f, phase ) - creatureRamp( 0.72f, 0.97f, phase );
	float curl = creatureRamp( 0.38f, 0.62f, phase ) - creatureRamp( 0.72f, 0.97f, phase );
	for ( int i = 0; i < ARM_JOINTS; ++i )
	{
		static const float up[ARM_JOINTS] = { -38.0f, -14.0f, -16.0f, -2.0f, 4.0f, 4.0f, 4.0f };
		static const float in[ARM_JOINTS] = { -4.0f, 4.0f, 14.0f, 30.0f, 44.0f, 52.0f, 56.0f };
		float flow = creatureSin( 2.0f * phase - 0.1f * (float)i );
		// straightens first
		float straight = i >= 3 ? -14.0f : -3.0f;
		BendArm( pose, 0, i, up[i] * rise + in[i] * curl, ( straight + 5.0f * flow ) * rise );
		// its neighbours feel their way
		BendArm( pose, 1, i, i == 0 ? -6.0f * rise : 0.0f,
				 6.0f * rise * creatureSin( 2.0f * phase - 0.13f * (float)i ) );
		BendArm( pose, 7, i, i == 0 ? -6.0f * rise : 0.0f,
				 6.0f * rise * creatureSin( 2.0f * phase - 0.11f * (float)i ) );
	}
	creatureTurn( pose, "Mantle1", 1, 0, 0, -8.0f * rise );
	creatureTurn( pose, "Mantle2", 1, 0, 0, -6.0f * rise );
	BreatheMantle( pose, 3.0f, 2.0f * phase );
	creatureFloor( pose, 0.0f );
}

// Sinks with trailing arms, lands on them, and the mantle topples over.
static void Fall( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float u = supClampFloat( phase / 0.42f, 0.0f, 1.0f );
	float height = 0.9f * ( 1.0f - u * u );
	float trail = 1.0f - creatureRamp( 0.30f, 0.50f, phase );
	float squash = creatureRamp( 0.40f, 0.52f, phase ) - creatureRamp( 0.52f, 0.75f, phase );
	float topple = creatureRamp( 0.45f, 0.85f, phase );
	for ( int arm = 0; arm < ARMS; ++arm )
	{
		for ( int i = 0; i < ARM_JOINTS; ++i )
		{
			// lifted by the water that rushes past
			float lifted = -( i == 0 ? 24.0f : 7.0f ) * trail;
			BendArm( pose, arm, i, lifted + ( i == 0 ? -10.0f : 2.0f ) * squash,
					 4.0f * trail * creatureSin( 2.0f * phase - 0.12f * (float)i + TurnsOf( arm ) ) );
		}
	}
	creatureTurn( pose, "Mantle1", 1, 0, 0, 10.0f * squash - 46.0f * topple );
	creatureTurn( pose, "Mantle2", 1, 0, 0, 14.0f * squash - 38.0f * topple );
	creatureTurn( pose, "Mantle3", 1, 0, 0, 14.0f * squash - 22.0f * topple );
	creatureFloor( pose, height );
}

supCharacter* createOctopus( supError* error )
{
	creature c;
	creatureInit( &c, "octopus" );
	BuildHead( &c );
	Paint( &c );
	creatureClip( &c, "Crawl", 2.0f, Crawl );
	creatureClip( &c, "Swim", 1.6f, Swim );
	creatureClip( &c, "Shake", 2.0f, Shake );
	creatureClip( &c, "Reach", 3.0f, Reach );
	creatureClip( &c, "Fall", 2.0f, Fall );
	return creatureFinish( &c, 4000, 0.6f, error );
}
