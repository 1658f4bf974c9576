// SPDX-License-Identifier: MIT
// Bodies that answer contacts together; see response.c.
#pragma once

#include "method/layered/layered.h"

typedef struct Group
{
	const supContactParty* parties;
	int32_t count;
	int32_t rigidCount;
	supContactRigid* rigids;
	bool hasPairs; // or rigid bodies
} Group;

static inline supLayeredRun* RunAt( const Group* group, int32_t party )
{
	return group->parties[party].work;
}

static inline int32_t TouchCount( const supLayeredRun* run )
{
	return run->view.header->touchCount;
}

// The second node of a touch of two nodes.
static inline const supLayeredRun* OtherRun( const Group* group, const supNodeTouch* touch, supTouchWork** work )
{
	if ( touch->isPair == false )
	{
		*work = NULL;
		return NULL;
	}
	const supLayeredRun* other = RunAt( group, touch->otherParty );
	*work = other->view.work + touch->otherTouch;
	return other;
}

// The rigid body that a touch presses on, or NULL.
static inline supContactRigid* RigidOf( const Group* group, const supNodeTouch* touch )
{
	return touch->rigid > 0 && touch->rigid <= group->rigidCount ? group->rigids + touch->rigid - 1 : NULL;
}

static inline bool IsPushing( const supNodeTouch* touch )
{
	return touch->isFollower == false && touch->state != sup_touchOff;
}

// coupled_contacts.c
// to := each skeleton's own answer to from
void supLayered_SolveOwn( const supLayeredRun* run, const double* from, double* to );
// From each body's own answer, in boneSpeeds, to that of all.
void supLayered_SolveTogether( const Group* group );
