// SPDX-License-Identifier: MIT
// Characters that JavaScript puts together from arrays: a skinned mesh that some engine has loaded.
#include "exports.h"

#include "core/arena.h"
#include "supple/scene.h"

// Parts in the order in which they are added; arrays are copied into the arena.
typedef struct supWebBuilder
{
	supArena arena;
	SUP_ARRAY( supNode ) nodes;
	SUP_ARRAY( supSkin ) skins;
	SUP_ARRAY( supMesh ) meshes;
	SUP_ARRAY( supInstance ) instances;
	SUP_ARRAY( supMorphTarget ) targets;
	bool failed;
} supWebBuilder;

SUP_WEB supWebBuilder* supWeb_BeginCharacter( void )
{
	supClearError( &g_webError );
	supWebBuilder* builder = supAllocZeroed( sizeof( *builder ) );
	if ( builder == NULL )
	{
		supSetMemoryError( &g_webError );
	}
	return builder;
}

SUP_WEB void supWeb_DropCharacter( supWebBuilder* builder )
{
	supFree( builder->nodes.data );
	supFree( builder->skins.data );
	supFree( builder->meshes.data );
	supFree( builder->instances.data );
	supFree( builder->targets.data );
	supArena_Destroy( &builder->arena );
	supFree( builder );
}

// Room for an array, for the caller to fill; lives as long as the builder. NULL when out of memory.
SUP_WEB void* supWeb_BuilderArray( supWebBuilder* builder, uint32_t byteCount )
{
	void* memory = supArena_Alloc( &builder->arena, byteCount );
	builder->failed = builder->failed || memory == NULL;
	return memory;
}

static const char* CopyName( supWebBuilder* builder, const char* name )
{
	const char* copy = supArena_CopyString( &builder->arena, name );
	builder->failed = builder->failed || copy == NULL;
	return copy;
}

// `local` has three numbers of translation, four of rotation, three of scale.
static supTransform ReadTransform( const float* local )
{
	return ( supTransform ){ .translation = supMakeVec3( local[0], local[1], local[2] ),
							 .rotation = { local[3], local[4], local[5], local[6] },
							 .scale = supMakeVec3( local[7], local[8], local[9] ) };
}

SUP_WEB void supWeb_AddNode( supWebBuilder* builder, const char* name, int32_t parent, const float* local )
{
	supNode node = { .name = CopyName( builder, name ), .parent = parent, .rest = ReadTransform( local ) };
	builder->failed = SUP_PUSH( &builder->nodes, node ) == false || builder->failed;
}

// `inverseBinds` has sixteen numbers a joint, column by column.
SUP_WEB void supWeb_AddSkin( supWebBuilder* builder, int32_t jointCount, const int32_t* joints,
							 const float* inverseBinds )
{
	supMat34* matrices = supArena_AllocArray( &builder->arena, (size_t)jointCount, sizeof( supMat34 ) );
	builder->failed = builder->failed || matrices == NULL;
	for ( int32_t i = 0; matrices != NULL && i < jointCount; ++i )
	{
		const float* m = inverseBinds + 16 * i;
		matrices[i] = ( supMat34 ){ .cx = supMakeVec3( m[0], m[1], m[2] ),
									.cy = supMakeVec3( m[4], m[5], m[6] ),
									.cz = supMakeVec3( m[8], m[9], m[10] ),
									.t = supMakeVec3( m[12], m[13], m[14] ) };
	}
	supSkin skin = { .name = "", .jointCount = jointCount, .joints = joints, .inverseBinds = matrices };
	builder->failed = SUP_PUSH( &builder->skins, skin ) == false || builder->failed;
}

// Arrays come from supWeb_BuilderArray; normals and softness may be NULL. `primitives` has four numbers each: first
// vertex, vertices, first index, indices.
SUP_WEB void supWeb_AddMesh( supWebBuilder* builder, const char* name, int32_t vertexCount, const supVec3* positions,
							 const supVec3* normals, int32_t indexCount, const uint32_t* indices, int32_t influences,
							 const uint16_t* joints, const float* weights, const float* softness,
							 int32_t primitiveCount, const int32_t* primitives )
{
	supPrimitive* runs = supArena_AllocArray( &builder->arena, (size_t)primitiveCount, sizeof( supPrimitive ) );
	builder->failed = builder->failed || runs == NULL;
	for ( int32_t i = 0; runs != NULL && i < primitiveCount; ++i )
	{
		const int32_t* run = primitives + 4 * i;
		runs[i] = ( supPrimitive ){ run[0], run[1], run[2], run[3], -1 };
	}
	supMesh mesh = { .name = CopyName( builder, name ),
					 .vertexCount = vertexCount,
					 .indexCount = indexCount,
					 .indices = indices,
					 .positions = positions,
					 .normals = normals,
					 .softness = softness,
					 .influences = influences,
					 .joints = joints,
					 .weights = weights,
					 .primitiveCount = primitiveCount,
					 .primitives = runs };
	builder->failed = SUP_PUSH( &builder->meshes, mesh ) == false || builder->failed;
}

