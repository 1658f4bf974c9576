// SPDX-License-Identifier: MIT
// The inside of the importer: an aiScene on its way to a supCharacterDef.
//
//   nodes      aiNode tree -> joined nodes (assimp's helper nodes for the many parts of an FBX transform folded back)
//   tracks     aiAnimation -> key tracks of joined nodes
//   slots      joined nodes -> one to three nodes of the character each (see supImportNode)
//   meshes     aiMesh lists of nodes -> meshes, skins, instances; normals put right
//   materials  aiMaterial, aiTexture -> materials, images
//   channels   tracks -> channels of the character's nodes
//
// Everything built lives in the arena of the import; supCreateCharacter copies it.
#pragma once

#include "core/arena.h"
#include "core/array.h"
#include "math/matrix.h"
#include "supple/io.h"

#include <assimp/scene.h>

// The parts of an FBX transform, in order of multiplication. assimp hands on each as a node of its own named
// "NAME_$AssimpFbx$_PART".
typedef enum supFbxPart
{
	sup_fbxTranslation,
	sup_fbxRotationOffset,
	sup_fbxRotationPivot,
	sup_fbxPreRotation,
	sup_fbxRotation,
	sup_fbxPostRotation,
	sup_fbxRotationPivotInverse,
	sup_fbxScalingOffset,
	sup_fbxScalingPivot,
	sup_fbxScaling,
	sup_fbxScalingPivotInverse,
	sup_fbxGeometricTranslation,
	sup_fbxGeometricRotation,
	sup_fbxGeometricScaling,
	sup_fbxPartCount,
} supFbxPart;

// Where the pieces of a joined node's local transform go. The full form is
//
//   Translate( t ) Scale( 1 / parent's own scale ) Rotate( q ) Translate( o ) Scale( s ),   o = pivotBase - s
//   pivotScale
//
// with the compensation only for FBX nodes that do not inherit their parent's scale, and o only where the pivots of
// rotation and scale are not at the origin. No single TRS expresses this, so up to three nodes do: the helper takes
// translation and compensation, the pivot takes the rotation, the base the rest. Helper and pivot exist only where
// needed, which is hardly ever.
typedef enum supSlot
{
	sup_slotHelper,
	sup_slotPivot,
	sup_slotBase,
	sup_slotCount,
} supSlot;

typedef struct supImportNode
{
	const struct aiNode* source;
	const char* name;
	int32_t parent; // joined node, -1 for the root
	// NULL where the part is absent; all NULL where assimp made one node only
	const struct aiNode* parts[sup_fbxPartCount];
	bool hasParts;
	supTransform rest; // t, q, s of the form above
	bool sheared;      // then `matrix` is the local transform
	supMat34 matrix;
	supVec3 offset; // constant added to keys of the translation: rotation offset and pivot
	bool hasPivot;
	supVec3 pivotBase;
	supVec3 pivotScale;
	// Turns a key of a whole-node channel into the right rotation; identity but for nodes with a post-rotation.
	supQuat keyCorrection;
	// FBX geometric transform: moves the meshes of the node and nothing else.
	bool hasGeometry;
	supMat34 geometry;
	bool ignoresParentScale; // as the file says
	// found out over all clips
	bool rotationMoves;
	bool scaleMatters;    // some scale is not 1
	bool scaleNonUniform; // some scale differs between axes
	bool compensates;
	int32_t slots[sup_slotCount]; // nodes of the character, -1 without
} supImportNode;

typedef struct supTrack
{
	int32_t count; // 0: not animated
	float* times;
	float* values;
} supTrack;

// What one clip does to one joined node.
typedef struct supNodeTracks
{
	int32_t node;
	supTrack translation; // 3 floats a key
	supTrack rotation;    // 4
	supTrack scale;       // 3
} supNodeTracks;

typedef struct supImportClip
{
	const struct aiAnimation* source;
	int32_t trackCount;
	supNodeTracks* tracks; // by rising node
} supImportClip;

// The meshes of a node, after grouping.
typedef struct supMeshGroup
{
	int32_t sourceCount;
	const uint32_t* sources; // indices of aiMesh
	int32_t mesh;
	int32_t skin;
	// the skin depends on these as well
	bool usesNode; // the skin binds vertices without weights to the node
	supMat34 geometry;
} supMeshGroup;

typedef struct supNamedNode
{
	const char* name;
	int32_t node;
} supNamedNode;

typedef struct supImport
{
	const char* path;
	const supLoadDef* def;
	char extension[17];
	const struct aiScene* scene;
	supError* error;
	supArena arena;
	// From the file's axes and units to ours.
	supMat34 border;
	float unitScale;
	SUP_ARRAY( supNote ) notes;
	SUP_ARRAY( supImportNode ) joined;
	supNamedNode* names; // of joined, sorted
	int32_t clipCount;
	supImportClip* importClips;
	SUP_ARRAY( supNode ) nodes;
	SUP_ARRAY( supMesh ) meshes;
	SUP_ARRAY( supSkin ) skins;
	SUP_ARRAY( supInstance ) instances;
	SUP_ARRAY( supMeshGroup ) groups;
	SUP_ARRAY( supImage ) images;
	supMaterial* materials;
	int32_t clipsKept;
	supClip* clips;
} supImport;

// All return false with the error of the import set.
bool supImport_ReadNodes( supImport* import );
bool supImport_ReadTracks( supImport* import );
bool supImport_MakeNodes( supImport* import );
bool supImport_ReadMeshes( supImport* import );
bool supImport_UnposeNormals( supImport* import );
bool supImport_ReadMaterials( supImport* import );
bool supImport_MakeClips( supImport* import );

// Joined node of this name, the first of several; -1 without.
int32_t supImport_FindNode( const supImport* import, const char* name );

// Local transforms of the slots for given t, q, s and parent's own scale.
void supImport_EvaluateSlots( const supImportNode* node, supTransform own, supVec3 parentScale,
							  supTransform slots[sup_slotCount] );

// Adds a node to the character; -1 where out of memory.
int32_t supImport_AddNode( supImport* import, const char* name, int32_t parent, supTransform rest );

bool supImport_AddNote( supImport* import, bool repaired, const char* format, ... ) SUP_PRINTF( 3, 4 );
bool supImport_OutOfMemory( supImport* import );

// In the arena, valid UTF-8 whatever the file has. NULL where out of memory.
const char* supImport_CopyName( supImport* import, const struct aiString* name );

supMat34 supMakeMat34Assimp( const struct aiMatrix4x4* m );
