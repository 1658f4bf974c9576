// SPDX-License-Identifier: MIT
// Attachments: how a force on a place moves the whole body, and what was done with that.
//
// A place is a weighted mean of points of the layer, outer and inner. An impulse p on it answers as a touch does
// (response.c): δv_b = M̂_cond^-1 Σ b J_condᵀ p, δv_s = C ( b R_Wᵀ p - M_bsᵀ δv_b ), with C = W (contact_compliance.c).
// Whoever asks moves the points that are handed out by it. Afterwards the impulses are found again from how far the
// places went, and given to links and skin, which the points cannot say by themselves.
#include "linear/dense.h"
#include "method/layered/layered.h"

#include <math.h>

// Part of a place's own mobility that keeps places at one spot apart.
#define APART 1e-9

// Places are solved to this part of the body's size, by so many rounds at most: a step is not quite a line.
#define TOLERANCE 1e-6
#define ROUNDS 48

// ---------------------------------------------------------------------------------------------------------------------
// Points

typedef struct Rider
{
	int32_t frame;
	double weight;
	supVec3d arm;
} Rider;

static bool IsOuter( const supLayeredFlesh* flesh, int32_t point )
{
	return point < flesh->skin.nodeCount;
}

// Frames that move a point; returns how many.
static int32_t FindRiders( const supLayeredRun* run, int32_t point, Rider riders[SUP_MAX_INFLUENCES] )
{
	const supLayeredFlesh* flesh = run->flesh;
	int32_t count = 0;
	for ( int64_t k = SUP_MAX_INFLUENCES * (int64_t)point; k < SUP_MAX_INFLUENCES * ( (int64_t)point + 1 ); ++k )
	{
		int32_t frame = flesh->pointFrames[k];
		if ( flesh->pointFrameWeights[k] > 0.0f )
		{
			supVec3d arm = supLayered_PointArm( run, point, frame );
			riders[count++] = ( Rider ){ frame, (double)flesh->pointFrameWeights[k], arm };
		}
	}
	return count;
}

static supMat3d Blend( const supLayeredRun* run, const Rider* riders, int32_t count )
{
	supMat3d blend = supDiagonal3d( 0.0 );
	for ( int32_t k = 0; k < count; ++k )
	{
		blend = supMulAddMat3d( &blend, riders[k].weight, run->view.rotations + riders[k].frame );
	}
	return blend;
}

// Impulses at one point onto the skeleton: J_condᵀ p for outer points, J_bᵀ p for inner ones.
static void PushBones( const supLayeredRun* run, int32_t point, supVec3d impulse, double* f )
{
	const supLayeredFlesh* flesh = run->flesh;
	Rider riders[SUP_MAX_INFLUENCES];
	int32_t count = FindRiders( run, point, riders );
	supMat3d blend = Blend( run, riders, count );
	// what the skin takes: m M̂_s^-1 R_Wᵀ p
	supVec3d taken = { 0.0, 0.0, 0.0 };
	if ( IsOuter( flesh, point ) )
	{
		supVec3d local = supMulMat3dVec( run->view.compliances + point, supMulTransposed3d( &blend, impulse ) );
		taken = supScaleVec3d( flesh->skin.masses[point], local );
	}
	for ( int32_t k = 0; k < count; ++k )
	{
		const supMat3d* r = run->view.rotations + riders[k].frame;
		supVec3d force = supSubVec3d( impulse, supMulMat3dVec( r, taken ) );
		supVec3d turned = supSubVec3d( supMulTransposed3d( r, impulse ), taken );
		supVec3d torque = supCrossVec3d( riders[k].arm, turned );
		supLayered_PushFrame( run, riders[k].frame, supScaleVec3d( riders[k].weight, force ),
							  supScaleVec3d( riders[k].weight, torque ), f );
	}
}

