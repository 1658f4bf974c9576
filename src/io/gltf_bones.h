// SPDX-License-Identifier: MIT
// Helper bones in a document: nodes under the joints that they belong to, skins with more joints, meshes with other
// weights, animations with more channels. Nothing else changes.
#pragma once

#include "io/gltf_animations.h"

// A bone of the problem that is a joint of the character.
typedef struct supBoneColumn
{
	int32_t node;
	// From the space of all rest positions to the joint's space at bind time.
	supMat34 bind;
} supBoneColumn;

typedef struct supHelperBone
{
	bool withScale; // keys of scale too: it has another one than its parent
	int32_t parent; // node
	supTransform rest;
	supVec3 center;  // its origin, in the space of all rest positions
	float scale;     // of its space at bind time against that one
	float reach;     // of what it moves, in its own space
	float tolerance; // of its keys, in the space of its parent
} supHelperBone;

typedef struct supBoneClip
{
	const supClip* clip; // NULL: the rest pose
	int32_t firstFrame;
	int32_t frameCount;
	float start;
	float framesPerSecond;
} supBoneClip;

typedef struct supBoneDocument
{
	const supCharacter* character;
	// what is moved by bones: instances with a skin
	int32_t instanceCount;
	const int32_t* instances;
	const int64_t* firstVertices; // within weights; instanceCount + 1
	// per skin: from mesh space to the space of all rest positions
	const supMat34* skinSpaces;
	// column of each joint of each skin, by character->jointStarts; -1: no vertex follows it
	int32_t columnCount;
	const int32_t* columns;

	int32_t helperCount;
	const supHelperBone* helpers;
	const supTransform* locals; // frame * helperCount + helper
	// bones of each vertex: below columnCount a column, else helper + columnCount
	int32_t influences;
	const uint16_t* joints;
	const float* weights;

	int32_t clipCount;
	const supBoneClip* clips;
	bool keepClips;

	// what was written
	int32_t keyCount;
	int32_t keyframeCount; // as many there would be without reduction
} supBoneDocument;

// A failure leaves the document as it was.
bool supWriteBones( supDocument* document, supBoneDocument* bones, supError* error );
