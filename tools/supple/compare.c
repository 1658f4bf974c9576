// SPDX-License-Identifier: MIT
// supple compare: several methods on the same motion, as a table of what each does to the surface and what it costs,
// and side by side as a film or as a sheet.
#define _POSIX_C_SOURCE 200809L
#include "commands.h"
#include "core/core.h"
#include "io/common/file.h"
#include "json.h"
#include "report.h"
#include "stage.h"
#include "stop.h"
#include "terminal.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

typedef struct CompareSettings
{
	CommonSettings common;
	StageSettings stage;
	const char* output;
	const char* sheet;
	const char* report;
	bool modes;
} CompareSettings;

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( CompareSettings, output ), "OUT",
	  "Output file: .mp4, .webm or .gif for a film, .png for a sheet. Default: only the table.", 0, 0, false },
	STAGE_OPTIONS( CompareSettings, stage ),
	{ "modes", 0, arg_flag, offsetof( CompareSettings, modes ), NULL,
	  "Compare the modes of one method: every value of its parameter 'mode'.", 0, 0, false },
	{ "sheet", 0, arg_text, offsetof( CompareSettings, sheet ), "CxR",
	  "Columns and rows of moments in a .png. Default: 1x4.", 0, 0, false },
	{ "report", 0, arg_text, offsetof( CompareSettings, report ), "FILE",
	  "Write the measurements of every frame as JSON.", 0, 0, false },
};

// One frame of one panel.
typedef struct Sample
{
	float volumeError;
	float stretch;
	float energy;
	int32_t finerFunctions;
	float meanShift, maxShift; // from linear blend skinning, of the size
	float milliseconds;
} Sample;

// One panel over all frames.
typedef struct Totals
{
	float volumeMean, volumeMax; // of the magnitude
	float stretchMax;
	int32_t finerFunctionsMax;
	float shiftMean, shiftMax;
	float millisecondsMedian;
	supLooks looks;
} Totals;

typedef struct CompareJob
{
	const CompareSettings* settings;
	Stage stage;
	int32_t columns, rows;
	int32_t frameCount;
	float dt;
	float size;      // of the character
	Sample* samples; // panel by panel
	supVec3* linear; // scratch: one instance, linear blend skinning
	// of the first source, which baked files are compared with; and the surfaces of one of those
	supPose* reference;
	const supVec3** surfaces;
	Totals totals[MOST_PANELS];
	supLooksMeter* meters[MOST_PANELS];
} CompareJob;

// ---------------------------------------------------------------------------------------------------------------------
// Measuring

// Rounded as a bake rounds it, so that both play the same frames.
static float FrameTime( const CompareJob* job, int32_t frame )
{
	const StageSettings* settings = job->stage.settings;
	return job->stage.from + (float)( (double)frame * settings->speed / settings->fps );
}

static double SumTimes( const supScene* scene )
{
	supPhaseTimes t = supScene_GetStats( scene ).milliseconds;
	return t.predict + t.solve + t.finish + t.surface;
}

static bool IsBaked( const Panel* panel )
{
	return panel->choice->baked[0] != 0;
}

// The pose whose skinning a panel is measured against.
static supPose* ReferencePose( CompareJob* job, const Panel* panel )
{
	return IsBaked( panel ) ? job->reference : supActor_Pose( panel->actor );
}

static void MeasureShift( CompareJob* job, const Panel* panel, Sample* sample )
{
	supPose* pose = ReferencePose( job, panel );
	const supCharacter* character = supPose_Character( pose );
	double sum = 0.0;
	int64_t count = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t vertexCount = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
		supSkinInstance( pose, i, sup_skinningLinear, job->stage.tasks,
						 &( supSkinOutput ){ .positions = job->linear } );
		const supVec3* now = supActor_Positions( panel->actor, i );
		for ( int32_t k = 0; k < vertexCount; ++k )
		{
			float shift = supDistance( now[k], job->linear[k] ) / job->size;
			sum += (double)shift;
			sample->maxShift = supMaxFloat( sample->maxShift, shift );
		}
		count += vertexCount;
	}
	sample->meanShift = count > 0 ? (float)( sum / (double)count ) : 0.0f;
}

