// SPDX-License-Identifier: MIT
#include "volume/binding/surface_binding_kernel.h"

#include "core/lanes.h"

// after the lanes that it works on
#include "volume/binding/binding_math.h"

// The vertices of one register, all arrays moved to the first.
typedef struct Block
{
	const int32_t* points;
	const float* weights;
	const float* shares;
	const float* positions;
	const float* normals;
	const float* tangents;
	const float* offsets;
	float* outPositions;
	float* outNormals;
	float* outTangents;
} Block;

// ---------------------------------------------------------------------------------------------------------------------
// Gathering

// Four floats each.
typedef struct Blend
{
	supFloat4 parts[4];
} Blend;

// first + sum of w (frame - first): weights that sum to 1 only to rounding do no harm, and equal frames stay what they
// are.
SUP_WIDE Blend BlendFrames( const supBindFrame* frames, const int32_t* points, const float* weights, int width )
{
	const float* first = (const float*)( frames + points[0] );
#if LANES == 8
	supFloat8 a = supLoad8( first ), b = supLoad8( first + 8 );
	supFloat8 sumA = a, sumB = b;
	for ( int k = 1; k < width; ++k )
	{
		const float* frame = (const float*)( frames + points[k] );
		supFloat8 w = supSplat8( weights[k] );
		sumA += w * ( supLoad8( frame ) - a );
		sumB += w * ( supLoad8( frame + 8 ) - b );
	}
	return ( Blend ){ { supLow4( sumA ), supHigh4( sumA ), supLow4( sumB ), supHigh4( sumB ) } };
#else
	Blend base, sum;
	for ( int i = 0; i < 4; ++i )
	{
		base.parts[i] = sum.parts[i] = supLoad4( first + 4 * i );
	}
	for ( int k = 1; k < width; ++k )
	{
		const float* frame = (const float*)( frames + points[k] );
		supFloat4 w = supSplat4( weights[k] );
		for ( int i = 0; i < 4; ++i )
		{
			sum.parts[i] += w * ( supLoad4( frame + 4 * i ) - base.parts[i] );
		}
	}
	return sum;
#endif
}

SUP_WIDE FrameW GatherFrames( const supBindFrame* frames, const Block* block, int width )
{
	Wide rows[4][4];
	for ( int i = 0; i < 4; ++i )
	{
		Blend low = BlendFrames( frames, block->points + width * i, block->weights + width * i, width );
#if LANES == 8
		int second = width * ( i + 4 );
		Blend high = BlendFrames( frames, block->points + second, block->weights + second, width );
#endif
		for ( int k = 0; k < 4; ++k )
		{
#if LANES == 8
			rows[k][i] = Join( low.parts[k], high.parts[k] );
#else
			rows[k][i] = low.parts[k];
#endif
		}
	}
	QuatW a = Transpose( rows[0] );
	QuatW b = Transpose( rows[1] );
	QuatW c = Transpose( rows[2] );
	QuatW d = Transpose( rows[3] );
	return (
		FrameW ){ { { a.x, a.y, a.z }, { a.w, b.x, b.y }, { b.z, b.w, c.x } }, { c.y, c.z, c.w }, { d.x, d.y, d.z } };
}

// ---------------------------------------------------------------------------------------------------------------------
// Moving

// Terms that are zero at rest are summed up before they are added, so that what is at rest stays to the bit.
SUP_WIDE void MovePositions( const supBindJob* job, const Block* block, const FrameW* frame )
{
	Vec3W before = LoadVec3( block->positions );
	Vec3W place = before;
	Vec3W shift = frame->shift;
	if ( block->offsets != NULL )
	{
		Vec3W offset = LoadVec3( block->offsets );
		place = Sub( place, offset );
		shift = Add( shift, Sub( CarryOffset( frame, offset ), offset ) );
	}
	if ( job->smoothness > 0.0f )
	{
		shift = Add( shift, SmoothShift( frame, job->smoothness, place ) );
	}
	StoreVec3( block->outPositions, Add( before, shift ) );
}

SUP_WIDE void MoveDirections( const Block* block, const FrameW* frame )
{
	Vec3W turn[3];
	AddIdentity( frame, turn );
	Vec3W before = LoadVec3( block->normals );
	Vec3W normal = NormalizeOr( MoveNormal( turn[0], turn[1], turn[2], before ), before );
	if ( block->outTangents != NULL )
	{
		QuatW source = LoadVec4( block->tangents, 4 );
		Vec3W tangent = { source.x, source.y, source.z };
		Vec3W moved = MulColumns( turn[0], turn[1], turn[2], tangent );
		moved = Sub( moved, Scale( Dot( moved, normal ), normal ) );
		tangent = NormalizeOr( moved, tangent );
		StoreVec4( block->outTangents, ( QuatW ){ tangent.x, tangent.y, tangent.z, source.w } );
	}
	if ( block->outNormals != NULL )
	{
		StoreVec3( block->outNormals, normal );
	}
}

