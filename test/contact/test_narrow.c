// SPDX-License-Identifier: MIT
// Both narrow phases of the detector: exact, and depth maps.
#include "models_stage.h"

// Where a vertex is less than half as deep as is looked for, 995 of 1000 are the same. Deeper, a map may see a way out
// along its direction where the nearest place is beside it, and beyond what is looked for nothing at all.
static void TestMapsAgainstExact( void** state )
{
	(void)state;
	static const char* const names[2][2] = { { "snake", "tube5" }, { "deer1748", "snake" } };
	testRandom random = testMakeRandom( 21 );
	int32_t common = 0, differing = 0, shallow = 0, shallowDiffering = 0;
	for ( int32_t i = 0; i < 2; ++i )
	{
		Player players[2] = { MakeModelPlayer( names[i][0] ), MakeModelPlayer( names[i][1] ) };
		supDetector* detectors[2] = { MakeDetector( players, 2, 0 ), MakeDetector( players, 2, 0 ) };
		float size = supMinFloat( players[0].skin.size, players[1].skin.size );
		for ( int32_t k = 0; k < 4; ++k )
		{
			for ( int32_t b = 0; b < 2; ++b )
			{
				PoseRandomly( players + b, &random, 0.15f );
				supVec3 middle = players[b].skin.rest[testRandomInt( &random, (uint32_t)players[b].skin.vertexCount )];
				WritePositions( players + b, players[b].positions, supQuat_identity, supNeg( middle ) );
			}
			supContactBody bodies[2] = { { .positions = players[0].positions }, { .positions = players[1].positions } };
			const supContactHit* hits[2];
			int32_t counts[2];
			for ( int32_t phase = 0; phase < 2; ++phase )
			{
				supDetectorSettings settings = { 0.005f * size, 0.02f * size, (supNarrowPhase)phase };
				supDetector_Update( detectors[phase], bodies, NULL );
				counts[phase] = supDetector_Run( detectors[phase], &settings, NULL, hits + phase );
				CheckHits( players, hits[phase], counts[phase], &settings );
			}
			for ( int32_t phase = 0; phase < 2; ++phase )
			{
				for ( int32_t n = 0; n < counts[phase]; ++n )
				{
					const supContactHit* h = hits[phase] + n;
					const supContactHit* o =
						FindHit( hits[1 - phase], counts[1 - phase], h->body, h->vertex, h->otherBody );
					bool same = o != NULL && fabsf( o->gap - h->gap ) < 1e-6f;
					common += same;
					differing += same == false;
					shallow += h->gap > -0.01f * size;
					shallowDiffering += h->gap > -0.01f * size && same == false;
				}
			}
		}
		for ( int32_t k = 0; k < 2; ++k )
		{
			supDestroyDetector( detectors[k] );
			FreePlayer( players + k );
		}
	}
	testGreater( shallow, 1500 );
	testLess( shallowDiffering, shallow / 200 );
	testLess( differing, common / 10 );
}

// A ball of which a smaller one is a part, inside of it and just below its surface, sinks onto another ball whose
// vertices are denser than both. A vertex between the two surfaces is in front of the small one and all the same
// inside: both phases must say so, and everything else alike.
static void TestPartInPart( void** state )
{
	(void)state;
	Player shells[2] = { MakePlayer( MakeSphere( 1.0f, 12 ) ), MakePlayer( MakeSphere( 0.2f, 8 ) ) };
	supVec3* positions = StageAlloc( 8 * 3 * ( 12 * 12 + 8 * 8 ), sizeof( supVec3 ) );
	uint32_t* indices = StageAlloc( 8 * 3 * ( 12 * 12 + 8 * 8 ), sizeof( uint32_t ) );
	int32_t count = 0;
	for ( int32_t i = 0; i < 2; ++i )
	{
		supVec3 center = { 0.0f, i == 0 ? 0.0f : -0.72f, 0.0f };
		for ( int32_t k = 0; k < 3 * shells[i].skin.triangleCount; ++k, ++count )
		{
			positions[count] = supAdd( center, shells[i].skin.rest[shells[i].skin.corners[k]] );
			indices[count] = (uint32_t)count;
		}
	}
	Player players[2] = { MakePlayer( MakeSphere( 0.8f, 24 ) ),
						  MakePlayer( MakeSolid( positions, count, indices, count / 3 ) ) };
	supDetector* detector = MakeDetector( players, 2, 0 );
	int32_t between = 0;
	for ( int32_t step = 0; step < 4; ++step )
	{
		supVec3 place = { 0.02f, 1.77f - 0.02f * (float)step, 0.01f };
		MoveTo( players + 1, players[1].positions, place );
		supContactBody bodies[2] = { { .positions = players[0].positions }, { .positions = players[1].positions } };
		int32_t counts[2];
		supContactHit* kept[2];
		for ( int32_t phase = 0; phase < 2; ++phase )
		{
			supDetectorSettings settings = { .margin = 0.02f, .depth = 0.12f, .narrow = (supNarrowPhase)phase };
			const supContactHit* hits;
			supDetector_Update( detector, bodies, NULL );
			counts[phase] = supDetector_Run( detector, &settings, NULL, &hits );
			CheckHits( players, hits, counts[phase], &settings );
			kept[phase] = StageAlloc( (size_t)counts[phase], sizeof( supContactHit ) );
			memcpy( kept[phase], hits, (size_t)counts[phase] * sizeof( supContactHit ) );
		}
		for ( int32_t v = 0; v < players[0].skin.vertexCount; ++v )
		{
			supVec3 p = supSub( players[0].positions[v], place );
			float gap = supLength( supAdd( p, supMakeVec3( 0.0f, 0.72f, 0.0f ) ) ) - 0.2f;
			const supContactHit* exact = FindHit( kept[0], counts[0], 0, v, 1 );
			const supContactHit* maps = FindHit( kept[1], counts[1], 0, v, 1 );
			assert_true( ( exact == NULL ) == ( maps == NULL ) );
			if ( exact == NULL )
			{
				continue;
			}
			assert_float_equal( maps->gap, exact->gap, 1e-6f );
			// facets are up to 0.01 inside of their spheres
			if ( exact->gap < -0.01f && gap > 0.005f && gap < 0.03f )
			{
				assert_float_equal( exact->gap, supLength( p ) - 1.0f, 0.01f );
				between += 1;
			}
		}
		free( kept[0] );
		free( kept[1] );
	}
	testGreater( between, 20 );
	supDestroyDetector( detector );
	free( positions );
	free( indices );
	for ( int32_t i = 0; i < 2; ++i )
	{
		FreePlayer( shells + i );
		FreePlayer( players + i );
	}
}

