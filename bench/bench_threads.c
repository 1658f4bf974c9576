// SPDX-License-Identifier: MIT
// Threads: a step of the walking bunny with every method, and of a crowd of 64 with `position`, on one thread to as
// many as there are processors.
//
//     bench_threads [results.csv [MOST]]     MOST: no more threads than this
#include "bench.h"

#include "models/models.h"
#include "supple/supple.h"

#define DT ( 1.0f / 60.0f )
#define WARM_UP 10
#define FEWEST 8
#define CROWD 64

// Seconds of steps that are measured at least.
#define MEASURED 0.5

static const int32_t s_threads[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64 };

#define COUNTS ( (int32_t)( sizeof( s_threads ) / sizeof( s_threads[0] ) ) )

static void AddBunnies( supScene* scene, const supFlesh* flesh, int32_t count )
{
	const supClip* clip = supCharacter_Clip( supFlesh_Character( flesh ), 0 );
	for ( int32_t i = 0; i < count; ++i )
	{
		supError error = { 0 };
		supActor* actor = supScene_AddActor( scene, flesh, &error );
		benchRequire( actor != NULL, &error );
		supPlayDef play = supDefaultPlayDef( clip );
		play.time = clip->start + ( clip->end - clip->start ) * (float)i / (float)count;
		supActor_Play( actor, &play );
	}
}

// Milliseconds, median.
static double Measure( const supFlesh* flesh, int32_t characters, int32_t threads )
{
	supError error = { 0 };
	supThreadPool* pool = supCreateThreadPool( threads );
	supSceneDef def = supDefaultSceneDef();
	def.tasks = supThreadPool_Tasks( pool );
	supScene* scene = supCreateScene( &def, &error );
	benchRequire( scene != NULL, &error );
	AddBunnies( scene, flesh, characters );
	double values[1024];
	int count = 0;
	double spent = 0.0;
	for ( int step = 0; step < WARM_UP + FEWEST || ( spent < MEASURED && count < 1024 ); ++step )
	{
		double start = benchNow();
		supScene_Step( scene, DT );
		double seconds = benchNow() - start;
		if ( step >= WARM_UP )
		{
			values[count++] = seconds;
			spent += seconds;
		}
	}
	supDestroyScene( scene );
	supDestroyThreadPool( pool );
	return 1e3 * benchMedian( values, count );
}

static void MeasureRow( const char* name, const supFlesh* flesh, int32_t characters, int32_t most, FILE* csv )
{
	printf( "%-12s", name );
	double alone = 0.0;
	for ( int32_t i = 0; i < COUNTS && s_threads[i] <= most; ++i )
	{
		double milliseconds = Measure( flesh, characters, s_threads[i] );
		alone = i == 0 ? milliseconds : alone;
		printf( " %9.3f (%4.2f)", milliseconds, alone / milliseconds );
		fflush( stdout );
		benchWritePoint( csv, "threads", name, s_threads[i], s_threads[i], "threads", milliseconds, "ms" );
	}
	printf( "\n" );
}

static int32_t CountProcessors( void )
{
	supThreadPool* pool = supCreateThreadPool( 0 );
	int32_t count = supThreadPool_Tasks( pool )->workerCount;
	supDestroyThreadPool( pool );
	return count;
}

int main( int argumentCount, char** arguments )
{
	static const supMethodId methods[] = { sup_methodPosition, sup_methodLattice, sup_methodFem,
										   sup_methodPoints,   sup_methodLayered, sup_methodModes };
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	supError error = { 0 };
	supCharacter* character = supFindModel( "bunny" )->create( &error );
	benchRequire( character != NULL, &error );
	int32_t most = argumentCount > 2 ? atoi( arguments[2] ) : CountProcessors();
	char processor[128];
	benchProcessor( processor );
	printf( "A step of 16.7 ms, milliseconds (times faster than one thread); %s\n\n%-12s", processor, "threads" );
	for ( int32_t i = 0; i < COUNTS && s_threads[i] <= most; ++i )
	{
		printf( " %9d       ", s_threads[i] );
	}
	printf( "\n" );
	for ( size_t i = 0; i < sizeof( methods ) / sizeof( methods[0] ); ++i )
	{
		supFleshDef def = supDefaultFleshDef();
		def.method = methods[i];
		supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
		benchRequire( flesh != NULL, &error );
		MeasureRow( supMethodName( methods[i] ), flesh, 1, most, csv );
		if ( methods[i] == sup_methodPosition )
		{
			char name[32];
			snprintf( name, sizeof( name ), "crowd of %d", CROWD );
			MeasureRow( name, flesh, CROWD, most, csv );
		}
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
