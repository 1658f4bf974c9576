// SPDX-License-Identifier: MIT
#include "method/fem/solver.h"

#include "core/hash.h"
#include "core/tasks.h"

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

// Where a frame puts the coefficient of a function: detail is zero in every pose.
static void Place( const supFemModel* model, const supFemFrame* frame, int32_t function, double out[3] )
{
	if ( function >= model->vertexCount )
	{
		out[0] = out[1] = out[2] = 0.0;
		return;
	}
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
	state.x = Take( base, &at, 3 * n * sizeof( double ) );
	state.v = Take( base, &at, 3 * n * sizeof( double ) );
	state.before = Take( base, &at, 3 * n * sizeof( double ) );
	state.speeds = Take( base, &at, model->nearJoints != NULL ? 3 * n * sizeof( double ) : 0 );
	state.targets = Take( base, &at, 3 * n * sizeof( double ) );
	state.frames = Take( base, &at, frames * sizeof( supFemFrame ) );
	state.framesBefore = Take( base, &at, frames * sizeof( supFemFrame ) );
	state.gates = Take( base, &at, (size_t)model->pairCount * sizeof( double ) );
	state.ways = Take( base, &at, (size_t)model->pairCount * sizeof( double ) );
	state.isActive = Take( base, &at, n );
	state.strains = Take( base, &at, n * sizeof( float ) );
	state.keys = Take( base, &at, (size_t)model->regionCount * sizeof( uint64_t ) );
	state.factors = Take( base, &at, model->factorSize );
	state.works = Take( base, &at, model->workSize );
	state.values = Take( base, &at, model->valuesSize );
	state.factorWork = Take( base, &at, model->factorWorkSize );
	state.newton = Take( base, &at, supFemNewton_Size( model ) );
	state.size = at;
	return state;
}

// Of a region while it is solved for.
typedef struct Work
{
	double* u;
	double* z;
	double* y;
	double* sums;
	double* x; // right-hand side, then solution
	void* scratch;
} Work;

static Work GetWork( const supFemRegion* region, const supFemState* state )
{
	char* base = state->works + region->workStart;
	size_t at = 0, n = 3 * (size_t)region->nodeCount * sizeof( double );
	Work work;
	work.u = Take( base, &at, n );
	work.z = Take( base, &at, n );
	work.y = Take( base, &at, n );
	work.sums = Take( base, &at, n );
	work.x = Take( base, &at, MOST_COLUMNS * n );
	work.scratch = base + at;
	return work;
}

static size_t WorkSize( const supFemRegion* region )
{
	supFactor factor = { .symbolic = &region->symbolic, .precision = supFemFactorDef.precision };
	size_t at = 0, n = 3 * (size_t)region->nodeCount * sizeof( double );
	for ( int i = 0; i < 4; ++i )
	{
		Take( NULL, &at, n );
	}
	Take( NULL, &at, MOST_COLUMNS * n );
	Take( NULL, &at, supFactor_ScratchSize( &factor, MOST_COLUMNS, 1 ) );
	return at;
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
		model->workSize += WorkSize( region );
		model->valuesSize = values > model->valuesSize ? values : model->valuesSize;
		model->factorWorkSize = work > model->factorWorkSize ? work : model->factorWorkSize;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Factors

void supFemRegion_ClearInactive( const supFemRegion* region, const uint8_t* isActive, supBlockMatrix* matrix )
{
	for ( int32_t row = 0; row < matrix->nodeCount; ++row )
	{
		bool isRow = isActive[region->functions[row]];
		for ( int32_t k = matrix->rowStarts[row]; k < matrix->rowStarts[row + 1]; ++k )
		{
			if ( isRow == false || isActive[region->functions[matrix->columns[k]]] == 0 )
			{
				for ( int i = 0; i < 9; ++i )
				{
					matrix->values[9 * (size_t)k + (size_t)i] = matrix->columns[k] == row && i % 4 == 0 ? 1.0 : 0.0;
				}
			}
		}
	}
}

// M + h D + h^2 K of the unknowns, with rows of one on the diagonal for what does not take part.
static void AssembleRegion( const supFemRegion* region, const supFemState* state, const supFemStep* step,
							supBlockMatrix* matrix )
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
	supFemRegion_ClearInactive( region, state->isActive, matrix );
}

static uint64_t MakeKey( const supFemModel* model, const supFemStep* step )
{
	uint64_t key = SUP_HASH_SEED;
	key = supHashBytes( key, &step->dt, sizeof( step->dt ) );
	key = supHashBytes( key, &step->air, sizeof( step->air ) );
	return supHashBytes( key, step->tunings, (size_t)model->softRegionCount * sizeof( supFemTuning ) );
}

