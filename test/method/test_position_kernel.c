// SPDX-License-Identifier: MIT
// Constraint kernels against finite differences, conservation and a plain double-precision reference.
#include "method/position/position_kernel.h"
#include "support.h"

#include <math.h>

#define PARTICLES 64

typedef struct Scene
{
	_Alignas( 64 ) float particles[4 * PARTICLES];
	float anchors[4 * SUP_PACK];
	supStretchPack stretch;
	supStretchSpring stretchSpring;
	supBindPack bind;
	supBindSpring bindSpring;
	supVolumePack volume;
	supVolumeSpring volumeSpring;
} Scene;

static const supStiffness s_full = { .plain = 1.0f };

static void Call( Scene* scene, int kind, supStiffness stiffness, float* multipliers )
{
	if ( kind == 0 )
	{
		SUP_CALL_KERNEL( supSolveStretch )
		( scene->particles, &scene->stretch, &scene->stretchSpring, multipliers, 0, 1, stiffness );
	}
	else if ( kind == 1 )
	{
		SUP_CALL_KERNEL( supSolveBind )
		( scene->particles, &scene->bind, &scene->bindSpring, scene->anchors, multipliers, 0, 1, stiffness );
	}
	else
	{
		SUP_CALL_KERNEL( supSolveVolume )
		( scene->particles, &scene->volume, &scene->volumeSpring, multipliers, 0, 1, stiffness );
	}
}

static supVec3 At( const float* particles, uint32_t offset )
{
	const float* p = particles + offset / 4;
	return supMakeVec3( p[0], p[1], p[2] );
}

static double Determinant( double p[4][3] )
{
	double e[3][3];
	for ( int i = 0; i < 9; ++i )
	{
		e[i / 3][i % 3] = p[i / 3 + 1][i % 3] - p[0][i % 3];
	}
	return e[0][0] * ( e[1][1] * e[2][2] - e[1][2] * e[2][1] ) - e[0][1] * ( e[1][0] * e[2][2] - e[1][2] * e[2][0] ) +
		   e[0][2] * ( e[1][0] * e[2][1] - e[1][1] * e[2][0] );
}

static void CornersOf( const Scene* scene, const float* particles, int lane, double p[4][3] )
{
	for ( int k = 0; k < 4; ++k )
	{
		supVec3 v = At( particles, scene->volume.corners[k][lane] );
		p[k][0] = (double)v.x, p[k][1] = (double)v.y, p[k][2] = (double)v.z;
	}
}

// Eight tets, edges and binds somewhere in space, masses from 1 to 10.
static void MakeScene( Scene* scene, uint64_t seed )
{
	testRandom random = testMakeRandom( seed );
	*scene = ( Scene ){ 0 };
	for ( int i = 0; i < PARTICLES; ++i )
	{
		supVec3 p = testRandomVec3( &random, 1.0f );
		memcpy( scene->particles + 4 * i, &p, sizeof( p ) );
		scene->particles[4 * i + 3] = testRandomFloat( &random, 0.1f, 1.0f );
	}
	for ( uint32_t lane = 0; lane < SUP_PACK; ++lane )
	{
		// 8 particles of each lane: scattered, but no two lanes share one
		for ( uint32_t k = 0; k < 4; ++k )
		{
			scene->volume.corners[k][lane] = 16 * ( ( 8 * k + 5 * lane ) % 8 + 8 * k );
		}
		double p[4][3];
		CornersOf( scene, scene->particles, (int)lane, p );
		if ( Determinant( p ) < 0.0 )
		{
			uint32_t t = scene->volume.corners[0][lane];
			scene->volume.corners[0][lane] = scene->volume.corners[1][lane];
			scene->volume.corners[1][lane] = t;
			CornersOf( scene, scene->particles, (int)lane, p );
		}
		scene->volume.volume[lane] = (float)Determinant( p ) * testRandomFloat( &random, 0.97f, 1.03f );
		scene->volume.share[lane] = 1.0f;
		scene->volume.reach[lane] = 100.0f;
		scene->volumeSpring.compliance[lane] = testRandomFloat( &random, 0.1f, 3.0f );
		scene->stretch.first[lane] = scene->volume.corners[2][lane];
		scene->stretch.second[lane] = scene->volume.corners[3][lane];
		supVec3 a = At( scene->particles, scene->stretch.first[lane] );
		supVec3 b = At( scene->particles, scene->stretch.second[lane] );
		float w1 = scene->particles[scene->stretch.first[lane] / 4 + 3];
		float w2 = scene->particles[scene->stretch.second[lane] / 4 + 3];
		scene->stretch.length[lane] = supDistance( a, b ) * testRandomFloat( &random, 0.7f, 1.3f );
		scene->stretch.firstShare[lane] = w1 / ( w1 + w2 );
		scene->stretch.secondShare[lane] = w2 / ( w1 + w2 );
		scene->stretchSpring.firstMass[lane] = w1;
		scene->stretchSpring.secondMass[lane] = w2;
		scene->stretchSpring.compliance[lane] = testRandomFloat( &random, 0.1f, 3.0f );
		supVec3 anchor = testRandomVec3( &random, 1.0f );
		memcpy( scene->anchors + 4 * lane, &anchor, sizeof( anchor ) );
		scene->bind.particle[lane] = scene->stretch.first[lane];
		scene->bind.length[lane] = supDistance( a, anchor ) * testRandomFloat( &random, 0.7f, 1.3f );
		scene->bind.share[lane] = 1.0f;
		scene->bindSpring.mass[lane] = w1;
		scene->bindSpring.compliance[lane] = testRandomFloat( &random, 0.1f, 3.0f );
	}
}

