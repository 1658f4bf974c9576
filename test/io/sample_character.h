// SPDX-License-Identifier: MIT
// A small character with something of everything: a skinned tube with five joints per vertex, morph targets, two
// materials and a picture; a rigid, mirrored hat; clips with each interpolation.
#pragma once

#include "supple/character.h"

#define SAMPLE_RINGS 7
#define SAMPLE_SIDES 8
#define SAMPLE_VERTICES ( SAMPLE_RINGS * SAMPLE_SIDES )
#define SAMPLE_HALF ( SAMPLE_RINGS / 2 )
#define SAMPLE_INDICES ( ( SAMPLE_RINGS - 2 ) * SAMPLE_SIDES * 6 )
#define SAMPLE_JOINTS 6
#define SAMPLE_KEYS 3

enum
{
	SampleRoot,
	SampleFirstJoint,
	SampleBody = SampleFirstJoint + SAMPLE_JOINTS,
	SampleHat,
	SampleNodeCount
};

typedef struct sampleCharacter
{
	supNode nodes[SampleNodeCount];
	supSkin skins[1];
	int32_t joints[SAMPLE_JOINTS];
	supMat34 inverseBinds[SAMPLE_JOINTS];
	supMesh meshes[2];
	supPrimitive primitives[2];
	supVec3 positions[SAMPLE_VERTICES];
	supVec3 normals[SAMPLE_VERTICES];
	supVec4 tangents[SAMPLE_VERTICES];
	supVec2 texcoords[SAMPLE_VERTICES];
	supVec4 colors[SAMPLE_VERTICES];
	float softness[SAMPLE_VERTICES];
	uint16_t vertexJoints[SAMPLE_VERTICES * 5];
	float vertexWeights[SAMPLE_VERTICES * 5];
	uint32_t indices[SAMPLE_INDICES];
	supMorphTarget targets[2];
	supVec3 fat[SAMPLE_VERTICES];
	supVec3 lean[SAMPLE_VERTICES];
	supVec3 hat[4];
	uint32_t hatIndices[12];
	supInstance instances[2];
	float morphWeights[2];
	supMaterial materials[2];
	supImage images[1];
	supClip clips[3];
	supChannel channels[6];
	float times[SAMPLE_KEYS];
	float turns[SAMPLE_KEYS * 4];
	float moves[SAMPLE_KEYS * 3];
	float sizes[SAMPLE_KEYS * 3];
	float shapes[SAMPLE_KEYS * 2];
	float spline[SAMPLE_KEYS * 12];
	supCharacterDef def;
} sampleCharacter;

static const uint8_t s_samplePicture[] = {
	0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
	0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xDE, 0x00, 0x00, 0x00,
	0x0C, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0x38, 0xD0, 0xE0, 0x00, 0x00, 0x03, 0x84, 0x01, 0x81, 0x66,
	0x5E, 0xE1, 0x61, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
};

static void sampleMakeNodes( sampleCharacter* s )
{
	s->nodes[SampleRoot] = ( supNode ){ .name = "root", .parent = -1, .rest = supTransform_identity };
	for ( int i = 0; i < SAMPLE_JOINTS; ++i )
	{
		static const char* const names[] = { "hip", "spine", "chest", "neck", "", "head \xC3\xA9" };
		supNode* node = s->nodes + SampleFirstJoint + i;
		*node = ( supNode ){ .name = names[i], .parent = i, .rest = supTransform_identity };
		node->rest.translation = supMakeVec3( 0.1f * (float)( i % 2 ), i > 0 ? 0.4f : 0.0f, 0.0f );
		node->rest.rotation = supMakeQuatAxisAngle( supMakeVec3( 1.0f, (float)i, 0.5f ), 0.2f * (float)i );
		node->rest.scale = i == 2 ? supMakeVec3( 1.0f, 1.25f, 0.8f ) : supVec3_one;
		s->joints[i] = SampleFirstJoint + i;
		s->inverseBinds[i] = supMat34_identity;
		s->inverseBinds[i].t.y = -0.4f * (float)i;
	}
	s->nodes[SampleBody] = ( supNode ){ .name = "body", .parent = -1, .rest = supTransform_identity };
	s->nodes[SampleHat] =
		( supNode ){ .name = "hat", .parent = SampleFirstJoint + SAMPLE_JOINTS - 1, .rest = supTransform_identity };
	s->nodes[SampleHat].rest.scale = supMakeVec3( -0.5f, 2.0f, 1.0f );
	s->skins[0] = ( supSkin ){ "armature", SAMPLE_JOINTS, s->joints, s->inverseBinds };
}

