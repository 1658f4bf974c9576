// SPDX-License-Identifier: MIT
// Which way does a character face? glTF says +Z, many files say something else.
//
// Clues at rest, the first that says anything wins:
//
// - left and right: limbs of a humanoid, else joints with a side in their names. Forward is left x up.
// - length: the head lies in front of the tail, or of the rest of a body that is longer than high.
// - a face: joints or meshes called eye, nose, mouth, jaw, teeth, ... lie in front of the head.
// - feet: toes lie in front of heels.
//
// Where two of the others agree against left and right, the sides were named as seen by the viewer: forward is turned
// around. In a pose the direction turns with the hips, or with the joint that carries both sides.
#pragma once

#include "supple/character.h"

typedef struct supFacing
{
	// Horizontal, unit length, at rest; +Z where nothing is known.
	supVec3 forward;
	// False where forward is a guess.
	bool known;
	// The node that forward turns with, and forward in its space; -1 for none.
	int32_t node;
	supVec3 local;
} supFacing;

// Returns false only when out of memory; the result is then +Z.
bool supFindFacing( const supCharacter* character, supFacing* facing );

// Horizontal direction in a pose. Its length is at most 1, and small where the character looks up or down: lies.
supVec3 supFacing_At( const supFacing* facing, supPose* pose );

// Degrees around +Y from +Z towards +X, as the azimuth of a view: that of a camera in front of the character.
float supFacing_Azimuth( supVec3 forward );
