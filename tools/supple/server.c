// SPDX-License-Identifier: MIT
// HTTP 1.1, one request a connection: GET and HEAD. Only loopback is listened to, and only requests to loopback's own
// names are answered, so that a foreign page cannot reach it under a name of its own. strcasestr
#define _GNU_SOURCE
#include "server.h"

#include "core/core.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
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

// A place is its thread's from accept to close; the lock keeps StopServer from ending a socket whose number is already
// another's.
typedef struct Connection
{
	Server* server;
	int socket; // -1: free
} Connection;

struct Server
{
	ServerDef def;
	int socket;
	int32_t port;
	pthread_mutex_t lock;
	pthread_cond_t allClosed;
	int32_t openCount;
	Connection connections[MAX_CONNECTIONS];
};

Server* StartServer( const ServerDef* def, supError* error )
{
	Server* server = supAllocZeroed( sizeof( Server ) );
	if ( server == NULL )
	{
		supSetError( error, sup_errorMemory, "server", "out of memory" );
		return NULL;
	}
	server->def = *def;
	pthread_mutex_init( &server->lock, NULL );
	pthread_cond_init( &server->allClosed, NULL );
	for ( int32_t i = 0; i < MAX_CONNECTIONS; ++i )
	{
		server->connections[i] = ( Connection ){ server, -1 };
	}
	// not the browser's that is started from here, which would keep the port after our end
	server->socket = socket( AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0 );
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

// Not blocking: a pipe of this name would wait for its writer.
static void SendFile( int socket, const char* path, bool headOnly )
{
	int file = open( path, O_RDONLY | O_NONBLOCK | O_CLOEXEC );
	struct stat info;
	if ( file < 0 || fstat( file, &info ) != 0 || S_ISREG( info.st_mode ) == false )
	{
		SendRefusal( socket, "404 Not Found" );
	}
	else if ( SendHead( socket, "200 OK", TypeOf( path ), (size_t)info.st_size ) && headOnly == false )
	{
		char buffer[65536];
		ssize_t count;
		while ( ( count = read( file, buffer, sizeof( buffer ) ) ) > 0 && SendAll( socket, buffer, (size_t)count ) )
		{
		}
	}
	if ( file >= 0 )
	{
		close( file );
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
		size_t nameLength = strlen( names[i] );
		size_t count = (size_t)snprintf( ours, sizeof( ours ), "%s:%d", names[i], server->port );
		// browsers leave port 80 out
		if ( ( length == count || ( server->port == 80 && length == nameLength ) ) &&
			 strncasecmp( host, ours, length ) == 0 )
		{
			return true;
		}
	}
	return false;
}

static double Now( void )
{
	struct timespec time;
	clock_gettime( CLOCK_MONOTONIC, &time );
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Up to the empty line. False where that does not come in time, however many bytes drip in, or is too long.
static bool Receive( int socket, char request[MAX_REQUEST] )
{
	size_t count = 0;
	double end = Now() + TIMEOUT_SECONDS;
	while ( count < MAX_REQUEST - 1 && Now() < end )
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

static void CloseConnection( Connection* connection )
{
	Server* server = connection->server;
	pthread_mutex_lock( &server->lock );
	close( connection->socket );
	connection->socket = -1;
	server->openCount -= 1;
	if ( server->openCount == 0 )
	{
		pthread_cond_signal( &server->allClosed );
	}
	// the last touch: StopServer frees the server after this
	pthread_mutex_unlock( &server->lock );
}

static void* ServeConnection( void* argument )
{
	Connection* connection = argument;
	int socket = connection->socket;
	struct timeval timeout = { .tv_sec = TIMEOUT_SECONDS };
	setsockopt( socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof( timeout ) );
	setsockopt( socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof( timeout ) );
	char request[MAX_REQUEST];
	if ( Receive( socket, request ) )
	{
		Answer( connection->server, socket, request );
	}
	shutdown( socket, SHUT_WR );
	CloseConnection( connection );
	return NULL;
}

// NULL where all places are taken.
static Connection* OpenConnection( Server* server, int socket )
{
	Connection* connection = NULL;
	pthread_mutex_lock( &server->lock );
	for ( int32_t i = 0; i < MAX_CONNECTIONS && connection == NULL; ++i )
	{
		connection = server->connections[i].socket < 0 ? server->connections + i : NULL;
	}
	if ( connection != NULL )
	{
		connection->socket = socket;
		server->openCount += 1;
	}
	pthread_mutex_unlock( &server->lock );
	return connection;
}

static void Accept( Server* server )
{
	int socket = accept4( server->socket, NULL, NULL, SOCK_CLOEXEC );
	if ( socket < 0 )
	{
		return;
	}
	Connection* connection = OpenConnection( server, socket );
	if ( connection == NULL )
	{
		close( socket );
		return;
	}
	pthread_t thread;
	if ( pthread_create( &thread, NULL, ServeConnection, connection ) != 0 )
	{
		CloseConnection( connection );
		return;
	}
	pthread_detach( thread );
}

void RunServer( Server* server, const atomic_int* stop )
{
	while ( atomic_load( stop ) == 0 )
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
	pthread_mutex_lock( &server->lock );
	for ( int32_t i = 0; i < MAX_CONNECTIONS; ++i )
	{
		if ( server->connections[i].socket >= 0 )
		{
			shutdown( server->connections[i].socket, SHUT_RDWR );
		}
	}
	while ( server->openCount > 0 )
	{
		pthread_cond_wait( &server->allClosed, &server->lock );
	}
	pthread_mutex_unlock( &server->lock );
	pthread_cond_destroy( &server->allClosed );
	pthread_mutex_destroy( &server->lock );
	supFree( server );
}
