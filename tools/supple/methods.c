// SPDX-License-Identifier: MIT
// supple methods: how a surface can follow its skeleton.
#include "commands.h"
#include "json.h"
#include "supple/flesh.h"

typedef struct MethodsSettings
{
	CommonSettings common;
} MethodsSettings;

static void WriteJson( void )
{
	JsonWriter json = BeginJson( stdout );
	JsonOpenArray( &json, NULL );
	for ( int i = 0; i < sup_methodCount; ++i )
	{
		JsonOpenObject( &json, NULL );
		JsonText( &json, "name", supMethodName( (supMethodId)i ) );
		JsonText( &json, "summary", supMethodSummary( (supMethodId)i ) );
		JsonCloseObject( &json );
	}
	JsonCloseArray( &json );
	EndJson( &json );
}

static int RunMethods( const Command* command, int argc, char** argv )
{
	MethodsSettings settings = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	if ( settings.common.json )
	{
		WriteJson();
	}
	for ( int i = 0; i < sup_methodCount && settings.common.json == false; ++i )
	{
		const char* name = supMethodName( (supMethodId)i );
		if ( settings.common.quiet )
		{
			printf( "%s\n", name );
		}
		else
		{
			printf( "%-10s %s\n", name, supMethodSummary( (supMethodId)i ) );
		}
	}
	FreeArguments( &arguments );
	return exit_ok;
}

const Command g_methodsCommand = {
	.name = "methods",
	.summary = "list the methods that bake and render know",
	.usage = "[--json] [--quiet]",
	.about = "Lists how a surface can follow its skeleton. With --quiet the names alone, one a line.",
	.examples = "supple methods\n"
				"supple render builtin:bunny --method $(supple methods -q | paste -sd,) -o all.png",
	.fileName = "FILE",
	.leastFiles = 0,
	.mostFiles = 0,
	.run = RunMethods,
};
