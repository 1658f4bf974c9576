// SPDX-License-Identifier: MIT
// Crowds: 1 to 1000 bunnies that share one flesh, each walking out of step with the others.
//
//     bench_crowd [results.csv [MOST [CROWD]]]     MOST: no more characters than this, 1000 without; CROWD: only this
//     one
//
// full      flesh of `position` for all
// thirds    a third of them full, a third reduced, a third skinned only
// distance  level of detail by distance: they stand in rows two metres apart, seen from two metres before the middle of
//           the first: full up to 4 m, reduced up to 7 m, skinned up to 15 m, from there on the pose only
// skinned   the method dqs: what any engine does for each of them anyway
// asleep    standing still: what those cost that nobody has to move
//
// Of each the milliseconds a frame, the largest crowd that fits a frame at 60 and at 30 frames a second (between two
// measured sizes by a straight line), and what a character takes in memory beyond the shared flesh.
#include "bench.h"

#include "models/models.h"
#include "supple/supple.h"

#define DT ( 1.0f / 60.0f )

// Frames before those that are measured: caches are warm after a few, but fades and falling asleep take half a second.
#define WARM_UP 12
#define LONG_WARM_UP 40
#define FEWEST 6

// Seconds of frames that are measured at least.
#define MEASURED 0.5

// Metres from one to the next in a row, and from row to row.
#define APART 2.0f

typedef enum CrowdKind
{
	crowdFull,
	crowdThirds,
	crowdDistance,
	crowdSkinned,
	crowdAsleep,
	crowdKinds,
} CrowdKind;

static const char* s_kindNames[crowdKinds] = { "full", "thirds", "distance", "skinned", "asleep" };

#define MOST 1000

static const int32_t s_sizes[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, MOST };

#define SIZES ( (int32_t)( sizeof( s_sizes ) / sizeof( s_sizes[0] ) ) )

typedef struct Crowd
{
	const supCharacter* character;
	const supFlesh* flesh[crowdKinds];
	benchMemory memory;
	int32_t most;
	FILE* csv;
} Crowd;

typedef struct Result
{
	double milliseconds;
	double bytes;
	supSceneStats stats;
} Result;

static supFlesh* BuildFlesh( const supCharacter* character, supMethodId method )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	benchRequire( flesh != NULL, &error );
	return flesh;
}

static void PutInRow( supActor* actor, int32_t index, int32_t count )
{
	int32_t columns = 1;
	while ( columns * columns < count )
	{
		columns += 1;
	}
	float x = APART * ( (float)( index % columns ) - 0.5f * (float)( columns - 1 ) );
	float z = -APART * (float)( 1 + index / columns );
	supActor_SetPlace( actor, supMakeVec3( x, 0.0f, z ), supQuat_identity );
}

static supActor* AddBunny( Crowd* crowd, CrowdKind kind, supScene* scene, int32_t index, int32_t count )
{
	supError error = { 0 };
	supActor* actor = supScene_AddActor( scene, crowd->flesh[kind], &error );
	benchRequire( actor != NULL, &error );
	const supDetail levels[3] = { sup_detailFull, sup_detailReduced, sup_detailSkinned };
	if ( kind == crowdThirds )
	{
		benchRequire( supActor_SetDetail( actor, levels[index % 3], &error ), &error );
	}
	if ( kind == crowdDistance )
	{
		PutInRow( actor, index, count );
	}
	if ( kind != crowdAsleep )
	{
		const supClip* clip = supCharacter_Clip( crowd->character, 0 );
		supPlayDef play = supDefaultPlayDef( clip );
		// the golden ratio never falls into step
		double turns = 0.6180339887 * index;
		play.time = clip->start + ( clip->end - clip->start ) * (float)( turns - (double)(int64_t)turns );
		supActor_Play( actor, &play );
	}
	return actor;
}

static double MeasureFrames( supScene* scene )
{
	double values[1024];
	int count = 0;
	for ( double spent = 0.0; count < FEWEST || ( spent < MEASURED && count < 1024 ); ++count )
	{
		double start = benchNow();
		supScene_Step( scene, DT );
		values[count] = benchNow() - start;
		spent += values[count];
	}
	return 1e3 * benchMedian( values, count );
}

static Result Measure( Crowd* crowd, CrowdKind kind, int32_t count, int32_t threads )
{
	supError error = { 0 };
	supThreadPool* pool = supCreateThreadPool( threads );
	supSceneDef def = supDefaultSceneDef();
	def.tasks = supThreadPool_Tasks( pool );
	supScene* scene = supCreateScene( &def, &error );
	benchRequire( scene != NULL, &error );
	supViewer viewer = { { 0.0f, 1.0f, 0.0f }, 4.0f, 7.0f, 15.0f };
	benchRequire( kind != crowdDistance || supScene_SetViewer( scene, &viewer, &error ), &error );
	size_t before = atomic_load( &crowd->memory.live );
	supActor* actors[MOST];
	for ( int32_t i = 0; i < count; ++i )
	{
		actors[i] = AddBunny( crowd, kind, scene, i, count );
	}
	Result result = { .bytes = (double)( atomic_load( &crowd->memory.live ) - before ) / count };
	supScene_Step( scene, 0.0f );
	for ( int32_t i = 0; i < count; ++i )
	{
		supActor_Reset( actors[i] );
	}
	int32_t warmUp = kind == crowdFull || kind == crowdSkinned ? WARM_UP : LONG_WARM_UP;
	for ( int32_t i = 0; i < warmUp; ++i )
	{
		supScene_Step( scene, DT );
	}
	result.milliseconds = MeasureFrames( scene );
	result.stats = supScene_GetStats( scene );
	supDestroyScene( scene );
	supDestroyThreadPool( pool );
	return result;
}

