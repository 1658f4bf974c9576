// SPDX-License-Identifier: MIT
// Builds a character from plain arrays, as an engine with its own file format would: a tube on three joints with a clip
// that bends it. Saves it as glTF where a file is named.
//
//     make_character [tube.glb]
#include <supple/supple.h>

#include <stdio.h>

enum
{
	ringCount = 17,
	sideCount = 12,
	jointCount = 3,
	keyCount = 3,
	vertexCount = ringCount * sideCount,
	indexCount = ( ringCount - 1 ) * sideCount * 6,
};

static const float tubeHeight = 2.0f;
static const float tubeRadius = 0.2f;

static supVec3 positions[vertexCount];
static supVec3 normals[vertexCount];
static uint32_t indices[indexCount];
static uint16_t joints[2 * vertexCount];
static float weights[2 * vertexCount];

// Rings of vertices from the ground up. A vertex between two joints is moved by both, in proportion.
static void MakeVertices( void )
{
	for ( int ring = 0; ring < ringCount; ++ring )
	{
		float height = tubeHeight * (float)ring / ( ringCount - 1 );
		float place = (float)( jointCount - 1 ) * (float)ring / ( ringCount - 1 );
		int lower = place < jointCount - 1 ? (int)place : jointCount - 2;
		for ( int side = 0; side < sideCount; ++side )
		{
			int i = ring * sideCount + side;
			supCosSin angle = supComputeCosSin( 2.0f * SUP_PI * (float)side / sideCount );
			normals[i] = supMakeVec3( angle.cosine, 0.0f, -angle.sine );
			positions[i] = supMulAdd( supMakeVec3( 0.0f, height, 0.0f ), tubeRadius, normals[i] );
			joints[2 * i] = (uint16_t)lower;
			joints[2 * i + 1] = (uint16_t)( lower + 1 );
			weights[2 * i + 1] = place - (float)lower;
			weights[2 * i] = 1.0f - weights[2 * i + 1];
		}
	}
}

// Two triangles for every four neighbours, counter-clockwise from outside.
static void MakeTriangles( void )
{
	uint32_t* next = indices;
	for ( int ring = 0; ring + 1 < ringCount; ++ring )
	{
		for ( int side = 0; side < sideCount; ++side )
		{
			uint32_t a = (uint32_t)( ring * sideCount + side );
			uint32_t b = (uint32_t)( ring * sideCount + ( side + 1 ) % sideCount );
			uint32_t quad[6] = { a, b, b + sideCount, a, b + sideCount, a + sideCount };
			for ( int k = 0; k < 6; ++k )
			{
				*next++ = quad[k];
			}
		}
	}
}

static supCharacter* MakeCharacter( supError* error )
{
	MakeVertices();
	MakeTriangles();

	// three joints in a chain, and the node that carries the mesh
	supNode nodes[jointCount + 1] = { { .name = "root", .parent = -1 },
									  { .name = "middle", .parent = 0 },
									  { .name = "tip", .parent = 1 },
									  { .name = "tube", .parent = -1 } };
	int32_t skinJoints[jointCount];
	supMat34 inverseBinds[jointCount];
	float step = tubeHeight / ( jointCount - 1 );
	for ( int i = 0; i < jointCount + 1; ++i )
	{
		nodes[i].rest = supTransform_identity;
	}
	for ( int i = 0; i < jointCount; ++i )
	{
		nodes[i].rest.translation.y = i > 0 ? step : 0.0f;
		skinJoints[i] = i;
		inverseBinds[i] = supMat34_identity;
		inverseBinds[i].t.y = -step * (float)i;
	}
	supSkin skin = { .jointCount = jointCount, .joints = skinJoints, .inverseBinds = inverseBinds };

	supPrimitive primitive = { .vertexCount = vertexCount, .indexCount = indexCount };
	supMesh mesh = { .name = "tube",
					 .vertexCount = vertexCount,
					 .indexCount = indexCount,
					 .indices = indices,
					 .positions = positions,
					 .normals = normals,
					 .influences = 2,
					 .joints = joints,
					 .weights = weights,
					 .primitiveCount = 1,
					 .primitives = &primitive };
	supInstance instance = { .node = 3, .mesh = 0, .skin = 0 };
	supMaterial material = { .name = "clay",
							 .baseColor = { 0.8f, 0.4f, 0.3f, 1.0f },
							 .roughness = 0.8f,
							 .baseColorImage = -1,
							 .alphaCutoff = 0.5f };

	// upright, bent by a right angle in the middle, upright
	float times[keyCount] = { 0.0f, 1.0f, 2.0f };
	supQuat turns[keyCount] = { supQuat_identity, supQuat_identity, supQuat_identity };
	turns[1] = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), 0.5f * SUP_PI );
	supChannel channel = { .node = 1,
						   .path = sup_channelRotation,
						   .interpolation = sup_interpolationLinear,
						   .keyCount = keyCount,
						   .width = 4,
						   .times = times,
						   .values = &turns[0].x };
	supClip clip = { .name = "bend", .start = 0.0f, .end = 2.0f, .channelCount = 1, .channels = &channel };

	// everything is copied: none of the arrays above need to stay
	supCharacterDef def = supDefaultCharacterDef();
	def.name = "tube";
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
	def.clipCount = 1;
	def.clips = &clip;
	return supCreateCharacter( &def, error );
}

static bool Save( const supCharacter* character, const char* path, supError* error )
{
	supDocument* document = supCreateDocument( character, error );
	bool saved = document != NULL && supSaveDocument( document, path, error );
	supDestroyDocument( document );
	return saved;
}

int main( int argc, char** argv )
{
	supError error = { 0 };
	supCharacter* character = MakeCharacter( &error );
	if ( character == NULL )
	{
		fprintf( stderr, "%s\n", error.message );
		return 1;
	}

	// half way through the clip the tip points sideways
	supPose* pose = supCreatePose( character );
	if ( pose == NULL )
	{
		supDestroyCharacter( character );
		return 1;
	}
	supPose_ApplyClip( pose, supCharacter_FindClip( character, "bend" ), 1.0f );
	supVec3 tip = supPose_Worlds( pose )[supCharacter_FindNode( character, "tip" )].t;
	printf( "tip at (%.3f, %.3f, %.3f)\n", tip.x, tip.y, tip.z );
	supDestroyPose( pose );

	bool ok = argc < 2 || Save( character, argv[1], &error );
	if ( ok == false )
	{
		fprintf( stderr, "%s: %s\n", error.where, error.message );
	}
	supDestroyCharacter( character );
	return ok ? 0 : 1;
}
