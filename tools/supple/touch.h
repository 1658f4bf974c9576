// SPDX-License-Identifier: MIT
// What a character touches where there is no scene file: --floor, --touch-self, --collider FILE.
#pragma once

#include "args.h"
#include "core/array.h"
#include "supple/scene.h"

typedef struct TouchSettings
{
	bool floor;
	bool self;
	const char* collider;
	bool additive; // the opposite: flesh that leaves poses alone
} TouchSettings;

// Rows for the table of options of a command whose settings have a TouchSettings called `member`.
#define TOUCH_OPTIONS( Settings, member )                                                                              \
	{ "additive", 0,                                                                                                   \
	  arg_flag,   offsetof( Settings, member.additive ),                                                               \
	  NULL,       "Keep held poses exactly as skinned; flesh adds only the effect of motion.",                         \
	  0,          0,                                                                                                   \
	  false },                                                                                                         \
		{ "floor", 0, arg_flag, offsetof( Settings, member.floor ), NULL, "Collide with the ground plane y = 0.",      \
		  0,       0, false },                                                                                         \
		{ "touch-self",                                                                                                \
		  0,                                                                                                           \
		  arg_flag,                                                                                                    \
		  offsetof( Settings, member.self ),                                                                           \
		  NULL,                                                                                                        \
		  "Enable self-contact: arms against belly, thigh against thigh.",                                             \
		  0,                                                                                                           \
		  0,                                                                                                           \
		  false },                                                                                                     \
	{                                                                                                                  \
		"collider", 0, arg_text, offsetof( Settings, member.collider ), "FILE",                                        \
			"Collide with the meshes of this file, in their rest positions: furniture, stairs, a landscape.", 0, 0,    \
			false                                                                                                      \
	}

// Triangles of a shape.
typedef struct ColliderMesh
{
	SUP_ARRAY( supVec3 ) points;
	SUP_ARRAY( uint32_t ) indices;
	bool failed; // out of memory
} ColliderMesh;

void FreeColliderMesh( ColliderMesh* mesh );

// Adds all meshes of a file, at rest. Returns exit_ok or what to exit with.
int LoadColliderMesh( ColliderMesh* mesh, const char* path, const char* unit, const supTasks* tasks );

typedef struct Touch
{
	supColliderDef colliders[2];
	int32_t colliderCount;
	bool self;
	bool additive;
	ColliderMesh mesh;
} Touch;

bool HasTouch( const TouchSettings* settings );

// `unit` is that of the character. Safe to close in any case. Returns exit_ok or what to exit with.
int OpenTouch( const TouchSettings* settings, const char* unit, const supTasks* tasks, Touch* touch );
void CloseTouch( Touch* touch );

// Puts it into a scene. False with an error.
bool ApplyTouch( const Touch* touch, supScene* scene, supActor* actor, supError* error );
