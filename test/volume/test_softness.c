// SPDX-License-Identifier: MIT
// Where flesh is soft, and what it is made of.
// labels: threads
// threads: TestThreads
#include "shapes.h"
#include "support.h"

#include "volume/body/tissue.h"
#include "volume/softness/softness.h"

// ---------------------------------------------------------------------------------------------------------------------
// Bodies

typedef struct Body
{
	supCharacter* character;
	supRestSurface surface;
	supBones bones;
} Body;

// A shape with a chain of nodes along the given joints; `softness` (may be NULL) is painted.
static void OpenShape( Body* body, const Shape* shape, const supVec3* joints, int32_t jointCount,
					   const float* softness )
{
	*body = ( Body ){ 0 };
	supNode nodes[8];
	supVec3 before = supVec3_zero;
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		nodes[i] = ( supNode ){ .name = i == 0 ? "root" : "end", .parent = i - 1, .rest = supTransform_identity };
		nodes[i].rest.translation = supSub( joints[i], before );
		before = joints[i];
	}
	nodes[jointCount] = ( supNode ){ .name = "skin", .parent = -1, .rest = supTransform_identity };
	supMesh mesh = { .vertexCount = shape->vertexCount,
					 .positions = shape->positions,
					 .indexCount = 3 * shape->triangleCount,
					 .indices = shape->indices,
					 .softness = softness };
	uint16_t* skinJoints = calloc( (size_t)shape->vertexCount, sizeof( uint16_t ) );
	float* weights = calloc( (size_t)shape->vertexCount, sizeof( float ) );
	assert_non_null( skinJoints );
	assert_non_null( weights );
	for ( int32_t i = 0; i < shape->vertexCount; ++i )
	{
		weights[i] = 1.0f;
	}
	mesh.influences = 1;
	mesh.joints = skinJoints;
	mesh.weights = weights;
	int32_t all[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	supMat34 binds[8];
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		binds[i] = supMat34_identity;
		binds[i].t = supNeg( joints[i] );
	}
	supSkin skin = { .name = "skin", .jointCount = jointCount, .joints = all, .inverseBinds = binds };
	supInstance instance = { .node = jointCount, .mesh = 0, .skin = 0 };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = jointCount + 1;
	def.nodes = nodes;
	def.meshCount = 1;
	def.meshes = &mesh;
	def.skinCount = 1;
	def.skins = &skin;
	def.instanceCount = 1;
	def.instances = &instance;
	supError error = { 0 };
	body->character = supCreateCharacter( &def, &error );
	testRequire( body->character != NULL, &error );
	testRequire( supRestSurface_Init( &body->surface, body->character, NULL, &error ), &error );
	testRequire( supBones_InitCharacter( &body->bones, body->character, &error ), &error );
	free( skinJoints );
	free( weights );
}

static void Close( Body* body )
{
	supBones_Destroy( &body->bones );
	supRestSurface_Destroy( &body->surface );
	supDestroyCharacter( body->character );
}

static supSoftnessDef MakeDef( const Body* body, const supSoftRegion* regions, int32_t count )
{
	return ( supSoftnessDef ){ .character = body->character,
							   .surface = &body->surface,
							   .bones = &body->bones,
							   .regions = regions,
							   .regionCount = count,
							   .resolution = 40 };
}

static void Soften( supSoftness* softness, const Body* body, const supSoftRegion* regions, int32_t count )
{
	supSoftnessDef def = MakeDef( body, regions, count );
	supError error = { 0 };
	*softness = ( supSoftness ){ 0 };
	testRequire( supSoftness_Init( softness, &def, &error ), &error );
	for ( int32_t i = 0; i < softness->voxels.count; ++i )
	{
		testGreaterEqual( softness->softness[i], 0.0f );
		testLessEqual( softness->softness[i], 1.0f );
		testGreaterEqual( softness->boneDistances[i], 0.0f );
		testLess( softness->boneDistances[i], INFINITY );
		assert_in_range( softness->regions[i], 0, count > 0 ? count - 1 : 0 );
	}
}

static float At( const supSoftness* softness, float x, float y, float z )
{
	return supSoftness_Sample( softness, supMakeVec3( x, y, z ) ).softness;
}

