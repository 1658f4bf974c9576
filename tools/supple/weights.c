// SPDX-License-Identifier: MIT
// supple weights: what a person painted beside what is computed.
#include "camera.h"
#include "commands.h"
#include "core/core.h"
#include "draw/view.h"
#include "json.h"
#include "load.h"
#include "report.h"
#include "text.h"
#include "volume/binding/bind.h"
#include "volume/weights/compare_weights.h"

#define PANELS 3
#define LISTED_BONES 10
// a vertex half of whose weight is elsewhere is as bad as the colours go
#define HEAT_SCALE 0.5f

typedef struct WeightsSettings
{
	CommonSettings common;
	const char* output;
	int32_t weights;
	int32_t resolution;
	int32_t influences;
	int32_t worst;
} WeightsSettings;

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( WeightsSettings, output ), "OUT.png",
	  "Picture of where the weights differ, and of the clip's worst moment with each.", 0, 0, false },
	{ "weights", 0, arg_choice, offsetof( WeightsSettings, weights ), "geodesic|heuristic",
	  "Weights to compare with, as for 'supple bind'. Default: geodesic.", 0, 0, false },
	{ "resolution", 0, arg_integer, offsetof( WeightsSettings, resolution ), "N",
	  "Voxels along the longest axis. Default: 96.", 1, 512, false },
	{ "influences", 0, arg_integer, offsetof( WeightsSettings, influences ), "N",
	  "Maximum bones per vertex. Default: 8.", 1, 8, false },
	{ "worst", 0, arg_integer, offsetof( WeightsSettings, worst ), "N",
	  "Number of vertices to list, worst first. Default: 10.", 0, 1000, false },
};

typedef struct WeightsJob
{
	const WeightsSettings* settings;
	Source source;
	supThreadPool* pool;
	supCharacter* bound;
	supWeightsComparison comparison;
} WeightsJob;

static void FreeJob( WeightsJob* job )
{
	supWeightsComparison_Destroy( &job->comparison );
	supDestroyCharacter( job->bound );
	supDestroyThreadPool( job->pool );
	FreeSource( &job->source );
}

static bool HasWeights( const supCharacter* character )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		if ( instance->skin >= 0 && supCharacter_Mesh( character, instance->mesh )->influences > 0 )
		{
			return true;
		}
	}
	return false;
}

static int Compare( WeightsJob* job )
{
	const WeightsSettings* settings = job->settings;
	const supCharacter* character = job->source.character;
	if ( HasWeights( character ) == false )
	{
		Report( job->source.path, "the file has no weights to compare with" );
		return exit_data;
	}
	job->pool = StartThreads( &settings->common );
	if ( job->pool == NULL )
	{
		return exit_memory;
	}
	supBindDef bindDef = supDefaultBindDef();
	bindDef.weights = settings->weights == 1 ? sup_bindHeuristic : sup_bindGeodesic;
	bindDef.resolution = settings->resolution > 0 ? settings->resolution : bindDef.resolution;
	bindDef.influences = settings->influences > 0 ? settings->influences : bindDef.influences;
	bindDef.tasks = supThreadPool_Tasks( job->pool );
	supError error = { 0 };
	job->bound = supBindCharacter( character, character, &bindDef, &error );
	if ( job->bound == NULL )
	{
		return ReportError( job->source.path, &error );
	}
	supCompareDef def = supDefaultCompareDef();
	def.own = character;
	def.other = job->bound;
	def.worstCount = settings->worst >= 0 ? settings->worst : def.worstCount;
	def.tasks = bindDef.tasks;
	return supCompareWeights( &job->comparison, &def, &error ) ? exit_ok : ReportError( job->source.path, &error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Picture

// The clip with the largest distance; NULL without clips.
static const supClipDifference* WorstClip( const supWeightsComparison* comparison )
{
	const supClipDifference* worst = NULL;
	for ( int32_t i = 0; i < comparison->clipCount; ++i )
	{
		const supClipDifference* clip = comparison->clips + i;
		worst = worst == NULL || clip->most > worst->most ? clip : worst;
	}
	return worst;
}

static void ShowDifferences( const WeightsJob* job, supCharacterView* view )
{
	const supWeightsComparison* comparison = &job->comparison;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( job->source.character ); ++i )
	{
		float* heat = supCharacterView_Heat( view, i );
		for ( int32_t v = comparison->vertexStarts[i]; v < comparison->vertexStarts[i + 1]; ++v )
		{
			heat[v - comparison->vertexStarts[i]] = supMinFloat( comparison->differences[v] / HEAT_SCALE, 1.0f );
		}
	}
	supCharacterView_ShowHeat( view, true );
}

typedef struct Panel
{
	const supCharacter* character;
	const supClip* clip;
	const char* label;
	float time;
	bool heat;
	supCharacterView* view;
	supPose* pose;
} Panel;

static bool OpenPanel( const WeightsJob* job, Panel* panel, supError* error )
{
	panel->view = supCreateCharacterView( panel->character, error );
	panel->pose = panel->view != NULL ? supCreatePose( panel->character ) : NULL;
	if ( panel->pose == NULL )
	{
		return panel->view != NULL ? supSetMemoryError( error ) : false;
	}
	if ( panel->clip != NULL )
	{
		supPose_ApplyClip( panel->pose, panel->clip, panel->time );
	}
	supCharacterView_SetPose( panel->view, panel->pose, sup_skinningLinear, supThreadPool_Tasks( job->pool ) );
	if ( panel->heat )
	{
		ShowDifferences( job, panel->view );
	}
	supCharacterView_Update( panel->view );
	return true;
}

static bool DrawPanel( const WeightsJob* job, Panel* panel, supBox bounds, supPicture* picture, supError* error )
{
	const ViewChoice choice = { 32.0f, 10.0f, true };
	supRenderDef def = {
		.width = 440, .height = 480, .ground = bounds.lower.y, .showGround = true, .background = { 0.58f, 0.62f, 0.66f }
	};
	def.view = supFrameView( bounds, ResolveAzimuth( &choice, job->source.character ), choice.elevation,
							 (float)def.width / (float)def.height );
	if ( supCharacterView_Draw( panel->view, &def, supThreadPool_Tasks( job->pool ), picture, error ) == false )
	{
		return false;
	}
	supDrawLabel( picture, panel->label );
	if ( panel->heat )
	{
		supDrawHeatLegend( picture, "0", "50 %", "weight on other bones" );
	}
	return true;
}

static bool DrawPanels( const WeightsJob* job, Panel* panels, int32_t count, supPicture* whole, supError* error )
{
	supBox bounds = supBox_empty;
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( OpenPanel( job, panels + i, error ) == false )
		{
			return false;
		}
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		// those in motion stand in the same view
		if ( i < 2 )
		{
			bounds = supCharacterView_Bounds( panels[i].view );
		}
		supPicture part = { 0 };
		bool ok = DrawPanel( job, panels + i, bounds, &part, error );
		if ( ok && whole->pixels == NULL && supPicture_Create( whole, part.width * count, part.height ) == false )
		{
			ok = supSetMemoryError( error );
		}
		if ( ok )
		{
			supPicture_Paste( whole, &part, part.width * i, 0 );
		}
		supPicture_Destroy( &part );
		if ( ok == false )
		{
			return false;
		}
	}
	return true;
}

