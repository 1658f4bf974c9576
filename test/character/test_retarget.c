// SPDX-License-Identifier: MIT
// Motion onto other skeletons, where it is known what must come out: skeletons of the same shape with other local axes,
// sizes, directions and names must show the same pose.
#include "support.h"

#include "supple/character.h"

#include <stdlib.h>
#include <string.h>

typedef struct Joint
{
	const char* name;
	const char* unreal; // the same joint's name elsewhere
	int32_t parent;
	supVec3 place;
} Joint;

// A person in T-pose, a little uneven so that nothing agrees by chance.
static const Joint s_person[] = {
	{ "Hips", "pelvis", -1, { 0.0f, 1.0f, 0.01f } },
	{ "Spine", "spine_01", 0, { 0.0f, 1.1f, 0.0f } },
	{ "Spine1", "spine_02", 1, { 0.0f, 1.3f, -0.02f } },
	{ "Neck", "neck_01", 2, { 0.0f, 1.5f, 0.0f } },
	{ "Head", "head", 3, { 0.0f, 1.6f, 0.02f } },
	{ "LeftShoulder", "clavicle_l", 2, { 0.05f, 1.45f, 0.0f } },
	{ "LeftArm", "upperarm_l", 5, { 0.2f, 1.44f, 0.0f } },
	{ "LeftForeArm", "lowerarm_l", 6, { 0.5f, 1.43f, -0.01f } },
	{ "LeftHand", "hand_l", 7, { 0.75f, 1.44f, 0.0f } },
	{ "LeftHandIndex1", "index_01_l", 8, { 0.85f, 1.44f, 0.02f } },
	{ "RightShoulder", "clavicle_r", 2, { -0.05f, 1.45f, 0.0f } },
	{ "RightArm", "upperarm_r", 10, { -0.2f, 1.44f, 0.0f } },
	{ "RightForeArm", "lowerarm_r", 11, { -0.5f, 1.43f, -0.01f } },
	{ "RightHand", "hand_r", 12, { -0.75f, 1.44f, 0.0f } },
	{ "LeftUpLeg", "thigh_l", 0, { 0.1f, 0.95f, 0.0f } },
	{ "LeftLeg", "calf_l", 14, { 0.11f, 0.5f, 0.02f } },
	{ "LeftFoot", "foot_l", 15, { 0.1f, 0.08f, 0.0f } },
	{ "LeftToeBase", "ball_l", 16, { 0.12f, 0.01f, 0.12f } },
	{ "RightUpLeg", "thigh_r", 0, { -0.1f, 0.95f, 0.0f } },
	{ "RightLeg", "calf_r", 18, { -0.11f, 0.5f, 0.02f } },
	{ "RightFoot", "foot_r", 19, { -0.1f, 0.08f, 0.0f } },
	{ "RightToeBase", "ball_r", 20, { -0.12f, 0.01f, 0.12f } },
};

enum
{
	jointCount = sizeof( s_person ) / sizeof( s_person[0] ),
	hips = 0,
	chest = 2,
	leftArm = 6,
	leftForeArm = 7,
	leftHand = 8,
	rightArm = 11,
	rightForeArm = 12,
	rightHand = 13,
	leftUpLeg = 14,
	leftLeg = 15,
	leftFoot = 16,
	rightUpLeg = 18,
	rightLeg = 19,
	rightFoot = 20,
};

typedef struct Shape
{
	bool unrealNames;
	uint64_t axes;     // seed of the joints' local axes; 0: those of the world
	float size;        // 0: 1
	supQuat turn;      // zero: none
	float armsDown;    // radians from the T-pose
	float legsOut;     // radians; feet go along
	float armature;    // above the hips a node with this scale, lying on its back; 0: none
	bool hipsAtOrigin; // as in a BVH file
	bool withoutUpperSpine;
} Shape;