// Which of its functions take part.
static uint64_t AddFunctions( uint64_t key, const supFemModel* model, const supFemState* state,
							  const supFemRegion* region )
{
	for ( int32_t i = 0; i < region->unknownCount; ++i )
	{
		bool isFiner = region->functions[i] >= model->vertexCount;
		if ( isFiner && state->isActive[region->functions[i]] )
		{
			key = supHashBytes( key, region->functions + i, sizeof( int32_t ) );
		}
	}
	return key | 1;
}

// The frames between two bones that are turned like each other have nothing to say.
static bool IsAwake( const supFemModel* model, const supFemState* state, const supFemRegion* region )
{
	int32_t between = region->frame - model->boneCount;
	return between < 0 || state->gates[between / model->between] > 0.0;
}

static void UpdateFactors( const supFemModel* model, const supFemState* state, const supFemStep* step )
{
	uint64_t common = MakeKey( model, step );
	for ( int32_t i = 0; i < model->regionCount; ++i )
	{
		const supFemRegion* region = model->regions + i;
		uint64_t key = AddFunctions( common, model, state, region );
		if ( state->keys[i] == key || IsAwake( model, state, region ) == false )
		{
			continue;
		}
		state->keys[i] = key;
		supBlockMatrix matrix = region->matrix;
		matrix.values = state->values;
		AssembleRegion( region, state, step, &matrix );
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

// u, and for mass and damping z = h ( D / M ) w + dv_known, but for the part's own damping: y keeps w.
static void SeeFromBone( const Run* run, const supFemRegion* region, const Work* work )
{
	const supFemState* state = run->state;
	double h = run->step->dt, air = run->step->air;
	const supFemFrame* frame = state->frames + region->frame;
	const supFemFrame* frameBefore = state->framesBefore + region->frame;
	const double wind[3] = { (double)run->step->wind.x, (double)run->step->wind.y, (double)run->step->wind.z };
	for ( int32_t i = 0; i < region->nodeCount; ++i )
	{
		int32_t function = region->functions[i];
		const double* x = state->x + 3 * (size_t)function;
		const double* v = state->v + 3 * (size_t)function;
		const double* end = state->targets + 3 * (size_t)function;
		bool isKnown = i >= region->unknownCount;
		double now[3], past[3], u[3], w[3], z[3];
		Place( run->model, frame, function, now );
		Place( run->model, frameBefore, function, past );
		for ( int k = 0; k < 3; ++k )
		{
			double velocity = isKnown ? ( end[k] - x[k] ) / h : v[k];
			u[k] = ( isKnown ? end[k] : x[k] + h * v[k] ) - now[k];
			w[k] = velocity - ( now[k] - past[k] ) / h;
			z[k] = h * air * ( velocity - wind[k] ) + ( isKnown ? velocity - v[k] : 0.0 );
		}
		TurnBack( frame, u, work->u + 3 * (size_t)i );
		TurnBack( frame, w, work->y + 3 * (size_t)i );
		TurnBack( frame, z, work->z + 3 * (size_t)i );
	}
}

// The whole body seen from one bone: places are held to where all their bones put them, not to this one.
static void AddHold( const Run* run, const supFemRegion* region, const supFemPart* part, const Work* work,
					 double scale )
{
	const supFemState* state = run->state;
	size_t n = 3 * (size_t)region->nodeCount, unknowns = 3 * (size_t)region->unknownCount;
	double *away = work->x, *product = work->x + n;
	for ( int32_t i = 0; i < region->nodeCount; ++i )
	{
		size_t at = 3 * (size_t)region->functions[i];
		double offset[3], held[3];
		supFemModel_HoldPlace( run->model, state->frames, region->functions[i], held );
		for ( size_t k = 0; k < 3; ++k )
		{
			bool isKnown = i >= region->unknownCount;
			offset[k] = isKnown ? 0.0 : state->x[at + k] + run->step->dt * state->v[at + k] - held[k];
		}
		TurnBack( state->frames + region->frame, offset, away + 3 * (size_t)i );
	}
	supBlockMatrix_Multiply( &part->hold, away, product, 3, NULL );
	for ( size_t i = 0; i < unknowns; ++i )
	{
		work->sums[i] -= scale * product[i];
	}
}

// -h K u - M ( h mu w + z ), summed over the parts.
static void SumForces( const Run* run, const supFemRegion* region, const Work* work )
{
	double h = run->step->dt;
	size_t n = 3 * (size_t)region->nodeCount, unknowns = 3 * (size_t)region->unknownCount;
	double* product = work->x + n;
	double* mixed = product + n;
	memset( work->sums, 0, n * sizeof( double ) );
	for ( int32_t p = 0; p < region->partCount; ++p )
	{
		const supFemPart* part = region->parts + p;
		const supFemTuning* tuning = run->step->tunings + part->softRegion;
		supBlockMatrix_Multiply( &part->stiffness, work->u, product, 1, NULL );
		for ( size_t i = 0; i < unknowns; ++i )
		{
			work->sums[i] -= h * tuning->stiffness * product[i];
		}
		for ( size_t i = 0; i < n; ++i )
		{
			mixed[i] = h * tuning->damping * work->y[i] + work->z[i];
		}
		if ( run->model->isWhole )
		{
			AddHold( run, region, part, work, h * tuning->stiffness );
		}
		supBlockMatrix_Multiply( &part->mass, mixed, product, 3, NULL );
		for ( size_t i = 0; i < unknowns; ++i )
		{
			work->sums[i] -= product[i];
		}
	}
}

static void SolveRegion( const Run* run, const supFemRegion* region )
{
	const supFemStep* step = run->step;
	Work work = GetWork( region, run->state );
	SeeFromBone( run, region, &work );
	SumForces( run, region, &work );
	// gravity, and what holds the rest pose up against it and turns with the bone
	const double gravity[3] = { (double)step->gravity.x, (double)step->gravity.y, (double)step->gravity.z };
	double down[3];
	TurnBack( run->state->frames + region->frame, gravity, down );
	for ( int32_t i = 0; i < region->unknownCount; ++i )
	{
		bool isActive = run->state->isActive[region->functions[i]];
		for ( int k = 0; k < 3; ++k )
		{
			double pull = down[k] - ( 1.0 - step->sag ) * gravity[k];
			size_t at = 3 * (size_t)i + (size_t)k;
			work.x[at] = isActive ? work.sums[at] + step->dt * region->loads[i] * pull : 0.0;
		}
	}
	Solve( region, run->state, work.x, 1, work.scratch );
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
		const supFemClaim* claim = model->claims + k;
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

// Where the bones put each function, and known ones at the end of the step.
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
			continue;
		}
		supFemModel_Skin( model, state->frames, state->gates, i, target );
	}
}

