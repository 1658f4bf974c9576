// SPDX-License-Identifier: MIT
// Actors that begin deep inside of each other, and of themselves.
#include "contact_stage.h"

#include "geometry/tree.h"
#include "geometry/winding.h"

#define DT ( 1.0f / 60.0f )

// Frames between looks at how deep they are.
#define STRIDE 3

static void LetTouch( supActor* actor )
{
	supError error = { 0 };
	supContactSettings settings = supDefaultContactSettings();
	settings.withActors = true;
	testRequire( supActor_SetContact( actor, &settings, &error ), &error );
}

typedef struct Depth
{
	// of the deepest vertex, to the nearest place of the other surface
	float deepest;
	int32_t inside;
	// for how many of these the way to the nearest place goes down, into the other
	int32_t wrong;
} Depth;

static Depth DepthInActor( const supActor* actor, const supActor* other, float up )
{
	supError error = { 0 };
	const supMesh* mesh =
		supCharacter_Mesh( other->flesh->character, supCharacter_Instance( other->flesh->character, 0 )->mesh );
	supTree* tree =
		supCreateTree( other->surfaces[0].positions, mesh->vertexCount, mesh->indices, mesh->indexCount / 3, &error );
	testRequire( tree != NULL, &error );
	supWinding* winding = supCreateWinding( tree, SUP_WINDING_BETA, NULL, &error );
	testRequire( winding != NULL, &error );
	Depth depth = { 0 };
	for ( int32_t i = 0; i < actor->surfaces[0].vertexCount; ++i )
	{
		supVec3 p = actor->surfaces[0].positions[i];
		supTreeHit hit;
		if ( supWinding_Evaluate( winding, p ) > 0.5f && supTree_FindClosest( tree, p, INFINITY, &hit ) )
		{
			depth.inside += 1;
			depth.deepest = supMaxFloat( depth.deepest, hit.distance );
			depth.wrong += up * ( hit.point.y - p.y ) < 0.0f;
		}
	}
	supDestroyWinding( winding );
	supDestroyTree( tree );
	return depth;
}

static void Place( supActor* actor, supVec3 offset, float turn )
{
	const supCharacter* character = actor->flesh->character;
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		if ( supCharacter_Node( character, i )->parent < 0 )
		{
			supTransform rest = supCharacter_Node( character, i )->rest;
			supQuat by = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 1.0f, 0.0f ), turn );
			rest.rotation = supMulQuat( by, rest.rotation );
			rest.translation = supAdd( supRotate( by, rest.translation ), offset );
			supPose_SetLocal( supActor_Pose( actor ), i, rest );
		}
	}
	supActor_Reset( actor );
}

typedef struct Case
{
	const Body* lower;
	const Body* upper;
	// of the upper one
	supVec3 offset;
	float turn;
	float speed; // of recovery
	// vertices whose nearest place on the other surface is farther in, at least
	int32_t wrong;
} Case;

// The upper one begins deep in the lower one and comes out at the speed of recovery, which something elastic that is
// pushed at that speed may double, and stays out.
static void CheckRecovery( const Case* c )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.substeps = 4;
	def.gravity = supVec3_zero;
	def.recoverySpeed = c->speed;
	supScene* scene = supCreateScene( &def, &error );
	testRequire( scene != NULL, &error );
	supActor* actors[2] = { AddActor( scene, c->lower ), AddActor( scene, c->upper ) };
	LetTouch( actors[0] );
	LetTouch( actors[1] );
	Place( actors[1], c->offset, c->turn );
	Depth depths[2] = { DepthInActor( actors[0], actors[1], -1.0f ), DepthInActor( actors[1], actors[0], 1.0f ) };
	float thickness = supMaxFloat( actors[0]->contact->thickness, actors[1]->contact->thickness );
	float before = supMaxFloat( depths[0].deepest, depths[1].deepest ), height = MeanOf( actors[1] ).y;
	testGreater( before, 10.0f * thickness );
	testGreaterEqual( depths[0].wrong + depths[1].wrong, c->wrong );
	// the way out is longer than the nearest one
	int32_t frames = (int32_t)( 2.5f * before / ( c->speed * DT ) ) + 3;
	for ( int32_t i = 0; i < frames; i += STRIDE )
	{
		for ( int32_t k = 0; k < STRIDE; ++k )
		{
			supScene_Step( scene, DT );
			testLessEqual( fabsf( MeanOf( actors[1] ).y - height ), 2.0f * c->speed * DT );
			height = MeanOf( actors[1] ).y;
		}
		depths[0] = DepthInActor( actors[0], actors[1], -1.0f );
		depths[1] = DepthInActor( actors[1], actors[0], 1.0f );
		float now = supMaxFloat( depths[0].deepest, depths[1].deepest );
		testLessEqual( before - now, 2.0f * STRIDE * c->speed * DT + thickness );
		before = now;
	}
	testLessEqual( before, thickness );
	testGreater( MeanOf( actors[1] ).y, MeanOf( actors[0] ).y );
	assert_int_equal( supScene_GetStats( scene ).contact.dropped, 0 );
	assert_int_equal( supScene_GetStats( scene ).trouble.notFinite, 0 );
	supDestroyScene( scene );
}

