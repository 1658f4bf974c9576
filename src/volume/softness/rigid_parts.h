// SPDX-License-Identifier: MIT
// Which connected parts of a mesh are not flesh: eyes, teeth, buttons, armour, machines. They move with their bone as
// they are and cannot bend.
#pragma once

#include "volume/body/rest_surface.h"

typedef struct supRigidPartsDef
{
	const supRestSurface* surface;
	// SUP_MAX_INFLUENCES of each vertex, the heaviest first
	const uint16_t* bones;
	const float* weights;
	// of each vertex: its mesh hangs on a joint without a skin. Parts of such vertices alone are rigid whatever their
	// shape. NULL: none
	const bool* made;
	// largest extent of other rigid parts, m
	float most;
	// the same for closed parts whose vertices move differently; not if strict
	float mostBent;
	// Strict: only closed parts that one bone moves, up to that extent. Otherwise every part whose vertices all have
	// the same weights, and larger ones too where other bones move other parts: a helmet, but not a ball with one bone.
	bool isStrict;
} supRigidPartsDef;

// False only when out of memory.
// - isRigid: of each vertex; those without triangles are not
// - what is taken from scratch stays there
bool supFindRigidParts( const supRigidPartsDef* def, supArena* scratch, bool* isRigid );

// The triangles of the surface, those of rigid parts last. False only when out of memory.
// - indices has room for all; softCount: triangles that are not of rigid parts, never none
bool supSortRigidParts( const supRigidPartsDef* def, supArena* scratch, uint32_t* indices, int32_t* softCount );
