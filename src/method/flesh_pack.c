// SPDX-License-Identifier: MIT
// Flesh into a pack and out again: what every method has in common, then in a group of its own what the method adds.
//
//     flesh/method, flesh/version       which table of functions, and of which age
//     flesh/character, flesh/body       the character it belongs to: its name, and the hash of its body
//     flesh/hash                        of what it was built with
//     flesh/parameters, .../values      names, each with a zero behind it, and numbers
//     flesh/regions, flesh/tuning       soft regions likewise: names; frequency and damping of each
//     flesh/reaches                     how far each vertex gets from skinning, where a region limits that
//     own/...                           the method's
#include "character/character.h"
#include "method/method.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_REGIONS 65536

// Names are cut to this; they are for messages only.
#define CHARACTER_NAME_SIZE 128

// ---------------------------------------------------------------------------------------------------------------------
// Writing

typedef const char* NameFcn( const supFlesh* flesh, int32_t index );

static const char* ParameterName( const supFlesh* flesh, int32_t index )
{
	return flesh->method->parameters[index].name;
}

static const char* RegionName( const supFlesh* flesh, int32_t index )
{
	return flesh->regionNames[index];
}

static void AddNames( const supFlesh* flesh, supPackWriter* writer, const char* section, NameFcn* nameOf,
					  int32_t count )
{
	size_t size = 0;
	for ( int32_t i = 0; i < count; ++i )
	{
		size += strlen( nameOf( flesh, i ) ) + 1;
	}
	char* names = supAlloc( size );
	if ( names == NULL )
	{
		writer->failed = true;
		return;
	}
	char* end = names;
	for ( int32_t i = 0; i < count; ++i )
	{
		size_t length = strlen( nameOf( flesh, i ) ) + 1;
		memcpy( end, nameOf( flesh, i ), length );
		end += length;
	}
	supPackWriter_Add( writer, section, sup_packU8, (int64_t)size, names );
	supFree( names );
}

static void AddCommon( const supFlesh* flesh, supPackWriter* writer )
{
	char name[CHARACTER_NAME_SIZE];
	snprintf( name, sizeof( name ), "%s", supCharacter_Name( flesh->character ) );
	int64_t body = (int64_t)supCharacter_BodyHash( flesh->character );
	int64_t hash = (int64_t)flesh->hash;
	supPackWriter_Enter( writer, "flesh" );
	supPackWriter_AddString( writer, "method", flesh->method->name );
	supPackWriter_AddInt( writer, "version", flesh->method->fleshVersion );
	supPackWriter_AddString( writer, "character", name );
	supPackWriter_Add( writer, "body", sup_packI64, 1, &body );
	supPackWriter_Add( writer, "hash", sup_packI64, 1, &hash );
	AddNames( flesh, writer, "parameters", ParameterName, flesh->method->parameterCount );
	supPackWriter_Add( writer, "values", sup_packF32, flesh->method->parameterCount, flesh->parameters );
	AddNames( flesh, writer, "regions", RegionName, flesh->regionCount );
	supPackWriter_Add( writer, "tuning", sup_packF32, 2 * (int64_t)flesh->regionCount, flesh->regions );
	if ( flesh->reaches != NULL )
	{
		supPackWriter_Add( writer, "reaches", sup_packF32, flesh->reachCount, flesh->reaches );
	}
	supPackWriter_Leave( writer );
}

