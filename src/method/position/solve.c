// SPDX-License-Identifier: MIT
// The iterations: stretch, bind, volume, drags.
#include "core/tasks.h"
#include "method/grab.h"
#include "method/position/position.h"
#include "method/position/step_math.h"

#include <math.h>

// One actor's constraints in one substep.
typedef struct Solve
{
	const supPositionFlesh* flesh;
	supPositionView view;
	const supSubstep* step;
	supStiffness stretch;
	supStiffness bind;
	supStiffness volume;
	float* stretchMultipliers;
	float* bindMultipliers;
	float* volumeMultipliers;
	// packs with inverted tets in the last iteration, of each domain
	int32_t inverted[SUP_MAX_DOMAINS * SUP_MAX_LEVELS];
	// of each pull: force times step^2 so far
	supVec3* pulls;
} Solve;

supStiffness supPosition_MakeStiffness( const supPositionFlesh* flesh, const supSubstep* step, int32_t parameter )
{
	float modulus = step->parameters[sup_positionStiffness];
	return ( supStiffness ){ .plain = step->parameters[parameter],
							 .softness = 1.0f / ( modulus * step->dt * step->dt ),
							 .compliant = flesh->mode == sup_positionCompliant };
}

static int32_t DomainCount( const supPositionFlesh* flesh )
{
	return flesh->levels.starts[flesh->levels.count];
}

static void InitSolve( Solve* solve, const supPositionFlesh* flesh, void* state, const supSubstep* step )
{
	solve->flesh = flesh;
	solve->view = supPositionFlesh_View( flesh, state );
	solve->step = step;
	solve->stretch = supPosition_MakeStiffness( flesh, step, sup_positionStretch );
	solve->bind = supPosition_MakeStiffness( flesh, step, sup_positionBind );
	solve->volume = supPosition_MakeStiffness( flesh, step, sup_positionVolume );
	memset( solve->inverted, 0, sizeof( solve->inverted ) );
	if ( solve->view.header->scaled != 0 )
	{
		solve->stretch.scales = solve->view.scales;
		solve->bind.scales = solve->stretch.scales + (size_t)flesh->stretch.packCount * SUP_PACK;
		solve->volume.scales = solve->bind.scales + (size_t)flesh->bind.packCount * SUP_PACK;
	}
	if ( flesh->mode == sup_positionCompliant )
	{
		solve->stretchMultipliers = solve->view.multipliers;
		solve->bindMultipliers = solve->stretchMultipliers + (size_t)flesh->stretch.packCount * SUP_PACK;
		solve->volumeMultipliers = solve->bindMultipliers + (size_t)flesh->bind.packCount * SUP_PACK;
	}
}