// A ball flies through a thin plate within one step, whichever of the two moves, and at any speed.
static void TestNothingTunnels( void** state )
{
	(void)state;
	supVec3 box[8];
	static const uint32_t indices[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
										  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
	for ( int32_t i = 0; i < 8; ++i )
	{
		box[i] = supMakeVec3( i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 0.002f : -0.002f );
	}
	Player players[2] = { MakePlayer( MakeSolid( box, 8, indices, 12 ) ), MakePlayer( MakeSphere( 0.1f, 4 ) ) };
	supDetector* detector = MakeDetector( players, 2, 0 );
	for ( int32_t phase = 0; phase < 2; ++phase )
	{
		for ( int32_t moving = 0; moving < 2; ++moving )
		{
			for ( float far = 0.2f; far < 20.0f; far *= 3.0f )
			{
				supVec3 front = { 0.1f, 0.2f, 0.15f }, behind = { 0.12f, 0.2f, -far };
				MoveTo( players + 1, players[1].positions, moving == 0 ? behind : supVec3_zero );
				MoveTo( players + 1, players[1].previous, moving == 0 ? front : supVec3_zero );
				MoveTo( players, players[0].positions, moving == 0 ? supVec3_zero : supNeg( behind ) );
				MoveTo( players, players[0].previous, moving == 0 ? supVec3_zero : supNeg( front ) );
				supContactBody bodies[2] = { { players[0].positions, players[0].previous, false },
											 { players[1].positions, players[1].previous, false } };
				supDetectorSettings settings = { .margin = 0.005f, .depth = 0.02f, .narrow = (supNarrowPhase)phase };
				supDetector_Update( detector, bodies, NULL );
				const supContactHit* hits;
				int32_t count = supDetector_Run( detector, &settings, NULL, &hits );
				CheckHits( players, hits, count, &settings );
				for ( int32_t v = 0; v < players[1].skin.vertexCount; ++v )
				{
					const supContactHit* hit = FindHit( hits, count, 1, v, 0 );
					assert_non_null( hit );
					testGreater( hit->normal.z, 0.99f );
					assert_float_equal( hit->gap, players[1].skin.rest[v].z - far - 0.002f, 1e-4f * ( 1.0f + far ) );
				}
			}
		}
	}
	supDestroyDetector( detector );
	FreePlayer( players );
	FreePlayer( players + 1 );
}

// From whichever triangle a walk starts, it finds how deep a point is in a ball: not what the plane of that triangle
// says.
static void TestDepthByWalking( void** state )
{
	(void)state;
	Player ball = MakePlayer( MakeSphere( 1.0f, 24 ) );
	testRandom random = testMakeRandom( 5 );
	float worst = 0.0f, plane = 0.0f;
	for ( int32_t i = 0; i < 2000; ++i )
	{
		int32_t start = (int32_t)testRandomFloat( &random, 0.0f, (float)ball.skin.triangleCount - 0.5f );
		const int32_t* c = ball.skin.corners + 3 * (size_t)start;
		const supVec3* p = ball.positions;
		supVec3 middle = supScale( 1.0f / 3.0f, supAdd( p[c[0]], supAdd( p[c[1]], p[c[2]] ) ) );
		supVec3 normal = supNormalize( supCross( supSub( p[c[1]], p[c[0]] ), supSub( p[c[2]], p[c[0]] ) ) );
		supVec3 aside = supMakeVec3( testRandomFloat( &random, -0.7f, 0.7f ), testRandomFloat( &random, -0.7f, 0.7f ),
									 testRandomFloat( &random, -0.7f, 0.7f ) );
		supVec3 point = supScale( testRandomFloat( &random, 0.85f, 1.1f ), supNormalize( supAdd( middle, aside ) ) );
		float depth = supContactSkin_FindDepth( &ball.skin, p, start, point );
		// a ball of triangles is a little smaller than the ball
		float expected = supMaxFloat( 0.0f, 1.0f - supLength( point ) );
		worst = supMaxFloat( worst, fabsf( depth - expected ) );
		plane = supMaxFloat( plane, -supDot( normal, supSub( point, middle ) ) );
	}
	print_message( "off by %g at most; the plane of the triangle says up to %g\n", (double)worst, (double)plane );
	testLess( worst, 0.02f );
	testGreater( plane, 0.3f );
	FreePlayer( &ball );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestMapsAgainstExact ),
		cmocka_unit_test( TestPartInPart ),
		cmocka_unit_test( TestNothingTunnels ),
		cmocka_unit_test( TestDepthByWalking ),
	};
	return cmocka_run_group_tests( tests, NULL, FreeModels );
}
