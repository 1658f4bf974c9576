// SPDX-License-Identifier: MIT
// labels: threads
// threads: TestThreadsGiveTheSameBits
// Levels of detail: what is seen at each, that nothing pops between them, and that they get along with all the rest.
#include "lag.h"
#include "support.h"

#include "scene/actor.h"
#include "scene/detail_kernel.h"

#include <stdlib.h>
#include <string.h>

#define DT ( 1.0f / 60.0f )

// Of scene.h: seconds over which flesh comes or goes.
#define FADE 0.5f

typedef struct Stage
{
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
} Stage;

static supActor* AddSwaying( supScene* scene, const supFlesh* flesh, float time )
{
	supActor* actor = supScene_AddActor( scene, flesh, NULL );
	assert_non_null( actor );
	supPlayDef play = supDefaultPlayDef( supCharacter_Clip( supFlesh_Character( flesh ), 0 ) );
	play.time = time;
	supActor_Play( actor, &play );
	return actor;
}

static Stage MakeStage( const supMethod* method )
{
	Stage stage = { .character = testMakeSwayingBox() };
	// coarse is enough, and a cube cannot be cut into any number of tets
	supSetting coarse = { "", 0.0f };
	for ( int32_t i = 0; i < method->parameterCount; ++i )
	{
		coarse = strcmp( method->parameters[i].name, "tets" ) == 0 ? ( supSetting ){ "tets", 864.0f } : coarse;
		coarse =
			strcmp( method->parameters[i].name, "resolution" ) == 0 ? ( supSetting ){ "resolution", 12.0f } : coarse;
	}
	supFleshDef fleshDef = supDefaultFleshDef();
	fleshDef.settings = &coarse;
	fleshDef.settingCount = coarse.value > 0.0f;
	supError error = { 0 };
	stage.flesh = supBuildFleshWith( stage.character, method, &fleshDef, NULL, &error );
	testRequire( stage.flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	// the subject is what levels of detail make of the method's own surface
	sceneDef.guard = false;
	// the point on a spring solves in one go
	sceneDef.contactPasses = 1;
	stage.scene = supCreateScene( &sceneDef, &error );
	stage.actor = AddSwaying( stage.scene, stage.flesh, 0.0f );
	return stage;
}

static void DestroyStage( Stage* stage )
{
	supDestroyScene( stage->scene );
	supDestroyFlesh( stage->flesh );
	supDestroyCharacter( stage->character );
}

static void Step( supScene* scene, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		supScene_Step( scene, DT );
	}
}

static const testLagState* Lag( const supActor* actor )
{
	return actor->state;
}

// How far the flesh is from where bones carry it.
static supVec3 FleshOffset( supActor* actor )
{
	return supSub( Lag( actor )->position, supPose_Worlds( actor->pose )[1].t );
}

// What is seen of that, at the top.
static supVec3 SeenOffset( supActor* actor )
{
	supVec3 skinned[8];
	supSkinInstance( actor->pose, 0, sup_skinningDualQuaternion, NULL, &( supSkinOutput ){ .positions = skinned } );
	return supSub( supActor_Positions( actor, 0 )[2], skinned[2] );
}

static void TestSkinnedIsSkinning( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	assert_true( supActor_SetDetail( stage.actor, sup_detailSkinned, NULL ) );
	Step( stage.scene, 31 );
	assert_int_equal( supActor_GetDetail( stage.actor ), sup_detailSkinned );
	int32_t calls = Lag( stage.actor )->calls;
	for ( int32_t frame = 0; frame < 20; ++frame )
	{
		Step( stage.scene, 1 );
		supVec3 positions[8], normals[8];
		supSkinInstance( stage.actor->pose, 0, sup_skinningDualQuaternion, NULL,
						 &( supSkinOutput ){ .positions = positions, .normals = normals } );
		assert_memory_equal( supActor_Positions( stage.actor, 0 ), positions, sizeof( positions ) );
		assert_memory_equal( supActor_Normals( stage.actor, 0 ), normals, sizeof( normals ) );
		assert_int_equal( supScene_GetStats( stage.scene ).skinned, 1 );
	}
	assert_int_equal( Lag( stage.actor )->calls, calls );
	DestroyStage( &stage );
}

