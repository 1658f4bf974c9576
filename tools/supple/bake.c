// SPDX-License-Identifier: MIT
// supple bake: a clip with flesh, frame by frame, into a file that other programs play.
#include "bake_vat.h"
#include "commands.h"
#include "io/common/file.h"
#include "json.h"
#include "project.h"
#include "report.h"
#include "show.h"
#include "stop.h"
#include "terminal.h"
#include "text.h"

#include <math.h>
#include <stdio.h>

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( BakeSettings, output ), "OUT",
	  "Output file; the extension selects the format: .glb or .gltf (morph targets in the source document), .vrm (helper bones in it), .pc2, .mdd (one file per mesh), .obj (one file per frame), .usda, .usdz. Default: NAME.baked.glb.",
	  0, 0, false },
	{ "method", 'm', arg_text, offsetof( BakeSettings, method ), "M",
	  "Method, optionally with parameters: position:stretch=0.5. 'supple methods' lists them. Default: position, or dqs if the character cannot have flesh.",
	  0, 0, false },
	SET_OPTIONS,
	FLESH_OPTION( BakeSettings, fleshFile ),
	UNIT_OPTION( BakeSettings, unit ),
	TOUCH_OPTIONS( BakeSettings, touch ),
	CLIP_OPTIONS( BakeSettings, clip ),
	{ "fps", 0, arg_number, offsetof( BakeSettings, fps ), "N", "Frame rate. Default: 30.", 0.1, 10000, false },
	{ "from", 0, arg_number, offsetof( BakeSettings, from ), "T",
	  "Start time in the clip, in seconds. Default: its start.", 0, 1e6, false },
	{ "to", 0, arg_number, offsetof( BakeSettings, to ), "T", "End time in the clip, in seconds. Default: its end.", 0,
	  1e6, false },
	{ "substeps", 0, arg_integer, offsetof( BakeSettings, substeps ), "N",
	  "Simulation steps per frame. Default: enough that a step is at most 1/60 s, or as set in a scene file.", 1, 1000,
	  false },
	{ "preroll", 0, arg_number, offsetof( BakeSettings, preroll ), "T",
	  "Time for flesh to settle in the first pose, in seconds. Default: 0.", 0, 3600, false },
	{ "loop", 0, arg_flag, offsetof( BakeSettings, loop ), NULL,
	  "Bake a cycle: play the clip until flesh is periodic too, then record one cycle at the nearest frame rate that divides it into whole frames. Prints the remaining seam.",
	  0, 0, false },
	{ "tolerance", 0, arg_number, offsetof( BakeSettings, tolerance ), "E",
	  "For .glb: drop frames that the others reproduce within this fraction of the character's size. 0 keeps all. Default: 0.0001, or 0.0003 with --as bones.",
	  0, 1, false },
	{ "as", 0, arg_text, offsetof( BakeSettings, as ), "FORM",
	  "For .glb: 'targets' (default), one morph target per key frame; 'basis', principal components as morph targets if that needs fewer; or 'bones', up to 32 helper bones under the character's joints with new skin weights, small and playable anywhere ('bones:64' for up to 64). For .png and .exr: 'vat', vertex animation textures, with a mesh (.vat.glb) and a description (.vat.json).",
	  0, 0, false },
	{ "influences", 0, arg_integer, offsetof( BakeSettings, influences ), "N",
	  "With --as bones: bones per vertex. Default: 4; more need JOINTS_1, which not every engine reads.", 1, 8, false },
	{ "scale", 0, arg_flag, offsetof( BakeSettings, scale ), NULL,
	  "With --as bones: allow helpers to scale, which follows bulging flesh more closely.", 0, 0, false },
	{ "keep-clips", 0, arg_flag, offsetof( BakeSettings, keepClips ), NULL,
	  "For .glb: keep unbaked clips, after the baked ones.", 0, 0, false },
	{ "compress", 0, arg_flag, offsetof( BakeSettings, compress ), NULL,
	  "For .glb: compress with EXT_meshopt_compression and KHR_mesh_quantization. three.js, Babylon.js and glTFast read them, Blender does not.",
	  0, 0, false },
	{ "settings", 0, arg_text, offsetof( BakeSettings, settings ), "FILE",
	  "JSON file of settings: method, parameters, softness, layers, materials, and \"bake\": clip, fps, from, to, substeps, "
	  "preroll, loop, tolerance. Command-line options override it.",
	  0, 0, false },
	{ "report", 0, arg_text, offsetof( BakeSettings, report ), "FILE",
	  "Write measurements, per frame and in total, as JSON.", 0, 0, false },
	{ "audit", 0, arg_flag, offsetof( BakeSettings, audit ), NULL,
	  "Scenes: measure penetration between actors and within each, by winding numbers in every frame. Slow.", 0, 0,
	  false },
	{ "device", 0, arg_text, offsetof( BakeSettings, device ), "NAME",
	  "Compute on a device: gpu, cpu or part of a name listed by 'supple devices'. Does not change the result.", 0, 0,
	  false },
	{ "resume", 0, arg_flag, offsetof( BakeSettings, resume ), NULL,
	  "Resume a stopped bake. The result has the same bits.", 0, 0, false },
};

