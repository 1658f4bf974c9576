// SPDX-License-Identifier: MIT
// "Changing a slider resets the simulation, or makes it jump."
#include "wishes.h"

void wishSettingsWhileRunning( void** state )
{
	(void)state;
	static const char* const methods[] = { "position", "points", "fem" };
	for ( int m = 0; m < 3; ++m )
	{
		supMethodId method;
		assert_true( supFindMethod( methods[m], &method ) );
		supFlesh* flesh = wishBuild( wishTube(), methods[m], NULL, 0.0f );
		supScene* scene = wishScene( 1, true );
		supActor* actor = wishAdd( scene, flesh );
		supVec3* before = NULL;
		float usual = 0.0f, changed = 0.0f;
		for ( int i = 1; i <= 80; ++i )
		{
			wishShift( actor, supMakeVec3( 0.0f, 0.1f * sinf( 0.15f * (float)i ), 0.0f ) );
			// every tenth step one of them goes up and comes back again
			if ( i % 10 == 0 )
			{
				wishSet( actor, "softness", i % 20 == 0 ? 0.5f : 0.8f );
				wishSet( actor, "frequency", i % 20 == 0 ? 2.0f : 3.0f );
			}
			supScene_Step( scene, 1.0f / 60.0f );
			float moved = before != NULL ? wishFarthest( actor, before ) : 0.0f;
			usual = i % 10 != 0 ? supMaxFloat( usual, moved ) : usual;
			changed = i % 10 == 0 ? supMaxFloat( changed, moved ) : changed;
			free( before );
			before = wishCopy( actor );
		}
		free( before );
		printf( "%s: moves by %.4f m a step, by %.4f m where a slider moves\n", methods[m], (double)usual,
				(double)changed );
		testLess( changed, 1.5f * usual );
		supDestroyScene( scene );
		supDestroyFlesh( flesh );
	}
}
