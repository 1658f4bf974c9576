// SPDX-License-Identifier: MIT
// supple live --studio: the page plays what the tracker sends. This program listens and retargets; poses go to the page
// as events, and the flesh is simulated there.
#define _DEFAULT_SOURCE
#include "live.h"

#include "core/core.h"
#include "io/motion/osc.h"
#include "json.h"
#include "report.h"
#include "studio.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Frames kept for a page that is late; at 120 a second half of one.
#define KEPT_FRAMES 64
#define STATUS_SECONDS 0.5
// Without a frame for so long the tracker counts as gone.
#define LOST_SECONDS 2.0
#define WAIT_MILLISECONDS 250

typedef struct Frame
{
	double time;
	float* numbers; // of poseCount
} Frame;

typedef struct Feed
{
	const LiveSettings* settings;
	Source source;
	supNameMap* map;
	supVmcSocket socket;
	bool isOpen;
	supVmcLog log; // what is replayed, or what is recorded
	supVmcRecorder recorder;
	uint8_t* packet;
	int32_t poseCount;
	atomic_bool stop;
	// all below is behind the lock
	pthread_mutex_t lock;
	pthread_cond_t news;
	supVmc* vmc;
	uint64_t frameCount; // so far; the newest is frames[( frameCount - 1 ) % KEPT_FRAMES]
	Frame frames[KEPT_FRAMES];
	uint64_t statusCount;
	char status[512];
	double heard; // the last frame
	int64_t toldFrames;
	double told;
} Feed;

// ---------------------------------------------------------------------------------------------------------------------
// What is kept for the page

// Ten numbers a node, then the morph weights of all instances: as Actor.setPose takes them.
static void WritePose( supPose* pose, float* numbers )
{
	const supCharacter* character = supPose_Character( pose );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		supTransform local = supPose_GetLocal( pose, i );
		const float ten[10] = { local.translation.x, local.translation.y, local.translation.z, local.rotation.x,
								local.rotation.y,    local.rotation.z,    local.rotation.w,    local.scale.x,
								local.scale.y,       local.scale.z };
		memcpy( numbers, ten, sizeof( ten ) );
		numbers += 10;
	}
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->targetCount;
		if ( count > 0 )
		{
			memcpy( numbers, supPose_MorphWeights( pose, i ), (size_t)count * sizeof( float ) );
			numbers += count;
		}
	}
}

static int32_t CountNumbers( const supCharacter* character )
{
	int32_t count = 10 * supCharacter_NodeCount( character );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		count += supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->targetCount;
	}
	return count;
}

// Behind the lock.
static void KeepFrame( Feed* feed, double now )
{
	Frame* frame = feed->frames + feed->frameCount % KEPT_FRAMES;
	supPose* pose = supCreatePose( feed->source.character );
	if ( pose != NULL )
	{
		supPose_Copy( pose, supVmc_Pose( feed->vmc ) );
		WritePose( pose, frame->numbers );
		frame->time = supVmc_Time( feed->vmc );
		feed->frameCount += 1;
	}
	supDestroyPose( pose );
	feed->heard = now;
	pthread_cond_broadcast( &feed->news );
}

// Behind the lock.
static void KeepStatus( Feed* feed, double now )
{
	supVmcStats stats = supVmc_GetStats( feed->vmc );
	const char* state = stats.frames > 0 && now - feed->heard < LOST_SECONDS ? "live"
						: stats.frames > 0                                   ? "lost"
						: stats.notReady > 0                                 ? "not-ready"
						: stats.packets > 0                                  ? "no-frames"
																			 : "waiting";
	double seconds = now - feed->told;
	double rate = seconds > 0.0 ? (double)( stats.frames - feed->toldFrames ) / seconds : 0.0;
	snprintf(
		feed->status, sizeof( feed->status ),
		"{\"state\":\"%s\",\"port\":%d,\"replay\":%s,\"rate\":%.1f,\"packets\":%lld,\"malformed\":%lld,\"frames\":%lld,"
		"\"joints\":%d,\"recording\":%s}",
		state, feed->isOpen ? feed->socket.port : 0, feed->settings->replay != NULL ? "true" : "false", rate,
		(long long)stats.packets, (long long)( stats.malformed + stats.badMessages ), (long long)stats.frames,
		supVmc_JointCount( feed->vmc ), feed->settings->record != NULL ? "true" : "false" );
	feed->statusCount += 1;
	feed->toldFrames = stats.frames;
	feed->told = now;
	pthread_cond_broadcast( &feed->news );
}

