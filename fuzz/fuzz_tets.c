// SPDX-License-Identifier: MIT
// The readers of tetrahedra over whatever bytes come: one file, and with a zero byte inside the two of TetGen.
#include "io/tets/tet_reader.h"
#include "supple/supple.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );

static void CheckMesh( supTetMesh* mesh, const supError* error )
{
	if ( ( mesh == NULL ) != ( error->code != sup_errorNone ) )
	{
		abort();
	}
	for ( int32_t i = 0; mesh != NULL && i < 4 * mesh->tetCount; ++i )
	{
		if ( mesh->indices[i] < 0 || mesh->indices[i] >= mesh->pointCount )
		{
			abort();
		}
	}
	supDestroyTets( mesh );
}

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	// exactly as long as the text, so that a read beyond it is seen
	uint8_t* bytes = malloc( size > 0 ? size : 1 );
	memcpy( bytes, data, size );
	supError error = { 0 };
	CheckMesh( supParseTets( bytes, size, "fuzz", &error ), &error );
	const uint8_t* zero = size > 0 ? memchr( bytes, 0, size ) : NULL;
	if ( zero != NULL )
	{
		size_t nodes = (size_t)( zero - bytes );
		CheckMesh( supParseTetgen( bytes, nodes, "fuzz.node", zero + 1, size - nodes - 1, "fuzz.ele", &error ),
				   &error );
	}
	free( bytes );
	return 0;
}
