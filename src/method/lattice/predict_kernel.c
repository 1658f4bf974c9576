// SPDX-License-Identifier: MIT
// Beginning and end of a substep: where skinning puts each voxel, where it swings to, and how fast it is afterwards.
#include "method/lattice/lattice.h"

// ---------------------------------------------------------------------------------------------------------------------
// Skinning (equation 3): matrices of a brick's voxels side by side

typedef struct Blend
{
	// columns and translation; of no meaning in empty lanes
	supFloat8 m[12];
} Blend;

// Sixteen floats of each lane, lane by lane, into one register each.
SUP_WIDE void Gather( float lanes[8][16], int count, supFloat8* out )
{
	for ( int k = 0; k < count; ++k )
	{
		out[k] = ( supFloat8 ){ lanes[0][k], lanes[1][k], lanes[2][k], lanes[3][k],
								lanes[4][k], lanes[5][k], lanes[6][k], lanes[7][k] };
	}
}

SUP_WIDE Blend BlendMatrices( const supLatticeJob* job, const float* palette, int32_t brick )
{
	const supLatticeFlesh* flesh = job->flesh;
	float lanes[8][16];
	memset( lanes, 0, sizeof( lanes ) );
	int32_t voxel = flesh->firstVoxels[brick];
	for ( uint32_t mask = flesh->masks[brick]; mask != 0; mask &= mask - 1, ++voxel )
	{
		int lane = __builtin_ctz( mask );
		const uint16_t* joints = flesh->joints + (size_t)voxel * SUP_MAX_INFLUENCES;
		const float* weights = flesh->weights + (size_t)voxel * SUP_MAX_INFLUENCES;
		supFloat8 low = supSplat8( 0.0f );
		supFloat4 high = supSplat4( 0.0f );
		for ( int k = 0; k < SUP_MAX_INFLUENCES && weights[k] > 0.0f; ++k )
		{
			const float* bone = palette + (size_t)joints[k] * 16;
			low += weights[k] * supLoad8( bone );
			high += weights[k] * supLoad4( bone + 8 );
		}
		supStore8( lanes[lane], low );
		supStore4( lanes[lane] + 8, high );
	}
	Blend blend;
	Gather( lanes, 12, blend.m );
	return blend;
}

// ---------------------------------------------------------------------------------------------------------------------
// The same with dual quaternions (Kavan et al. 2008), which turn what is between two bones instead of making it thin

// Bones whose quaternions are farther apart than this take the other way round (skeleton.c), and where the sum of all
// all but vanishes those beyond half a turn do.
#define MAX_TWIST_HALF_COSINE -0.5f
#define LEAST_SUM 0.25f

// The sum over a voxel's bones of motion and stretch, eight floats each. Returns the length of its rotation.
SUP_WIDE float SumDuals( const supLatticeJob* job, int32_t voxel, float farthest, supFloat8* motion,
						 supFloat8* stretch )
{
	const uint16_t* joints = job->flesh->joints + (size_t)voxel * SUP_MAX_INFLUENCES;
	const float* weights = job->flesh->weights + (size_t)voxel * SUP_MAX_INFLUENCES;
	const float* first = &job->arrays.duals[joints[0]].motion.real.x;
	*motion = supSplat8( 0.0f );
	*stretch = supSplat8( 0.0f );
	for ( int k = 0; k < SUP_MAX_INFLUENCES && weights[k] > 0.0f; ++k )
	{
		const float* bone = &job->arrays.duals[joints[k]].motion.real.x;
		float cosine = first[0] * bone[0] + first[1] * bone[1] + first[2] * bone[2] + first[3] * bone[3];
		*motion += ( cosine < farthest ? -weights[k] : weights[k] ) * supLoad8( bone );
		*stretch += weights[k] * supLoad8( bone + 8 );
	}
	supFloat8 m = *motion;
	return sqrtf( m[0] * m[0] + m[1] * m[1] + m[2] * m[2] + m[3] * m[3] );
}

