// SPDX-License-Identifier: MIT
// labels: release
// The method `modes`: coordinates are what they are meant to be, a step is exact whatever its length, and flesh moves
// as that of fem does.
#include "support.h"

#include "method/modes/modes.h"
#include "models/models.h"
#include "supple/supple.h"

#include <math.h>
#include <stdlib.h>

static supFlesh* Build( const supCharacter* character, supMethodId method, supSetting setting )
{
	supError error = { 0 };
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	def.settings = &setting;
	def.settingCount = 1;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	return flesh;
}

static supCharacter* MakeModel( const char* name )
{
	supError error = { 0 };
	supCharacter* character = supFindModel( name )->create( &error );
	testRequire( character != NULL, &error );
	return character;
}

// ---------------------------------------------------------------------------------------------------------------------
// Coordinates

// How far coordinate j moves a point.
static supVec3 PlaceOf( const supModesFlesh* flesh, int32_t point, int32_t j )
{
	supVec3 u = supVec3_zero, r = supSub( flesh->points[point], flesh->center );
	const float at[4] = { r.x, r.y, r.z, 1.0f };
	const float* numbers = flesh->blends + (int64_t)j * supModes_NumberCount( flesh->modeCount );
	for ( int32_t m = 0; m < flesh->modeCount; ++m )
	{
		float shape = flesh->shapes[supModes_ShapeIndex( flesh->modeCount, point, m )];
		for ( int32_t k = 0; k < 4; ++k )
		{
			const float* a = numbers + 12 * m + 3 * k;
			u = supMulAdd( u, shape * at[k], supMakeVec3( a[0], a[1], a[2] ) );
		}
	}
	return u;
}

