// SPDX-License-Identifier: MIT
// A substep, as a list of named phases:
//
//     predict   pose palette -> skin, swing
//     solve     iterations of: stretch, volume, sums, match, goals, pulls; then the volume of the whole
//     finish    velocities and repair, frames for the surface
#include "method/grab.h"
#include "method/lattice/lattice.h"

#include "core/clock.h"

// bricks and lines that one worker takes at a time
#define BRICK_GRAIN 24
#define LINE_GRAIN 8
#define PLANE_GRAIN 1
#define LIST_GRAIN 16
#define GROUP_GRAIN 16
#define VOXEL_GRAIN 256

// What the stages of one substep share.
typedef struct Step
{
	supLatticeJob job;
	supLatticeMotion motions[SUP_LATTICE_MAX_CLASSES + 1];
	// per worker, a cache line each
	int64_t counts[SUP_MAX_THREADS][8];
	float unrest[SUP_MAX_THREADS][16];
	// NULL where nobody wants to know
	supLatticeTimes* times;
} Step;

// ---------------------------------------------------------------------------------------------------------------------
// What the parameters mean for one substep

static float LayerValue( const float* parameters, float kind, supLatticeParameter muscle )
{
	const float* values = parameters + muscle;
	// frequency, damping, matching: three of muscle, three of fat, three of skin
	return kind >= 2.0f ? values[6] : supLerpFloat( values[0], values[3], kind );
}

static float PaperValue( const float* parameters, float kind, supLatticeParameter muscle )
{
	const float* values = parameters + muscle;
	return kind >= 2.0f ? values[4] : supLerpFloat( values[0], values[2], kind );
}

// Stiffness of matching in one substep: a spring of this frequency towards the goal, at most all the way.
static float MatchingOf( float frequency, float dt )
{
	float w = 2.0f * SUP_PI * frequency * dt;
	return supMinFloat( 1.0f, w * w );
}

// Softness says how slowly flesh swings, muscle and fat alike (it fades towards the bone by itself), up to the
// frequency of muscle. Layers say how soon a swing dies away. The place of softness is a region, whose own tuning goes
// first.
// - kind: 0 muscle .. 1 fat
static void SoftenTether( const supLatticeClass* class, const float* parameters, const supRegionTuning* regions,
						  float kind, float* frequency, float* damping )
{
	float firm = parameters[sup_latticeMuscleFrequency], softest = parameters[sup_latticeFatFrequency];
	float slack = parameters[sup_latticeFatDamping], softness = class->softness;
	const supRegionTuning* region = regions + class->region;
	// muscle everywhere is as firm everywhere, unless a region says otherwise
	if ( parameters[sup_latticeMode] == (float)sup_latticeSingle && region->frequency == 0.0f )
	{
		return;
	}
	softest = region->frequency > 0.0f ? region->frequency : softest;
	slack = region->damping > 0.0f ? region->damping : slack;
	float whole = parameters[sup_latticeSoftness];
	*frequency = supMinFloat( supSoftFrequency( softest, softness, whole ), firm );
	*damping = supLerpFloat( parameters[sup_latticeMuscleDamping], slack, supMaxFloat( kind, softness ) * softness );
}