static supVec3 PlaceJoint( const Shape* shape, int32_t i )
{
	supVec3 p = s_person[i].place;
	bool isLeft = p.x > 0.0f;
	int32_t pivot = -1;
	float angle = 0.0f;
	if ( ( i > leftArm && i < 10 ) || ( i > rightArm && i <= rightHand ) )
	{
		pivot = isLeft ? leftArm : rightArm;
		angle = isLeft ? -shape->armsDown : shape->armsDown;
	}
	else if ( i > leftUpLeg && i != rightUpLeg )
	{
		pivot = isLeft ? leftUpLeg : rightUpLeg;
		angle = isLeft ? shape->legsOut : -shape->legsOut;
	}
	if ( pivot >= 0 )
	{
		supQuat q = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), angle );
		p = supAdd( s_person[pivot].place, supRotate( q, supSub( p, s_person[pivot].place ) ) );
	}
	p = shape->hipsAtOrigin ? supSub( p, s_person[hips].place ) : p;
	p = supScale( shape->size > 0.0f ? shape->size : 1.0f, p );
	return supLength( ( supVec3 ){ shape->turn.x, shape->turn.y, shape->turn.z } ) > 0.0f ? supRotate( shape->turn, p )
																						  : p;
}

// Nodes in the order of s_person; the armature comes last.
static supCharacter* BuildPerson( const Shape* shape, int32_t clipCount, const supClip* clips )
{
	supNode nodes[jointCount + 1];
	supQuat rotations[jointCount + 1];
	testRandom random = testMakeRandom( shape->axes );
	supQuat armature = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.0f, 0.0f ), -0.5f * SUP_PI );
	float scale = shape->armature > 0.0f ? shape->armature : 1.0f;
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		const Joint* joint = &s_person[i];
		rotations[i] = shape->axes != 0 ? testRandomQuat( &random ) : supQuat_identity;
		bool underArmature = joint->parent < 0 && shape->armature > 0.0f;
		supQuat above = joint->parent >= 0 ? rotations[joint->parent] : ( underArmature ? armature : supQuat_identity );
		supVec3 base = joint->parent >= 0 ? PlaceJoint( shape, joint->parent ) : supVec3_zero;
		supVec3 bone = supSub( PlaceJoint( shape, i ), base );
		nodes[i] = ( supNode ){
			.name = shape->unrealNames ? joint->unreal : joint->name,
			.parent = underArmature ? jointCount : joint->parent,
			.rest = { supScale( 1.0f / scale, supRotate( supConjugate( above ), bone ) ),
					  supMulQuat( supConjugate( above ), rotations[i] ), supVec3_one },
		};
	}
	nodes[jointCount] =
		( supNode ){ .name = "Armature", .parent = -1, .rest = { supVec3_zero, armature, { scale, scale, scale } } };
	supCharacterDef def = supDefaultCharacterDef();
	def.name = "person";
	def.nodeCount = jointCount + ( shape->armature > 0.0f ? 1 : 0 );
	def.nodes = nodes;
	def.clipCount = clipCount;
	def.clips = clips;
	supError error;
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}

enum
{
	keyCount = 12
};

typedef struct Motion
{
	float times[keyCount];
	supQuat rotations[jointCount][keyCount];
	supVec3 path[keyCount];
	supChannel channels[2 * jointCount];
	supClip clip;
} Motion;

// Every joint turns from key to key; the hips travel. Rotations are relative to the rest pose of `shape`.
static void MakeMotion( Motion* motion, const Shape* shape, uint64_t seed )
{
	supCharacter* rest = BuildPerson( shape, 0, NULL );
	testRandom random = testMakeRandom( seed );
	memset( motion, 0, sizeof( *motion ) );
	for ( int32_t k = 0; k < keyCount; ++k )
	{
		motion->times[k] = 0.1f * (float)k;
		supVec3 start = supCharacter_Node( rest, hips )->rest.translation;
		motion->path[k] = supAdd( start, supMakeVec3( 0.1f * (float)k, 0.05f * (float)( k % 3 ), 0.2f * (float)k ) );
	}
	motion->clip = ( supClip ){ "dance", motion->times[0], motion->times[keyCount - 1], 0, motion->channels };
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		for ( int32_t k = 0; k < keyCount; ++k )
		{
			supQuat q =
				supMakeQuatAxisAngle( testRandomVec3( &random, 1.0f ), testRandomFloat( &random, -0.6f, 0.6f ) );
			motion->rotations[i][k] = supNormalizeQuat( supMulQuat( supCharacter_Node( rest, i )->rest.rotation, q ) );
		}
		motion->channels[motion->clip.channelCount++] =
			( supChannel ){ i, sup_channelRotation, sup_interpolationLinear,   keyCount,
							4, motion->times,       &motion->rotations[i][0].x };
	}
	motion->channels[motion->clip.channelCount++] =
		( supChannel ){ hips, sup_channelTranslation, sup_interpolationLinear, keyCount,
						3,    motion->times,          &motion->path[0].x };
	supDestroyCharacter( rest );
}

