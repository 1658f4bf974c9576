// SPDX-License-Identifier: MIT
// The method `layered`: its equations against finite differences, conservation and dense solutions.
#include "support.h"

#include "core/hash.h"
#include "linear/dense.h"
#include "method/layered/layered.h"
#include "models/models.h"
#include "scene/actor.h"

#include <stdlib.h>

#define DT ( 1.0f / 60.0f )

typedef struct Stage
{
	supCharacter* character;
	supFlesh* flesh;
	const supLayeredFlesh* own;
	supScene* scene;
	supActor* actor;
} Stage;

static Stage s_tube;

static void BuildStage( Stage* stage, const char* model, const supSetting* settings, int32_t count )
{
	supError error = { 0 };
	stage->character = supFindModel( model )->create( &error );
	testRequire( stage->character != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	def.settings = settings;
	def.settingCount = count;
	stage->flesh = supBuildFleshWith( stage->character, &supMethod_layered, &def, NULL, &error );
	testRequire( stage->flesh != NULL, &error );
	stage->own = stage->flesh->own;
}

static void Enter( Stage* stage, supVec3 gravity, const supTasks* tasks )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.gravity = gravity;
	def.tasks = tasks;
	stage->scene = supCreateScene( &def, &error );
	testRequire( stage->scene != NULL, &error );
	stage->actor = supScene_AddActor( stage->scene, stage->flesh, &error );
	testRequire( stage->actor != NULL, &error );
}

static void Leave( Stage* stage )
{
	supDestroyScene( stage->scene );
	stage->scene = NULL;
}

static void FreeStage( Stage* stage )
{
	supDestroyFlesh( stage->flesh );
	supDestroyCharacter( stage->character );
}

static void Set( Stage* stage, const char* name, float value )
{
	int32_t parameter = -1;
	for ( int32_t i = 0; i < supMethod_layered.parameterCount; ++i )
	{
		parameter = strcmp( supMethod_layered.parameters[i].name, name ) == 0 ? i : parameter;
	}
	assert_true( parameter >= 0 );
	supActor_SetParameter( stage->actor, parameter, value );
}

// A ragdoll: nothing holds it.
static void LetGo( Stage* stage )
{
	Set( stage, "strength", 0.0f );
	Set( stage, "root", 0.0f );
	Set( stage, "joint.damping", 0.0f );
}

static int BuildTube( void** state )
{
	(void)state;
	const supSetting settings[] = { { "drag", 0.0f }, { "joints", 1.0f } };
	BuildStage( &s_tube, "tube5", settings, 2 );
	return 0;
}

static int FreeTube( void** state )
{
	(void)state;
	FreeStage( &s_tube );
	return 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Kinematics

typedef struct Momentum
{
	double mass;
	supVec3d linear;
	supVec3d angular;
	supVec3d center;
} Momentum;

// Of links, and of nodes split among the links that they ride on.
static Momentum MeasureMomentum( const Stage* stage )
{
	const supLayeredFlesh* flesh = stage->own;
	supLayeredView view = supLayered_View( flesh, stage->actor->state );
	Momentum sum = { 0 };
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		const supLink* link = flesh->links.links + i;
		const supLinkState* state = view.links + i;
		supMat3d r = supMakeMat3dQuat( state->rotation );
		supVec3d spin = supMulMat3dVec( &r, supMulMat3dVec( &link->inertia, state->spin ) );
		supVec3d p = supScaleVec3d( link->mass, state->velocity );
		sum.mass += link->mass;
		sum.linear = supAddVec3d( sum.linear, p );
		sum.angular = supAddVec3d( sum.angular, supAddVec3d( spin, supCrossVec3d( state->center, p ) ) );
		sum.center = supMulAddVec3d( sum.center, link->mass, state->center );
		for ( int32_t k = flesh->linkStarts[i]; k < flesh->linkStarts[i + 1]; ++k )
		{
			int32_t a = flesh->linkNodes[k];
			double m = flesh->skin.masses[a] * flesh->linkWeights[k];
			supVec3d arm = supLayered_Arm( flesh, view.q, a, i );
			supVec3d inner = supAddVec3d( supCrossVec3d( state->spin, arm ), supLoadVec3d( view.v + 3 * a ) );
			supVec3d mv = supScaleVec3d( m, supAddVec3d( state->velocity, supMulMat3dVec( &r, inner ) ) );
			supVec3d x = supAddVec3d( state->center, supMulMat3dVec( &r, arm ) );
			sum.mass += m;
			sum.linear = supAddVec3d( sum.linear, mv );
			sum.angular = supAddVec3d( sum.angular, supCrossVec3d( x, mv ) );
			sum.center = supMulAddVec3d( sum.center, m, x );
		}
	}
	sum.center = supScaleVec3d( 1.0 / sum.mass, sum.center );
	return sum;
}

