// SPDX-License-Identifier: MIT
#include "project.h"

#include "core/core.h"
#include "io/common/file.h"

#include <stdio.h>
#include <stdlib.h>

// Of the JSON in a GLB; more is not a project of ours.
#define MAX_JSON_BYTES ( (uint32_t)256 << 20 )

static uint32_t ReadWord( const uint8_t* bytes )
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// The JSON of a GLB, NULL where it is none.
static json_t* ReadGlbJson( const char* path )
{
	uint8_t header[20];
	FILE* file = fopen( path, "rb" );
	bool isGlb = file != NULL && fread( header, 1, sizeof( header ), file ) == sizeof( header ) &&
				 memcmp( header, "glTF", 4 ) == 0 && memcmp( header + 16, "JSON", 4 ) == 0;
	uint32_t length = isGlb ? ReadWord( header + 12 ) : 0;
	char* text = length > 0 && length <= MAX_JSON_BYTES ? supAlloc( length ) : NULL;
	supError error = { 0 };
	json_t* root =
		text != NULL && fread( text, 1, length, file ) == length ? supParseJson( text, length, path, &error ) : NULL;
	supFree( text );
	if ( file != NULL )
	{
		fclose( file );
	}
	return root;
}

// Settings of a project, NULL where it is none. Give it back by json_decref.
static json_t* ReadProjectSettings( const char* path )
{
	json_t* root = ReadGlbJson( path );
	json_t* settings = json_object_get( json_object_get( json_object_get( root, "extras" ), "supple" ), "settings" );
	settings = json_is_object( settings ) ? json_incref( settings ) : NULL;
	json_decref( root );
	return settings;
}

bool IsProject( const char* path )
{
	json_t* settings = ReadProjectSettings( path );
	json_decref( settings );
	return settings != NULL;
}

json_t* ParseSettingsFile( const char* path, supError* error )
{
	json_t* settings = ReadProjectSettings( path );
	if ( settings != NULL )
	{
		return settings;
	}
	size_t byteCount = 0;
	uint8_t* bytes = supReadFile( path, &byteCount, error );
	json_t* tree = bytes != NULL ? supParseStrictJson( (const char*)bytes, byteCount, path, error ) : NULL;
	supFree( bytes );
	return tree;
}

supSettings* LoadSettingsFile( const char* path, const supCharacter* character, supError* error )
{
	json_t* settings = ReadProjectSettings( path );
	if ( settings == NULL )
	{
		return supLoadSettings( path, character, error );
	}
	size_t length = 0;
	char* text = supWriteJson( settings, &length );
	json_decref( settings );
	if ( text == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	supSettings* result = supParseSettings( (const uint8_t*)text, length, path, character, error );
	supFree( text );
	return result;
}
