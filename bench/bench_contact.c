// SPDX-License-Identifier: MIT
// Detection of contacts between skins: the paper's deer with a bird on its back, the cost against the area of contact
// and against the number of characters, with both narrow phases; and the parts of it.
#include "bench.h"

#include "contact/detector.h"
#include "core/core.h"
#include "models/models.h"
#include "supple/character.h"

#include <math.h>

#define ROUNDS 9
#define SECONDS 0.05
#define MOST_BODIES 64

// Table 1 of the paper: 34 bones, Pentium 4 at 3.4 GHz and GeForce 7800 GTX.
typedef struct PaperDeer
{
	const char* model;
	int32_t nodes;
	int32_t contacts;
	double milliseconds;
	double target;
} PaperDeer;

static const PaperDeer s_deers[3] = {
	{ "deer1748", 1748, 13, 6.1, 0.0 },
	{ "deer", 2755, 41, 10.8, 0.5 },
	{ "deer8408", 8408, 162, 41.1, 1.5 },
};

typedef struct Stage
{
	int32_t bodyCount;
	supContactSkin skins[MOST_BODIES];
	const supContactSkin* pointers[MOST_BODIES];
	supVec3* positions[MOST_BODIES];
	supVec3* previous[MOST_BODIES];
	supContactBody bodies[MOST_BODIES];
	supDetector* detector;
	supDetectorSettings settings;
	const supTasks* tasks;
	int32_t hitCount;
	const supContactHit* hits;
} Stage;

static supCharacter* MakeModel( const char* name )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( name )->create( &error );
	benchRequire( character != NULL, &error );
	return character;
}

static void MakeSkin( supContactSkin* skin, const char* name )
{
	supError error = { 0 };
	supCharacter* character = MakeModel( name );
	benchRequire( supContactSkin_Init( skin, character, NULL, &error ), &error );
	supDestroyCharacter( character );
}

// A negative scale turns it by half about z, feet up.
static supVec3 Place( supVec3 rest, float scale, supVec3 by )
{
	return supAdd( by, supMul( rest, supMakeVec3( scale, scale, fabsf( scale ) ) ) );
}

static supVec3* CopyPositions( const supContactSkin* skin, float scale, supVec3 by )
{
	supVec3* positions = malloc( (size_t)skin->vertexCount * sizeof( supVec3 ) );
	benchRequire( positions != NULL, &( supError ){ .message = "out of memory" } );
	for ( int32_t i = 0; i < skin->vertexCount; ++i )
	{
		positions[i] = Place( skin->rest[i], scale, by );
	}
	return positions;
}

// Each moves by a millimetre, as in a slow walk at 60 Hz with two substeps.
static int32_t AddBody( Stage* stage, const supContactSkin* skin, float scale, supVec3 by, bool self )
{
	int32_t i = stage->bodyCount++;
	stage->pointers[i] = skin;
	stage->positions[i] = CopyPositions( skin, scale, by );
	stage->previous[i] = CopyPositions( skin, scale, supAdd( by, supMakeVec3( 0.0f, 0.001f, 0.0f ) ) );
	stage->bodies[i] = ( supContactBody ){ stage->positions[i], stage->previous[i], self };
	return i;
}

static void Open( Stage* stage )
{
	supError error = { 0 };
	stage->detector = supCreateDetector( stage->pointers, stage->bodyCount, 0, &error );
	benchRequire( stage->detector != NULL, &error );
}

static void Close( Stage* stage )
{
	supDestroyDetector( stage->detector );
	for ( int32_t i = 0; i < stage->bodyCount; ++i )
	{
		free( stage->positions[i] );
		free( stage->previous[i] );
	}
	stage->bodyCount = 0;
}

static void Update( void* context )
{
	Stage* stage = context;
	supDetector_Update( stage->detector, stage->bodies, stage->tasks );
}

static void Detect( void* context )
{
	Stage* stage = context;
	supDetector_Update( stage->detector, stage->bodies, stage->tasks );
	stage->hitCount = supDetector_Run( stage->detector, &stage->settings, stage->tasks, &stage->hits );
}

