// SPDX-License-Identifier: MIT
// The skeleton's matrix, and its coupling with the skin; condense.c has the condensed one.
//
// Mass by splitting: node a is as many masses m_a w_af as it has frames, each riding on its own. With u_f = p - c0_f,
// the place p = u + q of the node as seen from frame f, and Z = [ I, -R_f [u_f]x ]:
//
//     M_f       = Σ_a m_a w_af Zᵀ Z                              6x6
//     M_fs(f,a) = m_a w_af [ R_f ; [u_f]x ]                      6x3
//
// A_fi is the map from velocities of link i to those of frame f (joint_frames.c), of a link to itself the identity:
//
//     M_b(i,j) = link i + Σ_f A_fiᵀ M_f A_fj,   M_bs(i,a) = Σ_f A_fiᵀ M_fs(f,a)
#include "character/pose.h"
#include "core/tasks.h"
#include "method/layered/nodes_kernel.h"

#define GRAIN 256

// Part of a joint's error that is taken back in a step.
#define STABILISE 0.8

// How far skin moves from its place, as a part of its thickness, which counts as at least this part of the body's size.
#define MOST_STRETCH 2.0
#define LEAST_THICKNESS 1e-3

// Part of the body's size that skin may swing by where nothing touches it, however thin: as much as skin is thick by
// default. Both sides of wings, ears and fins go together, and there is no bone to stop at.
#define LEAST_SWING 0.05

// Radians a step.
#define MAX_TURN_RAD 0.5

supVec3d supLayered_InwardWay( const supLayeredFlesh* flesh, int32_t node )
{
	const supVec3* points = flesh->layer.tets.points;
	return supWidenVec3( supSub( points[node + flesh->layer.outerCount], points[node] ) );
}

double supLayered_MostStretch( const supLayeredFlesh* flesh, int32_t node )
{
	const supSkinLayer* layer = &flesh->layer;
	double thickness = (double)supDistance( layer->tets.points[node], layer->tets.points[node + layer->outerCount] );
	return MOST_STRETCH * fmax( thickness, LEAST_THICKNESS * (double)flesh->size );
}

double supLayered_LeastSwing( const supLayeredRun* run, int32_t node )
{
	return run->view.touched[node] == 0 ? LEAST_SWING * (double)run->flesh->size : 0.0;
}

// ẋ = Σ w ( ċ + R ( ω x u + q̇ ) )
static supVec3d Velocity( const supLayeredRun* run, int32_t node, supVec3d own )
{
	const supLayeredFlesh* flesh = run->flesh;
	supVec3d x = { 0.0, 0.0, 0.0 };
	for ( int32_t k = flesh->nodeStarts[node]; k < flesh->nodeStarts[node + 1]; ++k )
	{
		int32_t f = flesh->nodeFrames[k];
		supFrameSpeed speed = supLayered_FrameSpeed( flesh->frames + f, run->view.maps + f, run->view.links );
		supVec3d arm = supLayered_Arm( flesh, run->view.oldQ, node, f );
		supVec3d inner = supAddVec3d( supCrossVec3d( speed.spin, arm ), own );
		supVec3d outer = supAddVec3d( speed.velocity, supMulMat3dVec( run->view.rotations + f, inner ) );
		x = supMulAddVec3d( x, flesh->nodeWeights[k], outer );
	}
	return x;
}

supVec3d supLayered_NodeVelocity( const supLayeredRun* run, int32_t node )
{
	return Velocity( run, node, supLoadVec3d( run->view.v + 3 * (int64_t)node ) );
}

supVec3d supLayered_SkinPace( const supLayeredRun* run, int32_t node )
{
	int64_t at = 3 * (int64_t)node;
	supVec3d way = supSubVec3d( supLoadVec3d( run->view.q + at ), supLoadVec3d( run->view.oldQ + at ) );
	return supScaleVec3d( 1.0 / run->dt, way );
}