// A character that was put elsewhere takes its flesh along, with the velocity that it had.
static void FollowJump( const supFemModel* model, const supFemState* state, const supVec4* known, double h )
{
	float farthest = 0.0f;
	for ( int32_t i = 0; i < model->vertexCount; ++i )
	{
		const double* x = state->x + 3 * (size_t)i;
		if ( model->isKnown[i] )
		{
			supVec3 at = { (float)x[0], (float)x[1], (float)x[2] };
			float way = supDistance( at, supMakeVec3( known[i].x, known[i].y, known[i].z ) );
			farthest = supMaxFloat( farthest, way );
		}
	}
	if ( farthest <= JUMP * model->extent )
	{
		return;
	}
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
	memcpy( state->framesBefore, state->frames, (size_t)model->frameCount * sizeof( supFemFrame ) );
}

static double WeightOf( const supFemShare* share, const supFemState* state )
{
	return supFemMix( share->pair, share->straight, share->turned, state->gates );
}

static double SumShares( const supFemModel* model, const supFemState* state, int32_t function )
{
	double sum = 0.0;
	for ( int32_t k = model->shareStarts[function]; k < model->shareStarts[function + 1]; ++k )
	{
		sum += WeightOf( model->shares + k, state );
	}
	return sum;
}

static void Blend( const supFemModel* model, const supFemState* state, double h )
{
	for ( int32_t i = 0; i < model->functionCount; ++i )
	{
		double* x = state->x + 3 * (size_t)i;
		double* v = state->v + 3 * (size_t)i;
		const double* target = state->targets + 3 * (size_t)i;
		double change[3] = { 0 }, whole = SumShares( model, state, i );
		for ( int32_t k = model->shareStarts[i]; k < model->shareStarts[i + 1]; ++k )
		{
			const supFemShare* share = model->shares + k;
			const supFemRegion* region = model->regions + share->region;
			double turned[3], weight = WeightOf( share, state );
			if ( weight <= 0.0 )
			{
				// may be of a frame that sleeps
				continue;
			}
			Turn( state->frames + region->frame, GetWork( region, state ).x + 3 * (size_t)share->node, turned );
			change[0] += weight * turned[0];
			change[1] += weight * turned[1];
			change[2] += weight * turned[2];
		}
		bool follows = model->isKnown[i] || whole <= 0.0;
		for ( int k = 0; k < 3; ++k )
		{
			v[k] = follows ? ( target[k] - x[k] ) / h : v[k] + change[k] / whole;
			x[k] = follows ? target[k] : x[k] + h * v[k];
		}
	}
}