typedef struct Case
{
	supCharacter* source;
	supCharacter* target;
	supClip* clip;
	supPose* sourcePose;
	supPose* targetPose;
	const supMat34* s;
	const supMat34* t;
} Case;

static Case Begin( const Shape* sourceShape, const Shape* targetShape, const supClip* clip, const supRetargetDef* def )
{
	Case c = { 0 };
	c.source = BuildPerson( sourceShape, 1, clip );
	c.target = BuildPerson( targetShape, 0, NULL );
	supRetargetDef plain = supDefaultRetargetDef();
	supError error;
	c.clip =
		supRetargetClip( c.target, c.source, supCharacter_Clip( c.source, 0 ), def != NULL ? def : &plain, &error );
	testRequire( c.clip != NULL, &error );
	c.sourcePose = supCreatePose( c.source );
	c.targetPose = supCreatePose( c.target );
	return c;
}

static void Apply( Case* c, float time )
{
	supPose_ApplyClip( c->sourcePose, supCharacter_Clip( c->source, 0 ), time );
	supPose_ApplyClip( c->targetPose, c->clip, time );
	c->s = supPose_Worlds( c->sourcePose );
	c->t = supPose_Worlds( c->targetPose );
}

static void End( Case* c )
{
	supDestroyPose( c->sourcePose );
	supDestroyPose( c->targetPose );
	supDestroyClip( c->clip );
	supDestroyCharacter( c->source );
	supDestroyCharacter( c->target );
}

// All joints of the target are where the source's are, turned and scaled.
static void RequireSamePlaces( Case* c, supQuat turn, float scale, float tolerance )
{
	for ( int step = 0; step <= 44; ++step )
	{
		Apply( c, 0.025f * (float)step );
		for ( int32_t i = 0; i < jointCount; ++i )
		{
			supVec3 expected = supScale( scale, supRotate( turn, c->s[i].t ) );
			if ( !( supDistance( c->t[i].t, expected ) <= tolerance * scale ) )
			{
				fail_msg( "%s at step %d: off by %g", s_person[i].name, step,
						  (double)supDistance( c->t[i].t, expected ) );
			}
		}
	}
}

static supVec3 Direction( const supMat34* worlds, int32_t from, int32_t to )
{
	return supNormalize( supSub( worlds[to].t, worlds[from].t ) );
}

