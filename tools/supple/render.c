// SPDX-License-Identifier: MIT
// supple render: still pictures, contact sheets and films.
//
// A picture is made of panels side by side, one per file and method. Each panel is a scene of its own with one actor;
// they are stepped together, so that what stands side by side is at the same time.
#include "choose.h"
#include "commands.h"
#include "core/array.h"
#include "draw/film.h"
#include "draw/layer_view.h"
#include "heat.h"
#include "io/file.h"
#include "json.h"
#include "report.h"
#include "terminal.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

#define MOST_PANELS 12
#define LAYER_RESOLUTION 64

typedef struct RenderSettings
{
	CommonSettings common;
	ClipSettings clip;
	const char* output;
	double time; // not a number: see ChooseSpan
	const char* methods;
	const char* size;
	const char* sheet;
	const char* view;
	const char* overlay;
	const char* label;
	double fps;
	double from, to; // not a number: all of the clip
	double speed;
	int32_t substeps;
	bool noGround;
} RenderSettings;

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( RenderSettings, output ), "OUT",
	  "Where to write: .png for a picture or a sheet, .mp4, .webm or .gif for a film.", 0, 0, true },
	CLIP_OPTIONS( RenderSettings, clip ),
	{ "time", 0, arg_number, offsetof( RenderSettings, time ), "T",
	  "Seconds into the clip, for a picture. Default: the middle.", 0, 0, false },
	{ "method", 0, arg_text, offsetof( RenderSettings, methods ), "M,...",
	  "Methods, side by side where there are several: lbs, dqs. Default: dqs.", 0, 0, false },
	{ "size", 0, arg_text, offsetof( RenderSettings, size ), "WxH", "Pixels of the whole picture. Default: 1280x720.",
	  0, 0, false },
	{ "sheet", 0, arg_text, offsetof( RenderSettings, sheet ), "CxR",
	  "A contact sheet of C columns and R rows through the clip.", 0, 0, false },
	{ "view", 0, arg_text, offsetof( RenderSettings, view ), "VIEW",
	  "front, side, back, top, three-quarter (default), or degrees around and above: 30,10.", 0, 0, false },
	{ "overlay", 0, arg_text, offsetof( RenderSettings, overlay ), "O,...",
	  "skeleton, wireframe, layers (bone, muscle, fat and skin at rest, cut open towards the eye), and one heat map: "
	  "displacement (distance from linear blend skinning), stretch (largest change of an edge), volume (change between skin and bones) or softness (as painted).",
	  0, 0, false },
	{ "label", 0, arg_text, offsetof( RenderSettings, label ), "TEXT",
	  "Words in the corner of every panel in place of the method's name; '' for none.", 0, 0, false },
	{ "fps", 0, arg_number, offsetof( RenderSettings, fps ), "N", "Frames per second of a film. Default: 30.", 0.1, 240,
	  false },
	{ "from", 0, arg_number, offsetof( RenderSettings, from ), "T", "Where in the clip a film or sheet begins.", 0, 0,
	  false },
	{ "to", 0, arg_number, offsetof( RenderSettings, to ), "T", "Where it ends.", 0, 0, false },
	{ "speed", 0, arg_number, offsetof( RenderSettings, speed ), "S",
	  "0.25 shows a film four times slower. Default: 1.", 0.01, 100, false },
	{ "substeps", 0, arg_integer, offsetof( RenderSettings, substeps ), "N", "Simulation steps per frame. Default: 1.",
	  1, 1000, false },
	{ "no-ground", 0, arg_flag, offsetof( RenderSettings, noGround ), NULL, "Leaves out ground and shadow.", 0, 0,
	  false },
};

typedef struct Panel
{
	int32_t source; // among the job's
	supMethodId method;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
	supCharacterView* view;
	supLayerView* layers; // drawn in place of the character, or NULL
	char label[200];
} Panel;