supVec3d supLayered_NodePace( const supLayeredRun* run, int32_t node )
{
	return Velocity( run, node, supLayered_SkinPace( run, node ) );
}

// What turning does to forces is taken from the beginning of the step, which is good only while a step is a small turn.
supVec3d supLayered_SafeSpin( const supLayeredRun* run, int32_t link )
{
	supVec3d spin = run->view.links[link].spin;
	double turn = run->dt * supLengthVec3d( spin );
	return turn > MAX_TURN_RAD ? supScaleVec3d( MAX_TURN_RAD / turn, spin ) : spin;
}

supLayeredRun supLayered_Start( const supLayeredFlesh* flesh, void* block, const supSubstep* step )
{
	supLayeredRun run = { .flesh = flesh,
						  .view = supLayered_View( flesh, block ),
						  .step = step,
						  .parameters = step->parameters,
						  .jointStrengths = step->jointStrengths,
						  .gravity = supWidenVec3( step->gravity ),
						  .dt = step->dt,
						  .tasks = step->tasks,
						  .trouble = step->trouble,
						  .stages = step->stages };
	const supSkinFactor* skin = supSkinFactors_Find( step->shared, &run.view.header->lengths );
	run.view.smooth = skin->smooth;
	run.view.softest = skin->softest;
	supFactorDef def = { .precision = sup_precisionDouble, .indefinite = true, .workerCount = 1 };
	supFactor_InitAt( &run.factor, &flesh->symbolic, &def, run.view.factor );
	supSkinStep_Start( &run.skinStep, &flesh->skin, skin, step->dt, run.view.scratch );
	return run;
}

// ---------------------------------------------------------------------------------------------------------------------
// Sums

static supMat3d UnpackSymmetric( const double s[6] )
{
	return ( supMat3d ){ { { s[0], s[3], s[5] }, { s[3], s[1], s[4] }, { s[5], s[4], s[2] } } };
}

static int32_t SizeOf( const supLayeredFlesh* flesh, int32_t link )
{
	return flesh->bones.offsets[link + 1] - flesh->bones.offsets[link];
}

static size_t ValueBytes( const supLayeredFlesh* flesh )
{
	return (size_t)flesh->bones.blockStarts[flesh->bones.blockCount] * sizeof( double );
}

typedef struct FrameSums
{
	const supLayeredRun* run;
	const double* q;
	const double* v;
} FrameSums;

static void SumFrameRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const FrameSums* work = context;
	const supLayeredRun* run = work->run;
	for ( int32_t i = begin; i < end; ++i )
	{
		SUP_CALL_KERNEL( supSumFrame )
		( run->flesh, i, work->q, work->v, run->view.frameSums + SUP_FRAME_SUMS * (int64_t)i );
	}
}

void supLayered_SumFrames( supLayeredRun* run, const double* q, const double* v )
{
	FrameSums work = { run, q, v };
	supParallelFor( run->tasks, run->flesh->frameCount, 1, SumFrameRange, &work );
}

supMat3d supFrameInertia( const double* sums )
{
	supMat3d second = UnpackSymmetric( sums + 4 ), spread = supDiagonal3d( sums[4] + sums[5] + sums[6] );
	return supMulAddMat3d( &spread, -1.0, &second );
}

// ---------------------------------------------------------------------------------------------------------------------
// Links and joints

// Mass, inertia and forces of what rides on a frame, about its centre.
typedef struct Body
{
	double mass;
	supMat3d coupling; // - R [Σ m w u]x
	supMat3d inertia;
	supVec3d lag; // what turning does: Q_v of the note
	supVec3d lagTorque;
	supVec3d weight;
	supVec3d weightTorque;
} Body;

