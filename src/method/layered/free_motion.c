// SPDX-License-Identifier: MIT
// Phases 1 to 3 of a step: velocities and positions as if there were no contact.
//
// 1. Skeleton. With a block B of each node in place of M̃_s^-1 on both sides of Eq. 10 (left and right differ as it is
//    printed, and a body falls at 0.8 to 0.9 g), then put right by conjugate gradients with the same factors, at the
//    cost of one solve with the skin each. B are sums of rows of M̃_s^-1 (skin.h), which are right for a body that moves
//    as a whole: what they miss changes little from substep to substep, and where the last one's is added to the
//    right-hand side most substeps need no round.
//
//        M̂_cond = M̃_b - M_bs B M_bsᵀ,   [ M̂_cond -Jᵀ; -J 0 ] ( Δv_b, μ ) = ( h ( F̃_b - M_bs B F̃_s ), b_μ )
//        r = h F̃_b + Jᵀ μ - M̃_b Δv_b - M_bs Δv_s
//
// 2. Skin. Δv_s = M̃_s^-1 ( h F̃_s - M_bsᵀ Δv_b ), Eq. 11: in step with 1.
// 3. Positions.
#include "core/tasks.h"
#include "method/inertia.h"
#include "method/layered/nodes_kernel.h"

#define GRAIN 512
#define MOST_REFINEMENTS 3

// Part of the energy of the motion that may be left out of it: 3e-4 of the velocity that a step adds.
#define ENERGY_LEFT 1e-7

// A link that turns by more than this in a step is slowed down, in radians.
#define MOST_TURN 1.5

// Skin that is so much of the way to its end is there.
#define LIMIT_REACHED_RATIO ( 1.0 - 1e-6 )

// F̃_s = - K ( q + ( β + h ) q̇ ) - α M q̇ + M ( R_Wᵀ g - ( 1 - sag ) g ) - m Σ w γ. The shape at rest is that under its
// own weight: a force that turns with the body holds it up.
static void PushRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	SUP_CALL_KERNEL( supPushNodes )( context, begin, end );
}

// What turns with each frame: gravity, and what turning does, about the origin of the rest pose.
static void FindMotions( supLayeredRun* run )
{
	const supLayeredView* view = &run->view;
	for ( int32_t i = 0; i < run->flesh->frameCount; ++i )
	{
		supVec3d w = view->frameSpins[i], arm = run->flesh->frames[i].center, gain = view->gains[i].spin;
		supVec3d down = supMulTransposed3d( view->rotations + i, supSubVec3d( run->gravity, view->gains[i].velocity ) );
		supVec3d turned = supAddVec3d( supCrossVec3d( w, supCrossVec3d( w, arm ) ), supCrossVec3d( gain, arm ) );
		double* motion = view->motions + SUP_FRAME_MOTION * (int64_t)i;
		supStoreVec3d( motion, supAddVec3d( down, turned ) );
		supStoreVec3d( motion + 4, w );
		double square = supDotVec3d( w, w );
		supStoreVec3d( motion + 8, ( supVec3d ){ w.x * w.x - square, w.y * w.y - square, w.z * w.z - square } );
		supStoreVec3d( motion + 12, ( supVec3d ){ w.x * w.y, w.y * w.z, w.z * w.x } );
		supStoreVec3d( motion + 16, gain );
	}
}

// How much of the clip's own acceleration a link has: nothing of it where it hangs limp, or falls with its root.
static float FollowedPart( const supLayeredRun* run, int32_t link )
{
	const supLink* links = run->flesh->links.links;
	int32_t root = link;
	while ( links[root].parent >= 0 )
	{
		root = links[root].parent;
	}
	double own = supLayered_FollowedPart( run, links + link ), whole = supLayered_FollowedPart( run, links + root );
	return (float)( own < whole ? own : whole );
}

static supVec3 TurnBack( const supMat3d* r, float scale, supVec3 v )
{
	return supScale( scale, supNarrowVec3( supMulTransposed3d( r, supWidenVec3( v ) ) ) );
}

// From a point at rest to the exaggerated inertia of one link, in the world.
static supMat34 FindThrow( const supLayeredRun* run, int32_t link )
{
	const supLayeredFlesh* flesh = run->flesh;
	supMat34 m = supThrowNode( run->step, run->parameters[sup_layeredExaggeration], flesh->links.links[link].node );
	return supMulMat34( m, flesh->restInverses[link] );
}

