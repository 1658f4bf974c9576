// SPDX-License-Identifier: MIT
#include "character/skinning_kernel.h"

#include "core/wide.h"

#define LANES 8

// Vertices 0..3 of a block in the low half of a register and 4..7 in the high half: shuffles then stay inside halves.
typedef struct Vec3x8
{
	supFloat8 x, y, z;
} Vec3x8;

typedef struct Quatx8
{
	supFloat8 x, y, z, w;
} Quatx8;

typedef struct Mat34x8
{
	Vec3x8 cx, cy, cz, t;
} Mat34x8;

// xx, yy, zz, xy, yz, zx
typedef struct Symmetricx8
{
	supFloat8 xx, yy, zz, xy, yz, zx;
} Symmetricx8;

// Eight vertices, all arrays moved to the first.
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
// Shuffles

SUP_WIDE supFloat8 Join( supFloat4 low, supFloat4 high )
{
	return __builtin_shufflevector( low, high, 0, 1, 2, 3, 4, 5, 6, 7 );
}

// In each half: a[i], a[j], b[k], b[l]. Where registers are half as wide the halves are shuffled one by one, since
// compilers take shuffles of the whole apart into single floats.
#if defined( __AVX__ )
#define SHUFFLE( a, b, i, j, k, l )                                                                                    \
	__builtin_shufflevector( a, b, i, j, 8 + ( k ), 8 + ( l ), 4 + ( i ), 4 + ( j ), 12 + ( k ), 12 + ( l ) )
#else
#define SHUFFLE( a, b, i, j, k, l )                                                                                    \
	Join( __builtin_shufflevector( supLow4( a ), supLow4( b ), i, j, 4 + ( k ), 4 + ( l ) ),                           \
		  __builtin_shufflevector( supHigh4( a ), supHigh4( b ), i, j, 4 + ( k ), 4 + ( l ) ) )
#endif

// rows[i] holds four components of vertex i and of vertex i + 4.
SUP_WIDE Quatx8 Transpose( const supFloat8 rows[4] )
{
	supFloat8 xy01 = SHUFFLE( rows[0], rows[1], 0, 1, 0, 1 );
	supFloat8 zw01 = SHUFFLE( rows[0], rows[1], 2, 3, 2, 3 );
	supFloat8 xy23 = SHUFFLE( rows[2], rows[3], 0, 1, 0, 1 );
	supFloat8 zw23 = SHUFFLE( rows[2], rows[3], 2, 3, 2, 3 );
	return ( Quatx8 ){ SHUFFLE( xy01, xy23, 0, 2, 0, 2 ), SHUFFLE( xy01, xy23, 1, 3, 1, 3 ),
					   SHUFFLE( zw01, zw23, 0, 2, 0, 2 ), SHUFFLE( zw01, zw23, 1, 3, 1, 3 ) };
}

SUP_WIDE Quatx8 LoadVec4( const float* p )
{
	supFloat8 rows[4];
	for ( int i = 0; i < 4; ++i )
	{
		rows[i] = Join( supLoad4( p + 4 * i ), supLoad4( p + 4 * i + 16 ) );
	}
	return Transpose( rows );
}

SUP_WIDE void StoreVec4( float* p, Quatx8 v )
{
	const supFloat8 rows[4] = { v.x, v.y, v.z, v.w };
	Quatx8 t = Transpose( rows );
	const supFloat8 vertices[4] = { t.x, t.y, t.z, t.w };
	for ( int i = 0; i < 4; ++i )
	{
		supStore4( p + 4 * i, supLow4( vertices[i] ) );
		supStore4( p + 4 * i + 16, supHigh4( vertices[i] ) );
	}
}

// a: x0 y0 z0 x1, b: y1 z1 x2 y2, c: z2 x3 y3 z3, and the same for vertices 4 to 7
SUP_WIDE Vec3x8 LoadVec3( const float* p )
{
	supFloat8 a = Join( supLoad4( p ), supLoad4( p + 12 ) );
	supFloat8 b = Join( supLoad4( p + 4 ), supLoad4( p + 16 ) );
	supFloat8 c = Join( supLoad4( p + 8 ), supLoad4( p + 20 ) );
	supFloat8 xy = SHUFFLE( b, c, 2, 3, 1, 2 );
	supFloat8 yz = SHUFFLE( a, b, 1, 2, 0, 1 );
	return ( Vec3x8 ){ SHUFFLE( a, xy, 0, 3, 0, 2 ), SHUFFLE( yz, xy, 0, 2, 1, 3 ), SHUFFLE( yz, c, 1, 3, 0, 3 ) };
}

