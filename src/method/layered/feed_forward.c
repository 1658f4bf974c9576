// SPDX-License-Identifier: MIT
// What gravity and the motion of the clip itself take, so that the clip's pose is where the skeleton rests, and springs
// only have to make up for what else happens. Of each link k the clip has velocities now and in the last step, hence
// accelerations a_k and α_k. What has to push the links, with skin that rides along on them:
//
//     W = M_b ( a - ( 1 - ρ ) a_root ) - ρ G - Q_v          G: weight, Q_v: what turning does, both as system.c has
//     them
//
// summed up from the leaves: a joint turns with the moment of all that hangs on it. All of it is taken at the pose that
// the skeleton has: at rest on the clip it is exact, whatever the strength.
//
// A joint gives no more than its strength. Half as strong as to stay on its clip it bears its part of the body at least
// 20 times over, and in proportion to s / ( 1 - s ) otherwise; from strength 1 on, any moment. ρ is the same of a root:
// a body that falls is not held up against gravity, nor carried along with its clip.
#include "method/layered/layered.h"

// Times the links that hang on a joint, held out straight, under standard gravity: with their skin they weigh up to
// five times as much.
#define BORNE_WEIGHTS 100.0
#define STANDARD_GRAVITY 9.81

// Part of a load that a joint of this strength bears.
// - weight: what its own part of the body weighs, as load is measured
static double FindBorne( double strength, double weight, double load )
{
	double most = strength < 1.0 ? BORNE_WEIGHTS * weight * strength / ( 1.0 - strength ) : load;
	return most < load ? most / load : ( strength > 0.0 ? 1.0 : 0.0 );
}

// Where a link's joint is in the link above, as the clip has it.
static supVec3d ArmOf( const supLinkPlace* places, int32_t link, int32_t parent )
{
	supMat3d r = supMakeMat3dQuat( places[parent].rotation );
	return supMulTransposed3d( &r, supSubVec3d( places[link].joint, places[parent].center ) );
}

// Velocities that take the clip's last pose to this one in a step: what they gained since the last step. Centres move
// as joints let them from where links are at the beginning, as they do in the solve: a link that turns by half a radian
// in a step gets to another place than its velocity says, and joints are closed afterwards.
// - links above come first
static supFrameSpeed FindGain( const supLayeredRun* run, int32_t i )
{
	const supLink* link = run->flesh->links.links + i;
	const supLinkPlace *from = run->view.oldTargets, *to = run->view.targets;
	supVec3d turn = supLogQuatd( supMulQuatd( supConjugateQuatd( from[i].rotation ), to[i].rotation ) );
	supVec3d spin = supScaleVec3d( 1.0 / run->dt, turn );
	supVec3d speed = supScaleVec3d( 1.0 / run->dt, supSubVec3d( to[i].center, from[i].center ) );
	double* last = run->view.goalSpeeds + 6 * (int64_t)i;
	if ( link->parent >= 0 )
	{
		// that of this step already
		const double* above = run->view.goalSpeeds + 6 * (int64_t)link->parent;
		supMat3d here = supMakeMat3dQuat( from[i].rotation ), there = supMakeMat3dQuat( from[link->parent].rotation );
		supVec3d arm = ArmOf( from, i, link->parent ), way = supSubVec3d( ArmOf( to, i, link->parent ), arm );
		supVec3d outer = supMulAddVec3d( supCrossVec3d( supLoadVec3d( above + 3 ), arm ), 1.0 / run->dt, way );
		supVec3d inner = supCrossVec3d( spin, supSubVec3d( link->anchor, link->center ) );
		speed = supAddVec3d( supLoadVec3d( above ), supMulMat3dVec( &there, outer ) );
		speed = supSubVec3d( speed, supMulMat3dVec( &here, inner ) );
	}
	supFrameSpeed gain = { supScaleVec3d( 1.0 / run->dt, supSubVec3d( speed, supLoadVec3d( last ) ) ),
						   supScaleVec3d( 1.0 / run->dt, supSubVec3d( spin, supLoadVec3d( last + 3 ) ) ) };
	supStoreVec3d( last, speed );
	supStoreVec3d( last + 3, spin );
	return gain;
}

static int32_t FindRoot( const supLinks* links, int32_t link )
{
	while ( links->links[link].parent >= 0 )
	{
		link = links->links[link].parent;
	}
	return link;
}

