// SPDX-License-Identifier: MIT
// "As soon as flesh is on, the blend shapes of the face are gone."
#include "wishes.h"

void wishMorphTargets( void** state )
{
	(void)state;
	supMesh mesh = *supCharacter_Mesh( wishTube(), 0 );
	supVec3* bulge = malloc( (size_t)mesh.vertexCount * sizeof( supVec3 ) );
	for ( int32_t i = 0; i < mesh.vertexCount; ++i )
	{
		bulge[i] = fabsf( mesh.positions[i].x - 0.5f ) < 0.2f ? supScale( 0.04f, mesh.normals[i] ) : supVec3_zero;
	}
	supMorphTarget target = { .name = "puff", .positions = bulge };
	mesh.primitiveCount = 0;
	mesh.targetCount = 1;
	mesh.targets = &target;
	supCharacter* character = wishDress( &mesh, NULL );
	static const char* const methods[] = { "position", "lattice", "points", "layered", "fem", "modes" };
	for ( int m = 0; m < 5; ++m )
	{
		supFlesh* flesh = wishBuild( character, methods[m], NULL, 0.0f );
		supScene* scene = wishScene( 1, true );
		supActor* actors[2] = { wishAdd( scene, flesh ), wishAdd( scene, flesh ) };
		float off = 0.0f, swing = 0.0f;
		wishSet( actors[0], "exaggeration", 1.0f );
		wishSet( actors[1], "exaggeration", 1.0f );
		for ( int i = 1; i <= 40; ++i )
		{
			for ( int k = 0; k < 2; ++k )
			{
				wishShift( actors[k], supMakeVec3( 0.0f, 0.03f * sinf( 0.12f * (float)i ), 0.0f ) );
			}
			supPose_MorphWeights( supActor_Pose( actors[1] ), 0 )[0] = 1.0f;
			supScene_Step( scene, 1.0f / 60.0f );
			// what the shape adds to a body that swings in the same way
			for ( int32_t v = 0; v < mesh.vertexCount; ++v )
			{
				supVec3 added = supSub( supActor_Positions( actors[1], 0 )[v], supActor_Positions( actors[0], 0 )[v] );
				off = supMaxFloat( off, supDistance( added, bulge[v] ) );
			}
			swing = i % 5 == 0 ? supMaxFloat( swing, wishFlesh( actors[0] ) ) : swing;
		}
		printf( "%s: shape of 40 mm off by %.1f mm, flesh swings by %.1f mm\n", methods[m], 1e3 * (double)off,
				1e3 * (double)swing );
		// a quarter of the shape: flesh under it turns it a little
		testLess( off, 0.01f );
		testGreater( swing, 0.002f );
		supDestroyScene( scene );
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
	free( bulge );
}
