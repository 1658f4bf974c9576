// SPDX-License-Identifier: MIT
// Scene files: actors and their places, playback, attachments and drags. Read into plain data;
// nothing that they name is opened here. docs/scene.schema.json describes them.
#pragma once

#include "core/arena.h"
#include "supple/scene.h"

// A soft thing built by the library; see src/method/points/props.h.
typedef enum supPropKind
{
	sup_propNone,
	sup_propCube,
	sup_propWall,
	sup_propRope,
	sup_propTail,
	sup_propNet,
	sup_propBag,
} supPropKind;

typedef struct supSceneProp
{
	supPropKind kind;
	// cube: edge; wall: edge of a cube; net: distance of the strands, metres
	float size;
	supVec3 extents;       // bag
	float thickness;       // rope, tail, net
	float endThickness;    // tail
	supVec3 from, to;      // rope, tail
	int32_t columns, rows; // wall, net
	int32_t segments;      // rope, tail; cells along an edge of cube and bag
	// parts that meet are one; else they fall apart unless attached
	bool welded;
} supSceneProp;

// Straight in between; before the first and after the last it stays.
typedef struct supSceneKey
{
	float time;
	supVec3 position; // or degrees about x, y and z
} supSceneKey;

// A node that is turned beside what the clip does: about x, then y, then z of its parent.
typedef struct supSceneTurn
{
	const char* node;
	int32_t keyCount;
	const supSceneKey* keys;
} supSceneTurn;

// How firmly the joint above a node follows the clip, and those below it: the x of its keys.
typedef struct supSceneStrength
{
	const char* node;
	bool below;
	int32_t keyCount;
	const supSceneKey* keys;
} supSceneStrength;

// A parameter of the actor's method at a time. Straight between keys of the same one; before the first it is what the
// method was given, after the last it stays.
typedef struct supSceneValue
{
	float time;
	const char* parameter;
	float value;
} supSceneValue;

// A character or a prop.
typedef struct supSceneActor
{
	const char* name;
	const char* file; // as written: a path beside the scene file, or builtin:NAME; NULL for a prop
	supSceneProp prop;
	const char* method;       // "position:stretch=0.5"; NULL: as the command line says
	const char* settings;     // a settings file; NULL without
	const char* settingsText; // or what would be in one, as JSON; NULL without
	const char* unit;         // of the file: "cm", "0.01"; NULL: as the file means it
	const char* clip;         // NULL: the first; "" rest
	const char* motion;       // of another file; NULL: its own
	const char* motionClip;
	float start; // seconds of the clip where it begins
	float speed;
	bool loop;
	// turned about y by `turn` degrees, then moved
	supVec3 position;
	float turn;
	// added to the position, as time goes on
	int32_t pathCount;
	const supSceneKey* path;
	int32_t turnCount;
	const supSceneTurn* turns;
	// those that come later have no earlier time
	int32_t valueCount;
	const supSceneValue* values;
	int32_t strengthCount;
	const supSceneStrength* strengths;
	// seconds until it is back on its clip after something has hit it; 0: it does not give way
	float recover;
	supContactSettings contact;
} supSceneActor;

typedef struct supSceneSpot
{
	supPlaceKind kind;
	int32_t actor; // -1: world
	// surface: the place nearest to this point at the beginning; inside and world: the point itself; node: in its space
	supVec3 position;
	const char* node;
	// prop: one of the points that it wants to be held by; -1: none, the surface
	int32_t nail;
	float radius;
	// world: where it is when
	int32_t pathCount;
	const supSceneKey* path;
} supSceneSpot;

typedef enum supSceneAttachmentKind
{
	sup_sceneJoin,
	sup_sceneSlide,
	sup_sceneVelocity,
	sup_sceneLine,
	sup_sceneTriangle,
	// all nails of a prop, each where it is when it becomes active
	sup_sceneNails,
	// all joints of a prop whose parts are not welded
	sup_sceneJoints,
} supSceneAttachmentKind;

typedef struct supSceneAttachment
{
	const char* name;
	supSceneAttachmentKind kind;
	int32_t actor; // nails and joints
	int32_t spotCount;
	supSceneSpot* spots;
	supVec3 velocity;
	float slack;
	float assembly;
	float breakingForce; // N; INFINITY: none
	supBox within;       // nails and joints: only those that are in it at the beginning
	float from, to;      // seconds; to is FLT_MAX: to the end
} supSceneAttachment;

// The flesh nearest to `near` is grabbed at the first key and released after the last.
typedef struct supSceneDrag
{
	int32_t actor;
	supVec3 near;
	float radius; // 0: as usual
	float frequency;
	int32_t keyCount;
	const supSceneKey* keys;
} supSceneDrag;

typedef enum supSceneShape
{
	sup_scenePlane,
	sup_sceneSphere,
	sup_sceneCapsule,
	sup_sceneBox,
	// of all vertices of a file at rest, and all its triangles
	sup_sceneHull,
	sup_sceneMesh,
	// a square of hills
	sup_sceneTerrain,
} supSceneShape;

// Rolled about z, pitched about x, turned about y, then moved. Degrees.
typedef struct supSceneStand
{
	float time; // of a key
	supVec3 position;
	float turn, pitch, roll;
} supSceneStand;

typedef struct supSceneCollider
{
	const char* name;
	supSceneShape shape;
	float radius;
	float halfHeight;
	supVec3 halfExtents;
	const char* file; // hull and mesh: as that of an actor
	// terrain: metres along a side, height of its hills, and cells along a side
	float size;
	float height;
	int32_t cells;
	supColliderMotion motion;
	supSceneStand stand;
	float mass;
	float density;
	supVec3 velocity;
	supVec3 spin;
	float friction;
	float restitution;
	// kinematic: where it is when; straight in between, and it stays before the first and after the last
	int32_t keyCount;
	const supSceneStand* keys;
} supSceneCollider;

typedef struct supSceneFile
{
	supArena arena;
	const char* name;
	float duration;
	float framesPerSecond;
	int32_t substeps;
	supVec3 gravity;
	supVec3 wind;
	int32_t contactPasses;
	int32_t contactSweeps;
	float recoverySpeed;
	supDetection detection;
	int32_t actorCount;
	supSceneActor* actors;
	int32_t attachmentCount;
	supSceneAttachment* attachments;
	int32_t dragCount;
	supSceneDrag* drags;
	int32_t colliderCount;
	supSceneCollider* colliders;
} supSceneFile;

// False with an error that names the file and the place inside it. Nothing is left behind.
// - file is zero-initialised
bool supSceneFile_Load( supSceneFile* file, const char* path, supError* error );
bool supSceneFile_Parse( supSceneFile* file, const char* text, size_t length, const char* name, supError* error );
void supSceneFile_Destroy( supSceneFile* file );
