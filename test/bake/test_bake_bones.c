// SPDX-License-Identifier: MIT
// Bakes as helper bones: the file moves as its report says, the skeleton stays as it was, loops close.
#include "bake_fixture.h"

#include "character/character.h"
#include "io/gltf/document.h"
#include "models/models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Dual quaternions are cheap, and what linear skinning lacks of them is for bones to do.
static void Use( Fixture* f, supCharacter* character, float unit )
{
	UseCharacter( f, character );
	supCharacter_SetUnit( f->character, unit );
	BuildFlesh( f, sup_methodDqs );
}

static void UseTube( Fixture* f, float unit )
{
	supError error = { 0 };
	Use( f, supFindModel( "tube" )->create( &error ), unit );
}

static supBake* Bake( Fixture* f, const supClip* clip, bool loop )
{
	supBakeDef def = supDefaultBakeDef();
	def.clip = clip;
	def.framesPerSecond = 15.0f;
	def.loop = loop;
	return BakeAs( f, &def );
}

static supBonesDef SmallDef( void )
{
	supBonesDef def = supDefaultBonesDef();
	def.helperCount = 6;
	def.rounds = 4;
	return def;
}

// RMS of a clip of the file from the frames of a bake, by supFrames: in units of the file.
static double MeasureClip( supBake* bake, const supCharacter* result, int32_t clip )
{
	supFrames frames = supBake_Frames( bake );
	supPose* pose = supCreatePose( result );
	double sum = 0.0, total = 0.0;
	for ( int32_t f = 0; f < frames.frameCount; ++f )
	{
		supPose_SetRest( pose );
		supPose_ApplyClip( pose, supCharacter_Clip( result, clip ), frames.start + (float)f / frames.framesPerSecond );
		for ( int32_t i = 0; i < supCharacter_InstanceCount( result ); ++i )
		{
			int32_t count = supCharacter_Mesh( result, supCharacter_Instance( result, i )->mesh )->vertexCount;
			supVec3* baked = malloc( (size_t)count * sizeof( supVec3 ) );
			supVec3* skinned = malloc( (size_t)count * sizeof( supVec3 ) );
			assert_true( frames.read( f, i, baked, NULL, frames.context, NULL ) );
			supSkinInstance( pose, i, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = skinned } );
			for ( int32_t v = 0; v < count; ++v )
			{
				sum += (double)supLengthSquared( supSub( baked[v], skinned[v] ) );
			}
			total += count;
			free( baked );
			free( skinned );
		}
	}
	supDestroyPose( pose );
	return sqrt( sum / total );
}

static void TestFileMovesAsReported( void** state )
{
	Fixture* f = *state;
	UseTube( f, 1.0f );
	int32_t nodeCount = supCharacter_NodeCount( f->character );
	// in another order than the file has them
	supBake* bakes[2] = { Bake( f, supCharacter_Clip( f->character, 1 ), false ),
						  Bake( f, supCharacter_Clip( f->character, 0 ), false ) };
	supBonesDef def = SmallDef();
	supBonesReport report;
	supBonesClipReport clips[2];
	supError error = { 0 };
	testRequire( supDocument_AddBones( f->document, bakes, 2, &def, 1e-4f, false, &report, clips, &error ), &error );
	supCharacter* result = Reload( f->document );
	assert_int_equal( supCharacter_ClipCount( result ), 2 );
	for ( int32_t i = 0; i < 2; ++i )
	{
		const supClip* clip = supCharacter_Clip( result, i );
		assert_string_equal( clip->name, supCharacter_Clip( f->character, 1 - i )->name );
		double rms = MeasureClip( bakes[i], result, i );
		print_message( "%s: %.3g m, plain %.3g m\n", clip->name, rms, (double)clips[i].plain.rms );
		assert_float_equal( rms, clips[i].error.rms, 1e-3 * rms );
		testLess( rms, 0.5 * (double)clips[i].plain.rms );
	}
	testGreater( report.keyCount, 0 );
	testLessEqual( report.keyCount, report.sampledKeyCount );
	// the skeleton is as it was, and helpers hang below joints of it
	assert_int_equal( supCharacter_NodeCount( result ), nodeCount + report.helperCount );
	for ( int32_t i = 0; i < nodeCount; ++i )
	{
		const supNode *a = supCharacter_Node( f->character, i ), *b = supCharacter_Node( result, i );
		assert_string_equal( a->name, b->name );
		assert_int_equal( a->parent, b->parent );
		assert_memory_equal( &a->rest, &b->rest, sizeof( a->rest ) );
	}
	for ( int32_t i = nodeCount; i < supCharacter_NodeCount( result ); ++i )
	{
		assert_true( supCharacter_IsJoint( f->character, supCharacter_Node( result, i )->parent ) );
		assert_non_null( strstr( supCharacter_Node( result, i )->name, " helper " ) );
	}
	assert_int_equal( supCharacter_Mesh( result, 0 )->influences, 4 );
	supDestroyCharacter( result );
}

