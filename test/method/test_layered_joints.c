// SPDX-License-Identifier: MIT
// Joints of the method `layered`: rows, limits, and what settings say.
#include "layered_stage.h"

// Rows of every kind of joint are derivatives of their errors.
static void JointRowsAreDerivatives( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	for ( int32_t kind = sup_jointBall; kind < sup_jointKindCount; ++kind )
	{
		supVec3d arm = { 0.2, -0.2, -0.2 };
		supLink link = { .center = { 0.5, -0.1, 0.2 }, .anchor = { 0.3, 0.0, 0.1 }, .kind = kind, .parent = 0 };
		link.axis = ( supVec3d ){ 0.6, 0.8, 0.0 };
		link.secondAxis = ( supVec3d ){ -0.8, 0.6, 0.0 };
		supLinkState states[2] = { 0 };
		double speeds[12];
		for ( int32_t i = 0; i < 12; ++i )
		{
			speeds[i] = (double)testRandomFloat( &random, -1.0f, 1.0f );
		}
		for ( int32_t i = 0; i < 2; ++i )
		{
			states[i].center = supLoadVec3d( speeds + 5 * i );
			states[i].rotation = supExpVec3d( supLoadVec3d( speeds + 4 * i + 2 ) );
		}
		supJointRow rows[6], ahead[2][6];
		int32_t count = supMakeJointRows( arm, &link, states, states + 1, rows );
		assert_int_equal( count, supJointRows[kind] );
		for ( int32_t side = 0; side < 2; ++side )
		{
			double h = side == 0 ? 1e-5 : -1e-5;
			supLinkState moved[2];
			for ( int32_t i = 0; i < 2; ++i )
			{
				moved[i] = states[i];
				moved[i].center = supMulAddVec3d( states[i].center, h, supLoadVec3d( speeds + 6 * i ) );
				supVec3d turn = supScaleVec3d( h, supLoadVec3d( speeds + 6 * i + 3 ) );
				moved[i].rotation = supMulQuatd( states[i].rotation, supExpVec3d( turn ) );
			}
			supMakeJointRows( arm, &link, moved, moved + 1, ahead[side] );
		}
		for ( int32_t k = 0; k < count; ++k )
		{
			double slope = ( ahead[0][k].error - ahead[1][k].error ) / 2e-5, product = 0.0;
			for ( int32_t i = 0; i < 6; ++i )
			{
				product += rows[k].parent[i] * speeds[i] + rows[k].child[i] * speeds[6 + i];
			}
			testLess( fabs( slope - product ), 1e-8 );
		}
	}
}

static void TurnBoth( const supLinkState* states, const double* speeds, double h, supLinkState moved[2] )
{
	for ( int32_t i = 0; i < 2; ++i )
	{
		moved[i] = states[i];
		supVec3d turn = supScaleVec3d( h, supLoadVec3d( speeds + 6 * i + 3 ) );
		moved[i].rotation = supMulQuatd( states[i].rotation, supExpVec3d( turn ) );
	}
}

// Rows of limits are derivatives of the way that is left, also at rest, where angles are zero.
static void LimitRowsAreDerivatives( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 5 );
	int32_t rowCount = 0;
	for ( int32_t n = 0; n < 60; ++n )
	{
		supLink link = { .kind = sup_jointBall + n % 3, .axis = { 0.6, 0.8, 0.0 }, .secondAxis = { -0.8, 0.6, 0.0 } };
		link.turns[0] = ( supTurnLimits ){ -0.4, 1.0 };
		link.turns[1] = ( supTurnLimits ){ -1.0, 0.3 };
		link.middle = ( supVec3d ){ 0.0, 0.6, 0.8 };
		link.swing = 0.5;
		supLinkState states[2] = { 0 };
		double speeds[12];
		for ( int32_t i = 0; i < 12; ++i )
		{
			speeds[i] = (double)testRandomFloat( &random, -1.0f, 1.0f );
		}
		for ( int32_t i = 0; i < 2; ++i )
		{
			states[i].rotation = supExpVec3d( supScaleVec3d( n < 3 ? 0.0 : 1.0, supLoadVec3d( speeds + 4 * i ) ) );
		}
		supLinkState ahead[2], behind[2];
		supJointRow rows[SUP_MOST_LIMITS], there[SUP_MOST_LIMITS], here[SUP_MOST_LIMITS];
		TurnBoth( states, speeds, 1e-6, ahead );
		TurnBoth( states, speeds, -1e-6, behind );
		int32_t count = supMakeLimitRows( &link, states, states + 1, rows );
		assert_int_equal( supMakeLimitRows( &link, ahead, ahead + 1, there ), count );
		assert_int_equal( supMakeLimitRows( &link, behind, behind + 1, here ), count );
		for ( int32_t k = 0; k < count; ++k )
		{
			double slope = ( there[k].error - here[k].error ) / 2e-6, product = 0.0;
			for ( int32_t i = 0; i < 6; ++i )
			{
				product += rows[k].parent[i] * speeds[i] + rows[k].child[i] * speeds[6 + i];
			}
			testLess( fabs( slope - product ), 1e-8 );
			rowCount += 1;
		}
	}
	testGreater( rowCount, 90 );
}

