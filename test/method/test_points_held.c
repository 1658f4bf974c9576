// SPDX-License-Identifier: MIT
// labels: threads
// threads: SameBitsOnAnyThreads
// What holds a body of the implicit integrator: a force on one place moves all of it, so that nothing sinks.
#include "support.h"

#include "method/points/flesh.h"
#include "method/points/props.h"
#include "method/points/solver_internal.h"
#include "scene/attachment.h"

// ---------------------------------------------------------------------------------------------------------------------
// The response against a dense inverse

#define MOST 24 // points of the sample

static void SolveDense( int n, double a[3 * MOST][3 * MOST], double b[3 * MOST] )
{
	for ( int i = 0; i < n; ++i )
	{
		for ( int row = i + 1; row < n; ++row )
		{
			double factor = a[row][i] / a[i][i];
			for ( int k = i; k < n; ++k )
			{
				a[row][k] -= factor * a[i][k];
			}
			b[row] -= factor * b[i];
		}
	}
	for ( int i = n - 1; i >= 0; --i )
	{
		for ( int k = i + 1; k < n; ++k )
		{
			b[i] -= a[i][k] * b[k];
		}
		b[i] /= a[i][i];
	}
}

typedef struct Body
{
	supPointBody body;
	supPointSettings settings;
	supPointState state;
	supPointStep step;
	supTrouble trouble;
	void* block;
} Body;

static void StartBody( Body* b, const uint8_t* fixed )
{
	supProp prop = { 0 };
	assert_true( supProp_AddRope( &prop, supVec3_zero, supMakeVec3( 0.5f, 0, 0 ), 0.1f, 5 ) );
	supPointBodyDef def = supDefaultPointBodyDef();
	def.pointCount = prop.points.count;
	def.points = prop.points.data;
	def.tetCount = prop.tets.count / 4;
	def.tets = prop.tets.data;
	def.fixed = fixed;
	supError error = { 0 };
	testRequire( supPointBody_Init( &b->body, &def, &error ), &error );
	supProp_Destroy( &prop );
	assert_int_equal( b->body.pointCount, MOST );
	b->settings = supDefaultPointSettings();
	b->settings.integrator = sup_integratorImplicit;
	b->settings.drag = 0.5f;
	b->block = supAlloc( supPointState_Size( &b->body, sup_integratorImplicit ) );
	supPointState_Reset( &b->body, sup_integratorImplicit, b->block );
	b->state = supPointState_View( &b->body, sup_integratorImplicit, b->block );
	b->step = ( supPointStep ){ .dt = 0.01f, .trouble = &b->trouble };
}

static void FreeBody( Body* b )
{
	supFree( b->block );
	supPointBody_Destroy( &b->body );
}

// Column `unknown` of m ( 1 + h drag ) + h D + h² K as the solver multiplies it, at x; 1 on the diagonal of what is
// fixed.
static void ReadColumn( Body* b, float* x, int unknown, double column[3 * MOST] )
{
	size_t slots = 4 * (size_t)b->body.slotCount;
	float* p = supAllocZeroed( slots * sizeof( float ) );
	float* y = supAllocZeroed( slots * sizeof( float ) );
	p[4 * ( unknown / 3 ) + unknown % 3] = 1.0f;
	supMultiplyStiffness( &b->body, &b->settings, x, p, y, b->step.dt, NULL );
	for ( int i = 0; i < 3 * b->body.pointCount; ++i )
	{
		double w = (double)b->body.inverseMasses[i / 3];
		double mass = w > 0.0 ? ( 1.0 + (double)( b->step.dt * b->settings.drag ) ) / w : 1.0;
		bool fixed = w == 0.0 || b->body.inverseMasses[unknown / 3] == 0.0f;
		column[i] = ( fixed ? 0.0 : (double)y[4 * ( i / 3 ) + i % 3] ) + ( i == unknown ? mass : 0.0 );
	}
	supFree( p );
	supFree( y );
}

