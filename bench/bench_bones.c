// SPDX-License-Identifier: MIT
// bench_bones [RESULTS.csv]: what helper bones make of a bake (supBakeBones): error and time over the number of helpers
// and influences, and against Dem Bones on the same frames where SUPPLE_DEM_BONES names its driver
// (scripts/bones.sh builds and runs it).
#include "bench.h"

#include "bake/bone_rig.h"
#include "linear/symmetric_eigen.h"
#include "models/models.h"
#include "supple/supple.h"

#include <math.h>
#include <sys/resource.h>
#include <time.h>
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
	clock_t startOfWork = clock();
	supBakedBones* bones = supBakeBones( &def, &error );
	double work = (double)( clock() - startOfWork ) / (double)CLOCKS_PER_SEC;
	*seconds = benchNow() - start;
	benchRequire( bones != NULL, &error );
	double percent = 100.0 * (double)bones->error.rms / (double)job->height;
	printf( "  %3d fixed + %3d helpers x %d  %.3f %% rms  %.2f %% worst  %6.2f s  %6.2f s of "
			"work   (plain %.3f %%)\n",
			def.fixedCount, bones->helperCount, influences, percent,
			100.0 * (double)( bones->error.worst / job->height ), *seconds, work,
			100.0 * (double)( bones->startError.rms / job->height ) );
	fflush( stdout );
	supDestroyBakedBones( bones );
	return percent;
}

// ---------------------------------------------------------------------------------------------------------------------
// What no set of bones can beat

// Tracks of all vertices from the centroids of their frames: vertex * 3 * frames + 3 * frame.
static double* ReadTracks( Job* job, supVec3* centroids )
{
	supBoneRig* rig = &job->rig;
	size_t n = (size_t)rig->vertexCount, size = 3 * (size_t)rig->frameCount;
	double* tracks = malloc( n * size * sizeof( double ) );
	supVec3* positions = malloc( n * sizeof( supVec3 ) );
	for ( int32_t f = 0; f < rig->frameCount; ++f )
	{
		supError error = { 0 };
		benchRequire( supBoneRig_Read( f, positions, rig, &error ), &error );
		double sum[3] = { 0 };
		for ( size_t i = 0; i < n; ++i )
		{
			sum[0] += (double)positions[i].x;
			sum[1] += (double)positions[i].y;
			sum[2] += (double)positions[i].z;
		}
		supVec3 c = { (float)( sum[0] / (double)n ), (float)( sum[1] / (double)n ), (float)( sum[2] / (double)n ) };
		centroids[f] = c;
		for ( size_t i = 0; i < n; ++i )
		{
			double* track = tracks + i * size + 3 * (size_t)f;
			track[0] = (double)( positions[i].x - c.x );
			track[1] = (double)( positions[i].y - c.y );
			track[2] = (double)( positions[i].z - c.z );
		}
	}
	free( positions );
	return tracks;
}

static double Dot( const double* a, const double* b, size_t size )
{
	double sum = 0.0;
	for ( size_t i = 0; i < size; ++i )
	{
		sum += a[i] * b[i];
	}
	return sum;
}

static void Project( double* v, const double* basis, int32_t count, size_t size )
{
	for ( int32_t k = 0; k < count; ++k )
	{
		const double* q = basis + (size_t)k * size;
		double share = Dot( v, q, size );
		for ( size_t i = 0; i < size; ++i )
		{
			v[i] -= share * q[i];
		}
	}
}

// An orthonormal basis of everything that the skeleton's bones can do to a vertex: four rows a bone.
static int32_t SpanSkeleton( const Job* job, const supVec3* centroids, double* basis )
{
	const supBoneRig* rig = &job->rig;
	size_t size = 3 * (size_t)rig->frameCount;
	int32_t count = 0;
	for ( int32_t row = 0; row < 4 * rig->columnCount; ++row )
	{
		double* v = basis + (size_t)count * size;
		for ( int32_t f = 0; f < rig->frameCount; ++f )
		{
			supMat34 m = rig->matrices[(size_t)f * (size_t)rig->columnCount + (size_t)( row / 4 )];
			m.t = supSub( m.t, centroids[f] );
			supVec3 column = ( &m.cx )[row % 4];
			v[3 * f] = (double)column.x;
			v[3 * f + 1] = (double)column.y;
			v[3 * f + 2] = (double)column.z;
		}
		double before = sqrt( Dot( v, v, size ) );
		// twice, for the digits that the first time loses
		Project( v, basis, count, size );
		Project( v, basis, count, size );
		double after = sqrt( Dot( v, v, size ) );
		for ( size_t i = 0; i < size && after > 1e-6 * before; ++i )
		{
			v[i] /= after;
		}
		count += after > 1e-6 * before ? 1 : 0;
	}
	return count;
}

// Any bone, rigid or not, and any weights of any sign on all of them make tracks out of four rows a bone. So no set of
// helpers is better than the largest singular values of the tracks, once the skeleton's rows are taken out.
static void MeasureBound( Job* job, int32_t helpers )
{
	supBoneRig* rig = &job->rig;
	int32_t size = 3 * rig->frameCount;
	supVec3* centroids = malloc( (size_t)rig->frameCount * sizeof( supVec3 ) );
	double* tracks = ReadTracks( job, centroids );
	double* basis = malloc( ( 4 * (size_t)rig->columnCount + 1 ) * (size_t)size * sizeof( double ) );
	double* gram = calloc( (size_t)size * (size_t)size, sizeof( double ) );
	double* values = malloc( 2 * (size_t)size * sizeof( double ) );
	int32_t rank = SpanSkeleton( job, centroids, basis );
	for ( int32_t i = 0; i < rig->vertexCount; ++i )
	{
		double* v = tracks + (size_t)i * (size_t)size;
		Project( v, basis, rank, (size_t)size );
		for ( int32_t a = 0; a < size; ++a )
		{
			for ( int32_t b = 0; b < size; ++b )
			{
				gram[(size_t)a * (size_t)size + (size_t)b] += v[a] * v[b];
			}
		}
	}
	if ( supFindEigenvectors( gram, size, values, values + size ) )
	{
		double left = 0.0;
		for ( int32_t k = 4 * helpers; k < size; ++k )
		{
			left += fmax( values[k], 0.0 );
		}
		double rms = sqrt( left / ( (double)rig->vertexCount * (double)rig->frameCount ) );
		double percent = 100.0 * rms / (double)job->height;
		printf( "  no %d helpers can be below %.3f %% rms, whatever their weights and motions\n", helpers, percent );
		benchWriteCsv( job->csv, "bones", "bound of 32 helpers", 2, percent, "% of the height" );
	}
	free( centroids );
	free( tracks );
	free( basis );
	free( gram );
	free( values );
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
		struct rusage usage;
		getrusage( RUSAGE_CHILDREN, &usage );
		double work = (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
		printf( "  Dem Bones: %.1f s of work, reading the cache included\n", work );
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
		MeasureBound( &job, 32 );
	}
	else
	{
		Race( &job, getenv( "SUPPLE_DEM_BONES" ), 60, 4 );
		MeasureBound( &job, 32 );
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
