// SPDX-License-Identifier: MIT
// An actor against itself: folds, limbs that bones put through each other, and rows of one body.
#include "contact_stage.h"

#include "scene/audit.h"

#define DT ( 1.0f / 60.0f )

static supFlesh* BuildFlesh( const supCharacter* character, supMethodId method )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	return flesh;
}

// ---------------------------------------------------------------------------------------------------------------------
// Folds

// A tube that is bent twice by more than a right angle within a second: the insides of its bends are nowhere deeper in
// each other than the thickness, as they are by two to four without contact in folds.
static void CheckFold( supMethodId method, float angle )
{
	supError error = { 0 };
	Body body = MakeTubeOf( "tube5", method );
	supScene* scene = MakeWeightless( 4 );
	supActor* actor = AddActor( scene, &body );
	LetTouchItself( actor );
	supAudit* audit = supCreateAudit( &actor, 1, &error );
	testRequire( audit != NULL, &error );
	assert_true( supAudit_Measure( audit, NULL ).deepest == 0.0f );
	for ( int32_t i = 1; i <= 75; ++i )
	{
		BendTube( actor, angle * supMinFloat( (float)i / 60.0f, 1.0f ) );
		supScene_Step( scene, DT );
		if ( i > 45 && i % 3 == 0 )
		{
			supAuditResult result = supAudit_Measure( audit, NULL );
			assert_true( result.deepest <= 1.0f && result.deepCount == 0 );
		}
	}
	supDestroyAudit( audit );
	supDestroyScene( scene );
	DestroyBody( &body );
}

static void TestFolds( void** state )
{
	(void)state;
	testMeasuresOnly();
	CheckFold( sup_methodPosition, 1.76f );
	CheckFold( sup_methodLattice, 1.76f );
	CheckFold( sup_methodFem, 1.76f );
}

// Nothing of a deer at a walk is in anything else by a thickness, though its eyes come out of its lids and in again:
// these are not as deep as what is behind them is thick.
static void CheckWalk( void )
{
	supError error = { 0 };
	supCharacter* deer = supFindModel( "deer" )->create( &error );
	testRequire( deer != NULL, &error );
	supFlesh* flesh = BuildFlesh( deer, sup_methodLbs );
	supScene* scene = MakeWeightless( 1 );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	testRequire( actor != NULL, &error );
	LetTouchItself( actor );
	supAudit* audit = supCreateAudit( &actor, 1, &error );
	testRequire( audit != NULL, &error );
	for ( int32_t i = 0; i < 4; ++i )
	{
		supPose_ApplyClip( supActor_Pose( actor ), supCharacter_FindClip( deer, "Walk" ), 0.25f * (float)i );
		supActor_Reset( actor );
		supAuditResult result = supAudit_Measure( audit, NULL );
		assert_true( result.deepest < 1.0f && result.deepCount == 0 );
	}
	supDestroyAudit( audit );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( deer );
}

// The measure that says so, against what is known of it: legs that bones put in each other, with no flesh to give way.
static void TestAudit( void** state )
{
	(void)state;
	supError error = { 0 };
	Body body = MakeTubeOf( "tube5", sup_methodLbs );
	supScene* scene = MakeWeightless( 1 );
	supActor* actor = AddActor( scene, &body );
	LetTouchItself( actor );
	supAudit* audit = supCreateAudit( &actor, 1, &error );
	testRequire( audit != NULL, &error );
	BendTube( actor, 1.76f );
	supActor_Reset( actor );
	supAuditResult result = supAudit_Measure( audit, NULL );
	// the radius is 25 thicknesses
	assert_true( result.actor == 0 && result.deepest > 15.0f && result.deepest < 25.0f && result.deepCount > 20 );
	BendTube( actor, 0.0f );
	supActor_Reset( actor );
	result = supAudit_Measure( audit, NULL );
	assert_true( result.actor == -1 && result.deepest == 0.0f && result.deepCount == 0 );
	supDestroyAudit( audit );
	supDestroyScene( scene );
	DestroyBody( &body );
	CheckWalk();
}

// ---------------------------------------------------------------------------------------------------------------------
// Bones that put limbs through each other