// Coordinates are orthonormal by mass, and the load of bones that all accelerate alike is that of the flesh's mass.
static void TestCoordinates( void** state )
{
	(void)state;
	supCharacter* character = MakeModel( "tube" );
	supFlesh* flesh = Build( character, sup_methodModes, ( supSetting ){ "tets", 500.0f } );
	const supModesFlesh* own = flesh->own;
	const supVec3 push = { 0.3f, -1.0f, 0.5f };
	for ( int32_t j = 0; j < 12; ++j )
	{
		double load = 0.0, loaded = 0.0;
		for ( int32_t b = 0; b < own->skin.boneCount; ++b )
		{
			const float* columns = own->loads + ( 12 * (int64_t)b + 9 ) * own->coordinateCount + j;
			loaded += (double)( push.x * columns[0] + push.y * columns[own->coordinateCount] +
								push.z * columns[2 * own->coordinateCount] );
		}
		for ( int32_t k = 0; k <= j; ++k )
		{
			double product = 0.0;
			for ( int32_t i = 0; i < own->pointCount; ++i )
			{
				double mass = own->inverseMasses[i] > 0.0f ? 1.0 / (double)own->inverseMasses[i] : 0.0;
				supVec3 u = PlaceOf( own, i, j );
				product += mass * (double)supDot( u, PlaceOf( own, i, k ) );
				load += k == 0 ? mass * (double)supDot( u, push ) : 0.0;
			}
			// blends and shapes are floats, whose parts of one coordinate cancel
			testLess( fabs( product - ( j == k ? 1.0 : 0.0 ) ), 2e-3 );
		}
		testLess( fabs( loaded - load ), 2e-3 * ( 1.0 + fabs( load ) ) );
		assert_true( j == 0 || own->squares[j] >= own->squares[j - 1] );
	}
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Steps of any length

// The first coordinate after a second of swinging by itself.
static float LetSwing( const supFlesh* flesh, int32_t steps )
{
	const supModesFlesh* own = flesh->own;
	size_t size = ( supModes_StateSize( own ) + SUP_CACHE_LINE - 1 ) / SUP_CACHE_LINE * SUP_CACHE_LINE;
	void* state = aligned_alloc( SUP_CACHE_LINE, size );
	supPose* pose = supCreatePose( flesh->character );
	supTrouble trouble = { 0 };
	supSubstep step = { .pose = pose,
						.dt = 1.0f / (float)steps,
						.trouble = &trouble,
						.parameters = flesh->parameters,
						.regions = flesh->regions,
						.regionCount = flesh->regionCount,
						.gravity = { 0.0f, -9.81f, 0.0f },
						.isBetween = true };
	supModes_Reset( own, state, pose, NULL );
	supModesView view = supModesFlesh_View( own, state );
	view.q[0] = 0.5f * own->ranges[0];
	for ( int32_t i = 0; i < steps; ++i )
	{
		supModes_Predict( own, state, &step );
		supModes_Finish( own, state, &step );
	}
	float q = view.q[0] / ( 0.5f * own->ranges[0] );
	supDestroyPose( pose );
	free( state );
	return q;
}

// A damped oscillator has a closed form, and so has every step: one of a second is as good as a thousand.
static void TestAnyStep( void** state )
{
	(void)state;
	supCharacter* character = MakeModel( "tube" );
	supFlesh* flesh = Build( character, sup_methodModes, ( supSetting ){ "tets", 500.0f } );
	const supModesFlesh* own = flesh->own;
	double omega = sqrt( (double)own->squares[0] );
	double beta = (double)SUP_SOFT_DAMPING * omega + 0.5 * (double)flesh->parameters[sup_modesAir];
	double turn = sqrt( omega * omega - beta * beta );
	double expected = exp( -beta ) * ( cos( turn ) + beta / turn * sin( turn ) );
	const int32_t steps[] = { 1, 7, 60, 1000 };
	for ( int32_t i = 0; i < SUP_COUNT( steps ); ++i )
	{
		double q = (double)LetSwing( flesh, steps[i] );
		print_message( "%d steps a second: %.6f of the first swing left (%.6f)\n", steps[i], q, expected );
		// a thousand roundings of floats
		testLess( fabs( q - expected ), 1e-4 );
	}
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Beside finite elements

#define FPS 20.0f

typedef struct Played
{
	supScene* scene;
	supActor* actor;
} Played;

static Played Begin( const supFlesh* flesh )
{
	supError error = { 0 };
	supSceneDef def = supDefaultSceneDef();
	Played played = { .scene = supCreateScene( &def, &error ) };
	testRequire( played.scene != NULL, &error );
	played.actor = supScene_AddActor( played.scene, flesh, &error );
	testRequire( played.actor != NULL, &error );
	return played;
}

static void Step( const Played* played, const supClip* clip, int32_t frame )
{
	supPose_SetRest( supActor_Pose( played->actor ) );
	supPose_ApplyClip( supActor_Pose( played->actor ), clip, clip->start + (float)frame / FPS );
	if ( frame == 0 )
	{
		supActor_Reset( played->actor );
	}
	else
	{
		supScene_Step( played->scene, 1.0f / FPS );
	}
}

static double SquaredDistance( const Played* a, const Played* b, int32_t count )
{
	const supVec3 *p = supActor_Positions( a->actor, 0 ), *q = supActor_Positions( b->actor, 0 );
	double sum = 0.0;
	for ( int32_t i = 0; i < count; ++i )
	{
		sum += (double)supLengthSquared( supSub( p[i], q[i] ) );
	}
	return sum / (double)count;
}

// The walking bunny within 1 % of its size of nonlinear finite elements of the same frequency and damping, and nearer
// to them than plain skinning is.
static void TestNearFiniteElements( void** state )
{
	(void)state;
	testMeasuresOnly();
	supCharacter* character = MakeModel( "bunny" );
	const supClip* clip = supCharacter_FindClip( character, "Walk" );
	supFleshDef skinned = supDefaultFleshDef();
	supFlesh* fleshes[3] = { Build( character, sup_methodFem, ( supSetting ){ "mode", 2.0f } ),
							 Build( character, sup_methodModes, ( supSetting ){ "softness", 0.5f } ),
							 supBuildFlesh( character, &skinned, NULL, NULL ) };
	Played played[3] = { Begin( fleshes[0] ), Begin( fleshes[1] ), Begin( fleshes[2] ) };
	int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, 0 )->mesh )->vertexCount;
	int32_t frames = (int32_t)( ( clip->end - clip->start ) * FPS ) + 1;
	double sums[2] = { 0.0, 0.0 };
	for ( int32_t f = 0; f < frames; ++f )
	{
		for ( int32_t i = 0; i < 3; ++i )
		{
			Step( played + i, clip, f );
		}
		sums[0] += SquaredDistance( played, played + 1, count ) / (double)frames;
		sums[1] += SquaredDistance( played, played + 2, count ) / (double)frames;
	}
	double size = (double)( (const supModesFlesh*)fleshes[1]->own )->size;
	double modes = sqrt( sums[0] ) / size, skin = sqrt( sums[1] ) / size;
	print_message( "RMS from nonlinear finite elements: modes %.2f %% of the size, skinning %.2f %%\n", 100.0 * modes,
				   100.0 * skin );
	testLess( modes, 0.01 );
	testLess( modes, 0.8 * skin );
	for ( int32_t i = 0; i < 3; ++i )
	{
		supDestroyScene( played[i].scene );
		supDestroyFlesh( fleshes[i] );
	}
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Stone

// A body of which nothing is soft has no modes, and goes with its bones.
static void TestNothingSoft( void** state )
{
	(void)state;
	supError error = { 0 };
	supCharacter* character = MakeModel( "tube" );
	supSoftRegion region = supDefaultSoftRegion();
	region.name = "stone";
	region.softness = 0.0f;
	region.shape = sup_softSphere;
	region.radius = 100.0f;
	supSetting setting = { "tets", 500.0f };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodModes;
	def.settings = &setting;
	def.settingCount = 1;
	def.softRegions = &region;
	def.softRegionCount = 1;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	assert_int_equal( ( (const supModesFlesh*)flesh->own )->coordinateCount, 0 );
	Played played = Begin( flesh );
	for ( int32_t f = 0; f < 5; ++f )
	{
		Step( &played, supCharacter_Clip( character, 0 ), f );
	}
	supDestroyScene( played.scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

// ---------------------------------------------------------------------------------------------------------------------
// Files

static supFlesh* BuildWithRegion( const supCharacter* character, float frequency, float spread )
{
	supError error = { 0 };
	supSoftRegion region = supDefaultSoftRegion();
	region.shape = sup_softSphere;
	region.radius = 100.0f;
	region.frequency = frequency;
	supSetting settings[2] = { { "tets", 500.0f }, { "spread", spread } };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodModes;
	def.settings = settings;
	def.settingCount = 2;
	def.softRegions = &region;
	def.softRegionCount = 1;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, &error );
	testRequire( flesh != NULL, &error );
	return flesh;
}

// Whatever can be built can be saved and loaded, and a step of it has numbers.
static void TestExtremeFrequencies( void** state )
{
	(void)state;
	supCharacter* character = MakeModel( "tube" );
	const float cases[][2] = { { 1e-9f, 0.2f }, { 1e-4f, 10.0f }, { 1e6f, 10.0f }, { 1e20f, 0.2f } };
	for ( int32_t i = 0; i < SUP_COUNT( cases ); ++i )
	{
		supError error = { 0 };
		size_t size = 0;
		supFlesh* flesh = BuildWithRegion( character, cases[i][0], cases[i][1] );
		uint8_t* block = supWriteFlesh( flesh, &size, &error );
		supFlesh* loaded = supReadFlesh( block, size, "tube", character, &error );
		testRequire( loaded != NULL, &error );
		Played played = Begin( loaded );
		for ( int32_t f = 0; f < 3; ++f )
		{
			Step( &played, supCharacter_Clip( character, 0 ), f );
		}
		assert_int_equal( supScene_GetStats( played.scene ).trouble.notFinite, 0 );
		supDestroyScene( played.scene );
		supDestroyFlesh( loaded );
		supDestroyFlesh( flesh );
		supFree( block );
	}
	supDestroyCharacter( character );
}

// A coordinate that nothing holds has no frequency: such a file is refused.
static void TestSharesOfNothing( void** state )
{
	(void)state;
	supError error = { 0 };
	size_t size = 0;
	supCharacter* character = MakeModel( "tube" );
	supFlesh* flesh = Build( character, sup_methodModes, ( supSetting ){ "tets", 500.0f } );
	supModesFlesh* own = flesh->own;
	const float* shares = own->shares;
	own->shares = calloc( (size_t)own->coordinateCount, sizeof( float ) );
	uint8_t* block = supWriteFlesh( flesh, &size, &error );
	free( (void*)(uintptr_t)own->shares );
	own->shares = shares;
	assert_null( supReadFlesh( block, size, "tube", character, &error ) );
	assert_int_equal( error.code, sup_errorFormat );
	assert_non_null( strstr( error.message, "add up to 0" ) );
	supFree( block );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}

int main( void )
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test( TestCoordinates ),     cmocka_unit_test( TestAnyStep ),
		cmocka_unit_test( TestNothingSoft ),     cmocka_unit_test( TestExtremeFrequencies ),
		cmocka_unit_test( TestSharesOfNothing ), cmocka_unit_test( TestNearFiniteElements ),
	};
	return cmocka_run_group_tests( tests, NULL, NULL );
}
