// SPDX-License-Identifier: MIT
// supple rig: a mesh gets a skeleton by pointing at it, and weights.
#include "commands.h"
#include "core/core.h"
#include "io/settings/rig_file.h"
#include "json.h"
#include "load.h"
#include "report.h"
#include "text.h"
#include "volume/binding/bind.h"

typedef enum RigWeights
{
	rig_geodesic,
	rig_heuristic,
	rig_none,
} RigWeights;

typedef struct RigSettings
{
	CommonSettings common;
	const char* output;
	const char* clicks;
	int32_t weights;
	int32_t resolution;
	int32_t influences;
} RigSettings;

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( RigSettings, output ), "OUT",
	  "Output file: .glb, or .gltf (with a .bin beside it).", 0, 0, true },
	{ "clicks", 0, arg_text, offsetof( RigSettings, clicks ), "FILE",
	  "Joints, bones and root, as JSON: see above and docs/rig.md.", 0, 0, true },
	{ "weights", 0, arg_choice, offsetof( RigSettings, weights ), "geodesic|heuristic|none",
	  "How the mesh is bound to the skeleton: geodesic (default) follows the distance through the body, heuristic uses the nearest bone, none writes the skeleton alone.",
	  0, 0, false },
	{ "resolution", 0, arg_integer, offsetof( RigSettings, resolution ), "N",
	  "Voxels along the longest axis of the mesh, for geodesic weights. Default: 96.", 1, 512, false },
	{ "influences", 0, arg_integer, offsetof( RigSettings, influences ), "N", "Maximum bones per vertex. Default: 8.",
	  1, 8, false },
};

typedef struct RigJob
{
	const RigSettings* settings;
	Source mesh;
	supThreadPool* pool;
	supRig* rig;
	supCharacter* skeleton;
	supCharacter* bound; // NULL without weights
	supDocument* document;
} RigJob;

static void FreeJob( RigJob* job )
{
	supDestroyDocument( job->document );
	supDestroyCharacter( job->bound );
	supDestroyCharacter( job->skeleton );
	supDestroyRig( job->rig );
	supDestroyThreadPool( job->pool );
	FreeSource( &job->mesh );
}

static bool Point( RigJob* job, supError* error )
{
	job->rig = supCreateRig( job->mesh.character, supThreadPool_Tasks( job->pool ), error );
	if ( job->rig == NULL || supLoadClicks( job->rig, job->settings->clicks, error ) == false )
	{
		return false;
	}
	job->skeleton = supRig_CreateSkeleton( job->rig, error );
	return job->skeleton != NULL;
}

static bool Bind( RigJob* job, supError* error )
{
	const RigSettings* settings = job->settings;
	supBindDef def = supDefaultBindDef();
	def.resolution = settings->resolution > 0 ? settings->resolution : def.resolution;
	def.influences = settings->influences > 0 ? settings->influences : def.influences;
	def.weights = settings->weights == rig_heuristic ? sup_bindHeuristic : sup_bindGeodesic;
	def.tasks = supThreadPool_Tasks( job->pool );
	if ( settings->weights != rig_none )
	{
		job->bound = supBindCharacter( job->mesh.character, job->skeleton, &def, error );
	}
	const supCharacter* result = settings->weights != rig_none ? job->bound : job->skeleton;
	job->document = result != NULL ? supCreateDocument( result, error ) : NULL;
	return job->document != NULL;
}

static int MakeRig( RigJob* job )
{
	supError error = { 0 };
	job->pool = StartThreads( &job->settings->common );
	if ( job->pool == NULL )
	{
		return exit_memory;
	}
	if ( Point( job, &error ) == false )
	{
		return ReportError( job->settings->clicks, &error );
	}
	if ( Bind( job, &error ) == false )
	{
		return ReportError( job->mesh.path, &error );
	}
	for ( int32_t i = 0; job->bound != NULL && i < supCharacter_NoteCount( job->bound ); ++i )
	{
		Note( "%s", supCharacter_Note( job->bound, i )->text );
	}
	return supSaveDocument( job->document, job->settings->output, &error )
			   ? exit_ok
			   : ReportError( job->settings->output, &error );
}

