// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "terminal.h"

#include "report.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static bool IsLiveTerminal( FILE* stream )
{
	const char* terminal = getenv( "TERM" );
	return isatty( fileno( stream ) ) && terminal != NULL && strcmp( terminal, "dumb" ) != 0;
}

bool HasColor( FILE* stream )
{
	const char* refused = getenv( "NO_COLOR" );
	return ( refused == NULL || refused[0] == 0 ) && IsLiveTerminal( stream );
}

const char* BeginStyle( FILE* stream, Style style )
{
	static const char* const codes[] = {
		[style_plain] = "",          [style_title] = "\033[1m", [style_error] = "\033[1;31m",
		[style_note] = "\033[1;33m", [style_good] = "\033[32m", [style_faint] = "\033[2m",
	};
	return HasColor( stream ) ? codes[style] : "";
}

const char* EndStyle( FILE* stream )
{
	return HasColor( stream ) ? "\033[0m" : "";
}

// ---------------------------------------------------------------------------------------------------------------------
// Progress

#define SHOW_AFTER 0.5
#define DRAW_EVERY 0.1

static Progress* s_progress;
static HideFcn* s_hide;
static void* s_hideContext;

double GetSeconds( void )
{
	struct timespec now;
	clock_gettime( CLOCK_MONOTONIC, &now );
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

TerminalSize GetTerminalSize( FILE* stream )
{
	struct winsize size;
	bool known = ioctl( fileno( stream ), TIOCGWINSZ, &size ) == 0;
	return ( TerminalSize ){ known && size.ws_col > 0 ? size.ws_col : 80, known && size.ws_row > 0 ? size.ws_row : 24 };
}

void BeginProgress( Progress* progress, FILE* stream, const char* label )
{
	*progress = ( Progress ){ .stream = IsQuiet() == false && IsLiveTerminal( stream ) ? stream : NULL };
	snprintf( progress->label, sizeof( progress->label ), "%s", label );
	progress->started = GetSeconds();
	s_progress = progress;
}

static void FormatTime( double seconds, char* buffer, size_t capacity )
{
	int64_t whole = seconds < 1e9 ? (int64_t)( seconds + 0.5 ) : 1000000000;
	if ( whole < 3600 )
	{
		snprintf( buffer, capacity, "%d:%02d", (int)( whole / 60 ), (int)( whole % 60 ) );
	}
	else
	{
		snprintf( buffer, capacity, "%d:%02d:%02d", (int)( whole / 3600 ), (int)( whole / 60 % 60 ),
				  (int)( whole % 60 ) );
	}
}

// "converting  [##########----------]  50%  0:12 left  walk.bvh", never wider than the terminal.
static void DrawProgress( const Progress* progress, double fraction, double elapsed, const char* item )
{
	enum
	{
		barColumns = 20
	};
	char bar[barColumns + 1];
	int filled = (int)( fraction * barColumns );
	memset( bar, '-', barColumns );
	memset( bar, '#', (size_t)filled );
	bar[barColumns] = 0;
	char left[32] = "";
	if ( fraction > 0.0 )
	{
		char time[24];
		FormatTime( elapsed * ( 1.0 - fraction ) / fraction, time, sizeof( time ) );
		snprintf( left, sizeof( left ), "  %s left", time );
	}
	char line[512];
	snprintf( line, sizeof( line ), "%s  [%s] %3d%%%s  %.200s", progress->label, bar, (int)( 100.0 * fraction ), left,
			  item != NULL ? item : "" );
	char clean[1024];
	// the last column stays free: some terminals wrap when it is written
	CleanText( line, GetTerminalSize( progress->stream ).columns - 1, clean, sizeof( clean ) );
	fprintf( progress->stream, "\r\033[K%s", clean );
	fflush( progress->stream );
}

void UpdateProgress( Progress* progress, int64_t done, int64_t total, const char* item )
{
	double now = GetSeconds();
	bool due = now - progress->started >= SHOW_AFTER && now - progress->drawn >= DRAW_EVERY;
	if ( progress->stream == NULL || due == false )
	{
		return;
	}
	double fraction = total > 0 ? (double)done / (double)total : 0.0;
	fraction = fraction < 0.0 ? 0.0 : fraction > 1.0 ? 1.0 : fraction;
	DrawProgress( progress, fraction, now - progress->started, item );
	progress->drawn = now;
	progress->visible = true;
}

void SetHide( HideFcn* hide, void* context )
{
	s_hide = hide;
	s_hideContext = context;
}

void HideProgress( void )
{
	if ( s_hide != NULL )
	{
		s_hide( s_hideContext );
	}
	if ( s_progress != NULL && s_progress->visible )
	{
		fprintf( s_progress->stream, "\r\033[K" );
		fflush( s_progress->stream );
		s_progress->visible = false;
		s_progress->drawn = 0.0;
	}
}

void EndProgress( Progress* progress )
{
	if ( s_progress == progress )
	{
		HideProgress();
		s_progress = NULL;
	}
}
