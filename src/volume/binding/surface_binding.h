// SPDX-License-Identifier: MIT
// Binds the character's skin to coarse flesh.
//
// The flesh is a list of points: corners of tets, or centres of voxels. Each vertex of the skin follows four corners of
// one tet, or up to eight voxels around it, with weights that sum to 1:
//
//     points (16 bytes: x y z w) ──frame──▶ frames ──write──▶ positions and normals of an instance
//
// Everything is a difference from a reference, so that a body at rest is reproduced bit for bit and rounding is that of
// the displacement. Two references:
//
// - the rest pose. The flesh alone places the skin; morph targets move with it.
// - the skinned skin (with `reference` points skinned in the same way). The flesh only adds: details finer than its
//   elements (fingers, lids, lips, teeth, morphs, rigid props) follow the skeleton as authored, and flesh that does not
//   leave its skinned place leaves the authored pose unchanged.
//
// The frame of a point k has its displacement d_k = p_k - r_k from the reference r_k, and the deformation of the flesh
// around it, I + E_k. With w the weights of a vertex x and its normal n, E = sum of w_k E_k,
//
//     x' = x + sum of w_k d_k + s sum of w_k E_k ( x - r_k ),      n' = cof( I + E ) n, then unit length
//
// For tets, s = 0 is the linear interpolation and s = 1/2 Phong deformation (James 2020), whose folds at the faces
// between tets are far weaker; E_k is the mean gradient of the tets around a corner by volume, so that normals are
// smooth across tets either way. For voxels E_k comes from the voxel's rotation and s = 1: the trilinear blend of rigid
// motions of Iwamoto et al. (2015).
//
// Outside. A vertex outside all tets is bound to the nearest point c of the tets with the offset o = x - c: against the
// rest pose it becomes ( I + E ) o, never longer than 1.5 |o|; against the skin it shares the displacement of c.
//
// Sides. Where two parts come close (lips, fingers) a tet of one may reach through the skin of the other. A vertex is
// therefore bound to the first flesh along a ray inwards, until the ray leaves the body; if there is none, to the tet
// that contains it or is nearest.
#pragma once

#include "core/kernel.h"
#include "core/pack.h"
#include "supple/flesh.h"
#include "volume/body/rest_surface.h"
#include "volume/tets/tets.h"
#include "volume/voxels/voxels.h"

// One cache line. Valid for one pose of the points.
typedef struct supBindFrame
{
	// columns of E
	_Alignas( SUP_CACHE_LINE ) supVec3 turn[3];
	// d
	supVec3 shift;
	// E r
	supVec3 turned;
	float unused;
} supBindFrame;

typedef struct supBindReport
{
	// vertices inside a tet or with voxels around them
	int32_t inside;
	// vertices outside all elements, and the largest distance from the nearest element in metres
	int32_t outside;
	float farthest;
	// vertices whose tet belongs to another part, bound to their own instead
	int32_t resided;
} supBindReport;

typedef struct supSurfaceBinding
{
	supArena arena;
	supBindReport report;
	int32_t pointCount;
	// the points at rest, w is 0
	const supVec4* restPoints;
	int32_t instanceCount;
	// first vertex of each instance among all; instanceCount + 1
	const int32_t* vertexStarts;
	// per instance: follows skinning only; see rest_surface.h
	const bool* still;
	bool keepsMade; // see supSurfaceBinding_KeepMade
	int32_t vertexCount;
	// points per vertex: 4 or 8
	int32_t width;
	// width per vertex; unused slots repeat the first point with weight 0
	const int32_t* points;
	// width per vertex, none negative, sum 1
	const float* weights;
	// per vertex, against the skin: fraction of the flesh's displacement, 0 .. 1; NULL: 1
	const float* skinShares;
	// from the bound place to the vertex at rest; NULL if no vertex is outside
	const supVec3* offsets;
	// the skin at rest, in world space; zero normals and tangents if a mesh has none
	const supVec3* positions;
	const supVec3* normals;
	// change of the skin at rest per unit of a morph target's weight: those of instance i, target after target, start
	// at morphStarts[i] (instanceCount + 1)
	const int64_t* morphStarts;
	const supVec3* morphs;
	const supVec3* morphNormals;
	// s of the formula
	float smoothness;

	// mean gradients, for tets: E of point k is the sum over its neighbours of ( d_neighbour - d_k ) g
	const int32_t* neighbourStarts;
	const int32_t* neighbours;
	const supVec3* gradients;
} supSurfaceBinding;

