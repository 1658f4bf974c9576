// SPDX-License-Identifier: MIT
// A small character of all parts, as a definition that tests change.
#pragma once

#include "support.h"

#include "supple/character.h"

#include <stdlib.h>
#include <string.h>

// A strip of four triangles on two joints, with a morph target, a material, a picture and two clips.
typedef struct Strip
{
	supNode nodes[4];
	int32_t joints[2];
	supMat34 inverseBinds[2];
	supSkin skin;
	supVec3 positions[6];
	supVec3 normals[6];
	supVec4 tangents[6];
	supVec2 texcoords[6];
	uint32_t indices[12];
	uint16_t vertexJoints[6 * 12];
	float weights[6 * 12];
	supVec3 offsets[6];
	supMorphTarget target;
	supPrimitive primitives[2];
	supMesh mesh;
	supInstance instances[2];
	float morphWeights[1];
	supMaterial material;
	supImage image;
	float times[3];
	float rotations[12];
	float morphs[3];
	supChannel channels[2];
	supClip clips[2];
	supCharacterDef def;
} Strip;

static inline supNode MakeNode( const char* name, int32_t parent, supVec3 translation )
{
	return ( supNode ){ .name = name,
						.parent = parent,
						.rest = { translation, supQuat_identity, supVec3_one },
						.matrix = supMat34_identity };
}

static inline void FillStripGeometry( Strip* s )
{
	for ( int32_t i = 0; i < 6; ++i )
	{
		s->positions[i] = supMakeVec3( (float)( i % 2 ), (float)( i / 2 ), 0.0f );
		s->normals[i] = supMakeVec3( 0.0f, 0.0f, 1.0f );
		s->tangents[i] = ( supVec4 ){ 1.0f, 0.0f, 0.0f, 1.0f };
		s->texcoords[i] = ( supVec2 ){ s->positions[i].x, s->positions[i].y };
		s->offsets[i] = supMakeVec3( 0.0f, 0.0f, 0.1f );
		s->vertexJoints[2 * i + 1] = 1;
		s->weights[2 * i] = 1.0f - 0.25f * (float)( i / 2 );
		s->weights[2 * i + 1] = 0.25f * (float)( i / 2 );
	}
	const uint32_t indices[12] = { 0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5 };
	memcpy( s->indices, indices, sizeof( indices ) );
	s->target = ( supMorphTarget ){ "puff", s->offsets, NULL, NULL };
	s->primitives[0] = ( supPrimitive ){ 0, 4, 0, 6, 0 };
	s->primitives[1] = ( supPrimitive ){ 2, 4, 6, 6, -1 };
	s->mesh = ( supMesh ){ .name = "strip",
						   .vertexCount = 6,
						   .indexCount = 12,
						   .indices = s->indices,
						   .positions = s->positions,
						   .normals = s->normals,
						   .tangents = s->tangents,
						   .texcoords = s->texcoords,
						   .influences = 2,
						   .joints = s->vertexJoints,
						   .weights = s->weights,
						   .primitiveCount = 2,
						   .primitives = s->primitives,
						   .targetCount = 1,
						   .targets = &s->target };
}

static inline void FillStripClips( Strip* s )
{
	for ( int32_t i = 0; i < 3; ++i )
	{
		s->times[i] = 0.5f + (float)i;
		supQuat q = supMakeQuatAxisAngle( supMakeVec3( 1.0f, 0.0f, 0.0f ), 0.5f * (float)i );
		memcpy( s->rotations + 4 * i, &q, sizeof( q ) );
		s->morphs[i] = 0.5f * (float)i;
	}
	s->channels[0] = ( supChannel ){ 1, sup_channelRotation, sup_interpolationLinear, 3, 4, s->times, s->rotations };
	s->channels[1] = ( supChannel ){ 3, sup_channelMorphWeights, sup_interpolationStep, 3, 1, s->times, s->morphs };
	s->clips[0] = ( supClip ){ .name = "Bend", .channelCount = 2, .channels = s->channels };
	s->clips[1] = ( supClip ){ .name = "bend", .channelCount = 1, .channels = s->channels };
}

static inline Strip* MakeStrip( void )
{
	Strip* s = calloc( 1, sizeof( Strip ) );
	assert_non_null( s );
	// the child comes before its parent
	s->nodes[0] = MakeNode( "root", -1, supVec3_zero );
	s->nodes[1] = MakeNode( "upper", 2, supMakeVec3( 0.0f, 1.0f, 0.0f ) );
	s->nodes[2] = MakeNode( "lower", 0, supVec3_zero );
	s->nodes[3] = MakeNode( "body", -1, supMakeVec3( 5.0f, 5.0f, 5.0f ) );
	s->joints[0] = 2;
	s->joints[1] = 1;
	s->inverseBinds[0] = supMat34_identity;
	s->inverseBinds[1] = supMat34_identity;
	s->inverseBinds[1].t = supMakeVec3( 0.0f, -1.0f, 0.0f );
	s->skin = ( supSkin ){ "bones", 2, s->joints, s->inverseBinds };
	FillStripGeometry( s );
	s->morphWeights[0] = 0.25f;
	s->instances[0] = ( supInstance ){ 3, 0, 0, s->morphWeights };
	s->instances[1] = ( supInstance ){ 1, 0, -1, NULL };
	s->material = ( supMaterial ){ .name = "skin", .baseColor = { 1, 1, 1, 1 }, .roughness = 1.0f };
	s->image = ( supImage ){ .name = "dot", .mimeType = "image/png", .bytes = (const uint8_t*)"png!", .byteCount = 4 };
	FillStripClips( s );
	s->def = supDefaultCharacterDef();
	s->def.name = "strip";
	s->def.nodeCount = 4;
	s->def.nodes = s->nodes;
	s->def.skinCount = 1;
	s->def.skins = &s->skin;
	s->def.meshCount = 1;
	s->def.meshes = &s->mesh;
	s->def.instanceCount = 2;
	s->def.instances = s->instances;
	s->def.materialCount = 1;
	s->def.materials = &s->material;
	s->def.imageCount = 1;
	s->def.images = &s->image;
	s->def.clipCount = 2;
	s->def.clips = s->clips;
	return s;
}

static inline supCharacter* Create( const Strip* s )
{
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &s->def, &error );
	testRequire( character != NULL, &error );
	return character;
}
