// SPDX-License-Identifier: MIT
// Writing a document. The tree is written as it stands but for what the container dictates: all buffers become one, and
// pictures move into it so that the file stands alone.
#define _POSIX_C_SOURCE 200809L
#include "io/gltf/document.h"

#include "io/common/file.h"
#include "io/gltf/gltf_write.h"
#include "io/gltf/uri.h"

#include <stdio.h>

// The tree and the one buffer that will be written.
typedef struct Package
{
	json_t* root;
	uint8_t* bin;
	size_t binLength;
	// of each buffer of the document: its place in `bin` and its new index
	size_t* bases;
	int64_t* indices;
	int32_t bufferCount;
	bool hasBin;
} Package;

static size_t Align4( size_t size )
{
	return ( size + 3 ) & ~(size_t)3;
}

static void DestroyPackage( Package* package )
{
	json_decref( package->root );
	supFree( package->bin );
	supFree( package->bases );
	supFree( package->indices );
}

// The picture's media type, which must be known for it to move into the buffer. "" where it must stay outside.
static void FindImageType( const supDocument* document, int32_t index, const json_t* image, char type[64] )
{
	const supDocumentImage* picture = document->images.data + index;
	const char* uri = supJson_String( image, "uri", "" );
	supGetDataUriType( uri, type );
	const char* said = supJson_String( image, "mimeType", type );
	said = said[0] != 0 ? said : supGuessImageType( picture->bytes, picture->byteCount );
	if ( said != type )
	{
		snprintf( type, 64, "%s", said );
	}
}

static bool IsEmbedded( const supDocument* document, int32_t index, const json_t* image, bool dataUris )
{
	char type[64];
	const char* uri = supJson_String( image, "uri", NULL );
	if ( uri == NULL || document->images.data[index].bytes == NULL || ( supIsDataUri( uri ) && dataUris == false ) )
	{
		return false;
	}
	FindImageType( document, index, image, type );
	return type[0] != 0;
}

// Where everything goes, before the bytes are copied.
static bool PlanBin( const supDocument* document, bool dataUris, Package* package )
{
	package->bufferCount = document->buffers.count;
	package->bases = supAllocArray( (size_t)package->bufferCount, sizeof( size_t ) );
	package->indices = supAllocArray( (size_t)package->bufferCount, sizeof( int64_t ) );
	if ( package->bases == NULL || package->indices == NULL )
	{
		return false;
	}
	for ( int32_t i = 0; i < package->bufferCount; ++i )
	{
		if ( document->buffers.data[i].bytes != NULL )
		{
			package->bases[i] = Align4( package->binLength );
			package->binLength = package->bases[i] + document->buffers.data[i].byteCount;
			package->hasBin = true;
		}
	}
	const json_t* images = supJson_Get( package->root, "images" );
	for ( int32_t i = 0; i < document->images.count; ++i )
	{
		if ( IsEmbedded( document, i, supJson_At( images, (size_t)i ), dataUris ) )
		{
			package->binLength = Align4( package->binLength ) + document->images.data[i].byteCount;
			package->hasBin = true;
		}
	}
	int64_t next = package->hasBin ? 1 : 0;
	for ( int32_t i = 0; i < package->bufferCount; ++i )
	{
		package->indices[i] = document->buffers.data[i].bytes != NULL ? 0 : next++;
	}
	package->bin = supAllocZeroed( Align4( package->binLength ) );
	return package->bin != NULL;
}

// Points a view, or the compressed data of one, at the merged buffer.
static bool MoveRange( const Package* package, json_t* object )
{
	int64_t buffer = supJson_Index( object, "buffer", -2 );
	int64_t offset = supJson_Size( object, "byteOffset", 0 );
	if ( buffer < 0 || buffer >= package->bufferCount || offset < 0 )
	{
		return true;
	}
	bool ok = true;
	if ( package->indices[buffer] != buffer )
	{
		ok = json_object_set_new( object, "buffer", json_integer( package->indices[buffer] ) ) == 0;
	}
	if ( package->indices[buffer] == 0 && package->hasBin && package->bases[buffer] > 0 )
	{
		json_int_t moved = (json_int_t)( (uint64_t)offset + package->bases[buffer] );
		ok = ok && json_object_set_new( object, "byteOffset", json_integer( moved ) ) == 0;
	}
	return ok;
}

