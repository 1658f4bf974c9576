// SPDX-License-Identifier: MIT
// The JSON of the browser (web/jansson) beside jansson: the same tree, or the same refusal, whatever bytes come.
#include "json_table.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	static Text theirs, ours;
	for ( int refuseTwice = 0; refuseTwice < 2; ++refuseTwice )
	{
		g_jansson.parse( (const char*)data, size, true, refuseTwice != 0, &theirs );
		g_ours.parse( (const char*)data, size, true, refuseTwice != 0, &ours );
		if ( theirs.length != ours.length || memcmp( theirs.data, ours.data, ours.length ) != 0 )
		{
			fprintf( stderr, "jansson: %s\nours:    %s\n", theirs.data, ours.data );
			abort();
		}
	}
	return 0;
}
