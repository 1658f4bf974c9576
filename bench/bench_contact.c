// SPDX-License-Identifier: MIT
// Detection of contacts between skins: the paper's deer with a bird on its back, and at a walk with itself; the cost
// against the area of contact and against the number of characters, with both narrow phases.
#include "bench.h"

#include "contact/detector.h"
#include "core/core.h"
#include "models/models.h"
#include "supple/character.h"

#include <math.h>

#define ROUNDS 9
#define SECONDS 0.05
#define MOST_BODIES 256
#define AREAS 6
#define CROWDS 4

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

static supVec3* AllocatePositions( int32_t count )
{
	supVec3* positions = malloc( (size_t)count * sizeof( supVec3 ) );
	benchRequire( positions != NULL, &( supError ){ .message = "out of memory" } );
	return positions;
}

// A negative scale turns it by half about z, feet up.
static supVec3 Place( supVec3 rest, float scale, supVec3 by )
{
	return supAdd( by, supMul( rest, supMakeVec3( scale, scale, fabsf( scale ) ) ) );
}

static supVec3* CopyPositions( const supContactSkin* skin, float scale, supVec3 by )
{
	supVec3* positions = AllocatePositions( skin->vertexCount );
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

static void PlaceSecond( Stage* stage, const supContactSkin* bird, float scale, supVec3 place )
{
	for ( int32_t v = 0; v < bird->vertexCount; ++v )
	{
		stage->positions[1][v] = Place( bird->rest[v], scale, place );
		stage->previous[1][v] = supAdd( stage->positions[1][v], supMakeVec3( 0.0f, 0.001f, 0.0f ) );
	}
	Detect( stage );
}

// Lets the bird sink until as many vertices penetrate as in the paper: by millimetres until there are as many, and then
// by halves of the last one.
static void SinkBird( Stage* stage, const supContactSkin* bird, float scale, supVec3 place, int32_t contacts )
{
	const float step = 0.001f;
	PlaceSecond( stage, bird, scale, place );
	for ( int32_t i = 0; i < 1000 && CountDeep( stage ) < contacts; ++i )
	{
		place.y -= step;
		PlaceSecond( stage, bird, scale, place );
	}
	float above = place.y + step, below = place.y;
	for ( int32_t i = 0; i < 12 && CountDeep( stage ) != contacts; ++i )
	{
		place.y = 0.5f * ( above + below );
		PlaceSecond( stage, bird, scale, place );
		above = CountDeep( stage ) < contacts ? place.y : above;
		below = CountDeep( stage ) < contacts ? below : place.y;
	}
}

// On its back, which is round.
static supVec3 AddDeerAndBird( Stage* stage, const supContactSkin* deer, const supContactSkin* bird, float* scale )
{
	*scale = -0.7f * deer->size / bird->size;
	supVec3 place = { 0.0f, TopOf( deer, 0.0f ) - *scale * bird->size, 0.0f };
	AddBody( stage, deer, 1.0f, supVec3_zero, false );
	AddBody( stage, bird, *scale, place, false );
	stage->settings = ( supDetectorSettings ){ .margin = 0.005f, .depth = 0.02f };
	Open( stage );
	return place;
}

static void MeasureDeer( FILE* csv, const PaperDeer* paper, const supContactSkin* bird )
{
	static Stage stage;
	supContactSkin deer = { 0 };
	MakeSkin( &deer, paper->model );
	float scale;
	supVec3 place = AddDeerAndBird( &stage, &deer, bird, &scale );
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
				printf( "%-24s  %7d  %8.3f  %6.1f  %6.1f  %8d  %8d  %5d  %8d\n", name, threads, milliseconds,
						paper->target, paper->milliseconds, CountDeep( &stage ), paper->contacts, stage.hitCount,
						stats.clusters );
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
// A deer at a walk, with itself alone

static void SkinPose( const supCharacter* character, supPose* pose, const supContactSkin* skin, supVec3* array )
{
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
		supVec3* all = AllocatePositions( count );
		supSkinInstance( pose, i, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = all } );
		for ( int32_t v = 0; v < skin->vertexCount; ++v )
		{
			array[v] = skin->instances[v] == i ? all[skin->sources[v]] : array[v];
		}
		free( all );
	}
}

