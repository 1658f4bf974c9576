// SPDX-License-Identifier: MIT
// vmc_sender stream FILE SECONDS [damaged]   a recorded walk, with damaged packets among the good ones
// vmc_sender send PORT SECONDS               the same in real time, to a port of this machine
#define _DEFAULT_SOURCE
#include "tracker.h"

#include "core/core.h"
#include "io/motion/vmc.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const trackerDef s_network = { .seed = 5, .noise = 0.01f, .jitter = 0.05f, .dropped = 0.1f, .transit = 0.01 };

static int WriteStream( const char* path, trackerPacket* packets, int count, bool damaged )
{
	testRandom random = testMakeRandom( 9 );
	supVmcLog log = { 0 };
	supError error = { 0 };
	bool ok = true;
	for ( int i = 0; i < count; ++i )
	{
		uint64_t arrival = (uint64_t)( 1e6 * packets[i].arrival );
		ok = ok && supVmcLog_Add( &log, arrival, packets[i].bytes, packets[i].byteCount );
		// half of it, and then noise
		ok = ok &&
			 ( damaged == false || supVmcLog_Add( &log, arrival, packets[i].bytes, packets[i].byteCount / 2 + 1 ) );
		for ( int k = 0; k < 64; ++k )
		{
			packets[i].bytes[k] = (uint8_t)testRandomInt( &random, 256 );
		}
		ok = ok && ( damaged == false || supVmcLog_Add( &log, arrival, packets[i].bytes, 64 ) );
	}
	ok = ok && supVmcLog_Save( &log, path, &error );
	supVmcLog_Free( &log );
	return ok ? 0 : 1;
}

static int SendAll( int port, const trackerPacket* packets, int count )
{
	int sender = socket( AF_INET, SOCK_DGRAM, 0 );
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons( (uint16_t)port ) };
	to.sin_addr.s_addr = htonl( INADDR_LOOPBACK );
	double sent = 0.0;
	for ( int i = 0; i < count; ++i )
	{
		double wait = packets[i].arrival - sent;
		struct timespec pause = { .tv_nsec = (long)( 1e9 * ( wait < 0.9 ? wait : 0.9 ) ) };
		nanosleep( &pause, NULL );
		sent = packets[i].arrival;
		sendto( sender, packets[i].bytes, packets[i].byteCount, 0, (struct sockaddr*)&to, sizeof( to ) );
	}
	close( sender );
	return 0;
}

int main( int argc, char** argv )
{
	if ( argc < 4 )
	{
		return 2;
	}
	trackerDef def = s_network;
	def.seconds = atof( argv[3] );
	int count;
	trackerPacket* packets = trackerMakeStream( &def, &count );
	int status = strcmp( argv[1], "send" ) == 0 ? SendAll( atoi( argv[2] ), packets, count )
												: WriteStream( argv[2], packets, count, argc > 4 );
	free( packets );
	return status;
}
