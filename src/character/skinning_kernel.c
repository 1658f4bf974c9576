// SPDX-License-Identifier: MIT
#include "character/skinning_kernel.h"

#include "core/lanes.h"

// after the lanes that it works on
#include "character/skinning_math.h"

// The vertices of one register, all arrays moved to the first.
typedef struct Block
{
	const uint16_t* joints;
	const float* weights;
	const float* positions;
	const float* normals;
	const float* tangents;
	float* outPositions;
	float* outNormals;
	float* outTangents;
} Block;

// ---------------------------------------------------------------------------------------------------------------------
// Normals and tangents from a linear map, common to both ways of skinning

SUP_WIDE void StoreTangents( const Block* block, Vec3W moved, Vec3W normal, bool hasNormal, QuatW source )
{
	Vec3W bind = { source.x, source.y, source.z };
	if ( hasNormal )
	{
		Wide along = Dot( moved, normal );
		moved = ( Vec3W ){ moved.x - along * normal.x, moved.y - along * normal.y, moved.z - along * normal.z };
	}
	Vec3W t = NormalizeOr( moved, bind );
	StoreVec4( block->outTangents, ( QuatW ){ t.x, t.y, t.z, source.w } );
}

// ---------------------------------------------------------------------------------------------------------------------
// Linear blend skinning

// The twelve floats of a matrix, blended.
typedef struct Matrix
{
#if LANES == 8
	supFloat8 first;
#else
	supFloat4 first[2];
#endif
	supFloat4 last;
} Matrix;

SUP_WIDE void AddScaledMatrix( Matrix* sum, const supWideMatrix* matrix, float weight )
{
	const float* m = &matrix->matrix.cx.x;
#if LANES == 8
	supFloat8 w = supSplat8( weight );
	sum->first += supLoad8( m ) * w;
	sum->last += supLoad4( m + 8 ) * supLow4( w );
#else
	supFloat4 w = supSplat4( weight );
	sum->first[0] += supLoad4( m ) * w;
	sum->first[1] += supLoad4( m + 4 ) * w;
	sum->last += supLoad4( m + 8 ) * w;
#endif
}

SUP_WIDE Matrix BlendMatrices( const supWideMatrix* palette, const uint16_t* joints, const float* weights,
							   int influences )
{
	// minus zero is the zero that a sum does not see
	Matrix sum;
	supFloat4 zero = supSplat4( -0.0f );
#if LANES == 8
	sum.first = Join( zero, zero );
#else
	sum.first[0] = zero;
	sum.first[1] = zero;
#endif
	sum.last = zero;
	for ( int k = 0; k < influences; ++k )
	{
		AddScaledMatrix( &sum, palette + joints[k], influences == 1 ? 1.0f : weights[k] );
	}
	return sum;
}

SUP_WIDE Mat34W GatherMatrices( const Block* block, const supWideMatrix* palette, int influences )
{
	Wide rows0[4], rows1[4], rows2[4];
	for ( int i = 0; i < 4; ++i )
	{
		int low = influences * i;
		Matrix a = BlendMatrices( palette, block->joints + low, block->weights + low, influences );
#if LANES == 8
		int high = influences * ( i + 4 );
		Matrix b = BlendMatrices( palette, block->joints + high, block->weights + high, influences );
		rows0[i] = __builtin_shufflevector( a.first, b.first, 0, 1, 2, 3, 8, 9, 10, 11 );
		rows1[i] = __builtin_shufflevector( a.first, b.first, 4, 5, 6, 7, 12, 13, 14, 15 );
		rows2[i] = Join( a.last, b.last );
#else
		rows0[i] = a.first[0];
		rows1[i] = a.first[1];
		rows2[i] = a.last;
#endif
	}
	QuatW q0 = Transpose( rows0 );
	QuatW q1 = Transpose( rows1 );
	QuatW q2 = Transpose( rows2 );
	return ( Mat34W ){ { q0.x, q0.y, q0.z }, { q0.w, q1.x, q1.y }, { q1.z, q1.w, q2.x }, { q2.y, q2.z, q2.w } };
}

SUP_WIDE Vec3W SplatVec3( supVec3 v )
{
	return ( Vec3W ){ Splat( v.x ), Splat( v.y ), Splat( v.z ) };
}

