// SPDX-License-Identifier: MIT
// Attachments hold what one sees: all kinds on all methods, measured on the drawn surface of a bending tube.
#include "models/models.h"
#include "support.h"

#include "supple/supple.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The tube is a metre long. A hundredth of a millimetre on 2 m is what nobody sees; half of that here.
#define DRAWN_ERROR 5e-6f

static const supMethodId s_methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints,
										 sup_methodFem,      sup_methodLayered, sup_methodModes };

#define METHODS 6

static supCharacter* s_tube;
static supFlesh* s_fleshes[METHODS];

static int Build( void** state )
{
	(void)state;
	supError error = { 0 };
	s_tube = supFindModel( "tube" )->create( &error );
	testRequire( s_tube != NULL, &error );
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		supFleshDef def = supDefaultFleshDef();
		const supSetting few = { "tets", 1500.0f };
		def.method = s_methods[m];
		def.settings = &few;
		def.settingCount = def.method == sup_methodPosition || def.method == sup_methodPoints;
		s_fleshes[m] = supBuildFlesh( s_tube, &def, NULL, &error );
		testRequire( s_fleshes[m] != NULL, &error );
	}
	return 0;
}

static int Free( void** state )
{
	(void)state;
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		supDestroyFlesh( s_fleshes[m] );
	}
	supDestroyCharacter( s_tube );
	return 0;
}

typedef struct Stage
{
	supScene* scene;
	supActor* actor;
	supActor* other; // beside it
} Stage;

static Stage Start( int32_t method, int32_t other )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.substeps = 2;
	Stage stage = { .scene = supCreateScene( &def, &error ) };
	stage.actor = supScene_AddActor( stage.scene, s_fleshes[method], &error );
	stage.other = supScene_AddActor( stage.scene, s_fleshes[other], &error );
	testRequire( stage.actor != NULL && stage.other != NULL, &error );
	supPose* pose = supActor_Pose( stage.other );
	supTransform local = supPose_GetLocal( pose, 0 );
	local.translation.x += 0.3f;
	supPose_SetLocal( pose, 0, local );
	supActor_Reset( stage.other );
	return stage;
}

// The upper bone swings to and fro, so that the skin around the middle is skinned, stretched and shaken.
static void Step( Stage* stage, int32_t frame )
{
	int32_t node = supCharacter_Skin( s_tube, 0 )->joints[1];
	for ( int32_t i = 0; i < 2; ++i )
	{
		supPose* pose = supActor_Pose( i == 0 ? stage->actor : stage->other );
		supTransform local = supPose_GetLocal( pose, node );
		float angle = 0.3f * sinf( 0.2f * (float)frame );
		local.rotation = ( supQuat ){ 0.0f, 0.0f, sinf( 0.5f * angle ), cosf( 0.5f * angle ) };
		supPose_SetLocal( pose, node, local );
	}
	supScene_Step( stage->scene, 1.0f / 60.0f );
}

// A place inside a triangle of the surface, about `height` along the tube: the one that faces `towards` most.
static supPlace FindPlace( supActor* actor, float height, supVec3 towards )
{
	const supMesh* mesh = supCharacter_Mesh( s_tube, 0 );
	const supVec3* p = supActor_Positions( actor, 0 );
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		box = supBox_Include( box, p[i] );
	}
	supVec3 size = supBox_Size( box ), middle = supLerp( box.lower, box.upper, 0.5f );
	bool isUpright = size.y > size.x;
	supVec3 wanted = middle;
	*( isUpright ? &wanted.y : &wanted.x ) += ( height - 0.5f ) * supMaxFloat( size.x, size.y );
	wanted = supMulAdd( wanted, 0.5f * supMinFloat( size.x, size.y ), towards );
	supPlace place = { .kind = sup_placeSurface, .actor = actor };
	assert_true( supActor_FindNearest( actor, wanted, &place.point ) );
	// somewhere within, and not at a corner
	for ( int32_t i = 0; i < 3; ++i )
	{
		place.point.weights[i] = ( place.point.weights[i] + 0.5f ) / 2.5f;
	}
	return place;
}

static supVec3 Drawn( const supPlace* place )
{
	return place->kind == sup_placeWorld ? place->position : supActor_PointPosition( place->actor, &place->point );
}

static supAttachment* Attach( Stage* stage, const supAttachmentDef* def )
{
	supError error = { 0 };
	supAttachment* attachment = supScene_Attach( stage->scene, def, &error );
	testRequire( attachment != NULL, &error );
	return attachment;
}

