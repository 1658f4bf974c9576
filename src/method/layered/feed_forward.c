// SPDX-License-Identifier: MIT
// What the motion of the clip itself takes, so that springs only have to make up for what else happens. Of each link k
// the clip has velocities now and in the last step, hence accelerations a_k and α_k:
//
//     F_k = m_k ( a_k - a_root + ρ ( a_root - g ) ),   N_k = I_k α_k + ω_k x I_k ω_k
//
// summed up from the leaves: a joint turns with the moment of all that hangs on it. ρ is how firmly the root is held,
// squared: a body that falls is not held up against gravity, nor carried along with its clip. A joint that follows with
// a part of its strength takes the square of that part, as its spring does.
#include "method/layered/layered.h"

static double Share( double strength )
{
	return strength < 1.0 ? strength * strength : 1.0;
}

// Velocity of the centre and spin in the world that the clip has in this step; what it gained since the last one.
typedef struct Gain
{
	supVec3d speed;
	supVec3d spin;
	supVec3d spinNow;
} Gain;

static Gain FindGain( const supLayeredRun* run, int32_t i )
{
	const supLinkPlace *from = run->view.oldTargets + i, *to = run->view.targets + i;
	supMat3d r = supMakeMat3dQuat( to->rotation );
	supVec3d turn = supLogQuatd( supMulQuatd( supConjugateQuatd( from->rotation ), to->rotation ) );
	supVec3d speed = supScaleVec3d( 1.0 / run->dt, supSubVec3d( to->center, from->center ) );
	supVec3d spin = supMulMat3dVec( &r, supScaleVec3d( 1.0 / run->dt, turn ) );
	double* last = run->view.goalSpeeds + 6 * (int64_t)i;
	Gain gain = { supScaleVec3d( 1.0 / run->dt, supSubVec3d( speed, supLoadVec3d( last ) ) ),
				  supScaleVec3d( 1.0 / run->dt, supSubVec3d( spin, supLoadVec3d( last + 3 ) ) ), spin };
	supStoreVec3d( last, speed );
	supStoreVec3d( last + 3, spin );
	return gain;
}

// Forces and moments of each link alone, in boneRest; inertial forces of all links of a tree in boneWay, at its root.
static void FindForces( supLayeredRun* run )
{
	const supLinks* links = &run->flesh->links;
	supVec3d rootGain = { 0.0, 0.0, 0.0 };
	for ( int32_t i = 0; i < links->count; ++i )
	{
		const supLink* link = links->links + i;
		const double* sums = run->view.linkSums + SUP_LINK_SUMS * (int64_t)i;
		double mass = link->mass + sums[0];
		Gain gain = FindGain( run, i );
		double* out = run->view.boneRest + 6 * (int64_t)i;
		double* carried = run->view.boneWay + 6 * (int64_t)i;
		int32_t root = i;
		while ( links->links[root].parent >= 0 )
		{
			root = links->links[root].parent;
		}
		rootGain = root == i ? gain.speed : supLoadVec3d( run->view.boneWay + 6 * (int64_t)root + 3 );
		double held = Share( supLayered_Strength( run, links->links + root ) );
		supVec3d a = supSubVec3d( gain.speed, rootGain );
		a = supMulAddVec3d( a, held, supSubVec3d( rootGain, run->gravity ) );
		supMat3d r = supMakeMat3dQuat( run->view.targets[i].rotation ), inertia = supLinkInertia( link, sums );
		supVec3d inner = supMulTransposed3d( &r, gain.spinNow );
		supVec3d moment = supAddVec3d( supMulMat3dVec( &inertia, supMulTransposed3d( &r, gain.spin ) ),
									   supCrossVec3d( inner, supMulMat3dVec( &inertia, inner ) ) );
		supStoreVec3d( out, supScaleVec3d( mass, a ) );
		supStoreVec3d( out + 3, supMulMat3dVec( &r, moment ) );
		supStoreVec3d( carried, supScaleVec3d( mass, gain.speed ) );
		supStoreVec3d( carried + 3, rootGain );
	}
}

void supLayered_FeedForward( supLayeredRun* run )
{
	const supLinks* links = &run->flesh->links;
	FindForces( run );
	for ( int32_t i = links->count - 1; i >= 0; --i )
	{
		const supLink* link = links->links + i;
		const double *own = run->view.boneRest + 6 * (int64_t)i, *carried = run->view.boneWay + 6 * (int64_t)i;
		supVec3d force = supLoadVec3d( own ), moment = supLoadVec3d( own + 3 );
		supMat3d goal = supMakeMat3dQuat( run->view.targets[i].rotation );
		double share = Share( supLayered_Strength( run, link ) );
		double* f = run->view.boneForces + run->flesh->bones.offsets[i];
		if ( link->parent < 0 )
		{
			supVec3d torque = supScaleVec3d( share, supMulTransposed3d( &goal, moment ) );
			supStoreVec3d( f, supMulAddVec3d( supLoadVec3d( f ), share * run->dt, supLoadVec3d( carried ) ) );
			supStoreVec3d( f + 3, supMulAddVec3d( supLoadVec3d( f + 3 ), run->dt, torque ) );
			continue;
		}
		int32_t p = link->parent;
		supVec3d anchor = run->view.targets[i].joint;
		moment = supAddVec3d( moment, supCrossVec3d( supSubVec3d( run->view.targets[i].center, anchor ), force ) );
		// in the frames of the links as they are
		const supMat3d *here = run->view.rotations + i, *there = run->view.rotations + p;
		supVec3d torque = supScaleVec3d( share * run->dt, supMulTransposed3d( &goal, moment ) );
		supVec3d back = supMulTransposed3d( there, supMulMat3dVec( here, torque ) );
		double* g = run->view.boneForces + run->flesh->bones.offsets[p];
		supStoreVec3d( f + 3, supAddVec3d( supLoadVec3d( f + 3 ), torque ) );
		supStoreVec3d( g + 3, supSubVec3d( supLoadVec3d( g + 3 ), back ) );
		double *above = run->view.boneRest + 6 * (int64_t)p, *allAbove = run->view.boneWay + 6 * (int64_t)p;
		supVec3d arm = supSubVec3d( anchor, run->view.targets[p].center );
		supStoreVec3d( above, supAddVec3d( supLoadVec3d( above ), force ) );
		supStoreVec3d( above + 3,
					   supAddVec3d( supLoadVec3d( above + 3 ), supAddVec3d( moment, supCrossVec3d( arm, force ) ) ) );
		supStoreVec3d( allAbove, supAddVec3d( supLoadVec3d( allAbove ), supLoadVec3d( carried ) ) );
	}
}
