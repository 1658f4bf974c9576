// SPDX-License-Identifier: MIT
// labels: release
// The sculpted characters: exact counts, one closed skin without handles, smooth weights, clips that loop and keep to
// the ground, and the same bits from every compiler.
#include "support.h"

#include "models/models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const s_bipedClips[] = { "Walk",      "Run",      "Jump", "Shake", "ForearmTwist",
											"ElbowBend", "HeadTurn", "Fall", NULL };
static const char* const s_hopperClips[] = {
	"Hop", "Run", "Jump", "Shake", "Box", "ElbowBend", "HeadTurn", "Fall", NULL
};
static const char* const s_quadrupedClips[] = { "Walk", "Run", "Jump", "Shake", "HeadTurn", "Graze", "Fall", NULL };
static const char* const s_octopusClips[] = { "Crawl", "Swim", "Shake", "Reach", "Fall", NULL };
static const char* const s_snakeClips[] = { "Slither", "Strike", "Coil", NULL };

typedef struct Expected
{
	const char* name;
	int32_t joints;
	int32_t vertices;
	float height;
	// All that the character consists of. Changes with every change of its shape, and with nothing else.
	uint64_t hash;
	const char* const* clips;
} Expected;

static const Expected s_expected[] = {
	{ "bunny", 29, 8111, 1.96f, 0x1a609f9326ab904eull, s_bipedClips },
	{ "human", 25, 9528, 1.80f, 0xa682c043eb689905ull, s_bipedClips },
	{ "torso", 25, 4345, 1.15f, 0x3f5c64353788206eull, s_bipedClips },
	{ "kangaroo", 32, 3206, 1.67f, 0x80fce96039b7b4c7ull, s_hopperClips },
	{ "smurf", 25, 4012, 1.10f, 0x84f65b3488d49489ull, s_bipedClips },
	{ "bloat", 24, 4008, 1.07f, 0x7f568875bd180b08ull, s_bipedClips },
	{ "deer", 34, 2755, 1.88f, 0x0c5374c2d0df6fb5ull, s_quadrupedClips },
	{ "deer1748", 34, 1748, 1.86f, 0x51c71312f2a6ecbfull, s_quadrupedClips },
	{ "deer8408", 34, 8408, 1.89f, 0xc4430bd3ef1444ffull, s_quadrupedClips },
	{ "horse", 43, 3833, 2.07f, 0x24590f6e5d8684ddull, s_quadrupedClips },
	{ "cow", 37, 3012, 1.54f, 0x6febe1815303b110ull, s_quadrupedClips },
	{ "octopus", 63, 4000, 0.70f, 0xfaf75fc2dff2cc5bull, s_octopusClips },
	{ "snake", 16, 1503, 0.17f, 0x67b65ac8df534967ull, s_snakeClips },
	{ "snake3102", 16, 3102, 0.17f, 0x371e73f2d3a19b93ull, s_snakeClips },
};

#define CREATURE_COUNT ( (int)( sizeof( s_expected ) / sizeof( s_expected[0] ) ) )

static supCharacter* s_characters[CREATURE_COUNT];

static int CreateAll( void** state )
{
	(void)state;
	for ( int i = 0; i < CREATURE_COUNT; ++i )
	{
		const supModel* model = supFindModel( s_expected[i].name );
		supError error = { 0 };
		s_characters[i] = model != NULL ? model->create( &error ) : NULL;
		if ( s_characters[i] == NULL )
		{
			return -1;
		}
	}
	return 0;
}

static int DestroyAll( void** state )
{
	(void)state;
	for ( int i = 0; i < CREATURE_COUNT; ++i )
	{
		supDestroyCharacter( s_characters[i] );
	}
	return 0;
}

static void TestCounts( void** state )
{
	(void)state;
	for ( int i = 0; i < CREATURE_COUNT; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( s_characters[i], 0 );
		assert_int_equal( supCharacter_Skin( s_characters[i], 0 )->jointCount, s_expected[i].joints );
		assert_int_equal( mesh->vertexCount, s_expected[i].vertices );
		// Euler: closed, in one piece and without handles
		assert_int_equal( mesh->indexCount / 3, 2 * mesh->vertexCount - 4 );
	}
}