// The value of a constraint: metres, or six times cubic metres.
static double Value( const Scene* scene, const float* particles, int kind, int lane )
{
	if ( kind == 2 )
	{
		double p[4][3];
		CornersOf( scene, particles, lane, p );
		return Determinant( p ) - (double)scene->volume.volume[lane];
	}
	supVec3 a = At( particles, kind == 0 ? scene->stretch.first[lane] : scene->bind.particle[lane] );
	supVec3 b = kind == 0 ? At( particles, scene->stretch.second[lane] ) : At( scene->anchors, 16 * (uint32_t)lane );
	double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
	double length = (double)( kind == 0 ? scene->stretch.length[lane] : scene->bind.length[lane] );
	return sqrt( x * x + y * y + z * z ) - length;
}

// The derivative by each coordinate of the particles of a lane, by central differences of the value.
static void Gradient( const Scene* scene, int kind, int lane, double gradient[3 * PARTICLES] )
{
	float particles[4 * PARTICLES];
	memcpy( particles, scene->particles, sizeof( particles ) );
	for ( int i = 0; i < 3 * PARTICLES; ++i )
	{
		float* x = particles + 4 * ( i / 3 ) + i % 3;
		float before = *x;
		*x = before + 0.0009765625f;
		double above = *x, high = Value( scene, particles, kind, lane );
		*x = before - 0.0009765625f;
		gradient[i] = ( high - Value( scene, particles, kind, lane ) ) / ( above - (double)*x );
		*x = before;
	}
}

// What comes out is p - w grad C ( C + a l ) / ( sum w |grad C|^2 + a ), for each lane.
static void CheckStep( int kind, supStiffness stiffness, uint64_t seed )
{
	Scene scene, after;
	MakeScene( &scene, seed );
	after = scene;
	float multipliers[SUP_PACK];
	for ( int i = 0; i < SUP_PACK; ++i )
	{
		multipliers[i] = 0.01f * (float)i;
	}
	Call( &after, kind, stiffness, multipliers );
	for ( int lane = 0; lane < SUP_PACK; ++lane )
	{
		double gradient[3 * PARTICLES];
		Gradient( &scene, kind, lane, gradient );
		double sum = 0.0;
		for ( int i = 0; i < 3 * PARTICLES; ++i )
		{
			sum += (double)scene.particles[4 * ( i / 3 ) + 3] * gradient[i] * gradient[i];
		}
		double value = Value( &scene, scene.particles, kind, lane );
		double step = -(double)stiffness.plain * value / sum;
		if ( stiffness.compliant )
		{
			double compliance =
				(double)stiffness.softness * (double)( kind == 0   ? scene.stretchSpring.compliance[lane]
													   : kind == 1 ? scene.bindSpring.compliance[lane]
																   : scene.volumeSpring.compliance[lane] );
			double multiplier = (double)( 0.01f * (float)lane );
			step = -( value + compliance * multiplier ) / ( sum + compliance );
			assert_float_equal( multipliers[lane], multiplier + step, 1e-4 );
		}
		for ( int i = 0; i < 3 * PARTICLES; ++i )
		{
			int place = 4 * ( i / 3 ) + i % 3;
			if ( gradient[i] != 0.0 )
			{
				double expected =
					(double)scene.particles[place] + (double)scene.particles[4 * ( i / 3 ) + 3] * gradient[i] * step;
				assert_float_equal( after.particles[place], expected, 2e-5 );
			}
		}
	}
	for ( int i = 0; i < PARTICLES; ++i )
	{
		assert_true( after.particles[4 * i + 3] == scene.particles[4 * i + 3] );
	}
}

