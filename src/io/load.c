// SPDX-License-Identifier: MIT
// Which reader a file needs: its first bytes decide, and its extension where they do not.
#define _POSIX_C_SOURCE 200809L // strncasecmp
#include "io/load.h"

#include "core/clock.h"
#include "io/assimp_import.h"
#include "io/bvh.h"
#include "io/file.h"
#include "supple/io.h"

#include <strings.h>

#define HEAD_SIZE 256
#define LOAD_COOKIE 0x4C4F4144

// ---------------------------------------------------------------------------------------------------------------------
// Limits

supLoadDef supDefaultLoadDef( void )
{
	return ( supLoadDef ){ .maxMemory = (uint64_t)8 << 30,
						   .maxNodes = 1 << 16,
						   .maxVertices = 1 << 24,
						   .maxKeys = 1 << 26,
						   .cookie = LOAD_COOKIE };
}

void supBeginLoad( const supLoadDef* def, supBudget* budget )
{
	SUP_ASSERT( def->cookie == LOAD_COOKIE );
	*budget = ( supBudget ){ .bytes = def->maxMemory };
	budget->endMilliseconds = def->maxSeconds > 0.0f ? supGetMilliseconds() + 1e3 * (double)def->maxSeconds : 0.0;
	supBudget* around = supSetBudget( budget );
	if ( around != NULL )
	{
		supSetBudget( around );
	}
}

void supEndLoad( const supLoadDef* def, supBudget* budget, bool failed, const char* where, supError* error )
{
	supBudget* current = supSetBudget( NULL );
	if ( current != budget )
	{
		supSetBudget( current );
		return;
	}
	if ( failed && budget->exhausted )
	{
		supClearError( error );
		if ( budget->late )
		{
			supSetError( error, sup_errorTooLarge, where, "loading takes longer than %g s (supLoadDef.maxSeconds)",
						 (double)def->maxSeconds );
		}
		else
		{
			supSetError( error, sup_errorTooLarge, where, "loading takes more than %llu MB (supLoadDef.maxMemory)",
						 (unsigned long long)( def->maxMemory >> 20 ) );
		}
	}
}

static bool CheckCount( const char* what, const char* field, uint64_t count, int32_t most, const char* where,
						supError* error )
{
	return count <= (uint64_t)( most > 0 ? most : 0 ) ||
		   supSetError( error, sup_errorTooLarge, where, "it has %llu %s; at most %d are loaded (supLoadDef.%s)",
						(unsigned long long)count, what, most, field );
}

bool supCheckNodeLimit( const supLoadDef* def, uint64_t count, const char* where, supError* error )
{
	return CheckCount( "nodes", "maxNodes", count, def->maxNodes, where, error );
}

bool supCheckLoadLimits( const supLoadDef* def, const supCharacter* character, const char* where, supError* error )
{
	uint64_t vertices = 0, keys = 0;
	for ( int32_t i = 0; i < supCharacter_MeshCount( character ); ++i )
	{
		vertices += (uint64_t)supCharacter_Mesh( character, i )->vertexCount;
	}
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ); ++i )
	{
		const supClip* clip = supCharacter_Clip( character, i );
		for ( int32_t k = 0; k < clip->channelCount; ++k )
		{
			keys += (uint64_t)clip->channels[k].keyCount;
		}
	}
	return supCheckNodeLimit( def, (uint64_t)supCharacter_NodeCount( character ), where, error ) &&
		   CheckCount( "vertices", "maxVertices", vertices, def->maxVertices, where, error ) &&
		   CheckCount( "keys", "maxKeys", keys, def->maxKeys, where, error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Readers

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
