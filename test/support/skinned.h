// SPDX-License-Identifier: MIT
// Characters of one skinned mesh.
#pragma once

#include "supple/character.h"

// NULL with an error where it is refused.
static inline supCharacter* testCreateAt( int32_t meshNode, const supNode* nodes, int32_t nodeCount,
										  const supSkin* skin, const supMesh* mesh, const supClip* clips,
										  int32_t clipCount, supError* error )
{
	const supInstance instance = { .node = meshNode, .mesh = 0, .skin = 0 };
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
	def.clipCount = clipCount;
	def.clips = clips;
	return supCreateCharacter( &def, error );
}

// The mesh hangs on the last of the nodes.
static inline supCharacter* testCreateAnimated( const supNode* nodes, int32_t nodeCount, const supSkin* skin,
												const supMesh* mesh, const supClip* clips, int32_t clipCount,
												supError* error )
{
	return testCreateAt( nodeCount - 1, nodes, nodeCount, skin, mesh, clips, clipCount, error );
}

static inline supCharacter* testCreateSkinned( const supNode* nodes, int32_t nodeCount, const supSkin* skin,
											   const supMesh* mesh, supError* error )
{
	return testCreateAnimated( nodes, nodeCount, skin, mesh, NULL, 0, error );
}

// The same for tests, which fail where it is refused.
supCharacter* testMakeSkinned( const supNode* nodes, int32_t nodeCount, const supSkin* skin, const supMesh* mesh );
supCharacter* testMakeAnimated( const supNode* nodes, int32_t nodeCount, const supSkin* skin, const supMesh* mesh,
								const supClip* clips, int32_t clipCount );
