// SPDX-License-Identifier: MIT
// What must not depend on where a body stands: moved, turned by right angles or mirrored, triangles give the same
// voxels, layers and weights, moved, turned or mirrored. Random soups and a whole character, each with a skeleton.
#include "shapes.h"

#include "core/core.h"
#include "models/models.h"
#include "supple/supple.h"
#include "volume/body/body.h"
#include "volume/weights/geodesic_weights.h"

#define MOST_JOINTS 40

typedef struct Input
{
	Shape shape;
	int32_t jointCount;
	supVec3 joints[MOST_JOINTS];
	int32_t parents[MOST_JOINTS];
} Input;

typedef struct Result
{
	supVoxels voxels;
	supBones bones;
	supBoneVoxels boneVoxels;
	supLayers layers;
	int32_t partCount;
	uint16_t* joints;
	float* weights;
} Result;

static void Build( Result* r, const Input* in, int32_t resolution )
{
	*r = ( Result ){ 0 };
	supError error = { 0 };
	const Shape* s = &in->shape;
	supVoxelsDef def = { resolution, s->vertexCount, s->positions, s->triangleCount, s->indices, NULL };
	testRequire( supVoxels_Init( &r->voxels, &def, &error ), &error );
	testRequire( supBones_Init( &r->bones, in->jointCount, in->joints, in->parents, &error ), &error );
	testRequire( supBoneVoxels_Init( &r->boneVoxels, &r->voxels, &r->bones, &error ), &error );
	supLayersDef layersDef = supDefaultLayersDef();
	testRequire( supLayers_Init( &r->layers, &r->voxels, &r->bones, &r->boneVoxels, &layersDef, &error ), &error );
	int32_t* parts = malloc( (size_t)r->voxels.count * sizeof( int32_t ) );
	assert_non_null( parts );
	r->partCount = supVoxels_FindParts( &r->voxels, parts );
	free( parts );
	size_t slots = (size_t)s->vertexCount * SUP_MAX_INFLUENCES;
	r->joints = malloc( slots * sizeof( uint16_t ) );
	r->weights = malloc( slots * sizeof( float ) );
	supGeodesicDef weightsDef = supDefaultGeodesicDef();
	weightsDef.voxels = &r->voxels;
	weightsDef.bones = &r->boneVoxels;
	weightsDef.pointCount = s->vertexCount;
	weightsDef.points = s->positions;
	testRequire( supComputeGeodesicWeights( &weightsDef, r->joints, r->weights, &error ), &error );
}

static void DestroyResult( Result* r )
{
	supVoxels_Destroy( &r->voxels );
	supBones_Destroy( &r->bones );
	supBoneVoxels_Destroy( &r->boneVoxels );
	supLayers_Destroy( &r->layers );
	free( r->joints );
	free( r->weights );
}

// ---------------------------------------------------------------------------------------------------------------------
// Motions that floats can do exactly: axes exchanged, signs changed, and a shift of a few binary digits

typedef struct Motion
{
	int32_t axes[3];
	float signs[3];
	supVec3 shift;
} Motion;

static const Motion s_motions[] = {
	{ { 0, 1, 2 }, { 1, 1, 1 }, { 4.0f, -2.0f, 8.0f } },   // moved
	{ { 1, 0, 2 }, { -1, 1, 1 }, { 0, 0, 0 } },            // turned about z
	{ { 0, 2, 1 }, { 1, -1, 1 }, { 0, 1.0f, 0 } },         // about x
	{ { 2, 1, 0 }, { 1, 1, -1 }, { -2.0f, 0, 0 } },        // about y
	{ { 1, 2, 0 }, { 1, 1, 1 }, { 0, 0, 2.0f } },          // about a diagonal
	{ { 0, 1, 2 }, { -1, 1, 1 }, { 0, 0, 0 } },            // mirrored
	{ { 2, 1, 0 }, { 1, 1, 1 }, { 0.5f, 0, 0 } },          // mirrored in a diagonal plane
	{ { 0, 1, 2 }, { -1, -1, -1 }, { 1.0f, 1.0f, 1.0f } }, // in a point
};

static supVec3 Move( const Motion* m, supVec3 p )
{
	const float from[3] = { p.x, p.y, p.z };
	supVec3 turned = { m->signs[0] * from[m->axes[0]], m->signs[1] * from[m->axes[1]], m->signs[2] * from[m->axes[2]] };
	return supAdd( turned, m->shift );
}

static bool IsMirror( const Motion* m )
{
	bool odd = m->axes[0] == 0 ? m->axes[1] == 2 : ( m->axes[0] == 1 ? m->axes[1] == 0 : m->axes[1] == 1 );
	return ( m->signs[0] * m->signs[1] * m->signs[2] < 0.0f ) != odd;
}

// Triangles stay counter-clockwise from outside.
static void MoveInput( const Motion* m, const Input* from, Input* to )
{
	*to = *from;
	to->shape = ( Shape ){ 0 };
	GrowShape( &to->shape, from->shape.vertexCount, from->shape.triangleCount );
	for ( int32_t i = 0; i < from->shape.vertexCount; ++i )
	{
		to->shape.positions[i] = Move( m, from->shape.positions[i] );
	}
	bool mirror = IsMirror( m );
	for ( int32_t i = 0; i < 3 * from->shape.triangleCount; ++i )
	{
		int32_t corner = mirror ? 3 * ( i / 3 ) + 2 - i % 3 : i;
		to->shape.indices[i] = from->shape.indices[corner];
	}
	for ( int32_t i = 0; i < from->jointCount; ++i )
	{
		to->joints[i] = Move( m, from->joints[i] );
	}
}

