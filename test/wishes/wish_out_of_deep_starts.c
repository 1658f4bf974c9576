// SPDX-License-Identifier: MIT
// "If the character starts inside a collider it never gets out, or is shot across the room."
#include "wishes.h"

void wishOutOfDeepStarts( void** state )
{
	(void)state;
	supError error = { 0 };
	supScene* scene = wishScene( 2, true );
	supActor* actor = wishAdd( scene, wishTubeFlesh() );
	supVec3* rest = wishCopy( actor );
	// a ball whose surface is 6 cm below the skin
	supColliderDef def = supDefaultColliderDef();
	def.shape.radius = 0.2f;
	def.position = supMakeVec3( 0.5f, 0.29f, 0.0f );
	testRequire( supScene_AddCollider( scene, &def, &error ) != NULL, &error );
	float farthest = 0.0f, deepest = 0.0f;
	for ( int i = 0; i < 120; ++i )
	{
		supScene_Step( scene, 1.0f / 60.0f );
		farthest = supMaxFloat( farthest, wishFarthest( actor, rest ) );
	}
	for ( int32_t i = 0; i < wishVertexCount( actor ); ++i )
	{
		float distance = supDistance( supActor_Positions( actor, 0 )[i], def.position );
		deepest = supMaxFloat( deepest, def.shape.radius - distance );
	}
	printf( "started 6 cm deep: %.4f m deep after 2 s, moved %.3f m at most\n", (double)deepest, (double)farthest );
	testLess( deepest, 0.005f );
	testLess( farthest, 0.15f );
	free( rest );
	supDestroyScene( scene );
}
