// SPDX-License-Identifier: MIT
// Singular values and polar decomposition of 3x3 matrices.
//
// The singular value decomposition is one-sided Jacobi (Hestenes): rotations V make the columns of C = M V orthogonal;
// their lengths are the singular values and their directions U. In double precision on the scaled matrix, so that the
// ratio of the entries may be anything a float can hold.
//
// The polar rotation R maximises tr(Rᵀ M). With R written by a unit quaternion q this is qᵀ K q with a symmetric 4x4
// matrix K (Horn 1987), so q is the eigenvector of K's largest eigenvalue, which Newton's method finds from above on
// the characteristic polynomial (Theobald 2005). No case for inverted matrices is needed: the largest eigenvalue is
// s1 + s2 + s3 with the sign of s3 that the determinant has. Only where it is nearly double (s2 + s3 close to 0: rank
// one, or an inversion along two equally short axes) many rotations are nearly as good, and Jacobi decides.
#include "math/matrix.h"

#include "core/core.h"

static double LargestEntry( const supMat3d* a )
{
	double largest = 0.0;
	for ( int i = 0; i < 9; ++i )
	{
		largest = fmax( largest, fabs( a->m[i / 3][i % 3] ) );
	}
	return largest;
}

static bool IsFiniteWide( const supMat3d* a )
{
	double zero = 0.0;
	for ( int i = 0; i < 9; ++i )
	{
		double entry = a->m[i / 3][i % 3];
		zero += entry - entry;
	}
	return zero == 0.0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Jacobi

// Turns columns i and j of c, and of v with them, until those of c are orthogonal. Returns false where they are.
static bool RotateColumns( supMat3d* c, supMat3d* v, int i, int j )
{
	double* a = c->m[i];
	double* b = c->m[j];
	double aa = supDot3d( a, a );
	double bb = supDot3d( b, b );
	double ab = supDot3d( a, b );
	if ( !( fabs( ab ) > 1.0e-15 * sqrt( aa ) * sqrt( bb ) ) )
	{
		return false;
	}
	double zeta = ( bb - aa ) / ( 2.0 * ab );
	double tangent = copysign( 1.0, zeta ) / ( fabs( zeta ) + sqrt( 1.0 + zeta * zeta ) );
	double cosine = 1.0 / sqrt( 1.0 + tangent * tangent );
	double sine = cosine * tangent;
	for ( int row = 0; row < 3; ++row )
	{
		double x = a[row];
		double y = b[row];
		a[row] = cosine * x - sine * y;
		b[row] = sine * x + cosine * y;
		x = v->m[i][row];
		y = v->m[j][row];
		v->m[i][row] = cosine * x - sine * y;
		v->m[j][row] = sine * x + cosine * y;
	}
	return true;
}

// Exchanges two columns and turns one round, which leaves the determinant as it is.
static void SwapColumns( supMat3d* a, int i, int j )
{
	for ( int row = 0; row < 3; ++row )
	{
		double x = a->m[i][row];
		a->m[i][row] = a->m[j][row];
		a->m[j][row] = -x;
	}
}

static void SortColumns( supMat3d* c, supMat3d* v )
{
	for ( int k = 0; k < 3; ++k )
	{
		int i = k % 2;
		int j = i + 1;
		if ( supDot3d( c->m[i], c->m[i] ) < supDot3d( c->m[j], c->m[j] ) )
		{
			SwapColumns( c, i, j );
			SwapColumns( v, i, j );
		}
	}
}

static double Normalize3d( double a[3] )
{
	double length = sqrt( supDot3d( a, a ) );
	for ( int row = 0; row < 3 && length > 0.0; ++row )
	{
		a[row] /= length;
	}
	return length;
}

// A unit vector at right angles to the unit vector `a`.
static void FindPerpendicular( const double a[3], double result[3] )
{
	int smallest = fabs( a[0] ) <= fabs( a[1] ) ? 0 : 1;
	smallest = fabs( a[smallest] ) <= fabs( a[2] ) ? smallest : 2;
	double axis[3] = { 0.0, 0.0, 0.0 };
	axis[smallest] = 1.0;
	supCross3d( axis, a, result );
	Normalize3d( result );
}

// Directions of the sorted orthogonal columns of c, completed to a rotation where they vanish.
static void MakeLeftRotation( const supMat3d* c, supMat3d* u )
{
	*u = *c;
	Normalize3d( u->m[0] );

	// what is left of a vanishing second column may lie along the first
	double along = supDot3d( u->m[0], c->m[1] );
	double length = sqrt( supDot3d( c->m[1], c->m[1] ) );
	for ( int row = 0; row < 3; ++row )
	{
		u->m[1][row] = c->m[1][row] - along * u->m[0][row];
	}
	if ( !( Normalize3d( u->m[1] ) > 0.1 * length ) )
	{
		FindPerpendicular( u->m[0], u->m[1] );
	}
	supCross3d( u->m[0], u->m[1], u->m[2] );
}

supSvd supComputeSvd( supMat3 m )
{
	supMat3d c = supWidenMat3( m );
	double scale = LargestEntry( &c );
	if ( IsFiniteWide( &c ) == false )
	{
		float nan = (float)( INFINITY - INFINITY );
		return ( supSvd ){ supMat3_identity, { nan, nan, nan }, supMat3_identity };
	}
	if ( scale == 0.0 )
	{
		return ( supSvd ){ supMat3_identity, supVec3_zero, supMat3_identity };
	}
	double determinant = supDeterminant3d( &c );
	for ( int i = 0; i < 9; ++i )
	{
		c.m[i / 3][i % 3] /= scale;
	}

	supMat3d v = { { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } } };
	bool turned = true;
	for ( int sweep = 0; sweep < 24 && turned; ++sweep )
	{
		turned = RotateColumns( &c, &v, 0, 1 );
		turned = RotateColumns( &c, &v, 0, 2 ) || turned;
		turned = RotateColumns( &c, &v, 1, 2 ) || turned;
	}
	SortColumns( &c, &v );

	supMat3d u;
	MakeLeftRotation( &c, &u );
	double x = sqrt( supDot3d( c.m[0], c.m[0] ) );
	double y = sqrt( supDot3d( c.m[1], c.m[1] ) );
	// its size where it vanishes is rounding, but its sign is known
	double z = fmin( fabs( supDot3d( u.m[2], c.m[2] ) ), y );
	z = determinant < 0.0 ? -z : z;
	return ( supSvd ){ supNarrowMat3( &u ),
					   { (float)( scale * x ), (float)( scale * y ), (float)( scale * z ) },
					   supNarrowMat3( &v ) };
}

