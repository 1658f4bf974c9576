// SPDX-License-Identifier: MIT
/// @file flesh.h
/// A character made ready for one method: what is computed once and shared by any number of actors. Immutable.
#pragma once

#include "supple/base.h"
#include "supple/character.h"

/// How the surface follows the skeleton.
typedef enum supMethodId
{
	/// Linear blend skinning, as every engine does it: no flesh.
	sup_methodLbs,
	/// Dual quaternion skinning: no flesh, but twists keep their volume.
	sup_methodDqs,
	/// Position-based skinning: skinned first, then flesh by constraints on tetrahedra. Fast, for real time.
	sup_methodPosition,
	/// Voxels in anatomical layers that keep their shape: never explodes, for noisy motion.
	sup_methodLattice,
	/// Mass points: soft props, and flesh by springs on tetrahedra.
	sup_methodPoints,
	/// Soft skin over a rigid skeleton, solved together: what touches the skin moves the skeleton.
	sup_methodLayered,
	/// Finite elements on a control lattice along the bones: elastic flesh in real units.
	sup_methodFem,
	/// Skinning modes: flesh reduced to a few oscillators, the cheapest step.
	sup_methodModes,
	sup_methodCount
} supMethodId;

/// The name used in files and on the command line ("lbs"), never NULL.
/// - the method is in range
SUP_API const char* supMethodName( supMethodId method );

/// One line about it.
/// - the method is in range
SUP_API const char* supMethodSummary( supMethodId method );

/// Returns false where there is no method of this name.
SUP_API bool supFindMethod( const char* name, supMethodId* method );

/// A number that a method can be tuned with. Command line, settings files and sliders are made from these tables.
typedef struct supParameter
{
	/// "stretch", or "fat.frequency" for one of a group. Lower case.
	const char* name;
	/// "Hz", "Pa", "m", "kg/m3"; "" for plain numbers, "count" for whole ones.
	const char* unit;
	/// One line: what it does, and what more of it does.
	const char* summary;
	float minimum;
	float maximum;
	float standard;
	/// May be changed while it runs (supActor_SetParameter). The others belong to the flesh, which must be built anew.
	bool live;
	/// Names for 0, 1, 2, ..., maximum where the parameter is a choice; NULL elsewhere.
	const char* const* choices;
} supParameter;

/// Parameters of a method, in the order of its table; methods without flesh have none.
/// - the method is in range, and so is the parameter
SUP_API int32_t supMethod_ParameterCount( supMethodId method );
SUP_API const supParameter* supMethod_Parameter( supMethodId method, int32_t parameter );

/// -1 where the method has none of this name.
SUP_API int32_t supMethod_FindParameter( supMethodId method, const char* name );

typedef struct supSetting
{
	const char* parameter;
	float value;
} supSetting;

/// A named setting of how soft flesh is: "firm", "standard", "jelly", "heavy". The same for every method.
typedef struct supPreset
{
	const char* name;
	/// One line, lower case.
	const char* summary;
	/// The parameter "softness", 0 .. 1.
	float softness;
	/// What the method's default frequency and damping are multiplied with.
	float frequency;
	float damping;
} supPreset;

/// How many settings a preset makes at most.
#define SUP_PRESET_SETTINGS 3

/// All presets, from firm to heavy.
SUP_API const supPreset* supPresets( int32_t* count );

/// NULL where there is none of this name.
SUP_API const supPreset* supFindPreset( const char* name );

/// The preset as parameters of a method, for supFleshDef.settings. Returns how many: 0 for methods without flesh.
SUP_API int32_t supPreset_Settings( const supPreset* preset, supMethodId method,
									supSetting settings[SUP_PRESET_SETTINGS] );

/// What a soft region covers.
typedef enum supSoftShape
{
	/// What the artist painted: the softness of each vertex (supMesh.softness).
	sup_softPainted,
	/// A ball in the rest pose.
	sup_softSphere,
	/// The flesh that belongs to the bone of a node.
	sup_softNode,
	/// A list of vertices of one instance.
	sup_softVertices,
	/// Everything.
	sup_softAll,
	/// A brush stroke: a value for each vertex of one instance, in place of what its mesh has painted.
	sup_softValues,
	/// A capsule in the rest pose: everything within `radius` of the line from `center` to `end`.
	sup_softCapsule,
} supSoftShape;

