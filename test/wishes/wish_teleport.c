// SPDX-License-Identifier: MIT
// "When I respawn my character its flesh whips across the level."
#include "wishes.h"

void wishTeleport( void** state )
{
	(void)state;
	static const char* const methods[] = { "position", "lattice", "points", "layered", "fem", "modes" };
	for ( int m = 0; m < 5; ++m )
	{
		supFlesh* flesh = wishBuild( wishTube(), methods[m], NULL, 0.0f );
		supScene* scene = wishScene( 1, true );
		supActor* actor = wishAdd( scene, flesh );
		wishWait( scene, 0.1f );
		// far away, as a game does it: the new pose, and a reset
		wishShift( actor, supMakeVec3( 500.0f, 20.0f, -80.0f ) );
		supActor_Reset( actor );
		float most = wishFlesh( actor );
		for ( int i = 0; i < 10; ++i )
		{
			supScene_Step( scene, 1.0f / 60.0f );
			most = supMaxFloat( most, wishFlesh( actor ) );
		}
		printf( "%s: %.4f m after a teleport\n", methods[m], (double)most );
		// 2 m of tube: half a per cent, which is what floats and sagging leave that far from the origin
		testLess( most, 0.01f );
		supDestroyScene( scene );
		supDestroyFlesh( flesh );
	}
}
