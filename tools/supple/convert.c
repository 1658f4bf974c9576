// SPDX-License-Identifier: MIT
// supple convert: another format, with motions appended as clips.
#include "commands.h"
#include "core/array.h"
#include "core/core.h"
#include "json.h"
#include "load.h"
#include "report.h"
#include "terminal.h"
#include "text.h"

typedef struct ConvertSettings
{
	CommonSettings common;
	const char* output;
} ConvertSettings;

enum
{
	option_output,
	option_motion,
	option_motionClip,
	option_map,
	option_name,
	option_inPlace,
	option_keepFirstFrame,
};

static const ArgOption s_options[] = {
	[option_output] = { "output", 'o', arg_text, offsetof( ConvertSettings, output ), "OUT",
						"Output file: .glb, or .gltf (with a .bin beside it).", 0, 0, true },
	[option_motion] = { "motion", 0, arg_ordered, 0, "FILE",
						"Append the clips of another file (.bvh, .glb, .fbx, ...), retargeted to this character, or a built-in motion (builtin:walk). Repeatable; the options below apply to the preceding motion.",
						0, 0, false },
	[option_motionClip] = { "motion-clip", 0, arg_ordered, 0, "NAME",
							"Clip of the motion file, by name or index ('#0'). Default: all.", 0, 0, false },
	[option_map] = { "map", 0, arg_ordered, 0, "MAP",
					 "JSON file { \"joint of the motion\": \"joint of the character\", ... }, for skeletons that are not recognised.",
					 0, 0, false },
	[option_name] = { "name", 0, arg_ordered, 0, "NAME",
					  "Name of the new clip. Default: its name in the motion file, or the file's name.", 0, 0, false },
	[option_inPlace] = { "in-place", 0, arg_switch, 0, NULL, "Remove the root's travel over the ground.", 0, 0, false },
	[option_keepFirstFrame] = { "keep-first-frame", 0, arg_switch, 0, NULL,
								"Keep the T-pose frame at the start of captured motions.", 0, 0, false },
};

typedef SUP_ARRAY( MotionRequest ) RequestArray;

typedef struct AddedClip
{
	char name[256];
	const char* motion;
	float start, end;
	int32_t channels;
} AddedClip;

typedef struct ConvertJob
{
	const ConvertSettings* settings;
	Source source;
	RequestArray requests;
	SUP_ARRAY( AddedClip ) added;
	int32_t clipsBefore;
} ConvertJob;

static void FreeJob( ConvertJob* job )
{
	FreeSource( &job->source );
	SUP_FREE_ARRAY( &job->requests );
	SUP_FREE_ARRAY( &job->added );
}

// ---------------------------------------------------------------------------------------------------------------------
// Which motions

static int ApplyOption( const Command* command, MotionRequest* request, const ArgOccurrence* occurrence )
{
	const char** slot = NULL;
	switch ( occurrence->option - s_options )
	{
		case option_motionClip:
			slot = &request->clip;
			break;
		case option_map:
			slot = &request->map;
			break;
		case option_name:
			slot = &request->name;
			break;
		case option_keepFirstFrame:
			request->keepFirstFrame = true;
			return exit_ok;
		default:
			request->inPlace = true;
			return exit_ok;
	}
	if ( *slot != NULL )
	{
		return ReportUsage( command, "option --%s: given twice for --motion %s", occurrence->option->name,
							request->path );
	}
	*slot = occurrence->text;
	return exit_ok;
}

static int CollectRequests( const Command* command, const Arguments* arguments, RequestArray* requests )
{
	for ( int32_t i = 0; i < arguments->orderedCount; ++i )
	{
		const ArgOccurrence* occurrence = arguments->ordered + i;
		if ( occurrence->option == s_options + option_motion )
		{
			if ( SUP_PUSH( requests, ( MotionRequest ){ .path = occurrence->text } ) == false )
			{
				return ReportMemory();
			}
			continue;
		}
		if ( requests->count == 0 )
		{
			return ReportUsage( command, "option --%s: put it after --motion FILE", occurrence->option->name );
		}
		int status = ApplyOption( command, requests->data + requests->count - 1, occurrence );
		if ( status != exit_ok )
		{
			return status;
		}
	}
	return exit_ok;
}

