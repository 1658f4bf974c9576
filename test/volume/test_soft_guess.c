// SPDX-License-Identifier: MIT
// Where flesh is soft if nothing is painted: a guess from anatomy.
// labels: threads
// threads: TestThreads
#include "shapes.h"
#include "support.h"

#include "character/humanoid.h"
#include "models/models.h"
#include "volume/softness/rigid_parts.h"
#include "volume/softness/softness.h"

// ---------------------------------------------------------------------------------------------------------------------
// Bodies

typedef struct Body
{
	supCharacter* character;
	supRestSurface surface;
	supBones bones;
	supSoftness softness;
} Body;

static void Soften( Body* body, const supTasks* tasks )
{
	supError error = { 0 };
	testRequire( supRestSurface_Init( &body->surface, body->character, NULL, &error ), &error );
	testRequire( supBones_InitCharacter( &body->bones, body->character, &error ), &error );
	supSoftnessDef def = {
		.character = body->character, .surface = &body->surface, .bones = &body->bones, .resolution = 48, .tasks = tasks
	};
	testRequire( supSoftness_Init( &body->softness, &def, &error ), &error );
	assert_true( body->softness.isAutomatic );
	for ( int32_t i = 0; i < body->softness.voxels.count; ++i )
	{
		testGreaterEqual( body->softness.softness[i], 0.0f );
		testLessEqual( body->softness.softness[i], 1.0f );
		testGreaterEqual( body->softness.looseness[i], 0.0f );
		testLessEqual( body->softness.looseness[i], 1.0f );
	}
}

static void OpenModel( Body* body, const char* name )
{
	*body = ( Body ){ 0 };
	supError error = { 0 };
	body->character = supFindModel( name )->create( &error );
	testRequire( body->character != NULL, &error );
	Soften( body, NULL );
}

static void Close( Body* body )
{
	supSoftness_Destroy( &body->softness );
	supBones_Destroy( &body->bones );
	supRestSurface_Destroy( &body->surface );
	supDestroyCharacter( body->character );
}

static float At( const Body* body, float x, float y, float z )
{
	return supSoftness_Sample( &body->softness, supMakeVec3( x, y, z ) ).softness;
}

#define MOST_JOINTS 24

typedef struct Joint
{
	const char* name;
	int32_t parent;
	supVec3 place;
} Joint;

// Vertices from `stiff` on hang on the last joint alone; others on the joints whose bones are near.
static void FillWeights( const Shape* shape, const Joint* joints, int32_t jointCount, int32_t stiff, uint16_t* indices,
						 float* weights )
{
	for ( int32_t i = 0; i < shape->vertexCount; ++i )
	{
		float sums[MOST_JOINTS] = { 0 };
		float all = 0.0f;
		for ( int32_t k = 0; k < jointCount; ++k )
		{
			int32_t parent = joints[k].parent;
			// a bone of each joint, the parent's, and what is beyond the last
			supVec3 a = joints[parent >= 0 ? parent : k].place, b = joints[k].place;
			supSegment bone = { a, b }, beyond = { b, supMulAdd( b, 0.5f, supSub( b, a ) ) };
			float near = supDistanceToSegment( &bone, shape->positions[i] ) + 1e-3f;
			float far = supDistanceToSegment( &beyond, shape->positions[i] ) + 1e-3f;
			sums[parent >= 0 ? parent : k] += 1.0f / ( near * near * near * near );
			sums[k] += 1.0f / ( far * far * far * far );
		}
		for ( int32_t k = 0; k < jointCount; ++k )
		{
			sums[k] = i >= stiff ? (float)( k == jointCount - 1 ) : sums[k];
		}
		for ( int32_t slot = 0; slot < 4; ++slot )
		{
			int32_t best = 0;
			for ( int32_t k = 1; k < jointCount; ++k )
			{
				best = sums[k] > sums[best] ? k : best;
			}
			indices[4 * i + slot] = (uint16_t)best;
			weights[4 * i + slot] = sums[best];
			all += sums[best];
			sums[best] = 0.0f;
		}
		for ( int32_t slot = 0; slot < 4; ++slot )
		{
			weights[4 * i + slot] /= all;
		}
	}
}

