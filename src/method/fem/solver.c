// SPDX-License-Identifier: MIT
#include "method/fem/solver.h"

#include "core/hash.h"
#include "core/tasks.h"
#include "method/fem/solver_kernel.h"

#include <math.h>

// Part of the body's extent that a bone may go in one step before that counts as a jump.
#define JUMP 0.5f

const supFactorDef supFemFactorDef = { .precision = sup_precisionDouble, .workerCount = 1 };

// Right-hand sides that are solved for at once: one a step, three for a response.
#define MOST_COLUMNS 3

// ---------------------------------------------------------------------------------------------------------------------
// Frames

void supFemFrame_TakeTurn( supFemFrame* frame )
{
	double x = frame->q[0], y = frame->q[1], z = frame->q[2], w = frame->q[3];
	double s = 2.0 / ( x * x + y * y + z * z + w * w );
	const double r[3][3] = { { 1.0 - s * ( y * y + z * z ), s * ( x * y - w * z ), s * ( x * z + w * y ) },
							 { s * ( x * y + w * z ), 1.0 - s * ( x * x + z * z ), s * ( y * z - w * x ) },
							 { s * ( x * z - w * y ), s * ( y * z + w * x ), 1.0 - s * ( x * x + y * y ) } };
	memcpy( frame->r, r, sizeof( r ) );
}

supFemFrame supMakeFemFrame( supMat34 m )
{
	supFemFrame frame;
	supQuat turn = supPolarRotation( supLinearPart( m ) );
	double x = (double)turn.x, y = (double)turn.y, z = (double)turn.z, w = (double)turn.w;
	double size = sqrt( x * x + y * y + z * z + w * w );
	frame.q[0] = x / size;
	frame.q[1] = y / size;
	frame.q[2] = z / size;
	frame.q[3] = w / size;
	supFemFrame_TakeTurn( &frame );
	const double a[3][3] = { { (double)m.cx.x, (double)m.cy.x, (double)m.cz.x },
							 { (double)m.cx.y, (double)m.cy.y, (double)m.cz.y },
							 { (double)m.cx.z, (double)m.cy.z, (double)m.cz.z } };
	double difference = 0.0;
	for ( int i = 0; i < 9; ++i )
	{
		difference = fmax( difference, fabs( a[i / 3][i % 3] - frame.r[i / 3][i % 3] ) );
	}
	// what is rounding is no stretch
	memcpy( frame.a, frame.r, sizeof( frame.r ) );
	if ( difference > 1e-5 )
	{
		memcpy( frame.a, a, sizeof( a ) );
	}
	frame.t[0] = (double)m.t.x;
	frame.t[1] = (double)m.t.y;
	frame.t[2] = (double)m.t.z;
	return frame;
}

static void Turn( const supFemFrame* frame, const double in[3], double out[3] )
{
	for ( int i = 0; i < 3; ++i )
	{
		out[i] = frame->r[i][0] * in[0] + frame->r[i][1] * in[1] + frame->r[i][2] * in[2];
	}
}

static void TurnBack( const supFemFrame* frame, const double in[3], double out[3] )
{
	for ( int i = 0; i < 3; ++i )
	{
		out[i] = frame->r[0][i] * in[0] + frame->r[1][i] * in[1] + frame->r[2][i] * in[2];
	}
}