static int SavePicture( const WeightsJob* job )
{
	const supCharacter* character = job->source.character;
	const supClipDifference* worst = WorstClip( &job->comparison );
	Panel panels[PANELS] = { { .character = character, .label = "rest", .heat = true } };
	int32_t count = 1;
	char labels[2][160];
	if ( worst != NULL )
	{
		const supClip* clip = supCharacter_Clip( character, worst->clip );
		char name[100];
		CleanText( GetClipLabel( character, clip ), 30, name, sizeof( name ) );
		snprintf( labels[0], sizeof( labels[0] ), "own weights, %s %.2f s", name, (double)worst->worstTime );
		snprintf( labels[1], sizeof( labels[1] ), "computed" );
		panels[1] = ( Panel ){ .character = character, .clip = clip, .label = labels[0], .time = worst->worstTime };
		panels[2] = ( Panel ){ .character = job->bound,
							   .clip = supCharacter_Clip( job->bound, worst->clip ),
							   .label = labels[1],
							   .time = worst->worstTime };
		count = PANELS;
	}
	supPicture picture = { 0 };
	supError error = { 0 };
	bool ok = DrawPanels( job, panels, count, &picture, &error ) &&
			  supPicture_SavePng( &picture, job->settings->output, &error );
	for ( int32_t i = 0; i < count; ++i )
	{
		supDestroyPose( panels[i].pose );
		supDestroyCharacterView( panels[i].view );
	}
	supPicture_Destroy( &picture );
	return ok ? exit_ok : ReportError( job->settings->output, &error );
}

// ---------------------------------------------------------------------------------------------------------------------
// Words

static const char* NodeName( const WeightsJob* job, int32_t node )
{
	return supCharacter_Node( job->bound, node )->name;
}

