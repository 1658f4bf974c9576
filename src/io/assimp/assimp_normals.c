// SPDX-License-Identifier: MIT
// Maya writes the vertices of a skinned mesh as they were bound, but their normals as they are in the pose on screen.
// Skinned again, such normals turn twice. Here they are brought back to the bind pose.
#include "io/assimp/assimp_scene.h"

// Smoothing turns hardly any normal to the other side of its triangle; one corner in a hundred is already strange.
#define SUSPICIOUS_SHARE 0.01f
// Of the corners that were wrong; bringing back must explain nearly all of them.
#define EXPLAINED_SHARE 0.75f

// Corners of triangles whose normal points to the other side.
static int32_t CountOpposed( const supMesh* mesh, const supVec3* normals )
{
	int32_t count = 0;
	for ( int32_t i = 0; i + 2 < mesh->indexCount; i += 3 )
	{
		const uint32_t* corner = mesh->indices + i;
		supVec3 a = mesh->positions[corner[0]];
		supVec3 side = supCross( supSub( mesh->positions[corner[1]], a ), supSub( mesh->positions[corner[2]], a ) );
		for ( int32_t k = 0; k < 3; ++k )
		{
			count += supDot( side, normals[corner[k]] ) < 0.0f;
		}
	}
	return count;
}

// What linear blend skinning at rest does to a vertex, up to a factor, seen from the node of the mesh.
static supMat3 BlendLinearParts( const supMesh* mesh, int32_t vertex, const supMat3* parts )
{
	supMat3 sum = { supVec3_zero, supVec3_zero, supVec3_zero };
	for ( int32_t k = 0; k < mesh->influences; ++k )
	{
		size_t at = (size_t)vertex * (size_t)mesh->influences + (size_t)k;
		const supMat3* part = &parts[mesh->joints[at]];
		sum.cx = supMulAdd( sum.cx, mesh->weights[at], part->cx );
		sum.cy = supMulAdd( sum.cy, mesh->weights[at], part->cy );
		sum.cz = supMulAdd( sum.cz, mesh->weights[at], part->cz );
	}
	return sum;
}

static bool UnposeMesh( supImport* import, const supInstance* instance, const supMat34* worlds )
{
	supMesh* mesh = &import->meshes.data[instance->mesh];
	const supSkin* skin = &import->skins.data[instance->skin];
	int32_t opposed = CountOpposed( mesh, mesh->normals );
	supMat34 fromWorld;
	if ( (float)opposed <= SUSPICIOUS_SHARE * (float)mesh->indexCount ||
		 supInvertMat34( worlds[instance->node], &fromWorld ) == false )
	{
		return true;
	}
	supMat3* parts = supArena_AllocArray( &import->arena, (size_t)skin->jointCount, sizeof( supMat3 ) );
	supVec3* normals = supArena_AllocArray( &import->arena, (size_t)mesh->vertexCount, sizeof( supVec3 ) );
	if ( parts == NULL || normals == NULL )
	{
		return supImport_OutOfMemory( import );
	}
	for ( int32_t i = 0; i < skin->jointCount; ++i )
	{
		supMat34 bindToWorld = supMulMat34( worlds[skin->joints[i]], skin->inverseBinds[i] );
		parts[i] = supLinearPart( supMulMat34( fromWorld, bindToWorld ) );
	}
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		// skinning multiplies with the inverse transpose, so the transpose goes back
		supMat3 blend = BlendLinearParts( mesh, i, parts );
		normals[i] = supNormalize( supMulMV( supTranspose( blend ), mesh->normals[i] ) );
	}
	if ( (float)CountOpposed( mesh, normals ) > ( 1.0f - EXPLAINED_SHARE ) * (float)opposed )
	{
		return true;
	}
	mesh->normals = normals;
	return supImport_AddNote(
		import, true, "mesh \"%s\": its normals are of the pose at export; restored to the bind pose", mesh->name );
}

static void FindWorlds( const supImport* import, supMat34* worlds )
{
	for ( int32_t i = 0; i < import->nodes.count; ++i )
	{
		const supNode* node = &import->nodes.data[i];
		supMat34 local = node->hasMatrix ? node->matrix : supMakeMat34Transform( node->rest );
		// parents are added before their children
		worlds[i] = node->parent >= 0 ? supMulMat34( worlds[node->parent], local ) : local;
	}
}

bool supImport_UnposeNormals( supImport* import )
{
	size_t nodes = (size_t)import->nodes.count;
	supMat34* worlds = supArena_AllocArray( &import->arena, nodes, sizeof( supMat34 ) );
	bool* seen = supArena_AllocZeroed( &import->arena, (size_t)import->meshes.count + 1 );
	if ( worlds == NULL || seen == NULL )
	{
		return supImport_OutOfMemory( import );
	}
	FindWorlds( import, worlds );
	for ( int32_t i = 0; i < import->instances.count; ++i )
	{
		const supInstance* instance = &import->instances.data[i];
		const supMesh* mesh = &import->meshes.data[instance->mesh];
		// normals of morph targets are differences and would have to go back as well
		bool candidate = instance->skin >= 0 && mesh->normals != NULL && mesh->targetCount == 0;
		if ( candidate && seen[instance->mesh] == false && UnposeMesh( import, instance, worlds ) == false )
		{
			return false;
		}
		seen[instance->mesh] = true;
	}
	return true;
}
