// SPDX-License-Identifier: MIT
// supple live: a character moved by a tracker, step by step in real time; or by a stream that was recorded, as fast as
// it goes and with the same bits each time.
#define _DEFAULT_SOURCE
#include "live.h"

#include "commands.h"
#include "core/clock.h"
#include "core/core.h"
#include "io/motion/osc.h"
#include "report.h"
#include "stop.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>

// Behind by more than this, steps are left out: what is late for good is better forgotten.
#define LATE_SECONDS 0.25

// Packets taken in a step that is late already, so that a flood of them cannot hold it up.
#define LATE_PACKETS 256

#define LIVE_EXTENSIONS ".png .mp4 .webm .gif " BAKE_EXTENSIONS

static const ArgOption s_options[] = {
	{ "studio", 0, arg_flag, offsetof( LiveSettings, opensStudio ), NULL,
	  "Open the studio with the tracker's motion in it: status of the stream, calibrate, record to a clip.", 0, 0,
	  false },
	STUDIO_OPTIONS( LiveSettings, studio ),
	{ "vmc", 0, arg_integer, offsetof( LiveSettings, port ), "PORT",
	  "UDP port to receive VMC on; most trackers send to 39539. 0 picks a free port and prints it.", 0, 65535, false },
	{ "bind", 0, arg_text, offsetof( LiveSettings, address ), "ADDRESS",
	  "Numeric address to listen on. Default: 127.0.0.1 (this machine only); 0.0.0.0 accepts other machines.", 0, 0,
	  false },
	{ "replay", 0, arg_text, offsetof( LiveSettings, replay ), "STREAM",
	  "Play a recorded stream instead. The result has the same bits each time.", 0, 0, false },
	{ "record", 0, arg_text, offsetof( LiveSettings, record ), "STREAM",
	  "Record the stream with its timing to a .vmc file.", 0, 0, false },
	{ "seconds", 0, arg_number, offsetof( LiveSettings, seconds ), "N",
	  "Duration. Default: until Ctrl-C, or the end of a recorded stream.", 0.01, 86400, false },
	{ "output", 'o', arg_text, offsetof( LiveSettings, output ), "OUT",
	  "Output file: .mp4, .webm or .gif (a film, drawn afterwards), .png (the last frame), or a cache as for bake: .glb, .gltf, .pc2, .mdd, .obj, .usda, .usdz.",
	  0, 0, false },
	{ "method", 'm', arg_text, offsetof( LiveSettings, stage.methods ), "M,...",
	  "Method, or several side by side for a film, optionally with parameters: lattice:fat.frequency=3. Default: position, or dqs if the character cannot have flesh.",
	  0, 0, false },
	SET_OPTIONS,
	FLESH_OPTION( LiveSettings, stage.flesh ),
	UNIT_OPTION( LiveSettings, stage.unit ),
	TOUCH_OPTIONS( LiveSettings, stage.touch ),
	SETTINGS_OPTION( LiveSettings, stage.settings ),
	{ "map", 0, arg_text, offsetof( LiveSettings, map ), "MAP",
	  "JSON file { \"LeftUpperArm\": \"joint of the character\", ... }, for characters that are not recognised.", 0, 0,
	  false },
	{ "in-place", 0, arg_flag, offsetof( LiveSettings, inPlace ), NULL, "Remove the root's travel over the ground.", 0,
	  0, false },
	{ "fps", 0, arg_number, offsetof( LiveSettings, stage.fps ), "N", "Steps per second. Default: 30.", 1, 240, false },
	{ "substeps", 0, arg_integer, offsetof( LiveSettings, stage.substeps ), "N",
	  "Simulation substeps per step. Default: enough that one is at most 1/60 s.", 1, 1000, false },
	{ "delay", 0, arg_number, offsetof( LiveSettings, delay ), "T",
	  "Delay behind the tracker, in seconds; longer delays bridge longer gaps. Default: 0.05.", 0, 5, false },
	{ "prediction", 0, arg_number, offsetof( LiveSettings, prediction ), "T",
	  "Time to extrapolate motion when no data arrives, in seconds. Default: 0.1.", 0, 1, false },
	{ "smoothing", 0, arg_number, offsetof( LiveSettings, smoothing ), "T",
	  "Time constant of noise smoothing, in seconds. Default: 0.", 0, 5, false },
	{ "size", 0, arg_text, offsetof( LiveSettings, stage.size ), "WxH",
	  "Size of the film or picture in pixels. Default: 1280x720.", 0, 0, false },
	{ "view", 0, arg_text, offsetof( LiveSettings, stage.view ), "VIEW",
	  "View, as for render: front, side, back, top, three-quarter (default), or degrees: 30,10.", 0, 0, false },
	{ "overlay", 0, arg_text, offsetof( LiveSettings, stage.overlay ), "O,...",
	  "Overlays, as for render: skeleton, stretch, ...", 0, 0, false },
};

