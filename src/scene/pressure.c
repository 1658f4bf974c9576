// SPDX-License-Identifier: MIT
// Pressure of contacts on a surface: what presses on each vertex, over the area around it.
#include "scene/actor.h"
#include "scene/contact_world.h"

// Adds what contacts of the last substep push with at vertices of an instance, N.
static void AddForces( const supContactWorld* world, const supActor* actor, int32_t instance, float* forces )
{
	const supContactBinding* binding = actor->contact->binding;
	int32_t first = binding->instanceStarts[instance], end = binding->instanceStarts[instance + 1];
	for ( int32_t i = 0; i < world->set.rowCount; ++i )
	{
		const supContactRow* row = world->set.rows + i;
		const RowSource* source = world->sources + i;
		bool isFlesh = source->kind == rowVertex || source->kind == rowSkin;
		float force = row->push * world->forceScale;
		if ( isFlesh == false || !( force > 0.0f ) )
		{
			continue;
		}
		if ( world->bodies[source->a] == actor && first <= row->vertex && row->vertex < end )
		{
			forces[row->vertex - first] += force;
		}
		for ( int32_t k = 0; k < 3 && source->kind == rowSkin && world->bodies[source->b] == actor; ++k )
		{
			int32_t vertex = binding->skinVertices[source->hit.corners[k]];
			if ( first <= vertex && vertex < end )
			{
				forces[vertex - first] += source->hit.bary[k] * force;
			}
		}
	}
}

// A third of each triangle belongs to each of its corners.
static void DivideByArea( const supMesh* mesh, const supVec3* positions, float* areas, float* values )
{
	for ( int32_t k = 0; k + 2 < mesh->indexCount; k += 3 )
	{
		const uint32_t* c = mesh->indices + k;
		supVec3 across =
			supCross( supSub( positions[c[1]], positions[c[0]] ), supSub( positions[c[2]], positions[c[0]] ) );
		float area = supLength( across ) / 6.0f;
		for ( int32_t i = 0; i < 3; ++i )
		{
			areas[c[i]] += area;
		}
	}
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		values[i] = areas[i] > 0.0f ? values[i] / areas[i] : 0.0f;
	}
}

bool supActor_GetPressures( const supActor* actor, int32_t instance, float* pressures )
{
	SUP_ASSERT( 0 <= instance && instance < actor->surfaceCount );
	const supCharacter* character = actor->flesh->character;
	const supMesh* mesh = supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
	memset( pressures, 0, (size_t)mesh->vertexCount * sizeof( float ) );
	const supContactWorld* world = supScene_ContactWorld( actor->scene );
	if ( world == NULL || actor->contact == NULL )
	{
		return true;
	}
	float* areas = supAllocZeroed( (size_t)mesh->vertexCount * sizeof( float ) );
	if ( areas != NULL )
	{
		AddForces( world, actor, instance, pressures );
		DivideByArea( mesh, supActor_Positions( actor, instance ), areas, pressures );
	}
	supFree( areas );
	return areas != NULL;
}
