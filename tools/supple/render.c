// SPDX-License-Identifier: MIT
// supple render: still pictures, contact sheets and films.
#include "render.h"
#include "commands.h"
#include "io/common/file.h"
#include "json.h"
#include "report.h"
#include "show.h"
#include "stop.h"
#include "terminal.h"
#include "text.h"

#include <math.h>

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( RenderSettings, output ), "OUT",
	  "Output file: .png for a picture or sheet; .mp4, .webm or .gif for a film.", 0, 0, true },
	STAGE_OPTIONS( RenderSettings, stage ),
	{ "time", 0, arg_number, offsetof( RenderSettings, time ), "T",
	  "Time in the clip for a picture, in seconds. Default: its middle.", 0, 0, false },
	{ "sheet", 0, arg_text, offsetof( RenderSettings, sheet ), "CxR",
	  "Draw a contact sheet of the clip with C columns and R rows.", 0, 0, false },
	{ "worst", 0, arg_count, offsetof( RenderSettings, worst ), "[N]",
	  "Draw close-ups of the N places (default 4) where flesh stretches or squeezes the skin most, above the same places under linear blend skinning.",
	  1, MOST_WORST_PLACES, false },
};

typedef struct RenderJob
{
	const RenderSettings* settings;
	int32_t columns, rows; // of the sheet; 1 x 1 without
	Stage stage;
	RenderSummary summary;
} RenderJob;

static int CheckSettings( const Command* command, RenderJob* job )
{
	const RenderSettings* settings = job->settings;
	job->columns = 1;
	job->rows = 1;
	if ( settings->sheet != NULL && ParsePair( settings->sheet, &job->columns, &job->rows, 64 ) == false )
	{
		return ReportUsage( command, "option --sheet: expected columns and rows up to 64, such as 4x2 (got '%s')",
							settings->sheet );
	}
	char extension[17];
	supGetExtension( settings->output, extension );
	bool isStill = strcmp( extension, ".png" ) == 0;
	if ( isStill == false && ( settings->sheet != NULL || isnan( settings->time ) == false || settings->worst != 0 ) )
	{
		return ReportUsage( command,
							"--sheet, --time and --worst are for pictures (.png); use --from and --to for films" );
	}
	if ( settings->worst != 0 && ( settings->sheet != NULL || isnan( settings->time ) == false ) )
	{
		return ReportUsage( command, "--worst excludes --sheet and --time" );
	}
	if ( settings->worst != 0 && settings->stage.focus != NULL )
	{
		return ReportUsage( command, "--worst excludes --focus" );
	}
	if ( settings->sheet != NULL && isnan( settings->time ) == false )
	{
		return ReportUsage( command, "--sheet excludes --time" );
	}
	return exit_ok;
}

static int DrawStill( RenderJob* job )
{
	Stage* stage = &job->stage;
	const RenderSettings* settings = job->settings;
	bool timed = isnan( settings->time ) == false;
	float time = timed ? ChooseTime( stage->choices, settings->time ) : 0.5f * ( stage->from + stage->to );
	// a shot begins at rest where the clip begins, not where the picture is taken
	BeginStage( stage, stage->from );
	if ( time >= stage->from )
	{
		PlayStage( stage, stage->from, time );
	}
	else
	{
		BeginStage( stage, time );
	}
	supPicture picture = { 0 };
	int status = FrameStage( stage, shot_still, 0, stage->width, stage->height );
	status = status == exit_ok ? DrawStage( stage, stage->width, stage->height, NULL, &picture ) : status;
	supError error = { 0 };
	if ( status == exit_ok && supPicture_SavePng( &picture, settings->output, &error ) == false )
	{
		status = ReportError( settings->output, &error );
	}
	supPicture_Destroy( &picture );
	return status;
}

