// SPDX-License-Identifier: MIT
// From the sums of a region to its motion (Müller et al. 2005), eight regions at a time, and from motions to goals.
//
// The rotation maximises tr( R^T A ) for A = sum of m ( p - c ) ( p0 - c0 )^T. With B = R^T A and a small turn w on top
// of R, the value is tr B + a w - w ( tr B - sym B ) w / 2: Newton's method on rotations, which converges cubically, so
// that from the rotation of the last step one or two turns are enough. All maxima of this function are global ones: a
// step that climbs gets there, also from an inverted region.
//
// Thin regions do not say everything: a row of voxels can turn about itself, a single one in any way. A little of the
// skinned rotation is added to A, so that what matching does not know comes from the skeleton. Where everything moves
// rigidly both agree, and the result is exact.
#include "method/lattice/lattice.h"

typedef struct Mat
{
	// columns
	supFloat8 m[3][3];
} Mat;

typedef struct Quat
{
	supFloat8 x, y, z, w;
} Quat;

SUP_WIDE Mat MakeMat( Quat q )
{
	supFloat8 xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
	supFloat8 xy = q.x * q.y, yz = q.y * q.z, zx = q.z * q.x;
	supFloat8 wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
	return ( Mat ){ { { 1.0f - 2.0f * ( yy + zz ), 2.0f * ( xy + wz ), 2.0f * ( zx - wy ) },
					  { 2.0f * ( xy - wz ), 1.0f - 2.0f * ( xx + zz ), 2.0f * ( yz + wx ) },
					  { 2.0f * ( zx + wy ), 2.0f * ( yz - wx ), 1.0f - 2.0f * ( xx + yy ) } } };
}

SUP_WIDE supFloat8 Dot( const supFloat8* a, const supFloat8* b )
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// q := q times the small rotation by w.
SUP_WIDE Quat Turn( Quat q, supFloat8 wx, supFloat8 wy, supFloat8 wz )
{
	supFloat8 x = 0.5f * wx, y = 0.5f * wy, z = 0.5f * wz;
	Quat r = { q.x + q.w * x + q.y * z - q.z * y, q.y + q.w * y + q.z * x - q.x * z, q.z + q.w * z + q.x * y - q.y * x,
			   q.w - q.x * x - q.y * y - q.z * z };
	supFloat8 s = 1.0f / supSqrt8( r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w );
	return ( Quat ){ s * r.x, s * r.y, s * r.z, s * r.w };
}

SUP_WIDE supFloat8 NormOf( const Mat* a )
{
	return supSqrt8( Dot( a->m[0], a->m[0] ) + Dot( a->m[1], a->m[1] ) + Dot( a->m[2], a->m[2] ) );
}

// The turn that Newton's method makes; where the function is not concave, along the slope. Returns where it is.
SUP_WIDE supInt8 FindTurn( const Mat* a, Quat q, supFloat8 norm, supFloat8 turn[3] )
{
	Mat r = MakeMat( q );
	supFloat8 b[3][3];
	for ( int i = 0; i < 3; ++i )
	{
		for ( int j = 0; j < 3; ++j )
		{
			b[i][j] = Dot( r.m[i], a->m[j] );
		}
	}
	supFloat8 gx = b[2][1] - b[1][2], gy = b[0][2] - b[2][0], gz = b[1][0] - b[0][1];
	// h = tr B - sym B
	supFloat8 xx = b[1][1] + b[2][2], yy = b[0][0] + b[2][2], zz = b[0][0] + b[1][1];
	supFloat8 xy = -0.5f * ( b[0][1] + b[1][0] ), xz = -0.5f * ( b[0][2] + b[2][0] ),
			  yz = -0.5f * ( b[1][2] + b[2][1] );
	supFloat8 cxx = yy * zz - yz * yz, cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy;
	supFloat8 cyy = xx * zz - xz * xz, cyz = xy * xz - xx * yz, czz = xx * yy - xy * xy;
	supFloat8 determinant = xx * cxx + xy * cxy + xz * cxz;
	supFloat8 least = 1.0e-3f * norm;
	supInt8 concave = ( xx > least ) & ( czz > least * least ) & ( determinant > least * least * least );
	supFloat8 s = 1.0f / supSelect8( concave, determinant, supSplat8( 1.0f ) );
	supFloat8 slow = 1.0f / ( 2.0f * norm );
	turn[0] = supSelect8( concave, s * ( cxx * gx + cxy * gy + cxz * gz ), slow * gx );
	turn[1] = supSelect8( concave, s * ( cxy * gx + cyy * gy + cyz * gz ), slow * gy );
	turn[2] = supSelect8( concave, s * ( cxz * gx + cyz * gy + czz * gz ), slow * gz );
	// a turn of more than a right angle knows nothing about where it ends
	supFloat8 length = supSqrt8( turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] );
	supFloat8 limit = supSelect8( length > 1.5f, 1.5f / supMax8( length, supSplat8( 1.5f ) ), supSplat8( 1.0f ) );
	for ( int i = 0; i < 3; ++i )
	{
		turn[i] *= limit;
	}
	return concave;
}

