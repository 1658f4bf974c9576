// SPDX-License-Identifier: MIT
// "My walk cycle pops when it starts over."
#include "wishes.h"

void wishLoopsClose( void** state )
{
	(void)state;
	supError error = { 0 };
	char folder[256], work[300];
	testMakeFolder( folder );
	snprintf( work, sizeof( work ), "%s/bend.part", folder );
	supBakeDef def = supDefaultBakeDef();
	def.clip = supCharacter_FindClip( wishTube(), "bend" );
	def.loop = true;
	supBake* bake = supBakeFrames( wishTubeFlesh(), &def, work, &error );
	testRequire( bake != NULL, &error );
	const supBakeReport* report = supBake_Report( bake );
	assert_true( report->isLoop );
	// a thousandth of the size is less than a pixel of a character that fills a screen
	testLess( report->loopGap, 1e-3f * report->size );
	supDestroyBake( bake, false );
	testRemoveFolder( folder );
}