static void TestCubes( void** state )
{
	(void)state;
	Body cubes[2] = { MakeCube( 0.2f, 3, 0.0f, NULL, 0 ), MakeCube( 0.15f, 3, 0.07f, NULL, 0 ) };
	Case c = { cubes, cubes + 1, { 0.01f, 0.0f, 0.013f }, 0.2f, 1.0f, 6 };
	CheckRecovery( &c );
	c.speed = 0.25f;
	CheckRecovery( &c );
	DestroyBody( cubes );
	DestroyBody( cubes + 1 );
}

static void TestTubes( void** state )
{
	(void)state;
	testMeasuresOnly();
	Body bodies[4] = { MakeTube( sup_methodLbs ), MakeTube( sup_methodPosition ), MakeTube( sup_methodLattice ),
					   MakeTube( sup_methodPoints ) };
	for ( int32_t i = 1; i < 4; ++i )
	{
		for ( int32_t k = i == 1 ? 0 : 1; k <= i; ++k )
		{
			// what does not give way at all is 0.15 wide, and bones cannot get nearer; mass points are too soft to be
			// pushed past a bone
			bool isLess = i == 3 || k == 0;
			supVec3 offset = { 0.02f, isLess ? 0.155f : 0.14f, 0.03f };
			CheckRecovery( &( Case ){ bodies + k, bodies + i, offset, 1.3f, 1.0f, isLess ? 0 : 7 } );
		}
	}
	for ( int32_t i = 0; i < 4; ++i )
	{
		DestroyBody( bodies + i );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Inside of itself

// How deep one leg of a bent tube, what was beyond a quarter of a metre on that side at rest, is inside of the other,
// which is closed where they meet.
static float DepthOfLeg( const supActor* actor, float side )
{
	supError error = { 0 };
	const supCharacter* character = actor->flesh->character;
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh );
	const supVec3* now = actor->surfaces[0].positions;
	uint32_t* indices = test_malloc( (size_t)mesh->indexCount * sizeof( uint32_t ) );
	int32_t count = 0;
	for ( int32_t t = 0; t < mesh->indexCount; t += 3 )
	{
		const uint32_t* corners = mesh->indices + t;
		for ( int32_t k = 0; k < 3 && side * mesh->positions[corners[0]].x < -0.25f; ++k )
		{
			indices[count++] = corners[k];
		}
	}
	supTree* tree = supCreateTree( now, mesh->vertexCount, indices, count / 3, &error );
	testRequire( tree != NULL, &error );
	supWinding* winding = supCreateWinding( tree, SUP_WINDING_BETA, NULL, &error );
	testRequire( winding != NULL, &error );
	float deepest = 0.0f;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		supTreeHit hit;
		if ( side * mesh->positions[i].x > 0.25f && supWinding_Evaluate( winding, now[i] ) > 0.5f &&
			 supTree_FindClosest( tree, now[i], INFINITY, &hit ) )
		{
			deepest = supMaxFloat( deepest, hit.distance );
		}
	}
	supDestroyWinding( winding );
	supDestroyTree( tree );
	test_free( indices );
	return deepest;
}

