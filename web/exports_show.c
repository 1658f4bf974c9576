// SPDX-License-Identifier: MIT
// Scene files, played by the same code as `supple bake scene.json`: everything in them, one surface after the other.
#include "exports.h"

#include "show_colliders.h"

// Actors in the order of the file, then colliders: parts of the picture.
typedef struct supWebShow
{
	Show show;
	char* path;
	int32_t partCount;
	// not the owners of their characters
	supWebCharacter* parts;
	int32_t vertexCount;
	supVec3* surface; // all positions, then all normals
	// what a hand holds
	supActor* held;
	supDragId drag;
} supWebShow;

// The page has a floor of its own: one that lies level is not drawn.
static bool IsDrawn( const ShowCollider* collider )
{
	const supSceneStand* stand = &collider->def->stand;
	return collider->def->shape != sup_scenePlane || stand->pitch != 0.0f || stand->roll != 0.0f;
}

static int32_t CountVertices( const supCharacter* character )
{
	int32_t count = 0;
	for ( int32_t i = 0; i < supCharacter_InstanceCount( character ); ++i )
	{
		count += supCharacter_Mesh( character, supCharacter_Instance( character, i )->mesh )->vertexCount;
	}
	return count;
}

static bool ListParts( supWebShow* own )
{
	const Show* show = &own->show;
	size_t most = (size_t)( show->actorCount + show->colliderCount );
	own->parts = supAllocZeroed( most * sizeof( supWebCharacter ) );
	if ( own->parts == NULL )
	{
		return supSetMemoryError( &g_webError );
	}
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		own->parts[own->partCount++].character = show->bodies[show->actors[i].body].source.character;
	}
	for ( int32_t i = 0; i < show->colliderCount; ++i )
	{
		if ( IsDrawn( show->colliders + i ) )
		{
			own->parts[own->partCount++].character = show->colliders[i].body;
		}
	}
	for ( int32_t i = 0; i < own->partCount; ++i )
	{
		own->vertexCount += CountVertices( own->parts[i].character );
	}
	own->surface = supAllocArray( 2 * (size_t)own->vertexCount, sizeof( supVec3 ) );
	return own->surface != NULL || supSetMemoryError( &g_webError );
}

SUP_WEB void supWeb_CloseShow( supWebShow* own )
{
	CloseShow( &own->show );
	supFree( own->path );
	supFree( own->parts );
	supFree( own->surface );
	supFree( own );
}

// A scene file of emscripten's file system, at its beginning. NULL with an error.
SUP_WEB supWebShow* supWeb_OpenShow( const char* path )
{
	supClearError( &g_webError );
	supWebShow* own = supAllocZeroed( sizeof( *own ) );
	size_t size = strlen( path ) + 1;
	char* copy = supAllocSmall( size );
	if ( own == NULL || copy == NULL )
	{
		supFree( own );
		supFree( copy );
		supSetMemoryError( &g_webError );
		return NULL;
	}
	memcpy( copy, path, size );
	own->drag = -1;
	own->path = copy;
	int status = OpenShow( NULL, copy, "position", 0, false, supWeb_Tasks(), &own->show );
	if ( status != exit_ok || BeginShow( &own->show ) != exit_ok || ListParts( own ) == false )
	{
		supWeb_CloseShow( own );
		return NULL;
	}
	return own;
}

SUP_WEB void supWeb_EndShowDrag( supWebShow* own )
{
	if ( own->held != NULL )
	{
		supActor_EndDrag( own->held, own->drag );
		own->held = NULL;
	}
}

// From the beginning again.
SUP_WEB bool supWeb_BeginShow( supWebShow* own )
{
	supClearError( &g_webError );
	supWeb_EndShowDrag( own );
	return BeginShow( &own->show ) == exit_ok;
}

SUP_WEB void supWeb_AdvanceShow( supWebShow* own, float dt )
{
	AdvanceShow( &own->show, dt );
}

SUP_WEB supScene* supWeb_ShowScene( supWebShow* own )
{
	return own->show.scene;
}

SUP_WEB float supWeb_ShowTime( const supWebShow* own )
{
	return own->show.time;
}

