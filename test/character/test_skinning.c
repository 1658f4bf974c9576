// SPDX-License-Identifier: MIT
// labels: threads
// Skinning against a plain double-precision reference, against geometry, and against itself on other threads and
// instruction sets.
#include "support.h"

#include "supple/character.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VERTICES 10007
#define JOINTS 23

// A random mesh on random joints, all of whose bind matrices are random too.
typedef struct Rig
{
	supCharacter* character;
	supPose* pose;
	supNode nodes[JOINTS + 1];
	int32_t joints[JOINTS];
	supMat34 inverseBinds[JOINTS];
	supVec3 positions[MOST_VERTICES];
	supVec3 normals[MOST_VERTICES];
	supVec4 tangents[MOST_VERTICES];
	uint16_t vertexJoints[MOST_VERTICES * 8];
	float weights[MOST_VERTICES * 8];
	supVec3 offsets[2][MOST_VERTICES];
} Rig;

typedef struct RigOptions
{
	int32_t vertexCount;
	int32_t influences;
	// joints are scaled unevenly, some mirrored
	bool stretched;
	bool morphed;
} RigOptions;

static supVec3 RandomDirection( testRandom* random )
{
	return supRotate( testRandomQuat( random ), supMakeVec3( 1.0f, 0.0f, 0.0f ) );
}

static supTransform RandomTransform( testRandom* random, bool stretched )
{
	supTransform t = { testRandomVec3( random, 0.5f ), testRandomQuat( random ), supVec3_one };
	if ( stretched )
	{
		t.scale = supMakeVec3( testRandomFloat( random, 0.5f, 1.5f ), testRandomFloat( random, 0.5f, 1.5f ),
							   testRandomFloat( random, 0.5f, 1.5f ) );
	}
	return t;
}

static void FillMesh( Rig* rig, RigOptions options, testRandom* random )
{
	for ( int32_t i = 0; i < options.vertexCount; ++i )
	{
		rig->positions[i] = testRandomVec3( random, 1.0f );
		rig->normals[i] = RandomDirection( random );
		supVec3 t = RandomDirection( random );
		rig->tangents[i] = ( supVec4 ){ t.x, t.y, t.z, i % 3 == 0 ? -1.0f : 1.0f };
		rig->offsets[0][i] = testRandomVec3( random, 0.1f );
		rig->offsets[1][i] = testRandomVec3( random, 0.1f );
		for ( int32_t k = 0; k < options.influences; ++k )
		{
			rig->vertexJoints[options.influences * i + k] = (uint16_t)testRandomInt( random, JOINTS );
			// one vertex in eight has unused slots
			bool unused = k > 0 && i % 8 == 3;
			rig->weights[options.influences * i + k] = unused ? 0.0f : testRandomFloat( random, 0.1f, 1.0f );
		}
	}
	// whatever the others have, so that the stride is known
	rig->weights[options.influences - 1] = 0.3f;
}

