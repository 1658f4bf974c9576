// SPDX-License-Identifier: MIT
#include "stage.h"

#include "core/core.h"
#include "project.h"
#include "report.h"
#include "stop.h"
#include "terminal.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

#define LAYER_RESOLUTION 64

// As many as a bake takes.
#define MOST_FRAMES 1000000

// ---------------------------------------------------------------------------------------------------------------------
// Reading options

bool ParsePair( const char* text, int32_t* a, int32_t* b, int32_t most )
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

// Takes the next word up to a comma off the list; false at the end.
bool TakeOverlay( const char** list, char word[32] )
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

static int ReadOverlays( const Command* command, Stage* stage )
{
	char word[32];
	const char* list = stage->settings->overlay;
	while ( TakeOverlay( &list, word ) )
	{
		if ( strcmp( word, "skeleton" ) == 0 )
		{
			stage->skeleton = true;
		}
		else if ( strcmp( word, "wireframe" ) == 0 )
		{
			stage->wireframe = true;
		}
		else if ( strcmp( word, "layers" ) == 0 )
		{
			stage->layers = true;
		}
		else if ( ( stage->heat = FindHeat( word ) ) == heat_none )
		{
			return ReportUsage(
				command,
				"unknown overlay '%s'; overlays: skeleton, wireframe, layers, displacement, stretch, volume, "
				"softness, functions, pressure",
				word );
		}
	}
	return exit_ok;
}

// "lbs,dqs,...": every method there is.
static void ListMethods( char* words, size_t capacity )
{
	size_t length = 0;
	for ( int i = 0; i < sup_methodCount && length < capacity; ++i )
	{
		length += (size_t)snprintf( words + length, capacity - length, "%s%s", i > 0 ? "," : "",
									supMethodName( (supMethodId)i ) );
	}
}

static int ChooseFleshes( const Command* command, const Arguments* arguments, const char* methods, Stage* stage )
{
	const StageSettings* settings = stage->settings;
	if ( settings->flesh != NULL )
	{
		stage->fleshCount = 1;
		return ChooseFleshFile( command, arguments, settings->methods, settings->flesh, stage->fleshes );
	}
	bool isProject = settings->settings == NULL && arguments->fileCount == 1 && IsProject( arguments->files[0] );
	const char* file = isProject ? arguments->files[0] : settings->settings;
	char named[64] = "";
	int status = file != NULL ? FindSettingsMethod( file, named ) : exit_ok;
	const char* words = settings->methods != NULL ? settings->methods : named[0] != 0 ? named : methods;
	bool isDefault = words == methods;
	char every[256];
	if ( strcmp( words, "all" ) == 0 )
	{
		ListMethods( every, sizeof( every ) );
		words = every;
	}
	status = status == exit_ok ? ParseFleshChoices( command, words, stage->fleshes, MOST_PANELS, &stage->fleshCount )
							   : status;
	for ( int32_t i = 0; i < stage->fleshCount; ++i )
	{
		stage->fleshes[i].settingsFile = file;
		stage->fleshes[i].isDefault = isDefault && stage->fleshCount == 1;
	}
	status = status == exit_ok ? ApplySetOptions( command, arguments, stage->fleshes, stage->fleshCount ) : status;
	AllowForeignMotion( stage->fleshes, settings->clip.motion != NULL ? stage->fleshCount : 0 );
	return status;
}

int ReadView( const Command* command, const char* size, const char* view, int32_t* width, int32_t* height,
			  ViewChoice* choice )
{
	if ( ParsePair( size != NULL ? size : "1280x720", width, height, 16384 ) == false )
	{
		return ReportUsage( command, "option --size: expected two numbers up to 16384, such as 1280x720 (got '%s')",
							size );
	}
	if ( ParseView( view != NULL ? view : "three-quarter", choice ) == false )
	{
		return ReportUsage( command,
							"option --view: expected front, side, back, top, three-quarter or two angles such as 30,10 "
							"(got '%s')",
							view );
	}
	return exit_ok;
}

