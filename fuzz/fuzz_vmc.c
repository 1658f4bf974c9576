// SPDX-License-Identifier: MIT
// A tracker gone mad: the input is a row of datagrams, each behind two bytes of length. Once to a character that
// listens, and once as the records of a stream in a file.
#define _GNU_SOURCE
#include "core/hash.h"
#include "io/motion/osc.h"
#include "io/motion/vmc.h"
#include "io/motion/vmc_skeleton.h"
#include "memory_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );

static void Listen( const supCharacter* character, const uint8_t* data, size_t size )
{
	supVmc* vmc = supCreateVmc( character, NULL, NULL );
	supPose* pose = supCreatePose( character );
	double arrival = 0.0;
	while ( vmc != NULL && pose != NULL && size >= 2 )
	{
		size_t count = (size_t)data[0] << 8 | data[1];
		count = count < size - 2 ? count : size - 2;
		// a block of its own, so that reading on is found
		uint8_t* packet = malloc( count + 1 );
		memcpy( packet, data + 2, count );
		if ( supVmc_Receive( vmc, packet, count, arrival ) )
		{
			supPose_Copy( pose, supVmc_Pose( vmc ) );
			const supMat34* worlds = supPose_Worlds( pose );
			for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
			{
				if ( supIsFiniteVec3( worlds[i].t ) == false || supIsFiniteVec3( worlds[i].cx ) == false )
				{
					abort();
				}
			}
		}
		free( packet );
		arrival += 0.3;
		data += 2 + count;
		size -= 2 + count;
	}
	supDestroyPose( pose );
	supDestroyVmc( vmc );
}

// With a right head, which no mutation would ever find.
static void Load( const uint8_t* data, size_t size )
{
	uint8_t* bytes = malloc( 32 + size );
	uint32_t head[2] = { 1, 0 };
	uint64_t count = size;
	memcpy( bytes + 32, data, size );
	uint64_t hash = supHashBytes( SUP_HASH_SEED, bytes + 32, size );
	memcpy( bytes, "SUPVMC\r\n", 8 );
	// as many packets as lengths lead through
	for ( size_t place = 0; place + 12 <= size; ++head[1] )
	{
		uint32_t length;
		memcpy( &length, data + place + 8, 4 );
		place += 12 + (size_t)length;
	}
	memcpy( bytes + 8, head, 8 );
	memcpy( bytes + 16, &count, 8 );
	memcpy( bytes + 24, &hash, 8 );
	char path[64];
	int file = MakeMemoryFile( bytes, 32 + size, path );
	supError error = { 0 };
	supVmcLog log;
	bool loaded = file >= 0 && supVmcLog_Load( &log, path, &error );
	supVmcPacket packet;
	uint64_t sum = 0;
	for ( size_t place = 0; loaded && supVmcLog_Next( &log, &place, &packet ); )
	{
		sum += packet.byteCount > 0 ? packet.bytes[packet.byteCount - 1] : packet.arrival;
	}
	if ( loaded == ( error.code != sup_errorNone ) && file >= 0 )
	{
		abort();
	}
	if ( loaded )
	{
		supVmcLog_Free( &log );
	}
	if ( file >= 0 )
	{
		close( file );
	}
	free( bytes );
	(void)sum;
}

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	static supCharacter* character;
	if ( character == NULL )
	{
		character = supCreateVmcSkeleton( 0, NULL, NULL );
	}
	Listen( character, data, size );
	Load( data, size );
	return 0;
}