// Only the pose moves, and the surface is there again in the step in which it is asked for.
static void TestPosedHasNoSurface( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	assert_true( supActor_SetDetail( stage.actor, sup_detailPosed, NULL ) );
	Step( stage.scene, 31 );
	assert_int_equal( supActor_GetDetail( stage.actor ), sup_detailPosed );
	supVec3 positions[8], normals[8];
	memcpy( positions, supActor_Positions( stage.actor, 0 ), sizeof( positions ) );
	int32_t calls = Lag( stage.actor )->calls;
	supVec3 before = supPose_Worlds( stage.actor->pose )[1].t;
	Step( stage.scene, 20 );
	testGreater( supDistance( supPose_Worlds( stage.actor->pose )[1].t, before ), 0.1f );
	assert_memory_equal( supActor_Positions( stage.actor, 0 ), positions, sizeof( positions ) );
	assert_int_equal( Lag( stage.actor )->calls, calls );
	assert_int_equal( supScene_GetStats( stage.scene ).posed, 1 );
	assert_int_equal( supScene_GetStats( stage.scene ).skinned, 0 );
	assert_true( supActor_SetDetail( stage.actor, sup_detailSkinned, NULL ) );
	Step( stage.scene, 1 );
	supSkinInstance( stage.actor->pose, 0, sup_skinningDualQuaternion, NULL,
					 &( supSkinOutput ){ .positions = positions, .normals = normals } );
	assert_memory_equal( supActor_Positions( stage.actor, 0 ), positions, sizeof( positions ) );
	assert_memory_equal( supActor_Normals( stage.actor, 0 ), normals, sizeof( normals ) );
	// a teleport is seen once, whatever the level
	assert_true( supActor_SetDetail( stage.actor, sup_detailPosed, NULL ) );
	Step( stage.scene, 5 );
	supActor_Reset( stage.actor );
	supSkinInstance( stage.actor->pose, 0, sup_skinningDualQuaternion, NULL,
					 &( supSkinOutput ){ .positions = positions } );
	assert_memory_equal( supActor_Positions( stage.actor, 0 ), positions, sizeof( positions ) );
	DestroyStage( &stage );
}

// Whoever walks up to the viewer without a surface is found by where its joints went.
static void TestPosedComesBack( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	supActor_Stop( stage.actor );
	supViewer viewer = { { 0.0f, 0.0f, -50.0f }, 10.0f, 20.0f, 40.0f };
	assert_true( supScene_SetViewer( stage.scene, &viewer, NULL ) );
	Step( stage.scene, 80 );
	assert_int_equal( supActor_GetDetail( stage.actor ), sup_detailPosed );
	assert_true( supActor_IsAsleep( stage.actor ) );
	const struct
	{
		float to;
		supDetail detail;
	} walk[] = { { -13.0f, sup_detailPosed }, { -15.0f, sup_detailSkinned }, { -45.0f, sup_detailFull } };
	for ( int32_t i = 0; i < 3; ++i )
	{
		supTransform root = supPose_GetLocal( stage.actor->pose, 0 );
		root.translation.z = walk[i].to;
		supPose_SetLocal( stage.actor->pose, 0, root );
		Step( stage.scene, 40 );
		assert_int_equal( supActor_GetDetail( stage.actor ), walk[i].detail );
	}
	DestroyStage( &stage );
}

// Where nobody asks for less there is no difference, not in a bit.
static void TestFullIsAsBefore( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	supActor* plain = AddSwaying( stage.scene, stage.flesh, 0.0f );
	assert_true( supActor_SetDetail( stage.actor, sup_detailReduced, NULL ) );
	assert_true( supActor_SetDetail( stage.actor, sup_detailFull, NULL ) );
	for ( int32_t frame = 0; frame < 40; ++frame )
	{
		Step( stage.scene, 1 );
		assert_memory_equal( supActor_Positions( stage.actor, 0 ), supActor_Positions( plain, 0 ),
							 8 * sizeof( supVec3 ) );
	}
	DestroyStage( &stage );
}

