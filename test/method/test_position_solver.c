// SPDX-License-Identifier: MIT
// The solver of position-based skinning on a bar of tetrahedra: order of constraints, threads, steps.
#include "bar.h"
#include "method/position/position.h"
#include "method/position/tether.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#define BONES 3

// A body that needs no character's mesh, and one actor of it.
typedef struct Body
{
	supTets tets;
	supBones bones;
	supCharacter* character;
	supPose* pose;
	uint16_t* joints;
	float* weights;
	float* softness;
	supPositionFlesh flesh;
	void* state;
	float parameters[sup_positionParameterCount];
	supRegionTuning region;
	supTrouble trouble;
	supSubstep step;
	float length; // of a bone
} Body;

typedef struct BodyDef
{
	int32_t nx, ny;
	float cell;
	float softness; // at the outside
	supPositionMode mode;
	supSkinning start;
} BodyDef;

static BodyDef DefaultBody( void )
{
	return ( BodyDef ){ .nx = 4, .ny = 18, .cell = 0.025f, .start = sup_skinningDualQuaternion };
}

static void CreateBody( Body* body, BodyDef def )
{
	*body = ( Body ){ 0 };
	testMakeBar( &body->tets, def.nx, def.ny, def.nx, def.cell );
	body->length = def.cell * (float)def.ny / (float)BONES;
	testMakeChainBones( &body->bones, BONES, body->length );
	body->character = testMakeChain( BONES, body->length );
	body->pose = supCreatePose( body->character );
	size_t count = (size_t)body->tets.pointCount;
	body->joints = calloc( 4 * count, sizeof( uint16_t ) );
	body->weights = calloc( 4 * count, sizeof( float ) );
	body->softness = calloc( count, sizeof( float ) );
	testWeighChain( &body->tets, BONES, body->length, 2.0f * def.cell, body->joints, body->weights );
	float outside = 0.5f * def.cell * (float)def.nx;
	for ( size_t i = 0; i < count; ++i )
	{
		supVec3 p = body->tets.points[i];
		float away = supMaxFloat( fabsf( p.x ), fabsf( p.z ) ) / outside;
		body->softness[i] = def.softness * away;
	}
	supPositionDef fleshDef = { .tets = &body->tets,
								.bones = &body->bones,
								.influences = 4,
								.joints = body->joints,
								.weights = body->weights,
								.softness = body->softness,
								.parameters = body->parameters };
	for ( int32_t i = 0; i < sup_positionParameterCount; ++i )
	{
		body->parameters[i] = supMethod_position.parameters[i].standard;
	}
	body->parameters[sup_positionMode] = (float)def.mode;
	body->parameters[sup_positionStart] = def.start == sup_skinningDualQuaternion ? 1.0f : 0.0f;
	supError error = { 0 };
	testRequire( supPositionFlesh_Init( &body->flesh, &fleshDef, &error ), &error );
	body->state = aligned_alloc( 64, supPositionFlesh_View( &body->flesh, NULL ).size );
	supPosition_Reset( &body->flesh, body->state, body->pose, NULL );
	body->step = ( supSubstep ){ .pose = body->pose,
								 .dt = 1.0f / 60.0f,
								 .trouble = &body->trouble,
								 .parameters = body->parameters,
								 .regions = &body->region };
}

static void DestroyBody( Body* body )
{
	supPositionFlesh_Destroy( &body->flesh );
	supTets_Destroy( &body->tets );
	supBones_Destroy( &body->bones );
	supDestroyPose( body->pose );
	supDestroyCharacter( body->character );
	free( body->joints );
	free( body->weights );
	free( body->softness );
	free( body->state );
}

static void Step( Body* body )
{
	supPosition_Predict( &body->flesh, body->state, &body->step );
	supPosition_Solve( &body->flesh, body->state, &body->step );
	supPosition_Finish( &body->flesh, body->state, &body->step );
}

static void Turn( Body* body, int32_t bone, supVec3 axis, float radians )
{
	supTransform local = supPose_GetLocal( body->pose, bone );
	local.rotation = supMakeQuatAxisAngle( axis, radians );
	supPose_SetLocal( body->pose, bone, local );
}

