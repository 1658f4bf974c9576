// SPDX-License-Identifier: MIT
// Skeletons of known directions, turned every way.
#include "support.h"

#include "character/facing.h"
#include "core/core.h"

typedef struct Bone
{
	const char* name;
	int32_t parent;
	supVec3 at; // relative to the parent, facing +Z
} Bone;

static const Bone s_person[] = {
	{ "Hips", -1, { 0.0f, 1.0f, 0.0f } },         { "Spine", 0, { 0.0f, 0.2f, 0.0f } },
	{ "Neck", 1, { 0.0f, 0.3f, 0.0f } },          { "Head", 2, { 0.0f, 0.1f, 0.02f } },
	{ "LeftArm", 1, { 0.2f, 0.2f, 0.0f } },       { "LeftForeArm", 4, { 0.3f, 0.0f, 0.0f } },
	{ "LeftHand", 5, { 0.3f, 0.0f, 0.0f } },      { "RightArm", 1, { -0.2f, 0.2f, 0.0f } },
	{ "RightForeArm", 7, { -0.3f, 0.0f, 0.0f } }, { "RightHand", 8, { -0.3f, 0.0f, 0.0f } },
	{ "LeftUpLeg", 0, { 0.1f, 0.0f, 0.0f } },     { "LeftLeg", 10, { 0.0f, -0.5f, 0.0f } },
	{ "LeftFoot", 11, { 0.0f, -0.45f, 0.0f } },   { "LeftToeBase", 12, { 0.0f, -0.05f, 0.15f } },
	{ "RightUpLeg", 0, { -0.1f, 0.0f, 0.0f } },   { "RightLeg", 14, { 0.0f, -0.5f, 0.0f } },
	{ "RightFoot", 15, { 0.0f, -0.45f, 0.0f } },  { "RightToeBase", 16, { 0.0f, -0.05f, 0.15f } },
};

static const Bone s_snake[] = {
	{ "root", -1, { 0.0f, 0.1f, 0.0f } },    { "head", 0, { 0.0f, 0.0f, 0.3f } },
	{ "head_tip", 1, { 0.0f, 0.0f, 0.3f } }, { "mouth", 1, { 0.0f, 0.0f, 0.05f } },
	{ "tail01", 0, { 0.0f, 0.0f, -0.4f } },  { "tail02", 4, { 0.0f, 0.0f, -0.4f } },
};

static const Bone s_beast[] = {
	{ "pelvis", -1, { 0.0f, 1.0f, 0.0f } },     { "spine", 0, { 0.0f, 0.0f, 0.8f } },
	{ "head", 1, { 0.0f, 0.3f, 0.4f } },        { "nose", 2, { 0.0f, 0.0f, 0.3f } },
	{ "tail", 0, { 0.0f, 0.0f, -0.4f } },       { "foreleg_l", 1, { 0.2f, -0.3f, 0.0f } },
	{ "foreleg_r", 1, { -0.2f, -0.3f, 0.0f } }, { "hindleg_l", 0, { 0.2f, -0.3f, 0.0f } },
	{ "hindleg_r", 0, { -0.2f, -0.3f, 0.0f } },
};

// Helper bones lie where the flesh moves, on one side more than on the other.
static const Bone s_helped[] = {
	{ "root", -1, { 0.0f, 0.1f, 0.0f } },           { "head", 0, { 0.0f, 0.0f, 0.3f } },
	{ "tail01", 0, { 0.0f, 0.0f, -0.4f } },         { "head helper 0", 1, { 0.3f, 0.0f, -0.2f } },
	{ "tail01 helper 1", 2, { 0.2f, 0.0f, 0.0f } }, { "tail01 helper 2", 2, { 0.25f, 0.0f, 0.1f } },
};

// Left and right as the viewer has them.
static const Bone s_mirrored[] = {
	{ "pelvis", -1, { 0.0f, 1.0f, 0.0f } },    { "spine", 0, { 0.0f, 0.0f, 0.8f } },
	{ "head", 1, { 0.0f, 0.3f, 0.4f } },       { "nose", 2, { 0.0f, 0.0f, 0.3f } },
	{ "tail", 0, { 0.0f, 0.0f, -0.4f } },      { "foreleg_l", 1, { -0.2f, -0.3f, 0.0f } },
	{ "foreleg_r", 1, { 0.2f, -0.3f, 0.0f } }, { "hindleg_l", 0, { -0.2f, -0.3f, 0.0f } },
	{ "hindleg_r", 0, { 0.2f, -0.3f, 0.0f } },
};

