// SPDX-License-Identifier: MIT
#include "skinned.h"

#include "support.h"

supCharacter* testMakeSkinned( const supNode* nodes, int32_t nodeCount, const supSkin* skin, const supMesh* mesh )
{
	supError error = { 0 };
	supCharacter* character = testCreateSkinned( nodes, nodeCount, skin, mesh, &error );
	testRequire( character != NULL, &error );
	return character;
}

supCharacter* testMakeAnimated( const supNode* nodes, int32_t nodeCount, const supSkin* skin, const supMesh* mesh,
								const supClip* clips, int32_t clipCount )
{
	supError error = { 0 };
	supCharacter* character = testCreateAnimated( nodes, nodeCount, skin, mesh, clips, clipCount, &error );
	testRequire( character != NULL, &error );
	return character;
}
