// SPDX-License-Identifier: MIT
/// @file scene.h
/// The only mutable thing: actors in a scene, moved forward in time.
///
///     poses in -> supScene_Step( scene, dt ) -> positions and normals out
///
/// After warm-up a step allocates nothing, and its result does not depend on the number of threads.
#pragma once

#include "supple/base.h"
#include "supple/contact.h"
#include "supple/device.h"
#include "supple/flesh.h"

typedef struct supScene supScene;
typedef struct supActor supActor;

/// How surfaces of actors that touch each other are compared.
typedef enum supDetection
{
	/// Every vertex against the triangles near it.
	sup_detectExact,
	/// Vertices against small depth maps of the other actor, and exactly where a map is not certain: the method of
	/// Galoppo et al. 2007, for comparison. Contact of an actor with itself stays exact.
	sup_detectImages,
} supDetection;

typedef struct supSceneDef
{
	/// Steps that each call of supScene_Step is cut into, at least 1; poses are interpolated between. Default 1.
	int32_t substeps;
	/// m/s^2. Default (0, -9.81, 0). Methods take the rest pose to be in balance with it: flesh sags only when it is
	/// turned, unless their parameters say otherwise.
	supVec3 gravity;
	/// Velocity of the air, m/s. Default 0.
	supVec3 wind;
	/// Most rounds in which attachments are solved: one is enough but where leashes, forces that are spread
	/// (supPlace.radius) or skin at the limit of its stretch are involved. Default 4.
	int32_t attachmentSweeps;
	/// Actors that have come to rest are not computed until something moves them. Default true.
	bool sleeping;
	/// Blend the drawn skin toward linear blend skinning where flesh stretches or squeezes it far more than skinning
	/// does (see supActor_Guard). Default true.
	bool guard;
	/// How often a solve stops to look at what it touches, at least 1. Default 4.
	int32_t contactPasses;
	/// Contacts that share flesh are met one after the other, so many times over at each stop. Default 4.
	int32_t contactSweeps;
	/// m/s at which flesh that starts inside of something comes out. Default 1.
	float recoverySpeed;
	/// Default sup_detectExact.
	supDetection detection;
	/// The place in the world, m, about which the scene computes. Default 0. Floats are 0.06 mm apart a kilometre from
	/// 0 and 1 mm ten kilometres from it, and flesh trembles by more than that: in a large world put the origin near
	/// the actors (supChooseOrigin). Poses stay in world space; everything else that goes into the scene or comes out
	/// of it (surfaces, colliders, attachments, rays, contacts, supPose_Worlds of an actor's pose) is relative to the
	/// origin.
	supVec3 origin;
	/// NULL (default): everything on the calling thread. Must outlive the scene.
	const supTasks* tasks;
	/// Actors of `position` are computed there while nothing drags, holds or can touch them; the others, and those of
	/// other methods, on the CPU. Results have the same bits either way. NULL (default): none. Must outlive the scene.
	supDevice* device;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supSceneDef;

/// Every field as its comment says.
SUP_API supSceneDef supDefaultSceneDef( void );

/// An origin for a scene whose actors stand near the joints of this pose: 0 where these are near 0 themselves (less
/// than 16 times as far away as apart), else a place next to them. Coordinates relative to it are exact.
SUP_API supVec3 supChooseOrigin( supPose* pose );

/// How many substeps bring a step of `dt` seconds to 1/60 s or less, 1 .. 1000. Implicit methods lose swing in longer
/// steps, so that the same flesh would look stiffer at a lower frame rate.
SUP_API int32_t supChooseSubsteps( float dt );

/// - def comes from supDefaultSceneDef; error may be NULL
SUP_API supScene* supCreateScene( const supSceneDef* def, supError* error );

/// Destroys the actors too. NULL is fine.
SUP_API void supDestroyScene( supScene* scene );

/// Moves everything forward by `dt` seconds: every actor goes from the pose that it was in to the pose that it was
/// given.
/// - dt is finite and not negative; 0 moves nothing but brings surfaces up to date
SUP_API void supScene_Step( supScene* scene, float dt );

/// Both wake everybody up.
/// - finite
SUP_API void supScene_SetGravity( supScene* scene, supVec3 gravity );
SUP_API void supScene_SetWind( supScene* scene, supVec3 wind );

/// Milliseconds since the scene was created, over all actors.
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
	/// How many of them, asleep or not, had flesh every second step, how many none, and how many only a pose.
	int32_t reduced;
	int32_t skinned;
	int32_t posed;
	supPhaseTimes milliseconds;
	supContactStats contact;
	/// Since the scene was created.
	supTrouble trouble;
} supSceneStats;

