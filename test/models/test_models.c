// SPDX-License-Identifier: MIT
// The built-in characters: closed, right side out, well weighted, the same everywhere.
#include "support.h"

#include "models/creature.h"
#include "models/models.h"
#include "models/tube.h"

#include <math.h>
#include <string.h>

static void TestEveryModel( void** state )
{
	(void)state;
	testGreater( supGetModelCount(), 0 );
	// creatures are made alike: every third shows a sanitizer all of it
	int32_t stride = testRounds( 1, 3 );
	for ( int32_t i = 0; i < supGetModelCount(); i += stride )
	{
		const supModel* model = supGetModel( i );
		supError error = { 0 };
		supCharacter* character = model->create( &error );
		testRequire( character != NULL, &error );
		assert_ptr_equal( supFindModel( model->name ), model );
		assert_string_equal( supCharacter_Name( character ), model->name );
		assert_int_equal( supCharacter_NoteCount( character ), 0 );
		testGreater( supCharacter_ClipCount( character ), 0 );
		supSurfaceReport report;
		testRequire( supCheckSurface( character, &report, &error ), &error );
		assert_true( report.watertight );
		// the skin, and two eyes where there is a second mesh
		assert_int_equal( report.parts, supCharacter_MeshCount( character ) == 1 ? 1 : 3 );
		assert_int_equal( report.misorientedEdges, 0 );
		assert_int_equal( report.degenerateTriangles, 0 );
		assert_int_equal( report.duplicateTriangles, 0 );
		assert_int_equal( report.weldedVertexCount, report.vertexCount );
		testGreater( report.volume, 0.0f );
		supDestroyCharacter( character );
	}
	assert_null( supFindModel( "no such creature" ) );
}

static void TestTubeShape( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* tube = supCreateTube( &error );
	testRequire( tube != NULL, &error );
	const supMesh* mesh = supCharacter_Mesh( tube, 0 );
	assert_int_equal( mesh->vertexCount, SUP_TUBE_VERTICES );
	assert_int_equal( mesh->indexCount, 3 * SUP_TUBE_TRIANGLES );
	// every vertex lies on a capsule of radius 0.15, and its normal points away from the axis
	for ( int32_t v = 0; v < mesh->vertexCount; ++v )
	{
		supVec3 p = mesh->positions[v];
		supVec3 onAxis = supMakeVec3( supClampFloat( p.x, -0.85f, 0.85f ), 0.0f, 0.0f );
		supVec3 out = supSub( p, onAxis );
		assert_float_equal( supLength( out ), 0.15f, 1e-6f );
		assert_float_equal( supDot( supNormalize( out ), mesh->normals[v] ), 1.0f, 1e-6f );
	}
	// triangles agree with the normals, and none is a sliver
	for ( int32_t t = 0; t < mesh->indexCount; t += 3 )
	{
		const uint32_t* corner = mesh->indices + t;
		supVec3 a = mesh->positions[corner[0]], b = mesh->positions[corner[1]], c = mesh->positions[corner[2]];
		supVec3 area = supCross( supSub( b, a ), supSub( c, a ) );
		testGreater( supDot( area, mesh->normals[corner[0]] ), 0.0f );
		float longest = fmaxf( supDistance( a, b ), fmaxf( supDistance( b, c ), supDistance( c, a ) ) );
		testGreater( supLength( area ), 0.4f * longest * longest );
	}
	supDestroyCharacter( tube );
}

// Weights are a partition of unity that changes smoothly: by no more than the steepest slope of a smooth step times the
// distance between neighbours.
static void TestTubeWeights( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* tube = supCreateTube5( &error );
	testRequire( tube != NULL, &error );
	const supMesh* mesh = supCharacter_Mesh( tube, 0 );
	assert_int_equal( supCharacter_Skin( tube, 0 )->jointCount, 5 );
	float reach = 0.4f * 2.0f / 5.0f;
	for ( int32_t i = 0; i < mesh->indexCount; ++i )
	{
		int32_t next = i % 3 == 2 ? i - 2 : i + 1;
		float weights[2][5] = { { 0 } };
		uint32_t ends[2] = { mesh->indices[i], mesh->indices[next] };
		for ( int e = 0; e < 2; ++e )
		{
			float sum = 0.0f;
			for ( int32_t k = 0; k < mesh->influences; ++k )
			{
				size_t slot = (size_t)ends[e] * (size_t)mesh->influences + (size_t)k;
				weights[e][mesh->joints[slot]] += mesh->weights[slot];
				sum += mesh->weights[slot];
			}
			assert_float_equal( sum, 1.0f, 1e-6f );
		}
		float step = fabsf( mesh->positions[ends[0]].x - mesh->positions[ends[1]].x );
		for ( int j = 0; j < 5; ++j )
		{
			testLessEqual( fabsf( weights[0][j] - weights[1][j] ), 0.75f * step / reach + 1e-5f );
		}
	}
	supDestroyCharacter( tube );
}