// Where a frame puts a function.
static void Place( const supFemModel* model, const supFemFrame* frame, int32_t function, double out[3] )
{
	supVec3 rest = model->rests[function];
	for ( int i = 0; i < 3; ++i )
	{
		out[i] = frame->a[i][0] * (double)rest.x + frame->a[i][1] * (double)rest.y + frame->a[i][2] * (double)rest.z +
				 frame->t[i];
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory

static void* Take( char* base, size_t* offset, size_t bytes )
{
	void* place = base != NULL ? base + *offset : NULL;
	*offset += ( bytes + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
	return place;
}

supFemState supFemModel_View( const supFemModel* model, const void* block )
{
	// views of a state that nobody writes to are made through here too
	union
	{
		const void* read;
		char* write;
	} pointer = { .read = block };
	char* base = pointer.write;
	size_t n = (size_t)model->functionCount, frames = (size_t)model->frameCount, at = 0;
	supFemState state = { 0 };
	state.header = Take( base, &at, sizeof( supFemHeader ) );
	// one more: wide loads of the last vector reach it
	state.x = Take( base, &at, ( 3 * n + 1 ) * sizeof( double ) );
	state.v = Take( base, &at, ( 3 * n + 1 ) * sizeof( double ) );
	state.before = Take( base, &at, 3 * n * sizeof( double ) );
	state.speeds = Take( base, &at, 3 * n * sizeof( double ) );
	state.starts = Take( base, &at, 3 * n * sizeof( double ) );
	state.targets = Take( base, &at, ( 3 * n + 1 ) * sizeof( double ) );
	state.frames = Take( base, &at, frames * sizeof( supFemFrame ) );
	state.framesBefore = Take( base, &at, frames * sizeof( supFemFrame ) );
	state.turns = Take( base, &at, 4 * (size_t)model->looseBoneCount * sizeof( double ) );
	state.swings = Take( base, &at, (size_t)model->looseBoneCount * sizeof( supFemSwing ) );
	state.carried = state.frames;
	if ( model->hasCarried )
	{
		state.carried = Take( base, &at, frames * sizeof( supFemFrame ) );
		state.looseBones = Take( base, &at, (size_t)model->boneCount * sizeof( supFemFrame ) );
		state.clipGates = Take( base, &at, (size_t)model->pairCount * sizeof( double ) );
		state.clipWays = Take( base, &at, (size_t)model->pairCount * sizeof( double ) );
	}
	state.ends = Take( base, &at, (size_t)model->boneCount * sizeof( supFemFrame ) );
	state.stageFrames = Take( base, &at, (size_t)model->boneCount * sizeof( supFemFrame ) );
	state.stageKnown = Take( base, &at, n * sizeof( supVec4 ) );
	state.gates = Take( base, &at, (size_t)model->pairCount * sizeof( double ) );
	state.ways = Take( base, &at, (size_t)model->pairCount * sizeof( double ) );
	state.maps = Take( base, &at, frames * sizeof( supFemMap ) );
	state.pushes = Take( base, &at, n * sizeof( supFemPush ) );
	state.solutions = Take( base, &at, ( 3 * (size_t)model->solutionCount + 1 ) * sizeof( double ) );
	state.keys = Take( base, &at, (size_t)model->regionCount * sizeof( uint64_t ) );
	state.factors = Take( base, &at, model->factorSize );
	state.works = Take( base, &at, model->workSize );
	state.values = Take( base, &at, model->valuesSize );
	state.factorWork = Take( base, &at, model->factorWorkSize );
	state.newton = Take( base, &at, supFemNewton_Size( model ) );
	state.volumes = Take( base, &at, n * sizeof( supFemVolume ) );
	state.shifted = Take( base, &at, 3 * n * sizeof( double ) );
	state.shifts = Take( base, &at, 3 * n * sizeof( double ) );
	state.boneVolumes = Take( base, &at, (size_t)model->boneCount * sizeof( supFemBoneVolume ) );
	state.size = at;
	return state;
}

// Of a region while it is solved for.
typedef struct Work
{
	double* parts;
	double* away;
	double* x; // of a response: right-hand sides, then solutions
	void* scratch;
	size_t size;
} Work;

// - base NULL: only the size
static Work PlaceWork( const supFemRegion* region, char* base )
{
	supFactor factor = { .symbolic = &region->symbolic, .precision = supFemFactorDef.precision };
	size_t at = 0, known = (size_t)( region->nodeCount - region->unknownCount );
	Work work;
	work.parts = Take( base, &at, (size_t)region->partCount * supFemSum_PartSize( region ) * sizeof( double ) );
	work.away = Take( base, &at, 4 * known * sizeof( double ) );
	work.x = Take( base, &at, MOST_COLUMNS * 3 * (size_t)region->nodeCount * sizeof( double ) );
	work.scratch = Take( base, &at, base == NULL ? supFactor_ScratchSize( &factor, MOST_COLUMNS, 1 ) : 0 );
	work.size = at;
	return work;
}

void supFemModel_LayOut( supFemModel* model )
{
	for ( int32_t i = 0; i < model->regionCount + ( model->nearJoints != NULL ); ++i )
	{
		supFemRegion* region = model->regions + i;
		size_t values = ( 9 * (size_t)region->matrix.blockCount + SUP_BLOCK_PADDING ) * sizeof( double );
		size_t work = supFactor_WorkSize( &region->symbolic, &supFemFactorDef );
		region->factorStart = model->factorSize;
		region->workStart = model->workSize;
		model->factorSize += supFactor_NumbersSize( &region->symbolic, &supFemFactorDef );
		model->workSize += PlaceWork( region, NULL ).size;
		region->solutionStart = model->solutionCount;
		model->solutionCount += region->unknownCount;
		model->valuesSize = values > model->valuesSize ? values : model->valuesSize;
		model->factorWorkSize = work > model->factorWorkSize ? work : model->factorWorkSize;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Factors

// M + h D + h^2 K of the unknowns.
static void AssembleRegion( const supFemRegion* region, const supFemStep* step, supBlockMatrix* matrix )
{
	double h = step->dt;
	memset( matrix->values, 0, 9 * (size_t)matrix->blockCount * sizeof( double ) );
	for ( int32_t p = 0; p < region->partCount; ++p )
	{
		const supFemPart* part = region->parts + p;
		const supFemTuning* tuning = step->tunings + part->softRegion;
		double massScale = 1.0 + h * ( tuning->damping + step->air ), stiffnessScale = h * h * tuning->stiffness;
		for ( int32_t k = 0; k < part->stiffness.blockCount; ++k )
		{
			if ( part->blocks[k] < 0 )
			{
				continue;
			}
			const double* from = part->stiffness.values + 9 * (size_t)k;
			double* to = matrix->values + 9 * (size_t)part->blocks[k];
			double mass = massScale * part->mass.values[k];
			mass += part->hold.values != NULL ? stiffnessScale * part->hold.values[k] : 0.0;
			for ( int i = 0; i < 9; ++i )
			{
				to[i] += stiffnessScale * from[i] + ( i % 4 == 0 ? mass : 0.0 );
			}
		}
	}
}

static uint64_t MakeKey( const supFemModel* model, const supFemStep* step )
{
	uint64_t key = SUP_HASH_SEED;
	key = supHashBytes( key, &step->dt, sizeof( step->dt ) );
	key = supHashBytes( key, &step->air, sizeof( step->air ) );
	return supHashBytes( key, step->tunings, (size_t)model->softRegionCount * sizeof( supFemTuning ) ) | 1;
}

// The frames between two bones that are turned like each other have nothing to say.
static bool IsAwake( const supFemModel* model, const supFemState* state, const supFemRegion* region )
{
	int32_t between = region->frame - model->boneCount;
	return between < 0 || state->gates[between / model->between] > 0.0;
}

static void UpdateFactors( const supFemModel* model, const supFemState* state, const supFemStep* step )
{
	uint64_t key = MakeKey( model, step );
	for ( int32_t i = 0; i < model->regionCount; ++i )
	{
		const supFemRegion* region = model->regions + i;
		if ( state->keys[i] == key || IsAwake( model, state, region ) == false )
		{
			continue;
		}
		state->keys[i] = key;
		supBlockMatrix matrix = region->matrix;
		matrix.values = state->values;
		AssembleRegion( region, step, &matrix );
		supFactor factor = supFactor_Place( &region->symbolic, &supFemFactorDef, state->factors + region->factorStart,
											state->factorWork );
		supFactorReport report = supFactor_Refactor( &factor, &matrix, NULL );
		step->trouble->notConverged += report.ok == false;
	}
}

static void Solve( const supFemRegion* region, const supFemState* state, double* x, int32_t columns, void* scratch )
{
	supFactor factor =
		supFactor_Place( &region->symbolic, &supFemFactorDef, state->factors + region->factorStart, NULL );
	supFactor_Solve( &factor, x, columns, scratch, NULL );
}

// ---------------------------------------------------------------------------------------------------------------------
// Regions

typedef struct Run
{
	const supFemModel* model;
	const supFemState* state;
	const supFemStep* step;
} Run;

// The whole body seen from one bone: places are held to where all their bones put them, not to this one.
static void AddHold( const Run* run, const supFemRegion* region, const Work* work, double* out )
{
	const supFemState* state = run->state;
	size_t n = 3 * (size_t)region->nodeCount, unknowns = 3 * (size_t)region->unknownCount;
	double *held = work->x, *product = work->x + n;
	for ( int32_t i = 0; i < region->nodeCount; ++i )
	{
		double place[3], offset[3];
		supFemModel_HoldPlace( run->model, state->frames, region->functions[i], offset );
		Place( run->model, state->frames + region->frame, region->functions[i], place );
		for ( size_t k = 0; k < 3; ++k )
		{
			offset[k] = i < region->unknownCount ? offset[k] - place[k] : 0.0;
		}
		TurnBack( state->frames + region->frame, offset, held + 3 * (size_t)i );
	}
	for ( int32_t p = 0; p < region->partCount; ++p )
	{
		const supFemPart* part = region->parts + p;
		double scale = run->step->dt * run->step->dt * run->step->tunings[part->softRegion].stiffness;
		supBlockMatrix_Multiply( &part->hold, held, product, 3, NULL );
		for ( size_t i = 0; i < unknowns; ++i )
		{
			out[i] += scale * product[i];
		}
	}
}

// What finer functions do in the cells of a region, as it is cut off.
static void AddPushes( const Run* run, const supFemRegion* region, double* out )
{
	double square = run->step->dt * run->step->dt;
	for ( int32_t k = 0; run->step->pushes != NULL && k < 8 * region->cellCount; ++k )
	{
		const double* push = run->step->pushes + 24 * (size_t)region->cells[k / 8] + 3 * (size_t)( k % 8 );
		double own[3];
		if ( region->cellNodes[k] >= 0 && ( push[0] != 0.0 || push[1] != 0.0 || push[2] != 0.0 ) )
		{
			TurnBack( run->state->carried + region->frame, push, own );
			for ( size_t i = 0; i < 3; ++i )
			{
				out[3 * (size_t)region->cellNodes[k] + i] += square * own[i];
			}
		}
	}
}

static void SolveRegion( const Run* run, const supFemRegion* region )
{
	Work work = PlaceWork( region, run->state->works + region->workStart );
	double* solution = run->state->solutions + 3 * (size_t)region->solutionStart;
	supFemSum sum = { run->model, run->state, run->step, region, work.parts, work.away, solution };
	SUP_CALL_KERNEL( supFemSumRegion )( &sum );
	AddPushes( run, region, solution );
	if ( run->model->isWhole )
	{
		AddHold( run, region, &work, solution );
	}
	Solve( region, run->state, solution, 1, work.scratch );
}

static void RegionRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Run* run = context;
	for ( int32_t i = begin; i < end; ++i )
	{
		const supFemRegion* region = run->model->regions + i;
		if ( IsAwake( run->model, run->state, region ) )
		{
			SolveRegion( run, region );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// All together

void supFemModel_Skin( const supFemModel* model, const supFemFrame* frames, const double* gates, int32_t function,
					   double out[3] )
{
	out[0] = out[1] = out[2] = 0.0;
	for ( int32_t k = model->claimStarts[function]; k < model->claimStarts[function + 1]; ++k )
	{
		const supFrameShare* claim = model->claims + k;
		double weight = supFemMix( claim->pair, (double)claim->straight, (double)claim->turned, gates ), place[3];
		Place( model, frames + claim->frame, function, place );
		out[0] += weight * place[0];
		out[1] += weight * place[1];
		out[2] += weight * place[2];
	}
}

void supFemModel_HoldPlace( const supFemModel* model, const supFemFrame* frames, int32_t function, double out[3] )
{
	double whole = 0.0;
	out[0] = out[1] = out[2] = 0.0;
	for ( size_t k = SUP_MAX_INFLUENCES * (size_t)function, end = k + SUP_MAX_INFLUENCES; k < end; ++k )
	{
		double place[3], weight = (double)model->weights[k];
		weight = weight * weight * weight * weight;
		if ( weight > 0.0 )
		{
			Place( model, frames + model->joints[k], function, place );
			out[0] += weight * place[0];
			out[1] += weight * place[1];
			out[2] += weight * place[2];
			whole += weight;
		}
	}
	for ( int i = 0; whole > 0.0 && i < 3; ++i )
	{
		out[i] /= whole;
	}
}

static double WeightOf( const supFemShare* share, const supFemState* state )
{
	return supFemMix( share->pair, share->straight, share->turned, state->gates );
}

// Where the bones put each function, and known ones at the end of the step. With the maps of this step.
static void Aim( const supFemModel* model, const supFemState* state, const supVec4* known )
{
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		double* target = state->targets + 3 * (size_t)i;
		if ( model->isKnown[i] )
		{
			target[0] = (double)known[i].x;
			target[1] = (double)known[i].y;
			target[2] = (double)known[i].z;
		}
	}
	SUP_CALL_KERNEL( supFemAim )( model, state );
}

static void MakeMaps( const supFemModel* model, const supFemState* state )
{
	for ( int32_t i = 0; i < model->frameCount; ++i )
	{
		const supFemFrame *now = state->carried + i, *clip = state->frames + i, *past = state->framesBefore + i;
		supFemMap* map = state->maps + i;
		for ( int row = 0; row < 3; ++row )
		{
			for ( int column = 0; column < 3; ++column )
			{
				map->place[4 * column + row] = now->a[row][column];
				map->clip[4 * column + row] = clip->a[row][column];
				map->past[4 * column + row] = past->a[row][column] + ( now->a[row][column] - clip->a[row][column] );
				map->turn[4 * column + row] = now->r[row][column];
				map->back[4 * row + column] = now->r[row][column];
			}
			map->place[12 + row] = now->t[row];
			map->clip[12 + row] = clip->t[row];
			map->past[12 + row] = past->t[row] + ( now->t[row] - clip->t[row] );
		}
		for ( int column = 0; model->hasCarried && column < 4; ++column )
		{
			double* lag = map->lag + 4 * column;
			for ( int row = 0; row < 3; ++row )
			{
				lag[row] = map->place[4 * column + row] - map->clip[4 * column + row];
			}
			TurnBack( now, ( double[3] ){ lag[0], lag[1], lag[2] }, lag );
		}
	}
}

// All frames from those of the bones; those of before are kept.
static void PlaceFrames( const supFemModel* model, const supFemState* state, const supFemFrame* bones )
{
	memcpy( state->framesBefore, state->frames, (size_t)model->frameCount * sizeof( supFemFrame ) );
	if ( model->hasCarried )
	{
		supFemModel_CarryBones( model, bones, state->turns, state->swings, state->looseBones );
		supFemModel_PlaceFrames( model, bones, state->frames, state->clipGates, state->clipWays );
		supFemModel_PlaceFrames( model, state->looseBones, state->carried, state->gates, state->ways );
	}
	else
	{
		supFemModel_PlaceFrames( model, bones, state->frames, state->gates, state->ways );
	}
}

static void ForgetBefore( const supFemModel* model, const supFemState* state )
{
	memcpy( state->framesBefore, state->frames, (size_t)model->frameCount * sizeof( supFemFrame ) );
	MakeMaps( model, state );
}

// A character that was put elsewhere.
static bool HasJumped( const supFemModel* model, const supFemState* state, const supVec4* known )
{
	float farthest = 0.0f;
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		const double* x = state->x + 3 * (size_t)i;
		if ( model->isKnown[i] )
		{
			supVec3 at = { (float)x[0], (float)x[1], (float)x[2] };
			float way = supDistance( at, supMakeVec3( known[i].x, known[i].y, known[i].z ) );
			farthest = supMaxFloat( farthest, way );
		}
	}
	return farthest > JUMP * model->extent;
}

// It takes its flesh along, with the velocity that it had.
static void FollowJump( const supFemModel* model, const supFemState* state, const supVec4* known, double h )
{
	for ( int32_t i = 0; i < 3 * model->functionCount; ++i )
	{
		// targets are still those of the last step
		state->before[i] = state->x[i] - state->targets[i];
	}
	Aim( model, state, known );
	for ( int32_t i = 0; i < 3 * model->functionCount; ++i )
	{
		bool isKnown = model->isKnown[i / 3];
		state->x[i] = state->targets[i] + ( isKnown ? -h * state->v[i] : state->before[i] );
	}
	ForgetBefore( model, state );
}

void supFemSolver_Reset( const supFemModel* model, const supFemState* state, const supFemFrame* frames,
						 const supVec4* known )
{
	memset( state->header, 0, state->size );
	for ( int32_t i = 0; i < model->looseBoneCount; ++i )
	{
		state->turns[4 * i + 3] = 1.0;
	}
	PlaceFrames( model, state, frames );
	ForgetBefore( model, state );
	Aim( model, state, known );
	memcpy( state->x, state->targets, 3 * (size_t)model->functionCount * sizeof( double ) );
	memcpy( state->before, state->targets, 3 * (size_t)model->functionCount * sizeof( double ) );
	memcpy( state->ends, frames, (size_t)model->boneCount * sizeof( supFemFrame ) );
}

// From `before` with v, over the time of the step. With maps and targets.
static void SolveStep( const supFemModel* model, const supFemState* state, const supFemStep* step )
{
	if ( model->isNonlinear )
	{
		supFemNewton_Advance( model, state, step );
		return;
	}
	UpdateFactors( model, state, step );
	SUP_CALL_KERNEL( supFemPushAll )( model, state, step );
	Run run = { model, state, step };
	supParallelFor( step->tasks, model->regionCount, 1, RegionRange, &run );
	if ( model->nearJoints != NULL )
	{
		memcpy( state->speeds, state->v, 3 * (size_t)model->functionCount * sizeof( double ) );
	}
	SUP_CALL_KERNEL( supFemBlend )( model, state, step->dt );
	if ( model->nearJoints != NULL )
	{
		supFemNewton_AdvanceJoints( model, state, step );
	}
}

static void AdvanceEuler( const supFemModel* model, const supFemState* state, const supFemStep* step, bool hasJumped )
{
	PlaceFrames( model, state, step->frames );
	MakeMaps( model, state );
	if ( hasJumped )
	{
		FollowJump( model, state, step->known, step->dt );
	}
	memcpy( state->before, state->x, 3 * (size_t)model->functionCount * sizeof( double ) );
	Aim( model, state, step->known );
	SolveStep( model, state, step );
}

static supFemFrame MixFrames( const supFemFrame* from, const supFemFrame* to, double share )
{
	supFemFrame frame;
	double same = 0.0;
	for ( int i = 0; i < 4; ++i )
	{
		same += from->q[i] * to->q[i];
	}
	for ( int i = 0; i < 4; ++i )
	{
		frame.q[i] = ( 1.0 - share ) * ( same < 0.0 ? -from->q[i] : from->q[i] ) + share * to->q[i];
	}
	supFemFrame_TakeTurn( &frame );
	for ( int i = 0; i < 3; ++i )
	{
		frame.t[i] = ( 1.0 - share ) * from->t[i] + share * to->t[i];
		for ( int k = 0; k < 3; ++k )
		{
			frame.a[i][k] = ( 1.0 - share ) * from->a[i][k] + share * to->a[i][k];
		}
	}
	return frame;
}

// Bones and known functions `share` of the way into the step, and where all were when the stage begins.
static void PlaceStage( const supFemModel* model, const supFemState* state, const supFemStep* step, double share )
{
	for ( int32_t i = 0; i < model->boneCount; ++i )
	{
		state->stageFrames[i] = MixFrames( state->ends + i, step->frames + i, share );
	}
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		const double* x = state->x + 3 * (size_t)i;
		const double end[3] = { (double)step->known[i].x, (double)step->known[i].y, (double)step->known[i].z };
		float* to = &state->stageKnown[i].x;
		for ( int k = 0; k < 3; ++k )
		{
			to[k] = (float)( ( 1.0 - share ) * x[k] + share * end[k] );
		}
	}
	PlaceFrames( model, state, state->stageFrames );
	for ( int32_t i = 0; i < model->frameCount; ++i )
	{
		state->framesBefore[i] = MixFrames( state->framesBefore + i, state->frames + i, 0.5 * ( 1.0 - share ) );
	}
	MakeMaps( model, state );
}

// With a = 1 - conservation: s from a stage, then x and v (see solver.h).
static void AdvanceConserving( const supFemModel* model, const supFemState* state, const supFemStep* step )
{
	double a = 1.0 - step->conservation, h = step->dt, beta = 0.25 * ( 1.0 + a ) * ( 1.0 + a );
	size_t count = 3 * (size_t)model->functionCount;
	supFemStep stage = *step;
	stage.dt = 0.5 * ( 1.0 + a ) * h;
	stage.frames = state->stageFrames;
	stage.known = state->stageKnown;
	PlaceStage( model, state, step, a );
	memcpy( state->starts, state->x, count * sizeof( double ) );
	memcpy( state->speeds, state->v, count * sizeof( double ) );
	for ( size_t i = 0; i < count; ++i )
	{
		state->x[i] -= 0.5 * ( 1.0 - a ) * h * state->v[i];
	}
	memcpy( state->before, state->x, count * sizeof( double ) );
	Aim( model, state, stage.known );
	SolveStep( model, state, &stage );
	for ( size_t i = 0; i < count; ++i )
	{
		double start = state->starts[i], way = h * state->speeds[i];
		const float* known = &step->known[i / 3].x;
		double end = start + way + ( state->x[i] - start - a * way ) / beta;
		state->x[i] = model->isKnown[i / 3] ? (double)known[i % 3] : end;
		state->v[i] = ( state->x[i] - start ) / h;
	}
	memcpy( state->before, state->starts, count * sizeof( double ) );
}

void supFemSolver_Advance( const supFemModel* model, const supFemState* state, const supFemStep* step )
{
	bool hasJumped = HasJumped( model, state, step->known );
	if ( step->conservation > 0.0 && hasJumped == false )
	{
		AdvanceConserving( model, state, step );
	}
	else
	{
		AdvanceEuler( model, state, step, hasJumped );
	}
	if ( model->looseBoneCount > 0 )
	{
		supFemSolver_HoldLooseBones( model, state, step );
	}
	memcpy( state->ends, step->frames, (size_t)model->boneCount * sizeof( supFemFrame ) );
}

int32_t supFemSolver_Repair( const supFemModel* model, const supFemState* state, const supFemStep* step )
{
	int32_t repaired = 0;
	double farthest = 0.0;
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		double* x = state->x + 3 * (size_t)i;
		double* v = state->v + 3 * (size_t)i;
		const double* before = state->before + 3 * (size_t)i;
		const double* target = state->targets + 3 * (size_t)i;
		double offset[3] = { x[0] - target[0], x[1] - target[1], x[2] - target[2] };
		double size = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
		double speed = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
		double most = step->reach * (double)model->reaches[i];
		if ( size - size != 0.0 || speed - speed != 0.0 )
		{
			repaired += 1;
			memcpy( x, target, 3 * sizeof( double ) );
			memset( v, 0, 3 * sizeof( double ) );
		}
		else if ( model->isKnown[i] == 0 && size > most * most )
		{
			double scale = most / sqrt( size );
			for ( int k = 0; k < 3; ++k )
			{
				x[k] = target[k] + scale * offset[k];
				v[k] = ( x[k] - before[k] ) / step->dt;
			}
		}
		double way = 0.0;
		for ( int k = 0; k < 3; ++k )
		{
			way += ( x[k] - before[k] ) * ( x[k] - before[k] );
		}
		farthest = way > farthest ? way : farthest;
	}
	state->header->moved = (float)sqrt( farthest );
	step->trouble->notFinite += repaired;
	return repaired;
}

// ---------------------------------------------------------------------------------------------------------------------
// Response

// Of a region in a function.
static double RootOf( const supFemModel* model, const supFemState* state, int32_t function, int32_t region )
{
	double whole = 0.0, own = 0.0;
	for ( int32_t k = model->shareStarts[function]; k < model->shareStarts[function + 1]; ++k )
	{
		double weight = WeightOf( model->shares + k, state );
		whole += weight;
		own += model->shares[k].region == region ? weight : 0.0;
	}
	return whole > 0.0 ? sqrt( own / whole ) : 0.0;
}

static bool HasLoad( const double load[9] )
{
	bool any = false;
	for ( int i = 0; i < 9; ++i )
	{
		any = any || load[i] != 0.0;
	}
	return any;
}

// B J^T with B = sum of S_i R_i A_i^-1 R_i^T S_i, S_i the roots of the weights: symmetric, and A^-1 where one region
// does all.
void supFemSolver_Respond( const supFemModel* model, const supFemState* state, double dt, const double* loads,
						   double* columns )
{
	memset( columns, 0, 9 * (size_t)model->functionCount * sizeof( double ) );
	for ( int32_t r = 0; r < model->regionCount; ++r )
	{
		const supFemRegion* region = model->regions + r;
		const supFemFrame* frame = state->carried + region->frame;
		Work work = PlaceWork( region, state->works + region->workStart );
		bool any = false;
		memset( work.x, 0, 9 * (size_t)region->unknownCount * sizeof( double ) );
		for ( int32_t node = 0; node < region->unknownCount; ++node )
		{
			const double* load = loads + 9 * (size_t)region->functions[node];
			double root = HasLoad( load ) ? RootOf( model, state, region->functions[node], r ) : 0.0;
			for ( size_t c = 0; root > 0.0 && c < 3; ++c )
			{
				double turned[3];
				any = true;
				TurnBack( frame, load + 3 * c, turned );
				for ( size_t row = 0; row < 3; ++row )
				{
					work.x[9 * (size_t)node + 3 * row + c] = root * turned[row];
				}
			}
		}
		if ( any == false )
		{
			continue;
		}
		Solve( region, state, work.x, 3, work.scratch );
		for ( int32_t node = 0; node < region->unknownCount; ++node )
		{
			const double* x = work.x + 9 * (size_t)node;
			double root = RootOf( model, state, region->functions[node], r );
			double* to = columns + 9 * (size_t)region->functions[node];
			for ( int c = 0; root > 0.0 && c < 3; ++c )
			{
				double turned[3];
				Turn( frame, ( double[3] ){ x[c], x[3 + c], x[6 + c] }, turned );
				for ( int row = 0; row < 3; ++row )
				{
					to[3 * c + row] += dt * dt * root * turned[row];
				}
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Energies

double supFemSolver_ElasticEnergy( const supFemModel* model, const supFemState* state, const supFemTuning* tunings )
{
	double sum = 0.0;
	for ( int32_t e = 0; e < model->elementCount; ++e )
	{
		const supFemElement* element = model->elements + e;
		supGradientF f = { 0 };
		for ( int32_t k = element->start; k < element->start + element->count; ++k )
		{
			const double* x = state->x + 3 * (size_t)model->elementFunctions[k];
			const double* g = model->elementGradients + 3 * (size_t)k;
			for ( int i = 0; i < 9; ++i )
			{
				f.f[i / 3][i % 3] += x[i / 3] * g[i % 3];
			}
		}
		sum += tunings[element->softRegion].stiffness * supElastic_Energy( element->law, &f, false );
	}
	return sum;
}

double supFemSolver_KineticEnergy( const supFemModel* model, const supFemState* state )
{
	const supFemRule* rule = &model->rule;
	double sum = 0.0;
	for ( int32_t i = 0; i < rule->count; ++i )
	{
		double velocity[3] = { 0 };
		for ( int32_t k = rule->starts[i]; k < rule->starts[i + 1]; ++k )
		{
			const double* v = state->v + 3 * (size_t)rule->functions[k];
			for ( int c = 0; c < 3; ++c )
			{
				velocity[c] += (double)rule->values[k] * v[c];
			}
		}
		double square = velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2];
		sum += 0.5 * (double)( rule->volumes[i] * rule->densities[i] ) * square;
	}
	return sum;
}
