// SPDX-License-Identifier: MIT
/// @file character.h
/// A character as it was authored: nodes, skins, meshes, materials, clips. Immutable once created; any number of
/// threads may read it. Poses are the mutable side: one per actor.
///
/// Conventions are glTF's: right-handed, +Y up, metres, seconds, column vectors; a skinned mesh ignores the transform
/// of the node that carries it. Indices are the file's own, so that what comes out can be matched with what went in.
#pragma once

#include "supple/base.h"
#include "supple/math.h"

/// The most bones that may move one vertex.
#define SUP_MAX_INFLUENCES 8

/// A joint, or any other node of the hierarchy.
typedef struct supNode
{
	/// "" where the file gives none; never NULL in a character.
	const char* name;
	/// -1 for a root. May be larger than the node's own index.
	int32_t parent;
	/// Local transform at rest. Ignored where `hasMatrix`.
	supTransform rest;
	/// The file gives a matrix with shear, which no transform can express: it stands for the local transform in every
	/// pose.
	bool hasMatrix;
	supMat34 matrix;
} supNode;

typedef struct supSkin
{
	const char* name;
	int32_t jointCount;
	/// Node of each joint.
	const int32_t* joints;
	/// From mesh space to the joint's space at bind time. In a definition NULL means identity matrices.
	const supMat34* inverseBinds;
} supSkin;

typedef enum supAlphaMode
{
	sup_alphaOpaque,
	sup_alphaMask,
	sup_alphaBlend,
} supAlphaMode;

/// What drawing needs of a material. The rest stays in the document that the character came from.
typedef struct supMaterial
{
	const char* name;
	/// Linear RGBA, multiplied with texture and vertex colour.
	supVec4 baseColor;
	float metallic;
	float roughness;
	supVec3 emissive;
	/// Image of the base colour texture, -1 without.
	int32_t baseColorImage;
	supAlphaMode alphaMode;
	float alphaCutoff;
	bool doubleSided;
} supMaterial;

/// An encoded picture (PNG, JPEG, ...) as it stands in the file.
typedef struct supImage
{
	const char* name;
	/// "image/png", "image/jpeg", or "" where unknown.
	const char* mimeType;
	/// NULL where the picture is a file that could not be found; `uri` then says which.
	const uint8_t* bytes;
	size_t byteCount;
	/// "" for a picture inside the file.
	const char* uri;
} supImage;

/// A run of triangles with one material. Vertices of a primitive are consecutive in its mesh.
typedef struct supPrimitive
{
	int32_t vertexStart;
	int32_t vertexCount;
	int32_t indexStart;
	int32_t indexCount;
	/// -1 without.
	int32_t material;
} supPrimitive;

/// Offsets added to a mesh before skinning. Arrays are NULL where the target does not change them.
typedef struct supMorphTarget
{
	const char* name;
	const supVec3* positions;
	const supVec3* normals;
	const supVec3* tangents;
} supMorphTarget;

/// Geometry: the primitives of one mesh of the file one after another, vertex order as in the file.
typedef struct supMesh
{
	const char* name;
	int32_t vertexCount;
	/// Three per triangle, numbered within the mesh.
	int32_t indexCount;
	const uint32_t* indices;
	const supVec3* positions;
	/// Unit length; NULL where no primitive has them, (0, 0, 0) where only this primitive has none.
	const supVec3* normals;
	/// xyz unit length, w the sign of the bitangent; NULL or zero likewise.
	const supVec4* tangents;
	/// Set 0; NULL where no primitive has them.
	const supVec2* texcoords;
	/// COLOR_0, linear; NULL where no primitive has them.
	const supVec4* colors;
	/// Painted softness, 0 (stiff) to 1 (soft): the glTF attribute _SOFTNESS. NULL where no primitive has it, 0 where
	/// only this primitive has none.
	const float* softness;
	/// Bones per vertex in `joints` and `weights`: 0 (no weights), 1, 2, 4 or 8.
	int32_t influences;
	/// influences x vertexCount: index into the skin's joints, heaviest first.
	const uint16_t* joints;
	/// influences x vertexCount: sum 1 for each vertex, 0 for unused slots.
	const float* weights;
	int32_t primitiveCount;
	const supPrimitive* primitives;
	int32_t targetCount;
	const supMorphTarget* targets;
} supMesh;

/// A mesh in the scene: moved by a skin, or rigidly by a node.
typedef struct supInstance
{
	/// The node that carries it; its name is the instance's name.
	int32_t node;
	int32_t mesh;
	/// -1: the mesh moves rigidly with its node.
	int32_t skin;
	/// One per morph target of the mesh at rest. In a definition NULL means zeros.
	const float* morphWeights;
} supInstance;

