// SPDX-License-Identifier: MIT
// Skeletons as segments: handles found by name, and stubs that grow with the body around them.
#include "shapes.h"

#include "core/core.h"
#include "supple/supple.h"
#include "volume/body/bones.h"

#define MOST_NODES 8

// Which of the nodes are handles, as bits; the skeleton has no skin, so that every node is a joint.
static uint32_t FindHandles( int32_t count, const char* const* names, const int32_t* parents )
{
	supNode nodes[MOST_NODES];
	for ( int32_t i = 0; i < count; ++i )
	{
		nodes[i] = ( supNode ){ .name = names[i], .parent = parents[i], .rest = supTransform_identity };
		nodes[i].rest.translation = supMakeVec3( 0.1f * (float)i, 0.2f, 0 );
	}
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = count;
	def.nodes = nodes;
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	supBones bones = { 0 };
	testRequire( supBones_InitCharacter( &bones, character, &error ), &error );
	assert_int_equal( bones.count, count );
	uint32_t bits = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		bits |= bones.isHandle[i] ? 1u << i : 0u;
	}
	supBones_Destroy( &bones );
	supDestroyCharacter( character );
	return bits;
}

static void TestHandles( void** state )
{
	(void)state;
	const char* const human[] = { "root", "Hips", "Spine", "Leg.L", "Leg.R" };
	assert_int_equal( FindHandles( 5, human, ( const int32_t[] ){ -1, 0, 1, 1, 1 } ), 1 );
	// two in a row, children before their parents
	const char* const fox[] = { "tail", "b_Hip_01", "b_Root_00", "spine", "_rootJoint" };
	assert_int_equal( FindHandles( 5, fox, ( const int32_t[] ){ 1, 2, 4, 1, -1 } ), 1u << 2 | 1u << 4 );
	// the first of a chain, the neck of a bust, and hips under another name are bones
	const char* const chain[] = { "root", "middle", "tip" };
	assert_int_equal( FindHandles( 3, chain, ( const int32_t[] ){ -1, 0, 1 } ), 0 );
	const char* const bust[] = { "Root", "Neck", "Head", "EyeLeft", "EyeRight" };
	assert_int_equal( FindHandles( 5, bust, ( const int32_t[] ){ -1, 0, 1, 2, 2 } ), 0 );
	const char* const figure[] = { "torso", "hips", "left", "right" };
	assert_int_equal( FindHandles( 4, figure, ( const int32_t[] ){ -1, 0, 1, 1 } ), 0 );
	// a root with several children is where they meet, and a hair root is not at the top
	const char* const hand[] = { "root", "thumb", "index", "hair_root", "hair_1", "hair_2" };
	assert_int_equal( FindHandles( 6, hand, ( const int32_t[] ){ -1, 0, 0, 0, 3, 3 } ), 0 );
	// "roo" at the end of a name is no reason to read on
	const char* const short_name[] = { "kangaroo", "hips", "left", "right" };
	assert_int_equal( FindHandles( 4, short_name, ( const int32_t[] ){ -1, 0, 1, 1 } ), 0 );
}

// Handles touch nothing, and are not called lost for it.
static void TestHandlesTouchNothing( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( -1, 0, -1 ), supMakeVec3( 1, 3, 1 ) );
	supVoxelsDef def = { 16, shape.vertexCount, shape.positions, shape.triangleCount, shape.indices, NULL };
	supVoxels voxels = { 0 };
	supError error = { 0 };
	testRequire( supVoxels_Init( &voxels, &def, &error ), &error );
	const supVec3 joints[] = { { 0, 0.5f, 0 }, { 0, 1, 0 }, { 0, 2, 0 }, { 0.5f, 1, 0 }, { 0, 9, 0 } };
	const int32_t parents[] = { -1, 0, 1, 1, -1 };
	supBones bones = { 0 };
	testRequire( supBones_Init( &bones, 5, joints, parents, &error ), &error );
	for ( int32_t handle = 0; handle < 2; ++handle )
	{
		bones.isHandle[0] = handle == 1;
		supBoneVoxels boneVoxels = { 0 };
		testRequire( supBoneVoxels_Init( &boneVoxels, &voxels, &bones, &error ), &error );
		assert_int_equal( boneVoxels.starts[1] > 0, handle == 0 );
		assert_int_equal( boneVoxels.lostCount, 1 );
		assert_int_equal( boneVoxels.lost[0], 4 );
		supBoneVoxels_Destroy( &boneVoxels );
	}
	supBones_Destroy( &bones );
	supVoxels_Destroy( &voxels );
	FreeShape( &shape );
}

