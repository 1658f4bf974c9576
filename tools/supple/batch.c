// SPDX-License-Identifier: MIT
// supple batch: thousands of bakes, on one machine or on a farm.
#define _GNU_SOURCE
#include "batch.h"
#include "commands.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_STALE_SECONDS 30.0

typedef struct BatchSettings
{
	CommonSettings common;
	const char* output;
	const char* shard;
	int32_t workers;
	double memory, timeout, stale;
	bool list, retry, force, noWait;
} BatchSettings;

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( BatchSettings, output ), "DIR",
	  "Folder for relative outputs. Default: the folder of the manifest.", 0, 0, false },
	{ "list", 0, arg_flag, offsetof( BatchSettings, list ), NULL, "Print the jobs as 'supple bake' commands and stop.",
	  0, 0, false },
	{ "workers", 'j', arg_integer, offsetof( BatchSettings, workers ), "N",
	  "Number of bakes that run at once. Default: one per core, each single-threaded.", 1, 4096, false },
	{ "shard", 0, arg_text, offsetof( BatchSettings, shard ), "I/N",
	  "Start with part I of N, then help with the rest. Default: as set by Slurm, MPI or GNU parallel.", 0, 0, false },
	{ "retry", 0, arg_flag, offsetof( BatchSettings, retry ), NULL, "Run failed jobs again.", 0, 0, false },
	{ "force", 0, arg_flag, offsetof( BatchSettings, force ), NULL, "Bake everything again, including finished jobs.",
	  0, 0, false },
	{ "no-wait", 0, arg_flag, offsetof( BatchSettings, noWait ), NULL,
	  "Exit when no job is left to start. Default: wait, to take over jobs of processes that die.", 0, 0, false },
	{ "memory", 0, arg_number, offsetof( BatchSettings, memory ), "MB",
	  "Memory limit of one bake; 0 (the default) means none.", 0, 1e9, false },
	{ "timeout", 0, arg_number, offsetof( BatchSettings, timeout ), "S",
	  "Time limit in seconds of one bake, or of building one flesh; 0 (the default) means none.", 0, 1e9, false },
	{ "stale", 0, arg_number, offsetof( BatchSettings, stale ), "S",
	  "Take over the job of another machine after S seconds without a heartbeat. Default: 30.", 1, 86400, false },
};

// ---------------------------------------------------------------------------------------------------------------------
// What there is to work with

static int32_t GetNumber( const char* name )
{
	const char* text = getenv( name );
	return text != NULL ? (int32_t)strtol( text, NULL, 10 ) : 0;
}

// Cores that this process may use, shared with its neighbours of the same MPI or GNU parallel run.
static int32_t CountWorkers( const supShard* shard, int32_t threads )
{
	cpu_set_t set;
	int32_t cores = sched_getaffinity( 0, sizeof( set ), &set ) == 0 ? CPU_COUNT( &set ) : 1;
	int32_t given = GetNumber( "SLURM_CPUS_PER_TASK" ), beside = GetNumber( "OMPI_COMM_WORLD_LOCAL_SIZE" );
	beside = beside > 0 ? beside : GetNumber( "MPI_LOCALNRANKS" );
	cores = given > 0 && given < cores ? given : cores;
	// mpirun has divided the cores itself where it binds
	bool bound = cores < sysconf( _SC_NPROCESSORS_ONLN );
	cores = beside > 1 && bound == false ? cores / beside : cores;
	cores = shard->source != NULL && strcmp( shard->source, "PARALLEL_SEQ" ) == 0 ? 1 : cores;
	int32_t workers = cores / threads;
	return workers > 0 ? workers : 1;
}

// With all folders above it.
static bool MakeFolders( const char* path )
{
	char part[PATH_MAX];
	snprintf( part, sizeof( part ), "%s", path );
	for ( char* c = part + 1; *c != 0; ++c )
	{
		if ( *c == '/' )
		{
			*c = 0;
			if ( mkdir( part, 0777 ) != 0 && errno != EEXIST )
			{
				return false;
			}
			*c = '/';
		}
	}
	struct stat info;
	return ( mkdir( part, 0777 ) == 0 || errno == EEXIST ) && stat( part, &info ) == 0 && S_ISDIR( info.st_mode ) &&
		   access( part, W_OK | X_OK ) == 0;
}

