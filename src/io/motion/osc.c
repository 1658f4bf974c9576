// SPDX-License-Identifier: MIT
#include "io/motion/osc.h"

#ifdef SUP_HAVE_LIBLO

#include <lo/lo_lowlevel.h>

bool supHasOsc( void )
{
	return true;
}

static bool ReadMessage( const uint8_t* bytes, size_t byteCount, supOscPacket* packet )
{
	if ( packet->count == SUP_MAX_OSC_MESSAGES || bytes[0] != '/' )
	{
		return false;
	}
	// liblo copies what it is given; that it takes no const is history
	union
	{
		const uint8_t* read;
		void* given;
	} data = { .read = bytes };
	lo_message handle = lo_message_deserialise( data.given, byteCount, NULL );
	if ( handle == NULL )
	{
		return false;
	}
	const char* types = lo_message_get_types( handle );
	packet->messages[packet->count++] =
		( supOscMessage ){ .path = (const char*)bytes, .types = types, .handle = handle };
	return true;
}

static uint32_t ReadBig32( const uint8_t* bytes )
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool ReadElement( const uint8_t* bytes, size_t byteCount, int32_t depth, supOscPacket* packet )
{
	static const char mark[8] = "#bundle";
	if ( byteCount == 0 || byteCount % 4 != 0 )
	{
		return false;
	}
	if ( byteCount < sizeof( mark ) || memcmp( bytes, mark, sizeof( mark ) ) != 0 )
	{
		return ReadMessage( bytes, byteCount, packet );
	}
	// behind the mark a time that nobody fills in
	size_t place = 16;
	if ( byteCount < place || depth == SUP_MAX_OSC_DEPTH )
	{
		return false;
	}
	// everything is a multiple of four bytes long, so that the length of an element is whole
	while ( place < byteCount )
	{
		size_t size = ReadBig32( bytes + place );
		if ( size > byteCount - place - 4 || ReadElement( bytes + place + 4, size, depth + 1, packet ) == false )
		{
			return false;
		}
		place += 4 + size;
	}
	return true;
}

bool supReadOsc( const uint8_t* bytes, size_t byteCount, supOscPacket* packet )
{
	SUP_ASSERT( byteCount <= SUP_MAX_OSC_BYTES );
	packet->count = 0;
	packet->isBundle = byteCount > 0 && bytes[0] == '#';
	if ( ReadElement( bytes, byteCount, 0, packet ) == false )
	{
		supFreeOsc( packet );
		return false;
	}
	return true;
}

void supFreeOsc( supOscPacket* packet )
{
	for ( int32_t i = 0; i < packet->count; ++i )
	{
		lo_message_free( packet->messages[i].handle );
	}
	packet->count = 0;
}

bool supOscMessage_GetNumber( const supOscMessage* message, int32_t index, double* number )
{
	if ( index >= lo_message_get_argc( message->handle ) )
	{
		return false;
	}
	const void* value = lo_message_get_argv( message->handle )[index];
	// arguments are four bytes apart, whatever their size
	int64_t integer;
	switch ( message->types[index] )
	{
		case 'i':
			*number = *(const int32_t*)value;
			return true;
		case 'f':
			*number = (double)*(const float*)value;
			return true;
		case 'h':
			memcpy( &integer, value, sizeof( integer ) );
			*number = (double)integer;
			return true;
		case 'd':
			memcpy( number, value, sizeof( *number ) );
			return true;
		default:
			return false;
	}
}

bool supOscMessage_GetText( const supOscMessage* message, int32_t index, const char** text )
{
	if ( index >= lo_message_get_argc( message->handle ) || message->types[index] != 's' )
	{
		return false;
	}
	*text = (const char*)lo_message_get_argv( message->handle )[index];
	return true;
}

#else

bool supHasOsc( void )
{
	return false;
}

bool supReadOsc( const uint8_t* bytes, size_t byteCount, supOscPacket* packet )
{
	(void)bytes;
	(void)byteCount;
	packet->count = 0;
	return false;
}

void supFreeOsc( supOscPacket* packet )
{
	(void)packet;
}

bool supOscMessage_GetNumber( const supOscMessage* message, int32_t index, double* number )
{
	(void)message;
	(void)index;
	(void)number;
	return false;
}

bool supOscMessage_GetText( const supOscMessage* message, int32_t index, const char** text )
{
	(void)message;
	(void)index;
	(void)text;
	return false;
}

#endif