static bool MoveViews( const Package* package )
{
	size_t index;
	json_t* view;
	json_array_foreach( supJson_Get( package->root, "bufferViews" ), index, view )
	{
		json_t* compressed = supGetMeshoptExtension( view );
		if ( MoveRange( package, view ) == false ||
			 ( compressed != NULL && MoveRange( package, compressed ) == false ) )
		{
			return false;
		}
	}
	return true;
}

// The array under `key`, made if there is none.
static json_t* EnsureArray( json_t* root, const char* key )
{
	json_t* array = supJson_Get( root, key );
	if ( json_is_array( array ) == false )
	{
		json_object_set_new( root, key, json_array() );
		array = supJson_Get( root, key );
	}
	return json_is_array( array ) ? array : NULL;
}

static bool EmbedImage( const supDocument* document, int32_t index, json_t* image, size_t offset, Package* package )
{
	const supDocumentImage* picture = document->images.data + index;
	char type[64];
	FindImageType( document, index, image, type );
	memcpy( package->bin + offset, picture->bytes, picture->byteCount );
	json_t* views = EnsureArray( package->root, "bufferViews" );
	json_t* view = json_pack( "{s:i, s:I, s:I}", "buffer", 0, "byteOffset", (json_int_t)offset, "byteLength",
							  (json_int_t)picture->byteCount );
	json_int_t viewIndex = (json_int_t)json_array_size( views );
	return json_array_append_new( views, view ) == 0 && json_object_del( image, "uri" ) == 0 &&
		   json_object_set_new( image, "bufferView", json_integer( viewIndex ) ) == 0 &&
		   json_object_set_new( image, "mimeType", json_string( type ) ) == 0;
}

static bool FillBin( const supDocument* document, bool dataUris, Package* package )
{
	size_t end = 0;
	for ( int32_t i = 0; i < package->bufferCount; ++i )
	{
		const supBuffer* buffer = document->buffers.data + i;
		if ( buffer->bytes != NULL && buffer->byteCount > 0 )
		{
			memcpy( package->bin + package->bases[i], buffer->bytes, buffer->byteCount );
		}
		end = buffer->bytes != NULL ? package->bases[i] + buffer->byteCount : end;
	}
	const json_t* images = supJson_Get( package->root, "images" );
	for ( int32_t i = 0; i < document->images.count; ++i )
	{
		json_t* image = supJson_At( images, (size_t)i );
		if ( IsEmbedded( document, i, image, dataUris ) )
		{
			size_t offset = Align4( end );
			end = offset + document->images.data[i].byteCount;
			if ( EmbedImage( document, i, image, offset, package ) == false )
			{
				return false;
			}
		}
	}
	return true;
}

// One entry for the merged buffer, which keeps what the first one said about itself, then those without bytes.
static bool MergeBuffers( const supDocument* document, Package* package, const char* uri )
{
	const json_t* old = supJson_Get( package->root, "buffers" );
	json_t* merged = NULL;
	json_t* list = json_array();
	for ( int32_t i = 0; i < package->bufferCount && merged == NULL; ++i )
	{
		merged = document->buffers.data[i].bytes != NULL ? json_incref( supJson_At( old, (size_t)i ) ) : NULL;
	}
	merged = merged != NULL ? merged : json_object();
	bool ok = true;
	if ( supJson_Size( merged, "byteLength", -2 ) != (int64_t)package->binLength )
	{
		ok = json_object_set_new( merged, "byteLength", json_integer( (json_int_t)package->binLength ) ) == 0;
	}
	json_object_del( merged, "uri" );
	ok = ok && ( uri == NULL || json_object_set_new( merged, "uri", json_string( uri ) ) == 0 );
	ok = json_array_append_new( list, merged ) == 0 && ok;
	for ( int32_t i = 0; i < package->bufferCount; ++i )
	{
		if ( document->buffers.data[i].bytes == NULL )
		{
			ok = json_array_append( list, supJson_At( old, (size_t)i ) ) == 0 && ok;
		}
	}
	return json_object_set_new( package->root, "buffers", list ) == 0 && ok;
}

