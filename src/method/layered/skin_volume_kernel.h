// SPDX-License-Identifier: MIT
// Loops over nodes and triangles of skin_volume.c.
#pragma once

#include "core/kernel.h"
#include "method/layered/layered.h"

// Of a node.
typedef struct supVolumeNode
{
	supMat3d blend;  // R_W
	supVec3d rest;   // in the world without displacement
	supVec3d now;    // with it
	supVec3d place;  // among its bones
	double slope[4]; // gradient of the volume in the world, and its share of the volume less what it has at rest
	double volume;   // that at rest
} supVolumeNode;

// Doubles of a frame for supBlendNodes, vectors of four: columns of R, c - R c0, and c.
#define SUP_FRAME_BLEND 20

// blend, rest and place of nodes [begin, end).
SUP_DECLARE_KERNEL( void, supBlendNodes,
					( const supLayeredFlesh* flesh, const double* frames, supVolumeNode* nodes, int32_t begin,
					  int32_t end ) );

// Adds up volume of all nodes, which is 0 before.
SUP_DECLARE_KERNEL( void, supMeasureRest, ( const supLayeredFlesh* flesh, supVolumeNode* nodes ) );

// Adds up slope.
SUP_DECLARE_KERNEL( void, supMeasureSlopes, ( const supLayeredFlesh* flesh, supVolumeNode* nodes ) );