// A root whose joint is outside is a handle where most of its bone is outside too, and a bone where most is inside.
static void TestRootsOutside( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( -1, 0, -1 ), supMakeVec3( 1, 4, 1 ) );
	supVoxelsDef def = { 40, shape.vertexCount, shape.positions, shape.triangleCount, shape.indices, NULL };
	supVoxels voxels = { 0 };
	supError error = { 0 };
	testRequire( supVoxels_Init( &voxels, &def, &error ), &error );
	for ( int32_t i = 1; i < 20; ++i )
	{
		// from below the body up to one metre inside
		float below = 0.1f * (float)i + 0.05f;
		const supVec3 joints[] = { { 0.02f, -below, 0.02f }, { 0.02f, 1, 0.02f }, { 0.02f, 2, 0.02f } };
		const int32_t parents[] = { -1, 0, 1 };
		supBones bones = { 0 };
		supBoneVoxels boneVoxels = { 0 };
		testRequire( supBones_Init( &bones, 3, joints, parents, &error ), &error );
		testRequire( supBoneVoxels_Init( &boneVoxels, &voxels, &bones, &error ), &error );
		if ( fabsf( below - 1.0f ) > 0.1f )
		{
			assert_int_equal( boneVoxels.lostCount, below > 1.0f ? 1 : 0 );
		}
		supBoneVoxels_Destroy( &boneVoxels );
		supBones_Destroy( &bones );
	}
	supVoxels_Destroy( &voxels );
	FreeShape( &shape );
}

// ---------------------------------------------------------------------------------------------------------------------

// Where the voxels of a bone end along y.
static float TopOf( const supBoneVoxels* boneVoxels, const supVoxels* voxels, int32_t bone )
{
	float top = -1e30f;
	for ( int32_t i = boneVoxels->starts[bone]; i < boneVoxels->starts[bone + 1]; ++i )
	{
		top = supMaxFloat( top, supVoxels_CellCenter( voxels, voxels->cells[boneVoxels->voxels[i]] ).y );
	}
	return top;
}

// A short neck and a tall head: the last bone goes two thirds of the way from its joint to the top. One that is longer
// than that already stays as it is.
static void TestStubsGrow( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( -0.2f, 0, -0.2f ), supMakeVec3( 0.2f, 0.5f, 0.2f ) );
	AddBox( &shape, supMakeVec3( -1, 0.4f, -1 ), supMakeVec3( 1, 3.4f, 1 ) );
	supVoxelsDef def = { 68, shape.vertexCount, shape.positions, shape.triangleCount, shape.indices, NULL };
	supVoxels voxels = { 0 };
	supError error = { 0 };
	testRequire( supVoxels_Init( &voxels, &def, &error ), &error );
	static const struct
	{
		float first, second, top;
	} cases[] = { { 0.2f, 0.4f, 0.4f + 2.0f / 3.0f * 3.0f },
				  { 2.2f, 2.4f, 2.4f + 2.0f / 3.0f * 1.0f },
				  { 0.4f, 2.5f, 3.4f } };
	for ( int32_t i = 0; i < SUP_COUNT( cases ); ++i )
	{
		const supVec3 joints[] = { { 0, cases[i].first, 0 }, { 0, cases[i].second, 0 } };
		const int32_t parents[] = { -1, 0 };
		supBones bones = { 0 };
		supBoneVoxels boneVoxels = { 0 };
		testRequire( supBones_Init( &bones, 2, joints, parents, &error ), &error );
		testRequire( supBoneVoxels_Init( &boneVoxels, &voxels, &bones, &error ), &error );
		// the end of a segment touches the voxel beyond where it lies on a border
		testLessEqual( fabsf( TopOf( &boneVoxels, &voxels, 1 ) - cases[i].top ), 1.1f * (float)voxels.size );
		// the first bone has a child and keeps to its length
		testLessEqual( fabsf( TopOf( &boneVoxels, &voxels, 0 ) - cases[i].second ), 1.1f * (float)voxels.size );
		supBoneVoxels_Destroy( &boneVoxels );
		supBones_Destroy( &bones );
	}
	supVoxels_Destroy( &voxels );
	FreeShape( &shape );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestHandles ),
		cmocka_unit_test( TestHandlesTouchNothing ),
		cmocka_unit_test( TestRootsOutside ),
		cmocka_unit_test( TestStubsGrow ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
