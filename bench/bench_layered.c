// SPDX-License-Identifier: MIT
// Table 1 of the paper on soft articulated characters: a step free of contact and one with something pressed into
// the skin, split as the scene runs it; the error of the condensed matrix; cost over nodes, links and contacts; the
// skin solved directly and by conjugate gradients; and how well a clip is followed at 30 frames a second.
#include "bench.h"

#include "chain.h"
#include "layered_norm.h"

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
	{ "snake3102", 3102, 16, 28, 106.5, 140.6, 0.0 },
	{ "tube", 292, 2, 73, 9.5, 13.8, 0.0 },
	{ "tube5", 292, 5, 74, 14.6, 23.3, 0.0 },
};

typedef struct Stage
{
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
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
}

static supBox FindBounds( const Stage* stage )
{
	const supVec3* p = supActor_Positions( stage->actor, 0 );
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < stage->actor->surfaces[0].vertexCount; ++i )
	{
		box = supBox_Include( box, p[i] );
	}
	return box;
}

// The highest vertex near the middle of the body: its back.
static supVec3 FindBack( const Stage* stage )
{
	const supVec3* p = supActor_Positions( stage->actor, 0 );
	supBox box = FindBounds( stage );
	supVec3 size = supBox_Size( box ), middle = supScale( 0.5f, supAdd( box.lower, box.upper ) ), best = box.lower;
	for ( int32_t i = 0; i < stage->actor->surfaces[0].vertexCount; ++i )
	{
		bool isNear = fabsf( p[i].x - middle.x ) < 0.1f * size.x + 0.05f && fabsf( p[i].z - middle.z ) < 0.1f * size.z;
		best = isNear && p[i].y > best.y ? p[i] : best;
	}
	return best;
}

// What touches a body: a ball on its back, or with radius 0 two boards, one on each side of it.
typedef struct Press
{
	float radius;
	float depth;
} Press;

static void AddShape( Stage* stage, supShapeDef shape, supVec3 position )
{
	supError error = { 0 };
	supColliderDef def = supDefaultColliderDef();
	def.shape = shape;
	def.position = position;
	benchRequire( supScene_AddCollider( stage->scene, &def, &error ) != NULL, &error );
}

// As long and wide as the body, across where it is thinnest.
static void AddBoards( Stage* stage, float depth )
{
	supBox box = FindBounds( stage );
	supVec3 half = supScale( 0.5f, supBox_Size( box ) ), middle = supScale( 0.5f, supAdd( box.lower, box.upper ) );
	bool isFlat = half.y <= half.x && half.y <= half.z, isNarrow = half.x <= half.z;
	supVec3 axis = supMakeVec3( isFlat == false && isNarrow, isFlat, isFlat == false && isNarrow == false );
	for ( int32_t side = -1; side <= 1; side += 2 )
	{
		float reach = supDot( axis, half );
		supVec3 away = supScale( (float)side * ( 2.0f * reach - depth ), axis );
		AddShape( stage, ( supShapeDef ){ .kind = sup_shapeBox, .halfExtents = half }, supAdd( middle, away ) );
	}
}

// The contacts that there are after a third of a second.
static int32_t PressInto( Stage* stage, Press press, const supTasks* tasks )
{
	if ( stage->scene != NULL )
	{
		Leave( stage );
	}
	Enter( stage, tasks );
	if ( press.radius > 0.0f )
	{
		AddShape( stage, ( supShapeDef ){ .kind = sup_shapeSphere, .radius = press.radius },
				  supAdd( FindBack( stage ), supMakeVec3( 0.0f, press.radius - press.depth, 0.0f ) ) );
	}
	else
	{
		AddBoards( stage, press.depth );
	}
	for ( int32_t i = 0; i < 20; ++i )
	{
		supScene_Step( stage->scene, DT );
	}
	int32_t contacts;
	supScene_Contacts( stage->scene, &contacts );
	return contacts;
}

