// SPDX-License-Identifier: MIT
// What Supple makes of a motion, for comparison with another reader: places of the nodes in world space.
//
//     dump_joints FILE SECONDS...
//
// Writes for each time one line per node, "name<TAB>x<TAB>y<TAB>z", and an empty line.
#include "supple/supple.h"

#include <stdio.h>
#include <stdlib.h>

static void PrintNodes( supPose* pose, const supCharacter* character )
{
	const supMat34* worlds = supPose_Worlds( pose );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		supVec3 place = worlds[i].t;
		printf( "%s\t%.9g\t%.9g\t%.9g\n", supCharacter_Node( character, i )->name, place.x, place.y, place.z );
	}
	printf( "\n" );
}

int main( int argc, char** argv )
{
	if ( argc < 2 )
	{
		fprintf( stderr, "usage: dump_joints FILE SECONDS...\n" );
		return 2;
	}
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( argv[1], &error );
	supPose* pose = character != NULL ? supCreatePose( character ) : NULL;
	bool ok = pose != NULL && supCharacter_ClipCount( character ) > 0;
	for ( int i = 2; ok && i < argc; ++i )
	{
		supPose_ApplyClip( pose, supCharacter_Clip( character, 0 ), strtof( argv[i], NULL ) );
		PrintNodes( pose, character );
	}
	if ( ok == false )
	{
		fprintf( stderr, "%s: %s\n", argv[1], character == NULL ? error.message : "no clip" );
	}
	supDestroyPose( pose );
	supDestroyCharacter( character );
	return ok ? 0 : 1;
}
