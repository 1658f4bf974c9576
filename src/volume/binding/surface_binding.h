// SPDX-License-Identifier: MIT
// A fine surface carried by coarse flesh.
//
// What moves is a list of points: corners of tets, or middles of voxels. Each vertex of the character's skin hangs on
// four corners of one tet, or on up to eight voxels around it, with weights that sum to 1:
//
//     points (16 bytes: x y z w) ──frame──▶ frames ──write──▶ positions and normals of an instance
//
// Everything is a difference from a reference in which nothing is to change, so that what is at rest comes out bit for
// bit as it went in, and so that rounding is that of the displacement. Two references:
//
// - the rest pose. The flesh alone says where the skin goes. Morph targets are carried along.
// - the skin as ordinary skinning puts it (with `reference` points put there in the same way). The flesh only adds:
//   what is finer than its elements (fingers, lids, lips, teeth, morphs, rigid props) follows the skeleton as authored,
//   and where the flesh does not move away from its skinned place the authored pose is untouched.
//
// A frame of a point k has its shift d_k = p_k - r_k from the reference r_k, and how the flesh around it is turned and
// stretched against the reference: I + E_k. With w the weights of a vertex x and its normal n, E = sum of w_k E_k,
//
//     x' = x + sum of w_k d_k + s sum of w_k E_k ( x - r_k ),      n' = cof( I + E ) n, then unit length
//
// For tets, s = 0 is the linear interpolation and s = 1/2 Phong deformation (James 2020), whose folds at the faces
// between tets are far weaker; E_k is the mean gradient of the tets around a corner by volume, so that normals are
// smooth across tets either way. For voxels E_k comes from the voxel's rotation and s = 1: the trilinear blend of rigid
// motions of Iwamoto et al. (2015).
//
// Outside. A vertex that no tet holds is bound to a place c of the nearest one, and keeps its offset o = x - c: against
// the rest pose it becomes ( I + E ) o, never longer than 1.5 |o|; against the skin it shares the shift of c.
//
// Sides. Where two parts come close (lips, fingers) a tet of one may reach through the skin of the other. A vertex is
// therefore bound to the flesh that is met first going inwards from it, at most until the ray leaves the body again,
// and only where that way meets none to the tet that holds it or is nearest.
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
	// vertices that a tet holds or that have voxels around them
	int32_t inside;
	// vertices outside of all elements, and how far the farthest is from the nearest element, in metres
	int32_t outside;
	float farthest;
	// vertices that the tet of another part holds or is nearest to, bound to their own
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
	// of each instance: goes where skinning puts it, whatever the flesh does; see rest_surface.h
	const bool* still;
	bool keepsMade; // see supSurfaceBinding_KeepMade
	int32_t vertexCount;
	// points a vertex hangs on: 4 or 8
	int32_t width;
	// width a vertex; unused slots repeat the first point with weight 0
	const int32_t* points;
	// width a vertex, none negative, sum 1
	const float* weights;
	// of each vertex, 0 .. 1: part of what the flesh does, against the skin; NULL: all of it everywhere
	const float* skinShares;
	// from the bound place to the vertex at rest; NULL where no vertex is outside
	const supVec3* offsets;
	// the skin at rest, in world space; normals and tangents are zero where a mesh has none
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

// Changes how much a vertex hangs on each of the points that are near it.
typedef void supBindShareFcn( int32_t vertex, const int32_t* points, float* weights, int32_t count,
							  const void* context );

// The point that a vertex is to hang on which belongs to none of those near it; -1 where there is none.
typedef int32_t supBindOwnFcn( int32_t vertex, const void* context );

// Takes vertices off points that they do not belong to, wholly or in part; a vertex that would hang on nothing hangs on
// the point that is found for it, and stays as it is where there is none either. For voxels.
void supSurfaceBinding_ShareOut( supSurfaceBinding* binding, supBindShareFcn* share, supBindOwnFcn* findOwn,
								 const void* context );

// How much a vertex belongs to a point that is near it: 0 not at all .. 1.
typedef float supBindBelongFcn( int32_t vertex, int32_t point, const void* context );

// The same for tets. A vertex that would hang on nothing hangs on the nearest neighbour of its points that it belongs
// to, and stays as it is where there is none either. Only for use against the skin.
void supSurfaceBinding_KeepOwn( supSurfaceBinding* binding, supBindBelongFcn* belongs, const void* context );

// For tets some of whose points are vertices of the skin: such a vertex is where its point is, whatever else is near.
// - ownPoints: of each vertex; -1 where it stays as it is
void supSurfaceBinding_TakeOwn( supSurfaceBinding* binding, const int32_t* ownPoints );

// Armour, machines, eyes: a mesh that its author hung on a joint without a skin goes with the joint as it was made.
// Nothing of the kind where there is no other mesh. False where out of memory.
bool supSurfaceBinding_KeepMade( supSurfaceBinding* binding, const supCharacter* character );

// Eyes, teeth, buttons, plates: against the skin, the flesh adds nothing to vertices of rigid shells, so that they keep
// their shape. False where out of memory.
// - isRigid: of each vertex; NULL is fine
bool supSurfaceBinding_KeepShells( supSurfaceBinding* binding, const bool* isRigid );

// Horn, hoof, skull: against the skin, firm vertices take only a part of what the flesh does, so that a stiff part of a
// cell is stiff whatever else is in the cell. False where out of memory.
// - shares: of each vertex, 0 .. 1
bool supSurfaceBinding_KeepFirm( supSurfaceBinding* binding, const float* shares );

// All instances of the character in its rest pose. False and an error where there is no tet or out of memory; nothing
// is left behind. The character need not live longer than the binding.
// - binding is zero-initialised; tasks may be NULL
bool supSurfaceBinding_InitTets( supSurfaceBinding* binding, const supCharacter* character, const supTets* tets,
								 const supTasks* tasks, supError* error );

// The points are the middles of the voxels.
bool supSurfaceBinding_InitVoxels( supSurfaceBinding* binding, const supCharacter* character, const supVoxels* voxels,
								   const supTasks* tasks, supError* error );

// The mean gradients of a binding to tets anew, from some of its tets: those between parts that do not belong together
// say nothing about flesh. False and an error where out of memory; the binding is then good for nothing but its end.
bool supSurfaceBinding_BuildGradients( supSurfaceBinding* binding, const supTets* tets, supError* error );

void supSurfaceBinding_Destroy( supSurfaceBinding* binding );

// Frames of all points of a binding to tets. `reference` is where the points would be without flesh; NULL is the rest
// pose. Allocates nothing.
// - frames has room for pointCount
void supSurfaceBinding_FrameTets( const supSurfaceBinding* binding, const supVec4* points, const supVec4* reference,
								  const supTasks* tasks, supBindFrame* frames );

// The same against the rest pose, only of the points listed: those that hold a vertex are all that writing looks at.
// The others are to be numbers.
// - held has room for pointCount; returns how many there are
int32_t supSurfaceBinding_ListHeld( const supSurfaceBinding* binding, int32_t* held );
void supSurfaceBinding_FrameSomeTets( const supSurfaceBinding* binding, const supVec4* points, const int32_t* only,
									  int32_t count, const supTasks* tasks, supBindFrame* frames );

// The same for points that know how they are turned: rotations against the reference.
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

// Positions, normals and tangents of one instance, in world space. The same bits for every number of threads and
// instruction set. Allocates nothing. Tangents follow only against the skin, and are zero against the rest pose.
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