// A morph target of the mesh that was added last: offsets; normals may be NULL.
SUP_WEB void supWeb_AddTarget( supWebBuilder* builder, const char* name, const supVec3* positions,
							   const supVec3* normals )
{
	supMorphTarget target = { .name = CopyName( builder, name ), .positions = positions, .normals = normals };
	bool pushed = SUP_PUSH( &builder->targets, target );
	builder->failed = builder->failed || pushed == false;
	if ( pushed )
	{
		builder->meshes.data[builder->meshes.count - 1].targetCount += 1;
	}
}

// `weights` (may be NULL) has one number a morph target, in an array of the builder.
SUP_WEB void supWeb_AddInstance( supWebBuilder* builder, int32_t node, int32_t mesh, int32_t skin,
								 const float* weights )
{
	supInstance instance = { .node = node, .mesh = mesh, .skin = skin, .morphWeights = weights };
	builder->failed = SUP_PUSH( &builder->instances, instance ) == false || builder->failed;
}

static supCharacter* CreateCharacter( supWebBuilder* builder, const char* name )
{
	if ( builder->failed )
	{
		supSetMemoryError( &g_webError );
		return NULL;
	}
	// targets of all meshes lie one after another, and have stopped moving about only now
	const supMorphTarget* target = builder->targets.data;
	for ( int32_t i = 0; i < builder->meshes.count; ++i )
	{
		builder->meshes.data[i].targets = target;
		target += builder->meshes.data[i].targetCount;
	}
	supCharacterDef def = supDefaultCharacterDef();
	def.name = name;
	def.nodeCount = builder->nodes.count;
	def.nodes = builder->nodes.data;
	def.skinCount = builder->skins.count;
	def.skins = builder->skins.data;
	def.meshCount = builder->meshes.count;
	def.meshes = builder->meshes.data;
	def.instanceCount = builder->instances.count;
	def.instances = builder->instances.data;
	return supCreateCharacter( &def, &g_webError );
}

// The builder is gone afterwards. NULL with an error.
SUP_WEB supWebCharacter* supWeb_FinishCharacter( supWebBuilder* builder, const char* name )
{
	supClearError( &g_webError );
	supCharacter* character = CreateCharacter( builder, name );
	supWeb_DropCharacter( builder );
	return supWeb_WrapCharacter( character, NULL );
}

// ---------------------------------------------------------------------------------------------------------------------
// Poses that JavaScript sets, and how much of the flesh is computed

void supWeb_ReadPose( supPose* pose, const float* numbers )
{
	const supCharacter* character = supPose_Character( pose );
	for ( int32_t i = 0; i < supCharacter_NodeCount( character ); ++i, numbers += 10 )
	{
		supPose_SetLocal( pose, i, ReadTransform( numbers ) );
	}
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		int32_t count = supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->targetCount;
		if ( count > 0 )
		{
			memcpy( supPose_MorphWeights( pose, i ), numbers, (size_t)count * sizeof( float ) );
			numbers += count;
		}
	}
}

// Ten numbers a node, as for supWeb_AddNode, and then the morph weights of all instances.
SUP_WEB void supWeb_SetPose( supActor* actor, const float* numbers )
{
	supWeb_ReadPose( supActor_Pose( actor ), numbers );
}

SUP_WEB bool supWeb_SetDetail( supActor* actor, int32_t detail )
{
	supClearError( &g_webError );
	return supActor_SetDetail( actor, (supDetail)detail, &g_webError );
}

SUP_WEB int32_t supWeb_GetDetail( const supActor* actor )
{
	return (int32_t)supActor_GetDetail( actor );
}

// A distance of 0 to full detail: no viewer any longer.
SUP_WEB bool supWeb_SetViewer( supScene* scene, float x, float y, float z, float full, float reduced, float skinned )
{
	supClearError( &g_webError );
	supViewer viewer = { supMakeVec3( x, y, z ), full, reduced, skinned };
	return supScene_SetViewer( scene, full > 0.0f ? &viewer : NULL, &g_webError );
}
