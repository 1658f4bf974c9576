// SPDX-License-Identifier: MIT
// labels: threads
// Every method with several threads: the same bits as with one. Short, since it runs where threads are watched.
#include "support.h"

#include "core/hash.h"
#include "models/models.h"
#include "supple/scene.h"

#define STEPS 6

static uint64_t HashOf( const supFlesh* flesh, const supClip* clip, int32_t threads )
{
	supError error = { 0 };
	supThreadPool* pool = threads > 1 ? supCreateThreadPool( threads ) : NULL;
	supSceneDef def = supDefaultSceneDef();
	def.tasks = pool != NULL ? supThreadPool_Tasks( pool ) : NULL;
	supScene* scene = supCreateScene( &def, &error );
	testRequire( scene != NULL, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	testRequire( actor != NULL, &error );
	const supCharacter* character = supFlesh_Character( flesh );
	uint64_t hash = 0;
	for ( int32_t i = 0; i < STEPS; ++i )
	{
		supPose_ApplyClip( supActor_Pose( actor ), clip, clip->start + (float)( i + 1 ) / 30.0f );
		supScene_Step( scene, 1.0f / 30.0f );
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh )->vertexCount;
		hash = supHashBytes( hash, supActor_Positions( actor, 0 ), (size_t)count * sizeof( supVec3 ) );
		hash = supHashBytes( hash, supActor_Normals( actor, 0 ), (size_t)count * sizeof( supVec3 ) );
	}
	supDestroyScene( scene );
	supDestroyThreadPool( pool );
	return hash;
}

static void SameBitsForAnyNumberOfThreads( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube5" )->create( &error );
	testRequire( character != NULL, &error );
	const supClip* clip = supCharacter_Clip( character, 0 );
	supThreadPool* pool = supCreateThreadPool( 2 );
	for ( int32_t method = 0; method < sup_methodCount; ++method )
	{
		supFleshDef def = supDefaultFleshDef();
		def.method = (supMethodId)method;
		supFlesh* flesh = supBuildFlesh( character, &def, supThreadPool_Tasks( pool ), &error );
		testRequire( flesh != NULL, &error );
		uint64_t one = HashOf( flesh, clip, 1 );
		for ( int32_t threads = 3; threads > testRounds( 1, 2 ); --threads )
		{
			if ( HashOf( flesh, clip, threads ) != one )
			{
				fail_msg( "%s: %d threads change the result", supMethodName( (supMethodId)method ), threads );
			}
		}
		supDestroyFlesh( flesh );
	}
	supDestroyThreadPool( pool );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( SameBitsForAnyNumberOfThreads ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
