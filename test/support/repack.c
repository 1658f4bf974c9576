// SPDX-License-Identifier: MIT
#include "repack.h"

#include <math.h>
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

// In place of the item: what loops, indices and divisions like least.
static void BreakItem( void* item, supPackType type, uint32_t value )
{
	static const double reals[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0, -1.0, 1e30, -1e30, 1e-30, 3.4e38, 1e9, 0.5 };
	static const int64_t wholes[] = { -1, 0, 1, 2, 127, 255, 65535, INT32_MAX, INT32_MIN, 1 << 20, -2, 3 };
	double real = reals[value % 12];
	int64_t whole = wholes[value % 12];
	int64_t before = 0;
	memcpy( &before, item, supPackItemSize( type ) );
	// one more, one less
	whole = value / 12 % 3 == 1 ? before + 1 : value / 12 % 3 == 2 ? before - 1 : whole;
	float single = (float)real;
	const void* bytes = type == sup_packF32 ? (const void*)&single : type == sup_packF64 ? (const void*)&real : &whole;
	memcpy( item, bytes, supPackItemSize( type ) );
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

uint8_t* testReplaceItem( supPackReader* reader, int32_t target, int64_t index, uint32_t value, size_t* size )
{
	supPackEntry entry = supPackReader_Entry( reader, target );
	uint8_t* items = CopyItems( reader, &entry );
	if ( entry.count > 0 )
	{
		BreakItem( items + (size_t)( index % entry.count ) * supPackItemSize( entry.type ), entry.type, value );
	}
	uint8_t* block = testReplaceSection( reader, entry.name, entry.count, items, size );
	free( items );
	return block;
}