// At rest, and in clips that were not baked, helpers go with their joints: what is seen stays near plain skinning.
static void TestRestAndOtherClips( void** state )
{
	Fixture* f = *state;
	UseTube( f, 1.0f );
	Bake( f, supCharacter_Clip( f->character, 1 ), false );
	supBonesDef def = SmallDef();
	supBonesReport report;
	supError error = { 0 };
	testRequire( supDocument_AddBones( f->document, f->bakes, 1, &def, 1e-4f, true, &report, NULL, &error ), &error );
	supCharacter* result = Reload( f->document );
	assert_int_equal( supCharacter_ClipCount( result ), supCharacter_ClipCount( f->character ) );
	assert_string_equal( supCharacter_Clip( result, 0 )->name, supCharacter_Clip( f->character, 1 )->name );
	supPose *before = supCreatePose( f->character ), *after = supCreatePose( result );
	int32_t count = supCharacter_Mesh( result, 0 )->vertexCount;
	supVec3* a = malloc( (size_t)count * sizeof( supVec3 ) );
	supVec3* b = malloc( (size_t)count * sizeof( supVec3 ) );
	supSkinInstance( before, 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = a } );
	supSkinInstance( after, 0, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = b } );
	for ( int32_t i = 0; i < count; ++i )
	{
		// every bone is at its bind pose: any weights give the rest positions, to rounding and 16 bits of weights
		testLess( supDistance( a[i], b[i] ), 1e-4f * report.size );
	}
	free( a );
	free( b );
	supDestroyPose( before );
	supDestroyPose( after );
	supDestroyCharacter( result );
}

static void TestLoopCloses( void** state )
{
	Fixture* f = *state;
	UseTube( f, 1.0f );
	const supClip* clip = supCharacter_Clip( f->character, 0 );
	Bake( f, clip, true );
	supBonesDef def = SmallDef();
	supError error = { 0 };
	testRequire( supDocument_AddBones( f->document, f->bakes, 1, &def, 1e-4f, false, NULL, NULL, &error ), &error );
	supCharacter* result = Reload( f->document );
	const supClip* written = supCharacter_Clip( result, 0 );
	int32_t checked = 0;
	for ( int32_t i = 0; i < written->channelCount; ++i )
	{
		const supChannel* c = written->channels + i;
		if ( c->node >= supCharacter_NodeCount( f->character ) )
		{
			const float* last = c->values + (size_t)( c->keyCount - 1 ) * (size_t)c->width;
			float same = 0.0f, opposite = 0.0f;
			for ( int32_t k = 0; k < c->width; ++k )
			{
				same = fmaxf( same, fabsf( c->values[k] - last[k] ) );
				opposite = fmaxf( opposite, fabsf( c->values[k] + last[k] ) );
			}
			// a rotation may come back with the other sign, which is the same rotation
			assert_true( same == 0.0f || ( c->path == sup_channelRotation && opposite == 0.0f ) );
			checked += 1;
		}
	}
	testGreater( checked, 0 );
	supDestroyCharacter( result );
}

// A file in centimetres: reports in metres, the file in its own unit.
static void TestUnits( void** state )
{
	Fixture* f = *state;
	UseTube( f, 0.01f );
	Bake( f, supCharacter_Clip( f->character, 0 ), false );
	supBonesDef def = SmallDef();
	supBonesReport report;
	supError error = { 0 };
	testRequire( supDocument_AddBones( f->document, f->bakes, 1, &def, 1e-6f, false, &report, NULL, &error ), &error );
	supCharacter* result = Reload( f->document );
	double rms = MeasureClip( f->bakes[0], result, 0 );
	assert_float_equal( rms, 100.0 * (double)report.error.rms, 1e-2 * rms );
	testLess( report.error.rms, 0.5f * report.plain.rms );
	supDestroyCharacter( result );
}

