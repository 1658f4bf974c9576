// SPDX-License-Identifier: MIT
#include "scene/detail_kernel.h"

#include "core/lanes.h"

// What a block of vertices reads and writes, in this order; flesh that has moved is only read.
enum
{
	streamPositions,
	streamNormals,
	streamOffsets,
	streamNormalOffsets,
	streamSkinNormals,
	streamFreshPositions,
	streamFreshNormals,
	streamCount,
};

#define WRITTEN streamFreshPositions

SUP_WIDE Vec3W Subtract( Vec3W a, Vec3W b )
{
	return ( Vec3W ){ a.x - b.x, a.y - b.y, a.z - b.z };
}

// The smallest turn that takes one unit vector to another: I + [c] + k [c]^2, c = a x b, k = 1 / (1 + a.b).
typedef struct TurnW
{
	Vec3W c;
	Wide k;
} TurnW;

// Between opposites no way round is the smallest: no turn.
SUP_WIDE TurnW MakeTurn( Vec3W from, Vec3W to )
{
	Wide cosine = Dot( from, to );
	WideInt usable = cosine > Splat( -0.99f );
	Wide one = Select( usable, Splat( 1.0f ), Splat( 0.0f ) );
	return ( TurnW ){ Scale( one, Cross( from, to ) ),
					  Splat( 1.0f ) / Select( usable, Splat( 1.0f ) + cosine, Splat( 1.0f ) ) };
}

SUP_WIDE Vec3W ApplyTurn( const TurnW* turn, Vec3W v )
{
	Vec3W once = Cross( turn->c, v );
	return Add( Add( v, once ), Scale( turn->k, Cross( turn->c, once ) ) );
}

// `next` is what is carried on; returns what is seen of it.
SUP_WIDE Vec3W BlendOffset( Vec3W carried, Vec3W fresh, Vec3W skin, Wide blend, Vec3W* next )
{
	*next = Subtract( fresh, skin );
	return Add( Scale( Splat( 1.0f ) - blend, carried ), Scale( blend, *next ) );
}

SUP_WIDE void DrawBlock( float* const streams[streamCount], bool isFresh, float blend, float share )
{
	Vec3W skin = LoadVec3( streams[streamPositions] );
	Vec3W skinNormal = LoadVec3( streams[streamNormals] );
	TurnW turn = MakeTurn( LoadVec3( streams[streamSkinNormals] ), skinNormal );
	Vec3W offset = ApplyTurn( &turn, LoadVec3( streams[streamOffsets] ) );
	Vec3W normalOffset = ApplyTurn( &turn, LoadVec3( streams[streamNormalOffsets] ) );
	Vec3W next = offset, nextNormal = normalOffset;
	if ( isFresh )
	{
		Wide part = Splat( blend );
		offset = BlendOffset( offset, LoadVec3( streams[streamFreshPositions] ), skin, part, &next );
		normalOffset =
			BlendOffset( normalOffset, LoadVec3( streams[streamFreshNormals] ), skinNormal, part, &nextNormal );
	}
	StoreVec3( streams[streamOffsets], next );
	StoreVec3( streams[streamNormalOffsets], nextNormal );
	StoreVec3( streams[streamSkinNormals], skinNormal );
	StoreVec3( streams[streamPositions], Add( skin, Scale( Splat( share ), offset ) ) );
	Vec3W normal = Add( skinNormal, Scale( Splat( share ), normalOffset ) );
	StoreVec3( streams[streamNormals], NormalizeOr( normal, skinNormal ) );
}

// The last vertices, fewer than lanes.
static void DrawRest( float* const streams[streamCount], int32_t count, bool isFresh, float blend, float share )
{
	float room[streamCount][3 * LANES];
	float* blocks[streamCount];
	size_t bytes = (size_t)count * 3 * sizeof( float );
	memset( room, 0, sizeof( room ) );
	for ( int32_t k = 0; k < streamCount; ++k )
	{
		blocks[k] = room[k];
		if ( k < WRITTEN || isFresh )
		{
			memcpy( room[k], streams[k], bytes );
		}
	}
	DrawBlock( blocks, isFresh, blend, share );
	for ( int32_t k = 0; k < WRITTEN; ++k )
	{
		memcpy( streams[k], room[k], bytes );
	}
}

void SUP_KERNEL( supDrawDetail )( const supDetailJob* job )
{
	bool isFresh = job->freshPositions != NULL;
	// the last two are never written to
	float* streams[streamCount] = {
		&job->positions->x, &job->normals->x, &job->offsets->x, &job->normalOffsets->x, &job->skinNormals->x, NULL, NULL
	};
	if ( isFresh )
	{
		streams[streamFreshPositions] = (float*)(uintptr_t)&job->freshPositions->x;
		streams[streamFreshNormals] = (float*)(uintptr_t)&job->freshNormals->x;
	}
	int32_t whole = job->vertexCount / LANES * LANES;
	for ( int32_t i = 0; i < whole; i += LANES )
	{
		DrawBlock( streams, isFresh, job->blend, job->share );
		for ( int32_t k = 0; k < ( isFresh ? streamCount : WRITTEN ); ++k )
		{
			streams[k] += 3 * LANES;
		}
	}
	if ( whole < job->vertexCount )
	{
		DrawRest( streams, job->vertexCount - whole, isFresh, job->blend, job->share );
	}
}