static Rig* MakeRig( RigOptions options, uint64_t seed )
{
	testRandom random = testMakeRandom( seed );
	Rig* rig = calloc( 1, sizeof( Rig ) );
	assert_non_null( rig );
	FillMesh( rig, options, &random );
	for ( int32_t i = 0; i < JOINTS; ++i )
	{
		rig->nodes[i] = ( supNode ){ .name = "joint", .parent = -1, .rest = supTransform_identity };
		rig->joints[i] = i;
		rig->inverseBinds[i] = supMakeMat34Transform( RandomTransform( &random, options.stretched ) );
	}
	rig->nodes[JOINTS] = ( supNode ){ .name = "body", .parent = -1, .rest = supTransform_identity };
	supMorphTarget targets[3] = { { "a", rig->offsets[0], rig->offsets[1], rig->offsets[0] },
								  { "b", rig->offsets[1], NULL, NULL },
								  { "c", NULL, rig->offsets[0], NULL } };
	supMesh mesh = { .name = "mesh",
					 .vertexCount = options.vertexCount,
					 .positions = rig->positions,
					 .normals = rig->normals,
					 .tangents = rig->tangents,
					 .influences = options.influences,
					 .joints = rig->vertexJoints,
					 .weights = rig->weights,
					 .targetCount = options.morphed ? 3 : 0,
					 .targets = targets };
	supSkin skin = { "skin", JOINTS, rig->joints, rig->inverseBinds };
	supInstance instances[2] = { { JOINTS, 0, 0, NULL }, { 0, 0, -1, NULL } };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = JOINTS + 1;
	def.nodes = rig->nodes;
	def.skinCount = 1;
	def.skins = &skin;
	def.meshCount = 1;
	def.meshes = &mesh;
	def.instanceCount = 2;
	def.instances = instances;
	supError error = { 0 };
	rig->character = supCreateCharacter( &def, &error );
	testRequire( rig->character != NULL, &error );
	assert_int_equal( supCharacter_Mesh( rig->character, 0 )->influences, options.influences );
	rig->pose = supCreatePose( rig->character );
	assert_non_null( rig->pose );
	for ( int32_t i = 0; i < JOINTS; ++i )
	{
		supTransform local = RandomTransform( &random, options.stretched );
		local.scale.x = options.stretched && i % 5 == 0 ? -local.scale.x : local.scale.x;
		supPose_SetLocal( rig->pose, i, local );
	}
	for ( int32_t i = 0; i < 3 && options.morphed; ++i )
	{
		supPose_MorphWeights( rig->pose, 0 )[i] = 0.3f * (float)( i + 1 );
	}
	return rig;
}

static void DestroyRig( Rig* rig )
{
	supDestroyPose( rig->pose );
	supDestroyCharacter( rig->character );
	free( rig );
}

typedef struct Buffers
{
	supVec3* positions;
	supVec3* normals;
	supVec4* tangents;
	int32_t count;
} Buffers;

// One vertex more than needed: writing there is found.
static Buffers MakeBuffers( int32_t count )
{
	Buffers b = { malloc( ( (size_t)count + 1 ) * sizeof( supVec3 ) ),
				  malloc( ( (size_t)count + 1 ) * sizeof( supVec3 ) ),
				  malloc( ( (size_t)count + 1 ) * sizeof( supVec4 ) ), count };
	assert_true( b.positions != NULL && b.normals != NULL && b.tangents != NULL );
	memset( b.positions, 0x5A, ( (size_t)count + 1 ) * sizeof( supVec3 ) );
	memset( b.normals, 0x5A, ( (size_t)count + 1 ) * sizeof( supVec3 ) );
	memset( b.tangents, 0x5A, ( (size_t)count + 1 ) * sizeof( supVec4 ) );
	return b;
}

static void FreeBuffers( Buffers b )
{
	unsigned char expected[sizeof( supVec4 )];
	memset( expected, 0x5A, sizeof( expected ) );
	assert_memory_equal( b.positions + b.count, expected, sizeof( supVec3 ) );
	assert_memory_equal( b.normals + b.count, expected, sizeof( supVec3 ) );
	assert_memory_equal( b.tangents + b.count, expected, sizeof( supVec4 ) );
	free( b.positions );
	free( b.normals );
	free( b.tangents );
}

static supSkinOutput ToOutput( Buffers b )
{
	return ( supSkinOutput ){ b.positions, b.normals, b.tangents };
}

// ---------------------------------------------------------------------------------------------------------------------
// The reference: column-major 3x4 matrices of doubles, one vertex at a time

typedef struct Double3
{
	double v[3];
} Double3;

typedef struct DoubleMatrix
{
	double c[4][3];
} DoubleMatrix;

static Double3 FromVec3( supVec3 a )
{
	return ( Double3 ){ { a.x, a.y, a.z } };
}

static DoubleMatrix FromMat34( supMat34 m )
{
	return ( DoubleMatrix ){
		{ { m.cx.x, m.cx.y, m.cx.z }, { m.cy.x, m.cy.y, m.cy.z }, { m.cz.x, m.cz.y, m.cz.z }, { m.t.x, m.t.y, m.t.z } }
	};
}

static Double3 MulLinear( const DoubleMatrix* m, Double3 p )
{
	Double3 r = { { 0 } };
	for ( int row = 0; row < 3; ++row )
	{
		for ( int column = 0; column < 3; ++column )
		{
			r.v[row] += m->c[column][row] * p.v[column];
		}
	}
	return r;
}