// What has about as many contacts as the paper's row. A body gives way to what is pressed into it farther than its skin
// goes, so that a larger ball is tried as well as a deeper one; what touches all along a body are boards.
static int32_t PressBest( Stage* stage, const PaperRow* row, const supTasks* tasks )
{
	Press best = { 0 };
	int32_t bestMiss = INT32_MAX;
	for ( int32_t round = 0; round < 60 && bestMiss > row->contacts / 20; ++round )
	{
		Press press = { 0.12f + 0.06f * (float)( round / 8 ), 0.004f * (float)( 1 + round % 8 ) };
		if ( round >= 40 )
		{
			press = ( Press ){ 0.0f, 0.002f * (float)( round - 39 ) };
		}
		int32_t miss = abs( PressInto( stage, press, tasks ) - row->contacts );
		if ( miss < bestMiss )
		{
			bestMiss = miss;
			best = press;
		}
	}
	return PressInto( stage, best, tasks );
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
		int32_t contacts = PressBest( &stage, row, tasks );
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
	supSubstep step = { .dt = DT,
						.parameters = stage.actor->parameters,
						.jointStrengths = stage.actor->jointStrengths,
						.trouble = &trouble };
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

// ---------------------------------------------------------------------------------------------------------------------
// Cost over nodes, links and contacts, one thread

#define STEP_ROUNDS 15

static double TimeSteps( Stage* stage )
{
	double values[STEP_ROUNDS];
	for ( int32_t i = 0; i < 3; ++i )
	{
		supScene_Step( stage->scene, DT );
	}
	for ( int32_t i = 0; i < STEP_ROUNDS; ++i )
	{
		double start = benchNow();
		supScene_Step( stage->scene, DT );
		values[i] = 1e3 * ( benchNow() - start );
	}
	return benchMedian( values, STEP_ROUNDS );
}

static void EnterChain( Stage* stage, int32_t bones, int32_t rings, int32_t segments )
{
	supError error = { 0 };
	testChain chain = {
		.boneCount = bones, .boneLength = 3.0f / (float)bones, .segments = segments, .rings = rings, .everySo = 1
	};
	stage->character = testMakeChain( &chain, &error );
	benchRequire( stage->character != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodLayered;
	stage->flesh = supBuildFlesh( stage->character, &def, NULL, &error );
	benchRequire( stage->flesh != NULL, &error );
	Enter( stage, NULL );
}

static void FreeStage( Stage* stage )
{
	Leave( stage );
	supDestroyFlesh( stage->flesh );
	supDestroyCharacter( stage->character );
}

typedef struct Response
{
	supLayeredRun* run;
	int32_t count;
} Response;

static void AnswerTouches( void* context )
{
	Response* response = context;
	supLayeredRun* run = response->run;
	const supLayeredFlesh* flesh = run->flesh;
	for ( int32_t i = 0; i < response->count; ++i )
	{
		run->view.touches[i] =
			( supNodeTouch ){ .node = (int32_t)( (int64_t)i * flesh->skin.nodeCount / response->count ),
							  .normal = { 0.0, 1.0, 0.0 },
							  .velocity = { 0.0, 0.1, 0.0 },
							  .friction = 0.5 };
	}
	supContactParty party = { .work = run };
	run->view.header->touchCount = response->count;
	supLayered_Respond( &party, 1 );
	memcpy( run->view.links, run->view.freeLinks, (size_t)flesh->links.count * sizeof( supLinkState ) );
	memcpy( run->view.v, run->view.freeV, 3 * (size_t)flesh->skin.nodeCount * sizeof( double ) );
}

// Phases 5 to 7 for m touches all over a body of 3202 nodes and 16 links.
static void SweepContacts( FILE* csv )
{
	const int32_t counts[6] = { 32, 64, 128, 256, 512, 1024 };
	double x[6], y[6];
	Stage stage = { 0 };
	EnterChain( &stage, 16, 100, 32 );
	supScene_Step( stage.scene, DT );
	supTrouble trouble = { 0 };
	supSubstep step = { .dt = DT,
						.parameters = stage.actor->parameters,
						.jointStrengths = stage.actor->jointStrengths,
						.trouble = &trouble };
	supLayeredRun run = supLayered_Start( stage.flesh->own, stage.actor->state, &step );
	printf( "\ncontacts, phases 5 to 7 (%d nodes, %d links)\n", run.flesh->skin.nodeCount, run.flesh->links.count );
	for ( int32_t i = 0; i < 6; ++i )
	{
		Response response = { &run, counts[i] };
		x[i] = counts[i];
		y[i] = 1e3 * benchTime( AnswerTouches, &response, 9, 0.02 );
		printf( "%8d %10.3f ms\n", counts[i], y[i] );
		benchWritePoint( csv, "layered_contacts", "phases 5 to 7", 1, x[i], "contacts", y[i], "ms" );
	}
	printf( "   slope %.2f, of the upper half %.2f\n", benchFitSlope( x, y, 6 ), benchFitSlope( x + 3, y + 3, 3 ) );
	FreeStage( &stage );
}

static void SweepLinks( FILE* csv )
{
	const int32_t counts[6] = { 4, 8, 16, 32, 64, 128 };
	double x[6], y[6];
	printf( "\nlinks, a step (3202 nodes)\n" );
	for ( int32_t i = 0; i < 6; ++i )
	{
		Stage stage = { 0 };
		EnterChain( &stage, counts[i], 400, 8 );
		x[i] = counts[i];
		y[i] = TimeSteps( &stage );
		printf( "%8d %10.3f ms\n", counts[i], y[i] );
		benchWritePoint( csv, "layered_links", "a step", 1, x[i], "links", y[i], "ms" );
		FreeStage( &stage );
	}
	printf( "   slope %.2f, of the upper half %.2f\n", benchFitSlope( x, y, 6 ), benchFitSlope( x + 3, y + 3, 3 ) );
}

static void SweepNodes( FILE* csv )
{
	const int32_t rings[6] = { 25, 50, 100, 200, 400, 800 };
	double x[6], y[6];
	printf( "\nnodes, a step (16 links)\n" );
	for ( int32_t i = 0; i < 6; ++i )
	{
		Stage stage = { 0 };
		EnterChain( &stage, 16, rings[i], 16 );
		x[i] = ( (const supLayeredFlesh*)stage.flesh->own )->skin.nodeCount;
		y[i] = TimeSteps( &stage );
		printf( "%8.0f %10.3f ms\n", x[i], y[i] );
		benchWritePoint( csv, "layered_nodes", "a step", 1, x[i], "nodes", y[i], "ms" );
		FreeStage( &stage );
	}
	printf( "   slope %.2f, of the upper half %.2f\n", benchFitSlope( x, y, 6 ), benchFitSlope( x + 3, y + 3, 3 ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// What it is worth

static void MeasureNorm( const char* model )
{
	Stage stage = { 0 };
	Build( &stage, model );
	printf( "%-10s", model );
	for ( int32_t limp = 0; limp < 2; ++limp )
	{
		Enter( &stage, NULL );
		supActor_SetParameter( stage.actor, sup_layeredStrength, limp == 0 ? 1.0f : 0.0f );
		supActor_SetParameter( stage.actor, sup_layeredRoot, limp == 0 ? 1.0f : 0.0f );
		supScene_Step( stage.scene, DT );
		supTrouble trouble = { 0 };
		supSubstep step = { .dt = DT,
							.parameters = stage.actor->parameters,
							.jointStrengths = stage.actor->jointStrengths,
							.trouble = &trouble };
		supLayeredRun run = supLayered_Start( stage.flesh->own, stage.actor->state, &step );
		printf( " %9.2f %% %9.2f %%", 100.0 * testCondensedError( &run, run.view.smooth ),
				100.0 * testCondensedError( &run, run.view.softest ) );
		Leave( &stage );
	}
	printf( "\n" );
	supDestroyFlesh( stage.flesh );
	supDestroyCharacter( stage.character );
}

static double JointAngle( const supQuatd a, const supQuatd parentA, const supQuatd b, const supQuatd parentB )
{
	supQuatd first = supMulQuatd( supConjugateQuatd( parentA ), a ),
			 second = supMulQuatd( supConjugateQuatd( parentB ), b );
	return supLengthVec3d( supLogQuatd( supMulQuatd( supConjugateQuatd( first ), second ) ) );
}

// Every clip of a character at 30 frames a second, one step each: how far joints are from where the clip has them.
static void MeasureFollowing( const char* model )
{
	Stage stage = { 0 };
	Build( &stage, model );
	const supLinks* links = &( (const supLayeredFlesh*)stage.flesh->own )->links;
	for ( int32_t c = 0; c < supCharacter_ClipCount( stage.character ); ++c )
	{
		const supClip* clip = supCharacter_Clip( stage.character, c );
		int32_t frames = (int32_t)( 30.0f * ( clip->end - clip->start ) ), count = 0;
		double worst = 0.0, sum = 0.0, fastest = 0.0;
		Enter( &stage, NULL );
		supPose_ApplyClip( supActor_Pose( stage.actor ), clip, clip->start );
		supActor_Reset( stage.actor );
		for ( int32_t i = 1; i <= frames && i <= 60; ++i )
		{
			supPose_ApplyClip( supActor_Pose( stage.actor ), clip, clip->start + (float)i / 30.0f );
			supScene_Step( stage.scene, 1.0f / 30.0f );
			supLayeredView view = supLayered_View( stage.flesh->own, stage.actor->state );
			for ( int32_t k = 0; k < links->count; ++k )
			{
				int32_t p = links->links[k].parent >= 0 ? links->links[k].parent : k;
				double error = JointAngle( view.links[k].rotation, view.links[p].rotation, view.targets[k].rotation,
										   view.targets[p].rotation );
				double turn = JointAngle( view.oldTargets[k].rotation, view.oldTargets[p].rotation,
										  view.targets[k].rotation, view.targets[p].rotation );
				worst = fmax( worst, error );
				fastest = fmax( fastest, turn );
				sum += error;
				count += 1;
			}
		}
		printf( "%-10s %-14s %9.3f %9.4f %9.5f\n", model, clip->name, fastest, worst, count > 0 ? sum / count : 0.0 );
		Leave( &stage );
	}
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
	SweepContacts( csv );
	SweepLinks( csv );
	SweepNodes( csv );
	printf( "\nerror of the condensed matrix in the spectral norm (paper: below 10 %%)\n" );
	printf( "%-10s %11s %11s %11s %11s\n", "model", "on its clip", "paper's", "limp", "paper's" );
	for ( size_t i = 0; i < sizeof( s_rows ) / sizeof( s_rows[0] ); ++i )
	{
		MeasureNorm( s_rows[i].model );
	}
	printf( "\njoints at 30 frames a second, one step each: most turn a frame, and distance to the clip, radians\n" );
	printf( "%-10s %-14s %9s %9s %9s\n", "model", "clip", "turn", "worst", "mean" );
	MeasureFollowing( "bunny" );
	if ( csv != NULL )
	{
		fclose( csv );
	}
	return 0;
}
