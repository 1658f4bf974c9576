// SPDX-License-Identifier: MIT
/// @file io.h
/// Files in and out. Link with supple::io; the rest of the library needs nothing but the C library.
#pragma once

#include "supple/base.h"
#include "supple/character.h"
#include "supple/flesh.h"

/// How far a file is trusted. Any limit that is met is an error that names it; nothing is left behind.
typedef struct supLoadDef
{
	/// Reads files that the document names and that lie outside of its own folder ("../wood.png", or a link that leads
	/// there). Default false: a document of a stranger could otherwise carry a private file into what is written of it.
	/// Absolute paths and addresses of the network are never followed.
	bool allowOutside;
	/// Bytes that Supple may allocate for this one call, in total. Default 8 GiB. assimp, which reads .fbx, .dae and
	/// the like, allocates by itself and cannot be limited within a process: the command line gives it a process.
	uint64_t maxMemory;
	/// Seconds, looked at whenever memory is allocated or a file is read. 0, the default: no limit.
	float maxSeconds;
	/// Default 65,536 nodes, 16,777,216 vertices over all meshes and 67,108,864 keys of clips.
	int32_t maxNodes;
	int32_t maxVertices;
	int32_t maxKeys;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supLoadDef;

/// Every field as its comment says.
SUP_API supLoadDef supDefaultLoadDef( void );

/// As supLoadCharacter, within limits of the caller's.
/// - def comes from supDefaultLoadDef
SUP_API supCharacter* supLoadCharacterWith( const char* path, const supLoadDef* def, supError* error );

/// Loads .glb, .gltf, .bvh, and what assimp reads (.fbx, .dae, .obj, .ply, .stl, ...). A file without meshes (BVH, or a
/// glTF with nothing but clips) gives a character that is a skeleton with clips.
/// NULL and an error that names file, place and remedy where it cannot be used. The limits are those of
/// supDefaultLoadDef.
SUP_API supCharacter* supLoadCharacter( const char* path, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// The document behind a character

/// A glTF document that is edited, not rebuilt: whatever Supple does not know about comes out as it went in.
typedef struct supDocument supDocument;

/// Reads .glb or .gltf with its buffers and pictures. The limits are those of supDefaultLoadDef.
SUP_API supDocument* supLoadDocument( const char* path, supError* error );

/// The same, within limits of the caller's. Those of nodes, vertices and keys are looked at where the character is
/// made.
SUP_API supDocument* supLoadDocumentWith( const char* path, const supLoadDef* def, supError* error );

/// Brings the file named `uri`, as written in the document, into memory. Free with supFree.
/// Returns NULL where there is no such file.
typedef uint8_t* supReadUriFcn( const char* uri, size_t* byteCount, void* context );

/// The same from memory. `name` is used in messages. `readUri` may be NULL: then files beside the document are missing.
/// The bytes are copied.
SUP_API supDocument* supParseDocument( const void* bytes, size_t byteCount, const char* name, supReadUriFcn* readUri,
									   void* context, supError* error );

/// A new document with everything that is in the character. Nodes, skins and clips keep their numbers; where glTF
/// cannot say what a character says (shear, two meshes on one node, joints in separate trees), nodes are added behind
/// the others. Left out: notes, meshes without triangles, pictures that are neither PNG nor JPEG nor files of their
/// own.
SUP_API supDocument* supCreateDocument( const supCharacter* character, supError* error );

/// NULL is fine.
SUP_API void supDestroyDocument( supDocument* document );

/// The character that the document describes.
SUP_API supCharacter* supDocument_CreateCharacter( const supDocument* document, supError* error );

/// Writes .glb (everything in one file) or .gltf (with a .bin beside it), by the extension. Written beside the target
/// and renamed, so that a failure leaves an older file as it was.
SUP_API bool supSaveDocument( const supDocument* document, const char* path, supError* error );

/// Compresses all buffer views with EXT_meshopt_compression and quantizes normals (KHR_mesh_quantization). Readers must
/// know both: three.js, Babylon.js, Unity's glTFast, Godot 4.4; not Blender. Indices, weights and keys stay exact;
/// positions and offsets of morph targets are off by `tolerance` at most, in the unit of the file (0: as exact as 24
/// bits are); normals and tangents keep 10 bits, normals of morph targets 8. Do it last. A failure leaves the document
/// as it was.
SUP_API bool supDocument_Compress( supDocument* document, float tolerance, supError* error );

/// As .glb in memory. Free with supFree.
SUP_API uint8_t* supWriteDocument( const supDocument* document, size_t* byteCount, supError* error );

/// Appends a clip whose channels refer to the nodes of the document. A name that is taken gets a number ("Walk 2"), a
/// clip that begins before 0 is moved to begin there, and channels of nodes with a sheared matrix are left out.
SUP_API bool supDocument_AddClip( supDocument* document, const supClip* clip, supError* error );

/// One skinned frame: the meshes of the instances become plain meshes in world space, the nodes take the pose, skins of
/// these meshes and all clips go. Everything else stays. A failure leaves the document as it was.
/// A node that carries nothing but its mesh moves to the root of the scene; otherwise a new root of the same name
/// carries the mesh.
/// - the pose belongs to a character of this document
SUP_API bool supDocument_Freeze( supDocument* document, supPose* pose, supSkinning skinning, const supTasks* tasks,
								 supError* error );

/// One skinned frame as Wavefront OBJ, an object per instance, in world space.
SUP_API bool supSavePosedObj( supPose* pose, supSkinning skinning, const supTasks* tasks, const char* path,
							  supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Control lattices made by hand, for the method fem

typedef struct supControlLattice supControlLattice;

/// Loads a lattice of tetrahedra, prisms and hexahedra with bones as edges (JSON; docs/fem.md has an example) for
/// supFleshDef.lattice. Refused, with an error that names the cell and the face: cells that are inside out or flat, and
/// faces that do not fit; and the bone that is not a chain of edges.
SUP_API supControlLattice* supLoadLattice( const char* path, const supCharacter* character, supError* error );

/// NULL is fine.
SUP_API void supDestroyLattice( supControlLattice* lattice );

// ---------------------------------------------------------------------------------------------------------------------
// Tetrahedra of others

/// Loads TetGen's .node with its .ele (name either), Gmsh's .msh (2 and 4.1), Medit's .mesh and .meshb, and legacy .vtk
/// unstructured grids; each as text or binary. Coordinates are taken as they are. Noted: tetrahedra that were inside
/// out and are turned, elements of other kinds and points of no tetrahedron, which are left out, and curved tetrahedra,
/// which keep their corners alone. Refused, with an error that says which: tetrahedra that are flat or name points that
/// do not exist.
SUP_API supTetMesh* supLoadTets( const char* path, supError* error );

/// NULL is fine. Only what supLoadTets made.
SUP_API void supDestroyTets( supTetMesh* mesh );

/// Writes .vtk, .mesh, or .node with .ele beside it, by the extension, as text.
SUP_API bool supSaveTets( const supTetMesh* mesh, const char* path, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Flesh files

/// Writes a .flesh file: what supBuildFlesh computed, to be loaded in milliseconds. Written beside the target and
/// renamed.
SUP_API bool supSaveFlesh( const supFlesh* flesh, const char* path, supError* error );

/// The file is read as a whole and may be changed afterwards. Refuses what supReadFlesh refuses.
/// - the character outlives the flesh; error may be NULL
SUP_API supFlesh* supLoadFlesh( const char* path, const supCharacter* character, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Name maps

/// Pairs for supRetargetDef from a JSON file: an object { "source joint": "character joint", ... }.
typedef struct supNameMap
{
	int32_t pairCount;
	const supNamePair* pairs;
} supNameMap;

/// NULL and an error where the file is no such object.
SUP_API supNameMap* supLoadNameMap( const char* path, supError* error );

/// NULL is fine.
SUP_API void supDestroyNameMap( supNameMap* map );

// ---------------------------------------------------------------------------------------------------------------------
// Settings of flesh, as a JSON file (docs/files.md has all keys)

typedef struct supSettings
{
	/// For supBuildFlesh; its arrays belong to the settings.
	supFleshDef def;
	/// Whether the file names a method; otherwise the def's is the default.
	bool hasMethod;
} supSettings;

/// Joints are given by name and looked up in the character, which need not live longer. NULL and an error that names
/// the place in the file ("soft.json: softness[2].radius") and, for an unknown key, those that are known.
SUP_API supSettings* supLoadSettings( const char* path, const supCharacter* character, supError* error );

/// The same from memory. `name` is used in messages.
SUP_API supSettings* supParseSettings( const void* bytes, size_t byteCount, const char* name,
									   const supCharacter* character, supError* error );

/// NULL is fine.
SUP_API void supDestroySettings( supSettings* settings );

/// Writes everything of the definition that supLoadSettings reads; numbers come back to the bit.
SUP_API bool supSaveSettings( const char* path, const supFleshDef* def, const supCharacter* character,
							  supError* error );