typedef struct RenderJob
{
	const RenderSettings* settings;
	int32_t width, height;
	int32_t columns, rows; // of the sheet; 1 x 1 without
	float azimuth, elevation;
	bool skeleton, wireframe, layers;
	Heat heat;
	int32_t sourceCount;
	Source* sources;
	ClipChoice* choices;
	int32_t methodCount;
	supMethodId methods[MOST_PANELS];
	int32_t panelCount;
	Panel panels[MOST_PANELS];
	supThreadPool* pool;
	const supTasks* tasks;
	float from, to; // seconds in the clip
	supBox bounds;  // of everything that will be seen
	float ground;
	float heatScale; // value shown as 1
	int32_t framesDrawn;
	double drawSeconds;
} RenderJob;

// ---------------------------------------------------------------------------------------------------------------------
// Reading options

static bool ParsePair( const char* text, int32_t* a, int32_t* b, int32_t most )
{
	char* end;
	long first = strtol( text, &end, 10 );
	if ( *end != 'x' && *end != 'X' )
	{
		return false;
	}
	long second = strtol( end + 1, &end, 10 );
	*a = (int32_t)first;
	*b = (int32_t)second;
	return *end == 0 && first >= 1 && second >= 1 && first <= most && second <= most;
}

static bool ParseView( const char* text, float* azimuth, float* elevation )
{
	static const struct
	{
		const char* name;
		float azimuth, elevation;
	} views[] = { { "front", 0.0f, 6.0f },
				  { "side", 90.0f, 6.0f },
				  { "back", 180.0f, 6.0f },
				  { "top", 0.0f, 85.0f },
				  { "three-quarter", 32.0f, 10.0f } };
	for ( int32_t i = 0; i < SUP_COUNT( views ); ++i )
	{
		if ( strcmp( views[i].name, text ) == 0 )
		{
			*azimuth = views[i].azimuth;
			*elevation = views[i].elevation;
			return true;
		}
	}
	char* end;
	*azimuth = strtof( text, &end );
	if ( end == text || *end != ',' )
	{
		return false;
	}
	const char* second = end + 1;
	*elevation = strtof( second, &end );
	bool inRange = *azimuth >= -360.0f && *azimuth <= 360.0f && *elevation >= -89.0f && *elevation <= 89.0f;
	return end != second && *end == 0 && inRange;
}

// Takes the next word up to a comma off the list; false at the end.
static bool TakeWord( const char** list, char word[32] )
{
	if ( *list == NULL || **list == 0 )
	{
		return false;
	}
	size_t length = strcspn( *list, "," );
	snprintf( word, 32, "%.*s", (int)( length < 31 ? length : 31 ), *list );
	*list += length + ( ( *list )[length] == ',' );
	return true;
}

static int ReadLists( const Command* command, RenderJob* job )
{
	const RenderSettings* settings = job->settings;
	char word[32];
	const char* list = settings->methods != NULL ? settings->methods : "dqs";
	while ( TakeWord( &list, word ) )
	{
		supMethodId method;
		if ( supFindMethod( word, &method ) == false )
		{
			return ReportUnknownMethod( command, word );
		}
		if ( job->methodCount == MOST_PANELS )
		{
			return ReportUsage( command, "more than %d methods do not fit side by side", MOST_PANELS );
		}
		job->methods[job->methodCount++] = method;
	}
	list = settings->overlay;
	while ( TakeWord( &list, word ) )
	{
		if ( strcmp( word, "skeleton" ) == 0 )
		{
			job->skeleton = true;
		}
		else if ( strcmp( word, "wireframe" ) == 0 )
		{
			job->wireframe = true;
		}
		else if ( strcmp( word, "layers" ) == 0 )
		{
			job->layers = true;
		}
		else if ( ( job->heat = FindHeat( word ) ) == heat_none )
		{
			return ReportUsage(
				command,
				"there is no overlay '%s'; overlays are: skeleton, wireframe, layers, displacement, stretch, "
				"volume, softness",
				word );
		}
	}
	return exit_ok;
}