// A ball of radius 1 with a short bone in its middle along z.
static void OpenBall( Body* body, const float* paint )
{
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 24 );
	const supVec3 joints[2] = { { 0.0f, 0.0f, -0.05f }, { 0.0f, 0.0f, 0.05f } };
	OpenShape( body, &shape, joints, 2, paint );
	FreeShape( &shape );
}

// ---------------------------------------------------------------------------------------------------------------------
// Distances

// In a ball with a bone through its middle, from end to end, the distance to the bone is that to the axis. The tube
// around a corner is measured around the corner.
static void TestBoneDistances( void** state )
{
	(void)state;
	Body body;
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 24 );
	const supVec3 joints[3] = { { 0.0f, -0.9f, 0.0f }, { 0.0f, 0.8f, 0.0f }, { 0.0f, 0.9f, 0.0f } };
	OpenShape( &body, &shape, joints, 3, NULL );
	supSoftness softness;
	Soften( &softness, &body, NULL, 0 );
	testRandom random = testMakeRandom( 1 );
	for ( int32_t i = 0; i < 500; ++i )
	{
		supVec3 p = testRandomVec3( &random, 0.6f );
		supSoftPoint point = supSoftness_Sample( &softness, p );
		float expected = sqrtf( p.x * p.x + p.z * p.z );
		// a voxel is 0.05; interpolation cuts the kink at the axis
		testLess( fabsf( point.boneDistance - expected ), 0.02f );
		float across = sqrtf( 1.0f - p.y * p.y );
		testLess( fabsf( point.thickness - across ), 0.12f );
	}
	supSoftness_Destroy( &softness );
	Close( &body );
	FreeShape( &shape );

	// a U: two bars and a bridge at the bottom; the bone is in the left bar
	AddBox( &shape, supMakeVec3( -0.5f, 0.0f, 0.0f ), supMakeVec3( -0.3f, 1.0f, 0.2f ) );
	AddBox( &shape, supMakeVec3( 0.3f, 0.0f, 0.0f ), supMakeVec3( 0.5f, 1.0f, 0.2f ) );
	AddBox( &shape, supMakeVec3( -0.5f, -0.2f, 0.0f ), supMakeVec3( 0.5f, 0.0f, 0.2f ) );
	const supVec3 left[2] = { { -0.4f, 0.05f, 0.1f }, { -0.4f, 0.65f, 0.1f } };
	OpenShape( &body, &shape, left, 2, NULL );
	Soften( &softness, &body, NULL, 0 );
	float around = supSoftness_Sample( &softness, supMakeVec3( 0.4f, 0.9f, 0.1f ) ).boneDistance;
	// straight it is 0.8; through the bridge about 1.75
	testGreater( around, 1.5f );
	testLess( around, 2.0f );
	supSoftness_Destroy( &softness );
	Close( &body );
	FreeShape( &shape );
}

// ---------------------------------------------------------------------------------------------------------------------
// Regions

// A cap at the top is selected: flesh between it and the bone is soft where it is farther from the bone than the mean,
// firm near the bone, and everything elsewhere is firm.
static void TestBetween( void** state )
{
	(void)state;
	Body body;
	OpenBall( &body, NULL );
	supSoftRegion region = supDefaultSoftRegion();
	region.name = "top";
	region.shape = sup_softSphere;
	region.center = supMakeVec3( 0.0f, 1.0f, 0.0f );
	region.radius = 0.5f;
	region.border = 0.1f;
	region.softness = 0.8f;
	supSoftness softness;
	Soften( &softness, &body, &region, 1 );
	assert_false( softness.isAutomatic );
	// in a cone from the middle the mean distance is 3/4 of the radius: the ramp goes from 0.375 to 1.125
	testLess( At( &softness, 0.0f, 0.2f, 0.0f ), 0.02f );
	float expected = 0.8f * ( 3.0f - 2.0f * 0.7f ) * 0.7f * 0.7f; // at 0.9: 0.7 of the ramp
	testLess( fabsf( At( &softness, 0.0f, 0.9f, 0.0f ) - expected ), 0.08f );
	float before = 0.0f;
	for ( int32_t i = 1; i <= 20; ++i )
	{
		float now = At( &softness, 0.0f, 0.05f * (float)i - 0.025f, 0.0f );
		testGreaterEqual( now, before - 1e-3f );
		before = now;
	}
	// between the cap's rim (30 degrees off) and the bone as well, but not outside of the cone
	testGreater( At( &softness, 0.4f, 0.8f, 0.0f ), 0.3f );
	testLess( At( &softness, 0.8f, 0.4f, 0.0f ), 0.02f );
	assert_true( At( &softness, 0.0f, -0.9f, 0.0f ) == 0.0f );
	// no steps: over half a voxel it changes by little
	testRandom random = testMakeRandom( 2 );
	for ( int32_t i = 0; i < 2000; ++i )
	{
		supVec3 p = testRandomVec3( &random, 0.57f );
		supVec3 q = supAdd( p, testRandomVec3( &random, 0.0144f ) );
		float difference = supSoftness_Sample( &softness, p ).softness - supSoftness_Sample( &softness, q ).softness;
		testLess( fabsf( difference ), 0.12f );
	}
	supSoftness_Destroy( &softness );
	Close( &body );
}