static supVec3 PositionOf( const Body* body, int32_t particle )
{
	const float* p = supPositionFlesh_View( &body->flesh, body->state ).positions + 4 * (size_t)particle;
	return supMakeVec3( p[0], p[1], p[2] );
}

static double Volume( const Body* body )
{
	double volume = 0.0;
	for ( int32_t i = 0; i < body->flesh.tetCount; ++i )
	{
		const int32_t* c = body->flesh.tets + 4 * (size_t)i;
		supVec3 a = PositionOf( body, c[0] );
		supVec3 n = supCross( supSub( PositionOf( body, c[1] ), a ), supSub( PositionOf( body, c[2] ), a ) );
		volume += (double)supDot( n, supSub( PositionOf( body, c[3] ), a ) ) / 6.0;
	}
	return volume;
}

// The farthest that a particle is from its place in the rest pose.
static float FarthestFromRest( const Body* body )
{
	float farthest = 0.0f;
	for ( int32_t i = 0; i < body->flesh.particleCount; ++i )
	{
		supVec3 p = PositionOf( body, i );
		assert_true( supIsFiniteVec3( p ) );
		farthest = supMaxFloat( farthest, supDistance( p, body->flesh.rest[i] ) );
	}
	return farthest;
}

// ---------------------------------------------------------------------------------------------------------------------

// Every constraint once, no two of a pack and no two domains of a level with a particle in common.
static void CheckSchedule( const supPositionFlesh* flesh, const supSchedule* schedule, int32_t itemCount,
						   const uint32_t* offsets, size_t packSize, int32_t arity )
{
	int32_t* seen = calloc( (size_t)itemCount, sizeof( int32_t ) );
	int32_t* domainOf = calloc( (size_t)flesh->particleCount, sizeof( int32_t ) );
	for ( int32_t level = 0; level < flesh->levels.count; ++level )
	{
		memset( domainOf, 0xFF, (size_t)flesh->particleCount * sizeof( int32_t ) );
		for ( int32_t domain = flesh->levels.starts[level]; domain < flesh->levels.starts[level + 1]; ++domain )
		{
			for ( int32_t pack = schedule->starts[domain]; pack < schedule->starts[domain + 1]; ++pack )
			{
				const uint32_t* at = offsets + packSize / 4 * (size_t)pack;
				for ( int32_t k = 0; k < arity * SUP_PACK; ++k )
				{
					int32_t particle = (int32_t)( at[k] / 16 );
					assert_true( domainOf[particle] == -1 || domainOf[particle] == domain );
					domainOf[particle] = domain;
					for ( int32_t other = 0; other < arity * SUP_PACK; ++other )
					{
						bool repeats = schedule->items[8 * pack + k % 8] == schedule->items[8 * pack + other % 8];
						assert_true( repeats || at[k] != at[other] );
					}
				}
				for ( int32_t k = 0; k < SUP_PACK; ++k )
				{
					bool first = k == 0 || schedule->items[8 * pack + k] != schedule->items[8 * pack];
					seen[schedule->items[8 * pack + k]] += first;
				}
			}
		}
	}
	for ( int32_t i = 0; i < itemCount; ++i )
	{
		assert_int_equal( seen[i], 1 );
	}
	free( seen );
	free( domainOf );
}

static void MarkDomain( const supSchedule* schedule, const uint32_t* offsets, size_t packSize, int32_t arity,
						int32_t domain, int32_t mark, int32_t* marks )
{
	for ( int32_t pack = schedule->starts[domain]; pack < schedule->starts[domain + 1]; ++pack )
	{
		for ( int32_t k = 0; k < arity * SUP_PACK; ++k )
		{
			int32_t* place = marks + offsets[packSize / 4 * (size_t)pack + (size_t)k] / 16;
			assert_true( *place == -1 || *place == mark );
			*place = mark;
		}
	}
}

