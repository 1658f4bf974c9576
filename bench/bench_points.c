// SPDX-License-Identifier: MIT
// Figure 2 of the paper on local constraints: walls of 100 to 9990 soft cubes, each step split into forces, constraints
// and integration, on 1 and 2 threads; and constraints alone, in points per second.
#include "bench.h"

#include "attach/attach.h"
#include "method/points/props.h"
#include "method/points/solver.h"

#define ROWS 10
#define ROUNDS 9
#define SECONDS 0.02

typedef struct Wall
{
	supProp prop;
	supPointBody body;
	supPointSettings settings;
	supPointState state;
	void* block;
	supAttach* attach;
	int32_t attachedPoints;
	int32_t constraints;
	supTrouble trouble;
	supPointStep step;
	supAttachPoints points;
} Wall;

static void AddConstraint( Wall* wall, supAttachKind kind, const int32_t* points, int32_t count )
{
	supError error = { 0 };
	supAttachDef def = { .kind = kind, .pointCount = count, .points = points, .goal = wall->body.rest[points[0]] };
	int32_t index = supAttach_Add( wall->attach, &def, wall->state.x, &error );
	benchRequire( index >= 0, &error );
	benchRequire( supAttach_Activate( wall->attach, index, wall->state.x, &error ), &error );
	wall->attachedPoints += count;
	wall->constraints += 1;
}

static void CreateWall( Wall* wall, int32_t cubes )
{
	supError error = { 0 };
	benchRequire( supProp_AddCubeWall( &wall->prop, cubes / ROWS, ROWS, 0.1f ), &error );
	supPointBodyDef def = supDefaultPointBodyDef();
	def.pointCount = wall->prop.points.count;
	def.points = wall->prop.points.data;
	def.tetCount = wall->prop.tets.count / 4;
	def.tets = wall->prop.tets.data;
	benchRequire( supPointBody_Init( &wall->body, &def, &error ), &error );
	wall->settings = supDefaultPointSettings();
	wall->block = aligned_alloc( 64, supPointState_Size( &wall->body, wall->settings.integrator ) );
	supPointState_Reset( &wall->body, wall->settings.integrator, wall->block );
	wall->state = supPointState_View( &wall->body, wall->settings.integrator, wall->block );
	wall->attach = supCreateAttach( def.pointCount, 1, &error );
	benchRequire( wall->attach != NULL, &error );
	for ( int32_t i = 0; i < wall->prop.nails.count; ++i )
	{
		AddConstraint( wall, sup_attachNail, wall->prop.nails.data + i, 1 );
	}
	for ( int32_t i = 0; i < wall->prop.joints.count; i += 2 )
	{
		AddConstraint( wall, sup_attachJoint, wall->prop.joints.data + i, 2 );
	}
	wall->step = ( supPointStep ){ .dt = 1e-3f, .trouble = &wall->trouble };
	wall->points = ( supAttachPoints ){ wall->state.x, wall->state.v, wall->state.oldX, 1e-3f, NULL };
}

static void DestroyWall( Wall* wall )
{
	supDestroyAttach( wall->attach );
	supPointBody_Destroy( &wall->body );
	supProp_Destroy( &wall->prop );
	free( wall->block );
	*wall = ( Wall ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------

static void Step( void* context )
{
	Wall* wall = context;
	if ( supPointSolver_Predict( &wall->body, &wall->settings, &wall->state, &wall->step ) == false )
	{
		fprintf( stderr, "the step is too long\n" );
		exit( 1 );
	}
	supAttach_Solve( wall->attach, &wall->points );
	supPointSolver_Finish( &wall->body, &wall->settings, &wall->state, &wall->step );
}

static void Forces( void* context )
{
	Wall* wall = context;
	supPointSolver_Evaluate( &wall->body, &wall->settings, &wall->state, wall->step.tasks );
}

static void Constraints( void* context )
{
	Wall* wall = context;
	supAttach_Solve( wall->attach, &wall->points );
}

static void Report( FILE* csv, const char* name, int32_t cubes, int threads, double value, const char* unit )
{
	char text[64];
	snprintf( text, sizeof( text ), "%s %d cubes", name, cubes );
	benchWriteCsv( csv, "points", text, threads, value, unit );
}

// From the paper: an Intel Pentium 4 of 3.4 GHz, milliseconds.
static const char* PaperFigure( int32_t cubes )
{
	switch ( cubes )
	{
		case 790:
			return "12.0 (forces 3.42, constraints 5.38, Verlet 3.2)";
		case 2990:
			return "46.15";
		default:
			return "";
	}
}

static double PaperStep( int32_t cubes )
{
	return cubes == 790 ? 12.0 : ( cubes == 2990 ? 46.15 : 0.0 );
}

static void Measure( FILE* csv, Wall* wall, int32_t cubes, int threads )
{
	supThreadPool* pool = supCreateThreadPool( threads );
	wall->step.tasks = wall->points.tasks = supThreadPool_Tasks( pool );
	// hanging, so that the constraints have something to do
	for ( int i = 0; i < 50; ++i )
	{
		Step( wall );
	}
	double forces = 1e3 * benchTime( Forces, wall, ROUNDS, SECONDS );
	double step = 1e3 * benchTime( Step, wall, ROUNDS, SECONDS );
	double constraints = 1e3 * benchTime( Constraints, wall, ROUNDS, SECONDS );
	double integration = step - forces - constraints;
	double rate = 1e-3 * wall->attachedPoints / constraints;
	printf( "%6d %7d %11d %7d  %8.4f %8.4f %8.4f %8.4f  %9.1f  %s\n", cubes, wall->body.tetCount, wall->constraints,
			threads, forces, constraints, integration, step, rate, PaperFigure( cubes ) );
	Report( csv, "forces", cubes, threads, forces, "ms" );
	Report( csv, "constraints", cubes, threads, constraints, "ms" );
	Report( csv, "integration", cubes, threads, integration, "ms" );
	Report( csv, "step", cubes, threads, step, "ms" );
	benchWritePoint( csv, "points_constraints", "a step", threads, wall->constraints, "constraints", step, "ms" );
	benchWritePoint( csv, "points_constraints", "of it constraints", threads, wall->constraints, "constraints",
					 constraints, "ms" );
	if ( threads == 1 && PaperStep( cubes ) > 0.0 )
	{
		benchWritePoint( csv, "points_constraints", "the paper, a step", 1, wall->constraints, "constraints",
						 PaperStep( cubes ), "ms" );
	}
	Report( csv, "constraint rate", cubes, threads, 1e6 * rate, "points/s" );
	wall->step.tasks = wall->points.tasks = NULL;
	supDestroyThreadPool( pool );
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	static const int32_t sizes[] = { 100, 790, 2990, 6000, 9990 };
	printf( "walls of cubes, milliseconds a step (Verlet); million points a second of the constraints\n" );
	printf( " cubes    tets constraints threads    forces   constr.   integr.     step   Mpoints/s  paper, ms\n" );
	for ( size_t i = 0; i < sizeof( sizes ) / sizeof( sizes[0] ); ++i )
	{
		Wall wall = { 0 };
		CreateWall( &wall, sizes[i] );
		for ( int threads = 1; threads <= 2; ++threads )
		{
			Measure( csv, &wall, sizes[i], threads );
		}
		DestroyWall( &wall );
	}
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
