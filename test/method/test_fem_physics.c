// SPDX-License-Identifier: MIT
// Finite elements against mathematics: derivatives, patch test, beams, conservation.
#include "fem_bar.h"

static supGradientF RandomF( testRandom* random, float size )
{
	supGradientF f;
	for ( int i = 0; i < 9; ++i )
	{
		f.f[i / 3][i % 3] = ( i % 4 == 0 ? 1.0 : 0.0 ) + (double)testRandomFloat( random, -size, size );
	}
	return f;
}

static void RandomVector( testRandom* random, double out[3] )
{
	for ( int i = 0; i < 3; ++i )
	{
		out[i] = (double)testRandomFloat( random, -1.0f, 1.0f );
	}
}

static void BlockOf( const supElasticHessian* hessian, const double ga[3], const double gb[3], double block[9] )
{
	supElasticNode a = supElasticHessian_Node( hessian, ga ), b = supElasticHessian_Node( hessian, gb );
	supElasticHessian_Block( hessian, &a, &b, block );
}

// ---------------------------------------------------------------------------------------------------------------------
// Energy

// P is the derivative of W, and P of a changed F differs by H: central differences, with the guard and without.
static void DerivativesAreTrue( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	const supElasticLaw law = { 2.0, 3.0 };
	for ( int round = 0; round < 50; ++round )
	{
		supGradientF f = RandomF( &random, round < 25 ? 0.2f : 0.8f );
		bool guarded = round % 2 == 1;
		supGradientF p = supElastic_Stress( law, &f, guarded );
		const double step = 1e-5;
		for ( int i = 0; i < 9; ++i )
		{
			supGradientF more = f, less = f;
			more.f[i / 3][i % 3] += step;
			less.f[i / 3][i % 3] -= step;
			double slope =
				( supElastic_Energy( law, &more, guarded ) - supElastic_Energy( law, &less, guarded ) ) / ( 2 * step );
			testLess( fabs( slope - p.f[i / 3][i % 3] ), 1e-4 * ( 1.0 + fabs( slope ) ) );
		}
		double ga[3], gb[3], block[9];
		RandomVector( &random, ga );
		RandomVector( &random, gb );
		supElasticHessian hessian = supMakeElasticHessian( law, &f, false, false );
		BlockOf( &hessian, ga, gb, block );
		for ( int c = 0; c < 3; ++c )
		{
			supGradientF more = f, less = f;
			for ( int k = 0; k < 3; ++k )
			{
				more.f[c][k] += step * gb[k];
				less.f[c][k] -= step * gb[k];
			}
			supGradientF above = supElastic_Stress( law, &more, false ), below = supElastic_Stress( law, &less, false );
			for ( int r = 0; r < 3; ++r )
			{
				double slope = 0.0;
				for ( int k = 0; k < 3; ++k )
				{
					slope += ( above.f[r][k] - below.f[r][k] ) * ga[k] / ( 2 * step );
				}
				assert_true( fabs( slope - block[3 * c + r] ) < 1e-6 * ( 1.0 + fabs( slope ) ) );
			}
		}
	}
}

static double Dot( const double a[3], const double b[3] )
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// V = 1/2 q K q + (q.C)(q.q) + 1/4 D (q.q)(q.q): the paper's polynomial (Eq. 27 to 29) is the same energy.
static double PolynomialEnergy( supElasticLaw law, int n, double ( *g )[3], double ( *q )[3] )
{
	double sum = 0.0;
	for ( int a = 0; a < n; ++a )
	{
		for ( int b = 0; b < n; ++b )
		{
			double k[9];
			supElastic_LinearBlock( law, g[a], g[b], k );
			for ( int i = 0; i < 9; ++i )
			{
				sum += 0.5 * q[a][i % 3] * k[i] * q[b][i / 3];
			}
			for ( int c = 0; c < n; ++c )
			{
				double vector[3];
				for ( int i = 0; i < 3; ++i )
				{
					vector[i] = law.lambda * g[a][i] * Dot( g[b], g[c] ) +
								0.5 * law.shear * ( g[b][i] * Dot( g[a], g[c] ) + g[c][i] * Dot( g[a], g[b] ) );
				}
				sum += Dot( q[a], vector ) * Dot( q[b], q[c] );
				for ( int d = 0; d < n; ++d )
				{
					double value =
						law.lambda * Dot( g[a], g[b] ) * Dot( g[c], g[d] ) +
						0.5 * law.shear *
							( Dot( g[a], g[c] ) * Dot( g[b], g[d] ) + Dot( g[a], g[d] ) * Dot( g[b], g[c] ) );
					sum += 0.25 * value * Dot( q[a], q[b] ) * Dot( q[c], q[d] );
				}
			}
		}
	}
	return sum;
}