static Double3 Normalized( Double3 a )
{
	double length = sqrt( a.v[0] * a.v[0] + a.v[1] * a.v[1] + a.v[2] * a.v[2] );
	return ( Double3 ){ { a.v[0] / length, a.v[1] / length, a.v[2] / length } };
}

// Inverse transpose by Cramer's rule with the determinant kept: points outward under mirrors.
static Double3 MulInverseTranspose( const DoubleMatrix* m, Double3 n )
{
	double k[3][3];
	for ( int column = 0; column < 3; ++column )
	{
		for ( int row = 0; row < 3; ++row )
		{
			int r1 = ( row + 1 ) % 3, r2 = ( row + 2 ) % 3, c1 = ( column + 1 ) % 3, c2 = ( column + 2 ) % 3;
			k[column][row] = m->c[c1][r1] * m->c[c2][r2] - m->c[c2][r1] * m->c[c1][r2];
		}
	}
	double determinant = m->c[0][0] * k[0][0] + m->c[0][1] * k[0][1] + m->c[0][2] * k[0][2];
	Double3 r = { { 0 } };
	for ( int row = 0; row < 3; ++row )
	{
		for ( int column = 0; column < 3; ++column )
		{
			r.v[row] += k[column][row] * n.v[column] / determinant;
		}
	}
	return r;
}

// The whole map of a vertex as one affine matrix.
typedef DoubleMatrix BlendFcn( const Rig* rig, const supMat34* palette, int32_t vertex );

static DoubleMatrix BlendLinear( const Rig* rig, const supMat34* palette, int32_t vertex )
{
	const supMesh* mesh = supCharacter_Mesh( rig->character, 0 );
	DoubleMatrix sum = { { { 0 } } };
	for ( int32_t k = 0; k < mesh->influences; ++k )
	{
		DoubleMatrix m = FromMat34( palette[mesh->joints[mesh->influences * vertex + k]] );
		double w = mesh->weights[mesh->influences * vertex + k];
		for ( int i = 0; i < 12; ++i )
		{
			sum.c[i / 3][i % 3] += w * m.c[i / 3][i % 3];
		}
	}
	return sum;
}

// The rotation is the library's, which is held to LAPACK in tests of its own; the stretch follows from it in double.
static void SplitReference( const DoubleMatrix* m, supQuat* rotation, double stretch[3][3] )
{
	supMat3 a = { { (float)m->c[0][0], (float)m->c[0][1], (float)m->c[0][2] },
				  { (float)m->c[1][0], (float)m->c[1][1], (float)m->c[1][2] },
				  { (float)m->c[2][0], (float)m->c[2][1], (float)m->c[2][2] } };
	*rotation = supPolarRotation( a );
	supMat3 r = supMakeMat3Quat( *rotation );
	double columns[3][3] = { { r.cx.x, r.cx.y, r.cx.z }, { r.cy.x, r.cy.y, r.cy.z }, { r.cz.x, r.cz.y, r.cz.z } };
	for ( int i = 0; i < 3; ++i )
	{
		for ( int j = 0; j < 3; ++j )
		{
			stretch[i][j] = columns[i][0] * m->c[j][0] + columns[i][1] * m->c[j][1] + columns[i][2] * m->c[j][2];
		}
	}
}

// Rotation matrix of a quaternion in double.
static void MatrixOf( const double q[4], double r[3][3] )
{
	double x = q[0], y = q[1], z = q[2], w = q[3];
	r[0][0] = 1 - 2 * ( y * y + z * z ), r[0][1] = 2 * ( x * y - w * z ), r[0][2] = 2 * ( x * z + w * y );
	r[1][0] = 2 * ( x * y + w * z ), r[1][1] = 1 - 2 * ( x * x + z * z ), r[1][2] = 2 * ( y * z - w * x );
	r[2][0] = 2 * ( x * z - w * y ), r[2][1] = 2 * ( y * z + w * x ), r[2][2] = 1 - 2 * ( x * x + y * y );
}

