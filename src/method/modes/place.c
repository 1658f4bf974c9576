// SPDX-License-Identifier: MIT
// Points from coordinates, and coordinates from points that others have moved.
//
// A push d on points changes q by momentum: Δq = Φᵀ m d. What the modes cannot follow stays as a dent, point by point,
// in the frame of the rest pose, so that whatever pushed finds flesh where it put it. Dents spread to their neighbours
// and fade as flesh of their softness would.
#include "character/skinning_kernel.h"
#include "core/wide.h"
#include "method/modes/modes.h"
#include "method/modes/modes_kernel.h"

#include <math.h>

// Blocks of eight points that a worker does at once.
#define BLOCKS 32
#define POINTS ( BLOCKS * SUP_MODES_LANES )

// Dents even out over neighbouring points at this rate, 1/s, and fade at so many times the frequency of their flesh.
#define SPREAD_RATE 30.0f
#define FADE_RATIO 4.0f

// Of the body's size: dents below are none.
#define LEAST_DENT 1e-7f

typedef struct PlaceRun
{
	const supModesFlesh* flesh;
	const supModesView* view;
	float reach;
} PlaceRun;

static supSkinJob MakeJob( const PlaceRun* run, int32_t begin, int32_t count )
{
	size_t slot = SUP_MAX_INFLUENCES * (size_t)begin;
	return ( supSkinJob ){ .vertexCount = count,
						   .influences = SUP_MAX_INFLUENCES,
						   .joints = run->flesh->skin.joints + slot,
						   .weights = run->flesh->skin.weights + slot,
						   .duals = run->view->duals,
						   .hasStretch = run->view->header->hasStretch != 0 };
}

// u of a lane, never beyond its reach.
static supVec3 LimitShift( const PlaceRun* run, const float* u, int32_t point )
{
	supVec3 shift = supMakeVec3( u[0], u[8], u[16] );
	// its square is a normal number, also for those who have denormal ones flushed to zero
	float limit = supMaxFloat( run->reach * run->flesh->limits[point], 1e-15f );
	return supScale( 1.0f / sqrtf( 1.0f + supLengthSquared( shift ) / ( limit * limit ) ), shift );
}

static void ExpandRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const PlaceRun* run = context;
	const supModesFlesh* flesh = run->flesh;
	float u[24 * BLOCKS];
	size_t first = (size_t)begin;
	SUP_CALL_KERNEL( supExpandModes )
	( flesh->shapes + first * (size_t)flesh->modeCount * SUP_MODES_LANES, flesh->rests + 24 * first, run->view->numbers,
	  flesh->modeCount, end - begin, u );
	int32_t last = SUP_MODES_LANES * end < flesh->pointCount ? SUP_MODES_LANES * end : flesh->pointCount;
	for ( int32_t i = SUP_MODES_LANES * begin; i < last; ++i )
	{
		int32_t at = i - SUP_MODES_LANES * begin;
		run->view->shifts[i] = LimitShift( run, u + 24 * ( at / SUP_MODES_LANES ) + at % SUP_MODES_LANES, i );
	}
}

// u of all points.
static void Expand( const PlaceRun* run, const supTasks* tasks )
{
	const supModesFlesh* flesh = run->flesh;
	SUP_CALL_KERNEL( supApplyColumns )
	( flesh->blends, run->view->q, supModes_NumberCount( flesh->modeCount ), flesh->coordinateCount,
	  run->view->numbers );
	PlaceRun own = *run;
	supParallelFor( tasks, supModes_BlockCount( flesh->pointCount ), BLOCKS, ExpandRange, &own );
}

