// SPDX-License-Identifier: MIT
// Helper bones in a document: nodes under the joints that they belong to, skins with more joints, meshes with other
// weights, animations with more channels. Nothing else changes. A character without skins gets one of helpers alone.
#pragma once

#include "io/common/frames.h"
#include "io/gltf/gltf_animations.h"

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
	int32_t parent; // node; -1: a new one that holds all helpers
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
	// NULL where the character has skins. Otherwise all meshes are replaced by those of frame 0 in world space, without
	// morph targets, the space of all rest positions is the world, and one skin moves them.
	const supFrames* frames;
	// with frames, per instance: gets the node that carries the result
	int32_t* carriers;
	// what is moved by bones: instances with a skin, or all
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
