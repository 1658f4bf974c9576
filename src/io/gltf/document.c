// SPDX-License-Identifier: MIT
// Reading .glb and .gltf into a document.
#define _POSIX_C_SOURCE 200809L // access
#include "io/gltf/document.h"

#include "io/common/file.h"
#include "io/common/load_limits.h"
#include "io/gltf/uri.h"

#include <stdio.h>
#include <unistd.h>

#define GLB_MAGIC 0x46546C67u
#define CHUNK_JSON 0x4E4F534Au
#define CHUNK_BIN 0x004E4942u

// All files of one document together.
#define MOST_SOURCE_BYTES ( (size_t)4 << 30 )

// Room for anything a small file may decently ask for, and what the best compression makes of a large one.
#define DECODED_LIMIT_BASE ( (size_t)64 << 20 )
#define DECODED_LIMIT_PER_BYTE 64

// ---------------------------------------------------------------------------------------------------------------------
// Notes and errors

// False where out of memory.
SUP_PRINTF( 3, 4 )
static bool AddNote( supDocument* document, bool repaired, const char* format, ... )
{
	char text[512];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( text, sizeof( text ), format, arguments );
	va_end( arguments );
	const char* copy = supArena_CopyString( &document->arena, text );
	return copy != NULL && SUP_PUSH( &document->notes, ( supNote ){ repaired, copy } );
}

bool supDocument_SetError( const supDocument* document, supError* error, supErrorCode code, const char* where,
						   const char* format, ... )
{
	char place[256];
	snprintf( place, sizeof( place ), "%s%s%s", document->name, where[0] != 0 ? ": " : "", where );
	va_list arguments;
	va_start( arguments, format );
	supSetErrorV( error, code, place, format, arguments );
	va_end( arguments );
	return false;
}

size_t supDocument_DecodedLimit( const supDocument* document )
{
	// a document that was made here and not read has nothing but its buffers
	size_t held = 0;
	for ( int32_t i = 0; i < document->buffers.count; ++i )
	{
		held += document->buffers.data[i].bytes != NULL ? document->buffers.data[i].byteCount : 0;
	}
	size_t bytes = held > document->sourceBytes ? held : document->sourceBytes;
	return DECODED_LIMIT_BASE + DECODED_LIMIT_PER_BYTE * bytes;
}

// ---------------------------------------------------------------------------------------------------------------------
// The file: GLB chunks or plain JSON

typedef struct Source
{
	const char* json;
	size_t jsonLength;
	// NULL without a BIN chunk
	const uint8_t* bin;
	size_t binLength;
	supReadUriFcn* readUri;
	void* readContext;
	// set by a reader of files
	const bool* outside;
} Source;

static uint32_t ReadWord( const uint8_t* p )
{
	uint32_t word;
	memcpy( &word, p, 4 );
	return word;
}

static bool ReadGlbHeader( supDocument* document, const uint8_t* bytes, size_t byteCount, size_t* length,
						   supError* error )
{
	if ( byteCount < 20 )
	{
		return supDocument_SetError( document, error, sup_errorFormat, "", "the file ends inside its header" );
	}
	uint32_t version = ReadWord( bytes + 4 );
	*length = ReadWord( bytes + 8 );
	if ( version != 2 )
	{
		return supDocument_SetError(
			document, error, sup_errorUnsupported, "",
			"binary glTF version %u is not supported; Supple reads version 2. Convert it, for instance "
			"by loading and saving it in a current 3D program",
			version );
	}
	if ( *length > byteCount )
	{
		return supDocument_SetError( document, error, sup_errorFormat, "",
									 "the file is cut off: expected %zu bytes (got %zu)", *length, byteCount );
	}
	if ( *length < byteCount &&
		 AddNote( document, true, "ignored %zu bytes after the end of the GLB", byteCount - *length ) == false )
	{
		return supSetMemoryError( error );
	}
	return true;
}

