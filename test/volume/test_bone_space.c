// SPDX-License-Identifier: MIT
// Places relative to bones, and softness copied from one character to another.
#include "volume/softness/bone_space.h"

#include "core/core.h"
#include "models/models.h"
#include "supple/supple.h"
#include "support.h"

#include <math.h>

static supCharacter* s_bunny;
static supCharacter* s_human;

static supCharacter* CreateModel( const char* name )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( name )->create( &error );
	testRequire( character != NULL, &error );
	return character;
}

static int Open( void** state )
{
	(void)state;
	s_bunny = CreateModel( "bunny" );
	s_human = CreateModel( "human" );
	return 0;
}

static int Close( void** state )
{
	(void)state;
	supDestroyCharacter( s_bunny );
	supDestroyCharacter( s_human );
	return 0;
}

static supSkeletonSpaces OpenSpaces( const supCharacter* character )
{
	supError error = { 0 };
	supSkeletonSpaces spaces = { 0 };
	testRequire( supSkeletonSpaces_Init( &spaces, character, NULL, &error ), &error );
	return spaces;
}

static void TestBonesByRole( void** state )
{
	(void)state;
	supHumanoid h;
	assert_true( supRecognizeHumanoid( s_human, &h ) );
	assert_int_equal( supFindBone( s_human, "head" ), h.head );
	assert_int_equal( supFindBone( s_human, "hips" ), h.hips );
	assert_int_equal( supFindBone( s_human, "leftUpperArm" ), h.limb[0][sup_partUpperArm] );
	assert_int_equal( supFindBone( s_human, "rightLowerLeg" ), h.limb[1][sup_partLowerLeg] );
	assert_int_equal( supFindBone( s_human, "chest" ), h.spine[h.spineCount - 1] );
	// its own name goes first, in any case and with a prefix
	const char* own = supCharacter_Node( s_human, h.limb[1][sup_partFoot] )->name;
	char prefixed[128];
	snprintf( prefixed, sizeof( prefixed ), "mixamorig:%s", own );
	assert_int_equal( supFindBone( s_human, own ), h.limb[1][sup_partFoot] );
	assert_int_equal( supFindBone( s_human, prefixed ), h.limb[1][sup_partFoot] );
	assert_int_equal( supFindBone( s_human, "leftTentacle" ), -1 );
	assert_int_equal( supFindBone( s_human, "left" ), -1 );
	assert_true( supGetBoneLength( s_human, -1 ) == 0.0f );
}

// Axes are a right-handed frame, a place comes back, left is left on both sides, and the nose is in front.
static void TestSpaces( void** state )
{
	(void)state;
	const supCharacter* characters[] = { s_bunny, s_human };
	for ( int32_t c = 0; c < 2; ++c )
	{
		supSkeletonSpaces spaces = OpenSpaces( characters[c] );
		for ( int32_t i = 0; i < supCharacter_NodeCount( characters[c] ); ++i )
		{
			supBoneSpace space = supSkeletonSpaces_Find( &spaces, i );
			testGreater( space.length, 0.0f );
			testLess( fabsf( supLength( space.y ) - 1.0f ), 1e-5f );
			testLess( fabsf( supDot( space.x, space.y ) ), 1e-5f );
			testLess( fabsf( supDot( space.y, space.z ) ), 1e-5f );
			testLess( supDistance( supCross( space.x, space.y ), space.z ), 1e-5f );
			supVec3 p = supMakeVec3( 0.3f, -0.2f, 1.1f );
			testLess( supDistance( supBoneSpace_FromWorld( &space, supBoneSpace_ToWorld( &space, p ) ), p ), 1e-4f );
		}
		supBoneSpace head = supSkeletonSpaces_Find( &spaces, supFindBone( characters[c], "head" ) );
		testGreater( head.y.y, 0.9f );
		testGreater( supDot( head.z, spaces.forward ), 0.9f );
		supBoneSpace hips = supSkeletonSpaces_Find( &spaces, supFindBone( characters[c], "hips" ) );
		supVec3 left = spaces.joints[supFindBone( characters[c], "leftUpperArm" )];
		testGreater( supBoneSpace_FromWorld( &hips, left ).x, 0.0f );
		supSkeletonSpaces_Destroy( &spaces );
	}
}