static void test_steps_follow_gradients( void** state )
{
	(void)state;
	for ( int kind = 0; kind < 3; ++kind )
	{
		for ( uint64_t seed = 1; seed <= 20; ++seed )
		{
			CheckStep( kind, s_full, seed );
			CheckStep( kind, ( supStiffness ){ .plain = 0.4f }, seed );
			CheckStep( kind, ( supStiffness ){ .softness = 0.3f, .compliant = true }, seed );
		}
	}
}

// Stretch and volume are inner forces: neither linear nor angular momentum changes.
static void test_momentum( void** state )
{
	(void)state;
	for ( int run = 0; run < 40; ++run )
	{
		Scene scene, after;
		MakeScene( &scene, 100 + (uint64_t)run );
		after = scene;
		float multipliers[SUP_PACK] = { 0 };
		supStiffness stiffness = { .plain = 0.8f, .softness = 0.5f, .compliant = run % 4 >= 2 };
		Call( &after, run % 2 == 0 ? 0 : 2, stiffness, multipliers );
		double linear[3] = { 0 }, angular[3] = { 0 }, moved = 0.0;
		for ( int i = 0; i < PARTICLES; ++i )
		{
			const float* p = scene.particles + 4 * i;
			const float* q = after.particles + 4 * i;
			double m = 1.0 / (double)p[3];
			double d[3];
			for ( int k = 0; k < 3; ++k )
			{
				d[k] = m * ( (double)q[k] - (double)p[k] );
				linear[k] += d[k];
				moved += fabs( d[k] );
			}
			for ( int k = 0; k < 3; ++k )
			{
				angular[k] += (double)p[( k + 1 ) % 3] * d[( k + 2 ) % 3] - (double)p[( k + 2 ) % 3] * d[( k + 1 ) % 3];
			}
		}
		testGreater( moved, 1e-3 );
		for ( int k = 0; k < 3; ++k )
		{
			assert_float_equal( linear[k], 0.0, 2e-5 );
			assert_float_equal( angular[k], 0.0, 2e-5 );
		}
	}
}

static void test_same_bits_in_both_instruction_sets( void** state )
{
	(void)state;
	supInstructionSet best = supGetInstructionSet();
	for ( int kind = 0; kind < 3; ++kind )
	{
		for ( int compliant = 0; compliant < 2; ++compliant )
		{
			Scene a, b;
			MakeScene( &a, 7 );
			// one inside out, one that may not go far, an edge beyond its slack
			a.stretch.hold[2] = 5.0f;
			a.stretch.length[2] *= 0.3f;
			a.volume.volume[3] = -a.volume.volume[3];
			a.volume.reach[5] = 1e-9f;
			b = a;
			float ma[SUP_PACK] = { 0 }, mb[SUP_PACK] = { 0 };
			supStiffness stiffness = { .plain = 0.7f, .softness = 0.1f, .compliant = compliant != 0 };
			Call( &a, kind, stiffness, ma );
			assert_true( supSetInstructionSet( sup_instructionsBaseline ) );
			Call( &b, kind, stiffness, mb );
			supSetInstructionSet( best );
			assert_memory_equal( &a, &b, sizeof( a ) );
			assert_memory_equal( ma, mb, sizeof( ma ) );
		}
	}
}

