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

/// Maximum number of bones per vertex.
#define SUP_MAX_INFLUENCES 8

/// A joint, or any other node of the hierarchy.
typedef struct supNode
{
	/// "" if the file has none; never NULL in a character.
	const char* name;
	/// -1 for a root. May be larger than the node's own index.
	int32_t parent;
	/// Local transform at rest. Ignored where `hasMatrix`.
	supTransform rest;
	/// The file has a matrix with shear, which no transform can express: it replaces the local transform in every pose.
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

/// The part of a material needed for drawing. The rest stays in the document the character came from.
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

/// An encoded image (PNG, JPEG, ...), as stored in the file.
typedef struct supImage
{
	const char* name;
	/// "image/png", "image/jpeg", or "" where unknown.
	const char* mimeType;
	/// NULL if the image is an external file that was not found; `uri` names it.
	const uint8_t* bytes;
	size_t byteCount;
	/// "" for an embedded image.
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

/// Offsets added to a mesh before skinning. An array is NULL if the target does not change it.
typedef struct supMorphTarget
{
	const char* name;
	const supVec3* positions;
	const supVec3* normals;
	const supVec3* tangents;
} supMorphTarget;

/// Geometry: the primitives of one mesh in sequence, in the file's vertex order.
typedef struct supMesh
{
	const char* name;
	int32_t vertexCount;
	/// Three per triangle, numbered within the mesh.
	int32_t indexCount;
	const uint32_t* indices;
	const supVec3* positions;
	/// Unit length; NULL if no primitive has normals, (0, 0, 0) for a primitive without.
	const supVec3* normals;
	/// xyz unit length, w the sign of the bitangent; NULL or zero likewise.
	const supVec4* tangents;
	/// TEXCOORD_0; NULL if no primitive has it.
	const supVec2* texcoords;
	/// COLOR_0, linear; NULL if no primitive has it.
	const supVec4* colors;
	/// Painted softness, 0 (stiff) to 1 (soft): the glTF attribute _SOFTNESS. NULL if no primitive has it, 0 for a
	/// primitive without.
	const float* softness;
	/// Bones per vertex in `joints` and `weights`: 0 (no weights), 1, 2, 4 or 8.
	int32_t influences;
	/// influences x vertexCount: index into the skin's joints, heaviest first.
	const uint16_t* joints;
	/// influences x vertexCount: they sum to 1 for each vertex, with 0 in unused slots.
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
	/// Weights at rest, one per morph target of the mesh. In a definition NULL means zeros.
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

/// Animation of one property of one node.
typedef struct supChannel
{
	int32_t node;
	supChannelPath path;
	supInterpolation interpolation;
	int32_t keyCount;
	/// Floats per key: 3, 4, or the number of morph targets.
	int32_t width;
	/// In seconds, strictly increasing.
	const float* times;
	/// width floats per key; with cubic splines three times that: in-tangent, value, out-tangent.
	const float* values;
} supChannel;

typedef struct supClip
{
	/// "" if the file has none.
	const char* name;
	/// Times of the first and last key. Outside them the pose is held.
	float start;
	float end;
	int32_t channelCount;
	const supChannel* channels;
} supClip;

/// A warning about the input, or a repair.
typedef struct supNote
{
	/// True: the input was changed to make it usable. False: a warning only.
	bool repaired;
	/// One sentence that names the place.
	const char* text;
} supNote;

// ---------------------------------------------------------------------------------------------------------------------
// Creation

/// Everything a character is made of. All arrays are copied.
typedef struct supCharacterDef
{
	const char* name;
	int32_t nodeCount;
	const supNode* nodes;
	int32_t skinCount;
	const supSkin* skins;
	int32_t meshCount;
	/// Joints and weights may be in any order, with any sum and any number of influences up to 1024; they are sorted
	/// and normalised. indices NULL means 0, 1, 2, ... up to indexCount. A mesh without primitives becomes one
	/// primitive.
	const supMesh* meshes;
	int32_t instanceCount;
	const supInstance* instances;
	int32_t materialCount;
	const supMaterial* materials;
	int32_t imageCount;
	const supImage* images;
	int32_t clipCount;
	const supClip* clips;
	/// Notes to pass on from the reader.
	int32_t noteCount;
	const supNote* notes;
	/// Metres per unit of the file, already applied to the coordinates. 1 for glTF.
	float unitScale;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supCharacterDef;

/// Returns an empty definition, in metres.
SUP_API supCharacterDef supDefaultCharacterDef( void );

typedef struct supCharacter supCharacter;

/// Validates and copies a definition, with repairs where they are safe (each becomes a note). Returns NULL with an
/// error otherwise: cycles in the hierarchy, indices out of range, non-finite positions.
/// - def comes from supDefaultCharacterDef
/// - error may be NULL
SUP_API supCharacter* supCreateCharacter( const supCharacterDef* def, supError* error );

/// NULL is allowed.
SUP_API void supDestroyCharacter( supCharacter* character );

// ---------------------------------------------------------------------------------------------------------------------
// Access. Pointers live as long as the character. Indices must be in range.

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

/// Sets the unit of a character whose file does not use the one it should (glTF is in metres, but many files are in
/// centimetres: 0.01). All lengths become metres; bakes are written in the units of the file. Call it before creating
/// poses, flesh or retargeted clips.
/// - metresPerUnit is finite and above 0
SUP_API void supCharacter_SetUnit( supCharacter* character, float metresPerUnit );

/// Finds the first node with this name. Returns -1 if there is none.
SUP_API int32_t supCharacter_FindNode( const supCharacter* character, const char* name );

/// Finds the first clip with this name, else the only one that matches case-insensitively. Returns NULL if there is
/// none.
SUP_API const supClip* supCharacter_FindClip( const supCharacter* character, const char* name );

/// Returns nodeCount node indices ordered so that parents precede their children.
SUP_API const int32_t* supCharacter_NodeOrder( const supCharacter* character );

/// Returns whether the node is a joint of any skin.
SUP_API bool supCharacter_IsJoint( const supCharacter* character, int32_t node );

/// Returns a hash of everything in the character except its notes, the same on every machine.
SUP_API uint64_t supCharacter_Hash( const supCharacter* character );

// ---------------------------------------------------------------------------------------------------------------------
// Poses

/// Local transforms of all nodes and morph weights of all instances, with the world and skinning matrices derived from
/// them. Use it from one thread at a time.
typedef struct supPose supPose;

/// Creates a pose at rest. The character must outlive it. Returns NULL only if out of memory.
SUP_API supPose* supCreatePose( const supCharacter* character );

/// NULL is allowed.
SUP_API void supDestroyPose( supPose* pose );

/// Returns the character of the pose.
SUP_API const supCharacter* supPose_Character( const supPose* pose );

/// Resets all nodes and morph weights to rest.
SUP_API void supPose_SetRest( supPose* pose );

/// Applies the clip's channels at `time` (in seconds, clamped to the clip) and leaves everything else unchanged.
/// - the clip belongs to the character or was retargeted to it (supRetargetClip)
SUP_API void supPose_ApplyClip( supPose* pose, const supClip* clip, float time );

/// Blends `other` into `pose`: weight 0 keeps pose, 1 is other; rotations take the shorter arc. `nodeWeights` has an
/// additional factor per node, or is NULL; morph weights use `weight` only.
/// - both poses belong to the same character; weight is in [0, 1]; node weights are clamped to it
SUP_API void supPose_Blend( supPose* pose, const supPose* other, float weight, const float* nodeWeights );

/// Adds weight * (other - reference) to the pose, with rotations composed locally.
SUP_API void supPose_Add( supPose* pose, const supPose* other, const supPose* reference, float weight );

/// Copies `other` to `pose`.
/// - both poses belong to the same character
SUP_API void supPose_Copy( supPose* pose, const supPose* other );

/// Returns a node's transform relative to its parent.
SUP_API supTransform supPose_GetLocal( const supPose* pose, int32_t node );
/// Sets a node's transform relative to its parent. A translation, rotation or scale that is invalid (non-finite, beyond
/// 1e9 m, a scale above 1e6, a zero quaternion) is ignored and the node keeps its own, so a faulty tracker does no
/// harm.
SUP_API void supPose_SetLocal( supPose* pose, int32_t node, supTransform local );

/// Sets all nodes from nodeCount world matrices, the inverse of supPose_Worlds, for animation from another program.
/// Each node gets the translation, rotation and scale that reproduce its matrix under its parent's result, so errors do
/// not accumulate along a chain. Returns the number of nodes off by more than 1e-4 of an axis length: those with shear
/// under the parent, with a fixed matrix of their own, with a non-finite matrix (supPose_SetLocal), and children of a
/// parent scaled to zero, which keep their transform.
SUP_API int32_t supPose_SetWorlds( supPose* pose, const supMat34* worlds );

/// Returns the morph weights of one instance, targetCount of its mesh, for the caller to write. Non-finite values count
/// as 0.
SUP_API float* supPose_MorphWeights( supPose* pose, int32_t instance );

/// Returns the up-to-date world matrices of all nodes.
SUP_API const supMat34* supPose_Worlds( supPose* pose );

/// Returns the up-to-date skinning matrices of an instance: world times inverse bind matrix for each joint of its skin,
/// or the world matrix of its node if it has no skin.
SUP_API const supMat34* supPose_Palette( supPose* pose, int32_t instance );

// ---------------------------------------------------------------------------------------------------------------------
// Skinning

typedef enum supSkinning
{
	/// Weighted mean of the matrices.
	sup_skinningLinear,
	/// Weighted mean of the dual quaternions; scale and shear are blended linearly first. Twists keep their volume.
	sup_skinningDualQuaternion,
} supSkinning;

/// Output arrays of the mesh's vertexCount; each may be NULL.
typedef struct supSkinOutput
{
	supVec3* positions;
	/// Unit length; zero if the mesh has no normals.
	supVec3* normals;
	/// w is copied; zero if the mesh has no tangents.
	supVec4* tangents;
} supSkinOutput;

/// Skins one instance in world space, after applying its morph targets. The result does not depend on the number of
/// workers or the instruction set. Allocates nothing.
/// - tasks may be NULL: everything runs on the calling thread
SUP_API void supSkinInstance( supPose* pose, int32_t instance, supSkinning skinning, const supTasks* tasks,
							  const supSkinOutput* output );

// ---------------------------------------------------------------------------------------------------------------------
// Retargeting

/// A node of the motion and the node of the character it drives.
typedef struct supNamePair
{
	const char* source;
	const char* target;
} supNamePair;

typedef struct supRetargetDef
{
	/// Pairs of nodes. With 0 pairs, names are matched automatically: equal names, then the common humanoid skeletons
	/// (CMU, Mixamo, Unreal, Unity/VRM, Rigify, Mesh2Motion, and most others that use such words).
	int32_t pairCount;
	const supNamePair* pairs;
	/// Factor on root travel. 0 (default): ratio of the leg lengths, or of the sizes without legs.
	float travelScale;
	/// Keep the root in place on the ground plane. Default false.
	bool inPlace;
	/// Keep a rest-pose frame before the motion (supFindMotionStart). Default false: the clip starts after it.
	bool keepFirstFrame;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supRetargetDef;

/// Returns the documented default of every field.
SUP_API supRetargetDef supDefaultRetargetDef( void );

/// Retargets a clip of `source` (which may have no meshes, like a BVH file) to `target`: rotations relative to the two
/// rest poses (or bind poses where skins were bound in another pose), limbs in the source's direction, root translation
/// scaled (docs/motion.md). The clip refers to nodes of `target`; destroy it with supDestroyClip. Returns NULL with an
/// error that names the joints of both skeletons if too few match.
SUP_API supClip* supRetargetClip( const supCharacter* target, const supCharacter* source, const supClip* clip,
								  const supRetargetDef* def, supError* error );

/// Returns the time in seconds at which the motion of a clip starts: its first key, or its second if the first is a
/// rest-pose frame followed by a leap, like the T-pose at the start of captured motions.
SUP_API float supFindMotionStart( const supCharacter* character, const supClip* clip );

/// Destroys a clip from supRetargetClip or supCreateMotion. NULL is allowed.
SUP_API void supDestroyClip( supClip* clip );

// ---------------------------------------------------------------------------------------------------------------------
// Built-in motions, for characters without a clip

/// Returns the number of motions, in the order to list them.
SUP_API int32_t supMotionCount( void );

/// Returns the name, such as "walk"; NULL if the index is out of range.
SUP_API const char* supMotionName( int32_t index );

/// Returns a one-line description.
SUP_API const char* supMotionSummary( int32_t index );

/// Finds a motion by name. Returns its index, or -1.
SUP_API int32_t supFindMotion( const char* name );

/// Returns whether the character can play the motion. "walk", "run", "jump" and "dance" need a humanoid skeleton;
/// "swing" needs a chain of joints that is not a limb, such as a tail, an ear or a tentacle; "shake", "turn" and "hop"
/// work for anything with a mesh. Returns false if the index is out of range.
SUP_API bool supMotionFits( int32_t index, const supCharacter* character );

/// Creates a clip of a motion for a character: retargeted to a humanoid skeleton, otherwise a motion of the whole body
/// that depends only on its size. Clips loop and stay in place, with the same bits on every machine. Destroy it with
/// supDestroyClip. Returns NULL with an error if there is no such motion or it does not fit (supMotionFits).
SUP_API supClip* supCreateMotion( const supCharacter* character, const char* name, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Surface checks

/// Topology of a skin. Coincident vertices (within 1e-6 of the largest extent) count as one.
typedef struct supSurfaceReport
{
	int32_t vertexCount;
	int32_t triangleCount;
	int32_t weldedVertexCount;
	/// Edges with one triangle.
	int32_t boundaryEdges;
	/// Edges with more than two triangles.
	int32_t nonManifoldEdges;
	/// Edges with two triangles of opposite orientation.
	int32_t misorientedEdges;
	/// Triangles with two coincident corners.
	int32_t degenerateTriangles;
	/// Triangles with the same three corners as an earlier one.
	int32_t duplicateTriangles;
	/// Connected components.
	int32_t parts;
	/// No boundary and no non-manifold edges.
	bool watertight;
	/// Signed volume in cubic metres; negative if the skin is inside out. Meaningful only if watertight.
	float volume;
	supBox bounds;
} supSurfaceReport;

/// Checks all meshes in the scene together, each once, in mesh space. Returns false only if out of memory.
SUP_API bool supCheckSurface( const supCharacter* character, supSurfaceReport* report, supError* error );