// Painted, a list of vertices and a sphere that mean the same cap agree, but for their borders.
static void TestShapesAgree( void** state )
{
	(void)state;
	Body body;
	OpenBall( &body, NULL );
	int32_t count = body.surface.vertexCount, listed = 0;
	float* paint = calloc( (size_t)count, sizeof( float ) );
	int32_t* vertices = calloc( (size_t)count, sizeof( int32_t ) );
	assert_non_null( paint );
	assert_non_null( vertices );
	for ( int32_t i = 0; i < count; ++i )
	{
		if ( supDistance( body.surface.positions[i], supMakeVec3( 0.0f, 1.0f, 0.0f ) ) < 0.7f )
		{
			paint[i] = 1.0f;
			vertices[listed++] = i;
		}
	}
	Close( &body );
	OpenBall( &body, paint );
	assert_true( supIsPainted( body.character ) );
	supSoftRegion regions[3] = { supDefaultSoftRegion(), supDefaultSoftRegion(), supDefaultSoftRegion() };
	regions[1].shape = sup_softVertices;
	regions[1].vertexCount = listed;
	regions[1].vertices = vertices;
	regions[1].border = 0.1f;
	regions[2].shape = sup_softSphere;
	regions[2].center = supMakeVec3( 0.0f, 1.0f, 0.0f );
	regions[2].radius = 0.7f;
	regions[2].border = 0.1f;
	supSoftness each[4];
	for ( int32_t i = 0; i < 4; ++i )
	{
		// the last: nothing given, so what is painted
		Soften( each + i, &body, regions + ( i < 3 ? i : 0 ), i < 3 ? 1 : 0 );
		assert_false( each[i].isAutomatic );
		testGreater( At( each + i, 0.0f, 0.95f, 0.0f ), 0.6f );
		testGreater( At( each + i, 0.3f, 0.9f, 0.1f ), 0.5f );
		testLess( At( each + i, 0.95f, 0.1f, 0.0f ), 0.02f );
		assert_true( At( each + i, 0.0f, -0.9f, 0.0f ) == 0.0f );
	}
	assert_memory_equal( each[0].softness, each[3].softness, (size_t)each[0].voxels.count * sizeof( float ) );
	Close( &body );

	// the same values given with the definition instead of with the mesh: the same bits
	OpenBall( &body, NULL );
	supSoftRegion stroke = supDefaultSoftRegion();
	stroke.shape = sup_softValues;
	stroke.vertexCount = count;
	stroke.values = paint;
	supSoftness stroked;
	Soften( &stroked, &body, &stroke, 1 );
	assert_false( stroked.isAutomatic );
	assert_memory_equal( each[0].softness, stroked.softness, (size_t)each[0].voxels.count * sizeof( float ) );
	supSoftness_Destroy( &stroked );
	for ( int32_t i = 0; i < 4; ++i )
	{
		supSoftness_Destroy( each + i );
	}
	free( vertices );
	free( paint );
	Close( &body );
}