static void PolynomialIsTheSame( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 2 );
	const supElasticLaw law = { 1.5, 4.0 };
	for ( int round = 0; round < 20; ++round )
	{
		double g[5][3], q[5][3];
		supGradientF f = { { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } } };
		for ( int i = 0; i < 5; ++i )
		{
			RandomVector( &random, g[i] );
			RandomVector( &random, q[i] );
			for ( int k = 0; k < 9; ++k )
			{
				f.f[k / 3][k % 3] += q[i][k / 3] * g[i][k % 3];
			}
		}
		double energy = supElastic_Energy( law, &f, false );
		testLess( fabs( PolynomialEnergy( law, 5, g, q ) - energy ), 1e-10 * fabs( energy ) );
	}
}

// Without negative eigenvalues of the stress no motion is without resistance, however squeezed or inside out.
static void ClampedHessianIsDefinite( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 3 );
	const supElasticLaw law = { 1.0, 2.0 };
	int negative = 0;
	for ( int round = 0; round < 500; ++round )
	{
		supGradientF f = RandomF( &random, 1.0f );
		supElasticHessian definite = supMakeElasticHessian( law, &f, true, true );
		supElasticHessian plain = supMakeElasticHessian( law, &f, false, false );
		double g[3][3], q[3][3], sum = 0.0, plainSum = 0.0, size = 0.0;
		for ( int i = 0; i < 3; ++i )
		{
			RandomVector( &random, g[i] );
			RandomVector( &random, q[i] );
		}
		for ( int k = 0; k < 9; ++k )
		{
			double block[9], plainBlock[9];
			BlockOf( &definite, g[k / 3], g[k % 3], block );
			BlockOf( &plain, g[k / 3], g[k % 3], plainBlock );
			for ( int i = 0; i < 9; ++i )
			{
				sum += q[k / 3][i % 3] * block[i] * q[k % 3][i / 3];
				plainSum += q[k / 3][i % 3] * plainBlock[i] * q[k % 3][i / 3];
				size += fabs( block[i] );
			}
		}
		negative += plainSum < 0.0;
		testGreater( sum, -1e-12 * size );
	}
	// so the test could have failed
	testGreater( negative, 10 );
}

// ---------------------------------------------------------------------------------------------------------------------
// Bodies

static void MassIsDensityTimesVolume( void** state )
{
	(void)state;
	Bar bar;
	BarDef def = s_bar;
	def.whole = true;
	BarInit( &bar, &def );
	double mass = 1000.0 * 1.5 * 0.5 * 0.5, loads = 0.0, matrix = 0.0;
	for ( int32_t i = 0; i < bar.model.functionCount; ++i )
	{
		loads += bar.model.loads[i];
	}
	const supBlockMatrix* m = &bar.model.regions[0].parts[0].mass;
	for ( int32_t i = 0; i < m->blockCount; ++i )
	{
		matrix += m->values[i];
	}
	testLess( fabs( bar.model.mass - mass ), 1e-6 * mass );
	testLess( fabs( loads - mass ), 1e-6 * mass );
	testLess( fabs( matrix - mass ), 1e-6 * mass );
	BarFree( &bar );
}

