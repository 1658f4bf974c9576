// SPDX-License-Identifier: MIT
// Name maps: which joint of a motion moves which joint of a character, as a JSON object of strings.
#include "core/arena.h"
#include "io/common/file.h"
#include "io/common/json.h"
#include "supple/io.h"

#define EXAMPLE "expected an object like { \"LeftUpLeg\": \"thigh_l\", \"LeftLeg\": \"calf_l\" }"

// Bigger than any skeleton's.
#define MAX_BYTES ( 16u << 20 )

typedef struct NameMap
{
	supNameMap map; // first, so that the public pointer is ours
	supArena arena;
} NameMap;

static bool ReadPairs( NameMap* map, json_t* root, const char* path, supError* error )
{
	size_t count = json_is_object( root ) ? json_object_size( root ) : 0;
	if ( count == 0 )
	{
		return supSetError( error, sup_errorFormat, path, "the map is empty; %s", EXAMPLE );
	}
	supNamePair* pairs = supArena_AllocArray( &map->arena, count, sizeof( supNamePair ) );
	if ( pairs == NULL )
	{
		return supSetMemoryError( error );
	}
	const char* key;
	json_t* value;
	json_object_foreach( root, key, value )
	{
		if ( !json_is_string( value ) || key[0] == 0 || json_string_value( value )[0] == 0 )
		{
			return supSetError( error, sup_errorFormat, path, "the joint beside \"%.60s\" is not a name; %s", key,
								EXAMPLE );
		}
		supNamePair* pair = &pairs[map->map.pairCount++];
		pair->source = supArena_CopyString( &map->arena, key );
		pair->target = supArena_CopyString( &map->arena, json_string_value( value ) );
		if ( pair->source == NULL || pair->target == NULL )
		{
			return supSetMemoryError( error );
		}
	}
	map->map.pairs = pairs;
	return true;
}

static json_t* ParseMap( const char* path, supError* error )
{
	size_t byteCount;
	uint8_t* bytes = supReadFile( path, &byteCount, error );
	if ( bytes == NULL )
	{
		return NULL;
	}
	json_t* root = NULL;
	if ( byteCount > MAX_BYTES )
	{
		supSetError( error, sup_errorTooLarge, path, "the file is too large for a map of joint names (%zu bytes)",
					 byteCount );
	}
	else
	{
		root = supParseStrictJson( (const char*)bytes, byteCount, path, error );
	}
	supFree( bytes );
	return root;
}

supNameMap* supLoadNameMap( const char* path, supError* error )
{
	supClearError( error );
	json_t* root = ParseMap( path, error );
	if ( root == NULL )
	{
		return NULL;
	}
	NameMap* map = supAllocZeroed( sizeof( NameMap ) );
	bool ok = map != NULL ? ReadPairs( map, root, path, error ) : supSetMemoryError( error );
	json_decref( root );
	if ( !ok )
	{
		supDestroyNameMap( map != NULL ? &map->map : NULL );
		return NULL;
	}
	return &map->map;
}

void supDestroyNameMap( supNameMap* map )
{
	if ( map != NULL )
	{
		NameMap* owner = (NameMap*)map;
		supArena_Destroy( &owner->arena );
		supFree( owner );
	}
}
