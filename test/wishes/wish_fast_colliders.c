// SPDX-License-Identifier: MIT
// "It explodes as soon as a collider moves fast."
#include "wishes.h"

void wishFastColliders( void** state )
{
	(void)state;
	static const float speeds[] = { 1.0f, 10.0f, 100.0f, 1000.0f };
	for ( int k = 0; k < 4; ++k )
	{
		supError error = { 0 };
		supScene* scene = wishScene( 1, true );
		supActor* actor = wishAdd( scene, wishTubeFlesh() );
		supVec3* rest = wishCopy( actor );
		supColliderDef def = supDefaultColliderDef();
		def.motion = sup_colliderKinematic;
		def.shape.radius = 0.1f;
		def.position = supMakeVec3( 0.4f, 0.15f, -2.0f );
		supCollider* ball = supScene_AddCollider( scene, &def, &error );
		testRequire( ball != NULL, &error );
		float most = 0.0f;
		for ( float z = -2.0f; z < 2.0f; )
		{
			z += speeds[k] / 60.0f;
			supCollider_SetTransform( ball, supMakeVec3( 0.4f, 0.15f, z ), supQuat_identity );
			supScene_Step( scene, 1.0f / 60.0f );
			assert_true( wishIsFinite( actor ) );
			most = supMaxFloat( most, wishFarthest( actor, rest ) );
		}
		wishWait( scene, 3.0f );
		printf( "a ball at %g m/s: skin moves by %.3f m at most, %.4f m in the end\n", (double)speeds[k], (double)most,
				(double)wishFarthest( actor, rest ) );
		// No explosion: no farther than half the tube is long. Skin that is taken along by more than the tube is thick,
		// as it is at 10 m/s, is a limit of its own (docs/limits.md).
		testLess( most, 1.0f );
		testLess( wishFarthest( actor, rest ), 0.005f );
		free( rest );
		supDestroyScene( scene );
	}
}
