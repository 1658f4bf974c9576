// SPDX-License-Identifier: MIT
// Meshes of instances that are replaced by plain ones in world space.
//
// A node that only carried the mesh goes to the root of its scenes, without a transform. A node that others need
// (children, a camera, an extension, joints) stays where it is and hands the mesh over to a new node at the root. Skins
// that nothing uses any more go; accessors and bytes that nothing refers to any more stay, because extensions that we
// do not know may refer to them.
#pragma once

#include "io/gltf/gltf_write.h"

typedef struct supReplacer
{
	supEdit edit;
	supDocument* document;
	const supCharacter* character;
	supError* error;
	// what lives as long as the edit
	supArena arena;
	// the tree before
	const json_t* source;
	// how many nodes still use each mesh
	int32_t* meshUses;
	// per instance: the node at the root that carries the result and the mesh on it; -1 where nothing was replaced
	int32_t* carriers;
	int32_t* meshes;
	// per node: taken out of its parent's children; its mesh went and left nothing behind
	bool* isDetached;
	bool* hasNoMesh;
} supReplacer;

// Begins an edit. False with an error where the character is not the document's.
bool supReplacer_Begin( supReplacer* replacer, supDocument* document, const supCharacter* character, supError* error );

// The instance with the mesh that `posed` describes, which goes into valid shape on the way (supRepairNormals).
bool supReplacer_Replace( supReplacer* replacer, int32_t instance, supPosedMesh* posed );

// Takes the channels out of all animations that would move what has been replaced: weights of meshes that are gone,
// transforms of nodes that moved to the root. Then those animations can go that have nothing left to move
// (supDropEmptyAnimations).
bool supReplacer_DropChannels( supReplacer* replacer );

// Puts hierarchy, scenes and skins in order. After that nothing is replaced any more.
bool supReplacer_Arrange( supReplacer* replacer );

// Ends the edit: keeps the changes, or puts everything back as it was.
void supReplacer_End( supReplacer* replacer, bool keep );

// nodes[index] as it is now.
json_t* supReplacer_Node( const supReplacer* replacer, int64_t index );