// The same voxel in the moved body.
static int32_t FindMoved( const Motion* m, const supVoxels* from, const supVoxels* to, supVoxelCell c )
{
	const int32_t n[3] = { from->nx, from->ny, from->nz }, cell[3] = { c.x, c.y, c.z };
	int32_t moved[3];
	for ( int32_t i = 0; i < 3; ++i )
	{
		int32_t axis = m->axes[i];
		moved[i] = m->signs[i] > 0.0f ? cell[axis] : n[axis] - 1 - cell[axis];
	}
	return supVoxels_Find( to, moved[0], moved[1], moved[2] );
}

static float WeightOf( const Result* r, int32_t vertex, int32_t bone )
{
	float sum = 0.0f;
	for ( int32_t k = SUP_MAX_INFLUENCES * vertex; k < SUP_MAX_INFLUENCES * ( vertex + 1 ); ++k )
	{
		sum += r->joints[k] == bone ? r->weights[k] : 0.0f;
	}
	return sum;
}

static void CheckMotions( const Input* input, int32_t resolution )
{
	Result rest;
	Build( &rest, input, resolution );
	for ( int32_t k = 0; k < SUP_COUNT( s_motions ); ++k )
	{
		const Motion* m = s_motions + k;
		Input movedInput;
		Result moved;
		MoveInput( m, input, &movedInput );
		Build( &moved, &movedInput, resolution );
		assert_int_equal( moved.voxels.count, rest.voxels.count );
		assert_int_equal( moved.voxels.surfaceCount, rest.voxels.surfaceCount );
		assert_int_equal( moved.partCount, rest.partCount );
		assert_int_equal( moved.boneVoxels.anchoredParts, rest.boneVoxels.anchoredParts );
		assert_int_equal( moved.boneVoxels.lostCount, rest.boneVoxels.lostCount );
		for ( int32_t i = 0; i < rest.voxels.count; ++i )
		{
			int32_t j = FindMoved( m, &rest.voxels, &moved.voxels, rest.voxels.cells[i] );
			testGreaterEqual( j, 0 );
			assert_int_equal( moved.voxels.isSurface[j], rest.voxels.isSurface[i] );
			assert_int_equal( moved.layers.layers[j], rest.layers.layers[i] );
			assert_int_equal( moved.layers.depths[j], rest.layers.depths[i] );
			assert_int_equal( moved.layers.bones[j], rest.layers.bones[i] );
		}
		for ( int32_t v = 0; v < input->shape.vertexCount; ++v )
		{
			for ( int32_t bone = 0; bone < input->jointCount; ++bone )
			{
				testLess( fabsf( WeightOf( &moved, v, bone ) - WeightOf( &rest, v, bone ) ), 1e-4f );
			}
		}
		DestroyResult( &moved );
		FreeShape( &movedInput.shape );
	}
	DestroyResult( &rest );
}

// ---------------------------------------------------------------------------------------------------------------------

// Few enough binary digits that every motion is exact.
static supVec3 Snap( supVec3 p )
{
	return supMakeVec3( roundf( p.x * 4096.0f ) / 4096.0f, roundf( p.y * 4096.0f ) / 4096.0f,
						roundf( p.z * 4096.0f ) / 4096.0f );
}

static void TestRandomSoups( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 77 );
	for ( int32_t round = 0; round < 6; ++round )
	{
		Input input = { .jointCount = 5 };
		GrowShape( &input.shape, 60, 24 );
		for ( int32_t i = 0; i < 60; ++i )
		{
			input.shape.positions[i] = Snap( testRandomVec3( &random, 1.0f ) );
		}
		for ( int32_t i = 0; i < 72; ++i )
		{
			input.shape.indices[i] = testRandomInt( &random, 60 );
		}
		for ( int32_t i = 0; i < 5; ++i )
		{
			input.joints[i] = Snap( testRandomVec3( &random, 0.6f ) );
			input.parents[i] = i == 0 ? -1 : (int32_t)testRandomInt( &random, (uint32_t)i );
		}
		CheckMotions( &input, 9 + round );
		FreeShape( &input.shape );
	}
}

static void TestCharacter( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube5" )->create( &error );
	testRequire( character != NULL, &error );
	supRestSurface surface = { 0 };
	supBones bones = { 0 };
	testRequire( supRestSurface_Init( &surface, character, NULL, &error ), &error );
	testRequire( supBones_InitCharacter( &bones, character, &error ), &error );
	testLessEqual( bones.count, MOST_JOINTS );
	Input input = { .jointCount = bones.count };
	GrowShape( &input.shape, surface.vertexCount, surface.triangleCount );
	for ( int32_t i = 0; i < surface.vertexCount; ++i )
	{
		// off the axis, so that nothing lies on the borders of voxels
		supVec3 p = surface.positions[i];
		input.shape.positions[i] = Snap( supAdd( p, supMakeVec3( 0.03f * p.y, 0.05f * p.x * p.x, 0.11f * p.x ) ) );
	}
	memcpy( input.shape.indices, surface.indices, 3 * (size_t)surface.triangleCount * sizeof( uint32_t ) );
	for ( int32_t i = 0; i < bones.count; ++i )
	{
		supVec3 p = bones.joints[i];
		input.joints[i] = Snap( supAdd( p, supMakeVec3( 0.03f * p.y, 0.05f * p.x * p.x, 0.11f * p.x ) ) );
		input.parents[i] = bones.parents[i];
	}
	CheckMotions( &input, 32 );
	FreeShape( &input.shape );
	supBones_Destroy( &bones );
	supRestSurface_Destroy( &surface );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestRandomSoups ),
		cmocka_unit_test( TestCharacter ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