static const supVec3 s_front = { 0.0f, 0.0f, 1.0f };
static const supVec3 s_back = { 0.0f, 0.0f, -1.0f };

// A nail that moves by 3 cm within a third of a second, and then stays while the bones move on.
static void NailsHold( void** state )
{
	(void)state;
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		Stage stage = Start( m, m );
		supAttachmentDef def = supDefaultAttachmentDef();
		def.placeCount = 2;
		def.places[0] = FindPlace( stage.actor, 0.55f, s_front );
		supVec3 start = Drawn( def.places );
		def.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = start };
		supAttachment* nail = Attach( &stage, &def );
		for ( int32_t frame = 1; frame <= testRounds( 40, 8 ); ++frame )
		{
			supVec3 goal =
				supAdd( start, supMakeVec3( 0.0f, 0.0f, 0.03f * supMinFloat( (float)frame / 20.0f, 1.0f ) ) );
			supAttachment_SetPlace( nail, 1, goal, NULL );
			Step( &stage, frame );
			float error = supDistance( Drawn( def.places ), goal );
			testLess( error, DRAWN_ERROR );
			assert_float_equal( supAttachment_Gap( nail ), error, 1e-7f );
		}
		testGreater( supLength( supAttachment_Force( nail ) ), 0.01f );
		supDestroyScene( stage.scene );
	}
}

// A drag takes the drawn point to its target and holds it there, while the bones move on.
static void DragsHold( void** state )
{
	(void)state;
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		Stage stage = Start( m, m );
		supPlace place = FindPlace( stage.actor, 0.55f, s_front );
		supVec3 target = supAdd( Drawn( &place ), supMakeVec3( 0.0f, 0.02f, 0.03f ) );
		supDragDef def = supDefaultDragDef( stage.actor, &place.point );
		supDragId drag = supActor_StartDrag( stage.actor, &def );
		testGreaterEqual( drag, 0 );
		supActor_MoveDrag( stage.actor, drag, target );
		for ( int32_t frame = 1; frame <= testRounds( 40, 8 ); ++frame )
		{
			Step( &stage, frame );
			assert_true( frame < 20 || supDistance( Drawn( &place ), target ) < DRAWN_ERROR );
		}
		supActor_EndDrag( stage.actor, drag );
		Step( &stage, 41 );
		testGreater( supDistance( Drawn( &place ), target ), DRAWN_ERROR );
		supDestroyScene( stage.scene );
	}
}

// Skin that is pulled along its girth takes the skin behind with it a little, and does not roll it about the bone the
// other way, as flesh that is held only near the axis would.
static void SkinDoesNotRoll( void** state )
{
	(void)state;
	testMeasuresOnly();
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		Stage stage = Start( m, m );
		supPlace front = FindPlace( stage.actor, 0.75f, s_front ), back = FindPlace( stage.actor, 0.75f, s_back );
		supVec3 frontStart = Drawn( &front ), backStart = Drawn( &back ), along = supMakeVec3( 1.0f, 0.0f, 0.0f );
		supDragDef def = supDefaultDragDef( stage.actor, &front.point );
		supDragId drag = supActor_StartDrag( stage.actor, &def );
		supActor_MoveDrag( stage.actor, drag, supMulAdd( frontStart, 0.03f, along ) );
		for ( int32_t frame = 0; frame < 60; ++frame )
		{
			supScene_Step( stage.scene, 1.0f / 60.0f );
		}
		float turned = supDot( supSub( Drawn( &back ), backStart ), along );
		print_message( "%s: 30 mm in front, %.2f mm behind\n", supMethodName( s_methods[m] ), 1e3 * (double)turned );
		testGreater( turned, -0.1f * 0.03f );
		supDestroyScene( stage.scene );
	}
}

