// SPDX-License-Identifier: MIT
// A stout snake that lies in a curve: 16 bones, 1503 vertices, or 3102 (the SNAKE of paper 000).
#include "creature.h"
#include "creatures.h"
#include "quadruped.h"

static const supVec3 s_scales = { 0.30f, 0.235f, 0.085f };
static const supVec3 s_saddle = { 0.055f, 0.034f, 0.018f };
static const supVec3 s_belly = { 0.74f, 0.66f, 0.42f };

#define BODY_JOINTS 14
#define BONE_LENGTH 0.155f
// Cones per bone, so that the body is round where it bends.
#define PIECES 3
#define DEGREES ( 180.0f / SUP_PI )

static const char* const s_body[BODY_JOINTS] = { "Body1", "Body2", "Body3",  "Body4",  "Body5",  "Body6",  "Body7",
												 "Body8", "Body9", "Body10", "Body11", "Body12", "Body13", "Body14" };

// At the joints and the tip of the tail.
static const float s_thick[BODY_JOINTS + 1] = { 0.041f, 0.047f, 0.056f, 0.063f, 0.067f, 0.069f, 0.069f, 0.067f,
												0.064f, 0.059f, 0.052f, 0.044f, 0.035f, 0.025f, 0.012f };

// ---------------------------------------------------------------------------------------------------------------------
// The curve it lies in

// Degrees that the body heads to the left of straight back, `s` bones behind the head.
static float RestHeading( float s )
{
	return 52.0f * creatureSin( 0.105f * s );
}

static float ThicknessAt( float s )
{
	int32_t i = s < (float)BODY_JOINTS ? (int32_t)s : BODY_JOINTS - 1;
	return supLerpFloat( s_thick[i], s_thick[i + 1], s - (float)i );
}

typedef struct Curve
{
	supVec3 points[PIECES * BODY_JOINTS + 1];
} Curve;

static Curve LayOut( void )
{
	Curve curve;
	supVec3 p = vec( 0.0f, 0.0f, 0.78f );
	for ( int i = 0; i <= PIECES * BODY_JOINTS; ++i )
	{
		float s = (float)i / PIECES;
		// the neck comes up from the ground
		float raised = 1.0f - creatureRamp( 0.0f, 2.6f, s );
		curve.points[i] = vec( p.x, 0.86f * ThicknessAt( s ) + 0.075f * raised, p.z );
		float turns = RestHeading( s + 0.5f / PIECES ) / 360.0f;
		float step = BONE_LENGTH / PIECES;
		p = supAdd( p, vec( step * creatureSin( turns ), 0.0f, -step * creatureCos( turns ) ) );
	}
	return curve;
}

// ---------------------------------------------------------------------------------------------------------------------
// Shape

static void BuildHead( creature* c, int32_t neck, supVec3 at )
{
	int32_t head = creatureJoint( c, "Head", neck, supAdd( at, vec( 0.0f, 0.008f, 0.045f ) ) );
	int32_t jaw = creatureJoint( c, "Jaw", head, supAdd( at, vec( 0.0f, -0.004f, 0.070f ) ) );
	creatureCone( c, neck, at, s_thick[0], supAdd( at, vec( 0.0f, 0.008f, 0.060f ) ), 0.042f, 0.01f, s_scales );
	creatureEllipsoid( c, head, supAdd( at, vec( 0.0f, 0.022f, 0.110f ) ), vec( 0.056f, 0.036f, 0.080f ), 0.02f,
					   s_scales )
		->fineness = 1.2f;
	creatureCone( c, head, supAdd( at, vec( 0.0f, 0.020f, 0.140f ) ), 0.038f, supAdd( at, vec( 0.0f, 0.010f, 0.218f ) ),
				  0.027f, 0.02f, s_scales )
		->fineness = 1.3f;
	creatureCone( c, jaw, supAdd( at, vec( 0.0f, -0.014f, 0.080f ) ), 0.036f,
				  supAdd( at, vec( 0.0f, -0.018f, 0.205f ) ), 0.022f, 0.004f, s_belly )
		->fineness = 1.3f;
	// so that it can open
	sculptBlob* mouth = creatureEllipsoid( c, jaw, supAdd( at, vec( 0.0f, -0.007f, 0.215f ) ),
										   vec( 0.070f, 0.0085f, 0.095f ), 0.006f, vec( 0.36f, 0.06f, 0.06f ) );
	mouth->use = sculpt_carve;
	mouth->fineness = 1.7f;
	for ( float x = 1.0f; x >= -1.0f; x -= 2.0f )
	{
		// poison glands, brows
		creatureEllipsoid( c, head, supAdd( at, vec( 0.038f * x, 0.010f, 0.088f ) ), vec( 0.034f, 0.030f, 0.050f ),
						   0.02f, s_scales );
		creatureEllipsoid( c, head, supAdd( at, vec( 0.032f * x, 0.046f, 0.150f ) ), vec( 0.014f, 0.011f, 0.030f ),
						   0.012f, s_scales )
			->fineness = 1.5f;
		creatureEye( c, head, supAdd( at, vec( 0.033f * x, 0.031f, 0.160f ) ), 0.0165f, vec( 0.82f * x, 0.16f, 0.55f ),
					 vec( 0.62f, 0.36f, 0.03f ) );
		creatureCone( c, head, supAdd( at, vec( 0.050f * x, 0.022f, 0.130f ) ), 0.012f,
					  supAdd( at, vec( 0.058f * x, 0.012f, 0.040f ) ), 0.016f, 0.01f, s_saddle )
			->use = sculpt_paint;
		creatureEllipsoid( c, head, supAdd( at, vec( 0.016f * x, 0.018f, 0.243f ) ), vec( 0.007f, 0.006f, 0.007f ),
						   0.006f, s_saddle )
			->use = sculpt_paint;
	}
}

