// SPDX-License-Identifier: MIT
// A method is a table of functions. All methods fill the same one; adding another touches one new folder and one line
// in src/method/list.c (and its name in supple/flesh.h).
//
// Two halves, as everywhere in Supple:
//   flesh   what is built once from a character: immutable, shared by actors, owned by the method
//   state   what changes: one block of plain bytes per actor, laid out by the method, without a single pointer in
//           it, so that copying the block is saving and copying it back is rolling back
//
// A step of the scene, for every actor (several substeps per step):
//   predict   from the pose at the substep's beginning and end to where things would go
//   solve     the method's own constraints, and whoever drags the flesh; where the scene has contacts in several
//             passes, with contacts met after each
//   finish    velocities, numeric repair
// and once after the last substep
//   surface   positions and normals of the render meshes
#pragma once

#include "attach/ties.h"
#include "core/pack.h"
#include "supple/device.h"
#include "supple/flesh.h"

#include <math.h>

// How a soft region swings, as it is set now. 0: as the parameters say.
typedef struct supRegionTuning
{
	float frequency; // Hz
	float damping;   // ratio
} supRegionTuning;

// Default swing of flesh where it is softest, taken alone, in every method. Drawn skin also hangs on firmer flesh, so
// it swings faster and with more damping than this; how much depends on the method and the body.
#define SUP_SOFT_FREQUENCY 2.0f
#define SUP_SOFT_DAMPING 0.15f

// The first parameter of every method with flesh: 0 stone .. 1 jelly.
#define SUP_SOFTNESS_PARAMETER( isLive )                                                                               \
	{                                                                                                                  \
		"softness", "", "overall softness, 0 (stone) to 1 (jelly, which swings four times as far as 0.5)", 0.0f, 1.0f, \
			0.5f, isLive, NULL                                                                                         \
	}

// Of methods whose result depends on the length of a step: the scene makes shorter ones where a scene's own are longer.
#define SUP_RATE_PARAMETER                                                                                             \
	{                                                                                                                  \
		"rate", "Hz", "minimum simulation steps per second, for the whole scene; 0: the scene's substeps", 0.0f,       \
			100000.0f, 0.0f, true, NULL                                                                                \
	}

// Hz of flesh that swings at `frequency` where it is softest: what it swings by (1 / frequency^2) is in proportion to
// its own softness, and to the square of the parameter above. INFINITY: it does not swing.
static inline float supSoftFrequency( float frequency, float softness, float parameter )
{
	float share = 4.0f * parameter * parameter * softness;
	return share > 1e-6f ? frequency / sqrtf( share ) : INFINITY;
}

// As many actors as a vector has lanes.
#define SUP_CROWD 8

#define SUP_MAX_GRAB 512
#define SUP_MAX_PULLS 16

// A piece of flesh that is held, made by supGrabber (grab.h). The place that was grabbed is sum( shares[i] * x[i] );
// what moves it moves particle i by weights[i] of its way, which dies away smoothly towards the border of the piece:
// flesh that is pulled by one point makes a spike.
typedef struct supGrab
{
	int32_t count;
	int32_t particles[SUP_MAX_GRAB];
	float weights[SUP_MAX_GRAB];   // 0 .. 1, the heaviest first
	float shares[SUP_MAX_GRAB];    // of the place; sum 1
	supVec3 offsets[SUP_MAX_GRAB]; // from the place
	supVec3 place;
	// how far the place itself goes with a way of 1; not less than a quarter, so that what hangs mostly on particles
	// that cannot move is pulled less firmly instead of much too far
	float response;
} supGrab;

// A grab that is being dragged: the place is drawn to the target as by a critically damped spring of this frequency,
// whatever its mass.
typedef struct supPull
{
	const supGrab* grab;
	supVec3 target;
	float frequency; // Hz, > 0
} supPull;

// The particles of an actor between solve and finish, for whoever moves them from outside: attachments, contacts.
typedef struct supParticles
{
	int32_t count;
	// 16 bytes each: where they will be after the substep, and an inverse mass (0: not to be moved)
	float* x;
	// kg: the inverse mass of a particle is its fourth number over this
	float massUnit;
	// 16 bytes each, to be moved along by what x moves over the substep's time; NULL where finish takes velocities from
	// positions
	float* v;
} supParticles;

