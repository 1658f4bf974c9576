// SPDX-License-Identifier: MIT
// labels: threads
// threads: TestThreads
#include "shapes.h"

#include "core/core.h"
#include "supple/supple.h"
#include "volume/body/rest_surface.h"
#include "volume/weights/geodesic_weights.h"

typedef struct Body
{
	supVoxels voxels;
	supBones bones;
	supBoneVoxels boneVoxels;
	uint16_t* joints;
	float* weights;
} Body;

static void DestroyBody( Body* body )
{
	supVoxels_Destroy( &body->voxels );
	supBones_Destroy( &body->bones );
	supBoneVoxels_Destroy( &body->boneVoxels );
	free( body->joints );
	free( body->weights );
}

static void Bind( Body* body, const Shape* shape, int32_t resolution, const supTasks* tasks )
{
	supError error = { 0 };
	supVoxelsDef def = {
		resolution, shape->vertexCount, shape->positions, shape->triangleCount, shape->indices, tasks
	};
	testRequire( supVoxels_Init( &body->voxels, &def, &error ), &error );
	testRequire( supBoneVoxels_Init( &body->boneVoxels, &body->voxels, &body->bones, &error ), &error );
	size_t count = (size_t)shape->vertexCount * SUP_MAX_INFLUENCES;
	body->joints = malloc( count * sizeof( uint16_t ) );
	body->weights = malloc( count * sizeof( float ) );
	supGeodesicDef weightsDef = supDefaultGeodesicDef();
	weightsDef.voxels = &body->voxels;
	weightsDef.bones = &body->boneVoxels;
	weightsDef.pointCount = shape->vertexCount;
	weightsDef.points = shape->positions;
	weightsDef.tasks = tasks;
	testRequire( supComputeGeodesicWeights( &weightsDef, body->joints, body->weights, &error ), &error );
	for ( int32_t i = 0; i < shape->vertexCount; ++i )
	{
		const float* w = body->weights + SUP_MAX_INFLUENCES * i;
		float sum = 0.0f;
		for ( int32_t k = 0; k < SUP_MAX_INFLUENCES; ++k )
		{
			testGreaterEqual( w[k], 0.0f );
			testLessEqual( w[k], 1.0f );
			assert_true( k == 0 || w[k] <= w[k - 1] );
			assert_in_range( body->joints[SUP_MAX_INFLUENCES * i + k], 0, body->bones.count - 1 );
			sum += w[k];
		}
		testLess( fabsf( sum - 1.0f ), 1e-6f );
	}
}

static float WeightOf( const Body* body, int32_t vertex, int32_t bone )
{
	float sum = 0.0f;
	for ( int32_t k = SUP_MAX_INFLUENCES * vertex; k < SUP_MAX_INFLUENCES * ( vertex + 1 ); ++k )
	{
		sum += body->joints[k] == bone ? body->weights[k] : 0.0f;
	}
	return sum;
}

// ---------------------------------------------------------------------------------------------------------------------

// Along a bar of two bones the weight of the second rises steadily, and by little from vertex to vertex.
static void TestBarIsSmooth( void** state )
{
	(void)state;
	Shape shape = { 0 };
	supVec2 profile[81];
	for ( int32_t i = 0; i < 81; ++i )
	{
		profile[i] = ( supVec2 ){ i == 0 || i == 80 ? 0.0f : 0.15f, 0.025f * (float)i };
	}
	AddTurned( &shape, supVec3_zero, profile, 81, 12 );
	const supVec3 joints[] = { { 0, 0.1f, 0 }, { 0, 1, 0 }, { 0, 1.9f, 0 } };
	const int32_t parents[] = { -1, 0, 1 };
	Body body = { 0 };
	supError error = { 0 };
	testRequire( supBones_Init( &body.bones, 3, joints, parents, &error ), &error );
	Bind( &body, &shape, 50, NULL );
	float last = 0.0f;
	for ( int32_t i = 4; i < 76; ++i )
	{
		float first = WeightOf( &body, 12 * i, 0 );
		assert_true( i == 4 || first <= last + 1e-4f );
		assert_true( i == 4 || first > last - 0.25f );
		last = first;
	}
	testGreater( WeightOf( &body, 12 * 8, 0 ), 0.8f );
	testGreater( WeightOf( &body, 12 * 60, 1 ), 0.8f );
	// half and half at the joint between the two
	testLess( fabsf( WeightOf( &body, 12 * 40, 0 ) - WeightOf( &body, 12 * 40, 1 ) ), 0.1f );
	DestroyBody( &body );
	FreeShape( &shape );
}

