// SPDX-License-Identifier: MIT
// Rigid bodies that are touched, as parts of the answer: six velocities each, of the centre and turning, both in the
// world. What is at the end of a lever r moves by B v = ċ + ω x r, and their matrix is M_r + Σ Bᵀ M_λ^-1 B over all
// that touches them.
#include "method/layered/layered.h"

supVec3d supContactRigid_SpeedAt( const double* v, supVec3d lever )
{
	return supAddVec3d( supLoadVec3d( v ), supCrossVec3d( supLoadVec3d( v + 3 ), lever ) );
}

void supContactRigid_AddPush( double* f, supVec3d lever, supVec3d push )
{
	supStoreVec3d( f, supAddVec3d( supLoadVec3d( f ), push ) );
	supStoreVec3d( f + 3, supAddVec3d( supLoadVec3d( f + 3 ), supCrossVec3d( lever, push ) ) );
}

void supContactRigid_StartMatrix( supContactRigid* rigid )
{
	memset( rigid->matrix, 0, sizeof( rigid->matrix ) );
	for ( int c = 0; c < 3; ++c )
	{
		const supVec3 column = c == 0 ? rigid->inertia.cx : ( c == 1 ? rigid->inertia.cy : rigid->inertia.cz );
		rigid->matrix[c][c] = (double)rigid->mass;
		supStoreVec3d( rigid->matrix[3 + c] + 3, supWidenVec3( column ) );
	}
}

// += Bᵀ firm B
void supContactRigid_AddSquare( supContactRigid* rigid, supVec3d lever, const supMat3d* firm )
{
	for ( int c = 0; c < 6; ++c )
	{
		double unit[6] = { c == 0, c == 1, c == 2, c == 3, c == 4, c == 5 };
		supVec3d push = supMulMat3dVec( firm, supContactRigid_SpeedAt( unit, lever ) );
		supContactRigid_AddPush( rigid->matrix[c], lever, push );
	}
}

// L Lᵀ, the lower triangle in rows of `factor`.
void supContactRigid_Factor( supContactRigid* rigid )
{
	for ( int r = 0; r < 6; ++r )
	{
		for ( int c = 0; c <= r; ++c )
		{
			double sum = rigid->matrix[c][r];
			for ( int k = 0; k < c; ++k )
			{
				sum -= rigid->factor[r][k] * rigid->factor[c][k];
			}
			// the mass alone keeps it positive; rounding may not
			rigid->factor[r][c] = c < r ? sum / rigid->factor[c][c] : sqrt( fmax( sum, 1e-12 * rigid->matrix[r][r] ) );
		}
	}
}

void supContactRigid_Solve( const supContactRigid* rigid, const double* from, double* to )
{
	for ( int r = 0; r < 6; ++r )
	{
		to[r] = from[r];
		for ( int k = 0; k < r; ++k )
		{
			to[r] -= rigid->factor[r][k] * to[k];
		}
		to[r] /= rigid->factor[r][r];
	}
	for ( int r = 5; r >= 0; --r )
	{
		for ( int k = r + 1; k < 6; ++k )
		{
			to[r] -= rigid->factor[k][r] * to[k];
		}
		to[r] /= rigid->factor[r][r];
	}
}

void supContactRigid_Multiply( const supContactRigid* rigid, const double* from, double* to )
{
	for ( int r = 0; r < 6; ++r )
	{
		to[r] = 0.0;
		for ( int c = 0; c < 6; ++c )
		{
			to[r] += rigid->matrix[c][r] * from[c];
		}
	}
}

double supContactRigid_Dot( const double* a, const double* b )
{
	double sum = 0.0;
	for ( int k = 0; k < 6; ++k )
	{
		sum += a[k] * b[k];
	}
	return sum;
}
