// SPDX-License-Identifier: MIT
// "Forearm and upper arm never touch because they are joined, so an elbow folds into itself."
#include "wishes.h"

// Vertices of the inside of the bend that have crossed the plane between the two halves.
static int Count( bool touches )
{
	supError error = { 0 };
	supScene* scene = wishScene( 2, true );
	supActor* actor = wishAdd( scene, wishTubeFlesh() );
	supContactSettings contact = supActor_GetContact( actor );
	contact.withItself = touches;
	testRequire( supActor_SetContact( actor, &contact, &error ), &error );
	int32_t bone = supCharacter_FindNode( wishTube(), "bone2" );
	supTransform local = supCharacter_Node( wishTube(), bone )->rest;
	supQuat rest = local.rotation;
	float angle = 0.0f;
	for ( int i = 1; i <= 60; ++i )
	{
		angle = 2.9f * supMinFloat( (float)i / 45.0f, 1.0f );
		local.rotation = supMulQuat( rest, supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), angle ) );
		supPose_SetLocal( supActor_Pose( actor ), bone, local );
		supScene_Step( scene, 1.0f / 60.0f );
		assert_true( wishIsFinite( actor ) );
	}
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
	assert_true( without > 0 );
	assert_true( with <= without / 4 );
}