// Mirrored vertices have mirrored weights, to the bit but for the rounding of the mesh itself.
static void TestSymmetric( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( -0.3f, 0, -0.2f ), supMakeVec3( 0.3f, 1, 0.2f ) );
	AddBox( &shape, supMakeVec3( 0.2f, 0.7f, -0.1f ), supMakeVec3( 1.0f, 0.9f, 0.1f ) );
	AddBox( &shape, supMakeVec3( -1.0f, 0.7f, -0.1f ), supMakeVec3( -0.2f, 0.9f, 0.1f ) );
	const supVec3 joints[] = { { 0, 0.1f, 0 },    { 0, 0.8f, 0 },     { 0.3f, 0.8f, 0 },
							   { 0.7f, 0.8f, 0 }, { -0.3f, 0.8f, 0 }, { -0.7f, 0.8f, 0 } };
	const int32_t parents[] = { -1, 0, 1, 2, 1, 4 };
	const int32_t mirror[] = { 0, 1, 4, 5, 2, 3 };
	for ( int32_t resolution = 33; resolution < 36; ++resolution )
	{
		Body body = { 0 };
		supError error = { 0 };
		testRequire( supBones_Init( &body.bones, 6, joints, parents, &error ), &error );
		Bind( &body, &shape, resolution, NULL );
		for ( int32_t i = 0; i < shape.vertexCount; ++i )
		{
			supVec3 p = shape.positions[i];
			int32_t other = 0;
			while ( shape.positions[other].x != -p.x || shape.positions[other].y != p.y ||
					shape.positions[other].z != p.z )
			{
				other += 1;
				testLess( other, shape.vertexCount );
			}
			for ( int32_t bone = 0; bone < 6; ++bone )
			{
				testLess( fabsf( WeightOf( &body, i, bone ) - WeightOf( &body, other, mirror[bone] ) ), 1e-5f );
			}
		}
		DestroyBody( &body );
	}
	FreeShape( &shape );
}

// Bones of one finger leave the vertices of the other alone, though these are nearer to them than to their own root.
static void TestFingers( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( 0.0f, 0, 0 ), supMakeVec3( 1.0f, 0.6f, 0.4f ) );
	AddBox( &shape, supMakeVec3( 0.03f, 0.4f, 0.03f ), supMakeVec3( 0.42f, 2.4f, 0.37f ) );
	AddBox( &shape, supMakeVec3( 0.58f, 0.4f, 0.03f ), supMakeVec3( 0.97f, 2.4f, 0.37f ) );
	const supVec3 joints[] = {
		{ 0.5f, 0.1f, 0.2f }, { 0.2f, 0.7f, 0.2f }, { 0.2f, 1.5f, 0.2f }, { 0.8f, 0.7f, 0.2f }, { 0.8f, 1.5f, 0.2f }
	};
	const int32_t parents[] = { -1, 0, 1, 0, 3 };
	Body body = { 0 };
	supError error = { 0 };
	testRequire( supBones_Init( &body.bones, 5, joints, parents, &error ), &error );
	Bind( &body, &shape, 60, NULL );
	for ( int32_t i = 8; i < shape.vertexCount; ++i )
	{
		if ( shape.positions[i].y > 2.0f )
		{
			bool left = shape.positions[i].x < 0.5f;
			testLess( WeightOf( &body, i, left ? 3 : 1 ) + WeightOf( &body, i, left ? 4 : 2 ), 0.02f );
		}
	}
	DestroyBody( &body );
	FreeShape( &shape );
}

