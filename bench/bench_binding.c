// SPDX-License-Identifier: MIT
// A skin carried by flesh: vertices per second, beside what the memory allows; and what binding, softness and a skin
// layer cost once.
#include "bench.h"
#include "memory_limit.h"

#include "models/models.h"
#include "volume/binding/skin_layer.h"
#include "volume/binding/surface_binding.h"
#include "volume/softness/softness.h"
#include "volume/tets/tet_mesher.h"

#define ROUNDS 9
#define TETS 10000
#define RESOLUTION 48

typedef struct Body
{
	supCharacter* character;
	supPose* pose;
	supRestSurface surface;
	supBones bones;
	supTets tets;
	supVoxels voxels;
	supSurfaceBinding tetBinding;
	supSurfaceBinding voxelBinding;
	supVec3* positions;
	supVec3* normals;
	float* streamFrom;
	float* streamTo;
} Body;

typedef struct Case
{
	Body* body;
	const supSurfaceBinding* binding;
	supBindReference reference;
	supVec4* points;
	supQuat* rotations;
	supBindFrame* frames;
	const supTasks* tasks;
} Case;

static void* Allocate( size_t count, size_t size )
{
	size_t bytes = ( count * size + 63 ) / 64 * 64;
	void* memory = aligned_alloc( 64, bytes );
	if ( memory == NULL )
	{
		fprintf( stderr, "out of memory\n" );
		exit( 1 );
	}
	memset( memory, 0, bytes );
	return memory;
}

// ---------------------------------------------------------------------------------------------------------------------
// Every frame

static void RunFrames( void* context )
{
	Case* c = context;
	const supVec4* reference = c->reference == sup_bindToRest ? NULL : c->binding->restPoints;
	if ( c->binding->width == 4 )
	{
		supSurfaceBinding_FrameTets( c->binding, c->points, reference, c->tasks, c->frames );
	}
	else
	{
		supSurfaceBinding_FrameRotations( c->binding, c->points, c->rotations, reference, c->tasks, c->frames );
	}
}

static void RunWrite( void* context )
{
	Case* c = context;
	for ( int32_t i = 0; i < c->binding->instanceCount; ++i )
	{
		int32_t first = c->binding->vertexStarts[i];
		supSkinOutput output = { c->body->positions + first, c->body->normals + first, NULL };
		supSurfaceBinding_Write( c->binding, c->frames, c->reference, c->body->pose, i, c->tasks, &output );
	}
}

static void MeasureFrame( FILE* csv, Body* body, const supSurfaceBinding* binding, supBindReference reference,
						  int threads )
{
	supThreadPool* pool = supCreateThreadPool( threads );
	size_t points = (size_t)binding->pointCount;
	Case c = { .body = body, .binding = binding, .reference = reference, .tasks = supThreadPool_Tasks( pool ) };
	c.points = Allocate( points, sizeof( supVec4 ) );
	c.rotations = Allocate( points, sizeof( supQuat ) );
	c.frames = Allocate( points, sizeof( supBindFrame ) );
	for ( size_t i = 0; i < points; ++i )
	{
		c.points[i] = binding->restPoints[i];
		c.points[i].y += 0.01f * c.points[i].x * c.points[i].x;
		c.rotations[i] = supQuat_identity;
	}
	// points, weights, positions, normals in; positions and normals out
	int32_t reads = 2 * binding->width + 6;
	benchStream stream = { body->streamFrom, body->streamTo, reads, 6, binding->vertexCount / 8, c.tasks };
	double framing = benchTime( RunFrames, &c, ROUNDS, 0.02 );
	double limitBefore = benchBestTime( benchRunStream, &stream, ROUNDS, 0.02 );
	double writing = benchTime( RunWrite, &c, ROUNDS, 0.02 );
	double limitAfter = benchBestTime( benchRunStream, &stream, ROUNDS, 0.02 );
	double limit = binding->vertexCount / ( limitBefore < limitAfter ? limitBefore : limitAfter );
	double rate = binding->vertexCount / writing;
	const char* kind = binding->width == 4 ? "tets" : "voxels";
	const char* against = reference == sup_bindToRest ? "rest" : "skin";
	printf( "%-7s  %-8s  %7d  %8d  %10.3f  %12.1f  %10.2f  %12.1f  %5.0f%%\n", kind, against, threads,
			binding->pointCount, 1e3 * framing, 1e-6 * rate, 1e9 / rate, 1e-6 * limit, 100.0 * rate / limit );
	char name[64];
	snprintf( name, sizeof( name ), "%s against %s", kind, against );
	benchWriteCsv( csv, "binding", name, threads, rate, "vertices/s" );
	snprintf( name, sizeof( name ), "%s against %s / frames", kind, against );
	benchWriteCsv( csv, "binding", name, threads, binding->pointCount / framing, "points/s" );
	snprintf( name, sizeof( name ), "%s / memory limit", kind );
	benchWriteCsv( csv, "binding", name, threads, limit, "vertices/s" );
	free( c.points );
	free( c.rotations );
	free( c.frames );
	supDestroyThreadPool( pool );
}

// ---------------------------------------------------------------------------------------------------------------------
// Once

typedef struct BuildCase
{
	Body* body;
	const supTasks* tasks;
} BuildCase;