static void Deliver( Feed* feed, const supVmcPacket* packet, double now )
{
	pthread_mutex_lock( &feed->lock );
	if ( supVmc_Receive( feed->vmc, packet->bytes, packet->byteCount, 1e-6 * (double)packet->arrival ) )
	{
		KeepFrame( feed, now );
	}
	pthread_mutex_unlock( &feed->lock );
}

static void TellStatus( Feed* feed, double now )
{
	if ( now - feed->told >= STATUS_SECONDS )
	{
		pthread_mutex_lock( &feed->lock );
		KeepStatus( feed, now );
		pthread_mutex_unlock( &feed->lock );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The thread that listens

static void Record( Feed* feed, const supVmcPacket* packet )
{
	if ( feed->recorder.file < 0 )
	{
		return;
	}
	if ( supVmcLog_Add( &feed->log, packet->arrival, packet->bytes, packet->byteCount ) == false ||
		 supVmcRecorder_Add( &feed->recorder, packet ) == false )
	{
		Note( "%s: no room for more of the stream (%s); what was recorded so far is kept", feed->settings->record,
			  strerror( errno ) );
		supVmcRecorder_Close( &feed->recorder, true );
	}
}

static void* Listen( void* argument )
{
	Feed* feed = argument;
	double start = GetSeconds();
	while ( atomic_load( &feed->stop ) == false )
	{
		int32_t size = supVmcSocket_Receive( &feed->socket, feed->packet, 100 );
		double now = GetSeconds() - start;
		if ( size >= 0 )
		{
			supVmcPacket packet = { (uint64_t)( 1e6 * now ), feed->packet, (uint32_t)size };
			Record( feed, &packet );
			Deliver( feed, &packet, now );
		}
		TellStatus( feed, now );
	}
	return NULL;
}

static void Wait( double seconds )
{
	struct timespec time = { .tv_nsec = (long)( 1e9 * ( seconds < 0.05 ? seconds : 0.05 ) ) };
	if ( seconds > 0.0 )
	{
		nanosleep( &time, NULL );
	}
}

// A recorded stream in its own time, again and again.
static void* Replay( void* argument )
{
	Feed* feed = argument;
	double start = GetSeconds(), turn = start;
	size_t place = 0;
	supVmcPacket packet;
	bool more = supVmcLog_Next( &feed->log, &place, &packet );
	while ( atomic_load( &feed->stop ) == false )
	{
		double now = GetSeconds();
		if ( more && 1e-6 * (double)packet.arrival <= now - turn )
		{
			Deliver( feed, &packet, now - start );
			more = supVmcLog_Next( &feed->log, &place, &packet );
			if ( more == false )
			{
				place = 0;
				turn = GetSeconds();
				more = supVmcLog_Next( &feed->log, &place, &packet );
			}
		}
		else
		{
			Wait( more ? 1e-6 * (double)packet.arrival - ( now - turn ) : 0.05 );
		}
		TellStatus( feed, now - start );
	}
	return NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Events

static void PrintBase64( FILE* out, const uint8_t* bytes, size_t count )
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for ( size_t i = 0; i < count; i += 3 )
	{
		size_t left = count - i;
		uint32_t three = (uint32_t)bytes[i] << 16 | ( left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0 ) |
						 ( left > 2 ? (uint32_t)bytes[i + 2] : 0 );
		fputc( digits[three >> 18], out );
		fputc( digits[three >> 12 & 63], out );
		fputc( left > 1 ? digits[three >> 6 & 63] : '=', out );
		fputc( left > 2 ? digits[three & 63] : '=', out );
	}
}

static void PrintOption( FILE* out, const char* name, double value, const char* end )
{
	if ( isnan( value ) )
	{
		fprintf( out, "\"%s\":null%s", name, end );
	}
	else
	{
		fprintf( out, "\"%s\":%.9g%s", name, value, end );
	}
}

// How the stream is played; null: as it usually is.
static void PrintOptions( FILE* out, const LiveSettings* settings )
{
	fprintf( out, "event: options\ndata: {" );
	PrintOption( out, "delay", settings->delay, "," );
	PrintOption( out, "prediction", settings->prediction, "," );
	PrintOption( out, "smoothing", settings->smoothing, "}\n\n" );
}

// Which number of a pose is which node's: the page may hold them in another order.
static void PrintNodes( FILE* out, const supCharacter* character )
{
	fprintf( out, "event: nodes\n" );
	// a line of data each; a text without a line break stays one
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		fprintf( out, "data: " );
		for ( const char* p = supCharacter_Node( character, i )->name; *p != 0; ++p )
		{
			fputc( *p == '\n' || *p == '\r' ? ' ' : *p, out );
		}
		fputc( '\n', out );
	}
	fputc( '\n', out );
}

static void PrintFrames( FILE* out, Feed* feed, uint64_t* seen )
{
	uint64_t first = feed->frameCount > KEPT_FRAMES ? feed->frameCount - KEPT_FRAMES : 0;
	for ( uint64_t i = *seen > first ? *seen : first; i < feed->frameCount; ++i )
	{
		const Frame* frame = feed->frames + i % KEPT_FRAMES;
		fprintf( out, "event: pose\ndata: %.6f ", frame->time );
		PrintBase64( out, (const uint8_t*)frame->numbers, (size_t)feed->poseCount * sizeof( float ) );
		fprintf( out, "\n\n" );
	}
	*seen = feed->frameCount;
}

static void WaitForNews( Feed* feed, const ServerReader* reader )
{
	struct timespec end;
	clock_gettime( CLOCK_REALTIME, &end );
	long nanoseconds = end.tv_nsec + WAIT_MILLISECONDS * 1000000L;
	end.tv_sec += nanoseconds / 1000000000L;
	end.tv_nsec = nanoseconds % 1000000000L;
	while ( reader->places[1] == feed->frameCount && reader->places[2] == feed->statusCount &&
			pthread_cond_timedwait( &feed->news, &feed->lock, &end ) == 0 )
	{
	}
}

// places: greeted, frames, statuses
static char* NextEvents( void* context, ServerReader* reader )
{
	Feed* feed = context;
	if ( atomic_load( &feed->stop ) )
	{
		return NULL;
	}
	char* text = NULL;
	size_t size = 0;
	FILE* out = open_memstream( &text, &size );
	if ( out == NULL )
	{
		return NULL;
	}
	pthread_mutex_lock( &feed->lock );
	if ( reader->places[0] == 0 )
	{
		PrintOptions( out, feed->settings );
		PrintNodes( out, feed->source.character );
		// from now on: what is past is of no use
		reader->places[0] = 1;
		reader->places[1] = feed->frameCount;
	}
	else
	{
		WaitForNews( feed, reader );
	}
	if ( reader->places[2] != feed->statusCount )
	{
		fprintf( out, "event: status\ndata: %s\n\n", feed->status );
		reader->places[2] = feed->statusCount;
	}
	PrintFrames( out, feed, &reader->places[1] );
	pthread_mutex_unlock( &feed->lock );
	bool ok = fclose( out ) == 0;
	char* result = ok ? supAlloc( size + 1 ) : NULL;
	if ( result != NULL )
	{
		memcpy( result, text, size );
		result[size] = 0;
	}
	free( text );
	return result;
}

static bool TakeOrder( void* context, const char* name )
{
	Feed* feed = context;
	if ( strcmp( name, "calibrate" ) != 0 )
	{
		return false;
	}
	pthread_mutex_lock( &feed->lock );
	bool done = supVmc_Calibrate( feed->vmc );
	pthread_mutex_unlock( &feed->lock );
	return done;
}

// ---------------------------------------------------------------------------------------------------------------------

static int OpenStream( Feed* feed )
{
	const LiveSettings* settings = feed->settings;
	supError error = { 0 };
	if ( settings->replay != NULL )
	{
		return supVmcLog_Load( &feed->log, settings->replay, &error ) ? exit_ok : ReportError( NULL, &error );
	}
	if ( settings->record != NULL && supVmcRecorder_Open( &feed->recorder, settings->record, &error ) == false )
	{
		return ReportError( NULL, &error );
	}
	feed->packet = supAlloc( SUP_MAX_OSC_BYTES );
	if ( feed->packet == NULL )
	{
		return ReportMemory();
	}
	const char* address = settings->address != NULL ? settings->address : "127.0.0.1";
	feed->isOpen = supVmcSocket_Open( &feed->socket, address, settings->port, &error );
	if ( feed->isOpen == false )
	{
		return ReportError( NULL, &error );
	}
	Note( "listening for VMC on %s port %d", address, feed->socket.port );
	return exit_ok;
}

// What the tracker moves: with the nodes of the file that the page opens.
static int OpenPerformer( Feed* feed, const char* file )
{
	const LiveSettings* settings = feed->settings;
	supError error = { 0 };
	int status = LoadSource( file, &feed->source );
	status = status == exit_ok ? EnsureDocument( &feed->source ) : status;
	if ( status != exit_ok )
	{
		return status;
	}
	if ( settings->map != NULL && ( feed->map = supLoadNameMap( settings->map, &error ) ) == NULL )
	{
		return ReportError( settings->map, &error );
	}
	supVmcDef def = { .inPlace = settings->inPlace };
	if ( feed->map != NULL )
	{
		def.pairCount = feed->map->pairCount;
		def.pairs = feed->map->pairs;
	}
	feed->vmc = supCreateVmc( feed->source.character, &def, &error );
	if ( feed->vmc == NULL )
	{
		return ReportError( file, &error );
	}
	feed->poseCount = CountNumbers( feed->source.character );
	for ( int32_t i = 0; i < KEPT_FRAMES; ++i )
	{
		feed->frames[i].numbers = supAllocArray( (size_t)feed->poseCount, sizeof( float ) );
		if ( feed->frames[i].numbers == NULL )
		{
			return ReportMemory();
		}
	}
	return exit_ok;
}

static int SaveRecord( Feed* feed )
{
	const LiveSettings* settings = feed->settings;
	if ( settings->record == NULL || feed->log.packetCount == 0 )
	{
		supVmcRecorder_Close( &feed->recorder, false );
		return exit_ok;
	}
	supError error = { 0 };
	int status = supVmcLog_Save( &feed->log, settings->record, &error ) ? exit_ok : ReportError( NULL, &error );
	// what could not be saved stays where it is
	supVmcRecorder_Close( &feed->recorder, status != exit_ok );
	return status;
}

static void CloseFeed( Feed* feed )
{
	if ( feed->isOpen )
	{
		supVmcSocket_Close( &feed->socket );
	}
	for ( int32_t i = 0; i < KEPT_FRAMES; ++i )
	{
		supFree( feed->frames[i].numbers );
	}
	supVmcRecorder_Close( &feed->recorder, feed->log.packetCount > 0 );
	supVmcLog_Free( &feed->log );
	supDestroyVmc( feed->vmc );
	supDestroyNameMap( feed->map );
	FreeSource( &feed->source );
	supFree( feed->packet );
	pthread_cond_destroy( &feed->news );
	pthread_mutex_destroy( &feed->lock );
	supFree( feed );
}

int RunLiveStudio( const LiveSettings* settings, const char* file )
{
	Feed* feed = supAllocZeroed( sizeof( Feed ) );
	if ( feed == NULL )
	{
		return ReportMemory();
	}
	feed->settings = settings;
	feed->recorder.file = -1;
	feed->told = -1.0;
	pthread_mutex_init( &feed->lock, NULL );
	pthread_cond_init( &feed->news, NULL );
	StudioPage page = { 0 };
	int status = OpenPerformer( feed, file );
	status = status == exit_ok ? OpenStudioPage( &settings->studio, file, &page ) : status;
	status = status == exit_ok ? OpenStream( feed ) : status;
	pthread_t thread;
	if ( status == exit_ok && pthread_create( &thread, NULL, settings->replay != NULL ? Replay : Listen, feed ) != 0 )
	{
		status = ReportMemory();
	}
	else if ( status == exit_ok )
	{
		const StudioExtra extra = { .context = feed, .streamName = "live", .next = NextEvents, .order = TakeOrder };
		status = ServeStudioPage( &page, file, &extra, settings->common.quiet );
		atomic_store( &feed->stop, true );
		pthread_join( thread, NULL );
		int saved = SaveRecord( feed );
		status = status == exit_ok ? saved : status;
	}
	CloseStudioPage( &page );
	CloseFeed( feed );
	return status;
}
