// SPDX-License-Identifier: MIT
// Actors, as the scene sees them.
#pragma once

#include "method/method.h"
#include "supple/scene.h"

typedef struct supActorSurface
{
	int32_t vertexCount;
	supVec3* positions;
	supVec3* normals;
} supActorSurface;

struct supActor
{
	supScene* scene;
	supActor* next;
	const supFlesh* flesh;
	supPose* pose;     // to be reached
	supPose* previous; // reached by the last step
	supPose* between;  // of the substep at hand
	void* state;
	size_t stateSize;
	int32_t surfaceCount;
	supActorSurface* surfaces;
	float restVolume;
	float* restLengths; // of all edges of all instances, as measured in the rest pose; see measure.c
};

supActor* supCreateActor( supScene* scene, const supFlesh* flesh, supError* error );
void supDestroyActor( supActor* actor );

void supActor_Substep( supActor* actor, float weight, float dt, const supTasks* tasks, supSceneStats* stats );
void supActor_WriteSurface( supActor* actor, const supTasks* tasks );

// measure.c: takes the present surface as the shape at rest. False where out of memory.
bool supActor_RememberRest( supActor* actor );

const supTasks* supScene_Tasks( const supScene* scene );
