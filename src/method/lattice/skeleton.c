// SPDX-License-Identifier: MIT
// The skeleton in a pose: what carries voxels.
#include "method/inertia.h"
#include "method/lattice/lattice.h"

static double CubeRoot( double a )
{
	// of numbers around 1
	double x = a > 1.0 ? a : 1.0;
	for ( int i = 0; i < 60; ++i )
	{
		double next = ( 2.0 * x + a / ( x * x ) ) / 3.0;
		if ( !( next < x ) )
		{
			break;
		}
		x = next;
	}
	return x;
}

typedef struct Bone
{
	// from the lattice to the world: columns, and where cell 0 goes; metres
	double m[9], place[3];
} Bone;

static Bone MakeBone( const supLatticeFlesh* flesh, const supMat34* world, int32_t bone )
{
	const double* rest = flesh->boneRests + (size_t)bone * 12;
	const double w[9] = { world->cx.x, world->cx.y, world->cx.z, world->cy.x, world->cy.y,
						  world->cy.z, world->cz.x, world->cz.y, world->cz.z };
	const double t[3] = { world->t.x, world->t.y, world->t.z };
	Bone result;
	for ( int row = 0; row < 3; ++row )
	{
		for ( int column = 0; column < 3; ++column )
		{
			result.m[3 * column + row] =
				w[row] * rest[3 * column] + w[3 + row] * rest[3 * column + 1] + w[6 + row] * rest[3 * column + 2];
		}
		result.place[row] = w[row] * rest[9] + w[3 + row] * rest[10] + w[6 + row] * rest[11] + t[row];
	}
	return result;
}

static double DeterminantOf( const double* m )
{
	return m[0] * ( m[4] * m[8] - m[5] * m[7] ) + m[1] * ( m[5] * m[6] - m[3] * m[8] ) +
		   m[2] * ( m[3] * m[7] - m[4] * m[6] );
}

// A bone's matrix; one that is not a number is left as it was. Returns whether it is.
static bool SetBone( float* out, const Bone* bone, const double origin[3], float voxelSize )
{
	float m[12];
	bool ok = true;
	for ( int i = 0; i < 12; ++i )
	{
		m[i] = i < 9 ? (float)bone->m[i] : (float)( ( bone->place[i - 9] - origin[i - 9] ) / (double)voxelSize );
		ok = ok && supIsFinite( m[i] );
	}
	if ( ok )
	{
		memcpy( out, m, sizeof( m ) );
	}
	return ok;
}

// How the skeleton has changed its size as a whole; flesh is matched to a rest shape of this size.
static float FindScale( const supLatticeFlesh* flesh, const float* palette )
{
	double sum = 0.0;
	for ( int32_t i = 0; i < flesh->boneCount; ++i )
	{
		double m[9];
		for ( int k = 0; k < 9; ++k )
		{
			m[k] = (double)palette[16 * i + k];
		}
		double determinant = DeterminantOf( m );
		sum += CubeRoot( determinant > 1.0e-6 ? ( determinant < 1.0e6 ? determinant : 1.0e6 ) : 1.0e-6 );
	}
	float scale = (float)( sum / flesh->boneCount );
	// rounding of the rotations is not a change
	return scale > 1.0f - 1.0e-4f && scale < 1.0f + 1.0e-4f ? 1.0f : scale;
}

// ---------------------------------------------------------------------------------------------------------------------
// Dual quaternions

// A quaternion and its opposite are the same rotation, but between two of them one way round is the short one and the
// other the long one. A bone may be twisted against its parent by up to this (the cosine of half the angle: 240
// degrees) before flesh between them goes the other way round: it then does not flicker about half a turn.
#define MAX_TWIST_HALF_COSINE -0.5f

static supQuat Times( float s, supQuat q )
{
	return ( supQuat ){ s * q.x, s * q.y, s * q.z, s * q.w };
}

// Chooses the sign of a bone so that it is seen from its parent as it was, and keeps how that is.
static void ChooseSide( supDualJoint* joint, supQuat parent, supQuat* bend )
{
	supQuat now = supMulQuat( supConjugate( parent ), joint->motion.real );
	float side = supDotQuat( now, *bend ) < 0.0f ? -1.0f : 1.0f;
	side = side * now.w < MAX_TWIST_HALF_COSINE ? -side : side;
	*bend = Times( side, now );
	joint->motion.real = Times( side, joint->motion.real );
	joint->motion.dual = Times( side, joint->motion.dual );
}

static void SetDual( const supLatticeFlesh* flesh, const supLatticeArrays* arrays, int32_t bone )
{
	const float* m = arrays->palette + (size_t)bone * 16;
	supMat34 matrix = { { m[0], m[1], m[2] }, { m[3], m[4], m[5] }, { m[6], m[7], m[8] }, { m[9], m[10], m[11] } };
	bool isStretched = supMakeDualJoint( matrix, arrays->duals + bone );
	arrays->head->isStretched = arrays->head->isStretched || isStretched;
	int32_t parent = flesh->boneParents[bone] >= 0 ? flesh->boneParents[bone] : flesh->boneOrder[0];
	supQuat side = parent != bone ? arrays->duals[parent].motion.real : supQuat_identity;
	ChooseSide( arrays->duals + bone, side, arrays->bends + bone );
}

int64_t supLattice_FillPalette( const supLatticeFlesh* flesh, const supLatticeArrays* arrays, supPose* pose )
{
	const supMat34* worlds = supPose_Worlds( pose );
	Bone first = MakeBone( flesh, worlds + flesh->boneNodes[0], 0 );
	bool ok = true;
	for ( int i = 0; i < 3; ++i )
	{
		ok = ok && supIsFinite( (float)first.place[i] );
	}
	if ( ok )
	{
		memcpy( arrays->head->origin, first.place, sizeof( first.place ) );
	}
	int64_t bad = 0;
	arrays->head->isStretched = 0;
	for ( int32_t i = 0; i < flesh->boneCount; ++i )
	{
		int32_t at = flesh->boneOrder[i];
		Bone bone = MakeBone( flesh, worlds + flesh->boneNodes[at], at );
		bad += SetBone( arrays->palette + (size_t)at * 16, &bone, arrays->head->origin, flesh->voxelSize ) == false;
		SetDual( flesh, arrays, at );
	}
	arrays->head->scale = FindScale( flesh, arrays->palette );
	return bad;
}

bool supLattice_FillThrows( const supLatticeFlesh* flesh, const supLatticeArrays* arrays, const supSubstep* step )
{
	static const double none[3] = { 0.0, 0.0, 0.0 };
	float exaggeration = step->parameters[sup_latticeExaggeration];
	if ( step->accelerations == NULL || exaggeration <= 1.0f )
	{
		return false;
	}
	for ( int32_t i = 0; i < flesh->boneCount; ++i )
	{
		supMat34 thrown = supThrowNode( step, exaggeration, flesh->boneNodes[i] );
		Bone bone = MakeBone( flesh, &thrown, i );
		SetBone( arrays->throws + (size_t)i * 16, &bone, none, flesh->voxelSize );
	}
	return true;
}

void supLattice_ResetPalette( const supLatticeFlesh* flesh, const supLatticeArrays* arrays )
{
	for ( int32_t i = 0; i < flesh->boneCount; ++i )
	{
		float* m = arrays->palette + (size_t)i * 16;
		m[0] = m[4] = m[8] = 1.0f;
		arrays->bends[i] = supQuat_identity;
	}
}