static Body WeighSkin( const supLayeredRun* run, int32_t f )
{
	const supMat3d* r = run->view.rotations + f;
	const double* sums = run->view.frameSums + SUP_FRAME_SUMS * (int64_t)f;
	supVec3d first = supLoadVec3d( sums + 1 ), flow = supLoadVec3d( sums + 10 ), w = run->view.frameSpins[f];
	supMat3d second = UnpackSymmetric( sums + 4 ), moved, skew = supSkew3d( first ), zero = supDiagonal3d( 0.0 );
	memcpy( moved.m, sums + 13, sizeof( moved.m ) ); // Σ m w u q̇ᵀ
	supMat3d turned = supMulMat3d( r, &skew );
	Body body = { .mass = sums[0],
				  .coupling = supMulAddMat3d( &zero, -1.0, &turned ),
				  .inertia = supFrameInertia( sums ),
				  .weight = supScaleVec3d( sums[0], run->gravity ),
				  .weightTorque = supCrossVec3d( first, supMulTransposed3d( r, run->gravity ) ) };
	// - R ( ω x ( ω x Σ m w u ) + 2 ω x Σ m w q̇ )
	supVec3d lag =
		supAddVec3d( supCrossVec3d( w, supCrossVec3d( w, first ) ), supScaleVec3d( 2.0, supCrossVec3d( w, flow ) ) );
	body.lag = supScaleVec3d( -1.0, supMulMat3dVec( r, lag ) );
	// ω x ( Σ m w u uᵀ ω ) - 2 ( ω tr T - Tᵀ ω )
	double movedTrace = moved.m[0][0] + moved.m[1][1] + moved.m[2][2];
	supVec3d coriolis = supSubVec3d( supScaleVec3d( movedTrace, w ), supMulTransposed3d( &moved, w ) );
	body.lagTorque = supMulAddVec3d( supCrossVec3d( w, supMulMat3dVec( &second, w ) ), -2.0, coriolis );
	return body;
}

// What the frame gains by itself the skin on it has to follow.
static void AddGain( const supLayeredRun* run, int32_t f, Body* body )
{
	const supFrameSpeed* gain = run->view.gains + f;
	supVec3d force = supScaleVec3d( body->mass, gain->velocity );
	force = supAddVec3d( force, supMulMat3dVec( &body->coupling, gain->spin ) );
	supVec3d torque = supAddVec3d( supMulTransposed3d( &body->coupling, gain->velocity ),
								   supMulMat3dVec( &body->inertia, gain->spin ) );
	body->lag = supSubVec3d( body->lag, force );
	body->lagTorque = supSubVec3d( body->lagTorque, torque );
}

static void AddLinkBody( const supLayeredRun* run, int32_t i, Body* body )
{
	const supLink* link = run->flesh->links.links + i;
	supVec3d w = run->view.frameSpins[i];
	body->mass += link->mass;
	body->weight = supMulAddVec3d( body->weight, link->mass, run->gravity );
	body->inertia = supMulAddMat3d( &body->inertia, 1.0, &link->inertia );
	body->lagTorque = supSubVec3d( body->lagTorque, supCrossVec3d( w, supMulMat3dVec( &link->inertia, w ) ) );
}

// Masses into the matrix; weight and what turning does into the forces, weight alone into boneRest.
static void AddFrame( supLayeredRun* run, const supFramePair* own )
{
	int32_t f = own->i;
	const supLayeredView* view = &run->view;
	Body body = WeighSkin( run, f );
	if ( f < run->flesh->links.count )
	{
		AddLinkBody( run, f, &body );
	}
	else
	{
		AddGain( run, f, &body );
	}
	supLayered_AddFrameMass( run, own, body.mass, &body.coupling, &body.inertia, view->boneValues );
	supStoreVec3d( view->lags + 6 * (int64_t)f, body.lag );
	supStoreVec3d( view->lags + 6 * (int64_t)f + 3, body.lagTorque );
	supLayered_PushFrame( run, f, supScaleVec3d( run->dt, supAddVec3d( body.lag, body.weight ) ),
						  supScaleVec3d( run->dt, supAddVec3d( body.lagTorque, body.weightTorque ) ),
						  view->boneForces );
	supLayered_PushFrame( run, f, body.weight, body.weightTorque, view->boneRest );
}