static void FindThrows( const supLayeredRun* run )
{
	for ( int32_t i = 0; i < run->flesh->frameCount; ++i )
	{
		const supFrame* frame = run->flesh->frames + i;
		const supMat3d* r = run->view.rotations + i;
		supMat34 sum = { supVec3_zero, supVec3_zero, supVec3_zero, supVec3_zero };
		for ( int e = 0; e < ( frame->links[1] < 0 ? 1 : 2 ); ++e )
		{
			supMat34 m = FindThrow( run, frame->links[e] );
			float part = (float)frame->parts[e] * FollowedPart( run, frame->links[e] );
			sum.cx = supAdd( sum.cx, TurnBack( r, part, m.cx ) );
			sum.cy = supAdd( sum.cy, TurnBack( r, part, m.cy ) );
			sum.cz = supAdd( sum.cz, TurnBack( r, part, m.cz ) );
			sum.t = supAdd( sum.t, TurnBack( r, part, m.t ) );
		}
		run->view.throws[i] = sum;
	}
}

// Adds exaggerated inertia.
static void ThrowRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const supLayeredRun* run = context;
	const supLayeredFlesh* flesh = run->flesh;
	for ( int32_t a = begin; a < end; ++a )
	{
		supVec3 thrown = supVec3_zero;
		for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1]; ++k )
		{
			supVec3 by = supTransformPoint( run->view.throws[flesh->nodeFrames[k]], flesh->skin.points[a] );
			thrown = supMulAdd( thrown, (float)flesh->nodeWeights[k], by );
		}
		double* f = run->view.skinForces + 3 * (int64_t)a;
		supStoreVec3d( f, supMulAddVec3d( supLoadVec3d( f ), flesh->skin.masses[a], supWidenVec3( thrown ) ) );
	}
}

static void GatherSkinForces( supLayeredRun* run )
{
	supLayeredView* view = &run->view;
	double lead = (double)run->flesh->skin.settings.damping + run->dt;
	int64_t unknowns = 3 * (int64_t)run->flesh->skin.nodeCount;
	for ( int64_t i = 0; i < unknowns; ++i )
	{
		view->skinFree[i] = view->q[i] + lead * view->v[i];
	}
	supSkinBody_MultiplyStiffness( &run->flesh->skin, view->skinFree, view->skinForces, run->tasks );
	FindMotions( run );
	supNodePushes pushes = { .flesh = run->flesh,
							 .q = view->oldQ,
							 .v = view->v,
							 .motions = view->motions,
							 .rest = supScaleVec3d( (double)run->parameters[sup_layeredSag] - 1.0, run->gravity ),
							 .drag = (double)run->flesh->skin.settings.drag,
							 .f = view->skinForces };
	supParallelFor( run->tasks, run->flesh->skin.nodeCount, GRAIN, PushRange, &pushes );
	if ( run->step->accelerations != NULL && run->parameters[sup_layeredExaggeration] > 1.0f )
	{
		FindThrows( run );
		supParallelFor( run->tasks, run->flesh->skin.nodeCount, GRAIN, ThrowRange, run );
	}
	supLayered_HardenLooseSkin( run );
}

static void SolveSkin( supLayeredRun* run, double* x )
{
	if ( supSkinStep_Solve( &run->skinStep, x, run->tasks ) == false )
	{
		run->trouble->notConverged += 1;
	}
}

// x := the skeleton's solution for x.
static void SolveBones( supLayeredRun* run, double* x )
{
	supFactor_Solve( &run->factor, x, 1, run->view.scratch, NULL );
}

// out := M̃_b v + sign M_bs skin, with joints.
static void Multiply( supLayeredRun* run, const double* v, double sign, const double* skin, double* out )
{
	supBlockMatrix plain = run->flesh->bones;
	plain.values = run->view.boneValues;
	supBlockMatrix_Multiply( &plain, v, out, 1, NULL );
	supLayered_CarryToBones( run, sign, skin, out );
}

double supLayered_DotSpeeds( const supLayeredFlesh* flesh, const double* a, const double* b )
{
	double sum = 0.0;
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		for ( int32_t k = flesh->bones.offsets[i]; k < flesh->bones.offsets[i] + 6; ++k )
		{
			sum += a[k] * b[k];
		}
	}
	return sum;
}

// What M̂_cond v of the solution has beyond its right-hand side: the next substep starts with it, and mostly needs no
// round then. Unlike the plain residual it cannot build up where blocks stand for M̃_s^-1 badly, since rounds scale it.
static void KeepMissed( const supLayeredRun* run, double scale, const double* push )
{
	for ( int32_t i = 0; i < run->flesh->bones.unknownCount; ++i )
	{
		run->view.missed[i] += scale * push[i];
	}
}