static int ReadSettings( const Command* command, RenderJob* job )
{
	const RenderSettings* settings = job->settings;
	if ( ParsePair( settings->size != NULL ? settings->size : "1280x720", &job->width, &job->height, 16384 ) == false )
	{
		return ReportUsage( command, "--size wants two numbers up to 16384: 1280x720, not '%s'", settings->size );
	}
	job->columns = 1;
	job->rows = 1;
	if ( settings->sheet != NULL && ParsePair( settings->sheet, &job->columns, &job->rows, 64 ) == false )
	{
		return ReportUsage( command, "--sheet wants columns and rows up to 64: 4x2, not '%s'", settings->sheet );
	}
	if ( ParseView( settings->view != NULL ? settings->view : "three-quarter", &job->azimuth, &job->elevation ) ==
		 false )
	{
		return ReportUsage( command,
							"--view wants front, side, back, top, three-quarter, or two angles: 30,10; not '%s'",
							settings->view );
	}
	char extension[17];
	supGetExtension( settings->output, extension );
	bool isStill = strcmp( extension, ".png" ) == 0;
	if ( isStill == false && ( settings->sheet != NULL || isnan( settings->time ) == false ) )
	{
		return ReportUsage( command, "--sheet and --time are for pictures (.png); a film takes --from and --to" );
	}
	if ( settings->sheet != NULL && isnan( settings->time ) == false )
	{
		return ReportUsage( command, "--sheet shows many moments, --time one; give either" );
	}
	return ReadLists( command, job );
}

// ---------------------------------------------------------------------------------------------------------------------
// Panels

