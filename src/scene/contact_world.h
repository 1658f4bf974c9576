// SPDX-License-Identifier: MIT
// Shared by the files contact_*.c.
#pragma once

#include "contact/deep.h"
#include "scene/contact.h"

// What a row is between.
typedef enum RowKind
{
	// vertex of an actor, collider
	rowVertex,
	// vertex of an actor, triangle of an actor
	rowSkin,
	// point of a collider, collider
	rowPoint,
	// two convex colliders
	rowNearest,
} RowKind;

// Source of each row.
typedef struct RowSource
{
	RowKind kind;
	int32_t a; // actor or collider
	int32_t b; // collider, or actor
	// distance between the surfaces at the last refresh in metres; INFINITY: no longer near
	float distance;
	float startDistance;
	// vertices: vector to the nearest point, the plane in the collider's space that the vertex stays in front of,
	// whether the row has pushed in this substep, and whether the vertex has two rows with the collider
	supVec3 aside;
	supVec3 planeNormal;
	float planeHeight;
	bool hasPushed;
	bool hasSecond;
	// skins: the last hit, and the previous row of the same vertex, or -1
	supContactHit hit;
	int32_t before;
	// self-contact: push and friction at the last solver pass, and whether it tore the skin, so that the contact was
	// dropped (contact_tear.c)
	float pushBefore;
	supVec3 dragBefore;
	bool isDropped;
} RowSource;

// An actor in the detector, which holds a reference to its binding.
typedef struct Toucher
{
	supActor* actor; // NULL: gone
	supContactBinding* binding;
	// index into the set's flesh in this substep; -1: absent
	int32_t body;
	// distance out of another body in this substep, in metres; 0: not deep inside
	float deepWay;
	// vertices inside its own body without a way out
	int32_t stuckCount;
} Toucher;

// Two interpenetrating patches of a body: contacts in which one is behind the other, and how many of them are too deep
// to resolve.
typedef struct Tangle
{
	uint64_t pair;
	int32_t hits;
	int32_t deep;
} Tangle;

struct supContactWorld
{
	int32_t colliderCount;
	int32_t colliderCapacity;
	supCollider** colliders;
	int32_t actorCount; // with contact
	int32_t vertexCount;

	// actors that touch others or themselves, and their bodies in the detector
	int32_t toucherCount;
	Toucher* touchers;
	supContactBody* toucherBodies;
	supDetector* detector;
	// particles and weights of touched triangles
	int32_t termCount;
	int32_t termCapacity;
	int32_t* termParticles;
	float* termWeights;
	int32_t* termPlaces; // per particle: its last index among them

	// vertices that are pushed out of another actor in this substep
	supDeepWork deepWork;
	bool deepIsKnown;
	int32_t deepCount;
	int32_t deepCapacity;
	supContactHit* deepHits;

	// patches that bones have pushed too deep into each other, of this detection: sorted
	int32_t tangleCount;
	int32_t tangleCapacity;
	Tangle* tangles;

	supContactSet set;
	RowSource* sources;
	// of actors whose method solves contacts, with their rows: capacity for both sides of all rows
	supContactAnswer* answers;
	int32_t* answerRows;
	supContactParty* parties;
	int32_t* partyOfBody; // of each of bodies
	// rigid bodies that they touch, and the index of each collider among these, or -1
	supContactRigid* touched;
	int32_t* touchedOfCollider;
	supContact* list;
	int32_t listCount;
	float forceScale; // from pushes of rows to N, in the last substep
	supContactStats stats;

	// the actors of set.flesh in this substep
	supActor** bodies;
	// box of each collider over the substep
	supBox* boxes;
};

// Maximum number of rows of a pair of colliders.
#define ROWS_A_COLLIDER 32

// contact.c
void supContactWorld_EvaluateSurfaces( supContactWorld* world, const supContactStep* step, bool onlyNear );