// A bake as morph targets has no skin any more. Baked as bones, helpers alone move it, and the targets are gone.
static void TestWithoutSkeleton( void** state )
{
	Fixture* f = *state;
	UseTube( f, 1.0f );
	supBake* first = Bake( f, supCharacter_Clip( f->character, 0 ), false );
	supError error = { 0 };
	testRequire( supDocument_AddBakes( f->document, &first, 1, 1e-4f, false, &error ), &error );
	supDestroyBake( first, false );
	supDestroyFlesh( f->flesh );
	supDestroyCharacter( f->character );
	f->bakeCount = 0;
	f->character = supDocument_CreateCharacter( f->document, &error );
	testRequire( f->character != NULL, &error );
	assert_int_equal( supCharacter_SkinCount( f->character ), 0 );
	supFleshDef fleshDef = supDefaultFleshDef();
	fleshDef.method = sup_methodDqs;
	f->flesh = supBuildFlesh( f->character, &fleshDef, NULL, NULL );
	supBake* bake = Bake( f, supCharacter_Clip( f->character, 0 ), false );
	supBonesDef def = SmallDef();
	def.helperCount = 12;
	supBonesReport report;
	testRequire( supDocument_AddBones( f->document, &bake, 1, &def, 1e-4f, false, &report, NULL, &error ), &error );
	supCharacter* result = Reload( f->document );
	assert_int_equal( supCharacter_SkinCount( result ), 1 );
	assert_int_equal( supCharacter_Mesh( result, 0 )->targetCount, 0 );
	double rms = MeasureClip( bake, result, 0 );
	print_message( "without a skeleton: %.3g, reported %.3g, standing still %.3g\n", rms, (double)report.error.rms,
				   (double)report.plain.rms );
	assert_float_equal( rms, report.error.rms, 1e-3 * rms );
	testLess( rms, 0.02 * (double)report.plain.rms );
	supDestroyCharacter( result );
}

static void TestRefusals( void** state )
{
	Fixture* f = *state;
	UseTube( f, 1.0f );
	supBake* bake = Bake( f, supCharacter_Clip( f->character, 0 ), false );
	supBake* twice[2] = { bake, bake };
	supBonesDef def = SmallDef();
	supError error = { 0 };
	char* before = json_dumps( f->document->root, 0 );
	assert_false( supDocument_AddBones( f->document, twice, 2, &def, 1e-4f, false, NULL, NULL, &error ) );
	assert_non_null( strstr( error.message, "baked twice" ) );
	assert_false( supDocument_AddBones( f->document, twice, 1, &def, NAN, false, NULL, NULL, &error ) );
	assert_string_equal( error.where, "tolerance" );
	def.influences = 0;
	assert_false( supDocument_AddBones( f->document, twice, 1, &def, 1e-4f, false, NULL, NULL, &error ) );
	assert_non_null( strstr( error.message, "1 to 8" ) );
	char* after = json_dumps( f->document->root, 0 );
	assert_string_equal( before, after );
	free( before );
	free( after );
}

static bool Attempt( void* context )
{
	Fixture* f = context;
	supError error = { 0 };
	supBonesDef def = SmallDef();
	def.helperCount = 2;
	def.rounds = 1;
	supDocument* document = supCreateDocument( f->character, &error );
	bool ok = document != NULL && supDocument_AddBones( document, f->bakes, 1, &def, 1e-3f, false, NULL, NULL, &error );
	assert_true( ok || error.code == sup_errorMemory );
	supDestroyDocument( document );
	return ok;
}

static void TestAllocationFailures( void** state )
{
	Fixture* f = *state;
	Use( f, testMakeSwayingBox(), 1.0f );
	Bake( f, supCharacter_Clip( f->character, 0 ), false );
	testEachAllocationFailure( Attempt, f, testRounds( 150, 40 ) );
}

#define CASE( name ) cmocka_unit_test_setup_teardown( name, SetUp, TearDown )

int main( void )
{
	const struct CMUnitTest tests[] = {
		CASE( TestFileMovesAsReported ), CASE( TestRestAndOtherClips ),
		CASE( TestLoopCloses ),          CASE( TestUnits ),
		CASE( TestWithoutSkeleton ),     CASE( TestRefusals ),
		CASE( TestAllocationFailures ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
