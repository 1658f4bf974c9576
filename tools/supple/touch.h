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
#define TOUCH_OPTIONS( Settings, member )                                                                               \
	{                                                                                                                   \
		"additive",                                                                                                     \
		0,                                                                                                              \
		arg_flag,                                                                                                       \
		offsetof( Settings, member.additive ),                                                                          \
		NULL,                                                                                                           \
		"Leaves poses as they are: what is held is drawn as skinned, and flesh adds only what motion causes.",          \
		0,                                                                                                              \
		0,                                                                                                              \
		false                                                                                                           \
	},                                                                                                                  \
		{ "floor", 0, arg_flag, offsetof( Settings, member.floor ), NULL, "Flesh touches the ground, the plane y = 0.", \
		  0,       0, false },                                                                                          \
		{ "touch-self",                                                                                                 \
		  0,                                                                                                            \
		  arg_flag,                                                                                                     \
		  offsetof( Settings, member.self ),                                                                            \
		  NULL,                                                                                                         \
		  "Flesh touches itself: arms the belly, thighs each other.",                                                   \
		  0,                                                                                                            \
		  0,                                                                                                            \
		  false },                                                                                                      \
	{                                                                                                                   \
		"collider", 0, arg_text, offsetof( Settings, member.collider ), "FILE",                                         \
			"Flesh touches the meshes of this file, at rest where they are in it: furniture, stairs, a landscape.", 0,  \
			0, false                                                                                                    \
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
