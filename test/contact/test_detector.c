// SPDX-License-Identifier: MIT
// Contacts of skins against an oracle that looks at all triangles and counts how often the surface goes around a point.
#include "models_stage.h"

#include "contact/detection.h"
#include "core/core.h"
#include "geometry/overlap.h"
#include "supple/io.h"

// ---------------------------------------------------------------------------------------------------------------------
// The oracle

// How often the surface goes around p (Van Oosterom & Strackee 1983), summed in double.
static double Wind( const Player* body, supVec3 p )
{
	double sum = 0.0;
	for ( int32_t t = 0; t < body->skin.triangleCount; ++t )
	{
		double v[3][3], l[3];
		for ( int32_t k = 0; k < 3; ++k )
		{
			supVec3 q = body->positions[body->skin.corners[3 * t + k]];
			v[k][0] = (double)q.x - p.x;
			v[k][1] = (double)q.y - p.y;
			v[k][2] = (double)q.z - p.z;
			l[k] = sqrt( v[k][0] * v[k][0] + v[k][1] * v[k][1] + v[k][2] * v[k][2] );
		}
		double det = v[0][0] * ( v[1][1] * v[2][2] - v[1][2] * v[2][1] ) -
					 v[0][1] * ( v[1][0] * v[2][2] - v[1][2] * v[2][0] ) +
					 v[0][2] * ( v[1][0] * v[2][1] - v[1][1] * v[2][0] );
		double dots[3];
		for ( int32_t k = 0; k < 3; ++k )
		{
			int32_t n = ( k + 1 ) % 3;
			dots[k] = v[k][0] * v[n][0] + v[k][1] * v[n][1] + v[k][2] * v[n][2];
		}
		sum += 2.0 * atan2( det, l[0] * l[1] * l[2] + dots[0] * l[2] + dots[1] * l[0] + dots[2] * l[1] );
	}
	return sum / ( 4.0 * 3.14159265358979 );
}

static float Nearest( const Player* body, supVec3 p, int32_t* triangle )
{
	double best = INFINITY;
	*triangle = -1;
	for ( int32_t t = 0; t < body->skin.triangleCount; ++t )
	{
		const int32_t* c = body->skin.corners + 3 * t;
		supTriangle triangleNow = { body->positions[c[0]], body->positions[c[1]], body->positions[c[2]] };
		double squared = supClosestPointOnTriangle( &triangleNow, p ).distanceSquared;
		if ( squared < best )
		{
			best = squared;
			*triangle = t;
		}
	}
	return (float)sqrt( best );
}

static supVec3 NormalAt( const Player* body, int32_t vertex )
{
	supVec3 sum = supVec3_zero;
	for ( int32_t i = body->skin.fanStarts[vertex]; i < body->skin.fanStarts[vertex + 1]; ++i )
	{
		const int32_t* c = body->skin.corners + 3 * body->skin.fans[i];
		supVec3 a = body->positions[c[0]];
		sum = supAdd( sum, supCross( supSub( body->positions[c[1]], a ), supSub( body->positions[c[2]], a ) ) );
	}
	return supNormalize( sum );
}

static supVec3 NormalOf( const Player* body, int32_t triangle )
{
	const int32_t* c = body->skin.corners + 3 * triangle;
	supVec3 a = body->positions[c[0]];
	return supNormalize( supCross( supSub( body->positions[c[1]], a ), supSub( body->positions[c[2]], a ) ) );
}

typedef struct Tally
{
	int32_t inside;
	int32_t front;
	int32_t none;
} Tally;