// ---------------------------------------------------------------------------------------------------------------------
// Poses

// The first pose is the start of a shot: flesh is at rest in it, not flung there from the pose at rest.
static void PushFrame( LiveJob* job )
{
	const supPose* pose = supVmc_Pose( job->vmc );
	for ( int32_t i = 0; i < job->stage.panelCount; ++i )
	{
		supActor* actor = job->stage.panels[i].actor;
		supActor_PushPose( actor, pose, supVmc_Time( job->vmc ) );
		if ( job->started == false )
		{
			supPose_Copy( supActor_Pose( actor ), pose );
			supActor_Reset( actor );
		}
	}
	job->started = true;
}

static void Deliver( LiveJob* job, const supVmcPacket* packet )
{
	if ( supVmc_Receive( job->vmc, packet->bytes, packet->byteCount, 1e-6 * (double)packet->arrival ) )
	{
		PushFrame( job );
	}
}

// Everything that had come by this step.
static void TakeRecorded( LiveJob* job, double stepTime, size_t* place )
{
	supVmcPacket packet;
	size_t next = *place;
	while ( supVmcLog_Next( &job->log, &next, &packet ) && (double)packet.arrival <= 1e6 * stepTime + 0.5 )
	{
		Deliver( job, &packet );
		*place = next;
	}
}

static void KeepPacket( LiveJob* job, const supVmcPacket* packet )
{
	if ( job->keepsLog && supVmcLog_Add( &job->log, packet->arrival, packet->bytes, packet->byteCount ) == false )
	{
		job->keepsLog = false;
		Note( "out of memory for the stream: the recording ends here" );
	}
	if ( job->keepsLog && job->recorder.file >= 0 && supVmcRecorder_Add( &job->recorder, packet ) == false )
	{
		Note( "cannot write %s (%s): the stream is kept in memory and saved at the end", job->recorder.path,
			  strerror( errno ) );
		supVmcRecorder_Close( &job->recorder, false );
	}
}

