// SPDX-License-Identifier: MIT
// "The bake looks different from what I saw in the viewport."
#include "wishes.h"

#define FPS 30

void wishBakeEqualsPreview( void** state )
{
	(void)state;
	supError error = { 0 };
	char folder[256], work[300], cache[300];
	testMakeFolder( folder );
	snprintf( work, sizeof( work ), "%s/twist.part", folder );
	snprintf( cache, sizeof( cache ), "%s/twist.pc2", folder );
	supBakeDef def = supDefaultBakeDef();
	def.clip = supCharacter_FindClip( wishTube(), "twist" );
	def.framesPerSecond = FPS;
	def.to = 1.0f;
	supBake* bake = supBakeFrames( wishTubeFlesh(), &def, work, &error );
	testRequire( bake != NULL, &error );
	testRequire( supBake_SaveCache( bake, 0, cache, &error ), &error );
	size_t size;
	unsigned char* bytes = testReadFile( cache, &size );

	// the preview: the same clip, the same number of steps, in a scene
	supScene* scene = wishScene( supChooseSubsteps( 1.0f / FPS ), true );
	supActor* actor = wishAdd( scene, wishTubeFlesh() );
	int32_t count = wishVertexCount( actor ), frames = supBake_Report( bake )->frameCount;
	assert_int_equal( frames, FPS + 1 );
	assert_int_equal( size, 32 + (size_t)( frames * count ) * 12 );
	for ( int32_t i = 0; i < frames; ++i )
	{
		supPose_ApplyClip( supActor_Pose( actor ), def.clip, (float)i / FPS );
		if ( i == 0 )
		{
			supActor_Reset( actor );
		}
		else
		{
			supScene_Step( scene, 1.0f / FPS );
		}
		for ( int32_t k = 0; k < count; ++k )
		{
			supVec3 baked;
			memcpy( &baked, bytes + 32 + (size_t)( i * count + k ) * 12, 12 );
			// the cache has the same floats; times of frames may be rounded apart
			testLess( supDistance( baked, supActor_Positions( actor, 0 )[k] ), 1e-5f );
		}
	}
	free( bytes );
	supDestroyScene( scene );
	supDestroyBake( bake, false );
	testRemoveFolder( folder );
}
