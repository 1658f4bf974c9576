// SPDX-License-Identifier: MIT
// Characters of 20 000 and 100 000 triangles as voxels: voxels per second, memory, and what layers and weights cost on
// top.
#include "bench.h"

#include "core/tasks.h"
#include "models/models.h"
#include "volume/body/layers.h"
#include "volume/body/rest_surface.h"
#include "volume/weights/geodesic_weights.h"

#define ROUNDS 5
#define LEAST_TRIANGLES 20000
#define FINE_TRIANGLES 100000
#define FINE_RESOLUTION 128
// layers and weights of finer ones are of no use to anybody
#define FINEST_WEIGHTS 128

typedef struct Case
{
	const supRestSurface* surface;
	const supTasks* tasks;
	int32_t resolution;
	supVoxels voxels;
	supBones bones;
	supBoneVoxels boneVoxels;
	supLayers layers;
	uint16_t* joints;
	float* weights;
} Case;

static void RunVoxels( void* context )
{
	Case* c = context;
	supError error = { 0 };
	supVoxels_Destroy( &c->voxels );
	const supRestSurface* s = c->surface;
	supVoxelsDef def = { c->resolution, s->vertexCount, s->positions, s->triangleCount, s->indices, c->tasks };
	benchRequire( supVoxels_Init( &c->voxels, &def, &error ), &error );
}

static void RunLayers( void* context )
{
	Case* c = context;
	supError error = { 0 };
	supBoneVoxels_Destroy( &c->boneVoxels );
	supLayers_Destroy( &c->layers );
	benchRequire( supBoneVoxels_Init( &c->boneVoxels, &c->voxels, &c->bones, &error ), &error );
	supLayersDef def = supDefaultLayersDef();
	benchRequire( supLayers_Init( &c->layers, &c->voxels, &c->bones, &c->boneVoxels, &def, &error ), &error );
}

static void RunWeights( void* context )
{
	Case* c = context;
	supError error = { 0 };
	supGeodesicDef def = supDefaultGeodesicDef();
	def.voxels = &c->voxels;
	def.bones = &c->boneVoxels;
	def.pointCount = c->surface->vertexCount;
	def.points = c->surface->positions;
	def.tasks = c->tasks;
	benchRequire( supComputeGeodesicWeights( &def, c->joints, c->weights, &error ), &error );
}

// The first `splits` triangles become four each. Vertices are not shared, which voxels do not mind. False when out of
// memory.
static bool Subdivide( const supRestSurface* from, int32_t splits, supRestSurface* to )
{
	to->triangleCount = from->triangleCount + 3 * splits;
	to->vertexCount = 3 * to->triangleCount;
	to->positions = supArena_AllocArray( &to->arena, (size_t)to->vertexCount, sizeof( supVec3 ) );
	to->indices = supArena_AllocArray( &to->arena, (size_t)to->vertexCount, sizeof( uint32_t ) );
	if ( to->arena.failed )
	{
		return false;
	}
	static const int32_t corners[12] = { 0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5 };
	uint32_t count = 0;
	for ( int32_t i = 0; i < from->triangleCount; ++i )
	{
		supVec3 p[6];
		for ( int32_t k = 0; k < 3; ++k )
		{
			p[k] = from->positions[from->indices[3 * i + k]];
			p[3 + k] = supLerp( p[k], from->positions[from->indices[3 * i + ( k + 1 ) % 3]], 0.5f );
		}
		for ( int32_t k = 0; k < ( i < splits ? 12 : 3 ); ++k )
		{
			to->positions[count] = p[i < splits ? corners[k] : k];
			to->indices[count] = count;
			count += 1;
		}
	}
	return true;
}

static size_t BytesOf( const supVoxels* v )
{
	size_t words = (size_t)v->wordsPerRow * (size_t)( v->ny + 2 ) * (size_t)( v->nz + 2 );
	return (size_t)v->count * ( sizeof( supVoxelCell ) + 1 ) + words * ( sizeof( uint64_t ) + sizeof( int32_t ) );
}

// The fine character: time against the second that it may take, and memory against what comes out.
static void MeasureFine( FILE* csv, Case* c, const supRestSurface* fine, benchMemory* memory, int threads )
{
	const supRestSurface* coarse = c->surface;
	c->surface = fine;
	c->resolution = FINE_RESOLUTION;
	double seconds = benchTime( RunVoxels, c, ROUNDS, 0.2 );
	double peak = (double)benchPeak( memory, RunVoxels, c ), output = (double)BytesOf( &c->voxels );
	benchWriteCsv( csv, "voxels", "100k triangles at 128", threads, 1e3 * seconds, "ms" );
	benchWriteCsv( csv, "voxels", "100k triangles at 128, peak over output", threads, peak / output, "x" );
	printf( "%d triangles at %d, %d threads: %d voxels in %.0f ms; peak %.2f MB, output %.2f MB (x %.1f), "
			"input %.1f MB\n",
			fine->triangleCount, c->resolution, threads, c->voxels.count, 1e3 * seconds, 1e-6 * peak, 1e-6 * output,
			peak / output, 1e-6 * 48.0 * fine->triangleCount );
	c->surface = coarse;
}