// Multipliers start from 0 in each substep. Cleared afterwards, so that nothing of them is left in the state.
static void ClearMultipliers( const supPositionFlesh* flesh, const supPositionView* view )
{
	if ( flesh->mode == sup_positionCompliant )
	{
		size_t packCount =
			(size_t)flesh->stretch.packCount + (size_t)flesh->bind.packCount + (size_t)flesh->volume.packCount;
		memset( view->multipliers, 0, packCount * SUP_PACK * sizeof( float ) );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Pieces

static void SolveStretchDomains( Solve* solve, int32_t begin, int32_t end )
{
	const supPositionFlesh* flesh = solve->flesh;
	SUP_CALL_KERNEL( supSolveStretch )
	( solve->view.positions, flesh->stretchPacks, flesh->stretchSprings, solve->stretchMultipliers,
	  flesh->stretch.starts[begin], flesh->stretch.starts[end], solve->stretch );
}

// They lie in domains of the first level.
static void SolveBindDomains( Solve* solve, int32_t begin, int32_t end )
{
	const supPositionFlesh* flesh = solve->flesh;
	SUP_CALL_KERNEL( supSolveBind )
	( solve->view.positions, flesh->bindPacks, flesh->bindSprings, solve->view.anchors, solve->bindMultipliers,
	  flesh->bind.starts[begin], flesh->bind.starts[end], solve->bind );
}

static void SolveVolumeDomains( Solve* solve, int32_t begin, int32_t end )
{
	const supPositionFlesh* flesh = solve->flesh;
	int32_t inverted = SUP_CALL_KERNEL( supSolveVolume )(
		solve->view.positions, flesh->volumePacks, flesh->volumeSprings, solve->volumeMultipliers,
		flesh->volume.starts[begin], flesh->volume.starts[end], solve->volume );
	// nearly always 0 as before: a line that several threads only read stays with all of them
	if ( solve->inverted[begin] != inverted )
	{
		solve->inverted[begin] = inverted;
	}
}

// Seams of a level and all that lies on their two sides, down to the pieces and up again.
static void SolveBranches( Solve* solve, int32_t level, int32_t begin, int32_t end )
{
	const int32_t* starts = solve->flesh->levels.starts;
	for ( int32_t i = level; i > 0; --i )
	{
		SolveStretchDomains( solve, starts[i] + ( begin << ( level - i ) ), starts[i] + ( end << ( level - i ) ) );
	}
	SolveStretchDomains( solve, begin << level, end << level );
	SolveBindDomains( solve, begin << level, end << level );
	SolveVolumeDomains( solve, begin << level, end << level );
	for ( int32_t i = 1; i <= level; ++i )
	{
		SolveVolumeDomains( solve, starts[i] + ( begin << ( level - i ) ), starts[i] + ( end << ( level - i ) ) );
	}
}

// A stage knows its place only by its function: one for each level.
#define LEVEL_FUNCTIONS( level )                                                                                       \
	static void StretchLevel##level( int32_t begin, int32_t end, int32_t worker, void* context )                       \
	{                                                                                                                  \
		(void)worker;                                                                                                  \
		Solve* solve = context;                                                                                        \
		int32_t first = solve->flesh->levels.starts[level];                                                            \
		SolveStretchDomains( solve, first + begin, first + end );                                                      \
	}                                                                                                                  \
	static void VolumeLevel##level( int32_t begin, int32_t end, int32_t worker, void* context )                        \
	{                                                                                                                  \
		(void)worker;                                                                                                  \
		Solve* solve = context;                                                                                        \
		int32_t first = solve->flesh->levels.starts[level];                                                            \
		SolveVolumeDomains( solve, first + begin, first + end );                                                       \
	}                                                                                                                  \
	static void BranchLevel##level( int32_t begin, int32_t end, int32_t worker, void* context )                        \
	{                                                                                                                  \
		(void)worker;                                                                                                  \
		SolveBranches( context, level, begin, end );                                                                   \
	}

LEVEL_FUNCTIONS( 0 )
LEVEL_FUNCTIONS( 1 )
LEVEL_FUNCTIONS( 2 )
LEVEL_FUNCTIONS( 3 )
LEVEL_FUNCTIONS( 4 )

static supRangeFcn* const s_stretchLevels[] = { StretchLevel0, StretchLevel1, StretchLevel2, StretchLevel3,
												StretchLevel4 };
static supRangeFcn* const s_volumeLevels[] = { VolumeLevel0, VolumeLevel1, VolumeLevel2, VolumeLevel3, VolumeLevel4 };
static supRangeFcn* const s_branchLevels[] = { BranchLevel0, BranchLevel1, BranchLevel2, BranchLevel3, BranchLevel4 };

// ---------------------------------------------------------------------------------------------------------------------
// Pulls: C = place - target as a compliant constraint with damping (XPBD), so that the place alone answers as a
// critically damped spring does, whatever the number of iterations. Particles move by their weights of one way, not by
// the gradient of the place, which would take hold of nothing but its corners.

static void ApplyPull( Solve* solve, const supPull* pull, supVec3* force )
{
	const supGrab* grab = pull->grab;
	float omega = 2.0f * SUP_PI * pull->frequency * solve->step->dt;
	float damper = 2.0f / omega;
	float compliance = grab->response / ( omega * omega );
	supVec3 place = supGrab_Place( grab, solve->view.positions, 4 );
	supVec3 moved = supSub( place, supGrab_Place( grab, &solve->view.downs[0].x, 3 ) );
	supVec3 error = supMulAdd( supMulAdd( supSub( place, pull->target ), damper, moved ), compliance, *force );
	supVec3 step = supScale( -1.0f / ( ( 1.0f + damper ) * grab->response + compliance ), error );
	*force = supAdd( *force, step );
	for ( int32_t i = 0; i < grab->count; ++i )
	{
		float* p = solve->view.positions + 4 * (size_t)grab->particles[i];
		p[0] += grab->weights[i] * step.x;
		p[1] += grab->weights[i] * step.y;
		p[2] += grab->weights[i] * step.z;
	}
}

static void PullStage( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	Solve* solve = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		ApplyPull( solve, solve->step->pulls + i, solve->pulls + i );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

static int32_t DomainsOf( const supLevels* levels, int32_t level )
{
	return levels->starts[level + 1] - levels->starts[level];
}

// The level of the largest branches that are enough for all workers, and as many for each.
static int32_t BranchLevel( const supLevels* levels, int32_t workers )
{
	int32_t level = 0;
	while ( level + 1 < levels->count && 2 * DomainsOf( levels, level + 1 ) == DomainsOf( levels, level ) &&
			DomainsOf( levels, level + 1 ) % workers == 0 )
	{
		level += 1;
	}
	return level;
}

// Levels down to the first for lengths and up again for volumes: branches, which have most of the work, are then taken
// up once an iteration, and particles at the seams between them change hands between threads twice, not four times.
static void Iterate( Solve* solve )
{
	const supLevels* levels = &solve->flesh->levels;
	supStage stages[2 * SUP_MAX_LEVELS];
	int32_t stageCount = 0;
	int32_t base = BranchLevel( levels, supGetWorkerCount( solve->step->tasks ) );
	for ( int32_t i = levels->count - 1; i > base; --i )
	{
		stages[stageCount++] = ( supStage ){ s_stretchLevels[i], DomainsOf( levels, i ), 1 };
	}
	stages[stageCount++] = ( supStage ){ s_branchLevels[base], DomainsOf( levels, base ), 1 };
	for ( int32_t i = base + 1; i < levels->count; ++i )
	{
		stages[stageCount++] = ( supStage ){ s_volumeLevels[i], DomainsOf( levels, i ), 1 };
	}
	// all by one worker: two pulls may hold the same particle
	stages[stageCount++] = ( supStage ){ PullStage, solve->step->pullCount, SUP_MAX_PULLS };
	int32_t iterations = supSubstep_Share( solve->step, (int32_t)solve->step->parameters[sup_positionIterations] );
	if ( supGetWorkerCount( solve->step->tasks ) > 1 )
	{
		supRunStages( solve->step->tasks, stages, stageCount, iterations, solve );
		return;
	}
	// the domains of a level lie one after another: as one
	for ( int32_t i = 0; i < iterations * stageCount; ++i )
	{
		const supStage* stage = stages + i % stageCount;
		stage->function( 0, stage->count, 0, solve );
	}
}

// Plain constraints move particles by a part of what is wrong, not of what is wrong per second: in twice as many steps
// flesh would be up to four times as stiff. Steps shorter than this one move soft particles by less, in proportion to
// the square of the step, which makes springs of them. Stiff particles, which begin each step at the skin, have no
// memory in which that would add up; they go all the way.
#define PARAMETER_STEP_S ( 1.0f / 60.0f )

float supPosition_ShortStepShare( const supPositionFlesh* flesh, const supSubstep* step )
{
	float length = step->dt / PARAMETER_STEP_S;
	bool isShort = flesh->mode != sup_positionCompliant && length < 0.999f;
	return isShort ? length * length : 1.0f;
}

// - before: where particles were
static void WeakenCorrections( const supPositionFlesh* flesh, const supPositionView* view, const float* before,
							   float share )
{
	for ( int32_t i = 0; i < flesh->particleCount; ++i )
	{
		float part = WeakenedPart( view->tethers[i].x, share );
		for ( int32_t k = 0; k < 3; ++k )
		{
			size_t at = 4 * (size_t)i + (size_t)k;
			view->positions[at] = before[at] + part * ( view->positions[at] - before[at] );
		}
	}
}

void supPosition_Solve( const void* fleshPointer, void* state, const supSubstep* step )
{
	Solve solve;
	supVec3 pulls[SUP_MAX_PULLS] = { 0 };
	InitSolve( &solve, fleshPointer, state, step );
	solve.pulls = pulls;
	float share = supPosition_ShortStepShare( solve.flesh, step );
	if ( share < 1.0f )
	{
		memcpy( solve.view.before, solve.view.positions, 16 * (size_t)solve.flesh->paddedCount );
	}
	Iterate( &solve );
	if ( share < 1.0f )
	{
		WeakenCorrections( solve.flesh, &solve.view, solve.view.before, share );
	}
	for ( int32_t i = 0; i < DomainCount( solve.flesh ); ++i )
	{
		solve.view.header->inverted |= solve.inverted[i] > 0;
	}
	if ( supSubstep_IsLastPass( step ) )
	{
		ClearMultipliers( solve.flesh, &solve.view );
	}
	if ( supPosition_MendsInSolve( step ) && supSubstep_IsLastPass( step ) )
	{
		supPosition_MendShape( solve.flesh, state, step );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Crowds

// One lane each needs the same numbers for all, rest lengths included.
static bool CanShare( void* const* states, const supSubstep* const* steps )
{
	static const int32_t parameters[] = { sup_positionIterations, sup_positionStretch, sup_positionVolume,
										  sup_positionBind, sup_positionStiffness };
	bool same = true;
	for ( int32_t i = 0; i < SUP_CROWD; ++i )
	{
		same = same && steps[i]->pullCount == 0 && steps[i]->isHeld == false && steps[i]->dt == steps[0]->dt;
		same = same && ( (const supPositionHeader*)states[i] )->scaled == 0;
		for ( int32_t k = 0; k < SUP_COUNT( parameters ); ++k )
		{
			same = same && steps[i]->parameters[parameters[k]] == steps[0]->parameters[parameters[k]];
		}
	}
	return same;
}

// In the order of one character alone. Returns a bit for each character that had an inverted tetrahedron.
static uint32_t IterateCrowd( const supCrowd* crowd, const Solve* solve )
{
	const supPositionFlesh* flesh = solve->flesh;
	const supLevels* levels = &flesh->levels;
	size_t bindPlace = (size_t)flesh->stretch.packCount * SUP_PACK;
	size_t volumePlace = bindPlace + (size_t)flesh->bind.packCount * SUP_PACK;
	for ( int32_t level = levels->count - 1; level >= 0; --level )
	{
		SUP_CALL_KERNEL( supSolveStretchCrowd )
		( crowd, flesh->stretchPacks, flesh->stretchSprings, 0, flesh->stretch.starts[levels->starts[level]],
		  flesh->stretch.starts[levels->starts[level + 1]], solve->stretch );
	}
	SUP_CALL_KERNEL( supSolveBindCrowd )
	( crowd, flesh->bindPacks, flesh->bindSprings, bindPlace, 0, flesh->bind.packCount, solve->bind );
	uint32_t inverted = SUP_CALL_KERNEL( supSolveVolumeCrowd )(
		crowd, flesh->volumePacks, flesh->volumeSprings, volumePlace, 0, flesh->volume.packCount, solve->volume );
	return inverted;
}

void supPosition_SolveMany( const void* fleshPointer, void* const* states, const supSubstep* const* steps )
{
	const supPositionFlesh* flesh = fleshPointer;
	if ( CanShare( states, steps ) == false )
	{
		for ( int32_t i = 0; i < SUP_CROWD; ++i )
		{
			supSubstep alone = *steps[i];
			alone.tasks = NULL;
			supPosition_Solve( flesh, states[i], &alone );
		}
		return;
	}
	// Positions are what was predicted, so that their memory is free for the lanes; velocities are computed again after
	// the solve, so that theirs is free for the result.
	Solve solve[SUP_CROWD];
	supCrowd crowd = { .shift = supPositionFlesh_CrowdShift( flesh ), .inverseMasses = flesh->inverseMasses };
	size_t room = (size_t)32 << crowd.shift; // floats
	const float* predicted[SUP_CROWD];
	float* results[SUP_CROWD];
	for ( int32_t i = 0; i < SUP_CROWD; ++i )
	{
		InitSolve( solve + i, flesh, states[i], steps[i] );
		crowd.lanes[i] = solve[i].view.positions;
		crowd.anchors[i] = solve[i].view.anchors;
		crowd.multipliers[i] = solve[i].view.multipliers;
		predicted[i] = solve[i].view.predicted;
		results[i] = solve[i].view.velocities;
	}
	SUP_CALL_KERNEL( supGatherCrowd )( &crowd, predicted, flesh->particleCount );
	uint32_t inverted = 0;
	for ( int32_t i = 0; i < (int32_t)steps[0]->parameters[sup_positionIterations]; ++i )
	{
		inverted = IterateCrowd( &crowd, solve );
	}
	SUP_CALL_KERNEL( supScatterCrowd )( &crowd, results, flesh->particleCount );
	for ( int32_t i = 0; i < SUP_CROWD; ++i )
	{
		size_t count = (size_t)flesh->particleCount;
		memcpy( solve[i].view.positions, results[i], 4 * count * sizeof( float ) );
		memset( solve[i].view.positions + 4 * count, 0, ( room - 4 * count ) * sizeof( float ) );
		float share = supPosition_ShortStepShare( flesh, steps[i] );
		if ( share < 1.0f )
		{
			WeakenCorrections( flesh, &solve[i].view, solve[i].view.predicted, share );
		}
		solve[i].view.header->inverted = (int32_t)( inverted >> i & 1 );
		ClearMultipliers( flesh, &solve[i].view );
	}
}