static void OpenShape( Body* body, const Shape* shape, const Joint* joints, int32_t jointCount, int32_t stiff )
{
	*body = ( Body ){ 0 };
	supNode nodes[MOST_JOINTS + 1];
	int32_t all[MOST_JOINTS];
	supMat34 binds[MOST_JOINTS];
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		int32_t parent = joints[i].parent;
		nodes[i] = ( supNode ){ .name = joints[i].name, .parent = parent, .rest = supTransform_identity };
		nodes[i].rest.translation = parent >= 0 ? supSub( joints[i].place, joints[parent].place ) : joints[i].place;
		all[i] = i;
		binds[i] = supMat34_identity;
		binds[i].t = supNeg( joints[i].place );
	}
	nodes[jointCount] = ( supNode ){ .name = "skin", .parent = -1, .rest = supTransform_identity };
	uint16_t* skinJoints = calloc( 4 * (size_t)shape->vertexCount, sizeof( uint16_t ) );
	float* weights = calloc( 4 * (size_t)shape->vertexCount, sizeof( float ) );
	assert_non_null( skinJoints );
	assert_non_null( weights );
	FillWeights( shape, joints, jointCount, stiff, skinJoints, weights );
	supMesh mesh = { .vertexCount = shape->vertexCount,
					 .positions = shape->positions,
					 .indexCount = 3 * shape->triangleCount,
					 .indices = shape->indices,
					 .influences = 4,
					 .joints = skinJoints,
					 .weights = weights };
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
	free( skinJoints );
	free( weights );
	Soften( body, NULL );
}

#define SIDES 12
#define RINGS 24