static int DrawSheet( RenderJob* job )
{
	Stage* stage = &job->stage;
	supPicture sheet = { 0 };
	if ( supPicture_Create( &sheet, stage->width, stage->height ) == false )
	{
		return ReportMemory();
	}
	int32_t count = job->columns * job->rows;
	int status = FrameStage( stage, shot_sheet, count, stage->width / job->columns, stage->height / job->rows );
	float last = stage->from;
	Progress progress;
	BeginProgress( &progress, stderr, "Drawing" );
	BeginStage( stage, stage->from );
	for ( int32_t i = 0; i < count && status == exit_ok; ++i )
	{
		float time = count > 1 ? supLerpFloat( stage->from, stage->to, (float)i / (float)( count - 1 ) ) : stage->from;
		PlayStage( stage, last, time );
		last = time;
		int32_t column = i % job->columns, row = i / job->columns;
		int32_t left = stage->width * column / job->columns, right = stage->width * ( column + 1 ) / job->columns;
		int32_t top = stage->height * row / job->rows, bottom = stage->height * ( row + 1 ) / job->rows;
		char caption[32];
		snprintf( caption, sizeof( caption ), "%.2f s", (double)time );
		supPicture cell = { 0 };
		status = DrawStage( stage, right - left, bottom - top, caption, &cell );
		supPicture_Paste( &sheet, &cell, left, top );
		supPicture_Destroy( &cell );
		UpdateProgress( &progress, i + 1, count, NULL );
	}
	EndProgress( &progress );
	supError error = { 0 };
	if ( status == exit_ok && supPicture_SavePng( &sheet, job->settings->output, &error ) == false )
	{
		status = ReportError( job->settings->output, &error );
	}
	supPicture_Destroy( &sheet );
	return status;
}

static int DrawFilm( RenderJob* job )
{
	Stage* stage = &job->stage;
	const RenderSettings* settings = job->settings;
	supError error = { 0 };
	WatchForStop();
	supFilm* film = supFilm_Open( settings->output, stage->width, stage->height, (float)settings->stage.fps, &error );
	if ( film == NULL )
	{
		return ReportError( settings->output, &error );
	}
	// the last frame of a cyclic clip would be the first again, but nothing says that it is cyclic
	float dt = (float)( settings->stage.speed / settings->stage.fps );
	int32_t count = (int32_t)( ( stage->to - stage->from ) / dt + 1e-3f ) + 1;
	int status = FrameStage( stage, shot_film, 0, stage->width, stage->height );
	Progress progress;
	BeginProgress( &progress, stderr, "Filming" );
	BeginStage( stage, stage->from );
	for ( int32_t i = 0; i < count && status == exit_ok && IsStopped() == false; ++i )
	{
		if ( i > 0 )
		{
			AdvanceStage( stage, stage->from + dt * (float)i, dt );
		}
		status = FilmStage( stage, film, settings->output );
		UpdateProgress( &progress, i + 1, count, NULL );
	}
	EndProgress( &progress );
	return EndFilm( film, settings->output, status );
}

static int DrawWorstPlaces( RenderJob* job )
{
	WorstDef def = { .count = job->settings->worst > 0 ? job->settings->worst : DEFAULT_WORST_PLACES,
					 .output = job->settings->output };
	return DrawWorst( &job->stage, &def, job->summary.places, &job->summary.placeCount );
}

// ---------------------------------------------------------------------------------------------------------------------

static void PrintSummary( const RenderSettings* settings, const RenderSummary* summary )
{
	if ( settings->common.json )
	{
		JsonWriter json = BeginJson( stdout );
		JsonOpenObject( &json, NULL );
		JsonText( &json, "output", settings->output );
		JsonInteger( &json, "bytes", (int64_t)GetFileSize( settings->output ) );
		JsonInteger( &json, "width", summary->width );
		JsonInteger( &json, "height", summary->height );
		JsonInteger( &json, "panels", summary->panels );
		JsonInteger( &json, "rows", summary->rows );
		JsonInteger( &json, "frames", summary->frames );
		JsonFloat( &json, "seconds_per_frame", (float)( summary->seconds / summary->frames ) );
		if ( settings->worst != 0 )
		{
			WriteWorstPlaces( &json, summary->places, summary->placeCount );
		}
		JsonCloseObject( &json );
		EndJson( &json );
	}
	else if ( settings->common.quiet == false )
	{
		char path[1024];
		printf( "%s: %d x %d, %s, %.2f s each, %s\n", CleanText( settings->output, 0, path, sizeof( path ) ),
				summary->width, summary->height, FormatPlural( summary->frames, "frame", "frames" ),
				summary->seconds / summary->frames, FormatBytes( GetFileSize( settings->output ) ) );
		PrintWorstPlaces( summary->places, summary->placeCount );
	}
}