// A place in the middle of the flesh, between the skin in front and that at the back.
static void InsidePlacesHold( void** state )
{
	(void)state;
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		Stage stage = Start( m, m );
		supPlace skin = FindPlace( stage.actor, 0.55f, s_front ), inside;
		supVec3 start = supSub( Drawn( &skin ), supMakeVec3( 0.0f, 0.0f, 0.02f ) );
		assert_true( supActor_FindInside( stage.actor, start, &inside ) );
		assert_false( supActor_FindInside( stage.actor, supMakeVec3( 0.0f, 0.0f, 3.0f ), &skin ) );
		supAttachmentDef def = supDefaultAttachmentDef();
		def.placeCount = 2;
		def.places[0] = inside;
		def.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = start };
		supAttachment* nail = Attach( &stage, &def );
		for ( int32_t frame = 1; frame <= testRounds( 30, 8 ); ++frame )
		{
			supVec3 goal = supMulAdd( start, 0.001f * supMinFloat( (float)frame, 15.0f ), s_front );
			supAttachment_SetPlace( nail, 1, goal, NULL );
			Step( &stage, frame );
			supVec3 drawn = supLerp( supActor_PointPosition( stage.actor, &inside.point ),
									 supActor_PointPosition( stage.actor, &inside.opposite ), inside.share );
			testLess( supDistance( drawn, goal ), DRAWN_ERROR );
			assert_float_equal( supAttachment_Gap( nail ), supDistance( drawn, goal ), 1e-7f );
		}
		supDestroyScene( stage.scene );
	}
}

// Skin of each method on skin of the next: two places become one, where both are drawn.
static void BodiesMeet( void** state )
{
	(void)state;
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		Stage stage = Start( m, ( m + 1 ) % METHODS );
		supAttachmentDef def = supDefaultAttachmentDef();
		def.placeCount = 2;
		def.places[0] = FindPlace( stage.actor, 0.6f, supMakeVec3( 1.0f, 0.0f, 0.0f ) );
		def.places[1] = FindPlace( stage.other, 0.6f, supMakeVec3( -1.0f, 0.0f, 0.0f ) );
		def.assembly = 0.3f;
		supAttachment* join = Attach( &stage, &def );
		for ( int32_t frame = 1; frame <= testRounds( 40, 8 ); ++frame )
		{
			Step( &stage, frame );
			float error = supDistance( Drawn( def.places ), Drawn( def.places + 1 ) );
			assert_float_equal( supAttachment_Gap( join ), error, 1e-7f );
			assert_true( frame < 20 || error < DRAWN_ERROR );
		}
		supDestroyScene( stage.scene );
	}
}

// Four places, of two bodies and the world, at once.
static void SeveralMeet( void** state )
{
	(void)state;
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		Stage stage = Start( m, m );
		supAttachmentDef def = supDefaultAttachmentDef();
		def.placeCount = 4;
		def.places[0] = FindPlace( stage.actor, 0.5f, s_front );
		def.places[1] = FindPlace( stage.actor, 0.56f, s_front );
		def.places[2] = FindPlace( stage.other, 0.5f, s_front );
		supVec3 middle = supLerp( Drawn( def.places ), Drawn( def.places + 1 ), 0.5f );
		def.places[3] = ( supPlace ){ .kind = sup_placeWorld, .position = middle };
		def.assembly = 0.3f;
		Attach( &stage, &def );
		for ( int32_t frame = 1; frame <= testRounds( 30, 8 ); ++frame )
		{
			Step( &stage, frame );
			for ( int32_t i = 0; i < 3 && frame > 20; ++i )
			{
				testLess( supDistance( Drawn( def.places + i ), middle ), DRAWN_ERROR );
			}
		}
		supDestroyScene( stage.scene );
	}
}

static void LinesAndTrianglesHold( void** state )
{
	(void)state;
	for ( int32_t m = 0; m < 2 * METHODS; ++m )
	{
		Stage stage = Start( m % METHODS, m % METHODS );
		supAttachmentDef def = supDefaultAttachmentDef();
		def.kind = m < METHODS ? sup_attachmentLine : sup_attachmentTriangle;
		def.placeCount = m < METHODS ? 3 : 4;
		def.places[0] = FindPlace( stage.actor, 0.55f, s_front );
		supVec3 start = Drawn( def.places );
		def.places[1] = FindPlace( stage.other, 0.45f, s_front );
		def.places[2] =
			( supPlace ){ .kind = sup_placeWorld, .position = supAdd( start, supMakeVec3( -0.2f, 0.05f, 0.02f ) ) };
		def.places[3] =
			( supPlace ){ .kind = sup_placeWorld, .position = supAdd( start, supMakeVec3( 0.0f, -0.3f, 0.01f ) ) };
		supAttachment* on = Attach( &stage, &def );
		for ( int32_t frame = 1; frame <= testRounds( 30, 8 ); ++frame )
		{
			Step( &stage, frame );
			supVec3 a = Drawn( def.places + 1 ), b = Drawn( def.places + 2 ), p = Drawn( def.places );
			supVec3 normal = m < METHODS
								 ? supNormalize( supSub( b, a ) )
								 : supNormalize( supCross( supSub( b, a ), supSub( Drawn( def.places + 3 ), a ) ) );
			float along = supDot( normal, supSub( p, a ) ), whole = supDistance( p, a );
			float error = m < METHODS ? sqrtf( supMaxFloat( whole * whole - along * along, 0.0f ) ) : fabsf( along );
			// the root of a difference of squares
			testLess( error, ( m < METHODS ? 3e-4f : DRAWN_ERROR ) );
			testLess( supAttachment_Gap( on ), DRAWN_ERROR );
		}
		supDestroyScene( stage.scene );
	}
}

