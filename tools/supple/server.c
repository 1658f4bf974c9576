// SPDX-License-Identifier: MIT
// HTTP 1.1, one request a connection: GET and HEAD of files, POST and event streams for hooks. Listens on loopback
// only. A connection has a deadline for all of it, and makes room for a new one where all places are taken, so that
// slow readers block nobody. accept4
#define _GNU_SOURCE
#include "server.h"

#include "core/core.h"
#include "http.h"

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
// Seconds for a request, and for the whole connection: files of the page are read in less than one.
#define REQUEST_SECONDS 10.0
#define CONNECTION_SECONDS 30.0
// Seconds after which a connection makes room for a new one where there is none.
#define PATIENCE_SECONDS 1.0

// A place is its thread's from accept to close; the lock keeps StopServer from ending a socket whose number is already
// another's.
typedef struct Connection
{
	Server* server;
	int socket; // -1: free
	double begin;
} Connection;

struct Server
{
	ServerDef def;
	int folder;
	int socket;
	int32_t port;
	pthread_mutex_t lock;
	pthread_cond_t allClosed;
	int32_t openCount;
	Connection connections[MAX_CONNECTIONS];
};

static double Now( void )
{
	struct timespec time;
	clock_gettime( CLOCK_MONOTONIC, &time );
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

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
		server->connections[i] = ( Connection ){ server, -1, 0.0 };
	}
	server->folder = open( def->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC );
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
		supSetError( error, sup_errorArgument, "port", "cannot listen on port %d: %s; omit --port to use a free one",
					 def->port, strerror( errno ) );
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

// False where the reader is gone or too slow.
static bool SendAll( const Connection* to, const void* bytes, size_t count )
{
	for ( const char* p = bytes; count > 0; )
	{
		struct pollfd ready = { .fd = to->socket, .events = POLLOUT };
		double left = to->begin + CONNECTION_SECONDS - Now();
		if ( left <= 0.0 || poll( &ready, 1, (int)( 1000.0 * left ) + 1 ) <= 0 )
		{
			return false;
		}
		ssize_t sent = send( to->socket, p, count, MSG_NOSIGNAL | MSG_DONTWAIT );
		if ( sent <= 0 && errno != EAGAIN && errno != EINTR )
		{
			return false;
		}
		p += sent > 0 ? sent : 0;
		count -= sent > 0 ? (size_t)sent : 0;
	}
	return true;
}

// Isolation lets the page share memory between threads. The policy lets it load from here alone, whatever a character
// brings along: a file cannot make it fetch, send or run anything.
static bool SendHead( const Connection* to, const char* status, const char* type, size_t byteCount )
{
	char head[1024];
	int length = snprintf( head, sizeof( head ),
						   "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
						   "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n"
						   "Cross-Origin-Resource-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\n"
						   "Content-Security-Policy: default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; "
						   "style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; media-src 'self' blob:; "
						   "connect-src 'self' blob: data:; worker-src 'self' blob:; object-src 'none'; "
						   "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
						   "Referrer-Policy: no-referrer\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n",
						   status, type, byteCount );
	return SendAll( to, head, (size_t)length );
}

// A connection that is still wanted begins anew, as far as its deadline goes.
static void Renew( Connection* connection )
{
	pthread_mutex_lock( &connection->server->lock );
	connection->begin = Now();
	pthread_mutex_unlock( &connection->server->lock );
}

static void SendRefusal( const Connection* to, const char* status )
{
	if ( SendHead( to, status, "text/plain; charset=utf-8", strlen( status ) + 1 ) &&
		 SendAll( to, status, strlen( status ) ) )
	{
		SendAll( to, "\n", 1 );
	}
}

// Opens a file below the folder without following links, part by part. -1 where there is none. Not blocking: a pipe of
// this name would wait for its writer.
// - path begins with '/'
static int OpenBelow( int folder, const char* path )
{
	int at = dup( folder );
	while ( at >= 0 && *path == '/' )
	{
		char part[256];
		size_t length = strcspn( path + 1, "/" );
		int inner = -1;
		if ( length < sizeof( part ) )
		{
			memcpy( part, path + 1, length );
			part[length] = 0;
			path += 1 + length;
			inner =
				openat( at, part, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | ( *path == '/' ? O_DIRECTORY : 0 ) );
		}
		close( at );
		at = inner;
	}
	return at;
}

