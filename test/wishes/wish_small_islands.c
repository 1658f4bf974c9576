// SPDX-License-Identifier: MIT
// "Hundreds of loose pieces (scales, studs, feathers) make the simulation fall apart."
#include "wishes.h"

#define ISLANDS 300

void wishSmallIslands( void** state )
{
	(void)state;
	static const uint32_t tet[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
	static supVec3 places[4 * ISLANDS];
	static uint32_t indices[12 * ISLANDS];
	static uint16_t joints[4 * ISLANDS];
	static float weights[4 * ISLANDS];
	for ( int32_t i = 0; i < ISLANDS; ++i )
	{
		// rings of ten around the tube, 5 mm off the skin
		float angle = 0.628f * (float)( i % 10 ), x = -0.9f + 1.8f * (float)( i / 10 ) / 29.0f;
		supVec3 out = { 0.0f, cosf( angle ), sinf( angle ) }, side = { 0.0f, -out.z, out.y };
		supVec3 center = supMulAdd( supMakeVec3( x, 0.0f, 0.0f ), 0.155f, out );
		places[4 * i] = supMulAdd( center, 0.01f, side );
		places[4 * i + 1] = supMulAdd( center, -0.01f, side );
		places[4 * i + 2] = supAdd( center, supMakeVec3( 0.015f, 0.0f, 0.0f ) );
		places[4 * i + 3] = supMulAdd( center, 0.02f, out );
		for ( int32_t k = 0; k < 12; ++k )
		{
			indices[12 * i + k] = (uint32_t)( 4 * i ) + tet[k];
		}
		for ( int32_t k = 0; k < 4; ++k )
		{
			joints[4 * i + k] = x > 0.0f;
			weights[4 * i + k] = 1.0f;
		}
	}
	supMesh scales = { .name = "scales",
					   .vertexCount = 4 * ISLANDS,
					   .positions = places,
					   .influences = 1,
					   .joints = joints,
					   .weights = weights,
					   .indexCount = 12 * ISLANDS,
					   .indices = indices };
	supMesh body = *supCharacter_Mesh( wishTube(), 0 );
	body.primitiveCount = 0;
	supCharacter* character = wishDress( &body, &scales );
	supFlesh* flesh = wishBuild( character, "position", NULL, 0.0f );
	supScene* scene = wishScene( 1, true );
	supActor* actor = wishAdd( scene, flesh );
	float stretch = 1.0f;
	for ( int i = 1; i <= 40; ++i )
	{
		wishShift( actor, supMakeVec3( 0.0f, 0.03f * sinf( 0.3f * (float)i ), 0.0f ) );
		supScene_Step( scene, 1.0f / 60.0f );
		const supVec3* p = supActor_Positions( actor, 1 );
		for ( int32_t k = 0; k < ISLANDS; ++k )
		{
			float now = supDistance( p[4 * k], p[4 * k + 3] );
			float rest = supDistance( places[4 * k], places[4 * k + 3] );
			stretch = supMaxFloat( stretch, supMaxFloat( now / rest, rest / now ) );
		}
	}
	printf( "%d islands: edges change by %.2f at most\n", ISLANDS, (double)stretch );
	assert_true( wishIsFinite( actor ) );
	testLess( stretch, 1.1f );
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	supDestroyCharacter( character );
}