// ---------------------------------------------------------------------------------------------------------------------
// Names

// bunny of "builtin:bunny", fox of "a/fox.glb".
static void MakeDefaultOutput( BakeJob* job, const char* path )
{
	const char* start = strrchr( path, '/' );
	start = start != NULL ? start + 1 : path;
	const char* colon = strrchr( start, ':' );
	start = colon != NULL ? colon + 1 : start;
	const char* dot = strrchr( start, '.' );
	size_t length = dot != NULL && dot > start ? (size_t)( dot - start ) : strlen( start );
	length = length < 200 ? length : 200;
	snprintf( job->defaultOutput, sizeof( job->defaultOutput ), "%.*s.baked.glb", (int)length, start );
	job->settings->output = job->defaultOutput;
}

// ---------------------------------------------------------------------------------------------------------------------
// Which clips

static bool IsAll( const BakeJob* job )
{
	const char* clip = job->settings->clip.clip;
	// a clip that is really called so is taken by its name
	return clip != NULL && strcmp( clip, "all" ) == 0 && supCharacter_FindClip( job->source.character, "all" ) == NULL;
}

static bool PushClip( BakeJob* job, const supClip* clip, const char* name, bool several )
{
	if ( SUP_PUSH( &job->clips, ( BakedClip ){ .name = name, .clip = clip } ) == false )
	{
		return false;
	}
	int32_t index = job->clips.count - 1;
	BakedClip* baked = job->clips.data + index;
	if ( several )
	{
		MakeFileWord( name, &job->clips.data->word, index, sizeof( BakedClip ) );
	}
	baked->work = MakeBakePath( job->settings->output, &baked->word, NULL, ".part" );
	return baked->work != NULL;
}

// "Walk,Run": several clips, unless there is one of that very name.
static bool IsList( const BakeJob* job )
{
	const ClipSettings* clip = &job->settings->clip;
	return clip->clip != NULL && clip->motion == NULL && clip->rest == false && strchr( clip->clip, ',' ) != NULL &&
		   supCharacter_FindClip( job->source.character, clip->clip ) == NULL;
}

static bool HasClip( const BakeJob* job, const supClip* clip )
{
	for ( int32_t i = 0; i < job->clips.count; ++i )
	{
		if ( job->clips.data[i].clip == clip )
		{
			return true;
		}
	}
	return false;
}

static int ChooseListed( BakeJob* job )
{
	const char* rest = job->settings->clip.clip;
	while ( rest != NULL )
	{
		char name[256];
		const char* comma = strchr( rest, ',' );
		size_t length = comma != NULL ? (size_t)( comma - rest ) : strlen( rest );
		snprintf( name, sizeof( name ), "%.*s", (int)( length < sizeof( name ) ? length : sizeof( name ) - 1 ), rest );
		rest = comma != NULL ? comma + 1 : NULL;
		const supClip* clip = SelectClip( &job->source, name );
		if ( clip == NULL )
		{
			return exit_data;
		}
		if ( HasClip( job, clip ) )
		{
			Report( job->source.path, "option --clip: '%s' is listed twice", clip->name );
			return exit_usage;
		}
		if ( PushClip( job, clip, clip->name, true ) == false )
		{
			return ReportMemory();
		}
	}
	return exit_ok;
}

