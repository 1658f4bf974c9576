// SPDX-License-Identifier: MIT
// How forces on places of one body move each other: the blocks C of attachment_system.h.
//
// Bodies with a system of their own, and bodies with few places, have all blocks in a dense matrix. Bodies whose
// particles move independently and that have many places do without: a product with C applies the forces to particles
// and sums their moves, so that the cost grows with the number of places and not with its square.
#include "scene/attachment_system.h"

#include "core/core.h"
#include "math/matrix.h"

// A product with the dense matrix costs about as much as one through particles.
#define MAX_DENSE_PLACES 32

static bool IsSparse( const supActor* actor, int32_t placeCount )
{
	return placeCount > MAX_DENSE_PLACES && supActor_IsLocal( actor );
}

bool supActor_HasSparseCouplings( const supActor* actor )
{
	return IsSparse( actor, actor->heldCount );
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory

bool supActor_ReserveHeld( supActor* actor )
{
	if ( actor->reservedCount == actor->heldCapacity )
	{
		int32_t capacity = actor->heldCapacity > 0 ? 2 * actor->heldCapacity : 8;
		int32_t dense = IsSparse( actor, capacity ) ? MAX_DENSE_PLACES : capacity;
		supHeldPlace** held = supAllocArray( (size_t)capacity, sizeof( supHeldPlace* ) );
		supMat3* couplings = supAllocArray( (size_t)dense * (size_t)dense, sizeof( supMat3 ) );
		if ( held == NULL || couplings == NULL )
		{
			supFree( held );
			supFree( couplings );
			return false;
		}
		supActor_DestroyHeld( actor );
		actor->held = held;
		actor->couplings = couplings;
		actor->heldCapacity = capacity;
	}
	actor->reservedCount += 1;
	return true;
}

void supActor_DestroyHeld( supActor* actor )
{
	supFree( actor->held );
	supFree( actor->couplings );
	actor->held = NULL;
	actor->couplings = NULL;
	actor->heldCapacity = 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Dense

static void AddToScratch( void* scratch, int32_t particle, float way )
{
	( (float*)scratch )[particle] += way;
}

static void ClearScratch( void* scratch, int32_t particle, float way )
{
	(void)way;
	( (float*)scratch )[particle] = 0.0f;
}

static float GatherLocal( const supAnchor* by, const float* scratch )
{
	float c = 0.0f;
	for ( int32_t i = 0; i < by->count; ++i )
	{
		c += by->weights[i] * scratch[by->particles[i]];
	}
	return c;
}

static supMat3 Diagonal( float c )
{
	return ( supMat3 ){ { c, 0.0f, 0.0f }, { 0.0f, c, 0.0f }, { 0.0f, 0.0f, c } };
}

static supMat3 MeanOf( supMat3 a, supMat3 b )
{
	supMat3 half = supMulAddMat3( ( supMat3 ){ supVec3_zero, supVec3_zero, supVec3_zero }, 0.5f, a );
	return supMulAddMat3( half, 0.5f, b );
}

void supActor_FindCouplings( supActor* actor, void* scratch )
{
	int32_t n = actor->heldCount;
	if ( supActor_HasSparseCouplings( actor ) )
	{
		return;
	}
	for ( int32_t k = 0; k < n; ++k )
	{
		const supHeldPlace* pushed = actor->held[k];
		if ( pushed->responds == false )
		{
			supHeldPlace_ForEachMove( pushed, supHeldPlace_Grip( pushed ), AddToScratch, scratch );
		}
		for ( int32_t i = 0; i < n; ++i )
		{
			const supHeldPlace* place = actor->held[i];
			actor->couplings[(size_t)i * (size_t)n + (size_t)k] = pushed->responds
																	  ? supAnchor_Gather( &place->row, pushed->columns )
																	  : Diagonal( GatherLocal( &place->row, scratch ) );
		}
		if ( pushed->responds == false )
		{
			supHeldPlace_ForEachMove( pushed, supHeldPlace_Grip( pushed ), ClearScratch, scratch );
		}
	}
	// rounding, and forces that are spread, leave it not quite symmetric
	for ( int32_t i = 0; i < n * n; ++i )
	{
		int32_t row = i / n, column = i % n;
		if ( column <= row )
		{
			supMat3* a = actor->couplings + (size_t)row * (size_t)n + (size_t)column;
			supMat3* b = actor->couplings + (size_t)column * (size_t)n + (size_t)row;
			*a = MeanOf( *a, supTranspose( *b ) );
			*b = supTranspose( *a );
		}
	}
}

static void MoveDense( const supActor* actor )
{
	int32_t n = actor->heldCount;
	for ( int32_t i = 0; i < n; ++i )
	{
		supHeldPlace* place = actor->held[i];
		for ( int32_t k = 0; k < n; ++k )
		{
			const float* c = &actor->couplings[(size_t)i * (size_t)n + (size_t)k].cx.x;
			const double* push = actor->held[k]->push;
			for ( int32_t a = 0; a < 3; ++a )
			{
				place->move[a] += (double)c[a] * push[0] + (double)c[3 + a] * push[1] + (double)c[6 + a] * push[2];
			}
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Through particles

typedef struct Scatter
{
	double* moves; // three of each particle
	const double* push;
} Scatter;

static void AddMove( void* context, int32_t particle, float way )
{
	const Scatter* scatter = context;
	for ( int32_t a = 0; a < 3; ++a )
	{
		scatter->moves[3 * (size_t)particle + (size_t)a] += (double)way * scatter->push[a];
	}
}

static void ClearMove( void* context, int32_t particle, float way )
{
	(void)way;
	const Scatter* scatter = context;
	memset( scatter->moves + 3 * (size_t)particle, 0, 3 * sizeof( double ) );
}

static void ForEachHeld( const supActor* actor, bool byGrip, double* moves, supMoveFcn* function )
{
	for ( int32_t k = 0; k < actor->heldCount; ++k )
	{
		const supHeldPlace* place = actor->held[k];
		Scatter scatter = { moves, place->push };
		supHeldPlace_ForEachMove( place, byGrip ? supHeldPlace_Grip( place ) : &place->row, function, &scatter );
	}
}

// place->move += share * ( row . C . grip ), or the other way around.
static void MoveSparse( const supActor* actor, bool byGrip, double share, double* moves )
{
	ForEachHeld( actor, byGrip, moves, AddMove );
	for ( int32_t i = 0; i < actor->heldCount; ++i )
	{
		supHeldPlace* place = actor->held[i];
		const supAnchor* by = byGrip ? &place->row : supHeldPlace_Grip( place );
		for ( int32_t p = 0; p < by->count; ++p )
		{
			const double* move = moves + 3 * (size_t)by->particles[p];
			for ( int32_t a = 0; a < 3; ++a )
			{
				place->move[a] += share * (double)by->weights[p] * move[a];
			}
		}
	}
	ForEachHeld( actor, byGrip, moves, ClearMove );
}

static bool HasGrips( const supActor* actor )
{
	bool has = false;
	for ( int32_t k = 0; k < actor->heldCount; ++k )
	{
		has = has || actor->held[k]->grip.count > 0;
	}
	return has;
}

void supActor_MoveHeld( const supActor* actor, void* scratch )
{
	if ( supActor_HasSparseCouplings( actor ) == false )
	{
		MoveDense( actor );
		return;
	}
	// symmetric, as the dense matrix is
	bool hasGrips = HasGrips( actor );
	MoveSparse( actor, true, hasGrips ? 0.5 : 1.0, scratch );
	if ( hasGrips )
	{
		MoveSparse( actor, false, 0.5, scratch );
	}
}

static float CoupleSparse( const supHeldPlace* place, const supHeldPlace* pushed, void* scratch )
{
	supHeldPlace_ForEachMove( pushed, supHeldPlace_Grip( pushed ), AddToScratch, scratch );
	float c = GatherLocal( &place->row, scratch );
	supHeldPlace_ForEachMove( pushed, supHeldPlace_Grip( pushed ), ClearScratch, scratch );
	return c;
}

supMat3 supFindCoupling( const supHeldPlace* place, const supHeldPlace* pushed )
{
	const supActor* actor = place->def.actor;
	if ( place->moves == false || pushed->moves == false || actor != pushed->def.actor )
	{
		return Diagonal( 0.0f );
	}
	if ( supActor_HasSparseCouplings( actor ) )
	{
		void* scratch = place->owner->system->scratch;
		float there = CoupleSparse( place, pushed, scratch ), back = CoupleSparse( pushed, place, scratch );
		return Diagonal( 0.5f * ( there + back ) );
	}
	return actor->couplings[(size_t)place->index * (size_t)actor->heldCount + (size_t)pushed->index];
}