// - J_j and its transpose.
static void AddRows( const supLayeredFlesh* flesh, double* values, int32_t j, const supJointRow* rows, int32_t count )
{
	int32_t i = flesh->links.links[j].parent;
	int32_t sizeI = SizeOf( flesh, i ), sizeJ = SizeOf( flesh, j );
	const int32_t* starts = flesh->bones.blockStarts;
	double* own = values + starts[supBlockMatrix_Find( &flesh->bones, j, j )];
	double* down = values + starts[supBlockMatrix_Find( &flesh->bones, j, i )];
	double* up = values + starts[supBlockMatrix_Find( &flesh->bones, i, j )];
	for ( int32_t k = 0; k < count; ++k )
	{
		for ( int c = 0; c < 6; ++c )
		{
			own[c * sizeJ + 6 + k] -= rows[k].child[c];
			own[( 6 + k ) * sizeJ + c] -= rows[k].child[c];
			down[c * sizeJ + 6 + k] -= rows[k].parent[c];
			up[( 6 + k ) * sizeI + c] -= rows[k].parent[c];
		}
	}
}

// The joint into the matrix, J_j v + α g as what the multipliers have to meet, where a clip moves the joint also what
// that takes.
static void AddJoint( supLayeredRun* run, int32_t j )
{
	const supLayeredFlesh* flesh = run->flesh;
	const supLink* link = flesh->links.links + j;
	const supLinkState *parent = run->view.links + link->parent, *child = run->view.links + j;
	supJointRow rows[6];
	int32_t count = supMakeJointRows( run->view.oldArms[j], link, parent, child, rows );
	AddRows( flesh, run->view.boneValues, j, rows, count );
	supVec3d way =
		supMulMat3dVec( run->view.rotations + link->parent, supSubVec3d( run->view.arms[j], run->view.oldArms[j] ) );
	const double ways[6] = { way.x, way.y, way.z };
	for ( int32_t k = 0; k < count; ++k )
	{
		double speed = ( STABILISE * rows[k].error - ways[k] ) / run->dt;
		const double parentSpeed[6] = { parent->velocity.x, parent->velocity.y, parent->velocity.z,
										parent->spin.x,     parent->spin.y,     parent->spin.z };
		const double childSpeed[6] = { child->velocity.x, child->velocity.y, child->velocity.z,
									   child->spin.x,     child->spin.y,     child->spin.z };
		for ( int c = 0; c < 6; ++c )
		{
			speed += rows[k].parent[c] * parentSpeed[c] + rows[k].child[c] * childSpeed[c];
		}
		run->view.boneForces[flesh->bones.offsets[j] + 6 + k] = speed;
	}
}

void supLayered_AssembleSkeleton( supLayeredRun* run )
{
	const supLayeredFlesh* flesh = run->flesh;
	supLayeredView* view = &run->view;
	supLayered_StartFrames( run );
	supLayered_FindCompliances( run );
	memset( view->boneValues, 0, ValueBytes( flesh ) );
	memset( view->boneForces, 0, (size_t)flesh->bones.unknownCount * sizeof( double ) );
	memset( view->boneRest, 0, (size_t)flesh->bones.unknownCount * sizeof( double ) );
	memset( view->drives, 0, (size_t)flesh->links.count * sizeof( supJointDrive ) );
	supLayered_SumFrames( run, view->q, view->v );
	for ( int32_t p = 0; p < flesh->pairCount; ++p )
	{
		if ( flesh->pairs[p].i == flesh->pairs[p].j )
		{
			AddFrame( run, flesh->pairs + p );
		}
	}
	supLayered_FeedForward( run );
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		if ( flesh->links.links[i].parent >= 0 )
		{
			AddJoint( run, i );
		}
	}
	supLayered_AddControl( run );
	supLayered_FindLimits( run );
}