// Flesh moves every second frame, by the time of two, and is seen to move evenly: as far in the frame in which it moves
// as in the one after it.
static void TestReducedIsEven( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	Step( stage.scene, 10 );
	assert_true( supActor_SetDetail( stage.actor, sup_detailReduced, NULL ) );
	Step( stage.scene, 4 );
	assert_int_equal( supActor_GetDetail( stage.actor ), sup_detailReduced );
	int32_t steps = 0;
	for ( int32_t frame = 0; frame < 60; ++frame )
	{
		supVec3 before = SeenOffset( stage.actor );
		int32_t calls = Lag( stage.actor )->calls;
		Step( stage.scene, 1 );
		if ( Lag( stage.actor )->calls == calls )
		{
			continue;
		}
		steps += 1;
		supVec3 first = SeenOffset( stage.actor );
		supVec3 flesh = FleshOffset( stage.actor );
		Step( stage.scene, 1 );
		frame += 1;
		supVec3 second = SeenOffset( stage.actor );
		testLess( supDistance( supSub( first, before ), supSub( second, first ) ), 2e-6f );
		// one frame later all of it is there
		testLess( supDistance( second, flesh ), 2e-6f );
	}
	assert_in_range( steps, 29, 31 );
	DestroyStage( &stage );
}

// What is seen is s times something between the offsets c of the last steps of the flesh, so that from frame to frame
// it moves no farther than s |c' - c| + |s' - s| |c|, and the smoothstep by no more than 1.5 DT / FADE.
static void TestNothingPops( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	const supDetail levels[] = { sup_detailReduced, sup_detailSkinned, sup_detailFull,
								 sup_detailSkinned, sup_detailReduced, sup_detailFull };
	supVec3 recent[4] = { supVec3_zero, supVec3_zero, supVec3_zero, supVec3_zero };
	supVec3 before = SeenOffset( stage.actor );
	float largest = 0.0f;
	for ( int32_t frame = 0; frame < 600; ++frame )
	{
		// not long enough for all fades, which then turn round
		if ( frame % 23 == 0 )
		{
			assert_true( supActor_SetDetail( stage.actor, levels[frame / 23 % 6], NULL ) );
		}
		Step( stage.scene, 1 );
		memmove( recent + 1, recent, 3 * sizeof( supVec3 ) );
		recent[0] = supActor_GetDetail( stage.actor ) == sup_detailSkinned ? supVec3_zero : recent[0];
		recent[0] = stage.actor->steps ? FleshOffset( stage.actor ) : recent[0];
		float way = 0.0f, length = 0.0f;
		for ( int32_t i = 0; i < 4; ++i )
		{
			length = supMaxFloat( length, supLength( recent[i] ) );
			for ( int32_t k = 0; k < i; ++k )
			{
				way = supMaxFloat( way, supDistance( recent[i], recent[k] ) );
			}
		}
		supVec3 seen = SeenOffset( stage.actor );
		testLessEqual( supDistance( seen, before ), way + 1.5f * DT / FADE * length + 1e-5f );
		largest = supMaxFloat( largest, supLength( seen ) );
		before = seen;
	}
	// there was something to pop
	testGreater( largest, 0.1f );
	DestroyStage( &stage );
}

