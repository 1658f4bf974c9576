// SPDX-License-Identifier: MIT
// HTTP 1.1, one request a connection: GET and HEAD. Only loopback is listened to, and only requests to loopback's own
// names are answered, so that a foreign page cannot reach it under a name of its own. strcasestr
#define _GNU_SOURCE
#include "server.h"

#include "core/core.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define MAX_REQUEST 8192
#define MAX_CONNECTIONS 64
#define TIMEOUT_SECONDS 10

struct Server
{
	ServerDef def;
	int socket;
	int32_t port;
	atomic_int connections;
};

typedef struct Connection
{
	Server* server;
	int socket;
} Connection;

Server* StartServer( const ServerDef* def, supError* error )
{
	Server* server = supAllocZeroed( sizeof( Server ) );
	if ( server == NULL )
	{
		supSetError( error, sup_errorMemory, "server", "out of memory" );
		return NULL;
	}
	server->def = *def;
	server->socket = socket( AF_INET, SOCK_STREAM, 0 );
	struct sockaddr_in address = { .sin_family = AF_INET,
								   .sin_port = htons( (uint16_t)def->port ),
								   .sin_addr.s_addr = htonl( INADDR_LOOPBACK ) };
	int yes = 1;
	socklen_t length = sizeof( address );
	if ( server->socket < 0 || setsockopt( server->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof( yes ) ) != 0 ||
		 bind( server->socket, (struct sockaddr*)&address, sizeof( address ) ) != 0 ||
		 listen( server->socket, MAX_CONNECTIONS ) != 0 ||
		 getsockname( server->socket, (struct sockaddr*)&address, &length ) != 0 )
	{
		supSetError( error, sup_errorArgument, "port",
					 "%d cannot be listened to: %s; leave --port out to take one that is free", def->port,
					 strerror( errno ) );
		StopServer( server );
		return NULL;
	}
	server->port = ntohs( address.sin_port );
	return server;
}

int32_t GetServerPort( const Server* server )
{
	return server->port;
}

// ---------------------------------------------------------------------------------------------------------------------
// What is sent

static const char* TypeOf( const char* path )
{
	static const char* const types[][2] = {
		{ ".html", "text/html; charset=utf-8" },
		{ ".js", "text/javascript; charset=utf-8" },
		{ ".mjs", "text/javascript; charset=utf-8" },
		{ ".css", "text/css; charset=utf-8" },
		{ ".json", "application/json" },
		{ ".wasm", "application/wasm" },
		{ ".svg", "image/svg+xml" },
		{ ".png", "image/png" },
		{ ".glb", "model/gltf-binary" },
		{ ".ico", "image/x-icon" },
	};
	const char* dot = strrchr( path, '.' );
	for ( size_t i = 0; dot != NULL && i < SUP_COUNT( types ); ++i )
	{
		if ( strcasecmp( dot, types[i][0] ) == 0 )
		{
			return types[i][1];
		}
	}
	return "application/octet-stream";
}

static bool SendAll( int socket, const void* bytes, size_t count )
{
	for ( const char* p = bytes; count > 0; )
	{
		ssize_t sent = send( socket, p, count, MSG_NOSIGNAL );
		if ( sent <= 0 )
		{
			return false;
		}
		p += sent;
		count -= (size_t)sent;
	}
	return true;
}

// Isolation lets the page share memory between threads.
static bool SendHead( int socket, const char* status, const char* type, size_t byteCount )
{
	char head[512];
	int length = snprintf( head, sizeof( head ),
						   "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
						   "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n"
						   "Cross-Origin-Resource-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\n"
						   "Cache-Control: no-cache\r\nConnection: close\r\n\r\n",
						   status, type, byteCount );
	return SendAll( socket, head, (size_t)length );
}

static void SendRefusal( int socket, const char* status )
{
	if ( SendHead( socket, status, "text/plain; charset=utf-8", strlen( status ) + 1 ) &&
		 SendAll( socket, status, strlen( status ) ) )
	{
		SendAll( socket, "\n", 1 );
	}
}

