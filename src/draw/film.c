// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "draw/film.h"

#include "io/common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

struct supFilm
{
	char* path;
	char* beside; // what ffmpeg writes
	uint8_t* rows;
	int32_t width, height;
	int input;
	pid_t process;
};

static void FreeFilm( supFilm* film )
{
	supFree( film->path );
	supFree( film->beside );
	supFree( film->rows );
	supFree( film );
}

// "out.mp4" is written as "out.part.mp4": ffmpeg goes by the extension too.
static char* MakeBeside( const char* path )
{
	size_t length = strlen( path );
	const char* dot = strrchr( path, '.' );
	char* beside = supAllocSmall( length + 8 );
	if ( beside != NULL )
	{
		snprintf( beside, length + 8, "%.*s.part%s", (int)( dot - path ), path, dot );
	}
	return beside;
}

static bool Spawn( supFilm* film, const char* extension, float framesPerSecond, supError* error )
{
	char size[32], rate[32];
	snprintf( size, sizeof( size ), "%dx%d", film->width, film->height );
	snprintf( rate, sizeof( rate ), "%.6g", (double)framesPerSecond );
	const char* arguments[40] = { "ffmpeg", "-loglevel", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt",
								  "rgb24",  "-s",        size,    "-r",       rate, "-i", "pipe:0" };
	int n = 15;
	static const char* const mp4[] = { "-c:v",      "libx264",    "-crf",     "18",
									   "-preset",   "medium",     "-pix_fmt", "yuv420p",
									   "-movflags", "+faststart", "-vf",      "pad=ceil(iw/2)*2:ceil(ih/2)*2" };
	static const char* const webm[] = { "-c:v", "libvpx-vp9", "-crf", "28",       "-b:v",
										"0",    "-row-mt",    "1",    "-pix_fmt", "yuv420p" };
	static const char* const gif[] = { "-filter_complex",
									   "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=bayer" };
	const char* const* extra = strcmp( extension, ".mp4" ) == 0 ? mp4 : strcmp( extension, ".webm" ) == 0 ? webm : gif;
	int extraCount = extra == mp4 ? SUP_COUNT( mp4 ) : extra == webm ? SUP_COUNT( webm ) : SUP_COUNT( gif );
	for ( int i = 0; i < extraCount; ++i )
	{
		arguments[n++] = extra[i];
	}
	arguments[n++] = film->beside;
	arguments[n] = NULL;

	// a socket in place of a pipe: writing to a process that has died is then an error, not a signal
	int ends[2];
	if ( socketpair( AF_UNIX, SOCK_STREAM, 0, ends ) != 0 )
	{
		return supSetError( error, sup_errorWrite, film->path, "cannot start ffmpeg: %s", strerror( errno ) );
	}
	fcntl( ends[0], F_SETFD, FD_CLOEXEC );
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init( &actions );
	posix_spawn_file_actions_adddup2( &actions, ends[1], 0 );
	posix_spawn_file_actions_addclose( &actions, ends[1] );
	// posix_spawn leaves argv alone, whatever its type says
	char* argv[40];
	memcpy( argv, arguments, sizeof( argv ) );
	// a process group of its own: Ctrl-C is for the caller, which may decide to keep the film
	posix_spawnattr_t attributes;
	posix_spawnattr_init( &attributes );
	posix_spawnattr_setpgroup( &attributes, 0 );
	posix_spawnattr_setflags( &attributes, POSIX_SPAWN_SETPGROUP );
	int status = posix_spawnp( &film->process, "ffmpeg", &actions, &attributes, argv, environ );
	posix_spawnattr_destroy( &attributes );
	posix_spawn_file_actions_destroy( &actions );
	close( ends[1] );
	if ( status != 0 )
	{
		close( ends[0] );
		return supSetError(
			error, sup_errorNotFound, film->path,
			"cannot start ffmpeg, which films require (%s); install it (apt-get install ffmpeg) or write "
			".png",
			strerror( status ) );
	}
	film->input = ends[0];
	return true;
}

supFilm* supFilm_Open( const char* path, int32_t width, int32_t height, float framesPerSecond, supError* error )
{
	char extension[17];
	supGetExtension( path, extension );
	if ( strcmp( extension, ".mp4" ) != 0 && strcmp( extension, ".webm" ) != 0 && strcmp( extension, ".gif" ) != 0 )
	{
		supSetError( error, sup_errorArgument, path, "a film ends in .mp4, .webm or .gif" );
		return NULL;
	}
	supFilm* film = supAllocZeroed( sizeof( supFilm ) );
	if ( film == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	film->width = width;
	film->height = height;
	film->path = supCopyString( path );
	film->beside = MakeBeside( path );
	film->rows = supAllocArray( (size_t)width * (size_t)height, 3 );
	if ( film->path == NULL || film->beside == NULL || film->rows == NULL )
	{
		supSetMemoryError( error );
		FreeFilm( film );
		return NULL;
	}
	if ( Spawn( film, extension, framesPerSecond, error ) == false )
	{
		FreeFilm( film );
		return NULL;
	}
	return film;
}

bool supFilm_Add( supFilm* film, const supPicture* picture, supError* error )
{
	SUP_ASSERT( picture->width == film->width && picture->height == film->height );
	size_t count = (size_t)film->width * (size_t)film->height;
	for ( size_t i = 0; i < count; ++i )
	{
		memcpy( film->rows + 3 * i, picture->pixels + 4 * i, 3 );
	}
	size_t done = 0;
	while ( done < 3 * count )
	{
		ssize_t sent = send( film->input, film->rows + done, 3 * count - done, MSG_NOSIGNAL );
		if ( sent < 0 && errno != EINTR )
		{
			return supSetError( error, sup_errorWrite, film->path, "ffmpeg stopped in the middle of the film" );
		}
		done += sent > 0 ? (size_t)sent : 0;
	}
	return true;
}

bool supFilm_Close( supFilm* film, bool keep, supError* error )
{
	close( film->input );
	if ( keep == false )
	{
		kill( film->process, SIGKILL );
	}
	int status = 0;
	while ( waitpid( film->process, &status, 0 ) < 0 && errno == EINTR )
	{
	}
	bool ok = WIFEXITED( status ) && WEXITSTATUS( status ) == 0;
	if ( keep && ok == false )
	{
		supSetError( error, sup_errorWrite, film->path, "ffmpeg could not write the film" );
	}
	if ( keep && ok && rename( film->beside, film->path ) != 0 )
	{
		ok = supSetError( error, sup_errorWrite, film->path, "cannot write here: %s", strerror( errno ) );
	}
	if ( keep == false || ok == false )
	{
		remove( film->beside );
	}
	FreeFilm( film );
	return ok;
}