static supLatticeMotion MakeMotion( const supLatticeFlesh* flesh, const supLatticeClass* class, const float* parameters,
									const supRegionTuning* regions, float dt )
{
	supLatticeMode mode = (supLatticeMode)parameters[sup_latticeMode];
	float layer = flesh->layerKinds[class->layer], tether = flesh->layerKinds[class->tether];
	layer = mode == sup_latticeSingle ? 0.0f : ( mode == sup_latticeWithoutSkin && layer >= 2.0f ? tether : layer );
	tether = mode == sup_latticeSingle ? 0.0f : tether;
	// skin has a tether of its own only if one is set
	bool ownTether = layer >= 2.0f && parameters[sup_latticeSkinFrequency] > 0.0f;
	tether = ownTether ? layer : supMinFloat( tether, 1.0f );
	float frequency = LayerValue( parameters, tether, sup_latticeMuscleFrequency );
	float damping = LayerValue( parameters, tether, sup_latticeMuscleDamping );
	float matching = LayerValue( parameters, layer, sup_latticeMuscleMatching );
	if ( ownTether == false && class->region != SUP_LATTICE_NO_REGION && regions != NULL )
	{
		// soft muscle holds on to what is firm around it no more than fat does
		float loose = supMinFloat( matching, LayerValue( parameters, 1.0f, sup_latticeMuscleMatching ) );
		matching = supLerpFloat( matching, loose, class->softness );
		SoftenTether( class, parameters, regions, tether, &frequency, &damping );
	}
	bool isFree = class->isBone == 0 && mode != sup_latticeNone && parameters[sup_latticeSoftness] > 0.0f;
	supLatticeMotion motion = { .free = isFree ? 1.0f : 0.0f, .keep = 1.0f };
	if ( parameters[sup_latticePaper] == (float)sup_latticeOurs )
	{
		float matrix[4];
		supSolveTether( frequency, damping, dt, matrix );
		motion.a00 = matrix[0];
		motion.a01 = matrix[1];
		motion.a10 = matrix[2];
		motion.a11 = matrix[3];
		motion.matching = MatchingOf( matching, dt );
	}
	else
	{
		motion.a00 = 1.0f;
		motion.a01 = dt;
		motion.a11 = 1.0f;
		motion.matching = PaperValue( parameters, layer, sup_latticePaperMuscleStiffness );
		motion.keep = PaperValue( parameters, layer, sup_latticePaperMuscleDamping );
	}
	motion.matching *= motion.free;
	return motion;
}

static void MakeMotions( Step* step, const float* parameters, const supRegionTuning* regions, float dt )
{
	const supLatticeFlesh* flesh = step->job.flesh;
	for ( int32_t i = 0; i < flesh->classCount; ++i )
	{
		step->motions[i] = MakeMotion( flesh, flesh->classes + i, parameters, regions, dt );
	}
	// empty slots
	step->motions[flesh->classCount] = ( supLatticeMotion ){ 0 };
}

// Constraints as firm at every step length: what a step of 1/60 s does all at once a shorter one does in parts.
static float Strength( float value, float dt )
{
	float part = supMinFloat( 1.0f, 60.0f * dt );
	return value * part * part;
}

// Voxels; fourth powers of them are floats.
#define MAX_PAPER_LEASH 1e6f

static void MakeStep( Step* step, const supLatticeFlesh* flesh, void* state, const float* parameters,
					  const supRegionTuning* regions, float dt )
{
	memset( step->counts, 0, sizeof( step->counts ) );
	memset( step->unrest, 0, sizeof( step->unrest ) );
	step->times = NULL;
	step->job = ( supLatticeJob ){ .flesh = flesh,
								   .arrays = supLattice_Arrays( flesh, state ),
								   .motions = step->motions,
								   .paper = (supLatticePaper)parameters[sup_latticePaper],
								   .blend = (supLatticeBlend)parameters[sup_latticeBlend],
								   .dt = dt,
								   .reach = parameters[sup_latticeReach] * flesh->longest / flesh->voxelSize,
								   .stretch = Strength( parameters[sup_latticeStretch], dt ),
								   .volume = Strength( parameters[sup_latticeVolume], dt ) };
	step->job.scale = step->job.arrays.head->scale;
	// the paper's own steps explode, which is for everybody to see, but not beyond the numbers
	step->job.leash = step->job.paper != sup_latticeOurs ? MAX_PAPER_LEASH : flesh->longest / flesh->voxelSize;
	step->job.arrays.head->carry = (supLatticeCarry)parameters[sup_latticeCarry];
	step->job.arrays.head->mode = (supLatticeMode)parameters[sup_latticeMode];
	MakeMotions( step, parameters, regions, dt );
}

// ---------------------------------------------------------------------------------------------------------------------
// Stages: kernels on a range

#define STAGE( name, kernel, source, target )                                                                          \
	static void name( int32_t begin, int32_t end, int32_t worker, void* context )                                      \
	{                                                                                                                  \
		(void)worker;                                                                                                  \
		supLatticeJob job = ( (Step*)context )->job;                                                                   \
		job.from = source;                                                                                             \
		job.to = target;                                                                                               \
		SUP_CALL_KERNEL( kernel )( &job, begin, end );                                                                 \
	}