// Changes the weights of a vertex for the points near it.
typedef void supBindShareFcn( int32_t vertex, const int32_t* points, float* weights, int32_t count,
							  const void* context );

// Finds a point for a vertex that belongs to none of those near it; -1 if there is none.
typedef int32_t supBindOwnFcn( int32_t vertex, const void* context );

// Reduces or removes weights of points that vertices do not belong to. A vertex without weights is bound to the point
// from findOwn, or stays unchanged if there is none. For voxels.
void supSurfaceBinding_ShareOut( supSurfaceBinding* binding, supBindShareFcn* share, supBindOwnFcn* findOwn,
								 const void* context );

// How much a vertex belongs to a point near it, 0 .. 1.
typedef float supBindBelongFcn( int32_t vertex, int32_t point, const void* context );

// The same for tets. A vertex without weights is bound to the nearest neighbour of its points that it belongs to, or
// stays unchanged if there is none. Only against the skin.
void supSurfaceBinding_KeepOwn( supSurfaceBinding* binding, supBindBelongFcn* belongs, const void* context );

// For tets with points that are skin vertices: binds each such vertex to its point alone.
// - ownPoints: per vertex; -1: unchanged
void supSurfaceBinding_TakeOwn( supSurfaceBinding* binding, const int32_t* ownPoints );

// Armour, machines, eyes: meshes on a joint without a skin follow the joint rigidly, unless there is no other mesh.
// Returns false if out of memory.
bool supSurfaceBinding_KeepMade( supSurfaceBinding* binding, const supCharacter* character );

// Eyes, teeth, buttons, plates: against the skin, flesh adds nothing to vertices of rigid shells, which keep their
// shape. Returns false if out of memory.
// - isRigid: per vertex; may be NULL
bool supSurfaceBinding_KeepShells( supSurfaceBinding* binding, const bool* isRigid );

// Horn, hoof, skull: against the skin, firm vertices take only a fraction of the flesh's displacement, so that they are
// stiff whatever else their cell contains. Returns false if out of memory.
// - shares: per vertex, 0 .. 1
bool supSurfaceBinding_KeepFirm( supSurfaceBinding* binding, const float* shares );

// Binds all instances of the character in its rest pose. Returns false with an error if there is no tet or out of
// memory, without partial results. The character may be destroyed afterwards.
// - binding is zero-initialised; tasks may be NULL
bool supSurfaceBinding_InitTets( supSurfaceBinding* binding, const supCharacter* character, const supTets* tets,
								 const supTasks* tasks, supError* error );

// Likewise; the points are the centres of the voxels.
bool supSurfaceBinding_InitVoxels( supSurfaceBinding* binding, const supCharacter* character, const supVoxels* voxels,
								   const supTasks* tasks, supError* error );

// Rebuilds the mean gradients from some of the tets, without those between parts that do not belong together. Returns
// false with an error if out of memory; the binding can then only be destroyed.
bool supSurfaceBinding_BuildGradients( supSurfaceBinding* binding, const supTets* tets, supError* error );

void supSurfaceBinding_Destroy( supSurfaceBinding* binding );

// Computes the frames of all points of a binding to tets. `reference`: the points without flesh; NULL: the rest pose.
// Allocates nothing.
// - frames: pointCount
void supSurfaceBinding_FrameTets( const supSurfaceBinding* binding, const supVec4* points, const supVec4* reference,
								  const supTasks* tasks, supBindFrame* frames );

