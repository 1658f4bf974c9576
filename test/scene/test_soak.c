// SPDX-License-Identifier: MIT
// Poses and parameters that no animator would set: random turns, teleports, mirrored and flattened bones, sizes from a
// thousandth to a thousand times, steps of no time and of a second, numbers that are none. The surface stays finite
// without a repair, near its bones, and comes back to them.
//
// SUPPLE_SOAK=N steps every method N times, with another seed for each SUPPLE_SHARD (make soak).
#include "models/models.h"
#include "supple/supple.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const supMethodId s_methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints,
										 sup_methodFem,      sup_methodLayered, sup_methodModes };

typedef struct Soak
{
	testRandom random;
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
	supVec3* skinned;
	float size;
	int64_t frames;
} Soak;

static float WildNumber( testRandom* random )
{
	static const float wild[] = { NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 1e12f };
	return wild[testRandomInt( random, 6 )];
}

static void SetWildPose( Soak* soak )
{
	testRandom* r = &soak->random;
	supPose* pose = supActor_Pose( soak->actor );
	int32_t nodeCount = supCharacter_NodeCount( soak->character );
	uint32_t kind = testRandomInt( r, 16 );
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		supTransform local = supCharacter_Node( soak->character, i )->rest;
		if ( kind < 12 || testRandomInt( r, 3 ) == 0 )
		{
			local.rotation = testRandomQuat( r );
		}
		if ( kind == 12 )
		{
			// mirrored, flat, of no size at all, a thousand times as large
			static const float scales[] = { -1.0f, 0.0f, 1e-3f, 1e3f, 1.0f, 1.0f };
			local.scale = supMakeVec3( scales[testRandomInt( r, 6 )], scales[testRandomInt( r, 6 )], 1.0f );
		}
		if ( kind == 13 && supCharacter_Node( soak->character, i )->parent < 0 )
		{
			local.translation = testRandomVec3( r, 1e4f );
		}
		if ( kind == 14 )
		{
			local.translation.x = WildNumber( r );
			local.rotation.y = WildNumber( r );
			local.scale.z = WildNumber( r );
		}
		supPose_SetLocal( pose, i, local );
	}
	for ( int32_t i = 0; i < supCharacter_InstanceCount( soak->character ); ++i )
	{
		const supMesh* mesh = supCharacter_Mesh( soak->character, supCharacter_Instance( soak->character, i )->mesh );
		for ( int32_t k = 0; k < mesh->targetCount; ++k )
		{
			supPose_MorphWeights( pose, i )[k] = kind == 15 ? WildNumber( r ) : testRandomFloat( r, -1.0f, 2.0f );
		}
	}
}

// To the ends of their ranges.
static void SetWildParameters( Soak* soak, supMethodId method )
{
	for ( int32_t i = 0; i < supMethod_ParameterCount( method ); ++i )
	{
		const supParameter* parameter = supMethod_Parameter( method, i );
		uint32_t end = testRandomInt( &soak->random, 3 );
		if ( parameter->live )
		{
			supActor_SetParameter( soak->actor, i,
								   end == 0   ? parameter->minimum
								   : end == 1 ? parameter->maximum
											  : parameter->standard );
		}
	}
}

static float Check( Soak* soak, const char* what )
{
	int32_t count = supCharacter_Mesh( soak->character, 0 )->vertexCount;
	const supVec3* positions = supActor_Positions( soak->actor, 0 );
	const supVec3* normals = supActor_Normals( soak->actor, 0 );
	supSkinInstance( supActor_Pose( soak->actor ), 0, sup_skinningLinear, NULL,
					 &( supSkinOutput ){ .positions = soak->skinned } );
	float most = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( supIsFiniteVec3( positions[i] ) == false || supIsFiniteVec3( normals[i] ) == false )
		{
			fail_msg( "%s, frame %lld: vertex %d is not finite", what, (long long)soak->frames, i );
		}
		most = supMaxFloat( most, supDistance( positions[i], soak->skinned[i] ) / soak->size );
	}
	int64_t repaired = supScene_GetStats( soak->scene ).trouble.notFinite;
	if ( repaired != 0 )
	{
		fail_msg( "%s, frame %lld: %lld numbers were not finite and had to be repaired", what, (long long)soak->frames,
				  (long long)repaired );
	}
	return most;
}

// Half a second in the rest pose. Returns how far a vertex is then from where skinning puts it, over the size.
static float Rest( Soak* soak, const char* what )
{
	supPose_SetRest( supActor_Pose( soak->actor ) );
	float left = 0.0f;
	for ( int32_t i = 0; i < 30; ++i )
	{
		supScene_Step( soak->scene, 1.0f / 60.0f );
		left = Check( soak, what );
	}
	return left;
}

static void Start( Soak* soak, supMethodId method, const char* model, float scale, uint64_t seed )
{
	supError error = { 0 };
	soak->random = testMakeRandom( seed );
	soak->character = supFindModel( model )->create( &error );
	testRequire( soak->character != NULL, &error );
	supCharacter_SetUnit( soak->character, scale );
	supSetting setting = { "tets", 400.0f };
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	def.settings = &setting;
	def.settingCount = method == sup_methodPosition || method == sup_methodPoints;
	soak->flesh = supBuildFlesh( soak->character, &def, NULL, &error );
	testRequire( soak->flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	soak->scene = supCreateScene( &sceneDef, &error );
	soak->actor = soak->scene != NULL ? supScene_AddActor( soak->scene, soak->flesh, &error ) : NULL;
	testRequire( soak->actor != NULL, &error );
	soak->skinned = calloc( (size_t)supCharacter_Mesh( soak->character, 0 )->vertexCount, sizeof( supVec3 ) );
	supScene_Step( soak->scene, 0.0f );
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < supCharacter_Mesh( soak->character, 0 )->vertexCount; ++i )
	{
		box = supBox_Include( box, supActor_Positions( soak->actor, 0 )[i] );
	}
	soak->size = supLength( supBox_Size( box ) );
}

