// SPDX-License-Identifier: MIT
// Flesh swings alike whatever the number of substeps: the drawn surface follows the same path. bench_swing measures
// frequencies, on larger bodies, over frame rates and mesh sizes as well.
#include "support.h"

#include "models/models.h"
#include "supple/supple.h"

#include <stdlib.h>
#include <string.h>

#define FPS 60.0f
#define FRAMES 72

static void Shift( supActor* actor, float x )
{
	supPose* pose = supActor_Pose( actor );
	supPose_SetRest( pose );
	for ( int32_t i = 0; i < supCharacter_NodeCount( supPose_Character( pose ) ); ++i )
	{
		if ( supCharacter_Node( supPose_Character( pose ), i )->parent < 0 )
		{
			supTransform local = supPose_GetLocal( pose, i );
			local.translation.y += x;
			supPose_SetLocal( pose, i, local );
		}
	}
}

// Vertices less their bones' shift, frame by frame.
static supVec3* Swing( const supFlesh* flesh, int32_t substeps, int32_t* count )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.substeps = substeps;
	supScene* scene = supCreateScene( &def, &error );
	supActor* actor = supScene_AddActor( scene, flesh, &error );
	testRequire( actor != NULL, &error );
	*count = supCharacter_Mesh( supFlesh_Character( flesh ), 0 )->vertexCount;
	size_t size = (size_t)*count * sizeof( supVec3 );
	supVec3* rest = malloc( size );
	supVec3* frames = malloc( FRAMES * size );
	memcpy( rest, supActor_Positions( actor, 0 ), size );
	for ( int32_t k = 0; k < FRAMES; ++k )
	{
		float u = supMinFloat( (float)( k + 1 ) / ( 0.15f * FPS ), 1.0f );
		float x = 0.03f * u * u * ( 3.0f - 2.0f * u );
		Shift( actor, x );
		supScene_Step( scene, 1.0f / FPS );
		for ( int32_t i = 0; i < *count; ++i )
		{
			supVec3 place = supAdd( rest[i], supMakeVec3( 0.0f, x, 0.0f ) );
			frames[k * *count + i] = supSub( supActor_Positions( actor, 0 )[i], place );
		}
	}
	free( rest );
	supDestroyScene( scene );
	return frames;
}

static void TestSubsteps( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = supFindModel( "tube5" )->create( &error );
	testRequire( character != NULL, &error );
	static const struct
	{
		const char* method;
		supSetting size;
	} rows[] = { { "position", { "tets", 2000.0f } }, { "lattice", { "resolution", 24.0f } } };
	for ( int m = 0; m < 2; ++m )
	{
		supFleshDef def = supDefaultFleshDef();
		supSetting settings[] = { { "exaggeration", 1.0f }, rows[m].size };
		supFindMethod( rows[m].method, &def.method );
		def.settings = settings;
		def.settingCount = 2;
		supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
		testRequire( flesh != NULL, &error );
		int32_t count;
		supVec3* one = Swing( flesh, 1, &count );
		supVec3* four = Swing( flesh, 4, &count );
		double swing = 0.0, off = 0.0;
		for ( int32_t i = 0; i < FRAMES * count; ++i )
		{
			swing += (double)supLengthSquared( one[i] );
			off += (double)supLengthSquared( supSub( one[i], four[i] ) );
		}
		printf( "%s: %.3f of the swing\n", rows[m].method, off / swing );
		testGreater( swing, 0.0 );
		// a frequency that is off by a tenth makes twice this within the time
		testLess( off, 0.2 * swing );
		free( one );
		free( four );
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( TestSubsteps ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