// Where the time of a substep goes, in stages of the method's own.
#define SUP_MAX_STAGES 8

typedef struct supStageTimes
{
	double from; // when the stage at hand began
	double milliseconds[SUP_MAX_STAGES];
} supStageTimes;

typedef struct supSubstep
{
	// The pose at the end of this substep, up to date.
	supPose* pose;
	// Seconds, > 0.
	float dt;
	const supTasks* tasks;
	// Count what had to be repaired.
	supTrouble* trouble;
	// NULL where nobody asks.
	supStageTimes* stages;
	// As many as the method has; live ones may differ from the flesh's.
	const float* parameters;
	// As many as the flesh has regions.
	const supRegionTuning* regions;
	int32_t regionCount;
	// Of each node of the character: what the strength of the joint above it is multiplied with.
	const float* jointStrengths;
	// Of each node, for exaggerated inertia (inertia.h): takes a point in its space to the acceleration that the pose
	// gives it, low-passed, m/s^2, and the recent peak of that at its skin, sizes/s^2. NULL where nobody knows.
	const supMat34* accelerations;
	const float* peaks;
	// m/s^2 and the velocity of the air, m/s.
	supVec3 gravity;
	supVec3 wind;
	int32_t pullCount;
	const supPull* pulls;
	// Solve is called passCount times, and does its part of the work each time: all of it where passCount is 0 or 1. A
	// method that cannot be cut does everything in pass 0. What would move particles after solve is done in the last
	// pass where there are several.
	int32_t pass;
	int32_t passCount;
	// Something holds the actor between solve and finish: what moves particles is done in solve.
	bool isHeld;
	// Another substep follows before anybody asks for the surface: finish need not prepare it.
	bool isBetween;
	// For methods that take them; NULL: none.
	supTies* ties;
	// What createSystem made for these ties; may be NULL.
	void* system;
	// What createShared made; NULL where the method has none.
	void* shared;
	// Finish: 16 bytes a particle, how far each was moved without that being a velocity. NULL: none was, or the
	// method's particles have velocities of their own (supParticles.v).
	const float* shifts;
} supSubstep;

// The part of `count` iterations that this pass does.
static inline int32_t supSubstep_Share( const supSubstep* step, int32_t count )
{
	return step->passCount > 1 ? count * ( step->pass + 1 ) / step->passCount - count * step->pass / step->passCount
							   : count;
}

static inline bool supSubstep_IsLastPass( const supSubstep* step )
{
	return step->pass + 1 >= step->passCount;
}

// The most particles that a vertex hangs on.
#define SUP_MAX_BOUND 32

// A contact of an actor that answers contacts itself.
typedef struct supContactAnswer
{
	int32_t particle;
	// unit length, towards the actor
	supVec3 normal;
	// m, as everything is now; negative: it is in
	float gap;
	// how far the other side goes over the substep
	supVec3 otherWay;
	float friction;
	// the other side is a rigid body, one of the party's, and this is the lever of its pushes; or -1
	int32_t rigid;
	supVec3 lever;
	// how far a push of 1 kg m moves the other side, 1/kg; 0 where that is a rigid body
	float give;
	// how far the pushes so far have moved the other side back
	supVec3 given;
	// out: kg m on the particle over the substep, as if by an impulse times its length
	supVec3 push;
	// Both sides are particles of actors that answer: on one side it says where the other is, which follows and says
	// nothing but its particle.
	bool isPair;
	bool isFollower;
	int32_t otherParty;
	int32_t otherAnswer;
} supContactAnswer;

// A rigid body that is touched by actors that answer contacts themselves: it moves with them.
typedef struct supContactRigid
{
	float mass;
	supMat3 inertia; // in the world, about its centre of mass
	supMat3 inverseInertia;
	// all that actors have got from it so far, kg m, and the turning that goes with it
	supVec3 push;
	supVec3 turn;
	// the method's, while it answers
	double matrix[6][6];
	double factor[6][6];
	double forces[6];
	double speeds[6];
	double rest[6];
	double way[6];
	double product[6];
	double fresh[6];
} supContactRigid;

