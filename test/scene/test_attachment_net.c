// SPDX-License-Identifier: MIT
// A net of ropes that are joined at their crossings: where it comes to rest depends on neither the number of substeps
// nor on whether its joints are attachments or welds.
#include "support.h"

#include "method/points/props.h"
#include "supple/supple.h"

#include <math.h>

typedef struct Net
{
	supProp prop;
	supCharacter* character;
	supFlesh* flesh;
	supScene* scene;
	supActor* actor;
} Net;

static supPlace OnPoint( supActor* actor, int32_t point )
{
	return ( supPlace ){ .kind = sup_placeSurface,
						 .actor = actor,
						 .point = { .vertices = { point, point, point }, .weights = { 1.0f } } };
}

static supAttachment* Join( Net* net, supPlace first, supPlace second )
{
	supError error = { 0 };
	supAttachmentDef def = supDefaultAttachmentDef();
	def.placeCount = 2;
	def.places[0] = first;
	def.places[1] = second;
	supAttachment* join = supScene_Attach( net->scene, &def, &error );
	testRequire( join != NULL, &error );
	return join;
}

static Net Hang( int32_t substeps, bool isWelded )
{
	Net net = { 0 };
	supError error = { 0 };
	assert_true( supProp_AddNet( &net.prop, supVec3_zero, 5, 3, 0.25f, 0.03f ) );
	assert_true( ( isWelded == false || supProp_Weld( &net.prop ) ) && supProp_Finish( &net.prop ) );
	net.character = supProp_CreateCharacter( &net.prop, "net", &error );
	testRequire( net.character != NULL, &error );
	supTetMesh tets = supProp_Tets( &net.prop );
	const supSetting settings[] = { { "stretch", 3e6f }, { "density", 300.0f }, { "air", 8.0f }, { "damping", 0.05f } };
	supFleshDef def = supDefaultFleshDef();
	def.method = sup_methodPoints;
	def.tets = &tets;
	def.settings = settings;
	def.settingCount = 4;
	net.flesh = supBuildFlesh( net.character, &def, NULL, &error );
	testRequire( net.flesh != NULL, &error );
	supSceneDef sceneDef = supDefaultSceneDef();
	sceneDef.substeps = substeps;
	net.scene = supCreateScene( &sceneDef, &error );
	net.actor = supScene_AddActor( net.scene, net.flesh, &error );
	testRequire( net.actor != NULL, &error );
	for ( int32_t i = 0; i < net.prop.nails.count; ++i )
	{
		supVec3 place = supActor_Positions( net.actor, 0 )[net.prop.nails.data[i]];
		Join( &net, OnPoint( net.actor, net.prop.nails.data[i] ),
			  ( supPlace ){ .kind = sup_placeWorld, .position = place } );
	}
	for ( int32_t i = 0; i < net.prop.joints.count; i += 2 )
	{
		Join( &net, OnPoint( net.actor, net.prop.joints.data[i] ), OnPoint( net.actor, net.prop.joints.data[i + 1] ) );
	}
	return net;
}

static void Settle( Net* net )
{
	for ( int32_t frame = 0; frame < 100; ++frame )
	{
		supScene_Step( net->scene, 1.0f / 30.0f );
	}
}

static float Lowest( const Net* net )
{
	float lowest = INFINITY;
	for ( int32_t i = 0; i < net->prop.points.count; ++i )
	{
		lowest = supMinFloat( lowest, supActor_Positions( net->actor, 0 )[i].y );
	}
	return lowest;
}

static void Destroy( Net* net )
{
	supDestroyScene( net->scene );
	supDestroyFlesh( net->flesh );
	supDestroyCharacter( net->character );
	supProp_Destroy( &net->prop );
}

static void TestRestState( void** state )
{
	(void)state;
	Net coarse = Hang( 8, false ), fine = Hang( 32, false ), welded = Hang( 8, true );
	Settle( &coarse );
	Settle( &fine );
	Settle( &welded );
	float largest = 0.0f;
	for ( int32_t i = 0; i < coarse.prop.points.count; ++i )
	{
		supVec3 a = supActor_Positions( coarse.actor, 0 )[i], b = supActor_Positions( fine.actor, 0 )[i];
		largest = supMaxFloat( largest, supDistance( a, b ) );
	}
	printf( "8 against 32 substeps %g mm, lowest %g, welded %g\n", 1e3 * (double)largest, (double)Lowest( &coarse ),
			(double)Lowest( &welded ) );
	testLess( largest, 1e-3f );
	assert_float_equal( Lowest( &coarse ), Lowest( &welded ), 1e-3f );
	// crossings are in one place, as drawn
	for ( int32_t i = 0; i < fine.prop.joints.count; i += 2 )
	{
		const supVec3* drawn = supActor_Positions( fine.actor, 0 );
		float gap = supDistance( drawn[fine.prop.joints.data[i]], drawn[fine.prop.joints.data[i + 1]] );
		testLess( gap, 1e-6f );
	}
	Destroy( &coarse );
	Destroy( &fine );
	Destroy( &welded );
}

int main( void )
{
	const struct CMUnitTest tests[] = { cmocka_unit_test( TestRestState ) };
	return cmocka_run_group_tests( tests, NULL, NULL );
}