static float DepthInItself( const supActor* actor )
{
	return supMaxFloat( DepthOfLeg( actor, 1.0f ), DepthOfLeg( actor, -1.0f ) );
}

// How many times as long as at rest the edge is that is stretched most.
static float StretchOf( const supActor* actor )
{
	const supCharacter* character = actor->flesh->character;
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh );
	const supVec3* now = actor->surfaces[0].positions;
	float most = 0.0f;
	for ( int32_t i = 0; i < mesh->indexCount; ++i )
	{
		uint32_t a = mesh->indices[i], b = mesh->indices[i % 3 < 2 ? i + 1 : i - 2];
		most =
			supMaxFloat( most, supDistance( now[a], now[b] ) / supDistance( mesh->positions[a], mesh->positions[b] ) );
	}
	return most;
}

// The second difference of places over three frames: 0 for what moves evenly. Returns the mean of all vertices.
static float Tremble( const supActor* actor, supVec3* last, supVec3* beforeLast, float* most )
{
	int32_t count = actor->surfaces[0].vertexCount;
	float sum = 0.0f;
	*most = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		supVec3 now = actor->surfaces[0].positions[i];
		float size = supLength( supAdd( supSub( now, supScale( 2.0f, last[i] ) ), beforeLast[i] ) );
		sum += size;
		*most = supMaxFloat( *most, size );
		beforeLast[i] = last[i];
		last[i] = now;
	}
	return sum / (float)count;
}

// Frames that it is watched for after it has come out, the last of them for trembling: half a second of patience comes
// before skin that has no room is slowed down.
#define WATCHED 42
#define STILL 12

// Frames until flesh without room is at rest: the time to come out, half a second of patience and as much to fade.
#define CROSSED 94
#define REOPENED 10

// Stays out, comes to rest but for slow swings, which alone tremble by half as much, and is not torn: its skin is
// stretched no more than twice as much as by its bones.
static void CheckRest( supScene* scene, const supActor* actor, float stretch )
{
	float thickness = actor->contact->thickness, trembles = 0.0f;
	size_t size = (size_t)actor->surfaces[0].vertexCount * sizeof( supVec3 );
	supVec3* places[2] = { test_malloc( size ), test_malloc( size ) };
	for ( int32_t i = 0; i < WATCHED; ++i )
	{
		supScene_Step( scene, DT );
		float most, now = Tremble( actor, places[0], places[1], &most );
		trembles += i >= WATCHED - STILL ? now / STILL : 0.0f;
		if ( i % STRIDE == 0 )
		{
			testLessEqual( DepthInItself( actor ), thickness );
		}
	}
	testLess( trembles, 0.1f * thickness );
	testLess( StretchOf( actor ), 2.0f * stretch );
	test_free( places[0] );
	test_free( places[1] );
}

// A tube on five bones, bent twice by a bit more than a right angle, so that its legs are in each other.
static supActor* AddBent( supScene* scene, const Body* body, float angle )
{
	supActor* actor = AddActor( scene, body );
	LetTouchItself( actor );
	BendTube( actor, angle );
	supActor_Reset( actor );
	return actor;
}

// Legs that are at their ends in each other by more than the radius of either: bones leave a third of the room that the
// flesh has at rest.
static void CheckLegs( const Body* body, int32_t substeps )
{
	supScene* scene = MakeWeightless( substeps );
	const supActor* actor = AddBent( scene, body, 1.76f );
	float thickness = actor->contact->thickness, before = DepthInItself( actor );
	float speed = supDefaultSceneDef().recoverySpeed;
	testGreater( before, 18.0f * thickness );
	float stretch = StretchOf( actor );
	int32_t frames = (int32_t)( 2.5f * before / ( speed * DT ) ) + 3;
	for ( int32_t i = 0; i < frames; i += STRIDE )
	{
		for ( int32_t k = 0; k < STRIDE; ++k )
		{
			supScene_Step( scene, DT );
		}
		float now = DepthInItself( actor );
		testLessEqual( before - now, 2.0f * STRIDE * speed * DT + thickness );
		before = now;
	}
	testLessEqual( before, thickness );
	CheckRest( scene, actor, stretch );
	assert_int_equal( supScene_GetStats( scene ).contact.dropped, 0 );
	assert_int_equal( supScene_GetStats( scene ).trouble.notFinite, 0 );
	supDestroyScene( scene );
}

