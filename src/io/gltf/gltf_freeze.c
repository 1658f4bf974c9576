// SPDX-License-Identifier: MIT
// One skinned frame: meshes of all instances become plain ones, the other nodes take the pose, clips go.
#include "io/gltf/gltf_replace.h"

static bool PoseNodes( supReplacer* replacer, const supPose* pose )
{
	bool ok = true;
	for ( int32_t i = 0; i < supCharacter_NodeCount( replacer->character ) && ok; ++i )
	{
		const supNode* node = supCharacter_Node( replacer->character, i );
		supTransform local = supPose_GetLocal( pose, i );
		bool isMoved = node->hasMatrix == false && memcmp( &local, &node->rest, sizeof( local ) ) != 0;
		ok = isMoved == false || supJson_SetTransform( supReplacer_Node( replacer, i ), local, replacer->error );
	}
	return ok;
}

static bool FreezeInstance( supReplacer* replacer, supPose* pose, int32_t instance, supSkinning skinning,
							const supTasks* tasks )
{
	supArena arena = { 0 };
	supPosedMesh posed;
	bool ok = supPoseMesh( pose, instance, skinning, tasks, &arena, &posed, replacer->error ) &&
			  supReplacer_Replace( replacer, instance, &posed );
	supArena_Destroy( &arena );
	return ok;
}

bool supDocument_Freeze( supDocument* document, supPose* pose, supSkinning skinning, const supTasks* tasks,
						 supError* error )
{
	supClearError( error );
	supReplacer replacer;
	if ( supReplacer_Begin( &replacer, document, supPose_Character( pose ), error ) == false )
	{
		return false;
	}
	bool ok = PoseNodes( &replacer, pose );
	for ( int32_t i = 0; i < supCharacter_InstanceCount( replacer.character ) && ok; ++i )
	{
		ok = FreezeInstance( &replacer, pose, i, skinning, tasks );
	}
	ok = ok && supReplacer_Arrange( &replacer );
	json_object_del( document->root, "animations" );
	supReplacer_End( &replacer, ok );
	return ok;
}