uint8_t* supWriteFlesh( const supFlesh* flesh, size_t* byteCount, supError* error )
{
	supClearError( error );
	*byteCount = 0;
	if ( flesh->own != NULL && flesh->method->saveFlesh == NULL )
	{
		supSetError( error, sup_errorUnsupported, NULL, "the method %s has no flesh to save", flesh->method->name );
		return NULL;
	}
	supPackWriter writer = { 0 };
	AddCommon( flesh, &writer );
	if ( flesh->own != NULL )
	{
		supPackWriter_Enter( &writer, "own" );
		flesh->method->saveFlesh( flesh->own, &writer );
		supPackWriter_Leave( &writer );
	}
	uint8_t* block = supPackWriter_Finish( &writer, byteCount, error );
	supPackWriter_Destroy( &writer );
	return block;
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

static bool FindMethod( supFlesh* flesh, supPackReader* reader )
{
	char name[64];
	supMethodId id;
	if ( supPackReader_GetString( reader, "method", name, sizeof( name ) ) == false )
	{
		return false;
	}
	if ( flesh->method == NULL && supFindMethod( name, &id ) == false )
	{
		return supPackReader_Refuse( reader, "method", "unknown method '%s'; build the file again", name );
	}
	flesh->method = flesh->method != NULL ? flesh->method : supGetMethod( id );
	int32_t version = supPackReader_GetInt( reader, "version", INT32_MIN, INT32_MAX );
	if ( reader->failed == false &&
		 ( strcmp( name, flesh->method->name ) != 0 || version != flesh->method->fleshVersion ) )
	{
		return supPackReader_Refuse(
			reader, "version",
			"the file was built by another version of the method %s (%d, this is %d); build it again", name, version,
			flesh->method->fleshVersion );
	}
	return reader->failed == false;
}

static bool CheckCharacter( supFlesh* flesh, supPackReader* reader )
{
	char name[CHARACTER_NAME_SIZE];
	supPackReader_GetString( reader, "character", name, sizeof( name ) );
	const int64_t* body = supPackReader_Get( reader, "body", sup_packI64, 1 );
	const int64_t* hash = supPackReader_Get( reader, "hash", sup_packI64, 1 );
	if ( reader->failed )
	{
		return false;
	}
	flesh->hash = (uint64_t)*hash;
	uint64_t expected = supCharacter_BodyHash( flesh->character );
	if ( (uint64_t)*body != expected )
	{
		return supPackReader_Refuse( reader, "character",
									 "the flesh was built for the character '%s' (body %016" PRIx64
									 ") and this is '%s' (body %016" PRIx64
									 "); use the file it was built from, or build it again",
									 name, (uint64_t)*body, supCharacter_Name( flesh->character ), expected );
	}
	return true;
}

// The names of this program must be those of the file: a number whose meaning has changed is worse than none.
static bool CheckParameterNames( const supMethod* method, supPackReader* reader )
{
	int64_t size = supPackReader_Count( reader, "parameters" );
	const char* names = supPackReader_Get( reader, "parameters", sup_packU8, size );
	int64_t used = 0;
	for ( int32_t i = 0; names != NULL && i < method->parameterCount; ++i )
	{
		int64_t length = (int64_t)strlen( method->parameters[i].name ) + 1;
		if ( length > size - used || memcmp( names + used, method->parameters[i].name, (size_t)length ) != 0 )
		{
			return supPackReader_Refuse( reader, "parameters",
										 "the method %s had other parameters when the file was built; build it again",
										 method->name );
		}
		used += length;
	}
	if ( names != NULL && used != size )
	{
		return supPackReader_Refuse( reader, "parameters", "the method %s has fewer parameters; build the file again",
									 method->name );
	}
	return names != NULL;
}

const float* supReadParameters( supPackReader* reader, const char* name, const supMethod* method )
{
	const float* values = supPackReader_GetFloats( reader, name, method->parameterCount );
	for ( int32_t i = 0; values != NULL && i < method->parameterCount; ++i )
	{
		const supParameter* parameter = method->parameters + i;
		if ( values[i] < parameter->minimum || values[i] > parameter->maximum )
		{
			supPackReader_Refuse( reader, name, "%s is %g, not %g to %g; build the file again", parameter->name,
								  values[i], parameter->minimum, parameter->maximum );
			return NULL;
		}
	}
	return values;
}

static bool ReadParameters( supFlesh* flesh, supPackReader* reader )
{
	const supMethod* method = flesh->method;
	const float* values = CheckParameterNames( method, reader ) ? supReadParameters( reader, "values", method ) : NULL;
	if ( values == NULL )
	{
		return false;
	}
	flesh->parameters = supArena_CopyArray( &flesh->arena, values, (size_t)method->parameterCount, sizeof( float ) );
	return flesh->parameters != NULL || supSetMemoryError( reader->error );
}

static bool ReadRegionNames( supFlesh* flesh, supPackReader* reader )
{
	int64_t size = supPackReader_Count( reader, "regions" );
	const char* names = supPackReader_Get( reader, "regions", sup_packU8, size );
	flesh->regionNames = supArena_AllocArray( &flesh->arena, (size_t)flesh->regionCount, sizeof( char* ) );
	for ( int32_t i = 0; names != NULL && flesh->arena.failed == false && i < flesh->regionCount; ++i )
	{
		const char* zero = size > 0 ? memchr( names, 0, (size_t)size ) : NULL;
		if ( zero == NULL )
		{
			return supPackReader_Refuse( reader, "regions", "fewer names than regions; build the file again" );
		}
		flesh->regionNames[i] = supArena_CopyString( &flesh->arena, names );
		size -= zero + 1 - names;
		names = zero + 1;
	}
	return names != NULL && ( flesh->arena.failed == false || supSetMemoryError( reader->error ) );
}

static bool ReadRegions( supFlesh* flesh, supPackReader* reader )
{
	int64_t count = supPackReader_Count( reader, "tuning" ) / 2;
	if ( count < 1 || count > MOST_REGIONS )
	{
		return supPackReader_Refuse( reader, "tuning", "%lld soft regions; build the file again", (long long)count );
	}
	const float* tuning = supPackReader_GetFloats( reader, "tuning", 2 * count );
	for ( int64_t i = 0; tuning != NULL && i < 2 * count; ++i )
	{
		if ( tuning[i] < 0.0f )
		{
			return supPackReader_Refuse( reader, "tuning", "value %lld is negative; build the file again",
										 (long long)i );
		}
	}
	if ( tuning == NULL )
	{
		return false;
	}
	flesh->regionCount = (int32_t)count;
	flesh->regions = supArena_CopyArray( &flesh->arena, tuning, (size_t)count, sizeof( supRegionTuning ) );
	return ReadRegionNames( flesh, reader );
}

static bool ReadReaches( supFlesh* flesh, supPackReader* reader )
{
	if ( supPackReader_Has( reader, "reaches" ) == false )
	{
		return true;
	}
	int64_t total = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( flesh->character ); ++i )
	{
		total += supCharacter_Mesh( flesh->character, supCharacter_Instance( flesh->character, i )->mesh )->vertexCount;
	}
	const float* reaches = supPackReader_GetFloats( reader, "reaches", total );
	for ( int64_t i = 0; reaches != NULL && i < total; ++i )
	{
		if ( reaches[i] < 0.0f )
		{
			return supPackReader_Refuse( reader, "reaches", "value %lld is negative; build the file again",
										 (long long)i );
		}
	}
	flesh->reachCount = (int32_t)total;
	flesh->reaches =
		reaches != NULL ? supArena_CopyArray( &flesh->arena, reaches, (size_t)total, sizeof( float ) ) : NULL;
	return reaches != NULL && ( flesh->reaches != NULL || supSetMemoryError( reader->error ) );
}

