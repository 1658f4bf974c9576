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

// Pentium 4 at 3.4 GHz; milliseconds a frame without and with contact.
typedef struct PaperRow
{
	const char* model;
	int32_t nodes;
	int32_t bones;
	int32_t contacts;
	double freeTime;
	double touchingTime;
	// how deep a ball is pressed in, to begin with, m; 0: it lies between boards, which touch it all along
	float depth;
} PaperRow;

static const PaperRow s_rows[] = {
	{ "deer1748", 1748, 34, 13, 74.8, 123.8, 0.02f },
	{ "deer", 2755, 34, 41, 114.1, 160.4, 0.02f },
	{ "deer8408", 8408, 34, 162, 310.0, 449.7, 0.036f },
	{ "snake3102", 3102, 16, 28, 106.5, 140.6, 0.02f },
	{ "tube", 292, 2, 73, 9.5, 13.8, 0.0f },
	{ "tube5", 292, 5, 74, 14.6, 23.3, 0.0f },
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

// What touches a body: a ball on its back, or with radius 0 two boards, one on each side of it; in to a depth,
// and put off along it.
typedef struct Press
{
	float radius;
	float depth;
	float along;
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
static void AddBoards( Stage* stage, Press press )
{
	supBox box = FindBounds( stage );
	supVec3 half = supScale( 0.5f, supBox_Size( box ) ), middle = supScale( 0.5f, supAdd( box.lower, box.upper ) );
	bool isFlat = half.y <= half.x && half.y <= half.z, isNarrow = half.x <= half.z;
	supVec3 axis = supMakeVec3( isFlat == false && isNarrow, isFlat, isFlat == false && isNarrow == false );
	for ( int32_t side = -1; side <= 1; side += 2 )
	{
		float reach = supDot( axis, half );
		supVec3 away = supScale( (float)side * ( 2.0f * reach - press.depth ), axis );
		away = supAdd( away, half.x > half.z ? supMakeVec3( press.along, 0.0f, 0.0f )
											 : supMakeVec3( 0.0f, 0.0f, press.along ) );
		AddShape( stage, ( supShapeDef ){ .kind = sup_shapeBox, .halfExtents = half }, supAdd( middle, away ) );
	}
}

// Two thirds of a second later it has come to rest.
static void PressInto( Stage* stage, Press press, const supTasks* tasks )
{
	Enter( stage, tasks );
	if ( press.radius > 0.0f )
	{
		AddShape( stage, ( supShapeDef ){ .kind = sup_shapeSphere, .radius = press.radius },
				  supAdd( FindBack( stage ), supMakeVec3( 0.0f, press.radius - press.depth, press.along ) ) );
	}
	else
	{
		AddBoards( stage, press );
	}
	for ( int32_t i = 0; i < 40; ++i )
	{
		supScene_Step( stage->scene, DT );
	}
}

// The most contacts in the steps that are going to be measured; a few of them are enough where that is not what is
// wanted.
static int32_t CountContacts( Stage* stage, Press press, int32_t wanted )
{
	int32_t most = 0;
	PressInto( stage, press, NULL );
	for ( int32_t i = 0; i < STEPS && ( i < 10 || most == wanted ); ++i )
	{
		int32_t count;
		supScene_Step( stage->scene, DT );
		supScene_Contacts( stage->scene, &count );
		most = count > most ? count : most;
	}
	Leave( stage );
	return most;
}

// A larger ball has more contacts, and boards that are in deeper; a body gives way to what is pressed into it farther
// than its skin goes. `part` is the way from little to much, and `try` makes presses different.
static Press MakePress( const PaperRow* row, int32_t try, float part )
{
	if ( row->depth == 0.0f )
	{
		return ( Press ){ .depth = supLerpFloat( 0.001f, 0.04f, part ), .along = 0.05f * (float)try };
	}
	return ( Press ){ .radius = supLerpFloat( 0.05f, 0.30f, part ), .depth = row->depth + 0.002f * (float)try };
}

typedef struct Best
{
	Press press;
	int32_t contacts;
} Best;

static int32_t Try( Stage* stage, const PaperRow* row, Press press, Best* best )
{
	int32_t count = CountContacts( stage, press, row->contacts );
	if ( abs( count - row->contacts ) < abs( best->contacts - row->contacts ) )
	{
		*best = ( Best ){ press, count };
	}
	return count;
}

// What has as many contacts as the paper's row, or as nearly as was found: by halves first, then nearby, since a few
// contacts come and go.
static Press FindPress( Stage* stage, const PaperRow* row )
{
	Best best = { 0 };
	for ( int32_t try = 0; try < 8 && best.contacts != row->contacts; ++try )
	{
		float lower = 0.0f, upper = 1.0f;
		for ( int32_t round = 0; round < 9 && best.contacts != row->contacts; ++round )
		{
			float part = 0.5f * ( lower + upper );
			bool isMore = Try( stage, row, MakePress( row, try, part ), &best ) > row->contacts;
			lower = isMore ? lower : part;
			upper = isMore ? part : upper;
		}
	}
	Press middle = best.press;
	for ( int32_t n = 12; n < 48 && best.contacts != row->contacts; ++n )
	{
		Press press = middle;
		float change = 1.0f + 0.002f * (float)( n / 12 ) * ( n % 2 == 0 ? 1.0f : -1.0f );
		press.along += 0.001f * (float)( 1 + n / 2 % 6 );
		press.radius *= change;
		press.depth *= row->depth > 0.0f ? 1.0f : change;
		Try( stage, row, press, &best );
	}
	return best.press;
}

typedef struct Times
{
	double total;
	double stages[SUP_MAX_STAGES + 1]; // the last is detection
	int32_t contacts;
} Times;

// What has passed since the clocks were last looked at: of each stage, and of detection in the end.
static void TakeStages( const Stage* stage, supStageTimes* stages, double* contacts, double out[SUP_MAX_STAGES + 1] )
{
	double now = supScene_GetStats( stage->scene ).milliseconds.contacts;
	out[SUP_MAX_STAGES] = now - *contacts;
	*contacts = now;
	for ( int32_t i = 0; i < SUP_MAX_STAGES; ++i )
	{
		out[i] = stages->milliseconds[i];
		out[SUP_MAX_STAGES] -= i >= sup_stageTouchSetup ? out[i] : 0.0;
		stages->milliseconds[i] = 0.0;
	}
}

// Medians of steps, and the most contacts.
static Times Measure( Stage* stage )
{
	double totals[STEPS], parts[SUP_MAX_STAGES + 1][STEPS], part[SUP_MAX_STAGES + 1];
	supStageTimes stages = { 0 };
	Times times = { 0 };
	double contacts = supScene_GetStats( stage->scene ).milliseconds.contacts;
	stage->actor->stages = &stages;
	for ( int32_t i = 0; i < STEPS; ++i )
	{
		double start = benchNow();
		supScene_Step( stage->scene, DT );
		totals[i] = 1e3 * ( benchNow() - start );
		int32_t count;
		supScene_Contacts( stage->scene, &count );
		times.contacts = count > times.contacts ? count : times.contacts;
		TakeStages( stage, &stages, &contacts, part );
		for ( int32_t k = 0; k <= SUP_MAX_STAGES; ++k )
		{
			parts[k][i] = part[k];
		}
	}
	stage->actor->stages = NULL;
	times.total = benchMedian( totals, STEPS );
	for ( int32_t k = 0; k <= SUP_MAX_STAGES; ++k )
	{
		times.stages[k] = benchMedian( parts[k], STEPS );
	}
	return times;
}

static void WriteTotal( FILE* csv, const PaperRow* row, const char* what, int32_t threads, double total )
{
	char name[64];
	snprintf( name, sizeof( name ), "%s %s", row->model, what );
	benchWriteCsv( csv, "layered", name, threads, total, "ms" );
}

static void MeasureRow( FILE* csv, const PaperRow* row )
{
	Stage stage = { 0 };
	Build( &stage, row->model );
	const supLayeredFlesh* own = stage.flesh->own;
	Press press = FindPress( &stage, row );
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
		PressInto( &stage, press, tasks );
		Times times = Measure( &stage );
		Leave( &stage );
		const double* s = times.stages;
		printf(
			"| %-9s | %d | %4d | %2d | %3d | %5.2f | %5.2f | %5.2f | %5.2f | %5.2f | %5.2f | %5.2f | %5.2f | %5.1f | %5.2f | "
			"%5.1f |\n",
			row->model, threads, own->skin.nodeCount, own->links.count, times.contacts, s[sup_stageFreeSetup],
			s[sup_stageFreeBones], s[sup_stageFreeSkin], s[SUP_MAX_STAGES], s[sup_stageTouchSetup],
			s[sup_stageTouchBones], s[sup_stageTouchSkin], alone.total, row->freeTime, times.total, row->touchingTime );
		WriteTotal( csv, row, "free", threads, alone.total );
		WriteTotal( csv, row, "touching", threads, times.total );
		supDestroyThreadPool( pool );
	}
	if ( own->skin.nodeCount != row->nodes || own->links.count != row->bones )
	{
		printf( "the paper has %d nodes and %d bones\n", row->nodes, row->bones );
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
						.shared = stage.actor->shared->own,
						.trouble = &trouble };
	supLayeredRun run = supLayered_Start( stage.flesh->own, stage.actor->state, &step );
	Solve solve = { .run = &run, .matrix = run.flesh->skin.stiffness };
	solve.matrix.values = malloc( (size_t)solve.matrix.blockStarts[solve.matrix.blockCount] * sizeof( double ) );
	size_t count = (size_t)solve.matrix.unknownCount;
	solve.b = malloc( count * sizeof( double ) );
	solve.x = malloc( count * sizeof( double ) );
	solve.scratch = malloc( supGradientsScratchCount( (int32_t)count ) * sizeof( double ) );
	if ( solve.b == NULL || solve.x == NULL || solve.scratch == NULL || solve.matrix.values == NULL )
	{
		exit( 1 );
	}
	supSkinStep_FillSystem( &run.skinStep, solve.matrix.values );
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
	free( solve.matrix.values );
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

#define SWEEP 7

// A curve, what it is as a straight line, and the same as a curve of its own.
static void FinishSweep( FILE* csv, const char* plot, const char* of, const double* x, const double* y )
{
	benchLine line = benchFitLine( x, y, SWEEP );
	char name[64], series[96];
	snprintf( name, sizeof( name ), "%.2f ms + %.2f us each", line.fixed, 1e3 * line.each );
	snprintf( series, sizeof( series ), "line: %s", name );
	for ( int32_t i = 0; i < SWEEP; ++i )
	{
		benchWritePoint( csv, plot, "measured", 1, x[i], of, y[i], "ms" );
		benchWritePoint( csv, plot, series, 1, x[i], of, line.fixed + line.each * x[i], "ms" );
		printf( "%8.0f %10.3f ms, as a line %10.3f\n", x[i], y[i], line.fixed + line.each * x[i] );
	}
	printf( "   %s, off by %.0f %% at most; exponent %.2f, of the last three %.2f\n", name, 100.0 * line.off,
			benchFitSlope( x, y, SWEEP ), benchFitSlope( x + SWEEP - 3, y + SWEEP - 3, 3 ) );
}

// Phases 5 to 7 for m touches all over a body of 3202 nodes and 16 links.
static void SweepContacts( FILE* csv )
{
	double x[SWEEP], y[SWEEP];
	Stage stage = { 0 };
	EnterChain( &stage, 16, 100, 32 );
	supScene_Step( stage.scene, DT );
	supTrouble trouble = { 0 };
	supSubstep step = { .dt = DT,
						.parameters = stage.actor->parameters,
						.jointStrengths = stage.actor->jointStrengths,
						.shared = stage.actor->shared->own,
						.trouble = &trouble };
	supLayeredRun run = supLayered_Start( stage.flesh->own, stage.actor->state, &step );
	printf( "\ncontacts, phases 5 to 7 (%d nodes, %d links)\n", run.flesh->skin.nodeCount, run.flesh->links.count );
	for ( int32_t i = 0; i < SWEEP; ++i )
	{
		Response response = { &run, 32 << i };
		x[i] = response.count;
		y[i] = 1e3 * benchTime( AnswerTouches, &response, 9, 0.02 );
		printf( "%8d contacts take %d rounds until no touch changes\n", response.count, run.view.header->rounds );
	}
	FinishSweep( csv, "layered_contacts", "contacts", x, y );
	FreeStage( &stage );
}

// At 16 links the skin is nearly all of it: there are enough of them in the end to cost as much.
static void SweepLinks( FILE* csv )
{
	double x[SWEEP], y[SWEEP];
	printf( "\nlinks, a step (8202 nodes)\n" );
	for ( int32_t i = 0; i < SWEEP; ++i )
	{
		Stage stage = { 0 };
		EnterChain( &stage, 16 << i, 1025, 8 );
		x[i] = ( (const supLayeredFlesh*)stage.flesh->own )->links.count;
		y[i] = TimeSteps( &stage );
		FreeStage( &stage );
	}
	FinishSweep( csv, "layered_links", "links", x, y );
}

static void SweepNodes( FILE* csv )
{
	double x[SWEEP], y[SWEEP];
	printf( "\nnodes, a step (16 links)\n" );
	for ( int32_t i = 0; i < SWEEP; ++i )
	{
		Stage stage = { 0 };
		EnterChain( &stage, 16, 25 << i, 16 );
		x[i] = ( (const supLayeredFlesh*)stage.flesh->own )->skin.nodeCount;
		y[i] = TimeSteps( &stage );
		FreeStage( &stage );
	}
	FinishSweep( csv, "layered_nodes", "nodes", x, y );
}

// ---------------------------------------------------------------------------------------------------------------------
// What it is worth

static supLayeredRun StartRun( const Stage* stage, supTrouble* trouble )
{
	supSubstep step = { .dt = DT,
						.parameters = stage->actor->parameters,
						.jointStrengths = stage->actor->jointStrengths,
						.shared = stage->actor->shared->own,
						.trouble = trouble };
	return supLayered_Start( stage->flesh->own, stage->actor->state, &step );
}

// Over what it falls onto within a second, every tenth of it: the worst of the condensed matrix that contacts are
// answered with, and means of the skeleton's answers.
static void MeasureLimpAnswers( Stage* stage )
{
	double matrix = 0.0, sums[4] = { 0.0, 0.0, 0.0, 0.0 };
	int32_t count = 0;
	supBox box = FindBounds( stage );
	supVec3 middle = supScale( 0.5f, supAdd( box.lower, box.upper ) ), half = supScale( 4.0f, supBox_Size( box ) );
	AddShape( stage, ( supShapeDef ){ .kind = sup_shapeBox, .halfExtents = half },
			  supMakeVec3( middle.x, box.lower.y - 0.01f - half.y, middle.z ) );
	for ( int32_t i = 1; i <= 60; ++i )
	{
		supTrouble trouble = { 0 };
		supScene_Step( stage->scene, DT );
		supLayeredRun run = StartRun( stage, &trouble );
		testAnswerErrors paper, error = { 0, -1.0, -1.0 };
		if ( i % 6 == 0 )
		{
			error = testMeasureAnswer( &run, &paper );
		}
		if ( error.all >= 0.0 )
		{
			const double errors[4] = { error.skeleton, paper.skeleton, error.all, paper.all };
			for ( int32_t k = 0; k < 4; ++k )
			{
				sums[k] += errors[k];
			}
			matrix = fmax( matrix, testCondensedError( &run, run.view.compliances ) );
			count += 1;
		}
	}
	double scale = count > 0 ? 100.0 / count : 0.0;
	printf( " %9.2f %% %9.2f %% %9.2f %% %9.2f %% %9.2f %%", 100.0 * matrix, scale * sums[0], scale * sums[1],
			scale * sums[2], scale * sums[3] );
}

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
		supLayeredRun run = StartRun( &stage, &trouble );
		printf( " %9.2f %% %9.2f %%", 100.0 * testCondensedError( &run, run.view.smooth ),
				100.0 * testCondensedError( &run, run.view.softest ) );
		if ( limp == 1 )
		{
			MeasureLimpAnswers( &stage );
		}
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
	printf(
		"Table 1: stages of a step with contact, and whole steps without and with; medians. Targets on two threads,\n"
		"touching: deer 4 ms, deer8408 12 ms\n"
		"| | threads | nodes | bones | contacts | free: setup | bones | skin | detection | contact: setup | bones | skin |"
		" free | paper | touching | paper |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n" );
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
	printf(
		"\nerror of the condensed matrix in the spectral norm (paper: below 10 %%); limp and falling onto a floor: of "
		"that which contacts are answered with, of the skeleton's answer by energy, and the same with one block a "
		"touch\n" );
	printf( "%-10s %11s %11s %11s %11s %11s %11s %11s %11s %11s\n", "model", "on its clip", "paper's", "limp",
			"paper's", "contacts", "answer", "paper's", "blocks", "paper's" );
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
