// SPDX-License-Identifier: MIT
// Rings of ten vertices and two poles. Every second ring is turned by half a segment, so that all triangles are nearly
// equilateral and no direction of twist is favoured.
#include "models/tube.h"

#include "core/core.h"

#include <stdio.h>

enum
{
	segments = 10,
	capRings = 3,   // of each half sphere, without its rim
	bodyRings = 23, // of the cylinder, both rims included
	rings = bodyRings + 2 * capRings,
	vertexCount = segments * rings + 2,
	indexCount = 3 * ( 2 * segments * ( rings - 1 ) + 2 * segments ),
	influences = 2,
	mostBones = 5,
	framesPerSecond = 24,
	keyCount = 2 * framesPerSecond + 1,
};

_Static_assert( vertexCount == SUP_TUBE_VERTICES, "as many skin nodes as in the papers" );
_Static_assert( indexCount == 3 * SUP_TUBE_TRIANGLES, "a closed surface: twice as many triangles as vertices, less 4" );

static const float s_radius = 0.15f;
static const float s_halfLength = 1.0f; // poles at -1 and +1

typedef struct Tube
{
	int32_t boneCount;
	supVec3 positions[vertexCount];
	supVec3 normals[vertexCount];
	uint32_t indices[indexCount];
	uint16_t joints[influences * vertexCount];
	float weights[influences * vertexCount];
	supNode nodes[mostBones + 1];
	char nodeNames[mostBones][16];
	int32_t jointNodes[mostBones];
	supMat34 inverseBinds[mostBones];
	float times[keyCount];
	supQuat bend[keyCount];
	supQuat twist[keyCount];
	supChannel bendChannels[mostBones];
	supChannel twistChannels[mostBones];
} Tube;

// Where ring r stands: x along the axis, distance from it, and the outward normal in that plane.
typedef struct Ring
{
	float x, radius;
	float normalX, normalRadial;
} Ring;

static Ring MakeRing( int r )
{
	float rim = s_halfLength - s_radius;
	int fromEnd = r < capRings ? r : rings - 1 - r;
	float side = r < capRings ? -1.0f : 1.0f;
	if ( fromEnd >= capRings )
	{
		float t = (float)( r - capRings ) / (float)( bodyRings - 1 );
		return ( Ring ){ rim * ( 2.0f * t - 1.0f ), s_radius, 0.0f, 1.0f };
	}
	// the angle from the pole
	supCosSin angle = supComputeCosSin( 0.5f * SUP_PI * (float)( fromEnd + 1 ) / (float)( capRings + 1 ) );
	return ( Ring ){ side * ( rim + s_radius * angle.cosine ), s_radius * angle.sine, side * angle.cosine, angle.sine };
}

static void BuildVertices( Tube* tube )
{
	for ( int r = 0; r < rings; ++r )
	{
		Ring ring = MakeRing( r );
		for ( int s = 0; s < segments; ++s )
		{
			float turn = ( (float)s + 0.5f * (float)( r % 2 ) ) / (float)segments;
			supCosSin angle = supComputeCosSin( 2.0f * SUP_PI * turn );
			int v = segments * r + s;
			tube->positions[v] = supMakeVec3( ring.x, ring.radius * angle.cosine, ring.radius * angle.sine );
			tube->normals[v] =
				supMakeVec3( ring.normalX, ring.normalRadial * angle.cosine, ring.normalRadial * angle.sine );
		}
	}
	for ( int end = 0; end < 2; ++end )
	{
		float side = end == 0 ? -1.0f : 1.0f;
		tube->positions[segments * rings + end] = supMakeVec3( side * s_halfLength, 0.0f, 0.0f );
		tube->normals[segments * rings + end] = supMakeVec3( side, 0.0f, 0.0f );
	}
}

static uint32_t* PushTriangle( uint32_t* index, int a, int b, int c )
{
	index[0] = (uint32_t)a;
	index[1] = (uint32_t)b;
	index[2] = (uint32_t)c;
	return index + 3;
}

// Outside is where the corners run counter-clockwise.
static void BuildTriangles( Tube* tube )
{
	uint32_t* index = tube->indices;
	for ( int r = 0; r + 1 < rings; ++r )
	{
		for ( int s = 0; s < segments; ++s )
		{
			int next = ( s + 1 ) % segments;
			int a = segments * r + s, b = segments * r + next;
			// the ring ahead is half a segment on for even rings and half a segment back for odd ones
			int c = segments * ( r + 1 ) + ( r % 2 == 0 ? s : next );
			int d = segments * ( r + 1 ) + ( r % 2 == 0 ? next : ( next + 1 ) % segments );
			index = PushTriangle( index, a, b, c );
			index = PushTriangle( index, b, d, c );
		}
	}
	int first = segments * rings, last = first + 1;
	for ( int s = 0; s < segments; ++s )
	{
		int next = ( s + 1 ) % segments;
		int end = segments * ( rings - 1 );
		index = PushTriangle( index, first, next, s );
		index = PushTriangle( index, last, end + s, end + next );
	}
	SUP_ASSERT( index == tube->indices + indexCount );
}

