// SPDX-License-Identifier: MIT
// The built-in characters. Everything is computed, with the library's own trigonometry, so that each is the same bits
// on every machine. All are closed surfaces.
#pragma once

#include "supple/character.h"

typedef struct supModel
{
	const char* name;
	const char* description; // one line
	// Destroy the character with supDestroyCharacter. NULL only when out of memory.
	supCharacter* ( *create )( supError* error );
} supModel;

int32_t supGetModelCount( void );
const supModel* supGetModel( int32_t index );

// NULL where there is none of this name.
const supModel* supFindModel( const char* name );
