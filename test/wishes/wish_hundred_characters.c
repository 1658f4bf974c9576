// SPDX-License-Identifier: MIT
// "One character is fine, a hundred are not."
#include "wishes.h"

#define COUNT 100

void wishHundredCharacters( void** state )
{
	(void)state;
	supScene* crowd = wishScene( 1, true );
	supScene* alone = wishScene( 1, true );
	supActor* actors[COUNT + 1];
	for ( int i = 0; i <= COUNT; ++i )
	{
		actors[i] = wishAdd( i < COUNT ? crowd : alone, wishTubeFlesh() );
	}
	for ( int k = 1; k <= 20; ++k )
	{
		for ( int i = 0; i <= COUNT; ++i )
		{
			wishShift( actors[i], supMakeVec3( 0.0f, 0.1f * sinf( 0.3f * (float)k ), 0.0f ) );
		}
		supScene_Step( crowd, 1.0f / 60.0f );
		supScene_Step( alone, 1.0f / 60.0f );
	}
	// each moves as one alone does, to the bit
	for ( int i = 0; i < COUNT; ++i )
	{
		assert_true( wishFarthest( actors[i], supActor_Positions( actors[COUNT], 0 ) ) == 0.0f );
	}
	testGreater( wishFlesh( actors[0] ), 0.002f );
	supDestroyScene( crowd );
	supDestroyScene( alone );
}