// Kicks links and skin so that everything moves.
static void Kick( Stage* stage, double speed )
{
	testRandom random = testMakeRandom( 7 );
	supLayeredView view = supLayered_View( stage->own, stage->actor->state );
	for ( int32_t i = 0; i < stage->own->links.count; ++i )
	{
		double* numbers = &view.links[i].velocity.x;
		for ( int k = 0; k < 6; ++k )
		{
			numbers[k] = speed * (double)testRandomFloat( &random, -1.0f, 1.0f );
		}
	}
	for ( int32_t i = 0; i < 3 * stage->own->skin.nodeCount; ++i )
	{
		view.v[i] = 0.3 * speed * (double)testRandomFloat( &random, -1.0f, 1.0f );
	}
	supActor_WakeUp( stage->actor );
}

// The whole has the mass of its volume; the tube's is that of a cylinder with round ends.
static void MassIsThatOfTheVolume( void** state )
{
	(void)state;
	Enter( &s_tube, supVec3_zero, NULL );
	Momentum m = MeasureMomentum( &s_tube );
	double r = 0.15, volume = 3.14159265 * r * r * ( 2.0 - 2.0 * r ) + 4.0 / 3.0 * 3.14159265 * r * r * r;
	assert_true( fabs( m.mass / ( 1000.0 * volume ) - 1.0 ) < 0.08 );
	Leave( &s_tube );
}

// Nothing holds it: it falls as a stone does, whatever the skin does meanwhile.
static void FallsFreely( void** state )
{
	(void)state;
	Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &s_tube );
	supVec3d start = MeasureMomentum( &s_tube ).center;
	for ( int32_t i = 0; i < 30; ++i )
	{
		supScene_Step( s_tube.scene, DT );
	}
	Momentum end = MeasureMomentum( &s_tube );
	// sum of h² i for backward Euler
	double fallen = 9.81 * (double)DT * (double)DT * 30.0 * 31.0 / 2.0;
	print_message( "fallen %g, momentum %g of what it should be\n", ( start.y - end.center.y ) / fallen,
				   -end.linear.y / ( end.mass * 9.81 * 30.0 * (double)DT ) );
	assert_true( fabs( ( start.y - end.center.y ) / fallen - 1.0 ) < 2e-3 );
	assert_true( fabs( -end.linear.y / ( end.mass * 9.81 * 30.0 * (double)DT ) - 1.0 ) < 2e-3 );
	Leave( &s_tube );
}

// Drift of momentum over a second of wild motion, as parts of what there is.
static void MeasureDrift( int32_t steps, double* linear, double* angular )
{
	float dt = 1.0f / (float)steps;
	Enter( &s_tube, supVec3_zero, NULL );
	LetGo( &s_tube );
	supScene_Step( s_tube.scene, 1e-6f );
	Kick( &s_tube, 0.5 );
	// kicks do not respect joints: one short step puts that right
	supScene_Step( s_tube.scene, 1e-6f );
	supScene_Step( s_tube.scene, 1e-6f );
	Momentum start = MeasureMomentum( &s_tube );
	for ( int32_t i = 0; i < steps; ++i )
	{
		supScene_Step( s_tube.scene, dt );
	}
	Momentum end = MeasureMomentum( &s_tube );
	*linear = supLengthVec3d( supSubVec3d( end.linear, start.linear ) ) / supLengthVec3d( start.linear );
	*angular = supLengthVec3d( supSubVec3d( end.angular, start.angular ) ) / supLengthVec3d( start.angular );
	Leave( &s_tube );
}

// What is in motion keeps its momentum, up to the order of the integrator: half the step, half the drift.
static void KeepsMomentum( void** state )
{
	(void)state;
	double linear[2], angular[2];
	MeasureDrift( 60, linear, angular );
	MeasureDrift( 120, linear + 1, angular + 1 );
	print_message( "drift of linear momentum %g, %g; of angular %g, %g\n", linear[0], linear[1], angular[0],
				   angular[1] );
	assert_true( linear[0] < 0.01 && linear[1] < 0.6 * linear[0] );
	assert_true( angular[0] < 0.04 && angular[1] < 0.6 * angular[0] );
}

// ---------------------------------------------------------------------------------------------------------------------

