// SPDX-License-Identifier: MIT
// Crowds of `position` on a device: milliseconds a frame over the number of characters, by stage, and what baking
// gains.
//
// GPU_DEVICE as for supOpenDevice ("gpu"), GPU_SECONDS a measurement (1), GPU_MOST characters (1000), GPU_FRAMES before
// the second comparison (100), GPU_THREADS (2), GPU_SIZES 1 for the curve over particles (0). Curves go to the CSV file
// that is named.
//
// Every size first compares some actors with a scene on the CPU, bit for bit.
#include "bench.h"

#include "core/clock.h"
#include "core/core.h"
#include "method/position/position.h"
#include "models/models.h"
#include "supple/device.h"
#include "supple/scene.h"

#include <string.h>

#define DT ( 1.0f / 60.0f )
#define COMPARED 4
#define LARGEST_CROWD 16384

typedef struct Crowd
{
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	int32_t count;
	supActor* actors[LARGEST_CROWD];
} Crowd;

static FILE* s_csv;
static int32_t s_workers;

// A point of each stage's curve.
static void WriteStages( const char* plot, double x, const char* xUnit, const double milliseconds[5] )
{
	static const char* names[5] = { "whole frame", "predict", "constraints", "finish", "surface" };
	for ( int32_t i = 0; i < 5; ++i )
	{
		benchWritePoint( s_csv, plot, names[i], s_workers, x, xUnit, milliseconds[i], "ms" );
	}
}

static void Fail( const char* what, const supError* error )
{
	fprintf( stderr, "%s: %s\n", what, error->message );
	exit( 1 );
}

static supScene* MakeScene( supDevice* device, const supTasks* tasks )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.guard = false;
	def.sleeping = false;
	def.device = device;
	def.tasks = tasks;
	supScene* scene = supCreateScene( &def, &error );
	if ( scene == NULL )
	{
		Fail( "scene", &error );
	}
	return scene;
}

// Each in a pose of its own.
static supActor* AddActor( supScene* scene, const supFlesh* flesh, int32_t index )
{
	supError error = { 0 };
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	if ( actor == NULL )
	{
		Fail( "actor", &error );
	}
	const supCharacter* character = supFlesh_Character( flesh );
	supPlayDef play = supDefaultPlayDef( supCharacter_Clip( character, index % supCharacter_ClipCount( character ) ) );
	play.time = 0.037f * (float)( index % 1000 );
	supActor_Play( actor, &play );
	return actor;
}

static void BuildFlesh( Crowd* crowd, const char* model, float tets )
{
	supError error = { 0 };
	supSetting setting = { "tets", tets };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodPosition;
	def.settings = &setting;
	def.settingCount = 1;
	crowd->character = supFindModel( model )->create( &error );
	crowd->flesh = crowd->character != NULL ? supBuildFlesh( crowd->character, &def, NULL, &error ) : NULL;
	if ( crowd->flesh == NULL )
	{
		Fail( model, &error );
	}
}

static int32_t CountVertices( const supCharacter* character )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		count += supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
	}
	return count;
}

// Values of all surfaces that differ between the first actors of two scenes.
static int64_t CountDifferences( const Crowd* crowd, supActor* const* others, int32_t count, double* largest )
{
	int64_t differences = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		for ( int32_t k = 0; k < supCharacter_InstanceCount( crowd->character ); ++k )
		{
			int32_t instance = supCharacter_Instance( crowd->character, k )->mesh;
			int32_t vertices = supCharacter_Mesh( crowd->character, instance )->vertexCount;
			const float* a = &supActor_Positions( crowd->actors[i], k )->x;
			const float* b = &supActor_Positions( others[i], k )->x;
			for ( int32_t n = 0; n < 3 * vertices; ++n )
			{
				double d = (double)a[n] - (double)b[n];
				differences += memcmp( a + n, b + n, sizeof( float ) ) != 0;
				*largest = d > *largest ? d : ( -d > *largest ? -d : *largest );
			}
		}
	}
	return differences;
}

// Frames on the device and on the CPU, from the start.
static void Compare( Crowd* crowd, const char* name, const supTasks* tasks, int32_t frames )
{
	supScene* host = MakeScene( NULL, tasks );
	supActor* others[COMPARED];
	int32_t count = crowd->count < COMPARED ? crowd->count : COMPARED;
	double largest = 0.0;
	for ( int32_t i = 0; i < count; ++i )
	{
		others[i] = AddActor( host, crowd->flesh, i );
	}
	for ( int32_t i = 0; i < frames; ++i )
	{
		supScene_Step( host, DT );
		supScene_Step( crowd->scene, DT );
	}
	int64_t differences = CountDifferences( crowd, others, count, &largest );
	printf( "compare,%s,%d actors,%d frames,%lld floats differ,largest %.3g m\n", name, count, frames,
			(long long)differences, largest );
	supDestroyScene( host );
}

