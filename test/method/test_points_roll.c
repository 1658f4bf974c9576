// SPDX-License-Identifier: MIT
// Skin of `points` does not roll about its bone: a snake, heads and a helmet, turned about the axes of their bones.
#include "models/models.h"
#include "skinned.h"
#include "support.h"

#include "supple/supple.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Vertices that a bone must have to be measured.
#define LEAST_VERTICES 20

typedef struct Roll
{
	float most;  // rad, of any bone in any frame
	float after; // a second after the motion has ended
	char bone[64];
} Roll;

typedef struct Stage
{
	const supCharacter* character;
	supScene* scene;
	supActor* actor;
	supVec3* skin;
	int32_t* joints; // of each vertex: the node that it follows most
	int32_t count;
} Stage;

static Stage Start( const supCharacter* character, const supFlesh* flesh )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	def.substeps = 2;
	def.guard = false;
	Stage stage = { .character = character, .scene = supCreateScene( &def, &error ) };
	stage.actor = supScene_AddActor( stage.scene, flesh, &error );
	testRequire( stage.actor != NULL, &error );
	const supInstance* instance = supCharacter_Instance( character, 0 );
	const supMesh* mesh = supCharacter_Mesh( character, instance->mesh );
	const supSkin* skin = supCharacter_Skin( character, instance->skin );
	stage.count = mesh->vertexCount;
	stage.skin = malloc( (size_t)stage.count * sizeof( supVec3 ) );
	stage.joints = malloc( (size_t)stage.count * sizeof( int32_t ) );
	for ( int32_t i = 0; i < stage.count; ++i )
	{
		int32_t best = 0;
		for ( int32_t k = 1; k < mesh->influences; ++k )
		{
			best = mesh->weights[i * mesh->influences + k] > mesh->weights[i * mesh->influences + best] ? k : best;
		}
		stage.joints[i] = skin->joints[mesh->joints[i * mesh->influences + best]];
	}
	return stage;
}

static void End( Stage* stage )
{
	supDestroyScene( stage->scene );
	free( stage->skin );
	free( stage->joints );
}

// From the joint to the mean of its children, or as the last bone before it.
static supVec3 AxisOf( const Stage* stage, int32_t node )
{
	const supMat34* worlds = supPose_Worlds( supActor_Pose( stage->actor ) );
	supVec3 sum = supVec3_zero, here = worlds[node].t;
	for ( int32_t i = 0; i < supCharacter_NodeCount( stage->character ); ++i )
	{
		if ( supCharacter_Node( stage->character, i )->parent == node )
		{
			supVec3 way = supSub( worlds[i].t, here );
			sum = supMulAdd( sum, supDot( sum, way ) < 0.0f ? -1.0f : 1.0f, way );
		}
	}
	int32_t parent = supCharacter_Node( stage->character, node )->parent;
	sum = supLength( sum ) > 0.0f || parent < 0 ? sum : supSub( here, worlds[parent].t );
	return supLength( sum ) > 0.0f ? supNormalize( sum ) : supMakeVec3( 0.0f, 1.0f, 0.0f );
}

// The turn about the axis of a bone, and about the middle of its skin, that fits its skin best: against skinning.
static float RollOf( const Stage* stage, int32_t node )
{
	supVec3 axis = AxisOf( stage, node ), middle = supVec3_zero, shift = supVec3_zero;
	const supVec3* drawn = supActor_Positions( stage->actor, 0 );
	float count = 0.0f;
	for ( int32_t i = 0; i < stage->count; ++i )
	{
		if ( stage->joints[i] == node )
		{
			middle = supAdd( middle, stage->skin[i] );
			shift = supAdd( shift, supSub( drawn[i], stage->skin[i] ) );
			count += 1.0f;
		}
	}
	if ( count < LEAST_VERTICES )
	{
		return 0.0f;
	}
	middle = supScale( 1.0f / count, middle );
	shift = supScale( 1.0f / count, shift );
	double turn = 0.0, size = 0.0;
	for ( int32_t i = 0; i < stage->count; ++i )
	{
		if ( stage->joints[i] == node )
		{
			supVec3 arm = supSub( stage->skin[i], middle );
			arm = supMulAdd( arm, -supDot( arm, axis ), axis );
			supVec3 moved = supSub( supSub( drawn[i], stage->skin[i] ), shift );
			turn += (double)supDot( supCross( arm, moved ), axis );
			size += (double)supLengthSquared( arm );
		}
	}
	return size > 0.0 ? (float)fabs( turn / size ) : 0.0f;
}