/// A part of the body that swings freely. Flesh between it and the bone goes along, the more the farther from the bone.
typedef struct supSoftRegion
{
	/// For messages and sliders; may be NULL.
	const char* name;
	supSoftShape shape;
	/// Sphere and capsule: world space of the rest pose, metres; with isInBoneSpace in the space of the bone of `node`.
	supVec3 center;
	float radius;
	/// Capsule: the other end of its line.
	supVec3 end;
	/// Sphere and capsule: `center`, `end`, `radius` and `border` are lengths of the bone of `node`. Its joint is the
	/// origin; y points along the bone, z is as near to the character's forward as that allows (to its up, for bones
	/// that point forward), x = y cross z, the left of an upright character. Hips and spine of a humanoid measure along
	/// the whole trunk. The same numbers fit other characters (supCopySoftness).
	bool isInBoneSpace;
	/// Node, and isInBoneSpace: its index in the character.
	int32_t node;
	/// Vertices: an instance, and vertices of its mesh. The array is copied.
	int32_t instance;
	int32_t vertexCount;
	const int32_t* vertices;
	/// Values: 0 .. 1, one for each vertex of the instance's mesh, which has vertexCount. The array is copied.
	const float* values;
	/// Metres over which it fades out at its border. 0: a twentieth of the character's largest extent.
	float border;
	/// 0 (as if not there) .. 1 (swings freely).
	float softness;
	/// 0 (default): softness grows from the bone to the skin. 1: flesh is as soft at the bone as at the skin, as jelly,
	/// rubber and tentacles are. Between them both are mixed.
	float even;
	/// Swings a second where softness is 1, and the damping ratio of the swing (1: no overshoot). 0: as the method's
	/// parameters say. May be changed while it runs (supActor_SetRegion).
	float frequency;
	float damping;
	/// The farthest that drawn skin gets from where skinning puts it, in metres; towards the border of the region
	/// farther. The guard holds it (supSceneDef.guard), in every method. 0 (default): no limit but the guard's own.
	float reach;
} supSoftRegion;

/// A region that stands for what is painted: softness 1, everything else left to the method.
SUP_API supSoftRegion supDefaultSoftRegion( void );

/// Computes how soft the skin is at each vertex, 0 (firm) to 1 (soft), as flesh uses it: from the regions, else from
/// what is painted, else guessed from anatomy (docs/volume.md). Fills values[instance], vertexCount of its mesh, for
/// each instance of the character; entries may be NULL. False with an error where a region cannot be used, where the
/// character has no triangles, or out of memory.
/// - regions may be NULL with a count of 0; tasks and error may be NULL
SUP_API bool supComputeSoftness( const supCharacter* character, const supSoftRegion* regions, int32_t regionCount,
								 const supTasks* tasks, float* const* values, supError* error );

/// Finds a bone by what a person would call it: the name of a joint, the role of a joint in a humanoid skeleton
/// ("hips", "spine", "chest", "neck", "head", and "leftUpperArm" and the like), or a name that differs only in prefix,
/// case and punctuation. Returns the node, -1 where there is none.
SUP_API int32_t supFindBone( const supCharacter* character, const char* name );

/// Length of a bone at rest in metres: to the next joint, or to the end of its skin where there is none.
/// Returns 0 where out of memory or where node is out of range.
SUP_API float supGetBoneLength( const supCharacter* character, int32_t node );

/// Soft regions made by supCopySoftness.
typedef struct supSoftnessCopy
{
	int32_t count;
	const supSoftRegion* regions;
	/// How many regions were left out, since the other character has no such bone. Each was logged as a warning.
	int32_t lost;
} supSoftnessCopy;

/// Fits soft regions of one character to another. Bones are matched by role in humanoid skeletons, else by name.
/// Spheres and capsules come back in bone space; painted softness and lists of vertices become values of each vertex,
/// taken from the nearest place along the same bone. Without regions, what `from` has painted is copied. NULL and an
/// error where there is nothing to copy, where no bone of the two matches, where a region cannot be used, or out of
/// memory.
/// - regions may be NULL with a count of 0; tasks and error may be NULL
SUP_API supSoftnessCopy* supCopySoftness( const supCharacter* from, const supSoftRegion* regions, int32_t regionCount,
										  const supCharacter* to, const supTasks* tasks, supError* error );

/// NULL is fine.
SUP_API void supDestroySoftnessCopy( supSoftnessCopy* copy );

/// The most layers from bone to skin.
#define SUP_MAX_LAYERS 16

/// What one layer of a body is made of.
typedef struct supTissue
{
	/// kg/m^3, above 0.
	float density;
	/// Young's modulus for small strains, in Pa, above 0.
	float stiffness;
	/// Poisson's ratio, 0 to below 0.5.
	float poisson;
	/// Part of critical damping, at least 0.
	float damping;
} supTissue;

