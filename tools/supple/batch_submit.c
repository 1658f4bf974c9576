// SPDX-License-Identifier: MIT
// supple batch submit: an array job for Slurm, in which every task is a shard.
#define _GNU_SOURCE
#include "batch.h"
#include "io/common/file.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

// So that flesh is built for several clips and a task is worth starting; tasks help each other in the end.
#define JOBS_PER_WORKER 16
// what Slurm allows unless it is told otherwise, less one
#define MOST_TASKS 1000
#define DEFAULT_CPUS 4

typedef struct SubmitSettings
{
	CommonSettings common;
	const char* output;
	bool slurm, dryRun, retry;
	int32_t tasks, cpus;
	double memory, timeout;
} SubmitSettings;

static const ArgOption s_options[] = {
	{ "slurm", 0, arg_flag, offsetof( SubmitSettings, slurm ), NULL, "Submit to Slurm (sbatch).", 0, 0, false },
	{ "dry-run", 0, arg_flag, offsetof( SubmitSettings, dryRun ), NULL, "Print the script instead of submitting it.", 0,
	  0, false },
	{ "output", 'o', arg_text, offsetof( SubmitSettings, output ), "DIR", "Same as for 'supple batch'.", 0, 0, false },
	{ "tasks", 0, arg_integer, offsetof( SubmitSettings, tasks ), "N",
	  "Number of array tasks. Default: one per 16 jobs and core, at most 1000.", 1, 1000000, false },
	{ "cpus", 0, arg_integer, offsetof( SubmitSettings, cpus ), "N",
	  "Cores per task, each of which runs one bake at a time. Default: 4.", 1, 4096, false },
	{ "memory", 0, arg_number, offsetof( SubmitSettings, memory ), "MB", "Same as for 'supple batch'.", 0, 1e9, false },
	{ "timeout", 0, arg_number, offsetof( SubmitSettings, timeout ), "S", "Same as for 'supple batch'.", 0, 1e9,
	  false },
	{ "retry", 0, arg_flag, offsetof( SubmitSettings, retry ), NULL, "Same as for 'supple batch'.", 0, 0, false },
};

// In single quotes.
static void WriteQuoted( FILE* stream, const char* text )
{
	fputc( '\'', stream );
	for ( const char* c = text; *c != 0; ++c )
	{
		fputs( *c == '\'' ? "'\\''" : ( char[] ){ *c, 0 }, stream );
	}
	fputc( '\'', stream );
}

static int32_t ChooseTasks( const SubmitSettings* settings, int32_t jobs, int32_t cpus )
{
	int32_t tasks = ( jobs + cpus * JOBS_PER_WORKER - 1 ) / ( cpus * JOBS_PER_WORKER );
	tasks = tasks < 1 ? 1 : tasks > MOST_TASKS ? MOST_TASKS : tasks;
	return settings->tasks > 0 ? settings->tasks : tasks;
}

// The script as a text; free with free. NULL when out of memory.
static char* WriteScript( const SubmitSettings* settings, const BatchPlan* plan )
{
	char program[PATH_MAX], manifest[PATH_MAX], folder[PATH_MAX];
	ssize_t length = readlink( "/proc/self/exe", program, sizeof( program ) - 1 );
	program[length > 0 ? length : 0] = 0;
	char* text = NULL;
	size_t size = 0;
	FILE* stream = open_memstream( &text, &size );
	if ( stream == NULL || length <= 0 || realpath( plan->manifest.path, manifest ) == NULL ||
		 realpath( plan->folder, folder ) == NULL )
	{
		if ( stream != NULL )
		{
			fclose( stream );
		}
		free( text );
		return NULL;
	}
	int32_t cpus = settings->cpus > 0 ? settings->cpus : DEFAULT_CPUS;
	fprintf( stream,
			 "#!/bin/sh\n"
			 "#SBATCH --job-name=supple\n"
			 "#SBATCH --array=1-%d\n"
			 "#SBATCH --ntasks=1\n"
			 "#SBATCH --cpus-per-task=%d\n"
			 "#SBATCH --requeue\n",
			 ChooseTasks( settings, plan->jobs.count, cpus ), cpus );
	if ( settings->memory > 0.0 )
	{
		// each bake may take its limit, and something is left for the rest
		fprintf( stream, "#SBATCH --mem=%.0fM\n", settings->memory * cpus + 256.0 );
	}
	fprintf( stream, "#SBATCH --output=%s/" BATCH_FOLDER "/slurm/%%A_%%a.log\n", folder );
	fprintf( stream,
			 "# every task begins with its own part and then helps the others; a task that dies is taken over\n" );
	fprintf( stream, "exec " );
	WriteQuoted( stream, program );
	fprintf( stream, " batch " );
	WriteQuoted( stream, manifest );
	fprintf( stream, " -o " );
	WriteQuoted( stream, folder );
	fprintf( stream, " --no-wait --workers %d", cpus );
	if ( settings->memory > 0.0 )
	{
		fprintf( stream, " --memory %g", settings->memory );
	}
	if ( settings->timeout > 0.0 )
	{
		fprintf( stream, " --timeout %g", settings->timeout );
	}
	fprintf( stream, "%s\n", settings->retry ? " --retry" : "" );
	return fclose( stream ) == 0 ? text : NULL;
}