// Two regions overlap: the softer one counts, and its number is told. A single vertex is enough for a region.
static void TestOverlap( void** state )
{
	(void)state;
	Body body;
	OpenBall( &body, NULL );
	supSoftRegion regions[3] = { supDefaultSoftRegion(), supDefaultSoftRegion(), supDefaultSoftRegion() };
	regions[0].shape = sup_softAll;
	regions[0].softness = 0.3f;
	regions[1].shape = sup_softSphere;
	regions[1].center = supMakeVec3( 0.0f, 1.0f, 0.0f );
	regions[1].radius = 0.5f;
	int32_t top = 0;
	for ( int32_t i = 0; i < body.surface.vertexCount; ++i )
	{
		top = body.surface.positions[i].y < body.surface.positions[top].y ? i : top;
	}
	regions[2].shape = sup_softVertices;
	regions[2].vertexCount = 1;
	regions[2].vertices = &top;
	regions[2].border = 0.3f;
	supSoftness softness;
	Soften( &softness, &body, regions, 3 );
	supSoftPoint above = supSoftness_Sample( &softness, supMakeVec3( 0.0f, 0.9f, 0.0f ) );
	supSoftPoint aside = supSoftness_Sample( &softness, supMakeVec3( 0.9f, 0.0f, 0.0f ) );
	supSoftPoint below = supSoftness_Sample( &softness, supMakeVec3( 0.0f, -0.95f, 0.0f ) );
	assert_int_equal( above.region, 1 );
	assert_int_equal( aside.region, 0 );
	assert_int_equal( below.region, 2 );
	testGreater( above.softness, 0.4f );
	testLess( aside.softness, 0.3f );
	testGreater( below.softness, 0.4f );
	supSoftness_Destroy( &softness );
	Close( &body );
}

// An even region is as soft at the bone as at the skin, others are firm there.
static void TestEven( void** state )
{
	(void)state;
	Body body;
	OpenBall( &body, NULL );
	for ( int even = 0; even <= 1; ++even )
	{
		supSoftRegion region = supDefaultSoftRegion();
		region.shape = sup_softAll;
		region.softness = 0.8f;
		region.even = (float)even;
		supSoftness softness;
		Soften( &softness, &body, &region, 1 );
		float inside = supSoftness_Sample( &softness, supMakeVec3( 0.1f, 0.0f, 0.0f ) ).softness;
		float outside = supSoftness_Sample( &softness, supMakeVec3( 0.95f, 0.0f, 0.0f ) ).softness;
		assert_true( even == 1 ? fabsf( inside - 0.8f ) < 1e-3f : inside < 0.1f );
		testGreater( outside, 0.6f );
		supSoftness_Destroy( &softness );
	}
	Close( &body );
}

// The flesh of one bone of a bar.
static void TestNode( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( -1.0f, -0.2f, -0.2f ), supMakeVec3( 1.0f, 0.2f, 0.2f ) );
	const supVec3 joints[3] = { { -1.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f }, { 0.66f, 0.0f, 0.0f } };
	Body body;
	OpenShape( &body, &shape, joints, 3, NULL );
	supSoftRegion region = supDefaultSoftRegion();
	region.shape = sup_softNode;
	region.node = 0;
	region.border = 0.2f;
	supSoftness softness;
	Soften( &softness, &body, &region, 1 );
	testGreater( At( &softness, -0.5f, 0.19f, 0.0f ), 0.6f );
	testLess( At( &softness, -0.5f, 0.02f, 0.0f ), 0.05f );
	assert_true( At( &softness, 0.5f, 0.19f, 0.0f ) == 0.0f );
	float fading = At( &softness, 0.1f, 0.19f, 0.0f );
	testGreater( fading, 0.05f );
	testLess( fading, 0.6f );
	supSoftness_Destroy( &softness );
	Close( &body );
	FreeShape( &shape );
}

// ---------------------------------------------------------------------------------------------------------------------
// Nothing painted; test_soft_guess.c has the rest

