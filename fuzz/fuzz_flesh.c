// SPDX-License-Identifier: MIT
// Flesh files that somebody has changed on purpose: the input is a list of edits of a good file of one of the methods,
// and every checksum is right again after them, so that edits get past the door. What is loaded must step.
// A first byte of 255: the rest is the file, as it is.
#include "core/pack.h"
#include "small_flesh.h"

#include <math.h>

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );

#define MAX_EDITS 8

typedef enum EditKind
{
	editItem,   // one number becomes one that breaks things
	editBits,   // one number becomes any other
	editCopy,   // one number becomes its neighbour
	editFill,   // all numbers become the first
	editShort,  // the last items are missing
	editLong,   // items are there twice
	editType,   // another type
	editRemove, // the section is missing
	editKindCount,
} EditKind;

typedef struct Edit
{
	int32_t section;
	EditKind kind;
	uint32_t item;
	uint32_t value;
} Edit;

static supCharacter* s_tube;
static uint8_t* s_files[FLESH_METHODS];
static size_t s_sizes[FLESH_METHODS];

static void Prepare( void )
{
	s_tube = CreateTube();
	for ( int32_t i = 0; i < FLESH_METHODS; ++i )
	{
		supFlesh* flesh = BuildSmall( s_tube, s_methods[i], NULL, NULL );
		s_files[i] = flesh != NULL ? supWriteFlesh( flesh, s_sizes + i, NULL ) : NULL;
		supDestroyFlesh( flesh );
		if ( s_files[i] == NULL )
		{
			abort();
		}
	}
}

static void BreakItem( uint8_t* item, supPackType type, uint32_t value )
{
	static const double reals[] = { NAN, INFINITY, -INFINITY, 0.0, -1.0, 1e30, -1e30, 1e-30, 3.4e38, 1e9, 0.5, 1.0 };
	static const int64_t wholes[] = { -1, 0, 1, 2, 127, 255, 65535, INT32_MAX, INT32_MIN, 1 << 20, -2, 3 };
	int64_t whole = wholes[value % 12];
	double real = reals[value % 12];
	float single = (float)real;
	const void* bytes = type == sup_packF32 ? (const void*)&single : type == sup_packF64 ? (const void*)&real : &whole;
	memcpy( item, bytes, supPackItemSize( type ) );
}

// The section's items have room for twice as many.
static void ApplyEdit( const Edit* edit, uint8_t* items, int64_t* count, supPackType* type )
{
	size_t itemSize = supPackItemSize( *type );
	size_t byteCount = (size_t)*count * itemSize;
	uint8_t* item = items + ( *count > 0 ? edit->item % (size_t)*count * itemSize : 0 );
	uint64_t bits = edit->value * 0x9E3779B97F4A7C15u;
	switch ( *count > 0 ? edit->kind : editType )
	{
		case editItem:
			BreakItem( item, *type, edit->value );
			break;
		case editBits:
			memcpy( item, &bits, itemSize );
			break;
		case editCopy:
			memmove( item, item + ( item + itemSize < items + byteCount ? itemSize : 0 ), itemSize );
			break;
		case editFill:
			for ( int64_t i = 1; i < *count; ++i )
			{
				memcpy( items + (size_t)i * itemSize, items, itemSize );
			}
			break;
		case editShort:
			*count -= 1 + (int64_t)( edit->item % (size_t)*count );
			break;
		case editLong:
			memcpy( items + byteCount, items, byteCount );
			*count *= 2;
			break;
		default:
			*type = (supPackType)( edit->value % sup_packTypeCount );
			*count = (int64_t)( byteCount / supPackItemSize( *type ) );
	}
}

// The file once more, edited.
static uint8_t* WriteEdited( supPackReader* reader, const Edit* edits, int32_t editCount, size_t* size )
{
	supPackWriter writer = { .order = sup_packLittle };
	for ( int32_t i = 0; i < reader->sectionCount; ++i )
	{
		supPackEntry entry = supPackReader_Entry( reader, i );
		const char* name = strrchr( entry.name, '/' ) + 1;
		size_t prefix = (size_t)( name - entry.name );
		memcpy( reader->group, entry.name, prefix );
		reader->group[prefix] = 0;
		memcpy( writer.group, reader->group, prefix + 1 );
		size_t byteCount = (size_t)entry.count * supPackItemSize( entry.type );
		uint8_t* items = malloc( 2 * byteCount + 8 );
		memcpy( items, supPackReader_Get( reader, name, entry.type, entry.count ), byteCount );
		bool isThere = true;
		for ( int32_t k = 0; k < editCount; ++k )
		{
			if ( edits[k].section == i && edits[k].kind == editRemove )
			{
				isThere = false;
			}
			else if ( edits[k].section == i && entry.count <= INT32_MAX / 32 )
			{
				items = realloc( items, 2 * (size_t)entry.count * supPackItemSize( entry.type ) + 8 );
				ApplyEdit( edits + k, items, &entry.count, &entry.type );
			}
		}
		if ( isThere )
		{
			supPackWriter_Add( &writer, name, entry.type, entry.count, items );
		}
		free( items );
	}
	reader->group[0] = writer.group[0] = 0;
	uint8_t* bytes = supPackWriter_Finish( &writer, size, NULL );
	supPackWriter_Destroy( &writer );
	return bytes;
}

static uint8_t* MakeFile( Input* input, size_t* size )
{
	uint32_t choice = TakeByte( input );
	if ( choice == 255 )
	{
		uint8_t* bytes = aligned_alloc( 64, ( input->size + 127 ) & ~(size_t)63 );
		memcpy( bytes, input->data, input->size );
		*size = input->size;
		return bytes;
	}
	supPackReader reader;
	if ( supPackReader_Open( &reader, s_files[choice % FLESH_METHODS], s_sizes[choice % FLESH_METHODS], "tube",
							 NULL ) == false )
	{
		abort();
	}
	Edit edits[MAX_EDITS];
	int32_t editCount = 0;
	for ( ; editCount < MAX_EDITS && input->size > 5; ++editCount )
	{
		edits[editCount] =
			( Edit ){ (int32_t)TakeIndex( input, (uint32_t)reader.sectionCount ),
					  (EditKind)TakeIndex( input, editKindCount ), TakeBytes( input, 2 ), TakeByte( input ) };
	}
	uint8_t* bytes = WriteEdited( &reader, edits, editCount, size );
	supPackReader_Close( &reader );
	return bytes;
}

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	supSetLog( NULL, NULL );
	if ( s_tube == NULL )
	{
		Prepare();
	}
	Input input = { data, size };
	bool isRaw = size > 0 && data[0] == 255;
	size_t byteCount = 0;
	uint8_t* bytes = MakeFile( &input, &byteCount );
	supError error = { 0 };
	supFlesh* flesh = supReadFlesh( bytes, byteCount, "fuzz.flesh", s_tube, &error );
	if ( ( flesh == NULL ) != ( error.code != sup_errorNone ) )
	{
		abort();
	}
	supSceneDef def = supDefaultSceneDef();
	supScene* scene = flesh != NULL ? supCreateScene( &def, NULL ) : NULL;
	supActor* actor = scene != NULL ? supScene_AddActor( scene, flesh, NULL ) : NULL;
	if ( actor != NULL )
	{
		StepActor( scene, actor, s_tube, &input );
	}
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	if ( isRaw )
	{
		free( bytes );
	}
	else
	{
		supFree( bytes );
	}
	return 0;
}