// Rows of every kind of joint are derivatives of their errors.
static void JointRowsAreDerivatives( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	for ( int32_t kind = sup_jointBall; kind < sup_jointKindCount; ++kind )
	{
		supLink parent = { .center = { 0.1, 0.2, 0.3 } };
		supLink link = { .center = { 0.5, -0.1, 0.2 }, .anchor = { 0.3, 0.0, 0.1 }, .kind = kind, .parent = 0 };
		link.axis = ( supVec3d ){ 0.6, 0.8, 0.0 };
		link.secondAxis = ( supVec3d ){ -0.8, 0.6, 0.0 };
		supLinkState states[2] = { 0 };
		double speeds[12];
		for ( int32_t i = 0; i < 12; ++i )
		{
			speeds[i] = (double)testRandomFloat( &random, -1.0f, 1.0f );
		}
		for ( int32_t i = 0; i < 2; ++i )
		{
			states[i].center = supLoadVec3d( speeds + 5 * i );
			states[i].rotation = supExpVec3d( supLoadVec3d( speeds + 4 * i + 2 ) );
		}
		supJointRow rows[6], ahead[2][6];
		int32_t count = supMakeJointRows( &parent, &link, states, states + 1, rows );
		assert_int_equal( count, supJointRows[kind] );
		for ( int32_t side = 0; side < 2; ++side )
		{
			double h = side == 0 ? 1e-5 : -1e-5;
			supLinkState moved[2];
			for ( int32_t i = 0; i < 2; ++i )
			{
				moved[i] = states[i];
				moved[i].center = supMulAddVec3d( states[i].center, h, supLoadVec3d( speeds + 6 * i ) );
				supVec3d turn = supScaleVec3d( h, supLoadVec3d( speeds + 6 * i + 3 ) );
				moved[i].rotation = supMulQuatd( states[i].rotation, supExpVec3d( turn ) );
			}
			supMakeJointRows( &parent, &link, moved, moved + 1, ahead[side] );
		}
		for ( int32_t k = 0; k < count; ++k )
		{
			double slope = ( ahead[0][k].error - ahead[1][k].error ) / 2e-5, product = 0.0;
			for ( int32_t i = 0; i < 6; ++i )
			{
				product += rows[k].parent[i] * speeds[i] + rows[k].child[i] * speeds[6 + i];
			}
			assert_true( fabs( slope - product ) < 1e-8 );
		}
	}
}

// At strength 1 the surface is where the clip has it, give or take what flesh does.
static void FollowsTheClip( void** state )
{
	(void)state;
	Stage stage = { 0 };
	BuildStage( &stage, "tube5", NULL, 0 );
	Enter( &stage, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	const supClip* clip = supCharacter_Clip( stage.character, 0 );
	double worst = 0.0;
	for ( int32_t i = 0; i < 90; ++i )
	{
		supPose_ApplyClip( supActor_Pose( stage.actor ), clip, clip->start + (float)i * DT );
		supScene_Step( stage.scene, DT );
		supLayeredView view = supLayered_View( stage.own, stage.actor->state );
		for ( int32_t k = 0; k < stage.own->links.count; ++k )
		{
			double gap = supLengthVec3d( supSubVec3d( view.links[k].center, view.targets[k].center ) );
			worst = gap > worst ? gap : worst;
		}
	}
	print_message( "worst gap to the clip %g m\n", worst );
	assert_true( worst < 0.02 );
	Leave( &stage );
	FreeStage( &stage );
}

// ---------------------------------------------------------------------------------------------------------------------
// The two systems, solved densely

// Unknowns: 6 a link, 3 a node, then joint rows, then contact rows.
typedef struct Dense
{
	int32_t count, skinStart, jointStart, contactStart;
	double* a;
	double* b;
} Dense;

static void AddDense( Dense* d, int32_t row, int32_t column, double value )
{
	d->a[(size_t)column * (size_t)d->count + (size_t)row] += value;
}

static Dense MakeDense( const supLayeredRun* run, int32_t contactRows )
{
	const supLayeredFlesh* flesh = run->flesh;
	Dense d = { .skinStart = 6 * flesh->links.count };
	d.jointStart = d.skinStart + 3 * flesh->skin.nodeCount;
	d.contactStart = d.jointStart + flesh->bones.unknownCount - 6 * flesh->links.count;
	d.count = d.contactStart + contactRows;
	d.a = calloc( (size_t)d.count * (size_t)d.count, sizeof( double ) );
	d.b = calloc( (size_t)d.count, sizeof( double ) );
	assert_true( d.a != NULL && d.b != NULL );
	return d;
}

// Lᵀ L of every copy of every node and the links themselves, from the definition.
static void AddInertia( Dense* d, const supLayeredRun* run )
{
	const supLayeredFlesh* flesh = run->flesh;
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		const supLink* link = flesh->links.links + i;
		supMat3d r = supMakeMat3dQuat( run->view.oldLinks[i].rotation );
		for ( int32_t k = 0; k < 9; ++k )
		{
			AddDense( d, 6 * i + k % 3, 6 * i + k / 3, k % 4 == 0 ? link->mass : 0.0 );
			AddDense( d, 6 * i + 3 + k % 3, 6 * i + 3 + k / 3, link->inertia.m[k / 3][k % 3] );
		}
		for ( int32_t n = flesh->linkStarts[i]; n < flesh->linkStarts[i + 1]; ++n )
		{
			int32_t a = flesh->linkNodes[n];
			double m = flesh->skin.masses[a] * flesh->linkWeights[n];
			supVec3d arm = supLayered_Arm( flesh, run->view.oldQ, a, i );
			double l[3][9];
			for ( int32_t c = 0; c < 3; ++c )
			{
				supVec3d axis = { c == 0, c == 1, c == 2 };
				supVec3d turned = supMulMat3dVec( &r, supCrossVec3d( axis, arm ) );
				supVec3d moved = supMulMat3dVec( &r, axis );
				const double column[3][3] = { { axis.x, axis.y, axis.z },
											  { turned.x, turned.y, turned.z },
											  { moved.x, moved.y, moved.z } };
				for ( int32_t row = 0; row < 3; ++row )
				{
					l[row][c] = column[0][row];
					l[row][3 + c] = column[1][row];
					l[row][6 + c] = column[2][row];
				}
			}
			for ( int32_t row = 0; row < 9; ++row )
			{
				for ( int32_t column = 0; column < 9; ++column )
				{
					double sum = 0.0;
					for ( int32_t k = 0; k < 3; ++k )
					{
						sum += l[k][row] * l[k][column];
					}
					bool isSkin = row >= 6 && column >= 6;
					int32_t rowAt = row < 6 ? 6 * i + row : d->skinStart + 3 * a + row - 6;
					int32_t columnAt = column < 6 ? 6 * i + column : d->skinStart + 3 * a + column - 6;
					AddDense( d, rowAt, columnAt, isSkin ? 0.0 : m * sum );
				}
			}
		}
	}
}