STAGE( StageStretch, supLatticeStretch, job.arrays.positions, job.arrays.others )
STAGE( StageSlopes, supLatticeVolumeSlopes, job.arrays.others, NULL )
STAGE( StageVolume, supLatticeVolumeApply, job.arrays.others, job.arrays.positions )
STAGE( StageStacks, supLatticeSumStacks, NULL, NULL )
STAGE( StageListSums, supLatticeListSums, job.arrays.positions, NULL )
STAGE( StageListGoals, supLatticeListGoals, NULL, NULL )
STAGE( StageJoinGoals, supLatticeJoinGoals, NULL, NULL )
STAGE( StageSpreadStacks, supLatticeSpreadStacks, NULL, NULL )
STAGE( StageShell, supLatticeShellGroups, job.arrays.positions, NULL )

// The same behind the bricks of the grid: of extra bricks, and of those of other sheets.
static void StageListExtras( int32_t begin, int32_t end, int32_t worker, void* context )
{
	const supLatticeFlesh* f = ( (Step*)context )->job.flesh;
	int32_t first = f->partedCount - f->partedExtraCount;
	StageListSums( first + begin, first + end, worker, context );
}

static void StageJoinSheets( int32_t begin, int32_t end, int32_t worker, void* context )
{
	const supLatticeFlesh* f = ( (Step*)context )->job.flesh;
	int32_t first = f->sharedCount - f->sharedPassCount;
	StageJoinGoals( first + begin, first + end, worker, context );
}

// Rows and columns of a plane across z, which stay in the cache from one to the other.
static void StagePlanes( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supLatticeJob job = ( (Step*)context )->job;
	const supLatticeFlesh* f = job.flesh;
	job.from = job.arrays.positions;
	for ( int32_t i = begin; i < end; ++i )
	{
		SUP_CALL_KERNEL( supLatticeSumRows )( &job, f->planeRows[i], f->planeRows[i + 1] );
		SUP_CALL_KERNEL( supLatticeSumColumns )( &job, f->planeColumns[i], f->planeColumns[i + 1] );
	}
}

static void StageSpreadPlanes( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supLatticeJob job = ( (Step*)context )->job;
	const supLatticeFlesh* f = job.flesh;
	job.from = job.arrays.positions;
	job.to = job.arrays.positions;
	for ( int32_t i = begin; i < end; ++i )
	{
		SUP_CALL_KERNEL( supLatticeSpreadColumns )( &job, f->planeColumns[i], f->planeColumns[i + 1] );
		SUP_CALL_KERNEL( supLatticeSpreadRows )( &job, f->planeRows[i], f->planeRows[i + 1] );
		SUP_CALL_KERNEL( supLatticeCorrect )( &job, f->planeBricks[i], f->planeBricks[i + 1] );
	}
}

static void StagePredict( int32_t begin, int32_t end, int32_t worker, void* context )
{
	Step* step = context;
	step->counts[worker][1] += SUP_CALL_KERNEL( supLatticePredict )( &step->job, begin, end );
}

static void StageMatch( int32_t begin, int32_t end, int32_t worker, void* context )
{
	Step* step = context;
	step->counts[worker][0] += SUP_CALL_KERNEL( supLatticeMatch )( &step->job, begin, end );
}

static void StageFinish( int32_t begin, int32_t end, int32_t worker, void* context )
{
	Step* step = context;
	float unrest;
	step->counts[worker][1] += SUP_CALL_KERNEL( supLatticeFinish )( &step->job, begin, end, &unrest );
	step->unrest[worker][0] = supMaxFloat( step->unrest[worker][0], unrest );
}

