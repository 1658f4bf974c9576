// SPDX-License-Identifier: MIT
// plot FOLDER RESULTS.csv...: one picture FOLDER/PLOT.svg for each benchmark that has curves (benchWritePoint), both
// axes logarithmic, each curve with the exponent that fits it best: 1.00 is linear cost.
#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS 4096
#define MAX_SERIES 12
#define COLUMNS 11
#define WIDTH 640.0
#define HEIGHT 400.0
#define LEFT 70.0
#define RIGHT 200.0
#define TOP 40.0
#define BOTTOM 50.0

typedef struct Point
{
	char plot[96];
	char series[128];
	char xUnit[48];
	char unit[32];
	int threads;
	double x;
	double y;
} Point;

typedef struct Axis
{
	double lower; // logarithms
	double upper;
	double from; // pixels
	double to;
} Axis;

static Point s_points[MAX_POINTS];
static int s_pointCount;

// One line cut at its commas, quotes taken off, in place.
static int SplitLine( char* line, char* fields[COLUMNS] )
{
	int count = 0;
	for ( char* p = line; count < COLUMNS; )
	{
		bool quoted = *p == '"';
		p += quoted;
		fields[count++] = p;
		char* end = quoted ? strchr( p, '"' ) : p + strcspn( p, ",\n" );
		if ( end == NULL )
		{
			return 0;
		}
		bool last = quoted ? end[1] != ',' : *end != ',';
		*end = 0;
		if ( last )
		{
			break;
		}
		p = end + ( quoted ? 2 : 1 );
	}
	return count;
}

static bool ReadResults( const char* path )
{
	FILE* file = fopen( path, "r" );
	if ( file == NULL )
	{
		fprintf( stderr, "plot: cannot read %s\n", path );
		return false;
	}
	char line[1024];
	while ( fgets( line, sizeof( line ), file ) != NULL )
	{
		char* f[COLUMNS];
		if ( SplitLine( line, f ) != COLUMNS || f[9][0] == 0 || strcmp( f[9], "x" ) == 0 )
		{
			continue;
		}
		Point p = { .threads = atoi( f[2] ), .x = atof( f[9] ), .y = atof( f[3] ) };
		if ( s_pointCount == MAX_POINTS || ( p.x > 0.0 && p.y > 0.0 ) == false )
		{
			fprintf( stderr, "plot: %s: a point of \"%s\" is left out\n", path, f[0] );
			continue;
		}
		snprintf( p.plot, sizeof( p.plot ), "%s", f[0] );
		bool isNamed = p.threads > 1 && strcmp( f[10], "threads" ) != 0;
		snprintf( p.series, sizeof( p.series ), isNamed ? "%s, %d threads" : "%s", f[1], p.threads );
		snprintf( p.unit, sizeof( p.unit ), "%s", f[4] );
		snprintf( p.xUnit, sizeof( p.xUnit ), "%s", f[10] );
		s_points[s_pointCount++] = p;
	}
	fclose( file );
	return true;
}

// Exponent of the power law through the points of a series: least squares of the logarithms.
static double FitExponent( const char* plot, const char* series, int* count )
{
	double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
	for ( int i = 0; i < s_pointCount; ++i )
	{
		const Point* p = s_points + i;
		if ( strcmp( p->plot, plot ) == 0 && strcmp( p->series, series ) == 0 )
		{
			double x = log( p->x ), y = log( p->y );
			n += 1.0, sx += x, sy += y, sxx += x * x, sxy += x * y;
		}
	}
	*count = (int)n;
	double spread = n * sxx - sx * sx;
	return spread > 1e-12 ? ( n * sxy - sx * sy ) / spread : 0.0;
}

static double Place( const Axis* axis, double value )
{
	return axis->from + ( log10( value ) - axis->lower ) / ( axis->upper - axis->lower ) * ( axis->to - axis->from );
}