// Dual part t q / 2.
static void DualPart( const supQuat* q, const double t[3], double dual[4] )
{
	dual[0] = 0.5 * ( t[0] * q->w + t[1] * q->z - t[2] * q->y );
	dual[1] = 0.5 * ( -t[0] * q->z + t[1] * q->w + t[2] * q->x );
	dual[2] = 0.5 * ( t[0] * q->y - t[1] * q->x + t[2] * q->w );
	dual[3] = -0.5 * ( t[0] * q->x + t[1] * q->y + t[2] * q->z );
}

static DoubleMatrix BlendDual( const Rig* rig, const supMat34* palette, int32_t vertex )
{
	const supMesh* mesh = supCharacter_Mesh( rig->character, 0 );
	double real[4] = { 0 }, dual[4] = { 0 }, stretch[3][3] = { { 0 } };
	supQuat first = supQuat_identity;
	for ( int32_t k = 0; k < mesh->influences; ++k )
	{
		DoubleMatrix m = FromMat34( palette[mesh->joints[mesh->influences * vertex + k]] );
		double w = mesh->weights[mesh->influences * vertex + k];
		supQuat q;
		double s[3][3], d[4];
		SplitReference( &m, &q, s );
		DualPart( &q, m.c[3], d );
		first = k == 0 ? q : first;
		double signedWeight = supDotQuat( first, q ) < 0.0f ? -w : w;
		const double components[4] = { q.x, q.y, q.z, q.w };
		for ( int i = 0; i < 4; ++i )
		{
			real[i] += signedWeight * components[i];
			dual[i] += signedWeight * d[i];
		}
		for ( int i = 0; i < 9; ++i )
		{
			stretch[i / 3][i % 3] += w * s[i / 3][i % 3];
		}
	}
	double length = sqrt( real[0] * real[0] + real[1] * real[1] + real[2] * real[2] + real[3] * real[3] );
	for ( int i = 0; i < 4; ++i )
	{
		real[i] /= length;
		dual[i] /= length;
	}
	double r[3][3];
	MatrixOf( real, r );
	DoubleMatrix result = { { { 0 } } };
	for ( int row = 0; row < 3; ++row )
	{
		for ( int column = 0; column < 3; ++column )
		{
			for ( int i = 0; i < 3; ++i )
			{
				result.c[column][row] += r[row][i] * stretch[i][column];
			}
		}
	}
	// t = 2 dual real*
	result.c[3][0] = 2 * ( -dual[3] * real[0] + dual[0] * real[3] - dual[1] * real[2] + dual[2] * real[1] );
	result.c[3][1] = 2 * ( -dual[3] * real[1] + dual[0] * real[2] + dual[1] * real[3] - dual[2] * real[0] );
	result.c[3][2] = 2 * ( -dual[3] * real[2] - dual[0] * real[1] + dual[1] * real[0] + dual[2] * real[3] );
	return result;
}

static void RequireNear( const float* found, Double3 expected, double tolerance, const char* what, int32_t vertex )
{
	for ( int i = 0; i < 3; ++i )
	{
		if ( !( fabs( (double)found[i] - expected.v[i] ) <= tolerance ) )
		{
			fail_msg( "%s of vertex %d, component %d: %.9g instead of %.9g", what, vertex, i, (double)found[i],
					  expected.v[i] );
		}
	}
}

static Double3 Morphed( Double3 base, const Rig* rig, RigOptions options, int32_t vertex, const double weights[2] )
{
	for ( int t = 0; t < 2 && options.morphed; ++t )
	{
		Double3 offset = FromVec3( rig->offsets[t][vertex] );
		for ( int i = 0; i < 3; ++i )
		{
			base.v[i] += weights[t] * offset.v[i];
		}
	}
	return base;
}

// Lengths below this are where normalising magnifies the rounding of float arithmetic.
static double LengthOf( Double3 a )
{
	return sqrt( a.v[0] * a.v[0] + a.v[1] * a.v[1] + a.v[2] * a.v[2] );
}