static void PlacesSlide( void** state )
{
	(void)state;
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		Stage stage = Start( m, ( m + 2 ) % METHODS );
		supAttachmentDef def = supDefaultAttachmentDef();
		def.kind = sup_attachmentSlide;
		def.placeCount = 2;
		def.places[0] = FindPlace( stage.actor, 0.55f, supMakeVec3( 1.0f, 0.0f, 0.0f ) );
		def.places[1] = FindPlace( stage.other, 0.55f, supMakeVec3( -1.0f, 0.0f, 0.0f ) );
		supAttachment* slide = Attach( &stage, &def );
		for ( int32_t frame = 1; frame <= testRounds( 20, 8 ); ++frame )
		{
			Step( &stage, frame );
			supPlace nearest = def.places[1];
			supActor_FindNearest( stage.other, Drawn( def.places ), &nearest.point );
			testLess( supDistance( Drawn( def.places ), Drawn( &nearest ) ), DRAWN_ERROR );
			testLess( supAttachment_Gap( slide ), DRAWN_ERROR );
		}
		supDestroyScene( stage.scene );
	}
}

static void VelocitiesHold( void** state )
{
	(void)state;
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		Stage stage = Start( m, m );
		supAttachmentDef def = supDefaultAttachmentDef();
		def.kind = sup_attachmentVelocity;
		def.placeCount = 1;
		def.places[0] = FindPlace( stage.actor, 0.55f, s_back );
		def.velocity = supMakeVec3( 0.02f, 0.01f, -0.05f );
		supVec3 start = Drawn( def.places );
		supAttachment* velocity = Attach( &stage, &def );
		for ( int32_t frame = 1; frame <= testRounds( 30, 8 ); ++frame )
		{
			Step( &stage, frame );
			supVec3 goal = supMulAdd( start, (float)frame / 60.0f, def.velocity );
			testLess( supDistance( Drawn( def.places ), goal ), DRAWN_ERROR );
			testLess( supAttachment_Gap( velocity ), DRAWN_ERROR );
		}
		supDestroyScene( stage.scene );
	}
}

// Two nails pull one place apart: the gap of each is what is drawn.
static void GapsAreDrawn( void** state )
{
	(void)state;
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		Stage stage = Start( m, m );
		supAttachmentDef def = supDefaultAttachmentDef();
		def.placeCount = 2;
		def.places[0] = FindPlace( stage.actor, 0.55f, s_front );
		supVec3 start = Drawn( def.places ), nails[2];
		supAttachment* attachments[2];
		for ( int32_t i = 0; i < 2; ++i )
		{
			nails[i] = supAdd( start, supMakeVec3( 0.0f, i == 0 ? 0.02f : -0.02f, 0.01f ) );
			def.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = nails[i] };
			attachments[i] = Attach( &stage, &def );
		}
		for ( int32_t frame = 1; frame <= 10; ++frame )
		{
			Step( &stage, frame );
			for ( int32_t i = 0; i < 2; ++i )
			{
				float error = supDistance( Drawn( def.places ), nails[i] );
				assert_float_equal( supAttachment_Gap( attachments[i] ), error, 1e-7f );
				testGreater( error, 0.019f );
			}
		}
		supDestroyScene( stage.scene );
	}
}

