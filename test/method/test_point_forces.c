// SPDX-License-Identifier: MIT
// labels: threads
// Forces against the energy they come from, products against forces, and what a body refuses.
#include "support.h"

#include "method/points/props.h"
#include "method/points/solver_internal.h"

typedef struct Sample
{
	supProp prop;
	supPointBody body;
	supPointSettings settings;
	void* block;
	supPointState state;
} Sample;

static void InitSample( Sample* sample, int32_t nx, int32_t ny, int32_t nz )
{
	*sample = ( Sample ){ .settings = supDefaultPointSettings() };
	supLattice lattice = { nx, ny, nz, .x = { 0.1f, 0, 0 }, .y = { 0, 0.12f, 0 }, .z = { 0, 0, 0.09f } };
	assert_true( supProp_AddLattice( &sample->prop, &lattice ) && supProp_Finish( &sample->prop ) );
	supPointBodyDef def = supDefaultPointBodyDef();
	def.pointCount = sample->prop.points.count;
	def.points = sample->prop.points.data;
	def.tetCount = sample->prop.tets.count / 4;
	def.tets = sample->prop.tets.data;
	def.triangleCount = sample->prop.triangles.count / 3;
	def.triangles = sample->prop.triangles.data;
	supError error = { 0 };
	testRequire( supPointBody_Init( &sample->body, &def, &error ), &error );
	sample->settings.integrator = sup_integratorImplicit;
	sample->block = supAlloc( supPointState_Size( &sample->body, sup_integratorImplicit ) );
	supPointState_Reset( &sample->body, sup_integratorImplicit, sample->block );
	sample->state = supPointState_View( &sample->body, sup_integratorImplicit, sample->block );
}

static void FreeSample( Sample* sample )
{
	supFree( sample->block );
	supPointBody_Destroy( &sample->body );
	supProp_Destroy( &sample->prop );
}

static void Shake( Sample* sample, float size, float speed )
{
	testRandom random = testMakeRandom( 7 );
	for ( int32_t i = 0; i < sample->body.pointCount; ++i )
	{
		supVec3 d = testRandomVec3( &random, size ), v = testRandomVec3( &random, speed );
		const float* step = &d.x;
		for ( int k = 0; k < 3; ++k )
		{
			sample->state.x[4 * i + k] += step[k];
			sample->state.v[4 * i + k] = ( &v.x )[k];
		}
	}
}

// Laws one at a time: edges, triangles, tets.
static void OnlyLaw( supPointSettings* settings, int law, float damping )
{
	supMaterialLaw* laws[3] = { &settings->edges, &settings->triangles, &settings->tets };
	for ( int k = 0; k < 3; ++k )
	{
		*laws[k] = ( supMaterialLaw ){ k == law ? 2e4f : 0.0f, damping };
	}
}

static double LargestForce( const Sample* sample )
{
	double largest = 0.0;
	for ( int32_t i = 0; i < 4 * sample->body.pointCount; ++i )
	{
		largest = fmax( largest, fabs( (double)sample->state.f[i] ) );
	}
	return largest;
}

static void ForceIsGradient( void** state )
{
	(void)state;
	for ( int law = 0; law < 3; ++law )
	{
		Sample s;
		InitSample( &s, 2, 2, 1 );
		OnlyLaw( &s.settings, law, 0.0f );
		Shake( &s, 0.02f, 0.0f );
		supPointSolver_Evaluate( &s.body, &s.settings, &s.state, NULL );
		double largest = LargestForce( &s );
		testGreater( largest, 1.0 );
		for ( int32_t i = 0; i < 4 * s.body.pointCount; ++i )
		{
			if ( i % 4 == 3 )
			{
				assert_true( s.state.f[i] == 0.0f );
				continue;
			}
			float x = s.state.x[i];
			float high = x + 2e-4f, low = x - 2e-4f;
			s.state.x[i] = high;
			double above = supPointSolver_ElasticEnergy( &s.body, &s.settings, &s.state );
			s.state.x[i] = low;
			double below = supPointSolver_ElasticEnergy( &s.body, &s.settings, &s.state );
			s.state.x[i] = x;
			double force = -( above - below ) / ( (double)high - (double)low );
			testLess( fabs( force - (double)s.state.f[i] ), 2e-4 * largest );
		}
		FreeSample( &s );
	}
}

