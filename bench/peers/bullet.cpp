// SPDX-License-Identifier: MIT
// bullet WORK: the soft body of peers.work as a btSoftBody; see README.md.
#include "work.h"

#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <vector>

template <class T> static T* Read( FILE* file, size_t count )
{
	T* values = static_cast<T*>( malloc( count * sizeof( T ) ) );
	if ( fread( values, sizeof( T ), count, file ) != count )
	{
		fprintf( stderr, "bullet: the work is cut off\n" );
		exit( 1 );
	}
	return values;
}

static Work ReadWork( const char* path )
{
	FILE* file = fopen( path, "rb" );
	if ( file == nullptr )
	{
		fprintf( stderr, "bullet: cannot read %s\n", path );
		exit( 1 );
	}
	int32_t* head = Read<int32_t>( file, 4 );
	Work work = { head[0], head[1], head[2], head[3], nullptr, nullptr, nullptr, nullptr, nullptr };
	work.rest = Read<float>( file, 3 * (size_t)work.pointCount );
	work.led = Read<int32_t>( file, (size_t)work.pointCount );
	work.edges = Read<int32_t>( file, 2 * (size_t)work.edgeCount );
	work.tets = Read<int32_t>( file, 4 * (size_t)work.tetCount );
	work.skinned = Read<float>( file, 3 * (size_t)work.pointCount * (size_t)work.frameCount );
	free( head );
	fclose( file );
	return work;
}

// Triangles of one tet alone: the surface, which keeps its volume.
static void AddFaces( btSoftBody* body, const Work& work )
{
	static const int corners[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 0, 3, 2 }, { 1, 2, 3 } };
	std::map<std::array<int, 3>, std::array<int, 3>> open;
	for ( int i = 0; i < work.tetCount; ++i )
	{
		for ( const auto& c : corners )
		{
			std::array<int, 3> face = { work.tets[4 * i + c[0]], work.tets[4 * i + c[1]], work.tets[4 * i + c[2]] };
			std::array<int, 3> key = face;
			std::sort( key.begin(), key.end() );
			if ( open.erase( key ) == 0 )
			{
				open[key] = face;
			}
		}
	}
	for ( const auto& [key, face] : open )
	{
		body->appendFace( face[0], face[1], face[2] );
	}
}

static btSoftBody* MakeBody( btSoftBodyWorldInfo* info, const Work& work )
{
	std::vector<btVector3> points;
	for ( int i = 0; i < work.pointCount; ++i )
	{
		points.emplace_back( work.rest[3 * i], work.rest[3 * i + 1], work.rest[3 * i + 2] );
	}
	btSoftBody* body = new btSoftBody( info, work.pointCount, points.data(), nullptr );
	for ( int i = 0; i < work.edgeCount; ++i )
	{
		body->appendLink( work.edges[2 * i], work.edges[2 * i + 1] );
	}
	AddFaces( body, work );
	for ( int i = 0; i < work.pointCount; ++i )
	{
		body->setMass( i, work.led[i] ? 0.0f : 1.0f );
	}
	body->m_materials[0]->m_kLST = 1.0f;
	body->m_cfg.piterations = WORK_ITERATIONS;
	body->m_cfg.kVC = 1.0f;
	body->m_cfg.collisions = 0;
	body->setPose( true, false );
	body->randomizeConstraints();
	return body;
}

int main( int argc, char** argv )
{
	Work work = ReadWork( argc > 1 ? argv[1] : "build/bench/peers.work" );
	btSoftBodyRigidBodyCollisionConfiguration configuration;
	btCollisionDispatcher dispatcher( &configuration );
	btDbvtBroadphase broadphase;
	btSequentialImpulseConstraintSolver solver;
	btSoftRigidDynamicsWorld world( &dispatcher, &broadphase, &solver, &configuration );
	world.setGravity( btVector3( 0, -9.81f, 0 ) );
	world.getWorldInfo().m_gravity = btVector3( 0, -9.81f, 0 );
	btSoftBody* body = MakeBody( &world.getWorldInfo(), work );
	world.addSoftBody( body );

	WorkSums sums = {};
	std::vector<float> now( 3 * (size_t)work.pointCount );
	for ( int frame = 0; frame < work.frameCount; ++frame )
	{
		const float* to = work.skinned + 3 * (size_t)work.pointCount * (size_t)frame;
		for ( int i = 0; i < work.pointCount; ++i )
		{
			if ( work.led[i] )
			{
				btVector3 target( to[3 * i], to[3 * i + 1], to[3 * i + 2] );
				body->m_nodes[i].m_x = target;
				body->m_nodes[i].m_q = target;
				body->m_nodes[i].m_v = btVector3( 0, 0, 0 );
			}
		}
		auto start = std::chrono::steady_clock::now();
		world.stepSimulation( WORK_STEP, 1, WORK_STEP );
		double seconds = std::chrono::duration<double>( std::chrono::steady_clock::now() - start ).count();
		for ( int i = 0; i < work.pointCount; ++i )
		{
			for ( int c = 0; c < 3; ++c )
			{
				now[3 * (size_t)i + (size_t)c] = (float)body->m_nodes[i].m_x[c];
			}
		}
		if ( frame >= WORK_WARM_UP )
		{
			workMeasure( &work, now.data(), seconds, &sums );
		}
	}
	workPrint( "Bullet, 1 thread", &sums );
	world.removeSoftBody( body );
	delete body;
	return 0;
}