static void TestSameBits( void** state )
{
	(void)state;
	int wrong = 0;
	for ( int i = 0; i < CREATURE_COUNT; ++i )
	{
		uint64_t hash = supCharacter_Hash( s_characters[i] );
		if ( hash != s_expected[i].hash )
		{
			print_message( "%s: hash is 0x%016llx\n", s_expected[i].name, (unsigned long long)hash );
			wrong += 1;
		}
	}
	assert_int_equal( wrong, 0 );
}

// What is called left is on the left, what is called right opposite to it, and feet and faces point forwards.
static void CheckSides( const supCharacter* c )
{
	static const char* const forwards[][2] = { { "LeftFoot", "LeftToes" },
											   { "LeftFrontPastern", "LeftFrontHoof" },
											   { "RightHindPastern", "RightHindHoof" },
											   { "Head", "Jaw" },
											   { "Head", "LeftEye" } };
	supPose* pose = supCreatePose( c );
	assert_non_null( pose );
	const supMat34* worlds = supPose_Worlds( pose );
	int32_t pairs = 0;
	for ( int32_t n = 0; n < supCharacter_NodeCount( c ); ++n )
	{
		const char* name = supCharacter_Node( c, n )->name;
		if ( strncmp( name, "Left", 4 ) == 0 )
		{
			char other[64];
			snprintf( other, sizeof( other ), "Right%s", name + 4 );
			int32_t right = supCharacter_FindNode( c, other );
			testGreaterEqual( right, 0 );
			testGreater( worlds[n].t.x, 0.01f );
			supVec3 mirrored = supMakeVec3( -worlds[right].t.x, worlds[right].t.y, worlds[right].t.z );
			testLess( supDistance( worlds[n].t, mirrored ), 1e-6f );
			pairs += 1;
		}
	}
	testGreater( pairs, 0 );
	int32_t checked = 0;
	for ( int k = 0; k < (int)( sizeof( forwards ) / sizeof( forwards[0] ) ); ++k )
	{
		int32_t back = supCharacter_FindNode( c, forwards[k][0] ), front = supCharacter_FindNode( c, forwards[k][1] );
		assert_true( back < 0 || front < 0 || worlds[front].t.z > worlds[back].t.z );
		checked += back >= 0 && front >= 0;
	}
	testGreater( checked, 0 );
	supDestroyPose( pose );
}

static void TestStanding( void** state )
{
	(void)state;
	for ( int i = 0; i < CREATURE_COUNT; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( s_characters[i], 0 );
		supBox box = supBox_empty;
		for ( int32_t v = 0; v < mesh->vertexCount; ++v )
		{
			assert_true( supIsFiniteVec3( mesh->positions[v] ) );
			box = supBox_Include( box, mesh->positions[v] );
		}
		assert_true( box.lower.y == 0.0f );
		assert_float_equal( box.upper.y, s_expected[i].height, 0.02f );
		if ( s_expected[i].clips != s_snakeClips )
		{
			// left and right alike
			assert_float_equal( box.lower.x, -box.upper.x, 0.01f );
			CheckSides( s_characters[i] );
		}
	}
}

static void TestTriangles( void** state )
{
	(void)state;
	for ( int i = 0; i < CREATURE_COUNT; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( s_characters[i], 0 );
		int32_t against = 0;
		for ( int32_t t = 0; t < mesh->indexCount; t += 3 )
		{
			const uint32_t* corner = mesh->indices + t;
			supVec3 a = mesh->positions[corner[0]], b = mesh->positions[corner[1]], c = mesh->positions[corner[2]];
			supVec3 area = supCross( supSub( b, a ), supSub( c, a ) );
			float longest = fmaxf( supDistance( a, b ), fmaxf( supDistance( b, c ), supDistance( c, a ) ) );
			testGreater( supLength( area ), 0.1f * longest * longest );
			for ( int k = 0; k < 3; ++k )
			{
				assert_float_equal( supLength( mesh->normals[corner[k]] ), 1.0f, 1e-5f );
				against += supDot( area, mesh->normals[corner[k]] ) <= 0.0f;
			}
		}
		// at the bottom of a crease a normal belongs to both sides
		if ( against * 500 > mesh->indexCount )
		{
			fail_msg( "%s: %d normals of %d against their triangle", s_expected[i].name, against, mesh->indexCount );
		}
	}
}

