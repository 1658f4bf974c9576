// SPDX-License-Identifier: MIT
// What test_json.c does with a JSON library; json_actions.h fills it in for each.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Text
{
	char* data;
	size_t length;
	size_t capacity;
} Text;

typedef struct JsonTable
{
	// the tree, or the error, in words
	void ( *parse )( const char* bytes, size_t length, bool allowNul, bool refuseTwice, Text* text );
	// a tree after these actions, and what each returned
	void ( *act )( const uint32_t* numbers, int32_t count, Text* text );
	void ( *useHeap )( void* ( *allocate )( size_t ), void ( *release )( void* ) );
} JsonTable;

extern const JsonTable g_jansson;
extern const JsonTable g_ours;