static void CheckVertex( const Rig* rig, RigOptions options, const DoubleMatrix* m, int32_t i, Buffers b )
{
	const supMesh* mesh = supCharacter_Mesh( rig->character, 0 );
	// weights 0.3, 0.6, 0.9 of the three targets; which arrays each changes: see MakeRig
	Double3 p = Morphed( FromVec3( mesh->positions[i] ), rig, options, i, ( double[] ){ 0.3f, 0.6f } );
	Double3 n = Morphed( FromVec3( mesh->normals[i] ), rig, options, i, ( double[] ){ 0.3f * 3.0f, 0.3f } );
	supVec4 bind = mesh->tangents[i];
	Double3 t = { { bind.x, bind.y, bind.z } };
	t = Morphed( t, rig, options, i, ( double[] ){ 0.3f, 0.0 } );
	Double3 moved = MulLinear( m, p );
	for ( int k = 0; k < 3; ++k )
	{
		moved.v[k] += m->c[3][k];
	}
	RequireNear( &b.positions[i].x, moved, 3e-6, "position", i );
	Double3 normal = MulInverseTranspose( m, n );
	Double3 unit = Normalized( normal );
	// the blend of turned matrices can be nearly singular; what it is off by is then magnified
	Double3 columns = { { LengthOf( ( Double3 ){ { m->c[0][0], m->c[0][1], m->c[0][2] } } ),
						  LengthOf( ( Double3 ){ { m->c[1][0], m->c[1][1], m->c[1][2] } } ),
						  LengthOf( ( Double3 ){ { m->c[2][0], m->c[2][1], m->c[2][2] } } ) } };
	double size = LengthOf( columns );
	Double3 cofactorNormal = normal;
	double determinant = 0.0;
	for ( int k = 0; k < 3; ++k )
	{
		int c1 = 1, c2 = 2, r1 = ( k + 1 ) % 3, r2 = ( k + 2 ) % 3;
		determinant += m->c[0][k] * ( m->c[c1][r1] * m->c[c2][r2] - m->c[c2][r1] * m->c[c1][r2] );
	}
	double condition = size * size / ( LengthOf( cofactorNormal ) * fabs( determinant ) );
	RequireNear( &b.normals[i].x, unit, 1e-6 * ( 1.0 + condition ), "normal", i );
	Double3 tangent = MulLinear( m, t );
	double along = tangent.v[0] * unit.v[0] + tangent.v[1] * unit.v[1] + tangent.v[2] * unit.v[2];
	for ( int k = 0; k < 3; ++k )
	{
		tangent.v[k] -= along * unit.v[k];
	}
	double tangentCondition = size * ( 1.0 + condition ) / LengthOf( tangent );
	RequireNear( &b.tangents[i].x, Normalized( tangent ), 2e-6 * ( 1.0 + tangentCondition ), "tangent", i );
	assert_true( b.tangents[i].w == bind.w );
}

static void CheckAgainstReference( RigOptions options, supSkinning skinning, BlendFcn* blend, uint64_t seed )
{
	Rig* rig = MakeRig( options, seed );
	Buffers b = MakeBuffers( options.vertexCount );
	supSkinOutput output = ToOutput( b );
	supSkinInstance( rig->pose, 0, skinning, NULL, &output );
	const supMat34* palette = supPose_Palette( rig->pose, 0 );
	for ( int32_t i = 0; i < options.vertexCount; ++i )
	{
		DoubleMatrix m = blend( rig, palette, i );
		CheckVertex( rig, options, &m, i, b );
	}
	FreeBuffers( b );
	DestroyRig( rig );
}

static void CheckAllShapes( supSkinning skinning, BlendFcn* blend )
{
	const int32_t counts[] = { 1, 7, 8, 9, 1000 };
	const int32_t influences[] = { 1, 2, 4, 8 };
	uint64_t seed = 1;
	for ( int c = 0; c < 5; ++c )
	{
		for ( int k = 0; k < 4; ++k )
		{
			for ( int shape = 0; shape < 4; ++shape )
			{
				RigOptions options = { counts[c], influences[k], ( shape & 1 ) != 0, ( shape & 2 ) != 0 };
				CheckAgainstReference( options, skinning, blend, seed++ );
			}
		}
	}
}

static void TestLinearAgainstReference( void** state )
{
	(void)state;
	CheckAllShapes( sup_skinningLinear, BlendLinear );
}

static void TestDualAgainstReference( void** state )
{
	(void)state;
	CheckAllShapes( sup_skinningDualQuaternion, BlendDual );
}