static void RequireSameLimbs( Case* c )
{
	static const int32_t bones[][2] = {
		{ leftArm, leftForeArm }, { leftForeArm, leftHand }, { rightArm, rightForeArm }, { rightForeArm, rightHand },
		{ leftUpLeg, leftLeg },   { leftLeg, leftFoot },     { rightUpLeg, rightLeg },   { rightLeg, rightFoot },
	};
	for ( int step = 0; step <= 11; ++step )
	{
		Apply( c, 0.1f * (float)step );
		for ( size_t i = 0; i < sizeof( bones ) / sizeof( bones[0] ); ++i )
		{
			supVec3 a = Direction( c->s, bones[i][0], bones[i][1] );
			supVec3 b = Direction( c->t, bones[i][0], bones[i][1] );
			testLess( supDistance( a, b ), 1e-4f );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static void TestSameSkeletonIsCopied( void** state )
{
	(void)state;
	Shape shape = { .axes = 5 };
	Motion motion;
	MakeMotion( &motion, &shape, 1 );
	Case c = Begin( &shape, &shape, &motion.clip, NULL );
	assert_int_equal( c.clip->channelCount, motion.clip.channelCount );
	assert_string_equal( c.clip->name, "dance" );
	assert_true( c.clip->start == motion.clip.start && c.clip->end == motion.clip.end );
	for ( int32_t i = 0; i < c.clip->channelCount; ++i )
	{
		const supChannel* a = &supCharacter_Clip( c.source, 0 )->channels[i];
		const supChannel* b = &c.clip->channels[i];
		assert_int_equal( a->node, b->node );
		assert_int_equal( a->keyCount, b->keyCount );
		assert_memory_equal( a->times, b->times, (size_t)a->keyCount * sizeof( float ) );
		assert_memory_equal( a->values, b->values, (size_t)( a->keyCount * a->width ) * sizeof( float ) );
	}
	End( &c );
}

static void TestSameSkeletonTheLongWay( void** state )
{
	(void)state;
	Shape shape = { .axes = 5 };
	Motion motion;
	MakeMotion( &motion, &shape, 1 );
	// joints that leave their sockets are followed too
	supVec3 pulled[keyCount];
	supCharacter* rest = BuildPerson( &shape, 0, NULL );
	for ( int32_t k = 0; k < keyCount; ++k )
	{
		pulled[k] = supAdd( supCharacter_Node( rest, leftForeArm )->rest.translation,
							supMakeVec3( 0.01f * (float)k, 0.02f, -0.01f * (float)k ) );
	}
	supDestroyCharacter( rest );
	motion.channels[motion.clip.channelCount++] =
		( supChannel ){ leftForeArm, sup_channelTranslation, sup_interpolationLinear, keyCount, 3, motion.times,
						&pulled[0].x };
	supRetargetDef def = supDefaultRetargetDef();
	def.travelScale = 1.0f; // not to be copied
	Case c = Begin( &shape, &shape, &motion.clip, &def );
	RequireSamePlaces( &c, supQuat_identity, 1.0f, 1e-5f );
	End( &c );
}

static void TestOtherAxes( void** state )
{
	(void)state;
	Shape plain = { 0 };
	Shape turned = { .axes = 77 };
	Motion motion;
	MakeMotion( &motion, &plain, 2 );
	Case c = Begin( &plain, &turned, &motion.clip, NULL );
	RequireSamePlaces( &c, supQuat_identity, 1.0f, 1e-5f );
	End( &c );
	MakeMotion( &motion, &turned, 3 );
	c = Begin( &turned, &plain, &motion.clip, NULL );
	RequireSamePlaces( &c, supQuat_identity, 1.0f, 1e-5f );
	End( &c );
}

static void TestOtherSize( void** state )
{
	(void)state;
	Shape plain = { .axes = 9 };
	Shape giant = { .size = 7.5f, .axes = 77 };
	Shape centimetres = { .armature = 0.01f, .axes = 4 };
	Motion motion;
	MakeMotion( &motion, &plain, 4 );
	Case c = Begin( &plain, &giant, &motion.clip, NULL );
	RequireSamePlaces( &c, supQuat_identity, 7.5f, 1e-5f );
	End( &c );
	c = Begin( &plain, &centimetres, &motion.clip, NULL );
	RequireSamePlaces( &c, supQuat_identity, 1.0f, 1e-5f );
	End( &c );
}

static void TestOtherNames( void** state )
{
	(void)state;
	Shape plain = { .axes = 9 };
	Shape unreal = { .unrealNames = true, .axes = 78, .armature = 100.0f };
	Motion motion;
	MakeMotion( &motion, &plain, 5 );
	Case c = Begin( &plain, &unreal, &motion.clip, NULL );
	RequireSamePlaces( &c, supQuat_identity, 1.0f, 1e-5f );
	End( &c );
}

static void TestOtherDirection( void** state )
{
	(void)state;
	static const float yaws[] = { 0.5f * SUP_PI, SUP_PI, -0.7f, 2.2f };
	Shape plain = { .axes = 6 };
	Motion motion;
	MakeMotion( &motion, &plain, 6 );
	for ( int i = 0; i < 4; ++i )
	{
		supQuat turn = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), yaws[i] );
		Shape turned = { .axes = 3, .turn = turn, .unrealNames = i % 2 == 0 };
		Case c = Begin( &plain, &turned, &motion.clip, NULL );
		RequireSamePlaces( &c, turn, 1.0f, 2e-5f );
		End( &c );
	}
	// a source that stands along z
	supQuat zUp = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.0f, 0.0f ), 0.5f * SUP_PI );
	Shape lying = { .axes = 3, .turn = zUp };
	MakeMotion( &motion, &lying, 6 );
	Case c = Begin( &lying, &plain, &motion.clip, NULL );
	RequireSamePlaces( &c, supConjugate( zUp ), 1.0f, 2e-5f );
	End( &c );
}

