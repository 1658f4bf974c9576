// SPDX-License-Identifier: MIT
#include "repack.h"

#include <stdlib.h>
#include <string.h>

// "a/b/c" is c in the group "a/b/". Returns the name.
static const char* SplitName( const char* path, char group[SUP_PACK_NAME_SIZE] )
{
	const char* name = strrchr( path, '/' ) + 1;
	snprintf( group, SUP_PACK_NAME_SIZE, "%.*s", (int)( name - path ), path );
	return name;
}

static void AddItems( supPackWriter* writer, const char* path, supPackType type, int64_t count, const void* items )
{
	supPackWriter_Add( writer, SplitName( path, writer->group ), type, count, items );
	writer->group[0] = 0;
}

// What stands in a section, with room behind it; freed by the caller.
static uint8_t* CopyItems( supPackReader* reader, const supPackEntry* entry )
{
	size_t size = (size_t)entry->count * supPackItemSize( entry->type );
	uint8_t* items = malloc( size + 8 );
	assert_non_null( items );
	const char* name = SplitName( entry->name, reader->group );
	memcpy( items, supPackReader_Get( reader, name, entry->type, entry->count ), size );
	reader->group[0] = 0;
	return items;
}

static void CopySection( supPackReader* reader, supPackWriter* writer, supPackEntry entry, testDamage damage )
{
	uint8_t* items = CopyItems( reader, &entry );
	size_t itemSize = supPackItemSize( entry.type );
	int64_t count = entry.count;
	supPackType type = entry.type;
	if ( damage == test_damageEmpty || ( damage == test_damageShort && count > 0 ) )
	{
		count = damage == test_damageEmpty ? 0 : count - 1;
	}
	if ( damage == test_damageType )
	{
		type = type == sup_packI32 ? sup_packF32 : sup_packI32;
		count = (int64_t)( (size_t)entry.count * itemSize / 4 );
	}
	if ( damage == test_damageOnes || damage == test_damageLarge )
	{
		memset( items, damage == test_damageOnes ? 0xFF : 0x7F, itemSize );
	}
	if ( damage != test_damageMissing )
	{
		AddItems( writer, entry.name, type, count, items );
	}
	free( items );
}

static uint8_t* Finish( supPackWriter* writer, size_t* size )
{
	uint8_t* block = supPackWriter_Finish( writer, size, NULL );
	supPackWriter_Destroy( writer );
	assert_non_null( block );
	return block;
}

uint8_t* testRepack( supPackReader* reader, supPackOrder order, int32_t target, testDamage damage, size_t* size )
{
	supPackWriter writer = { .order = order };
	for ( int32_t i = 0; i < reader->sectionCount; ++i )
	{
		CopySection( reader, &writer, supPackReader_Entry( reader, i ), i == target ? damage : test_damageNone );
	}
	return Finish( &writer, size );
}

uint8_t* testReplaceSection( supPackReader* reader, const char* name, int64_t count, const void* items, size_t* size )
{
	supPackWriter writer = { .order = sup_packLittle };
	bool isThere = false;
	for ( int32_t i = 0; i < reader->sectionCount; ++i )
	{
		supPackEntry entry = supPackReader_Entry( reader, i );
		if ( strcmp( entry.name, name ) == 0 )
		{
			AddItems( &writer, name, entry.type, count, items );
			isThere = true;
		}
		else
		{
			CopySection( reader, &writer, entry, test_damageNone );
		}
	}
	assert_true( isThere );
	return Finish( &writer, size );
}