// Any of the outputs may be missing, and does not change the others.
static void TestOutputsAreIndependent( void** state )
{
	(void)state;
	for ( int method = 0; method < 2; ++method )
	{
		RigOptions options = { 1003, 4, true, true };
		Rig* rig = MakeRig( options, 3 );
		Buffers all = MakeBuffers( options.vertexCount );
		supSkinOutput output = ToOutput( all );
		supSkinInstance( rig->pose, 0, (supSkinning)method, NULL, &output );
		for ( int mask = 0; mask < 8; ++mask )
		{
			Buffers some = MakeBuffers( options.vertexCount );
			Buffers untouched = MakeBuffers( options.vertexCount );
			supSkinOutput part = { ( mask & 1 ) != 0 ? some.positions : NULL, ( mask & 2 ) != 0 ? some.normals : NULL,
								   ( mask & 4 ) != 0 ? some.tangents : NULL };
			supSkinInstance( rig->pose, 0, (supSkinning)method, NULL, &part );
			size_t count = (size_t)options.vertexCount;
			assert_memory_equal( some.positions, ( mask & 1 ) != 0 ? all.positions : untouched.positions,
								 count * sizeof( supVec3 ) );
			assert_memory_equal( some.normals, ( mask & 2 ) != 0 ? all.normals : untouched.normals,
								 count * sizeof( supVec3 ) );
			assert_memory_equal( some.tangents, ( mask & 4 ) != 0 ? all.tangents : untouched.tangents,
								 count * sizeof( supVec4 ) );
			FreeBuffers( some );
			FreeBuffers( untouched );
		}
		FreeBuffers( all );
		DestroyRig( rig );
	}
}

static void TestRigidInstanceFollowsItsNode( void** state )
{
	(void)state;
	RigOptions options = { 77, 4, true, false };
	Rig* rig = MakeRig( options, 4 );
	Buffers b = MakeBuffers( options.vertexCount );
	supSkinOutput output = ToOutput( b );
	for ( int method = 0; method < 2; ++method )
	{
		supSkinInstance( rig->pose, 1, (supSkinning)method, NULL, &output );
		supMat34 world = supPose_Worlds( rig->pose )[0];
		for ( int32_t i = 0; i < options.vertexCount; ++i )
		{
			supVec3 p = supTransformPoint( world, rig->positions[i] );
			assert_memory_equal( &p, b.positions + i, sizeof( p ) );
		}
	}
	FreeBuffers( b );
	DestroyRig( rig );
}

// With the joints where they were when the mesh was bound, the mesh is where it was.
static void TestBindPoseGivesTheMeshBack( void** state )
{
	(void)state;
	RigOptions options = { 1000, 4, false, false };
	Rig* rig = MakeRig( options, 5 );
	for ( int32_t i = 0; i < JOINTS; ++i )
	{
		supMat34 bind;
		supTransform local;
		assert_true( supInvertMat34( rig->inverseBinds[i], &bind ) );
		assert_true( supDecompose( bind, &local ) );
		supPose_SetLocal( rig->pose, i, local );
	}
	Buffers b = MakeBuffers( options.vertexCount );
	supSkinOutput output = ToOutput( b );
	for ( int method = 0; method < 2; ++method )
	{
		supSkinInstance( rig->pose, 0, (supSkinning)method, NULL, &output );
		for ( int32_t i = 0; i < options.vertexCount; ++i )
		{
			testLess( supDistance( b.positions[i], rig->positions[i] ), 2e-6f );
			testLess( supDistance( b.normals[i], rig->normals[i] ), 2e-6f );
		}
	}
	FreeBuffers( b );
	DestroyRig( rig );
}

static void TestRigidJointsAgreeForOneInfluence( void** state )
{
	(void)state;
	RigOptions options = { 1000, 1, false, false };
	Rig* rig = MakeRig( options, 6 );
	Buffers a = MakeBuffers( options.vertexCount );
	Buffers b = MakeBuffers( options.vertexCount );
	supSkinOutput outputA = ToOutput( a ), outputB = ToOutput( b );
	supSkinInstance( rig->pose, 0, sup_skinningLinear, NULL, &outputA );
	supSkinInstance( rig->pose, 0, sup_skinningDualQuaternion, NULL, &outputB );
	for ( int32_t i = 0; i < options.vertexCount; ++i )
	{
		testLess( supDistance( a.positions[i], b.positions[i] ), 2e-6f );
		testLess( supDistance( a.normals[i], b.normals[i] ), 2e-6f );
	}
	FreeBuffers( a );
	FreeBuffers( b );
	DestroyRig( rig );
}

