// SPDX-License-Identifier: MIT
// The multi-layer lattice: the four workloads of its paper with the cost of each part (Table 1, Figure 8), and what a
// voxel costs over resolutions and widths of regions. Best of several rounds: what the machine can do.
#include "bench.h"

#include "method/lattice/lattice.h"
#include "models/models.h"
#include "supple/supple.h"

#define ROUNDS 64
#define SECONDS 0.0005

typedef struct Case
{
	const supFlesh* flesh;
	const supLatticeFlesh* own;
	void* state;
	supPose* pose;
	supSubstep step;
	supTrouble trouble;
	supLatticeJob job;
	supLatticeMotion motions[SUP_LATTICE_MAX_CLASSES + 1];
	float time;
	supVec3* positions;
	supVec3* normals;
} Case;

static supFlesh* Build( const supCharacter* character, int32_t resolution, int32_t width )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	supSetting settings[] = { { "resolution", (float)resolution }, { "width", (float)width } };
	def.method = sup_methodLattice;
	def.settings = settings;
	def.settingCount = 2;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	benchRequire( flesh != NULL, &error );
	return flesh;
}

static int32_t VoxelCount( const supFlesh* flesh )
{
	return ( (const supLatticeFlesh*)flesh->own )->voxelCount;
}

// The flesh whose number of voxels is nearest to the one wanted, which grows with the resolution.
static supFlesh* BuildNearest( const supCharacter* character, int32_t wanted, int32_t width, int32_t* resolution )
{
	int32_t lower = 8, upper = 128;
	while ( lower + 1 < upper )
	{
		int32_t middle = ( lower + upper ) / 2;
		supFlesh* flesh = Build( character, middle, width );
		bool isMore = VoxelCount( flesh ) > wanted;
		supDestroyFlesh( flesh );
		lower = isMore ? lower : middle;
		upper = isMore ? middle : upper;
	}
	supFlesh* less = Build( character, lower, width );
	supFlesh* more = Build( character, upper, width );
	bool takeMore = VoxelCount( more ) - wanted < wanted - VoxelCount( less );
	*resolution = takeMore ? upper : lower;
	supDestroyFlesh( takeMore ? less : more );
	return takeMore ? more : less;
}

static void InitCase( Case* c, const supFlesh* flesh, const supTasks* tasks )
{
	const supCharacter* character = supFlesh_Character( flesh );
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh );
	*c = ( Case ){ .flesh = flesh, .own = flesh->own };
	c->pose = supCreatePose( character );
	c->state = aligned_alloc( 64, supLattice_StateSize( c->own ) );
	c->positions = malloc( (size_t)mesh->vertexCount * sizeof( supVec3 ) );
	c->normals = malloc( (size_t)mesh->vertexCount * sizeof( supVec3 ) );
	if ( c->pose == NULL || c->state == NULL || c->positions == NULL || c->normals == NULL )
	{
		fprintf( stderr, "out of memory\n" );
		exit( 1 );
	}
	supLattice_Reset( c->own, c->state, c->pose, tasks );
	c->step = ( supSubstep ){ .pose = c->pose,
							  .dt = 1.0f / 60.0f,
							  .tasks = tasks,
							  .trouble = &c->trouble,
							  .parameters = flesh->parameters,
							  .regions = flesh->regions,
							  .gravity = { 0.0f, -9.81f, 0.0f } };
	for ( int32_t i = 0; i < c->own->classCount; ++i )
	{
		bool isBone = c->own->classes[i].isBone != 0;
		c->motions[i] = isBone ? ( supLatticeMotion ){ 0 }
							   : ( supLatticeMotion ){ 0.95f, 0.015f, -3.0f, 0.9f, 0.5f, 1.0f, 1.0f, 0.0f };
	}
	c->job = ( supLatticeJob ){ .flesh = c->own,
								.arrays = supLattice_Arrays( c->own, c->state ),
								.motions = c->motions,
								.dt = 1.0f / 60.0f,
								.reach = 10.0f,
								.stretch = 1.0f,
								.volume = 1.0f,
								.scale = 1.0f };
	c->job.from = c->job.arrays.positions;
	c->job.to = c->job.arrays.others;
}

