// SPDX-License-Identifier: MIT
// Colliders, as the scene sees them.
#pragma once

#include "contact/touch.h"
#include "scene/actor.h"

// Metres in a step beyond which a collider is put where it is told instead of being moved there.
#define SUP_COLLIDER_JUMP 100.0f

// m/s
#define SUP_COLLIDER_FASTEST 1000.0f

struct supCollider
{
	supScene* scene;
	char name[64];
	supShape shape;
	supColliderMotion motion;
	float friction;
	float restitution;
	float mass;
	supColliderState state;
	// points that are held against other colliders, in its own space, all grown by a radius (FindPoints)
	int32_t pointCount;
	supVec3* points;
	float pointRadius;
	// put somewhere since the last step
	bool wasPlaced;
	// of the step at hand: where it began, and whether it moves
	supPlacement before;
	bool moves;
};

// NULL with an error. Not yet in any scene.
supCollider* supCreateCollider( supScene* scene, const supColliderDef* def, supError* error );
void supDestroyCollider( supCollider* collider );

// Before the substeps. Counts jumps.
void supCollider_Begin( supCollider* collider, supContactStats* stats );

// The rigid body of the substep that ends at `weight` of the step, `dt` long: still and kinematic ones are where they
// will be, dynamic ones are predicted.
void supCollider_Predict( const supCollider* collider, supRigid* rigid, float weightBefore, float weight,
						  supVec3 gravity, float dt );

// Takes over what became of it.
void supCollider_Take( supCollider* collider, const supRigid* rigid, supContactStats* stats );

// After the substeps.
void supCollider_End( supCollider* collider, float dt, bool maySleep );

void supCollider_WakeUp( supCollider* collider );

static inline supPlacement supCollider_Placement( const supCollider* collider )
{
	return ( supPlacement ){ collider->state.position, collider->state.rotation };
}

// Where it was before the step and where it will be, as far as one can tell before the step.
supBox supCollider_SweptBox( const supCollider* collider, float dt );