// An actor that answers contacts itself.
typedef struct supContactParty
{
	const void* flesh;
	void* state;
	const supSubstep* step;
	int32_t nearCount; // contacts that it may have; only those that matter are told where these are many
	int32_t count;
	supContactAnswer* answers;
	// of all parties
	int32_t rigidCount;
	supContactRigid* rigids;
	// the method's, while it answers
	void* work;
} supContactParty;

typedef enum supElementKind
{
	sup_elementsNone,
	// four corners each
	sup_elementsTets,
	// one corner each: its middle
	sup_elementsVoxels,
	// none, but lines
	sup_elementsLattice,
} supElementKind;

// What flesh is made of, to be looked at. Arrays are the flesh's own or in the arena.
typedef struct supFleshElements
{
	supArena arena;
	supElementKind kind;
	// the first of the method's particles
	int32_t pointCount;
	int32_t count;
	int32_t cornerCount;
	const int32_t* corners;
	// of each element: from bone to skin; NULL where the flesh does not know
	const uint8_t* layers;
	// voxels: metres
	float size;
	// two points each, and of each line what is solved at the same time; NULL where there is nothing to tell
	int32_t lineCount;
	const int32_t* lines;
	const uint16_t* colors;
} supFleshElements;

typedef struct supFleshInput
{
	const supCharacter* character;
	const supFleshDef* def;
	// Of the method, checked against their ranges.
	const float* parameters;
	const supTasks* tasks;
} supFleshInput;

struct supPlaceRow;

// ---------------------------------------------------------------------------------------------------------------------
// Crowds on a device

// One actor in a substep on a device.
typedef struct supDeviceEntry
{
	int32_t slot;
	void* state;
	const supSubstep* step;
	// The device has an older state than `state`, or none.
	bool upload;
} supDeviceEntry;

// Milliseconds on the device in a substep.
typedef struct supDeviceTimes
{
	double predict, solve, finish, surface;
} supDeviceTimes;

// Where the surface of an actor lies on the device.
typedef struct supDevicePlace
{
	void* buffer;
	int64_t positions; // bytes from its start
	int64_t normals;
	void* queue;
} supDevicePlace;

// Actors of one flesh on one device. A function that fails fills the error, and the crowd is good for nothing but
// readState and its end.
typedef struct supDeviceMethod
{
	// Bytes on the device.
	bool ( *findMemory )( const void* flesh, const supCharacter* character, int64_t* fleshBytes, int64_t* actorBytes );

	// NULL with an error. The flesh outlives it.
	void* ( *createCrowd )( supDevice* device, const void* flesh, const supCharacter* character, supError* error );
	void ( *destroyCrowd )( void* crowd );

	// Room for one more actor; -1 with an error.
	int32_t ( *addActor )( void* crowd, supError* error );
	void ( *removeActor )( void* crowd, int32_t slot );

	// May a step to this pose be computed there?
	bool ( *canReach )( const void* flesh, supPose* pose );

	// Starts a substep, predict to finish, of actors that nothing pulls or holds. Returns before it is done.
	// - wantsSurface: positions and normals are to be written as well
	bool ( *start )( void* crowd, const supDeviceEntry* entries, int32_t count, bool wantsSurface,
					 const supTasks* tasks, supError* error );

	// Waits for what was started. Brings up to date what of the states isSettled looks at, and trouble.
	bool ( *wait )( void* crowd, supDeviceTimes* times, supError* error );

	// The state of an actor as plain bytes, as the CPU would have it.
	// - before: as it was before the last substep that was started
	bool ( *readState )( void* crowd, int32_t slot, bool before, void* state, supError* error );

	// The surfaces of actors in one go: of each instance positions, normals or both; NULL in all outputs: not wanted.
	bool ( *readSurfaces )( void* crowd, const int32_t* slots, int32_t count, supSkinOutput* const* outputs,
							const supTasks* tasks, supError* error );

	supDevicePlace ( *findSurface )( void* crowd, int32_t slot, int32_t instance );
} supDeviceMethod;

