// SPDX-License-Identifier: MIT
// supple softness copy: soft regions of one character for another.
#include "commands.h"
#include "core/core.h"
#include "json.h"
#include "load.h"
#include "report.h"
#include "text.h"

typedef struct SoftnessSettings
{
	CommonSettings common;
	const char* output;
	const char* settings;
} SoftnessSettings;

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( SoftnessSettings, output ), "OUT.json",
	  "Output file: settings for the second character, for use with --settings.", 0, 0, true },
	{ "settings", 0, arg_text, offsetof( SoftnessSettings, settings ), "FILE",
	  "Settings of the first character. Soft regions, method, parameters and materials are copied; settings of single joints are not. Default: the painted softness of the first character.",
	  0, 0, false },
};

typedef struct SoftnessJob
{
	const SoftnessSettings* settings;
	Source from, to;
	supThreadPool* pool;
	supSettings* given;
	supSoftnessCopy* copy;
} SoftnessJob;

static void FreeJob( SoftnessJob* job )
{
	supDestroySoftnessCopy( job->copy );
	supDestroySettings( job->given );
	supDestroyThreadPool( job->pool );
	FreeSource( &job->from );
	FreeSource( &job->to );
}

static int CopyRegions( SoftnessJob* job )
{
	const SoftnessSettings* settings = job->settings;
	supError error = { 0 };
	job->pool = StartThreads( &settings->common );
	if ( job->pool == NULL )
	{
		return exit_memory;
	}
	if ( settings->settings != NULL )
	{
		job->given = supLoadSettings( settings->settings, job->from.character, &error );
		if ( job->given == NULL )
		{
			return ReportError( settings->settings, &error );
		}
	}
	supFleshDef def = job->given != NULL ? job->given->def : supDefaultFleshDef();
	job->copy = supCopySoftness( job->from.character, def.softRegions, def.softRegionCount, job->to.character,
								 supThreadPool_Tasks( job->pool ), &error );
	if ( job->copy == NULL )
	{
		return ReportError( job->from.path, &error );
	}
	def.softRegions = job->copy->regions;
	def.softRegionCount = job->copy->count;
	// joints and layers around joints are of the first skeleton
	def.joints = NULL;
	def.jointCount = 0;
	def.layerOverrides = NULL;
	def.layerOverrideCount = 0;
	return supSaveSettings( settings->output, &def, job->to.character, &error )
			   ? exit_ok
			   : ReportError( settings->output, &error );
}

static const char* BoneName( const SoftnessJob* job, const supSoftRegion* region )
{
	bool hasBone = region->shape == sup_softNode || region->isInBoneSpace;
	return hasBone ? supCharacter_Node( job->to.character, region->node )->name : NULL;
}

static void WriteJson( const SoftnessJob* job )
{
	JsonWriter json = BeginJson( stdout );
	JsonOpenObject( &json, NULL );
	JsonText( &json, "output", job->settings->output );
	JsonInteger( &json, "lost", job->copy->lost );
	JsonOpenArray( &json, "regions" );
	for ( int32_t i = 0; i < job->copy->count; ++i )
	{
		JsonOpenObject( &json, NULL );
		JsonText( &json, "name", job->copy->regions[i].name );
		JsonText( &json, "bone", BoneName( job, job->copy->regions + i ) );
		JsonCloseObject( &json );
	}
	JsonCloseArray( &json );
	JsonCloseObject( &json );
	EndJson( &json );
}

static void WriteText( const SoftnessJob* job )
{
	char text[1024];
	printf( "%s: %s\n", CleanText( job->settings->output, 0, text, sizeof( text ) ),
			FormatPlural( job->copy->count, "soft region", "soft regions" ) );
	for ( int32_t i = 0; i < job->copy->count; ++i )
	{
		const supSoftRegion* region = job->copy->regions + i;
		const char* bone = BoneName( job, region );
		const char* name = region->name != NULL && region->name[0] != 0 ? region->name : "(no name)";
		printf( "  %-24s", CleanText( name, 0, text, sizeof( text ) ) );
		printf( "%s\n", bone != NULL ? CleanText( bone, 0, text, sizeof( text ) ) : "whole skin" );
	}
}

static int RunSoftness( const Command* command, int argc, char** argv )
{
	SoftnessSettings settings = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	SoftnessJob job = { .settings = &settings };
	const char* inputs[] = { arguments.files[1], arguments.files[2], settings.settings };
	if ( strcmp( arguments.files[0], "copy" ) != 0 )
	{
		status = ReportUsage( command, "unknown action '%s'; expected copy", arguments.files[0] );
	}
	status = status == exit_ok ? CheckOutput( command, settings.output, ".json", inputs, SUP_COUNT( inputs ) ) : status;
	status = status == exit_ok ? LoadSource( arguments.files[1], &job.from ) : status;
	status = status == exit_ok ? LoadSource( arguments.files[2], &job.to ) : status;
	status = status == exit_ok ? CopyRegions( &job ) : status;
	if ( status == exit_ok && settings.common.json )
	{
		WriteJson( &job );
	}
	else if ( status == exit_ok && settings.common.quiet == false )
	{
		WriteText( &job );
	}
	FreeJob( &job );
	FreeArguments( &arguments );
	return status;
}

const Command g_softnessCommand = {
	.name = "softness",
	.summary = "copy soft regions from one character to another",
	.usage = "copy FROM TO -o OUT.json [--settings FILE]",
	.about =
		"Transfers the soft regions of one character to another of any size and proportions. Bones are matched by role in humanoid skeletons, otherwise by name. Spheres and capsules keep their place relative to their bone, in multiples of its length; painted softness is taken from the nearest place along the same bone. Regions without a matching bone are skipped with a warning.",
	.examples = "supple softness copy bunny.glb hero.glb -o hero.json\n"
				"supple softness copy bunny.glb hero.glb --settings bunny.json -o hero.json\n"
				"supple bake hero.glb --settings hero.json -o soft.glb",
	ARG_OPTIONS( s_options ),
	.fileName = "copy FROM TO",
	.leastFiles = 3,
	.mostFiles = 3,
	.run = RunSoftness,
};
