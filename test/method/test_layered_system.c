// SPDX-License-Identifier: MIT
// The systems of the method `layered` against dense solutions of the whole (Eq. 6 and 9).
#include "layered_norm.h"
#include "layered_stage.h"

#include "linear/dense.h"

#include <stdlib.h>

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
							  : supMakeJointRows( run->view.oldArms[j], links->links + j, run->view.oldLinks + i,
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
#define MANY_TOUCHES 250

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

static void Respond( supLayeredRun* run, supNodeTouch* touches, int32_t count )
{
	supContactParty party = { .work = run };
	memcpy( run->view.touches, touches, (size_t)count * sizeof( supNodeTouch ) );
	run->view.header->touchCount = count;
	supLayered_Respond( &party, 1 );
	memcpy( touches, run->view.touches, (size_t)count * sizeof( supNodeTouch ) );
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
	Respond( &run, touches, TOUCHES );
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

static void CheckTouches( const supLayeredRun* run, const supNodeTouch* touches, int32_t count, double friction )
{
	int32_t pressed = 0;
	for ( int32_t t = 0; t < count; ++t )
	{
		const supNodeTouch* touch = touches + t;
		double push = supDotVec3d( touch->impulse, touch->normal );
		supVec3d along = supMulAddVec3d( touch->impulse, -push, touch->normal );
		supVec3d slip = supSubVec3d( supLayered_NodeVelocity( run, touch->node ), touch->velocity );
		assert_true( push >= 0.0 );
		assert_true( supLengthVec3d( along ) <= 1.03 * friction * push + 1e-12 );
		assert_true( supDotVec3d( slip, touch->normal ) > -2e-3 );
		pressed += push > 0.0;
	}
	assert_true( pressed > 0 );
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
		Respond( &run, touches, TOUCHES );
		CheckTouches( &run, touches, TOUCHES, frictions[n] );
		Leave( &s_tube );
	}
}

// The same for touches all over the body, many of which turn from one state to another and back: they come to an end.
static void ManyTouchesOnlyPush( void** state )
{
	(void)state;
	static supNodeTouch touches[MANY_TOUCHES];
	for ( int32_t n = 0; n < 3; ++n )
	{
		supTrouble trouble = { 0 };
		supLayeredRun run = StartTouching( &trouble );
		double friction = 0.25 * ( n + 1 );
		for ( int32_t i = 0; i < MANY_TOUCHES; ++i )
		{
			touches[i] = ( supNodeTouch ){ .node = i * run.flesh->skin.nodeCount / MANY_TOUCHES,
										   .normal = { 0.0, 1.0, 0.0 },
										   .velocity = { 0.0, 0.1, 0.0 },
										   .friction = friction };
		}
		Respond( &run, touches, MANY_TOUCHES );
		CheckTouches( &run, touches, MANY_TOUCHES, friction );
		Leave( &s_tube );
	}
}

// How far the condensed matrix is from the exact one, over steps and with the clip followed or not: it is a
// preconditioner here, so that this costs rounds and no truth. The paper saw less than a tenth with diagonal blocks.
static void CondensedMatrixIsNear( void** state )
{
	(void)state;
	const float steps[3] = { 1.0f / 240.0f, 1.0f / 60.0f, 1.0f / 30.0f };
	for ( int32_t n = 0; n < 6; ++n )
	{
		supTrouble trouble = { 0 };
		Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
		if ( n >= 3 )
		{
			LetGo( &s_tube );
		}
		supScene_Step( s_tube.scene, steps[n % 3] );
		supSubstep step = { .dt = steps[n % 3],
							.parameters = s_tube.actor->parameters,
							.jointStrengths = s_tube.actor->jointStrengths,
							.trouble = &trouble };
		supLayeredRun run = supLayered_Start( s_tube.own, s_tube.actor->state, &step );
		double error = testCondensedError( &run, run.view.smooth ),
			   paper = testCondensedError( &run, run.view.softest );
		print_message( "step of 1/%.0f s, %s: %.2f %% in the spectral norm, %.2f %% with the paper's blocks\n",
					   1.0 / (double)steps[n % 3], n < 3 ? "on its clip" : "limp", 100.0 * error, 100.0 * paper );
		assert_true( error >= 0.0 && error < 0.1 && error < paper );
		Leave( &s_tube );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( FreeMotionIsThatOfTheWholeSystem ),
		cmocka_unit_test( TouchesAreMet ),
		cmocka_unit_test( TouchesOnlyPush ),
		cmocka_unit_test( ManyTouchesOnlyPush ),
		cmocka_unit_test( CondensedMatrixIsNear ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