int PrepareStage( const Command* command, const StageSettings* settings, const Arguments* arguments,
				  const char* methods, Stage* stage )
{
	*stage = ( Stage ){ .settings = settings };
	stage->camera.zoom = (float)settings->zoom;
	int status =
		ReadView( command, settings->size, settings->view, &stage->width, &stage->height, &stage->camera.choice );
	status = status == exit_ok ? CheckClipSettings( command, &settings->clip ) : status;
	status = status == exit_ok ? CheckSpan( command, settings->from, settings->to ) : status;
	status = status == exit_ok ? ReadOverlays( command, stage ) : status;
	status = status == exit_ok ? ChooseFleshes( command, arguments, methods, stage ) : status;
	if ( status == exit_ok && arguments->fileCount * stage->fleshCount > MOST_PANELS )
	{
		return ReportUsage( command, "at most %d panels fit side by side", MOST_PANELS );
	}
	return status;
}

// ---------------------------------------------------------------------------------------------------------------------
// Panels

static void NamePanel( const Stage* stage, Panel* panel, const FleshChoice* flesh )
{
	if ( stage->settings->label != NULL )
	{
		snprintf( panel->label, sizeof( panel->label ), "%s", stage->settings->label );
	}
	else if ( stage->fileCount > 1 && flesh->baked[0] == 0 )
	{
		char name[120];
		CleanText( stage->sources[panel->source].path, 40, name, sizeof( name ) );
		snprintf( panel->label, sizeof( panel->label ), stage->fleshCount > 1 ? "%s  %s" : "%s", name, flesh->label );
	}
	else if ( stage->fleshCount > 1 )
	{
		snprintf( panel->label, sizeof( panel->label ), "%s", flesh->label );
	}
}

// The layers that the settings ask for, or the standard ones.
static int OpenLayers( Stage* stage, Panel* panel, const FleshChoice* flesh )
{
	const Source* source = stage->sources + panel->source;
	supError error = { 0 };
	supSettings* settings = NULL;
	if ( flesh->settingsFile != NULL )
	{
		settings = LoadSettingsFile( flesh->settingsFile, source->character, &error );
		if ( settings == NULL )
		{
			return ReportError( flesh->settingsFile, &error );
		}
	}
	// what is drawn is at rest
	if ( AimCamera( &stage->camera, panel->source, NULL, 1.0f, 1 ) == false )
	{
		return ReportMemory();
	}
	supVec3 towardsEye = supScale( -1.0f, stage->camera.subjects[panel->source].framing.forward );
	panel->layers = supCreateLayerView( source->character, settings != NULL ? &settings->def : NULL, LAYER_RESOLUTION,
										towardsEye, stage->tasks, &error );
	supDestroySettings( settings );
	if ( panel->layers == NULL )
	{
		return ReportError( source->path, &error );
	}
	for ( int32_t i = 0; i < supLayerView_NoteCount( panel->layers ); ++i )
	{
		Note( "%s", supLayerView_Note( panel->layers, i ) );
	}
	return exit_ok;
}

static int OpenPanel( Stage* stage, int32_t source, FleshChoice* flesh )
{
	Panel* panel = stage->panels + stage->panelCount++;
	const supCharacter* character = stage->sources[source].character;
	supError error = { 0 };
	int status = exit_ok;
	panel->source = source;
	panel->choice = flesh;
	// what one character falls back to is not for the next
	FleshChoice own = *flesh;
	panel->flesh = MakeFlesh( flesh->isDefault ? &own : flesh, stage->sources + source, stage->tasks, &status );
	if ( panel->flesh == NULL )
	{
		return status;
	}
	supSceneDef sceneDef = supDefaultSceneDef();
	const StageSettings* settings = stage->settings;
	sceneDef.substeps =
		settings->substeps > 0 ? settings->substeps : supChooseSubsteps( (float)( settings->speed / settings->fps ) );
	sceneDef.tasks = stage->tasks;
	sceneDef.guard = settings->noGuard == false;
	panel->scene = supCreateScene( &sceneDef, &error );
	panel->actor = panel->scene != NULL ? supScene_AddActor( panel->scene, panel->flesh, &error ) : NULL;
	panel->view = panel->actor != NULL && stage->draws ? supCreateCharacterView( character, &error ) : NULL;
	bool touches = panel->actor == NULL || ApplyTouch( &stage->touch, panel->scene, panel->actor, &error );
	if ( panel->actor == NULL || touches == false || ( panel->view == NULL && stage->draws ) )
	{
		return ReportError( stage->sources[source].path, &error );
	}
	NamePanel( stage, panel, flesh );
	if ( stage->draws == false )
	{
		return exit_ok;
	}
	if ( stage->layers )
	{
		status = OpenLayers( stage, panel, flesh );
	}
	supCharacterView_ShowHeat( panel->view, stage->heat != heat_none );
	return status;
}

