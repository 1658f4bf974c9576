// SPDX-License-Identifier: MIT
// The reader of name maps over whatever bytes come.
#define _GNU_SOURCE
#include "memory_file.h"
#include "supple/supple.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	char path[64];
	int file = MakeMemoryFile( data, size, path );
	if ( file < 0 )
	{
		return 0;
	}
	supError error = { 0 };
	supNameMap* map = supLoadNameMap( path, &error );
	if ( ( map == NULL ) != ( error.code != sup_errorNone ) )
	{
		abort();
	}
	supDestroyNameMap( map );
	close( file );
	return 0;
}