// Velocity of a point from those of links, and from an impulse on the point itself.
static supVec3d PointAnswer( const supLayeredRun* run, int32_t point, const double* speeds, supVec3d impulse )
{
	const supLayeredFlesh* flesh = run->flesh;
	Rider riders[SUP_MAX_INFLUENCES];
	int32_t count = FindRiders( run, point, riders );
	supVec3d moved = { 0.0, 0.0, 0.0 }, lag = { 0.0, 0.0, 0.0 };
	for ( int32_t k = 0; k < count; ++k )
	{
		supFrameSpeed v = supLayered_SolvedSpeed( run, riders[k].frame, speeds );
		const supMat3d* r = run->view.rotations + riders[k].frame;
		supVec3d turn = supCrossVec3d( v.spin, riders[k].arm );
		moved = supMulAddVec3d( moved, riders[k].weight, supAddVec3d( v.velocity, supMulMat3dVec( r, turn ) ) );
		supVec3d local = supAddVec3d( supMulTransposed3d( r, v.velocity ), turn );
		lag = supMulAddVec3d( lag, riders[k].weight, local );
	}
	if ( IsOuter( flesh, point ) == false )
	{
		return moved;
	}
	supMat3d blend = Blend( run, riders, count );
	supVec3d push = supMulAddVec3d( supMulTransposed3d( &blend, impulse ), -flesh->skin.masses[point], lag );
	supVec3d skin = supMulMat3dVec( run->view.compliances + point, push );
	return supAddVec3d( moved, supMulMat3dVec( &blend, skin ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Places

// The skeleton's answer to an impulse on a place, in boneSpeeds.
static void AnswerOfBones( supLayeredRun* run, const supAskedPlace* place, supVec3d impulse )
{
	const supLayeredFlesh* flesh = run->flesh;
	double* f = run->view.boneSpeeds;
	memset( f, 0, (size_t)flesh->bones.unknownCount * sizeof( double ) );
	for ( int32_t k = place->first; k < place->first + place->count; ++k )
	{
		PushBones( run, run->view.askedPoints[k], supScaleVec3d( (double)run->view.askedWeights[k], impulse ), f );
	}
	supFactor_Solve( &run->factor, f, 1, run->view.scratch, NULL );
}

static void FactorCondensed( supLayeredRun* run )
{
	supBlockMatrix condensed = run->flesh->bones;
	supLayered_FindGive( run );
	condensed.values = run->view.condensed;
	supFactor_Refactor( &run->factor, &condensed, NULL );
}

static supVec3d ShareOf( const supLayeredRun* run, const supAskedPlace* place, int32_t point, supVec3d impulse )
{
	for ( int32_t k = place->first; k < place->first + place->count; ++k )
	{
		if ( run->view.askedPoints[k] == point )
		{
			return supScaleVec3d( (double)run->view.askedWeights[k], impulse );
		}
	}
	return ( supVec3d ){ 0.0, 0.0, 0.0 };
}

// NULL if there is no room.
static const supAskedPlace* AddPlace( const supLayeredView* view, int32_t count, const int32_t* particles,
									  const float* weights )
{
	supLayeredHeader* header = view->header;
	const supAskedPlace* last = header->askedCount > 0 ? view->asked + header->askedCount - 1 : NULL;
	int32_t first = last != NULL ? last->first + last->count : 0;
	if ( header->askedCount == SUP_MAX_ASKED || count > SUP_MAX_ASKED_POINTS - first )
	{
		return NULL;
	}
	supAskedPlace* place = view->asked + header->askedCount++;
	*place = ( supAskedPlace ){ first, count };
	memcpy( view->askedPoints + first, particles, (size_t)count * sizeof( int32_t ) );
	memcpy( view->askedWeights + first, weights, (size_t)count * sizeof( float ) );
	return place;
}

void supLayered_BeginHeldPlaces( const void* flesh, void* block )
{
	supLayeredView view = supLayered_View( flesh, block );
	view.header->askedCount = view.header->goalCount = 0;
}

void supLayered_AddHeldPlace( const void* flesh, void* block, int32_t count, const int32_t* particles,
							  const float* weights )
{
	supLayeredView view = supLayered_View( flesh, block );
	AddPlace( &view, count, particles, weights );
}

bool supLayered_ComputeResponse( const void* fleshPointer, void* block, const supSubstep* step, int32_t count,
								 const int32_t* particles, const float* weights, supMat3* columns )
{
	const supLayeredFlesh* flesh = fleshPointer;
	if ( columns == NULL )
	{
		return true;
	}
	supLayeredRun run = supLayered_Start( flesh, block, step );
	const supAskedPlace* place = AddPlace( &run.view, count, particles, weights );
	if ( place == NULL )
	{
		step->trouble->notConverged += 1;
		return false;
	}
	FactorCondensed( &run );
	float* out = (float*)columns;
	for ( int32_t c = 0; c < 3; ++c )
	{
		// a force over the substep is an impulse of dt, and a velocity lasts for dt
		supVec3d impulse = { c == 0 ? run.dt : 0.0, c == 1 ? run.dt : 0.0, c == 2 ? run.dt : 0.0 };
		AnswerOfBones( &run, place, impulse );
		for ( int32_t i = 0; i < flesh->layer.tets.pointCount; ++i )
		{
			supVec3d v = PointAnswer( &run, i, run.view.boneSpeeds, ShareOf( &run, place, i, impulse ) );
			supVec3 way = supNarrowVec3( supScaleVec3d( run.dt, v ) );
			memcpy( out + 9 * (size_t)i + 3 * (size_t)c, &way, sizeof( way ) );
		}
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Finding impulses again

// The mean of the points as `points` has them.
static supVec3d PlaceOf( const supLayeredRun* run, const supVec4* points, const supAskedPlace* place )
{
	supVec3d mean = { 0.0, 0.0, 0.0 };
	for ( int32_t k = place->first; k < place->first + place->count; ++k )
	{
		const supVec4* p = points + run->view.askedPoints[k];
		double weight = (double)run->view.askedWeights[k];
		mean = supMulAddVec3d( mean, weight, ( supVec3d ){ (double)p->x, (double)p->y, (double)p->z } );
	}
	return mean;
}

// Velocity of place `at` after an impulse on place `from`, whose answer of the skeleton is in boneSpeeds.
static supVec3d PlaceAnswer( const supLayeredRun* run, const supAskedPlace* at, const supAskedPlace* from,
							 supVec3d impulse )
{
	supVec3d sum = { 0.0, 0.0, 0.0 };
	for ( int32_t k = at->first; k < at->first + at->count; ++k )
	{
		int32_t point = run->view.askedPoints[k];
		supVec3d share = ShareOf( run, from, point, impulse );
		supVec3d v = PointAnswer( run, point, run->view.boneSpeeds, share );
		sum = supMulAddVec3d( sum, (double)run->view.askedWeights[k], v );
	}
	return sum;
}

static void FillMobility( supLayeredRun* run, int32_t count, double* matrix )
{
	int32_t size = 3 * count;
	for ( int32_t column = 0; column < size; ++column )
	{
		const supAskedPlace* from = run->view.asked + column / 3;
		supVec3d impulse = { column % 3 == 0, column % 3 == 1, column % 3 == 2 };
		AnswerOfBones( run, from, impulse );
		for ( int32_t k = 0; k < count; ++k )
		{
			supVec3d v = PlaceAnswer( run, run->view.asked + k, from, impulse );
			supStoreVec3d( matrix + (int64_t)column * size + 3 * k, v );
		}
	}
	for ( int32_t i = 0; i < size; ++i )
	{
		matrix[(int64_t)i * size + i] *= 1.0 + APART;
	}
}

static void ApplyImpulse( supLayeredRun* run, const supAskedPlace* place, supVec3d impulse )
{
	const supLayeredFlesh* flesh = run->flesh;
	AnswerOfBones( run, place, impulse );
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		const double* dv = run->view.boneSpeeds + flesh->bones.offsets[i];
		supLinkState* link = run->view.freeLinks + i;
		link->velocity = supAddVec3d( link->velocity, supLoadVec3d( dv ) );
		link->spin = supAddVec3d( link->spin, supLoadVec3d( dv + 3 ) );
	}
	supLayered_CarryToSkin( run, run->view.boneSpeeds, run->view.skinLag );
	for ( int32_t a = 0; a < flesh->skin.nodeCount; ++a )
	{
		double* v = run->view.freeV + 3 * (int64_t)a;
		supVec3d push = ShareOf( run, place, a, impulse ), lag = supLoadVec3d( run->view.skinLag + 3 * (int64_t)a );
		if ( supDotVec3d( push, push ) > 0.0 )
		{
			Rider riders[SUP_MAX_INFLUENCES];
			int32_t count = FindRiders( run, a, riders );
			supMat3d blend = Blend( run, riders, count );
			push = supMulTransposed3d( &blend, push );
		}
		supVec3d dv = supMulMat3dVec( run->view.compliances + a, supSubVec3d( push, lag ) );
		supStoreVec3d( v, supAddVec3d( supLoadVec3d( v ), dv ) );
	}
}

// Velocities that places lack to be where they were put by the end of the step. Returns the farthest way.
static double FindLack( const supLayeredRun* run, int32_t count, const double* goals, double* lack )
{
	double farthest = 0.0;
	for ( int32_t k = 0; k < count; ++k )
	{
		supVec3d at = PlaceOf( run, run->view.points, run->view.asked + k );
		supVec3d way = supSubVec3d( supLoadVec3d( goals + 3 * k ), at );
		supStoreVec3d( lack + 3 * k, supScaleVec3d( 1.0 / run->dt, way ) );
		farthest = fmax( farthest, supLengthVec3d( way ) );
	}
	return farthest;
}

// What places lack becomes impulses on them. False where they cannot be told apart.
static bool PushPlaces( supLayeredRun* run, int32_t count, double* lack )
{
	int32_t exchanges[3 * SUP_MAX_ASKED], size = 3 * count;
	FactorCondensed( run );
	FillMobility( run, count, run->view.askedMatrix );
	if ( supDense_FactorLu( run->view.askedMatrix, size, exchanges ) >= 0 )
	{
		return false;
	}
	supDense_SolveLu( run->view.askedMatrix, size, exchanges, lack );
	for ( int32_t k = 0; k < count; ++k )
	{
		supVec3d impulse = supLoadVec3d( lack + 3 * k );
		ApplyImpulse( run, run->view.asked + k, impulse );
		double* force = run->view.askedForces + 3 * k;
		supStoreVec3d( force, supMulAddVec3d( supLoadVec3d( force ), 1.0 / run->dt, impulse ) );
	}
	return true;
}

void supLayered_SolveAttachments( supLayeredRun* run )
{
	int32_t count = run->view.header->goalCount;
	double lack[3 * SUP_MAX_ASKED];
	if ( count == 0 )
	{
		return;
	}
	supLayered_SkinPoints( run->flesh, &run->view, run->tasks );
	for ( int32_t round = 0; round < ROUNDS; ++round )
	{
		if ( FindLack( run, count, run->view.askedGoals, lack ) <= TOLERANCE * (double)run->flesh->size )
		{
			return;
		}
		if ( PushPlaces( run, count, lack ) == false )
		{
			run->trouble->notConverged += 1;
			return;
		}
		supLayered_Reposition( run );
		supLayered_SkinPoints( run->flesh, &run->view, run->tasks );
	}
}

void supLayered_BeginAttachments( supLayeredRun* run )
{
	supLayeredHeader* header = run->view.header;
	if ( header->askedCount > header->goalCount )
	{
		for ( int32_t k = header->goalCount; k < header->askedCount; ++k )
		{
			supStoreVec3d( run->view.askedGoals + 3 * k, PlaceOf( run, run->view.x, run->view.asked + k ) );
			supStoreVec3d( run->view.askedForces + 3 * k, ( supVec3d ){ 0.0, 0.0, 0.0 } );
		}
		header->goalCount = header->askedCount;
		supLayered_SolveAttachments( run );
	}
}

bool supLayered_GetAttachmentForce( const void* flesh, const void* block, int32_t count, const int32_t* particles,
									const float* weights, supVec3* force )
{
	supLayeredView view = supLayered_View( flesh, block );
	for ( int32_t k = 0; k < view.header->goalCount; ++k )
	{
		const supAskedPlace* place = view.asked + k;
		const int32_t* points = view.askedPoints + place->first;
		const float* own = view.askedWeights + place->first;
		if ( place->count == count && memcmp( points, particles, (size_t)count * sizeof( int32_t ) ) == 0 &&
			 memcmp( own, weights, (size_t)count * sizeof( float ) ) == 0 )
		{
			*force = supNarrowVec3( supLoadVec3d( view.askedForces + 3 * k ) );
			return true;
		}
	}
	return false;
}
