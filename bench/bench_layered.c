// SPDX-License-Identifier: MIT
// Table 1 of the paper on soft articulated characters: a step free of contact and one with a ball pressed into the
// skin, split as the scene runs it; the skin solved directly and by conjugate gradients.
#include "bench.h"

#include "linear/conjugate_gradients.h"
#include "method/layered/layered.h"
#include "models/models.h"
#include "scene/actor.h"
#include "supple/scene.h"

#include <math.h>

#define STEPS 60
#define DT ( 1.0f / 60.0f )

// Pentium 4 at 3.4 GHz; milliseconds a frame without and with contact, and what is to be reached on two cores.
typedef struct PaperRow
{
	const char* model;
	int32_t nodes;
	int32_t bones;
	int32_t contacts;
	double freeTime;
	double touchingTime;
	double target;
} PaperRow;

static const PaperRow s_rows[] = {
	{ "deer1748", 1748, 34, 13, 74.8, 123.8, 0.0 },
	{ "deer", 2755, 34, 41, 114.1, 160.4, 4.0 },
	{ "deer8408", 8408, 34, 162, 310.0, 449.7, 12.0 },
	{ "snake", 3102, 16, 28, 106.5, 140.6, 0.0 },
	{ "tube", 292, 2, 73, 9.5, 13.8, 0.0 },
	{ "tube5", 292, 5, 74, 14.6, 23.3, 0.0 },
};

typedef struct Stage
{
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
	supCollider* ball;
} Stage;

static void Build( Stage* stage, const char* model )
{
	supError error = { 0 };
	stage->character = supFindModel( model )->create( &error );
	benchRequire( stage->character != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodLayered;
	stage->flesh = supBuildFlesh( stage->character, &def, NULL, &error );
	benchRequire( stage->flesh != NULL, &error );
}

static void Enter( Stage* stage, const supTasks* tasks )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.tasks = tasks;
	def.sleeping = false;
	stage->scene = supCreateScene( &def, &error );
	benchRequire( stage->scene != NULL, &error );
	stage->actor = supScene_AddActor( stage->scene, stage->flesh, &error );
	benchRequire( stage->actor != NULL, &error );
}

static void Leave( Stage* stage )
{
	supDestroyScene( stage->scene );
	stage->scene = NULL;
	stage->ball = NULL;
}

// The highest vertex near the middle of the body: its back.
static supVec3 FindBack( const Stage* stage )
{
	const supVec3* p = supActor_Positions( stage->actor, 0 );
	supBox box = supBox_empty;
	int32_t count = stage->actor->surfaces[0].vertexCount;
	for ( int32_t i = 0; i < count; ++i )
	{
		box = supBox_Include( box, p[i] );
	}
	supVec3 size = supBox_Size( box ), middle = supScale( 0.5f, supAdd( box.lower, box.upper ) ), best = box.lower;
	for ( int32_t i = 0; i < count; ++i )
	{
		bool isNear = fabsf( p[i].x - middle.x ) < 0.1f * size.x + 0.05f && fabsf( p[i].z - middle.z ) < 0.1f * size.z;
		best = isNear && p[i].y > best.y ? p[i] : best;
	}
	return best;
}

// A ball that is pressed into the back as far as makes about as many contacts as the paper's row has.
static int32_t PressBall( Stage* stage, const PaperRow* row, const supTasks* tasks )
{
	int32_t contacts = 0;
	float radius = 0.12f;
	for ( float depth = 0.004f; depth < 0.1f && contacts < row->contacts; depth *= 1.25f )
	{
		if ( stage->scene != NULL )
		{
			Leave( stage );
		}
		Enter( stage, tasks );
		supVec3 back = FindBack( stage );
		supError error = { 0 };
		supColliderDef def = supDefaultColliderDef();
		def.shape = ( supShapeDef ){ .kind = sup_shapeSphere, .radius = radius };
		def.position = supAdd( back, supMakeVec3( 0.0f, radius - depth, 0.0f ) );
		stage->ball = supScene_AddCollider( stage->scene, &def, &error );
		benchRequire( stage->ball != NULL, &error );
		for ( int32_t i = 0; i < 20; ++i )
		{
			supScene_Step( stage->scene, DT );
		}
		supScene_Contacts( stage->scene, &contacts );
	}
	return contacts;
}

