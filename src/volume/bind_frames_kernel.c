// SPDX-License-Identifier: MIT
#include "volume/bind_frames_kernel.h"

#include "core/wide.h"

#include <math.h>

// A mean gradient that is longer than this (a stretch to nine times the length) is shortened to it: that is flesh gone
// wild, and the skin should not make more of it. In folds skinning itself has crushed the tets, and what the flesh does
// between them looks like a stretch without end: there it is twice the length.
#define LONGEST_TURN 8.0f
#define LONGEST_FOLDED_TURN 1.0f

// What skinning leaves of a volume in a fold, and where there is none.
#define FOLDED_VOLUME 0.25f
#define WHOLE_VOLUME 0.75f

// Below this change of volume the reference cannot be turned back any more.
#define FLATTEST 0.05f

// ---------------------------------------------------------------------------------------------------------------------
// Gradients

// In its halves: of points against the reference, and of the reference against the rest.
SUP_WIDE supFloat8 LoadDifferences( const supFrameJob* job, int32_t point )
{
	supFloat4 p = supLoad4( &job->points[point].x ), r = supLoad4( &job->reference[point].x );
	supFloat4 rest = supLoad4( &job->binding->restPoints[point].x );
	return __builtin_shufflevector( p, r, 0, 1, 2, 3, 4, 5, 6, 7 ) -
		   __builtin_shufflevector( r, rest, 0, 1, 2, 3, 4, 5, 6, 7 );
}

SUP_WIDE supMat3 MakeMat3( const supFloat8 columns[3], int half )
{
	int x = 4 * half, y = x + 1, z = x + 2;
	return ( supMat3 ){ { columns[0][x], columns[0][y], columns[0][z] },
						{ columns[1][x], columns[1][y], columns[1][z] },
						{ columns[2][x], columns[2][y], columns[2][z] } };
}

// Sum over the neighbours of ( difference_neighbour - difference_point ) g: the mean gradients of both differences.
SUP_WIDE void SumGradients( const supFrameJob* job, int32_t point, supFloat8 columns[3] )
{
	const supSurfaceBinding* binding = job->binding;
	supFloat8 own = LoadDifferences( job, point );
	columns[0] = columns[1] = columns[2] = supSplat8( 0.0f );
	for ( int32_t i = binding->neighbourStarts[point]; i < binding->neighbourStarts[point + 1]; ++i )
	{
		supVec3 g = binding->gradients[i];
		supFloat8 difference = LoadDifferences( job, binding->neighbours[i] ) - own;
		columns[0] += difference * supSplat8( g.x );
		columns[1] += difference * supSplat8( g.y );
		columns[2] += difference * supSplat8( g.z );
	}
}

static supMat3 AddIdentity( supMat3 m )
{
	m.cx.x += 1.0f;
	m.cy.y += 1.0f;
	m.cz.z += 1.0f;
	return m;
}

// From the gradient against the rest pose to that against a reference that has itself been deformed by f.
static supMat3 TurnBack( supMat3 gradient, supMat3 f )
{
	float determinant = supDeterminant( f );
	if ( determinant > FLATTEST )
	{
		supMat3 cofactor = supCofactor( f );
		float s = 1.0f / determinant;
		supMat3 inverse = supTranspose(
			( supMat3 ){ supScale( s, cofactor.cx ), supScale( s, cofactor.cy ), supScale( s, cofactor.cz ) } );
		return supMulMM( gradient, inverse );
	}
	return supMulMM( gradient, supTranspose( supMakeMat3Quat( supPolarRotation( f ) ) ) );
}

static float LongestTurn( supMat3 skinned )
{
	float whole = ( supDeterminant( skinned ) - FOLDED_VOLUME ) / ( WHOLE_VOLUME - FOLDED_VOLUME );
	return supLerpFloat( LONGEST_FOLDED_TURN, LONGEST_TURN, supClampFloat( whole, 0.0f, 1.0f ) );
}

static supMat3 Shorten( supMat3 m, float longest )
{
	float squared = supDot( m.cx, m.cx ) + supDot( m.cy, m.cy ) + supDot( m.cz, m.cz );
	if ( squared <= longest * longest )
	{
		return m;
	}
	float s = supIsFinite( squared ) ? longest / sqrtf( squared ) : 0.0f;
	return s > 0.0f ? ( supMat3 ){ supScale( s, m.cx ), supScale( s, m.cy ), supScale( s, m.cz ) } : ( supMat3 ){ 0 };
}

// ---------------------------------------------------------------------------------------------------------------------

void SUP_KERNEL( supFrameTets )( const supFrameJob* job, int32_t begin, int32_t end )
{
	for ( int32_t n = begin; n < end; ++n )
	{
		int32_t i = job->only != NULL ? job->only[n] : n;
		supFloat8 columns[3];
		SumGradients( job, i, columns );
		supMat3 turn = MakeMat3( columns, 0 );
		float longest = LONGEST_TURN;
		if ( job->reference != job->binding->restPoints )
		{
			supMat3 skinned = AddIdentity( MakeMat3( columns, 1 ) );
			turn = TurnBack( turn, skinned );
			longest = LongestTurn( skinned );
		}
		supSetBindFrame( job, i, Shorten( turn, longest ) );
	}
}