// The gradient of a part's volume at the voxels of the shell.
static void StageShellVoxels( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const supLatticeJob* job = &( (Step*)context )->job;
	const supLatticeShell* shell = &job->flesh->shell;
	for ( int32_t i = begin; i < end; ++i )
	{
		float slope[3] = { 0.0f, 0.0f, 0.0f };
		for ( int32_t k = shell->starts[i]; k < shell->starts[i + 1]; ++k )
		{
			int32_t use = shell->uses[k];
			const float* gradient = job->arrays.shellGradients + (size_t)( use >> 3 ) * 24 + ( use & 7 );
			slope[0] += gradient[0];
			slope[1] += gradient[8];
			slope[2] += gradient[16];
		}
		float* out = job->arrays.shellSlopes + (size_t)i * 4;
		float free = job->flesh->freedoms[shell->slots[i]];
		out[0] = slope[0];
		out[1] = slope[1];
		out[2] = slope[2];
		out[3] = free * ( slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2] );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Clock

// What has passed since the last look at the clock belongs to this phase.
static void Charge( const Step* step, supLatticePhase phase )
{
	if ( step->times != NULL )
	{
		double now = supGetMilliseconds();
		step->times->milliseconds[phase] += now - step->times->since;
		step->times->since = now;
	}
}

// Between stages that run in one parallel region, a stage of one piece looks at the clock.
#define CHARGE( name, phase )                                                                                          \
	static void name( int32_t begin, int32_t end, int32_t worker, void* context )                                      \
	{                                                                                                                  \
		(void)begin;                                                                                                   \
		(void)end;                                                                                                     \
		(void)worker;                                                                                                  \
		Charge( context, phase );                                                                                      \
	}

CHARGE( ChargeStretch, sup_latticePhaseStretch )
CHARGE( ChargeVolume, sup_latticePhaseVolume )
CHARGE( ChargeSums, sup_latticePhaseSums )
CHARGE( ChargeRotations, sup_latticePhaseRotations )
CHARGE( ChargeGoals, sup_latticePhaseGoals )

// ---------------------------------------------------------------------------------------------------------------------
// Phases

static void RunStages( Step* step, const supTasks* tasks, const supStage* stages, int32_t count )
{
	supRunStages( tasks, stages, count, 1, step );
}

void supLattice_SumRegions( supLatticeJob* job, const supTasks* tasks )
{
	const supLatticeFlesh* f = job->flesh;
	Step step = { .job = *job };
	const supStage stages[] = { { StagePlanes, f->planeCount, PLANE_GRAIN },
								{ StageStacks, f->stacks.count, LINE_GRAIN },
								{ StageListExtras, f->partedExtraCount, BRICK_GRAIN },
								{ StageListSums, f->partedCount - f->partedExtraCount, BRICK_GRAIN } };
	RunStages( &step, tasks, stages, SUP_COUNT( stages ) );
}

// Lattice shape matching; with `apply` false only the motions of regions are found.
static void MatchShapes( Step* step, const supTasks* tasks, bool apply )
{
	const supLatticeFlesh* f = step->job.flesh;
	int32_t all = f->brickCount + f->extraBrickCount, isTimed = step->times != NULL;
	const supStage stages[] = { { StagePlanes, f->planeCount, PLANE_GRAIN },
								{ StageStacks, f->stacks.count, LINE_GRAIN },
								{ StageListExtras, f->partedExtraCount, BRICK_GRAIN },
								{ StageListSums, f->partedCount - f->partedExtraCount, BRICK_GRAIN },
								{ ChargeSums, isTimed, 1 },
								{ StageMatch, all, BRICK_GRAIN },
								{ ChargeRotations, isTimed, 1 },
								{ StageListGoals, f->voxelLists.count, LIST_GRAIN },
								{ StageJoinSheets, f->sharedPassCount, BRICK_GRAIN },
								{ StageJoinGoals, f->sharedCount - f->sharedPassCount, BRICK_GRAIN },
								{ StageSpreadStacks, f->stacks.count, LINE_GRAIN },
								{ StageSpreadPlanes, f->planeCount, PLANE_GRAIN },
								{ ChargeGoals, isTimed, 1 } };
	RunStages( step, tasks, stages, apply ? SUP_COUNT( stages ) : 7 );
}

static void Constrain( Step* step, const supTasks* tasks )
{
	const supLatticeFlesh* f = step->job.flesh;
	int32_t isTimed = step->times != NULL;
	const supStage stages[] = { { StageStretch, f->voxelBrickCount, BRICK_GRAIN },
								{ ChargeStretch, isTimed, 1 },
								{ StageSlopes, f->voxelBrickCount, BRICK_GRAIN },
								{ StageVolume, f->voxelBrickCount, BRICK_GRAIN },
								{ ChargeVolume, isTimed, 1 } };
	if ( step->job.stretch > 0.0f || step->job.volume > 0.0f )
	{
		RunStages( step, tasks, stages, SUP_COUNT( stages ) );
	}
}

static float* PlaceOf( const Step* step, int32_t voxel )
{
	int32_t slot = step->job.flesh->voxelSlots[voxel];
	return step->job.arrays.positions + (size_t)( slot >> 3 ) * 24 + ( slot & 7 );
}

// Each pull is a critically damped spring, taken implicitly and in as many parts as there are iterations.
static void Pull( Step* step, const supSubstep* sub, int32_t iterations )
{
	const supLatticeFlesh* f = step->job.flesh;
	const double* origin = step->job.arrays.head->origin;
	for ( int32_t i = 0; i < sub->pullCount; ++i )
	{
		const supPull* pull = sub->pulls + i;
		const supGrab* grab = pull->grab;
		float w = 2.0f * SUP_PI * pull->frequency * sub->dt;
		float firmness = w * w / ( 1.0f + 2.0f * w + w * w ) / ( (float)iterations * grab->response );
		const float target[3] = { pull->target.x, pull->target.y, pull->target.z };
		float way[3];
		for ( int c = 0; c < 3; ++c )
		{
			double place = 0.0;
			for ( int32_t k = 0; k < grab->count; ++k )
			{
				place += (double)( grab->shares[k] * PlaceOf( step, grab->particles[k] )[8 * c] );
			}
			way[c] = firmness * (float)( ( (double)target[c] - origin[c] ) / (double)f->voxelSize - place );
		}
		for ( int32_t k = 0; k < grab->count; ++k )
		{
			int32_t slot = f->voxelSlots[grab->particles[k]];
			float* p = PlaceOf( step, grab->particles[k] );
			for ( int c = 0; c < 3; ++c )
			{
				p[8 * c] += grab->weights[k] * step->motions[f->slotClasses[slot]].free * way[c];
			}
		}
	}
}

// A whole part may not change by more than this part of a voxel at its border in one substep.
#define MOST_SWELLING 0.25f

// One Newton step towards the volume at rest, for each part: lambda = -( V - V0 ) / sum of w |grad V|^2.
static void KeepVolume( Step* step, const supTasks* tasks, float strength )
{
	const supLatticeFlesh* f = step->job.flesh;
	const supLatticeShell* shell = &f->shell;
	const supStage stages[] = { { StageShell, shell->groupCount, GROUP_GRAIN },
								{ StageShellVoxels, shell->voxelCount, VOXEL_GRAIN } };
	RunStages( step, tasks, stages, SUP_COUNT( stages ) );
	float cube = step->job.scale * step->job.scale * step->job.scale;
	for ( int32_t part = 0; part < shell->partCount; ++part )
	{
		double volume = 0.0, divisor = 0.0;
		for ( int32_t i = shell->partGroups[part]; i < shell->partGroups[part + 1]; ++i )
		{
			volume += step->job.arrays.shellVolumes[i];
		}
		for ( int32_t i = shell->partVoxels[part]; i < shell->partVoxels[part + 1]; ++i )
		{
			divisor += (double)step->job.arrays.shellSlopes[4 * i + 3];
		}
		float lambda =
			divisor > 1.0e-6 ? (float)( ( (double)( cube * shell->volumes[part] ) - volume ) / divisor ) : 0.0f;
		// written so that what is not a number does nothing
		lambda =
			lambda > -MOST_SWELLING ? supMinFloat( lambda, MOST_SWELLING ) : ( lambda < 0.0f ? -MOST_SWELLING : 0.0f );
		for ( int32_t i = shell->partVoxels[part]; i < shell->partVoxels[part + 1]; ++i )
		{
			int32_t slot = shell->slots[i];
			float s = strength * lambda * f->freedoms[slot];
			float* p = step->job.arrays.positions + (size_t)( slot >> 3 ) * 24 + ( slot & 7 );
			const float* slope = step->job.arrays.shellSlopes + (size_t)i * 4;
			for ( int c = 0; c < 3; ++c )
			{
				p[8 * c] += s * slope[c];
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// The method's functions

// A jump of more than this part of the body's length in one substep is a teleport: flesh goes along as it is.
#define TELEPORT_RATIO 0.5f

static void PredictStep( Step* step, supPose* pose, const supTasks* tasks, supVec3 gravity, int64_t* bad )
{
	const supLatticeFlesh* f = step->job.flesh;
	const supLatticeArrays* arrays = &step->job.arrays;
	double before[3];
	memcpy( before, arrays->head->origin, sizeof( before ) );
	*bad += supLattice_FillPalette( f, arrays, pose );
	Charge( step, sup_latticePhaseSkeleton );
	step->job.scale = arrays->head->scale;
	float square = 0.0f;
	for ( int i = 0; i < 3; ++i )
	{
		step->job.shift[i] = (float)( ( arrays->head->origin[i] - before[i] ) / (double)f->voxelSize );
		square += step->job.shift[i] * step->job.shift[i];
	}
	float limit = TELEPORT_RATIO * f->longest / f->voxelSize;
	for ( int i = 0; i < 3 && !( square < limit * limit ); ++i )
	{
		step->job.shift[i] = 0.0f;
	}
	step->job.gravity[0] = gravity.x / f->voxelSize;
	step->job.gravity[1] = gravity.y / f->voxelSize;
	step->job.gravity[2] = gravity.z / f->voxelSize;
	const supStage stage = { StagePredict, f->voxelBrickCount, BRICK_GRAIN };
	RunStages( step, tasks, &stage, 1 );
	Charge( step, sup_latticePhasePredict );
}

static int64_t SumCounts( const Step* step, int which )
{
	int64_t sum = 0;
	for ( int i = 0; i < SUP_MAX_THREADS; ++i )
	{
		sum += step->counts[i][which];
	}
	return sum;
}

// The step for callers of predict, solve and finish one by one, or all with the clock.
static void BeginStep( Step* step, const void* flesh, void* state, const supSubstep* sub, supLatticeTimes* times )
{
	MakeStep( step, flesh, state, sub->parameters, sub->regions, sub->dt );
	step->times = times;
}

static void Predict( const void* flesh, void* state, const supSubstep* sub, supLatticeTimes* times )
{
	Step step;
	BeginStep( &step, flesh, state, sub, times );
	// reading particles after the last substep does not move them
	step.job.arrays.head->isShown = 0;
	supVec3 gravity = supScale( sub->parameters[sup_latticeGravity], sub->gravity );
	step.job.isThrown = step.job.paper == sup_latticeOurs && supLattice_FillThrows( flesh, &step.job.arrays, sub );
	PredictStep( &step, sub->pose, sub->tasks, gravity, &sub->trouble->notFinite );
	sub->trouble->notFinite += SumCounts( &step, 1 );
}

void supLattice_Predict( const void* flesh, void* state, const supSubstep* sub )
{
	Predict( flesh, state, sub, NULL );
}

static void SolveStep( Step* step, const supSubstep* sub )
{
	const float* parameters = sub->parameters;
	int32_t iterations = (int32_t)parameters[sup_latticeIterations];
	// flesh that follows its bones has nothing to solve, but its rotations are wanted
	bool isStill = parameters[sup_latticeMode] == (float)sup_latticeNone;
	int32_t rounds = supSubstep_Share( sub, isStill ? 1 : iterations );
	for ( int32_t i = 0; i < rounds; ++i )
	{
		if ( isStill == false )
		{
			Constrain( step, sub->tasks );
		}
		MatchShapes( step, sub->tasks, isStill == false );
		Pull( step, sub, iterations );
	}
	float strength = Strength( parameters[sup_latticeWholeVolume], sub->dt );
	if ( isStill == false && strength > 0.0f && supSubstep_IsLastPass( sub ) )
	{
		KeepVolume( step, sub->tasks, strength );
	}
	Charge( step, sup_latticePhaseWhole );
}

static void Solve( const void* flesh, void* state, const supSubstep* sub, supLatticeTimes* times )
{
	Step step;
	BeginStep( &step, flesh, state, sub, times );
	supLattice_TakeParticles( &step.job, sub->tasks );
	SolveStep( &step, sub );
	step.job.arrays.head->hasFrames = 0;
	sub->trouble->inverted += SumCounts( &step, 0 );
}

void supLattice_Solve( const void* flesh, void* state, const supSubstep* sub )
{
	Solve( flesh, state, sub, NULL );
}

static void FinishStep( Step* step, const supTasks* tasks )
{
	const supStage stage = { StageFinish, step->job.flesh->voxelBrickCount, BRICK_GRAIN };
	RunStages( step, tasks, &stage, 1 );
	float unrest = 0.0f;
	for ( int i = 0; i < SUP_MAX_THREADS; ++i )
	{
		unrest = supMaxFloat( unrest, step->unrest[i][0] );
	}
	step->job.arrays.head->unrest = sqrtf( unrest );
	step->job.arrays.head->hasFrames = 0;
}

// What was moved without getting faster by it.
static void TakeShifts( const supLatticeJob* job, const float* shifts )
{
	float scale = 1.0f / ( job->flesh->voxelSize * job->dt );
	for ( int32_t i = 0; i < job->flesh->voxelCount; ++i )
	{
		int32_t slot = job->flesh->voxelSlots[i];
		float* v = job->arrays.velocities + (size_t)( slot >> 3 ) * 24 + ( slot & 7 );
		v[0] -= scale * shifts[4 * (size_t)i];
		v[8] -= scale * shifts[4 * (size_t)i + 1];
		v[16] -= scale * shifts[4 * (size_t)i + 2];
	}
}

static void Finish( const void* flesh, void* state, const supSubstep* sub, supLatticeTimes* times )
{
	Step step;
	BeginStep( &step, flesh, state, sub, times );
	supLattice_TakeParticles( &step.job, sub->tasks );
	if ( sub->shifts != NULL )
	{
		TakeShifts( &step.job, sub->shifts );
	}
	FinishStep( &step, sub->tasks );
	sub->trouble->notFinite += SumCounts( &step, 1 );
	Charge( &step, sup_latticePhaseFinish );
}

void supLattice_Finish( const void* flesh, void* state, const supSubstep* sub )
{
	Finish( flesh, state, sub, NULL );
}

void supLattice_StepTimed( const void* flesh, void* state, const supSubstep* sub, supLatticeTimes* times )
{
	times->since = supGetMilliseconds();
	Predict( flesh, state, sub, times );
	Solve( flesh, state, sub, times );
	Finish( flesh, state, sub, times );
}

// Slower than a hundredth of a voxel per second is rest.
#define REST_SPEED_VOXELS_S 0.01f

bool supLattice_IsSettled( const void* flesh, const void* state )
{
	(void)flesh;
	const supLatticeState* head = state;
	return head->unrest < REST_SPEED_VOXELS_S;
}

// ---------------------------------------------------------------------------------------------------------------------
// Rest

#define RELAX_STEPS 120
#define RELAX_DT ( 1.0f / 60.0f )
// voxels per second
#define RELAXED_SPEED_VOXELS_S 0.05f

// As long as it takes to come to rest in a pose, without swinging.
static void Relax( const supLatticeFlesh* flesh, void* state, supPose* pose, const supTasks* tasks )
{
	float parameters[sup_latticeParameterCount];
	memcpy( parameters, flesh->parameters, sizeof( parameters ) );
	parameters[sup_latticePaper] = (float)sup_latticeOurs;
	parameters[sup_latticeMuscleDamping] = 1.0f;
	parameters[sup_latticeFatDamping] = 1.0f;
	parameters[sup_latticeSkinDamping] = 1.0f;
	supTrouble trouble = { 0 };
	supSubstep sub = { .pose = pose, .dt = RELAX_DT, .tasks = tasks, .trouble = &trouble, .parameters = parameters };
	Step step;
	for ( int32_t i = 0; i < RELAX_STEPS; ++i )
	{
		MakeStep( &step, flesh, state, parameters, NULL, RELAX_DT );
		PredictStep( &step, pose, tasks, supVec3_zero, &trouble.notFinite );
		SolveStep( &step, &sub );
		FinishStep( &step, tasks );
		if ( step.job.arrays.head->unrest < RELAXED_SPEED_VOXELS_S )
		{
			break;
		}
	}
}

void supLattice_Reset( const void* ownFlesh, void* state, supPose* pose, const supTasks* tasks )
{
	const supLatticeFlesh* flesh = ownFlesh;
	memset( state, 0, supLattice_StateSize( flesh ) );
	Step step;
	MakeStep( &step, flesh, state, flesh->parameters, NULL, 1.0f );
	const supLatticeArrays* arrays = &step.job.arrays;
	supLattice_ResetPalette( flesh, arrays );
	for ( int32_t i = 0; i < 8 * ( flesh->brickCount + 1 + flesh->extraBrickCount ); ++i )
	{
		arrays->rotations[( i / 8 ) * 32 + 24 + i % 8] = 1.0f;
	}
	// everything where it is skinned, and still
	for ( int32_t i = 0; i <= flesh->classCount; ++i )
	{
		step.motions[i] = ( supLatticeMotion ){ 0 };
	}
	int64_t bad = 0;
	PredictStep( &step, pose, tasks, supVec3_zero, &bad );
	memset( arrays->velocities, 0, ( (size_t)flesh->brickCount + 1 ) * 24 * sizeof( float ) );
	Relax( flesh, state, pose, tasks );
}
