// SPDX-License-Identifier: MIT
// The multi-layer lattice: the four workloads of its paper with the cost of each part (Table 1, Figure 8), and what a
// voxel costs over resolutions and widths of regions.
//
// Parts are timed inside the steps of a clip, which is run through several times: of each part of each step the best
// lap counts, then the mean over the clip. So a disturbed lap does no harm, and what is measured is always the same
// motion.
#include "bench.h"

#include "method/lattice/lattice.h"
#include "models/models.h"
#include "supple/supple.h"

#include <math.h>

#define LAPS 5
#define MOST_STEPS 120

typedef struct Case
{
	const supFlesh* flesh;
	const supLatticeFlesh* own;
	void* state;
	supPose* pose;
	supSubstep step;
	supTrouble trouble;
	supVec3* positions;
	supVec3* normals;
} Case;

// Milliseconds a step.
typedef struct Costs
{
	double whole;
	double parts[sup_latticePhaseCount];
	double surface;
} Costs;

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
	c->step = ( supSubstep ){ .pose = c->pose,
							  .dt = 1.0f / 60.0f,
							  .tasks = tasks,
							  .trouble = &c->trouble,
							  .parameters = flesh->parameters,
							  .regions = flesh->regions,
							  .gravity = { 0.0f, -9.81f, 0.0f } };
}

static void DestroyCase( Case* c )
{
	supDestroyPose( c->pose );
	free( c->state );
	free( c->positions );
	free( c->normals );
}

static void Keep( double* best, double value, int lap )
{
	*best = lap == 0 || value < *best ? value : *best;
}

// One step of a lap, as a scene makes it.
static void MeasureStep( Case* c, const supClip* clip, int32_t number, int lap, Costs* best )
{
	supPose_ApplyClip( c->pose, clip, clip->start + (float)number * c->step.dt );
	supPose_Worlds( c->pose );
	supLatticeTimes times = { 0 };
	double start = benchNow();
	supLattice_StepTimed( c->own, c->state, &c->step, &times );
	Keep( &best->whole, 1e3 * ( benchNow() - start ), lap );
	for ( int i = 0; i < sup_latticePhaseCount; ++i )
	{
		Keep( best->parts + i, times.milliseconds[i], lap );
	}
	supSkinOutput output = { .positions = c->positions, .normals = c->normals };
	start = benchNow();
	supLattice_WriteSurface( c->own, c->state, c->pose, 0, c->step.tasks, &output );
	Keep( &best->surface, 1e3 * ( benchNow() - start ), lap );
}

// Over the character's first clip, or the first two seconds of it.
static Costs Measure( const supFlesh* flesh, const supTasks* tasks )
{
	static Costs steps[MOST_STEPS];
	const supClip* clip = supCharacter_Clip( supFlesh_Character( flesh ), 0 );
	Case c;
	InitCase( &c, flesh, tasks );
	int32_t count = (int32_t)( ( clip->end - clip->start ) / c.step.dt );
	count = count < MOST_STEPS ? count : MOST_STEPS;
	for ( int lap = 0; lap < LAPS; ++lap )
	{
		supPose_ApplyClip( c.pose, clip, clip->start );
		supPose_Worlds( c.pose );
		supLattice_Reset( c.own, c.state, c.pose, tasks );
		for ( int32_t i = 0; i < count; ++i )
		{
			MeasureStep( &c, clip, i, lap, steps + i );
		}
	}
	Costs mean = { 0 };
	for ( int32_t i = 0; i < count; ++i )
	{
		mean.whole += steps[i].whole / count;
		mean.surface += steps[i].surface / count;
		for ( int k = 0; k < sup_latticePhaseCount; ++k )
		{
			mean.parts[k] += steps[i].parts[k] / count;
		}
	}
	DestroyCase( &c );
	return mean;
}

// ---------------------------------------------------------------------------------------------------------------------
// The paper's workloads

static const char* const s_phases[sup_latticePhaseCount] = { "skeleton", "predict", "stretch", "volume", "sums",
															 "rotate",   "goals",   "whole",   "finish" };