static void MeasureLooks( CompareJob* job, int32_t index )
{
	Panel* panel = job->stage.panels + index;
	if ( IsBaked( panel ) == false )
	{
		supLooksMeter_AddActor( job->meters[index], panel->actor, job->stage.tasks );
		return;
	}
	for ( int32_t i = 0; i < supCharacter_InstanceCount( supPose_Character( job->reference ) ); ++i )
	{
		job->surfaces[i] = supActor_Positions( panel->actor, i );
	}
	supLooksMeter_AddFrame( job->meters[index], job->reference, job->surfaces, job->stage.tasks );
}

static void MeasureFrame( CompareJob* job, int32_t frame )
{
	SetStagePose( &job->stage, job->reference, 0, job->stage.time );
	for ( int32_t i = 0; i < job->stage.panelCount; ++i )
	{
		Panel* panel = job->stage.panels + i;
		Sample* sample = job->samples + (size_t)i * (size_t)job->frameCount + frame;
		supSurfaceMeasure measure = supActor_Measure( panel->actor );
		sample->volumeError = measure.volumeError;
		sample->stretch = measure.stretch;
		sample->energy = measure.energy;
		sample->finerFunctions = measure.finerFunctions;
		MeasureShift( job, panel, sample );
		MeasureLooks( job, i );
		double percent = 100.0 * (double)measure.volumeError;
		// nothing has no sign
		snprintf( panel->caption, sizeof( panel->caption ), "volume %+.1f %%", fabs( percent ) < 0.05 ? 0.0 : percent );
	}
}

static void Step( CompareJob* job, int32_t frame )
{
	Stage* stage = &job->stage;
	double before[MOST_PANELS];
	for ( int32_t i = 0; i < stage->panelCount; ++i )
	{
		before[i] = SumTimes( stage->panels[i].scene );
	}
	AdvanceStage( stage, FrameTime( job, frame ), job->dt );
	for ( int32_t i = 0; i < stage->panelCount; ++i )
	{
		job->samples[(size_t)i * (size_t)job->frameCount + (size_t)frame].milliseconds =
			(float)( SumTimes( stage->panels[i].scene ) - before[i] );
	}
}

static int CompareFloats( const void* a, const void* b )
{
	float x = *(const float*)a, y = *(const float*)b;
	return ( x > y ) - ( x < y );
}