// A turned and shifted body has no elastic energy; one that is stretched by a percent has.
static void RigidMotionsCostNothing( void** state )
{
	(void)state;
	Bar bar;
	BarInit( &bar, &s_bar );
	testRandom random = testMakeRandom( 4 );
	for ( int round = 0; round < 10; ++round )
	{
		supQuat turn = testRandomQuat( &random );
		supVec3 shift = testRandomVec3( &random, 3.0f );
		double energies[2];
		for ( int stretched = 0; stretched < 2; ++stretched )
		{
			supMat3 m = supMakeMat3Quat( turn );
			for ( int32_t i = 0; i < bar.vertexCount; ++i )
			{
				supVec3 r = bar.vertices[i];
				double x = (double)r.x * ( stretched ? 1.01 : 1.0 ), y = (double)r.y, z = (double)r.z;
				bar.state.x[3 * i] = (double)m.cx.x * x + (double)m.cy.x * y + (double)m.cz.x * z + (double)shift.x;
				bar.state.x[3 * i + 1] = (double)m.cx.y * x + (double)m.cy.y * y + (double)m.cz.y * z + (double)shift.y;
				bar.state.x[3 * i + 2] = (double)m.cx.z * x + (double)m.cy.z * y + (double)m.cz.z * z + (double)shift.z;
			}
			energies[stretched] = supFemSolver_ElasticEnergy( &bar.model, &bar.state, &bar.tuning );
		}
		// gradients are floats
		testGreater( energies[1], 0.05 );
		testLess( energies[0], 1e-6 * energies[1] );
	}
	BarFree( &bar );
}

// The border of a body is put where an affine map puts it: so does its inside come to lie, with uneven tets and all.
static void PatchTest( void** state )
{
	(void)state;
	for ( int nonlinear = 0; nonlinear < 2; ++nonlinear )
	{
		Bar bar;
		BarDef def = s_bar;
		def.cells[0] = 4;
		def.cells[1] = def.cells[2] = 3;
		def.hold = 0.0f;
		def.bones = 1;
		def.whole = true;
		def.nonlinear = nonlinear == 1;
		BarMakeMesh( &bar, &def );
		for ( int32_t i = 0; i < bar.vertexCount; ++i )
		{
			supVec3 p = bar.vertices[i];
			bar.isKnown[i] = p.x <= 0.0f || p.x >= 1.5f || fabsf( p.y ) >= 0.25f || fabsf( p.z ) >= 0.25f;
			const float map[3][3] = { { 1.1f, 0.05f, -0.02f }, { -0.03f, 0.95f, 0.04f }, { 0.06f, 0.01f, 1.02f } };
			float* to = &bar.known[i].x;
			for ( int k = 0; k < 3; ++k )
			{
				to[k] = map[k][0] * p.x + map[k][1] * p.y + map[k][2] * p.z + 0.1f;
			}
		}
		supError error = { 0 };
		supFemModelDef modelDef = BarModelDef( &bar, &def );
		testRequire( supFemModel_Init( &bar.model, &modelDef, &error ), &error );
		bar.block = aligned_alloc( 64, supFemModel_View( &bar.model, NULL ).size );
		bar.state = supFemModel_View( &bar.model, bar.block );
		supFemSolver_Reset( &bar.model, &bar.state, bar.frames, bar.known );
		bar.step.dt = 10.0;
		for ( int i = 0; i < 12; ++i )
		{
			BarStep( &bar );
		}
		int32_t inside = 0;
		for ( int32_t i = 0; i < bar.vertexCount; ++i )
		{
			const float* goal = &bar.known[i].x;
			inside += bar.isKnown[i] == 0;
			for ( int k = 0; k < 3; ++k )
			{
				testLess( fabs( bar.state.x[3 * i + k] - (double)goal[k] ), 2e-6 );
			}
		}
		testGreater( inside, 0 );
		BarFree( &bar );
	}
}

// Without volume effects (nu = 0) the end of a beam under its weight sinks by w L^4 / 8 E I and what shear adds,
// w L^2 / 2 k G A. Tets bend too little; finer ones less so.
static double SinkBeam( int32_t fine )
{
	Bar bar;
	BarDef def = { .cells = { 4 * fine, fine, fine },
				   .size = { 1.0f, 0.25f, 0.25f },
				   .modulus = 1e6f,
				   .density = 1000.0f,
				   .whole = true };
	BarInit( &bar, &def );
	bar.step.gravity = supMakeVec3( 0.0f, -1.0f, 0.0f );
	bar.step.dt = 100.0;
	for ( int i = 0; i < 12; ++i )
	{
		BarStep( &bar );
	}
	double sum = 0.0;
	int32_t count = 0;
	for ( int32_t i = 0; i < bar.vertexCount; ++i )
	{
		if ( bar.vertices[i].x >= 1.0f )
		{
			sum += (double)bar.vertices[i].y - bar.state.x[3 * i + 1];
			count += 1;
		}
	}
	BarFree( &bar );
	double area = 0.0625, weight = 1000.0 * area, inertia = 0.25 * 0.25 * 0.25 * 0.25 / 12.0;
	double expected = weight / ( 8.0 * 1e6 * inertia ) + weight / ( 2.0 * ( 5.0 / 6.0 ) * 5e5 * area );
	return sum / count / expected;
}