static void ShowCosts( FILE* csv, const char* model, const supFlesh* flesh, int32_t resolution, int threads,
					   double paperMs, const Costs* costs )
{
	const supLatticeFlesh* own = flesh->own;
	printf( "%-6s %4d %6d %2d %2d %8.3f %7.2f", model, resolution, own->voxelCount, own->window.width, threads,
			costs->whole, paperMs );
	char name[96];
	snprintf( name, sizeof( name ), "%s %d voxels", model, own->voxelCount );
	benchWriteCsv( csv, "lattice", name, threads, costs->whole, "ms/step" );
	for ( int i = 0; i < sup_latticePhaseCount; ++i )
	{
		printf( " %8.3f", costs->parts[i] );
		snprintf( name, sizeof( name ), "%s %d voxels %s", model, own->voxelCount, s_phases[i] );
		benchWriteCsv( csv, "lattice", name, threads, costs->parts[i], "ms" );
	}
	printf( " %8.3f\n", costs->surface );
}

static void MeasureWorkload( FILE* csv, const char* model, int32_t wanted, int32_t width, double paperMs,
							 const supTasks* tasks )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( model )->create( &error );
	benchRequire( character != NULL, &error );
	int32_t resolution;
	supFlesh* flesh = BuildNearest( character, wanted, width, &resolution );
	Costs one = Measure( flesh, NULL ), two = Measure( flesh, tasks );
	ShowCosts( csv, model, flesh, resolution, 1, paperMs, &one );
	ShowCosts( csv, model, flesh, resolution, 2, paperMs, &two );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Sweeps

// Additions and multiplications that windows along one axis cost a cell, with and without moments (sums_kernel.c).
typedef struct WindowCost
{
	int sum, moment;
} WindowCost;

static WindowCost CostOfCells( int width )
{
	int pairs = width / 2;
	// the innermost pair of an odd window is one cell from its middle: nothing to multiply with
	return ( WindowCost ){ width - 1, width % 2 == 1 ? 3 * pairs - 2 : 3 * pairs - 1 };
}

static WindowCost CostOfBlocks( int width )
{
	return width < SUP_LATTICE_BLOCKS_FROM ? CostOfCells( width ) : ( WindowCost ){ 3, 6 };
}

// Voxels that lists take off regions or add to them.
static double CountListed( const supLatticeFlesh* f )
{
	double count = 0.0;
	for ( int32_t i = 0; i < f->regionLists.starts[f->regionLists.count]; ++i )
	{
		count += __builtin_popcount( f->regionLists.offsets[i].lanes );
	}
	return count;
}

// Cells whose sums along some axes are of use, on all sheets.
static double CountCells( const supLatticeFlesh* f, int role )
{
	double count = 0.0;
	for ( int32_t i = 0; i < f->brickCount + 1 + f->extraBrickCount + f->passBrickCount; ++i )
	{
		count += ( f->roles[i] & role ) != 0 ? 8.0 : 0.0;
	}
	return count;
}

// Operations a voxel on the way to the sums of all regions: along x three channels with their moments, along y three
// and three without, along z three and six without; twelve additions where sheets are joined, twelve products and
// additions for each voxel in a list.
static double CountOperations( const supLatticeFlesh* f )
{
	WindowCost row = CostOfCells( f->window.width ), line = CostOfBlocks( f->window.width );
	double rows = 3 * ( row.sum + row.moment ) * CountCells( f, sup_latticeSumsRow );
	double columns = ( 6 * line.sum + 3 * line.moment ) * CountCells( f, sup_latticeSumsColumn );
	double stacks = ( 9 * line.sum + 3 * line.moment ) * CountCells( f, sup_latticeSumsRegion );
	double joins = 12 * 8.0 * f->regionJoins.starts[f->regionJoins.count];
	return ( rows + columns + stacks + joins + 24.0 * CountListed( f ) ) / f->voxelCount;
}

// The same, region by region and voxel by voxel.
static double CountDirectly( const supLatticeFlesh* f )
{
	double members = 0.0;
	for ( int32_t i = 0; i < f->voxelCount; ++i )
	{
		float share = f->shares[f->voxelSlots[i]];
		members += share > 0.0f ? 1.0 / (double)share : 0.0;
	}
	return 24.0 * members / f->voxelCount;
}

// The two curves.
static const char s_widths[] = "lattice_width";
static const char s_voxels[] = "lattice_voxels";