// Nothing in a seam or on its two sides has a particle in common with what is in another of the same level.
static void CheckBranches( const supPositionFlesh* flesh )
{
	const int32_t* starts = flesh->levels.starts;
	int32_t* marks = calloc( (size_t)flesh->particleCount, sizeof( int32_t ) );
	for ( int32_t level = 0; level < flesh->levels.count && starts[1] >> level >= 2; ++level )
	{
		assert_int_equal( starts[level + 1] - starts[level], starts[1] >> level );
		memset( marks, 0xFF, (size_t)flesh->particleCount * sizeof( int32_t ) );
		for ( int32_t domain = 0; domain < starts[level + 1]; ++domain )
		{
			int32_t own = 0;
			while ( domain >= starts[own + 1] )
			{
				own += 1;
			}
			int32_t branch = ( domain - starts[own] ) >> ( level - own );
			MarkDomain( &flesh->stretch, flesh->stretchPacks[0].first, sizeof( supStretchPack ), 2, domain, branch,
						marks );
			MarkDomain( &flesh->bind, flesh->bindPacks[0].particle, sizeof( supBindPack ), 1, domain, branch, marks );
			MarkDomain( &flesh->volume, flesh->volumePacks[0].corners[0], sizeof( supVolumePack ), 4, domain, branch,
						marks );
		}
	}
	free( marks );
}

static void test_schedule( void** state )
{
	(void)state;
	static const int32_t sizes[3][2] = { { 1, 1 }, { 4, 18 }, { 8, 30 } };
	for ( int i = 0; i < 3; ++i )
	{
		BodyDef def = DefaultBody();
		def.nx = sizes[i][0];
		def.ny = sizes[i][1];
		Body body;
		CreateBody( &body, def );
		const supPositionFlesh* flesh = &body.flesh;
		assert_int_equal( flesh->tetCount, 6 * def.nx * def.nx * def.ny );
		CheckSchedule( flesh, &flesh->stretch, flesh->edgeCount, flesh->stretchPacks[0].first, sizeof( supStretchPack ),
					   2 );
		CheckSchedule( flesh, &flesh->volume, flesh->tetCount, flesh->volumePacks[0].corners[0],
					   sizeof( supVolumePack ), 4 );
		CheckSchedule( flesh, &flesh->bind, flesh->bindCount, flesh->bindPacks[0].particle, sizeof( supBindPack ), 1 );
		CheckBranches( flesh );
		DestroyBody( &body );
	}
}

static void Wiggle( Body* body, int32_t frame )
{
	float t = 0.1f * (float)frame;
	supCosSin turn = supComputeCosSin( t );
	Turn( body, 1, supMakeVec3( 0.0f, 0.0f, 1.0f ), 1.2f * turn.sine );
	Turn( body, 2, supMakeVec3( 0.3f, 1.0f, 0.0f ), 1.5f * turn.cosine );
}

static void test_same_bits_for_any_number_of_threads( void** state )
{
	(void)state;
	static const int threads[] = { 1, 2, 3, 4, 8 };
	BodyDef def = DefaultBody();
	def.softness = 1.0f;
	def.nx = 6;
	for ( int mode = 0; mode < 2; ++mode )
	{
		def.mode = (supPositionMode)mode;
		Body first;
		CreateBody( &first, def );
		size_t size = supPositionFlesh_View( &first.flesh, NULL ).size;
		supInstructionSet best = supGetInstructionSet();
		for ( int run = 0; run < 6; ++run )
		{
			Body body;
			CreateBody( &body, def );
			supThreadPool* pool = run < 5 ? supCreateThreadPool( threads[run] ) : NULL;
			body.step.tasks = pool != NULL ? supThreadPool_Tasks( pool ) : NULL;
			body.step.gravity = supMakeVec3( 0.0f, -9.81f, 0.0f );
			// the last run is with the other instruction set
			supSetInstructionSet( run < 5 ? best : sup_instructionsBaseline );
			for ( int32_t frame = 0; frame < 4; ++frame )
			{
				Wiggle( &body, frame );
				Step( &body );
			}
			supSetInstructionSet( best );
			if ( run == 0 )
			{
				memcpy( first.state, body.state, size );
			}
			assert_memory_equal( first.state, body.state, size );
			supDestroyThreadPool( pool );
			DestroyBody( &body );
		}
		DestroyBody( &first );
	}
}

