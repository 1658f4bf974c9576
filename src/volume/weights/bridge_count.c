// SPDX-License-Identifier: MIT
// Which elements join parts of a body that only lie near each other, and how many.
#include "volume/weights/bridge_count.h"

#include "volume/tets/tet_topology.h"
#include "volume/weights/bridges.h"

static bool CountFaces( supBridges* bridges, const supVoxels* voxels, const supTasks* tasks, int32_t* count )
{
	size_t size = (size_t)voxels->count;
	supVec3* centers = supAllocArray( size, sizeof( supVec3 ) );
	supSkinPlace* places = supAllocArray( size, sizeof( supSkinPlace ) );
	bool ok = centers != NULL && places != NULL;
	for ( int32_t i = 0; ok && i < voxels->count; ++i )
	{
		centers[i] = supVoxels_CellCenter( voxels, voxels->cells[i] );
	}
	if ( ok )
	{
		supBridges_FindPlaces( bridges, centers, voxels->count, tasks, places );
	}
	*count = 0;
	for ( int32_t i = 0; ok && i < 3 * voxels->count; ++i )
	{
		int axis = i % 3;
		supVoxelCell c = voxels->cells[i / 3];
		int32_t next = supVoxels_Find( voxels, c.x + ( axis == 0 ), c.y + ( axis == 1 ), c.z + ( axis == 2 ) );
		*count += next >= 0 && supBridges_AreApart( bridges, places + i / 3, places + next, (float)voxels->size );
	}
	supFree( centers );
	supFree( places );
	return ok;
}

bool supCountVoxelBridges( const supCharacter* character, int32_t resolution, const supTasks* tasks, int32_t* count,
						   supError* error )
{
	supRestSurface s = { 0 };
	supBones bones = { 0 };
	supBridges bridges = { 0 };
	supVoxels voxels = { 0 };
	bool ok = supRestSurface_Init( &s, character, tasks, error );
	supVoxelsDef def = { resolution, s.vertexCount, s.positions, s.triangleCount, s.indices, tasks };
	ok = ok && supBones_InitCharacter( &bones, character, error ) && supVoxels_Init( &voxels, &def, error ) &&
		 supBridges_Init( &bridges, character, &s, &bones, error ) &&
		 ( CountFaces( &bridges, &voxels, tasks, count ) || supSetMemoryError( error ) );
	supBridges_Destroy( &bridges );
	supVoxels_Destroy( &voxels );
	supBones_Destroy( &bones );
	supRestSurface_Destroy( &s );
	return ok;
}

bool supMarkTetBridges( const supCharacter* character, const supRestSurface* surface, const supBones* bones,
						const supTets* tets, const supTasks* tasks, uint8_t* marks, supError* error )
{
	supBridges bridges = { 0 };
	supSkinPlace* places = supAllocArray( (size_t)tets->pointCount, sizeof( supSkinPlace ) );
	bool ok = ( places != NULL || supSetMemoryError( error ) ) &&
			  supBridges_Init( &bridges, character, surface, bones, error );
	if ( ok )
	{
		supBridges_FindPlaces( &bridges, tets->points, tets->pointCount, tasks, places );
	}
	for ( int32_t i = 0; ok && i < tets->tetCount; ++i )
	{
		const int32_t* corners = tets->indices + 4 * (size_t)i;
		marks[i] = 0;
		for ( int32_t k = 0; k < 6 && marks[i] == 0; ++k )
		{
			int32_t a = corners[supTetEdges[k][0]], b = corners[supTetEdges[k][1]];
			float length = supDistance( tets->points[a], tets->points[b] );
			marks[i] = supBridges_AreApart( &bridges, places + a, places + b, length );
		}
	}
	supBridges_Destroy( &bridges );
	supFree( places );
	return ok;
}

bool supCountTetBridges( const supCharacter* character, const supTets* tets, const supTasks* tasks, int32_t* count,
						 supError* error )
{
	supRestSurface surface = { 0 };
	supBones bones = { 0 };
	uint8_t* marks = supAllocArray( (size_t)tets->tetCount, 1 );
	bool ok = ( marks != NULL || supSetMemoryError( error ) ) &&
			  supRestSurface_Init( &surface, character, tasks, error ) &&
			  supBones_InitCharacter( &bones, character, error ) &&
			  supMarkTetBridges( character, &surface, &bones, tets, tasks, marks, error );
	*count = 0;
	for ( int32_t i = 0; ok && i < tets->tetCount; ++i )
	{
		*count += marks[i];
	}
	supBones_Destroy( &bones );
	supRestSurface_Destroy( &surface );
	supFree( marks );
	return ok;
}