typedef enum supChannelPath
{
	sup_channelTranslation,
	sup_channelRotation,
	sup_channelScale,
	sup_channelMorphWeights,
} supChannelPath;

typedef enum supInterpolation
{
	sup_interpolationStep,
	sup_interpolationLinear,
	sup_interpolationCubicSpline,
} supInterpolation;

/// The course of one property of one node.
typedef struct supChannel
{
	int32_t node;
	supChannelPath path;
	supInterpolation interpolation;
	int32_t keyCount;
	/// Floats per key: 3, 4, or the number of morph targets.
	int32_t width;
	/// Seconds, strictly rising.
	const float* times;
	/// width floats per key; with cubic splines three times that: in-tangent, value, out-tangent.
	const float* values;
} supChannel;

typedef struct supClip
{
	/// "" where the file gives none.
	const char* name;
	/// Time of the first and of the last key. Before and after, the clip holds still.
	float start;
	float end;
	int32_t channelCount;
	const supChannel* channels;
} supClip;

/// What was odd about the input and what was done about it.
typedef struct supNote
{
	/// True: something was changed to make the input usable. False: worth knowing, nothing was changed.
	bool repaired;
	/// One sentence with the place in it.
	const char* text;
} supNote;

// ---------------------------------------------------------------------------------------------------------------------
// Creating

