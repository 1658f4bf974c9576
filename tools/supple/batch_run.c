// SPDX-License-Identifier: MIT
// The driver: hands jobs to builders, takes over what dead processes have left, and writes down what came of it. One
// thread, one loop; whatever can crash or hang is in other processes (batch_worker.c).
#define _GNU_SOURCE
#include "batch.h"
#include "report.h"
#include "stop.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_MS 200
// A process that has closed its socket ends any moment
#define ENDING_POLL_MS 2
#define FLUSH_SECONDS 0.5
#define REFRESH_SECONDS 1.0
// How often a job is tried again after something killed its process
#define MOST_LOSSES 5

// A builder's process as the driver sees it.
typedef struct Builder
{
	pid_t process;
	int socket; // -1: closed from the other side
	int32_t group;
	int32_t first;   // the job that it was started for
	int32_t running; // bakes
	int32_t leaving; // of these: have sent their result and only end their process
	bool isReady;
	bool isEnding; // was told to end
	bool timedOut;
	double started;
} Builder;

typedef struct Running
{
	int32_t job;
	int32_t builder; // process
	bool isLeaving;
	double started;
} Running;

typedef struct Driver
{
	BatchState* state;
	const BatchPlan* plan;
	const RunSettings* settings;
	WorkerSetup setup;
	BatchTable table;
	int32_t* heads;  // per group: the first job that waits, -1 for none
	int32_t* nexts;  // per job
	int32_t* groups; // in the order in which this shard goes through them
	int32_t cursor;  // into groups: nothing waits before it
	int32_t waiting; // jobs
	int32_t* generations;
	uint8_t* losses;
	SUP_ARRAY( Builder ) builders;
	SUP_ARRAY( Running ) running;
	SUP_ARRAY( int32_t ) elsewhere;
	SUP_ARRAY( int32_t ) unreleased; // done, but not yet written down for certain
	WorkerMessage* message;
	double flushed, refreshed;
	RunTimes* times;
	int32_t ended;
	int status;    // exit_ok, or what has gone wrong with the batch itself
	bool stopping; // no new jobs
} Driver;

// ---------------------------------------------------------------------------------------------------------------------
// Waiting jobs

static void PushWaiting( Driver* driver, int32_t job )
{
	int32_t group = driver->plan->jobs.data[job].group;
	driver->state->states[job] = job_missing;
	driver->nexts[job] = driver->heads[group];
	driver->heads[group] = job;
	driver->waiting += 1;
	driver->cursor = 0;
}

static int32_t PopWaiting( Driver* driver, int32_t group )
{
	int32_t job = driver->heads[group];
	if ( job >= 0 )
	{
		driver->heads[group] = driver->nexts[job];
		driver->waiting -= 1;
	}
	return job;
}

static bool IsWanted( const Driver* driver, int32_t job )
{
	JobState state = driver->state->states[job];
	return state == job_missing || driver->settings->force || ( state == job_failed && driver->settings->retry );
}