SUP_WIDE void SkinLinearBlock( const supSkinJob* job, const Block* block, int influences, bool positionsOnly )
{
	Mat34W m;
	if ( influences == 0 )
	{
		const supMat34* rigid = &job->palette->matrix;
		m = ( Mat34W ){ SplatVec3( rigid->cx ), SplatVec3( rigid->cy ), SplatVec3( rigid->cz ), SplatVec3( rigid->t ) };
	}
	else
	{
		m = GatherMatrices( block, job->palette, influences );
	}
	if ( positionsOnly || block->outPositions != NULL )
	{
		StoreVec3( block->outPositions, MovePointLinear( &m, LoadVec3( block->positions ) ) );
	}
	if ( positionsOnly )
	{
		return;
	}
	Vec3W normal = { 0 };
	if ( block->normals != NULL )
	{
		Vec3W bind = LoadVec3( block->normals );
		normal = MoveNormalLinear( &m, bind );
		if ( block->outNormals != NULL )
		{
			StoreVec3( block->outNormals, normal );
		}
	}
	if ( block->outTangents != NULL )
	{
		QuatW source = LoadVec4( block->tangents, 4 );
		Vec3W bind = { source.x, source.y, source.z };
		StoreTangents( block, MulColumns( m.cx, m.cy, m.cz, bind ), normal, block->normals != NULL, source );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Dual quaternion skinning: Kavan et al., Geometric skinning with approximate dual quaternion blending (2008),
// algorithm 1 with the sign of each joint taken from the heaviest. Stretch is blended linearly and applied first, as
// in section 4.2 there.

// weights[k] of influence k, all vertices side by side.
SUP_WIDE void LoadWeights( const float* p, int influences, Wide weights[SUP_MAX_INFLUENCES] )
{
	if ( influences == 1 )
	{
		weights[0] = Splat( 1.0f );
		return;
	}
	if ( influences == 2 )
	{
		Wide a = LoadPair( p, 8 );
		Wide b = LoadPair( p + 4, 8 );
		weights[0] = SHUFFLE( a, b, 0, 2, 0, 2 );
		weights[1] = SHUFFLE( a, b, 1, 3, 1, 3 );
		return;
	}
	for ( int k = 0; k < influences; k += 4 )
	{
		QuatW four = LoadVec4( p + k, influences );
		weights[k] = four.x;
		weights[k + 1] = four.y;
		weights[k + 2] = four.z;
		weights[k + 3] = four.w;
	}
}

// Four floats at `offset` of the joint that influence k of each vertex names.
SUP_WIDE QuatW GatherJoints( const Block* block, const supDualJoint* duals, int influences, int k, int offset )
{
	Wide rows[4];
	for ( int i = 0; i < 4; ++i )
	{
		const float* low = (const float*)( duals + block->joints[influences * i + k] ) + offset;
#if LANES == 8
		const float* high = (const float*)( duals + block->joints[influences * ( i + 4 ) + k] ) + offset;
		rows[i] = Join( supLoad4( low ), supLoad4( high ) );
#else
		rows[i] = supLoad4( low );
#endif
	}
	return Transpose( rows );
}

SUP_WIDE Motion BlendMotions( const Block* block, const supDualJoint* duals, float leastCosine, int influences,
							  bool stretched )
{
	Wide least = Splat( leastCosine );
	Wide weights[SUP_MAX_INFLUENCES];
	LoadWeights( block->weights, influences, weights );
	QuatW first = GatherJoints( block, duals, influences, 0, 0 );
	BlendW sum = StartBlend( weights[0], first, GatherJoints( block, duals, influences, 0, 4 ) );
	if ( stretched )
	{
		sum.s = ScaleQuat( weights[0], GatherJoints( block, duals, influences, 0, 8 ) );
		sum.t = ScaleQuat( weights[0], GatherJoints( block, duals, influences, 0, 12 ) );
	}
	for ( int k = 1; k < influences; ++k )
	{
		Wide w = weights[k];
		QuatW q = GatherJoints( block, duals, influences, k, 0 );
		AddSideToBlend( &sum, w, first, q, GatherJoints( block, duals, influences, k, 4 ), least );
		if ( stretched )
		{
			sum.s = AddScaledQuat( sum.s, w, GatherJoints( block, duals, influences, k, 8 ) );
			sum.t = AddScaledQuat( sum.t, w, GatherJoints( block, duals, influences, k, 12 ) );
		}
	}
	return FinishBlend( &sum );
}

SUP_WIDE void SkinDualBlock( const supSkinJob* job, const Block* block, int influences, bool stretched,
							 bool positionsOnly )
{
	// unit quaternions have no cosine below this
	float least = job->keepsSides ? -2.0f : 0.0f;
	Motion m = BlendMotions( block, job->duals, least, influences, stretched );
	if ( positionsOnly || block->outPositions != NULL )
	{
		StoreVec3( block->outPositions, MovePointDual( &m, LoadVec3( block->positions ), stretched ) );
	}
	if ( positionsOnly )
	{
		return;
	}
	Vec3W normal = { 0 };
	if ( block->normals != NULL )
	{
		Vec3W bind = LoadVec3( block->normals );
		normal = MoveNormalDual( &m, bind, stretched );
		if ( block->outNormals != NULL )
		{
			StoreVec3( block->outNormals, normal );
		}
	}
	if ( block->outTangents != NULL )
	{
		QuatW source = LoadVec4( block->tangents, 4 );
		Vec3W bind = { source.x, source.y, source.z };
		Vec3W moved = Rotate( m.real, stretched ? MulColumns( m.sx, m.sy, m.sz, bind ) : bind );
		StoreTangents( block, moved, normal, block->normals != NULL, source );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Runs: whole blocks from memory, the rest through a padded copy

typedef struct Padding
{
	uint16_t joints[LANES * SUP_MAX_INFLUENCES];
	float weights[LANES * SUP_MAX_INFLUENCES];
	float positions[3 * LANES];
	float normals[3 * LANES];
	float tangents[4 * LANES];
	float outPositions[3 * LANES];
	float outNormals[3 * LANES];
	float outTangents[4 * LANES];
} Padding;

SUP_WIDE Block MakeBlock( const supSkinJob* job, int32_t first, int influences, bool positionsOnly )
{
	size_t slot = (size_t)first * (size_t)influences;
	Block block = { .positions = (const float*)( job->positions + first ) };
	if ( influences > 0 )
	{
		block.joints = job->joints + slot;
		block.weights = job->weights + slot;
	}
	if ( positionsOnly )
	{
		block.outPositions = (float*)( job->outPositions + first );
		return block;
	}
	block.normals = job->normals != NULL ? (const float*)( job->normals + first ) : NULL;
	block.tangents = job->tangents != NULL ? (const float*)( job->tangents + first ) : NULL;
	block.outPositions = job->outPositions != NULL ? (float*)( job->outPositions + first ) : NULL;
	block.outNormals = job->outNormals != NULL ? (float*)( job->outNormals + first ) : NULL;
	block.outTangents = job->outTangents != NULL ? (float*)( job->outTangents + first ) : NULL;
	return block;
}

static void CopyFloats( float* to, const float* from, int32_t count )
{
	if ( to != NULL && from != NULL )
	{
		memcpy( to, from, (size_t)count * sizeof( float ) );
	}
}

// A block of which only `count` come from `rest`.
static Block Pad( Padding* padding, const Block* rest, int32_t count, int influences )
{
	memset( padding, 0, sizeof( *padding ) );
	if ( influences > 0 )
	{
		memcpy( padding->joints, rest->joints, (size_t)( influences * count ) * sizeof( uint16_t ) );
		memcpy( padding->weights, rest->weights, (size_t)( influences * count ) * sizeof( float ) );
	}
	CopyFloats( padding->positions, rest->positions, 3 * count );
	CopyFloats( padding->normals, rest->normals, 3 * count );
	CopyFloats( padding->tangents, rest->tangents, 4 * count );
	return ( Block ){ .joints = padding->joints,
					  .weights = padding->weights,
					  .positions = padding->positions,
					  .normals = rest->normals != NULL ? padding->normals : NULL,
					  .tangents = rest->tangents != NULL ? padding->tangents : NULL,
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

SUP_WIDE void SkinBlock( const supSkinJob* job, const Block* block, bool dual, int influences, bool stretched,
						 bool positionsOnly )
{
	if ( dual )
	{
		SkinDualBlock( job, block, influences, stretched, positionsOnly );
	}
	else
	{
		SkinLinearBlock( job, block, influences, positionsOnly );
	}
}

// A page downloads this code: there one loop serves any number of influences, and the linker merges functions that are
// equal.
#if defined( __EMSCRIPTEN__ )
#define INFLUENCES( count ) ( ( count ) == 0 ? 0 : job->influences )
#else
#define INFLUENCES( count ) ( count )
#endif

// Inlined with constants, so that each case has a loop of its own.
SUP_WIDE void Run( const supSkinJob* job, bool dual, int influences, bool stretched, bool positionsOnly )
{
	Padding padding;
	for ( int32_t i = 0; i < job->vertexCount; i += LANES )
	{
		Block memory = MakeBlock( job, i, influences, positionsOnly );
		Block block = memory;
		int32_t left = job->vertexCount - i;
		if ( SUP_UNLIKELY( left < LANES ) )
		{
			block = Pad( &padding, &memory, left, influences );
		}
		SkinBlock( job, &block, dual, influences, stretched, positionsOnly );
		if ( SUP_UNLIKELY( left < LANES ) )
		{
			Unpad( &padding, &memory, left );
		}
	}
}

#define DEFINE_RUNS( influences )                                                                                      \
	static void RunLinear##influences( const supSkinJob* job )                                                         \
	{                                                                                                                  \
		Run( job, false, INFLUENCES( influences ), false, false );                                                     \
	}                                                                                                                  \
	static void RunLinearPositions##influences( const supSkinJob* job )                                                \
	{                                                                                                                  \
		Run( job, false, INFLUENCES( influences ), false, true );                                                      \
	}

#define DEFINE_DUAL_RUNS( influences )                                                                                 \
	static void RunDual##influences( const supSkinJob* job )                                                           \
	{                                                                                                                  \
		Run( job, true, INFLUENCES( influences ), false, false );                                                      \
	}                                                                                                                  \
	static void RunDualPositions##influences( const supSkinJob* job )                                                  \
	{                                                                                                                  \
		Run( job, true, INFLUENCES( influences ), false, true );                                                       \
	}                                                                                                                  \
	static void RunStretched##influences( const supSkinJob* job )                                                      \
	{                                                                                                                  \
		Run( job, true, INFLUENCES( influences ), true, false );                                                       \
	}                                                                                                                  \
	static void RunStretchedPositions##influences( const supSkinJob* job )                                             \
	{                                                                                                                  \
		Run( job, true, INFLUENCES( influences ), true, true );                                                        \
	}

DEFINE_RUNS( 0 )
DEFINE_RUNS( 1 )
DEFINE_RUNS( 2 )
DEFINE_RUNS( 4 )
DEFINE_RUNS( 8 )
DEFINE_DUAL_RUNS( 1 )
DEFINE_DUAL_RUNS( 2 )
DEFINE_DUAL_RUNS( 4 )
DEFINE_DUAL_RUNS( 8 )

typedef void RunFcn( const supSkinJob* job );

// 0, 1, 2, 4, 8 -> 0 .. 4
static int IndexOfInfluences( int32_t influences )
{
	return influences <= 2 ? influences : ( influences == 4 ? 3 : 4 );
}

static bool WantsPositionsOnly( const supSkinJob* job )
{
	return job->outPositions != NULL && job->outNormals == NULL && job->outTangents == NULL;
}

void SUP_KERNEL( supSkinLinear )( const supSkinJob* job )
{
	static RunFcn* const runs[5][2] = { { RunLinear0, RunLinearPositions0 },
										{ RunLinear1, RunLinearPositions1 },
										{ RunLinear2, RunLinearPositions2 },
										{ RunLinear4, RunLinearPositions4 },
										{ RunLinear8, RunLinearPositions8 } };
	runs[IndexOfInfluences( job->influences )][WantsPositionsOnly( job )]( job );
}

void SUP_KERNEL( supSkinDual )( const supSkinJob* job )
{
	static RunFcn* const runs[4][2][2] = {
		{ { RunDual1, RunDualPositions1 }, { RunStretched1, RunStretchedPositions1 } },
		{ { RunDual2, RunDualPositions2 }, { RunStretched2, RunStretchedPositions2 } },
		{ { RunDual4, RunDualPositions4 }, { RunStretched4, RunStretchedPositions4 } },
		{ { RunDual8, RunDualPositions8 }, { RunStretched8, RunStretchedPositions8 } },
	};
	runs[IndexOfInfluences( job->influences ) - 1][job->hasStretch][WantsPositionsOnly( job )]( job );
}

void SUP_KERNEL( supAddScaled )( float* out, const float* offsets, float weight, int32_t count )
{
	int32_t i = 0;
	for ( ; i + 8 <= count; i += 8 )
	{
		supStore8( out + i, supLoad8( out + i ) + supSplat8( weight ) * supLoad8( offsets + i ) );
	}
	for ( ; i < count; ++i )
	{
		out[i] += weight * offsets[i];
	}
}