// What comes until the time of this step. Stamped so that a replay takes it in the same step.
static void TakeLive( LiveJob* job, double start, double stepTime )
{
	double now = GetSeconds() - start;
	for ( int32_t late = 0; IsStopped() == false && late < LATE_PACKETS; )
	{
		double wait = supMaxFloat( 0.0f, (float)( stepTime - now ) );
		int32_t size = supVmcSocket_Receive( &job->socket, job->packet, (int32_t)ceil( 1000.0 * wait ) );
		now = GetSeconds() - start;
		if ( size >= 0 )
		{
			uint64_t arrival = (uint64_t)( 1e6 * ( now < stepTime ? now : stepTime ) );
			arrival = arrival > job->log.lastArrival ? arrival : job->log.lastArrival;
			supVmcPacket packet = { arrival, job->packet, (uint32_t)size };
			KeepPacket( job, &packet );
			Deliver( job, &packet );
			late += now >= stepTime;
		}
		else if ( now >= stepTime )
		{
			break;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Steps

static void Step( LiveJob* job )
{
	double start = supGetMilliseconds();
	for ( int32_t i = 0; i < job->stage.panelCount; ++i )
	{
		supScene_Step( job->stage.panels[i].scene, (float)( 1.0 / job->settings->stage.fps ) );
	}
	double ms = supGetMilliseconds() - start;
	job->counts.steps += 1;
	job->counts.stepMs += ms;
	job->counts.stepMsMax = ms > job->counts.stepMsMax ? ms : job->counts.stepMsMax;
}

static void Count( LiveJob* job, double seconds )
{
	job->counts.vmc = supVmc_GetStats( job->vmc );
	job->counts.stream = supActor_GetStreamStats( job->stage.panels[0].actor );
	job->counts.seconds = seconds;
}

// Everybody at rest, nothing heard yet.
static int Rewind( LiveJob* job )
{
	const LiveSettings* settings = job->settings;
	supStreamDef def = supDefaultStreamDef();
	// a pose is pushed before the step at whose end it was there: the stream takes it to be a step older than it is
	def.delay = isnan( settings->delay ) ? def.delay : (float)settings->delay;
	def.delay += (float)( 1.0 / settings->stage.fps );
	def.prediction = isnan( settings->prediction ) ? def.prediction : (float)settings->prediction;
	def.smoothing = isnan( settings->smoothing ) ? def.smoothing : (float)settings->smoothing;
	supVmcDef vmcDef = { .inPlace = settings->inPlace };
	if ( job->map != NULL )
	{
		vmcDef.pairCount = job->map->pairCount;
		vmcDef.pairs = job->map->pairs;
	}
	supError error = { 0 };
	supDestroyVmc( job->vmc );
	job->vmc = supCreateVmc( job->stage.sources[0].character, &vmcDef, &error );
	BeginStage( &job->stage, 0.0f );
	for ( int32_t i = 0; job->vmc != NULL && i < job->stage.panelCount; ++i )
	{
		if ( supActor_OpenStream( job->stage.panels[i].actor, &def, &error ) == false )
		{
			break;
		}
	}
	job->started = false;
	job->counts = ( LiveCounts ){ 0 };
	return error.code == sup_errorNone ? exit_ok : ReportError( job->stage.sources[0].path, &error );
}

// In real time, from the socket.
static int PlayLive( LiveJob* job, bool adds )
{
	double fps = job->settings->stage.fps;
	double start = GetSeconds();
	int status = exit_ok;
	for ( int64_t step = 1; status == exit_ok && IsStopped() == false; ++step )
	{
		double stepTime = (double)step / fps;
		double late = GetSeconds() - start - stepTime;
		bool last = isnan( job->settings->seconds ) == false && stepTime >= job->settings->seconds;
		if ( late > LATE_SECONDS && last == false )
		{
			job->counts.skippedSteps += 1;
			continue;
		}
		TakeLive( job, start, stepTime );
		Step( job );
		status = job->started && adds ? AddLiveFrame( job ) : exit_ok;
		Count( job, GetSeconds() - start );
		ShowLiveStatus( job );
		if ( last || IsLiveOutputFull( job ) )
		{
			break;
		}
	}
	HideLiveStatus( job );
	return status;
}

// As fast as it goes, from what was recorded.
static int PlayRecorded( LiveJob* job, const char* label )
{
	double fps = job->settings->stage.fps;
	double seconds = 1e-6 * (double)job->log.lastArrival;
	seconds = seconds < job->settings->seconds || isnan( job->settings->seconds ) ? seconds : job->settings->seconds;
	int64_t steps = (int64_t)ceil( seconds * fps ) + 1;
	size_t place = 0;
	int status = exit_ok;
	Progress progress;
	BeginProgress( &progress, stderr, label );
	for ( int64_t step = 1; step <= steps && status == exit_ok && IsStopped() == false; ++step )
	{
		TakeRecorded( job, (double)step / fps, &place );
		Step( job );
		status = job->started ? AddLiveFrame( job ) : exit_ok;
		Count( job, (double)step / fps );
		UpdateProgress( &progress, step, steps, NULL );
	}
	EndProgress( &progress );
	return status;
}

// ---------------------------------------------------------------------------------------------------------------------

static const char* GetAddress( const LiveSettings* settings )
{
	return settings->address != NULL ? settings->address : "127.0.0.1";
}

static int OpenInput( LiveJob* job )
{
	const LiveSettings* settings = job->settings;
	supError error = { 0 };
	if ( settings->map != NULL && ( job->map = supLoadNameMap( settings->map, &error ) ) == NULL )
	{
		return ReportError( settings->map, &error );
	}
	if ( settings->replay != NULL )
	{
		return supVmcLog_Load( &job->log, settings->replay, &error ) ? exit_ok : ReportError( NULL, &error );
	}
	job->keepsLog = settings->record != NULL || job->output.kind == live_film;
	if ( settings->record != NULL && supVmcRecorder_Open( &job->recorder, settings->record, &error ) == false )
	{
		return ReportError( NULL, &error );
	}
	job->packet = supAlloc( SUP_MAX_OSC_BYTES );
	if ( job->packet == NULL )
	{
		return ReportMemory();
	}
	job->isOpen = supVmcSocket_Open( &job->socket, GetAddress( settings ), settings->port, &error );
	return job->isOpen ? exit_ok : ReportError( NULL, &error );
}

static int ReportSilence( const LiveJob* job )
{
	const supVmcStats* vmc = &job->counts.vmc;
	if ( job->settings->replay != NULL )
	{
		Report( job->settings->replay, "the stream has no complete frame (%lld packets, %lld malformed)",
				(long long)vmc->packets, (long long)( vmc->malformed + vmc->badMessages ) );
	}
	else if ( vmc->packets == 0 )
	{
		Report( NULL,
				"nothing received on port %d; the tracker must send VMC to this machine's address and this "
				"port; a tracker on another machine needs --bind 0.0.0.0",
				job->socket.port );
	}
	else
	{
		Report( NULL, "received %lld packets on port %d (%lld malformed) but no complete frame: is it VMC?",
				(long long)vmc->packets, job->socket.port, (long long)( vmc->malformed + vmc->badMessages ) );
	}
	return exit_data;
}

// A film takes longer to draw than to play: it is drawn from what was kept, after the tracker has gone.
static int PlayAll( LiveJob* job )
{
	bool isLive = job->settings->replay == NULL;
	bool later = isLive && job->output.kind == live_film;
	int status = Rewind( job );
	status = status == exit_ok && later == false ? BeginLiveOutput( job, job->settings->seconds ) : status;
	if ( status != exit_ok )
	{
		return status;
	}
	if ( isLive )
	{
		Note( "listening for VMC on %s port %d; Ctrl-C stops", GetAddress( job->settings ), job->socket.port );
	}
	status = isLive ? PlayLive( job, later == false ) : PlayRecorded( job, "Replaying" );
	if ( status == exit_ok && isLive && job->settings->record != NULL )
	{
		supError error = { 0 };
		status = supVmcLog_Save( &job->log, job->settings->record, &error ) ? exit_ok : ReportError( NULL, &error );
		// what could not be saved stays where it is
		supVmcRecorder_Close( &job->recorder, status != exit_ok );
	}
	if ( status == exit_ok && job->started == false )
	{
		return ReportSilence( job );
	}
	if ( status == exit_ok && later )
	{
		LiveCounts counts = job->counts;
		WatchForStop();
		status = BeginLiveOutput( job, job->settings->seconds );
		status = status == exit_ok ? Rewind( job ) : status;
		status = status == exit_ok ? PlayRecorded( job, "Filming" ) : status;
		job->counts = counts;
	}
	return status;
}

static int RunJob( const Command* command, LiveJob* job, const Arguments* arguments )
{
	int status = OpenInput( job );
	bool draws = job->output.kind == live_film || job->output.kind == live_picture;
	status = status == exit_ok ? OpenStage( &job->stage, arguments, job->stage.tasks, draws ) : status;
	if ( status == exit_ok && job->output.kind == live_cache )
	{
		status = CheckSideFile( command, job->settings->output, job->stage.sources );
	}
	if ( status == exit_ok )
	{
		WatchForStop();
		status = PlayAll( job );
	}
	int ended = EndLiveOutput( job, status == exit_ok );
	status = status == exit_ok ? ended : status;
	if ( status == exit_ok )
	{
		PrintLiveSummary( job );
	}
	// a sender has no end of its own; a recording has
	return status == exit_ok && IsStopped() && job->settings->replay != NULL ? exit_stopped : status;
}

static int CheckSettings( const Command* command, LiveJob* job, const Arguments* arguments )
{
	const LiveSettings* settings = job->settings;
	if ( supHasVmc() == false )
	{
		Report( NULL, "built without liblo, which receives tracker data; install liblo-dev and build again" );
		return exit_data;
	}
	if ( ( settings->port >= 0 ) == ( settings->replay != NULL ) )
	{
		return ReportUsage( command, "requires either --vmc PORT or --replay STREAM" );
	}
	if ( settings->replay != NULL && ( settings->record != NULL || settings->address != NULL ) )
	{
		return ReportUsage( command, "--record and --bind require --vmc" );
	}
	if ( settings->opensStudio && settings->output != NULL )
	{
		return ReportUsage( command, "--studio and -o exclude each other; the studio saves what it shows" );
	}
	const StageSettings* stage = &settings->stage;
	bool saysFlesh = arguments->orderedCount > 0 || stage->settings != NULL || stage->flesh != NULL ||
					 HasTouch( &stage->touch ) || stage->unit != NULL;
	if ( settings->opensStudio && ( saysFlesh || isnan( settings->seconds ) == false ) )
	{
		return ReportUsage( command,
							"with --studio, softness, contact and unit are set in the page, and Ctrl-C ends it" );
	}
	if ( settings->opensStudio == false && ( settings->studio.noOpen || settings->studio.page != NULL ) )
	{
		return ReportUsage( command, "--no-open and --page require --studio" );
	}
	const char* inputs[] = { arguments->files[0], settings->replay, settings->map };
	int status = exit_ok;
	if ( settings->output != NULL )
	{
		status = CheckOutput( command, settings->output, LIVE_EXTENSIONS, inputs, SUP_COUNT( inputs ) );
	}
	if ( status == exit_ok && settings->record != NULL )
	{
		status = CheckOutput( command, settings->record, ".vmc", inputs, SUP_COUNT( inputs ) );
	}
	status =
		status == exit_ok ? PrepareStage( command, &settings->stage, arguments, DEFAULT_METHOD, &job->stage ) : status;
	job->output.kind = FindLiveOutput( settings->output );
	if ( status == exit_ok && settings->opensStudio && job->stage.fleshCount > 1 )
	{
		return ReportUsage( command, "--studio starts with one method; compare others in the page" );
	}
	if ( status == exit_ok && job->output.kind == live_cache && job->stage.fleshCount > 1 )
	{
		return ReportUsage( command, "a cache takes one method; use a film for several" );
	}
	return status;
}

static int RunLive( const Command* command, int argc, char** argv )
{
	LiveSettings settings = {
		.stage = DEFAULT_STAGE_SETTINGS, .port = -1, .seconds = NAN, .delay = NAN, .prediction = NAN, .smoothing = NAN
	};
	settings.stage.clip.rest = true;
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	LiveJob job = { .settings = &settings, .recorder = { .file = -1 } };
	status = CheckSettings( command, &job, &arguments );
	if ( status == exit_ok && settings.opensStudio )
	{
		settings.studio.method = settings.stage.methods;
		status = RunLiveStudio( &settings, arguments.files[0] );
		FreeArguments( &arguments );
		return status;
	}
	settings.stage.documents = job.output.kind == live_cache;
	supThreadPool* pool = status == exit_ok ? StartThreads( &settings.common ) : NULL;
	if ( pool != NULL )
	{
		job.stage.tasks = supThreadPool_Tasks( pool );
		status = RunJob( command, &job, &arguments );
		supDestroyVmc( job.vmc );
		CloseStage( &job.stage );
		supDestroyThreadPool( pool );
	}
	else if ( status == exit_ok )
	{
		status = exit_memory;
	}
	if ( job.isOpen )
	{
		supVmcSocket_Close( &job.socket );
	}
	// nothing has come yet, or it failed: nothing worth keeping, or all that there is
	supVmcRecorder_Close( &job.recorder, job.log.packetCount > 0 );
	supVmcLog_Free( &job.log );
	supDestroyNameMap( job.map );
	supFree( job.packet );
	FreeArguments( &arguments );
	return status;
}

const Command g_liveCommand = {
	.name = "live",
	.summary = "drive a character from a tracker in real time",
	.usage = "FILE (--vmc PORT | --replay STREAM) [--method M] [--seconds N] [--studio | -o OUT] [--record STREAM]",
	.about =
		"Receives the VMC protocol (OSC over UDP) of VTuber and webcam trackers, retargets the motion to the character and simulates it in real time. Late, reordered, damaged and missing packets are handled. The stream can be recorded and replayed, and the result filmed or written as a cache. docs/live.md explains how to set up a tracker.",
	.examples = "supple live builtin:bunny --vmc 39539 --studio\n"
				"supple live builtin:bunny --vmc 39539 --method lattice\n"
				"supple live hero.glb --vmc 39539 --seconds 20 --record take1.vmc -o take1.mp4\n"
				"supple live hero.glb --replay take1.vmc --method dqs,lattice -o compare.mp4\n"
				"supple live hero.fbx --vmc 39539 --bind 0.0.0.0 -o take2.glb",
	ARG_OPTIONS( s_options ),
	.fileName = "FILE",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunLive,
};