// How many fit into so many milliseconds; -1 where all that were measured do.
static double LargestWithin( const double* times, int32_t count, double limit )
{
	if ( times[0] > limit )
	{
		return 0.0;
	}
	for ( int32_t i = 1; i < count; ++i )
	{
		if ( times[i] > limit )
		{
			double share = ( limit - times[i - 1] ) / ( times[i] - times[i - 1] );
			return s_sizes[i - 1] + share * ( s_sizes[i] - s_sizes[i - 1] );
		}
	}
	return -1.0;
}

static void PrintLargest( const Crowd* crowd, CrowdKind kind, int32_t threads, const double* times, int32_t count )
{
	static const struct
	{
		double limit;
		const char* name;
	} rates[2] = { { 1000.0 / 60.0, "60 Hz" }, { 1000.0 / 30.0, "30 Hz" } };
	printf( "%-8s %7d", s_kindNames[kind], threads );
	for ( int32_t k = 0; k < 2; ++k )
	{
		double largest = LargestWithin( times, count, rates[k].limit );
		char name[64];
		snprintf( name, sizeof( name ), "%s / largest at %s", s_kindNames[kind], rates[k].name );
		if ( largest < 0.0 )
		{
			printf( "   more than %d at %s", s_sizes[count - 1], rates[k].name );
			continue;
		}
		printf( "   %6.0f at %s", largest, rates[k].name );
		benchWriteCsv( crowd->csv, "crowd", name, threads, (double)(int64_t)largest, "characters" );
	}
	printf( "\n" );
}

static int32_t MeasureKind( Crowd* crowd, CrowdKind kind, int32_t threads, double times[SIZES] )
{
	int32_t count = 0;
	for ( ; count < SIZES && s_sizes[count] <= crowd->most; ++count )
	{
		int32_t size = s_sizes[count];
		Result result = Measure( crowd, kind, size, threads );
		times[count] = result.milliseconds;
		double each = 1e3 * result.milliseconds / size;
		const supSceneStats* stats = &result.stats;
		printf( "%-8s %7d %6d %9.3f %9.2f %9.1f   %d/%d/%d/%d/%d\n", s_kindNames[kind], threads, size,
				result.milliseconds, each, result.bytes / 1024.0,
				size - stats->reduced - stats->skinned - stats->posed - stats->sleepers, stats->reduced, stats->skinned,
				stats->posed, stats->sleepers );
		fflush( stdout );
		benchWritePoint( crowd->csv, "crowd_frame", s_kindNames[kind], threads, size, "characters", result.milliseconds,
						 "ms" );
		if ( threads == 1 && size == 100 )
		{
			char name[64];
			snprintf( name, sizeof( name ), "%s / memory of each", s_kindNames[kind] );
			benchWriteCsv( crowd->csv, "crowd", name, threads, result.bytes, "bytes" );
		}
	}
	return count;
}

int main( int argumentCount, char** arguments )
{
	Crowd crowd = { .csv = benchOpenCsv( argumentCount, arguments ),
					.most = argumentCount > 2 ? atoi( arguments[2] ) : MOST };
	benchCountMemory( &crowd.memory );
	supError error = { 0 };
	supCharacter* character = supFindModel( "bunny" )->create( &error );
	benchRequire( character != NULL, &error );
	size_t before = atomic_load( &crowd.memory.live );
	supFlesh* flesh = BuildFlesh( character, sup_methodPosition );
	size_t shared = atomic_load( &crowd.memory.live ) - before;
	supFlesh* skinned = BuildFlesh( character, sup_methodDqs );
	crowd.character = character;
	crowd.flesh[crowdFull] = crowd.flesh[crowdThirds] = crowd.flesh[crowdDistance] = crowd.flesh[crowdAsleep] = flesh;
	crowd.flesh[crowdSkinned] = skinned;
	char processor[128];
	benchProcessor( processor );
	int32_t vertices = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		vertices += supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
	}
	printf( "Crowds of bunnies, %d vertices each, step 16.7 ms; %s, %s\n", vertices, processor, benchInstructionSet() );
	printf( "Flesh that all share: %.1f KiB. Milliseconds are medians.\n\n", (double)shared / 1024.0 );
	printf( "%-8s %7s %6s %9s %9s %9s   %s\n", "crowd", "threads", "count", "ms", "us each", "KiB each",
			"full/reduced/skinned/posed/asleep" );
	double times[2][crowdKinds][SIZES];
	int32_t count = 0;
	const char* only = argumentCount > 3 ? arguments[3] : NULL;
	for ( int32_t kind = 0; kind < crowdKinds; ++kind )
	{
		if ( only != NULL && strcmp( only, s_kindNames[kind] ) != 0 )
		{
			continue;
		}
		for ( int32_t threads = 1; threads <= 2; ++threads )
		{
			count = MeasureKind( &crowd, (CrowdKind)kind, threads, times[threads - 1][kind] );
		}
	}
	printf( "\nThe largest crowd\n\n%-8s %7s\n", "crowd", "threads" );
	for ( int32_t kind = 0; kind < crowdKinds && count > 0; ++kind )
	{
		if ( only != NULL && strcmp( only, s_kindNames[kind] ) != 0 )
		{
			continue;
		}
		for ( int32_t threads = 1; threads <= 2; ++threads )
		{
			PrintLargest( &crowd, (CrowdKind)kind, threads, times[threads - 1][kind], count );
		}
	}
	supDestroyFlesh( flesh );
	supDestroyFlesh( skinned );
	supDestroyCharacter( character );
	if ( crowd.csv != NULL )
	{
		fclose( crowd.csv );
	}
	return 0;
}
