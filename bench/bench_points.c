// SPDX-License-Identifier: MIT
// Figure 2 of the paper on local constraints: walls of 100 to 9990 soft cubes, nailed and joined, each as a scene file
// that `supple` plays. Set-up from opening the file on, and milliseconds a substep (Verlet), of it attachments, on 1
// and 2 threads.
#define _GNU_SOURCE // mkstemps

#include "bench.h"

#include "show.h"

#include <unistd.h>

#define ROWS 10
#define ROUNDS 9
#define SECONDS 0.1
#define SUBSTEPS 16
#define FRAMES_PER_SECOND 60

static void WriteScene( const char* path, int32_t cubes )
{
	FILE* file = fopen( path, "w" );
	if ( file == NULL )
	{
		fprintf( stderr, "%s cannot be written\n", path );
		exit( 1 );
	}
	fprintf(
		file,
		"{ \"supple_scene\": 1, \"name\": \"Wall\", \"duration\": 1000, \"fps\": %d, \"substeps\": %d,\n"
		"\"actors\": [ { \"name\": \"wall\", \"prop\": { \"kind\": \"wall\", \"columns\": %d, \"rows\": %d, \"size\": 0.1,"
		" \"welded\": false }, \"method\": \"points:integrator=verlet,stretch=200000,damping=0.001\" } ],\n"
		"\"attachments\": [ { \"name\": \"top\", \"kind\": \"nails\", \"actor\": \"wall\" },"
		" { \"name\": \"joints\", \"kind\": \"joints\", \"actor\": \"wall\" } ] }\n",
		FRAMES_PER_SECOND, SUBSTEPS, cubes / ROWS, ROWS );
	fclose( file );
}

static void Step( void* context )
{
	AdvanceShow( context, 1.0f / FRAMES_PER_SECOND );
}

static void Report( FILE* csv, const char* name, int32_t cubes, int threads, double value )
{
	char text[64];
	snprintf( text, sizeof( text ), "%s %d cubes", name, cubes );
	benchWriteCsv( csv, "points", text, threads, value, "ms" );
}

// From the paper: a step, an Intel Pentium 4 of 3.4 GHz, milliseconds.
static double PaperStep( int32_t cubes )
{
	return cubes == 790 ? 12.0 : ( cubes == 2990 ? 46.15 : 0.0 );
}

// Processor time: what the curves say then depends little on who else is at work.
static void Plot( FILE* csv, int32_t cubes, int32_t constraints, double setUp, double step )
{
	const char* plot = "points_constraints";
	benchWritePoint( csv, "points_set_up", "set-up", 1, constraints, "constraints", setUp, "ms" );
	benchWritePoint( csv, plot, "a substep", 1, constraints, "constraints", step, "ms" );
	if ( PaperStep( cubes ) > 0.0 )
	{
		benchWritePoint( csv, plot, "the paper, a step", 1, constraints, "constraints", PaperStep( cubes ), "ms" );
	}
}

static void Measure( FILE* csv, const char* path, int32_t cubes, int threads )
{
	static const Command command = { .name = "bench_points" };
	supThreadPool* pool = supCreateThreadPool( threads );
	Show show = { 0 };
	WriteScene( path, cubes );
	double start = benchNow(), busy = benchProcessorNow();
	if ( OpenShow( &command, path, NULL, 0, false, supThreadPool_Tasks( pool ), &show ) != exit_ok ||
		 BeginShow( &show ) != exit_ok )
	{
		exit( 1 );
	}
	// the first step finds what is joined to what
	Step( &show );
	double setUp = 1e3 * ( benchNow() - start ), busySetUp = 1e3 * ( benchProcessorNow() - busy );
	// hanging, so that the attachments have something to do
	for ( int i = 0; i < 5; ++i )
	{
		Step( &show );
	}
	supSceneStats before = supScene_GetStats( show.scene );
	busy = benchProcessorNow();
	double step = 1e3 / SUBSTEPS * benchTime( Step, &show, ROUNDS, SECONDS );
	supSceneStats after = supScene_GetStats( show.scene );
	double substeps = SUBSTEPS * (double)( after.steps - before.steps );
	busy = 1e3 * ( benchProcessorNow() - busy ) / substeps;
	double attachments = ( after.milliseconds.attachments - before.milliseconds.attachments ) / substeps;
	if ( after.trouble.unstable > 0 )
	{
		fprintf( stderr, "the step is too long\n" );
		exit( 1 );
	}
	printf( "%6d %7d %11d %7d  %8.1f %8.1f  %8.4f %8.4f %8.4f  %8.2f\n", cubes, 5 * cubes, show.attachmentCount,
			threads, setUp, busySetUp, attachments, step, busy, PaperStep( cubes ) );
	Report( csv, "set-up", cubes, threads, setUp );
	Report( csv, "attachments", cubes, threads, attachments );
	Report( csv, "substep", cubes, threads, step );
	Report( csv, "set-up, processor", cubes, threads, busySetUp );
	Report( csv, "substep, processor", cubes, threads, busy );
	if ( threads == 1 )
	{
		Plot( csv, cubes, show.attachmentCount, busySetUp, busy );
	}
	CloseShow( &show );
	supDestroyThreadPool( pool );
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	static const int32_t sizes[] = { 100, 790, 2990, 6000, 9990 };
	char path[] = "/tmp/bench_points_XXXXXX.json";
	int descriptor = mkstemps( path, 5 );
	if ( descriptor < 0 )
	{
		fprintf( stderr, "%s cannot be written\n", path );
		return 1;
	}
	close( descriptor );
	printf( "walls of cubes as scene files, milliseconds\n" );
	printf( " cubes    tets constraints threads    set-up processor attach.  substep processor  paper, a step\n" );
	for ( size_t i = 0; i < sizeof( sizes ) / sizeof( sizes[0] ); ++i )
	{
		for ( int threads = 1; threads <= 2; ++threads )
		{
			Measure( csv, path, sizes[i], threads );
		}
	}
	remove( path );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
