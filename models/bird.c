// SPDX-License-Identifier: MIT
// A stout bird with long wings, the size of a goose: 16 bones, 1400 vertices.
#include "creature.h"
#include "creatures.h"

static const supVec3 s_back = { 0.13f, 0.17f, 0.26f };
static const supVec3 s_wing = { 0.07f, 0.09f, 0.15f };
static const supVec3 s_breast = { 0.80f, 0.50f, 0.24f };
static const supVec3 s_horn = { 0.74f, 0.50f, 0.10f };

static const char* const s_wings[2][3] = { { "LeftWing1", "LeftWing2", "LeftWing3" },
										   { "RightWing1", "RightWing2", "RightWing3" } };
static const char* const s_legs[2][3] = { { "LeftLeg", "LeftShin", "LeftFoot" },
										  { "RightLeg", "RightShin", "RightFoot" } };

// ---------------------------------------------------------------------------------------------------------------------
// Shape

static void BuildWing( creature* c, int32_t body, int side )
{
	float x = side == 0 ? 1.0f : -1.0f;
	static const float out[4] = { 0.060f, 0.190f, 0.330f, 0.500f }, back[4] = { 0.050f, 0.035f, 0.0f, -0.060f };
	static const float width[3] = { 0.088f, 0.092f, 0.070f };
	int32_t parent = body;
	for ( int i = 0; i < 3; ++i )
	{
		supVec3 a = vec( x * out[i], 0.262f, back[i] ), b = vec( x * out[i + 1], 0.262f, back[i + 1] );
		parent = creatureJoint( c, s_wings[side][i], parent, a );
		supVec3 middle = supAdd( supLerp( a, b, 0.5f ), vec( 0.0f, 0.0f, -0.040f ) );
		creatureEllipsoid( c, parent, middle, vec( 0.62f * ( out[i + 1] - out[i] ), 0.019f, width[i] ), 0.02f, s_wing );
		creatureCone( c, parent, a, 0.024f - 0.004f * (float)i, b, 0.020f - 0.004f * (float)i, 0.015f, s_back );
	}
}

static void BuildLeg( creature* c, int32_t body, int side )
{
	float x = side == 0 ? 1.0f : -1.0f;
	int32_t leg = creatureJoint( c, s_legs[side][0], body, vec( 0.048f * x, 0.165f, -0.010f ) );
	int32_t shin = creatureJoint( c, s_legs[side][1], leg, vec( 0.052f * x, 0.098f, -0.022f ) );
	int32_t foot = creatureJoint( c, s_legs[side][2], shin, vec( 0.052f * x, 0.026f, -0.006f ) );
	creatureCone( c, leg, vec( 0.046f * x, 0.170f, -0.008f ), 0.044f, vec( 0.052f * x, 0.098f, -0.022f ), 0.020f, 0.02f,
				  s_breast );
	creatureCone( c, shin, vec( 0.052f * x, 0.098f, -0.022f ), 0.017f, vec( 0.052f * x, 0.026f, -0.006f ), 0.015f,
				  0.008f, s_horn );
	creatureEllipsoid( c, foot, vec( 0.054f * x, 0.016f, 0.022f ), vec( 0.034f, 0.016f, 0.058f ), 0.012f, s_horn );
}