static void SkinRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const PlaceRun* run = context;
	const supModesFlesh* flesh = run->flesh;
	const supModesView* view = run->view;
	supVec3 plain[POINTS], moved[POINTS];
	supSkinJob job = MakeJob( run, begin, end - begin );
	for ( int32_t i = begin; i < end; ++i )
	{
		view->fresh[i] = supAdd( flesh->points[i], supAdd( view->shifts[i], view->dents[i] ) );
	}
	job.positions = flesh->points + begin;
	job.outPositions = plain;
	SUP_CALL_KERNEL( supSkinDual )( &job );
	job.positions = view->fresh + begin;
	job.outPositions = moved;
	SUP_CALL_KERNEL( supSkinDual )( &job );
	for ( int32_t i = begin; i < end; ++i )
	{
		supVec3 a = plain[i - begin], b = moved[i - begin];
		view->skinned[i] = ( supVec4 ){ a.x, a.y, a.z, 0.0f };
		view->x[i] = ( supVec4 ){ b.x, b.y, b.z, flesh->inverseMasses[i] };
		view->placed[i] = view->x[i];
	}
}

void supModes_Place( const supModesFlesh* flesh, const supModesView* view, const supTasks* tasks )
{
	if ( view->header->isPlaced == 0 )
	{
		PlaceRun run = { flesh, view, view->header->reach };
		Expand( &run, tasks );
		supParallelFor( tasks, flesh->pointCount, POINTS, SkinRange, &run );
		view->header->isPlaced = 1;
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Back

static supVec3 MoveOf( const supModesView* view, int32_t point )
{
	const supVec4 *now = view->x + point, *before = view->placed + point;
	return supMakeVec3( now->x - before->x, now->y - before->y, now->z - before->z );
}

// Two axes of the rest pose, as each point has them now, into fresh and tangents.
static void FillTurns( const PlaceRun* run )
{
	const supModesView* view = run->view;
	int32_t count = run->flesh->pointCount;
	for ( int32_t i = 0; i < count; ++i )
	{
		view->fresh[i] = supMakeVec3( 1.0f, 0.0f, 0.0f );
		view->tangents[i] = ( supVec4 ){ 0.0f, 1.0f, 0.0f, 0.0f };
	}
	for ( int32_t begin = 0; begin < count; begin += POINTS )
	{
		supVec3 ignored[POINTS];
		int32_t end = begin + POINTS < count ? begin + POINTS : count;
		supSkinJob job = MakeJob( run, begin, end - begin );
		job.positions = run->flesh->points + begin;
		job.outPositions = ignored;
		job.normals = job.outNormals = view->fresh + begin;
		job.tangents = job.outTangents = view->tangents + begin;
		SUP_CALL_KERNEL( supSkinDual )( &job );
	}
}

// From the world into the rest pose of a point.
static supVec3 TurnBack( const supModesView* view, int32_t point, supVec3 v )
{
	supVec4 t = view->tangents[point];
	supVec3 x = supNormalize( view->fresh[point] ), y = supMakeVec3( t.x, t.y, t.z );
	y = supNormalize( supMulAdd( y, -supDot( x, y ), x ) );
	return supMakeVec3( supDot( x, v ), supDot( y, v ), supDot( supCross( x, y ), v ) );
}

// Momentum of moves, less `shifts` where these are given, as a change of coordinates into forces. In order.
static void GatherMoves( const PlaceRun* run, const float* shifts )
{
	const supModesFlesh* flesh = run->flesh;
	const supModesView* view = run->view;
	int32_t numbers = supModes_NumberCount( flesh->modeCount ), blocks = supModes_BlockCount( flesh->pointCount );
	memset( view->sums, 0, SUP_MODES_LANES * (size_t)numbers * sizeof( float ) );
	for ( int32_t block = 0; block < blocks; ++block )
	{
		float d[24] = { 0.0f };
		bool isMoved = false;
		for ( int32_t lane = 0; lane < SUP_MODES_LANES && 8 * block + lane < flesh->pointCount; ++lane )
		{
			int32_t i = 8 * block + lane;
			supVec3 move = MoveOf( view, i );
			const float* shift = shifts != NULL ? shifts + 4 * (int64_t)i : NULL;
			move = shift != NULL ? supSub( move, supMakeVec3( shift[0], shift[1], shift[2] ) ) : move;
			if ( flesh->inverseMasses[i] > 0.0f && supLengthSquared( move ) > 0.0f )
			{
				supVec3 push = supScale( 1.0f / flesh->inverseMasses[i], TurnBack( view, i, move ) );
				d[lane] = push.x;
				d[8 + lane] = push.y;
				d[16 + lane] = push.z;
				isMoved = true;
			}
		}
		if ( isMoved )
		{
			size_t at = (size_t)block;
			SUP_CALL_KERNEL( supGatherModes )
			( flesh->shapes + at * (size_t)flesh->modeCount * SUP_MODES_LANES, flesh->rests + 24 * at, d,
			  flesh->modeCount, view->sums );
		}
	}
	for ( int32_t k = 0; k < numbers; ++k )
	{
		view->numbers[k] = supSum8( supLoad8( view->sums + 8 * (int64_t)k ) );
	}
	SUP_CALL_KERNEL( supApplyTransposed )
	( flesh->blends, view->numbers, numbers, flesh->coordinateCount, view->forces );
}

static bool IsMoved( const supModesFlesh* flesh, const supModesView* view )
{
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		if ( supLengthSquared( MoveOf( view, i ) ) > 0.0f )
		{
			return true;
		}
	}
	return false;
}

void supModes_TakeBack( const supModesFlesh* flesh, const supModesView* view, const float* shifts, float rate )
{
	if ( IsMoved( flesh, view ) == false )
	{
		return;
	}
	PlaceRun run = { flesh, view, view->header->reach };
	FillTurns( &run );
	GatherMoves( &run, shifts );
	for ( int32_t j = 0; j < flesh->coordinateCount; ++j )
	{
		view->v[j] += rate * view->forces[j];
	}
	if ( shifts != NULL )
	{
		GatherMoves( &run, NULL );
	}
	for ( int32_t j = 0; j < flesh->coordinateCount; ++j )
	{
		view->q[j] += view->forces[j];
	}
	// points stay where they are: what is not in q is a dent
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		supVec3 whole = supAdd( view->shifts[i], view->dents[i] );
		bool isFree = flesh->inverseMasses[i] > 0.0f;
		view->dents[i] = isFree ? supAdd( whole, TurnBack( view, i, MoveOf( view, i ) ) ) : supVec3_zero;
		view->placed[i] = view->x[i];
	}
	Expand( &run, NULL );
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		bool isFree = flesh->inverseMasses[i] > 0.0f;
		view->dents[i] = isFree ? supSub( view->dents[i], view->shifts[i] ) : supVec3_zero;
	}
	view->header->hasDents = 1;
	view->header->moved = 1.0f;
}

