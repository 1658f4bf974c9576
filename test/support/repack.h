// SPDX-License-Identifier: MIT
// Packs of another's making: every checksum right, one section not what it was.
#pragma once

#include "core/pack.h"
#include "support.h"

typedef enum testDamage
{
	test_damageNone,
	test_damageMissing,
	test_damageEmpty,
	test_damageShort,
	test_damageType,
	test_damageOnes,
	test_damageLarge,
	test_damageCount
} testDamage;

// The same file once more, with section `target` damaged (-1: none), in the given byte order. Freed with supFree.
uint8_t* testRepack( supPackReader* reader, supPackOrder order, int32_t target, testDamage damage, size_t* size );

// The same file, with other items in the section of this name, of the same type.
uint8_t* testReplaceSection( supPackReader* reader, const char* name, int64_t count, const void* items, size_t* size );

// The same file, with item `index` of section `target` replaced: by one of the numbers that break things, chosen by
// `value`.
uint8_t* testReplaceItem( supPackReader* reader, int32_t target, int64_t index, uint32_t value, size_t* size );
