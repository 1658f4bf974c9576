// SPDX-License-Identifier: MIT
// "The body jiggles through its shirt, and hair comes off the head."
#include "wishes.h"

// Metres between skin and shirt.
#define GAP 0.01f

void wishHairAndClothes( void** state )
{
	(void)state;
	const supMesh* body = supCharacter_Mesh( wishTube(), 0 );
	supVec3* places = malloc( (size_t)body->vertexCount * sizeof( supVec3 ) );
	for ( int32_t i = 0; i < body->vertexCount; ++i )
	{
		places[i] = supMulAdd( body->positions[i], GAP, body->normals[i] );
	}
	supMesh skin = *body, shirt = *body;
	skin.primitiveCount = shirt.primitiveCount = 0;
	shirt.positions = places;
	shirt.name = "shirt";
	supCharacter* character = wishDress( &skin, &shirt );
	supFlesh* flesh = wishBuild( character, "position", NULL, 0.0f );
	supScene* scene = wishScene( 1, true );
	supActor* actor = wishAdd( scene, flesh );
	float least = GAP, most = GAP, swing = 0.0f;
	for ( int i = 1; i <= 60; ++i )
	{
		wishShift( actor, supMakeVec3( 0.0f, 0.03f * sinf( 0.3f * (float)i ), 0.0f ) );
		supScene_Step( scene, 1.0f / 60.0f );
		for ( int32_t k = 0; k < body->vertexCount; ++k )
		{
			supVec3 between = supSub( supActor_Positions( actor, 1 )[k], supActor_Positions( actor, 0 )[k] );
			float away = supDot( between, supActor_Normals( actor, 0 )[k] );
			least = supMinFloat( least, away );
			most = supMaxFloat( most, supLength( between ) );
		}
		swing = i % 5 == 0 ? supMaxFloat( swing, wishFlesh( actor ) ) : swing;
	}
	printf( "shirt 10 mm over skin that swings by %.0f mm: %.1f to %.1f mm\n", 1e3 * (double)swing, 1e3 * (double)least,
			1e3 * (double)most );
	testGreater( swing, 0.005f );
	// never through, and never twice as far off
	testGreater( least, 0.0f );
	testLess( most, 2.0f * GAP );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
	free( places );
}
