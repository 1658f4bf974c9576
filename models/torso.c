// SPDX-License-Identifier: MIT
// A strong, soft upper body, closed at the thighs, fingers with joints: 25 bones, 4345 vertices.
#include "anatomy.h"
#include "creatures.h"

supCharacter* createTorso( supError* error )
{
	const anatomy body = { .muscle = 1.0f,
						   .fat = 0.5f,
						   .skin = { 0.50f, 0.27f, 0.18f },
						   .hair = { 0.02f, 0.015f, 0.012f },
						   .shorts = { 0.10f, 0.12f, 0.14f },
						   .fingerJoints = true };
	creature c;
	creatureInit( &c, "torso" );
	anatomyTrunk trunk = anatomyAddTrunk( &c, &body );
	anatomyAddHead( &c, &body, trunk.neck );
	for ( int i = 0; i < 2; ++i )
	{
		anatomyAddArm( &c, &body, trunk.upperChest, gaitSides + i );
		anatomyAddLeg( &c, &body, trunk.hips, gaitSides + i, false );
	}
	anatomyDress( &c, &body );
	addBipedClips( &c );
	return creatureFinish( &c, 4345, 0.6f, error );
}