static void Text( cairo_t* c, double x, double y, double align, const char* text )
{
	cairo_text_extents_t e;
	cairo_text_extents( c, text, &e );
	cairo_move_to( c, x - align * e.x_advance, y );
	cairo_show_text( c, text );
}

static void Number( char text[32], double v )
{
	snprintf( text, 32,
			  v >= 1e6   ? "%.3gM"
			  : v >= 1e4 ? "%.3gk"
						 : "%.4g",
			  v >= 1e6   ? v * 1e-6
			  : v >= 1e4 ? v * 1e-3
						 : v );
}

// Lines and numbers at 1, 2 and 5 times each power of ten.
static void DrawGrid( cairo_t* c, const Axis* axis, bool across )
{
	for ( int power = -12; power <= 12; ++power )
	{
		for ( int k = 0; k < 3; ++k )
		{
			double v = pow( 10.0, power ) * ( k == 0 ? 1.0 : k == 1 ? 2.0 : 5.0 );
			if ( log10( v ) < axis->lower || log10( v ) > axis->upper )
			{
				continue;
			}
			double at = Place( axis, v );
			char text[32];
			Number( text, v );
			cairo_set_source_rgb( c, 0.87, 0.87, 0.87 );
			cairo_move_to( c, across ? at : LEFT, across ? TOP : at );
			cairo_line_to( c, across ? at : WIDTH - RIGHT, across ? HEIGHT - BOTTOM : at );
			cairo_stroke( c );
			cairo_set_source_rgb( c, 0.25, 0.25, 0.25 );
			Text( c, across ? at : LEFT - 6.0, across ? HEIGHT - BOTTOM + 16.0 : at + 4.0, across ? 0.5 : 1.0, text );
		}
	}
}

static void DrawSeries( cairo_t* c, const Axis* x, const Axis* y, const char* plot, const char* series, int index )
{
	static const double colors[6][3] = { { 0.12, 0.35, 0.65 }, { 0.80, 0.33, 0.10 }, { 0.18, 0.52, 0.25 },
										 { 0.55, 0.25, 0.60 }, { 0.60, 0.50, 0.05 }, { 0.35, 0.35, 0.35 } };
	const double* color = colors[index % 6];
	cairo_set_source_rgb( c, color[0], color[1], color[2] );
	// the second round of colours is dashed
	cairo_set_dash( c, ( double[] ){ 5.0, 3.0 }, index >= 6 ? 2 : 0, 0.0 );
	cairo_set_line_width( c, 1.6 );
	cairo_new_path( c );
	for ( int pass = 0; pass < 2; ++pass )
	{
		for ( int i = 0; i < s_pointCount; ++i )
		{
			const Point* p = s_points + i;
			if ( strcmp( p->plot, plot ) != 0 || strcmp( p->series, series ) != 0 )
			{
				continue;
			}
			double px = Place( x, p->x ), py = Place( y, p->y );
			if ( pass == 0 )
			{
				cairo_line_to( c, px, py );
				continue;
			}
			cairo_arc( c, px, py, 2.8, 0.0, 6.2832 );
			cairo_fill( c );
		}
		cairo_stroke( c );
		cairo_set_dash( c, NULL, 0, 0.0 );
	}
	int count;
	double exponent = FitExponent( plot, series, &count );
	char text[192];
	double at = TOP + 10.0 + 30.0 * index;
	Text( c, WIDTH - RIGHT + 12.0, at, 0.0, series );
	if ( count > 2 )
	{
		snprintf( text, sizeof( text ), "exponent %.2f", exponent );
		Text( c, WIDTH - RIGHT + 12.0, at + 13.0, 0.0, text );
		printf( "%s, %s: exponent %.3f over %d points\n", plot, series, exponent, count );
	}
}

static void Widen( Axis* axis, double value )
{
	double v = log10( value );
	axis->lower = v < axis->lower ? v : axis->lower;
	axis->upper = v > axis->upper ? v : axis->upper;
}