// How many times as long as at rest the longest edge becomes in so many steps of a clip.
static float PlayAndMeasure( const supFlesh* flesh, const supClip* clip, int32_t steps, bool withItself )
{
	supError error = { 0 };
	// what contact does to flesh, before the guard takes any of it back
	supSceneDef def = supDefaultSceneDef();
	def.substeps = 2;
	def.gravity = supVec3_zero;
	def.guard = false;
	supScene* scene = supCreateScene( &def, &error );
	testRequire( scene != NULL, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	testRequire( actor != NULL, &error );
	if ( withItself )
	{
		LetTouchItself( actor );
	}
	float stretch = 0.0f;
	for ( int32_t i = 0; i < steps; ++i )
	{
		supPose_ApplyClip( supActor_Pose( actor ), clip, fmodf( (float)i / 30.0f, clip->end ) );
		if ( i == 0 )
		{
			supActor_Reset( actor );
		}
		supScene_Step( scene, 1.0f / 30.0f );
		stretch = supMaxFloat( stretch, supActor_Measure( actor ).stretch );
	}
	assert_int_equal( supScene_GetStats( scene ).trouble.notFinite, 0 );
	supDestroyScene( scene );
	return 1.0f + stretch;
}

// What contact with itself makes of it, times what it is without.
static float Compare( const supFlesh* flesh, const char* clip, int32_t steps )
{
	const supClip* played = supCharacter_FindClip( flesh->character, clip );
	return PlayAndMeasure( flesh, played, steps, true ) / PlayAndMeasure( flesh, played, steps, false );
}

// The hands of the running bunny go in and out of its belly, 15 thicknesses deep, from the first frame on. It runs as
// it does without contact where they are too deep, and is not torn where it pushes: no edge is twice as long.
//
// Nothing touches anything where a forearm is twisted by half a turn, though it becomes so thin that its sides meet.
static void TestMovingBunny( void** state )
{
	(void)state;
	testMeasuresOnly();
	supError error = { 0 };
	supCharacter* bunny = supFindModel( "bunny" )->create( &error );
	testRequire( bunny != NULL, &error );
	const supMethodId methods[] = { sup_methodPosition, sup_methodLattice, sup_methodFem, sup_methodModes };
	const int32_t steps[] = { 12, 48, 24, 24 };
	for ( int32_t i = 0; i < SUP_COUNT( methods ); ++i )
	{
		supFlesh* flesh = BuildFlesh( bunny, methods[i] );
		assert_true( Compare( flesh, "Run", steps[i] ) < 2.0f );
		assert_true( methods[i] != sup_methodFem || Compare( flesh, "ForearmTwist", 36 ) < 1.05f );
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( bunny );
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows

#define PARTICLES 3

typedef struct RowStage
{
	float x[4 * PARTICLES];
	float shifts[4 * PARTICLES];
	supContactFlesh flesh;
	supContactRow rows[2];
	supContactSet set;
} RowStage;

// Unit masses along x, and rows between mixes of them.
static void InitRows( RowStage* stage )
{
	*stage = ( RowStage ){ 0 };
	for ( int32_t i = 0; i < PARTICLES; ++i )
	{
		stage->x[4 * i] = (float)i;
		stage->x[4 * i + 3] = 1.0f;
	}
	stage->flesh = ( supContactFlesh ){ .x = stage->x, .massUnit = 1.0f, .shifts = stage->shifts };
	stage->set = ( supContactSet ){ .rows = stage->rows, .fleshCount = 1, .flesh = &stage->flesh };
}

static supContactRow MakeOwnRow( const supContactFlesh* flesh, supContactTerms a, supContactTerms b, float normal,
								 float base )
{
	supContactRow row = { .a = { .rigid = -1, .place = a, .pushed = a },
						  .b = { .rigid = -1, .place = b, .pushed = b },
						  .normal = { normal, 0.0f, 0.0f },
						  .base = base,
						  .ease = 1.0f };
	supContactFlesh_Weigh( flesh, &row.a );
	supContactFlesh_Weigh( flesh, &row.b );
	return row;
}

// Two places that hang on one particle in part: one push puts them as far apart as it should, to rounding, since what
// moves both is not counted. Places that hang on the same are held.
static void TestSharedParticles( void** state )
{
	(void)state;
	RowStage stage;
	InitRows( &stage );
	const int32_t left[2] = { 0, 1 }, right[2] = { 1, 2 };
	const float half[2] = { 0.5f, 0.5f };
	supContactTerms a = { 2, right, half }, b = { 2, left, half };
	stage.rows[0] = MakeOwnRow( &stage.flesh, a, b, 1.0f, -1.4f );
	stage.set.rowCount = 1;
	supContactFlesh_JoinSides( &stage.flesh, &stage.rows[0].a, &stage.rows[0].b );
	testLess( fabsf( supContactSet_Gap( &stage.set, stage.rows ) + 0.4f ), 1e-6f );
	supContactSet_BeginSweeps( &stage.set );
	supContactSet_Sweep( &stage.set, 0.01f );
	testLess( fabsf( supContactSet_Gap( &stage.set, stage.rows ) ), 1e-6f );
	testLess( fabsf( stage.x[0] + stage.x[4] + stage.x[8] - 3.0f ), 1e-6f );

	const float uneven[2] = { 0.45f, 0.55f };
	stage.rows[0] = MakeOwnRow( &stage.flesh, ( supContactTerms ){ 2, left, uneven }, b, 1.0f, -1.0f );
	supContactFlesh_JoinSides( &stage.flesh, &stage.rows[0].a, &stage.rows[0].b );
	assert_true( supContactSet_IsHeld( &stage.set, stage.rows ) );
}

// A push that is spread over the surroundings does not fling away what is next to nothing in it: without a bound it
// would go a thousand times as far as the place that is pushed.
static void TestLightParticles( void** state )
{
	(void)state;
	RowStage stage;
	InitRows( &stage );
	stage.x[4 * 1 + 3] = 0.0f;
	stage.x[4 * 2 + 3] = 1e4f;
	const int32_t place[1] = { 0 }, spread[2] = { 0, 2 }, fixed[1] = { 1 };
	const float one[1] = { 1.0f }, shares[2] = { 0.9f, 0.1f };
	supContactTerms ground = { 1, fixed, one };
	supContactRow row = { .a = { .rigid = -1, .place = { 1, place, one }, .pushed = { 2, spread, shares } },
						  .b = { .rigid = -1, .place = ground, .pushed = ground },
						  .normal = { -1.0f, 0.0f, 0.0f },
						  .base = -2.0f,
						  .ease = 1.0f };
	supContactFlesh_Weigh( &stage.flesh, &row.a );
	supContactFlesh_Weigh( &stage.flesh, &row.b );
	stage.rows[0] = row;
	stage.set.rowCount = 1;
	testLess( fabsf( supContactSet_Gap( &stage.set, stage.rows ) + 1.0f ), 1e-6f );
	supContactSet_BeginSweeps( &stage.set );
	supContactSet_Sweep( &stage.set, 0.01f );
	testLess( fabsf( supContactSet_Gap( &stage.set, stage.rows ) ), 1e-6f );
	testLess( fabsf( stage.x[0] + 1.0f ), 1e-6f );
	testLess( stage.x[4 * 2], 2.0f );
	testGreater( stage.x[4 * 2], -8.0f );
}

// Two rows of which each, as it pushes, puts the other back by twice as much: met in full they would be 16 times as far
// off after each sweep.
static void TestRowsAtOdds( void** state )
{
	(void)state;
	RowStage stage;
	InitRows( &stage );
	stage.x[4 * 2 + 3] = 0.0f;
	const int32_t first[2] = { 0, 1 }, second[2] = { 1, 0 }, fixed[1] = { 2 };
	const float one[1] = { 1.0f }, apart[2] = { 1.0f, -2.0f };
	supContactTerms ground = { 1, fixed, one };
	stage.rows[0] = MakeOwnRow( &stage.flesh, ( supContactTerms ){ 1, first, one }, ground, 1.0f, 1.9f );
	stage.rows[1] = MakeOwnRow( &stage.flesh, ( supContactTerms ){ 1, second, one }, ground, 1.0f, 0.9f );
	stage.rows[0].a.pushed = ( supContactTerms ){ 2, first, apart };
	stage.rows[1].a.pushed = ( supContactTerms ){ 2, second, apart };
	stage.set.rowCount = 2;
	for ( int32_t i = 0; i < 24; ++i )
	{
		supContactSet_BeginSweeps( &stage.set );
		for ( int32_t k = 0; k < 4; ++k )
		{
			supContactSet_Sweep( &stage.set, 0.01f );
		}
	}
	// each is off by 0.1 to begin with
	testGreater( supContactSet_Gap( &stage.set, stage.rows ), -5.0f );
	testGreater( supContactSet_Gap( &stage.set, stage.rows + 1 ), -5.0f );
}

int main( void )
{
	supSetLog( NULL, NULL );
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestAudit ),          cmocka_unit_test( TestFolds ),
		cmocka_unit_test( TestMovingBunny ),    cmocka_unit_test( TestSharedParticles ),
		cmocka_unit_test( TestLightParticles ), cmocka_unit_test( TestRowsAtOdds ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
