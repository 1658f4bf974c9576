// SPDX-License-Identifier: MIT
// What JavaScript calls (supple.js): flat functions, with pointers for objects. One thread calls them.
//
// A function that can fail says so by 0 or NULL, and supWeb_ErrorMessage says why. Answers that are not a number are
// JSON text or arrays in place.
#pragma once

#include "core/array.h"
#include "io/common/json.h"
#include "supple/io.h"

// Kept by the linker and visible to JavaScript.
#define SUP_WEB __attribute__( ( used, visibility( "default" ) ) )

// What went wrong last; cleared by whoever can fail.
extern supError g_webError;

// The threads that everything runs on.
const supTasks* supWeb_Tasks( void );

// The tree as text, which stays until the next call; "" with an error where out of memory. Takes over the tree.
const char* supWeb_Text( json_t* tree );

// Building it. Running out of memory is remembered until supWeb_Text.
void supWeb_Set( json_t* object, const char* key, json_t* value );
void supWeb_SetText( json_t* object, const char* key, const char* text );
void supWeb_SetNumber( json_t* object, const char* key, float number );
void supWeb_SetCount( json_t* object, const char* key, int64_t count );
void supWeb_SetBool( json_t* object, const char* key, bool value );
void supWeb_SetNumbers( json_t* object, const char* key, const float* numbers, int32_t count );
void supWeb_Append( json_t* array, json_t* value );

// ---------------------------------------------------------------------------------------------------------------------

// A character, the document that it came from, and clips that other skeletons brought.
typedef struct supWebCharacter
{
	supCharacter* character;
	// NULL for what is built in, until it is wanted
	supDocument* document;
	SUP_ARRAY( supClip* ) motions;
} supWebCharacter;

// Takes over both; NULL with the error that there is, or of memory.
supWebCharacter* supWeb_WrapCharacter( supCharacter* character, supDocument* document );

// Where the skin is at rest; empty where there is none. False where out of memory.
bool supWeb_FindBounds( const supCharacter* character, supBox* bounds );

// The character's own clips and then the motions; NULL out of range.
const supClip* supWeb_Clip( const supWebCharacter* own, int32_t index );

// Fills a pose from ten numbers a node and then the morph weights of all instances.
void supWeb_ReadPose( supPose* pose, const float* numbers );

// A message of our own, for what the functions of the library take as a caller's bug. Returns false.
bool supWeb_Refuse( const char* format, ... ) __attribute__( ( format( printf, 1, 2 ) ) );
