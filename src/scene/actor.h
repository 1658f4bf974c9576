// SPDX-License-Identifier: MIT
// Actors, as the scene sees them.
#pragma once

#include "method/method.h"
#include "supple/scene.h"

typedef struct supActorSurface
{
	int32_t vertexCount;
	supVec3* positions;
	supVec3* normals;
} supActorSurface;

// A clip that plays; clip is NULL where none does.
typedef struct supTrack
{
	const supClip* clip;
	float speed;
	bool loop;
} supTrack;

// Whether an actor is deep inside of another, or of itself. Where it was not it does not become so but through bones.
// One that has come out is squashed, and soft flesh may slip back: it is looked at again where a contact is too deep, a
// few times.
typedef enum supOverlap
{
	sup_overlapUnknown,
	sup_overlapNone,
	sup_overlapDeep,
	sup_overlapLeft,
} supOverlap;

// A ball at rest in which the skin is not pressed out of anything any more: bones have no room for it there.
typedef struct supNoRoom
{
	supVec3 place;
	float radius;
} supNoRoom;

#define SUP_MAX_NO_ROOM 4

// What of an actor changes from step to step beside its pose and the method's block: part of its saved state.
typedef struct supActorClock
{
	// seconds since something moved it
	float stillTime;
	// seconds of the clip that plays, and of the one that it takes over from
	float time;
	float fromTime;
	// seconds of the fade that have passed
	float faded;
	// is it deep in another actor, or in itself? How often it was looked at again
	supOverlap overlap;
	int32_t slips;
	// metres that it had to go out of that when it was first looked at, how many times as long as at rest its skin was
	// then where it was stretched most, and seconds that its skin has pressed on skin between bones that were still
	// (contact_settle.c)
	float deepWay;
	float deepStretch;
	float pressedTime;
	// what has not come out, for how long its skin was about to tear on the way, in seconds, and where
	int32_t stuckCount; // vertices that were inside when they were last counted
	float tornTime;
	int32_t isTorn; // a push on the way out was undone since that was last looked at (contact_tear.c)
	float boneWay;  // that bones have gone since then, in metres
	int32_t noRoomCount;
	supNoRoom noRoom[SUP_MAX_NO_ROOM];

	// detail.c
	int32_t hasOffsets; // the saved state has them
	int32_t parity;     // actors that are reduced at the same time take turns
	supDetail chosen;   // by the viewer
	float away;         // 0: flesh is shown, 1: it is not, between: it fades
	int32_t isSkinned;  // and there is none
	int32_t isPosed;    // nor a surface that follows
	supVec3 drawnAt;    // where the joints were when it was last drawn
	int32_t carries;    // offsets are those of the last step
	int32_t extra;      // another step before the first pause
	float pending;      // seconds that flesh is behind

	// jump.c
	supVec3 boneVelocity; // of the fastest joint in the last step, sizes a second

	// inertia.c
	int32_t inertiaAge; // 0: the pose is unknown, 1: its speed is, 2: both are known

	// guard.c
	int32_t isGuarded; // weights of the last frame are not all zero

	// additive.c
	int32_t hasMoved; // or was pulled, since it was reset
} supActorClock;

// guard.c; mesh is NULL where nothing is guarded
typedef struct supActorGuard
{
	struct supGuardMesh* mesh;
	float* weights; // of each place of the mesh
	supGuardReport report;
} supActorGuard;

// Centre and mean distance from it of the skin that a node carries, in the node's space.
typedef struct supCarriedBall
{
	supVec3 center;
	float radius;
} supCarriedBall;

// inertia.c: of each node; NULL where there is no flesh
typedef struct supActorInertia
{
	supMat34* worlds;        // at the end of the last substep
	supMat34* speeds;        // how fast they change, smoothed
	supMat34* accelerations; // how fast speeds change, smoothed
	float* peaks;            // of the acceleration of the skin, sizes/s²
	supCarriedBall* skins;
} supActorInertia;

