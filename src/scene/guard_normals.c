// SPDX-License-Identifier: MIT
// Normals of skin that is not drawn where its method made it.
#include "scene/guard_work.h"

// Of the size: skin that is drawn so far from where the method made it has other normals altogether.
#define NORMAL_FADE 0.003f

// Twice the areas of the triangles around each place, along their normals.
void supGuard_SumAreas( const supGuardWork* work, const supVec3* positions, supVec3* areas )
{
	const supGuardMesh* mesh = work->mesh;
	memset( areas, 0, (size_t)mesh->placeCount * sizeof( supVec3 ) );
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		const supMesh* triangles = supGuard_Mesh( work->actor, i );
		const int32_t* places = mesh->places + mesh->vertexStarts[i];
		for ( int32_t k = 0; k + 2 < triangles->indexCount; k += 3 )
		{
			const uint32_t* corners = triangles->indices + k;
			supVec3 area = supGuard_Area( positions + mesh->vertexStarts[i], corners );
			for ( int32_t c = 0; c < 3; ++c )
			{
				areas[places[corners[c]]] = supAdd( areas[places[corners[c]]], area );
			}
		}
	}
}

// By the rotation that takes one direction to another the shortest way.
static supVec3 Turn( supVec3 v, supVec3 from, supVec3 to )
{
	float cosine = supDot( from, to );
	supVec3 axis = supCross( from, to );
	supVec3 turned = supMulAdd( supScale( cosine, v ), 1.0f, supCross( axis, v ) );
	return cosine > -0.9f ? supMulAdd( turned, supDot( axis, v ) / ( 1.0f + cosine ), axis ) : v;
}

// Where skin is not drawn where the method made it, it has the normals of skinning, turned as the surface is turned
// around each place: hard edges stay hard, and seams do not show.
void supGuard_TurnNormals( const supGuardWork* work )
{
	const supGuardMesh* mesh = work->mesh;
	supVec3 *before = work->shifts, *after = work->dualShifts;
	supGuard_SumAreas( work, work->skin, before );
	supGuard_SumAreas( work, work->drawn, after );
	for ( int32_t i = 0; i < work->actor->surfaceCount; ++i )
	{
		int32_t first = mesh->vertexStarts[i];
		// in place of the skin, which is no longer needed
		supVec3* normals = work->skin + first;
		supSkinInstance( work->actor->pose, i, sup_skinningLinear, work->tasks,
						 &( supSkinOutput ){ .normals = normals } );
		for ( int32_t k = first; k < mesh->vertexStarts[i + 1]; ++k )
		{
			float moved = supDistance( work->made[k], work->drawn[k] ) / ( NORMAL_FADE * mesh->size );
			supVec3 from = before[mesh->places[k]], to = after[mesh->places[k]], own = normals[k - first];
			// what is not a number has no direction either
			if ( moved > 0.0f && supDot( from, from ) > 0.0f && supDot( to, to ) > 0.0f && supIsFiniteVec3( own ) )
			{
				supVec3* normal = work->actor->surfaces[i].normals + k - first;
				own = Turn( own, supNormalize( from ), supNormalize( to ) );
				*normal = supNormalize( supLerp( *normal, own, supMinFloat( moved, 1.0f ) ) );
			}
		}
	}
}