static void CheckResponse( const uint8_t* fixed )
{
	Body b = { 0 };
	StartBody( &b, fixed );
	testRandom random = testMakeRandom( 3 );
	for ( int i = 0; i < 4 * b.body.pointCount; ++i )
	{
		if ( i % 4 != 3 && b.state.x[i | 3] > 0.0f )
		{
			b.state.x[i] += testRandomFloat( &random, -0.01f, 0.01f );
			b.state.v[i] += testRandomFloat( &random, -0.1f, 0.1f );
		}
	}
	// the matrix is that of where the step began, moved on with the old velocity
	size_t size = 4 * (size_t)b.body.slotCount * sizeof( float );
	float* x = supAllocZeroed( size );
	for ( int i = 0; i < 4 * b.body.pointCount; ++i )
	{
		x[i] = b.state.x[i] + ( i % 4 != 3 ? b.step.dt * b.state.v[i] : 0.0f );
	}
	supRefreshCopies( &b.body, x );
	assert_true( supPointSolver_Predict( &b.body, &b.settings, &b.state, &b.step ) );
	const int32_t points[3] = { 4, 5, 13 };
	const float weights[3] = { 0.5f, 0.75f, -0.25f };
	supMat3 columns[MOST];
	assert_true(
		supPointSolver_ComputeResponse( &b.body, &b.settings, &b.state, &b.step, 3, points, weights, columns ) );
	for ( int axis = 0; axis < 3; ++axis )
	{
		static double a[3 * MOST][3 * MOST];
		double rhs[3 * MOST] = { 0 }, largest = 0.0, column[3 * MOST];
		for ( int i = 0; i < 3 * MOST; ++i )
		{
			ReadColumn( &b, x, i, column );
			for ( int k = 0; k < 3 * MOST; ++k )
			{
				a[k][i] = column[k];
			}
		}
		for ( int k = 0; k < 3; ++k )
		{
			rhs[3 * points[k] + axis] = b.body.inverseMasses[points[k]] > 0.0f ? 1e-4 * (double)weights[k] : 0.0;
		}
		SolveDense( 3 * MOST, a, rhs );
		for ( int i = 0; i < 3 * MOST; ++i )
		{
			largest = fabs( rhs[i] ) > largest ? fabs( rhs[i] ) : largest;
		}
		for ( int i = 0; i < MOST; ++i )
		{
			supVec3 c = axis == 0 ? columns[i].cx : axis == 1 ? columns[i].cy : columns[i].cz;
			testLess( fabs( (double)c.x - rhs[3 * i] ), 1e-5 * largest );
			testLess( fabs( (double)c.y - rhs[3 * i + 1] ), 1e-5 * largest );
			testLess( fabs( (double)c.z - rhs[3 * i + 2] ), 1e-5 * largest );
		}
	}
	supFree( x );
	FreeBody( &b );
}

static void ResponseIsTheInverse( void** state )
{
	(void)state;
	const uint8_t fixed[MOST] = { [0] = 1, [1] = 1, [2] = 1, [5] = 1 };
	CheckResponse( NULL );
	CheckResponse( fixed );
}

// ---------------------------------------------------------------------------------------------------------------------
// In a scene

typedef struct Sample
{
	supProp prop;
	supCharacter* character;
	supFlesh* flesh[2];
	supScene* scene;
	supActor* actors[2];
} Sample;