/// What has happened so far, and how long it took.
SUP_API supSceneStats supScene_GetStats( const supScene* scene );

// ---------------------------------------------------------------------------------------------------------------------
// Actors

/// At rest, in the character's rest pose. The flesh must outlive the actor. NULL only when out of memory.
SUP_API supActor* supScene_AddActor( supScene* scene, const supFlesh* flesh, supError* error );

/// With its drags and its attachments.
/// - the actor is in this scene
SUP_API void supScene_RemoveActor( supScene* scene, supActor* actor );

/// What it was added with.
SUP_API const supFlesh* supActor_Flesh( const supActor* actor );

/// The pose to be reached by the end of the next step: write into it.
SUP_API supPose* supActor_Pose( supActor* actor );

/// Puts the actor into its pose at rest, as if it had been there for ever: the start of a shot, or a teleport.
SUP_API void supActor_Reset( supActor* actor );

/// At rest, and skipped by steps until its pose, a parameter, gravity, wind or a drag changes.
SUP_API bool supActor_IsAsleep( const supActor* actor );

/// Changes a number while it runs.
/// - a parameter of the actor's method that is live; the value is in its range
SUP_API void supActor_SetParameter( supActor* actor, int32_t parameter, float value );
/// As it was set, or as the flesh has it.
/// - a parameter of the actor's method
SUP_API float supActor_GetParameter( const supActor* actor, int32_t parameter );

/// How a soft region swings: Hz, and a damping ratio; 0 leaves it to the parameters.
/// - the region is one of the flesh's; neither is negative
SUP_API void supActor_SetRegion( supActor* actor, int32_t region, float frequency, float damping );

/// How firmly the joint above a node follows the clip, times what the method's parameters and the flesh say; 1 at the
/// beginning. With `below` all joints below it as well: an arm, a leg. Methods without joints take no notice.
/// - the node is one of the character's; strength is finite and not negative
SUP_API void supActor_SetJointStrength( supActor* actor, int32_t node, bool below, float strength );

/// Reads the force and torque in the joint above a node, as of the last substep. Returns false, and sets both to 0,
/// where the method does not simulate a joint there; only layered has joints.
/// - the node is one of the character's
SUP_API bool supActor_GetJointLoad( const supActor* actor, int32_t node, supJointLoad* load );

/// World positions and unit normals of one instance of the character, as of the last step or reset; vertexCount of its
/// mesh. Valid until the actor is removed; the values change with each step.
SUP_API const supVec3* supActor_Positions( const supActor* actor, int32_t instance );
SUP_API const supVec3* supActor_Normals( const supActor* actor, int32_t instance );

/// Everything that a later step depends on, as plain bytes: save, restore, and go on bit for bit the same.
/// The bytes belong to this flesh and this version of the library. What comes from outside is not among them: clips
/// that play and the place for them, parameters, regions, strengths of joints, drags, levels of detail and the viewer.
/// An actor that was ever given less than full detail, or was in a scene with a viewer, has more of them.
/// - restore: where the bytes come from such an actor the actor is one, too
SUP_API size_t supActor_StateSize( const supActor* actor );
SUP_API void supActor_SaveState( const supActor* actor, void* bytes );
SUP_API void supActor_RestoreState( supActor* actor, const void* bytes );

