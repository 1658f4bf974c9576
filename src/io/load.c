// SPDX-License-Identifier: MIT
// Which reader a file needs: its first bytes decide, and its extension where they do not.
#define _POSIX_C_SOURCE 200809L // strncasecmp
#include "io/assimp/assimp_import.h"
#include "io/common/file.h"
#include "io/common/load_limits.h"
#include "io/motion/bvh.h"
#include "supple/io.h"

#include <strings.h>

#define HEAD_SIZE 256

typedef enum Format
{
	FormatGltf,
	FormatBvh,
	FormatImported,
} Format;

static Format GuessFormat( const char* head, const char* extension )
{
	if ( memcmp( head, "glTF", 4 ) == 0 )
	{
		return FormatGltf;
	}
	const char* text = memcmp( head, "\xEF\xBB\xBF", 3 ) == 0 ? head + 3 : head;
	text += strspn( text, " \t\r\n" );
	if ( strncasecmp( text, "HIERARCHY", 9 ) == 0 )
	{
		return FormatBvh;
	}
	if ( strcmp( extension, ".glb" ) == 0 || strcmp( extension, ".gltf" ) == 0 || strcmp( extension, ".vrm" ) == 0 )
	{
		return FormatGltf;
	}
	if ( strcmp( extension, ".bvh" ) == 0 )
	{
		return FormatBvh;
	}
	return text[0] == '{' && supCanImport( extension ) == false ? FormatGltf : FormatImported;
}

static supCharacter* LoadGltf( const char* path, const supLoadDef* def, supError* error )
{
	supDocument* document = supLoadDocumentWith( path, def, error );
	supCharacter* character = document != NULL ? supDocument_CreateCharacter( document, error ) : NULL;
	supDestroyDocument( document );
	return character;
}

static supCharacter* LoadBvh( const char* path, supError* error )
{
	size_t byteCount = 0;
	uint8_t* bytes = supReadFile( path, &byteCount, error );
	if ( bytes == NULL )
	{
		return NULL;
	}
	const char* slash = strrchr( path, '/' );
	supCharacter* character = supParseBvh( (const char*)bytes, byteCount, slash != NULL ? slash + 1 : path, error );
	supFree( bytes );
	return character;
}

static supCharacter* LoadAny( const char* path, const supLoadDef* def, supError* error )
{
	char head[HEAD_SIZE];
	char extension[17];
	if ( supReadFileHead( path, head, sizeof( head ), error ) == false )
	{
		return NULL;
	}
	supGetExtension( path, extension );
	switch ( GuessFormat( head, extension ) )
	{
		case FormatGltf:
			return LoadGltf( path, def, error );
		case FormatBvh:
			return LoadBvh( path, error );
		default:
			return supImportCharacter( path, def, error );
	}
}

supCharacter* supLoadCharacterWith( const char* path, const supLoadDef* def, supError* error )
{
	supClearError( error );
	supBudget budget;
	supBeginLoad( def, &budget );
	supCharacter* character = LoadAny( path, def, error );
	if ( character != NULL && supCheckLoadLimits( def, character, path, error ) == false )
	{
		supDestroyCharacter( character );
		character = NULL;
	}
	supEndLoad( def, &budget, character == NULL, path, error );
	return character;
}

supCharacter* supLoadCharacter( const char* path, supError* error )
{
	supLoadDef def = supDefaultLoadDef();
	return supLoadCharacterWith( path, &def, error );
}