static void TestWeights( void** state )
{
	(void)state;
	for ( int i = 0; i < CREATURE_COUNT; ++i )
	{
		const supCharacter* c = s_characters[i];
		bool used[64] = { false };
		for ( int32_t m = 0; m < supCharacter_MeshCount( c ); ++m )
		{
			const supMesh* mesh = supCharacter_Mesh( c, m );
			testLessEqual( mesh->influences, 4 );
			for ( int32_t v = 0; v < mesh->vertexCount; ++v )
			{
				float sum = 0.0f;
				for ( int32_t k = v * mesh->influences; k < ( v + 1 ) * mesh->influences; ++k )
				{
					sum += mesh->weights[k];
					used[mesh->joints[k]] = used[mesh->joints[k]] || mesh->weights[k] > 0.2f;
				}
				assert_float_equal( sum, 1.0f, 1e-6f );
			}
		}
		for ( int32_t j = 0; j < s_expected[i].joints; ++j )
		{
			if ( used[j] == false )
			{
				fail_msg( "%s: nothing hangs on %s", s_expected[i].name, supCharacter_Node( c, j )->name );
			}
		}
	}
}

// No edge may carry a jump in the weights: bones that disagree by half a turn then tear nothing.
static void TestWeightsAreSmooth( void** state )
{
	(void)state;
	for ( int i = 0; i < CREATURE_COUNT; ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( s_characters[i], 0 );
		float steepest = 0.0f;
		for ( int32_t h = 0; h < mesh->indexCount; ++h )
		{
			uint32_t ends[2] = { mesh->indices[h], mesh->indices[h % 3 == 2 ? h - 2 : h + 1] };
			float difference[64] = { 0.0f };
			for ( int e = 0; e < 2; ++e )
			{
				for ( int32_t k = 0; k < mesh->influences; ++k )
				{
					size_t slot = (size_t)ends[e] * (size_t)mesh->influences + (size_t)k;
					difference[mesh->joints[slot]] += e == 0 ? mesh->weights[slot] : -mesh->weights[slot];
				}
			}
			for ( int j = 0; j < 64; ++j )
			{
				steepest = fmaxf( steepest, fabsf( difference[j] ) );
			}
		}
		if ( steepest > 0.5f )
		{
			fail_msg( "%s: a weight changes by %g along one edge", s_expected[i].name, (double)steepest );
		}
	}
}

static bool IsEither( const char* name, const char* const* names )
{
	for ( ; *names != NULL; ++names )
	{
		if ( strcmp( name, *names ) == 0 )
		{
			return true;
		}
	}
	return false;
}

static void TestClips( void** state )
{
	(void)state;
	for ( int i = 0; i < CREATURE_COUNT; ++i )
	{
		const supCharacter* c = s_characters[i];
		int32_t count = 0;
		for ( const char* const* name = s_expected[i].clips; *name != NULL; ++name, ++count )
		{
			assert_non_null( supCharacter_FindClip( c, *name ) );
		}
		assert_int_equal( supCharacter_ClipCount( c ), count );
		supPose* first = supCreatePose( c );
		supPose* last = supCreatePose( c );
		assert_true( first != NULL && last != NULL );
		for ( int32_t k = 0; k < supCharacter_ClipCount( c ); ++k )
		{
			const supClip* clip = supCharacter_Clip( c, k );
			if ( strcmp( clip->name, "Fall" ) == 0 )
			{
				continue;
			}
			supPose_SetRest( first );
			supPose_SetRest( last );
			supPose_ApplyClip( first, clip, clip->start );
			supPose_ApplyClip( last, clip, clip->end );
			for ( int32_t n = 0; n < supCharacter_NodeCount( c ); ++n )
			{
				supTransform a = supPose_GetLocal( first, n ), b = supPose_GetLocal( last, n );
				testLess( supDistance( a.translation, b.translation ), 1e-4f );
				testGreater( fabsf( supDotQuat( a.rotation, b.rotation ) ), 1.0f - 1e-6f );
			}
		}
		supDestroyPose( first );
		supDestroyPose( last );
	}
}

