// SPDX-License-Identifier: MIT
// A grown-up in shirt and shorts: 25 bones, 9528 vertices (HUMAN of paper 004).
#include "anatomy.h"
#include "creatures.h"

supCharacter* createHuman( supError* error )
{
	const anatomy body = { .muscle = 0.35f,
						   .fat = 0.1f,
						   .skin = { 0.56f, 0.33f, 0.23f },
						   .hair = { 0.055f, 0.030f, 0.018f },
						   .hasShirt = true,
						   .shirt = { 0.55f, 0.56f, 0.55f },
						   .shorts = { 0.035f, 0.075f, 0.16f } };
	creature c;
	creatureInit( &c, "human" );
	anatomyTrunk trunk = anatomyAddTrunk( &c, &body );
	anatomyAddHead( &c, &body, trunk.neck );
	for ( int i = 0; i < 2; ++i )
	{
		anatomyAddArm( &c, &body, trunk.upperChest, gaitSides + i );
		anatomyAddLeg( &c, &body, trunk.hips, gaitSides + i, true );
	}
	anatomyDress( &c, &body );
	addBipedClips( &c );
	return creatureFinish( &c, 9528, 0.6f, error );
}
