// SPDX-License-Identifier: MIT
// bench_beam [--fit TAKE.csv] [--predict TAKE.csv] [--load NEWTONS] [--only METHOD] [--fps N] [--plot FILE.svg]
// [RESULTS.csv]: a silicone beam that was measured, by the methods that can hold such a body. Young's modulus and drag
// are fitted to a take without load; what the beam does under a load is predicted from them. Without takes: those of
// the shared assets, where they are.
#include "bench.h"

#include "beam.h"

#define GRAVITY "../shared/assets/measured/beam/gravity.csv"
#define LOAD "../shared/assets/measured/beam/load52.csv"

typedef struct Options
{
	const char* fit;
	const char* predict;
	const char* only;
	const char* plot;
	double load;
	double fps;
	FILE* csv;
} Options;

static Options ReadOptions( int argumentCount, char** arguments )
{
	Options options = { .fit = GRAVITY, .predict = LOAD, .load = 0.51012, .fps = BEAM_FPS };
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
		options.plot = strcmp( word, "--plot" ) == 0 ? value : options.plot;
		options.only = strcmp( word, "--only" ) == 0 ? value : options.only;
		options.load = strcmp( word, "--load" ) == 0 ? atof( value ) : options.load;
		options.fps = strcmp( word, "--fps" ) == 0 ? atof( value ) : options.fps;
	}
	return options;
}

// ---------------------------------------------------------------------------------------------------------------------
// Curves of the first marker, the take that is fitted above the one that is predicted

#define PANEL_WIDTH 640.0
#define PANEL_HEIGHT 230.0
#define LEFT 60.0
#define TOP 34.0
#define SHOWN_SECONDS 2.5

static const char* const s_colors[] = { "#000000", "#c0392b", "#2471a3", "#1e8449", "#b7950b" };

static void DrawAxes( FILE* svg, int panel, const char* title, double lowest )
{
	double top = TOP + panel * ( PANEL_HEIGHT + 60.0 );
	fprintf( svg, "<text x='%g' y='%g' font-weight='bold'>%s</text>\n", LEFT, top - 10.0, title );
	fprintf( svg, "<rect x='%g' y='%g' width='%g' height='%g' fill='none' stroke='#999'/>\n", LEFT, top, PANEL_WIDTH,
			 PANEL_HEIGHT );
	for ( int i = 0; i <= 5; ++i )
	{
		fprintf( svg, "<text x='%g' y='%g' text-anchor='middle'>%g s</text>\n", LEFT + PANEL_WIDTH * i / 5.0,
				 top + PANEL_HEIGHT + 16.0, SHOWN_SECONDS * i / 5.0 );
		fprintf( svg, "<text x='%g' y='%g' text-anchor='end'>%g mm</text>\n", LEFT - 6.0,
				 top + PANEL_HEIGHT * i / 5.0 + 4.0, i > 0 ? lowest * i / 5.0 : 0.0 );
	}
}

static void DrawCurve( FILE* svg, int panel, int color, const char* name, const beamTake* take, const supVec3* tips,
					   double lowest )
{
	double top = TOP + panel * ( PANEL_HEIGHT + 60.0 );
	if ( svg == NULL )
	{
		return;
	}
	fprintf( svg, "<polyline fill='none' stroke='%s' stroke-width='%g' points='", s_colors[color],
			 color == 0 ? 2.2 : 1.2 );
	int first = take->released > 10 ? take->released - 10 : 0;
	for ( int i = first; i < take->count && i - first <= SHOWN_SECONDS * BEAM_FPS; ++i )
	{
		double sunk = 1e3 * (double)( tips[BEAM_MARKERS * i].y - take->tips[0][0].y );
		fprintf( svg, "%.1f,%.1f ", LEFT + PANEL_WIDTH * ( i - first ) / ( SHOWN_SECONDS * BEAM_FPS ),
				 top + PANEL_HEIGHT * sunk / lowest );
	}
	fprintf( svg, "'/>\n" );
	if ( panel == 0 )
	{
		fprintf( svg, "<text x='%g' y='%g' fill='%s'>%s</text>\n", LEFT + PANEL_WIDTH + 10.0, top + 14.0 + 18.0 * color,
				 s_colors[color], name );
	}
}

static FILE* BeginPlot( const char* path, const beamTake* takes )
{
	FILE* svg = path != NULL ? fopen( path, "w" ) : NULL;
	if ( svg == NULL )
	{
		return NULL;
	}
	fprintf( svg,
			 "<svg xmlns='http://www.w3.org/2000/svg' width='%g' height='%g' font-family='sans-serif' "
			 "font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
			 LEFT + PANEL_WIDTH + 150.0, TOP + 2.0 * PANEL_HEIGHT + 90.0 );
	DrawAxes( svg, 0, "Tip of the beam under its own weight: modulus and drag are fitted", -12.0 );
	DrawAxes( svg, 1, "With a weight at the tip: predicted", -30.0 );
	DrawCurve( svg, 0, 0, "measured", takes, takes[0].tips[0], -12.0 );
	DrawCurve( svg, 1, 0, "measured", takes + 1, takes[1].tips[0], -30.0 );
	return svg;
}

// ---------------------------------------------------------------------------------------------------------------------

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

static void Measure( const Options* options, const beamModel* model, const beamTake* fit, const beamTake* predict,
					 FILE* svg, int color )
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
	DrawCurve( svg, 0, color, model->name, fit, run->tips[0], -12.0 );
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
	DrawCurve( svg, 1, color, model->name, predict, run->tips[0], -30.0 );
	beamDestroy( &beam );
	free( run );
}

int main( int argumentCount, char** arguments )
{
	Options options = ReadOptions( argumentCount, arguments );
	supError error = { 0 };
	FILE* found = fopen( options.fit, "r" );
	if ( found == NULL )
	{
		printf( "%s is missing: give takes with --fit and --predict\n", options.fit );
		return 0;
	}
	fclose( found );
	beamTake* takes = calloc( 2, sizeof( beamTake ) );
	benchRequire( beamLoadTake( takes, options.fit, &error ), &error );
	benchRequire( beamLoadTake( takes + 1, options.predict, &error ), &error );
	FILE* svg = BeginPlot( options.plot, takes );
	for ( int i = 0; i < beamModelCount; ++i )
	{
		if ( options.only == NULL || strstr( beamModels[i].name, options.only ) != NULL )
		{
			Measure( &options, beamModels + i, takes, takes + 1, svg, i + 1 );
		}
	}
	if ( svg != NULL )
	{
		fprintf( svg, "</svg>\n" );
		fclose( svg );
	}
	free( takes );
	if ( options.csv != NULL )
	{
		fclose( options.csv );
	}
	return 0;
}