// The far end turns by 180 degrees about x and by 120 degrees about z, whatever the number of bones.
static void TestTubeClips( void** state )
{
	(void)state;
	for ( int32_t i = 0; i < supGetModelCount(); ++i )
	{
		const supModel* model = supGetModel( i );
		if ( strncmp( model->name, "tube", 4 ) != 0 )
		{
			continue;
		}
		supError error = { 0 };
		supCharacter* tube = model->create( &error );
		testRequire( tube != NULL, &error );
		const supSkin* skin = supCharacter_Skin( tube, 0 );
		supPose* pose = supCreatePose( tube );
		assert_non_null( pose );
		int32_t last = skin->joints[skin->jointCount - 1];
		supPose_ApplyClip( pose, supCharacter_FindClip( tube, "twist" ), 1.0f );
		supMat34 world = supPose_Worlds( pose )[last];
		assert_float_equal( world.cy.y, -1.0f, 1e-5f );
		assert_float_equal( world.cx.x, 1.0f, 1e-5f );
		supPose_SetRest( pose );
		supPose_ApplyClip( pose, supCharacter_FindClip( tube, "bend" ), 1.0f );
		world = supPose_Worlds( pose )[last];
		assert_float_equal( world.cx.x, -0.5f, 1e-5f );
		assert_float_equal( world.cx.y, 0.8660254f, 1e-5f );
		// and back at rest at the end
		supPose_ApplyClip( pose, supCharacter_FindClip( tube, "bend" ), 2.0f );
		assert_float_equal( supPose_Worlds( pose )[last].cx.x, 1.0f, 1e-6f );
		supDestroyPose( pose );
		supDestroyCharacter( tube );
	}
}

static bool TryCreate( void* context )
{
	supError error = { 0 };
	supCharacter* character = ( (const supModel*)context )->create( &error );
	assert_true( character != NULL || error.code == sup_errorMemory );
	supDestroyCharacter( character );
	return character != NULL;
}

static void Nod( creaturePose* pose, float phase, float duration )
{
	(void)duration;
	creatureTurn( pose, "Head", 1.0f, 0.0f, 0.0f, 20.0f * creatureSin( phase ) );
	creatureFloor( pose, 0.0f );
}

// Sculpted as the others are, but small: bones, a hollow, paint, an eye and a clip.
static supCharacter* CreateNewt( supError* error )
{
	creature c;
	creatureInit( &c, "newt" );
	int32_t hips = creatureJoint( &c, "Hips", -1, vec( 0.0f, 0.1f, -0.2f ) );
	int32_t head = creatureJoint( &c, "Head", hips, vec( 0.0f, 0.1f, 0.2f ) );
	creatureBone( &c, hips, head, 0.1f, 0.08f, 0.05f, supVec3_one );
	creatureEllipsoid( &c, head, vec( 0.0f, 0.1f, 0.25f ), vec( 0.09f, 0.08f, 0.12f ), 0.05f, supVec3_one );
	creatureEllipsoid( &c, head, vec( 0.0f, 0.1f, 0.38f ), vec( 0.03f, 0.02f, 0.03f ), 0.02f, supVec3_zero )->use =
		sculpt_carve;
	creatureEllipsoid( &c, hips, vec( 0.0f, 0.0f, 0.0f ), vec( 0.1f, 0.05f, 0.2f ), 0.02f, supVec3_zero )->use =
		sculpt_paint;
	creatureEye( &c, head, vec( 0.05f, 0.16f, 0.3f ), 0.02f, vec( 0.0f, 0.0f, 1.0f ), supVec3_zero );
	creatureClip( &c, "Nod", 0.5f, Nod );
	return creatureFinish( &c, 300, 0.5f, error );
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	for ( int32_t i = 0; i < supGetModelCount(); ++i )
	{
		supModel model = *supGetModel( i );
		if ( strncmp( model.name, "tube", 4 ) == 0 )
		{
			testEachAllocationFailure( TryCreate, &model, 200 );
		}
	}
	supModel newt = { .name = "newt", .create = CreateNewt };
	testEachAllocationFailure( TryCreate, &newt, 200 );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestEveryModel ), cmocka_unit_test( TestTubeShape ),   cmocka_unit_test( TestTubeWeights ),
		cmocka_unit_test( TestTubeClips ),  cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
