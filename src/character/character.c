// SPDX-License-Identifier: MIT
#include "character/character.h"

#include "core/hash.h"

#include <stdio.h>

#define CHARACTER_COOKIE 1131898977

supCharacterDef supDefaultCharacterDef( void )
{
	return ( supCharacterDef ){ .name = "", .unitScale = 1.0f, .cookie = CHARACTER_COOKIE };
}

// ---------------------------------------------------------------------------------------------------------------------
// What the builders share

const char* supAt( supCharacterBuilder* builder, const char* format, ... )
{
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( builder->place, sizeof( builder->place ), format, arguments );
	va_end( arguments );
	return builder->place;
}

void supAddNote( supCharacterBuilder* builder, bool repaired, const char* format, ... )
{
	char text[512];
	va_list arguments;
	va_start( arguments, format );
	vsnprintf( text, sizeof( text ), format, arguments );
	va_end( arguments );
	const char* copy = supArena_CopyString( builder->arena, text );
	if ( copy == NULL || SUP_PUSH( &builder->notes, ( supNote ){ repaired, copy } ) == false )
	{
		builder->arena->failed = true;
	}
}

bool supCheckCount( supCharacterBuilder* builder, int64_t count, const void* items, const char* place )
{
	if ( count < 0 )
	{
		return supSetError( builder->error, sup_errorFormat, place, "must not be negative (got %lld)",
							(long long)count );
	}
	if ( count > SUP_MAX_COUNT )
	{
		return supSetError( builder->error, sup_errorTooLarge, place, "a count of %lld exceeds the limit of %d",
							(long long)count, SUP_MAX_COUNT );
	}
	if ( count > 0 && items == NULL )
	{
		return supSetError( builder->error, sup_errorArgument, place, "the count is %lld but the array is NULL",
							(long long)count );
	}
	return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Creating

static bool BuildNotes( supCharacterBuilder* builder )
{
	supCharacter* character = builder->character;
	character->noteCount = builder->notes.count;
	character->notes =
		supArena_CopyArray( builder->arena, builder->notes.data, (size_t)builder->notes.count, sizeof( supNote ) );
	return character->notes != NULL;
}

static bool TakeNotes( supCharacterBuilder* builder )
{
	const supCharacterDef* def = builder->def;
	if ( supCheckCount( builder, def->noteCount, def->notes, "notes" ) == false )
	{
		return false;
	}
	for ( int32_t i = 0; i < def->noteCount; ++i )
	{
		const char* text = supArena_CopyString( builder->arena, def->notes[i].text );
		if ( text == NULL || SUP_PUSH( &builder->notes, ( supNote ){ def->notes[i].repaired, text } ) == false )
		{
			return false;
		}
	}
	return true;
}

static bool Build( supCharacterBuilder* builder )
{
	const supCharacterDef* def = builder->def;
	supCharacter* character = builder->character;
	if ( !( def->unitScale > 0.0f ) || supIsFinite( def->unitScale ) == false )
	{
		return supSetError( builder->error, sup_errorArgument, "unitScale",
							"must be a positive number of metres per unit (got %g)", (double)def->unitScale );
	}
	character->unitScale = def->unitScale;
	character->givenUnit = 1.0f;
	character->name = supArena_CopyString( builder->arena, def->name );
	bool ok = character->name != NULL && TakeNotes( builder );
	ok = ok && supBuildNodes( builder ) && supBuildImages( builder ) && supBuildMaterials( builder );
	ok = ok && supBuildMeshes( builder ) && supBuildSkins( builder ) && supBuildInstances( builder );
	return ok && supBuildClips( builder ) && BuildNotes( builder ) && builder->arena->failed == false;
}

supCharacter* supCreateCharacter( const supCharacterDef* def, supError* error )
{
	SUP_ASSERT( def->cookie == CHARACTER_COOKIE );
	supClearError( error );
	supCharacter* character = supAllocZeroed( sizeof( supCharacter ) );
	if ( character == NULL )
	{
		supSetMemoryError( error );
		return NULL;
	}
	supCharacterBuilder builder = { .def = def, .character = character, .arena = &character->arena, .error = error };
	bool ok = Build( &builder );
	SUP_FREE_ARRAY( &builder.notes );
	if ( ok == false )
	{
		// builders that find fault say so; the others ran out of memory
		supSetMemoryError( error );
		supDestroyCharacter( character );
		return NULL;
	}
	return character;
}

void supDestroyCharacter( supCharacter* character )
{
	if ( character != NULL )
	{
		supArena_Destroy( &character->arena );
		supFree( character );
	}
}

// ---------------------------------------------------------------------------------------------------------------------
// Looking

const char* supCharacter_Name( const supCharacter* character )
{
	return character->name;
}

float supCharacter_UnitScale( const supCharacter* character )
{
	return character->unitScale;
}

#define DEFINE_ACCESSORS( type, Name, array, count )                                                                   \
	int32_t supCharacter_##Name##Count( const supCharacter* character )                                                \
	{                                                                                                                  \
		return character->count;                                                                                       \
	}                                                                                                                  \
	const type* supCharacter_##Name( const supCharacter* character, int32_t index )                                    \
	{                                                                                                                  \
		SUP_ASSERT( 0 <= index && index < character->count );                                                          \
		return character->array + index;                                                                               \
	}

DEFINE_ACCESSORS( supNode, Node, nodes, nodeCount )
DEFINE_ACCESSORS( supSkin, Skin, skins, skinCount )
DEFINE_ACCESSORS( supMesh, Mesh, meshes, meshCount )
DEFINE_ACCESSORS( supInstance, Instance, instances, instanceCount )
DEFINE_ACCESSORS( supMaterial, Material, materials, materialCount )
DEFINE_ACCESSORS( supImage, Image, images, imageCount )
DEFINE_ACCESSORS( supClip, Clip, clips, clipCount )
DEFINE_ACCESSORS( supNote, Note, notes, noteCount )

int32_t supCharacter_FindNode( const supCharacter* character, const char* name )
{
	for ( int32_t i = 0; i < character->nodeCount; ++i )
	{
		if ( strcmp( character->nodes[i].name, name ) == 0 )
		{
			return i;
		}
	}
	return -1;
}

// ASCII only: the meaning of other letters would depend on the machine's locale.
static bool EqualIgnoringCase( const char* a, const char* b )
{
	for ( ; *a != 0 || *b != 0; ++a, ++b )
	{
		char lowerA = *a >= 'A' && *a <= 'Z' ? (char)( *a - 'A' + 'a' ) : *a;
		char lowerB = *b >= 'A' && *b <= 'Z' ? (char)( *b - 'A' + 'a' ) : *b;
		if ( lowerA != lowerB )
		{
			return false;
		}
	}
	return true;
}

const supClip* supCharacter_FindClip( const supCharacter* character, const char* name )
{
	const supClip* similar = NULL;
	int32_t similarCount = 0;
	for ( int32_t i = 0; i < character->clipCount; ++i )
	{
		const supClip* clip = character->clips + i;
		if ( strcmp( clip->name, name ) == 0 )
		{
			return clip;
		}
		if ( EqualIgnoringCase( clip->name, name ) )
		{
			similar = clip;
			similarCount += 1;
		}
	}
	return similarCount == 1 ? similar : NULL;
}

const int32_t* supCharacter_NodeOrder( const supCharacter* character )
{
	return character->nodeOrder;
}

bool supCharacter_IsJoint( const supCharacter* character, int32_t node )
{
	SUP_ASSERT( 0 <= node && node < character->nodeCount );
	return character->isJoint[node];
}

// ---------------------------------------------------------------------------------------------------------------------
// Fingerprint: field by field, since structures have padding and pointers.

static uint64_t HashInt( uint64_t hash, int64_t value )
{
	return supHashBytes( hash, &value, sizeof( value ) );
}

static uint64_t HashArray( uint64_t hash, const void* items, int64_t count, size_t itemSize )
{
	hash = HashInt( hash, items != NULL ? count : -1 );
	return items != NULL ? supHashBytes( hash, items, (size_t)count * itemSize ) : hash;
}

static uint64_t HashNodes( uint64_t hash, const supCharacter* character )
{
	for ( int32_t i = 0; i < character->nodeCount; ++i )
	{
		const supNode* node = character->nodes + i;
		hash = supHashString( hash, node->name );
		hash = HashInt( hash, node->parent );
		hash = HashInt( hash, node->hasMatrix );
		hash = node->hasMatrix ? supHashBytes( hash, &node->matrix, sizeof( node->matrix ) )
							   : supHashBytes( hash, &node->rest, sizeof( node->rest ) );
	}
	for ( int32_t i = 0; i < character->skinCount; ++i )
	{
		const supSkin* skin = character->skins + i;
		hash = supHashString( hash, skin->name );
		hash = HashArray( hash, skin->joints, skin->jointCount, sizeof( int32_t ) );
		hash = HashArray( hash, skin->inverseBinds, skin->jointCount, sizeof( supMat34 ) );
	}
	return hash;
}

static uint64_t HashMesh( uint64_t hash, const supMesh* mesh )
{
	int64_t weightCount = (int64_t)mesh->vertexCount * mesh->influences;
	hash = supHashString( hash, mesh->name );
	hash = HashArray( hash, mesh->indices, mesh->indexCount, sizeof( uint32_t ) );
	hash = HashArray( hash, mesh->positions, mesh->vertexCount, sizeof( supVec3 ) );
	hash = HashArray( hash, mesh->normals, mesh->vertexCount, sizeof( supVec3 ) );
	hash = HashArray( hash, mesh->tangents, mesh->vertexCount, sizeof( supVec4 ) );
	hash = HashArray( hash, mesh->texcoords, mesh->vertexCount, sizeof( supVec2 ) );
	hash = HashArray( hash, mesh->colors, mesh->vertexCount, sizeof( supVec4 ) );
	hash = mesh->softness != NULL ? HashArray( hash, mesh->softness, mesh->vertexCount, sizeof( float ) ) : hash;
	hash = HashInt( hash, mesh->influences );
	hash = HashArray( hash, mesh->joints, weightCount, sizeof( uint16_t ) );
	hash = HashArray( hash, mesh->weights, weightCount, sizeof( float ) );
	hash = HashArray( hash, mesh->primitives, mesh->primitiveCount, sizeof( supPrimitive ) );
	for ( int32_t i = 0; i < mesh->targetCount; ++i )
	{
		const supMorphTarget* target = mesh->targets + i;
		hash = supHashString( hash, target->name );
		hash = HashArray( hash, target->positions, mesh->vertexCount, sizeof( supVec3 ) );
		hash = HashArray( hash, target->normals, mesh->vertexCount, sizeof( supVec3 ) );
		hash = HashArray( hash, target->tangents, mesh->vertexCount, sizeof( supVec3 ) );
	}
	return hash;
}

static uint64_t HashMaterials( uint64_t hash, const supCharacter* character )
{
	for ( int32_t i = 0; i < character->materialCount; ++i )
	{
		const supMaterial* m = character->materials + i;
		float numbers[] = { m->baseColor.x, m->baseColor.y, m->baseColor.z, m->baseColor.w, m->metallic,
							m->roughness,   m->emissive.x,  m->emissive.y,  m->emissive.z,  m->alphaCutoff };
		hash = supHashString( hash, m->name );
		hash = supHashBytes( hash, numbers, sizeof( numbers ) );
		hash = HashInt( hash, m->baseColorImage );
		hash = HashInt( hash, (int64_t)m->alphaMode );
		hash = HashInt( hash, m->doubleSided );
	}
	for ( int32_t i = 0; i < character->imageCount; ++i )
	{
		const supImage* image = character->images + i;
		hash = supHashString( hash, image->name );
		hash = supHashString( hash, image->mimeType );
		hash = supHashString( hash, image->uri );
		hash = HashArray( hash, image->bytes, (int64_t)image->byteCount, 1 );
	}
	return hash;
}

static uint64_t HashClips( uint64_t hash, const supCharacter* character )
{
	for ( int32_t i = 0; i < character->clipCount; ++i )
	{
		const supClip* clip = character->clips + i;
		hash = supHashString( hash, clip->name );
		hash = HashInt( hash, clip->channelCount );
		for ( int32_t k = 0; k < clip->channelCount; ++k )
		{
			const supChannel* channel = clip->channels + k;
			int64_t perKey = channel->interpolation == sup_interpolationCubicSpline ? 3 : 1;
			int64_t fields[] = { channel->node, channel->path, channel->interpolation, channel->width };
			hash = supHashBytes( hash, fields, sizeof( fields ) );
			hash = HashArray( hash, channel->times, channel->keyCount, sizeof( float ) );
			hash = HashArray( hash, channel->values, perKey * channel->keyCount * channel->width, sizeof( float ) );
		}
	}
	return hash;
}

uint64_t supCharacter_Hash( const supCharacter* character )
{
	int64_t counts[] = { character->nodeCount,     character->skinCount,     character->meshCount,
						 character->instanceCount, character->materialCount, character->imageCount,
						 character->clipCount };
	uint64_t hash = supHashString( SUP_HASH_SEED, character->name );
	hash = supHashBytes( hash, counts, sizeof( counts ) );
	hash = supHashBytes( hash, &character->unitScale, sizeof( float ) );
	hash = HashNodes( hash, character );
	for ( int32_t i = 0; i < character->meshCount; ++i )
	{
		hash = HashMesh( hash, character->meshes + i );
	}
	for ( int32_t i = 0; i < character->instanceCount; ++i )
	{
		const supInstance* instance = character->instances + i;
		int64_t fields[] = { instance->node, instance->mesh, instance->skin };
		hash = supHashBytes( hash, fields, sizeof( fields ) );
		hash =
			HashArray( hash, instance->morphWeights, character->meshes[instance->mesh].targetCount, sizeof( float ) );
	}
	hash = HashMaterials( hash, character );
	return HashClips( hash, character );
}

// Numbers one by one, so that machines of either byte order agree.
static uint64_t HashWords( uint64_t hash, const void* items, int64_t count )
{
	const unsigned char* bytes = items;
	hash = HashInt( hash, items != NULL ? count : -1 );
	for ( int64_t i = 0; items != NULL && i < count; ++i )
	{
		uint32_t word;
		memcpy( &word, bytes + 4 * i, 4 );
		hash = HashInt( hash, word );
	}
	return hash;
}

static uint64_t HashBodyMesh( uint64_t hash, const supMesh* mesh )
{
	int64_t weightCount = (int64_t)mesh->vertexCount * mesh->influences;
	hash = HashWords( hash, mesh->indices, mesh->indexCount );
	hash = HashWords( hash, mesh->positions, 3 * (int64_t)mesh->vertexCount );
	hash = HashWords( hash, mesh->normals, 3 * (int64_t)mesh->vertexCount );
	hash = HashWords( hash, mesh->softness, mesh->vertexCount );
	hash = HashWords( hash, mesh->weights, weightCount );
	for ( int64_t i = 0; i < weightCount; ++i )
	{
		hash = HashInt( hash, mesh->joints[i] );
	}
	for ( int32_t i = 0; i < mesh->targetCount; ++i )
	{
		hash = HashWords( hash, mesh->targets[i].positions, 3 * (int64_t)mesh->vertexCount );
	}
	return hash;
}

uint64_t supCharacter_BodyHash( const supCharacter* character )
{
	uint64_t hash = SUP_HASH_SEED;
	for ( int32_t i = 0; i < character->nodeCount; ++i )
	{
		const supNode* node = character->nodes + i;
		hash = HashInt( hash, node->parent );
		hash = node->hasMatrix ? HashWords( hash, &node->matrix, sizeof( node->matrix ) / 4 )
							   : HashWords( hash, &node->rest, sizeof( node->rest ) / 4 );
	}
	for ( int32_t i = 0; i < character->skinCount; ++i )
	{
		const supSkin* skin = character->skins + i;
		hash = HashWords( hash, skin->joints, skin->jointCount );
		hash = HashWords( hash, skin->inverseBinds, skin->jointCount * (int64_t)( sizeof( supMat34 ) / 4 ) );
	}
	for ( int32_t i = 0; i < character->meshCount; ++i )
	{
		hash = HashBodyMesh( hash, character->meshes + i );
	}
	for ( int32_t i = 0; i < character->instanceCount; ++i )
	{
		const supInstance* instance = character->instances + i;
		hash = HashInt( HashInt( HashInt( hash, instance->node ), instance->mesh ), instance->skin );
		hash = HashWords( hash, instance->morphWeights, character->meshes[instance->mesh].targetCount );
	}
	return hash;
}