static bool DrawPlot( const char* folder, const Point* first )
{
	Axis x = { 1e9, -1e9, LEFT, WIDTH - RIGHT }, y = { 1e9, -1e9, HEIGHT - BOTTOM, TOP };
	const char* series[MAX_SERIES];
	int seriesCount = 0;
	for ( int i = 0; i < s_pointCount; ++i )
	{
		const Point* p = s_points + i;
		if ( strcmp( p->plot, first->plot ) != 0 )
		{
			continue;
		}
		Widen( &x, p->x );
		Widen( &y, p->y );
		int k = 0;
		while ( k < seriesCount && strcmp( series[k], p->series ) != 0 )
		{
			++k;
		}
		if ( k == seriesCount && k < MAX_SERIES )
		{
			series[seriesCount++] = p->series;
		}
		else if ( k == seriesCount )
		{
			fprintf( stderr, "plot: %s: a point of \"%s\" is left out: more than %d curves\n", p->plot, p->series,
					 MAX_SERIES );
		}
	}
	x.lower -= 0.05, x.upper += 0.05, y.lower -= 0.1, y.upper += 0.1;

	char path[1024];
	int length = snprintf( path, sizeof( path ), "%s/%s.svg", folder, first->plot );
	if ( length >= (int)sizeof( path ) )
	{
		fprintf( stderr, "plot: the name of the folder is too long: %s\n", folder );
		return false;
	}
	for ( int i = (int)strlen( folder ) + 1; i < length; ++i )
	{
		path[i] = path[i] == ' ' || path[i] == '/' ? '-' : path[i];
	}
	cairo_surface_t* surface = cairo_svg_surface_create( path, WIDTH, HEIGHT );
	cairo_t* c = cairo_create( surface );
	cairo_set_source_rgb( c, 1.0, 1.0, 1.0 );
	cairo_paint( c );
	cairo_select_font_face( c, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL );
	cairo_set_font_size( c, 11.0 );
	cairo_set_line_width( c, 1.0 );
	DrawGrid( c, &x, true );
	DrawGrid( c, &y, false );
	cairo_set_source_rgb( c, 0.1, 0.1, 0.1 );
	Text( c, 0.5 * ( LEFT + WIDTH - RIGHT ), HEIGHT - 12.0, 0.5, first->xUnit );
	Text( c, LEFT - 50.0, TOP - 12.0, 0.0, first->unit );
	cairo_set_font_size( c, 13.0 );
	Text( c, 0.5 * ( LEFT + WIDTH - RIGHT ), TOP - 12.0, 0.5, first->plot );
	cairo_set_font_size( c, 11.0 );
	for ( int i = 0; i < seriesCount; ++i )
	{
		DrawSeries( c, &x, &y, first->plot, series[i], i );
	}
	cairo_destroy( c );
	cairo_surface_finish( surface );
	bool ok = cairo_surface_status( surface ) == CAIRO_STATUS_SUCCESS;
	cairo_surface_destroy( surface );
	fprintf( ok ? stdout : stderr, ok ? "%s\n" : "plot: cannot write %s\n", path );
	return ok;
}

int main( int argc, char** argv )
{
	if ( argc < 3 )
	{
		fprintf( stderr, "usage: plot FOLDER RESULTS.csv...\n" );
		return 2;
	}
	bool ok = true;
	for ( int i = 2; i < argc; ++i )
	{
		ok = ReadResults( argv[i] ) && ok;
	}
	for ( int i = 0; i < s_pointCount; ++i )
	{
		bool drawn = false;
		for ( int k = 0; k < i && drawn == false; ++k )
		{
			drawn = strcmp( s_points[k].plot, s_points[i].plot ) == 0;
		}
		ok = ( drawn || DrawPlot( argv[1], s_points + i ) ) && ok;
	}
	return ok ? 0 : 1;
}
