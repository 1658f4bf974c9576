// SPDX-License-Identifier: MIT
// supple models: the built-in characters.
#define _DEFAULT_SOURCE
#include "models/models.h"
#include "commands.h"
#include "core/core.h"
#include "json.h"
#include "load.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <sys/stat.h>

typedef struct ModelsSettings
{
	CommonSettings common;
	const char* folder;
} ModelsSettings;

static const ArgOption s_options[] = {
	{ "export", 0, arg_text, offsetof( ModelsSettings, folder ), "DIR",
	  "Write them to DIR/NAME.glb. DIR is created if missing.", 0, 0, false },
};

typedef struct ModelCounts
{
	int64_t skinVertices; // of the first mesh; the others are eyes
	int64_t vertices;
	int64_t triangles;
	int32_t joints;
} ModelCounts;

static ModelCounts CountModel( const supCharacter* character )
{
	ModelCounts counts = { .skinVertices = supCharacter_Mesh( character, 0 )->vertexCount };
	for ( int32_t i = 0; i < supCharacter_MeshCount( character ); ++i )
	{
		counts.vertices += supCharacter_Mesh( character, i )->vertexCount;
		counts.triangles += supCharacter_Mesh( character, i )->indexCount / 3;
	}
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i )
	{
		counts.joints += supCharacter_IsJoint( character, i ) ? 1 : 0;
	}
	return counts;
}

static void WriteModel( JsonWriter* json, const supModel* model, const supCharacter* character, const char* output )
{
	ModelCounts counts = CountModel( character );
	JsonOpenObject( json, NULL );
	JsonText( json, "name", model->name );
	JsonText( json, "description", model->description );
	JsonInteger( json, "skin_vertices", counts.skinVertices );
	JsonInteger( json, "vertices", counts.vertices );
	JsonInteger( json, "triangles", counts.triangles );
	JsonInteger( json, "joints", counts.joints );
	JsonOpenArray( json, "clips" );
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ); ++i )
	{
		JsonText( json, NULL, supCharacter_Clip( character, i )->name );
	}
	JsonCloseArray( json );
	JsonText( json, "output", output );
	JsonCloseObject( json );
}

static void PrintModel( const supModel* model, const supCharacter* character, const char* output )
{
	ModelCounts counts = CountModel( character );
	if ( output != NULL )
	{
		printf( "%s: %s\n", output, FormatBytes( GetFileSize( output ) ) );
		return;
	}
	printf( "%-10s %8s %8s %9s %6d  ", model->name, FormatCount( counts.skinVertices ), FormatCount( counts.vertices ),
			FormatCount( counts.triangles ), counts.joints );
	int column = 0;
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ); ++i )
	{
		column += printf( "%s%s", i > 0 ? ", " : "", supCharacter_Clip( character, i )->name );
	}
	printf( "%*s  %s\n", column < 14 ? 14 - column : 0, "", model->description );
}

static int ExportModel( const supCharacter* character, const char* path )
{
	supError error = { 0 };
	supDocument* document = supCreateDocument( character, &error );
	bool ok = document != NULL && supSaveDocument( document, path, &error );
	supDestroyDocument( document );
	return ok ? exit_ok : ReportError( path, &error );
}

static int HandleModel( const supModel* model, const ModelsSettings* settings, JsonWriter* json )
{
	supError error = { 0 };
	supCharacter* character = model->create( &error );
	if ( character == NULL )
	{
		return ReportError( model->name, &error );
	}
	char output[1024];
	int status = exit_ok;
	if ( settings->folder != NULL )
	{
		int length = snprintf( output, sizeof( output ), "%s/%s.glb", settings->folder, model->name );
		if ( length >= (int)sizeof( output ) )
		{
			Report( settings->folder, "the path is too long" );
			status = exit_output;
		}
		status = status == exit_ok ? ExportModel( character, output ) : status;
	}
	const char* written = settings->folder != NULL ? output : NULL;
	if ( status == exit_ok && settings->common.json )
	{
		WriteModel( json, model, character, written );
	}
	else if ( status == exit_ok && ( written == NULL || settings->common.quiet == false ) )
	{
		PrintModel( model, character, written );
	}
	supDestroyCharacter( character );
	return status;
}

