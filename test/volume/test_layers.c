// SPDX-License-Identifier: MIT
#include "shapes.h"

#include "core/core.h"
#include "supple/supple.h"
#include "volume/body/layers.h"
#include "volume/body/rest_surface.h"

typedef struct Body
{
	supVoxels voxels;
	supBones bones;
	supBoneVoxels boneVoxels;
} Body;

static void MakeBody( Body* body, Shape* shape, int32_t resolution, const supVec3* joints, const int32_t* parents,
					  int32_t jointCount )
{
	supError error = { 0 };
	*body = ( Body ){ 0 };
	supVoxelsDef def = { resolution, shape->vertexCount, shape->positions, shape->triangleCount, shape->indices, NULL };
	testRequire( supVoxels_Init( &body->voxels, &def, &error ), &error );
	testRequire( supBones_Init( &body->bones, jointCount, joints, parents, &error ), &error );
	testRequire( supBoneVoxels_Init( &body->boneVoxels, &body->voxels, &body->bones, &error ), &error );
	FreeShape( shape );
}

static void DestroyBody( Body* body )
{
	supVoxels_Destroy( &body->voxels );
	supBones_Destroy( &body->bones );
	supBoneVoxels_Destroy( &body->boneVoxels );
}

static supLayers MakeLayers( const Body* body, const supLayersDef* def )
{
	supLayers layers = { 0 };
	supError error = { 0 };
	testRequire( supLayers_Init( &layers, &body->voxels, &body->bones, &body->boneVoxels, def, &error ), &error );
	return layers;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bones

// By clipping, another way to the same answer; -1 where too near to call.
static int ClipSegment( const supSegment* s, supBox box )
{
	double t0 = 0.0, t1 = 1.0;
	const double a[3] = { s->a.x, s->a.y, s->a.z }, b[3] = { s->b.x, s->b.y, s->b.z };
	const double lower[3] = { box.lower.x, box.lower.y, box.lower.z };
	const double upper[3] = { box.upper.x, box.upper.y, box.upper.z };
	for ( int i = 0; i < 3; ++i )
	{
		double d = b[i] - a[i];
		if ( d == 0.0 )
		{
			if ( a[i] < lower[i] || a[i] > upper[i] )
			{
				return 0;
			}
			continue;
		}
		double u = ( lower[i] - a[i] ) / d, v = ( upper[i] - a[i] ) / d;
		t0 = fmax( t0, fmin( u, v ) );
		t1 = fmin( t1, fmax( u, v ) );
	}
	return fabs( t1 - t0 ) < 1e-12 ? -1 : t1 > t0;
}

static void TestSegmentAndBox( void** state )
{
	(void)state;
	testRandom random = testMakeRandom( 1 );
	int hits = 0;
	for ( int i = 0; i < 200000; ++i )
	{
		supSegment s = { testRandomVec3( &random, 2.0f ), testRandomVec3( &random, 2.0f ) };
		if ( i % 3 == 0 )
		{
			s.b.x = s.a.x;
			s.b.y = i % 6 == 0 ? s.a.y : s.b.y;
		}
		supBox box = supBox_Include( supBox_empty, testRandomVec3( &random, 1.0f ) );
		box = supBox_Include( box, testRandomVec3( &random, 1.0f ) );
		int expected = ClipSegment( &s, box );
		assert_true( expected < 0 || supSegmentOverlapsBox( &s, box ) == ( expected == 1 ) );
		hits += expected == 1;
	}
	assert_in_range( hits, 5000, 195000 );
	// touching, and a point
	supBox unit = { supVec3_zero, supVec3_one };
	assert_true( supSegmentOverlapsBox( &( supSegment ){ { 1, -1, 0.5f }, { 1, 3, 0.5f } }, unit ) );
	assert_true( supSegmentOverlapsBox( &( supSegment ){ { 0, 2, 0 }, { 2, 0, 0 } }, unit ) );
	assert_true( supSegmentOverlapsBox( &( supSegment ){ { 1, 1, 1 }, { 1, 1, 1 } }, unit ) );
	assert_false( supSegmentOverlapsBox( &( supSegment ){ { 0, 2.001f, 0 }, { 2.001f, 0, 0 } }, unit ) );
	assert_false( supSegmentOverlapsBox( &( supSegment ){ { 1.5f, 1, 1 }, { 1.5f, 1, 1 } }, unit ) );
}

static void TestBonesOfJoints( void** state )
{
	(void)state;
	// children before their parents are fine
	const supVec3 joints[] = { { 3, 0, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 2, 0 } };
	const int32_t parents[] = { 2, -1, 1, 1 };
	supBones bones = { 0 };
	supError error = { 0 };
	testRequire( supBones_Init( &bones, 4, joints, parents, &error ), &error );
	const supSegment expected[] = { { { 3, 0, 0 }, { 4, 0, 0 } },
									{ { 0, 0, 0 }, { 1, 0, 0 } },
									{ { 0, 0, 0 }, { 0, 2, 0 } },
									{ { 1, 0, 0 }, { 3, 0, 0 } },
									{ { 0, 2, 0 }, { 0, 3, 0 } } };
	assert_int_equal( bones.segmentStarts[4], 5 );
	assert_int_equal( bones.segmentStarts[1], 1 );
	assert_int_equal( bones.segmentStarts[2], 3 );
	assert_memory_equal( bones.segments, expected, sizeof( expected ) );
	supBones_Destroy( &bones );

	const int32_t circle[] = { 2, -1, 3, 0 };
	assert_false( supBones_Init( &bones, 4, joints, circle, &error ) );
	assert_non_null( strstr( error.message, "its own ancestor" ) );
	const int32_t own[] = { 0, -1, 1, 1 };
	assert_false( supBones_Init( &bones, 4, joints, own, &error ) );
	const int32_t absent[] = { 4, -1, 1, 1 };
	assert_false( supBones_Init( &bones, 4, joints, absent, &error ) );
	assert_false( supBones_Init( &bones, 0, joints, parents, &error ) );
	const supVec3 bad[] = { { NAN, 0, 0 } };
	assert_false( supBones_Init( &bones, 1, bad, ( int32_t[] ){ -1 }, &error ) );
	assert_null( bones.segments );
}

static void TestVoxelsOfBones( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( 0, 0, 0 ), supMakeVec3( 2, 1, 1 ) );
	// an eye that touches nothing, nearest to the second bone
	AddBox( &shape, supMakeVec3( 1.6f, 1.5f, 0.4f ), supMakeVec3( 1.8f, 1.7f, 0.6f ) );
	const supVec3 joints[] = {
		{ 0.1f, 0.45f, 0.55f }, { 1, 0.45f, 0.55f }, { 1.9f, 0.45f, 0.55f }, { 5, -5, 5 }, { 6, 5, 5 }
	};
	const int32_t parents[] = { -1, 0, 1, 2, 3 };
	Body body;
	MakeBody( &body, &shape, 40, joints, parents, 5 );
	const supBoneVoxels* bv = &body.boneVoxels;
	assert_int_equal( bv->anchoredParts, 1 );
	// beyond the body, and the way there starts inside
	assert_int_equal( bv->lostCount, 2 );
	assert_int_equal( bv->lost[0], 3 );
	for ( int32_t bone = 0; bone < 3; ++bone )
	{
		for ( int32_t i = 0; i < body.voxels.count; ++i )
		{
			supBox box = supVoxels_Box( &body.voxels, body.voxels.cells[i], body.voxels.cells[i] );
			bool expected = supSegmentOverlapsBox( body.bones.segments + bone, box );
			bool found = false;
			for ( int32_t k = bv->starts[bone]; k < bv->starts[bone + 1]; ++k )
			{
				found = found || bv->voxels[k] == i;
			}
			assert_true( found == expected || ( found && box.lower.y > 1.4f && bone == 1 ) );
		}
	}
	DestroyBody( &body );
}

