// SPDX-License-Identifier: MIT
/// @file bake.h
/// Bakes a clip with flesh, frame by frame, to disk. Link with supple::io.
#pragma once

#include "supple/base.h"
#include "supple/decompose.h"
#include "supple/flesh.h"
#include "supple/io.h"
#include "supple/looks.h"
#include "supple/scene.h"

/// Called after each frame. Return false to stop: completed frames are kept, and the bake can be resumed.
typedef bool supBakeProgressFcn( int32_t framesDone, int32_t frameCount, void* context );

typedef struct supBakeDef
{
	/// Clip to bake. NULL (default): the rest pose, held still.
	const supClip* clip;
	/// Frame rate of the result, > 0. Default 30.
	float framesPerSecond;
	/// Range in seconds of the clip. Default: all of it (from its start, `to` negative).
	float from;
	float to;
	/// With `from` 0: start at the clip's first frame even if it is a rest-pose frame before the motion
	/// (supFindMotionStart). Default false.
	bool keepFirstFrame;
	/// Simulation steps per frame, 1 .. 1000. Default 0: supChooseSubsteps of a frame.
	int32_t substeps;
	/// Time in seconds for flesh to settle in the first pose before the first frame. Default 0: methods start at rest,
	/// so this matters only under gravity.
	float preroll;
	/// The clip is a cycle: play it until flesh is periodic too, then record one cycle. The frame rate becomes the
	/// nearest one at which a cycle is a whole number of frames (supBakeReport::framesPerSecond), so the clip keeps its
	/// length and no pose appears twice: the first frame follows the last. A clip that travels keeps travelling while
	/// it repeats. A clip whose ends do not match is baked once, from rest (supBakeReport::isLoop).
	bool loop;
	/// Colliders in world space, copied into the scene. They stay in place while a travelling clip repeats for a loop.
	/// Default none.
	const supColliderDef* colliders;
	int32_t colliderCount;
	/// Enable self-contact. Default false.
	bool touchSelf;
	/// Keep held poses as skinned and add only the effect of motion (supActor_SetAdditive). Default false.
	bool additive;
	/// Task system to run on. NULL (default): everything runs on the calling thread.
	const supTasks* tasks;
	/// Device that computes `position` (supSceneDef.device). The result is the same. NULL (default): the CPU.
	supDevice* device;
	/// Progress callback; may be NULL.
	supBakeProgressFcn* progress;
	void* progressContext;
	/// Resume a stopped bake of the same input, or start afresh if there is none. Refused with contact, whose state is
	/// not kept.
	bool resume;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supBakeDef;

/// Returns the documented default of every field.
SUP_API supBakeDef supDefaultBakeDef( void );

/// Measurements of one frame.
typedef struct supBakeFrame
{
	/// Time in the clip, in seconds.
	float time;
	supSurfaceMeasure measure;
	/// What the guard did to the surface.
	supGuardReport guard;
	/// Time in milliseconds for sampling the clip, the three phases of the simulation, and the surface.
	float poseMs, predictMs, solveMs, finishMs, surfaceMs;
} supBakeFrame;

typedef struct supBakeReport
{
	/// Frames recorded, and frames a complete bake has.
	int32_t frameCount;
	int32_t wantedFrameCount;
	const supBakeFrame* frames;
	/// Frames taken over from the earlier bake that was resumed.
	int32_t resumedFrameCount;
	/// Frame rate: that of the definition, unless the frames are a loop.
	float framesPerSecond;
	/// With `loop`: whether the clip is a cycle. If so, the cycles played before the first frame, and the seam: the
	/// largest distance in metres of a drawn vertex from its first frame when the next cycle begins, and the change of
	/// its velocity there, in m/s.
	bool isLoop;
	int32_t warmupCycles;
	float loopGap;
	float loopSpeedGap;
	/// Distance of flesh from its position one cycle earlier. Above 1/10,000 of the size, the drawn frames blend from
	/// the following cycle to this one, which closes the seam.
	float cycleGap;
	/// Seconds before the first key of a clip without a key at 0, during which the loop goes from its last pose to its
	/// first. 0 for most clips.
	float loopLead;
	/// With `loop`: distance in metres between the skinned surfaces at both ends of the clip, not counting its travel,
	/// and the largest side of the surface's bounding box in the first pose.
	float clipGap;
	float size;
	supTrouble trouble;
	/// Largest number of vertices in a frame whose penetration was abandoned (supContactStats::left), and its time in
	/// the clip, in seconds.
	int32_t unresolved;
	float unresolvedTime;
	/// Looks over all frames, including those of a resumed bake. Empty for a recording (supBeginRecording).
	supLooks looks;
} supBakeReport;

/// Frames of a bake, kept in a work file until they are exported.
typedef struct supBake supBake;

/// Simulates all frames into the work file `path` (by convention the name of the result plus ".part"). Stopping from
/// the progress callback is not an error. Returns NULL with an error otherwise; completed frames stay in the work file
/// if they can be resumed.
/// - flesh, clip and tasks outlive the bake
SUP_API supBake* supBakeFrames( const supFlesh* flesh, const supBakeDef* def, const char* path, supError* error );

/// Starts recording an actor in a scene that the caller steps. `to` - `from` bounds the number of frames; `clip` names
/// the motion in files (its channels are not played, and it may have none). supBake_Record adds the frames. Returns
/// NULL with an error.
/// - only clip, framesPerSecond, from, to and loop of the definition are used; flesh and clip outlive the bake
/// - with `loop`, the caller guarantees that the first frame follows the last
SUP_API supBake* supBeginRecording( const supFlesh* flesh, const supBakeDef* def, const char* path, supError* error );

/// Records the actor's current surface as the next frame. Returns false with an error if it cannot be written or if all
/// frames are recorded.
/// - the bake comes from supBeginRecording, and the actor uses its flesh
SUP_API bool supBake_Record( supBake* bake, supActor* actor, supError* error );

/// Destroys a bake. With `keep` a work file that can be resumed stays; otherwise it is removed. NULL is allowed.
SUP_API void supDestroyBake( supBake* bake, bool keep );

/// Returns the report, which lives as long as the bake.
SUP_API const supBakeReport* supBake_Report( const supBake* bake );

/// Returns false if the bake was stopped.
SUP_API bool supBake_IsComplete( const supBake* bake );

/// Saves one instance as a point cache, .pc2 or .mdd by extension: world positions, in the source's vertex order.
SUP_API bool supBake_SaveCache( supBake* bake, int32_t instance, const char* path, supError* error );

/// Saves all instances as one OBJ file per frame: "out.obj" becomes "out.0001.obj", counted from 1.
SUP_API bool supBake_SaveObj( supBake* bake, const char* path, supError* error );

/// Saves all instances as USD text with time-sampled points and normals, without a skeleton. The extension ".usdz"
/// makes a package, of at most 4 GiB.
SUP_API bool supBake_SaveUsd( supBake* bake, const char* path, supError* error );

/// Adds baked clips to the source document. Every skinned mesh becomes a plain mesh in world space: its vertices are
/// those of the first frame, with morph targets for key frames (float32 offsets of positions and normals, named
/// "Walk.0012" after clip and frame, counted from 1). The animation of each baked clip keeps its name, its length and
/// its effect on other nodes, and drives the weights: 1 for one target at each key, linear in between. A clip that is
/// not in the document (supRetargetClip) is added as by supDocument_AddClip. Unused skins are removed; meshes without a
/// skin, and everything else, stay. A failure leaves the document unchanged.
///
/// Baked clips come first, in the order of `bakes`, because viewers play the first. Clips that were not baked would
/// move joints but not the baked meshes: they are removed, or with `keepClips` follow the baked ones.
///
/// Morph targets of the source come first and keep their indices, so that expressions still work; the clips leave them
/// at 0. Their offsets are those of the first frame of the first bake and do not rotate with later poses.
///
/// `tolerance` in metres: a frame is left out if linear interpolation between key frames reproduces every vertex within
/// this distance; 0 leaves out only exact matches. Each key takes up to 24 bytes per vertex. The weights of all clips
/// take 4 bytes per key and target; beyond 64 MiB (about 4000 keys) they are refused: raise the tolerance, or use a
/// point cache.
/// - the bakes are of one character, which belongs to this document, and of different clips
SUP_API bool supDocument_AddBakes( supDocument* document, supBake* const* bakes, int32_t bakeCount, float tolerance,
								   bool keepClips, supError* error );

/// What a basis came to.
typedef struct supBasisReport
{
	/// False if components would need at least as many targets as key frames: key frames were written instead.
	bool isBasis;
	int32_t targetCount;
	/// Number of weight keys in all clips.
	int32_t keyCount;
} supBasisReport;

/// As supDocument_AddBakes, but with principal components of all frames of all clips as morph targets ("Basis.0000" and
/// so on) if that needs fewer targets at the same tolerance. Every key sets the weights of all targets, each within
/// 0..1 because some readers clamp them; the first target always has weight 1. Half of the tolerance goes to frames
/// between keys, half to omitted components. Needs memory for twice the frames. Refused beyond 1500 keys.
/// - `report` may be NULL
SUP_API bool supDocument_AddBasis( supDocument* document, supBake* const* bakes, int32_t bakeCount, float tolerance,
								   bool keepClips, supBasisReport* report, supError* error );

/// Errors of helper bones on one clip.
typedef struct supBonesClipReport
{
	/// Error of the file as written, in metres: keys reduced, weights and rotations in 16 bits.
	supBonesError error;
	/// Error of the character's own skeleton and weights alone; without a skeleton, of its nodes alone.
	supBonesError plain;
} supBonesClipReport;

typedef struct supBonesReport
{
	/// Largest side of the character's bounding box at rest, in metres.
	float size;
	int32_t helperCount;
	int32_t influences;
	/// Keys of helpers, after and before reduction.
	int32_t keyCount;
	int32_t sampledKeyCount;
	/// Over all clips.
	supBonesError error;
	supBonesError plain;
	/// Estimated helpers for an RMS error of 0.2 % of the size; helperCount if it is reached already, 0 if unknown.
	int32_t enoughHelpers;
} supBonesReport;

/// Adds baked clips to the source document as a plain skinned character. Its skeleton and animation stay as they are;
/// helper bones, each a child of the joint it belongs to, carry what flesh adds, with new skin weights. All clips are
/// solved together with one set of weights. Only helperCount, influences, withScale, smoothness, rounds, tasks,
/// progress and progressContext of `def` are used (NULL: the defaults). `tolerance` in metres: keys are left out where
/// the remaining ones reproduce the motion within it. A clip baked as a loop ends as it begins. Baked clips come first;
/// others would play without flesh and are removed unless `keepClips`. If no mesh has a skin, helpers alone form the
/// skeleton: meshes take the shape of the first frame, and the helpers reproduce what morph targets did. A failure
/// leaves the document unchanged.
/// - `report` and `clipReports`, bakeCount of them, may be NULL
/// - the bakes are of one character, which belongs to this document, and of different clips
SUP_API bool supDocument_AddBones( supDocument* document, supBake* const* bakes, int32_t bakeCount,
								   const supBonesDef* def, float tolerance, bool keepClips, supBonesReport* report,
								   supBonesClipReport* clipReports, supError* error );
