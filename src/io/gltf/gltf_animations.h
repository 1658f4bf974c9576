// SPDX-License-Identifier: MIT
// Animations of a document that baked clips go into, whatever form the bake takes.
#pragma once

#include "io/gltf/gltf_write.h"

// One baked clip and its animation.
typedef struct supBakedAnimation
{
	// The clip of the character or one made for it; NULL: the rest pose.
	const supClip* clip;
	// animations[index] of the document; -1: none yet.
	int32_t index;
} supBakedAnimation;

// Fills `index` for the clips that are the character's own. False with an error where the document does not have them,
// or where one clip is listed twice.
bool supFindBakedAnimations( const supDocument* document, const supCharacter* character, supBakedAnimation* baked,
							 int32_t count, supError* error );

// Adds those that are not in the document yet, and an empty one for the rest pose.
bool supAddBakedAnimations( supDocument* document, float unit, supBakedAnimation* baked, int32_t count,
							supError* error );

// Puts the baked ones first, in their order; the others follow, or go unless `keepOthers`. Changes `index`. Then no
// animation is looked up by an older number any more.
bool supArrangeAnimations( supDocument* document, supBakedAnimation* baked, int32_t count, bool keepOthers,
						   supError* error );

// Those that move nothing are not allowed in a file.
void supDropEmptyAnimations( supDocument* document );
