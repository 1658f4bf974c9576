// SPDX-License-Identifier: MIT
// "Concave colliders are filled up by their convex hull."
#include "wishes.h"

// A trough along x that is open at the top, 0.5 m wide inside, its bottom at y = -0.3.
static void MakeTrough( supVec3 vertices[16], uint32_t indices[84] )
{
	static const float section[8][2] = { { -0.45f, -0.5f }, { 0.45f, -0.5f },  { 0.45f, 0.2f },  { 0.25f, 0.2f },
										 { 0.25f, -0.3f },  { -0.25f, -0.3f }, { -0.25f, 0.2f }, { -0.45f, 0.2f } };
	static const uint32_t cap[6][3] = { { 0, 1, 4 }, { 0, 4, 5 }, { 1, 2, 3 }, { 1, 3, 4 }, { 0, 5, 6 }, { 0, 6, 7 } };
	int count = 0;
	for ( uint32_t i = 0; i < 8; ++i )
	{
		vertices[i] = supMakeVec3( -1.5f, section[i][1], section[i][0] );
		vertices[8 + i] = supMakeVec3( 1.5f, section[i][1], section[i][0] );
		uint32_t next = ( i + 1 ) % 8;
		const uint32_t side[6] = { i, 8 + i, 8 + next, i, 8 + next, next };
		memcpy( indices + count, side, sizeof( side ) );
		count += 6;
	}
	for ( int i = 0; i < 6; ++i )
	{
		const uint32_t ends[6] = { cap[i][0], cap[i][1], cap[i][2], 8 + cap[i][0], 8 + cap[i][2], 8 + cap[i][1] };
		memcpy( indices + count, ends, sizeof( ends ) );
		count += 6;
	}
}

void wishConcaveProps( void** state )
{
	(void)state;
	supError error = { 0 };
	supVec3 vertices[16];
	uint32_t indices[84];
	MakeTrough( vertices, indices );
	supScene* scene = wishScene( 2, true );
	supColliderDef def = supDefaultColliderDef();
	def.shape.kind = sup_shapeMesh;
	def.shape.vertexCount = 16;
	def.shape.vertices = vertices;
	def.shape.triangleCount = 28;
	def.shape.indices = indices;
	testRequire( supScene_AddCollider( scene, &def, &error ) != NULL, &error );
	supActor* actor = wishAdd( scene, wishTubeFlesh() );
	supVec3* rest = wishCopy( actor );
	wishWait( scene, 0.5f );
	// it hangs free in the hollow
	testLess( wishFarthest( actor, rest ), 0.005f );
	// then it is pressed 5 cm into the bottom
	for ( int i = 1; i <= 60; ++i )
	{
		wishShift( actor, supMakeVec3( 0.0f, -0.2f * supMinFloat( (float)i / 40.0f, 1.0f ), 0.0f ) );
		supScene_Step( scene, 1.0f / 60.0f );
	}
	// between the bones' ends, where flesh is soft
	float lowest = 0.0f;
	for ( int32_t i = 0; i < wishVertexCount( actor ); ++i )
	{
		bool isSoft = fabsf( fabsf( rest[i].x ) - 0.5f ) < 0.2f;
		lowest = isSoft ? supMinFloat( lowest, supActor_Positions( actor, 0 )[i].y ) : lowest;
	}
	printf( "trough: the bottom is at -0.300 m, skin at %.3f m\n", (double)lowest );
	testGreater( lowest, -0.31f );
	testLess( lowest, -0.28f );
	free( rest );
	supDestroyScene( scene );
}