// What is carried turns with the part that it sits on.
static void TestOffsetsAreCarried( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	supActor* actor = stage.actor;
	Step( stage.scene, 20 );
	supActor_Stop( actor );
	assert_true( supActor_SetDetail( actor, sup_detailReduced, NULL ) );
	Step( stage.scene, 1 );
	assert_true( actor->steps );
	supVec3 offset = SeenOffset( actor );
	testGreater( supLength( offset ), 0.05f );
	supTransform root = supPose_GetLocal( actor->pose, 0 );
	root.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), 0.7f );
	supPose_SetLocal( actor->pose, 0, root );
	Step( stage.scene, 1 );
	assert_false( actor->steps );
	testLess( supDistance( SeenOffset( actor ), supRotate( root.rotation, offset ) ), 1e-5f );
	DestroyStage( &stage );
}

#define VERTICES 19

typedef struct Patch
{
	supVec3 positions[VERTICES], normals[VERTICES];
	supVec3 offsets[VERTICES], normalOffsets[VERTICES], skinNormals[VERTICES];
	supVec3 freshPositions[VERTICES], freshNormals[VERTICES];
} Patch;

static Patch MakePatch( testRandom* random )
{
	Patch p;
	for ( int32_t i = 0; i < VERTICES; ++i )
	{
		p.positions[i] = testRandomVec3( random, 2.0f );
		p.normals[i] = supRotate( testRandomQuat( random ), supMakeVec3( 0.0f, 1.0f, 0.0f ) );
		p.skinNormals[i] = supRotate( testRandomQuat( random ), supMakeVec3( 0.0f, 1.0f, 0.0f ) );
		p.offsets[i] = testRandomVec3( random, 0.1f );
		p.normalOffsets[i] = testRandomVec3( random, 0.1f );
		p.freshPositions[i] = supAdd( p.positions[i], testRandomVec3( random, 0.1f ) );
		p.freshNormals[i] = supNormalize( supAdd( p.normals[i], testRandomVec3( random, 0.1f ) ) );
	}
	// opposites are not turned; a vertex without a normal gets none
	p.skinNormals[5] = supNeg( p.normals[5] );
	p.normals[6] = p.skinNormals[6] = p.normalOffsets[6] = p.freshNormals[6] = supVec3_zero;
	return p;
}

static void DrawPatch( Patch* p, int32_t count, bool isFresh, float blend, float share )
{
	supDetailJob job = { .vertexCount = count,
						 .positions = p->positions,
						 .normals = p->normals,
						 .offsets = p->offsets,
						 .normalOffsets = p->normalOffsets,
						 .skinNormals = p->skinNormals,
						 .freshPositions = isFresh ? p->freshPositions : NULL,
						 .freshNormals = isFresh ? p->freshNormals : NULL,
						 .blend = blend,
						 .share = share };
	SUP_CALL_KERNEL( supDrawDetail )( &job );
}

static void CheckVertex( const Patch* before, const Patch* after, int32_t i, bool isFresh, float blend, float share )
{
	bool isTurned = i != 5 && i != 6 && supDot( before->skinNormals[i], before->normals[i] ) > -0.99f;
	supQuat turn = isTurned ? supMakeQuatBetween( before->skinNormals[i], before->normals[i] ) : supQuat_identity;
	supVec3 carried = supRotate( turn, before->offsets[i] );
	supVec3 next = isFresh ? supSub( before->freshPositions[i], before->positions[i] ) : carried;
	supVec3 seen = supAdd( before->positions[i], supScale( share, supLerp( carried, next, blend ) ) );
	testLess( supDistance( after->positions[i], seen ), 1e-5f );
	testLess( supDistance( after->offsets[i], next ), 1e-5f );
	carried = supRotate( turn, before->normalOffsets[i] );
	next = isFresh ? supSub( before->freshNormals[i], before->normals[i] ) : carried;
	seen = supAdd( before->normals[i], supScale( share, supLerp( carried, next, blend ) ) );
	seen = i == 6 ? supVec3_zero : supNormalize( seen );
	testLess( supDistance( after->normals[i], seen ), 1e-5f );
	assert_memory_equal( after->skinNormals + i, before->normals + i, sizeof( supVec3 ) );
}