static bool SplitGlb( supDocument* document, const uint8_t* bytes, size_t byteCount, Source* source, supError* error )
{
	size_t length = 0;
	if ( ReadGlbHeader( document, bytes, byteCount, &length, error ) == false )
	{
		return false;
	}
	source->json = NULL;
	int32_t chunkIndex = 0;
	int32_t ignored = 0;
	for ( size_t at = 12; at + 8 <= length; ++chunkIndex )
	{
		size_t chunkLength = ReadWord( bytes + at );
		uint32_t type = ReadWord( bytes + at + 4 );
		at += 8;
		if ( chunkLength > length - at )
		{
			return supDocument_SetError( document, error, sup_errorFormat, "",
										 "chunk %d reaches beyond the end of the file", chunkIndex );
		}
		if ( chunkIndex == 0 && type == CHUNK_JSON )
		{
			// padding should be spaces, but some programs write zeros
			source->json = (const char*)bytes + at;
			source->jsonLength = chunkLength;
			while ( source->jsonLength > 0 && source->json[source->jsonLength - 1] == 0 )
			{
				source->jsonLength -= 1;
			}
		}
		else if ( chunkIndex == 1 && type == CHUNK_BIN )
		{
			source->bin = bytes + at;
			source->binLength = chunkLength;
		}
		else
		{
			ignored += 1;
		}
		at += chunkLength;
	}
	if ( source->json == NULL )
	{
		return supDocument_SetError( document, error, sup_errorFormat, "", "the first chunk is not JSON" );
	}
	if ( ignored > 0 && AddNote( document, true, "%d GLB chunks of unknown kind were dropped", ignored ) == false )
	{
		return supSetMemoryError( error );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// What may be read at all

static bool CheckVersion( const supDocument* document, supError* error )
{
	const json_t* asset = supJson_Get( document->root, "asset" );
	const char* version = supJson_String( asset, "version", NULL );
	const char* needed = supJson_String( asset, "minVersion", NULL );
	if ( json_is_object( document->root ) == false || version == NULL )
	{
		return supDocument_SetError( document, error, sup_errorFormat, "asset.version",
									 "this JSON is not glTF: asset.version is missing" );
	}
	if ( strncmp( version, "2.", 2 ) != 0 && strcmp( version, "2" ) != 0 )
	{
		return supDocument_SetError(
			document, error, sup_errorUnsupported, "asset.version",
			"glTF %.16s is not supported; Supple reads glTF 2. Convert it, for instance by loading and "
			"saving it in a current 3D program",
			version );
	}
	if ( needed != NULL && strcmp( needed, "2.0" ) != 0 )
	{
		return supDocument_SetError( document, error, sup_errorUnsupported, "asset.minVersion",
									 "the file requires glTF %.16s; Supple reads 2.0", needed );
	}
	return true;
}

// Extensions that leave shape and motion alone, or that we read. A trailing '*' stands for any ending.
static const char* const s_knownExtensions[] = {
	"EXT_lights_*",
	"EXT_materials_*",
	"EXT_meshopt_compression",
	"EXT_texture_*",
	"KHR_animation_pointer",
	"KHR_lights_*",
	"KHR_materials_*",
	"KHR_mesh_quantization",
	"KHR_meshopt_compression",
	"KHR_techniques_webgl",
	"KHR_texture_*",
	"KHR_xmp*",
	"MSFT_lod",
	"MSFT_packing_*",
	"MSFT_texture_dds",
	"VRM*",
};

static bool IsKnownExtension( const char* name )
{
	for ( int32_t i = 0; i < SUP_COUNT( s_knownExtensions ); ++i )
	{
		const char* known = s_knownExtensions[i];
		size_t length = strlen( known );
		bool open = known[length - 1] == '*';
		if ( open ? strncmp( name, known, length - 1 ) == 0 : strcmp( name, known ) == 0 )
		{
			return true;
		}
	}
	return false;
}

static bool CheckExtensions( supDocument* document, supError* error )
{
	size_t index;
	json_t* value;
	json_array_foreach( supJson_Get( document->root, "extensionsRequired" ), index, value )
	{
		const char* name = json_is_string( value ) ? json_string_value( value ) : "?";
		if ( strcmp( name, "KHR_draco_mesh_compression" ) == 0 )
		{
			return supDocument_SetError(
				document, error, sup_errorUnsupported, "extensionsRequired",
				"Draco compression (KHR_draco_mesh_compression) is not supported. Export the file without "
				"it, or decompress it: gltf-transform copy in.gltf out.glb" );
		}
		if ( IsKnownExtension( name ) == false )
		{
			return supDocument_SetError(
				document, error, sup_errorUnsupported, "extensionsRequired",
				"the file requires the extension %.64s, which is not supported. Export it without this "
				"extension",
				name );
		}
	}
	json_array_foreach( supJson_Get( document->root, "extensionsUsed" ), index, value )
	{
		const char* name = json_is_string( value ) ? json_string_value( value ) : "?";
		if ( IsKnownExtension( name ) == false &&
			 AddNote( document, false, "the extension %.64s is preserved but has no effect", name ) == false )
		{
			return supSetMemoryError( error );
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Buffers and pictures

// Bytes of a file or data URI. NULL without an error where the file does not exist or may not be asked for: `reason`
// then says why.
static uint8_t* ReadUri( supDocument* document, const char* uri, const Source* source, size_t* byteCount,
						 const char* where, const char** reason, supError* error )
{
	*byteCount = 0;
	*reason = NULL;
	if ( supIsDataUri( uri ) )
	{
		char place[256];
		snprintf( place, sizeof( place ), "%s: %s", document->name, where );
		return supDecodeDataUri( uri, byteCount, place, error );
	}
	char* path = supDecodePercent( uri );
	if ( path == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	bool relative = supIsRelativePath( path );
	supFree( path );
	if ( relative == false )
	{
		*reason = "absolute paths and network addresses are not read; use a path relative to the document";
		return NULL;
	}
	uint8_t* bytes = source->readUri != NULL ? source->readUri( uri, byteCount, source->readContext ) : NULL;
	if ( bytes == NULL && source->outside != NULL && *source->outside )
	{
		*reason = "the path leaves the document's folder; use --allow-outside (supLoadDef.allowOutside) to permit this";
		return NULL;
	}
	if ( bytes == NULL )
	{
		*reason = "the file is missing or unreadable";
		return NULL;
	}
	if ( *byteCount > MOST_SOURCE_BYTES - document->sourceBytes )
	{
		supFree( bytes );
		*byteCount = 0;
		*reason = "the document's files exceed 4 GiB in total";
		return NULL;
	}
	document->sourceBytes += *byteCount;
	return bytes;
}

static bool ReadBuffer( supDocument* document, int32_t index, const json_t* object, const Source* source,
						supBuffer* buffer, supError* error )
{
	char where[64];
	snprintf( where, sizeof( where ), "buffers[%d]", index );
	int64_t length = supJson_Size( object, "byteLength", -2 );
	if ( length < 0 )
	{
		return supDocument_SetError( document, error, sup_errorFormat, where,
									 "byteLength is missing or not a whole number" );
	}
	const char* uri = supJson_String( object, "uri", NULL );
	if ( uri != NULL )
	{
		const char* reason = NULL;
		buffer->bytes = ReadUri( document, uri, source, &buffer->byteCount, where, &reason, error );
		if ( buffer->bytes == NULL && reason != NULL )
		{
			return supDocument_SetError( document, error, sup_errorNotFound, where, "cannot read \"%.200s\": %s", uri,
										 reason );
		}
		if ( buffer->bytes == NULL )
		{
			return false;
		}
	}
	else if ( index == 0 && source->bin != NULL )
	{
		size_t wanted = (uint64_t)length < source->binLength ? (size_t)length : source->binLength;
		buffer->bytes = supAlloc( wanted );
		if ( buffer->bytes == NULL )
		{
			return supSetMemoryError( error );
		}
		memcpy( buffer->bytes, source->bin, wanted );
		buffer->byteCount = wanted;
	}
	else
	{
		// the fallback of a compressed view, or a buffer that an unknown extension fills: an error only where it is
		// used
		return true;
	}
	buffer->capacity = buffer->byteCount;
	if ( (uint64_t)length > buffer->byteCount )
	{
		return supDocument_SetError(
			document, error, sup_errorFormat, where,
			"expected %lld bytes (got %zu): the file is cut off or belongs to another document", (long long)length,
			buffer->byteCount );
	}
	buffer->byteCount = (size_t)length;
	return true;
}

static bool ReadBuffers( supDocument* document, const Source* source, supError* error )
{
	const json_t* buffers = supJson_Get( document->root, "buffers" );
	size_t count = json_array_size( buffers );
	for ( size_t i = 0; i < count; ++i )
	{
		supBuffer buffer = { 0 };
		bool ok = ReadBuffer( document, (int32_t)i, supJson_At( buffers, i ), source, &buffer, error );
		if ( SUP_PUSH( &document->buffers, buffer ) == false )
		{
			supFree( buffer.bytes );
			return supSetMemoryError( error );
		}
		if ( ok == false )
		{
			return false;
		}
	}
	return true;
}

// A missing picture is a pity, not an error.
static bool ReadImages( supDocument* document, const Source* source, supError* error )
{
	const json_t* images = supJson_Get( document->root, "images" );
	size_t count = json_array_size( images );
	for ( size_t i = 0; i < count; ++i )
	{
		char where[64];
		snprintf( where, sizeof( where ), "images[%d]", (int)i );
		supDocumentImage image = { 0 };
		const char* uri = supJson_String( supJson_At( images, i ), "uri", NULL );
		if ( uri != NULL )
		{
			supError trouble = { 0 };
			const char* reason = NULL;
			image.bytes = ReadUri( document, uri, source, &image.byteCount, where, &reason, &trouble );
			if ( trouble.code == sup_errorMemory )
			{
				return supSetMemoryError( error );
			}
			reason = reason != NULL ? reason : trouble.message;
			if ( image.bytes == NULL &&
				 AddNote( document, false, "%s: cannot read image \"%.100s\": %s", where, uri, reason ) == false )
			{
				return supSetMemoryError( error );
			}
		}
		if ( SUP_PUSH( &document->images, image ) == false )
		{
			supFree( image.bytes );
			return supSetMemoryError( error );
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool Parse( supDocument* document, const void* bytes, size_t byteCount, Source* source, supError* error )
{
	document->sourceBytes = byteCount;
	source->json = bytes;
	source->jsonLength = byteCount;
	bool isGlb = byteCount >= 4 && ReadWord( bytes ) == GLB_MAGIC;
	if ( isGlb && SplitGlb( document, bytes, byteCount, source, error ) == false )
	{
		return false;
	}
	document->root = supParseJson( source->json, source->jsonLength, document->name, error );
	return document->root != NULL && CheckVersion( document, error ) && CheckExtensions( document, error ) &&
		   ReadBuffers( document, source, error ) && ReadImages( document, source, error ) &&
		   supDocument_DecodeViews( document, error );
}

static const char* BaseName( const char* path )
{
	const char* slash = strrchr( path, '/' );
	return slash != NULL ? slash + 1 : path;
}

static supDocument* ParseDocument( const void* bytes, size_t byteCount, const char* name, Source* source,
								   const supLoadDef* def, supError* error )
{
	supDocument* document = supAllocZeroed( sizeof( supDocument ) );
	char* copiedName = document != NULL ? supCopyString( BaseName( name ) ) : NULL;
	if ( copiedName == NULL )
	{
		supFree( document );
		supSetMemoryError( error );
		return NULL;
	}
	document->name = copiedName;
	document->load = *def;
	if ( Parse( document, bytes, byteCount, source, error ) == false )
	{
		supDestroyDocument( document );
		return NULL;
	}
	return document;
}

supDocument* supParseDocument( const void* bytes, size_t byteCount, const char* name, supReadUriFcn* readUri,
							   void* context, supError* error )
{
	supClearError( error );
	supLoadDef def = supDefaultLoadDef();
	Source source = { .readUri = readUri, .readContext = context };
	return ParseDocument( bytes, byteCount, name, &source, &def, error );
}

typedef struct Folder
{
	const char* documentPath;
	bool allowOutside;
	// the last file that was asked for lies elsewhere
	bool outside;
	// running out of memory must not pass for a missing file
	bool outOfMemory;
} Folder;

static uint8_t* ReadBeside( const char* uri, size_t* byteCount, void* context )
{
	Folder* folder = context;
	char* relative = supDecodePercent( uri );
	size_t folderLength = (size_t)( BaseName( folder->documentPath ) - folder->documentPath );
	char* path = relative != NULL ? supAllocSmall( folderLength + strlen( relative ) + 1 ) : NULL;
	uint8_t* bytes = NULL;
	supError trouble = { .code = path != NULL ? sup_errorNone : sup_errorMemory };
	if ( path != NULL )
	{
		memcpy( path, folder->documentPath, folderLength );
		memcpy( path + folderLength, relative, strlen( relative ) + 1 );
		folder->outside = folder->allowOutside == false && access( path, F_OK ) == 0 &&
						  supIsBelowFolder( folder->documentPath, path ) == false;
		bytes = folder->outside ? NULL : supReadFile( path, byteCount, &trouble );
	}
	folder->outOfMemory = folder->outOfMemory || trouble.code == sup_errorMemory;
	supFree( path );
	supFree( relative );
	return bytes;
}

static supDocument* LoadDocument( const char* path, const supLoadDef* def, supError* error )
{
	size_t byteCount = 0;
	uint8_t* bytes = supReadFile( path, &byteCount, error );
	if ( bytes == NULL )
	{
		return NULL;
	}
	Folder folder = { .documentPath = path, .allowOutside = def->allowOutside };
	Source source = { .readUri = ReadBeside, .readContext = &folder, .outside = &folder.outside };
	supDocument* document = ParseDocument( bytes, byteCount, path, &source, def, error );
	supFree( bytes );
	if ( folder.outOfMemory )
	{
		supDestroyDocument( document );
		supClearError( error );
		supSetMemoryError( error );
		return NULL;
	}
	return document;
}

supDocument* supLoadDocumentWith( const char* path, const supLoadDef* def, supError* error )
{
	supClearError( error );
	supBudget budget;
	supBeginLoad( def, &budget );
	supDocument* document = LoadDocument( path, def, error );
	supEndLoad( def, &budget, document == NULL, path, error );
	return document;
}

supDocument* supLoadDocument( const char* path, supError* error )
{
	supLoadDef def = supDefaultLoadDef();
	return supLoadDocumentWith( path, &def, error );
}

void supDestroyDocument( supDocument* document )
{
	if ( document == NULL )
	{
		return;
	}
	for ( int32_t i = 0; i < document->buffers.count; ++i )
	{
		supFree( document->buffers.data[i].bytes );
	}
	for ( int32_t i = 0; i < document->images.count; ++i )
	{
		supFree( document->images.data[i].bytes );
	}
	for ( int32_t i = 0; i < document->decodedViews.count; ++i )
	{
		supFree( document->decodedViews.data[i].bytes );
	}
	SUP_FREE_ARRAY( &document->buffers );
	SUP_FREE_ARRAY( &document->images );
	SUP_FREE_ARRAY( &document->decodedViews );
	SUP_FREE_ARRAY( &document->notes );
	supArena_Destroy( &document->arena );
	json_decref( document->root );
	supFree( document->name );
	supFree( document );
}