/// How far the surface is from its shape at rest.
SUP_API supSurfaceMeasure supActor_Measure( supActor* actor );

/// What the guard did to the surface in the last step (supSceneDef.guard). Where flesh stretches an edge of the skin by
/// more than three quarters of what it is at rest and under linear blend skinning, or by more than 2.5 % of the
/// character's size, or squeezes it to half, the surface is blended toward skinning. The blend fades out over the skin
/// around the place and within 0.2 s. Distances from skinning are limited smoothly to three quarters of the distance
/// from skin to bone and 2 % of the size. Shells that lie on another one (clothes, straps, plates) are moved along with
/// the flesh beneath. Skin near contacts, and actors that are dragged, attached or let go of
/// by their clip, are left as they are.
typedef struct supGuardReport
{
	/// Vertices blended more than halfway.
	int32_t vertices;
	/// The vertex that is blended most, and how far: 0 not at all .. 1 all the way.
	int32_t instance;
	int32_t vertex;
	float weight;
} supGuardReport;

/// All zero where nothing was blended.
SUP_API supGuardReport supActor_Guard( const supActor* actor );

// ---------------------------------------------------------------------------------------------------------------------
// Crowds on a device (supSceneDef.device). The first supActor_Positions or supActor_Normals after a step reads back the
// surfaces of all actors that share the flesh. An actor moves to the CPU and back by itself: its state is copied.

typedef struct supDeviceStats
{
	/// Actors that the last step computed on the device.
	int32_t actors;
	/// The device has failed; everything runs on the CPU (supScene_GetDeviceError).
	bool isLost;
	/// Milliseconds on the device since the scene was created.
	double predict;
	double solve;
	double finish;
	double surface;
} supDeviceStats;

SUP_API supDeviceStats supScene_GetDeviceStats( const supScene* scene );

/// The first thing that went wrong with the device; NULL where nothing did. The scene goes on on the CPU from the state
/// of the last step. Where not even that could be read, flesh starts at rest in the pose of the last step.
SUP_API const supError* supScene_GetDeviceError( const supScene* scene );

/// Bytes that the flesh, and each of its actors, take on a device. False where its method has no device code, or out of
/// memory.
SUP_API bool supFlesh_GetDeviceMemory( const supFlesh* flesh, int64_t* fleshBytes, int64_t* actorBytes );

/// Where the surface of an instance lies on the device, for a renderer on the same device.
typedef struct supDeviceBuffer
{
	/// cl_mem, and the in-order cl_command_queue that the step was put into: the step has ended when supScene_Step
	/// returns.
	void* memory;
	void* queue;
	/// Bytes from the start of the buffer to the first position and the first normal, and between two of them.
	int64_t positions;
	int64_t normals;
	int64_t stride;
	int32_t vertexCount;
} supDeviceBuffer;

/// False where the last step of the actor ran on the CPU. The guard (supSceneDef.guard) changes the surface on the CPU
/// only. Valid until the next step, or until an actor is added or removed.
/// - an instance of the character
SUP_API bool supActor_GetDeviceBuffer( const supActor* actor, int32_t instance, supDeviceBuffer* buffer );

// ---------------------------------------------------------------------------------------------------------------------
// Level of detail, for crowds. Nothing pops: flesh that comes or goes is faded over half a second.

typedef enum supDetail
{
	/// Flesh in every step.
	sup_detailFull,
	/// Flesh every second step, over the time of both; between them the surface is skinned in every step and what the
	/// flesh adds to it is carried along and blended, which shows it one step late.
	sup_detailReduced,
	/// No flesh: the surface is skinned with dual quaternions. When flesh comes back it starts at rest.
	sup_detailSkinned,
	/// No surface either: it is left as it was. For those out of sight, and those far away that the engine skins by
	/// itself: supActor_Pose has the pose, supPose_Palette the matrices.
	sup_detailPosed,
} supDetail;