static int ChooseClips( BakeJob* job )
{
	const supCharacter* character = job->source.character;
	if ( IsList( job ) )
	{
		return ChooseListed( job );
	}
	int32_t count = supCharacter_ClipCount( character );
	if ( IsAll( job ) && count > 0 )
	{
		for ( int32_t i = 0; i < count; ++i )
		{
			const supClip* clip = supCharacter_Clip( character, i );
			if ( PushClip( job, clip, clip->name, count > 1 ) == false )
			{
				return ReportMemory();
			}
		}
		return exit_ok;
	}
	ClipSettings settings = job->settings->clip;
	settings.clip = IsAll( job ) ? NULL : settings.clip;
	int status = ChooseClip( &settings, &job->source, &job->choice );
	if ( status == exit_ok )
	{
		const supClip* clip = job->choice.clip;
		status = PushClip( job, clip, clip != NULL ? clip->name : "", false ) ? exit_ok : ReportMemory();
	}
	return status;
}

static int CheckSkins( const BakeJob* job )
{
	const supCharacter* character = job->source.character;
	int32_t instanceCount = supCharacter_InstanceCount( character );
	int32_t skinned = 0;
	for ( int32_t i = 0; i < instanceCount; ++i )
	{
		skinned += supCharacter_Instance( character, i )->skin >= 0;
	}
	if ( instanceCount == 0 )
	{
		Report( job->source.path, "the file has no mesh; to use it as a motion: supple bake CHARACTER --motion FILE" );
		return exit_data;
	}
	if ( skinned == 0 && supCharacter_ClipCount( character ) == 0 )
	{
		Report( job->source.path,
				"no mesh in this file has a skin; bind it to a skeleton first: supple bind MESH --skeleton "
				"RIG -o OUT.glb; or use it as a soft prop in a scene file: \"file\": MESH, \"method\": "
				"\"points\"" );
		return exit_data;
	}
	if ( skinned == 0 )
	{
		Note( "%s: no mesh has a skin; meshes move rigidly with their nodes", job->source.path );
	}
	return exit_ok;
}

// ---------------------------------------------------------------------------------------------------------------------
// Simulating

typedef struct ProgressContext
{
	BakeJob* job;
	const char* item;
} ProgressContext;

static bool ShowProgress( int32_t framesDone, int32_t frameCount, void* context )
{
	ProgressContext* progress = context;
	UpdateProgress( &progress->job->progress, framesDone, frameCount, progress->item );
	return IsStopped() == false;
}

static int BakeClip( BakeJob* job, BakedClip* clip )
{
	const BakeSettings* settings = job->settings;
	supBakeDef def = supDefaultBakeDef();
	ProgressContext context = { job, clip->name };
	def.clip = clip->clip;
	def.framesPerSecond = (float)settings->fps;
	def.from = isnan( settings->from ) ? def.from : (float)settings->from;
	def.to = isnan( settings->to ) ? def.to : (float)settings->to;
	def.keepFirstFrame = settings->clip.keepFirstFrame || isnan( settings->from ) == false;
	def.substeps = settings->substeps;
	def.preroll = (float)settings->preroll;
	def.loop = settings->loop;
	def.colliders = job->touch.colliders;
	def.colliderCount = job->touch.colliderCount;
	def.touchSelf = job->touch.self;
	def.additive = job->touch.additive;
	def.tasks = supThreadPool_Tasks( job->pool );
	def.device = job->device;
	def.progress = ShowProgress;
	def.progressContext = &context;
	def.resume = settings->resume;
	float end = clip->clip != NULL ? clip->clip->end : INFINITY;
	if ( supMaxFloat( def.from, def.to ) > end + 1.0f / def.framesPerSecond )
	{
		Note( "clip '%s' ends at %g s; the last pose is held after that", clip->name, (double)end );
	}
	if ( clip->clip != NULL && def.keepFirstFrame == false &&
		 supFindMotionStart( job->source.character, clip->clip ) > clip->clip->start )
	{
		Note( "clip '%s' starts with a frame in the rest pose, which is dropped (--keep-first-frame keeps "
			  "it)",
			  clip->name );
	}
	supError error = { 0 };
	clip->bake = supBakeFrames( job->flesh, &def, clip->work, &error );
	return clip->bake != NULL ? exit_ok : ReportError( NULL, &error );
}

