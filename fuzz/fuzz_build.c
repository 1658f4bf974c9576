// SPDX-License-Identifier: MIT
// Whole runs of small characters that no artist would make: a body of the input's making is built with a method of the
// input's choice, through voxels, tetrahedra or a control lattice; what is built is written and read again, and steps
// on a floor. Refusing it is fine. Leaving the numbers, or refusing to read what was written, is not.
#include "small_flesh.h"
#include "test/support/skinned.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );

#define MAX_RINGS 8
#define MAX_SIDES 8
#define MAX_VERTICES ( MAX_RINGS * MAX_SIDES + 2 )
#define MAX_INDICES ( 6 * MAX_RINGS * MAX_SIDES )
#define MAX_BONES 6
#define MAX_SETTINGS 4

typedef struct Body
{
	int32_t vertexCount;
	int32_t indexCount;
	int32_t boneCount;
	supVec3 positions[MAX_VERTICES];
	uint32_t indices[MAX_INDICES];
	uint16_t joints[4 * MAX_VERTICES];
	float weights[4 * MAX_VERTICES];
	supNode nodes[MAX_BONES + 1];
	int32_t list[MAX_BONES];
	supMat34 binds[MAX_BONES];
	char names[MAX_BONES][8];
} Body;

static void AddTriangle( Body* body, uint32_t a, uint32_t b, uint32_t c )
{
	uint32_t* indices = body->indices + body->indexCount;
	indices[0] = a;
	indices[1] = b;
	indices[2] = c;
	body->indexCount += 3;
}

// A closed tube along y from 0 to 1.
static void MakeTube( Body* body, Input* input )
{
	uint32_t rings = 2 + TakeByte( input ) % ( MAX_RINGS - 1 ), sides = 3 + TakeByte( input ) % ( MAX_SIDES - 2 );
	float radius = TakeBetween( input, 0.02f, 0.6f );
	uint32_t tip = rings * sides;
	for ( uint32_t r = 0; r < rings; ++r )
	{
		for ( uint32_t s = 0; s < sides; ++s )
		{
			supCosSin turn = supComputeCosSin( 6.2831853f * (float)s / (float)sides );
			body->positions[r * sides + s] =
				supMakeVec3( radius * turn.cosine, (float)r / (float)( rings - 1 ), radius * turn.sine );
		}
	}
	body->positions[tip] = supVec3_zero;
	body->positions[tip + 1] = supMakeVec3( 0.0f, 1.0f, 0.0f );
	body->vertexCount = (int32_t)tip + 2;
	for ( uint32_t s = 0; s < sides; ++s )
	{
		uint32_t next = ( s + 1 ) % sides, last = ( rings - 1 ) * sides;
		for ( uint32_t r = 0; r + 1 < rings; ++r )
		{
			uint32_t a = r * sides + s, b = r * sides + next;
			AddTriangle( body, a, a + sides, b );
			AddTriangle( body, b, a + sides, b + sides );
		}
		AddTriangle( body, tip, s, next );
		AddTriangle( body, tip + 1, last + next, last + s );
	}
}

// Moves, merges and drops parts of it.
static void DamageBody( Body* body, Input* input )
{
	uint32_t count = TakeByte( input ) % 8;
	for ( uint32_t i = 0; i < count; ++i )
	{
		uint32_t vertex = TakeByte( input ) % (uint32_t)body->vertexCount;
		uint32_t triangle = TakeByte( input ) % (uint32_t)( body->indexCount / 3 );
		switch ( TakeByte( input ) % 6 )
		{
			case 0:
				body->positions[vertex].x = TakeFloat( input );
				break;
			case 1:
				body->positions[vertex] = body->positions[TakeByte( input ) % (uint32_t)body->vertexCount];
				break;
			case 2:
				body->positions[vertex] =
					supMakeVec3( TakeBetween( input, -2.0f, 2.0f ), TakeBetween( input, -2.0f, 2.0f ),
								 TakeBetween( input, -2.0f, 2.0f ) );
				break;
			case 3:
				body->indices[3 * triangle] = body->indices[3 * triangle + 1];
				break;
			case 4:
				body->indices[3 * triangle] = vertex;
				break;
			default:
				for ( int32_t k = 0; k < body->vertexCount; ++k )
				{
					// flat, thin, long, far away
					supVec3* p = body->positions + k;
					*p = i % 2 == 0 ? supMakeVec3( p->x, p->y, p->z * TakeBetween( input, 0.0f, 1.0f ) ) : *p;
				}
		}
	}
}

