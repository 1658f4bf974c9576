// SPDX-License-Identifier: MIT
// "In slow motion the physics is a different one."
#include "wishes.h"

// The same half second of motion in steps of 1/60 s, or in ten times as many.
static supVec3* Run( int slow )
{
	supScene* scene = wishScene( 1, true );
	supActor* actor = wishAdd( scene, wishTubeFlesh() );
	wishSet( actor, "exaggeration", 1.0f );
	for ( int k = 1; k <= 30 * slow; ++k )
	{
		float time = (float)k / (float)( 60 * slow );
		wishShift( actor, supMakeVec3( 0.0f, 0.03f * sinf( 9.0f * time ), 0.0f ) );
		supScene_Step( scene, 1.0f / (float)( 60 * slow ) );
	}
	supVec3* end = wishCopy( actor );
	printf( "%d steps: flesh is off by %.4f m\n", 30 * slow, (double)wishFlesh( actor ) );
	supDestroyScene( scene );
	return end;
}

void wishSlowMotion( void** state )
{
	(void)state;
	supVec3* normal = Run( 1 );
	supVec3* slow = Run( 10 );
	float most = 0.0f;
	for ( int32_t i = 0; i < supCharacter_Mesh( wishTube(), 0 )->vertexCount; ++i )
	{
		most = supMaxFloat( most, supDistance( normal[i], slow[i] ) );
	}
	printf( "slow motion differs by %.4f m\n", (double)most );
	// flesh swings by 2 cm here: a fifth of that
	testLess( most, 0.004f );
	free( normal );
	free( slow );
}
