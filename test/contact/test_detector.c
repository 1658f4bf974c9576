// SPDX-License-Identifier: MIT
// Contacts of skins against an oracle that looks at all triangles and counts how often the surface goes around a point.
#include "stage.h"

#include "core/core.h"
#include "geometry/overlap.h"
#include "models/models.h"

static supCharacter* MakeModel( const char* name )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( name )->create( &error );
	testRequire( character != NULL, &error );
	return character;
}

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

// What a hit says of itself must be so.
static void CheckHits( const Player* players, const supContactHit* hits, int32_t count,
					   const supDetectorSettings* settings )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		const supContactHit* h = hits + i;
		const Player* other = players + h->otherBody;
		supVec3 point = supVec3_zero;
		float sum = 0.0f;
		for ( int32_t k = 0; k < 3; ++k )
		{
			assert_int_equal( h->corners[k], other->skin.corners[3 * h->triangle + k] );
			assert_true( h->bary[k] >= 0.0f );
			sum += h->bary[k];
			point = supMulAdd( point, h->bary[k], other->positions[h->corners[k]] );
		}
		assert_float_equal( sum, 1.0f, 1e-5f );
		assert_float_equal( supLength( h->normal ), 1.0f, 1e-4f );
		supVec3 offset = supSub( players[h->body].positions[h->vertex], point );
		assert_float_equal( supDot( h->normal, offset ), h->gap, 1e-5f );
		assert_true( h->gap <= settings->margin );
		bool ordered = i == 0 || h->body > h[-1].body || ( h->body == h[-1].body && h->vertex > h[-1].vertex ) ||
					   ( h->body == h[-1].body && h->vertex == h[-1].vertex && h->gap >= h[-1].gap );
		assert_true( ordered );
	}
}

// The deepest hit of a vertex with another body; NULL without.
static const supContactHit* FindHit( const supContactHit* hits, int32_t count, int32_t body, int32_t vertex,
									 int32_t otherBody )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( hits[i].body == body && hits[i].vertex == vertex && hits[i].otherBody == otherBody )
		{
			return hits + i;
		}
	}
	return NULL;
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
			assert_true( hit->gap <= 1e-6f - distance );
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
			assert_true( supDot( supNormalize( outward ), hits[i].normal ) > 0.95f );
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
	static const char* const names[3][2] = { { "tube", "snake" }, { "snake", "tube5" }, { "deer1748", "cow" } };
	testRandom random = testMakeRandom( 9 );
	Tally tally = { 0 };
	for ( int32_t i = 0; i < 3; ++i )
	{
		Player players[2] = { MakePlayer( MakeModel( names[i][0] ) ), MakePlayer( MakeModel( names[i][1] ) ) };
		supDetector* detector = MakeDetector( players, 2, 0 );
		float size = supMinFloat( players[0].skin.size, players[1].skin.size );
		supDetectorSettings settings = { .margin = 0.01f * size, .depth = 0.05f * size };
		for ( int32_t k = 0; k < 2; ++k )
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
			CompareWithOracle( players, 0, 1, hits, count, &settings, 17, &tally );
			CompareWithOracle( players, 1, 0, hits, count, &settings, 17, &tally );
		}
		supDestroyDetector( detector );
		FreePlayer( players );
		FreePlayer( players + 1 );
	}
	assert_true( tally.inside > 30 && tally.front > 30 && tally.none > 1000 );
}

// At rest no character is in contact with itself.
static void TestRestIsFree( void** state )
{
	(void)state;
	static const char* const names[] = { "tube5", "snake", "bunny" };
	for ( int32_t i = 0; i < SUP_COUNT( names ); ++i )
	{
		Player player = MakePlayer( MakeModel( names[i] ) );
		supDetector* detector = MakeDetector( &player, 1, 0 );
		supContactBody body = { .positions = player.positions, .self = true };
		supDetector_Update( detector, &body, NULL );
		supDetectorSettings settings = { .margin = 0.01f * player.skin.size, .depth = 0.05f * player.skin.size };
		const supContactHit* hits;
		int32_t count = supDetector_Run( detector, &settings, NULL, &hits );
		for ( int32_t k = 0; k < count; ++k )
		{
			assert_true( hits[k].gap >= 0.0f );
		}
		assert_int_equal( count, 0 );
		supDestroyDetector( detector );
		FreePlayer( &player );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSpheres ),
		cmocka_unit_test( TestModelsAgainstOracle ),
		cmocka_unit_test( TestRestIsFree ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
