// SPDX-License-Identifier: MIT
// Attachments between bodies of different methods: exact, two-way, switched on and off.
#include "lag.h"
#include "support.h"

#include "scene/attachment.h"
#include "volume/binding/surface_binding.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// A method of free particles, one per vertex of the box, that know nothing of each other.

#define BEADS 8

typedef struct BeadState
{
	float x[4 * BEADS];
	float old[4 * BEADS];
	float v[4 * BEADS];
} BeadState;

static const float s_masses[BEADS] = { 1.0f, 2.0f, 0.5f, 4.0f, 1.5f, 3.0f, 0.25f, 1.0f };

static size_t BeadSize( const void* flesh )
{
	(void)flesh;
	return sizeof( BeadState );
}

static void BeadReset( const void* flesh, void* state, supPose* pose, const supTasks* tasks )
{
	(void)flesh;
	BeadState* s = state;
	supVec3 positions[BEADS];
	supSkinInstance( pose, 0, sup_skinningLinear, tasks, &( supSkinOutput ){ .positions = positions } );
	memset( s->v, 0, sizeof( s->v ) );
	for ( int i = 0; i < BEADS; ++i )
	{
		memcpy( s->x + 4 * i, positions + i, sizeof( supVec3 ) );
		// in units of two kilogrammes
		s->x[4 * i + 3] = 2.0f / s_masses[i];
	}
}

static void BeadPredict( const void* flesh, void* state, const supSubstep* step )
{
	(void)flesh;
	BeadState* s = state;
	memcpy( s->old, s->x, sizeof( s->x ) );
	const float g[3] = { step->gravity.x, step->gravity.y, step->gravity.z };
	for ( int i = 0; i < 4 * BEADS; ++i )
	{
		if ( i % 4 != 3 )
		{
			s->v[i] += step->dt * g[i % 4];
			s->x[i] += step->dt * s->v[i];
		}
	}
}

static void BeadFinish( const void* flesh, void* state, const supSubstep* step )
{
	(void)flesh;
	BeadState* s = state;
	for ( int i = 0; i < 4 * BEADS; ++i )
	{
		if ( i % 4 != 3 )
		{
			s->v[i] = ( s->x[i] - s->old[i] ) / step->dt;
		}
	}
}

static void BeadRow( const void* flesh, void* state, supPose* pose, const supSurfacePoint* point, supPlaceRow* row )
{
	(void)flesh;
	(void)pose;
	const BeadState* s = state;
	*row = ( supPlaceRow ){ .isConstant = true };
	for ( int i = 0; i < 3; ++i )
	{
		const float* x = s->x + 4 * point->vertices[i];
		if ( point->weights[i] > 0.0f )
		{
			supPlaceRow_Add( row, point->vertices[i], point->weights[i] );
			row->position = supMulAdd( row->position, point->weights[i], supMakeVec3( x[0], x[1], x[2] ) );
		}
	}
}

static supParticles BeadParticles( const void* flesh, void* state )
{
	(void)flesh;
	return ( supParticles ){ BEADS, ( (BeadState*)state )->x, 2.0f, NULL };
}

static void BeadWrite( const void* flesh, const void* state, supPose* pose, int32_t instance, const supTasks* tasks,
					   const supSkinOutput* output )
{
	(void)flesh;
	const BeadState* s = state;
	supSkinInstance( pose, instance, sup_skinningLinear, tasks, output );
	for ( int i = 0; i < BEADS; ++i )
	{
		memcpy( output->positions + i, s->x + 4 * i, sizeof( supVec3 ) );
	}
}

static const supMethod s_beads = {
	.name = "beads",
	.summary = "free particles at the vertices",
	.stateSize = BeadSize,
	.reset = BeadReset,
	.predict = BeadPredict,
	.finish = BeadFinish,
	.getParticles = BeadParticles,
	.findRow = BeadRow,
	.writeSurface = BeadWrite,
};

