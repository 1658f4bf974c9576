// SPDX-License-Identifier: MIT
// A mesh and a skeleton become a character.
#include "support.h"

#include "models/models.h"
#include "volume/binding/bind.h"

#include <string.h>

static supCharacter* CreateModel( const char* name )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( name )->create( &error );
	testRequire( character != NULL, &error );
	return character;
}

// The tube bound anew to its own skeleton: at rest nothing moves, and in the bend it follows its own weights.
static void TestTubeOnItsOwnBones( void** state )
{
	(void)state;
	supCharacter* tube = CreateModel( "tube" );
	supBindDef def = supDefaultBindDef();
	supError error = { 0 };
	supCharacter* bound = supBindCharacter( tube, tube, &def, &error );
	testRequire( bound != NULL, &error );
	const supMesh* before = supCharacter_Mesh( tube, 0 );
	const supMesh* after = supCharacter_Mesh( bound, 0 );
	assert_int_equal( after->vertexCount, before->vertexCount );
	assert_int_equal( supCharacter_ClipCount( bound ), supCharacter_ClipCount( tube ) );
	assert_int_equal( supCharacter_NoteCount( bound ), 0 );
	assert_memory_equal( after->indices, before->indices, (size_t)before->indexCount * 4 );

	supVec3 expected[292], actual[292];
	assert_int_equal( before->vertexCount, 292 );
	supPose* poses[2] = { supCreatePose( tube ), supCreatePose( bound ) };
	for ( int moving = 0; moving < 2; ++moving )
	{
		if ( moving )
		{
			supPose_ApplyClip( poses[0], supCharacter_FindClip( tube, "bend" ), 1.0f );
			supPose_ApplyClip( poses[1], supCharacter_FindClip( bound, "bend" ), 1.0f );
		}
		supSkinInstance( poses[0], 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = expected } );
		supSkinInstance( poses[1], 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = actual } );
		float worst = 0.0f;
		for ( int i = 0; i < 292; ++i )
		{
			worst = supMaxFloat( worst, supDistance( expected[i], actual[i] ) );
		}
		// at rest exactly; bent, within the tube's radius of 0.15, since the two blend over different lengths
		testLess( worst, ( moving ? 0.15f : 1e-6f ) );
	}
	// far from the joint one bone has it all but for a little
	for ( int32_t i = 0; i < after->vertexCount; ++i )
	{
		if ( after->positions[i].x < -0.8f || after->positions[i].x > 0.8f )
		{
			testGreater( after->weights[i * after->influences], 0.9f );
			assert_int_equal( after->joints[i * after->influences], after->positions[i].x < 0.0f ? 0 : 1 );
		}
	}
	supDestroyPose( poses[0] );
	supDestroyPose( poses[1] );
	supDestroyCharacter( bound );
	supDestroyCharacter( tube );
}

// A skeleton of another size and place is brought to the mesh.
static void TestFit( void** state )
{
	(void)state;
	supCharacter* gnome = CreateModel( "smurf" );
	supCharacter* human = CreateModel( "human" );
	supBindDef def = supDefaultBindDef();
	def.resolution = 48;
	supError error = { 0 };
	def.fit = true;
	supCharacter* bound = supBindCharacter( gnome, human, &def, &error );
	testRequire( bound != NULL, &error );
	supPose* pose = supCreatePose( bound );
	const supMesh* mesh = supCharacter_Mesh( bound, 0 );
	supBox skin = supBox_empty;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		skin = supBox_Include( skin, mesh->positions[i] );
	}
	supVec3 head = supPose_Worlds( pose )[supCharacter_FindNode( bound, "Head" )].t;
	testGreater( head.y, 0.7f * skin.upper.y );
	testLess( head.y, skin.upper.y );
	// at rest the mesh is where it was
	supVec3* positions = test_malloc( (size_t)mesh->vertexCount * sizeof( supVec3 ) );
	supSkinInstance( pose, 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = positions } );
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		testLess( supDistance( positions[i], mesh->positions[i] ), 1e-5f );
	}
	test_free( positions );
	supDestroyPose( pose );
	supDestroyCharacter( bound );
	supDestroyCharacter( gnome );
	supDestroyCharacter( human );
}

static void TestThreadsGiveTheSame( void** state )
{
	(void)state;
	supCharacter* tube = CreateModel( "tube5" );
	uint64_t hashes[2];
	for ( int i = 0; i < 2; ++i )
	{
		supThreadPool* pool = supCreateThreadPool( 1 + 2 * i );
		supBindDef def = supDefaultBindDef();
		def.tasks = supThreadPool_Tasks( pool );
		supCharacter* bound = supBindCharacter( tube, tube, &def, NULL );
		assert_non_null( bound );
		hashes[i] = supCharacter_Hash( bound );
		supDestroyCharacter( bound );
		supDestroyThreadPool( pool );
	}
	assert_true( hashes[0] == hashes[1] );
	supDestroyCharacter( tube );
}

static void TestInfluencesAndErrors( void** state )
{
	(void)state;
	supCharacter* tube = CreateModel( "tube5" );
	supBindDef def = supDefaultBindDef();
	supError error = { 0 };
	def.influences = 2;
	supCharacter* bound = supBindCharacter( tube, tube, &def, &error );
	testRequire( bound != NULL, &error );
	assert_int_equal( supCharacter_Mesh( bound, 0 )->influences, 2 );
	supDestroyCharacter( bound );
	def.influences = 9;
	assert_null( supBindCharacter( tube, tube, &def, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	def = supDefaultBindDef();
	def.resolution = 0;
	assert_null( supBindCharacter( tube, tube, &def, &error ) );
	supDestroyCharacter( tube );
}

static bool AttemptBind( void* context )
{
	supBindDef def = supDefaultBindDef();
	def.resolution = 16;
	def.fit = true;
	supError error = { 0 };
	supCharacter* bound = supBindCharacter( context, context, &def, &error );
	assert_true( bound != NULL || error.code == sup_errorMemory );
	supDestroyCharacter( bound );
	return bound != NULL;
}

static void TestAllocationFailures( void** state )
{
	(void)state;
	supCharacter* tube = CreateModel( "tube" );
	testEachAllocationFailure( AttemptBind, tube, 60 );
	supDestroyCharacter( tube );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestTubeOnItsOwnBones ),  cmocka_unit_test( TestFit ),
		cmocka_unit_test( TestThreadsGiveTheSame ), cmocka_unit_test( TestInfluencesAndErrors ),
		cmocka_unit_test( TestAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
