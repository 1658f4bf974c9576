// SPDX-License-Identifier: MIT
// Differences between two sets of weights against plain loops over dense tables.
#include "support.h"

#include "models/models.h"
#include "supple/io.h"
#include "volume/binding/bind.h"
#include "volume/weights/compare_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static supCharacter* CreateModel( const char* name )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( name )->create( &error );
	testRequire( character != NULL, &error );
	return character;
}

static supCharacter* BindAnew( const supCharacter* character, supBindWeights weights )
{
	supBindDef def = supDefaultBindDef();
	def.resolution = 32;
	def.weights = weights;
	supError error = { 0 };
	supCharacter* bound = supBindCharacter( character, character, &def, &error );
	testRequire( bound != NULL, &error );
	return bound;
}

static void TestTheSameIsNoDifference( void** state )
{
	(void)state;
	supCharacter* tube = CreateModel( "tube5" );
	supCompareDef def = supDefaultCompareDef();
	def.own = tube;
	def.other = tube;
	supWeightsComparison comparison = { 0 };
	supError error = { 0 };
	testRequire( supCompareWeights( &comparison, &def, &error ), &error );
	assert_true( comparison.mean == 0.0 && comparison.most == 0.0 );
	assert_int_equal( comparison.clipCount, supCharacter_ClipCount( tube ) );
	assert_true( comparison.mostDistance == 0.0 );
	double own = 0.0, other = 0.0;
	for ( int32_t i = 0; i < comparison.boneCount; ++i )
	{
		own += comparison.bones[i].own;
		other += comparison.bones[i].other;
	}
	testLess( fabs( own - 1.0 ), 1e-6 );
	testLess( fabs( other - 1.0 ), 1e-6 );
	supWeightsComparison_Destroy( &comparison );
	supDestroyCharacter( tube );
}

// One row of weights by node for each vertex of the only instance.
static double* DenseWeights( const supCharacter* character )
{
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh );
	const supSkin* skin = supCharacter_Skin( character, supCharacter_Instance( character, 0 )->skin );
	size_t nodes = (size_t)supCharacter_NodeCount( character );
	double* rows = calloc( (size_t)mesh->vertexCount * nodes, sizeof( double ) );
	assert_non_null( rows );
	for ( int32_t k = 0; k < mesh->vertexCount * mesh->influences; ++k )
	{
		rows[(size_t)( k / mesh->influences ) * nodes + (size_t)skin->joints[mesh->joints[k]]] +=
			(double)mesh->weights[k];
	}
	return rows;
}

// Distance of the two skins of a vertex at a moment of a clip, by sums of matrices.
static double SkinDistance( supPose* own, supPose* other, const double* rows[2], int32_t vertex )
{
	const supCharacter* characters[2] = { supPose_Character( own ), supPose_Character( other ) };
	supPose* poses[2] = { own, other };
	double places[2][3] = { { 0 } };
	for ( int32_t side = 0; side < 2; ++side )
	{
		const supCharacter* c = characters[side];
		const supSkin* skin = supCharacter_Skin( c, 0 );
		const supMesh* mesh = supCharacter_Mesh( c, supCharacter_Instance( c, 0 )->mesh );
		const supMat34* worlds = supPose_Worlds( poses[side] );
		for ( int32_t j = 0; j < skin->jointCount; ++j )
		{
			double w = rows[side][(size_t)vertex * (size_t)supCharacter_NodeCount( c ) + (size_t)skin->joints[j]];
			supVec3 p = supTransformPoint( worlds[skin->joints[j]],
										   supTransformPoint( skin->inverseBinds[j], mesh->positions[vertex] ) );
			places[side][0] += w * (double)p.x;
			places[side][1] += w * (double)p.y;
			places[side][2] += w * (double)p.z;
		}
	}
	double d[3] = { places[0][0] - places[1][0], places[0][1] - places[1][1], places[0][2] - places[1][2] };
	return sqrt( d[0] * d[0] + d[1] * d[1] + d[2] * d[2] );
}