/// One layer of a body.
typedef struct supLayer
{
	/// "fat". Not NULL.
	const char* name;
	/// Its part of the way from bone to skin, of any sum; not looked at in the first (bone) and the last (skin).
	float share;
	supTissue tissue;
} supLayer;

/// What differs around one joint.
typedef struct supLayerOverride
{
	/// The joint, as a node of the character.
	int32_t node;
	/// Metres; negative leaves it as everywhere else.
	float boneWidth;
	/// As many as there are layers; NULL leaves them as everywhere else.
	const float* shares;
} supLayerOverride;

/// Bone, muscle, fat and skin with standard values of human tissue; docs/volume.md says where they come from.
SUP_API const supLayer* supStandardLayers( int32_t* count );

/// How a joint between two rigid links turns, for methods with such links (layered).
typedef enum supJointKind
{
	/// As the character's clips turn it.
	sup_jointGuessed,
	/// Any way.
	sup_jointBall,
	/// About one axis.
	sup_jointHinge,
	/// About two: the first fixed in the parent, the second in the child.
	sup_jointUniversal,
	/// Not at all.
	sup_jointFixed,
	sup_jointKindCount
} supJointKind;

/// What is said about the joint between a bone and its parent; all else is guessed.
typedef struct supJointSetting
{
	/// The bone, as a node of the character.
	int32_t node;
	/// Default sup_jointGuessed.
	supJointKind kind;
	/// Directions in the world of the rest pose, of any length; 0 (default): guessed. Hinge: the axis. Universal: both,
	/// made to be at right angles. Ball: the direction of the bone.
	supVec3 axis;
	supVec3 secondAxis;
	/// How far it turns about each axis, in radians from rest, right-handed: lowest and highest. Ball: how far the bone
	/// is twisted about itself (the first). -SUP_PI and SUP_PI or more: without end. Only where hasLimits is set.
	float lower[2];
	float upper[2];
	bool hasLimits[2];
	/// Ball: radians that the bone turns away from `middle`, a direction in the parent as it is at rest (0: where the
	/// bone points at rest). SUP_PI or more: without end. Default 0: guessed.
	float swing;
	supVec3 middle;
	/// Multiplies how firmly the joint follows the clip. Default 1.
	float strength;
	/// Spring that brings the joint back to rest, in Hz, and friction, in 1/s. Default -1: the method's parameters
	/// joint.stiffness and joint.damping.
	float stiffness;
	float damping;
} supJointSetting;

/// All guessed, for the joint above a node.
SUP_API supJointSetting supDefaultJointSetting( int32_t node );

/// What a joint bore in a substep, in world space.
typedef struct supJointLoad
{
	/// N, from the parent on the bone below the joint: of the joint itself and of contacts, not of attachments.
	supVec3 force;
	/// N m, likewise: of following the clip, of springs, friction and limits.
	supVec3 torque;
} supJointLoad;

/// A body as tetrahedra.
typedef struct supTetMesh
{
	int32_t pointCount;
	/// Metres, where the character is at rest.
	const supVec3* points;
	int32_t tetCount;
	/// Four a tetrahedron, oriented so that ( p1 - p0 ) x ( p2 - p0 ) . ( p3 - p0 ) is positive.
	const int32_t* indices;
	/// What was odd about the file that it came from.
	int32_t noteCount;
	const supNote* notes;
} supTetMesh;

