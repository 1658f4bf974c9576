// SPDX-License-Identifier: MIT
// A recorded stream. Little-endian:
//
//   8 bytes   "SUPVMC\r\n"
//   uint32    version, 1
//   uint32    number of packets; 0xFFFFFFFF: it was never ended, and the two numbers that follow are 0
//   uint64    bytes of all records
//   uint64    their hash (core/hash.h)
//   records   uint64 microseconds since the beginning, uint32 bytes, the datagram as it came
#include "core/hash.h"
#include "io/common/file.h"
#include "io/motion/osc.h"
#include "io/motion/vmc.h"

#define VERSION 1
#define HEADER_BYTES SUP_VMC_HEAD_BYTES
#define RECORD_BYTES SUP_VMC_RECORD_BYTES

static const char s_mark[8] = { 'S', 'U', 'P', 'V', 'M', 'C', '\r', '\n' };

static void Write32( uint8_t* bytes, uint32_t value )
{
	for ( int32_t i = 0; i < 4; ++i )
	{
		bytes[i] = (uint8_t)( value >> 8 * i );
	}
}

static void Write64( uint8_t* bytes, uint64_t value )
{
	Write32( bytes, (uint32_t)value );
	Write32( bytes + 4, (uint32_t)( value >> 32 ) );
}

static uint32_t Read32( const uint8_t* bytes )
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint64_t Read64( const uint8_t* bytes )
{
	return Read32( bytes ) | (uint64_t)Read32( bytes + 4 ) << 32;
}

// ---------------------------------------------------------------------------------------------------------------------

void supVmcLog_MakeHead( uint8_t head[SUP_VMC_HEAD_BYTES], uint32_t packetCount, uint64_t byteCount, uint64_t hash )
{
	memcpy( head, s_mark, sizeof( s_mark ) );
	Write32( head + 8, VERSION );
	Write32( head + 12, packetCount );
	Write64( head + 16, byteCount );
	Write64( head + 24, hash );
}

void supVmcLog_MakeRecordHead( uint8_t head[SUP_VMC_RECORD_BYTES], uint64_t arrival, uint32_t byteCount )
{
	Write64( head, arrival );
	Write32( head + 8, byteCount );
}

// The header's place is kept free in front, so that saving writes one piece.
static bool Reserve( supVmcLog* log, size_t byteCount )
{
	if ( byteCount <= log->capacity )
	{
		return true;
	}
	size_t capacity = log->capacity > 0 ? log->capacity : 1 << 16;
	while ( capacity < byteCount )
	{
		capacity *= 2;
	}
	uint8_t* bytes = byteCount <= SUP_MAX_VMC_LOG ? supAlloc( capacity ) : NULL;
	if ( bytes == NULL )
	{
		return false;
	}
	if ( log->byteCount > 0 )
	{
		memcpy( bytes, log->bytes, log->byteCount );
	}
	supFree( log->bytes );
	log->bytes = bytes;
	log->capacity = capacity;
	return true;
}

bool supVmcLog_Add( supVmcLog* log, uint64_t arrival, const uint8_t* bytes, size_t byteCount )
{
	SUP_ASSERT( arrival >= log->lastArrival && byteCount <= SUP_MAX_OSC_BYTES );
	size_t place = log->byteCount > 0 ? log->byteCount : HEADER_BYTES;
	if ( Reserve( log, place + RECORD_BYTES + byteCount ) == false )
	{
		return false;
	}
	supVmcLog_MakeRecordHead( log->bytes + place, arrival, (uint32_t)byteCount );
	if ( byteCount > 0 )
	{
		memcpy( log->bytes + place + RECORD_BYTES, bytes, byteCount );
	}
	log->byteCount = place + RECORD_BYTES + byteCount;
	log->packetCount += 1;
	log->lastArrival = arrival;
	return true;
}

bool supVmcLog_Next( const supVmcLog* log, size_t* place, supVmcPacket* packet )
{
	size_t at = *place > 0 ? *place : HEADER_BYTES;
	if ( at >= log->byteCount )
	{
		return false;
	}
	packet->arrival = Read64( log->bytes + at );
	packet->byteCount = Read32( log->bytes + at + 8 );
	packet->bytes = log->bytes + at + RECORD_BYTES;
	*place = at + RECORD_BYTES + packet->byteCount;
	return true;
}

