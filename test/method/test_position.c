// SPDX-License-Identifier: MIT
// Position-based skinning as its users see it: whole characters in scenes.
#include "../../models/models.h"
#include "method/position/position.h"
#include "supple/flesh.h"
#include "supple/io.h"
#include "supple/scene.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Stage
{
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
} Stage;

static supCharacter* CreateModel( const char* name )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( name )->create( &error );
	testRequire( character != NULL, &error );
	return character;
}

static void SetStage( Stage* stage, supCharacter* character, supMethodId method, const supFleshDef* settings )
{
	supError error = { 0 };
	static const supSetting coarse = { "tets", 3000.0f };
	supFleshDef def = settings != NULL ? *settings : supDefaultFleshDef();
	def.method = method;
	if ( method == sup_methodPosition && def.settings == NULL )
	{
		def.settings = &coarse;
		def.settingCount = 1;
	}
	stage->character = character;
	stage->flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( stage->flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	stage->scene = supCreateScene( &sceneDef, &error );
	stage->actor = supScene_AddActor( stage->scene, stage->flesh, &error );
	testRequire( stage->actor != NULL, &error );
}

// Flesh without any soft region, as that of a limb: all comes from the constraints.
static supFleshDef FirmFlesh( void )
{
	static const supSoftRegion firm = { .shape = sup_softAll, .softness = 0.0f };
	supFleshDef def = supDefaultFleshDef();
	def.softRegions = &firm;
	def.softRegionCount = 1;
	return def;
}

// The character stays.
static void ClearStage( Stage* stage )
{
	supDestroyScene( stage->scene );
	supDestroyFlesh( stage->flesh );
}

static void GoTo( Stage* stage, const char* clipName, float time, float dt )
{
	const supClip* clip = supCharacter_FindClip( stage->character, clipName );
	assert_non_null( clip );
	supPose_ApplyClip( supActor_Pose( stage->actor ), clip, time );
	supScene_Step( stage->scene, dt );
}

static const supMesh* MeshOf( const Stage* stage )
{
	return supCharacter_Mesh( stage->character, supCharacter_Instance( stage->character, 0 )->mesh );
}

static bool AreFinite( const Stage* stage )
{
	const supVec3* positions = supActor_Positions( stage->actor, 0 );
	bool ok = true;
	for ( int32_t i = 0; i < MeshOf( stage )->vertexCount; ++i )
	{
		ok = ok && supIsFiniteVec3( positions[i] );
	}
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Quality

// The smallest area of a ring of the tube's vertices against rest, seen along the tube. Between rings triangles are
// flat, and a twist takes from their sections what no method could give back.
static float SmallestRing( const Stage* stage )
{
	const supMesh* mesh = MeshOf( stage );
	const supVec3* positions = supActor_Positions( stage->actor, 0 );
	float smallest = 1.0f;
	for ( int32_t i = 0; i < mesh->vertexCount; )
	{
		int32_t end = i + 1;
		while ( end < mesh->vertexCount && fabsf( mesh->positions[end].x - mesh->positions[i].x ) < 1e-4f )
		{
			++end;
		}
		float areas[2] = { 0.0f, 0.0f };
		for ( int32_t k = i; k < end; ++k )
		{
			int32_t next = k + 1 < end ? k + 1 : i;
			areas[0] += supCross( mesh->positions[k], mesh->positions[next] ).x;
			areas[1] += supCross( positions[k], positions[next] ).x;
		}
		smallest = end - i > 2 ? supMinFloat( smallest, areas[1] / areas[0] ) : smallest;
		i = end;
	}
	return smallest;
}

// Half a turn: linear skinning has no forearm left, this keeps 90 % of the cross-section everywhere along it.
static void test_twist_keeps_the_cross_section( void** state )
{
	(void)state;
	supCharacter* character = CreateModel( "tube" );
	static const supMethodId methods[2] = { sup_methodLbs, sup_methodPosition };
	float least[2] = { 1.0f, 1.0f };
	for ( int run = 0; run < 2; ++run )
	{
		Stage stage;
		SetStage( &stage, character, methods[run], NULL );
		for ( int i = 0; i <= 60; ++i )
		{
			GoTo( &stage, "twist", (float)i / 60.0f, 1.0f / 60.0f );
			least[run] = supMinFloat( least[run], SmallestRing( &stage ) );
		}
		ClearStage( &stage );
	}
	print_message( "smallest section: lbs %.3f, position %.3f\n", (double)least[0], (double)least[1] );
	testLess( least[0], 0.1f );
	// its rings are far apart, a twentieth of its size: the guard takes a little, so that no edge is longer by over 3 %
	// of it
	testGreaterEqual( least[1], 0.9f );
	supDestroyCharacter( character );
}

static float DistanceToSegment( supVec3 p, supVec3 a, supVec3 b )
{
	supVec3 along = supSub( b, a );
	float t = supClampFloat( supDot( supSub( p, a ), along ) / supDot( along, along ), 0.0f, 1.0f );
	return supDistance( p, supMulAdd( a, t, along ) );
}

// How much farther from the bones the surface is than at rest, at most: what bulges at a bent joint.
static float Bulge( const Stage* stage )
{
	supMat34 world = supPose_Worlds( supActor_Pose( stage->actor ) )[2];
	supVec3 joint = world.t;
	supVec3 start = supMakeVec3( -1.0f, 0.0f, 0.0f );
	supVec3 end = supMulAdd( joint, 1.0f, world.cx );
	const supVec3* positions = supActor_Positions( stage->actor, 0 );
	float farthest = 0.0f;
	for ( int32_t i = 0; i < MeshOf( stage )->vertexCount; ++i )
	{
		float distance = supMinFloat( DistanceToSegment( positions[i], start, joint ),
									  DistanceToSegment( positions[i], joint, end ) );
		farthest = supMaxFloat( farthest, distance );
	}
	return farthest / 0.15f - 1.0f;
}

static void test_bend_does_not_bulge( void** state )
{
	(void)state;
	supCharacter* character = CreateModel( "tube" );
	supFleshDef firm = FirmFlesh();
	float bulges[2];
	for ( int run = 0; run < 2; ++run )
	{
		Stage stage;
		SetStage( &stage, character, run == 0 ? sup_methodDqs : sup_methodPosition, run == 0 ? NULL : &firm );
		for ( int i = 0; i <= 60; ++i )
		{
			GoTo( &stage, "bend", (float)i / 60.0f, 1.0f / 60.0f );
		}
		bulges[run] = Bulge( &stage );
		ClearStage( &stage );
	}
	print_message( "bulge: dqs %.3f, position %.3f\n", (double)bulges[0], (double)bulges[1] );
	testGreater( bulges[0], 0.3f );
	testLess( bulges[1], 0.5f * bulges[0] );
	supDestroyCharacter( character );
}

// Half a percent at every frame, on every kind of motion, and no edge of the skin gets longer than it does under dual
// quaternions by more than a seventh: volumes that drive flesh apart in folds pulled it to four times its length.
static void test_volume_of_every_frame( void** state )
{
	(void)state;
	testMeasuresOnly();
	static const char* const models[3] = { "tube", "tube5", "bunny" };
	static const char* const clips[3][4] = { { "twist", "bend", NULL, NULL },
											 { "twist", "bend", NULL, NULL },
											 { "Walk", "Jump", "ForearmTwist", "ElbowBend" } };
	for ( int i = 0; i < 3; ++i )
	{
		supCharacter* character = CreateModel( models[i] );
		Stage stage, skin;
		SetStage( &stage, character, sup_methodPosition, NULL );
		SetStage( &skin, character, sup_methodDqs, NULL );
		for ( int k = 0; k < 4 && clips[i][k] != NULL; ++k )
		{
			supPose_ApplyClip( supActor_Pose( stage.actor ), supCharacter_FindClip( character, clips[i][k] ), 0.0f );
			supActor_Reset( stage.actor );
			float worst = 0.0f, stretch = 0.0f, skinStretch = 0.0f;
			for ( int frame = 0; frame < 30; ++frame )
			{
				GoTo( &stage, clips[i][k], (float)frame / 30.0f, 1.0f / 30.0f );
				GoTo( &skin, clips[i][k], (float)frame / 30.0f, 1.0f / 30.0f );
				supSurfaceMeasure measure = supActor_Measure( stage.actor );
				worst = supMaxFloat( worst, fabsf( measure.volumeError ) );
				stretch = supMaxFloat( stretch, measure.stretch );
				skinStretch = supMaxFloat( skinStretch, supActor_Measure( skin.actor ).stretch );
			}
			print_message( "%s %s: volume %.4f %%, stretch %.2f, dqs %.2f\n", models[i], clips[i][k],
						   100.0 * (double)worst, (double)stretch, (double)skinStretch );
			// exact in the flesh; the guard, which takes back folds, may change what is drawn of a jump by a part of
			// this
			testLessEqual( worst, 0.01f );
			testLess( 1.0f + stretch, ( 1.0f + 1.0f / 7.0f ) * ( 1.0f + skinStretch ) );
		}
		ClearStage( &stage );
		ClearStage( &skin );
		supDestroyCharacter( character );
	}
}

// Inside a fold of 120 degrees: tets that stay inside out, and how far the surface jumps in a frame beyond what the
// skin does.
static void test_folds_are_quiet( void** state )
{
	(void)state;
	supCharacter* character = CreateModel( "tube" );
	Stage stage, skin;
	supFleshDef firm = FirmFlesh();
	SetStage( &stage, character, sup_methodPosition, &firm );
	SetStage( &skin, character, sup_methodDqs, NULL );
	int32_t count = MeshOf( &stage )->vertexCount;
	supVec3* before = calloc( (size_t)count, sizeof( supVec3 ) );
	float pop = 0.0f;
	for ( int i = 0; i <= 120; ++i )
	{
		GoTo( &stage, "bend", (float)i / 60.0f, 1.0f / 60.0f );
		GoTo( &skin, "bend", (float)i / 60.0f, 1.0f / 60.0f );
		const supVec3* flesh = supActor_Positions( stage.actor, 0 );
		const supVec3* skinned = supActor_Positions( skin.actor, 0 );
		for ( int32_t k = 0; k < count; ++k )
		{
			supVec3 correction = supSub( flesh[k], skinned[k] );
			pop = i > 0 ? supMaxFloat( pop, supDistance( correction, before[k] ) ) : pop;
			before[k] = correction;
		}
	}
	double inverted = (double)supScene_GetStats( stage.scene ).trouble.inverted / 121.0;
	print_message( "fold: %.2f inverted tets a frame, correction moves %.4f m in a frame at most\n", inverted,
				   (double)pop );
	testLess( inverted, 4.0 );
	testLess( pop, 0.02f );
	free( before );
	ClearStage( &stage );
	ClearStage( &skin );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Behaviour

static void test_drag( void** state )
{
	(void)state;
	supCharacter* character = CreateModel( "tube" );
	supSoftRegion soft = { .shape = sup_softAll, .softness = 1.0f };
	supFleshDef def = supDefaultFleshDef();
	def.softRegions = &soft;
	def.softRegionCount = 1;
	Stage stage;
	SetStage( &stage, character, sup_methodPosition, &def );
	supSurfacePoint point;
	assert_true( supActor_CastRay( stage.actor, supMakeVec3( 0.4f, 2.0f, 0.0f ), supMakeVec3( 0.0f, -1.0f, 0.0f ),
								   &point, NULL ) );
	supVec3 start = supActor_PointPosition( stage.actor, &point );
	supDragDef drag = supDefaultDragDef( stage.actor, &point );
	supDragId id = supActor_StartDrag( stage.actor, &drag );
	testGreaterEqual( id, 0 );
	supActor_MoveDrag( stage.actor, id, supAdd( start, supMakeVec3( 0.0f, 0.1f, 0.0f ) ) );
	for ( int i = 0; i < 60; ++i )
	{
		supScene_Step( stage.scene, 1.0f / 60.0f );
	}
	supVec3 pulled = supActor_PointPosition( stage.actor, &point );
	supSurfacePoint beside;
	supVec3 above = supMakeVec3( start.x + 0.5f * drag.radius, 2.0f, 0.0f );
	assert_true( supActor_CastRay( stage.actor, above, supMakeVec3( 0.0f, -1.0f, 0.0f ), &beside, NULL ) );
	float height = pulled.y - start.y, heightBeside = supActor_PointPosition( stage.actor, &beside ).y - start.y;
	print_message( "drag: %.3f of 0.1, at half the radius %.3f, stretch %.2f\n", (double)height, (double)heightBeside,
				   (double)supActor_Measure( stage.actor ).stretch );
	// it follows, and what is around it comes along by ( 1 - x^2 )^2 at x radii: no spike; no edge is twice as long
	testGreater( height, 0.07f );
	testLess( height, 0.11f );
	testGreater( heightBeside, 0.75f * 0.75f * height );
	testLess( supActor_Measure( stage.actor ).stretch, 1.0f );
	supActor_EndDrag( stage.actor, id );
	for ( int i = 0; i < 360; ++i )
	{
		supScene_Step( stage.scene, 1.0f / 60.0f );
	}
	testLess( supDistance( supActor_PointPosition( stage.actor, &point ), start ), 0.002f );
	assert_true( supActor_IsAsleep( stage.actor ) );
	GoTo( &stage, "bend", 0.3f, 1.0f / 60.0f );
	assert_false( supActor_IsAsleep( stage.actor ) );
	ClearStage( &stage );
	supDestroyCharacter( character );
}

// How far flesh is from the skin when a bone has been scaled within half a second and everything has had 3.5 s to come
// to rest.
static float ScaleBone( Stage* flesh, Stage* skin, int32_t node, supVec3 scale )
{
	Stage* stages[2] = { flesh, skin };
	for ( int i = 0; i < 2; ++i )
	{
		supPose* pose = supActor_Pose( stages[i]->actor );
		supTransform local = supPose_GetLocal( pose, node );
		supVec3 from = local.scale;
		for ( int step = 0; step < 240; ++step )
		{
			local.scale = supLerp( from, scale, step < 30 ? (float)step / 30.0f : 1.0f );
			supPose_SetLocal( pose, node, local );
			supScene_Step( stages[i]->scene, 1.0f / 60.0f );
		}
	}
	assert_true( AreFinite( flesh ) );
	float most = 0.0f;
	for ( int32_t i = 0; i < MeshOf( flesh )->vertexCount; ++i )
	{
		most = supMaxFloat(
			most, supDistance( supActor_Positions( flesh->actor, 0 )[i], supActor_Positions( skin->actor, 0 )[i] ) );
	}
	return most;
}

// Squash and stretch: rest lengths and volumes follow the scales of bones.
static void test_scaled_bones( void** state )
{
	(void)state;
	testMeasuresOnly();
	supCharacter* character = CreateModel( "tube" );
	Stage skin;
	SetStage( &skin, character, sup_methodDqs, NULL );
	int32_t root = supCharacter_Skin( character, 0 )->joints[0];
	int32_t bone = supCharacter_Skin( character, 0 )->joints[1];
	const supVec3 one = supMakeVec3( 1.0f, 1.0f, 1.0f );
	for ( int softness = 0; softness < 2; ++softness )
	{
		supFleshDef def = FirmFlesh();
		supSoftRegion soft = { .shape = sup_softAll, .softness = 1.0f };
		def.softRegions = softness == 0 ? def.softRegions : &soft;
		Stage flesh;
		SetStage( &flesh, character, sup_methodPosition, &def );
		float rest = ScaleBone( &flesh, &skin, bone, one );
		float whole = ScaleBone( &flesh, &skin, root, supMakeVec3( 2.0f, 2.0f, 2.0f ) );
		ScaleBone( &flesh, &skin, root, one );
		float larger = ScaleBone( &flesh, &skin, bone, supMakeVec3( 1.5f, 1.5f, 1.5f ) );
		float squashed = ScaleBone( &flesh, &skin, bone, supMakeVec3( 0.6f, 1.3f, 1.3f ) );
		ScaleBone( &flesh, &skin, bone, supVec3_zero );
		float back = ScaleBone( &flesh, &skin, bone, one );
		printf( "scaled bones: rest %.5f, whole %.5f, larger %.5f, squashed %.5f, back %.5f m\n", rest, whole, larger,
				squashed, back );
		testLess( rest, 1e-4f );
		testLess( whole, 1e-3f );
		testLess( larger, 0.02f );
		testLess( squashed, 0.02f );
		testLess( back, 1e-3f );
		ClearStage( &flesh );
	}
	ClearStage( &skin );
	supDestroyCharacter( character );
}

// The largest relative change of an edge longer than `least`, over instances that have a skin or over the others.
static float WorstEdge( const Stage* stage, supVec3* const* rest, bool skinned, float least )
{
	float worst = 0.0f;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( stage->character ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( stage->character, i );
		const supMesh* mesh = supCharacter_Mesh( stage->character, instance->mesh );
		const supVec3* now = supActor_Positions( stage->actor, i );
		for ( int32_t k = 0; ( instance->skin >= 0 ) == skinned && k < mesh->indexCount; ++k )
		{
			uint32_t a = mesh->indices[k], b = mesh->indices[k % 3 == 2 ? k - 2 : k + 1];
			float length = supDistance( rest[i][a], rest[i][b] );
			float change = length > least ? fabsf( supDistance( now[a], now[b] ) / length - 1.0f ) : 0.0f;
			worst = supMaxFloat( worst, change );
		}
	}
	return worst;
}

// Parts of a machine, each a mesh that hangs on a joint, so close that one tet reaches from one into the other: what
// another part does is nothing to them, and what is not soft stays as hard as it was made. Its hands are skinned, and
// count as a little soft: of those, edges of 1 % of its size and more.
static void test_rigid_parts( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( testAsset( "characters/RobotExpressive.glb" ), &error );
	testRequire( character != NULL, &error );
	Stage stage;
	SetStage( &stage, character, sup_methodPosition, NULL );
	supScene_Step( stage.scene, 0.0f );
	supVec3* rest[64];
	int32_t count = supCharacter_InstanceCount( character );
	testLessEqual( count, 64 );
	for ( int32_t i = 0; i < count; ++i )
	{
		size_t size = (size_t)supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount *
					  sizeof( supVec3 );
		rest[i] = malloc( size );
		memcpy( rest[i], supActor_Positions( stage.actor, i ), size );
	}
	float shells = 0.0f, hands = 0.0f;
	for ( int i = 0; i < 12; ++i )
	{
		GoTo( &stage, "Dance", 2.0f + (float)i / 30.0f, i == 0 ? 0.0f : 1.0f / 30.0f );
		shells = supMaxFloat( shells, WorstEdge( &stage, rest, false, 1e-4f ) );
		hands = supMaxFloat( hands, WorstEdge( &stage, rest, true, 0.06f ) );
	}
	printf( "a machine: edges change by %.2f %%, of its hands by %.1f %%\n", 100.0 * (double)shells,
			100.0 * (double)hands );
	testLess( shells, 0.01f );
	// the guard lets neighbours differ by 35 % of their distance
	testLess( hands, 0.35f );
	for ( int32_t i = 0; i < count; ++i )
	{
		free( rest[i] );
	}
	ClearStage( &stage );
	supDestroyCharacter( character );
}

// A copy of the body that nothing moves was left in the file: it is no flesh, and where skinning puts it. The clip
// squashes the body by scales and places of joints, which flesh follows.
static void test_still_copy( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( testAsset( "characters/fbx/maya_slime_7500_binary.fbx" ), &error );
	testRequire( character != NULL, &error );
	Stage stages[2];
	SetStage( stages, character, sup_methodPosition, NULL );
	SetStage( stages + 1, character, sup_methodDqs, NULL );
	const supClip* clip = supCharacter_Clip( character, 0 );
	float worst = 0.0f;
	for ( int i = 0; i < 10; ++i )
	{
		for ( int k = 0; k < 2; ++k )
		{
			supPose_ApplyClip( supActor_Pose( stages[k].actor ), clip, 0.2f * (float)i );
			supScene_Step( stages[k].scene, i == 0 ? 0.0f : 0.2f );
		}
		worst = supMaxFloat( worst, supActor_Measure( stages[0].actor ).stretch -
										supActor_Measure( stages[1].actor ).stretch );
	}
	printf( "a still copy: edges change by %.0f %% more than those of the skin\n", 100.0 * (double)worst );
	testLess( worst, 0.3f );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		size_t bytes = (size_t)supCharacter_Mesh( character, instance->mesh )->vertexCount * sizeof( supVec3 );
		bool same =
			memcmp( supActor_Positions( stages[0].actor, i ), supActor_Positions( stages[1].actor, i ), bytes ) == 0;
		assert_true( same == ( instance->skin < 0 ) );
	}
	ClearStage( stages );
	ClearStage( stages + 1 );
	supDestroyCharacter( character );
}

// From a file it is the same flesh, to the bit.
static void test_flesh_file( void** state )
{
	(void)state;
	supCharacter* character = CreateModel( "tube" );
	Stage built, loaded;
	SetStage( &built, character, sup_methodPosition, NULL );
	char folder[256], path[300];
	testMakeFolder( folder );
	snprintf( path, sizeof( path ), "%s/tube.flesh", folder );
	supError error = { 0 };
	testRequire( supSaveFlesh( built.flesh, path, &error ), &error );
	loaded = built;
	loaded.flesh = supLoadFlesh( path, character, &error );
	testRequire( loaded.flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	loaded.scene = supCreateScene( &sceneDef, &error );
	loaded.actor = supScene_AddActor( loaded.scene, loaded.flesh, &error );
	for ( int i = 0; i < 20; ++i )
	{
		GoTo( &built, "bend", 0.05f * (float)i, 1.0f / 60.0f );
		GoTo( &loaded, "bend", 0.05f * (float)i, 1.0f / 60.0f );
	}
	assert_memory_equal( supActor_Positions( built.actor, 0 ), supActor_Positions( loaded.actor, 0 ),
						 (size_t)MeshOf( &built )->vertexCount * sizeof( supVec3 ) );
	ClearStage( &built );
	ClearStage( &loaded );
	testRemoveFolder( folder );
	supDestroyCharacter( character );
}

static bool Attempt( void* context )
{
	supSetting settings = { "tets", 700.0f };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodPosition;
	def.settings = &settings;
	def.settingCount = 1;
	supError error = { 0 };
	supFlesh* flesh = supBuildFlesh( context, &def, NULL, &error );
	assert_true( flesh != NULL || error.code == sup_errorMemory );
	supDestroyFlesh( flesh );
	return flesh != NULL;
}

static void test_out_of_memory( void** state )
{
	(void)state;
	supCharacter* character = CreateModel( "tube" );
	testEachAllocationFailure( Attempt, character, 12 );
	supDestroyCharacter( character );
}

// A real file whose mesh is split along every edge stays in one piece, and keeps its volume.
static void test_split_mesh( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( testAsset( "characters/Fox.glb" ), &error );
	testRequire( character != NULL, &error );
	Stage stage;
	SetStage( &stage, character, sup_methodPosition, NULL );
	const supMesh* mesh = MeshOf( &stage );
	int pairs = 0;
	float volume = 0.0f;
	for ( int i = 0; i < 20; ++i )
	{
		GoTo( &stage, "Run", 0.05f * (float)i, 0.05f );
		volume = supMaxFloat( volume, fabsf( supActor_Measure( stage.actor ).volumeError ) );
	}
	print_message( "fox: volume %.2f %%\n", 100.0 * (double)volume );
	// the guard blends the skin of the tail in its fastest frames, and skinning does not keep the volume
	testLess( volume, 0.02f );
	const supVec3* positions = supActor_Positions( stage.actor, 0 );
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		for ( int32_t k = 0; k < i; ++k )
		{
			if ( memcmp( mesh->positions + i, mesh->positions + k, sizeof( supVec3 ) ) == 0 &&
				 memcmp( mesh->weights + i * mesh->influences, mesh->weights + k * mesh->influences,
						 (size_t)mesh->influences * sizeof( float ) ) == 0 )
			{
				pairs += supDistance( positions[i], positions[k] ) > 0.01f;
			}
		}
	}
	// the fox is 150 m long
	assert_int_equal( pairs, 0 );
	ClearStage( &stage );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Odd bodies

// Two boxes apart, of this many metres, on a chain of which the last bone has no flesh at all.
static supCharacter* MakeIslands( float size )
{
	supVec3 positions[16], normals[16];
	uint32_t indices[72];
	uint16_t joints[16];
	float weights[16];
	static const uint32_t box[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
									  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
	for ( int i = 0; i < 16; ++i )
	{
		positions[i] =
			supMakeVec3( i % 2 == 0 ? -0.5f : 0.5f, ( i / 2 % 2 == 0 ? 0.0f : 1.0f ) + 2.0f * (float)( i / 8 ),
						 i / 4 % 2 == 0 ? -0.5f : 0.5f );
		positions[i] = supScale( size, positions[i] );
		normals[i] = supMakeVec3( 0.0f, 1.0f, 0.0f );
		joints[i] = (uint16_t)( i / 8 );
		weights[i] = 1.0f;
	}
	for ( int i = 0; i < 72; ++i )
	{
		indices[i] = box[i % 36] + 8 * (uint32_t)( i / 36 );
	}
	supNode nodes[4];
	int32_t skinJoints[3] = { 0, 1, 2 };
	supMat34 binds[3];
	for ( int i = 0; i < 3; ++i )
	{
		nodes[i] = ( supNode ){ .name = "bone", .parent = i - 1, .rest = supTransform_identity };
		nodes[i].rest.translation.y = i > 0 ? 2.0f * size : 0.0f;
		binds[i] = supMat34_identity;
		binds[i].t.y = -2.0f * size * (float)i;
	}
	nodes[3] = ( supNode ){ .name = "mesh", .parent = -1, .rest = supTransform_identity };
	supMesh mesh = { .name = "boxes",
					 .vertexCount = 16,
					 .indexCount = 72,
					 .indices = indices,
					 .positions = positions,
					 .normals = normals,
					 .influences = 1,
					 .joints = joints,
					 .weights = weights };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = 4;
	def.nodes = nodes;
	def.skinCount = 1;
	def.skins = &( supSkin ){ .name = "", .jointCount = 3, .joints = skinJoints, .inverseBinds = binds };
	def.meshCount = 1;
	def.meshes = &mesh;
	def.instanceCount = 1;
	def.instances = &( supInstance ){ 3, 0, 0, NULL };
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}

// Firm, all soft, not held at all, not stiff at all; islands, a bone without flesh: finite, and rest when it is over.
static void test_odd_bodies( void** state )
{
	(void)state;
	for ( int run = 0; run < 5; ++run )
	{
		supCharacter* character = MakeIslands( 1.0f );
		supSoftRegion region = { .shape = sup_softAll, .softness = run == 0 ? 0.0f : 1.0f };
		supSetting settings[4] = { { "tets", 600.0f },
								   { run == 2 ? "frequency" : "sag", 0.0f },
								   { run == 3 ? "stretch" : "sag", 0.0f },
								   { "mode", run == 4 ? 1.0f : 0.0f } };
		supFleshDef def = supDefaultFleshDef();
		def.softRegions = &region;
		def.softRegionCount = 1;
		def.settings = settings;
		def.settingCount = 4;
		Stage stage;
		SetStage( &stage, character, sup_methodPosition, &def );
		supVec3 rest[16];
		memcpy( rest, supActor_Positions( stage.actor, 0 ), sizeof( rest ) );
		supPose* pose = supActor_Pose( stage.actor );
		for ( int i = 0; i < 400; ++i )
		{
			for ( int32_t node = 0; node < 3; ++node )
			{
				supTransform local = supPose_GetLocal( pose, node );
				float angle = i < 40 ? 0.05f * (float)i : 0.0f;
				local.rotation = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.2f, 0.5f ), angle );
				supPose_SetLocal( pose, node, local );
			}
			supScene_Step( stage.scene, 1.0f / 60.0f );
			assert_true( AreFinite( &stage ) );
		}
		for ( int i = 0; i < 16 && run != 2; ++i )
		{
			testLess( supDistance( supActor_Positions( stage.actor, 0 )[i], rest[i] ), 0.02f );
		}
		assert_int_equal( supScene_GetStats( stage.scene ).trouble.notFinite, 0 );
		ClearStage( &stage );
		supDestroyCharacter( character );
	}
}

static supFlesh* BuildIslands( float size, supCharacter** character )
{
	supError error = { 0 };
	supSetting setting = { "tets", 600.0f };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodPosition;
	def.settings = &setting;
	def.settingCount = 1;
	*character = MakeIslands( size );
	supFlesh* flesh = supBuildFlesh( *character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	return flesh;
}

// A body of a sixteenth of a millimetre has the constraints of one of a metre: powers of two scale floats exactly, and
// what of them is rounded for devices is so to 10 bits.
static void test_tiny_bodies( void** state )
{
	(void)state;
	supCharacter* characters[2];
	supFlesh* fleshes[2] = { BuildIslands( 1.0f, &characters[0] ), BuildIslands( 0x1p-14f, &characters[1] ) };
	const supPositionFlesh *large = fleshes[0]->own, *small = fleshes[1]->own;
	assert_int_equal( large->volume.packCount, small->volume.packCount );
	for ( int32_t i = 0; i < SUP_PACK * large->volume.packCount; ++i )
	{
		double a = (double)large->volumePacks[i / SUP_PACK].reach[i % SUP_PACK];
		double b = (double)small->volumePacks[i / SUP_PACK].reach[i % SUP_PACK] * 0x1p28;
		testLess( fabs( a - b ), 0x1p-10 * a );
	}
	for ( int32_t i = 0; i < 2; ++i )
	{
		supDestroyFlesh( fleshes[i] );
		supDestroyCharacter( characters[i] );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( test_twist_keeps_the_cross_section ),
		cmocka_unit_test( test_bend_does_not_bulge ),
		cmocka_unit_test( test_volume_of_every_frame ),
		cmocka_unit_test( test_folds_are_quiet ),
		cmocka_unit_test( test_drag ),
		cmocka_unit_test( test_scaled_bones ),
		cmocka_unit_test( test_rigid_parts ),
		cmocka_unit_test( test_still_copy ),
		cmocka_unit_test( test_flesh_file ),
		cmocka_unit_test( test_out_of_memory ),
		cmocka_unit_test( test_split_mesh ),
		cmocka_unit_test( test_odd_bodies ),
		cmocka_unit_test( test_tiny_bodies ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
