// SPDX-License-Identifier: MIT
// The BVH reader over whatever bytes come.
#include "io/motion/bvh.h"
#include "supple/supple.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	supSetLog( NULL, NULL );
	// exactly as long as the text, so that a read beyond it is seen
	char* text = malloc( size > 0 ? size : 1 );
	memcpy( text, data, size );
	supError error = { 0 };
	supCharacter* character = supParseBvh( text, size, "fuzz.bvh", &error );
	free( text );
	if ( ( character == NULL ) != ( error.code != sup_errorNone ) )
	{
		abort();
	}
	supPose* pose = character != NULL ? supCreatePose( character ) : NULL;
	if ( pose != NULL && supCharacter_ClipCount( character ) > 0 )
	{
		const supClip* clip = supCharacter_Clip( character, 0 );
		supPose_ApplyClip( pose, clip, 0.5f * ( clip->start + clip->end ) );
		supPose_Worlds( pose );
	}
	supDestroyPose( pose );
	supDestroyCharacter( character );
	return 0;
}