// ---------------------------------------------------------------------------------------------------------------------

typedef struct Stage
{
	supCharacter* character;
	supFlesh* beads;
	supFlesh* skin;
	supScene* scene;
	supActor* a;
	supActor* b;
	supActor* skinned;
} Stage;

static Stage MakeStage( supVec3 gravity )
{
	Stage stage = { .character = testMakeBox() };
	supFleshDef fleshDef = supDefaultFleshDef();
	fleshDef.method = sup_methodLbs;
	supError error = { 0 };
	stage.beads = supBuildFleshWith( stage.character, &s_beads, &fleshDef, NULL, &error );
	stage.skin = supBuildFlesh( stage.character, &fleshDef, NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.gravity = gravity;
	sceneDef.substeps = 2;
	stage.scene = supCreateScene( &sceneDef, &error );
	testRequire( stage.scene != NULL, &error );
	stage.a = supScene_AddActor( stage.scene, stage.beads, &error );
	stage.b = supScene_AddActor( stage.scene, stage.beads, &error );
	stage.skinned = supScene_AddActor( stage.scene, stage.skin, &error );
	// b stands beside a
	supTransform local = supPose_GetLocal( supActor_Pose( stage.b ), 0 );
	local.translation.x += 5.0f;
	supPose_SetLocal( supActor_Pose( stage.b ), 0, local );
	supActor_Reset( stage.b );
	return stage;
}

static void DestroyStage( Stage* stage )
{
	supDestroyScene( stage->scene );
	supDestroyFlesh( stage->beads );
	supDestroyFlesh( stage->skin );
	supDestroyCharacter( stage->character );
}

static supPlace OnVertex( supActor* actor, int32_t vertex )
{
	return ( supPlace ){ .kind = sup_placeSurface,
						 .actor = actor,
						 .point = { .vertices = { vertex, vertex, vertex }, .weights = { 1.0f } } };
}

static supPlace OnTriangle( supActor* actor )
{
	return ( supPlace ){ .kind = sup_placeSurface,
						 .actor = actor,
						 .point = { .vertices = { 1, 3, 5 }, .weights = { 0.2f, 0.5f, 0.3f } } };
}

static supAttachment* Join( Stage* stage, supPlace first, supPlace second )
{
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0] = first;
	def.places[1] = second;
	supError error = { 0 };
	supAttachment* attachment = supScene_Attach( stage->scene, &def, &error );
	testRequire( attachment != NULL, &error );
	return attachment;
}

static supVec3 Momentum( const supActor* actor )
{
	const BeadState* s = actor->state;
	supVec3 sum = supVec3_zero;
	for ( int i = 0; i < BEADS; ++i )
	{
		sum = supMulAdd( sum, s_masses[i], supMakeVec3( s->v[4 * i], s->v[4 * i + 1], s->v[4 * i + 2] ) );
	}
	return sum;
}

static void TestNailsAndBones( void** state )
{
	(void)state;
	Stage stage = MakeStage( supMakeVec3( 0.0f, -9.81f, 0.0f ) );
	supPlace world = { .kind = sup_placeWorld, .position = { -3.0f, 4.0f, 1.0f } };
	supPlace bone = { .kind = sup_placeNode, .actor = stage.skinned, .node = 1, .position = { 0.5f, 0.5f, 0.0f } };
	supAttachment* nail = Join( &stage, OnVertex( stage.a, 2 ), world );
	supAttachment* held = Join( &stage, bone, OnTriangle( stage.b ) );
	supAttachment* skin = Join( &stage, OnVertex( stage.a, 7 ), OnTriangle( stage.skinned ) );
	for ( int frame = 0; frame < 50; ++frame )
	{
		testMoveTop( stage.skinned, frame );
		supScene_Step( stage.scene, 1.0f / 60.0f );
		testLess( supAttachment_Gap( nail ), 2e-6f );
		testLess( supAttachment_Gap( held ), 2e-6f );
		testLess( supAttachment_Gap( skin ), 2e-6f );
		testLess( supDistance( supActor_Positions( stage.a, 0 )[2], world.position ), 2e-6f );
		supPlace on = OnTriangle( stage.skinned );
		supVec3 place = supActor_PointPosition( stage.skinned, &on.point );
		testLess( supDistance( supActor_Positions( stage.a, 0 )[7], place ), 2e-6f );
	}
	// a hanging bead of 0.5 kg weighs on its nail; the two beads 1 kg and more that hold the triangle weigh on the bone
	assert_float_equal( supAttachment_Force( nail ).y, 0.5f * 9.81f, 2e-2f );
	supAttachment_SetPlace( nail, 1, supMakeVec3( 1.0f, 2.0f, 3.0f ), NULL );
	supScene_Step( stage.scene, 1.0f / 60.0f );
	testLess( supDistance( supActor_Positions( stage.a, 0 )[2], supMakeVec3( 1.0f, 2.0f, 3.0f ) ), 2e-6f );
	DestroyStage( &stage );
}