static void sampleMakeVertices( sampleCharacter* s )
{
	for ( int i = 0; i < SAMPLE_VERTICES; ++i )
	{
		int ring = i / SAMPLE_SIDES;
		supCosSin cs = supComputeCosSin( 2.0f * SUP_PI * (float)( i % SAMPLE_SIDES ) / SAMPLE_SIDES );
		s->positions[i] = supMakeVec3( 0.3f * cs.cosine, 0.35f * (float)ring, 0.3f * cs.sine );
		s->normals[i] = supMakeVec3( cs.cosine, 0.0f, cs.sine );
		s->tangents[i] = ( supVec4 ){ -cs.sine, 0.0f, cs.cosine, i % 2 == 0 ? 1.0f : -1.0f };
		s->texcoords[i] = ( supVec2 ){ (float)( i % SAMPLE_SIDES ) / SAMPLE_SIDES, 0.1f * (float)ring };
		s->softness[i] = 0.25f * (float)( i % 5 );
		s->colors[i] = ( supVec4 ){ 1.0f, 0.125f * (float)ring, 0.3f, 1.0f };
		s->fat[i] = supScale( 0.2f, s->normals[i] );
		s->lean[i] = supMakeVec3( 0.01f * (float)i, 0.0f, -0.1f );
		for ( int k = 0; k < 5; ++k )
		{
			s->vertexJoints[5 * i + k] = (uint16_t)( ( ring + k ) % SAMPLE_JOINTS );
			s->vertexWeights[5 * i + k] = 1.0f / (float)( 1 + k * k + i % 3 );
		}
	}
}

// Two primitives, each with vertices of its own.
static void sampleMakeTriangles( sampleCharacter* s )
{
	uint32_t* index = s->indices;
	for ( uint32_t ring = 0; ring + 1 < SAMPLE_RINGS; ++ring )
	{
		if ( ring + 1 == SAMPLE_HALF )
		{
			s->primitives[0] = ( supPrimitive ){ 0, SAMPLE_HALF * SAMPLE_SIDES, 0, (int32_t)( index - s->indices ), 0 };
			continue;
		}
		for ( uint32_t side = 0; side < SAMPLE_SIDES; ++side )
		{
			uint32_t a = ring * SAMPLE_SIDES + side;
			uint32_t b = ring * SAMPLE_SIDES + ( side + 1 ) % SAMPLE_SIDES;
			uint32_t corners[] = { a, a + SAMPLE_SIDES, b, b, a + SAMPLE_SIDES, b + SAMPLE_SIDES };
			for ( int k = 0; k < 6; ++k )
			{
				*index++ = corners[k];
			}
		}
	}
	int32_t start = s->primitives[0].indexCount;
	s->primitives[1] = ( supPrimitive ){ SAMPLE_HALF * SAMPLE_SIDES, SAMPLE_VERTICES - SAMPLE_HALF * SAMPLE_SIDES,
										 start, SAMPLE_INDICES - start, 1 };
}

static void sampleMakeMeshes( sampleCharacter* s )
{
	sampleMakeVertices( s );
	sampleMakeTriangles( s );
	s->targets[0] = ( supMorphTarget ){ "fat", s->fat, NULL, NULL };
	s->targets[1] = ( supMorphTarget ){ "lean", s->lean, s->fat, s->lean };
	s->meshes[0] = ( supMesh ){ .name = "tube",
								.vertexCount = SAMPLE_VERTICES,
								.indexCount = SAMPLE_INDICES,
								.indices = s->indices,
								.positions = s->positions,
								.normals = s->normals,
								.tangents = s->tangents,
								.texcoords = s->texcoords,
								.colors = s->colors,
								.softness = s->softness,
								.influences = 5,
								.joints = s->vertexJoints,
								.weights = s->vertexWeights,
								.primitiveCount = 2,
								.primitives = s->primitives,
								.targetCount = 2,
								.targets = s->targets };
	static const uint32_t faces[] = { 0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0 };
	for ( int i = 0; i < 12; ++i )
	{
		s->hatIndices[i] = faces[i];
	}
	for ( int i = 0; i < 4; ++i )
	{
		s->hat[i] = supMakeVec3( i == 1 ? 0.4f : 0.0f, i == 3 ? 0.5f : 0.0f, i == 2 ? 0.4f : 0.0f );
	}
	s->meshes[1] = ( supMesh ){
		.name = "cone", .vertexCount = 4, .indexCount = 12, .indices = s->hatIndices, .positions = s->hat
	};
	s->morphWeights[0] = 0.25f;
	s->instances[0] = ( supInstance ){ SampleBody, 0, 0, s->morphWeights };
	s->instances[1] = ( supInstance ){ SampleHat, 1, -1, NULL };
}