// The root between the feet moves the whole, not the flesh around the line from it to the hips.
static void TestRootOutside( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( 0, 1, 0 ), supMakeVec3( 1, 2, 1 ) );
	const supVec3 joints[] = { { 0.5f, 0, 0.5f }, { 0.5f, 1.4f, 0.5f }, { 0.5f, 1.7f, 0.5f } };
	const int32_t parents[] = { -1, 0, 1 };
	Body body;
	MakeBody( &body, &shape, 20, joints, parents, 3 );
	assert_int_equal( body.boneVoxels.lostCount, 1 );
	assert_int_equal( body.boneVoxels.lost[0], 0 );
	assert_false( body.boneVoxels.isOutside );
	DestroyBody( &body );

	// a skeleton somewhere else: the body hangs on the nearest bone, and callers can tell
	AddBox( &shape, supMakeVec3( 90, 1, 0 ), supMakeVec3( 91, 2, 1 ) );
	supVoxelsDef def = { 20, shape.vertexCount, shape.positions, shape.triangleCount, shape.indices, NULL };
	supError error = { 0 };
	testRequire( supVoxels_Init( &body.voxels, &def, &error ), &error );
	testRequire( supBones_Init( &body.bones, 3, joints, parents, &error ), &error );
	testRequire( supBoneVoxels_Init( &body.boneVoxels, &body.voxels, &body.bones, &error ), &error );
	assert_true( body.boneVoxels.isOutside );
	assert_int_equal( body.boneVoxels.anchoredParts, 1 );
	DestroyBody( &body );
	FreeShape( &shape );
}