/// The most detail that the actor gets; full at the beginning. A viewer may give less. An actor that is dragged, held
/// by an attachment or in a scene where something can touch is computed in full all the same, and methods without flesh
/// take no notice. False only when out of memory: nothing has changed then.
SUP_API bool supActor_SetDetail( supActor* actor, supDetail detail, supError* error );

/// Additive flesh leaves poses as they are and adds only what motion causes: a pose that is held is drawn by linear
/// blend skinning, to within 1/e each half second after the motion ends, and to the bit after supActor_Reset. Not for
/// contact, whose dents fade as well. Resets the actor where it changes something; does nothing for methods without
/// flesh. Default false. False with an error where out of memory.
SUP_API bool supActor_SetAdditive( supActor* actor, bool additive, supError* error );

/// Of the last step: reduced also while flesh comes or goes.
SUP_API supDetail supActor_GetDetail( const supActor* actor );

typedef struct supViewer
{
	supVec3 position;
	/// Metres: farther away than this flesh is reduced, and farther than that there is none. It comes back a tenth
	/// nearer than it went.
	float fullDistance;
	float reducedDistance;
	/// Metres: farther away than this only the pose moves. 0: all have a surface.
	float skinnedDistance;
} supViewer;

/// Gives every actor a level of detail by its distance, from the next step on. NULL: no longer. Copied. False only when
/// out of memory (the first time, which makes room for all actors): nothing has changed then.
/// - position is finite; 0 <= fullDistance <= reducedDistance <= skinnedDistance, or that is 0
SUP_API bool supScene_SetViewer( supScene* scene, const supViewer* viewer, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Where poses come from. An actor that plays nothing takes what its caller writes into supActor_Pose.

typedef struct supPlayDef
{
	/// Of the character, or retargeted to it. Must outlive the playing.
	const supClip* clip;
	/// Seconds of the clip where it starts. Default: where the clip does.
	float time;
	/// Default 1; negative plays backwards.
	float speed;
	/// Default true: after its end it begins again. Otherwise its last moment is held.
	bool loop;
	/// Seconds over which what played before gives way. Default 0.
	float fade;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supPlayDef;

/// - the clip is not NULL
SUP_API supPlayDef supDefaultPlayDef( const supClip* clip );

/// From the next step on each step sets the pose, at the time of its end.
/// - def comes from supDefaultPlayDef
SUP_API void supActor_Play( supActor* actor, const supPlayDef* def );

/// Where in the world clips that play have the character, from the next step on: its root nodes are turned about the
/// origin, then moved. At the beginning clips have it where they were made. Flesh feels a new place as motion: after a
/// jump call supActor_Reset once a step (of 0 seconds, say) has set the pose. Poses that are written or pushed are
/// taken as they are.
/// - position is finite, rotation a unit quaternion
SUP_API void supActor_SetPlace( supActor* actor, supVec3 position, supQuat rotation );

/// The pose stays as it is; the caller may write it again.
SUP_API void supActor_Stop( supActor* actor );

/// Seconds of the clip that plays; 0 where none does.
SUP_API float supActor_PlayTime( const supActor* actor );

// Live poses, from a tracker or over a network: late, noisy, at an irregular rate, with gaps.

typedef struct supStreamDef
{
	/// Seconds that the actor stays behind the newest pose. More bridges larger gaps without guessing, at the price of
	/// that much delay. Default 0.05.
	float delay;
	/// Where nothing has come: seconds for which the last motion is carried on, ever slower. Then it holds. Default
	/// 0.1.
	float prediction;
	/// Seconds over which noise is evened out; 0 (default) takes poses as they come.
	float smoothing;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supStreamDef;

/// Every field as its comment says.
SUP_API supStreamDef supDefaultStreamDef( void );

/// From the next step on poses come from supActor_PushPose. Ends what plays. False only when out of memory.
/// - def comes from supDefaultStreamDef
SUP_API bool supActor_OpenStream( supActor* actor, const supStreamDef* def, supError* error );

/// The pose stays as it is. Fine where no stream is open.
SUP_API void supActor_CloseStream( supActor* actor );

/// A pose, and when it was: seconds on the sender's clock, which need not be ours and may run a little faster or
/// slower. Copied. May come out of order. A stamp more than a second away from what came last starts the stream anew.
/// Returns false where it was dropped: not finite, too old, or twice.
/// - a stream is open, and no step is running
SUP_API bool supActor_PushPose( supActor* actor, const supPose* pose, double time );

typedef struct supStreamStats
{
	int64_t received;
	/// Not finite, too old to be of use, or a stamp that had come already.
	int64_t dropped;
	/// Came out of order but in time.
	int64_t reordered;
	/// The stamps jumped.
	int64_t restarts;
	/// Steps that had to guess, and steps that had nothing left to guess from.
	int64_t predictedSteps;
	int64_t heldSteps;
} supStreamStats;

/// - a stream is open
SUP_API supStreamStats supActor_GetStreamStats( const supActor* actor );

// ---------------------------------------------------------------------------------------------------------------------
// Dragging: take hold of the flesh and pull.

/// What the ray meets first, of this actor's surface as it is now. `distance` (may be NULL) is in lengths of the
/// direction.
SUP_API bool supActor_CastRay( const supActor* actor, supVec3 origin, supVec3 direction, supSurfacePoint* point,
							   float* distance );

/// The place on the actor's surface, as it is now, that is nearest to a point of the world. False where there is no
/// triangle.
SUP_API bool supActor_FindNearest( const supActor* actor, supVec3 position, supSurfacePoint* point );

/// Where a place on the surface is now.
SUP_API supVec3 supActor_PointPosition( const supActor* actor, const supSurfacePoint* point );

typedef struct supDragDef
{
	supSurfacePoint point;
	/// How much is taken hold of, in metres around the point, the less firmly the farther. Default 0.15 of the
	/// character's largest extent.
	float radius;
	/// How fast the point follows its target, and how firmly the flesh around it: swings per second. Default 20.
	float frequency;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supDragDef;

/// Every field as its comment says.
SUP_API supDragDef supDefaultDragDef( const supActor* actor, const supSurfacePoint* point );

/// An actor can be dragged at 16 places at once.
typedef int32_t supDragId;

/// Takes hold where the point is now. -1 where the method has no flesh, where 16 are at it already, or out of memory.
SUP_API supDragId supActor_StartDrag( supActor* actor, const supDragDef* def );

/// Where the point is to go. The drawn point goes there as a critically damped spring of the drag's frequency does, and
/// is then held there like an attachment holds it; one that hangs on bones alone lags as the flesh resists.
/// - a drag that was started and not ended; target is finite
SUP_API void supActor_MoveDrag( supActor* actor, supDragId drag, supVec3 target );

/// Lets go.
/// - a drag that was started and not ended
SUP_API void supActor_EndDrag( supActor* actor, supDragId drag );

// ---------------------------------------------------------------------------------------------------------------------
// Attachments: places that are held together, exactly, whatever methods move them. Two-way where both can move.

typedef enum supAttachmentKind
{
	/// All places become one: where the first is that cannot be moved (world, bone, skinned surface), else in the
	/// middle, weighted by what they weigh.
	sup_attachmentJoin,
	/// The first place slides on the surface of the second place's actor.
	sup_attachmentSlide,
	/// The first place moves with a given velocity.
	sup_attachmentVelocity,
	/// The first place stays on the line between the second and the third, and slides along it.
	sup_attachmentLine,
	/// The first place stays on the triangle of the three that follow, and slides on it.
	sup_attachmentTriangle,
} supAttachmentKind;

typedef enum supPlaceKind
{
	/// A fixed point of the world; it may be moved (supAttachment_SetPlace).
	sup_placeWorld,
	/// On a node (a bone) of an actor, in the node's own space.
	sup_placeNode,
	/// On the surface of an actor.
	sup_placeSurface,
	/// Inside an actor: between two places of its surface, see supActor_FindInside.
	sup_placeInside,
} supPlaceKind;

typedef struct supPlace
{
	supPlaceKind kind;
	/// NULL for the world.
	supActor* actor;
	/// World: metres. Node: in its space.
	supVec3 position;
	int32_t node;
	supSurfacePoint point;
	/// Inside: a place of the surface on the other side, and the share of the way to it from `point`, 0 to 1.
	supSurfacePoint opposite;
	float share;
	/// Surface: metres around the point over which the force is spread; 0 (default): only what carries the point. It is
	/// the drawn point that is held either way.
	float radius;
} supPlace;

/// The place inside an actor, as its surface is now, at a point of the world. It stays at the same share of the way
/// between the surface nearest to it and the surface on the other side, whatever the method. False where the point is
/// outside.
/// - position is finite
SUP_API bool supActor_FindInside( supActor* actor, supVec3 position, supPlace* place );

/// Places of one attachment.
#define SUP_MAX_ATTACHED_PLACES 64

typedef struct supAttachmentDef
{
	/// For messages; copied; may be NULL.
	const char* name;
	supAttachmentKind kind;
	/// Join: 2..64. Slide: 2. Velocity: 1. Line: 3. Triangle: 4.
	int32_t placeCount;
	supPlace places[SUP_MAX_ATTACHED_PLACES];
	/// Velocity: m/s.
	supVec3 velocity;
	/// Metres that a joined place may be away from the others before it is held: the length of a leash. Default 0.
	float slack;
	/// Seconds over which the gap closes once it is active. Default 0: at once.
	float assembly;
	/// Newtons, > 0: an attachment that has to pull harder than this lets go for good after the step
	/// (supAttachment_IsBroken). Default INFINITY: it never does.
	float breakingForce;
	/// Default true.
	bool active;
	/// Used internally to detect an uninitialised definition; DO NOT SET.
	int32_t cookie;
} supAttachmentDef;

/// Every field as its comment says, without places.
SUP_API supAttachmentDef supDefaultAttachmentDef( void );

typedef struct supAttachment supAttachment;

/// NULL with an error where a place does not exist or is of another scene, where a place comes twice, where all of them
/// are in the world, on bones or on surfaces without flesh, or out of memory. Skin that hangs nearly all on bones (less
/// than a tenth on flesh that can move) goes with them: it is accepted with a warning, and its gap says how far it is
/// off. An attachment ends with the scene or with the first of its actors that is removed; the log names those.
/// - def comes from supDefaultAttachmentDef
SUP_API supAttachment* supScene_Attach( supScene* scene, const supAttachmentDef* def, supError* error );

/// - the attachment is of this scene and has not ended
SUP_API void supScene_Detach( supScene* scene, supAttachment* attachment );

/// At no cost while it runs; the assembly begins again.
SUP_API void supAttachment_SetActive( supAttachment* attachment, bool active );

/// As it was set, and not broken.
SUP_API bool supAttachment_IsActive( const supAttachment* attachment );

/// It had to pull harder than its breaking force, and is no longer active. Making it active again mends it.
SUP_API bool supAttachment_IsBroken( const supAttachment* attachment );

/// Moves a place of the world; it goes there over the next step. False with an error, and the place stays where it is,
/// where there is no such place, where it is not one of the world, or where the position is not finite.
SUP_API bool supAttachment_SetPlace( supAttachment* attachment, int32_t place, supVec3 position, supError* error );

/// How far its places, as they are drawn after the last step, are from where it wants them: the largest distance
/// between places that are joined, less the slack; from the place that is slid to, the line or the triangle; velocity:
/// from where the velocity has led. 0 where inactive. While it assembles: what is left to close.
SUP_API float supAttachment_Gap( const supAttachment* attachment );

/// Of the last substep, on the first place, in newtons.
SUP_API supVec3 supAttachment_Force( const supAttachment* attachment );

/// Never NULL.
SUP_API const char* supAttachment_Name( const supAttachment* attachment );

// ---------------------------------------------------------------------------------------------------------------------
// Colliders and contact. A scene without colliders, and without actors that touch each other or themselves, does as if
// there were no contact at all.

/// NULL with an error where a size, mass, place or speed is not usable, where the shape is (see supShapeKind), or out
/// of memory. It ends with the scene.
/// - def comes from supDefaultColliderDef
SUP_API supCollider* supScene_AddCollider( supScene* scene, const supColliderDef* def, supError* error );

/// What lay on it falls.
/// - the collider is in this scene
SUP_API void supScene_RemoveCollider( supScene* scene, supCollider* collider );

/// In the order in which they were added.
SUP_API int32_t supScene_ColliderCount( const supScene* scene );
SUP_API supCollider* supScene_Collider( const supScene* scene, int32_t index );

/// Never NULL.
SUP_API const char* supCollider_Name( const supCollider* collider );

/// Where it is after the last step.
SUP_API supVec3 supCollider_Position( const supCollider* collider );
SUP_API supQuat supCollider_Rotation( const supCollider* collider );

/// Of the point at its centre of mass, m/s, and radians per second.
SUP_API supVec3 supCollider_Velocity( const supCollider* collider );
SUP_API supVec3 supCollider_Spin( const supCollider* collider );

/// Kinematic: where it is to be by the end of the next step; farther than 100 m away it is there at once. Others: there
/// at once. False, and nothing changes, where a number is not finite or the rotation is zero.
SUP_API bool supCollider_SetTransform( supCollider* collider, supVec3 position, supQuat rotation );

/// At once and without a motion: what is in its way comes out at the speed of recovery.
SUP_API bool supCollider_Place( supCollider* collider, supVec3 position, supQuat rotation );

/// False, and nothing changes, where a number is not finite, where it is faster than 1000 m/s, or where it is not
/// dynamic.
SUP_API bool supCollider_SetVelocity( supCollider* collider, supVec3 velocity, supVec3 spin );

/// Of a dynamic one: at rest, and left alone by steps until something touches or moves it.
SUP_API bool supCollider_IsAsleep( const supCollider* collider );

/// Everything that a later step depends on: keep it, put it back, and go on bit for bit the same.
/// - the state came from supCollider_GetState
SUP_API supColliderState supCollider_GetState( const supCollider* collider );
SUP_API void supCollider_SetState( supCollider* collider, const supColliderState* state );

/// kg; 0 where it is not dynamic.
SUP_API float supCollider_Mass( const supCollider* collider );

/// How the actor touches.
SUP_API supContactSettings supActor_GetContact( const supActor* actor );

/// False with an error where out of memory.
/// - friction, restitution and thickness are finite and not negative
SUP_API bool supActor_SetContact( supActor* actor, const supContactSettings* settings, supError* error );

/// One pressed vertex, or one pressed point of a rigid body.
typedef struct supContact
{
	supVec3 place;
	/// Of unit length, from what is pressed towards what presses: the vertex, or the collider.
	supVec3 normal;
	/// Metres inside, negative outside.
	float depth;
	/// Newtons along the normal over the last substep; and friction, on the one that presses.
	float force;
	supVec3 friction;
	/// Who presses: an actor's vertex of an instance, or a collider (actor NULL).
	supActor* actor;
	int32_t instance;
	int32_t vertex;
	supCollider* collider;
	/// What is pressed: one of them is NULL.
	supActor* otherActor;
	supCollider* otherCollider;
} supContact;

/// Of the last substep, always in the same order. Valid until the next step or until something is added or removed.
SUP_API const supContact* supScene_Contacts( const supScene* scene, int32_t* count );
