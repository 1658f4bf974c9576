// SPDX-License-Identifier: MIT
// Bridges: elements that join parts of a body which only lie near each other. A hand at the thigh, boot and boot,
// finger and finger, lip and lip share voxels, tets or cells that are coarser than the gap between them; when the parts
// move apart, such an element tears the skin of both.
//
// Every point of flesh has a place on the skin, the nearest. Two neighbouring points of an element are apart where all
// of this holds:
//
// - They lie at the skin: between them there is room for a gap, and not only flesh.
// - Different bones carry their places: less than half of the weights is shared.
// - The bones may part them. On one shell that holds for bones at least two joints from each other, and for nearer ones
//   (a jaw and the skull) that a clip of the character moves apart there. Two shells (a sleeve and the arm in it) often
//   belong together: bones four joints from each other part them, and others that a clip moves apart.
// - Over the skin it is a long way: no path of triangles leads from place to place within a ball of twice their
//   distance and the element's length.
#pragma once

#include "geometry/tree.h"
#include "volume/body/bones.h"
#include "volume/body/rest_surface.h"

// Poses of a clip that are looked at, at most; fewer where there are many clips.
#define SUP_BRIDGE_POSES 12

// The skin nearest to a point of flesh.
typedef struct supSkinPlace
{
	supVec3 from; // the point of flesh
	supVec3 point;
	int32_t triangle; // -1: there is no skin
	// the heaviest first; unused weights are 0
	uint16_t joints[SUP_MAX_INFLUENCES];
	float weights[SUP_MAX_INFLUENCES];
} supSkinPlace;

typedef struct supBridges
{
	supArena arena;
	const supRestSurface* surface;
	const supBones* bones;
	// of each bone: joints above it
	int32_t* depths;
	supTree* tree;
	// of each vertex of the surface
	uint16_t* joints;
	float* weights;
	// of each corner of each triangle: the next corner whose edge (to the following corner) joins the same two places,
	// around in a circle
	int32_t* rings;
	// of each triangle: the shell that it is part of
	int32_t* shells;
	// where clips carry the bones: a matrix from the rest pose for each pose and bone
	int32_t poseCount;
	supMat34* moves;
	// for one search at a time: its number, at triangles that it has been at and corners whose edge it has crossed, and
	// triangles to go on from
	int32_t search;
	int32_t* seen;
	int32_t* crossed;
	int32_t* stack;
} supBridges;

// False and an error where out of memory, or where the surface is none that a tree can be made of.
// - bridges is zero-initialised; surface and bones are the character's, in its rest pose, and outlive it
bool supBridges_Init( supBridges* bridges, const supCharacter* character, const supRestSurface* surface,
					  const supBones* bones, supError* error );
void supBridges_Destroy( supBridges* bridges );

// The places of many points.
void supBridges_FindPlaces( const supBridges* bridges, const supVec3* points, int32_t count, const supTasks* tasks,
							supSkinPlace* places );

// The place of a vertex of the surface: its own, with its own weights, whatever lies at the same point.
// - triangle: one that the vertex is a corner of
supSkinPlace supBridges_VertexPlace( const supBridges* bridges, int32_t vertex, int32_t triangle );

// Do two neighbouring points of an element belong to parts that only lie near each other? Not for two threads at once.
// - reach: from the one to the other, as long as elements are
bool supBridges_AreApart( supBridges* bridges, const supSkinPlace* a, const supSkinPlace* b, float reach );

// When a clip is looked at: in the middles of `count` equal parts.
float supBridges_PoseTime( float start, float end, int32_t index, int32_t count );
