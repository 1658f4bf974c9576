// SPDX-License-Identifier: MIT
/// @file flesh.h
/// Flesh: a character prepared for one method. Built once, immutable, shared by any number of actors.
#pragma once

#include "supple/base.h"
#include "supple/character.h"

/// A method: how the surface follows the skeleton.
typedef enum supMethodId
{
	/// Linear blend skinning; no flesh.
	sup_methodLbs,
	/// Dual quaternion skinning: no flesh, but twists preserve volume.
	sup_methodDqs,
	/// Position-based skinning: constraints on tetrahedra refine the skinned pose. Fast; for real time.
	sup_methodPosition,
	/// Shape matching on voxels in anatomical layers. Unconditionally stable; for noisy motion.
	sup_methodLattice,
	/// Mass points and springs on tetrahedra: soft props and flesh.
	sup_methodPoints,
	/// Soft skin and rigid skeleton solved together: contact with the skin moves the skeleton.
	sup_methodLayered,
	/// Finite elements on a control lattice along the bones: elastic flesh in SI units.
	sup_methodFem,
	/// Skinning modes: flesh reduced to a few oscillators, the cheapest step.
	sup_methodModes,
	sup_methodCount
} supMethodId;

/// Returns the name used in files and on the command line ("lbs"); never NULL.
/// - the method is in range
SUP_API const char* supMethodName( supMethodId method );

/// Returns a one-line description.
/// - the method is in range
SUP_API const char* supMethodSummary( supMethodId method );

/// Finds a method by name. Returns false if there is none.
SUP_API bool supFindMethod( const char* name, supMethodId* method );

/// A parameter of a method. The command line, settings files and sliders are generated from these tables.
typedef struct supParameter
{
	/// "stretch", or "fat.frequency" for one of a group. Lower case.
	const char* name;
	/// "Hz", "Pa", "m", "kg/m3"; "" for a plain number, "count" for an integer.
	const char* unit;
	/// One line: what it does, and the effect of larger values.
	const char* summary;
	float minimum;
	float maximum;
	float standard;
	/// Can change while an actor runs (supActor_SetParameter). Other parameters belong to the flesh and need a rebuild.
	bool live;
	/// For a choice, the names of 0, 1, 2, ..., maximum; otherwise NULL.
	const char* const* choices;
} supParameter;

/// Enumerate the parameters of a method; methods without flesh have none.
/// - the method and the parameter are in range
SUP_API int32_t supMethod_ParameterCount( supMethodId method );
SUP_API const supParameter* supMethod_Parameter( supMethodId method, int32_t parameter );

/// Finds a parameter by name. Returns -1 if the method has none of this name.
SUP_API int32_t supMethod_FindParameter( supMethodId method, const char* name );

typedef struct supSetting
{
	const char* parameter;
	float value;
} supSetting;

/// A named degree of softness, the same for every method: "firm", "standard", "jelly", "heavy".
typedef struct supPreset
{
	const char* name;
	/// One line, lower case.
	const char* summary;
	/// Value of the parameter "softness", 0..1.
	float softness;
	/// Factors on the method's default frequency and damping.
	float frequency;
	float damping;
} supPreset;

/// Maximum number of settings in a preset.
#define SUP_PRESET_SETTINGS 3

/// Returns all presets, from firm to heavy.
SUP_API const supPreset* supPresets( int32_t* count );

/// Finds a preset by name. Returns NULL if there is none.
SUP_API const supPreset* supFindPreset( const char* name );

/// Converts a preset to parameters of a method, for supFleshDef.settings. Returns their number, 0 for methods without
/// flesh.
SUP_API int32_t supPreset_Settings( const supPreset* preset, supMethodId method,
									supSetting settings[SUP_PRESET_SETTINGS] );

/// Shape of a soft region.
typedef enum supSoftShape
{
	/// Painted softness of each vertex (supMesh.softness).
	sup_softPainted,
	/// A sphere in the rest pose.
	sup_softSphere,
	/// The flesh of one node's bone.
	sup_softNode,
	/// A list of vertices of one instance.
	sup_softVertices,
	/// The whole body.
	sup_softAll,
	/// One value per vertex of one instance; replaces its painted softness.
	sup_softValues,
	/// A capsule in the rest pose: within `radius` of the line from `center` to `end`.
	sup_softCapsule,
} supSoftShape;