static void BeamSinksAsItShould( void** state )
{
	(void)state;
	double coarse = SinkBeam( 2 ), middle = SinkBeam( 4 ), fine = SinkBeam( 6 );
	print_message( "beam: %.3f %.3f %.3f of what it should sink\n", coarse, middle, fine );
	testLess( coarse, middle );
	testLess( middle, fine );
	testLess( fine, 1.02 );
	// the error falls with the square of the size, as it does for linear elements
	double order = log( ( 1.0 - coarse ) / ( 1.0 - middle ) ) / log( 2.0 );
	testGreater( order, 0.7 );
	testGreater( fine, 0.85 );
}

// A body that is let go swings with the frequency that the model says is its lowest.
static void SwingsAtItsFrequency( void** state )
{
	(void)state;
	Bar bar;
	BarDef def = {
		.cells = { 8, 2, 2 }, .size = { 1.0f, 0.25f, 0.25f }, .modulus = 1e5f, .density = 1000.0f, .whole = true
	};
	BarInit( &bar, &def );
	double pulse = bar.model.pulses[0];
	// the diagonals of the tets make it softest in this direction
	bar.step.gravity = supMakeVec3( 0.0f, -0.1f, 0.1f );
	bar.step.dt = 100.0;
	for ( int i = 0; i < 12; ++i )
	{
		BarStep( &bar );
	}
	bar.step.gravity = supVec3_zero;
	bar.step.dt = 2.0 * 3.14159265 / pulse / 400.0;
	int32_t tip = BarVertex( &bar, 8, 1, 1 );
	double before = 0.0;
	int crossings = 0, steps = 0;
	double first = 0.0, last = 0.0;
	for ( ; crossings < 5; ++steps )
	{
		BarStep( &bar );
		double now = bar.state.x[3 * tip + 1];
		if ( steps > 0 && ( now < 0.0 ) != ( before < 0.0 ) )
		{
			double at = steps - now / ( now - before );
			first = crossings == 0 ? at : first;
			last = at;
			crossings += 1;
		}
		before = now;
		testLess( steps, 4000 );
	}
	double period = ( last - first ) / 2.0 / 400.0;
	print_message( "swing: %.4f of the period\n", period );
	testLess( fabs( period - 1.0 ), 0.01 );
	BarFree( &bar );
}

// Bones are where they are told to be, to the bit, in all modes and all the time.
static void BonesAreMetExactly( void** state )
{
	(void)state;
	for ( int mode = Blended; mode <= NonlinearJoints; ++mode )
	{
		Bar bar;
		BarDef def = BarOf( (Mode)mode, 1 );
		BarInit( &bar, &def );
		for ( int i = 0; i < 10; ++i )
		{
			BarTurn( &bar, 1, 3.0f * (float)i, supMakeVec3( 0, 1, 1 ), supMakeVec3( 0.01f * (float)i, 0, 0 ) );
			BarStep( &bar );
			for ( int32_t k = 0; k < bar.vertexCount; ++k )
			{
				if ( bar.isKnown[k] )
				{
					assert_true( (float)bar.state.x[3 * k] == bar.known[k].x &&
								 (float)bar.state.x[3 * k + 1] == bar.known[k].y &&
								 (float)bar.state.x[3 * k + 2] == bar.known[k].z );
				}
			}
		}
		BarFree( &bar );
	}
}