static int CheckOutputs( const Command* command, const ConvertJob* job, const char* path )
{
	const char* output = job->settings->output;
	int status = CheckOutput( command, output, ".glb .gltf", &path, 1 );
	for ( int32_t i = 0; i < job->requests.count && status == exit_ok; ++i )
	{
		const char* inputs[] = { job->requests.data[i].path, job->requests.data[i].map };
		status = CheckOutput( command, output, ".glb .gltf", inputs, SUP_COUNT( inputs ) );
	}
	return status;
}

// ---------------------------------------------------------------------------------------------------------------------
// Names of new clips

static bool IsNameTaken( const ConvertJob* job, const char* name )
{
	for ( int32_t i = 0; i < job->clipsBefore; ++i )
	{
		if ( strcmp( supCharacter_Clip( job->source.character, i )->name, name ) == 0 )
		{
			return true;
		}
	}
	for ( int32_t i = 0; i < job->added.count; ++i )
	{
		if ( strcmp( job->added.data[i].name, name ) == 0 )
		{
			return true;
		}
	}
	return false;
}

// "walk" of "motions/walk.bvh".
static void CopyStem( const char* path, char* buffer, size_t capacity )
{
	const char* slash = strrchr( path, '/' );
	const char* name = slash != NULL ? slash + 1 : path;
	const char* dot = strrchr( name, '.' );
	size_t length = dot != NULL && dot > name ? (size_t)( dot - name ) : strlen( name );
	snprintf( buffer, capacity, "%.*s", (int)length, name );
}