// Eight actors solved together end in the same bytes as each alone, also where some differ and cannot share.
static void test_crowd( void** state )
{
	(void)state;
	for ( int mode = 0; mode < 4; ++mode )
	{
		BodyDef def = DefaultBody();
		def.softness = 1.0f;
		def.ny = 9;
		def.mode = (supPositionMode)( mode % 2 );
		Body alone[SUP_CROWD], crowd[SUP_CROWD];
		void* states[SUP_CROWD];
		const supSubstep* steps[SUP_CROWD];
		for ( int i = 0; i < SUP_CROWD; ++i )
		{
			CreateBody( alone + i, def );
			CreateBody( crowd + i, def );
			alone[i].parameters[sup_positionStretch] = mode >= 2 && i == 3 ? 0.5f : 0.9f;
			crowd[i].parameters[sup_positionStretch] = alone[i].parameters[sup_positionStretch];
			states[i] = crowd[i].state;
			steps[i] = &crowd[i].step;
		}
		for ( int32_t frame = 0; frame < 3; ++frame )
		{
			for ( int i = 0; i < SUP_CROWD; ++i )
			{
				Wiggle( alone + i, frame + 3 * i );
				Step( alone + i );
				Wiggle( crowd + i, frame + 3 * i );
				supPosition_Predict( &crowd[0].flesh, states[i], steps[i] );
			}
			supPosition_SolveMany( &crowd[0].flesh, states, steps );
			for ( int i = 0; i < SUP_CROWD; ++i )
			{
				supPosition_Finish( &crowd[0].flesh, states[i], steps[i] );
				assert_memory_equal( states[i], alone[i].state, supPositionFlesh_View( &alone[i].flesh, NULL ).size );
			}
		}
		for ( int i = 0; i < SUP_CROWD; ++i )
		{
			DestroyBody( alone + i );
			DestroyBody( crowd + i );
		}
	}
}

static void test_rest_stays_at_rest( void** state )
{
	(void)state;
	for ( int mode = 0; mode < 2; ++mode )
	{
		BodyDef def = DefaultBody();
		def.softness = 1.0f;
		def.mode = (supPositionMode)mode;
		Body body;
		CreateBody( &body, def );
		body.step.gravity = supMakeVec3( 0.0f, -9.81f, 0.0f );
		for ( int i = 0; i < 50; ++i )
		{
			Step( &body );
		}
		testLess( FarthestFromRest( &body ), 1e-5f );
		assert_true( supMethod_position.isSettled( &body.flesh, body.state ) );
		// with its own weight added it sags
		body.parameters[sup_positionSag] = 1.0f;
		for ( int i = 0; i < 50; ++i )
		{
			Step( &body );
		}
		testGreater( FarthestFromRest( &body ), 1e-4f );
		DestroyBody( &body );
	}
}

static void test_volume_is_kept( void** state )
{
	(void)state;
	BodyDef def = DefaultBody();
	Body body;
	CreateBody( &body, def );
	double rest = Volume( &body );
	for ( int i = 1; i <= 60; ++i )
	{
		Turn( &body, 1, supMakeVec3( 0.0f, 1.0f, 0.0f ), 0.05f * (float)i );
		Turn( &body, 2, supMakeVec3( 1.0f, 0.0f, 0.0f ), 0.035f * (float)i );
		Step( &body );
		assert_float_equal( Volume( &body ) / rest, 1.0, 5e-4 );
	}
	// without, the constraints on tets alone keep less of it
	body.parameters[sup_positionKeep] = 0.0f;
	Step( &body );
	testGreater( fabs( Volume( &body ) / rest - 1.0 ), 1e-3 );
	DestroyBody( &body );
}

// A tether moves as the exact solution does, for any cut of the time into steps.
static void test_tether( void** state )
{
	(void)state;
	static const float dampings[] = { 0.0f, 0.2f, 0.9f, 1.0f, 1.5f, 4.0f };
	for ( int d = 0; d < 6; ++d )
	{
		double w = 2.0 * 3.14159265358979 * 3.0, z = (double)dampings[d];
		// fine explicit steps in double
		double y = 0.3, u = -1.0, a = 5.0;
		int fine = 2000000;
		for ( int i = 0; i < fine; ++i )
		{
			double h = 0.2 / fine;
			u += h * ( a - w * w * y - 2.0 * z * w * u );
			y += h * u;
		}
		for ( int steps = 1; steps <= 10; steps += 9 )
		{
			supTether t = supMakeTether( 3.0f, dampings[d], 0.2f / (float)steps );
			double p = 0.3, v = -1.0;
			for ( int i = 0; i < steps; ++i )
			{
				double next = (double)t.yy * p + (double)t.yu * v + (double)t.ya * a;
				v = (double)t.uy * p + (double)t.uu * v + (double)t.yu * a;
				p = next;
			}
			assert_float_equal( p, y, 1e-5 );
			assert_float_equal( v, u, 2e-4 );
		}
	}
}

