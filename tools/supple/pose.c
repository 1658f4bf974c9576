// SPDX-License-Identifier: MIT
// supple pose: one skinned frame.
#include "choose.h"
#include "commands.h"
#include "core/core.h"
#include "io/common/file.h"
#include "json.h"
#include "report.h"
#include "text.h"

#include <math.h>

typedef struct PoseSettings
{
	CommonSettings common;
	const char* output;
	ClipSettings clip;
	double time; // not a number: where the clip starts
	int32_t skinning;
} PoseSettings;

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( PoseSettings, output ), "OUT",
	  "Output file: .glb, .gltf (with a .bin beside it) or .obj.", 0, 0, true },
	{ "time", 0, arg_number, offsetof( PoseSettings, time ), "T", "Time in the clip, in seconds. Default: its start.",
	  0, 0, false },
	{ "skinning", 0, arg_choice, offsetof( PoseSettings, skinning ), "linear|dual",
	  "Linear blend skinning (default) or dual quaternions.", 0, 0, false },
	CLIP_OPTIONS( PoseSettings, clip ),
};

// What one run holds on to.
typedef struct PoseJob
{
	const PoseSettings* settings;
	const char* output;
	Source source;
	ClipChoice choice;
	float time;
	supPose* pose;
	supThreadPool* pool;
	SceneMeasure scene;
} PoseJob;

static void FreeJob( PoseJob* job )
{
	supDestroyThreadPool( job->pool );
	supDestroyPose( job->pose );
	FreeClipChoice( &job->choice );
	FreeSource( &job->source );
}

static int CheckCombination( const Command* command, const PoseSettings* settings )
{
	if ( settings->clip.rest && isnan( settings->time ) == false )
	{
		return ReportUsage( command, "--rest excludes --time" );
	}
	return CheckClipSettings( command, &settings->clip );
}

static int MakePose( PoseJob* job )
{
	job->pose = supCreatePose( job->source.character );
	job->pool = job->pose != NULL ? StartThreads( &job->settings->common ) : NULL;
	if ( job->pool == NULL )
	{
		return job->pose == NULL ? ReportMemory() : exit_memory;
	}
	if ( job->choice.clip != NULL )
	{
		job->time = ChooseTime( &job->choice, job->settings->time );
		supPose_ApplyClip( job->pose, job->choice.clip, job->time );
	}
	bool measured = MeasureScene( job->source.character, job->pose, (supSkinning)job->settings->skinning,
								  supThreadPool_Tasks( job->pool ), &job->scene );
	return measured ? exit_ok : ReportMemory();
}

static int WriteFrame( PoseJob* job )
{
	supSkinning skinning = (supSkinning)job->settings->skinning;
	const supTasks* tasks = supThreadPool_Tasks( job->pool );
	char extension[17];
	supGetExtension( job->output, extension );
	supError error = { 0 };
	bool ok;
	if ( strcmp( extension, ".obj" ) == 0 )
	{
		ok = supSavePosedObj( job->pose, skinning, tasks, job->output, &error );
	}
	else
	{
		ok = supDocument_Freeze( job->source.document, job->pose, skinning, tasks, &error ) &&
			 supSaveDocument( job->source.document, job->output, &error );
	}
	return ok ? exit_ok : ReportError( error.code == sup_errorWrite ? job->output : job->source.path, &error );
}

// ---------------------------------------------------------------------------------------------------------------------

static const char* const s_skinningNames[] = { "linear", "dual" };

static void WriteSummary( const PoseJob* job )
{
	JsonWriter json = BeginJson( stdout );
	JsonOpenObject( &json, NULL );
	JsonText( &json, "file", job->source.path );
	JsonText( &json, "motion", job->settings->clip.motion );
	JsonText( &json, "clip", job->choice.label );
	JsonFloat( &json, "time", job->time );
	JsonText( &json, "skinning", s_skinningNames[job->settings->skinning] );
	JsonText( &json, "output", job->output );
	JsonInteger( &json, "bytes", (int64_t)GetFileSize( job->output ) );
	JsonInteger( &json, "vertices", job->scene.vertices );
	JsonInteger( &json, "triangles", job->scene.triangles );
	JsonOpenObject( &json, "bounds" );
	JsonVec3( &json, "min", job->scene.bounds.lower );
	JsonVec3( &json, "max", job->scene.bounds.upper );
	JsonVec3( &json, "size", supBox_Size( job->scene.bounds ) );
	JsonCloseObject( &json );
	JsonCloseObject( &json );
	EndJson( &json );
}

static void PrintSummary( const PoseJob* job )
{
	char path[1024];
	printf( "%s: %s, ", CleanText( job->output, 0, path, sizeof( path ) ),
			FormatPlural( job->scene.vertices, "vertex", "vertices" ) );
	if ( job->choice.clip != NULL )
	{
		printf( "%s at %.4g s", job->choice.label, (double)job->time );
	}
	else
	{
		printf( "rest pose" );
	}
	printf( ", %s skinning, %s\n", s_skinningNames[job->settings->skinning],
			FormatBytes( GetFileSize( job->output ) ) );
}

static int PoseFile( const Command* command, PoseJob* job, const char* path )
{
	const PoseSettings* settings = job->settings;
	int status = LoadSource( path, &job->source );
	if ( status == exit_ok && supCharacter_InstanceCount( job->source.character ) == 0 )
	{
		Report( path, "the file has no mesh; to use it as a motion: supple pose CHARACTER --motion %s", path );
		return exit_data;
	}
	status = status == exit_ok ? CheckSideFile( command, job->output, &job->source ) : status;
	status = status == exit_ok ? EnsureDocument( &job->source ) : status;
	status = status == exit_ok ? ChooseClip( &settings->clip, &job->source, &job->choice ) : status;
	status = status == exit_ok ? MakePose( job ) : status;
	status = status == exit_ok ? WriteFrame( job ) : status;
	if ( status == exit_ok && settings->common.json )
	{
		WriteSummary( job );
	}
	else if ( status == exit_ok && settings->common.quiet == false )
	{
		PrintSummary( job );
	}
	return status;
}

static int RunPose( const Command* command, int argc, char** argv )
{
	PoseSettings settings = { .time = NAN };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	const char* inputs[] = { arguments.files[0], settings.clip.motion, settings.clip.map };
	PoseJob job = { .settings = &settings, .output = settings.output };
	status = CheckCombination( command, &settings );
	status = status == exit_ok ? CheckOutput( command, settings.output, ".glb .gltf .obj", inputs, SUP_COUNT( inputs ) )
							   : status;
	status = status == exit_ok ? PoseFile( command, &job, arguments.files[0] ) : status;
	FreeJob( &job );
	FreeArguments( &arguments );
	return status;
}

const Command g_poseCommand = {
	.name = "pose",
	.summary = "write one skinned frame of a character",
	.usage = "FILE -o OUT [--clip NAME] [--time T] [--skinning linear|dual] [--motion FILE]",
	.about =
		"Skins a character in the pose of a clip at one moment and writes the result as plain meshes in world space. Everything else of a glTF file (materials, images, cameras, extras) is preserved.",
	.examples = "supple pose fox.glb --clip Run --time 0.4 -o fox.obj\n"
				"supple pose builtin:tube --clip twist --time 1 --skinning dual -o tube.glb\n"
				"supple pose hero.fbx --motion walk.bvh --map names.json --time 1.5 -o hero.glb",
	ARG_OPTIONS( s_options ),
	.fileName = "FILE",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunPose,
};
