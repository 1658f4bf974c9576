// SPDX-License-Identifier: MIT
// Attachments, as the scene sees them.
#pragma once

#include "scene/actor.h"

typedef struct supGapSystem supGapSystem;

// All attachments of a scene, in the order in which they were made.
typedef struct supAttachments
{
	supAttachment* first;
	supAttachment* last;
	int32_t count;
	// active ones that are no ties; room for `capacity`
	int32_t generalCount;
	int32_t capacity;
	supAttachment** general;
	// actors with places that are no ties, in the order of their first one; room for `placeCount`, which counts places
	// of all attachments
	int32_t holderCount;
	int32_t placeCount;
	int32_t holderCapacity;
	supActor** holders;
	// of the general ones; NULL: conjugate residuals
	supGapSystem* gaps;
	// gaps has the numbers of the substep at hand; or it cannot be solved with
	bool isFactored;
	bool isDependent;
	// the largest gap in the substep at hand, 0 if all were closed
	double startGap;
	// one was made, switched or removed: what is tied is to be found again
	bool isStale;
	// actors with ties are linked; scratch: three numbers for each particle of the largest body
	supActor* firstTied;
	double* scratch;
	int32_t scratchCount;
} supAttachments;

void supAttachments_Destroy( supAttachments* system );

// NULL with an error.
supAttachment* supAttachments_Add( supAttachments* system, const supAttachmentDef* def, supError* error );
void supAttachments_Remove( supAttachments* system, supAttachment* attachment );

// All that hold a place of the actor.
void supAttachments_RemoveActor( supAttachments* system, const supActor* actor );

// Before a step: whoever is held does not sleep.
void supAttachments_Begin( supAttachments* system );

// Before each substep's predict, with the poses of the substep: where ties are to be at its end.
void supAttachments_PrepareTies( supAttachments* system, float weight, float dt );

// Between solve and finish of the substep that ends at `weight` of the step.
// - rounds: how often what disturbs each other is repeated at most
void supAttachments_Solve( supAttachments* system, int32_t rounds, float weight, float dt, const supTasks* tasks );

// After the last substep, when surfaces are drawn: gaps, and what breaks.
void supAttachments_End( supAttachments* system );

// attachment_ties.c: of an actor that has any in use; or NULL
supTies* supActor_Ties( supActor* actor );
void supActor_DestroyTies( supActor* actor );