// Of the lowest point.
static float Measure( supPose* pose, const supClip* clip, float time, supVec3* positions )
{
	const supMesh* mesh = supCharacter_Mesh( supPose_Character( pose ), 0 );
	supPose_SetRest( pose );
	supPose_ApplyClip( pose, clip, time );
	supSkinInstance( pose, 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = positions } );
	float lowest = 1e9f;
	for ( int32_t v = 0; v < mesh->vertexCount; ++v )
	{
		assert_true( supIsFiniteVec3( positions[v] ) );
		lowest = fminf( lowest, positions[v].y );
	}
	return lowest;
}

// Between keys too. In the air only where that is the point; at the end of the fall flat on the ground.
static void TestGround( void** state )
{
	(void)state;
	static const char* const flying[] = { "Run", "Jump", "Fall", "Hop", "Swim", NULL };
	for ( int i = 0; i < CREATURE_COUNT; ++i )
	{
		const supCharacter* c = s_characters[i];
		supPose* pose = supCreatePose( c );
		supVec3* positions = malloc( sizeof( supVec3 ) * (size_t)s_expected[i].vertices );
		assert_true( pose != NULL && positions != NULL );
		for ( int32_t k = 0; k < supCharacter_ClipCount( c ); ++k )
		{
			const supClip* clip = supCharacter_Clip( c, k );
			float highest = 0.0f;
			for ( float time = 0.0f; time < clip->end; time += 0.05f )
			{
				float lowest = Measure( pose, clip, time, positions );
				testGreater( lowest, -0.012f );
				highest = fmaxf( highest, lowest );
			}
			assert_true( IsEither( clip->name, flying ) ? highest > 0.01f : highest < 0.012f );
			if ( strcmp( clip->name, "Fall" ) == 0 )
			{
				assert_float_equal( Measure( pose, clip, clip->end, positions ), 0.0f, 0.002f );
				bool isOctopus = s_expected[i].clips == s_octopusClips;
				int32_t head = supCharacter_FindNode( c, isOctopus ? "Mantle3" : "Head" );
				float lying = supPose_Worlds( pose )[head].t.y;
				supPose_SetRest( pose );
				if ( lying > 0.6f * supPose_Worlds( pose )[head].t.y )
				{
					fail_msg( "%s: the head ends at a height of %g", s_expected[i].name, (double)lying );
				}
			}
		}
		free( positions );
		supDestroyPose( pose );
	}
}

// How much longer edges grow in the middle of a clip: the skin may fold but not fly apart.
static void TestBendStretch( void** state )
{
	(void)state;
	static const char* const bends[] = { "ElbowBend", "Run",     "HeadTurn", "Graze", "Crawl",
										 "Reach",     "Slither", "Coil",     NULL };
	for ( int i = 0; i < CREATURE_COUNT; ++i )
	{
		const supCharacter* c = s_characters[i];
		const supMesh* mesh = supCharacter_Mesh( c, 0 );
		supPose* pose = supCreatePose( c );
		supVec3* positions = malloc( sizeof( supVec3 ) * (size_t)mesh->vertexCount );
		assert_true( pose != NULL && positions != NULL );
		for ( int32_t k = 0; k < supCharacter_ClipCount( c ); ++k )
		{
			const supClip* clip = supCharacter_Clip( c, k );
			if ( IsEither( clip->name, bends ) == false )
			{
				continue;
			}
			Measure( pose, clip, 0.5f * clip->end, positions );
			float worst = 0.0f;
			for ( int32_t h = 0; h < mesh->indexCount; ++h )
			{
				uint32_t a = mesh->indices[h], b = mesh->indices[h % 3 == 2 ? h - 2 : h + 1];
				float before = supDistance( mesh->positions[a], mesh->positions[b] );
				worst = fmaxf( worst, supDistance( positions[a], positions[b] ) / before );
			}
			if ( worst > 5.0f )
			{
				fail_msg( "%s, %s: an edge grows %g times", s_expected[i].name, clip->name, (double)worst );
			}
		}
		free( positions );
		supDestroyPose( pose );
	}
}