// ---------------------------------------------------------------------------------------------------------------------
// Layers

// A bar of 21 x 21 voxels with a bone along its middle. Across it, everything is known.
static void MakeBar( Body* body, Shape* shape )
{
	AddBox( shape, supMakeVec3( 0, 0, 0 ), supMakeVec3( 63, 21, 21 ) );
	const supVec3 joints[] = { { 15.5f, 10.5f, 10.5f }, { 31.5f, 10.5f, 10.5f }, { 45.5f, 10.5f, 10.5f } };
	const int32_t parents[] = { -1, 0, 1 };
	MakeBody( body, shape, 63, joints, parents, 3 );
	assert_int_equal( body->voxels.count, 63 * 21 * 21 );
}

static void TestAcrossABar( void** state )
{
	(void)state;
	Body body;
	Shape shape = { 0 };
	MakeBar( &body, &shape );
	// from the bone at 10 up to the skin at 20: nine between
	const float shares[] = { 2, 1 };
	supLayersDef def = supDefaultLayersDef();
	def.shares = shares;
	supLayers layers = MakeLayers( &body, &def );
	const int expected[] = { 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3 };
	for ( int32_t i = 0; i <= 10; ++i )
	{
		assert_int_equal( layers.layers[supVoxels_Find( &body.voxels, 20, 10 + i, 10 )], expected[i] );
		assert_int_equal( layers.layers[supVoxels_Find( &body.voxels, 20, 10, 10 - i )], expected[i] );
		assert_int_equal( layers.depths[supVoxels_Find( &body.voxels, 20, 10 + i, 10 )], 10 - i );
	}
	assert_int_equal( layers.counts[0] + layers.counts[1] + layers.counts[2] + layers.counts[3], body.voxels.count );
	assert_int_equal( layers.counts[3], 63 * 21 * 21 - 61 * 19 * 19 );
	supLayers_Destroy( &layers );

	// wider bone: seven between, in five layers
	def = supDefaultLayersDef();
	def.boneWidth = 2;
	def.layerCount = 9;
	layers = MakeLayers( &body, &def );
	const int wide[] = { 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	for ( int32_t i = 0; i <= 10; ++i )
	{
		assert_int_equal( layers.layers[supVoxels_Find( &body.voxels, 20, 10, 10 + i )], wide[i] );
	}
	supLayers_Destroy( &layers );

	// a bone wider than the body ends below the skin; two layers have nothing between
	def.boneWidth = 100;
	layers = MakeLayers( &body, &def );
	assert_int_equal( layers.counts[0], 61 * 19 * 19 );
	supLayers_Destroy( &layers );
	def = supDefaultLayersDef();
	def.layerCount = 2;
	layers = MakeLayers( &body, &def );
	assert_int_equal( layers.counts[0], 61 * 19 * 19 );
	supLayers_Destroy( &layers );
	DestroyBody( &body );
}

static void TestBodyParts( void** state )
{
	(void)state;
	Body body;
	Shape shape = { 0 };
	MakeBar( &body, &shape );
	const float lean[] = { 9, 0 }, fat[] = { 0, 9 };
	const supLayerPart parts[] = { { 0, 1, lean }, { 2, 4, fat } };
	supLayersDef def = supDefaultLayersDef();
	def.partCount = 2;
	def.parts = parts;
	supLayers layers = MakeLayers( &body, &def );
	const int first[] = { 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 3 };
	const int second[] = { 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3 };
	const int third[] = { 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 3 };
	for ( int32_t i = 0; i <= 10; ++i )
	{
		assert_int_equal( layers.layers[supVoxels_Find( &body.voxels, 18, 10, 10 + i )], first[i] );
		assert_int_equal( layers.layers[supVoxels_Find( &body.voxels, 36, 10, 10 + i )], second[i] );
		assert_int_equal( layers.layers[supVoxels_Find( &body.voxels, 49, 10, 10 + i )], third[i] );
	}
	int32_t sum = layers.boneCounts[0] + layers.boneCounts[1] + layers.boneCounts[2];
	assert_int_equal( sum, body.voxels.count );
	supLayers_Destroy( &layers );
	DestroyBody( &body );
}

// An arm one voxel thin on a body: the bone wins in the arm, and nowhere else is the surface anything but skin.
static void TestThinLimb( void** state )
{
	(void)state;
	Body body;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( 0.01f, 0.01f, 0.01f ), supMakeVec3( 9.99f, 9.99f, 9.99f ) );
	AddBox( &shape, supMakeVec3( 9.0f, 5.3f, 5.3f ), supMakeVec3( 29.99f, 5.7f, 5.7f ) );
	const supVec3 joints[] = { { 3, 5.5f, 5.5f }, { 8, 5.5f, 5.5f }, { 20, 5.5f, 5.5f } };
	const int32_t parents[] = { -1, 0, 1 };
	MakeBody( &body, &shape, 30, joints, parents, 3 );
	supLayersDef def = supDefaultLayersDef();
	def.boneWidth = 1;
	supLayers layers = MakeLayers( &body, &def );
	const supVoxels* v = &body.voxels;
	for ( int32_t i = 0; i < v->count; ++i )
	{
		supVoxelCell c = v->cells[i];
		if ( c.x > 9 )
		{
			// the stub of the last joint ends at 26
			assert_int_equal( layers.layers[i], c.x <= 26 ? 0 : 3 );
		}
		else if ( layers.depths[i] == 0 )
		{
			bool passed = c.x == 9 && c.y == 5 && c.z == 5;
			assert_int_equal( layers.layers[i], passed ? 0 : 3 );
		}
		else
		{
			assert_int_not_equal( layers.layers[i], 3 );
		}
	}
	supLayers_Destroy( &layers );
	DestroyBody( &body );
}