static int RefuseFolder( const char* folder )
{
	Report( folder, "cannot write to this folder: %s; nothing was baked", strerror( errno != 0 ? errno : ENOTDIR ) );
	return exit_output;
}

// Everything that will be written to, before anything starts.
static int MakeOutputFolders( const BatchPlan* plan )
{
	static const char* const parts[] = { "logs", "frames" };
	char folder[PATH_MAX], last[PATH_MAX] = "";
	for ( int32_t i = 0; i < SUP_COUNT( parts ); ++i )
	{
		snprintf( folder, sizeof( folder ), "%s/%s", plan->state, parts[i] );
		if ( MakeFolders( folder ) == false )
		{
			return RefuseFolder( folder );
		}
	}
	for ( int32_t i = 0; i < plan->jobs.count; ++i )
	{
		const char* output = plan->jobs.data[i].output;
		const char* slash = strrchr( output, '/' );
		snprintf( folder, sizeof( folder ), "%.*s", slash != NULL ? (int)( slash - output ) : 1,
				  slash != NULL ? output : "." );
		errno = 0;
		if ( strcmp( folder, last ) != 0 && MakeFolders( folder ) == false )
		{
			return RefuseFolder( folder );
		}
		memcpy( last, folder, sizeof( last ) );
	}
	return exit_ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// --list

// As a shell would need it.
static void PrintQuoted( const char* text )
{
	bool plain =
		text[0] != 0 &&
		strspn( text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%" ) == strlen( text );
	if ( plain )
	{
		printf( "%s", text );
		return;
	}
	putchar( '\'' );
	for ( const char* c = text; *c != 0; ++c )
	{
		printf( *c == '\'' ? "'\\''" : "%c", *c );
	}
	putchar( '\'' );
}

void PrintJob( const BatchJob* job )
{
	printf( "supple bake " );
	PrintQuoted( job->character );
	for ( int32_t k = 0; k < job->wordCount; ++k )
	{
		putchar( ' ' );
		PrintQuoted( job->words[k] );
	}
	printf( " -o " );
	PrintQuoted( job->output );
	putchar( '\n' );
}

static void ListJobs( const BatchPlan* plan, bool json )
{
	for ( int32_t i = 0; i < plan->jobs.count; ++i )
	{
		const BatchJob* job = plan->jobs.data + i;
		if ( json )
		{
			json_t* words = json_array();
			for ( int32_t k = 0; k < job->wordCount; ++k )
			{
				json_array_append_new( words, json_string( job->words[k] ) );
			}
			json_t* line =
				json_pack( "{s:s,s:s,s:s,s:s,s:s,s:i,s:o}", "output", job->output, "character", job->character, "clip",
						   job->clip, "method", job->method, "key", job->key, "group", job->group, "options", words );
			char* text = json_dumps( line, JSON_COMPACT );
			printf( "%s\n", text != NULL ? text : "{}" );
			supFree( text );
			json_decref( line );
			continue;
		}
		PrintJob( job );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static void PrintSummary( const BatchState* state, const CommonSettings* common, int32_t doneBefore, double seconds,
						  const RunTimes* times )
{
	int32_t done = CountStates( state, job_done ), failed = CountStates( state, job_failed );
	int32_t total = state->plan->jobs.count;
	if ( common->json )
	{
		printf(
			"{\"event\":\"end\",\"jobs\":%d,\"jobs_done\":%d,\"jobs_failed\":%d,\"baked\":%d,\"seconds\":%.3f,\"baking_seconds\":%.3f,"
			"\"building_seconds\":%.3f,\"baking_processor_seconds\":%.3f,\"building_processor_seconds\":%.3f}\n",
			total, done, failed, done - doneBefore, seconds, times->baking, times->building, times->bakingProcessor,
			times->buildingProcessor );
	}
	else if ( common->quiet == false )
	{
		printf( "%d of %s done (%d now, %.1f s), %d failed", done, FormatPlural( total, "job", "jobs" ),
				done - doneBefore, seconds, failed );
		printf( done + failed < total ? ", %d left\n" : "\n", total - done - failed );
	}
}

static int ReadShard( const Command* command, const BatchSettings* settings, supShard* shard )
{
	*shard = ( supShard ){ .count = 1 };
	if ( settings->shard != NULL && supParseShard( settings->shard, shard ) == false )
	{
		return ReportUsage( command, "option --shard: expected I/N with I from 1 to N (got '%s')", settings->shard );
	}
	if ( settings->shard == NULL && supFindShard( getenv, shard ) )
	{
		char count[32] = "";
		snprintf( count, sizeof( count ), shard->count > 0 ? " of %d" : "", shard->count );
		Note( "shard %d%s (%s)", shard->index + 1, count, shard->source );
	}
	return exit_ok;
}

static int RunPlan( const BatchPlan* plan, const RunSettings* run, double stale )
{
	BatchState state = { 0 };
	double start = GetSeconds();
	int status = MakeOutputFolders( plan );
	if ( status == exit_ok )
	{
		supFileCache_Save( plan->cache );
		status = OpenState( &state, plan, stale, false );
	}
	if ( status == exit_ok )
	{
		int32_t before = run->force ? 0 : CountStates( &state, job_done );
		int32_t failed = CountStates( &state, job_failed );
		if ( failed > 0 && run->retry == false && run->force == false )
		{
			Note( "skipping %s that failed before; 'supple batch status' shows why, --retry runs %s again",
				  FormatPlural( failed, "job", "jobs" ), failed == 1 ? "it" : "them" );
		}
		RunTimes times = { 0 };
		status = RunBatchJobs( &state, run, &times );
		PrintSummary( &state, &run->common, before, GetSeconds() - start, &times );
	}
	if ( state.states != NULL )
	{
		CloseState( &state );
	}
	return status;
}

static int RunBatch( const Command* command, int argc, char** argv )
{
	static const Command* const parts[] = { &g_batchStatusCommand, &g_batchReportCommand, &g_batchSubmitCommand };
	for ( int32_t i = 0; argc > 0 && i < SUP_COUNT( parts ); ++i )
	{
		// "batch status"
		if ( strcmp( parts[i]->name + 6, argv[0] ) == 0 )
		{
			return parts[i]->run( parts[i], argc - 1, argv + 1 );
		}
	}
	BatchSettings settings = { .stale = DEFAULT_STALE_SECONDS };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	RunSettings run = { .common = settings.common,
						.limits = { settings.memory, settings.timeout },
						.noWait = settings.noWait,
						.retry = settings.retry,
						.force = settings.force };
	run.common.threads = run.common.threads > 0 ? run.common.threads : 1;
	status = ReadShard( command, &settings, &run.shard );
	run.workers = settings.workers > 0 ? settings.workers : CountWorkers( &run.shard, run.common.threads );
	BatchPlan plan = { 0 };
	status = status == exit_ok ? MakePlan( arguments.files[0], settings.output, &plan ) : status;
	if ( status == exit_ok && settings.list )
	{
		ListJobs( &plan, settings.common.json );
	}
	else if ( status == exit_ok )
	{
		status = RunPlan( &plan, &run, settings.stale );
	}
	FreePlan( &plan );
	FreeArguments( &arguments );
	return status;
}

const Command g_batchCommand = {
	.name = "batch",
	.summary = "bake many clips on all cores of a machine or on a farm",
	.usage = "MANIFEST [-o DIR] [--list] [--workers N] [--shard I/N] [--memory MB] [--timeout S] | status MANIFEST | "
			 "report MANIFEST | submit --slurm MANIFEST",
	.about =
		"The manifest lists jobs as JSON lines, a JSON array or CSV. Keys are \"character\", \"output\" and the options of "
		"'supple bake'; lists and patterns (characters/*.glb, \"clip\": \"*\") expand to every combination. A folder also "
		"works as a manifest: all of its characters, all clips. The whole manifest is checked before anything starts. "
		"Finished jobs whose inputs have not changed are skipped, so the same command resumes a batch. Any number of "
		"processes, on one machine or many, share the work through the output folder.",
	.examples = "supple batch jobs.jsonl\n"
				"supple batch characters/ --list\n"
				"supple batch jobs.csv -o /farm/baked --shard 2/8\n"
				"supple batch status jobs.jsonl\n"
				"supple batch report jobs.jsonl -o report.html\n"
				"supple batch submit --slurm jobs.jsonl -- --partition=cpu",
	ARG_OPTIONS( s_options ),
	.fileName = "MANIFEST",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunBatch,
};