// The same against the rest pose for some points: writing reads only those with a vertex (ListHeld). The others must be
// finite.
// - held: capacity pointCount; returns their number
int32_t supSurfaceBinding_ListHeld( const supSurfaceBinding* binding, int32_t* held );
void supSurfaceBinding_FrameSomeTets( const supSurfaceBinding* binding, const supVec4* points, const int32_t* only,
									  int32_t count, const supTasks* tasks, supBindFrame* frames );

// The same for points with rotations, relative to the reference.
void supSurfaceBinding_FrameRotations( const supSurfaceBinding* binding, const supVec4* points,
									   const supQuat* rotations, const supVec4* reference, const supTasks* tasks,
									   supBindFrame* frames );

typedef enum supBindReference
{
	// frames with reference NULL
	sup_bindToRest,
	// frames with the points where linear blend skinning, or dual quaternions, put them
	sup_bindToLinear,
	sup_bindToDual,
} supBindReference;

// Writes positions, normals and tangents of one instance, in world space. The same bits for any number of threads and
// instruction set. Allocates nothing. Tangents are zero against the rest pose.
void supSurfaceBinding_Write( const supSurfaceBinding* binding, const supBindFrame* frames, supBindReference reference,
							  supPose* pose, int32_t instance, const supTasks* tasks, const supSkinOutput* output );

#define SUP_MAX_BIND_POINTS 24

// A place on the skin as points and weights: for dragging and attachments. Weights sum to 1, each point occurs once.
// Returns how many: up to 12 with tets, up to 24 with voxels.
int32_t supSurfaceBinding_Resolve( const supSurfaceBinding* binding, const supSurfacePoint* place,
								   int32_t points[SUP_MAX_BIND_POINTS], float weights[SUP_MAX_BIND_POINTS] );

// The points of one vertex. Returns how many: up to 4 with tets, up to 8 with voxels; 0 where it goes where skinning
// puts it.
int32_t supSurfaceBinding_ResolveVertex( const supSurfaceBinding* binding, int32_t instance, int32_t vertex,
										 int32_t* points, float* weights );

// Where a place of the drawn surface is, and how it hangs on points: as long as the reference stays it moves by the
// weighted sum of their moves. Weights of both signs: the smoothing between tets takes neighbours along.
#define SUP_MAX_ROW 384

typedef struct supPlaceRow
{
	supVec3 position;
	// Weights do not change from one pose to another.
	bool isConstant;
	// A limit on how far skin is turned or stretched is at work, so that weights are good for small moves only.
	bool isLimited;
	int32_t count;
	int32_t points[SUP_MAX_ROW];
	float weights[SUP_MAX_ROW];
} supPlaceRow;

// What the frames of a surface are made of, see above.
typedef struct supBoundSurface
{
	const supSurfaceBinding* binding;
	supBindReference reference;
	supPose* pose;
	const supVec4* points;
	const supVec4* references;  // NULL: the rest pose
	const supQuat* rotations;   // of points that know how they are turned; NULL: tets
	const supBindFrame* frames; // of points that have no tets around them; NULL: there are none
} supBoundSurface;

// The same place as Write would draw, to rounding. Allocates nothing.
void supBoundSurface_FindRow( const supBoundSurface* surface, const supSurfacePoint* place, supPlaceRow* row );

// Adds to the weight of a point. One that finds no room is left out.
void supPlaceRow_Add( supPlaceRow* row, int32_t point, float weight );

// Into the group of a pack that the caller has entered, and out again: what the reader handed out is kept.
// False with the reader's error set, and nothing left behind.
// - binding is zero-initialised; the character is the one that it was made for
// - pointCount and width are those of the flesh that it belongs to: 4 for tets, 8 for voxels
void supSurfaceBinding_Save( const supSurfaceBinding* binding, supPackWriter* writer );
bool supSurfaceBinding_Load( supSurfaceBinding* binding, supPackReader* reader, const supCharacter* character,
							 int32_t pointCount, int32_t width );
