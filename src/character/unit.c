// SPDX-License-Identifier: MIT
// Characters whose file is in another unit than it should be.
#include "character/character.h"

// A character owns its arrays, and only shows them as constant.
static void ScaleFloats( const void* values, int64_t count, float scale )
{
	float* own = (float*)(uintptr_t)values;
	for ( int64_t i = 0; own != NULL && i < count; ++i )
	{
		own[i] *= scale;
	}
}

static void ScaleClip( const supClip* clip, float scale )
{
	for ( int32_t i = 0; i < clip->channelCount; ++i )
	{
		const supChannel* channel = clip->channels + i;
		int64_t parts = channel->interpolation == sup_interpolationCubicSpline ? 3 : 1;
		if ( channel->path == sup_channelTranslation )
		{
			ScaleFloats( channel->values, parts * channel->width * channel->keyCount, scale );
		}
	}
}

void supCharacter_SetUnit( supCharacter* character, float metresPerUnit )
{
	SUP_ASSERT( metresPerUnit > 0.0f && supIsFinite( metresPerUnit ) );
	float scale = metresPerUnit / character->givenUnit;
	if ( scale == 1.0f )
	{
		return;
	}
	character->givenUnit = metresPerUnit;
	character->unitScale *= scale;
	for ( int32_t i = 0; i < character->nodeCount; ++i )
	{
		supNode* node = character->nodes + i;
		node->rest.translation = supScale( scale, node->rest.translation );
		node->matrix.t = supScale( scale, node->matrix.t );
	}
	for ( int32_t i = 0; i < character->skinCount; ++i )
	{
		const supSkin* skin = character->skins + i;
		supMat34* inverses = (supMat34*)(uintptr_t)skin->inverseBinds;
		for ( int32_t k = 0; k < skin->jointCount; ++k )
		{
			inverses[k].t = supScale( scale, inverses[k].t );
		}
	}
	for ( int32_t i = 0; i < character->meshCount; ++i )
	{
		const supMesh* mesh = character->meshes + i;
		ScaleFloats( mesh->positions, 3 * (int64_t)mesh->vertexCount, scale );
		for ( int32_t k = 0; k < mesh->targetCount; ++k )
		{
			ScaleFloats( mesh->targets[k].positions, 3 * (int64_t)mesh->vertexCount, scale );
		}
	}
	for ( int32_t i = 0; i < character->clipCount; ++i )
	{
		ScaleClip( character->clips + i, scale );
	}
}
