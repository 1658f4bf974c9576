// SPDX-License-Identifier: MIT
// Walking through a JSON tree that a person wrote: the place of each value is known for messages, unknown keys are
// told with those that are known.
#pragma once

#include "core/arena.h"
#include "io/common/json.h"
#include "supple/io.h"

// A value and how it is called: "softness[2].radius".
typedef struct supJsonPlace
{
	const json_t* value;
	const char* file;
	supError* error;
	char path[96];
} supJsonPlace;

// The value of a key, or an item of an array; `value` is NULL if there is none.
supJsonPlace supJsonPlace_Get( const supJsonPlace* object, const char* key );
supJsonPlace supJsonPlace_At( const supJsonPlace* array, size_t index );

// Sets the error at this place. Returns false.
bool supJsonPlace_Refuse( const supJsonPlace* place, const char* format, ... ) SUP_PRINTF( 2, 3 );

// Is it an object with no other keys than these? The list ends with NULL.
bool supJsonPlace_CheckKeys( const supJsonPlace* place, const char* const* keys );

// Each leaves `out` as it is where the key is missing.
bool supJsonPlace_ReadNumber( const supJsonPlace* object, const char* key, float lower, float upper, float* out );
bool supJsonPlace_ReadVec3( const supJsonPlace* object, const char* key, supVec3* out );
// A text that is not empty, in the arena.
bool supJsonPlace_ReadText( const supJsonPlace* object, const char* key, supArena* arena, const char** out );
// The number of the word in the list, which ends with NULL.
bool supJsonPlace_ReadWord( const supJsonPlace* object, const char* key, const char* const* words, int32_t* out );

// Words of settings files, in the order of the enumerations; they end with NULL.
extern const char* const supSoftShapeNames[];
extern const char* const supJointKindNames[];

// A float as the double whose shortest decimal is short too.
double supShortenFloat( float value );