void supModes_RelaxDents( const supModesFlesh* flesh, const supModesView* view, const supSubstep* step )
{
	const supSurfaceBinding* binding = &flesh->binding;
	float spread = 1.0f - 1.0f / ( 1.0f + SPREAD_RATE * step->dt ), largest = 0.0f;
	float fade = FADE_RATIO * 2.0f * SUP_PI * step->parameters[sup_modesFrequency] * step->dt;
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		int32_t begin = binding->neighbourStarts[i], end = binding->neighbourStarts[i + 1];
		supVec3 mean = supVec3_zero, own = view->dents[i];
		for ( int32_t k = begin; k < end; ++k )
		{
			mean = supAdd( mean, view->dents[binding->neighbours[k]] );
		}
		mean = end > begin ? supScale( 1.0f / (float)( end - begin ), mean ) : own;
		float left = 1.0f / ( 1.0f + fade / sqrtf( supMaxFloat( flesh->softnesses[i], 0.01f ) ) );
		supVec3 dent = supScale( left, supLerp( own, mean, spread ) );
		view->fresh[i] = flesh->inverseMasses[i] > 0.0f ? dent : supVec3_zero;
		largest = supMaxFloat( largest, supLengthSquared( view->fresh[i] ) );
	}
	float least = LEAST_DENT * flesh->size;
	view->header->hasDents = largest > least * least;
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		view->dents[i] = view->header->hasDents ? view->fresh[i] : supVec3_zero;
	}
	view->header->moved = view->header->hasDents ? supMaxFloat( view->header->moved, 1.0f ) : view->header->moved;
}
