// SPDX-License-Identifier: MIT
// Buffer views, plain and compressed by EXT_meshopt_compression.
#include "io/gltf/document.h"

#include <meshoptimizer.h>
#include <stdio.h>

// No stream decodes to more than this many times its size: the vertex codec spends at least two bits on sixteen equal
// bytes, the index codecs a byte on at most three indices.
#define MESHOPT_MOST_RATIO 64
#define MESHOPT_SLACK ( (uint64_t)64 << 10 )

json_t* supGetMeshoptExtension( const json_t* object )
{
	const json_t* extensions = supJson_Get( object, "extensions" );
	json_t* extension = supJson_Get( extensions, "EXT_meshopt_compression" );
	return extension != NULL ? extension : supJson_Get( extensions, "KHR_meshopt_compression" );
}

// A range of a buffer, checked.
static bool BufferRange( const supDocument* document, const json_t* object, const char* where, const uint8_t** bytes,
						 size_t* byteCount, supError* error )
{
	int64_t buffer = supJson_Index( object, "buffer", -2 );
	int64_t offset = supJson_Size( object, "byteOffset", 0 );
	int64_t length = supJson_Size( object, "byteLength", -2 );
	if ( buffer < 0 || buffer >= document->buffers.count )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where, "it refers to a missing buffer" );
	}
	if ( offset < 0 || length < 0 )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where,
									 "byteOffset or byteLength is missing or not a whole number" );
	}
	const supBuffer* source = document->buffers.data + buffer;
	if ( source->bytes == NULL )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where, "buffers[%d] has no data", (int)buffer );
	}
	if ( (uint64_t)offset + (uint64_t)length > source->byteCount )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where,
									 "it needs bytes %lld to %lld of buffers[%d], which has %zu", (long long)offset,
									 (long long)( offset + length ), (int)buffer, source->byteCount );
	}
	*bytes = source->bytes + offset;
	*byteCount = (size_t)length;
	return true;
}

bool supDocument_View( const supDocument* document, int64_t index, const char* where, const uint8_t** bytes,
					   size_t* byteCount, supError* error )
{
	const json_t* view = index >= 0 ? supJson_At( supJson_Get( document->root, "bufferViews" ), (size_t)index ) : NULL;
	if ( json_is_object( view ) == false )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where, "it refers to a missing bufferView" );
	}
	if ( index < document->decodedViews.count && document->decodedViews.data[index].bytes != NULL )
	{
		*bytes = document->decodedViews.data[index].bytes;
		*byteCount = document->decodedViews.data[index].byteCount;
		return true;
	}
	char place[64];
	snprintf( place, sizeof( place ), "bufferViews[%d]", (int)index );
	return BufferRange( document, view, place, bytes, byteCount, error );
}

// ---------------------------------------------------------------------------------------------------------------------
// EXT_meshopt_compression

typedef struct CompressedView
{
	const uint8_t* bytes;
	size_t byteCount;
	size_t count;
	size_t stride;
	const char* mode;
	const char* filter;
} CompressedView;

// The rules of the extension, one by one; NULL where all hold.
static const char* FindBrokenRule( const CompressedView* view, int64_t viewLength )
{
	bool attributes = strcmp( view->mode, "ATTRIBUTES" ) == 0;
	bool triangles = strcmp( view->mode, "TRIANGLES" ) == 0;
	if ( attributes == false && triangles == false && strcmp( view->mode, "INDICES" ) != 0 )
	{
		return "its mode must be ATTRIBUTES, TRIANGLES or INDICES";
	}
	if ( attributes && ( view->stride == 0 || view->stride > 256 || view->stride % 4 != 0 ) )
	{
		return "its byteStride is not a multiple of 4 up to 256";
	}
	if ( attributes == false && view->stride != 2 && view->stride != 4 )
	{
		return "its byteStride must be 2 or 4 for indices";
	}
	if ( triangles && view->count % 3 != 0 )
	{
		return "its count is not a multiple of 3";
	}
	if ( (int64_t)( view->count * view->stride ) != viewLength )
	{
		return "its count times byteStride is not the byteLength of the view";
	}
	if ( view->count * view->stride > MESHOPT_MOST_RATIO * (uint64_t)view->byteCount + MESHOPT_SLACK )
	{
		return "it claims more data than its bytes can hold";
	}
	if ( strcmp( view->filter, "NONE" ) == 0 )
	{
		return NULL;
	}
	if ( strcmp( view->filter, "OCTAHEDRAL" ) == 0 )
	{
		return attributes && ( view->stride == 4 || view->stride == 8 ) ? NULL : "OCTAHEDRAL needs byteStride 4 or 8";
	}
	if ( strcmp( view->filter, "QUATERNION" ) == 0 )
	{
		return attributes && view->stride == 8 ? NULL : "QUATERNION needs byteStride 8";
	}
	if ( strcmp( view->filter, "EXPONENTIAL" ) == 0 )
	{
		return attributes ? NULL : "EXPONENTIAL is for attributes only";
	}
	return "its filter must be NONE, OCTAHEDRAL, QUATERNION or EXPONENTIAL";
}

