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

// Velocities of a frame for unit velocities of its links, 6 a link, by differences.
static void DifferMap( const supLayeredRun* run, int32_t frame, double map[12][6] )
{
	const supFrame* own = run->flesh->frames + frame;
	for ( int32_t c = 0; c < ( own->links[1] < 0 ? 6 : 12 ); ++c )
	{
		supLinkState* links = run->view.oldLinks;
		supLinkState saved[2] = { links[own->links[0]], links[own->links[1] < 0 ? own->links[0] : own->links[1]] };
		for ( int32_t e = 0; e < ( own->links[1] < 0 ? 1 : 2 ); ++e )
		{
			double* v = &links[own->links[e]].velocity.x;
			for ( int32_t k = 0; k < 6; ++k )
			{
				v[k] = c == 6 * e + k ? 1.0 : 0.0;
			}
		}
		supFrameSpeed speed = DifferFrame( run->flesh, frame, links, run->view.ways );
		memcpy( map[c], &speed, sizeof( speed ) );
		links[own->links[0]] = saved[0];
		links[own->links[1] < 0 ? own->links[0] : own->links[1]] = saved[1];
	}
}

// Lᵀ L of every copy of every node and the links themselves, from the definition.
static void AddInertia( Dense* d, const supLayeredRun* run )
{
	const supLayeredFlesh* flesh = run->flesh;
	for ( int32_t i = 0; i < flesh->frameCount; ++i )
	{
		const supFrame* frame = flesh->frames + i;
		supMat3d r = supMakeMat3dQuat( supLayered_PlaceFrame( flesh, i, run->view.oldLinks, run->view.ways ).rotation );
		for ( int32_t k = 0; k < 9 && i < flesh->links.count; ++k )
		{
			const supLink* link = flesh->links.links + i;
			AddDense( d, 6 * i + k % 3, 6 * i + k / 3, k % 4 == 0 ? link->mass : 0.0 );
			AddDense( d, 6 * i + 3 + k % 3, 6 * i + 3 + k / 3, link->inertia.m[k / 3][k % 3] );
		}
		double map[12][6];
		int32_t bones = frame->links[1] < 0 ? 6 : 12;
		DifferMap( run, i, map );
		for ( int32_t n = flesh->frameStarts[i]; n < flesh->frameStarts[i + 1]; ++n )
		{
			int32_t a = flesh->frameNodes[n];
			double m = flesh->skin.masses[a] * flesh->frameWeights[n], l[3][15];
			supVec3d arm = supLayered_Arm( flesh, run->view.oldQ, a, i );
			for ( int32_t c = 0; c < bones + 3; ++c )
			{
				int32_t s = c - bones;
				supVec3d own = { s == 0, s == 1, s == 2 }, moved = { 0.0, 0.0, 0.0 };
				supVec3d inner = s >= 0 ? own : supCrossVec3d( supLoadVec3d( map[c] + 3 ), arm );
				moved = s >= 0 ? moved : supLoadVec3d( map[c] );
				moved = supAddVec3d( moved, supMulMat3dVec( &r, inner ) );
				l[0][c] = moved.x;
				l[1][c] = moved.y;
				l[2][c] = moved.z;
			}
			for ( int32_t e = 0; e < ( bones + 3 ) * ( bones + 3 ); ++e )
			{
				int32_t row = e / ( bones + 3 ), column = e % ( bones + 3 ), at[2] = { row, column };
				double sum = l[0][row] * l[0][column] + l[1][row] * l[1][column] + l[2][row] * l[2][column];
				for ( int32_t k = 0; k < 2; ++k )
				{
					bool isSkin = at[k] >= bones;
					at[k] = isSkin ? d->skinStart + 3 * a + at[k] - bones : 6 * frame->links[at[k] / 6] + at[k] % 6;
				}
				AddDense( d, at[0], at[1], row >= bones && column >= bones ? 0.0 : m * sum );
			}
		}
	}
}