// Forces between two bodies are equal and opposite, and the centre of mass of what is joined stays.
static void TestMomentumIsKept( void** state )
{
	(void)state;
	Stage stage = MakeStage( supVec3_zero );
	supAttachment* joint = Join( &stage, OnTriangle( stage.a ), OnVertex( stage.b, 3 ) );
	BeadState* b = stage.b->state;
	for ( int i = 0; i < BEADS; ++i )
	{
		b->v[4 * i + 1] = 3.0f;
		b->v[4 * i + 2] = (float)i;
	}
	supVec3 before = supAdd( Momentum( stage.a ), Momentum( stage.b ) );
	for ( int frame = 0; frame < 100; ++frame )
	{
		supScene_Step( stage.scene, 1.0f / 60.0f );
		testLess( supAttachment_Gap( joint ), 1e-5f );
		supVec3 now = supAdd( Momentum( stage.a ), Momentum( stage.b ) );
		testLess( supDistance( now, before ), 2e-3f );
	}
	testGreater( supLength( Momentum( stage.a ) ), 0.1f );
	DestroyStage( &stage );
}

// Three places of different weight meet in their centre of mass.
static void TestJoinsOfSeveral( void** state )
{
	(void)state;
	Stage stage = MakeStage( supVec3_zero );
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 3;
	def.places[0] = OnVertex( stage.a, 0 );
	def.places[1] = OnVertex( stage.b, 3 );
	def.places[2] = OnVertex( stage.a, 6 );
	supVec3 center = supVec3_zero;
	const float masses[3] = { s_masses[0], s_masses[3], s_masses[6] };
	const int32_t vertices[3] = { 0, 3, 6 };
	for ( int i = 0; i < 3; ++i )
	{
		supVec3 p = supActor_Positions( i == 1 ? stage.b : stage.a, 0 )[vertices[i]];
		center = supMulAdd( center, masses[i] / ( masses[0] + masses[1] + masses[2] ), p );
	}
	supAttachment* joint = supScene_Attach( stage.scene, &def, NULL );
	supScene_Step( stage.scene, 0.01f );
	testLess( supAttachment_Gap( joint ), 2e-6f );
	testLess( supDistance( supActor_Positions( stage.a, 0 )[6], center ), 4e-6f );
	DestroyStage( &stage );
}

