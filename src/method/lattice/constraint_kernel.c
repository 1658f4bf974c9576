// SPDX-License-Identifier: MIT
// Stretch and volume of voxels (section 6.2), and the volume of the whole. All are Jacobi steps: every voxel gathers
// what it is asked to do from positions that nobody changes meanwhile, so that the order of work does not matter.
#include "method/lattice/lattice.h"

SUP_WIDE supInt8 LaneMask( uint8_t bits )
{
	const supInt8 lanes = { 1, 2, 4, 8, 16, 32, 64, 128 };
	return ( lanes & (int32_t)bits ) != 0;
}

// Lanes moved by one: what lies at x - 1 and x + 1.
SUP_WIDE supFloat8 Before( supFloat8 left, supFloat8 middle )
{
	return __builtin_shufflevector( left, middle, 7, 8, 9, 10, 11, 12, 13, 14 );
}

SUP_WIDE supFloat8 After( supFloat8 middle, supFloat8 right )
{
	return __builtin_shufflevector( middle, right, 1, 2, 3, 4, 5, 6, 7, 8 );
}

// ---------------------------------------------------------------------------------------------------------------------
// Stretch

typedef struct Pairs
{
	supFloat8 here[3];
	supFloat8 sum[3];
} Pairs;

// Equation 9, with the weight of the other end where it belongs: 1/2 each, all of it next to a bone.
SUP_WIDE void AddPair( Pairs* pairs, const supFloat8 there[3], supFloat8 freedom, float length, supInt8 mask )
{
	supFloat8 x = pairs->here[0] - there[0], y = pairs->here[1] - there[1], z = pairs->here[2] - there[2];
	supFloat8 square = x * x + y * y + z * z;
	// two voxels at one place do not know which way to go
	square = supMax8( square, supSplat8( 1.0e-12f ) );
	supFloat8 s = ( 1.0f - 0.5f * freedom ) * ( length / supSqrt8( square ) - 1.0f );
	s = supSelect8( mask, s, supSplat8( 0.0f ) );
	pairs->sum[0] += s * x;
	pairs->sum[1] += s * y;
	pairs->sum[2] += s * z;
}

static const float s_lengths[4] = { 0.0f, 1.0f, 1.41421356f, 1.73205081f };

// The neighbours in one of the nine rows around a brick's own.
SUP_WIDE void AddRow( const supLatticeJob* job, int32_t brick, int32_t row, int32_t distance, Pairs* pairs )
{
	const int32_t* bricks = job->flesh->neighbours + (size_t)brick * 27 + (size_t)row * 3;
	const uint8_t* steps = job->flesh->steps + (size_t)brick * 27 + (size_t)row * 3;
	if ( ( steps[0] | steps[1] | steps[2] ) == 0 )
	{
		return;
	}
	supFloat8 p[3][3], freedom[3];
	for ( int i = 0; i < 3; ++i )
	{
		for ( int c = 0; c < 3; ++c )
		{
			p[i][c] = supLoad8( job->from + (size_t)bricks[i] * 24 + (size_t)( 8 * c ) );
		}
		freedom[i] = supLoad8( job->flesh->freedoms + (size_t)bricks[i] * 8 );
	}
	supFloat8 before[3], after[3];
	for ( int c = 0; c < 3; ++c )
	{
		before[c] = Before( p[0][c], p[1][c] );
		after[c] = After( p[1][c], p[2][c] );
	}
	if ( steps[0] != 0 )
	{
		AddPair( pairs, before, Before( freedom[0], freedom[1] ), job->scale * s_lengths[distance + 1],
				 LaneMask( steps[0] ) );
	}
	if ( steps[1] != 0 )
	{
		AddPair( pairs, p[1], freedom[1], job->scale * s_lengths[distance], LaneMask( steps[1] ) );
	}
	if ( steps[2] != 0 )
	{
		AddPair( pairs, after, After( freedom[1], freedom[2] ), job->scale * s_lengths[distance + 1],
				 LaneMask( steps[2] ) );
	}
}