void CloseStage( Stage* stage )
{
	CloseTouch( &stage->touch );
	for ( int32_t i = 0; i < stage->panelCount; ++i )
	{
		supDestroyLayerView( stage->panels[i].layers );
		supDestroyCharacterView( stage->panels[i].view );
		supDestroyScene( stage->panels[i].scene );
		supDestroyFlesh( stage->panels[i].flesh );
	}
	for ( int32_t i = 0; i < stage->sourceCount; ++i )
	{
		FreeClipChoice( stage->choices + i );
		FreeSource( stage->sources + i );
	}
	CloseCamera( &stage->camera );
	supFree( stage->sources );
	supFree( stage->choices );
}

static int OpenSource( Stage* stage, const char* path, const ClipSettings* clip )
{
	int32_t i = stage->sourceCount++;
	int status = LoadSourceIn( path, stage->settings->unit, stage->sources + i );
	if ( status == exit_ok && supCharacter_InstanceCount( stage->sources[i].character ) == 0 )
	{
		Report( path, "the file has no mesh; to use it as a motion: supple render CHARACTER --motion FILE" );
		status = exit_data;
	}
	// a document has a character of its own, which takes the place of the other
	status = status == exit_ok && stage->settings->documents ? EnsureDocument( stage->sources + i ) : status;
	status = status == exit_ok ? ChooseClip( clip, stage->sources + i, stage->choices + i ) : status;
	return status == exit_ok ? AddCameraSubject( &stage->camera, stage->sources + i, stage->settings->focus ) : status;
}

// What was baked of a character has its meshes.
static int CheckBaked( const Stage* stage, int32_t source )
{
	const supCharacter *a = stage->sources[0].character, *b = stage->sources[source].character;
	bool same = supCharacter_InstanceCount( a ) == supCharacter_InstanceCount( b );
	for ( int32_t i = 0; same && i < supCharacter_InstanceCount( a ); ++i )
	{
		same = supCharacter_Mesh( a, supCharacter_Instance( a, i )->mesh )->vertexCount ==
			   supCharacter_Mesh( b, supCharacter_Instance( b, i )->mesh )->vertexCount;
	}
	if ( same == false )
	{
		Report( stage->sources[source].path,
				"its meshes differ from those of %s; compare a character with a bake of it", stage->sources[0].path );
	}
	return same ? exit_ok : exit_data;
}

// The clip of the same name, or the first where that is a motion from elsewhere.
static int OpenBaked( Stage* stage, FleshChoice* flesh )
{
	const supClip* clip = stage->choices[0].clip;
	bool isNamed = clip != NULL && clip->name[0] != 0;
	ClipSettings settings = { .clip = isNamed ? clip->name : NULL, .rest = clip == NULL };
	int status = OpenSource( stage, flesh->baked, &settings );
	status = status == exit_ok ? CheckBaked( stage, stage->sourceCount - 1 ) : status;
	return status == exit_ok ? OpenPanel( stage, stage->sourceCount - 1, flesh ) : status;
}

static int OpenSources( Stage* stage, const Arguments* arguments )
{
	size_t most = (size_t)arguments->fileCount + MOST_PANELS;
	stage->sources = supAllocZeroed( most * sizeof( Source ) );
	stage->choices = supAllocZeroed( most * sizeof( ClipChoice ) );
	if ( stage->sources == NULL || stage->choices == NULL )
	{
		return ReportMemory();
	}
	int status = exit_ok;
	for ( int32_t i = 0; i < arguments->fileCount && status == exit_ok; ++i )
	{
		status = OpenSource( stage, arguments->files[i], &stage->settings->clip );
	}
	stage->fileCount = arguments->fileCount;
	for ( int32_t i = 0; i < stage->fileCount && status == exit_ok; ++i )
	{
		for ( int32_t k = 0; k < stage->fleshCount && status == exit_ok; ++k )
		{
			FleshChoice* flesh = stage->fleshes + k;
			bool isBaked = flesh->baked[0] != 0;
			status = isBaked == false ? OpenPanel( stage, i, flesh ) : i == 0 ? OpenBaked( stage, flesh ) : exit_ok;
		}
	}
	return status;
}

void SetStagePose( const Stage* stage, supPose* pose, int32_t source, float time )
{
	supPose_SetRest( pose );
	if ( stage->choices[source].clip != NULL )
	{
		supPose_ApplyClip( pose, stage->choices[source].clip, time );
	}
}