static void BuildBody( creature* c, const Curve* curve )
{
	int32_t parent = -1;
	for ( int i = 0; i < PIECES * BODY_JOINTS; ++i )
	{
		float s = (float)i / PIECES;
		if ( i % PIECES == 0 )
		{
			parent = creatureJoint( c, s_body[i / PIECES], parent, curve->points[i] );
		}
		creatureCone( c, parent, curve->points[i], ThicknessAt( s ), curve->points[i + 1],
					  ThicknessAt( s + 1.0f / PIECES ), 0.01f, s_scales );
	}
}

static void Paint( creature* c, const Curve* curve )
{
	// a pale edge above the belly, and saddles across the back
	for ( int i = 0; i < PIECES * BODY_JOINTS; ++i )
	{
		float r = ThicknessAt( (float)i / PIECES );
		supVec3 a = curve->points[i], b = curve->points[i + 1];
		a.y -= 0.95f * r;
		b.y -= 0.95f * r;
		creatureCone( c, 0, a, 0.75f * r, b, 0.75f * r, 0.02f, s_belly )->use = sculpt_paint;
		if ( i % 2 == 1 && i > 2 )
		{
			supVec3 middle = supAdd( supLerp( a, b, 0.5f ), vec( 0.0f, 1.90f * r, 0.0f ) );
			sculptBlob* saddle =
				creatureEllipsoid( c, 0, middle, vec( 0.80f * r, 0.55f * r, 0.034f ), 0.014f, s_saddle );
			saddle->use = sculpt_paint;
			saddle->rotation =
				supMakeQuatAxisAngle( vec( 0.0f, 1.0f, 0.0f ), -RestHeading( (float)i / PIECES ) / DEGREES );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Clips

// How each bone lies: heading as above, and how far its front end is lifted, degrees. Then the head's own.
typedef struct Lie
{
	float heading[BODY_JOINTS];
	float lift[BODY_JOINTS];
	float headHeading, headLift, jaw;
} Lie;

static Lie LieAtRest( void )
{
	Lie lie = { 0 };
	for ( int i = 0; i < BODY_JOINTS; ++i )
	{
		lie.heading[i] = RestHeading( (float)i + 0.5f );
	}
	return lie;
}

static void Turn( creaturePose* pose, const char* joint, supQuat q )
{
	float sine = sqrtf( q.x * q.x + q.y * q.y + q.z * q.z );
	if ( sine > 1e-6f )
	{
		creatureTurn( pose, joint, q.x / sine, q.y / sine, q.z / sine, 2.0f * DEGREES * supAtan2( sine, q.w ) );
	}
}

// From rest: lifted about the axis across the bone, then turned along the ground.
static supQuat TurnOf( float restHeading, float heading, float lift )
{
	float turns = restHeading / 360.0f;
	supQuat lifted = supMakeQuatAxisAngle( vec( creatureCos( turns ), 0.0f, creatureSin( turns ) ), -lift / DEGREES );
	return supMulQuat( supMakeQuatAxisAngle( vec( 0.0f, 1.0f, 0.0f ), ( restHeading - heading ) / DEGREES ), lifted );
}

// Poses the body so, with joint `anchor` over the place where it rests.
static void LieDown( creaturePose* pose, const Lie* lie, int32_t anchor )
{
	supQuat above = supQuat_identity;
	for ( int i = 0; i < BODY_JOINTS; ++i )
	{
		supQuat turn = TurnOf( RestHeading( (float)i + 0.5f ), lie->heading[i], lie->lift[i] );
		Turn( pose, s_body[i], supMulQuat( supConjugate( above ), turn ) );
		above = turn;
	}
	supQuat neck = TurnOf( RestHeading( 0.5f ), lie->heading[0], lie->lift[0] );
	Turn( pose, "Head", supMulQuat( supConjugate( neck ), TurnOf( 0.0f, lie->headHeading, lie->headLift ) ) );
	creatureTurn( pose, "Jaw", 1, 0, 0, lie->jaw );
	supVec3 away = supSub( creatureRest( pose, s_body[anchor] ), creaturePlace( pose, s_body[anchor] ).t );
	creatureShift( pose, away.x, 0.0f, away.z );
	creatureFloor( pose, 0.0f );
}

// Waves run from head to tail; the head looks ahead.
static void Slither( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	Lie lie = { 0 };
	for ( int i = 0; i < BODY_JOINTS; ++i )
	{
		float s = (float)i + 0.5f;
		float strength = 0.35f + 0.65f * creatureRamp( 0.0f, 4.0f, s );
		lie.heading[i] = 52.0f * strength * creatureSin( 0.105f * s - phase );
	}
	lie.headHeading = 0.25f * lie.heading[0];
	LieDown( pose, &lie, 0 );
	// the whole sways so that its middle keeps to its line
	float sum = 0.0f, rest = 0.0f;
	for ( int i = 0; i < BODY_JOINTS; ++i )
	{
		sum += creaturePlace( pose, s_body[i] ).t.x / BODY_JOINTS;
		rest += creatureRest( pose, s_body[i] ).x / BODY_JOINTS;
	}
	creatureShift( pose, rest - sum, 0.0f, 0.0f );
}

// Rises, draws back, and darts forward with open jaws.
static void Strike( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	static const float rising[6] = { 8.0f, 34.0f, 62.0f, 66.0f, 44.0f, 16.0f };
	static const float darting[6] = { 4.0f, 10.0f, 16.0f, 24.0f, 26.0f, 10.0f };
	static const float drawn[6] = { -20.0f, 25.0f, 35.0f, -10.0f, -40.0f, -20.0f };
	float rise = creatureRamp( 0.03f, 0.35f, phase ) - creatureRamp( 0.66f, 0.97f, phase );
	float dart = creatureRamp( 0.46f, 0.53f, phase ) - creatureRamp( 0.56f, 0.68f, phase );
	float draw = creatureRamp( 0.25f, 0.44f, phase ) - creatureRamp( 0.46f, 0.52f, phase );
	float open = creatureRamp( 0.44f, 0.51f, phase ) - creatureRamp( 0.55f, 0.60f, phase );
	Lie lie = LieAtRest();
	for ( int i = 0; i < 6; ++i )
	{
		lie.lift[i] = rise * supLerpFloat( rising[i], darting[i], dart );
		lie.heading[i] = lie.heading[i] * ( 1.0f - 0.7f * rise ) + drawn[i] * draw;
		lie.heading[i] += 4.0f * rise * ( 1.0f - dart ) * creatureSin( 4.0f * phase - 0.1f * (float)i );
	}
	lie.headLift = 24.0f * open - 10.0f * draw;
	lie.jaw = 48.0f * open;
	LieDown( pose, &lie, 7 );
}

// Winds itself up, the tail inside, and looks around.
static void Coil( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	float wound = creatureRamp( 0.03f, 0.45f, phase ) - creatureRamp( 0.60f, 0.97f, phase );
	Lie lie = LieAtRest();
	float heading = 0.0f;
	for ( int i = 0; i < BODY_JOINTS; ++i )
	{
		lie.heading[i] = supLerpFloat( lie.heading[i], heading, wound );
		// tighter towards the tail, so that the turns lie inside one another and press by a fifth of their thickness
		heading += 27.0f + 0.35f * (float)( i * i );
	}
	float up = wound * wound;
	lie.lift[0] = 14.0f * up;
	lie.lift[1] = 34.0f * up;
	lie.lift[2] = 26.0f * up;
	lie.headHeading = 30.0f * up * creatureSin( 3.0f * phase );
	LieDown( pose, &lie, 5 );
}

static supCharacter* CreateSnake( const char* name, int32_t vertexCount, supError* error )
{
	creature c;
	creatureInit( &c, name );
	Curve curve = LayOut();
	BuildBody( &c, &curve );
	BuildHead( &c, 0, curve.points[0] );
	quadrupedLevelSoles( &c, 0.0f, s_belly );
	Paint( &c, &curve );
	creatureClip( &c, "Slither", 1.6f, Slither );
	creatureClip( &c, "Strike", 2.4f, Strike );
	creatureClip( &c, "Coil", 4.0f, Coil );
	return creatureFinish( &c, vertexCount, 0.5f, error );
}

supCharacter* createSnake( supError* error )
{
	return CreateSnake( "snake", 1503, error );
}

supCharacter* createSnake3102( supError* error )
{
	return CreateSnake( "snake3102", 3102, error );
}