// Away from where it stands at rest, of a joint in the pose.
static supVec3 Away( supPose* pose, supPose* rest, const char* joint )
{
	int32_t node = supCharacter_FindNode( supPose_Character( pose ), joint );
	testGreaterEqual( node, 0 );
	return supSub( supPose_Worlds( pose )[node].t, supPose_Worlds( rest )[node].t );
}

static const char* const s_hooves[4] = { "LeftHindHoof", "LeftFrontHoof", "RightHindHoof", "RightFrontHoof" };

// Whatever the trunk does, the feet stay where they stand.
static void TestFeetStayPut( void** state )
{
	(void)state;
	static const char* const standing[] = { "Shake", "HeadTurn" };
	for ( int i = 0; i < CREATURE_COUNT; ++i )
	{
		if ( s_expected[i].clips != s_quadrupedClips )
		{
			continue;
		}
		supPose* pose = supCreatePose( s_characters[i] );
		supPose* rest = supCreatePose( s_characters[i] );
		assert_true( pose != NULL && rest != NULL );
		for ( int k = 0; k < 2; ++k )
		{
			const supClip* clip = supCharacter_FindClip( s_characters[i], standing[k] );
			for ( float time = 0.0f; time < clip->end; time += 0.05f )
			{
				supPose_SetRest( pose );
				supPose_ApplyClip( pose, clip, time );
				for ( int foot = 0; foot < 4; ++foot )
				{
					float away = supLength( Away( pose, rest, s_hooves[foot] ) );
					if ( away > 0.02f )
					{
						fail_msg( "%s, %s: %s slips by %g", s_expected[i].name, clip->name, s_hooves[foot],
								  (double)away );
					}
				}
			}
		}
		supDestroyPose( pose );
		supDestroyPose( rest );
	}
}

// Four beats: never fewer than two feet on the ground, none aside of its line, and they come down one
// after the other, a quarter of the clip apart.
static void TestFourBeats( void** state )
{
	(void)state;
	enum
	{
		samples = 96
	};
	for ( int i = 0; i < CREATURE_COUNT; ++i )
	{
		if ( s_expected[i].clips != s_quadrupedClips )
		{
			continue;
		}
		const supClip* clip = supCharacter_FindClip( s_characters[i], "Walk" );
		supPose* pose = supCreatePose( s_characters[i] );
		supPose* rest = supCreatePose( s_characters[i] );
		assert_true( pose != NULL && rest != NULL );
		float landing[4] = { 0.0f };
		float far[4] = { -1.0f, -1.0f, -1.0f, -1.0f };
		for ( int t = 0; t < samples; ++t )
		{
			supPose_SetRest( pose );
			supPose_ApplyClip( pose, clip, clip->end * (float)t / samples );
			int32_t grounded = 0;
			for ( int foot = 0; foot < 4; ++foot )
			{
				supVec3 away = Away( pose, rest, s_hooves[foot] );
				grounded += away.y < 0.03f;
				testLess( fabsf( away.x ), 0.03f );
				testGreater( away.y, -0.02f );
				// it comes down where it is farthest ahead
				if ( away.z - fmaxf( away.y, 0.0f ) > far[foot] )
				{
					far[foot] = away.z - fmaxf( away.y, 0.0f );
					landing[foot] = (float)t / samples;
				}
			}
			testGreaterEqual( grounded, 2 );
		}
		for ( int foot = 0; foot < 4; ++foot )
		{
			float gap = landing[( foot + 1 ) % 4] - landing[foot];
			gap -= floorf( gap );
			assert_float_equal( gap, 0.25f, 0.05f );
		}
		supDestroyPose( pose );
		supDestroyPose( rest );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestCounts ),
		cmocka_unit_test( TestStanding ),
		cmocka_unit_test( TestTriangles ),
		cmocka_unit_test( TestWeights ),
		cmocka_unit_test( TestClips ),
		cmocka_unit_test( TestGround ),
		cmocka_unit_test( TestWeightsAreSmooth ),
		cmocka_unit_test( TestSameBits ),
		cmocka_unit_test( TestBendStretch ),
		cmocka_unit_test( TestFeetStayPut ),
		cmocka_unit_test( TestFourBeats ),
	};
	return cmocka_run_group_tests( tests, CreateAll, DestroyAll );
}