/// A part of the body that swings freely. Flesh between skin and bone is included, increasingly with distance from the
/// bone.
typedef struct supSoftRegion
{
	/// Name for messages and sliders; may be NULL.
	const char* name;
	supSoftShape shape;
	/// Sphere and capsule: in metres, in world space of the rest pose, or with isInBoneSpace in the space of the bone
	/// of `node`.
	supVec3 center;
	float radius;
	/// Capsule: the other end of its line.
	supVec3 end;
	/// Sphere and capsule: `center`, `end`, `radius` and `border` are multiples of the length of `node`'s bone. The
	/// origin is its joint; y points along the bone, z as close to the character's forward direction as possible (to
	/// its up direction for bones that point forward), and x = y cross z is the left of an upright character. The hips
	/// and spine of a humanoid measure along the whole trunk. The same numbers fit other characters (supCopySoftness).
	bool isInBoneSpace;
	/// Node regions and isInBoneSpace: index of the node.
	int32_t node;
	/// Vertices: an instance and vertex indices of its mesh. Copied.
	int32_t instance;
	int32_t vertexCount;
	const int32_t* vertices;
	/// Values: 0..1, one for each of the vertexCount vertices of the instance's mesh. Copied.
	const float* values;
	/// Width in metres of the falloff at the border. 0: a twentieth of the character's largest extent.
	float border;
	/// 0 (no effect) .. 1 (swings freely).
	float softness;
	/// 0 (default): softness increases from bone to skin. 1: flesh is as soft at the bone as at the skin, like jelly,
	/// rubber or tentacles. Values in between blend the two.
	float even;
	/// Frequency in Hz at softness 1, and damping ratio (1: no overshoot). 0: the method's parameters.
	/// supActor_SetRegion changes them while an actor runs.
	float frequency;
	float damping;
	/// Maximum distance in metres of the drawn skin from plain skinning, relaxed towards the border of the region.
	/// Enforced by the guard (supSceneDef.guard) in every method. 0 (default): no limit except the guard's own.
	float reach;
} supSoftRegion;

/// Returns a painted region with softness 1 and everything else left to the method.
SUP_API supSoftRegion supDefaultSoftRegion( void );

/// Computes the softness of each skin vertex, 0 (firm) to 1 (soft), as flesh uses it: from the regions, else from
/// painted softness, else guessed from anatomy (docs/volume.md). Fills values[instance], vertexCount of its mesh, for
/// each instance; entries may be NULL. Returns false with an error if a region is invalid, if the character has no
/// triangles, or if out of memory.
/// - regions may be NULL with a count of 0; tasks and error may be NULL
SUP_API bool supComputeSoftness( const supCharacter* character, const supSoftRegion* regions, int32_t regionCount,
								 const supTasks* tasks, float* const* values, supError* error );

/// Finds a bone by joint name, by its role in a humanoid skeleton ("hips", "spine", "chest", "neck", "head",
/// "leftUpperArm", ...), or by a name that differs only in prefix, case and punctuation. Returns the node, or -1.
SUP_API int32_t supFindBone( const supCharacter* character, const char* name );

/// Returns the rest length of a bone in metres, to the next joint or, without one, to the end of its skin. Returns 0 if
/// out of memory or if the node is out of range.
SUP_API float supGetBoneLength( const supCharacter* character, int32_t node );

/// Result of supCopySoftness.
typedef struct supSoftnessCopy
{
	int32_t count;
	const supSoftRegion* regions;
	/// Number of regions left out because the other character has no matching bone. Each was logged as a warning.
	int32_t lost;
} supSoftnessCopy;

/// Transfers soft regions from one character to another. Bones are matched by role in humanoid skeletons, else by name.
/// Spheres and capsules are returned in bone space; painted softness and vertex lists become values per vertex, taken
/// from the nearest place along the same bone. Without regions, the painted softness of `from` is copied. Returns NULL
/// with an error if there is nothing to copy, if no bones match, if a region is invalid, or if out of memory.
/// - regions may be NULL with a count of 0; tasks and error may be NULL
SUP_API supSoftnessCopy* supCopySoftness( const supCharacter* from, const supSoftRegion* regions, int32_t regionCount,
										  const supCharacter* to, const supTasks* tasks, supError* error );

/// NULL is allowed.
SUP_API void supDestroySoftnessCopy( supSoftnessCopy* copy );

/// Maximum number of layers from bone to skin.
#define SUP_MAX_LAYERS 16

/// Material of one layer.
typedef struct supTissue
{
	/// Density in kg/m^3, > 0.
	float density;
	/// Young's modulus for small strains, in Pa, > 0.
	float stiffness;
	/// Poisson's ratio, 0 <= poisson < 0.5.
	float poisson;
	/// Damping ratio (1 is critical), >= 0.
	float damping;
} supTissue;