// Bones in a row along the body, with joints and weights as the input wants them.
static void AddBones( Body* body, Input* input )
{
	body->boneCount = 1 + (int32_t)( TakeByte( input ) % MAX_BONES );
	float step = 1.0f / (float)body->boneCount;
	for ( int32_t i = 0; i < body->boneCount; ++i )
	{
		snprintf( body->names[i], sizeof( body->names[i] ), "b%d", i );
		body->list[i] = i;
		body->nodes[i] = ( supNode ){ .name = body->names[i], .parent = i - 1, .rest = supTransform_identity };
		body->nodes[i].rest.translation.y = i > 0 ? step : 0.0f;
		body->binds[i] = supMat34_identity;
		body->binds[i].t.y = -step * (float)i;
	}
	body->nodes[body->boneCount] = ( supNode ){ .name = "body", .parent = -1, .rest = supTransform_identity };
	uint32_t changes = TakeByte( input ) % 5;
	for ( uint32_t i = 0; i < changes; ++i )
	{
		int32_t bone = (int32_t)( TakeByte( input ) % (uint32_t)body->boneCount );
		supTransform* rest = &body->nodes[bone].rest;
		switch ( TakeByte( input ) % 7 )
		{
			case 0:
				rest->translation.x = TakeFloat( input );
				break;
			case 1:
				rest->translation.y = TakeBetween( input, -3.0f, 3.0f );
				break;
			case 2:
				rest->scale.x = TakeFloat( input );
				break;
			case 3:
				rest->rotation = ( supQuat ){ TakeBetween( input, -1.0f, 1.0f ), 0.0f,
											  TakeBetween( input, -1.0f, 1.0f ), TakeBetween( input, -1.0f, 1.0f ) };
				break;
			case 4:
				body->binds[bone].cx.x = TakeFloat( input );
				break;
			case 5:
				body->binds[bone].t.z = TakeFloat( input );
				break;
			default:
				body->nodes[bone].parent = (int32_t)( TakeByte( input ) % 2 ) - 1;
				break;
		}
	}
	for ( int32_t i = 0; i < body->vertexCount; ++i )
	{
		float at = body->positions[i].y * (float)body->boneCount;
		int32_t bone = at > 0.0f && at < (float)body->boneCount ? (int32_t)at : 0;
		body->joints[4 * i] = (uint16_t)bone;
		body->joints[4 * i + 1] = (uint16_t)( bone > 0 ? bone - 1 : 0 );
		body->weights[4 * i] = 0.7f;
		body->weights[4 * i + 1] = 0.3f;
	}
	for ( uint32_t i = TakeByte( input ) % 4; i > 0; --i )
	{
		body->weights[TakeByte( input ) % (uint32_t)( 4 * body->vertexCount )] = TakeFloat( input );
	}
}

static supCharacter* MakeCharacter( const Body* body )
{
	supMesh mesh = { .name = "body",
					 .vertexCount = body->vertexCount,
					 .positions = body->positions,
					 .influences = 4,
					 .joints = body->joints,
					 .weights = body->weights,
					 .indexCount = body->indexCount,
					 .indices = body->indices };
	supSkin skin = { .name = "", .jointCount = body->boneCount, .joints = body->list, .inverseBinds = body->binds };
	return testCreateSkinned( body->nodes, body->boneCount + 1, &skin, &mesh, NULL );
}

