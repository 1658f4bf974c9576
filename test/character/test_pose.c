// SPDX-License-Identifier: MIT
// Clips, blending, world and skinning matrices against values worked out by hand.
#include "support.h"

#include "supple/character.h"

#include <math.h>
#include <string.h>

// root -> middle -> tip, and "sheared" with a fixed matrix under root; a morphed mesh on the tip.
enum
{
	NODE_TIP,
	NODE_MIDDLE,
	NODE_ROOT,
	NODE_SHEARED,
	NODE_COUNT
};

static supNode MakeNode( const char* name, int32_t parent, supVec3 translation )
{
	return ( supNode ){ .name = name, .parent = parent, .rest = { translation, supQuat_identity, supVec3_one } };
}

static supCharacter* MakeChain( const supClip* clips, int32_t clipCount )
{
	supNode nodes[NODE_COUNT] = { MakeNode( "tip", NODE_MIDDLE, supMakeVec3( 0.0f, 1.0f, 0.0f ) ),
								  MakeNode( "middle", NODE_ROOT, supMakeVec3( 0.0f, 2.0f, 0.0f ) ),
								  MakeNode( "root", -1, supMakeVec3( 1.0f, 0.0f, 0.0f ) ),
								  MakeNode( "sheared", NODE_ROOT, supVec3_zero ) };
	nodes[NODE_SHEARED].hasMatrix = true;
	nodes[NODE_SHEARED].matrix = supMat34_identity;
	nodes[NODE_SHEARED].matrix.cy.x = 0.5f;
	supVec3 points[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
	supMorphTarget targets[2] = { { "a", points, NULL, NULL }, { "b", points, NULL, NULL } };
	uint16_t joints[3] = { 0, 1, 2 };
	float weights[3] = { 1.0f, 1.0f, 1.0f };
	supMesh mesh = { .vertexCount = 3,
					 .positions = points,
					 .indexCount = 3,
					 .targetCount = 2,
					 .targets = targets,
					 .influences = 1,
					 .joints = joints,
					 .weights = weights };
	int32_t skinJoints[3] = { NODE_TIP, NODE_MIDDLE, NODE_SHEARED };
	supMat34 inverseBinds[3] = { supMat34_identity, supMat34_identity, supMat34_identity };
	inverseBinds[0].t = supMakeVec3( -1.0f, -3.0f, 0.0f );
	supSkin skin = { NULL, 3, skinJoints, inverseBinds };
	supInstance instances[2] = { { NODE_TIP, 0, 0, ( float[] ){ 0.5f, 0.25f } }, { NODE_TIP, 0, -1, NULL } };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = NODE_COUNT;
	def.nodes = nodes;
	def.meshCount = 1;
	def.meshes = &mesh;
	def.skinCount = 1;
	def.skins = &skin;
	def.instanceCount = 2;
	def.instances = instances;
	def.clipCount = clipCount;
	def.clips = clips;
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}

static void RequireVec3( supVec3 found, float x, float y, float z )
{
	if ( supDistance( found, supMakeVec3( x, y, z ) ) > 1e-5f )
	{
		fail_msg( "(%g, %g, %g) instead of (%g, %g, %g)", (double)found.x, (double)found.y, (double)found.z, (double)x,
				  (double)y, (double)z );
	}
}

static supQuat TurnZ( float degrees )
{
	return supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), degrees * SUP_PI / 180.0f );
}

