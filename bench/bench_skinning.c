// SPDX-License-Identifier: MIT
// Vertices per second, beside what the memory allows: a loop that reads and writes the same bytes and does nothing
// else.
#include "bench.h"
#include "memory_limit.h"

#include "supple/character.h"

#define JOINTS 64
#define ROUNDS 9

typedef struct Outputs
{
	supVec3* positions;
	supVec3* normals;
	supVec4* tangents;
} Outputs;

typedef struct Case
{
	supPose* pose;
	supSkinning skinning;
	const supTasks* tasks;
	supSkinOutput output;
} Case;

static void* Allocate( size_t count, size_t size )
{
	void* memory = calloc( count, size );
	if ( memory == NULL )
	{
		fprintf( stderr, "out of memory\n" );
		exit( 1 );
	}
	return memory;
}

static uint32_t Random( uint32_t* state )
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static float RandomFloat( uint32_t* state )
{
	return (float)Random( state ) / 8388608.0f - 1.0f;
}

// Vertices run along a chain of joints, four influences each, as the vertices of a limb do.
static supCharacter* MakeCharacter( int32_t count )
{
	supVec3* positions = Allocate( (size_t)count, sizeof( supVec3 ) );
	supVec3* normals = Allocate( (size_t)count, sizeof( supVec3 ) );
	supVec4* tangents = Allocate( (size_t)count, sizeof( supVec4 ) );
	uint16_t* joints = Allocate( 4 * (size_t)count, sizeof( uint16_t ) );
	float* weights = Allocate( 4 * (size_t)count, sizeof( float ) );
	uint32_t state = 1;
	for ( int32_t i = 0; i < count; ++i )
	{
		positions[i] = supMakeVec3( RandomFloat( &state ), RandomFloat( &state ), RandomFloat( &state ) );
		normals[i] = supNormalize( supMakeVec3( 1.0f, RandomFloat( &state ), RandomFloat( &state ) ) );
		tangents[i] = ( supVec4 ){ 0.0f, 1.0f, 0.0f, 1.0f };
		int32_t nearest = (int32_t)( (int64_t)i * JOINTS / count );
		for ( int k = 0; k < 4; ++k )
		{
			joints[4 * i + k] = (uint16_t)( ( nearest + (int32_t)( Random( &state ) % 6 ) ) % JOINTS );
			weights[4 * i + k] = 1.0f + RandomFloat( &state ) * 0.9f;
		}
	}
	supNode nodes[JOINTS];
	int32_t skinJoints[JOINTS];
	for ( int32_t i = 0; i < JOINTS; ++i )
	{
		nodes[i] = ( supNode ){ .parent = -1, .rest = supTransform_identity };
		nodes[i].rest.translation = supMakeVec3( 0.1f * (float)i, 0.0f, 0.0f );
		nodes[i].rest.rotation = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.5f, 0.0f ), 0.05f * (float)i );
		skinJoints[i] = i;
	}
	supMesh mesh = { .vertexCount = count,
					 .positions = positions,
					 .normals = normals,
					 .tangents = tangents,
					 .influences = 4,
					 .joints = joints,
					 .weights = weights };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = JOINTS;
	def.nodes = nodes;
	def.skinCount = 1;
	def.skins = &( supSkin ){ .jointCount = JOINTS, .joints = skinJoints };
	def.meshCount = 1;
	def.meshes = &mesh;
	def.instanceCount = 1;
	def.instances = &( supInstance ){ 0, 0, 0, NULL };
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	if ( character == NULL )
	{
		fprintf( stderr, "%s: %s\n", error.where, error.message );
		exit( 1 );
	}
	free( positions );
	free( normals );
	free( tangents );
	free( joints );
	free( weights );
	return character;
}

static void RunSkinning( void* context )
{
	Case* c = context;
	supSkinInstance( c->pose, 0, c->skinning, c->tasks, &c->output );
}

// ---------------------------------------------------------------------------------------------------------------------

typedef struct Sheet
{
	FILE* csv;
	const char* meshName;
	int32_t vertexCount;
	supPose* pose;
	Outputs outputs;
	float* streamFrom;
	float* streamTo;
} Sheet;