// ---------------------------------------------------------------------------------------------------------------------
// Products with M_bs

typedef struct Carry
{
	const supLayeredRun* run;
	const double* from;
	double* to;
} Carry;

static void ToSkinRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Carry* carry = context;
	const supLayeredView* view = &carry->run->view;
	SUP_CALL_KERNEL( supCarryToNodes )( carry->run->flesh, view->oldQ, view->motions, carry->to, begin, end );
}

void supLayered_CarryToSkin( const supLayeredRun* run, const double* v, double* y )
{
	const supLayeredFlesh* flesh = run->flesh;
	for ( int32_t f = 0; f < flesh->frameCount; ++f )
	{
		supFrameSpeed speed = supLayered_SolvedSpeed( run, f, v );
		supVec3d moved = supMulTransposed3d( run->view.rotations + f, speed.velocity );
		moved = supSubVec3d( moved, supCrossVec3d( speed.spin, flesh->frames[f].center ) );
		supStoreVec3d( run->view.motions + SUP_FRAME_MOTION * (int64_t)f, moved );
		supStoreVec3d( run->view.motions + SUP_FRAME_MOTION * (int64_t)f + 4, speed.spin );
	}
	Carry carry = { run, v, y };
	supParallelFor( run->tasks, flesh->skin.nodeCount, GRAIN, ToSkinRange, &carry );
}

static void ToBonesRange( int32_t begin, int32_t end, int32_t worker, void* context )
{
	(void)worker;
	const Carry* carry = context;
	const supLayeredFlesh* flesh = carry->run->flesh;
	for ( int32_t i = begin; i < end; ++i )
	{
		double* sum = carry->to + 6 * (int64_t)i;
		SUP_CALL_KERNEL( supCarryToFrame )( flesh, i, carry->run->view.oldQ, carry->from, sum );
		supVec3d force = supLoadVec3d( sum ), torque = supLoadVec3d( sum + 3 );
		torque = supSubVec3d( torque, supCrossVec3d( flesh->frames[i].center, force ) );
		supStoreVec3d( sum, supMulMat3dVec( carry->run->view.rotations + i, force ) );
		supStoreVec3d( sum + 3, torque );
	}
}

void supLayered_AddSkinFlow( const supLayeredRun* run, double scale, const double* v, supFlow* sum )
{
	double* sums = run->view.frameForces;
	Carry carry = { run, v, sums };
	supParallelFor( run->tasks, run->flesh->frameCount, 1, ToBonesRange, &carry );
	for ( int32_t i = 0; i < run->flesh->frameCount; ++i )
	{
		supVec3d flow = supScaleVec3d( scale, supLoadVec3d( sums + 6 * (int64_t)i ) );
		supVec3d turn = supMulMat3dVec( run->view.rotations + i, supLoadVec3d( sums + 6 * (int64_t)i + 3 ) );
		sum->linear = supAddVec3d( sum->linear, flow );
		sum->turning = supMulAddVec3d( sum->turning, scale, turn );
		sum->turning = supAddVec3d( sum->turning, supCrossVec3d( run->view.centers[i], flow ) );
	}
}

void supLayered_CarryToBones( const supLayeredRun* run, double scale, const double* y, double* f )
{
	double* sums = run->view.frameForces;
	Carry carry = { run, y, sums };
	supParallelFor( run->tasks, run->flesh->frameCount, 1, ToBonesRange, &carry );
	for ( int32_t i = 0; i < run->flesh->frameCount; ++i )
	{
		supLayered_PushFrame( run, i, supScaleVec3d( scale, supLoadVec3d( sums + 6 * (int64_t)i ) ),
							  supScaleVec3d( scale, supLoadVec3d( sums + 6 * (int64_t)i + 3 ) ), f );
	}
}