// Nanoseconds a voxel.
static double MeasureSweep( FILE* csv, const char* plot, const char* model, const supCharacter* character,
							int32_t resolution, int32_t width )
{
	supFlesh* flesh = Build( character, resolution, width );
	const supLatticeFlesh* own = flesh->own;
	Costs costs = Measure( flesh, NULL );
	double perVoxel = 1e6 / own->voxelCount;
	const double* parts = costs.parts;
	printf( "%-6s %10d %6d %7d %8.3f %8.1f %6.1f %7.1f %6.1f %7.3f %6.3f %10.0f %8.0f\n", model, resolution, width,
			own->voxelCount, costs.whole, costs.whole * perVoxel, parts[sup_latticePhaseSums] * perVoxel,
			parts[sup_latticePhaseRotations] * perVoxel, parts[sup_latticePhaseGoals] * perVoxel,
			(double)( own->brickCount + own->passBrickCount ) / own->voxelCount, CountListed( own ) / own->voxelCount,
			CountOperations( own ), CountDirectly( own ) );
	char name[64];
	snprintf( name, sizeof( name ), "%s %d width %d", model, resolution, width );
	benchWriteCsv( csv, "lattice", name, 1, costs.whole * perVoxel, "ns/voxel" );
	benchWritePoint( csv, plot, model, 1, plot == s_widths ? width : own->voxelCount,
					 plot == s_widths ? "width" : "voxels", plot == s_widths ? costs.whole * perVoxel : costs.whole,
					 plot == s_widths ? "ns a voxel" : "ms" );
	supDestroyFlesh( flesh );
	return costs.whole * perVoxel;
}

// Of x in y = c x^e, by least squares of logarithms, over every `stride`th from `first` on.
static double FindExponent( const double* x, const double* y, int first, int count, int stride )
{
	double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
	for ( int i = first; i < count; i += stride )
	{
		double lx = log( x[i] ), ly = log( y[i] );
		n += 1.0;
		sx += lx;
		sy += ly;
		sxx += lx * lx;
		sxy += lx * ly;
	}
	return ( n * sxy - sx * sy ) / ( n * sxx - sx * sx );
}

static void SweepWidths( FILE* csv, const char* model )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( model )->create( &error );
	benchRequire( character != NULL, &error );
	double widths[SUP_LATTICE_MAX_WIDTH], costs[SUP_LATTICE_MAX_WIDTH];
	int count = 0;
	for ( int32_t width = 2; width <= SUP_LATTICE_MAX_WIDTH; ++width, ++count )
	{
		widths[count] = width;
		costs[count] = MeasureSweep( csv, s_widths, model, character, 48, width );
	}
	// even widths have more regions than voxels, and cost more whatever they are
	printf( "%s: cost grows with the width to the power of %.3f (odd widths %.3f, even %.3f)\n", model,
			FindExponent( widths, costs, 0, count, 1 ), FindExponent( widths, costs, 1, count, 2 ),
			FindExponent( widths, costs, 0, count, 2 ) );
	supDestroyCharacter( character );
}

static void SweepResolutions( FILE* csv, const char* model )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( model )->create( &error );
	benchRequire( character != NULL, &error );
	for ( int32_t resolution = 16; resolution <= 128; resolution *= 2 )
	{
		MeasureSweep( csv, s_voxels, model, character, resolution, 3 );
	}
	supDestroyCharacter( character );
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
	printf( "the paper's workloads, ms a step on 1 and 2 threads; paper: on an i7-3770; w: width, t: threads\n" );
	printf( "model   res voxels  w  t     step   paper" );
	for ( int i = 0; i < sup_latticePhaseCount; ++i )
	{
		printf( " %8s", s_phases[i] );
	}
	printf( "  surface\n" );
	MeasureWorkload( csv, "bunny", 3671, 3, 19.47, tasks );
	MeasureWorkload( csv, "smurf", 4312, 3, 36.36, tasks );
	MeasureWorkload( csv, "bloat", 4798, 3, 32.45, tasks );
	MeasureWorkload( csv, "bloat", 922, 2, 5.47, tasks );
	printf( "\none thread; ns a voxel, operations a voxel to the sums of all regions\n" );
	printf(
		"model  resolution  width  voxels  ms/step ns/voxel   sums  rotate  goals  bricks  terms operations  direct\n" );
	SweepResolutions( csv, "bunny" );
	SweepWidths( csv, "bunny" );
	SweepWidths( csv, "horse" );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	supDestroyThreadPool( pool );
	return 0;
}