// ---------------------------------------------------------------------------------------------------------------------
// Polar decomposition

typedef struct Mat4d
{
	double m[4][4]; // symmetric
} Mat4d;

// Horn's matrix in the order w, x, y, z: qᵀ K q = tr(Rᵀ M). Its trace is 0.
static Mat4d MakeHornMatrix( const supMat3d* a )
{
	const double( *m )[3] = a->m;
	double trace = m[0][0] + m[1][1] + m[2][2];
	double wx = m[1][2] - m[2][1], wy = m[2][0] - m[0][2], wz = m[0][1] - m[1][0];
	double xy = m[0][1] + m[1][0], xz = m[0][2] + m[2][0], yz = m[1][2] + m[2][1];
	double xx = 2.0 * m[0][0] - trace, yy = 2.0 * m[1][1] - trace, zz = 2.0 * m[2][2] - trace;
	return ( Mat4d ){ { { trace, wx, wy, wz }, { wx, xx, xy, xz }, { wy, xy, yy, yz }, { wz, xz, yz, zz } } };
}

// By the 2x2 minors of the upper and of the lower two rows.
static Mat4d MakeAdjugate( const Mat4d* a )
{
	const double *r0 = a->m[0], *r1 = a->m[1], *r2 = a->m[2], *r3 = a->m[3];
	double u01 = r0[0] * r1[1] - r1[0] * r0[1], u02 = r0[0] * r1[2] - r1[0] * r0[2];
	double u03 = r0[0] * r1[3] - r1[0] * r0[3], u12 = r0[1] * r1[2] - r1[1] * r0[2];
	double u13 = r0[1] * r1[3] - r1[1] * r0[3], u23 = r0[2] * r1[3] - r1[2] * r0[3];
	double l02 = r2[0] * r3[2] - r3[0] * r2[2], l03 = r2[0] * r3[3] - r3[0] * r2[3];
	double l12 = r2[1] * r3[2] - r3[1] * r2[2], l13 = r2[1] * r3[3] - r3[1] * r2[3];
	double l23 = r2[2] * r3[3] - r3[2] * r2[3];
	double ww = r1[1] * l23 - r1[2] * l13 + r1[3] * l12;
	double wx = r0[2] * l13 - r0[1] * l23 - r0[3] * l12;
	double wy = r3[1] * u23 - r3[2] * u13 + r3[3] * u12;
	double wz = r2[2] * u13 - r2[1] * u23 - r2[3] * u12;
	double xx = r0[0] * l23 - r0[2] * l03 + r0[3] * l02;
	double xy = r3[2] * u03 - r3[0] * u23 - r3[3] * u02;
	double xz = r2[0] * u23 - r2[2] * u03 + r2[3] * u02;
	double yy = r3[0] * u13 - r3[1] * u03 + r3[3] * u01;
	double yz = r2[1] * u03 - r2[0] * u13 - r2[3] * u01;
	double zz = r2[0] * u12 - r2[1] * u02 + r2[2] * u01;
	return ( Mat4d ){ { { ww, wx, wy, wz }, { wx, xx, xy, xz }, { wy, xy, yy, yz }, { wz, xz, yz, zz } } };
}