#define MOST_TURNS 12
// After a turn of this size what is left is its third power: below a float's rounding.
#define SMALL_TURN 4.0e-3f

// Lanes where ascent was too slow: on a ridge, or started at a minimum.
static void SolveLanes( const Mat* a, Quat* q, uint32_t lanes )
{
	for ( ; lanes != 0; lanes &= lanes - 1 )
	{
		int lane = __builtin_ctz( lanes );
		supMat3 m = { { a->m[0][0][lane], a->m[0][1][lane], a->m[0][2][lane] },
					  { a->m[1][0][lane], a->m[1][1][lane], a->m[1][2][lane] },
					  { a->m[2][0][lane], a->m[2][1][lane], a->m[2][2][lane] } };
		supQuat r = supPolarRotation( m );
		q->x[lane] = r.x;
		q->y[lane] = r.y;
		q->z[lane] = r.z;
		q->w[lane] = r.w;
	}
}

// Rotations nearest to a, from q on. Zero matrices keep theirs.
SUP_WIDE Quat Polar( const Mat* a, Quat q )
{
	supFloat8 norm = NormOf( a );
	supInt8 something = norm > 1.0e-30f;
	norm = supSelect8( something, norm, supSplat8( 1.0f ) );
	uint32_t open = 0xFF;
	for ( int i = 0; i < MOST_TURNS && open != 0; ++i )
	{
		supFloat8 turn[3];
		supInt8 concave = FindTurn( a, q, norm, turn );
		q = Turn( q, turn[0], turn[1], turn[2] );
		supFloat8 size = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2];
		// no slope is not enough: a minimum has none either. Written so that what is not a number stays open.
		open = ~supMaskBits8( ( size < SMALL_TURN * SMALL_TURN ) & ( concave | ~something ) ) & 0xFF;
	}
	if ( open != 0 )
	{
		SolveLanes( a, &q, open );
	}
	return q;
}