/// One layer of a body.
typedef struct supLayer
{
	/// Name such as "fat". Not NULL.
	const char* name;
	/// Share of the depth from bone to skin; the sum is arbitrary. Ignored for the first (bone) and last (skin) layer.
	float share;
	supTissue tissue;
} supLayer;

/// Layer settings around one joint.
typedef struct supLayerOverride
{
	/// The joint, as a node of the character.
	int32_t node;
	/// Bone width in metres; negative: as everywhere else.
	float boneWidth;
	/// One share per layer; NULL: as everywhere else.
	const float* shares;
} supLayerOverride;

/// Returns bone, muscle, fat and skin with standard values for human tissue (docs/volume.md lists the sources).
SUP_API const supLayer* supStandardLayers( int32_t* count );

/// How a joint between two rigid links rotates, for methods that simulate them (`layered`).
typedef enum supJointKind
{
	/// Derived from the character's clips.
	sup_jointGuessed,
	/// About any axis.
	sup_jointBall,
	/// About one axis.
	sup_jointHinge,
	/// About two axes: the first fixed in the parent, the second in the child.
	sup_jointUniversal,
	/// Does not rotate.
	sup_jointFixed,
	sup_jointKindCount
} supJointKind;

/// Settings of the joint between a bone and its parent. Everything unset is derived from the character's clips.
typedef struct supJointSetting
{
	/// The bone, as a node of the character.
	int32_t node;
	/// Default sup_jointGuessed.
	supJointKind kind;
	/// Directions in world space of the rest pose, of any length; 0 (default): derived. Hinge: the axis. Universal:
	/// both axes, made orthogonal. Ball: the direction of the bone.
	supVec3 axis;
	supVec3 secondAxis;
	/// Limits of rotation about each axis, in radians from rest, right-handed: lowest and highest. Ball: twist of the
	/// bone about itself (first entry). -SUP_PI and SUP_PI or beyond: unlimited. Used only where hasLimits is set.
	float lower[2];
	float upper[2];
	bool hasLimits[2];
	/// Ball: largest angle in radians between the bone and `middle`, a direction in the parent at rest (0: where the
	/// bone points at rest). SUP_PI or more: unlimited. Default 0: derived.
	float swing;
	supVec3 middle;
	/// Factor on how firmly the joint follows the clip. Default 1.
	float strength;
	/// Spring towards the rest angle in Hz, and friction in 1/s. Default -1: the method's parameters joint.stiffness
	/// and joint.damping.
	float stiffness;
	float damping;
} supJointSetting;

/// Returns settings with everything derived, for the joint above a node.
SUP_API supJointSetting supDefaultJointSetting( int32_t node );

/// Load on a joint in a substep, in world space.
typedef struct supJointLoad
{
	/// Force in N from the parent on the bone below the joint: the joint's own and contacts', without attachments.
	supVec3 force;
	/// Torque in N m, likewise: from following the clip, springs, friction and limits.
	supVec3 torque;
} supJointLoad;

/// A tetrahedral mesh of a body.
typedef struct supTetMesh
{
	int32_t pointCount;
	/// In metres, in world space of the rest pose.
	const supVec3* points;
	int32_t tetCount;
	/// Four per tetrahedron, oriented so that ( p1 - p0 ) x ( p2 - p0 ) . ( p3 - p0 ) is positive.
	const int32_t* indices;
	/// Warnings about the file it was loaded from.
	int32_t noteCount;
	const supNote* notes;
} supTetMesh;

