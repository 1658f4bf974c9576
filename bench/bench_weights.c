// SPDX-License-Identifier: MIT
// Automatic weights of a character with sixty bones: milliseconds, memory, and how both grow with resolution, bones and
// vertices.
#include "bench.h"

#include "core/core.h"
#include "models/models.h"
#include "volume/body/body.h"
#include "volume/weights/geodesic_weights.h"
#include "volume/weights/heuristic_weights.h"

#define ROUNDS 3
#define LEAST_BONES 60

typedef struct Case
{
	supBody body;
	const supTasks* tasks;
	bool heuristic;
	// parts of all, for the sweeps
	int32_t boneCount;
	int32_t pointCount;
	uint16_t* joints;
	float* weights;
} Case;

static void RunWeights( void* context )
{
	Case* c = context;
	supError error = { 0 };
	if ( c->heuristic )
	{
		supHeuristicDef def = { &c->body.bones, NULL, c->pointCount, c->body.surface.positions, c->tasks };
		benchRequire( supComputeHeuristicWeights( &def, c->joints, c->weights, &error ), &error );
		return;
	}
	supBoneVoxels bones = c->body.boneVoxels;
	bones.boneCount = c->boneCount;
	supGeodesicDef def = supDefaultGeodesicDef();
	def.voxels = &c->body.voxels;
	def.bones = &bones;
	def.pointCount = c->pointCount;
	def.points = c->body.surface.positions;
	def.tasks = c->tasks;
	benchRequire( supComputeGeodesicWeights( &def, c->joints, c->weights, &error ), &error );
}

static void Measure( FILE* csv, Case* c, benchMemory* memory, int32_t resolution, int threads )
{
	char name[96];
	double seconds = benchTime( RunWeights, c, ROUNDS, 0.0 );
	double peak = (double)benchPeak( memory, RunWeights, c );
	double output = (double)c->pointCount * SUP_MAX_INFLUENCES * ( sizeof( uint16_t ) + sizeof( float ) );
	// the voxels are searched once for each bone, and each point looks at each bone
	double work = (double)c->boneCount * ( (double)c->body.voxels.count + (double)c->pointCount );
	snprintf( name, sizeof( name ), "%s %d, %d bones, %d points", c->heuristic ? "heuristic" : "geodesic", resolution,
			  c->boneCount, c->pointCount );
	benchWriteCsv( csv, "weights", name, threads, 1e3 * seconds, "ms" );
	benchWriteCsv( csv, "weights", name, threads, peak / output, "x output" );
	printf( "%-10s %10d %7d %6d %7d %8d %9.2f %9.2f %8.1f\n", c->heuristic ? "heuristic" : "geodesic", resolution,
			threads, c->boneCount, c->pointCount, c->body.voxels.count, 1e3 * seconds, 1e9 * seconds / work,
			peak / output );
}

static supCharacter* CreateJointed( supError* error )
{
	for ( int32_t i = 0; i < supGetModelCount(); ++i )
	{
		supCharacter* character = supGetModel( i )->create( error );
		if ( character != NULL && supCharacter_SkinCount( character ) > 0 &&
			 supCharacter_Skin( character, 0 )->jointCount >= LEAST_BONES )
		{
			return character;
		}
		supDestroyCharacter( character );
	}
	supSetError( error, sup_errorNotFound, "", "no built-in character has %d bones", LEAST_BONES );
	return NULL;
}

static void Sweep( FILE* csv, Case* c, const supCharacter* character, benchMemory* memory, supThreadPool* pool )
{
	supError error = { 0 };
	for ( int32_t resolution = 32; resolution <= 128; resolution *= 2 )
	{
		supBody_Destroy( &c->body );
		benchRequire( supBody_Init( &c->body, character, resolution, NULL, NULL, &error ), &error );
		for ( int threads = 1; threads <= 2; ++threads )
		{
			c->tasks = threads > 1 ? supThreadPool_Tasks( pool ) : NULL;
			Measure( csv, c, memory, resolution, threads );
		}
		if ( resolution == 64 )
		{
			for ( int32_t part = 4; part >= 2; part /= 2 )
			{
				c->boneCount = c->body.bones.count / part;
				Measure( csv, c, memory, resolution, 2 );
				c->boneCount = c->body.bones.count;
				c->pointCount = c->body.surface.vertexCount / part;
				Measure( csv, c, memory, resolution, 2 );
				c->pointCount = c->body.surface.vertexCount;
			}
		}
	}
	c->heuristic = true;
	Measure( csv, c, memory, 0, 2 );
}

int main( int argumentCount, char** arguments )
{
	supError error = { 0 };
	benchMemory memory = { 0 };
	benchCountMemory( &memory );
	supCharacter* character = CreateJointed( &error );
	benchRequire( character != NULL, &error );
	supThreadPool* pool = supCreateThreadPool( 2 );
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	Case c = { 0 };
	benchRequire( supBody_Init( &c.body, character, 32, NULL, NULL, &error ), &error );
	c.boneCount = c.body.bones.count;
	c.pointCount = c.body.surface.vertexCount;
	size_t slots = (size_t)c.pointCount * SUP_MAX_INFLUENCES;
	c.joints = malloc( slots * sizeof( uint16_t ) );
	c.weights = malloc( slots * sizeof( float ) );
	if ( pool == NULL || c.joints == NULL || c.weights == NULL )
	{
		fprintf( stderr, "out of memory\n" );
		return 1;
	}
	printf( "           resolution threads  bones  points   voxels        ms ns/b(v+p) x output\n" );
	Sweep( csv, &c, character, &memory, pool );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	free( c.joints );
	free( c.weights );
	supBody_Destroy( &c.body );
	supDestroyThreadPool( pool );
	supDestroyCharacter( character );
	return 0;
}