// Ropes that hang down a metre from the origin, the second one beside it and of another integrator.
static void StartSample( Sample* s, int32_t substeps, supVec3 gravity, const supTasks* tasks )
{
	supError error = { 0 };
	assert_true( supProp_AddRope( &s->prop, supVec3_zero, supMakeVec3( 0, -1, 0 ), 0.1f, 10 ) );
	assert_true( supProp_Finish( &s->prop ) );
	s->character = supProp_CreateCharacter( &s->prop, "rope", &error );
	supTetMesh tets = supProp_Tets( &s->prop );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.substeps = substeps;
	sceneDef.gravity = gravity;
	sceneDef.tasks = tasks;
	s->scene = supCreateScene( &sceneDef, &error );
	for ( int32_t i = 0; i < 2; ++i )
	{
		supIntegrator integrator = i == 0 ? sup_integratorImplicit : sup_integratorVerlet;
		const supSetting settings[4] = {
			{ "integrator", (float)integrator }, { "air", 0.0f }, { "damping", 0.01f }, { "stretch", 2e5f }
		};
		supFleshDef def = supDefaultFleshDef();
		def.method = sup_methodPoints;
		def.tets = &tets;
		def.settings = settings;
		def.settingCount = 4;
		s->flesh[i] = supBuildFlesh( s->character, &def, NULL, &error );
		testRequire( s->flesh[i] != NULL, &error );
		s->actors[i] = supScene_AddActor( s->scene, s->flesh[i], &error );
		testRequire( s->actors[i] != NULL, &error );
	}
	supTransform local = supPose_GetLocal( supActor_Pose( s->actors[1] ), 0 );
	local.translation.x += 0.3f;
	supPose_SetLocal( supActor_Pose( s->actors[1] ), 0, local );
	supActor_Reset( s->actors[1] );
}

static void FreeSample( Sample* s )
{
	supDestroyScene( s->scene );
	supDestroyFlesh( s->flesh[0] );
	supDestroyFlesh( s->flesh[1] );
	supDestroyCharacter( s->character );
	supProp_Destroy( &s->prop );
}

static supPlace OnVertex( supActor* actor, int32_t vertex )
{
	return ( supPlace ){ .kind = sup_placeSurface,
						 .actor = actor,
						 .point = { .vertices = { vertex, vertex, vertex }, .weights = { 1.0f } } };
}

static supAttachment* Join( Sample* s, supPlace first, supPlace second )
{
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0] = first;
	def.places[1] = second;
	supError error = { 0 };
	supAttachment* attachment = supScene_Attach( s->scene, &def, &error );
	testRequire( attachment != NULL, &error );
	return attachment;
}

static supAttachment* Nail( Sample* s, supActor* actor, int32_t vertex )
{
	supPlace place = { .kind = sup_placeWorld, .position = supActor_Positions( actor, 0 )[vertex] };
	return Join( s, OnVertex( actor, vertex ), place );
}

static double Mass( const Sample* s )
{
	const supPointBody* body = &( (const supPointsFlesh*)s->flesh[0]->own )->body;
	double mass = 0.0;
	for ( int32_t i = 0; i < body->pointCount; ++i )
	{
		mass += 1.0 / (double)body->inverseMasses[i];
	}
	return mass;
}

// Where the lowest point of a rope comes to rest that hangs on one of its points.
static float RestHeight( int32_t substeps )
{
	Sample s = { 0 };
	StartSample( &s, substeps, supMakeVec3( 0, -9.81f, 0 ), NULL );
	supScene_RemoveActor( s.scene, s.actors[1] );
	supActor_SetParameter( s.actors[0], sup_pointsAir, 4.0f );
	supAttachment* nail = Nail( &s, s.actors[0], 0 );
	int32_t last = s.prop.points.count - 1;
	float before = 0.0f;
	for ( int32_t i = 0; i < 200; ++i )
	{
		before = supActor_Positions( s.actors[0], 0 )[last].y;
		supScene_Step( s.scene, 1.0f / 30.0f );
		testLess( supAttachment_Gap( nail ), 2e-6f );
	}
	float y = supActor_Positions( s.actors[0], 0 )[last].y;
	testLess( fabsf( y - before ), 1e-5f );
	assert_float_equal( supAttachment_Force( nail ).y, Mass( &s ) * 9.81, 1e-3f * Mass( &s ) * 9.81 );
	FreeSample( &s );
	return y;
}