static int BakeClips( BakeJob* job )
{
	int status = exit_ok;
	WatchForStop();
	BeginProgress( &job->progress, stderr, "Baking" );
	for ( int32_t i = 0; i < job->clips.count && status == exit_ok; ++i )
	{
		status = BakeClip( job, job->clips.data + i );
		if ( IsStopped() )
		{
			// what comes after has not begun
			for ( int32_t k = i + 1; k < job->clips.count; ++k )
			{
				supFree( job->clips.data[k].work );
			}
			job->clips.count = i + 1;
		}
	}
	EndProgress( &job->progress );
	return status;
}

// ---------------------------------------------------------------------------------------------------------------------

static void PrintSummary( const BakeJob* job )
{
	const BakeSettings* settings = job->settings;
	const BakeTotals* totals = &job->totals;
	if ( settings->common.json )
	{
		JsonWriter json = BeginJson( stdout );
		JsonOpenObject( &json, NULL );
		JsonText( &json, "file", job->source.path );
		JsonText( &json, "output", settings->output );
		JsonText( &json, "method", supMethodName( settings->flesh.method ) );
		JsonInteger( &json, "clips", job->clips.count );
		JsonInteger( &json, "frames", totals->frames );
		JsonBool( &json, "complete", totals->frames == totals->wantedFrames );
		JsonInteger( &json, "resumed_frames", totals->resumedFrames );
		JsonInteger( &json, "files", job->filesWritten );
		JsonFloat( &json, "volume_error_max", totals->volumeError );
		JsonFloat( &json, "stretch_max", totals->stretch );
		JsonFloat( &json, "step_ms_median", totals->stepMsMedian );
		WriteLooks( &json, &totals->looks, job->flesh );
		WriteGuard( &json, &totals->guard, supFlesh_Character( job->flesh ) );
		if ( job->bones.clips != NULL )
		{
			WriteBones( &json, &job->bones, job->clips.data, job->clips.count );
		}
		if ( settings->form == form_basis )
		{
			JsonBool( &json, "basis", job->basis.isBasis );
			JsonInteger( &json, "targets", job->basis.targetCount );
			JsonInteger( &json, "keys", job->basis.keyCount );
		}
		JsonCloseObject( &json );
		EndJson( &json );
	}
	else if ( settings->common.quiet == false )
	{
		char path[1024];
		printf( "%s: %s, %s, volume within %.2f %%, %.2f ms a frame",
				CleanText( settings->output, 0, path, sizeof( path ) ), settings->flesh.label,
				FormatPlural( totals->frames, "frame", "frames" ), 100.0 * (double)totals->volumeError,
				(double)totals->stepMsMedian );
		if ( HasFlesh( job->flesh ) )
		{
			const supLooks* looks = &totals->looks;
			printf( ", looks %s (torn %.2f, crushed %.1f, alive %.2f %%, far %.1f %%)",
					supVerdictName( supLooks_Verdict( looks ) ), (double)looks->torn, (double)looks->crushed,
					(double)looks->alive, (double)looks->far );
		}
		if ( job->basis.targetCount > 0 )
		{
			printf( ", %d morph targets for %d keys", job->basis.targetCount, job->basis.keyCount );
		}
		if ( job->bytesWritten > 0 )
		{
			printf( ", %s", FormatBytes( job->bytesWritten ) );
		}
		printf( job->filesWritten > 1 ? " in %d files\n" : "\n", job->filesWritten );
		PrintLoops( job->clips.data, job->clips.count );
		PrintBones( &job->bones, job->clips.data, job->clips.count );
	}
}

bool FreeBakeJob( BakeJob* job, bool keep )
{
	bool kept = false;
	for ( int32_t i = 0; i < job->clips.count; ++i )
	{
		supDestroyBake( job->clips.data[i].bake, keep );
		kept = kept || ( job->clips.data[i].work != NULL && GetFileSize( job->clips.data[i].work ) > 0 );
		supFree( job->clips.data[i].work );
	}
	SUP_FREE_ARRAY( &job->clips );
	supFree( job->bones.clips );
	supDestroyFlesh( job->flesh );
	supCloseDevice( job->device );
	supDestroyThreadPool( job->pool );
	FreeClipChoice( &job->choice );
	CloseTouch( &job->touch );
	FreeSource( &job->source );
	return kept;
}