// A place that goes around the tube by a third of a turn in each step, and with it the face that it slides on.
static void SlidesCrossFaces( void** state )
{
	(void)state;
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		Stage stage = Start( m, m );
		supAttachmentDef def = supDefaultAttachmentDef();
		def.kind = sup_attachmentSlide;
		def.placeCount = 2;
		def.places[1] = FindPlace( stage.actor, 0.55f, s_front );
		supVec3 start = Drawn( def.places + 1 ), back = { start.x, start.y, -start.z };
		supVec3 middle = supLerp( start, back, 0.5f );
		def.places[0] = ( supPlace ){ .kind = sup_placeWorld, .position = start };
		supAttachment* slide = Attach( &stage, &def );
		for ( int32_t frame = 1; frame <= testRounds( 12, 4 ); ++frame )
		{
			float angle = 2.1f * (float)frame, radius = 1.05f * supDistance( start, middle );
			supVec3 goal = supAdd( middle, supMakeVec3( radius * sinf( angle ), 0.0f, radius * cosf( angle ) ) );
			supAttachment_SetPlace( slide, 0, goal, NULL );
			Step( &stage, frame );
			supPlace nearest = def.places[1];
			supActor_FindNearest( stage.actor, goal, &nearest.point );
			testLess( supDistance( goal, Drawn( &nearest ) ), DRAWN_ERROR );
			testLess( supAttachment_Gap( slide ), DRAWN_ERROR );
		}
		supDestroyScene( stage.scene );
	}
}

// All around the middle of the tube, turned and lifted together.
#define NAILS 96

static void ManyPlacesHold( void** state )
{
	(void)state;
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		Stage stage = Start( m, m );
		supAttachment* nails[NAILS];
		supPlace places[NAILS];
		float worst = 0.0f;
		supVec3 starts[NAILS];
		for ( int32_t i = 0; i < NAILS; ++i )
		{
			float angle = 0.7f * (float)i, height = 0.35f + 0.3f * (float)i / NAILS;
			places[i] = FindPlace( stage.actor, height, supMakeVec3( sinf( angle ), 0.0f, cosf( angle ) ) );
			starts[i] = Drawn( places + i );
			supAttachmentDef def = supDefaultAttachmentDef();
			def.placeCount = 2;
			def.places[0] = places[i];
			def.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = starts[i] };
			nails[i] = Attach( &stage, &def );
		}
		for ( int32_t frame = 1; frame <= testRounds( 10, 2 ); ++frame )
		{
			float turn = 0.02f * (float)frame;
			supVec3 goals[NAILS];
			for ( int32_t i = 0; i < NAILS; ++i )
			{
				supVec3 p = starts[i];
				goals[i] = supMakeVec3( p.x + turn * p.z, p.y + 0.1f * turn, p.z - turn * p.x );
				supAttachment_SetPlace( nails[i], 1, goals[i], NULL );
			}
			supScene_Step( stage.scene, 1.0f / 60.0f );
			for ( int32_t i = 0; i < NAILS; ++i )
			{
				float error = supDistance( Drawn( places + i ), goals[i] );
				assert_float_equal( supAttachment_Gap( nails[i] ), error, 1e-7f );
				worst = supMaxFloat( worst, error );
			}
		}
		print_message( "%s: %d nails, off by %.5f mm at most\n", supMethodName( s_methods[m] ), NAILS,
					   1e3 * (double)worst );
		testLess( worst, DRAWN_ERROR );
		supDestroyScene( stage.scene );
	}
}

// What `layered` can hold has an end: more is refused, and what is there holds on.
static void LayeredHasALimit( void** state )
{
	(void)state;
	supError error = { 0 };
	Stage stage = Start( 4, 4 );
	supAttachment* last = NULL;
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	int32_t count = 0;
	for ( supAttachment* made = NULL; count == 0 || made != NULL; )
	{
		float angle = 0.7f * (float)count, height = 0.3f + 0.003f * (float)count;
		def.places[0] = FindPlace( stage.actor, height, supMakeVec3( sinf( angle ), 0.0f, cosf( angle ) ) );
		def.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = Drawn( def.places ) };
		made = supScene_Attach( stage.scene, &def, &error );
		last = made != NULL ? made : last;
		count += made != NULL;
	}
	assert_int_equal( count, 128 );
	assert_non_null( strstr( error.message, "layered holds at most 128 places" ) );
	supScene_Detach( stage.scene, last );
	assert_non_null( supScene_Attach( stage.scene, &def, &error ) );
	supDestroyScene( stage.scene );
}