// Conjugate gradients on what the skeleton can do within its joints; the condensed matrix with its joints is the
// preconditioner, so that joints hold in every round. The skin goes along.
static void Refine( supLayeredRun* run, double energy )
{
	supLayeredView* view = &run->view;
	int32_t count = run->flesh->bones.unknownCount;
	int64_t skinCount = 3 * (int64_t)run->flesh->skin.nodeCount;
	double *residual = view->boneRest, *way = view->boneWay, *product = view->boneProduct, *fresh = view->boneFresh;
	double* push = view->bonePush;
	Multiply( run, view->boneSpeeds, 1.0, view->skinFree, residual );
	double before = 0.0;
	for ( int32_t i = 0; i < count; ++i )
	{
		residual[i] = view->boneForces[i] - residual[i];
		way[i] = push[i] = 0.0;
	}
	for ( int round = 0; round < MOST_REFINEMENTS; ++round )
	{
		memcpy( fresh, residual, (size_t)count * sizeof( double ) );
		SolveBones( run, fresh );
		double now = supLayered_DotSpeeds( run->flesh, residual, fresh );
		if ( !( now > ENERGY_LEFT * energy ) )
		{
			KeepMissed( run, 1.0, residual );
			return;
		}
		for ( int32_t i = 0; i < count; ++i )
		{
			double kept = round > 0 && before > 0.0 ? now / before : 0.0;
			way[i] = fresh[i] + kept * way[i];
			push[i] = residual[i] + kept * push[i];
		}
		supLayered_EndStage( run, sup_stageFreeBones );
		supLayered_CarryToSkin( run, way, view->skinLag );
		SolveSkin( run, view->skinLag );
		supLayered_EndStage( run, sup_stageFreeSkin );
		Multiply( run, way, -1.0, view->skinLag, product );
		double slope = supLayered_DotSpeeds( run->flesh, way, product );
		if ( !( slope > 0.0 ) || !( now > 0.0 ) )
		{
			return;
		}
		double along = now / slope;
		for ( int32_t i = 0; i < count; ++i )
		{
			view->boneSpeeds[i] += along * way[i];
			residual[i] -= along * product[i];
		}
		KeepMissed( run, along, push );
		for ( int64_t i = 0; i < skinCount; ++i )
		{
			view->skinFree[i] -= along * view->skinLag[i];
		}
		before = now;
	}
}

// skinFree := h F̃_s, skinLag := B h F̃_s
static void StartRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const supLayeredRun* run = context;
	for ( int32_t a = begin; a < end; ++a )
	{
		supVec3d push = supScaleVec3d( run->dt, supLoadVec3d( run->view.skinForces + 3 * (int64_t)a ) );
		supStoreVec3d( run->view.skinFree + 3 * (int64_t)a, push );
		supStoreVec3d( run->view.skinLag + 3 * (int64_t)a, supMulMat3dVec( run->view.smooth + a, push ) );
	}
}

static void SolveSkeleton( supLayeredRun* run )
{
	supLayeredView* view = &run->view;
	int64_t skinCount = 3 * (int64_t)run->flesh->skin.nodeCount;
	supBlockMatrix condensed = run->flesh->bones;
	condensed.values = view->condensed;
	supLayered_Condense( run, view->smooth, view->condensed );
	supLayered_EndStage( run, sup_stageFreeSetup );
	if ( supFactor_Refactor( &run->factor, &condensed, NULL ).ok == false )
	{
		run->trouble->notConverged += 1;
	}
	supParallelFor( run->tasks, run->flesh->skin.nodeCount, GRAIN, StartRange, run );
	memcpy( view->boneRest, view->boneForces, (size_t)run->flesh->bones.unknownCount * sizeof( double ) );
	supLayered_CarryToBones( run, -1.0, view->skinLag, view->boneRest );
	for ( int32_t i = 0; i < run->flesh->bones.unknownCount; ++i )
	{
		view->boneRest[i] += view->missed[i];
	}
	memcpy( view->boneSpeeds, view->boneRest, (size_t)run->flesh->bones.unknownCount * sizeof( double ) );
	SolveBones( run, view->boneSpeeds );
	double energy = fabs( supLayered_DotSpeeds( run->flesh, view->boneRest, view->boneSpeeds ) );
	supLayered_EndStage( run, sup_stageFreeBones );
	supLayered_CarryToSkin( run, view->boneSpeeds, view->skinLag );
	for ( int64_t i = 0; i < skinCount; ++i )
	{
		view->skinFree[i] -= view->skinLag[i];
	}
	SolveSkin( run, view->skinFree );
	supLayered_EndStage( run, sup_stageFreeSkin );
	Refine( run, energy );
	supLayered_EndStage( run, sup_stageFreeBones );
}

