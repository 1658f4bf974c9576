// SPDX-License-Identifier: MIT
// A scene file, played: characters and props loaded and made soft, attachments that come and go, drags.
#pragma once

#include "choose.h"
#include "draw/framing.h"
#include "flesh_choice.h"
#include "io/settings/scene_file.h"
#include "method/points/props.h"

// What actors of the same file, method and settings share.
typedef struct ShowBody
{
	const supSceneActor* def; // the first of them
	Source source;            // of a prop only path and character
	supProp prop;
	FleshChoice choice;
	supFlesh* flesh;
	char* path; // of the file, as seen from here
	char* settingsPath;
} ShowBody;

typedef struct ShowActor
{
	const supSceneActor* def;
	int32_t body;
	supActor* actor;
	ClipChoice clip;
	char* motionPath;
	bool isHit; // has ever been, and when last; see show_recovery.h
	float hitTime;
} ShowActor;

// One attachment of the scene; nails and joints of a prop are many for one entry of the file.
typedef struct ShowAttachment
{
	const supSceneAttachment* def;
	supAttachment* attachment;
	// of a nail: the actor and its point
	int32_t actor;
	int32_t point;
} ShowAttachment;

typedef struct ShowCollider
{
	const supSceneCollider* def;
	supCollider* collider;
	supCharacter* body; // its shape, to be drawn
	supColliderState begin;
} ShowCollider;

typedef struct Show
{
	const char* path;
	supSceneFile file;
	const supTasks* tasks;
	int32_t bodyCount;
	ShowBody* bodies;
	int32_t actorCount;
	ShowActor* actors;
	int32_t attachmentCount;
	ShowAttachment* attachments;
	supDragId* drags; // -1: not taken
	int32_t colliderCount;
	ShowCollider* colliders;
	// since it began: the most contacts in a frame, and the deepest that a vertex was in something, metres
	int32_t mostContacts;
	float deepest;
	int32_t mostLeft; // alone, see supContactStats
	supScene* scene;
	bool apart;
	float time;
} Show;

// Is it a scene file, by its extension?
bool IsSceneFile( const char* path );

// A file that is named in the scene file, as seen from here; one outside of the scene's folder is refused unless
// --allow-outside is given. Free with supFree. Returns exit_ok or what to exit with.
int MakeScenePath( const Show* show, const char* path, char** result );

// All return exit_ok or what to exit with, after explaining it. `method` is for actors that name none; `substeps` 0 are
// those of the file; with `apart` no two actors share a body, so that each has a document of its own.
int OpenShow( const Command* command, const char* path, const char* method, int32_t substeps, bool apart,
			  const supTasks* tasks, Show* show );
void CloseShow( Show* show );

// All actors at rest in the first pose, attachments created. May be called again to restart.
int BeginShow( Show* show );
void AdvanceShow( Show* show, float dt );

// Tells what had to be repaired or refused, if anything.
void NoteTrouble( const Show* show );

// Adds all actors and what falls or is moved, as they are now. `framing` may be NULL.
void MeasureShow( const Show* show, supBox* box, supFraming* framing );