// The whole body is moved along at a steady speed in any direction: nothing lags, nothing changes shape.
static void SteadyMotionIsExact( void** state )
{
	(void)state;
	Bar bar;
	BarInit( &bar, &s_bar );
	bar.tuning.damping = 5.0;
	supVec3 axis = { 1.0f, 2.0f, 3.0f };
	for ( int bone = 0; bone < 2; ++bone )
	{
		BarTurn( &bar, bone, 75.0f, axis, supVec3_zero );
	}
	supFemSolver_Reset( &bar.model, &bar.state, bar.frames, bar.known );
	const supVec3 velocity = { 1.0f, -0.5f, 0.25f };
	for ( int32_t i = 0; i < bar.vertexCount; ++i )
	{
		bar.state.v[3 * i] = (double)velocity.x;
		bar.state.v[3 * i + 1] = (double)velocity.y;
		bar.state.v[3 * i + 2] = (double)velocity.z;
	}
	for ( int step = 1; step <= 100; ++step )
	{
		for ( int bone = 0; bone < 2; ++bone )
		{
			BarTurn( &bar, bone, 75.0f, axis, supScale( (float)step / 60.0f, velocity ) );
		}
		BarStep( &bar );
	}
	for ( int32_t i = 0; i < bar.vertexCount; ++i )
	{
		for ( int k = 0; k < 3; ++k )
		{
			// bones come as floats
			testLess( fabs( bar.state.x[3 * i + k] - bar.state.targets[3 * i + k] ), 3e-6 );
		}
	}
	BarFree( &bar );
}

// A limb that spins about its bone twice a second is taken along by what holds flesh to the bone, and nothing diverges.
static void SpinningLimbStaysWhole( void** state )
{
	(void)state;
	Bar bar;
	BarInit( &bar, &s_bar );
	bar.tuning.damping = 3.0;
	for ( int step = 1; step <= 240; ++step )
	{
		float angle = 6.0f * (float)step;
		for ( int bone = 0; bone < 2; ++bone )
		{
			BarTurn( &bar, bone, angle, supMakeVec3( 1, 0, 0 ), supVec3_zero );
		}
		BarStep( &bar );
	}
	double farthest = 0.0;
	for ( int32_t i = 0; i < bar.vertexCount; ++i )
	{
		for ( int k = 0; k < 3; ++k )
		{
			farthest = fmax( farthest, fabs( bar.state.x[3 * i + k] - bar.state.targets[3 * i + k] ) );
		}
	}
	print_message( "spinning at 1 Hz: %.3f m from the bones' motion\n", farthest );
	testLess( farthest, 0.1 );
	assert_true( bar.trouble.notFinite == 0 );
	BarFree( &bar );
}

// ---------------------------------------------------------------------------------------------------------------------
// Trouble

static void BadMaterialIsToldByName( void** state )
{
	(void)state;
	static const struct
	{
		float modulus, poisson, density;
		const char* where;
	} cases[] = { { -1.0f, 0.3f, 1000.0f, "stiffness" }, { 0.0f, 0.3f, 1000.0f, "stiffness" },
				  { 1e4f, 0.5f, 1000.0f, "poisson" },    { 1e4f, -0.1f, 1000.0f, "poisson" },
				  { 1e4f, 0.3f, 0.0f, "density" },       { NAN, 0.3f, 1000.0f, "stiffness" } };
	for ( size_t i = 0; i < sizeof( cases ) / sizeof( cases[0] ); ++i )
	{
		Bar bar;
		BarDef def = s_bar;
		def.modulus = cases[i].modulus;
		def.poisson = cases[i].poisson;
		def.density = cases[i].density;
		BarMakeMesh( &bar, &def );
		supFemModelDef modelDef = BarModelDef( &bar, &def );
		supError error = { 0 };
		assert_false( supFemModel_Init( &bar.model, &modelDef, &error ) );
		assert_string_equal( error.where, cases[i].where );
		BarFree( &bar );
	}
}