// Against quaternions, for any number of vertices, and with the same bits for every instruction set.
static void TestKernel( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 12 );
	supInstructionSet best = supGetInstructionSet();
	for ( int32_t run = 0; run < 4 * ( VERTICES + 1 ); ++run )
	{
		int32_t count = run / 4;
		bool isFresh = run % 2 == 1;
		float blend = run % 4 == 1 ? 1.0f : 0.5f, share = run % 4 < 2 ? 1.0f : 0.3f;
		Patch before = MakePatch( &random );
		Patch after = before, baseline = before;
		DrawPatch( &after, count, isFresh, blend, share );
		supSetInstructionSet( sup_instructionsBaseline );
		DrawPatch( &baseline, count, isFresh, blend, share );
		supSetInstructionSet( best );
		assert_memory_equal( &after, &baseline, sizeof( Patch ) );
		for ( int32_t i = 0; i < count; ++i )
		{
			CheckVertex( &before, &after, i, isFresh, blend, share );
		}
		// no more than there are
		assert_memory_equal( after.positions + count, before.positions + count,
							 (size_t)( VERTICES - count ) * sizeof( supVec3 ) );
		assert_memory_equal( after.skinNormals + count, before.skinNormals + count,
							 (size_t)( VERTICES - count ) * sizeof( supVec3 ) );
	}
}

static supDetail LevelFrom( Stage* stage, float distance )
{
	supViewer viewer = { { 0.0f, 1.0f, -distance }, 10.0f, 20.0f, 40.0f };
	assert_true( supScene_SetViewer( stage->scene, &viewer, NULL ) );
	Step( stage->scene, 40 );
	return supActor_GetDetail( stage->actor );
}

static void TestViewer( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	supActor_Stop( stage.actor );
	const struct
	{
		float distance;
		supDetail detail;
	} walk[] = { { 9.9f, sup_detailFull },     { 10.1f, sup_detailReduced }, { 9.1f, sup_detailReduced },
				 { 8.9f, sup_detailFull },     { 19.9f, sup_detailReduced }, { 20.1f, sup_detailSkinned },
				 { 18.1f, sup_detailSkinned }, { 17.9f, sup_detailReduced }, { 39.9f, sup_detailSkinned },
				 { 40.1f, sup_detailPosed },   { 36.1f, sup_detailPosed },   { 35.9f, sup_detailSkinned },
				 { 1000.0f, sup_detailPosed }, { 9.1f, sup_detailReduced },  { 1000.0f, sup_detailPosed },
				 { 0.0f, sup_detailFull } };
	for ( size_t i = 0; i < sizeof( walk ) / sizeof( walk[0] ); ++i )
	{
		testMoveTop( stage.actor, (int32_t)i );
		assert_int_equal( LevelFrom( &stage, walk[i].distance ), walk[i].detail );
	}
	// those who come later are seen as well
	assert_int_equal( LevelFrom( &stage, 30.0f ), sup_detailSkinned );
	supActor* late = AddSwaying( stage.scene, stage.flesh, 0.0f );
	Step( stage.scene, 40 );
	assert_int_equal( supScene_GetStats( stage.scene ).skinned, 2 );
	// the actor's own is the most
	assert_true( supActor_SetDetail( late, sup_detailReduced, NULL ) );
	assert_true( supScene_SetViewer( stage.scene, NULL, NULL ) );
	Step( stage.scene, 40 );
	assert_int_equal( supActor_GetDetail( stage.actor ), sup_detailFull );
	assert_int_equal( supActor_GetDetail( late ), sup_detailReduced );
	DestroyStage( &stage );
}

static void TestSleep( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	supActor* actor = stage.actor;
	Step( stage.scene, 10 );
	supActor_Stop( actor );
	assert_true( supActor_SetDetail( actor, sup_detailSkinned, NULL ) );
	Step( stage.scene, 62 );
	assert_true( supActor_IsAsleep( actor ) );
	assert_int_equal( supScene_GetStats( stage.scene ).sleepers, 1 );
	assert_true( supActor_SetDetail( actor, sup_detailReduced, NULL ) );
	Step( stage.scene, 1 );
	assert_false( supActor_IsAsleep( actor ) );
	// flesh starts at rest, and soon sleeps again
	Step( stage.scene, 70 );
	assert_true( supActor_IsAsleep( actor ) );
	assert_int_equal( supActor_GetDetail( actor ), sup_detailReduced );
	DestroyStage( &stage );
}