typedef struct Times
{
	double total;
	supPhaseTimes phases;
} Times;

// Median of steps; phases are means.
static Times Measure( Stage* stage )
{
	double values[STEPS];
	supPhaseTimes before = supScene_GetStats( stage->scene ).milliseconds;
	for ( int32_t i = 0; i < STEPS; ++i )
	{
		double start = benchNow();
		supScene_Step( stage->scene, DT );
		values[i] = 1e3 * ( benchNow() - start );
	}
	supPhaseTimes after = supScene_GetStats( stage->scene ).milliseconds;
	Times times = { .total = benchMedian( values, STEPS ) };
	times.phases = ( supPhaseTimes ){ .predict = ( after.predict - before.predict ) / STEPS,
									  .contacts = ( after.contacts - before.contacts ) / STEPS,
									  .finish = ( after.finish - before.finish + after.solve - before.solve ) / STEPS,
									  .surface = ( after.surface - before.surface ) / STEPS };
	return times;
}

static void MeasureRow( FILE* csv, const PaperRow* row )
{
	Stage stage = { 0 };
	Build( &stage, row->model );
	const supLayeredFlesh* own = stage.flesh->own;
	for ( int32_t threads = 1; threads <= 2; ++threads )
	{
		supThreadPool* pool = threads > 1 ? supCreateThreadPool( threads ) : NULL;
		const supTasks* tasks = pool != NULL ? supThreadPool_Tasks( pool ) : NULL;
		Enter( &stage, tasks );
		for ( int32_t i = 0; i < 5; ++i )
		{
			supScene_Step( stage.scene, DT );
		}
		Times alone = Measure( &stage );
		Leave( &stage );
		int32_t contacts = PressBall( &stage, row, tasks );
		Times touching = Measure( &stage );
		Leave( &stage );
		printf( "%-10s %6d %6d %8d %4d/%-4d %8.2f %7.1f %9.2f %7.1f   %7.2f %8.2f %7.2f %8.2f\n", row->model, threads,
				own->skin.nodeCount, own->links.count, contacts, row->contacts, alone.total, row->freeTime,
				touching.total, row->touchingTime, touching.phases.predict, touching.phases.contacts,
				touching.phases.finish, touching.phases.surface );
		char name[64];
		snprintf( name, sizeof( name ), "%s free", row->model );
		benchWriteCsv( csv, "layered", name, threads, alone.total, "ms" );
		snprintf( name, sizeof( name ), "%s touching", row->model );
		benchWriteCsv( csv, "layered", name, threads, touching.total, "ms" );
		supDestroyThreadPool( pool );
	}
	supDestroyFlesh( stage.flesh );
	supDestroyCharacter( stage.character );
}

// ---------------------------------------------------------------------------------------------------------------------
// The skin alone, one thread

typedef struct Solve
{
	const supLayeredRun* run;
	supBlockMatrix matrix;
	supBlockJacobi jacobi;
	double* b;
	double* x;
	double* scratch;
	int32_t iterations;
} Solve;

static void SolveDirectly( void* context )
{
	Solve* solve = context;
	memcpy( solve->x, solve->b, (size_t)solve->matrix.unknownCount * sizeof( double ) );
	supSkinStep_Solve( &solve->run->skinStep, solve->x, NULL );
}