static void End( Soak* soak )
{
	supDestroyScene( soak->scene );
	supDestroyFlesh( soak->flesh );
	supDestroyCharacter( soak->character );
	free( soak->skinned );
}

static void Run( supMethodId method, float scale, int32_t frameCount, uint64_t seed )
{
	static const float steps[] = { 0.0f, 1e-4f, 1.0f / 240.0f, 1.0f / 60.0f, 1.0f / 60.0f, 1.0f / 30.0f, 0.2f, 1.0f };
	Soak soak = { 0 };
	Start( &soak, method, "tube", scale, seed );
	float sag = Rest( &soak, supMethodName( method ) );
	for ( int32_t i = 0; i < frameCount; ++i )
	{
		uint32_t event = testRandomInt( &soak.random, 8 );
		if ( event < 4 )
		{
			SetWildPose( &soak );
		}
		if ( event == 4 )
		{
			SetWildParameters( &soak, method );
		}
		supScene_Step( soak.scene, steps[testRandomInt( &soak.random, 8 )] );
		soak.frames += 1;
		Check( &soak, supMethodName( method ) );
	}
	// and back, with the parameters that it came with
	for ( int32_t i = 0; i < supMethod_ParameterCount( method ); ++i )
	{
		const supParameter* parameter = supMethod_Parameter( method, i );
		if ( parameter->live )
		{
			supActor_SetParameter( soak.actor, i, supFlesh_Parameter( soak.flesh, i ) );
		}
	}
	float left = Rest( &soak, supMethodName( method ) );
	printf( "%-9s at %g times its size: %d frames, %.3f of its size from skinning half a second after, %.3f before\n",
			supMethodName( method ), (double)scale, frameCount, (double)left, (double)sag );
	// nothing is left lying about; who still swings, or has elements to right, is nearer than that
	testLess( left, sag + 0.25f );
	End( &soak );
}

static void NothingLeavesTheNumbers( void** state )
{
	(void)state;
	const char* asked = getenv( "SUPPLE_SOAK" );
	const char* shard = getenv( "SUPPLE_SHARD" );
	int32_t frames = asked != NULL ? atoi( asked ) : testRounds( 300, 15 );
	uint64_t seed = 28 + 1000 * (uint64_t)( shard != NULL ? atoi( shard ) : 0 );
	for ( size_t i = 0; i < sizeof( s_methods ) / sizeof( s_methods[0] ); ++i )
	{
		static const float scales[] = { 1.0f, 1e-3f, 1e3f };
		for ( int32_t k = 0; k < testRounds( sizeof( scales ) / sizeof( scales[0] ), 1 ); ++k )
		{
			Run( s_methods[i], scales[k], frames / 3, seed + 10 * i + (uint64_t)k );
		}
	}
}

typedef enum MadFrame
{
	madMirrored,
	madFlat,
	madFar,
	madTurned,
	madCount,
} MadFrame;

static void SetMadPose( Soak* soak, MadFrame kind )
{
	supPose* pose = supActor_Pose( soak->actor );
	for ( int32_t i = 0; i < supCharacter_NodeCount( soak->character ); ++i )
	{
		const supNode* node = supCharacter_Node( soak->character, i );
		supTransform local = node->rest;
		local.scale.x = kind == madMirrored && node->parent < 0 ? -1.0f : kind == madFlat ? 0.0f : 1.0f;
		local.translation.x += kind == madFar && node->parent < 0 ? 1e3f : 0.0f;
		local.rotation = kind == madTurned ? testRandomQuat( &soak->random ) : local.rotation;
		supPose_SetLocal( pose, i, local );
	}
}

// One frame that is wrong, as tracking gives them, is over half a second later.
static void OneMadFrameIsForgotten( void** state )
{
	(void)state;
	static const char* const names[madCount] = { "mirrored", "flat", "far", "turned" };
	for ( size_t i = 0; i < sizeof( s_methods ) / sizeof( s_methods[0] ); ++i )
	{
		Soak soak = { 0 };
		Start( &soak, s_methods[i], "tube", 1.0f, 28 );
		float sag = Rest( &soak, supMethodName( s_methods[i] ) );
		for ( int32_t kind = 0; kind < madCount; ++kind )
		{
			SetMadPose( &soak, (MadFrame)kind );
			supScene_Step( soak.scene, 1.0f / 60.0f );
			Check( &soak, names[kind] );
			float left = Rest( &soak, names[kind] ), later = 0.0f;
			for ( int32_t k = 0; k < testRounds( 4, 1 ); ++k )
			{
				later = Rest( &soak, names[kind] );
			}
			printf( "%-9s one %s frame: %.4f of its size from skinning half a second after, %.4f two seconds later\n",
					supMethodName( s_methods[i] ), names[kind], (double)left, (double)later );
			// a swing may still be going; nothing is folded or left behind
			testLess( left, sag + 0.03f );
			// sanitizers do not wait for two seconds
			testLess( later, sag + ( testIsSanitized() ? 0.03f : 0.005f ) );
		}
		End( &soak );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( NothingLeavesTheNumbers ),
										cmocka_unit_test( OneMadFrameIsForgotten ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