static void Measure( Sheet* sheet, supSkinning skinning, bool all, int threads )
{
	supThreadPool* pool = supCreateThreadPool( threads );
	const supTasks* tasks = supThreadPool_Tasks( pool );
	Outputs o = sheet->outputs;
	Case c = { sheet->pose, skinning, tasks, { o.positions, all ? o.normals : NULL, all ? o.tangents : NULL } };
	// bytes of a vertex: joints 8, weights 16, positions 12, normals 12, tangents 16
	benchStream stream = { .from = sheet->streamFrom,
						   .to = sheet->streamTo,
						   .reads = ( all ? 64 : 36 ) / 4,
						   .writes = ( all ? 40 : 12 ) / 4,
						   .blocks = sheet->vertexCount / 8,
						   .tasks = tasks };
	// before and after, since the machine's other guests come and go
	double limitBefore = benchBestTime( benchRunStream, &stream, ROUNDS, 0.05 );
	double seconds = benchTime( RunSkinning, &c, ROUNDS, 0.05 );
	double limitAfter = benchBestTime( benchRunStream, &stream, ROUNDS, 0.05 );
	double limitSeconds = limitBefore < limitAfter ? limitBefore : limitAfter;
	supDestroyThreadPool( pool );

	double bytes = ( all ? 104.0 : 48.0 ) * sheet->vertexCount;
	double rate = sheet->vertexCount / seconds;
	double limit = sheet->vertexCount / limitSeconds;
	const char* method = skinning == sup_skinningLinear ? "linear" : "dual quaternion";
	const char* what = all ? "positions+normals+tangents" : "positions";
	printf( "%-9s  %-15s  %-26s  %7d  %10.1f  %8.2f  %8.2f  %10.1f  %6.0f%%\n", sheet->meshName, method, what, threads,
			1e-6 * rate, 1e9 * seconds / sheet->vertexCount, 1e-9 * bytes / seconds, 1e-6 * limit,
			100.0 * rate / limit );
	char name[128];
	snprintf( name, sizeof( name ), "%s / %s / %s", sheet->meshName, method, what );
	benchWriteCsv( sheet->csv, "skinning", name, threads, rate, "vertices/s" );
	snprintf( name, sizeof( name ), "%s / memory limit / %s", sheet->meshName, what );
	benchWriteCsv( sheet->csv, "skinning", name, threads, limit, "vertices/s" );
}

static void MeasureMesh( FILE* csv, const char* meshName, int32_t vertexCount )
{
	supCharacter* character = MakeCharacter( vertexCount );
	supPose* pose = supCreatePose( character );
	size_t count = (size_t)vertexCount;
	Sheet sheet = { .csv = csv, .meshName = meshName, .vertexCount = vertexCount, .pose = pose };
	sheet.outputs = ( Outputs ){ Allocate( count, sizeof( supVec3 ) ), Allocate( count, sizeof( supVec3 ) ),
								 Allocate( count, sizeof( supVec4 ) ) };
	sheet.streamFrom = Allocate( count, 64 );
	sheet.streamTo = Allocate( count, 40 );
	// touched, so that all pages are there
	memset( sheet.streamFrom, 1, count * 64 );
	memset( sheet.streamTo, 1, count * 40 );
	for ( int method = 0; method < 2; ++method )
	{
		for ( int all = 0; all < 2; ++all )
		{
			for ( int threads = 1; threads <= 2; ++threads )
			{
				Measure( &sheet, (supSkinning)method, all != 0, threads );
			}
		}
	}
	free( sheet.outputs.positions );
	free( sheet.outputs.normals );
	free( sheet.outputs.tangents );
	free( sheet.streamFrom );
	free( sheet.streamTo );
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	char processor[128];
	benchProcessor( processor );
	printf( "Skinning, 4 influences, %d joints; %s, %s, median of %d rounds\n\n", JOINTS, processor,
			benchInstructionSet(), ROUNDS );
	printf( "%-9s  %-15s  %-26s  %7s  %10s  %8s  %8s  %10s  %7s\n", "mesh", "method", "outputs", "threads", "Mvertex/s",
			"ns/vert", "GB/s", "limit Mv/s", "reached" );
	MeasureMesh( csv, "10k", 10000 );
	MeasureMesh( csv, "2M", 2000000 );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