static const Bone s_box[] = {
	{ "Bone", -1, { 0.0f, 0.0f, 0.0f } },
	{ "Bone.001", 0, { 0.7f, 1.0f, 0.2f } },
};

static supQuat TurnBy( float degrees )
{
	supCosSin half = supComputeCosSin( degrees * SUP_PI / 360.0f );
	return ( supQuat ){ 0.0f, half.sine, 0.0f, half.cosine };
}

static supCharacter* MakeSkeleton( const Bone* bones, int32_t count, float degrees )
{
	supNode nodes[24] = { 0 };
	int32_t joints[24];
	for ( int32_t i = 0; i < count; ++i )
	{
		nodes[i].name = bones[i].name;
		nodes[i].parent = bones[i].parent;
		nodes[i].rest = supTransform_identity;
		nodes[i].rest.translation = bones[i].at;
		joints[i] = i;
	}
	nodes[0].rest.rotation = TurnBy( degrees );
	supSkin skin = { .name = "skin", .jointCount = count, .joints = joints };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodes = nodes;
	def.nodeCount = count;
	def.skins = &skin;
	def.skinCount = 1;
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}

static float AngleBetween( float a, float b )
{
	float away = a - b;
	while ( away > 180.0f )
	{
		away -= 360.0f;
	}
	while ( away < -180.0f )
	{
		away += 360.0f;
	}
	return away < 0.0f ? -away : away;
}

static void CheckTurned( const Bone* bones, int32_t count, bool known )
{
	for ( float degrees = -180.0f; degrees < 180.0f; degrees += 30.0f )
	{
		supCharacter* character = MakeSkeleton( bones, count, degrees );
		supFacing facing;
		assert_true( supFindFacing( character, &facing ) );
		assert_int_equal( facing.known, known );
		// hundredths of a degree for rounding
		testLess( AngleBetween( supFacing_Azimuth( facing.forward ), known ? degrees : 0.0f ), 0.05f );
		supDestroyCharacter( character );
	}
}

static void TestBodiesOfAllKinds( void** state )
{
	(void)state;
	CheckTurned( s_person, SUP_COUNT( s_person ), true );
	CheckTurned( s_snake, SUP_COUNT( s_snake ), true );
	CheckTurned( s_beast, SUP_COUNT( s_beast ), true );
	CheckTurned( s_helped, SUP_COUNT( s_helped ), true );
	CheckTurned( s_box, SUP_COUNT( s_box ), false );
}

static void TestSidesNamedByTheViewer( void** state )
{
	(void)state;
	CheckTurned( s_mirrored, SUP_COUNT( s_mirrored ), true );
}

static void TestPoseTurnsIt( void** state )
{
	(void)state;
	supCharacter* character = MakeSkeleton( s_person, SUP_COUNT( s_person ), 90.0f );
	supPose* pose = supCreatePose( character );
	supFacing facing;
	assert_true( supFindFacing( character, &facing ) );
	supTransform local = supPose_GetLocal( pose, 0 );
	local.rotation = TurnBy( 200.0f );
	supPose_SetLocal( pose, 0, local );
	supVec3 forward = supFacing_At( &facing, pose );
	testLess( AngleBetween( supFacing_Azimuth( forward ), 200.0f ), 0.05f );
	assert_float_equal( supLength( forward ), 1.0f, 1e-4 );
	// on its back it faces up
	supCosSin half = supComputeCosSin( -0.25f * SUP_PI );
	local.rotation = ( supQuat ){ half.sine, 0.0f, 0.0f, half.cosine };
	supPose_SetLocal( pose, 0, local );
	testLess( supLength( supFacing_At( &facing, pose ) ), 1e-3f );
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestBodiesOfAllKinds ),
		cmocka_unit_test( TestSidesNamedByTheViewer ),
		cmocka_unit_test( TestPoseTurnsIt ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
