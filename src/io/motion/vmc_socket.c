// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "core/core.h"
#include "io/motion/osc.h"
#include "io/motion/vmc.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

// What the system keeps while we compute a step: a second of a busy tracker.
#define WAITING_BYTES ( 1 << 20 )

static int32_t FindPort( int handle )
{
	struct sockaddr_storage name = { 0 };
	socklen_t length = sizeof( name );
	if ( getsockname( handle, (struct sockaddr*)&name, &length ) != 0 )
	{
		return -1;
	}
	if ( name.ss_family == AF_INET6 )
	{
		struct sockaddr_in6 v6;
		memcpy( &v6, &name, sizeof( v6 ) );
		return ntohs( v6.sin6_port );
	}
	struct sockaddr_in v4;
	memcpy( &v4, &name, sizeof( v4 ) );
	return ntohs( v4.sin_port );
}

static bool Fail( int handle, const char* address, int32_t port, int reason, supError* error )
{
	if ( handle >= 0 )
	{
		close( handle );
	}
	const char* remedy = reason == EADDRINUSE ? "; another program listens there, or choose another port"
						 : reason == EACCES   ? "; ports below 1024 are reserved for the system"
						 : reason == EADDRNOTAVAIL
							 ? "; this machine has no such address (0.0.0.0 means all of its addresses)"
							 : "";
	return supSetError( error, sup_errorRead, address, "cannot listen on port %d: %s%s", port, strerror( reason ),
						remedy );
}

bool supVmcSocket_Open( supVmcSocket* vmcSocket, const char* address, int32_t port, supError* error )
{
	supClearError( error );
	SUP_ASSERT( port >= 0 && port <= 65535 );
	char service[16];
	snprintf( service, sizeof( service ), "%d", port );
	struct addrinfo hints = { .ai_family = AF_UNSPEC,
							  .ai_socktype = SOCK_DGRAM,
							  .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE };
	struct addrinfo* info = NULL;
	if ( getaddrinfo( address, service, &hints, &info ) != 0 )
	{
		return supSetError( error, sup_errorArgument, address,
							"expected a numeric address such as 127.0.0.1 (this machine only) or 0.0.0.0 (any)" );
	}
	int handle = socket( info->ai_family, SOCK_DGRAM, 0 );
	bool bound = handle >= 0 && bind( handle, info->ai_addr, info->ai_addrlen ) == 0;
	int reason = errno;
	freeaddrinfo( info );
	if ( bound == false )
	{
		return Fail( handle, address, port, reason, error );
	}
	// less than asked for is no failure
	int size = WAITING_BYTES;
	setsockopt( handle, SOL_SOCKET, SO_RCVBUF, &size, sizeof( size ) );
	*vmcSocket = ( supVmcSocket ){ .handle = handle, .port = FindPort( handle ) };
	return true;
}

int32_t supVmcSocket_Receive( supVmcSocket* vmcSocket, uint8_t* bytes, int32_t milliseconds )
{
	struct pollfd entry = { .fd = vmcSocket->handle, .events = POLLIN };
	if ( poll( &entry, 1, milliseconds ) != 1 )
	{
		return -1;
	}
	ssize_t size = recv( vmcSocket->handle, bytes, SUP_MAX_OSC_BYTES, MSG_DONTWAIT );
	return size >= 0 ? (int32_t)size : -1;
}

void supVmcSocket_Close( supVmcSocket* vmcSocket )
{
	close( vmcSocket->handle );
	vmcSocket->handle = -1;
}
