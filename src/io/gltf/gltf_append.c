// SPDX-License-Identifier: MIT
// Appending to a document: JSON items at the end of their lists, bytes at the end of a buffer.
#include "io/gltf/gltf_write.h"

#include <stdio.h>
#include <stdlib.h>

// GLB counts bytes in 32 bits, header and JSON included.
#define MAX_BUFFER_SIZE ( (size_t)UINT32_MAX - 65536 )

// ---------------------------------------------------------------------------------------------------------------------
// Building JSON

json_t* supJson_MakeFloat( float value )
{
	if ( supIsFinite( value ) == false )
	{
		return json_real( 0.0 );
	}
	// nine digits always suffice for a float
	char text[32];
	double number = value;
	for ( int digits = 6; digits <= 9; ++digits )
	{
		snprintf( text, sizeof( text ), "%.*g", digits, (double)value );
		number = strtod( text, NULL );
		if ( (float)number == value )
		{
			break;
		}
	}
	return json_real( number );
}

json_t* supJson_MakeFloats( const float* values, int32_t count )
{
	json_t* array = json_array();
	for ( int32_t i = 0; i < count && array != NULL; ++i )
	{
		if ( json_array_append_new( array, supJson_MakeFloat( values[i] ) ) != 0 )
		{
			json_decref( array );
			array = NULL;
		}
	}
	return array;
}

// Length of the UTF-8 sequence at `text`, 0 if there is none: truncated, overlong, a surrogate or out of range.
static int SequenceLength( const unsigned char* text )
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	if ( text[0] < 0x80 )
	{
		return 1;
	}
	int length = ( text[0] & 0xE0 ) == 0xC0 ? 2 : ( text[0] & 0xF0 ) == 0xE0 ? 3 : ( text[0] & 0xF8 ) == 0xF0 ? 4 : 0;
	uint32_t code = length > 0 ? text[0] & ( 0x7Fu >> length ) : 0;
	for ( int i = 1; i < length; ++i )
	{
		if ( ( text[i] & 0xC0 ) != 0x80 )
		{
			return 0;
		}
		code = code << 6 | ( text[i] & 0x3Fu );
	}
	bool surrogate = code >= 0xD800 && code < 0xE000;
	return length > 0 && code >= least[length] && code <= 0x10FFFF && surrogate == false ? length : 0;
}

json_t* supJson_MakeString( const char* text )
{
	size_t size = strlen( text );
	char* clean = supAllocArray( size + 1, 3 );
	if ( clean == NULL )
	{
		return NULL;
	}
	const unsigned char* from = (const unsigned char*)text;
	size_t length = 0;
	while ( *from != 0 )
	{
		int step = SequenceLength( from );
		memcpy( clean + length, step > 0 ? (const char*)from : "\xEF\xBF\xBD", step > 0 ? (size_t)step : 3 );
		length += step > 0 ? (size_t)step : 3;
		from += step > 0 ? step : 1;
	}
	json_t* string = json_stringn( clean, length );
	supFree( clean );
	return string;
}

// jansson leaves out what it has no memory for, without a word.
static bool IsWhole( const json_t* copy, const json_t* source, bool deep )
{
	if ( copy == NULL || json_object_size( copy ) != json_object_size( source ) ||
		 json_array_size( copy ) != json_array_size( source ) )
	{
		return false;
	}
	bool ok = true;
	for ( size_t i = 0; i < json_array_size( source ) && ok && deep; ++i )
	{
		ok = IsWhole( json_array_get( copy, i ), json_array_get( source, i ), true );
	}
	for ( void* at = json_object_iter( (json_t*)(uintptr_t)source ); at != NULL && ok && deep;
		  at = json_object_iter_next( (json_t*)(uintptr_t)source, at ) )
	{
		ok = IsWhole( json_object_get( copy, json_object_iter_key( at ) ), json_object_iter_value( at ), true );
	}
	return ok;
}

json_t* supJson_Copy( json_t* source, bool deep )
{
	json_t* copy = deep ? json_deep_copy( source ) : json_copy( source );
	if ( IsWhole( copy, source, deep ) == false )
	{
		json_decref( copy );
		return NULL;
	}
	return copy;
}

bool supJson_Set( json_t* object, const char* key, json_t* value, supError* error )
{
	return json_object_set_new( object, key, value ) == 0 || supSetMemoryError( error );
}