static bool TryModel( void* context )
{
	Bar* bar = context;
	supFemModelDef def = BarModelDef( bar, &s_bar );
	supError error = { 0 };
	bool ok = supFemModel_Init( &bar->model, &def, &error );
	supFemModel_Destroy( &bar->model );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static void RunsOutOfMemoryCleanly( void** state )
{
	(void)state;
	Bar bar;
	BarMakeMesh( &bar, &s_bar );
	testEachAllocationFailure( TryModel, &bar, 60 );
	BarFree( &bar );
}

// Not a number in velocities, a jump of a kilometre, steps of a second: it comes back.
static void ComesBackFromAnything( void** state )
{
	(void)state;
	for ( int mode = Blended; mode <= NonlinearJoints; ++mode )
	{
		Bar bar;
		BarDef def = BarOf( (Mode)mode, 1 );
		BarInit( &bar, &def );
		bar.tuning.damping = 10.0;
		bar.step.reach = 1.0;
		bar.state.v[3 * BarVertex( &bar, 3, 0, 0 )] = NAN;
		BarStep( &bar );
		testGreater( bar.trouble.notFinite, 0 );
		for ( int bone = 0; bone < 2; ++bone )
		{
			BarTurn( &bar, bone, 0.0f, supMakeVec3( 0, 0, 1 ), supMakeVec3( 1000.0f, 0, 0 ) );
		}
		BarStep( &bar );
		bar.step.dt = 1.0;
		for ( int i = 0; i < 40; ++i )
		{
			BarStep( &bar );
		}
		for ( int32_t i = 0; i < 3 * bar.vertexCount; ++i )
		{
			testLess( fabs( bar.state.x[i] - bar.state.targets[i] ), 1e-3 );
		}
		BarFree( &bar );
	}
}

// A millimetre or a hundred metres long: the same bend, as a part of the length, where moduli grow with the square of
// the length as frequencies that stay want it.
static void SizeChangesNothing( void** state )
{
	(void)state;
	const float sizes[3] = { 0.001f, 1.0f, 100.0f };
	double heights[3];
	for ( int i = 0; i < 3; ++i )
	{
		Bar bar;
		BarDef def = s_bar;
		float size = sizes[i];
		def.size = supScale( size, def.size );
		def.modulus *= size * size;
		def.core *= size;
		def.overlap *= size;
		BarInit( &bar, &def );
		bar.tuning.damping = 5.0;
		for ( int step = 1; step <= 60; ++step )
		{
			BarTurn( &bar, 1, supMinFloat( (float)step, 30.0f ), supMakeVec3( 0, 0, 1 ), supVec3_zero );
			BarStep( &bar );
		}
		heights[i] = bar.state.x[3 * BarVertex( &bar, 4, 0, 0 ) + 1] / (double)size;
		assert_int_equal( bar.trouble.notFinite + bar.trouble.notConverged, 0 );
		BarFree( &bar );
	}
	testLess( fabs( heights[0] - heights[1] ), 1e-5 );
	testLess( fabs( heights[2] - heights[1] ), 1e-5 );
}

// The same bits for any number of threads.
static void ThreadsChangeNothing( void** state )
{
	(void)state;
	double* results[2];
	for ( int threads = 0; threads < 2; ++threads )
	{
		supThreadPool* pool = supCreateThreadPool( threads == 0 ? 1 : 3 );
		const supTasks* tasks = supThreadPool_Tasks( pool );
		Bar bar;
		BarInit( &bar, &s_bar );
		bar.step.tasks = tasks;
		for ( int i = 0; i < 20; ++i )
		{
			BarTurn( &bar, 1, 2.0f * (float)i, supMakeVec3( 0, 1, 1 ), supVec3_zero );
			BarStep( &bar );
		}
		size_t size = 3 * (size_t)bar.vertexCount * sizeof( double );
		results[threads] = malloc( size );
		memcpy( results[threads], bar.state.x, size );
		if ( threads == 1 )
		{
			assert_memory_equal( results[0], results[1], size );
		}
		BarFree( &bar );
		supDestroyThreadPool( pool );
	}
	free( results[0] );
	free( results[1] );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( DerivativesAreTrue ),       cmocka_unit_test( PolynomialIsTheSame ),
		cmocka_unit_test( ClampedHessianIsDefinite ), cmocka_unit_test( MassIsDensityTimesVolume ),
		cmocka_unit_test( RigidMotionsCostNothing ),  cmocka_unit_test( PatchTest ),
		cmocka_unit_test( BeamSinksAsItShould ),      cmocka_unit_test( SwingsAtItsFrequency ),
		cmocka_unit_test( BonesAreMetExactly ),       cmocka_unit_test( SteadyMotionIsExact ),
		cmocka_unit_test( SpinningLimbStaysWhole ),   cmocka_unit_test( BadMaterialIsToldByName ),
		cmocka_unit_test( RunsOutOfMemoryCleanly ),   cmocka_unit_test( ComesBackFromAnything ),
		cmocka_unit_test( ThreadsChangeNothing ),     cmocka_unit_test( SizeChangesNothing ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