// M̃_s, or only its diagonal blocks.
static void AddSkin( Dense* d, const supLayeredRun* run, bool onlyDiagonal )
{
	const supBlockMatrix* k = &run->flesh->skin.stiffness;
	for ( int32_t row = 0; row < k->nodeCount; ++row )
	{
		for ( int32_t n = k->rowStarts[row]; n < k->rowStarts[row + 1]; ++n )
		{
			for ( int32_t e = 0; e < 9 && ( onlyDiagonal == false || k->columns[n] == row ); ++e )
			{
				AddDense( d, d->skinStart + 3 * row + e % 3, d->skinStart + 3 * k->columns[n] + e / 3,
						  run->skinStep.stiffnessScale * supBlockMatrix_Block( k, n )[e] );
			}
		}
		for ( int32_t e = 0; e < 3; ++e )
		{
			int32_t at = d->skinStart + 3 * row + e;
			AddDense( d, at, at, run->skinStep.massScale * run->flesh->skin.masses[row] );
		}
	}
}

static void AddJoints( Dense* d, const supLayeredRun* run )
{
	const supLinks* links = &run->flesh->links;
	int32_t row = d->jointStart;
	for ( int32_t j = 0; j < links->count; ++j )
	{
		int32_t i = links->links[j].parent;
		supJointRow rows[6];
		int32_t count = i < 0 ? 0
							  : supMakeJointRows( links->links + i, links->links + j, run->view.oldLinks + i,
												  run->view.oldLinks + j, rows );
		for ( int32_t k = 0; k < count; ++k, ++row )
		{
			for ( int32_t c = 0; c < 6; ++c )
			{
				AddDense( d, row, 6 * i + c, -rows[k].parent[c] );
				AddDense( d, 6 * i + c, row, -rows[k].parent[c] );
				AddDense( d, row, 6 * j + c, -rows[k].child[c] );
				AddDense( d, 6 * j + c, row, -rows[k].child[c] );
			}
		}
	}
}

static void SolveDense( Dense* d )
{
	int32_t* exchanges = malloc( (size_t)d->count * sizeof( int32_t ) );
	assert_true( exchanges != NULL );
	assert_int_equal( supDense_FactorLu( d->a, d->count, exchanges ), -1 );
	supDense_SolveLu( d->a, d->count, exchanges, d->b );
	free( exchanges );
	free( d->a );
}

static supLayeredRun MakeRun( Stage* stage, supTrouble* trouble )
{
	const supSubstep step = { .dt = DT, .parameters = stage->actor->parameters, .trouble = trouble };
	return supLayered_Start( stage->own, stage->actor->state, &step );
}