static void SendFile( int socket, const char* path, bool headOnly )
{
	FILE* file = fopen( path, "rb" );
	struct stat info;
	if ( file == NULL || fstat( fileno( file ), &info ) != 0 || S_ISREG( info.st_mode ) == false )
	{
		SendRefusal( socket, "404 Not Found" );
	}
	else if ( SendHead( socket, "200 OK", TypeOf( path ), (size_t)info.st_size ) && headOnly == false )
	{
		char buffer[65536];
		size_t count;
		while ( ( count = fread( buffer, 1, sizeof( buffer ), file ) ) > 0 && SendAll( socket, buffer, count ) )
		{
		}
	}
	if ( file != NULL )
	{
		fclose( file );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// What is asked

static int HexDigit( char c )
{
	return c >= '0' && c <= '9'   ? c - '0'
		   : c >= 'a' && c <= 'f' ? c - 'a' + 10
		   : c >= 'A' && c <= 'F' ? c - 'A' + 10
								  : -1;
}

// Takes the query off and percents out, in place. False where it leads out of the folder or has no business in a path.
static bool CleanPath( char* path )
{
	path[strcspn( path, "?#" )] = 0;
	char* out = path;
	for ( const char* p = path; *p != 0; ++p )
	{
		char c = *p;
		if ( c == '%' )
		{
			int high = HexDigit( p[1] ), low = high >= 0 ? HexDigit( p[2] ) : -1;
			if ( low < 0 )
			{
				return false;
			}
			c = (char)( high * 16 + low );
			p += 2;
		}
		if ( c == 0 || c == '\\' )
		{
			return false;
		}
		*out++ = c;
	}
	*out = 0;
	return path[0] == '/' && strstr( path, "/.." ) == NULL && strstr( path, "//" ) == NULL;
}

static bool HostIsOurs( const Server* server, const char* request )
{
	const char* host = strcasestr( request, "\r\nHost:" );
	if ( host == NULL )
	{
		return false;
	}
	host += 7 + strspn( host + 7, " \t" );
	size_t length = strcspn( host, "\r\n \t" );
	char ours[32];
	static const char* const names[] = { "127.0.0.1", "localhost" };
	for ( size_t i = 0; i < SUP_COUNT( names ); ++i )
	{
		int count = snprintf( ours, sizeof( ours ), "%s:%d", names[i], server->port );
		if ( length == (size_t)count && strncasecmp( host, ours, length ) == 0 )
		{
			return true;
		}
	}
	return false;
}

// Up to the empty line. False where that does not come in time or is too long.
static bool Receive( int socket, char request[MAX_REQUEST] )
{
	size_t count = 0;
	while ( count < MAX_REQUEST - 1 )
	{
		ssize_t got = recv( socket, request + count, MAX_REQUEST - 1 - count, 0 );
		if ( got <= 0 )
		{
			return false;
		}
		count += (size_t)got;
		request[count] = 0;
		if ( strlen( request ) != count )
		{
			return false;
		}
		if ( strstr( request, "\r\n\r\n" ) != NULL )
		{
			return true;
		}
	}
	return false;
}

static void AnswerPath( const Server* server, int socket, const char* path, bool headOnly )
{
	const ServerDef* def = &server->def;
	if ( def->extraName != NULL && strcmp( path + 1, def->extraName ) == 0 )
	{
		if ( SendHead( socket, "200 OK", TypeOf( path ), def->extraByteCount ) && headOnly == false )
		{
			SendAll( socket, def->extraBytes, def->extraByteCount );
		}
		return;
	}
	char file[4096];
	const char* index = path[strlen( path ) - 1] == '/' ? "index.html" : "";
	int length = snprintf( file, sizeof( file ), "%s%s%s", def->folder, path, index );
	if ( length >= (int)sizeof( file ) )
	{
		SendRefusal( socket, "414 URI Too Long" );
		return;
	}
	SendFile( socket, file, headOnly );
}

static void Answer( const Server* server, int socket, char* request )
{
	bool head = strncmp( request, "HEAD ", 5 ) == 0;
	char* path = request + ( head ? 5 : 4 );
	char* end = strstr( path, " HTTP/1." );
	if ( head == false && strncmp( request, "GET ", 4 ) != 0 )
	{
		SendRefusal( socket, "405 Method Not Allowed" );
		return;
	}
	if ( HostIsOurs( server, request ) == false )
	{
		SendRefusal( socket, "403 Forbidden" );
		return;
	}
	if ( end == NULL || end > strstr( request, "\r\n" ) )
	{
		SendRefusal( socket, "400 Bad Request" );
		return;
	}
	*end = 0;
	if ( CleanPath( path ) == false )
	{
		SendRefusal( socket, "400 Bad Request" );
		return;
	}
	AnswerPath( server, socket, path, head );
}

static void* ServeConnection( void* argument )
{
	Connection connection = *(Connection*)argument;
	supFree( argument );
	struct timeval timeout = { .tv_sec = TIMEOUT_SECONDS };
	setsockopt( connection.socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof( timeout ) );
	setsockopt( connection.socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof( timeout ) );
	char request[MAX_REQUEST];
	if ( Receive( connection.socket, request ) )
	{
		Answer( connection.server, connection.socket, request );
	}
	shutdown( connection.socket, SHUT_WR );
	close( connection.socket );
	atomic_fetch_sub( &connection.server->connections, 1 );
	return NULL;
}

static void Accept( Server* server )
{
	int socket = accept( server->socket, NULL, NULL );
	if ( socket < 0 )
	{
		return;
	}
	Connection* connection = supAlloc( sizeof( Connection ) );
	pthread_t thread;
	atomic_fetch_add( &server->connections, 1 );
	if ( connection != NULL )
	{
		*connection = ( Connection ){ server, socket };
	}
	if ( connection == NULL || atomic_load( &server->connections ) > MAX_CONNECTIONS ||
		 pthread_create( &thread, NULL, ServeConnection, connection ) != 0 )
	{
		supFree( connection );
		close( socket );
		atomic_fetch_sub( &server->connections, 1 );
		return;
	}
	pthread_detach( thread );
}

void RunServer( Server* server, const volatile int* stop )
{
	while ( *stop == 0 )
	{
		struct pollfd waiting = { .fd = server->socket, .events = POLLIN };
		if ( poll( &waiting, 1, 200 ) > 0 )
		{
			Accept( server );
		}
	}
}

void StopServer( Server* server )
{
	if ( server == NULL )
	{
		return;
	}
	if ( server->socket >= 0 )
	{
		close( server->socket );
	}
	while ( atomic_load( &server->connections ) > 0 )
	{
		nanosleep( &( struct timespec ){ .tv_nsec = 10000000 }, NULL );
	}
	supFree( server );
}
