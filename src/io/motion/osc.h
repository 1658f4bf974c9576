// SPDX-License-Identifier: MIT
// Open Sound Control, the letters that trackers write: a packet is a message or a bundle of packets. Bundles are taken
// apart here, messages by liblo. Whatever bytes come, a packet is either whole or refused.
#pragma once

#include "core/core.h"

// What one UDP datagram can hold, and how many messages (address, types and no arguments: 8 bytes and a length) fit.
#define SUP_MAX_OSC_BYTES 65536
#define SUP_MAX_OSC_MESSAGES ( SUP_MAX_OSC_BYTES / 12 )
#define SUP_MAX_OSC_DEPTH 8

typedef struct supOscMessage
{
	const char* path;  // inside the packet
	const char* types; // one letter for each argument
	void* handle;      // liblo's
} supOscMessage;

typedef struct supOscPacket
{
	bool isBundle;
	int32_t count;
	supOscMessage messages[SUP_MAX_OSC_MESSAGES];
} supOscPacket;

// Was liblo there when this was built?
bool supHasOsc( void );

// All messages of a packet in their order. False, and nothing to be freed, where anything in it is malformed: lengths
// that do not fit, texts without an end, types that do not exist, bundles nested deeper than SUP_MAX_OSC_DEPTH.
// - `bytes` stay until the packet is freed; at most SUP_MAX_OSC_BYTES
bool supReadOsc( const uint8_t* bytes, size_t byteCount, supOscPacket* packet );
void supFreeOsc( supOscPacket* packet );

// Arguments. False if there is none of this kind at `index`: numbers are i, h, f and d.
bool supOscMessage_GetNumber( const supOscMessage* message, int32_t index, double* number );
bool supOscMessage_GetText( const supOscMessage* message, int32_t index, const char** text );
