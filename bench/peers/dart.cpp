// SPDX-License-Identifier: MIT
// dart: the soft box of box.h as a SoftBodyNode; see README.md.
#include "box.h"

#include <chrono>
#include <dart/dynamics/PointMass.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SoftBodyNode.hpp>
#include <dart/simulation/World.hpp>

using namespace dart::dynamics;

static SoftBodyNode* MakeBody( const SkeletonPtr& skeleton, const Box& box )
{
	double mass = BOX_MASS / box.pointCount;
	double turn = 2.0 * BOX_PI * BOX_FREQUENCY;
	SoftBodyNode::UniqueProperties soft;
	soft.mKv = mass * turn * turn;
	soft.mKe = soft.mKv;
	soft.mDampCoeff = 2.0 * BOX_DAMPING * mass * turn;
	for ( int i = 0; i < box.pointCount; ++i )
	{
		soft.addPointMass(
			PointMass::Properties( Eigen::Vector3d( box.rest[i][0], box.rest[i][1], box.rest[i][2] ), mass ) );
	}
	for ( int i = 0; i < box.edgeCount; ++i )
	{
		soft.connectPointMasses( (size_t)box.edges[i][0], (size_t)box.edges[i][1] );
	}
	for ( int i = 0; i < box.triangleCount; ++i )
	{
		soft.addFace( Eigen::Vector3i( box.triangles[i][0], box.triangles[i][1], box.triangles[i][2] ) );
	}
	BodyNode::Properties bone( BodyNode::AspectProperties( "bone" ) );
	RevoluteJoint::Properties joint;
	joint.mAxis = Eigen::Vector3d::UnitZ();
	joint.mActuatorType = Joint::VELOCITY;
	return skeleton
		->createJointAndBodyNodePair<RevoluteJoint, SoftBodyNode>( nullptr, joint,
																   SoftBodyNode::Properties( bone, soft ) )
		.second;
}

int main()
{
	Box* box = boxMake();
	SkeletonPtr skeleton = Skeleton::create( "box" );
	SoftBodyNode* body = MakeBody( skeleton, *box );
	dart::simulation::WorldPtr world = dart::simulation::World::create();
	world->setTimeStep( BOX_STEP );
	world->setGravity( Eigen::Vector3d( 0.0, BOX_GRAVITY, 0.0 ) );
	Joint* joint = skeleton->getJoint( 0 );
	world->addSkeleton( skeleton );

	BoxSums sums = {};
	static double now[BOX_MOST_POINTS][3];
	for ( int step = 0; step < BOX_STEPS; ++step )
	{
		joint->setCommand( 0, ( boxAngle( step + 1 ) - joint->getPosition( 0 ) ) / BOX_STEP );
		auto start = std::chrono::steady_clock::now();
		world->step();
		double seconds = std::chrono::duration<double>( std::chrono::steady_clock::now() - start ).count();
		for ( int i = 0; i < box->pointCount; ++i )
		{
			const Eigen::Vector3d& p = body->getPointMass( (size_t)i )->getWorldPosition();
			for ( int c = 0; c < 3; ++c )
			{
				now[i][c] = p[c];
			}
		}
		if ( step >= BOX_WARM_UP )
		{
			boxMeasure( box, now, joint->getPosition( 0 ), seconds, &sums );
		}
	}
	boxPrint( "DART, 1 thread", &sums );
	free( box );
	return 0;
}
