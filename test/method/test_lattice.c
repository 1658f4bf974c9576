// SPDX-License-Identifier: MIT
// The multi-layer lattice as a method: at rest, moved, shaken, torn at, and against what the paper prints.
#include "lattice_stage.h"
#include "skinned.h"

#include "core/hash.h"
#include "supple/io.h"
#include "supple/supple.h"

#include <math.h>
#include <stdlib.h>

static int32_t VertexCount( void )
{
	return supCharacter_Mesh( s_bunny, supCharacter_Instance( s_bunny, 0 )->mesh )->vertexCount;
}

static float LargestOffset( const supVec3* a, const supVec3* b, int32_t count )
{
	float largest = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		float distance = supDistance( a[i], b[i] );
		// written so that what is not a number is larger than all
		largest = distance <= largest ? largest : distance;
	}
	return largest;
}

static supVec3* CopyPositions( const supActor* actor )
{
	size_t size = (size_t)VertexCount() * sizeof( supVec3 );
	supVec3* copy = malloc( size );
	assert_non_null( copy );
	memcpy( copy, supActor_Positions( actor, 0 ), size );
	return copy;
}

static void RequireSound( const Stage* stage )
{
	const supVec3* positions = supActor_Positions( stage->actor, 0 );
	const supVec3* normals = supActor_Normals( stage->actor, 0 );
	for ( int32_t i = 0; i < VertexCount(); ++i )
	{
		assert_true( supIsFiniteVec3( positions[i] ) );
		assert_true( supIsFiniteVec3( normals[i] ) );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Rest and rigid motion

static void NothingMovesAtRest( void** state )
{
	(void)state;
	static const float carries[] = { sup_latticeCarryVoxels, sup_latticeCarrySkin };
	for ( int i = 0; i < 2; ++i )
	{
		supSetting settings[] = { { "resolution", 20.0f }, { "carry", carries[i] } };
		Stage stage = MakeStage( settings, 2, NULL );
		supVec3* rest = CopyPositions( stage.actor );
		for ( int k = 0; k < testRounds( 600, 120 ); ++k )
		{
			supScene_Step( stage.scene, 1.0f / 60.0f );
		}
		testLess( LargestOffset( supActor_Positions( stage.actor, 0 ), rest, VertexCount() ),
				  2.0e-6f * stage.own->longest );
		free( rest );
		DestroyStage( &stage );
	}
}

static void RigidMotionIsReproduced( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	for ( int width = 2; width <= 5; width += testRounds( 1, 3 ) )
	{
		supSetting settings[] = { { "resolution", 20.0f },
								  { "width", (float)width },
								  { "carry", (float)( width % 2 ) } };
		Stage stage = MakeStage( settings, 3, NULL );
		supVec3* rest = CopyPositions( stage.actor );
		for ( int i = 0; i < 3; ++i )
		{
			supQuat turn = testRandomQuat( &random );
			supVec3 shift = testRandomVec3( &random, i == 2 ? 100.0f : 2.0f );
			PlaceRoot( supActor_Pose( stage.actor ), turn, shift );
			supActor_Reset( stage.actor );
			// a float at 100 m knows 8 um
			float tolerance = i == 2 ? 6.0e-5f : 6.0e-6f * stage.own->longest;
			for ( int32_t k = 0; k < VertexCount(); ++k )
			{
				supVec3 want = supAdd( supRotate( turn, rest[k] ), shift );
				testLess( supDistance( supActor_Positions( stage.actor, 0 )[k], want ), tolerance );
			}
		}
		free( rest );
		DestroyStage( &stage );
	}
}

// Without secondary motion, and with the skin as carrier, the surface is the character's own skinning.
static void NoneIsSkinning( void** state )
{
	(void)state;
	supSetting settings[] = { { "resolution", 20.0f },
							  { "mode", (float)sup_latticeNone },
							  { "carry", (float)sup_latticeCarrySkin } };
	Stage stage = MakeStage( settings, 3, NULL );
	supVec3* skinned = malloc( (size_t)VertexCount() * sizeof( supVec3 ) );
	supPlayDef play = supDefaultPlayDef( supCharacter_Clip( s_bunny, 0 ) );
	supActor_Play( stage.actor, &play );
	for ( int i = 0; i < 20; ++i )
	{
		supScene_Step( stage.scene, 1.0f / 30.0f );
	}
	supSkinOutput output = { .positions = skinned };
	supSkinInstance( supActor_Pose( stage.actor ), 0, sup_skinningLinear, NULL, &output );
	float offset = LargestOffset( supActor_Positions( stage.actor, 0 ), skinned, VertexCount() );
	testLess( offset, 1.0e-5f * stage.own->longest );
	free( skinned );
	DestroyStage( &stage );
}

// ---------------------------------------------------------------------------------------------------------------------
// The same bits

static uint64_t PlayHash( const supFlesh* flesh, const supTasks* tasks )
{
	supSceneDef def = supDefaultSceneDef();
	def.tasks = tasks;
	Stage stage = { .scene = supCreateScene( &def, NULL ) };
	stage.actor = supScene_AddActor( stage.scene, flesh, NULL );
	assert_non_null( stage.actor );
	supPlayDef play = supDefaultPlayDef( supCharacter_Clip( s_bunny, 0 ) );
	supActor_Play( stage.actor, &play );
	uint64_t hash = SUP_HASH_SEED;
	for ( int i = 0; i < testRounds( 12, 4 ); ++i )
	{
		supScene_Step( stage.scene, 1.0f / 30.0f );
		size_t size = (size_t)VertexCount() * sizeof( supVec3 );
		hash = supHashBytes( hash, supActor_Positions( stage.actor, 0 ), size );
		hash = supHashBytes( hash, supActor_Normals( stage.actor, 0 ), size );
	}
	supDestroyScene( stage.scene );
	return hash;
}

static void ThreadsDoNotMatter( void** state )
{
	(void)state;
	// corners, cells in registers, blocks
	static const float widths[] = { 2.0f, 3.0f, 9.0f };
	for ( int k = 0; k < 3; ++k )
	{
		supSetting settings[] = { { "resolution", 18.0f }, { "width", widths[k] }, { "iterations", 2.0f } };
		Stage stage = MakeStage( settings, 3, NULL );
		uint64_t one = PlayHash( stage.flesh, NULL );
		static const int32_t counts[] = { 3, 2, 8 };
		for ( int i = 0; i < testRounds( 3, 1 ); ++i )
		{
			supThreadPool* pool = supCreateThreadPool( counts[i] );
			assert_non_null( pool );
			assert_true( PlayHash( stage.flesh, supThreadPool_Tasks( pool ) ) == one );
			supDestroyThreadPool( pool );
		}
		supInstructionSet best = supGetInstructionSet();
		assert_true( supSetInstructionSet( sup_instructionsBaseline ) );
		assert_true( PlayHash( stage.flesh, NULL ) == one );
		assert_true( supSetInstructionSet( best ) );
		DestroyStage( &stage );
	}
}

static void SavedFleshIsTheSame( void** state )
{
	(void)state;
	supSetting settings[] = { { "resolution", 18.0f }, { "width", 4.0f } };
	Stage stage = MakeStage( settings, 2, NULL );
	supError error = { 0 };
	size_t size;
	uint8_t* bytes = supWriteFlesh( stage.flesh, &size, &error );
	testRequire( bytes != NULL, &error );
	supFlesh* read = supReadFlesh( bytes, size, "test", s_bunny, &error );
	testRequire( read != NULL, &error );
	assert_true( PlayHash( read, NULL ) == PlayHash( stage.flesh, NULL ) );
	supDestroyFlesh( read );
	supFree( bytes );
	DestroyStage( &stage );
}

// ---------------------------------------------------------------------------------------------------------------------
// What must not break it

// Poses of a tracker gone mad: every joint anywhere, jumps of the whole, frames that do not come.
static void SetWildPose( supPose* pose, testRandom* random )
{
	const supCharacter* character = supPose_Character( pose );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		supTransform local = supCharacter_Node( character, i )->rest;
		supVec3 axis = testRandomVec3( random, 1.0f );
		local.rotation =
			supMulQuat( local.rotation, supMakeQuatAxisAngle( axis, testRandomFloat( random, -1.5f, 1.5f ) ) );
		if ( supCharacter_Node( character, i )->parent < 0 )
		{
			float jump = testRandomInt( random, 20 ) == 0 ? 50.0f : 0.2f;
			local.translation = supAdd( local.translation, testRandomVec3( random, jump ) );
		}
		supPose_SetLocal( pose, i, local );
	}
}

// SUPPLE_SOAK runs a million steps.
static void NoiseNeverBreaksIt( void** state )
{
	(void)state;
	int32_t steps = getenv( "SUPPLE_SOAK" ) != NULL ? 1000000 : testRounds( 500, 40 );
	supSetting settings[] = { { "resolution", 10.0f } };
	Stage stage = MakeStage( settings, 1, NULL );
	supVec3* rest = CopyPositions( stage.actor );
	testRandom random = testMakeRandom( 17 );
	for ( int32_t i = 0; i < steps; ++i )
	{
		if ( testRandomInt( &random, 3 ) != 0 )
		{
			SetWildPose( supActor_Pose( stage.actor ), &random );
		}
		supScene_Step( stage.scene, testRandomFloat( &random, 0.001f, 0.1f ) );
		if ( i % 64 == 0 )
		{
			RequireSound( &stage );
		}
	}
	supSceneStats stats = supScene_GetStats( stage.scene );
	assert_int_equal( stats.trouble.notFinite, 0 );
	// and when it is over, it is over: 15 s later, in release
	supPose_SetRest( supActor_Pose( stage.actor ) );
	for ( int i = 0; i < testRounds( 900, 5 ); ++i )
	{
		supScene_Step( stage.scene, 1.0f / 60.0f );
	}
	float left = LargestOffset( supActor_Positions( stage.actor, 0 ), rest, VertexCount() );
	assert_true( testIsSanitized() || left < 1.0e-4f );
	free( rest );
	DestroyStage( &stage );
}

static void TeleportsTakeFleshAlong( void** state )
{
	(void)state;
	supSetting settings[] = { { "resolution", 20.0f } };
	Stage stage = MakeStage( settings, 1, NULL );
	supVec3* rest = CopyPositions( stage.actor );
	supVec3 far = supMakeVec3( 80.0f, 0.0f, -30.0f );
	PlaceRoot( supActor_Pose( stage.actor ), supQuat_identity, far );
	supScene_Step( stage.scene, 1.0f / 60.0f );
	for ( int32_t i = 0; i < VertexCount(); ++i )
	{
		testLess( supDistance( supActor_Positions( stage.actor, 0 )[i], supAdd( rest[i], far ) ), 1.0e-3f );
	}
	free( rest );
	DestroyStage( &stage );
}

static void LongAndShortStepsAreFine( void** state )
{
	(void)state;
	static const float lengths[] = { 0.0f, 1.0e-6f, 1.0e-3f, 1.0f, 100.0f };
	supSetting settings[] = { { "resolution", 16.0f } };
	Stage stage = MakeStage( settings, 1, NULL );
	supVec3* rest = CopyPositions( stage.actor );
	testRandom random = testMakeRandom( 23 );
	for ( int i = 0; i < testRounds( 100, 20 ); ++i )
	{
		SetWildPose( supActor_Pose( stage.actor ), &random );
		supScene_Step( stage.scene, lengths[i % 5] );
		RequireSound( &stage );
	}
	assert_int_equal( supScene_GetStats( stage.scene ).trouble.notFinite, 0 );
	free( rest );
	DestroyStage( &stage );
}

static void WhatIsNoNumberIsRepairedAndCounted( void** state )
{
	(void)state;
	supSetting settings[] = { { "resolution", 16.0f } };
	Stage stage = MakeStage( settings, 1, NULL );
	supVec3* rest = CopyPositions( stage.actor );
	supLatticeArrays arrays = supLattice_Arrays( stage.own, stage.actor->state );
	int64_t before = 0;
	int32_t voxel = 0;
	for ( int32_t i = 0; i < 3; ++i )
	{
		while ( stage.own->freedoms[stage.own->voxelSlots[voxel]] == 0.0f )
		{
			voxel += 1;
		}
		int32_t slot = stage.own->voxelSlots[voxel++];
		float* at = ( i < 2 ? arrays.positions : arrays.velocities ) + ( slot / 8 ) * 24 + slot % 8;
		*at = i == 1 ? INFINITY : NAN;
		supScene_Step( stage.scene, 1.0f / 60.0f );
		RequireSound( &stage );
		int64_t now = supScene_GetStats( stage.scene ).trouble.notFinite;
		assert_int_equal( now, before + 1 );
		before = now;
	}
	// a joint that is nowhere stays where it was
	supTransform nowhere = supTransform_identity;
	nowhere.translation.x = NAN;
	int32_t joint = supCharacter_FindNode( s_bunny, "LeftEar1" );
	testGreaterEqual( joint, 0 );
	supPose_SetLocal( supActor_Pose( stage.actor ), joint, nowhere );
	supScene_Step( stage.scene, 1.0f / 60.0f );
	RequireSound( &stage );
	assert_int_equal( supScene_GetStats( stage.scene ).trouble.notFinite, before );
	supPose_SetRest( supActor_Pose( stage.actor ) );
	for ( int i = 0; i < 300; ++i )
	{
		supScene_Step( stage.scene, 1.0f / 60.0f );
	}
	testLess( LargestOffset( supActor_Positions( stage.actor, 0 ), rest, VertexCount() ), 1.0e-4f );
	free( rest );
	DestroyStage( &stage );
}

// A millimetre tall or a hundred metres: the same motion, larger.
static void SizeDoesNotMatter( void** state )
{
	(void)state;
	testMeasuresOnly();
	static const float sizes[] = { 1.0f, 0.001f, 100.0f };
	float offsets[3];
	for ( int i = 0; i < 3; ++i )
	{
		supNode nodes[2] = { { .name = "root", .parent = -1, .rest = supTransform_identity },
							 { .name = "ball", .parent = -1, .rest = supTransform_identity } };
		float s = sizes[i];
		supVec3 positions[8];
		for ( int k = 0; k < 8; ++k )
		{
			positions[k] = supMakeVec3( ( k & 1 ) != 0 ? s : -s, ( k & 2 ) != 0 ? s : -s, ( k & 4 ) != 0 ? s : -s );
		}
		static const uint32_t indices[36] = { 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
											  2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6 };
		static const uint16_t joints[8] = { 0 };
		static const float weights[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
		int32_t joint = 0;
		supSkin skin = { .name = "", .jointCount = 1, .joints = &joint };
		supMesh mesh = { .name = "ball",
						 .vertexCount = 8,
						 .indexCount = 36,
						 .indices = indices,
						 .positions = positions,
						 .influences = 1,
						 .joints = joints,
						 .weights = weights };
		supCharacter* character = testMakeSkinned( nodes, 2, &skin, &mesh );
		supFleshDef fleshDef = supDefaultFleshDef();
		supSetting settings[] = { { "resolution", 12.0f } };
		fleshDef.method = sup_methodLattice;
		fleshDef.settings = settings;
		fleshDef.settingCount = 1;
		Stage stage = MakeStageOf( character, &fleshDef, NULL );
		for ( int k = 0; k < 10; ++k )
		{
			supTransform local = supTransform_identity;
			local.translation.x = 0.02f * s * (float)( k < 5 ? k : 5 );
			supPose_SetLocal( supActor_Pose( stage.actor ), 0, local );
			supScene_Step( stage.scene, 1.0f / 60.0f );
		}
		offsets[i] = ( supActor_Positions( stage.actor, 0 )[7].x - 0.1f * s ) / s;
		DestroyStage( &stage );
		supDestroyCharacter( character );
	}
	testGreater( fabsf( offsets[0] - 1.0f ), 1.0e-3f );
	assert_float_equal( offsets[1], offsets[0], 1.0e-5f );
	assert_float_equal( offsets[2], offsets[0], 1.0e-5f );
}

// How many vertices of an instance are more than a hundredth of a voxel off where skinning has them.
static int32_t CountOff( const Stage* stage, int32_t instance )
{
	const supCharacter* character = supFlesh_Character( stage->flesh );
	int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh )->vertexCount;
	supVec3* skinned = malloc( (size_t)count * sizeof( supVec3 ) );
	const supSkinOutput output = { .positions = skinned };
	supSkinInstance( supActor_Pose( stage->actor ), instance, sup_skinningLinear, NULL, &output );
	int32_t off = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		float distance = supDistance( supActor_Positions( stage->actor, instance )[i], skinned[i] );
		off += !( distance < 0.01f * stage->own->voxelSize );
	}
	free( skinned );
	return off;
}