static void SolveByGradients( void* context )
{
	Solve* solve = context;
	memset( solve->x, 0, (size_t)solve->matrix.unknownCount * sizeof( double ) );
	supGradientsDef def = { .unknownCount = solve->matrix.unknownCount,
							.apply = supApplyMatrix,
							.applyContext = &solve->matrix,
							.precondition = supApplyBlockJacobi,
							.preconditionContext = &solve->jacobi,
							.tolerance = 1e-4,
							.maxIterations = 1000 };
	solve->iterations = supSolveGradients( &def, solve->b, solve->x, solve->scratch ).iterations;
}

static void MeasureSolve( FILE* csv, const char* model )
{
	Stage stage = { 0 };
	supError error = { 0 };
	Build( &stage, model );
	Enter( &stage, NULL );
	supScene_Step( stage.scene, DT );
	supTrouble trouble = { 0 };
	supSubstep step = { .dt = DT, .parameters = stage.actor->parameters, .trouble = &trouble };
	supLayeredRun run = supLayered_Start( stage.flesh->own, stage.actor->state, &step );
	Solve solve = { .run = &run, .matrix = run.flesh->skin.stiffness };
	solve.matrix.values = run.view.skin.values;
	size_t count = (size_t)solve.matrix.unknownCount;
	solve.b = malloc( count * sizeof( double ) );
	solve.x = malloc( count * sizeof( double ) );
	solve.scratch = malloc( supGradientsScratchCount( (int32_t)count ) * sizeof( double ) );
	if ( solve.b == NULL || solve.x == NULL || solve.scratch == NULL )
	{
		exit( 1 );
	}
	for ( size_t i = 0; i < count; ++i )
	{
		solve.b[i] = 1e-3 * (double)( ( i * 7919 ) % 1000 ) - 0.5;
	}
	benchRequire( supBlockJacobi_Create( &solve.jacobi, &solve.matrix, &error ), &error );
	supBlockJacobi_Update( &solve.jacobi );
	double direct = 1e3 * benchTime( SolveDirectly, &solve, 9, 0.05 );
	double gradients = 1e3 * benchTime( SolveByGradients, &solve, 9, 0.05 );
	printf( "%-10s %8zu %10.3f %10.3f %6d rounds %6.1f\n", model, count, direct, gradients, solve.iterations,
			gradients / direct );
	benchWriteCsv( csv, "layered", model, 1, direct, "ms a solve" );
	benchWriteCsv( csv, "layered gradients", model, 1, gradients, "ms a solve" );
	supBlockJacobi_Destroy( &solve.jacobi );
	free( solve.b );
	free( solve.x );
	free( solve.scratch );
	Leave( &stage );
	supDestroyFlesh( stage.flesh );
	supDestroyCharacter( stage.character );
}

int main( int argumentCount, char** arguments )
{
	FILE* csv = benchOpenCsv( argumentCount, arguments );
	char processor[128];
	benchProcessor( processor );
	printf( "%s, %s, milliseconds a step of 1/60 s; paper: Pentium 4, 3.4 GHz\n\n", processor, benchInstructionSet() );
	printf( "%-10s %6s %6s %8s %9s %8s %7s %9s %7s   %7s %8s %7s %8s\n", "", "", "", "", "contacts", "free", "paper",
			"touching", "paper", "of that", "contact", "", "" );
	printf( "%-10s %6s %6s %8s %9s %8s %7s %9s %7s   %7s %8s %7s %8s\n", "model", "thread", "nodes", "links",
			"here/pap.", "", "", "", "", "predict", "answers", "finish", "surface" );
	for ( size_t i = 0; i < sizeof( s_rows ) / sizeof( s_rows[0] ); ++i )
	{
		MeasureRow( csv, s_rows + i );
	}
	printf(
		"\nskin, one solve: direct against conjugate gradients with its diagonal blocks to 1e-4 (paper: 4 times)\n" );
	printf( "%-10s %8s %10s %10s %13s %6s\n", "model", "unknowns", "direct", "gradients", "", "ratio" );
	MeasureSolve( csv, "deer" );
	MeasureSolve( csv, "deer8408" );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
