// SPDX-License-Identifier: MIT
#include "io/common/posed.h"

// Renderers turn front faces round where the matrix of a node mirrors. The vertices of a skinned mesh do not go through
// such a matrix, so that mirroring joints turn it inside out for everybody.
static bool IsMirrored( supPose* pose, int32_t instance )
{
	if ( supCharacter_Instance( supPose_Character( pose ), instance )->skin >= 0 )
	{
		return false;
	}
	return supDeterminant( supLinearPart( supPose_Palette( pose, instance )[0] ) ) < 0.0f;
}

bool supPoseMesh( supPose* pose, int32_t instance, supSkinning skinning, const supTasks* tasks, supArena* arena,
				  supPosedMesh* posed, supError* error )
{
	const supCharacter* character = supPose_Character( pose );
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
	size_t count = (size_t)mesh->vertexCount;
	*posed = ( supPosedMesh ){ 0 };
	posed->positions = supArena_AllocArray( arena, count, sizeof( supVec3 ) );
	posed->normals = mesh->normals != NULL ? supArena_AllocArray( arena, count, sizeof( supVec3 ) ) : NULL;
	posed->tangents = mesh->tangents != NULL ? supArena_AllocArray( arena, count, sizeof( supVec4 ) ) : NULL;
	if ( arena->failed )
	{
		return supSetMemoryError( error );
	}
	supSkinOutput output = { posed->positions, posed->normals, posed->tangents };
	supSkinInstance( pose, instance, skinning, tasks, &output );
	posed->isMirrored = IsMirrored( pose, instance );
	for ( size_t i = 0; i < count && posed->isMirrored && posed->tangents != NULL; ++i )
	{
		posed->tangents[i].w = -posed->tangents[i].w;
	}
	return true;
}

bool* supFindMirrored( const supCharacter* character )
{
	int32_t count = supCharacter_InstanceCount( character );
	bool* mirrored = supAllocArray( (size_t)count, sizeof( bool ) );
	supPose* pose = supCreatePose( character );
	for ( int32_t i = 0; i < count && mirrored != NULL && pose != NULL; ++i )
	{
		mirrored[i] = IsMirrored( pose, i );
	}
	if ( pose == NULL )
	{
		supFree( mirrored );
		mirrored = NULL;
	}
	supDestroyPose( pose );
	return mirrored;
}