// Whoever is taken hold of, or may be touched, is there.
static void TestNeededIsFull( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	assert_true( supActor_SetDetail( stage.actor, sup_detailSkinned, NULL ) );
	Step( stage.scene, 40 );
	supSurfacePoint point = { .vertices = { 2, 2, 2 }, .weights = { 1.0f } };
	supDragDef def = supDefaultDragDef( stage.actor, &point );
	supDragId drag = supActor_StartDrag( stage.actor, &def );
	assert_int_equal( drag, 0 );
	testLess( supLength( FleshOffset( stage.actor ) ), 1e-6f );
	Step( stage.scene, 40 );
	assert_int_equal( supActor_GetDetail( stage.actor ), sup_detailFull );
	supActor_EndDrag( stage.actor, drag );
	Step( stage.scene, 40 );
	assert_int_equal( supActor_GetDetail( stage.actor ), sup_detailSkinned );

	supColliderDef floor = supDefaultColliderDef();
	floor.position.y = -5.0f;
	supError error = { 0 };
	supCollider* collider = supScene_AddCollider( stage.scene, &floor, &error );
	testRequire( collider != NULL, &error );
	Step( stage.scene, 40 );
	assert_int_equal( supActor_GetDetail( stage.actor ), sup_detailFull );
	supScene_RemoveCollider( stage.scene, collider );
	Step( stage.scene, 40 );
	assert_int_equal( supActor_GetDetail( stage.actor ), sup_detailSkinned );
	DestroyStage( &stage );
}

#define CROWD 37
#define FRAMES 90

// A viewer walks past a row of actors and back; hashes would do, but positions say who differs.
static void PlayCrowd( const supFlesh* flesh, int32_t threads, supVec3* found, supSceneStats* stats, int32_t* crowded )
{
	supThreadPool* pool = supCreateThreadPool( threads );
	supSceneDef def = supDefaultSceneDef();
	def.tasks = threads == 0 ? NULL : supThreadPool_Tasks( pool );
	def.substeps = 2;
	supScene* scene = supCreateScene( &def, NULL );
	supActor* actors[CROWD];
	for ( int32_t i = 0; i < CROWD; ++i )
	{
		actors[i] = AddSwaying( scene, flesh, 0.1f * (float)i );
		assert_true( supActor_SetDetail( actors[i], (supDetail)( i % 7 / 3 ), NULL ) );
	}
	for ( int32_t frame = 0; frame < FRAMES; ++frame )
	{
		supViewer viewer = { { 0.0f, 1.0f, (float)abs( FRAMES / 2 - frame ) }, 4.0f, 10.0f, 18.0f };
		assert_true( supScene_SetViewer( scene, &viewer, NULL ) );
		supScene_Step( scene, DT );
		stats[frame] = supScene_GetStats( scene );
	}
	*crowded = 0;
	for ( int32_t i = 0; i < CROWD; ++i )
	{
		memcpy( found + 16 * i, supActor_Positions( actors[i], 0 ), 8 * sizeof( supVec3 ) );
		memcpy( found + 16 * i + 8, supActor_Normals( actors[i], 0 ), 8 * sizeof( supVec3 ) );
		*crowded += Lag( actors[i] )->crowded;
	}
	supDestroyScene( scene );
	supDestroyThreadPool( pool );
}