static void Measure( FILE* csv, Case* c, int threads )
{
	char name[64];
	double voxelSeconds = benchTime( RunVoxels, c, ROUNDS, 0.2 );
	snprintf( name, sizeof( name ), "voxels %d", c->resolution );
	benchWriteCsv( csv, "voxels", name, threads, c->voxels.count / voxelSeconds, "voxels/s" );
	printf( "%10d %7d %9d %9.1f %12.2f %12.1f", c->resolution, threads, c->voxels.count, 1e3 * voxelSeconds,
			1e-6 * c->voxels.count / voxelSeconds, (double)BytesOf( &c->voxels ) / c->voxels.count );
	if ( c->resolution <= FINEST_WEIGHTS )
	{
		double layerSeconds = benchTime( RunLayers, c, ROUNDS, 0.1 );
		double weightSeconds = benchTime( RunWeights, c, ROUNDS, 0.1 );
		snprintf( name, sizeof( name ), "layers %d", c->resolution );
		benchWriteCsv( csv, "voxels", name, threads, 1e3 * layerSeconds, "ms" );
		snprintf( name, sizeof( name ), "weights %d", c->resolution );
		benchWriteCsv( csv, "voxels", name, threads, 1e3 * weightSeconds, "ms" );
		printf( " %9.1f %10.1f", 1e3 * layerSeconds, 1e3 * weightSeconds );
	}
	printf( "\n" );
}

static supCharacter* CreateLarge( supError* error )
{
	for ( int32_t i = 0; i < supGetModelCount(); ++i )
	{
		supCharacter* character = supGetModel( i )->create( error );
		int32_t triangles = 0;
		for ( int32_t k = 0; character != NULL && k < supCharacter_MeshCount( character ); ++k )
		{
			triangles += supCharacter_Mesh( character, k )->indexCount / 3;
		}
		if ( triangles >= LEAST_TRIANGLES )
		{
			return character;
		}
		supDestroyCharacter( character );
	}
	supSetError( error, sup_errorNotFound, "", "no built-in character has %d triangles", LEAST_TRIANGLES );
	return NULL;
}

int main( int argumentCount, char** arguments )
{
	supError error = { 0 };
	benchMemory memory = { 0 };
	benchCountMemory( &memory );
	supCharacter* character = CreateLarge( &error );
	benchRequire( character != NULL, &error );
	supRestSurface surface = { 0 };
	benchRequire( supRestSurface_Init( &surface, character, NULL, &error ), &error );
	supThreadPool* pool = supCreateThreadPool( 2 );
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	Case c = { .surface = &surface };
	benchRequire( supBones_InitCharacter( &c.bones, character, &error ), &error );
	size_t slots = (size_t)surface.vertexCount * SUP_MAX_INFLUENCES;
	c.joints = malloc( slots * sizeof( uint16_t ) );
	c.weights = malloc( slots * sizeof( float ) );
	if ( pool == NULL || c.joints == NULL || c.weights == NULL )
	{
		fprintf( stderr, "out of memory\n" );
		return 1;
	}
	printf( "%d triangles, %d bones\n", surface.triangleCount, c.bones.count );
	printf( "resolution threads    voxels        ms  M voxels/s bytes/voxel layers ms weights ms\n" );
	for ( c.resolution = 32; c.resolution <= 512; c.resolution *= 2 )
	{
		c.tasks = NULL;
		Measure( csv, &c, 1 );
		c.tasks = supThreadPool_Tasks( pool );
		Measure( csv, &c, 2 );
	}
	supRestSurface fine = { 0 };
	for ( int32_t count = surface.triangleCount; count < FINE_TRIANGLES; count = fine.triangleCount )
	{
		supRestSurface finer = { 0 };
		int32_t needed = ( FINE_TRIANGLES - count + 2 ) / 3;
		bool ok = Subdivide( fine.triangleCount > 0 ? &fine : &surface, needed < count ? needed : count, &finer );
		ok = ok || supSetMemoryError( &error );
		benchRequire( ok, &error );
		supRestSurface_Destroy( &fine );
		fine = finer;
	}
	c.tasks = NULL;
	MeasureFine( csv, &c, &fine, &memory, 1 );
	c.tasks = supThreadPool_Tasks( pool );
	MeasureFine( csv, &c, &fine, &memory, 2 );
	supRestSurface_Destroy( &fine );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	free( c.joints );
	free( c.weights );
	supLayers_Destroy( &c.layers );
	supBoneVoxels_Destroy( &c.boneVoxels );
	supBones_Destroy( &c.bones );
	supVoxels_Destroy( &c.voxels );
	supDestroyThreadPool( pool );
	supRestSurface_Destroy( &surface );
	supDestroyCharacter( character );
	return 0;
}
