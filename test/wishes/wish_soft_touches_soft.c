// SPDX-License-Identifier: MIT
// "Soft bodies collide with rigid ones but not with each other."
#include "wishes.h"

void wishSoftTouchesSoft( void** state )
{
	(void)state;
	supError error = { 0 };
	supScene* scene = wishScene( 2, true );
	supActor* actors[2];
	for ( int i = 0; i < 2; ++i )
	{
		actors[i] = wishAdd( scene, wishTubeFlesh() );
		wishShift( actors[i], supMakeVec3( 0.0f, i == 0 ? 0.0f : 0.4f, 0.0f ) );
		supContactSettings contact = supActor_GetContact( actors[i] );
		contact.withActors = true;
		testRequire( supActor_SetContact( actors[i], &contact, &error ), &error );
	}
	supScene_Step( scene, 0.0f );
	supActor_Reset( actors[0] );
	supActor_Reset( actors[1] );
	// the upper one comes down until skins would overlap by 4 cm
	for ( int i = 1; i <= 60; ++i )
	{
		wishShift( actors[1], supMakeVec3( 0.0f, 0.4f - 0.14f * supMinFloat( (float)i / 30.0f, 1.0f ), 0.0f ) );
		supScene_Step( scene, 1.0f / 60.0f );
	}
	float deep = 0.0f, dents[2];
	int32_t count = wishVertexCount( actors[0] ), contactCount;
	for ( int i = 0; i < 2; ++i )
	{
		dents[i] = wishFlesh( actors[i] );
	}
	const supContact* contacts = supScene_Contacts( scene, &contactCount );
	for ( int32_t i = 0; i < contactCount; ++i )
	{
		deep = supMaxFloat( deep, contacts[i].depth );
	}
	printf( "two tubes: %d contacts, dents %.3f and %.3f m, %.4f m deep\n", contactCount, (double)dents[0],
			(double)dents[1], (double)deep );
	testGreater( count, 0 );
	testGreater( contactCount, 0 );
	testGreater( dents[0], 0.005f );
	testGreater( dents[1], 0.005f );
	testLess( deep, 0.01f );
	supDestroyScene( scene );
}