/// Everything a character is made of. All arrays are copied.
typedef struct supCharacterDef
{
	const char* name;
	int32_t nodeCount;
	const supNode* nodes;
	int32_t skinCount;
	const supSkin* skins;
	int32_t meshCount;
	/// joints and weights may come in any order, with any sum and any number of influences up to 1024 (any number, not
	/// only a power of two); they are put right. indices NULL means 0, 1, 2, ... up to indexCount. Without primitives
	/// the mesh becomes one.
	const supMesh* meshes;
	int32_t instanceCount;
	const supInstance* instances;
	int32_t materialCount;
	const supMaterial* materials;
	int32_t imageCount;
	const supImage* images;
	int32_t clipCount;
	const supClip* clips;
	/// Notes that the reader has to hand on.
	int32_t noteCount;
	const supNote* notes;
	/// Metres per unit of the file; what the coordinates were multiplied with. 1 for glTF.
	float unitScale;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supCharacterDef;

/// Empty, in metres.
SUP_API supCharacterDef supDefaultCharacterDef( void );

typedef struct supCharacter supCharacter;

/// Checks, repairs where a repair is safe (each becomes a note), and copies. NULL and an error where it is not:
/// cycles in the hierarchy, indices out of range, positions that are not numbers.
/// - def comes from supDefaultCharacterDef
/// - error may be NULL
SUP_API supCharacter* supCreateCharacter( const supCharacterDef* def, supError* error );

/// NULL is allowed.
SUP_API void supDestroyCharacter( supCharacter* character );

// ---------------------------------------------------------------------------------------------------------------------
// Looking. Pointers live as long as the character. Indices out of range are a caller's bug.

SUP_API const char* supCharacter_Name( const supCharacter* character );
SUP_API int32_t supCharacter_NodeCount( const supCharacter* character );
SUP_API const supNode* supCharacter_Node( const supCharacter* character, int32_t index );
SUP_API int32_t supCharacter_SkinCount( const supCharacter* character );
SUP_API const supSkin* supCharacter_Skin( const supCharacter* character, int32_t index );
SUP_API int32_t supCharacter_MeshCount( const supCharacter* character );
SUP_API const supMesh* supCharacter_Mesh( const supCharacter* character, int32_t index );
SUP_API int32_t supCharacter_InstanceCount( const supCharacter* character );
SUP_API const supInstance* supCharacter_Instance( const supCharacter* character, int32_t index );
SUP_API int32_t supCharacter_MaterialCount( const supCharacter* character );
SUP_API const supMaterial* supCharacter_Material( const supCharacter* character, int32_t index );
SUP_API int32_t supCharacter_ImageCount( const supCharacter* character );
SUP_API const supImage* supCharacter_Image( const supCharacter* character, int32_t index );
SUP_API int32_t supCharacter_ClipCount( const supCharacter* character );
SUP_API const supClip* supCharacter_Clip( const supCharacter* character, int32_t index );
SUP_API int32_t supCharacter_NoteCount( const supCharacter* character );
SUP_API const supNote* supCharacter_Note( const supCharacter* character, int32_t index );
SUP_API float supCharacter_UnitScale( const supCharacter* character );

/// Says what one unit of the character is, where its file means another one than it should (glTF is in metres, but many
/// a file is in centimetres: 0.01). All its lengths become metres; what is baked of it goes back into the units of the
/// file. Before anything is made of the character: poses, flesh, clips that are retargeted to it.
/// - metresPerUnit is finite and above 0
SUP_API void supCharacter_SetUnit( supCharacter* character, float metresPerUnit );

/// First node with this name, -1 without.
SUP_API int32_t supCharacter_FindNode( const supCharacter* character, const char* name );

/// First clip with this name; failing that, the only one that matches without regard to case. NULL without.
SUP_API const supClip* supCharacter_FindClip( const supCharacter* character, const char* name );

/// Nodes in an order in which parents come before their children: nodeCount indices.
SUP_API const int32_t* supCharacter_NodeOrder( const supCharacter* character );

/// True where the node is a joint of some skin.
SUP_API bool supCharacter_IsJoint( const supCharacter* character, int32_t node );

/// A fingerprint of everything in the character but its notes, the same on every machine: equal content, equal hash.
SUP_API uint64_t supCharacter_Hash( const supCharacter* character );

// ---------------------------------------------------------------------------------------------------------------------
// Poses

/// Local transforms of all nodes and morph weights of all instances, with what follows from them: world matrices and
/// skinning matrices. Belongs to one thread at a time.
typedef struct supPose supPose;

/// At rest. Keeps a pointer to the character. NULL only when out of memory.
SUP_API supPose* supCreatePose( const supCharacter* character );

/// NULL is allowed.
SUP_API void supDestroyPose( supPose* pose );

/// The character that the pose was created for.
SUP_API const supCharacter* supPose_Character( const supPose* pose );

/// All nodes and morph weights as the character has them.
SUP_API void supPose_SetRest( supPose* pose );

/// Sets what the clip's channels say at `time` (seconds, held still outside the clip) and leaves the rest alone.
/// - the clip is the character's own or was made for it (supRetargetClip)
SUP_API void supPose_ApplyClip( supPose* pose, const supClip* clip, float time );

/// pose := between pose (weight 0) and other (weight 1), rotations along the shorter arc.
/// `nodeWeights` has one more factor per node, or is NULL; morph weights take only `weight`.
/// - both poses belong to the same character; weights lie in [0, 1], those of nodes are brought there
SUP_API void supPose_Blend( supPose* pose, const supPose* other, float weight, const float* nodeWeights );

/// pose := pose + weight (other - reference): layers a difference on top, rotations composed locally.
SUP_API void supPose_Add( supPose* pose, const supPose* other, const supPose* reference, float weight );

/// - both poses belong to the same character
SUP_API void supPose_Copy( supPose* pose, const supPose* other );

/// A node against its parent.
SUP_API supTransform supPose_GetLocal( const supPose* pose, int32_t node );
/// A translation, rotation or scale that is not usable (not finite, farther than 1e9 m, a scale above 1e6, a quaternion
/// of no length) is not taken: the node keeps the one it has, so that a tracker that loses its mind does no harm.
SUP_API void supPose_SetLocal( supPose* pose, int32_t node, supTransform local );

/// Sets all nodes from world matrices, nodeCount of them: the other way round than supPose_Worlds, for animation that
/// comes from another program. Nodes get the translation, rotation and scale that reproduce their matrix below the
/// parent as it comes out, so that errors do not add up along a chain. Returns how many nodes are off by more than 1e-4
/// of the length of an axis: shear below the parent, nodes with a fixed matrix of their own, matrices that are not
/// finite (supPose_SetLocal), and children of a parent that is scaled to nothing, which keep what they have.
SUP_API int32_t supPose_SetWorlds( supPose* pose, const supMat34* worlds );

/// Morph weights of one instance, targetCount of its mesh; write to them freely. What is not finite counts as 0.
SUP_API float* supPose_MorphWeights( supPose* pose, int32_t instance );

/// World matrices of all nodes, brought up to date.
SUP_API const supMat34* supPose_Worlds( supPose* pose );

/// Skinning matrices of an instance, brought up to date: world matrix times inverse bind matrix for each joint of its
/// skin, or the world matrix of its node alone where it has none.
SUP_API const supMat34* supPose_Palette( supPose* pose, int32_t instance );

// ---------------------------------------------------------------------------------------------------------------------
// Skinning

typedef enum supSkinning
{
	/// Weighted mean of the matrices.
	sup_skinningLinear,
	/// Weighted mean of the dual quaternions; scale and shear are blended linearly first. Keeps the volume of twists.
	sup_skinningDualQuaternion,
} supSkinning;

/// Where skinned vertices go: arrays of the mesh's vertexCount, each may be NULL.
typedef struct supSkinOutput
{
	supVec3* positions;
	/// Unit length. Zero where the mesh has no normals.
	supVec3* normals;
	/// w is copied. Zero where the mesh has no tangents.
	supVec4* tangents;
} supSkinOutput;

/// Moves the vertices of one instance into the pose, in world space. Morph targets first, then the skin.
/// The result does not depend on the number of workers nor on the instruction set. Allocates nothing.
/// - tasks may be NULL: everything on the calling thread
SUP_API void supSkinInstance( supPose* pose, int32_t instance, supSkinning skinning, const supTasks* tasks,
							  const supSkinOutput* output );

// ---------------------------------------------------------------------------------------------------------------------
// Motion of one skeleton put onto another

/// One pair of names: a node of the motion and the node of the character that it moves.
typedef struct supNamePair
{
	const char* source;
	const char* target;
} supNamePair;

typedef struct supRetargetDef
{
	/// Which node moves which. With 0 pairs names are matched automatically (equal names, then the common humanoid
	/// skeletons: CMU, Mixamo, Unreal, Unity/VRM, Rigify, Mesh2Motion, and most others that use such words).
	int32_t pairCount;
	const supNamePair* pairs;
	/// Root travel is multiplied with this. 0 (default): ratio of the leg lengths, or of the sizes without legs.
	float travelScale;
	/// Keeps the root in place on the ground plane. Default false.
	bool inPlace;
	/// Keeps a rest-pose frame before the motion (supFindMotionStart). Default false: the clip begins after it.
	bool keepFirstFrame;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supRetargetDef;

/// Returns the documented default of every field.
SUP_API supRetargetDef supDefaultRetargetDef( void );

/// Puts a clip of `source` (which may have no meshes: a BVH file) onto `target`: rotations relative to the two rest
/// poses (bind poses where the skins were bound in another one), limbs in the source's direction, root translation
/// scaled; docs/motion.md says it all. The clip refers to nodes of `target`. Destroy it with supDestroyClip. NULL and
/// an error naming both skeletons' joints where too little matches.
SUP_API supClip* supRetargetClip( const supCharacter* target, const supCharacter* source, const supClip* clip,
								  const supRetargetDef* def, supError* error );

/// Seconds at which the motion of a clip begins: its start, or its second key where the first one is a frame of the
/// rest pose, such as the T-pose that captured motions begin with, followed by a leap.
SUP_API float supFindMotionStart( const supCharacter* character, const supClip* clip );

/// For clips from supRetargetClip and supCreateMotion. NULL is fine.
SUP_API void supDestroyClip( supClip* clip );

// ---------------------------------------------------------------------------------------------------------------------
// Motions that come with Supple, for characters without a clip

/// How many there are. The order is the one to list them in.
SUP_API int32_t supMotionCount( void );

/// "walk", "dance", ... NULL where the index is out of range.
SUP_API const char* supMotionName( int32_t index );

/// One line for a list or a tooltip.
SUP_API const char* supMotionSummary( int32_t index );

/// The index of a motion by name, -1 where there is none.
SUP_API int32_t supFindMotion( const char* name );

/// Can this character play the motion? "walk", "run", "jump" and "dance" need the skeleton of a humanoid; "swing" needs
/// a chain of joints that is not one of its limbs, such as a tail, an ear or a tentacle; "shake", "turn" and "hop" suit
/// anything that has a mesh. False where the index is out of range.
SUP_API bool supMotionFits( int32_t index, const supCharacter* character );

/// Makes a clip of a motion for a character: retargeted to the skeleton of a humanoid, otherwise a motion of the whole
/// body that depends on nothing but its size. Clips loop and stay in place. The same bits on every machine. Destroy it
/// with supDestroyClip. NULL and an error where there is no such motion or it does not fit (supMotionFits).
SUP_API supClip* supCreateMotion( const supCharacter* character, const char* name, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Checks of the surface

/// What stands between a mesh and a closed skin. Vertices at the same place (within 1e-6 of the largest extent) count
/// as one.
typedef struct supSurfaceReport
{
	int32_t vertexCount;
	int32_t triangleCount;
	int32_t weldedVertexCount;
	/// Edges with one triangle.
	int32_t boundaryEdges;
	/// Edges with more than two triangles.
	int32_t nonManifoldEdges;
	/// Edges with two triangles that disagree about which side is out.
	int32_t misorientedEdges;
	/// Triangles with two corners at the same place.
	int32_t degenerateTriangles;
	/// Triangles that stand on the same three places as an earlier one.
	int32_t duplicateTriangles;
	/// Pieces connected through shared places.
	int32_t parts;
	/// No boundary and no non-manifold edges.
	bool watertight;
	/// Signed, cubic metres; negative where the skin is inside out. Means little unless watertight.
	float volume;
	supBox bounds;
} supSurfaceReport;

/// Over all meshes that are in the scene together, each once, in mesh space.
/// Returns false only when out of memory.
SUP_API bool supCheckSurface( const supCharacter* character, supSurfaceReport* report, supError* error );
