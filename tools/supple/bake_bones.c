// SPDX-License-Identifier: MIT
// supple bake --as bones: what is asked for, and what came of it.
#include "bake.h"
#include "core/core.h"
#include "io/common/file.h"
#include "report.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_HELPERS 32
#define MOST_HELPERS 1024
// Of the size: what a viewer hardly sees.
#define GOOD_RMS 2e-3

static int ParseHelpers( const Command* command, const char* text, int32_t* count )
{
	char* end;
	long number = strtol( text, &end, 10 );
	if ( end == text || *end != 0 || number < 1 || number > MOST_HELPERS )
	{
		return ReportUsage( command, "option --as: expected bones:N with N from 1 to %d (got 'bones:%s')", MOST_HELPERS,
							text );
	}
	*count = (int32_t)number;
	return exit_ok;
}

int ParseBakeForm( const Command* command, BakeSettings* settings )
{
	const char* as = settings->as;
	settings->form = form_targets;
	settings->helperCount = DEFAULT_HELPERS;
	int status = exit_ok;
	if ( as != NULL && strncmp( as, "bones", 5 ) == 0 && ( as[5] == 0 || as[5] == ':' ) )
	{
		settings->form = form_bones;
		status = as[5] == ':' ? ParseHelpers( command, as + 6, &settings->helperCount ) : exit_ok;
	}
	else if ( as != NULL && strcmp( as, "basis" ) == 0 )
	{
		settings->form = form_basis;
	}
	else if ( as != NULL && strcmp( as, "vat" ) == 0 )
	{
		settings->form = form_vat;
	}
	else if ( as != NULL && strcmp( as, "targets" ) != 0 )
	{
		status = ReportUsage( command, "option --as: expected targets, basis, bones, bones:N or vat (got '%s')", as );
	}
	char extension[17] = "";
	if ( settings->output != NULL )
	{
		supGetExtension( settings->output, extension );
	}
	if ( strcmp( extension, ".vrm" ) == 0 && as == NULL )
	{
		settings->form = form_bones;
	}
	else if ( status == exit_ok && strcmp( extension, ".vrm" ) == 0 && settings->form != form_bones )
	{
		status = ReportUsage( command, "a .vrm needs --as bones, which keeps its skeleton and expressions" );
	}
	if ( status == exit_ok && settings->form != form_bones && ( settings->influences > 0 || settings->scale ) )
	{
		status = ReportUsage( command, "--influences and --scale require --as bones" );
	}
	if ( status == exit_ok && settings->form == form_vat && ( settings->keepClips || settings->compress ) )
	{
		status = ReportUsage( command, "--as vat excludes --keep-clips and --compress" );
	}
	return status;
}

static double Percent( float distance, const BonesResult* bones )
{
	return 100.0 * (double)distance / (double)bones->total.size;
}

static void PrintRow( const char* name, supBonesError error, supBonesError plain, const BonesResult* bones )
{
	char text[256];
	printf( "  %-24s %7.2f %7.3f %8.1f %7.2f    %8.2f %7.3f %8.1f\n", CleanText( name, 24, text, sizeof( text ) ),
			1e3 * (double)error.rms, Percent( error.rms, bones ), 1e3 * (double)error.worst,
			Percent( error.worst, bones ), 1e3 * (double)plain.rms, Percent( plain.rms, bones ),
			1e3 * (double)plain.worst );
}

void PrintBones( const BonesResult* bones, const BakedClip* clips, int32_t clipCount )
{
	if ( bones->clips == NULL )
	{
		return;
	}
	const supBonesReport* total = &bones->total;
	printf( "%s, %d influences, %d of %d keys; distance from the bake, and of plain skinning from it:\n",
			FormatPlural( total->helperCount, "helper bone", "helper bones" ), total->influences, total->keyCount,
			total->sampledKeyCount );
	printf( "  %-24s %7s %7s %8s %7s    %8s %7s %8s\n", "clip", "rms mm", "%", "worst mm", "%", "plain mm", "%",
			"worst mm" );
	for ( int32_t i = 0; i < clipCount; ++i )
	{
		PrintRow( clips[i].name[0] != 0 ? clips[i].name : "(unnamed)", bones->clips[i].error, bones->clips[i].plain,
				  bones );
	}
	if ( clipCount > 1 )
	{
		PrintRow( "all", total->error, total->plain, bones );
	}
}

void NoteBones( const BonesResult* bones, const BakeSettings* settings )
{
	const supBonesReport* total = &bones->total;
	if ( bones->clips == NULL || (double)total->error.rms <= GOOD_RMS * (double)total->size )
	{
		return;
	}
	double rms = Percent( total->error.rms, bones );
	const char* count = FormatPlural( total->helperCount, "helper bone leaves", "helper bones leave" );
	if ( total->enoughHelpers > settings->helperCount )
	{
		Note( "%s %.2f %% of the size RMS; about %d would leave %.1f %%: --as bones:%d", count, rms,
			  total->enoughHelpers, 100.0 * GOOD_RMS, total->enoughHelpers );
	}
	else
	{
		Note( "%s %.2f %% of the size RMS, and more would hardly help; try --influences 8 or --scale, or bake morph "
			  "targets",
			  count, rms );
	}
}

static void WriteError( JsonWriter* json, const char* name, supBonesError error, const BonesResult* bones )
{
	JsonOpenObject( json, name );
	JsonFloat( json, "rms", error.rms );
	JsonFloat( json, "rms_percent", (float)Percent( error.rms, bones ) );
	JsonFloat( json, "worst", error.worst );
	JsonFloat( json, "worst_percent", (float)Percent( error.worst, bones ) );
	JsonCloseObject( json );
}

void WriteBones( JsonWriter* json, const BonesResult* bones, const BakedClip* clips, int32_t clipCount )
{
	JsonOpenObject( json, "bones" );
	JsonInteger( json, "helpers", bones->total.helperCount );
	JsonInteger( json, "influences", bones->total.influences );
	JsonInteger( json, "keys", bones->total.keyCount );
	JsonInteger( json, "sampled_keys", bones->total.sampledKeyCount );
	JsonFloat( json, "size", bones->total.size );
	WriteError( json, "error", bones->total.error, bones );
	WriteError( json, "plain_skinning", bones->total.plain, bones );
	JsonOpenArray( json, "clips" );
	for ( int32_t i = 0; i < clipCount; ++i )
	{
		JsonOpenObject( json, NULL );
		JsonText( json, "name", clips[i].name );
		WriteError( json, "error", bones->clips[i].error, bones );
		WriteError( json, "plain_skinning", bones->clips[i].plain, bones );
		JsonCloseObject( json );
	}
	JsonCloseArray( json );
	JsonCloseObject( json );
}
