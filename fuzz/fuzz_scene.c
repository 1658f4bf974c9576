// SPDX-License-Identifier: MIT
// The reader of scene files over whatever bytes come.
#include "io/settings/scene_file.h"
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
	supSceneFile file = { 0 };
	supError error = { 0 };
	bool ok = supSceneFile_Parse( &file, text, size, "scene.json", &error );
	free( text );
	if ( ok == ( error.code != sup_errorNone ) )
	{
		abort();
	}
	if ( ok )
	{
		supSceneFile_Destroy( &file );
	}
	return 0;
}
