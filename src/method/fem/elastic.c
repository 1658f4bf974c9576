// SPDX-License-Identifier: MIT
#include "method/fem/elastic.h"

#include <math.h>

static supGradientF Strain( const supGradientF* f )
{
	supGradientF e;
	for ( int r = 0; r < 3; ++r )
	{
		for ( int c = 0; c < 3; ++c )
		{
			double dot = f->f[0][r] * f->f[0][c] + f->f[1][r] * f->f[1][c] + f->f[2][r] * f->f[2][c];
			e.f[r][c] = 0.5 * ( dot - ( r == c ? 1.0 : 0.0 ) );
		}
	}
	return e;
}

static double Trace( const supGradientF* m )
{
	return m->f[0][0] + m->f[1][1] + m->f[2][2];
}

// S = 2 G ( l tr(E) I + E )
static supGradientF SecondStress( supElasticLaw law, const supGradientF* f )
{
	supGradientF s = Strain( f );
	double volume = 2.0 * law.lambda * Trace( &s );
	for ( int r = 0; r < 3; ++r )
	{
		for ( int c = 0; c < 3; ++c )
		{
			s.f[r][c] = 2.0 * law.shear * s.f[r][c] + ( r == c ? volume : 0.0 );
		}
	}
	return s;
}

static supGradientF Cofactor( const supGradientF* f )
{
	supGradientF k;
	for ( int r = 0; r < 3; ++r )
	{
		int r1 = ( r + 1 ) % 3, r2 = ( r + 2 ) % 3;
		for ( int c = 0; c < 3; ++c )
		{
			int c1 = ( c + 1 ) % 3, c2 = ( c + 2 ) % 3;
			k.f[r][c] = f->f[r1][c1] * f->f[r2][c2] - f->f[r1][c2] * f->f[r2][c1];
		}
	}
	return k;
}

double supGradientF_Determinant( const supGradientF* f )
{
	supGradientF k = Cofactor( f );
	return f->f[0][0] * k.f[0][0] + f->f[0][1] * k.f[0][1] + f->f[0][2] * k.f[0][2];
}

static double GuardStiffness( supElasticLaw law )
{
	return 10.0 * ( law.shear + law.lambda );
}

// How far J is below what the guard allows; 0 where it is not.
static double Shortage( const supGradientF* f, bool guarded )
{
	double j = guarded ? supGradientF_Determinant( f ) : SUP_ELASTIC_GUARD;
	return j < SUP_ELASTIC_GUARD ? SUP_ELASTIC_GUARD - j : 0.0;
}

double supElastic_Energy( supElasticLaw law, const supGradientF* f, bool guarded )
{
	supGradientF e = Strain( f );
	double square = 0.0, trace = Trace( &e ), shortage = Shortage( f, guarded );
	for ( int r = 0; r < 3; ++r )
	{
		square += e.f[r][0] * e.f[r][0] + e.f[r][1] * e.f[r][1] + e.f[r][2] * e.f[r][2];
	}
	return law.lambda * trace * trace + law.shear * square + 0.5 * GuardStiffness( law ) * shortage * shortage;
}

supGradientF supElastic_Stress( supElasticLaw law, const supGradientF* f, bool guarded )
{
	supGradientF s = SecondStress( law, f ), p;
	for ( int r = 0; r < 3; ++r )
	{
		for ( int c = 0; c < 3; ++c )
		{
			p.f[r][c] = f->f[r][0] * s.f[0][c] + f->f[r][1] * s.f[1][c] + f->f[r][2] * s.f[2][c];
		}
	}
	double shortage = Shortage( f, guarded );
	if ( shortage > 0.0 )
	{
		supGradientF k = Cofactor( f );
		double push = GuardStiffness( law ) * shortage;
		for ( int r = 0; r < 3; ++r )
		{
			for ( int c = 0; c < 3; ++c )
			{
				p.f[r][c] -= push * k.f[r][c];
			}
		}
	}
	return p;
}