int LoadBakeJob( BakeJob* job, const char* path )
{
	int status = LoadSourceIn( path, job->settings->unit, &job->source );
	status = status == exit_ok ? CheckSkins( job ) : status;
	// also makes the character again, so that flesh must come after it
	return status == exit_ok ? EnsureDocument( &job->source ) : status;
}

int BuildBakeFlesh( BakeJob* job )
{
	int status = exit_ok;
	job->flesh = MakeFlesh( &job->settings->flesh, &job->source, supThreadPool_Tasks( job->pool ), &status );
	return status;
}

int ChooseBakeClips( const Command* command, BakeJob* job )
{
	int status = CheckSideFile( command, job->settings->output, &job->source );
	return status == exit_ok ? ChooseClips( job ) : status;
}

static int WriteJob( BakeJob* job )
{
	const BakeSettings* settings = job->settings;
	BakeOutput output = { .path = settings->output,
						  .source = &job->source,
						  .clips = job->clips.data,
						  .clipCount = job->clips.count,
						  .tolerance = settings->tolerance,
						  .keepClips = settings->keepClips,
						  .compress = settings->compress,
						  .settings = settings,
						  .bones = &job->bones,
						  .basis = &job->basis,
						  .tasks = supThreadPool_Tasks( job->pool ) };
	int status = WriteBakes( &output );
	job->filesWritten = output.fileCount;
	job->bytesWritten = output.byteCount;
	return status;
}

// Morph targets of skinned meshes are not quite those of the file any more.
static void NoteExpressions( const BakeJob* job )
{
	const supCharacter* character = job->source.character;
	bool isDocument = strcmp( job->extension, ".glb" ) == 0 || strcmp( job->extension, ".gltf" ) == 0;
	int32_t count = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		const supInstance* instance = supCharacter_Instance( character, i );
		count += instance->skin >= 0 && supCharacter_Mesh( character, instance->mesh )->targetCount > 0;
	}
	if ( count > 0 && isDocument && job->settings->form == form_vat )
	{
		Note( "the expressions (morph targets) of %s are baked in and can no longer be set; --as bones "
			  "keeps them",
			  FormatPlural( count, "mesh", "meshes" ) );
	}
	else if ( count > 0 && isDocument && job->settings->form != form_bones )
	{
		Note( "the expressions (morph targets) of %s keep the offsets of the first frame, which do not "
			  "rotate with the pose; --as bones keeps them unchanged",
			  FormatPlural( count, "mesh", "meshes" ) );
	}
}

int RunBakeJob( BakeJob* job )
{
	const BakeSettings* settings = job->settings;
	int status = OpenTouch( &settings->touch, settings->unit, supThreadPool_Tasks( job->pool ), &job->touch );
	status = status == exit_ok ? BakeClips( job ) : status;
	if ( status == exit_ok && SumBakes( job->clips.data, job->clips.count, &job->totals ) == false )
	{
		status = ReportMemory();
	}
	status = status == exit_ok ? WriteJob( job ) : status;
	if ( status == exit_ok && settings->report != NULL )
	{
		BakeReport report = { .settings = settings,
							  .source = &job->source,
							  .flesh = job->flesh,
							  .clips = job->clips.data,
							  .clipCount = job->clips.count,
							  .totals = &job->totals,
							  .bones = &job->bones };
		status = WriteBakeReport( settings->report, &report );
	}
	if ( status == exit_ok )
	{
		PrintSummary( job );
		NoteExpressions( job );
		NoteLoops( job->clips.data, job->clips.count, settings );
		NoteUnresolved( job->clips.data, job->clips.count );
		NoteBones( &job->bones, settings );
		if ( settings->form == form_basis && job->basis.isBasis == false )
		{
			Note( "wrote key frames: principal components would need as many morph targets at this tolerance; "
				  "a larger --tolerance needs fewer" );
		}
		NoteGuard( &job->totals.guard, job->flesh, supFlesh_MethodName( job->flesh ) );
		NoteLooks( &job->totals.looks, job->flesh, supFlesh_MethodName( job->flesh ) );
	}
	return status;
}

