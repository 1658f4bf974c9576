// SPDX-License-Identifier: MIT
#include "core/pack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PACK_VERSION 1
#define ORDER_MARK 0x01020304u
#define ALIGNMENT 64

// the line end shows what a transfer as text does to a file
static const char s_magic[8] = { 's', 'u', 'p', 'P', 'a', 'c', 'k', '\n' };

typedef struct Header
{
	char magic[8];
	uint32_t order; // ORDER_MARK, in the byte order of the block
	uint32_t version;
	uint64_t byteCount; // of the whole block
	uint64_t checksum;  // of the block with zero here
	uint32_t sectionCount;
	uint32_t reserved[7]; // zero
} Header;

typedef struct Entry
{
	char name[SUP_PACK_NAME_SIZE]; // filled up with zeros
	uint32_t type;
	uint32_t reserved; // zero
	uint64_t count;
	uint64_t offset;
} Entry;

_Static_assert( sizeof( Header ) == ALIGNMENT && sizeof( Entry ) == ALIGNMENT, "both are on disk" );

size_t supPackItemSize( supPackType type )
{
	static const uint8_t sizes[sup_packTypeCount] = { 1, 2, 4, 4, 8, 4, 8 };
	SUP_ASSERT( 0 <= (int)type && type < sup_packTypeCount );
	return sizes[type];
}

static const char* TypeName( uint32_t type )
{
	static const char* const names[sup_packTypeCount] = { "u8", "u16", "u32", "i32", "i64", "f32", "f64" };
	return names[type];
}

// ---------------------------------------------------------------------------------------------------------------------
// Bytes

static supPackOrder HostOrder( void )
{
	const uint16_t one = 1;
	uint8_t first;
	memcpy( &first, &one, 1 );
	return first == 1 ? sup_packLittle : sup_packBig;
}

static uint32_t Swap32( uint32_t x )
{
	return x >> 24 | ( x >> 8 & 0xFF00u ) | ( x << 8 & 0xFF0000u ) | x << 24;
}

static uint64_t Swap64( uint64_t x )
{
	return (uint64_t)Swap32( (uint32_t)x ) << 32 | Swap32( (uint32_t)( x >> 32 ) );
}

static void SwapItems( uint8_t* bytes, size_t itemSize, size_t count )
{
	for ( size_t i = 0; itemSize > 1 && i < count; ++i, bytes += itemSize )
	{
		for ( size_t low = 0, high = itemSize - 1; low < high; ++low, --high )
		{
			uint8_t byte = bytes[low];
			bytes[low] = bytes[high];
			bytes[high] = byte;
		}
	}
}

static void SwapHeader( Header* header )
{
	header->order = Swap32( header->order );
	header->version = Swap32( header->version );
	header->byteCount = Swap64( header->byteCount );
	header->checksum = Swap64( header->checksum );
	header->sectionCount = Swap32( header->sectionCount );
}

static void SwapEntry( Entry* entry )
{
	entry->type = Swap32( entry->type );
	entry->count = Swap64( entry->count );
	entry->offset = Swap64( entry->offset );
}

static uint64_t Mix( uint64_t hash, uint64_t word )
{
	hash = ( hash ^ word ) * 0x9E3779B97F4A7C15ull;
	return hash ^ hash >> 29;
}

// Words are taken as little-endian on every machine. Each step is invertible, so any change within one word is seen for
// certain. Four chains side by side, since one waits for its own multiplications.
// - count is a multiple of 64
static uint64_t HashBlock( uint64_t seed, const uint8_t* bytes, size_t count )
{
	uint64_t lanes[4] = { seed, seed + 1, seed + 2, seed + 3 };
	const bool swap = HostOrder() == sup_packBig;
	for ( size_t i = 0; i < count; i += sizeof( lanes ) )
	{
		uint64_t words[4];
		memcpy( words, bytes + i, sizeof( words ) );
		for ( int k = 0; k < 4; ++k )
		{
			lanes[k] = Mix( lanes[k], swap ? Swap64( words[k] ) : words[k] );
		}
	}
	return Mix( Mix( Mix( Mix( seed, lanes[0] ), lanes[1] ), lanes[2] ), lanes[3] );
}