bool supJson_Push( json_t* array, json_t* value, supError* error )
{
	return json_array_append_new( array, value ) == 0 || supSetMemoryError( error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Documents and items

supDocument* supCreateEmptyDocument( const char* name, supError* error )
{
	supInitJson();
	supDocument* document = supAllocZeroed( sizeof( supDocument ) );
	if ( document == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	supVersion version = supGetVersion();
	document->name = supCopyString( name != NULL ? name : "" );
	document->load = supDefaultLoadDef();
	document->root = json_object();
	json_t* asset = json_object();
	json_t* generator = json_sprintf( "Supple %d.%d.%d", version.major, version.minor, version.patch );
	bool ok = document->name != NULL || supSetMemoryError( error );
	ok = supJson_Set( asset, "version", json_string( "2.0" ), error ) && ok;
	ok = supJson_Set( asset, "generator", generator, error ) && ok;
	ok = supJson_Set( document->root, "asset", asset, error ) && ok;
	if ( ok == false )
	{
		supDestroyDocument( document );
		return NULL;
	}
	return document;
}

// The array root[key], made where it is missing. NULL with an error where it is something else.
static json_t* GetList( supDocument* document, const char* key, supError* error )
{
	json_t* list = json_object_get( document->root, key );
	if ( list == NULL )
	{
		// the tree keeps it alive
		list = json_array();
		return supJson_Set( document->root, key, list, error ) ? list : NULL;
	}
	if ( json_is_array( list ) == false )
	{
		char where[256];
		snprintf( where, sizeof( where ), "%s: %s", document->name, key );
		supSetError( error, sup_errorFormat, where, "this must be a list; nothing can be added to it" );
		return NULL;
	}
	return list;
}

int64_t supDocument_AppendItem( supDocument* document, const char* key, json_t* item, supError* error )
{
	json_t* list = GetList( document, key, error );
	if ( list == NULL || supJson_Push( list, item != NULL ? json_incref( item ) : NULL, error ) == false )
	{
		json_decref( item );
		return -1;
	}
	json_decref( item );
	return (int64_t)json_array_size( list ) - 1;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bytes

static bool ReserveBuffer( supBuffer* buffer, size_t needed, supError* error )
{
	if ( needed <= buffer->capacity )
	{
		return true;
	}
	// doubling makes many appends cost as much as copying the whole once
	size_t capacity = buffer->capacity < needed / 2 ? needed : buffer->capacity * 2;
	capacity = capacity < needed ? needed : capacity;
	uint8_t* bytes = supAlloc( capacity );
	if ( bytes == NULL )
	{
		return supSetMemoryError( error );
	}
	if ( buffer->byteCount > 0 )
	{
		memcpy( bytes, buffer->bytes, buffer->byteCount );
	}
	supFree( buffer->bytes );
	buffer->bytes = bytes;
	buffer->capacity = capacity;
	return true;
}

// The first buffer with bytes, -1 without.
static int32_t FindFilledBuffer( const supDocument* document )
{
	for ( int32_t i = 0; i < document->buffers.count; ++i )
	{
		if ( document->buffers.data[i].bytes != NULL )
		{
			return i;
		}
	}
	return -1;
}

// A new one if there is none. -1 with an error.
static int32_t FindBuffer( supDocument* document, supError* error )
{
	int32_t filled = FindFilledBuffer( document );
	if ( filled >= 0 )
	{
		return filled;
	}
	if ( SUP_RESERVE_ONE( &document->buffers ) == false )
	{
		supSetMemoryError( error );
		return -1;
	}
	json_t* item = json_object();
	bool ok = supJson_Set( item, "byteLength", json_integer( 0 ), error );
	int64_t index = supDocument_AppendItem( document, "buffers", ok ? json_incref( item ) : NULL, error );
	json_decref( item );
	if ( index < 0 )
	{
		return -1;
	}
	SUP_ASSERT( index == document->buffers.count );
	document->buffers.data[document->buffers.count++] = ( supBuffer ){ 0 };
	return (int32_t)index;
}

// A place for `byteCount` bytes at a multiple of 4; `offset` says where it begins.
static uint8_t* AppendBytes( supDocument* document, int32_t bufferIndex, size_t byteCount, size_t* offset,
							 supError* error )
{
	supBuffer* buffer = document->buffers.data + bufferIndex;
	json_t* item = supJson_At( supJson_Get( document->root, "buffers" ), (size_t)bufferIndex );
	size_t start = ( buffer->byteCount + 3 ) / 4 * 4;
	if ( start > MAX_BUFFER_SIZE || byteCount > MAX_BUFFER_SIZE - start )
	{
		supSetError( error, sup_errorTooLarge, document->name, "the result does not fit into a glTF file of 4 GiB" );
		return NULL;
	}
	if ( ReserveBuffer( buffer, start + byteCount, error ) == false ||
		 supJson_Set( item, "byteLength", json_integer( (json_int_t)( start + byteCount ) ), error ) == false )
	{
		return NULL;
	}
	memset( buffer->bytes + buffer->byteCount, 0, start - buffer->byteCount );
	buffer->byteCount = start + byteCount;
	document->sourceBytes += byteCount;
	*offset = start;
	return buffer->bytes + start;
}

int64_t supDocument_AppendView( supDocument* document, const void* bytes, size_t byteCount, int target,
								supError* error )
{
	SUP_ASSERT( byteCount > 0 );
	int32_t buffer = FindBuffer( document, error );
	size_t offset;
	uint8_t* place = buffer >= 0 ? AppendBytes( document, buffer, byteCount, &offset, error ) : NULL;
	if ( place == NULL )
	{
		return -1;
	}
	memcpy( place, bytes, byteCount );

	json_t* view = json_object();
	bool ok = supJson_Set( view, "buffer", json_integer( buffer ), error );
	ok = ok && supJson_Set( view, "byteOffset", json_integer( (json_int_t)offset ), error );
	ok = ok && supJson_Set( view, "byteLength", json_integer( (json_int_t)byteCount ), error );
	ok = ok && ( target == 0 || supJson_Set( view, "target", json_integer( target ), error ) );
	// views and their decoded bytes keep the same numbers
	ok = ok && ( SUP_RESERVE_ONE( &document->decodedViews ) || supSetMemoryError( error ) );
	int64_t index = supDocument_AppendItem( document, "bufferViews", ok ? json_incref( view ) : NULL, error );
	json_decref( view );
	if ( index == document->decodedViews.count )
	{
		document->decodedViews.data[document->decodedViews.count++] = ( supBuffer ){ 0 };
	}
	return index;
}

// ---------------------------------------------------------------------------------------------------------------------
// Accessors

static int TypeWidth( const char* type )
{
	static const struct
	{
		const char* type;
		int width;
	} widths[] = { { "SCALAR", 1 }, { "VEC2", 2 }, { "VEC3", 3 }, { "VEC4", 4 },
				   { "MAT2", 4 },   { "MAT3", 9 }, { "MAT4", 16 } };
	for ( int i = 0; i < SUP_COUNT( widths ); ++i )
	{
		if ( strcmp( type, widths[i].type ) == 0 )
		{
			return widths[i].width;
		}
	}
	return 0;
}

static size_t ComponentSize( int componentType )
{
	return componentType == SUP_GL_UNSIGNED_BYTE ? 1 : componentType == SUP_GL_UNSIGNED_SHORT ? 2 : 4;
}

static double Component( const void* values, size_t index, int componentType )
{
	switch ( componentType )
	{
		case SUP_GL_UNSIGNED_BYTE:
			return ( (const uint8_t*)values )[index];
		case SUP_GL_UNSIGNED_SHORT:
			return ( (const uint16_t*)values )[index];
		case SUP_GL_UNSIGNED_INT:
			return ( (const uint32_t*)values )[index];
		default:
			return (double)( (const float*)values )[index];
	}
}

static bool SetBounds( json_t* accessor, const void* values, int32_t count, int width, int componentType,
					   supError* error )
{
	json_t* lower = json_array();
	json_t* upper = json_array();
	bool ok = true;
	for ( int k = 0; k < width && ok; ++k )
	{
		double least = Component( values, (size_t)k, componentType );
		double most = least;
		for ( int32_t i = 1; i < count; ++i )
		{
			double value = Component( values, (size_t)i * (size_t)width + (size_t)k, componentType );
			least = value < least ? value : least;
			most = value > most ? value : most;
		}
		bool isFloat = componentType == SUP_GL_FLOAT;
		ok = supJson_Push( lower, isFloat ? supJson_MakeFloat( (float)least ) : json_integer( (json_int_t)least ),
						   error );
		ok = supJson_Push( upper, isFloat ? supJson_MakeFloat( (float)most ) : json_integer( (json_int_t)most ),
						   error ) &&
			 ok;
	}
	ok = supJson_Set( accessor, "min", lower, error ) && ok;
	return supJson_Set( accessor, "max", upper, error ) && ok;
}

int64_t supDocument_AppendAccessor( supDocument* document, const void* values, int32_t count, int componentType,
									const char* type, int target, bool withBounds, supError* error )
{
	int width = TypeWidth( type );
	SUP_ASSERT( count > 0 && width > 0 );
	SUP_ASSERT( componentType == SUP_GL_UNSIGNED_BYTE || componentType == SUP_GL_UNSIGNED_SHORT ||
				componentType == SUP_GL_UNSIGNED_INT || componentType == SUP_GL_FLOAT );
	size_t byteCount = (size_t)count * (size_t)width * ComponentSize( componentType );
	int64_t view = supDocument_AppendView( document, values, byteCount, target, error );
	if ( view < 0 )
	{
		return -1;
	}
	json_t* accessor = json_object();
	bool ok = supJson_Set( accessor, "bufferView", json_integer( view ), error );
	ok = ok && supJson_Set( accessor, "componentType", json_integer( componentType ), error );
	ok = ok && supJson_Set( accessor, "count", json_integer( count ), error );
	ok = ok && supJson_Set( accessor, "type", json_string( type ), error );
	ok = ok && ( withBounds == false || SetBounds( accessor, values, count, width, componentType, error ) );
	int64_t index = supDocument_AppendItem( document, "accessors", ok ? json_incref( accessor ) : NULL, error );
	json_decref( accessor );
	return index;
}

int64_t supDocument_AppendIndices( supDocument* document, const uint32_t* indices, int32_t count, uint32_t base,
								   supError* error )
{
	uint32_t most = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		most = indices[i] - base > most ? indices[i] - base : most;
	}
	// 65535 itself is the primitive restart value, which glTF forbids
	bool narrow = most < UINT16_MAX;
	void* packed = supAllocArray( (size_t)count, narrow ? 2 : 4 );
	if ( packed == NULL )
	{
		supSetMemoryError( error );
		return -1;
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( narrow )
		{
			( (uint16_t*)packed )[i] = (uint16_t)( indices[i] - base );
		}
		else
		{
			( (uint32_t*)packed )[i] = indices[i] - base;
		}
	}
	int type = narrow ? SUP_GL_UNSIGNED_SHORT : SUP_GL_UNSIGNED_INT;
	int64_t accessor =
		supDocument_AppendAccessor( document, packed, count, type, "SCALAR", SUP_GL_INDICES, false, error );
	supFree( packed );
	return accessor;
}

static bool IsZero( supVec3 v )
{
	return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

// Indices and values of what is not zero, as the "sparse" member of an accessor.
static json_t* MakeSparse( supDocument* document, const supVec3* offsets, int32_t count, int32_t changedCount,
						   supError* error )
{
	bool narrow = count <= UINT16_MAX;
	size_t indexSize = narrow ? 2 : 4;
	uint8_t* indices = supAllocArray( (size_t)changedCount, indexSize );
	supVec3* values = supAllocArray( (size_t)changedCount, sizeof( supVec3 ) );
	bool ok = indices != NULL && values != NULL ? true : supSetMemoryError( error );
	int32_t used = 0;
	for ( int32_t i = 0; i < count && ok; ++i )
	{
		if ( IsZero( offsets[i] ) == false )
		{
			uint16_t small = (uint16_t)i;
			memcpy( indices + (size_t)used * indexSize, narrow ? (const void*)&small : (const void*)&i, indexSize );
			values[used++] = offsets[i];
		}
	}
	int64_t indexView =
		ok ? supDocument_AppendView( document, indices, (size_t)changedCount * indexSize, 0, error ) : -1;
	int64_t valueView =
		indexView >= 0 ? supDocument_AppendView( document, values, (size_t)changedCount * sizeof( supVec3 ), 0, error )
					   : -1;
	supFree( indices );
	supFree( values );
	if ( valueView < 0 )
	{
		return NULL;
	}
	json_t* sparse =
		json_pack( "{s:i, s:{s:I, s:i}, s:{s:I}}", "count", (int)changedCount, "indices", "bufferView",
				   (json_int_t)indexView, "componentType", narrow ? SUP_GL_UNSIGNED_SHORT : SUP_GL_UNSIGNED_INT,
				   "values", "bufferView", (json_int_t)valueView );
	if ( sparse == NULL )
	{
		supSetMemoryError( error );
	}
	return sparse;
}

int64_t supDocument_AppendOffsets( supDocument* document, const supVec3* offsets, int32_t count, bool withBounds,
								   supError* error )
{
	int32_t changedCount = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		changedCount += IsZero( offsets[i] ) ? 0 : 1;
	}
	// indices cost too, and so does a reader's trouble
	if ( changedCount > count / 2 )
	{
		return supDocument_AppendAccessor( document, offsets, count, SUP_GL_FLOAT, "VEC3", SUP_GL_VERTICES, withBounds,
										   error );
	}
	// an accessor without a view is zeros
	json_t* accessor = json_object();
	bool ok = supJson_Set( accessor, "componentType", json_integer( SUP_GL_FLOAT ), error );
	ok = ok && supJson_Set( accessor, "count", json_integer( count ), error );
	ok = ok && supJson_Set( accessor, "type", json_string( "VEC3" ), error );
	ok = ok && ( withBounds == false || SetBounds( accessor, offsets, count, 3, SUP_GL_FLOAT, error ) );
	ok =
		ok && ( changedCount == 0 ||
				supJson_Set( accessor, "sparse", MakeSparse( document, offsets, count, changedCount, error ), error ) );
	int64_t index = supDocument_AppendItem( document, "accessors", ok ? json_incref( accessor ) : NULL, error );
	json_decref( accessor );
	return index;
}

// ---------------------------------------------------------------------------------------------------------------------
// Nodes and vertices

bool supJson_SetTransform( json_t* node, supTransform transform, supError* error )
{
	supTransform rest = supTransform_identity;
	json_object_del( node, "matrix" );
	json_object_del( node, "translation" );
	json_object_del( node, "rotation" );
	json_object_del( node, "scale" );
	bool ok = true;
	if ( memcmp( &transform.translation, &rest.translation, sizeof( rest.translation ) ) != 0 )
	{
		ok = supJson_Set( node, "translation", supJson_MakeFloats( &transform.translation.x, 3 ), error );
	}
	if ( memcmp( &transform.rotation, &rest.rotation, sizeof( rest.rotation ) ) != 0 )
	{
		ok = ok && supJson_Set( node, "rotation", supJson_MakeFloats( &transform.rotation.x, 4 ), error );
	}
	if ( memcmp( &transform.scale, &rest.scale, sizeof( rest.scale ) ) != 0 )
	{
		ok = ok && supJson_Set( node, "scale", supJson_MakeFloats( &transform.scale.x, 3 ), error );
	}
	return ok;
}

// Already of unit length as far as readers care: such vectors keep their bits.
static bool IsUnit( float lengthSquared )
{
	return lengthSquared > 0.999f && lengthSquared < 1.001f;
}

void supRepairNormals( supVec3* normals, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		float lengthSquared = supLengthSquared( normals[i] );
		if ( IsUnit( lengthSquared ) == false )
		{
			normals[i] = supNormalize( normals[i] );
			normals[i] = IsUnit( supLengthSquared( normals[i] ) ) ? normals[i] : supMakeVec3( 0.0f, 1.0f, 0.0f );
		}
	}
}

void supRepairTangents( supVec4* tangents, const supVec3* normals, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		supVec3 t = supMakeVec3( tangents[i].x, tangents[i].y, tangents[i].z );
		if ( IsUnit( supLengthSquared( t ) ) == false )
		{
			t = supNormalize( t );
		}
		if ( IsUnit( supLengthSquared( t ) ) == false )
		{
			// the axis that the normal is farthest from gives the safest cross product
			supVec3 n = normals != NULL ? normals[i] : supMakeVec3( 0.0f, 1.0f, 0.0f );
			t = supNormalize( supCross(
				fabsf( n.x ) < 0.7f ? supMakeVec3( 1.0f, 0.0f, 0.0f ) : supMakeVec3( 0.0f, 1.0f, 0.0f ), n ) );
			t = IsUnit( supLengthSquared( t ) ) ? t : supMakeVec3( 1.0f, 0.0f, 0.0f );
		}
		tangents[i] = ( supVec4 ){ t.x, t.y, t.z, tangents[i].w < 0.0f ? -1.0f : 1.0f };
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Edits

bool supEdit_Begin( supEdit* edit, supDocument* document, supError* error )
{
	*edit = ( supEdit ){ .document = document, .root = document->root };
	edit->bufferCount = document->buffers.count;
	edit->appendBuffer = FindFilledBuffer( document );
	edit->byteCount = edit->appendBuffer >= 0 ? document->buffers.data[edit->appendBuffer].byteCount : 0;
	edit->viewCount = document->decodedViews.count;
	edit->sourceBytes = document->sourceBytes;
	json_t* copy = supJson_Copy( document->root, true );
	if ( copy == NULL )
	{
		return supSetMemoryError( error );
	}
	document->root = copy;
	return true;
}

void supEdit_End( supEdit* edit, bool keep )
{
	supDocument* document = edit->document;
	if ( keep )
	{
		json_decref( edit->root );
		return;
	}
	json_decref( document->root );
	document->root = edit->root;
	while ( document->buffers.count > edit->bufferCount )
	{
		supFree( document->buffers.data[--document->buffers.count].bytes );
	}
	if ( edit->appendBuffer >= 0 )
	{
		document->buffers.data[edit->appendBuffer].byteCount = edit->byteCount;
	}
	document->decodedViews.count = edit->viewCount;
	document->sourceBytes = edit->sourceBytes;
}
