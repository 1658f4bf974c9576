// SPDX-License-Identifier: MIT
// The driver: starts builders, sends them jobs, and listens to them. One thread, one loop; anything that can crash or
// hang runs in other processes (batch_worker.c). Which jobs there are, and what became of them: batch_queue.c.
#define _GNU_SOURCE
#include "batch_queue.h"
#include "report.h"
#include "stop.h"
#include "text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_MS 200
// A process that has closed its socket is about to end
#define ENDING_POLL_MS 2
#define FLUSH_SECONDS 0.5
#define REFRESH_SECONDS 1.0

// A builder's process as the driver sees it.
typedef struct Builder
{
	pid_t process;
	int socket; // -1: closed from the other side
	int32_t group;
	int32_t first;   // the job that it was started for
	int32_t running; // bakes
	int32_t leaving; // of these: have sent their result, their process is ending
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
	JobQueue queue;
	WorkerSetup setup;
	SUP_ARRAY( Builder ) builders;
	SUP_ARRAY( Running ) running;
	SUP_ARRAY( struct pollfd ) polled; // one per builder
	WorkerMessage* message;
	RunTimes* times;
} Driver;

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
	message->generation = driver->queue.generations[job];
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
		FailBatch( &driver->queue, ReportMemory() );
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
			bool fits = builder->isReady && builder->isEnding == false && driver->queue.heads[builder->group] >= 0;
			best = fits && ( best == NULL || builder->running < best->running ) ? builder : best;
		}
		int32_t job = best != NULL ? TakeJob( &driver->queue, best->group ) : -1;
		if ( job >= 0 )
		{
			SendJob( driver, best, job );
		}
		if ( best == NULL || job >= 0 || driver->queue.stopping )
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
	while ( driver->queue.cursor < driver->plan->groupCount &&
			driver->queue.heads[driver->queue.groups[driver->queue.cursor]] < 0 )
	{
		driver->queue.cursor += 1;
	}
	for ( int32_t i = driver->queue.cursor; i < driver->plan->groupCount && driver->queue.stopping == false; ++i )
	{
		int32_t group = driver->queue.groups[i];
		int32_t job = driver->queue.heads[group] >= 0 && HasBuilder( driver, group ) == false
						  ? TakeJob( &driver->queue, group )
						  : -1;
		if ( job >= 0 && StartBuilder( driver, job ) )
		{
			driver->state->states[job] = job_running;
			return true;
		}
		if ( job >= 0 )
		{
			ReleaseJob( &driver->queue, job );
			PushWaiting( &driver->queue, job );
			Report( NULL, "cannot start another process: %s", strerror( errno ) );
			FailBatch( &driver->queue, exit_memory );
		}
	}
	return false;
}