// A character in each lane of a crowd comes out as it does alone.
static void test_crowd_is_the_same_bits( void** state )
{
	(void)state;
	for ( int compliant = 0; compliant < 2; ++compliant )
	{
		static Scene alone[SUP_PACK];
		static float lanes[SUP_PACK][4 * PARTICLES], results[SUP_PACK][4 * PARTICLES];
		static float multipliers[SUP_PACK][3 * SUP_PACK], crowdMultipliers[SUP_PACK][3 * SUP_PACK];
		memset( multipliers, 0, sizeof( multipliers ) );
		memset( crowdMultipliers, 0, sizeof( crowdMultipliers ) );
		supStiffness stiffness = { .plain = 0.7f, .softness = 0.1f, .compliant = compliant != 0 };
		supCrowd crowd = { .shift = 3 };
		const float* particles[SUP_PACK];
		float* out[SUP_PACK];
		float masses[PARTICLES];
		testRandom random = testMakeRandom( 9 );
		MakeScene( alone, 31 );
		alone[0].volume.volume[3] = -alone[0].volume.volume[3];
		alone[0].stretch.hold[2] = 5.0f;
		alone[0].stretch.length[2] *= 0.3f;
		// a pack that is not full
		for ( int k = 0; k < 4; ++k )
		{
			alone[0].volume.corners[k][7] = alone[0].volume.corners[k][0];
		}
		alone[0].volume.volume[7] = alone[0].volume.volume[0];
		alone[0].volumeSpring.compliance[7] = alone[0].volumeSpring.compliance[0];
		for ( int i = 0; i < PARTICLES; ++i )
		{
			masses[i] = alone[0].particles[4 * i + 3];
		}
		crowd.inverseMasses = masses;
		for ( int c = 0; c < SUP_PACK; ++c )
		{
			alone[c] = alone[0];
			for ( int i = 0; c > 0 && i < 4 * PARTICLES; ++i )
			{
				alone[c].particles[i] += i % 4 < 3 ? testRandomFloat( &random, -0.2f, 0.2f ) : 0.0f;
			}
			crowd.lanes[c] = lanes[c];
			crowd.anchors[c] = alone[c].anchors;
			crowd.multipliers[c] = crowdMultipliers[c];
			particles[c] = alone[c].particles;
			out[c] = results[c];
		}
		SUP_CALL_KERNEL( supGatherCrowd )( &crowd, particles, PARTICLES );
		for ( int i = 0; i < 3; ++i )
		{
			SUP_CALL_KERNEL( supSolveStretchCrowd )
			( &crowd, &alone[0].stretch, &alone[0].stretchSpring, 0, 0, 1, stiffness );
			SUP_CALL_KERNEL( supSolveBindCrowd )( &crowd, &alone[0].bind, &alone[0].bindSpring, 8, 0, 1, stiffness );
			SUP_CALL_KERNEL( supSolveVolumeCrowd )
			( &crowd, &alone[0].volume, &alone[0].volumeSpring, 16, 0, 1, stiffness );
			for ( int c = 0; c < SUP_PACK; ++c )
			{
				for ( int kind = 0; kind < 3; ++kind )
				{
					Call( alone + c, kind, stiffness, multipliers[c] + 8 * kind );
				}
			}
		}
		SUP_CALL_KERNEL( supScatterCrowd )( &crowd, out, PARTICLES );
		for ( int c = 0; c < SUP_PACK; ++c )
		{
			assert_memory_equal( results[c], alone[c].particles, sizeof( results[c] ) );
			assert_memory_equal( crowdMultipliers[c], multipliers[c], 23 * sizeof( float ) );
		}
	}
}

// Points that meet, flat tets, tets on a line, no mass at all: nothing is thrown away, nothing is NaN.
static void test_degenerate( void** state )
{
	(void)state;
	for ( int run = 0; run < 5; ++run )
	{
		for ( int compliant = 0; compliant < 2; ++compliant )
		{
			Scene scene;
			MakeScene( &scene, 3 );
			for ( int i = 0; i < PARTICLES; ++i )
			{
				float* p = scene.particles + 4 * i;
				p[0] = run == 0 ? 0.0f : p[0];
				p[1] = run <= 1 ? 0.0f : p[1];
				p[2] = run <= 2 ? 0.0f : ( run == 3 ? 1e-20f * p[2] : p[2] );
				p[3] = run == 4 ? 0.0f : p[3];
			}
			for ( int lane = 0; lane < SUP_PACK; ++lane )
			{
				scene.volume.reach[lane] = 0.01f;
				if ( run == 4 )
				{
					scene.stretch.firstShare[lane] = scene.stretch.secondShare[lane] = 0.0f;
					scene.stretchSpring.firstMass[lane] = scene.stretchSpring.secondMass[lane] = 0.0f;
					scene.bind.share[lane] = 0.0f;
					scene.bindSpring.mass[lane] = 0.0f;
				}
			}
			Scene after = scene;
			float multipliers[3][SUP_PACK] = { 0 };
			supStiffness stiffness = { .plain = 1.0f, .softness = 1e-3f, .compliant = compliant != 0 };
			for ( int kind = 0; kind < 3; ++kind )
			{
				Call( &after, kind, stiffness, multipliers[kind] );
			}
			for ( int i = 0; i < 4 * PARTICLES; ++i )
			{
				float moved = after.particles[i] - scene.particles[i];
				assert_true( run == 4 ? moved == 0.0f : fabsf( moved ) < 3.0f );
			}
		}
	}
}

