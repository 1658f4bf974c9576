// SPDX-License-Identifier: MIT
/// @file bake.h
/// From a character and a clip to the same animation with flesh, frame by frame, on disk. Link with supple::io.
#pragma once

#include "supple/base.h"
#include "supple/decompose.h"
#include "supple/flesh.h"
#include "supple/io.h"
#include "supple/looks.h"
#include "supple/scene.h"

/// Called after each frame. Return false to stop: what is done so far is kept, and the bake can be resumed.
typedef bool supBakeProgressFcn( int32_t framesDone, int32_t frameCount, void* context );

typedef struct supBakeDef
{
	/// NULL (default): the rest pose, held still.
	const supClip* clip;
	/// Frames per second of the result, > 0. Default 30.
	float framesPerSecond;
	/// Seconds in the clip. Default: all of it (from its start, `to` negative).
	float from;
	float to;
	/// With `from` 0: begins at the clip's start even where that is a rest-pose frame before the motion
	/// (supFindMotionStart). Default false.
	bool keepFirstFrame;
	/// Simulation steps per frame, 1 .. 1000. Default 0: supChooseSubsteps of a frame.
	int32_t substeps;
	/// Seconds that the flesh is given to come to rest in the first pose before the first frame. Default 0: methods
	/// start at rest, so that this matters only under gravity.
	float preroll;
	/// The clip is a cycle: plays it until flesh moves in cycles as well, then records one. The rate becomes the
	/// nearest one at which a cycle is a whole number of frames (supBakeReport::framesPerSecond), so the clip keeps its
	/// length and no pose is there twice: after the last frame comes the first. A clip that walks away goes on walking
	/// while it is played; one whose ends do not fit together is baked once, from rest (supBakeReport::isLoop).
	bool loop;
	/// What flesh touches, in the world: copied into the scene, and there from its beginning. Default none. Positions
	/// stay where they are while a clip that walks away is played over and over for a loop.
	const supColliderDef* colliders;
	int32_t colliderCount;
	/// Flesh touches itself. Default false.
	bool touchSelf;
	/// Leaves poses as they are and adds only what motion causes (supActor_SetAdditive). Default false.
	bool additive;
	/// NULL (default): everything on the calling thread.
	const supTasks* tasks;
	/// Where flesh of `position` is computed (supSceneDef.device). The result is the same. NULL (default): the CPU.
	supDevice* device;
	/// May be NULL.
	supBakeProgressFcn* progress;
	void* progressContext;
	/// Goes on with an earlier bake of the same input that was stopped. Where there is none, begins anew. Refused with
	/// contact, whose state is not kept.
	bool resume;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supBakeDef;

/// Every field as its comment says.
SUP_API supBakeDef supDefaultBakeDef( void );

/// What is known about one frame.
typedef struct supBakeFrame
{
	/// Seconds in the clip.
	float time;
	supSurfaceMeasure measure;
	/// Where the guard blended the surface toward skinning.
	supGuardReport guard;
	/// Milliseconds: sampling the clip, the simulation's three phases, the surface.
	float poseMs, predictMs, solveMs, finishMs, surfaceMs;
} supBakeFrame;

typedef struct supBakeReport
{
	/// How many frames there are, and how many there would be had it not been stopped.
	int32_t frameCount;
	int32_t wantedFrameCount;
	const supBakeFrame* frames;
	/// How many of the frames were done by an earlier bake that this one resumed.
	int32_t resumedFrameCount;
	/// The rate of the frames: that of the definition unless they are a loop.
	float framesPerSecond;
	/// With `loop`: whether the clip is a cycle. If so, how many cycles were played before the first frame, and the
	/// seam: how far a vertex of the drawn surface is from its first frame when the next cycle begins, in metres, and
	/// the change of its velocity there, in metres per second.
	bool isLoop;
	int32_t warmupCycles;
	float loopGap;
	float loopSpeedGap;
	/// How far flesh is, after one cycle, from where it was. Above 1/10,000 of the size, the drawn frames go from
	/// those of the following cycle over to those of this one, which closes the seam.
	float cycleGap;
	/// Seconds before the first key of a clip that leaves out the frame at 0: the loop goes from its last pose to its
	/// first there. 0 for most clips.
	float loopLead;
	/// With `loop`: metres between the skinned surface at both ends of the clip, less what the clip travels, and the
	/// largest side of the surface's box in the first pose.
	float clipGap;
	float size;
	supTrouble trouble;
	/// Most vertices in any frame whose penetration contact has abandoned (supContactStats::left), and the seconds in
	/// the clip at which that was.
	int32_t unresolved;
	float unresolvedTime;
	/// All frames, those of an earlier bake included. Of a recording (supBeginRecording): no frames.
	supLooks looks;
} supBakeReport;

/// The frames of a bake, kept in a file beside the result until they are written out.
typedef struct supBake supBake;

/// Simulates all frames into the work file `path` (by custom the name of the result with ".part" behind it).
/// Stopping by the progress function is not an error. NULL and an error otherwise; frames done until then stay in the
/// work file where they can be resumed.
/// - flesh, clip and tasks outlive the bake
SUP_API supBake* supBakeFrames( const supFlesh* flesh, const supBakeDef* def, const char* path, supError* error );

/// The same for an actor in a scene that the caller steps: `to` less `from` in the definition say how many frames there
/// will be at most, `clip` how the motion is called in files (its channels are not played, it may have none). Frames
/// come from supBake_Record. NULL with an error.
/// - of the definition only clip, framesPerSecond, from, to and loop count; flesh and clip outlive the bake
/// - with `loop` the caller has seen to it that the frame after the last is the first one again
SUP_API supBake* supBeginRecording( const supFlesh* flesh, const supBakeDef* def, const char* path, supError* error );

/// The actor as it is now becomes the next frame. False with an error where it cannot be written, or where all frames
/// are there.
/// - the bake comes from supBeginRecording, and the actor has its flesh
SUP_API bool supBake_Record( supBake* bake, supActor* actor, supError* error );

/// With `keep` the work file stays where it can be resumed; otherwise it is removed. NULL is fine.
SUP_API void supDestroyBake( supBake* bake, bool keep );

/// How it went; lives as long as the bake.
SUP_API const supBakeReport* supBake_Report( const supBake* bake );

/// False where it was stopped.
SUP_API bool supBake_IsComplete( const supBake* bake );

/// One instance as a cache: .pc2 or .mdd by the extension, world positions, vertex order as in the source.
SUP_API bool supBake_SaveCache( supBake* bake, int32_t instance, const char* path, supError* error );

/// All instances, one OBJ file per frame: "out.obj" becomes "out.0001.obj", counted from 1.
SUP_API bool supBake_SaveObj( supBake* bake, const char* path, supError* error );

/// All instances as USD text with time-sampled points and normals, no skeleton. A path that ends in ".usdz" makes a
/// package of it, of at most 4 GiB.
SUP_API bool supBake_SaveUsd( supBake* bake, const char* path, supError* error );

/// The result inside the source document: every mesh with a skin becomes a plain mesh in world space whose vertices are
/// those of the first frame, with morph targets for key frames (float32 offsets of positions and normals, named
/// "Walk.0012" after clip and frame, counted from 1). The animation of each baked clip keeps its name, its length and
/// what it does to the other nodes, and sets the weights: 1 for one target at each key, linear in between. A clip that
/// is not in the document (supRetargetClip) is added as by supDocument_AddClip. Skins that nothing uses any more go;
/// meshes without a skin, which follow their nodes already, and everything else stays as it is. A failure leaves the
/// document as it was.
///
/// Baked clips come first, in the order of `bakes`, since viewers play the first. Clips that were not baked would move
/// joints but not the baked meshes: they go, or follow the baked ones with `keepClips`.
///
/// Morph targets of the source come first, at the numbers they had, so that expressions can still be set; the clips
/// leave them at 0. Their offsets are those of the first frame of the first bake: later poses do not turn them.
///
/// `tolerance` in metres: frames are left out where straight lines between key frames pass within this distance of
/// every vertex. 0 leaves out only what is reproduced exactly. Each key costs 24 bytes per vertex at most, and the
/// weights of all clips together take 4 bytes per key and target, which is refused beyond 64 MiB (about 4000 keys): a
/// larger tolerance helps, or a point cache.
/// - the bakes are of one character, which belongs to this document, and of different clips
SUP_API bool supDocument_AddBakes( supDocument* document, supBake* const* bakes, int32_t bakeCount, float tolerance,
								   bool keepClips, supError* error );

/// What a basis came to.
typedef struct supBasisReport
{
	/// False where key frames make no more targets than components would: they were written instead.
	bool isBasis;
	int32_t targetCount;
	/// Times at which weights are set, in all clips.
	int32_t keyCount;
} supBasisReport;

/// As supDocument_AddBakes, with principal components of all frames of all clips as morph targets ("Basis.0000" and so
/// on), where that makes fewer targets at the same tolerance. Every key sets the weights of all targets, each within
/// 0 .. 1, which some readers clamp them to; the first target has weight 1 in all of them. Half of the tolerance goes
/// to frames between keys, half to components that are left out. Memory: twice the frames. Refused beyond 1500 keys.
/// - `report` may be NULL
SUP_API bool supDocument_AddBasis( supDocument* document, supBake* const* bakes, int32_t bakeCount, float tolerance,
								   bool keepClips, supBasisReport* report, supError* error );

/// What bones make of one clip.
typedef struct supBonesClipReport
{
	/// In metres, of the file as written: keys reduced, weights and rotations in 16 bits.
	supBonesError error;
	/// The same with the character's own skeleton and weights alone; without a skeleton, with its nodes alone.
	supBonesError plain;
} supBonesClipReport;

typedef struct supBonesReport
{
	/// The largest side of the character's bounding box at rest, in metres: errors are a share of it.
	float size;
	int32_t helperCount;
	int32_t influences;
	/// Keys of helpers, and how many there were before they were reduced.
	int32_t keyCount;
	int32_t sampledKeyCount;
	/// Over all clips.
	supBonesError error;
	supBonesError plain;
	/// Helpers that would bring the RMS error down to 0.2 % of the size; helperCount where it is there already, 0 where
	/// no number is in sight.
	int32_t enoughHelpers;
} supBonesReport;

/// The result inside the source document as a plain skinned character: its skeleton stays as it is and is animated as
/// before; helper bones, each a child of the joint that it belongs to, carry what flesh adds; skin weights are new. All
/// clips are solved together, with one set of weights. Of `def` only helperCount, influences, withScale, smoothness,
/// rounds, tasks, progress and progressContext count (NULL: the defaults). `tolerance` in metres: keys are left out
/// where the others give the motion back within it. A clip baked as a loop ends as it begins. Baked clips come first,
/// and others go unless `keepClips`: they would play without flesh. Where no mesh has a skin, helpers alone are the
/// skeleton: meshes become those of the first frame, and what morph targets did is left to the helpers. A failure
/// leaves the document as it was.
/// - `report` and `clipReports`, bakeCount of them, may be NULL
/// - the bakes are of one character, which belongs to this document, and of different clips
SUP_API bool supDocument_AddBones( supDocument* document, supBake* const* bakes, int32_t bakeCount,
								   const supBonesDef* def, float tolerance, bool keepClips, supBonesReport* report,
								   supBonesClipReport* clipReports, supError* error );