// The drawn point is held by an attachment, the flesh around it comes along by the method's own pull.
typedef struct supDrag
{
	bool active;
	// from where the flesh carries the place to where it is seen
	supVec3 slip;
	// NULL until the first of its kind
	supGrab* grab;
	// NULL where the point hangs on bones alone
	supAttachment* hold;
	// where the point is held, on its way to the target
	supVec3 target;
	supVec3 goal;
	supVec3 speed;
} supDrag;

struct supActor
{
	supScene* scene;
	const supFlesh* flesh;
	supPose* pose;     // to be reached
	supPose* previous; // reached by the last step
	supPose* between;  // of a substep that ends within the step
	supPose* stepPose; // of the substep at hand: one of the above
	const supSubstep* step;

	// attachment_coupling.c: places of it that attachments hold and that are solved together; room for heldCapacity,
	// and for how far a force on each moves each
	int32_t heldCount;
	int32_t heldCapacity;
	int32_t reservedCount;
	struct supHeldPlace** held;
	supMat3* couplings;
	// attachment_ties.c; NULL: it has none
	struct supActorTies* ties;
	supActor* nextTied;
	// supMethod.createSystem, for the ties as they are; isSystemStale: they have changed
	void* system;
	bool isSystemStale;
	struct supSharedWork* shared; // NULL where the method has none
	void* state;
	size_t stateSize;
	size_t savedSize; // of it
	int32_t surfaceCount;
	supActorSurface* surfaces;
	struct supRestShape* rest; // as measured in the rest pose; see measure.c
	float size;                // diagonal of the surface's bounds at rest, m

	float* parameters;
	supRegionTuning* regions;
	float* jointStrengths; // of each node
	supTrouble trouble;    // of this step
	supStageTimes* stages; // for benchmarks; NULL
	supActorClock clock;

	// playback.c
	supTrack track;
	supTrack from;     // what the track takes over from while it fades in
	supPose* fromPose; // where from.clip is NULL
	supPose* mixed;    // scratch
	float fade;        // seconds, 0: no fade under way
	bool isPlaced;     // elsewhere than where the clips have it
	supVec3 position;
	supQuat rotation;

	// stream.c; NULL where none is open
	struct supStream* stream;

	// drag.c
	supDrag drags[SUP_MAX_PULLS];
	supPull pulls[SUP_MAX_PULLS]; // of drags[i] where that is active
	supPull activePulls[SUP_MAX_PULLS];
	int32_t activePullCount;

	// detail.c
	supDetail detail;           // the most it gets
	struct supOffsets* offsets; // of each instance; NULL where it always was full
	bool isHeld;                // by an attachment, in the step at hand
	bool steps;                 // flesh moves in the step at hand, by `span` seconds
	bool isDirect;              // the surface is the flesh's own
	bool isBlended;             // after a pause: half of what was carried
	float span;

	// contact.c; NULL where the scene has nothing to touch
	supContactSettings contactSettings;
	struct supActorContact* contact;

	supActorInertia inertia;
	supActorGuard guard;
	struct supAdditive* additive; // additive.c; NULL where flesh is drawn as it is

	// device_crowd.c; NULL where it has no place on a device
	struct supFleshCrowd* crowd;
	int32_t slot;
	bool usesDevice; // in the step at hand
	bool isOnDevice;
	bool isStale;
	bool arePositionsStale; // of the surface
	bool areNormalsStale;
};

// supMethod.createShared, of all actors of a flesh in a scene.
typedef struct supSharedWork
{
	int32_t userCount;
	void* own;
} supSharedWork;

// - sibling: another actor of the same flesh in the same scene, or NULL
supActor* supCreateActor( supScene* scene, const supFlesh* flesh, const supActor* sibling, supError* error );
void supDestroyActor( supActor* actor );

// drag.c: before a step, all points that are held go on towards their targets.
void supActor_AdvanceDrags( supActor* actor, float dt );

