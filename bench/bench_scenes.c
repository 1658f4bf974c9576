// SPDX-License-Identifier: MIT
// Scene files as `supple` plays them: set-up, and milliseconds a substep over the whole film, of it attachments, on 1
// and 2 threads. Run it in the repository's root; scenes may be named on the command line after the CSV file.
#include "bench.h"

#include "show.h"

static void Report( FILE* csv, const char* what, const char* scene, int threads, double value )
{
	char text[256];
	snprintf( text, sizeof( text ), "%s %s", what, scene );
	benchWriteCsv( csv, "scenes", text, threads, value, "ms" );
}

static void Measure( FILE* csv, const char* scene, int threads )
{
	static const Command command = { .name = "bench_scenes" };
	char path[256];
	snprintf( path, sizeof( path ), "scenes/%s.json", scene );
	supThreadPool* pool = supCreateThreadPool( threads );
	Show show = { 0 };
	double start = benchNow();
	if ( OpenShow( &command, path, NULL, 0, false, supThreadPool_Tasks( pool ), &show ) != exit_ok ||
		 BeginShow( &show ) != exit_ok )
	{
		exit( 1 );
	}
	double setUp = 1e3 * ( benchNow() - start );
	float dt = 1.0f / show.file.framesPerSecond;
	int32_t frames = (int32_t)( show.file.duration / dt );
	double* times = malloc( (size_t)frames * sizeof( double ) );
	double total = 0.0, busy = benchProcessorNow();
	for ( int32_t i = 0; i < frames; ++i )
	{
		start = benchNow();
		AdvanceShow( &show, dt );
		times[i] = 1e3 * ( benchNow() - start ) / show.file.substeps;
		total += times[i];
	}
	busy = 1e3 * ( benchProcessorNow() - busy );
	supPhaseTimes phases = supScene_GetStats( show.scene ).milliseconds;
	double substeps = (double)frames * show.file.substeps, median = benchMedian( times, frames );
	double mean = total / frames, attachments = phases.attachments / substeps;
	printf( "%-18s %7d  %8.1f  %8.3f %8.3f %8.3f %8.3f  %9.3f %8.3f  %9.3f\n", scene, threads, setUp, times[0], median,
			mean, times[frames - 1], attachments, phases.predict / substeps, busy / substeps );
	Report( csv, "set-up", scene, threads, setUp );
	Report( csv, "substep", scene, threads, median );
	Report( csv, "shortest substep", scene, threads, times[0] );
	Report( csv, "attachments", scene, threads, attachments );
	Report( csv, "substep, processor", scene, threads, busy / substeps );
	free( times );
	CloseShow( &show );
	supDestroyThreadPool( pool );
}

int main( int argumentCount, char** arguments )
{
	static const char* const scenes[] = { "cube_wall", "net_to_bridge", "robot_on_ropes" };
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	printf( "scene files, milliseconds a substep\n" );
	printf(
		"scene              threads    set-up  shortest  median     mean  longest   attach.  predict  processor\n" );
	int count = argumentCount > 2 ? argumentCount - 2 : (int)( sizeof( scenes ) / sizeof( scenes[0] ) );
	for ( int i = 0; i < count; ++i )
	{
		for ( int threads = 1; threads <= 2; ++threads )
		{
			Measure( csv, argumentCount > 2 ? arguments[i + 2] : scenes[i], threads );
		}
	}
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
