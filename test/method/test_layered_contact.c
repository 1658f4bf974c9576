// SPDX-License-Identifier: MIT
// The method `layered` in a scene: floors, balls, nails, hands, and other characters.
#include "layered_stage.h"
#include "scene/contact.h"

// A body that one grabs and pulls comes along, skeleton and all.
static void DragsTakeTheBodyAlong( void** state )
{
	(void)state;
	Enter( &s_tube, supVec3_zero, NULL );
	LetGo( &s_tube );
	supScene_Step( s_tube.scene, DT );
	supSurfacePoint point = { .vertices = { 10, 11, 12 }, .weights = { 1.0f, 0.0f, 0.0f } };
	supVec3 place = supActor_Positions( s_tube.actor, 0 )[10];
	supDragDef def = supDefaultDragDef( s_tube.actor, &point );
	supDragId drag = supActor_StartDrag( s_tube.actor, &def );
	testGreaterEqual( drag, 0 );
	supActor_MoveDrag( s_tube.actor, drag, supAdd( place, supMakeVec3( 0.0f, 0.5f, 0.0f ) ) );
	for ( int32_t i = 0; i < 180; ++i )
	{
		supScene_Step( s_tube.scene, DT );
	}
	supVec3 now = supActor_Positions( s_tube.actor, 0 )[10];
	print_message( "dragged by %g of 0.5 m\n", (double)( now.y - place.y ) );
	testGreater( now.y - place.y, 0.4f );
	Leave( &s_tube );
}

static float LowestVertex( const Stage* stage )
{
	float lowest = INFINITY;
	for ( int32_t i = 0; i < stage->actor->surfaces[0].vertexCount; ++i )
	{
		lowest = supMinFloat( lowest, supActor_Positions( stage->actor, 0 )[i].y );
	}
	return lowest;
}

// Pressures times areas are the forces of all contacts.
static void CheckPressures( Stage* stage )
{
	const supMesh* mesh = supCharacter_Mesh( stage->character, 0 );
	const supVec3* p = supActor_Positions( stage->actor, 0 );
	float* pressures = test_malloc( (size_t)mesh->vertexCount * sizeof( float ) );
	assert_true( supActor_GetPressures( stage->actor, 0, pressures ) );
	double pressed = 0.0, forces = 0.0;
	for ( int32_t k = 0; k < mesh->indexCount; ++k )
	{
		const uint32_t* c = mesh->indices + k / 3 * 3;
		float area = supLength( supCross( supSub( p[c[1]], p[c[0]] ), supSub( p[c[2]], p[c[0]] ) ) ) / 6.0f;
		pressed += (double)( area * pressures[mesh->indices[k]] );
	}
	int32_t count;
	const supContact* contacts = supScene_Contacts( stage->scene, &count );
	for ( int32_t i = 0; i < count; ++i )
	{
		forces += (double)contacts[i].force;
	}
	print_message( "pressed by %g N, %g N of %d contacts\n", pressed, forces, count );
	testGreater( forces, 1.0 );
	testLess( fabs( pressed - forces ), 1e-3 * forces );
	test_free( pressures );
}

// A ragdoll falls on the floor, never gets in deeper than its skin is said to be, and comes to lie.
static void RagdollLies( void** state )
{
	(void)state;
	Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &s_tube );
	AddCollider( &s_tube, ( supShapeDef ){ .kind = sup_shapePlane }, sup_colliderStill,
				 supMakeVec3( 0.0f, LowestVertex( &s_tube ) - 0.3f, 0.0f ) );
	float floor = LowestVertex( &s_tube ) - 0.3f, deepest = 0.0f;
	for ( int32_t i = 0; i < 240; ++i )
	{
		supScene_Step( s_tube.scene, DT );
		deepest = supMaxFloat( deepest, floor - LowestVertex( &s_tube ) );
	}
	supLayeredView view = supLayered_View( s_tube.own, s_tube.actor->state );
	double fastest = 0.0;
	for ( int32_t i = 0; i < s_tube.own->links.count; ++i )
	{
		fastest = fmax( fastest, supLengthVec3d( view.links[i].velocity ) );
	}
	print_message( "deepest %g m, at the end %g m/s, lies at %g m\n", (double)deepest, fastest,
				   (double)( LowestVertex( &s_tube ) - floor ) );
	testLess( deepest, 0.006f ); // 0.003 of its size
	testLess( fastest, 0.02 );
	testLess( LowestVertex( &s_tube ) - floor, 0.02f );
	CheckPressures( &s_tube );
	Leave( &s_tube );
}

