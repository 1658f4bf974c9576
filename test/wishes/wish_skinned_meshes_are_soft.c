// SPDX-License-Identifier: MIT
// "Soft bodies do not work on skinned meshes."
#include "wishes.h"

void wishSkinnedMeshesAreSoft( void** state )
{
	(void)state;
	static const char* const methods[] = { "position", "lattice", "points", "layered", "fem", "modes" };
	for ( int m = 0; m < 5; ++m )
	{
		supFlesh* flesh = wishBuild( wishTube(), methods[m], NULL, 0.0f );
		supScene* scene = wishScene( 1, true );
		supActor* actor = wishAdd( scene, flesh );
		float most = 0.0f;
		for ( int i = 1; i <= 30; ++i )
		{
			wishShift( actor, supMakeVec3( 0.0f, 0.03f * sinf( 0.4f * (float)i ), 0.0f ) );
			supScene_Step( scene, 1.0f / 60.0f );
			most = i % 3 == 0 ? supMaxFloat( most, wishFlesh( actor ) ) : most;
		}
		printf( "%s: flesh swings by %.3f m\n", methods[m], (double)most );
		// something that is seen, and not more than the tube is thick
		testGreater( most, 0.002f );
		testLess( most, 0.15f );
		supDestroyScene( scene );
		supDestroyFlesh( flesh );
	}
}