static bool QueueJobs( Driver* driver )
{
	int32_t count = driver->plan->jobs.count, groupCount = driver->plan->groupCount;
	int32_t* order = supAllocArray( (size_t)count + 1, sizeof( int32_t ) );
	driver->heads = supAllocArray( (size_t)groupCount + 1, sizeof( int32_t ) );
	driver->groups = supAllocArray( (size_t)groupCount + 1, sizeof( int32_t ) );
	driver->nexts = supAllocArray( (size_t)count + 1, sizeof( int32_t ) );
	driver->generations = supAllocZeroed( ( (size_t)count + 1 ) * sizeof( int32_t ) );
	driver->losses = supAllocZeroed( (size_t)count + 1 );
	bool ok = order != NULL && driver->heads != NULL && driver->groups != NULL && driver->nexts != NULL &&
			  driver->generations != NULL && driver->losses != NULL;
	for ( int32_t i = 0; ok && i < groupCount; ++i )
	{
		driver->heads[i] = -1;
	}
	if ( ok )
	{
		supShard shard = driver->settings->shard;
		shard.count = shard.source == NULL ? 1 : shard.count;
		supShard_Order( &shard, count, order );
		// from the end, since each goes to the front of its group
		for ( int32_t i = count - 1; i >= 0; --i )
		{
			if ( IsWanted( driver, order[i] ) )
			{
				PushWaiting( driver, order[i] );
			}
		}
		int32_t n = 0;
		uint8_t* seen = supAllocZeroed( (size_t)groupCount + 1 );
		for ( int32_t i = 0; seen != NULL && i < count; ++i )
		{
			int32_t group = driver->plan->jobs.data[order[i]].group;
			if ( seen[group] == 0 )
			{
				seen[group] = 1;
				driver->groups[n++] = group;
			}
		}
		ok = seen != NULL;
		supFree( seen );
	}
	supFree( order );
	return ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// What came of a job

static TableCounts CountJobs( const Driver* driver )
{
	return ( TableCounts ){ .total = driver->plan->jobs.count,
							.done = CountStates( driver->state, job_done ),
							.failed = CountStates( driver->state, job_failed ),
							.elsewhere = driver->elsewhere.count,
							.endedHere = driver->ended,
							.left = driver->waiting };
}

// The batch itself cannot go on; what runs is let finish.
static void Fail( Driver* driver, int status )
{
	driver->status = driver->status == exit_ok ? status : driver->status;
	driver->stopping = true;
}

static void PushElsewhere( Driver* driver, int32_t job )
{
	driver->state->states[job] = job_elsewhere;
	if ( SUP_PUSH( &driver->elsewhere, job ) == false )
	{
		Fail( driver, ReportMemory() );
	}
}

static void WriteDown( Driver* driver, int32_t job )
{
	char* line = FormatRecord( driver->plan->jobs.data + job, driver->state->records + job );
	bool ok = line != NULL && supJournal_Append( driver->state->journal, line ) && SUP_PUSH( &driver->unreleased, job );
	supFree( line );
	if ( ok == false )
	{
		Fail( driver, ReportMemory() );
	}
	driver->ended += 1;
	TableCounts counts = CountJobs( driver );
	ShowJob( &driver->table, driver->plan->jobs.data + job, driver->state->records + job, &counts );
}

// Others may have the job once this is known to be on disk.
static void FlushJournal( Driver* driver )
{
	supError error = { 0 };
	driver->flushed = GetSeconds();
	if ( driver->unreleased.count > 0 && supJournal_Flush( driver->state->journal, &error ) == false )
	{
		Fail( driver, ReportError( NULL, &error ) );
	}
	for ( int32_t i = 0; i < driver->unreleased.count; ++i )
	{
		int32_t job = driver->unreleased.data[i];
		supClaims_Release( driver->state->claims, driver->plan->jobs.data[job].id, driver->generations[job] );
	}
	driver->unreleased.count = 0;
}

// The first error in a log, without "supple: "; false where there is none.
static bool ReadReason( const Driver* driver, const char* log, char reason[400] )
{
	char path[PATH_MAX], line[1024];
	snprintf( path, sizeof( path ), "%s/%s", driver->plan->state, log );
	FILE* file = fopen( path, "re" );
	bool found = false;
	while ( file != NULL && found == false && fgets( line, sizeof( line ), file ) != NULL )
	{
		static const char start[] = "supple: ";
		found =
			strncmp( line, start, sizeof( start ) - 1 ) == 0 && strncmp( line + sizeof( start ) - 1, "note:", 5 ) != 0;
		line[strcspn( line, "\n" )] = 0;
		size_t length = strlen( line );
		// a list that follows on lines of its own
		bool goesOn = length > 0 && line[length - 1] == ':';
		snprintf( reason, 400, "%.380s%s", found ? line + sizeof( start ) - 1 : "", goesOn ? " see the log" : "" );
	}
	if ( file != NULL )
	{
		fclose( file );
	}
	return found;
}

static void FailJob( Driver* driver, int32_t job, const char* log, const char* reason )
{
	JobRecord* record = driver->state->records + job;
	int32_t attempt = record->attempt + 1;
	FreeRecord( record );
	*record = ( JobRecord ){ .attempt = attempt,
							 .ended = (int64_t)time( NULL ),
							 .reason = supCopyString( reason ),
							 .log = supCopyString( log ),
							 .owner = supCopyString( supClaims_Owner( driver->state->claims ) ) };
	driver->state->states[job] = job_failed;
	WriteDown( driver, job );
}

// Its process was killed, or its builder: by somebody, by the system for want of memory, or by a node that goes down.
static void LoseJob( Driver* driver, int32_t job, const char* log )
{
	const BatchJob* lost = driver->plan->jobs.data + job;
	RemoveStaging( lost, driver->generations[job] );
	driver->losses[job] += 1;
	if ( driver->losses[job] >= MOST_LOSSES )
	{
		char reason[200];
		snprintf( reason, sizeof( reason ),
				  "its process was killed %d times; if that was for want of memory, use fewer "
				  "--workers",
				  driver->losses[job] );
		FailJob( driver, job, log, reason );
		return;
	}
	supClaims_Release( driver->state->claims, lost->id, driver->generations[job] );
	PushWaiting( driver, job );
}

static void DescribeEnd( const Driver* driver, const WorkerMessage* ended, const char* log, char reason[400] )
{
	const WorkerLimits* limits = &driver->settings->limits;
	int status = ended->status;
	if ( ended->timedOut )
	{
		snprintf( reason, 400, "took longer than %g s (--timeout) and was ended", limits->seconds );
	}
	else if ( WIFSIGNALED( status ) )
	{
		snprintf( reason, 400, "crashed with signal %d (%s)", WTERMSIG( status ), strsignal( WTERMSIG( status ) ) );
	}
	else if ( WEXITSTATUS( status ) == exit_memory && limits->memoryMegabytes > 0.0 )
	{
		snprintf( reason, 400, "ran out of the %g MB that --memory allows", limits->memoryMegabytes );
	}
	else if ( ReadReason( driver, log, reason ) == false )
	{
		snprintf( reason, 400, "ended with status %d", WEXITSTATUS( status ) );
	}
}

static bool WasKilled( int status )
{
	int number = WIFSIGNALED( status ) ? WTERMSIG( status ) : 0;
	return number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP ||
		   ( WIFEXITED( status ) && WEXITSTATUS( status ) == exit_stopped );
}

// Somebody took us for dead and has the job now.
static bool WasTakenOver( Driver* driver, int32_t job )
{
	supClaimInfo info;
	return supClaims_Find( driver->state->claims, driver->plan->jobs.data[job].id, &info ) == false ||
		   info.generation > driver->generations[job];
}

static void EndBake( Driver* driver, const WorkerMessage* ended )
{
	int32_t job = ended->job;
	char log[64], reason[400];
	FormatBakeLog( driver->plan->jobs.data + job, log );
	bool failed = WIFEXITED( ended->status ) == false || WEXITSTATUS( ended->status ) != exit_ok;
	if ( failed == false && driver->state->records[job].done )
	{
		driver->state->records[job].memory = ended->memory;
		driver->times->baking += (double)driver->state->records[job].seconds;
		driver->state->states[job] = job_done;
		WriteDown( driver, job );
		return;
	}
	RemoveStaging( driver->plan->jobs.data + job, driver->generations[job] );
	if ( WasTakenOver( driver, job ) )
	{
		PushElsewhere( driver, job );
		return;
	}
	if ( ended->timedOut == false && WasKilled( ended->status ) )
	{
		LoseJob( driver, job, log );
		return;
	}
	DescribeEnd( driver, ended, log, reason );
	if ( WIFEXITED( ended->status ) && WEXITSTATUS( ended->status ) == exit_output )
	{
		// the next ones would fail likewise
		Report( driver->plan->jobs.data[job].output, "%s", reason );
		Note(
			"no more jobs are started; all that is done is safe. Free some space or mend the folder, then run the same "
			"command again" );
		supClaims_Release( driver->state->claims, driver->plan->jobs.data[job].id, driver->generations[job] );
		driver->state->states[job] = job_missing;
		Fail( driver, exit_output );
		return;
	}
	FailJob( driver, job, log, reason );
}

// ---------------------------------------------------------------------------------------------------------------------
// Claims

typedef enum Claimed
{
	claimed_ours,
	claimed_not, // done or worked on by others
	claimed_failed,
} Claimed;

static Claimed ClaimJob( Driver* driver, int32_t job )
{
	BatchState* state = driver->state;
	const BatchJob* wanted = driver->plan->jobs.data + job;
	supError error = { 0 };
	if ( supClaims_Take( state->claims, wanted->id, driver->generations + job, &error ) == false )
	{
		if ( error.code != sup_errorNone )
		{
			PushWaiting( driver, job );
			Fail( driver, ReportError( NULL, &error ) );
			return claimed_failed;
		}
		PushElsewhere( driver, job );
		return claimed_not;
	}
	for ( int32_t i = 0; i < driver->generations[job]; ++i )
	{
		RemoveStaging( wanted, i );
	}
	// somebody may have finished it since we looked
	struct stat info;
	if ( stat( wanted->output, &info ) == 0 && RefreshState( state ) == exit_ok && state->states[job] != job_missing )
	{
		supClaims_Release( state->claims, wanted->id, driver->generations[job] );
		return claimed_not;
	}
	return claimed_ours;
}

// The next job of a group that is ours; -1 for none.
static int32_t TakeJob( Driver* driver, int32_t group )
{
	while ( driver->stopping == false )
	{
		int32_t job = PopWaiting( driver, group );
		if ( job < 0 || ClaimJob( driver, job ) == claimed_ours )
		{
			return job;
		}
	}
	return -1;
}

// Jobs of others: done by now, or left behind.
static void WatchElsewhere( Driver* driver )
{
	BatchState* state = driver->state;
	driver->refreshed = GetSeconds();
	if ( driver->elsewhere.count == 0 || RefreshState( state ) != exit_ok )
	{
		return;
	}
	int32_t kept = 0;
	for ( int32_t i = 0; i < driver->elsewhere.count; ++i )
	{
		int32_t job = driver->elsewhere.data[i];
		supClaimInfo info;
		if ( state->states[job] != job_elsewhere )
		{
			continue;
		}
		bool held = supClaims_Find( state->claims, driver->plan->jobs.data[job].id, &info ) && info.isStale == false;
		if ( held )
		{
			driver->elsewhere.data[kept++] = job;
		}
		else
		{
			PushWaiting( driver, job );
		}
	}
	driver->elsewhere.count = kept;
}

// ---------------------------------------------------------------------------------------------------------------------
// Builders

static bool StartBuilder( Driver* driver, int32_t job )
{
	int ends[2];
	if ( socketpair( AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends ) != 0 ||
		 SUP_PUSH( &driver->builders, ( Builder ){ .socket = ends[0],
												   .group = driver->plan->jobs.data[job].group,
												   .first = job,
												   .started = GetSeconds() } ) == false )
	{
		return false;
	}
	fflush( stdout );
	fflush( stderr );
	pid_t child = fork();
	if ( child == 0 )
	{
		// or builders would keep each other alive
		for ( int32_t i = 0; i < driver->builders.count; ++i )
		{
			if ( driver->builders.data[i].socket >= 0 )
			{
				close( driver->builders.data[i].socket );
			}
		}
		RunBuilder( &driver->setup, job, ends[1] );
	}
	close( ends[1] );
	if ( child < 0 )
	{
		close( ends[0] );
		driver->builders.count -= 1;
		return false;
	}
	// of its own, so that all of it can be ended at once
	setpgid( child, child );
	driver->builders.data[driver->builders.count - 1].process = child;
	return true;
}

static void SendJob( Driver* driver, Builder* builder, int32_t job )
{
	WorkerMessage* message = driver->message;
	message->kind = message_run;
	message->job = job;
	message->generation = driver->generations[job];
	message->attempt = driver->state->records[job].attempt + 1;
	message->text[0] = 0;
	// a result from before, of other inputs, is none of this bake
	int32_t attempt = driver->state->records[job].attempt;
	FreeRecord( driver->state->records + job );
	driver->state->records[job].attempt = attempt;
	driver->state->states[job] = job_running;
	// where it cannot be sent the builder has gone, which is seen next
	SendMessage( builder->socket, message );
	builder->running += 1;
	if ( SUP_PUSH( &driver->running,
				   ( Running ){ .job = job, .builder = builder->process, .started = GetSeconds() } ) == false )
	{
		Fail( driver, ReportMemory() );
	}
}

static int32_t CountActive( const Driver* driver )
{
	int32_t active = 0;
	for ( int32_t i = 0; i < driver->builders.count; ++i )
	{
		const Builder* builder = driver->builders.data + i;
		active += builder->isReady ? builder->running - builder->leaving : 1;
	}
	return active;
}

static int32_t CountBuilders( const Driver* driver )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < driver->builders.count; ++i )
	{
		count += driver->builders.data[i].isEnding ? 0 : 1;
	}
	return count;
}

