// SPDX-License-Identifier: MIT
// "Forearm and upper arm never touch because they are joined, so an elbow folds into itself."
#include "wishes.h"

// Vertices of the inside of the bend that have crossed the plane between the two halves.
static int Count( bool touches )
{
	const float angle = 2.9f;
	supScene* scene = wishScene( 2, true );
	supActor* actor = wishFold( scene, angle, touches );
	// the plane through the joint that halves the angle between the bones
	supVec3 across = { cosf( 0.5f * angle ), sinf( 0.5f * angle ), 0.0f };
	const supMesh* mesh = supCharacter_Mesh( wishTube(), 0 );
	int crossed = 0;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		float side = supDot( supActor_Positions( actor, 0 )[i], across );
		bool isFirst = mesh->positions[i].x<-0.1f, isSecond = mesh->positions[i].x> 0.1f;
		crossed += ( isFirst && side > 0.02f ) || ( isSecond && side < -0.02f );
	}
	supDestroyScene( scene );
	return crossed;
}

void wishJoinedLimbsTouch( void** state )
{
	(void)state;
	int without = Count( false ), with = Count( true );
	printf( "bent by 166 degrees: %d vertices through the other half with contact, %d without\n", with, without );
	testGreater( without, 0 );
	testLessEqual( with, without / 4 );
}