static void DestroyCase( Case* c )
{
	supDestroyPose( c->pose );
	free( c->state );
	free( c->positions );
	free( c->normals );
}

// A step of the character's first clip, as a scene makes it.
static void RunStep( void* context )
{
	Case* c = context;
	const supCharacter* character = supFlesh_Character( c->flesh );
	if ( supCharacter_ClipCount( character ) > 0 )
	{
		const supClip* clip = supCharacter_Clip( character, 0 );
		c->time = c->time + c->step.dt < clip->end ? c->time + c->step.dt : clip->start;
		supPose_ApplyClip( c->pose, clip, c->time );
		supPose_Worlds( c->pose );
	}
	supLattice_Predict( c->own, c->state, &c->step );
	supLattice_Solve( c->own, c->state, &c->step );
	supLattice_Finish( c->own, c->state, &c->step );
}

static void RunSurface( void* context )
{
	Case* c = context;
	supSkinOutput output = { .positions = c->positions, .normals = c->normals };
	c->job.arrays.head->hasFrames = 0;
	supLattice_WriteSurface( c->own, c->state, c->pose, 0, c->step.tasks, &output );
}

// ---------------------------------------------------------------------------------------------------------------------
// Parts of a step, on one thread

static void RunPredict( void* context )
{
	Case* c = context;
	SUP_CALL_KERNEL( supLatticePredict )( &c->job, 0, c->own->brickCount );
}

static void RunStretch( void* context )
{
	Case* c = context;
	SUP_CALL_KERNEL( supLatticeStretch )( &c->job, 0, c->own->brickCount );
}

static void RunVolume( void* context )
{
	Case* c = context;
	SUP_CALL_KERNEL( supLatticeVolumeSlopes )( &c->job, 0, c->own->brickCount );
	SUP_CALL_KERNEL( supLatticeVolumeApply )( &c->job, 0, c->own->brickCount );
	SUP_CALL_KERNEL( supLatticeShellGroups )( &c->job, 0, c->own->shell.groupCount );
}

static void RunSums( void* context )
{
	Case* c = context;
	SUP_CALL_KERNEL( supLatticeSumRows )( &c->job, 0, c->own->rows.count );
	SUP_CALL_KERNEL( supLatticeSumColumns )( &c->job, 0, c->own->columns.count );
	SUP_CALL_KERNEL( supLatticeSumStacks )( &c->job, 0, c->own->stacks.count );
	SUP_CALL_KERNEL( supLatticeListSums )( &c->job, 0, c->own->brickCount + 1 + c->own->extraBrickCount );
}

static void RunMatch( void* context )
{
	Case* c = context;
	RunSums( c );
	SUP_CALL_KERNEL( supLatticeMatch )( &c->job, 0, c->own->brickCount + 1 + c->own->extraBrickCount );
	SUP_CALL_KERNEL( supLatticeListGoals )( &c->job, 0, c->own->voxelLists.count );
	SUP_CALL_KERNEL( supLatticeSpreadStacks )( &c->job, 0, c->own->stacks.count );
	SUP_CALL_KERNEL( supLatticeSpreadColumns )( &c->job, 0, c->own->columns.count );
	SUP_CALL_KERNEL( supLatticeSpreadRows )( &c->job, 0, c->own->rows.count );
	SUP_CALL_KERNEL( supLatticeCorrect )( &c->job, 0, c->own->brickCount );
}

static void RunFinish( void* context )
{
	Case* c = context;
	float unrest;
	SUP_CALL_KERNEL( supLatticeFinish )( &c->job, 0, c->own->brickCount, &unrest );
}

// ---------------------------------------------------------------------------------------------------------------------

static double Milliseconds( benchFcn* function, Case* c )
{
	return 1e3 * benchBestTime( function, c, ROUNDS, SECONDS );
}