static void RunBindTets( void* context )
{
	BuildCase* c = context;
	supError error = { 0 };
	supSurfaceBinding_Destroy( &c->body->tetBinding );
	benchRequire(
		supSurfaceBinding_InitTets( &c->body->tetBinding, c->body->character, &c->body->tets, c->tasks, &error ),
		&error );
}

static void RunBindVoxels( void* context )
{
	BuildCase* c = context;
	supError error = { 0 };
	supSurfaceBinding_Destroy( &c->body->voxelBinding );
	benchRequire(
		supSurfaceBinding_InitVoxels( &c->body->voxelBinding, c->body->character, &c->body->voxels, c->tasks, &error ),
		&error );
}

static void RunSoftness( void* context )
{
	BuildCase* c = context;
	supError error = { 0 };
	supSoftness softness = { 0 };
	supSoftnessDef def = { .character = c->body->character,
						   .surface = &c->body->surface,
						   .bones = &c->body->bones,
						   .resolution = SUP_SOFTNESS_RESOLUTION,
						   .tasks = c->tasks };
	benchRequire( supSoftness_Init( &softness, &def, &error ), &error );
	supSoftness_Destroy( &softness );
}

static void RunSkinLayer( void* context )
{
	BuildCase* c = context;
	supError error = { 0 };
	const supRestSurface* s = &c->body->surface;
	supSkinLayer layer = { 0 };
	supSkinLayerDef def = supDefaultSkinLayerDef();
	def.vertexCount = s->vertexCount;
	def.positions = s->positions;
	def.triangleCount = s->triangleCount;
	def.indices = s->indices;
	def.thickness = 0.02f;
	def.tasks = c->tasks;
	benchRequire( supSkinLayer_Init( &layer, &def, &error ), &error );
	supSkinLayer_Destroy( &layer );
}

static void MeasureBuild( FILE* csv, Body* body, const char* name, benchFcn* run, int threads )
{
	supThreadPool* pool = supCreateThreadPool( threads );
	BuildCase c = { body, supThreadPool_Tasks( pool ) };
	double seconds = benchTime( run, &c, 5, 0.01 );
	printf( "%-24s  %7d  %8.1f ms\n", name, threads, 1e3 * seconds );
	benchWriteCsv( csv, "binding", name, threads, 1e3 * seconds, "ms" );
	supDestroyThreadPool( pool );
}

static void OpenBody( Body* body )
{
	supError error = { 0 };
	body->character = supFindModel( "human" )->create( &error );
	benchRequire( body->character != NULL, &error );
	body->pose = supCreatePose( body->character );
	benchRequire( supRestSurface_Init( &body->surface, body->character, NULL, &error ), &error );
	benchRequire( supBones_InitCharacter( &body->bones, body->character, &error ), &error );
	const supRestSurface* s = &body->surface;
	supTetsDef tets = supDefaultTetsDef();
	tets.vertexCount = s->vertexCount;
	tets.positions = s->positions;
	tets.triangleCount = s->triangleCount;
	tets.indices = s->indices;
	tets.tetCount = TETS;
	benchRequire( supBuildTets( &body->tets, &tets, &error ), &error );
	supVoxelsDef voxels = { RESOLUTION, s->vertexCount, s->positions, s->triangleCount, s->indices, NULL };
	benchRequire( supVoxels_Init( &body->voxels, &voxels, &error ), &error );
	size_t count = (size_t)s->vertexCount;
	body->positions = Allocate( count, sizeof( supVec3 ) );
	body->normals = Allocate( count, sizeof( supVec3 ) );
	body->streamFrom = Allocate( count, 88 );
	body->streamTo = Allocate( count, 24 );
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	Body body = { 0 };
	OpenBody( &body );
	printf( "human: %d vertices, %d tets, %d voxels\n\n", body.surface.vertexCount, body.tets.tetCount,
			body.voxels.count );
	for ( int threads = 1; threads <= 2; ++threads )
	{
		MeasureBuild( csv, &body, "bind to tets", RunBindTets, threads );
		MeasureBuild( csv, &body, "bind to voxels", RunBindVoxels, threads );
		MeasureBuild( csv, &body, "softness", RunSoftness, threads );
		MeasureBuild( csv, &body, "skin layer", RunSkinLayer, threads );
	}
	printf( "\nkind     against   threads    points   frames ms  Mvertices/s  ns/vertex  limit Mv/s   of it\n" );
	for ( int threads = 1; threads <= 2; ++threads )
	{
		MeasureFrame( csv, &body, &body.tetBinding, sup_bindToRest, threads );
		MeasureFrame( csv, &body, &body.tetBinding, sup_bindToLinear, threads );
		MeasureFrame( csv, &body, &body.voxelBinding, sup_bindToRest, threads );
		MeasureFrame( csv, &body, &body.voxelBinding, sup_bindToLinear, threads );
	}
	if ( csv != NULL )
	{
		fclose( csv );
	}
	supSurfaceBinding_Destroy( &body.tetBinding );
	supSurfaceBinding_Destroy( &body.voxelBinding );
	supVoxels_Destroy( &body.voxels );
	supTets_Destroy( &body.tets );
	supBones_Destroy( &body.bones );
	supRestSurface_Destroy( &body.surface );
	supDestroyPose( body.pose );
	supDestroyCharacter( body.character );
	free( body.positions );
	free( body.normals );
	free( body.streamFrom );
	free( body.streamTo );
	return 0;
}
