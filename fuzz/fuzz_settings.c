// SPDX-License-Identifier: MIT
// The reader of flesh settings over whatever bytes come, for a triangle with one joint.
#include "supple/supple.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size );

static supCharacter* MakeCharacter( void )
{
	const supVec3 positions[3] = { { 0.0f, 0.0f, 0.0f }, { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f } };
	const supNode node = { .name = "Spine", .parent = -1, .rest = supTransform_identity };
	const supMesh mesh = { .vertexCount = 3, .positions = positions, .indexCount = 3 };
	const supInstance instance = { .node = 0, .mesh = 0, .skin = -1 };
	supCharacterDef def = supDefaultCharacterDef();
	def.nodeCount = 1;
	def.nodes = &node;
	def.meshCount = 1;
	def.meshes = &mesh;
	def.instanceCount = 1;
	def.instances = &instance;
	return supCreateCharacter( &def, NULL );
}

int LLVMFuzzerTestOneInput( const uint8_t* data, size_t size )
{
	static supCharacter* character;
	character = character != NULL ? character : MakeCharacter();
	supError error = { 0 };
	supSettings* settings = supParseSettings( data, size, "settings", character, &error );
	if ( ( settings == NULL ) != ( error.code != sup_errorNone ) )
	{
		abort();
	}
	supDestroySettings( settings );
	return 0;
}