typedef struct supMethod
{
	const char* name;
	const char* summary;

	int32_t parameterCount;
	const supParameter* parameters;

	// Changes defaults that depend on what else is given, once `parameters` have their values.
	// NULL where none do.
	void ( *completeParameters )( const supFleshDef* def, float* parameters );

	// NULL with an error on failure. Methods that need nothing but the character leave these three NULL.
	void* ( *createFlesh )( const supFleshInput* input, supError* error );
	void ( *destroyFlesh )( void* flesh );

	// Flesh is built in the rest pose, also where the bind pose is more open (build_pose.h): for methods whose elements
	// join nothing across a gap, and whose joints count their angles from the rest pose.
	bool keepsRestPose;

	// Skeletons with more joints are refused; 0: any number.
	int32_t maxJoints;

	// Poses of each clip from which it guesses how joints turn, at supJointPoseTime; 0: it does not.
	int32_t jointPoses;

	// createFlesh looks at def->tets, which have been checked; see supTets_InitMesh.
	bool takesTets;

	// createFlesh looks at def->lattice.
	bool takesLattice;

	// createFlesh looks at def->layers, and at those of parts.
	bool takesLayers;
	bool takesLayerParts;

	// createFlesh looks at def->joints, whose nodes and numbers have been checked.
	bool takesJoints;

	// Index of the parameter made with SUP_RATE_PARAMETER. 0: the method has none.
	int32_t rateParameter;

	// Flesh into a pack and out again. What the reader hands out may be kept: it lives as long as the flesh. A file is
	// not to be trusted: indices are read with supPackReader_GetInts, sizes are checked before they are used. NULL from
	// loadFlesh with the reader's error set. NULL for methods without createFlesh, which have nothing to save.
	// fleshVersion goes up with every change of what is saved or of what it means: older files are refused.
	int32_t fleshVersion;
	void ( *saveFlesh )( const void* flesh, supPackWriter* writer );
	void* ( *loadFlesh )( supPackReader* reader, const supCharacter* character );

	// How many of supSubstep.regions the flesh looks at: a file that has fewer is refused. NULL: it asks
	// supSubstep.regionCount first, or looks at none.
	int32_t ( *countRegions )( const void* flesh );

	// Bytes of state per actor; the block is 64-byte aligned. NULL: no state.
	size_t ( *stateSize )( const void* flesh );

	// Bytes at the start of the block that a saved state consists of. The rest is working memory: a substep writes it
	// before reading it, except for what `restore` computes. NULL: all of it is saved.
	size_t ( *savedSize )( const void* flesh );

	// Recomputes working memory that writeSurface and the like read, after the saved bytes have been replaced. NULL:
	// there is none.
	void ( *restore )( const void* flesh, void* state, const supTasks* tasks );

	// Memory that all actors of one flesh in a scene share: what depends on nothing but the flesh and the step length.
	// NULL with an error where out of memory. Both may be NULL.
	void* ( *createShared )( const void* flesh, supError* error );
	void ( *destroyShared )( void* shared );

	// Before predict, for one actor after the other: makes what its step needs. Allocates only where actors of the same
	// flesh take steps of a length that none of them has taken before. False where it could not be made as it should.
	// - turn: counts substeps; what was made in this one stays until the next
	bool ( *prepareShared )( const void* flesh, void* shared, void* state, const supSubstep* step, int64_t turn );

	// State at rest in this pose. NULL: nothing to do.
	void ( *reset )( const void* flesh, void* state, supPose* pose, const supTasks* tasks );

	// Each may be NULL.
	void ( *predict )( const void* flesh, void* state, const supSubstep* step );
	void ( *solve )( const void* flesh, void* state, const supSubstep* step );
	void ( *finish )( const void* flesh, void* state, const supSubstep* step );

	// Solves for SUP_CROWD actors of the same flesh at once, with the same bits as one after the other, on the calling
	// thread: step.tasks is not to be used, since the caller runs several of these at once. NULL: the method cannot.
	void ( *solveMany )( const void* flesh, void* const* states, const supSubstep* const* steps );

	// Crowds on a device. NULL: the method cannot.
	const supDeviceMethod* device;

	// Has nothing moved noticeably in the last substep, with the same pose and the same forces? NULL: never.
	bool ( *isSettled )( const void* flesh, const void* state );

	// The flesh within `radius` (may be 0) of a place on the surface as it is now: particles, weights and offsets from
	// the place. False where there is none to grab. NULL: it has no flesh.
	bool ( *grab )( const void* flesh, const void* state, const supSurfacePoint* point, float radius, supGrab* grab );

	// NULL: nothing can be moved from outside.
	supParticles ( *getParticles )( const void* flesh, void* state );

	// What a vertex of the surface hangs on: it moves by the weighted mean of these particles, as near as one can say
	// without knowing where they are. Returns how many, at most SUP_MAX_BOUND, each once; weights sum to 1. 0: it only
	// follows the bones. NULL: all do.
	int32_t ( *bindVertex )( const void* flesh, int32_t instance, int32_t vertex, int32_t* particles, float* weights );

	// Where a place of the surface is drawn in this pose with the particles as they are now, and how it hangs on them
	// (src/volume/binding/surface_binding.h); the points of the row are particles. None of them: it follows the pose
	// alone. Between predict and finish, with the pose of the substep; or after a step. NULL: nothing of it can be
	// held.
	void ( *findRow )( const void* flesh, void* state, supPose* pose, const supSurfacePoint* point,
					   struct supPlaceRow* row );

	// Between predict and finish: the next writeSurface is to tell the particles as they are now. Particles that were
	// got before are to be got again. NULL: it does so anyway.
	void ( *frame )( const void* flesh, void* state, const supTasks* tasks );

	// How a force on a place of the body moves all of it over the substep, between solve and finish: a force F (N) on
	// sum weights[k] x[particles[k]] moves particle i by columns[i] F, and its velocity by that over dt. For a body
	// with a system of its own that is h^2 A^-1 J^T, A = M + h^2 K (src/attach/anchor.h). Attachments then hold it
	// exactly, and nothing sinks. Positions and velocities stay as they are; allocates nothing.
	// - columns: one for each particle, all written; NULL only asks whether this flesh has an answer
	// - false: none, a force moves the particles that it acts on by h^2 / m. NULL: the same.
	bool ( *computeResponse )( const void* flesh, void* state, const supSubstep* step, int32_t count,
							   const int32_t* particles, const float* weights, supMat3* columns );

	// Places whose response can be computed in one substep. 0: no limit.
	int32_t maxResponses;

	// Does flesh of this kind solve supSubstep.ties in predict, as part of its own system? Responses are then those of
	// the body that is tied. NULL: no, they are solved for particles that move each for itself.
	bool ( *takesTies )( const void* flesh );

	// Memory for the linear system of one actor, which lies outside of its state since its pattern depends on what is
	// tied. Made with the actor and whenever ties or places change, so that other steps allocate nothing. NULL where
	// the method does without. False where out of memory; it does without then, too. The function may be NULL.
	// - ties may be NULL; placeCount: places beside them whose responses steps will ask for; workerCount: of the tasks
	//   that steps will have
	bool ( *createSystem )( const void* flesh, const supTies* ties, int32_t placeCount, int32_t workerCount,
							void** system );
	void ( *destroySystem )( void* system );

	// Methods that keep held places where attachments put them, to the end of the substep: the places as they are once
	// attachments are solved, instead of those that computeResponse was called with. First the former, which forgets
	// all, then the latter for each. NULL: the method does not keep them.
	void ( *beginHeldPlaces )( const void* flesh, void* state );
	void ( *addHeldPlace )( const void* flesh, void* state, int32_t count, const int32_t* particles,
							const float* weights );

	// After finish: the force (N) that it took in the end to have a place where attachments put it, of one that was
	// asked for by computeResponse in this substep. False: not one of these. NULL: what attachments pushed with is what
	// it took.
	bool ( *getAttachmentForce )( const void* flesh, const void* state, int32_t count, const int32_t* particles,
								  const float* weights, supVec3* force );

	// What the joint above a node bore in the last substep. False: the method has no joint there. NULL: none at all.
	bool ( *tellJointLoad )( const void* flesh, const void* state, int32_t node, supJointLoad* load );

	// Is the skeleton where the pose has it, with these parameters and strengths of joints? NULL: always.
	bool ( *followsPose )( const float* parameters, const float* jointStrengths, int32_t nodeCount );

	// Contacts met by the method itself, of all its actors at once, with whatever it moves: several times a substep
	// after solve, each time all over. Particles are then where that leads. NULL: the scene pushes particles.
	void ( *answerContacts )( supContactParty* parties, int32_t partyCount );

	// Positions and normals of one instance. Never NULL.
	void ( *writeSurface )( const void* flesh, const void* state, supPose* pose, int32_t instance,
							const supTasks* tasks, const supSkinOutput* output );
	// May be NULL: flesh at rest is where linear blend skinning puts it. Adds to an instance, skinned in that way, how
	// far the method puts it elsewhere, in the pose of the last step.
	void ( *addBase )( const void* flesh, const void* state, int32_t instance, const supTasks* tasks,
					   supVec3* positions );

	// Fills in what there is to see; running out of memory shows in the arena. NULL: nothing.
	void ( *listElements )( const void* flesh, supFleshElements* elements );

	// How fine the functions are that move each vertex of an instance at the moment: 0 where only the coarsest do, 1
	// where the finest take part. NULL: 0.
	void ( *fillLevels )( const void* flesh, const void* state, int32_t instance, float* levels );

	// Adds energy, penetration and counts. NULL: all 0.
	void ( *measure )( const void* flesh, const void* state, supSurfaceMeasure* measure );
} supMethod;