// Finds the largest eigenvalue of K where it stands clear of the others; `a` has the Frobenius norm 1.
static bool FindLargestEigenvalue( const supMat3d* a, double* eigenvalue )
{
	// det( l - K ) = l^4 - 2 |M|^2 l^2 - 8 det M l + |M|^4 - 4 |cof M|^2
	double cofactors[3][3];
	double square = 0.0;
	for ( int i = 0; i < 3; ++i )
	{
		supCross3d( a->m[( i + 1 ) % 3], a->m[( i + 2 ) % 3], cofactors[i] );
		square += supDot3d( cofactors[i], cofactors[i] );
	}
	double c1 = -8.0 * supDot3d( a->m[0], cofactors[0] );
	double c0 = 1.0 - 4.0 * square;

	// from sqrt(3) |M| >= s1 + s2 + s3 downwards, Newton never oversteps the largest of four real roots
	double l = 1.7320508075688774;
	double slope = 0.0;
	for ( int i = 0; i < 24; ++i )
	{
		double value = ( ( l * l - 2.0 ) * l + c1 ) * l + c0;
		slope = ( 4.0 * l * l - 4.0 ) * l + c1;
		double step = value / slope;
		if ( !( step > 1.0e-14 ) )
		{
			break;
		}
		l -= step;
	}
	*eigenvalue = l;
	// the slope is the product of the distances to the other eigenvalues
	return slope > 1.0e-3;
}

static bool SolvePolar( const supMat3d* a, supQuat* result )
{
	double eigenvalue;
	if ( FindLargestEigenvalue( a, &eigenvalue ) == false )
	{
		return false;
	}
	Mat4d k = MakeHornMatrix( a );
	for ( int i = 0; i < 4; ++i )
	{
		k.m[i][i] -= eigenvalue;
	}
	// K - l has rank three, so its adjugate has rank one: a multiple of q qᵀ
	Mat4d adjugate = MakeAdjugate( &k );
	int largest = 0;
	for ( int i = 1; i < 4; ++i )
	{
		largest = fabs( adjugate.m[i][i] ) > fabs( adjugate.m[largest][largest] ) ? i : largest;
	}
	const double* q = adjugate.m[largest];
	double s = 1.0 / sqrt( q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] );
	*result = ( supQuat ){ (float)( s * q[1] ), (float)( s * q[2] ), (float)( s * q[3] ), (float)( s * q[0] ) };
	return true;
}

supQuat supPolarRotation( supMat3 m )
{
	supMat3d a = supWidenMat3( m );
	double norm = sqrt( supDot3d( a.m[0], a.m[0] ) + supDot3d( a.m[1], a.m[1] ) + supDot3d( a.m[2], a.m[2] ) );
	if ( !( norm > 0.0 ) || !( norm - norm == 0.0 ) )
	{
		return supQuat_identity;
	}
	double s = 1.0 / norm;
	for ( int i = 0; i < 9; ++i )
	{
		a.m[i / 3][i % 3] *= s;
	}
	supQuat result;
	if ( SolvePolar( &a, &result ) )
	{
		return result;
	}
	supSvd svd = supComputeSvd( m );
	return supMakeQuatMat3( supMulMM( svd.u, supTranspose( svd.v ) ) );
}
