// SPDX-License-Identifier: MIT
// Elements into chunks and blocks of eight.
#pragma once

#include "method/points/body.h"

typedef struct supElements
{
	int32_t arity; // points an element
	int32_t count;
	int32_t* points;
	float* inverseRests;
	float* weights;
} supElements;

// Fills chunks, blocks and shared points of a body whose points are there. False where out of memory.
bool supPackElements( supPointBody* body, const supElements* edges, const supElements* triangles,
					  const supElements* tets );
