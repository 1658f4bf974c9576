// SPDX-License-Identifier: MIT
// supple build: flesh is made once and kept in a file.
#include "commands.h"
#include "core/clock.h"
#include "core/core.h"
#include "flesh_choice.h"
#include "flesh_pack.h"
#include "io/tets/mesher.h"
#include "json.h"
#include "method/method.h"
#include "report.h"
#include "text.h"
#include "volume/body/rest_surface.h"

typedef struct BuildSettings
{
	CommonSettings common;
	const char* output;
	const char* method;
	const char* fleshSettings;
	const char* unit;
	const char* tetMesh;
	const char* saveTets;
	const char* lattice;
	int32_t tets;   // 0: as many as the method makes
	int32_t mesher; // 0: Supple's own
} BuildSettings;

static const ArgOption s_options[] = {
	{ "output", 'o', arg_text, offsetof( BuildSettings, output ), "OUT", "Output file: .flesh.", 0, 0, true },
	{ "method", 'm', arg_text, offsetof( BuildSettings, method ), "M",
	  "Method, optionally with parameters: position:stretch=0.5. 'supple methods' lists them. Default: position.", 0, 0,
	  false },
	SET_OPTIONS,
	SETTINGS_OPTION( BuildSettings, fleshSettings ),
	UNIT_OPTION( BuildSettings, unit ),
	{ "tets", 0, arg_integer, offsetof( BuildSettings, tets ), "N",
	  "Approximate number of tetrahedra, for methods that use them. Same as --set tets=N.", 1, 1000000, false },
	{ "mesher", 0, arg_choice, offsetof( BuildSettings, mesher ), "own|tetgen|gmsh",
	  "Mesher: Supple's own (default), or TetGen or Gmsh if installed; these need a closed surface without self-intersections.",
	  0, 0, false },
	{ "tet-mesh", 0, arg_text, offsetof( BuildSettings, tetMesh ), "FILE",
	  "Use these tetrahedra instead: .node with .ele, .msh, .mesh, .meshb or .vtk, in metres, in the rest pose.", 0, 0,
	  false },
	{ "save-tets", 0, arg_text, offsetof( BuildSettings, saveTets ), "FILE",
	  "Also write the tetrahedra: .vtk, .mesh, or .node with .ele.", 0, 0, false },
	{ "lattice", 0, arg_text, offsetof( BuildSettings, lattice ), "FILE",
	  "Use this control lattice instead, for the method fem: JSON, as written by 'supple inspect --lattice'.", 0, 0,
	  false },
};

typedef struct BuildJob
{
	const BuildSettings* settings;
	FleshChoice choice;
	Source source;
	supThreadPool* pool;
	supTetMesh* given; // tetrahedra from a file, or NULL
	supControlLattice* lattice;
	supFlesh* flesh;
	int32_t tetCount; // of the flesh; 0 where it has none
	double milliseconds;
} BuildJob;

static void FreeJob( BuildJob* job )
{
	supDestroyFlesh( job->flesh );
	supDestroyTets( job->given );
	supDestroyThreadPool( job->pool );
	supDestroyLattice( job->lattice );
	FreeSource( &job->source );
}

static int CheckTetSettings( const Command* command, const BuildJob* job )
{
	const BuildSettings* settings = job->settings;
	bool wanted = settings->tets > 0 || settings->mesher > 0 || settings->tetMesh != NULL || settings->saveTets != NULL;
	if ( wanted && supGetMethod( job->choice.method )->takesTets == false )
	{
		return ReportUsage( command, "the method %s has no tetrahedra", supMethodName( job->choice.method ) );
	}
	if ( settings->tetMesh != NULL && ( settings->tets > 0 || settings->mesher > 0 ) )
	{
		return ReportUsage( command, "--tet-mesh excludes %s", settings->tets > 0 ? "--tets" : "--mesher" );
	}
	if ( settings->lattice != NULL && supGetMethod( job->choice.method )->takesLattice == false )
	{
		return ReportUsage( command, "the method %s has no control lattice", supMethodName( job->choice.method ) );
	}
	return exit_ok;
}