// One tet: the power of damping is -k T ( dC/dt )², with dC/dt from the tet's volume.
static void DampingTakesEnergy( void** state )
{
	(void)state;
	const supVec3 points[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	const int32_t tet[4] = { 0, 1, 2, 3 };
	supPointBodyDef def = supDefaultPointBodyDef();
	def.pointCount = 4;
	def.points = points;
	def.tetCount = 1;
	def.tets = tet;
	Sample s = { .settings = supDefaultPointSettings() };
	supError error = { 0 };
	testRequire( supPointBody_Init( &s.body, &def, &error ), &error );
	s.block = supAlloc( supPointState_Size( &s.body, sup_integratorVerlet ) );
	supPointState_Reset( &s.body, sup_integratorVerlet, s.block );
	s.state = supPointState_View( &s.body, sup_integratorVerlet, s.block );
	const float T = 0.01f;
	OnlyLaw( &s.settings, 2, T );
	Shake( &s, 0.0f, 1.0f );
	supPointSolver_Evaluate( &s.body, &s.settings, &s.state, NULL );
	double power = 0.0;
	for ( int i = 0; i < 16; ++i )
	{
		power += (double)s.state.f[i] * (double)s.state.v[i];
	}
	// at rest the volume changes by Σ ∇V . v; det' = tr( e' ) for the unit tet
	double rate = 0.0;
	for ( int k = 0; k < 3; ++k )
	{
		rate += (double)s.state.v[4 * ( k + 1 ) + k] - (double)s.state.v[k];
	}
	double k = 2e4 / 6.0;
	testLess( fabs( power + k * (double)T * rate * rate ), 1e-4 * k * (double)T * rate * rate );
	FreeSample( &s );
}

// At rest the Gauss-Newton matrix is the whole of the second derivatives.
static void ProductIsDerivative( void** state )
{
	(void)state;
	for ( int law = 0; law < 3; ++law )
	{
		Sample s;
		InitSample( &s, 2, 1, 1 );
		OnlyLaw( &s.settings, law, 0.0f );
		float* p = s.state.cg[1];
		float* y = s.state.cg[2];
		testRandom random = testMakeRandom( 3 );
		for ( int32_t i = 0; i < 4 * s.body.pointCount; ++i )
		{
			p[i] = i % 4 == 3 ? 0.0f : testRandomFloat( &random, -1.0f, 1.0f );
		}
		supMultiplyStiffness( &s.body, &s.settings, s.state.x, p, y, 1.0f, NULL );
		const float e = 1e-4f;
		float forces[2][4 * 64];
		for ( int side = 0; side < 2; ++side )
		{
			supPointState_Reset( &s.body, sup_integratorImplicit, s.block );
			testRandom again = testMakeRandom( 3 );
			for ( int32_t i = 0; i < 4 * s.body.pointCount; ++i )
			{
				s.state.x[i] += i % 4 == 3 ? 0.0f : ( side == 0 ? e : -e ) * testRandomFloat( &again, -1.0f, 1.0f );
			}
			supPointSolver_Evaluate( &s.body, &s.settings, &s.state, NULL );
			memcpy( forces[side], s.state.f, 4 * sizeof( float ) * (size_t)s.body.pointCount );
		}
		supPointState_Reset( &s.body, sup_integratorImplicit, s.block );
		testRandom third = testMakeRandom( 3 );
		for ( int32_t i = 0; i < 4 * s.body.pointCount; ++i )
		{
			p[i] = i % 4 == 3 ? 0.0f : testRandomFloat( &third, -1.0f, 1.0f );
		}
		supMultiplyStiffness( &s.body, &s.settings, s.state.x, p, y, 1.0f, NULL );
		double largest = 0.0, worst = 0.0;
		for ( int32_t i = 0; i < 4 * s.body.pointCount; ++i )
		{
			double expected = -( (double)forces[0][i] - (double)forces[1][i] ) / ( 2.0 * (double)e );
			largest = fmax( largest, fabs( expected ) );
			worst = fmax( worst, fabs( expected - (double)y[i] ) );
		}
		// single precision of a difference of forces
		testGreater( largest, 1.0 );
		testLess( worst, 5e-3 * largest );
		FreeSample( &s );
	}
}

// The diagonal is what unit vectors bring to light, also with damping and in a stretched shape.
static void DiagonalIsDiagonal( void** state )
{
	(void)state;
	Sample s;
	InitSample( &s, 1, 1, 1 );
	s.settings.triangles = ( supMaterialLaw ){ 1e3f, 1e-3f };
	Shake( &s, 0.02f, 0.0f );
	float* p = s.state.cg[1];
	float* y = s.state.cg[2];
	float* d = s.state.cg[3];
	supMultiplyStiffness( &s.body, &s.settings, s.state.x, NULL, d, 0.01f, NULL );
	for ( int32_t i = 0; i < 4 * s.body.pointCount; ++i )
	{
		if ( i % 4 != 3 )
		{
			p[i] = 1.0f;
			supMultiplyStiffness( &s.body, &s.settings, s.state.x, p, y, 0.01f, NULL );
			p[i] = 0.0f;
			testGreater( y[i], 0.0f );
			testLess( fabsf( y[i] - d[i] ), 1e-5f * y[i] );
		}
	}
	FreeSample( &s );
}

// Internal forces add up to nothing, and so do their moments.
static void ForcesBalance( void** state )
{
	(void)state;
	Sample s;
	InitSample( &s, 8, 7, 9 );
	s.settings.triangles = ( supMaterialLaw ){ 1e3f, 1e-3f };
	testGreater( s.body.chunkCount, 2 );
	testGreater( s.body.sharedCount, 0 );
	Shake( &s, 0.02f, 1.0f );
	supPointSolver_Evaluate( &s.body, &s.settings, &s.state, NULL );
	double force[3] = { 0 }, moment[3] = { 0 }, size = 0.0;
	for ( int32_t i = 0; i < s.body.pointCount; ++i )
	{
		const float* x = s.state.x + 4 * i;
		const float* f = s.state.f + 4 * i;
		for ( int k = 0; k < 3; ++k )
		{
			int a = ( k + 1 ) % 3, b = ( k + 2 ) % 3;
			force[k] += (double)f[k];
			moment[k] += (double)x[a] * (double)f[b] - (double)x[b] * (double)f[a];
			size += fabs( (double)f[k] );
		}
	}
	for ( int k = 0; k < 3; ++k )
	{
		testLess( fabs( force[k] ), 1e-6 * size );
		testLess( fabs( moment[k] ), 1e-6 * size );
	}
	FreeSample( &s );
}

static void SameBits( void** state )
{
	(void)state;
	Sample s;
	InitSample( &s, 8, 9, 9 );
	s.settings.triangles = ( supMaterialLaw ){ 1e3f, 1e-3f };
	Shake( &s, 0.02f, 1.0f );
	size_t size = 4 * sizeof( float ) * (size_t)s.body.pointCount;
	float* first = supAlloc( size );
	float* product = supAlloc( size );
	supInstructionSet before = supGetInstructionSet();
	for ( int run = 0; run < 6; ++run )
	{
		supThreadPool* pool = supCreateThreadPool( 1 + run % 3 );
		if ( supSetInstructionSet( run < 3 ? sup_instructionsBaseline : before ) == false )
		{
			supDestroyThreadPool( pool );
			continue;
		}
		supPointSolver_Evaluate( &s.body, &s.settings, &s.state, supThreadPool_Tasks( pool ) );
		memcpy( s.state.cg[1], s.state.v, size );
		supMultiplyStiffness( &s.body, &s.settings, s.state.x, s.state.cg[1], s.state.cg[2], 0.01f,
							  supThreadPool_Tasks( pool ) );
		if ( run == 0 )
		{
			memcpy( first, s.state.f, size );
			memcpy( product, s.state.cg[2], size );
		}
		assert_memory_equal( first, s.state.f, size );
		assert_memory_equal( product, s.state.cg[2], size );
		supDestroyThreadPool( pool );
	}
	supSetInstructionSet( before );
	supFree( first );
	supFree( product );
	FreeSample( &s );
}

// ---------------------------------------------------------------------------------------------------------------------

static void ExpectRefused( const supPointBodyDef* def, const char* part )
{
	supPointBody body;
	supError error = { 0 };
	assert_false( supPointBody_Init( &body, def, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_non_null( strstr( error.message, part ) );
	assert_null( body.rest );
}

static void RefusesBadBodies( void** state )
{
	(void)state;
	const supVec3 points[5] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 2, 0, 0 } };
	const int32_t good[4] = { 0, 1, 2, 3 }, inverted[4] = { 0, 2, 1, 3 }, beyond[4] = { 0, 1, 2, 9 },
				  twice[4] = { 0, 1, 1, 3 }, flat[3] = { 0, 1, 4 }, loop[2] = { 2, 2 };
	supPointBodyDef def = supDefaultPointBodyDef();
	def.points = points;
	ExpectRefused( &def, "got 0" );
	def.pointCount = 4;
	def.tetCount = 1;
	def.tets = inverted;
	ExpectRefused( &def, "tet 0 is flat or inverted" );
	def.tets = beyond;
	ExpectRefused( &def, "tet 0 uses point 9 of 4" );
	def.tets = twice;
	ExpectRefused( &def, "point 1 twice" );
	def.tets = good;
	def.edgeCount = 1;
	def.edges = loop;
	ExpectRefused( &def, "edge 0 uses point 2 twice" );
	def.edgeCount = 0;
	def.pointCount = 5;
	ExpectRefused( &def, "point 4 belongs to no element" );
	const float masses[5] = { 1, 1, 1, 1, 1 };
	def.masses = masses;
	def.triangleCount = 1;
	def.triangles = flat;
	ExpectRefused( &def, "triangle 0 has no area" );
	const supVec3 same[2] = { { 1, 1, 1 }, { 1, 1, 1 } };
	const int32_t edge[2] = { 0, 1 };
	supPointBodyDef rope = supDefaultPointBodyDef();
	rope.pointCount = 2;
	rope.points = same;
	rope.edgeCount = 1;
	rope.edges = edge;
	ExpectRefused( &rope, "no length" );
	const supVec3 wild[2] = { { 1, 1, 1 }, { NAN, 1, 1 } };
	rope.points = wild;
	ExpectRefused( &rope, "not finite" );
}

static bool BuildOnce( void* context )
{
	const supProp* prop = context;
	supPointBodyDef def = supDefaultPointBodyDef();
	def.pointCount = prop->points.count;
	def.points = prop->points.data;
	def.tetCount = prop->tets.count / 4;
	def.tets = prop->tets.data;
	supPointBody body;
	supError error = { 0 };
	bool ok = supPointBody_Init( &body, &def, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supPointBody_Destroy( &body );
	return ok;
}

static bool PropOnce( void* context )
{
	(void)context;
	supProp prop = { 0 };
	bool ok = supProp_AddNet( &prop, supVec3_zero, 2, 2, 0.3f, 0.02f ) &&
			  supProp_AddBag( &prop, supVec3_zero, supVec3_one, 3 ) && supProp_Finish( &prop );
	supProp_Destroy( &prop );
	return ok;
}

static void OutOfMemory( void** state )
{
	(void)state;
	supProp prop = { 0 };
	assert_true( supProp_AddRope( &prop, supVec3_zero, supMakeVec3( 1, 0, 0 ), 0.05f, 10 ) );
	supProp copy = prop;
	testEachAllocationFailure( BuildOnce, &copy, 100 );
	supProp_Destroy( &prop );
	testEachAllocationFailure( PropOnce, NULL, 200 );
}

// ---------------------------------------------------------------------------------------------------------------------

static double PropVolume( const supProp* prop )
{
	double volume = 0.0;
	for ( int32_t i = 0; i < prop->tets.count; i += 4 )
	{
		const int32_t* t = prop->tets.data + i;
		const supVec3* p = prop->points.data;
		float six =
			supDot( supSub( p[t[1]], p[t[0]] ), supCross( supSub( p[t[2]], p[t[0]] ), supSub( p[t[3]], p[t[0]] ) ) );
		testGreater( six, 0.0f );
		volume += (double)six / 6.0;
	}
	return volume;
}

// The volume that the boundary encloses, by the divergence theorem: right only if it is closed and faces outward.
static double BoundaryVolume( const supProp* prop )
{
	double volume = 0.0;
	for ( int32_t i = 0; i < prop->triangles.count; i += 3 )
	{
		const int32_t* t = prop->triangles.data + i;
		const supVec3* p = prop->points.data;
		volume +=
			(double)supDot( supSub( p[t[0]], p[0] ), supCross( supSub( p[t[1]], p[0] ), supSub( p[t[2]], p[0] ) ) ) /
			6.0;
	}
	return volume;
}

static void CheckProp( supProp* prop, double volume )
{
	assert_true( supProp_Finish( prop ) );
	testLess( fabs( PropVolume( prop ) - volume ), 1e-5 * volume );
	testLess( fabs( BoundaryVolume( prop ) - volume ), 1e-5 * volume );
	for ( int32_t i = 0; i < prop->joints.count; i += 2 )
	{
		supVec3 a = prop->points.data[prop->joints.data[i]], b = prop->points.data[prop->joints.data[i + 1]];
		assert_true( prop->joints.data[i] != prop->joints.data[i + 1] && supDistance( a, b ) < 1e-5f );
	}
	supPointBodyDef def = supDefaultPointBodyDef();
	def.pointCount = prop->points.count;
	def.points = prop->points.data;
	def.tetCount = prop->tets.count / 4;
	def.tets = prop->tets.data;
	supPointBody body;
	supError error = { 0 };
	testRequire( supPointBody_Init( &body, &def, &error ), &error );
	double mass = 0.0;
	for ( int32_t i = 0; i < body.pointCount; ++i )
	{
		mass += 1.0 / (double)body.inverseMasses[i];
	}
	testLess( fabs( mass - 1000.0 * volume ), 1e-4 * mass );
	supPointBody_Destroy( &body );
	supProp_Destroy( prop );
}

static void PropsAreSound( void** state )
{
	(void)state;
	supProp prop = { 0 };
	assert_true( supProp_AddRope( &prop, supMakeVec3( 1, 2, 3 ), supMakeVec3( 2, 2, 3 ), 0.1f, 8 ) );
	CheckProp( &prop, 0.01 );
	assert_true( supProp_AddTail( &prop, supVec3_zero, supMakeVec3( 0, 0, 1 ), 0.2f, 0.1f, 40 ) );
	CheckProp( &prop, ( 0.04 + 0.01 + 0.02 ) / 3.0 );
	assert_true( supProp_AddNet( &prop, supVec3_zero, 3, 2, 0.5f, 0.02f ) );
	assert_int_equal( prop.joints.count, 2 * 4 * 4 * 3 );
	assert_int_equal( prop.nails.count, 8 );
	CheckProp( &prop, 0.0004 * ( 3 * 1.52 + 4 * 1.02 ) );
	assert_true( supProp_AddBag( &prop, supVec3_zero, supMakeVec3( 1, 1, 1 ), 5 ) );
	assert_int_equal( prop.nails.count, 4 );
	CheckProp( &prop, 1.0 - 0.6 * 0.6 * 0.8 );
}

// Figures 1 and 2 of the paper: 4 n - 36 constraints for n cubes in ten rows.
static void WallIsThePapers( void** state )
{
	(void)state;
	static const int32_t columns[3] = { 79, 299, 999 };
	static const int32_t tets[3] = { 3950, 14950, 49950 };
	static const int32_t constraints[3] = { 160 + 2964, 11924, 39924 };
	for ( int i = 0; i < 3; ++i )
	{
		supProp prop = { 0 };
		assert_true( supProp_AddCubeWall( &prop, columns[i], 10, 1.0f ) );
		assert_int_equal( prop.tets.count / 4, tets[i] );
		assert_int_equal( prop.nails.count + prop.joints.count / 2, constraints[i] );
		assert_int_equal( prop.nails.count, 2 * ( columns[i] + 1 ) );
		CheckProp( &prop, 10.0 * columns[i] );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( ForceIsGradient ),     cmocka_unit_test( DampingTakesEnergy ),
		cmocka_unit_test( ProductIsDerivative ), cmocka_unit_test( DiagonalIsDiagonal ),
		cmocka_unit_test( ForcesBalance ),       cmocka_unit_test( SameBits ),
		cmocka_unit_test( RefusesBadBodies ),    cmocka_unit_test( OutOfMemory ),
		cmocka_unit_test( PropsAreSound ),       cmocka_unit_test( WallIsThePapers ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
