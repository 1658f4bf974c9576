// SPDX-License-Identifier: MIT
#include "flesh_pack.h"

#include "volume/tets.h"

#include <stdio.h>

const char* EnterFleshGroups( FleshPack* pack, const char* name )
{
	for ( const char* slash; ( slash = strchr( name, '/' ) ) != NULL; name = slash + 1 )
	{
		char group[SUP_PACK_NAME_SIZE];
		snprintf( group, sizeof( group ), "%.*s", (int)( slash - name ), name );
		if ( group[0] != 0 )
		{
			supPackReader_Enter( &pack->reader, group );
		}
	}
	return name;
}

void LeaveFleshGroups( FleshPack* pack )
{
	while ( pack->reader.group[0] != 0 )
	{
		supPackReader_Leave( &pack->reader );
	}
}

static bool FindTets( FleshPack* pack )
{
	static const char wanted[] = "tets/indices";
	for ( int32_t i = 0; i < pack->reader.sectionCount; ++i )
	{
		const char* name = supPackReader_Entry( &pack->reader, i ).name;
		size_t length = strlen( name );
		size_t tail = sizeof( wanted ) - 1;
		if ( length > tail && strcmp( name + length - tail, wanted ) == 0 && name[length - tail - 1] == '/' )
		{
			EnterFleshGroups( pack, name );
			bool ok = supTets_Load( &pack->tets, &pack->reader );
			LeaveFleshGroups( pack );
			return ok;
		}
	}
	return true;
}

bool OpenFleshPack( FleshPack* pack, const char* path, supError* error )
{
	*pack = ( FleshPack ){ .map = supMapFile( path, error ) };
	if ( pack->map == NULL )
	{
		return false;
	}
	if ( supPackReader_Open( &pack->reader, pack->map->bytes, pack->map->byteCount, path, error ) == false )
	{
		supUnmapFile( pack->map );
		return false;
	}
	supPackReader_Enter( &pack->reader, "flesh" );
	supPackReader_GetString( &pack->reader, "method", pack->method, sizeof( pack->method ) );
	supPackReader_GetString( &pack->reader, "character", pack->character, sizeof( pack->character ) );
	supPackReader_Leave( &pack->reader );
	bool ok = pack->reader.failed == false && FindTets( pack );
	if ( ok == false )
	{
		CloseFleshPack( pack );
	}
	return ok;
}

void CloseFleshPack( FleshPack* pack )
{
	supPackReader_Close( &pack->reader );
	supUnmapFile( pack->map );
}