// Angles of a universal joint that is turned about its two axes come out as they were put in.
static void TurnsAreAngles( void** state )
{
	(void)state;
	supVec3d first = { 0.0, 0.6, 0.8 }, second = { 1.0, 0.0, 0.0 };
	for ( double a = -2.5; a < 2.6; a += 0.5 )
	{
		for ( double b = -1.4; b < 1.5; b += 0.4 )
		{
			supQuatd turn =
				supMulQuatd( supExpVec3d( supScaleVec3d( a, first ) ), supExpVec3d( supScaleVec3d( b, second ) ) );
			testLess( fabs( supFindTurn( turn, first ) - a ), 1e-11 );
			testLess( fabs( supFindTurn( turn, second ) - b ), 1e-11 );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Guesses, and what is said

static supFlesh* BuildWith( const supCharacter* character, const supJointSetting* joints, int32_t count,
							supError* error )
{
	supFleshDef def = supDefaultFleshDef();
	def.joints = joints;
	def.jointCount = count;
	return supBuildFleshWith( character, &supMethod_layered, &def, NULL, error );
}

// What the clips do is within the limits that were guessed from them, and not at their border.
static void ClipsAreWithinLimits( void** state )
{
	(void)state;
	Stage stage = { 0 };
	BuildStage( &stage, "tube5", NULL, 0 );
	Enter( &stage, supVec3_zero, NULL );
	supLayeredView view = supLayered_View( stage.own, stage.actor->state );
	double least = INFINITY;
	int32_t rowCount = 0;
	for ( int32_t c = 0; c < supCharacter_ClipCount( stage.character ); ++c )
	{
		const supClip* clip = supCharacter_Clip( stage.character, c );
		for ( int32_t i = 0; i <= 20; ++i )
		{
			supPose_SetRest( supActor_Pose( stage.actor ) );
			supPose_ApplyClip( supActor_Pose( stage.actor ), clip,
							   clip->start + 0.05f * (float)i * ( clip->end - clip->start ) );
			supActor_Reset( stage.actor );
			for ( int32_t k = 1; k < stage.own->links.count; ++k )
			{
				const supLink* link = stage.own->links.links + k;
				supJointRow rows[SUP_MOST_LIMITS];
				int32_t count = supMakeLimitRows( link, view.links + link->parent, view.links + k, rows );
				rowCount += count;
				for ( int32_t r = 0; r < count; ++r )
				{
					least = fmin( least, rows[r].error );
				}
			}
		}
	}
	print_message( "%d rows, never less than %g rad away from a limit\n", rowCount, least );
	testGreater( rowCount, 0 );
	testGreater( least, 0.2 );
	Leave( &stage );
	FreeStage( &stage );
}

// Kind, axes, limits and strength as they are said, through a file of flesh and back; what makes no sense is refused.
static void SettingsAreTaken( void** state )
{
	(void)state;
	supError error = { 0 };
	const supLink* old = s_tube.own->links.links + 2;
	supJointSetting joint = supDefaultJointSetting( old->node );
	joint.kind = sup_jointHinge;
	joint.axis = supMakeVec3( 0.0f, 0.0f, 3.0f );
	joint.hasLimits[0] = true;
	joint.lower[0] = -0.5f;
	joint.upper[0] = 0.25f;
	joint.strength = 0.5f;
	joint.stiffness = 2.0f;
	joint.damping = 0.0f;
	supFlesh* flesh = BuildWith( s_tube.character, &joint, 1, &error );
	testRequire( flesh != NULL, &error );
	size_t byteCount;
	uint8_t* bytes = supWriteFlesh( flesh, &byteCount, &error );
	testRequire( bytes != NULL, &error );
	supFlesh* loaded = supReadFlesh( bytes, byteCount, "tube", s_tube.character, &error );
	testRequire( loaded != NULL, &error );
	for ( int32_t n = 0; n < 2; ++n )
	{
		const supLayeredFlesh* own = ( n == 0 ? flesh : loaded )->own;
		const supLink* link = own->links.links + 2;
		assert_int_equal( link->kind, sup_jointHinge );
		assert_true( link->axis.z == 1.0 && link->turns[0].lower == -0.5 && link->turns[0].upper == 0.25 );
		assert_true( link->strength == 0.5 && own->links.links[1].strength == 1.0 );
		assert_true( link->stiffness == 2.0 && link->damping == 0.0 && own->links.links[1].damping == -1.0 );
	}
	assert_true( loaded->hash == flesh->hash && flesh->hash != s_tube.flesh->hash );
	supDestroyFlesh( loaded );
	supDestroyFlesh( flesh );
	supFree( bytes );

	supJointSetting wrong[3] = { joint, joint, supDefaultJointSetting( s_tube.own->links.links[0].node ) };
	wrong[0].lower[0] = 0.5f;
	wrong[1].node = supCharacter_NodeCount( s_tube.character );
	wrong[2].kind = sup_jointFixed;
	for ( int32_t n = 0; n < 3; ++n )
	{
		assert_null( BuildWith( s_tube.character, wrong + n, 1, &error ) );
		assert_int_equal( error.code, sup_errorArgument );
	}
	assert_non_null( strstr( error.message, "remove its kind" ) );
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodLbs;
	def.joints = &joint;
	def.jointCount = 1;
	assert_null( supBuildFlesh( s_tube.character, &def, NULL, &error ) );
}

// Limits and strengths that cannot be meant are refused, with the joint and by how much.
static void WrongJointsAreRefused( void** state )
{
	(void)state;
	const supLink* link = s_tube.own->links.links + 2;
	const char* name = supCharacter_Node( s_tube.character, link->node )->name;
	supJointSetting joint = supDefaultJointSetting( link->node );
	joint.kind = sup_jointHinge;
	joint.axis = supMakeVec3( 0.0f, 0.0f, 1.0f );
	joint.hasLimits[0] = true;
	joint.upper[0] = 1.0f;
	struct
	{
		float lower, strength;
		const char* message;
	} cases[] = { { 0.25f, 1.0f, "exclude the rest pose by 14.3 degrees" },
				  { 2.0f, 1.0f, "lower limit must not be above" },
				  { -1.0f, -0.5f, "strength must be 0 or more (got -0.5)" } };
	for ( int32_t i = 0; i < SUP_COUNT( cases ); ++i )
	{
		supError error = { 0 };
		joint.lower[0] = cases[i].lower;
		joint.strength = cases[i].strength;
		assert_null( BuildWith( s_tube.character, &joint, 1, &error ) );
		assert_int_equal( error.code, sup_errorArgument );
		assert_non_null( strstr( error.message, cases[i].message ) );
		assert_non_null( strstr( error.message, name ) );
	}
}

// A ragdoll held by its root hangs from joints that turn by 0.3 rad at most, each way: none turns farther, and those
// near the root, which carry most, lie at their limit.
static void LimitsHold( void** state )
{
	(void)state;
	supError error = { 0 };
	supJointSetting joints[16];
	int32_t count = 0;
	const supLinks* links = &s_tube.own->links;
	for ( int32_t i = 1; i < links->count; ++i )
	{
		supJointSetting* joint = joints + count++;
		*joint = supDefaultJointSetting( links->links[i].node );
		joint->kind = i % 2 == 0 ? sup_jointHinge : sup_jointBall;
		joint->axis = i % 2 == 0 ? supMakeVec3( 0.0f, 0.0f, 1.0f ) : supVec3_zero;
		joint->swing = 0.3f;
		joint->lower[0] = -0.3f;
		joint->upper[0] = 0.3f;
		joint->hasLimits[0] = true;
	}
	Stage stage = s_tube;
	stage.flesh = BuildWith( s_tube.character, joints, count, &error );
	testRequire( stage.flesh != NULL, &error );
	stage.own = stage.flesh->own;
	Enter( &stage, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &stage );
	Set( &stage, "root", 1.0f );
	supLayeredView view = supLayered_View( stage.own, stage.actor->state );
	double most = 0.0, last = 0.0;
	for ( int32_t i = 0; i < 180; ++i )
	{
		supScene_Step( stage.scene, DT );
		last = 0.0;
		for ( int32_t k = 1; k < links->count; ++k )
		{
			const supLink* link = stage.own->links.links + k;
			supQuatd turn =
				supMulQuatd( supConjugateQuatd( view.links[link->parent].rotation ), view.links[k].rotation );
			last = fmax( last, supLengthVec3d( supLogQuatd( turn ) ) );
		}
		most = fmax( most, last );
	}
	print_message( "joints turn by %g rad at most, %g at the end, of 0.3\n", most, last );
	testLess( most, 0.3 + 0.02 );
	testGreater( last, 0.3 - 0.01 );
	// without them they fold
	Set( &stage, "limits", 0.0f );
	for ( int32_t i = 0; i < 60; ++i )
	{
		supScene_Step( stage.scene, DT );
	}
	supQuatd turn = supMulQuatd( supConjugateQuatd( view.links[0].rotation ), view.links[1].rotation );
	testGreater( supLengthVec3d( supLogQuatd( turn ) ), 0.5 );
	Leave( &stage );
	supDestroyFlesh( stage.flesh );
}

// One arm limp, the rest firm.
static void JointsHaveTheirOwnStrength( void** state )
{
	(void)state;
	Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	const supLinks* links = &s_tube.own->links;
	int32_t last = links->count - 1;
	supActor_SetJointStrength( s_tube.actor, links->links[last].node, true, 0.0f );
	for ( int32_t i = 0; i < 60; ++i )
	{
		supScene_Step( s_tube.scene, DT );
	}
	supLayeredView view = supLayered_View( s_tube.own, s_tube.actor->state );
	for ( int32_t i = 1; i < links->count; ++i )
	{
		int32_t parent = links->links[i].parent;
		supQuatd turn = supMulQuatd( supConjugateQuatd( view.links[parent].rotation ), view.links[i].rotation );
		double angle = supLengthVec3d( supLogQuatd( turn ) );
		assert_true( i == last ? angle > 0.3 : angle < 0.05 );
	}
	Leave( &s_tube );
}

// How much of a node links from `first` on carry.
static double CarriedPart( const supLayeredFlesh* flesh, int32_t node, int32_t first )
{
	double part = 0.0;
	for ( int32_t k = flesh->nodeStarts[node]; k < flesh->nodeStarts[node + 1]; ++k )
	{
		const supFrame* frame = flesh->frames + flesh->nodeFrames[k];
		for ( int e = 0; e < 2; ++e )
		{
			part += frame->links[e] >= first ? flesh->nodeWeights[k] * frame->parts[e] : 0.0;
		}
	}
	return part;
}

// Joints of a tube that is held out straight bear its weight and the moment of that; a node without a joint has no
// load.
static void JointsTellTheirLoads( void** state )
{
	(void)state;
	Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	for ( int32_t i = 0; i < 60; ++i )
	{
		supScene_Step( s_tube.scene, DT );
	}
	const supLayeredFlesh* own = s_tube.own;
	supLayeredView view = supLayered_View( own, s_tube.actor->state );
	for ( int32_t j = 1; j < own->links.count; ++j )
	{
		supVec3d joint = own->links.links[j].anchor, down = { 0.0, -9.81, 0.0 }, moment = { 0.0, 0.0, 0.0 };
		double mass = 0.0;
		for ( int32_t k = j; k < own->links.count; ++k )
		{
			const supLink* link = own->links.links + k;
			mass += link->mass;
			supVec3d arm = supSubVec3d( view.links[k].center, joint );
			moment = supMulAddVec3d( moment, link->mass, supCrossVec3d( arm, down ) );
		}
		for ( int32_t a = 0; a < own->skin.nodeCount; ++a )
		{
			double carried = own->skin.masses[a] * CarriedPart( own, a, j );
			supVec3d arm = supSubVec3d( supLayered_Point( own, view.q, a ), joint );
			mass += carried;
			moment = supMulAddVec3d( moment, carried, supCrossVec3d( arm, down ) );
		}
		supJointLoad load;
		assert_true( supActor_GetJointLoad( s_tube.actor, own->links.links[j].node, &load ) );
		print_message( "joint %d: %g N of %g, %g N m of %g\n", j, (double)load.force.y, 9.81 * mass,
					   (double)supLength( load.torque ), supLengthVec3d( moment ) );
		testLess( fabs( (double)load.force.y - 9.81 * mass ), 1e-3 * 9.81 * mass );
		supVec3d sum = supAddVec3d( supWidenVec3( load.torque ), moment );
		testLess( supLengthVec3d( sum ), 1e-2 * supLengthVec3d( moment ) );
	}
	supJointLoad none;
	assert_false( supActor_GetJointLoad( s_tube.actor, own->links.links[0].node, &none ) );
	assert_true( supLength( none.force ) == 0.0f );
	Leave( &s_tube );
}

// How far a joint of a ragdoll that hangs from its root has turned after a third of a second.
static double HangFrom( supJointSetting joint, int32_t link )
{
	supError error = { 0 };
	Stage stage = s_tube;
	stage.flesh = BuildWith( s_tube.character, &joint, 1, &error );
	testRequire( stage.flesh != NULL, &error );
	stage.own = stage.flesh->own;
	Enter( &stage, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &stage );
	Set( &stage, "root", 1.0f );
	for ( int32_t i = 0; i < 20; ++i )
	{
		supScene_Step( stage.scene, DT );
	}
	supLayeredView view = supLayered_View( stage.own, stage.actor->state );
	int32_t parent = stage.own->links.links[link].parent;
	supQuatd turn = supMulQuatd( supConjugateQuatd( view.links[parent].rotation ), view.links[link].rotation );
	double angle = supLengthVec3d( supLogQuatd( turn ) );
	Leave( &stage );
	supDestroyFlesh( stage.flesh );
	return angle;
}

// A spring in one joint holds it up, friction slows it down.
static void JointsHaveTheirOwnSprings( void** state )
{
	(void)state;
	supJointSetting plain = supDefaultJointSetting( s_tube.own->links.links[1].node ), stiff = plain, slow = plain;
	stiff.stiffness = 20.0f;
	slow.damping = 300.0f;
	double free = HangFrom( plain, 1 ), held = HangFrom( stiff, 1 ), slowed = HangFrom( slow, 1 );
	print_message( "turns by %g rad, with a spring %g, with friction %g\n", free, held, slowed );
	testGreater( free, 0.2 );
	testLess( held, 0.1 * free );
	testLess( slowed, 0.3 * free );
}

// How far links are from the clip, while it moves a joint to and fro in its parent by a quarter of a link.
static double MoveOneJoint( int32_t moved, float strength, double* opened )
{
	Enter( &s_tube, supVec3_zero, NULL );
	Set( &s_tube, "strength", strength );
	const supLinks* links = &s_tube.own->links;
	supPose* pose = supActor_Pose( s_tube.actor );
	supTransform start = supPose_GetLocal( pose, links->links[moved].node );
	double worst = 0.0;
	for ( int32_t i = 0; i < 40; ++i )
	{
		float away = 0.1f * sinf( 0.2f * (float)i );
		supTransform local = start;
		local.translation = supAdd( start.translation, supMakeVec3( away, 0.5f * away, 0.0f ) );
		supPose_SetLocal( pose, links->links[moved].node, local );
		supScene_Step( s_tube.scene, DT );
		supLayeredView view = supLayered_View( s_tube.own, s_tube.actor->state );
		for ( int32_t k = 1; k < links->count; ++k )
		{
			supJointRow rows[6];
			int32_t parent = links->links[k].parent;
			supMakeJointRows( view.arms[k], links->links + k, view.links + parent, view.links + k, rows );
			*opened =
				fmax( *opened, fmax( fabs( rows[0].error ), fmax( fabs( rows[1].error ), fabs( rows[2].error ) ) ) );
			worst = fmax( worst, supLengthVec3d( supSubVec3d( view.links[k].center, view.targets[k].center ) ) );
		}
	}
	Leave( &s_tube );
	return worst;
}

// Clips move joints in their parents: what hangs on such a joint goes along, unless it is limp.
static void JointsGoWhereClipsMoveThem( void** state )
{
	(void)state;
	double opened = 0.0, firm = MoveOneJoint( 2, 1.0f, &opened ), limp = MoveOneJoint( 2, 0.0f, &opened );
	print_message( "off the clip by %g m, limp %g m; joints open by %g m\n", firm, limp, opened );
	// moved by 0.11 m
	testLess( firm, 0.02 );
	testGreater( limp, 0.1 );
	testLess( opened, 1e-6 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( JointRowsAreDerivatives ),
		cmocka_unit_test( LimitRowsAreDerivatives ),
		cmocka_unit_test( TurnsAreAngles ),
		cmocka_unit_test( ClipsAreWithinLimits ),
		cmocka_unit_test( SettingsAreTaken ),
		cmocka_unit_test( WrongJointsAreRefused ),
		cmocka_unit_test( LimitsHold ),
		cmocka_unit_test( JointsHaveTheirOwnStrength ),
		cmocka_unit_test( JointsHaveTheirOwnSprings ),
		cmocka_unit_test( JointsTellTheirLoads ),
		cmocka_unit_test( JointsGoWhereClipsMoveThem ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
