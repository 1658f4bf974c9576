// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "batch_queue.h"
#include "report.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>

// How often a job is tried again after its process was killed
#define MAX_LOSSES 5
// Less than a log and a folder take
#define FULL_DISK_BLOCKS 8

// ---------------------------------------------------------------------------------------------------------------------
// Waiting jobs

void PushWaiting( JobQueue* queue, int32_t job )
{
	int32_t group = queue->plan->jobs.data[job].group;
	queue->state->states[job] = job_missing;
	queue->nexts[job] = queue->heads[group];
	queue->heads[group] = job;
	queue->waiting += 1;
	queue->cursor = 0;
}

static int32_t PopWaiting( JobQueue* queue, int32_t group )
{
	int32_t job = queue->heads[group];
	if ( job >= 0 )
	{
		queue->heads[group] = queue->nexts[job];
		queue->waiting -= 1;
	}
	return job;
}

static bool IsWanted( const JobQueue* queue, int32_t job )
{
	JobState state = queue->state->states[job];
	return state == job_missing || queue->settings->force || ( state == job_failed && queue->settings->retry );
}

bool OpenJobQueue( JobQueue* queue, BatchState* state, const RunSettings* settings, RunTimes* times )
{
	*queue =
		( JobQueue ){ .state = state, .plan = state->plan, .settings = settings, .times = times, .status = exit_ok };
	int32_t count = queue->plan->jobs.count, groupCount = queue->plan->groupCount;
	int32_t* order = supAllocArray( (size_t)count + 1, sizeof( int32_t ) );
	queue->heads = supAllocArray( (size_t)groupCount + 1, sizeof( int32_t ) );
	queue->groups = supAllocArray( (size_t)groupCount + 1, sizeof( int32_t ) );
	queue->nexts = supAllocArray( (size_t)count + 1, sizeof( int32_t ) );
	queue->generations = supAllocZeroed( ( (size_t)count + 1 ) * sizeof( int32_t ) );
	queue->losses = supAllocZeroed( (size_t)count + 1 );
	bool ok = order != NULL && queue->heads != NULL && queue->groups != NULL && queue->nexts != NULL &&
			  queue->generations != NULL && queue->losses != NULL;
	for ( int32_t i = 0; ok && i < groupCount; ++i )
	{
		queue->heads[i] = -1;
	}
	if ( ok )
	{
		supShard shard = queue->settings->shard;
		shard.count = shard.source == NULL ? 1 : shard.count;
		supShard_Order( &shard, count, order );
		// from the end, since each goes to the front of its group
		for ( int32_t i = count - 1; i >= 0; --i )
		{
			if ( IsWanted( queue, order[i] ) )
			{
				PushWaiting( queue, order[i] );
			}
		}
		int32_t n = 0;
		uint8_t* seen = supAllocZeroed( (size_t)groupCount + 1 );
		for ( int32_t i = 0; seen != NULL && i < count; ++i )
		{
			int32_t group = queue->plan->jobs.data[order[i]].group;
			if ( seen[group] == 0 )
			{
				seen[group] = 1;
				queue->groups[n++] = group;
			}
		}
		ok = seen != NULL;
		supFree( seen );
	}
	supFree( order );
	return ok;
}

void CloseJobQueue( JobQueue* queue )
{
	supFree( queue->heads );
	supFree( queue->nexts );
	supFree( queue->groups );
	supFree( queue->generations );
	supFree( queue->losses );
	SUP_FREE_ARRAY( &queue->elsewhere );
	SUP_FREE_ARRAY( &queue->unreleased );
}

// ---------------------------------------------------------------------------------------------------------------------
// Results

void ReleaseJob( JobQueue* queue, int32_t job )
{
	supClaims_Release( queue->state->claims, queue->plan->jobs.data[job].id, queue->generations[job] );
}

TableCounts CountJobs( const JobQueue* queue )
{
	return ( TableCounts ){ .total = queue->plan->jobs.count,
							.done = CountStates( queue->state, job_done ),
							.failed = CountStates( queue->state, job_failed ),
							.elsewhere = queue->elsewhere.count,
							.endedHere = queue->ended,
							.left = queue->waiting };
}

void FailBatch( JobQueue* queue, int status )
{
	queue->status = queue->status == exit_ok ? status : queue->status;
	queue->stopping = true;
}

static void PushElsewhere( JobQueue* queue, int32_t job )
{
	queue->state->states[job] = job_elsewhere;
	if ( SUP_PUSH( &queue->elsewhere, job ) == false )
	{
		FailBatch( queue, ReportMemory() );
	}
}

static void WriteDown( JobQueue* queue, int32_t job )
{
	char* line = FormatRecord( queue->plan->jobs.data + job, queue->state->records + job );
	bool ok = line != NULL && supJournal_Append( queue->state->journal, line ) && SUP_PUSH( &queue->unreleased, job );
	supFree( line );
	if ( ok == false )
	{
		FailBatch( queue, ReportMemory() );
	}
	queue->ended += 1;
	TableCounts counts = CountJobs( queue );
	ShowJob( &queue->table, queue->plan->jobs.data + job, queue->state->records + job, &counts );
}