static bool ReadOwn( supFlesh* flesh, supPackReader* reader )
{
	if ( flesh->method->createFlesh == NULL )
	{
		return true;
	}
	if ( flesh->method->loadFlesh == NULL )
	{
		return supPackReader_Refuse( reader, "flesh/method", "the method %s has no flesh to load",
									 flesh->method->name );
	}
	supPackReader_Enter( reader, "own" );
	flesh->own = flesh->method->loadFlesh( reader, flesh->character );
	supPackReader_Leave( reader );
	SUP_ASSERT( flesh->own == NULL || reader->failed == false );
	int32_t regions =
		flesh->own != NULL && flesh->method->countRegions != NULL ? flesh->method->countRegions( flesh->own ) : 0;
	if ( regions > flesh->regionCount )
	{
		return supPackReader_Refuse( reader, "flesh/tuning", "%d soft regions where %d are used; build the file again",
									 flesh->regionCount, regions );
	}
	return flesh->own != NULL;
}

static bool ReadAll( supFlesh* flesh, supPackReader* reader )
{
	supPackReader_Enter( reader, "flesh" );
	bool ok = FindMethod( flesh, reader ) && CheckCharacter( flesh, reader ) && ReadParameters( flesh, reader ) &&
			  ReadRegions( flesh, reader ) && ReadReaches( flesh, reader );
	supPackReader_Leave( reader );
	return ok && ReadOwn( flesh, reader );
}

supFlesh* supReadFleshWith( const void* bytes, size_t byteCount, const char* name, const supCharacter* character,
							const supMethod* method, supError* error )
{
	supClearError( error );
	supPackReader reader;
	if ( supPackReader_Open( &reader, bytes, byteCount, name, error ) == false )
	{
		return NULL;
	}
	supFlesh* flesh = supAllocZeroed( sizeof( supFlesh ) );
	if ( flesh == NULL )
	{
		supPackReader_Close( &reader );
		supSetMemoryError( error );
		return NULL;
	}
	flesh->character = character;
	flesh->method = method;
	flesh->backing = supPackReader_TakeCopy( &reader );
	flesh->freeBacking = supFree;
	if ( ReadAll( flesh, &reader ) == false )
	{
		supDestroyFlesh( flesh );
		flesh = NULL;
	}
	supPackReader_Close( &reader );
	return flesh;
}

supFlesh* supReadFlesh( const void* bytes, size_t byteCount, const char* name, const supCharacter* character,
						supError* error )
{
	return supReadFleshWith( bytes, byteCount, name, character, NULL, error );
}
