// SPDX-License-Identifier: MIT
// What the benchmarks share: a clock, medians, and results as a CSV file. Include it first.
#pragma once

#define _POSIX_C_SOURCE 200809L

#include "supple/base.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double benchNow( void )
{
	struct timespec t;
	clock_gettime( CLOCK_MONOTONIC, &t );
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Processor time of all threads: on one thread what a step takes where nobody else is at work.
static inline double benchProcessorNow( void )
{
	struct timespec t;
	clock_gettime( CLOCK_PROCESS_CPUTIME_ID, &t );
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int benchCompareDoubles( const void* a, const void* b )
{
	double x = *(const double*)a, y = *(const double*)b;
	return x < y ? -1 : ( x > y ? 1 : 0 );
}

// Sorts the values.
static inline double benchMedian( double* values, int count )
{
	qsort( values, (size_t)count, sizeof( double ), benchCompareDoubles );
	return 0.5 * ( values[( count - 1 ) / 2] + values[count / 2] );
}

// Ends the benchmark with the error where something did not work.
static inline void benchRequire( bool ok, const supError* error )
{
	if ( ok == false )
	{
		fprintf( stderr, "%s: %s\n", error->where, error->message );
		exit( 1 );
	}
}

typedef void benchFcn( void* context );

// The seconds that one call takes, sorted: up to 64 rounds of as many calls as fill `seconds`.
static inline void benchRounds( benchFcn* function, void* context, int rounds, double seconds, double values[64] )
{
	function( context );
	double start = benchNow();
	function( context );
	double once = benchNow() - start;
	int calls = once < seconds ? (int)( seconds / ( once + 1e-9 ) ) + 1 : 1;
	for ( int i = 0; i < rounds; ++i )
	{
		start = benchNow();
		for ( int k = 0; k < calls; ++k )
		{
			function( context );
		}
		values[i] = ( benchNow() - start ) / calls;
	}
	qsort( values, (size_t)rounds, sizeof( double ), benchCompareDoubles );
}

// Median of the rounds.
static inline double benchTime( benchFcn* function, void* context, int rounds, double seconds )
{
	double values[64];
	rounds = rounds < 64 ? rounds : 64;
	benchRounds( function, context, rounds, seconds, values );
	return benchMedian( values, rounds );
}

// The best round: for limits, which are what the machine can do, not what it did while it was disturbed.
static inline double benchBestTime( benchFcn* function, void* context, int rounds, double seconds )
{
	double values[64];
	benchRounds( function, context, rounds < 64 ? rounds : 64, seconds, values );
	return values[0];
}

// Slope of a straight line through logarithms: 1 is linear cost.
static inline double benchFitSlope( const double* x, const double* y, int32_t count )
{
	double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
	for ( int32_t i = 0; i < count; ++i )
	{
		double a = log( x[i] ), b = log( y[i] );
		sx += a;
		sy += b;
		sxx += a * a;
		sxy += a * b;
	}
	return ( count * sxy - sx * sy ) / ( count * sxx - sx * sx );
}

// y = fixed + each x, by least squares of what is off as a part of y; the most of that.
typedef struct benchLine
{
	double fixed;
	double each;
	double off;
} benchLine;

static inline benchLine benchFitLine( const double* x, const double* y, int32_t count )
{
	double s = 0.0, sx = 0.0, sxx = 0.0, sy = 0.0, sxy = 0.0;
	for ( int32_t i = 0; i < count; ++i )
	{
		double w = 1.0 / ( y[i] * y[i] );
		s += w;
		sx += w * x[i];
		sxx += w * x[i] * x[i];
		sy += w * y[i];
		sxy += w * x[i] * y[i];
	}
	benchLine line = { 0 };
	line.each = ( s * sxy - sx * sy ) / ( s * sxx - sx * sx );
	line.fixed = ( sy - line.each * sx ) / s;
	for ( int32_t i = 0; i < count; ++i )
	{
		line.off = fmax( line.off, fabs( ( line.fixed + line.each * x[i] ) / y[i] - 1.0 ) );
	}
	return line;
}

// Bytes that the library holds, and the most it held since benchResetPeak. Counted once benchCountMemory was called,
// which is to be done before anything of the library is alive.
typedef struct benchMemory
{
	atomic_size_t live;
	atomic_size_t peak;
} benchMemory;

// a block starts with its size; 64 bytes keep every alignment that may be asked for
#define BENCH_HEADER 64

static inline void* benchAlloc( size_t size, size_t alignment, void* context )
{
	(void)alignment;
	benchMemory* memory = context;
	size_t whole = ( size + BENCH_HEADER + 63 ) / 64 * 64;
	size_t* block = aligned_alloc( 64, whole );
	if ( block == NULL )
	{
		return NULL;
	}
	*block = size;
	size_t live = atomic_fetch_add( &memory->live, size ) + size;
	size_t peak = atomic_load( &memory->peak );
	while ( live > peak && atomic_compare_exchange_weak( &memory->peak, &peak, live ) == false )
	{
	}
	return (char*)block + BENCH_HEADER;
}

static inline void benchFree( void* block, void* context )
{
	benchMemory* memory = context;
	size_t* start = (size_t*)( (char*)block - BENCH_HEADER );
	atomic_fetch_sub( &memory->live, *start );
	free( start );
}

static inline void benchCountMemory( benchMemory* memory )
{
	supAllocator allocator = { benchAlloc, benchFree, memory };
	supSetAllocator( &allocator );
}

// What one call needs beyond what is alive before it.
static inline size_t benchPeak( benchMemory* memory, benchFcn* function, void* context )
{
	size_t before = atomic_load( &memory->live );
	atomic_store( &memory->peak, before );
	function( context );
	return atomic_load( &memory->peak ) - before;
}

// Model of the processor, "unknown" where the system does not say.
static inline void benchProcessor( char name[128] )
{
	snprintf( name, 128, "unknown" );
	FILE* file = fopen( "/proc/cpuinfo", "r" );
	char line[256];
	while ( file != NULL && fgets( line, sizeof( line ), file ) != NULL )
	{
		char* colon = strchr( line, ':' );
		if ( strncmp( line, "model name", 10 ) == 0 && colon != NULL )
		{
			colon[strcspn( colon, "\n" )] = 0;
			snprintf( name, 128, "%.120s", colon + 2 );
			break;
		}
	}
	if ( file != NULL )
	{
		fclose( file );
	}
}

static inline const char* benchInstructionSet( void )
{
	return supGetInstructionSet() == sup_instructionsAvx2 ? "avx2" : "baseline";
}

// Opens the CSV file that the command line names (bench_x results.csv); NULL without.
static inline FILE* benchOpenCsv( int argumentCount, char** arguments )
{
	FILE* file = argumentCount > 1 ? fopen( arguments[1], "w" ) : NULL;
	if ( file != NULL )
	{
		fprintf( file, "benchmark,case,threads,value,unit,instructions,commit,compiler,processor,x,x_unit\n" );
	}
	return file;
}

// One point of a curve: `x` of what `xUnit` says costs `value`. `plot` names the picture that bench/plot.c draws, and
// `series` the curve in it. `file` may be NULL. The commit comes from the environment: SUPPLE_COMMIT.
static inline void benchWritePoint( FILE* file, const char* plot, const char* series, int threads, double x,
									const char* xUnit, double value, const char* unit )
{
	if ( file == NULL )
	{
		return;
	}
	char processor[128], place[64] = ",";
	benchProcessor( processor );
	if ( xUnit != NULL )
	{
		snprintf( place, sizeof( place ), "%.9g,%s", x, xUnit );
	}
	const char* commit = getenv( "SUPPLE_COMMIT" );
	fprintf( file, "%s,\"%s\",%d,%.6g,%s,%s,%s,\"%s\",\"%s\",%s\n", plot, series, threads, value, unit,
			 benchInstructionSet(), commit != NULL ? commit : "unknown", __VERSION__, processor, place );
}

// One result that is no point of a curve.
static inline void benchWriteCsv( FILE* file, const char* benchmark, const char* name, int threads, double value,
								  const char* unit )
{
	benchWritePoint( file, benchmark, name, threads, 0.0, NULL, value, unit );
}