// With the actor, and before a step where its ties have changed: memory for the linear system that they make. False
// where out of memory: it goes on without.
bool supActor_RefreshSystem( supActor* actor, int32_t workerCount );

// Before the substeps of a step: the pose to be reached, whether it sleeps, what pulls, whether its flesh moves.
// - touches: contact wants it in full
void supActor_Begin( supActor* actor, float dt, bool maySleep, bool touches, const supTasks* tasks );

// After them: the pose is reached, and the surface drawn.
// - worker: whose scratch space it may use
void supActor_End( supActor* actor, float dt, const supTasks* tasks, int32_t worker );

// Fills all but tasks, gravity and wind.
// - weight: how far along the step the substep ends
void supActor_PrepareSubstep( supActor* actor, float weight, supSubstep* step );

void supActor_WakeUp( supActor* actor );

// detail.c: makes room. False where out of memory.
bool supActor_CreateOffsets( supActor* actor );
void supActor_DestroyOffsets( supActor* actor );

// detail.c: where the level changes what is seen it wakes up.
supDetail supActor_ChooseDetail( supActor* actor, bool touches );

// detail.c: does flesh move in this step?
void supActor_TakeTurn( supActor* actor, supDetail detail, float dt, const supTasks* tasks );

// detail.c: as if it had been at its level for ever.
void supActor_ResetDetail( supActor* actor );

// detail.c: flesh for whoever takes hold of it.
void supActor_RaiseFlesh( supActor* actor, const supTasks* tasks );

// detail.c: the surface where it is not the flesh's own.
void supActor_DrawDetail( supActor* actor, const supTasks* tasks, int32_t worker );

// detail.c: the surface is drawn for the pose.
void supActor_RememberPlace( supActor* actor );

// detail.c: part of the state. Nothing where there are no offsets.
size_t supActor_OffsetsSize( const supActor* actor );
void supActor_SaveOffsets( const supActor* actor, uint8_t* bytes );
void supActor_RestoreOffsets( supActor* actor, const uint8_t* bytes );

// jump.c: has the skeleton jumped from the last pose to this one, within dt seconds? In no time at all any long way is
// a jump.
bool supActor_HasJumped( supActor* actor, float dt );

// playback.c: moves on by dt and writes the pose, where a clip plays.
void supActor_AdvancePlayback( supActor* actor, float dt );

// stream.c: moves on by dt and writes the pose, where a stream is open.
void supActor_AdvanceStream( supActor* actor, float dt );

// attachment_coupling.c: room for one more held place. False if out of memory.
bool supActor_ReserveHeld( supActor* actor );
void supActor_DestroyHeld( supActor* actor );

// measure.c: takes the present surface as the shape at rest, or that of a sibling, another actor of the same flesh.
// False where out of memory.
bool supActor_RememberRest( supActor* actor, const supActor* sibling );
// The method's state in that shape: all actors of a flesh start from the same, and some methods take steps to find it.
const void* supActor_RestState( const supActor* actor );
void supActor_ForgetRest( supActor* actor );

// contact.c: how deep it was in something after the last step; 0 without contact.
float supActor_Penetration( const supActor* actor );

// NULL where nothing can touch.
const struct supContactWorld* supScene_ContactWorld( const supScene* scene );

const supTasks* supScene_Tasks( const supScene* scene );
supVec3 supScene_Origin( const supScene* scene );

// Scratch space of one worker, so many bytes of it at least, 64-byte aligned. False where out of memory.
bool supScene_ReserveScratch( supScene* scene, size_t size );
void* supScene_Scratch( const supScene* scene, int32_t worker );

// As the definition has it.
bool supScene_HasGuard( const supScene* scene );

// NULL where there is none.
const supViewer* supScene_Viewer( const supScene* scene );

// device_crowd.c: what the scene has on a device.
struct supSceneCrowds* supScene_Crowds( supScene* scene );
const struct supSceneCrowds* supScene_ReadCrowds( const supScene* scene );
