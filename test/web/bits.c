// SPDX-License-Identifier: MIT
// One line for each method: what a tube on two joints looks like after some frames of bending, as a fingerprint.
// It runs here and as WebAssembly, and is to print the same lines: make test-web.
#include "core/hash.h"
#include "models/models.h"
#include "supple/flesh.h"
#include "supple/scene.h"

#include <inttypes.h>
#include <stdio.h>

#define FRAMES 8

static bool RunMethod( const supCharacter* character, supMethodId method, supError* error )
{
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, error );
	supSceneDef sceneDef = supDefaultSceneDef();
	supScene* scene = flesh != NULL ? supCreateScene( &sceneDef, error ) : NULL;
	supActor* actor = scene != NULL ? supScene_AddActor( scene, flesh, error ) : NULL;
	for ( int32_t frame = 1; actor != NULL && frame <= FRAMES; ++frame )
	{
		supPose_ApplyClip( supActor_Pose( actor ), supCharacter_Clip( character, 0 ), 0.05f * (float)frame );
		supScene_Step( scene, 1.0f / 60.0f );
	}
	if ( actor != NULL )
	{
		size_t size = (size_t)supCharacter_Mesh( character, 0 )->vertexCount * sizeof( supVec3 );
		uint64_t hash = supHashBytes( SUP_HASH_SEED, supActor_Positions( actor, 0 ), size );
		hash = supHashBytes( hash, supActor_Normals( actor, 0 ), size );
		printf( "%s %016" PRIx64 "\n", supFlesh_MethodName( flesh ), hash );
	}
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	return actor != NULL;
}

int main( void )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube" )->create( &error );
	bool ok = character != NULL;
	for ( int32_t method = 0; ok && method < sup_methodCount; ++method )
	{
		ok = RunMethod( character, (supMethodId)method, &error );
	}
	if ( ok == false )
	{
		fprintf( stderr, "%s: %s\n", error.where, error.message );
	}
	supDestroyCharacter( character );
	return ok ? 0 : 1;
}
