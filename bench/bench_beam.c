// SPDX-License-Identifier: MIT
// bench_beam --fit TAKE.csv --predict TAKE.csv --load NEWTONS [--only METHOD] [--fps N] [RESULTS.csv]: a silicone beam
// that was measured, by the methods that can hold such a body. Young's modulus and drag are fitted to a take without
// load; what the beam does under a load is predicted from them.
#include "bench.h"

#include "beam.h"

typedef struct Options
{
	const char* fit;
	const char* predict;
	const char* only;
	double load;
	double fps;
	FILE* csv;
} Options;

static Options ReadOptions( int argumentCount, char** arguments )
{
	Options options = { .fps = BEAM_FPS };
	for ( int i = 1; i < argumentCount; ++i )
	{
		const char* word = arguments[i];
		const char* value = i + 1 < argumentCount ? arguments[i + 1] : NULL;
		bool isOption = strncmp( word, "--", 2 ) == 0 && value != NULL;
		if ( isOption == false )
		{
			options.csv = fopen( word, "w" );
			continue;
		}
		i += 1;
		options.fit = strcmp( word, "--fit" ) == 0 ? value : options.fit;
		options.predict = strcmp( word, "--predict" ) == 0 ? value : options.predict;
		options.only = strcmp( word, "--only" ) == 0 ? value : options.only;
		options.load = strcmp( word, "--load" ) == 0 ? atof( value ) : options.load;
		options.fps = strcmp( word, "--fps" ) == 0 ? atof( value ) : options.fps;
	}
	return options;
}

static void WriteCurve( FILE* csv, const char* plot, const char* name, const supVec3* tips, int count )
{
	for ( int i = 0; i < count; ++i )
	{
		benchWritePoint( csv, plot, name, 1, (double)i / BEAM_FPS, "s", 1e3 * (double)tips[BEAM_MARKERS * i].y, "mm" );
	}
}

// Once more with steps of 1/60 and of 1/240 s.
static double CompareSteps( const beamFlesh* beam, const beamMaterial* material, const beamRun* like )
{
	supError error = { 0 };
	beamRun* runs[2];
	for ( int i = 0; i < 2; ++i )
	{
		runs[i] = malloc( sizeof( beamRun ) );
		*runs[i] = *like;
		runs[i]->fps = i == 0 ? 60.0 : 240.0;
		benchRequire( beamSimulate( beam, material, runs[i], &error ), &error );
	}
	double difference = beamDifference( runs[0], runs[1] );
	free( runs[0] );
	free( runs[1] );
	return difference;
}

static void Measure( const Options* options, const beamModel* model, const beamTake* fit, const beamTake* predict )
{
	supError error = { 0 };
	beamFlesh beam;
	beamRun* run = malloc( sizeof( beamRun ) );
	beamMaterial material = { 2.5e5, 4.0 };
	*run = ( beamRun ){ .fps = options->fps };
	benchRequire( beamBuild( &beam, model, ".", &error ), &error );
	benchRequire( beamFit( &beam, fit, &material, run, &error ), &error );
	printf( "%-20s fitted    RMS %.3f mm  rest %.3f mm  phase %4.1f ms  E %.0f Pa  drag %.2f 1/s\n", model->name,
			1e3 * beamError( fit, run ), 1e3 * beamRestError( fit, run ), 1e3 * beamPhaseError( fit, run ),
			material.modulus, material.drag );
	WriteCurve( options->csv, "beam_gravity", model->name, run->tips[0], fit->count );
	run->take = predict;
	run->load = options->load;
	benchRequire( beamSimulate( &beam, &material, run, &error ), &error );
	double rms = 1e3 * beamError( predict, run );
	printf(
		"%-20s predicted RMS %.3f mm  rest %.3f mm (sinks %.2f, measured %.2f)  phase %4.1f ms  %.1f times real time  1/60 and 1/240 s differ by "
		"%.3f mm%s\n",
		model->name, rms, 1e3 * beamRestError( predict, run ), 1e3 * beamDrop( predict, run->tips[0] ),
		1e3 * beamDrop( predict, predict->tips[0] ), 1e3 * beamPhaseError( predict, run ), 1.0 / run->cost,
		1e3 * CompareSteps( &beam, &material, run ), run->unstable > 0 ? "  (steps too long)" : "" );
	fflush( stdout );
	benchWriteCsv( options->csv, "beam predicted", model->name, 1, rms, "mm" );
	WriteCurve( options->csv, "beam_load", model->name, run->tips[0], predict->count );
	beamDestroy( &beam );
	free( run );
}

int main( int argumentCount, char** arguments )
{
	Options options = ReadOptions( argumentCount, arguments );
	supError error = { 0 };
	if ( options.fit == NULL || options.predict == NULL )
	{
		printf(
			"usage: bench_beam --fit TAKE.csv --predict TAKE.csv --load NEWTONS [--only METHOD] [--fps N] [RESULTS.csv]\n" );
		return 0;
	}
	beamTake* takes = calloc( 2, sizeof( beamTake ) );
	benchRequire( beamLoadTake( takes, options.fit, &error ), &error );
	benchRequire( beamLoadTake( takes + 1, options.predict, &error ), &error );
	WriteCurve( options.csv, "beam_gravity", "measured", takes[0].tips[0], takes[0].count );
	WriteCurve( options.csv, "beam_load", "measured", takes[1].tips[0], takes[1].count );
	for ( int i = 0; i < beamModelCount; ++i )
	{
		if ( options.only == NULL || strstr( beamModels[i].name, options.only ) != NULL )
		{
			Measure( &options, beamModels + i, takes, takes + 1 );
		}
	}
	free( takes );
	if ( options.csv != NULL )
	{
		fclose( options.csv );
	}
	return 0;
}