// To the builder that has least to do.
static bool GiveToReady( Driver* driver )
{
	for ( ;; )
	{
		Builder* best = NULL;
		for ( int32_t i = 0; i < driver->builders.count; ++i )
		{
			Builder* builder = driver->builders.data + i;
			bool fits = builder->isReady && builder->isEnding == false && driver->heads[builder->group] >= 0;
			best = fits && ( best == NULL || builder->running < best->running ) ? builder : best;
		}
		int32_t job = best != NULL ? TakeJob( driver, best->group ) : -1;
		if ( job >= 0 )
		{
			SendJob( driver, best, job );
		}
		if ( best == NULL || job >= 0 || driver->stopping )
		{
			return job >= 0;
		}
	}
}

static bool HasBuilder( const Driver* driver, int32_t group )
{
	for ( int32_t i = 0; i < driver->builders.count; ++i )
	{
		if ( driver->builders.data[i].group == group && driver->builders.data[i].isEnding == false )
		{
			return true;
		}
	}
	return false;
}

static bool GiveToNew( Driver* driver )
{
	while ( driver->cursor < driver->plan->groupCount && driver->heads[driver->groups[driver->cursor]] < 0 )
	{
		driver->cursor += 1;
	}
	for ( int32_t i = driver->cursor; i < driver->plan->groupCount && driver->stopping == false; ++i )
	{
		int32_t group = driver->groups[i];
		int32_t job = driver->heads[group] >= 0 && HasBuilder( driver, group ) == false ? TakeJob( driver, group ) : -1;
		if ( job >= 0 && StartBuilder( driver, job ) )
		{
			driver->state->states[job] = job_running;
			return true;
		}
		if ( job >= 0 )
		{
			supClaims_Release( driver->state->claims, driver->plan->jobs.data[job].id, driver->generations[job] );
			PushWaiting( driver, job );
			Report( NULL, "cannot start another process: %s", strerror( errno ) );
			Fail( driver, exit_memory );
		}
	}
	return false;
}