// ---------------------------------------------------------------------------------------------------------------------
// Geometry

#define RING 32

// A tube along x of radius 1, one joint at each end, weights half and half on the ring in the middle.
static supCharacter* MakeTube( supVec3 positions[RING] )
{
	supVec3 normals[RING];
	uint16_t joints[2 * RING];
	float weights[2 * RING];
	for ( int32_t i = 0; i < RING; ++i )
	{
		float angle = 6.2831853f * (float)i / RING;
		positions[i] = supMakeVec3( 0.0f, cosf( angle ), sinf( angle ) );
		normals[i] = positions[i];
		joints[2 * i] = 0;
		joints[2 * i + 1] = 1;
		weights[2 * i] = weights[2 * i + 1] = 0.5f;
	}
	supNode nodes[2] = { { .name = "fixed", .parent = -1, .rest = supTransform_identity },
						 { .name = "turned", .parent = -1, .rest = supTransform_identity } };
	supMesh mesh = { .vertexCount = RING,
					 .positions = positions,
					 .normals = normals,
					 .influences = 2,
					 .joints = joints,
					 .weights = weights };
	supSkin skin = { NULL, 2, ( int32_t[] ){ 0, 1 }, NULL };
	supInstance instance = { 0, 0, 0, NULL };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = 2;
	def.nodes = nodes;
	def.skinCount = 1;
	def.skins = &skin;
	def.meshCount = 1;
	def.meshes = &mesh;
	def.instanceCount = 1;
	def.instances = &instance;
	supCharacter* character = supCreateCharacter( &def, NULL );
	assert_non_null( character );
	return character;
}

static float RingArea( const supVec3 ring[RING] )
{
	supVec3 sum = supVec3_zero;
	for ( int32_t i = 0; i < RING; ++i )
	{
		sum = supAdd( sum, supCross( ring[i], ring[( i + 1 ) % RING] ) );
	}
	return 0.5f * supLength( sum );
}

static void TestTwistKeepsTheRingOnlyWithDualQuaternions( void** state )
{
	(void)state;
	supVec3 bind[RING], linear[RING], dual[RING], normals[RING];
	supCharacter* character = MakeTube( bind );
	supPose* pose = supCreatePose( character );
	supTransform turned = supTransform_identity;
	turned.rotation = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.0f, 0.0f ), SUP_PI * 0.999f );
	supPose_SetLocal( pose, 1, turned );
	supSkinInstance( pose, 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = linear } );
	supSkinInstance( pose, 0, sup_skinningDualQuaternion, NULL,
					 &( supSkinOutput ){ .positions = dual, .normals = normals } );
	float area = RingArea( bind );
	testLess( RingArea( linear ), 0.001f * area );
	assert_float_equal( RingArea( dual ), area, 1e-4f * area );
	for ( int32_t i = 0; i < RING; ++i )
	{
		// still on the surface of the tube, and facing out
		testLess( supDistance( normals[i], dual[i] ), 1e-5f );
	}
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