SUP_WIDE void StoreVec3( float* p, Vec3x8 v )
{
	supFloat8 xy = SHUFFLE( v.x, v.y, 0, 2, 0, 2 );
	supFloat8 yz = SHUFFLE( v.y, v.z, 1, 3, 1, 3 );
	supFloat8 zx = SHUFFLE( v.z, v.x, 0, 2, 1, 3 );
	supFloat8 a = SHUFFLE( xy, zx, 0, 2, 0, 2 );
	supFloat8 b = SHUFFLE( yz, xy, 0, 2, 1, 3 );
	supFloat8 c = SHUFFLE( zx, yz, 1, 3, 1, 3 );
	supStore4( p, supLow4( a ) );
	supStore4( p + 4, supLow4( b ) );
	supStore4( p + 8, supLow4( c ) );
	supStore4( p + 12, supHigh4( a ) );
	supStore4( p + 16, supHigh4( b ) );
	supStore4( p + 20, supHigh4( c ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Vectors

SUP_WIDE Vec3x8 Cross( Vec3x8 a, Vec3x8 b )
{
	return ( Vec3x8 ){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

SUP_WIDE supFloat8 Dot( Vec3x8 a, Vec3x8 b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

SUP_WIDE Vec3x8 Scale( supFloat8 s, Vec3x8 a )
{
	return ( Vec3x8 ){ s * a.x, s * a.y, s * a.z };
}

// cx v.x + cy v.y + cz v.z
SUP_WIDE Vec3x8 MulColumns( Vec3x8 cx, Vec3x8 cy, Vec3x8 cz, Vec3x8 v )
{
	return ( Vec3x8 ){ cx.x * v.x + cy.x * v.y + cz.x * v.z, cx.y * v.x + cy.y * v.y + cz.y * v.z,
					   cx.z * v.x + cy.z * v.y + cz.z * v.z };
}

// What has no direction any more (a bone scaled to nothing) falls back to `otherwise`; zero stays zero that way.
SUP_WIDE Vec3x8 NormalizeOr( Vec3x8 a, Vec3x8 otherwise )
{
	supFloat8 squared = Dot( a, a );
	supInt8 usable = ( squared > supSplat8( 1e-36f ) ) & ( squared < supSplat8( 1e37f ) );
	supFloat8 inverse = supSplat8( 1.0f ) / supSqrt8( supSelect8( usable, squared, supSplat8( 1.0f ) ) );
	return ( Vec3x8 ){ supSelect8( usable, a.x * inverse, otherwise.x ),
					   supSelect8( usable, a.y * inverse, otherwise.y ),
					   supSelect8( usable, a.z * inverse, otherwise.z ) };
}

// The bind normal through the inverse transpose, up to a positive factor: sign(det) times the cofactor matrix. That
// is what a surface needs: cofactors carry area vectors, but a mirror also turns round the winding that an area vector
// comes from, and the sign takes that back, so that what pointed outward still does. Defined for singular matrices.
SUP_WIDE Vec3x8 MoveNormal( Vec3x8 cx, Vec3x8 cy, Vec3x8 cz, Vec3x8 normal )
{
	Vec3x8 kx = Cross( cy, cz );
	Vec3x8 ky = Cross( cz, cx );
	Vec3x8 kz = Cross( cx, cy );
	supFloat8 determinant = Dot( cx, kx );
	supFloat8 sign = supSelect8( determinant < supSplat8( 0.0f ), supSplat8( -1.0f ), supSplat8( 1.0f ) );
	return Scale( sign, MulColumns( kx, ky, kz, normal ) );
}

// ---------------------------------------------------------------------------------------------------------------------
// Normals and tangents from a linear map, common to both ways of skinning

SUP_WIDE void StoreTangents( const Block* block, Vec3x8 moved, Vec3x8 normal, bool hasNormal, Quatx8 source )
{
	Vec3x8 bind = { source.x, source.y, source.z };
	if ( hasNormal )
	{
		supFloat8 along = Dot( moved, normal );
		moved = ( Vec3x8 ){ moved.x - along * normal.x, moved.y - along * normal.y, moved.z - along * normal.z };
	}
	Vec3x8 t = NormalizeOr( moved, bind );
	StoreVec4( block->outTangents, ( Quatx8 ){ t.x, t.y, t.z, source.w } );
}

// ---------------------------------------------------------------------------------------------------------------------
// Linear blend skinning

// The twelve floats of a matrix: eight and four.
typedef struct Matrix
{
	supFloat8 first;
	supFloat4 last;
} Matrix;

SUP_WIDE Matrix BlendMatrices( const supMat34* palette, const uint16_t* joints, const float* weights, int influences )
{
	const float* m = (const float*)( palette + joints[0] );
	Matrix sum = { supLoad8( m ), supLoad4( m + 8 ) };
	if ( influences == 1 )
	{
		return sum;
	}
	sum.first = sum.first * supSplat8( weights[0] );
	sum.last = sum.last * supSplat4( weights[0] );
	for ( int k = 1; k < influences; ++k )
	{
		m = (const float*)( palette + joints[k] );
		sum.first += supLoad8( m ) * supSplat8( weights[k] );
		sum.last += supLoad4( m + 8 ) * supSplat4( weights[k] );
	}
	return sum;
}

SUP_WIDE Mat34x8 GatherMatrices( const Block* block, const supMat34* palette, int influences )
{
	supFloat8 rows0[4], rows1[4], rows2[4];
	for ( int i = 0; i < 4; ++i )
	{
		int low = influences * i;
		int high = influences * ( i + 4 );
		Matrix a = BlendMatrices( palette, block->joints + low, block->weights + low, influences );
		Matrix b = BlendMatrices( palette, block->joints + high, block->weights + high, influences );
		rows0[i] = Join( supLow4( a.first ), supLow4( b.first ) );
		rows1[i] = Join( supHigh4( a.first ), supHigh4( b.first ) );
		rows2[i] = Join( a.last, b.last );
	}
	Quatx8 q0 = Transpose( rows0 );
	Quatx8 q1 = Transpose( rows1 );
	Quatx8 q2 = Transpose( rows2 );
	return ( Mat34x8 ){ { q0.x, q0.y, q0.z }, { q0.w, q1.x, q1.y }, { q1.z, q1.w, q2.x }, { q2.y, q2.z, q2.w } };
}

SUP_WIDE Vec3x8 SplatVec3( supVec3 v )
{
	return ( Vec3x8 ){ supSplat8( v.x ), supSplat8( v.y ), supSplat8( v.z ) };
}

SUP_WIDE void SkinLinearBlock( const supSkinJob* job, const Block* block, int influences, bool positionsOnly )
{
	Mat34x8 m;
	if ( influences == 0 )
	{
		const supMat34* rigid = job->palette;
		m = ( Mat34x8 ){ SplatVec3( rigid->cx ), SplatVec3( rigid->cy ), SplatVec3( rigid->cz ),
						 SplatVec3( rigid->t ) };
	}
	else
	{
		m = GatherMatrices( block, job->palette, influences );
	}
	if ( positionsOnly || block->outPositions != NULL )
	{
		Vec3x8 p = MulColumns( m.cx, m.cy, m.cz, LoadVec3( block->positions ) );
		StoreVec3( block->outPositions, ( Vec3x8 ){ p.x + m.t.x, p.y + m.t.y, p.z + m.t.z } );
	}
	if ( positionsOnly )
	{
		return;
	}
	Vec3x8 normal = { 0 };
	if ( block->normals != NULL )
	{
		Vec3x8 bind = LoadVec3( block->normals );
		normal = NormalizeOr( MoveNormal( m.cx, m.cy, m.cz, bind ), bind );
		if ( block->outNormals != NULL )
		{
			StoreVec3( block->outNormals, normal );
		}
	}
	if ( block->outTangents != NULL )
	{
		Quatx8 source = LoadVec4( block->tangents );
		Vec3x8 bind = { source.x, source.y, source.z };
		StoreTangents( block, MulColumns( m.cx, m.cy, m.cz, bind ), normal, block->normals != NULL, source );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Dual quaternion skinning: Kavan et al., Geometric skinning with approximate dual quaternion blending (2008),
// algorithm 1 with the sign of each joint taken from the heaviest. Stretch is blended linearly and applied first, as
// in section 4.2 there.

typedef struct Motion
{
	Quatx8 real, dual;
	Symmetricx8 stretch;
} Motion;

// Weight of influence k of eight vertices.
SUP_WIDE supFloat8 LoadWeights( const float* weights, int influences, int k )
{
	supFloat8 w;
	for ( int i = 0; i < LANES; ++i )
	{
		w[i] = weights[influences * i + k];
	}
	return w;
}

// Four floats at `offset` of the joint that influence k of each vertex names.
SUP_WIDE Quatx8 GatherJoints( const Block* block, const supDualJoint* duals, int influences, int k, int offset )
{
	supFloat8 rows[4];
	for ( int i = 0; i < 4; ++i )
	{
		const float* low = (const float*)( duals + block->joints[influences * i + k] );
		const float* high = (const float*)( duals + block->joints[influences * ( i + 4 ) + k] );
		rows[i] = Join( supLoad4( low + offset ), supLoad4( high + offset ) );
	}
	return Transpose( rows );
}

SUP_WIDE Quatx8 AddScaledQuat( Quatx8 a, supFloat8 s, Quatx8 b )
{
	return ( Quatx8 ){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w };
}

SUP_WIDE Quatx8 ScaleQuat( supFloat8 s, Quatx8 a )
{
	return ( Quatx8 ){ s * a.x, s * a.y, s * a.z, s * a.w };
}

SUP_WIDE supFloat8 DotQuat( Quatx8 a, Quatx8 b )
{
	return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

SUP_WIDE Motion BlendMotions( const Block* block, const supDualJoint* duals, int influences, bool stretched )
{
	Quatx8 first = GatherJoints( block, duals, influences, 0, 0 );
	supFloat8 w = influences == 1 ? supSplat8( 1.0f ) : LoadWeights( block->weights, influences, 0 );
	Quatx8 real = ScaleQuat( w, first );
	Quatx8 dual = ScaleQuat( w, GatherJoints( block, duals, influences, 0, 4 ) );
	Quatx8 diagonal = { 0 }, corner = { 0 };
	if ( stretched )
	{
		diagonal = ScaleQuat( w, GatherJoints( block, duals, influences, 0, 8 ) );
		corner = ScaleQuat( w, GatherJoints( block, duals, influences, 0, 12 ) );
	}
	for ( int k = 1; k < influences; ++k )
	{
		w = LoadWeights( block->weights, influences, k );
		Quatx8 q = GatherJoints( block, duals, influences, k, 0 );
		// q and -q are the same rotation: take the one on the side of the heaviest joint
		supFloat8 s = supSelect8( DotQuat( first, q ) < supSplat8( 0.0f ), -w, w );
		real = AddScaledQuat( real, s, q );
		dual = AddScaledQuat( dual, s, GatherJoints( block, duals, influences, k, 4 ) );
		if ( stretched )
		{
			diagonal = AddScaledQuat( diagonal, w, GatherJoints( block, duals, influences, k, 8 ) );
			corner = AddScaledQuat( corner, w, GatherJoints( block, duals, influences, k, 12 ) );
		}
	}
	// never zero: the part along the heaviest joint is at least its weight
	supFloat8 inverse = supSplat8( 1.0f ) / supSqrt8( DotQuat( real, real ) );
	return ( Motion ){ ScaleQuat( inverse, real ),
					   ScaleQuat( inverse, dual ),
					   { diagonal.x, diagonal.y, diagonal.z, diagonal.w, corner.x, corner.y } };
}

// p + 2 c x (c x p + w p)
SUP_WIDE Vec3x8 Rotate( Quatx8 q, Vec3x8 p )
{
	Vec3x8 c = { q.x, q.y, q.z };
	Vec3x8 u = Cross( c, p );
	u = ( Vec3x8 ){ u.x + q.w * p.x, u.y + q.w * p.y, u.z + q.w * p.z };
	Vec3x8 v = Cross( c, u );
	return ( Vec3x8 ){ p.x + 2.0f * v.x, p.y + 2.0f * v.y, p.z + 2.0f * v.z };
}

// 2 (w e - f c + c x e) of real (c, w) and dual (e, f)
SUP_WIDE Vec3x8 Translation( Quatx8 real, Quatx8 dual )
{
	Vec3x8 c = { real.x, real.y, real.z };
	Vec3x8 e = { dual.x, dual.y, dual.z };
	Vec3x8 n = Cross( c, e );
	return ( Vec3x8 ){ 2.0f * ( real.w * e.x - dual.w * c.x + n.x ), 2.0f * ( real.w * e.y - dual.w * c.y + n.y ),
					   2.0f * ( real.w * e.z - dual.w * c.z + n.z ) };
}

SUP_WIDE void SkinDualBlock( const supSkinJob* job, const Block* block, int influences, bool stretched,
							 bool positionsOnly )
{
	Motion m = BlendMotions( block, job->duals, influences, stretched );
	Vec3x8 sx = { m.stretch.xx, m.stretch.xy, m.stretch.zx };
	Vec3x8 sy = { m.stretch.xy, m.stretch.yy, m.stretch.yz };
	Vec3x8 sz = { m.stretch.zx, m.stretch.yz, m.stretch.zz };
	if ( positionsOnly || block->outPositions != NULL )
	{
		Vec3x8 p = LoadVec3( block->positions );
		p = Rotate( m.real, stretched ? MulColumns( sx, sy, sz, p ) : p );
		Vec3x8 t = Translation( m.real, m.dual );
		StoreVec3( block->outPositions, ( Vec3x8 ){ p.x + t.x, p.y + t.y, p.z + t.z } );
	}
	if ( positionsOnly )
	{
		return;
	}
	Vec3x8 normal = { 0 };
	if ( block->normals != NULL )
	{
		Vec3x8 bind = LoadVec3( block->normals );
		normal = NormalizeOr( Rotate( m.real, stretched ? MoveNormal( sx, sy, sz, bind ) : bind ), bind );
		if ( block->outNormals != NULL )
		{
			StoreVec3( block->outNormals, normal );
		}
	}
	if ( block->outTangents != NULL )
	{
		Quatx8 source = LoadVec4( block->tangents );
		Vec3x8 bind = { source.x, source.y, source.z };
		Vec3x8 moved = Rotate( m.real, stretched ? MulColumns( sx, sy, sz, bind ) : bind );
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

SUP_WIDE Block MakeBlock( const supSkinJob* job, int32_t first, int influences )
{
	// offsets of NULL are never made
	size_t slot = (size_t)first * (size_t)influences;
	return ( Block ){
		.joints = influences > 0 ? job->joints + slot : NULL,
		.weights = influences > 0 ? job->weights + slot : NULL,
		.positions = (const float*)( job->positions + first ),
		.normals = job->normals != NULL ? (const float*)( job->normals + first ) : NULL,
		.tangents = job->tangents != NULL ? (const float*)( job->tangents + first ) : NULL,
		.outPositions = job->outPositions != NULL ? (float*)( job->outPositions + first ) : NULL,
		.outNormals = job->outNormals != NULL ? (float*)( job->outNormals + first ) : NULL,
		.outTangents = job->outTangents != NULL ? (float*)( job->outTangents + first ) : NULL,
	};
}

static void CopyFloats( float* to, const float* from, int32_t count )
{
	if ( to != NULL && from != NULL )
	{
		memcpy( to, from, (size_t)count * sizeof( float ) );
	}
}

// A block of eight of which only `count` come from `rest`.
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

// Inlined with constants, so that each case has a loop of its own.
SUP_WIDE void Run( const supSkinJob* job, bool dual, int influences, bool stretched, bool positionsOnly )
{
	Padding padding;
	for ( int32_t i = 0; i < job->vertexCount; i += LANES )
	{
		Block memory = MakeBlock( job, i, influences );
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
		Run( job, false, influences, false, false );                                                                   \
	}                                                                                                                  \
	static void RunLinearPositions##influences( const supSkinJob* job )                                                \
	{                                                                                                                  \
		Run( job, false, influences, false, true );                                                                    \
	}

#define DEFINE_DUAL_RUNS( influences )                                                                                 \
	static void RunDual##influences( const supSkinJob* job )                                                           \
	{                                                                                                                  \
		Run( job, true, influences, false, false );                                                                    \
	}                                                                                                                  \
	static void RunDualPositions##influences( const supSkinJob* job )                                                  \
	{                                                                                                                  \
		Run( job, true, influences, false, true );                                                                     \
	}                                                                                                                  \
	static void RunStretched##influences( const supSkinJob* job )                                                      \
	{                                                                                                                  \
		Run( job, true, influences, true, false );                                                                     \
	}                                                                                                                  \
	static void RunStretchedPositions##influences( const supSkinJob* job )                                             \
	{                                                                                                                  \
		Run( job, true, influences, true, true );                                                                      \
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
	for ( ; i + LANES <= count; i += LANES )
	{
		supStore8( out + i, supLoad8( out + i ) + supSplat8( weight ) * supLoad8( offsets + i ) );
	}
	for ( ; i < count; ++i )
	{
		out[i] += weight * offsets[i];
	}
}
