// SPDX-License-Identifier: MIT
// supple methods: how a surface can follow its skeleton.
#include "choose.h"
#include "commands.h"
#include "json.h"
#include "terminal.h"

typedef struct MethodsSettings
{
	CommonSettings common;
} MethodsSettings;

static void WriteParameter( JsonWriter* json, const supParameter* parameter )
{
	JsonOpenObject( json, NULL );
	JsonText( json, "name", parameter->name );
	JsonText( json, "unit", parameter->unit );
	JsonText( json, "summary", parameter->summary );
	JsonFloat( json, "minimum", parameter->minimum );
	JsonFloat( json, "maximum", parameter->maximum );
	JsonFloat( json, "default", parameter->standard );
	JsonBool( json, "live", parameter->live );
	if ( parameter->choices != NULL )
	{
		JsonOpenArray( json, "choices" );
		for ( int32_t i = 0; i <= (int32_t)parameter->maximum; ++i )
		{
			JsonText( json, NULL, parameter->choices[i] );
		}
		JsonCloseArray( json );
	}
	JsonCloseObject( json );
}

static void WriteMethod( JsonWriter* json, supMethodId method )
{
	JsonOpenObject( json, NULL );
	JsonText( json, "name", supMethodName( method ) );
	JsonText( json, "summary", supMethodSummary( method ) );
	JsonOpenArray( json, "parameters" );
	for ( int32_t i = 0; i < supMethod_ParameterCount( method ); ++i )
	{
		WriteParameter( json, supMethod_Parameter( method, i ) );
	}
	JsonCloseArray( json );
	JsonCloseObject( json );
}

// "0 .. 1", or the names to choose from
static void FormatRange( const supParameter* parameter, char* text, size_t capacity )
{
	if ( parameter->choices == NULL )
	{
		snprintf( text, capacity, "%g .. %g", parameter->minimum, parameter->maximum );
		return;
	}
	size_t length = 0;
	for ( int32_t i = 0; i <= (int32_t)parameter->maximum && length < capacity; ++i )
	{
		length +=
			(size_t)snprintf( text + length, capacity - length, "%s%s", i > 0 ? " | " : "", parameter->choices[i] );
	}
}

static void PrintParameters( supMethodId method )
{
	int32_t count = supMethod_ParameterCount( method );
	for ( int32_t i = 0; i < count; ++i )
	{
		const supParameter* parameter = supMethod_Parameter( method, i );
		char range[200], standard[40];
		FormatRange( parameter, range, sizeof( range ) );
		snprintf( standard, sizeof( standard ), "%g", parameter->standard );
		printf( "\n%s%s%s = %s %s\n    %s\n    %s%s%s\n", BeginStyle( stdout, style_title ), parameter->name,
				EndStyle( stdout ),
				parameter->choices != NULL ? parameter->choices[(int32_t)parameter->standard] : standard,
				parameter->unit, parameter->summary, BeginStyle( stdout, style_faint ), range, EndStyle( stdout ) );
		if ( parameter->live == false )
		{
			printf( "    %sneeds a rebuild: cannot change while running%s\n", BeginStyle( stdout, style_faint ),
					EndStyle( stdout ) );
		}
	}
	if ( count == 0 )
	{
		printf( "    It has no parameters.\n" );
	}
}

static void PrintMethod( supMethodId method, const CommonSettings* common, bool inFull )
{
	if ( common->quiet )
	{
		printf( "%s\n", supMethodName( method ) );
		return;
	}
	printf( "%-10s %s\n", supMethodName( method ), supMethodSummary( method ) );
	if ( inFull )
	{
		PrintParameters( method );
	}
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
	supMethodId wanted = sup_methodCount;
	if ( arguments.fileCount == 1 && supFindMethod( arguments.files[0], &wanted ) == false )
	{
		status = ReportUnknownMethod( command, arguments.files[0] );
	}
	JsonWriter json = { 0 };
	if ( settings.common.json && status == exit_ok )
	{
		json = BeginJson( stdout );
		JsonOpenArray( &json, NULL );
	}
	for ( int i = 0; i < sup_methodCount && status == exit_ok; ++i )
	{
		bool chosen = wanted == sup_methodCount || (int)wanted == i;
		if ( chosen && settings.common.json )
		{
			WriteMethod( &json, (supMethodId)i );
		}
		else if ( chosen )
		{
			PrintMethod( (supMethodId)i, &settings.common, wanted != sup_methodCount );
		}
	}
	if ( settings.common.json && status == exit_ok )
	{
		JsonCloseArray( &json );
		EndJson( &json );
	}
	FreeArguments( &arguments );
	return status;
}

const Command g_methodsCommand = {
	.name = "methods",
	.summary = "list the methods, or the parameters of one",
	.usage = "[METHOD] [--json] [--quiet]",
	.about =
		"Lists the methods, or the parameters of one method with units, ranges and defaults. --quiet prints only the names, one per line.",
	.examples = "supple methods\n"
				"supple methods dqs\n"
				"supple render builtin:bunny --method $(supple methods -q | paste -sd,) -o all.png",
	.fileName = "METHOD",
	.leastFiles = 0,
	.mostFiles = 1,
	.run = RunMethods,
};