// A limb two voxels thick with its bone on the border of all four columns, give or take the noise of a rig: one column
// is bone and the others are skin. Deep inside, both sides of a border are bone.
static void TestBoneOnABorder( void** state )
{
	(void)state;
	for ( int k = 0; k < 2; ++k )
	{
		float width = k == 0 ? 2.0f : 6.0f;
		Body body;
		Shape shape = { 0 };
		AddBox( &shape, supMakeVec3( 0.01f, 0.01f, 0.01f ), supMakeVec3( 29.99f, width - 0.01f, width - 0.01f ) );
		float m = 0.5f * width;
		const supVec3 joints[] = { { 2, m, m }, { 10, m - 1e-5f, m }, { 20, m + 1e-5f, m - 1e-5f } };
		const int32_t parents[] = { -1, 0, 1 };
		MakeBody( &body, &shape, 30, joints, parents, 3 );
		supLayersDef def = supDefaultLayersDef();
		supLayers layers = MakeLayers( &body, &def );
		int32_t bones = 0;
		for ( int32_t i = 0; i < body.voxels.count; ++i )
		{
			int32_t x = body.voxels.cells[i].x;
			bones += x >= 4 && x < 20 && layers.layers[i] == 0 ? 1 : 0;
		}
		// where the bone passes from one side of the border to the other, not all of the deep ones are touched
		assert_in_range( bones, k == 0 ? 16 : 24, k == 0 ? 16 : 64 );
		supLayers_Destroy( &layers );
		DestroyBody( &body );
	}
}

