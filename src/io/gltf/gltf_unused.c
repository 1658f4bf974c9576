// SPDX-License-Identifier: MIT
// Accessors, views and bytes that nothing refers to any more, such as the weights that a skin had before.
#include "io/gltf/gltf_write.h"

#include <string.h>

// Extensions that refer to no accessors and views; '*' stands for any ending.
static const char* const s_harmless[] = {
	"EXT_materials_*", "EXT_texture_*",         "KHR_lights_*",   "KHR_materials_*",
	"KHR_texture_*",   "KHR_mesh_quantization", "MSFT_packing_*", "MSFT_texture_dds",
};

typedef void VisitFcn( json_t* object, const char* key, void* context );

typedef struct Numbers
{
	int32_t* of; // per item: 0 unused, else used; then its new number
	size_t count;
} Numbers;

static bool IsHarmless( const char* name )
{
	for ( int32_t i = 0; i < SUP_COUNT( s_harmless ); ++i )
	{
		size_t length = strlen( s_harmless[i] );
		bool open = s_harmless[i][length - 1] == '*';
		if ( open ? strncmp( name, s_harmless[i], length - 1 ) == 0 : strcmp( name, s_harmless[i] ) == 0 )
		{
			return true;
		}
	}
	return false;
}

// Whether all that may refer to views is known, and they are plain views of one buffer.
static bool CanDrop( const supDocument* document )
{
	size_t index;
	json_t* value;
	json_array_foreach( supJson_Get( document->root, "extensionsUsed" ), index, value )
	{
		if ( json_is_string( value ) == false || IsHarmless( json_string_value( value ) ) == false )
		{
			return false;
		}
	}
	for ( int32_t i = 0; i < document->decodedViews.count; ++i )
	{
		if ( document->decodedViews.data[i].bytes != NULL )
		{
			return false;
		}
	}
	return document->buffers.count == 1 && document->buffers.data[0].bytes != NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Who refers to what

static void VisitAll( json_t* object, VisitFcn* visit, void* context )
{
	const char* key;
	json_t* value;
	json_object_foreach( object, key, value )
	{
		visit( object, key, context );
	}
}

static void VisitAccessors( const json_t* root, VisitFcn* visit, void* context )
{
	size_t i, k, t;
	json_t *item, *inner, *target;
	json_array_foreach( supJson_Get( root, "meshes" ), i, item )
	{
		json_array_foreach( supJson_Get( item, "primitives" ), k, inner )
		{
			VisitAll( supJson_Get( inner, "attributes" ), visit, context );
			visit( inner, "indices", context );
			json_array_foreach( supJson_Get( inner, "targets" ), t, target )
			{
				VisitAll( target, visit, context );
			}
		}
	}
	json_array_foreach( supJson_Get( root, "skins" ), i, item )
	{
		visit( item, "inverseBindMatrices", context );
	}
	json_array_foreach( supJson_Get( root, "animations" ), i, item )
	{
		json_array_foreach( supJson_Get( item, "samplers" ), k, inner )
		{
			visit( inner, "input", context );
			visit( inner, "output", context );
		}
	}
}

static void VisitViews( const json_t* root, VisitFcn* visit, void* context )
{
	size_t i;
	json_t* item;
	json_array_foreach( supJson_Get( root, "accessors" ), i, item )
	{
		json_t* sparse = supJson_Get( item, "sparse" );
		visit( item, "bufferView", context );
		visit( supJson_Get( sparse, "indices" ), "bufferView", context );
		visit( supJson_Get( sparse, "values" ), "bufferView", context );
	}
	json_array_foreach( supJson_Get( root, "images" ), i, item )
	{
		visit( item, "bufferView", context );
	}
}

static json_t* GetNumber( json_t* object, const char* key, const Numbers* numbers )
{
	json_t* value = supJson_Get( object, key );
	bool isNumber = json_is_integer( value ) && json_integer_value( value ) >= 0 &&
					json_integer_value( value ) < (json_int_t)numbers->count;
	return isNumber ? value : NULL;
}

static void Mark( json_t* object, const char* key, void* context )
{
	Numbers* numbers = context;
	json_t* value = GetNumber( object, key, numbers );
	if ( value != NULL )
	{
		numbers->of[json_integer_value( value )] = 1;
	}
}

static void Renumber( json_t* object, const char* key, void* context )
{
	const Numbers* numbers = context;
	json_t* value = GetNumber( object, key, numbers );
	if ( value != NULL )
	{
		json_integer_set( value, numbers->of[json_integer_value( value )] );
	}
}

// Takes those out of the list that nothing refers to, and puts new numbers everywhere.
static bool DropItems( json_t* root, const char* name, void ( *visitAll )( const json_t*, VisitFcn*, void* ) )
{
	json_t* list = supJson_Get( root, name );
	Numbers numbers = { .count = json_array_size( list ) };
	numbers.of = supAllocZeroed( ( numbers.count + 1 ) * sizeof( int32_t ) );
	if ( numbers.of == NULL )
	{
		return false;
	}
	visitAll( root, Mark, &numbers );
	size_t kept = 0;
	for ( size_t i = 0; i < numbers.count; ++i )
	{
		bool isUsed = numbers.of[i] != 0;
		numbers.of[i] = (int32_t)kept;
		if ( isUsed )
		{
			kept += 1;
		}
		else
		{
			json_array_remove( list, kept );
		}
	}
	visitAll( root, Renumber, &numbers );
	supFree( numbers.of );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bytes

static size_t GetSize( const json_t* view, const char* key )
{
	const json_t* value = supJson_Get( view, key );
	return json_is_integer( value ) && json_integer_value( value ) > 0 ? (size_t)json_integer_value( value ) : 0;
}

// Where each view goes when they stand one after another; 0 where one of them leaves the buffer.
static size_t SumViews( const supBuffer* buffer, const json_t* views )
{
	size_t i, total = 0;
	json_t* view;
	json_array_foreach( views, i, view )
	{
		size_t from = GetSize( view, "byteOffset" ), length = GetSize( view, "byteLength" );
		if ( from > buffer->byteCount || length > buffer->byteCount - from )
		{
			return 0;
		}
		total += ( length + 3 ) & ~(size_t)3;
	}
	return total;
}

// The bytes of all views, one after another. False when out of memory.
static bool PackViews( const supBuffer* buffer, json_t* views, uint8_t* bytes, supError* error )
{
	size_t i, at = 0;
	json_t* view;
	json_array_foreach( views, i, view )
	{
		size_t from = GetSize( view, "byteOffset" ), length = GetSize( view, "byteLength" );
		if ( supJson_Set( view, "byteOffset", json_integer( (json_int_t)at ), error ) == false )
		{
			return false;
		}
		memcpy( bytes + at, buffer->bytes + from, length );
		at += ( length + 3 ) & ~(size_t)3;
	}
	return true;
}

bool supDocument_DropUnused( supDocument* document, supError* error )
{
	if ( CanDrop( document ) == false )
	{
		return true;
	}
	// items may be shared within the tree: a copy has each of them once
	json_t* root = supJson_Copy( document->root, true );
	if ( root == NULL || DropItems( root, "accessors", VisitAccessors ) == false ||
		 DropItems( root, "bufferViews", VisitViews ) == false )
	{
		json_decref( root );
		return supSetMemoryError( error );
	}
	supBuffer* buffer = document->buffers.data;
	json_t* views = supJson_Get( root, "bufferViews" );
	size_t byteCount = SumViews( buffer, views );
	// views that share bytes get their own, which may be more than there was
	if ( byteCount == 0 || byteCount >= buffer->byteCount )
	{
		json_decref( root );
		return true;
	}
	uint8_t* bytes = supAllocZeroed( byteCount );
	json_t* item = supJson_At( supJson_Get( root, "buffers" ), 0 );
	if ( bytes == NULL || PackViews( buffer, views, bytes, error ) == false ||
		 supJson_Set( item, "byteLength", json_integer( (json_int_t)byteCount ), error ) == false )
	{
		supFree( bytes );
		json_decref( root );
		return supSetMemoryError( error );
	}
	json_decref( document->root );
	document->root = root;
	supFree( buffer->bytes );
	*buffer = ( supBuffer ){ .bytes = bytes, .byteCount = byteCount, .capacity = byteCount };
	document->decodedViews.count = (int32_t)json_array_size( views );
	return true;
}
