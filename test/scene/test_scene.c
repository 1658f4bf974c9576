// SPDX-License-Identifier: MIT
// labels: threads
// Scenes and actors: the order of a step, substeps, state that comes back bit for bit, measures.
#include "support.h"

#include "method/method.h"
#include "scene/actor.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// A box of two bones: lower half on the root, upper half on a joint one up.

static supCharacter* MakeBox( void )
{
	static const supVec3 positions[8] = { { -1, 0, -1 }, { 1, 0, -1 }, { -1, 2, -1 }, { 1, 2, -1 },
										  { -1, 0, 1 },  { 1, 0, 1 },  { -1, 2, 1 },  { 1, 2, 1 } };
	static const supVec3 normals[8] = { { 0, -1, 0 }, { 0, -1, 0 }, { 0, 1, 0 }, { 0, 1, 0 },
										{ 0, -1, 0 }, { 0, -1, 0 }, { 0, 1, 0 }, { 0, 1, 0 } };
	static const uint32_t indices[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
										  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
	static const uint16_t joints[8] = { 0, 0, 1, 1, 0, 0, 1, 1 };
	static const float weights[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	static const supPrimitive primitive = { .vertexCount = 8, .indexCount = 36, .material = -1 };
	supNode nodes[3] = { { .name = "root", .parent = -1, .rest = supTransform_identity },
						 { .name = "top", .parent = 0, .rest = supTransform_identity },
						 { .name = "box", .parent = -1, .rest = supTransform_identity } };
	nodes[1].rest.translation.y = 1.0f;
	supMat34 binds[2] = { supMat34_identity, supMat34_identity };
	binds[1].t.y = -1.0f;
	int32_t skinJoints[2] = { 0, 1 };
	supSkin skin = { .name = "", .jointCount = 2, .joints = skinJoints, .inverseBinds = binds };
	supMesh mesh = { .name = "box",
					 .vertexCount = 8,
					 .indexCount = 36,
					 .indices = indices,
					 .positions = positions,
					 .normals = normals,
					 .influences = 1,
					 .joints = joints,
					 .weights = weights,
					 .primitiveCount = 1,
					 .primitives = &primitive };
	supInstance instance = { .node = 2, .mesh = 0, .skin = 0 };
	supCharacterDef def = supDefaultCharacterDef();
	def.name = "box";
	def.nodeCount = 3;
	def.nodes = nodes;
	def.skinCount = 1;
	def.skins = &skin;
	def.meshCount = 1;
	def.meshes = &mesh;
	def.instanceCount = 1;
	def.instances = &instance;
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}

// ---------------------------------------------------------------------------------------------------------------------
// A method for tests: one point that hangs on the top joint by a spring, and the surface shifted by its lag.

typedef struct LagState
{
	supVec3 position;
	supVec3 velocity;
	int32_t calls; // predict, solve, finish must come in turn: 3 per substep
} LagState;

static size_t LagSize( const void* flesh )
{
	(void)flesh;
	return sizeof( LagState );
}

static void LagReset( const void* flesh, void* state, supPose* pose, const supTasks* tasks )
{
	(void)flesh;
	(void)tasks;
	*(LagState*)state = ( LagState ){ .position = supPose_Worlds( pose )[1].t };
}

static void LagPredict( const void* flesh, void* state, const supSubstep* step )
{
	(void)flesh;
	LagState* s = state;
	assert_int_equal( s->calls % 3, 0 );
	s->calls += 1;
	supVec3 pull = supSub( supPose_Worlds( step->pose )[1].t, s->position );
	s->velocity = supMulAdd( s->velocity, 40.0f * step->dt, pull );
}

static void LagSolve( const void* flesh, void* state, const supSubstep* step )
{
	(void)flesh;
	LagState* s = state;
	assert_int_equal( s->calls % 3, 1 );
	s->calls += 1;
	s->position = supMulAdd( s->position, step->dt, s->velocity );
}

static void LagFinish( const void* flesh, void* state, const supSubstep* step )
{
	(void)flesh;
	(void)step;
	LagState* s = state;
	assert_int_equal( s->calls % 3, 2 );
	s->calls += 1;
	s->velocity = supScale( 0.99f, s->velocity );
}

static void LagWrite( const void* flesh, const void* state, supPose* pose, int32_t instance, const supTasks* tasks,
					  const supSkinOutput* output )
{
	(void)flesh;
	const LagState* s = state;
	supSkinInstance( pose, instance, sup_skinningLinear, tasks, output );
	supVec3 lag = supSub( s->position, supPose_Worlds( pose )[1].t );
	for ( int32_t i = 0; i < 8; ++i )
	{
		output->positions[i] = supAdd( output->positions[i], lag );
	}
}

static void LagMeasure( const void* flesh, const void* state, supSurfaceMeasure* measure )
{
	(void)flesh;
	const LagState* s = state;
	measure->energy = 0.5f * supDot( s->velocity, s->velocity );
}

static const supMethod s_lag = {
	.name = "lag",
	.summary = "a point on a spring",
	.stateSize = LagSize,
	.reset = LagReset,
	.predict = LagPredict,
	.solve = LagSolve,
	.finish = LagFinish,
	.writeSurface = LagWrite,
	.measure = LagMeasure,
};

// ---------------------------------------------------------------------------------------------------------------------

static void MoveTop( supActor* actor, int32_t frame )
{
	supTransform local = supPose_GetLocal( supActor_Pose( actor ), 1 );
	local.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), 0.1f * (float)frame );
	local.translation = supMakeVec3( 0.02f * (float)( frame % 7 ), 1.0f, 0.01f * (float)( frame % 5 ) );
	supPose_SetLocal( supActor_Pose( actor ), 1, local );
}

