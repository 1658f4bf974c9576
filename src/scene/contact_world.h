// SPDX-License-Identifier: MIT
// What the files of contact share.
#pragma once

#include "contact/deep.h"
#include "scene/contact.h"

// Who made a row.
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

// Beside each row.
typedef struct RowSource
{
	RowKind kind;
	int32_t a; // actor or collider
	int32_t b; // collider, or actor
	// metres from surface to surface when it was last looked at, INFINITY: no longer near
	float distance;
	float startDistance;
	// vertices: from the vertex to what of the surface is that near, the plane in the collider's space that it keeps in
	// front of, whether it has pushed in this substep, and whether the vertex has two rows with the collider
	supVec3 aside;
	supVec3 planeNormal;
	float planeHeight;
	bool hasPushed;
	bool hasSecond;
	// skins: what was found last, and the row of the same vertex before this one, or -1
	supContactHit hit;
	int32_t before;
	// of one body: what it had pushed and dragged when its method last had its say, and whether that tore the skin, so
	// that the vertex is left alone (contact_tear.c)
	float pushBefore;
	supVec3 dragBefore;
	bool isLetGo;
} RowSource;

// An actor among those of the detector. Its binding is kept for as long as the detector looks at it.
typedef struct Toucher
{
	supActor* actor; // NULL: gone
	supContactBinding* binding;
	// in the set's flesh, of this substep; -1: not there
	int32_t body;
	// metres out of another, of this substep; 0 where it is not deep inside
	float deepWay;
	// vertices that are inside of itself and have no way out
	int32_t stuckCount;
} Toucher;

// Two patches of a body that are in each other: contacts in which one is behind the other, and how many of them are too
// deep to be met.
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
	int32_t actorCount; // that have contact
	int32_t vertexCount;

	// actors that touch others or themselves, and what each is to the detector
	int32_t toucherCount;
	Toucher* touchers;
	supContactBody* toucherBodies;
	supDetector* detector;
	// particles and weights of touched triangles
	int32_t termCount;
	int32_t termCapacity;
	int32_t* termParticles;
	float* termWeights;
	int32_t* termPlaces; // of a particle: where it was last put among them

	// vertices that are led out of another actor: of the substep
	supDeepWork deepWork;
	bool deepIsKnown;
	int32_t deepCount;
	int32_t deepCapacity;
	supContactHit* deepHits;

	// patches that bones have taken too deep into each other, of this look at the surfaces: sorted
	int32_t tangleCount;
	int32_t tangleCapacity;
	Tangle* tangles;

	supContactSet set;
	RowSource* sources;
	// of actors that answer, and their rows: room for both sides of all
	supContactAnswer* answers;
	int32_t* answerRows;
	supContactParty* parties;
	int32_t* partyOfBody; // of each of bodies
	// rigid bodies that they touch, and which of them a collider is, or -1
	supContactRigid* touched;
	int32_t* touchedOfCollider;
	supContact* list;
	int32_t listCount;
	float forceScale; // from what rows push with to N, in the last substep
	supContactStats stats;

	// of the substep: the actors of set.flesh
	supActor** bodies;
	// box of each collider over the substep
	supBox* boxes;
};

// Rows that a pair of colliders may have.
#define ROWS_A_COLLIDER 32

// contact.c
void supContactWorld_EvaluateSurfaces( supContactWorld* world, const supContactStep* step, bool onlyNear );

// contact_rows.c
void supContactWorld_FindRows( supContactWorld* world, const supContactStep* step );
// The most negative gap of rows that can be met, in thicknesses.
float supContactWorld_RefreshRows( supContactWorld* world, const supContactStep* step, int32_t round );

// contact_skin.c
// The detector is made anew for all actors that touch, and `added` (may be NULL). False where out of memory: nothing
// has changed then.
bool supContactWorld_MakeDetector( supContactWorld* world, supActor* added );
void supContactWorld_DestroyDetector( supContactWorld* world );
// Rows of surfaces as they are now; those that are there already are aimed anew. In the first round of a phase surfaces
// are looked for, later on only those that were found are followed.
void supContactWorld_FindSkinRows( supContactWorld* world, const supContactStep* step );
void supContactWorld_FollowSkinRows( supContactWorld* world, const supContactStep* step );
// Where the skins of those who touch are, from their surfaces.
void supContactWorld_GatherSkins( const supContactWorld* world );

// A row of a hit, or the one that is there already aimed anew; -1 where there is no room.
int32_t supContactWorld_UseHit( supContactWorld* world, const supContactHit* hit, const supContactStep* step );

// contact_deep.c
void supContactWorld_FindDeep( supContactWorld* world, const supContactStep* step );
void supContactWorld_ForgetDeep( supContactWorld* world );
// Vertices of a body that are deep inside of it or of others as the substep begins.
int32_t supContactWorld_CountInside( supContactWorld* world, int32_t body );
// Is a contact where bones leave no room?
bool supContactWorld_HasNoRoom( const supContactWorld* world, const supContactHit* hit );
// A contact is so deep that it is left alone: ways out are looked for in the next substep, where there were some
// before.
void supContactWorld_LookAgain( supContactWorld* world, const supContactHit* hit );
// A contact was let go since it tore the skin (contact_tear.c). On the way out of a deep start that means, after a
// while, that bones leave no room.
void supContactWorld_TellTorn( const supContactWorld* world, const supContactHit* hit );
void supContactWorld_UseDeep( supContactWorld* world, const supContactStep* step );

// contact_tear.c
// Is skin of one body stretched so far where it touches itself that to part it would tear it?
bool supContactWorld_WouldTear( const supContactWorld* world, const supContactHit* hit );
// Before rows are met: what they push from here on may be undone.
void supContactWorld_BeginPushes( const supContactWorld* world );
// Has a row of one body pushed since?
bool supContactWorld_MayTear( const supContactWorld* world );
// Undoes pushes that have torn the skin, of surfaces as they are now. True where there were any: surfaces are no longer
// what they were.
bool supContactWorld_LetGo( supContactWorld* world, float dt );

// contact_settle.c
// Once a step.
void supContactWorld_MeasureBones( const supContactWorld* world, float dt );
// Of a body, before its substep.
void supContactWorld_StartSettling( const supActor* actor, const supContactStep* step );
bool supContactWorld_IsSettling( const supContactWorld* world );
// What is near others.
void supContactWorld_MarkCrammed( const supContactWorld* world, const supContactHit* hit );
// After velocities. True where something was held back: surfaces are no longer what they were.
bool supContactWorld_Settle( supContactWorld* world, const supContactStep* step );

static inline bool supContactSettings_Touches( const supContactSettings* settings )
{
	return settings->withActors || settings->withItself;
}

// contact_coupled.c: rows of actors whose method solves contacts itself. Their most negative gap is not measured.
void supContactWorld_Answer( supContactWorld* world, const supContactStep* step );

// contact_rigid.c
void supContactWorld_FindRigidRows( supContactWorld* world, const supContactStep* step );
// Looks again at a row between colliders.
void supContactWorld_RefreshRigidRow( supContactWorld* world, int32_t row );

// The next row, NULL where there is no room: counted.
supContactRow* supContactWorld_AddRow( supContactWorld* world, RowSource source );