static float MostRoll( const Stage* stage, char bone[64] )
{
	float most = 0.0f;
	supSkinInstance( supActor_Pose( stage->actor ), 0, sup_skinningDualQuaternion, NULL,
					 &( supSkinOutput ){ .positions = stage->skin } );
	for ( int32_t node = 0; node < supCharacter_NodeCount( stage->character ); ++node )
	{
		float roll = RollOf( stage, node );
		if ( roll > most )
		{
			most = roll;
			snprintf( bone, 64, "%s", supCharacter_Node( stage->character, node )->name );
		}
	}
	return most;
}

// A clip once, then a second of its last pose.
static Roll PlayClip( const supCharacter* character, const supFlesh* flesh, const supClip* clip )
{
	Stage stage = Start( character, flesh );
	Roll roll = { 0 };
	supPose_ApplyClip( supActor_Pose( stage.actor ), clip, 0.0f );
	supActor_Reset( stage.actor );
	for ( int32_t frame = 0; frame < (int32_t)( 60.0f * clip->end ) + 60; ++frame )
	{
		supPose_ApplyClip( supActor_Pose( stage.actor ), clip, fminf( (float)frame / 60.0f, clip->end ) );
		supScene_Step( stage.scene, 1.0f / 60.0f );
		char bone[64] = "";
		float now = MostRoll( &stage, bone );
		if ( now > roll.most )
		{
			roll.most = now;
			memcpy( roll.bone, bone, sizeof( bone ) );
		}
		roll.after = now;
	}
	End( &stage );
	return roll;
}

// ---------------------------------------------------------------------------------------------------------------------
// Balls on a neck

#define RINGS 11
#define SIDES 16
#define BALL ( RINGS * SIDES + 2 )

static void AddBall( supVec3* positions, uint32_t* indices, int32_t first, float radius, bool isInside )
{
	for ( int32_t i = 0; i < RINGS * SIDES; ++i )
	{
		float up = SUP_PI * (float)( i / SIDES + 1 ) / (float)( RINGS + 1 );
		float around = 2.0f * SUP_PI * (float)( i % SIDES ) / (float)SIDES;
		positions[first + i] = supMakeVec3( radius * sinf( up ) * cosf( around ), 0.3f - radius * cosf( up ),
											radius * sinf( up ) * sinf( around ) );
	}
	positions[first + BALL - 2] = supMakeVec3( 0.0f, 0.3f - radius, 0.0f );
	positions[first + BALL - 1] = supMakeVec3( 0.0f, 0.3f + radius, 0.0f );
	for ( int32_t i = 0; i < ( RINGS + 1 ) * SIDES; ++i )
	{
		int32_t ring = i / SIDES, side = i % SIDES, next = ( side + 1 ) % SIDES;
		int32_t a = ring > 0 ? ( ring - 1 ) * SIDES + side : BALL - 2, b = ring > 0 ? ( ring - 1 ) * SIDES + next : a;
		int32_t c = ring < RINGS ? ring * SIDES + side : BALL - 1, d = ring < RINGS ? ring * SIDES + next : c;
		const int32_t corners[6] = { a, c, b, b, c, d };
		for ( int32_t k = 0; k < 6; ++k )
		{
			indices[6 * i + k] = (uint32_t)( first + corners[isInside ? 5 - k : k] );
		}
	}
}