// Two joints in one voxel: the second has none left, and the advice is right.
static void TestTooCoarse( void** state )
{
	(void)state;
	Shape shape = { 0 };
	const supVec3 joints[] = { { 5, 5, 5 }, { 5.01f, 5, 5 }, { 5.3f, 5, 5 } };
	const int32_t parents[] = { -1, 0, 1 };
	int32_t suggested = 8;
	for ( int round = 0; round < 2; ++round )
	{
		Body body;
		AddBox( &shape, supMakeVec3( 0, 0, 0 ), supMakeVec3( 10, 10, 10 ) );
		MakeBody( &body, &shape, suggested, joints, parents, 3 );
		supLayersDef def = supDefaultLayersDef();
		supLayers layers = MakeLayers( &body, &def );
		assert_int_equal( layers.boneCounts[1] > 0, round == 1 );
		suggested = supSuggestResolution( &body.voxels, &body.bones, 1 );
		assert_in_range( suggested, 68, 70 );
		assert_int_equal( supSuggestResolution( &body.voxels, &body.bones, 0 ), SUP_MAX_VOXEL_RESOLUTION );
		supLayers_Destroy( &layers );
		DestroyBody( &body );
	}
}

static void TestBadSettings( void** state )
{
	(void)state;
	Body body;
	Shape shape = { 0 };
	MakeBar( &body, &shape );
	supLayers layers = { 0 };
	supError error = { 0 };
	const float negative[] = { 1, -1 }, zero[] = { 0, 0 };
	const supLayerPart noBone = { 3, 0, NULL }, badShares = { 0, 0, zero }, badWidth = { 0, -2, NULL };
	const supLayersDef defs[] = { { .layerCount = 1 },
								  { .layerCount = 17 },
								  { .layerCount = 4, .boneWidth = -1 },
								  { .layerCount = 4, .shares = negative },
								  { .layerCount = 4, .shares = zero },
								  { .layerCount = 4, .partCount = 1, .parts = &noBone },
								  { .layerCount = 4, .partCount = 1, .parts = &badShares },
								  { .layerCount = 4, .partCount = 1, .parts = &badWidth } };
	for ( int32_t i = 0; i < SUP_COUNT( defs ); ++i )
	{
		assert_false( supLayers_Init( &layers, &body.voxels, &body.bones, &body.boneVoxels, defs + i, &error ) );
		assert_int_equal( error.code, sup_errorArgument );
		assert_null( layers.layers );
	}
	DestroyBody( &body );
}

