// SPDX-License-Identifier: MIT
// What we make of assimp's scenes, over whatever bytes come. Findings inside assimp are not ours to mend, which is why
// the command line imports in a child process; so this target runs only where it is asked for: scripts/fuzz.sh
// fuzz_import.
#define _GNU_SOURCE
#include "io/assimp/assimp_import.h"
#include "memory_file.h"
#include "supple/supple.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	supSetLog( NULL, NULL );
	char path[64];
	int file = MakeMemoryFile( data, size, path );
	if ( file < 0 )
	{
		return 0;
	}
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( path, &error );
	if ( ( character == NULL ) != ( error.code != sup_errorNone ) )
	{
		abort();
	}
	supDestroyCharacter( character );
	close( file );
	return 0;
}