// Accelerations of all links that have to be paid for, in boneWay; ρ of each root, and its acceleration, in boneFresh.
static void FindAccelerations( supLayeredRun* run )
{
	const supLinks* links = &run->flesh->links;
	memset( run->view.boneWay, 0, (size_t)run->flesh->bones.unknownCount * sizeof( double ) );
	for ( int32_t i = 0; i < links->count; ++i )
	{
		int32_t root = FindRoot( links, i );
		supFrameSpeed gain = FindGain( run, i );
		double* held = run->view.boneFresh + 6 * (int64_t)i;
		if ( root == i )
		{
			double strength = supLayered_Strength( run, links->links + i );
			double load = supLengthVec3d( supSubVec3d( gain.velocity, run->gravity ) );
			held[0] = FindBorne( strength, STANDARD_GRAVITY, load );
			supStoreVec3d( held + 1, gain.velocity );
		}
		const double* above = run->view.boneFresh + 6 * (int64_t)root;
		double* way = run->view.boneWay + run->flesh->bones.offsets[i];
		supStoreVec3d( way, supMulAddVec3d( gain.velocity, above[0] - 1.0, supLoadVec3d( above + 1 ) ) );
		supStoreVec3d( way + 3, gain.spin );
	}
}

// W, in boneProduct: forces in the world, and moments about centres, in the world too.
static void FindWrenches( supLayeredRun* run )
{
	const supLayeredFlesh* flesh = run->flesh;
	const supLayeredView* view = &run->view;
	supBlockMatrix masses = flesh->bones;
	masses.values = view->boneValues;
	supBlockMatrix_Multiply( &masses, view->boneWay, view->boneProduct, 1, NULL );
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		double held = view->boneFresh[6 * (int64_t)FindRoot( &flesh->links, i )];
		double* w = view->boneProduct + flesh->bones.offsets[i];
		const double *weight = view->boneRest + flesh->bones.offsets[i],
					 *all = view->boneForces + flesh->bones.offsets[i];
		for ( int k = 0; k < 6; ++k )
		{
			// Q_v is what forces have beside weight
			w[k] -= held * weight[k] + all[k] / run->dt - weight[k];
		}
		supStoreVec3d( w + 3, supMulMat3dVec( view->rotations + i, supLoadVec3d( w + 3 ) ) );
	}
}

static void AddTorque( supLayeredRun* run, int32_t link, double scale, supVec3d moment )
{
	double* f = run->view.boneForces + run->flesh->bones.offsets[link] + 3;
	supVec3d torque = supMulTransposed3d( run->view.rotations + link, moment );
	supStoreVec3d( f, supMulAddVec3d( supLoadVec3d( f ), scale * run->dt, torque ) );
}

// - boneValues has the masses alone, boneForces weight and what turning does, boneRest weight
void supLayered_FeedForward( supLayeredRun* run )
{
	const supLinks* links = &run->flesh->links;
	const int32_t* offsets = run->flesh->bones.offsets;
	FindAccelerations( run );
	FindWrenches( run );
	for ( int32_t i = links->count - 1; i >= 0; --i )
	{
		const supLink* link = links->links + i;
		const double* own = run->view.boneProduct + offsets[i];
		supVec3d force = supLoadVec3d( own ), moment = supLoadVec3d( own + 3 );
		if ( link->parent < 0 )
		{
			double held = run->view.boneFresh[6 * (int64_t)i];
			double* f = run->view.boneForces + offsets[i];
			supStoreVec3d( f, supMulAddVec3d( supLoadVec3d( f ), held * run->dt, force ) );
			AddTorque( run, i, held, moment );
			continue;
		}
		int32_t p = link->parent;
		supVec3d arm = supMulMat3dVec( run->view.rotations + i, supSubVec3d( link->anchor, link->center ) );
		supVec3d joint = supAddVec3d( run->view.links[i].center, arm );
		moment = supSubVec3d( moment, supCrossVec3d( arm, force ) );
		double weight = STANDARD_GRAVITY * sqrt( link->turned * link->carried );
		double borne = FindBorne( supLayered_Strength( run, link ), weight, supLengthVec3d( moment ) );
		AddTorque( run, i, borne, moment );
		AddTorque( run, p, -borne, moment );
		supMat3d none = supDiagonal3d( 0.0 );
		supVec3d torque = supMulTransposed3d( run->view.rotations + i, supScaleVec3d( borne, moment ) );
		supLayered_AddDrive( run, i, torque, 0.0, &none, &none );
		double* above = run->view.boneProduct + offsets[p];
		supVec3d there = supSubVec3d( joint, run->view.links[p].center );
		supStoreVec3d( above, supAddVec3d( supLoadVec3d( above ), force ) );
		supStoreVec3d( above + 3,
					   supAddVec3d( supLoadVec3d( above + 3 ), supAddVec3d( moment, supCrossVec3d( there, force ) ) ) );
	}
}