// A machine whose head spins once around in 0.4 s: soft flesh would be thrown outwards by its own radius. Each part is
// a mesh that hangs on a joint, and touches others that move differently.
static void MachinesStayRigid( void** state )
{
	(void)state;
	testMeasuresOnly();
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( testAsset( "characters/RobotExpressive.glb" ), &error );
	testRequire( character != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodLattice;
	Stage stage = MakeStageOf( character, &def, NULL );
	const supClip* clip = supCharacter_FindClip( character, "Dance" );
	for ( int i = 0; i < 12; ++i )
	{
		supPose_ApplyClip( supActor_Pose( stage.actor ), clip, 2.0f + (float)i / 30.0f );
		supScene_Step( stage.scene, i == 0 ? 0.0f : 1.0f / 30.0f );
	}
	int32_t parts = 0, whole = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		int32_t off = instance->skin < 0 ? CountOff( &stage, i ) : 0;
		parts += instance->skin < 0;
		whole += instance->skin < 0 && off == 0;
		assert_true( off == 0 || strcmp( supCharacter_Mesh( character, instance->mesh )->name, "Head" ) != 0 );
	}
	print_message( "a machine: %d of %d rigid parts are where skinning has them\n", whole, parts );
	// shoulders, and where arms and legs begin, are thinner than a voxel
	assert_true( parts == 12 && 2 * whole > parts );
	DestroyStage( &stage );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Dragging

static void DragsPullFlesh( void** state )
{
	(void)state;
	testMeasuresOnly();
	supSetting settings[] = { { "resolution", 24.0f } };
	Stage stage = MakeStage( settings, 1, NULL );
	supSurfacePoint point;
	// from the front into the belly
	assert_true( supActor_CastRay( stage.actor, supMakeVec3( 0.0f, 0.65f, 3.0f ), supMakeVec3( 0.0f, 0.0f, -1.0f ),
								   &point, NULL ) );
	supVec3 start = supActor_PointPosition( stage.actor, &point );
	supDragDef def = supDefaultDragDef( stage.actor, &point );
	supDragId drag = supActor_StartDrag( stage.actor, &def );
	testGreaterEqual( drag, 0 );
	supActor_MoveDrag( stage.actor, drag, supAdd( start, supMakeVec3( 0.0f, 0.0f, 0.3f ) ) );
	for ( int i = 0; i < 90; ++i )
	{
		supScene_Step( stage.scene, 1.0f / 60.0f );
	}
	float pulled = supActor_PointPosition( stage.actor, &point ).z - start.z;
	assert_float_equal( pulled, 0.3f, 1e-5f );
	// the head stays
	supActor_EndDrag( stage.actor, drag );
	for ( int i = 0; i < 600; ++i )
	{
		supScene_Step( stage.scene, 1.0f / 60.0f );
	}
	assert_float_equal( supActor_PointPosition( stage.actor, &point ).z, start.z, 1.0e-4f );
	DestroyStage( &stage );
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory

static void StepsAllocateNothing( void** state )
{
	(void)state;
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	supSetting settings[] = { { "resolution", 16.0f } };
	Stage stage = MakeStage( settings, 1, NULL );
	testRandom random = testMakeRandom( 29 );
	int64_t before = heap.allocations;
	for ( int i = 0; i < 10; ++i )
	{
		SetWildPose( supActor_Pose( stage.actor ), &random );
		supScene_Step( stage.scene, 1.0f / 60.0f );
	}
	assert_int_equal( heap.allocations, before );
	DestroyStage( &stage );
	testUninstallHeap( &heap );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( NothingMovesAtRest ),
		cmocka_unit_test( RigidMotionIsReproduced ),
		cmocka_unit_test( NoneIsSkinning ),
		cmocka_unit_test( ThreadsDoNotMatter ),
		cmocka_unit_test( SavedFleshIsTheSame ),
		cmocka_unit_test( NoiseNeverBreaksIt ),
		cmocka_unit_test( TeleportsTakeFleshAlong ),
		cmocka_unit_test( LongAndShortStepsAreFine ),
		cmocka_unit_test( WhatIsNoNumberIsRepairedAndCounted ),
		cmocka_unit_test( SizeDoesNotMatter ),
		cmocka_unit_test( MachinesStayRigid ),
		cmocka_unit_test( DragsPullFlesh ),
		cmocka_unit_test( StepsAllocateNothing ),
	};
	return cmocka_run_group_tests( tests, Setup, Teardown );
}
