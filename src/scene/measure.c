// SPDX-License-Identifier: MIT
// How far a surface is from its shape at rest: volume and stretch.
#include "core/core.h"
#include "scene/device_crowd.h"

static const supMesh* MeshOf( const supActor* actor, int32_t instance )
{
	const supCharacter* character = actor->flesh->character;
	return supCharacter_Mesh( character, supCharacter_Instance( character, instance )->mesh );
}

// Signed, about the middle of the mesh: a closed surface has the same volume about any point, and a hole then costs
// little.
static double InstanceVolume( const supMesh* mesh, const supVec3* positions )
{
	supBox box = supBox_empty;
	for ( int32_t i = 0; i < mesh->vertexCount; ++i )
	{
		box = supBox_Include( box, positions[i] );
	}
	supVec3 middle = supLerp( box.lower, box.upper, 0.5f );
	double volume = 0.0;
	for ( int32_t i = 0; i + 2 < mesh->indexCount; i += 3 )
	{
		supVec3 a = supSub( positions[mesh->indices[i]], middle );
		supVec3 b = supSub( positions[mesh->indices[i + 1]], middle );
		supVec3 c = supSub( positions[mesh->indices[i + 2]], middle );
		volume += (double)supDot( a, supCross( b, c ) );
	}
	return volume / 6.0;
}

static double SurfaceVolume( const supActor* actor )
{
	double volume = 0.0;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		volume += InstanceVolume( MeshOf( actor, i ), actor->surfaces[i].positions );
	}
	return volume;
}

static float EdgeLength( const supMesh* mesh, const supVec3* positions, int32_t corner )
{
	int32_t next = corner % 3 == 2 ? corner - 2 : corner + 1;
	return supDistance( positions[mesh->indices[corner]], positions[mesh->indices[next]] );
}

typedef struct supRestShape
{
	int32_t users;
	float volume;
	void* state; // the method's, at rest
	// of all edges of all instances
	float lengths[];
} supRestShape;

bool supActor_RememberRest( supActor* actor, const supActor* sibling )
{
	if ( sibling != NULL )
	{
		actor->rest = sibling->rest;
		actor->rest->users += 1;
		return true;
	}
	size_t count = 0;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		count += (size_t)MeshOf( actor, i )->indexCount;
	}
	actor->rest = supAlloc( sizeof( supRestShape ) + count * sizeof( float ) );
	if ( actor->rest == NULL )
	{
		return false;
	}
	actor->rest->users = 1;
	actor->rest->state = supAlloc( actor->stateSize );
	if ( actor->rest->state == NULL )
	{
		return false;
	}
	memcpy( actor->rest->state, actor->state, actor->stateSize );
	float* length = actor->rest->lengths;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		const supMesh* mesh = MeshOf( actor, i );
		for ( int32_t k = 0; k < mesh->indexCount; ++k )
		{
			*length++ = EdgeLength( mesh, actor->surfaces[i].positions, k );
		}
	}
	actor->rest->volume = (float)SurfaceVolume( actor );
	return true;
}

const void* supActor_RestState( const supActor* actor )
{
	return actor->rest->state;
}

void supActor_ForgetRest( supActor* actor )
{
	if ( actor->rest != NULL && --actor->rest->users == 0 )
	{
		supFree( actor->rest->state );
		supFree( actor->rest );
	}
	actor->rest = NULL;
}

supSurfaceMeasure supActor_Measure( supActor* actor )
{
	supSurfaceMeasure measure = { 0 };
	supActor_Recall( actor );
	float volume = (float)SurfaceVolume( actor );
	if ( actor->rest->volume != 0.0f )
	{
		measure.volumeError = volume / actor->rest->volume - 1.0f;
	}
	const float* rest = actor->rest->lengths;
	for ( int32_t i = 0; i < actor->surfaceCount; ++i )
	{
		const supMesh* mesh = MeshOf( actor, i );
		for ( int32_t k = 0; k < mesh->indexCount; ++k, ++rest )
		{
			if ( *rest > 0.0f )
			{
				float change = EdgeLength( mesh, actor->surfaces[i].positions, k ) / *rest - 1.0f;
				measure.stretch = supMaxFloat( measure.stretch, change < 0.0f ? -change : change );
			}
		}
	}
	if ( actor->flesh->method->measure != NULL )
	{
		actor->flesh->method->measure( actor->flesh->own, actor->state, &measure );
	}
	measure.penetration = supMaxFloat( measure.penetration, supActor_Penetration( actor ) );
	return measure;
}