// Rotation times stretch, where there is some, and translation.
SUP_WIDE Blend MakeBlend( const supFloat8 q[8], const supFloat8 stretch[6], bool isStretched )
{
	supFloat8 xx = q[0] * q[0], yy = q[1] * q[1], zz = q[2] * q[2];
	supFloat8 xy = q[0] * q[1], yz = q[1] * q[2], zx = q[2] * q[0];
	supFloat8 wx = q[3] * q[0], wy = q[3] * q[1], wz = q[3] * q[2];
	Blend b = { { 1.0f - 2.0f * ( yy + zz ), 2.0f * ( xy + wz ), 2.0f * ( zx - wy ), 2.0f * ( xy - wz ),
				  1.0f - 2.0f * ( xx + zz ), 2.0f * ( yz + wx ), 2.0f * ( zx + wy ), 2.0f * ( yz - wx ),
				  1.0f - 2.0f * ( xx + yy ) } };
	if ( isStretched )
	{
		// columns of the stretch: xx xy zx, xy yy yz, zx yz zz
		static const uint8_t order[9] = { 0, 3, 5, 3, 1, 4, 5, 4, 2 };
		Blend r = b;
		for ( int column = 0; column < 3; ++column )
		{
			for ( int row = 0; row < 3; ++row )
			{
				b.m[3 * column + row] = r.m[row] * stretch[order[3 * column]] +
										r.m[3 + row] * stretch[order[3 * column + 1]] +
										r.m[6 + row] * stretch[order[3 * column + 2]];
			}
		}
	}
	b.m[9] = 2.0f * ( q[3] * q[4] - q[7] * q[0] + q[1] * q[6] - q[2] * q[5] );
	b.m[10] = 2.0f * ( q[3] * q[5] - q[7] * q[1] + q[2] * q[4] - q[0] * q[6] );
	b.m[11] = 2.0f * ( q[3] * q[6] - q[7] * q[2] + q[0] * q[5] - q[1] * q[4] );
	return b;
}

SUP_WIDE Blend BlendDuals( const supLatticeJob* job, int32_t brick )
{
	const supLatticeFlesh* flesh = job->flesh;
	float motions[8][16], stretches[8][16];
	memset( motions, 0, sizeof( motions ) );
	memset( stretches, 0, sizeof( stretches ) );
	int32_t voxel = flesh->firstVoxels[brick];
	for ( uint32_t mask = flesh->masks[brick]; mask != 0; mask &= mask - 1, ++voxel )
	{
		int lane = __builtin_ctz( mask );
		supFloat8 motion, stretch;
		float length = SumDuals( job, voxel, MAX_TWIST_HALF_COSINE, &motion, &stretch );
		if ( length < LEAST_SUM )
		{
			length = SumDuals( job, voxel, 0.0f, &motion, &stretch );
		}
		supStore8( motions[lane], ( 1.0f / length ) * motion );
		supStore8( stretches[lane], stretch );
	}
	supFloat8 q[8], stretch[6];
	bool isStretched = job->arrays.head->isStretched != 0;
	Gather( motions, 8, q );
	if ( isStretched )
	{
		Gather( stretches, 6, stretch );
	}
	return MakeBlend( q, stretch, isStretched );
}

SUP_WIDE Blend BlendBones( const supLatticeJob* job, int32_t brick )
{
	return job->blend == sup_latticeBlendDual ? BlendDuals( job, brick )
											  : BlendMatrices( job, job->arrays.palette, brick );
}