static void TestArmsDownAtRest( void** state )
{
	(void)state;
	Shape tPose = { .axes = 6 };
	Shape aPose = { .axes = 8, .armsDown = 0.8f, .unrealNames = true };
	Motion motion;
	MakeMotion( &motion, &tPose, 7 );
	Case c = Begin( &tPose, &aPose, &motion.clip, NULL );
	RequireSameLimbs( &c );
	End( &c );
	MakeMotion( &motion, &aPose, 8 );
	c = Begin( &aPose, &tPose, &motion.clip, NULL );
	RequireSameLimbs( &c );
	End( &c );
}

// A BVH file: hips at the origin at rest, legs spread, a T-pose in front, the ground at height 0.
static void TestMotionCapture( void** state )
{
	(void)state;
	Shape capture = { .hipsAtOrigin = true, .legsOut = 0.37f, .size = 17.0f };
	Shape person = { .axes = 8, .unrealNames = true, .armature = 100.0f };
	Motion motion;
	MakeMotion( &motion, &capture, 9 );
	supQuat out = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), 0.37f );
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		motion.rotations[i][0] = i == leftUpLeg ? supConjugate( out ) : ( i == rightUpLeg ? out : supQuat_identity );
	}
	for ( int32_t k = 0; k < keyCount; ++k )
	{
		// its lowest joints on the ground
		motion.path[k] = supMakeVec3( 3.0f * (float)k, 17.0f * 0.99f, -2.0f * (float)k );
	}
	Case c = Begin( &capture, &person, &motion.clip, NULL );
	RequireSameLimbs( &c );
	// in the T-pose the person stands as at rest, soles and all
	Apply( &c, 0.0f );
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		supVec3 rest = PlaceJoint( &( Shape ){ 0 }, i );
		supVec3 path = supScale( 1.0f / 17.0f, motion.path[0] );
		rest.x += path.x;
		rest.z += path.z;
		testLess( supDistance( c.t[i].t, rest ), 2e-3f );
	}
	// the path is scaled by the legs
	Apply( &c, 1.1f );
	assert_float_equal( c.t[hips].t.x, 33.0 / 17.0, 1e-4 );
	assert_float_equal( c.t[hips].t.y, 1.0, 2e-3 );
	assert_float_equal( c.t[hips].t.z, 0.01 - 22.0 / 17.0, 1e-4 );
	End( &c );
}

// The T-pose goes unless it is asked for; a motion that really begins at rest, without a leap, stays whole.
static void TestFirstFrame( void** state )
{
	(void)state;
	Shape capture = { .hipsAtOrigin = true };
	Shape person = { .axes = 8, .unrealNames = true };
	Motion motion;
	MakeMotion( &motion, &capture, 9 );
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		for ( int32_t k = 0; k < keyCount; ++k )
		{
			// a slow turn that begins at rest
			motion.rotations[i][k] =
				supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), 0.005f * (float)( k * ( 1 + i % 3 ) ) );
		}
	}
	supCharacter* source = BuildPerson( &capture, 1, &motion.clip );
	assert_float_equal( supFindMotionStart( source, supCharacter_Clip( source, 0 ) ), 0.0f, 0.0f );
	supDestroyCharacter( source );
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		for ( int32_t k = 1; k < keyCount; ++k )
		{
			supQuat crouch = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.0f, 0.0f ), 0.4f );
			motion.rotations[i][k] = supMulQuat( crouch, motion.rotations[i][k] );
		}
	}
	for ( int keep = 0; keep < 2; ++keep )
	{
		supRetargetDef def = supDefaultRetargetDef();
		def.keepFirstFrame = keep == 1;
		Case c = Begin( &capture, &person, &motion.clip, &def );
		assert_float_equal( c.clip->start, keep == 1 ? 0.0f : 0.1f, 1e-6f );
		assert_float_equal( c.clip->end, 1.1f, 1e-6f );
		for ( int32_t i = 0; i < c.clip->channelCount; ++i )
		{
			testGreaterEqual( c.clip->channels[i].times[0], c.clip->start );
		}
		End( &c );
	}
}