static double Time( Stage* stage, benchFcn* function, int threads )
{
	supThreadPool* pool = threads > 1 ? supCreateThreadPool( threads ) : NULL;
	stage->tasks = pool != NULL ? supThreadPool_Tasks( pool ) : NULL;
	double seconds = benchTime( function, stage, ROUNDS, SECONDS );
	stage->tasks = NULL;
	supDestroyThreadPool( pool );
	return 1000.0 * seconds;
}

static int32_t CountDeep( const Stage* stage )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < stage->hitCount; ++i )
	{
		count += stage->hits[i].gap < 0.0f;
	}
	return count;
}

static const char* const s_phases[2] = { "exact", "maps" };

// ---------------------------------------------------------------------------------------------------------------------
// The paper's deer

static float TopOf( const supContactSkin* skin, float z )
{
	float top = 0.0f;
	for ( int32_t i = 0; i < skin->vertexCount; ++i )
	{
		supVec3 p = skin->rest[i];
		top = fabsf( p.x ) < 0.05f && fabsf( p.z - z ) < 0.05f ? supMaxFloat( top, p.y ) : top;
	}
	return top;
}

// Lets the bird sink until as many vertices penetrate as in the paper, or by three centimetres from where it first
// touches.
static void SinkBird( Stage* stage, const supContactSkin* bird, float scale, supVec3 place, int32_t contacts )
{
	for ( int32_t i = 0, touching = 0; i < 600 && touching < 30; ++i )
	{
		Detect( stage );
		if ( CountDeep( stage ) >= contacts )
		{
			break;
		}
		touching += stage->hitCount > 0;
		place.y -= 0.001f;
		for ( int32_t v = 0; v < bird->vertexCount; ++v )
		{
			stage->positions[1][v] = Place( bird->rest[v], scale, place );
			stage->previous[1][v] = supAdd( stage->positions[1][v], supMakeVec3( 0.0f, 0.001f, 0.0f ) );
		}
	}
}

static void MeasureDeer( FILE* csv, const PaperDeer* paper, const supContactSkin* bird )
{
	static Stage stage;
	supContactSkin deer = { 0 };
	MakeSkin( &deer, paper->model );
	// on its back, which is round
	float scale = -0.7f * deer.size / bird->size;
	supVec3 place = { 0.0f, TopOf( &deer, 0.0f ) - scale * bird->size, 0.0f };
	AddBody( &stage, &deer, 1.0f, supVec3_zero, false );
	AddBody( &stage, bird, scale, place, false );
	stage.settings = ( supDetectorSettings ){ .margin = 0.005f, .depth = 0.02f };
	Open( &stage );
	SinkBird( &stage, bird, scale, place, paper->contacts );
	for ( int phase = 0; phase < 2; ++phase )
	{
		stage.settings.narrow = (supNarrowPhase)phase;
		for ( int threads = 1; threads <= 2; ++threads )
		{
			for ( int self = 0; self < 2; ++self )
			{
				stage.bodies[0].self = self == 1;
				double milliseconds = Time( &stage, Detect, threads );
				supDetectorStats stats = supDetector_Stats( stage.detector );
				char name[64];
				snprintf( name, sizeof( name ), "%s, %s%s", paper->model, s_phases[phase], self ? ", self" : "" );
				printf( "%-24s  %7d  %8.3f  %6.1f  %8d  %5d  %8d\n", name, threads, milliseconds, paper->milliseconds,
						CountDeep( &stage ), stage.hitCount, stats.clusters );
				benchWriteCsv( csv, "contact", name, threads, milliseconds, "ms" );
			}
		}
	}
	double milliseconds = Time( &stage, Update, 1 );
	printf( "%-24s  %7d  %8.3f\n", "  of it: update", 1, milliseconds );
	benchWriteCsv( csv, "contact", "update", 1, milliseconds, "ms" );
	Close( &stage );
	supContactSkin_Destroy( &deer );
}

// ---------------------------------------------------------------------------------------------------------------------
// Area of contact, number of characters