// - plot: NULL for none; over characters where `x` is 0
static void Measure( Crowd* crowd, const char* name, double seconds, const char* plot, double x )
{
	for ( int32_t i = 0; i < 3; ++i )
	{
		supScene_Step( crowd->scene, DT );
	}
	supDeviceStats before = supScene_GetDeviceStats( crowd->scene );
	supSceneStats hostBefore = supScene_GetStats( crowd->scene );
	double start = supGetMilliseconds(), best = 1e30, end = start;
	int32_t frames = 0;
	while ( frames < 5 || ( end - start < 1e3 * seconds && frames < 300 ) )
	{
		double frame = supGetMilliseconds();
		supScene_Step( crowd->scene, DT );
		end = supGetMilliseconds();
		best = end - frame < best ? end - frame : best;
		frames += 1;
	}
	supDeviceStats after = supScene_GetDeviceStats( crowd->scene );
	supSceneStats hostAfter = supScene_GetStats( crowd->scene );
	double n = frames;
	double predict = ( after.predict - before.predict ) / n, solve = ( after.solve - before.solve ) / n;
	double finish = ( after.finish - before.finish ) / n, surface = ( after.surface - before.surface ) / n;
	double total = predict + solve + finish + surface;
	if ( plot != NULL )
	{
		double stages[5] = { total, predict, solve, finish, surface };
		WriteStages( plot, x > 0.0 ? x : crowd->count, x > 0.0 ? "particles" : "characters", stages );
	}
	printf( "frame,%s,%d,%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.0f\n", name, crowd->count, after.actors, total,
			predict, solve, finish, surface, ( end - start ) / n, best,
			( hostAfter.milliseconds.poses - hostBefore.milliseconds.poses ) / n,
			total > 0.0 ? 16.6 * crowd->count / total : 0.0 );
	const supError* error = supScene_GetDeviceError( crowd->scene );
	if ( error != NULL )
	{
		printf( "error,%s,%s\n", name, error->message );
	}
	fflush( stdout );
}

// Positions of all actors into memory at 30 frames a second, in steps of 1/60 s.
static void MeasureBake( Crowd* crowd, const char* name, int32_t frames )
{
	double start = supGetMilliseconds(), sum = 0.0;
	for ( int32_t i = 0; i < frames; ++i )
	{
		supScene_Step( crowd->scene, DT );
		supScene_Step( crowd->scene, DT );
		for ( int32_t k = 0; k < crowd->count; ++k )
		{
			sum += (double)supActor_Positions( crowd->actors[k], 0 )->x;
		}
	}
	double ms = supGetMilliseconds() - start;
	printf( "bake,%s,%d clips,%d frames,%.1f ms,%.4f ms a character and frame,check %.6f\n", name, crowd->count, frames,
			ms, ms / ( (double)crowd->count * frames ), sum );
	fflush( stdout );
}

static void Soak( Crowd* crowd, const char* name, int32_t frames, const supTasks* tasks )
{
	int32_t left = frames;
	double start = supGetMilliseconds();
	while ( left-- > 0 )
	{
		supScene_Step( crowd->scene, DT );
	}
	supTrouble trouble = supScene_GetStats( crowd->scene ).trouble;
	printf( "soak,%s,%d actors,%d frames,%.1f s,%lld not finite,%d on the device\n", name, crowd->count, frames,
			1e-3 * ( supGetMilliseconds() - start ), (long long)trouble.notFinite,
			supScene_GetDeviceStats( crowd->scene ).actors );
	// what the device has after all that goes on with the same bits on the CPU
	supScene* host = MakeScene( NULL, tasks );
	supActor* others[COMPARED];
	int32_t count = crowd->count < COMPARED ? crowd->count : COMPARED;
	for ( int32_t i = 0; i < count; ++i )
	{
		size_t size = supActor_StateSize( crowd->actors[i] );
		void* bytes = malloc( size );
		float time = supActor_PlayTime( crowd->actors[i] );
		others[i] = AddActor( host, crowd->flesh, i );
		supActor_SaveState( crowd->actors[i], bytes );
		supActor_RestoreState( others[i], bytes );
		supPlayDef play =
			supDefaultPlayDef( supCharacter_Clip( crowd->character, i % supCharacter_ClipCount( crowd->character ) ) );
		play.time = time;
		supActor_Play( others[i], &play );
		free( bytes );
	}
	for ( int32_t i = 0; i < 60; ++i )
	{
		supScene_Step( host, DT );
		supScene_Step( crowd->scene, DT );
	}
	double largest = 0.0;
	int64_t differences = CountDifferences( crowd, others, count, &largest );
	printf( "soak compare,%s,%d actors,60 frames after it,%lld floats differ,largest %.3g m\n", name, count,
			(long long)differences, largest );
	supDestroyScene( host );
	fflush( stdout );
}

static void Grow( Crowd* crowd, int32_t count )
{
	while ( crowd->count < count )
	{
		crowd->actors[crowd->count] = AddActor( crowd->scene, crowd->flesh, crowd->count );
		crowd->count += 1;
	}
}