// A bent tube with stressed skin, let go: the condensed solution against all of Eq. 6 at once.
static void FreeMotionIsThatOfTheWholeSystem( void** state )
{
	(void)state;
	Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &s_tube );
	supTrouble trouble = { 0 };
	supLayeredRun run = MakeRun( &s_tube, &trouble );
	const supLayeredFlesh* flesh = s_tube.own;
	testRandom random = testMakeRandom( 11 );
	for ( int32_t i = 0; i < 3 * flesh->skin.nodeCount; ++i )
	{
		run.view.q[i] = 0.002 * (double)testRandomFloat( &random, -1.0f, 1.0f );
	}
	memcpy( run.view.oldQ, run.view.q, 3 * (size_t)flesh->skin.nodeCount * sizeof( double ) );
	supLayeredView view = run.view;
	double* q = malloc( 3 * (size_t)flesh->skin.nodeCount * sizeof( double ) );
	double* force = malloc( 3 * (size_t)flesh->skin.nodeCount * sizeof( double ) );
	assert_true( q != NULL && force != NULL );
	memcpy( q, view.q, 3 * (size_t)flesh->skin.nodeCount * sizeof( double ) );
	supScene_Step( s_tube.scene, DT );

	Dense d = MakeDense( &run, 0 );
	AddInertia( &d, &run );
	AddSkin( &d, &run, false );
	AddJoints( &d, &run );
	supSkinBody_MultiplyStiffness( &flesh->skin, q, force, NULL );
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		double mass = flesh->links.links[i].mass;
		supVec3d torque = { 0.0, 0.0, 0.0 };
		for ( int32_t n = flesh->linkStarts[i]; n < flesh->linkStarts[i + 1]; ++n )
		{
			double m = flesh->skin.masses[flesh->linkNodes[n]] * flesh->linkWeights[n];
			supVec3d arm = supLayered_Arm( flesh, q, flesh->linkNodes[n], i );
			mass += m;
			torque = supMulAddVec3d( torque, m, supCrossVec3d( arm, ( supVec3d ){ 0.0, -9.81, 0.0 } ) );
		}
		d.b[6 * i + 1] = (double)DT * mass * -9.81;
		supStoreVec3d( d.b + 6 * i + 3, supScaleVec3d( (double)DT, torque ) );
	}
	for ( int32_t i = 0; i < 3 * flesh->skin.nodeCount; ++i )
	{
		d.b[d.skinStart + i] = -(double)DT * force[i];
	}
	SolveDense( &d );
	double worst = 0.0, largest = 0.0;
	for ( int32_t i = 0; i < flesh->links.count; ++i )
	{
		const double* v = &view.links[i].velocity.x;
		for ( int32_t k = 0; k < 6; ++k )
		{
			worst = fmax( worst, fabs( v[k] - d.b[6 * i + k] ) );
			largest = fmax( largest, fabs( d.b[6 * i + k] ) );
		}
	}
	print_message( "links: difference from the dense solution %g of %g\n", worst, largest );
	assert_true( worst < 5e-3 * largest );
	for ( int32_t i = 0; i < 3 * flesh->skin.nodeCount; ++i )
	{
		worst = fmax( worst, fabs( view.v[i] - d.b[d.skinStart + i] ) );
		largest = fmax( largest, fabs( d.b[d.skinStart + i] ) );
	}
	print_message( "skin: difference from the dense solution %g of %g\n", worst, largest );
	assert_true( worst < 5e-3 * largest );
	free( d.b );
	free( q );
	free( force );
	Leave( &s_tube );
}

// ---------------------------------------------------------------------------------------------------------------------
// Touches

#define TOUCHES 6

static void MakeTouches( supNodeTouch touches[TOUCHES], double friction )
{
	for ( int32_t i = 0; i < TOUCHES; ++i )
	{
		touches[i] = ( supNodeTouch ){ .node = 17 + 41 * i, .friction = friction };
		supVec3d n = { 0.2 * i - 0.5, 1.0, 0.3 };
		touches[i].normal = supScaleVec3d( 1.0 / supLengthVec3d( n ), n );
		touches[i].velocity = ( supVec3d ){ 0.1, 0.05 * i, -0.1 };
	}
}

// A tube in motion, with its matrices assembled.
static supLayeredRun StartTouching( supTrouble* trouble )
{
	Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &s_tube );
	supScene_Step( s_tube.scene, DT );
	Kick( &s_tube, 0.4 );
	supScene_Step( s_tube.scene, DT );
	return MakeRun( &s_tube, trouble );
}