static void RequireTurnZ( supQuat found, float degrees )
{
	supQuat expected = TurnZ( degrees );
	if ( fabsf( fabsf( supDotQuat( found, expected ) ) - 1.0f ) > 1e-6f )
	{
		fail_msg( "(%g %g %g %g) is not a turn by %g degrees", (double)found.x, (double)found.y, (double)found.z,
				  (double)found.w, (double)degrees );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static void TestWorldsFollowTheHierarchy( void** state )
{
	(void)state;
	supCharacter* character = MakeChain( NULL, 0 );
	supPose* pose = supCreatePose( character );
	const supMat34* worlds = supPose_Worlds( pose );
	RequireVec3( worlds[NODE_TIP].t, 1.0f, 3.0f, 0.0f );
	// a quarter turn of the root and twice the size of the middle
	supTransform root = supPose_GetLocal( pose, NODE_ROOT );
	root.rotation = TurnZ( 90.0f );
	supPose_SetLocal( pose, NODE_ROOT, root );
	supTransform middle = supPose_GetLocal( pose, NODE_MIDDLE );
	middle.scale = supMakeVec3( 1.0f, 2.0f, 1.0f );
	supPose_SetLocal( pose, NODE_MIDDLE, middle );
	worlds = supPose_Worlds( pose );
	RequireVec3( worlds[NODE_ROOT].t, 1.0f, 0.0f, 0.0f );
	RequireVec3( worlds[NODE_MIDDLE].t, -1.0f, 0.0f, 0.0f );
	RequireVec3( worlds[NODE_TIP].t, -3.0f, 0.0f, 0.0f );
	RequireVec3( worlds[NODE_TIP].cy, -2.0f, 0.0f, 0.0f );
	// the sheared node keeps its matrix whatever its local transform says
	RequireVec3( worlds[NODE_SHEARED].cy, -1.0f, 0.5f, 0.0f );
	supTransform moved = supTransform_identity;
	moved.translation.x = 100.0f;
	supPose_SetLocal( pose, NODE_SHEARED, moved );
	RequireVec3( supPose_Worlds( pose )[NODE_SHEARED].t, 1.0f, 0.0f, 0.0f );
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

static void TestPalettesAreBroughtUpToDate( void** state )
{
	(void)state;
	supCharacter* character = MakeChain( NULL, 0 );
	supPose* pose = supCreatePose( character );
	// at bind: nothing moves
	RequireVec3( supPose_Palette( pose, 0 )[0].t, 0.0f, 0.0f, 0.0f );
	RequireVec3( supPose_Palette( pose, 0 )[1].t, 1.0f, 2.0f, 0.0f );
	RequireVec3( supPose_Palette( pose, 1 )[0].t, 1.0f, 3.0f, 0.0f );
	supTransform root = supPose_GetLocal( pose, NODE_ROOT );
	root.translation.z = 7.0f;
	supPose_SetLocal( pose, NODE_ROOT, root );
	RequireVec3( supPose_Palette( pose, 0 )[0].t, 0.0f, 0.0f, 7.0f );
	RequireVec3( supPose_Palette( pose, 1 )[0].t, 1.0f, 3.0f, 7.0f );
	supPose_SetRest( pose );
	RequireVec3( supPose_Palette( pose, 0 )[0].t, 0.0f, 0.0f, 0.0f );
	assert_ptr_equal( supPose_Character( pose ), character );
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Clips

typedef struct OneChannel
{
	supChannel channel;
	supClip clip;
} OneChannel;

static supTransform SampleTip( OneChannel* one, float time )
{
	one->clip = ( supClip ){ .name = "clip", .channelCount = 1, .channels = &one->channel };
	supCharacter* character = MakeChain( &one->clip, 1 );
	supPose* pose = supCreatePose( character );
	supPose_ApplyClip( pose, supCharacter_Clip( character, 0 ), time );
	supTransform local = supPose_GetLocal( pose, NODE_TIP );
	supDestroyPose( pose );
	supDestroyCharacter( character );
	return local;
}

static void TestStepAndLinear( void** state )
{
	(void)state;
	const float times[3] = { 1.0f, 2.0f, 4.0f };
	const float values[9] = { 0, 0, 0, 10, 0, 0, 10, 20, 0 };
	OneChannel one = { { NODE_TIP, sup_channelTranslation, sup_interpolationStep, 3, 3, times, values }, { 0 } };
	RequireVec3( SampleTip( &one, 0.0f ).translation, 0, 0, 0 );
	RequireVec3( SampleTip( &one, 1.99f ).translation, 0, 0, 0 );
	RequireVec3( SampleTip( &one, 2.0f ).translation, 10, 0, 0 );
	RequireVec3( SampleTip( &one, 3.99f ).translation, 10, 0, 0 );
	RequireVec3( SampleTip( &one, 4.0f ).translation, 10, 20, 0 );
	RequireVec3( SampleTip( &one, 99.0f ).translation, 10, 20, 0 );
	one.channel.interpolation = sup_interpolationLinear;
	RequireVec3( SampleTip( &one, -5.0f ).translation, 0, 0, 0 );
	RequireVec3( SampleTip( &one, 1.25f ).translation, 2.5f, 0, 0 );
	RequireVec3( SampleTip( &one, 2.0f ).translation, 10, 0, 0 );
	RequireVec3( SampleTip( &one, 3.5f ).translation, 10, 15, 0 );
	RequireVec3( SampleTip( &one, 5.0f ).translation, 10, 20, 0 );
	RequireVec3( SampleTip( &one, NAN ).translation, 0, 0, 0 );
	one.channel.path = sup_channelScale;
	one.channel.keyCount = 1;
	RequireVec3( SampleTip( &one, 3.0f ).scale, 0, 0, 0 );
	RequireVec3( SampleTip( &one, 3.0f ).translation, 0, 1, 0 );
}

static void TestLinearRotationTakesTheShorterArc( void** state )
{
	(void)state;
	const float times[2] = { 0.0f, 1.0f };
	float values[8];
	supQuat a = TurnZ( 10.0f );
	supQuat b = TurnZ( 100.0f );
	b = ( supQuat ){ -b.x, -b.y, -b.z, -b.w };
	memcpy( values, &a, sizeof( a ) );
	memcpy( values + 4, &b, sizeof( b ) );
	OneChannel one = { { NODE_TIP, sup_channelRotation, sup_interpolationLinear, 2, 4, times, values }, { 0 } };
	RequireTurnZ( SampleTip( &one, 0.0f ).rotation, 10.0f );
	// constant speed: a third of the time is a third of the angle
	RequireTurnZ( SampleTip( &one, 1.0f / 3.0f ).rotation, 40.0f );
	RequireTurnZ( SampleTip( &one, 0.9f ).rotation, 91.0f );
	RequireTurnZ( SampleTip( &one, 1.0f ).rotation, 100.0f );
}

static void TestCubicSpline( void** state )
{
	(void)state;
	// x(t) = t^3 on [1, 3]: values 1 and 27, slopes 3 and 27 per second. y is a straight line, z rests.
	const float times[2] = { 1.0f, 3.0f };
	const float values[18] = { 9, 9, 9, 1, 1, 5, 3, 1, 0, /**/ 27, 1, 0, 27, 3, 5, 9, 9, 9 };
	OneChannel one = { { NODE_TIP, sup_channelTranslation, sup_interpolationCubicSpline, 2, 3, times, values }, { 0 } };
	RequireVec3( SampleTip( &one, 0.0f ).translation, 1, 1, 5 );
	RequireVec3( SampleTip( &one, 1.0f ).translation, 1, 1, 5 );
	RequireVec3( SampleTip( &one, 1.5f ).translation, 3.375f, 1.5f, 5 );
	RequireVec3( SampleTip( &one, 2.0f ).translation, 8, 2, 5 );
	RequireVec3( SampleTip( &one, 2.5f ).translation, 15.625f, 2.5f, 5 );
	RequireVec3( SampleTip( &one, 3.0f ).translation, 27, 3, 5 );
	RequireVec3( SampleTip( &one, 7.0f ).translation, 27, 3, 5 );
}

static void TestCubicRotationIsNormalised( void** state )
{
	(void)state;
	// half a second in, with flat tangents, the middle of two quarter turns apart is the turn between
	const float times[2] = { 0.0f, 1.0f };
	float values[24] = { 0 };
	supQuat a = TurnZ( 0.0f );
	supQuat b = TurnZ( 90.0f );
	memcpy( values + 4, &a, sizeof( a ) );
	memcpy( values + 16, &b, sizeof( b ) );
	OneChannel one = { { NODE_TIP, sup_channelRotation, sup_interpolationCubicSpline, 2, 4, times, values }, { 0 } };
	supQuat middle = SampleTip( &one, 0.5f ).rotation;
	assert_float_equal( supDotQuat( middle, middle ), 1.0f, 1e-6f );
	RequireTurnZ( middle, 45.0f );
	// at u = 1/4: 27/32 a + 5/32 b, normalised
	supQuat quarter = SampleTip( &one, 0.25f ).rotation;
	float z = 5.0f / 32.0f * b.z;
	float w = 27.0f / 32.0f + 5.0f / 32.0f * b.w;
	assert_float_equal( quarter.z, z / sqrtf( z * z + w * w ), 1e-6f );
}

static void TestMorphChannels( void** state )
{
	(void)state;
	const float times[2] = { 0.0f, 1.0f };
	const float values[4] = { 0.0f, 1.0f, 1.0f, 3.0f };
	supChannel channel = { NODE_TIP, sup_channelMorphWeights, sup_interpolationLinear, 2, 2, times, values };
	supClip clip = { .channelCount = 1, .channels = &channel };
	supCharacter* character = MakeChain( &clip, 1 );
	supPose* pose = supCreatePose( character );
	assert_float_equal( supPose_MorphWeights( pose, 0 )[1], 0.25f, 0.0f );
	assert_float_equal( supPose_MorphWeights( pose, 1 )[1], 0.0f, 0.0f );
	supPose_ApplyClip( pose, supCharacter_Clip( character, 0 ), 0.5f );
	for ( int32_t i = 0; i < 2; ++i )
	{
		assert_float_equal( supPose_MorphWeights( pose, i )[0], 0.5f, 1e-6f );
		assert_float_equal( supPose_MorphWeights( pose, i )[1], 2.0f, 1e-6f );
	}
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

// Every key of a long channel is found, and so is what lies between.
static void TestLongChannel( void** state )
{
	(void)state;
	enum
	{
		KEYS = 1001
	};
	static float times[KEYS], values[3 * KEYS];
	for ( int32_t i = 0; i < KEYS; ++i )
	{
		times[i] = 0.01f * (float)i * ( 1.0f + 0.001f * (float)i );
		values[3 * i] = times[i] * 2.0f;
	}
	supChannel channel = { NODE_TIP, sup_channelTranslation, sup_interpolationLinear, KEYS, 3, times, values };
	supClip clip = { .channelCount = 1, .channels = &channel };
	supCharacter* character = MakeChain( &clip, 1 );
	supPose* pose = supCreatePose( character );
	for ( float time = 0.0f; time < times[KEYS - 1]; time += 0.0137f )
	{
		supPose_ApplyClip( pose, supCharacter_Clip( character, 0 ), time );
		assert_float_equal( supPose_GetLocal( pose, NODE_TIP ).translation.x, 2.0f * time, 1e-5f );
	}
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Blending

static void SetTip( supPose* pose, float degrees, float x, float scale )
{
	supTransform local = { supMakeVec3( x, 1.0f, 0.0f ), TurnZ( degrees ), supMakeVec3( scale, scale, scale ) };
	supPose_SetLocal( pose, NODE_TIP, local );
}

static void TestBlend( void** state )
{
	(void)state;
	supCharacter* character = MakeChain( NULL, 0 );
	supPose* a = supCreatePose( character );
	supPose* b = supCreatePose( character );
	SetTip( a, -20.0f, 0.0f, 1.0f );
	SetTip( b, 60.0f, 8.0f, 3.0f );
	supPose_MorphWeights( b, 0 )[0] = 1.5f;
	supPose_Worlds( a );
	supPose_Blend( a, b, 0.25f, NULL );
	RequireTurnZ( supPose_GetLocal( a, NODE_TIP ).rotation, 0.0f );
	RequireVec3( supPose_GetLocal( a, NODE_TIP ).translation, 2.0f, 1.0f, 0.0f );
	RequireVec3( supPose_GetLocal( a, NODE_TIP ).scale, 1.5f, 1.5f, 1.5f );
	assert_float_equal( supPose_MorphWeights( a, 0 )[0], 0.75f, 1e-6f );
	RequireVec3( supPose_Worlds( a )[NODE_TIP].t, 3.0f, 3.0f, 0.0f );

	// nodes with a factor of zero stay exactly, others go half as far
	supTransform before = supPose_GetLocal( a, NODE_TIP );
	float factors[NODE_COUNT] = { 0.0f, 1.0f, 1.0f, 1.0f };
	supPose_Blend( a, b, 1.0f, factors );
	supTransform after = supPose_GetLocal( a, NODE_TIP );
	assert_memory_equal( &before, &after, sizeof( before ) );
	factors[NODE_TIP] = 0.5f;
	supPose_Blend( a, b, 1.0f, factors );
	RequireTurnZ( supPose_GetLocal( a, NODE_TIP ).rotation, 30.0f );
	supPose_Blend( a, b, 1.0f, NULL );
	RequireTurnZ( supPose_GetLocal( a, NODE_TIP ).rotation, 60.0f );
	supDestroyPose( a );
	supDestroyPose( b );
	supDestroyCharacter( character );
}

static void TestAddLayersADifference( void** state )
{
	(void)state;
	supCharacter* character = MakeChain( NULL, 0 );
	supPose* pose = supCreatePose( character );
	supPose* other = supCreatePose( character );
	supPose* reference = supCreatePose( character );
	SetTip( pose, 30.0f, 1.0f, 1.0f );
	SetTip( other, 70.0f, 5.0f, 2.0f );
	SetTip( reference, 50.0f, 3.0f, 1.0f );
	supPose_MorphWeights( other, 0 )[1] = 1.25f;
	supPose_Add( pose, other, reference, 0.5f );
	RequireTurnZ( supPose_GetLocal( pose, NODE_TIP ).rotation, 40.0f );
	RequireVec3( supPose_GetLocal( pose, NODE_TIP ).translation, 2.0f, 1.0f, 0.0f );
	RequireVec3( supPose_GetLocal( pose, NODE_TIP ).scale, 1.5f, 1.5f, 1.5f );
	assert_float_equal( supPose_MorphWeights( pose, 0 )[1], 0.75f, 1e-6f );
	// adding a pose's difference from itself changes nothing
	supPose_Copy( other, pose );
	supPose_Add( pose, reference, reference, 1.0f );
	RequireTurnZ( supPose_GetLocal( pose, NODE_TIP ).rotation, 40.0f );
	supTransform a = supPose_GetLocal( pose, NODE_TIP ), b = supPose_GetLocal( other, NODE_TIP );
	assert_memory_equal( &a.translation, &b.translation, sizeof( supVec3 ) );
	supDestroyPose( pose );
	supDestroyPose( other );
	supDestroyPose( reference );
	supDestroyCharacter( character );
}

static void TestCopyIsExactAndUpToDate( void** state )
{
	(void)state;
	supCharacter* character = MakeChain( NULL, 0 );
	supPose* a = supCreatePose( character );
	supPose* b = supCreatePose( character );
	SetTip( a, 33.0f, 4.0f, 2.0f );
	supPose_MorphWeights( a, 1 )[0] = 9.0f;
	supPose_Worlds( b );
	supPose_Copy( b, a );
	assert_memory_equal( supPose_Worlds( a ), supPose_Worlds( b ), NODE_COUNT * sizeof( supMat34 ) );
	assert_float_equal( supPose_MorphWeights( b, 1 )[0], 9.0f, 0.0f );
	supPose_Copy( b, b );
	supDestroyPose( a );
	supDestroyPose( b );
	supDestroyPose( NULL );
	supDestroyCharacter( character );
}

static void AssertNear( supMat34 a, supMat34 b, float tolerance )
{
	for ( int i = 0; i < 12; ++i )
	{
		assert_float_equal( ( &a.cx.x )[i], ( &b.cx.x )[i], tolerance );
	}
}

// Worlds that a pose can have come back: turned, moved, scaled unevenly and mirrored along the chain.
static void TestSetWorldsIsTheInverseOfWorlds( void** state )
{
	(void)state;
	supCharacter* character = MakeChain( NULL, 0 );
	supPose* pose = supCreatePose( character );
	supPose* other = supCreatePose( character );
	supTransform local = { supMakeVec3( 3.0f, -2.0f, 5.0f ),
						   supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.6f, 0.8f ), 2.5f ),
						   supMakeVec3( -1.5f, 0.5f, 2.0f ) };
	supPose_SetLocal( pose, NODE_ROOT, local );
	local.rotation = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.0f, 0.0f ), -1.0f );
	supPose_SetLocal( pose, NODE_MIDDLE, local );
	SetTip( pose, 33.0f, 4.0f, 2.0f );
	supMat34 worlds[NODE_COUNT];
	memcpy( worlds, supPose_Worlds( pose ), sizeof( worlds ) );
	assert_int_equal( supPose_SetWorlds( other, worlds ), 0 );
	for ( int i = 0; i < NODE_COUNT; ++i )
	{
		AssertNear( supPose_Worlds( other )[i], worlds[i], 1e-4f );
	}
	supDestroyPose( pose );
	supDestroyPose( other );
	supDestroyCharacter( character );
}

// What a node cannot have is counted, stays with this node, and does no harm.
static void TestSetWorldsCountsWhatDoesNotFit( void** state )
{
	(void)state;
	supCharacter* character = MakeChain( NULL, 0 );
	supPose* pose = supCreatePose( character );
	supMat34 rest[NODE_COUNT], worlds[NODE_COUNT];
	memcpy( rest, supPose_Worlds( pose ), sizeof( rest ) );

	memcpy( worlds, rest, sizeof( rest ) );
	worlds[NODE_MIDDLE].cy.x = 0.7f;
	// the near fit is scaled unevenly, so that the tip below it is sheared, but where it should be
	assert_int_equal( supPose_SetWorlds( pose, worlds ), 2 );
	assert_float_equal( supDistance( supPose_Worlds( pose )[NODE_TIP].t, rest[NODE_TIP].t ), 0.0f, 1e-5f );

	memcpy( worlds, rest, sizeof( rest ) );
	worlds[NODE_SHEARED].t.x += 1.0f;
	assert_int_equal( supPose_SetWorlds( pose, worlds ), 1 );
	AssertNear( supPose_Worlds( pose )[NODE_SHEARED], rest[NODE_SHEARED], 1e-5f );

	memcpy( worlds, rest, sizeof( rest ) );
	worlds[NODE_MIDDLE].t.y = NAN;
	assert_int_equal( supPose_SetWorlds( pose, worlds ), 1 );
	AssertNear( supPose_Worlds( pose )[NODE_TIP], rest[NODE_TIP], 1e-5f );

	// nothing can be placed below a node of no size
	memcpy( worlds, rest, sizeof( rest ) );
	worlds[NODE_ROOT].cx = worlds[NODE_ROOT].cy = worlds[NODE_ROOT].cz = supVec3_zero;
	assert_int_equal( supPose_SetWorlds( pose, worlds ), 3 );
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

static bool AttemptCreate( void* context )
{
	supPose* pose = supCreatePose( context );
	supDestroyPose( pose );
	return pose != NULL;
}

static void TestSurvivesAllocationFailures( void** state )
{
	(void)state;
	supCharacter* character = MakeChain( NULL, 0 );
	testEachAllocationFailure( AttemptCreate, character, 100 );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestWorldsFollowTheHierarchy ),
		cmocka_unit_test( TestPalettesAreBroughtUpToDate ),
		cmocka_unit_test( TestStepAndLinear ),
		cmocka_unit_test( TestLinearRotationTakesTheShorterArc ),
		cmocka_unit_test( TestCubicSpline ),
		cmocka_unit_test( TestCubicRotationIsNormalised ),
		cmocka_unit_test( TestMorphChannels ),
		cmocka_unit_test( TestLongChannel ),
		cmocka_unit_test( TestBlend ),
		cmocka_unit_test( TestAddLayersADifference ),
		cmocka_unit_test( TestCopyIsExactAndUpToDate ),
		cmocka_unit_test( TestSetWorldsIsTheInverseOfWorlds ),
		cmocka_unit_test( TestSetWorldsCountsWhatDoesNotFit ),
		cmocka_unit_test( TestSurvivesAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