void supVmcLog_Free( supVmcLog* log )
{
	supFree( log->bytes );
	*log = ( supVmcLog ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------

bool supVmcLog_Save( const supVmcLog* log, const char* path, supError* error )
{
	uint8_t empty[HEADER_BYTES];
	uint8_t* bytes = log->byteCount > 0 ? log->bytes : empty;
	size_t records = log->byteCount > 0 ? log->byteCount - HEADER_BYTES : 0;
	supVmcLog_MakeHead( bytes, log->packetCount, records,
						supHashBytes( SUP_HASH_SEED, bytes + HEADER_BYTES, records ) );
	return supWriteFile( path, bytes, HEADER_BYTES + records, error );
}

static bool CheckHeader( const uint8_t* bytes, size_t byteCount, const char* path, supError* error )
{
	if ( byteCount < HEADER_BYTES || memcmp( bytes, s_mark, sizeof( s_mark ) ) != 0 )
	{
		return supSetError( error, sup_errorFormat, path,
							"not a recorded stream; record one with: supple live FILE --vmc PORT --record OUT.vmc" );
	}
	if ( Read32( bytes + 8 ) != VERSION )
	{
		return supSetError( error, sup_errorUnsupported, path,
							"the stream has version %u; this program reads version %d; record it again",
							(unsigned)Read32( bytes + 8 ), VERSION );
	}
	size_t records = byteCount - HEADER_BYTES;
	if ( Read32( bytes + 12 ) == SUP_VMC_UNFINISHED )
	{
		return true;
	}
	if ( Read64( bytes + 16 ) != records ||
		 Read64( bytes + 24 ) != supHashBytes( SUP_HASH_SEED, bytes + HEADER_BYTES, records ) )
	{
		return supSetError( error, sup_errorFormat, path, "the stream is damaged or cut off" );
	}
	return true;
}

// A correct hash does not make a valid file: the writer of a hostile file can compute it.
static bool CheckRecords( supVmcLog* log, const char* path, supError* error )
{
	uint32_t wanted = Read32( log->bytes + 12 );
	size_t place = HEADER_BYTES;
	while ( place < log->byteCount )
	{
		size_t rest = log->byteCount - place;
		uint32_t size = rest >= RECORD_BYTES ? Read32( log->bytes + place + 8 ) : UINT32_MAX;
		bool isCut = size > rest - RECORD_BYTES;
		if ( isCut && wanted == SUP_VMC_UNFINISHED && ( rest < RECORD_BYTES || size <= SUP_MAX_OSC_BYTES ) )
		{
			// the one that was being written
			log->byteCount = place;
			return true;
		}
		if ( size > SUP_MAX_OSC_BYTES || isCut )
		{
			return supSetError( error, sup_errorFormat, path, "byte %zu: a packet exceeds the file", place );
		}
		uint64_t arrival = Read64( log->bytes + place );
		// a year
		if ( arrival < log->lastArrival || arrival > 31536000000000ull )
		{
			return supSetError( error, sup_errorFormat, path, "byte %zu: a packet is earlier than its predecessor",
								place );
		}
		log->lastArrival = arrival;
		log->packetCount += 1;
		place += RECORD_BYTES + size;
	}
	return wanted == SUP_VMC_UNFINISHED || log->packetCount == wanted ||
		   supSetError( error, sup_errorFormat, path, "the stream has %u packets, expected %u",
						(unsigned)log->packetCount, (unsigned)wanted );
}

bool supVmcLog_Load( supVmcLog* log, const char* path, supError* error )
{
	supClearError( error );
	*log = ( supVmcLog ){ 0 };
	log->bytes = supReadFile( path, &log->byteCount, error );
	if ( log->bytes == NULL )
	{
		return false;
	}
	log->capacity = log->byteCount;
	if ( CheckHeader( log->bytes, log->byteCount, path, error ) == false || CheckRecords( log, path, error ) == false )
	{
		supVmcLog_Free( log );
		return false;
	}
	return true;
}