static void TestAgainstDenseTables( void** state )
{
	(void)state;
	supCharacter* tube = CreateModel( "tube5" );
	supCharacter* bound = BindAnew( tube, sup_bindHeuristic );
	supCompareDef def = supDefaultCompareDef();
	def.own = tube;
	def.other = bound;
	def.samples = 3;
	def.worstCount = 7;
	supWeightsComparison comparison = { 0 };
	supError error = { 0 };
	testRequire( supCompareWeights( &comparison, &def, &error ), &error );

	double* own = DenseWeights( tube );
	double* other = DenseWeights( bound );
	int32_t ownNodes = supCharacter_NodeCount( tube ), otherNodes = supCharacter_NodeCount( bound );
	double total = 0.0, most = 0.0;
	for ( int32_t v = 0; v < comparison.vertexCount; ++v )
	{
		double sum = 0.0;
		for ( int32_t i = 0; i < otherNodes; ++i )
		{
			double a = i < ownNodes ? own[v * ownNodes + i] : 0.0, b = other[v * otherNodes + i];
			sum += 0.5 * fabs( a - b );
		}
		testLess( fabs( sum - (double)comparison.differences[v] ), 1e-6 );
		total += sum;
		most = fmax( most, sum );
	}
	testGreater( most, 0.1 );
	testLess( fabs( comparison.mean - total / comparison.vertexCount ), 1e-6 );
	assert_int_equal( comparison.worstCount, 7 );
	testLess( fabs( (double)comparison.worst[0].difference - most ), 1e-6 );
	// nobody outside of the list is worse than its last
	int32_t worse = 0;
	for ( int32_t v = 0; v < comparison.vertexCount; ++v )
	{
		worse += comparison.differences[v] > comparison.worst[6].difference;
	}
	testLessEqual( worse, 6 );

	const double* rows[2] = { own, other };
	supPose* poses[2] = { supCreatePose( tube ), supCreatePose( bound ) };
	for ( int32_t i = 0; i < comparison.clipCount; ++i )
	{
		double sum = 0.0, farthest = 0.0;
		const supClip* clip = supCharacter_Clip( tube, i );
		for ( int32_t k = 0; k < 3; ++k )
		{
			float time = clip->start + ( clip->end - clip->start ) * ( (float)k + 0.5f ) / 3.0f;
			supPose_ApplyClip( poses[0], clip, time );
			supPose_ApplyClip( poses[1], supCharacter_Clip( bound, i ), time );
			for ( int32_t v = 0; v < comparison.vertexCount; ++v )
			{
				double d = SkinDistance( poses[0], poses[1], rows, v ) / (double)comparison.size;
				sum += d;
				farthest = fmax( farthest, d );
			}
		}
		testLess( fabs( comparison.clips[i].mean - sum / ( 3.0 * comparison.vertexCount ) ), 1e-6 );
		testLess( fabs( comparison.clips[i].most - farthest ), 1e-6 );
	}
	supDestroyPose( poses[0] );
	supDestroyPose( poses[1] );
	free( own );
	free( other );
	supWeightsComparison_Destroy( &comparison );
	supDestroyCharacter( bound );
	supDestroyCharacter( tube );
}

static void TestRefusals( void** state )
{
	(void)state;
	supCharacter* tube = CreateModel( "tube" );
	supCharacter* tube5 = CreateModel( "tube5" );
	// of a skeleton with more joints, and of the same with other names
	supNode node = { .name = "elsewhere", .parent = -1, .rest = supTransform_identity };
	supMesh mesh = *supCharacter_Mesh( tube, 0 );
	mesh.influences = 0;
	mesh.joints = NULL;
	mesh.weights = NULL;
	mesh.primitiveCount = 0;
	mesh.primitives = NULL;
	supInstance instance = { .skin = -1 };
	supCharacterDef plain = supDefaultCharacterDef();
	plain.nodeCount = 1;
	plain.nodes = &node;
	plain.meshCount = 1;
	plain.meshes = &mesh;
	plain.instanceCount = 1;
	plain.instances = &instance;
	supCharacter* renamed = supCreateCharacter( &plain, NULL );
	assert_non_null( renamed );
	supCharacter* others[] = { tube5, renamed };
	supWeightsComparison comparison = { 0 };
	supError error = { 0 };
	supCompareDef def = supDefaultCompareDef();
	for ( int32_t i = 0; i < 2; ++i )
	{
		def.own = others[i];
		def.other = tube;
		assert_false( supCompareWeights( &comparison, &def, &error ) );
		assert_int_equal( error.code, sup_errorArgument );
		assert_null( comparison.differences );
	}
	def.own = tube;
	def.samples = -1;
	assert_false( supCompareWeights( &comparison, &def, &error ) );
	supDestroyCharacter( tube );
	supDestroyCharacter( tube5 );
	supDestroyCharacter( renamed );
}

static bool Attempt( void* context )
{
	supCompareDef def = *(const supCompareDef*)context;
	supWeightsComparison comparison = { 0 };
	supError error = { 0 };
	bool ok = supCompareWeights( &comparison, &def, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supWeightsComparison_Destroy( &comparison );
	return ok;
}

static void TestOutOfMemory( void** state )
{
	(void)state;
	supCharacter* tube = CreateModel( "tube" );
	supCompareDef def = supDefaultCompareDef();
	def.own = tube;
	def.other = tube;
	testEachAllocationFailure( Attempt, &def, 60 );
	supDestroyCharacter( tube );
}

// A vertex that is split along seams is listed once.
static void TestSeams( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* fox = supLoadCharacter( testAsset( "characters/Fox.glb" ), &error );
	testRequire( fox != NULL, &error );
	supCharacter* bound = BindAnew( fox, sup_bindHeuristic );
	supCompareDef def = supDefaultCompareDef();
	def.own = fox;
	def.other = bound;
	def.samples = 0;
	supWeightsComparison comparison = { 0 };
	testRequire( supCompareWeights( &comparison, &def, &error ), &error );
	assert_int_equal( comparison.worstCount, def.worstCount );
	for ( int32_t i = 0; i < comparison.worstCount; ++i )
	{
		for ( int32_t k = 0; k < i; ++k )
		{
			testGreater( supDistance( comparison.worst[i].position, comparison.worst[k].position ), 0.0f );
		}
	}
	supWeightsComparison_Destroy( &comparison );
	supDestroyCharacter( bound );
	supDestroyCharacter( fox );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestTheSameIsNoDifference ),
		cmocka_unit_test( TestAgainstDenseTables ),
		cmocka_unit_test( TestSeams ),
		cmocka_unit_test( TestRefusals ),
		cmocka_unit_test( TestOutOfMemory ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