// Flesh on a bone that is knocked, held by nothing but its own stiffness: how often it swings a second.
static float CountSwings( Body* body )
{
	int32_t corner = 0;
	for ( int32_t i = 1; i < body->flesh.particleCount; ++i )
	{
		supVec3 p = body->flesh.rest[i], best = body->flesh.rest[corner];
		corner = p.x + p.z > best.x + best.z + 1e-4f ||
						 ( p.x + p.z > best.x + best.z - 1e-4f &&
						   fabsf( p.y - 1.5f * body->length ) < fabsf( best.y - 1.5f * body->length ) )
					 ? i
					 : corner;
	}
	supTransform local = supPose_GetLocal( body->pose, 0 );
	local.translation.y += 0.02f * body->length;
	supPose_SetLocal( body->pose, 0, local );
	float target = body->flesh.rest[corner].y + 0.02f * body->length;
	float first = 0.0f, last = 0.0f, before = 0.0f;
	int crossings = 0;
	for ( int i = 0; i < 2000 && crossings < 5; ++i )
	{
		Step( body );
		float away = PositionOf( body, corner ).y - target;
		if ( i > 0 && ( away < 0.0f ) != ( before < 0.0f ) )
		{
			last = body->step.dt * ( (float)i + before / ( before - away ) );
			first = crossings == 0 ? last : first;
			crossings += 1;
		}
		before = away;
	}
	assert_int_equal( crossings, 5 );
	return 2.0f / ( last - first );
}

// With nothing but the tether flesh swings as often as it was told, at every frame rate.
static void test_tether_swing( void** state )
{
	(void)state;
	static const float steps[3] = { 1.0f / 30.0f, 1.0f / 60.0f, 1.0f / 240.0f };
	for ( int run = 0; run < 3; ++run )
	{
		BodyDef def = DefaultBody();
		def.softness = 1.0f;
		def.ny = 9;
		Body body;
		CreateBody( &body, def );
		static const int32_t off[] = { sup_positionStretch, sup_positionVolume, sup_positionBind, sup_positionKeep,
									   sup_positionAir };
		for ( int i = 0; i < 5; ++i )
		{
			body.parameters[off[i]] = 0.0f;
		}
		body.region = ( supRegionTuning ){ .frequency = 3.0f, .damping = 0.1f };
		body.step.dt = steps[run];
		assert_float_equal( CountSwings( &body ), 3.0f * sqrtf( 0.99f ), 0.03f );
		DestroyBody( &body );
	}
}

// The look of compliant flesh is a matter of its modulus, not of the number of iterations.
static void test_compliant_swing( void** state )
{
	(void)state;
	testMeasuresOnly();
	static const float settings[5][2] = { { 12, 1 }, { 24, 1 }, { 48, 1 }, { 12, 4 }, { 48, 4 } };
	float frequencies[5];
	for ( int run = 0; run < 5; ++run )
	{
		BodyDef def = DefaultBody();
		def.softness = 1.0f;
		def.mode = sup_positionCompliant;
		Body body;
		CreateBody( &body, def );
		body.parameters[sup_positionFrequency] = 0.0f;
		body.parameters[sup_positionAir] = 0.0f;
		body.parameters[sup_positionIterations] = settings[run][0];
		body.parameters[sup_positionStiffness] = settings[run][1] * 0.1f;
		body.step.dt = 1.0f / 480.0f;
		frequencies[run] = CountSwings( &body );
		DestroyBody( &body );
	}
	assert_float_equal( frequencies[1] / frequencies[0], 1.0f, 0.05f );
	assert_float_equal( frequencies[2] / frequencies[0], 1.0f, 0.05f );
	assert_float_equal( frequencies[4] / frequencies[3], 1.0f, 0.05f );
	// four times as stiff, twice as fast
	assert_float_equal( frequencies[4] / frequencies[2], 2.0f, 0.1f );
}