static void LoadsDoNotSink( void** state )
{
	(void)state;
	testMeasuresOnly();
	float rest = RestHeight( 1 );
	testLess( rest, -1.05f );
	testGreater( rest, -1.3f );
	assert_float_equal( RestHeight( 4 ), rest, 2e-5f );
	assert_float_equal( RestHeight( 16 ), rest, 2e-5f );
}

// Where several places of one body are held they are met together.
static void PlacesAreMetTogether( void** state )
{
	(void)state;
	Sample s = { 0 };
	StartSample( &s, 2, supMakeVec3( 0, -9.81f, 0 ), NULL );
	// the implicit rope hangs on the four points of its upper end, and the two ropes hold each other in two places
	supAttachment* held[6];
	for ( int32_t i = 0; i < 4; ++i )
	{
		held[i] = Nail( &s, s.actors[0], i );
	}
	const int32_t far[2] = { 36, 41 };
	for ( int32_t i = 0; i < 2; ++i )
	{
		supAttachmentDef def = supDefaultAttachmentDef();
		def.placeCount = 2;
		def.places[0] = OnVertex( s.actors[0], far[i] );
		def.places[1] = OnVertex( s.actors[1], far[i] );
		def.assembly = 0.2f;
		held[4 + i] = supScene_Attach( s.scene, &def, NULL );
		assert_non_null( held[4 + i] );
	}
	for ( int32_t i = 0; i < 60; ++i )
	{
		supScene_Step( s.scene, 1.0f / 60.0f );
		for ( int32_t k = 0; k < 6; ++k )
		{
			assert_true( ( k > 3 && i < 15 ) || supAttachment_Gap( held[k] ) < 2e-6f );
		}
	}
	FreeSample( &s );
}

static supVec3 Momentum( const Sample* s )
{
	supVec3 sum = supVec3_zero;
	for ( int32_t a = 0; a < 2; ++a )
	{
		const supPointsFlesh* flesh = s->flesh[a]->own;
		supPointsView view = supPointsFlesh_View( flesh, s->actors[a]->state );
		for ( int32_t i = 0; i < flesh->pointCount; ++i )
		{
			// Verlet's own are those between the positions
			const float* v = ( a == 0 ? view.state.v : view.state.history ) + 4 * i;
			sum = supMulAdd( sum, 1.0f / flesh->body.inverseMasses[i], supMakeVec3( v[0], v[1], v[2] ) );
		}
	}
	return sum;
}

// An implicit rope and an explicit one, tied together: what one gains the other loses, though they fly apart at first.
static void MomentumIsKept( void** state )
{
	(void)state;
	Sample s = { 0 };
	StartSample( &s, 40, supVec3_zero, NULL );
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0] = OnVertex( s.actors[0], 5 );
	def.places[1] = OnVertex( s.actors[1], 20 );
	def.assembly = 0.3f;
	supError error = { 0 };
	supAttachment* joint = supScene_Attach( s.scene, &def, &error );
	testRequire( joint != NULL, &error );
	const supPointsFlesh* flesh = s.flesh[1]->own;
	supPointsView view = supPointsFlesh_View( flesh, s.actors[1]->state );
	for ( int32_t i = 0; i < flesh->pointCount; ++i )
	{
		view.state.v[4 * i] = 1.0f;
		view.state.history[4 * i] = 1.0f;
	}
	supVec3 expected = supMakeVec3( (float)Mass( &s ), 0.0f, 0.0f );
	for ( int32_t i = 0; i < 60; ++i )
	{
		supScene_Step( s.scene, 1.0f / 60.0f );
		supVec3 now = Momentum( &s );
		testLess( supDistance( now, expected ), 1e-4f * expected.x );
	}
	FreeSample( &s );
}