static int CheckSettings( const Command* command, const Arguments* arguments, BuildJob* job )
{
	const BuildSettings* settings = job->settings;
	const char* inputs[] = { arguments->files[0], settings->tetMesh, settings->fleshSettings, settings->lattice };
	int status = CheckOutput( command, settings->output, ".flesh", inputs, SUP_COUNT( inputs ) );
	if ( status == exit_ok && settings->saveTets != NULL )
	{
		status = CheckOutput( command, settings->saveTets, ".vtk .mesh .node .ele", inputs, SUP_COUNT( inputs ) );
	}
	char method[64] = "";
	if ( status == exit_ok && settings->method == NULL && settings->fleshSettings != NULL )
	{
		status = FindSettingsMethod( settings->fleshSettings, method );
	}
	if ( status == exit_ok )
	{
		const char* otherwise = method[0] != 0 ? method : DEFAULT_METHOD;
		status = ParseFleshChoice( command, settings->method != NULL ? settings->method : otherwise, &job->choice );
		job->choice.settingsFile = settings->fleshSettings;
	}
	status = status == exit_ok ? ApplySetOptions( command, arguments, &job->choice, 1 ) : status;
	if ( status == exit_ok )
	{
		status = CheckTetSettings( command, job );
	}
	// external meshers get the number
	if ( status == exit_ok && settings->tets > 0 && settings->mesher == 0 )
	{
		char setting[32];
		snprintf( setting, sizeof( setting ), "tets=%d", settings->tets );
		status = AddFleshSetting( command, setting, &job->choice );
	}
	return status;
}

static void NoteTets( const BuildJob* job, const char* from )
{
	for ( int32_t i = 0; i < job->given->noteCount; ++i )
	{
		// what else a mesher writes beside tetrahedra is its own affair
		if ( job->settings->mesher == 0 || job->given->notes[i].repaired )
		{
			Note( "%s: %s", from, job->given->notes[i].text );
		}
	}
}

static int LoadTets( BuildJob* job )
{
	const char* path = job->settings->tetMesh;
	supError error = { 0 };
	job->given = supLoadTets( path, &error );
	if ( job->given == NULL )
	{
		return ReportError( path, &error );
	}
	NoteTets( job, path );
	return exit_ok;
}

static int RunMesher( BuildJob* job )
{
	supError error = { 0 };
	supRestSurface surface = { 0 };
	if ( supRestSurface_Init( &surface, job->source.character, supThreadPool_Tasks( job->pool ), &error ) )
	{
		supMesherDef def = { .program = job->settings->mesher == 1 ? sup_mesherTetgen : sup_mesherGmsh,
							 .vertexCount = surface.vertexCount,
							 .positions = surface.positions,
							 .triangleCount = surface.triangleCount,
							 .indices = surface.indices,
							 .tetCount = job->settings->tets };
		job->given = supRunMesher( &def, &error );
	}
	supRestSurface_Destroy( &surface );
	if ( job->given == NULL )
	{
		return ReportError( NULL, &error );
	}
	NoteTets( job, job->settings->mesher == 1 ? "tetgen" : "gmsh" );
	return exit_ok;
}

// What the flesh keeps of its tetrahedra is in its file, under a name that all methods share.
static int SaveTets( BuildJob* job )
{
	supError error = { 0 };
	FleshPack pack;
	if ( OpenFleshPack( &pack, job->settings->output, &error ) == false )
	{
		return ReportError( job->settings->output, &error );
	}
	int status = exit_ok;
	job->tetCount = pack.tets.tetCount;
	if ( job->settings->saveTets != NULL && pack.tets.tetCount == 0 )
	{
		Report( NULL, "the method %s has no tetrahedra to save", supFlesh_MethodName( job->flesh ) );
		status = exit_data;
	}
	else if ( job->settings->saveTets != NULL && supSaveTets( &pack.tets, job->settings->saveTets, &error ) == false )
	{
		status = ReportError( job->settings->saveTets, &error );
	}
	CloseFleshPack( &pack );
	return status;
}