// M̃_s
static void AddSkin( Dense* d, const supLayeredRun* run )
{
	const supBlockMatrix* k = &run->flesh->skin.stiffness;
	for ( int32_t row = 0; row < k->nodeCount; ++row )
	{
		for ( int32_t n = k->rowStarts[row]; n < k->rowStarts[row + 1]; ++n )
		{
			for ( int32_t e = 0; e < 9; ++e )
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

// What stands for it in answers.
static void AddBlocks( Dense* d, const supLayeredRun* run, const supMat3d* inverses )
{
	for ( int32_t a = 0; a < run->flesh->skin.nodeCount; ++a )
	{
		supMat3d block = supDiagonal3d( 0.0 );
		assert_true( supInvertMat3d( inverses + a, &block ) );
		for ( int32_t e = 0; e < 9; ++e )
		{
			AddDense( d, d->skinStart + 3 * a + e % 3, d->skinStart + 3 * a + e / 3, block.m[e / 3][e % 3] );
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
	const supSubstep step = {
		.dt = DT, .parameters = stage->actor->parameters, .shared = stage->actor->shared->own, .trouble = trouble
	};
	return supLayered_Start( stage->own, stage->actor->state, &step );
}

// A bent tube with stressed skin, let go: the condensed solution against all of Eq. 6 at once.
static void FreeMotionIsThatOfTheWholeSystem( void** state )
{
	(void)state;
	Enter( &s_tube, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
	LetGo( &s_tube );
	// what the skin's volume takes comes after the system
	Set( &s_tube, "volume", 0.0f );
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
	AddSkin( &d, &run );
	AddJoints( &d, &run );
	supSkinBody_MultiplyStiffness( &flesh->skin, q, force, NULL );
	for ( int32_t i = 0; i < flesh->frameCount; ++i )
	{
		const supFrame* frame = flesh->frames + i;
		double mass = i < flesh->links.count ? flesh->links.links[i].mass : 0.0, map[12][6];
		supMat3d r = supMakeMat3dQuat( supLayered_PlaceFrame( flesh, i, run.view.oldLinks, run.view.ways ).rotation );
		supVec3d torque = { 0.0, 0.0, 0.0 }, g = { 0.0, -9.81, 0.0 };
		DifferMap( &run, i, map );
		for ( int32_t n = flesh->frameStarts[i]; n < flesh->frameStarts[i + 1]; ++n )
		{
			double m = flesh->skin.masses[flesh->frameNodes[n]] * flesh->frameWeights[n];
			supVec3d arm = supLayered_Arm( flesh, q, flesh->frameNodes[n], i );
			mass += m;
			torque = supMulAddVec3d( torque, m, supCrossVec3d( arm, supMulTransposed3d( &r, g ) ) );
		}
		for ( int32_t c = 0; c < ( frame->links[1] < 0 ? 6 : 12 ); ++c )
		{
			double work =
				mass * supDotVec3d( supLoadVec3d( map[c] ), g ) + supDotVec3d( supLoadVec3d( map[c] + 3 ), torque );
			d.b[6 * frame->links[c / 6] + c % 6] += (double)DT * work;
		}
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
	testLess( worst, 5e-3 * largest );
	for ( int32_t i = 0; i < 3 * flesh->skin.nodeCount; ++i )
	{
		worst = fmax( worst, fabs( view.v[i] - d.b[d.skinStart + i] ) );
		largest = fmax( largest, fabs( d.b[d.skinStart + i] ) );
	}
	print_message( "skin: difference from the dense solution %g of %g\n", worst, largest );
	testLess( worst, 5e-3 * largest );
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

// Rows of touches that are held, and the velocities that they lack.
static void AddHeld( Dense* d, const supLayeredRun* run, const supNodeTouch* touches, const supVec3d* lack )
{
	const supLayeredFlesh* flesh = run->flesh;
	for ( int32_t row = d->contactStart; row < d->contactStart + 3 * TOUCHES; ++row )
	{
		int32_t t = ( row - d->contactStart ) / 3, c = ( row - d->contactStart ) % 3, a = touches[t].node;
		supVec3d axis = { c == 0, c == 1, c == 2 };
		d->b[row] = -supDotVec3d( axis, lack[t] );
		for ( int32_t k = flesh->nodeStarts[a]; k < flesh->nodeStarts[a + 1]; ++k )
		{
			int32_t i = flesh->nodeFrames[k], bones = flesh->frames[i].links[1] < 0 ? 6 : 12;
			double w = flesh->nodeWeights[k], map[12][6];
			supVec3d back = supMulTransposed3d( run->view.rotations + i, axis );
			supVec3d turn = supCrossVec3d( supLayered_Arm( flesh, run->view.oldQ, a, i ), back );
			const double skin[3] = { back.x, back.y, back.z };
			DifferMap( run, i, map );
			for ( int32_t e = 0; e < bones + 3; ++e )
			{
				double entry = e >= bones ? skin[e - bones]
										  : supDotVec3d( supLoadVec3d( map[e] ), axis ) +
												supDotVec3d( supLoadVec3d( map[e] + 3 ), turn );
				int32_t at = e >= bones ? d->skinStart + 3 * a + e - bones : 6 * flesh->frames[i].links[e / 6] + e % 6;
				AddDense( d, row, at, -w * entry );
				AddDense( d, at, row, -w * entry );
			}
		}
	}
}

// What the skin around a touched node does instead of it: the node itself gives less than bones know of.
static void AddGive( Dense* d, const supLayeredRun* run, const supNodeTouch* touches )
{
	for ( int32_t t = 0; t < TOUCHES; ++t )
	{
		int32_t a = touches[t].node;
		const supMat3d* blend = &run->view.work[t].blend;
		supMat3d give = supLayered_Give( run, a ), turned = supTransposeMat3d( blend );
		supMat3d rest = supMulAddMat3d( run->view.compliances + a, -1.0, &give );
		rest = supMulMat3d( blend, &rest );
		rest = supMulMat3d( &rest, &turned );
		for ( int32_t e = 0; e < 9; ++e )
		{
			int32_t row = d->contactStart + 3 * t + e % 3, column = d->contactStart + 3 * t + e / 3;
			AddDense( d, row, column, rest.m[e / 3][e % 3] );
		}
	}
}

typedef enum Skin
{
	skinWhole,
	skinBlocks,
	skinPaper,
} Skin;

static Dense SolveHeld( const supLayeredRun* run, const supNodeTouch* touches, const supVec3d* lack, Skin skin )
{
	Dense d = MakeDense( run, 3 * TOUCHES );
	AddInertia( &d, run );
	if ( skin == skinWhole )
	{
		AddSkin( &d, run );
	}
	else
	{
		AddBlocks( &d, run, skin == skinPaper ? run->view.softest : run->view.compliances );
	}
	if ( skin == skinBlocks )
	{
		AddGive( &d, run, touches );
	}
	AddJoints( &d, run );
	AddHeld( &d, run, touches, lack );
	SolveDense( &d );
	return d;
}

typedef struct Difference
{
	double worst, largest;
} Difference;

static Difference Compare( const double* a, const double* b, int32_t begin, int32_t end )
{
	Difference difference = { 0.0, 0.0 };
	for ( int32_t i = begin; i < end; ++i )
	{
		difference.worst = fmax( difference.worst, fabs( a[i] - b[i] ) );
		difference.largest = fmax( difference.largest, fabs( b[i] ) );
	}
	return difference;
}

// Held in all touches at once: velocities there are as wanted, what the skeleton does is that of Eq. 9 with a block of
// each node in place of the skin, less what skin around touches does, and it is near to that with the whole skin.
static void TouchesAreMet( void** state )
{
	(void)state;
	supTrouble trouble = { 0 };
	supLayeredRun run = StartTouching( &trouble );
	const supLayeredFlesh* flesh = s_tube.own;
	int32_t count = 6 * flesh->links.count + 3 * flesh->skin.nodeCount;
	double* change = calloc( (size_t)count + 3 * TOUCHES, sizeof( double ) );
	assert_true( change != NULL );
	supNodeTouch touches[TOUCHES];
	supVec3d lack[TOUCHES];
	MakeTouches( touches, 0.0 );
	for ( int32_t t = 0; t < TOUCHES; ++t )
	{
		touches[t].isHeld = true;
		lack[t] = supSubVec3d( touches[t].velocity, supLayered_NodeVelocity( &run, touches[t].node ) );
	}
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t a = i - 6 * flesh->links.count;
		change[i] = a < 0 ? -( &run.view.links[i / 6].velocity.x )[i % 6] : -run.view.v[a];
	}
	Respond( &run, touches, TOUCHES );
	for ( int32_t i = 0; i < count; ++i )
	{
		int32_t a = i - 6 * flesh->links.count;
		change[i] += a < 0 ? ( &run.view.links[i / 6].velocity.x )[i % 6] : run.view.v[a];
	}
	double* pushes = change + count;
	for ( int32_t t = 0; t < TOUCHES; ++t )
	{
		supStoreVec3d( pushes + 3 * t, touches[t].impulse );
	}
	Dense blocks = SolveHeld( &run, touches, lack, skinBlocks ), whole = SolveHeld( &run, touches, lack, skinWhole );
	Dense paper = SolveHeld( &run, touches, lack, skinPaper );
	int32_t boneCount = 6 * flesh->links.count;
	Difference same = Compare( change, blocks.b, 0, boneCount ), all = Compare( change, blocks.b, 0, count );
	Difference pushed = Compare( pushes, blocks.b + blocks.contactStart, 0, 3 * TOUCHES );
	testLess( pushed.worst, 1e-5 * pushed.largest );
	print_message( "response: difference from the dense solution %g of %g\n", same.worst, same.largest );
	testLess( same.worst, 1e-5 * same.largest );
	Difference bones = Compare( change, whole.b, 0, boneCount ), before = Compare( paper.b, whole.b, 0, boneCount );
	Difference impulses = Compare( pushes, whole.b + whole.contactStart, 0, 3 * TOUCHES );
	print_message( "with the whole skin: links %g of %g (%g with the paper's blocks), impulses %g of %g\n", bones.worst,
				   bones.largest, before.worst, impulses.worst, impulses.largest );
	testLess( bones.worst, 0.25 * before.worst );
	testLess( impulses.worst, 0.1 * impulses.largest );
	for ( int32_t t = 0; t < TOUCHES; ++t )
	{
		supVec3d slip = supSubVec3d( supLayered_NodeVelocity( &run, touches[t].node ), touches[t].velocity );
		testLess( supLengthVec3d( slip ), 1e-5 * all.largest );
	}
	free( change );
	free( blocks.b );
	free( whole.b );
	free( paper.b );
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
		testGreaterEqual( push, 0.0 );
		testLessEqual( supLengthVec3d( along ), 1.03 * friction * push + 1e-12 );
		testGreater( supDotVec3d( slip, touch->normal ), -2e-3 );
		pressed += push > 0.0;
	}
	testGreater( pressed, 0 );
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
							.shared = s_tube.actor->shared->own,
							.trouble = &trouble };
		supLayeredRun run = supLayered_Start( s_tube.own, s_tube.actor->state, &step );
		double error = testCondensedError( &run, run.view.smooth ),
			   paper = testCondensedError( &run, run.view.softest );
		print_message( "step of 1/%.0f s, %s: %.2f %% in the spectral norm, %.2f %% with the paper's blocks\n",
					   1.0 / (double)steps[n % 3], n < 3 ? "on its clip" : "limp", 100.0 * error, 100.0 * paper );
		testGreaterEqual( error, 0.0 );
		testLess( error, 0.1 );
		testLess( error, paper );
		Leave( &s_tube );
	}
}

// Of links, and of nodes split among the frames that they ride on.
static double MeasureEnergy( const supLayeredRun* run )
{
	const supLayeredFlesh* flesh = run->flesh;
	double sum = 0.0;
	for ( int32_t i = 0; i < flesh->frameCount; ++i )
	{
		supFrameSpeed motion = supLayered_FrameSpeed( flesh->frames + i, run->view.maps + i, run->view.links );
		if ( i < flesh->links.count )
		{
			const supLink* link = flesh->links.links + i;
			sum += link->mass * supDotVec3d( motion.velocity, motion.velocity );
			sum += supDotVec3d( motion.spin, supMulMat3dVec( &link->inertia, motion.spin ) );
		}
		for ( int32_t k = flesh->frameStarts[i]; k < flesh->frameStarts[i + 1]; ++k )
		{
			int32_t a = flesh->frameNodes[k];
			supVec3d arm = supLayered_Arm( flesh, run->view.oldQ, a, i );
			supVec3d inner = supAddVec3d( supCrossVec3d( motion.spin, arm ), supLoadVec3d( run->view.v + 3 * a ) );
			supVec3d v = supAddVec3d( motion.velocity, supMulMat3dVec( run->view.rotations + i, inner ) );
			sum += flesh->skin.masses[a] * flesh->frameWeights[k] * supDotVec3d( v, v );
		}
	}
	return 0.5 * sum;
}

// Limp, with skin that does not move against it, and stopped by something at rest: whatever is touched, energy is lost.
static void AnswersGainNoEnergy( void** state )
{
	(void)state;
	static supNodeTouch touches[MANY_TOUCHES];
	double most = 0.0;
	for ( int32_t n = 0; n < 12; ++n )
	{
		supTrouble trouble = { 0 };
		supLayeredRun run = StartTouching( &trouble );
		int32_t count = n % 4 == 0 ? 1 : ( n % 4 == 1 ? 6 : ( n % 4 == 2 ? 40 : MANY_TOUCHES ) );
		memset( run.view.v, 0, 3 * (size_t)run.flesh->skin.nodeCount * sizeof( double ) );
		for ( int32_t i = 0; i < count; ++i )
		{
			// a patch, and all over
			int32_t node = count == 40 ? 60 + i : i * run.flesh->skin.nodeCount / count;
			touches[i] = ( supNodeTouch ){ .node = node,
										   .normal = { 0.0, n < 4 ? 1.0 : -1.0, 0.0 },
										   .friction = 0.3 * ( n / 4 ) };
		}
		double before = MeasureEnergy( &run );
		Respond( &run, touches, count );
		most = fmax( most, MeasureEnergy( &run ) / before );
		testLessEqual( MeasureEnergy( &run ), before * ( 1.0 + 1e-9 ) );
		Leave( &s_tube );
	}
	print_message( "energy after an answer: at most %g of that before\n", most );
}

// A node is pushed up, and takes skin around it along, where a neighbour has something right above it that free motion
// does not reach: answer after answer, each from where the last one has left them, both get out.
static void NeighboursAreNotPushedIn( void** state )
{
	(void)state;
	supTrouble trouble = { 0 };
	supLayeredRun run = StartTouching( &trouble );
	const supBlockMatrix* k = &run.flesh->skin.stiffness;
	const int32_t node = 100, first = k->columns[k->rowStarts[node]];
	const int32_t neighbour = first != node ? first : k->columns[k->rowStarts[node] + 1];
	const supSubstep step = {
		.dt = DT, .parameters = s_tube.actor->parameters, .shared = s_tube.actor->shared->own, .trouble = &trouble
	};
	supContactAnswer answers[2] = {
		{ .particle = node, .normal = { 0.0f, 1.0f, 0.0f }, .gap = -0.02f, .rigid = -1 },
		{ .particle = neighbour, .normal = { 0.0f, -1.0f, 0.0f }, .gap = 1e-4f, .rigid = -1 },
	};
	for ( int32_t round = 0; round < 8; ++round )
	{
		float before[2] = { run.view.x[node].y, run.view.x[neighbour].y };
		supContactParty party = {
			.flesh = run.flesh, .state = s_tube.actor->state, .step = &step, .count = 2, .answers = answers
		};
		supLayered_AnswerContacts( &party, 1 );
		for ( int32_t i = 0; i < 2; ++i )
		{
			answers[i].gap += answers[i].normal.y * ( run.view.x[answers[i].particle].y - before[i] );
		}
	}
	print_message( "gaps after 8 answers: %g mm, %g mm\n", 1e3 * (double)answers[0].gap, 1e3 * (double)answers[1].gap );
	testGreater( answers[0].gap, -1e-5f );
	testGreater( answers[1].gap, -1e-5f );
	Leave( &s_tube );
}

typedef struct Scenery
{
	const char* model;
	int32_t steps;
	float drop;  // the floor is this far under the body
	double most; // of the whole answer that may be off
} Scenery;

static void AddFloor( Stage* stage, float drop )
{
	supLayeredView view = supLayered_View( stage->own, stage->actor->state );
	float low = view.points[0].y;
	for ( int32_t i = 1; i < stage->own->skin.nodeCount; ++i )
	{
		low = supMinFloat( low, view.points[i].y );
	}
	AddCollider( stage, ( supShapeDef ){ .kind = sup_shapePlane }, sup_colliderStill,
				 supMakeVec3( 0.0f, low - drop, 0.0f ) );
}

// Limp bodies on a floor, as they land and as they lie: with the skin's own part of the contact matrix, the skeleton's
// answer is that of the whole skin but for a tenth; and the condensed matrix that contacts are answered with is as near
// as that of free motion. So is the whole answer with one block of each touched node, but where ears and tails swing as
// a whole: how far those give says little of how far a node of them does.
static void AnswersAreNear( void** state )
{
	(void)state;
	testMeasuresOnly();
	const Scenery sceneries[] = { { "tube5", 30, 0.01f, 0.1 },
								  { "snake", 12, 0.01f, 0.1 },
								  { "deer1748", 12, 0.02f, 0.1 },
								  { "deer1748", 40, 0.02f, (double)INFINITY } };
	Stage stage = { 0 };
	const char* model = "";
	for ( size_t n = 0; n < sizeof( sceneries ) / sizeof( sceneries[0] ); ++n )
	{
		const Scenery* scenery = sceneries + n;
		if ( strcmp( model, scenery->model ) != 0 )
		{
			FreeStage( &stage );
			// how near depends on the skin; these are the bounds for firm skin
			const supSetting firm = FIRM_SKIN;
			BuildStage( &stage, scenery->model, &firm, 1 );
			model = scenery->model;
		}
		Enter( &stage, supMakeVec3( 0.0f, -9.81f, 0.0f ), NULL );
		LetGo( &stage );
		AddFloor( &stage, scenery->drop );
		for ( int32_t i = 0; i < scenery->steps; ++i )
		{
			supScene_Step( stage.scene, DT );
		}
		supTrouble trouble = { 0 };
		supLayeredRun run = MakeRun( &stage, &trouble );
		testAnswerErrors paper, error = testMeasureAnswer( &run, &paper );
		double matrix = testCondensedError( &run, run.view.compliances );
		print_message(
			"%s, step %d, %d touches: the matrix is %.2f %% off in the spectral norm, the skeleton's answer %.1f "
			"%% (paper's blocks %.1f), with one block a touch %.1f %% (%.1f)\n",
			scenery->model, scenery->steps, error.touches, 100.0 * matrix, 100.0 * error.skeleton,
			100.0 * paper.skeleton, 100.0 * error.all, 100.0 * paper.all );
		testGreater( error.touches, 0 );
		testGreaterEqual( matrix, 0.0 );
		testLess( matrix, 0.1 );
		testGreaterEqual( error.skeleton, 0.0 );
		testLess( error.skeleton, 0.1 );
		testLessEqual( error.skeleton, paper.skeleton );
		testGreaterEqual( error.all, 0.0 );
		testLess( error.all, scenery->most );
		Leave( &stage );
	}
	FreeStage( &stage );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( FreeMotionIsThatOfTheWholeSystem ),
		cmocka_unit_test( TouchesAreMet ),
		cmocka_unit_test( TouchesOnlyPush ),
		cmocka_unit_test( ManyTouchesOnlyPush ),
		cmocka_unit_test( CondensedMatrixIsNear ),
		cmocka_unit_test( AnswersGainNoEnergy ),
		cmocka_unit_test( NeighboursAreNotPushedIn ),
		cmocka_unit_test( AnswersAreNear ),
	};
	return cmocka_run_group_tests( tests, BuildTube, FreeTube );
}
