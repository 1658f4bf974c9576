// SPDX-License-Identifier: MIT
// The elements of flesh and their current positions, for views of the inside.
#pragma once

#include "method/method.h"
#include "supple/scene.h"

// Elements, the lines between their corners each once, and where the points are at rest. False with an error only when
// out of memory. Destroy with supFleshElements_Destroy, before the flesh.
// - elements is zero-initialised; points are in its arena
bool supFlesh_ListElements( const supFlesh* flesh, const supTasks* tasks, supFleshElements* elements, supVec3** points,
							supError* error );
void supFleshElements_Destroy( supFleshElements* elements );

// The layer that each element has its middle in, from bone to skin, with `def` the definition that the flesh was built
// from: elementCount values. False with an error where there is no skeleton to have layers around, or out of memory.
// - elements and points come from supFlesh_ListElements
bool supFlesh_FindLayers( const supFlesh* flesh, const supFleshDef* def, const supFleshElements* elements,
						  const supVec3* points, const supTasks* tasks, uint8_t* layers, supError* error );

// Where the points are now. The actor stays as it is. False only when out of memory.
// - positions has room for pointCount
bool supActor_ReadElements( const supActor* actor, int32_t pointCount, supVec3* positions, supError* error );