// Thick is soft, thin is firm; a mirrored body gives mirrored softness.
static void TestAutomatic( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 0.5f, 16 );
	AddBox( &shape, supMakeVec3( -1.2f, -0.025f, -0.025f ), supMakeVec3( -0.4f, 0.025f, 0.025f ) );
	AddBox( &shape, supMakeVec3( 0.4f, -0.025f, -0.025f ), supMakeVec3( 1.2f, 0.025f, 0.025f ) );
	const supVec3 joints[3] = { { 0.0f, -0.4f, 0.0f }, { 0.0f, 0.2f, 0.0f }, { 0.0f, 0.4f, 0.0f } };
	Body body;
	OpenShape( &body, &shape, joints, 3, NULL );
	assert_false( supIsPainted( body.character ) );
	supSoftness softness;
	Soften( &softness, &body, NULL, 0 );
	assert_true( softness.isAutomatic );
	// a body without limbs is evenly soft, at 0.75
	testGreater( At( &softness, 0.0f, 0.0f, 0.45f ), 0.65f );
	testLess( At( &softness, 0.0f, 0.0f, 0.05f ), 0.1f );
	// far from the bone, but thin
	testLess( At( &softness, 1.0f, 0.02f, 0.0f ), 0.15f );
	const supVoxels* v = &softness.voxels;
	for ( int32_t i = 0; i < v->count; ++i )
	{
		supVoxelCell c = v->cells[i];
		int32_t mirrored = supVoxels_Find( v, v->nx - 1 - c.x, c.y, c.z );
		testGreaterEqual( mirrored, 0 );
		testLess( fabsf( softness.softness[i] - softness.softness[mirrored] ), 1e-5f );
	}
	supSoftness_Destroy( &softness );
	Close( &body );
	FreeShape( &shape );
}

// ---------------------------------------------------------------------------------------------------------------------
// Layers and tissues

static void TestStandardLayers( void** state )
{
	(void)state;
	int32_t count;
	const supLayer* layers = supStandardLayers( &count );
	assert_int_equal( count, 4 );
	// the order of real tissue: fat is the lightest and softest, bone the heaviest and stiffest
	testLess( layers[2].tissue.density, layers[1].tissue.density );
	testLess( layers[1].tissue.density, layers[0].tissue.density );
	testLess( layers[2].tissue.stiffness, layers[1].tissue.stiffness );
	testLess( layers[1].tissue.stiffness, layers[3].tissue.stiffness );
	testLess( layers[3].tissue.stiffness, layers[0].tissue.stiffness );
	// without a grid: bone to 1 cm, skin for the last centimetre, half and half between
	const float places[] = { 0.0f, 0.01f, 0.02f, 0.049f, 0.051f, 0.089f, 0.091f, 0.2f };
	const int32_t expected[] = { 0, 0, 1, 1, 2, 2, 3, 3 };
	for ( int32_t i = 0; i < 8; ++i )
	{
		assert_int_equal( supPickLayer( layers, 4, 0.01f, 0.01f, places[i], 0.1f ), expected[i] );
	}
	// flesh that is all skin
	assert_int_equal( supPickLayer( layers, 4, 0.01f, 0.02f, 0.015f, 0.02f ), 3 );
}