// Every `stride`th vertex of one body against another.
static void CompareWithOracle( const Player* players, int32_t body, int32_t otherBody, const supContactHit* hits,
							   int32_t count, const supDetectorSettings* settings, int32_t stride, Tally* tally )
{
	const Player* other = players + otherBody;
	for ( int32_t v = 0; v < players[body].skin.vertexCount; v += stride )
	{
		supVec3 p = players[body].positions[v];
		int32_t triangle;
		float distance = Nearest( other, p, &triangle );
		bool inside = distance < settings->depth && Wind( other, p ) > 0.5;
		float facing = supDot( NormalAt( players + body, v ), NormalOf( other, triangle ) );
		const supContactHit* hit = FindHit( hits, count, body, v, otherBody );
		if ( inside && facing < 0.2f )
		{
			assert_non_null( hit );
			// another side may be as near, where it faces the vertex better
			testLessEqual( hit->gap, 1e-6f - distance );
			tally->inside += hit->gap > -distance - 1e-6f;
		}
		else if ( inside == false && distance < settings->margin - 1e-6f )
		{
			assert_non_null( hit );
			assert_float_equal( hit->gap, distance, 1e-6f );
			tally->front += 1;
		}
		else if ( inside == false && distance > settings->margin + 1e-6f )
		{
			assert_null( hit );
			tally->none += 1;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static void TestSpheres( void** state )
{
	(void)state;
	Player players[2] = { MakePlayer( MakeSphere( 1.0f, 16 ) ), MakePlayer( MakeSphere( 0.5f, 10 ) ) };
	assert_int_equal( players[0].skin.vertexCount, 4 * 16 * 16 + 2 );
	supDetector* detector = MakeDetector( players, 2, 0 );
	supDetectorSettings settings = { .margin = 0.02f, .depth = 0.3f };
	for ( int32_t step = 0; step < 4; ++step )
	{
		supVec3 center = supScale( 1.55f - 0.08f * (float)step, supNormalize( supMakeVec3( 0.3f, 1.0f, 0.2f ) ) );
		MoveTo( players + 1, players[1].positions, center );
		supContactBody bodies[2] = { { .positions = players[0].positions }, { .positions = players[1].positions } };
		supDetector_Update( detector, bodies, NULL );
		const supContactHit* hits;
		int32_t count = supDetector_Run( detector, &settings, NULL, &hits );
		CheckHits( players, hits, count, &settings );
		Tally tally = { 0 };
		CompareWithOracle( players, 0, 1, hits, count, &settings, 1, &tally );
		CompareWithOracle( players, 1, 0, hits, count, &settings, 1, &tally );
		// the facets of spheres are at most this far inside
		float deepest = 0.0f;
		for ( int32_t i = 0; i < count; ++i )
		{
			deepest = supMinFloat( deepest, hits[i].gap );
			supVec3 outward = hits[i].otherBody == 0 ? players[1].positions[hits[i].vertex]
													 : supSub( players[0].positions[hits[i].vertex], center );
			testGreater( supDot( supNormalize( outward ), hits[i].normal ), 0.95f );
		}
		assert_float_equal( deepest, supMinFloat( 0.05f - 0.08f * (float)step, 0.0f ), 0.02f );
		assert_true( step == 0 ? count == 0 : tally.inside > 8 && tally.front > 0 );
	}
	supDestroyDetector( detector );
	FreePlayer( players );
	FreePlayer( players + 1 );
}

// Random poses of built-in characters that overlap.
static void TestModelsAgainstOracle( void** state )
{
	(void)state;
	static const char* const names[2][2] = { { "snake", "tube5" }, { "deer1748", "tube5" } };
	testRandom random = testMakeRandom( 9 );
	Tally tally = { 0 };
	for ( int32_t i = 0; i < 2; ++i )
	{
		Player players[2] = { MakeModelPlayer( names[i][0] ), MakeModelPlayer( names[i][1] ) };
		supDetector* detector = MakeDetector( players, 2, 0 );
		float size = supMinFloat( players[0].skin.size, players[1].skin.size );
		supDetectorSettings settings = { .margin = 0.01f * size, .depth = 0.05f * size };
		for ( int32_t k = 0; k < 3; ++k )
		{
			for ( int32_t b = 0; b < 2; ++b )
			{
				PoseRandomly( players + b, &random, 0.15f );
				supVec3 middle = players[b].skin.rest[testRandomInt( &random, (uint32_t)players[b].skin.vertexCount )];
				WritePositions( players + b, players[b].positions, supQuat_identity, supNeg( middle ) );
			}
			supContactBody bodies[2] = { { .positions = players[0].positions }, { .positions = players[1].positions } };
			supDetector_Update( detector, bodies, NULL );
			const supContactHit* hits;
			int32_t count = supDetector_Run( detector, &settings, NULL, &hits );
			CheckHits( players, hits, count, &settings );
			CompareWithOracle( players, 0, 1, hits, count, &settings, 7, &tally );
			CompareWithOracle( players, 1, 0, hits, count, &settings, 7, &tally );
		}
		supDestroyDetector( detector );
		FreePlayer( players );
		FreePlayer( players + 1 );
	}
	testGreater( tally.inside, 20 );
	testGreater( tally.front, 20 );
	testGreater( tally.none, 500 );
}

// At rest no character is in contact with itself.
static void TestRestIsFree( void** state )
{
	(void)state;
	static const char* const names[] = { "tube5", "snake", "deer1748" };
	for ( int32_t i = 0; i < SUP_COUNT( names ); ++i )
	{
		Player player = MakeModelPlayer( names[i] );
		supDetector* detector = MakeDetector( &player, 1, 0 );
		supContactBody body = { .positions = player.positions, .self = true };
		supDetector_Update( detector, &body, NULL );
		supDetectorSettings settings = { .margin = 0.01f * player.skin.size, .depth = 0.05f * player.skin.size };
		const supContactHit* hits;
		int32_t count = supDetector_Run( detector, &settings, NULL, &hits );
		for ( int32_t k = 0; k < count; ++k )
		{
			testGreaterEqual( hits[k].gap, 0.0f );
		}
		assert_int_equal( count, 0 );
		supDestroyDetector( detector );
		FreePlayer( &player );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Fast things

// Who jumps does not meet himself.
static void TestJumpIsNoSelfContact( void** state )
{
	(void)state;
	Player player = MakeModelPlayer( "snake" );
	supDetector* detector = MakeDetector( &player, 1, 0 );
	MoveTo( &player, player.previous, supMakeVec3( 0.3f, -1.0f, 0.2f ) );
	supContactBody body = { player.positions, player.previous, true };
	supDetectorSettings settings = { .margin = 0.005f, .depth = 0.02f };
	supDetector_Update( detector, &body, NULL );
	const supContactHit* hits;
	assert_int_equal( supDetector_Run( detector, &settings, NULL, &hits ), 0 );
	supDestroyDetector( detector );
	FreePlayer( &player );
}

// ---------------------------------------------------------------------------------------------------------------------
// With itself

// To the nearest triangle of the same skin that faces a vertex and is far from it at rest.
static float DistanceToFacing( const Player* body, int32_t vertex, supVec3 normal )
{
	float best = INFINITY;
	for ( int32_t t = 0; t < body->skin.triangleCount; ++t )
	{
		const int32_t* c = body->skin.corners + 3 * t;
		supTriangle now = { body->positions[c[0]], body->positions[c[1]], body->positions[c[2]] };
		supTriangle rest = { body->skin.rest[c[0]], body->skin.rest[c[1]], body->skin.rest[c[2]] };
		float distance = supDistanceToTriangle( &now, body->positions[vertex] );
		bool apart = distance < 0.24f * supDistanceToTriangle( &rest, body->skin.rest[vertex] );
		if ( apart && supDot( normal, NormalOf( body, t ) ) < -0.3f )
		{
			best = supMinFloat( best, distance );
		}
	}
	return best;
}

// A tube folded in the middle until its halves are in each other: away from the fold, who is inside the other half is
// found, and nobody else.
static void TestFold( void** state )
{
	(void)state;
	Player player = MakeModelPlayer( "tube5" );
	supDetector* detector = MakeDetector( &player, 1, 0 );
	float size = player.skin.size;
	supDetectorSettings settings = { .margin = 0.01f * size, .depth = 0.1f * size };
	int32_t inside = 0, deep = 0, far = 0;
	for ( int32_t step = 0; step <= 6; ++step )
	{
		supPose_SetRest( player.pose );
		TurnJoint( &player, "bone3", supMakeVec3( 0, 0, 1 ), step == 0 ? 0.0f : 2.6f + 0.06f * (float)step );
		WritePositions( &player, player.positions, supQuat_identity, supVec3_zero );
		supContactBody body = { .positions = player.positions, .self = true };
		supDetector_Update( detector, &body, NULL );
		const supContactHit* hits;
		int32_t count = supDetector_Run( detector, &settings, NULL, &hits );
		CheckHits( &player, hits, count, &settings );
		assert_true( step > 0 || count == 0 );
		for ( int32_t v = 0; v < player.skin.vertexCount; ++v )
		{
			if ( fabsf( player.skin.rest[v].x ) < 0.3f * size )
			{
				continue;
			}
			supVec3 normal = NormalAt( &player, v );
			bool isInside = Wind( &player, supMulAdd( player.positions[v], 1e-3f * size, normal ) ) > 0.5;
			const supContactHit* hit = FindHit( hits, count, 0, v, 0 );
			bool isFound = hit != NULL && hit->gap < 0.0f;
			float out = DistanceToFacing( &player, v, normal );
			assert_true( isInside || isFound == false );
			// to half of the tube's radius: deeper, near the fold, the two halves are near each other at rest too
			assert_true( isFound || isInside == false || out > 0.075f );
			inside += isInside && isFound;
			deep += isInside && isFound == false;
			far += isInside == false && isFound == false;
		}
	}
	testGreater( inside, 40 );
	testLess( deep, inside );
	testGreater( far, 500 );
	supDestroyDetector( detector );
	FreePlayer( &player );
}

// A tube that is squashed flat, to a tenth: its sides come nearer to each other than a quarter of what they are at
// rest, and are behind each other as they always were. None of that is a contact. Nor is what has been outside of the
// far side and comes back.
static void TestSquashed( void** state )
{
	(void)state;
	Player player = MakeModelPlayer( "tube5" );
	supDetector* detector = MakeDetector( &player, 1, 0 );
	float size = player.skin.size;
	supDetectorSettings settings = { .margin = 0.01f * size, .depth = 0.1f * size };
	for ( int32_t i = 0; i < 3; ++i )
	{
		// flat; and back from inside out, within a substep
		for ( int32_t v = 0; v < player.skin.vertexCount; ++v )
		{
			supVec3 rest = player.skin.rest[v];
			player.positions[v] = supMakeVec3( rest.x, ( i == 2 ? 1.0f : 0.1f ) * rest.y, rest.z );
			player.previous[v] = supMakeVec3( rest.x, i == 0 ? 0.1f * rest.y : -0.1f * rest.y, rest.z );
		}
		supContactBody body = { player.positions, player.previous, true };
		supDetector_Update( detector, &body, NULL );
		const supContactHit* hits;
		assert_int_equal( supDetector_Run( detector, &settings, NULL, &hits ), 0 );
	}
	supDestroyDetector( detector );
	FreePlayer( &player );
}

// ---------------------------------------------------------------------------------------------------------------------
// Bounds

// Nothing that culls changes a hit: the same with room for no pair at all, which means that everything is looked at.
static void TestCullingChangesNothing( void** state )
{
	(void)state;
	testMeasuresOnly();
	Player players[2] = { MakeModelPlayer( "snake" ), MakeModelPlayer( "tube5" ) };
	testRandom random = testMakeRandom( 8 );
	supDetector* detectors[2] = { MakeDetector( players, 2, 0 ), MakeDetector( players, 2, 0 ) };
	detectors[1]->pairCapacity = 0;
	int32_t total = 0;
	for ( int32_t i = 0; i < 8; ++i )
	{
		for ( int32_t b = 0; b < 2; ++b )
		{
			PoseRandomly( players + b, &random, 0.6f );
			supVec3 middle = players[b].skin.rest[testRandomInt( &random, (uint32_t)players[b].skin.vertexCount )];
			WritePositions( players + b, players[b].previous, supQuat_identity, supNeg( middle ) );
			PoseRandomly( players + b, &random, 0.6f );
			WritePositions( players + b, players[b].positions, supQuat_identity, supNeg( middle ) );
		}
		supContactBody bodies[2] = { { players[0].positions, players[0].previous, i < 4 },
									 { players[1].positions, players[1].previous, i < 4 } };
		supDetectorSettings settings = { .margin = 0.01f, .depth = 0.03f, .narrow = (supNarrowPhase)( i % 2 ) };
		const supContactHit* hits[2];
		int32_t counts[2];
		for ( int32_t k = 0; k < 2; ++k )
		{
			supDetector_Update( detectors[k], bodies, NULL );
			counts[k] = supDetector_Run( detectors[k], &settings, NULL, hits + k );
		}
		assert_int_equal( counts[0], counts[1] );
		assert_memory_equal( hits[0], hits[1], (size_t)counts[0] * sizeof( supContactHit ) );
		testLessEqual( supDetector_Stats( detectors[0] ).clusters, supDetector_Stats( detectors[1] ).clusters );
		total += counts[0];
	}
	testGreater( total, 100 );
	for ( int32_t k = 0; k < 2; ++k )
	{
		supDestroyDetector( detectors[k] );
		FreePlayer( players + k );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Room, and bad input

static void TestOverflowKeepsTheDeepest( void** state )
{
	(void)state;
	Player players[2] = { MakePlayer( MakeSphere( 1.0f, 12 ) ), MakePlayer( MakeSphere( 0.5f, 12 ) ) };
	MoveTo( players + 1, players[1].positions, supMakeVec3( 0.1f, 1.4f, 0.05f ) );
	supContactBody bodies[2] = { { .positions = players[0].positions }, { .positions = players[1].positions } };
	supDetectorSettings settings = { .margin = 0.02f, .depth = 0.3f };
	supDetector* all = MakeDetector( players, 2, 0 );
	supDetector_Update( all, bodies, NULL );
	const supContactHit* hits;
	const supContactHit* kept;
	int32_t count = supDetector_Run( all, &settings, NULL, &hits );
	testGreater( count, 40 );
	assert_int_equal( supDetector_Stats( all ).droppedHits, 0 );
	supDetector* few = MakeDetector( players, 2, 10 );
	supDetector_Update( few, bodies, NULL );
	assert_int_equal( supDetector_Run( few, &settings, NULL, &kept ), 10 );
	assert_int_equal( supDetector_Stats( few ).droppedHits, count - 10 );
	CheckHits( players, kept, 10, &settings );
	float shallowest = -INFINITY;
	for ( int32_t i = 0; i < 10; ++i )
	{
		shallowest = supMaxFloat( shallowest, kept[i].gap );
	}
	int32_t deeper = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		deeper += hits[i].gap < shallowest;
	}
	testLessEqual( deeper, 9 );
	supDestroyDetector( all );
	supDestroyDetector( few );
	FreePlayer( players );
	FreePlayer( players + 1 );
}

static void TestNothingIsAllocated( void** state )
{
	(void)state;
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	Player players[2] = { MakePlayer( MakeSphere( 1.0f, 8 ) ), MakePlayer( MakeSphere( 0.5f, 8 ) ) };
	MoveTo( players + 1, players[1].positions, supMakeVec3( 0.1f, 1.4f, 0.05f ) );
	supContactBody bodies[2] = { { players[0].positions, players[0].previous, true },
								 { players[1].positions, players[1].previous, true } };
	supDetector* detector = MakeDetector( players, 2, 0 );
	int64_t before = heap.allocations;
	for ( int32_t phase = 0; phase < 2; ++phase )
	{
		supDetectorSettings settings = { .margin = 0.02f, .depth = 0.3f, .narrow = (supNarrowPhase)phase };
		supDetector_Update( detector, bodies, NULL );
		const supContactHit* hits;
		testGreater( supDetector_Run( detector, &settings, NULL, &hits ), 0 );
	}
	assert_int_equal( heap.allocations, before );
	supDestroyDetector( detector );
	FreePlayer( players );
	FreePlayer( players + 1 );
	testUninstallHeap( &heap );
}

static void TestBadPositions( void** state )
{
	(void)state;
	Player players[3] = { MakePlayer( MakeSphere( 1.0f, 8 ) ), MakePlayer( MakeSphere( 0.5f, 8 ) ),
						  MakePlayer( MakeSolid( NULL, 0, NULL, 0 ) ) };
	assert_int_equal( players[2].skin.vertexCount, 0 );
	MoveTo( players + 1, players[1].positions, supMakeVec3( 0.1f, 1.4f, 0.05f ) );
	supDetector* detector = MakeDetector( players, 3, 0 );
	testRandom random = testMakeRandom( 6 );
	static const float bad[] = { NAN, INFINITY, -INFINITY, 3e38f, 1e20f, 1e17f };
	for ( int32_t round = 0; round < 60; ++round )
	{
		MoveTo( players, players[0].positions, supVec3_zero );
		MoveTo( players, players[0].previous, supVec3_zero );
		int32_t lost = round % 10 == 9 ? players[0].skin.vertexCount : 20;
		for ( int32_t k = 0; k < lost; ++k )
		{
			uint32_t v = lost == 20 ? testRandomInt( &random, (uint32_t)players[0].skin.vertexCount ) : (uint32_t)k;
			float value = bad[testRandomInt( &random, SUP_COUNT( bad ) )];
			supVec3* array = round % 3 == 0 ? players[0].previous : players[0].positions;
			array[v].y = value;
			array[v].x = round % 2 == 0 ? value : array[v].x;
		}
		// triangles without area
		for ( int32_t k = 0; k < 5; ++k )
		{
			const int32_t* c = players[0].skin.corners + 3 * testRandomInt( &random, 100 );
			players[0].positions[c[0]] = players[0].positions[c[1]];
		}
		supContactBody bodies[3] = { { players[0].positions, players[0].previous, true },
									 { players[1].positions, NULL, true },
									 { round % 4 == 0 ? NULL : players[2].positions, NULL, true } };
		supDetectorSettings settings = { .margin = 0.02f, .depth = 0.3f, .narrow = (supNarrowPhase)( round % 2 ) };
		supDetector_Update( detector, bodies, NULL );
		const supContactHit* hits;
		int32_t count = supDetector_Run( detector, &settings, NULL, &hits );
		for ( int32_t i = 0; i < count; ++i )
		{
			assert_true( supIsFinite( hits[i].gap ) && supIsFiniteVec3( hits[i].normal ) );
			assert_true( supIsFinite( hits[i].bary[0] + hits[i].bary[1] + hits[i].bary[2] ) );
		}
		assert_true( round % 3 == 0 || supDetector_Stats( detector ).notFinite > 0 || lost == 20 );
	}
	supDestroyDetector( detector );
	for ( int32_t i = 0; i < 3; ++i )
	{
		FreePlayer( players + i );
	}
}

static bool AttemptAll( void* context )
{
	const supCharacter* character = context;
	supError error = { 0 };
	supContactSkin skin = { 0 };
	bool ok = supContactSkin_Init( &skin, character, NULL, &error );
	if ( ok )
	{
		const supContactSkin* skins[2] = { &skin, &skin };
		supDetector* detector = supCreateDetector( skins, 2, 0, &error );
		ok = detector != NULL;
		supDestroyDetector( detector );
	}
	assert_true( ok || error.code == sup_errorMemory );
	supContactSkin_Destroy( &skin );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	supCharacter* character = MakeSphere( 1.0f, 3 );
	testEachAllocationFailure( AttemptAll, character, 200 );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Real characters: open, messy, in parts

static void CheckRealCharacter( const char* path, testRandom* random )
{
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( testAsset( path ), &error );
	testRequire( character != NULL, &error );
	Player players[2] = { MakePlayer( character ), MakePlayer( MakeSphere( 1.0f, 8 ) ) };
	const supContactSkin* skin = &players[0].skin;
	testGreater( skin->vertexCount, 100 );
	supDetector* detectors[2] = { MakeDetector( players, 2, 0 ), MakeDetector( players, 2, 0 ) };
	detectors[1]->pairCapacity = 0;
	supDetectorSettings settings = { .margin = 0.005f * skin->size, .depth = 0.02f * skin->size };
	int32_t total = 0;
	for ( int32_t i = 0; i < 4; ++i )
	{
		// a ball at some vertex; at rest first
		PoseRandomly( players, random, 0.1f * (float)i );
		WritePositions( players, players[0].positions, supQuat_identity, supVec3_zero );
		supVec3 place = players[0].positions[testRandomInt( random, (uint32_t)skin->vertexCount )];
		for ( int32_t v = 0; v < players[1].skin.vertexCount; ++v )
		{
			players[1].positions[v] = supMulAdd( place, 0.1f * skin->size, players[1].skin.rest[v] );
		}
		supContactBody bodies[2] = { { .positions = players[0].positions, .self = true },
									 { .positions = players[1].positions } };
		const supContactHit* hits[2];
		int32_t counts[2];
		for ( int32_t k = 0; k < 2; ++k )
		{
			supDetector_Update( detectors[k], bodies, NULL );
			counts[k] = supDetector_Run( detectors[k], &settings, NULL, hits + k );
		}
		CheckHits( players, hits[0], counts[0], &settings );
		assert_int_equal( counts[0], counts[1] );
		assert_memory_equal( hits[0], hits[1], (size_t)counts[0] * sizeof( supContactHit ) );
		for ( int32_t k = 0; k < counts[0] && i == 0; ++k )
		{
			assert_true( hits[0][k].body != hits[0][k].otherBody );
		}
		total += counts[0];
	}
	testGreater( total, 20 );
	for ( int32_t k = 0; k < 2; ++k )
	{
		supDestroyDetector( detectors[k] );
		FreePlayer( players + k );
	}
}

static void TestRealCharacters( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 12 );
	CheckRealCharacter( "characters/Fox.glb", &random );
	CheckRealCharacter( "characters/CesiumMan.glb", &random );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSpheres ),
		cmocka_unit_test( TestModelsAgainstOracle ),
		cmocka_unit_test( TestRestIsFree ),
		cmocka_unit_test( TestJumpIsNoSelfContact ),
		cmocka_unit_test( TestFold ),
		cmocka_unit_test( TestSquashed ),
		cmocka_unit_test( TestCullingChangesNothing ),
		cmocka_unit_test( TestOverflowKeepsTheDeepest ),
		cmocka_unit_test( TestNothingIsAllocated ),
		cmocka_unit_test( TestBadPositions ),
		cmocka_unit_test( TestOutOfMemory ),
		cmocka_unit_test( TestRealCharacters ),
	};
	return cmocka_run_group_tests( tests, NULL, FreeModels );
}
