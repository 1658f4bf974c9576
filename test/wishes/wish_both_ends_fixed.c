// SPDX-License-Identifier: MIT
// "A chain that is fixed at both ends drifts off one of them."
#include "wishes.h"

void wishBothEndsFixed( void** state )
{
	(void)state;
	static const char* const methods[] = { "position", "points", "fem" };
	for ( int m = 0; m < 3; ++m )
	{
		supError error = { 0 };
		supFlesh* flesh = wishBuild( wishTube(), methods[m], NULL, 0.0f );
		supScene* scene = wishScene( 2, true );
		supActor* actor = wishAdd( scene, flesh );
		supAttachment* pins[2];
		for ( int i = 0; i < 2; ++i )
		{
			supAttachmentDef def = supDefaultAttachmentDef();
			def.placeCount = 2;
			def.places[1] = ( supPlace ){ .kind = sup_placeSurface, .actor = actor };
			supVec3 end = { i == 0 ? -0.7f : 0.7f, 0.15f, 0.0f };
			assert_true( supActor_FindNearest( actor, end, &def.places[1].point ) );
			def.places[0] = ( supPlace ){ .kind = sup_placeWorld };
			def.places[0].position = supActor_PointPosition( actor, &def.places[1].point );
			pins[i] = supScene_Attach( scene, &def, &error );
			testRequire( pins[i] != NULL, &error );
		}
		float most = 0.0f;
		for ( int i = 1; i <= 120; ++i )
		{
			// the bones go up and down by 3 cm meanwhile
			wishShift( actor, supMakeVec3( 0.0f, 0.03f * sinf( 0.2f * (float)i ), 0.0f ) );
			supScene_Step( scene, 1.0f / 60.0f );
			most = supMaxFloat( most, supMaxFloat( supAttachment_Gap( pins[0] ), supAttachment_Gap( pins[1] ) ) );
		}
		printf( "%s: ends at most %.2e m off\n", methods[m], (double)most );
		testLess( most, 1e-4f );
		supDestroyScene( scene );
		supDestroyFlesh( flesh );
	}
}
