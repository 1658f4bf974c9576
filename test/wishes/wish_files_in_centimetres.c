// SPDX-License-Identifier: MIT
// "My file is in centimetres, so the character is 180 m tall and moves like honey."
#include "wishes.h"

#include "supple/io.h"

// A tube that was exported a hundred times too large.
static void MakeLarge( const char* path )
{
	supError error = { 0 };
	supCharacter* character = wishModel( "tube" );
	supCharacter_SetUnit( character, 100.0f );
	supDocument* document = supCreateDocument( character, &error );
	testRequire( document != NULL, &error );
	testRequire( supSaveDocument( document, path, &error ), &error );
	supDestroyDocument( document );
	supDestroyCharacter( character );
}

void wishFilesInCentimetres( void** state )
{
	(void)state;
	supError error = { 0 };
	char folder[256], path[300];
	testMakeFolder( folder );
	snprintf( path, sizeof( path ), "%s/large.glb", folder );
	MakeLarge( path );
	supCharacter* character = supLoadCharacter( path, &error );
	testRequire( character != NULL, &error );
	supCharacter_SetUnit( character, 0.01f );
	supFlesh* flesh = wishBuild( character, "position", NULL, 0.0f );
	supScene* scene = wishScene( 1, true );
	supActor* actors[2] = { wishAdd( scene, flesh ), wishAdd( scene, wishTubeFlesh() ) };
	float off = 0.0f, swing = 0.0f;
	for ( int i = 1; i <= 40; ++i )
	{
		for ( int k = 0; k < 2; ++k )
		{
			wishShift( actors[k], supMakeVec3( 0.0f, 0.03f * sinf( 0.3f * (float)i ), 0.0f ) );
		}
		supScene_Step( scene, 1.0f / 60.0f );
		off = supMaxFloat( off, wishFarthest( actors[0], supActor_Positions( actors[1], 0 ) ) );
		swing = i % 4 == 0 ? supMaxFloat( swing, wishFlesh( actors[1] ) ) : swing;
	}
	printf( "in centimetres: %.5f m from the file in metres, flesh swings by %.3f m\n", (double)off, (double)swing );
	// tets are cut a little differently where the last digits differ
	testLess( off, 0.05f * swing );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
	testRemoveFolder( folder );
}
