// SPDX-License-Identifier: MIT
// The glTF reader, posing, skinning and the writer over whatever bytes come. Mutations know what a glTF file is: mostly
// they change one value of its JSON, or bytes of its buffer, and put the lengths right again.
#include "gltf_mutator.h"
#include "supple/supple.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );
size_t LLVMFuzzerCustomMutator( uint8_t* data, size_t size, size_t capacity, unsigned seed );

size_t LLVMFuzzerCustomMutator( uint8_t* data, size_t size, size_t capacity, unsigned seed )
{
	return MutateGltf( data, size, capacity, seed );
}

// Reading is what is tested; skinning large meshes only costs time.
#define MOST_SKINNED_VERTICES 20000

static void SkinInstance( supPose* pose, int32_t instance, const supMesh* mesh )
{
	if ( mesh->vertexCount > MOST_SKINNED_VERTICES )
	{
		return;
	}
	size_t count = (size_t)mesh->vertexCount + 1;
	supSkinOutput output = { malloc( count * sizeof( supVec3 ) ), malloc( count * sizeof( supVec3 ) ),
							 malloc( count * sizeof( supVec4 ) ) };
	supSkinInstance( pose, instance, sup_skinningLinear, NULL, &output );
	supSkinInstance( pose, instance, sup_skinningDualQuaternion, NULL, &output );
	free( output.positions );
	free( output.normals );
	free( output.tangents );
}

static void UseCharacter( const supCharacter* character )
{
	supPose* pose = supCreatePose( character );
	if ( pose == NULL )
	{
		return;
	}
	for ( int32_t i = 0; i < supCharacter_ClipCount( character ) && i < 4; ++i )
	{
		const supClip* clip = supCharacter_Clip( character, i );
		supPose_ApplyClip( pose, clip, 0.5f * ( clip->start + clip->end ) );
	}
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ) && i < 16; ++i )
	{
		SkinInstance( pose, i, supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh ) );
	}
	supCharacter_Hash( character );
	supDestroyPose( pose );
}

// What was written must be readable, and be the same character.
static void CheckWritten( const supDocument* document, const supCharacter* character )
{
	size_t byteCount = 0;
	uint8_t* bytes = supWriteDocument( document, &byteCount, NULL );
	if ( bytes == NULL )
	{
		return;
	}
	supDocument* again = supParseDocument( bytes, byteCount, "fuzz.glb", NULL, NULL, NULL );
	supCharacter* twin = again != NULL ? supDocument_CreateCharacter( again, NULL ) : NULL;
	if ( twin == NULL || supCharacter_Hash( twin ) != supCharacter_Hash( character ) )
	{
		abort();
	}
	supDestroyCharacter( twin );
	supDestroyDocument( again );
	supFree( bytes );
}

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	supSetLog( NULL, NULL );
	uint8_t* copy = malloc( size + 1 );
	memcpy( copy, data, size );
	if ( size >= 12 && memcmp( copy, "glTF", 4 ) == 0 )
	{
		// or hardly any mutation would get past the length in the header
		uint32_t length = (uint32_t)size;
		memcpy( copy + 8, &length, 4 );
	}
	supError error = { 0 };
	supDocument* document = supParseDocument( copy, size, "fuzz.glb", NULL, NULL, &error );
	supCharacter* character = document != NULL ? supDocument_CreateCharacter( document, &error ) : NULL;
	if ( ( character == NULL ) != ( error.code != sup_errorNone ) )
	{
		abort();
	}
	if ( character != NULL )
	{
		UseCharacter( character );
		CheckWritten( document, character );
	}
	supDestroyCharacter( character );
	supDestroyDocument( document );
	free( copy );
	return 0;
}