// A mirrored tet rights itself, also where the stiffness alone would be too weak (it locks below 0.7).
static void test_inverted_tets_recover( void** state )
{
	(void)state;
	for ( uint64_t seed = 1; seed <= 20; ++seed )
	{
		Scene scene;
		MakeScene( &scene, seed );
		for ( int lane = 0; lane < SUP_PACK; ++lane )
		{
			double p[4][3];
			CornersOf( &scene, scene.particles, lane, p );
			scene.volume.volume[lane] = (float)Determinant( p );
			scene.volume.reach[lane] = 0.09f;
		}
		for ( int i = 0; i < PARTICLES; ++i )
		{
			scene.particles[4 * i] = -scene.particles[4 * i];
		}
		for ( int i = 0; i < 100; ++i )
		{
			Call( &scene, 2, ( supStiffness ){ .plain = 0.3f }, NULL );
		}
		for ( int lane = 0; lane < SUP_PACK; ++lane )
		{
			testLess( fabs( Value( &scene, scene.particles, 2, lane ) ), 0.01 * (double)scene.volume.volume[lane] );
		}
	}
}

// An edge gives way up to SUP_SLACK lengths; what is longer is taken back more firmly, along the edge and in balance.
static void test_edges_hold_beyond_their_slack( void** state )
{
	(void)state;
	const float share = 0.02f, hold = 24.0f;
	for ( int run = 0; run < 2; ++run )
	{
		float part = run == 0 ? 0.9f * SUP_SLACK : 2.0f * SUP_SLACK;
		Scene scene;
		MakeScene( &scene, 7 );
		Scene after = scene;
		for ( int lane = 0; lane < SUP_PACK; ++lane )
		{
			supVec3 a = At( scene.particles, scene.stretch.first[lane] );
			supVec3 b = At( scene.particles, scene.stretch.second[lane] );
			after.stretch.length[lane] = supDistance( a, b ) / part;
			after.stretch.firstShare[lane] *= share;
			after.stretch.secondShare[lane] *= share;
			after.stretch.hold[lane] = hold;
		}
		Call( &after, 0, s_full, NULL );
		for ( int lane = 0; lane < SUP_PACK; ++lane )
		{
			supVec3 a = At( scene.particles, scene.stretch.first[lane] );
			supVec3 b = At( scene.particles, scene.stretch.second[lane] );
			supVec3 afterA = At( after.particles, scene.stretch.first[lane] );
			supVec3 afterB = At( after.particles, scene.stretch.second[lane] );
			float length = after.stretch.length[lane];
			float taken = share * ( part - 1.0f ) * length;
			taken += run == 0 ? 0.0f : share * hold * ( part - SUP_SLACK ) * length;
			assert_float_equal( supDistance( a, b ) - supDistance( afterA, afterB ), taken, 1e-5f );
			float w1 = scene.particles[scene.stretch.first[lane] / 4 + 3];
			float w2 = scene.particles[scene.stretch.second[lane] / 4 + 3];
			supVec3 drift =
				supAdd( supScale( 1.0f / w1, supSub( afterA, a ) ), supScale( 1.0f / w2, supSub( afterB, b ) ) );
			testLess( supLength( drift ), 1e-5f );
		}
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( test_steps_follow_gradients ),
		cmocka_unit_test( test_edges_hold_beyond_their_slack ),
		cmocka_unit_test( test_momentum ),
		cmocka_unit_test( test_same_bits_in_both_instruction_sets ),
		cmocka_unit_test( test_crowd_is_the_same_bits ),
		cmocka_unit_test( test_degenerate ),
		cmocka_unit_test( test_inverted_tets_recover ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