static void TestLayerSettings( void** state )
{
	(void)state;
	Body body;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( -1.0f, -0.3f, -0.3f ), supMakeVec3( 1.0f, 0.3f, 0.3f ) );
	const supVec3 joints[2] = { { -0.9f, 0.0f, 0.0f }, { 0.5f, 0.0f, 0.0f } };
	OpenShape( &body, &shape, joints, 2, NULL );
	supError error = { 0 };
	supVoxels voxels = { 0 };
	supVoxelsDef voxelsDef = { .resolution = 40,
							   .vertexCount = body.surface.vertexCount,
							   .positions = body.surface.positions,
							   .triangleCount = body.surface.triangleCount,
							   .indices = body.surface.indices };
	testRequire( supVoxels_Init( &voxels, &voxelsDef, &error ), &error );
	supFleshDef def = supDefaultFleshDef();
	const float shares[4] = { 0.0f, 1.0f, 3.0f, 0.0f };
	supLayerOverride override = { .node = 1, .boneWidth = -1.0f, .shares = shares };
	def.boneWidth = 0.1f;
	def.layerOverrides = &override;
	def.layerOverrideCount = 1;
	supLayerSettings settings = { 0 };
	testRequire( supLayerSettings_Init( &settings, &def, body.character, &body.bones, voxels.size, &error ), &error );
	assert_int_equal( settings.layerCount, 4 );
	assert_int_equal( settings.def.boneWidth, 2 );
	assert_int_equal( settings.def.parts[0].bone, 1 );
	assert_true( settings.def.parts[0].shares[1] == 3.0f );
	supBoneVoxels boneVoxels = { 0 };
	supLayers layers = { 0 };
	testRequire( supBoneVoxels_Init( &boneVoxels, &voxels, &body.bones, &error ), &error );
	testRequire( supLayers_Init( &layers, &voxels, &body.bones, &boneVoxels, &settings.def, &error ), &error );
	const supVec3 points[4] = {
		{ 0.0f, 0.0f, 0.0f }, { 0.0f, 0.29f, 0.0f }, { 0.0f, 5.0f, 0.0f }, { 0.0f, 0.22f, 0.0f }
	};
	uint8_t carried[4];
	supCarryLayers( &layers, &voxels, points, 4, NULL, carried );
	assert_int_equal( carried[0], 0 );
	assert_int_equal( carried[1], 3 );
	assert_int_equal( carried[2], 3 );
	assert_int_equal( carried[3], 2 );
	supLayers_Destroy( &layers );
	supBoneVoxels_Destroy( &boneVoxels );
	supLayerSettings_Destroy( &settings );

	supLayer bad[3] = { { "bone", 0.0f, { 1900.0f, 1e10f, 0.3f, 0.0f } },
						{ "jelly", 1.0f, { 1000.0f, 1e3f, 0.5f, 0.0f } },
						{ "skin", 0.0f, { 1100.0f, 1e5f, 0.4f, 0.0f } } };
	def.layers = bad;
	def.layerCount = 3;
	def.layerOverrideCount = 0;
	assert_false( supLayerSettings_Init( &settings, &def, body.character, &body.bones, voxels.size, &error ) );
	assert_string_equal( error.where, "jelly" );
	assert_non_null( strstr( error.message, "Poisson" ) );
	bad[1].tissue = ( supTissue ){ 0.0f, 1e3f, 0.4f, 0.0f };
	assert_false( supLayerSettings_Init( &settings, &def, body.character, &body.bones, voxels.size, &error ) );
	bad[1].tissue = ( supTissue ){ 1.0f, 1e3f, 0.4f, NAN };
	assert_false( supLayerSettings_Init( &settings, &def, body.character, &body.bones, voxels.size, &error ) );
	def.layerCount = 1;
	assert_false( supLayerSettings_Init( &settings, &def, body.character, &body.bones, voxels.size, &error ) );
	def.layerCount = 0;
	override.node = 2;
	def.layerOverrideCount = 1;
	assert_false( supLayerSettings_Init( &settings, &def, body.character, &body.bones, voxels.size, &error ) );
	assert_string_equal( error.where, "skin" );
	supVoxels_Destroy( &voxels );
	Close( &body );
	FreeShape( &shape );
}

// ---------------------------------------------------------------------------------------------------------------------
// Bad input, threads, memory

