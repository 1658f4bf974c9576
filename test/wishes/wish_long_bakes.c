// SPDX-License-Identifier: MIT
// "Baking 1,020 frames takes half an hour."
#include "wishes.h"

#include <time.h>

void wishLongBakes( void** state )
{
	(void)state;
	supError error = { 0 };
	char folder[256], work[300];
	testMakeFolder( folder );
	snprintf( work, sizeof( work ), "%s/long.part", folder );
	supBakeDef def = supDefaultBakeDef();
	def.clip = supCharacter_FindClip( wishTube(), "bend" );
	def.framesPerSecond = 1019.0f / ( def.clip->end - def.clip->start );
	clock_t start = clock();
	supBake* bake = supBakeFrames( wishTubeFlesh(), &def, work, &error );
	double seconds = (double)( clock() - start ) / CLOCKS_PER_SEC;
	testRequire( bake != NULL, &error );
	assert_int_equal( supBake_Report( bake )->frameCount, 1020 );
	printf( "1,020 frames: %.2f s\n", seconds );
	// processor time, which does not depend on who else is at work; it takes less than a second
	testLess( seconds, 20.0 );
	supDestroyBake( bake, false );
	testRemoveFolder( folder );
}
