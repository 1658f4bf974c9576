// SPDX-License-Identifier: MIT
#include "skinned.h"

#include "support.h"

supCharacter* testMakeSkinned( const supNode* nodes, int32_t nodeCount, const supSkin* skin, const supMesh* mesh )
{
	const supInstance instance = { .node = nodeCount - 1, .mesh = 0, .skin = 0 };
	supCharacterDef def = supDefaultCharacterDef();
	def.name = mesh->name;
	def.nodeCount = nodeCount;
	def.nodes = nodes;
	def.skinCount = 1;
	def.skins = skin;
	def.meshCount = 1;
	def.meshes = mesh;
	def.instanceCount = 1;
	def.instances = &instance;
	supError error = { 0 };
	supCharacter* character = supCreateCharacter( &def, &error );
	testRequire( character != NULL, &error );
	return character;
}
