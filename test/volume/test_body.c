// SPDX-License-Identifier: MIT
// A body in one go, layers set per joint, and the words about joints that voxels do not hold.
#include "shapes.h"

#include "core/core.h"
#include "models/models.h"
#include "supple/supple.h"
#include "volume/body/body.h"
#include "volume/weights/lost_joints.h"

static supCharacter* CreateModel( const char* name )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( name )->create( &error );
	testRequire( character != NULL, &error );
	return character;
}

// Layers in metres and by node come out as layers in voxels and by bone.
static void TestLayersOfAFlesh( void** state )
{
	(void)state;
	supCharacter* tube = CreateModel( "tube5" );
	supError error = { 0 };
	supBody standard = { 0 }, changed = { 0 }, direct = { 0 };
	testRequire( supBody_Init( &standard, tube, 40, NULL, NULL, &error ), &error );
	supFleshDef flesh = supDefaultFleshDef();
	testRequire( supBody_Init( &direct, tube, 40, &flesh, NULL, &error ), &error );
	size_t count = (size_t)standard.voxels.count;
	assert_memory_equal( standard.layers.layers, direct.layers.layers, count );

	// a wide bone around the last joint, no fat around the first
	float size = (float)standard.voxels.size;
	const float lean[] = { 0, 1, 0, 0 };
	int32_t last = standard.bones.count - 1;
	const supLayerOverride overrides[] = { { standard.bones.nodes[last], 1.9f * size, NULL },
										   { standard.bones.nodes[0], -1.0f, lean } };
	flesh.layerOverrides = overrides;
	flesh.layerOverrideCount = 2;
	flesh.boneWidth = 0.4f * size;
	testRequire( supBody_Init( &changed, tube, 40, &flesh, NULL, &error ), &error );
	supLayersDef def = supDefaultLayersDef();
	const supLayerPart parts[] = { { last, 2, NULL }, { 0, -1, lean + 1 } };
	def.partCount = 2;
	def.parts = parts;
	supLayers_Destroy( &direct.layers );
	testRequire( supLayers_Init( &direct.layers, &direct.voxels, &direct.bones, &direct.boneVoxels, &def, &error ),
				 &error );
	assert_memory_equal( changed.layers.layers, direct.layers.layers, count );
	assert_memory_not_equal( changed.layers.layers, standard.layers.layers, count );
	for ( size_t i = 0; i < count; ++i )
	{
		assert_false( changed.layers.layers[i] == 2 && changed.layers.bones[i] == 0 );
	}
	supBody_Destroy( &standard );
	supBody_Destroy( &changed );
	supBody_Destroy( &direct );

	flesh.layers = supStandardLayers( &flesh.layerCount );
	flesh.layerCount = 1;
	assert_false( supBody_Init( &changed, tube, 40, &flesh, NULL, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_null( changed.voxels.cells );
	supDestroyCharacter( tube );
}

static bool Attempt( void* context )
{
	supBody body = { 0 };
	supError error = { 0 };
	supFleshDef flesh = supDefaultFleshDef();
	bool ok = supBody_Init( &body, context, 16, &flesh, NULL, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supBody_Destroy( &body );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	supCharacter* tube = CreateModel( "tube5" );
	testEachAllocationFailure( Attempt, tube, 60 );
	supDestroyCharacter( tube );
}

// ---------------------------------------------------------------------------------------------------------------------

typedef struct Skeleton
{
	Shape shape;
	supVoxels voxels;
	supBones bones;
	supBoneVoxels boneVoxels;
	int32_t own[32];
	supLostJoint lost[32];
	int32_t lostCount;
} Skeleton;

static void FindLost( Skeleton* s, int32_t resolution )
{
	supError error = { 0 };
	supVoxelsDef def = { resolution, s->shape.vertexCount, s->shape.positions, s->shape.triangleCount, s->shape.indices,
						 NULL };
	supVoxels_Destroy( &s->voxels );
	supBoneVoxels_Destroy( &s->boneVoxels );
	testRequire( supVoxels_Init( &s->voxels, &def, &error ), &error );
	testRequire( supBoneVoxels_Init( &s->boneVoxels, &s->voxels, &s->bones, &error ), &error );
	assert_true( supBoneVoxels_CountOwn( &s->boneVoxels, &s->voxels, s->own ) );
	s->lostCount = supFindLostJoints( &s->voxels, &s->bones, &s->boneVoxels, s->own, s->lost );
}

// Chains in any direction: at the resolution that is said to hold a bone, it has voxels of its own.
static void TestSuggestedResolutionHolds( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	int32_t tried = 0;
	for ( int32_t round = 0; round < 10; ++round )
	{
		Skeleton s = { 0 };
		AddBox( &s.shape, supMakeVec3( -1, -1, -1 ), supMakeVec3( 1, 1, 1 ) );
		supVec3 joints[6];
		int32_t parents[6];
		supVec3 along = supNormalize( testRandomVec3( &random, 1.0f ) );
		for ( int32_t i = 0; i < 6; ++i )
		{
			float step = testRandomFloat( &random, 0.04f, 0.25f );
			joints[i] = i == 0 ? supScale( -0.7f, along ) : supMulAdd( joints[i - 1], step, along );
			parents[i] = i - 1;
		}
		supError error = { 0 };
		testRequire( supBones_Init( &s.bones, 6, joints, parents, &error ), &error );
		FindLost( &s, 6 );
		supLostJoint before[32];
		int32_t count = s.lostCount;
		memcpy( before, s.lost, sizeof( before ) );
		for ( int32_t i = 0; i < count; ++i )
		{
			assert_in_range( before[i].resolution, 7, SUP_MAX_VOXEL_RESOLUTION );
			if ( before[i].resolution <= 64 )
			{
				FindLost( &s, before[i].resolution );
				testGreater( s.own[before[i].bone], 0 );
				tried += 1;
			}
		}
		supBones_Destroy( &s.bones );
		supVoxels_Destroy( &s.voxels );
		supBoneVoxels_Destroy( &s.boneVoxels );
		FreeShape( &s.shape );
	}
	testGreater( tried, 15 );
}

static void TestWords( void** state )
{
	(void)state;
	supCharacter* tube = CreateModel( "tube5" );
	supBody body = { 0 };
	supError error = { 0 };
	testRequire( supBody_Init( &body, tube, 2, NULL, NULL, &error ), &error );
	supLostJoint lost[128];
	testLess( body.bones.count, 128 );
	int32_t count = supFindLostJoints( &body.voxels, &body.bones, &body.boneVoxels, body.layers.boneCounts, lost );
	testGreater( count, 0 );
	// one more, outside
	lost[count] = ( supLostJoint ){ 3, 0 };
	supArena arena = { 0 };
	const char* inside = supDescribeLostJoints( &arena, tube, &body.voxels, &body.bones, lost, count + 1, false );
	const char* outside = supDescribeLostJoints( &arena, tube, &body.voxels, &body.bones, lost, count + 1, true );
	assert_null( supDescribeLostJoints( &arena, tube, &body.voxels, &body.bones, lost, count, true ) );
	assert_false( arena.failed );
	char expected[200];
	snprintf( expected, sizeof( expected ), "1 of %d bones are outside the mesh and move nothing: '%s'",
			  body.bones.count, supCharacter_Node( tube, body.bones.nodes[3] )->name );
	assert_string_equal( outside, expected );
	snprintf( expected, sizeof( expected ), "%d of %d bones are too small for resolution 2", count, body.bones.count );
	assert_ptr_equal( strstr( inside, expected ), inside );
	assert_non_null( strstr( inside, supCharacter_Node( tube, body.bones.nodes[lost[0].bone] )->name ) );
	supArena_Destroy( &arena );
	supBody_Destroy( &body );
	supDestroyCharacter( tube );
}

// A snake has room for flesh around its bones although it is long; a bunny keeps the resolution requested.
static void TestSlenderBodies( void** state )
{
	(void)state;
	supError error = { 0 };
	const char* const names[] = { "snake", "bunny" };
	for ( int i = 0; i < 2; ++i )
	{
		supCharacter* character = CreateModel( names[i] );
		supBody body = { 0 };
		testRequire( supBody_Init( &body, character, 32, NULL, NULL, &error ), &error );
		const supVoxels* v = &body.voxels;
		int32_t longest = v->nx > v->ny ? v->nx : v->ny;
		longest = longest > v->nz ? longest : v->nz;
		assert_in_range( longest, i == 0 ? 40 : 32, i == 0 ? 128 : 33 );
		testGreaterEqual( v->count, 32 * 32 * 32 / 50 );
		supBody_Destroy( &body );
		supDestroyCharacter( character );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestLayersOfAFlesh ),
		cmocka_unit_test( TestOutOfMemory ),
		cmocka_unit_test( TestSuggestedResolutionHolds ),
		cmocka_unit_test( TestWords ),
		cmocka_unit_test( TestSlenderBodies ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