// Pressed on in all touches at once: velocities along the normals are as wanted, and the whole answer is that of Eq. 9
// with the skin's diagonal blocks.
static void TouchesAreMet( void** state )
{
	(void)state;
	supTrouble trouble = { 0 };
	supLayeredRun run = StartTouching( &trouble );
	const supLayeredFlesh* flesh = s_tube.own;
	supNodeTouch touches[TOUCHES];
	MakeTouches( touches, 0.0 );
	Dense d = MakeDense( &run, 3 * TOUCHES );
	AddInertia( &d, &run );
	AddSkin( &d, &run, true );
	AddJoints( &d, &run );
	for ( int32_t t = 0; t < TOUCHES; ++t )
	{
		touches[t].isHeld = true;
		int32_t a = touches[t].node;
		supVec3d slip = supSubVec3d( touches[t].velocity, supLayered_NodeVelocity( &run, a ) );
		const double slips[3] = { slip.x, slip.y, slip.z };
		for ( int32_t c = 0; c < 3; ++c )
		{
			int32_t row = d.contactStart + 3 * t + c;
			supVec3d axis = { c == 0, c == 1, c == 2 };
			d.b[row] = -slips[c];
			for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1]; ++k )
			{
				int32_t i = flesh->nodeLinks[k];
				double w = flesh->nodeWeights[k];
				supVec3d back = supMulTransposed3d( run.view.rotations + i, axis );
				supVec3d turn = supCrossVec3d( supLayered_Arm( flesh, run.view.oldQ, a, i ), back );
				const double entries[9] = { axis.x, axis.y, axis.z, turn.x, turn.y, turn.z, back.x, back.y, back.z };
				for ( int32_t e = 0; e < 9; ++e )
				{
					int32_t at = e < 6 ? 6 * i + e : d.skinStart + 3 * a + e - 6;
					AddDense( &d, row, at, -w * entries[e] );
					AddDense( &d, at, row, -w * entries[e] );
				}
			}
		}
	}
	SolveDense( &d );
	size_t bytes = 3 * (size_t)flesh->skin.nodeCount * sizeof( double );
	double* before = malloc( bytes );
	assert_true( before != NULL );
	memcpy( before, run.view.v, bytes );
	supLinkState links[16];
	assert_true( flesh->links.count <= 16 );
	memcpy( links, run.view.links, (size_t)flesh->links.count * sizeof( supLinkState ) );
	supLayered_Respond( &run, touches, TOUCHES );
	double worst = 0.0, largest = 0.0;
	for ( int32_t i = 0; i < 6 * flesh->links.count; ++i )
	{
		double change = ( &run.view.links[i / 6].velocity.x )[i % 6] - ( &links[i / 6].velocity.x )[i % 6];
		worst = fmax( worst, fabs( change - d.b[i] ) );
		largest = fmax( largest, fabs( d.b[i] ) );
	}
	for ( int32_t i = 0; i < 3 * flesh->skin.nodeCount; ++i )
	{
		worst = fmax( worst, fabs( run.view.v[i] - before[i] - d.b[d.skinStart + i] ) );
		largest = fmax( largest, fabs( d.b[d.skinStart + i] ) );
	}
	print_message( "response: difference from the dense solution %g of %g\n", worst, largest );
	assert_true( worst < 1e-5 * largest );
	for ( int32_t t = 0; t < TOUCHES; ++t )
	{
		supVec3d slip = supSubVec3d( supLayered_NodeVelocity( &run, touches[t].node ), touches[t].velocity );
		assert_true( supLengthVec3d( slip ) < 1e-5 * largest );
	}
	free( before );
	free( d.b );
	Leave( &s_tube );
}