// Given, or the clip's own, or the file's; "walk 2" where walk is taken.
static void ChooseName( const ConvertJob* job, const Motion* motion, int32_t clip, char* name, size_t capacity )
{
	const MotionRequest* request = motion->request;
	const char* own = GetMotionName( motion, clip );
	char wanted[200];
	if ( request->name != NULL || own[0] != 0 )
	{
		const char* chosen = request->name != NULL ? request->name : own;
		CleanText( chosen, 0, wanted, sizeof( wanted ) );
	}
	else
	{
		char stem[200];
		CopyStem( request->path, stem, sizeof( stem ) );
		CleanText( stem, 0, wanted, sizeof( wanted ) );
	}
	snprintf( name, capacity, "%s", wanted );
	for ( int number = 2; IsNameTaken( job, name ); ++number )
	{
		snprintf( name, capacity, "%s %d", wanted, number );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static int AddClip( ConvertJob* job, const Motion* motion, int32_t index )
{
	int status = exit_ok;
	supClip* clip = RetargetMotion( motion, index, job->source.character, &status );
	if ( clip == NULL )
	{
		return status;
	}
	AddedClip added = {
		.motion = motion->request->path, .start = clip->start, .end = clip->end, .channels = clip->channelCount
	};
	ChooseName( job, motion, index, added.name, sizeof( added.name ) );
	supClip named = *clip;
	named.name = added.name;
	supError error = { 0 };
	if ( supDocument_AddClip( job->source.document, &named, &error ) == false )
	{
		status = ReportError( motion->request->path, &error );
	}
	else if ( SUP_PUSH( &job->added, added ) == false )
	{
		status = ReportMemory();
	}
	supDestroyClip( clip );
	return status;
}

static int AddMotions( ConvertJob* job )
{
	Progress progress;
	BeginProgress( &progress, stderr, "adding motions" );
	int status = exit_ok;
	for ( int32_t i = 0; i < job->requests.count && status == exit_ok; ++i )
	{
		Motion motion;
		UpdateProgress( &progress, i, job->requests.count, job->requests.data[i].path );
		status = OpenMotion( job->requests.data + i, &motion );
		for ( int32_t c = 0; c < motion.clipCount && status == exit_ok; ++c )
		{
			status = AddClip( job, &motion, motion.firstClip + c );
		}
		CloseMotion( &motion );
	}
	EndProgress( &progress );
	return status;
}

static void WriteSummary( const ConvertJob* job )
{
	const char* output = job->settings->output;
	JsonWriter json = BeginJson( stdout );
	JsonOpenObject( &json, NULL );
	JsonText( &json, "file", job->source.path );
	JsonText( &json, "output", output );
	JsonInteger( &json, "bytes", (int64_t)GetFileSize( output ) );
	JsonInteger( &json, "clips", job->clipsBefore + job->added.count );
	JsonOpenArray( &json, "added_clips" );
	for ( int32_t i = 0; i < job->added.count; ++i )
	{
		const AddedClip* clip = job->added.data + i;
		JsonOpenObject( &json, NULL );
		JsonText( &json, "name", clip->name );
		JsonText( &json, "motion", clip->motion );
		JsonFloat( &json, "start", clip->start );
		JsonFloat( &json, "end", clip->end );
		JsonFloat( &json, "duration", clip->end - clip->start );
		JsonInteger( &json, "channels", clip->channels );
		JsonCloseObject( &json );
	}
	JsonCloseArray( &json );
	JsonCloseObject( &json );
	EndJson( &json );
}

static void PrintSummary( const ConvertJob* job )
{
	char text[1024];
	const char* output = job->settings->output;
	printf( "%s: %s, %s\n", CleanText( output, 0, text, sizeof( text ) ),
			FormatPlural( job->clipsBefore + job->added.count, "clip", "clips" ),
			FormatBytes( GetFileSize( output ) ) );
	for ( int32_t i = 0; i < job->added.count; ++i )
	{
		const AddedClip* clip = job->added.data + i;
		printf( "  added %s, %.2f s, from ", CleanText( clip->name, 60, text, sizeof( text ) ),
				(double)( clip->end - clip->start ) );
		printf( "%s\n", CleanText( clip->motion, 0, text, sizeof( text ) ) );
	}
}

static void NoteRepairs( const Source* source )
{
	int32_t repairs = 0;
	for ( int32_t i = 0; i < supCharacter_NoteCount( source->character ); ++i )
	{
		repairs += supCharacter_Note( source->character, i )->repaired ? 1 : 0;
	}
	if ( repairs > 0 )
	{
		Note( "%s: %s when it was read; supple info lists them", source->path,
			  FormatPlural( repairs, "thing was repaired", "things were repaired" ) );
	}
}

static int ConvertFile( const Command* command, ConvertJob* job, const char* path )
{
	int status = LoadSource( path, &job->source );
	status = status == exit_ok ? CheckSideFile( command, job->settings->output, &job->source ) : status;
	// of a glTF document nothing is repaired: it goes out as it came in
	if ( status == exit_ok && job->source.document == NULL )
	{
		NoteRepairs( &job->source );
		status = EnsureDocument( &job->source );
	}
	if ( status != exit_ok )
	{
		return status;
	}
	job->clipsBefore = supCharacter_ClipCount( job->source.character );
	status = AddMotions( job );
	supError error = { 0 };
	if ( status == exit_ok && supSaveDocument( job->source.document, job->settings->output, &error ) == false )
	{
		status = ReportError( error.code == sup_errorWrite ? job->settings->output : path, &error );
	}
	if ( status == exit_ok && job->settings->common.json )
	{
		WriteSummary( job );
	}
	else if ( status == exit_ok && job->settings->common.quiet == false )
	{
		PrintSummary( job );
	}
	return status;
}

static int RunConvert( const Command* command, int argc, char** argv )
{
	ConvertSettings settings = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	ConvertJob job = { .settings = &settings };
	status = CollectRequests( command, &arguments, &job.requests );
	status = status == exit_ok ? CheckOutputs( command, &job, arguments.files[0] ) : status;
	status = status == exit_ok ? ConvertFile( command, &job, arguments.files[0] ) : status;
	FreeJob( &job );
	FreeArguments( &arguments );
	return status;
}

const Command g_convertCommand = {
	.name = "convert",
	.summary = "write a character as glTF, with motions added",
	.usage = "FILE -o OUT [--motion FILE [--motion-clip NAME] [--map MAP] [--name NAME] [--in-place]]...",
	.about =
		"Reads any character and writes it as .glb or .gltf. Everything in a glTF file is preserved, including data Supple does not know. Motions from other files are retargeted to the character and appended as clips.",
	.examples = "supple convert hero.fbx -o hero.glb\n"
				"supple convert hero.glb -o moving.glb --motion walk.bvh --motion run.bvh --name sprint --in-place\n"
				"supple convert odd.glb -o moving.glb --motion walk.bvh --map names.json",
	ARG_OPTIONS( s_options ),
	.fileName = "FILE",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunConvert,
};