static void TestThreadsGiveTheSameBits( void** state )
{
	(void)state;
	supMethod alone = testLagMethod;
	alone.solveMany = NULL;
	Stage single = MakeStage( &alone );
	Stage stage = MakeStage( &testLagMethod );
	static supVec3 expected[16 * CROWD], found[16 * CROWD];
	static supSceneStats expectedStats[FRAMES], stats[FRAMES];
	int32_t crowded = 0;
	PlayCrowd( single.flesh, 0, expected, expectedStats, &crowded );
	const int32_t threads[] = { 1, 2, 3, 8 };
	for ( int32_t k = 0; k < 4; ++k )
	{
		PlayCrowd( stage.flesh, threads[k], found, stats, &crowded );
		assert_memory_equal( found, expected, sizeof( found ) );
		testGreater( crowded, 0 );
		int32_t most[2] = { 0, 0 };
		for ( int32_t frame = 0; frame < FRAMES; ++frame )
		{
			assert_int_equal( stats[frame].reduced, expectedStats[frame].reduced );
			assert_int_equal( stats[frame].skinned, expectedStats[frame].skinned );
			most[0] = stats[frame].reduced > most[0] ? stats[frame].reduced : most[0];
			most[1] = stats[frame].skinned > most[1] ? stats[frame].skinned : most[1];
		}
		assert_true( most[0] > 10 && most[1] == CROWD );
	}
	DestroyStage( &single );
	DestroyStage( &stage );
}

// From any moment of any change on, in another scene.
static void TestStateComesBack( void** state )
{
	(void)state;
	const int32_t moments[] = { 3, 12, 13, 14, 25, 26, 40, 55, 60, 63, 64, 90 };
	Stage stage = MakeStage( &testLagMethod );
	Stage other = MakeStage( &testLagMethod );
	supActor_Stop( stage.actor );
	supActor_Stop( other.actor );
	// what was saved before there was anything to carry can be restored after
	void* early = test_malloc( supActor_StateSize( stage.actor ) );
	supActor_SaveState( stage.actor, early );
	assert_true( supActor_SetDetail( stage.actor, sup_detailReduced, NULL ) );
	assert_true( supActor_SetDetail( other.actor, sup_detailReduced, NULL ) );
	void* saved = test_malloc( supActor_StateSize( stage.actor ) );
	for ( size_t k = 0; k < sizeof( moments ) / sizeof( moments[0] ); ++k )
	{
		supActor_RestoreState( stage.actor, early );
		for ( int32_t frame = 0; frame < 110; ++frame )
		{
			supDetail detail = frame < 10 ? sup_detailFull : frame < 24 ? sup_detailReduced : sup_detailSkinned;
			detail = frame < 62 ? detail : sup_detailFull;
			supActor_SetDetail( stage.actor, detail, NULL );
			supActor_SetDetail( other.actor, detail, NULL );
			if ( frame == moments[k] )
			{
				supActor_SaveState( stage.actor, saved );
				supActor_RestoreState( other.actor, saved );
				assert_memory_equal( stage.actor->surfaces[0].positions, other.actor->surfaces[0].positions, 96 );
			}
			testMoveTop( stage.actor, frame );
			testMoveTop( other.actor, frame );
			Step( stage.scene, 1 );
			Step( other.scene, 1 );
			if ( frame >= moments[k] )
			{
				assert_memory_equal( stage.actor->surfaces[0].positions, other.actor->surfaces[0].positions, 96 );
				assert_memory_equal( stage.actor->surfaces[0].normals, other.actor->surfaces[0].normals, 96 );
				assert_memory_equal( stage.actor->state, other.actor->state, stage.actor->stateSize );
			}
		}
	}
	test_free( early );
	test_free( saved );
	DestroyStage( &stage );
	DestroyStage( &other );
}

// A teleport far away is skinned at once, and a reset near is flesh at once.
static void TestReset( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	Step( stage.scene, 10 );
	assert_true( supActor_SetDetail( stage.actor, sup_detailSkinned, NULL ) );
	supActor_Reset( stage.actor );
	assert_int_equal( supActor_GetDetail( stage.actor ), sup_detailSkinned );
	int32_t calls = Lag( stage.actor )->calls;
	Step( stage.scene, 1 );
	assert_int_equal( Lag( stage.actor )->calls, calls );
	assert_true( supActor_SetDetail( stage.actor, sup_detailFull, NULL ) );
	supActor_Reset( stage.actor );
	Step( stage.scene, 1 );
	assert_int_equal( supActor_GetDetail( stage.actor ), sup_detailFull );
	testLess( supDistance( SeenOffset( stage.actor ), FleshOffset( stage.actor ) ), 1e-6f );
	DestroyStage( &stage );
}

