// SPDX-License-Identifier: MIT
// bench_bones [RESULTS.csv]: what helper bones make of a bake (supBakeBones): error and time over the number of helpers
// and influences, and against Dem Bones on the same frames where SUPPLE_DEM_BONES names its driver
// (scripts/bones.sh builds and runs it).
#include "bench.h"

#include "bake/bone_rig.h"
#include "models/models.h"
#include "supple/supple.h"

#include <unistd.h>

#define MOST_CLIPS 16

typedef struct Job
{
	supCharacter* character;
	supFlesh* flesh;
	supThreadPool* pool;
	supBake* bakes[MOST_CLIPS];
	int32_t bakeCount;
	supBoneRig rig;
	float height;
	FILE* csv;
} Job;

static void BakeClips( Job* job, const char* const* names, int32_t count )
{
	supError error = { 0 };
	for ( int32_t i = 0; i < count; ++i )
	{
		char work[96];
		supBakeDef def = supDefaultBakeDef();
		def.clip = supCharacter_FindClip( job->character, names[i] );
		def.tasks = supThreadPool_Tasks( job->pool );
		snprintf( work, sizeof( work ), "/tmp/supple-bench-%d.%d.part", (int)getpid(), (int)i );
		job->bakes[i] = supBakeFrames( job->flesh, &def, work, &error );
		benchRequire( job->bakes[i] != NULL, &error );
	}
	job->bakeCount = count;
	benchRequire( supBoneRig_Create( &job->rig, job->bakes, count, &error ), &error );
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < job->rig.vertexCount; ++i )
	{
		box = supBox_Include( box, job->rig.positions[i] );
	}
	job->height = supBox_Size( box ).y;
}

static supBonesDef MakeDef( Job* job, int32_t helpers, int32_t influences, bool withSkeleton )
{
	supBoneRig* rig = &job->rig;
	supBonesDef def = supDefaultBonesDef();
	supBoneRig_Describe( rig, &def );
	def.fixedCount = withSkeleton ? rig->columnCount : 0;
	def.helperCount = helpers;
	def.influences = influences;
	def.tasks = supThreadPool_Tasks( job->pool );
	return def;
}

// RMS in percent of the height.
static double Solve( Job* job, int32_t helpers, int32_t influences, bool withSkeleton, double* seconds )
{
	supError error = { 0 };
	supBonesDef def = MakeDef( job, helpers, influences, withSkeleton );
	double start = benchNow();
	supBakedBones* bones = supBakeBones( &def, &error );
	*seconds = benchNow() - start;
	benchRequire( bones != NULL, &error );
	double percent = 100.0 * (double)bones->error.rms / (double)job->height;
	printf( "  %3d fixed + %3d helpers x %d  %.3f %% rms  %.2f %% worst  %6.2f s   (plain %.3f %%)\n", def.fixedCount,
			bones->helperCount, influences, percent, 100.0 * (double)( bones->error.worst / job->height ), *seconds,
			100.0 * (double)( bones->startError.rms / job->height ) );
	fflush( stdout );
	supDestroyBakedBones( bones );
	return percent;
}

