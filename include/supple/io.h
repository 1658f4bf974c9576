// SPDX-License-Identifier: MIT
/// @file io.h
/// Reads and writes files. Link with supple::io; the rest of the library needs only the C library.
#pragma once

#include "supple/base.h"
#include "supple/character.h"
#include "supple/flesh.h"

/// Limits for loading untrusted files. Exceeding one returns an error that names it; nothing is left behind.
typedef struct supLoadDef
{
	/// Allow references to files outside the document's folder ("../wood.png", or a link that leads there). Default
	/// false: a stranger's document could otherwise copy a private file into the output. Absolute paths and network
	/// addresses are never followed.
	bool allowOutside;
	/// Bytes that Supple may allocate during the call. Default 8 GiB. assimp, which reads .fbx, .dae and others, does
	/// its own allocation and cannot be limited within a process; the command line runs it in a separate one.
	uint64_t maxMemory;
	/// Time limit in seconds, checked on every allocation and read. Default 0: none.
	float maxSeconds;
	/// Maximum counts. Default 65,536 nodes, 16,777,216 vertices over all meshes, and 67,108,864 keys over all clips.
	int32_t maxNodes;
	int32_t maxVertices;
	int32_t maxKeys;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supLoadDef;

/// Returns the documented default of every field.
SUP_API supLoadDef supDefaultLoadDef( void );

/// As supLoadCharacter, with the caller's limits.
/// - def comes from supDefaultLoadDef
SUP_API supCharacter* supLoadCharacterWith( const char* path, const supLoadDef* def, supError* error );

/// Loads .glb, .gltf, .bvh, and everything assimp reads (.fbx, .dae, .obj, .ply, .stl, ...), with the limits of
/// supDefaultLoadDef. A file without meshes (BVH, or a glTF with only clips) becomes a skeleton with clips. Returns
/// NULL with an error that names file, place and remedy if it cannot be used.
SUP_API supCharacter* supLoadCharacter( const char* path, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// The document behind a character

/// A glTF document that is edited in place: everything Supple does not know about is preserved.
typedef struct supDocument supDocument;

/// Loads .glb or .gltf with its buffers and images, with the limits of supDefaultLoadDef.
SUP_API supDocument* supLoadDocument( const char* path, supError* error );

/// The same, with the caller's limits. Those on nodes, vertices and keys apply when the character is created.
SUP_API supDocument* supLoadDocumentWith( const char* path, const supLoadDef* def, supError* error );

/// Reads the file named `uri` in the document into memory that the library frees with supFree. Returns NULL if there is
/// no such file.
typedef uint8_t* supReadUriFcn( const char* uri, size_t* byteCount, void* context );

/// Loads a document from memory, which is copied. `name` is used in messages. `readUri` may be NULL: external files are
/// then missing.
SUP_API supDocument* supParseDocument( const void* bytes, size_t byteCount, const char* name, supReadUriFcn* readUri,
									   void* context, supError* error );

/// Creates a document from a character. Nodes, skins and clips keep their indices; where glTF cannot express something
/// (shear, two meshes on one node, joints in separate trees), nodes are appended. Not included: notes, meshes without
/// triangles, and images that are neither PNG, JPEG nor external files.
SUP_API supDocument* supCreateDocument( const supCharacter* character, supError* error );

/// NULL is allowed.
SUP_API void supDestroyDocument( supDocument* document );

/// Creates the character the document describes.
SUP_API supCharacter* supDocument_CreateCharacter( const supDocument* document, supError* error );

/// Saves .glb (one file) or .gltf (with a .bin beside it), by extension. Writes a temporary file and renames it, so a
/// failure leaves an existing file unchanged.
SUP_API bool supSaveDocument( const supDocument* document, const char* path, supError* error );

/// Compresses all buffer views with EXT_meshopt_compression and quantizes normals (KHR_mesh_quantization). Readers must
/// support both: three.js, Babylon.js, Unity's glTFast and Godot 4.4 do, Blender does not. Indices, weights and keys
/// stay exact; positions and morph offsets change by at most `tolerance`, in the unit of the file (0: 24-bit
/// precision); normals and tangents keep 10 bits, morph normals 8. Call it last. A failure leaves the document
/// unchanged.
SUP_API bool supDocument_Compress( supDocument* document, float tolerance, supError* error );

/// Serialises the document as .glb. Free the bytes with supFree.
SUP_API uint8_t* supWriteDocument( const supDocument* document, size_t* byteCount, supError* error );

/// Appends a clip whose channels refer to the document's nodes. A name that is taken gets a number ("Walk 2"), a clip
/// that starts before 0 is shifted to start there, and channels of nodes with a sheared matrix are left out.
SUP_API bool supDocument_AddClip( supDocument* document, const supClip* clip, supError* error );

/// Freezes one skinned frame: meshes become plain meshes in world space, nodes take the pose, and the skins of these
/// meshes and all clips are removed. Everything else stays. A node that carries only its mesh moves to the root of the
/// scene; otherwise a new root of the same name carries the mesh. A failure leaves the document unchanged.
/// - the pose belongs to a character of this document
SUP_API bool supDocument_Freeze( supDocument* document, supPose* pose, supSkinning skinning, const supTasks* tasks,
								 supError* error );

/// Saves one skinned frame as Wavefront OBJ in world space, one object per instance.
SUP_API bool supSavePosedObj( supPose* pose, supSkinning skinning, const supTasks* tasks, const char* path,
							  supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Control lattices made by hand, for the method fem

typedef struct supControlLattice supControlLattice;

/// Loads a lattice of tetrahedra, prisms and hexahedra with bones as edges (JSON; docs/fem.md has an example) for
/// supFleshDef.lattice. Returns NULL with an error that names the cell and face if a cell is inverted or flat or a face
/// does not conform, or the bone that is not a chain of edges.
SUP_API supControlLattice* supLoadLattice( const char* path, const supCharacter* character, supError* error );

/// NULL is allowed.
SUP_API void supDestroyLattice( supControlLattice* lattice );

// ---------------------------------------------------------------------------------------------------------------------
// Tetrahedral meshes

/// Loads TetGen's .node and .ele (name either), Gmsh's .msh (2 and 4.1), Medit's .mesh and .meshb, and legacy .vtk
/// unstructured grids, as text or binary. Coordinates are used as they are. Notes list repairs: inverted tetrahedra are
/// flipped, elements of other kinds and unused points are dropped, curved tetrahedra keep their corners only. Returns
/// NULL with an error that says which tetrahedra are flat or refer to missing points.
SUP_API supTetMesh* supLoadTets( const char* path, supError* error );

/// Destroys a mesh made by supLoadTets. NULL is allowed.
SUP_API void supDestroyTets( supTetMesh* mesh );

/// Saves .vtk, .mesh, or .node with .ele beside it, by extension, as text.
SUP_API bool supSaveTets( const supTetMesh* mesh, const char* path, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Flesh files

/// Saves a .flesh file, which loads in milliseconds instead of being rebuilt. Writes a temporary file and renames it.
SUP_API bool supSaveFlesh( const supFlesh* flesh, const char* path, supError* error );

/// Loads a .flesh file under the conditions of supReadFlesh. The file is read completely and may change afterwards.
/// - the character outlives the flesh; error may be NULL
SUP_API supFlesh* supLoadFlesh( const char* path, const supCharacter* character, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Name maps

/// Name pairs for supRetargetDef from a JSON file: an object { "source joint": "character joint", ... }.
typedef struct supNameMap
{
	int32_t pairCount;
	const supNamePair* pairs;
} supNameMap;

/// Loads a name map. Returns NULL with an error if the file is not such an object.
SUP_API supNameMap* supLoadNameMap( const char* path, supError* error );

/// NULL is allowed.
SUP_API void supDestroyNameMap( supNameMap* map );

// ---------------------------------------------------------------------------------------------------------------------
// Settings of flesh, as a JSON file (docs/files.md has all keys)

typedef struct supSettings
{
	/// Definition for supBuildFlesh; its arrays belong to the settings.
	supFleshDef def;
	/// Whether the file names a method; otherwise def has the default.
	bool hasMethod;
} supSettings;

/// Loads settings. Joint names are looked up in the character, which need not outlive the settings. Returns NULL with
/// an error that names the place in the file ("soft.json: softness[2].radius") and, for an unknown key, the known ones.
SUP_API supSettings* supLoadSettings( const char* path, const supCharacter* character, supError* error );

/// The same from memory. `name` is used in messages.
SUP_API supSettings* supParseSettings( const void* bytes, size_t byteCount, const char* name,
									   const supCharacter* character, supError* error );

/// NULL is allowed.
SUP_API void supDestroySettings( supSettings* settings );

/// Saves everything of the definition that supLoadSettings reads; numbers are preserved exactly.
SUP_API bool supSaveSettings( const char* path, const supFleshDef* def, const supCharacter* character,
							  supError* error );