// 26 neighbours, and the same divisor for all: a mean over those that are there would not keep momentum.
void SUP_KERNEL( supLatticeStretch )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	for ( int32_t b = begin; b < end; ++b )
	{
		if ( job->flesh->masks[b] == 0 )
		{
			continue;
		}
		Pairs pairs;
		for ( int c = 0; c < 3; ++c )
		{
			pairs.here[c] = supLoad8( job->from + (size_t)b * 24 + (size_t)( 8 * c ) );
			pairs.sum[c] = supSplat8( 0.0f );
		}
		supFloat8 freedom = supLoad8( job->flesh->freedoms + (size_t)b * 8 );
		if ( supMaskBits8( freedom > 0.0f ) != 0 )
		{
			for ( int32_t row = 0; row < 9; ++row )
			{
				AddRow( job, b, row, ( row % 3 != 1 ) + ( row / 3 != 1 ), &pairs );
			}
		}
		supFloat8 s = freedom * ( job->stretch / 26.0f );
		for ( int c = 0; c < 3; ++c )
		{
			supStore8( job->to + (size_t)b * 24 + (size_t)( 8 * c ), pairs.here[c] + s * pairs.sum[c] );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Volume of each voxel

typedef struct Axis
{
	// from one side to the other, over twice the step where both neighbours are there
	supFloat8 edge[3];
	// gradients at the ends are this times the other two axes' product
	supFloat8 factor;
	// what of it falls back onto the voxel itself: 0 with both neighbours
	supFloat8 own;
	// freedoms of the ends that are there
	supFloat8 ends;
	supInt8 isOpen;
} Axis;

// `before` and `after` are neighbours in the table of 27; `turn` is set for the axis that lies along the lanes.
SUP_WIDE Axis MakeAxis( const supLatticeJob* job, int32_t brick, int before, int after, bool isRow,
						const supFloat8 here[3] )
{
	const int32_t* bricks = job->flesh->neighbours + (size_t)brick * 27;
	const uint8_t* steps = job->flesh->steps + (size_t)brick * 27;
	const float* low = job->from + (size_t)bricks[before] * 24;
	const float* high = job->from + (size_t)bricks[after] * 24;
	supInt8 hasBefore = LaneMask( steps[before] ), hasAfter = LaneMask( steps[after] );
	Axis axis;
	supFloat8 zero = supSplat8( 0.0f ), half = supSplat8( 0.5f ), one = supSplat8( 1.0f );
	supFloat8 weight = supSelect8( hasBefore & hasAfter, half, one );
	for ( int c = 0; c < 3; ++c )
	{
		supFloat8 p = supLoad8( low + 8 * c ), q = supLoad8( high + 8 * c );
		if ( isRow )
		{
			p = Before( p, here[c] );
			q = After( here[c], q );
		}
		p = supSelect8( hasBefore, p, here[c] );
		q = supSelect8( hasAfter, q, here[c] );
		axis.edge[c] = weight * ( q - p );
	}
	supFloat8 freeHere = supLoad8( job->flesh->freedoms + (size_t)brick * 8 );
	supFloat8 freeBefore = supLoad8( job->flesh->freedoms + (size_t)bricks[before] * 8 );
	supFloat8 freeAfter = supLoad8( job->flesh->freedoms + (size_t)bricks[after] * 8 );
	if ( isRow )
	{
		freeBefore = Before( freeBefore, freeHere );
		freeAfter = After( freeHere, freeAfter );
	}
	axis.ends = supSelect8( hasBefore, freeBefore, zero ) + supSelect8( hasAfter, freeAfter, zero );
	axis.factor = weight * ( 1.0f / 6.0f );
	axis.own = supSelect8( hasBefore & hasAfter, zero, supSelect8( hasAfter, -axis.factor, axis.factor ) );
	axis.isOpen = hasBefore | hasAfter;
	return axis;
}

SUP_WIDE void Cross( const supFloat8 a[3], const supFloat8 b[3], supFloat8 result[3] )
{
	result[0] = a[1] * b[2] - a[2] * b[1];
	result[1] = a[2] * b[0] - a[0] * b[2];
	result[2] = a[0] * b[1] - a[1] * b[0];
}

SUP_WIDE supFloat8 Dot( const supFloat8 a[3], const supFloat8 b[3] )
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// V = X . ( Y x Z ) / 6 with X from one side of the voxel to the other (equations 11 and 12 as printed are neither a
// volume nor its derivative). What each voxel asks of its neighbours goes to the sums: 3 axes, then the voxel itself.
void SUP_KERNEL( supLatticeVolumeSlopes )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	for ( int32_t b = begin; b < end; ++b )
	{
		if ( job->flesh->masks[b] == 0 )
		{
			continue;
		}
		supFloat8 here[3], faces[3][3], own[3];
		for ( int c = 0; c < 3; ++c )
		{
			here[c] = supLoad8( job->from + (size_t)b * 24 + (size_t)( 8 * c ) );
		}
		Axis axes[3] = { MakeAxis( job, b, 12, 14, true, here ), MakeAxis( job, b, 10, 16, false, here ),
						 MakeAxis( job, b, 4, 22, false, here ) };
		for ( int a = 0; a < 3; ++a )
		{
			Cross( axes[( a + 1 ) % 3].edge, axes[( a + 2 ) % 3].edge, faces[a] );
		}
		supFloat8 freedom = supLoad8( job->flesh->freedoms + (size_t)b * 8 );
		supFloat8 scale = supSplat8( job->scale );
		supFloat8 error = ( Dot( axes[0].edge, faces[0] ) - scale * scale * scale ) * ( 1.0f / 6.0f );
		supFloat8 divisor = supSplat8( 0.0f );
		for ( int c = 0; c < 3; ++c )
		{
			own[c] = axes[0].own * faces[0][c] + axes[1].own * faces[1][c] + axes[2].own * faces[2][c];
		}
		for ( int a = 0; a < 3; ++a )
		{
			divisor += axes[a].ends * axes[a].factor * axes[a].factor * Dot( faces[a], faces[a] );
		}
		divisor += freedom * Dot( own, own );
		// flat voxels have no gradient, and voxels with nobody on either side of an axis no volume
		supInt8 usable = axes[0].isOpen & axes[1].isOpen & axes[2].isOpen & ( divisor > 1.0e-6f );
		supFloat8 s =
			supSelect8( usable, -error / supSelect8( usable, divisor, supSplat8( 1.0f ) ), supSplat8( 0.0f ) );
		float* out = job->arrays.sums + (size_t)b * 96;
		for ( int a = 0; a < 3; ++a )
		{
			for ( int c = 0; c < 3; ++c )
			{
				supStore8( out + 24 * a + 8 * c, s * axes[a].factor * faces[a][c] );
			}
		}
		for ( int c = 0; c < 3; ++c )
		{
			supStore8( out + 72 + 8 * c, s * own[c] );
		}
	}
}

// Full steps of all voxels at once are on the edge of stability; half of them are not.
#define RELAXATION 0.5f

// Voxels that a pass moves one along an axis; sound bodies ask for a small part of it.
#define MAX_VOLUME_STEP 2.0f

void SUP_KERNEL( supLatticeVolumeApply )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	for ( int32_t b = begin; b < end; ++b )
	{
		if ( job->flesh->masks[b] == 0 )
		{
			continue;
		}
		const int32_t* bricks = job->flesh->neighbours + (size_t)b * 27;
		const float* sums = job->arrays.sums;
		supFloat8 s = ( RELAXATION * job->volume ) * supLoad8( job->flesh->freedoms + (size_t)b * 8 );
		supFloat8 longest = supSplat8( MAX_VOLUME_STEP * job->scale );
		for ( int c = 0; c < 3; ++c )
		{
			size_t channel = (size_t)( 8 * c );
			supFloat8 left = supLoad8( sums + (size_t)bricks[12] * 96 + channel );
			supFloat8 middle = supLoad8( sums + (size_t)b * 96 + channel );
			supFloat8 right = supLoad8( sums + (size_t)bricks[14] * 96 + channel );
			supFloat8 change = supLoad8( sums + (size_t)b * 96 + 72 + channel );
			change += Before( left, middle ) - After( middle, right );
			change += supLoad8( sums + (size_t)bricks[10] * 96 + 24 + channel ) -
					  supLoad8( sums + (size_t)bricks[16] * 96 + 24 + channel );
			change += supLoad8( sums + (size_t)bricks[4] * 96 + 48 + channel ) -
					  supLoad8( sums + (size_t)bricks[22] * 96 + 48 + channel );
			size_t at = (size_t)b * 24 + channel;
			// bodies that were thrown about ask for more from pass to pass
			supFloat8 step = s * change;
			step = supSelect8( step < -longest, -longest, supSelect8( step > longest, longest, step ) );
			supStore8( job->to + at, supLoad8( job->from + at ) + step );
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Volume of the whole

// The volume under a quad a b c d, the mean over both ways to cut it, and its gradients at the corners.
void SUP_KERNEL( supLatticeShellGroups )( const supLatticeJob* job, int32_t begin, int32_t end )
{
	for ( int32_t g = begin; g < end; ++g )
	{
		const int32_t* corners = job->flesh->shell.corners + (size_t)g * 32;
		float lanes[12][8];
		for ( int i = 0; i < 32; ++i )
		{
			const float* p = job->from + (size_t)( corners[i] >> 3 ) * 24 + ( corners[i] & 7 );
			lanes[3 * ( i / 8 )][i % 8] = p[0];
			lanes[3 * ( i / 8 ) + 1][i % 8] = p[8];
			lanes[3 * ( i / 8 ) + 2][i % 8] = p[16];
		}
		supFloat8 p[4][3], ab[3], bc[3], cd[3], da[3], ac[3], bd[3];
		for ( int i = 0; i < 12; ++i )
		{
			p[i / 3][i % 3] = supLoad8( lanes[i] );
		}
		Cross( p[0], p[1], ab );
		Cross( p[1], p[2], bc );
		Cross( p[2], p[3], cd );
		Cross( p[3], p[0], da );
		Cross( p[0], p[2], ac );
		Cross( p[1], p[3], bd );
		float* out = job->arrays.shellGradients + (size_t)g * 96;
		supFloat8 volume = supSplat8( 0.0f );
		for ( int c = 0; c < 3; ++c )
		{
			supFloat8 atA = ( bc[c] + cd[c] + bd[c] ) * ( 1.0f / 12.0f );
			supFloat8 atB = ( cd[c] + da[c] - ac[c] ) * ( 1.0f / 12.0f );
			supFloat8 atC = ( da[c] + ab[c] - bd[c] ) * ( 1.0f / 12.0f );
			supFloat8 atD = ( ab[c] + bc[c] + ac[c] ) * ( 1.0f / 12.0f );
			supStore8( out + 8 * c, atA );
			supStore8( out + 24 + 8 * c, atB );
			supStore8( out + 48 + 8 * c, atC );
			supStore8( out + 72 + 8 * c, atD );
			// homogeneous of degree three
			volume += ( p[0][c] * atA + p[1][c] * atB + p[2][c] * atC + p[3][c] * atD ) * ( 1.0f / 3.0f );
		}
		job->arrays.shellVolumes[g] = (double)supSum8( volume );
	}
}
