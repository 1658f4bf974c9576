// SPDX-License-Identifier: MIT
// Loads a character, poses it, skins it, and prints where its meshes are.
//
//     pose FILE [CLIP [SECONDS]]
#include <supple/supple.h>

#include <stdio.h>
#include <stdlib.h>

static const supClip* FindClip( const supCharacter* character, const char* name )
{
	if ( name != NULL )
	{
		return supCharacter_FindClip( character, name );
	}
	return supCharacter_ClipCount( character ) > 0 ? supCharacter_Clip( character, 0 ) : NULL;
}

static bool PrintInstance( const supCharacter* character, supPose* pose, int32_t index )
{
	const supInstance* instance = supCharacter_Instance( character, index );
	const supMesh* mesh = supCharacter_Mesh( character, instance->mesh );
	supVec3* positions = malloc( (size_t)mesh->vertexCount * sizeof( supVec3 ) );
	if ( positions == NULL )
	{
		return false;
	}
	// only positions are wanted; NULL for the rest
	supSkinInstance( pose, index, sup_skinningLinear, NULL, &( supSkinOutput ){ .positions = positions } );
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		box = supBox_Include( box, positions[i] );
	}
	printf( "%s: %d vertices, (%.3f, %.3f, %.3f) to (%.3f, %.3f, %.3f)\n", mesh->name, mesh->vertexCount, box.lower.x,
			box.lower.y, box.lower.z, box.upper.x, box.upper.y, box.upper.z );
	free( positions );
	return true;
}

int main( int argc, char** argv )
{
	if ( argc < 2 || argc > 4 )
	{
		fprintf( stderr, "usage: pose FILE [CLIP [SECONDS]]\n" );
		return 2;
	}
	supError error = { 0 };
	supCharacter* character = supLoadCharacter( argv[1], &error );
	if ( character == NULL )
	{
		fprintf( stderr, "%s: %s\n", error.where, error.message );
		return 1;
	}
	const supClip* clip = FindClip( character, argc > 2 ? argv[2] : NULL );
	if ( argc > 2 && clip == NULL )
	{
		fprintf( stderr, "%s has no clip \"%s\"\n", argv[1], argv[2] );
		supDestroyCharacter( character );
		return 1;
	}
	supPose* pose = supCreatePose( character );
	bool ok = pose != NULL;
	if ( ok && clip != NULL )
	{
		supPose_ApplyClip( pose, clip, argc > 3 ? strtof( argv[3], NULL ) : clip->start );
	}
	for ( int32_t i = 0; ok && i < supCharacter_InstanceCount( character ); ++i )
	{
		ok = PrintInstance( character, pose, i );
	}
	supDestroyPose( pose );
	supDestroyCharacter( character );
	return ok ? 0 : 1;
}