// What the world may throw at it: jumps, spins, steps of any length. Never NaN, and rest when it is over.
static void test_comes_back( void** state )
{
	(void)state;
	static const float scales[3] = { 1.0f, 0.002f, 200.0f };
	int poses = getenv( "SUPPLE_SOAK" ) != NULL ? 34000 : 100;
	for ( int run = 0; run < 3; ++run )
	{
		BodyDef def = DefaultBody();
		def.softness = 1.0f;
		def.ny = 9;
		def.cell *= scales[run];
		Body body;
		CreateBody( &body, def );
		body.step.gravity = supMakeVec3( 0.0f, -9.81f, 0.0f );
		testRandom random = testMakeRandom( 77 );
		for ( int i = 0; i < poses; ++i )
		{
			for ( int32_t bone = 0; bone < BONES; ++bone )
			{
				supTransform local = supPose_GetLocal( body.pose, bone );
				local.rotation = testRandomQuat( &random );
				if ( bone == 0 )
				{
					local.translation = testRandomVec3( &random, scales[run] * ( i % 10 == 0 ? 50.0f : 0.5f ) );
				}
				supPose_SetLocal( body.pose, bone, local );
			}
			static const float lengths[5] = { 1.0f / 60.0f, 1.0f / 6.0f, 1e-6f, 0.01f, 1.0f };
			body.step.dt = lengths[testRandomInt( &random, 5 )];
			body.step.wind = testRandomVec3( &random, 20.0f );
			Step( &body );
			for ( int32_t k = 0; k < body.flesh.particleCount; ++k )
			{
				assert_true( supIsFiniteVec3( PositionOf( &body, k ) ) );
			}
		}
		supPose_SetRest( body.pose );
		body.step.dt = 1.0f / 60.0f;
		body.step.wind = supVec3_zero;
		for ( int i = 0; i < 400; ++i )
		{
			Step( &body );
		}
		testLess( FarthestFromRest( &body ), 0.02f * body.flesh.edge );
		assert_int_equal( body.trouble.notFinite, 0 );
		DestroyBody( &body );
	}
}

static void test_not_a_number_is_repaired( void** state )
{
	(void)state;
	Body body;
	BodyDef def = DefaultBody();
	def.softness = 1.0f;
	CreateBody( &body, def );
	supPositionView view = supPositionFlesh_View( &body.flesh, body.state );
	view.positions[4 * 17] = NAN;
	view.velocities[4 * 40 + 1] = INFINITY;
	Step( &body );
	testGreater( body.trouble.notFinite, 0 );
	for ( int i = 0; i < 300; ++i )
	{
		Step( &body );
	}
	testLess( FarthestFromRest( &body ), 0.01f * body.flesh.edge );
	DestroyBody( &body );
}

typedef struct Failing
{
	Body* body;
	supPositionDef def;
} Failing;

static bool Attempt( void* context )
{
	Failing* failing = context;
	supPositionFlesh flesh = { 0 };
	supError error = { 0 };
	bool ok = supPositionFlesh_Init( &flesh, &failing->def, &error );
	supPositionFlesh_Destroy( &flesh );
	return ok;
}

static void test_out_of_memory( void** state )
{
	(void)state;
	Body body;
	CreateBody( &body, DefaultBody() );
	Failing failing = { .def = { .tets = &body.tets,
								 .bones = &body.bones,
								 .influences = 4,
								 .joints = body.joints,
								 .weights = body.weights,
								 .parameters = body.parameters } };
	testEachAllocationFailure( Attempt, &failing, 200 );
	DestroyBody( &body );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( test_schedule ),       cmocka_unit_test( test_same_bits_for_any_number_of_threads ),
		cmocka_unit_test( test_crowd ),          cmocka_unit_test( test_rest_stays_at_rest ),
		cmocka_unit_test( test_volume_is_kept ), cmocka_unit_test( test_tether ),
		cmocka_unit_test( test_tether_swing ),   cmocka_unit_test( test_compliant_swing ),
		cmocka_unit_test( test_comes_back ),     cmocka_unit_test( test_not_a_number_is_repaired ),
		cmocka_unit_test( test_out_of_memory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
