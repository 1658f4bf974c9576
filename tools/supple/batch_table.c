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

void BeginTable( BatchTable* table, const CommonSettings* common )
{
	const char* terminal = getenv( "TERM" );
	bool isLive = isatty( STDOUT_FILENO ) && terminal != NULL && strcmp( terminal, "dumb" ) != 0 &&
				  common->json == false && common->quiet == false;
	*table = ( BatchTable ){ .common = common, .isLive = isLive, .started = GetSeconds() };
}

static void ClearTable( BatchTable* table )
{
	if ( table->drawnLines > 0 )
	{
		printf( "\r\033[%dA\033[J", table->drawnLines );
		table->drawnLines = 0;
	}
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
	char name[512], reason[512];
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

static void FormatLeft( double seconds, char text[32] )
{
	int64_t whole = seconds < 1e9 ? (int64_t)( seconds + 0.5 ) : 1000000000;
	snprintf( text, 32, "%d:%02d:%02d", (int)( whole / 3600 ), (int)( whole / 60 % 60 ), (int)( whole % 60 ) );
}

static void DrawTable( BatchTable* table, const TableRow* rows, int32_t rowCount, const TableCounts* counts )
{
	double elapsed = GetSeconds() - table->started;
	double rate = counts->endedHere > 0 && elapsed > 0.0 ? counts->endedHere / elapsed : 0.0;
	int32_t open = counts->total - counts->done - counts->failed;
	char bar[31] = "", left[32] = "?";
	memset( bar, '-', 30 );
	memset( bar, '#', (size_t)( 30.0 * ( counts->total - open ) / ( counts->total > 0 ? counts->total : 1 ) ) );
	if ( rate > 0.0 )
	{
		FormatLeft( open / rate, left );
	}
	ClearTable( table );
	printf( "[%s] %d of %d done, %s%d failed%s, %d elsewhere, %.1f jobs/min, %s left\n", bar, counts->done,
			counts->total, counts->failed > 0 ? BeginStyle( stdout, style_error ) : "", counts->failed,
			counts->failed > 0 ? EndStyle( stdout ) : "", counts->elsewhere, 60.0 * rate, left );
	table->drawnLines = 1;
	for ( int32_t i = 0; i < rowCount && i < MOST_ROWS; ++i )
	{
		char name[256];
		printf( "  %6.1f s  %-15s %s\n", GetSeconds() - rows[i].started, rows[i].doing,
				CleanText( rows[i].name, 50, name, sizeof( name ) ) );
		table->drawnLines += 1;
	}
	if ( rowCount > MOST_ROWS )
	{
		printf( "  and %d more\n", rowCount - MOST_ROWS );
		table->drawnLines += 1;
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
	fflush( stdout );
}
