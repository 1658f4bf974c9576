// SPDX-License-Identifier: MIT
// The processes that do the work. A builder loads a character and builds its flesh once, then forks for each bake: what
// was built is shared as it is (copy on write), the document is fresh each time, and a bake that crashes, runs out of
// memory or takes too long takes only itself down. When the driver ends, builders end; when a builder ends, its bakes.
#define _GNU_SOURCE
#include "batch_snapshot.h"
#include "commands.h"
#include "io/common/file.h"
#include "report.h"
#include "sandbox.h"
#include "stop.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_BAKES 1024

// All of a message but its text
#define REQUEST_SIZE offsetof( WorkerMessage, text )

// ---------------------------------------------------------------------------------------------------------------------
// Messages

static size_t MessageSize( const WorkerMessage* message )
{
	return offsetof( WorkerMessage, text ) + strlen( message->text ) + 1;
}

bool SendMessage( int socket, const WorkerMessage* message )
{
	ssize_t sent;
	do
	{
		sent = send( socket, message, MessageSize( message ), MSG_NOSIGNAL );
	} while ( sent < 0 && errno == EINTR );
	return sent >= 0;
}

bool ReceiveMessage( int socket, WorkerMessage* message )
{
	ssize_t got;
	do
	{
		got = recv( socket, message, sizeof( *message ), 0 );
	} while ( got < 0 && errno == EINTR );
	message->text[MAX_RESULT - 1] = 0;
	return got >= (ssize_t)offsetof( WorkerMessage, text );
}

// ---------------------------------------------------------------------------------------------------------------------
// Names

void FormatBuildLog( const BatchJob* job, char name[64] )
{
	snprintf( name, 64, "logs/flesh-%016llx.log", (unsigned long long)job->flesh[0] );
}

void FormatBakeLog( const BatchJob* job, char name[64] )
{
	snprintf( name, 64, "logs/%s.log", job->id );
}

char* MakeStagingPath( const BatchJob* job, int32_t generation )
{
	size_t size = strlen( job->output ) + 64;
	char* path = supAllocSmall( size );
	const char* slash = strrchr( job->output, '/' );
	int folder = slash != NULL ? (int)( slash + 1 - job->output ) : 0;
	if ( path != NULL )
	{
		snprintf( path, size, "%.*s.supple-work-%s.%d", folder, job->output, job->id, generation );
	}
	return path;
}

void RemoveStaging( const BatchJob* job, int32_t generation )
{
	char* path = MakeStagingPath( job, generation );
	DIR* folder = path != NULL ? opendir( path ) : NULL;
	for ( struct dirent* entry; folder != NULL && ( entry = readdir( folder ) ) != NULL; )
	{
		// "." and ".." are folders and stay
		unlinkat( dirfd( folder ), entry->d_name, 0 );
	}
	if ( folder != NULL )
	{
		closedir( folder );
		rmdir( path );
	}
	supFree( path );
}