static int RunSbatch( char** options, int32_t optionCount, char* script )
{
	char program[] = "sbatch";
	char** words = supAllocArray( (size_t)optionCount + 3, sizeof( char* ) );
	if ( words == NULL )
	{
		return ReportMemory();
	}
	words[0] = program;
	memcpy( words + 1, options, (size_t)optionCount * sizeof( char* ) );
	words[optionCount + 1] = script;
	words[optionCount + 2] = NULL;
	pid_t child;
	int failure = posix_spawnp( &child, program, NULL, NULL, words, environ );
	supFree( words );
	int status = 0;
	if ( failure != 0 )
	{
		Report( NULL, "cannot run sbatch: %s; run this on a submit host, or print the script with --dry-run",
				strerror( failure ) );
		return exit_data;
	}
	while ( waitpid( child, &status, 0 ) < 0 && errno == EINTR )
	{
	}
	if ( WIFEXITED( status ) && WEXITSTATUS( status ) == 0 )
	{
		return exit_ok;
	}
	Report( NULL, "sbatch rejected the job (see above); the script is %s", script );
	return exit_data;
}

static int Submit( const SubmitSettings* settings, const BatchPlan* plan, char** options, int32_t optionCount )
{
	char* text = WriteScript( settings, plan );
	if ( text == NULL )
	{
		Report( plan->folder, "no such folder; create it first" );
		return exit_output;
	}
	if ( settings->dryRun )
	{
		printf( "%s", text );
		free( text );
		return exit_ok;
	}
	char script[PATH_MAX], logs[PATH_MAX];
	snprintf( script, sizeof( script ), "%s/submit.sh", plan->state );
	snprintf( logs, sizeof( logs ), "%s/slurm", plan->state );
	mkdir( plan->state, 0777 );
	mkdir( logs, 0777 );
	supError error = { 0 };
	bool written = supWriteFile( script, text, strlen( text ), &error );
	free( text );
	return written ? RunSbatch( options, optionCount, script ) : ReportError( script, &error );
}

static int RunSubmit( const Command* command, int argc, char** argv )
{
	// what stands behind -- is for sbatch
	int own = 0;
	while ( own < argc && strcmp( argv[own], "--" ) != 0 )
	{
		own += 1;
	}
	SubmitSettings settings = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, own, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	BatchPlan plan = { 0 };
	if ( settings.slurm == false )
	{
		status = ReportUsage( command, "choose a scheduler: --slurm (docs/farm.md describes others)" );
	}
	status = status == exit_ok ? MakePlan( arguments.files[0], settings.output, &plan ) : status;
	int32_t optionCount = argc > own ? argc - own - 1 : 0;
	status = status == exit_ok ? Submit( &settings, &plan, argv + own + 1, optionCount ) : status;
	FreePlan( &plan );
	FreeArguments( &arguments );
	return status;
}

const Command g_batchSubmitCommand = {
	.name = "batch submit",
	.summary = "submit a batch to Slurm as an array job",
	.usage =
		"--slurm MANIFEST [-o DIR] [--tasks N] [--cpus N] [--memory MB] [--timeout S] [--dry-run] [-- SBATCH OPTIONS]",
	.about =
		"Checks the manifest, writes an array job whose tasks each run one process of the batch, and passes it to sbatch "
		"with the options after --. All nodes must see the output folder and this program under the same path. "
		"'supple batch status' shows the progress.",
	.examples = "supple batch submit --slurm jobs.jsonl\n"
				"supple batch submit --slurm jobs.jsonl --cpus 16 --dry-run\n"
				"supple batch submit --slurm jobs.jsonl -- --partition=cpu --time=2:00:00",
	ARG_OPTIONS( s_options ),
	.fileName = "MANIFEST",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunSubmit,
};