static void TestTravel( void** state )
{
	(void)state;
	Shape plain = { 0 };
	Shape unreal = { .unrealNames = true, .axes = 8 };
	Motion motion;
	MakeMotion( &motion, &plain, 10 );
	supRetargetDef def = supDefaultRetargetDef();
	def.inPlace = true;
	Case c = Begin( &plain, &unreal, &motion.clip, &def );
	for ( int step = 0; step <= 11; ++step )
	{
		Apply( &c, 0.1f * (float)step );
		assert_float_equal( c.t[hips].t.x, 0.0, 1e-6 );
		assert_float_equal( c.t[hips].t.y, c.s[hips].t.y, 1e-5 );
		assert_float_equal( c.t[hips].t.z, 0.01, 1e-6 );
	}
	End( &c );
	def.inPlace = false;
	def.travelScale = 3.0f;
	c = Begin( &plain, &unreal, &motion.clip, &def );
	Apply( &c, 1.1f );
	assert_float_equal( c.t[hips].t.x, 3.0f * c.s[hips].t.x, 1e-5 );
	End( &c );
}

// Steps and splines come out as they go in, between their keys too.
static void TestInterpolations( void** state )
{
	(void)state;
	Shape plain = { .axes = 3 };
	Shape unreal = { .unrealNames = true, .axes = 8 };
	for ( int kind = 0; kind < 2; ++kind )
	{
		Motion motion;
		MakeMotion( &motion, &plain, 11 );
		// a key a second: between samples a spline is nearly straight
		for ( int32_t k = 0; k < keyCount; ++k )
		{
			motion.times[k] = (float)k;
		}
		motion.clip.end = motion.times[keyCount - 1];
		supQuat splines[keyCount][3];
		supChannel* channel = &motion.channels[leftArm];
		for ( int32_t k = 0; k < keyCount; ++k )
		{
			splines[k][0] = splines[k][2] = ( supQuat ){ 0.5f, -0.5f, 0.2f, 0.1f };
			splines[k][1] = motion.rotations[leftArm][k];
		}
		channel->interpolation = kind == 0 ? sup_interpolationStep : sup_interpolationCubicSpline;
		channel->values = kind == 0 ? channel->values : &splines[0][0].x;
		Case c = Begin( &plain, &unreal, &motion.clip, NULL );
		for ( int i = 0; i < keyCount - 1; ++i )
		{
			for ( int part = 0; part < 10; ++part )
			{
				Apply( &c, (float)i + 0.0999f * (float)part );
				testLess( supDistance( c.s[leftHand].t, c.t[leftHand].t ), ( kind == 0 ? 1e-5f : 2e-4f ) );
			}
		}
		End( &c );
	}
}

static void TestStillChannelsAreShort( void** state )
{
	(void)state;
	Shape plain = { .axes = 3 };
	Shape unreal = { .unrealNames = true, .axes = 8 };
	Motion motion;
	MakeMotion( &motion, &plain, 12 );
	for ( int32_t k = 0; k < keyCount; ++k )
	{
		motion.rotations[leftHand][k] = motion.rotations[leftHand][0];
	}
	Case c = Begin( &plain, &unreal, &motion.clip, NULL );
	for ( int32_t i = 0; i < c.clip->channelCount; ++i )
	{
		const supChannel* channel = &c.clip->channels[i];
		assert_int_equal( channel->keyCount, channel->node == leftHand ? 1 : keyCount );
	}
	End( &c );
}

// A file of clips alone, all joints at the origin: the channels are meant for the character as they are.
static void TestBareSource( void** state )
{
	(void)state;
	Shape plain = { .axes = 3 };
	Motion motion;
	MakeMotion( &motion, &plain, 13 );
	motion.clip.channelCount = jointCount;
	supNode nodes[jointCount];
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		nodes[i] = ( supNode ){ .name = s_person[i].name, .parent = s_person[i].parent, .rest = supTransform_identity };
	}
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = jointCount;
	def.nodes = nodes;
	def.clipCount = 1;
	def.clips = &motion.clip;
	supError error;
	supCharacter* bare = supCreateCharacter( &def, &error );
	testRequire( bare != NULL, &error );
	supCharacter* target = BuildPerson( &plain, 0, NULL );
	supRetargetDef retarget = supDefaultRetargetDef();
	supClip* clip = supRetargetClip( target, bare, supCharacter_Clip( bare, 0 ), &retarget, &error );
	testRequire( clip != NULL, &error );
	assert_int_equal( clip->channelCount, jointCount );
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		assert_memory_equal( clip->channels[i].values, motion.rotations[clip->channels[i].node],
							 keyCount * sizeof( supQuat ) );
	}
	supDestroyClip( clip );
	supDestroyCharacter( target );
	supDestroyCharacter( bare );
}