static int Build( BuildJob* job )
{
	job->pool = StartThreads( &job->settings->common );
	if ( job->pool == NULL )
	{
		return exit_memory;
	}
	int status = job->settings->mesher > 0 ? RunMesher( job ) : exit_ok;
	if ( status != exit_ok )
	{
		return status;
	}
	supError error = { 0 };
	if ( job->settings->lattice != NULL )
	{
		job->lattice = supLoadLattice( job->settings->lattice, job->source.character, &error );
		if ( job->lattice == NULL )
		{
			return ReportError( job->settings->lattice, &error );
		}
	}
	job->choice.tets = job->given;
	job->choice.lattice = job->lattice;
	double start = supGetMilliseconds();
	job->flesh = MakeFlesh( &job->choice, &job->source, supThreadPool_Tasks( job->pool ), &status );
	job->milliseconds = supGetMilliseconds() - start;
	if ( job->flesh == NULL )
	{
		return status;
	}
	bool saved = supSaveFlesh( job->flesh, job->settings->output, &error );
	return saved ? SaveTets( job ) : ReportError( job->settings->output, &error );
}

static void PrintSummary( const BuildJob* job )
{
	const BuildSettings* settings = job->settings;
	if ( settings->common.json )
	{
		JsonWriter json = BeginJson( stdout );
		JsonOpenObject( &json, NULL );
		JsonText( &json, "file", job->source.path );
		JsonText( &json, "output", settings->output );
		JsonText( &json, "method", supFlesh_MethodName( job->flesh ) );
		JsonInteger( &json, "bytes", (int64_t)GetFileSize( settings->output ) );
		JsonInteger( &json, "tets", job->tetCount );
		JsonFloat( &json, "milliseconds", (float)job->milliseconds );
		JsonOpenObject( &json, "parameters" );
		for ( int32_t i = 0; i < supMethod_ParameterCount( job->choice.method ); ++i )
		{
			JsonFloat( &json, supMethod_Parameter( job->choice.method, i )->name, supFlesh_Parameter( job->flesh, i ) );
		}
		JsonCloseObject( &json );
		JsonCloseObject( &json );
		EndJson( &json );
	}
	else if ( settings->common.quiet == false )
	{
		char path[1024];
		printf( "%s: %s", CleanText( settings->output, 0, path, sizeof( path ) ), supFlesh_MethodName( job->flesh ) );
		if ( job->tetCount > 0 )
		{
			printf( ", %s", FormatPlural( job->tetCount, "tetrahedron", "tetrahedra" ) );
		}
		printf( ", %s, built in %.0f ms\n", FormatBytes( GetFileSize( settings->output ) ), job->milliseconds );
	}
}

static int RunBuild( const Command* command, int argc, char** argv )
{
	BuildSettings settings = { 0 };
	Arguments arguments;
	int status = exit_ok;
	if ( ParseArguments( command, argc, argv, &settings, &arguments, &status ) == false )
	{
		return status;
	}
	BuildJob job = { .settings = &settings };
	status = CheckSettings( command, &arguments, &job );
	status = status == exit_ok && settings.tetMesh != NULL ? LoadTets( &job ) : status;
	status = status == exit_ok ? LoadSourceIn( arguments.files[0], settings.unit, &job.source ) : status;
	status = status == exit_ok ? Build( &job ) : status;
	if ( status == exit_ok )
	{
		PrintSummary( &job );
	}
	FreeJob( &job );
	FreeArguments( &arguments );
	return status;
}

const Command g_buildCommand = {
	.name = "build",
	.summary = "build flesh for a character and save it to a file",
	.usage = "FILE -o OUT.flesh [--method M] [--settings FILE] [--tets N] [--mesher M] [--tet-mesh FILE] [...]",
	.about =
		"Saves what a method precomputes for a character (tetrahedra, layers, bindings, factorised matrices) as a .flesh file, which bake, render, compare and live load with --flesh in milliseconds. A file fits the shape, skeleton and weights of its character; names, clips and colours may change.",
	.examples = "supple build hero.glb --method position -o hero.flesh\n"
				"supple build hero.glb --settings soft.json -o hero.flesh\n"
				"supple build hero.glb --method position --tets 20000 --save-tets hero.vtk -o hero.flesh\n"
				"supple build hero.glb --method position --tet-mesh hero.msh -o hero.flesh",
	ARG_OPTIONS( s_options ),
	.fileName = "FILE",
	.leastFiles = 1,
	.mostFiles = 1,
	.run = RunBuild,
};
