// SPDX-License-Identifier: MIT
// Momentum. A step is solved with matrices and quadratic velocity forces Q_v of its beginning, so that what the whole
// body has of momentum and turning is right there, for the place and shape that it comes from:
//
//     P = P( old place, v ) + h Σ Q_v
//
// At its end links have turned, skin has moved and was stopped where it ends, joints were closed: the same velocities
// are another momentum, by the order of the step. A motion of the body as a whole, rigid, gives back what is missing,
// and takes what two nodes that touch, a little apart, have turned their bodies by.
#include "core/tasks.h"
#include "method/layered/layered.h"

typedef struct Measure
{
	double mass;
	supVec3d first; // Σ m x
	supVec3d linear;
	supVec3d angular;
	supMat3d inertia;
} Measure;

// - c: the centre of the frame, as seen from where everything is measured
static void AddFrame( Measure* sum, const supLink* link, const double* sums, const supFramePlace* place,
					  const supFrameSpeed* motion, supVec3d c )
{
	supMat3d r = supMakeMat3dQuat( place->rotation ), inertia = supFrameInertia( sums );
	supVec3d spin = motion->spin;
	double mass = sums[0] + ( link != NULL ? link->mass : 0.0 );
	if ( link != NULL )
	{
		inertia = supMulAddMat3d( &inertia, 1.0, &link->inertia );
	}
	supVec3d first = supLoadVec3d( sums + 1 ), flow = supLoadVec3d( sums + 10 );
	// Σ m w u x q̇ out of Σ m w u q̇ᵀ
	const double* t = sums + 13;
	supVec3d stirred = { t[7] - t[5], t[2] - t[6], t[3] - t[1] };
	supVec3d moved = supMulMat3dVec( &r, supAddVec3d( supCrossVec3d( spin, first ), flow ) );
	supVec3d p = supAddVec3d( supScaleVec3d( mass, motion->velocity ), moved );
	supVec3d carried = supCrossVec3d( first, supMulTransposed3d( &r, motion->velocity ) );
	supVec3d own = supAddVec3d( supAddVec3d( supMulMat3dVec( &inertia, spin ), carried ), stirred );
	sum->mass += mass;
	sum->first = supAddVec3d( sum->first, supMulAddVec3d( supMulMat3dVec( &r, first ), mass, c ) );
	sum->linear = supAddVec3d( sum->linear, p );
	sum->angular = supAddVec3d( sum->angular, supAddVec3d( supMulMat3dVec( &r, own ), supCrossVec3d( c, p ) ) );

	// Σ m ( x.x I - x xᵀ ), x = c + R u
	supVec3d f = supMulMat3dVec( &r, first );
	supMat3d rt = supTransposeMat3d( &r ), turned = supMulMat3d( &r, &inertia );
	turned = supMulMat3d( &turned, &rt );
	supMat3d skewC = supSkew3d( c ), skewF = supSkew3d( f );
	supMat3d cc = supMulMat3d( &skewC, &skewC ), cf = supMulMat3d( &skewC, &skewF ), fc = supTransposeMat3d( &cf );
	sum->inertia = supMulAddMat3d( &sum->inertia, 1.0, &turned );
	sum->inertia = supMulAddMat3d( &sum->inertia, -mass, &cc );
	sum->inertia = supMulAddMat3d( &sum->inertia, -1.0, &cf );
	sum->inertia = supMulAddMat3d( &sum->inertia, -1.0, &fc );
}

// - places: of links, whose velocities are those of the view
static Measure MeasureBody( supLayeredRun* run, const supLinkState* places, const double* q, const double* v,
							supVec3d origin )
{
	const supLayeredFlesh* flesh = run->flesh;
	Measure sum = { .inertia = supDiagonal3d( 0.0 ) };
	supLayered_SumFrames( run, q, v );
	for ( int32_t i = 0; i < flesh->frameCount; ++i )
	{
		supFrameMap map = supLayered_MapFrame( flesh, i, places, run->view.ways );
		supFramePlace place = supLayered_PlaceFrame( flesh, i, places, run->view.ways );
		supFrameSpeed speed = supLayered_FrameSpeed( flesh->frames + i, &map, run->view.links );
		AddFrame( &sum, i < flesh->links.count ? flesh->links.links + i : NULL,
				  run->view.frameSums + SUP_FRAME_SUMS * (int64_t)i, &place, &speed,
				  supSubVec3d( place.center, origin ) );
	}
	return sum;
}

static void AddLost( Measure* sum, const supFlow* lost, supVec3d origin )
{
	supVec3d turning = supSubVec3d( lost->turning, supCrossVec3d( origin, lost->linear ) );
	sum->linear = supAddVec3d( sum->linear, lost->linear );
	sum->angular = supAddVec3d( sum->angular, turning );
}

static Measure MeasureSolved( supLayeredRun* run, supVec3d origin )
{
	Measure sum = MeasureBody( run, run->view.oldLinks, run->view.oldQ, run->view.solvedV, origin );
	for ( int32_t i = 0; i < run->flesh->frameCount; ++i )
	{
		const double* lag = run->view.lags + 6 * (int64_t)i;
		const supMat3d* r = run->view.rotations + i;
		supVec3d force = supLoadVec3d( lag ), c = supSubVec3d( run->view.centers[i], origin );
		supVec3d torque = supAddVec3d( supMulMat3dVec( r, supLoadVec3d( lag + 3 ) ), supCrossVec3d( c, force ) );
		sum.linear = supMulAddVec3d( sum.linear, -run->dt, force );
		sum.angular = supMulAddVec3d( sum.angular, -run->dt, torque );
	}
	AddLost( &sum, &run->view.header->lost, origin );
	for ( int32_t i = 0; i < run->view.header->touchCount; ++i )
	{
		const supNodeTouch* touch = run->view.touches + i;
		AddLost( &sum, &touch->lost, origin );
		sum.angular = supAddVec3d( sum.angular, touch->couple );
	}
	return sum;
}

void supLayered_GiveMomentum( supLayeredRun* run )
{
	supVec3d origin = run->view.oldLinks[0].center;
	Measure solved = MeasureSolved( run, origin );
	Measure now = MeasureBody( run, run->view.links, run->view.q, run->view.v, origin );
	supVec3d center = supScaleVec3d( 1.0 / now.mass, now.first );
	supVec3d linear = supSubVec3d( solved.linear, now.linear );
	supVec3d angular = supSubVec3d( solved.angular, now.angular );
	angular = supSubVec3d( angular, supCrossVec3d( center, linear ) );
	// about the middle
	supMat3d skew = supSkew3d( center ), square = supMulMat3d( &skew, &skew ), inverse;
	supMat3d inertia = supMulAddMat3d( &now.inertia, now.mass, &square );
	if ( supInvertMat3d( &inertia, &inverse ) == false )
	{
		return;
	}
	supVec3d speed = supScaleVec3d( 1.0 / now.mass, linear ), spin = supMulMat3dVec( &inverse, angular );
	for ( int32_t i = 0; i < run->flesh->links.count; ++i )
	{
		supLinkState* link = run->view.links + i;
		supMat3d r = supMakeMat3dQuat( link->rotation );
		supVec3d arm = supSubVec3d( supSubVec3d( link->center, origin ), center );
		link->velocity = supAddVec3d( link->velocity, supAddVec3d( speed, supCrossVec3d( spin, arm ) ) );
		link->spin = supAddVec3d( link->spin, supMulTransposed3d( &r, spin ) );
	}
}