// The list of methods, in the order of supMethodId.
const supMethod* supGetMethod( supMethodId id );

// As supBuildFlesh, for a method that need not be in the list.
supFlesh* supBuildFleshWith( const supCharacter* character, const supMethod* method, const supFleshDef* def,
							 const supTasks* tasks, supError* error );

// As supReadFlesh, for a method that need not be in the list.
supFlesh* supReadFleshWith( const void* bytes, size_t byteCount, const char* name, const supCharacter* character,
							const supMethod* method, supError* error );

// flesh_pack.c: all parameters of a method out of a file, within their ranges. NULL with the reader's error set.
const float* supReadParameters( supPackReader* reader, const char* name, const supMethod* method );

// flesh_hash.c
uint64_t supHashFleshDef( const supMethod* method, const supFleshDef* def, const float* parameters );

struct supFlesh
{
	supArena arena;
	const supCharacter* character;
	const supMethod* method;
	void* own; // the method's
	// of the method and all that was asked for, but not of the character
	uint64_t hash;
	float* parameters;
	int32_t regionCount;
	const char** regionNames;
	supRegionTuning* regions;
	// as in the definition, copied; none where flesh was loaded from a file
	int32_t softRegionCount;
	supSoftRegion* softRegions;
	// of each vertex, instance by instance: how far it gets from skinning at most, metres; 0 without a limit. NULL
	// where no region has a limit.
	int32_t reachCount;
	const float* reaches;
	// What own's pointers lead into where it was loaded: freed after it. NULL where it was built.
	void* backing;
	void ( *freeBacking )( void* backing );
};

// When the pose `index` of `count` is, the first at the start of a clip and the last at its end.
float supJointPoseTime( float start, float end, int32_t index, int32_t count );

// src/method/skinned
extern const supMethod supMethod_lbs;
extern const supMethod supMethod_dqs;

// src/method/position
extern const supMethod supMethod_position;

// src/method/lattice
extern const supMethod supMethod_lattice;

// src/method/points
extern const supMethod supMethod_points;

// src/method/layered
extern const supMethod supMethod_layered;

// src/method/fem
extern const supMethod supMethod_fem;

// src/method/modes
extern const supMethod supMethod_modes;
