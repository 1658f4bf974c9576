// SPDX-License-Identifier: MIT
// A character of 20 000 triangles as voxels: voxels per second, and what layers and weights cost on top.
#include "bench.h"

#include "core/tasks.h"
#include "models/models.h"
#include "volume/geodesic_weights.h"
#include "volume/layers.h"
#include "volume/rest_surface.h"

#define ROUNDS 5
#define LEAST_TRIANGLES 20000
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

static void Require( bool ok, const supError* error )
{
	if ( ok == false )
	{
		fprintf( stderr, "%s: %s\n", error->where, error->message );
		exit( 1 );
	}
}

static void RunVoxels( void* context )
{
	Case* c = context;
	supError error = { 0 };
	supVoxels_Destroy( &c->voxels );
	const supRestSurface* s = c->surface;
	supVoxelsDef def = { c->resolution, s->vertexCount, s->positions, s->triangleCount, s->indices, c->tasks };
	Require( supVoxels_Init( &c->voxels, &def, &error ), &error );
}

static void RunLayers( void* context )
{
	Case* c = context;
	supError error = { 0 };
	supBoneVoxels_Destroy( &c->boneVoxels );
	supLayers_Destroy( &c->layers );
	Require( supBoneVoxels_Init( &c->boneVoxels, &c->voxels, &c->bones, &error ), &error );
	supLayersDef def = supDefaultLayersDef();
	Require( supLayers_Init( &c->layers, &c->voxels, &c->bones, &c->boneVoxels, &def, &error ), &error );
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
	Require( supComputeGeodesicWeights( &def, c->joints, c->weights, &error ), &error );
}

static size_t BytesOf( const supVoxels* v )
{
	size_t words = (size_t)v->wordsPerRow * (size_t)( v->ny + 2 ) * (size_t)( v->nz + 2 );
	return (size_t)v->count * ( sizeof( supVoxelCell ) + 1 ) + words * ( sizeof( uint64_t ) + sizeof( int32_t ) );
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
	supCharacter* character = CreateLarge( &error );
	Require( character != NULL, &error );
	supRestSurface surface = { 0 };
	Require( supRestSurface_Init( &surface, character, NULL, &error ), &error );
	supThreadPool* pool = supCreateThreadPool( 2 );
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	Case c = { .surface = &surface };
	Require( supBones_InitCharacter( &c.bones, character, &error ), &error );
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