static void RunModel( const char* name, const char* model, float tets, supDevice* device, const supTasks* tasks,
					  double seconds, int32_t most, int32_t soakFrames )
{
	static const int32_t counts[] = { 1, 8, 132, 528, 1000, 2112, 5000, 8000, 10000 };
	static Crowd crowd;
	crowd = ( Crowd ){ 0 };
	BuildFlesh( &crowd, model, tets );
	crowd.scene = MakeScene( device, tasks );
	int64_t fleshBytes, actorBytes;
	supFlesh_GetDeviceMemory( crowd.flesh, &fleshBytes, &actorBytes );
	printf( "body,%s,%d vertices,%.2f MB flesh,%.3f MB an actor\n", name, CountVertices( crowd.character ),
			(double)fleshBytes / 1e6, (double)actorBytes / 1e6 );
	printf( "frame,name,characters,on device,device ms,predict,solve,finish,surface,step ms,best step ms,poses "
			"ms,characters in 16.6 ms of device time\n" );
	Grow( &crowd, COMPARED );
	Compare( &crowd, name, tasks, 60 );
	supDestroyScene( crowd.scene );
	crowd.scene = MakeScene( device, tasks );
	crowd.count = 0;
	for ( int32_t i = 0; i < SUP_COUNT( counts ) && counts[i] <= most; ++i )
	{
		Grow( &crowd, counts[i] );
		Measure( &crowd, name, seconds, tets > 10000.0f ? "gpu_characters" : NULL, 0.0 );
		if ( counts[i] == 1000 )
		{
			MeasureBake( &crowd, name, 60 );
			Soak( &crowd, name, soakFrames, tasks );
		}
	}
	supDestroyScene( crowd.scene );
	// the same frames on the CPU
	crowd.scene = MakeScene( NULL, tasks );
	crowd.count = 0;
	Grow( &crowd, 16 );
	MeasureBake( &crowd, "CPU", 20 );
	supDestroyScene( crowd.scene );
	supDestroyFlesh( crowd.flesh );
	supDestroyCharacter( crowd.character );
}

// 528 characters, four for each of an H200's multiprocessors, over the size of the body.
static void RunSizes( supDevice* device, const supTasks* tasks, double seconds )
{
	static const float sizes[] = { 500.0f, 1000.0f, 2000.0f, 4000.0f, 8000.0f, 13180.0f, 24000.0f };
	static Crowd crowd;
	for ( int32_t i = 0; i < SUP_COUNT( sizes ); ++i )
	{
		crowd = ( Crowd ){ 0 };
		BuildFlesh( &crowd, "bunny", sizes[i] );
		crowd.scene = MakeScene( device, tasks );
		Grow( &crowd, 528 );
		char name[32];
		snprintf( name, sizeof( name ), "%.0f tets", (double)sizes[i] );
		const supPositionFlesh* flesh = crowd.flesh->own;
		Measure( &crowd, name, seconds, "gpu_particles", flesh->particleCount );
		supDestroyScene( crowd.scene );
		supDestroyFlesh( crowd.flesh );
		supDestroyCharacter( crowd.character );
	}
}

static double ReadSetting( const char* name, double standard )
{
	const char* text = getenv( name );
	return text != NULL ? atof( text ) : standard;
}

int main( int argc, char** argv )
{
	const char* name = getenv( "GPU_DEVICE" ) != NULL ? getenv( "GPU_DEVICE" ) : "gpu";
	double seconds = ReadSetting( "GPU_SECONDS", 1.0 );
	int32_t most = (int32_t)ReadSetting( "GPU_MOST", 1000 );
	int32_t soakFrames = (int32_t)ReadSetting( "GPU_FRAMES", 100 );
	int32_t workers = (int32_t)ReadSetting( "GPU_THREADS", 2 );
	supError error = { 0 };
	supDevice* device = supOpenDevice( name, &error );
	if ( device == NULL )
	{
		printf( "skipped: %s: %s\n", name, error.message );
		return 0;
	}
	const supDeviceInfo* info = supDevice_GetInfo( device );
	printf( "device,%s,%s,%s,%d units,%.1f GB,%lld local\n", info->name, info->platform, info->driver,
			info->computeUnits, (double)info->memory / 1e9, (long long)info->localMemory );
	s_csv = benchOpenCsv( argc, argv );
	s_workers = workers;
	supThreadPool* pool = supCreateThreadPool( workers );
	if ( pool == NULL )
	{
		Fail( "threads", &error );
	}
	const supTasks* tasks = supThreadPool_Tasks( pool );
	RunModel( "BIGBUNNYHQ", "bunny", 13180.0f, device, tasks, seconds, most, soakFrames );
	RunModel( "bunny", "bunny", 8000.0f, device, tasks, seconds, most < 1000 ? most : 1000, 0 );
	if ( ReadSetting( "GPU_SIZES", 0.0 ) > 0.0 )
	{
		RunSizes( device, tasks, seconds );
	}
	supDestroyThreadPool( pool );
	supCloseDevice( device );
	if ( s_csv != NULL )
	{
		fclose( s_csv );
	}
	return 0;
}