static void TestAssembly( void** state )
{
	(void)state;
	Stage stage = MakeStage( supVec3_zero );
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0] = OnVertex( stage.a, 2 );
	def.places[1] = OnVertex( stage.b, 2 );
	def.assembly = 0.5f;
	def.active = false;
	supAttachment* joint = supScene_Attach( stage.scene, &def, NULL );
	supScene_Step( stage.scene, 0.1f );
	assert_true( supAttachment_Gap( joint ) == 0.0f );
	assert_true( supActor_Positions( stage.a, 0 )[2].x == -1.0f );
	supAttachment_SetActive( joint, true );
	float last = 5.0f;
	for ( int frame = 1; frame <= 60; ++frame )
	{
		supScene_Step( stage.scene, 0.01f );
		float gap = supAttachment_Gap( joint );
		// evenly, and then not at all; the first substep takes the measure
		float expected = 5.0f * ( 1.0f - ( 0.01f * (float)frame - 0.005f ) / 0.5f );
		assert_float_equal( gap, expected > 0.0f ? expected : 0.0f, 1e-4f );
		testLessEqual( gap, last + 1e-6f );
		last = gap;
	}
	// let go: it goes on as it moved
	supAttachment_SetActive( joint, false );
	assert_false( supAttachment_IsActive( joint ) );
	DestroyStage( &stage );
}

static void TestLeash( void** state )
{
	(void)state;
	Stage stage = MakeStage( supMakeVec3( 0.0f, -9.81f, 0.0f ) );
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0] = OnVertex( stage.a, 2 );
	def.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = supActor_Positions( stage.a, 0 )[2] };
	def.slack = 0.5f;
	supAttachment* leash = supScene_Attach( stage.scene, &def, NULL );
	float fall = 0.0f;
	for ( int frame = 0; frame < 100; ++frame )
	{
		supScene_Step( stage.scene, 0.01f );
		fall = def.places[1].position.y - supActor_Positions( stage.a, 0 )[2].y;
		testLess( fall, 0.5f + 1e-5f );
		testLess( supAttachment_Gap( leash ), 1e-5f );
		if ( frame == 20 )
		{
			// 21 frames of free fall, and no pull yet
			assert_float_equal( fall, 0.5f * 9.81f * 0.21f * 0.21f, 0.02f );
			assert_true( supLength( supAttachment_Force( leash ) ) == 0.0f );
		}
	}
	assert_float_equal( fall, 0.5f, 1e-4f );
	DestroyStage( &stage );
}

static void TestSlidingAndVelocity( void** state )
{
	(void)state;
	Stage stage = MakeStage( supMakeVec3( 0.0f, -9.81f, 0.0f ) );
	supAttachmentDef def = supDefaultAttachmentDef();
	def.kind = sup_attachmentSlide;
	def.placeCount = 2;
	def.places[0] = OnVertex( stage.a, 2 );
	def.places[1] = OnVertex( stage.skinned, 0 );
	supAttachment* slide = supScene_Attach( stage.scene, &def, NULL );
	def.kind = sup_attachmentVelocity;
	def.placeCount = 1;
	def.places[0] = OnVertex( stage.b, 4 );
	def.velocity = supMakeVec3( 0.5f, 0.0f, -0.25f );
	supScene_Attach( stage.scene, &def, NULL );
	supVec3 start = supActor_Positions( stage.b, 0 )[4];
	float before = supActor_Positions( stage.a, 0 )[2].y;
	for ( int frame = 1; frame <= 30; ++frame )
	{
		supScene_Step( stage.scene, 0.01f );
		testLess( supAttachment_Gap( slide ), 1e-5f );
		supVec3 expected = supMulAdd( start, 0.01f * (float)frame, def.velocity );
		testLess( supDistance( supActor_Positions( stage.b, 0 )[4], expected ), 1e-5f );
	}
	// down along the side of the box, as if nothing held it
	float fall = before - supActor_Positions( stage.a, 0 )[2].y;
	assert_float_equal( fall, 0.5f * 9.81f * 0.3f * 0.3f, 0.02f );
	DestroyStage( &stage );
}

