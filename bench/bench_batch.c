// SPDX-License-Identifier: MIT
// bench_batch [RESULTS.csv]: what supple batch adds to the bakes that it runs, driving the program itself.
//
// - overhead: 1,000 clips of 1 s: the small built-in characters x clips x methods, again and again with another
//   pre-roll; one worker. Time of the process less that of baking and of building flesh, as a share of baking; and the
//   same in seconds of processors, which other programs on the machine hardly change. BATCH_JOBS says how many clips,
//   BATCH_MODELS of how many characters (2: the tubes, whose bakes are so short that the batch counts most).
// - throughput: the same with two workers against one
// - restart: 10,000 jobs of one frame, done; then the same command again
// - kills: BATCH_KILLS (0; 100 for the whole) x kill -9, by test/tools/cli_batch_kill.sh
#define _DEFAULT_SOURCE
#include "bench.h"

#include "models/models.h"
#include "supple/supple.h"

#include <limits.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_LINE 4096
#define JOBS 1000
#define RESTART_JOBS 10000
// the tubes, first in the list: bakes so short that the batch counts most
#define SMALL_MODELS 2

static char s_program[PATH_MAX];
static char s_folder[] = "/tmp/supple-bench-batch-XXXXXX";

static int GetNumber( const char* name, int otherwise )
{
	const char* text = getenv( name );
	return text != NULL ? atoi( text ) : otherwise;
}

// The program lies beside the folder of the benches.
static void FindProgram( void )
{
	char self[PATH_MAX];
	ssize_t length = readlink( "/proc/self/exe", self, sizeof( self ) - 1 );
	self[length > 0 ? length : 0] = 0;
	for ( int i = 0; i < 2; ++i )
	{
		char* slash = strrchr( self, '/' );
		*( slash != NULL ? slash : self ) = 0;
	}
	snprintf( s_program, sizeof( s_program ), "%.4000s/supple", self );
}

typedef struct Run
{
	double wall, baking, building;
	double processor, bakingProcessor, buildingProcessor;
	int done;
} Run;

static double FindNumber( const char* line, const char* key )
{
	const char* at = strstr( line, key );
	return at != NULL ? atof( at + strlen( key ) + 2 ) : 0.0;
}

// Of all child processes that have ended.
static double GetProcessorSeconds( void )
{
	struct rusage usage;
	getrusage( RUSAGE_CHILDREN, &usage );
	return (double)( usage.ru_utime.tv_sec + usage.ru_stime.tv_sec ) +
		   1e-6 * (double)( usage.ru_utime.tv_usec + usage.ru_stime.tv_usec );
}

// Runs a batch and reads its last line.
static Run RunBatch( const char* manifest, const char* output, int workers )
{
	char command[3 * PATH_MAX], line[MOST_LINE], last[MOST_LINE] = "";
	snprintf( command, sizeof( command ), "'%.4000s' batch '%s/%s' -o '%s/%s' --workers %d --json", s_program, s_folder,
			  manifest, s_folder, output, workers );
	double start = benchNow(), processor = GetProcessorSeconds();
	FILE* stream = popen( command, "r" );
	while ( stream != NULL && fgets( line, sizeof( line ), stream ) != NULL )
	{
		memcpy( last, line, sizeof( last ) );
	}
	int status = stream != NULL ? pclose( stream ) : 1;
	Run run = { .wall = benchNow() - start,
				.baking = FindNumber( last, "baking_seconds" ),
				.building = FindNumber( last, "building_seconds" ),
				.processor = GetProcessorSeconds() - processor,
				.bakingProcessor = FindNumber( last, "baking_processor_seconds" ),
				.buildingProcessor = FindNumber( last, "building_processor_seconds" ),
				.done = (int)FindNumber( last, "jobs_done" ) };
	if ( status != 0 )
	{
		fprintf( stderr, "bench_batch: the batch failed: %s\n", command );
		exit( 1 );
	}
	return run;
}

// `count` jobs: all clips of one character with one method after another, again with another pre-roll when all are
// through.
static void WriteManifest( const char* name, int count, int models )
{
	static const char* const methods[] = { "position", "lattice", "points", "fem", "layered", "lbs", "dqs" };
	enum
	{
		methodCount = sizeof( methods ) / sizeof( methods[0] )
	};
	char path[PATH_MAX];
	snprintf( path, sizeof( path ), "%s/%s", s_folder, name );
	FILE* file = fopen( path, "w" );
	int clipCounts[64] = { 0 };
	models = models < 64 ? models : 64;
	for ( int m = 0; m < models; ++m )
	{
		supError error = { 0 };
		supCharacter* character = supGetModel( m )->create( &error );
		benchRequire( character != NULL, &error );
		clipCounts[m] = supCharacter_ClipCount( character );
		supDestroyCharacter( character );
	}
	int written = 0;
	for ( int n = 0; file != NULL && written < count; ++n )
	{
		int pair = n % ( models * methodCount ), round = n / ( models * methodCount ), model = pair / methodCount;
		for ( int clip = 0; clip < clipCounts[model] && written < count; ++clip, ++written )
		{
			fprintf( file,
					 "{\"character\":\"builtin:%s\",\"clip\":\"#%d\",\"method\":\"%s\",\"to\":1,\"preroll\":%g,"
					 "\"output\":\"%d.glb\"}\n",
					 supGetModel( model )->name, clip, methods[pair % methodCount], 0.01 * round, written );
		}
	}
	if ( file != NULL )
	{
		fclose( file );
	}
}

