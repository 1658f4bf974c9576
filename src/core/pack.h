// SPDX-License-Identifier: MIT
// A pack: named arrays of numbers in one block of bytes, which is what a .flesh file is.
//
//     header, 64 bytes | table of sections, 64 bytes each, sorted by name | sections, each starting at a multiple of 64
//
// A reader hands out pointers into the block and copies nothing, so that a file mapped into memory is used as it lies
// there. Packs are written little-endian. A block of the other byte order is read too, through one swapped copy, which
// is what a big-endian machine does with every file.
//
// Writing is a list of supPackWriter_Add without any check; running out of memory is reported at the end. Reading is a
// list of supPackReader_Get and the like; what is missing or wrong gives NULL or 0 and sets `failed` and the error, the
// first of them only, so one check at the end is enough where the pointers are not followed before it.
#pragma once

#include "core/arena.h"
#include "core/array.h"

typedef enum supPackType
{
	sup_packU8,
	sup_packU16,
	sup_packU32,
	sup_packI32,
	sup_packI64,
	sup_packF32,
	sup_packF64,
	sup_packTypeCount
} supPackType;

typedef enum supPackOrder
{
	sup_packLittle,
	sup_packBig,
} supPackOrder;

// Longest name with the groups that it is in ("skin/binding/weights"), and its final zero.
#define SUP_PACK_NAME_SIZE 40

// The most sections in a pack.
#define SUP_PACK_MAX_SECTIONS 4096

// Bytes of one item.
size_t supPackItemSize( supPackType type );

// ---------------------------------------------------------------------------------------------------------------------
// Writing

typedef struct supPackSection
{
	char name[SUP_PACK_NAME_SIZE];
	supPackType type;
	int64_t count;
	const void* items;
	uint64_t offset; // in the block
} supPackSection;

// Zero-initialised is a valid empty writer.
typedef struct supPackWriter
{
	supPackOrder order;
	bool failed; // out of memory
	supArena arena;
	SUP_ARRAY( supPackSection ) sections;
	char group[SUP_PACK_NAME_SIZE];
} supPackWriter;

void supPackWriter_Destroy( supPackWriter* writer );

// Copies `count` items; a section may be empty. Structures of floats alone go in as floats: 3 * n for n supVec3.
// - the name is not empty, not taken, without '/', and fits with the groups that it is in
// - items may be NULL where count is 0
void supPackWriter_Add( supPackWriter* writer, const char* name, supPackType type, int64_t count, const void* items );

// A section of one item, and of the bytes of a text without its final zero.
void supPackWriter_AddInt( supPackWriter* writer, const char* name, int32_t value );
void supPackWriter_AddFloat( supPackWriter* writer, const char* name, float value );
void supPackWriter_AddString( supPackWriter* writer, const char* name, const char* text );

// Puts "group/" before the names that follow, until left. Groups nest.
void supPackWriter_Enter( supPackWriter* writer, const char* group );
void supPackWriter_Leave( supPackWriter* writer );

// The finished block, 64-byte aligned; the same sections give the same bytes. Free with supFree. NULL where out of
// memory now or before.
// - once, with all groups left
uint8_t* supPackWriter_Finish( supPackWriter* writer, size_t* byteCount, supError* error );

// ---------------------------------------------------------------------------------------------------------------------
// Reading

typedef struct supPackReader
{
	const uint8_t* bytes; // of this machine's byte order
	uint8_t* swapped;     // the copy where the block was of the other, else NULL
	int32_t sectionCount;
	bool failed;
	supError* error;
	const char* name; // of the file, for messages
	char group[SUP_PACK_NAME_SIZE];
} supPackReader;

// Checks size, version, checksum and table. False with an error, and nothing to close.
// - bytes are 64-byte aligned and outlive the reader and all that it handed out
// - name outlives the reader; error may be NULL, else it outlives the reader too
bool supPackReader_Open( supPackReader* reader, const void* bytes, size_t byteCount, const char* name,
						 supError* error );

// What was handed out goes with it only where the block was of the other byte order; see supPackReader_TakeCopy.
void supPackReader_Close( supPackReader* reader );

// The copy that the pointers lead into, to be freed with supFree when they are no longer needed; NULL where they lead
// into the block itself.
uint8_t* supPackReader_TakeCopy( supPackReader* reader );

// False where there is no such section in this group. No error.
bool supPackReader_Has( const supPackReader* reader, const char* name );

// How many items the section has, of whatever type; 0 with an error if there is none.
int64_t supPackReader_Count( supPackReader* reader, const char* name );

// The items, 64-byte aligned. NULL with an error where the section is missing, or of another type or count, or where a
// f32 or f64 is not finite: no file has a reason to hold such a number. An empty section gives a pointer that is not
// NULL.
const void* supPackReader_Get( supPackReader* reader, const char* name, supPackType type, int64_t count );

// The same for i32, each of which must lie in [lower, upper]: a file is not to be trusted with an index.
const int32_t* supPackReader_GetInts( supPackReader* reader, const char* name, int64_t count, int32_t lower,
									  int32_t upper );

// The same for f32.
const float* supPackReader_GetFloats( supPackReader* reader, const char* name, int64_t count );

// One item; `lower` or 0 with an error.
int32_t supPackReader_GetInt( supPackReader* reader, const char* name, int32_t lower, int32_t upper );
float supPackReader_GetFloat( supPackReader* reader, const char* name );

// Into `text`, with a final zero. False with an error and "" where it does not fit or has a zero inside.
bool supPackReader_GetString( supPackReader* reader, const char* name, char* text, size_t capacity );

void supPackReader_Enter( supPackReader* reader, const char* group );
void supPackReader_Leave( supPackReader* reader );

// Fails the reader with an error at this section: for what only the caller can check. Returns false.
bool supPackReader_Refuse( supPackReader* reader, const char* name, const char* format, ... ) SUP_PRINTF( 3, 4 );

// The same with the error of a function that was given what the file says. Running out of memory stays that.
bool supPackReader_PassError( supPackReader* reader, const supError* error );

// Name and type of each section, in the order of their names.
typedef struct supPackEntry
{
	const char* name;
	supPackType type;
	int64_t count;
} supPackEntry;

supPackEntry supPackReader_Entry( const supPackReader* reader, int32_t index );