// Contacts push and never pull, nothing gets in that is let go, and friction stays in its cone.
static void TouchesOnlyPush( void** state )
{
	(void)state;
	const double frictions[3] = { 0.0, 0.4, 50.0 };
	for ( int32_t n = 0; n < 3; ++n )
	{
		supTrouble trouble = { 0 };
		supLayeredRun run = StartTouching( &trouble );
		supNodeTouch touches[TOUCHES];
		MakeTouches( touches, frictions[n] );
		supLayered_Respond( &run, touches, TOUCHES );
		int32_t pressed = 0;
		for ( int32_t t = 0; t < TOUCHES; ++t )
		{
			const supNodeTouch* touch = touches + t;
			double push = supDotVec3d( touch->impulse, touch->normal );
			supVec3d along = supMulAddVec3d( touch->impulse, -push, touch->normal );
			supVec3d slip = supSubVec3d( supLayered_NodeVelocity( &run, touch->node ), touch->velocity );
			assert_true( push >= 0.0 );
			assert_true( supLengthVec3d( along ) <= 1.03 * frictions[n] * push + 1e-12 );
			assert_true( supDotVec3d( slip, touch->normal ) > -2e-3 );
			pressed += push > 0.0;
		}
		assert_true( pressed > 0 );
		Leave( &s_tube );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// In a scene

static void JointsHold( void** state )
{
	(void)state;
	Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &s_tube );
	Set( &s_tube, "root", 1.0f );
	// ten minutes where soaking is asked for
	int32_t steps = getenv( "SUPPLE_SOAK" ) != NULL ? 36000 : 600;
	double worst = 0.0;
	supLayeredView view = supLayered_View( s_tube.own, s_tube.actor->state );
	const supLinks* links = &s_tube.own->links;
	for ( int32_t i = 0; i < steps; ++i )
	{
		supScene_Step( s_tube.scene, DT );
		for ( int32_t k = 1; k < links->count; ++k )
		{
			supJointRow rows[6];
			int32_t parent = links->links[k].parent;
			supMakeJointRows( links->links + parent, links->links + k, view.links + parent, view.links + k, rows );
			for ( int32_t r = 0; r < 3; ++r )
			{
				worst = fmax( worst, fabs( rows[r].error ) );
			}
		}
	}
	print_message( "joints open by %g m at most, links are 0.4 m long\n", worst );
	assert_true( worst < 1e-4 * 0.4 );
	Leave( &s_tube );
}

// Whatever the step and the strength: no number is lost, and it comes back to the clip.
static void BearsAnything( void** state )
{
	(void)state;
	const float strengths[4] = { 0.0f, 0.1f, 1.0f, 1e6f };
	const float steps[4] = { 1e-3f, 1.0f / 60.0f, 1.0f / 30.0f, 0.17f };
	for ( int32_t n = 0; n < 16; ++n )
	{
		Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
		Set( &s_tube, "strength", strengths[n / 4] );
		Set( &s_tube, "root", strengths[n / 4] );
		supScene_Step( s_tube.scene, steps[n % 4] );
		Kick( &s_tube, 20.0 );
		for ( int32_t i = 0; i < 40; ++i )
		{
			supScene_Step( s_tube.scene, steps[( n + ( i % 7 == 0 ) ) % 4] );
		}
		Set( &s_tube, "strength", 1.0f );
		Set( &s_tube, "root", 1.0f );
		for ( int32_t i = 0; i < 120; ++i )
		{
			supScene_Step( s_tube.scene, DT );
		}
		supLayeredView view = supLayered_View( s_tube.own, s_tube.actor->state );
		for ( int32_t i = 0; i < s_tube.own->links.count; ++i )
		{
			double gap = supLengthVec3d( supSubVec3d( view.links[i].center, view.targets[i].center ) );
			assert_true( gap < 0.02 );
		}
		assert_int_equal( supScene_GetStats( s_tube.scene ).trouble.notFinite, 0 );
		Leave( &s_tube );
	}
}

// Same bits for any number of threads, and from a flesh that was saved and loaded.
static void SameBits( void** state )
{
	(void)state;
	supError error = { 0 };
	size_t byteCount;
	uint8_t* bytes = supWriteFlesh( s_tube.flesh, &byteCount, &error );
	testRequire( bytes != NULL, &error );
	supFlesh* loaded = supReadFlesh( bytes, byteCount, "tube", s_tube.character, &error );
	testRequire( loaded != NULL, &error );
	uint64_t first = 0;
	for ( int32_t run = 0; run < 4; ++run )
	{
		supThreadPool* pool = run == 0 ? NULL : supCreateThreadPool( run == 3 ? 8 : 1 + run );
		Stage stage = s_tube;
		stage.flesh = run == 2 ? loaded : s_tube.flesh;
		stage.own = stage.flesh->own;
		Enter( &stage, supMakeVec3( 0.0f, -9.81f, 0.0f ), pool != NULL ? supThreadPool_Tasks( pool ) : NULL );
		Set( &stage, "strength", 0.05f );
		for ( int32_t i = 0; i < 10; ++i )
		{
			supScene_Step( stage.scene, DT );
		}
		uint64_t hash = supHashBytes( 0, supActor_Positions( stage.actor, 0 ),
									  (size_t)stage.actor->surfaces[0].vertexCount * sizeof( supVec3 ) );
		first = run == 0 ? hash : first;
		assert_true( hash == first );
		Leave( &stage );
		supDestroyThreadPool( pool );
	}
	supDestroyFlesh( loaded );
	supFree( bytes );
}

// A body that one grabs and pulls comes along, skeleton and all.
static void DragsTakeTheBodyAlong( void** state )
{
	(void)state;
	Enter( &s_tube, supVec3_zero, NULL );
	LetGo( &s_tube );
	supScene_Step( s_tube.scene, DT );
	supSurfacePoint point = { .vertices = { 10, 11, 12 }, .weights = { 1.0f, 0.0f, 0.0f } };
	supVec3 place = supActor_Positions( s_tube.actor, 0 )[10];
	supDragDef def = supDefaultDragDef( s_tube.actor, &point );
	supDragId drag = supActor_StartDrag( s_tube.actor, &def );
	assert_true( drag >= 0 );
	supActor_MoveDrag( s_tube.actor, drag, supAdd( place, supMakeVec3( 0.0f, 0.5f, 0.0f ) ) );
	for ( int32_t i = 0; i < 180; ++i )
	{
		supScene_Step( s_tube.scene, DT );
	}
	supVec3 now = supActor_Positions( s_tube.actor, 0 )[10];
	print_message( "dragged by %g of 0.5 m\n", (double)( now.y - place.y ) );
	assert_true( now.y - place.y > 0.4f );
	Leave( &s_tube );
}

// ---------------------------------------------------------------------------------------------------------------------
// Contact

static supCollider* AddCollider( Stage* stage, supShapeDef shape, supColliderMotion motion, supVec3 position )
{
	supError error = { 0 };
	supColliderDef def = supDefaultColliderDef();
	def.shape = shape;
	def.motion = motion;
	def.position = position;
	supCollider* collider = supScene_AddCollider( stage->scene, &def, &error );
	testRequire( collider != NULL, &error );
	return collider;
}

static float LowestVertex( const Stage* stage )
{
	float lowest = INFINITY;
	for ( int32_t i = 0; i < stage->actor->surfaces[0].vertexCount; ++i )
	{
		lowest = supMinFloat( lowest, supActor_Positions( stage->actor, 0 )[i].y );
	}
	return lowest;
}

// A ragdoll falls on the floor, never gets in deeper than its skin is said to be, and comes to lie.
static void RagdollLies( void** state )
{
	(void)state;
	Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &s_tube );
	AddCollider( &s_tube, ( supShapeDef ){ .kind = sup_shapePlane }, sup_colliderStill,
				 supMakeVec3( 0.0f, LowestVertex( &s_tube ) - 0.3f, 0.0f ) );
	float floor = LowestVertex( &s_tube ) - 0.3f, deepest = 0.0f;
	for ( int32_t i = 0; i < 240; ++i )
	{
		supScene_Step( s_tube.scene, DT );
		deepest = supMaxFloat( deepest, floor - LowestVertex( &s_tube ) );
	}
	supLayeredView view = supLayered_View( s_tube.own, s_tube.actor->state );
	double fastest = 0.0;
	for ( int32_t i = 0; i < s_tube.own->links.count; ++i )
	{
		fastest = fmax( fastest, supLengthVec3d( view.links[i].velocity ) );
	}
	print_message( "deepest %g m, at the end %g m/s, lies at %g m\n", (double)deepest, fastest,
				   (double)( LowestVertex( &s_tube ) - floor ) );
	assert_true( deepest < 0.006f ); // 0.003 of its size
	assert_true( fastest < 0.02 );
	assert_true( LowestVertex( &s_tube ) - floor < 0.02f );
	Leave( &s_tube );
}