static bool SumPanel( const CompareJob* job, const Sample* samples, Totals* totals )
{
	int32_t count = job->frameCount;
	float* times = supAllocArray( (size_t)count, sizeof( float ) );
	if ( times == NULL )
	{
		return false;
	}
	*totals = ( Totals ){ 0 };
	for ( int32_t k = 0; k < count; ++k )
	{
		const Sample* s = samples + k;
		totals->volumeMean += fabsf( s->volumeError ) / (float)count;
		totals->volumeMax = supMaxFloat( totals->volumeMax, fabsf( s->volumeError ) );
		totals->stretchMax = supMaxFloat( totals->stretchMax, s->stretch );
		totals->finerFunctionsMax =
			s->finerFunctions > totals->finerFunctionsMax ? s->finerFunctions : totals->finerFunctionsMax;
		totals->shiftMean += s->meanShift / (float)count;
		totals->shiftMax = supMaxFloat( totals->shiftMax, s->maxShift );
		times[k] = s->milliseconds;
	}
	// the first frame is a reset and costs no step
	if ( count > 1 )
	{
		qsort( times + 1, (size_t)( count - 1 ), sizeof( float ), CompareFloats );
		totals->millisecondsMedian = times[1 + ( count - 1 ) / 2];
	}
	supFree( times );
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Playing

static int DrawMoment( CompareJob* job, int32_t moment, int32_t frame, supPicture* sheet )
{
	Stage* stage = &job->stage;
	int32_t column = moment % job->columns, row = moment / job->columns;
	int32_t left = stage->width * column / job->columns, right = stage->width * ( column + 1 ) / job->columns;
	int32_t top = stage->height * row / job->rows, bottom = stage->height * ( row + 1 ) / job->rows;
	char caption[32];
	snprintf( caption, sizeof( caption ), "%.2f s", (double)FrameTime( job, frame ) );
	supPicture cell = { 0 };
	int status = DrawStage( stage, right - left, bottom - top, caption, &cell );
	supPicture_Paste( sheet, &cell, left, top );
	supPicture_Destroy( &cell );
	return status;
}

// Plays everything once; `film` and `sheet` may be NULL.
static int PlayFrames( CompareJob* job, supFilm* film, supPicture* sheet )
{
	int32_t moments = job->columns * job->rows;
	int32_t moment = 0;
	int status = exit_ok;
	Progress progress;
	BeginProgress( &progress, stderr, "Comparing" );
	BeginStage( &job->stage, job->stage.from );
	for ( int32_t i = 0; i < job->frameCount && status == exit_ok && IsStopped() == false; ++i )
	{
		if ( i > 0 )
		{
			Step( job, i );
		}
		MeasureFrame( job, i );
		if ( film != NULL )
		{
			status = FilmStage( &job->stage, film, job->settings->output );
		}
		// several moments fall on one frame where the clip has fewer
		while ( sheet != NULL && status == exit_ok && moment < moments &&
				(int64_t)i * ( moments > 1 ? moments - 1 : 1 ) >= (int64_t)moment * ( job->frameCount - 1 ) )
		{
			status = DrawMoment( job, moment++, i, sheet );
		}
		UpdateProgress( &progress, i + 1, job->frameCount, NULL );
	}
	EndProgress( &progress );
	return status;
}

static int PlayFilm( CompareJob* job )
{
	const char* output = job->settings->output;
	Stage* stage = &job->stage;
	supError error = { 0 };
	WatchForStop();
	supFilm* film = supFilm_Open( output, stage->width, stage->height, (float)stage->settings->fps, &error );
	if ( film == NULL )
	{
		return ReportError( output, &error );
	}
	int status = FrameStage( stage, shot_film, 0, stage->width, stage->height );
	status = status == exit_ok ? PlayFrames( job, film, NULL ) : status;
	return EndFilm( film, output, status );
}

static int PlaySheet( CompareJob* job )
{
	Stage* stage = &job->stage;
	supPicture sheet = { 0 };
	if ( supPicture_Create( &sheet, stage->width, stage->height ) == false )
	{
		return ReportMemory();
	}
	supError error = { 0 };
	int status = FrameStage( stage, shot_sheet, 0, stage->width / job->columns, stage->height / job->rows );
	status = status == exit_ok ? PlayFrames( job, NULL, &sheet ) : status;
	if ( status == exit_ok && supPicture_SavePng( &sheet, job->settings->output, &error ) == false )
	{
		status = ReportError( job->settings->output, &error );
	}
	supPicture_Destroy( &sheet );
	return status;
}

// ---------------------------------------------------------------------------------------------------------------------
// Reporting

static void WriteSamples( JsonWriter* json, const CompareJob* job, int32_t panel )
{
	JsonOpenArray( json, "per_frame" );
	for ( int32_t k = 0; k < job->frameCount; ++k )
	{
		const Sample* s = job->samples + (size_t)panel * (size_t)job->frameCount + k;
		JsonOpenObject( json, NULL );
		JsonFloat( json, "time", FrameTime( job, k ) );
		JsonFloat( json, "volume_error", s->volumeError );
		JsonFloat( json, "stretch", s->stretch );
		JsonFloat( json, "energy", s->energy );
		JsonInteger( json, "finer_functions", s->finerFunctions );
		JsonFloat( json, "shift_mean", s->meanShift );
		JsonFloat( json, "shift_max", s->maxShift );
		JsonFloat( json, "step_ms", s->milliseconds );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
}

static void WriteJson( FILE* stream, const CompareJob* job, bool perFrame )
{
	JsonWriter json = BeginJson( stream );
	JsonOpenObject( &json, NULL );
	JsonText( &json, "output", job->settings->output );
	JsonInteger( &json, "frames", job->frameCount );
	JsonFloat( &json, "fps", (float)( 1.0 / (double)job->dt ) );
	JsonOpenArray( &json, "panels" );
	for ( int32_t i = 0; i < job->stage.panelCount; ++i )
	{
		const Panel* panel = job->stage.panels + i;
		const Totals* totals = job->totals + i;
		supTrouble trouble = supScene_GetStats( panel->scene ).trouble;
		JsonOpenObject( &json, NULL );
		JsonText( &json, "file", job->stage.sources[panel->source].path );
		JsonText( &json, "method", panel->choice->label );
		JsonFloat( &json, "volume_error_mean", totals->volumeMean );
		JsonFloat( &json, "volume_error_max", totals->volumeMax );
		JsonFloat( &json, "stretch_max", totals->stretchMax );
		JsonInteger( &json, "finer_functions_max", totals->finerFunctionsMax );
		JsonFloat( &json, "shift_mean", totals->shiftMean );
		JsonFloat( &json, "shift_max", totals->shiftMax );
		JsonFloat( &json, "step_ms_median", totals->millisecondsMedian );
		JsonInteger( &json, "inverted", trouble.inverted );
		JsonInteger( &json, "not_finite", trouble.notFinite );
		JsonInteger( &json, "not_converged", trouble.notConverged );
		JsonInteger( &json, "unstable", trouble.unstable );
		WriteLooks( &json, &totals->looks, panel->flesh );
		WriteGuard( &json, &panel->guard, supFlesh_Character( panel->flesh ) );
		if ( perFrame )
		{
			WriteSamples( &json, job, i );
		}
		JsonCloseObject( &json );
	}
	JsonCloseArray( &json );
	JsonCloseObject( &json );
	EndJson( &json );
}

static void PrintTable( const CompareJob* job )
{
	printf( "%-34s %15s %8s  %32s %9s\n", "", "volume error %", "stretch", "torn   worst   crush  alive    far", "ms" );
	printf( "%-34s %7s %7s %8s %7s %7s %7s %6s %6s %9s  %s\n", "", "mean", "max", "max %", "edges", "%", "1/1000", "%",
			"%", "a frame", "looks" );
	for ( int32_t i = 0; i < job->stage.panelCount; ++i )
	{
		const Panel* panel = job->stage.panels + i;
		const Totals* t = job->totals + i;
		char name[200];
		CleanText( panel->label[0] != 0 ? panel->label : panel->choice->label, 34, name, sizeof( name ) );
		printf( "%-34s %7.2f %7.2f %8.0f %7.2f %7.2f %7.2f %6.2f %6.2f %9.3f  %s\n", name,
				100.0 * (double)t->volumeMean, 100.0 * (double)t->volumeMax, 100.0 * (double)t->stretchMax,
				(double)t->looks.torn, (double)t->looks.worst, (double)t->looks.crushed, (double)t->looks.alive,
				(double)t->looks.far, (double)t->millisecondsMedian,
				HasFlesh( panel->flesh ) || IsBaked( panel ) ? supVerdictName( supLooks_Verdict( &t->looks ) ) : "-" );
	}
}

static void NoteTorn( const CompareJob* job )
{
	for ( int32_t i = 0; i < job->stage.panelCount; ++i )
	{
		const Panel* panel = job->stage.panels + i;
		NoteLooks( &job->totals[i].looks, panel->flesh, supFlesh_MethodName( panel->flesh ) );
	}
}

static int WriteReport( const CompareJob* job )
{
	const char* path = job->settings->report;
	supError error = { 0 };
	char* text = NULL;
	size_t size = 0;
	FILE* stream = open_memstream( &text, &size );
	if ( stream == NULL )
	{
		return ReportMemory();
	}
	WriteJson( stream, job, true );
	bool ok = fclose( stream ) == 0;
	int status = ok ? exit_ok : ReportMemory();
	if ( ok && supWriteFile( path, text, size, &error ) == false )
	{
		status = ReportError( path, &error );
	}
	free( text );
	return status;
}

// ---------------------------------------------------------------------------------------------------------------------

// One word per choice of the method's parameter "mode"; NULL after explaining why not. Free with supFree.
static char* ListModes( const Command* command, const char* word )
{
	FleshChoice choice;
	if ( word == NULL || ParseFleshChoice( command, word, &choice ) != exit_ok )
	{
		ReportUsage( command, "--modes requires one method: --method lattice --modes" );
		return NULL;
	}
	int32_t index = supMethod_FindParameter( choice.method, "mode" );
	const supParameter* mode = index >= 0 ? supMethod_Parameter( choice.method, index ) : NULL;
	if ( mode == NULL || mode->choices == NULL )
	{
		ReportUsage( command, "the method %s has no modes", supMethodName( choice.method ) );
		return NULL;
	}
	size_t capacity = 1;
	for ( int32_t i = 0; i <= (int32_t)mode->maximum; ++i )
	{
		capacity += strlen( word ) + strlen( mode->choices[i] ) + 8;
	}
	char* words = supAllocSmall( capacity );
	if ( words == NULL )
	{
		ReportMemory();
		return NULL;
	}
	size_t length = 0;
	for ( int32_t i = 0; i <= (int32_t)mode->maximum; ++i )
	{
		length += (size_t)snprintf( words + length, capacity - length, "%s%s%cmode=%s", i > 0 ? " " : "", word,
									strchr( word, ':' ) != NULL ? ',' : ':', mode->choices[i] );
	}
	return words;
}

static bool Reserve( CompareJob* job )
{
	Stage* stage = &job->stage;
	job->dt = (float)( stage->settings->speed / stage->settings->fps );
	job->frameCount = (int32_t)( ( stage->to - stage->from ) / job->dt + 1e-3f ) + 1;
	job->size = supMaxFloat( supLength( supBox_Size( stage->bounds ) ), 1e-30f );
	int32_t most = 1;
	for ( int32_t i = 0; i < stage->sourceCount; ++i )
	{
		const supCharacter* character = stage->sources[i].character;
		for ( int32_t k = 0; k < supCharacter_MeshCount( character ); ++k )
		{
			int32_t count = supCharacter_Mesh( character, k )->vertexCount;
			most = count > most ? count : most;
		}
	}
	job->linear = supAllocArray( (size_t)most, sizeof( supVec3 ) );
	job->samples = supAllocZeroed( (size_t)stage->panelCount * (size_t)job->frameCount * sizeof( Sample ) );
	const supCharacter* first = stage->sources[0].character;
	job->reference = supCreatePose( first );
	job->surfaces = supAllocArray( (size_t)supCharacter_InstanceCount( first ), sizeof( supVec3* ) );
	bool ok = job->linear != NULL && job->samples != NULL && job->reference != NULL && job->surfaces != NULL;
	for ( int32_t i = 0; ok && i < stage->panelCount; ++i )
	{
		int32_t source = IsBaked( stage->panels + i ) ? 0 : stage->panels[i].source;
		job->meters[i] = supCreateLooksMeter( stage->sources[source].character );
		ok = job->meters[i] != NULL;
	}
	return ok;
}

static int Compare( CompareJob* job )
{
	const CompareSettings* settings = job->settings;
	if ( Reserve( job ) == false )
	{
		return ReportMemory();
	}
	char extension[17] = "";
	if ( settings->output != NULL )
	{
		supGetExtension( settings->output, extension );
	}
	int status = settings->output == NULL           ? PlayFrames( job, NULL, NULL )
				 : strcmp( extension, ".png" ) == 0 ? PlaySheet( job )
													: PlayFilm( job );
	for ( int32_t i = 0; i < job->stage.panelCount && status == exit_ok; ++i )
	{
		const Sample* samples = job->samples + (size_t)i * (size_t)job->frameCount;
		bool ok =
			SumPanel( job, samples, job->totals + i ) && supLooksMeter_Get( job->meters[i], &job->totals[i].looks );
		status = ok ? exit_ok : ReportMemory();
	}
	status = status == exit_ok && settings->report != NULL ? WriteReport( job ) : status;
	if ( status == exit_ok && settings->common.json )
	{
		WriteJson( stdout, job, false );
	}
	else if ( status == exit_ok && settings->common.quiet == false )
	{
		PrintTable( job );
	}
	if ( status == exit_ok )
	{
		NoteStageGuards( &job->stage );
		NoteTorn( job );
	}
	return status;
}

static int CheckSettings( const Command* command, CompareJob* job, const Arguments* arguments )
{
	const CompareSettings* settings = job->settings;
	const ClipSettings* clip = &settings->stage.clip;
	const char* inputs[] = { arguments->files[0], clip->motion, clip->map };
	int status = exit_ok;
	job->columns = 1;
	job->rows = 4;
	if ( settings->sheet != NULL && ParsePair( settings->sheet, &job->columns, &job->rows, 64 ) == false )
	{
		return ReportUsage( command, "option --sheet: expected columns and rows up to 64, such as 1x4 (got '%s')",
							settings->sheet );
	}
	if ( settings->output != NULL )
	{
		status = CheckOutput( command, settings->output, ".png .mp4 .webm .gif", inputs, SUP_COUNT( inputs ) );
	}
	if ( status == exit_ok && settings->report != NULL )
	{
		status = CheckOutput( command, settings->report, ".json", inputs, SUP_COUNT( inputs ) );
	}
	return status;
}

static int RunCompare( const Command* command, int argc, char** argv )
{
	CompareSettings settings = { .stage = DEFAULT_STAGE_SETTINGS };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	CompareJob job = { .settings = &settings };
	char* modes = NULL;
	if ( settings.modes )
	{
		modes = ListModes( command, settings.stage.methods );
		settings.stage.methods = modes;
		status = modes != NULL ? exit_ok : exit_usage;
	}
	status = status == exit_ok ? CheckSettings( command, &job, &arguments ) : status;
	status = status == exit_ok ? PrepareStage( command, &settings.stage, &arguments, "all", &job.stage ) : status;
	supThreadPool* pool = status == exit_ok ? StartThreads( &settings.common ) : NULL;
	if ( pool != NULL )
	{
		status = OpenStage( &job.stage, &arguments, supThreadPool_Tasks( pool ), settings.output != NULL );
		status = status == exit_ok ? Compare( &job ) : status;
		supDestroyPose( job.reference );
		CloseStage( &job.stage );
		supDestroyThreadPool( pool );
	}
	else if ( status == exit_ok )
	{
		status = exit_memory;
	}
	supFree( job.surfaces );
	supFree( job.linear );
	supFree( job.samples );
	for ( int32_t i = 0; i < MOST_PANELS; ++i )
	{
		supDestroyLooksMeter( job.meters[i] );
	}
	supFree( modes );
	FreeArguments( &arguments );
	return status;
}

const Command g_compareCommand = {
	.name = "compare",
	.summary = "compare methods on the same motion: table and film",
	.usage = "FILE... [-o OUT] [--method M,...] [--modes] [--clip NAME] [--motion FILE] [--report FILE]",
	.about =
		"Plays one motion with several methods and prints for each how well it preserves volume, how much it stretches the surface, how it looks beside linear blend skinning (torn: edges per frame that are far too long, and the worst; crush: edges squeezed flat; alive: motion added by flesh; far: largest distance; in per cent of the character's size, docs/looks.md), what a frame costs, and a verdict: good, still (hard to tell from skinning) or torn. With -o it draws them side by side with their current volume.",
	.examples = "supple compare builtin:tube --clip twist\n"
				"supple compare builtin:bunny --clip Shake --method lbs,dqs -o shake.mp4\n"
				"supple compare fox.glb --clip Run -o run.png --sheet 1x3\n"
				"supple compare fox.glb --clip Run --method position,file:fox-bones.glb -o both.mp4",
	ARG_OPTIONS( s_options ),
	.fileName = "FILE",
	.leastFiles = 1,
	.mostFiles = MOST_PANELS,
	.run = RunCompare,
};