static void Refuse( Stage* stage, const supAttachmentDef* def, const char* words )
{
	supError error = { 0 };
	assert_null( supScene_Attach( stage->scene, def, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_non_null( strstr( error.message, words ) );
	assert_string_equal( error.where, def->name );
}

static void TestBadAttachments( void** state )
{
	(void)state;
	Stage stage = MakeStage( supVec3_zero );
	supAttachmentDef def = supDefaultAttachmentDef();
	def.name = "strap";
	def.places[0] = OnVertex( stage.a, 2 );
	Refuse( &stage, &def, "0 places" );
	def.placeCount = 2;
	def.places[1] = def.places[0];
	Refuse( &stage, &def, "itself" );
	def.places[1] = OnVertex( stage.b, 8 );
	Refuse( &stage, &def, "no triangle" );
	def.places[1] = ( supPlace ){ .kind = sup_placeNode, .actor = stage.b, .node = 99 };
	Refuse( &stage, &def, "node 99" );
	def.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = { NAN, 0, 0 } };
	Refuse( &stage, &def, "not a number" );
	def.places[0] = OnVertex( stage.skinned, 1 );
	def.places[1] = ( supPlace ){ .kind = sup_placeWorld };
	Refuse( &stage, &def, "none of its places can be moved" );
	def.places[0] = OnVertex( stage.a, 1 );
	def.kind = sup_attachmentSlide;
	Refuse( &stage, &def, "on a surface" );
	def.kind = sup_attachmentLine;
	Refuse( &stage, &def, "takes 3 to 3" );
	def.kind = (supAttachmentKind)17;
	Refuse( &stage, &def, "unknown kind of attachment: 17" );
	def.kind = sup_attachmentJoin;
	def.breakingForce = 0.0f;
	Refuse( &stage, &def, "above 0 N (got 0)" );
	def.breakingForce = NAN;
	Refuse( &stage, &def, "above 0 N" );
	def.breakingForce = INFINITY;
	def.slack = -1.0f;
	Refuse( &stage, &def, "negative" );
	def.slack = 0.0f;
	def.places[0].kind = (supPlaceKind)9;
	Refuse( &stage, &def, "unknown kind of place: 9" );
	def.places[0].kind = sup_placeInside;
	def.places[0].share = NAN;
	Refuse( &stage, &def, "0 to 1" );
	def.places[0].share = 0.5f;
	def.places[0].opposite.vertices[1] = -1;
	Refuse( &stage, &def, "no triangle" );
	def.places[0] = OnVertex( stage.a, 1 );
	def.places[0].radius = NAN;
	Refuse( &stage, &def, "radius must be 0 m or more" );
	def.places[0] = OnVertex( stage.a, 1 );
	def.places[0].point.weights[0] = 0.5f;
	Refuse( &stage, &def, "no triangle" );
	def.places[0] = OnVertex( NULL, 1 );
	Refuse( &stage, &def, "on no actor" );
	def.places[0] = ( supPlace ){ .kind = sup_placeNode, .actor = stage.a, .position = { 0, NAN, 0 } };
	Refuse( &stage, &def, "not a number" );
	def.places[0] = OnVertex( stage.a, 1 );
	def.placeCount = SUP_MAX_ATTACHED_PLACES + 1;
	Refuse( &stage, &def, "takes 2 to 64" );
	Stage other = MakeStage( supVec3_zero );
	def.placeCount = 2;
	def.places[0] = OnVertex( other.a, 1 );
	Refuse( &stage, &def, "another scene" );
	DestroyStage( &other );
	DestroyStage( &stage );
}

static void RefusePlace( supAttachment* nail, int32_t place, supVec3 position, const char* words )
{
	supError error = { 0 };
	assert_false( supAttachment_SetPlace( nail, place, position, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_non_null( strstr( error.message, words ) );
	assert_string_equal( error.where, supAttachment_Name( nail ) );
}

// A target that is no place leaves the nail where it is.
static void TestBadTargets( void** state )
{
	(void)state;
	Stage stage = MakeStage( supVec3_zero );
	supVec3 place = supActor_Positions( stage.a, 0 )[2];
	supPlace world = { .kind = sup_placeWorld, .position = place };
	supAttachment* nail = Join( &stage, OnVertex( stage.a, 2 ), world );
	RefusePlace( nail, 1, supMakeVec3( NAN, 0.0f, 0.0f ), "[nan, 0, 0] is not finite" );
	RefusePlace( nail, 1, supMakeVec3( 0.0f, INFINITY, 0.0f ), "not finite" );
	RefusePlace( nail, 0, place, "on a body" );
	RefusePlace( nail, 2, place, "no place 2" );
	RefusePlace( nail, -1, place, "no place -1" );
	supScene_Step( stage.scene, 0.01f );
	testLess( supDistance( supActor_Positions( stage.a, 0 )[2], place ), 1e-6f );
	DestroyStage( &stage );
}

// Whichever allocation fails: an error, and what was attached before holds on.
static void TestOutOfMemory( void** state )
{
	(void)state;
	testHeap heap;
	testInstallHeap( &heap );
	Stage stage = MakeStage( supMakeVec3( 0.0f, -9.81f, 0.0f ) );
	supAttachment* keep = Join( &stage, OnTriangle( stage.a ), OnTriangle( stage.skinned ) );
	supScene_Step( stage.scene, 0.01f );
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0] = OnVertex( stage.a, 2 );
	def.places[1] = OnTriangle( stage.b );
	int failures = 0;
	for ( supAttachment* made = NULL; made == NULL; ++failures )
	{
		supError error = { 0 };
		heap.failAt = heap.allocations + failures;
		made = supScene_Attach( stage.scene, &def, &error );
		assert_int_equal( error.code, made != NULL ? sup_errorNone : sup_errorMemory );
		// and where there is no room for the system that they share, they do without
		heap.failAt = made != NULL ? heap.allocations : -1;
		supScene_Step( stage.scene, 0.01f );
		heap.failAt = -1;
		testLess( supAttachment_Gap( keep ), 1e-5f );
		assert_true( made == NULL || supAttachment_Gap( made ) < 1e-5f );
		testLess( failures, 100 );
	}
	testGreater( failures, 1 );
	DestroyStage( &stage );
	testUninstallHeap( &heap );
}

// One that was switched off goes, and the others hold on.
static void TestRemovingInactive( void** state )
{
	(void)state;
	Stage stage = MakeStage( supMakeVec3( 0.0f, -9.81f, 0.0f ) );
	supAttachment* keep = Join( &stage, OnTriangle( stage.a ), OnTriangle( stage.skinned ) );
	supAttachment* off = Join( &stage, OnVertex( stage.a, 2 ), OnVertex( stage.b, 1 ) );
	supAttachment_SetActive( off, false );
	for ( int frame = 0; frame < 20; ++frame )
	{
		if ( frame == 5 )
		{
			supScene_Detach( stage.scene, off );
		}
		supScene_Step( stage.scene, 0.01f );
		supSurfacePoint point = OnTriangle( stage.a ).point;
		supVec3 held = supActor_PointPosition( stage.skinned, &point );
		testLess( supDistance( supActor_PointPosition( stage.a, &point ), held ), 1e-5f );
	}
	testLess( supAttachment_Gap( keep ), 1e-5f );
	DestroyStage( &stage );
}

static char s_warning[512];

static void KeepWarning( supLogLevel level, const char* message, void* context )
{
	(void)level;
	*(int32_t*)context += 1;
	snprintf( s_warning, sizeof( s_warning ), "%s", message );
}

// Skin on particles that cannot move stays where it is: with a warning, and with a gap that says so.
static void TestSkinThatCannotMove( void** state )
{
	(void)state;
	int32_t warnings = 0;
	Stage stage = MakeStage( supVec3_zero );
	( (BeadState*)stage.a->state )->x[4 * 5 + 3] = 0.0f;
	supVec3 start = supActor_Positions( stage.a, 0 )[5];
	supSetLog( KeepWarning, &warnings );
	supPlace nail = { .kind = sup_placeWorld, .position = supAdd( start, supMakeVec3( 0.5f, 0.0f, 0.0f ) ) };
	supAttachment* attachment = Join( &stage, OnVertex( stage.a, 5 ), nail );
	supSetLog( NULL, NULL );
	assert_int_equal( warnings, 1 );
	assert_non_null( strstr( s_warning, "hangs nearly all on bones" ) );
	supScene_Step( stage.scene, 0.01f );
	assert_float_equal( supDistance( supActor_Positions( stage.a, 0 )[5], start ), 0.0f, 1e-6f );
	assert_float_equal( supAttachment_Gap( attachment ), 0.5f, 1e-6f );
	DestroyStage( &stage );
}

// Attachments that share flesh are met at once, as long as they do not contradict each other.
static void TestSharedFlesh( void** state )
{
	(void)state;
	Stage stage = MakeStage( supVec3_zero );
	int32_t warnings = 0;
	supSetLog( KeepWarning, &warnings );
	const char* names[3] = { "strap", "belt", "elsewhere" };
	supAttachment* attachments[3];
	for ( int i = 0; i < 3; ++i )
	{
		supAttachmentDef def = supDefaultAttachmentDef();
		def.name = names[i];
		def.placeCount = 2;
		def.places[0] = i == 0 ? OnTriangle( stage.a ) : OnVertex( stage.a, i == 1 ? 3 : 0 );
		supVec3 place = supActor_PointPosition( stage.a, &def.places[0].point );
		def.places[1] = ( supPlace ){ .kind = sup_placeWorld,
									  .position = supAdd( place, supMakeVec3( 0, 0.1f * (float)( i + 1 ), 0 ) ) };
		attachments[i] = supScene_Attach( stage.scene, &def, NULL );
	}
	for ( int frame = 0; frame < 5; ++frame )
	{
		supScene_Step( stage.scene, 0.01f );
		for ( int i = 0; i < 3; ++i )
		{
			testLess( supAttachment_Gap( attachments[i] ), 1e-6f );
		}
	}
	supSetLog( NULL, NULL );
	assert_int_equal( warnings, 0 );
	DestroyStage( &stage );
}

// One place cannot be in two: named once, and the gap is what is drawn.
static void TestContradictions( void** state )
{
	(void)state;
	for ( int onPoint = 0; onPoint < 2; ++onPoint )
	{
		Stage stage = MakeStage( supVec3_zero );
		int32_t warnings = 0;
		supSetLog( KeepWarning, &warnings );
		const char* names[2] = { "left", "right" };
		supAttachment* attachments[2];
		supVec3 nails[2];
		supPlace place = onPoint ? OnVertex( stage.a, 3 ) : OnTriangle( stage.a );
		for ( int i = 0; i < 2; ++i )
		{
			nails[i] = supAdd( supActor_PointPosition( stage.a, &place.point ), supMakeVec3( i ? 1.0f : -1.0f, 0, 0 ) );
			supAttachmentDef def = supDefaultAttachmentDef();
			def.name = names[i];
			def.placeCount = 2;
			def.places[0] = place;
			def.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = nails[i] };
			attachments[i] = supScene_Attach( stage.scene, &def, NULL );
		}
		for ( int frame = 0; frame < 5; ++frame )
		{
			supScene_Step( stage.scene, 0.01f );
		}
		supSetLog( NULL, NULL );
		assert_int_equal( warnings, 1 );
		assert_non_null( strstr( s_warning, "'left' and 'right'" ) );
		for ( int i = 0; i < 2; ++i )
		{
			float drawn = supDistance( supActor_PointPosition( stage.a, &place.point ), nails[i] );
			assert_float_equal( supAttachment_Gap( attachments[i] ), drawn, 1e-6f );
		}
		DestroyStage( &stage );
	}
}

// A bead of half a kilogramme hangs on a thread that bears 4.5 N, then one that bears 5.5 N: it weighs 4.9 N.
static void TestBreaking( void** state )
{
	(void)state;
	for ( int strong = 0; strong < 2; ++strong )
	{
		Stage stage = MakeStage( supMakeVec3( 0.0f, -9.81f, 0.0f ) );
		supAttachmentDef def = supDefaultAttachmentDef();
		def.placeCount = 2;
		def.places[0] = OnVertex( stage.a, 2 );
		def.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = supActor_Positions( stage.a, 0 )[2] };
		def.breakingForce = strong ? 5.5f : 4.5f;
		supAttachment* thread = supScene_Attach( stage.scene, &def, NULL );
		for ( int frame = 0; frame < 10; ++frame )
		{
			supScene_Step( stage.scene, 0.01f );
		}
		assert_int_equal( supAttachment_IsBroken( thread ), strong == 0 );
		assert_int_equal( supAttachment_IsActive( thread ), strong == 1 );
		float fall = def.places[1].position.y - supActor_Positions( stage.a, 0 )[2].y;
		assert_true( strong ? fall < 1e-6f : fall > 0.02f );
		// mended where it is now
		supAttachment_SetPlace( thread, 1, supActor_Positions( stage.a, 0 )[2], NULL );
		supAttachment_SetActive( thread, true );
		assert_false( supAttachment_IsBroken( thread ) );
		DestroyStage( &stage );
	}
}

