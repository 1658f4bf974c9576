// SPDX-License-Identifier: MIT
// A build has a budget whatever a file says, and a character works wherever it stands.
#include "skinned.h"
#include "supple/supple.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RINGS 20
#define SIDES 16

static const supMethodId s_methods[] = { sup_methodPosition, sup_methodLattice, sup_methodPoints,
										 sup_methodFem,      sup_methodLayered, sup_methodModes };

typedef struct Rod
{
	int32_t bones;
	float length, radius;
	supVec3 at;
	float jointFactor; // joints are so many times as far up as they should be
} Rod;

static const Rod s_rod = { .bones = 2, .length = 1.0f, .radius = 0.15f, .jointFactor = 1.0f };

static int32_t MakeTriangles( uint32_t* indices )
{
	int32_t count = 0;
	uint32_t tip = RINGS * SIDES;
	for ( uint32_t s = 0; s < SIDES; ++s )
	{
		uint32_t next = ( s + 1 ) % SIDES, last = ( RINGS - 1 ) * SIDES;
		for ( uint32_t r = 0; r + 1 < RINGS; ++r )
		{
			uint32_t a = r * SIDES + s, b = r * SIDES + next;
			const uint32_t quad[6] = { a, a + SIDES, b, b, a + SIDES, b + SIDES };
			memcpy( indices + count, quad, sizeof( quad ) );
			count += 6;
		}
		const uint32_t caps[6] = { tip, s, next, tip + 1, last + next, last + s };
		memcpy( indices + count, caps, sizeof( caps ) );
		count += 6;
	}
	return count;
}

// Upright, with bones one above the other and weights that fade between them.
static supCharacter* MakeRod( const Rod* rod )
{
	enum
	{
		vertexCount = RINGS * SIDES + 2
	};
	supVec3 positions[vertexCount];
	uint16_t joints[4 * vertexCount];
	float weights[4 * vertexCount];
	static uint32_t indices[6 * RINGS * SIDES];
	for ( int32_t i = 0; i < vertexCount; ++i )
	{
		bool tip = i >= RINGS * SIDES;
		float part = tip ? (float)( i - RINGS * SIDES ) : (float)( i / SIDES ) / (float)( RINGS - 1 );
		float angle = 6.2831853f * (float)( i % SIDES ) / SIDES, radius = tip ? 0.0f : rod->radius;
		supVec3 place = { radius * cosf( angle ), part * rod->length, radius * sinf( angle ) };
		positions[i] = supAdd( rod->at, place );
		float bone = supMaxFloat( 0.0f, supMinFloat( part * (float)rod->bones - 0.5f, (float)rod->bones - 1.0f ) );
		int32_t first = (int32_t)bone, second = first + 1 < rod->bones ? first + 1 : first;
		const uint16_t js[4] = { (uint16_t)first, (uint16_t)second, 0, 0 };
		const float ws[4] = { 1.0f - ( bone - (float)first ), bone - (float)first, 0.0f, 0.0f };
		memcpy( joints + 4 * i, js, sizeof( js ) );
		memcpy( weights + 4 * i, ws, sizeof( ws ) );
	}
	size_t count = (size_t)rod->bones;
	supNode* nodes = calloc( count + 1, sizeof( supNode ) );
	int32_t* list = calloc( count, sizeof( int32_t ) );
	supMat34* binds = calloc( count, sizeof( supMat34 ) );
	float step = rod->jointFactor * rod->length / (float)rod->bones;
	for ( int32_t i = 0; i <= rod->bones; ++i )
	{
		nodes[i] = ( supNode ){ .name = "", .parent = i < rod->bones ? i - 1 : -1, .rest = supTransform_identity };
		nodes[i].rest.translation = i == 0 ? rod->at : i < rod->bones ? supMakeVec3( 0, step, 0 ) : supVec3_zero;
		if ( i < rod->bones )
		{
			list[i] = i;
			binds[i] = supMat34_identity;
			binds[i].t = supMakeVec3( -rod->at.x, -rod->at.y - step * (float)i, -rod->at.z );
		}
	}
	supMesh mesh = { .name = "rod", .vertexCount = vertexCount, .positions = positions, .influences = 4 };
	mesh.joints = joints;
	mesh.weights = weights;
	mesh.indexCount = MakeTriangles( indices );
	mesh.indices = indices;
	supSkin skin = { .name = "", .jointCount = rod->bones, .joints = list, .inverseBinds = binds };
	supCharacter* character = testMakeSkinned( nodes, rod->bones + 1, &skin, &mesh );
	free( nodes );
	free( list );
	free( binds );
	return character;
}

static void Refused( const Rod* rod, supMethodId method, const char* reason )
{
	supCharacter* character = MakeRod( rod );
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	supError error = { 0 };
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	assert_null( flesh );
	assert_int_equal( error.code, sup_errorArgument );
	if ( strstr( error.message, reason ) == NULL )
	{
		fail_msg( "%s: '%s' does not say '%s'", supMethodName( method ), error.message, reason );
	}
	supDestroyCharacter( character );
}