static void RunCurves( Job* job )
{
	static const int32_t helperCounts[] = { 8, 16, 32, 64, 128 };
	static const int32_t influenceCounts[] = { 2, 4, 8 };
	double seconds;
	for ( int32_t k = 0; k < 3; ++k )
	{
		for ( int32_t i = 0; i < 5; ++i )
		{
			char series[32];
			snprintf( series, sizeof( series ), "%d influences", influenceCounts[k] );
			double percent = Solve( job, helperCounts[i], influenceCounts[k], true, &seconds );
			benchWritePoint( job->csv, "bones_error", series, 2, helperCounts[i], "helper bones", percent,
							 "% of the height" );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Dem Bones

// What its driver reads: rest positions with triangles, and a point cache of all frames.
static void WriteCaches( Job* job, const char* rest, const char* cache )
{
	supBoneRig* rig = &job->rig;
	FILE* file = fopen( rest, "wb" );
	int32_t counts[2] = { rig->vertexCount, rig->indexCount / 3 };
	fwrite( counts, sizeof( counts ), 1, file );
	fwrite( rig->positions, sizeof( supVec3 ), (size_t)rig->vertexCount, file );
	fwrite( rig->indices, sizeof( uint32_t ), (size_t)rig->indexCount, file );
	fclose( file );
	file = fopen( cache, "wb" );
	char header[32] = "POINTCACHE2";
	memcpy( header + 16, &rig->vertexCount, 4 );
	memcpy( header + 28, &rig->frameCount, 4 );
	fwrite( header, sizeof( header ), 1, file );
	supVec3* positions = malloc( (size_t)rig->vertexCount * sizeof( supVec3 ) );
	for ( int32_t f = 0; f < rig->frameCount; ++f )
	{
		supError error = { 0 };
		benchRequire( supBoneRig_Read( f, positions, rig, &error ), &error );
		fwrite( positions, sizeof( supVec3 ), (size_t)rig->vertexCount, file );
	}
	free( positions );
	fclose( file );
}

static void Race( Job* job, const char* driver, int32_t bones, int32_t influences )
{
	double seconds;
	double all = Solve( job, bones, influences, false, &seconds );
	double with = Solve( job, bones - job->rig.columnCount, influences, true, &seconds );
	benchWriteCsv( job->csv, "bones", "supple, helpers alone, 60 bones x 4", 2, all, "% of the height" );
	benchWriteCsv( job->csv, "bones", "supple, with skeleton, 60 bones x 4", 2, with, "% of the height" );
	benchWriteCsv( job->csv, "bones", "supple, with skeleton, 60 bones x 4", 2, seconds, "s" );
	if ( driver == NULL )
	{
		printf( "  Dem Bones: SUPPLE_DEM_BONES is not set, not raced\n" );
		return;
	}
	char rest[64], cache[64], line[512];
	snprintf( rest, sizeof( rest ), "/tmp/supple-bench-%d.bin", (int)getpid() );
	snprintf( cache, sizeof( cache ), "/tmp/supple-bench-%d.pc2", (int)getpid() );
	WriteCaches( job, rest, cache );
	snprintf( line, sizeof( line ), "'%s' %s %d %d 10 %s", driver, rest, bones, influences, cache );
	FILE* pipe = popen( line, "r" );
	while ( pipe != NULL && fgets( line, sizeof( line ), pipe ) != NULL )
	{
		printf( "  Dem Bones: %s", line );
	}
	if ( pipe != NULL )
	{
		pclose( pipe );
	}
	unlink( rest );
	unlink( cache );
}

int main( int argumentCount, char** arguments )
{
	static const char* const clips[] = { "Shake", "Walk", "Jump", "Run" };
	Job job = { .csv = benchOpenCsv( argumentCount, arguments ) };
	supError error = { 0 };
	job.pool = supCreateThreadPool( 2 );
	job.character = supFindModel( "bunny" )->create( &error );
	benchRequire( job.character != NULL, &error );
	supFleshDef fleshDef = supDefaultFleshDef();
	fleshDef.method = sup_methodPosition;
	job.flesh = supBuildFlesh( job.character, &fleshDef, supThreadPool_Tasks( job.pool ), &error );
	benchRequire( job.flesh != NULL, &error );
	BakeClips( &job, clips, SUP_COUNT( clips ) );
	printf( "bunny, %d vertices, %d frames of four clips, %d joints, two threads\n\n", job.rig.vertexCount,
			job.rig.frameCount, job.rig.columnCount );
	if ( getenv( "SUPPLE_BONES_QUICK" ) != NULL )
	{
		double seconds;
		Solve( &job, 32, 4, true, &seconds );
	}
	else
	{
		Race( &job, getenv( "SUPPLE_DEM_BONES" ), 60, 4 );
		RunCurves( &job );
	}
	supBoneRig_Destroy( &job.rig );
	for ( int32_t i = 0; i < job.bakeCount; ++i )
	{
		supDestroyBake( job.bakes[i], false );
	}
	supDestroyFlesh( job.flesh );
	supDestroyCharacter( job.character );
	supDestroyThreadPool( job.pool );
	if ( job.csv != NULL )
	{
		fclose( job.csv );
	}
	return 0;
}