// Twelve bones at the same place: eight are kept, and the sum is still 1.
static void TestManyBones( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddSphere( &shape, supVec3_zero, 1.0f, 12 );
	supVec3 joints[12];
	int32_t parents[12];
	for ( int32_t i = 0; i < 12; ++i )
	{
		joints[i] = i < 6 ? supVec3_zero : supMakeVec3( 0.1f * (float)( i - 6 ), 0, 0 );
		parents[i] = -1;
	}
	Body body = { 0 };
	supError error = { 0 };
	testRequire( supBones_Init( &body.bones, 12, joints, parents, &error ), &error );
	Bind( &body, &shape, 20, NULL );
	DestroyBody( &body );
	for ( int32_t i = 0; i < 12; ++i )
	{
		joints[i] = supVec3_zero;
	}
	testRequire( supBones_Init( &body.bones, 12, joints, parents, &error ), &error );
	Bind( &body, &shape, 20, NULL );
	testLess( fabsf( body.weights[0] - 0.125f ), 1e-6f );

	// voxel centres, and a place far away, in either metric
	supVec3 points[2] = { supVoxels_CellCenter( &body.voxels, body.voxels.cells[5] ), { 50, 0, 0 } };
	uint16_t pointJoints[16];
	float pointWeights[16];
	supGeodesicDef def = supDefaultGeodesicDef();
	def.voxels = &body.voxels;
	def.bones = &body.boneVoxels;
	def.pointCount = 2;
	def.points = points;
	def.metric = sup_voxelManhattan;
	testRequire( supComputeGeodesicWeights( &def, pointJoints, pointWeights, &error ), &error );
	testLess( fabsf( pointWeights[8] - 0.125f ), 1e-6f );
	def.alpha = 2.0f;
	assert_false( supComputeGeodesicWeights( &def, pointJoints, pointWeights, &error ) );
	def.alpha = 0.5f;
	def.unit = NAN;
	assert_false( supComputeGeodesicWeights( &def, pointJoints, pointWeights, &error ) );
	DestroyBody( &body );
	FreeShape( &shape );
}

