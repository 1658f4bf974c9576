// SPDX-License-Identifier: MIT
// A character of 10 000 vertices as tets: milliseconds for counts from 1000 to 300 000, and memory beside the output.
#include "bench.h"

#include "core/tasks.h"
#include "models/models.h"
#include "volume/body/rest_surface.h"
#include "volume/tets/tet_mesher.h"
#include "volume/tets/tet_quality.h"

#include <stdatomic.h>

#define ROUNDS 2
#define LEAST_VERTICES 10000

// ---------------------------------------------------------------------------------------------------------------------
// Memory: what is alive, and the most that ever was

typedef struct Heap
{
	_Atomic( size_t ) live, most;
} Heap;

static void* CountedAlloc( size_t size, size_t alignment, void* context )
{
	Heap* heap = context;
	size_t* memory = aligned_alloc( 64, ( size + 64 + 63 ) / 64 * 64 );
	(void)alignment;
	if ( memory == NULL )
	{
		return NULL;
	}
	memory[0] = size;
	size_t live = atomic_fetch_add( &heap->live, size ) + size, most = atomic_load( &heap->most );
	while ( live > most && atomic_compare_exchange_weak( &heap->most, &most, live ) == false )
	{
	}
	return memory + 64 / sizeof( size_t );
}

static void CountedFree( void* memory, void* context )
{
	Heap* heap = context;
	size_t* start = (size_t*)memory - 64 / sizeof( size_t );
	atomic_fetch_sub( &heap->live, start[0] );
	free( start );
}

// ---------------------------------------------------------------------------------------------------------------------
// Time

typedef struct Case
{
	const supRestSurface* surface;
	const supTasks* tasks;
	int32_t count;
	supTetsMode mode;
	supTets tets;
	supTetsReport report;
} Case;

static void Run( void* context )
{
	Case* c = context;
	supError error = { 0 };
	supTetsDef def = supDefaultTetsDef();
	def.vertexCount = c->surface->vertexCount;
	def.positions = c->surface->positions;
	def.triangleCount = c->surface->triangleCount;
	def.indices = c->surface->indices;
	def.tetCount = c->count;
	def.mode = c->mode;
	def.tasks = c->tasks;
	def.report = &c->report;
	supTets_Destroy( &c->tets );
	benchRequire( supBuildTets( &c->tets, &def, &error ), &error );
}

static void Measure( FILE* csv, Case* c, int threads, Heap* heap )
{
	const char* mode = c->mode == sup_tetsFollow ? "follow" : "contain";
	supTets_Destroy( &c->tets );
	size_t before = heap->live;
	atomic_store( &heap->most, before );
	double seconds = benchTime( Run, c, ROUNDS, 0.05 );
	clock_t start = clock();
	Run( c );
	double processor = (double)( clock() - start ) / CLOCKS_PER_SEC;
	size_t output = (size_t)c->tets.tetCount * 16 + (size_t)c->tets.pointCount * 12;
	// the last result is still there when the next one is made
	double memory = (double)( heap->most - before ) / (double)output;
	char name[64];
	snprintf( name, sizeof( name ), "%s %d", mode, c->count );
	benchWriteCsv( csv, "tets", name, threads, 1e3 * seconds, "ms" );
	benchWriteCsv( csv, "tets", name, threads, 1e3 * processor, "processor ms" );
	supTetQuality quality;
	supError error = { 0 };
	benchRequire( supMeasureTets( &c->tets, c->tasks, &quality, &error ), &error );
	printf( "%8s %7d %7d %9d %5d %9.1f %12.1f %10.2f %8.1f %7.1f %7.1f %8.2f\n", mode, c->count, threads,
			c->tets.tetCount, c->report.tries, 1e3 * seconds, 1e3 * processor, 1e6 * processor / c->tets.tetCount,
			memory, (double)quality.minDihedral, (double)quality.maxDihedral, (double)quality.meanMeanRatio );
}

// Percent of all dihedral angles in steps of ten degrees.
static void PrintAngles( const supTets* tets )
{
	supTetQuality quality;
	supError error = { 0 };
	benchRequire( supMeasureTets( tets, NULL, &quality, &error ), &error );
	printf( "angles:" );
	for ( int32_t i = 0; i < SUP_DIHEDRAL_BINS; ++i )
	{
		printf( " %d-%d: %.1f%%", 10 * i, 10 * i + 10,
				100.0 * (double)quality.dihedrals[i] / ( 6.0 * tets->tetCount ) );
	}
	printf( "\n" );
}

static supCharacter* CreateLarge( supError* error )
{
	for ( int32_t i = 0; i < supGetModelCount(); ++i )
	{
		supCharacter* character = supGetModel( i )->create( error );
		int32_t vertices = 0;
		for ( int32_t k = 0; character != NULL && k < supCharacter_MeshCount( character ); ++k )
		{
			vertices += supCharacter_Mesh( character, k )->vertexCount;
		}
		if ( vertices >= LEAST_VERTICES )
		{
			return character;
		}
		supDestroyCharacter( character );
	}
	snprintf( error->message, sizeof( error->message ), "no built-in character has %d vertices", LEAST_VERTICES );
	return NULL;
}

int main( int argumentCount, char** arguments )
{
	static const int32_t counts[] = { 1000, 3000, 10000, 30000, 100000, 300000 };
	Heap heap = { 0 };
	supAllocator allocator = { CountedAlloc, CountedFree, &heap };
	supSetAllocator( &allocator );
	supError error = { 0 };
	supCharacter* character = CreateLarge( &error );
	benchRequire( character != NULL, &error );
	supRestSurface surface = { 0 };
	benchRequire( supRestSurface_Init( &surface, character, NULL, &error ), &error );
	supThreadPool* pool = supCreateThreadPool( 2 );
	if ( pool == NULL )
	{
		fprintf( stderr, "out of memory\n" );
		return 1;
	}
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	printf( "%s: %d vertices, %d triangles\n", supCharacter_Name( character ), surface.vertexCount,
			surface.triangleCount );
	printf(
		"    mode   asked threads      tets tries        ms processor ms us per tet x output   angle  to angle quality\n" );
	Case c = { .surface = &surface };
	for ( size_t i = 0; i < sizeof( counts ) / sizeof( counts[0] ); ++i )
	{
		c.count = counts[i];
		for ( int32_t k = 0; k < 4; ++k )
		{
			c.mode = k < 2 ? sup_tetsFollow : sup_tetsContain;
			c.tasks = k % 2 == 0 ? NULL : supThreadPool_Tasks( pool );
			Measure( csv, &c, 1 + k % 2, &heap );
			if ( k == 1 && c.count == 10000 )
			{
				PrintAngles( &c.tets );
			}
		}
	}
	if ( csv != NULL )
	{
		fclose( csv );
	}
	supTets_Destroy( &c.tets );
	supDestroyThreadPool( pool );
	supRestSurface_Destroy( &surface );
	supDestroyCharacter( character );
	return 0;
}
