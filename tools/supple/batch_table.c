// SPDX-License-Identifier: MIT
// What the user sees of a batch while it runs: a table on a terminal, one line per job elsewhere, JSON lines for
// programs.
#define _DEFAULT_SOURCE
#include "batch.h"
#include "report.h"
#include "text.h"

#include <stdlib.h>
#include <unistd.h>

#define DRAW_EVERY 0.2
#define MOST_ROWS 16
#define BAR_COLUMNS 30
#define LEAST_BAR_COLUMNS 5

static void ClearTable( void* context )
{
	BatchTable* table = context;
	if ( table->drawnLines > 0 )
	{
		printf( "\r\033[%dA\033[J", table->drawnLines );
		fflush( stdout );
		table->drawnLines = 0;
	}
}

void BeginTable( BatchTable* table, const CommonSettings* common )
{
	const char* terminal = getenv( "TERM" );
	bool isLive = isatty( STDOUT_FILENO ) && terminal != NULL && strcmp( terminal, "dumb" ) != 0 &&
				  common->json == false && common->quiet == false;
	*table = ( BatchTable ){ .common = common, .isLive = isLive, .started = GetSeconds() };
	// messages go above the table
	SetHide( isLive ? ClearTable : NULL, table );
}

static void PrintEvent( const BatchJob* job, const JobRecord* record, const TableCounts* counts )
{
	json_t* event = json_object();
	json_object_set_new( event, "event", json_string( record->done ? "done" : "failed" ) );
	json_object_set_new( event, "output", json_string( job->name ) );
	json_object_set_new( event, "character", json_string( job->character ) );
	json_object_set_new( event, "clip", json_string( job->clip ) );
	if ( record->done )
	{
		json_object_set_new( event, "seconds", json_real( (double)record->seconds ) );
		json_object_set_new( event, "verdict", json_string( record->verdict ) );
	}
	else
	{
		json_object_set_new( event, "reason", json_string( record->reason ) );
		json_object_set_new( event, "log", json_string( record->log ) );
	}
	json_object_set_new( event, "jobs", json_integer( counts->total ) );
	json_object_set_new( event, "jobs_done", json_integer( counts->done ) );
	json_object_set_new( event, "jobs_failed", json_integer( counts->failed ) );
	char* text = json_dumps( event, JSON_COMPACT | JSON_REAL_PRECISION( 6 ) );
	printf( "%s\n", text != NULL ? text : "{}" );
	fflush( stdout );
	supFree( text );
	json_decref( event );
}

void ShowJob( BatchTable* table, const BatchJob* job, const JobRecord* record, const TableCounts* counts )
{
	char name[512], reason[2048];
	if ( table->common->json )
	{
		PrintEvent( job, record, counts );
		return;
	}
	ClearTable( table );
	CleanText( job->name, 0, name, sizeof( name ) );
	if ( record->done == false )
	{
		CleanText( record->reason != NULL ? record->reason : "", 0, reason, sizeof( reason ) );
		fflush( stdout );
		Report( name, "failed: %s", reason );
	}
	else if ( table->common->quiet == false && table->isLive == false )
	{
		printf( "[%d/%d] %s: %d frames in %.2f s\n", counts->done + counts->failed, counts->total, name, record->frames,
				(double)record->seconds );
		fflush( stdout );
	}
}

static void FormatTime( double seconds, char text[32] )
{
	int64_t whole = seconds < 1e9 ? (int64_t)( seconds + 0.5 ) : 1000000000;
	snprintf( text, 32, "%d:%02d:%02d", (int)( whole / 3600 ), (int)( whole / 60 % 60 ), (int)( whole % 60 ) );
}

// One line of the table, never wider than the terminal: a wrapped one would not be cleared.
static void PrintRow( BatchTable* table, const char* line, TerminalSize size )
{
	char clean[512];
	// some terminals wrap when the last column is written
	printf( "%s\n", CleanText( line, size.columns - 1, clean, sizeof( clean ) ) );
	table->drawnLines += 1;
}

// As wide as the terminal leaves it; nothing where that is too little to be read.
static void MakeBar( double fraction, int columns, char bar[BAR_COLUMNS + 4] )
{
	columns = columns < BAR_COLUMNS ? columns : BAR_COLUMNS;
	bar[0] = 0;
	if ( columns >= LEAST_BAR_COLUMNS )
	{
		bar[0] = '[';
		memset( bar + 1, '-', (size_t)columns );
		memset( bar + 1, '#', (size_t)( fraction * columns ) );
		memcpy( bar + 1 + columns, "] ", 3 );
	}
}

static void DrawSummary( BatchTable* table, const TableCounts* counts, TerminalSize size )
{
	double elapsed = GetSeconds() - table->started;
	double rate = counts->endedHere > 0 && elapsed > 0.0 ? counts->endedHere / elapsed : 0.0;
	int32_t ended = counts->done + counts->failed;
	char bar[BAR_COLUMNS + 4], left[32] = "?", passed[32], text[128], line[256];
	int length = snprintf( text, sizeof( text ), "%d of %d done, %d failed, %d elsewhere", counts->done, counts->total,
						   counts->failed, counts->elsewhere );
	MakeBar( (double)ended / ( counts->total > 0 ? counts->total : 1 ), size.columns - length - 4, bar );
	if ( rate > 0.0 )
	{
		FormatTime( ( counts->total - ended ) / rate, left );
	}
	FormatTime( elapsed, passed );
	printf( "%s", counts->failed > 0 ? BeginStyle( stdout, style_error ) : "" );
	snprintf( line, sizeof( line ), "%s%s", bar, text );
	PrintRow( table, line, size );
	printf( "%s", counts->failed > 0 ? EndStyle( stdout ) : "" );
	snprintf( line, sizeof( line ), "  %.1f jobs/min, %s passed, %s left", 60.0 * rate, passed, left );
	PrintRow( table, line, size );
}

static void DrawTable( BatchTable* table, const TableRow* rows, int32_t rowCount, const TableCounts* counts )
{
	TerminalSize size = GetTerminalSize( stdout );
	// the summary, the line below the last row, and one that says how many there are more
	int32_t most = size.rows - 4 < MOST_ROWS ? size.rows - 4 : MOST_ROWS;
	char line[512];
	ClearTable( table );
	DrawSummary( table, counts, size );
	for ( int32_t i = 0; i < rowCount && i < most; ++i )
	{
		snprintf( line, sizeof( line ), "  %6.1f s  %-14s  %.400s", GetSeconds() - rows[i].started, rows[i].doing,
				  rows[i].name );
		PrintRow( table, line, size );
	}
	if ( rowCount > most )
	{
		snprintf( line, sizeof( line ), "  and %d more", rowCount - ( most > 0 ? most : 0 ) );
		PrintRow( table, line, size );
	}
	fflush( stdout );
}

void UpdateTable( BatchTable* table, const TableRow* rows, int32_t rowCount, const TableCounts* counts )
{
	double now = GetSeconds();
	if ( table->isLive && ( now - table->drawn > DRAW_EVERY || table->drawnLines == 0 ) )
	{
		table->drawn = now;
		DrawTable( table, rows, rowCount, counts );
	}
}

void EndTable( BatchTable* table )
{
	ClearTable( table );
	SetHide( NULL, NULL );
	fflush( stdout );
}
