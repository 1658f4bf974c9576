// SPDX-License-Identifier: MIT
// supple bind: a mesh gets a skeleton, with automatic weights.
#include "volume/binding/bind.h"
#include "commands.h"
#include "core/core.h"
#include "json.h"
#include "load.h"
#include "report.h"
#include "text.h"

typedef struct BindSettings
{
	CommonSettings common;
	const char* output;
	const char* skeleton;
	int32_t resolution;
	int32_t influences;
	int32_t weights;
	bool fit;
} BindSettings;

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( BindSettings, output ), "OUT",
	  "Output file: .glb, or .gltf (with a .bin beside it).", 0, 0, true },
	{ "skeleton", 0, arg_text, offsetof( BindSettings, skeleton ), "RIG",
	  "File with the skeleton and clips: any character, or a motion (.bvh).", 0, 0, true },
	{ "fit", 0, arg_flag, offsetof( BindSettings, fit ), NULL,
	  "Scale the skeleton to the height of the mesh and centre it on its ground. Default: both already coincide.", 0, 0,
	  false },
	{ "resolution", 0, arg_integer, offsetof( BindSettings, resolution ), "N",
	  "Voxels along the longest axis of the mesh; thin parts need more. Default: 96.", 1, 512, false },
	{ "weights", 0, arg_choice, offsetof( BindSettings, weights ), "geodesic|heuristic",
	  "geodesic (default) follows the distance through the body; heuristic uses the nearest bone in a straight line.",
	  0, 0, false },
	{ "influences", 0, arg_integer, offsetof( BindSettings, influences ), "N",
	  "Maximum bones per vertex. Default: 8; some players, three.js among them, support only 4.", 1, 8, false },
};

typedef struct BindJob
{
	const BindSettings* settings;
	Source mesh;
	Source rig;
	supThreadPool* pool;
	supCharacter* character;
	supDocument* document;
} BindJob;

static void FreeJob( BindJob* job )
{
	supDestroyDocument( job->document );
	supDestroyCharacter( job->character );
	supDestroyThreadPool( job->pool );
	FreeSource( &job->rig );
	FreeSource( &job->mesh );
}

static int Bind( BindJob* job )
{
	const BindSettings* settings = job->settings;
	supBindDef def = supDefaultBindDef();
	def.resolution = settings->resolution > 0 ? settings->resolution : def.resolution;
	def.influences = settings->influences > 0 ? settings->influences : def.influences;
	def.weights = settings->weights == 1 ? sup_bindHeuristic : sup_bindGeodesic;
	def.fit = settings->fit;
	job->pool = StartThreads( &settings->common );
	if ( job->pool == NULL )
	{
		return exit_memory;
	}
	def.tasks = supThreadPool_Tasks( job->pool );
	supError error = { 0 };
	job->character = supBindCharacter( job->mesh.character, job->rig.character, &def, &error );
	job->document = job->character != NULL ? supCreateDocument( job->character, &error ) : NULL;
	if ( job->document == NULL )
	{
		return ReportError( job->mesh.path, &error );
	}
	for ( int32_t i = 0; i < supCharacter_NoteCount( job->character ); ++i )
	{
		Note( "%s", supCharacter_Note( job->character, i )->text );
	}
	bool saved = supSaveDocument( job->document, settings->output, &error );
	return saved ? exit_ok : ReportError( settings->output, &error );
}

static void PrintSummary( const BindJob* job )
{
	const BindSettings* settings = job->settings;
	int64_t vertices = 0;
	for ( int32_t i = 0; i < supCharacter_MeshCount( job->character ); ++i )
	{
		vertices += supCharacter_Mesh( job->character, i )->vertexCount;
	}
	int32_t joints = supCharacter_Skin( job->character, 0 )->jointCount;
	if ( settings->common.json )
	{
		JsonWriter json = BeginJson( stdout );
		JsonOpenObject( &json, NULL );
		JsonText( &json, "file", job->mesh.path );
		JsonText( &json, "skeleton", job->rig.path );
		JsonText( &json, "output", settings->output );
		JsonInteger( &json, "bytes", (int64_t)GetFileSize( settings->output ) );
		JsonInteger( &json, "vertices", vertices );
		JsonInteger( &json, "joints", joints );
		JsonInteger( &json, "clips", supCharacter_ClipCount( job->character ) );
		JsonOpenArray( &json, "notes" );
		for ( int32_t i = 0; i < supCharacter_NoteCount( job->character ); ++i )
		{
			JsonText( &json, NULL, supCharacter_Note( job->character, i )->text );
		}
		JsonCloseArray( &json );
		JsonCloseObject( &json );
		EndJson( &json );
	}
	else if ( settings->common.quiet == false )
	{
		char path[1024];
		printf( "%s: %s on %s, %s, %s\n", CleanText( settings->output, 0, path, sizeof( path ) ),
				FormatPlural( vertices, "vertex", "vertices" ), FormatPlural( joints, "joint", "joints" ),
				FormatPlural( supCharacter_ClipCount( job->character ), "clip", "clips" ),
				FormatBytes( GetFileSize( settings->output ) ) );
	}
}

static int RunBind( const Command* command, int argc, char** argv )
{
	BindSettings settings = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	BindJob job = { .settings = &settings };
	const char* inputs[] = { arguments.files[0], settings.skeleton };
	status = CheckOutput( command, settings.output, ".glb .gltf", inputs, SUP_COUNT( inputs ) );
	status = status == exit_ok ? LoadSource( arguments.files[0], &job.mesh ) : status;
	status = status == exit_ok ? LoadSource( settings.skeleton, &job.rig ) : status;
	status = status == exit_ok ? Bind( &job ) : status;
	if ( status == exit_ok )
	{
		PrintSummary( &job );
	}
	FreeJob( &job );
	FreeArguments( &arguments );
	return status;
}

const Command g_bindCommand = {
	.name = "bind",
	.summary = "bind a mesh to a skeleton with automatic weights",
	.usage = "MESH --skeleton RIG -o OUT [--fit] [--weights W] [--resolution N] [--influences N]",
	.about =
		"Binds a mesh, which may be open, in parts or overlapping, to the skeleton of another file. Weights follow the distance through the body (geodesic voxel binding), so that adjacent fingers stay separate. The result has the skeleton's clips.",
	.examples = "supple bind statue.obj --skeleton human.glb --fit -o statue.glb\n"
				"supple bind scan.ply --skeleton rig.fbx --resolution 192 -o scan.glb",
	ARG_OPTIONS( s_options ),
	.fileName = "MESH",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunBind,
};