static void CheckRefused( const Body* body, supSoftRegion region, const char* part )
{
	region.name = "odd";
	supSoftnessDef def = MakeDef( body, &region, 1 );
	supSoftness softness = { 0 };
	supError error = { 0 };
	assert_false( supSoftness_Init( &softness, &def, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	assert_string_equal( error.where, "soft region 0 (odd)" );
	assert_non_null( strstr( error.message, part ) );
}

static void TestRefused( void** state )
{
	(void)state;
	Body body;
	OpenBall( &body, NULL );
	supSoftRegion region = supDefaultSoftRegion();
	region.softness = 1.5f;
	CheckRefused( &body, region, "must be 0 to 1" );
	region = supDefaultSoftRegion();
	region.even = 2.0f;
	CheckRefused( &body, region, "(got 2)" );
	region = supDefaultSoftRegion();
	region.frequency = -1.0f;
	CheckRefused( &body, region, "frequency" );
	region = supDefaultSoftRegion();
	region.shape = sup_softSphere;
	region.center.y = NAN;
	CheckRefused( &body, region, "centre" );
	region = supDefaultSoftRegion();
	region.shape = sup_softNode;
	region.node = 17;
	CheckRefused( &body, region, "node 17" );
	region.node = 2;
	CheckRefused( &body, region, "not a joint" );
	region = supDefaultSoftRegion();
	region.shape = sup_softVertices;
	region.instance = 1;
	CheckRefused( &body, region, "instance 1" );
	int32_t vertex = 1 << 20;
	region.instance = 0;
	region.vertexCount = 1;
	region.vertices = &vertex;
	CheckRefused( &body, region, "vertex 1048576" );
	float* values = calloc( (size_t)body.surface.vertexCount, sizeof( float ) );
	assert_non_null( values );
	region = supDefaultSoftRegion();
	region.shape = sup_softValues;
	region.values = values;
	region.vertexCount = body.surface.vertexCount - 1;
	CheckRefused( &body, region, "vertices" );
	region.vertexCount += 1;
	values[7] = NAN;
	CheckRefused( &body, region, "vertex 7" );
	free( values );
	Close( &body );

	// a skeleton that is nowhere near: measured in straight lines
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 12 );
	const supVec3 joints[2] = { { 10.0f, 0.0f, 0.0f }, { 11.0f, 0.0f, 0.0f } };
	OpenShape( &body, &shape, joints, 2, NULL );
	supSoftness softness;
	Soften( &softness, &body, NULL, 0 );
	float distance = supSoftness_Sample( &softness, supVec3_zero ).boneDistance;
	testLess( fabsf( distance - 10.0f ), 0.1f );
	supSoftness_Destroy( &softness );
	Close( &body );
	FreeShape( &shape );
}

static void TestThreads( void** state )
{
	(void)state;
	Body body;
	OpenBall( &body, NULL );
	supThreadPool* pool = supCreateThreadPool( 3 );
	assert_non_null( pool );
	supSoftRegion region = supDefaultSoftRegion();
	region.shape = sup_softSphere;
	region.center = supMakeVec3( 0.5f, 0.5f, 0.0f );
	region.radius = 0.4f;
	supSoftness a, b = { 0 };
	Soften( &a, &body, &region, 1 );
	supSoftnessDef def = MakeDef( &body, &region, 1 );
	def.tasks = supThreadPool_Tasks( pool );
	supError error = { 0 };
	testRequire( supSoftness_Init( &b, &def, &error ), &error );
	size_t bytes = (size_t)a.voxels.count * sizeof( float );
	assert_memory_equal( a.softness, b.softness, bytes );
	assert_memory_equal( a.boneDistances, b.boneDistances, bytes );
	assert_memory_equal( a.thickness, b.thickness, bytes );
	float values[100];
	int32_t regions[100];
	supSoftness_SampleMany( &b, body.surface.positions, 100, values, regions, def.tasks );
	for ( int32_t i = 0; i < 100; ++i )
	{
		assert_true( values[i] == supSoftness_Sample( &a, body.surface.positions[i] ).softness );
	}
	supSoftness_Destroy( &a );
	supSoftness_Destroy( &b );
	supDestroyThreadPool( pool );
	Close( &body );
}

typedef struct Attempt
{
	Body* body;
	supSoftRegion* region;
} Attempt;

static bool TrySoftness( void* contextPointer )
{
	Attempt* attempt = contextPointer;
	supSoftnessDef def = MakeDef( attempt->body, attempt->region, attempt->region != NULL ? 1 : 0 );
	def.resolution = 12;
	supSoftness softness = { 0 };
	supError error = { 0 };
	bool ok = supSoftness_Init( &softness, &def, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supSoftness_Destroy( &softness );
	return ok;
}

static void TestMemory( void** state )
{
	(void)state;
	Body body;
	OpenBall( &body, NULL );
	supSoftRegion region = supDefaultSoftRegion();
	region.shape = sup_softVertices;
	const int32_t vertices[2] = { 5, 6 };
	region.vertexCount = 2;
	region.vertices = vertices;
	for ( int32_t i = 0; i < 2; ++i )
	{
		Attempt attempt = { &body, i == 0 ? NULL : &region };
		testEachAllocationFailure( TrySoftness, &attempt, 120 );
	}
	Close( &body );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestBoneDistances ), cmocka_unit_test( TestBetween ),
		cmocka_unit_test( TestShapesAgree ),   cmocka_unit_test( TestOverlap ),
		cmocka_unit_test( TestEven ),          cmocka_unit_test( TestNode ),
		cmocka_unit_test( TestAutomatic ),     cmocka_unit_test( TestStandardLayers ),
		cmocka_unit_test( TestLayerSettings ), cmocka_unit_test( TestRefused ),
		cmocka_unit_test( TestThreads ),       cmocka_unit_test( TestMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