static void TestMap( void** state )
{
	(void)state;
	Shape plain = { .axes = 3 };
	Shape unreal = { .unrealNames = true, .axes = 8 };
	Motion motion;
	MakeMotion( &motion, &plain, 14 );
	supNamePair pairs[jointCount];
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		pairs[i] = ( supNamePair ){ s_person[i].name, s_person[i].unreal };
	}
	supRetargetDef def = supDefaultRetargetDef();
	def.pairs = pairs;
	def.pairCount = jointCount;
	Case c = Begin( &plain, &unreal, &motion.clip, &def );
	RequireSamePlaces( &c, supQuat_identity, 1.0f, 1e-5f );
	supError error;
	const supClip* clip = supCharacter_Clip( c.source, 0 );

	def.pairs = &( supNamePair ){ "Hips", "hipps" };
	def.pairCount = 1;
	assert_null( supRetargetClip( c.target, c.source, clip, &def, &error ) );
	assert_int_equal( error.code, sup_errorNotFound );
	assert_non_null( strstr( error.message, "'hipps' is no joint of the character, which has pelvis, spine_01" ) );

	def.pairs = &( supNamePair ){ "Hipps", "pelvis" };
	assert_null( supRetargetClip( c.target, c.source, clip, &def, &error ) );
	assert_non_null( strstr( error.message, "'Hipps' is no joint of the motion, which has Hips" ) );

	def.pairs = ( supNamePair[] ){ { "Hips", "pelvis" }, { "Spine", "pelvis" } };
	def.pairCount = 2;
	assert_null( supRetargetClip( c.target, c.source, clip, &def, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_non_null( strstr( error.message, "two joints" ) );
	End( &c );
}

static supCharacter* BuildChain( const char* prefix, const supVec3* offsets, int32_t count, supQuat turn,
								 const supClip* clip )
{
	static char names[2][8][32];
	static int which;
	char( *own )[32] = names[which++ % 2];
	supNode nodes[8];
	for ( int32_t i = 0; i < count; ++i )
	{
		snprintf( own[i], 32, "%s%d", prefix, i );
		nodes[i] = ( supNode ){ .name = own[i],
								.parent = i - 1,
								.rest = { supRotate( turn, offsets[i] ), supQuat_identity, supVec3_one } };
	}
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = count;
	def.nodes = nodes;
	def.clipCount = clip != NULL ? 1 : 0;
	def.clips = clip;
	supError error;
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}

static const supVec3 s_snake[4] = {
	{ 0.0f, 0.1f, 0.0f }, { 0.0f, 0.0f, 1.0f }, { 0.3f, 0.0f, 1.0f }, { 0.0f, 0.5f, 1.0f }
};

// Creatures are aligned by where their joints are.
static void TestCreature( void** state )
{
	(void)state;
	float times[2] = { 0.0f, 1.0f };
	supQuat turns[2] = { supQuat_identity, supMakeQuatAxisAngle( supMakeVec3( 1.0f, 2.0f, 3.0f ), 1.0f ) };
	supVec3 path[2] = { s_snake[0], { 3.0f, 4.0f, 5.0f } };
	supChannel channels[3] = {
		{ 1, sup_channelRotation, sup_interpolationLinear, 2, 4, times, &turns[0].x },
		{ 2, sup_channelRotation, sup_interpolationLinear, 2, 4, times, &turns[0].x },
		{ 0, sup_channelTranslation, sup_interpolationLinear, 2, 3, times, &path[0].x },
	};
	supClip clip = { "crawl", 0.0f, 1.0f, 3, channels };
	supQuat turn = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 1.0f, 1.0f ), 2.0f * SUP_PI / 3.0f );
	supCharacter* source = BuildChain( "s", s_snake, 4, supQuat_identity, &clip );
	supCharacter* target = BuildChain( "s", s_snake, 4, turn, NULL );
	supRetargetDef def = supDefaultRetargetDef();
	supError error;
	supClip* result = supRetargetClip( target, source, supCharacter_Clip( source, 0 ), &def, &error );
	testRequire( result != NULL, &error );
	supPose* a = supCreatePose( source );
	supPose* b = supCreatePose( target );
	for ( int i = 0; i <= 10; ++i )
	{
		supPose_ApplyClip( a, supCharacter_Clip( source, 0 ), 0.1f * (float)i );
		supPose_ApplyClip( b, result, 0.1f * (float)i );
		for ( int k = 0; k < 4; ++k )
		{
			supVec3 expected = supRotate( turn, supPose_Worlds( a )[k].t );
			testLess( supDistance( supPose_Worlds( b )[k].t, expected ), 1e-5f );
		}
	}
	supDestroyPose( a );
	supDestroyPose( b );
	supDestroyClip( result );
	supDestroyCharacter( source );
	supDestroyCharacter( target );
}