// `uri` names the file of the merged buffer, NULL for the chunk of a GLB.
static bool MakePackage( const supDocument* document, bool dataUris, const char* uri, Package* package,
						 supError* error )
{
	*package = ( Package ){ .root = supJson_Copy( document->root, true ) };
	bool ok = package->root != NULL && PlanBin( document, dataUris, package ) && MoveViews( package ) &&
			  FillBin( document, dataUris, package ) &&
			  ( package->hasBin == false || MergeBuffers( document, package, uri ) );
	if ( ok == false )
	{
		DestroyPackage( package );
		return supSetMemoryError( error );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static void WriteWord( uint8_t* p, size_t word )
{
	uint32_t value = (uint32_t)word;
	memcpy( p, &value, 4 );
}

static uint8_t* PackGlb( const char* json, size_t jsonLength, const Package* package, size_t* byteCount )
{
	size_t jsonSize = Align4( jsonLength );
	size_t binSize = Align4( package->binLength );
	size_t total = 12 + 8 + jsonSize + ( package->hasBin ? 8 + binSize : 0 );
	uint8_t* bytes = supAlloc( total );
	if ( bytes == NULL )
	{
		return NULL;
	}
	memcpy( bytes, "glTF", 4 );
	WriteWord( bytes + 4, 2 );
	WriteWord( bytes + 8, total );
	WriteWord( bytes + 12, jsonSize );
	memcpy( bytes + 16, "JSON", 4 );
	memcpy( bytes + 20, json, jsonLength );
	memset( bytes + 20 + jsonLength, ' ', jsonSize - jsonLength );
	if ( package->hasBin )
	{
		uint8_t* chunk = bytes + 20 + jsonSize;
		WriteWord( chunk, binSize );
		memcpy( chunk + 4, "BIN\0", 4 );
		memcpy( chunk + 8, package->bin, binSize );
	}
	*byteCount = total;
	return bytes;
}

uint8_t* supWriteDocument( const supDocument* document, size_t* byteCount, supError* error )
{
	supClearError( error );
	*byteCount = 0;
	Package package;
	if ( MakePackage( document, true, NULL, &package, error ) == false )
	{
		return NULL;
	}
	size_t jsonLength = 0;
	char* json = supWriteJson( package.root, &jsonLength );
	uint8_t* bytes = NULL;
	if ( json != NULL && (uint64_t)jsonLength + package.binLength > UINT32_MAX - 64 )
	{
		supDocument_SetError( document, error, sup_errorTooLarge, "",
							  "a .glb is limited to 4 GiB; save as .gltf instead" );
	}
	else
	{
		bytes = json != NULL ? PackGlb( json, jsonLength, &package, byteCount ) : NULL;
		if ( bytes == NULL )
		{
			supSetMemoryError( error );
		}
	}
	supFree( json );
	DestroyPackage( &package );
	return bytes;
}

// Writes the .bin first: a .gltf never stands without it.
static bool SaveGltf( const supDocument* document, const char* path, supError* error )
{
	size_t stem = strlen( path ) - strlen( ".gltf" );
	char* binPath = supAllocSmall( stem + 5 );
	char* uri = NULL;
	if ( binPath != NULL )
	{
		memcpy( binPath, path, stem );
		memcpy( binPath + stem, ".bin", 5 );
		const char* slash = strrchr( binPath, '/' );
		uri = supEncodePercent( slash != NULL ? slash + 1 : binPath );
	}
	Package package;
	if ( uri == NULL || MakePackage( document, false, uri, &package, error ) == false )
	{
		supFree( uri );
		supFree( binPath );
		return supSetMemoryError( error );
	}
	size_t jsonLength = 0;
	char* json = supWriteJson( package.root, &jsonLength );
	bool ok = json != NULL || supSetMemoryError( error );
	supFileContent contents[] = { { binPath, package.bin, package.binLength }, { path, json, jsonLength } };
	ok = ok && ( package.hasBin ? supWriteFiles( contents, 2, error ) : supWriteFiles( contents + 1, 1, error ) );
	supFree( json );
	DestroyPackage( &package );
	supFree( uri );
	supFree( binPath );
	return ok;
}

bool supSaveDocument( const supDocument* document, const char* path, supError* error )
{
	supClearError( error );
	char extension[17];
	supGetExtension( path, extension );
	if ( strcmp( extension, ".gltf" ) == 0 )
	{
		return SaveGltf( document, path, error );
	}
	// a .vrm is a .glb with extensions, which a document keeps
	if ( strcmp( extension, ".glb" ) != 0 && strcmp( extension, ".vrm" ) != 0 )
	{
		return supSetError( error, sup_errorArgument, path, "unknown extension; use .glb, .vrm or .gltf" );
	}
	size_t byteCount = 0;
	uint8_t* bytes = supWriteDocument( document, &byteCount, error );
	bool ok = bytes != NULL && supWriteFile( path, bytes, byteCount, error );
	supFree( bytes );
	return ok;
}
