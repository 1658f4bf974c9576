// SPDX-License-Identifier: MIT
// "Pinned vertices lag behind and stretch, and it gets worse the smaller or larger the character is."
#include "wishes.h"

void wishPinsHoldAtAnyScale( void** state )
{
	(void)state;
	static const float units[] = { 0.01f, 1.0f, 100.0f };
	for ( int k = 0; k < 3; ++k )
	{
		supError error = { 0 };
		supCharacter* character = wishModel( "tube" );
		supCharacter_SetUnit( character, units[k] );
		supFlesh* flesh = wishBuild( character, "position", NULL, 0.0f );
		supScene* scene = wishScene( 2, true );
		supActor* actor = wishAdd( scene, flesh );
		supAttachmentDef def = supDefaultAttachmentDef();
		def.placeCount = 2;
		def.places[0] = ( supPlace ){ .kind = sup_placeWorld };
		def.places[1] = ( supPlace ){ .kind = sup_placeSurface, .actor = actor };
		supVec3 start = supScale( units[k], supMakeVec3( 0.5f, 0.15f, 0.0f ) );
		assert_true( supActor_FindNearest( actor, start, &def.places[1].point ) );
		def.places[0].position = supActor_PointPosition( actor, &def.places[1].point );
		supAttachment* pin = supScene_Attach( scene, &def, &error );
		testRequire( pin != NULL, &error );
		float most = 0.0f;
		for ( int i = 1; i <= 60; ++i )
		{
			supVec3 place = def.places[0].position;
			place.y += 0.05f * units[k] * sinf( 0.3f * (float)i );
			testRequire( supAttachment_SetPlace( pin, 0, place, &error ), &error );
			supScene_Step( scene, 1.0f / 60.0f );
			most = supMaxFloat( most, supDistance( place, supActor_PointPosition( actor, &def.places[1].point ) ) );
		}
		printf( "in units of %g m: %.2e of the length off the pin, edges up to %.2f long\n", (double)units[k],
				(double)( most / ( 2.0f * units[k] ) ), (double)wishStretch( actor ) );
		// a ten-thousandth of the length: nobody sees it
		testLess( most, 2e-4f * units[k] );
		supDestroyScene( scene );
		supDestroyFlesh( flesh );
		supDestroyCharacter( character );
	}
}