// A ball flies at one end: the whole body answers, and what the ball loses in momentum the body gains.
static void BallPushesTheSkeleton( void** state )
{
	(void)state;
	Enter( &s_tube, supVec3_zero, NULL );
	LetGo( &s_tube );
	supShapeDef ball = { .kind = sup_shapeSphere, .radius = 0.1f };
	supCollider* collider = AddCollider( &s_tube, ball, sup_colliderDynamic, supMakeVec3( 0.6f, 0.6f, 0.0f ) );
	assert_true( supCollider_SetVelocity( collider, supMakeVec3( 0.0f, -2.0f, 0.0f ), supVec3_zero ) );
	double mass = (double)supCollider_Mass( collider ), before = -2.0 * mass;
	double worst = 0.0;
	for ( int32_t i = 0; i < 60; ++i )
	{
		supScene_Step( s_tube.scene, DT );
		double now = MeasureMomentum( &s_tube ).linear.y + mass * (double)supCollider_Velocity( collider ).y;
		worst = fmax( worst, fabs( now / before - 1.0 ) );
	}
	Momentum end = MeasureMomentum( &s_tube );
	print_message( "ball %g kg m/s, body %g; worst sum off by %g\n", mass * (double)supCollider_Velocity( collider ).y,
				   end.linear.y, worst );
	testLess( end.linear.y, 0.5 * before );
	testLess( worst, 0.005 );
	Leave( &s_tube );
}

// Hung up by one end on a nail: the nail holds, and carries the weight while the body swings.
static void HangsOnANail( void** state )
{
	(void)state;
	Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &s_tube );
	Set( &s_tube, "joint.damping", 4.0f );
	supError error = { 0 };
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0].position = supActor_Positions( s_tube.actor, 0 )[10];
	def.places[1] = ( supPlace ){ .kind = sup_placeSurface, .actor = s_tube.actor, .radius = 0.2f };
	def.places[1].point = ( supSurfacePoint ){ .vertices = { 10, 11, 12 }, .weights = { 1.0f, 0.0f, 0.0f } };
	supAttachment* nail = supScene_Attach( s_tube.scene, &def, &error );
	testRequire( nail != NULL, &error );
	double worst = 0.0, force = 0.0;
	for ( int32_t i = 0; i < 600; ++i )
	{
		supScene_Step( s_tube.scene, DT );
		worst = fmax( worst, (double)supAttachment_Gap( nail ) );
		force -= i >= 120 ? (double)supAttachment_Force( nail ).y / 480.0 : 0.0;
	}
	double weight = 9.81 * MeasureMomentum( &s_tube ).mass;
	print_message( "gap %g m at most, mean force %g of the weight\n", worst, force / weight );
	testLess( worst, 2e-5 );
	// what it swings by at both ends is two hundredths of it
	testLess( fabs( force / weight - 1.0 ), 0.05 );
	Leave( &s_tube );
}

// ---------------------------------------------------------------------------------------------------------------------
// Several characters

// Turned by a right angle about y and moved: across the one that is at rest.
static void PutAcross( supActor* actor, const supCharacter* character, supVec3 way )
{
	supPose* pose = supActor_Pose( actor );
	supQuat turn = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), 0.5f * SUP_PI );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		supTransform local = supPose_GetLocal( pose, i );
		if ( supCharacter_Node( character, i )->parent < 0 )
		{
			local.translation = supAdd( supRotate( turn, local.translation ), way );
			local.rotation = supMulQuat( turn, local.rotation );
			supPose_SetLocal( pose, i, local );
		}
	}
	supActor_Reset( actor );
}

