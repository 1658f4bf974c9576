// SPDX-License-Identifier: MIT
// What Supple makes of a file, for comparison with another reader: vertices of every instance in world space.
//
//     dump_poses FILE [CLIP SECONDS]...      CLIP: index in the file; -1 is the rest pose
//
// Writes to standard output for each pair, little-endian: int32 instance count, then for each instance int32 node,
// int32 primitive count, an int32 vertex count for each primitive, and the positions as float32 triples.
#include "supple/supple.h"

#include <stdio.h>
#include <stdlib.h>

static void WriteInt( int32_t value )
{
	fwrite( &value, sizeof( value ), 1, stdout );
}

static bool WriteInstance( supPose* pose, const supCharacter* character, int32_t index )
{
	const supInstance* instance = supCharacter_Instance( character, index );
	const supMesh* mesh = supCharacter_Mesh( character, instance->mesh );
	supVec3* positions = malloc( ( (size_t)mesh->vertexCount + 1 ) * sizeof( supVec3 ) );
	if ( positions == NULL )
	{
		return false;
	}
	supSkinInstance( pose, index, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = positions } );
	WriteInt( instance->node );
	WriteInt( mesh->primitiveCount );
	for ( int32_t i = 0; i < mesh->primitiveCount; ++i )
	{
		WriteInt( mesh->primitives[i].vertexCount );
	}
	for ( int32_t i = 0; i < mesh->primitiveCount; ++i )
	{
		const supPrimitive* primitive = &mesh->primitives[i];
		fwrite( positions + primitive->vertexStart, sizeof( supVec3 ), (size_t)primitive->vertexCount, stdout );
	}
	free( positions );
	return true;
}

static bool WritePose( const supCharacter* character, int32_t clip, float seconds )
{
	supPose* pose = supCreatePose( character );
	bool ok = pose != NULL && clip < supCharacter_ClipCount( character );
	if ( ok && clip >= 0 )
	{
		supPose_ApplyClip( pose, supCharacter_Clip( character, clip ), seconds );
	}
	int32_t count = supCharacter_InstanceCount( character );
	WriteInt( count );
	for ( int32_t i = 0; ok && i < count; ++i )
	{
		ok = WriteInstance( pose, character, i );
	}
	supDestroyPose( pose );
	return ok;
}

int main( int argc, char** argv )
{
	if ( argc < 2 || argc % 2 != 0 )
	{
		fprintf( stderr, "usage: dump_poses FILE [CLIP SECONDS]...\n" );
		return 2;
	}
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( argv[1], &error );
	if ( character == NULL )
	{
		fprintf( stderr, "%s: %s\n", error.where, error.message );
		return 1;
	}
	bool ok = true;
	for ( int i = 2; ok && i < argc; i += 2 )
	{
		ok = WritePose( character, atoi( argv[i] ), strtof( argv[i + 1], NULL ) );
	}
	supDestroyCharacter( character );
	return ok && fflush( stdout ) == 0 ? 0 : 1;
}