// Flesh comes and goes without an allocation, and starts where skinning had it: in its first frame 0.0033 of what it
// adds is seen, which is less than the height of the box. Building a solid cube takes most methods seconds: they have
// their turn where SUPPLE_SOAK is set.
static void TestMethodsAllocateNothing( void** state )
{
	(void)state;
	for ( int32_t id = 0; id < sup_methodCount; ++id )
	{
		if ( id != sup_methodLattice && id != sup_methodDqs && getenv( "SUPPLE_SOAK" ) == NULL )
		{
			continue;
		}
		testHeap heap;
		testInstallHeap( &heap );
		Stage stage = MakeStage( supGetMethod( (supMethodId)id ) );
		assert_true( supActor_SetDetail( stage.actor, sup_detailReduced, NULL ) );
		Step( stage.scene, 2 );
		int64_t before = heap.allocations;
		for ( int32_t frame = 0; frame < 80; ++frame )
		{
			supActor_SetDetail( stage.actor, frame < 4 || frame > 40 ? sup_detailReduced : sup_detailSkinned, NULL );
			Step( stage.scene, 1 );
			assert_true( frame != 41 || supLength( SeenOffset( stage.actor ) ) < 0.0034f * 2.0f );
		}
		assert_int_equal( heap.allocations, before );
		assert_int_equal( supScene_GetStats( stage.scene ).trouble.notFinite, 0 );
		DestroyStage( &stage );
		testUninstallHeap( &heap );
	}
}

static bool TryDetail( void* context )
{
	Stage* stage = context;
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	supScene* scene = supCreateScene( &def, &error );
	supActor* actor = scene != NULL ? supScene_AddActor( scene, stage->flesh, &error ) : NULL;
	supViewer viewer = { supVec3_zero, 1.0f, 2.0f, 0.0f };
	bool ok = actor != NULL && supActor_SetDetail( actor, sup_detailReduced, &error );
	assert_true( ok || actor == NULL || supActor_GetDetail( actor ) == sup_detailFull );
	ok = ok && supScene_AddActor( scene, stage->flesh, &error ) != NULL;
	ok = ok && supScene_SetViewer( scene, &viewer, &error );
	ok = ok && supScene_AddActor( scene, stage->flesh, &error ) != NULL;
	assert_int_equal( error.code, ok ? sup_errorNone : sup_errorMemory );
	supDestroyScene( scene );
	return ok;
}

static void TestAllocationFailures( void** state )
{
	(void)state;
	Stage stage = MakeStage( &testLagMethod );
	testEachAllocationFailure( TryDetail, &stage, 200 );
	DestroyStage( &stage );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSkinnedIsSkinning ),
		cmocka_unit_test( TestPosedHasNoSurface ),
		cmocka_unit_test( TestPosedComesBack ),
		cmocka_unit_test( TestFullIsAsBefore ),
		cmocka_unit_test( TestReducedIsEven ),
		cmocka_unit_test( TestNothingPops ),
		cmocka_unit_test( TestOffsetsAreCarried ),
		cmocka_unit_test( TestKernel ),
		cmocka_unit_test( TestViewer ),
		cmocka_unit_test( TestSleep ),
		cmocka_unit_test( TestNeededIsFull ),
		cmocka_unit_test( TestThreadsGiveTheSameBits ),
		cmocka_unit_test( TestStateComesBack ),
		cmocka_unit_test( TestReset ),
		cmocka_unit_test( TestMethodsAllocateNothing ),
		cmocka_unit_test( TestAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