static int RenderPanels( const Command* command, RenderJob* job, const Arguments* arguments, const supTasks* tasks )
{
	Stage* stage = &job->stage;
	// at rest flesh looks as the skin does
	const char* method = job->settings->stage.clip.rest ? DEFAULT_WITHOUT_FLESH : DEFAULT_METHOD;
	int status = PrepareStage( command, &job->settings->stage, arguments, method, stage );
	if ( status == exit_ok && job->settings->worst != 0 )
	{
		status = CheckWorst( command, stage, arguments );
	}
	if ( status != exit_ok )
	{
		return status;
	}
	status = OpenStage( stage, arguments, tasks, true );
	if ( status == exit_ok )
	{
		char extension[17];
		supGetExtension( job->settings->output, extension );
		bool isFilm = strcmp( extension, ".png" ) != 0;
		status = job->settings->worst != 0      ? DrawWorstPlaces( job )
				 : isFilm                       ? DrawFilm( job )
				 : job->settings->sheet != NULL ? DrawSheet( job )
												: DrawStill( job );
	}
	if ( status == exit_ok )
	{
		NoteStageGuards( stage );
	}
	job->summary.width = stage->width;
	job->summary.height = stage->height;
	job->summary.panels = stage->panelCount;
	job->summary.rows = stage->rows > 1 ? stage->rows : 1;
	job->summary.frames = stage->framesDrawn;
	job->summary.seconds = stage->drawSeconds;
	CloseStage( stage );
	return status;
}

// What goes without saying for a character is said by a scene file.
static int RenderSceneFile( const Command* command, RenderJob* job, const Arguments* arguments, const supTasks* tasks )
{
	const StageSettings* stage = &job->settings->stage;
	const ClipSettings* clip = &stage->clip;
	if ( arguments->fileCount > 1 )
	{
		return ReportUsage( command, "a scene file cannot be combined with other files" );
	}
	if ( clip->clip != NULL || clip->motion != NULL || clip->rest || stage->flesh != NULL || stage->unit != NULL ||
		 stage->settings != NULL || arguments->orderedCount > 0 || isnan( stage->from ) == false ||
		 isnan( stage->to ) == false || isnan( stage->fps ) == false )
	{
		return ReportUsage( command, "the scene file sets clips, methods and times" );
	}
	if ( job->settings->worst != 0 )
	{
		return ReportUsage( command, "--worst is for characters, not scenes" );
	}
	if ( stage->focus != NULL )
	{
		return ReportUsage( command, "--focus is for characters, not scenes" );
	}
	return RenderScene( command, job->settings, arguments->files[0], job->columns, job->rows, tasks, &job->summary );
}

static int RunRender( const Command* command, int argc, char** argv )
{
	RenderSettings settings = { .stage = DEFAULT_STAGE_SETTINGS, .time = NAN };
	settings.stage.fps = NAN;
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	RenderJob job = { .settings = &settings };
	const ClipSettings* clip = &settings.stage.clip;
	bool isScene = IsSceneFile( arguments.files[0] );
	if ( isnan( settings.stage.fps ) && isScene == false )
	{
		settings.stage.fps = DEFAULT_FPS;
	}
	const char* inputs[] = { arguments.files[0], clip->motion, clip->map };
	status = CheckOutput( command, settings.output, ".png .mp4 .webm .gif", inputs, SUP_COUNT( inputs ) );
	status = status == exit_ok ? CheckSettings( command, &job ) : status;
	supThreadPool* pool = status == exit_ok ? StartThreads( &settings.common ) : NULL;
	if ( pool != NULL )
	{
		const supTasks* tasks = supThreadPool_Tasks( pool );
		status = isScene ? RenderSceneFile( command, &job, &arguments, tasks )
						 : RenderPanels( command, &job, &arguments, tasks );
		supDestroyThreadPool( pool );
	}
	else if ( status == exit_ok )
	{
		status = exit_memory;
	}
	if ( status == exit_ok )
	{
		PrintSummary( &settings, &job.summary );
	}
	FreeArguments( &arguments );
	return status;
}

const Command g_renderCommand = {
	.name = "render",
	.summary = "render a character: picture, contact sheet or film",
	.usage = "FILE... -o OUT [--clip NAME] [--time T] [--method M,...] [--sheet CxR] [--worst [N]] [--view VIEW]",
	.about =
		"Draws characters with soft light and shadow. Several files or methods are drawn side by side at the same time and scale. The camera frames the whole motion and stands still, or follows characters that travel far. A scene file (.json) is drawn as one picture.",
	.examples = "supple render builtin:bunny -o bunny.png\n"
				"supple render builtin:bunny --clip Shake --method lbs,dqs -o shake.mp4\n"
				"supple render fox.glb --clip Run --sheet 4x2 --overlay skeleton -o run.png\n"
				"supple render fox.glb --clip Run --method position,fem --worst 3 -o worst.png\n"
				"supple render hero.fbx --focus LeftArm --view back -o arm.mp4\n"
				"supple render hero.fbx --motion walk.bvh --view side --speed 0.5 -o walk.webm\n"
				"supple render scenes/bag.json -o bag.mp4",
	ARG_OPTIONS( s_options ),
	.fileName = "FILE",
	.leastFiles = 1,
	.mostFiles = MOST_PANELS,
	.run = RunRender,
};