static void SendFile( const Connection* to, const char* path, bool headOnly )
{
	int file = OpenBelow( to->server->folder, path );
	struct stat info;
	if ( file < 0 || fstat( file, &info ) != 0 || S_ISREG( info.st_mode ) == false )
	{
		SendRefusal( to, "404 Not Found" );
	}
	else if ( SendHead( to, "200 OK", TypeOf( path ), (size_t)info.st_size ) && headOnly == false )
	{
		char buffer[65536];
		ssize_t count;
		while ( ( count = read( file, buffer, sizeof( buffer ) ) ) > 0 && SendAll( to, buffer, (size_t)count ) )
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

// Up to the empty line, and what has come of the body. False where that does not come in time, however many bytes drip
// in, or is too long.
static bool Receive( const Connection* from, char request[MAX_REQUEST], const char** body, size_t* bodyCount )
{
	size_t count = 0;
	while ( count < MAX_REQUEST - 1 )
	{
		struct pollfd ready = { .fd = from->socket, .events = POLLIN };
		double left = from->begin + REQUEST_SECONDS - Now();
		if ( left <= 0.0 || poll( &ready, 1, (int)( 1000.0 * left ) + 1 ) <= 0 )
		{
			return false;
		}
		ssize_t got = recv( from->socket, request + count, MAX_REQUEST - 1 - count, 0 );
		if ( got <= 0 )
		{
			return false;
		}
		count += (size_t)got;
		request[count] = 0;
		char* end = strstr( request, "\r\n\r\n" );
		size_t headCount = end != NULL ? (size_t)( end - request ) + 4 : count;
		if ( strlen( request ) < headCount )
		{
			return false;
		}
		if ( end != NULL )
		{
			// headers are looked for up to here
			end[2] = 0;
			*body = request + headCount;
			*bodyCount = count - headCount;
			return true;
		}
	}
	return false;
}

// The rest of the body behind what came with the head. False where it stops coming.
static bool ReceiveBody( const Connection* from, uint8_t* bytes, size_t count )
{
	while ( count > 0 )
	{
		struct pollfd ready = { .fd = from->socket, .events = POLLIN };
		double left = from->begin + CONNECTION_SECONDS - Now();
		if ( left <= 0.0 || poll( &ready, 1, (int)( 1000.0 * left ) + 1 ) <= 0 )
		{
			return false;
		}
		ssize_t got = recv( from->socket, bytes, count, 0 );
		if ( got <= 0 )
		{
			return false;
		}
		bytes += got;
		count -= (size_t)got;
	}
	return true;
}

static void AnswerPost( Connection* to, const ServerHooks* hooks, const char* name, const char* start,
						size_t startCount, size_t byteCount )
{
	if ( byteCount > hooks->mostBytes )
	{
		SendRefusal( to, "413 Content Too Large" );
		return;
	}
	uint8_t* body = supAlloc( byteCount + 1 );
	if ( body == NULL )
	{
		SendRefusal( to, "503 Service Unavailable" );
		return;
	}
	startCount = startCount < byteCount ? startCount : byteCount;
	memcpy( body, start, startCount );
	ServerAnswer answer = { 0 };
	if ( ReceiveBody( to, body + startCount, byteCount - startCount ) )
	{
		hooks->post( hooks->context, name, body, byteCount, &answer );
		// however long that took
		Renew( to );
		if ( answer.bytes == NULL )
		{
			SendRefusal( to, answer.status != NULL ? answer.status : "404 Not Found" );
		}
		else if ( SendHead( to, answer.status, answer.type, answer.byteCount ) )
		{
			SendAll( to, answer.bytes, answer.byteCount );
		}
	}
	supFree( answer.bytes );
	supFree( body );
}

static void SendStream( Connection* to, const ServerHooks* hooks )
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
							   "Cross-Origin-Resource-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\n"
							   "Connection: close\r\n\r\n";
	ServerReader reader = { 0 };
	bool going = SendAll( to, head, sizeof( head ) - 1 );
	while ( going )
	{
		char* piece = hooks->next( hooks->context, &reader );
		Renew( to );
		// a comment where there is nothing to say tells whether somebody is still there
		const char* text = piece != NULL && piece[0] == 0 ? ":\n\n" : piece;
		going = piece != NULL && SendAll( to, text, strlen( text ) );
		supFree( piece );
	}
}

// True where the path is one of the hooks'.
static bool AnswerHook( Connection* to, const HttpRequest* request, const char* body, size_t bodyCount )
{
	const ServerHooks* hooks = to->server->def.hooks;
	size_t length = hooks != NULL ? strlen( hooks->prefix ) : 0;
	if ( hooks == NULL || strncmp( request->path + 1, hooks->prefix, length ) != 0 )
	{
		return false;
	}
	const char* name = request->path + 1 + length;
	bool isStream = hooks->streamName != NULL && strcmp( name, hooks->streamName ) == 0;
	if ( request->isPost && hooks->post != NULL )
	{
		AnswerPost( to, hooks, name, body, bodyCount, request->byteCount );
	}
	else if ( isStream && request->isPost == false && request->isHead == false )
	{
		SendStream( to, hooks );
	}
	else
	{
		SendRefusal( to, "404 Not Found" );
	}
	return true;
}

static void Answer( Connection* to, char* text, const char* body, size_t bodyCount )
{
	const ServerDef* def = &to->server->def;
	HttpRequest request;
	const char* refusal = ParseHttpRequest( text, to->server->port, &request );
	if ( refusal == NULL && AnswerHook( to, &request, body, bodyCount ) )
	{
		return;
	}
	refusal = refusal == NULL && request.isPost ? "405 Method Not Allowed" : refusal;
	if ( refusal != NULL )
	{
		SendRefusal( to, refusal );
		return;
	}
	if ( def->extraName != NULL && strcmp( request.path + 1, def->extraName ) == 0 )
	{
		if ( SendHead( to, "200 OK", TypeOf( request.path ), def->extraByteCount ) && request.isHead == false )
		{
			SendAll( to, def->extraBytes, def->extraByteCount );
		}
		return;
	}
	char path[MAX_REQUEST + 16];
	const char* index = request.path[strlen( request.path ) - 1] == '/' ? "index.html" : "";
	snprintf( path, sizeof( path ), "%s%s", request.path, index );
	SendFile( to, path, request.isHead );
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
	char request[MAX_REQUEST];
	const char* body = NULL;
	size_t bodyCount = 0;
	if ( Receive( connection, request, &body, &bodyCount ) )
	{
		Answer( connection, request, body, bodyCount );
	}
	shutdown( connection->socket, SHUT_WR );
	CloseConnection( connection );
	return NULL;
}

// Hangs up on the one that has been there longest, unless all are new.
static void MakeRoom( Server* server )
{
	Connection* oldest = server->connections;
	for ( int32_t i = 1; i < MAX_CONNECTIONS; ++i )
	{
		oldest = server->connections[i].begin < oldest->begin ? server->connections + i : oldest;
	}
	if ( Now() - oldest->begin > PATIENCE_SECONDS )
	{
		shutdown( oldest->socket, SHUT_RDWR );
	}
}

static Connection* FindFree( Server* server )
{
	for ( int32_t i = 0; i < MAX_CONNECTIONS; ++i )
	{
		if ( server->connections[i].socket < 0 )
		{
			return server->connections + i;
		}
	}
	return NULL;
}

// NULL where all places are taken, and nobody leaves one.
static Connection* OpenConnection( Server* server, int socket )
{
	pthread_mutex_lock( &server->lock );
	Connection* connection = FindFree( server );
	double end = Now() + 2.0 * PATIENCE_SECONDS;
	while ( connection == NULL && Now() < end )
	{
		MakeRoom( server );
		pthread_mutex_unlock( &server->lock );
		poll( NULL, 0, 10 );
		pthread_mutex_lock( &server->lock );
		connection = FindFree( server );
	}
	if ( connection != NULL )
	{
		connection->socket = socket;
		connection->begin = Now();
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
	if ( server->folder >= 0 )
	{
		close( server->folder );
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