static int OpenPanel( RenderJob* job, int32_t source, supMethodId method )
{
	Panel* panel = job->panels + job->panelCount++;
	const supCharacter* character = job->sources[source].character;
	supError error = { 0 };
	panel->source = source;
	panel->method = method;
	supFleshDef fleshDef = supDefaultFleshDef();
	fleshDef.method = method;
	panel->flesh = supBuildFlesh( character, &fleshDef, job->tasks, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.substeps = job->settings->substeps;
	sceneDef.tasks = job->tasks;
	panel->scene = panel->flesh != NULL ? supCreateScene( &sceneDef, &error ) : NULL;
	panel->actor = panel->scene != NULL ? supScene_AddActor( panel->scene, panel->flesh, &error ) : NULL;
	panel->view = panel->actor != NULL ? supCreateCharacterView( character, &error ) : NULL;
	if ( panel->view == NULL )
	{
		return ReportError( job->sources[source].path, &error );
	}
	if ( job->layers )
	{
		supView view = supFrameView( supCharacterView_Bounds( panel->view ), job->azimuth, job->elevation, 1.0f );
		panel->layers =
			supCreateLayerView( character, LAYER_RESOLUTION, supSub( view.eye, view.target ), job->tasks, &error );
		if ( panel->layers == NULL )
		{
			return ReportError( job->sources[source].path, &error );
		}
	}
	if ( job->settings->label != NULL )
	{
		snprintf( panel->label, sizeof( panel->label ), "%s", job->settings->label );
	}
	else if ( job->sourceCount > 1 )
	{
		char name[120];
		CleanText( job->sources[source].path, 40, name, sizeof( name ) );
		snprintf( panel->label, sizeof( panel->label ), job->methodCount > 1 ? "%s  %s" : "%s", name,
				  supMethodName( method ) );
	}
	else if ( job->methodCount > 1 )
	{
		snprintf( panel->label, sizeof( panel->label ), "%s", supMethodName( method ) );
	}
	supCharacterView_ShowHeat( panel->view, job->heat != heat_none );
	return exit_ok;
}

static void FreeJob( RenderJob* job )
{
	for ( int32_t i = 0; i < job->panelCount; ++i )
	{
		supDestroyLayerView( job->panels[i].layers );
		supDestroyCharacterView( job->panels[i].view );
		supDestroyScene( job->panels[i].scene );
		supDestroyFlesh( job->panels[i].flesh );
	}
	for ( int32_t i = 0; i < job->sourceCount; ++i )
	{
		FreeClipChoice( job->choices + i );
		FreeSource( job->sources + i );
	}
	supFree( job->sources );
	supFree( job->choices );
	supDestroyThreadPool( job->pool );
}

static int OpenSources( RenderJob* job, const Arguments* arguments )
{
	size_t count = (size_t)arguments->fileCount;
	job->sources = supAllocZeroed( count * sizeof( Source ) );
	job->choices = supAllocZeroed( count * sizeof( ClipChoice ) );
	if ( job->sources == NULL || job->choices == NULL )
	{
		return ReportMemory();
	}
	int status = exit_ok;
	for ( int32_t i = 0; i < arguments->fileCount && status == exit_ok; ++i )
	{
		job->sourceCount = i + 1;
		status = LoadSource( arguments->files[i], job->sources + i );
		if ( status == exit_ok && supCharacter_InstanceCount( job->sources[i].character ) == 0 )
		{
			Report( arguments->files[i], "there is no mesh in this file to draw; as a motion it goes onto a character: "
										 "supple render CHARACTER --motion FILE" );
			status = exit_data;
		}
		status = status == exit_ok ? ChooseClip( &job->settings->clip, job->sources + i, job->choices + i ) : status;
	}
	for ( int32_t i = 0; i < job->sourceCount && status == exit_ok; ++i )
	{
		for ( int32_t k = 0; k < job->methodCount && status == exit_ok; ++k )
		{
			status = OpenPanel( job, i, job->methods[k] );
		}
	}
	return status;
}

static void SetPose( const RenderJob* job, supPose* pose, int32_t source, float time )
{
	supPose_SetRest( pose );
	if ( job->choices[source].clip != NULL )
	{
		supPose_ApplyClip( pose, job->choices[source].clip, time );
	}
}

// The part of the clip that is shown; of several files the longest clip counts.
static void ChooseSpan( RenderJob* job )
{
	const RenderSettings* settings = job->settings;
	float start = 1e30f, end = 0.0f;
	for ( int32_t i = 0; i < job->sourceCount; ++i )
	{
		const supClip* clip = job->choices[i].clip;
		start = supMinFloat( start, clip != NULL ? clip->start : 0.0f );
		end = supMaxFloat( end, clip != NULL ? clip->end : 0.0f );
	}
	job->from = isnan( settings->from ) ? start : (float)settings->from;
	job->to = isnan( settings->to ) ? end : (float)settings->to;
	job->to = supMaxFloat( job->to, job->from );
}

#define BOUNDS_STEPS 24

// A character that stands on the origin, most of the time or at rest, stands on the ground whatever a foot does, or a
// large head in a cartwheel. Others hang above it.
static float FindGround( float atRest, const float* lowest, int32_t count, float height )
{
	float near = 0.05f * height;
	float least = lowest[0];
	int32_t standing = 0;
	for ( int32_t k = 0; k < count; ++k )
	{
		least = supMinFloat( least, lowest[k] );
		standing += fabsf( lowest[k] ) < near;
	}
	bool onOrigin = 2 * standing > count || ( fabsf( atRest ) < near && least > -near );
	return onOrigin ? 0.0f : supMinFloat( atRest, least );
}

// What skinning alone covers over the span decides where the camera stands: it never moves within a film.
static int FindBounds( RenderJob* job )
{
	job->bounds = supBox_empty;
	job->ground = 1e30f;
	for ( int32_t i = 0; i < job->sourceCount; ++i )
	{
		supPose* pose = supCreatePose( job->sources[i].character );
		if ( pose == NULL )
		{
			return ReportMemory();
		}
		SceneMeasure measure;
		bool ok = MeasureScene( job->sources[i].character, pose, sup_skinningLinear, job->tasks, &measure );
		float atRest = measure.bounds.lower.y;
		float lowest[BOUNDS_STEPS + 1];
		supBox bounds = supBox_empty;
		int32_t steps = job->to > job->from ? BOUNDS_STEPS : 0;
		for ( int32_t k = 0; ok && k <= steps; ++k )
		{
			float t = steps > 0 ? (float)k / (float)steps : 0.0f;
			SetPose( job, pose, i, supLerpFloat( job->from, job->to, t ) );
			ok = MeasureScene( job->sources[i].character, pose, sup_skinningLinear, job->tasks, &measure );
			lowest[k] = measure.bounds.lower.y;
			bounds = supBox_Include( bounds, measure.bounds.lower );
			bounds = supBox_Include( bounds, measure.bounds.upper );
		}
		supDestroyPose( pose );
		if ( ok == false )
		{
			return ReportMemory();
		}
		float ground = FindGround( atRest, lowest, steps + 1, supBox_Size( bounds ).y );
		job->ground = supMinFloat( job->ground, ground );
		job->bounds = supBox_Include( job->bounds, bounds.lower );
		job->bounds = supBox_Include( job->bounds, bounds.upper );
	}
	return exit_ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Moving

static void Begin( RenderJob* job, float time )
{
	for ( int32_t i = 0; i < job->panelCount; ++i )
	{
		Panel* panel = job->panels + i;
		SetPose( job, supActor_Pose( panel->actor ), panel->source, time );
		supActor_Reset( panel->actor );
	}
}

static void Advance( RenderJob* job, float time, float dt )
{
	for ( int32_t i = 0; i < job->panelCount; ++i )
	{
		Panel* panel = job->panels + i;
		SetPose( job, supActor_Pose( panel->actor ), panel->source, time );
		supScene_Step( panel->scene, dt );
	}
}

// Plays from `from` to `to` at about the film's frame rate: a still shows what a film would.
static void Play( RenderJob* job, float from, float to )
{
	int32_t steps = (int32_t)( ( to - from ) * (float)job->settings->fps + 0.999f );
	for ( int32_t i = 1; i <= steps; ++i )
	{
		Advance( job, supLerpFloat( from, to, (float)i / (float)steps ), ( to - from ) / (float)steps );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Drawing

static bool ShowPanel( RenderJob* job, Panel* panel )
{
	const supCharacter* character = job->sources[panel->source].character;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
		memcpy( supCharacterView_Positions( panel->view, i ), supActor_Positions( panel->actor, i ),
				(size_t)count * sizeof( supVec3 ) );
		memcpy( supCharacterView_Normals( panel->view, i ), supActor_Normals( panel->actor, i ),
				(size_t)count * sizeof( supVec3 ) );
		if ( FillHeat( job->heat, panel->actor, i, job->heatScale, job->tasks,
					   supCharacterView_Heat( panel->view, i ) ) == false )
		{
			return false;
		}
	}
	supCharacterView_Update( panel->view );
	return true;
}

// All panels as they are now into a picture of this size, which must not exist yet.
static int DrawPanels( RenderJob* job, int32_t width, int32_t height, const char* caption, supPicture* picture )
{
	double start = GetSeconds();
	supError error = { 0 };
	if ( supPicture_Create( picture, width, height ) == false )
	{
		return ReportMemory();
	}
	for ( int32_t i = 0; i < job->panelCount; ++i )
	{
		Panel* panel = job->panels + i;
		int32_t left = width * i / job->panelCount, right = width * ( i + 1 ) / job->panelCount;
		supRenderDef def = { .width = right - left,
							 .height = height,
							 .wireframe = job->wireframe,
							 .ground = job->ground,
							 .showGround = job->settings->noGround == false,
							 .background = { 0.58f, 0.62f, 0.66f } };
		def.view = supFrameView( job->bounds, job->azimuth, job->elevation, (float)def.width / (float)def.height );
		supPicture part;
		bool drawn = panel->layers != NULL ? supLayerView_Draw( panel->layers, &def, job->tasks, &part, &error )
										   : ShowPanel( job, panel ) &&
												 supCharacterView_Draw( panel->view, &def, job->tasks, &part, &error );
		if ( drawn == false )
		{
			return error.code != sup_errorNone ? ReportError( NULL, &error ) : ReportMemory();
		}
		if ( job->skeleton )
		{
			supDrawSkeleton( &part, &def.view, supActor_Pose( panel->actor ) );
		}
		if ( panel->label[0] != 0 || caption != NULL )
		{
			char label[240];
			snprintf( label, sizeof( label ), "%s%s%s", panel->label,
					  panel->label[0] != 0 && caption != NULL ? "  " : "", caption != NULL ? caption : "" );
			supDrawLabel( &part, label );
		}
		supPicture_Paste( picture, &part, left, 0 );
		supPicture_Destroy( &part );
	}
	if ( job->heat != heat_none )
	{
		DrawHeatLegend( job->heat, job->heatScale, picture );
	}
	job->framesDrawn += 1;
	job->drawSeconds += GetSeconds() - start;
	return exit_ok;
}

static int DrawStill( RenderJob* job )
{
	const RenderSettings* settings = job->settings;
	bool timed = isnan( settings->time ) == false;
	float time = timed ? ChooseTime( job->choices, settings->time ) : 0.5f * ( job->from + job->to );
	// a shot begins at rest where the clip begins, not where the picture is taken
	Begin( job, job->from );
	if ( time >= job->from )
	{
		Play( job, job->from, time );
	}
	else
	{
		Begin( job, time );
	}
	supPicture picture = { 0 };
	int status = DrawPanels( job, job->width, job->height, NULL, &picture );
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
	supPicture sheet = { 0 };
	if ( supPicture_Create( &sheet, job->width, job->height ) == false )
	{
		return ReportMemory();
	}
	int32_t count = job->columns * job->rows;
	int status = exit_ok;
	float last = job->from;
	Progress progress;
	BeginProgress( &progress, stderr, "Drawing" );
	Begin( job, job->from );
	for ( int32_t i = 0; i < count && status == exit_ok; ++i )
	{
		float time = count > 1 ? supLerpFloat( job->from, job->to, (float)i / (float)( count - 1 ) ) : job->from;
		Play( job, last, time );
		last = time;
		int32_t column = i % job->columns, row = i / job->columns;
		int32_t left = job->width * column / job->columns, right = job->width * ( column + 1 ) / job->columns;
		int32_t top = job->height * row / job->rows, bottom = job->height * ( row + 1 ) / job->rows;
		char caption[32];
		snprintf( caption, sizeof( caption ), "%.2f s", (double)time );
		supPicture cell = { 0 };
		status = DrawPanels( job, right - left, bottom - top, caption, &cell );
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
	const RenderSettings* settings = job->settings;
	supError error = { 0 };
	supFilm* film = supFilm_Open( settings->output, job->width, job->height, (float)settings->fps, &error );
	if ( film == NULL )
	{
		return ReportError( settings->output, &error );
	}
	// the last frame of a cyclic clip would be the first again, but nothing says that it is cyclic
	float dt = (float)( settings->speed / settings->fps );
	int32_t count = (int32_t)( ( job->to - job->from ) / dt + 1e-3f ) + 1;
	int status = exit_ok;
	Progress progress;
	BeginProgress( &progress, stderr, "Filming" );
	Begin( job, job->from );
	for ( int32_t i = 0; i < count && status == exit_ok; ++i )
	{
		if ( i > 0 )
		{
			Advance( job, job->from + dt * (float)i, dt );
		}
		supPicture picture = { 0 };
		status = DrawPanels( job, job->width, job->height, NULL, &picture );
		if ( status == exit_ok && supFilm_Add( film, &picture, &error ) == false )
		{
			status = ReportError( settings->output, &error );
		}
		supPicture_Destroy( &picture );
		UpdateProgress( &progress, i + 1, count, NULL );
	}
	EndProgress( &progress );
	if ( supFilm_Close( film, status == exit_ok, &error ) == false && status == exit_ok )
	{
		status = ReportError( settings->output, &error );
	}
	return status;
}

// ---------------------------------------------------------------------------------------------------------------------

static void PrintSummary( const RenderJob* job )
{
	const RenderSettings* settings = job->settings;
	if ( settings->common.json )
	{
		JsonWriter json = BeginJson( stdout );
		JsonOpenObject( &json, NULL );
		JsonText( &json, "output", settings->output );
		JsonInteger( &json, "bytes", (int64_t)GetFileSize( settings->output ) );
		JsonInteger( &json, "width", job->width );
		JsonInteger( &json, "height", job->height );
		JsonInteger( &json, "panels", job->panelCount );
		JsonInteger( &json, "frames", job->framesDrawn );
		JsonFloat( &json, "seconds_per_frame", (float)( job->drawSeconds / job->framesDrawn ) );
		JsonCloseObject( &json );
		EndJson( &json );
	}
	else if ( settings->common.quiet == false )
	{
		char path[1024];
		printf( "%s: %d x %d, %s, %.2f s each, %s\n", CleanText( settings->output, 0, path, sizeof( path ) ),
				job->width, job->height, FormatPlural( job->framesDrawn, "frame", "frames" ),
				job->drawSeconds / job->framesDrawn, FormatBytes( GetFileSize( settings->output ) ) );
	}
}

static int RenderFiles( const Command* command, RenderJob* job, const Arguments* arguments )
{
	const RenderSettings* settings = job->settings;
	if ( arguments->fileCount * job->methodCount > MOST_PANELS )
	{
		return ReportUsage( command, "more than %d panels do not fit side by side", MOST_PANELS );
	}
	job->pool = StartThreads( &settings->common );
	if ( job->pool == NULL )
	{
		return exit_memory;
	}
	job->tasks = supThreadPool_Tasks( job->pool );
	int status = OpenSources( job, arguments );
	if ( status != exit_ok )
	{
		return status;
	}
	ChooseSpan( job );
	status = FindBounds( job );
	// a twentieth of the character, or half an edge or volume, is as bad as the colours go
	job->heatScale = job->heat == heat_displacement ? 0.05f * supLength( supBox_Size( job->bounds ) ) : 0.5f;
	char extension[17];
	supGetExtension( settings->output, extension );
	bool isFilm = strcmp( extension, ".png" ) != 0;
	if ( status == exit_ok )
	{
		status = isFilm ? DrawFilm( job ) : settings->sheet != NULL ? DrawSheet( job ) : DrawStill( job );
	}
	if ( status == exit_ok )
	{
		PrintSummary( job );
	}
	return status;
}

static int RunRender( const Command* command, int argc, char** argv )
{
	RenderSettings settings = { .time = NAN, .from = NAN, .to = NAN, .fps = 30.0, .speed = 1.0, .substeps = 1 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	RenderJob job = { .settings = &settings };
	status = CheckClipSettings( command, &settings.clip );
	const char* inputs[] = { arguments.files[0], settings.clip.motion, settings.clip.map };
	status = status == exit_ok
				 ? CheckOutput( command, settings.output, ".png .mp4 .webm .gif", inputs, SUP_COUNT( inputs ) )
				 : status;
	status = status == exit_ok ? ReadSettings( command, &job ) : status;
	status = status == exit_ok ? RenderFiles( command, &job, &arguments ) : status;
	FreeJob( &job );
	FreeArguments( &arguments );
	return status;
}

const Command g_renderCommand = {
	.name = "render",
	.summary = "draw a character: a picture, a contact sheet, a film",
	.usage = "FILE... -o OUT [--clip NAME] [--time T] [--method M,...] [--sheet CxR] [--overlay O,...]",
	.about =
		"Draws characters with soft light and shadow. Several files or methods stand side by side, at the same time "
		"of the clip and seen from the same place. The camera frames everything that will be seen.",
	.examples = "supple render builtin:bunny -o bunny.png\n"
				"supple render builtin:bunny --clip Shake --method lbs,dqs -o shake.mp4\n"
				"supple render fox.glb --clip Run --sheet 4x2 --overlay skeleton -o run.png\n"
				"supple render hero.fbx --motion walk.bvh --view side --speed 0.5 -o walk.webm",
	ARG_OPTIONS( s_options ),
	.fileName = "FILE",
	.leastFiles = 1,
	.mostFiles = MOST_PANELS,
	.run = RunRender,
};