SUP_WIDE void SkinBrick( const supLatticeJob* job, int32_t brick, const Blend* blend, supFloat8 skinned[3] )
{
	supVoxelCell cell = job->flesh->brickCells[brick];
	const supFloat8 steps = { 0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f };
	supFloat8 x = (float)cell.x + steps;
	float y = (float)cell.y, z = (float)cell.z;
	for ( int c = 0; c < 3; ++c )
	{
		skinned[c] = blend->m[c] * x + blend->m[3 + c] * y + blend->m[6 + c] * z + blend->m[9 + c];
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Prediction

// Motions of a brick's classes side by side.
typedef struct Motions
{
	supFloat8 a00, a01, a10, a11, free, keep;
} Motions;

SUP_WIDE Motions LoadMotions( const supLatticeJob* job, int32_t brick )
{
	const uint8_t* classes = job->flesh->slotClasses + (size_t)brick * 8;
	float lanes[6][8];
	for ( int lane = 0; lane < 8; ++lane )
	{
		const supLatticeMotion* motion = job->motions + classes[lane];
		lanes[0][lane] = motion->a00;
		lanes[1][lane] = motion->a01;
		lanes[2][lane] = motion->a10;
		lanes[3][lane] = motion->a11;
		lanes[4][lane] = motion->free;
		lanes[5][lane] = motion->keep;
	}
	return ( Motions ){ supLoad8( lanes[0] ), supLoad8( lanes[1] ), supLoad8( lanes[2] ),
						supLoad8( lanes[3] ), supLoad8( lanes[4] ), supLoad8( lanes[5] ) };
}

SUP_WIDE supInt8 LaneMask( uint8_t bits )
{
	const supInt8 lanes = { 1, 2, 4, 8, 16, 32, 64, 128 };
	return ( lanes & (int32_t)bits ) != 0;
}

// How far skinned gravity is from gravity: what is level at rest is in balance there.
SUP_WIDE void FindPull( const supLatticeJob* job, const Blend* blend, supFloat8 pull[3] )
{
	const float* g = job->gravity;
	for ( int c = 0; c < 3; ++c )
	{
		pull[c] = g[c] - ( blend->m[c] * g[0] + blend->m[3 + c] * g[1] + blend->m[6 + c] * g[2] );
	}
}

// Adds exaggerated inertia.
SUP_WIDE void Throw( const supLatticeJob* job, int32_t brick, supFloat8 pull[3] )
{
	supFloat8 thrown[3];
	Blend blend = BlendMatrices( job, job->arrays.throws, brick );
	SkinBrick( job, brick, &blend, thrown );
	for ( int c = 0; c < 3; ++c )
	{
		pull[c] += thrown[c];
	}
}

// y and u of the voxels after the substep, as their tethers alone would have it.
SUP_WIDE void Swing( const supLatticeJob* job, const Motions* motions, const supFloat8 y[3], const supFloat8 u[3],
					 supFloat8 newY[3], supFloat8 newU[3] )
{
	supFloat8 length = supSplat8( 0.0f );
	for ( int c = 0; c < 3; ++c )
	{
		newY[c] = motions->a00 * y[c] + motions->a01 * u[c];
		newU[c] = motions->a10 * y[c] + motions->a11 * u[c];
		length += newY[c] * newY[c];
	}
	// beyond its reach flesh is taken along, and what speed led there is lost
	supInt8 beyond = length > job->reach * job->reach;
	supFloat8 s = job->reach / supSqrt8( supMax8( length, supSplat8( job->reach * job->reach ) ) );
	s = supSelect8( beyond, s, supSplat8( 1.0f ) );
	for ( int c = 0; c < 3; ++c )
	{
		newY[c] *= s;
		newU[c] *= s;
	}
}

int64_t SUP_KERNEL( supLatticePredict )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	int64_t repaired = 0;
	const supLatticeArrays* arrays = &job->arrays;
	float inverseDt = 1.0f / job->dt;
	for ( int32_t b = begin; b < end; ++b )
	{
		if ( job->flesh->masks[b] == 0 )
		{
			continue;
		}
		Blend blend = BlendBones( job, b );
		Motions motions = LoadMotions( job, b );
		supInt8 present = LaneMask( job->flesh->masks[b] );
		supFloat8 skinned[3], pull[3], lead[3], y[3], u[3], newY[3], newU[3];
		SkinBrick( job, b, &blend, skinned );
		FindPull( job, &blend, pull );
		if ( job->isThrown )
		{
			Throw( job, b, pull );
		}
		for ( int c = 0; c < 3; ++c )
		{
			size_t at = (size_t)b * 24 + (size_t)( 8 * c );
			supFloat8 before = supLoad8( arrays->skinned + at );
			lead[c] = ( skinned[c] - before + job->shift[c] ) * inverseDt;
			y[c] = supLoad8( arrays->positions + at ) - before;
			u[c] = supLoad8( arrays->velocities + at ) - lead[c] + job->dt * pull[c];
		}
		Swing( job, &motions, y, u, newY, newU );
		// bones, empty lanes and what is not a number stay with the skin
		supFloat8 nothing = supSplat8( 0.0f );
		for ( int c = 0; c < 3; ++c )
		{
			nothing += ( newY[c] - newY[c] ) + ( newU[c] - newU[c] );
		}
		supInt8 isFree = present & ( motions.free > 0.0f ), isSound = nothing == 0.0f;
		supInt8 swings = isFree & isSound;
		repaired += __builtin_popcount( supMaskBits8( isFree & ~isSound ) );
		for ( int c = 0; c < 3; ++c )
		{
			size_t at = (size_t)b * 24 + (size_t)( 8 * c );
			supFloat8 zero = supSplat8( 0.0f );
			supFloat8 place = supSelect8( swings, skinned[c] + newY[c], skinned[c] );
			supFloat8 old = supSelect8( swings, skinned[c] + ( y[c] - lead[c] * job->dt ), skinned[c] );
			supFloat8 speed = supSelect8( swings, lead[c] + newU[c], lead[c] );
			supStore8( arrays->skinned + at, supSelect8( present, skinned[c], zero ) );
			supStore8( arrays->predicted + at, supSelect8( present, place, zero ) );
			supStore8( arrays->positions + at,
					   supSelect8( present, job->paper == sup_latticeFastLsm ? old : place, zero ) );
			supStore8( arrays->velocities + at, supSelect8( present, speed, zero ) );
		}
		for ( int k = 0; k < 9; ++k )
		{
			supStore8( arrays->turns + (size_t)b * 72 + (size_t)( 8 * k ), blend.m[k] );
		}
	}
	return repaired;
}

// ---------------------------------------------------------------------------------------------------------------------
// End

SUP_WIDE supInt8 FindStrays( const supFloat8 places[3], const supFloat8 skins[3], float leash )
{
	supFloat8 squared = supSplat8( 0.0f );
	for ( int c = 0; c < 3; ++c )
	{
		squared += ( places[c] - skins[c] ) * ( places[c] - skins[c] );
	}
	return squared > leash * leash;
}

// v = predicted v + what the constraints moved, and repair.
int64_t SUP_KERNEL( supLatticeFinish )( const supLatticeJob* job, int32_t begin, int32_t end, float* unrest )
{
	const supLatticeArrays* arrays = &job->arrays;
	float inverseDt = 1.0f / job->dt;
	supFloat8 fastest = supSplat8( 0.0f );
	int64_t repaired = 0;
	float leash = job->leash * ( job->scale > 1.0f ? job->scale : 1.0f );
	for ( int32_t b = begin; b < end; ++b )
	{
		if ( job->flesh->masks[b] == 0 )
		{
			continue;
		}
		supInt8 bad = { 0 };
		supFloat8 places[3], speeds[3], skins[3];
		supFloat8 moved = supSplat8( 0.0f );
		Motions motions = LoadMotions( job, b );
		for ( int c = 0; c < 3; ++c )
		{
			size_t at = (size_t)b * 24 + (size_t)( 8 * c );
			supFloat8 predicted = supLoad8( arrays->predicted + at );
			skins[c] = supLoad8( arrays->skinned + at );
			places[c] = supLoad8( arrays->positions + at );
			supFloat8 change = ( places[c] - predicted ) * inverseDt;
			speeds[c] = motions.keep * ( supLoad8( arrays->velocities + at ) + change );
			bad |= ( places[c] - places[c] != 0.0f ) | ( speeds[c] - speeds[c] != 0.0f );
			moved += speeds[c] * speeds[c];
		}
		supFloat8 zero = supSplat8( 0.0f );
		supInt8 isBone = motions.free == 0.0f;
		// flesh that wild poses threw farther than its body is long comes back at once
		supInt8 stray = FindStrays( places, skins, leash );
		for ( int c = 0; c < 3; ++c )
		{
			size_t at = (size_t)b * 24 + (size_t)( 8 * c );
			supStore8( arrays->positions + at, supSelect8( bad | stray, skins[c], places[c] ) );
			supStore8( arrays->velocities + at, supSelect8( bad | stray | isBone, zero, speeds[c] ) );
		}
		fastest = supMax8( fastest, supSelect8( bad | stray | isBone, zero, moved ) );
		repaired += __builtin_popcount( supMaskBits8( bad ) & job->flesh->masks[b] );
	}
	float largest = 0.0f;
	for ( int i = 0; i < 8; ++i )
	{
		largest = fastest[i] > largest ? fastest[i] : largest;
	}
	*unrest = largest;
	return repaired;
}