// Weights at the centres of voxels are the formula of the distances from there, bone by bone.
static void TestFormula( void** state )
{
	(void)state;
	Shape shape = { 0 };
	AddBox( &shape, supMakeVec3( -0.3f, 0, -0.3f ), supMakeVec3( 0.3f, 2, 0.3f ) );
	const supVec3 joints[] = { { 0, 0.2f, 0 }, { 0, 0.9f, 0 }, { 0, 1.4f, 0 } };
	const int32_t parents[] = { -1, 0, 1 };
	Body body = { 0 };
	supError error = { 0 };
	testRequire( supBones_Init( &body.bones, 3, joints, parents, &error ), &error );
	Bind( &body, &shape, 40, NULL );
	int32_t count = body.voxels.count;
	float* distances[3];
	for ( int32_t bone = 0; bone < 3; ++bone )
	{
		supVoxelSource sources[64];
		int32_t first = body.boneVoxels.starts[bone], n = body.boneVoxels.starts[bone + 1] - first;
		assert_in_range( n, 1, 64 );
		for ( int32_t i = 0; i < n; ++i )
		{
			sources[i] = ( supVoxelSource ){ body.boneVoxels.voxels[first + i], 0, 0.0f };
		}
		distances[bone] = malloc( (size_t)count * sizeof( float ) );
		assert_true( supComputeVoxelDistances( &body.voxels, sup_voxelEuclidean, sources, n, distances[bone], NULL ) );
	}
	supVec3* centers = malloc( (size_t)count * sizeof( supVec3 ) );
	for ( int32_t i = 0; i < count; ++i )
	{
		centers[i] = supVoxels_CellCenter( &body.voxels, body.voxels.cells[i] );
	}
	size_t slots = (size_t)count * SUP_MAX_INFLUENCES;
	free( body.joints );
	free( body.weights );
	body.joints = malloc( slots * sizeof( uint16_t ) );
	body.weights = malloc( slots * sizeof( float ) );
	static const float reaches[] = { 0.0f, 1.25f, 1.5f, 3.0f };
	for ( int32_t k = 0; k < SUP_COUNT( reaches ); ++k )
	{
		supGeodesicDef def = supDefaultGeodesicDef();
		def.voxels = &body.voxels;
		def.bones = &body.boneVoxels;
		def.pointCount = count;
		def.points = centers;
		def.reach = reaches[k];
		testRequire( supComputeGeodesicWeights( &def, body.joints, body.weights, &error ), &error );
		for ( int32_t i = 0; i < count; ++i )
		{
			double w[3], sum = 0.0;
			double least = fmin( fmin( (double)distances[0][i], (double)distances[1][i] ), (double)distances[2][i] );
			for ( int32_t bone = 0; bone < 3; ++bone )
			{
				double voxels = (double)distances[bone][i], d = ( voxels + 0.5 ) * 100.0 / 40.0;
				double falloff = 1.0 / ( 0.5 * d + 0.5 * d * d );
				double reach = (double)reaches[k], ratio = ( voxels + 2.0 ) / ( least + 2.0 );
				double nearness = reach > 0.0 ? fmax( ( reach - ratio ) / ( reach - 1.0 ), 0.0 ) : 1.0;
				w[bone] = falloff * falloff * nearness * nearness;
				sum += w[bone];
			}
			for ( int32_t bone = 0; bone < 3; ++bone )
			{
				testLess( fabs( w[bone] / sum - (double)WeightOf( &body, i, bone ) ), 1e-4 );
			}
		}
	}
	supGeodesicDef def = supDefaultGeodesicDef();
	def.voxels = &body.voxels;
	def.bones = &body.boneVoxels;
	def.reach = 1.0f;
	assert_false( supComputeGeodesicWeights( &def, body.joints, body.weights, &error ) );
	for ( int32_t bone = 0; bone < 3; ++bone )
	{
		free( distances[bone] );
	}
	free( centers );
	DestroyBody( &body );
	FreeShape( &shape );
}

// ---------------------------------------------------------------------------------------------------------------------

typedef struct Input
{
	Shape shape;
	Body body;
} Input;

static bool Attempt( void* context )
{
	Input* input = context;
	supGeodesicDef def = supDefaultGeodesicDef();
	def.voxels = &input->body.voxels;
	def.bones = &input->body.boneVoxels;
	def.pointCount = input->shape.vertexCount;
	def.points = input->shape.positions;
	supError error = { 0 };
	bool ok = supComputeGeodesicWeights( &def, input->body.joints, input->body.weights, &error );
	assert_true( ok || error.code == sup_errorMemory );
	return ok;
}

static void MakeInput( Input* input, const supTasks* tasks )
{
	*input = ( Input ){ 0 };
	AddSphere( &input->shape, supVec3_zero, 1.0f, 12 );
	const supVec3 joints[] = { { -0.5f, 0, 0 }, { 0, 0, 0 }, { 0.5f, 0.2f, 0 }, { 0, 0.6f, 0.1f } };
	const int32_t parents[] = { -1, 0, 1, 1 };
	supError error = { 0 };
	testRequire( supBones_Init( &input->body.bones, 4, joints, parents, &error ), &error );
	Bind( &input->body, &input->shape, 30, tasks );
}

static void DestroyInput( Input* input )
{
	DestroyBody( &input->body );
	FreeShape( &input->shape );
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	Input input;
	MakeInput( &input, NULL );
	testEachAllocationFailure( Attempt, &input, 100 );
	DestroyInput( &input );
}