typedef struct supFleshDef
{
	/// Default sup_methodDqs.
	supMethodId method;
	/// Parameters that differ from their standard. NULL (default): none. Later ones win.
	const supSetting* settings;
	int32_t settingCount;
	/// Where it is soft. NULL (default): what is painted, or where nothing is, wherever flesh is thick. Of regions that
	/// overlap the softest counts.
	const supSoftRegion* softRegions;
	int32_t softRegionCount;
	/// From the bone to the skin, 2..16. NULL (default): supStandardLayers.
	const supLayer* layers;
	int32_t layerCount;
	/// How far bone reaches around the lines between joints, in metres. Default 0: as thin as can be.
	float boneWidth;
	/// What differs around some joints. NULL (default): nothing.
	const supLayerOverride* layerOverrides;
	int32_t layerOverrideCount;
	/// Tetrahedra to use in place of those that the method would make, for methods that have any; the others refuse
	/// them. NULL (default): none.
	const supTetMesh* tets;
	/// A control lattice to use in place of the one that the method would make, for methods that have one; the others
	/// refuse it. From supLoadLattice. NULL (default): none.
	const struct supControlLattice* lattice;
	/// Joints that are not to be as guessed, for methods that have any; the others refuse them. NULL (default): none.
	const supJointSetting* joints;
	int32_t jointCount;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supFleshDef;

/// Every field as its comment says.
SUP_API supFleshDef supDefaultFleshDef( void );

typedef struct supFlesh supFlesh;

/// Keeps a pointer to the character, which must outlive the flesh.
/// - def comes from supDefaultFleshDef; tasks and error may be NULL
SUP_API supFlesh* supBuildFlesh( const supCharacter* character, const supFleshDef* def, const supTasks* tasks,
								 supError* error );

/// The most times of supMethod_BuildTimes.
#define SUP_MAX_BUILD_TIMES 64

/// Lists when supBuildFlesh samples the clip of a character that has one, from `start` to `end` seconds, in ascending
/// order. Poses tell parts that belong together from those that only lie near each other at rest, and how joints turn.
/// For programs that keep their animation to themselves: a clip with keys at these times gives the same flesh as the
/// whole animation. Returns how many, 0 for methods without flesh.
/// - the method is in range; times has room for SUP_MAX_BUILD_TIMES
SUP_API int32_t supMethod_BuildTimes( supMethodId method, float start, float end, float* times );

/// After all actors that use it are gone. NULL is fine.
SUP_API void supDestroyFlesh( supFlesh* flesh );

/// What it was built from.
SUP_API const supCharacter* supFlesh_Character( const supFlesh* flesh );

/// As supMethodName has it.
SUP_API const char* supFlesh_MethodName( const supFlesh* flesh );

/// What a parameter was set to.
/// - the parameter is one of its method's
SUP_API float supFlesh_Parameter( const supFlesh* flesh, int32_t parameter );

/// Soft regions as given; at least one, which stands for what is painted or automatic where none was given.
SUP_API int32_t supFlesh_RegionCount( const supFlesh* flesh );
/// Never NULL.
SUP_API const char* supFlesh_RegionName( const supFlesh* flesh, int32_t region );

/// The flesh as a block of bytes, the content of a .flesh file. Free with supFree.
SUP_API uint8_t* supWriteFlesh( const supFlesh* flesh, size_t* byteCount, supError* error );

/// Flesh from such a block, which is used as it lies there and must outlive the flesh; so must the character. Refused,
/// with an error that says why: a block that is damaged or of another version, and one that was built for a character
/// of another shape, skeleton or weights. Names, clips and colours may differ.
/// - bytes are 64-byte aligned, as those of supWriteFlesh are; name is used in messages; error may be NULL
SUP_API supFlesh* supReadFlesh( const void* bytes, size_t byteCount, const char* name, const supCharacter* character,
								supError* error );

/// A place on the surface of a character: in the triangle of three vertices of one instance.
typedef struct supSurfacePoint
{
	int32_t instance;
	int32_t vertices[3];
	/// None negative, sum 1.
	float weights[3];
} supSurfacePoint;

// ---------------------------------------------------------------------------------------------------------------------
// What methods report

/// What went wrong numerically and was repaired, counted.
typedef struct supTrouble
{
	/// Positions or velocities that were not numbers and were put back.
	int64_t notFinite;
	/// Elements that were turned inside out and were righted.
	int64_t inverted;
	/// Solves that did not converge in the iterations they had.
	int64_t notConverged;
	/// Steps that were not made because they were longer than the integrator bears: use more substeps.
	int64_t unstable;
	/// Vertices of the drawn skin that were blended more than halfway toward linear blend skinning, because flesh
	/// stretched, squeezed or carried them too far (supSceneDef.guard). One vertex counts once per step.
	int64_t guarded;
} supTrouble;

/// How far the surface is from its shape at rest.
typedef struct supSurfaceMeasure
{
	/// Volume against the rest pose, relative and signed: -0.02 has lost 2 %. Over all instances together, each taken
	/// about its own middle, so that small holes matter little; means nothing for flat or wide open meshes.
	float volumeError;
	/// Largest relative change of the length of an edge against the rest pose.
	float stretch;
	/// Mechanical energy in joules; 0 for methods without mass.
	float energy;
	/// Deepest penetration in metres; 0 without contact.
	float penetration;
	/// `fem` with `levels`: finer functions that take part at the moment.
	int32_t finerFunctions;
} supSurfaceMeasure;