// Bones that have crossed each other: what cannot come out is told, nothing is torn, and all of it comes to rest, in
// long steps as well, in which it would tremble most.
static void CheckCrossed( const Body* body, float angle )
{
	supScene* scene = MakeWeightless( 1 );
	supActor* actor = AddBent( scene, body, angle );
	float thickness = actor->contact->thickness, stretch = StretchOf( actor );
	size_t size = (size_t)actor->surfaces[0].vertexCount * sizeof( supVec3 );
	supVec3* places[2] = { test_malloc( size ), test_malloc( size ) };
	for ( int32_t i = 0; i < CROSSED; ++i )
	{
		supScene_Step( scene, DT );
		float most, mean = Tremble( actor, places[0], places[1], &most );
		if ( i >= CROSSED - STILL )
		{
			testLess( mean, 0.1f * thickness );
			testLess( most, thickness );
		}
	}
	supContactStats stats = supScene_GetStats( scene ).contact;
	assert_true( DepthInItself( actor ) <= thickness || stats.left > 0 );
	testLess( StretchOf( actor ), 2.0f * stretch );
	// once bones have been apart they touch each other again
	for ( int32_t i = 0; i < REOPENED; ++i )
	{
		BendTube( actor, i == 0 ? 1.4f : supMinFloat( 1.4f + 0.04f * (float)i, 1.7f ) );
		supScene_Step( scene, DT );
	}
	testLessEqual( DepthInItself( actor ), thickness );
	assert_int_equal( stats.dropped, 0 );
	assert_int_equal( supScene_GetStats( scene ).trouble.notFinite, 0 );
	test_free( places[0] );
	test_free( places[1] );
	supDestroyScene( scene );
}

static void TestInItself( void** state )
{
	(void)state;
	testMeasuresOnly();
	const supMethodId methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints, sup_methodFem,
									sup_methodModes };
	const float angles[] = { 1.9f, 1.85f, 1.85f, 1.9f, 1.9f };
	for ( int32_t i = 0; i < SUP_COUNT( methods ); ++i )
	{
		Body body = MakeTubeOf( "tube5", methods[i] );
		CheckLegs( &body, 4 );
		if ( methods[i] == sup_methodPoints )
		{
			// the longer the steps, the farther soft flesh slips back in one
			CheckLegs( &body, 2 );
		}
		CheckCrossed( &body, angles[i] );
		DestroyBody( &body );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

// Bones that take a tube through another within one step: nothing is torn off them, and it is told.
static void TestLeftAlone( void** state )
{
	(void)state;
	Body bodies[2] = { MakeTube( sup_methodLattice ), MakeTube( sup_methodLbs ) };
	supScene* scene = MakeScene( 1, NULL );
	supActor* actors[2] = { AddActor( scene, bodies ), AddActor( scene, bodies + 1 ) };
	LetTouch( actors[0] );
	LetTouch( actors[1] );
	supBox box = SurfaceBox( actors[0] );
	float height = box.upper.y - box.lower.y;
	PlaceRoot( actors[1], supMakeVec3( 0.0f, 1.1f * height, 0.0f ) );
	supActor_Reset( actors[1] );
	supScene_Step( scene, DT );
	assert_int_equal( supScene_GetStats( scene ).contact.left, 0 );
	PlaceRoot( actors[1], supMakeVec3( 0.0f, 0.5f * height, 0.0f ) );
	supScene_Step( scene, DT );
	testGreater( supScene_GetStats( scene ).contact.left, 0 );
	PlaceRoot( actors[1], supMakeVec3( 0.0f, 2.0f * height, 0.0f ) );
	supScene_Step( scene, DT );
	assert_int_equal( supScene_GetStats( scene ).contact.left, 0 );
	supDestroyScene( scene );
	DestroyBody( bodies );
	DestroyBody( bodies + 1 );
}

int main( void )
{
	supSetLog( NULL, NULL );
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestCubes ),
		cmocka_unit_test( TestTubes ),
		cmocka_unit_test( TestInItself ),
		cmocka_unit_test( TestLeftAlone ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