static void GiveJobs( Driver* driver )
{
	while ( driver->stopping == false && CountActive( driver ) < driver->settings->workers )
	{
		// as many builders as workers, so that flesh is built beside bakes; at the end workers share those that are
		// left
		bool given = CountBuilders( driver ) < driver->settings->workers && GiveToNew( driver );
		given = given || GiveToReady( driver ) || GiveToNew( driver );
		if ( given == false )
		{
			break;
		}
	}
	// whose group is done may go
	for ( int32_t i = 0; i < driver->builders.count; ++i )
	{
		Builder* builder = driver->builders.data + i;
		bool idle = builder->isReady && builder->running == 0 && builder->isEnding == false;
		if ( idle && ( driver->heads[builder->group] < 0 || driver->stopping ) )
		{
			// its side stays open until its process ends, which wakes us
			shutdown( builder->socket, SHUT_WR );
			builder->isEnding = true;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Messages and ends of builders

static Running* FindRunning( Driver* driver, int32_t job )
{
	for ( int32_t i = 0; i < driver->running.count; ++i )
	{
		if ( driver->running.data[i].job == job )
		{
			return driver->running.data + i;
		}
	}
	return NULL;
}

static void RemoveRunning( Driver* driver, Builder* builder, int32_t job )
{
	Running* running = FindRunning( driver, job );
	if ( running != NULL )
	{
		builder->running -= 1;
		builder->leaving -= running->isLeaving ? 1 : 0;
		*running = driver->running.data[--driver->running.count];
	}
}

// The next bake may begin while the process of this one ends.
static void TakeResult( Driver* driver, Builder* builder, const WorkerMessage* message )
{
	Running* running = FindRunning( driver, message->job );
	if ( running != NULL && running->isLeaving == false )
	{
		running->isLeaving = true;
		builder->leaving += 1;
	}
	char id[BATCH_ID_LENGTH], key[BATCH_KEY_LENGTH];
	JobRecord record;
	if ( ParseRecord( message->text, strlen( message->text ), id, key, &record ) )
	{
		FreeRecord( driver->state->records + message->job );
		driver->state->records[message->job] = record;
	}
}

// The builder's process has gone: what it was doing is lost, or, where it could not build, its jobs have failed.
static void EndBuilder( Driver* driver, int32_t index, int status )
{
	Builder builder = driver->builders.data[index];
	driver->builders.data[index] = driver->builders.data[--driver->builders.count];
	if ( builder.socket >= 0 )
	{
		close( builder.socket );
	}
	char log[64], reason[400];
	FormatBuildLog( driver->plan->jobs.data + builder.first, log );
	for ( int32_t i = driver->running.count - 1; i >= 0; --i )
	{
		if ( driver->running.data[i].builder == builder.process )
		{
			int32_t job = driver->running.data[i].job;
			RemoveRunning( driver, &builder, job );
			LoseJob( driver, job, log );
		}
	}
	if ( builder.isReady )
	{
		return;
	}
	if ( WasKilled( status ) && builder.timedOut == false )
	{
		LoseJob( driver, builder.first, log );
		return;
	}
	WorkerMessage* ended = driver->message;
	*ended = ( WorkerMessage ){ .job = builder.first, .status = status, .timedOut = builder.timedOut };
	DescribeEnd( driver, ended, log, reason );
	for ( int32_t job = builder.first; job >= 0; job = TakeJob( driver, builder.group ) )
	{
		FailJob( driver, job, log, reason );
	}
}

static void TakeMessage( Driver* driver, Builder* builder )
{
	WorkerMessage* message = driver->message;
	if ( ReceiveMessage( builder->socket, message ) == false )
	{
		close( builder->socket );
		builder->socket = -1;
		return;
	}
	switch ( message->kind )
	{
		case message_ready:
			builder->isReady = true;
			driver->times->building += message->seconds;
			if ( driver->stopping == false )
			{
				SendJob( driver, builder, builder->first );
			}
			else
			{
				supClaims_Release( driver->state->claims, driver->plan->jobs.data[builder->first].id,
								   driver->generations[builder->first] );
				driver->state->states[builder->first] = job_missing;
			}
			break;
		case message_result:
			TakeResult( driver, builder, message );
			break;
		case message_ended:
			RemoveRunning( driver, builder, message->job );
			EndBake( driver, message );
			break;
		case message_run:
			break;
	}
}

static void ReapBuilders( Driver* driver )
{
	double limit = driver->settings->limits.seconds;
	for ( int32_t i = driver->builders.count - 1; i >= 0; --i )
	{
		Builder* builder = driver->builders.data + i;
		int status;
		if ( limit > 0.0 && builder->isReady == false && GetSeconds() - builder->started > limit )
		{
			builder->timedOut = true;
			kill( -builder->process, SIGKILL );
		}
		if ( waitpid( builder->process, &status, WNOHANG ) == builder->process )
		{
			EndBuilder( driver, i, status );
		}
	}
}

// Waits until something happens, not for long.
static void WaitForNews( Driver* driver )
{
	struct pollfd entries[256];
	int32_t count = 0;
	int patience = POLL_MS;
	for ( int32_t i = 0; i < driver->builders.count && count < SUP_COUNT( entries ); ++i )
	{
		patience = driver->builders.data[i].socket < 0 ? ENDING_POLL_MS : patience;
		entries[count++] = ( struct pollfd ){ .fd = driver->builders.data[i].socket, .events = POLLIN };
	}
	if ( poll( entries, (nfds_t)count, patience ) > 0 )
	{
		for ( int32_t i = 0; i < count; ++i )
		{
			if ( entries[i].revents != 0 )
			{
				TakeMessage( driver, driver->builders.data + i );
			}
		}
	}
	ReapBuilders( driver );
}

// ---------------------------------------------------------------------------------------------------------------------

static void ShowTable( Driver* driver )
{
	TableRow rows[64];
	int32_t count = 0;
	for ( int32_t i = 0; i < driver->builders.count && count < SUP_COUNT( rows ); ++i )
	{
		const Builder* builder = driver->builders.data + i;
		if ( builder->isReady == false )
		{
			rows[count++] =
				( TableRow ){ "building flesh", driver->plan->jobs.data[builder->first].character, builder->started };
		}
	}
	for ( int32_t i = 0; i < driver->running.count && count < SUP_COUNT( rows ); ++i )
	{
		const Running* running = driver->running.data + i;
		rows[count++] = ( TableRow ){ "baking", driver->plan->jobs.data[running->job].name, running->started };
	}
	TableCounts counts = CountJobs( driver );
	UpdateTable( &driver->table, rows, count, &counts );
}

// Ends everything at once and gives back what was claimed.
static void Abandon( Driver* driver )
{
	for ( int32_t i = 0; i < driver->builders.count; ++i )
	{
		Builder* builder = driver->builders.data + i;
		kill( -builder->process, SIGKILL );
		int status;
		waitpid( builder->process, &status, 0 );
		if ( builder->socket >= 0 )
		{
			close( builder->socket );
		}
		if ( builder->isReady == false )
		{
			supClaims_Release( driver->state->claims, driver->plan->jobs.data[builder->first].id,
							   driver->generations[builder->first] );
		}
	}
	for ( int32_t i = 0; i < driver->running.count; ++i )
	{
		int32_t job = driver->running.data[i].job;
		RemoveStaging( driver->plan->jobs.data + job, driver->generations[job] );
		supClaims_Release( driver->state->claims, driver->plan->jobs.data[job].id, driver->generations[job] );
	}
	driver->builders.count = 0;
	driver->running.count = 0;
}

static bool IsOver( const Driver* driver )
{
	bool busy = driver->builders.count > 0;
	bool more = driver->stopping == false &&
				( driver->waiting > 0 || ( driver->elsewhere.count > 0 && driver->settings->noWait == false ) );
	return busy == false && more == false;
}

static void HeedStop( Driver* driver )
{
	bool first = driver->stopping == false && IsStopped();
	if ( first )
	{
		driver->stopping = true;
		if ( driver->running.count > 0 )
		{
			Note( "finishing %s; Ctrl-C again ends at once", FormatPlural( driver->running.count, "bake", "bakes" ) );
		}
	}
	if ( GetStopUrgency() >= 2 )
	{
		driver->stopping = true;
		Abandon( driver );
	}
}

static void RunLoop( Driver* driver )
{
	GiveJobs( driver );
	while ( IsOver( driver ) == false )
	{
		ShowTable( driver );
		if ( IsOver( driver ) == false )
		{
			WaitForNews( driver );
		}
		HeedStop( driver );
		// before anything that waits for a disk
		GiveJobs( driver );
		supClaims_Beat( driver->state->claims );
		double now = GetSeconds();
		if ( now - driver->flushed > FLUSH_SECONDS )
		{
			FlushJournal( driver );
		}
		if ( now - driver->refreshed > REFRESH_SECONDS )
		{
			WatchElsewhere( driver );
		}
	}
	FlushJournal( driver );
}

// What processes that were killed after finishing a job have left.
static void SweepClaims( Driver* driver )
{
	BatchState* state = driver->state;
	for ( int32_t i = 0; i < driver->plan->jobs.count; ++i )
	{
		const BatchJob* job = driver->plan->jobs.data + i;
		supClaimInfo info;
		if ( state->states[i] == job_done && supClaims_Find( state->claims, job->id, &info ) && info.isStale )
		{
			for ( int32_t k = 0; k <= info.generation; ++k )
			{
				RemoveStaging( job, k );
			}
			supClaims_Release( state->claims, job->id, info.generation );
		}
	}
	supClaims_Sweep( state->claims );
}

int RunBatchJobs( BatchState* state, const RunSettings* settings, RunTimes* times )
{
	Driver driver = { .state = state, .plan = state->plan, .settings = settings, .times = times, .status = exit_ok };
	CommonSettings common = settings->common;
	common.json = false;
	driver.setup = ( WorkerSetup ){
		.plan = state->plan, .common = &common, .limits = settings->limits, .driver = (int64_t)getpid()
	};
	snprintf( driver.setup.owner, sizeof( driver.setup.owner ), "%s", supClaims_Owner( state->claims ) );
	driver.message = supAllocZeroed( sizeof( WorkerMessage ) );
	bool ok = driver.message != NULL && QueueJobs( &driver );
	driver.status = ok ? exit_ok : ReportMemory();
	if ( ok )
	{
		WatchForStop();
		BeginTable( &driver.table, &settings->common );
		RunLoop( &driver );
		EndTable( &driver.table );
		SweepClaims( &driver );
	}
	supFree( driver.heads );
	supFree( driver.nexts );
	supFree( driver.groups );
	supFree( driver.generations );
	supFree( driver.losses );
	supFree( driver.message );
	SUP_FREE_ARRAY( &driver.builders );
	SUP_FREE_ARRAY( &driver.running );
	SUP_FREE_ARRAY( &driver.elsewhere );
	SUP_FREE_ARRAY( &driver.unreleased );
	if ( driver.status != exit_ok )
	{
		return driver.status;
	}
	return IsStopped() ? exit_stopped : CountStates( state, job_failed ) > 0 ? exit_data : exit_ok;
}