typedef struct supFleshDef
{
	/// Method to build for. Default sup_methodDqs.
	supMethodId method;
	/// Parameters that differ from their defaults. NULL (default): none. Later entries override earlier ones.
	const supSetting* settings;
	int32_t settingCount;
	/// Soft regions. NULL (default): painted softness, or softness guessed from anatomy if nothing is painted. Where
	/// regions overlap, the softest wins.
	const supSoftRegion* softRegions;
	int32_t softRegionCount;
	/// Layers from bone to skin, 2..16. NULL (default): supStandardLayers.
	const supLayer* layers;
	int32_t layerCount;
	/// Radius of bone around the lines between joints, in metres. Default 0: as thin as possible.
	float boneWidth;
	/// Layer settings around individual joints. NULL (default): none.
	const supLayerOverride* layerOverrides;
	int32_t layerOverrideCount;
	/// Tetrahedra that replace the generated ones; refused by methods that use none. NULL (default): generated.
	const supTetMesh* tets;
	/// Control lattice from supLoadLattice that replaces the generated one; refused by methods that use none. NULL
	/// (default): generated.
	const struct supControlLattice* lattice;
	/// Joint settings; refused by methods that simulate no joints. NULL (default): all derived.
	const supJointSetting* joints;
	int32_t jointCount;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supFleshDef;

/// Returns the documented default of every field.
SUP_API supFleshDef supDefaultFleshDef( void );

typedef struct supFlesh supFlesh;

/// Builds flesh for a character, which must outlive it. Returns NULL with an error if the definition or the character
/// cannot be used, or if out of memory.
/// - def comes from supDefaultFleshDef; tasks and error may be NULL
SUP_API supFlesh* supBuildFlesh( const supCharacter* character, const supFleshDef* def, const supTasks* tasks,
								 supError* error );

/// Maximum number of times returned by supMethod_BuildTimes.
#define SUP_MAX_BUILD_TIMES 64

/// Returns the times at which supBuildFlesh samples a character's clip that runs from `start` to `end` seconds, in
/// ascending order. These poses distinguish parts that belong together from parts that are only close at rest, and show
/// how joints rotate. For programs that keep their own animation: a clip with keys at these times builds the same flesh
/// as the whole animation. Returns their number, 0 for methods without flesh.
/// - the method is in range; times has room for SUP_MAX_BUILD_TIMES
SUP_API int32_t supMethod_BuildTimes( supMethodId method, float start, float end, float* times );

/// Destroys flesh that no actor uses any more. NULL is allowed.
SUP_API void supDestroyFlesh( supFlesh* flesh );

/// Returns the character the flesh was built for.
SUP_API const supCharacter* supFlesh_Character( const supFlesh* flesh );

/// Returns the name of its method (supMethodName).
SUP_API const char* supFlesh_MethodName( const supFlesh* flesh );

/// Returns the value a parameter was built with.
/// - the parameter belongs to its method
SUP_API float supFlesh_Parameter( const supFlesh* flesh, int32_t parameter );

/// Returns the number of soft regions: those of the definition, or one that stands for painted or automatic softness.
SUP_API int32_t supFlesh_RegionCount( const supFlesh* flesh );
/// Never NULL.
SUP_API const char* supFlesh_RegionName( const supFlesh* flesh, int32_t region );

/// Serialises flesh to the bytes of a .flesh file. Free them with supFree.
SUP_API uint8_t* supWriteFlesh( const supFlesh* flesh, size_t* byteCount, supError* error );

/// Loads flesh from such bytes, which are used in place and must outlive the flesh, as must the character. Returns NULL
/// with an error if the bytes are damaged or from another version, or if they were built for a character with another
/// shape, skeleton or weights. Names, clips and colours may differ.
/// - bytes are 64-byte aligned, like those of supWriteFlesh; name is used in messages; error may be NULL
SUP_API supFlesh* supReadFlesh( const void* bytes, size_t byteCount, const char* name, const supCharacter* character,
								supError* error );

/// A point on a character's surface: barycentric coordinates in a triangle of one instance.
typedef struct supSurfacePoint
{
	int32_t instance;
	int32_t vertices[3];
	/// Each >= 0; they sum to 1.
	float weights[3];
} supSurfacePoint;

// ---------------------------------------------------------------------------------------------------------------------
// Measurements

/// Counts of numerical problems that were repaired.
typedef struct supTrouble
{
	/// Non-finite positions or velocities that were reset.
	int64_t notFinite;
	/// Inverted elements that were restored.
	int64_t inverted;
	/// Solves that did not converge in the iterations they had.
	int64_t notConverged;
	/// Steps refused because they exceed the integrator's stability limit: use more substeps.
	int64_t unstable;
	/// Skin vertices blended more than halfway towards linear blend skinning because flesh stretched, squeezed or
	/// carried them too far (supSceneDef.guard). A vertex counts once per step.
	int64_t guarded;
} supTrouble;

/// Deformation of the surface relative to its rest shape.
typedef struct supSurfaceMeasure
{
	/// Relative change of volume, signed: -0.02 is a loss of 2 %. Summed over all instances, each about its own centre,
	/// so that small holes matter little. Meaningless for flat or wide open meshes.
	float volumeError;
	/// Largest relative change in length of an edge.
	float stretch;
	/// Mechanical energy in joules; 0 for methods without mass.
	float energy;
	/// Deepest penetration in metres; 0 without contact.
	float penetration;
	/// `fem` with `levels`: number of active finer functions.
	int32_t finerFunctions;
} supSurfaceMeasure;