static void GiveJobs( Driver* driver )
{
	while ( driver->queue.stopping == false && CountActive( driver ) < driver->settings->workers )
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
		if ( idle && ( driver->queue.heads[builder->group] < 0 || driver->queue.stopping ) )
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
	char log[64], reason[REASON_LENGTH];
	FormatBuildLog( driver->plan->jobs.data + builder.first, log );
	for ( int32_t i = driver->running.count - 1; i >= 0; --i )
	{
		if ( driver->running.data[i].builder == builder.process )
		{
			int32_t job = driver->running.data[i].job;
			RemoveRunning( driver, &builder, job );
			LoseJob( &driver->queue, job, log );
		}
	}
	if ( builder.isReady )
	{
		return;
	}
	if ( WasKilled( status ) && builder.timedOut == false )
	{
		LoseJob( &driver->queue, builder.first, log );
		return;
	}
	WorkerMessage* ended = driver->message;
	*ended = ( WorkerMessage ){ .job = builder.first, .status = status, .timedOut = builder.timedOut };
	DescribeEnd( &driver->queue, ended, log, reason );
	for ( int32_t job = builder.first; job >= 0; job = TakeJob( &driver->queue, builder.group ) )
	{
		FailJob( &driver->queue, job, log, reason );
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
			driver->times->buildingProcessor += message->processor;
			if ( driver->queue.stopping == false )
			{
				SendJob( driver, builder, builder->first );
			}
			else
			{
				ReleaseJob( &driver->queue, builder->first );
				driver->state->states[builder->first] = job_missing;
			}
			break;
		case message_result:
			TakeResult( driver, builder, message );
			break;
		case message_ended:
			RemoveRunning( driver, builder, message->job );
			EndBake( &driver->queue, message );
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
	int patience = POLL_MS;
	driver->polled.count = 0;
	for ( int32_t i = 0; i < driver->builders.count; ++i )
	{
		int socket = driver->builders.data[i].socket;
		patience = socket < 0 ? ENDING_POLL_MS : patience;
		if ( SUP_PUSH( &driver->polled, ( struct pollfd ){ .fd = socket, .events = POLLIN } ) == false )
		{
			FailBatch( &driver->queue, ReportMemory() );
			break;
		}
	}
	if ( poll( driver->polled.data, (nfds_t)driver->polled.count, patience ) > 0 )
	{
		for ( int32_t i = 0; i < driver->polled.count; ++i )
		{
			if ( driver->polled.data[i].revents != 0 )
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
	TableCounts counts = CountJobs( &driver->queue );
	UpdateTable( &driver->queue.table, rows, count, &counts );
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
			ReleaseJob( &driver->queue, builder->first );
		}
	}
	for ( int32_t i = 0; i < driver->running.count; ++i )
	{
		int32_t job = driver->running.data[i].job;
		RemoveStaging( driver->plan->jobs.data + job, driver->queue.generations[job] );
		ReleaseJob( &driver->queue, job );
	}
	driver->builders.count = 0;
	driver->running.count = 0;
}

static bool IsOver( const Driver* driver )
{
	bool busy = driver->builders.count > 0;
	bool more =
		driver->queue.stopping == false &&
		( driver->queue.waiting > 0 || ( driver->queue.elsewhere.count > 0 && driver->settings->noWait == false ) );
	return busy == false && more == false;
}

static void HeedStop( Driver* driver )
{
	bool first = driver->queue.stopping == false && IsStopped();
	if ( first )
	{
		driver->queue.stopping = true;
		if ( driver->running.count > 0 )
		{
			Note( "finishing %s; press Ctrl-C again to stop immediately",
				  FormatPlural( driver->running.count, "bake", "bakes" ) );
		}
	}
	if ( GetStopUrgency() >= 2 )
	{
		driver->queue.stopping = true;
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
		if ( now - driver->queue.flushed > FLUSH_SECONDS )
		{
			FlushJournal( &driver->queue );
		}
		if ( now - driver->queue.refreshed > REFRESH_SECONDS )
		{
			WatchElsewhere( &driver->queue );
		}
	}
	FlushJournal( &driver->queue );
}

int RunBatchJobs( BatchState* state, const RunSettings* settings, RunTimes* times )
{
	Driver driver = { .state = state, .plan = state->plan, .settings = settings, .times = times };
	CommonSettings common = settings->common;
	common.json = false;
	driver.setup = ( WorkerSetup ){
		.plan = state->plan, .common = &common, .limits = settings->limits, .driver = (int64_t)getpid()
	};
	snprintf( driver.setup.owner, sizeof( driver.setup.owner ), "%s", supClaims_Owner( state->claims ) );
	driver.message = supAllocZeroed( sizeof( WorkerMessage ) );
	bool ok = OpenJobQueue( &driver.queue, state, settings, times ) && driver.message != NULL;
	int status = ok ? exit_ok : ReportMemory();
	if ( ok )
	{
		WatchForStop();
		BeginTable( &driver.queue.table, &settings->common );
		RunLoop( &driver );
		EndTable( &driver.queue.table );
		SweepClaims( &driver.queue );
		status = driver.queue.status;
	}
	CloseJobQueue( &driver.queue );
	supFree( driver.message );
	SUP_FREE_ARRAY( &driver.builders );
	SUP_FREE_ARRAY( &driver.polled );
	SUP_FREE_ARRAY( &driver.running );
	if ( status != exit_ok )
	{
		return status;
	}
	return IsStopped() ? exit_stopped : CountStates( state, job_failed ) > 0 ? exit_data : exit_ok;
}