void supFemSolver_Reset( const supFemModel* model, const supFemState* state, const supFemFrame* frames,
						 const supVec4* known )
{
	memset( state->header, 0, state->size );
	supFemModel_PlaceFrames( model, frames, state->frames, state->gates, state->ways );
	memcpy( state->framesBefore, state->frames, (size_t)model->frameCount * sizeof( supFemFrame ) );
	memset( state->isActive, 1, (size_t)model->vertexCount );
	state->header->activeCount = model->vertexCount;
	Aim( model, state, known );
	memcpy( state->x, state->targets, 3 * (size_t)model->functionCount * sizeof( double ) );
	memcpy( state->before, state->targets, 3 * (size_t)model->functionCount * sizeof( double ) );
}

void supFemSolver_Advance( const supFemModel* model, const supFemState* state, const supFemStep* step )
{
	memcpy( state->framesBefore, state->frames, (size_t)model->frameCount * sizeof( supFemFrame ) );
	supFemModel_PlaceFrames( model, step->frames, state->frames, state->gates, state->ways );
	FollowJump( model, state, step->known, step->dt );
	memcpy( state->before, state->x, 3 * (size_t)model->functionCount * sizeof( double ) );
	Aim( model, state, step->known );
	if ( model->isNonlinear )
	{
		supFemNewton_Advance( model, state, step );
		return;
	}
	UpdateFactors( model, state, step );
	Run run = { model, state, step };
	supParallelFor( step->tasks, model->regionCount, 1, RegionRange, &run );
	if ( model->nearJoints != NULL )
	{
		memcpy( state->speeds, state->v, 3 * (size_t)model->functionCount * sizeof( double ) );
	}
	Blend( model, state, step->dt );
	if ( model->nearJoints != NULL )
	{
		supFemNewton_AdvanceJoints( model, state, step );
	}
}

int32_t supFemSolver_Repair( const supFemModel* model, const supFemState* state, const supFemStep* step )
{
	int32_t repaired = 0;
	float farthest = 0.0f;
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
		farthest = supMaxFloat( farthest, (float)sqrt( way ) );
	}
	state->header->moved = farthest;
	step->trouble->notFinite += repaired;
	return repaired;
}

// ---------------------------------------------------------------------------------------------------------------------
// Response

static double RootOf( const supFemModel* model, const supFemState* state, int32_t function, const supFemShare* share )
{
	double whole = SumShares( model, state, function );
	return whole > 0.0 ? sqrt( WeightOf( share, state ) / whole ) : 0.0;
}

// B J^T with B = sum of S_i R_i A_i^-1 R_i^T S_i, S_i the roots of the weights: symmetric, and A^-1 where one region
// does all.
void supFemSolver_Respond( const supFemModel* model, const supFemState* state, double dt, int32_t count,
						   const int32_t* functions, const float* weights, double* columns )
{
	memset( columns, 0, 9 * (size_t)model->functionCount * sizeof( double ) );
	for ( int32_t r = 0; r < model->regionCount; ++r )
	{
		const supFemRegion* region = model->regions + r;
		const supFemFrame* frame = state->frames + region->frame;
		Work work = GetWork( region, state );
		size_t n = 3 * (size_t)region->unknownCount;
		bool any = false;
		memset( work.x, 0, 3 * n * sizeof( double ) );
		for ( int32_t i = 0; i < count; ++i )
		{
			for ( int32_t k = model->shareStarts[functions[i]]; k < model->shareStarts[functions[i] + 1]; ++k )
			{
				const supFemShare* share = model->shares + k;
				double root = share->region == r ? RootOf( model, state, functions[i], share ) : 0.0;
				if ( root > 0.0 && state->isActive[functions[i]] )
				{
					any = true;
					double scale = (double)weights[i] * root;
					for ( int c = 0; c < 9; ++c )
					{
						// row c / 3 of R^T, column c % 3
						work.x[3 * ( 3 * (size_t)share->node + (size_t)( c / 3 ) ) + (size_t)( c % 3 )] +=
							scale * frame->r[c % 3][c / 3];
					}
				}
			}
		}
		if ( any == false )
		{
			continue;
		}
		Solve( region, state, work.x, 3, work.scratch );
		for ( int32_t i = 0; i < model->functionCount; ++i )
		{
			for ( int32_t k = model->shareStarts[i]; k < model->shareStarts[i + 1]; ++k )
			{
				const supFemShare* share = model->shares + k;
				double root = share->region == r ? RootOf( model, state, i, share ) : 0.0;
				for ( int c = 0; root > 0.0 && c < 3; ++c )
				{
					const double* x = work.x + 9 * (size_t)share->node;
					double turned[3];
					Turn( frame, ( double[3] ){ x[c], x[3 + c], x[6 + c] }, turned );
					for ( int row = 0; row < 3; ++row )
					{
						columns[9 * (size_t)i + (size_t)( 3 * c + row )] += dt * dt * root * turned[row];
					}
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