static void AddSpeeds( supLayeredRun* run )
{
	supLayeredView* view = &run->view;
	for ( int32_t i = 0; i < run->flesh->links.count; ++i )
	{
		const double* dv = view->boneSpeeds + run->flesh->bones.offsets[i];
		supLinkState* link = view->links + i;
		link->velocity = supAddVec3d( link->velocity, supLoadVec3d( dv ) );
		link->spin = supAddVec3d( link->spin, supLoadVec3d( dv + 3 ) );
	}
	for ( int64_t i = 0; i < 3 * (int64_t)run->flesh->skin.nodeCount; ++i )
	{
		view->v[i] += view->skinFree[i];
	}
}

// A way that is too long along `axis` ends there, and so does the motion along it.
static supVec3d StopAlong( supVec3d way, supVec3d axis, double most, double* v )
{
	double square = supDotVec3d( axis, axis ), along = supDotVec3d( way, axis );
	if ( square <= 0.0 || along < LIMIT_REACHED_RATIO * most * square )
	{
		return way;
	}
	double speed = supDotVec3d( supLoadVec3d( v ), axis ) / square;
	supStoreVec3d( v, supMulAddVec3d( supLoadVec3d( v ), speed > 0.0 ? -speed : 0.0, axis ) );
	return supMulAddVec3d( way, most - along / square, axis );
}

// Skin that is stretched as far as it goes stops there, and skin that is pressed stops before the bones: linear as it
// is, it would not know an end.
static void MoveSkinRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	supLayeredRun* run = context;
	for ( int32_t a = begin; a < end; ++a )
	{
		double *v = run->view.v + 3 * (int64_t)a, *q = run->view.q + 3 * (int64_t)a;
		memcpy( run->view.solvedV + 3 * (int64_t)a, v, 3 * sizeof( double ) );
		supVec3d way = supMulAddVec3d( supLoadVec3d( run->view.oldQ + 3 * (int64_t)a ), run->dt, supLoadVec3d( v ) );
		supVec3d inwards = supLayered_InwardWay( run->flesh, a );
		double swing = supLayered_LeastSwing( run, a ), thickness = supLengthVec3d( inwards );
		if ( swing <= SUP_MOST_PRESSED * thickness )
		{
			way = StopAlong( way, inwards, SUP_MOST_PRESSED, v );
		}
		double length = supLengthVec3d( way ), most = fmax( swing, supLayered_MostStretch( run->flesh, a ) );
		way = length > LIMIT_REACHED_RATIO * most ? StopAlong( way, way, most / length, v ) : way;
		supStoreVec3d( q, way );
	}
}

// Links and their joints at the end of the substep. What skin was moved by beyond forces has moved the body's centre of
// mass: all of it goes back by as much.
static void MoveLinks( supLayeredRun* run )
{
	supLayeredView* view = &run->view;
	view->header->isSlowed = false;
	for ( int32_t i = 0; i < run->flesh->links.count; ++i )
	{
		supLinkState* link = view->links + i;
		const supLinkState* old = view->oldLinks + i;
		double turn = run->dt * supLengthVec3d( link->spin );
		if ( turn > MOST_TURN )
		{
			link->spin = supScaleVec3d( MOST_TURN / turn, link->spin );
			view->header->isSlowed = true;
			run->trouble->notConverged += 1;
		}
		link->center = supMulAddVec3d( old->center, run->dt, link->velocity );
		link->center = supSubVec3d( link->center, view->header->shift );
		link->rotation =
			supNormalizeQuatd( supMulQuatd( old->rotation, supExpVec3d( supScaleVec3d( run->dt, link->spin ) ) ) );
	}
	supLayered_CloseJoints( run );
}

void supLayered_UpdatePositions( supLayeredRun* run )
{
	MoveLinks( run );
	supParallelFor( run->tasks, run->flesh->skin.nodeCount, GRAIN, MoveSkinRange, run );
	supLayered_StiffenHeld( run );
}

void supLayered_MoveFreely( supLayeredRun* run )
{
	supLayered_AssembleSkeleton( run );
	GatherSkinForces( run );
	SolveSkeleton( run );
	supLayered_KeepMultipliers( run, false );
	AddSpeeds( run );
	run->view.header->shift = ( supVec3d ){ 0.0, 0.0, 0.0 };
	MoveLinks( run );
	supLayered_SettleSkin( run );
}
