// SPDX-License-Identifier: MIT
// What flesh on tetrahedra is made from, while it is being made.
#pragma once

#include "method/method.h"
#include "volume/bones.h"
#include "volume/rest_surface.h"
#include "volume/softness.h"
#include "volume/tet_mesher.h"

typedef struct supBodyParts
{
	supRestSurface surface;
	supBones bones;
	supTets tets;
	supSoftness softness;
	// one a tet: see volume/bridge_count.h
	uint8_t* bridges;
} supBodyParts;

// A mesher's settings for the surface that is there.
supTetsDef supBodyParts_TetsDef( const supBodyParts* parts, const supFleshInput* input );

// Softness inside, from surface and bones that are there and what was painted or asked for.
bool supBodyParts_FindSoftness( supBodyParts* parts, const supFleshInput* input, supError* error );

// Tets that join parts which only lie near each other, from surface, bones and tets that are there.
bool supBodyParts_FindBridges( supBodyParts* parts, const supFleshInput* input, supError* error );

// Of zeroed parts is fine.
void supBodyParts_Destroy( supBodyParts* parts );
