// SPDX-License-Identifier: MIT
// A fish: five bones in a row and two fins; 1000 vertices.
#include "creature.h"
#include "creatures.h"

static const supVec3 s_scales = { 0.16f, 0.30f, 0.40f };
static const supVec3 s_belly = { 0.80f, 0.82f, 0.78f };
static const supVec3 s_fin = { 0.62f, 0.24f, 0.08f };

#define SPINE 5

static const char* const s_spine[SPINE] = { "Head", "Body1", "Body2", "Tail1", "Tail2" };
static const float s_along[SPINE + 1] = { 0.120f, 0.055f, -0.025f, -0.105f, -0.175f, -0.235f };
static const float s_tall[SPINE] = { 0.062f, 0.080f, 0.070f, 0.044f, 0.024f };

static void BuildBody( creature* c )
{
	int32_t parent = -1;
	// the body hangs on its middle
	int32_t joints[SPINE];
	joints[1] = parent = creatureJoint( c, s_spine[1], -1, vec( 0.0f, 0.100f, s_along[1] ) );
	joints[0] = creatureJoint( c, s_spine[0], parent, vec( 0.0f, 0.100f, s_along[1] + 0.02f ) );
	for ( int i = 2; i < SPINE; ++i )
	{
		joints[i] = parent = creatureJoint( c, s_spine[i], parent, vec( 0.0f, 0.100f, s_along[i] ) );
	}
	for ( int i = 0; i < SPINE; ++i )
	{
		float middle = 0.5f * ( s_along[i] + s_along[i + 1] ), half = 0.75f * ( s_along[i] - s_along[i + 1] );
		creatureEllipsoid( c, joints[i], vec( 0.0f, 0.100f, middle ), vec( 0.55f * s_tall[i], s_tall[i], half ), 0.03f,
						   s_scales );
		creatureEllipsoid( c, 0, vec( 0.0f, 0.100f - s_tall[i], middle ), vec( 0.05f, 0.6f * s_tall[i], half ), 0.02f,
						   s_belly )
			->use = sculpt_paint;
	}
	creatureEllipsoid( c, joints[0], vec( 0.0f, 0.098f, 0.125f ), vec( 0.024f, 0.030f, 0.050f ), 0.02f, s_scales );
	creatureEllipsoid( c, joints[4], vec( 0.0f, 0.132f, -0.255f ), vec( 0.012f, 0.050f, 0.042f ), 0.02f, s_fin );
	creatureEllipsoid( c, joints[4], vec( 0.0f, 0.068f, -0.255f ), vec( 0.012f, 0.050f, 0.042f ), 0.02f, s_fin );
	creatureEllipsoid( c, joints[2], vec( 0.0f, 0.185f, -0.020f ), vec( 0.011f, 0.034f, 0.060f ), 0.015f, s_fin );
	for ( float x = 1.0f; x >= -1.0f; x -= 2.0f )
	{
		int32_t fin =
			creatureJoint( c, x > 0.0f ? "LeftFin" : "RightFin", joints[1], vec( 0.035f * x, 0.085f, 0.050f ) );
		creatureEllipsoid( c, fin, vec( 0.066f * x, 0.076f, 0.025f ), vec( 0.040f, 0.010f, 0.028f ), 0.012f, s_fin );
		creatureEye( c, joints[0], vec( 0.024f * x, 0.116f, 0.120f ), 0.011f, vec( 0.9f * x, 0.1f, 0.4f ),
					 vec( 0.70f, 0.55f, 0.05f ) );
	}
}

// Waves run to the tail, twice a second.
static void Swim( creaturePose* pose, float phase, float duration )
{
	float t = 2.0f * phase * duration;
	for ( int i = 0; i < SPINE; ++i )
	{
		creatureTurn( pose, s_spine[i], 0, 1, 0, ( 3.0f + 4.0f * (float)i ) * creatureSin( t - 0.12f * (float)i ) );
	}
	creatureTurn( pose, "LeftFin", 0, 0, 1, 18.0f * creatureSin( t ) );
	creatureTurn( pose, "RightFin", 0, 0, 1, -18.0f * creatureSin( t ) );
}

supCharacter* createFish( supError* error )
{
	creature c;
	creatureInit( &c, "fish" );
	BuildBody( &c );
	creatureClip( &c, "Swim", 1.0f, Swim );
	return creatureFinish( &c, 1000, 0.6f, error );
}