// There and back a ball and a capsule are where they were.
static void TestCopyOfPlaces( void** state )
{
	(void)state;
	supError error = { 0 };
	supSkeletonSpaces bunny = OpenSpaces( s_bunny ), human = OpenSpaces( s_human );
	supSoftRegion given[3] = { supDefaultSoftRegion(), supDefaultSoftRegion(), supDefaultSoftRegion() };
	supBoneSpace hips = supSkeletonSpaces_Find( &bunny, supFindBone( s_bunny, "hips" ) );
	given[0].name = "belly";
	given[0].shape = sup_softSphere;
	given[0].center = supBoneSpace_ToWorld( &hips, supMakeVec3( 0.0f, 0.4f, 0.3f ) );
	given[0].radius = 0.2f;
	given[0].reach = 0.03f;
	given[1].shape = sup_softCapsule;
	given[1].isInBoneSpace = true;
	given[1].node = supFindBone( s_bunny, "leftUpperLeg" );
	given[1].center = supMakeVec3( 0.0f, 0.2f, 0.0f );
	given[1].end = supMakeVec3( 0.0f, 0.8f, 0.0f );
	given[1].radius = 0.3f;
	given[2].shape = sup_softNode;
	given[2].node = supFindBone( s_bunny, "head" );
	supSoftnessCopy* there = supCopySoftness( s_bunny, given, 3, s_human, NULL, &error );
	testRequire( there != NULL, &error );
	assert_int_equal( there->count, 3 );
	assert_int_equal( there->lost, 0 );
	assert_string_equal( there->regions[0].name, "belly" );
	assert_int_equal( there->regions[1].node, supFindBone( s_human, "leftUpperLeg" ) );
	assert_int_equal( there->regions[2].node, supFindBone( s_human, "head" ) );
	// in front of the middle of the other's trunk
	supVec3 belly = supResolveSoftRegion( &human, there->regions ).center;
	supBoneSpace trunk = supSkeletonSpaces_Find( &human, supFindBone( s_human, "hips" ) );
	supVec3 place = supBoneSpace_FromWorld( &trunk, belly );
	testLess( fabsf( place.x ), 0.1f );
	testGreater( place.y, 0.1f );
	testLess( place.y, 0.7f );
	testGreater( place.z, 0.1f );
	supSoftnessCopy* back = supCopySoftness( s_human, there->regions, there->count, s_bunny, NULL, &error );
	testRequire( back != NULL, &error );
	assert_int_equal( back->count, 3 );
	for ( int32_t i = 0; i < 2; ++i )
	{
		supSoftRegion a = supResolveSoftRegion( &bunny, given + i ),
					  b = supResolveSoftRegion( &bunny, back->regions + i );
		testLess( supDistance( a.center, b.center ), 1e-4f );
		testLess( fabsf( a.radius - b.radius ), 1e-4f );
		assert_true( i == 0 || supDistance( a.end, b.end ) < 1e-4f );
		testLess( fabsf( a.reach - b.reach ), 1e-5f );
	}
	assert_int_equal( back->regions[2].node, given[2].node );
	supDestroySoftnessCopy( back );
	supDestroySoftnessCopy( there );
	supSkeletonSpaces_Destroy( &bunny );
	supSkeletonSpaces_Destroy( &human );
}

static bool IsBelow( const supCharacter* character, int32_t node, int32_t ancestor )
{
	while ( node >= 0 && node != ancestor )
	{
		node = supCharacter_Node( character, node )->parent;
	}
	return node >= 0;
}

// A list of vertices, all of the bunny's head and ears, becomes the human's head and nothing else.
static void TestCopyOfSkin( void** state )
{
	(void)state;
	supError error = { 0 };
	supSkeletonSpaces bunny = OpenSpaces( s_bunny ), human = OpenSpaces( s_human );
	int32_t head = supFindBone( s_bunny, "head" ), otherHead = supFindBone( s_human, "head" );
	int32_t vertices[16384], count = 0;
	for ( int32_t i = bunny.surface.vertexStarts[0]; i < bunny.surface.vertexStarts[1]; ++i )
	{
		if ( IsBelow( s_bunny, bunny.owners[i], head ) )
		{
			testLess( count, SUP_COUNT( vertices ) );
			vertices[count++] = i;
		}
	}
	testGreater( count, 50 );
	supSoftRegion region = supDefaultSoftRegion();
	region.shape = sup_softVertices;
	region.vertices = vertices;
	region.vertexCount = count;
	supSoftnessCopy* copy = supCopySoftness( s_bunny, &region, 1, s_human, NULL, &error );
	testRequire( copy != NULL, &error );
	testGreaterEqual( copy->count, 1 );
	assert_int_equal( copy->regions[0].shape, sup_softValues );
	int32_t right = 0, wrong = 0, heads = 0;
	const supSoftRegion* values = copy->regions;
	for ( int32_t i = 0; i < values->vertexCount; ++i )
	{
		int32_t owner = human.owners[human.surface.vertexStarts[values->instance] + i];
		bool isSoft = values->values[i] > 0.5f, isHead = IsBelow( s_human, owner, otherHead );
		heads += isHead ? 1 : 0;
		right += isSoft && isHead ? 1 : 0;
		wrong += isSoft && isHead == false ? 1 : 0;
	}
	print_message( "%d vertices of the head, %d of them soft, %d others\n", heads, right, wrong );
	testGreater( heads, 20 );
	testGreaterEqual( 10 * right, 9 * heads );
	testLessEqual( 10 * wrong, heads );
	supDestroySoftnessCopy( copy );
	supSkeletonSpaces_Destroy( &bunny );
	supSkeletonSpaces_Destroy( &human );
}

static void TestRefused( void** state )
{
	(void)state;
	supError error = { 0 };
	assert_null( supCopySoftness( s_bunny, NULL, 0, s_human, NULL, &error ) );
	assert_string_equal( error.where, "softness" );
	supSoftRegion region = supDefaultSoftRegion();
	region.shape = sup_softNode;
	region.node = 100000;
	assert_null( supCopySoftness( s_bunny, &region, 1, s_human, NULL, &error ) );
	supCharacter* tube = CreateModel( "tube" );
	region.shape = sup_softAll;
	assert_null( supCopySoftness( s_bunny, &region, 1, tube, NULL, &error ) );
	assert_string_equal( error.where, "skeleton" );
	supDestroyCharacter( tube );
	supDestroySoftnessCopy( NULL );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestBonesByRole ), cmocka_unit_test( TestSpaces ),  cmocka_unit_test( TestCopyOfPlaces ),
		cmocka_unit_test( TestCopyOfSkin ),  cmocka_unit_test( TestRefused ),
	};
	return cmocka_run_group_tests( tests, Open, Close );
}