static bool Attempt( void* context )
{
	const supVoxels* voxels = context;
	const supVec3 joints[] = { { 0.2f, 0.5f, 0.5f }, { 0.8f, 0.5f, 0.5f } };
	const int32_t parents[] = { -1, 0 };
	supBones bones = { 0 };
	supBoneVoxels boneVoxels = { 0 };
	supLayers layers = { 0 };
	supError error = { 0 };
	supLayersDef def = supDefaultLayersDef();
	bool ok = supBones_Init( &bones, 2, joints, parents, &error ) &&
			  supBoneVoxels_Init( &boneVoxels, voxels, &bones, &error ) &&
			  supLayers_Init( &layers, voxels, &bones, &boneVoxels, &def, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supLayers_Destroy( &layers );
	supBoneVoxels_Destroy( &boneVoxels );
	supBones_Destroy( &bones );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supVec3_zero, supVec3_one );
	supVoxels voxels = { 0 };
	supError error = { 0 };
	supVoxelsDef def = { 10, shape.vertexCount, shape.positions, shape.triangleCount, shape.indices, NULL };
	testRequire( supVoxels_Init( &voxels, &def, &error ), &error );
	testEachAllocationFailure( Attempt, &voxels, 100 );
	supVoxels_Destroy( &voxels );
	FreeShape( &shape );
}

// ---------------------------------------------------------------------------------------------------------------------
// Real characters

static void TestRealCharacters( void** state )
{
	(void)state;
	static const char* const paths[] = {
		"characters/Alien/Alien.gltf",      "characters/Yeti/Yeti.gltf", "characters/kaiju-animations.glb",
		"characters/spider-animations.glb", "characters/m2m-human.glb",  "characters/human-bunny.glb",
	};
	for ( int32_t i = 0; i < SUP_COUNT( paths ); ++i )
	{
		supError error = { 0 };
		supCharacter* character = supLoadCharacter( testAsset( paths[i] ), &error );
		testRequire( character != NULL, &error );
		supRestSurface surface = { 0 };
		testRequire( supRestSurface_Init( &surface, character, NULL, &error ), &error );
		Body body = { 0 };
		supVoxelsDef def = { 64, surface.vertexCount, surface.positions, surface.triangleCount, surface.indices, NULL };
		testRequire( supVoxels_Init( &body.voxels, &def, &error ), &error );
		testRequire( supBones_InitCharacter( &body.bones, character, &error ), &error );
		testRequire( supBoneVoxels_Init( &body.boneVoxels, &body.voxels, &body.bones, &error ), &error );
		supLayersDef layersDef = supDefaultLayersDef();
		supLayers layers = MakeLayers( &body, &layersDef );
		print_message( "%s: %d bones (%d outside), anchored parts %d; bone %d, muscle %d, fat %d, skin %d\n", paths[i],
					   body.bones.count, body.boneVoxels.lostCount, body.boneVoxels.anchoredParts, layers.counts[0],
					   layers.counts[1], layers.counts[2], layers.counts[3] );
		for ( int32_t k = 0; k < 4; ++k )
		{
			testGreater( layers.counts[k], 0 );
		}
		// nothing soft has a face to the outside
		const supVoxels* v = &body.voxels;
		for ( int32_t k = 0; k < v->count; ++k )
		{
			bool isSoft = layers.layers[k] == 1 || layers.layers[k] == 2;
			for ( int32_t n = 0; isSoft && n < 6; ++n )
			{
				supVoxelCell c = v->cells[k], o = supVoxelOffsets[n];
				testGreaterEqual( supVoxels_Find( v, c.x + o.x, c.y + o.y, c.z + o.z ), 0 );
			}
		}
		supLayers_Destroy( &layers );
		DestroyBody( &body );
		supRestSurface_Destroy( &surface );
		supDestroyCharacter( character );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSegmentAndBox ), cmocka_unit_test( TestBonesOfJoints ),
		cmocka_unit_test( TestVoxelsOfBones ), cmocka_unit_test( TestRootOutside ),
		cmocka_unit_test( TestAcrossABar ),    cmocka_unit_test( TestBodyParts ),
		cmocka_unit_test( TestThinLimb ),      cmocka_unit_test( TestBoneOnABorder ),
		cmocka_unit_test( TestTooCoarse ),     cmocka_unit_test( TestBadSettings ),
		cmocka_unit_test( TestOutOfMemory ),   cmocka_unit_test( TestRealCharacters ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