static void BuildBody( creature* c )
{
	int32_t body = creatureJoint( c, "Body", -1, vec( 0.0f, 0.220f, 0.0f ) );
	int32_t neck = creatureJoint( c, "Neck", body, vec( 0.0f, 0.285f, 0.110f ) );
	int32_t head = creatureJoint( c, "Head", neck, vec( 0.0f, 0.372f, 0.150f ) );
	int32_t tail = creatureJoint( c, "Tail", body, vec( 0.0f, 0.225f, -0.130f ) );
	creatureEllipsoid( c, body, vec( 0.0f, 0.225f, 0.0f ), vec( 0.092f, 0.088f, 0.160f ), 0.03f, s_back );
	creatureEllipsoid( c, body, vec( 0.0f, 0.222f, 0.085f ), vec( 0.078f, 0.080f, 0.085f ), 0.03f, s_breast );
	creatureCone( c, neck, vec( 0.0f, 0.275f, 0.105f ), 0.055f, vec( 0.0f, 0.375f, 0.150f ), 0.040f, 0.03f, s_back );
	creatureEllipsoid( c, head, vec( 0.0f, 0.395f, 0.168f ), vec( 0.048f, 0.048f, 0.056f ), 0.02f, s_back );
	creatureCone( c, head, vec( 0.0f, 0.388f, 0.210f ), 0.022f, vec( 0.0f, 0.376f, 0.282f ), 0.007f, 0.008f, s_horn )
		->fineness = 1.2f;
	creatureEllipsoid( c, tail, vec( 0.0f, 0.232f, -0.215f ), vec( 0.058f, 0.016f, 0.105f ), 0.03f, s_wing );
	for ( int side = 0; side < 2; ++side )
	{
		float x = side == 0 ? 1.0f : -1.0f;
		creatureEye( c, head, vec( 0.036f * x, 0.408f, 0.190f ), 0.013f, vec( 0.85f * x, 0.1f, 0.5f ),
					 vec( 0.55f, 0.30f, 0.02f ) );
		BuildWing( c, body, side );
		BuildLeg( c, body, side );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Clips

// Both wings: up by so many degrees, with waves to the tips; folded 0 .. 1 along the body.
static void PoseWings( creaturePose* pose, float up, float tip, float folded )
{
	for ( int side = 0; side < 2; ++side )
	{
		float x = side == 0 ? 1.0f : -1.0f;
		creatureTurn( pose, s_wings[side][0], 0, 0, 1, x * ( up * ( 1.0f - folded ) - 14.0f * folded ) );
		creatureTurn( pose, s_wings[side][1], 0, 0, 1, x * tip * ( 1.0f - folded ) );
		creatureTurn( pose, s_wings[side][2], 0, 0, 1, x * 0.7f * tip * ( 1.0f - folded ) );
		creatureTurn( pose, s_wings[side][0], 0, 1, 0, x * 74.0f * folded );
		creatureTurn( pose, s_wings[side][2], 0, 1, 0, x * 8.0f * folded );
	}
}

static void Flap( creaturePose* pose, float beats, float folded )
{
	PoseWings( pose, 8.0f + 42.0f * creatureSin( beats ), 24.0f * creatureSin( beats - 0.17f ), folded );
}

// Legs under the body in the air: 1 drawn up.
static void DrawUpLegs( creaturePose* pose, float part )
{
	for ( int side = 0; side < 2; ++side )
	{
		creatureTurn( pose, s_legs[side][0], 1, 0, 0, 28.0f * part );
		creatureTurn( pose, s_legs[side][1], 1, 0, 0, 30.0f * part );
		creatureTurn( pose, s_legs[side][2], 1, 0, 0, 20.0f * part );
	}
}

static void Step( creaturePose* pose, float phase, float part )
{
	for ( int side = 0; side < 2; ++side )
	{
		float t = phase + 0.5f * (float)side, lift = supMaxFloat( creatureCos( t ), 0.0f );
		creatureTurn( pose, s_legs[side][0], 1, 0, 0, -part * 20.0f * creatureSin( t ) );
		creatureTurn( pose, s_legs[side][1], 1, 0, 0, part * 22.0f * lift );
		creatureTurn( pose, s_legs[side][2], 1, 0, 0, part * ( 20.0f * creatureSin( t ) - 22.0f * lift ) );
	}
	creatureTurn( pose, "Neck", 1, 0, 0, part * 8.0f * creatureSin( 2.0f * phase ) );
	creatureTurn( pose, "Head", 1, 0, 0, -part * 8.0f * creatureSin( 2.0f * phase ) );
}

static void Fly( creaturePose* pose, float phase, float duration )
{
	Flap( pose, 3.0f * duration * phase, 0.0f );
	DrawUpLegs( pose, 1.0f );
	creatureShift( pose, 0.0f, 0.4f - 0.015f * creatureSin( 3.0f * duration * phase ), 0.0f );
}

static void Walk( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	PoseWings( pose, 0.0f, 0.0f, 1.0f );
	Step( pose, 2.0f * phase, 1.0f );
	creatureFloor( pose, 0.0f );
}

// 4 s on the spot: comes down until 0.9 s, folds its wings, looks about, walks from 1.8 to 3.2 s, and is off again.
static void Visit( creaturePose* pose, float phase, float duration )
{
	float time = phase * duration;
	float folded = creatureRamp( 0.95f, 1.35f, time ) * ( 1.0f - creatureRamp( 3.1f, 3.3f, time ) );
	float inAir = supMaxFloat( 1.0f - creatureRamp( 0.6f, 0.9f, time ), creatureRamp( 3.35f, 3.7f, time ) );
	float walking = creatureRamp( 1.8f, 2.0f, time ) * ( 1.0f - creatureRamp( 3.0f, 3.2f, time ) );
	Flap( pose, 3.0f * time, folded );
	DrawUpLegs( pose, inAir );
	Step( pose, 2.0f * time, walking );
	creatureTurn( pose, "Head", 0, 1, 0,
				  35.0f * creatureSin( 1.2f * time ) * creatureRamp( 1.2f, 1.4f, time ) * ( 1.0f - walking ) *
					  ( 1.0f - inAir ) );
	creatureFloor( pose, 0.0f );
}

supCharacter* createBird( supError* error )
{
	creature c;
	creatureInit( &c, "bird" );
	BuildBody( &c );
	creatureClip( &c, "Fly", 2.0f, Fly );
	creatureClip( &c, "Walk", 1.0f, Walk );
	creatureClip( &c, "Visit", 4.0f, Visit );
	return creatureFinish( &c, 1400, 0.7f, error );
}