// The part of the clip that is shown; of several files the longest clip counts.
static int ChooseSpan( Stage* stage )
{
	const StageSettings* settings = stage->settings;
	float start = 1e30f, end = 0.0f;
	for ( int32_t i = 0; i < stage->sourceCount; ++i )
	{
		const supClip* clip = stage->choices[i].clip;
		start = supMinFloat( start, clip != NULL ? clip->start : 0.0f );
		end = supMaxFloat( end, clip != NULL ? clip->end : 0.0f );
	}
	stage->from = isnan( settings->from ) ? start : (float)settings->from;
	stage->to = isnan( settings->to ) ? end : (float)settings->to;
	stage->to = supMaxFloat( stage->to, stage->from );
	double seconds = (double)( stage->to - stage->from ) / settings->speed;
	if ( seconds * settings->fps > MOST_FRAMES )
	{
		Report( NULL, "%g s at %g fps is more than %d frames; use --from and --to for a part", seconds, settings->fps,
				MOST_FRAMES );
		return exit_data;
	}
	return exit_ok;
}

int OpenStage( Stage* stage, const Arguments* arguments, const supTasks* tasks, bool draws )
{
	stage->tasks = tasks;
	stage->draws = draws;
	int status = OpenTouch( &stage->settings->touch, stage->settings->unit, tasks, &stage->touch );
	status = status == exit_ok ? OpenSources( stage, arguments ) : status;
	if ( status != exit_ok )
	{
		return status;
	}
	status = ChooseSpan( stage );
	status = status == exit_ok ? FindStageBounds( stage ) : status;
	// a twentieth of the character, or half an edge or volume, is as bad as the colours go
	stage->heatScale = FindHeatScale( stage->heat, stage->bounds );
	return status;
}

// ---------------------------------------------------------------------------------------------------------------------
// Moving

void BeginStage( Stage* stage, float time )
{
	stage->time = time;
	for ( int32_t i = 0; i < stage->panelCount; ++i )
	{
		Panel* panel = stage->panels + i;
		SetStagePose( stage, supActor_Pose( panel->actor ), panel->source, time );
		supActor_Reset( panel->actor );
		panel->guard = ( GuardTally ){ 0 };
		CountGuard( &panel->guard, time, supActor_Guard( panel->actor ) );
	}
}

void AdvanceStage( Stage* stage, float time, float dt )
{
	stage->time = time;
	for ( int32_t i = 0; i < stage->panelCount; ++i )
	{
		Panel* panel = stage->panels + i;
		SetStagePose( stage, supActor_Pose( panel->actor ), panel->source, time );
		supScene_Step( panel->scene, dt );
		CountGuard( &panel->guard, time, supActor_Guard( panel->actor ) );
	}
}

void NoteStageGuards( const Stage* stage )
{
	for ( int32_t i = 0; i < stage->panelCount; ++i )
	{
		const Panel* panel = stage->panels + i;
		char name[200];
		CleanText( panel->label[0] != 0 ? panel->label : supFlesh_MethodName( panel->flesh ), 60, name,
				   sizeof( name ) );
		NoteGuard( &panel->guard, panel->flesh, name );
	}
}