static int OpenBakeDevice( BakeJob* job )
{
	supError error = { 0 };
	if ( job->settings->device != NULL )
	{
		job->device = supOpenDevice( job->settings->device, &error );
		return job->device != NULL ? exit_ok : ReportError( "--device", &error );
	}
	return exit_ok;
}

static int BakeFile( const Command* command, BakeJob* job, const char* path )
{
	int status = LoadBakeJob( job, path );
	status = status == exit_ok ? ChooseBakeClips( command, job ) : status;
	if ( status == exit_ok )
	{
		job->pool = StartThreads( &job->settings->common );
		status = job->pool != NULL ? OpenBakeDevice( job ) : exit_memory;
		status = status == exit_ok ? BuildBakeFlesh( job ) : status;
	}
	return status == exit_ok ? RunBakeJob( job ) : status;
}

static int ChooseFlesh( const Command* command, const Arguments* arguments, BakeSettings* settings )
{
	if ( settings->fleshFile != NULL )
	{
		return ChooseFleshFile( command, arguments, settings->method, settings->fleshFile, &settings->flesh );
	}
	char named[64] = "";
	int status = settings->settings != NULL ? FindSettingsMethod( settings->settings, named ) : exit_ok;
	const char* method = settings->method != NULL ? settings->method : named[0] != 0 ? named : DEFAULT_METHOD;
	status = status == exit_ok ? ParseFleshChoice( command, method, &settings->flesh ) : status;
	settings->flesh.isDefault = settings->method == NULL && named[0] == 0;
	settings->flesh.settingsFile = settings->settings;
	status = status == exit_ok ? ApplySetOptions( command, arguments, &settings->flesh, 1 ) : status;
	AllowForeignMotion( &settings->flesh, settings->clip.motion != NULL ? 1 : 0 );
	return status;
}

BakeSettings DefaultBakeSettings( void )
{
	return ( BakeSettings ){ .fps = NAN, .from = NAN, .to = NAN, .preroll = NAN, .tolerance = NAN };
}

int CheckBakeJob( const Command* command, BakeJob* job, const Arguments* arguments, const char* path )
{
	BakeSettings* settings = job->settings;
	int status = CheckClipSettings( command, &settings->clip );
	if ( settings->settings == NULL && settings->fleshFile == NULL && path != NULL && IsProject( path ) )
	{
		settings->settings = path;
	}
	if ( status == exit_ok && settings->settings != NULL )
	{
		status = ReadBakeSettings( settings->settings, settings );
	}
	if ( status != exit_ok )
	{
		return status;
	}
	// a scene file says its own
	settings->fps = isnan( settings->fps ) && IsSceneFile( path ) == false ? 30.0 : settings->fps;
	settings->preroll = isnan( settings->preroll ) ? 0.0 : settings->preroll;
	status = ParseBakeForm( command, settings );
	if ( status != exit_ok )
	{
		return status;
	}
	double tolerance = settings->form == form_bones ? 3e-4 : 1e-4;
	settings->tolerance = isnan( settings->tolerance ) ? tolerance : settings->tolerance;
	// a scene file says its own
	settings->substeps = settings->substeps > 0 || IsSceneFile( path )
							 ? settings->substeps
							 : supChooseSubsteps( (float)( 1.0 / settings->fps ) );
	status = CheckSpan( command, settings->from, settings->to );
	status = status == exit_ok ? ChooseFlesh( command, arguments, settings ) : status;
	if ( status != exit_ok )
	{
		return status;
	}
	if ( settings->resume && HasTouch( &settings->touch ) )
	{
		return ReportUsage( command, "a bake with --floor, --touch-self or --collider cannot be resumed" );
	}
	if ( settings->output == NULL && settings->form == form_vat )
	{
		return ReportUsage( command, "--as vat needs -o FILE.png or FILE.exr" );
	}
	if ( settings->output == NULL )
	{
		MakeDefaultOutput( job, path );
	}
	supGetExtension( settings->output, job->extension );
	const char* inputs[] = { path,
							 settings->clip.motion,
							 settings->clip.map,
							 settings->settings,
							 settings->fleshFile,
							 settings->touch.collider };
	bool inDocument = settings->form != form_targets || settings->keepClips || settings->compress;
	status = settings->form == form_vat ? CheckVatOutput( command, settings->output, inputs, SUP_COUNT( inputs ) )
										: CheckOutput( command, settings->output,
													   settings->form == form_bones ? ".glb .gltf .vrm"
													   : inDocument                 ? ".glb .gltf"
																					: BAKE_EXTENSIONS,
													   inputs, SUP_COUNT( inputs ) );
	if ( status == exit_ok && settings->report != NULL )
	{
		status = CheckOutput( command, settings->report, ".json", inputs, SUP_COUNT( inputs ) );
	}
	return status;
}

