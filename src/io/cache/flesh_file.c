// SPDX-License-Identifier: MIT
// Flesh files: the block of supWriteFlesh on disk. It is read, not mapped: a file that becomes shorter under a mapping
// ends the program.
#include "io/common/file.h"
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
	size_t byteCount = 0;
	uint8_t* bytes = supReadFile( path, &byteCount, error );
	if ( bytes == NULL )
	{
		return NULL;
	}
	supFlesh* flesh = supReadFlesh( bytes, byteCount, path, character, error );
	if ( flesh != NULL && flesh->backing == NULL )
	{
		flesh->backing = bytes;
		flesh->freeBacking = supFree;
	}
	else
	{
		// nothing was made of it, or flesh of the other byte order has a copy of its own
		supFree( bytes );
	}
	return flesh;
}