static void MeasureWalk( FILE* csv, const char* model )
{
	static Stage stage;
	supError error = { 0 };
	supContactSkin skin = { 0 };
	supCharacter* character = MakeModel( model );
	supPose* pose = supCreatePose( character );
	benchRequire( pose != NULL && supContactSkin_Init( &skin, character, NULL, &error ), &error );
	AddBody( &stage, &skin, 1.0f, supVec3_zero, true );
	stage.settings = ( supDetectorSettings ){ .margin = 0.005f, .depth = 0.02f };
	Open( &stage );
	for ( int32_t k = 0; k < 2; ++k )
	{
		supPose_SetRest( pose );
		supPose_ApplyClip( pose, supCharacter_FindClip( character, "walk" ), 0.3f - (float)k / 120.0f );
		SkinPose( character, pose, &skin, k == 0 ? stage.positions[0] : stage.previous[0] );
	}
	for ( int threads = 1; threads <= 2; ++threads )
	{
		double milliseconds = Time( &stage, Detect, threads );
		char name[64];
		snprintf( name, sizeof( name ), "%s, walking, self", model );
		printf( "%-24s  %7d  %8.3f  %6s  %6s  %8d  %8s  %5d  %8d\n", name, threads, milliseconds, "", "",
				CountDeep( &stage ), "", stage.hitCount, supDetector_Stats( stage.detector ).clusters );
		benchWriteCsv( csv, "contact", name, threads, milliseconds, "ms" );
	}
	Close( &stage );
	supContactSkin_Destroy( &skin );
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Area of contact, number of characters

// The bird on the back of the finest deer, deeper and deeper.
static void MeasureArea( FILE* csv, const supContactSkin* deer, const supContactSkin* bird )
{
	static Stage stage;
	const int32_t contacts[AREAS] = { 10, 20, 40, 80, 160, 320 };
	double x[AREAS], times[2][AREAS];
	float scale;
	supVec3 place = AddDeerAndBird( &stage, deer, bird, &scale );
	printf( "\nThe bird sinks into a deer of 8408, one thread\n%8s  %8s  %10s  %10s\n", "contacts", "hits", "exact ms",
			"maps ms" );
	for ( int32_t i = 0; i < AREAS; ++i )
	{
		stage.settings.narrow = sup_narrowExact;
		SinkBird( &stage, bird, scale, place, contacts[i] );
		x[i] = CountDeep( &stage );
		int32_t hits = stage.hitCount;
		for ( int phase = 0; phase < 2; ++phase )
		{
			stage.settings.narrow = (supNarrowPhase)phase;
			times[phase][i] = Time( &stage, Detect, 1 );
			benchWritePoint( csv, "contact_area", s_phases[phase], 1, x[i], "contacts", times[phase][i], "ms" );
		}
		printf( "%8.0f  %8d  %10.3f  %10.3f\n", x[i], hits, times[0][i], times[1][i] );
	}
	for ( int phase = 0; phase < 2; ++phase )
	{
		printf( "   %s: slope %.2f, %.2f us for each contact more\n", s_phases[phase],
				benchFitSlope( x, times[phase], AREAS ),
				1000.0 * ( times[phase][AREAS - 1] - times[phase][0] ) / ( x[AREAS - 1] - x[0] ) );
	}
	Close( &stage );
}

// How high the second of two is above the first where 20 vertices penetrate.
static float StackPair( Stage* stage, const supContactSkin* skin, float height )
{
	AddBody( stage, skin, 1.0f, supVec3_zero, false );
	AddBody( stage, skin, 1.0f, supVec3_zero, false );
	stage->settings = ( supDetectorSettings ){ .margin = 0.005f, .depth = 0.02f };
	Open( stage );
	do
	{
		height -= 0.001f;
		PlaceSecond( stage, skin, 1.0f, supMakeVec3( 0.0f, height, 0.0f ) );
	} while ( CountDeep( stage ) < 20 && height > 0.0f );
	Close( stage );
	return height;
}

// Pairs, one lying upon the other, so that each has as much to do in a small crowd as in a large one.
static void MeasureCrowd( FILE* csv, const supContactSkin* snake )
{
	static Stage stage;
	double x[CROWDS], times[2][2][CROWDS];
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < snake->vertexCount; ++i )
	{
		box = supBox_Include( box, snake->rest[i] );
	}
	supVec3 size = supBox_Size( box );
	float height = StackPair( &stage, snake, size.y );
	printf( "\nPairs of snakes\n%8s  %8s  %9s  %9s  %9s  %9s  %12s\n", "snakes", "hits", "exact, 1", "2 threads",
			"maps, 1", "2 threads", "us a snake" );
	for ( int32_t n = 0; n < CROWDS; ++n )
	{
		int32_t side = 2 << n, count = side * side, hits = 0;
		for ( int32_t i = 0; i < count; ++i )
		{
			float column = (float)( i / 2 % side ), row = (float)( i / 2 / side );
			supVec3 place = { 1.2f * column * size.x, (float)( i % 2 ) * height, 1.2f * row * size.z };
			AddBody( &stage, snake, 1.0f, place, false );
		}
		stage.settings = ( supDetectorSettings ){ .margin = 0.005f, .depth = 0.02f };
		Open( &stage );
		x[n] = count;
		for ( int k = 0; k < 4; ++k )
		{
			int phase = k / 2, threads = k % 2 + 1;
			stage.settings.narrow = (supNarrowPhase)phase;
			times[phase][threads - 1][n] = Time( &stage, Detect, threads );
			hits = k == 0 ? stage.hitCount : hits;
			benchWritePoint( csv, "contact_crowd", s_phases[phase], threads, count, "characters",
							 times[phase][threads - 1][n], "ms" );
		}
		printf( "%8d  %8d  %9.3f  %9.3f  %9.3f  %9.3f  %12.1f\n", count, hits, times[0][0][n], times[0][1][n],
				times[1][0][n], times[1][1][n], 1000.0 * times[0][0][n] / count );
		Close( &stage );
	}
	printf( "   slope: exact %.2f, maps %.2f\n", benchFitSlope( x, times[0][0], CROWDS ),
			benchFitSlope( x, times[1][0], CROWDS ) );
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	char processor[128];
	benchProcessor( processor );
	printf( "%s, %s, median of %d rounds, milliseconds\n\n", processor, benchInstructionSet(), ROUNDS );
	printf( "%-24s  %7s  %8s  %6s  %6s  %8s  %8s  %5s  %8s\n", "a bird on a deer", "threads", "ms", "target", "paper",
			"contacts", "paper's", "hits", "clusters" );
	supContactSkin bird = { 0 }, deer = { 0 }, snake = { 0 };
	MakeSkin( &bird, "bloat" );
	for ( int32_t i = 0; i < 3; ++i )
	{
		MeasureDeer( csv, s_deers + i, &bird );
	}
	for ( int32_t i = 0; i < 3; ++i )
	{
		MeasureWalk( csv, s_deers[i].model );
	}
	MakeSkin( &deer, "deer8408" );
	MeasureArea( csv, &deer, &bird );
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
