// SPDX-License-Identifier: MIT
// Phases of a substep: bones to drives, drives to coordinates.
#include "core/hash.h"
#include "math/exponential.h"
#include "math/trigonometry.h"
#include "method/grab.h"
#include "method/inertia.h"
#include "method/modes/modes.h"
#include "method/modes/modes_kernel.h"

#include <math.h>

// Part of its range that a coordinate may move in a substep and still count as resting.
#define REST_MOTION_RATIO 1e-5f

// Rows of the integrator's factors.
enum
{
	FACTOR_QQ,
	FACTOR_QV,
	FACTOR_VQ,
	FACTOR_VV,
	FACTOR_GIVE, // 1 / ω²
	FACTOR_COUNT
};

// ---------------------------------------------------------------------------------------------------------------------
// State

static void* Take( char* base, size_t* at, size_t count, size_t itemSize )
{
	void* place = base != NULL ? base + *at : NULL;
	*at += ( count * itemSize + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
	return place;
}

supModesView supModesFlesh_View( const supModesFlesh* flesh, const void* block )
{
	// views of a state that nobody writes to are made through here too
	union
	{
		const void* read;
		char* write;
	} pointer = { .read = block };
	char* base = pointer.write;
	size_t n = (size_t)flesh->pointCount, bones = (size_t)flesh->skin.boneCount, at = 0;
	size_t coordinates = (size_t)flesh->coordinateCount, numbers = (size_t)supModes_NumberCount( flesh->modeCount );
	supModesView view = { 0 };
	view.header = Take( base, &at, 1, sizeof( supModesHeader ) );
	view.q = Take( base, &at, coordinates, sizeof( float ) );
	view.v = Take( base, &at, coordinates, sizeof( float ) );
	view.forces = Take( base, &at, coordinates, sizeof( float ) );
	view.factors = Take( base, &at, FACTOR_COUNT * coordinates, sizeof( float ) );
	view.numbers = Take( base, &at, numbers, sizeof( float ) );
	view.sums = Take( base, &at, SUP_MODES_LANES * numbers, sizeof( float ) );
	view.drives = Take( base, &at, 12 * bones, sizeof( float ) );
	view.duals = Take( base, &at, bones, sizeof( supDualJoint ) );
	view.maps = Take( base, &at, bones, sizeof( supMat34 ) );
	view.speeds = Take( base, &at, bones, sizeof( supMat34 ) );
	view.throws = Take( base, &at, bones, sizeof( supMat34 ) );
	view.x = Take( base, &at, n, sizeof( supVec4 ) );
	view.placed = Take( base, &at, n, sizeof( supVec4 ) );
	view.skinned = Take( base, &at, n, sizeof( supVec4 ) );
	view.shifts = Take( base, &at, n, sizeof( supVec3 ) );
	view.dents = Take( base, &at, n, sizeof( supVec3 ) );
	view.fresh = Take( base, &at, n, sizeof( supVec3 ) );
	view.tangents = Take( base, &at, n, sizeof( supVec4 ) );
	view.frames = Take( base, &at, n, sizeof( supBindFrame ) );
	view.size = at;
	return view;
}

size_t supModes_StateSize( const void* flesh )
{
	return supModesFlesh_View( flesh, NULL ).size;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bones

static supMat34 FindMap( const supModesFlesh* flesh, supPose* pose, int32_t bone )
{
	return supMulMat34( supPose_Worlds( pose )[flesh->skin.boneNodes[bone]], flesh->skin.boneInverses[bone] );
}

static bool FillDual( const supModesView* view, int32_t bone, supMat34 map )
{
	return supMakeDualJoint( map, view->duals + bone );
}

// Of a map from the rest pose: to take points from the centre.
static supMat34 Center( const supModesFlesh* flesh, supMat34 map )
{
	map.t = supTransformPoint( map, flesh->center );
	return map;
}

static supMat34 MixMaps( supMat34 a, float factor, supMat34 b )
{
	return ( supMat34 ){ supMulAdd( a.cx, factor, b.cx ), supMulAdd( a.cy, factor, b.cy ),
						 supMulAdd( a.cz, factor, b.cz ), supMulAdd( a.t, factor, b.t ) };
}

static supMat34 ScaleMap( float factor, supMat34 a )
{
	return ( supMat34 ){ supScale( factor, a.cx ), supScale( factor, a.cy ), supScale( factor, a.cz ),
						 supScale( factor, a.t ) };
}

void supModes_Reset( const void* fleshPointer, void* block, supPose* pose, const supTasks* tasks )
{
	const supModesFlesh* flesh = fleshPointer;
	supModesView view = supModesFlesh_View( flesh, block );
	memset( block, 0, view.size );
	for ( int32_t i = 0; i < flesh->skin.boneCount; ++i )
	{
		supMat34 map = FindMap( flesh, pose, i );
		view.header->hasStretch |= FillDual( &view, i, map );
		view.maps[i] = Center( flesh, map );
	}
	supModes_Place( flesh, &view, tasks );
	supModes_Frame( flesh, block, tasks );
}

// Turned into the frame of the bone.
static supVec3 TurnBack( const supMat3* turn, supVec3 v )
{
	return supMakeVec3( supDot( turn->cx, v ), supDot( turn->cy, v ), supDot( turn->cz, v ) );
}

// What accelerates the flesh of each bone in its frame, as a map of the rest pose: inertia and its exaggeration, air,
// and what gravity differs from the one that the rest pose is in balance with.
static void FillDrives( const supModesFlesh* flesh, const supModesView* view, const supSubstep* step )
{
	const float* parameters = step->parameters;
	float air = parameters[sup_modesAir], held = 1.0f - parameters[sup_modesSag];
	bool isThrown = supFillThrows( step, parameters[sup_modesExaggeration], flesh->skin.boneCount,
								   flesh->skin.boneNodes, flesh->skin.boneInverses, view->throws );
	supVec3 pull = supMulAdd( step->gravity, air, step->wind );
	view->header->hasStretch = 0;
	for ( int32_t i = 0; i < flesh->skin.boneCount; ++i )
	{
		supMat34 map = FindMap( flesh, step->pose, i ), centered = Center( flesh, map );
		view->header->hasStretch |= FillDual( view, i, map );
		supMat34 speed = ScaleMap( 1.0f / step->dt, MixMaps( centered, -1.0f, view->maps[i] ) );
		supMat34 drive = ScaleMap( -1.0f / step->dt, MixMaps( speed, -1.0f, view->speeds[i] ) );
		drive = MixMaps( drive, -air, speed );
		drive = isThrown ? MixMaps( drive, 1.0f, Center( flesh, view->throws[i] ) ) : drive;
		drive.t = supAdd( drive.t, pull );
		view->maps[i] = centered;
		view->speeds[i] = speed;
		supMat3 turn = supMakeMat3Quat( view->duals[i].motion.real );
		const supVec3 columns[4] = { TurnBack( &turn, drive.cx ), TurnBack( &turn, drive.cy ),
									 TurnBack( &turn, drive.cz ),
									 supMulAdd( TurnBack( &turn, drive.t ), -held, step->gravity ) };
		memcpy( view->drives + 12 * (int64_t)i, columns, sizeof( columns ) );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Oscillators

static uint64_t HashTuning( const supModesFlesh* flesh, const supSubstep* step )
{
	const float numbers[5] = { step->dt, step->parameters[sup_modesSoftness], step->parameters[sup_modesFrequency],
							   step->parameters[sup_modesDamping], step->parameters[sup_modesAir] };
	uint64_t hash = supHashBytes( SUP_HASH_SEED, numbers, sizeof( numbers ) );
	return supHashBytes( hash, step->regions, (size_t)flesh->regionCount * sizeof( supRegionTuning ) );
}

// q'' + 2 β q' + ω² q = 0 over a step: (q, v) becomes the product with these four.
static void FillSwing( double square, double beta, double dt, float* factors, int32_t stride )
{
	double difference = square - beta * beta, cosine, sine, decay;
	if ( difference >= 0.0 )
	{
		double omega = sqrt( difference );
		supCosSinDouble turn = supComputeCosSinDouble( omega * dt );
		decay = supExpNegative( -beta * dt );
		cosine = turn.cosine;
		sine = omega * dt > 1e-6 ? turn.sine / omega : dt;
	}
	else
	{
		double root = sqrt( -difference );
		double slow = supExpNegative( -( beta - root ) * dt ), fast = supExpNegative( -( beta + root ) * dt );
		decay = 1.0;
		cosine = 0.5 * ( slow + fast );
		sine = root * dt > 1e-6 ? 0.5 * ( slow - fast ) / root : dt * slow;
	}
	factors[FACTOR_QQ * stride] = (float)( decay * ( cosine + beta * sine ) );
	factors[FACTOR_QV * stride] = (float)( decay * sine );
	factors[FACTOR_VQ * stride] = (float)( -square * decay * sine );
	factors[FACTOR_VV * stride] = (float)( decay * ( cosine - beta * sine ) );
	factors[FACTOR_GIVE * stride] = (float)( 1.0 / square );
}

// Regions that are tuned change a coordinate by what they hold of it (Rayleigh's quotient).
static void FillFactors( const supModesFlesh* flesh, const supModesView* view, const supSubstep* step )
{
	const float* parameters = step->parameters;
	float whole = supMaxFloat( 4.0f * parameters[sup_modesSoftness] * parameters[sup_modesSoftness], 1e-6f );
	for ( int32_t j = 0; j < flesh->coordinateCount; ++j )
	{
		double scale = 0.0, ratio = 0.0;
		for ( int32_t r = 0; r < flesh->regionCount; ++r )
		{
			const supRegionTuning* tuning = step->regions + r;
			double share = (double)flesh->shares[(int64_t)j * flesh->regionCount + r];
			float wanted = tuning->frequency > 0.0f ? tuning->frequency : parameters[sup_modesFrequency];
			double change = (double)wanted / (double)flesh->frequencies[r];
			scale += share * change * change;
			ratio += share * (double)( tuning->damping > 0.0f ? tuning->damping : parameters[sup_modesDamping] );
		}
		double square = (double)flesh->squares[j] * scale / (double)whole;
		double beta = ratio * sqrt( square ) + 0.5 * (double)parameters[sup_modesAir];
		FillSwing( square, beta, (double)step->dt, view->factors + j, flesh->coordinateCount );
	}
}

// The force is constant over the step. What it would take flesh beyond its reach for counts less and less.
static void Swing( const supModesFlesh* flesh, const supModesView* view, float reach )
{
	int32_t count = flesh->coordinateCount;
	const float* f = view->factors;
	float moved = 0.0f;
	for ( int32_t j = 0; j < count; ++j )
	{
		float range = supMaxFloat( reach * flesh->ranges[j], 1e-20f ),
			  aim = view->forces[j] * f[FACTOR_GIVE * count + j];
		float part = aim / range;
		aim = aim / sqrtf( 1.0f + part * part );
		float away = view->q[j] - aim, speed = view->v[j];
		float q = aim + f[j] * away + f[FACTOR_QV * count + j] * speed;
		float v = f[FACTOR_VQ * count + j] * away + f[FACTOR_VV * count + j] * speed;
		float inside = supClampFloat( q, -range, range );
		v = inside == q || v * q < 0.0f ? v : 0.0f;
		moved = supMaxFloat( moved, fabsf( inside - view->q[j] ) / range );
		view->q[j] = inside;
		view->v[j] = v;
	}
	view->header->moved = moved;
}

static void Repair( const supModesFlesh* flesh, const supModesView* view, const supSubstep* step )
{
	bool isFine = true;
	for ( int32_t j = 0; j < flesh->coordinateCount; ++j )
	{
		isFine = isFine && supIsFinite( view->q[j] ) && supIsFinite( view->v[j] );
	}
	if ( isFine == false )
	{
		memset( view->q, 0, (size_t)flesh->coordinateCount * sizeof( float ) );
		memset( view->v, 0, (size_t)flesh->coordinateCount * sizeof( float ) );
		memset( view->dents, 0, (size_t)flesh->pointCount * sizeof( supVec3 ) );
		view->header->hasDents = 0;
		step->trouble->notFinite += 1;
	}
}

void supModes_Predict( const void* fleshPointer, void* block, const supSubstep* step )
{
	const supModesFlesh* flesh = fleshPointer;
	supModesView view = supModesFlesh_View( flesh, block );
	uint64_t key = HashTuning( flesh, step );
	view.header->reach = step->parameters[sup_modesReach];
	view.header->isPlaced = 0;
	if ( key != view.header->key )
	{
		FillFactors( flesh, &view, step );
		view.header->key = key;
	}
	FillDrives( flesh, &view, step );
	SUP_CALL_KERNEL( supApplyColumns )
	( flesh->loads, view.drives, flesh->coordinateCount, 12 * flesh->skin.boneCount, view.forces );
	Swing( flesh, &view, view.header->reach );
	Repair( flesh, &view, step );
	if ( view.header->hasDents )
	{
		supModes_RelaxDents( flesh, &view, step );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// What others do

// The place goes to its target as a critically damped spring would take it, and flesh by its weights.
static void ApplyPull( const supPull* pull, supVec4* x, float dt )
{
	const supGrab* grab = pull->grab;
	float omega = 2.0f * SUP_PI * pull->frequency * dt;
	supVec3 way = supSub( pull->target, supGrab_Place( grab, &x->x, 4 ) );
	float scale = omega * ( omega + 2.0f ) / ( ( 1.0f + omega * ( omega + 2.0f ) ) * grab->response );
	for ( int32_t k = 0; k < grab->count; ++k )
	{
		supVec4* p = x + grab->particles[k];
		float share = p->w > 0.0f ? scale * grab->weights[k] : 0.0f;
		p->x += share * way.x;
		p->y += share * way.y;
		p->z += share * way.z;
	}
}

void supModes_Solve( const void* fleshPointer, void* block, const supSubstep* step )
{
	const supModesFlesh* flesh = fleshPointer;
	supModesView view = supModesFlesh_View( flesh, block );
	if ( step->pass > 0 || step->pullCount == 0 )
	{
		return;
	}
	supModes_Place( flesh, &view, step->tasks );
	for ( int32_t i = 0; i < step->pullCount; ++i )
	{
		ApplyPull( step->pulls + i, view.x, step->dt );
	}
	// flesh is taken along, not thrown
	supModes_TakeBack( flesh, &view, NULL, 0.0f );
}

void supModes_Finish( const void* fleshPointer, void* block, const supSubstep* step )
{
	const supModesFlesh* flesh = fleshPointer;
	supModesView view = supModesFlesh_View( flesh, block );
	if ( view.header->isPlaced )
	{
		supModes_TakeBack( flesh, &view, step->shifts, 1.0f / step->dt );
	}
	if ( step->isBetween == false )
	{
		supModes_Frame( flesh, block, step->tasks );
	}
}

bool supModes_IsSettled( const void* fleshPointer, const void* block )
{
	supModesView view = supModesFlesh_View( fleshPointer, block );
	return view.header->moved <= REST_MOTION_RATIO;
}

void supModes_Measure( const void* fleshPointer, const void* block, supSurfaceMeasure* measure )
{
	const supModesFlesh* flesh = fleshPointer;
	supModesView view = supModesFlesh_View( flesh, block );
	double energy = 0.0;
	for ( int32_t j = 0; j < flesh->coordinateCount; ++j )
	{
		double give = (double)view.factors[FACTOR_GIVE * flesh->coordinateCount + j], q = (double)view.q[j];
		energy += 0.5 * (double)view.v[j] * (double)view.v[j] + ( give > 0.0 ? 0.5 * q * q / give : 0.0 );
	}
	measure->energy = (float)energy;
}
