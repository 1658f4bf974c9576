// SPDX-License-Identifier: MIT
// supple batch status: what is done, running, failed and missing.
#define _DEFAULT_SOURCE
#include "batch.h"
#include "json.h"
#include "report.h"
#include "text.h"

#include <time.h>

#define MOST_LISTED 20
#define WATCH_SECONDS 30.0

typedef struct StatusSettings
{
	CommonSettings common;
	const char* output;
} StatusSettings;

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( StatusSettings, output ), "DIR", "Same as for 'supple batch'.", 0, 0, false },
};

// Who is at a job that is neither done nor failed; false where nobody is.
static bool FindWorker( BatchState* state, int32_t job, supClaimInfo* info )
{
	return supClaims_Find( state->claims, state->plan->jobs.data[job].id, info ) && info->isStale == false;
}

static void FormatTime( int64_t seconds, char text[32] )
{
	time_t moment = (time_t)seconds;
	struct tm parts;
	text[0] = 0;
	if ( gmtime_r( &moment, &parts ) != NULL )
	{
		strftime( text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts );
	}
}

static void WriteJobs( JsonWriter* json, BatchState* state, JobState wanted, const char* key )
{
	JsonOpenArray( json, key );
	for ( int32_t i = 0; i < state->plan->jobs.count; ++i )
	{
		const BatchJob* job = state->plan->jobs.data + i;
		const JobRecord* record = state->records + i;
		char moment[32];
		if ( state->states[i] != wanted )
		{
			continue;
		}
		JsonOpenObject( json, NULL );
		JsonText( json, "output", job->name );
		JsonText( json, "character", job->character );
		JsonText( json, "clip", job->clip );
		if ( wanted == job_elsewhere )
		{
			supClaimInfo info;
			supClaims_Find( state->claims, job->id, &info );
			FormatTime( info.since, moment );
			JsonText( json, "host", info.host );
			JsonInteger( json, "process", info.process );
			JsonText( json, "since", moment );
			FormatTime( info.heard, moment );
			JsonText( json, "heartbeat", moment );
		}
		else if ( wanted == job_failed )
		{
			FormatTime( record->ended, moment );
			JsonText( json, "reason", record->reason );
			JsonText( json, "log", record->log );
			JsonText( json, "owner", record->owner );
			JsonText( json, "ended", moment );
			JsonInteger( json, "attempts", record->attempt );
		}
		else if ( wanted == job_done )
		{
			FormatTime( record->ended, moment );
			JsonText( json, "verdict", record->verdict );
			JsonInteger( json, "frames", record->frames );
			JsonFloat( json, "volume_error_max", record->volumeError );
			JsonFloat( json, "stretch_max", record->stretch );
			JsonFloat( json, "penetration_max", record->penetration );
			JsonFloat( json, "seconds", record->seconds );
			JsonInteger( json, "memory_bytes", record->memory );
			JsonText( json, "owner", record->owner );
			JsonText( json, "ended", moment );
		}
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
}

static void PrintJson( BatchState* state )
{
	JsonWriter json = BeginJson( stdout );
	JsonOpenObject( &json, NULL );
	JsonText( &json, "manifest", state->plan->manifest.path );
	JsonInteger( &json, "jobs", state->plan->jobs.count );
	JsonInteger( &json, "jobs_done", CountStates( state, job_done ) );
	JsonInteger( &json, "jobs_running", CountStates( state, job_elsewhere ) );
	JsonInteger( &json, "jobs_failed", CountStates( state, job_failed ) );
	JsonInteger( &json, "jobs_missing", CountStates( state, job_missing ) );
	WriteJobs( &json, state, job_elsewhere, "running" );
	WriteJobs( &json, state, job_failed, "failed" );
	WriteJobs( &json, state, job_missing, "missing" );
	WriteJobs( &json, state, job_done, "done" );
	JsonCloseObject( &json );
	EndJson( &json );
}

static void PrintState( BatchState* state, int32_t i )
{
	const BatchJob* job = state->plan->jobs.data + i;
	const JobRecord* record = state->records + i;
	char name[512], text[2048], moment[32];
	CleanText( job->name, 0, name, sizeof( name ) );
	if ( state->states[i] == job_failed )
	{
		printf( "  failed   %s: %s\n           log: %s/%s\n", name,
				CleanText( record->reason != NULL ? record->reason : "", 0, text, sizeof( text ) ), state->plan->state,
				record->log != NULL ? record->log : "" );
		return;
	}
	supClaimInfo info;
	if ( state->states[i] == job_elsewhere && supClaims_Find( state->claims, job->id, &info ) )
	{
		FormatTime( info.since, moment );
		printf( "  running  %s: on %s, process %lld, since %s", name, info.host, (long long)info.process, moment );
		FormatTime( info.heard, moment );
		// a single look cannot know whether a distant node is dead, but people can
		bool isSilent = info.heard > 0 && (double)( time( NULL ) - info.heard ) > WATCH_SECONDS;
		printf( isSilent ? ", last heartbeat %s\n" : "\n", moment );
		return;
	}
	printf( "  missing  %s\n", name );
}

static void PrintTable( BatchState* state )
{
	static const JobState shown[] = { job_elsewhere, job_failed, job_missing };
	printf( "%s: %s: %d done, %d running, %d failed, %d missing\n", state->plan->manifest.path,
			FormatPlural( state->plan->jobs.count, "job", "jobs" ), CountStates( state, job_done ),
			CountStates( state, job_elsewhere ), CountStates( state, job_failed ), CountStates( state, job_missing ) );
	for ( int32_t s = 0; s < SUP_COUNT( shown ); ++s )
	{
		int32_t listed = 0;
		for ( int32_t i = 0; i < state->plan->jobs.count; ++i )
		{
			if ( state->states[i] == shown[s] && listed++ < MOST_LISTED )
			{
				PrintState( state, i );
			}
		}
		if ( listed > MOST_LISTED )
		{
			printf( "  and %d more; --json lists all\n", listed - MOST_LISTED );
		}
	}
}

static int RunStatus( const Command* command, int argc, char** argv )
{
	StatusSettings settings = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	BatchPlan plan;
	BatchState state = { 0 };
	status = MakePlan( arguments.files[0], settings.output, &plan );
	status = status == exit_ok ? OpenState( &state, &plan, WATCH_SECONDS, true ) : status;
	for ( int32_t i = 0; status == exit_ok && i < plan.jobs.count; ++i )
	{
		supClaimInfo info;
		if ( state.states[i] != job_done && FindWorker( &state, i, &info ) )
		{
			state.states[i] = job_elsewhere;
		}
	}
	if ( status == exit_ok )
	{
		if ( settings.common.json )
		{
			PrintJson( &state );
		}
		else
		{
			PrintTable( &state );
		}
		bool failed = CountStates( &state, job_failed ) > 0;
		bool finished = CountStates( &state, job_done ) == plan.jobs.count;
		status = failed ? exit_data : finished ? exit_ok : exit_stopped;
	}
	if ( state.states != NULL )
	{
		CloseState( &state );
	}
	FreePlan( &plan );
	FreeArguments( &arguments );
	return status;
}

const Command g_batchStatusCommand = {
	.name = "batch status",
	.summary = "show which jobs are done, running, failed or missing",
	.usage = "MANIFEST [-o DIR] [--json]",
	.about =
		"Reads the output folder and changes nothing, so it can run beside any number of batches. Exits with 0 when all "
		"jobs are done, 1 when one failed, 5 when one is still running or missing.",
	.examples = "supple batch status jobs.jsonl\n"
				"supple batch status jobs.jsonl --json",
	ARG_OPTIONS( s_options ),
	.fileName = "MANIFEST",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunStatus,
};