static void MeasureWorkload( FILE* csv, const char* model, int32_t wanted, int32_t width, double paperMs,
							 const supTasks* tasks )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( model )->create( &error );
	benchRequire( character != NULL, &error );
	int32_t resolution;
	supFlesh* flesh = BuildNearest( character, wanted, width, &resolution );
	Case c;
	InitCase( &c, flesh, NULL );
	double one = Milliseconds( RunStep, &c ), surface = Milliseconds( RunSurface, &c );
	double parts[5] = { Milliseconds( RunPredict, &c ), Milliseconds( RunMatch, &c ), Milliseconds( RunStretch, &c ),
						Milliseconds( RunVolume, &c ), Milliseconds( RunFinish, &c ) };
	DestroyCase( &c );
	InitCase( &c, flesh, tasks );
	double two = Milliseconds( RunStep, &c );
	DestroyCase( &c );
	printf( "%-8s %4d %6d %2d %8.3f %8.3f %7.2f %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f\n", model, resolution,
			VoxelCount( flesh ), width, one, two, paperMs, parts[0], parts[1], parts[2], parts[3], parts[4], surface );
	char name[64];
	snprintf( name, sizeof( name ), "%s %d voxels", model, VoxelCount( flesh ) );
	benchWriteCsv( csv, "lattice", name, 1, one, "ms/step" );
	benchWriteCsv( csv, "lattice", name, 2, two, "ms/step" );
	static const char* const names[5] = { "predict", "match", "stretch", "volume", "finish" };
	for ( int i = 0; i < 5; ++i )
	{
		char part[96];
		snprintf( part, sizeof( part ), "%s %s", name, names[i] );
		benchWriteCsv( csv, "lattice", part, 1, parts[i], "ms" );
	}
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

static void MeasureSweep( FILE* csv, const supCharacter* character, int32_t resolution, int32_t width )
{
	supFlesh* flesh = Build( character, resolution, width );
	Case c;
	InitCase( &c, flesh, NULL );
	double step = Milliseconds( RunStep, &c ), sums = Milliseconds( RunSums, &c ), match = Milliseconds( RunMatch, &c );
	double perVoxel = 1e6 / VoxelCount( flesh );
	printf( "%10d %6d %8d %9.3f %10.1f %10.1f %10.1f\n", resolution, width, VoxelCount( flesh ), step, step * perVoxel,
			match * perVoxel, sums * perVoxel );
	char name[64];
	snprintf( name, sizeof( name ), "bunny %d width %d", resolution, width );
	benchWriteCsv( csv, "lattice", name, 1, step * perVoxel, "ns/voxel" );
	DestroyCase( &c );
	supDestroyFlesh( flesh );
}

int main( int argumentCount, char** arguments )
{
	supSetLog( NULL, NULL );
	supThreadPool* pool = supCreateThreadPool( 2 );
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	if ( pool == NULL )
	{
		fprintf( stderr, "out of memory\n" );
		return 1;
	}
	const supTasks* tasks = supThreadPool_Tasks( pool );
	printf( "the paper's workloads, ms a step; paper: on an i7-3770; parts on one thread\n" );
	printf(
		"model     res voxels  w 1 thread 2 thread   paper  predict    match  stretch   volume   finish  surface\n" );
	MeasureWorkload( csv, "bunny", 3671, 3, 19.47, tasks );
	MeasureWorkload( csv, "smurf", 4312, 3, 36.36, tasks );
	MeasureWorkload( csv, "bloat", 4798, 3, 32.45, tasks );
	MeasureWorkload( csv, "bloat", 922, 2, 5.47, tasks );
	supError error = { 0 };
	supCharacter* character = supFindModel( "bunny" )->create( &error );
	benchRequire( character != NULL, &error );
	printf( "\nbunny, one thread\nresolution  width   voxels   ms/step   ns/voxel   matching       sums\n" );
	for ( int32_t resolution = 16; resolution <= 128; resolution *= 2 )
	{
		MeasureSweep( csv, character, resolution, 3 );
	}
	for ( int32_t width = 2; width <= SUP_LATTICE_MAX_WIDTH; ++width )
	{
		MeasureSweep( csv, character, 48, width );
	}
	if ( csv != NULL )
	{
		fclose( csv );
	}
	supDestroyCharacter( character );
	supDestroyThreadPool( pool );
	return 0;
}