// Between neighbouring bones the weight goes over smoothly along 0.8 of a bone's length, centred on the joint.
static void BuildWeights( Tube* tube )
{
	float boneLength = 2.0f * s_halfLength / (float)tube->boneCount;
	float reach = 0.4f * boneLength;
	for ( int v = 0; v < vertexCount; ++v )
	{
		float along = tube->positions[v].x + s_halfLength;
		int joint = (int)( along / boneLength + 0.5f );
		joint = joint < 1 ? 1 : joint > tube->boneCount - 1 ? tube->boneCount - 1 : joint;
		float t = supClampFloat( 0.5f + 0.5f * ( along - (float)joint * boneLength ) / reach, 0.0f, 1.0f );
		float ahead = t * t * ( 3.0f - 2.0f * t );
		tube->joints[influences * v] = (uint16_t)joint;
		tube->joints[influences * v + 1] = (uint16_t)( joint - 1 );
		tube->weights[influences * v] = ahead;
		tube->weights[influences * v + 1] = 1.0f - ahead;
	}
}

// Node 0 carries the mesh; nodes 1 .. are the bones, each a child of the one before.
static void BuildSkeleton( Tube* tube )
{
	float boneLength = 2.0f * s_halfLength / (float)tube->boneCount;
	tube->nodes[0] = ( supNode ){ .name = "tube", .parent = -1, .rest = supTransform_identity };
	for ( int i = 0; i < tube->boneCount; ++i )
	{
		supTransform rest = supTransform_identity;
		rest.translation.x = i == 0 ? -s_halfLength : boneLength;
		char* name = tube->nodeNames[i];
		snprintf( name, sizeof( tube->nodeNames[i] ), "bone%d", i + 1 );
		tube->nodes[i + 1] = ( supNode ){ .name = name, .parent = i == 0 ? -1 : i, .rest = rest };
		tube->jointNodes[i] = i + 1;
		tube->inverseBinds[i] = supMat34_identity;
		tube->inverseBinds[i].t.x = s_halfLength - boneLength * (float)i;
	}
}

// There and back in two seconds, slow at both ends; every joint but the first takes an equal part of the angle.
static void BuildClips( Tube* tube )
{
	float part = 1.0f / (float)( tube->boneCount - 1 );
	for ( int k = 0; k < keyCount; ++k )
	{
		tube->times[k] = (float)k / (float)framesPerSecond;
		float t = tube->times[k] <= 1.0f ? tube->times[k] : 2.0f - tube->times[k];
		float ease = t * t * ( 3.0f - 2.0f * t );
		float bend = ease * part * ( 120.0f / 180.0f ) * SUP_PI;
		float twist = ease * part * SUP_PI;
		tube->bend[k] = supMakeQuatAxisAngle( supMakeVec3( 0.0f, 0.0f, 1.0f ), bend );
		tube->twist[k] = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.0f, 0.0f ), twist );
	}
	for ( int i = 1; i < tube->boneCount; ++i )
	{
		supChannel channel = { .node = tube->jointNodes[i],
							   .path = sup_channelRotation,
							   .interpolation = sup_interpolationLinear,
							   .keyCount = keyCount,
							   .width = 4,
							   .times = tube->times };
		channel.values = &tube->bend[0].x;
		tube->bendChannels[i - 1] = channel;
		channel.values = &tube->twist[0].x;
		tube->twistChannels[i - 1] = channel;
	}
}

static supCharacter* CreateFromTube( const Tube* tube, const char* name, supError* error )
{
	supSkin skin = {
		.name = "bones", .jointCount = tube->boneCount, .joints = tube->jointNodes, .inverseBinds = tube->inverseBinds
	};
	supPrimitive primitive = { .vertexCount = vertexCount, .indexCount = indexCount, .material = 0 };
	supMesh mesh = { .name = "tube",
					 .vertexCount = vertexCount,
					 .indexCount = indexCount,
					 .indices = tube->indices,
					 .positions = tube->positions,
					 .normals = tube->normals,
					 .influences = influences,
					 .joints = tube->joints,
					 .weights = tube->weights,
					 .primitiveCount = 1,
					 .primitives = &primitive };
	supInstance instance = { .node = 0, .mesh = 0, .skin = 0 };
	supMaterial material = { .name = "skin",
							 .baseColor = { 0.80f, 0.42f, 0.31f, 1.0f },
							 .roughness = 0.6f,
							 .baseColorImage = -1,
							 .alphaMode = sup_alphaOpaque,
							 .alphaCutoff = 0.5f };
	supClip clips[2] = {
		{ .name = "bend", .end = 2.0f, .channelCount = tube->boneCount - 1, .channels = tube->bendChannels },
		{ .name = "twist", .end = 2.0f, .channelCount = tube->boneCount - 1, .channels = tube->twistChannels },
	};
	supCharacterDef def = supDefaultCharacterDef();
	def.name = name;
	def.nodeCount = tube->boneCount + 1;
	def.nodes = tube->nodes;
	def.skinCount = 1;
	def.skins = &skin;
	def.meshCount = 1;
	def.meshes = &mesh;
	def.instanceCount = 1;
	def.instances = &instance;
	def.materialCount = 1;
	def.materials = &material;
	def.clipCount = 2;
	def.clips = clips;
	return supCreateCharacter( &def, error );
}

static supCharacter* CreateTube( int32_t boneCount, const char* name, supError* error )
{
	Tube* tube = supAllocZeroed( sizeof( Tube ) );
	if ( tube == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	tube->boneCount = boneCount;
	BuildVertices( tube );
	BuildTriangles( tube );
	BuildWeights( tube );
	BuildSkeleton( tube );
	BuildClips( tube );
	supCharacter* character = CreateFromTube( tube, name, error );
	supFree( tube );
	return character;
}

supCharacter* supCreateTube( supError* error )
{
	return CreateTube( 2, "tube", error );
}

supCharacter* supCreateTube5( supError* error )
{
	return CreateTube( 5, "tube5", error );
}
