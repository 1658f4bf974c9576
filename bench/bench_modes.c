// SPDX-License-Identifier: MIT
// bench_modes [RESULTS.csv]: the method `modes` by its parts. A step of the walking bunny over numbers of modes: the
// reduced step, corners and frames from it, the surface; processor time of one thread, the least of many rounds. Then a
// crowd of 1000, stepped by two threads.
#include "bench.h"

#include "core/tasks.h"
#include "method/modes/modes.h"
#include "models/models.h"
#include "supple/supple.h"

#define POSES 66
#define ROUNDS 12
#define CROWD 1000

typedef struct Stage
{
	const supFlesh* flesh;
	supPose* poses[POSES];
	void* state;
	supTrouble trouble;
} Stage;

static void* MakeState( const supFlesh* flesh, supPose* pose )
{
	size_t size = ( supModes_StateSize( flesh->own ) + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
	void* state = aligned_alloc( SUP_CACHE_LINE, size );
	supModes_Reset( flesh->own, state, pose, NULL );
	return state;
}

static supSubstep MakeStep( Stage* stage, int32_t pose )
{
	const supFlesh* flesh = stage->flesh;
	return ( supSubstep ){ .pose = stage->poses[pose],
						   .dt = 1.0f / 60.0f,
						   .trouble = &stage->trouble,
						   .parameters = flesh->parameters,
						   .regions = flesh->regions,
						   .regionCount = flesh->regionCount,
						   .gravity = { 0.0f, -9.81f, 0.0f },
						   .isBetween = true };
}

typedef struct Times
{
	double step, place, surface; // milliseconds
} Times;

static void Keep( double* least, double seconds )
{
	double milliseconds = 1e3 * seconds / POSES;
	*least = milliseconds < *least ? milliseconds : *least;
}

static void PlayRound( Stage* stage, supSkinOutput* output, Times* times )
{
	double start = benchProcessorNow();
	for ( int32_t i = 0; i < POSES; ++i )
	{
		supSubstep step = MakeStep( stage, i );
		supModes_Predict( stage->flesh->own, stage->state, &step );
		supModes_Finish( stage->flesh->own, stage->state, &step );
	}
	Keep( &times->step, benchProcessorNow() - start );
	start = benchProcessorNow();
	for ( int32_t i = 0; i < POSES; ++i )
	{
		supModesFlesh_View( stage->flesh->own, stage->state ).header->isPlaced = 0;
		supModes_Frame( stage->flesh->own, stage->state, NULL );
	}
	Keep( &times->place, benchProcessorNow() - start );
	start = benchProcessorNow();
	for ( int32_t i = 0; i < POSES; ++i )
	{
		supModes_WriteSurface( stage->flesh->own, stage->state, stage->poses[POSES - 1], 0, NULL, output );
	}
	Keep( &times->surface, benchProcessorNow() - start );
}

typedef struct Crowd
{
	Stage* stage;
	void** states;
	int32_t pose;
} Crowd;

static void StepRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Crowd* crowd = context;
	supSubstep step = MakeStep( crowd->stage, crowd->pose );
	for ( int32_t i = begin; i < end; ++i )
	{
		supModes_Predict( crowd->stage->flesh->own, crowd->states[i], &step );
		supModes_Finish( crowd->stage->flesh->own, crowd->states[i], &step );
	}
}

// Milliseconds that two threads take for a step of the whole crowd; the least.
static double PlayCrowd( Stage* stage, const supTasks* tasks )
{
	Crowd crowd = { .stage = stage, .states = malloc( CROWD * sizeof( void* ) ) };
	double least = INFINITY;
	for ( int32_t i = 0; i < CROWD; ++i )
	{
		crowd.states[i] = MakeState( stage->flesh, stage->poses[0] );
	}
	for ( int32_t round = 0; round < POSES; ++round )
	{
		crowd.pose = round;
		double start = benchNow();
		supParallelFor( tasks, CROWD, 8, StepRange, &crowd );
		least = fmin( least, 1e3 * ( benchNow() - start ) );
	}
	for ( int32_t i = 0; i < CROWD; ++i )
	{
		free( crowd.states[i] );
	}
	free( crowd.states );
	return least;
}

static supFlesh* Build( const supCharacter* character, float modes, double* seconds )
{
	supError error = { 0 };
	supSetting setting = { "modes", modes };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodModes;
	def.settings = &setting;
	def.settingCount = 1;
	double start = benchProcessorNow();
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	*seconds = benchProcessorNow() - start;
	benchRequire( flesh != NULL, &error );
	return flesh;
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	supError error = { 0 };
	supCharacter* character = supFindModel( "bunny" )->create( &error );
	benchRequire( character != NULL, &error );
	const supClip* clip = supCharacter_FindClip( character, "Walk" );
	int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh )->vertexCount;
	supSkinOutput output = { .positions = malloc( (size_t)count * sizeof( supVec3 ) ),
							 .normals = malloc( (size_t)count * sizeof( supVec3 ) ) };
	supThreadPool* pool = supCreateThreadPool( 2 );
	Stage stage = { 0 };
	for ( int32_t i = 0; i < POSES; ++i )
	{
		stage.poses[i] = supCreatePose( character );
		supPose_ApplyClip( stage.poses[i], clip, clip->start + (float)i / 60.0f );
	}
	const float sizes[] = { 8.0f, 16.0f, 24.0f, 48.0f };
	for ( size_t k = 0; k < sizeof( sizes ) / sizeof( sizes[0] ); ++k )
	{
		double seconds;
		supFlesh* flesh = Build( character, sizes[k], &seconds );
		stage.flesh = flesh;
		stage.state = MakeState( flesh, stage.poses[0] );
		Times times = { INFINITY, INFINITY, INFINITY };
		for ( int32_t round = 0; round < ROUNDS; ++round )
		{
			PlayRound( &stage, &output, &times );
		}
		double crowd = PlayCrowd( &stage, supThreadPool_Tasks( pool ) );
		printf(
			"%2.0f modes: built in %.2f s; step %.4f ms, corners and frames %.4f ms, surface of %d vertices %.4f ms; "
			"%d steps on two threads %.2f ms\n",
			(double)sizes[k], seconds, times.step, times.place, count, times.surface, CROWD, crowd );
		benchWritePoint( csv, "modes", "step", 1, (double)sizes[k], "modes", times.step, "ms" );
		benchWritePoint( csv, "modes", "corners and frames", 1, (double)sizes[k], "modes", times.place, "ms" );
		benchWritePoint( csv, "modes", "surface", 1, (double)sizes[k], "modes", times.surface, "ms" );
		benchWritePoint( csv, "modes", "1000 steps", 2, (double)sizes[k], "modes", crowd, "ms" );
		free( stage.state );
		supDestroyFlesh( flesh );
	}
	for ( int32_t i = 0; i < POSES; ++i )
	{
		supDestroyPose( stage.poses[i] );
	}
	free( output.positions );
	free( output.normals );
	supDestroyThreadPool( pool );
	supDestroyCharacter( character );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