// Two nails a millimetre apart that pull 4 cm apart. Both can be held only by a fold that no skin has: the flesh around
// is not flung away for it.
static void NearNailsFlingNothing( void** state )
{
	(void)state;
	int32_t count = supCharacter_Mesh( s_tube, 0 )->vertexCount;
	supVec3* starts = malloc( (size_t)count * sizeof( supVec3 ) );
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		Stage stage = Start( m, m );
		memcpy( starts, supActor_Positions( stage.actor, 0 ), (size_t)count * sizeof( supVec3 ) );
		supAttachmentDef def = supDefaultAttachmentDef();
		def.placeCount = 2;
		for ( int32_t i = 0; i < 2; ++i )
		{
			supVec3 apart = supMakeVec3( 0.0f, i == 0 ? 0.02f : -0.02f, 0.0f );
			def.places[0] = FindPlace( stage.actor, 0.55f, s_front );
			def.places[0].point.weights[0] += i == 0 ? 0.01f : -0.01f;
			def.places[0].point.weights[1] -= i == 0 ? 0.01f : -0.01f;
			def.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = supAdd( Drawn( def.places ), apart ) };
			Attach( &stage, &def );
		}
		float farthest = 0.0f;
		for ( int32_t frame = 1; frame <= 10; ++frame )
		{
			supScene_Step( stage.scene, 1.0f / 60.0f );
			for ( int32_t i = 0; i < count; ++i )
			{
				float way = supDistance( supActor_Positions( stage.actor, 0 )[i], starts[i] );
				farthest = supMaxFloat( farthest, way );
			}
		}
		print_message( "%s: nails 4 cm apart move flesh by %.0f mm at most\n", supMethodName( s_methods[m] ),
					   1e3 * (double)farthest );
		// a quarter of the tube
		testLess( farthest, 0.25f );
		supDestroyScene( stage.scene );
	}
	free( starts );
}

// And what else is held stays where it belongs, in the same flesh.
static void ConflictsStayAmongThemselves( void** state )
{
	(void)state;
	for ( int32_t m = 0; m < METHODS; ++m )
	{
		Stage stage = Start( m, m );
		supAttachmentDef def = supDefaultAttachmentDef();
		def.placeCount = 2;
		supPlace held[4];
		supVec3 goals[4];
		float worst = 0.0f;
		for ( int32_t i = 0; i < 6; ++i )
		{
			// four around the tube, and two a millimetre apart at its back
			float angle = i < 4 ? 0.8f * ( (float)i - 1.5f ) : 3.14f, sign = i == 4 ? 1.0f : -1.0f;
			def.places[0] = FindPlace( stage.actor, 0.55f, supMakeVec3( sinf( angle ), 0.0f, cosf( angle ) ) );
			def.places[0].point.weights[0] += i < 4 ? 0.0f : 0.01f * sign;
			def.places[0].point.weights[1] -= i < 4 ? 0.0f : 0.01f * sign;
			supVec3 apart = supMakeVec3( 0.0f, i < 4 ? 0.005f : 0.01f * sign, 0.0f );
			supVec3 goal = supAdd( Drawn( def.places ), apart );
			def.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = goal };
			Attach( &stage, &def );
			held[i < 4 ? i : 0] = i < 4 ? def.places[0] : held[0];
			goals[i < 4 ? i : 0] = i < 4 ? goal : goals[0];
		}
		for ( int32_t frame = 1; frame <= testRounds( 10, 3 ); ++frame )
		{
			Step( &stage, frame );
			for ( int32_t i = 0; i < 4; ++i )
			{
				worst = supMaxFloat( worst, supDistance( Drawn( held + i ), goals[i] ) );
			}
		}
		print_message( "%s: beside a conflict, off by %.5f mm at most\n", supMethodName( s_methods[m] ),
					   1e3 * (double)worst );
		testLess( worst, DRAWN_ERROR );
		supDestroyScene( stage.scene );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( NailsHold ),
		cmocka_unit_test( DragsHold ),
		cmocka_unit_test( InsidePlacesHold ),
		cmocka_unit_test( SkinDoesNotRoll ),
		cmocka_unit_test( BodiesMeet ),
		cmocka_unit_test( SeveralMeet ),
		cmocka_unit_test( LinesAndTrianglesHold ),
		cmocka_unit_test( PlacesSlide ),
		cmocka_unit_test( SlidesCrossFaces ),
		cmocka_unit_test( ManyPlacesHold ),
		cmocka_unit_test( LayeredHasALimit ),
		cmocka_unit_test( NearNailsFlingNothing ),
		cmocka_unit_test( ConflictsStayAmongThemselves ),
		cmocka_unit_test( VelocitiesHold ),
		cmocka_unit_test( GapsAreDrawn ),
	};
	return cmocka_run_group_tests( tests, Build, Free );
}