void SUP_KERNEL( supLatticePolar )( const float* matrices, float* rotations, int32_t count )
{
	size_t n = (size_t)count;
	for ( size_t i = 0; i < n; i += 8 )
	{
		Mat a;
		for ( size_t k = 0; k < 9; ++k )
		{
			a.m[k / 3][k % 3] = supLoad8( matrices + k * n + i );
		}
		Quat q = { supLoad8( rotations + i ), supLoad8( rotations + n + i ), supLoad8( rotations + 2 * n + i ),
				   supLoad8( rotations + 3 * n + i ) };
		q = Polar( &a, q );
		supStore8( rotations + i, q.x );
		supStore8( rotations + n + i, q.y );
		supStore8( rotations + 2 * n + i, q.z );
		supStore8( rotations + 3 * n + i, q.w );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Sums term by term

// Zero in all lanes but some.
SUP_WIDE supFloat8 KeepLanes( supFloat8 a, uint8_t lanes )
{
	const supInt8 bits = { 1, 2, 4, 8, 16, 32, 64, 128 };
	supInt8 all = ( supInt8 ){ 0 } + (int32_t)lanes;
	return (supFloat8)( (supInt8)a & ( ( all & bits ) == bits ) );
}

// How far along x the voxels of a term are from the middle of the region.
SUP_WIDE supFloat8 LanesOf( supLatticeOffset o )
{
	const supFloat8 lanes = { 0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f };
	return lanes + 0.5f * (float)o.x;
}

// Adds to (or takes from) the sums of a slot what its list says.
SUP_WIDE void AddTerms( const supLatticeJob* job, int32_t list )
{
	const supLatticeFlesh* flesh = job->flesh;
	const supLatticeLists* lists = &flesh->regionLists;
	supFloat8 sums[12] = { { 0 } };
	for ( int32_t i = lists->starts[list]; i < lists->starts[list + 1]; ++i )
	{
		bool isLess = lists->terms[i] < 0;
		size_t brick = (size_t)( isLess ? ~lists->terms[i] : lists->terms[i] );
		supLatticeOffset o = lists->offsets[i];
		supFloat8 mass = KeepLanes( ( isLess ? -1.0f : 1.0f ) * supLoad8( flesh->shares + 8 * brick ), o.lanes );
		supFloat8 x = LanesOf( o );
		float y = 0.5f * (float)o.y, z = 0.5f * (float)o.z;
		for ( int c = 0; c < 3; ++c )
		{
			supFloat8 mp = mass * supLoad8( job->from + 24 * brick + (size_t)( 8 * c ) );
			sums[c] += mp;
			sums[3 + c] += x * mp;
			sums[6 + c] += y * mp;
			sums[9 + c] += z * mp;
		}
	}
	int32_t slot = lists->slots[list];
	float* out = job->arrays.sums + (size_t)( slot >> 3 ) * 96 + ( slot & 7 );
	float lanes[16 * 8] = { 0 };
	for ( int c = 0; c < 12; ++c )
	{
		supStore8( lanes + 8 * c, sums[c] );
	}
	supFloat8 first = supSums8( lanes ), last = supSums8( lanes + 64 );
	for ( int c = 0; c < 12; ++c )
	{
		out[8 * c] += c < 8 ? first[c] : last[c - 8];
	}
}

// Bricks with regions: those that are in the grid, then, behind the empty one, the extra ones.
SUP_WIDE int32_t RegionBrick( const supLatticeFlesh* flesh, int32_t i )
{
	return i < flesh->brickCount ? i : i + 1;
}

// Some lanes of what a brick has, and what others have for it.
SUP_WIDE void JoinBrick( const supLatticeJob* job, const supLatticeJoins* joins, int32_t i, int32_t brick, uint8_t own )
{
	int32_t begin = joins->starts[i], end = joins->starts[i + 1];
	if ( begin == end && own == 0xFF )
	{
		return;
	}
	supFloat8 sums[12];
	float* to = job->arrays.sums + (size_t)brick * 96;
	for ( int c = 0; c < 12; ++c )
	{
		sums[c] = KeepLanes( supLoad8( to + 8 * c ), own );
	}
	for ( int32_t k = begin; k < end; ++k )
	{
		const float* from = job->arrays.sums + (size_t)joins->bricks[k] * 96;
		for ( int c = 0; c < 12; ++c )
		{
			sums[c] += KeepLanes( supLoad8( from + 8 * c ), joins->lanes[k] );
		}
	}
	for ( int c = 0; c < 12; ++c )
	{
		supStore8( to + 8 * c, sums[c] );
	}
}

void SUP_KERNEL( supLatticeListSums )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* flesh = job->flesh;
	for ( int32_t k = begin; k < end; ++k )
	{
		int32_t part = flesh->parted[k], b = RegionBrick( flesh, part );
		JoinBrick( job, &flesh->regionJoins, part, b, part < flesh->brickCount ? flesh->homeLanes[part] : 0 );
		for ( int32_t i = flesh->regionLists.brickStarts[b]; i < flesh->regionLists.brickStarts[b + 1]; ++i )
		{
			AddTerms( job, i );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Motions

SUP_WIDE Mat LoadTurns( const supLatticeJob* job, int32_t brick )
{
	const supLatticeFlesh* flesh = job->flesh;
	Mat a;
	// regions of odd widths stand where their voxels do
	if ( flesh->window.width % 2 == 1 && brick <= flesh->brickCount )
	{
		for ( int k = 0; k < 9; ++k )
		{
			a.m[k / 3][k % 3] = supLoad8( job->arrays.turns + (size_t)brick * 72 + (size_t)( 8 * k ) );
		}
		return a;
	}
	float lanes[9][8];
	for ( int lane = 0; lane < 8; ++lane )
	{
		int32_t slot = flesh->regionVoxels[8 * brick + lane];
		const float* from = job->arrays.turns + (size_t)( slot >> 3 ) * 72 + ( slot & 7 );
		for ( int k = 0; k < 9; ++k )
		{
			lanes[k][lane] = from[8 * k];
		}
	}
	for ( int k = 0; k < 9; ++k )
	{
		a.m[k / 3][k % 3] = supLoad8( lanes[k] );
	}
	return a;
}

SUP_WIDE supFloat8 Determinant( const Mat* a )
{
	const supFloat8( *m )[3] = a->m;
	return m[0][0] * ( m[1][1] * m[2][2] - m[1][2] * m[2][1] ) + m[0][1] * ( m[1][2] * m[2][0] - m[1][0] * m[2][2] ) +
		   m[0][2] * ( m[1][0] * m[2][1] - m[1][1] * m[2][0] );
}

// Turns the sums of one brick into motions: t, then the columns of R. Returns how many regions were inside out.
SUP_WIDE int32_t MatchBrick( const supLatticeJob* job, int32_t brick )
{
	const float* region = job->flesh->regions + (size_t)brick * 40;
	float* sums = job->arrays.sums + (size_t)brick * 96;
	float* rotations = job->arrays.rotations + (size_t)brick * 32;
	supFloat8 inverseMass = supLoad8( region ), skin = supLoad8( region + 32 );
	supInt8 isRegion = inverseMass > 0.0f;
	if ( supMaskBits8( isRegion ) == 0 )
	{
		memset( sums, 0, 96 * sizeof( float ) );
		return 0;
	}
	Mat turns = LoadTurns( job, brick );
	supFloat8 middle[3], sum[3];
	Mat a;
	for ( int c = 0; c < 3; ++c )
	{
		middle[c] = supLoad8( region + 8 + 8 * c );
		sum[c] = supLoad8( sums + 8 * c );
	}
	for ( int k = 0; k < 9; ++k )
	{
		a.m[k / 3][k % 3] = supLoad8( sums + 24 + 8 * k ) - sum[k % 3] * middle[k / 3];
	}
	supFloat8 norm = NormOf( &a );
	uint32_t inverted = supMaskBits8( ( Determinant( &a ) < -1.0e-3f * norm * norm * norm ) & isRegion );
	for ( int k = 0; k < 9; ++k )
	{
		a.m[k / 3][k % 3] += skin * turns.m[k / 3][k % 3];
		// slots without a region hold what neighbours needed there
		a.m[k / 3][k % 3] = supSelect8( isRegion, a.m[k / 3][k % 3], supSplat8( 0.0f ) );
	}
	Quat q = { supLoad8( rotations ), supLoad8( rotations + 8 ), supLoad8( rotations + 16 ),
			   supLoad8( rotations + 24 ) };
	q = Polar( &a, q );
	supStore8( rotations, q.x );
	supStore8( rotations + 8, q.y );
	supStore8( rotations + 16, q.z );
	supStore8( rotations + 24, q.w );
	Mat r = MakeMat( q );
	supFloat8 zero = supSplat8( 0.0f );
	float scale = job->scale;
	for ( int c = 0; c < 3; ++c )
	{
		supFloat8 place =
			inverseMass * sum[c] - scale * ( r.m[0][c] * middle[0] + r.m[1][c] * middle[1] + r.m[2][c] * middle[2] );
		supStore8( sums + 8 * c, supSelect8( isRegion, place, zero ) );
		supStore8( sums + 24 + 8 * c, supSelect8( isRegion, scale * r.m[0][c], zero ) );
		supStore8( sums + 48 + 8 * c, supSelect8( isRegion, scale * r.m[1][c], zero ) );
		supStore8( sums + 72 + 8 * c, supSelect8( isRegion, scale * r.m[2][c], zero ) );
	}
	return __builtin_popcount( inverted );
}

int64_t SUP_KERNEL( supLatticeMatch )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	int64_t inverted = 0;
	for ( int32_t i = begin; i < end; ++i )
	{
		inverted += MatchBrick( job, RegionBrick( job->flesh, i ) );
	}
	return inverted;
}

// ---------------------------------------------------------------------------------------------------------------------
// Goals

// What the lists of voxels change about the sums of motions, before these are spread in place.
void SUP_KERNEL( supLatticeListGoals )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeLists* lists = &job->flesh->voxelLists;
	for ( int32_t list = begin; list < end; ++list )
	{
		supFloat8 goal[3] = { { 0 } };
		for ( int32_t i = lists->starts[list]; i < lists->starts[list + 1]; ++i )
		{
			bool isLess = lists->terms[i] < 0;
			int32_t slot = isLess ? ~lists->terms[i] : lists->terms[i];
			float sign = isLess ? -1.0f : 1.0f;
			supLatticeOffset o = lists->offsets[i];
			const float* t = job->arrays.sums + (size_t)( slot >> 3 ) * 96 + ( slot & 7 );
			supFloat8 x = LanesOf( o );
			float y = 0.5f * (float)o.y, z = 0.5f * (float)o.z;
			for ( int c = 0; c < 3; ++c )
			{
				float row = sign * ( t[8 * c] + y * t[48 + 8 * c] + z * t[72 + 8 * c] );
				goal[c] += KeepLanes( row + x * ( sign * t[24 + 8 * c] ), o.lanes );
			}
		}
		for ( int c = 0; c < 3; ++c )
		{
			supStore8( job->arrays.corrections + (size_t)list * 24 + (size_t)( 8 * c ), goal[c] );
		}
	}
}

// The motions of regions to where they are spread from: bricks, of which each keeps what is for its own sheet, and
// those of other sheets, which must come first.
void SUP_KERNEL( supLatticeJoinGoals )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* flesh = job->flesh;
	for ( int32_t k = begin; k < end; ++k )
	{
		int32_t i = flesh->shared[k];
		bool isPass = i >= flesh->brickCount;
		JoinBrick( job, &flesh->sheetJoins, i, isPass ? i + 1 + flesh->extraBrickCount : i,
				   isPass ? 0 : flesh->homeLanes[i] );
	}
}

// Sums of voxels that another sheet has.
SUP_WIDE void TakeVoxels( const supLatticeJob* job, int32_t brick )
{
	const supLatticeJoins* joins = &job->flesh->voxelJoins;
	float* to = job->arrays.sums + (size_t)brick * 96;
	for ( int32_t i = joins->starts[brick]; i < joins->starts[brick + 1]; ++i )
	{
		const float* from = job->arrays.sums + (size_t)joins->bricks[i] * 96;
		uint8_t lanes = joins->lanes[i];
		for ( int c = 0; c < 24; c += 8 )
		{
			supStore8( to + c,
					   KeepLanes( supLoad8( to + c ), (uint8_t)~lanes ) + KeepLanes( supLoad8( from + c ), lanes ) );
		}
	}
}

SUP_WIDE void LoadMatching( const supLatticeJob* job, int32_t brick, supFloat8* matching )
{
	const uint8_t* classes = job->flesh->slotClasses + (size_t)brick * 8;
	float lanes[8];
	for ( int lane = 0; lane < 8; ++lane )
	{
		lanes[lane] = job->motions[classes[lane]].matching;
	}
	*matching = supLoad8( lanes );
}

// Equation 5.
void SUP_KERNEL( supLatticeCorrect )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* flesh = job->flesh;
	const supLatticeLists* lists = &flesh->voxelLists;
	const float* base = job->paper == sup_latticeFastLsm ? job->arrays.predicted : job->from;
	// the end of the step sees to the rest
	supFloat8 leash = supSplat8( 8.0f * job->leash * ( job->scale > 1.0f ? job->scale : 1.0f ) );
	for ( int32_t b = begin; b < end; ++b )
	{
		if ( job->flesh->masks[b] == 0 )
		{
			continue;
		}
		float* sums = job->arrays.sums + (size_t)b * 96;
		TakeVoxels( job, b );
		for ( int32_t i = lists->brickStarts[b]; i < lists->brickStarts[b + 1]; ++i )
		{
			for ( int k = 0; k < 24; k += 8 )
			{
				supStore8( sums + k, supLoad8( sums + k ) + supLoad8( job->arrays.corrections + 24 * (size_t)i + k ) );
			}
		}
		supFloat8 share = supLoad8( flesh->shares + (size_t)b * 8 ), matching;
		LoadMatching( job, b, &matching );
		matching = supSelect8( share > 0.0f, matching, supSplat8( 0.0f ) );
		for ( int c = 0; c < 3; ++c )
		{
			size_t at = (size_t)b * 24 + (size_t)( 8 * c );
			supFloat8 p = supLoad8( job->from + at );
			supFloat8 goal = share * supLoad8( sums + 8 * c );
			supFloat8 skin = supLoad8( job->arrays.skinned + at );
			supFloat8 place = supLoad8( base + at ) + matching * ( goal - p );
			// some settings overshoot, more with each iteration; what is not a number stays that, to be counted
			place = supSelect8( place < skin - leash, skin - leash, place );
			supStore8( job->to + at, supSelect8( place > skin + leash, skin + leash, place ) );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Places for the surface

// The mean of the rotations of up to eight regions, in one hemisphere.
SUP_WIDE supQuat MeanRotation( const supLatticeJob* job, int32_t voxel )
{
	const int32_t* regions = job->flesh->voxelRegions + (size_t)voxel * 8;
	supQuat sum = { 0.0f, 0.0f, 0.0f, 0.0f };
	for ( int k = 0; k < 8; ++k )
	{
		if ( regions[k] >= 0 )
		{
			const float* r = job->arrays.rotations + (size_t)( regions[k] >> 3 ) * 32 + ( regions[k] & 7 );
			float s = sum.x * r[0] + sum.y * r[8] + sum.z * r[16] + sum.w * r[24] < 0.0f ? -1.0f : 1.0f;
			sum = ( supQuat ){ sum.x + s * r[0], sum.y + s * r[8], sum.z + s * r[16], sum.w + s * r[24] };
		}
	}
	return sum;
}

// a times the inverse of b.
SUP_WIDE Quat Against( Quat a, Quat b )
{
	return ( Quat ){ -a.w * b.x + a.x * b.w - a.y * b.z + a.z * b.y, -a.w * b.y + a.x * b.z + a.y * b.w - a.z * b.x,
					 -a.w * b.z - a.x * b.y + a.y * b.x + a.z * b.w, a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z };
}

void SUP_KERNEL( supLatticePlaces )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	const supLatticeFlesh* flesh = job->flesh;
	const double* origin = job->arrays.head->origin;
	bool toSkin = job->arrays.head->carry == sup_latticeCarrySkin;
	// what follows its bones turns with them too
	bool isStill = job->arrays.head->mode == sup_latticeNone;
	for ( int32_t b = begin; b < end; ++b )
	{
		float lanes[4][8] = { { 0 } };
		int32_t voxel = flesh->firstVoxels[b];
		for ( uint32_t mask = flesh->masks[b]; mask != 0; mask &= mask - 1, ++voxel )
		{
			supQuat r = MeanRotation( job, voxel );
			int lane = __builtin_ctz( mask );
			lanes[0][lane] = r.x;
			lanes[1][lane] = r.y;
			lanes[2][lane] = r.z;
			lanes[3][lane] = r.w;
		}
		Quat q = { supLoad8( lanes[0] ), supLoad8( lanes[1] ), supLoad8( lanes[2] ), supLoad8( lanes[3] ) };
		supFloat8 square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
		supInt8 known = square > 1.0e-12f;
		supFloat8 s = 1.0f / supSqrt8( supSelect8( known, square, supSplat8( 1.0f ) ) );
		supFloat8 zero = supSplat8( 0.0f ), one = supSplat8( 1.0f );
		q = ( Quat ){ supSelect8( known, s * q.x, zero ), supSelect8( known, s * q.y, zero ),
					  supSelect8( known, s * q.z, zero ), supSelect8( known, s * q.w, one ) };
		if ( toSkin || isStill )
		{
			Mat turns;
			for ( int k = 0; k < 9; ++k )
			{
				turns.m[k / 3][k % 3] = supLoad8( job->arrays.turns + (size_t)b * 72 + (size_t)( 8 * k ) );
			}
			Quat skin = Polar( &turns, q );
			q = isStill ? skin : q;
			q = toSkin ? Against( q, skin ) : q;
		}
		voxel = flesh->firstVoxels[b];
		for ( uint32_t mask = flesh->masks[b]; mask != 0; mask &= mask - 1, ++voxel )
		{
			int lane = __builtin_ctz( mask );
			const float* p = job->arrays.positions + (size_t)b * 24 + lane;
			const float* l = job->arrays.skinned + (size_t)b * 24 + lane;
			double size = (double)flesh->voxelSize;
			job->arrays.points[voxel] =
				( supVec4 ){ (float)( origin[0] + size * (double)p[0] ), (float)( origin[1] + size * (double)p[8] ),
							 (float)( origin[2] + size * (double)p[16] ), 0.0f };
			job->arrays.references[voxel] =
				( supVec4 ){ (float)( origin[0] + size * (double)l[0] ), (float)( origin[1] + size * (double)l[8] ),
							 (float)( origin[2] + size * (double)l[16] ), 0.0f };
			job->arrays.turnsOfPoints[voxel] = ( supQuat ){ q.x[lane], q.y[lane], q.z[lane], q.w[lane] };
		}
	}
}