// contact_rows.c
void supContactWorld_FindRows( supContactWorld* world, const supContactStep* step );
// Returns the most negative gap of movable rows, in thicknesses.
float supContactWorld_RefreshRows( supContactWorld* world, const supContactStep* step, int32_t round );

// contact_skin.c
// Rebuilds the detector for all actors that touch, and `added` (may be NULL). Returns false if out of memory, without
// changes.
bool supContactWorld_MakeDetector( supContactWorld* world, supActor* added );
void supContactWorld_DestroyDetector( supContactWorld* world );
// Finds rows of the current surfaces and updates existing ones. The first round of a phase detects; later rounds only
// follow the contacts found.
void supContactWorld_FindSkinRows( supContactWorld* world, const supContactStep* step );
void supContactWorld_FollowSkinRows( supContactWorld* world, const supContactStep* step );
// Gathers the skin positions of touching actors from their surfaces.
void supContactWorld_GatherSkins( const supContactWorld* world );

// Adds a row for a hit, or updates the existing one; -1 if full.
int32_t supContactWorld_UseHit( supContactWorld* world, const supContactHit* hit, const supContactStep* step );

// contact_deep.c
void supContactWorld_FindDeep( supContactWorld* world, const supContactStep* step );
void supContactWorld_ForgetDeep( supContactWorld* world );
// Vertices of a body that are deep inside it or other bodies at the beginning of the substep.
int32_t supContactWorld_CountInside( supContactWorld* world, int32_t body );
// True for a contact where bones leave no room.
bool supContactWorld_HasNoRoom( const supContactWorld* world, const supContactHit* hit );
// A contact was abandoned as too deep: the next substep searches for a way out again, if there was one before.
void supContactWorld_RetryDeep( supContactWorld* world, const supContactHit* hit );
// A contact was dropped because it tore the skin (contact_tear.c). While a deep start is resolved this means, after
// some time, that bones leave no room.
void supContactWorld_ReportTorn( const supContactWorld* world, const supContactHit* hit );
void supContactWorld_UseDeep( supContactWorld* world, const supContactStep* step );

// contact_tear.c
// True if self-contact has stretched the skin so far that separating it would tear it.
bool supContactWorld_WouldTear( const supContactWorld* world, const supContactHit* hit );
// Called before rows are solved: later pushes can be undone.
void supContactWorld_BeginPushes( const supContactWorld* world );
// True if a self-contact row has pushed since.
bool supContactWorld_MayTear( const supContactWorld* world );
// Undoes pushes that have torn the skin of the current surfaces. Returns true if any, which invalidates surfaces.
bool supContactWorld_UndoTears( supContactWorld* world, float dt );

// contact_settle.c
// Once a step.
void supContactWorld_MeasureBones( const supContactWorld* world, float dt );
// For a body, before its substep.
void supContactWorld_StartSettling( const supActor* actor, const supContactStep* step );
bool supContactWorld_IsSettling( const supContactWorld* world );
// Marks particles near other skin.
void supContactWorld_MarkNearSkin( const supContactWorld* world, const supContactHit* hit );
// After velocities. Returns true if anything was slowed down, which invalidates surfaces.
bool supContactWorld_Settle( supContactWorld* world, const supContactStep* step );

static inline bool supContactSettings_Touches( const supContactSettings* settings )
{
	return settings->withActors || settings->withItself;
}

// contact_coupled.c: rows of actors whose method solves contacts itself. Their most negative gap is not measured.
void supContactWorld_Answer( supContactWorld* world, const supContactStep* step );

// contact_rigid.c
void supContactWorld_FindRigidRows( supContactWorld* world, const supContactStep* step );
// Refreshes a row between colliders.
void supContactWorld_RefreshRigidRow( supContactWorld* world, int32_t row );

// Returns the next row, or NULL if full, which is counted.
supContactRow* supContactWorld_AddRow( supContactWorld* world, RowSource source );
