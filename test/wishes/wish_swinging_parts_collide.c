// SPDX-License-Identifier: MIT
// "The jiggle bones of my character swing through each other."
#include "wishes.h"

// Deepest self-penetration while two limbs are brought together, with contact and without.
static float Fold( bool touches )
{
	supScene* scene = wishScene( 2, true );
	supActor* actor = wishFold( scene, 2.9f, touches );
	const supVec3* p = supActor_Positions( actor, 0 );
	// how near the two ends of the tube come to each other: vertices of one half, from those of the other
	const supMesh* mesh = supCharacter_Mesh( wishTube(), 0 );
	float nearest = INFINITY;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		for ( int32_t k = 0; k < mesh->vertexCount; ++k )
		{
			bool isApart = mesh->positions[i].x < -0.7f && mesh->positions[k].x > 0.7f;
			// along the way in which one half lies on the other
			supVec3 between = supSub( p[k], p[i] );
			bool isAbove = isApart && fabsf( between.x ) < 0.08f && fabsf( between.z ) < 0.05f;
			bool facing = isAbove && mesh->positions[i].y > 0.1f && mesh->positions[k].y > 0.1f;
			nearest = facing ? supMinFloat( nearest, between.y ) : nearest;
		}
	}
	assert_true( wishIsFinite( actor ) );
	supDestroyScene( scene );
	return nearest;
}

void wishSwingingPartsCollide( void** state )
{
	(void)state;
	float without = Fold( false ), with = Fold( true );
	printf( "folded tube: halves %.3f m apart with contact, %.3f m without\n", (double)with, (double)without );
	// without contact they pass through each other
	testLess( without, -0.01f );
	testGreater( with, -0.01f );
}