static void sampleMakeMaterials( sampleCharacter* s )
{
	s->images[0] = ( supImage ){ "skin", "image/png", s_samplePicture, sizeof( s_samplePicture ), "" };
	s->materials[0] = ( supMaterial ){ .name = "painted",
									   .baseColor = { 1.0f, 1.0f, 1.0f, 1.0f },
									   .metallic = 0.0f,
									   .roughness = 0.7f,
									   .baseColorImage = 0,
									   .alphaMode = sup_alphaMask,
									   .alphaCutoff = 0.3f };
	s->materials[1] = ( supMaterial ){ .name = "glow",
									   .baseColor = { 0.1f, 0.2f, 0.3f, 0.4f },
									   .metallic = 1.0f,
									   .roughness = 1.0f,
									   .emissive = { 0.0f, 1.0f, 0.5f },
									   .baseColorImage = -1,
									   .alphaMode = sup_alphaBlend,
									   .alphaCutoff = 0.5f,
									   .doubleSided = true };
}

static void sampleMakeClips( sampleCharacter* s )
{
	for ( int i = 0; i < SAMPLE_KEYS; ++i )
	{
		supQuat q = supMakeQuatAxisAngle( supMakeVec3( 0.3f, 1.0f, (float)i ), 0.7f * (float)i );
		float key[4] = { q.x, q.y, q.z, q.w };
		s->times[i] = 0.25f + 0.7f * (float)i;
		for ( int k = 0; k < 4; ++k )
		{
			s->turns[4 * i + k] = key[k];
			s->spline[12 * i + k] = 0.1f * (float)k;
			s->spline[12 * i + 4 + k] = key[k];
			s->spline[12 * i + 8 + k] = -0.2f * (float)k;
		}
		for ( int k = 0; k < 3; ++k )
		{
			s->moves[3 * i + k] = 0.1f * (float)( i * k );
			s->sizes[3 * i + k] = 1.0f + 0.1f * (float)( i + k );
		}
		s->shapes[2 * i] = 0.5f * (float)i;
		s->shapes[2 * i + 1] = -0.1f * (float)i;
	}
	supChannel all[] = {
		{ 2, sup_channelRotation, sup_interpolationLinear, SAMPLE_KEYS, 4, s->times, s->turns },
		{ 1, sup_channelTranslation, sup_interpolationLinear, SAMPLE_KEYS, 3, s->times, s->moves },
		{ 3, sup_channelScale, sup_interpolationStep, SAMPLE_KEYS, 3, s->times, s->sizes },
		{ SampleBody, sup_channelMorphWeights, sup_interpolationLinear, SAMPLE_KEYS, 2, s->times, s->shapes },
		{ 4, sup_channelRotation, sup_interpolationCubicSpline, SAMPLE_KEYS, 4, s->times, s->spline },
		{ 5, sup_channelRotation, sup_interpolationStep, SAMPLE_KEYS, 4, s->times, s->turns },
	};
	for ( int i = 0; i < 6; ++i )
	{
		s->channels[i] = all[i];
	}
	s->clips[0] = ( supClip ){ .name = "Walk", .channelCount = 4, .channels = s->channels };
	s->clips[1] = ( supClip ){ .name = "Spline", .channelCount = 1, .channels = s->channels + 4 };
	s->clips[2] = ( supClip ){ .name = "", .channelCount = 1, .channels = s->channels + 5 };
}

// Fills s->def; change what a test needs, then create the character from it.
static void sampleMake( sampleCharacter* s )
{
	*s = ( sampleCharacter ){ 0 };
	sampleMakeNodes( s );
	sampleMakeMeshes( s );
	sampleMakeMaterials( s );
	sampleMakeClips( s );
	s->def = supDefaultCharacterDef();
	s->def.name = "sample";
	s->def.nodeCount = SampleNodeCount;
	s->def.nodes = s->nodes;
	s->def.skinCount = 1;
	s->def.skins = s->skins;
	s->def.meshCount = 2;
	s->def.meshes = s->meshes;
	s->def.instanceCount = 2;
	s->def.instances = s->instances;
	s->def.materialCount = 2;
	s->def.materials = s->materials;
	s->def.imageCount = 1;
	s->def.images = s->images;
	s->def.clipCount = 3;
	s->def.clips = s->clips;
}