// What goes without saying for a character is said by a scene file.
static int CheckSceneSettings( const Command* command, const BakeSettings* settings, const Arguments* arguments )
{
	const ClipSettings* clip = &settings->clip;
	if ( clip->clip != NULL || clip->motion != NULL || clip->rest || settings->fleshFile != NULL ||
		 settings->unit != NULL || settings->settings != NULL || settings->resume || settings->as != NULL ||
		 settings->keepClips || settings->compress || isnan( settings->preroll ) == false ||
		 HasTouch( &settings->touch ) || settings->touch.additive || arguments->orderedCount > 0 )
	{
		return ReportUsage(
			command, "the scene file sets clips, methods and colliders; it can be combined with --output, "
					 "--method, --substeps, --fps, --from, --to, --loop, --report, --tolerance and --audit only" );
	}
	return exit_ok;
}

static int RunBake( const Command* command, int argc, char** argv )
{
	BakeSettings settings = DefaultBakeSettings();
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	BakeJob job = { .settings = &settings };
	const char* path = arguments.fileCount > 0 ? arguments.files[0] : "builtin:bunny";
	bool isScene = IsSceneFile( path );
	status = isScene ? CheckSceneSettings( command, &settings, &arguments ) : exit_ok;
	if ( isScene == false && settings.audit )
	{
		status = ReportUsage( command, "--audit is for scene files" );
	}
	status = status == exit_ok ? CheckBakeJob( command, &job, &arguments, path ) : status;
	if ( status == exit_ok )
	{
		status = isScene ? BakeScene( command, &settings, path ) : BakeFile( command, &job, path );
	}
	bool stopped = IsStopped();
	// frames are worth keeping until they are safe in the output
	bool kept = FreeBakeJob( &job, stopped || status != exit_ok );
	FreeBakeSettings( &settings );
	FreeArguments( &arguments );
	if ( status == exit_ok && stopped )
	{
		Note( isScene ? "stopped; the frames done so far are in %s"
					  : "stopped; the frames done so far are in %s; --resume continues",
			  settings.output );
		return exit_stopped;
	}
	if ( status == exit_output && kept )
	{
		Note( "the frames done so far are kept; the same command with --resume continues" );
	}
	return status;
}

const Command g_bakeCommand = {
	.name = "bake",
	.summary = "bake a clip with flesh to a file that other programs play",
	.usage = "[FILE] [-o OUT] [--method M] [--clip NAME,...|all] [--motion FILE] [--fps N] [--report FILE]",
	.about =
		"Simulates flesh over a clip and writes every frame: as morph targets in the otherwise untouched source document (.glb), as helper bones in it (--as bones), as a point cache for Blender, Maya or Houdini (.pc2, .mdd), as OBJ files or as USD. Without FILE it bakes builtin:bunny; a scene file (.json) writes one file per actor. --clip takes names separated by commas, or all. Positions are in world space, in metres, in the source's vertex order. Ctrl-C keeps completed frames; --resume continues.",
	.examples = "supple bake fox.glb --clip Run -o fox.baked.glb\n"
				"supple bake hero.glb --clip all --fps 60 -o hero.pc2 --report hero.json\n"
				"supple bake hero.fbx --motion walk.bvh --loop -o walk.usda\n"
				"supple bake hero.glb --clip all --as bones -o hero-bones.glb\n"
				"supple bake hero.glb --clip all --as vat -o hero.png\n"
				"supple bake scenes/bag.json -o bag.glb\n"
				"supple bake",
	ARG_OPTIONS( s_options ),
	.fileName = "FILE",
	.leastFiles = 0,
	.mostFiles = 1,
	.run = RunBake,
};
