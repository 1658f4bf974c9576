// SPDX-License-Identifier: MIT
// Attachments, as their own files see them; and all those at once that hold a body which follows as a whole.
//
// Where a force on one place of a body moves its other places too, attachments met in turn undo each other's work for
// many sweeps. So they are met together. Row i of an attachment brings its place i to its first one:
//
//     S l = g      g  the gaps as predicted,  l  forces on the places, the opposite on the first ones
//                  S = G C G^T, C the 3x3 blocks of how far a force on one place moves another one of the same body
//
// by conjugate residuals with the diagonal blocks as preconditioner, in double precision. S is never formed: a product
// takes forces to places, moves each place by what acts on its body, and takes differences.
//
// Attachments that say the same are in nobody's way: gaps then have no part along which S does not give. Those that
// contradict each other are met as nearly as they can be, and told by name.
#pragma once

#include "attach/anchor.h"
#include "scene/attachment.h"

// Where a place is to be, seen from the first; vectors of the conjugate residuals.
typedef struct supGapRow
{
	bool active;
	supMat3 inverse; // of the diagonal block
	double residual[3];
	double inside[3]; // the residual by the preconditioner
	double image[3];  // S of it
	double direction[3];
	double product[3]; // S of it
	double force[3];
} supGapRow;

typedef struct supHeldPlace
{
	supPlace def;
	// it has particles to move
	bool moves;
	supAnchor anchor;
	// where it was when the assembly began, as seen from the first place
	supVec3 gap;
	// world: where it was before the step, and where it is in the substep at hand
	supVec3 before;
	supVec3 now;

	// of the substep at hand
	supAnchorBody body;
	supVec3 predicted;
	supMat3 compliance;
	float dt;

	// of a body with a system of its own: how a force here moves its particles. No room where the body has none or too
	// many places are held; not looked at in substeps in which some of them have no room.
	bool answers;
	int32_t columnCount;
	supMat3* columns;
	bool responds;

	// of attachments that are met together
	supMat3 couplings[SUP_MAX_RESPONSES]; // how far a force on each held place of the actor moves this one
	double push[3];
	double move[3];
	supGapRow row;
} supHeldPlace;

struct supAttachment
{
	supAttachment* next;
	char name[64];
	supAttachmentKind kind;
	int32_t placeCount;
	supVec3 velocity;
	float slack;
	float assembly;
	float assembled; // seconds since it became active
	bool active;
	bool fresh;         // gaps at the beginning are still to be taken
	bool isTogether;    // met with others
	bool isRefuted;     // and contradicts them: told
	bool isComplied;    // the compliance of its places is known
	supVec3 slideStart; // velocity: where the place was before the substep
	supVec3 force;
	float gap;
	supHeldPlace places[]; // placeCount
};

// On the surface of a body with particles: takes hold of them.
// - isDrawn: the surface is drawn as the particles are now
void supHeldPlace_Init( supHeldPlace* place, const supPlace* def, bool isDrawn );

// Room for its response, as far as there may be any. False where out of memory.
bool supHeldPlace_Reserve( supHeldPlace* place );
void supHeldPlace_Destroy( supHeldPlace* place );

// A place of the world is where it was told to be; or goes there over all substeps of a step.
void supHeldPlace_StayPut( supHeldPlace* place );
void supHeldPlace_Move( supHeldPlace* place, float weight );

// Where it will be at the end of the substep; and again, after forces have acted on its body.
void supHeldPlace_Predict( supHeldPlace* place );
supVec3 supHeldPlace_PredictAgain( const supHeldPlace* place );

// How far a force moves it over the substep. Once a substep: what attachments do does not change it.
void supHeldPlace_Comply( supHeldPlace* place, float dt, const supTasks* tasks );
void supHeldPlace_Apply( supHeldPlace* place, supVec3 force );

// What share of the gap is still allowed.
float supAttachment_LeftOver( const supAttachment* attachment );

// velocity: where the place is to be
supVec3 supAttachment_VelocityGoal( const supAttachment* attachment, float dt );

static inline bool supHeldPlace_Gives( const supHeldPlace* place )
{
	return place->compliance.cx.x > 0.0f;
}

// Once a substep, when the compliance of all places is known: which are met together. False: none.
bool supPrepareTogether( supAttachment* first );

// Meets all attachments that are met together.
void supMeetTogether( supAttachment* first, float dt );