// Other processes may see a job as free only after its result is on disk.
void FlushJournal( JobQueue* queue )
{
	supError error = { 0 };
	queue->flushed = GetSeconds();
	if ( queue->unreleased.count > 0 && supJournal_Flush( queue->state->journal, &error ) == false )
	{
		FailBatch( queue, ReportError( NULL, &error ) );
	}
	for ( int32_t i = 0; i < queue->unreleased.count; ++i )
	{
		int32_t job = queue->unreleased.data[i];
		ReleaseJob( queue, job );
	}
	queue->unreleased.count = 0;
}

// The first error in a log, without "supple: "; false where there is none.
static bool ReadReason( const JobQueue* queue, const char* log, char reason[REASON_LENGTH] )
{
	char path[PATH_MAX], line[REASON_LENGTH];
	snprintf( path, sizeof( path ), "%s/%s", queue->plan->state, log );
	FILE* file = fopen( path, "re" );
	bool found = false;
	while ( file != NULL && found == false && fgets( line, sizeof( line ), file ) != NULL )
	{
		static const char start[] = "supple: ";
		found =
			strncmp( line, start, sizeof( start ) - 1 ) == 0 && strncmp( line + sizeof( start ) - 1, "note:", 5 ) != 0;
		line[strcspn( line, "\n" )] = 0;
		size_t length = strlen( line );
		// a list follows on separate lines
		bool goesOn = length > 0 && line[length - 1] == ':';
		snprintf( reason, REASON_LENGTH, "%.1000s%s", found ? line + sizeof( start ) - 1 : "",
				  goesOn ? " see the log" : "" );
	}
	if ( file != NULL )
	{
		fclose( file );
	}
	return found;
}

void FailJob( JobQueue* queue, int32_t job, const char* log, const char* reason )
{
	JobRecord* record = queue->state->records + job;
	int32_t attempt = record->attempt + 1;
	FreeRecord( record );
	*record = ( JobRecord ){ .attempt = attempt,
							 .ended = (int64_t)time( NULL ),
							 .reason = supCopyString( reason ),
							 .log = supCopyString( log ),
							 .owner = supCopyString( supClaims_Owner( queue->state->claims ) ) };
	queue->state->states[job] = job_failed;
	WriteDown( queue, job );
}

void LoseJob( JobQueue* queue, int32_t job, const char* log )
{
	const BatchJob* lost = queue->plan->jobs.data + job;
	RemoveStaging( lost, queue->generations[job] );
	queue->losses[job] += 1;
	if ( queue->losses[job] >= MAX_LOSSES )
	{
		char reason[200];
		snprintf( reason, sizeof( reason ), "killed %d times; if the machine ran out of memory, use fewer --workers",
				  queue->losses[job] );
		FailJob( queue, job, log, reason );
		return;
	}
	ReleaseJob( queue, job );
	PushWaiting( queue, job );
}

static bool IsDiskFull( const char* folder )
{
	struct statvfs info;
	return statvfs( folder, &info ) == 0 &&
		   ( info.f_bavail < FULL_DISK_BLOCKS || ( info.f_files > 0 && info.f_favail == 0 ) );
}

void DescribeEnd( const JobQueue* queue, const WorkerMessage* ended, const char* log, char reason[REASON_LENGTH] )
{
	const WorkerLimits* limits = &queue->settings->limits;
	int status = ended->status;
	if ( ended->timedOut )
	{
		snprintf( reason, REASON_LENGTH, "exceeded the time limit of %g s (--timeout)", limits->seconds );
	}
	else if ( WIFSIGNALED( status ) )
	{
		snprintf( reason, REASON_LENGTH, "crashed with signal %d (%s)", WTERMSIG( status ),
				  strsignal( WTERMSIG( status ) ) );
	}
	else if ( WEXITSTATUS( status ) == exit_memory && limits->memoryMegabytes > 0.0 )
	{
		snprintf( reason, REASON_LENGTH, "exceeded the memory limit of %g MB (--memory)", limits->memoryMegabytes );
	}
	else if ( ReadReason( queue, log, reason ) )
	{
	}
	else if ( WEXITSTATUS( status ) == exit_output )
	{
		// on a full disk the log stays empty as well
		snprintf( reason, REASON_LENGTH, "%s",
				  IsDiskFull( queue->plan->folder ) ? "no space left on the disk"
													: "cannot write the result, nor its log" );
	}
	else
	{
		snprintf( reason, REASON_LENGTH, "exited with status %d", WEXITSTATUS( status ) );
	}
}

bool WasKilled( int status )
{
	int number = WIFSIGNALED( status ) ? WTERMSIG( status ) : 0;
	return number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP ||
		   ( WIFEXITED( status ) && WEXITSTATUS( status ) == exit_stopped );
}

// Another process considered this one dead and took the job.
static bool WasTakenOver( JobQueue* queue, int32_t job )
{
	supClaimInfo info;
	return supClaims_Find( queue->state->claims, queue->plan->jobs.data[job].id, &info ) == false ||
		   info.generation > queue->generations[job];
}