void PlayStage( Stage* stage, float from, float to )
{
	int32_t steps = (int32_t)( ( to - from ) * (float)stage->settings->fps + 0.999f );
	for ( int32_t i = 1; i <= steps; ++i )
	{
		AdvanceStage( stage, supLerpFloat( from, to, (float)i / (float)steps ), ( to - from ) / (float)steps );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Drawing

static bool ShowPanel( Stage* stage, Panel* panel )
{
	const supCharacter* character = stage->sources[panel->source].character;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
		memcpy( supCharacterView_Positions( panel->view, i ), supActor_Positions( panel->actor, i ),
				(size_t)count * sizeof( supVec3 ) );
		memcpy( supCharacterView_Normals( panel->view, i ), supActor_Normals( panel->actor, i ),
				(size_t)count * sizeof( supVec3 ) );
		if ( FillHeat( stage->heat, panel->actor, i, stage->heatScale, stage->tasks,
					   supCharacterView_Heat( panel->view, i ) ) == false )
		{
			return false;
		}
	}
	supCharacterView_Update( panel->view );
	return true;
}

static void DrawWords( const Panel* panel, const char* caption, supPicture* picture )
{
	const char* parts[] = { panel->label, panel->caption, caption != NULL ? caption : "" };
	char words[400] = "";
	size_t length = 0;
	for ( int32_t i = 0; i < SUP_COUNT( parts ); ++i )
	{
		if ( parts[i][0] != 0 && length < sizeof( words ) )
		{
			length +=
				(size_t)snprintf( words + length, sizeof( words ) - length, "%s%s", length > 0 ? "  " : "", parts[i] );
		}
	}
	if ( words[0] != 0 )
	{
		supDrawLabel( picture, words );
	}
}

int DrawPanel( Stage* stage, Panel* panel, const supView* view, bool linear, int32_t width, int32_t height,
			   supPicture* picture )
{
	supError error = { 0 };
	supRenderDef def = { .width = width,
						 .height = height,
						 .view = *view,
						 .wireframe = stage->wireframe,
						 .ground = stage->ground,
						 .showGround = stage->settings->noGround == false,
						 .background = { 0.58f, 0.62f, 0.66f } };
	bool ok = true;
	if ( linear )
	{
		supCharacterView_ShowHeat( panel->view, false );
		supCharacterView_SetPose( panel->view, supActor_Pose( panel->actor ), sup_skinningLinear, stage->tasks );
	}
	else
	{
		supCharacterView_ShowHeat( panel->view, stage->heat != heat_none );
		ok = panel->layers != NULL || ShowPanel( stage, panel );
	}
	ok = ok && ( panel->layers != NULL ? supLayerView_Draw( panel->layers, &def, stage->tasks, picture, &error )
									   : supCharacterView_Draw( panel->view, &def, stage->tasks, picture, &error ) );
	if ( ok == false )
	{
		return error.code != sup_errorNone ? ReportError( NULL, &error ) : ReportMemory();
	}
	if ( stage->skeleton )
	{
		supDrawSkeleton( picture, view, supActor_Pose( panel->actor ) );
	}
	return exit_ok;
}

typedef struct PanelPlace
{
	int32_t left, top, width, height;
} PanelPlace;

// Row by row; rows with fewer panels have wider ones, seen from the same distance.
static PanelPlace PlacePanel( const Stage* stage, int32_t index, int32_t width, int32_t height )
{
	int32_t row = 0;
	while ( stage->panelCount * ( row + 1 ) / stage->rows <= index )
	{
		row += 1;
	}
	int32_t first = stage->panelCount * row / stage->rows;
	int32_t count = stage->panelCount * ( row + 1 ) / stage->rows - first, column = index - first;
	PanelPlace place = { .left = width * column / count, .top = height * row / stage->rows };
	place.width = width * ( column + 1 ) / count - place.left;
	place.height = height * ( row + 1 ) / stage->rows - place.top;
	return place;
}

int DrawStage( Stage* stage, int32_t width, int32_t height, const char* caption, supPicture* picture )
{
	double start = GetSeconds();
	if ( supPicture_Create( picture, width, height ) == false )
	{
		return ReportMemory();
	}
	for ( int32_t i = 0; i < stage->panelCount; ++i )
	{
		Panel* panel = stage->panels + i;
		PanelPlace place = PlacePanel( stage, i, width, height );
		supView view = GetCameraView( &stage->camera, panel->source, stage->time );
		supPicture part;
		int status = DrawPanel( stage, panel, &view, false, place.width, place.height, &part );
		if ( status != exit_ok )
		{
			return status;
		}
		DrawWords( panel, caption, &part );
		supPicture_Paste( picture, &part, place.left, place.top );
		supPicture_Destroy( &part );
	}
	if ( stage->heat != heat_none )
	{
		DrawHeatLegend( stage->heat, stage->heatScale, picture );
	}
	stage->framesDrawn += 1;
	stage->drawSeconds += GetSeconds() - start;
	return exit_ok;
}

int FilmStage( Stage* stage, supFilm* film, const char* output )
{
	supPicture picture = { 0 };
	supError error = { 0 };
	int status = DrawStage( stage, stage->width, stage->height, NULL, &picture );
	if ( status == exit_ok && supFilm_Add( film, &picture, &error ) == false )
	{
		status = ReportError( output, &error );
	}
	supPicture_Destroy( &picture );
	return status;
}

int EndFilm( supFilm* film, const char* output, int status )
{
	if ( status == exit_ok && IsStopped() )
	{
		Note( "stopped; %s was not written", output );
		status = exit_stopped;
	}
	supError error = { 0 };
	if ( supFilm_Close( film, status == exit_ok, &error ) == false && status == exit_ok )
	{
		status = ReportError( output, &error );
	}
	return status;
}