// A ball of 0.4 m, or a shell of 4 cm, on a neck that goes up into it.
static supCharacter* MakeBall( bool isHollow )
{
	static supVec3 positions[2 * BALL];
	static uint32_t indices[2 * 6 * ( RINGS + 1 ) * SIDES];
	static uint16_t joints[2 * BALL];
	static float weights[2 * BALL];
	const int32_t balls = isHollow ? 2 : 1;
	for ( int32_t k = 0; k < balls; ++k )
	{
		AddBall( positions, indices + k * 6 * ( RINGS + 1 ) * SIDES, k * BALL, k == 0 ? 0.2f : 0.16f, k == 1 );
	}
	for ( int32_t i = 0; i < balls * BALL; ++i )
	{
		joints[i] = 1;
		weights[i] = 1.0f;
	}
	const supTransform rest = supTransform_identity;
	supTransform above = rest;
	above.translation.y = 0.15f;
	const supNode nodes[3] = { { .name = "Neck", .parent = -1, .rest = rest },
							   { .name = "Head", .parent = 0, .rest = above },
							   { .name = "mesh", .parent = -1, .rest = rest } };
	const int32_t bones[2] = { 0, 1 };
	supMat34 inverses[2] = { supMat34_identity, supMat34_identity };
	inverses[1].t.y = -0.15f;
	const supSkin skin = { .jointCount = 2, .joints = bones, .inverseBinds = inverses };
	const supMesh mesh = { .name = "ball",
						   .vertexCount = balls * BALL,
						   .positions = positions,
						   .indexCount = balls * 6 * ( RINGS + 1 ) * SIDES,
						   .indices = indices,
						   .influences = 1,
						   .joints = joints,
						   .weights = weights };
	return testMakeSkinned( nodes, 3, &skin, &mesh );
}

// Turned by 70 degrees in a fifth of a second, then held for a second.
static Roll TurnHead( const supCharacter* character, const supFlesh* flesh )
{
	Stage stage = Start( character, flesh );
	Roll roll = { 0 };
	for ( int32_t frame = 0; frame <= 72; ++frame )
	{
		supTransform local = supPose_GetLocal( supActor_Pose( stage.actor ), 0 );
		float part = fminf( (float)frame / 12.0f, 1.0f ), half = 0.61f * part * part * ( 3.0f - 2.0f * part );
		local.rotation = ( supQuat ){ 0.0f, sinf( half ), 0.0f, cosf( half ) };
		supPose_SetLocal( supActor_Pose( stage.actor ), 0, local );
		supScene_Step( stage.scene, 1.0f / 60.0f );
		roll.after = MostRoll( &stage, roll.bone );
		roll.most = fmaxf( roll.most, roll.after );
	}
	End( &stage );
	return roll;
}

// ---------------------------------------------------------------------------------------------------------------------

static supFlesh* Build( const supCharacter* character )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	const supSetting few = { "tets", 3000.0f };
	def.method = sup_methodPoints;
	def.settings = &few;
	def.settingCount = 1;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	return flesh;
}

// Degrees. What is left is skin that swings unevenly, and the twist between one bone and the next.
#define MOST_ROLL 6.0f
#define MOST_HEAD_ROLL 0.5f
#define LEFT_ROLL 0.5f

static void Check( const char* what, Roll roll, float most )
{
	roll.most *= 180.0f / SUP_PI;
	roll.after *= 180.0f / SUP_PI;
	print_message( "%s: rolls by %.2f degrees at most, at %s, by %.3f in the end\n", what, (double)roll.most, roll.bone,
				   (double)roll.after );
	testLess( roll.most, most );
	testLess( roll.after, LEFT_ROLL );
}

static void TestSnake( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* snake = supFindModel( "snake" )->create( &error );
	testRequire( snake != NULL, &error );
	supFlesh* flesh = Build( snake );
	Check( "snake that strikes", PlayClip( snake, flesh, supCharacter_FindClip( snake, "Strike" ) ), MOST_ROLL );
	Check( "snake that coils", PlayClip( snake, flesh, supCharacter_FindClip( snake, "Coil" ) ), MOST_ROLL );
	supDestroyFlesh( flesh );
	supDestroyCharacter( snake );
}

static void TestHeads( void** state )
{
	(void)state;
	for ( int isHollow = 0; isHollow < 2; ++isHollow )
	{
		supCharacter* head = MakeBall( isHollow );
		supFlesh* flesh = Build( head );
		Check( isHollow ? "helmet" : "head", TurnHead( head, flesh ), MOST_HEAD_ROLL );
		supDestroyFlesh( flesh );
		supDestroyCharacter( head );
	}
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestSnake ),
		cmocka_unit_test( TestHeads ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
