// SPDX-License-Identifier: MIT
// How fast a clip is baked: frames per second and bytes per frame for each cache, and what part of it is skinning.
#include "bench.h"

#include "models/models.h"
#include "supple/supple.h"

#include <sys/stat.h>
#include <unistd.h>

#define ROUNDS 5

typedef struct Job
{
	supCharacter* character;
	supFlesh* flesh;
	supThreadPool* pool;
	supBakeDef def;
	char work[64];
	char output[64];
	const char* format;
} Job;

static void Fail( const supError* error )
{
	fprintf( stderr, "%s: %s\n", error->where, error->message );
	exit( 1 );
}

static supBake* Bake( const Job* job )
{
	supError error = { 0 };
	supBake* bake = supBakeFrames( job->flesh, &job->def, job->work, &error );
	if ( bake == NULL )
	{
		Fail( &error );
	}
	return bake;
}

static void BakeOnly( void* context )
{
	supDestroyBake( Bake( context ), false );
}

static void BakeAndSave( void* context )
{
	const Job* job = context;
	supError error = { 0 };
	supBake* bake = Bake( job );
	bool ok = strcmp( job->format, "usda" ) == 0 ? supBake_SaveUsd( bake, job->output, &error )
												 : supBake_SaveCache( bake, 0, job->output, &error );
	if ( ok == false )
	{
		Fail( &error );
	}
	supDestroyBake( bake, false );
}

static void RunFormat( Job* job, FILE* csv, int threads, int32_t frames )
{
	bool none = job->format[0] == 0;
	double seconds = benchTime( none ? BakeOnly : BakeAndSave, job, ROUNDS, 0.2 );
	struct stat info = { 0 };
	if ( none == false )
	{
		stat( job->output, &info );
		unlink( job->output );
	}
	char name[64];
	snprintf( name, sizeof( name ), "%s, %s", supFlesh_MethodName( job->flesh ), none ? "frames only" : job->format );
	double perFrame = (double)info.st_size / frames;
	printf( "  %-18s %d %12.0f %14.0f\n", name, threads, frames / seconds, perFrame );
	benchWriteCsv( csv, "bake", name, threads, frames / seconds, "frames/s" );
	if ( none == false )
	{
		benchWriteCsv( csv, "bake", name, threads, perFrame, "bytes/frame" );
	}
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	supError error = { 0 };
	Job job = { .def = supDefaultBakeDef() };
	job.character = supFindModel( "bunny" )->create( &error );
	if ( job.character == NULL )
	{
		Fail( &error );
	}
	job.def.clip = supCharacter_FindClip( job.character, "Walk" );
	job.def.framesPerSecond = 60.0f;
	supFleshDef fleshDef = supDefaultFleshDef();
	fleshDef.method = sup_methodLbs;
	job.flesh = supBuildFlesh( job.character, &fleshDef, NULL, &error );
	snprintf( job.work, sizeof( job.work ), "/tmp/supple-bench-%d.part", (int)getpid() );
	supBake* bake = Bake( &job );
	int32_t frames = supBake_Report( bake )->frameCount;
	supDestroyBake( bake, false );
	printf( "bunny, %d vertices, Walk, %d frames of a bake\n\n", supCharacter_Mesh( job.character, 0 )->vertexCount,
			frames );
	printf( "  %-18s %s %12s %14s\n", "", "threads", "frames/s", "bytes/frame" );
	static const char* const formats[] = { "", "pc2", "mdd", "usda" };
	for ( int threads = 1; threads <= 2; ++threads )
	{
		job.pool = supCreateThreadPool( threads );
		job.def.tasks = supThreadPool_Tasks( job.pool );
		for ( int i = 0; i < 4; ++i )
		{
			job.format = formats[i];
			snprintf( job.output, sizeof( job.output ), "/tmp/supple-bench-%d.%s", (int)getpid(), formats[i] );
			RunFormat( &job, csv, threads, frames );
		}
		supDestroyThreadPool( job.pool );
	}
	supDestroyFlesh( job.flesh );
	supDestroyCharacter( job.character );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
