// SPDX-License-Identifier: MIT
// The paper's Figure 4 as numbers: a cow runs, its ears flop, its horns and its muzzle go with the skull.
#include "fem_stage.h"

#include "character/pose.h"

typedef enum Part
{
	part_none,
	part_horn,
	part_ear,
	part_muzzle,
	part_count
} Part;

// By where a vertex is at rest, well inside of each.
static Part PartOf( supVec3 p )
{
	float x = p.x < 0.0f ? -p.x : p.x;
	if ( p.y > 1.46f && p.z > 0.9f )
	{
		return part_horn;
	}
	if ( x > 0.26f && p.y > 1.2f && p.z > 0.8f )
	{
		return part_ear;
	}
	return p.z > 1.15f ? part_muzzle : part_none;
}

static const supClip* FindClip( const supCharacter* character, const char* name )
{
	const supClip* found = NULL;
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ); ++i )
	{
		const supClip* clip = supCharacter_Clip( character, i );
		found = strcmp( clip->name, name ) == 0 ? clip : found;
	}
	assert_non_null( found );
	return found;
}

// The farthest that vertices of each part get from where the skeleton alone has them, in two rounds of a clip, m.
static void PlayClip( const supFlesh* flesh, const supCharacter* character, const char* name,
					  float farthest[part_count] )
{
	int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh )->vertexCount;
	const supClip* clip = FindClip( character, name );
	supVec3* rest = malloc( (size_t)count * sizeof( supVec3 ) );
	supVec3* skinned = malloc( (size_t)count * sizeof( supVec3 ) );
	supPose* pose = supCreatePose( character );
	supSkinInstance( pose, 0, sup_skinningDualQuaternion, NULL, &( supSkinOutput ){ .positions = rest } );
	Sample s = Start( flesh, NULL );
	float dt = 1.0f / 30.0f, duration = clip->end - clip->start;
	int32_t steps = (int32_t)( 2.0f * duration / dt );
	for ( int32_t i = 0; i <= steps; ++i )
	{
		float time = (float)i * dt;
		time = clip->start + ( time >= duration ? time - duration : time );
		supPose_ApplyClip( supActor_Pose( s.actor ), clip, time );
		supPose_ApplyClip( pose, clip, time );
		if ( i == 0 )
		{
			supActor_Reset( s.actor );
		}
		supScene_Step( s.scene, dt );
		supSkinInstance( pose, 0, sup_skinningDualQuaternion, NULL, &( supSkinOutput ){ .positions = skinned } );
		for ( int32_t k = 0; k < count; ++k )
		{
			float* to = farthest + PartOf( rest[k] );
			*to = supMaxFloat( *to, supDistance( supActor_Positions( s.actor, 0 )[k], skinned[k] ) );
		}
	}
	supDestroyScene( s.scene );
	supDestroyPose( pose );
	free( skinned );
	free( rest );
}

// Figure 4.
static void EarsFlopAndHornsDoNot( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* cow = supFindModel( "cow" )->create( &error );
	testRequire( cow != NULL, &error );
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodFem;
	supFlesh* flesh = supBuildFlesh( cow, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	for ( int i = 0; i < 2; ++i )
	{
		float farthest[part_count] = { 0 };
		PlayClip( flesh, cow, i == 0 ? "Run" : "Shake", farthest );
		print_message( "%s: ears %.1f mm off their bone, horns %.2f, muzzle %.2f, the rest %.1f\n",
					   i == 0 ? "Run" : "Shake", 1e3 * (double)farthest[part_ear], 1e3 * (double)farthest[part_horn],
					   1e3 * (double)farthest[part_muzzle], 1e3 * (double)farthest[part_none] );
		testGreaterEqual( farthest[part_ear], 0.04f );
		testLessEqual( farthest[part_horn], 0.001f );
		testLessEqual( farthest[part_muzzle], 0.01f );
	}
	supDestroyFlesh( flesh );
	supDestroyCharacter( cow );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( EarsFlopAndHornsDoNot ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
