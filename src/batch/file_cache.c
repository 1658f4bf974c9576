// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "batch/file_cache.h"

#include "core/array.h"
#include "io/common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINE "supple files 1"
#define BLOCK ( (size_t)1 << 20 )
// of supHashBytes: a block that ends within a word would hash differently
#define WORD 8

// Changed content changes at least one of these. ctime also catches tools that set back mtime.
typedef struct Stamp
{
	int64_t size, inode, modified, changed;
} Stamp;

typedef struct Entry
{
	char* file;
	Stamp stamp;
	supHash128 hash;
	char* note; // may be NULL
} Entry;

struct supFileCache
{
	char* path;
	SUP_ARRAY( Entry ) entries;
	int32_t* slots; // open addressing: index + 1 into entries
	int32_t slotCount;
	bool changed;
};

static bool ReadStamp( const struct stat* info, Stamp* stamp )
{
	*stamp = ( Stamp ){ (int64_t)info->st_size, (int64_t)info->st_ino,
						(int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec,
						(int64_t)info->st_ctim.tv_sec * 1000000000 + info->st_ctim.tv_nsec };
	return S_ISREG( info->st_mode );
}

static bool IsSame( const Stamp* a, const Stamp* b )
{
	return a->size == b->size && a->inode == b->inode && a->modified == b->modified && a->changed == b->changed;
}

// ---------------------------------------------------------------------------------------------------------------------
// Looking up

static int32_t* FindSlot( const supFileCache* cache, const char* file )
{
	uint64_t hash = supHashString( SUP_HASH_SEED, file );
	uint32_t mask = (uint32_t)cache->slotCount - 1;
	for ( uint32_t i = (uint32_t)( hash >> 32 ) & mask;; i = ( i + 1 ) & mask )
	{
		int32_t* slot = cache->slots + i;
		if ( *slot == 0 || strcmp( cache->entries.data[*slot - 1].file, file ) == 0 )
		{
			return slot;
		}
	}
}

static bool GrowSlots( supFileCache* cache )
{
	if ( cache->slots != NULL && cache->entries.count + 1 < cache->slotCount / 2 )
	{
		return true;
	}
	int32_t count = cache->slotCount > 0 ? 2 * cache->slotCount : 1024;
	int32_t* slots = supAllocZeroed( (size_t)count * sizeof( int32_t ) );
	if ( slots == NULL )
	{
		return false;
	}
	supFree( cache->slots );
	cache->slots = slots;
	cache->slotCount = count;
	for ( int32_t i = 0; i < cache->entries.count; ++i )
	{
		*FindSlot( cache, cache->entries.data[i].file ) = i + 1;
	}
	return true;
}

// A new one if there is none; NULL when out of memory.
static Entry* FindEntry( supFileCache* cache, const char* file )
{
	if ( GrowSlots( cache ) == false )
	{
		return NULL;
	}
	int32_t* slot = FindSlot( cache, file );
	if ( *slot == 0 )
	{
		char* copy = supCopyString( file );
		if ( copy == NULL || SUP_PUSH( &cache->entries, ( Entry ){ .file = copy, .stamp.size = -1 } ) == false )
		{
			supFree( copy );
			return NULL;
		}
		*slot = cache->entries.count;
	}
	return cache->entries.data + *slot - 1;
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading and writing the cache: one file per line, fields separated by tabs, its name and the note last

static void ReadLine( supFileCache* cache, char* line )
{
	Stamp stamp;
	supHash128 hash;
	int length = 0;
	if ( sscanf( line, "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNx64 " %" SCNx64 "%n", &stamp.size,
				 &stamp.inode, &stamp.modified, &stamp.changed, &hash.a, &hash.b, &length ) != 6 ||
		 line[length] != '\t' )
	{
		return;
	}
	char* file = line + length + 1;
	char* note = strchr( file, '\t' );
	if ( note != NULL )
	{
		*note++ = 0;
	}
	Entry* entry = FindEntry( cache, file );
	if ( entry != NULL )
	{
		entry->stamp = stamp;
		entry->hash = hash;
		supFree( entry->note );
		entry->note = note != NULL ? supCopyString( note ) : NULL;
	}
}

supFileCache* supOpenFileCache( const char* path )
{
	supFileCache* cache = supAllocZeroed( sizeof( supFileCache ) );
	char* copy = supCopyString( path );
	if ( cache == NULL || copy == NULL )
	{
		supFree( cache );
		supFree( copy );
		return NULL;
	}
	cache->path = copy;
	size_t count = 0;
	char* text = (char*)supReadFile( path, &count, NULL );
	bool first = true, known = false;
	for ( char* line = text; line != NULL && *line != 0; )
	{
		char* end = line + strcspn( line, "\n" );
		bool last = *end == 0;
		*end = 0;
		known = first ? strcmp( line, FIRST_LINE ) == 0 : known;
		if ( known && first == false && last == false )
		{
			ReadLine( cache, line );
		}
		first = false;
		line = last ? NULL : end + 1;
	}
	supFree( text );
	return cache;
}

void supFileCache_Save( supFileCache* cache )
{
	supOutput* output = cache->changed ? supBeginOutput( cache->path, NULL ) : NULL;
	if ( output == NULL )
	{
		return;
	}
	supOutput_Print( output, FIRST_LINE "\n" );
	for ( int32_t i = 0; i < cache->entries.count; ++i )
	{
		const Entry* entry = cache->entries.data + i;
		const Stamp* stamp = &entry->stamp;
		// a name with a line break is read again each time
		if ( stamp->size >= 0 && strpbrk( entry->file, "\t\n" ) == NULL )
		{
			supOutput_Print( output,
							 "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRIx64 " %" PRIx64 "\t%s%s%s\n",
							 stamp->size, stamp->inode, stamp->modified, stamp->changed, entry->hash.a, entry->hash.b,
							 entry->file, entry->note != NULL ? "\t" : "", entry->note != NULL ? entry->note : "" );
		}
	}
	supEndOutput( output, true, NULL );
	cache->changed = false;
}

void supDestroyFileCache( supFileCache* cache )
{
	if ( cache == NULL )
	{
		return;
	}
	for ( int32_t i = 0; i < cache->entries.count; ++i )
	{
		supFree( cache->entries.data[i].file );
		supFree( cache->entries.data[i].note );
	}
	SUP_FREE_ARRAY( &cache->entries );
	supFree( cache->slots );
	supFree( cache->path );
	supFree( cache );
}

// ---------------------------------------------------------------------------------------------------------------------
// Content

static bool HashContent( int file, supHash128* hash )
{
	char* block = supAlloc( BLOCK );
	*hash = supBeginHash128();
	size_t held = 0;
	bool ok = block != NULL;
	for ( ssize_t got = 1; ok && got != 0; )
	{
		got = read( file, block + held, BLOCK - held );
		ok = got >= 0 || errno == EINTR;
		held += got > 0 ? (size_t)got : 0;
		size_t whole = got == 0 ? held : held - held % WORD;
		supHash128_Add( hash, block, whole );
		memmove( block, block + whole, held - whole );
		held -= whole;
	}
	supFree( block );
	return ok;
}

bool supFileCache_Hash( supFileCache* cache, const char* path, supHash128* hash, supError* error )
{
	struct stat info;
	Stamp stamp, after;
	Entry* entry = FindEntry( cache, path );
	if ( entry == NULL )
	{
		return supSetMemoryError( error );
	}
	if ( stat( path, &info ) == 0 && ReadStamp( &info, &stamp ) && IsSame( &stamp, &entry->stamp ) )
	{
		*hash = entry->hash;
		return true;
	}
	int file = open( path, O_RDONLY | O_NONBLOCK | O_CLOEXEC );
	bool ok = file >= 0 && fstat( file, &info ) == 0;
	if ( ok && ReadStamp( &info, &stamp ) == false )
	{
		close( file );
		return supSetError( error, sup_errorRead, path, "not a regular file" );
	}
	ok = ok && HashContent( file, hash ) && fstat( file, &info ) == 0 && ReadStamp( &info, &after );
	if ( ok == false )
	{
		supSetError( error, errno == ENOENT || errno == ENOTDIR ? sup_errorNotFound : sup_errorRead, path,
					 "cannot open the file: %s", strerror( errno ) );
	}
	else if ( IsSame( &stamp, &after ) == false )
	{
		ok = supSetError( error, sup_errorRead, path,
						  "the file changed while it was being read; try again when it is complete" );
	}
	if ( file >= 0 )
	{
		close( file );
	}
	if ( ok )
	{
		supFree( entry->note );
		*entry = ( Entry ){ .file = entry->file, .stamp = stamp, .hash = *hash };
		cache->changed = true;
	}
	return ok;
}

const char* supFileCache_Note( supFileCache* cache, const char* path )
{
	struct stat info;
	Stamp stamp;
	Entry* entry = FindEntry( cache, path );
	bool same =
		entry != NULL && stat( path, &info ) == 0 && ReadStamp( &info, &stamp ) && IsSame( &stamp, &entry->stamp );
	return same ? entry->note : NULL;
}

bool supFileCache_SetNote( supFileCache* cache, const char* path, const char* note )
{
	supHash128 hash;
	char* copy = supCopyString( note );
	if ( copy == NULL || supFileCache_Hash( cache, path, &hash, NULL ) == false )
	{
		supFree( copy );
		return false;
	}
	Entry* entry = FindEntry( cache, path );
	supFree( entry->note );
	entry->note = copy;
	cache->changed = true;
	return true;
}