static void TestNames( void** state )
{
	(void)state;
	for ( int i = 0; i < sup_methodCount; ++i )
	{
		supMethodId found;
		assert_true( supFindMethod( supMethodName( (supMethodId)i ), &found ) );
		assert_int_equal( found, i );
		assert_true( strlen( supMethodSummary( (supMethodId)i ) ) > 10 );
	}
	supMethodId found;
	assert_false( supFindMethod( "jelly", &found ) );
}

static void TestSkinnedMethodsEqualSkinning( void** state )
{
	(void)state;
	supCharacter* character = MakeBox();
	for ( int i = 0; i < 2; ++i )
	{
		supError error = { 0 };
		supFleshDef fleshDef = supDefaultFleshDef();
		fleshDef.method = i == 0 ? sup_methodLbs : sup_methodDqs;
		supFlesh* flesh = supBuildFlesh( character, &fleshDef, NULL, &error );
		testRequire( flesh != NULL, &error );
		supSceneDef sceneDef = supDefaultSceneDef();
		sceneDef.substeps = 3;
		supScene* scene = supCreateScene( &sceneDef, &error );
		supActor* actor = supScene_AddActor( scene, flesh, &error );
		testRequire( actor != NULL, &error );
		assert_ptr_equal( supFlesh_Character( supActor_Flesh( actor ) ), character );
		MoveTop( actor, 9 );
		supScene_Step( scene, 0.1f );
		supVec3 expected[8];
		supSkinInstance( supActor_Pose( actor ), 0, i == 0 ? sup_skinningLinear : sup_skinningDualQuaternion, NULL,
						 &( supSkinOutput ){ .positions = expected } );
		assert_memory_equal( supActor_Positions( actor, 0 ), expected, sizeof( expected ) );
		supDestroyScene( scene );
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
}

static void TestMeasures( void** state )
{
	(void)state;
	supCharacter* character = MakeBox();
	supError error = { 0 };
	supFleshDef fleshDef = supDefaultFleshDef();
	fleshDef.method = sup_methodLbs;
	supFlesh* flesh = supBuildFlesh( character, &fleshDef, NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	supScene* scene = supCreateScene( &sceneDef, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	supSurfaceMeasure measure = supActor_Measure( actor );
	assert_true( measure.volumeError == 0.0f && measure.stretch == 0.0f );
	// the top moves up by half: volume and upright edges grow by a quarter, diagonals by less
	supTransform local = supPose_GetLocal( supActor_Pose( actor ), 1 );
	local.translation.y = 1.5f;
	supPose_SetLocal( supActor_Pose( actor ), 1, local );
	supScene_Step( scene, 0.1f );
	measure = supActor_Measure( actor );
	assert_float_equal( measure.volumeError, 0.25f, 1e-6f );
	assert_float_equal( measure.stretch, 0.25f, 1e-6f );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

static void TestSubstepsFollowTheMotion( void** state )
{
	(void)state;
	supCharacter* character = MakeBox();
	supError error = { 0 };
	supFleshDef fleshDef = supDefaultFleshDef();
	supFlesh* flesh = supBuildFleshWith( character, &s_lag, &fleshDef, NULL, &error );
	float travelled[2];
	for ( int i = 0; i < 2; ++i )
	{
		supSceneDef sceneDef = supDefaultSceneDef();
		sceneDef.substeps = i == 0 ? 1 : 8;
		supScene* scene = supCreateScene( &sceneDef, &error );
		supActor* actor = supScene_AddActor( scene, flesh, &error );
		supTransform local = supPose_GetLocal( supActor_Pose( actor ), 1 );
		local.translation.x = 1.0f;
		supPose_SetLocal( supActor_Pose( actor ), 1, local );
		supScene_Step( scene, 0.1f );
		const LagState* s = actor->state;
		assert_int_equal( s->calls, 3 * sceneDef.substeps );
		travelled[i] = s->position.x;
		assert_true( supActor_Measure( actor ).energy > 0.0f );
		// nothing happens in no time
		LagState before = *s;
		supScene_Step( scene, 0.0f );
		assert_memory_equal( &before, actor->state, sizeof( before ) );
		// a reset forgets the motion
		supActor_Reset( actor );
		assert_true( supActor_Measure( actor ).energy == 0.0f );
		supDestroyScene( scene );
	}
	// the target was approached in between: x'' = 40 (t / h - x) over h = 0.1 gives about 40 h^2 / 6
	assert_float_equal( travelled[0], 0.4f, 1e-5f );
	assert_true( travelled[1] > 0.05f && travelled[1] < 0.12f );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

static void TestStateComesBackBitForBit( void** state )
{
	(void)state;
	supCharacter* character = MakeBox();
	supError error = { 0 };
	supFleshDef fleshDef = supDefaultFleshDef();
	supFlesh* flesh = supBuildFleshWith( character, &s_lag, &fleshDef, NULL, &error );
	supVec3 expected[8];
	void* saved = NULL;
	for ( int run = 0; run < 2; ++run )
	{
		supThreadPool* pool = supCreateThreadPool( 1 + 2 * run );
		supSceneDef sceneDef = supDefaultSceneDef();
		sceneDef.substeps = 2;
		sceneDef.tasks = supThreadPool_Tasks( pool );
		supScene* scene = supCreateScene( &sceneDef, &error );
		supActor* actor = supScene_AddActor( scene, flesh, &error );
		int32_t frame = 0;
		if ( run == 1 )
		{
			// another scene goes on from the middle
			supActor_RestoreState( actor, saved );
			frame = 20;
		}
		for ( ; frame < 40; ++frame )
		{
			if ( run == 0 && frame == 20 )
			{
				saved = test_malloc( supActor_StateSize( actor ) );
				supActor_SaveState( actor, saved );
			}
			MoveTop( actor, frame );
			supScene_Step( scene, 1.0f / 30.0f );
		}
		if ( run == 0 )
		{
			memcpy( expected, supActor_Positions( actor, 0 ), sizeof( expected ) );
		}
		assert_memory_equal( expected, supActor_Positions( actor, 0 ), sizeof( expected ) );
		supDestroyScene( scene );
		supDestroyThreadPool( pool );
	}
	test_free( saved );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

static void TestActorsComeAndGo( void** state )
{
	(void)state;
	supCharacter* character = MakeBox();
	supError error = { 0 };
	supFleshDef fleshDef = supDefaultFleshDef();
	supFlesh* flesh = supBuildFleshWith( character, &s_lag, &fleshDef, NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	supScene* scene = supCreateScene( &sceneDef, &error );
	supActor* actors[3];
	for ( int i = 0; i < 3; ++i )
	{
		actors[i] = supScene_AddActor( scene, flesh, &error );
	}
	supScene_RemoveActor( scene, actors[1] );
	supScene_Step( scene, 0.1f );
	supScene_RemoveActor( scene, actors[0] );
	supScene_Step( scene, 0.1f );
	assert_int_equal( supScene_GetStats( scene ).steps, 2 );
	assert_int_equal( ( (LagState*)actors[2]->state )->calls, 6 );
	supDestroyScene( scene );
	supDestroyScene( NULL );
	sceneDef.substeps = 0;
	assert_null( supCreateScene( &sceneDef, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	supDestroyFlesh( flesh );
	supDestroyFlesh( NULL );
	supDestroyCharacter( character );
}

static bool AttemptScene( void* context )
{
	supFlesh* flesh = NULL;
	supScene* scene = NULL;
	supFleshDef fleshDef = supDefaultFleshDef();
	supSceneDef sceneDef = supDefaultSceneDef();
	bool ok = ( flesh = supBuildFleshWith( context, &s_lag, &fleshDef, NULL, NULL ) ) != NULL &&
			  ( scene = supCreateScene( &sceneDef, NULL ) ) != NULL && supScene_AddActor( scene, flesh, NULL ) != NULL;
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	return ok;
}

static void TestAllocations( void** state )
{
	(void)state;
	supCharacter* character = MakeBox();
	testEachAllocationFailure( AttemptScene, character, 100 );

	// a step allocates nothing
	testHeap heap;
	testInstallHeap( &heap );
	supFleshDef fleshDef = supDefaultFleshDef();
	supFlesh* flesh = supBuildFleshWith( character, &s_lag, &fleshDef, NULL, NULL );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.substeps = 2;
	supScene* scene = supCreateScene( &sceneDef, NULL );
	supActor* actor = supScene_AddActor( scene, flesh, NULL );
	int64_t before = heap.allocations;
	for ( int frame = 0; frame < 5; ++frame )
	{
		MoveTop( actor, frame );
		supScene_Step( scene, 0.1f );
	}
	assert_int_equal( heap.allocations, before );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	testUninstallHeap( &heap );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestNames ),
		cmocka_unit_test( TestSkinnedMethodsEqualSkinning ),
		cmocka_unit_test( TestMeasures ),
		cmocka_unit_test( TestSubstepsFollowTheMotion ),
		cmocka_unit_test( TestStateComesBackBitForBit ),
		cmocka_unit_test( TestActorsComeAndGo ),
		cmocka_unit_test( TestAllocations ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
