// SPDX-License-Identifier: MIT
// "It blows up after I pause the game, or when the frame rate drops."
#include "wishes.h"

void wishDropsAndPauses( void** state )
{
	(void)state;
	static const float steps[] = { 1.0f / 60.0f, 0.5f, 0.0f, 1.0f / 240.0f, 0.25f, 0.0f, 1.0f / 30.0f, 2.0f, 1e-5f };
	static const char* const methods[] = { "position", "lattice", "points", "layered", "fem", "modes" };
	for ( int m = 0; m < 5; ++m )
	{
		supFlesh* flesh = wishBuild( wishTube(), methods[m], NULL, 0.0f );
		supScene* scene = wishScene( 1, true );
		supActor* actor = wishAdd( scene, flesh );
		supVec3* rest = wishCopy( actor );
		float time = 0.0f;
		for ( int i = 0; i < 45; ++i )
		{
			time += steps[i % 9];
			wishShift( actor, supMakeVec3( 0.0f, 0.1f * sinf( 9.0f * time ), 0.0f ) );
			supScene_Step( scene, steps[i % 9] );
			assert_true( wishIsFinite( actor ) );
			// 0.1 m of the bones and no more than the tube's radius of flesh
			testLess( wishFarthest( actor, rest ), 0.3f );
		}
		wishShift( actor, supVec3_zero );
		wishWait( scene, 3.0f );
		printf( "%s: %.4f m from rest in the end\n", methods[m], (double)wishFarthest( actor, rest ) );
		testLess( wishFarthest( actor, rest ), 0.005f );
		free( rest );
		supDestroyScene( scene );
		supDestroyFlesh( flesh );
	}
}
