// SPDX-License-Identifier: MIT
// Flesh files: the block of supWriteFlesh on disk, mapped into memory when it is loaded.
#include "io/file.h"
#include "method/method.h"
#include "supple/io.h"

bool supSaveFlesh( const supFlesh* flesh, const char* path, supError* error )
{
	size_t byteCount = 0;
	uint8_t* bytes = supWriteFlesh( flesh, &byteCount, error );
	bool ok = bytes != NULL && supWriteFile( path, bytes, byteCount, error );
	supFree( bytes );
	return ok;
}

supFlesh* supLoadFlesh( const char* path, const supCharacter* character, supError* error )
{
	supClearError( error );
	supFileMap* map = supMapFile( path, error );
	if ( map == NULL )
	{
		return NULL;
	}
	supFlesh* flesh = supReadFlesh( map->bytes, map->byteCount, path, character, error );
	if ( flesh != NULL && flesh->backing == NULL )
	{
		flesh->backing = map;
		flesh->freeBacking = supUnmapFile;
	}
	else
	{
		// nothing was made of it, or flesh of the other byte order has a copy of its own
		supUnmapFile( map );
	}
	return flesh;
}