// Everything that is said goes into a log.
static void OpenLog( const WorkerSetup* setup, const char* name )
{
	char path[PATH_MAX];
	snprintf( path, sizeof( path ), "%s/%s", setup->plan->state, name );
	int file = open( path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666 );
	if ( file >= 0 )
	{
		fflush( stdout );
		dup2( file, STDOUT_FILENO );
		dup2( file, STDERR_FILENO );
		close( file );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// One bake, in a process of its own

// The words of the job as settings; `staged` is where its output goes for now.
static int ParseJob( const BatchJob* job, const char* staged, const CommonSettings* common, BakeJob* bake,
					 Arguments* arguments )
{
	char output[PATH_MAX];
	char dashes[] = "--";
	snprintf( output, sizeof( output ), "--output=%s", staged );
	char* copy = supCopyString( output );
	char** words = supAllocArray( (size_t)job->wordCount + 3, sizeof( char* ) );
	if ( words == NULL || copy == NULL )
	{
		return ReportMemory();
	}
	int32_t count = job->wordCount;
	memcpy( words, job->words, (size_t)count * sizeof( char* ) );
	words[count++] = copy;
	words[count++] = dashes;
	words[count++] = job->character;
	int status = exit_ok;
	// the texts stay until the process ends
	bool ok = ParseArguments( &g_bakeCommand, count, words, bake->settings, arguments, &status );
	bake->settings->common = *common;
	SetCommonSettings( common );
	return ok ? CheckBakeJob( &g_bakeCommand, bake, arguments, job->character ) : status;
}

static void FillRecord( const BakeJob* bake, JobRecord* record )
{
	const BakeTotals* totals = &bake->totals;
	record->done = true;
	record->frames = totals->frames;
	record->volumeError = totals->volumeError;
	record->stretch = totals->stretch;
	record->penetration = totals->penetration;
	record->torn = totals->looks.torn;
	record->worst = totals->looks.worst;
	record->far = totals->looks.far;
	record->alive = totals->looks.alive;
	record->stepMs = totals->stepMsMedian;
	const char* verdict = HasFlesh( bake->flesh ) ? supVerdictName( supLooks_Verdict( &totals->looks ) ) : "plain";
	record->verdict = supCopyString( verdict );
}

// Puts one finished file in its place. The record knows it by size and time of change.
static int PutInPlace( const WorkerSetup* setup, const BatchJob* job, int staging, const char* name, JobRecord* record )
{
	char path[PATH_MAX];
	const char* slash = strrchr( job->output, '/' );
	int folder = slash != NULL ? (int)( slash + 1 - job->output ) : 0;
	snprintf( path, sizeof( path ), "%.*s%s", folder, job->output, name );
	struct stat info;
	if ( renameat( staging, name, AT_FDCWD, path ) != 0 || stat( path, &info ) != 0 )
	{
		Report( path, "cannot move the result to its final name: %s", strerror( errno ) );
		return exit_output;
	}
	// as the job's own name is: relative to the folder of outputs where it lies below
	size_t root = strlen( setup->plan->folder );
	bool below = job->name[0] != '/';
	JobFile file = { .name = supCopyString( below ? path + root + ( setup->plan->folder[root - 1] != '/' ) : path ),
					 .size = info.st_size,
					 .modified = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec };
	return file.name != NULL && SUP_PUSH( &record->files, file ) ? exit_ok : ReportMemory();
}

static int PutAllInPlace( const WorkerSetup* setup, const BatchJob* job, const char* staging, JobRecord* record )
{
	struct dirent** entries = NULL;
	int count = scandir( staging, &entries, NULL, alphasort );
	int folder = open( staging, O_RDONLY | O_DIRECTORY | O_CLOEXEC );
	int status = count >= 0 && folder >= 0 ? exit_ok : exit_output;
	for ( int i = 0; i < count; ++i )
	{
		// what begins with a dot is still being written, or a folder
		if ( entries[i]->d_name[0] != '.' && status == exit_ok )
		{
			status = PutInPlace( setup, job, folder, entries[i]->d_name, record );
		}
		free( entries[i] );
	}
	free( entries );
	if ( folder >= 0 )
	{
		close( folder );
	}
	return status;
}

static int BakeStaged( const WorkerSetup* setup, const BatchJob* job, const char* staging, BakeJob* body,
					   JobRecord* record )
{
	BakeSettings settings = DefaultBakeSettings();
	Arguments arguments;
	BakeJob bake = { .settings = &settings, .source = body->source, .flesh = body->flesh };
	char staged[PATH_MAX];
	const char* slash = strrchr( job->output, '/' );
	snprintf( staged, sizeof( staged ), "%s/%s", staging, slash != NULL ? slash + 1 : job->output );
	int status = ParseJob( job, staged, setup->common, &bake, &arguments );
	// what was found out when the flesh was built
	settings.flesh = body->settings->flesh;
	bake.pool = status == exit_ok ? StartThreads( setup->common ) : NULL;
	status = status == exit_ok && bake.pool == NULL ? exit_memory : status;
	status = status == exit_ok ? ChooseBakeClips( &g_bakeCommand, &bake ) : status;
	status = status == exit_ok ? RunBakeJob( &bake ) : status;
	if ( status == exit_ok && IsStopped() )
	{
		status = exit_stopped;
	}
	if ( status == exit_ok )
	{
		FillRecord( &bake, record );
		SaveSnapshot( setup->plan, job, &bake, &record->worstTime );
	}
	// removes the frames; the rest goes with the process
	for ( int32_t i = 0; i < bake.clips.count; ++i )
	{
		supDestroyBake( bake.clips.data[i].bake, false );
	}
	return status;
}

static _Noreturn void RunBakeProcess( const WorkerSetup* setup, BakeJob* body, const WorkerMessage* request,
									  int socket )
{
	const BatchJob* job = setup->plan->jobs.data + request->job;
	char log[64];
	FormatBakeLog( job, log );
	OpenLog( setup, log );
	PrintJob( job );
	fflush( stdout );
	double start = GetSeconds();
	JobRecord record = { .attempt = request->attempt,
						 .log = supCopyString( log ),
						 .owner = supCopyString( setup->owner ) };
	char* staging = MakeStagingPath( job, request->generation );
	int status = staging != NULL ? exit_ok : ReportMemory();
	if ( status == exit_ok && mkdir( staging, 0777 ) != 0 && errno != EEXIST )
	{
		Report( staging, "cannot create this folder: %s", strerror( errno ) );
		status = exit_output;
	}
	status = status == exit_ok ? BakeStaged( setup, job, staging, body, &record ) : status;
	status = status == exit_ok ? PutAllInPlace( setup, job, staging, &record ) : status;
	RemoveStaging( job, request->generation );
	if ( status == exit_ok )
	{
		record.seconds = (float)( GetSeconds() - start );
		record.ended = (int64_t)time( NULL );
		char* line = FormatRecord( job, &record );
		WorkerMessage* message = supAllocZeroed( sizeof( WorkerMessage ) );
		bool fits = line != NULL && message != NULL && strlen( line ) < MAX_RESULT;
		if ( fits )
		{
			message->kind = message_result;
			message->job = request->job;
			snprintf( message->text, MAX_RESULT, "%s", line );
		}
		else
		{
			Report( job->output, "too many output files for a batch; use a single-file format such as .pc2 or .glb" );
		}
		status = fits && SendMessage( socket, message ) ? exit_ok : exit_data;
	}
	fflush( stdout );
	fflush( stderr );
	_exit( status );
}

// ---------------------------------------------------------------------------------------------------------------------
// The builder

typedef struct RunningBake
{
	pid_t process;
	int32_t job;
	double deadline; // GetSeconds; INFINITY: none
	bool timedOut;
} RunningBake;

typedef struct Builder
{
	const WorkerSetup* setup;
	BakeSettings settings;
	BakeJob body;
	int socket;
	int signals;
	double seconds;   // that building took
	double processor; // seconds of it
	// a process that is forked already and waits for the next bake, and how to tell it; 0 without
	pid_t spare;
	int sparePipe;
	int32_t bakeCount;
	RunningBake bakes[MOST_BAKES];
} Builder;

// Ends with its parent, also where that has ended already.
static void EndWithParent( pid_t parent )
{
	prctl( PR_SET_PDEATHSIG, SIGKILL );
	if ( getppid() != parent )
	{
		_exit( EXIT_FAILURE );
	}
}

static int BuildBody( Builder* builder, const BatchJob* job )
{
	Arguments arguments;
	int status = ParseJob( job, job->output, builder->setup->common, &builder->body, &arguments );
	status = status == exit_ok ? LoadBakeJob( &builder->body, job->character ) : status;
	if ( status == exit_ok )
	{
		builder->body.pool = StartThreads( builder->setup->common );
		status = builder->body.pool != NULL ? BuildBakeFlesh( &builder->body ) : exit_memory;
		// threads do not survive a fork
		supDestroyThreadPool( builder->body.pool );
		builder->body.pool = NULL;
	}
	return status;
}

// In the spare process: waits until it is told what to bake.
static _Noreturn void WaitAsSpare( Builder* builder, int reading, pid_t parent )
{
	WorkerMessage* request = supAllocZeroed( sizeof( WorkerMessage ) );
	sigset_t none;
	sigemptyset( &none );
	sigprocmask( SIG_SETMASK, &none, NULL );
	EndWithParent( parent );
	close( builder->signals );
	ssize_t got;
	do
	{
		got = request != NULL ? read( reading, request, REQUEST_SIZE ) : 0;
	} while ( got < 0 && errno == EINTR );
	close( reading );
	if ( got != (ssize_t)REQUEST_SIZE )
	{
		_exit( exit_ok );
	}
	RunBakeProcess( builder->setup, &builder->body, request, builder->socket );
}

// Forking copies page tables, which takes a millisecond or two: better beside a bake than before it.
static void ForkSpare( Builder* builder )
{
	int ends[2];
	if ( pipe2( ends, O_CLOEXEC ) != 0 )
	{
		return;
	}
	pid_t parent = getpid();
	pid_t child = fork();
	if ( child == 0 )
	{
		close( ends[1] );
		WaitAsSpare( builder, ends[0], parent );
	}
	close( ends[0] );
	if ( child < 0 )
	{
		close( ends[1] );
		return;
	}
	builder->spare = child;
	builder->sparePipe = ends[1];
}

static void DropSpare( Builder* builder )
{
	if ( builder->spare != 0 )
	{
		close( builder->sparePipe );
		builder->spare = 0;
	}
}

static void StartBake( Builder* builder, const WorkerMessage* request )
{
	double limit = builder->setup->limits.seconds;
	bool told = false;
	// twice, since a spare may have been killed
	for ( int32_t i = 0; i < 2 && told == false && builder->bakeCount < MOST_BAKES; ++i )
	{
		if ( builder->spare == 0 )
		{
			ForkSpare( builder );
		}
		pid_t spare = builder->spare;
		told = spare != 0 && write( builder->sparePipe, request, REQUEST_SIZE ) == (ssize_t)REQUEST_SIZE;
		if ( told )
		{
			builder->bakes[builder->bakeCount++] =
				( RunningBake ){ spare, request->job, limit > 0.0 ? GetSeconds() + limit : (double)INFINITY, false };
		}
		DropSpare( builder );
	}
	if ( told == false )
	{
		// as if it had run out of memory, which it has
		WorkerMessage ended = { .kind = message_ended, .job = request->job, .status = exit_memory << 8 };
		SendMessage( builder->socket, &ended );
		return;
	}
	ForkSpare( builder );
}

static double GetProcessorSeconds( const struct rusage* usage )
{
	return (double)( usage->ru_utime.tv_sec + usage->ru_stime.tv_sec ) +
		   1e-6 * (double)( usage->ru_utime.tv_usec + usage->ru_stime.tv_usec );
}

static void ReapBakes( Builder* builder )
{
	struct signalfd_siginfo info;
	(void)!read( builder->signals, &info, sizeof( info ) );
	int status;
	struct rusage usage;
	for ( pid_t child; ( child = wait4( -1, &status, WNOHANG, &usage ) ) > 0; )
	{
		if ( child == builder->spare )
		{
			DropSpare( builder );
		}
		for ( int32_t i = 0; i < builder->bakeCount; ++i )
		{
			if ( builder->bakes[i].process == child )
			{
				WorkerMessage ended = { .kind = message_ended,
										.job = builder->bakes[i].job,
										.status = status,
										.timedOut = builder->bakes[i].timedOut,
										.memory = (int64_t)usage.ru_maxrss * 1024,
										.processor = GetProcessorSeconds( &usage ) };
				builder->bakes[i] = builder->bakes[--builder->bakeCount];
				SendMessage( builder->socket, &ended );
				break;
			}
		}
	}
}

// Ends those that are late; returns the milliseconds until the next one would be, -1 for none.
static int EndLateBakes( Builder* builder )
{
	double now = GetSeconds(), next = (double)INFINITY;
	for ( int32_t i = 0; i < builder->bakeCount; ++i )
	{
		RunningBake* bake = builder->bakes + i;
		if ( bake->timedOut == false && now >= bake->deadline )
		{
			bake->timedOut = true;
			kill( bake->process, SIGKILL );
		}
		next = bake->timedOut == false && bake->deadline < next ? bake->deadline : next;
	}
	double left = 1000.0 * ( next - now ) + 1.0;
	return isfinite( next ) ? (int)( left < 60000.0 ? left : 60000.0 ) : -1;
}

static _Noreturn void ServeBakes( Builder* builder )
{
	WorkerMessage* message = supAllocZeroed( sizeof( WorkerMessage ) );
	if ( message == NULL )
	{
		_exit( exit_memory );
	}
	message->kind = message_ready;
	message->seconds = builder->seconds;
	message->processor = builder->processor;
	bool open = SendMessage( builder->socket, message );
	ForkSpare( builder );
	while ( open || builder->bakeCount > 0 )
	{
		struct pollfd entries[2] = { { .fd = builder->signals, .events = POLLIN },
									 { .fd = open ? builder->socket : -1, .events = POLLIN } };
		poll( entries, 2, EndLateBakes( builder ) );
		if ( entries[0].revents != 0 )
		{
			ReapBakes( builder );
		}
		if ( entries[1].revents != 0 )
		{
			open = ReceiveMessage( builder->socket, message );
			if ( open && message->kind == message_run )
			{
				StartBake( builder, message );
			}
			else if ( open == false )
			{
				DropSpare( builder );
			}
		}
	}
	_exit( exit_ok );
}

void RunBuilder( const WorkerSetup* setup, int32_t index, int socket )
{
	const BatchJob* job = setup->plan->jobs.data + index;
	// Ctrl-C is for the driver alone, which lets bakes finish
	setpgid( 0, 0 );
	EndWithParent( (pid_t)setup->driver );
	signal( SIGINT, SIG_DFL );
	signal( SIGTERM, SIG_DFL );
	// the table belongs to the driver
	SetHide( NULL, NULL );
	SetCommonSettings( setup->common );
	char log[64];
	FormatBuildLog( job, log );
	OpenLog( setup, log );
	LimitMemory( (uint64_t)( setup->limits.memoryMegabytes * 1048576.0 ) );
	Builder* builder = supAllocZeroed( sizeof( Builder ) );
	if ( builder == NULL )
	{
		_exit( ReportMemory() );
	}
	builder->setup = setup;
	builder->settings = DefaultBakeSettings();
	builder->body.settings = &builder->settings;
	builder->socket = socket;
	double start = GetSeconds();
	int status = BuildBody( builder, job );
#ifdef __GLIBC__
	// what building needed and flesh does not: every fork would copy its page tables
	malloc_trim( 0 );
#endif
	builder->seconds = GetSeconds() - start;
	struct rusage own, importers;
	getrusage( RUSAGE_SELF, &own );
	getrusage( RUSAGE_CHILDREN, &importers );
	builder->processor = GetProcessorSeconds( &own ) + GetProcessorSeconds( &importers );
	if ( status != exit_ok )
	{
		fflush( stderr );
		_exit( status );
	}
	sigset_t children;
	sigemptyset( &children );
	sigaddset( &children, SIGCHLD );
	sigprocmask( SIG_BLOCK, &children, NULL );
	builder->signals = signalfd( -1, &children, SFD_CLOEXEC );
	ServeBakes( builder );
}