static bool Decode( const CompressedView* view, uint8_t* out )
{
	if ( strcmp( view->mode, "TRIANGLES" ) == 0 )
	{
		return meshopt_decodeIndexBuffer( out, view->count, view->stride, view->bytes, view->byteCount ) == 0;
	}
	if ( strcmp( view->mode, "INDICES" ) == 0 )
	{
		return meshopt_decodeIndexSequence( out, view->count, view->stride, view->bytes, view->byteCount ) == 0;
	}
	if ( meshopt_decodeVertexBuffer( out, view->count, view->stride, view->bytes, view->byteCount ) != 0 )
	{
		return false;
	}
	if ( strcmp( view->filter, "OCTAHEDRAL" ) == 0 )
	{
		meshopt_decodeFilterOct( out, view->count, view->stride );
	}
	else if ( strcmp( view->filter, "QUATERNION" ) == 0 )
	{
		meshopt_decodeFilterQuat( out, view->count, view->stride );
	}
	else if ( strcmp( view->filter, "EXPONENTIAL" ) == 0 )
	{
		meshopt_decodeFilterExp( out, view->count, view->stride );
	}
	return true;
}

static bool DecodeView( supDocument* document, int32_t index, const json_t* view, const json_t* extension, size_t* left,
						supError* error )
{
	char where[96];
	snprintf( where, sizeof( where ), "bufferViews[%d].extensions.EXT_meshopt_compression", index );
	CompressedView source = { 0 };
	if ( BufferRange( document, extension, where, &source.bytes, &source.byteCount, error ) == false )
	{
		return false;
	}
	int64_t count = supJson_Index( extension, "count", -2 );
	int64_t stride = supJson_Index( extension, "byteStride", -2 );
	if ( count < 0 || stride < 0 )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where, "count or byteStride is missing" );
	}
	source.count = (size_t)count;
	source.stride = (size_t)stride;
	source.mode = supJson_String( extension, "mode", "" );
	source.filter = supJson_String( extension, "filter", "NONE" );
	const char* broken = FindBrokenRule( &source, supJson_Size( view, "byteLength", -2 ) );
	if ( broken != NULL )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where, "%s", broken );
	}
	size_t size = source.count * source.stride;
	if ( size > *left )
	{
		return supDocument_SetError( document, error, sup_errorTooLarge, where,
									 "the compressed views unpack to far more than the file's size warrants" );
	}
	*left -= size;
	uint8_t* bytes = supAlloc( size );
	if ( bytes == NULL )
	{
		return supSetMemoryError( error );
	}
	// the decoders write every byte on success, but a failure may leave some alone
	memset( bytes, 0, size );
	document->decodedViews.data[index] = ( supBuffer ){ bytes, size, size };
	if ( size > 0 && Decode( &source, bytes ) == false )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where,
									 "the compressed data is damaged, or written by a newer version of the codec" );
	}
	return true;
}

bool supDocument_DecodeViews( supDocument* document, supError* error )
{
	const json_t* views = supJson_Get( document->root, "bufferViews" );
	size_t viewCount = json_array_size( views );
	size_t left = supDocument_DecodedLimit( document );
	for ( size_t i = 0; i < viewCount; ++i )
	{
		const json_t* view = supJson_At( views, i );
		if ( SUP_PUSH( &document->decodedViews, ( supBuffer ){ 0 } ) == false )
		{
			return supSetMemoryError( error );
		}
		const json_t* extension = supGetMeshoptExtension( view );
		if ( json_is_object( extension ) && DecodeView( document, (int32_t)i, view, extension, &left, error ) == false )
		{
			return false;
		}
	}
	return true;
}