// Few elements, and parameters anywhere in their ranges: what costs time says so in its unit.
static supFlesh* Build( const supCharacter* character, supMethodId method, Input* input )
{
	supSetting settings[MAX_SETTINGS] = { 0 };
	int32_t count = 0;
	for ( uint32_t i = TakeByte( input ) % MAX_SETTINGS; i > 0; --i )
	{
		int32_t index = (int32_t)TakeIndex( input, (uint32_t)supMethod_ParameterCount( method ) );
		const supParameter* parameter = supMethod_Parameter( method, index );
		float value = TakeBetween( input, parameter->minimum, parameter->maximum );
		if ( strcmp( parameter->unit, "count" ) != 0 || parameter->maximum <= 64.0f )
		{
			settings[count++] = ( supSetting ){ parameter->name, value };
		}
	}
	const char* name = method == sup_methodLattice ? "resolution" : method == sup_methodFem ? "vertices" : "tets";
	if ( supMethod_FindParameter( method, name ) >= 0 )
	{
		settings[count++] = ( supSetting ){ name, method == sup_methodLattice ? 8.0f : 100.0f };
	}
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	def.settings = settings;
	def.settingCount = count;
	return supBuildFlesh( character, &def, NULL, NULL );
}

static void RequireReloads( const supFlesh* flesh, const supCharacter* character )
{
	size_t size = 0;
	uint8_t* bytes = supWriteFlesh( flesh, &size, NULL );
	supError error = { 0 };
	supFlesh* again = bytes != NULL ? supReadFlesh( bytes, size, "again.flesh", character, &error ) : NULL;
	if ( again == NULL )
	{
		fprintf( stderr, "not read again: %s: %s\n", error.where, error.message );
		abort();
	}
	supDestroyFlesh( again );
	supFree( bytes );
}

static void Run( const supFlesh* flesh, const supCharacter* character, Input* input )
{
	supSceneDef def = supDefaultSceneDef();
	supScene* scene = supCreateScene( &def, NULL );
	supActor* actor = supScene_AddActor( scene, flesh, NULL );
	uint32_t touches = TakeByte( input );
	if ( actor != NULL && touches % 4 == 1 )
	{
		supColliderDef floor = supDefaultColliderDef();
		floor.shape.kind = sup_shapePlane;
		supScene_AddCollider( scene, &floor, NULL );
	}
	if ( actor != NULL && touches % 4 == 2 )
	{
		supContactSettings settings = supActor_GetContact( actor );
		settings.withItself = true;
		supActor_SetContact( actor, &settings, NULL );
	}
	if ( actor != NULL )
	{
		StepActor( scene, actor, character, input );
		if ( supScene_GetStats( scene ).trouble.notFinite > 0 )
		{
			fprintf( stderr, "numbers were not finite and had to be repaired\n" );
			abort();
		}
	}
	supDestroyScene( scene );
}

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	supSetLog( NULL, NULL );
	Input input = { data, size };
	supMethodId method = s_methods[TakeByte( &input ) % FLESH_METHODS];
	static Body body;
	memset( &body, 0, sizeof( body ) );
	MakeTube( &body, &input );
	DamageBody( &body, &input );
	AddBones( &body, &input );
	supCharacter* character = MakeCharacter( &body );
	if ( character != NULL )
	{
		if ( TakeByte( &input ) % 4 == 1 )
		{
			supCharacter_SetUnit( character, TakeBetween( &input, 0.001f, 1000.0f ) );
		}
		supFlesh* flesh = Build( character, method, &input );
		if ( flesh != NULL )
		{
			RequireReloads( flesh, character );
			Run( flesh, character, &input );
		}
		supDestroyFlesh( flesh );
	}
	supDestroyCharacter( character );
	return 0;
}
