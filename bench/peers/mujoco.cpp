// SPDX-License-Identifier: MIT
// mujoco: the soft box of box.h as a composite; see README.md.
#include "box.h"

#include <chrono>
#include <mujoco/mujoco.h>
#include <string>
#include <vector>

// kg m2: a bone that nothing on it can hold up
#define HEAVY 1e6

static std::string MakeModel( const Box& box )
{
	double mass = BOX_MASS / box.pointCount, time = 1.0 / ( 2.0 * BOX_PI * BOX_FREQUENCY * BOX_DAMPING );
	char text[2048];
	snprintf(
		text, sizeof( text ),
		"<mujoco><option timestep='%.9g' gravity='0 %.9g 0' iterations='12' tolerance='0' solver='CG' integrator='Euler'/>"
		"<size njmax='8000' nconmax='10' nuser_body='0'/><worldbody><body name='bone'><joint type='hinge' axis='0 0 1' armature='%g'/>"
		"<composite type='box' count='%d %d %d' spacing='%.9g'>"
		"<joint kind='main' solreffix='%.9g %.9g'/><tendon kind='main' solreffix='%.9g %.9g'/>"
		"<geom type='sphere' size='0.004' mass='%.9g' contype='0' conaffinity='0'/>"
		"</composite></body></worldbody></mujoco>",
		BOX_STEP, BOX_GRAVITY, HEAVY, BOX_POINTS, BOX_POINTS, BOX_POINTS, BOX_SIZE / ( BOX_POINTS - 1.0 ), time,
		BOX_DAMPING, time, BOX_DAMPING, mass );
	return text;
}

int main()
{
	Box* box = boxMake();
	std::string xml = MakeModel( *box );
	static mjVFS files;
	mj_defaultVFS( &files );
	mj_makeEmptyFileVFS( &files, "box.xml", (int)xml.size() );
	memcpy( files.filedata[0], xml.data(), xml.size() );
	char error[1000] = "";
	mjModel* model = mj_loadXML( "box.xml", &files, error, sizeof( error ) );
	if ( model == nullptr )
	{
		fprintf( stderr, "mujoco: %s\n", error );
		return 1;
	}
	mjData* data = mj_makeData( model );
	std::vector<int> bodies;
	for ( int i = 0; i < box->pointCount; ++i )
	{
		char name[64];
		snprintf( name, sizeof( name ), "B%d_%d_%d", box->grid[i][0], box->grid[i][1], box->grid[i][2] );
		bodies.push_back( mj_name2id( model, mjOBJ_BODY, name ) );
		if ( bodies.back() < 0 )
		{
			fprintf( stderr, "mujoco: there is no body %s\n", name );
			return 1;
		}
	}
	BoxSums sums = {};
	static double now[BOX_MOST_POINTS][3];
	for ( int step = 0; step < BOX_STEPS; ++step )
	{
		data->qpos[0] = boxAngle( step );
		data->qvel[0] = boxSpin( step );
		data->qfrc_applied[0] = HEAVY * boxSpinChange( step );
		auto start = std::chrono::steady_clock::now();
		mj_step( model, data );
		double seconds = std::chrono::duration<double>( std::chrono::steady_clock::now() - start ).count();
		for ( int i = 0; i < box->pointCount; ++i )
		{
			memcpy( now[i], data->xpos + 3 * bodies[(size_t)i], sizeof( now[i] ) );
		}
		if ( step >= BOX_WARM_UP )
		{
			boxMeasure( box, now, boxAngle( step ), seconds, &sums );
		}
	}
	boxPrint( "MuJoCo, 1 thread", &sums );
	mj_deleteData( data );
	mj_deleteModel( model );
	free( box );
	return 0;
}
