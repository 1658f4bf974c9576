// SPDX-License-Identifier: MIT
// files FILE.glb: writes a character of one triangle, reads it back, and asks for a file of each reader that is not
// there. Touches every library behind supple::io.
#include <supple/supple.h>

#include <stdio.h>
#include <string.h>

static int Fail( const char* what, const supError* error )
{
	printf( "%s: %s (%s)\n", what, error->message, error->where );
	return 1;
}

int main( int argc, char** argv )
{
	if ( argc != 2 )
	{
		return 2;
	}
	supVec3 positions[3] = { { 0.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f } };
	supNode node = { .name = "triangle", .parent = -1, .rest = supTransform_identity };
	supPrimitive primitive = { .vertexCount = 3, .indexCount = 3, .material = -1 };
	supMesh mesh = { .name = "triangle", .vertexCount = 3, .indexCount = 3, .positions = positions };
	mesh.primitives = &primitive;
	mesh.primitiveCount = 1;
	supInstance instance = { .skin = -1 };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodes = &node, def.nodeCount = 1;
	def.meshes = &mesh, def.meshCount = 1;
	def.instances = &instance, def.instanceCount = 1;

	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	if ( character == NULL )
	{
		return Fail( "create", &error );
	}
	supDocument* document = supCreateDocument( character, &error );
	if ( document == NULL || supSaveDocument( document, argv[1], &error ) == false )
	{
		return Fail( "save", &error );
	}
	supDestroyDocument( document );
	supDestroyCharacter( character );

	character = supLoadCharacter( argv[1], &error );
	if ( character == NULL )
	{
		return Fail( "load", &error );
	}
	int32_t vertexCount = supCharacter_Mesh( character, 0 )->vertexCount;
	printf( "%d vertices\n", vertexCount );
	supDestroyCharacter( character );

	const char* const absent[] = { "absent.glb", "absent.fbx", "absent.bvh" };
	for ( int i = 0; i < 3; ++i )
	{
		memset( &error, 0, sizeof( error ) );
		if ( supLoadCharacter( absent[i], &error ) != NULL || error.code == sup_errorNone || error.message[0] == 0 )
		{
			printf( "%s: found, or no error\n", absent[i] );
			return 1;
		}
	}
	return vertexCount == 3 ? 0 : 1;
}
