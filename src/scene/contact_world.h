// SPDX-License-Identifier: MIT
// What the files of contact share.
#pragma once

#include "scene/contact.h"

// Who made a row.
typedef enum RowKind
{
	// vertex of an actor, collider
	rowVertex,
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
	int32_t b; // collider
	// metres from surface to surface when it was last looked at, INFINITY: no longer near
	float distance;
	float startDistance;
} RowSource;

struct supContactWorld
{
	int32_t colliderCount;
	int32_t colliderCapacity;
	supCollider** colliders;
	int32_t actorCount; // that have contact
	int32_t vertexCount;
	int32_t toucherCount; // that touch actors or themselves

	supContactSet set;
	RowSource* sources;
	supContact* list;
	int32_t listCount;
	supContactStats stats;

	// of the substep: the actors of set.flesh
	int32_t fleshCapacity;
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
float supContactWorld_RefreshRows( supContactWorld* world, const supContactStep* step );

// contact_rigid.c
void supContactWorld_FindRigidRows( supContactWorld* world, const supContactStep* step );
// Looks again at a row between colliders.
void supContactWorld_RefreshRigidRow( supContactWorld* world, int32_t row );

// The next row, NULL where there is no room: counted.
supContactRow* supContactWorld_AddRow( supContactWorld* world, RowSource source );