// A joint scaled to nothing leaves no direction; a mirror keeps normals outside.
static void TestNormalsUnderMirrorsAndCollapse( void** state )
{
	(void)state;
	supVec3 bind[RING], positions[RING], normals[RING];
	supCharacter* character = MakeTube( bind );
	supPose* pose = supCreatePose( character );
	for ( int method = 0; method < 2; ++method )
	{
		supTransform mirror = supTransform_identity;
		mirror.scale.y = -1.0f;
		supPose_SetLocal( pose, 0, mirror );
		supPose_SetLocal( pose, 1, mirror );
		supSkinOutput output = { .positions = positions, .normals = normals };
		supSkinInstance( pose, 0, (supSkinning)method, NULL, &output );
		for ( int32_t i = 0; i < RING; ++i )
		{
			testLess( supDistance( positions[i], normals[i] ), 1e-5f );
			assert_float_equal( positions[i].y, -bind[i].y, 1e-5f );
		}
		supTransform nothing = supTransform_identity;
		nothing.scale = supVec3_zero;
		supPose_SetLocal( pose, 0, nothing );
		supPose_SetLocal( pose, 1, nothing );
		supSkinInstance( pose, 0, (supSkinning)method, NULL, &output );
		for ( int32_t i = 0; i < RING; ++i )
		{
			assert_true( supLength( positions[i] ) == 0.0f );
			assert_float_equal( supLength( normals[i] ), 1.0f, 1e-5f );
		}
	}
	supDestroyPose( pose );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// The same bits everywhere, and no memory

static void TestThreadsAndInstructionSetsGiveTheSameBits( void** state )
{
	(void)state;
	const int32_t threads[] = { 1, 2, 3, 8 };
	const int32_t influences[] = { 1, 2, 4, 8 };
	supInstructionSet before = supGetInstructionSet();
	for ( int method = 0; method < 2; ++method )
	{
		for ( int k = 0; k < 4; ++k )
		{
			RigOptions options = { MOST_VERTICES, influences[k], k % 2 == 0, k % 2 == 0 };
			Rig* rig = MakeRig( options, 7 );
			Buffers first = MakeBuffers( MOST_VERTICES );
			supSkinOutput firstOutput = ToOutput( first );
			supSetInstructionSet( sup_instructionsBaseline );
			supSkinInstance( rig->pose, 0, (supSkinning)method, NULL, &firstOutput );
			for ( int t = 0; t < 4; ++t )
			{
				supThreadPool* pool = supCreateThreadPool( threads[t] );
				assert_non_null( pool );
				for ( int set = sup_instructionsBaseline; set <= sup_instructionsAvx2; ++set )
				{
					Buffers b = MakeBuffers( MOST_VERTICES );
					supSkinOutput output = ToOutput( b );
					if ( supSetInstructionSet( (supInstructionSet)set ) )
					{
						supSkinInstance( rig->pose, 0, (supSkinning)method, supThreadPool_Tasks( pool ), &output );
						assert_memory_equal( b.positions, first.positions, MOST_VERTICES * sizeof( supVec3 ) );
						assert_memory_equal( b.normals, first.normals, MOST_VERTICES * sizeof( supVec3 ) );
						assert_memory_equal( b.tangents, first.tangents, MOST_VERTICES * sizeof( supVec4 ) );
					}
					FreeBuffers( b );
				}
				supDestroyThreadPool( pool );
			}
			FreeBuffers( first );
			DestroyRig( rig );
		}
	}
	supSetInstructionSet( before );
}

static void TestPosingAndSkinningAllocateNothing( void** state )
{
	(void)state;
	testHeap heap;
	testInstallHeap( &heap );
	RigOptions options = { 5000, 4, true, true };
	Rig* rig = MakeRig( options, 8 );
	Buffers b = MakeBuffers( options.vertexCount );
	supSkinOutput output = ToOutput( b );
	supThreadPool* pool = supCreateThreadPool( 2 );
	heap.failAt = 0;
	int64_t before = heap.allocations;
	for ( int method = 0; method < 2; ++method )
	{
		supPose_SetLocal( rig->pose, 3, supTransform_identity );
		supSkinInstance( rig->pose, 0, (supSkinning)method, supThreadPool_Tasks( pool ), &output );
	}
	assert_int_equal( heap.allocations, before );
	heap.failAt = -1;
	supDestroyThreadPool( pool );
	FreeBuffers( b );
	DestroyRig( rig );
	testUninstallHeap( &heap );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestLinearAgainstReference ),
		cmocka_unit_test( TestDualAgainstReference ),
		cmocka_unit_test( TestOutputsAreIndependent ),
		cmocka_unit_test( TestRigidInstanceFollowsItsNode ),
		cmocka_unit_test( TestBindPoseGivesTheMeshBack ),
		cmocka_unit_test( TestRigidJointsAgreeForOneInfluence ),
		cmocka_unit_test( TestTwistKeepsTheRingOnlyWithDualQuaternions ),
		cmocka_unit_test( TestNormalsUnderMirrorsAndCollapse ),
		cmocka_unit_test( TestThreadsAndInstructionSetsGiveTheSameBits ),
		cmocka_unit_test( TestPosingAndSkinningAllocateNothing ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