static void TestThreads( void** state )
{
	(void)state;
	supThreadPool* pool = supCreateThreadPool( 3 );
	assert_non_null( pool );
	Input one, three;
	MakeInput( &one, NULL );
	MakeInput( &three, supThreadPool_Tasks( pool ) );
	size_t count = (size_t)one.shape.vertexCount * SUP_MAX_INFLUENCES;
	assert_memory_equal( one.body.joints, three.body.joints, count * sizeof( uint16_t ) );
	assert_memory_equal( one.body.weights, three.body.weights, count * sizeof( float ) );
	DestroyInput( &one );
	DestroyInput( &three );
	supDestroyThreadPool( pool );
}

// ---------------------------------------------------------------------------------------------------------------------
// Beside the weights that people painted

// Weight that the character's own skin gives to a node.
static float HandMade( const supCharacter* character, int32_t instance, int32_t vertex, int32_t node )
{
	const supInstance* in = supCharacter_Instance( character, instance );
	const supMesh* mesh = supCharacter_Mesh( character, in->mesh );
	float sum = 0.0f;
	for ( int32_t k = 0; in->skin >= 0 && k < mesh->influences; ++k )
	{
		int32_t slot = mesh->influences * vertex + k;
		bool same = supCharacter_Skin( character, in->skin )->joints[mesh->joints[slot]] == node;
		sum += same ? mesh->weights[slot] : 0.0f;
	}
	return sum;
}

typedef struct Loaded
{
	supCharacter* character;
	supRestSurface surface;
	Body body;
} Loaded;

static void LoadAndBind( Loaded* loaded, const char* path, int32_t resolution )
{
	supError error = { 0 };
	*loaded = ( Loaded ){ 0 };
	loaded->character = supLoadCharacter( testAsset( path ), &error );
	testRequire( loaded->character != NULL, &error );
	testRequire( supRestSurface_Init( &loaded->surface, loaded->character, NULL, &error ), &error );
	testRequire( supBones_InitCharacter( &loaded->body.bones, loaded->character, &error ), &error );
	const supRestSurface* s = &loaded->surface;
	Shape shape = { s->vertexCount, s->triangleCount, s->positions, s->indices };
	Bind( &loaded->body, &shape, resolution, NULL );
}

static void Unload( Loaded* loaded )
{
	DestroyBody( &loaded->body );
	supRestSurface_Destroy( &loaded->surface );
	supDestroyCharacter( loaded->character );
}

// Half the sum of the absolute differences: the share of the weight that is on other bones. Mean over all vertices.
static double CompareWithHandMade( const Loaded* loaded )
{
	double total = 0.0;
	int32_t count = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( loaded->character ); ++i )
	{
		int32_t first = loaded->surface.vertexStarts[i];
		for ( int32_t v = first; v < loaded->surface.vertexStarts[i + 1]; ++v )
		{
			double difference = 0.0;
			for ( int32_t bone = 0; bone < loaded->body.bones.count; ++bone )
			{
				float own = HandMade( loaded->character, i, v - first, loaded->body.bones.nodes[bone] );
				difference += 0.5 * fabs( (double)own - (double)WeightOf( &loaded->body, v, bone ) );
			}
			total += difference;
			count += 1;
		}
	}
	return total / count;
}

static void TestBesideHandMade( void** state )
{
	(void)state;
	static const struct
	{
		const char* path;
		// a little above what was reached at resolution 64; with dozens of bones chance would put nearly all elsewhere
		double most;
	} cases[] = { { "characters/human-bunny.glb", 0.30 },       { "characters/kaiju-animations.glb", 0.25 },
				  { "characters/spider-animations.glb", 0.20 }, { "characters/m2m-human.glb", 0.43 },
				  { "characters/CesiumMan.glb", 0.18 },         { "characters/snake-animations.glb", 0.26 } };
	for ( int32_t i = 0; i < SUP_COUNT( cases ); ++i )
	{
		Loaded loaded;
		LoadAndBind( &loaded, cases[i].path, 64 );
		double difference = CompareWithHandMade( &loaded );
		print_message( "%s: %d bones, %.1f %% of the weight is on other bones than by hand\n", cases[i].path,
					   loaded.body.bones.count, 100.0 * difference );
		testLess( difference, cases[i].most );
		Unload( &loaded );
	}
}