static bool IsWanted( const supModel* model, const Arguments* arguments )
{
	for ( int32_t i = 0; i < arguments->fileCount; ++i )
	{
		if ( strcmp( arguments->files[i], model->name ) == 0 )
		{
			return true;
		}
	}
	return arguments->fileCount == 0;
}

static int CheckRequest( const Command* command, const ModelsSettings* settings, const Arguments* arguments )
{
	for ( int32_t i = 0; i < arguments->fileCount; ++i )
	{
		if ( supFindModel( arguments->files[i] ) == NULL )
		{
			return ReportUsage( command, "unknown built-in character '%s'; 'supple models' lists them",
								arguments->files[i] );
		}
	}
	if ( settings->folder != NULL && mkdir( settings->folder, 0777 ) != 0 && errno != EEXIST )
	{
		Report( settings->folder, "cannot create this folder: %s", strerror( errno ) );
		return exit_output;
	}
	return exit_ok;
}

// At once: building them all to count their vertices takes seconds.
static void ListModels( bool quiet )
{
	for ( int32_t i = 0; i < supGetModelCount(); ++i )
	{
		const supModel* model = supGetModel( i );
		printf( quiet ? "%s\n" : "%-10s %s\n", model->name, model->description );
	}
	if ( quiet == false )
	{
		printf( "\nUse them in place of a file: supple render builtin:bunny -o bunny.png\n'supple models "
				"NAME' shows vertices, joints and clips.\n\nMotions for any character, with --motion "
				"builtin:NAME:\n" );
		for ( int32_t i = 0; i < supMotionCount(); ++i )
		{
			printf( "%-10s %s\n", supMotionName( i ), supMotionSummary( i ) );
		}
	}
}

static int HandleModels( const ModelsSettings* settings, const Arguments* arguments )
{
	if ( arguments->fileCount == 0 && settings->folder == NULL && settings->common.json == false )
	{
		ListModels( settings->common.quiet );
		return exit_ok;
	}
	JsonWriter json = BeginJson( stdout );
	bool table = settings->common.json == false && settings->folder == NULL;
	if ( settings->common.json )
	{
		JsonOpenArray( &json, NULL );
	}
	else if ( table && settings->common.quiet == false )
	{
		printf( "%-10s %8s %8s %9s %6s  %-14s\n", "name", "skin", "vertices", "triangles", "joints", "clips" );
	}
	int status = exit_ok;
	for ( int32_t i = 0; i < supGetModelCount() && status == exit_ok; ++i )
	{
		if ( IsWanted( supGetModel( i ), arguments ) )
		{
			status = HandleModel( supGetModel( i ), settings, &json );
		}
	}
	if ( settings->common.json )
	{
		JsonCloseArray( &json );
		EndJson( &json );
	}
	return status;
}

static int RunModels( const Command* command, int argc, char** argv )
{
	ModelsSettings settings = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	status = CheckRequest( command, &settings, &arguments );
	status = status == exit_ok ? HandleModels( &settings, &arguments ) : status;
	FreeArguments( &arguments );
	return status;
}

const Command g_modelsCommand = {
	.name = "models",
	.summary = "list the built-in characters, or export them",
	.usage = "[NAME...] [--export DIR] [--json]",
	.about =
		"Lists the built-in characters, which are generated by code and can be used in place of a file as builtin:NAME. With NAME, prints vertices, triangles, joints and clips. --quiet prints only the names.",
	.examples = "supple models\n"
				"supple models bunny\n"
				"supple models --export characters\n"
				"supple models tube --export .",
	ARG_OPTIONS( s_options ),
	.fileName = "NAME",
	.leastFiles = 0,
	.mostFiles = 1000,
	.run = RunModels,
};