SUP_WIDE void MoveBlock( const supBindJob* job, const Block* block, int width )
{
	FrameW frame = GatherFrames( job->frames, block, width );
	if ( block->shares != NULL )
	{
		Wide share = LoadPair( block->shares, 4 );
		for ( int i = 0; i < 3; ++i )
		{
			frame.turn[i] = Scale( share, frame.turn[i] );
		}
		frame.shift = Scale( share, frame.shift );
		frame.turned = Scale( share, frame.turned );
	}
	if ( block->outNormals != NULL || block->outTangents != NULL )
	{
		MoveDirections( block, &frame );
	}
	if ( block->outPositions != NULL )
	{
		MovePositions( job, block, &frame );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Runs of vertices

// Room for a block whose last lanes have no vertex; those hang on the point of the first with zeros everywhere.
typedef struct Padding
{
	int32_t points[LANES * 8];
	float weights[LANES * 8];
	float shares[LANES];
	float positions[LANES * 3];
	float normals[LANES * 3];
	float tangents[LANES * 4];
	float offsets[LANES * 3];
	float outPositions[LANES * 3];
	float outNormals[LANES * 3];
	float outTangents[LANES * 4];
} Padding;

static void CopyFloats( float* to, const float* from, int32_t count )
{
	if ( to != NULL && from != NULL )
	{
		memcpy( to, from, (size_t)count * sizeof( float ) );
	}
}

static Block Pad( Padding* padding, const Block* rest, int32_t count, int width )
{
	memset( padding, 0, sizeof( *padding ) );
	memcpy( padding->points, rest->points, (size_t)( width * count ) * sizeof( int32_t ) );
	CopyFloats( padding->weights, rest->weights, width * count );
	CopyFloats( padding->shares, rest->shares, count );
	CopyFloats( padding->positions, rest->positions, 3 * count );
	CopyFloats( padding->normals, rest->normals, 3 * count );
	CopyFloats( padding->tangents, rest->tangents, 4 * count );
	CopyFloats( padding->offsets, rest->offsets, 3 * count );
	return ( Block ){ .points = padding->points,
					  .weights = padding->weights,
					  .shares = rest->shares != NULL ? padding->shares : NULL,
					  .positions = padding->positions,
					  .normals = padding->normals,
					  .tangents = padding->tangents,
					  .offsets = rest->offsets != NULL ? padding->offsets : NULL,
					  .outPositions = rest->outPositions != NULL ? padding->outPositions : NULL,
					  .outNormals = rest->outNormals != NULL ? padding->outNormals : NULL,
					  .outTangents = rest->outTangents != NULL ? padding->outTangents : NULL };
}

static void Unpad( const Padding* padding, const Block* rest, int32_t count )
{
	CopyFloats( rest->outPositions, padding->outPositions, 3 * count );
	CopyFloats( rest->outNormals, padding->outNormals, 3 * count );
	CopyFloats( rest->outTangents, padding->outTangents, 4 * count );
}

SUP_WIDE Block MakeBlock( const supBindJob* job, int32_t i, int width )
{
	return ( Block ){ .points = job->points + (ptrdiff_t)width * i,
					  .weights = job->weights + (ptrdiff_t)width * i,
					  .shares = job->shares != NULL ? job->shares + i : NULL,
					  .positions = job->positions != NULL ? &job->positions[i].x : NULL,
					  .normals = job->normals != NULL ? &job->normals[i].x : NULL,
					  .tangents = job->tangents != NULL ? &job->tangents[i].x : NULL,
					  .offsets = job->offsets != NULL ? &job->offsets[i].x : NULL,
					  .outPositions = job->outPositions != NULL ? &job->outPositions[i].x : NULL,
					  .outNormals = job->outNormals != NULL ? &job->outNormals[i].x : NULL,
					  .outTangents = job->outTangents != NULL ? &job->outTangents[i].x : NULL };
}

SUP_WIDE void Run( const supBindJob* job, int width )
{
	Padding padding;
	for ( int32_t i = 0; i < job->vertexCount; i += LANES )
	{
		Block memory = MakeBlock( job, i, width );
		Block block = memory;
		int32_t left = job->vertexCount - i;
		if ( SUP_UNLIKELY( left < LANES ) )
		{
			block = Pad( &padding, &memory, left, width );
		}
		MoveBlock( job, &block, width );
		if ( SUP_UNLIKELY( left < LANES ) )
		{
			Unpad( &padding, &memory, left );
		}
	}
}

void SUP_KERNEL( supBindSurface )( const supBindJob* job )
{
	if ( job->width == 4 )
	{
		Run( job, 4 );
	}
	else
	{
		Run( job, 8 );
	}
}