static void WhatCannotBeBuiltIsRefusedAtOnce( void** state )
{
	(void)state;
	for ( size_t i = 0; i < sizeof( s_methods ) / sizeof( s_methods[0] ); ++i )
	{
		Rod rod = s_rod;
		rod.length = 1e12f;
		rod.radius = 1e11f;
		Refused( &rod, s_methods[i], "unit" );
		rod = s_rod;
		rod.radius = 1e-6f;
		Refused( &rod, s_methods[i], "too thin" );
		rod.radius = 0.0f;
		Refused( &rod, s_methods[i], "too thin" );
		rod = s_rod;
		rod.jointFactor = 1e9f;
		Refused( &rod, s_methods[i], "joint" );
		rod.jointFactor = 1e30f;
		Refused( &rod, s_methods[i], "joint" );
		rod = s_rod;
		rod.at = supMakeVec3( 0.0f, 0.0f, 1e7f );
		Refused( &rod, s_methods[i], "origin" );
	}
}

static void SkeletonsOfThousandsOfBones( void** state )
{
	(void)state;
	Rod rod = s_rod;
	rod.bones = 5000;
	Refused( &rod, sup_methodFem, "5000 joints" );
	Refused( &rod, sup_methodLayered, "5000 joints" );
	// chains this deep are in no way special to the others
	supCharacter* character = MakeRod( &rod );
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodLattice;
	supError error = { 0 };
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

#define METHODS ( sizeof( s_methods ) / sizeof( s_methods[0] ) )

static supCharacter* s_character;
static supFlesh* s_fleshes[METHODS];

static supFlesh* Build( const supCharacter* character, supMethodId method )
{
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	supError error = { 0 };
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	return flesh;
}

// The rod at the origin, with every method.
static int BuildRods( void** state )
{
	(void)state;
	s_character = MakeRod( &s_rod );
	for ( size_t i = 0; i < METHODS; ++i )
	{
		s_fleshes[i] = Build( s_character, s_methods[i] );
	}
	return 0;
}

static int FreeRods( void** state )
{
	(void)state;
	for ( size_t i = 0; i < METHODS; ++i )
	{
		supDestroyFlesh( s_fleshes[i] );
	}
	supDestroyCharacter( s_character );
	return 0;
}

typedef struct Run
{
	supScene* scene;
	supActor* actor;
} Run;

// The scene computes about `origin`.
static Run StartRun( const supFlesh* flesh, supVec3 origin )
{
	Run run = { 0 };
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.origin = origin;
	supError error = { 0 };
	run.scene = supCreateScene( &sceneDef, &error );
	testRequire( run.scene != NULL, &error );
	run.actor = supScene_AddActor( run.scene, flesh, &error );
	testRequire( run.actor != NULL, &error );
	return run;
}

static void StepRun( Run* run, float angle )
{
	supPose* pose = supActor_Pose( run->actor );
	supTransform local = supPose_GetLocal( pose, 1 );
	local.rotation = ( supQuat ){ 0.0f, 0.0f, sinf( 0.5f * angle ), cosf( 0.5f * angle ) };
	supPose_SetLocal( pose, 1, local );
	supScene_Step( run->scene, 1.0f / 60.0f );
}

static float FarthestFromEachOther( const supVec3* a, const supVec3* b, supVec3 offset )
{
	float most = 0.0f;
	for ( int32_t i = 0; i < RINGS * SIDES + 2; ++i )
	{
		most = supMaxFloat( most, supDistance( supAdd( a[i], offset ), b[i] ) );
	}
	return most;
}

// Bends, comes to rest, and stays there: most that a vertex moves in a frame of the last half second.
static float MeasureUnrest( Run* run )
{
	static supVec3 before[RINGS * SIDES + 2];
	float most = 0.0f;
	for ( int32_t frame = 0; frame < testRounds( 180, 10 ); ++frame )
	{
		StepRun( run, frame < 30 ? 0.6f * sinf( 0.2f * (float)frame ) : 0.3f );
		const supVec3* now = supActor_Positions( run->actor, 0 );
		// of the last half second, which sanitizers do not wait for
		most = frame < 150 ? 0.0f : supMaxFloat( most, FarthestFromEachOther( before, now, supVec3_zero ) );
		memcpy( before, now, sizeof( before ) );
	}
	return most;
}

// Modelled a kilometre away, where floats are 0.06 mm apart, in a scene that computes about that place: built of the
// same numbers up to their last digit, so that it rests where it rests here, up to what another cut into elements makes
// of it, and trembles no more.
static void ACharacterWorksFarFromTheOrigin( void** state )
{
	(void)state;
	Rod rod = s_rod;
	rod.at = supMakeVec3( 1000.0f, 0.0f, 0.0f );
	supCharacter* character = MakeRod( &rod );
	for ( size_t i = 0; i < METHODS; ++i )
	{
		supFlesh* flesh = Build( character, s_methods[i] );
		Run near = StartRun( s_fleshes[i], supVec3_zero ), far = StartRun( flesh, rod.at );
		float unrestNear = MeasureUnrest( &near ), unrestFar = MeasureUnrest( &far );
		float apart = FarthestFromEachOther( supActor_Positions( near.actor, 0 ), supActor_Positions( far.actor, 0 ),
											 supVec3_zero );
		printf( "%-9s at rest a vertex moves %.2g m a frame here, %.2g m far away; %.2g m apart\n",
				supMethodName( s_methods[i] ), (double)unrestNear, (double)unrestFar, (double)apart );
		// of a body of a metre: what nobody sees. Sanitizers do not wait until it rests
		assert_true( testIsSanitized() || apart < 0.01f );
		testLess( unrestFar, 1.2f * unrestNear + 6e-5f );
		supDestroyScene( near.scene );
		supDestroyScene( far.scene );
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
}

static void PutAt( Run* run, supVec3 place )
{
	supPose* pose = supActor_Pose( run->actor );
	supPose_SetRest( pose );
	supTransform root = supPose_GetLocal( pose, 0 );
	root.translation = supAdd( root.translation, place );
	supPose_SetLocal( pose, 0, root );
	supActor_Reset( run->actor );
}

// A scene that computes about a place near its actors gives the same bits there as here, however far away that is.
static void TheOriginOfASceneIsWhereItIsPut( void** state )
{
	(void)state;
	static const supVec3 places[] = { { 1000.0f, 0.0f, -512.0f },
									  { -10000.0f, 300.0f, 7.0f },
									  { 1048576.0f, 0.0f, 3.0f } };
	for ( size_t i = 0; i < METHODS; ++i )
	{
		Run near = StartRun( s_fleshes[i], supVec3_zero );
		for ( int32_t k = 0; k < testRounds( sizeof( places ) / sizeof( places[0] ), 1 ); ++k )
		{
			Run far = StartRun( s_fleshes[i], places[k] );
			PutAt( &near, supVec3_zero );
			PutAt( &far, places[k] );
			supVec3 origin = supChooseOrigin( supActor_Pose( near.actor ) );
			assert_true( supLength( origin ) == 0.0f );
			for ( int32_t frame = 0; frame < testRounds( 30, 10 ); ++frame )
			{
				StepRun( &near, 0.5f * sinf( 0.3f * (float)frame ) );
				StepRun( &far, 0.5f * sinf( 0.3f * (float)frame ) );
				assert_memory_equal( supActor_Positions( near.actor, 0 ), supActor_Positions( far.actor, 0 ),
									 ( RINGS * SIDES + 2 ) * sizeof( supVec3 ) );
				assert_memory_equal( supActor_Normals( near.actor, 0 ), supActor_Normals( far.actor, 0 ),
									 ( RINGS * SIDES + 2 ) * sizeof( supVec3 ) );
			}
			supDestroyScene( far.scene );
		}
		supDestroyScene( near.scene );
	}
}

static void AnOriginIsChosenNearFarCharacters( void** state )
{
	(void)state;
	supCharacter* character = MakeRod( &s_rod );
	supPose* pose = supCreatePose( character );
	supTransform root = supPose_GetLocal( pose, 0 );
	static const float distances[] = { 0.0f, 5.0f, 1e3f, 1234.567f, 1e4f, 1e6f };
	for ( size_t i = 0; i < sizeof( distances ) / sizeof( distances[0] ); ++i )
	{
		root.translation = supMakeVec3( distances[i], 0.0f, -distances[i] );
		supPose_SetLocal( pose, 0, root );
		supVec3 origin = supChooseOrigin( pose );
		float left = supDistance( origin, root.translation );
		// the body is a metre long
		assert_true( distances[i] < 10.0f ? supLength( origin ) == 0.0f : left < 2.0f + 0.002f * distances[i] );
		// what is subtracted comes back
		assert_true( ( root.translation.x - origin.x ) + origin.x == root.translation.x );
	}
	supDestroyPose( pose );
	supSceneDef def = supDefaultSceneDef();
	def.origin.y = NAN;
	supError error = { 0 };
	assert_null( supCreateScene( &def, &error ) );
	assert_int_equal( error.code, sup_errorArgument );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( WhatCannotBeBuiltIsRefusedAtOnce ),  cmocka_unit_test( SkeletonsOfThousandsOfBones ),
		cmocka_unit_test( ACharacterWorksFarFromTheOrigin ),   cmocka_unit_test( TheOriginOfASceneIsWhereItIsPut ),
		cmocka_unit_test( AnOriginIsChosenNearFarCharacters ),
	};
	return cmocka_run_group_tests( tests, BuildRods, FreeRods );
}
