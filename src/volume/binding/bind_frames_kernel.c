// SPDX-License-Identifier: MIT
#include "volume/binding/bind_frames_kernel.h"

#include "core/wide.h"
#include "volume/binding/bind_turn.h"

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

// ---------------------------------------------------------------------------------------------------------------------

void SUP_KERNEL( supFrameTets )( const supFrameJob* job, int32_t begin, int32_t end )
{
	for ( int32_t n = begin; n < end; ++n )
	{
		int32_t i = job->only != NULL ? job->only[n] : n;
		supFloat8 columns[3];
		SumGradients( job, i, columns );
		supMat3 turn = MakeMat3( columns, 0 );
		float longest = SUP_LONGEST_TURN;
		if ( job->reference != job->binding->restPoints )
		{
			supMat3 skinned = supBindAddIdentity( MakeMat3( columns, 1 ) );
			turn = supMulMM( turn, supBindTurnBack( skinned ) );
			longest = supBindLongestTurn( skinned );
		}
		supSetBindFrame( job, i, supBindShorten( turn, longest ) );
	}
}