static void WriteJsonLists( const WeightsJob* job, JsonWriter* json )
{
	const supWeightsComparison* c = &job->comparison;
	JsonOpenArray( json, "bones" );
	for ( int32_t i = 0; i < c->boneCount; ++i )
	{
		JsonOpenObject( json, NULL );
		JsonText( json, "name", NodeName( job, c->bones[i].node ) );
		JsonInteger( json, "node", c->bones[i].node );
		JsonFloat( json, "own", (float)c->bones[i].own );
		JsonFloat( json, "computed", (float)c->bones[i].other );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
	JsonOpenArray( json, "worst" );
	for ( int32_t i = 0; i < c->worstCount; ++i )
	{
		const supWorstVertex* w = c->worst + i;
		JsonOpenObject( json, NULL );
		JsonInteger( json, "instance", w->instance );
		JsonInteger( json, "vertex", w->vertex );
		JsonFloat( json, "difference", w->difference );
		JsonVec3( json, "position", w->position );
		JsonText( json, "own", NodeName( job, w->ownNode ) );
		JsonText( json, "computed", NodeName( job, w->otherNode ) );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
	JsonOpenArray( json, "clips" );
	for ( int32_t i = 0; i < c->clipCount; ++i )
	{
		const supClipDifference* clip = c->clips + i;
		JsonOpenObject( json, NULL );
		JsonText( json, "name", supCharacter_Clip( job->source.character, clip->clip )->name );
		JsonFloat( json, "mean_distance", (float)clip->mean );
		JsonFloat( json, "max_distance", (float)clip->most );
		JsonFloat( json, "worst_time", clip->worstTime );
		JsonInteger( json, "worst_instance", clip->worstInstance );
		JsonInteger( json, "worst_vertex", clip->worstVertex );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
}

static void WriteJson( const WeightsJob* job )
{
	const supWeightsComparison* c = &job->comparison;
	JsonWriter json = BeginJson( stdout );
	JsonOpenObject( &json, NULL );
	JsonText( &json, "file", job->source.path );
	JsonText( &json, "weights", job->settings->weights == 1 ? "heuristic" : "geodesic" );
	JsonInteger( &json, "vertices", c->vertexCount );
	JsonInteger( &json, "joints", supCharacter_Skin( job->bound, 0 )->jointCount );
	JsonFloat( &json, "size", c->size );
	JsonFloat( &json, "mean_difference", (float)c->mean );
	JsonFloat( &json, "max_difference", (float)c->most );
	JsonFloat( &json, "mean_distance", (float)c->meanDistance );
	JsonFloat( &json, "max_distance", (float)c->mostDistance );
	WriteJsonLists( job, &json );
	JsonCloseObject( &json );
	EndJson( &json );
}

static void WriteText( const WeightsJob* job )
{
	const supWeightsComparison* c = &job->comparison;
	char name[3][200];
	printf( "%s: %s, %.1f %% of the weight is on other bones, at most %.0f %%\n",
			CleanText( job->source.path, 0, name[0], sizeof( name[0] ) ),
			FormatPlural( c->vertexCount, "vertex", "vertices" ), 100.0 * c->mean, 100.0 * c->most );
	if ( c->clipCount > 0 )
	{
		printf( "in %s the skins are %.2f %% of the size apart, at most %.1f %%\n",
				FormatPlural( c->clipCount, "clip", "clips" ), 100.0 * c->meanDistance, 100.0 * c->mostDistance );
	}
	printf( "\n%-32s %8s %8s\n", "bone", "own", "computed" );
	for ( int32_t i = 0; i < c->boneCount && i < LISTED_BONES; ++i )
	{
		printf( "%-32s %6.2f %% %6.2f %%\n",
				CleanText( NodeName( job, c->bones[i].node ), 32, name[0], sizeof( name[0] ) ), 100.0 * c->bones[i].own,
				100.0 * c->bones[i].other );
	}
	for ( int32_t i = 0; i < c->worstCount; ++i )
	{
		const supWorstVertex* w = c->worst + i;
		printf( "%smesh %d vertex %d at (%.3g, %.3g, %.3g): %.0f %% elsewhere, '%s' computed '%s'\n",
				i == 0 ? "\n" : "", w->instance, w->vertex, (double)w->position.x, (double)w->position.y,
				(double)w->position.z, 100.0 * (double)w->difference,
				CleanText( NodeName( job, w->ownNode ), 32, name[1], sizeof( name[1] ) ),
				CleanText( NodeName( job, w->otherNode ), 32, name[2], sizeof( name[2] ) ) );
	}
}

static int RunWeights( const Command* command, int argc, char** argv )
{
	WeightsSettings settings = { .worst = -1 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	WeightsJob job = { .settings = &settings };
	const char* inputs[] = { arguments.files[0] };
	status = settings.output != NULL ? CheckOutput( command, settings.output, ".png", inputs, 1 ) : exit_ok;
	status = status == exit_ok ? LoadSource( arguments.files[0], &job.source ) : status;
	status = status == exit_ok ? Compare( &job ) : status;
	status = status == exit_ok && settings.output != NULL ? SavePicture( &job ) : status;
	if ( status == exit_ok )
	{
		( settings.common.json ? WriteJson : WriteText )( &job );
	}
	FreeJob( &job );
	FreeArguments( &arguments );
	return status;
}

const Command g_weightsCommand = {
	.name = "weights",
	.summary = "compare painted weights with automatic ones",
	.usage = "FILE [-o OUT.png] [--weights W] [--resolution N] [--influences N] [--worst N]",
	.about =
		"Binds a character to its own skeleton and compares the result with the weights in the file: the share of weight on other bones, which bones gain or lose, the vertices that differ most, and the distance between the two skins over the file's clips.",
	.examples = "supple weights fox.glb\n"
				"supple weights hero.glb --weights heuristic -o difference.png --json",
	ARG_OPTIONS( s_options ),
	.fileName = "FILE",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunWeights,
};