// Two ragdolls in space, one flies into the other: what they have together, momentum and turning, stays.
static void CharactersKeepMomentum( void** state )
{
	(void)state;
	supError error = { 0 };
	Stage first = s_tube, second = s_tube;
	Enter( &first, supVec3_zero, NULL );
	LetGo( &first );
	second.scene = first.scene;
	second.actor = supScene_AddActor( first.scene, second.flesh, &error );
	testRequire( second.actor != NULL, &error );
	LetGo( &second );
	supContactSettings contact = supDefaultContactSettings();
	contact.withActors = true;
	contact.friction = 0.5f;
	testRequire( supActor_SetContact( first.actor, &contact, &error ), &error );
	testRequire( supActor_SetContact( second.actor, &contact, &error ), &error );
	PutAcross( second.actor, second.character, supMakeVec3( 0.3f, 0.33f, 0.0f ) );
	supLayeredView view = supLayered_View( second.own, second.actor->state );
	for ( int32_t i = 0; i < second.own->links.count; ++i )
	{
		view.links[i].velocity = ( supVec3d ){ 0.2, -2.0, 0.3 };
	}
	Momentum before = MeasureMomentum( &second );
	double linear = 0.0, angular = 0.0, hit = 0.0;
	int32_t touching = 0;
	for ( int32_t i = 0; i < 30; ++i )
	{
		supScene_Step( first.scene, DT );
		Momentum a = MeasureMomentum( &first ), b = MeasureMomentum( &second );
		supVec3d sum = supAddVec3d( a.linear, b.linear ), turning = supAddVec3d( a.angular, b.angular );
		linear = fmax( linear, supLengthVec3d( supSubVec3d( sum, before.linear ) ) );
		angular = fmax( angular, supLengthVec3d( supSubVec3d( turning, before.angular ) ) );
		hit = fmax( hit, -a.linear.y );
		int32_t count;
		supScene_Contacts( first.scene, &count );
		touching += count > 0;
	}
	print_message( "%g of %g kg m/s go over in %d steps; momentum off by %g, turning by %g of %g\n", hit,
				   supLengthVec3d( before.linear ), touching, linear, angular, supLengthVec3d( before.angular ) );
	testGreater( touching, 3 );
	testGreater( hit, 0.3 * supLengthVec3d( before.linear ) );
	testLess( linear, 1e-4 * supLengthVec3d( before.linear ) );
	testLess( angular, 1e-4 * supLengthVec3d( before.angular ) );
	Leave( &first );
}

// Bent to a ring and thrown at itself: one body that touches itself keeps its momentum as well.
static void BodiesTouchThemselves( void** state )
{
	(void)state;
	supError error = { 0 };
	Enter( &s_tube, supVec3_zero, NULL );
	LetGo( &s_tube );
	supContactSettings contact = supDefaultContactSettings();
	contact.withItself = true;
	testRequire( supActor_SetContact( s_tube.actor, &contact, &error ), &error );
	const supLinks* links = &s_tube.own->links;
	supPose* pose = supActor_Pose( s_tube.actor );
	for ( int32_t i = 1; i < links->count; ++i )
	{
		supTransform local = supPose_GetLocal( pose, links->links[i].node );
		supQuat turn = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), 1.15f );
		local.rotation = supMulQuat( turn, local.rotation );
		supPose_SetLocal( pose, links->links[i].node, local );
	}
	supActor_Reset( s_tube.actor );
	supLayeredView view = supLayered_View( s_tube.own, s_tube.actor->state );
	for ( int32_t i = 1; i < links->count; ++i )
	{
		view.links[i].spin = ( supVec3d ){ 0.0, 0.0, 1.5 * i };
	}
	supScene_Step( s_tube.scene, 1e-6f );
	supScene_Step( s_tube.scene, 1e-6f );
	Momentum before = MeasureMomentum( &s_tube );
	double off = 0.0, turning = 0.0;
	int32_t touching = 0;
	for ( int32_t i = 0; i < 25; ++i )
	{
		int32_t count;
		supScene_Step( s_tube.scene, DT );
		supScene_Contacts( s_tube.scene, &count );
		touching += count > 0;
		Momentum now = MeasureMomentum( &s_tube );
		off = fmax( off, supLengthVec3d( supSubVec3d( now.linear, before.linear ) ) );
		turning = fmax( turning, supLengthVec3d( supSubVec3d( now.angular, before.angular ) ) );
	}
	print_message( "touching in %d of 25 steps; momentum off by %g of %g, turning by %g of %g\n", touching, off,
				   supLengthVec3d( before.linear ), turning, supLengthVec3d( before.angular ) );
	testGreater( touching, 3 );
	// as a whole it hardly moves: against what turns at a metre
	testLess( off, 1e-4 * supLengthVec3d( before.angular ) );
	testLess( turning, 1e-4 * supLengthVec3d( before.angular ) );
	Leave( &s_tube );
}

