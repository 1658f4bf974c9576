// SPDX-License-Identifier: MIT
// The inside of a character, and what its builders share.
//
// A character is made in one pass over its definition: each builder checks, repairs and copies one kind of thing into
// the character's arena. What depends on something else comes after it: nodes, images, materials, meshes, skins,
// instances, clips.
#pragma once

#include "core/arena.h"
#include "core/array.h"
#include "supple/character.h"

// More than this of anything is refused as absurd; products with small factors still fit 32 bits.
#define SUP_MAX_COUNT ( 1 << 26 )

struct supCharacter
{
	supArena arena;
	const char* name;
	int32_t nodeCount;
	int32_t skinCount;
	int32_t meshCount;
	int32_t instanceCount;
	int32_t materialCount;
	int32_t imageCount;
	int32_t clipCount;
	int32_t noteCount;
	supNode* nodes;
	supSkin* skins;
	supMesh* meshes;
	supInstance* instances;
	supMaterial* materials;
	supImage* images;
	supClip* clips;
	supNote* notes;
	float unitScale;
	float givenUnit; // see supCharacter_SetUnit; 1 where nobody has said anything

	// parents before children
	int32_t* nodeOrder;
	bool* isJoint;
	// largest joint index with weight, plus one, of each mesh
	int32_t* meshJointCounts;
	// first instance on each node, and the next on the same node; -1 at the end
	int32_t* firstInstances;
	int32_t* nextInstances;
	// where the morph weights of an instance start among those of all; instanceCount + 1
	int32_t* morphStarts;
	// where the joints of a skin start among those of all; skinCount + 1
	int32_t* jointStarts;
};

// Of what flesh is built from: skeleton, skins, shapes, weights and softness. Names, clips, colours and pictures may
// differ. The same on every machine.
uint64_t supCharacter_BodyHash( const supCharacter* character );

// How often something was found, and where first: notes are summaries, however large or hostile the input.
typedef struct supTally
{
	int32_t count;
	int32_t first;
} supTally;

static inline void supTally_Add( supTally* tally, int32_t index )
{
	tally->first = tally->count == 0 ? index : tally->first;
	tally->count += 1;
}

typedef struct supCharacterBuilder
{
	const supCharacterDef* def;
	supCharacter* character;
	supArena* arena;
	supError* error;
	SUP_ARRAY( supNote ) notes;
	// what all meshes together ask for
	int64_t vertexTotal;
	int64_t indexTotal;
	int64_t targetTotal;
	supTally badRotations;
	supTally longRotations;
	supTally badMaterials;
	supTally rigidInstances;
	supTally badMorphWeights;
	char place[128];
} supCharacterBuilder;

// Formats a place inside the definition for an error; valid until the next call.
const char* supAt( supCharacterBuilder* builder, const char* format, ... ) SUP_PRINTF( 2, 3 );

// Out of memory is remembered by the arena.
void supAddNote( supCharacterBuilder* builder, bool repaired, const char* format, ... ) SUP_PRINTF( 3, 4 );

// False and an error where `count` is negative or absurd, or `items` is missing.
bool supCheckCount( supCharacterBuilder* builder, int64_t count, const void* items, const char* place );

// Each returns false with the error set.
bool supBuildNodes( supCharacterBuilder* builder );
bool supBuildImages( supCharacterBuilder* builder );
bool supBuildMaterials( supCharacterBuilder* builder );
bool supBuildMeshes( supCharacterBuilder* builder );
bool supBuildSkins( supCharacterBuilder* builder );
bool supBuildInstances( supCharacterBuilder* builder );
bool supBuildClips( supCharacterBuilder* builder );

// The weights of one mesh: sorted, at most eight, sum one.
bool supBuildWeights( supCharacterBuilder* builder, int32_t meshIndex, supMesh* mesh );
