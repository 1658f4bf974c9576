// SPDX-License-Identifier: MIT
// The VMC protocol (protocol.vmc.info): what VTuber and webcam trackers send, OSC over UDP. Packets in, poses of a
// character out.
//
//   osc.c            a datagram -> messages
//   vmc.c            messages -> what every bone and blend shape does now, and when a frame is whole
//   vmc_skeleton.c   the sender's skeleton: a person in T-pose whose bones have no rotation of their own
//   vmc_file.c       datagrams with their times of arrival, kept in a file
//   vmc_socket.c     the UDP socket
//
// The sender's space is Unity's: left-handed, y up, the avatar looks along +z with its left at -x. Ours has its left at
// +x, so that x is mirrored: (x, y, z) -> (-x, y, z), and a rotation (x, y, z, w) -> (x, -y, -z, w).
//
// A frame is whole at the end of the packet that carries /VMC/Ext/T, the sender's time. Senders spread a frame over
// several packets, so that only those who have sent no time for a second are taken to send a frame a bundle; and where
// they do not bundle either, a frame ends when a bone comes for the second time.
#pragma once

#include "supple/character.h"

typedef struct supVmc supVmc;

typedef struct supVmcDef
{
	// Which bone (a name of Unity's HumanBodyBones) moves which joint. Without pairs people are recognised.
	int32_t pairCount;
	const supNamePair* pairs;
	// Keeps the character in place on the ground.
	bool inPlace;
} supVmcDef;

typedef struct supVmcStats
{
	int64_t packets;
	int64_t messages;
	// Packets that are not OSC and were dropped as a whole.
	int64_t malformed;
	// Messages of ours with arguments that are not: types, numbers that are not finite, places 10 km away.
	int64_t badMessages;
	// Messages that are fine and mean nothing to us: cameras, controllers, keys.
	int64_t ignored;
	int64_t unknownBones;
	int64_t unknownBlends;
	int64_t frames;
	// Frames left out because the sender said that it has no avatar yet.
	int64_t notReady;
} supVmcStats;

// False where this was built without liblo; supCreateVmc then fails and says so.
bool supHasVmc( void );

// NULL with an error where the character is not a person as far as its joints tell and no pairs say more.
// - the character outlives it; def may be NULL
supVmc* supCreateVmc( const supCharacter* character, const supVmcDef* def, supError* error );

// NULL is fine.
void supDestroyVmc( supVmc* vmc );

// One datagram, whatever is in it. `arrival` in seconds on our clock. True where it completes a frame: see supVmc_Pose.
// - at most 65536 bytes
bool supVmc_Receive( supVmc* vmc, const uint8_t* bytes, size_t byteCount, double arrival );

// The last frame as a pose of the character, and its time on the sender's clock (where that stands still or is not
// sent: of its arrival).
const supPose* supVmc_Pose( const supVmc* vmc );
double supVmc_Time( const supVmc* vmc );

supVmcStats supVmc_GetStats( const supVmc* vmc );

// From the next frame on, where the performer stands now is the origin and where they look now is ahead. Returns false
// before the first frame.
bool supVmc_Calibrate( supVmc* vmc );

// How many of the character's joints follow, which of them carries it through the world, and how many of its morph
// targets a blend shape could move.
int32_t supVmc_JointCount( const supVmc* vmc );
int32_t supVmc_Root( const supVmc* vmc );
int32_t supVmc_BlendCount( const supVmc* vmc );

// ---------------------------------------------------------------------------------------------------------------------
// Packets kept with their times of arrival

typedef struct supVmcLog
{
	uint8_t* bytes;
	size_t byteCount;
	size_t capacity;
	uint32_t packetCount;
	uint64_t lastArrival;
} supVmcLog;

// What a log may take; two hours of a busy tracker.
#define SUP_MAX_VMC_LOG ( (size_t)2 << 30 )

typedef struct supVmcPacket
{
	uint64_t arrival; // microseconds since the beginning, rising
	const uint8_t* bytes;
	uint32_t byteCount;
} supVmcPacket;

// False where out of memory or over SUP_MAX_VMC_LOG; the log stays as it was.
// - not earlier than the packet before, at most 65536 bytes
bool supVmcLog_Add( supVmcLog* log, uint64_t arrival, const uint8_t* bytes, size_t byteCount );

// Walks through it: `place` starts at 0. False at the end.
bool supVmcLog_Next( const supVmcLog* log, size_t* place, supVmcPacket* packet );

bool supVmcLog_Save( const supVmcLog* log, const char* path, supError* error );
bool supVmcLog_Load( supVmcLog* log, const char* path, supError* error );
void supVmcLog_Free( supVmcLog* log );

// Parts of the file, see vmc_file.c.
#define SUP_VMC_HEAD_BYTES 32
#define SUP_VMC_RECORD_BYTES 12
// In place of the number of packets: the recording was interrupted.
#define SUP_VMC_UNFINISHED UINT32_MAX
void supVmcLog_MakeHead( uint8_t head[SUP_VMC_HEAD_BYTES], uint32_t packetCount, uint64_t byteCount, uint64_t hash );
void supVmcLog_MakeRecordHead( uint8_t head[SUP_VMC_RECORD_BYTES], uint64_t arrival, uint32_t byteCount );

// Writes packets to PATH.part as they come, so that they are there whatever becomes of the program; supVmcLog_Load
// reads such a file up to its last whole packet.
#define SUP_VMC_PART ".part"

typedef struct supVmcRecorder
{
	int file; // -1: closed
	char* path;
} supVmcRecorder;

// False with an error where PATH.part cannot be made or there is one already.
bool supVmcRecorder_Open( supVmcRecorder* recorder, const char* path, supError* error );

// False where it cannot be written.
bool supVmcRecorder_Add( supVmcRecorder* recorder, const supVmcPacket* packet );

// Removes PATH.part unless `keep`. Closed already is fine.
void supVmcRecorder_Close( supVmcRecorder* recorder, bool keep );

// ---------------------------------------------------------------------------------------------------------------------
// The socket

typedef struct supVmcSocket
{
	int handle;
	int32_t port;
} supVmcSocket;

// Listens on a numeric address ("127.0.0.1", "::1", "0.0.0.0"). Port 0 takes a free one, which `port` then tells. False
// with an error.
bool supVmcSocket_Open( supVmcSocket* socket, const char* address, int32_t port, supError* error );

// Waits for a datagram for at most so many milliseconds. Returns its size, or -1 where none came or a signal did.
// - `bytes` has room for SUP_MAX_OSC_BYTES
int32_t supVmcSocket_Receive( supVmcSocket* socket, uint8_t* bytes, int32_t milliseconds );
void supVmcSocket_Close( supVmcSocket* socket );