// The joints of this hand all hang on the root: who follows whom is in the names.
static int32_t FingerOf( const supCharacter* character, int32_t node )
{
	static const char* const names[] = { "thumb", "index", "middle", "ring", "little" };
	for ( int32_t i = 0; i < SUP_COUNT( names ); ++i )
	{
		if ( strncmp( supCharacter_Node( character, node )->name, names[i], strlen( names[i] ) ) == 0 )
		{
			return i;
		}
	}
	return -1;
}

static bool IsMetacarpal( const supCharacter* character, int32_t node )
{
	return strstr( supCharacter_Node( character, node )->name, "metacarpal" ) != NULL;
}

static void TestFingersOfARealHand( void** state )
{
	(void)state;
	supError error = { 0 };
	Loaded hand = { 0 };
	hand.character = supLoadCharacter( testAsset( "characters/hand-left.glb" ), &error );
	testRequire( hand.character != NULL, &error );
	testRequire( supRestSurface_Init( &hand.surface, hand.character, NULL, &error ), &error );
	supPose* pose = supCreatePose( hand.character );
	supVec3 joints[32];
	int32_t parents[32], wrist = supCharacter_FindNode( hand.character, "wrist_L" ), count = 0;
	for ( int32_t i = 2; i < supCharacter_NodeCount( hand.character ); ++i )
	{
		// from the wrist outwards, finger after finger
		bool starts = i == wrist || IsMetacarpal( hand.character, i );
		joints[count] = supPose_Worlds( pose )[i].t;
		parents[count] = i == wrist ? -1 : ( starts ? 0 : count - 1 );
		count += 1;
	}
	testRequire( supBones_Init( &hand.body.bones, count, joints, parents, &error ), &error );
	const supRestSurface* s = &hand.surface;
	Shape shape = { s->vertexCount, s->triangleCount, s->positions, s->indices };
	Bind( &hand.body, &shape, 128, NULL );

	// the weight of other fingers, beyond the palm, on vertices that are painted for one finger alone
	double leak = 0.0, worst = 0.0;
	int32_t vertices = 0;
	for ( int32_t v = 0; v < s->vertexCount; ++v )
	{
		double own[5] = { 0 }, other[5] = { 0 };
		for ( int32_t bone = 1; bone < count; ++bone )
		{
			int32_t finger = FingerOf( hand.character, bone + 2 );
			bool palm = IsMetacarpal( hand.character, bone + 2 );
			own[finger] += palm ? 0.0 : (double)HandMade( hand.character, 0, v, bone + 2 );
			other[finger] += palm ? 0.0 : (double)WeightOf( &hand.body, v, bone );
		}
		for ( int32_t finger = 0; finger < 5; ++finger )
		{
			if ( own[finger] > 0.99 )
			{
				double sum = other[0] + other[1] + other[2] + other[3] + other[4] - other[finger];
				leak += sum;
				worst = fmax( worst, sum );
				vertices += 1;
			}
		}
	}
	print_message( "hand: %d finger vertices, %.2f %% of the weight on other fingers, at most %.1f %%\n", vertices,
				   100.0 * leak / vertices, 100.0 * worst );
	testGreater( vertices, 300 );
	testLess( leak / vertices, 0.03 );
	supDestroyPose( pose );
	Unload( &hand );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestBarIsSmooth ),
		cmocka_unit_test( TestSymmetric ),
		cmocka_unit_test( TestFingers ),
		cmocka_unit_test( TestManyBones ),
		cmocka_unit_test( TestFormula ),
		cmocka_unit_test( TestOutOfMemory ),
		cmocka_unit_test( TestThreads ),
		cmocka_unit_test( TestBesideHandMade ),
		cmocka_unit_test( TestFingersOfARealHand ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