// A leash holds the whole body at its length, and lets it alone before.
static void LeashHoldsTheBody( void** state )
{
	(void)state;
	Sample s = { 0 };
	StartSample( &s, 2, supMakeVec3( 0, -9.81f, 0 ), NULL );
	supActor_SetParameter( s.actors[0], sup_pointsAir, 4.0f );
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0] = OnVertex( s.actors[0], 0 );
	def.places[1] = ( supPlace ){ .kind = sup_placeWorld, .position = supActor_Positions( s.actors[0], 0 )[0] };
	def.slack = 0.3f;
	supError error = { 0 };
	supAttachment* leash = supScene_Attach( s.scene, &def, &error );
	testRequire( leash != NULL, &error );
	for ( int32_t i = 0; i < 150; ++i )
	{
		supScene_Step( s.scene, 1.0f / 30.0f );
		testLess( supAttachment_Gap( leash ), 1e-5f );
		assert_true( i > 3 || supLength( supAttachment_Force( leash ) ) == 0.0f );
	}
	supVec3 place = supActor_Positions( s.actors[0], 0 )[0];
	assert_float_equal( supDistance( place, def.places[1].position ), 0.3f, 1e-5f );
	assert_float_equal( supAttachment_Force( leash ).y, Mass( &s ) * 9.81, 2e-3f * Mass( &s ) * 9.81 );
	FreeSample( &s );
}

static void HoldAndStep( Sample* s, int32_t steps )
{
	Nail( s, s->actors[0], 0 );
	Join( s, OnVertex( s->actors[0], 20 ), OnVertex( s->actors[1], 20 ) );
	for ( int32_t i = 0; i < steps; ++i )
	{
		supScene_Step( s->scene, 1.0f / 60.0f );
	}
}

static void SameBitsOnAnyThreads( void** state )
{
	(void)state;
	supVec3 first[64];
	for ( int32_t threads = 1; threads <= 3; threads += 2 )
	{
		Sample s = { 0 };
		supThreadPool* pool = supCreateThreadPool( threads );
		StartSample( &s, 4, supMakeVec3( 0, -9.81f, 0 ), supThreadPool_Tasks( pool ) );
		HoldAndStep( &s, 10 );
		const supVec3* x = supActor_Positions( s.actors[0], 0 );
		testLessEqual( s.prop.points.count, 64 );
		size_t size = (size_t)s.prop.points.count * sizeof( supVec3 );
		if ( threads == 1 )
		{
			memcpy( first, x, size );
		}
		assert_memory_equal( first, x, size );
		FreeSample( &s );
		supDestroyThreadPool( pool );
	}
}

static void StepsAllocateNothing( void** state )
{
	(void)state;
	testHeap heap = { .failAt = -1 };
	testInstallHeap( &heap );
	Sample s = { 0 };
	StartSample( &s, 2, supVec3_zero, NULL );
	HoldAndStep( &s, 1 );
	int64_t allocations = heap.allocations;
	for ( int32_t i = 0; i < 5; ++i )
	{
		supScene_Step( s.scene, 1.0f / 60.0f );
	}
	assert_int_equal( heap.allocations, allocations );
	// no room for a response: refused, and nothing is left behind
	heap.failAt = heap.allocations;
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0] = OnVertex( s.actors[0], 8 );
	def.places[1] = ( supPlace ){ .kind = sup_placeWorld };
	supError error = { 0 };
	assert_null( supScene_Attach( s.scene, &def, &error ) );
	assert_int_equal( error.code, sup_errorMemory );
	heap.failAt = -1;
	supScene_Step( s.scene, 1.0f / 60.0f );
	FreeSample( &s );
	testUninstallHeap( &heap );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( ResponseIsTheInverse ), cmocka_unit_test( LoadsDoNotSink ),
		cmocka_unit_test( PlacesAreMetTogether ), cmocka_unit_test( MomentumIsKept ),
		cmocka_unit_test( LeashHoldsTheBody ),    cmocka_unit_test( SameBitsOnAnyThreads ),
		cmocka_unit_test( StepsAllocateNothing ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