static void MeasureOverhead( FILE* csv )
{
	int jobs = GetNumber( "BATCH_JOBS", JOBS );
	int models = GetNumber( "BATCH_MODELS", SMALL_MODELS );
	models = models < supGetModelCount() ? models : supGetModelCount();
	WriteManifest( "all.jsonl", jobs, models );
	Run one = RunBatch( "all.jsonl", "one", 1 );
	double overhead = 100.0 * ( one.wall - one.baking - one.building ) / one.baking;
	double added = 100.0 * ( one.processor - one.bakingProcessor - one.buildingProcessor ) / one.bakingProcessor;
	printf( "%d clips of 1 s (%d built-in characters), one worker: %.2f s, of it baking %.2f, building flesh %.2f; "
			"overhead %.2f %% of the bakes\n",
			one.done, models, one.wall, one.baking, one.building, overhead );
	printf( "processors: %.2f s, of it baking %.2f, building flesh %.2f; overhead %.2f %% of the bakes\n",
			one.processor, one.bakingProcessor, one.buildingProcessor, added );
	Run two = RunBatch( "all.jsonl", "two", 2 );
	printf( "two workers: %.2f s, %.2f times as fast\n", two.wall, one.wall / two.wall );
	benchWriteCsv( csv, "batch", "overhead", 1, overhead, "%" );
	benchWriteCsv( csv, "batch", "overhead of processors", 1, added, "%" );
	benchWriteCsv( csv, "batch", "two workers against one", 2, one.wall / two.wall, "times" );
}

static void MeasureRestart( FILE* csv )
{
	int jobs = RESTART_JOBS;
	char path[PATH_MAX];
	snprintf( path, sizeof( path ), "%s/small.jsonl", s_folder );
	FILE* file = fopen( path, "w" );
	for ( int i = 0; file != NULL && i < jobs; ++i )
	{
		fprintf(
			file,
			"{\"character\":\"builtin:tube\",\"clip\":\"%s\",\"method\":\"lbs\",\"from\":%g,\"to\":%g,\"output\":\"%d.glb\"}\n",
			i % 2 == 0 ? "bend" : "twist", 1e-5 * i, 1e-5 * i, i );
	}
	if ( file != NULL )
	{
		fclose( file );
	}
	Run first = RunBatch( "small.jsonl", "small", 2 );
	double values[5];
	for ( int i = 0; i < 5; ++i )
	{
		values[i] = RunBatch( "small.jsonl", "small", 2 ).wall;
	}
	double again = benchMedian( values, 5 );
	printf( "%d jobs of one frame: %.1f s; the same command again %.3f s\n", first.done, first.wall, again );
	benchWriteCsv( csv, "batch", "restart when all is done", 1, again, "s" );
}

static void MeasureKills( void )
{
	int kills = GetNumber( "BATCH_KILLS", 0 );
	if ( kills > 0 )
	{
		char command[3 * PATH_MAX];
		snprintf(
			command, sizeof( command ),
			"KILLS=%d SUPPLE='%.4000s' SUPPLE_SOURCE=\"$PWD\" JSON_CHECK=/bin/true bash test/tools/cli_batch_kill.sh",
			kills, s_program );
		int status = system( command );
		printf( "%d x kill -9: %s\n", kills, status == 0 ? "nothing lost, the same bytes" : "FAILED" );
	}
}

int main( int argc, char** argv )
{
	FindProgram();
	if ( access( s_program, X_OK ) != 0 || mkdtemp( s_folder ) == NULL )
	{
		fprintf( stderr, "bench_batch: %s is missing\n", s_program );
		return 1;
	}
	FILE* csv = benchOpenCsv( argc, argv );
	MeasureOverhead( csv );
	MeasureRestart( csv );
	MeasureKills();
	if ( csv != NULL )
	{
		fclose( csv );
	}
	char command[PATH_MAX];
	snprintf( command, sizeof( command ), "rm -rf '%s'", s_folder );
	return system( command ) == 0 ? 0 : 1;
}