// A ball flies at one end: the whole body answers, and what the ball loses in momentum the body gains.
static void BallPushesTheSkeleton( void** state )
{
	(void)state;
	Enter( &s_tube, supVec3_zero, NULL );
	LetGo( &s_tube );
	supShapeDef ball = { .kind = sup_shapeSphere, .radius = 0.1f };
	supCollider* collider = AddCollider( &s_tube, ball, sup_colliderDynamic, supMakeVec3( 0.6f, 0.6f, 0.0f ) );
	assert_true( supCollider_SetVelocity( collider, supMakeVec3( 0.0f, -2.0f, 0.0f ), supVec3_zero ) );
	double mass = (double)supCollider_Mass( collider ), before = -2.0 * mass;
	double worst = 0.0;
	for ( int32_t i = 0; i < 60; ++i )
	{
		supScene_Step( s_tube.scene, DT );
		double now = MeasureMomentum( &s_tube ).linear.y + mass * (double)supCollider_Velocity( collider ).y;
		worst = fmax( worst, fabs( now / before - 1.0 ) );
	}
	Momentum end = MeasureMomentum( &s_tube );
	print_message( "ball %g kg m/s, body %g; worst sum off by %g\n", mass * (double)supCollider_Velocity( collider ).y,
				   end.linear.y, worst );
	assert_true( end.linear.y < 0.5 * before );
	assert_true( worst < 0.005 );
	Leave( &s_tube );
}

// Hung up by one end on a nail: the nail holds, and carries the weight while the body swings.
static void HangsOnANail( void** state )
{
	(void)state;
	Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &s_tube );
	Set( &s_tube, "joint.damping", 4.0f );
	supError error = { 0 };
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0].position = supActor_Positions( s_tube.actor, 0 )[10];
	def.places[1] = ( supPlace ){ .kind = sup_placeSurface, .actor = s_tube.actor, .radius = 0.2f };
	def.places[1].point = ( supSurfacePoint ){ .vertices = { 10, 11, 12 }, .weights = { 1.0f, 0.0f, 0.0f } };
	supAttachment* nail = supScene_Attach( s_tube.scene, &def, &error );
	testRequire( nail != NULL, &error );
	double worst = 0.0, force = 0.0;
	for ( int32_t i = 0; i < 600; ++i )
	{
		supScene_Step( s_tube.scene, DT );
		worst = fmax( worst, (double)supAttachment_Gap( nail ) );
		force -= i >= 120 ? (double)supAttachment_Force( nail ).y / 480.0 : 0.0;
	}
	double weight = 9.81 * MeasureMomentum( &s_tube ).mass;
	print_message( "gap %g m at most, mean force %g of the weight\n", worst, force / weight );
	assert_true( worst < 2e-5 );
	assert_true( fabs( force / weight - 1.0 ) < 0.1 );
	Leave( &s_tube );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( MassIsThatOfTheVolume ),
		cmocka_unit_test( FallsFreely ),
		cmocka_unit_test( KeepsMomentum ),
		cmocka_unit_test( JointRowsAreDerivatives ),
		cmocka_unit_test( FollowsTheClip ),
		cmocka_unit_test( FreeMotionIsThatOfTheWholeSystem ),
		cmocka_unit_test( TouchesAreMet ),
		cmocka_unit_test( TouchesOnlyPush ),
		cmocka_unit_test( JointsHold ),
		cmocka_unit_test( BearsAnything ),
		cmocka_unit_test( SameBits ),
		cmocka_unit_test( DragsTakeTheBodyAlong ),
		cmocka_unit_test( RagdollLies ),
		cmocka_unit_test( HangsOnANail ),
		cmocka_unit_test( BallPushesTheSkeleton ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
