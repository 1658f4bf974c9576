// SPDX-License-Identifier: MIT
#include "flesh_pack.h"

#include "volume/tets/tets.h"

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

static bool EndsWith( const char* name, const char* tail )
{
	size_t length = strlen( name );
	return length > strlen( tail ) && strcmp( name + length - strlen( tail ), tail ) == 0;
}

// Corners in "tets" and points in "rest" beside it, of which the last may be there to fill up.
static bool LoadParticles( FleshPack* pack )
{
	supPackReader* reader = &pack->reader;
	int64_t points = supPackReader_Count( reader, "rest" ) / 3;
	int64_t tets = supPackReader_Count( reader, "tets" ) / 4;
	if ( points > INT32_MAX / 4 || tets > INT32_MAX / 4 )
	{
		return supPackReader_Refuse( reader, "tets", "too many tetrahedra; build the file again" );
	}
	pack->tets.points = (const supVec3*)supPackReader_GetFloats( reader, "rest", 3 * points );
	pack->tets.indices = supPackReader_GetInts( reader, "tets", 4 * tets, 0, (int32_t)points - 1 );
	for ( int64_t i = 0; reader->failed == false && i < 4 * tets; ++i )
	{
		int32_t used = pack->tets.indices[i] + 1;
		pack->tets.pointCount = used > pack->tets.pointCount ? used : pack->tets.pointCount;
	}
	pack->tets.tetCount = (int32_t)tets;
	return reader->failed == false;
}

static bool FindTets( FleshPack* pack )
{
	bool ok = true;
	for ( int32_t i = 0; ok && pack->tets.tetCount == 0 && i < pack->reader.sectionCount; ++i )
	{
		const char* name = supPackReader_Entry( &pack->reader, i ).name;
		EnterFleshGroups( pack, name );
		if ( EndsWith( name, "/tets/indices" ) )
		{
			ok = supTets_Load( &pack->tets, &pack->reader );
		}
		else if ( EndsWith( name, "/tets" ) && supPackReader_Has( &pack->reader, "rest" ) )
		{
			ok = LoadParticles( pack );
		}
		LeaveFleshGroups( pack );
	}
	return ok;
}

bool OpenFleshPack( FleshPack* pack, const char* path, supError* error )
{
	*pack = ( FleshPack ){ 0 };
	pack->bytes = supReadFile( path, &pack->byteCount, error );
	if ( pack->bytes == NULL )
	{
		return false;
	}
	if ( supPackReader_Open( &pack->reader, pack->bytes, pack->byteCount, path, error ) == false )
	{
		supFree( pack->bytes );
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
	supFree( pack->bytes );
}