static void PrintJson( const RigJob* job )
{
	JsonWriter json = BeginJson( stdout );
	JsonOpenObject( &json, NULL );
	JsonText( &json, "file", job->mesh.path );
	JsonText( &json, "clicks", job->settings->clicks );
	JsonText( &json, "output", job->settings->output );
	JsonInteger( &json, "bytes", (int64_t)GetFileSize( job->settings->output ) );
	JsonOpenArray( &json, "joints" );
	for ( int32_t i = 0; i < supRig_JointCount( job->rig ); ++i )
	{
		int32_t parent = supCharacter_Node( job->skeleton, i )->parent;
		supVec3 p = supRig_JointPlace( job->rig, i );
		JsonOpenObject( &json, NULL );
		JsonText( &json, "name", supRig_JointName( job->rig, i ) );
		if ( parent >= 0 )
		{
			JsonText( &json, "parent", supRig_JointName( job->rig, parent ) );
		}
		JsonOpenArray( &json, "at" );
		JsonFloat( &json, NULL, p.x );
		JsonFloat( &json, NULL, p.y );
		JsonFloat( &json, NULL, p.z );
		JsonCloseArray( &json );
		JsonCloseObject( &json );
	}
	JsonCloseArray( &json );
	JsonOpenArray( &json, "notes" );
	for ( int32_t i = 0; job->bound != NULL && i < supCharacter_NoteCount( job->bound ); ++i )
	{
		JsonText( &json, NULL, supCharacter_Note( job->bound, i )->text );
	}
	JsonCloseArray( &json );
	JsonCloseObject( &json );
	EndJson( &json );
}

static int RunRig( const Command* command, int argc, char** argv )
{
	RigSettings settings = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	RigJob job = { .settings = &settings };
	const char* inputs[] = { arguments.files[0], settings.clicks };
	status = CheckOutput( command, settings.output, ".glb .gltf", inputs, SUP_COUNT( inputs ) );
	status = status == exit_ok ? LoadSource( arguments.files[0], &job.mesh ) : status;
	status = status == exit_ok ? MakeRig( &job ) : status;
	if ( status == exit_ok && settings.common.json )
	{
		PrintJson( &job );
	}
	else if ( status == exit_ok && settings.common.quiet == false )
	{
		char path[1024];
		printf( "%s: %s%s, %s\n", CleanText( settings.output, 0, path, sizeof( path ) ),
				FormatPlural( supRig_JointCount( job.rig ), "joint", "joints" ),
				settings.weights == rig_none ? " without the mesh" : "",
				FormatBytes( GetFileSize( settings.output ) ) );
	}
	FreeJob( &job );
	FreeArguments( &arguments );
	return status;
}

const Command g_rigCommand = {
	.name = "rig",
	.summary = "create a skeleton for a mesh from clicks",
	.usage = "MESH --clicks FILE -o OUT [--weights W] [--resolution N] [--influences N]",
	.about =
		"Places each joint halfway between the first two hits of a ray with the mesh; the ray is given, or follows from a "
		"click on a picture and its camera. Bones connect joints, and one joint is the root. FILE is "
		"JSON: { \"camera\": { \"eye\": [0,1,4], \"target\": [0,1,0], \"fov\": 45, \"size\": [1280,720] }, \"joints\": [ { "
		"\"name\": \"hips\", \"click\": [640,360] }, { \"name\": \"head\", \"ray\": { \"origin\": [0,1.7,2], \"direction\": "
		"[0,0,-1] } }, { \"name\": \"toe\", \"at\": [0,0,0.1] } ], \"bones\": [ [\"hips\",\"head\"], [\"hips\",\"toe\"] ], "
		"\"root\": \"hips\" }. The mesh is then bound to the skeleton, as by 'supple bind'.",
	.examples = "supple rig statue.obj --clicks clicks.json -o statue.glb\n"
				"supple rig statue.obj --clicks clicks.json --weights none -o skeleton.glb",
	ARG_OPTIONS( s_options ),
	.fileName = "MESH",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunRig,
};
