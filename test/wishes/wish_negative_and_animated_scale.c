// SPDX-License-Identifier: MIT
// "A mirrored rig turns inside out, and squash and stretch breaks the simulation."
#include "wishes.h"

static void Scale( supActor* actor, supVec3 scale )
{
	const supCharacter* character = supFlesh_Character( supActor_Flesh( actor ) );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		const supNode* node = supCharacter_Node( character, i );
		if ( node->parent < 0 )
		{
			supTransform local = node->rest;
			local.scale = scale;
			local.translation = supMakeVec3( local.translation.x * scale.x, local.translation.y * scale.y,
											 local.translation.z * scale.z );
			supPose_SetLocal( supActor_Pose( actor ), i, local );
		}
	}
}

void wishNegativeAndAnimatedScale( void** state )
{
	(void)state;
	// docs/limits.md: what is mirrored is left to `points`, `fem` and `layered`
	static const struct
	{
		const char* method;
		float mirror;
	} rows[] = { { "position", 1.0f }, { "points", -1.0f }, { "fem", -1.0f } };
	for ( int m = 0; m < 3; ++m )
	{
		supFlesh* flesh = wishBuild( wishTube(), rows[m].method, NULL, 0.0f );
		supScene* scene = wishScene( 1, true );
		supActor* actor = wishAdd( scene, flesh );
		Scale( actor, supMakeVec3( rows[m].mirror, 1.0f, 1.0f ) );
		supActor_Reset( actor );
		wishWait( scene, 0.3f );
		float mirrored = wishFlesh( actor ), most = 0.0f;
		for ( int i = 1; i <= 90; ++i )
		{
			float s = 1.0f + 0.3f * sinf( 0.1f * (float)i );
			Scale( actor, supMakeVec3( rows[m].mirror * s, 1.0f / s, s ) );
			supScene_Step( scene, 1.0f / 60.0f );
			assert_true( wishIsFinite( actor ) );
			most = i % 10 == 0 ? supMaxFloat( most, wishFlesh( actor ) ) : most;
		}
		printf( "%s: at rest %.4f m, while it is scaled %.4f m from skinning\n", rows[m].method, (double)mirrored,
				(double)most );
		testLess( mirrored, 0.01f );
		// ends of the tube go to and fro by 0.3 m; its radius is 0.15 m
		testLess( most, 0.15f );
		supDestroyScene( scene );
		supDestroyFlesh( flesh );
	}
}
