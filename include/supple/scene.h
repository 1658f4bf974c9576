// SPDX-License-Identifier: MIT
/// @file scene.h The only mutable thing: actors in a scene, moved forward in time.
///
///     poses in -> supScene_Step( scene, dt ) -> positions and normals out
///
/// After the first steps, a step allocates nothing. Results do not depend on the number of threads.
#pragma once

#include "supple/base.h"
#include "supple/contact.h"
#include "supple/device.h"
#include "supple/flesh.h"

typedef struct supScene supScene;
typedef struct supActor supActor;

/// How contacts between the surfaces of two actors are detected.
typedef enum supDetection
{
	/// Tests vertices against nearby triangles.
	sup_detectExact,
	/// Tests vertices against small depth maps of the other actor, and exactly where a map is inconclusive (Galoppo et
	/// al. 2007). For comparison; self-contact is always exact.
	sup_detectImages,
} supDetection;

typedef struct supSceneDef
{
	/// Substeps per call of supScene_Step, >= 1. Poses are interpolated in between. Default 1.
	int32_t substeps;
	/// Gravity in m/s^2. Default (0, -9.81, 0). Methods assume that the rest pose is in equilibrium with it: flesh sags
	/// only when it turns, unless their parameters say otherwise.
	supVec3 gravity;
	/// Velocity of the air in m/s. Default 0.
	supVec3 wind;
	/// Maximum number of attachment iterations. One is enough unless slack, spread forces (supPlace.radius) or skin at
	/// its stretch limit is involved. Default 4.
	int32_t attachmentSweeps;
	/// Skip actors at rest until something moves them. Default true.
	bool sleeping;
	/// Blend the drawn skin toward linear blend skinning where flesh stretches or squeezes it far more than skinning
	/// does (see supActor_Guard). Default true.
	bool guard;
	/// Contact passes per substep, interleaved with the method's solve, >= 1. Default 4.
	int32_t contactPasses;
	/// Gauss-Seidel iterations per contact pass. Default 4.
	int32_t contactSweeps;
	/// Speed in m/s at which flesh that starts inside something comes out. Default 1.
	float recoverySpeed;
	/// Contact detection between actors. Default sup_detectExact.
	supDetection detection;
	/// World position that the scene computes relative to, in metres. Default 0. Adjacent floats are 0.06 mm apart at 1
	/// km from the origin and 1 mm at 10 km, and flesh jitters by more than that: in a large world set the origin near
	/// the actors (supChooseOrigin). Poses stay in world space; everything else that enters or leaves the scene
	/// (surfaces, colliders, attachments, rays, contacts, supPose_Worlds of an actor's pose) is relative to the origin.
	supVec3 origin;
	/// Task system to run on; must outlive the scene. NULL (default): everything runs on the calling thread.
	const supTasks* tasks;
	/// Device that computes `position` actors while nothing drags, holds or can touch them; all other actors run on the
	/// CPU. Results have the same bits either way. Must outlive the scene. NULL (default): none.
	supDevice* device;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supSceneDef;

/// Returns the documented default of every field.
SUP_API supSceneDef supDefaultSceneDef( void );

/// Chooses a scene origin for actors near the joints of this pose: 0 if they are close to it (less than 16 times as far
/// away as apart), else a point next to them. Coordinates relative to it are exact.
SUP_API supVec3 supChooseOrigin( supPose* pose );

/// Returns the number of substeps, 1..1000, that divide a step of `dt` seconds into substeps of at most 1/60 s.
/// Implicit methods lose energy in longer steps, so flesh would look stiffer at a lower frame rate.
SUP_API int32_t supChooseSubsteps( float dt );

/// Creates an empty scene. Returns NULL with an error if it is out of memory.
/// - def comes from supDefaultSceneDef; error may be NULL
SUP_API supScene* supCreateScene( const supSceneDef* def, supError* error );

/// Destroys a scene with its actors, attachments and colliders. NULL is allowed.
SUP_API void supDestroyScene( supScene* scene );

/// Advances the scene by `dt` seconds. Every actor moves from its previous pose to the pose it was given.
/// - dt is finite and not negative; 0 only updates the surfaces
SUP_API void supScene_Step( supScene* scene, float dt );

/// Set gravity and wind. Both wake all actors.
/// - the vector is finite
SUP_API void supScene_SetGravity( supScene* scene, supVec3 gravity );
SUP_API void supScene_SetWind( supScene* scene, supVec3 wind );

/// Time spent in each phase since the scene was created, in milliseconds, summed over all actors.
typedef struct supPhaseTimes
{
	double poses;
	double predict;
	double solve;
	double attachments;
	double contacts;
	double finish;
	double surface;
} supPhaseTimes;

typedef struct supSceneStats
{
	int64_t steps;
	/// Actors in the scene, and how many of them were asleep in the last step.
	int32_t actors;
	int32_t sleepers;
	/// Actors, asleep or not, that were simulated every second step, had no flesh, or had only a pose (supDetail).
	int32_t reduced;
	int32_t skinned;
	int32_t posed;
	supPhaseTimes milliseconds;
	supContactStats contact;
	/// Trouble since the scene was created.
	supTrouble trouble;
} supSceneStats;

/// Returns counters and timings.
SUP_API supSceneStats supScene_GetStats( const supScene* scene );

// ---------------------------------------------------------------------------------------------------------------------
// Actors

/// Adds an actor at rest in the character's rest pose. The flesh must outlive the actor. Returns NULL only if out of
/// memory.
SUP_API supActor* supScene_AddActor( supScene* scene, const supFlesh* flesh, supError* error );

/// Removes an actor with its drags and attachments.
/// - the actor is in this scene
SUP_API void supScene_RemoveActor( supScene* scene, supActor* actor );

/// Returns the flesh the actor was created from.
SUP_API const supFlesh* supActor_Flesh( const supActor* actor );

/// Returns the pose the actor reaches at the end of the next step, for the caller to write.
SUP_API supPose* supActor_Pose( supActor* actor );

/// Puts the flesh to rest in the current pose, as if it had always been there. Call it at the start of a shot or after
/// a teleport.
SUP_API void supActor_Reset( supActor* actor );

/// Returns whether the actor is at rest and skipped by steps until its pose, a parameter, gravity, wind or a drag
/// changes.
SUP_API bool supActor_IsAsleep( const supActor* actor );

/// Changes a parameter of the running actor.
/// - the parameter belongs to the actor's method and is live; the value is in its range
SUP_API void supActor_SetParameter( supActor* actor, int32_t parameter, float value );
/// Returns a parameter as set on the actor, else as built into the flesh.
/// - the parameter belongs to the actor's method
SUP_API float supActor_GetParameter( const supActor* actor, int32_t parameter );

/// Sets the frequency (Hz) and damping ratio of a soft region; 0 uses the method's parameters.
/// - the region belongs to the flesh; both values are >= 0
SUP_API void supActor_SetRegion( supActor* actor, int32_t region, float frequency, float damping );

/// Scales how firmly the joint above a node follows the clip; initially 1. With `below`, also scales all joints below
/// it: a whole arm or leg. Methods that do not simulate joints ignore it.
/// - the node belongs to the character; strength is finite and >= 0
SUP_API void supActor_SetJointStrength( supActor* actor, int32_t node, bool below, float strength );

/// Reads the force and torque in the joint above a node in the last substep. Returns false and zeros if the method does
/// not simulate that joint; only `layered` simulates joints.
/// - the node belongs to the character
SUP_API bool supActor_GetJointLoad( const supActor* actor, int32_t node, supJointLoad* load );

/// Return the positions and unit normals of one instance, vertexCount of its mesh, as of the last step or reset. The
/// pointers stay valid until the actor is removed; each step overwrites the values.
SUP_API const supVec3* supActor_Positions( const supActor* actor, int32_t instance );
SUP_API const supVec3* supActor_Normals( const supActor* actor, int32_t instance );

/// Save and restore the simulation state as plain bytes; after a restore, later steps are the same bit for bit. The
/// bytes fit this flesh and this version of the library only. They exclude what the caller sets: playing clips and
/// their placement, parameters, regions, joint strengths, drags, levels of detail and the viewer. The state is larger
/// for actors that ever had less than full detail or a viewer.
/// - supActor_RestoreState: bytes of such an actor are restored into such an actor
SUP_API size_t supActor_StateSize( const supActor* actor );
SUP_API void supActor_SaveState( const supActor* actor, void* bytes );
SUP_API void supActor_RestoreState( supActor* actor, const void* bytes );

/// Measures the deformation of the surface relative to its rest shape.
SUP_API supSurfaceMeasure supActor_Measure( supActor* actor );

/// What the guard changed in the last step (supSceneDef.guard). Where flesh stretches an edge of the skin by more than
/// three quarters of its length at rest and under linear blend skinning, or by more than 2.5 % of the character's size,
/// or squeezes it to half, the surface is blended towards skinning. The blend fades out over the surrounding skin and
/// within 0.2 s. The distance from skinning is limited smoothly to three quarters of the distance from skin to bone and
/// 2 % of the size. Shells that lie on others (clothes, straps, plates) move with the flesh beneath. Skin near
/// contacts, and actors that are dragged, attached or released by their clip, are not blended.
typedef struct supGuardReport
{
	/// Vertices blended more than halfway.
	int32_t vertices;
	/// The most blended vertex, and its weight: 0 is all flesh, 1 all skinning.
	int32_t instance;
	int32_t vertex;
	float weight;
} supGuardReport;

/// Returns what the guard did; all zero if nothing was blended.
SUP_API supGuardReport supActor_Guard( const supActor* actor );

// ---------------------------------------------------------------------------------------------------------------------
// Crowds on a device (supSceneDef.device). The first supActor_Positions or supActor_Normals after a step reads back the
// surfaces of all actors that share the flesh. An actor moves to the CPU and back by itself: its state is copied.

typedef struct supDeviceStats
{
	/// Actors computed on the device in the last step.
	int32_t actors;
	/// The device failed and everything runs on the CPU (supScene_GetDeviceError).
	bool isLost;
	/// Time on the device since the scene was created, in milliseconds.
	double predict;
	double solve;
	double finish;
	double surface;
} supDeviceStats;

SUP_API supDeviceStats supScene_GetDeviceStats( const supScene* scene );

/// Returns the first error of the device, or NULL. After an error the scene continues on the CPU from the state of the
/// last step. If that state cannot be read back, flesh restarts at rest in the pose of the last step.
SUP_API const supError* supScene_GetDeviceError( const supScene* scene );

/// Returns the device memory needed by the flesh and by each of its actors, in bytes. Returns false if its method has
/// no device code, or if out of memory.
SUP_API bool supFlesh_GetDeviceMemory( const supFlesh* flesh, int64_t* fleshBytes, int64_t* actorBytes );

/// Location of an instance's surface in device memory, for a renderer on the same device.
typedef struct supDeviceBuffer
{
	/// cl_mem, and the in-order cl_command_queue the step was enqueued in. The step has finished when supScene_Step
	/// returns.
	void* memory;
	void* queue;
	/// Byte offsets of the first position and the first normal, and the byte stride between vertices.
	int64_t positions;
	int64_t normals;
	int64_t stride;
	int32_t vertexCount;
} supDeviceBuffer;

/// Returns false if the actor's last step ran on the CPU. The guard (supSceneDef.guard) only modifies the surface on
/// the CPU. The buffer is valid until the next step, or until an actor is added or removed.
/// - the instance belongs to the character
SUP_API bool supActor_GetDeviceBuffer( const supActor* actor, int32_t instance, supDeviceBuffer* buffer );

// ---------------------------------------------------------------------------------------------------------------------
// Level of detail, for crowds. Flesh fades in and out over half a second, so nothing pops.

typedef enum supDetail
{
	/// Simulates flesh in every step.
	sup_detailFull,
	/// Simulates flesh every second step, over the time of both. The surface is still skinned in every step, with the
	/// flesh's contribution interpolated, one step late.
	sup_detailReduced,
	/// No flesh: skins the surface with dual quaternions. Flesh restarts at rest when it returns.
	sup_detailSkinned,
	/// No surface update. For actors out of sight, or distant ones the engine skins itself from supActor_Pose or
	/// supPose_Palette.
	sup_detailPosed,
} supDetail;

/// Sets the highest level of detail of the actor; initially full. A viewer may lower it. Actors that are dragged,
/// attached or in a scene where something can touch are simulated in full regardless, and methods without flesh ignore
/// it. Returns false, with nothing changed, only if out of memory.
SUP_API bool supActor_SetDetail( supActor* actor, supDetail detail, supError* error );

/// Additive flesh leaves held poses as skinned and adds only the effect of motion: after a motion ends, the surface
/// approaches linear blend skinning by a factor of e every half second, and supActor_Reset puts it there exactly. Dents
/// from contact fade as well. Changing the mode resets the actor; methods without flesh ignore it. Default false.
/// Returns false with an error if out of memory.
SUP_API bool supActor_SetAdditive( supActor* actor, bool additive, supError* error );

/// Returns the level of detail of the last step; reduced also while flesh fades in or out.
SUP_API supDetail supActor_GetDetail( const supActor* actor );

typedef struct supViewer
{
	supVec3 position;
	/// Distances in metres beyond which flesh is reduced, and beyond which there is none. Flesh returns at nine tenths
	/// of them.
	float fullDistance;
	float reducedDistance;
	/// Distance in metres beyond which only the pose is updated. 0: all actors have a surface.
	float skinnedDistance;
} supViewer;

/// Chooses each actor's level of detail by its distance, from the next step on. NULL removes the viewer. Copied.
/// Returns false, with nothing changed, only if out of memory (on the first call, which allocates for all actors).
/// - position is finite; 0 <= fullDistance <= reducedDistance <= skinnedDistance, or that is 0
SUP_API bool supScene_SetViewer( supScene* scene, const supViewer* viewer, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Sources of poses. An actor that plays nothing uses what the caller writes into supActor_Pose.

typedef struct supPlayDef
{
	/// A clip of the character, or retargeted to it. Must outlive playback.
	const supClip* clip;
	/// Start time within the clip, in seconds. Default: the clip's start.
	float time;
	/// Playback speed; negative plays backwards. Default 1.
	float speed;
	/// Repeat the clip; otherwise its last pose is held. Default true.
	bool loop;
	/// Cross-fade from the previous clip, in seconds. Default 0.
	float fade;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supPlayDef;

/// Returns the documented default of every field.
/// - the clip is not NULL
SUP_API supPlayDef supDefaultPlayDef( const supClip* clip );

/// Plays a clip. From the next step on, each step sets the pose to the clip's at the end of the step.
/// - def comes from supDefaultPlayDef
SUP_API void supActor_Play( supActor* actor, const supPlayDef* def );

/// Places playing clips in the world, from the next step on: root nodes are rotated about the origin, then translated.
/// Initially clips play where they were authored. Flesh reacts to the change as to any motion; after a jump, run a step
/// (of 0 seconds, for example) to set the pose and call supActor_Reset. Poses written or pushed by the caller are used
/// as they are.
/// - position is finite, rotation a unit quaternion
SUP_API void supActor_SetPlace( supActor* actor, supVec3 position, supQuat rotation );

/// Stops playback. The pose stays, and the caller may write it again.
SUP_API void supActor_Stop( supActor* actor );

/// Returns the playback time within the clip in seconds; 0 if nothing plays.
SUP_API float supActor_PlayTime( const supActor* actor );

// Live poses from a tracker or a network: late, noisy, irregular, with gaps.

typedef struct supStreamDef
{
	/// Delay behind the newest pose, in seconds. A longer delay bridges longer gaps without prediction. Default 0.05.
	float delay;
	/// Time in seconds for which motion is extrapolated, ever slower, when no pose arrives; then the pose is held.
	/// Default 0.1.
	float prediction;
	/// Time constant of noise smoothing, in seconds. Default 0: none.
	float smoothing;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supStreamDef;

/// Returns the documented default of every field.
SUP_API supStreamDef supDefaultStreamDef( void );

/// Opens a stream: from the next step on, poses come from supActor_PushPose. Stops playback. Returns false only if out
/// of memory.
/// - def comes from supDefaultStreamDef
SUP_API bool supActor_OpenStream( supActor* actor, const supStreamDef* def, supError* error );

/// Closes the stream, if one is open. The pose stays.
SUP_API void supActor_CloseStream( supActor* actor );

/// Pushes a pose with its time in seconds on the sender's clock, which may differ from ours and drift slightly. Copied.
/// Poses may arrive out of order. A time more than a second from the last one restarts the stream. Returns false if the
/// pose was dropped: non-finite, too old, or a duplicate.
/// - a stream is open, and no step is running
SUP_API bool supActor_PushPose( supActor* actor, const supPose* pose, double time );

typedef struct supStreamStats
{
	int64_t received;
	/// Non-finite, too old, or a duplicate time.
	int64_t dropped;
	/// Arrived out of order, but in time to be used.
	int64_t reordered;
	/// Restarts because the sender's time jumped.
	int64_t restarts;
	/// Steps whose pose was extrapolated, and steps that held the last pose.
	int64_t predictedSteps;
	int64_t heldSteps;
} supStreamStats;

/// Returns counters of the stream.
/// - a stream is open
SUP_API supStreamStats supActor_GetStreamStats( const supActor* actor );

// ---------------------------------------------------------------------------------------------------------------------
// Drags: grab the flesh and pull.

/// Finds the first intersection of a ray with the actor's current surface. `distance` (may be NULL) is in multiples of
/// the direction's length. Returns false if the ray misses.
SUP_API bool supActor_CastRay( const supActor* actor, supVec3 origin, supVec3 direction, supSurfacePoint* point,
							   float* distance );

/// Finds the point of the actor's current surface nearest to a world position. Returns false if the surface has no
/// triangles.
SUP_API bool supActor_FindNearest( const supActor* actor, supVec3 position, supSurfacePoint* point );

/// Returns the current world position of a surface point.
SUP_API supVec3 supActor_PointPosition( const supActor* actor, const supSurfacePoint* point );

typedef struct supDragDef
{
	supSurfacePoint point;
	/// Radius in metres of the region that is grabbed, with a falloff. Default 0.15 of the character's largest extent.
	float radius;
	/// How fast the point follows its target and how firmly it holds the flesh around it, in Hz. Default 20.
	float frequency;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supDragDef;

/// Returns the documented default of every field.
SUP_API supDragDef supDefaultDragDef( const supActor* actor, const supSurfacePoint* point );

/// Identifies one of at most 16 concurrent drags of an actor.
typedef int32_t supDragId;

/// Starts a drag at the current position of the point. Returns -1 if the method has no flesh, if 16 drags are active,
/// or if out of memory.
SUP_API supDragId supActor_StartDrag( supActor* actor, const supDragDef* def );

/// Sets the target of a drag. The drawn point approaches it as a critically damped spring of the drag's frequency and
/// is then held there as by an attachment. A point that depends on bones alone lags as far as the flesh resists.
/// - the drag is active; target is finite
SUP_API void supActor_MoveDrag( supActor* actor, supDragId drag, supVec3 target );

/// Ends a drag.
/// - the drag is active
SUP_API void supActor_EndDrag( supActor* actor, supDragId drag );

// ---------------------------------------------------------------------------------------------------------------------
// Attachments hold places together exactly, whatever methods move them, in both directions where both can move.

typedef enum supAttachmentKind
{
	/// Joins all places at one point: at the first immovable place (world, bone, skinned surface), else at their centre
	/// of mass.
	sup_attachmentJoin,
	/// The first place slides on the surface of the second place's actor.
	sup_attachmentSlide,
	/// The first place moves at a given velocity.
	sup_attachmentVelocity,
	/// The first place slides along the line between the second and the third.
	sup_attachmentLine,
	/// The first place slides on the triangle of the other three.
	sup_attachmentTriangle,
} supAttachmentKind;

typedef enum supPlaceKind
{
	/// A fixed point of the world; supAttachment_SetPlace moves it.
	sup_placeWorld,
	/// On a node (a bone) of an actor, in the node's local space.
	sup_placeNode,
	/// On the surface of an actor.
	sup_placeSurface,
	/// Inside an actor, between two points of its surface (supActor_FindInside).
	sup_placeInside,
} supPlaceKind;

typedef struct supPlace
{
	supPlaceKind kind;
	/// NULL for the world.
	supActor* actor;
	/// World: position in metres. Node: position in the node's local space.
	supVec3 position;
	int32_t node;
	supSurfacePoint point;
	/// Inside: the surface point on the far side, and the fraction of the way to it from `point`, 0..1.
	supSurfacePoint opposite;
	float share;
	/// Surface: radius in metres over which the force is spread; 0 (default): only the particles that carry the point.
	/// Either way the drawn point itself is held.
	float radius;
} supPlace;

/// Finds the place inside an actor's current surface at a world position. The place keeps its fraction of the way
/// between the nearest surface and the surface on the far side, whatever the method. Returns false if the position is
/// outside.
/// - position is finite
SUP_API bool supActor_FindInside( supActor* actor, supVec3 position, supPlace* place );

/// Maximum number of places per attachment.
#define SUP_MAX_ATTACHED_PLACES 64

typedef struct supAttachmentDef
{
	/// For messages; copied; may be NULL.
	const char* name;
	supAttachmentKind kind;
	/// Number of places. Join: 2..64. Slide: 2. Velocity: 1. Line: 3. Triangle: 4.
	int32_t placeCount;
	supPlace places[SUP_MAX_ATTACHED_PLACES];
	/// Velocity attachments: velocity in m/s.
	supVec3 velocity;
	/// Distance in metres that joined places may be apart before they are held: the length of a leash. Default 0.
	float slack;
	/// Time in seconds over which the gap closes after activation. Default 0: at once.
	float assembly;
	/// Force in newtons, > 0, above which the attachment breaks for good at the end of a step (supAttachment_IsBroken).
	/// Default INFINITY: it never breaks.
	float breakingForce;
	/// Default true.
	bool active;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supAttachmentDef;

/// Returns the documented default of every field, without places.
SUP_API supAttachmentDef supDefaultAttachmentDef( void );

typedef struct supAttachment supAttachment;

/// Creates an attachment. Returns NULL with an error if a place does not exist, is in another scene or is repeated, if
/// no place can move (world, bones, surfaces without flesh), or if out of memory. A place on skin that depends almost
/// entirely on bones (less than a tenth on flesh) is accepted with a warning, and its gap reports how far off it is. An
/// attachment ends with the scene, or with the first of its actors to be removed; the log names it.
/// - def comes from supDefaultAttachmentDef
SUP_API supAttachment* supScene_Attach( supScene* scene, const supAttachmentDef* def, supError* error );

/// Removes an attachment.
/// - the attachment belongs to this scene and has not ended
SUP_API void supScene_Detach( supScene* scene, supAttachment* attachment );

/// Activates or deactivates an attachment, at no cost. Activation restarts the assembly.
SUP_API void supAttachment_SetActive( supAttachment* attachment, bool active );

/// Returns whether the attachment is active and not broken.
SUP_API bool supAttachment_IsActive( const supAttachment* attachment );

/// Returns whether the attachment broke because its force exceeded breakingForce. Activating it again repairs it.
SUP_API bool supAttachment_IsBroken( const supAttachment* attachment );

/// Moves a world place; it travels there during the next step. Returns false with an error, and changes nothing, if the
/// place does not exist, is not a world place, or the position is not finite.
SUP_API bool supAttachment_SetPlace( supAttachment* attachment, int32_t place, supVec3 position, supError* error );

/// Returns the distance in metres of the drawn places from where the attachment wants them after the last step. Join:
/// the largest distance between places, minus the slack. Slide, line, triangle: distance from the surface, line or
/// triangle. Velocity: distance from where the velocity leads. 0 while inactive; while assembling, what remains to
/// close.
SUP_API float supAttachment_Gap( const supAttachment* attachment );

/// Returns the force on the first place in the last substep, in newtons.
SUP_API supVec3 supAttachment_Force( const supAttachment* attachment );

/// Never NULL.
SUP_API const char* supAttachment_Name( const supAttachment* attachment );

// ---------------------------------------------------------------------------------------------------------------------
// Colliders and contact. Contact costs nothing in a scene without colliders whose actors do not touch each other or
// themselves.

/// Adds a collider. Returns NULL with an error if a size, mass, transform, velocity or shape is invalid (see
/// supShapeKind), or if out of memory. It lives until it is removed or the scene is destroyed.
/// - def comes from supDefaultColliderDef
SUP_API supCollider* supScene_AddCollider( supScene* scene, const supColliderDef* def, supError* error );

/// Removes a collider and wakes whatever rested on it.
/// - the collider is in this scene
SUP_API void supScene_RemoveCollider( supScene* scene, supCollider* collider );

/// Enumerate the colliders in the order they were added.
SUP_API int32_t supScene_ColliderCount( const supScene* scene );
SUP_API supCollider* supScene_Collider( const supScene* scene, int32_t index );

/// Never NULL.
SUP_API const char* supCollider_Name( const supCollider* collider );

/// Return the transform after the last step.
SUP_API supVec3 supCollider_Position( const supCollider* collider );
SUP_API supQuat supCollider_Rotation( const supCollider* collider );

/// Return the velocity of the centre of mass in m/s and the angular velocity in rad/s.
SUP_API supVec3 supCollider_Velocity( const supCollider* collider );
SUP_API supVec3 supCollider_Spin( const supCollider* collider );

/// Sets the transform. A kinematic collider travels there during the next step, or jumps if it is more than 100 m away;
/// others jump. Returns false, and changes nothing, if a value is not finite or the rotation is zero.
SUP_API bool supCollider_SetTransform( supCollider* collider, supVec3 position, supQuat rotation );

/// Sets the transform at once, without sweeping. Flesh in its way comes out at recoverySpeed.
SUP_API bool supCollider_Place( supCollider* collider, supVec3 position, supQuat rotation );

/// Sets the velocity of a dynamic collider. Returns false, and changes nothing, if a value is not finite, if the speed
/// exceeds 1000 m/s, or if the collider is not dynamic.
SUP_API bool supCollider_SetVelocity( supCollider* collider, supVec3 velocity, supVec3 spin );

/// Returns whether a dynamic collider is at rest and skipped by steps until something touches or moves it.
SUP_API bool supCollider_IsAsleep( const supCollider* collider );

/// Save and restore the collider's state; after a restore, later steps are the same bit for bit.
/// - supCollider_SetState: the state came from supCollider_GetState
SUP_API supColliderState supCollider_GetState( const supCollider* collider );
SUP_API void supCollider_SetState( supCollider* collider, const supColliderState* state );

/// Returns the mass in kg; 0 if the collider is not dynamic.
SUP_API float supCollider_Mass( const supCollider* collider );

/// Returns the contact settings of an actor.
SUP_API supContactSettings supActor_GetContact( const supActor* actor );

/// Sets the contact settings of an actor. Returns false with an error if out of memory.
/// - friction, restitution and thickness are finite and >= 0
SUP_API bool supActor_SetContact( supActor* actor, const supContactSettings* settings, supError* error );

/// One contact of a vertex, or of a point of a rigid body.
typedef struct supContact
{
	supVec3 place;
	/// Unit normal, from the touched body towards the other: the vertex, or the collider.
	supVec3 normal;
	/// Penetration in metres; negative if apart.
	float depth;
	/// Normal force in newtons over the last substep, and friction force on the touching body.
	float force;
	supVec3 friction;
	/// The touching body: a vertex of an actor's instance, or a collider (actor is NULL).
	supActor* actor;
	int32_t instance;
	int32_t vertex;
	supCollider* collider;
	/// The touched body: one of the two is NULL.
	supActor* otherActor;
	supCollider* otherCollider;
} supContact;

/// Returns the contacts of the last substep, in a deterministic order. Valid until the next step, or until something is
/// added or removed.
SUP_API const supContact* supScene_Contacts( const supScene* scene, int32_t* count );

/// Writes the contact pressure in Pa at each vertex of an instance in the last substep: normal forces over the area
/// around the vertex, on both sides of a contact between actors; 0 where nothing presses. Returns false only when out
/// of memory. Call it before anything is added or removed.
/// - instance is one of the character's; pressures has room for its vertices
SUP_API bool supActor_GetPressures( const supActor* actor, int32_t instance, float* pressures );
