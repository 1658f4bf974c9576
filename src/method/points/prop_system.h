// SPDX-License-Identifier: MIT
// The matrix of a prop's implicit step, assembled where the prop is and factored in every step. Points that are tied
// together are one unknown, nailed ones none. One actor's own; made again where its ties or places
// change.
#pragma once

#include "method/points/stiffness.h"

typedef struct supPropSystem
{
	int32_t* nodes; // of each point
	supStiffness stiffness;
	supFactor factor;
	supPointDirect direct;
	bool isReady;
} supPropSystem;

// NULL where conjugate gradients are cheaper. False, and NULL, where out of memory.
// - ties may be NULL; placeCount: see supMethod.createSystem
bool supCreatePropSystem( const supPointBody* body, const supTies* ties, int32_t placeCount, int32_t workerCount,
						  supPropSystem** result );
void supDestroyPropSystem( supPropSystem* system );

// Of a body at x, copies up to date.
void supPropSystem_Refactor( supPropSystem* system, const supPointBody* body, const supPointSettings* settings,
							 const float* x, const supPointStep* step );

// What was factored last; NULL where the matrix had no factor.
const supPointDirect* supPropSystem_Direct( const supPropSystem* system );
