// SPDX-License-Identifier: MIT
#include "touch.h"

#include "core/core.h"
#include "load.h"
#include "report.h"

void FreeColliderMesh( ColliderMesh* mesh )
{
	SUP_FREE_ARRAY( &mesh->points );
	SUP_FREE_ARRAY( &mesh->indices );
}

static void AddInstance( ColliderMesh* all, const supCharacter* character, supPose* pose, int32_t instance,
						 const supTasks* tasks )
{
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
	supVec3* positions = supAllocArray( (size_t)mesh->vertexCount, sizeof( supVec3 ) );
	all->failed = all->failed || positions == NULL;
	uint32_t first = (uint32_t)all->points.count;
	if ( positions != NULL )
	{
		supSkinInstance( pose, instance, sup_skinningLinear, tasks, &( supSkinOutput ){ .positions = positions } );
	}
	for ( int32_t k = 0; k < mesh->vertexCount && all->failed == false; ++k )
	{
		all->failed = SUP_PUSH( &all->points, positions[k] ) == false;
	}
	int32_t corners = mesh->indexCount - mesh->indexCount % 3;
	for ( int32_t k = 0; k < corners && all->failed == false; ++k )
	{
		all->failed = SUP_PUSH( &all->indices, first + mesh->indices[k] ) == false;
	}
	supFree( positions );
}

int LoadColliderMesh( ColliderMesh* mesh, const char* path, const char* unit, const supTasks* tasks )
{
	Source source;
	int status = LoadSourceIn( path, unit, &source );
	supPose* pose = status == exit_ok ? supCreatePose( source.character ) : NULL;
	for ( int32_t i = 0; pose != NULL && i < supCharacter_InstanceCount( source.character ); ++i )
	{
		AddInstance( mesh, source.character, pose, i, tasks );
	}
	status = status == exit_ok && ( pose == NULL || mesh->failed ) ? ReportMemory() : status;
	supDestroyPose( pose );
	FreeSource( &source );
	return status;
}

bool HasTouch( const TouchSettings* settings )
{
	return settings->floor || settings->self || settings->collider != NULL;
}

int OpenTouch( const TouchSettings* settings, const char* unit, const supTasks* tasks, Touch* touch )
{
	*touch = ( Touch ){ .self = settings->self, .additive = settings->additive };
	if ( settings->additive && HasTouch( settings ) )
	{
		Report( NULL, "--additive excludes --floor, --touch-self and --collider" );
		return exit_usage;
	}
	if ( settings->floor )
	{
		supColliderDef* floor = touch->colliders + touch->colliderCount++;
		*floor = supDefaultColliderDef();
		floor->name = "floor";
		floor->shape = ( supShapeDef ){ .kind = sup_shapePlane };
	}
	if ( settings->collider == NULL )
	{
		return exit_ok;
	}
	int status = LoadColliderMesh( &touch->mesh, settings->collider, unit, tasks );
	if ( status == exit_ok && touch->mesh.indices.count == 0 )
	{
		Report( settings->collider, "no mesh in this file has triangles" );
		status = exit_data;
	}
	supColliderDef* collider = touch->colliders + touch->colliderCount++;
	*collider = supDefaultColliderDef();
	collider->name = settings->collider;
	collider->shape = ( supShapeDef ){ .kind = sup_shapeMesh,
									   .vertexCount = touch->mesh.points.count,
									   .vertices = touch->mesh.points.data,
									   .triangleCount = touch->mesh.indices.count / 3,
									   .indices = touch->mesh.indices.data };
	return status;
}

void CloseTouch( Touch* touch )
{
	FreeColliderMesh( &touch->mesh );
}

bool ApplyTouch( const Touch* touch, supScene* scene, supActor* actor, supError* error )
{
	for ( int32_t i = 0; i < touch->colliderCount; ++i )
	{
		if ( supScene_AddCollider( scene, touch->colliders + i, error ) == NULL )
		{
			return false;
		}
	}
	supContactSettings contact = supActor_GetContact( actor );
	contact.withItself = touch->self;
	if ( supActor_SetAdditive( actor, touch->additive, error ) == false )
	{
		return false;
	}
	return touch->self == false || supActor_SetContact( actor, &contact, error );
}
