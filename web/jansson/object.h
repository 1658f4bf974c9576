// SPDX-License-Identifier: MIT
// Objects: entries in the order in which they came, and a table to find them by their keys.
#pragma once

#include "json.h"

typedef struct supJsonEntry
{
	// by order
	struct supJsonEntry* next;
	struct supJsonEntry* previous;
	// of the same place in the table
	struct supJsonEntry* chain;
	json_t* value;
	uint64_t hash;
	char key[];
} supJsonEntry;

typedef struct supJsonObject
{
	json_t base;
	size_t count;
	supJsonEntry* first;
	supJsonEntry* last;
	// a power of two, or 0 where there is no entry yet
	size_t placeCount;
	supJsonEntry** places;
} supJsonObject;

// Releases all entries and the table.
void supClearObject( supJsonObject* object );