// Twenty places of many bodies at once, and made and cut while it runs.
static void TestManyPlaces( void** state )
{
	(void)state;
	Stage stage = MakeStage( supVec3_zero );
	supError error = { 0 };
	supAttachmentDef def = supDefaultAttachmentDef();
	for ( int i = 0; i < 20; ++i )
	{
		supActor* actor = supScene_AddActor( stage.scene, stage.beads, &error );
		testRequire( actor != NULL, &error );
		def.places[def.placeCount++] = i % 2 == 0 ? OnVertex( actor, i % BEADS ) : OnTriangle( actor );
	}
	for ( int round = 0; round < 3; ++round )
	{
		supAttachment* knot = supScene_Attach( stage.scene, &def, &error );
		testRequire( knot != NULL, &error );
		supScene_Step( stage.scene, 0.01f );
		supScene_Step( stage.scene, 0.01f );
		testLess( supAttachment_Gap( knot ), 4e-6f );
		supScene_Detach( stage.scene, knot );
		supScene_Step( stage.scene, 0.01f );
	}
	DestroyStage( &stage );
}

static void TestActorsThatGo( void** state )
{
	(void)state;
	Stage stage = MakeStage( supVec3_zero );
	supAttachment* keep = Join( &stage, OnVertex( stage.a, 1 ), OnVertex( stage.skinned, 1 ) );
	Join( &stage, OnVertex( stage.a, 2 ), OnVertex( stage.b, 1 ) );
	supScene_RemoveActor( stage.scene, stage.b );
	supScene_Step( stage.scene, 0.01f );
	testLess( supAttachment_Gap( keep ), 2e-6f );
	assert_string_equal( supAttachment_Name( keep ), "attachment" );
	supScene_Detach( stage.scene, keep );
	supScene_Step( stage.scene, 0.01f );
	DestroyStage( &stage );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestNailsAndBones ),
		cmocka_unit_test( TestMomentumIsKept ),
		cmocka_unit_test( TestJoinsOfSeveral ),
		cmocka_unit_test( TestAssembly ),
		cmocka_unit_test( TestLeash ),
		cmocka_unit_test( TestSlidingAndVelocity ),
		cmocka_unit_test( TestBadAttachments ),
		cmocka_unit_test( TestBadTargets ),
		cmocka_unit_test( TestRemovingInactive ),
		cmocka_unit_test( TestOutOfMemory ),
		cmocka_unit_test( TestActorsThatGo ),
		cmocka_unit_test( TestBreaking ),
		cmocka_unit_test( TestManyPlaces ),
		cmocka_unit_test( TestSkinThatCannotMove ),
		cmocka_unit_test( TestSharedFlesh ),
		cmocka_unit_test( TestContradictions ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
