// SPDX-License-Identifier: MIT
// bench_peers [RESULTS.csv [WORK]]: a soft body for other engines to do as well (peers/README.md): writes it to WORK,
// does it with `position`, and tells how fast and how well.
#include "bench.h"

#include "method/position/position.h"
#include "models/models.h"
#include "peers/work.h"
#include "supple/scene.h"

#define TETS 14000
#define FRAMES 120
// softness below which a particle is led along
#define FIRM 0.05f

static int CompareEdges( const void* a, const void* b )
{
	const int32_t *x = a, *y = b;
	return x[0] != y[0] ? ( x[0] < y[0] ? -1 : 1 ) : x[1] != y[1] ? ( x[1] < y[1] ? -1 : 1 ) : 0;
}

// Each edge of the tets once.
static void FindEdges( Work* work )
{
	static const int corners[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
	work->edges = malloc( 12 * (size_t)work->tetCount * sizeof( int32_t ) );
	int32_t count = 0;
	for ( int32_t i = 0; i < work->tetCount; ++i )
	{
		for ( int k = 0; k < 6; ++k )
		{
			int32_t a = work->tets[4 * i + corners[k][0]], b = work->tets[4 * i + corners[k][1]];
			work->edges[2 * count] = a < b ? a : b;
			work->edges[2 * count + 1] = a < b ? b : a;
			++count;
		}
	}
	qsort( work->edges, (size_t)count, 2 * sizeof( int32_t ), CompareEdges );
	for ( int32_t i = 0; i < count; ++i )
	{
		const int32_t* edge = work->edges + 2 * i;
		if ( i == 0 || CompareEdges( edge, work->edges + 2 * ( work->edgeCount - 1 ) ) != 0 )
		{
			work->edges[2 * work->edgeCount] = edge[0];
			work->edges[2 * work->edgeCount + 1] = edge[1];
			++work->edgeCount;
		}
	}
}

static Work MakeWork( const supPositionFlesh* flesh )
{
	Work work = { .pointCount = flesh->particleCount, .tetCount = flesh->solidCount, .frameCount = FRAMES };
	work.rest = malloc( 3 * (size_t)work.pointCount * sizeof( float ) );
	work.led = malloc( (size_t)work.pointCount * sizeof( int32_t ) );
	work.tets = malloc( 4 * (size_t)work.tetCount * sizeof( int32_t ) );
	work.skinned = malloc( 3 * (size_t)work.pointCount * FRAMES * sizeof( float ) );
	memcpy( work.rest, flesh->rest, 3 * (size_t)work.pointCount * sizeof( float ) );
	memcpy( work.tets, flesh->tets, 4 * (size_t)work.tetCount * sizeof( int32_t ) );
	for ( int32_t i = 0; i < work.pointCount; ++i )
	{
		work.led[i] = flesh->softness[i] < FIRM;
	}
	FindEdges( &work );
	return work;
}

static void FreeWork( Work* work )
{
	free( work->rest );
	free( work->led );
	free( work->edges );
	free( work->tets );
	free( work->skinned );
}

static void Gather( float* out, const float* in, int32_t count )
{
	for ( int32_t i = 0; i < count; ++i )
	{
		memcpy( out + 3 * (size_t)i, in + 4 * (size_t)i, 3 * sizeof( float ) );
	}
}

// Fills the skinned positions on the way.
static WorkSums Run( const supPositionFlesh* flesh, const supClip* clip, supPose* pose, const supTasks* tasks,
					 Work* work )
{
	WorkSums sums = { 0 };
	supTrouble trouble = { 0 };
	void* state = aligned_alloc( 64, supPositionFlesh_View( flesh, NULL ).size );
	float* now = malloc( 3 * (size_t)work->pointCount * sizeof( float ) );
	supSubstep step = { .pose = pose,
						.dt = WORK_STEP,
						.trouble = &trouble,
						.parameters = flesh->parameters,
						.regions = flesh->tunings,
						.tasks = tasks,
						.gravity = supMakeVec3( 0.0f, -9.81f, 0.0f ) };
	supPose_ApplyClip( pose, clip, clip->start );
	supPosition_Reset( flesh, state, pose, NULL );
	supPositionView view = supPositionFlesh_View( flesh, state );
	for ( int frame = 0; frame < FRAMES; ++frame )
	{
		float length = clip->end - clip->start, time = (float)( frame + 1 ) * WORK_STEP;
		supPose_ApplyClip( pose, clip, clip->start + time - length * (float)(int)( time / length ) );
		double start = benchNow();
		supPosition_Predict( flesh, state, &step );
		supPosition_Solve( flesh, state, &step );
		supPosition_Finish( flesh, state, &step );
		double seconds = benchNow() - start;
		Gather( work->skinned + 3 * (size_t)frame * (size_t)work->pointCount, &view.skinned[0].x, work->pointCount );
		Gather( now, view.positions, work->pointCount );
		if ( frame >= WORK_WARM_UP )
		{
			workMeasure( work, now, seconds, &sums );
		}
	}
	free( now );
	free( state );
	return sums;
}

static void WriteWork( const Work* work, const char* path )
{
	FILE* file = fopen( path, "wb" );
	size_t n = (size_t)work->pointCount;
	int32_t head[4] = { work->pointCount, work->edgeCount, work->tetCount, work->frameCount };
	bool ok = file != NULL && fwrite( head, 4, 4, file ) == 4 && fwrite( work->rest, 4, 3 * n, file ) == 3 * n &&
			  fwrite( work->led, 4, n, file ) == n &&
			  fwrite( work->edges, 8, (size_t)work->edgeCount, file ) == (size_t)work->edgeCount &&
			  fwrite( work->tets, 16, (size_t)work->tetCount, file ) == (size_t)work->tetCount &&
			  fwrite( work->skinned, 12, n * FRAMES, file ) == n * FRAMES;
	if ( file == NULL || fclose( file ) != 0 || ok == false )
	{
		fprintf( stderr, "bench_peers: cannot write %s\n", path );
		exit( 1 );
	}
}

int main( int argc, char** argv )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( "bunny" )->create( &error );
	benchRequire( character != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodPosition;
	def.settings = &( supSetting ){ "tets", TETS };
	def.settingCount = 1;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	benchRequire( flesh != NULL, &error );
	supPose* pose = supCreatePose( character );
	const supClip* clip = supCharacter_FindClip( character, "Shake" );
	Work work = MakeWork( flesh->own );
	int32_t led = 0;
	for ( int32_t i = 0; i < work.pointCount; ++i )
	{
		led += work.led[i];
	}
	printf( "%d particles, %d of them led along, %d edges, %d tets, %d iterations, steps of 1/60 s\n\n",
			work.pointCount, led, work.edgeCount, work.tetCount, WORK_ITERATIONS );
	printf( "%-28s %12s %11s %11s\n", "", "a step", "volume", "edges" );
	FILE* csv = benchOpenCsv( argc, argv );
	for ( int threads = 1; threads <= 2; ++threads )
	{
		supThreadPool* pool = supCreateThreadPool( threads );
		WorkSums sums = Run( flesh->own, clip, pose, supThreadPool_Tasks( pool ), &work );
		char name[64];
		snprintf( name, sizeof( name ), "Supple position, %d thread%s", threads, threads > 1 ? "s" : "" );
		workPrint( name, &sums );
		benchWriteCsv( csv, "peers", "position", threads, 1e3 * sums.seconds / sums.steps, "ms" );
		benchWriteCsv( csv, "peers volume error", "position", threads, 100.0 * sums.volumeError / sums.steps, "%" );
		supDestroyThreadPool( pool );
	}
	if ( csv != NULL )
	{
		fclose( csv );
	}
	if ( argc > 2 )
	{
		WriteWork( &work, argv[2] );
	}
	FreeWork( &work );
	supDestroyPose( pose );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
	return 0;
}
