// SPDX-License-Identifier: MIT
// One line for each method: what a capsule on three joints looks like after some frames of bending, as a fingerprint.
// It runs here and as WebAssembly, and is to print the same lines: make test-web.
#include "core/hash.h"
#include "supple/character.h"
#include "supple/flesh.h"
#include "supple/scene.h"

#include <inttypes.h>
#include <stdio.h>

enum
{
	ringCount = 15,
	sideCount = 12,
	jointCount = 3,
	vertexCount = ringCount * sideCount + 2,
	indexCount = 6 * sideCount * ringCount,
	frameCount = 8,
};

static supVec3 s_positions[vertexCount], s_normals[vertexCount];
static uint32_t s_indices[indexCount];
static uint16_t s_joints[2 * vertexCount];
static float s_weights[2 * vertexCount];

static void SetVertex( int32_t i, supVec3 position, float height )
{
	float place = supClampFloat( height, 0.0f, (float)( jointCount - 1 ) );
	int32_t lower = place < jointCount - 1 ? (int32_t)place : jointCount - 2;
	s_positions[i] = position;
	s_normals[i] = supNormalize( supSub( position, supMakeVec3( 0.0f, place, 0.0f ) ) );
	s_joints[2 * i] = (uint16_t)lower;
	s_joints[2 * i + 1] = (uint16_t)( lower + 1 );
	s_weights[2 * i + 1] = place - (float)lower;
	s_weights[2 * i] = 1.0f - s_weights[2 * i + 1];
}

static void MakeVertices( void )
{
	for ( int32_t ring = 0; ring < ringCount; ++ring )
	{
		float height = -0.25f + 2.5f * (float)ring / ( ringCount - 1 );
		float radius = ring == 0 || ring == ringCount - 1 ? 0.25f : 0.4f;
		for ( int32_t side = 0; side < sideCount; ++side )
		{
			supCosSin angle = supComputeCosSin( 2.0f * SUP_PI * (float)side / sideCount );
			SetVertex( ring * sideCount + side, supMakeVec3( radius * angle.cosine, height, -radius * angle.sine ),
					   height );
		}
	}
	SetVertex( vertexCount - 2, supMakeVec3( 0.0f, -0.4f, 0.0f ), -0.4f );
	SetVertex( vertexCount - 1, supMakeVec3( 0.0f, 2.4f, 0.0f ), 2.4f );
}

static void MakeTriangles( void )
{
	uint32_t* next = s_indices;
	for ( uint32_t side = 0; side < sideCount; ++side )
	{
		uint32_t other = ( side + 1 ) % sideCount, top = ( ringCount - 1 ) * sideCount;
		const uint32_t caps[6] = { other, side, vertexCount - 2, top + side, top + other, vertexCount - 1 };
		memcpy( next, caps, sizeof( caps ) );
		next += 6;
		for ( uint32_t ring = 0; ring + 1 < ringCount; ++ring, next += 6 )
		{
			uint32_t a = ring * sideCount + side, b = ring * sideCount + other;
			const uint32_t quad[6] = { a, b, b + sideCount, a, b + sideCount, a + sideCount };
			memcpy( next, quad, sizeof( quad ) );
		}
	}
}

static supCharacter* MakeCharacter( supError* error )
{
	MakeVertices();
	MakeTriangles();
	supNode nodes[jointCount + 1] = { { .name = "root", .parent = -1 },
									  { .name = "middle", .parent = 0 },
									  { .name = "tip", .parent = 1 },
									  { .name = "capsule", .parent = -1 } };
	int32_t joints[jointCount];
	supMat34 inverseBinds[jointCount];
	for ( int32_t i = 0; i <= jointCount; ++i )
	{
		nodes[i].rest = supTransform_identity;
	}
	for ( int32_t i = 0; i < jointCount; ++i )
	{
		nodes[i].rest.translation.y = i > 0 ? 1.0f : 0.0f;
		joints[i] = i;
		inverseBinds[i] = supMat34_identity;
		inverseBinds[i].t.y = -(float)i;
	}
	supSkin skin = { .jointCount = jointCount, .joints = joints, .inverseBinds = inverseBinds };
	supPrimitive primitive = { .vertexCount = vertexCount, .indexCount = indexCount };
	supMesh mesh = { .vertexCount = vertexCount,
					 .indexCount = indexCount,
					 .indices = s_indices,
					 .positions = s_positions,
					 .normals = s_normals,
					 .influences = 2,
					 .joints = s_joints,
					 .weights = s_weights,
					 .primitiveCount = 1,
					 .primitives = &primitive };
	supInstance instance = { .node = jointCount, .mesh = 0, .skin = 0 };
	supMaterial material = { .name = "clay", .baseColorImage = -1 };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = jointCount + 1;
	def.nodes = nodes;
	def.skinCount = 1;
	def.skins = &skin;
	def.meshCount = 1;
	def.meshes = &mesh;
	def.instanceCount = 1;
	def.instances = &instance;
	def.materialCount = 1;
	def.materials = &material;
	return supCreateCharacter( &def, error );
}

static bool RunMethod( const supCharacter* character, supMethodId method, supError* error )
{
	supFleshDef def = supDefaultFleshDef();
	def.method = method;
	supFlesh* flesh = supBuildFlesh( character, &def, NULL, error );
	supSceneDef sceneDef = supDefaultSceneDef();
	supScene* scene = flesh != NULL ? supCreateScene( &sceneDef, error ) : NULL;
	supActor* actor = scene != NULL ? supScene_AddActor( scene, flesh, error ) : NULL;
	for ( int32_t frame = 1; actor != NULL && frame <= frameCount; ++frame )
	{
		supTransform local = supPose_GetLocal( supActor_Pose( actor ), 1 );
		local.rotation = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), 0.1f * (float)frame );
		supPose_SetLocal( supActor_Pose( actor ), 1, local );
		supScene_Step( scene, 1.0f / 60.0f );
	}
	if ( actor != NULL )
	{
		uint64_t hash = supHashBytes( SUP_HASH_SEED, supActor_Positions( actor, 0 ), sizeof( s_positions ) );
		hash = supHashBytes( hash, supActor_Normals( actor, 0 ), sizeof( s_normals ) );
		printf( "%s %016" PRIx64 "\n", supFlesh_MethodName( flesh ), hash );
	}
	supDestroyScene( scene );
	supDestroyFlesh( flesh );
	return actor != NULL;
}

int main( void )
{
	supError error = { 0 };
	supCharacter* character = MakeCharacter( &error );
	bool ok = character != NULL;
	for ( int32_t method = 0; ok && method < sup_methodCount; ++method )
	{
		ok = RunMethod( character, (supMethodId)method, &error );
	}
	if ( ok == false )
	{
		fprintf( stderr, "%s: %s\n", error.where, error.message );
	}
	supDestroyCharacter( character );
	return ok ? 0 : 1;
}