// One rotation of Jacobi's method: brings m[p][q] of a symmetric matrix to zero.
static void Rotate( double m[3][3], double v[3][3], int p, int q )
{
	if ( m[p][q] == 0.0 )
	{
		return;
	}
	double theta = 0.5 * ( m[q][q] - m[p][p] ) / m[p][q];
	double t = ( theta >= 0.0 ? 1.0 : -1.0 ) / ( fabs( theta ) + sqrt( theta * theta + 1.0 ) );
	double c = 1.0 / sqrt( t * t + 1.0 ), s = t * c;
	for ( int i = 0; i < 3; ++i )
	{
		double a = m[i][p], b = m[i][q];
		m[i][p] = c * a - s * b;
		m[i][q] = s * a + c * b;
	}
	for ( int i = 0; i < 3; ++i )
	{
		double a = m[p][i], b = m[q][i];
		m[p][i] = c * a - s * b;
		m[q][i] = s * a + c * b;
		a = v[i][p];
		b = v[i][q];
		v[i][p] = c * a - s * b;
		v[i][q] = s * a + c * b;
	}
}

// The symmetric matrix without its negative eigenvalues.
static supGradientF ClampEigenvalues( const supGradientF* a )
{
	supGradientF m = *a, v = { { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } } }, result = { 0 };
	// quadratic: six rounds are more than doubles can tell
	for ( int round = 0; round < 6; ++round )
	{
		Rotate( m.f, v.f, 0, 1 );
		Rotate( m.f, v.f, 0, 2 );
		Rotate( m.f, v.f, 1, 2 );
	}
	if ( m.f[0][0] >= 0.0 && m.f[1][1] >= 0.0 && m.f[2][2] >= 0.0 )
	{
		return *a;
	}
	for ( int k = 0; k < 3; ++k )
	{
		double value = m.f[k][k] > 0.0 ? m.f[k][k] : 0.0;
		for ( int r = 0; r < 3; ++r )
		{
			for ( int c = 0; c < 3; ++c )
			{
				result.f[r][c] += value * v.f[r][k] * v.f[c][k];
			}
		}
	}
	return result;
}

supElasticHessian supMakeElasticHessian( supElasticLaw law, const supGradientF* f, bool definite, bool guarded )
{
	supElasticHessian hessian = { .law = law, .f = *f, .s = SecondStress( law, f ) };
	if ( definite )
	{
		hessian.s = ClampEigenvalues( &hessian.s );
	}
	for ( int r = 0; r < 3; ++r )
	{
		for ( int c = 0; c < 3; ++c )
		{
			hessian.ff.f[r][c] = f->f[r][0] * f->f[c][0] + f->f[r][1] * f->f[c][1] + f->f[r][2] * f->f[c][2];
		}
	}
	if ( Shortage( f, guarded ) > 0.0 )
	{
		hessian.guard = GuardStiffness( law );
		hessian.cofactor = Cofactor( f );
	}
	return hessian;
}

static void Apply( const supGradientF* m, const double g[3], double result[3] )
{
	for ( int r = 0; r < 3; ++r )
	{
		result[r] = m->f[r][0] * g[0] + m->f[r][1] * g[1] + m->f[r][2] * g[2];
	}
}

static double Dot( const double a[3], const double b[3] )
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

supElasticNode supElasticHessian_Node( const supElasticHessian* hessian, const double g[3] )
{
	supElasticNode node = { .g = { g[0], g[1], g[2] } };
	Apply( &hessian->f, g, node.f );
	Apply( &hessian->s, g, node.s );
	if ( hessian->guard > 0.0 )
	{
		Apply( &hessian->cofactor, g, node.k );
	}
	return node;
}

void supElasticHessian_Block( const supElasticHessian* hessian, const supElasticNode* a, const supElasticNode* b,
							  double block[9] )
{
	double shear = hessian->law.shear, lambda = 2.0 * hessian->law.lambda;
	double diagonal = Dot( a->g, b->s ), dot = shear * Dot( a->g, b->g );
	for ( int c = 0; c < 3; ++c )
	{
		for ( int r = 0; r < 3; ++r )
		{
			block[3 * c + r] = lambda * a->f[r] * b->f[c] + shear * b->f[r] * a->f[c] + dot * hessian->ff.f[r][c] +
							   ( r == c ? diagonal : 0.0 ) + hessian->guard * a->k[r] * b->k[c];
		}
	}
}

void supElastic_LinearBlock( supElasticLaw law, const double ga[3], const double gb[3], double block[9] )
{
	double dot = law.shear * Dot( ga, gb );
	for ( int c = 0; c < 3; ++c )
	{
		for ( int r = 0; r < 3; ++r )
		{
			block[3 * c + r] = 2.0 * law.lambda * ga[r] * gb[c] + law.shear * gb[r] * ga[c] + ( r == c ? dot : 0.0 );
		}
	}
}
