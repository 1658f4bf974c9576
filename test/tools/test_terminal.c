// SPDX-License-Identifier: MIT
// The progress line, on a pseudo terminal.
#define _GNU_SOURCE
#include "support.h"

#include "report.h"
#include "terminal.h"
#include "text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

typedef struct Terminal
{
	int master;
	FILE* stream;
	char seen[8192];
} Terminal;

static void OpenTerminal( Terminal* terminal, unsigned short columns )
{
	terminal->master = posix_openpt( O_RDWR | O_NOCTTY );
	testGreaterEqual( terminal->master, 0 );
	assert_int_equal( grantpt( terminal->master ), 0 );
	assert_int_equal( unlockpt( terminal->master ), 0 );
	terminal->stream = fopen( ptsname( terminal->master ), "w" );
	assert_non_null( terminal->stream );
	struct winsize size = { .ws_col = columns, .ws_row = 24 };
	assert_int_equal( ioctl( terminal->master, TIOCSWINSZ, &size ), 0 );
	setenv( "TERM", "xterm", 1 );
	unsetenv( "NO_COLOR" );
}

static const char* ReadTerminal( Terminal* terminal )
{
	fflush( terminal->stream );
	fcntl( terminal->master, F_SETFL, O_NONBLOCK );
	ssize_t count = read( terminal->master, terminal->seen, sizeof( terminal->seen ) - 1 );
	terminal->seen[count > 0 ? count : 0] = 0;
	return terminal->seen;
}

static void CloseTerminal( Terminal* terminal )
{
	fclose( terminal->stream );
	close( terminal->master );
}

static void TestShownAfterAWhile( void** state )
{
	(void)state;
	Terminal terminal;
	OpenTerminal( &terminal, 80 );
	Progress progress;
	BeginProgress( &progress, terminal.stream, "adding motions" );
	UpdateProgress( &progress, 1, 4, "walk.bvh" );
	assert_string_equal( ReadTerminal( &terminal ), "" );
	// ten seconds later
	progress.started -= 10.0;
	UpdateProgress( &progress, 1, 4, "walk.bvh" );
	assert_string_equal( ReadTerminal( &terminal ),
						 "\r\033[Kadding motions  [#####---------------]  25%  0:30 left  walk.bvh" );
	// not drawn again at once
	UpdateProgress( &progress, 2, 4, "run.bvh" );
	assert_string_equal( ReadTerminal( &terminal ), "" );
	progress.drawn -= 1.0;
	UpdateProgress( &progress, 4, 4, "run.bvh" );
	assert_non_null( strstr( ReadTerminal( &terminal ), "[####################] 100%  0:00 left" ) );
	EndProgress( &progress );
	assert_string_equal( ReadTerminal( &terminal ), "\r\033[K" );
	CloseTerminal( &terminal );
}

static void TestFitsTheTerminal( void** state )
{
	(void)state;
	for ( unsigned short columns = 2; columns < 90; ++columns )
	{
		Terminal terminal;
		OpenTerminal( &terminal, columns );
		Progress progress;
		BeginProgress( &progress, terminal.stream, "adding motions" );
		progress.started -= 4000.0;
		UpdateProgress( &progress, 1, 3, "a \xE6\xBC\xA2\xE5\xAD\x97 very\n long name.bvh" );
		const char* seen = ReadTerminal( &terminal );
		assert_memory_equal( seen, "\r\033[K", 4 );
		testLess( MeasureText( seen + 4 ), columns );
		assert_null( strchr( seen, '\n' ) );
		EndProgress( &progress );
		CloseTerminal( &terminal );
	}
}

static void TestKeptBack( void** state )
{
	(void)state;
	Terminal terminal;
	Progress progress;
	// not on a dumb terminal
	OpenTerminal( &terminal, 80 );
	setenv( "TERM", "dumb", 1 );
	BeginProgress( &progress, terminal.stream, "x" );
	progress.started -= 10.0;
	UpdateProgress( &progress, 1, 2, NULL );
	EndProgress( &progress );
	assert_string_equal( ReadTerminal( &terminal ), "" );
	// nor with --quiet
	setenv( "TERM", "xterm", 1 );
	SetQuiet( true );
	BeginProgress( &progress, terminal.stream, "x" );
	progress.started -= 10.0;
	UpdateProgress( &progress, 1, 2, NULL );
	EndProgress( &progress );
	SetQuiet( false );
	assert_string_equal( ReadTerminal( &terminal ), "" );
	CloseTerminal( &terminal );
	// nor in a file
	FILE* file = tmpfile();
	assert_non_null( file );
	BeginProgress( &progress, file, "x" );
	progress.started -= 10.0;
	UpdateProgress( &progress, 1, 2, NULL );
	EndProgress( &progress );
	assert_int_equal( ftell( file ), 0 );
	assert_false( HasColor( file ) );
	fclose( file );
}

static void TestAbsurdCounts( void** state )
{
	(void)state;
	Terminal terminal;
	OpenTerminal( &terminal, 120 );
	Progress progress;
	static const int64_t counts[][2] = { { 0, 0 }, { -1, 5 }, { 9, 5 }, { INT64_MAX, 1 }, { 1, INT64_MAX } };
	for ( size_t i = 0; i < sizeof( counts ) / sizeof( counts[0] ); ++i )
	{
		BeginProgress( &progress, terminal.stream, "x" );
		progress.started -= 1e6;
		UpdateProgress( &progress, counts[i][0], counts[i][1], NULL );
		assert_non_null( strstr( ReadTerminal( &terminal ), "%" ) );
		EndProgress( &progress );
		ReadTerminal( &terminal );
	}
	CloseTerminal( &terminal );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestShownAfterAWhile ),
		cmocka_unit_test( TestFitsTheTerminal ),
		cmocka_unit_test( TestKeptBack ),
		cmocka_unit_test( TestAbsurdCounts ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