// Name, duration, and for each part its name and, of actors, the method.
SUP_WEB const char* supWeb_DescribeShow( const supWebShow* own )
{
	const Show* show = &own->show;
	json_t* root = json_object();
	json_t* parts = json_array();
	for ( int32_t i = 0; i < own->partCount; ++i )
	{
		json_t* part = json_object();
		bool isActor = i < show->actorCount;
		supWeb_SetText( part, "name",
						isActor ? show->actors[i].def->name : supCharacter_Name( own->parts[i].character ) );
		supWeb_SetText( part, "method", isActor ? supFlesh_MethodName( supActor_Flesh( show->actors[i].actor ) ) : "" );
		supWeb_Append( parts, part );
	}
	supWeb_SetText( root, "name", show->file.name != NULL ? show->file.name : "" );
	supWeb_SetNumber( root, "duration", show->file.duration );
	supWeb_Set( root, "parts", parts );
	return supWeb_Text( root );
}

// For supWeb_Describe and the arrays of its meshes; lives as long as the show.
SUP_WEB supWebCharacter* supWeb_ShowPart( supWebShow* own, int32_t part )
{
	return own->parts + part;
}

SUP_WEB int32_t supWeb_ShowVertexCount( const supWebShow* own )
{
	return own->vertexCount;
}

// Positions of all parts as they are now, then as many normals.
SUP_WEB const supVec3* supWeb_ShowSurface( supWebShow* own )
{
	const Show* show = &own->show;
	supVec3* positions = own->surface;
	supVec3* normals = own->surface + own->vertexCount;
	for ( int32_t i = 0; i < show->actorCount; ++i )
	{
		const supActor* actor = show->actors[i].actor;
		const supCharacter* character = own->parts[i].character;
		for ( int32_t k = 0; k < supCharacter_InstanceCount( character ); ++k )
		{
			int32_t mesh = supCharacter_Instance( character, k )->mesh;
			size_t count = (size_t)supCharacter_Mesh( character, mesh )->vertexCount;
			memcpy( positions, supActor_Positions( actor, k ), count * sizeof( supVec3 ) );
			memcpy( normals, supActor_Normals( actor, k ), count * sizeof( supVec3 ) );
			positions += count;
			normals += count;
		}
	}
	for ( int32_t i = 0; i < show->colliderCount; ++i )
	{
		if ( IsDrawn( show->colliders + i ) )
		{
			WriteCollider( show->colliders + i, positions, normals );
			positions += CountVertices( show->colliders[i].body );
			normals += CountVertices( show->colliders[i].body );
		}
	}
	return own->surface;
}

// ---------------------------------------------------------------------------------------------------------------------
// A hand

// Takes hold of whom the ray meets first. 1: held; 0: nobody is there; -1: with an error.
SUP_WEB int32_t supWeb_StartShowDrag( supWebShow* own, float x, float y, float z, float dx, float dy, float dz,
									  float radius, float frequency )
{
	supClearError( &g_webError );
	supWeb_EndShowDrag( own );
	supActor* nearest = NULL;
	supSurfacePoint point, best = { 0 };
	float distance, least = 0.0f;
	for ( int32_t i = 0; i < own->show.actorCount; ++i )
	{
		supActor* actor = own->show.actors[i].actor;
		if ( supActor_CastRay( actor, supMakeVec3( x, y, z ), supMakeVec3( dx, dy, dz ), &point, &distance ) &&
			 ( nearest == NULL || distance < least ) )
		{
			nearest = actor;
			best = point;
			least = distance;
		}
	}
	if ( nearest == NULL )
	{
		return 0;
	}
	supDragDef def = supDefaultDragDef( nearest, &best );
	def.radius = radius > 0.0f ? radius : def.radius;
	def.frequency = frequency > 0.0f ? frequency : def.frequency;
	own->drag = supActor_StartDrag( nearest, &def );
	own->held = own->drag >= 0 ? nearest : NULL;
	if ( own->held == NULL )
	{
		supWeb_Refuse( "this cannot be pulled: it has no flesh" );
		return -1;
	}
	return 1;
}

SUP_WEB void supWeb_MoveShowDrag( supWebShow* own, float x, float y, float z )
{
	if ( own->held != NULL )
	{
		supActor_MoveDrag( own->held, own->drag, supMakeVec3( x, y, z ) );
	}
}