// The disk is full or the folder gone: the next jobs would fail for the same reason.
static void StopForOutput( JobQueue* queue, int32_t job, const char* reason )
{
	// the output is named already; users do not know the folder that it is staged in
	const char* staging = strstr( reason, "/.supple-work-" );
	const char* cause = staging != NULL ? strstr( staging, ": " ) : NULL;
	Report( queue->plan->jobs.data[job].output, "%s", cause != NULL ? cause + 2 : reason );
	if ( queue->status == exit_ok )
	{
		Note( "starting no further jobs; finished results are safe. Free some space or fix the folder, then run the "
			  "same command again" );
	}
	ReleaseJob( queue, job );
	queue->state->states[job] = job_missing;
	FailBatch( queue, exit_output );
}

void EndBake( JobQueue* queue, const WorkerMessage* ended )
{
	int32_t job = ended->job;
	char log[64], reason[REASON_LENGTH];
	FormatBakeLog( queue->plan->jobs.data + job, log );
	bool failed = WIFEXITED( ended->status ) == false || WEXITSTATUS( ended->status ) != exit_ok;
	if ( failed == false && queue->state->records[job].done )
	{
		queue->state->records[job].memory = ended->memory;
		queue->times->baking += (double)queue->state->records[job].seconds;
		queue->times->bakingProcessor += ended->processor;
		queue->state->states[job] = job_done;
		WriteDown( queue, job );
		return;
	}
	RemoveStaging( queue->plan->jobs.data + job, queue->generations[job] );
	if ( WasTakenOver( queue, job ) )
	{
		PushElsewhere( queue, job );
		return;
	}
	if ( ended->timedOut == false && WasKilled( ended->status ) )
	{
		LoseJob( queue, job, log );
		return;
	}
	DescribeEnd( queue, ended, log, reason );
	if ( WIFEXITED( ended->status ) && WEXITSTATUS( ended->status ) == exit_output )
	{
		StopForOutput( queue, job, reason );
		return;
	}
	FailJob( queue, job, log, reason );
}

// ---------------------------------------------------------------------------------------------------------------------
// Claims

typedef enum Claimed
{
	claimed_ours,
	claimed_not, // done, or running elsewhere
	claimed_failed,
} Claimed;

static Claimed ClaimJob( JobQueue* queue, int32_t job )
{
	BatchState* state = queue->state;
	const BatchJob* wanted = queue->plan->jobs.data + job;
	supError error = { 0 };
	if ( supClaims_Take( state->claims, wanted->id, queue->generations + job, &error ) == false )
	{
		if ( error.code != sup_errorNone )
		{
			PushWaiting( queue, job );
			FailBatch( queue, ReportError( NULL, &error ) );
			return claimed_failed;
		}
		PushElsewhere( queue, job );
		return claimed_not;
	}
	for ( int32_t i = 0; i < queue->generations[job]; ++i )
	{
		RemoveStaging( wanted, i );
	}
	// another process may have finished it in the meantime
	struct stat info;
	if ( stat( wanted->output, &info ) == 0 && RefreshState( state ) == exit_ok && state->states[job] != job_missing )
	{
		supClaims_Release( state->claims, wanted->id, queue->generations[job] );
		return claimed_not;
	}
	return claimed_ours;
}

int32_t TakeJob( JobQueue* queue, int32_t group )
{
	while ( queue->stopping == false )
	{
		int32_t job = PopWaiting( queue, group );
		if ( job < 0 || ClaimJob( queue, job ) == claimed_ours )
		{
			return job;
		}
	}
	return -1;
}

void WatchElsewhere( JobQueue* queue )
{
	BatchState* state = queue->state;
	queue->refreshed = GetSeconds();
	if ( queue->elsewhere.count == 0 || RefreshState( state ) != exit_ok )
	{
		return;
	}
	int32_t kept = 0;
	for ( int32_t i = 0; i < queue->elsewhere.count; ++i )
	{
		int32_t job = queue->elsewhere.data[i];
		supClaimInfo info;
		if ( state->states[job] != job_elsewhere )
		{
			continue;
		}
		bool held = supClaims_Find( state->claims, queue->plan->jobs.data[job].id, &info ) && info.isStale == false;
		if ( held )
		{
			queue->elsewhere.data[kept++] = job;
		}
		else
		{
			PushWaiting( queue, job );
		}
	}
	queue->elsewhere.count = kept;
}

static void SweepClaim( const char* id, void* context )
{
	BatchState* state = ( (JobQueue*)context )->state;
	int32_t job = FindJob( state, id );
	supClaimInfo info;
	bool isLeft =
		job >= 0 && state->states[job] == job_done && supClaims_Find( state->claims, id, &info ) && info.isStale;
	for ( int32_t k = 0; isLeft && k <= info.generation; ++k )
	{
		RemoveStaging( state->plan->jobs.data + job, k );
	}
	if ( isLeft )
	{
		supClaims_Release( state->claims, id, info.generation );
	}
}

void SweepClaims( JobQueue* queue )
{
	supClaims_List( queue->state->claims, SweepClaim, queue );
	supClaims_Sweep( queue->state->claims );
}