static void TestRefusals( void** state )
{
	(void)state;
	Shape plain = { .axes = 3 };
	Motion motion;
	MakeMotion( &motion, &plain, 14 );
	supCharacter* source = BuildPerson( &plain, 1, &motion.clip );
	supCharacter* snake = BuildChain( "snake", s_snake, 4, supQuat_identity, NULL );
	supRetargetDef def = supDefaultRetargetDef();
	supError error;
	const supClip* clip = supCharacter_Clip( source, 0 );
	assert_null( supRetargetClip( snake, source, clip, &def, &error ) );
	assert_int_equal( error.code, sup_errorNotFound );
	assert_non_null( strstr( error.message, "Hips, Spine, Spine1" ) );
	assert_non_null( strstr( error.message, "snake0, snake1, snake2, snake3" ) );
	assert_non_null( strstr( error.message, "--map map.json" ) );
	assert_non_null( strstr( error.message, "thigh_l\" }" ) );
	assert_null( supRetargetClip( snake, source, clip, &def, NULL ) );
	def.travelScale = -1.0f;
	assert_null( supRetargetClip( source, source, clip, &def, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	supDestroyCharacter( source );
	supDestroyCharacter( snake );
	supDestroyClip( NULL );
}

typedef struct Pair
{
	supCharacter* source;
	supCharacter* target;
	supRetargetDef def;
} Pair;

static bool AttemptRetarget( void* context )
{
	Pair* pair = context;
	supError error;
	supClip* clip =
		supRetargetClip( pair->target, pair->source, supCharacter_Clip( pair->source, 0 ), &pair->def, &error );
	bool ok = clip != NULL;
	assert_true( ok || error.code == sup_errorMemory );
	supDestroyClip( clip );
	return ok;
}

static void TestAllocationFailures( void** state )
{
	(void)state;
	Shape shapes[3] = { { .axes = 3 }, { .axes = 3 }, { .axes = 4, .unrealNames = true } };
	Motion motion;
	MakeMotion( &motion, &shapes[0], 14 );
	motion.channels[3].interpolation = sup_interpolationStep;
	for ( int i = 1; i < 3; ++i )
	{
		Pair pair = { BuildPerson( &shapes[0], 1, &motion.clip ), BuildPerson( &shapes[i], 0, NULL ),
					  supDefaultRetargetDef() };
		testEachAllocationFailure( AttemptRetarget, &pair, 200 );
		supDestroyCharacter( pair.source );
		supDestroyCharacter( pair.target );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSameSkeletonIsCopied ),
		cmocka_unit_test( TestSameSkeletonTheLongWay ),
		cmocka_unit_test( TestOtherAxes ),
		cmocka_unit_test( TestOtherSize ),
		cmocka_unit_test( TestOtherNames ),
		cmocka_unit_test( TestOtherDirection ),
		cmocka_unit_test( TestArmsDownAtRest ),
		cmocka_unit_test( TestMotionCapture ),
		cmocka_unit_test( TestFirstFrame ),
		cmocka_unit_test( TestTravel ),
		cmocka_unit_test( TestInterpolations ),
		cmocka_unit_test( TestStillChannelsAreShort ),
		cmocka_unit_test( TestBareSource ),
		cmocka_unit_test( TestMap ),
		cmocka_unit_test( TestCreature ),
		cmocka_unit_test( TestRefusals ),
		cmocka_unit_test( TestAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