// A rod from a to b in one piece, with pointed ends beyond them.
static void AddRod( Shape* shape, supVec3 a, supVec3 b, float radius )
{
	supVec3 along = supSub( b, a );
	supVec3 axis = supNormalize( along );
	supVec3 u = supNormalize(
		supCross( axis, fabsf( axis.y ) < 0.9f ? supMakeVec3( 0.0f, 1.0f, 0.0f ) : supMakeVec3( 1.0f, 0.0f, 0.0f ) ) );
	supVec3 v = supCross( axis, u );
	int32_t at = 3 * shape->triangleCount;
	uint32_t first = GrowShape( shape, RINGS * SIDES + 2, 2 * RINGS * SIDES );
	uint32_t ends[2] = { first + RINGS * SIDES, first + RINGS * SIDES + 1 };
	shape->positions[ends[0]] = supMulAdd( a, -radius, axis );
	shape->positions[ends[1]] = supMulAdd( b, radius, axis );
	for ( uint32_t i = 0; i < RINGS; ++i )
	{
		supVec3 middle = supMulAdd( a, (float)i / ( RINGS - 1 ), along );
		for ( uint32_t k = 0; k < SIDES; ++k )
		{
			float angle = 2.0f * SUP_PI * (float)k / SIDES;
			supVec3 out = supAdd( supScale( cosf( angle ), u ), supScale( sinf( angle ), v ) );
			uint32_t here = first + SIDES * i + k, beside = first + SIDES * i + ( k + 1 ) % SIDES;
			shape->positions[here] = supMulAdd( middle, radius, out );
			const uint32_t low[3] = { i == 0 ? ends[0] : here - SIDES, beside, here };
			const uint32_t high[3] = { i + 1 == RINGS ? ends[1] : beside + SIDES, here, beside };
			memcpy( shape->indices + at, low, sizeof( low ) );
			memcpy( shape->indices + at + 3, high, sizeof( high ) );
			at += 6;
		}
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Skeletons whose names say nothing

// A quadruped that looks along +z: trunk, four legs, a tail of four joints, neck and head.
static void TestNamelessBeast( void** state )
{
	(void)state;
	static const Joint joints[] = {
		{ "a", -1, { 0.0f, 1.0f, -0.6f } },   { "b", 0, { 0.0f, 1.0f, 0.0f } },
		{ "c", 1, { 0.0f, 1.0f, 0.6f } },     { "d", 2, { 0.0f, 1.25f, 0.9f } },
		{ "e", 3, { 0.0f, 1.4f, 1.1f } },     { "f", 0, { 0.0f, 1.05f, -0.9f } },
		{ "g", 5, { 0.0f, 1.05f, -1.2f } },   { "h", 6, { 0.0f, 1.05f, -1.5f } },
		{ "i", 7, { 0.0f, 1.05f, -1.8f } },   { "j", 0, { 0.25f, 0.85f, -0.6f } },
		{ "k", 9, { 0.25f, 0.45f, -0.6f } },  { "l", 10, { 0.25f, 0.1f, -0.6f } },
		{ "m", 0, { -0.25f, 0.85f, -0.6f } }, { "n", 12, { -0.25f, 0.45f, -0.6f } },
		{ "o", 13, { -0.25f, 0.1f, -0.6f } }, { "p", 2, { 0.25f, 0.85f, 0.6f } },
		{ "q", 15, { 0.25f, 0.45f, 0.6f } },  { "r", 16, { 0.25f, 0.1f, 0.6f } },
		{ "s", 2, { -0.25f, 0.85f, 0.6f } },  { "t", 18, { -0.25f, 0.45f, 0.6f } },
		{ "u", 19, { -0.25f, 0.1f, 0.6f } },
	};
	Shape shape = { 0 };
	AddRod( &shape, supMakeVec3( 0.0f, 0.95f, -0.6f ), supMakeVec3( 0.0f, 0.95f, 0.6f ), 0.38f );
	AddRod( &shape, supMakeVec3( 0.0f, 1.05f, -0.9f ), supMakeVec3( 0.0f, 1.05f, -2.0f ), 0.09f );
	for ( int32_t i = 0; i < 4; ++i )
	{
		float x = i % 2 == 0 ? -0.25f : 0.25f, z = i < 2 ? -0.6f : 0.6f;
		AddRod( &shape, supMakeVec3( x, 0.9f, z ), supMakeVec3( x, 0.09f, z ), 0.09f );
	}
	AddRod( &shape, supMakeVec3( 0.0f, 1.15f, 0.7f ), supMakeVec3( 0.0f, 1.45f, 1.15f ), 0.2f );
	AddSphere( &shape, supMakeVec3( 0.0f, 1.45f, 1.2f ), 0.26f, 16 );
	Body body;
	OpenShape( &body, &shape, joints, SUP_COUNT( joints ), INT32_MAX );
	// belly soft, more so than the back
	float belly = At( &body, 0.0f, 0.59f, 0.0f );
	testGreater( belly, 0.6f );
	testLess( At( &body, 0.0f, 1.31f, 0.0f ), belly );
	// skull and feet firm
	testLess( At( &body, 0.0f, 1.68f, 1.2f ), 0.15f );
	testLess( At( &body, 0.25f, 0.02f, 0.6f ), 0.05f );
	testLess( At( &body, -0.25f, 0.02f, -0.6f ), 0.05f );
	// the tail rises to its tip, right at the bone as well
	float before = At( &body, 0.0f, 1.05f, -1.1f );
	for ( int32_t i = 1; i <= 5; ++i )
	{
		float now = At( &body, 0.0f, 1.05f, -1.1f - 0.16f * (float)i );
		testGreater( now, before );
		before = now;
	}
	testGreater( before, 0.85f );
	testGreater( supSoftness_Sample( &body.softness, supMakeVec3( 0.0f, 1.05f, -1.8f ) ).looseness, 0.9f );
	testLess( supSoftness_Sample( &body.softness, supMakeVec3( 0.0f, 1.0f, 0.0f ) ).looseness, 0.05f );
	Close( &body );
	FreeShape( &shape );
}

// A sausage has no limbs: it is evenly soft, and firm at its bone.
static void TestWorm( void** state )
{
	(void)state;
	static const Joint joints[] = { { "", -1, { 0.0f, 0.0f, -1.0f } }, { "", 0, { 0.0f, 0.0f, 0.0f } } };
	Shape shape = { 0 };
	AddRod( &shape, supMakeVec3( 0.0f, 0.0f, -1.0f ), supMakeVec3( 0.0f, 0.0f, 1.0f ), 0.25f );
	Body body;
	OpenShape( &body, &shape, joints, SUP_COUNT( joints ), INT32_MAX );
	for ( int32_t i = 0; i < 8; ++i )
	{
		testLess( fabsf( At( &body, 0.0f, 0.24f, -0.9f + 0.25f * (float)i ) - 0.7f ), 0.15f );
		testLess( At( &body, 0.0f, 0.0f, -0.8f + 0.2f * (float)i ), 0.2f );
	}
	Close( &body );
	FreeShape( &shape );
}

// ---------------------------------------------------------------------------------------------------------------------
// Rigid shells

// A small ball on a soft body, all on one joint: softness is exactly 0 at every vertex of it.
static void TestRigidShell( void** state )
{
	(void)state;
	static const Joint joints[] = { { "", -1, { 0.0f, 0.0f, -1.0f } }, { "", 0, { 0.0f, 0.0f, 0.0f } } };
	Shape shape = { 0 };
	AddRod( &shape, supMakeVec3( 0.0f, 0.0f, -1.0f ), supMakeVec3( 0.0f, 0.0f, 1.0f ), 0.4f );
	int32_t first = shape.vertexCount;
	AddSphere( &shape, supMakeVec3( 0.0f, 0.42f, 0.5f ), 0.1f, 12 );
	Body body;
	OpenShape( &body, &shape, joints, SUP_COUNT( joints ), first );
	for ( int32_t i = first; i < shape.vertexCount; ++i )
	{
		assert_true( supSoftness_Sample( &body.softness, shape.positions[i] ).softness == 0.0f );
	}
	// the rest of the body is as soft as ever
	testGreater( At( &body, 0.0f, -0.39f, 0.5f ), 0.5f );
	testGreater( At( &body, 0.0f, 0.39f, -0.5f ), 0.5f );
	Close( &body );
	FreeShape( &shape );
}

// A helmet is rigid whatever its size, since other bones move other parts; the only part there is is not.
static void TestLargeRigidParts( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 12 );
	int32_t second = shape.vertexCount;
	AddSphere( &shape, supMakeVec3( 0.0f, 0.0f, 3.0f ), 1.0f, 12 );
	size_t count = (size_t)shape.vertexCount;
	uint16_t* bones = calloc( SUP_MAX_INFLUENCES * count, sizeof( uint16_t ) );
	float* weights = calloc( SUP_MAX_INFLUENCES * count, sizeof( float ) );
	bool* isRigid = calloc( count, sizeof( bool ) );
	assert_true( bones != NULL && weights != NULL && isRigid != NULL );
	for ( size_t i = 0; i < count; ++i )
	{
		weights[SUP_MAX_INFLUENCES * i] = 1.0f;
	}
	supRestSurface surface = { .vertexCount = shape.vertexCount,
							   .triangleCount = shape.triangleCount,
							   .positions = shape.positions,
							   .indices = shape.indices };
	supRigidPartsDef def = { .surface = &surface, .bones = bones, .weights = weights, .most = 0.5f };
	supArena scratch = { 0 };
	assert_true( supFindRigidParts( &def, &scratch, isRigid ) );
	assert_false( isRigid[0] || isRigid[second] );
	// the second ball bends: the first, on one bone, does not
	for ( size_t i = (size_t)second; i < count; ++i )
	{
		float share = 0.5f + 0.5f * shape.positions[i].y;
		weights[SUP_MAX_INFLUENCES * i] = share;
		weights[SUP_MAX_INFLUENCES * i + 1] = 1.0f - share;
		bones[SUP_MAX_INFLUENCES * i + 1] = 1;
	}
	assert_true( supFindRigidParts( &def, &scratch, isRigid ) );
	assert_true( isRigid[0] );
	assert_false( isRigid[second] );
	supArena_Destroy( &scratch );
	free( bones );
	free( weights );
	free( isRigid );
	FreeShape( &shape );
}

// ---------------------------------------------------------------------------------------------------------------------
// Built-in characters

typedef struct Expected
{
	const char* model;
	const char* joint;  // the skin nearest to its bone
	float lower, upper; // of the mean softness of that skin
} Expected;

static float MeanAtSkin( const Body* body, const char* joint )
{
	const supVoxels* v = &body->softness.voxels;
	double sum = 0.0;
	int32_t count = 0;
	for ( int32_t i = 0; i < v->count; ++i )
	{
		int32_t node = body->bones.nodes[body->softness.bones[i]];
		if ( v->isSurface[i] != 0 && strcmp( supCharacter_Node( body->character, node )->name, joint ) == 0 )
		{
			sum += (double)body->softness.softness[i];
			count += 1;
		}
	}
	testGreater( count, 0 );
	return (float)( sum / count );
}

static void TestModels( void** state )
{
	(void)state;
	testMeasuresOnly();
	static const Expected table[] = {
		{ "bunny", "Spine", 0.7f, 1.0f },         { "bunny", "Head", 0.0f, 0.15f },
		{ "bunny", "LeftHand", 0.0f, 0.03f },     { "bunny", "RightFoot", 0.0f, 0.1f },
		{ "bunny", "LeftEar3", 0.8f, 1.0f },      { "bunny", "Jaw", 0.0f, 0.1f },
		{ "human", "Spine", 0.7f, 1.0f },         { "human", "Head", 0.0f, 0.15f },
		{ "human", "LeftUpperLeg", 0.4f, 0.9f },  { "human", "LeftLowerArm", 0.0f, 0.15f },
		{ "human", "RightHand", 0.0f, 0.03f },    { "horse", "LeftHindHoof", 0.0f, 0.03f },
		{ "horse", "LeftHindUpper", 0.4f, 1.0f }, { "horse", "Tail6", 0.8f, 1.0f },
		{ "horse", "Head", 0.0f, 0.15f },         { "octopus", "ArmA7", 0.9f, 1.0f },
	};
	Body body = { 0 };
	const char* open = "";
	for ( int32_t i = 0; i < SUP_COUNT( table ); ++i )
	{
		if ( strcmp( table[i].model, open ) != 0 )
		{
			Close( &body );
			OpenModel( &body, table[i].model );
			open = table[i].model;
		}
		float mean = MeanAtSkin( &body, table[i].joint );
		if ( mean < table[i].lower || mean > table[i].upper )
		{
			fail_msg( "%s, %s: %g is not in %g .. %g", open, table[i].joint, (double)mean, (double)table[i].lower,
					  (double)table[i].upper );
		}
	}
	Close( &body );
}

// A fifth to three fifths of the skin are soft, without steps: from voxel to voxel of the skin, of which the body has
// 48 along its length, softness changes by less than 0.3 but at rigid parts.
static void TestShareAndSteps( void** state )
{
	(void)state;
	testMeasuresOnly();
	static const char* const models[] = { "human", "cow" };
	for ( int32_t m = 0; m < SUP_COUNT( models ); ++m )
	{
		Body body;
		OpenModel( &body, models[m] );
		const supVoxels* v = &body.softness.voxels;
		int32_t skin = 0, soft = 0;
		for ( int32_t i = 0; i < v->count; ++i )
		{
			float here = body.softness.softness[i];
			skin += v->isSurface[i] != 0;
			soft += v->isSurface[i] != 0 && here > 0.5f;
			supVoxelCell c = v->cells[i];
			int32_t next = supVoxels_Find( v, c.x + 1, c.y, c.z );
			bool isSkin = v->isSurface[i] != 0 && next >= 0 && v->isSurface[next] != 0;
			float there = isSkin ? body.softness.softness[next] : here;
			assert_true( here == 0.0f || there == 0.0f || fabsf( here - there ) < 0.3f );
		}
		testGreater( soft, skin / 5 );
		testLess( soft, 3 * skin / 5 );
		Close( &body );
	}
}

// ---------------------------------------------------------------------------------------------------------------------

// Nothing to go by: a single triangle, a flat sheet, joints that are all at one place.
static void TestOddBodies( void** state )
{
	(void)state;
	static const Joint same[] = { { "", -1, { 0.1f, 0.1f, 0.0f } }, { "", 0, { 0.1f, 0.1f, 0.0f } } };
	static const Joint apart[] = { { "", -1, { 0.1f, 0.1f, 0.0f } }, { "", 0, { 0.6f, 0.1f, 0.0f } } };
	for ( int32_t run = 0; run < 4; ++run )
	{
		Shape shape = { 0 };
		uint32_t first = GrowShape( &shape, 4, run < 2 ? 1 : 2 );
		const supVec3 corners[4] = {
			{ 0.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, { 1.0f, 1.0f, 0.0f }
		};
		const uint32_t indices[6] = { 0, 1, 2, 1, 3, 2 };
		memcpy( shape.positions + first, corners, sizeof( corners ) );
		memcpy( shape.indices, indices, ( run < 2 ? 3 : 6 ) * sizeof( uint32_t ) );
		Body body;
		OpenShape( &body, &shape, run % 2 == 0 ? same : apart, 2, INT32_MAX );
		Close( &body );
		FreeShape( &shape );
	}
}

static void TestThreads( void** state )
{
	(void)state;
	Body one, many = { 0 };
	OpenModel( &one, "bunny" );
	supThreadPool* pool = supCreateThreadPool( 3 );
	assert_non_null( pool );
	supError error = { 0 };
	many.character = supFindModel( "bunny" )->create( &error );
	testRequire( many.character != NULL, &error );
	Soften( &many, supThreadPool_Tasks( pool ) );
	size_t bytes = (size_t)one.softness.voxels.count * sizeof( float );
	assert_int_equal( one.softness.voxels.count, many.softness.voxels.count );
	assert_memory_equal( one.softness.softness, many.softness.softness, bytes );
	assert_memory_equal( one.softness.looseness, many.softness.looseness, bytes );
	supDestroyThreadPool( pool );
	Close( &one );
	Close( &many );
}

static void TestWords( void** state )
{
	(void)state;
	assert_true( supJointNameHas( "LeftEar1", "ear" ) );
	assert_true( supJointNameHas( "mixamorig:RightEar", "ear" ) );
	assert_true( supJointNameHas( "leftear_02", "ear" ) );
	assert_false( supJointNameHas( "LeftForearm", "ear" ) );
	assert_false( supJointNameHas( "rear_leg", "ear" ) );
	assert_true( supJointNameHas( "Ponytail3", "tail" ) );
	assert_true( supJointNameHas( "b_Tail01_012", "tail" ) );
	assert_false( supJointNameHas( "", "tail" ) );
}

// The public function gives skin what flesh uses there: the guess, and what is painted where something is.
static void TestPublicSoftness( void** state )
{
	(void)state;
	Body body;
	OpenModel( &body, "bunny" );
	supError error = { 0 };
	int32_t count = body.surface.vertexStarts[1];
	float* values = calloc( (size_t)count, sizeof( float ) );
	// the first instance alone
	float* places[16] = { values };
	testLessEqual( supCharacter_InstanceCount( body.character ), 16 );
	testRequire( supComputeSoftness( body.character, NULL, 0, NULL, places, &error ), &error );
	float softest = 0.0f;
	for ( int32_t i = 0; i < count; ++i )
	{
		testGreaterEqual( values[i], 0.0f );
		testLessEqual( values[i], 1.0f );
		softest = values[i] > softest ? values[i] : softest;
	}
	testGreater( softest, 0.5f );
	supSoftRegion region = supDefaultSoftRegion();
	region.shape = sup_softSphere;
	region.radius = -1.0f;
	assert_false( supComputeSoftness( body.character, &region, 1, NULL, places, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	free( values );
	Close( &body );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestNamelessBeast ),   cmocka_unit_test( TestWorm ),    cmocka_unit_test( TestRigidShell ),
		cmocka_unit_test( TestLargeRigidParts ), cmocka_unit_test( TestModels ),  cmocka_unit_test( TestShareAndSteps ),
		cmocka_unit_test( TestOddBodies ),       cmocka_unit_test( TestThreads ), cmocka_unit_test( TestWords ),
		cmocka_unit_test( TestPublicSoftness ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