static void MeasureArea( FILE* csv, const supContactSkin* deer )
{
	static Stage stage;
	AddBody( &stage, deer, 1.0f, supVec3_zero, false );
	AddBody( &stage, deer, 1.0f, supVec3_zero, false );
	stage.settings = ( supDetectorSettings ){ .margin = 0.005f, .depth = 0.02f };
	Open( &stage );
	printf( "\nTwo deer of 8408, side by side, nearer and nearer\n%8s  %8s  %10s  %10s\n", "metres", "hits", "exact ms",
			"maps ms" );
	for ( int32_t i = 0; i < 6; ++i )
	{
		float apart = 0.30f - 0.05f * (float)i;
		for ( int32_t v = 0; v < deer->vertexCount; ++v )
		{
			stage.positions[1][v] = supAdd( deer->rest[v], supMakeVec3( apart, 0.0f, 0.0f ) );
			stage.previous[1][v] = stage.positions[1][v];
		}
		double times[2];
		int32_t hits = 0;
		for ( int phase = 0; phase < 2; ++phase )
		{
			stage.settings.narrow = (supNarrowPhase)phase;
			times[phase] = Time( &stage, Detect, 1 );
			hits = phase == 0 ? stage.hitCount : hits;
			char name[64];
			snprintf( name, sizeof( name ), "%.2f m apart, %s, %d hits", (double)apart, s_phases[phase], hits );
			benchWriteCsv( csv, "contact", name, 1, times[phase], "ms" );
		}
		printf( "%8.2f  %8d  %10.3f  %10.3f\n", (double)apart, hits, times[0], times[1] );
	}
	Close( &stage );
}

static void MeasureCrowd( FILE* csv, const supContactSkin* snake )
{
	static Stage stage;
	printf( "\nSnakes in a square, each touching its neighbours\n%8s  %8s  %10s  %10s  %12s\n", "snakes", "hits",
			"1 thread", "2 threads", "us a snake" );
	for ( int32_t side = 1; side <= 8; side *= 2 )
	{
		int32_t count = side * side;
		for ( int32_t i = 0; i < count; ++i )
		{
			float pitch = 0.45f * snake->size;
			supVec3 place = { pitch * (float)( i % side ), 0.01f * (float)( i % 3 ), pitch * (float)( i / side ) };
			AddBody( &stage, snake, 1.0f, place, false );
		}
		stage.settings = ( supDetectorSettings ){ .margin = 0.005f, .depth = 0.02f };
		Open( &stage );
		double times[2] = { Time( &stage, Detect, 1 ), Time( &stage, Detect, 2 ) };
		printf( "%8d  %8d  %10.3f  %10.3f  %12.1f\n", count, stage.hitCount, times[0], times[1],
				1000.0 * times[0] / count );
		char name[64];
		snprintf( name, sizeof( name ), "%d snakes", count );
		benchWriteCsv( csv, "contact", name, 1, times[0], "ms" );
		benchWriteCsv( csv, "contact", name, 2, times[1], "ms" );
		Close( &stage );
	}
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	char processor[128];
	benchProcessor( processor );
	printf( "%s, %s, median of %d rounds, milliseconds\n\n", processor, benchInstructionSet(), ROUNDS );
	printf( "%-24s  %7s  %8s  %6s  %8s  %5s  %8s\n", "a bird on a deer", "threads", "ms", "paper", "contacts", "hits",
			"clusters" );
	supContactSkin bird = { 0 }, deer = { 0 }, snake = { 0 };
	MakeSkin( &bird, "bloat" );
	for ( int32_t i = 0; i < 3; ++i )
	{
		MeasureDeer( csv, s_deers + i, &bird );
	}
	MakeSkin( &deer, "deer8408" );
	MeasureArea( csv, &deer );
	MakeSkin( &snake, "snake" );
	MeasureCrowd( csv, &snake );
	supContactSkin_Destroy( &bird );
	supContactSkin_Destroy( &deer );
	supContactSkin_Destroy( &snake );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