// One hangs on a nail, the other falls on it: the nail holds, and what they do to each other is not forgotten when the
// nail is met.
static void HeldBodiesTouch( void** state )
{
	(void)state;
	supError error = { 0 };
	Stage first = s_tube;
	Enter( &first, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	Set( &first, "root", 0.0f );
	supActor* second = supScene_AddActor( first.scene, first.flesh, &error );
	testRequire( second != NULL, &error );
	supActor_SetParameter( second, sup_layeredRoot, 0.0f );
	supContactSettings contact = supDefaultContactSettings();
	contact.withActors = true;
	testRequire( supActor_SetContact( first.actor, &contact, &error ), &error );
	testRequire( supActor_SetContact( second, &contact, &error ), &error );
	PutAcross( second, first.character, supMakeVec3( 0.0f, 0.31f, 0.0f ) );
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0].position = supActor_Positions( first.actor, 0 )[10];
	def.places[1] = ( supPlace ){ .kind = sup_placeSurface, .actor = first.actor, .radius = 0.2f };
	def.places[1].point = ( supSurfacePoint ){ .vertices = { 10, 11, 12 }, .weights = { 1.0f, 0.0f, 0.0f } };
	supAttachment* nail = supScene_Attach( first.scene, &def, &error );
	testRequire( nail != NULL, &error );
	supLayeredView a = supLayered_View( first.own, first.actor->state );
	supLayeredView b = supLayered_View( first.own, second->state );
	int32_t touching = 0;
	float gap = 0.0f, deepest = 0.0f;
	double most = -INFINITY;
	for ( int32_t i = 0; i < 25; ++i )
	{
		int32_t count;
		supScene_Step( first.scene, DT );
		supScene_Contacts( first.scene, &count );
		touching += count > 0;
		gap = supMaxFloat( gap, supAttachment_Gap( nail ) );
		most = fmax( most, a.links[2].center.y - b.links[2].center.y );
		deepest =
			supMaxFloat( deepest, supMaxFloat( supActor_Penetration( first.actor ), supActor_Penetration( second ) ) );
	}
	print_message( "touching in %d of 25 steps, nail open by %g m, middles never nearer than %g m\n", touching,
				   (double)gap, -most );
	// 1e-4 of a bone; neither gets into the other, or through it
	testGreater( touching, 5 );
	testLess( gap, 4e-5f );
	testLess( most, 0.0 );
	testLessEqual( deepest, first.actor->contact->thickness );
	assert_true( supScene_GetStats( first.scene ).trouble.notFinite == 0 );
	Leave( &first );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( DragsTakeTheBodyAlong ),  cmocka_unit_test( RagdollLies ),
		cmocka_unit_test( HangsOnANail ),           cmocka_unit_test( BallPushesTheSkeleton ),
		cmocka_unit_test( CharactersKeepMomentum ), cmocka_unit_test( HeldBodiesTouch ),
		cmocka_unit_test( BodiesTouchThemselves ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
