// SPDX-License-Identifier: MIT
// "Everything must be modelled at the size of a person or the physics goes wrong."
#include "wishes.h"

// How far flesh swings when the character is shaken by a sixtieth of its length, in parts of its length.
static float Shake( float unit, const char* method )
{
	supCharacter* character = wishModel( "tube" );
	supCharacter_SetUnit( character, unit );
	supFlesh* flesh = wishBuild( character, method, NULL, 0.0f );
	supScene* scene = wishScene( 1, false );
	supActor* actor = wishAdd( scene, flesh );
	float most = 0.0f;
	for ( int i = 1; i <= 30; ++i )
	{
		wishShift( actor, supMakeVec3( 0.0f, 0.03f * unit * sinf( 0.4f * (float)i ), 0.0f ) );
		supScene_Step( scene, 1.0f / 60.0f );
		assert_true( wishIsFinite( actor ) );
		most = i % 2 == 0 ? supMaxFloat( most, wishFlesh( actor ) ) : most;
	}
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
	return most / ( 2.0f * unit );
}

void wishAnyUnit( void** state )
{
	(void)state;
	// `fem` has another control lattice at another size, and is 17 % off for it (docs/limits.md)
	static const struct
	{
		const char* method;
		float tolerance;
	} rows[] = { { "position", 0.05f }, { "fem", 0.2f } };
	// tubes of 20 cm, 2 cm, 2 mm and 200 m
	static const float units[] = { 0.1f, 0.01f, 0.001f, 100.0f };
	for ( int m = 0; m < 2; ++m )
	{
		float middle = Shake( 1.0f, rows[m].method );
		printf( "%s, 2 m: flesh swings by %.4f of the length\n", rows[m].method, (double)middle );
		for ( int k = 0; k < 4; ++k )
		{
			float part = Shake( units[k], rows[m].method );
			printf( "%s, %g m: flesh swings by %.4f of the length\n", rows[m].method, (double)( 2.0f * units[k] ),
					(double)part );
			// the same picture at every size
			testLess( fabsf( part / middle - 1.0f ), rows[m].tolerance );
		}
	}
}