// `header` as on disk.
static uint64_t Checksum( Header header, const uint8_t* bytes, size_t byteCount )
{
	header.checksum = 0;
	uint64_t hash = HashBlock( byteCount, (const uint8_t*)&header, sizeof( header ) );
	return HashBlock( hash, bytes + sizeof( header ), byteCount - sizeof( header ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Names

static void EnterGroup( char path[SUP_PACK_NAME_SIZE], const char* group )
{
	size_t used = strlen( path );
	size_t length = strlen( group );
	SUP_ASSERT( length > 0 && strchr( group, '/' ) == NULL && used + length + 2 < SUP_PACK_NAME_SIZE );
	memcpy( path + used, group, length );
	memcpy( path + used + length, "/", 2 );
}

static void LeaveGroup( char path[SUP_PACK_NAME_SIZE] )
{
	size_t length = strlen( path );
	SUP_ASSERT( length > 0 );
	do
	{
		path[--length] = 0;
	} while ( length > 0 && path[length - 1] != '/' );
}

// Zeros behind it to the end, as on disk.
static void JoinName( char full[SUP_PACK_NAME_SIZE], const char* group, const char* name )
{
	size_t used = strlen( group );
	size_t length = strlen( name );
	SUP_ASSERT( length > 0 && strchr( name, '/' ) == NULL && used + length < SUP_PACK_NAME_SIZE );
	memset( full, 0, SUP_PACK_NAME_SIZE );
	memcpy( full, group, used );
	memcpy( full + used, name, length );
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

void supPackWriter_Destroy( supPackWriter* writer )
{
	supArena_Destroy( &writer->arena );
	SUP_FREE_ARRAY( &writer->sections );
	*writer = ( supPackWriter ){ 0 };
}

static bool IsTaken( const supPackWriter* writer, const char* name )
{
	for ( int32_t i = 0; i < writer->sections.count; ++i )
	{
		if ( strcmp( writer->sections.data[i].name, name ) == 0 )
		{
			return true;
		}
	}
	return false;
}

void supPackWriter_Add( supPackWriter* writer, const char* name, supPackType type, int64_t count, const void* items )
{
	SUP_ASSERT( count >= 0 && ( items != NULL || count == 0 ) );
	SUP_ASSERT( writer->sections.count < SUP_PACK_MAX_SECTIONS );
	supPackSection section = { .type = type, .count = count };
	JoinName( section.name, writer->group, name );
	SUP_ASSERT( IsTaken( writer, section.name ) == false );
	section.items = supArena_CopyArray( &writer->arena, items, (size_t)count, supPackItemSize( type ) );
	writer->failed |= section.items == NULL || SUP_PUSH( &writer->sections, section ) == false;
}

void supPackWriter_AddInt( supPackWriter* writer, const char* name, int32_t value )
{
	supPackWriter_Add( writer, name, sup_packI32, 1, &value );
}

void supPackWriter_AddFloat( supPackWriter* writer, const char* name, float value )
{
	supPackWriter_Add( writer, name, sup_packF32, 1, &value );
}

void supPackWriter_AddString( supPackWriter* writer, const char* name, const char* text )
{
	supPackWriter_Add( writer, name, sup_packU8, (int64_t)strlen( text ), text );
}

void supPackWriter_Enter( supPackWriter* writer, const char* group )
{
	EnterGroup( writer->group, group );
}

void supPackWriter_Leave( supPackWriter* writer )
{
	LeaveGroup( writer->group );
}

static int CompareSections( const void* a, const void* b )
{
	return strcmp( ( (const supPackSection*)a )->name, ( (const supPackSection*)b )->name );
}

static uint64_t AlignUp( uint64_t size )
{
	return ( size + ALIGNMENT - 1 ) / ALIGNMENT * ALIGNMENT;
}

// Sections lie in the order in which they were added: what is loaded together is together.
static uint64_t PlaceSections( supPackWriter* writer )
{
	uint64_t end = sizeof( Header ) + (uint64_t)writer->sections.count * sizeof( Entry );
	for ( int32_t i = 0; i < writer->sections.count; ++i )
	{
		supPackSection* section = &writer->sections.data[i];
		section->offset = end;
		end = AlignUp( end + (uint64_t)section->count * supPackItemSize( section->type ) );
	}
	return end;
}

static void WriteSection( const supPackSection* section, uint8_t* block, Entry* entry, bool swap )
{
	*entry = ( Entry ){ .type = section->type, .count = (uint64_t)section->count, .offset = section->offset };
	memcpy( entry->name, section->name, sizeof( entry->name ) );
	size_t itemSize = supPackItemSize( section->type );
	memcpy( block + section->offset, section->items, (size_t)section->count * itemSize );
	if ( swap )
	{
		SwapEntry( entry );
		SwapItems( block + section->offset, itemSize, (size_t)section->count );
	}
}

uint8_t* supPackWriter_Finish( supPackWriter* writer, size_t* byteCount, supError* error )
{
	SUP_ASSERT( writer->group[0] == 0 );
	*byteCount = 0;
	size_t size = writer->failed ? 0 : (size_t)PlaceSections( writer );
	uint8_t* block = writer->failed ? NULL : supAllocZeroed( size );
	if ( block == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	const bool swap = writer->order != HostOrder();
	int32_t count = writer->sections.count;
	qsort( writer->sections.data, (size_t)count, sizeof( supPackSection ), CompareSections );
	Entry* entries = (Entry*)( block + sizeof( Header ) );
	for ( int32_t i = 0; i < count; ++i )
	{
		WriteSection( &writer->sections.data[i], block, &entries[i], swap );
	}
	Header header = {
		.order = ORDER_MARK, .version = PACK_VERSION, .byteCount = size, .sectionCount = (uint32_t)count
	};
	memcpy( header.magic, s_magic, sizeof( s_magic ) );
	if ( swap )
	{
		SwapHeader( &header );
	}
	uint64_t checksum = Checksum( header, block, size );
	header.checksum = swap ? Swap64( checksum ) : checksum;
	memcpy( block, &header, sizeof( header ) );
	*byteCount = size;
	return block;
}

// ---------------------------------------------------------------------------------------------------------------------
// Opening

static const Entry* Entries( const supPackReader* reader )
{
	return (const Entry*)( reader->bytes + sizeof( Header ) );
}

// What can be said before the block is known to be whole.
static bool CheckHeader( const Header* header, size_t byteCount, const char* name, supError* error )
{
	if ( header->version != PACK_VERSION )
	{
		return supSetError( error, sup_errorUnsupported, name,
							"the file has format version %u; this program reads version %d; build the file again",
							header->version, PACK_VERSION );
	}
	if ( header->byteCount != byteCount )
	{
		return supSetError( error, sup_errorFormat, name, "the file is incomplete: expected %llu bytes (got %zu)",
							(unsigned long long)header->byteCount, byteCount );
	}
	return true;
}

// Words between slashes, as supPackWriter makes them, that can be printed.
static bool IsProperName( const char name[SUP_PACK_NAME_SIZE] )
{
	bool betweenSlashes = true;
	for ( int i = 0; i < SUP_PACK_NAME_SIZE; ++i )
	{
		if ( name[i] == 0 || name[i] == '/' )
		{
			if ( betweenSlashes || name[i] == 0 )
			{
				return betweenSlashes == false;
			}
			betweenSlashes = true;
			continue;
		}
		if ( name[i] < ' ' || name[i] > '~' )
		{
			return false;
		}
		betweenSlashes = false;
	}
	return false;
}

static bool CheckEntry( const Entry* entry, const Entry* previous, uint64_t first, uint64_t byteCount )
{
	bool named = IsProperName( entry->name );
	bool sorted = named && ( previous == NULL || strcmp( previous->name, entry->name ) < 0 );
	if ( sorted == false || entry->type >= sup_packTypeCount || entry->reserved != 0 )
	{
		return false;
	}
	bool placed = entry->offset % ALIGNMENT == 0 && entry->offset >= first && entry->offset <= byteCount;
	return placed && entry->count <= ( byteCount - entry->offset ) / supPackItemSize( (supPackType)entry->type );
}

static bool CheckTable( const supPackReader* reader, const Header* header, const char* name, supError* error )
{
	uint64_t first = sizeof( Header ) + (uint64_t)header->sectionCount * sizeof( Entry );
	bool ok = header->sectionCount <= SUP_PACK_MAX_SECTIONS && first <= header->byteCount;
	for ( uint32_t i = 0; i < header->sectionCount && ok; ++i )
	{
		const Entry* entry = &Entries( reader )[i];
		ok = CheckEntry( entry, i > 0 ? entry - 1 : NULL, first, header->byteCount );
	}
	return ok || supSetError( error, sup_errorFormat, name, "the section table is damaged; build the file again" );
}

// The table before it is checked, and the items after.
static bool CopySwapped( supPackReader* reader, const Header* header )
{
	reader->swapped = supAlloc( (size_t)header->byteCount );
	if ( reader->swapped == NULL )
	{
		return false;
	}
	memcpy( reader->swapped, reader->bytes, (size_t)header->byteCount );
	reader->bytes = reader->swapped;
	Entry* entries = (Entry*)( reader->swapped + sizeof( Header ) );
	uint64_t room = ( header->byteCount - sizeof( Header ) ) / sizeof( Entry );
	for ( uint64_t i = 0; i < header->sectionCount && i < room; ++i )
	{
		SwapEntry( &entries[i] );
	}
	return true;
}

static void SwapSections( supPackReader* reader )
{
	for ( int32_t i = 0; i < reader->sectionCount; ++i )
	{
		const Entry* entry = &Entries( reader )[i];
		size_t itemSize = supPackItemSize( (supPackType)entry->type );
		SwapItems( reader->swapped + entry->offset, itemSize, (size_t)entry->count );
	}
}

bool supPackReader_Open( supPackReader* reader, const void* bytes, size_t byteCount, const char* name, supError* error )
{
	SUP_ASSERT( (uintptr_t)bytes % ALIGNMENT == 0 );
	*reader = ( supPackReader ){ .bytes = bytes, .error = error, .name = name };
	Header stored;
	memset( &stored, 0, sizeof( stored ) );
	memcpy( &stored, bytes, byteCount < sizeof( stored ) ? byteCount : sizeof( stored ) );
	bool swap = stored.order == Swap32( ORDER_MARK );
	bool known = memcmp( stored.magic, s_magic, sizeof( s_magic ) ) == 0 && ( swap || stored.order == ORDER_MARK );
	if ( byteCount < sizeof( stored ) || known == false )
	{
		return supSetError( error, sup_errorFormat, name, "not a flesh file" );
	}
	Header header = stored;
	if ( swap )
	{
		SwapHeader( &header );
	}
	if ( CheckHeader( &header, byteCount, name, error ) == false )
	{
		return false;
	}
	if ( byteCount % ALIGNMENT != 0 || Checksum( stored, bytes, byteCount ) != header.checksum )
	{
		return supSetError( error, sup_errorFormat, name, "the file is damaged: wrong checksum; build it again" );
	}
	if ( swap && CopySwapped( reader, &header ) == false )
	{
		return supSetMemoryError( error );
	}
	if ( CheckTable( reader, &header, name, error ) == false )
	{
		supPackReader_Close( reader );
		return false;
	}
	reader->sectionCount = (int32_t)header.sectionCount;
	if ( swap )
	{
		SwapSections( reader );
	}
	return true;
}

void supPackReader_Close( supPackReader* reader )
{
	supFree( reader->swapped );
	*reader = ( supPackReader ){ 0 };
}

uint8_t* supPackReader_TakeCopy( supPackReader* reader )
{
	uint8_t* copy = reader->swapped;
	reader->swapped = NULL;
	return copy;
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

static const Entry* FindEntry( const supPackReader* reader, const char* name )
{
	char full[SUP_PACK_NAME_SIZE];
	JoinName( full, reader->group, name );
	int32_t low = 0;
	int32_t high = reader->sectionCount;
	while ( low < high )
	{
		int32_t middle = low + ( high - low ) / 2;
		int order = strcmp( Entries( reader )[middle].name, full );
		if ( order == 0 )
		{
			return &Entries( reader )[middle];
		}
		low = order < 0 ? middle + 1 : low;
		high = order < 0 ? high : middle;
	}
	return NULL;
}

bool supPackReader_Refuse( supPackReader* reader, const char* name, const char* format, ... )
{
	char where[256];
	snprintf( where, sizeof( where ), "%s: %s%s", reader->name, reader->group, name );
	va_list arguments;
	va_start( arguments, format );
	supSetErrorV( reader->error, sup_errorFormat, where, format, arguments );
	va_end( arguments );
	reader->failed = true;
	return false;
}

bool supPackReader_PassError( supPackReader* reader, const supError* error )
{
	if ( error->code != sup_errorMemory )
	{
		return supPackReader_Refuse( reader, error->where, "%s", error->message );
	}
	reader->failed = true;
	return supSetMemoryError( reader->error );
}

static const Entry* RequireEntry( supPackReader* reader, const char* name )
{
	const Entry* entry = FindEntry( reader, name );
	if ( entry == NULL )
	{
		supPackReader_Refuse( reader, name, "section missing; build the file again" );
	}
	return entry;
}

bool supPackReader_Has( const supPackReader* reader, const char* name )
{
	return FindEntry( reader, name ) != NULL;
}

int64_t supPackReader_Count( supPackReader* reader, const char* name )
{
	const Entry* entry = RequireEntry( reader, name );
	return entry != NULL ? (int64_t)entry->count : 0;
}

// The first number that is none, -1 without.
static int64_t FindNotFinite( const void* items, supPackType type, int64_t count )
{
	const float* singles = type == sup_packF32 ? items : NULL;
	const double* doubles = type == sup_packF64 ? items : NULL;
	for ( int64_t i = 0; ( singles != NULL || doubles != NULL ) && i < count; ++i )
	{
		if ( singles != NULL ? isfinite( singles[i] ) == 0 : isfinite( doubles[i] ) == 0 )
		{
			return i;
		}
	}
	return -1;
}

const void* supPackReader_Get( supPackReader* reader, const char* name, supPackType type, int64_t count )
{
	const Entry* entry = RequireEntry( reader, name );
	if ( entry == NULL )
	{
		return NULL;
	}
	if ( entry->type != type || count < 0 || entry->count != (uint64_t)count )
	{
		supPackReader_Refuse(
			reader, name, "the section has %llu × %s where %lld × %s are expected; build the file again",
			(unsigned long long)entry->count, TypeName( entry->type ), (long long)count, TypeName( type ) );
		return NULL;
	}
	const void* items = reader->bytes + entry->offset;
	int64_t wrong = FindNotFinite( items, type, count );
	if ( wrong >= 0 )
	{
		supPackReader_Refuse( reader, name, "value %lld is not finite; build the file again", (long long)wrong );
		return NULL;
	}
	return items;
}

const int32_t* supPackReader_GetInts( supPackReader* reader, const char* name, int64_t count, int32_t lower,
									  int32_t upper )
{
	const int32_t* values = supPackReader_Get( reader, name, sup_packI32, count );
	for ( int64_t i = 0; values != NULL && i < count; ++i )
	{
		if ( values[i] < lower || values[i] > upper )
		{
			supPackReader_Refuse( reader, name, "value %lld is %d, expected %d to %d; build the file again",
								  (long long)i, values[i], lower, upper );
			return NULL;
		}
	}
	return values;
}

const float* supPackReader_GetFloats( supPackReader* reader, const char* name, int64_t count )
{
	return supPackReader_Get( reader, name, sup_packF32, count );
}

int32_t supPackReader_GetInt( supPackReader* reader, const char* name, int32_t lower, int32_t upper )
{
	const int32_t* value = supPackReader_GetInts( reader, name, 1, lower, upper );
	return value != NULL ? *value : lower;
}

float supPackReader_GetFloat( supPackReader* reader, const char* name )
{
	const float* value = supPackReader_GetFloats( reader, name, 1 );
	return value != NULL ? *value : 0.0f;
}

bool supPackReader_GetString( supPackReader* reader, const char* name, char* text, size_t capacity )
{
	text[0] = 0;
	int64_t count = supPackReader_Count( reader, name );
	const char* bytes = reader->failed == false ? supPackReader_Get( reader, name, sup_packU8, count ) : NULL;
	if ( bytes == NULL )
	{
		return false;
	}
	if ( (uint64_t)count >= capacity || memchr( bytes, 0, (size_t)count ) != NULL )
	{
		return supPackReader_Refuse( reader, name, "not a name; build the file again" );
	}
	memcpy( text, bytes, (size_t)count );
	text[count] = 0;
	return true;
}

void supPackReader_Enter( supPackReader* reader, const char* group )
{
	EnterGroup( reader->group, group );
}

void supPackReader_Leave( supPackReader* reader )
{
	LeaveGroup( reader->group );
}

supPackEntry supPackReader_Entry( const supPackReader* reader, int32_t index )
{
	SUP_ASSERT( 0 <= index && index < reader->sectionCount );
	const Entry* entry = &Entries( reader )[index];
	return ( supPackEntry ){ entry->name, (supPackType)entry->type, (int64_t)entry->count };
}
